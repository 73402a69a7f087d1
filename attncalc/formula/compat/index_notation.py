"""Formulas with indices, such as `Σ_j A_ij B_jk` and einsum. Each letter names an axis of a matrix.

Factors with the same letters are multiplied entry by entry. A sum over a letter of two factors is a matrix product.
Other sums become sums of rows or of columns.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import NamedTuple, Protocol

from ..syntax_tree import Binary, Call, Index, Name, Negate, Number, Slice, Source, Text, Transpose, Tree, rewrite, walk
from ..typed_formula import Shape

STAR = "*"  # marks an axis without a letter, such as the columns of V in Σ_j A_ij V_j
DOWN = (("axis", Text("columns")),)


class Unreadable(Exception):
    """Raised if the meaning of a formula with indices is not certain."""


class Factor(NamedTuple):
    """A matrix with the letters of its rows and columns. An axis with one entry has no letter."""

    tree: Tree
    rows: str = ""
    columns: str = ""
    below: bool = False  # whether the factor is a divisor
    is_transposed: bool = False  # whether the author transposed a vector, as in q_i^T

    @property
    def letters(self) -> list[str]:
        return [letter for letter in (self.rows, self.columns) if letter]

    @property
    def star(self) -> str:
        return next((letter for letter in self.letters if letter.startswith(STAR)), "")


def merged(factors: list[Factor]) -> Factor:
    """Multiply the factors entry by entry along their letters."""
    first, *others = sorted(factors, key=lambda factor: factor.below)
    return reduce(lambda a, b: combined("/" if b.below else "*", a, b), others, first)


def combined(sign: str, a: Factor, b: Factor) -> Factor:
    """Combine two matrices entry by entry. If necessary, transpose a matrix so that the letters agree."""
    loose = [factor for factor in (a, b) if "?" in "".join(factor.letters)]
    if loose:
        other = b if loose[0] is a else a
        rows, columns = loose[0].rows or other.rows, loose[0].columns or other.columns
        return Factor(Binary(sign, a.tree, b.tree), other.rows or rows, other.columns or columns)
    letters = list(dict.fromkeys([*a.letters, *b.letters]))
    if len(letters) > 2:
        raise Unreadable
    large = next((factor for factor in (a, b) if len(factor.letters) == 2), None)
    if large is not None:
        rows, columns = large.rows, large.columns
    elif len(letters) == 2:
        rows, columns = letters
    else:
        shaped = next((factor for factor in (a, b) if factor.letters), a)
        rows, columns = shaped.rows, shaped.columns
    left, right = transposed_to(a, rows, columns), transposed_to(b, rows, columns)
    apart = sign == "*" and len(letters) == 2 and large is None
    if apart and len(a.letters) == len(b.letters) == 1:
        return Factor(Binary("@", left, right), rows, columns)
    return Factor(Binary(sign, left, right), rows, columns)


def transposed_to(factor: Factor, rows: str, columns: str) -> Tree:
    """Return the matrix with these letters for its rows and columns, transposed if necessary."""
    if factor.rows in ("", rows) and factor.columns in ("", columns):
        return factor.tree
    if factor.rows in ("", columns) and factor.columns in ("", rows):
        return factor.tree.operand if isinstance(factor.tree, Transpose) else Transpose(factor.tree)
    raise Unreadable


def contracted(factors: list[Factor], k: str, down: bool = False) -> list[Factor]:
    """Multiply the factors that have the letter k, and sum over k. Return the result and the other factors.

    With `down`, tokens are columns, and a vector is multiplied from the right.
    """
    inside = [factor for factor in factors if k in factor.letters]
    if not inside:
        raise Unreadable
    groups: dict[str, list[Factor]] = {}
    for factor in inside:
        other = next((letter for letter in factor.letters if letter != k), "")
        groups.setdefault(other, []).append(factor)
    others = [letter for letter in groups if letter]
    vectors = groups.get("", [])
    if len(others) > 2:
        raise Unreadable
    if len(others) == 2:
        a, b = others
        if groups[b][0].below or groups[a][0].below:
            raise Unreadable
        left = transposed_to(merged([*groups[a], *vectors]), a, k)
        product = Factor(Binary("@", left, transposed_to(merged(groups[b]), k, b)), a, b)
    elif not others:
        product = Factor(added(vectors, k))
    elif vectors and not vectors[0].below and not groups[others[0]][0].below:
        product = applied(merged(groups[others[0]]), merged(vectors), others[0], k, down)
    else:
        product = along("sum", merged(inside), k)
    out = [factor for factor in factors if k not in factor.letters]
    return [*(factor for factor in out if not factor.below), product, *(factor for factor in out if factor.below)]


def added(vectors: list[Factor], k: str) -> Tree:
    """Return Σ_k of vectors. It is an inner product if a vector is itself a matrix product, otherwise a sum of
    entries.
    """
    match vectors:
        case [Factor(Call("diag", (a,)))]:
            return Call("trace", (a,))
        case [first, second] if not second.below and any(_is_product(v.tree) for v in vectors):
            return Binary("@", transposed_to(first, "", k), transposed_to(second, k, ""))
    return Call("sum", (merged(vectors).tree,))


def applied(matrix: Factor, vector: Factor, other: str, k: str, down: bool) -> Factor:
    """Multiply a matrix by a vector. The result is a column, or a row if the sum is over the rows."""
    if matrix.columns == k or other.startswith(STAR) and down:
        left, right = transposed_to(matrix, other, k), transposed_to(vector, k, "")
        return Factor(Binary("@", left, right), other, "")
    left, right = transposed_to(vector, "", k), transposed_to(matrix, k, other)
    return Factor(Binary("@", left, right), "", other)


def along(function: str, factor: Factor, k: str) -> Factor:
    """Apply a function along the axis k. The result has the other axis."""
    if k not in factor.letters:
        raise Unreadable
    if len(factor.letters) == 1:
        return Factor(Call(function, (factor.tree,)))
    down = factor.rows == k
    reduced: Tree
    if function == "argmax":
        reduced = Call("argmax_rows", (Transpose(factor.tree) if down else factor.tree,))
        reduced = Transpose(reduced) if down else reduced
    elif function == "logsumexp":
        reduced = Call(function, (factor.tree,), DOWN if down else ())
    else:
        reduced = Call(("col_" if down else "row_") + function, (factor.tree,))
    return Factor(reduced, "", factor.columns) if down else Factor(reduced, factor.rows, "")


def _is_product(tree: Tree) -> bool:
    return isinstance(tree, Binary) and tree.operator == "@"


# -- reading formulas with indices -------------------------------------------------------------------------------------


OVER = r"(sum|mean|max|min|prod|argmax|softmax|logsumexp)_([a-z]{1,2})"  # such as sum_j and max_j
_ALONE = "ijt"  # letters that are always indices; other letters are indices only under a sum
_PAIRED = "ijkltmn"
_COUNTS = ("n", "N", "m", "M", "d", "D")  # names for the number of terms of a sum
_ALPHABETICAL = set("ijkl")  # of these letters, the first in the alphabet is for rows: X_ji is the transpose
_WORDS = {"in"}


class Around(Protocol):
    """The methods and properties that a `Reader` uses of the reading around it."""

    columns: bool
    dotted: bool  # whether a dot in the formula means an inner product
    left: str  # the letters on the left side, `ij` in `S_ij = ...`
    by_entry: frozenset[str]
    by_row: frozenset[str]
    named_sizes: frozenset[str]

    def shape(self, tree: Tree) -> Shape | None: ...
    def ask(self, question: str, about: str = "") -> int: ...
    def plain(self, tree: Tree) -> Tree: ...
    def number(self, tree: Tree) -> int | None: ...
    def counted(self, number: int, size: int) -> int: ...
    def known(self, name: str) -> Name | None: ...
    def is_by_columns(self, scores: Tree) -> bool: ...


class Reader:
    """Reads a formula with indices."""

    def __init__(self, tree: Tree, around: Around):
        self.around = around
        sums = [re.fullmatch(OVER, part.function) for part in walk(tree) if isinstance(part, Call)]
        self.bound = {letter for total in sums if total for letter in total[2]}
        self.has_sums = any(sums) or any(isinstance(part, Call) and part.function == "sum" for part in walk(tree))
        for name in (part.name for part in walk(tree) if isinstance(part, Name)):
            if (pair := re.fullmatch(r"(.+?)_([a-z])_?([a-z])", name)) and pair[2] + pair[3] not in _WORDS:
                self.bound |= {pair[2], pair[3]} if around.known(pair[1]) else set()
        self.extents: dict[str, int] = {}
        self.counts: dict[str, Call] = {}  # formulas for the number of values of each letter
        self.limits: dict[str, str] = {}  # the letter of the sum with this number of terms: j for n in Σ_{j=1}^n
        written = {part.name for part in walk(tree) if isinstance(part, Name)}
        self.counted = [name for name in _COUNTS if name in written and around.shape(Name(name)) is None]
        self.seen: list[str] = []

    def read(self, tree: Tree) -> Tree:
        """Return the formula with whole matrices instead of indices. Raises Unreadable."""
        factor = self.term(tree)
        if (counted := self.with_limits(tree)) != tree:
            factor = self.term(counted)
        letters = factor.letters
        if len(letters) < 2 or "?" in "".join(letters):
            return factor.tree
        first, second = self.ordered(letters)
        return transposed_to(factor, first, second)

    def with_limits(self, tree: Tree) -> Tree:
        """Replace n in 1/n Σ_j or Σ_{j=1}^n by the number of terms of the sum. If n means another number elsewhere in
        the file, this number is a second reading.
        """

        def fill(part: Tree) -> Tree | None:
            match part:
                case Name(name) if name in self.limits:
                    count, usual = self.extents[self.limits[name]], self.around.number(self.around.plain(part))
                    is_usual = usual not in (None, count) and self.around.ask("limit", name) == 1
                    return None if is_usual else self.counts[self.limits[name]]
                case Call(_, arguments, options) if "high" in dict(options):
                    return part.but(arguments=tuple(rewrite(argument, fill) for argument in arguments))
            return None

        return rewrite(tree, fill)

    def term(self, tree: Tree) -> Factor:
        """Read a term. Sum over the letters that are not on the left side, as in y_i = A_ij x_j."""
        match tree:
            case Binary("+" | "-" as sign, a, b) if self.around.left or self.is_summed(a) or self.is_summed(b):
                return combined(sign, self.term(a), self.term(b))
        factors = self.product(tree)
        free = list(dict.fromkeys(letter for factor in factors for letter in factor.letters))
        if self.around.left and set(self.around.left) < set(free):
            for letter in (letter for letter in free if letter.isalpha() and letter not in self.around.left):
                factors = contracted(factors, letter, self.around.columns)
        elif (repeated := self.repeated(factors)) and self.around.ask("repeated index"):
            for letter in repeated:
                factors = contracted(factors, letter, self.around.columns)
        return merged(factors)

    def is_summed(self, tree: Tree) -> bool:
        """Return whether a term is summed over its repeated letters in this reading."""
        match tree:
            case Binary("+" | "-", a, b):
                return self.is_summed(a) or self.is_summed(b)
        return bool(self.repeated(self.product(tree))) and bool(self.around.ask("repeated index"))

    def repeated(self, factors: list[Factor]) -> list[str]:
        """Return the letters that occur more than once in a product without Σ. By Einstein's convention, as in A_ij
        x_j, the product is summed over these letters.
        """
        if self.has_sums or self.around.left:
            return []
        if not all(isinstance(factor.tree, Name) or not factor.letters for factor in factors):
            return []
        letters = [letter for factor in factors for letter in factor.letters if letter.isalpha()]
        return [letter for letter in dict.fromkeys(letters) if letters.count(letter) > 1]

    def ordered(self, letters: list[str]) -> list[str]:
        """Return the letter of the result's rows, then the letter of its columns."""
        if sorted(self.around.left) == sorted(letters):
            return [*self.around.left]
        if any(letter.startswith(STAR) for letter in letters):
            features = [letter for letter in letters if letter.startswith(STAR)]
            if len(features) > 1:
                return letters
            tokens = [letter for letter in letters if letter not in features]
            return [*features, *tokens] if self.around.columns else [*tokens, *features]
        return sorted(letters) if set(letters) <= _ALPHABETICAL else sorted(letters, key=self.seen.index)

    # -- parts with an index -------------------------------------------------------------------------------------------

    def leaf(self, tree: Tree) -> tuple[Tree, list[str | Tree], bool] | None:
        """Return a matrix, its indices, and whether numbers in the indices certainly count from 0. Return None for a
        part without letters.
        """
        match tree:
            case Name(name):
                return self.spelled(name)
            case Index(a, Name() | Number() as row, Name() | Number() | None as column):
                places = [row] if column is None else [row, column]
                marks: list[str | Tree] = [self.letter(place) or place for place in places]
                return (a, marks, True) if any(isinstance(place, str) for place in marks) else None
        return None

    def letter(self, place: Tree) -> str:
        """Return the letter i of X[i, 0] if no given or step has this name; otherwise an empty string."""
        if not isinstance(place, Name) or len(place.name) != 1 or self.around.shape(place) is not None:
            return ""
        return place.name if place.name in _PAIRED or place.name in self.bound else ""

    def spelled(self, name: str) -> tuple[Tree, list[str | Tree], bool] | None:
        """Split `y_i`, `S_ij` or `X_1_2` into a matrix of the file and its indices; None for other names."""
        match = re.fullmatch(
            r"(.+?)_([a-z]{1,2}|[0-9]{2}|(?:[a-z]|[0-9]{1,2})_(?:[a-z]|[0-9]{1,2})|[a-z][0-9]|[0-9][a-z])", name
        )
        if match is None or match[2] in _WORDS or name in self.around.named_sizes or self.around.known(name):
            return None
        marks = match[2].split("_") if "_" in match[2] else [*match[2]]
        base = self.around.known(match[1])
        if base is None and len(match[1]) == 1 and match[1].islower():
            base = self.around.known(match[1].upper())  # x_ij is an entry of X, and x_i a row of X
        size = self.around.shape(base) if base else None
        if base is None or size is None or size == (1, 1):
            return None
        if 1 in size and len(marks) == 2:
            return None
        usual = _ALONE if len(marks) == 1 else _PAIRED
        for mark in marks:
            if mark.isalpha() and (mark not in usual and mark not in self.bound or self.around.shape(Name(mark))):
                return None
        if len(marks) == 1 and marks[0].isdigit():
            return None
        return base, [Number(mark) if mark.isdigit() else mark for mark in marks], False

    def entry(self, base: Tree, marks: list[str | Tree], from_0: bool) -> Factor:
        """Return a matrix with the letters of its axes. An index that is a number selects a row or a column."""
        tree = self.around.plain(base)
        size = self.around.shape(tree)
        if size is None:
            raise Unreadable
        if len(marks) == 1:
            if 1 in size:
                marks = [Number("0"), *marks] if size[0] == 1 else [*marks, Number("0")]
                from_0 = True
            else:
                star = f"{STAR}{size[not self.around.columns]}"
                marks = [star, *marks] if self.around.columns else [*marks, star]
        first, second = marks
        if first == second and isinstance(first, str):
            self.extent(first, min(size) if size[0] == size[1] else 0)
            self.counts.setdefault(first, Call("rows", (tree,)))
            return Factor(Call("diag", (tree,)), "", first)
        letters = ["", ""]
        places: list[Tree | Slice] = [Slice(None, None), Slice(None, None)]
        for axis, mark in enumerate((first, second)):
            if isinstance(mark, str):
                self.extent(mark, size[axis])
                self.counts.setdefault(mark, Call(("rows", "cols")[axis], (tree,)))
                letters[axis] = mark
            else:
                places[axis] = self.place(mark, size[axis], from_0)
        if all(isinstance(first, Slice) for first in places) or 1 in size:
            return Factor(tree, letters[0], letters[1])
        index = Index(tree, places[0], None if isinstance(places[1], Slice) else places[1])
        return Factor(index, letters[0], letters[1])

    def place(self, mark: Tree, size: int, from_0: bool) -> Tree:
        """Return the index from 0 for a number that counts from 0 or from 1. Raises Unreadable if there is no such
        index.
        """
        number = self.around.number(mark)
        if number is None:
            raise Unreadable
        place = number if from_0 else self.around.counted(number, size)
        if place >= size:
            raise Unreadable
        return Number(str(place))

    def extent(self, letter: str, size: int) -> None:
        """Record the number of values of a letter. Raises Unreadable if the letter already has another number of
        values.
        """
        if letter not in self.seen:
            self.seen.append(letter)
        if self.extents.setdefault(letter, size) != size:
            raise Unreadable

    # -- products and sums ---------------------------------------------------------------------------------------------

    def product(self, tree: Tree) -> list[Factor]:
        """Return the factors of a formula. They are multiplied later, when the letters of the sums are known."""
        if not self.is_indexed(tree):
            return [self.unindexed(tree)]
        match tree:
            case Binary("*", a, b):
                return self.product(a) + self.product(b)
            case Binary("@", a, b):
                return self.side_by_side(self.product(a), self.product(b))
            case Call(name, (inside,), ()) if self.spelled(name):  # as in x_i (1 - x_i)
                return self.side_by_side(self.product(Name(name)), self.product(inside))
            case Binary("/", a, b):
                return [*self.product(a), self.single(b)._replace(below=True)]
            case Negate(a):
                first, *others = self.product(a)
                return [first._replace(tree=Negate(first.tree)), *others]
            case Call(name, (inside,), options) if name == "sum" or name.startswith("sum_"):
                match = re.fullmatch(OVER, name)
                if match or name == "sum" and not options:
                    return self.sum([*match[2]] if match else [], inside, dict(options))
        return [self.factor(tree)]

    def side_by_side(self, left: list[Factor], right: list[Factor]) -> list[Factor]:
        """Multiply adjacent factors without a sign, such as q_i and k_j: an inner or an outer product."""
        a, b = (next((f for f in side if f.star), None) for side in (left, right))
        if any("?" in "".join(f.letters) for f in (*left, *right)):
            raise Unreadable
        if a is None or b is None:
            return left + right
        if a.is_transposed == b.is_transposed and not self.around.dotted:
            raise Unreadable
        literal = a.is_transposed == self.around.columns or a.is_transposed == b.is_transposed
        second = a.is_transposed != b.is_transposed and self.around.ask("inner or outer")
        if literal != bool(second):
            if a.star != b.star:
                raise Unreadable
            return contracted([f._replace(is_transposed=False) for f in left + right], a.star, self.around.columns)
        apart = f"{b.star}'"
        self.extent(apart, self.extents[b.star])
        return left + [_relettered(f, b.star, apart) for f in right]

    def single(self, tree: Tree) -> Factor:
        return merged(self.product(tree))

    def sum(self, letters: list[str], inside: Tree, options: dict[str, Tree]) -> list[Factor]:
        """Read a sum over these letters. If there are no letters, sum over all letters."""
        factors = self.product(inside)
        free = list(dict.fromkeys(letter for factor in factors for letter in factor.letters))
        if any(factor.startswith("?") for factor in free) or not free:
            if not free or letters and any(factor in free for factor in letters):
                raise Unreadable
            whole = merged(factors)
            vector = 1 in (self.around.shape(whole.tree) or ())
            if (len(letters) == 2 or vector) and set(letters) <= set(_PAIRED):  # A has no letters
                return [Factor(Call("sum", (whole.tree,)))]
            raise Unreadable
        over = letters or free
        self.whole(over, options)
        if all(set(factor.letters) == set(over) for factor in factors if factor.letters):
            if len(over) > 1 and set(letters) <= set(free):
                return [Factor(Call("sum", (merged(factors).tree,)))]
        elif not letters:
            raise Unreadable
        for letter in over:
            factors = contracted(factors, letter, self.around.columns)
        return factors

    def whole(self, letters: list[str], options: dict[str, Tree]) -> None:
        """Raise Unreadable unless the sum certainly includes all entries."""
        if not options:
            for name in self.counted if len(letters) == 1 and letters[0] in self.extents else ():
                self.limited(name, letters[0])
            return
        low, high = options.get("low"), options.get("high")
        (letter,) = letters if len(letters) == 1 else [""]
        start = self.around.number(low) if low is not None else None
        if start not in (0, 1) or letter not in self.extents or high is None:
            raise Unreadable
        last = self.extents[letter] - (not start)
        match high:
            case Binary("-", Name(name), Number("1")) if start == 0:
                if self.around.shape(Name(name)) is None:
                    self.limited(name, letter)
                return
            case Name(name) if self.around.shape(high) is None:
                if start == 0 or name in self.extents or name in self.bound or name in ("i", "j", "k", "l", "t"):
                    raise Unreadable
                self.limited(name, letter)
                return
        if self.around.number(high) != last:
            raise Unreadable

    def limited(self, name: str, letter: str) -> None:
        """Record the number of terms of a sum. Raises Unreadable if this name has another number in another sum."""
        if self.extents[self.limits.setdefault(name, letter)] != self.extents[letter]:
            raise Unreadable

    # -- other parts ---------------------------------------------------------------------------------------------------

    def factor(self, tree: Tree) -> Factor:
        """Read a part that is neither a product nor a sum over a letter."""
        if (leaf := self.leaf(tree)) is not None:
            return self.entry(*leaf)
        match tree:
            case Call(name, (inside,), options) if match := re.fullmatch(OVER, name):
                return self.over(match[1], [*match[2]], self.single(inside), dict(options))
            case Binary(("+" | "-" | "**" | "<" | "<=" | ">" | ">=" | "==" | "!=") as sign, a, b):
                return combined(sign, self.single(a), self.single(b))
            case Transpose(a):
                vector = self.single(a)
                if not vector.star or len(vector.letters) != 2:
                    raise Unreadable
                return vector._replace(is_transposed=not vector.is_transposed)
            case Call(name, (a,), options) if name in self.around.by_row and "axis" not in dict(options):
                return self.normalised(name, self.single(a), options)
            case Call(name, arguments, options) if name in self.around.by_entry:
                parts = [self.single(part) for part in arguments]
                shaped = [part for part in parts if part.letters]
                if len(shaped) > 1:
                    raise Unreadable
                return (shaped or parts)[0]._replace(
                    tree=Call(name, tuple(part.tree for part in parts), options), is_transposed=False
                )
        raise Unreadable

    def is_indexed(self, tree: Tree) -> bool:
        return any(
            self.leaf(part) is not None or isinstance(part, Call) and re.fullmatch(OVER, part.function)
            for part in walk(tree)
        )

    def unindexed(self, tree: Tree) -> Factor:
        """Read a number or a matrix without letters. It is never transposed."""
        plain = self.around.plain(tree)
        size = self.around.shape(plain)
        if size is None:
            raise Unreadable
        return Factor(plain, "?rows" if size[0] > 1 else "", "?columns" if size[1] > 1 else "")

    def normalised(self, name: str, factor: Factor, options: tuple[tuple[str, Tree], ...]) -> Factor:
        """Read a softmax without a letter. Its axis is found as in a formula without indices."""
        if len(factor.letters) == 2 and not factor.star:
            rows, columns = self.ordered(factor.letters)
            factor = Factor(transposed_to(factor, rows, columns), rows, columns)
        down = self.around.is_by_columns(factor.tree)
        return factor._replace(tree=Call(name, (factor.tree,), (*options, *(DOWN if down else ()))))

    def over(self, function: str, letters: list[str], factor: Factor, options: dict[str, Tree]) -> Factor:
        """Read `max_j(S_ij)`, `softmax_i(S_ij)` or `mean_i(x_i)`."""
        if not factor.letters or "?" in "".join(factor.letters):
            if len(letters) == 1 and 1 in (self.around.shape(factor.tree) or ()):
                return Factor(Call(function, (factor.tree,)))
            raise Unreadable
        self.whole(letters, options)
        if set(letters) == set(factor.letters) and len(letters) == 2 and function not in ("softmax", "argmax"):
            return Factor(Call(function, (factor.tree,)))
        if len(letters) != 1 or letters[0] not in factor.letters:
            raise Unreadable
        if function == "softmax":
            down = factor.rows == letters[0]
            if len(factor.letters) == 1 and not down:
                return factor._replace(tree=Call("softmax", (factor.tree,)))
            axis = DOWN if down else (("axis", Text("rows")),)
            return factor._replace(tree=Call("softmax", (factor.tree,), axis).copied_from(Source(axis=letters[0])))
        return along(function, factor, letters[0])


def _relettered(factor: Factor, before: str, after: str) -> Factor:
    rows, columns = (after if letter == before else letter for letter in factor[1:3])
    return factor._replace(rows=rows, columns=columns, is_transposed=False)
