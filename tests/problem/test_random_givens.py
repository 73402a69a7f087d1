"""Problems of one's own that draw their numbers: what may be drawn, what every draw holds, and the commands that take
such files.
"""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from attncalc import AttncalcError, generate, load, solve
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.variant_drawing import draw_all
from attncalc.generator import rejection_search
from attncalc.generator.lesson_recipes import DRAWN, RECIPES, drawn_lessons
from attncalc.generator.lint import lint
from attncalc.generator.numeric_view import NumericView
from attncalc.lessons import LESSONS
from attncalc.problem.entry_distributions import SHARES, STEPS, kind
from attncalc.problem.json_schema import problem_schema
from attncalc.problem.loader import read_problem
from attncalc.problem.random_givens import read_draws
from attncalc.problem.random_stream import Stream
from attncalc.problem.yaml_file.yaml_reader import read_yaml
from tests.support.called import called
from tests.support.laws import examples

OWN = """title: Attention with drawn numbers
draw:
  Q: {size: 2 × 2, entries: integers -2..2, rows: {from: [we learn, birds sing]}}
  K: 2 × 2 integers -2..2
  V: integers -3..3, 2x2
given: {W: 2 * V}
demand: [max(abs(S)) <= 6, "A[0, 0] != A[1, 0]"]
rounding: {digits: 2}
attention: {}
steps: {R: Z @ W}
asked: [S, A, Z]
"""


def read(text: str):
    return read_problem(text, "p.yaml", "p")


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.yaml").write_text(OWN, encoding="utf-8")
    return "own.yaml"


# -- what may be drawn -------------------------------------------------------------------------------------------------

KINDS = ["integers -2..2", "halves -1..1.5", "quarters 0..1", "tenths -0.5..0.5", "hundredths 0..0.2", "sparse -3..3",
         "rising 1..20", "logarithms 1..6", "one-hot", "choices 1 1/2 sqrt(2)", "choices 0, 5", "rows that sum to 1",
         *(f"rows that sum to 1 in {word}" for word in SHARES if SHARES[word] > 3)]  # fmt: skip


@examples(150)
@given(st.sampled_from(KINDS), st.integers(1, 3), st.integers(1, 3), st.integers(0, 10**6))
def test_a_kind_gives_what_it_says(text, n, m, seed):
    drawn = kind(text)
    rows = drawn.matrix(Stream(seed), n, m)
    assert [len(row) for row in rows] == [m] * n and kind(drawn.text).matrix(Stream(seed), n, m) == rows
    word = text.split()[0]
    if word == "rows":
        parts = SHARES[text.rpartition(" in ")[2]] if " in " in text else 10
        assert all(sum(map(Fraction, row)) == 1 for row in rows) and all(
            Fraction(x) * parts in range(1, parts + 1) for row in rows for x in row
        )
    elif word == "choices":
        assert {x for row in rows for x in row} <= set(text.replace(",", "").split()[1:])
    elif word in STEPS and word != "logarithms":
        low, high = map(Fraction, text.split()[1].split(".."))
        assert all(low <= Fraction(x) <= high and Fraction(x) / STEPS[word] % 1 == 0 for row in rows for x in row)


SIZES = {
    "3 × 2 integers -1..1": (3, 2), "3x2 integers": (3, 2), "integers -1..1, 3 x 2": (3, 2), "integers 2..5": (1, 1),
    "1 by 4 one-hot": (1, 4),
    "{size: 2 × 3, entries: integers}": (2, 3), "{entries: integers, rows: [a, b], columns: 3}": (2, 3),
    "{entries: 2 × 2 tenths, rows: [a, b]}": (2, 2),
    "{entries: integers, rows: 4, columns: [x, y]}": (4, 2),
}  # fmt: skip


@pytest.mark.parametrize(("written", "size"), SIZES.items())
def test_a_size_is_read_wherever_it_stands(written, size):
    assert load({"draw": {"X": yaml.safe_load(written)}, "steps": {"Y": "X + 1"}})  # as data
    problem = read(f"draw: {{X: {written if written.startswith('{') else repr(written)}}}\nsteps: {{Y: X + 1}}")
    assert problem.plan.entries["given:X"].node.shape == size


def test_labels_are_fixed_or_drawn():
    text = "draw: {X: {size: 2 × 3, entries: integers, rows: {from: [we learn, birds sing]}, columns: {from: [a, b, c, d]}}, "
    problem = read(text + "Y: {size: 2 × 1, entries: integers, rows: [u, v]}}\nsteps: {Z: X + Y}")
    found = set()
    for number in range(20):
        words = problem.draws.words(Stream(number))
        assert (
            words["Y rows"] == ["u", "v"]
            and len(set(words["X columns"])) == 3
            and set(words["X columns"]) <= set("abcd")
        )
        found.add(" ".join(words["X rows"]))
    assert found == {"we learn", "birds sing"}


FAULTS = {
    "draw: [1]": "1:1: draw: expected a mapping from names to sizes and distributions, found a list",
    "draw: {X: integer 1..2}": "1:11: X: expected a distribution such as integers -2..2, found 'integer 1..2'; did you mean "
                               "integers?",
    "draw: {X: 3 × 99 integers}": "1:11: X: expected sizes from 1 to 40, found 3 × 99",
    "draw: {X: 99999999 x 3 integers}": "1:11: X: expected sizes from 1 to 40, found 99999999 × 3",
    "draw: {X: 1 × 9 rising 1..4}": "1:11: X: expected a range of at least 9 numbers",
    "draw: {X: 2 × 12 rows that sum to 1}": "1:11: X: rows that sum to 1 in tenths can have at most 10 columns; "
        "found 12",
    "draw: {X: rows that sum to 1 in thirds}": "1:11: X: expected one of halves, quarters",
    "draw: {X: choices 1}": "1:11: X: expected at least two numbers, as in `choices 1 2 5`",
    "draw: {X: choices 1 2^}": "1:11: X: expected a formula, found '2^'",
    "draw: {X: logarithms 0..3}": "1:11: X: logarithms need a range of whole numbers",
    "draw: {X: {size: 2 × 2}}": "1:11: X: expected the key entries:",
    "draw: {X: {size: two, entries: integers}}": "1:18: X: expected a size such as 3 × 4",
    "draw: {X: {entries: integers, rowz: 2}}": "1:31: the random givens of X has no key 'rowz'; did you mean rows?",
    "draw: {X: {size: 3 × 1, entries: integers, rows: [a, b]}}": "1:50: X: expected as many labels as rows; "
        "found 2 labels for 3 rows",
    "draw: {X: {size: 3 × 1, entries: integers, rows: {from: [a, b]}}}": "1:50: X: expected as many labels as "
        "rows",
    "draw: {X: integers, pi: integers}": "1:21: pi is a constant",
    "draw: {Y: integers}\ngiven: {Y: 1}": "1:8: Y is both under `draw:` and under `given:`",
    "draw: {X: integers}\ndemand: X > )": "2:13: demand: this closing bracket has no opening bracket",
    "draw: {X: integers}\ndemand: [Q > 1]": "2:10: demand: Q is not defined",
    "draw: {X: integers -2..2}\ndemand: [X > 2]": "2:10: demand: in 200 attempts, no numbers met X > 2",
    "draw: {X: integers}\nrelax: {a: 1}": "2:8: relax: expected a text",
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), FAULTS.items())
def test_every_fault_is_told_at_its_place(text, said):
    with pytest.raises(AttncalcError) as error:
        read(f"{text}\nsteps: {{A: X + 1}}")
    assert str(error.value).splitlines()[0].startswith(f"p.yaml:{said}")


@pytest.mark.parametrize(
    "text", ["x" * 900_000, "choices " + "1 " * 300_000, "3 × " * 200_000, "integers " + "9" * 100_000 + "..2"]
)
def test_hostile_draws_are_refused_soon(text):
    with pytest.raises(AttncalcError) as error:
        read(f"draw: {{X: '{text}'}}\nsteps: {{A: X + 1}}")
    assert len(str(error.value)) < 1_200


# -- an example, and variants ------------------------------------------------------------------------------------------


def holds(problem) -> bool:
    return max(abs(x) for row in solve(problem)["S"].fractions() for x in row) <= 6


def test_a_file_with_draws_is_read_as_an_example(own):
    problem = load(own)
    assert holds(problem) and problem.warnings[-1].message.startswith(
        "warning: this problem has random numbers (draw:)"
    )
    code, _, err = called("solve", own)
    assert code == 0 and "2:1: warning: this problem has random numbers (draw:)" in err
    assert load(own).plan.entries["given:Q"].texts == problem.plan.entries["given:Q"].texts
    assert lint(problem).certificate.codes("separated")


@pytest.mark.sweep(quick=0)
def test_the_generator_draws_variants_that_hold_the_demands(own):
    variants = list(generate(own, seed=5, count=2))
    assert len({variant.text for variant in variants}) == 2 and all(holds(variant.problem) for variant in variants)
    assert variants[0].separated and "variant 2" in variants[1].text
    again = read(variants[1].text)
    assert again.draws is None and solve(again)["Z"].decimals(4) == solve(variants[1].problem)["Z"].decimals(4)
    assert [one.text for one in generate(own, seed=5, count=1)] == [variants[0].text]


def test_a_number_that_decides_how_formulas_are_read_may_be_drawn():
    text = "draw: {X: 3 × 2 integers 1..9, k: choices 0 1 2}\nsteps: {r: X[k], n: norm(r)}\nrelax: [work]"
    seen = set()
    for number in range(12):
        stream = Stream(number)
        draws = read_draws(read_yaml(text, "p.yaml"), faults())
        entries = draws.entries(stream)
        problem = read(yaml_of(draws.tree(entries, {})))
        k = int(entries["k"][0][0])
        seen.add(k)
        assert solve(problem)["r"].decimals(0) == [entries["X"][k]]
    assert seen == {0, 1, 2}


def faults():
    from attncalc.errors import Diagnostics

    return Diagnostics()


def yaml_of(tree) -> str:
    from attncalc.problem.yaml_file.writer import yaml_text

    return yaml_text(tree)


def test_such_a_number_may_be_drawn_by_the_generator_as_well(tmp_path):
    path = tmp_path / "k.yaml"
    path.write_text(
        "draw: {X: 3 × 2 integers 1..9, k: choices 0 1 2}\nsteps: {r: X[k], n: r * 2}\nrelax: [work]\n",
        encoding="utf-8",
    )
    for variant in generate(str(path), count=2):
        solution = solve(variant.problem)
        entries = variant.problem.plan.entries
        k = int(entries["given:k"].texts[0][0])
        assert solution["r"].decimals(0) == [list(entries["given:X"].texts[k])]


@pytest.mark.parametrize(("words", "said"), [
    (["--tokens", "3"], "--tokens: these options are only for lessons"), (["--mask", "causal"], "--set: these options are only for lessons"),
    (["--relax", "tiez"], "did you mean ties?"),
])  # fmt: skip
def test_options_of_lessons_are_refused(own, words, said):
    code, _, err = called("generate", own, *words)
    assert code == 2 and said in err


def test_a_problem_without_draws_generates_nothing():
    code, _, err = called("generate", "look-ahead-mask")
    assert code == 2 and "has no random givens" in err


@pytest.mark.sweep(quick=0)
def test_each_student_of_a_sheet_gets_numbers_of_their_own(own):
    sheet = read_sheet("title: T\nvariants: 2\nseed: 1\nquestions: [{problem: own.yaml, points: 3}]\n", "sheet.yaml")
    drawn = [draw_all(sheet, student)[0].entries["Q"] for student in sheet.students]
    assert len({str(rows) for rows in drawn}) == 2
    with pytest.raises(AttncalcError, match="relax: no requirement is called 'nothing'"):
        Path("own.yaml").write_text(OWN + "relax: nothing\n", encoding="utf-8")
        read_sheet("title: T\nvariants: 3\nseed: 1\nquestions: [{problem: own.yaml}]\n", "sheet.yaml")


def test_the_schema_knows_draws():
    schema = Draft202012Validator(problem_schema())
    assert not list(schema.iter_errors(yaml.safe_load(OWN)))
    assert list(schema.iter_errors({"draw": {"X": {"size": "2 × 2"}}, "steps": {"A": "X"}}))
    assert list(schema.iter_errors({"draw": {"X": 3}, "steps": {"A": "X"}}))


# -- lessons drawn from files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_is_drawn_and_in_one_way(lesson):
    assert (lesson in drawn_lessons()) != (lesson in RECIPES), "a file in attncalc/generator/draws/ is required"


def test_what_is_drawn_is_a_lesson():
    assert {*drawn_lessons(), *RECIPES} == set(LESSONS)


@pytest.mark.sweep(quick=8, ci=True)
@pytest.mark.parametrize("lesson", drawn_lessons())
def test_the_file_of_a_lesson_uses_it_and_what_it_draws(lesson):
    problem = load(os.path.join(DRAWN, f"{lesson}.yaml"))
    assert lesson in problem.draws.source and len(problem.warnings) == 1 and problem.parts[0].ask
    assert solve(problem).parts[0].steps[-1].decimals(1)


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "lesson", ["cached_attention", "linear_attention", "cache_memory", "byte_pair_merges", "bleu", "ngram_perplexity"]
)
def test_such_a_lesson_is_generated_like_others(lesson):
    one, two = generate(lesson, count=2, seed=3)
    assert (
        one.text != two.text
        and one.separated
        and one.text.startswith(f"# attncalc generate {lesson} (seed 3, variant 1")
    )


@pytest.mark.sweep(quick=2, ci=14)
@pytest.mark.parametrize("lesson", [*RECIPES, *drawn_lessons()])
def test_a_variant_of_every_lesson_is_found_soon(lesson, monkeypatch):
    monkeypatch.setattr(rejection_search, "VARIANT_TRIES", 2_000)
    (one,) = generate(lesson, count=1)
    assert one.text


def test_options_of_such_a_lesson_are_set_and_sizes_refused():
    (one,) = generate("sparse_attention", options={"scale": "none"}, relax=["separation", "named", "work"])
    assert "scale: none" in one.text
    with pytest.raises(AttncalcError, match="fixed size"):
        generate("linear_attention", tokens=4)
    with pytest.raises(AttncalcError, match="did you mean scale"):
        generate("sparse_attention", options={"scal": "none"})


# -- words -------------------------------------------------------------------------------------------------------------

MERGES = "title: M\ndraw: {text: 1 × 6 words ab abc bc}\nrelax: [work, separation, named, ties, large, degenerate]\nask: text\nrounding: {digits: 0}\n"


def test_drawn_words_stand_in_options_and_nowhere_else(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(
        MERGES
        + "parts:\n  one: {ask: text, byte_pair_merges: {words: text, merges: 1}}\n  two: {byte_pair_merges: {words: text, merges: 2}}\n"
    )
    for found in generate(str(path), count=3, seed=1):
        data = yaml.safe_load(found.text)
        words = data["parts"]["one"]["byte_pair_merges"]["words"]
        assert (
            words == data["parts"]["two"]["byte_pair_merges"]["words"]
            and len(words.split()) == 6
            and set(words.split()) <= {"ab", "abc", "bc"}
        )
        assert data["ask"] == data["parts"]["one"]["ask"] == "text" and not data.get("given")


@pytest.mark.parametrize(("draw", "said"), [
    ("1 × 3 words ab", "at least two words"), (f"1 × 3 words ab {'x' * 41}", "at most 40 letters"),
    ("1 × 99 words a b", "sizes from 1 to 40"),
])  # fmt: skip
def test_words_that_cannot_be_drawn_are_told(draw, said):
    with pytest.raises(AttncalcError, match=said):
        load({"title": "t", "draw": {"text": draw}, "byte_pair_merges": {"words": "text"}})


def test_words_that_no_option_names_are_told():
    with pytest.raises(AttncalcError, match="expected a lesson that uses these words"):
        load({"title": "t", "draw": {"text": "1 × 3 words a b", "X": "2 × 2 integers"}, "steps": {"Y": "X"}})


HOSTILE_WORDS = [
    "#",
    "'",
    '"',
    "{",
    "]",
    "&a",
    "*",
    "!",
    "%",
    "@",
    "`",
    "$x$",
    "<b>",
    ",",
    "null",
    "1e9",
    "|x",
    "-",
    "\u202e",
]


@given(st.lists(st.sampled_from(HOSTILE_WORDS), min_size=2, max_size=6, unique=True))
@examples(30)
def test_any_words_come_back_as_they_were_drawn(words):
    problem = {
        "title": "t",
        "draw": {"text": f"1 × 5 words {' '.join(words)}"},
        "byte_pair_merges": {"words": "text", "merges": 1, "end_mark": "false"},
    }
    drawn = load(problem).draws
    stream = Stream("x", 1)
    tree = drawn.tree(drawn.entries(stream), drawn.words(stream))
    told = tree.get("byte_pair_merges").get("words").text.split()
    assert len(told) == 5 and set(told) <= set(words)


def test_demands_that_always_hold_may_be_stated():
    text = "draw: {X: 2 x 2 integers}\ndemand: [unsaturated, no ties, max(X) > -3]\nsteps: {A: softmax(X)}\n"
    assert [one.text for one in read_problem(text, "p.yaml", "p").draws.relations] == ["max(X) > -3"]
    with pytest.raises(AttncalcError, match=r"p.yaml:2:23: demand: no ties contradicts relax: \[ties\]"):
        read_problem(text + "relax: [ties]\n", "p.yaml", "p")


@pytest.mark.parametrize("size", ["100000 x 2", "2 × 999999999", "0 x 1"])
def test_a_size_beyond_what_is_drawn_is_told_as_a_size(size):
    with pytest.raises(AttncalcError, match="X: expected sizes from 1 to 40, found"):
        read_problem(f"draw: {{X: {size} integers}}\nsteps: {{A: X}}\n", "p.yaml", "p")


CLOSED = {
    "roots": "Q: 2 × 2 choices 1 1/2 sqrt(2), K: 2 × 2 integers 0..2, V: 2 × 2 integers 0..2",
    "pi": "Q: 2 × 2 integers 0..2, K: 2 × 2 choices 0 1 pi, V: 2 × 2 integers 0..2",
    "all": "Q: 2 × 2 choices 1 sqrt(3), K: 2 × 2 choices 0 ln(2) 1, V: 2 × 2 choices 1/3 sqrt(2) 2",
}


@pytest.mark.parametrize("name", CLOSED)
def test_choices_may_be_closed_forms_and_whole_numbers_in_turn(name, tmp_path):
    """Each draw is judged with its own numbers: a given is now numbers, now formulas."""
    path = tmp_path / "closed.yaml"
    path.write_text(f"title: t\ndraw: {{{CLOSED[name]}}}\nattention: {{}}\n", encoding="utf-8")
    variants = list(generate(str(path), count=6, seed="closed"))
    assert len({one.text for one in variants}) == 6
    for one in variants:
        assert lint(one.problem).certificate.codes("separated") == list(one.separated)
        fresh = solve(read(one.text)).parts[0].steps
        assert [step.decimals(2) for step in fresh] == [step.decimals(2) for step in solve(one.problem).parts[0].steps]


@examples(20)
@given(st.integers(1, 10_000))
def test_law_weights_that_are_fractions_print_as_they_are_certified(seed):
    """e^{ln 3}/8 lies halfway between 0.37 and 0.38, which no interval decides."""
    (one,) = generate("attention", family="fractions", seed=seed)
    view = NumericView(one.problem)
    for part in solve(one.problem).parts:
        for step in part.steps:
            assert view.printed(step.step) == step.decimals()
