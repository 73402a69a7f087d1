"""Mistakes in recurrent attention, online softmax, adapters, experts, decoding, quantisation, updates and patches."""

from collections.abc import Iterator

from ...formula.syntax_tree import Binary, Call, Index, Name, Number, Slice, Transpose, Tree, rewrite, unparse
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis


def _other_count(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield top_k with k + 1 and with k − 1."""
    tree = part.spot.tree
    if isinstance(tree, Call) and tree.function == "top_k" and isinstance(tree.arguments[1], Number):
        for k in (tree.arguments[1].value + 1, tree.arguments[1].value - 1):
            if k >= 1:
                yield Call("top_k", (tree.arguments[0], Number(str(k))), tree.options)


def _by_columns(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the patches flattened by columns."""
    yield rewrite(part.spot.tree, _upright)


def _upright(tree: Tree) -> Tree | None:
    match tree:
        case Call("flat", (Name() | Index() as patch,)):
            return Call("flat", (Transpose(patch),))
    return None


def _other_channels(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield channels that are interleaved by pixel instead of concatenated, or concatenated instead of interleaved."""
    yield rewrite(part.spot.tree, _otherwise_flat)


def _otherwise_flat(tree: Tree) -> Tree | None:
    match tree:
        case Call("hstack", channels) if len(channels) > 1:
            return Call("flat", (Transpose(Call("vstack", channels)),))
        case Call("flat", (Transpose(Call("vstack", channels)),)):
            return Call("hstack", channels)
    return None


def _down_first(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the patches in the order of columns of the image, each column from the top."""
    tree = part.spot.tree
    if isinstance(tree, Call) and tree.function == "vstack":
        yield Call("vstack", tuple(sorted(tree.arguments, key=_left_edge)))


def _left_edge(patch: Tree) -> int:
    while isinstance(patch, (Call, Transpose)):
        patch = patch.arguments[0] if isinstance(patch, Call) else patch.operand
    span = patch.columns if isinstance(patch, Index) else None
    return int(span.start.value) if isinstance(span, Slice) and isinstance(span.start, Number) else 0


def _uphill(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the weights plus the update, instead of the weights minus the update."""
    match part.spot.tree:
        case Binary("-", theta, Binary("*") as update):
            yield Binary("+", theta, update)


def _decay_times_rate(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield decoupled weight decay that is also multiplied by the learning rate."""
    match part.spot.tree:
        case Binary("-", Binary("-", theta, Binary("*", decay, pulled)), update) if unparse(theta) == unparse(pulled):
            rate = update
            while isinstance(rate, Binary):
                rate = rate.left
            if not isinstance(decay, Binary):
                yield Binary("-", Binary("-", theta, Binary("*", Binary("*", rate, decay), pulled)), update)


_MOMENT = ("b_ * a_ + (1 - b_) * g_", "(1 - b_) * g_")

MISTAKES = (
    # -- recurrent states
    Mistake(
        "tanh-forgotten", "recurrent attention", ("active",),
        "It looks as if you left out the tanh.",
        "Apply tanh to the sum of both projected states before you multiply by v.",
        (("tanh(a_ + b_)", "a_ + b_"),), MEDIUM,
    ),
    Mistake(
        "asking-state-forgotten", "recurrent attention", ("active",),
        "It looks as if you left out the decoder state.",
        "Add the projected decoder state to each projected encoder state.",
        (("tanh(a_ + b_)", "tanh(b_)"),),
    ),
    Mistake(
        "context-of-projected-states", "recurrent attention", ("Z",),
        "It looks as if you took the weighted mean of the projected encoder states.",
        "The context is the weighted mean of the encoder states themselves.",
        (("a_ @ h", "a_ @ offered"),), MEDIUM,
    ),
    Mistake(
        "score-weights-forgotten", "recurrent attention", ("S",),
        "It looks as if you left out the weights W_a between the states.",
        "Here the score is s · W_a · h.",
        (("keys_of @ k_.T", "s @ k_.T"),), MEDIUM, "W_a is the identity",
    ),
    Mistake(
        "state-before-context", "recurrent attention", ("joined",),
        "It looks as if you wrote the decoder state before the context.",
        "Write the context first, then the decoder state: [context ; state].",
        (("hstack(a_, b_)", "hstack(b_, a_)"),),
    ),
    # -- online softmax
    Mistake(
        "sum-not-rescaled", "online softmax", ("l",),
        "It looks as if you did not rescale the sum of the earlier tiles.",
        "When the largest score grows, multiply the earlier sum by exp(old maximum − new maximum).",
        (("r_ * a_ + b_", "a_ + b_"),), HIGH, "the largest score is in the first tile",
    ),
    Mistake(
        "output-not-rescaled", "online softmax", ("O", "projection"),
        "It looks as if you did not rescale the output of the earlier tiles.",
        "When the largest score grows, multiply the earlier output by exp(old maximum − new maximum).",
        (("r_ * a_ + b_", "a_ + b_"),), HIGH, "the largest score is in the first tile",
    ),
    Mistake(
        "maximum-of-tile-alone", "online softmax", ("m",),
        "It looks as if you took the largest score of this tile, not of all tiles so far.",
        "Take the larger of two numbers: the maximum of the earlier tiles and this tile's maximum.",
        (("maximum(a_, b_)", "b_"),), MEDIUM, "the maximum grows in every tile",
    ),
    Mistake(
        "rescaled-by-reciprocal", "online softmax", ("r",),
        "It looks as if you swapped the old and the new maximum in the exponent.",
        "The factor is exp(old maximum − new maximum), which is at most 1.",
        (("exp(a_ - b_)", "exp(b_ - a_)"),), MEDIUM, "the maximum does not change",
    ),
    Mistake(
        "tile-output-not-divided", "online softmax", ("Z",),
        "It looks as if you did not divide by the sum of the exponentials.",
        "After the last tile, divide the output by the sum of all exponentials.",
        (("a_ / b_", "a_"),), MEDIUM, lessons=("flash_attention",),
    ),
    # -- adapters and experts
    Mistake(
        "adapter-not-scaled", "adapter", ("update", "delta"),
        "It looks as if you left out the factor α/r.",
        "Multiply the update by α, and divide it by the rank r.",
        (("alpha / r_ * u_", "u_"),), HIGH, "α equals the rank",
    ),
    Mistake(
        "adapter-times-alpha", "adapter", ("update", "delta"),
        "It looks as if you multiplied by α without dividing by the rank.",
        "The factor is α/r, where r is the rank of the adapter.",
        (("alpha / r_ * u_", "alpha * u_"),), MEDIUM, "the rank is 1",
    ),
    Mistake(
        "adapter-alone", "adapter", ("Y", "projection"),
        "It looks as if you left out the output of the frozen weights.",
        "Add the adapter's update to the output of the frozen weights.",
        (("base + update", "update"),),
    ),
    Mistake(
        "every-expert-mixed", "experts", ("gates", "P"),
        "It looks as if you used every expert.",
        "Only the chosen experts count; the gates of the others are 0.",
        (("softmax(keep(l_, chosen))", "softmax(l_)"), ("P * chosen", "P")), HIGH, "every expert is chosen",
    ),
    Mistake(
        "gates-not-normalised", "experts", ("gates", "P"),
        "It looks as if you used the probabilities themselves as gates.",
        "Here the softmax is taken only over the chosen experts, so their gates sum to 1.",
        (("softmax(keep(l_, chosen))", "softmax(l_) * chosen"),), HIGH,
    ),
    Mistake(
        "gates-normalised", "experts", ("gates",),
        "It looks as if you made the gates of the chosen experts sum to 1.",
        "Here the gate of each chosen expert is its probability, unchanged.",
        (("P * chosen", "softmax(keep(logits, chosen))"),), MEDIUM,
    ),
    Mistake(
        "other-number-of-experts", "experts", ("chosen",),
        "It looks as if you chose a different number of experts.",
        "Each token gets the k experts with the largest probabilities.",
        (), MEDIUM, build=_other_count,
    ),
    Mistake(
        "load-by-tokens", "experts", ("load",),
        "It looks as if you divided by the number of tokens.",
        "Divide by the total number of choices (tokens times k), so that the loads sum to 1.",
        (("col_sum(c_) / total(c_)", "col_mean(c_)"),), same="one expert is chosen for each token",
    ),
    Mistake(
        "load-by-choices", "experts", ("load",),
        "It looks as if you divided by the total number of choices.",
        "Here each expert's load is a share of the tokens, so the loads sum to k: divide by the number of tokens.",
        (("col_mean(c_)", "col_sum(c_) / total(c_)"),), same="one expert is chosen for each token",
        lessons=("mixture_of_experts",),
    ),
    Mistake(
        "balance-not-multiplied", "experts", ("balance",),
        "It looks as if you did not multiply by the number of experts.",
        "Multiply the sum by the number of experts.",
        (("n_ * total(a_ * b_)", "total(a_ * b_)"),), MEDIUM,
    ),
    # -- speculative decoding and quantisation
    Mistake(
        "ratio-upside-down", "speculative decoding", ("accept",),
        "It looks as if you divided q by p.",
        "Divide the large model's probability by the small one's: p/q.",
        (("minimum(1, a_ / b_)", "minimum(1, b_ / a_)"),), HIGH, "p and q agree",
    ),
    Mistake(
        "ratio-not-capped", "speculative decoding", ("accept",),
        "It looks as if you did not cap the probability of acceptance at 1.",
        "If the large model's probability is the larger one, the token is always accepted: min(1, p/q).",
        (("minimum(1, a_)", "a_"),), MEDIUM, "p is at most q",
    ),
    Mistake(
        "residual-not-normalised", "speculative decoding", ("residual",),
        "It looks as if you did not divide the residual by its sum.",
        "The residual must sum to 1 again: divide by its sum.",
        (("normalize(a_)", "a_"),), HIGH,
    ),
    Mistake(
        "residual-with-negatives", "speculative decoding", ("left",),
        "It looks as if you kept the negative differences.",
        "Only positive differences p − q count: max(0, p − q).",
        (("maximum(a_ - b_, 0)", "a_ - b_"),), MEDIUM,
    ),
    Mistake(
        "residual-the-other-way", "speculative decoding", ("left",),
        "It looks as if you took q − p.",
        "The residual is the part by which the large model's p exceeds the small model's q: max(0, p − q).",
        (("maximum(a_ - b_, 0)", "maximum(b_ - a_, 0)"),),
    ),
    Mistake(
        "one-whole-number-more", "quantisation", ("step",),
        "It looks as if you divided by a number that is 1 too large, such as 128 instead of 127 or 256 instead of 255.",
        "Divide by the largest integer. With 8 bits it is 127, or 255 if the integers start at 0.",
        tuple((f"a_ / {n}", f"a_ / {n + 1}") for n in (127, 255, 7, 15)), MEDIUM,
    ),
    Mistake(
        "cut-for-rounded", "quantisation", ("whole",),
        "It looks as if you rounded down instead of to the nearest integer.",
        "Round to the nearest integer.",
        (("round(a_, 0)", "floor(a_)"),), MEDIUM,
    ),
    Mistake(
        "largest-with-its-sign", "quantisation", ("largest",),
        "It looks as if you took the largest entry, although a negative entry has a larger absolute value.",
        "Use the largest absolute value: the maximum of the entries without their signs.",
        (("max(abs(a_))", "max(a_)"), ("row_max(abs(a_))", "row_max(a_)"), ("col_max(abs(a_))", "col_max(a_)")),
        MEDIUM, "the entry with the largest absolute value is positive",
    ),
    Mistake(
        "zero-point-forgotten", "quantisation", ("X_back",),
        "It looks as if you did not subtract the zero point.",
        "Subtract the zero point first, then multiply by the scale.",
        (("s_ * (w_ - z_)", "s_ * w_"),), HIGH, "the zero point is 0",
    ),
    # -- updates
    Mistake(
        "moments-not-corrected", "update", ("m_hat", "v_hat"),
        "It looks as if you did not apply the bias correction.",
        "Divide by 1 − βᵗ, where t is the number of the update.",
        (("m_ / (1 - b_)", "m_"),), HIGH,
    ),
    Mistake(
        "correction-of-first-update", "update", ("m_hat", "v_hat"),
        "It looks as if you divided by 1 − β in every update.",
        "Divide by 1 − βᵗ, where t is the number of the update.",
        (("m_ / (1 - b_ ** n_)", "m_ / (1 - b_)"),), MEDIUM, "it is the first update",
    ),
    Mistake(
        "gradient-not-squared", "update", ("v",),
        "It looks as if you did not square the gradient.",
        "The second moment is the moving average of the squared gradients.",
        (("(1 - b_) * g_ ** 2", "(1 - b_) * g_"),), MEDIUM,
    ),
    Mistake(
        "earlier-mean-forgotten", "update", ("m", "v"),
        "It looks as if you left out the moving average from the previous update.",
        "Add β times the previous moving average.",
        (_MOMENT,), MEDIUM,
    ),
    Mistake(
        "divided-by-second-moment", "update", ("theta",),
        "It looks as if you divided by the second moment without its square root.",
        "Divide by the square root of the second moment.",
        (("t_ - l_ * m_ / (sqrt(v_) + e_)", "t_ - l_ * m_ / (v_ + e_)"),), HIGH,
    ),
    Mistake(
        "update-uphill", "update", ("theta",),
        "It looks as if you added the update.",
        "Subtract it, because the loss falls in the direction opposite to the gradient.",
        (("t_ - l_ * m_ / d_", "t_ + l_ * m_ / d_"),), MEDIUM,
    ),
    Mistake(
        "weight-decay-forgotten", "update", ("theta",),
        "It looks as if you left out the weight decay.",
        "Subtract the weight decay as well, which is a fraction of the weights.",
        (("t_ - w_ * t_ - u_", "t_ - u_"),), HIGH,
    ),
    Mistake(
        "decay-without-learning-rate", "update", ("theta",),
        "It looks as if you did not multiply the weight decay by the learning rate.",
        "Here the decay is multiplied by the learning rate too: lr · decay · θ.",
        (("t_ - l_ * w_ * t_ - u_", "t_ - w_ * t_ - u_"),), MEDIUM,
    ),
    Mistake(
        "decay-times-learning-rate", "update", ("theta",),
        "It looks as if you multiplied the weight decay by the learning rate.",
        "Here the decay does not depend on the learning rate: decay · θ.",
        (), MEDIUM, build=_decay_times_rate,
    ),
    Mistake(
        "velocity-uphill", "update", ("theta",),
        "It looks as if you added the velocity.",
        "Subtract it, because the loss falls in the direction opposite to the gradient.",
        (), MEDIUM, build=_uphill, lessons=("momentum",),
    ),
    Mistake(
        "velocity-before-forgotten", "update", ("velocity",),
        "It looks as if you used only the gradient.",
        "Add μ times the previous velocity.",
        (("b_ * a_ + g_", "g_"),), MEDIUM, lessons=("momentum",),
    ),
    Mistake(
        "velocity-as-mean", "update", ("velocity",),
        "It looks as if you multiplied the gradient by 1 − μ.",
        "Here the whole gradient is added to μ times the previous velocity.",
        (("b_ * a_ + g_", "b_ * a_ + (1 - b_) * g_"),), MEDIUM, lessons=("momentum",),
    ),
    Mistake(
        "dropout-not-scaled", "dropout", ("Y",),
        "It looks as if you did not scale the entries that are kept.",
        "Divide by 1 − p, so that the expected value does not change.",
        (("k_ / (1 - r_)", "k_"),), HIGH, "the rate is 0",
    ),
    Mistake(
        "dropout-scaled-the-other-way", "dropout", ("Y", "test"),
        "It looks as if you used p instead of 1 − p, or swapped multiplication and division.",
        "The keep probability is 1 − p. Divide by it in training (inverted dropout), or multiply by it at test time.",
        (("k_ / (1 - r_)", "k_ / r_"), ("k_ / (1 - r_)", "k_ * (1 - r_)"), ("k_ * (1 - r_)", "k_ * r_"),
         ("k_ * (1 - r_)", "k_ / (1 - r_)")),
        MEDIUM, "the rate is 1/2 and only p and 1 − p are swapped",
    ),
    Mistake(
        "dropout-mask-turned-round", "dropout", ("kept",),
        "It looks as if you dropped the entries that the mask keeps.",
        "A 1 in the mask means that an entry is kept.",
        (("x_ * M", "x_ * (1 - M)"),), MEDIUM,
    ),
    # -- patches
    Mistake(
        "patches-by-columns", "patches", ("patches",),
        "It looks as if you read the pixels of each patch column by column.",
        "Read the pixels of each patch row by row.",
        (), MEDIUM, "the patches are symmetric", _by_columns,
    ),
    Mistake(
        "channels-in-the-other-order", "patches", ("patches",),
        "It looks as if you used the other order of the channels.",
        "Use the order that the problem gives: one channel after the other, or the channels of each pixel together.",
        (), MEDIUM, "there is one channel, or the channels are equal", _other_channels,
    ),
    Mistake(
        "patches-down-first", "patches", ("patches",),
        "It looks as if you went down the image before going right.",
        "Read the patches from left to right, one row of patches after the other.",
        (), MEDIUM, build=_down_first,
    ),
    Mistake(
        "class-token-at-the-end", "patches", ("tokens",),
        "It looks as if you put the class token after the patches.",
        "The class token comes first.",
        (("vstack(cls, t_)", "vstack(t_, cls)"),),
    ),
)  # fmt: skip
