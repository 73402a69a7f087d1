"""Products and sums of matrices with letters for their axes, as in einsum and in `Σ_j A_ij B_jk`.

Factors with the same letters are multiplied entry by entry. A sum over a letter of two factors is a matrix product.
Other sums are sums of rows or of columns.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from ..syntax_tree import Binary, Call, Text, Transpose, Tree

STAR = "*"  # the first character of an axis without a letter, as the columns of V in Σ_j A_ij V_j
DOWN = (("axis", Text("columns")),)


class Unreadable(Exception):
    """Raised if the meaning of a formula with indices is not certain."""


class Factor(NamedTuple):
    """A matrix with the letters of its rows and columns. An axis with one entry has no letter."""

    tree: Tree
    rows: str = ""
    columns: str = ""
    below: bool = False  # whether the factor is a divisor
    is_transposed: bool = False  # whether it is a transposed vector, as in q_i^T

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
    """Combine two matrices entry by entry. Transpose one of them if necessary, so that the letters agree."""
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
    """Sum the factors over a letter. With `down`, tokens are columns, and vectors stand to the right of a matrix."""
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
    """Return Σ_k of vectors: an inner product if a vector is itself a product, otherwise the sum of entries."""
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
    """Apply a function along the letter k. The result has the other letter."""
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
