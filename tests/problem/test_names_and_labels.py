"""A name, a word, an index or a label that an author may take for another one gives a warning, or a proposal."""

from __future__ import annotations

import pytest

from attncalc import AttncalcError, check, load
from attncalc.problem.problem import Problem
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

GIVEN = {"A": [[1, 2], [3, 4]], "B": [[0, 1], [1, 1]], "x": [1, 2], "y": [3, 4], "c": [[1], [2]], "a": 2}


def warned(formula: str, **given: object) -> list[str]:
    problem = load({"given": {**GIVEN, **given}, "steps": {"Z": formula}})
    return [each.message for each in problem.warnings if "uses the given" not in each.message]


WARNED = {
    "[A, B]": "to put them below each other, write vstack(A, B)", "[x, y]": "to put them below each other, write vstack(x, y)",
    "2 * [c, c]": "to put them below each other, write vstack(c, c)", "A[True]": "NumPy adds a dimension", "A[1.0, 0]": "with a decimal point",
    "A[[0, True]]": "NumPy adds a dimension", "(2 * x)[0]": "for the first entry, write (2 * x)[0, 0]",
    "(x + y)[-1]": "for the last entry, write (x + y)[0, -1]", "(c.T[0] & x)[0]": "((c.T[0] != 0) * (x != 0))[0, 0]",
    "sort_rows(A[:, 0])": "to use the whole column, write sort_rows(A[:, 0].T).T",
}  # fmt: skip


@for_each("formula", WARNED)
def test_a_list_or_an_index_with_another_meaning_gives_a_warning(formula):
    assert any(WARNED[formula] in message for message in warned(formula)), warned(formula)


@for_each("formula", [
    "[a, 2]", "[[a, 1], [2, a]]", "hstack(A, B)", "vstack(x, y)", "A[1]", "A[[0, 1]]", "A[-1, 0]", "x[0, 1]", "c[0]", "sort_rows(x)",
])  # fmt: skip
def test_a_plain_list_or_index_gives_no_warning(formula):
    assert not warned(formula)


@for_each("formula", ["e ** A", "log(e) * A", "softmax(A, base=e)", "2 * e ** -x"])
def test_a_given_called_e_is_warned_of_where_the_constant_may_be_meant(formula):
    assert any("not Euler's number" in message for message in warned(formula, e=5))
    assert not warned(formula) and not warned("e * A", e=5) and not warned("exp(A) + e", e=5)


@pytest.mark.parametrize("formula", ["norm(A, axis=rows)", "softmax(A, axis=columns)", "gelu(A, form=tanh)"])
def test_a_word_of_an_option_is_warned_of_beside_a_name_of_the_file(formula):
    word = formula.rpartition("=")[2].rstrip(")")
    assert any(
        f"means the word {word}, not the {word} of this file" in message for message in warned(formula, **{word: 3})
    )
    assert not warned(formula) and not warned(formula.replace(word, f'"{word}"'), **{word: 3})


@for_each(("latin", "other"), [("A", "Α"), ("H_1", "Η_1"), ("Tx", "Τx"), ("o", "ο")])
def test_names_that_look_alike_give_a_warning(latin, other):
    for first, second in ((latin, other), (other, latin)):
        file = {"given": {first: 2, second: 3}, "steps": {"Z": f"{first} + {second}"}}
        assert any(f"looks like {first}" in each.message for each in load(file).warnings)
        with pytest.raises(AttncalcError) as error:
            load({"given": {first: 2}, "steps": {"Z": f"2 * {second}"}})
        assert first != latin or proposals(str(error.value)) == [f"2 * {latin}"]


@pytest.mark.parametrize("formula", ["А @ B", "x @ А", "А"])  # А is Cyrillic
def test_a_cyrillic_letter_is_proposed_as_the_latin_one(formula):
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": {"Z": formula}})
    assert proposals(str(error.value)) == [formula.replace("А", "A")]


def test_labels_that_meet_in_another_order_give_a_warning():
    values = [[1, 2], [3, 4]]
    X = {"values": values, "rows": ["a", "b"], "columns": ["p", "q"]}
    others = {"Y": {"values": values, "rows": ["b", "a"]}, "U": {"values": values, "rows": ["q", "p"]},
              "V": {"values": values, "rows": ["r", "s"]}, "W": {"values": values, "rows": ["p", "q"]}}  # fmt: skip
    for formula in ("X + Y", "softmax(X) * Y", "X @ U", "relu(X) @ U - Y", "X @ V", "maximum(X, 2 * Y)"):
        assert any("combines them in this order" in message for message in warned(formula, X=X, **others)), formula
    for formula in ("X + X", "X @ W", "X + V", "X @ X.T", "X * 2", "X + A", "Y @ A"):
        assert not any("meet" in message for message in warned(formula, X=X, **others)), formula


_MATRIX = [[1, 0], [1, 2]]
_LAYER = {"X": _MATRIX, "W_Q": _MATRIX, "W_K": _MATRIX, "W_V": _MATRIX, "W_1": _MATRIX, "W_2": _MATRIX}


def layer(heads: int, **work: object) -> Problem:
    return load({"given": _LAYER, "encoder_layer": {"heads": heads}, **work})


@for_each("heads", [1, 2])
@for_each(("name", "slice_"), [(name, at) for name in ("S", "A", "Z") for at in ("", "[0]", "[:, 1]")])
def test_with_one_head_a_step_needs_no_number(heads, name, slice_):
    short, full = f"attention.{name}", f"attention.{name}_1"
    files = [
        {"asked": [called + slice_], "points": {called + slice_: 3}, "accept": [{called: [[1, 2], [3, 4]]}]}
        for called in (short, full)
    ]
    if heads == 1:
        first, second = (layer(heads, **work).parts[0] for work in files)
        assert (first.asked, first.points, [*first.alternatives]) == (second.asked, second.points, [full])
        for script in ({short: _MATRIX}, {"attention": {name: _MATRIX}}):
            assert [filled.step.key for filled in check(layer(heads), script).bound.steps if filled.cells] == [full]
    elif name != "Z":  # with several, attention.Z is another step
        with pytest.raises(AttncalcError, match="did you mean attention"):
            layer(heads, **files[0])


@pytest.mark.parametrize("norm", ["after", "before"])
def test_a_step_without_its_lesson_is_proposed_with_it(norm):
    problem = load({"given": _LAYER, "encoder_layer": {"norm": norm}})
    steps = [step.name for step in problem.parts[0].plan.steps]
    for last in {name.rpartition(".")[2] for name in steps if "." in name} - {*steps}:
        meant = [name for name in steps if name.endswith(f".{last}")][-1]
        with pytest.raises(AttncalcError, match=f"did you mean {meant}") as raised:
            load({"given": _LAYER, "encoder_layer": {"norm": norm}, "asked": [last]})
        assert f"'{last}'" in str(raised.value)
