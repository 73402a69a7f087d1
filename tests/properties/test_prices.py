"""The estimated work of enclosures is no less than the time that they take, however a formula is worked out."""

import time

import pytest

from attncalc.api import loads
from attncalc.arithmetic.budget import Meter, spending
from attncalc.arithmetic.intervals.intermediate_rounding import IntermediateRounding
from attncalc.arithmetic.intervals.interval_evaluator import evaluate

FORMULAS = [
    "entropy(softmax(T / 3))", "layer_norm(T)", "T @ T", "T * 3 + 1", "exp(T)", "T ** 8", "sort_rows(T)", "gelu(T)",
    "var(T)", "erf(T)", "top_k(T, 3)", "T / (2 + T)", "softmax(ones(2, 512) / 3)", "softmax(ones(24, 24) / 3)", "ones(90, 90)",
]  # fmt: skip
WORKINGS = [
    IntermediateRounding(),
    IntermediateRounding(2, "round"),
    IntermediateRounding(2, "any", products=True),
    IntermediateRounding(2, "cut", exactly=True),
]


@pytest.mark.sweep(quick=5)
@pytest.mark.parametrize("formula", FORMULAS)
def test_an_estimate_covers_its_work(formula):
    problem = loads(f"title: t\nsteps: {{A: '{formula.replace('T', 'sinusoidal(20, 20)')}'}}")
    (step,) = problem.plan.steps()
    for working in WORKINGS:
        times, meter = [], Meter(1e9)
        for _ in range(3):  # the first may fill caches, and another process may slow one down
            begin = time.process_time()
            with spending(meter):
                evaluate(step.node, lambda key: [], working)
            times.append(time.process_time() - begin)
        assert min(times) < 1.2 * (1e9 - meter.left) / 2, working
