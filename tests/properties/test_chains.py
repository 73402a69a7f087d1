"""Chains of equalities in free text: entries belong to the first name of their chain, or to no step, which is reported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.laws import examples
from tests.support.sweeps import for_each

NAMES = ("S", "A", "Z", "H", "P", "Q_1", "S_scaled", "out2", "γ", "K", "V", "dQ")


def listed(rows):
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def latex(rows):
    return r"\begin{pmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{pmatrix}"


def over_lines(rows):
    return "\\left[\\begin{array}{cc}\n" + " \\\\\n".join(" & ".join(row) for row in rows) + "\n\\end{array}\\right]"


def printed(rows):
    return "np.array([" + ",\n          ".join("[" + ", ".join(row) + "]" for row in rows) + "])"


FORMS = [listed, latex, over_lines, printed]

# {n}, {o}, {p} are steps, {m} the matrix of the first, {k} another one of the second.
OF_FIRST = [
    "{n} = {m}", "Hence {n} = {o} {p} = {m}", "{n} = softmax({o}) {p} = {o} {p} = {m}", "{n} ≈ {m}", "({n}) {n} = {m}",
    "Thus the output is {n} = {o} {p} = {m}", "1) {n} = {o} {p}^T = {m}", "$${n} = {o}{p} = {m}$$",
    "{o} {p} = {n} = {m}", "so {o} {p}^T = {n} = {m}", "Therefore, A {p} = {n} = {m}", "{n}: {o} {p} = {m}",
    "{n} = {o} @ {k} = {m}", "{n} = {k} {k} = {m}", "{n} = {m} = {m}", "{n} = {o} {p}\n  = {m}",
    "\\begin{{align*}}\n{n} &= {o}{p} \\\\\n  &= {m}\n\\end{{align*}}", "{n} = {o} {p} =\n{m}", "{n} =\n\n{m}",
    "With d_k = 2 we get {n} = {m}, as required", "\\[ {n} = \\frac{{{o}}}{{\\sqrt{{2}}}} = {m} \\]", "{n} = {m}. Next {o}",
    "{n} = {o} {p}\n\nwhich is\n\n{n} = {m}", "`{n}` = {m}  # from {o} = x",
]  # fmt: skip
OF_BOTH = [
    "{n} = {m}, {o} = {k}", "{n} = {m}; {o} = {k}", "{n} = {m} and {o} = {k}", "$$ {n} = {m} \\quad {o} = {k} $$",
    "${n} = {m}$ ${o} = {k}$", "{n} = {p} {p} = {m}, and so {o} = {n} {p} = {k}", "{n} = {m}\n{o} = {k}",
    "\\begin{{align}}\n{n} &= {m} \\\\\n{o} &= {p} {n} = {k}\n\\end{{align}}", "{n} &= {m} & {o} &= {k}",
    "{n} = {m}. Then {o} = {k}",
]  # fmt: skip
OF_SECOND = ["{n} = {o} {p}, {o} = {k}", "{n} = {p} V where {o} = {k}", "From {n} we get {o} = {k}"]
OF_NONE = [
    "{n} = {m} {o} = {k}", "{n} = {m} = {k}", "{n}: {o} = {m}", "{n}, {o} = {m}", "{n} + {o} = {m}", "{n} = {m}\n= {k}",
    "{n} = 2 {m}", "{n} = {m}^T", "{n} = {m} @ {k}", "{n} = [[1, 2], [3", "{n} = \\begin{{pmatrix}} 1 & 2",
    "I think {n}[0,0] = 9", "I believe that {n} = 7", "the result {m}", "{m}", "so A {o} = {m}", "so x {o} = {m}",
]  # fmt: skip


def test_law_a_word_before_a_name_may_be_a_factor_if_a_step_is_called_so():
    text = "so hidden Z = [[1, 2], [3, 4], [5, 6]]"
    assert read_as(text, ("hidden", "Z")) == ({}, [1])
    assert read_as(text, ("active", "Z"))[0].keys() == {"Z"}


@st.composite
def scenes(draw):
    """Names of steps, and two matrices that no rounding makes equal."""
    n, o, p = draw(st.permutations(NAMES))[:3]
    numbers = iter(draw(st.permutations([f"{k}.{d}" for k, d in zip(range(10, 30), range(20), strict=True)])))
    first, second = ([[next(numbers) for _ in range(2)] for _ in range(3)] for _ in range(2))
    return (n, o, p), first, second


def read_as(text, names):
    """The entries by step, and what is reported, with its line."""
    X = [[1, 2], [3, 4], [5, 6]]
    problem = load({"given": {"X": X}, "steps": {name: f"X + {k}" for k, name in enumerate(names)}})
    try:
        bound = bind(read(text, "a.md", lenient=True), problem, lenient=True)
    except AttncalcError as error:
        return {}, [fault.place.line for fault in error.faults]
    rows = {
        filled.step.name: [[filled.cells[i, j].text for j in range(2)] for i in range(3)]
        for filled in bound.steps
        if filled.kind == "whole"
    }
    return rows, [one.fault.place.line for one in bound.unread]


def written(template, scene, form):
    (n, o, p), first, second = scene
    return template.format(n=n, o=o, p=p, m=form(first), k=form(second))


@pytest.mark.parametrize("template", OF_FIRST)
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS))
def test_law_a_chain_belongs_to_its_first_name(template, scene, form):
    names, first, _ = scene
    assert read_as(written(template, scene, form), names) == ({names[0]: first}, [])


@pytest.mark.parametrize("template", ["- **{n}** = {o} = {m}", "{n} = {p} = {o} = {m}", "so {n} = {o} {p} = {o} = {m}"])
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS), is_answered=st.booleans())
def test_law_another_name_in_a_chain_is_reported_unless_it_has_its_own_answer(template, scene, form, is_answered):
    names, first, second = scene
    below = f"\n\n{names[1]} = {form(second)}\n\n{names[2]} = {form(second)}\n" if is_answered else "\n"
    found, lines = read_as(written(template, scene, form) + below, names)
    assert found == {names[0]: first} | ({names[1]: second, names[2]: second} if is_answered else {})
    assert set(lines) == (set() if is_answered else {1})


@pytest.mark.parametrize("template", OF_BOTH)
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS))
def test_law_statements_of_one_line_are_read_each_by_itself(template, scene, form):
    names, first, second = scene
    assert read_as(written(template, scene, form), names) == ({names[0]: first, names[1]: second}, [])


@pytest.mark.parametrize("template", OF_SECOND)
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS))
def test_law_a_matrix_belongs_to_the_name_before_it_and_not_to_an_earlier_one(template, scene, form):
    names, _, second = scene
    assert read_as(written(template, scene, form), names) == ({names[1]: second}, [])


@pytest.mark.parametrize("template", OF_NONE)
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS), rest=st.sampled_from(("", "{p} = {m}\n", "\n# {p}\n{k}\n")))
def test_law_two_readings_are_none_and_are_reported_at_their_line(template, scene, form, rest):
    names, first, second = scene
    below = rest.format(p=names[2], m=listed(first), k=listed(second))
    found, lines = read_as(f"{below}\n{written(template, scene, form)}\n", names)
    under = template == "{m}" and "#" in below  # two matrices below one heading
    assert found == ({names[2]: first if "=" in below else second} if below and not under else {})
    assert lines and min(lines) > below.count("\n")


@pytest.mark.parametrize("between", ["\n", "\n\nSome words.\n\n", "\n{o} = {k}\n", "\n# {p}\n"])
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS), fits=st.booleans())
def test_law_of_two_statements_that_differ_neither_is_used_and_both_are_named(between, scene, form, fits):
    (n, o, p), first, second = scene
    gap = between.format(o=o, p=p, k=form(second))
    text = f"{n} = {form(first)}{gap}{n} = {form(second if fits else second[:1])}\n"
    found, lines = read_as(text, (n, o, p))
    assert n not in found and len(lines) == 1 and lines[0] > form(first).count("\n") + 1
    again, none = read_as(f"{n} = {form(first)}{gap}{n} = {form(first)}\n", (n, o, p))
    assert again[n] == first and not none


def test_exact_entries_and_rounded_ones_in_one_chain():
    assert read_as("A = [[1/2, 1/3]] ≈ [[0.5, 0.33]]", ("A",)) == ({}, [])
    for text in ("A = [[2/3, 1], [sqrt(2), 0], [1, 1]] ≈ [[0.67, 1], [1.41, 0], [1, 1]]",):
        rows, said = read_as(text, ("A", "B"))
        assert rows["A"][0] == ["0.67", "1"] and rows["A"][1] == ["1.41", "0"] and not said
    assert read_as("A = [[2/3, 1], [sqrt(2), 0], [1, 1]] ≈ [[0.57, 1], [1.41, 0], [1, 1]]", ("A",)) == ({}, [1])


BEHIND_THE_VALUE = ["{o} {p}", "x", "result", "softmax({o})", "", "{p}", "5", "{k}", "2 {o}", "{o}.T"]


@pytest.mark.parametrize("more", BEHIND_THE_VALUE)
@examples(8)
@given(scene=scenes(), form=st.sampled_from(FORMS), sign=st.sampled_from((" = ", " ≈ ")))
def test_law_what_stands_behind_the_value_of_a_chain_costs_no_other_answer(more, scene, form, sign):
    names, first, second = scene
    found, lines = read_as(f"{names[1]} = {form(second)}\n\n" + written("{n} = {m}" + sign + more, scene, form), names)
    assert found.pop(names[1]) == second
    assert found in ({}, {names[0]: first}) and (found or lines)
    assert bool(found) == (more not in ("{p}", "5", "{k}", "2 {o}"))  # another number, or step


METHODS = [".T", ".t()", ".transpose()", ".round(2)", ", transposed", ".T.T", "^T", "ᵀ", "'", " * 2", " / 2"]


@pytest.mark.parametrize("method", METHODS)
@examples(4)
@given(scene=scenes(), form=st.sampled_from([listed, printed]), between=st.sampled_from((" = ", " =\n", ": ", ":\n")))
def test_law_a_matrix_that_something_is_done_with_is_refused_at_its_line(method, scene, form, between):
    (n, o, _), first, second = scene
    found, lines = read_as(f"{n}{between}{form(first)}{method}\n\n{o} = {form(second)}\n", (n, o))
    assert found == {o: second} and len(lines) == 1


def scalars_read(text):
    problem = load({"given": {"X": [[1]]}, "steps": {"loss": "X + 1", "count": "X + 2"}})
    bound = bind(read(text, "a.md", lenient=True), problem, lenient=True)
    return {one.step.name: one.cells[0, 0].text for one in bound.steps}, {one.step for one in bound.unread}


@for_each("between", [" ", "  ", "\t", " / ", " | ", "; ", ", ", " and ", " → "])
def test_two_numbers_on_a_line_are_read_each_for_its_name_or_both_are_reported(between):
    for first in ("1.23", "-4", ".5"):
        found, unread = scalars_read(f"loss = {first}{between}count = 3.41\n")
        assert found == {"loss": first, "count": "3.41"} or not found and unread == {"loss", "count"}


def test_a_number_of_a_chain_is_that_of_the_first_name():
    assert scalars_read("loss = count = 2.57") == ({"loss": "2.57"}, {"count"})


def test_of_two_numbers_in_a_chain_that_differ_none_is_used():
    assert scalars_read("loss = 1.23 = 5\ncount = 2") == ({"count": "2"}, {"loss"})
    assert scalars_read("loss = 1.234 = 1.23\ncount = 2") == ({"loss": "1.23", "count": "2"}, set())
    assert scalars_read("loss = 37/30 ≈ 1.23\ncount = 2") == ({"loss": "1.23", "count": "2"}, set())


MATRIX = [["1.25", "2.50"], ["3.75", "4.25"], ["5.75", "6.50"]]
ROW_TYPED_BADLY = ["l.OO O.OO", "(1.00 2.00", "~1.00 ~2.00", "nan nan", "see above", "three four", "1 V 2 V", "?? ok"]


@for_each("bad", ROW_TYPED_BADLY)
@for_each("k", range(3))
@for_each("top", ["S =\n", "S:\n", "## S\n\n", "**S**\n"])
def test_law_a_row_that_cannot_be_read_is_listed_and_makes_no_other_row_wrong(bad, k, top):
    rows = [" ".join(row) for row in MATRIX]
    rows[k] = bad
    problem = load({"given": {"X": [[1, 2], [3, 4], [5, 6]]}, "steps": {"S": "X + 1"}})
    bound = bind(read(top + "\n".join(rows) + "\n", "a.md", lenient=True), problem, lenient=True)
    assert bound.unread and not bound.shapes
    for one in bound.steps:
        assert all(typed.text == MATRIX[i][j] for (i, j), typed in one.cells.items())


SAID_BUT_NOT_READ = [
    "loss is 1.23", "loss > 1.23", "1.23 = loss", "loss 1.23", "loss = none", "loss = O", "loss: about 1.23", "loss -> 1.23",
    "loss <- 1.23", "loss(1,1) = 1.23", "row 1 of loss: 1.23", "loss row 1: 1.23", "(a) loss = 1.23 = 5",
    "We find a loss of 1.23 here", "loss = mat", "loss 1.23, other 3.41", "the loss → 1.23",
]  # fmt: skip


@for_each("line", SAID_BUT_NOT_READ)
def test_law_a_line_with_the_name_of_a_step_and_a_number_is_read_or_listed(line):
    for text in (
        line,
        f"count = 2\n\n{line}\n",
        f"{line}\n\ncount = 2\n",
        f"Some words.\n{line}\nMore words.\ncount = 2\n",
    ):
        found, unread = scalars_read(text)
        assert "loss" in found or "loss" in unread, text
        assert found.get("loss") in (None, "1.23")
        assert ("count" in found) == ("count" in text)


def test_law_rows_alone_between_blank_lines_are_one_matrix():
    problem = load({"given": {"X": [[1, 2], [3, 4], [5, 6]]}, "steps": {"S": "X + 1"}})
    text = "S =\n\n" + "\n\n".join(" ".join(row) for row in MATRIX) + "\n"
    (one,) = bind(read(text, "a.md"), problem).steps
    assert [[one.cells[i, j].text for j in range(2)] for i in range(3)] == MATRIX


@for_each("bullet", ["- ", "+ ", "− ", "– "])
@for_each("between", [", ", "; "])
def test_bullets_of_a_list_that_may_be_minus_signs_are_reported(bullet, between):
    text = "S:\n" + "\n".join(bullet + between.join(row) for row in MATRIX)
    assert read_as(text + "\n\nZ = [[1, 2], [3, 4], [5, 6]]\n", ("S", "Z")) == (
        {"Z": [["1", "2"], ["3", "4"], ["5", "6"]]},
        [2],
    )


def test_of_two_answers_the_coarser_is_not_used():
    for coarse, fine in (("0", "0.5"), ("0.3", "0.28"), ("1", "1.4")):
        for first, second in ((coarse, fine), (fine, coarse)):
            assert scalars_read(f"loss = {first}\n\nloss = {second}\ncount = 2") == ({"count": "2"}, {"loss"})
    assert scalars_read("loss = 0.5\n\nloss = 0.50\ncount = 2")[1] == set()
