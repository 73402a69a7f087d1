"""An input whose shape a lesson declares is refused in another shape; a formula would stretch it without a word."""

from __future__ import annotations

import pytest

from attncalc import AttncalcError, load
from attncalc.lessons import LESSONS
from attncalc.lessons.lesson import FEATURES

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


@pytest.mark.parametrize(
    ("lesson", "name"), [(lesson, name) for lesson, (_, names) in OF_FEATURES.items() for name in names]
)
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


@pytest.mark.parametrize(("lesson", "name"), [(lesson, name) for lesson, names in OF_WEIGHTS.items() for name in names])
@pytest.mark.parametrize(("theta", "other"), [(FLAT, COLUMN), (COLUMN, FLAT), (FLAT, X), (X, FLAT), (FLAT, 2)])
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
            if any(words in each.doc for words in ("bias", "what each feature is multiplied", "added to each feature")):
                assert each.shape == FEATURES, f"{lesson.name}: {each.name}"
