"""A formula of a library comes to what the library makes of it, or its author is warned, or it is refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve
from tests.support.library_calls import GIVENS, numpy_formulas

STORED = json.loads(Path(__file__).with_name("library_calls.json").read_text(encoding="utf-8"))
AT_A_TIME = 40


def of_numpy(formula: str):
    """What NumPy makes of a formula; None where it refuses it, or answers with something else than numbers."""
    kind = int if set("&|") & set(formula) else float
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = np.asarray(
                eval(formula, {"np": np} | {name: np.array(v, kind) for name, v in GIVENS.items()}), float
            )
        except Exception:
            return None
    return value if value.ndim <= 2 and np.isfinite(value).all() else None


def chunks(formulas: list[str]) -> list[list[str]]:
    count = -(-len(formulas) // AT_A_TIME)
    return [formulas[k::count] for k in range(count)]


def verdict(formula: str, value) -> str:
    """Whether a formula is equal to its library's value, warned of, refused, or wrong."""
    try:
        problem = load({"given": GIVENS, "steps": {"A": formula}})
        if any(": A: " in f": {one.message}" for one in problem.warnings):
            return "warned"
        decimals = solve(problem)["A"].decimals(12)
    except AttncalcError:
        return "refused"
    ours, value = np.array([[float(entry) for entry in row] for row in decimals]), np.asarray(value, float)
    if value.ndim == 1 and ours.shape[1] == 1:  # what is of rows stands upright here
        value = value[:, None]
    fits = ours.shape == np.atleast_2d(value).shape
    return "equal" if fits and np.allclose(ours, np.atleast_2d(value), rtol=1e-9, atol=2e-7) else "wrong"


CHUNKS = [(library, chunk) for library in ("torch", "scipy", "jax", "keras") for chunk in chunks([*STORED[library]])]
CHUNKS += [("numpy", chunk) for chunk in chunks(numpy_formulas())]


@pytest.mark.sweep(quick=6, ci=60)
@pytest.mark.parametrize(("library", "formulas"), CHUNKS, ids=lambda part: part if isinstance(part, str) else part[0])
def test_a_formula_means_what_its_library_means_by_it(library, formulas):
    values = {formula: of_numpy(formula) if library == "numpy" else STORED[library][formula] for formula in formulas}
    verdicts = {formula: verdict(formula, value) for formula, value in values.items() if value is not None}
    assert [formula for formula, found in verdicts.items() if found == "wrong"] == []
    assert "equal" in verdicts.values()
