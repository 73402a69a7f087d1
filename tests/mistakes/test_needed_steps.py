"""A named mistake implies the omitted steps that its formula needs, so each of them must matter for its numbers."""

import random
from collections import defaultdict
from contextlib import suppress

import pytest
from flint import fmpq

from attncalc.arithmetic.intervals.interval_evaluator import evaluate
from attncalc.formula.operations import needed
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.plan import Step
from attncalc.resources import problem_names
from tests.lms.test_quizzes import loaded

LONG = 60  # steps; longer problems repeat the lessons of the others


def mistaken_formulas():
    """Yield the plan, the mistake's code and its formula for each step of the bundled problems."""
    for problem in map(loaded, problem_names()):
        plan = problem.plan
        steps = [step for step in plan.steps() if not step.given]
        for step in steps if len(steps) < LONG else []:
            analysis = StepAnalysis(plan, step, problem.columns)
            for code, mistake in catalogue().items():
                yield from ((plan, code, node) for node in mistake.nodes(analysis))


KINDS = [range(1, 41), range(1, 41), range(-40, 41), range(-40, 41), range(0, 11, 10), range(0, 11, 10)]  # tenths


def drawn(plan, rng, kind):
    def cell():
        return (fmpq(rng.choice(kind), 10),) * 2

    shapes = {key: entry.node.shape for key, entry in plan.entries.items()}
    return {key: [[cell() for _ in range(m)] for _ in range(n)] for key, (n, m) in shapes.items()}


def matters(plan, node, key, rng):
    """True if other numbers of a step lead to other numbers of a formula."""
    for kind in KINDS:
        values = drawn(plan, rng, kind)
        changed = values | {key: drawn(plan, rng, kind)[key]}
        with suppress(ArithmeticError):
            if evaluate(node, values.__getitem__) != evaluate(node, changed.__getitem__):
                return True
    return False


@pytest.mark.slow
def test_law_each_step_that_a_mistaken_formula_needs_matters():
    """The mean of the rows of V was written with the weights times 0, and so implied the whole attention."""
    rng, ignored = random.Random(1), defaultdict(list)
    for plan, code, node in mistaken_formulas():
        keys = [key for key in needed(node) if isinstance(plan.entries[key], Step) and not plan.entries[key].given]
        formula = code, frozenset(plan.entries[key].name.partition("_")[0] for key in keys)
        ignored[formula].append([key for key in keys if not matters(plan, node, key, rng)])
    assert len(ignored) > 100
    # In some problems a step does not matter, such as the scores of a single key.
    assert not {formula: steps[0] for formula, steps in ignored.items() if all(steps)}
