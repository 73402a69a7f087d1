"""Definitions of lessons against the numbers of PyTorch, Transformers, Keras and SciPy (see make_definitions.py)."""

import json
from pathlib import Path

import numpy as np

from attncalc import load, solve
from tests.support.sweeps import for_each

STORED = json.loads(Path(__file__).with_name("definitions.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in STORED["cases"]}


@for_each("name", CASES)
def test_a_lesson_comes_to_what_the_library_printed(name):
    case = CASES[name]
    solution = solve(load(case["problem"]))
    for step, numbers in case["expected"].items():
        found = solution[step].numpy()
        np.testing.assert_allclose(
            found, np.array(numbers, float), case["rtol"], 1e-14, err_msg=f"{case['api']}: {step}"
        )
