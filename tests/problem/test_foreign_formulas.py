"""Formulas as lecturers write them in NumPy, PyTorch, MATLAB, Julia, papers and LaTeX, with the numbers they mean.

`tests/data/foreign_formulas.tsv` has a line for each formula: the notation, what the program does, the formula, and its
meaning in NumPy. The program accepts a formula with these numbers (=), accepts it with a warning because its numbers
are others (!), proposes a formula with these numbers (?), or refuses it without a proposal (-).
"""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from tests.support.laws import examples
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

LINES = Path(__file__).parent.parent / "data" / "foreign_formulas.tsv"
GIVEN = {
    "A": [[1, 2, 4], [3, -1, 2], [2, 5, -3]], "B": [[2, 0, 1], [1, 1, 0], [0, 3, 1]], "C": [[1, -2, 3], [4, 5, -6]],
    "x": [1, -2, 3], "y": [2, 5, -1], "c": [[1], [-2], [4]], "Q": [[1, 0], [0, 1], [1, 1]],
    "K": [[1, 1], [0, 1], [2, 1]], "V": [[1, 2], [3, 4], [5, 6]], "p": ["1/2", "1/3", "1/6"], "q": ["1/4", "1/4", "1/2"],
    "M": [[1, 0, 0], [1, 1, 0], [1, 1, 1]], "S": [[1, 2, 3], [4, 5, 7], [7, 8, 10]], "W": [[1, 2], [3, -1]], "b": [1, -1],
    "X": [[1, 2], [3, 4], [5, 0]], "λ": "0.5", "α": "0.1", "ε": "0.01", "γ": [2, 3], "β": [1, -1], "ids": [0, 2, 1],
    "pad": [0, 0, 1], "t": 2, "P": [["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"], ["1/10", "1/5", "7/10"]],
}  # fmt: skip
VECTORS = ("P", "L")  # notations in which a vector is a row or a column


def numbers(value) -> np.ndarray:
    return np.array([numbers(each) for each in value] if isinstance(value, list) else float(Fraction(str(value))))


def softmax(a, axis=-1):
    e = np.exp(a - np.max(a, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def layer_norm(a, eps=1e-5, gain=1, shift=0):
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + eps) * gain + shift


VALUES = {name: numbers(value) for name, value in GIVEN.items()}
ERF = np.vectorize(math.erf)
KNOWN = {
    **{name: getattr(np, name) for name in dir(np) if not name.startswith("_")}, **VALUES, "np": np,
    "abs": abs, "max": max, "min": min, "sum": np.sum, "round": np.round, "lam": VALUES["λ"],
    "ids": VALUES["ids"].astype(int), "sm": softmax, "ln": layer_norm, "sig": lambda a: 1 / (1 + np.exp(-a)),
    "relu": lambda a: np.maximum(a, 0), "gelu": lambda a: a * (1 + ERF(a / np.sqrt(2))) / 2,
    "col": lambda v: np.reshape(v, (-1, 1)), "row": lambda v: np.reshape(v, (1, -1)), "mm": np.linalg.norm,
    "inv": np.linalg.inv, "causal": np.tri(3),
    "att": softmax(VALUES["Q"] @ VALUES["K"].T / np.sqrt(2)) @ VALUES["V"],
}  # fmt: skip


def lines() -> list[list[str]]:
    with LINES.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, "excel-tab", quoting=csv.QUOTE_NONE))


def solved(formula: str) -> np.ndarray:
    step = solve(load({"given": GIVEN, "steps": {"R": formula}}))["R"]
    return np.array([[float(entry) for entry in row] for row in step.decimals(9)])


def warned(formula: str, notation: str) -> bool:
    """Whether a formula gets a warning, for MATLAB in a file with another formula of MATLAB."""
    try:
        problem = load({"given": GIVEN, "steps": {"T": "A .* B", "R": formula} if notation == "M" else {"R": formula}})
    except AttncalcError as error:
        return "warning: R: " in str(error)
    return any(one.message.startswith("warning: R: ") for one in problem.warnings)


def is_meant(value: np.ndarray, meant: np.ndarray, notation: str) -> bool:
    forms = [np.atleast_2d(meant)]
    if meant.ndim < 2 or notation in VECTORS and 1 in meant.shape:
        forms.append(forms[0].T)
    return any(value.shape == form.shape and np.allclose(value, form, atol=1e-6) for form in forms)


def status(formula: str, meaning: str, notation: str) -> str:
    with np.errstate(divide="ignore"):
        meant = np.asarray(eval(meaning, dict(KNOWN)), float)
    try:
        value = solved(formula)
    except AttncalcError as error:
        shown = [one for line in str(error).split("\n") for one in proposals(line)]
        if not shown:
            return "-"
        are_meant = [is_meant(solved(one), meant, notation) for one in shown]  # every proposal is valid
        return "?" if any(are_meant) else f"proposes other numbers: {shown}"
    if is_meant(value, meant, notation):
        return "="
    return "!" if warned(formula, notation) else f"other numbers without a warning: {value.tolist()}"


@for_each(("notation", "known", "formula", "meaning"), lines(), quick=60, ci=300)
def test_law_a_formula_of_another_notation_never_gets_other_numbers_silently(notation, known, formula, meaning):
    assert status(formula, meaning, notation) == known


@examples(200)
@given(st.data())
def test_law_einsum_has_the_numbers_of_numpy_or_is_refused(data):
    names = data.draw(st.lists(st.sampled_from(["A", "B", "S", "x", "y"]), min_size=1, max_size=3))
    indices = [data.draw(st.text("ijkl", min_size=n, max_size=n)) for n in (VALUES[name].ndim for name in names)]
    after = data.draw(st.lists(st.sampled_from(sorted({*"".join(indices)})), max_size=2, unique=True))
    pattern = f"{','.join(indices)}->{''.join(after)}"
    meant = np.einsum(pattern, *(VALUES[name] for name in names))
    try:
        value = solved(f"np.einsum('{pattern}', {', '.join(names)})")
    except AttncalcError as error:
        assert "einsum: expected" in str(error)
    else:
        assert is_meant(value, meant, "N")


ENDS = {"1": 0, "2": 1, "end": 2, "end-1": 1, "3": 2}  # indices of MATLAB for three rows


@examples(200)
@given(
    st.sampled_from([*ENDS]), st.sampled_from([*ENDS]), st.sampled_from(["1", "2", "-1"]), st.sampled_from(["A", "x"])
)
def test_law_an_index_of_matlab_selects_the_same_entries(first, last, step, name):
    chosen = np.arange(ENDS[first], ENDS[last] + (1 if int(step) > 0 else -1), int(step))
    places = f"{first}:{step}:{last}"
    formula, meant = {
        "A": (f"A({places}, {last})", VALUES["A"][chosen][:, [ENDS[last]]]), "x": (f"x({places})", VALUES["x"][None, chosen])
    }[name]  # fmt: skip
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": {"R": formula}})
    shown = proposals(str(error.value))
    assert bool(shown) == bool(len(chosen)), str(error.value)
    for one in shown:
        assert np.array_equal(solved(one), meant), one
