"""Mistakes in splitting, concatenating and mixing heads."""

from collections.abc import Callable, Iterator

from ...formula.syntax_tree import Binary, Call, Index, Name, Number, Slice, Transpose, Tree, rewrite
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.matcher import Bindings
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis
from ..tree_rewriting import TreePath

_MOST_ENTRIES = 256


def _heads(site: StepAnalysis, part: RoleMatch) -> tuple[Tree, ...]:
    """Return the concatenated heads: Z_1, Z_2, ..."""
    tree = part.spot.tree
    joined = isinstance(tree, Call) and tree.function == ("vstack" if site.columns else "hstack")
    return tree.arguments if joined and isinstance(tree, Call) else ()


def _shape(site: StepAnalysis, part: RoleMatch) -> tuple[int, int]:
    node = site.node_of(part.spot.tree)
    return node.shape if node else (1, 1)


def _first_column(block: Index) -> int | None:
    """Return the first column of a block, which identifies its head."""
    span = block.columns
    return int(span.start.value) if isinstance(span, Slice) and isinstance(span.start, Number) else None


def _entry(matrix: Tree, i: int, j: int) -> Tree:
    return Index(matrix, Number(str(i)), Number(str(j)))


def _grid(entries: list[list[Tree]]) -> Tree:
    return Call("vstack", tuple(Call("hstack", tuple(row)) for row in entries))


def _reversed(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    tree = part.spot.tree
    if len(_heads(site, part)) > 1 and isinstance(tree, Call):
        yield Call(tree.function, tree.arguments[::-1])


def _interleaved(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the heads with interleaved features: feature 1 of each head, then feature 2 of each head."""
    heads = _heads(site, part)
    if len(heads) < 2:
        return
    width = _shape(site, part)[0 if site.columns else 1] // len(heads)
    blocks = [(head, Slice(Number(str(j)), Number(str(j + 1)))) for j in range(width) for head in heads]
    full_slice = Slice(None, None)
    if site.columns:
        yield Call("vstack", tuple(Index(head, block, full_slice) for head, block in blocks))
    else:
        yield Call("hstack", tuple(Index(head, full_slice, block) for head, block in blocks))


def _in_turn(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the heads, or the block of a head in weights and biases, with the columns of all heads interleaved."""
    if part.role == "H":
        yield from _interleaved(site, part)
        return
    dealt = rewrite(part.spot.tree, lambda node: _strided_block(site, node) if isinstance(node, Index) else None)
    if dealt != part.spot.tree:
        yield dealt


def _strided_block(site: StepAnalysis, block: Index) -> Tree | None:
    """Return every h-th column instead of the adjacent columns of a head, where h is the number of heads (rows, if
    tokens are columns).
    """
    span, full = block.rows if site.columns else block.columns, site.node_of(block.operand)
    if not (full and isinstance(span, Slice) and isinstance(span.start, Number) and isinstance(span.stop, Number)):
        return None
    first, last, width = int(span.start.value), int(span.stop.value), full.shape[0 if site.columns else 1]
    size = last - first
    if size < 2 or first % size or width % size or width == size:
        return None
    places = [Slice(Number(str(k)), Number(str(k + 1))) for k in range(first // size, width, width // size)]
    columns = (
        Index(block.operand, place, block.columns) if site.columns else Index(block.operand, block.rows, place)
        for place in places
    )
    return Call("vstack" if site.columns else "hstack", tuple(columns))


def _merged(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the heads reshaped row by row from (heads, n, d) to (n, heads · d), without the exchange of axes before
    it.
    """
    heads, (n, width) = _heads(site, part), _shape(site, part)
    if len(heads) < 2 or site.columns or n * width > _MOST_ENTRIES:
        return
    d = width // len(heads)
    flat = [_entry(head, i, j) for head in heads for i in range(n) for j in range(d)]
    yield _grid([flat[i * width : (i + 1) * width] for i in range(n)])


def _reshaped(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the block of a head in the product that is reshaped row by row from (n, heads · d) to (heads, n, d)."""
    tree = part.spot.tree
    product = tree if isinstance(tree, Binary) and tree.operator == "@" else None
    if product is None or site.columns or not isinstance(product.right, Index):
        return
    weights, (n, d) = product.right.operand, _shape(site, part)
    full, first = site.node_of(weights), _first_column(product.right)
    if full is None or first is None or n * d > _MOST_ENTRIES:
        return
    width, first = full.shape[1], first // d * n * d
    whole = Binary("@", product.left, weights)
    places = [divmod(first + k, width) for k in range(n * d)]
    if places[-1][0] < n:
        flat = [_entry(whole, i, j) for i, j in places]
        yield _grid([flat[i * d : (i + 1) * d] for i in range(n)])


def _of_head_1(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the formula with the weights of the first head instead of the weights of this head."""
    return _of_heads(site, part, lambda head: head == 0)


def _of_another_head(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield, for each other head except the first, the formula with the weights of that head."""
    return _of_heads(site, part, lambda head: head > 0)


def _of_heads(site: StepAnalysis, part: RoleMatch, wanted: Callable[[int], bool]) -> Iterator[Tree]:
    """Yield, for each wanted head, the formula with that head's block of columns (rows, if tokens are columns)."""
    tree = part.spot.tree
    while isinstance(tree, Binary) and tree.operator == "+":
        tree = tree.left
    block = (tree.left if site.columns else tree.right) if isinstance(tree, Binary) and tree.operator == "@" else None
    span = (block.rows if site.columns else block.columns) if isinstance(block, Index) else None
    full = site.node_of(block.operand) if isinstance(block, Index) else None
    if not (
        full
        and isinstance(block, Index)
        and isinstance(span, Slice)
        and isinstance(span.start, Number)
        and isinstance(span.stop, Number)
    ):
        return
    first, size = int(span.start.value), int(span.stop.value - span.start.value)
    for head in range(full.shape[0 if site.columns else 1] // size):
        if head * size != first and wanted(head):
            places = Slice(Number(str(head * size)), Number(str((head + 1) * size)))
            other = (
                Index(block.operand, places, block.columns)
                if site.columns
                else Index(block.operand, block.rows, places)
            )
            yield _with_block(part.spot.tree, block, other)


def _with_block(tree: Tree, block: Index, other: Index) -> Tree:
    return rewrite(tree, lambda node: other if node == block else None)


def _keys_in_turn(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the product with the key/value heads in cyclic order: head 2 uses the second, although heads 1 and 2 share
    the first.
    """
    heads, name = _sibling_heads(site, part), "K" if part.role == "S" else "V"
    shared = [site.recogniser.dereference(names[name]) for names in heads if name in names]
    kinds = list({spot.key: spot for spot in shared}.values())
    if len(shared) != len(heads) or not 1 < len(kinds) < len(heads):
        return
    mine = next(k for k, names in enumerate(heads) if names is part.names)
    other, tree = kinds[mine % len(kinds)], part.spot.tree
    wrong = site.recogniser.names.translate(
        TreePath(other.step, (), Name(other.step.name)) if not other.path else other, site.step.part
    )
    if other.key == shared[mine].key or wrong is None or not isinstance(tree, Binary):
        return
    wrong = Transpose(wrong) if name == "K" else wrong
    yield Binary("@", wrong, tree.right) if site.columns else Binary("@", tree.left, wrong)


def _sibling_heads(site: StepAnalysis, part: RoleMatch) -> list[Bindings]:
    """Return the bindings of this head and of the heads that are concatenated with it, in order. Return an empty list
    if this head is not concatenated.
    """
    roles = site.recogniser.parts
    for joined in (candidate for parts in roles.values() for candidate in parts if candidate.role == "H"):
        spots = [site.recogniser.dereference(spot) for spot in joined.spot.children()]
        heads = [
            candidate.names
            for spot in spots
            for candidate in roles[spot.step.key]
            if candidate.role == "Z" and candidate.spot.path == spot.path
        ]
        if len(heads) == len(spots) and any(names is part.names for names in heads):
            return heads
    return []


MISTAKES = (
    Mistake(
        "key-heads-in-turn", "heads", ("S", "Z"),
        "It looks as if you assigned the key/value heads to the query heads in turn.",
        "Neighbouring query heads share a key/value head: with 4 query heads and 2 key/value heads, query heads 1 "
        "and 2 share key/value head 1.",
        (), MEDIUM, "there is one key/value head", _keys_in_turn,
    ),
    Mistake(
        "heads-reshaped", "heads", ("Q", "K", "V"),
        "It looks as if you split the matrix into heads row by row, as a reshape without a transpose does.",
        "Each head has its own block of columns. With k columns per head, columns 1 to k belong to head 1.",
        (), HIGH, "there is one head", _reshaped,
    ),
    Mistake(
        "weights-of-head-1", "heads", ("Q", "K", "V"),
        "It looks as if you used the weights of head 1 for this head too.",
        "Each head has its own block of columns. With k columns per head, columns k + 1 to 2 k belong to head 2.",
        (), same="there is one head", build=_of_head_1,
    ),
    Mistake(
        "weights-of-another-head", "heads", ("Q", "K", "V"),
        "It looks as if you used the weights of a different head.",
        "Each head has its own block of columns. With k columns per head, columns 1 to k belong to head 1, and "
        "columns k + 1 to 2 k to head 2.",
        (), same="there is one head", build=_of_another_head,
    ),
    Mistake(
        "heads-merged-without-transpose", "heads", ("H",),
        "It looks as if you concatenated the heads row by row, as a reshape without a transpose does.",
        "Write the heads side by side: each token's row contains its row of head 1, then its row of head 2.",
        (), HIGH, "there is one head", _merged,
    ),
    Mistake(
        "heads-interleaved", "heads", ("H", "Q", "K", "V"),
        "It looks as if you interleaved the columns of the heads.",
        "Write the heads side by side: first all columns of head 1, then all columns of head 2.",
        (), same="each head has one feature", build=_in_turn,
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
        "The last step multiplies the concatenated heads by W_O: H · W_O.",
        (("H @ w_", "H"),), HIGH, "W_O is the identity",
    ),
    Mistake(
        "output-projection-transposed", "heads", ("Z",),
        "It looks as if you multiplied by the transpose of W_O.",
        "Multiply by W_O, not by its transpose: H · W_O.",
        (("H @ w_", "H @ w_.T"),), same="W_O is symmetric",
    ),
)  # fmt: skip
