"""The stored cases of PyTorch in float64 (tests/data/torch), as texts and arrays, and how a solution is held against
them.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from attncalc import load, solve

TORCH = Path(__file__).parents[1] / "data" / "torch"
INDEX = json.loads((TORCH / "index.json").read_text(encoding="utf-8"))["cases"]

both = pytest.mark.parametrize("how", [{}, {"arithmetic": "floating"}], ids=["certified", "floating"])


def cases(wanted):
    """The cases whose family is wanted, by name."""
    return {
        entry["name"]: json.loads((TORCH / entry["file"]).read_text(encoding="utf-8"))
        for entry in INDEX
        if wanted(entry["family"])
    }


def texts(stored):
    """The numbers as texts, in the tensor's shape: what a problem file holds."""
    return np.array(stored["flat"], dtype=object).reshape(stored["shape"])


def array(stored):
    return texts(stored).astype(bool if stored["dtype"] == "bool" else float)


def matrix(rows):
    return np.atleast_2d(rows).tolist()


def may_look(mask):
    return mask.astype(int).tolist()


def compare(case, problem, expected, how, rtol=1e-12):
    """Solves a problem and holds its steps against PyTorch's numbers."""
    solution = solve(load(problem), **how)
    for step, numbers in expected.items():
        np.testing.assert_allclose(solution[step].numpy(), numbers, rtol, 1e-15, err_msg=f"{case}: {step}")
