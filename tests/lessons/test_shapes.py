"""An input whose shape a lesson declares is refused in another shape; a formula would stretch it without a word."""

from __future__ import annotations

import re

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.formula import operations as op
from attncalc.lessons import LESSONS
from attncalc.lessons.lesson import FEATURES, NUMBER, Input
from attncalc.lessons.small_problems import CASES, problem
from attncalc.problem.loader import read_problem
from tests.support.sweeps import for_each

X = [[1, 2, -1], [0, 1, 2], [3, 1, 0.5]]
FLAT, COLUMN = [1, 2, 3], [[1], [2], [3]]
HEAD = {"X": X, "W_Q": X, "W_K": X, "W_V": X}
# Lessons with their other inputs, which are square, and inputs that have an entry for each feature.
OF_FEATURES = {
    "layer_norm": ({"X": X}, ("gamma", "beta")), "rms_norm": ({"X": X}, ("gamma",)),
    "add_norm": ({"X": X, "sublayer": X}, ("gamma", "beta")), "self_attention": (HEAD, ("b_Q", "b_K", "b_V")),
    "multi_head_attention": ({"X": X, "W_Q_1": X, "W_K_1": X, "W_V_1": X, "W_O": X}, ("b_O", "b_Q_1")),
    "feed_forward": ({"X": X, "W_1": X, "W_2": X}, ("b_1", "b_2")), "next_word": ({"X": X, "W_out": X}, ("b_out",)),
    "layer_norm_gradients": ({"X": X, "dY": X}, ("gamma",)),
    "encoder_layer": ({**HEAD, "W_1": X, "W_2": X}, ("gamma_2", "b_2", "gamma")),
}  # fmt: skip
OF_WEIGHTS = {"momentum": ("g", "g_1", "velocity"), "adam": ("g", "g_1", "m", "v")}


def faults(lesson: str, given: dict, columns: bool = False, **options: object) -> str:
    try:
        load({"vectors": "columns" if columns else "rows", "given": given, lesson: options})
    except AttncalcError as error:
        return str(error)
    return ""


@for_each(("lesson", "name"), [(lesson, name) for lesson, (_, names) in OF_FEATURES.items() for name in names])
def test_law_a_bias_has_an_entry_for_each_feature(lesson, name):
    given = OF_FEATURES[lesson][0]
    assert not faults(lesson, given | {name: FLAT})
    assert not faults(lesson, given | {name: FLAT}, columns=True)
    assert not faults(lesson, given | {name: COLUMN}, columns=True)
    for wrong, hint in ((COLUMN, f"found 3 × 1; did you mean {name}.T?"), (X, "found 3 × 3")):
        message = faults(lesson, given | {name: wrong})
        assert f"{name}: expected a row with an entry for each feature, {hint}" in message
    assert f"{name}: expected" in faults(lesson, given | {name: X}, columns=True)
    assert f"{name}: expected" in faults(lesson, given | {"c": COLUMN}, **{name: "c"})


@for_each(("lesson", "name"), [(lesson, name) for lesson, names in OF_WEIGHTS.items() for name in names])
@for_each(("theta", "other"), [(FLAT, COLUMN), (COLUMN, FLAT), (FLAT, X), (X, FLAT), (FLAT, 2)])
def test_law_a_gradient_has_the_shape_of_its_weights(lesson, name, theta, other):
    options = {"first": 2} if lesson == "adam" else {}
    given = {"theta": theta} | ({} if name.startswith("g") else {"g": theta})
    assert not faults(lesson, given | {name: theta}, **options)
    message = faults(lesson, given | {name: other}, **options)
    assert f"{name}: expected the shape of theta" in message
    assert ("did you mean" in message) == (sorted((theta, other), key=str) == sorted((FLAT, COLUMN), key=str))


def test_law_every_bias_declares_its_shape():
    for lesson in LESSONS.values():
        for each in lesson.inputs:
            if any(words in each.doc for words in ("bias", "factor of each feature", "added to each feature")):
                assert each.shape == FEATURES, f"{lesson.name}: {each.name}"


# -- every lesson ------------------------------------------------------------------------------------------------------


def stretched(problem) -> set[tuple[str, str]]:
    """The operations of a problem, by step, that repeat a row, a column or a number."""
    found = set()
    for step in problem.plan.steps():
        stack = [step.node]
        while stack:
            node = stack.pop()
            if isinstance(node, op.Binary) and len({arg.shape for arg in node.args}) > 1:
                found.add((step.name, node.written))
            stack += node.args if not isinstance(node, op.Ref) else ()
    return found


def spoiled(rows) -> list:
    """What stands in the place of a matrix: its first row, its first column, its first number and, for a list, rows."""
    if not isinstance(rows[0], list):
        return [[[entry] for entry in rows], rows[0], [rows] * len(rows)]
    return [rows[0], [[row[0]] for row in rows], rows[0][0]]


POSITIONS = re.compile("arange|distance|PE|angles")  # tables of positions join a row and a column
EITHER = {("delta_rule", "beta"), ("speculative_decoding", "u")}  # one number for each token, as a row or a column


@for_each(
    ("lesson", "name"),
    [(lesson, name) for lesson, (given, _) in CASES.items() for name, rows in given.items() if isinstance(rows, list)],
    quick=60,
    ci=80,
)
def test_law_no_lesson_stretches_an_input_of_another_shape_without_a_word(lesson, name):
    right = problem(lesson)
    rows, meant = right["given"][name], stretched(load(right))
    for wrong in spoiled(rows)[(lesson, name) in EITHER :]:
        try:
            read = load(right | {"given": right["given"] | {name: wrong}})
        except AttncalcError:
            continue
        if not any("warning" in one.message for one in read.warnings):
            more = {(step, text) for step, text in stretched(read) - meant if not POSITIONS.search(text)}
            more = {(step, text) for step, text in more if not any(map(text.startswith, LESSONS[lesson].repeated))}
            assert not more, f"{name}: {wrong}"


@for_each(
    ("lesson", "name"),
    [(lesson.name, each.name) for lesson in LESSONS.values() for each in (*lesson.inputs, *lesson.options)
     if each.shape == NUMBER and (isinstance(each, Input) or each.kind == "formula")],
)  # fmt: skip
def test_law_a_single_number_is_no_matrix(lesson, name):
    for wrong in (FLAT, COLUMN, X):
        right = problem(lesson)
        given = right["given"] | {"wrong_": wrong}
        assert f"{name}: expected a single number, found" in faults(lesson, given, **right[lesson] | {name: "wrong_"})


@pytest.mark.parametrize("axis", ["rows", "columns", "all"])
def test_law_a_bias_that_changes_no_weight_is_warned_of(axis):
    for bias in (FLAT, COLUMN, X, 2):
        given = {"Q": X, "K": X, "V": X, "c": bias}
        read = load({"given": given, "attention": {"bias": "c", "axis": axis}})
        warned = any("the weights are the same without it" in one.message for one in read.warnings)
        plain = solve(load({"given": given, "attention": {"axis": axis}}))["A"].decimals(9)
        assert warned == (solve(read)["A"].decimals(9) == plain), bias


@for_each(
    ("lesson", "option"),
    [(lesson.name, option.name) for lesson in LESSONS.values() for option in lesson.options if option.kind == "text"],
)
def test_law_a_truth_value_is_no_text(lesson, option):
    right = problem(lesson)
    for word in (True, False, "true"):
        assert f"{option}: expected a text" in faults(lesson, right["given"], **right[lesson] | {option: word})


@pytest.mark.parametrize("causal", [False, True])
def test_law_a_link_without_effect_is_warned_of(causal):
    given = {"Q": [[1, 0], [0, 1], [1, 2], [1, 1]], "K": [[1, 1], [0, 1], [2, 1], [0, 2]], "V": [[1], [2], [3], [4]]}
    without = {"window": 1, "global_tokens": "2", "causal": causal}
    mask = solve(load({"given": given, "sparse_attention": without}))["mask"].decimals(0)
    for i in range(4):
        for j in range(4):
            read = load({"given": given, "sparse_attention": without | {"links": f"{i}-{j}"}})
            warned = any(f"links: {i}-{j} has no effect" in one.message for one in read.warnings)
            assert warned == (solve(read)["mask"].decimals(0) == mask), (i, j)


@for_each(("lesson", "given", "at_fault"), [
    ("attention", {"Q": [[1, 0], [0, 1]], "K": [[1, 0, 2], [0, 1, 1]], "V": [[1, 2], [3, 4]]}, "K"),
    ("attention", {"Q": [[1, 0], [0, 1]], "K": [[1, 0], [0, 1]], "V": [[1, 2]]}, "V"),
    ("self_attention", {"X": [[1, 0]], "W_Q": [[1, 0, 2]] * 3, "W_K": [[1, 0]] * 2, "W_V": [[1, 2]] * 2}, "W_Q"),
    ("layer_norm", {"X": [[1, 0], [0, 1]], "gamma": [1, 2, 3]}, "gamma"),
    ("feed_forward", {"X": [[1, 0], [0, 1]], "W_1": [[1, 0, 2]] * 3, "W_2": [[1, 0]] * 3}, "W_1"),
])  # fmt: skip
def test_law_the_error_of_a_shape_in_a_lesson_is_reported_at_a_given(lesson, given, at_fault):
    lines = ["given:", *(f"  {name}: {rows}" for name, rows in given.items()), f"{lesson}: {{}}"]
    with pytest.raises(AttncalcError) as error:
        read_problem("\n".join(lines), "p.yaml", "p")
    assert error.value.faults[0].place.line == 2 + list(given).index(at_fault)
