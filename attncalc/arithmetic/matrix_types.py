"""Types of matrices: exact matrices, matrices of balls, and mixed matrices with some infinite entries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz, fmpz_mat

from ..formula import operations as op
from ..formula.typed_formula import Node
from . import budget

Entry: TypeAlias = fmpq | arb
Rows: TypeAlias = list[list[Entry]]
E = TypeVar("E")

LONGEST_EXACT = 100_000  # bits; longer exact entries become balls
LONGEST_IN_PRODUCTS = 2_000  # bits; the same limit for very large products
SHORT = 64  # bits; exact numbers up to this length are multiplied with balls as whole numbers
LONG_IN_PRODUCTS = 8  # terms in an entry of a product; with fewer terms, conversion to whole numbers is not faster
MOST_ON_A_DIAGONAL = 32  # rows
MOST_EXACT_BITS = 100_000_000  # the total for all products of an operation
PLUS_INFINITY, MINUS_INFINITY = arb.pos_inf(), arb.neg_inf()


class Mixed:
    """A matrix with finite and infinite entries. Infinite entries are the objects PLUS_INFINITY and MINUS_INFINITY."""

    __slots__ = ("rows",)

    def __init__(self, rows: Rows):
        self.rows = rows


Finite: TypeAlias = fmpq_mat | arb_mat
Matrix: TypeAlias = Finite | Mixed


def entries(value: Matrix) -> Rows:
    """Return the entries as a list of rows."""
    if isinstance(value, Mixed):
        return value.rows
    flat, m = value.entries(), value.ncols()  # three times as fast as `tolist`
    return [flat[k : k + m] for k in range(0, len(flat), m)]


def pack(rows: Rows) -> Matrix:
    """Return the entries as a matrix of fractions if possible, otherwise of balls, otherwise as a Mixed matrix."""
    flat = [x for row in rows for x in row]
    kinds = set(map(type, flat))
    balls = flat if len(kinds) == 1 else [x for x in flat if type(x) is arb]
    if arb in kinds and not all(map(arb.is_finite, balls)) and any(map(is_unbounded, balls)):
        return Mixed([[symbol(x) for x in row] for row in rows])
    return (arb_mat if arb in kinds else fmpq_mat)(len(rows), len(rows[0]), flat)


def pack_finite(rows: Rows) -> fmpq_mat | arb_mat:
    """Return finite entries as a matrix of fractions if possible, otherwise of balls."""
    return from_flat(len(rows), len(rows[0]), [x for row in rows for x in row])


def from_flat(n: int, m: int, flat: list[Entry]) -> fmpq_mat | arb_mat:
    """Return the n × m matrix of finite entries, which are in one list, row by row."""
    return (arb_mat if arb in map(type, flat) else fmpq_mat)(n, m, flat)


def symbol(x: Entry) -> Entry:
    """Return the symbol ∞ or −∞ for a ball with an infinite midpoint. Return other entries unchanged."""
    if isinstance(x, arb) and is_unbounded(x):
        return PLUS_INFINITY if x.mid() > 0 else MINUS_INFINITY
    return x


def is_unbounded(x: arb) -> bool:
    """Return whether a ball has an infinite midpoint."""
    return not x.is_finite() and abs(x.mid()) == PLUS_INFINITY


def is_exact(value: Matrix) -> bool:
    """Return whether the value is exact, so that more precision cannot change it."""
    if isinstance(value, Mixed):
        return all(type(x) is fmpq or x is PLUS_INFINITY or x is MINUS_INFINITY for row in value.rows for x in row)
    return isinstance(value, fmpq_mat)


def is_infinite(x: Entry) -> bool:
    """Return whether an entry is the symbol ∞ or −∞; a wide ball is not."""
    return isinstance(x, arb) and not x.is_finite() and x.is_exact()


def exact_value(x: arb) -> fmpq | None:
    return budget.fraction(x, LONGEST_EXACT)


def is_zero(x: Entry) -> bool:
    """Return whether an entry is exactly 0."""
    return bool(x == 0)


def from_literal(literal: op.Entries) -> Matrix:
    """Return the numbers of a literal as a matrix of flint. Infinite entries become symbols."""
    infinite = {float("inf"): PLUS_INFINITY, float("-inf"): MINUS_INFINITY}
    return pack(
        [[fmpq(x.numerator, x.denominator) if isinstance(x, Fraction) else infinite[x] for x in row] for row in literal]
    )


def is_number(value: Matrix, number: fmpq) -> bool:
    return isinstance(value, fmpq_mat) and value.nrows() == value.ncols() == 1 and value[0, 0] == number


def broadcast(a: Matrix, n: int, m: int) -> Rows:
    """Return the entries as an n × m list of rows. A single row or column is repeated."""
    return broadcast_rows(entries(a), n, m)


def broadcast_rows(rows: list[list[E]], n: int, m: int) -> list[list[E]]:
    """Return a single row, column or number repeated to n × m, as NumPy's broadcasting does."""
    if len(rows[0]) < m:
        rows = [row * m for row in rows]
    return rows * n if len(rows) < n else rows


def broadcast_matrix(a: Finite, node: Node) -> Finite:
    """Broadcast a finite matrix to the shape of the operation. Products with ones in flint do this."""
    n, m = node.shape
    if a.nrows() < n:
        a = type(a)(n, 1, [1] * n) * a
    return a * type(a)(1, m, [1] * m) if a.ncols() < m else a


def scaled_rows(a: arb_mat, factors: list[arb]) -> arb_mat:
    """Multiply each row by its factor. For a few rows, a product with a diagonal matrix is faster."""
    n, m = a.nrows(), a.ncols()
    if n <= m and n <= MOST_ON_A_DIAGONAL:
        diagonal = arb_mat(n, n)
        for k, factor in enumerate(factors):
            diagonal[k, k] = factor
        return diagonal * a
    flat = a.entries()
    return arb_mat(n, m, [x * y for k, y in enumerate(factors) for x in flat[k * m : (k + 1) * m]])


class ConstantForms:
    """A matrix of constants with three cached forms: integers, balls and truth values."""

    __slots__ = ("balls", "mask", "matrix", "numerators", "rounded")

    def __init__(self, matrix: fmpq_mat):
        self.matrix = matrix
        self.numerators: tuple[fmpz_mat, fmpz] | None = None
        self.balls: arb_mat | None = None
        self.rounded: tuple[int, arb_mat] | None = None
        self.mask: list[list[bool]] | None = None

    def integer_form(self) -> tuple[fmpz_mat, fmpz]:
        """Return the numerators and their common denominator. flint multiplies these whole numbers fast and exactly."""
        if self.numerators is None:
            self.numerators = self.matrix.numer_denom()
        return self.numerators

    def integer_balls(self) -> tuple[arb_mat, fmpz]:
        """Return the numerators as exact balls, and their common denominator."""
        numerators, below = self.integer_form()
        if self.balls is None:
            self.balls = arb_mat(numerators)
        return self.balls, below

    def as_balls(self) -> arb_mat:
        """Return the matrix as balls of the working precision; the last result is cached."""
        if self.rounded is None or self.rounded[0] != ctx.prec:
            self.rounded = ctx.prec, arb_mat(self.matrix)
        return self.rounded[1]

    def mask_entries(self) -> list[list[bool]]:
        """Return a matrix of truth values: True at entries other than 0."""
        if self.mask is None:
            self.mask = [list(map(bool, row)) for row in entries(self.matrix)]
        return self.mask


class Literals:
    """The numbers of formulas as matrices of flint. Each matrix, and each of its other forms, is made once.

    The cache keeps nodes and matrices alive, so that no other object can have their ids.
    """

    def __init__(self) -> None:
        self.made: dict[int, tuple[Node, Matrix]] = {}
        self.constants: dict[int, tuple[Node, fmpq_mat]] = {}
        self.parts: dict[int, tuple[Node, Matrix, Matrix]] = {}
        self.given: dict[int, ConstantForms] = {}

    def matrix(self, node: op.Literal) -> Matrix:
        """Return the numbers of a literal."""
        entry = self.made.get(id(node))
        if entry is None:
            entry = self.made[id(node)] = node, from_literal(node.entries)
            self.given[id(entry[1])] = ConstantForms(entry[1])
        return entry[1]

    def constant(self, node: Node) -> Matrix | None:
        """Return the cached value of an operation on numbers of the formula, such as √4; None if there is none."""
        entry = self.constants.get(id(node))
        return entry and entry[1]

    def keep_constant(self, node: Node, value: Matrix) -> None:
        """Cache the value of an operation if it is exact, and all operands are numbers of the formula."""
        if type(value) is fmpq_mat and all(isinstance(argument, op.Literal) for argument in node.args):
            self.constants[id(node)] = node, value

    def part(self, node: Node, a: Finite, rows: Sequence[int], columns: Sequence[int]) -> Finite:
        """Return selected rows and columns of a matrix.

        Parts of given numbers, such as a head's part of the weights, are cached until the given has other numbers.
        """
        entry = self.parts.get(id(node))
        if entry is not None and entry[1] is a:
            return entry[2]
        part = type(a)(len(rows), len(columns), [a[i, j] for i in rows for j in columns])
        if id(a) in self.given:
            if entry is not None:
                del self.given[id(entry[2])]
            self.parts[id(node)] = node, a, part
            self.given[id(part)] = ConstantForms(part)
        return part

    def forms_of(self, a: fmpq_mat) -> ConstantForms:
        """Return the forms of a matrix; cached for constants."""
        return self.given.get(id(a)) or ConstantForms(a)

    def promote(self, a: Matrix, b: Matrix) -> tuple[Finite, Finite]:
        """Return both matrices as balls if one of them contains balls. Otherwise return them unchanged."""
        if isinstance(a, fmpq_mat) and isinstance(b, arb_mat):
            return self.forms_of(a).as_balls(), b
        if isinstance(a, arb_mat) and isinstance(b, fmpq_mat):
            return a, self.forms_of(b).as_balls()
        return a, b

    def product(self, a: Finite, b: Finite, node: Node) -> Finite:
        """Return the product of two finite matrices, which are the operands of `node`.

        Givens with short numbers are multiplied as whole numbers, and so are short exact matrices with balls.
        """
        a_is_exact, b_is_exact = isinstance(a, fmpq_mat), isinstance(b, fmpq_mat)
        if a_is_exact and b_is_exact:
            return self.exact_product(a, b, node) if node.args[0].shape[1] >= LONG_IN_PRODUCTS else a * b
        if a_is_exact and node.args[0].bits <= SHORT:
            a, denominator = self.forms_of(a).integer_balls()
        elif b_is_exact and node.args[1].bits <= SHORT:
            b, denominator = self.forms_of(b).integer_balls()
        else:
            a, b = self.promote(a, b)
            return a * b
        return a * b if denominator == 1 else a * b * arb(fmpq(1, denominator))

    def exact_product(self, a: fmpq_mat, b: fmpq_mat, node: Node) -> fmpq_mat:
        """Return the product of two matrices of fractions.

        flint converts fractions to whole numbers at each product. For givens with short numbers, this conversion is
        cached.
        """
        left_forms, right_forms = self.given.get(id(a)), self.given.get(id(b))
        if left_forms is None or right_forms is None or max(arg.bits for arg in node.args) > SHORT:
            return a * b
        (left, left_denominator), (right, right_denominator) = left_forms.integer_form(), right_forms.integer_form()
        return fmpq_mat(left * right) / (left_denominator * right_denominator)


def longest_exact(node: Node) -> int:
    """Return the largest number of bits that exact operands may have with a common denominator."""
    products = node.size * (node.args[0].shape[1] if isinstance(node, op.MatMul) else 1)
    return max(LONGEST_IN_PRODUCTS, min(LONGEST_EXACT, MOST_EXACT_BITS // products))


def shorten(value: Matrix, most_bits: int) -> Matrix:
    """Replace exact entries longer than `most_bits` by balls."""
    if isinstance(value, arb_mat):
        return value
    exact = [x for row in entries(value) for x in row if isinstance(x, fmpq)]
    common = fmpz(1)
    for denominator in {x.denominator for x in exact}:
        common = common.lcm(denominator)
        if int(common.bit_length()) > most_bits:
            break
    if int(common.bit_length()) + max((int(x.numerator.bit_length()) for x in exact), default=0) <= most_bits:
        return value
    if isinstance(value, fmpq_mat):
        return arb_mat(value)
    return Mixed([[arb(x) if isinstance(x, fmpq) else x for x in row] for row in value.rows])
