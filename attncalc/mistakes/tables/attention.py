"""Mistakes in projections, scores, scale, mask, softmax and output of an attention head."""

from collections.abc import Iterator

from ...formula.tree import Binary, Index, Transpose, Tree, rewrite
from ..catalogue import HIGH, MEDIUM, Mistake
from ..site import Site

_PROJECTIONS = ("Q", "K", "V")
_SOFTMAX = ("A", "P")



def _block_transposed(site: Site) -> Iterator[Tree]:
    """A head's block of columns (of rows, where tokens are columns) taken out of the transposed weight matrix: X · Wᵀ[:, 0:2]."""

    def turned(part: Tree) -> Tree | None:
        if isinstance(part, Binary) and part.operator == "@" and isinstance(block := part.left if site.columns else part.right, Index):
            other = Index(Transpose(block.operand), block.rows, block.columns)
            return Binary("@", other, part.right) if site.columns else Binary("@", part.left, other)
        return None

    yield rewrite(site.step.tree, turned)


MISTAKES = (
    # -- projections ----------------------------------------------------------------------------------------------------
    Mistake(
        "weights-transposed", "projection", _PROJECTIONS,
        "The weight matrix seems to have been transposed: X · Wᵀ.",
        "Multiply by W as it stands: each token's row times each column of W.",
        (("x_ @ w_", "x_ @ w_.T"),), MEDIUM, "W is symmetric", _block_transposed,
    ),
    Mistake(
        "product-reversed", "projection", _PROJECTIONS,
        "The product seems to have been taken in the other order: W · X.",
        "Tokens are rows here, so the tokens come first: X · W.",
        (("x_ @ w_", "w_ @ x_"),), same="X and W commute",
    ),
    Mistake(
        "query-key-swapped", "projection", ("Q", "K"),
        "The matrices of queries and keys seem to have been exchanged.",
        "Queries are made with W_Q, keys with W_K.",
        (("x_ @ w_", "Q_instead"),), MEDIUM, "W_Q equals W_K",
    ),
    Mistake(
        "key-value-swapped", "projection", ("K", "V"),
        "The matrices of keys and values seem to have been exchanged.",
        "Keys are made with W_K, values with W_V.",
        (("x_ @ w_", "V_instead"),), MEDIUM, "W_K equals W_V",
    ),
    Mistake(
        "values-not-projected", "projection", ("V",),
        "The tokens themselves seem to have been taken as values.",
        "Values are projected too: V = X · W_V.",
        (("x_ @ w_", "x_"),), same="W_V is the identity",
    ),
    Mistake(
        "bias-forgotten", "projection", (*_PROJECTIONS, "Z", "hidden", "gate", "Y", "logits"),
        "The bias seems to have been forgotten.",
        "Add the bias to every row after the product.",
        (("x_ @ w_ + b_", "x_ @ w_"),), same="the bias is 0",
    ),
    Mistake(
        "positions-forgotten", "projection", (*_PROJECTIONS, "X_pe"),
        "The positions seem to have been forgotten: the tokens were used without them.",
        "Add the position table to the tokens first.",
        (("x_ @ w_", "X_plain @ w_"), ("x_ + p_", "x_")),
    ),
    Mistake(
        "cross-queries-from-encoder", "cross", ("Q",),
        "The queries seem to have been made from the sequence that answers.",
        "In cross-attention the asking sequence makes the queries; only keys and values come from the other one.",
        (("x_ @ w_", "memory @ w_"),), HIGH,
    ),
    Mistake(
        "cross-keys-from-decoder", "cross", ("K", "V"),
        "The keys or values seem to have been made from the sequence that asks.",
        "In cross-attention keys and values come from the sequence that answers.",
        (("x_ @ w_", "X @ w_"),), MEDIUM,
    ),
    # -- scores -----------------------------------------------------------------------------------------------------------
    Mistake(
        "scores-transposed", "scores", ("S",),
        "The scores seem to be those of K · Qᵀ.",
        "Rows belong to queries, columns to keys: Q · Kᵀ.",
        (("q_ @ k_.T", "k_ @ q_.T"),), MEDIUM, "the scores are symmetric",
    ),
    Mistake(
        "keys-not-transposed", "scores", ("S",),
        "The keys seem not to have been transposed: Q · K.",
        "A score is a query's row times a key's row, so K is transposed: Q · Kᵀ.",
        (("q_ @ k_.T", "q_ @ k_"),), HIGH, "K is symmetric",
    ),
    Mistake(
        "scores-of-features", "scores", ("S",),
        "The scores seem to be those of Qᵀ · K, features against features.",
        "Every query meets every key: Q · Kᵀ, one row a query and one column a key.",
        (("q_ @ k_.T", "q_.T @ k_"),),
    ),
    Mistake(
        "scores-entry-by-entry", "scores", ("S",),
        "Q and K seem to have been multiplied entry by entry.",
        "A score is a whole row of Q times a whole row of K, added up.",
        (("q_ @ k_.T", "q_ * k_"), ("q_ @ k_.T", "q_ * k_.T")), MEDIUM,
    ),
    Mistake(
        "scores-queries-only", "scores", ("S",),
        "The queries seem to have been multiplied with themselves: Q · Qᵀ.",
        "Each query meets the keys: Q · Kᵀ.",
        (("q_ @ k_.T", "q_ @ q_.T"),), same="Q equals K",
    ),
    Mistake(
        "scores-keys-only", "scores", ("S",),
        "The keys seem to have been multiplied with themselves: K · Kᵀ.",
        "Each key is met by the queries: Q · Kᵀ.",
        (("q_ @ k_.T", "k_ @ k_.T"),), same="Q equals K",
    ),
    Mistake(
        "scores-of-tokens", "scores", ("S",),
        "The scores seem to have been taken from the tokens themselves: X · Xᵀ.",
        "Scores compare the projected tokens: Q · Kᵀ.",
        (("q_ @ k_.T", "X @ memory.T"),),
    ),
    Mistake(
        "scores-with-values", "scores", ("S",),
        "The queries seem to have been multiplied with the values: Q · Vᵀ.",
        "Scores compare queries with keys: Q · Kᵀ.",
        (("q_ @ k_.T", "q_ @ V.T"),), same="K equals V",
    ),
    # -- scale ------------------------------------------------------------------------------------------------------------
    Mistake(
        "scale-forgotten", "scale", ("S_scaled",),
        "The scores seem not to have been divided at all.",
        "Divide every score by √d_k before the softmax.",
        (("s_ / c_", "s_"),), HIGH, "d_k = 1",
    ),
    Mistake(
        "scale-without-root", "scale", ("S_scaled",),
        "The scores seem to have been divided by d_k itself (or twice by its root).",
        "Divide once, by the square root: √d_k.",
        (("s_ / sqrt(d_)", "s_ / d_"),), MEDIUM, "d_k = 1",
    ),
    Mistake(
        "scale-by-root-d-model", "scale", ("S_scaled",),
        "The scores seem to have been divided by √d_model.",
        "What counts is the width of one head's keys: √d_k.",
        (("s_ / sqrt(d_)", "s_ / sqrt(cols(X))"),), HIGH, "there is one head and d_k equals d_model",
    ),
    Mistake(
        "scale-multiplied", "scale", ("S_scaled",),
        "The scores seem to have been multiplied by the scale.",
        "Divide by √d_k; it keeps the scores small.",
        (("s_ / c_", "s_ * c_"),), MEDIUM, "d_k = 1",
    ),
    Mistake(
        "scale-by-root-n", "scale", ("S_scaled",),
        "The scores seem to have been divided by the root of the number of tokens.",
        "What counts is the width of the keys: √d_k.",
        (("s_ / sqrt(d_)", "s_ / sqrt(rows(K))"),), same="there are as many tokens as features in a key",
    ),
    Mistake(
        "scale-after-softmax", "scale", ("A",),
        "The scale seems to have been applied to the weights, after the softmax.",
        "Divide the scores before the softmax; the weights of a row then sum to 1.",
        (("softmax(s_)", "softmax(unscaled) / divisor"), ("softmax(s_)", "softmax(keep(unscaled, mask)) / divisor")), same="d_k = 1",
    ),
    # -- mask -------------------------------------------------------------------------------------------------------------
    Mistake(
        "mask-forgotten", "mask", ("S_masked",),
        "The mask seems to have been forgotten.",
        "Put −∞ where a query may not look, before the softmax.",
        (("keep(s_, m_)", "s_"),), HIGH,
    ),
    Mistake(
        "mask-diagonal-too", "mask", ("S_masked",),
        "The diagonal seems to have been masked too.",
        "Each token sees itself: only what comes after it is hidden.",
        (("keep(s_, causal(n_, m_))", "keep(s_, causal_strict(n_, m_))"),), HIGH,
    ),
    Mistake(
        "mask-one-future-token", "mask", ("S_masked",),
        "Each token seems to see one token after it.",
        "A token sees itself and what stands before it, nothing later.",
        (("keep(s_, causal(n_, m_))", "keep(s_, causal(n_, m_, offset=1))"),), MEDIUM,
    ),
    Mistake(
        "mask-inverted", "mask", ("S_masked",),
        "The mask seems to hide what it should show, and to show the rest.",
        "1 means: may look. Hide the zeros of the mask, here what comes later.",
        (("keep(s_, m_)", "keep(s_, 1 - m_)"),), HIGH,
    ),
    Mistake(
        "mask-filled-with-zero", "mask", ("S_masked",),
        "Masked scores seem to have been set to 0 instead of −∞.",
        "e⁰ is 1, so a score of 0 still gets weight; −∞ gets none.",
        (("keep(s_, m_)", "keep(s_, m_, fill=0)"),), HIGH,
    ),
    Mistake(
        "mask-plus-infinity", "mask", ("S_masked",),
        "Masked scores seem to have been set to +∞.",
        "Hidden scores become −∞, whose exponential is 0.",
        (("keep(s_, m_)", "keep(s_, m_, fill=inf)"),), MEDIUM,
    ),
    Mistake(
        "mask-hides-zeros", "mask", ("S_masked",),
        "Scores that are truly 0 seem to have been masked as well.",
        "A score of 0 is a score like any other; only the mask decides what is hidden.",
        (("keep(s_, m_)", "keep(s_, m_ * s_)"),), MEDIUM, "no score is 0",
    ),
    Mistake(
        "mask-transposed", "mask", ("S_masked",),
        "The mask seems to have been applied to queries instead of keys.",
        "A row of the mask says what one query may see; hidden keys are columns.",
        (("keep(s_, m_)", "keep(s_, m_.T)"),), MEDIUM, "the mask is symmetric",
    ),
    Mistake(
        "mask-after-softmax", "mask", ("A",),
        "The weights seem to have been set to 0 after the softmax, without making the rows sum to 1 again.",
        "Mask the scores before the softmax, or divide each row by what is left.",
        (("softmax(s_)", "softmax(unmasked) * mask"),), HIGH,
    ),
    Mistake(
        "mask-ignored-by-weights", "mask", ("A",),
        "The weights seem to have been worked out from the scores before the mask.",
        "Take the softmax of the masked scores.",
        (("softmax(s_)", "softmax(unmasked)"),), MEDIUM,
    ),
    Mistake(
        "mask-where-none-belongs", "mask", ("A",),
        "A causal mask seems to have been applied, although every query may see every key here.",
        "Leave all scores in; nothing is hidden in this problem.",
        (("softmax(s_)", "softmax(keep(s_, causal(rows(s_), cols(s_))))"),), MEDIUM,
    ),
    # -- softmax ----------------------------------------------------------------------------------------------------------
    Mistake(
        "softmax-over-columns", "softmax", _SOFTMAX,
        "The softmax seems to have been taken down the columns.",
        "Each query's weights sum to 1: take the softmax along the row.",
        (("softmax(s_)", "softmax_cols(s_)"),), HIGH,
    ),
    Mistake(
        "softmax-over-everything", "softmax", _SOFTMAX,
        "The softmax seems to have been taken over the whole matrix.",
        "Each row is a softmax of its own and sums to 1.",
        (("softmax(s_)", "softmax_all(s_)"),), MEDIUM,
    ),
    Mistake(
        "softmax-without-exponential", "softmax", _SOFTMAX,
        "The scores seem to have been divided by their sum, without exponentials.",
        "Take e to the power of each score first, then divide by the sum of these.",
        (("softmax(s_)", "s_ / row_sum(s_)"), ("softmax(s_)", "unmasked * mask / row_sum(unmasked * mask)")),
    ),
    Mistake(
        "softmax-base-2", "softmax", _SOFTMAX,
        "Powers of 2 seem to have been taken instead of powers of e.",
        "The softmax uses e = 2.71828...",
        (("softmax(s_)", "softmax(s_, base=2)"),),
    ),
    Mistake(
        "softmax-base-10", "softmax", _SOFTMAX,
        "Powers of 10 seem to have been taken instead of powers of e.",
        "The softmax uses e = 2.71828...",
        (("softmax(s_)", "softmax(s_, base=10)"),),
    ),
    Mistake(
        "softmax-not-divided", "softmax", _SOFTMAX,
        "The exponentials seem not to have been divided by their sum.",
        "Divide each exponential by the sum of its row.",
        (("softmax(s_)", "exp(s_)"),),
    ),
    Mistake(
        "softmax-twice", "softmax", _SOFTMAX,
        "The softmax seems to have been applied twice.",
        "Once is enough; weights that sum to 1 are finished.",
        (("softmax(s_)", "softmax(softmax(s_))"),), MEDIUM,
    ),
    Mistake(
        "softmax-all-to-the-largest", "softmax", _SOFTMAX,
        "The largest score of each row seems to have got all the weight.",
        "The softmax gives every score a share; work out the exponentials.",
        (("softmax(s_)", "top_k(s_, 1)"),),
    ),
    Mistake(
        "softmax-of-negatives", "softmax", _SOFTMAX,
        "The sign of the scores seems to have been turned round in the exponentials.",
        "Large scores get large weights: e to the power of the score itself.",
        (("softmax(s_)", "softmax(-s_)"),),
    ),
    Mistake(
        "sigmoid-for-softmax", "softmax", _SOFTMAX,
        "A sigmoid seems to have been taken of each score.",
        "The softmax divides by the sum of the whole row, so that the weights sum to 1.",
        (("softmax(s_)", "sigmoid(s_)"),),
    ),
    Mistake(
        "softmax-of-unscaled", "scale", ("A",),
        "The weights seem to have been worked out from the scores before the scale.",
        "Take the softmax of the scaled scores.",
        (("softmax(s_)", "softmax(unscaled)"), ("softmax(s_)", "softmax(keep(unscaled, mask))")), MEDIUM, "d_k = 1",
    ),
    # -- output -----------------------------------------------------------------------------------------------------------
    Mistake(
        "weights-transposed-in-output", "output", ("Z",),
        "The weights seem to have been transposed: Aᵀ · V.",
        "Each row of A mixes the rows of V: A · V.",
        (("a_ @ V", "a_.T @ V"),), MEDIUM, "A is symmetric",
    ),
    Mistake(
        "output-reversed", "output", ("Z",),
        "The product seems to have been taken in the other order: V · A.",
        "The weights come first: A · V.",
        (("a_ @ V", "V @ a_"),),
    ),
    Mistake(
        "output-of-keys", "output", ("Z",),
        "The weights seem to have been applied to the keys.",
        "The output mixes the values: A · V.",
        (("a_ @ V", "a_ @ K"),), same="K equals V",
    ),
    Mistake(
        "output-of-tokens", "output", ("Z",),
        "The weights seem to have been applied to the tokens themselves.",
        "The output mixes the values: A · V.",
        (("a_ @ V", "a_ @ memory"),), same="V equals X",
    ),
    Mistake(
        "output-of-scores", "output", ("Z",),
        "The scores seem to have been used in place of the weights.",
        "The output is made with the weights, after the softmax: A · V.",
        (("a_ @ V", "S_scaled @ V"), ("a_ @ V", "S @ V")),
    ),
)  # fmt: skip
