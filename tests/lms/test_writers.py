"""The same quiz for every course system: each writer is complete, by a reader that knows only the system's own rules;
no text is more than text; and a writer that drops blanks, or whose blanks take nothing or anything, would be found out.
"""

import html
import io
import re
import zipfile
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import chain, combinations
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc import check, load, solve
from attncalc.cli import cli
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.gradebook.answer_key import read_key
from attncalc.lms.number_format import decimal
from attncalc.lms.quiz import Matrix, Option, PriorPart, Question, Quiz
from attncalc.lms.quiz_export import export, quiz_of, quizzes, write
from attncalc.lms.registry import LAST_DIGITS, SYSTEMS
from tests.lms.test_quizzes import (
    BIG,
    HEAD,
    HOSTILE,
    forgotten_scale,
    hostile,
    is_number,
    key_file,
    key_of,
    keyed,
    loaded,
    quiz,
)
from tests.support import read_qti21
from tests.support.called import called
from tests.support.laws import examples
from tests.support.sweeps import for_each
from tests.support.system_readers import READERS, SHARE
from tests.support.system_readers import Question as Read

PROBLEMS = ["parts", "slice", "masked-scores-je-vais-bien", "next-word"]


@pytest.fixture(params=SYSTEMS)
def system(request):
    return request.param


@pytest.fixture(params=PROBLEMS)
def name(request):
    return request.param


@cache
def made(name):
    return quiz(loaded(name))


@cache
def written(system, name):
    return write(system, [made(name)])


@cache
def cells_written(system, name):
    return cells_of(system, written(system, name)[0])


def cells_of(system, content):
    """The cells of all variants' questions, in order."""
    return list(chain(*(question.cells for variant in READERS[system].read(content) for question in variant)))


def told(content):
    """What a file says that it lost."""
    if isinstance(content, bytes):
        return zipfile.ZipFile(io.BytesIO(content)).read("README.txt").decode()
    return content


def test_every_system_has_a_row_and_a_reader():
    assert set(SYSTEMS) == set(READERS)
    told = (Path(__file__).parents[2] / "docs" / "how-to" / "quizzes.md").read_text(encoding="utf-8")
    assert [name for name in SYSTEMS if f"\n| `{name}` |" not in told] == [], (
        "a row in docs/how-to/quizzes.md is required"
    )
    for name, row in SYSTEMS.items():
        assert (
            row.name == name
            and re.fullmatch(r"\.[a-zA-Z]+", row.ending)
            and row.file
            and row.way_in
            and len(row.limitations) >= 3
        )


# -- completeness ------------------------------------------------------------------------------------------------------


def complete(cells, problem):
    """Raises AssertionError for what a writer may not do: every asked cell is there once, takes the key, and takes
    nothing else.
    """
    key = list(chain(*key_of(problem)))
    assert len(cells) == len(key)
    for cell, right in zip(cells, key):
        assert cell.points > 0
        assert cell.marks(right)[0] == pytest.approx(1), right
        assert all(cell.marks(wrong)[0] == 0 for wrong in ("", "12345678.9", "x", "-")), right
    return cells


@pytest.mark.sweep(quick=4)
def test_the_key_earns_all_and_anything_else_nothing(system, name):
    complete(cells_written(system, name), loaded(name))


@pytest.mark.sweep(quick=6, ci=True)
@pytest.mark.parametrize("damage", ["drop", "swap", "refuse", "everything", "twice"])
def test_a_writer_that_is_not_complete_is_found_out(system, damage):
    def blanks(step):
        first, *rest = step.blanks
        if damage == "drop":
            return tuple(rest)
        if damage == "twice":
            return step.blanks
        if damage == "swap":
            return (replace(first, answers=rest[0].answers), *rest)
        wide = Fraction(10**9) if damage == "everything" else None
        answers = tuple(
            replace(one, tolerance=wide, share=Fraction(1)) if wide else replace(one, text="77777")
            for one in first.answers
        )
        return (replace(first, answers=answers), *rest)

    problem = load({"given": {"A": [[1, 2], [3, 4]]}, "steps": {"B": "A * 2", "C": "A * 3"}, "points": 2})
    broken = quiz(problem)
    for question in broken.questions:
        asked = tuple(replace(step, blanks=blanks(step)) for step in question.asked)
        question.asked = asked + asked[:1] * (damage == "twice")
    with pytest.raises((AssertionError, ValueError, KeyError)):
        complete(cells_of(system, write(system, [broken])[0]), problem)


@pytest.mark.sweep(quick=4)
def test_stepwise_rounding_and_more_digits_earn_all(system, name):
    problem = loaded(name)
    cells = cells_written(system, name)
    near = READERS[system].nearest
    for typed in (key_of(problem, paper=True), key_of(problem, 9)):
        for cell, x, right, unit in zip(cells, chain(*typed), chain(*key_of(problem)), units(problem), strict=True):
            known = "?" not in x and (
                near is None or not is_number(x) or abs(Fraction(x) - Fraction(right)) <= near * unit
            )
            assert not known or cell.marks(x)[0] == pytest.approx(1), x


@pytest.mark.sweep(quick=4)
def test_a_last_digit_that_is_off_earns_what_the_system_knows(system, name):
    problem = loaded(name)
    for cell, x, unit in zip(cells_written(system, name), chain(*key_of(problem)), units(problem), strict=True):
        if is_number(x) and abs(Fraction(x)) < BIG * unit:
            share = cell.marks(decimal(Fraction(x) + unit))[0]
            assert share in (pytest.approx(SHARE if READERS[system].shares else 0), pytest.approx(1))
            assert cell.marks(decimal(Fraction(x) + 5000 * unit + unit / 3))[0] == 0


def units(problem):
    """The unit of the last digit of every asked cell."""
    parts = [part for part in problem.parts if keyed(part)]
    return [
        Fraction(1, 10**part.rounding.digits) for part, key in zip(parts, key_of(problem), strict=True) for _ in key
    ]


@pytest.mark.sweep(quick=4)
def test_points_are_kept(system, name):
    (read,) = (
        READERS[system].read(written(system, name)[0])
        if system != "canvas"
        else [[Read(cells_written(system, name), "")]]
    )
    asked = [[float(blank.points) for blank in question.blanks] for question in made(name).questions]
    if READERS[system].relative:  # to the other cells of a question
        points, kept = asked, [[cell.points for cell in question.cells] for question in read]
    else:
        points, kept = [list(chain(*asked))], [[cell.points for question in read for cell in question.cells]]
    for before, after in zip(points, kept, strict=True):
        assert [x / sum(before) for x in before] == pytest.approx([x / sum(after) for x in after], abs=1e-4)


@pytest.mark.sweep(quick=3)
def test_a_known_mistake_is_told_where_the_system_can(system):
    problem, right, wrong = load(HEAD | {"asked": ["S_scaled"]}), key_of(load(HEAD))[0], key_of(forgotten_scale())[0]
    scaled = slice(len(right) - 33, len(right) - 24)  # S_masked, A and Z come after
    cells = cells_of(system, write(system, [quiz(problem)])[0])
    said = [cell.marks(w) for cell, w, r in zip(cells, wrong[scaled], right[scaled], strict=True) if w != r]
    assert said and said[0][0] == 0
    assert any("scale-forgotten" in feedback for _, feedback in said) is READERS[system].told


def test_formulas_of_steps_that_are_not_asked_are_told(system):
    """Without them nobody knows what the steps that are asked are made of; the numbers of a step that is not asked are
    told by nobody.
    """
    problem = {
        "title": "t",
        "given": {"A": [[1, 2]], "B": [[1], [30]]},
        "steps": {"C": "A @ B", "D": "C * 2"},
        "asked": ["D"],
    }
    content, _ = write(system, [quiz(load(problem))])
    shown = "\n".join(question.shown for variant in READERS[system].read(content) for question in variant)
    assert seen("C = A · B") in seen(shown) and "61" not in shown


WORDED = {
    "title": "t",
    "ask": "Compute all that belongs to $C$.",
    "given": {"C": [[1, 2], [3, 4]]},
    "steps": {
        "R": {"formula": "C @ C.T", "means": "the scores"},
        "M": "keep(R / sqrt(cols(C)), causal(2, 2))",
        "B": {"formula": "softmax(M)", "means": "the weights"},
        "O": "B @ C",
    },
}


@cache
def worded(*asked):
    return load(WORDED | {"asked": [*asked]})


@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("asked", [["R", "B"], ["B"], ["B", "O"], ["O"], ["M", "O"]])
def test_a_step_is_asked_by_its_words_and_formulas_are_mathematics(system, asked, hints):
    """A formula is hidden by the words of its step, and so is all that only such a step needs."""
    problem = worded(*asked)
    content, _ = write(system, [quiz_of(problem, problem.title, hints=hints)])
    ((read,),) = READERS[system].read(content)
    shown = seen(read.shown)
    in_words = {"R": "R: the scores", "B": "B: the weights"}
    formulas = {"R": "R = C · Cᵀ", "M": "M = R / √2", "B": "B = softmax(M)", "O": "O = B · C"}
    needed = {"R": {"R"}, "M": {"M", "R"}, "B": {"B"}, "O": {"O", "B"}}
    behind = {"R": {"R"}, "M": {"M", "R"}, "B": {"B", "M", "R"}, "O": {"O", "B", "M", "R"}}
    expected = set().union(*((behind if hints else needed)[step] for step in asked))
    assert {step for step, words in in_words.items() if seen(words) in shown} == expected & {*in_words}
    assert {step for step, formula in formulas.items() if seen(formula) in shown} == (
        expected if hints else expected - {*in_words}
    )
    assert not any(code in shown for code in ("keep(", "@", "cols(", "sqrt(", "$C$"))


MATRIX = Matrix("A", (("1", "-1/2"),))
OPTIONS = (
    Option(True, "one {x} & 5$"),
    Option(False, "", MATRIX, "The scale is forgotten."),
    Option(False, "three"),
    Option(False, "four"),
)


@for_each("several", [False, True])
@for_each("system", [name for name in SYSTEMS if READERS[name].choices])
def test_what_is_chosen_is_there_with_what_is_right(system, several):
    options = (*OPTIONS[:2], replace(OPTIONS[2], right=several), OPTIONS[3])
    question = asked_for(options=options, several=several)
    content, _ = write(system, [Quiz("Choices", "", [question])])
    ((read,),) = READERS[system].read(content)
    assert [(right, bool(said)) for right, said in read.choices] == [
        (one.right, bool(one.feedback) and READERS[system].explains) for one in options
    ]
    assert not read.cells and all(
        seen(text) in seen(read.shown) for text in ("one {x} & 5$", "-1/2", "three", "Which is it?")
    )


@for_each("ticked", [set(ticks) for n in range(5) for ticks in combinations(range(4), n)])
def test_qti21_gives_partial_points_for_ticks_as_grade_does(ticked):
    """A right tick earns its share, a wrong one costs as much, and nobody gets less than 0."""
    options = (*OPTIONS[:2], *(replace(option, right=True) for option in OPTIONS[2:]))
    content, _ = write("qti21", [Quiz("Choices", "", [asked_for(options=options, several=True)])])
    ((item,),) = read_qti21.read(content)
    earned = item.run({"RESPONSE": {item.choices[k][0] for k in ticked}})[0]
    right = sum(1 if options[k].right else -1 for k in ticked)
    assert earned == pytest.approx(max(0, item.most * right / 3), abs=1e-9)
    assert (earned == item.most) == (ticked == {0, 2, 3})


@for_each("points", [1, 10, Fraction(7, 2)])
@for_each("rows", [1, 2, 3])
def test_qti21_has_exact_points_in_all_and_none_for_empty_fields(points, rows):
    scores = {"S": [[k, 1, -1] for k in range(rows)]}
    problem = load({"given": scores, "steps": {"A": "softmax(S)"}, "points": str(points), "rounding": {"digits": 3}})
    ((item,),) = read_qti21.read(write("qti21", [quiz(problem)])[0])
    assert item.run(item.correct)[0] == pytest.approx(float(points), abs=5e-14)
    assert item.run(dict.fromkeys(item.kinds, ""))[0] == 0


@pytest.mark.parametrize("essay", [False, True])
def test_prairielearn_names_the_points_that_a_person_gives(essay):
    question = asked_for(essay=True) if essay else asked_for(options=OPTIONS)
    _, limitations = write("prairielearn", [Quiz("Essay", "", [question])])
    (line,) = (line for line in limitations if "in the assessment, set `" in line and "Points` to 3" in line)
    assert ("`manualPoints`" in line, "`autoPoints`" in line) == (essay, not essay)


SHUFFLED = re.compile(r'shuffle\w*"?[=:>] ?"?true|shuffle\w*: TRUE|exshuffle: [^F]|rshuffle="yes"', re.IGNORECASE)


@for_each("several", [False, True])
@for_each("system", [name for name in SYSTEMS if READERS[name].choices])
def test_no_system_changes_the_order_of_options(system, several):
    """A sheet with `shuffle:` has another order in each variant; without it the order is the author's."""
    options = (*OPTIONS[:2], replace(OPTIONS[2], right=several), OPTIONS[3])
    content, _ = write(system, [Quiz("Choices", "", [asked_for(options=options, several=several)])])
    archive = zipfile.ZipFile(io.BytesIO(content)) if isinstance(content, bytes) and content[:2] == b"PK" else None
    files = [archive.read(name) for name in archive.namelist()] if archive else [content]
    text = "\n".join(file.decode() if isinstance(file, bytes) else file for file in files)
    assert not SHUFFLED.search(text)
    assert system != "prairielearn" or 'order="fixed"' in text


@for_each("system", [name for name in SYSTEMS if READERS[name].choices])
def test_an_essay_is_asked_for_and_marked_by_people(system):
    content, _ = write(system, [Quiz("Essay", "", [asked_for(essay=True)])])
    ((read,),) = READERS[system].read(content)
    assert not read.cells and not read.choices and "Which is it?" in read.shown


def asked_for(*ask, **more):
    return Question("q", "A choice", ask or ("Which is it?",), (), (), (), worth=Fraction(3), **more)


# Every place of an author's own text that a quiz holds
OWN_PLACES = {
    "ask": lambda text: asked_for(text, essay=True),
    "note": lambda text: asked_for("Which is it?", text, essay=True),
    "ask of a part before": lambda text: asked_for(
        "Z?", prior_parts=(PriorPart("a", "Part a", (), (text,), (), (), ()),), essay=True
    ),
    "option": lambda text: asked_for("Z?", options=(Option(True, text), Option(False, "two"))),
    "because": lambda text: asked_for("Z?", options=(Option(True, "one", None, text), Option(False, "two"))),
}


@pytest.mark.parametrize("place", OWN_PLACES)
@pytest.mark.parametrize(
    "text, html_, tex",
    [
        (
            "Why $W_V$ in **one** word, *not* two?",
            "Why <code>W_V</code> in <b>one</b> word, <i>not</i> two?",
            "$W_{V}$",
        ),
        ("One **scales *by* two**: $\\frac{1}{2}$", "<b>scales <i>by</i> two</b>: <code>1/2</code>", "$\\frac{1}{2}$"),
        ("**One**$W_V$*two*", "<b>One</b><code>W_V</code><i>two</i>", "$W_{V}$"),
    ],
)
def test_an_author_s_formulas_and_emphasis_are_never_raw(system, place, text, html_, tex):
    content, _ = write(system, [Quiz("Marks", "", [OWN_PLACES[place](text)])])
    ((read,),) = READERS[system].read(content)
    said = " ".join(said for _, said in read.choices)
    if place == "because" and not READERS[system].explains:
        assert not said.strip()
    else:
        shown = said if place == "because" else read.shown
        assert not set("$*") & set(shown) and "two" in shown
        assert marked(html_, tex if system == "rexams" else "") in decoded(content)


GERMAN = """
title: Klausur
language: de
%s
questions:
  - {generate: self_attention, with: {tokens: 2, d_model: 2, d_k: 2, mask: causal}, asked: [A], points: 3}
  - {generate: attention, with: {tokens: 2, d_k: 2}, choices: 3, asked: [Z]}
  - {ask: Eins?, choices: [{right: a}, {wrong: b}], points: 1}
  - {ask: Mehr?, several: true, choices: [{right: a}, {wrong: b}], points: 1}
"""


@pytest.fixture(scope="module")
def german_keys(tmp_path_factory):
    """The key of an exam in German, and the key with an own word table, each with the words of a choice."""
    folder, keys = tmp_path_factory.mktemp("german"), []
    (folder / "own.yaml").write_text("tick_one: Nur eine.\n")
    for more, one in (("", "Kreuzen Sie eine Antwort an."), ("words: own.yaml", "Nur eine.")):
        (folder / "s.yaml").write_text(GERMAN % more)
        assert called("exam", folder / "s.yaml", "-o", folder / "out", "--to", "latex", "--force")[0] == 0
        keys.append((read_key(str(folder / "out" / "key.json")), one))
    return keys


def test_a_quiz_is_in_the_language_of_its_papers(system, german_keys):
    """Whatever of it stands in the table of words; what stays English is a limitation."""
    for key, one in german_keys:
        (whole,) = quizzes(key)
        alone = [write(system, [replace(whole, questions=[one])]) for one in whole.questions]
        shown = seen(" ".join(one.shown for content, _ in alone for one in READERS[system].read(content)[0]))
        used = [
            "Auf 2 Nachkommastellen runden (kaufmännisch).",
            key.words["exact"],
            key.words["typed"],
            key.words["tick_several"],
            one,
        ]
        asks = [recipe.ask for recipe in (RECIPES["self_attention"], RECIPES["attention"])]
        masked = asks[0].replace("self", "causal (masked) self")
        used += [key.words.sentence(masked), key.words.sentence(asks[1]), "Welche dieser Matrizen ist Z?"]
        assert all(seen(text) in shown for text in used), [text for text in used if seen(text) not in shown]
        assert "Calculate" not in shown and all("paper's language (de)" in " ".join(lost) for _, lost in alone)


def marked(html_, tex):
    """The HTML of a text, or Markdown with a formula of TeX."""
    if not tex:
        return html_
    text = re.sub("<code>.*</code>", lambda _: tex, html_)
    text = re.sub("</?b>", "**", re.sub("</?i>", "_", text))
    return re.sub(r"(?<=[*_$])(?=[*_$])(?<![*](?=[*]))", "<!-- -->", text)


def decoded(content):
    """All that a file holds, entities decoded as often as the systems do it, without spaces between tags."""
    if isinstance(content, bytes):
        archive = zipfile.ZipFile(io.BytesIO(content))
        content = "\n".join(archive.read(name).decode() for name in archive.namelist())
    return re.sub(r">\s+<", "><", html.unescape(html.unescape(html.unescape(content))))


# -- words -------------------------------------------------------------------------------------------------------------

MORE_HOSTILE = [
    "`r 1+1`",
    "```{r}\nq()\n```",
    "##ANSWER1##",
    "{{params.x}}",
    "{{{x}}}",
    "{@x@}",
    "[[input:a]]",
    "{#x#}",
    "{x}",
    "\\var{x}",
    '"""',
    "'''",
    "\\n",
    "%)",
    "```",
    "====",
    "$`x`$",
    "<pl-number-input>",
]


@pytest.mark.sweep(quick=7)
@pytest.mark.parametrize("word", [*HOSTILE, *MORE_HOSTILE])
def test_hostile_words_stay_words(system, word):
    problem = hostile(word)
    content, _ = write(system, [quiz(problem)])
    cells = complete(cells_of(system, content), problem)
    shown = "\n".join(question.shown for variant in READERS[system].read(content) for question in variant)
    assert len(cells) == 4 and seen(word) in seen(shown)


@pytest.mark.parametrize("place", OWN_PLACES)
def test_hostile_words_stay_words_in_every_place(system, place):
    """The words are there as they were typed, and nothing that a system looks for stands in a formula."""
    for word in (*HOSTILE, *MORE_HOSTILE):
        content, _ = write(system, [Quiz("Marks", "", [OWN_PLACES[place](f"a {word} b")])])
        ((read,),) = READERS[system].read(content)
        if place != "because" or READERS[system].explains:
            shown = " ".join(said for _, said in read.choices) if place == "because" else read.shown
            assert seen(f"a {word} b").replace("$$x$$", "$x$") in seen(shown), word  # $x$ between dollars
    for formula in (r"\text{1:NUMERICAL:3}", "x_{:NUMERICAL:=3}", "A[1, 2]", "a < b", "A['##ANSWER1##', 1]", "a > [x]"):
        content, _ = write(system, [Quiz("Marks", "", [OWN_PLACES[place](f"two ${formula}$")])])
        ((read,),) = READERS[system].read(content)
        assert "$" not in read.shown and len(read.cells) == 0, formula


def seen(text):
    """What is left to see of a text without its spaces, and what cannot be printed: readers put a space wherever there
    is a tag.
    """
    return "".join("".join(c if c.isprintable() and c != "\ufffd" else " " for c in text).split())


SIGNS = st.sampled_from("{}[]()~#=%:\\/\"'<>&;$`@*-_!^|1rNUMERICALxy \n\r\t\0\ufffe\u202e") | st.characters()


@examples(60)
@example("\ud800")
@example("")
@given(st.text(SIGNS, max_size=40))
def test_any_words_leave_the_cells_alone(word):
    word = f"x{word}y"
    problem = load(
        {"title": word, "ask": word, "given": {"A": [[1, 2]], "B": [[1], [3]]}, "steps": {"C": "A @ B"}, "points": 1}
    )
    for system in SYSTEMS:
        content, _ = write(system, [quiz(problem)])
        ((question,),) = READERS[system].read(content)
        (cell,) = question.cells
        assert cell.marks("7")[0] == pytest.approx(1) and cell.marks("8")[0] == 0, system
        assert seen(word) in seen(question.shown), system


# -- variants, losses, the command -------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=1)
def test_every_variant_is_there(system, tmp_path):
    key = key_file(tmp_path)
    content, lost = write(system, list(quizzes(read_key(str(key)))))
    cells = cells_of(system, content)
    assert len(cells) == 9 and any("variant" in line for line in lost)
    for x in ("9", "12", "15", "6", "8", "10"):  # A @ B is 3 k, A * 2 is 2 k and 4
        assert any(cell.marks(x)[0] == pytest.approx(1) for cell in cells)
    assert content == write(system, list(quizzes(read_key(str(key)))))[0]


def test_an_option_that_a_limitation_advises_changes_the_file(system, tmp_path):
    """STACK, whose file is one question anyway, advised --together."""
    key = str(key_file(tmp_path))
    content, lost = export(key, system)
    options = {"--together": {"together": True}, "--split": {"most": 1}}
    for name, how in options.items():
        assert not any(name in line for line in lost) or export(key, system, **how)[0] != content, name
    assert any("variant" in line for line in lost)


def test_what_is_lost_is_said_in_the_file(system):
    content, lost = written(system, "next-word")
    assert set(SYSTEMS[system].limitations) <= set(lost) and len(lost) == len(set(lost))
    inside = re.sub(r"\s+", " ", told(content))
    assert all(re.sub(r"\s+", " ", line).replace("--", "- -") in inside for line in lost)


def test_the_limitation_about_last_digits_has_the_right_size():
    """Every entry one unit too large: the points of the exported answers, and those of grade."""
    problem, earned, answers = load("transformers-transforming-our-lives"), Fraction(0), {}
    for blank in (blank for question in quiz(problem).questions for blank in question.blanks):
        off = blank.answers and Fraction(blank.answers[0].text) + Fraction(
            1, 10 ** len(blank.answers[0].text.partition(".")[2])
        )
        fits = (answer.share for answer in blank.answers if abs(off - answer.value) <= answer.tolerance)
        earned += blank.points * (Fraction(1) if blank.word else next(fits, Fraction(0)))
    for part in solve(problem).parts:
        digits, asked = part.part.rounding.digits, {one.step for one in part.part.asked}
        for step in (step for step in part.steps if step.name in asked):
            rows = [[text.replace("−", "-") for text in row] for row in step.decimals(digits)]
            off_rows = [
                [text if "∞" in text else str(Decimal(text) + Decimal(1) / 10**digits) for text in row] for row in rows
            ]
            answers[f"{part.name}.{step.name}"] = off_rows
    whole, of_grade = problem.parts[0].total_points + problem.parts[1].total_points, check(problem, answers).earned
    found = (round(earned), round(whole), round(of_grade))
    numbers = re.search(r"gets (\d+) of (\d+) points, and (\d+) with attncalc grade", LAST_DIGITS).groups()
    assert found == tuple(map(int, numbers))


def test_a_system_that_no_one_has_run_is_experimental(system):
    """A version that is named is in the document about what was run."""
    run_with, document = SYSTEMS[system].run_with, (Path(__file__).parents[2] / "docs/courses.md").read_text()
    assert ("experimental" in SYSTEMS[system].evidence) == (not run_with)
    versions = re.findall(r"[0-9]+\.[0-9]+|\w+/\w+", run_with)
    assert bool(versions) == bool(run_with) and all(version in document for version in versions)


@pytest.mark.sweep(quick=3)
def test_the_command_writes_and_lists_every_system(system, tmp_path):
    shown = CliRunner().invoke(cli, ["export", "--list"])
    assert (
        shown.exit_code == 0
        and f"{system}: {SYSTEMS[system].file}" in shown.output
        and f"  {SYSTEMS[system].evidence}\n" in shown.output
        and all(line in shown.output for line in SYSTEMS[system].limitations)
    )
    assert SYSTEMS[system].file in " ".join(CliRunner().invoke(cli, ["export", "--help"]).output.split())
    path = tmp_path / f"q{SYSTEMS[system].ending}"
    done = CliRunner().invoke(cli, ["export", "masked-scores-je-vais-bien", "--to", system, "-o", str(path)])
    assert (
        done.exit_code == 0
        and len(cells_of(system, path.read_bytes() if path.suffix == ".zip" else path.read_text())) == 16
    )
