"""Mistakes in scores, scale, mask, softmax and output of an attention head."""

from collections.abc import Iterator

from ...formula.parser import parse
from ...formula.syntax_tree import Binary, Name, Number, Tree
from ...plan import Given
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis

_PROJECTIONS = ("Q", "K", "V")
_PRODUCTS = (*_PROJECTIONS, "projection")
_SOFTMAX = ("A", "P")


def _squared_divisor(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield S / d_k if the divisor is the number √d_k: S / 4 for S / 2."""
    tree, keys = part.spot.tree, site.roles.get("K")
    node = site.node_of(keys) if keys is not None else None
    if node is None or not (isinstance(tree, Binary) and tree.operator == "/" and isinstance(tree.right, Number)):
        return
    d_k = node.shape[0 if site.columns else 1]
    if tree.right.value**2 == d_k:
        yield Binary("/", tree.left, Number(str(d_k)))


def _by_d_model(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield S / d_model, unless d_model equals d_k, because S / d_k is another mistake."""
    tokens, keys = (site.node_of(site.roles[role]) if role in site.roles else None for role in ("X", "K"))
    features = 0 if site.columns else 1
    if tokens is None or keys is None or tokens.shape[features] != keys.shape[features]:
        yield from site.rewrite_role(part, *(_OVER_COLUMNS if site.columns else _OVER_ROWS))


def _causal(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the softmax with a causal mask, if the scores have no mask."""
    bias = part.names.get("bias")
    added = (
        site.recogniser.names.find(site.step.part, bias.tree.name)
        if bias is not None and isinstance(bias.tree, Name)
        else None
    )
    if "S_masked" not in part.names and not (isinstance(added, Given) and _hides(added)):
        yield from site.rewrite_role(part, *(_ADD_MASK_TO_COLUMNS if site.columns else _ADD_MASK_TO_ROWS))


def _hides(given: Given) -> bool:
    return any(text.lstrip().startswith(("-inf", "−inf", "-∞", "−∞")) for row in given.texts or () for text in row)


_OVER_ROWS = parse("s_ / sqrt(d_)"), parse("s_ / cols(X)")
_OVER_COLUMNS = parse("s_ / sqrt(d_)"), parse("s_ / rows(X)")
_ADD_MASK_TO_ROWS = parse("softmax(s_)"), parse("softmax(keep(s_, causal(rows(s_), cols(s_))))")
_ADD_MASK_TO_COLUMNS = parse("softmax_cols(s_)"), parse("softmax_cols(keep(s_, causal(cols(s_), rows(s_)).T))")

MISTAKES = (
    # -- scores --------------------------------------------------------------------------------------------------------
    Mistake(
        "scores-transposed", "scores", ("S",),
        "It looks as if you computed K · Qᵀ.",
        "Rows belong to queries, columns to keys: Q · Kᵀ.",
        (("q_ @ k_.T", "k_ @ q_.T"),), MEDIUM, "the scores are symmetric",
    ),
    Mistake(
        "keys-not-transposed", "scores", ("S",),
        "It looks as if you did not transpose the keys: Q · K.",
        "A score is the dot product of a query's row and a key's row, so K is transposed: Q · Kᵀ.",
        (("q_ @ k_.T", "q_ @ k_"),), HIGH, "K is symmetric",
    ),
    Mistake(
        "scores-of-features", "scores", ("S",),
        "It looks as if you computed Qᵀ · K, which has one row and one column per feature.",
        "Multiply every query by every key: Q · Kᵀ has one row per query and one column per key.",
        (("q_ @ k_.T", "q_.T @ k_"),),
    ),
    Mistake(
        "scores-entry-by-entry", "scores", ("S",),
        "It looks as if you multiplied Q and K entry by entry.",
        "A score is a dot product: multiply a row of Q by a row of K entry by entry, and add up the products.",
        (("q_ @ k_.T", "q_ * k_"), ("q_ @ k_.T", "q_ * k_.T")), MEDIUM,
    ),
    Mistake(
        "scores-queries-only", "scores", ("S",),
        "It looks as if you multiplied the queries by themselves: Q · Qᵀ.",
        "Multiply the queries by the keys: Q · Kᵀ.",
        (("q_ @ k_.T", "q_ @ q_.T"),), same="Q equals K",
    ),
    Mistake(
        "scores-keys-only", "scores", ("S",),
        "It looks as if you multiplied the keys by themselves: K · Kᵀ.",
        "Multiply the queries by the keys: Q · Kᵀ.",
        (("q_ @ k_.T", "k_ @ k_.T"),), same="Q equals K",
    ),
    Mistake(
        "scores-of-tokens", "scores", ("S",),
        "It looks as if you computed the scores from the tokens themselves: X · Xᵀ.",
        "Scores compare the projected tokens: Q · Kᵀ.",
        (("q_ @ k_.T", "X @ memory.T"),),
    ),
    Mistake(
        "scores-with-values", "scores", ("S",),
        "It looks as if you multiplied the queries by the values: Q · Vᵀ.",
        "Scores compare queries with keys: Q · Kᵀ.",
        (("q_ @ k_.T", "q_ @ V.T"),), same="K equals V",
    ),
    # -- scale ---------------------------------------------------------------------------------------------------------
    Mistake(
        "scale-forgotten", "scale", ("S_scaled",),
        "It looks as if you did not divide the scores by the scale.",
        "Divide every score by the scale, usually √d_k, before the softmax.",
        (("s_ / c_", "s_"),), HIGH, "the scale is 1",
    ),
    Mistake(
        "scale-without-root", "scale", ("S_scaled",),
        "It looks as if you divided by d_k instead of √d_k (or divided by √d_k twice).",
        "Divide once, by the square root √d_k.",
        (("s_ / sqrt(d_)", "s_ / d_"),), MEDIUM, "d_k = 1", _squared_divisor,
    ),
    Mistake(
        "scale-by-root-d-model", "scale", ("S_scaled",),
        "It looks as if you divided by √d_model instead of √d_k.",
        "Divide by √d_k, where d_k is the number of columns of one head's keys.",
        (("s_ / sqrt(d_)", "s_ / sqrt(cols(X))"),), HIGH, "there is one head and d_k equals d_model",
    ),
    Mistake(
        "scale-by-d-model", "scale", ("S_scaled",),
        "It looks as if you divided by d_model instead of √d_k.",
        "Divide by √d_k, where d_k is the number of columns of one head's keys.",
        (), same="d_model equals d_k", build=_by_d_model,
    ),
    Mistake(
        "scale-multiplied", "scale", ("S_scaled",),
        "It looks as if you multiplied by the scale instead of dividing.",
        "Divide by the scale, usually √d_k, so that the scores do not become larger as d_k grows.",
        (("s_ / c_", "s_ * c_"),), MEDIUM, "the scale is 1",
    ),
    Mistake(
        "scale-by-root-n", "scale", ("S_scaled",),
        "It looks as if you divided by the square root of the number of tokens.",
        "Divide by √d_k, where d_k is the number of columns of K.",
        (("s_ / sqrt(d_)", "s_ / sqrt(rows(K))"),), same="there are as many tokens as features in a key",
    ),
    Mistake(
        "scale-by-root-d-v", "scale", ("S_scaled",),
        "It looks as if you divided by √d_v instead of √d_k.",
        "Divide by √d_k, where d_k is the number of columns of K, not of V.",
        (("s_ / sqrt(d_)", "s_ / sqrt(cols(V))"),), same="keys and values have the same number of columns",
    ),
    Mistake(
        "scale-after-softmax", "scale", ("A",),
        "It looks as if you divided the weights by the scale, after the softmax.",
        "Divide the scores before the softmax; then the weights of each row sum to 1.",
        (("softmax(s_)", "softmax(unscaled) / divisor"), ("softmax(s_)", "softmax(keep(unscaled, mask)) / divisor")),
        same="the scale is 1",
    ),
    # -- mask ----------------------------------------------------------------------------------------------------------
    Mistake(
        "mask-forgotten", "mask", ("S_masked",),
        "It looks as if you did not apply the mask.",
        "Before the softmax, set a score to −∞ if the query must not attend to the key.",
        (("keep(s_, m_)", "s_"),), HIGH,
    ),
    Mistake(
        "mask-diagonal-too", "mask", ("S_masked",),
        "It looks as if you masked the diagonal too.",
        "Each token attends to itself: mask only the tokens after it.",
        (("keep(s_, causal(n_, m_))", "keep(s_, causal_strict(n_, m_))"),), HIGH,
    ),
    Mistake(
        "mask-one-future-token", "mask", ("S_masked",),
        "It looks as if you let each token attend to the token after it.",
        "A token attends to itself and to earlier tokens, but not to later tokens.",
        (("keep(s_, causal(n_, m_))", "keep(s_, causal(n_, m_, offset=1))"),), MEDIUM,
    ),
    Mistake(
        "mask-inverted", "mask", ("S_masked",),
        "It looks as if you inverted the mask: you kept the scores that should be masked, and masked the others.",
        "A 1 in the mask means that the query may attend to the key. Mask the scores where the mask is 0.",
        (("keep(s_, m_)", "keep(s_, 1 - m_)"),), HIGH,
    ),
    Mistake(
        "mask-filled-with-zero", "mask", ("S_masked",),
        "It looks as if you set the masked scores to 0 instead of −∞.",
        "e⁰ is 1, so a masked key would still get some weight. With a score of −∞ its weight is 0.",
        (("keep(s_, m_)", "keep(s_, m_, fill=0)"),), HIGH,
    ),
    Mistake(
        "mask-filled-with-small-number", "mask", ("S_masked",),
        "It looks as if you set masked scores to a number such as 1 or −1 instead of −∞.",
        "The exponential of such a number is not 0, so a masked key would still get some weight. With −∞ its weight "
        "is 0.",
        tuple(("keep(s_, m_)", f"keep(s_, m_, fill={number})") for number in ("1", "-1", "-2", "-5", "-10")), MEDIUM,
    ),
    Mistake(
        "mask-added", "mask", ("S_masked",),
        "It looks as if you added a mask of zeros and ones to the scores.",
        "Set the masked scores to −∞, and do not change the others.",
        (("keep(s_, m_)", "s_ + m_"), ("keep(s_, m_)", "s_ + (1 - m_)")),
    ),
    Mistake(
        "mask-plus-infinity", "mask", ("S_masked",),
        "It looks as if you set the masked scores to +∞.",
        "Masked scores become −∞, whose exponential is 0.",
        (("keep(s_, m_)", "keep(s_, m_, fill=inf)"),), MEDIUM,
    ),
    Mistake(
        "mask-hides-zeros", "mask", ("S_masked",),
        "It looks as if you also masked scores that happen to be 0.",
        "A score of 0 is an ordinary score; only a score of −∞ gives the weight 0.",
        (("keep(s_, m_)", "keep(s_, m_ * s_)"),), MEDIUM, "no score is 0",
    ),
    Mistake(
        "mask-transposed", "mask", ("S_masked",),
        "It looks as if you swapped the rows and columns of the mask.",
        "Each row of the mask belongs to one query, and each column to one key. A causal mask hides later tokens.",
        (("keep(s_, m_)", "keep(s_, m_.T)"),), MEDIUM, "the mask is symmetric",
    ),
    Mistake(
        "mask-after-softmax", "mask", ("A",),
        "It looks as if you set the masked weights to 0 after the softmax, without making the rows sum to 1 again.",
        "Mask the scores before the softmax, or divide each row by the sum of its remaining weights.",
        (("softmax(s_)", "softmax(unmasked) * mask"),), HIGH,
    ),
    Mistake(
        "mask-ignored-by-weights", "mask", ("A",),
        "It looks as if you took the softmax of the scores without the mask.",
        "Take the softmax of the masked scores.",
        (("softmax(s_)", "softmax(unmasked)"),), MEDIUM,
    ),
    Mistake(
        "mask-where-none-belongs", "mask", ("A",),
        "It looks as if you applied a causal mask, but in this problem every query can attend to every key.",
        "Keep all scores, because nothing is masked in this problem.",
        (), MEDIUM, build=_causal,
    ),
    # -- softmax -------------------------------------------------------------------------------------------------------
    Mistake(
        "softmax-over-columns", "softmax", _SOFTMAX,
        "It looks as if you took the softmax down the columns.",
        "Each query's weights sum to 1: take the softmax along each row.",
        (("softmax(s_)", "softmax_cols(s_)"),), HIGH,
    ),
    Mistake(
        "softmax-over-everything", "softmax", _SOFTMAX,
        "It looks as if you took one softmax over the whole matrix.",
        "Take a separate softmax for each row, so that each row sums to 1.",
        (("softmax(s_)", "softmax_all(s_)"),), MEDIUM,
    ),
    Mistake(
        "softmax-without-exponential", "softmax", _SOFTMAX,
        "It looks as if you divided the scores by their sum, without exponentials.",
        "First raise e to the power of each score, then divide by the sum of these exponentials.",
        (("softmax(s_)", "s_ / row_sum(s_)"), ("softmax(s_)", "unmasked * mask / row_sum(unmasked * mask)")),
    ),
    Mistake(
        "softmax-base-2", "softmax", _SOFTMAX,
        "It looks as if you used powers of 2 instead of powers of e.",
        "The softmax uses e = 2.71828...",
        (("softmax(s_)", "softmax(s_, base=2)"),),
    ),
    Mistake(
        "softmax-base-10", "softmax", _SOFTMAX,
        "It looks as if you used powers of 10 instead of powers of e.",
        "The softmax uses e = 2.71828...",
        (("softmax(s_)", "softmax(s_, base=10)"),),
    ),
    Mistake(
        "softmax-not-divided", "softmax", _SOFTMAX,
        "It looks as if you did not divide the exponentials by their sum.",
        "Divide each exponential by the sum of its row.",
        (("softmax(s_)", "exp(s_)"),),
    ),
    Mistake(
        "softmax-twice", "softmax", _SOFTMAX,
        "It looks as if you applied the softmax twice.",
        "Apply it once: a second softmax makes the weights more equal, although each row still sums to 1.",
        (("softmax(s_)", "softmax(softmax(s_))"), ("softmax(S_masked)", "softmax(keep(softmax(S_masked), mask))")),
        MEDIUM,
    ),
    Mistake(
        "softmax-all-to-the-largest", "softmax", _SOFTMAX,
        "It looks as if you gave all the weight to the largest score of each row.",
        "The softmax gives every key that is not masked a positive weight: calculate the exponentials.",
        (("softmax(s_)", "top_k(s_, 1)"),),
    ),
    Mistake(
        "softmax-of-negatives", "softmax", _SOFTMAX,
        "It looks as if you used e to the power of minus the score.",
        "Larger scores get larger weights: use e to the power of the score itself.",
        # masked scores remain masked
        (("softmax(s_)", "softmax(-s_)"), ("softmax(keep(s_, m_))", "softmax(keep(-s_, m_))")),
    ),
    Mistake(
        "sigmoid-for-softmax", "softmax", _SOFTMAX,
        "It looks as if you applied a sigmoid to each score.",
        "The softmax divides each exponential by the sum of its row, so that the weights sum to 1.",
        (("softmax(s_)", "sigmoid(s_)"),),
    ),
    Mistake(
        "softmax-of-unscaled", "scale", ("A",),
        "It looks as if you took the softmax of the scores before dividing them by the scale.",
        "Scale the scores, and mask them if there is a mask, before you take the softmax.",
        (("softmax(s_)", "softmax(unscaled)"), ("softmax(s_)", "softmax(keep(unscaled, mask))")), MEDIUM,
        "the scale is 1",
    ),
    # -- output --------------------------------------------------------------------------------------------------------
    Mistake(
        "weights-transposed-in-output", "output", ("Z",),
        "It looks as if you transposed the weights: Aᵀ · V.",
        "Each row of A mixes the rows of V: A · V.",
        (("a_ @ V", "a_.T @ V"),), MEDIUM, "A is symmetric",
    ),
    Mistake(
        "output-reversed", "output", ("Z",),
        "It looks as if you multiplied in the reverse order: V · A.",
        "Multiply in this order: A · V.",
        (("a_ @ V", "V @ a_"),),
    ),
    Mistake(
        "output-of-keys", "output", ("Z",),
        "It looks as if you applied the weights to the keys instead of the values.",
        "The output is a weighted sum of the values: A · V.",
        (("a_ @ V", "a_ @ K"),), same="K equals V",
    ),
    Mistake(
        "output-of-tokens", "output", ("Z",),
        "It looks as if you applied the weights to the tokens themselves.",
        "The output is a weighted sum of the values: A · V.",
        (("a_ @ V", "a_ @ memory"),), same="V equals X",
    ),
    Mistake(
        "values-averaged", "output", ("Z",),
        "It looks as if you gave every token the same weight: the mean of the rows of V.",
        "Each row of the output is the sum of the rows of V, weighted by a row of A: A · V.",
        (("a_ @ V", "ones(rows(a_), cols(a_)) / rows(V) @ V"), ("a_ @ V", "mask / row_sum(mask) @ V")),
        same="all weights are equal",
    ),
    Mistake(
        "values-in-reverse", "output", ("Z",),
        "It looks as if you took the rows of V in reverse order.",
        "Column j of the weights A belongs to row j of V, counted from the top.",
        (("a_ @ V", "a_ @ V[::-1]"),), same="the rows of V are the same in reverse order",
    ),
    Mistake(
        "output-of-scores", "output", ("Z",),
        "It looks as if you used the scores instead of the weights.",
        "The output uses the weights, which are the result of the softmax: A · V.",
        (("a_ @ V", "S_scaled @ V"), ("a_ @ V", "S @ V")),
    ),
)  # fmt: skip
