"""Replaces rotations of features that an author wrote with products by `turn(X, C, S)`. The mistakes of rotary
positions are then possible in them.
"""

from __future__ import annotations

from functools import lru_cache

from ...formula.parser import parse
from ...formula.syntax_tree import Call, Index, Number, Slice, Text, Transpose, Tree, substitute, transposed
from ..tree_rewriting import TreePath
from .matcher import Bindings, Matching

# The formulas of both features of a pair, and the rotation that they mean
_PAIRS = (
    ("x_ * cosines_ - y_ * sines_", "x_ * sines_ + y_ * cosines_", "turn(x_, cosines_, sines_)"),
    ("x_ * cosines_ + y_ * sines_", "y_ * cosines_ - x_ * sines_", "turn(x_, cosines_, -sines_)"),
)
_PRODUCTS = tuple(
    (form.format(matrix), result.format(*waves))
    for matrix, waves in (
        ("rotation(t_)", ("cos(t_)", "sin(t_)")),
        ("vstack(hstack(cosines_, -sines_), hstack(sines_, cosines_))", ("cosines_", "sines_")),
    )
    for form, result in (
        ("{} @ x_", "turn(x_.T, {}, {}).T"),
        ("x_ @ {}.T", "turn(x_, {}, {})"),
        ("x_ @ {}", "turn(x_, {}, -{})"),
    )
)
_SWAPPED = "x_ * cosines_ + {} * sines_", "turn(x_, cosines_, sines_)"  # {}: the other feature of each pair


def as_turn(matching: Matching, spot: TreePath) -> Tree | None:
    """Return `turn(X, C, S)` for a formula that rotates pairs of features. Return None for other formulas."""
    if isinstance(spot.tree, Call):
        return _of_pairs(matching, spot) if spot.tree.function in ("hstack", "vstack") else None
    for form, result in _PRODUCTS:
        bindings = next(matching.matches(_parsed(form), spot, {}), None)
        if bindings is not None and (trees := _translated(matching, spot, bindings)) is not None:
            return substitute(_parsed(result), trees)
    return _of_swapped(matching, spot)


def _of_swapped(matching: Matching, spot: TreePath) -> Tree | None:
    """Return the rotation for X * C + hstack(-b, a) * S, where a and b are the halves of X or the features of its
    pairs.
    """
    if next(matching.matches(_parsed(_SWAPPED[0].format("any_")), spot, {}), None) is None:
        return None
    width = _side(matching, spot, spot.tree, 1)
    for layout, count in (("halves", 1), ("interleaved", width // 2)):
        swapped = f"hstack({', '.join(['-part(x_), part(x_)'] * count)})"
        bindings = next(matching.matches(_parsed(_SWAPPED[0].format(swapped)), spot, {}), None) if count else None
        if bindings is None or (trees := _translated(matching, spot, bindings)) is None:
            continue
        chosen = Slice(None, Number(str(width // 2))) if layout == "halves" else Slice(None, None, Number("2"))
        for name in ("cosines_", "sines_"):  # the matrix has a column for each feature, not for each pair
            if _side(matching, spot, trees[name], 1) > 1:
                trees[name] = Index(trees[name], Slice(None, None), chosen)
        return _with_layout(substitute(_parsed(_SWAPPED[1]), trees), layout)
    return None


def _of_pairs(matching: Matching, spot: TreePath) -> Tree | None:
    """Return the rotation for concatenated features. A pair has two neighbouring features, or one feature from each
    half.
    """
    assert isinstance(spot.tree, Call)
    features, join = spot.children(), spot.tree.function
    half, is_single = len(features) // 2, _side(matching, spot, spot.tree, join == "hstack") == len(features)
    neighbours, halves = (features[::2], features[1::2]), (features[:half], features[half:])
    for layout, sides in (("interleaved", neighbours),) * is_single + (("halves", halves),):
        for first, second, result in _PAIRS if len(features) % 2 == 0 < half else ():
            trees = [_of_pair(matching, spot, (first, second), pair) for pair in zip(*sides, strict=True)]
            pairs = [each for each in trees if each is not None]
            if len(pairs) < half:
                continue
            x = [each["x_"] for each in pairs], [each["y_"] for each in pairs]
            listed = (
                [each for pair in zip(*x, strict=True) for each in pair] if layout == "interleaved" else x[0] + x[1]
            )
            parts = {"x_": listed} | {name: [each[name] for each in pairs] for name in ("cosines_", "sines_")}
            made = {name: _joined(matching, spot, join, each) for name, each in parts.items()}
            if join == "hstack":
                return _with_layout(substitute(_parsed(result), made), layout)
            upright: dict[str, Tree] = {name: transposed(each) for name, each in made.items()}
            return Transpose(_with_layout(substitute(_parsed(result), upright), layout))
    return None


def _of_pair(
    matching: Matching, spot: TreePath, forms: tuple[str, str], pair: tuple[TreePath, ...]
) -> dict[str, Tree] | None:
    bindings = next(matching.match_all(list(zip(map(_parsed, forms), pair, strict=True)), {}), None)
    return None if bindings is None else _translated(matching, spot, bindings)


def _joined(matching: Matching, spot: TreePath, join: str, parts: list[Tree]) -> Tree:
    """Return the concatenation of the parts. It is the matrix Q for Q[:, 0:1] and Q[:, 1:2]."""
    if len(parts) == 1:
        return parts[0]
    joined, blocks = Call(join, tuple(parts)), [part for part in parts if isinstance(part, Index)]
    matrices = {block.operand for block in blocks}
    if len(blocks) == len(parts) and len(matrices) == 1:
        (matrix,) = matrices
        places = [block.columns if join == "hstack" else block.rows for block in blocks]
        starts = [place.start if isinstance(place, Slice) else place for place in places]
        firsts = [int(start.value) if isinstance(start, Number) else 0 for start in starts]
        sides = (_side(matching, spot, joined, k) == _side(matching, spot, matrix, k) for k in (0, 1))
        if all(sides) and firsts == sorted(set(firsts)):
            return matrix
    return joined


def _side(matching: Matching, spot: TreePath, tree: Tree, k: int) -> int:
    node = matching.checked_node(tree, spot.step.part)
    return node.shape[k] if node is not None else 0


def _translated(matching: Matching, spot: TreePath, bindings: Bindings) -> dict[str, Tree] | None:
    trees = {name: matching.names.translate(path, spot.step.part) for name, path in bindings.items()}
    known = {name: tree for name, tree in trees.items() if tree is not None}
    return known if len(known) == len(trees) else None


def _with_layout(turn: Tree, layout: str) -> Tree:
    assert isinstance(turn, Call)
    return turn.but(options=(("layout", Text(layout)),)) if layout == "halves" else turn


@lru_cache(maxsize=32)
def _parsed(text: str) -> Tree:
    return parse(text)
