"""Every option of every lesson with every value that its table states, and only what a lesson declares: tables that
write themselves.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.errors import fold
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import names
from attncalc.lessons import LESSONS
from attncalc.lessons.lesson import Lesson, Undeclared
from attncalc.lessons.small_problems import CASES, needed, problem
from attncalc.problem.loader import read_problem
from tests.support.timing import takes_less_than

# Defaults are tried by the test of defaults.
VALUES = [
    (name, option.name, value)
    for name, lesson in LESSONS.items()
    for option in lesson.options
    for value in option.documented_values
    if value != option.default
]
STATED = [
    (name, option.name)
    for name, lesson in LESSONS.items()
    for option in lesson.options
    if (name, option.name) != ("beam_search", "width")
]
# What a lesson's options say, but its steps cannot show: the way forward is shown in one step where the way back is.
REFUSED = {
    (name, "softmax_steps", "true"): "leave out softmax_steps"
    for name in LESSONS
    if name.endswith("attention_gradients")
} | {
    (name, "bias", 'alibi(1/2, sides="both")'): "no key comes after the query here"
    for name in ("cached_attention", "cached_multi_head_attention")
}


def printed(problem: dict) -> dict[str, list]:
    """Every step worked out, or the problem's faults."""
    return {step.name: step.decimals(6) for part in solve(load(problem)).parts for step in part.steps}


@cache
def usual(lesson: str) -> dict[str, list]:
    """A lesson with the options that its problem needs and no others."""
    return printed(problem(lesson))


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize(("lesson", "option", "value"), VALUES)
def test_every_documented_value_of_every_option_works(lesson, option, value):
    more = {option: value} | needed(lesson, option, value)
    if (lesson, option, value) in REFUSED:
        with pytest.raises(AttncalcError, match=REFUSED[lesson, option, value]):
            load(problem(lesson, more))
        return
    assert printed(problem(lesson, more))


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize(("lesson", "option"), STATED)
def test_stating_the_default_changes_nothing(lesson, option):
    default = LESSONS[lesson].option(option).default
    if option in CASES[lesson][1]:
        pytest.skip("the problem itself states this option")
    assert printed(problem(lesson, {option: default})) == usual(lesson)


# Defaults such as sqrt(d_k) use the name of an input that need not be given.
WITH_NAMES = [
    (name, option)
    for name, lesson in LESSONS.items()
    for option in lesson.options
    if option.kind == "formula" and any(map(lesson.input, names(parse(option.default))))
]


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize(("lesson", "option"), WITH_NAMES)
def test_law_an_option_may_use_the_names_of_its_default(lesson, option):
    """`scale: sqrt(d_k)` was understood, and `scale: d_k` was not."""
    for like, formula in ((option.default, f"1 * {option.default}"), ("2", "2 * d_k / d_k"), ("2", "2 * d_k ** 0")):
        assert printed(problem(lesson, {option.name: formula})) == printed(problem(lesson, {option.name: like}))


# None of these is documented to be `none`; a lesson may read it as the default, and refuses it where it needs a number.
WITHOUT_NONE = sorted(
    (name, option.name) for name, lesson in LESSONS.items() for option in lesson.options
    if "none" not in option.documented_values
)  # fmt: skip


@pytest.mark.sweep(quick=6)
@pytest.mark.parametrize(("lesson", "option"), WITHOUT_NONE)
def test_law_none_for_an_option_is_read_or_refused_with_a_message(lesson, option):
    """The formula of a step that needs the option was once reported as a failure of attncalc itself."""
    for more in ({}, *(needed(lesson, option, value) for value in LESSONS[lesson].option(option).documented_values)):
        try:
            assert printed(problem(lesson, more | {option: "none"}))
        except AttncalcError as error:
            assert re.search(rf"{option}\b.*found '?none\b", str(error)) or lesson in str(error), str(error)


@pytest.mark.parametrize(
    ("lesson", "option"),
    [
        *(("adam", name) for name in ("lr", "beta_1", "beta_2", "eps")),
        *(("momentum", name) for name in ("lr", "mu", "dampening")),
        ("dropout", "rate"), ("dropout", "p"), ("rotary", "base"), ("llama_layer", "rotary_base"),
        ("cross_entropy", "smoothing"), ("beam_search", "base"), ("encoder_layer_gradients", "base"),
    ],
)  # fmt: skip
def test_none_for_an_option_that_has_to_be_a_number_is_refused(lesson, option):
    declared = LESSONS[lesson].declared_name(option)
    with pytest.raises(
        AttncalcError, match=f"{declared}: expected a number, found none; remove {declared} to use the default"
    ):
        load(problem(lesson, {option: "none"}))


def seen(problem: dict) -> object:
    """What a problem comes to, its numbers left aside: formulas, labels and conventions; None where it is refused."""
    try:
        parts = load(problem).plan.parts
    except AttncalcError:
        return None
    steps = [(step.formula, step.node.rows, step.node.columns) for part in parts for step in part.steps]
    return steps, [part.conventions for part in parts]


@pytest.mark.sweep(quick=12)
@pytest.mark.parametrize(("lesson", "option"), sorted({row[:2] for row in VALUES if row not in REFUSED}))
def test_every_option_changes_something(lesson, option):
    """Of an option that the lesson's function never asks for, every value would be read, and none would matter."""
    values = [(value, needed(lesson, option, value)) for value in LESSONS[lesson].option(option).documented_values]
    assert any(seen(problem(lesson, more | {option: value})) != seen(problem(lesson, more)) for value, more in values)


SAID = {"dropout"}  # the option of layers, of which solutions say that it changes nothing


def steps_and_choices(problem: dict) -> tuple[object, dict[str, str]] | None:
    """The formulas and labels of a problem, and the conventions that it states; None where it is refused."""
    try:
        parts = load(problem).plan.parts
    except AttncalcError:
        return None
    steps = [(step.formula, step.node.rows, step.node.columns) for part in parts for step in part.steps]
    return steps, {choice.option: choice.value for part in parts for choice in part.conventions}


def others(lesson: str, option: str, value: str) -> list[dict[str, str]]:
    """What a value of an option is tried with: nothing, what it needs, and values of three other options."""
    more = needed(lesson, option, value)
    beside = {row[1]: row[2] for row in VALUES if row[0] == lesson and row[1] != option}
    drawn = Random(f"{lesson} {option} {value}").sample(sorted(beside.items()), min(3, len(beside)))
    return [{}, more, *(more | {name: word} | needed(lesson, name, word) for name, word in drawn)]


@pytest.mark.sweep(quick=12, ci=20)
@pytest.mark.parametrize(("lesson", "option", "value"), VALUES)
def test_law_no_option_without_effect_is_accepted_in_silence(lesson, option, value):
    """Whatever other option is stated, a value changes a formula, is refused or is warned of; only a value that the
    lesson chooses without it needs no warning.
    """
    if LESSONS[lesson].option(option).ends or option in CASES[lesson][1] or option in SAID:
        pytest.skip("the numbers decide whether it ends a trace, or the option is stated in every case")
    for more in others(lesson, option, value):
        stated = problem(lesson, more | {option: value})
        found, without = steps_and_choices(stated), steps_and_choices(problem(lesson, more))
        if found is None or option in more:
            continue
        warned = any(f"{option} has no effect:" in warning.message for warning in load(stated).warnings)
        is_same = without is not None and found[0] == without[0]
        assert warned == (is_same and without[1].get(option) != value), more


@pytest.mark.parametrize(
    ("lesson", "stated", "idle"),
    [
        ("momentum", {"g_1": "none", "g_2": "none", "g": "theta", "mu": "1/2"}, ["mu"]),
        ("momentum", {"g_1": "none", "g_2": "none", "g": "theta", "dampening": "1/2"}, ["dampening"]),
        ("attention", {"mask": "causal", "mask_at": "weights", "fill": "-99"}, ["fill"]),
        ("attention", {"mask": "causal", "mask_at": "scores", "scale": "none"}, ["mask_at"]),
        ("attention", {"empty_row": "zeros"}, ["empty_row"]),
        ("attention", {"empty_row": "zeros", "bias": "P"}, []),  # which can mask as well
        ("encoder_layer", {"fill": "-99", "rotary_base": "100"}, ["fill", "rotary_base"]),
        ("self_attention", {"d_k": "9", "scale": "2"}, ["d_k"]),
        ("self_attention", {"d_k": "9", "b_Q": "[0, 0, 0, 0]"}, []),
        ("feed_forward", {"W_2": "none", "b_2": "[1, 2]"}, ["b_2"]),
        ("llama_layer", {"positions": "rotary", "mask": "causal"}, []),  # chosen without them
        ("beam_search", {"scores": "product", "base": "2"}, ["base"]),
        ("beam_search", {"length": "gnmt"}, ["length"]),
        ("beam_search", {"length": "gnmt", "alpha": "1/2", "base": "2", "most": "3", "end_token": "2"}, []),
        ("greedy_decode", {"fill": "-99", "softmax_base": "2", "most": "3", "end_token": "3"}, []),
        ("greedy_decode", {"kv_heads": "1", "d_k": "9", "scale": "2", "most": "3"}, ["kv_heads", "d_k"]),
    ],
)
def test_options_without_effect_in_company(lesson, stated, idle):
    tried = problem(lesson, stated)
    tried["given"] = dict(tried["given"]) | {"P": [[0, 1, 0]] * 3}
    warnings = [warning.message for warning in load(tried).warnings if "no effect" in warning.message]
    assert [message.split(" has ")[0].rpartition(" ")[2] for message in warnings] == idle


SCALED = [name for name, lesson in LESSONS.items() if lesson.option("scale")]
FACTORS = ["1 / sqrt(2)", "1.0/math.sqrt(2)", "1./sqrt(2)", "1.0 / np.sqrt(2)", "2 ** -0.5", "2**(-1/2)", "sqrt(1/2)",
           "sqrt(2)/2", "1/1.414", "0.7071", "0.71", "1/2", "0.5"]  # fmt: skip
FACTORS_OF_A_WIDTH = ["1 / sqrt(d_k)", "1.0/math.sqrt(d_k)", "d_k**(-1/2)", "sqrt(1/d_k)", "sqrt(d_k)/d_k"]


def notes_on_scale(tried: dict) -> list[str]:
    return [warning.message for warning in load(tried).warnings if "the scores are divided by" in warning.message]


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize("lesson", SCALED)
def test_law_a_scale_below_1_gets_a_warning_however_it_is_written(lesson):
    """scale: is a divisor; papers and libraries multiply the scores by such a number, as by 1 / √d_k."""
    has_width = "d_k" in LESSONS[lesson].option("scale").default
    shown = needed(lesson, "scale", "3")  # the steps that the scale changes
    for scale in FACTORS + FACTORS_OF_A_WIDTH * has_width:
        assert notes_on_scale(problem(lesson, shown | {"scale": scale})), scale
    for scale in ["none", "2", "sqrt(2)", *["sqrt(d_k)"] * has_width]:
        assert not notes_on_scale(problem(lesson, shown | {"scale": scale})), scale


def test_a_scale_that_is_a_given_or_a_step_is_compared_by_its_value():
    rows = [[1, 2], [3, 4]]
    given = {"Q": rows, "K": rows, "V": rows}
    for c, warned in ((0.3, True), (3, False)):
        assert bool(notes_on_scale({"given": given | {"c": c}, "attention": {"scale": "c"}})) == warned
        steps = {"b": "c", "Z": {"attention": {"scale": "b"}}}
        assert bool(notes_on_scale({"given": given | {"c": c}, "steps": steps})) == warned
    assert not notes_on_scale(
        {"given": given | {"c": [[0, 0]]}, "attention": {"scale": "1 / total(c)"}}
    )  # it has no value


def test_the_comparison_of_options_takes_no_longer_than_the_steps_of_a_problem():
    """All parts together compare as many steps as a problem may have: this file took 8 s, and takes 1.2 s."""
    small = problem("transformer", {"heads": "2", "scale": "3", "softcap": "2", "base": "2", "softmax_steps": "true",
                                    "norm": "before", "activation": "gelu", "eps": "1"})  # fmt: skip
    parts = {f"p{k}": {"transformer": small["transformer"] | {"eps": f"1/{k + 1}"}} for k in range(18)}
    assert takes_less_than(4, lambda: load({"given": small["given"], "parts": parts}))


@pytest.mark.parametrize("lesson", ["adam", "momentum"])
def test_weight_decay_that_no_decay_uses_is_warned_of_at_its_place(lesson):
    text = f"given: {{theta: [[1, 2]], g: [[1, 1]]}}\n{lesson}:\n  weight_decay: 0.1\n"
    (warning,) = read_problem(text, "t.yaml", "t").warnings
    assert str(warning.place).endswith("3:17") and "weight_decay has no effect:" in warning.message
    assert not read_problem(f"{text}  decay: l2\n", "t.yaml", "t").warnings
    assert not read_problem(text.replace("0.1", "0.01"), "t.yaml", "t").warnings


@pytest.mark.parametrize("means", ["", "m: g", "v: g * g"])
def test_adam_warns_of_a_later_first_update_without_both_means(means):
    text = "given: {theta: [[1, 2]], g: [[1, 1]]}\nadam:\n  first: 3\n"
    (warning,) = read_problem(f"{text}  {means}\n", "t.yaml", "t").warnings
    assert "first: 3 means that there were earlier updates" in warning.message
    assert not read_problem(f"{text}  m: g\n  v: g * g\n", "t.yaml", "t").warnings


@pytest.mark.parametrize("lesson", LESSONS)
def test_names_of_inputs_and_options_stand_for_one_thing(lesson):
    names = [one.name for one in (*LESSONS[lesson].inputs, *LESSONS[lesson].options)]
    assert sorted(set(names)) == sorted(names)


# -- only what is declared ---------------------------------------------------------------------------------------------

TAKEN = {
    name
    for lesson in LESSONS.values()
    for one in (*lesson.inputs, *lesson.options)
    for name in (one.name, f"{one.name}_1")
}


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_given_that_is_no_input_changes_nothing(lesson):
    """Givens of all names that any lesson knows, of a shape that fits nowhere, beside those that this
    lesson declares.
    """
    givens, arguments = CASES[lesson]
    known = LESSONS[lesson]
    steps = {*known.steps, *usual(lesson)}
    spelled = {fold(one.name) for one in known.inputs}  # a given called B_1 is b_1 where nothing else can be
    strange = {
        name
        for name in TAKEN
        if known.input(name) is None and known.option(name) is None and name not in steps and fold(name) not in spelled
    }
    more = {name: [[7, 7, 7, 7, 7]] * 5 for name in strange - set(givens)}
    assert printed({"given": givens | more, lesson: arguments}) == usual(lesson)


@pytest.mark.sweep(quick=12)
@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("options", [{}, {"norm": "before"}, {"norm": "after"}])
def test_a_given_that_cannot_be_read_is_the_one_fault_that_is_reported(lesson, options):
    if not all(LESSONS[lesson].option(option) for option in options):
        return
    tried = problem(lesson, options)
    for name, values in tried["given"].items():
        given = tried["given"] | {name: {"ros": ["a", "b"], "values": values}}
        with pytest.raises(AttncalcError) as caught:
            load(tried | {"given": given})
        assert [name in fault.message and "did you mean rows?" in fault.message for fault in caught.value.faults] == [
            True
        ]


def broken(recipes) -> Lesson:
    return LESSONS["rms_norm"]._replace(recipes=recipes)


@pytest.mark.parametrize("recipes", [
    lambda s: [("Y", "X + beta")],
    lambda s: [("Y", "X + beta" if s.has("beta") else "X")],
    lambda s: [("Y", "X + temperature" if s.text("temperature") else "X")],
    lambda s: [("Y", "X" if s.flag("gated") else "X * 2")],
    lambda s: [("Y", "X" if s.integer("heads") else "X * 2")],
    lambda s: [("Y", "X" if s.word("axis") == "rows" else "X * 2")],
    lambda s: [("Y", "X" if s.is_unset("ddof") else "X * 2")],
])  # fmt: skip
def test_a_lesson_that_asks_for_what_it_does_not_declare_cannot_run(recipes, monkeypatch):
    monkeypatch.setitem(LESSONS.lessons, "rms_norm", broken(recipes))
    with pytest.raises(Undeclared, match="rms_norm uses"):
        load({"given": {"X": [[1, 2]], "beta": [1, 1], "temperature": 1}, "rms_norm": {}})


def test_rms_norm_adds_no_beta():
    """Against fractions: x / sqrt(mean of squares) · gamma, whatever else is given."""
    from math import isqrt

    rows, gamma = [[1, 3, 5, 7], [2, 2, 4, 0]], [1, 2, 1, 2]
    given = {"X": rows, "gamma": gamma, "beta": [0, 1, 0, 1]}
    found = solve(load({"given": given, "rms_norm": {}})).parts[0]["Y"].decimals(4)
    for row, line in zip(rows, found, strict=True):
        for x, g, text in zip(row, gamma, line, strict=True):
            # y = g·x·sqrt(4 / Σx²); y² is rational, and the printed digits are those of its root, to half a unit
            digits = isqrt((4 * 10**8 * (g * x) ** 2 * 4) // sum(v * v for v in row))
            assert text == f"{(digits + 1) // 2 // 10**4}.{(digits + 1) // 2 % 10**4:04d}"


OTHER_NAMES = [
    (lesson.name, declared.name, other)
    for lesson in LESSONS.values()
    for declared in (*lesson.inputs, *lesson.options)
    for other in declared.also
]


@pytest.mark.parametrize(("lesson", "name", "other"), OTHER_NAMES)
def test_an_input_or_an_option_goes_by_each_of_its_names(lesson, name, other):
    givens, arguments = CASES[lesson]
    value = arguments.get(name, name if name in givens else "0.25")
    renamed = {other if given == name else given: numbers for given, numbers in givens.items()}
    files = [
        {"given": givens, lesson: arguments | {name: value}},
        {"given": givens, lesson: {key: text for key, text in arguments.items() if key != name} | {other: value}},
        *([{"given": renamed, lesson: arguments}] if name in givens else []),
    ]
    first, *others = map(printed, files)
    assert all(first == steps for steps in others)
    with pytest.raises(AttncalcError, match=other):
        load({"given": givens, lesson: {name: value, other: value}})


@pytest.mark.parametrize("lesson", ["cross_entropy", "cross_entropy_gradients"])
@pytest.mark.parametrize("targets", [[[1, 2, -1], [0, 1, 0]], [[0, 0, 0], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]])
def test_targets_that_are_no_probabilities_are_refused(lesson, targets):
    givens = {"logits": [[1, 2, 3], [2, 1, 1]], "P_true": targets}
    with pytest.raises(AttncalcError, match="probabilities must be at least 0 and sum to 1; row 1 of P_true"):
        load({"given": givens, lesson: {"P_true": "P_true"}})
    load({"given": givens | {"P_true": [[0.2, 0.3, 0.5], [0, 1, 0]]}, lesson: {"P_true": "P_true"}})
