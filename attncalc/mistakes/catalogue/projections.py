"""Mistakes in the projections of an attention head: queries, keys and values."""

from collections.abc import Iterator

from ...formula.syntax_tree import Binary, Index, Transpose, Tree, rewrite
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis

_PROJECTIONS = ("Q", "K", "V")
_PRODUCTS = (*_PROJECTIONS, "projection")


def _block_transposed(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the product with a head's block of the transposed weights: X · Wᵀ[:, 0:2] (rows, if tokens are columns)."""

    def transpose_weights(tree: Tree) -> Tree | None:
        if (
            isinstance(tree, Binary)
            and tree.operator == "@"
            and isinstance(block := tree.left if site.columns else tree.right, Index)
        ):
            other = Index(Transpose(block.operand), block.rows, block.columns)
            return Binary("@", other, tree.right) if site.columns else Binary("@", tree.left, other)
        return None

    yield rewrite(part.spot.tree, transpose_weights)


def _block_of_tokens(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield a head's block of columns of the tokens: X[:, 0:2] for X · W[:, 0:2]."""
    product = part.spot.tree
    while isinstance(product, Binary) and product.operator == "+":  # skips a bias
        product = product.left
    if isinstance(product, Binary) and product.operator == "@":
        tokens, weights = (product.right, product.left) if site.columns else (product.left, product.right)
        if isinstance(weights, Index):
            yield Index(tokens, weights.rows, weights.columns)


MISTAKES = (
    Mistake(
        "weights-transposed", "projection", (*_PRODUCTS, "hidden", "gate", "Y", "logits"),
        "It looks as if you multiplied by the transposed weight matrix: X · Wᵀ.",
        "Multiply each token's row by each column of W, not by each row of W.",
        (("x_ @ given_", "x_ @ given_.T"),), MEDIUM, "W is symmetric", _block_transposed,
    ),
    Mistake(
        "product-reversed", "projection", _PRODUCTS,
        "It looks as if you multiplied in the reverse order: W · X.",
        "Tokens are rows here: X · W.",
        (("x_ @ w_", "w_ @ x_"),), same="X and W commute",
    ),
    Mistake(
        "query-key-swapped", "projection", ("Q", "K"),
        "It looks as if you used the wrong weight matrix: W_K for the queries, or W_Q for the keys.",
        "Queries are made with W_Q, keys with W_K.",
        (
            ("x_ @ w_", "x_ @ W_K"), ("x_ @ w_", "x_ @ W_Q"), ("x_ @ w_ + b_", "x_ @ W_K + b_K"),
            ("x_ @ w_ + b_", "x_ @ W_Q + b_Q"),
            ("x_ @ w_", "memory @ W_K"), ("x_ @ w_", "X @ W_Q"), ("x_ @ w_ + b_", "memory @ W_K + b_K"),
            ("x_ @ w_ + b_", "X @ W_Q + b_Q"),
        ), MEDIUM, "W_Q equals W_K",
    ),
    Mistake(
        "key-value-swapped", "projection", ("K", "V"),
        "It looks as if you used the wrong weight matrix: W_V for the keys, or W_K for the values.",
        "Keys are made with W_K, values with W_V.",
        (
            ("x_ @ w_", "x_ @ W_V"), ("x_ @ w_", "x_ @ W_K"), ("x_ @ w_ + b_", "x_ @ W_V + b_V"),
            ("x_ @ w_ + b_", "x_ @ W_K + b_K"),
        ), MEDIUM, "W_K equals W_V",
    ),
    Mistake(
        "values-not-projected", "projection", ("V",),
        "It looks as if you used the tokens X themselves as values.",
        "Values are projected too: V = X · W_V.",
        (("x_ @ w_", "x_"),), same="W_V is the identity", build=_block_of_tokens,
    ),
    Mistake(
        "bias-forgotten", "projection", (*_PRODUCTS, "Z", "hidden", "gate", "Y", "logits"),
        "It looks as if you left out the bias.",
        "Add the bias to every row of the product.",
        (("x_ @ w_ + b_any_", "x_ @ w_"),), same="the bias is 0",
    ),
    Mistake(
        "bias-subtracted", "projection", (*_PRODUCTS, "Z", "hidden", "gate", "Y", "logits"),
        "It looks as if you subtracted the bias.",
        "Add the bias to every row of the product.",
        (("x_ @ w_ + b_any_", "x_ @ w_ - b_any_"),), same="the bias is 0",
    ),
    Mistake(
        "positions-forgotten", "projection", (*_PROJECTIONS, "X_pe"),
        "It looks as if you left out the positions and used the tokens without them.",
        "Add the position table to the tokens before you project them.",
        (("x_ @ w_", "X_plain @ w_"), ("X_plain + p_", "X_plain")),
    ),
    Mistake(
        "cache-new-first", "projection", ("joined",),
        "It looks as if you put the new row before the cached ones.",
        "Append the new key or value: it comes after the cached rows.",
        (("vstack(a_, b_)", "vstack(b_, a_)"),), MEDIUM,
    ),
    Mistake(
        "cross-queries-from-encoder", "cross", ("Q",),
        "It looks as if you computed the queries from the memory (encoder) sequence.",
        "In cross-attention the queries come from X; only keys and values come from the memory (encoder) sequence.",
        (("x_ @ w_", "memory @ w_"),), HIGH,
    ),
    Mistake(
        "cross-keys-from-decoder", "cross", ("K", "V"),
        "It looks as if you computed the keys or values from X, the sequence of the queries.",
        "In cross-attention the keys and values come from the memory (encoder) sequence.",
        (("x_ @ w_", "X @ w_"),), MEDIUM,
    ),
)  # fmt: skip
