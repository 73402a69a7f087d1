"""Marking: legal work is never refused, every mistake is found by name, and what follows from a mistake is not charged
again.
"""

import json
import random
import re
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from attncalc import load, solve
from attncalc.api import check
from attncalc.cli import cli
from attncalc.explain.mistake_page import examples
from attncalc.explain.report_messages import summary
from attncalc.formula.parser import parse
from attncalc.marking.report import check as mark
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.slip_catalogue import SLIPS
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.resources import problem_names
from tests.bench.classes import LESSONS
from tests.bench.marking import legal, mistakes
from tests.support.scripts import Hand, script
from tests.support.sweeps import for_each

EXAMPLES = Path(__file__).parents[1] / "data" / "examples"
HEAD = {
    "given": {
        "Q": [[1, 0, 2, 1], [0, 1, 1, 2], [1, 1, 0, 1]],
        "K": [[1, 1, 0, 2], [0, 1, 2, 1], [1, 0, 1, 1]],
        "V": [[1, 2], [3, 4], [5, 6]],
    },
    "attention": {"mask": "causal"},
}
RIGHT = {
    "S": [[3, 5, 4], [5, 5, 3], [4, 2, 2]],
    "S_scaled": [[1.5, 2.5, 2], [2.5, 2.5, 1.5], [2, 1, 1]],
    "A": "1.00 0.00 0.00\n0.50 0.50 0.00\n0.58 0.21 0.21",
    "Z": "1.00 2.00\n2.00 3.00\n2.27 3.27",
}
NO_SCALE = {
    "S": RIGHT["S"],
    "S_scaled": [[3, 5, 4], [5, 5, 3], [4, 2, 2]],
    "A": "1.00 0.00 0.00\n0.50 0.50 0.00\n0.79 0.11 0.11",
    "Z": "1.00 2.00\n2.00 3.00\n1.63 2.63",
}


def answers(**steps):
    return {"answers": steps}


def verdicts(report):
    return {step.step.name: step.verdict for step in report.steps}


# -- rule R1: never refuse honest work ---------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_no_legal_script_is_refused():
    """A small run of the simulation of tests/bench; 20,000 scripts and more stand in docs/marking-tests.md."""
    found, refused, _ = legal(len(LESSONS) * 8, seed=2026)
    assert not refused
    assert sum(count["scripts"] for count in found.values()) > len(LESSONS) * 7


CORNERS = [
    {"habit": "floor", "hidden": "floor", "carry": "guard", "products": True},
    {"habit": "cut", "hidden": "cut", "carry": "print", "shifted": True},
    {"habit": "half_even", "hidden": "half_down", "carry": "mixed"},
    {"habit": "half_up", "hidden": "floor", "carry": "full", "products": True, "shifted": True},
]


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("name", problem_names())
def test_corner_habits_on_every_problem(name):
    problem = load(name)
    for number, corner in enumerate(CORNERS):
        try:
            bound = script(problem, Hand(random.Random(number), 2 + number % 3, **corner))
        except (ZeroDivisionError, KeyError):  # a divisor cut to 0; an operation that the simulated hand does not know
            continue
        # Only zeros
        lines = [
            line
            for line in mark(problem, bound).context.lines.values()
            if not (line.is_uninformative and line.verdict == "missing")
        ]
        assert {line.verdict for line in lines} <= {"right", "truncated", "too_coarse"}, [
            (line.key, line.verdict) for line in lines
        ]


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize("name", problem_names())
def test_right_answers_get_full_marks(name):
    problem = load(name)
    solution = solve(problem)
    typed = {}
    for part in solution.parts:
        steps = {step.name: step.decimals(max(6, part.part.rounding.digits)) for step in part.steps}
        if part.name is None:
            typed |= steps
        else:
            typed[part.name] = steps
    report = check(problem, {"answers": typed})
    assert report.passed
    assert report.earned == report.out_of
    assert set(verdicts(report).values()) <= {"right"}


# -- verdicts ----------------------------------------------------------------------------------------------------------

SHEET = {"rounding": {"digits": 2}}
VERDICTS = [
    ("all right", {}, RIGHT, {"S": "right", "S_scaled": "right", "A": "right", "Z": "right"}),
    ("only the last step", {}, {"Z": RIGHT["Z"]}, {"Z": "right"}),
    ("one row of the last step", {}, {"Z[2]": ["2.27", "3.27"]}, {"Z": "right"}),
    ("cut", {}, {"A": "1.00 0.00 0.00\n0.50 0.50 0.00\n0.57 0.21 0.21"}, {"A": "truncated"}),
    (
        "one unit off",
        {},
        {"S": [[3, 5, 4], [5, 5, 3], [4, 2, 2]], "A": "1.00 0.00 0.00\n0.50 0.50 0.00\n0.58 0.22 0.21"},
        {"A": "last_digit"},
    ),
    ("too few digits", SHEET, {"A": "1 0 0\n0.5 0.5 0\n0.6 0.2 0.2"}, {"A": "too_coarse"}),
    ("few digits where none are asked", {}, {"A": "1 0 0\n0.5 0.5 0\n0.6 0.2 0.2"}, {"A": "right"}),
    ("more digits than asked", SHEET, {"A": "1 0 0\n0.5 0.5 0\n0.57612 0.21194 0.21194"}, {"A": "right"}),
    ("fractions", {}, {"S_scaled": [["3/2", "5/2", 2], ["5/2", "5/2", "3/2"], [2, 1, 1]]}, {"S_scaled": "right"}),
    ("closed forms", {}, {"A[2]": ["e/(e + 2)", "1/(e + 2)", "1/(e + 2)"]}, {"A": "right"}),
    ("a whole number that is one off", {}, {"S": [[3, 5, 4], [5, 6, 3], [4, 2, 2]]}, {"S": "wrong"}),
    ("−1e9 for −∞", {}, {"S_masked": [[1.5, "-1e9", "-1e9"], [2.5, 2.5, "-1e9"], [2, 1, 1]]}, {"S_masked": "right"}),
    ("a mistake and what follows", {}, NO_SCALE, {"S": "right", "S_scaled": "wrong", "A": "carried", "Z": "carried"}),
    (
        "a slip, then worked on from the right number",
        {},
        RIGHT | {"S": [[3, 5, 4], [5, 5, 3], [4, 2, 7]]},
        {"S": "wrong", "S_scaled": "right", "A": "right", "Z": "right"},
    ),
    (
        "two mistakes",
        {},
        NO_SCALE | {"Z": "3.00 4.00\n4.00 5.00\n4.63 5.63"},
        {"S": "right", "S_scaled": "wrong", "A": "carried", "Z": "wrong"},
    ),
]


@pytest.mark.parametrize(
    ("sheet", "typed", "expected"), [row[1:] for row in VERDICTS], ids=[row[0] for row in VERDICTS]
)
def test_verdicts(sheet, typed, expected):
    found = verdicts(check(load(HEAD | sheet), answers(**typed)))
    assert {name: found[name] for name in expected} == expected


def test_a_set_of_equal_explanations_is_told_as_one():
    """d_k = 4 and a scale of 2: dividing by d_k is multiplying by 4 in one reading only; by √d_k twice is the same as
    by d_k.
    """
    typed = answers(S=RIGHT["S"], S_scaled=[[0.75, 1.25, 1], [1.25, 1.25, 0.75], [1, 0.5, 0.5]])
    report = check(load(HEAD), typed)
    assert [c.code for c in report.first_wrong.causes] == ["scale-without-root"]


@pytest.mark.parametrize("formula, told", [
    ("softmax(keep(softmax(S_masked), causal(3, 3)))", ["softmax-twice"]),  # masked twice on the way
    ("softmax(softmax(S_masked))", ["softmax-twice"]),
    ("softmax(keep(S_masked, causal(3, 3)))", []),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_no_mask_is_told_as_needless_where_one_belongs(seed, formula, told):
    rng = random.Random(seed)
    numbers = {
        name: [[rng.randint(-2, 2) for _ in range(2)] for _ in range(2 + (name == "X"))]
        for name in ("X", "W_Q", "W_K", "W_V")
    }
    problem = load({"given": numbers, "self_attention": {"mask": "causal"}})
    step = next(step for step in problem.plan.steps() if step.name == "A")
    bound = script(problem, Hand(rng, 3, "half_up"), {"A": StepAnalysis(problem.plan, step).node(parse(formula))})
    assert [cause.code for found in mark(problem, bound).steps for cause in found.causes] == told


@pytest.mark.parametrize("lesson, step, formula, digits, told", [
    ({"attention": {}}, "A", "exp(S_scaled)", 3, "softmax-not-divided"),  # no weights: each says much, however large
    ({"attention": {}}, "S_scaled", "S * 1.41421", 5, "scale-multiplied"),  # the root kept to the line's decimals
    ({"attention": {}}, "S_scaled", "S / 1.732", 3, "scale-by-root-n"),
    ({"self_attention": {}}, "Q", "X @ W_K + b_K", 2, "query-key-swapped"),
    ({"multi_head_attention": {"heads": "2"}}, "V_2", "X[:, 2:4]", 1, "values-not-projected"),
])  # fmt: skip
def test_what_hands_do_to_numbers_hides_no_mistake(lesson, step, formula, digits, told):
    rng = random.Random(f"{step}{formula}")
    wide = "multi_head_attention" in lesson
    shapes = {"Q": (3, 2), "K": (3, 2), "V": (3, 2)} if "attention" in lesson else {"X": (3, 4)} | dict.fromkeys(
        ("W_Q", "W_K", "W_V", "W_O") if wide else ("W_Q", "W_K", "W_V"),
        (4, 4)) | ({} if wide else {"b_Q": (1, 4), "b_K": (1, 4)})  # fmt: skip
    numbers = {name: [[rng.randint(-5, 5) for _ in range(m)] for _ in range(n)] for name, (n, m) in shapes.items()}
    problem = load({"given": numbers, **lesson})
    line = next(one for one in problem.plan.steps() if one.name == step)
    wrong = StepAnalysis(problem.plan, line).node(parse(formula))
    report = mark(problem, script(problem, Hand(rng, digits, "half_up"), {step: wrong}))
    assert report.first_wrong.step.name == step and told in {cause.code for cause in report.first_wrong.causes}


def test_thin_evidence_names_the_place_alone():
    report = check(load(HEAD), answers(S=[[3, 5, 4], [5, 5, 3], [4, 2, 9]]))
    first = report.first_wrong
    assert (first.step.name, first.causes, [(c.row, c.column, c.typed, c.right) for c in first.cells]) == (
        "S",
        [],
        [(2, 2, "9", "2")],
    )


RIGHT_THREE = [["0.577", "2.309", "1.732"], ["0.577", "1.732", "0.577"], ["1.155", "0.577", "0.577"]]
INACCURACIES = [
    (
        "constant-rounded",
        # √3 as 1.7
        {"S_scaled": [["0.588", "2.353", "1.765"], ["0.588", "1.765", "0.588"], ["1.176", "0.588", "0.588"]]},
    ),
    (
        "rounded-too-early",
        {
            "S_scaled": RIGHT_THREE,
            "A": [["0.102", "0.576", "0.322"], ["0.194", "0.612", "0.194"], ["0.469", "0.265", "0.265"]],
        },
    ),
]


@pytest.mark.parametrize(("code", "typed"), INACCURACIES, ids=[row[0] for row in INACCURACIES])
def test_where_the_method_stands_only_accuracy_is_lost(code, typed):
    three = {
        "given": {
            "Q": [[1, 0, 2], [0, 1, 1], [1, 1, 0]],
            "K": [[1, 1, 0], [0, 1, 2], [1, 0, 1]],
            "V": [[1, 2], [3, 4], [5, 6]],
        }
    }
    report = check(load(three | {"attention": {}, "asked": list(typed), "points": 4}), answers(**typed))
    assert [c.code for c in report.steps[-1].causes] == [code]
    assert report.steps[-1].mark.earned == Fraction(3, 4) * report.steps[-1].mark.out_of


THIRD_ROWS = [
    ("0.506", "0.247", "0.247", True),
    ("0.506", "0.248", "0.246", False),
    ("0.504", "0.249", "0.247", False),
    ("0.505", "0.248", "0.247", False),
]


@pytest.mark.parametrize(("x", "y", "z", "named"), THIRD_ROWS)
def test_rounding_too_early_is_named_where_one_hand_comes_to_all_numbers(x, y, z, named):
    """e^1.414 = 4.1 and e^0.707 = 2.0, kept to one decimal, come to the first row only; all are as near to 0.503,
    0.248, 0.248.
    """
    given = {
        "given": {"Q": [[1, 0], [0, 1], [1, 1]], "K": [[1, 1], [0, 1], [1, 0]]},
        "attention": {"V": "Q", "mask": "causal"},
    }
    scores = [["0.707", "0.000", "0.707"], ["0.707", "0.707", "0.000"], ["1.414", "0.707", "0.707"]]
    weights = [["1.000", "0.000", "0.000"], ["0.500", "0.500", "0.000"], [x, y, z]]
    last = check(load(given | {"asked": ["S_scaled", "A"]}), answers(S_scaled=scores, A=weights)).steps[-1]
    assert [cause.code for cause in last.causes] == (["rounded-too-early"] if named else [])


def test_a_program_print_carries_its_own_rounding():
    # 0.57611688, 0.21194156
    typed = {"A": [["1.0", "0.0", "0.0"], ["0.5", "0.5", "0.0"], ["0.5761169", "0.2119416", "0.2119416"]]}
    assert verdicts(check(load(HEAD), answers(**typed)))["A"] in ("right", "last_digit")
    assert verdicts(check(load(HEAD), {"computed": "float32"} | answers(**typed)))["A"] == "right"


HALVES = {
    "rounding": {"digits": 2},
    "given": {"Q": [["0.5", 1], [1, 0]], "K": [[1, 0], [1, 1]], "V": [["1.5", 2], [3, 4]]},
    "attention": {"scale": "none"},
}


@pytest.mark.parametrize(
    "call", ["{}", "array({})", "Array({}, dtype=float32)", "np.array({})", "tensor({})", "Matrix({})"]
)
@pytest.mark.parametrize(
    ("weights", "verdict"),
    [("[[0.26894142, 0.73105858], [0.5, 0.5]]", "right"), ("[[0.2685, 0.7315], [0.5, 0.5]]", "wrong")],
)
def test_what_a_program_prints_in_few_decimals_is_all_of_it(call, weights, verdict, tmp_path):
    """NumPy prints 0.5 as `0.5`: that is no number rounded to tenths, and no tenth is open in what follows."""
    lines = {"S": "[[0.5, 1.5], [1.0, 1.0]]", "A": weights}
    (tmp_path / "a.txt").write_text("".join(f"{name} = {call.format(rows)}\n" for name, rows in lines.items()))
    found = verdicts(check(load(HALVES), str(tmp_path / "a.txt")))
    assert (found["S"], found["A"]) == ("right", verdict)


# -- marks -------------------------------------------------------------------------------------------------------------


def test_a_mistake_is_charged_once():
    report = check(
        load(HEAD | {"points": {"S": 2, "S_scaled": 1, "A": 4, "Z": 3}, "asked": list(RIGHT)}), answers(**NO_SCALE)
    )
    assert {s.step.name: (s.mark.earned, s.mark.out_of) for s in report.steps} == {
        "S": (2, 2),
        "S_scaled": (0, 1),
        "A": (4, 4),
        "Z": (3, 3),
    }
    assert (report.earned, report.out_of) == (9, 10)


SQUARE = {
    "given": {
        "X": [[-1, 0, -1], [2, -1, -2], [0, 1, -2]],
        "W_Q": [[0, 1, 0], [-1, 1, -1], [-1, 1, 1]],
        "W_K": [[-1, 1, 0], [0, 1, 0], [-1, 0, 0]],
        "W_V": [[-2, 2, 2], [2, 2, -1], [-1, -2, 0]],
    },
    "rounding": {"digits": 3},
}


@pytest.mark.parametrize("mask", [{}, {"mask": "causal"}])
@pytest.mark.parametrize("omitted", [(), ("Q", "K"), ("Q", "K", "V", "S"), ("S_scaled",)])
def test_law_matrices_transposed_throughout_are_one_mistake(mask, omitted):
    """The first of them is charged; the others follow from it."""
    problem = load(SQUARE | {"self_attention": mask})
    bound = script(problem, Hand(random.Random(1), 3, "half_up"))
    steps = [filled for filled in bound.steps if filled.step.name not in omitted]
    turned = [replace(f, cells={(j, i): cell for (i, j), cell in f.cells.items()}) for f in steps]
    report = mark(problem, replace(bound, steps=tuple(turned)))
    assert report.exact == report.out_of - 1
    first = report.first_wrong
    assert (first.step, first.mark.earned, [cause.code for cause in first.causes]) == (steps[0].step, 0, ["transposed"])


def test_a_copy_of_a_typed_line_is_reported_first():
    """A mistake in an omitted step that comes to the same numbers is reported too, and is charged where it is milder."""
    given = {"step": [2, 5, 7, 19], "d_model": 12, "warmup": 4}
    problem = load({"given": given, "rounding": {"digits": 4}, "learning_rate": {}})
    decay = [["0.7071", "0.4472", "0.3780", "0.2294"]]
    first = check(problem, answers(decay=decay, smaller=decay)).first_wrong
    assert [cause.code for cause in first.acts] == ["minimum-not-taken", "warmup-exponent"]
    alone = check(problem, answers(decay=decay, rise=[["0.2500", "0.6250", "0.8750", "2.3750"]], smaller=decay))
    assert [cause.code for cause in alone.first_wrong.acts] == ["minimum-not-taken"]


def test_one_transposed_matrix_is_no_convention():
    typed = RIGHT | {"S": [list(row) for row in zip(*RIGHT["S"], strict=True)]}
    report = check(load(HEAD), answers(**typed))
    assert verdicts(report)["S"] == "wrong"
    assert verdicts(report)["S_scaled"] == verdicts(report)["A"] == "right"


@pytest.mark.parametrize("factor", [2, 7])
def test_scaling_points_scales_marks(factor):
    one, many = (check(load(HEAD | {"points": 5 * f}), answers(**NO_SCALE)) for f in (1, factor))
    assert many.earned == factor * one.earned
    assert many.out_of == 5 * factor


def test_a_trivial_line_earns_nothing_later():
    zeros = {"S": [[0, 0, 0], [0, 0, 0], [0, 0, 0]], "S_scaled": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}
    report = check(load(HEAD | {"asked": ["S", "S_scaled"], "points": {"S": 1, "S_scaled": 1}}), answers(**zeros))
    assert report.earned == 0


@pytest.mark.parametrize("wrong", [[[1, 0, 0], [0, 0, 1], [0, 0, 1]], [[0, 0, 0]] * 3, [[0.6, 0.3, 0.1]] * 3])
def test_law_a_wrong_line_of_one_part_costs_nothing_in_a_part_that_has_the_step_itself(wrong):
    """Two parts have the same step P; right answers of one part keep their points whatever the other part's P is."""
    problem = load("cross-entropy-loss")
    right = {
        "P": [["0.67", "0.24", "0.09"], ["0.04", "0.11", "0.84"], ["0.33", "0.33", "0.33"]],
        "losses": [["0.400"], ["2.207"], ["0.000"]], "loss": [["1.304"]], "perplexity": [["3.684"]],
    }  # fmt: skip

    def earned(**others):
        report = check(problem, {"answers": {"padding": right, **others}})
        judged = next(judged for judged in report.parts if judged.part.name == "padding")
        return [(step.step.name, step.verdict, step.mark.earned) for step in judged.steps]

    assert earned(mean={"P": wrong}) == earned() and sum(points for _, _, points in earned()) == 5


@pytest.mark.parametrize("figures", [False, True])
def test_a_line_that_is_mostly_right_shows_work_in_decimals_and_in_figures(figures):
    """One wrong row of P costs its own point alone, in four decimals and in four significant figures."""
    typed = {"P": [["0.5700", "0.3200", "0.1100"], ["0.0420", "0.1142", "0.8438"], ["0.3333", "0.3333", "0.3333"]],
             "picked": [["0.5700"], ["0.1142"], ["0.3333"]], "losses": [["0.5621"], ["2.1698"], ["1.0987"]],
             "loss": [["1.2769"]], "perplexity": [["3.5855"]]}  # fmt: skip
    if figures:
        typed["P"][1][0] = "0.04201"
        typed |= {"losses": [["0.5621"], ["2.170"], ["1.099"]], "loss": [["1.277"]], "perplexity": [["3.586"]]}
    report = check(load("cross-entropy-loss"), {"answers": {"mean": typed}})
    assert report.earned == 4


@pytest.mark.parametrize("typed", ["2.9", "5.0", "30.0"])
def test_a_lone_number_that_honest_rounding_does_not_bound_is_not_called_right(typed):
    """With one decimal, a probability can round to 0, and any loss follows from it."""
    report = check(load("cross-entropy-loss"), {"answers": {"mean": {"perplexity": typed}}})
    assert report.earned == 0
    text = summary(report, None)
    assert "1 step shows too little" in text and "right" not in text and "No answered step is wrong" not in text


def test_an_unwritten_step_counts_where_its_result_is_right():
    report = check(load(HEAD | {"points": 10}), answers(Z=RIGHT["Z"]))
    assert report.earned == report.out_of == 10


ONE_HEAD = {
    "given": {
        "X": [[1, 0], [0, 1], [1, 1]],
        "W_Q": [[1, 0], [0, 1]],
        "W_K": [[1, -1], [0, 1]],
        "W_V": [[1, 2], [2, 1]],
    },
    "rounding": {"digits": 3},
    "self_attention": {"mask": "causal"},
}
NORM = {"given": {"X": [[1, 2, 4], [3, 0, 5], [2, 2, 7]]}, "rounding": {"digits": 3}, "layer_norm": {}}
WITH_MISTAKES = [  # the step that is wrong, and others that are left out too
    *((ONE_HEAD, name, "") for name in ("Q", "K", "V", "S", "S_scaled", "S_masked", "A")),
    *((ONE_HEAD, name, more) for name in ("S_scaled", "A") for more in ("S", "S S_masked")),
    *((NORM, name, "") for name in ("mean", "var")),
]


@pytest.mark.sweep(quick=5, ci=9)
@pytest.mark.parametrize(("sheet", "name", "more"), WITH_MISTAKES, ids=[" ".join(one[1:]) for one in WITH_MISTAKES])
def test_law_a_wrong_step_that_is_left_out_earns_no_more_and_costs_no_more_than_if_it_were_written(sheet, name, more):
    problem = load(sheet)
    wrong = next(step for step in problem.plan.steps() if step.name == name)
    compared = 0
    for mistake in catalogue().values():
        for node in mistake.nodes(StepAnalysis(problem.plan, wrong)):
            with suppress(ZeroDivisionError):  # a mistake that has no value here
                written, left_out = (
                    mark(problem, script(problem, Hand(random.Random(1), 3, "half_up"), {wrong.key: node}, shown))
                    for shown in (
                        lambda step: step.name == name or step.name not in more.split(),
                        lambda step: step.name not in (name, *more.split()),
                    )
                )
                first, later = written.first_wrong, left_out.first_wrong
                assert not later or left_out.earned <= written.earned, mistake.code
                if first and later and first.step.name == name and not first.mark.earned:
                    told = {(cause.code, cause.at.name) for cause in later.acts if cause.at}
                    if told == {(mistake.code, name)} and [one.code for one in first.acts] == [mistake.code]:
                        compared += 1
                        assert left_out.earned == written.earned, mistake.code
    assert compared


@pytest.mark.parametrize("worth", [0, 1, 3])
def test_a_mistake_in_a_step_without_points_costs_as_little_where_the_step_is_left_out(worth):
    sheet = HEAD | {"asked": ["S", "S_scaled", "A", "Z"], "points": {"S": 2, "S_scaled": worth, "A": 4, "Z": 3}}
    written, left_out = (
        check(load(sheet), answers(**{name: rows for name, rows in NO_SCALE.items() if name not in without}))
        for without in ((), ("S_scaled",))
    )
    assert written.earned == left_out.earned == 9


def test_every_mark_has_its_reason():
    report = check(load(HEAD | {"points": 10}), answers(**NO_SCALE))
    assert all(s.mark.earned == s.mark.out_of or s.mark.reasons or s.causes or s.cells for s in report.steps)


# -- the catalogue -----------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("code", catalogue())
def test_every_mistake_is_named_on_its_own_output(code):
    found = []
    for example in examples(catalogue()[code]):
        try:
            bound = script(example.problem, Hand(random.Random(1), 3, "half_up"), {example.step.key: example.node})
        except (ZeroDivisionError, ValueError):
            continue
        report = mark(example.problem, bound)
        first = report.first_wrong
        found.append([c.code for c in first.causes] if first and first.step.key == example.step.key else [])
        if code in found[-1]:
            return
    none = "no problem in attncalc/mistakes/examples/ has its formula, or all print the same with it; `attncalc plan` shows formulas"
    pytest.fail(f"{code}: {f'these are named instead: {found}' if found else none}")


def test_a_norm_has_no_bias_to_forget():
    """What LayerNorm adds is its beta: forgotten, it is named as that, and nowhere in a norm is a bias looked for."""
    asked = {"given": {"X": [[1, 2, 4], [3, 1, 1]], "gamma": [2, 1, 3], "beta": [1, 3, 2]}, "layer_norm": {"eps": 0}}
    done = asked | {"layer_norm": {"eps": 0, "beta": "none"}}
    causes = check(load(asked), answers(Y=solve(load(done)).parts[0]["Y"].printed(4).texts)).first_wrong.causes
    assert "beta-forgotten" in [cause.code for cause in causes] and "bias-forgotten" not in [
        cause.code for cause in causes
    ]
    problem = load(asked)
    found = {code: [s.name for s in problem.plan.steps() if list(catalogue()[code].nodes(StepAnalysis(problem.plan, s,
             problem.columns)))]
             for code in ("beta-forgotten", "bias-forgotten")}  # fmt: skip
    assert found == {"beta-forgotten": ["Y"], "bias-forgotten": []}


def test_the_exponent_of_a_table_is_named_by_what_was_done():
    """The exponent of the pairs, and the usual one where the problem states another."""
    table = {"given": {"X": [[1, 0, 2, 1], [0, 1, 1, 2], [2, 1, 0, 1]]}, "positional_encoding": {"base": 100}}
    stated = table | {"positional_encoding": {"base": 100, "exponent": "j/d"}}
    pairs = table | {"positional_encoding": {"base": 100, "exponent": "i/(d/2-1)"}}
    for asked, done, code in ((table, pairs, "position-exponent-of-pairs"), (stated, table, "position-exponent-usual")):
        printed = solve(load(done)).parts[0]["PE"].printed(4).texts
        causes = check(load(asked), answers(PE=printed)).first_wrong.causes
        assert code in [cause.code for cause in causes]


def test_codes_are_stable_words():
    for code in [*catalogue(), *SLIPS]:
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code)
    assert not set(catalogue()) & set(SLIPS)


@for_each("mistake", catalogue().values(), ids=list(catalogue()))
def test_every_mistake_says_what_was_done_and_what_to_do(mistake):
    assert mistake.done.endswith(".")
    assert mistake.advice.endswith(".")
    assert re.search(r"\b(seems?|looks?)\b", mistake.done), "an accusation needs its doubt"
    assert mistake.rewrites or mistake.build


@pytest.mark.sweep(quick=0)
def test_simulated_mistakes_are_found_and_named_rightly():
    found, others = mistakes(100, seed=5, digits=2)
    count = sum(found.values(), start=type(next(iter(found.values())))())
    assert count["place"] == count["scripts"] - count["accepted"] - count["legal"] - count["last digit"]
    assert count["first"] + count["in the set"] >= 0.75 * count["scripts"]
    assert sum(others.values()) <= 0.02 * count["scripts"]


# -- published examples ------------------------------------------------------------------------------------------------

ALLOWED = {
    "agrees": {"right", "too_coarse"},
    "truncated": {"truncated", "right"},
    "last-digit": {"last_digit", "right"},
}
STEMS = sorted(str(path.relative_to(EXAMPLES)).removesuffix(".expect.json") for path in EXAMPLES.rglob("*.expect.json"))


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("stem", STEMS)
def test_published_answers_get_the_verdicts_that_an_independent_reader_found(stem):
    expected = json.loads((EXAMPLES / f"{stem}.expect.json").read_text(encoding="utf-8"))
    report = check(load(EXAMPLES / f"{stem}.problem.yaml"), EXAMPLES / f"{stem}.published.yaml")
    found = {step.step.key: step.verdict for step in report.steps}
    for name, what in expected["steps"].items():
        allowed = ALLOWED.get(what) or (
            {"carried", "right"} if name in (expected["carried"] or ()) else {"wrong", "carried"}
        )
        assert found[name] in allowed, (name, what)


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path):
    def call(typed, *options, problem=HEAD):
        (tmp_path / "problem.yaml").write_text(yaml.safe_dump(problem), encoding="utf-8")
        path = tmp_path / "answers.yaml"
        path.write_bytes(typed if isinstance(typed, bytes) else yaml.safe_dump(typed).encode())
        return CliRunner().invoke(cli, ["check", str(tmp_path / "problem.yaml"), str(path), *options])

    return call


def test_exit_codes(run):
    assert run(answers(**RIGHT)).exit_code == 0
    assert run(answers(**NO_SCALE)).exit_code == 1


def test_json_holds_what_it_promises(run):
    data = json.loads(run(answers(**NO_SCALE), "--to", "json").stdout)
    assert data["first_wrong"] == "S_scaled"
    assert (data["marks"], data["out_of"]) == (4, 5)
    steps = {step["name"]: step for step in data["parts"][0]["steps"]}
    assert steps["S_scaled"]["mistakes"][0]["code"] == "scale-forgotten"
    assert steps["S_scaled"]["cells"][0] == {"row": 0, "column": 0, "typed": "3", "right": "1.50", "from_own": "1.50"}
    assert steps["A"]["cells"][0]["from_own"] == "0.79"
    assert data["habit"]["habit"] == "round"


def test_hints_keep_the_right_numbers_back(run):
    text = run(answers(**NO_SCALE), "--hints").stdout
    assert "did not divide" in " ".join(text.split())
    assert "1.50" not in text
    assert "0.58" not in text


def test_accept_lists_what_the_instructor_allows():
    assert check(load(HEAD | {"accept": ["scale-forgotten"]}), answers(**NO_SCALE)).passed


def test_marks_are_fractions_of_points():
    report = check(load(HEAD | {"points": 1}), answers(**NO_SCALE))
    assert isinstance(report.earned, Fraction)
    assert 0 < report.earned < report.out_of == 1


# -- what a fresh pair of eyes got through once ------------------------------------------------------------------------

WHOLE = {
    "given": {
        "X": [[1, 2, 0], [0, 1, 1], [2, 0, 1]],
        "W_Q": [[1, 0], [0, 1], [1, 1]],
        "W_K": [[0, 1], [1, 0], [1, 1]],
        "W_V": [[1, 1], [0, 2], [1, 0]],
    },
    "self_attention": {},
}
NOT_RIGHT = [
    ("whole numbers far off", {"Z": [[9, 9], [9, 9], [9, 9]]}),
    ("all zeros", {"Z": [[0, 0], [0, 0], [0, 0]]}),
    ("scores far off", {"S_scaled": [[9, 9, 9], [9, 9, 9], [9, 9, 9]]}),
    ("ones for weights", {"A": [[1, 1, 1], [1, 1, 1], [1, 1, 1]]}),
    ("a scale forgotten, in whole numbers", {"S_scaled": [[4, 4, 7], [4, 4, 7], [7, 7, 6]]}),
    ("two decimals off by a tenth", {"Z": [["2.70", "2.30"], ["2.70", "2.30"], ["1.45", "3.30"]]}),
    ("three decimals off by a hundredth", {"Z": [["2.620", "2.297"], ["2.620", "2.297"], ["1.400", "3.210"]]}),
]


@pytest.mark.parametrize("typed", [row[1] for row in NOT_RIGHT], ids=[row[0] for row in NOT_RIGHT])
def test_few_digits_are_no_free_pass(typed):
    found = verdicts(check(load(WHOLE), answers(**typed)))
    assert not {found[name] for name in typed} & {"right", "truncated"}


def test_a_wrong_whole_line_carries_whole_numbers():
    wrong_score = {
        "S": [[4, 4, 7], [4, 4, 7], [7, 9, 6]],
        "S_scaled": [["2.83", "2.83", "4.95"], ["2.83", "2.83", "4.95"], ["4.95", "6.10", "4.24"]],
    }
    # 9/√2 is 6.36; ±0.5 around the 9 is not on the paper
    assert verdicts(check(load(WHOLE), answers(**wrong_score)))["S_scaled"] == "wrong"


def test_one_entry_earns_its_share():
    report = check(load(WHOLE | {"points": 7}), {"answers": {"Z[0, 0]": "2.6132"}})
    assert report.earned == Fraction(1, 6)


def test_the_right_matrix_beside_a_wrong_one_is_right_everywhere():
    report = check(load(WHOLE), answers(S=[[4, 4, 7], [4, 4, 7], [7, 7, 9]]))
    assert report.first_wrong.right == [["4", "4", "7"], ["4", "4", "7"], ["7", "7", "6"]]


def test_huge_numbers_are_marked():
    assert verdicts(check(load(WHOLE), {"answers": {"Q": [["1e400", 1], [1, 1], [1, 1]]}}))["Q"] == "wrong"


# -- what a second pair of eyes found ----------------------------------------------------------------------------------

ONE_QUERY = {
    "rounding": {"digits": 2},
    "given": {"Q": [[2, 2]], "K": [[1, 2], [4, 1], [1, 1]], "V": [[5, 4], [4, 1], [2, 4]]},
    "attention": {},
}
KEYS_LIKE_VALUES = {
    "rounding": {"digits": 2},
    "given": {"Q": [[2, 1]], "K": [[0, 0], [3, 2], [0, 0]], "V": [[0, 4], [3, 2], [4, 3]]},
    "attention": {},
}


@pytest.mark.parametrize(
    ("sheet", "typed"),
    [
        # From the weights 0.05, 0.93, 0.01
        (ONE_QUERY, {"S_scaled": [["4.24", "7.07", "2.83"]], "Z": [["3.99", "1.17"]]}),
        (KEYS_LIKE_VALUES, {"Z": [["2.97", "1.98"]]}),  # from 0, 0.99, 0
    ],
)
def test_what_is_left_out_may_have_been_rounded_as_a_line(sheet, typed):
    assert check(load(sheet), answers(**typed)).passed


def test_what_stands_before_a_wrong_line_is_not_implied_by_what_follows_it():
    invented = answers(
        S=[[7, 8, 9], [4, 5, 6], [11, 12, 13]],
        S_scaled=[["4.04", "4.62", "5.20"], ["2.31", "2.89", "3.46"], ["6.35", "6.93", "7.51"]],
    )
    report = check(load({**WHOLE, "given": WHOLE["given"]}), invented)
    earned = {step.step.name: step.mark.earned for step in report.steps}
    assert not earned["Q"] and not earned["K"] and not earned["S"]


def test_a_mistake_carries_through_a_given_of_a_later_part():
    parts = {
        "a": {"given": {"X": [[1, 2], [3, 4]], "W": [[1, 1], [0, 2]]}, "steps": {"P": "X @ W"}},
        "b": {"given": {"Y": "a.P"}, "steps": {"R": "Y * 2"}},
    }
    report = check(load({"parts": parts}), {"answers": {"a": {"P": [[1, 5], [3, 12]]}, "b": {"R": [[2, 10], [6, 24]]}}})
    assert {step.step.key: step.verdict for step in report.steps} == {"a.P": "wrong", "b.R": "carried"}


def test_one_entry_alone_is_no_early_rounding():
    three = {
        **WHOLE,
        "given": {
            "X": [[1, 0], [0, 1], [1, 1]],
            "W_Q": [[1, 0], [0, 1]],
            "W_K": [[1, 1], [0, 1]],
            "W_V": [[1, 2], [3, 4]],
        },
        "self_attention": {"mask": "causal"},
    }
    slip = answers(A=[["1.00", "0.00", "0.00"], ["0.48", "0.50", "0.00"], ["0.28", "0.14", "0.58"]])
    assert check(load({**three, "rounding": {"digits": 2}}), slip).first_wrong.causes == []


def test_a_line_is_not_right_by_some_entries_from_here_and_some_from_there():
    """An entry that the mask hides is 0 in the right line; here nothing was masked, and the weight is 0.99."""
    sheet = {
        "rounding": {"digits": 2},
        "given": {"S_scaled": [["0.58", "2.60", "2.31", "8.08"]] * 4, "V": [[1], [2], [3], [4]]},
        "attention": {"S_scaled": "S_scaled", "mask": "causal"},
    }
    row = ["0.00", "0.00", "0.00", "0.99"]
    typed = answers(
        S_masked=[["0.58", "2.60", "2.31", "8.08"]] * 4, A=[["0.00", "0.00", "0.00", "0.00"], row, row, row]
    )
    assert verdicts(check(load(sheet), typed))["A"] == "wrong"


HEADS = {
    "given": {
        "X": [[1, 0, 1, 2], [0, 1, 2, 0], [1, 1, 0, 1]],
        "W_Q": [[1, 0, 0, 1], [0, 1, 1, 0], [1, 2, 1, 0], [0, 1, 0, 1]],
        "W_K": [[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]],
        "W_V": [[1, 2, 0, 1], [0, 1, 3, 0], [2, 0, 1, 1], [1, 1, 0, 2]],
    },
    "multi_head_attention": {"heads": 2},
}


@pytest.mark.parametrize(
    ("step", "code"),
    [("Q_1", "weights-transposed"), ("Z_1", "weights-transposed-in-output"), ("Z_2", "output-of-keys")],
)
def test_a_mistake_inside_a_head_has_its_name(step, code):
    one = load(HEADS)
    node = next(
        node
        for node in catalogue()[code].nodes(StepAnalysis(one.plan, next(s for s in one.plan.steps() if s.name == step)))
    )
    bound = script(one, Hand(random.Random(1), 3, "half_up"), {step: node})
    first = mark(one, bound).first_wrong
    assert (first.step.key, [cause.code for cause in first.causes]) == (step, [code])


def test_infinity_is_no_answer_where_a_number_is_right():
    """What was left out may have been rounded to 0 where whole numbers are written, but that earns nothing."""
    sheet = {"given": {"logits": [[0, 0, 1, 2], [2, 0, 1, 1]], "targets": [0, 2]}, "cross_entropy": {}}
    report = check(load(sheet), answers(loss="inf"))
    assert not report.earned
