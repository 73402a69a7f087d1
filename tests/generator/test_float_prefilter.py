"""Draws that are thrown away at a glance: the exact judgement would throw away each of them."""

from collections import Counter

import pytest

from attncalc.api import loads
from attncalc.generator.author_file_search import search_of
from attncalc.generator.generate import make_search
from attncalc.generator.lesson_recipes import RECIPES, drawn_lessons
from attncalc.generator.request import Request
from attncalc.generator.requirements import LATE, findings
from attncalc.generator.search_result import Tally
from attncalc.problem.random_stream import Stream
from tests.support.sweeps import for_each

FAULTS = 200
MORE = [
    ("self_attention", {"mask": "causal"}, {}),
    ("self_attention", {"mask": "causal"}, {"digits": 4, "entries": "tenths -1..1"}),
    ("self_attention", {"mask": "causal"}, {"relax": ("ties",)}),
    ("self_attention", {}, {"relax": ("saturated", "degenerate", "uniform")}),
    ("self_attention", {}, {"family": "contrast"}),
    ("attention", {}, {"entries": "logarithms 1..6"}),
    ("attention", {"mask": "band(1)"}, {"entries": "halves -2..2"}),
    ("layer_norm", {}, {"entries": "hundredths -1..1", "digits": 1}),
]
CASES = [*((lesson, {}, {}) for lesson in sorted({*RECIPES, *drawn_lessons()})), *MORE]


@for_each(("lesson", "options", "more"), CASES, quick=5)
def test_what_is_thrown_away_at_a_glance_fails_exactly(lesson, options, more):
    """Nearly always for the same reason as well: where two demands are not met, another may be told."""
    found, seen, tally = make_search(Request(lesson, {}, options, **more)), Counter(), Tally()
    glance, relaxed = found.prefilter_fault, found.spec.relaxed | LATE

    def compared(turn, drawn, before):
        told = glance(turn, drawn, before)
        if told is not None:
            view, stage = found.fill(drawn, before), found.stages[turn]
            exactly = found.stage_fault(view, stage)
            assert exactly is not None
            assert told == exactly or told in {one.demand for one in findings(view.restrict([], stage.steps), relaxed)}
            seen[told] += 1
        return told

    found.prefilter_fault = compared
    with found.without_work_limit():
        while tally.faults < FAULTS and found.draw_problem(Stream("rough", lesson, tally.faults), tally, FAULTS):
            tally.failed["none"] += 1
    assert not set(seen) & relaxed
    if lesson == "self_attention":
        assert seen.total() > 0.9 * sum(tally.redraws[code] for code in set(seen))


@pytest.mark.parametrize("lesson", ["self_attention", "layer_norm", "linear_attention"])
def test_a_glance_changes_no_variant(lesson):
    """Nor how many random givens in vain."""
    plain, quick = (make_search(Request(lesson, {}, {})) for _ in range(2))
    plain.prefilter_fault = lambda turn, drawn, before: None
    assert [one.entries for one in plain.variants(3)] == [one.entries for one in quick.variants(3)]
    assert plain.tally == quick.tally


RELAXED = ("large", "saturated", "duplicates", "uniform", "degenerate", "named", "weak", "separation", "work")
BEYOND_FLOATS = {
    "a given": "given: {W: [[1e400, 0], [0, 1]]}\nsteps: {Y: X @ W, Z: Y / 1e400}",
    "a number of a formula": "steps: {Y: X * 1e400, Z: Y / 1e400}",
    "infinity": "given: {W: [[inf, 0], [0, 1]]}\nsteps: {Y: X + W, Z: softmax(-Y)}",
    "a divisor": "steps: {Z: X * 1e-400 / 1e-400}",
    "weights": "given: {W: [[1e-400, 1], [0, 1e350]]}\nsteps: {A: softmax(X @ W / 1e350), Z: A @ X}",
}


@for_each("name", BEYOND_FLOATS)
def test_what_no_float_holds_is_left_to_the_exact_judgement(name):
    problem = loads("draw: {X: 2 × 2 integers 1..3}\nasked: [Z]\n" + BEYOND_FLOATS[name])
    relaxed = Request("", relax=RELAXED)
    plain, quick = (search_of(problem, relaxed) for _ in range(2))
    plain.prefilter_fault = lambda turn, drawn, before: None
    assert [one.entries for one in plain.variants(2)] == [one.entries for one in quick.variants(2)]
    assert plain.tally == quick.tally
