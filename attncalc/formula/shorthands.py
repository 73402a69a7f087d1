"""Functions and comparisons that stand for a formula over others, which may depend on the shapes of what they are
called with.

No arithmetic and no certificate knows them: `check.py` opens them, and what is proven is the formula that they stand
for.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import FormulaError, size
from .node import Node

_SUMS = {"rows": "row_sum({})", "columns": "col_sum({})", "all": "total({})"}


def _height(*parts: Node) -> tuple[int, int]:
    """The shape of matrices that are stretched over each other, as far as they can be."""
    return max(p.shape[0] for p in parts), max(p.shape[1] for p in parts)


def _ones(*parts: Node) -> str:
    n, m = _height(*parts)
    return f"ones({n}, {m})"


def _where_not_zero(difference: str, A: Node, B: Node) -> str:
    return f"keep({_ones(A, B)}, {difference}, fill=0)"


def _where(M: Node, A: Node, B: Node) -> str:
    """`keep` takes one number for elsewhere; where B is a matrix, it is what is kept where M is 0."""
    shape = _height(M, A, B)
    full = f"A * {_ones(M, A, B)}" if A.shape != shape else "A"
    if B.shape == (1, 1):
        return f"keep({full}, M, fill=B)"
    other = f"B * {_ones(M, A, B)}" if B.shape != shape else "B"
    return f"keep({full}, M, fill=0) + keep({other}, M == 0, fill=0)"


def is_e(base: Node) -> bool:
    """Whether a base of logarithms is Euler's number, by which no division is written."""
    return base.operation == "exp" and base.written == "e"


def _entropy(axis: str, base: Node, **_: Node) -> str:
    total = _SUMS[axis].format("P * log(where(P == 0, 1, P))")
    return f"-{total}" if is_e(base) else f"-{total} / log(base)"


def is_vector(a: Node) -> bool:
    """Whether a matrix is a single row or column."""
    return 1 in a.shape


def _lying(name: str, a: Node) -> str:
    """A vector as a row."""
    return name if a.shape[0] == 1 else f"{name}.T"


def _dot(A: Node, B: Node) -> str:
    if not (is_vector(A) and is_vector(B)):
        return "A @ B"
    if A.size != B.size:
        raise FormulaError(
            f"expected two vectors of one length; {A.written} is {size(A.shape)}, {B.written} is {size(B.shape)}"
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


def _square(A: Node, what: str) -> int:
    n, m = A.shape
    if n != m or n > 2:
        raise FormulaError(f"{what} of a 2 × 2 matrix is known here; {A.written} is {size(A.shape)}")
    return n


def _det(A: Node) -> str:
    return "1 * A" if _square(A, "the determinant") == 1 else "A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]"


def _inverse(A: Node) -> str:
    if _square(A, "the inverse") == 1:
        return "1 / A"
    return "vstack(hstack(A[1, 1], -A[0, 1]), hstack(-A[1, 0], A[0, 0])) / det(A)"


def _trace(A: Node) -> str:
    if A.shape[0] != A.shape[1]:
        raise FormulaError(f"expected a square matrix; {A.written} is {size(A.shape)}")
    return f"total(keep(A, identity({A.shape[0]}), fill=0))"


def _lower(k: int) -> str:
    return f"causal(rows(A), cols(A), offset={k})"


def _along(function: str, A: Node) -> str:
    """A function of rows, of a vector that may stand or lie."""
    if not is_vector(A):
        raise FormulaError(f"expected a vector; {A.written} is {size(A.shape)}; {function}({A.written}) takes each row")
    return f"{function}(A)" if A.shape[0] == 1 else f"{function}(A.T).T"


def lookup_of_matrix(E: Node, ids: Node) -> str | None:
    """Where the ids are a matrix, each becomes the entry of E that it names; a row of ids after the other."""
    if is_vector(ids):
        return None
    if not is_vector(E):
        raise FormulaError(
            f"a matrix of ids needs one number for each id, a single row or column; {E.written} is {size(E.shape)}"
        )
    column = "E" if E.shape[1] == 1 else "E.T"
    return f"vstack({', '.join(f'(one_hot(ids[{i}], {E.size}) @ {column}).T' for i in range(ids.shape[0]))})"


# name(parameters) : meaning : the formula, or a function of what the call binds that writes it.
SHORTHANDS: list[tuple[str, str, str | Callable[..., str]]] = [
    ("sum(A)", "the sum of all entries; with axis=\"rows\" or \"columns\", row_sum or col_sum", "total(A)"),
    ("max(A)", "the largest of all entries; max(A, B) is maximum", "col_max(row_max(A))"),
    ("min(A)", "the smallest of all entries; min(A, B) is minimum", "-max(-A)"),
    ("std(A, ddof: whole = 0)", "the standard deviation of all entries", "sqrt(var(A, ddof=ddof))"),
    ("norm(A, axis: rows|columns|all = all)", "√Σa² of all entries, or of each row or column",
     lambda axis, **_: f"sqrt({_SUMS[axis].format('A ** 2')})"),
    ("logsumexp(A, axis: rows|columns|all = rows)", "ln Σeᵃ of each row, of each column, or of all",
     lambda axis, **_: f"log({_SUMS[axis].format('exp(A)')})"),
    ("softplus(A)", "ln(1 + eᵃ)", "log(1 + exp(A))"),
    ("xlogy(A, B)", "a·ln b, and 0 where a is 0, as entropies need it", "A * log(where(A == 0, 1, B))"),
    ("entropy(P, base: positive = e, axis: rows|columns|all = rows)",
     "−Σ p·log p of each row, of each column, or of all, where 0·log 0 is 0", _entropy),
    ("leaky_relu(A, slope: scalar = 0.01)", "a where a > 0, slope·a elsewhere",
     "maximum(A, 0) + slope * minimum(A, 0)"),
    ("sign(A)", "1 where a > 0, −1 where a < 0, else 0", "(A > 0) - (A < 0)"),
    ("clip(A, low: scalar, high: scalar)", "each entry, or the nearer of two bounds beyond them",
     "minimum(maximum(A, low), high)"),
    ("where(M, A, B)", "A where M is not 0, B elsewhere; M is often a comparison", _where),
    ("dot(A, B)", "Σ aᵢ·bᵢ of two vectors; of matrices their product", _dot),
    ("outer(A, B)", "the products of two vectors' entries, n and m entries → (n, m)", _outer),
    ("diag(A)", "a vector on the diagonal of a matrix of zeros; of a matrix its diagonal, as a row", _diag),
    ("trace(A)", "the sum of the diagonal", _trace),
    ("det(A)", "the determinant of a 2 × 2 matrix", _det),
    ("inverse(A)", "the inverse of a 2 × 2 matrix", _inverse),
    ("argmax(A)", "the place of a vector's largest entry", lambda A: _along("argmax_rows", A)),
    ("cumsum(A)", "the running sums of a vector", lambda A: _along("cumsum_rows", A)),
    ("tril(A, k: whole = 0)", "A on and below its diagonal (moved k to the right), 0 above",
     lambda k, **_: f"keep(A, {_lower(k)}, fill=0)"),
    ("triu(A, k: whole = 0)", "A on and above its diagonal (moved k to the right), 0 below",
     lambda k, **_: f"keep(A, 1 - {_lower(k - 1)}, fill=0)"),
]  # fmt: skip

# Comparisons are 1 where they hold and 0 elsewhere.
COMPARISONS: dict[str, Callable[..., str]] = {
    ">": lambda A, B: _where_not_zero("maximum(A - B, 0)", A, B),
    "<": lambda A, B: _where_not_zero("maximum(B - A, 0)", A, B),
    ">=": lambda A, B: "1 - (A < B)",
    "<=": lambda A, B: "1 - (A > B)",
    "!=": lambda A, B: _where_not_zero("A - B", A, B),
    "==": lambda A, B: "1 - (A != B)",
}
