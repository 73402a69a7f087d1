"""Mistakes in splitting, joining and mixing heads."""

from collections.abc import Iterator

from ...formula.tree import Binary, Call, Index, Number, Slice, Tree
from ..catalogue import HIGH, Mistake
from ..site import Site

_MOST_ENTRIES = 256


def _heads(site: Site) -> tuple[Tree, ...]:
    """The heads that are joined: Z_1, Z_2, ..."""
    tree = site.step.tree
    joined = isinstance(tree, Call) and tree.function == ("vstack" if site.columns else "hstack")
    return tree.arguments if joined and isinstance(tree, Call) else ()


def _entry(matrix: Tree, i: int, j: int) -> Tree:
    return Index(matrix, Number(str(i)), Number(str(j)))


def _grid(entries: list[list[Tree]]) -> Tree:
    return Call("vstack", tuple(Call("hstack", tuple(row)) for row in entries))


def _reversed(site: Site) -> Iterator[Tree]:
    tree = site.step.tree
    if len(_heads(site)) > 1 and isinstance(tree, Call):
        yield Call(tree.function, tree.arguments[::-1])


def _interleaved(site: Site) -> Iterator[Tree]:
    """Feature 1 of each head, then feature 2 of each head."""
    heads = _heads(site)
    if len(heads) < 2:
        return
    width = site.step.shape[0 if site.columns else 1] // len(heads)
    blocks = [(head, Slice(Number(str(j)), Number(str(j + 1)))) for j in range(width) for head in heads]
    whole = Slice(None, None)
    if site.columns:
        yield Call("vstack", tuple(Index(head, block, whole) for head, block in blocks))
    else:
        yield Call("hstack", tuple(Index(head, whole, block) for head, block in blocks))


def _merged(site: Site) -> Iterator[Tree]:
    """(heads, n, d) read row after row as (n, heads · d): the axes were never exchanged."""
    heads, (n, width) = _heads(site), site.step.shape
    if len(heads) < 2 or site.columns or n * width > _MOST_ENTRIES:
        return
    d = width // len(heads)
    flat = [_entry(head, i, j) for head in heads for i in range(n) for j in range(d)]
    yield _grid([flat[i * width : (i + 1) * width] for i in range(n)])


def _reshaped(site: Site) -> Iterator[Tree]:
    """(n, heads · d) read row after row as (heads, n, d)."""
    tree = site.step.tree
    product = tree if isinstance(tree, Binary) and tree.operator == "@" else None
    if product is None or site.columns or not isinstance(product.right, Index) or not site.head[1:].isdigit():
        return
    weights, (n, d) = product.right.operand, site.step.shape
    full = site.node_of(weights)
    if full is None or n * d > _MOST_ENTRIES:
        return
    width, first = full.shape[1], (int(site.head[1:]) - 1) * n * d
    whole = Binary("@", product.left, weights)
    places = [divmod(first + k, width) for k in range(n * d)]
    if places[-1][0] < n:
        flat = [_entry(whole, i, j) for i, j in places]
        yield _grid([flat[i * d : (i + 1) * d] for i in range(n)])


MISTAKES = (
    Mistake(
        "heads-reshaped", "heads", ("Q", "K", "V"),
        "It looks as if you split the matrix into heads row by row, as a reshape without a transpose does.",
        "Each head takes a block of columns of every token: the first d_k columns are head 1.",
        (), HIGH, "there is one head", _reshaped,
    ),
    Mistake(
        "heads-merged-without-transpose", "heads", ("H",),
        "It looks as if you merged the heads row by row, as a reshape without a transpose does.",
        "Write the heads side by side: each token's row holds its row of head 1, then of head 2.",
        (), HIGH, "there is one head", _merged,
    ),
    Mistake(
        "heads-interleaved", "heads", ("H",),
        "It looks as if you interleaved the columns of the heads.",
        "Write the heads side by side: first all columns of head 1, then all columns of head 2.",
        (), same="each head has one feature", build=_interleaved,
    ),
    Mistake(
        "heads-in-wrong-order", "heads", ("H",),
        "It looks as if you concatenated the heads in a different order.",
        "Concatenate them in order: head 1, head 2, and so on.",
        (), build=_reversed,
    ),
    Mistake(
        "output-projection-forgotten", "heads", ("Z",),
        "It looks as if you did not multiply the concatenated heads by W_O.",
        "The last step combines the heads: H · W_O.",
        (("H @ w_", "H"),), HIGH, "W_O is the identity",
    ),
    Mistake(
        "output-projection-transposed", "heads", ("Z",),
        "It looks as if you transposed W_O.",
        "Multiply by W_O as it stands: H · W_O.",
        (("H @ w_", "H @ w_.T"),), same="W_O is symmetric",
    ),
)  # fmt: skip

