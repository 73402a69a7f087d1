"""Lines that are seen at a glance to be right are told as if they had been worked out."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import examples
from scripts import Hand, script, typed

from attncalc.mark.cause import supposed
from attncalc.mark.report import check
from attncalc.mark.sure import Sure
from attncalc.mark.walk import Memory, Walk
from attncalc.write import report_json
from tests.bench.classes import ATTENTION, problem


def spoiled(rng, bound):
    """The script with one entry that may be another, or left out."""
    steps = list(bound.steps)
    place = rng.randrange(len(steps))
    cells = dict(steps[place].cells)
    at = rng.choice(list(cells))
    del cells[at]
    if rng.random() < 0.8:
        cells[at] = typed(rng.choice(("0.37", "-1.00", "0.50", "0")))
    whole = len(cells) == steps[place].step.node.size
    steps[place] = replace(steps[place], cells=cells, kind="whole" if whole else "partial")
    return replace(bound, steps=tuple(steps))


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from(ATTENTION))
def test_a_glance_tells_what_working_it_out_tells(number, lesson):
    rng = random.Random(number)
    try:
        one = problem(rng, lesson, (3, 3, 2), rng.choice((2, 2, 3, None)))
        bound = script(one, Hand(rng, 2, "half_up", carry=rng.choice(("full", "print"))))
    except (ZeroDivisionError, ValueError, OverflowError):
        return
    with pytest.MonkeyPatch.context() as patch:
        shared, scripts = Memory(), [bound, spoiled(rng, bound), bound]
        told = [report_json.write(check(one, each, shared)) for each in scripts]
        patch.setattr(Sure, "glance", lambda self, line, ways: False)
        assert told == [report_json.write(check(one, each)) for each in scripts]


def test_a_line_of_a_walk_that_has_run_is_looked_at_anew():
    rng = random.Random(3)
    one = problem(rng, "self_attention", (3, 4, 3), 2)
    walk = Walk(one, script(one, Hand(rng, 2, "half_up", carry="full")))
    walk.run()
    filled = walk.typed["S"]
    other = replace(filled, cells={**filled.cells, (0, 0): typed("0.37")})
    assert supposed(walk, other)[0].verdict == "wrong"
    assert supposed(walk, filled)[0].verdict == "right"


def test_nothing_is_carried_on_from_right_lines():
    rng = random.Random(2)
    one = problem(rng, "self_attention", (3, 4, 3), 2)
    walk = Walk(one, script(one, Hand(rng, 2, "half_up", carry="full")))
    walk.run()
    assert all(line.sure for line in walk.lines.values())
    lazy = [boxes for boxes in walk.carried.values() if not isinstance(boxes, list)]
    assert lazy and not any("box" in vars(boxes) for boxes in lazy)
    assert len(lazy[0][0]) == 3
