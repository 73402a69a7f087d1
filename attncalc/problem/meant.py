"""What a formula that does not fit was meant to be, by the names and shapes of its file: `λ @ A` is λ * A, `QK.T` is Q
@ K.T, `θ_0` is θ[0].
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ..errors import size
from ..formula.functions import functions
from ..formula.tree import Binary, Call, Index, Name, Number, Slice, Text, Transpose, Tree, children, rewrite

Shape = Callable[[Tree], tuple[int, int] | None]  # of a formula, None where it has a fault

LONGEST_NAME = 40  # that is taken to pieces


def fitted(tree: Tree, shape: Shape) -> Tree:
    """The formula with what the shapes of its file call for; the same tree where there is nothing to change."""
    return _Fitting(shape).tree(tree)


class _Fitting:
    def __init__(self, shape: Shape):
        self.shape = shape

    def tree(self, tree: Tree) -> Tree:
        return rewrite(tree, self.change)

    def change(self, part: Tree) -> Tree | None:
        match part:
            case Transpose(Name(name)) if pieces := self.pieces(name):
                return self.product([*pieces[:-1], Transpose(pieces[-1], part.at)])
            case Name(name) if pieces := self.pieces(name):
                return self.product(pieces)
            case Binary("@", a, b):
                return self.product([self.tree(a), self.tree(b)])
            case Binary("*", a, Name(name)) if pieces := self.pieces(name):  # of 2λX
                return self.product([self.tree(a), *pieces])
            case Call(name, (one,), ()) if name not in functions() and self.shape(Name(name)):
                return self.product([Name(name, part.at), self.tree(one)])
            # NumPy's x[:, None], which stands a flat list upright
            case Index(a, Slice(None, None), Name("none")) if self.is_row(a):
                return Transpose(self.tree(a), part.at)
            case Index(a, Name("none"), Slice(None, None) | None) if self.is_row(a):
                return self.tree(a)
            case Index(a, row, None) if not isinstance(row, Slice | Text):
                return self.entry(part, a, row)
        return None

    def product(self, factors: list[Tree]) -> Tree:
        """The factors multiplied: entry by entry where one of two is a number."""
        found = factors[0]
        for factor in factors[1:]:
            sizes = (self.shape(found), self.shape(factor))
            found = Binary("*" if (1, 1) in sizes else "@", found, factor, found.at)
        return found

    def pieces(self, name: str) -> list[Tree]:
        """Two names of the file that stand in one word, `QK`, or a vector and the number of its entry, `θ_0`."""
        if len(name) > LONGEST_NAME or self.shape(Name(name)):
            return []
        if found := self.numbered(name):
            return [found]
        for cut in range(1, len(name)):
            left, right = Name(name[:cut]), Name(name[cut:])
            second = right if self.shape(right) else self.numbered(right.name)
            if second is not None and self.shape(left):
                return [left, second]
        return []

    def numbered(self, name: str) -> Tree | None:
        match = re.fullmatch(r"(.*?)_?([0-9]{1,3})", name)
        size = self.shape(Name(match[1])) if match and match[1] else None
        if match is None or size is None or 1 not in size or int(match[2]) >= max(size) or max(size) == 1:
            return None
        place = Number(str(int(match[2])))
        return Index(Name(match[1]), Number("0"), place) if size[0] == 1 else Index(Name(match[1]), place, None)

    def is_row(self, tree: Tree) -> bool:
        size = self.shape(tree)
        return size is not None and size[0] == 1

    def entry(self, part: Index, a: Tree, row: Tree) -> Tree | None:
        """`q[1]` of a row is its entry 1, and q[0] beside it its entry 0; an index that is a matrix looks
        entries up.
        """
        size, place = self.shape(a), self.shape(row)
        if size is None or place is None:
            return None
        if place != (1, 1):
            return Call("lookup", (a, row), (), part.at)
        return replace(part, rows=Number("0"), columns=row) if size[0] == 1 and size[1] > 1 else None


def whole_rows(tree: Tree, shape: Shape) -> list[str]:
    """A warning for each `q[0]` of a row: it takes all of q, where NumPy would take its first entry."""
    stack, found = [tree], []
    while stack:
        part = stack.pop()
        stack += children(part)
        match part:
            case Index(Name(name), Number("0"), None) if (found_shape := shape(Name(name))) and found_shape[
                0
            ] == 1 < found_shape[1]:
                found.append(
                    f"{name}[0] takes all of {name}, which is {size(found_shape)}; its first entry is {name}[0, 0]"
                )
    return found
