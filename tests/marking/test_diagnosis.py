"""From a wrong line to its cause: two mistakes in one step, what would be told of a line that was answered so instead,
and a line that a hand or a program may have written.
"""

import random
from dataclasses import replace
from math import log2

import pytest
from flint import ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load
from attncalc.api import check as check_answers
from attncalc.arithmetic.intervals.intermediate_rounding import FLOATS, FULL
from attncalc.arithmetic.intervals.interval_evaluator import evaluate
from attncalc.explain.report_messages import reason_text
from attncalc.generator.diagnosability import evidence_margin, mark_counterfactual
from attncalc.marking.context import PRECISION, Line, StudentValues
from attncalc.marking.diagnosis.cause import Cause
from attncalc.marking.diagnosis.evidence import Evidence
from attncalc.marking.diagnosis.search import Search, as_read, causes
from attncalc.marking.precision import Reading, at_working_precision
from attncalc.marking.report import check
from attncalc.mistakes.catalogue import applicable_mistakes, catalogue
from attncalc.mistakes.mistake import Pairs
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.submissions.step_matching import Bound
from tests.support.laws import examples
from tests.support.scripts import Hand, filled, script, typed, work
from tests.support.sweeps import for_each

RNG = random.Random(4)
NUMBERS = {
    name: [[RNG.randint(-5, 5) for _ in range(m)] for _ in range(n)]
    for name, n, m in (("X", 3, 4), ("W_Q", 4, 4), ("W_K", 4, 4), ("W_V", 4, 4), ("b_Q", 1, 4), ("b_K", 1, 4))
}
HEAD = load({"given": NUMBERS, "rounding": {"digits": 3}, "self_attention": {}})
HAND = Hand(random.Random(1), 3, "half_up")
RIGHT = script(HEAD, HAND)


def step_of(problem, name):
    return next(step for step in problem.plan.steps() if step.name == name)


def values_of(problem):
    """The right numbers of every line."""
    values = {}
    for key, entry in problem.plan.entries.items():
        values[key] = work(entry.node, values, HAND)
    return values


def answered_so(problem, step, node):
    """The right script, but for one line worked by another formula from the right lines before it."""
    rows = work(node, values_of(problem), HAND)
    return filled(step, rows, 3)


# -- two mistakes in one step ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "codes"), [
    ("Q", {"weights-transposed", "query-key-swapped"}), ("Q", {"bias-forgotten", "weights-transposed"}),
    ("K", {"bias-forgotten", "query-key-swapped"}),
])  # fmt: skip
def test_two_mistakes_in_one_step_are_both_named_for_what_both_cost(name, codes):
    """Where no single one explains the line: bits for every wrong entry, less those of the two among all pairs, one
    explanation in twenty.
    """
    step = step_of(HEAD, name)
    pairs = Pairs(StepAnalysis(HEAD.plan, step), list(catalogue().values())).pairs
    pair = next(pair for pair in pairs if {pair.first.code, pair.second.code} == codes)
    report = check(HEAD, script(HEAD, HAND, {step.key: pair.node}))
    found = next(one for one in report.steps if one.step.name == name)
    with ctx.workprec(PRECISION):
        most = sum(
            Evidence(None, found.line, None, report.context.expected(step, report.context.likeliest)).worth[at]
            for at in found.line.cells
        )
    assert found.verdict == "wrong" and codes <= {cause.code for cause in found.causes}
    both = {cause.bits for cause in found.causes if cause.code in codes}
    assert max(both) == pytest.approx(most - pair.bits + log2(0.05)) and len(both) == 1
    with ctx.workprec(PRECISION):
        _, found = mark_counterfactual(check(HEAD, RIGHT).context, answered_so(HEAD, step, pair.node))
    assert codes <= {cause.code for cause in found}


def test_two_mistakes_are_named_where_one_number_stands_twice():
    rng = random.Random(2)
    shapes = {"X": (3, 4), "W_Q": (4, 4), "W_K": (4, 4), "W_V": (4, 4), "b_Q": (1, 4), "b_K": (1, 4)}
    numbers = {name: [[rng.randint(-5, 5) for _ in range(m)] for _ in range(n)] for name, (n, m) in shapes.items()}
    problem = load({"given": numbers, "rounding": {"digits": 3}, "self_attention": {}})
    step, codes = step_of(problem, "Q"), {"weights-transposed", "query-key-swapped"}
    found = Pairs(StepAnalysis(problem.plan, step), list(catalogue().values())).pairs
    rows = {pair: [x for row in work(pair.node, values_of(problem), HAND) for x in row] for pair in found}
    pair = next(one for one, row in rows.items() if {one.first.code, one.second.code} == codes and row[0] in row[1:])
    report = check(problem, script(problem, HAND, {step.key: pair.node}))
    assert codes <= {cause.code for cause in report.first_wrong.causes}


def test_a_number_that_stands_everywhere_is_explained_by_no_two_mistakes():
    """Very many pairs lead to it."""
    numbers = {
        "Q": [[1, 0, 1, 0], [0, 1, 0, 1]], "K": [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1]], "V": [[1], [2], [3]],
    }  # fmt: skip
    problem = load({"given": numbers, "rounding": {"digits": 3}, "attention": {}})
    step = step_of(problem, "S_scaled")
    assert [[str(x) for x in row] for row in work(step.node, values_of(problem), HAND)] == [["0.5"] * 3] * 2
    for number in ("0.177", "2.828", "-0.25"):
        report = check_answers(problem, {"S": [[1, 1, 1], [1, 1, 1]], "S_scaled": [[number] * 3] * 2})
        assert len(report.first_wrong.causes) <= 1, number


# -- what would be told of a line that was answered so -----------------------------------------------------------------

LINES = [
    (name, mistake, node)
    for name in ("Q", "S_scaled", "A", "Z")
    for mistake in applicable_mistakes(StepAnalysis(HEAD.plan, step_of(HEAD, name)))
    for node in list(mistake.nodes(StepAnalysis(HEAD.plan, step_of(HEAD, name))))[:1]
][::9]


@for_each(("name", "mistake", "node"), LINES, ids=[f"{name} {m.code}" for name, m, _ in LINES])
def test_what_is_told_of_a_line_is_known_before_it_is_written(name, mistake, node):
    """The same as of a script that has the line, and the context goes on as it was."""
    step, report = step_of(HEAD, name), check(HEAD, RIGHT)
    line = answered_so(HEAD, step, node)
    held = report.context.carried[step.key]
    with ctx.workprec(PRECISION):
        found, causes = mark_counterfactual(report.context, line)
    assert report.context.carried[step.key] == held
    changed = Bound(RIGHT.script, HEAD, tuple(line if one.step is step else one for one in RIGHT.steps))
    told = next(one for one in check(HEAD, changed).steps if one.step is step)
    assert (found.verdict, [(c.code, round(c.bits, 6)) for c in causes]) == (
        told.verdict,
        [(c.code, round(c.bits, 6)) for c in told.causes],
    )


@pytest.mark.parametrize(("digits", "worth"), [(0, False), (1, True), (3, True)])
def test_a_mistake_is_worth_a_name_where_its_entries_say_more_than_it_costs(digits, worth):
    """One score of two that are told as whole numbers is too little; with decimals it is enough."""
    problem = load({"given": {"Q": [[1, 1, 2]], "K": [[2, 2, 0]], "V": [[1]]}, "attention": {}})
    step = step_of(problem, "S_scaled")
    mistake = catalogue()["scale-without-root"]
    node, *_ = mistake.nodes(StepAnalysis(problem.plan, step))
    context = check(problem, script(problem, HAND)).context
    own = StudentValues(context, context.likeliest)
    with ctx.workprec(PRECISION):
        box = evaluate(node, lambda key: own(key, FULL))
        line = filled(step, work(node, values_of(problem), HAND), digits)
        assert (evidence_margin(context, line, mistake, node, box) >= 0) == worth


# -- one number, two explanations -------------------------------------------------------------------------------------


def codes_of(problem, **answers):
    """The causes of the last line that was answered, and those that are different acts."""
    last = [step for step in check_answers(load(problem), answers).steps if step.causes][-1]
    return [cause.code for cause in last.causes], [cause.code for cause in last.acts]


@for_each("code", ["softmax-base-10", "softmax-base-2", "softmax-of-negatives", "softmax-twice"])
def test_what_differs_in_the_fourth_decimal_is_told_apart_in_six(code):
    """Of scores near 0 all weights are near 1/2."""
    given_ = {"Q": [["0.03", "0.05"]], "K": [["0.07", "0.02"], ["-0.04", "0.06"]], "V": [[1], [2]]}
    problem = load({"given": given_, "rounding": {"digits": 6}, "attention": {}})
    step = step_of(problem, "A")
    node, *_ = catalogue()[code].nodes(StepAnalysis(problem.plan, step))
    report = check(problem, script(problem, Hand(random.Random(1), 6, "half_up"), {step.key: node}))
    assert [cause.code for cause in report.first_wrong.causes] == [code]


def test_a_loss_without_its_logarithm_is_not_one_with_the_wrong_sign():
    """Small probabilities and their logarithms lie on both sides of 0, far from each other."""
    problem = {"given": {"logits": [["1.2", "-0.3", "0.5"], ["0.7", "0.2", "-1.5"]], "targets": [1, 2]},
        "cross_entropy": {}, "rounding": {"digits": 4}}  # fmt: skip
    picked = [["0.1297"], ["0.0645"]]
    weights = [["0.5815", "0.1297", "0.2888"], ["0.5823", "0.3532", "0.0645"]]
    assert codes_of(problem, P=weights, picked=picked, losses=picked)[0] == ["loss-without-logarithm"]


def test_two_explanations_with_the_same_numbers_are_one_act():
    """Without the hidden line it cannot be seen whether the activation was left out there or behind it."""
    problem = {"given": {"X": [[1, -2], [2, 3]], "W_1": [[1, -2, 1], [-3, 1, 2]], "b_1": [0, 0, 0],
        "W_2": [[1, 2], [2, -1], [3, 1]], "b_2": [1, 2]}, "rounding": {"digits": 2}, "feed_forward": {}}  # fmt: skip
    told, acts = codes_of(problem, Y=[["-9.00", "17.00"], ["16.00", "-3.00"]])
    assert set(told) == {"relu-forgotten", "hidden-without-activation"} and acts == ["relu-forgotten"]


@for_each(("one", "other", "like"), [
    ("1 2", "1 2", True), ("1 2", "1 3", False), ("1 2", "3 2", False), ("1 2", "5 5", False), ("", "1 2", False), ("", "", False),
])  # fmt: skip
def test_a_mistake_is_like_another_where_all_of_its_wrong_entries_are(one, other, like):
    first, second = (
        Cause("", "", "", 0.0, on_paper=tuple((fmpq(int(x)), fmpq(int(x))) for x in text.split()))
        for text in (one, other)
    )
    assert first.is_like(second) == like


def test_of_a_line_that_is_not_wrong_nothing_is_told():
    """A unit too much in 0.67 is the entry beside it as well."""
    problem = load({"given": {"x": [["4.7", "4.75", 700, 900]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 7"}})
    context = check_answers(problem, {"y": [["0.67", "0.68", "100.00", "128.57"]]}).context
    line = filled(step_of(problem, "y"), [[0.68, 0.68, 100, 128.57]], 2)
    with ctx.workprec(PRECISION):
        found, told = mark_counterfactual(context, line)
    assert (found.verdict, told) == ("last_digit", [])


@pytest.mark.parametrize("code", ["scores-of-tokens", "scores-with-values"])
def test_a_mistake_two_lines_that_were_left_out_before_is_named_there(code):
    step = step_of(HEAD, "S")
    node, *_ = catalogue()[code].nodes(StepAnalysis(HEAD.plan, step))
    left_out = ("S", "S_scaled")
    report = check(HEAD, script(HEAD, HAND, {step.key: node}, shown=lambda one: one.name not in left_out))
    assert report.first_wrong.step.name == "A"
    assert [(cause.code, cause.at.name) for cause in report.first_wrong.causes] == [(code, "S")]


@for_each("blank", [(), (0,), (0, 1), (1, 2)])
def test_a_mistake_is_named_by_the_rows_that_are_answered(blank):
    given_ = {"Q": [[1, 0, 2], [0, 7, 1], [5, 1, 9]], "K": [[1, 1, 0], [0, 4, 2], [3, 0, 1]], "V": [[1], [2], [4]]}
    problem = load({"given": given_, "rounding": {"digits": 3}, "attention": {}})
    step = step_of(problem, "S_scaled")
    node, *_ = catalogue()["scale-without-root"].nodes(StepAnalysis(problem.plan, step))
    rows = [[f"{float(x):.3f}" for x in row] for row in work(node, values_of(problem), HAND)]
    typed_ = [[None] * 3 if i in blank else row for i, row in enumerate(rows)]
    assert [cause.code for cause in check_answers(problem, {"S_scaled": typed_}).first_wrong.causes] == [
        "scale-without-root"
    ]


def test_what_stands_between_a_mistake_and_the_line_in_which_it_shows_is_implied_by_a_line_with_a_mistake():
    given_ = {"Q": [[1, 0, 1], [0, 1, 1], [1, 1, 0]], "K": [[1, 1, 0], [0, 1, 1], [1, 0, 1]], "V": [[1], [2], [4]]}
    problem = load({"given": given_, "rounding": {"digits": 3}, "attention": {"mask": "causal"}})
    step = step_of(problem, "S_scaled")
    node, *_ = catalogue()["scale-forgotten"].nodes(StepAnalysis(problem.plan, step))
    for nodes, more in (({step.key: node}, True), ({}, False)):
        report = check(problem, script(problem, HAND, nodes, shown=lambda one: one.name in ("S", "A")))
        (masked,) = (one for one in report.steps if one.step.name == "S_masked")
        assert (
            masked.mark.earned
            and reason_text(masked.mark.reasons).endswith(
                "depends on it, and that answer's mistake was made in another step"
            )
            == more
        )
        assert reason_text(masked.mark.reasons).endswith("implied by your later correct steps") != more


def test_tokens_without_their_positions_are_told_however_the_positions_were_written():
    """Positions that are all 1 leave open whether they were left out or multiplied."""
    rows = [[-2, 1, -2, -2, -1, -1], [2, 1, -2, 1, -1, 2]]
    problem = {"given": {"X": rows}, "positional_encoding": {}, "rounding": {"digits": 6}}
    typed_ = [[f"{x}.000000" for x in row] for row in rows]
    assert codes_of(problem, X_pe=typed_)[0] == ["positions-forgotten"]
    told = codes_of(problem, PE=[[1] * 6] * 2, X_pe=typed_)[0]
    assert set(told) == {"positions-forgotten", "positions-multiplied"}


def test_the_sign_of_the_only_entry_is_a_slip_where_no_mistake_turns_it():
    problem = {"given": {"x": [[1]]}, "rounding": {"digits": 4}, "steps": {"y": "x / 3"}}
    assert codes_of(problem, y="-0.3333")[0] == ["sign"]


# -- written by a hand or by a program ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_a_line_of_seven_digits_by_a_hand_that_cuts_is_explained_as_one(seed):
    """It may be a float32's print as well, but no such program makes these numbers of these lines."""
    rng = random.Random(seed)
    given_ = {name: [[rng.randint(-3, 3) for _ in range(3)] for _ in range(3)] for name in "QKV"}
    problem = load({"given": given_, "rounding": {"digits": 7}, "attention": {}})
    step = step_of(problem, "A")
    node, *_ = catalogue()["softmax-base-10"].nodes(StepAnalysis(problem.plan, step))
    hand = Hand(rng, 7, "cut", hidden="cut")
    report = check(problem, script(problem, hand, {step.key: node}))
    assert "softmax-base-10" in {cause.code for cause in report.first_wrong.causes}


# -- which causes are told, and by which reading -----------------------------------------------------------------------


@pytest.mark.parametrize(("behind", "told"), [(2.9, 2), (3.0, 2), (3.1, 1)])
def test_causes_are_told_together_within_three_bits(behind, told, monkeypatch):
    step = step_of(HEAD, "S_scaled")
    node, *_ = catalogue()["scale-without-root"].nodes(StepAnalysis(HEAD.plan, step))
    report = check(HEAD, script(HEAD, HAND, {step.key: node}))
    found = [Cause(code, "", "", bits) for code, bits in (("one", 20.0), ("other", 20.0 - behind))]
    monkeypatch.setattr(Search, "causes", lambda self, *asked: found)
    assert len(causes(report.context, report.first_wrong.line)) == told


def test_a_line_is_explained_by_each_way_to_read_it():
    """By a hand's reading and by a program's, or as complete and as rounded."""
    values = {(0, 0): fmpq(1, 3)}
    hand, figures = Reading(7, values, {}), Reading(7, values, {(0, 0): fmpq(1)})
    coarse = Reading(7, values, {}, coarse=True)
    program, rounded = Reading(7, values, {}, program=FLOATS["float32"]), Reading(6, values, {}, coarse=True)

    def read(reading, *ways):
        groups = as_read(Line(None, None, None, reading=reading, readings=list(ways)))
        return [[one.reading for one in group] for group in groups]

    assert read(hand, program, hand) == [[hand, program], []]
    assert read(program, program, hand) == [[program, hand], []]
    assert read(hand, program, hand, coarse) == [[hand, program, coarse], []]
    assert read(hand, hand, rounded) == [[hand, rounded], []] and read(rounded, hand, rounded) == [[rounded, hand], []]
    assert read(hand, hand, figures) == [[hand], [figures]]  # only where the first explain nothing
    zero = Reading(0, {(0, 0): fmpq(0)}, {(0, 0): fmpq(1)}, coarse=True, working=2)
    assert read(zero, hand, zero) == [[at_working_precision(zero)]] != [[zero]]  # zeros alone are complete
    by_program = replace(zero, program=FLOATS["float32"])
    assert read(by_program, by_program, zero) == [[by_program, zero], []]


def near(one, rng, digits):
    """An entry that is a unit of its last digit off."""
    return typed(f"{float(one.text) + rng.choice((-1, 1)) * 10**-digits:.{digits}f}")


def spoiled(rng, line):
    """The line with one entry that may be another."""
    return replace(line, cells={**line.cells, rng.choice(list(line.cells)): typed(rng.choice(("0.37", "-2.00", "1")))})


# -- a matrix normalised as a whole ------------------------------------------------------------------------------------

NORMS = [  # ε under the root, beside it, and a norm in steps of an author's
    ({"layer_norm": {"eps": "0.5"}}, "normed", False),
    ({"layer_norm": {"eps": "0.5", "eps_in": "std"}}, "normed", True),
    ({"layer_norm": {"eps": 0}}, "normed", False),
    ({"steps": {"m": "row_mean(X)", "n": "(X - m) / sqrt(row_var(X) + 0.5)"}}, "n", False),
    ({"steps": {"m": "row_mean(X)", "s": "row_std(X)", "n": "(X - m) / (s + 0.5)"}}, "n", True),
    ({"steps": {"n": "(X - row_mean(X)) / row_std(X)"}}, "n", False),
    ({"steps": {"c": "X - row_mean(X)", "n": "c / sqrt(row_mean(c ** 2) + 0.5)"}}, "n", False),
]


def as_a_whole(rows, eps, beside):
    entries = [x for row in rows for x in row]
    mean = sum(entries) / len(entries)
    var = sum((x - mean) ** 2 for x in entries) / len(entries)
    deviation = var**0.5 + eps if beside else (var + eps) ** 0.5
    return [[f"{(x - mean) / deviation:.3f}" for x in row] for row in rows]


@for_each(("part", "name", "beside"), NORMS)
def test_a_matrix_that_is_normalised_as_a_whole_keeps_its_epsilon(part, name, beside):
    rows = [[1, 4, -2, 0], [3, 7, 1, 2]]
    eps = 0.5 if "0.5" in str(part) else 0
    problem = load({"rounding": {"digits": 3}, "given": {"X": rows}} | part)
    found = check_answers(problem, {"answers": {name: as_a_whole(rows, eps, beside)}})
    assert [cause.code for cause in step_named(found, name).causes] == ["normalised-as-a-whole"]


@for_each(("part", "name", "beside"), NORMS)
def test_one_row_is_never_normalised_as_a_whole(part, name, beside):
    problem = load({"rounding": {"digits": 3}, "given": {"X": [[1, 4, -2, 0]]}} | part)
    found = check_answers(problem, {"answers": {name: as_a_whole([[1, 4, -2, 0]], 0, beside)}})
    assert "normalised-as-a-whole" not in {cause.code for cause in step_named(found, name).causes}


def step_named(found, name):
    return next(step for step in found.steps if step.step.name == name)


# -- what rounding cannot explain --------------------------------------------------------------------------------------


@examples(30)
@given(st.integers(1, 40), st.sampled_from([("0.99", 3), ("0.99", 4), ("0.999", 4), ("0.999", 5)]))
def test_law_what_has_no_value_with_rounded_constants_is_not_explained_by_them(x, kept):
    """1 − 0.999 is 0 where 0.999 is kept to two decimals, and any number comes of a division by it."""
    beta, digits = kept
    problem = load(
        {"rounding": {"digits": digits}, "given": {"g": [[x]]}, "steps": {"v": f"1 - {beta}", "y": "g / sqrt(v)"}}
    )
    for typed_ in (x / 3, x * 7, x + 1000):
        found = step_named(check_answers(problem, {"answers": {"y": f"{typed_:.{digits}f}"}}), "y")
        assert (found.verdict, found.causes) == ("wrong", []) and found.mark.earned == 0


def two_weights(base, *columns):
    """Weights of base 2 instead of e that are left out, and what comes of columns that only one of them meets."""
    scores, at = base
    rows = [[str(x) for x in columns] if k == at else [0] * len(columns) for k in range(len(scores))]
    given_ = {"S": [scores], "V": rows}
    return {"given": given_, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)", "Z": "A @ V"}}


@for_each(("column", "named"), [(8, True), (12, True), (14, False), (40, False)])
def test_rounding_on_the_way_moves_an_entry_by_three_units_where_a_mistake_explains_it(column, named):
    """1/3 kept as 0.33 is a third of a unit off; what is told of it could print one unit higher."""
    columns = [column, column - 1, column - 2]
    for scores, formula in (([0, 1], "softmax(S)"), ([0, "sqrt(3)"], "softmax(S / sqrt(3))")):
        problem = two_weights((scores, 0), *columns)
        problem["steps"]["A"] = formula
        found = check_answers(load(problem), {"Z": [[f"{0.33 * x:.2f}" for x in columns]]})
        assert [cause.code for cause in step_named(found, "Z").causes] == ["softmax-base-2"] * named
    found = check_answers(load(two_weights(([0, 1], 0), column)), {"Z": [[f"{0.33 * column:.2f}"]]})
    assert [cause.code for cause in step_named(found, "Z").causes] == ["softmax-base-2"] * named  # by less than a bit


@pytest.mark.parametrize("column", ["1.5", "2"])
def test_truncation_on_the_way_hides_no_mistake(column):
    """2/7 kept as 0.28 is 4/7 of a unit off."""
    columns = [column, 1, "0.5", "1.25"]
    problem = two_weights(([0, 1, 2], 1), *columns)
    problem["steps"]["Z"] = "1 - A @ V"
    found = check_answers(load(problem), {"Z": [[f"{1 - 0.28 * float(x):.2f}" for x in columns]]})
    assert [cause.code for cause in step_named(found, "Z").causes] == ["softmax-base-2"]


@pytest.mark.parametrize(("kept", "named"), [("0.07", True), ("0.06", False)])
def test_a_step_that_is_left_out_is_kept_to_the_decimals_of_a_line_where_a_mistake_explains_it(kept, named):
    """1/15 as 0.07 on scratch paper, not as 0.067."""
    columns = (3, 4, 5, 6, 7, 8)
    found = check_answers(
        load(two_weights(([0, 1, 2, 3], 0), *columns)), {"Z": [[f"{float(kept) * x:.2f}" for x in columns]]}
    )
    assert [cause.code for cause in step_named(found, "Z").causes] == ["softmax-base-2"] * named


def test_all_weight_on_the_largest_is_told_where_two_scores_are_the_largest():
    """Of these the numbers on the paper leave open which one it is."""
    problem = {"given": {"S": [[1, 1, 2], [2, 2, 0]]}, "rounding": {"digits": 3}, "steps": {"A": "softmax(S)"}}
    assert codes_of(problem, A=[[0, 0, 1], [0, 1, 0]])[0] == ["softmax-all-to-the-largest"]


def test_a_sign_that_a_mistake_turns_is_no_slip_where_all_other_entries_are_0():
    rows = {"logits": [[20, 0], [20, 0], [20, 0], [1, 2]], "targets": [0, 0, 0, 0]}
    problem = {"given": rows, "cross_entropy": {}, "rounding": {"digits": 2}}
    assert codes_of(problem, losses=[["0.00"], ["0.00"], ["0.00"], ["-1.31"]])[0] == ["loss-sign"]


def test_a_rounded_constant_is_named_although_the_divisor_could_be_rounded_to_0():
    """0.96 as 1.0 leaves 1 − e^−0.004, whose exponential is then kept to more digits than 1.00."""
    given_ = {"x": [[1, 2]], "u": "0.004"}
    problem = {"given": given_, "rounding": {"digits": 2}, "steps": {"y": "x / (0.96 - exp(-u))"}}
    found = step_named(check_answers(load(problem), {"y": [["250.50", "501.00"]]}), "y")
    assert (found.verdict, [cause.code for cause in found.causes]) == ("wrong", ["constant-rounded"])
