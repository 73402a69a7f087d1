"""What a line may have been worked out from: choices among what earlier lines carried on, equal orders, cells that are
hidden, and what a formula uses.
"""

import pytest
from flint import fmpq

from attncalc import load
from attncalc.api import check
from attncalc.arithmetic.intervals.intermediate_rounding import FLOATS, FULL, IntermediateRounding
from attncalc.arithmetic.matrix_types import MINUS_INFINITY
from attncalc.formula import operations as op
from attncalc.marking.alternatives import orders_of_omitted_steps
from attncalc.marking.context import Line, MarkingContext, StudentValues, rounded_on_scratch_paper
from attncalc.marking.follow_through import carried_enclosures
from attncalc.marking.formula_properties import has, has_constants, is_index_valued
from attncalc.marking.legality import Carried, LegalDerivation
from attncalc.marking.masked_entries import unmasked_cells
from attncalc.marking.precision import Reading
from attncalc.submissions.step_matching import Bound, Filled
from attncalc.submissions.submission import Script
from tests.support.sweeps import for_each

GIVEN = {
    "P": [[1, 3, 2], [5, 4, 0]], "ids": [[0], [1]], "S": [[2, -3, 4], [1, 5, 7], [0, 2, -1]], "R": [[1, 2, 3]],
    "M": [[0, "-inf", "-inf"], [0, 0, "-inf"], [0, 0, 0]], "N": [[0, 1, 2], [2, 0, 1], [3, 1, 0]], "n": 3,
}  # fmt: skip


def sources_of(steps, typed=(), **more):
    problem = load({"given": GIVEN, "steps": steps, **more})
    lines = tuple(Filled(None, step, {}) for step in problem.plan.steps() if step.name in typed)
    return MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, lines))


# -- what a formula uses -----------------------------------------------------------------------------------------------


@for_each(("formula", "expected"), [
    ("argmax_rows(P)", True), ("order_rows(P, 2)", True), ("one_hot(ids, 3)", True), ("top_k(P, 1)", True),
    ("best", True), ("best.T", True), ("best[0]", True), ("best + 1", True), ("ids - best", True),
    ("hstack(ids, best)", True), ("best * 2", False), ("softmax(best)", False), ("floor(best / 2)", False),
    ("floor(best)", True), ("P", False), ("P[:, 0] + ids", False), ("ids + 1", False), ("P.T", False),
    ("one_hot(best, 3) @ P.T", False), ("sums", False), ("sums + 1", False),
])  # fmt: skip
def test_which_formulas_tell_which_ones(formula, expected):
    """Indices and ids, which are right or wrong; rearranged or counted on they are still, calculated with no more."""
    plan = load({"given": GIVEN, "steps": {"best": "argmax_rows(P)", "sums": "row_sum(P)", "y": formula}}).plan
    assert is_index_valued(next(step for step in plan.steps() if step.name == "y").node, plan) == expected


@for_each(("formula", "expected"), [
    ("S * sqrt(3)", True), ("S / 3", False), ("S * 0.5", True), ("S * (1/3)", True), ("S / 10000 ** (1/2)", True),
    ("S * exp(1)", True), ("S * pi", True), ("sqrt(S)", False), ("S / sqrt(n)", False), ("S + n", False),
    ("S + [[0.5, 1, 2]]", False), ("maximum(S, 0)", False), ("maximum(S, -inf)", False), ("S", False),
    ("softmax(S / sqrt(2))", True), ("exp(S) @ S.T", False), ("row_sum(S) * 2 + 1", False),
])  # fmt: skip
def test_which_formulas_have_a_constant_that_a_hand_rounds(formula, expected):
    (step,) = load({"given": GIVEN, "steps": {"y": formula}}).plan.steps()
    assert has_constants(step.node) == expected


@pytest.mark.parametrize(("formula", "expected"), [
    ("softmax(S) @ S.T", {op.Softmax, op.MatMul, op.Transpose, op.Ref}), ("S", {op.Ref}), ("exp(S * 2)", {op.Exp, op.Mul}),
])  # fmt: skip
def test_which_operations_a_formula_uses(formula, expected):
    (step,) = load({"given": GIVEN, "steps": {"y": formula}}).plan.steps()
    others = {op.Log, op.Keep, op.Div, op.Softmax, op.MatMul, op.Exp, op.Mul, op.Transpose} - expected
    assert all(has(step.node, one) for one in expected) and not any(has(step.node, one) for one in others)


# -- hidden cells that hold their own score ----------------------------------------------------------------------------

HIDDEN = [(0, 1), (0, 2), (1, 2)]
SCORES = {"S / 4": "0.5 -0.75 1; 0.25 1.25 1.75; 0 0.5 -0.25", "S": "2 -3 4; 1 5 7; 0 2 -1"}


def rows(text):
    return {
        (i, j): MINUS_INFINITY if x == "-inf" else fmpq(round(float(x) * 100), 100)
        for i, row in enumerate(text.split(";"))
        for j, x in enumerate(row.split())
        if x != "_"
    }


@for_each(("formula", "scores", "changes", "expected"), [
    ("keep(S / 4, causal(3, 3))", "S / 4", {}, HIDDEN), ("S / 4 + M", "S / 4", {}, HIDDEN),
    ("M + S / 4", "S / 4", {}, HIDDEN), ("M + S", "S", {}, HIDDEN), ("M + (S + R)", "S", {}, []),
    ("keep(S / 4, causal(3, 3))", "S / 4", {(0, 1): "-inf"}, [(0, 2), (1, 2)]),
    ("keep(S / 4, causal(3, 3))", "S / 4", {(0, 1): "-0.76", (0, 2): "1.02"}, [(0, 1), (1, 2)]),
    ("keep(S / 4, causal(3, 3))", "S / 4", dict.fromkeys(HIDDEN, "-100"), []),
    ("keep(S / 4, causal(3, 3))", "S / 4", dict.fromkeys(HIDDEN, "1"), []),  # a filler, whatever the scores
    ("keep(S / 4, causal(3, 3))", "S / 4", {(0, 1): "1", (0, 2): "1", (1, 2): "1.75"}, [(0, 2), (1, 2)]),
    ("keep(S / 4, causal(3, 3))", "S / 4", {(0, 1): "-0.75", (0, 2): "_", (1, 2): "_"}, [(0, 1)]),
    ("keep(S / 4, causal(3, 3))", "S / 4", dict.fromkeys(HIDDEN, "-inf"), []),
    ("keep(S / 4, causal(3, 3))", "S / 4", dict.fromkeys(HIDDEN, "_"), []),
    ("S + N", "S", {}, []), ("S * 2", "S", {}, []), ("R + M", "S", {}, []), ("M + M", "S", {}, []),
])  # fmt: skip
def test_which_hidden_cells_hold_the_score_that_stands_there_without_the_mask(formula, scores, changes, expected):
    sources = sources_of({"Y": formula})
    (step,) = sources.plan.steps()
    texts = [row.split() for row in SCORES[scores].split(";")]
    for (i, j), text in changes.items():
        texts[i][j] = text
    values = rows(";".join(map(" ".join, texts)))
    reading = Reading(2, values, dict.fromkeys(values, fmpq(1, 100)), working=2)
    own = StudentValues(sources, sources.likeliest)
    assert unmasked_cells(step.node, reading, lambda key: own(key, FULL)) == frozenset(expected)
    blank = Reading(2, dict.fromkeys(values, MINUS_INFINITY), reading.units)
    assert unmasked_cells(step.node, blank, lambda key: own(key, FULL)) == frozenset()


# -- choices among what was carried on ---------------------------------------------------------------------------------


def box(*numbers):
    return [[(fmpq(x), fmpq(x)) for x in numbers]]


def hull(low, high):
    return [[(fmpq(low), fmpq(high))]]


def test_every_choice_of_what_lines_carried_on_is_a_scenario_until_they_are_too_many():
    """Then the lines farthest before are taken for all that they may have been."""
    names = "abcd"
    steps = {name: f"row_sum(R) + {k}" for k, name in enumerate(names)}
    sources = sources_of(steps | {"y": "a + b + c + d"}, [*names, "y"])
    for name in names:
        sources.keep(name, [box(1), box(2)] if name != "a" else [box(1), box(2), box(5)])
    choices = {tuple(str(scenario.values[name]) for name in names) for scenario in sources.scenarios_of("y")}
    one, two = str(box(1)), str(box(2))
    assert choices == {(str(hull(1, 5)), x, y, z) for x in (one, two) for y in (one, two) for z in (one, two)}
    for name in "bcd":
        sources.keep(name, [box(1)])
    sources.scenarios = {(): sources.likeliest}
    assert [str(scenario.values["a"]) for scenario in sources.scenarios_of("y")] == [str(box(n)) for n in (1, 2, 5)]


def test_an_unwritten_step_is_worked_by_the_orders_that_were_chosen_alone():
    sources = sources_of({"a": "R * 2", "b": "R * 3", "y": "a + 1"})
    step, other, _ = sources.plan.steps()
    a, b = step.node, other.node
    own = StudentValues(sources, sources.likeliest)

    def found(*nodes):
        return [
            (int(low), int(high))
            for low, high in sources.hull_of_orders(step, nodes, lambda key: own(key, FULL), FULL)[0]
        ]

    assert found() == found(a) == [(2, 2), (4, 4), (6, 6)]
    assert found(b) == [(3, 3), (6, 6), (9, 9)]
    assert found(a, b) == found(b, a) == [(2, 3), (4, 6), (6, 9)]


def test_an_order_without_a_bound_leaves_the_step_its_own_formula():
    sources = sources_of({"a": "R * 2", "l": "R / R", "y": "a + 1"})
    step, other, _ = sources.plan.steps()
    for wide in ([[(fmpq(-1), fmpq(1))] * 3], [[(fmpq(-1), fmpq(1)), *box(1, 1)[0]]]):
        twice = [[(2 * low, 2 * high) for low, high in wide[0]]]
        assert sources.hull_of_orders(step, (other.node,), lambda key, wide=wide: wide, FULL) == twice


@pytest.mark.parametrize(("givens", "verdict"), [("rounded", "right"), ("exact", "wrong")])
def test_givens_that_are_rounded_are_open_by_half_a_unit_in_what_follows_too(givens, verdict):
    """0.5 may be 0.54, so that 10 times it, and 10 times that, may be 5.4 and 54."""
    problem = load({"givens": givens, "given": {"x": [["0.5", "1.2"]]}, "steps": {"y": "x * 10", "z": "y * 10"}})
    report = check(problem, {"answers": {"z": [["54.0", "120.0"]]}})
    assert report.steps[-1].verdict == verdict
    far = check(problem, {"answers": {"z": [["90.0", "120.0"]]}}).steps[-1]
    assert far.verdict == "wrong" and far.cells[0].from_own == "50.0"
    report = check(problem, {"answers": {"y": [["5.4", "12.0"]], "z": [["54.0", "120.0"]]}})
    assert report.steps[0].verdict == verdict
    assert report.steps[0].cells == [] or report.steps[0].cells[0].from_own == "5.0"


# -- what a line, a given or a step stands for -------------------------------------------------------------------------


def own_values(sources):
    return StudentValues(sources, sources.likeliest)


def shares(typed, **more):
    """`a` is x itself, `b` a seventh of it, `c` twice that."""
    steps = {"a": "x", "b": "x / 7", "c": "b * 2"}
    problem = load({"given": {"x": [["1/3", "0.126"]]}, "steps": steps, **more})
    lines = tuple(Filled(None, step, {}) for step in problem.plan.steps() if step.name in typed)
    return MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, lines))


def line_of(sources, key, digits=1, program=None, accepted=True, values=()):
    """A line of a script that is known, read to so many digits."""
    entry = sources.plan.entries[key]
    reading = Reading(digits, dict(values), {}, working=digits, program=program)
    line = Line(entry, sources.parts[key], Filled(None, entry, {}), reading=reading)
    if accepted:
        line.accepted = LegalDerivation(reading, "round", FULL, box(0, 0))
    sources.lines[key] = line


def ends(cells):
    """The two ends of each entry, one after another."""
    return [float(end) for cell in cells[0] for end in cell]


def test_rounded_givens_stay_open_in_the_right_lines_and_on_the_paper():
    """0.126 may be anything from 0.1255 to 0.1265; a third is a third."""
    sources = shares("b", givens="rounded")
    assert ends(sources.printed_values("given:x")) == pytest.approx([1 / 3, 1 / 3, 0.1255, 0.1265])
    assert ends(sources.right("b"))[2:] == pytest.approx([0.1255 / 7, 0.1265 / 7])
    assert ends(shares("b").printed_values("given:x"))[2:] == [0.126, 0.126]


def test_on_the_paper_stands_what_was_typed_and_what_follows_from_it_in_full():
    sources = shares("b")
    line_of(sources, "b", values={(0, 1): fmpq(1, 10)})
    assert ends(sources.printed_values("b")) == pytest.approx([1 / 21, 1 / 21, 0.1, 0.1])
    assert ends(sources.printed_values("c")) == pytest.approx([2 / 21, 2 / 21, 0.2, 0.2])


def test_a_line_that_is_worked_out_again_is_not_mistaken_for_the_line_itself():
    sources = shares("b")
    sources.keep("b", [box(5, 6)])
    line_of(sources, "b", digits=3)
    own, again = (
        StudentValues(sources, sources.likeliest),
        StudentValues(sources, sources.likeliest, again=frozenset("b")),
    )
    assert own("c", FULL) == box(10, 12)
    assert ends(again("c", FULL)) == pytest.approx([2 / 21, 2 / 21, 0.036, 0.036])
    assert own("c", FULL) == box(10, 12)


def test_a_copy_is_not_rounded_once_more():
    """What was left out is kept to its decimals, unless it is another line or a given as it stands."""
    own, working = own_values(shares("")), IntermediateRounding(1, "round")
    assert ends(own("a", working)) == pytest.approx([1 / 3, 1 / 3, 0.126, 0.126])
    assert ends(own("b", working))[::2] == [0, 0]  # in tenths; or in figures
    assert ends(own("b", FULL)) == pytest.approx([1 / 21, 1 / 21, 0.018, 0.018])


def test_a_program_carries_the_number_that_it_worked_out_behind_few_printed_digits():
    """0.0 and 0.0 are 1/21 and 0.018; a line that it printed in full stands for itself, as does one that is wrong."""
    working, zeros = IntermediateRounding(program=FLOATS["float64"]), [0, 0, 0, 0]

    def carried(working=working, **more):
        sources = shares("b")
        sources.keep("b", [box(0, 0)])
        if more:
            line_of(sources, "b", **more)
        return ends(own_values(sources)("b", working))

    assert carried(digits=1) == pytest.approx([0, 1 / 21, 0, 0.018])
    assert (
        carried() == carried(accepted=False) == carried(program=FLOATS["float64"]) == carried(FULL, digits=1) == zeros
    )


def test_a_program_s_number_without_a_bound_leaves_the_printed_one():
    sources = sources_of({"t": "R / 0.5", "u": "1 / t"}, ["t", "u"])
    sources.keep("t", [[[(fmpq(-1), fmpq(1)), *box(1, 1)[0]]]])
    sources.keep("u", [box(3, 3, 3)])
    line_of(sources, "u")
    assert own_values(sources)("u", IntermediateRounding(program=FLOATS["float64"])) == box(3, 3, 3)


def test_each_site_is_made_once():
    problem = load({"given": GIVEN, "steps": {"a": "R * 2"}})
    (step,) = problem.plan.steps()
    sources = MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, ()), {})
    assert sources.site(step).step is step and sources.site(step) is sources.sites[step.key]


@for_each(("number", "positive", "least"), [
    ((1, 1000), True, True), ((1, 1000), False, False), ((-1, 1000), True, False), ((1, 2), True, True),
])  # fmt: skip
def test_what_is_said_to_be_above_0_is_not_noted_as_0(number, positive, least):
    x = fmpq(*number)
    low, high = rounded_on_scratch_paper((x, x), IntermediateRounding(1, "round"), positive)
    assert (low > 0) == least and low <= max(x, 0) <= max(high, 0)


def test_what_may_be_0_may_be_noted_as_0():
    working = IntermediateRounding(1, "round")
    for low, high in ((fmpq(0), fmpq(1, 5)), (fmpq(-1, 1000), fmpq(1, 5))):
        assert rounded_on_scratch_paper((low, high), working, True) == rounded_on_scratch_paper(
            (low, high), working, False
        )


# -- equal orders of what was not written down -------------------------------------------------------------------------


def orders_before(steps):
    """The choices among equal orders on the way to the last step, where it alone is written."""
    problem = load({"given": GIVEN, "steps": steps})
    *_, last = problem.plan.steps()
    context = MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, (Filled(None, last, {}),)))
    return [{key: len(nodes) for key, nodes in choice} for choice in orders_of_omitted_steps(context, last)]


@for_each(("count", "choices"), [(0, 0), (1, 1), (2, 3), (4, 15)])
def test_each_choice_of_an_order_for_each_unwritten_step_is_tried_but_that_of_their_own(count, choices):
    roots = {f"t{k}": f"R / sqrt({k + 2})" for k in range(count)}
    found = orders_before(roots | {"y": " + ".join(["R", *roots])})
    assert found == [dict.fromkeys(roots, 1)] * choices


def test_where_choices_are_too_many_all_orders_are_taken_together():
    roots = {f"t{k}": f"R / sqrt({k + 2})" for k in range(5)}
    assert orders_before(roots | {"y": " + ".join(roots)}) == [dict.fromkeys(roots, 2)]


@pytest.mark.parametrize(("between", "choices"), [("t + 1", 1), ("softmax(t)", 0)])
def test_orders_are_looked_for_further_back_but_not_behind_weights(between, choices):
    assert len(orders_before({"t": "R / sqrt(3)", "u": between, "y": "u * 2"})) == choices


def test_of_more_boxes_than_three_the_first_stays_and_the_others_are_one(monkeypatch):
    problem = load({"given": GIVEN, "steps": {"t": "R * 2", "y": "t + 1"}})
    first, _ = problem.plan.steps()
    line = Line(first, problem.parts[0], Filled(None, first, {}))
    context = MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, (line.filled,)))

    def kept(count):
        boxes = iter([Carried(box(k)) for k in range(count)])
        monkeypatch.setattr("attncalc.marking.follow_through.carried_from", lambda context, line, sources: next(boxes))
        return carried_enclosures(context, line, [[]] * count)[0]

    assert kept(3) == [box(0), box(1), box(2)] and kept(4) == [box(0), hull(1, 3)]
