"""STACK's questions: every formula comes to the solver's numbers in Maxima, and what follows from a student's own
numbers is right.
"""

import subprocess
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.lms.formula_translation import NotInLanguage
from attncalc.lms.quiz_export import write
from attncalc.lms.stack import formula, required_definitions
from tests.lms.test_quizzes import HEAD, OURS, is_number, key_of, loaded, quiz
from tests.support import read_stack
from tests.support.laws import examples
from tests.support.sweeps import for_each

EYE, TURN = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
# One formula for each operation that is written, with entries that may stand nowhere else: -inf, an empty row, a whole
# matrix.
OPERATIONS = {
    "given": {"A": [[1, "-1/2", 3], [2, 0, "5/3"]], "B": [[1, 2, 1], ["1/3", 1, 4]], "C": [[2], [3]],
        "M": [[1, 0, 1], [0, 0, 0]]},
    "steps": {
        "add": "A + C", "sub": "A - B", "mul": "A * B", "div": "A / B", "power": "B ** 2 + C ** (1/2)",
        "negative": "-A", "product": "A @ B.T", "taken": "A[1]", "exponential": "exp(A)", "logarithm": "log(B)",
        "root": "sqrt(B)", "waves": "sin(A) + cos(A) + pi", "bend": "tanh(A) + erf(A)", "size": "abs(A) + floor(A)",
        "larger": "maximum(A, B)", "sums": "row_sum(A)", "tops": "row_max(A)", "hidden": "keep(A, M)",
        "weights": "softmax(A)", "kept": "softmax(hidden, empty=zeros)", "even": "softmax(hidden, empty=uniform)",
        "beside": "hstack(A, C)", "below": "vstack(A, B)",
    },
}  # fmt: skip


def evaluated(problem):
    """{key: matrix} of all formulas that are written for Maxima, by the reader's own Maxima."""
    plan, session, found = problem.plan, read_stack.Session(), {}
    names = {key: f"n{k}" for k, key in enumerate(plan.entries)}
    for key, entry in plan.entries.items():
        try:
            text = formula(entry.node, names.__getitem__)
        except (NotInLanguage, KeyError):
            names.pop(key)
            continue
        session.run("".join(f"{one};" for one in required_definitions([text])))
        found[key] = session.run(f"{names[key]}:{text};")
    return found


def check(problem):
    solution, found = solve(problem), evaluated(problem)
    steps = {step.step.key: step for part in solution.parts for step in part.steps}
    for key, step in steps.items():
        for row, texts in zip(found.get(key, ()), step.decimals(9)):
            for value, text in zip(row, texts, strict=True):
                if is_number(text):
                    assert abs(float(value) - float(text)) <= 1e-9 * max(2, abs(float(text))), (key, value, text)
                else:
                    assert value == "minf", key
    return len(steps), sum(key in found for key in steps)


def test_operations_come_to_the_solver_s_numbers():
    every, written = check(load(OPERATIONS))
    assert every == written == len(OPERATIONS["steps"])


@for_each("name", OURS, quick=2)
def test_problems_come_to_the_solver_s_numbers(name):
    check(loaded(name))


# -- follow-through ----------------------------------------------------------------------------------------------------


FEW = HEAD | {"asked": ["S_scaled", "A", "Z"]}  # S_masked stands between, and is not typed


@cache
def head():
    (question,) = read_stack.read(write("stack", [quiz(load(FEW))])[0])
    return question


def typed_by_step(question, texts):
    """{field: what is typed} for the numbers of a part in order."""
    return dict(zip(question.fields, texts, strict=True))


def after(scaled):
    """What follows from scaled scores as they are typed, by a problem that begins with them."""
    steps = {"S_masked": "keep(S_scaled, causal(3, 3))", "A": "softmax(S_masked)", "Z": "A @ V"}
    values = {"S_scaled": scaled, "V": [[1, 2], [3, 4], [4, 6]]}
    return key_of(load({"given": values, "rounding": {"digits": 3}, "steps": steps, "asked": ["A", "Z"]}))[0]


@pytest.mark.sweep(quick=0)
@examples(20)
@given(st.lists(st.integers(-3000, 3000), min_size=9, max_size=9))
def test_what_follows_from_own_numbers_is_right(thousandths):
    """Scaled scores that are anything: only their own cells lose points, and all that follows is judged from them."""
    question, right = head(), key_of(load(FEW))[0]
    numbers = [f"{x / 1000:.3f}" for x in thousandths]
    texts = [*numbers, *after([numbers[k : k + 3] for k in (0, 3, 6)])]
    scaled, weights, z = (float(question.tree(prt, typed_by_step(question, texts))[0]) for prt in question.trees)
    away = [abs(Fraction(x) - Fraction(r)) for x, r in zip(numbers, right)]
    assert (weights, z) == (1, 1)
    assert away.count(0) <= 9 * scaled + 1e-9 and 9 * scaled <= sum(x <= Fraction(1, 400) for x in away) + 1e-9


def test_what_does_not_follow_is_wrong():
    question, right = head(), key_of(load(FEW))[0]
    wrong = [*["5.000"] * 9, *["0.900"] * 9, *right[18:]]
    assert [float(question.tree(prt, typed_by_step(question, wrong))[0]) for prt in question.trees] == [0, 0, 1]
    right[:9] = ["5.000"] * 9  # what is right stays right
    assert [float(question.tree(prt, typed_by_step(question, right))[0]) for prt in question.trees] == [0, 1, 1]


@for_each("typed", ["0", "x", "-inf", "1e30", "-1e30", "foo(", "", "1/0"], quick=4)
def test_nothing_that_is_typed_stops_the_marking(typed):
    """Roots of negative numbers, quotients by zero, logarithms: the rest is marked, from the right numbers where none
    can be worked out.
    """
    steps = {
        "S": "X * 2",
        "D": "1 / S",
        "L": "log(S)",
        "R": "sqrt(S)",
        "P": "S ** (1/2)",
        "E": "exp(S)",
        "A": "softmax(S / D)",
    }
    problem = load({"given": {"X": [[1, 2]]}, "steps": steps})
    (question,) = read_stack.read(write("stack", [quiz(problem)])[0])
    texts = dict(zip(question.fields, [typed, typed, *key_of(problem)[0][2:]], strict=True))
    assert [float(question.tree(prt, texts)[0]) for prt in question.trees][1:] == [1] * 6


@pytest.mark.slow
@pytest.mark.needs("maxima")
def test_maxima_agrees(tmp_path):
    """The trees of whole questions in Maxima itself, with the key, with nothing and with wrong numbers before."""
    program, expected = ["display2d:false$"], []
    for name in ("head", "parts"):
        (question,) = read_stack.read(write("stack", [quiz(loaded(name))])[0])
        key = [x for part in key_of(loaded(name)) for x in part]
        for texts in (key, ["1.5"] * len(key), ["", *["2"] * 9, *key[10:]][: len(key)]):
            typed = dict(zip(question.fields, texts, strict=True))
            for prt in question.trees:
                program += ["kill(all)$", question.node.findtext("questionvariables/text")]
                program += [f"{field}:{text or 'EMPTYANSWER'}$" for field, text in typed.items()]
                program += [prt.findtext("feedbackvariables/text"), 'print("SCORE",float(score),string(said))$']
                score, said = question.tree(prt, typed)
                expected.append((pytest.approx(float(score)), len(said)))
    (tmp_path / "all.mac").write_text("\n".join(program).replace(";", "$"), encoding="utf-8")
    done = subprocess.run(
        ["maxima", "--very-quiet", "-b", "all.mac"], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    lines = [line.split(maxsplit=2) for line in done.stdout.split("\n") if line.startswith("SCORE ")]
    found = [(float(score), len(set(eval(said)) - {0})) for _, score, said in lines]
    assert found == expected, done.stdout[-1500:]
