"""Functions that go by NumPy's names do what NumPy's do, on the very fractions; their certificates are proven, and right
answers are accepted however they are rounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, check, load, solve, verify
from attncalc.render.certificate import write
from tests.support.laws import examples

WHOLE = st.integers(-4, 4).map(Fraction)
ENTRIES = WHOLE | st.fractions(-3, 3, max_denominator=4)


def matrices(rows=st.integers(1, 4), columns=st.integers(1, 4)):
    """Matrices of fractions, many of whose entries are equal."""
    sizes = st.tuples(rows, columns)
    return sizes.flatmap(lambda s: st.lists(ENTRIES, min_size=s[0] * s[1], max_size=s[0] * s[1]).map(
        lambda found: np.array(found, dtype=object).reshape(s)))  # fmt: skip


def by_row(function: Callable[[np.ndarray], object]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of NumPy's on each row by itself, as a matrix."""
    return lambda A: np.array([np.atleast_1d(function(row)) for row in A], dtype=object)


def number(x: object) -> np.ndarray:
    return np.array([[x]], dtype=object)


def rising(row: np.ndarray) -> np.ndarray:
    return np.argsort(row, kind="stable")


# What is typed, and what NumPy makes of A.
SAME: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "np.prod(A)": lambda A: number(np.prod(A)),
    "np.prod(A, axis=0)": lambda A: np.prod(A, axis=0, keepdims=True),
    "row_prod(A)": lambda A: np.prod(A, axis=1, keepdims=True),
    "np.cumprod(A, axis=1)": lambda A: np.cumprod(A, axis=1),
    "np.cumprod(A, axis=0)": lambda A: np.cumprod(A, axis=0),
    "np.argmin(A, axis=1)": by_row(np.argmin),
    "np.argsort(A, axis=1)": by_row(rising),
    "np.argsort(A, axis=0)": lambda A: by_row(rising)(A.T).T,
    "torch.argsort(A, dim=1, descending=True)": by_row(lambda row: rising(-row)),
    "np.any(A > 1)": lambda A: number(int(np.any(A > 1))),
    "np.any(A, axis=1)": by_row(lambda row: int(any(row != 0))),
    "np.all(A, axis=0)": lambda A: by_row(lambda row: int(all(row != 0)))(A.T).T,
    "np.all(A)": lambda A: number(int(np.all(A != 0))),
    "np.repeat(A, 2, axis=0)": lambda A: np.repeat(A, 2, axis=0),
    "np.repeat(A, 3, axis=1)": lambda A: np.repeat(A, 3, axis=1),
    "np.repeat(A, 2)": lambda A: np.repeat(A, 2).reshape(1, -1),
    "np.tile(A, (2, 3))": lambda A: np.tile(A, (2, 3)),
    "np.tile(A, 2)": lambda A: np.tile(A, 2),
    "np.roll(A, 3, axis=0)": lambda A: np.roll(A, 3, axis=0),
    "np.roll(A, -1, axis=1)": lambda A: np.roll(A, -1, axis=1),
    "A % (2/3)": lambda A: A % Fraction(2, 3),
    "A // (-3/2)": lambda A: A // Fraction(-3, 2),
    "np.mod(3, A * A + 1)": lambda A: 3 % (A * A + 1),
}


def problem(formula: str, **given: np.ndarray):
    found = {name: [[str(x) for x in row] for row in value] for name, value in given.items()}
    return load({"given": found, "steps": {"Y": formula}, "rounding": {"digits": 3}})


def agrees(loaded, expected: np.ndarray) -> None:
    """The exact value; its certificate; the answers with four decimals, with two of them cut, and as fractions."""
    solution = solve(loaded)
    assert solution["Y"].fractions() == [list(map(Fraction, row)) for row in expected]
    assert not verify.verify(json.loads(write(solution))).findings
    for answers in (solution["Y"].decimals(4), solution["Y"].decimals(3), [[str(x) for x in row] for row in expected]):
        assert check(loaded, {"answers": {"Y": answers}}).steps[0].verdict == "right"


@pytest.mark.parametrize("formula", SAME)
@examples(12)
@given(A=matrices())
def test_a_function_does_what_numpy_does(formula, A):
    agrees(problem(formula, A=A), SAME[formula](A))


@examples(40)
@given(st.data(), st.integers(1, 4))
def test_inverses_and_solutions_stay_fractions_and_singular_matrices_are_reported(data, n):
    sides = st.just(n)
    A, B = data.draw(matrices(sides, sides)), data.draw(matrices(sides))
    d = determinant(A)
    assert solve(problem("np.linalg.det(A)", A=A))["Y"].fractions() == [[d]]
    for formula, right in (("np.linalg.inv(A)", np.array([[Fraction(i == j) for j in range(n)] for i in range(n)])),
                           ("np.linalg.solve(A, B)", B)):  # fmt: skip
        given = {"A": A} | ({"B": B} if "B" in formula else {})
        if d == 0:
            with pytest.raises(AttncalcError, match=r"division by zero: (det.A.|A) is 0"):
                solve(problem(formula, **given))["Y"].decimals()
            continue
        loaded = problem(formula, **given)
        X = np.array(solve(loaded)["Y"].fractions(), dtype=object)
        assert (A.dot(X) == right).all()
        agrees(loaded, X)


def determinant(A: np.ndarray) -> Fraction:
    """By elimination, which shares nothing with the expansion by rows."""
    A, d = A.copy(), Fraction(1)
    for k in range(len(A)):
        pivot = next((i for i in range(k, len(A)) if A[i, k] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            A[[k, pivot]], d = A[[pivot, k]], -d
        d *= A[k, k]
        for i in range(k + 1, len(A)):
            A[i] = A[i] - A[k] * (A[i, k] / A[k, k])
    return d


LONG = "sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6))"  # 0, which no enclosure decides


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ({"Y": "argmin([x, 0, -y])"}, None),
        ({"Y": "argsort([z, y, x])"}, None),
        ({"Y": "inverse([[1 + x, 1], [1, 1]])"}, "det"),
    ],
)
def test_what_no_enclosure_decides_is_decided_by_proof_or_reported(steps, said):
    loaded = load({"given": {"x": LONG, "y": f"2 * ({LONG})", "z": "1e-30"}, "steps": steps})
    try:
        solution = solve(loaded)
        solution["Y"].decimals()
    except AttncalcError as error:
        assert said is None or said in str(error) or "decide" in str(error)
        return
    assert said is None and solution["Y"].decimals(0) in ([["0"]], [["1", "2", "0"]])


def test_labels_belong_to_what_they_name():
    A = {"rows": ["a", "b"], "columns": ["x", "y"], "values": [[1, 2], [3, 4]]}
    steps = {"P": "row_prod(A)", "C": "col_prod(A)", "R": "cumprod_rows(A)", "I": "inverse(A)", "D": "det(A)",
             "S": "solve(A, A)", "T": "tile(A, down=2)", "M": "argmin_rows(A)"}  # fmt: skip
    solution = solve(load({"given": {"A": A}, "steps": steps}))
    found = {name: (solution[name].step.rows, solution[name].step.columns) for name in steps}
    rows, columns = ("a", "b"), ("x", "y")
    assert found == {"P": (rows, None), "C": (None, columns), "R": (rows, columns), "I": (columns, rows),
                     "D": (None, None), "S": (columns, columns), "T": (rows * 2, columns), "M": (rows, None)}  # fmt: skip
