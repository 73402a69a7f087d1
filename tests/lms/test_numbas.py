"""Numbas's questions: every formula comes to the solver's numbers in JME, and what follows from a student's own numbers
is right.
"""

import json
import math
import shutil
import subprocess
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.lms.formula_translation import NotInLanguage
from attncalc.lms.numbas import formula
from attncalc.lms.quiz import WORDS, Option
from attncalc.lms.quiz_export import write
from tests.lms.test_quizzes import OURS, is_number, key_of, loaded, quiz
from tests.lms.test_stack import FEW, OPERATIONS, after
from tests.support import read_numbas
from tests.support.laws import examples
from tests.support.sweeps import for_each

UNWRITTEN = {"bend"}  # JME has no error function


def check(problem):
    """How many steps there are, and which of them are written; each comes to the solver's numbers."""
    plan, variables = problem.plan, {}
    names = {key: f"n{k}" for k, key in enumerate(plan.entries)}
    for key, entry in plan.entries.items():
        try:
            variables[names[key]] = {"definition": formula(entry.node, names.__getitem__)}
        except (NotInLanguage, KeyError):
            names.pop(key)
    scope = read_numbas.Scope(variables)
    steps = {step.step.key: step for part in solve(problem).parts for step in part.steps}
    for key in steps.keys() & names.keys():
        for row, texts in zip(scope.of(names[key]), steps[key].decimals(9), strict=True):
            for value, text in zip(row, texts, strict=True):
                if is_number(text):
                    assert abs(float(value) - float(text)) <= 1e-9 * max(2, abs(float(text))), (key, value, text)
                else:
                    assert value == -math.inf, key
    return steps.keys() - names.keys()


def test_operations_come_to_the_solver_s_numbers():
    assert check(load(OPERATIONS)) == UNWRITTEN


@for_each("name", OURS, quick=2)
def test_problems_come_to_the_solver_s_numbers(name):
    check(loaded(name))


@given(st.fractions(Fraction(1, 10), 30).map(lambda x: Fraction(round(x * 100), 100)), st.integers(1, 4))
@examples(20)
def test_law_the_points_of_fields_and_options_add_up_exactly(points, columns):
    given = {"X": [[k - 1 for k in range(columns)] for _ in range(3)]}
    problem = load({"title": "T", "points": str(points), "given": given, "steps": {"Y": "X / 3"}})
    asked = quiz(problem)
    choice = replace(asked.questions[0], asked=(), worth=points, several=True, options=tuple(map(Option, [1, 1, 0, 1])))
    asked.questions.append(choice)
    exam = json.loads(write("numbas", [asked])[0].partition("\n")[2], parse_float=Decimal)
    parts = exam["question_groups"][0]["questions"][0]["parts"]
    fields = [gap["marks"] for part in parts for gap in part.get("gaps", ())]
    options = [mark for part in parts for mark in part.get("matrix", ()) if mark > 0]
    assert sum(map(Fraction, fields)) == sum(map(Fraction, options)) == points


@pytest.mark.parametrize("word", WORDS)
def test_a_field_of_an_infinite_entry_takes_its_spellings_and_nothing_else(word):
    """The pattern was invalid in a Unicode pattern of JavaScript, and then any text earned all points."""
    problem = load({"given": {"S": [["1", word]]}, "steps": {"M": "S * 2"}, "title": "t"})
    content = write("numbas", [quiz(problem)])[0]
    (question,) = read_numbas.read(content)
    (gap,) = (gap for gap in question.gaps.values() if gap["type"] == "patternmatch")
    wrong = ["", "x", "1", f"{word}x", f"x{word}", "inf2", {"-inf": "inf", "inf": "-inf"}[word], "minus", "-"]
    cases = [*((text, True) for text in WORDS[word]), *((text.upper(), True) for text in WORDS[word] if "∞" not in text),
             *((text, False) for text in wrong)]  # fmt: skip
    assert [read_numbas.matches(gap["answer"], text) for text, _ in cases] == [right for _, right in cases]
    if node := shutil.which("node"):
        script = "const [p, t] = JSON.parse(process.argv[1]); const r = new RegExp('^' + p + '$', 'iu');"
        script += "console.log(JSON.stringify(t.map(x => r.test(x))))"
        found = subprocess.run([node, "-e", script, json.dumps([gap["answer"], [text for text, _ in cases]])],
                               capture_output=True, text=True, timeout=60, check=True)  # fmt: skip
        assert json.loads(found.stdout) == [right for _, right in cases]


@for_each("typed, credit", [("0.707", 1), ("0,707", 1), ("0,7071", 1), ("1,707", 0), ("707", 0)])
def test_a_decimal_comma_is_no_sign_of_thousands(typed, credit):
    problem = load({"given": {"S": [["0.707"]]}, "steps": {"M": "S * 1"}, "rounding": {"digits": 3}, "title": "t"})
    (question,) = read_numbas.read(write("numbas", [quiz(problem)])[0])
    ((path, gap),) = question.gaps.items()
    assert gap["notationStyles"] == ["plain", "plain-eu"] and question.marks(path, {path: typed})[0] == credit


@cache
def few():
    (question,) = read_numbas.read(write("numbas", [quiz(load(FEW))])[0])
    return question


def credits(question, texts):
    typed = dict(zip(question.gaps, texts, strict=True))
    return [question.marks(path, typed)[0] for path in question.gaps]


@pytest.mark.sweep(quick=0)
@examples(20)
@given(st.lists(st.integers(-3000, 3000), min_size=9, max_size=9))
def test_what_follows_from_own_numbers_is_right(thousandths):
    """Scaled scores that are anything: only their own cells lose points, and all that follows is judged from them."""
    numbers, right = [f"{x / 1000:.3f}" for x in thousandths], key_of(load(FEW))[0]
    found = credits(few(), [*numbers, *after([numbers[k : k + 3] for k in (0, 3, 6)])])
    assert found[9:] == [1] * len(found[9:])
    for credit, x, r in zip(found, numbers, right):
        away = abs(Fraction(x) - Fraction(r))
        assert credit == 1 if not away else credit == 0 if away > Fraction(1, 400) else True


def test_what_does_not_follow_is_wrong():
    right = key_of(load(FEW))[0]
    assert credits(few(), [*["5.000"] * 9, *["0.900"] * 9, *right[18:]]) == [0] * 18 + [1] * 6
    assert credits(few(), [*["5.000"] * 9, *right[9:]]) == [0] * 9 + [1] * 15  # what is right stays right


@for_each("typed", ["0", "x", "-inf", "1e30", "-1000000000000", "1/0", "", "{x}"], quick=4)
def test_nothing_that_is_typed_stops_the_marking(typed):
    steps = {"S": "X * 2", "D": "1 / S", "L": "log(S)", "R": "sqrt(S)", "P": "S ** (1/2)", "A": "softmax(S / D)"}
    problem = load({"given": {"X": [[1, 2]]}, "steps": steps})
    (question,) = read_numbas.read(write("numbas", [quiz(problem)])[0])
    assert credits(question, [typed, typed, *key_of(problem)[0][2:]])[2:] == [1] * 10
