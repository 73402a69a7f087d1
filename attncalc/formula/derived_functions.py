"""Shorthands: functions and operators that abbreviate formulas. A formula may depend on the shapes of the arguments.

`elaboration.py` replaces each shorthand by its formula, so that arithmetics and certificates need no rules for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import FormulaError, counted, size
from .operations import Exp
from .shape_rules import guard
from .typed_formula import Labels, Node

_SUMS = {"rows": "row_sum({})", "columns": "col_sum({})", "all": "total({})"}


def _height(*parts: Node) -> tuple[int, int]:
    """Return the shape after broadcasting."""
    return max(p.shape[0] for p in parts), max(p.shape[1] for p in parts)


def _ones(*parts: Node) -> str:
    n, m = _height(*parts)
    return f"ones({n}, {m})"


def _where_not_zero(difference: str, A: Node, B: Node) -> str:
    return f"keep({_ones(A, B)}, {difference}, fill=0)"


def _where(M: Node, A: Node, B: Node) -> str:
    """Return `where(M, A, B)` as a formula with `keep`. If B is a matrix, a second `keep` selects entries of B."""
    shape = _height(M, A, B)
    full = f"A * {_ones(M, A, B)}" if A.shape != shape else "A"
    if B.shape == (1, 1):
        return f"keep({full}, M, fill=B)"
    other = f"B * {_ones(M, A, B)}" if B.shape != shape else "B"
    return f"keep({full}, M, fill=0) + keep({other}, M == 0, fill=0)"


def is_e(base: Node) -> bool:
    """Return whether a base of logarithms is Euler's number, which needs no division."""
    return isinstance(base, Exp) and base.written == "e"


def _entropy(axis: str, base: Node, **_: Node) -> str:
    total = _SUMS[axis].format("P * log(where(P == 0, 1, P))")
    return f"-{total}" if is_e(base) else f"-{total} / log(base)"


def is_vector(a: Node) -> bool:
    """Return whether a matrix is a single row or column."""
    return 1 in a.shape


def _lying(name: str, a: Node) -> str:
    """Return a formula for the vector `name` as a row."""
    return name if a.shape[0] == 1 else f"{name}.T"


def _dot(A: Node, B: Node) -> str:
    if not (is_vector(A) and is_vector(B)):
        return "A @ B"
    if A.size != B.size:
        raise FormulaError(
            f"expected two vectors of the same length; {A.written} is {size(A.shape)}, {B.written} is {size(B.shape)}"
        )
    return f"{_lying('A', A)} @ ({_lying('B', B)}).T"


def _outer(A: Node, B: Node) -> str:
    for a in (A, B):
        if not is_vector(a):
            raise FormulaError(f"expected two vectors; {a.written} is {size(a.shape)}")
    return f"({_lying('A', A)}).T @ {_lying('B', B)}"


def _diag(A: Node) -> str:
    n, m = A.shape
    if is_vector(A) and A.size > 1:
        return f"identity({A.size}) * {_lying('A', A)}"
    return (
        f"col_sum(keep(A, identity({n}), fill=0))"
        if n == m
        else f"col_sum(keep(A, band({n}, {m}, 0), fill=0))[:, 0:{min(n, m)}]"
    )


LARGEST_DETERMINANT = 4  # rows; the formula of a determinant contains every product
LARGEST_PRODUCT = 256  # factors
LARGEST_RUNNING = 48  # columns; the formula contains each running product
_CHAIN = 32  # factors of a product; longer products are nested


def _square(A: Node, what: str) -> range:
    n, m = A.shape
    if n != m or n > LARGEST_DETERMINANT:
        raise FormulaError(
            f"{what} needs a square matrix with at most {LARGEST_DETERMINANT} rows; {A.written} is {size(A.shape)}"
        )
    return range(n)


def _minor(rows: list[int], columns: list[int]) -> str:
    """Return the formula of the determinant of these rows and columns of A, expanded along its first row."""
    if len(rows) == 1:
        return f"A[{rows[0]}, {columns[0]}]"
    first, *others = rows
    terms = []
    for k, j in enumerate(columns):
        inside = _minor(others, [c for c in columns if c != j])
        terms.append(f"A[{first}, {j}] * " + (inside if len(others) == 1 else f"({inside})"))
        terms.append("-" if k % 2 == 0 else "+")
    return " ".join(terms[:-1])


def _without(n: int, i: int, j: int) -> str:
    """Return the formula of the determinant of A without row i and column j. A sum is in brackets."""
    rows, columns = ([k for k in range(n) if k != left_out] for left_out in (i, j))
    inside = _minor(rows, columns)
    return inside if n == 2 else f"({inside})"


def _det(A: Node) -> str:
    places = list(_square(A, "the determinant"))
    return "1 * A" if len(places) == 1 else _minor(places, places)


def _inverse(A: Node) -> str:
    """Return the formula of the inverse: the transposed matrix of cofactors, divided by the determinant."""
    places = _square(A, "the inverse")
    n = len(places)
    if n == 1:
        return "1 / A"
    rows = (", ".join("-" * ((i + j) % 2) + _without(n, j, i) for j in places) for i in places)
    return f"vstack({', '.join(f'hstack({row})' for row in rows)}) / det(A)"


def _solve(A: Node, B: Node) -> str:
    """Return Cramer's rule as a formula. For row i, B replaces column i of A in the determinant of the numerator."""
    places = _square(A, "the solution")
    n = len(places)
    if B.shape[0] != n:
        sides = f"{A.written} is {size(A.shape)} and {B.written} is {size(B.shape)}"
        raise FormulaError(f"{sides}; expected {counted(n, 'row')} on both sides")
    if n == 1:
        return "B / A"
    rows = ("".join(f" {'+-'[(i + k) % 2]} {_without(n, k, i)} * B[{k}]" for k in places) for i in places)
    return f"vstack({', '.join(row.removeprefix(' + ') for row in rows)}) / det(A)"


def _product(factors: list[str]) -> str:
    """Return a product as a formula. Many factors become a product of products, because deep nesting is not allowed."""
    while len(factors) > _CHAIN:
        factors = [f"({' * '.join(factors[k : k + _CHAIN])})" for k in range(0, len(factors), _CHAIN)]
    return " * ".join(factors)


def _few(count: int, most: int, what: str, A: Node) -> None:
    if count > most:
        raise FormulaError(f"expected at most {most} {what}; {A.written} is {size(A.shape)}")


def _row_prod(A: Node) -> str:
    m = A.shape[1]
    _few(m, LARGEST_PRODUCT, "columns", A)
    return _product([f"A[:, {j}]" for j in range(m)]) if m > 1 else "1 * A"


def _prod(A: Node) -> str:
    n, m = A.shape
    _few(n * m, LARGEST_PRODUCT, "entries", A)
    return _product([f"A[{i}, {j}]" for i in range(n) for j in range(m)]) if n * m > 1 else "1 * A"


def _cumprod_rows(A: Node) -> str:
    m = A.shape[1]
    _few(m, LARGEST_RUNNING, "columns", A)
    columns = [f"A[:, {j}]" for j in range(m)]
    return f"hstack({', '.join(_product(columns[: j + 1]) for j in range(m))})" if m > 1 else "1 * A"


def _places(A: Node, rows: Iterable[int], columns: Iterable[int]) -> str:
    """Return a formula that selects rows and columns of A, in this order. A row or column may appear several times."""
    chosen = [list(rows), list(columns)]
    guard((len(chosen[0]), len(chosen[1])))
    selection = "A"
    if chosen[0] != list(range(A.shape[0])):
        selection += f"[{chosen[0]}]"
    return selection + (f"[:, {chosen[1]}]" if chosen[1] != list(range(A.shape[1])) else "")


def _times(A: Node, down: int, across: int) -> None:
    """Raise FormulaError unless A can be repeated `down` times below itself and `across` times to the right."""
    if down < 1 or across < 1:
        raise FormulaError(f"expected whole numbers of at least 1; found {min(down, across)}")
    guard((A.shape[0] * down, A.shape[1] * across))


def _repeat(A: Node, down: int, across: int) -> str:
    _times(A, down, across)
    n, m = A.shape
    return _places(A, (k // down for k in range(n * down)), (k // across for k in range(m * across)))


def _tile(A: Node, down: int, across: int) -> str:
    _times(A, down, across)
    n, m = A.shape
    return _places(A, (k % n for k in range(n * down)), (k % m for k in range(m * across)))


def _roll(A: Node, by: int | None, down: int, across: int) -> str:
    n, m = A.shape
    if by is not None:
        if not is_vector(A):
            raise FormulaError(
                f"expected a vector; {A.written} is {size(A.shape)}: down=1 moves its rows, across=1 moves its columns"
            )
        down, across = down + by * (n > 1), across + by * (n == 1)
    return _places(A, ((k - down) % n for k in range(n)), ((k - across) % m for k in range(m)))


def _trace(A: Node) -> str:
    if A.shape[0] != A.shape[1]:
        raise FormulaError(f"expected a square matrix; {A.written} is {size(A.shape)}")
    return f"total(keep(A, identity({A.shape[0]}), fill=0))"


def _lower(k: int) -> str:
    return f"causal(rows(A), cols(A), offset={k})"


def _along(function: str, A: Node) -> str:
    """Return a formula that applies a function of rows to a vector, which is a row or a column."""
    if not is_vector(A):
        whole = f"{function.removesuffix('_rows')}(flat({A.written}))"
        advice = f"for each row, write {function}({A.written}), and for all entries {whole}"
        raise FormulaError(f"expected a vector; {A.written} is {size(A.shape)}; {advice}")
    return f"{function}(A)" if A.shape[0] == 1 else f"{function}(A.T).T"


def lookup_of_matrix(E: Node, ids: Node) -> str | None:
    """Return a formula that replaces each id of a matrix by the entry of E with this index.

    Returns None if the ids are a single row or column.
    """
    if is_vector(ids):
        return None
    if not is_vector(E):
        raise FormulaError(
            f"if the ids are a matrix, the table must be a single row or column, with one number per id; "
            f"{E.written} is {size(E.shape)}"
        )
    column = "E" if E.shape[1] == 1 else "E.T"
    return f"vstack({', '.join(f'(one_hot(ids[{i}], {E.size}) @ {column}).T' for i in range(ids.shape[0]))})"


# name(parameters), meaning, and the formula, or a function that returns the formula for the arguments of a call.
SHORTHANDS: list[tuple[str, str, str | Callable[..., str]]] = [
    ("sum(A)", "the sum of all entries; with axis=\"rows\" or \"columns\", the same as row_sum or col_sum", "total(A)"),
    ("max(A)", "the largest entry; max(A, B) is the same as maximum(A, B)", "col_max(row_max(A))"),
    ("min(A)", "the smallest entry; min(A, B) is the same as minimum(A, B)", "-max(-A)"),
    ("std(A, ddof: whole = 0)", "the standard deviation of all entries", "sqrt(var(A, ddof=ddof))"),
    ("norm(A, axis: rows|columns|all = all)", "√Σa² of all entries, or of each row or column",
     lambda axis, **_: f"sqrt({_SUMS[axis].format('A ** 2')})"),
    ("logsumexp(A, axis: rows|columns|all = rows)", "ln Σeᵃ of each row, of each column, or of all entries",
     lambda axis, **_: f"log({_SUMS[axis].format('exp(A)')})"),
    ("softplus(A)", "ln(1 + eᵃ)", "log(1 + exp(A))"),
    ("xlogy(A, B)", "a·ln b, and 0 where a is 0; used for entropies, for example", "A * log(where(A == 0, 1, B))"),
    ("entropy(P, base: positive = e, axis: rows|columns|all = rows)",
     "−Σ p·log p of each row, of each column, or of all entries; 0·log 0 counts as 0", _entropy),
    ("leaky_relu(A, slope: scalar = 0.01)", "a where a > 0, slope·a elsewhere",
     "maximum(A, 0) + slope * minimum(A, 0)"),
    ("sign(A)", "1 where a > 0, −1 where a < 0, else 0", "(A > 0) - (A < 0)"),
    ("clip(A, low: scalar, high: scalar)", "each entry, limited to the range from low to high",
     "minimum(maximum(A, low), high)"),
    ("where(M, A, B)", "the entries of A where M is not 0, and the entries of B elsewhere; "
    "M is often a comparison", _where),
    ("dot(A, B)", "Σ aᵢ·bᵢ of two vectors; the matrix product of two matrices", _dot),
    ("outer(A, B)", "all products of an entry of A and an entry of B; for vectors with n and m entries → (n, m)",
        _outer),
    ("diag(A)", "for a vector, a matrix with this diagonal and zeros elsewhere; "
    "for a matrix, the diagonal as a row", _diag),
    ("trace(A)", "the sum of the diagonal", _trace),
    ("det(A)", "the determinant of a matrix, up to 4 × 4, expanded along the first row", _det),
    ("inverse(A)", "the inverse of a matrix, up to 4 × 4: the "
    "transposed matrix of cofactors, divided by the determinant", _inverse),
    ("solve(A, B)", "the solution X of A X = B, for A up to 4 × 4, by Cramer's rule: (n, n), (n, m) → (n, m)", _solve),
    ("prod(A)", "the product of all entries; with axis=\"rows\" or \"columns\", "
    "the same as row_prod or col_prod", _prod),
    ("row_prod(A)", "the product of the entries of each row, (n, m) → (n, 1)", _row_prod),
    ("col_prod(A)", "the product of the entries of each column, (n, m) → (1, m)", "row_prod(A.T).T"),
    ("cumprod_rows(A)", "the running products of each row", _cumprod_rows),
    ("any(A)", "1 if at least one entry is not 0, otherwise 0", "max(A != 0)"),
    ("row_any(A)", "for each row, 1 if at least one entry is not 0, (n, m) → (n, 1)", "row_max(A != 0)"),
    ("col_any(A)", "for each column, 1 if at least one entry is not 0, (n, m) → (1, m)", "col_max(A != 0)"),
    ("all(A)", "1 if no entry is 0, otherwise 0", "min(A != 0)"),
    ("row_all(A)", "for each row, 1 if no entry is 0, (n, m) → (n, 1)", "row_min(A != 0)"),
    ("col_all(A)", "for each column, 1 if no entry is 0, (n, m) → (1, m)", "col_min(A != 0)"),
    ("argmin_rows(A)", "the column of the smallest entry of each row (the "
    "first if several are equal)", "argmax_rows(-A)"),
    ("argsort_rows(A)", "the column indices of the entries of each row, the smallest entry first "
    "(equal entries keep their order), as in NumPy; order_rows has the largest first", "order_rows(-A, cols(A))"),
    ("argmax(A)", "the index of a vector's largest entry, counted from 0", lambda A: _along("argmax_rows", A)),
    ("argmin(A)", "the index of a vector's smallest entry, counted from 0", lambda A: _along("argmin_rows", A)),
    ("argsort(A)", "the indices of a vector's entries, counted from 0, that of the smallest entry first",
     lambda A: _along("argsort_rows", A)),
    ("cumsum(A)", "the running sums of a vector", lambda A: _along("cumsum_rows", A)),
    ("cumprod(A)", "the running products of a vector", lambda A: _along("cumprod_rows", A)),
    ("repeat(A, down: whole = 1, across: whole = 1)", "each row repeated `down` times, and each column `across` times, "
        "(n, m) → (n·down, m·across)", _repeat),
    ("tile(A, down: whole = 1, across: whole = 1)", "a grid of down × across copies of A, "
    "(n, m) → (n·down, m·across)", _tile),
    ("roll(A, by: whole = none, down: whole = 0, across: whole = 0)", "the entries of a vector shifted by the given "
    "number of positions, or the rows of A shifted down and its columns shifted right, always cyclically", _roll),
    ("tril(A, k: whole = 0)", "the entries of A on and below its diagonal (or on and below the diagonal k columns "
        "further right), and 0 above",
     lambda k, **_: f"keep(A, {_lower(k)}, fill=0)"),
    ("triu(A, k: whole = 0)", "the entries of A on and above its diagonal (or on and above the diagonal k columns "
        "further right), and 0 below",
     lambda k, **_: f"keep(A, 1 - {_lower(k - 1)}, fill=0)"),
]  # fmt: skip

# The labels of a shorthand's value, for shorthands whose formulas would give different labels.
LABELS: dict[str, Callable[..., tuple[Labels, Labels]]] = {
    "det": lambda A: (None, None),
    "prod": lambda A: (None, None),
    "inverse": lambda A: (A.columns, A.rows),
    "solve": lambda A, B: (A.columns, B.columns),
    "row_prod": lambda A: (A.rows, None),
    "cumprod_rows": lambda A: (A.rows, A.columns),
}

# A comparison is 1 if it holds, otherwise 0. The remainder of a division has the sign of the divisor, as in Python.
OPERATORS: dict[str, str | Callable[..., str]] = {
    ">": lambda A, B: _where_not_zero("maximum(A - B, 0)", A, B),
    "<": lambda A, B: _where_not_zero("maximum(B - A, 0)", A, B),
    ">=": lambda A, B: "1 - (A < B)",
    "<=": lambda A, B: "1 - (A > B)",
    "!=": lambda A, B: _where_not_zero("A - B", A, B),
    "==": lambda A, B: "1 - (A != B)",
    "//": "floor(A / B)",
    "%": "A - B * floor(A / B)",
}
