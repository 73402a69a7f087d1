"""Mistakes in attention before and after the first Transformer, in adapters, experts, quantisation and updates."""

from collections.abc import Iterator

from ...formula.syntax_tree import Binary, Call, Index, Name, Number, Slice, Transpose, Tree, rewrite, unparse
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis


def _other_count(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield top_k with one more and with one less."""
    tree = part.spot.tree
    if isinstance(tree, Call) and tree.function == "top_k" and isinstance(tree.arguments[1], Number):
        for k in (tree.arguments[1].value + 1, tree.arguments[1].value - 1):
            if k >= 1:
                yield Call("top_k", (tree.arguments[0], Number(str(k))), tree.options)


def _by_columns(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the patches flattened column by column."""
    yield rewrite(part.spot.tree, _upright)


def _upright(tree: Tree) -> Tree | None:
    match tree:
        case Call("flat", (Name() | Index() as patch,)):
            return Call("flat", (Transpose(patch),))
    return None


def _other_channels(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the channels interleaved by pixel where they are concatenated, and conversely."""
    yield rewrite(part.spot.tree, _otherwise_flat)


def _otherwise_flat(tree: Tree) -> Tree | None:
    match tree:
        case Call("hstack", channels) if len(channels) > 1:
            return Call("flat", (Transpose(Call("vstack", channels)),))
        case Call("flat", (Transpose(Call("vstack", channels)),)):
            return Call("hstack", channels)
    return None


def _down_first(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the patches in column order, each column from the top down."""
    tree = part.spot.tree
    if isinstance(tree, Call) and tree.function == "vstack":
        yield Call("vstack", tuple(sorted(tree.arguments, key=_left_edge)))


def _left_edge(patch: Tree) -> int:
    while isinstance(patch, (Call, Transpose)):
        patch = patch.arguments[0] if isinstance(patch, Call) else patch.operand
    span = patch.columns if isinstance(patch, Index) else None
    return int(span.start.value) if isinstance(span, Slice) and isinstance(span.start, Number) else 0


def _uphill(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the weights plus the velocity."""
    match part.spot.tree:
        case Binary("-", theta, Binary("*") as update):
            yield Binary("+", theta, update)


def _decay_times_rate(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield decoupled weight decay multiplied by the learning rate."""
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
        "It looks as if you left out the state that asks.",
        "Add what the decoder's state brings to what each state of the encoder brings.",
        (("tanh(a_ + b_)", "tanh(b_)"),),
    ),
    Mistake(
        "context-of-projected-states", "recurrent attention", ("Z",),
        "It looks as if you weighted the projected states.",
        "The context is the weighted mean of the encoder's states themselves.",
        (("a_ @ h", "a_ @ offered"),), MEDIUM,
    ),
    Mistake(
        "score-weights-forgotten", "recurrent attention", ("S",),
        "It looks as if you left out the weights W_a between the states.",
        "The score is s · W_a · h.",
        (("keys_of @ k_.T", "s @ k_.T"),), MEDIUM, "W_a is the identity",
    ),
    Mistake(
        "state-before-context", "recurrent attention", ("joined",),
        "It looks as if you wrote the state before the context.",
        "Write the context first, then the state: [context ; state].",
        (("hstack(a_, b_)", "hstack(b_, a_)"),),
    ),
    # -- online softmax
    Mistake(
        "sum-not-rescaled", "online softmax", ("l",),
        "It looks as if you did not rescale the sum of the earlier tiles.",
        "When the largest score grows, the earlier sum counts exp(old maximum − new maximum) times.",
        (("r_ * a_ + b_", "a_ + b_"),), HIGH, "the largest score stands in the first tile",
    ),
    Mistake(
        "output-not-rescaled", "online softmax", ("O", "projection"),
        "It looks as if you did not rescale the output of the earlier tiles.",
        "When the largest score grows, the earlier output counts exp(old maximum − new maximum) times.",
        (("r_ * a_ + b_", "a_ + b_"),), HIGH, "the largest score stands in the first tile",
    ),
    Mistake(
        "maximum-of-tile-alone", "online softmax", ("m",),
        "It looks as if you took the largest score of this tile alone.",
        "Keep the larger of the maximum so far and the tile's own.",
        (("maximum(a_, b_)", "b_"),), MEDIUM, "the maximum grows in every tile",
    ),
    Mistake(
        "rescaled-by-reciprocal", "online softmax", ("r",),
        "It looks as if you exchanged the old and the new maximum.",
        "The factor is exp(old maximum − new maximum), 1 at most.",
        (("exp(a_ - b_)", "exp(b_ - a_)"),), MEDIUM, "the maximum stays",
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
        "The update is multiplied by α and divided by the rank r.",
        (("alpha / r_ * u_", "u_"),), HIGH, "α is the rank",
    ),
    Mistake(
        "adapter-times-alpha", "adapter", ("update", "delta"),
        "It looks as if you multiplied by α without dividing by the rank.",
        "The factor is α/r, with r the width of the narrow matrices.",
        (("alpha / r_ * u_", "alpha * u_"),), MEDIUM, "the rank is 1",
    ),
    Mistake(
        "adapter-alone", "adapter", ("Y", "projection"),
        "It looks as if you wrote the update alone.",
        "Add the update to what the frozen weights give.",
        (("base + update", "update"),),
    ),
    Mistake(
        "every-expert-mixed", "experts", ("gates", "P"),
        "It looks as if you mixed every expert.",
        "Only the chosen experts count; the gates of the others are 0.",
        (("softmax(keep(l_, chosen))", "softmax(l_)"), ("P * chosen", "P")), HIGH, "every expert is chosen",
    ),
    Mistake(
        "gates-not-normalised", "experts", ("gates", "P"),
        "It looks as if the gates of the chosen experts do not sum to 1.",
        "Here the softmax runs over the chosen experts alone, so that their gates sum to 1.",
        (("softmax(keep(l_, chosen))", "softmax(l_) * chosen"),), HIGH,
    ),
    Mistake(
        "gates-normalised", "experts", ("gates",),
        "It looks as if you made the gates of the chosen experts sum to 1.",
        "Here each chosen expert counts by its probability as it is.",
        (("P * chosen", "softmax(keep(logits, chosen))"),), MEDIUM,
    ),
    Mistake(
        "other-number-of-experts", "experts", ("chosen",),
        "It looks as if you chose another number of experts.",
        "Each token gets the k experts with the largest probabilities.",
        (), MEDIUM, build=_other_count,
    ),
    Mistake(
        "load-by-tokens", "experts", ("load",),
        "It looks as if you divided by the number of tokens.",
        "Divide by the number of all choices, tokens times k, so that the shares sum to 1.",
        (("col_sum(c_) / total(c_)", "col_mean(c_)"),), same="one expert is chosen for each token",
    ),
    Mistake(
        "load-by-choices", "experts", ("load",),
        "It looks as if you divided by the number of all choices.",
        "Here each expert's load is a share of the tokens, so that the loads sum to k.",
        (("col_mean(c_)", "col_sum(c_) / total(c_)"),), same="one expert is chosen for each token",
        lessons=("mixture_of_experts",),
    ),
    Mistake(
        "balance-not-multiplied", "experts", ("balance",),
        "It looks as if you left out the number of experts.",
        "Multiply the sum by the number of experts, so that even use gives 1.",
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
        "It looks as if you left a probability above 1.",
        "A token that the large model likes more than the small one is always accepted: min(1, p/q).",
        (("minimum(1, a_)", "a_"),), MEDIUM, "p is below q",
    ),
    Mistake(
        "residual-not-normalised", "speculative decoding", ("residual",),
        "It looks as if you did not divide by the sum.",
        "What is left of p must sum to 1 again: divide by its sum.",
        (("normalize(a_)", "a_"),), HIGH,
    ),
    Mistake(
        "residual-with-negatives", "speculative decoding", ("left",),
        "It looks as if you kept the negative differences.",
        "Only what p has and q lacks counts: max(0, p − q).",
        (("maximum(a_ - b_, 0)", "a_ - b_"),), MEDIUM,
    ),
    Mistake(
        "residual-the-other-way", "speculative decoding", ("left",),
        "It looks as if you took q − p.",
        "Take what the large model's p has and the small one's q lacks: max(0, p − q).",
        (("maximum(a_ - b_, 0)", "maximum(b_ - a_, 0)"),),
    ),
    Mistake(
        "one-whole-number-more", "quantisation", ("step",),
        "It looks as if you divided by one number more (128 for 127, or 256 for 255).",
        "With 8 bits the largest whole number is 127, or 255 from 0.",
        tuple((f"a_ / {n}", f"a_ / {n + 1}") for n in (127, 255, 7, 15)), MEDIUM,
    ),
    Mistake(
        "cut-for-rounded", "quantisation", ("whole",),
        "It looks as if you rounded down.",
        "Round to the nearest whole number.",
        (("round(a_, 0)", "floor(a_)"),), MEDIUM,
    ),
    Mistake(
        "largest-with-its-sign", "quantisation", ("largest",),
        "It looks as if you took the largest entry, whatever the size of the negative ones.",
        "Take the largest size: the maximum of the entries without their signs.",
        (("max(abs(a_))", "max(a_)"), ("row_max(abs(a_))", "row_max(a_)"), ("col_max(abs(a_))", "col_max(a_)")),
        MEDIUM, "the largest entry is positive",
    ),
    Mistake(
        "zero-point-forgotten", "quantisation", ("X_back",),
        "It looks as if you did not subtract the zero point.",
        "Subtract the zero point first, then multiply by the step.",
        (("s_ * (w_ - z_)", "s_ * w_"),), HIGH, "the zero point is 0",
    ),
    # -- updates
    Mistake(
        "moments-not-corrected", "update", ("m_hat", "v_hat"),
        "It looks as if you did not correct the running mean for its start at 0.",
        "Divide by 1 − βᵗ, with t the number of the update.",
        (("m_ / (1 - b_)", "m_"),), HIGH,
    ),
    Mistake(
        "correction-of-first-update", "update", ("m_hat", "v_hat"),
        "It looks as if you divided by 1 − β in a later update too.",
        "The correction is 1 − βᵗ, with t the number of the update.",
        (("m_ / (1 - b_ ** n_)", "m_ / (1 - b_)"),), MEDIUM, "it is the first update",
    ),
    Mistake(
        "gradient-not-squared", "update", ("v",),
        "It looks as if you did not square the gradient.",
        "The second running mean is that of the squares of the gradient.",
        (("(1 - b_) * g_ ** 2", "(1 - b_) * g_"),), MEDIUM,
    ),
    Mistake(
        "earlier-mean-forgotten", "update", ("m", "v"),
        "It looks as if you left out the running mean of the update before.",
        "Keep the share β of the running mean before.",
        (_MOMENT,), MEDIUM,
    ),
    Mistake(
        "divided-by-second-moment", "update", ("theta",),
        "It looks as if you divided by the mean of the squares itself.",
        "Divide by its square root.",
        (("t_ - l_ * m_ / (sqrt(v_) + e_)", "t_ - l_ * m_ / (v_ + e_)"),), HIGH,
    ),
    Mistake(
        "update-uphill", "update", ("theta",),
        "It looks as if you added the update.",
        "Subtract it: the loss falls against the gradient.",
        (("t_ - l_ * m_ / d_", "t_ + l_ * m_ / d_"),), MEDIUM,
    ),
    Mistake(
        "weight-decay-forgotten", "update", ("theta",),
        "It looks as if you left out the weight decay.",
        "Subtract its share of the weights as well, beside the update.",
        (("t_ - w_ * t_ - u_", "t_ - u_"),), HIGH,
    ),
    Mistake(
        "decay-without-learning-rate", "update", ("theta",),
        "It looks as if you left out the learning rate of the weight decay.",
        "Here the decay is multiplied by the learning rate too: lr · decay · θ.",
        (("t_ - l_ * w_ * t_ - u_", "t_ - w_ * t_ - u_"),), MEDIUM,
    ),
    Mistake(
        "decay-times-learning-rate", "update", ("theta",),
        "It looks as if you multiplied the weight decay by the learning rate.",
        "Here the decay works by itself: decay · θ, whatever the learning rate.",
        (), MEDIUM, build=_decay_times_rate,
    ),
    Mistake(
        "velocity-uphill", "update", ("theta",),
        "It looks as if you added the velocity.",
        "Subtract it: the loss falls against the gradient.",
        (), MEDIUM, build=_uphill, lessons=("momentum",),
    ),
    Mistake(
        "velocity-before-forgotten", "update", ("velocity",),
        "It looks as if you took the gradient alone.",
        "Add the share μ of the velocity before.",
        (("b_ * a_ + g_", "g_"),), MEDIUM, lessons=("momentum",),
    ),
    Mistake(
        "velocity-as-mean", "update", ("velocity",),
        "It looks as if you multiplied the gradient by 1 − μ.",
        "Here the whole gradient is added to the share μ of the velocity.",
        (("b_ * a_ + g_", "b_ * a_ + (1 - b_) * g_"),), MEDIUM, lessons=("momentum",),
    ),
    Mistake(
        "dropout-not-scaled", "dropout", ("Y",),
        "It looks as if you did not scale what is left.",
        "Divide by 1 − p, so that the mean stays.",
        (("k_ / (1 - r_)", "k_"),), HIGH, "the rate is 0",
    ),
    Mistake(
        "dropout-scaled-the-other-way", "dropout", ("Y", "test"),
        "It looks as if you used p and 1 − p, or the product and the quotient, the other way round.",
        "Of what is kept, a share of 1 − p: divide by 1 − p in training, multiply by it at test time.",
        (("k_ / (1 - r_)", "k_ / r_"), ("k_ / (1 - r_)", "k_ * (1 - r_)"), ("k_ * (1 - r_)", "k_ * r_"),
         ("k_ * (1 - r_)", "k_ / (1 - r_)")),
        MEDIUM, "the rate is 1/2",
    ),
    Mistake(
        "dropout-mask-turned-round", "dropout", ("kept",),
        "It looks as if you dropped what the mask keeps.",
        "Here 1 means that an entry stays.",
        (("x_ * M", "x_ * (1 - M)"),), MEDIUM,
    ),
    # -- patches
    Mistake(
        "patches-by-columns", "patches", ("patches",),
        "It looks as if you read the pixels of each patch column after column.",
        "Read each patch row after row.",
        (), MEDIUM, "the patches are symmetric", _by_columns,
    ),
    Mistake(
        "channels-in-the-other-order", "patches", ("patches",),
        "It looks as if you put the channels of a patch in the other order.",
        "See whether one channel follows the other, or each pixel's channels stand together.",
        (), MEDIUM, "there is one channel, or the channels are alike", _other_channels,
    ),
    Mistake(
        "patches-down-first", "patches", ("patches",),
        "It looks as if you went down the image before going right.",
        "The patches follow one another from left to right, then the next row of patches.",
        (), MEDIUM, build=_down_first,
    ),
    Mistake(
        "class-token-at-the-end", "patches", ("tokens",),
        "It looks as if you put the class token after the patches.",
        "The class token comes first.",
        (("vstack(cls, t_)", "vstack(t_, cls)"),),
    ),
)  # fmt: skip
