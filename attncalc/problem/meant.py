"""What a formula that does not fit was meant to be, by the names and shapes of its file: `λ @ A` is λ * A, `QK.T` is Q
@ K.T, `θ_0` is θ[0].
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import reduce

from ..formula.functions import functions
from ..formula.tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Text,
    Transpose,
    Tree,
    names,
    rewrite,
    substitute,
)

Size = tuple[int, int]
Shape = Callable[[Tree], Size | None]  # of a formula, None where it has a fault

LONGEST_NAME = 40  # that is taken to pieces
# What works on each row unless an axis is named, and what that makes of a column.
BY_ROWS = {
    "softmax": "softmax makes each row sum to 1, so that all are 1",
    "normalize": "normalize makes each row sum to 1, so that all are 1",
    "logsumexp": "logsumexp takes each row by itself, which has one entry",
    "entropy": "entropy takes each row by itself, which has one entry",
    "layer_norm": "layer_norm takes each row by itself, which has one entry",
    "rms_norm": "rms_norm takes each row by itself, which has one entry",
}
WIDTHS = {"d_k": "KQ", "d_q": "QK", "d_v": "V", "d_model": "XHE", "d_head": "KQ", "head_dim": "KQ", "d": "KQX"}
POWERS = tuple("23456789")  # of a matrix that are written out


def fitted(tree: Tree, shape: Shape, written: str = "", broken: Callable[[str], bool] = lambda name: False) -> Tree:
    """The formula with what the shapes of its file call for; the same tree where there is nothing to change.

    On paper, as `written`, A^2 of a matrix is a product with itself, x^T y of two flat lists a number, and γ x their
    product entry by entry. What a `broken` name stands for is not known, but it is a name.
    """
    return _Fitting(shape, written, broken).tree(tree)


class _Fitting:
    def __init__(self, shape: Shape, written: str, broken: Callable[[str], bool]):
        self.whole_shape = shape
        self.paper = bool(re.search("[\\^⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⊤]", written))
        self.bars = bool(re.search(r"\|\||‖", written))
        self.side_by_side = bool(written) and not re.search(r"@|·|\s\.\s", written)
        self.broken = broken
        self.shapes: dict[int, tuple[Tree, Size | None]] = {}

    def tree(self, tree: Tree) -> Tree:
        return rewrite(tree, self.change)

    def shape(self, tree: Tree) -> Size | None:
        """The shape of a formula, each found once; of a long chain of operations from the shapes of its parts."""
        if id(tree) not in self.shapes:
            self.shapes[id(tree)] = tree, self.found_shape(tree)
        return self.shapes[id(tree)][1]

    def found_shape(self, tree: Tree) -> Size | None:
        match tree:
            case Binary("@", a, b):
                one, other = self.shape(a), self.shape(b)
                return (one[0], other[1]) if one and other and one[1] == other[0] else None
            case Binary(_, a, b):
                one, other = self.shape(a), self.shape(b)
                return _stretched(one, other) if one and other else None
            case Transpose(a):
                one = self.shape(a)
                return one and one[::-1]
            case Negate(a):
                return self.shape(a)
        return self.whole_shape(tree)

    def change(self, part: Tree) -> Tree | None:
        match part:
            case Transpose(Name(name)) if pieces := self.pieces(name):
                return self.product([*pieces[:-1], Transpose(pieces[-1], part.at)])
            case Name(name) if pieces := self.pieces(name):
                return self.product(pieces)
            case Binary("@", a, b):
                return self.factors(self.tree(a), self.tree(b))
            case Binary("**", a, Negate(Number("1"))) if self.paper:
                base = self.tree(a)
                return Call("inverse", (base,), (), part.at) if self.is_square(base) else part.but(left=base)
            case Call(name, (a, *others), options) if name in BY_ROWS and "axis" not in dict(options):
                scores = self.tree(a)
                axis = (("axis", Text("columns")),) if is_column(self.shape(scores)) else ()
                return part.but(arguments=(scores, *others), options=(*options, *axis))
            case Binary("*", a, Name(name)) if pieces := self.pieces(name):  # of 2λX
                return self.product([self.tree(a), *pieces])
            case Binary("/", a, b) if self.bars and (lengths := self.lengths(self.shape(top := self.tree(a)), b)):
                return Binary("/", top, lengths, part.at)
            case Binary("*" | "+" | "-" | "/" | "<" | "<=" | ">" | ">=" | "==" | "!=" as sign, a, b):
                return self.entrywise(sign, self.tree(a), self.tree(b), part.at)
            case Call(name, (one,), ()) if name not in functions() and self.shape(Name(name)):
                x, inside = Name(name, part.at), self.tree(one)
                return Binary("*", x, inside, part.at) if self.are_alike(x, inside) else self.product([x, inside])
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
            left, right = (found, factor) if None in sizes or (1, 1) in sizes else self.turned(found, factor)
            found = Binary("*" if (1, 1) in sizes else "@", left, right, found.at)
        return found

    def factors(self, a: Tree, b: Tree) -> Tree:
        """Two factors of a matrix product; `A^2` of a matrix is A @ A there."""
        match (a, b):
            case (Transpose(Name() as x), Name() as y) if self.paper and self.is_row(x) and self.is_row(y):
                return self.product([x, Transpose(y, b.at)])
            case (Binary("*", number, Transpose(Name()) as x), Name()) if self.paper and self.shape(number) == (1, 1):
                return Binary("*", number, self.factors(x, b), a.at)
        if self.side_by_side and self.are_alike(a, b):
            return Binary("*", a, b, a.at)
        scaled = (1, 1) in (self.shape(a), self.shape(b))
        return self.product([a, b] if scaled else [self.written_out(a), self.written_out(b)])

    def are_alike(self, a: Tree, b: Tree) -> bool:
        """Whether two flat lists side by side are multiplied entry by entry, as in γ x."""
        chained = any(isinstance(one, Binary) and one.operator == "@" for one in (a, b))
        return not chained and self.shape(a) == self.shape(b) and self.is_row(a)

    def written_out(self, tree: Tree) -> Tree:
        match tree:
            case Binary("**", a, Number(power)) if self.paper and power in POWERS and self.is_square(a):
                return reduce(lambda product, base: Binary("@", product, base, tree.at), [a] * int(power))
        return tree

    def turned(self, a: Tree, b: Tree) -> tuple[Tree, Tree]:
        """Two factors, the one or the other transposed where only that makes them fit."""
        (n, k), (j, m) = self.shape(a) or (0, 0), self.shape(b) or (0, 0)
        return (a, b) if k == j else (a, _transposed(b)) if k == m else (_transposed(a), b) if n == j else (a, b)

    def lengths(self, above: Size | None, below: Tree) -> Tree | None:
        """The lengths by which rows are divided, `Q / ‖Q‖`, or products of rows, `Q K^T / (‖Q‖ ‖K‖)`: of a matrix the
        norm would be that of all its entries.
        """
        match below:
            case Call("norm", (a,), ()) if above and above[0] > 1 and self.rows_of(a) == above[0]:
                return _of_rows(below)
            case Binary("*" | "@", Call("norm", (a,), ()) as x, Call("norm", (b,), ()) as y):
                if above and above != (1, 1) and (self.rows_of(a), self.rows_of(b)) == above:
                    one, other = (_of_rows(norm) if n > 1 else norm for norm, n in zip((x, y), above, strict=True))
                    return Binary("@", one, Transpose(other) if above[1] > 1 else other, below.at)
        return None

    def rows_of(self, tree: Tree) -> int:
        found = self.shape(tree)
        return found[0] if found else 0

    def entrywise(self, sign: str, a: Tree, b: Tree, at: int) -> Tree:
        """`Q * K.T` is Q @ K.T where only that fits; a flat list beside a column as long is a column, too."""
        if sign in "+-":
            a, b = self.with_identity(a, self.shape(b)), self.with_identity(b, self.shape(a))
            a, b = self.outer(a, self.shape(b)), self.outer(b, self.shape(a))
        one, other = self.shape(a), self.shape(b)
        found = Binary(sign, a, b, at)
        if one is None or other is None:
            return found
        if one == other[::-1] and one != other and 1 in one:
            stood = isinstance(a, Transpose) or isinstance(b, Transpose)  # as the author wants it
            return found if stood else Binary(sign, _upright(a, one), _upright(b, other), at)
        return Binary("@", a, b, at) if sign == "*" and not _stretched(one, other) and one[1] == other[0] else found

    def with_identity(self, tree: Tree, beside: Size | None) -> Tree:
        """I beside a square matrix is the identity of its size, where nothing is called so."""
        if (
            beside is None
            or beside[0] != beside[1]
            or "I" not in names(tree)
            or self.shape(Name("I"))
            or self.broken("I")
        ):
            return tree
        return substitute(tree, {"I": Call("identity", (Number(str(beside[0])),))})

    def outer(self, tree: Tree, beside: Size | None) -> Tree:
        """`p p^T` of a flat list beside a matrix of its size is p.T @ p; on paper nobody adds a number to a matrix."""
        match tree:
            case Binary("@", x, Transpose(y)) if self.paper and beside and beside[0] > 1:
                sizes = (self.shape(x), self.shape(y))
                return Binary("@", Transpose(x), y, tree.at) if sizes == ((1, beside[0]), (1, beside[1])) else tree
            case Binary("*", a, b):
                return tree.but(left=self.outer(a, beside), right=self.outer(b, beside))
            case Negate(a):
                return tree.but(operand=self.outer(a, beside))
        return tree

    def pieces(self, name: str) -> list[Tree]:
        """Two names of the file in one word, `QK` or `q.k`, or a vector and the number of its entry, `θ_0`."""
        if len(name) > LONGEST_NAME or self.shape(Name(name)) or self.broken(name):
            return []
        if other := next((Name(one) for one in respelled(name) if self.shape(Name(one))), None):
            return [other]
        base = Name(name.removesuffix(".size").removesuffix(".shape"))
        if base.name != name and self.shape(base):
            return [Binary("*", Call("rows", (base,)), Call("cols", (base,)))]
        apart = [Name(piece) for piece in name.split(".")]
        if len(apart) == 2 and all(map(self.shape, apart)):
            return [*apart]
        if found := self.numbered(name) or self.indexed(name) or self.width(name):
            return [found]
        for cut in range(1, len(name)):
            left, right = Name(name[:cut]), Name(name[cut:])
            second = right if self.shape(right) else self.numbered(right.name)
            if second is not None and self.shape(left):
                return [left, second]
        return []

    def indexed(self, name: str) -> Tree | None:
        """`y_i` as in Σ y_i log p_i: all of y, entry by entry."""
        base, mark, index = name.rpartition("_")
        return Name(base) if mark and index in "ijkt" and index and self.shape(Name(base)) else None

    def width(self, name: str) -> Tree | None:
        """The width that a name as in papers stands for, where the file has its matrix: d_k is cols(K)."""
        return next((Call("cols", (Name(one),)) for one in WIDTHS.get(name, "") if self.shape(Name(one))), None)

    def numbered(self, name: str) -> Tree | None:
        match = re.fullmatch(r"(.*?)_?([0-9]{1,3})", name)
        size = self.shape(Name(match[1])) if match and match[1] else None
        if match is None or size is None or 1 not in size or int(match[2]) >= max(size) or max(size) == 1:
            return None
        place = Number(str(int(match[2])))
        return Index(Name(match[1]), Number("0"), place) if size[0] == 1 else Index(Name(match[1]), place, None)

    def is_square(self, tree: Tree) -> bool:
        size = self.shape(tree)
        return size is not None and size[0] == size[1] > 1

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
        return part.but(rows=Number("0"), columns=row) if size[0] == 1 and size[1] > 1 else None


def respelled(name: str) -> list[str]:
    """The name with its Greek letter in words, or with the word's letter: xi_1 for ξ_1, β for beta; lam for λ."""
    if name and unicodedata.name(name[0], "").startswith("GREEK SMALL LETTER "):
        word = unicodedata.name(name[0]).split()[-1].lower().replace("lamda", "lambda")
        return [word + name[1:]] + ["lam" + name[1:]] * (word == "lambda")
    word, rest = re.fullmatch(r"([a-z]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    letter = {"lambda": "lamda", "lam": "lamda"}.get(word, word)
    try:
        return [unicodedata.lookup(f"GREEK SMALL LETTER {letter.upper()}") + rest]
    except KeyError:
        return []


def is_column(size: Size | None) -> bool:
    """Whether a softmax of each row makes it all 1."""
    return size is not None and size[0] > 1 == size[1]


def _of_rows(norm: Call) -> Call:
    return norm.but(options=(("axis", Text("rows")),))


def _stretched(one: Size, other: Size) -> Size | None:
    """What two sizes come to entry by entry, rows and columns stretched; None where they do not fit."""
    fits = all(n == m or 1 in (n, m) for n, m in zip(one, other, strict=True))
    return (max(one[0], other[0]), max(one[1], other[1])) if fits else None


def _transposed(tree: Tree) -> Tree:
    return tree.operand if isinstance(tree, Transpose) else Transpose(tree)


def _upright(tree: Tree, size: Size) -> Tree:
    """A row with a name as a column; everything else as it is."""
    return Transpose(tree) if isinstance(tree, Name) and size[0] == 1 else tree
