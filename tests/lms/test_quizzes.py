"""Quizzes for course systems, read back by readers that know only the systems' own rules: every blank has its answer,
the key earns all, mistakes what they should, and no text of a problem is more than text.
"""

import csv
import html
import io
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc import limits, load, solve
from attncalc.errors import AttncalcError
from attncalc.explain.document import Formula
from attncalc.generator.distinguishability import certify
from attncalc.generator.numeric_view import NumericView
from attncalc.gradebook import grade
from attncalc.gradebook.answer_key import read_key
from attncalc.gradebook.graded_script import GradedScript
from attncalc.lessons import LESSONS, small_problems
from attncalc.lms import canvas, moodle
from attncalc.lms.moodle import cloze as write_cloze
from attncalc.lms.moodle import php_number, width_of
from attncalc.lms.number_format import decimal, round_keeping_sum, weights
from attncalc.lms.question_html import escape
from attncalc.lms.quiz import AcceptedAnswer, Blank, Quiz
from attncalc.lms.quiz_export import quiz_of, quizzes, read_quizzes, split, with_unique_codes
from attncalc.marking.credit import points_of
from tests.support.called import called
from tests.support.course_readers import (
    Refused,
    canvas_cells,
    canvas_gradebook,
    canvas_quizzes,
    cloze,
    moodle_gradebook,
    moodle_number,
    moodle_questions,
    php,
)
from tests.support.laws import examples
from tests.support.sweeps import for_each

HEAD = {
    "title": "One head",
    "given": {
        "X": {"rows": ["the", "cat", "sat"], "values": [[1, 0], [0, 1], [1, 1]]},
        "W_Q": [[1, 0], [2, 1]],
        "W_K": [[1, 1], [0, 1]],
        "W_V": [[1, 2], [3, 4]],
    },
    "rounding": {"digits": 3},
    "self_attention": {"mask": "causal"},
    "points": 8,
}
SLICE = HEAD | {"asked": ["A", "Z[2]"], "points": {"A": 3, "Z[2]": 2}}
CUT = HEAD | {"rounding": {"digits": 2, "mode": "truncate"}}
PARTS = {
    "title": "Two parts",
    "given": {"A": [["1/3", "2/3"], [1, 0]], "V": [[1, 2], [3, 5]]},
    "parts": {
        "first": {"steps": {"Z": "A @ V"}, "points": 2},
        "second": {"steps": {"Y": "first.Z / sqrt(2)"}, "points": "1/3"},
    },
}
EYE = [[1, 0], [0, 1]]
TURN, ROW = [[0, 1], [1, 0]], [[1, 0]]
LAYER = {
    "W_Q": EYE,
    "W_K": TURN,
    "W_V": [[1, 1], [0, 2]],
    "W_1": [[1, -1], [0, 2]],
    "b_1": [[0, 1]],
    "W_2": [[1, 0], [3, 1]],
    "b_2": ROW,
}
CROSS = {"cross_W_Q": EYE, "cross_W_K": EYE, "cross_W_V": TURN, "H_enc": [[1, 0], [0, 2]]}
STACK = {"given": {"X": [[1, 2], [3, -1]]} | LAYER, "rounding": {"digits": 2}, "encoder": {"layers": 2}}
DECODER = {
    "given": {"X": [[1, 2], [3, -1]]} | LAYER | CROSS,
    "rounding": {"digits": 2},
    "decoder": {"memory": "H_enc", "layers": 2},
}
ADDED = {
    "given": {"X": [[1, 2, 4], [3, -1, 0]], "F": [[0, 1, 0], [1, 1, 5]]},
    "rounding": {"digits": 2},
    "add_norm": {"sublayer": "F"},
}
BACK = {
    "given": {"X": [[1, 2]], "M": [[1, 0], [0, 2]], "W_Q": EYE, "W_K": TURN, "W_V": EYE, "dZ": [[1, -1]]},
    "rounding": {"digits": 3},
    "cross_attention_gradients": {"memory": "M"},
}
CACHED = {
    "given": {"X": [[1, 2]], "K_cache": [[1, 0]], "V_cache": [[2, 1]], "W_Q": EYE, "W_K": TURN, "W_V": EYE},
    "rounding": {"digits": 3},
    "cached_multi_head_attention": {"heads": 2},
}
LONG = {"given": {"A": [["1/3", "2/7"]], "B": [["1/13"], ["1000000/7"]]}, "steps": {"C": "A @ B", "E": "softmax(A)"}}
LONG = {f"{digits} digits": LONG | {"rounding": {"digits": digits}} for digits in (10, 12, 14, 16, 20, 60)}
OWN = LONG | {
    "head": HEAD,
    "slice": SLICE,
    "cut": CUT,
    "parts": PARTS,
    "added": ADDED,
    "encoder": STACK,
    "decoder": DECODER,
    "back": BACK,
    "cached": CACHED,
}
OURS = sorted(path.stem for path in (Path(__file__).parents[2] / "problems").glob("*.yaml"))
USED = json.dumps([OWN, *((Path(__file__).parents[2] / "problems" / f"{one}.yaml").read_text() for one in OURS)])
# And every lesson that is in none of these, on its small problem.
OWN |= {one: small_problems.problem(one) for one in LESSONS if f"{one}:" not in USED and f'"{one}"' not in USED}
BIG = 10**12  # units of the last digit, above which Moodle's binary numbers are coarser than those
SHARE_NAMED = 0.5  # of the mistakes that come to other numbers; the rest share theirs with too many


# -- the key and known mistakes ----------------------------------------------------------------------------------------


def key_of(problem, digits=None, paper=False):
    """The numbers of all asked cells, part by part, in the order of the sheet; from the solver, not from the export."""
    solution = solve(problem, paper=paper)
    found = []
    for part in solution.parts:
        cells = {}
        for one in part.part.asked:
            step, worth = part[one.step], points_of(part.part)
            if step.step.given or not worth.get(one.step):
                continue
            texts = step.decimals(part.part.rounding.digits if digits is None else digits)
            n, m = step.step.shape
            cells |= {
                (part.part.plan.steps.index(step.step), i, j): texts[i][j]
                for i in one.rows or range(n)
                for j in one.columns or range(m)
            }
        if cells:
            found.append([cells[at] for at in sorted(cells)])
    return found


@cache
def loaded(name):
    return load(OWN.get(name, name))


@cache
def moodle_file(name):
    return moodle_questions(moodle.write([quiz(loaded(name))])[0])


@cache
def canvas_file(name):
    return canvas_cells(canvas.write([quiz(loaded(name))])[0])


@pytest.fixture(params=[*OWN, *OURS])
def name(request):
    return request.param


def quiz(problem, worked=False):
    """The quiz of a problem; its worked solutions take long, and stand for themselves."""
    made = quiz_of(problem, problem.title)
    for question in made.questions:
        question.solution = question.solution if worked else None
    return made


def is_number(text):
    return "inf" not in text and "?" not in text


@pytest.mark.sweep(quick=2)
def test_the_key_earns_all(name):
    key = key_of(loaded(name))
    questions, items = moodle_file(name), canvas_file(name)
    assert [len(question.blanks) for question in questions] == [len(typed) for typed in key]
    assert [question.marks(typed) for question, typed in zip(questions, key)] == [1] * len(key)
    typed = list(chain(*key))
    assert [item.kind == "numerical_question" for item in items] == [is_number(x) for x in typed]
    for item, x in zip(items, typed, strict=True):
        assert item.score(x) == 100 and item.classic(x) and item.new(x), item.title


@pytest.mark.sweep(quick=1)
def test_nothing_and_anything_earn_nothing(name):
    for blank in chain(*(question.blanks for question in moodle_file(name))):
        assert all(blank.marks(x)[0] == 0 for x in ("", "12345678.9", "x", "-"))
    for item in canvas_file(name):
        assert (
            not any(item.score(x) or item.new(x) for x in ("", "12345678.9", "x", "-"))
            and not item.classic("")
            and not item.classic("12345678.9")
        )
        assert item.classic("x") is (item.kind == "numerical_question" and item.classic("0"))  # a loss that is told


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("digits", [8, 12])
def test_more_digits_earn_all(name, digits):
    key = key_of(loaded(name), digits)
    finer = [digits >= part.rounding.digits for part in loaded(name).parts if keyed(part)]
    assert [
        question.marks(typed) for question, typed, fine in zip(moodle_file(name), key, finer, strict=True) if fine
    ] == [1] * sum(finer)
    assert all(
        item.score(x) == 100 and item.classic(x) for item, x in zip(canvas_file(name), chain(*key)) if all(finer)
    )


@pytest.mark.sweep(quick=3)
def test_rounding_every_step_earns_all(name):
    paper = key_of(loaded(name), paper=True)
    for question, typed in zip(moodle_file(name), paper):
        assert all(blank.marks(x)[0] == 1 for blank, x in zip(question.blanks, typed) if "?" not in x)
    assert all(
        item.score(x) == 100 and item.classic(x) and item.new(x)
        for item, x in zip(canvas_file(name), chain(*paper))
        if "?" not in x
    )


def test_other_readers_of_moodle_files():
    """moodle-xml-parser finds as many blanks, each with an answer that earns all."""
    parser = pytest.importorskip("moodle_xml_parser.parser")
    for name in (*OWN, *OURS):
        read = parser.parse_string(moodle.write([quiz(loaded(name))])[0])["cloze"]
        assert [len(one.gaps) for one in read] == [len(typed) for typed in key_of(loaded(name))]
        assert all(any(option.score == 100 for option in gap.options) for one in read for gap in one.gaps)


@pytest.mark.sweep(quick=2)
def test_no_width_of_a_field_depends_on_what_belongs_there(name):
    """Moodle makes a field as wide as the longest answer that it knows: in a question all are alike, and wide enough
    for every word.
    """
    for question in moodle_file(name):
        assert len({blank.width for blank in question.blanks}) == 1 and question.blanks[0].width >= 6


@pytest.mark.sweep(quick=2)
def test_minus_infinity_as_people_write_it(name):
    """The spellings that anybody uses, and nothing that only begins so."""
    questions, items = moodle_file(name), canvas_file(name)
    for typed in (
        "-inf",
        "- inf",
        "−inf",
        "-INF",
        "-infinity",
        "- infinity",
        "minus infinity",
        "-oo",
        "−∞",
        "- ∞",
        "-infty",
    ):
        assert all(
            blank.marks(typed)[0] == 1 for question in questions for blank in question.blanks if not blank.numerical
        )
        assert all(
            item.score(typed.lower()) == 100 and item.classic(typed)
            for item in items
            if item.kind == "short_answer_question"
        )
    for typed in ("inf", "-", "-1", "infinity", "−", "minus", "-99999", "......", ""):
        assert all(
            blank.marks(typed)[0] == 0 for question in questions for blank in question.blanks if not blank.numerical
        )
        assert not any(
            item.score(typed) or item.classic(typed) for item in items if item.kind == "short_answer_question"
        )


@examples(300)
@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**9), max_value=10**9)
    | st.integers(-(10**20), 10**20)
)
def test_numbers_are_kept_as_php_keeps_them(number):
    assert php_number(f"{number:f}") == php(f"{number:f}")


@examples(100)
@given(
    st.lists(
        st.sampled_from(
            [
                "0",
                "1.00",
                "-0.25",
                "-inf",
                "inf",
                "12345.678",
                "-0.00001",
                "123456789012345678.5",
                "1" * 30,
                "-" + "9" * 18,
            ]
        ),
        min_size=1,
    )
)
def test_all_fields_of_a_question_are_alike(numbers):
    def blank(text):
        return (
            Blank(0, 0, Fraction(1), word=text)
            if "inf" in text
            else Blank(0, 0, Fraction(1), (AcceptedAnswer(text, Fraction(1, 2), Fraction(1)),))
        )

    blanks = [blank(text) for text in numbers]
    (read, _) = cloze("".join(write_cloze(one, 1, width_of(blanks)) for one in blanks))
    assert len({one.width for one in read}) == 1
    assert [one.marks(text)[0] for one, text in zip(read, numbers, strict=True)] == [1] * len(numbers)


RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.mark.sweep(quick=1)
def test_the_solution_stands_behind_each_question(name):
    """Every number of every asked step is in it, and no tag but those of plain HTML."""
    questions = moodle_questions(moodle.write([quiz(loaded(name), worked=True)])[0])
    for question, key in zip(questions, key_of(loaded(name)), strict=True):
        shown = html.unescape(re.sub("<[^>]*>", " ", question.solution)).replace("−", "-")
        told = re.findall(r"(-?[0-9]+(?:\.[0-9]+)?)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", shown)
        values = {Fraction(number) * Fraction(10) ** int(power.translate(RAISED) or 0) for number, power in told}
        assert {Fraction(x) for x in key if is_number(x)} <= values
        assert not re.search("<(?!/?(h5|h6|p|br|code|table|caption|tr|th|td|span|b|i|sub)[ />])", question.solution)


def test_a_step_s_solution_stands_at_its_first_cell_in_canvas():
    items = canvas_cells(canvas.write([quiz(load(HEAD), worked=True)])[0])
    steps = [item.title.partition("[")[0] for item in items]
    assert [bool(item.feedback) for item in items] == [k == 0 or steps[k - 1] != step for k, step in enumerate(steps)]
    assert "softmax" in items[steps.index("A")].feedback and "softmax" not in items[steps.index("S")].feedback


@pytest.mark.sweep(quick=2)
def test_identifiers_survive_an_export_and_change_with_the_title(name):
    again = moodle_questions(moodle.write([quiz(loaded(name))])[0])
    assert [(one.idnumber, one.tags) for one in moodle_file(name)] == [(one.idnumber, one.tags) for one in again]
    other = quiz(loaded(name))
    other.title += " B"
    assert not {one.idnumber for one in again} & {one.idnumber for one in moodle_questions(moodle.write([other])[0])}


@pytest.mark.sweep(quick=1)
def test_points_are_kept(name):
    made = quiz(loaded(name))
    for question, read in zip(made.questions, moodle_file(name), strict=True):
        total = sum(blank.weight for blank in read.blanks)
        kept = [
            (Fraction(blank.weight, total), due.points / question.points)
            for blank, due in zip(read.blanks, question.blanks, strict=True)
        ]
        if all("small common denominator" not in line for line in moodle.write([made])[1]):
            assert all(share == due for share, due in kept)
        assert all(abs(share - due) <= Fraction(1, total) for share, due in kept)
    total = sum(sum(points_of(part).values()) for part in loaded(name).parts)
    assert sum(question.points for question in made.questions) == total
    assert sum(item.points for item in canvas_file(name)) == Fraction(decimal(total, 6))
    assert all(
        abs(item.points - blank.points) < Fraction(1, 10**6)
        for item, blank in zip(canvas_file(name), chain(*(q.blanks for q in made.questions)))
    )


@pytest.mark.sweep(quick=3)
def test_a_last_digit_that_is_off_keeps_the_share_of_the_method(name):
    """In Moodle; Canvas knows right and wrong alone."""
    items = iter(canvas_file(name))
    for part, question, typed in zip(
        [p for p in loaded(name).parts if keyed(p)], moodle_file(name), key_of(loaded(name)), strict=True
    ):
        unit = Fraction(1, 10**part.rounding.digits)
        for blank, item, x in zip(question.blanks, items, typed):
            if is_number(x) and abs(Fraction(x)) < BIG * unit:
                share, _ = blank.marks(decimal(Fraction(x) + unit))
                assert share in (0.75, 1)
                assert (
                    (item.score(decimal(Fraction(x) + unit)) == 100)
                    is item.classic(decimal(Fraction(x) + unit))
                    is (share == 1)
                )
                assert blank.marks(decimal(Fraction(x) + 5000 * unit + unit / 3))[0] == 0


@pytest.mark.sweep(quick=3)
def test_a_mistake_is_named_by_its_own_number_alone(name):
    for part, question in zip([p for p in loaded(name).parts if keyed(p)], moodle_file(name), strict=True):
        unit = Fraction(1, 10**part.rounding.digits)
        for blank in filter(lambda blank: blank.numerical, question.blanks):
            for share, answer, tolerance, _ in blank.answers:
                near = (
                    [decimal(Fraction(answer) + sign * unit * 3 / 5) for sign in (1, -1)]
                    if share == 0 and abs(Fraction(answer)) < BIG * unit
                    else []
                )
                assert not any(blank.fits(answer, tolerance, x) for x in near if Fraction(x) != Fraction(answer))


@pytest.mark.sweep(quick=3)
def test_known_mistakes_are_not_all_right_and_named(name):
    """Every mistake that the problem tells apart, its numbers typed where it is made: cells that are wrong earn nothing
    or, a digit off, a share.
    """
    problem = loaded(name)
    places = {}
    for q, part in enumerate(p for p in problem.parts if keyed(p)):
        for k, (step, i, j) in enumerate(keyed(part)):
            places.setdefault(step.key, {})[i, j] = (q, k, Fraction(1, 10**part.rounding.digits))
    key, paper, named, met = key_of(problem), key_of(problem, paper=True), set(), set()
    starts = [sum(map(len, key[:q])) for q in range(len(key))]
    for verdict in certify(NumericView(problem)).verdicts:
        off = 0
        for (i, j), (q, k, unit) in places.get(verdict.step, {}).items() if verdict.kind == "separated" else ():
            typed, right = verdict.printed[i][j], [x for x in (key[q][k], paper[q][k]) if is_number(x)]
            if is_number(typed) and right and all(abs(Fraction(typed) - Fraction(x)) > unit for x in right):
                off += 1
                share, said = moodle_file(name)[q].blanks[k].marks(typed)
                assert share == 0, (verdict.code, verdict.step, i, j)
                item = canvas_file(name)[starts[q] + k]
                assert item.score(typed) == 0 and not item.classic(typed) and not item.new(typed)
                if f"({verdict.code})" in said:
                    named.add(verdict.code)
        if off:
            met.add(verdict.code)
    assert len(named) >= SHARE_NAMED * len(met), met - named


def keyed(part):
    """The cells of a part that are asked and worth points, in the order of the sheet."""
    found = {}
    for one in part.asked:
        step = next(step for step in part.plan.steps if step.name == one.step)
        if not step.given and points_of(part).get(one.step):
            n, m = step.shape
            found |= {
                (part.plan.steps.index(step), i, j): step for i in one.rows or range(n) for j in one.columns or range(m)
            }
    return [(found[at], *at[1:]) for at in sorted(found)]


@pytest.mark.sweep(quick=2)
def test_no_answer_of_another_share_stands_in_the_way(name):
    for blank in chain(*(question.blanks for question in moodle_file(name))):
        for share, answer, _, _ in blank.answers:
            assert blank.marks(answer)[0] == share or share == 0.75


@pytest.mark.sweep(quick=2)
def test_a_blank_says_what_people_read(name):
    """No feedback shows a backslash, an entity or a tag that was meant for the machine."""
    for blank in chain(*(question.blanks for question in moodle_file(name))):
        for *_, feedback in blank.answers:
            assert not re.search(r"[<>\\]|&(?!#?\w+;)|&amp;#?\w+;", feedback), feedback


@for_each(
    "typed, value",
    [
        ("0.67", 0.67),
        ("1e-3", 0.001),
        ("2 × 10^3".replace(" × ", "×"), 2000),
        ("1,234.5", 1234.5),
        ("0,67", 67),
        ("2/3", 2),
        ("x", None),
    ],
)
def test_what_moodle_reads_of_what_is_typed(typed, value):
    """The losses that are told, in figures: an English course takes a comma for thousands, and only the first number of
    a formula.
    """
    assert moodle_number(typed) == value


def forgotten_scale():
    """The numbers of HEAD where the scores are not divided, worked out by formulas of their own."""
    steps = {
        "Q": "X @ W_Q",
        "K": "X @ W_K",
        "V": "X @ W_V",
        "S": "Q @ K.T",
        "S_scaled": "S",
        "S_masked": "keep(S_scaled, causal(3, 3))",
        "A": "softmax(S_masked)",
        "Z": "A @ V",
    }
    return load({key: HEAD[key] for key in ("title", "given", "rounding")} | {"steps": steps})


def only_blanks(problem):
    (question,) = moodle_questions(moodle.write([quiz(load(problem))])[0])
    return question.blanks


def test_a_known_mistake_earns_nothing_where_it_is_made_and_is_named():
    blanks, right, wrong = moodle_file("head")[0].blanks, key_of(load(HEAD))[0], key_of(forgotten_scale())[0]
    start = len(right) - 9 - 9 - 9 - 6  # S_scaled, S_masked, A and Z come last
    scaled = [(blank.marks(w), r, w) for blank, r, w in zip(blanks, right, wrong)][start : start + 9]
    for (share, feedback), r, w in scaled:
        assert share == (1 if r == w else 0)
        assert r == w or "scale-forgotten" in feedback
    assert any(r != w for _, r, w in scaled)


def test_a_mistake_before_the_step_that_is_asked_is_named_there():
    told = [
        blank.marks(w)
        for blank, w in zip(only_blanks(HEAD | {"asked": ["Z"]}), key_of(forgotten_scale())[0][-6:], strict=True)
    ]
    assert any(share == 0 and "scale-forgotten" in feedback for share, feedback in told)


def test_a_mistake_is_told_where_it_is_handed_in_and_not_again():
    blanks = only_blanks(HEAD | {"asked": ["S_scaled", "A", "Z"]})
    assert all(
        "scale-forgotten" not in html.unescape(feedback) for blank in blanks[9:] for *_, feedback in blank.answers
    )
    assert any("scale-forgotten" in html.unescape(feedback) for blank in blanks[:9] for *_, feedback in blank.answers)


def test_accepted_conventions_earn_all_from_where_they_are_chosen():
    problem = HEAD | {"accept": ["scale-forgotten"]}
    blanks, right, wrong = only_blanks(problem), key_of(load(problem))[0], key_of(forgotten_scale())[0]
    assert not any("scale-forgotten" in html.unescape(feedback) for blank in blanks for *_, feedback in blank.answers)
    assert (
        [blank.marks(x)[0] for x, blank in zip(right, blanks)]
        == [1] * len(blanks)
        == [blank.marks(x)[0] for x, blank in zip(wrong, blanks)]
    )
    assert all(
        item.score(x) == 100 and item.classic(x)
        for item, x in zip(canvas_cells(canvas.write([quiz(load(problem))])[0]), wrong, strict=True)
    )
    assert right != wrong


# -- hostile words -----------------------------------------------------------------------------------------------------

HOSTILE = [
    "{1:SHORTANSWER:=x}", "{1:NUMERICAL:%100%0:9}", "}~#/\\\"", "]]>", "<script>alert(1)</script>", "&amp;",
    "--><quiz>", "[blank]", "$$x$$", "\\(x\\)", "@@PLUGINFILE@@",
    "<![CDATA[", "'", "a~b", "=1+1", "\u202e", "{", "}", "%100%", "::", "日本", "%s", "]]",
]  # fmt: skip


def hostile(word, second="b"):
    given = {
        "X": {"rows": [word, second], "values": [[1, 0], [0, 1]]},
        "W": {"columns": [word, "z"], "rows": None, "values": [[1, 2], [3, 4]]},
    }
    given["W"].pop("rows")
    return load(
        {
            "title": word,
            "ask": f"{word} and {second}",
            "given": given,
            "parts": {"one": {"title": word, "ask": word, "steps": {"Q": "X @ W"}}},
        }
    )


@for_each("word", HOSTILE, quick=8, ci=True)
def test_hostile_words_stay_words(word):
    made = quiz(hostile(word))
    (question,) = moodle_questions(moodle.write([made])[0])
    assert len(question.blanks) == 4 and not re.search(r"[{}]|<(script|quiz|img)", question.around)
    shown = word.replace("\u202e", "\ufffd")
    # The title, the formula's token, labels, and as words the question and the note
    assert html.unescape(re.sub(r"<[^>]*>", "", question.around)).count(shown) >= (4 if "$x$" in word else 6)
    ((_, items),) = canvas_quizzes(canvas.write([made])[0])
    assert [item.kind for item in items] == ["text_only_question"] + ["numerical_question"] * 4
    assert not re.search(r"[\[\]{}]|<(script|quiz|img)", "".join(item.body for item in items))
    # Names of entries shorten labels
    assert all(shown[:23] in html.unescape(re.sub(r"<[^>]*>", "", item.body)) for item in items[:3])
    assert [question.marks(typed) for typed in key_of(hostile(word))] == [1]


@pytest.mark.sweep(quick=8, ci=True)
@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_names_stay_names(word, tmp_path):
    """In a title and a part's name beside a code: the category, the name and the list of losses hold them, and nothing
    else changes.
    """
    head = {"title": word, "note": word, "steps": {"C": "A @ B"}, "points": 1}
    problems = [json.dumps(head | {"given": {"A": A, "B": [[1], [3]]}}) for A in ([[1, 2]], [[4, 1]])]
    variants = [
        {"code": code, "number": k, "student": None, "seed": k, "problem": problem}
        for k, (code, problem) in enumerate(zip(("AA11", "BB22"), problems))
    ]
    (tmp_path / "key.json").write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": word * 40, "variants": variants})
    )
    made = list(quizzes(read_key(str(tmp_path / "key.json"))))
    file, _ = moodle.write(made)
    first, second = moodle_questions(file)
    assert "AA11" in first.name and "BB22" in second.name and first.category == second.category
    assert first.category.count("/") - 2 * first.category.count("//") == 2
    assert file.count("<!--") == file.count("-->") == 1
    assert [title[-4:] for title, _ in canvas_quizzes(canvas.write(made)[0])] == ["AA11", "BB22"]
    assert all(first.marks([x]) == (x == "7") for x in ("7", "8"))


@examples(60)
@example("\ud800")
@example("")
@given(st.text(st.sampled_from("{}[]~#=%:\\/\"'<>&;$*-!1NUMERICALxy \n") | st.characters(), max_size=40))
def test_any_words_leave_the_blanks_alone(word):
    problem = load(
        {"title": word, "ask": word, "given": {"A": [[1, 2]], "B": [[1], [3]]}, "steps": {"C": "A @ B"}, "points": 1}
    )
    (question,) = moodle_questions(moodle.write([quiz(problem)])[0])
    (item,) = canvas_cells(canvas.write([quiz(problem)])[0])
    assert question.marks(["7"]) == 1 and question.marks(["8"]) == 0 and "{" not in question.around
    assert item.score("7") == 100 and item.score("8") == 0


@examples(60)
@given(st.text(max_size=20))
def test_any_text_is_one_text_in_html(text):
    escaped = escape(text)
    assert not set(escaped.replace("<span>", "").replace("</span>", "")) & set('<>{}[]()~\\$"`@:^|')
    assert html.unescape(re.sub("<[^>]*>", "", escaped)) == "".join(
        c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text
    )


def test_feedback_is_escaped_for_cloze():
    said = 'a}b~c#d/e"f\\g <b>&amp;{'
    blank = Blank(
        0,
        0,
        Fraction(1),
        (AcceptedAnswer("1", Fraction(1, 2), Fraction(1)), AcceptedAnswer("3", Fraction(1, 2), Fraction(0), said)),
    )
    ((found,), around) = cloze(write_cloze(blank, 1))
    assert found.marks("3") == (0, said) and found.marks("1") == (1, "") and around == ""


# -- keys, files, what is lost -----------------------------------------------------------------------------------------

VARIANT = "title: t\ngiven: {{A: [[{0}, 2]], B: [[1], [{0}]]}}\nparts: {{q1: {{steps: {{C: A @ B}}}}, q2: {{steps: {{D: A * 2}}}}}}\n"


def key_file(folder):
    """The key of an exam of three variants."""
    variants = [
        {"code": code, "number": k, "student": None, "seed": k, "problem": VARIANT.format(k)}
        for k, code in enumerate(("AA11", "BB22", "CC33"), 3)
    ]
    path = folder / "key.json"
    path.write_text(json.dumps({"format": 1, "kind": "attncalc key", "title": "Mid/term", "variants": variants}))
    return path


@pytest.fixture
def key(tmp_path):
    return key_file(tmp_path)


def test_every_variant_of_a_key_is_there(key):
    made = list(quizzes(read_key(str(key))))
    file, _ = moodle.write(made)
    questions = moodle_questions(file)
    assert [question.name for question in questions] == [
        f"Mid/term {code} {part}" for part in ("q1", "q2") for code in ("AA11", "BB22", "CC33")
    ]
    assert [c.text for c in ET.fromstring(file).findall("question/category/text")] == [
        f"$course$/top/Mid//term/{part}" for part in ("q1", "q2")
    ]
    for k, question in zip((3, 4, 5), questions[:3]):
        assert question.blanks[0].marks(str(3 * k))[0] == 1
    package, _ = canvas.write(made)
    assert [len(items) for _, items in canvas_quizzes(package)] == [5] * 3 and [
        item.kind for item in canvas_cells(package)
    ] == ["numerical_question"] * 9
    assert package == canvas.write(list(quizzes(read_key(str(key)))))[0]


OWN_SHEET = """
title: Words
variants: 2
seed: 1
questions:
  - {free_text: So that the softmax does *not* saturate., ask: "Why divide by $sqrt(d_k)$? **Two** sentences.", points: 3}
  - choices: [{right: the keys, because: they are compared}, {right: "rows of $W_K$"}, {wrong: the values, because: not these}, {wrong: "none of {x}"}]
    ask: Which are compared?
    points: 2
  - {generate: self_attention, with: {tokens: 2, d_model: 2, d_k: 2}, choices: 3, points: 2}
  - {problem: look-ahead-mask, points: 4}
"""


@pytest.fixture(scope="module")
def own_quizzes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "sheet.yaml").write_text(OWN_SHEET)
    subprocess.run(
        [sys.executable, "-m", "attncalc", "exam", folder / "sheet.yaml", "-o", folder / "out"],
        check=True,
        capture_output=True,
    )
    return json.loads((folder / "out" / "key.json").read_text()), list(
        quizzes(read_key(str(folder / "out" / "key.json")))
    )


def found_for(found, key, code, name):
    """The question of a variant; of what is the same in several, the one that is there for all of them."""
    own = {one["code"]: {asked["name"]: asked for asked in one["own"]}.get(name) for one in key["variants"]}
    same = [code, *(other for other in own if own[other] == own[code])]
    return next(found[there] for other in same if (there := f"Words {other} {name}") in found)


@pytest.mark.sweep(quick=0)
def test_own_questions_of_a_key_are_there(own_quizzes):
    """In Moodle and in Canvas: what is written, what is ticked with the same right options as in the key, and what is
    calculated.
    """
    key, made = own_quizzes
    found = {one.name: one for one in moodle_questions(moodle.write(made)[0])}
    packages = dict(canvas_quizzes(canvas.write(made)[0]))
    for variant in key["variants"]:
        code = variant["code"]
        assert [found_for(found, key, code, f"q{k}").kind for k in (1, 2, 3, 4)] == [
            "essay",
            "multichoice",
            "multichoice",
            "cloze",
        ]
        items = [
            item
            for item in packages[f"Words {code}"]
            if item.kind not in ("numerical_question", "short_answer_question")
        ]
        assert [item.kind for item in items] == [
            "essay_question",
            "multiple_answers_question",
            "multiple_choice_question",
            "text_only_question",
        ]
        assert sum(item.points for item in packages[f"Words {code}"]) == 11
        for own, item in zip(variant["own"], items, strict=False):
            read = found_for(found, key, code, own["name"])
            assert read.points == item.points == Fraction(own["points"])
            for options, right in (
                (read.choices, [share > 0 for share, *_ in read.choices]),
                (item.choices, [one[0] for one in item.choices]),
            ):
                assert [letter for letter, good in zip("ABCDEFGHIJ", right, strict=False) if good] == own.get(
                    "right", []
                )
                assert [said for *_, said in options] == [one["because"] for one in own.get("choices", [])]
    essay, ticked = (found_for(found, key, key["variants"][0]["code"], name) for name in ("q1", "q2"))
    assert (
        "<b>Two</b>" in essay.around
        and "√d" in essay.around
        and "$" not in html.unescape(essay.around)
        and "<i>not</i>" in essay.graderinfo
    )
    rights = [k for k, (share, *_) in enumerate(ticked.choices) if share > 0]
    wrongs = [k for k in range(4) if k not in rights]
    assert [ticked.ticked(chosen) for chosen in (rights, rights[:1], wrongs, [*rights, wrongs[0]], range(4))] == [
        1,
        0.5,
        0,
        0.5,
        0,
    ]


@pytest.mark.sweep(quick=0)
def test_what_is_to_choose_is_not_asked_for_in_numbers(own_quizzes):
    """A question with matrices shows what is given and which step it is about, and says nothing about how to type."""
    question = next(one for one in own_quizzes[1][0].questions if one.name == "q3")
    assert [matrix.name for matrix in question.givens] == ["X", "W_Q", "W_K", "W_V"] and not question.asked
    assert not any("Type each number" in fact for fact in question.facts) and any(
        fact.startswith("Which of these is ") for fact in question.facts
    )


def export(*arguments):
    return subprocess.run([sys.executable, "-m", "attncalc", "export", *map(str, arguments)], capture_output=True)


@pytest.mark.sweep(quick=0)
def test_the_command_says_what_is_lost_there_and_in_the_file(key, tmp_path):
    for system, name in (("moodle", "q.xml"), ("canvas", "q.zip")):
        done = export("transformers-transforming-our-lives", "--to", system, "-o", tmp_path / name)
        told = [line.removeprefix("limitation: ") for line in done.stderr.decode().splitlines()]
        assert done.returncode == 0 and len(told) >= 5
        raw = (tmp_path / name).read_bytes()
        inside = raw.decode() if name == "q.xml" else zipfile.ZipFile(io.BytesIO(raw)).read("README.txt").decode()
        # a comment in XML holds no two hyphens in a row
        assert all(line in inside.replace("- -", "--") for line in told)
        again = export(key, "--to", system, "-o", tmp_path / name)
        assert (
            again.returncode == 2
            and b"use --force to overwrite it" in again.stderr
            and (tmp_path / name).read_bytes() == raw
        )


# -- several files, folders, pieces ------------------------------------------------------------------------------------


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "attncalc", *map(str, arguments)], capture_output=True, check=True)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Folders that generate wrote: problems, and multiple choice."""
    folder = tmp_path_factory.mktemp("drawn")
    run("generate", "attention", "--tokens", 2, "-n", 3, "-o", f"{folder}/cells/")
    run("generate", "attention", "--tokens", 2, "-n", 2, "--choices", 3, "-o", f"{folder}/ticked/")
    run("generate", "attention", "--tokens", 2, "-n", 2, "--choices", 3, "--to", "json", "-o", f"{folder}/ticked.json")
    return folder


@pytest.mark.sweep(quick=0)
def test_a_folder_of_generate_is_variants_of_one_question(drawn):
    found = read_quizzes([str(drawn / "cells")])
    assert [quiz.code for quiz in found] == [f"variant {k}" for k in range(1, 4)] and len(
        {quiz.title for quiz in found}
    ) == 1
    questions = moodle_questions(moodle.write(found)[0])
    assert (
        len({question.category for question in questions}) == 1
        and len({question.idnumber for question in questions}) == 3
    )
    for k, question in enumerate(sorted(questions, key=lambda one: int(one.name.split()[-1])), 1):
        assert question.marks(key_of(load(str(drawn / "cells" / f"attention-{k}.yaml")))[0]) == 1
    assert len(canvas_quizzes(canvas.write(found)[0])) == 3
    again = moodle_questions(moodle.write(read_quizzes([str(drawn / "cells")]))[0])
    assert [(one.idnumber, one.tags) for one in again] == [(one.idnumber, one.tags) for one in questions]


def test_files_of_a_folder_stand_in_the_order_of_their_numbers(tmp_path):
    for k in (10, 9, 2):
        (tmp_path / f"p{k}.yaml").write_text(f"title: P{k}\ngiven: {{A: [[1]]}}\nsteps: {{B: A * 2}}\n")
    (tmp_path / "notes.txt").write_text("none")
    assert [quiz.title for quiz in read_quizzes([str(tmp_path)])] == ["P2", "P9", "P10"]


SIX = "given: {A: [[1, 2, 3]]}\nsteps: {B: A * 2}\n"  # six entries
TEN = "given: {A: [[1, 2]]}\nparts:\n  a: {steps: {B: A * 2}}\n  b: {steps: {C: A + a.B}}\n"  # A for a, b, and a in b
REPEATED = "given: {A: [[1, 2, 3]]}\nsteps: {B: A * 2, C: A * 3}\n"  # A is shown with each row of answers


@pytest.mark.parametrize(
    ("problem", "copies", "most", "entries"),
    [(SIX, 1, None, 6), (SIX, 5, None, 30), (TEN, 1, None, 10), (TEN, 3, None, 30), (REPEATED, 2, 3, 24)],
)
def test_an_export_has_a_limit_for_the_sum_of_its_sources(tmp_path, monkeypatch, problem, copies, most, entries):
    """All entries that the file shows count, also those that several questions repeat."""
    for k in range(copies):
        (tmp_path / f"p{k}.yaml").write_text(problem)
    monkeypatch.setattr(limits, "EXPORT", limits.EXPORT._replace(most=entries))
    assert len(read_quizzes([str(tmp_path)], most=most)) == copies
    monkeypatch.setattr(limits, "EXPORT", limits.EXPORT._replace(most=entries - 1))
    with pytest.raises(AttncalcError, match=f"{entries} or more; export the sources in several files"):
        read_quizzes([str(tmp_path)], most=most)


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize("source", ["ticked", "ticked.json"])
def test_multiple_choice_of_generate_is_multiple_choice(drawn, source):
    found = read_quizzes([str(drawn / source)])
    assert [
        [(question.kind, len(question.choices)) for question in moodle_questions(moodle.write([quiz])[0])]
        for quiz in found
    ] == [[("multichoice", 3)]] * 2
    for quiz, (_, items) in zip(found, canvas_quizzes(canvas.write(found)[0]), strict=True):
        (question,) = quiz.questions
        ((right, shown, _),) = [one for one in items[0].choices if one[0]]
        held = json.loads((drawn / "ticked" / f"attention-{quiz.code.split()[-1]}.json").read_text())["choices"]
        (matrix,) = [one["matrix"] for one in held["answers"] if one["right"]]
        assert right and re.findall("<td>(.*?)</td>", shown) == [escape(x) for row in matrix for x in row]
        assert f"Which of these is {held['step']}?" in question.facts and not question.asked


@pytest.mark.sweep(quick=0)
def test_several_files_stand_in_one(tmp_path, drawn, key):
    done = export(
        key, drawn / "cells", "look-ahead-mask", "look-ahead-mask", "--to", "moodle", "-o", tmp_path / "q.xml"
    )
    questions = moodle_questions((tmp_path / "q.xml").read_text())
    assert (
        done.returncode == 0
        and len(questions) == 6 + 3 + 1  # the same file twice is there once
        and len({(one.category, one.name) for one in questions}) == len(questions)
    )
    refused = export("look-ahead-mask", "next-word", "--to", "qti21", "-o", tmp_path / "q.zip")
    assert (
        refused.returncode == 2
        and b"found 2 different problems" in refused.stderr
        and not (tmp_path / "q.zip").exists()
    )
    (tmp_path / "empty").mkdir()
    assert b"expected a folder with 1 to 10,000 problem files" in export(tmp_path / "empty", "--to", "moodle").stderr
    (tmp_path / "bad.json").write_text(
        json.dumps({"variant": 1, "problem": "title: t\nsteps: {A: 1 + 1}\n", "choices": {"answers": [1]}})
    )
    refused = export(tmp_path / "bad.json", "--to", "moodle")
    assert refused.returncode == 2 and b"as `attncalc generate --choices` writes them" in refused.stderr


@examples(60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a, variant 1", "a, variant 2", "a", "b, variant 3", "b"]), st.sampled_from(["", "X1"])
        ),
        max_size=7,
    )
)
def test_no_two_quizzes_have_one_name(titles):
    found = with_unique_codes([Quiz(title, code) for title, code in titles])
    assert len({(quiz.title, quiz.code) for quiz in found}) == len(found)
    assert [(quiz.title, quiz.code) for quiz in with_unique_codes([Quiz(title, code) for title, code in titles])] == [
        (quiz.title, quiz.code) for quiz in found
    ]


@cache
def whole(name):
    return quiz(loaded(name), worked=True)


@examples(60)
@given(st.sampled_from(["head", "slice", "parts", "added", "cached"]), st.integers(1, 40))
def test_pieces_are_the_whole(name, most):
    """No piece is larger than it may be (a cell at least), the key earns all, and no solution tells what is still to
    come.
    """
    made = Quiz("t", "", list(whole(name).questions))
    split(made, most)
    assert all(1 <= len(question.blanks) <= most for question in made.questions)
    assert [blank for question in made.questions for blank in question.blanks] == [
        blank for question in whole(name).questions for blank in question.blanks
    ]
    assert len({question.name for question in made.questions}) == len(made.questions)
    typed = iter(list(chain(*key_of(loaded(name)))))
    for question in made.questions:
        ((_, read),) = [
            (question, one)
            for one in moodle_questions(moodle.write([Quiz("t", "", [replace(question, solution=None)])])[0])
        ]
        assert read.marks([next(typed) for _ in read.blanks]) == 1
    for first, second in pairwise(made.questions):
        if first.solution and first.name.split()[:1] == second.name.split()[:1]:
            told = {block.name.name for block in first.solution(None).flat() if isinstance(block, Formula)}
            assert told <= {asked.name for asked in first.asked} - {asked.name for asked in second.asked}


@pytest.mark.parametrize("shuffle", ["false", "true"])
def test_a_question_that_is_the_same_in_all_variants_is_there_once(shuffle, tmp_path):
    """An exam of 120 students brought 120 equal essays into the question bank."""
    (tmp_path / "sheet.yaml").write_text(
        f"seed: 1\nversions: 3\nshuffle: {shuffle}\n"
        "questions:\n- {ask: Why?, free_text: So., points: 2}\n- {problem: look-ahead-mask, points: 1}\n"
        "- {ask: Which?, choices: [{right: a}, {wrong: b}, {wrong: c}], points: 1}\n- {generate: layer_norm, points: 1}\n"
    )
    assert called("exam", tmp_path / "sheet.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    root = ET.fromstring(moodle.write(list(quizzes(read_key(str(tmp_path / "out/key.json")))))[0])
    kinds = Counter(one.get("type") for one in root.iter("question"))
    assert kinds == {"category": 4, "essay": 1, "multichoice": 1, "cloze": 1 + 3}
    assert [one.text for one in root.iter("shuffleanswers")] == [shuffle]


def test_parts_together_are_one_question():
    """Of each variant, with the points of all, so that nobody gets the parts of two variants."""
    variants = [load(PARTS), load(PARTS | {"given": PARTS["given"] | {"V": [[1, 2], [3, 4]]}})]
    made = list(map(quiz, variants))
    for one, code in zip(made, ("AA", "BB"), strict=True):
        one.code, one.together = code, True
    file, said = moodle.write(made)
    questions = moodle_questions(file)
    assert [question.name for question in questions] == ["Two parts AA", "Two parts BB"] and len(
        {question.category for question in questions}
    ) == 1
    for question, variant in zip(questions, variants, strict=True):
        assert question.marks(list(chain(*key_of(variant)))) == 1
    assert any("each variant is one question" in line for line in said)
    total = sum(blank.weight for blank in questions[0].blanks)
    assert Fraction(sum(blank.weight for blank in questions[0].blanks[:4]), total) == Fraction(2) / (2 + Fraction(1, 3))


@for_each(
    "name, said",
    [("10 digits", False), ("14 digits", True), ("60 digits", True), ("head", False), ("cache-memory", False)],
)
def test_digits_that_are_not_told_apart_are_said(name, said):
    assert all(
        any("fifteen digits" in line for line in system.write([quiz(loaded(name))])[1]) is said
        for system in (moodle, canvas)
    )


def test_minus_infinity_is_said_only_where_it_stands():
    assert not any("infinity" in line for line in moodle.write([quiz(load(PARTS))])[1])
    assert any("infinity" in line for line in moodle.write([quiz(load(HEAD))])[1])


def test_a_step_of_another_part_is_said():
    assert any(line.startswith("second: uses first.Z") for line in moodle.write([quiz(load(PARTS))])[1])


def test_a_question_that_builds_on_another_can_be_worked_alone():
    """What the other part starts from stands there too, and none of its results."""
    problem = {
        "title": "Three",
        "given": {"X": [["1/3", 2]], "W": [[1, 2], [3, 5]], "b": [[7, 8]]},
        "parts": {
            "one": {"ask": "First this.", "steps": {"H": "X @ W", "unused": "b * 2"}, "asked": ["H"]},
            "two": {"steps": {"G": "one.H * 2"}},
            "three": {"steps": {"Y": "two.G + b"}},
        },
    }
    *_, third = quiz(load(problem)).questions
    assert [(one.name, one.used, [given.name for given in one.givens], [line.text for line in one.formulas])
            for one in third.prior_parts] == [
        ("one", (), ["X", "W"], ["H = X · W"]), ("two", ("two.G",), [], ["G = one.H · 2"]),
    ]  # fmt: skip
    assert [given.name for given in third.givens] == ["b"]
    (*_, question) = moodle_questions(moodle.write([quiz(load(problem))])[0])
    shown = html.unescape(re.sub("<[^>]*>", "", question.around))
    assert (
        "First this." in shown
        and "H = X · W" in shown
        and "1 / 3" in shown
        and "Part two, whose results are used here (two.G):" in shown
    )
    assert not {text for row in solve(load(problem)).parts[0]["H"].decimals(4) for text in row} & set(shown.split())


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize(
    "change, said",
    [
        ({"asked": []}, "no asked step has points"),
        (
            {
                "given": {"X": [[1] * 50] * 50},
                "self_attention": {"W_Q": "identity(50)", "W_K": "identity(50)", "W_V": "identity(50)"},
            },
            "a quiz can have at most 2,000 answer fields; found 2,500 or more; list fewer steps under `asked:`",
        ),
    ],
)
def test_what_is_no_quiz(tmp_path, change, said):
    (tmp_path / "p.json").write_text(json.dumps(HEAD | change))
    done = export(tmp_path / "p.json", "--to", "moodle")
    assert done.returncode == 2 and said in done.stderr.decode() and b"Traceback" not in done.stderr


# -- gradebooks --------------------------------------------------------------------------------------------------------


def row(student, earned=None, **more):
    marks = {} if earned is None else {"A": Fraction(earned), "B": Fraction(1, 3)}
    return GradedScript(
        student,
        f"{student}.yaml",
        "",
        marks,
        {"A": Fraction(3), "B": Fraction(1)} if marks else {},
        error="" if marks else "empty",
        **more,
    )


CLASS = [row("00417", 3), row("s-2", 0, first_wrong="A"), row("s-9"), row('s,3 "x"', "1.5")]
KNOWN = {"00417", "s-2", 's,3 "x"'}


def test_moodle_imports_a_class_in_which_one_script_could_not_be_read():
    found = moodle_gradebook(grade.moodle(CLASS, "Mid, term"), "ID number", "Mid, term", KNOWN, 4)
    assert {who: mark for who, (mark, _) in found.items()} == {"00417": 3.3333, "s-2": 0.3333, 's,3 "x"': 1.8333}
    assert found["s-2"][1] == "0.33 of 4 points. The first error is in A."


def test_moodle_stops_at_whom_it_does_not_know():
    with pytest.raises(Refused, match="user mapping error: ''"):
        moodle_gradebook(grade.moodle([*CLASS, row("ada@example.org", 1)], "t"), "ID number", "t", KNOWN, 4)
    # Cut
    assert [mark for mark, _ in moodle_gradebook(grade.moodle(CLASS, "t"), "ID number", "t", KNOWN, 3).values()] == [
        3,
        0.3333,
        1.8333,
    ]
    with pytest.raises(Refused, match="too big"):
        moodle_gradebook(grade.moodle([row("00417", 120)], "t"), "ID number", "t", KNOWN, 120)


def test_canvas_imports_by_number_and_by_login():
    text = grade.canvas([*CLASS, row("ada@example.org", 2)], "Midterm")
    possible, marks, missing = canvas_gradebook(text, {who: who for who in KNOWN}, {"ada@example.org": "ada"})
    assert (possible, missing) == ("4", [])
    assert marks == {"00417": "3.3333", "s-2": "0.3333", 's,3 "x"': "1.8333", "ada": "2.3333"}


@for_each("student", ["=HYPERLINK(1)", "@SUM(A1)", "+1+cmd|' /C calc'!A0", "-2+3", "\t=1", "|x", "＝1"])
@for_each("system", ["moodle", "canvas", "gradescope"])
def test_what_a_spreadsheet_would_run_is_text_and_no_student(student, system):
    """Safety comes first: no school gives out such a number, so the apostrophe costs no match."""
    lines = list(csv.reader(io.StringIO(grade.SYSTEMS[system]([row(student, 1, first_wrong="=A1")], "=1+1"))))
    assert not any(
        re.match(r"\s*[=+\-@|%＝]", cell)
        for line in lines
        for cell in line
        if not re.fullmatch(r"[+-]?\d+(\.\d+)?", cell)
    )
    assert any(cell.startswith("'") for line in lines[1:] for cell in line)


@for_each("student", ["00417", "s-2", "20261121", "a.b-c_d", "O'Neil", "-17", "+491234", "Łukasz", "a@b.org", "ab=cd"])
def test_what_is_no_formula_is_matched_as_it_stands(student):
    assert (
        next(csv.reader(io.StringIO(grade.gradescope([row(student, 1)], "t").splitlines()[1])))["@" in student]
        == student
    )


def test_other_readers_of_gradebooks(tmp_path):
    """finalgrade reads what Canvas and Gradescope export."""
    pytest.importorskip("finalgrade")
    from finalgrade.gradebook import Gradebook

    people = [row("ada@example.org", 3), row("bob@example.org", 0)]
    for system in ("canvas", "gradescope"):
        (tmp_path / system).write_text(grade.SYSTEMS[system](people, "Midterm"))
        found = Gradebook.from_file(tmp_path / system)
        assert list(found.points) == [4] and list(found.df_perc["midterm"]) == pytest.approx([3.3333 / 4, 0.3333 / 4])
        assert list(found.df_perc.index) == ["ada@example.org", "bob@example.org"]


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
@given(
    st.lists(st.fractions(min_value=Fraction(1, 12), max_value=20, max_denominator=12), min_size=1, max_size=12),
    st.sampled_from([1, 60]),
    st.sampled_from([1, Fraction(1, 9973)]),
)
def test_weights_keep_the_ratio_of_points(points, many, more):
    points = points * many + [more]
    found, exact = weights(points)
    assert all(isinstance(w, int) and w >= 1 for w in found) and sum(found) < 100_000
    if exact:
        assert all(a * q == b * p for a, p in zip(found, points) for b, q in zip(found, points))
    else:
        assert all(abs(a / max(found) - float(p / max(points))) <= 1 / max(found) for a, p in zip(found, points))


@given(st.lists(st.fractions(min_value=0, max_value=20, max_denominator=60), max_size=30), st.integers(0, 8))
def test_rounded_points_add_up(points, places):
    found, unit = round_keeping_sum(points, places), Fraction(1, 10**places)
    assert all(abs(a - b) < unit and (a / unit).denominator == 1 for a, b in zip(found, points, strict=True))
    assert abs(sum(found) - sum(points)) <= unit / 2


@given(st.fractions(-1000, 1000, max_denominator=10**6))
def test_decimals_are_plain_and_near(x):
    text = decimal(x)
    assert re.fullmatch(r"-?\d+(\.\d+)?", text) and abs(Fraction(text) - x) <= Fraction(1, 2 * 10**12) and text != "-0"


def test_mistakes_of_a_quiz_stay_within_their_work(tmp_path, monkeypatch):
    """Fields for which no work is left recognise no mistakes, which is listed; their right answers stay."""
    path = tmp_path / "p.yaml"
    path.write_text("title: t\nsteps: {S: 'softmax(sinusoidal(5, 4) @ sinusoidal(5, 4).T)'}\nasked: [S]\n")
    monkeypatch.setattr("attncalc.lms.quiz_export.MOST_SECONDS", 0.0)
    code, out, err = called("export", path, "--to", "moodle")
    assert code == 0 and "in 25 of 25 answer fields no mistake can be recognised" in err and "=" in out
