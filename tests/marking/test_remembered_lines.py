"""A judgement that an earlier script of the class made is that which the script would get by itself."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc import check as check_answers
from attncalc.generator.diagnosability import mark_counterfactual
from attncalc.marking.context import MarkingContext, Memory
from attncalc.marking.judge import judge_lines
from attncalc.marking.report import check
from attncalc.render import report_json
from tests.bench.classes import ATTENTION, problem
from tests.support.laws import examples
from tests.support.scripts import Hand, script, typed
from tests.support.sweeps import for_each


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


FORMULAS = (
    "{a} @ {b}", "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "-{a}", "{a}.T", "{a}", "{a} / 3", "{a} + 1/4",
    "{a} * 250", "{a} * 0.5", "{a} * sqrt(2)", "{a} @ {b} / sqrt(2)", "softmax({a})", "softmax({a} / 7)",
    "exp({a} / 50)", "maximum({a}, 0)", "keep({a}, causal(2, 2))", "row_sum({a}) + {b}", "hstack({a}[:, 1], {b}[:, 0])",
)  # fmt: skip
NUMBERS = {
    "whole": lambda rng: rng.randint(-3, 3),
    "tenths": lambda rng: f"{rng.randint(-12, 12) / 10:g}",
    "large": lambda rng: rng.randint(-900, 900),
}


def plain(rng):
    """A problem of any formulas of two by two numbers, each of the ones before it."""
    number, names, steps = NUMBERS[rng.choice(("whole", "whole", "tenths", "large"))], ["A", "B"], {}
    given = {name: [[number(rng) for _ in range(2)] for _ in range(2)] for name in names}
    for name in "TUVWYZ"[: rng.randint(2, 6)]:
        steps[name] = rng.choice(FORMULAS).format(a=rng.choice(names[-2:]), b=rng.choice(names))
        names.append(name)
    digits = rng.choice((None, 0, 1, 2, 2, 3))
    return load({"given": given, "steps": steps} | ({} if digits is None else {"rounding": {"digits": digits}}))


def is_remembered_right(one, scripts):
    """Return whether a class of scripts has the same reports as each script by itself."""
    shared = Memory()
    return all(report_json.write(check(one, each, shared)) == report_json.write(check(one, each)) for each in scripts)


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from(ATTENTION))
def test_law_a_class_is_judged_as_its_scripts(number, lesson):
    rng = random.Random(number)
    try:
        one = problem(rng, lesson, (3, 3, 2), rng.choice((2, 2, 3, None)))
        bound = script(one, Hand(rng, 2, "half_up", carry=rng.choice(("full", "print"))))
    except (ZeroDivisionError, ValueError, OverflowError):
        return
    assert is_remembered_right(one, [bound, spoiled(rng, bound), bound])


@examples(100)
@given(st.integers(0, 10**6))
def test_law_a_class_of_any_formulas_is_judged_as_its_scripts(number):
    rng = random.Random(number)
    one, out = plain(rng), rng.choice((None, "T", "U"))
    habit, hidden = rng.choice(("half_up", "half_up", "half_even", "cut")), rng.choice(("full", "half_up"))
    digits = (one.parts[0].rounding.digits if one.parts[0].rounding_stated else 2) + rng.choice((0, 0, 0, 1, -1, 5))
    hand = Hand(rng, max(digits, 0), habit, hidden=hidden, carry=rng.choice(("full", "print", "mixed")))
    try:
        bound = script(one, hand, shown=lambda step: step.name != out)
        assert is_remembered_right(one, [bound, spoiled(rng, bound), spoiled(rng, bound), bound])
    except (ZeroDivisionError, ValueError, AttncalcError):  # a step without a value
        return


def test_a_line_behind_a_remembered_one_tells_as_much():
    one = load(
        {"given": {"x": [[1]]}, "rounding": {"digits": 1}, "steps": {"y": "x * sqrt(2) * sqrt(2) / 2", "z": "y * 1000"}}
    )
    bound = script(one, Hand(random.Random(1), 1, "half_up"))
    first, second = bound.steps
    other = replace(bound, steps=(first, replace(second, cells={(0, 0): typed("1000.00")})))
    assert is_remembered_right(one, [bound, other])


@pytest.mark.parametrize("computed", ["float32", "float64"])
def test_a_program_s_line_is_worked_out_by_its_own_errors(computed):
    """Few digits of it say nothing of what it carries on."""
    one = load({"given": {"x": [[1, 2]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3", "z": "y * 1000"}})
    answers = {"computed": computed, "answers": {"y": [["0.33", "0.67"]], "z": [["333.33", "666.67"]]}}
    told = [check_answers(one, answers).steps[-1].line for _ in range(2)]
    assert {line.verdict for line in told} == {"right"}


def test_a_line_of_a_walk_that_has_run_is_looked_at_anew():
    rng = random.Random(3)
    one = problem(rng, "self_attention", (3, 4, 3), 2)
    context = MarkingContext(one, script(one, Hand(rng, 2, "half_up", carry="full")))
    judge_lines(context)
    filled = context.typed["S"]
    other = replace(filled, cells={**filled.cells, (0, 0): typed("0.37")})
    assert mark_counterfactual(context, other)[0].verdict == "wrong"
    assert mark_counterfactual(context, filled)[0].verdict == "right"


@for_each(("given_", "steps", "accept", "lines"), [
    # 2 · 0.063 as 0.13 on scratch paper: one number of a given is whole, the other is not
    ([[1, "0.063"]], {"T": "A + A", "U": "T * 250"}, {}, {"T": [["2.0", "0.1"]], "U": [["500.0", "32.5"]]}),
    ([[3]], {"T": "A + 1", "U": "T * 100"}, {"T": "A * 4.01 / 3"}, {"T": [["4.0"]], "U": [["401.0"]]}),
    # from 82.5 and 0.3; from the right numbers, which these are not; and from that line again
    ([[1]], {"U": "A / 3", "T": "U * 250", "V": "T + U", "W": "V * 2"}, {},
     {"U": [["0.3"]], "T": [["75.0"]], "V": [["75.3"]], "W": [["150.6"]]}),
    ([[1]], {"U": "A / 3", "T": "U * 250", "V": "T + U", "W": "V * 2"}, {},
     {"U": [["0.3"]], "T": [["75.0"]], "V": [["83.7"]], "W": [["167.4"]]}),
    # from 1.41, 1.06, 8.25 and 2.82, which are not whole: not of a root, nor of a given or a line that is none
    ([[1]], {"T": "sqrt(2)", "U": "T * 250"}, {}, {"T": [["1.4"]], "U": [["352.5"]]}),
    ([[1]], {"T": "A + B", "U": "T * 250"}, {}, {"T": [["1.1"]], "U": [["265.0"]]}),
    ([[1]], {"T": "A / 3", "U": "T * 25", "V": "U * 10"}, {}, {"T": [["0.3"]], "U": [["8.3"]], "V": [["82.5"]]}),
    ([["sqrt(2)"]], {"T": "A + A", "U": "T * 250"}, {}, {"T": [["2.8"]], "U": [["705.0"]]}),
    # from 1.33 and 0.64: neither a sum with a third in it nor a product with 0.635 is whole
    ([[1]], {"T": "A / 3 + 1", "U": "T * 250"}, {}, {"T": [["1.3"]], "U": [["332.5"]]}),
    ([[1]], {"T": "A * 0.635", "U": "T * 250"}, {}, {"T": [["0.6"]], "U": [["160.0"]]}),
])  # fmt: skip
def test_all_that_a_right_line_may_carry_on_leads_to_right_lines(given_, steps, accept, lines):
    data = {
        "given": {"A": given_, "B": [["0.063"]]},
        "rounding": {"digits": 1},
        "steps": steps,
        "accept": [accept] if accept else [],
    }
    report = check_answers(load(data), {"answers": lines})
    assert {step.step.name: step.verdict for step in report.steps} == dict.fromkeys(lines, "right")


@for_each(("typed_", "verdict"), [("sqrt(4)", "right"), ("2", "right"), ("sqrt(3)", "wrong"), ("-inf", "wrong")])
def test_a_closed_form_is_compared_exactly(typed_, verdict):
    one = load({"given": {"A": [[4]]}, "rounding": {"digits": 0}, "steps": {"T": "A / 2"}})
    assert check_answers(one, {"T": typed_}).steps[0].verdict == verdict
