"""The reader under fire: whatever becomes of a problem file, the answer is a problem or faults with places inside the
file, and soon.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest
import yaml
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.problem.loader import read_problem
from attncalc.resources import problem_file, problem_names
from tests.support.laws import examples
from tests.support.sweeps import for_each

SECONDS = 5.0
LARGEST_WORTH_SOLVING = 400  # entries; what is larger is read only
FILES = [Path(problem_file(name)).read_text(encoding="utf-8") for name in problem_names()]
LINE = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
TOKEN = re.compile(r"-?\d+(?:\.\d+)?|\w+|[^\w\s]")
HOSTILE = [
    "1e999999999", "-1e400", "0,5", "1/0", "9 ** 9 ** 9", "-inf", "nan", ".inf", "~", "''", '"', "[]", "{}", "[[]]",
    "[[1], [1, 2]]", "|", ">-", "&a", "*a", "!!python/name:os.system", "<<: *a", "? x", "---", "...", "%YAML 9.9", "#",
    "- ", ": ", "\t", "\x00", "\ufeff", "\u202e", "\ud7ff",
    "−", "∞", "½", "é", "🙂", "\x85", "\u2028", "0" * 400, "(" * 70, "-" * 300, "x" * 2000, "A.T.T", "X[0]", "X[-99]",
    'X["the"]', "softmax(S)",
    "causal(4, 4)", "zeros(0, 1)", "ones(9999, 9999)", "band(1, 2", "lambda: 0", "__import__", "self_attention",
    "heads: 3", "top_k: 99",
    "temperature: 0", "base: -2", "scale: none", "mask: causal_strict", "columns", "pin: {S: [[1]]}", "e", "pi", "T",
    "none", "true", "= 1", "@",
]  # fmt: skip


@st.composite
def mutated(draw) -> str:
    """One of the problem files, with a few pieces cut, doubled, moved or put in."""
    text = draw(st.sampled_from(FILES))
    for _ in range(draw(st.integers(1, 4))):
        pieces = draw(st.sampled_from([lines, tokens, characters]))(text)
        i, j = (draw(st.integers(0, len(pieces) - 1)) for _ in range(2)) if pieces else (0, 0)
        match draw(st.sampled_from(["cut", "double", "swap", "put", "replace"])):
            case "cut":
                pieces[i : i + 1] = []
            case "double":
                pieces[i:i] = pieces[i : i + 1]
            case "swap" if pieces:
                pieces[i], pieces[j] = pieces[j], pieces[i]
            case "put":
                pieces[i:i] = [draw(st.sampled_from(HOSTILE) | st.text(max_size=3))]
            case "replace":
                pieces[i : i + 1] = [draw(st.sampled_from(HOSTILE) | st.text(max_size=3))]
        text = "".join(pieces)
    return text


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def tokens(text: str) -> list[str]:
    """Numbers, words, signs and what stands between them."""
    return [piece for piece in re.split(f"({TOKEN.pattern})", text) if piece]


def characters(text: str) -> list[str]:
    return list(text)


def answer(data: str | bytes) -> list[str]:
    """The faults of a problem that is read, and solved where it is small."""
    try:
        problem = read_problem(data, "problem.yaml", "problem")
        if sum(step.node.size for step in problem.plan.steps()) <= LARGEST_WORTH_SOLVING:
            for part in solve(problem).parts:
                for step in part.steps:
                    step.printed()
    except AttncalcError as error:
        assert error.faults
        text = data if isinstance(data, str) else data.decode("utf-8-sig", "replace")
        for fault in error.faults:
            assert_inside(fault, text)
        return [str(fault) for fault in error.faults]
    return []


def assert_inside(fault, text: str) -> None:
    """The fault's place is in the file, and its line is one line that can be printed."""
    assert fault.place.source == "problem.yaml"
    assert str(fault).isprintable() and fault.message
    rows = LINE.split(text)
    assert 1 <= fault.place.line <= len(rows), fault
    assert 1 <= fault.place.column <= len(rows[fault.place.line - 1]) + 1, fault


often = examples(250, suppress_health_check=list(HealthCheck))


@given(mutated())
@often
def test_a_mutated_file_is_a_problem_or_has_faults_with_places(text):
    start = process_time()
    answer(text)
    assert process_time() - start < SECONDS


@given(
    st.sampled_from(FILES), st.lists(st.tuples(st.integers(0, 5_000), st.binary(max_size=3)), min_size=1, max_size=4)
)
@often
def test_a_file_with_foreign_bytes_has_an_answer(text, changes):
    data = bytearray(text.encode())
    for at, put in changes:
        data[at % len(data) : at % len(data) + 1] = put
    try:
        bytes(data).decode("utf-8-sig")
    except UnicodeDecodeError:
        assert answer(bytes(data))[0].endswith("expected UTF-8 text, found other bytes")
    else:
        answer(bytes(data))


@given(st.text(alphabet="SQKVX0123456789.,()[]{}+-*/@ =\"'ekeep softmax:inf", max_size=40))
@often
def test_any_formula_has_an_answer(formula):
    try:
        problem = load({"given": {"S": [[1, 2], [3, 4]], "X": [[0, 1]]}, "steps": {"A": formula}})
    except AttncalcError as error:
        assert all(str(fault.place) == "problem.steps.A" for fault in error.faults)
        return
    step = solve(problem)["A"]
    assume(step.step.node.size <= LARGEST_WORTH_SOLVING)
    try:
        assert len(step.decimals(2)) == step.shape[0]
    except AttncalcError as error:
        assert error.faults


# -- what is read ------------------------------------------------------------------------------------------------------


def plan_of(problem) -> list[tuple[object, ...]]:
    given = [(g.key, g.shape, g.rows, g.columns, g.node.parameters) for g in problem.plan.givens]
    steps = [(s.key, s.formula, s.shape, s.rows, s.columns, s.given) for s in problem.plan.steps()]
    parts = [
        (p.name, p.ask, p.points, p.rounding, p.carry, [(a.step, a.rows, a.columns) for a in p.asked])
        for p in problem.parts
    ]
    return [*given, *steps, *parts]


@for_each("text", FILES, ids=problem_names(), quick=6)
def test_python_data_reads_as_the_file_does(text):
    data = yaml.load(text, Loader=yaml.BaseLoader)
    assert plan_of(load(data)) == plan_of(read_problem(text, "problem.yaml", "problem"))


@for_each("text", FILES, ids=problem_names(), quick=5)
def test_a_file_written_again_by_yaml_reads_as_it_did(text):
    again = yaml.dump(
        yaml.load(text, Loader=yaml.BaseLoader),
        allow_unicode=True,
        sort_keys=False,
        width=10_000,
        default_flow_style=False,
    )
    assert plan_of(read_problem(again, "problem.yaml", "problem")) == plan_of(
        read_problem(text, "problem.yaml", "problem")
    )


def value_of(written: object) -> Fraction | None:
    return solve({"given": {"x": written}, "steps": {"y": "x"}})["y"].fractions()[0][0]


@given(st.fractions(-(10**9), 10**9, max_denominator=10**9))
@often
def test_a_fraction_is_read_exactly(x):
    assert value_of(str(x)) == value_of(x) == x
    assert value_of(f"({x.numerator}) / {x.denominator}") == x  # as a formula


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30))
@often
def test_a_decimal_is_read_exactly(x):
    assume(abs(x.as_tuple().exponent) <= 1_000)
    assert value_of(str(x)) == value_of(x) == Fraction(x)
    assert value_of(str(x).replace("-", "−")) == Fraction(x)


@given(st.floats(allow_nan=False, allow_infinity=False))
@often
def test_a_float_is_read_as_its_shortest_decimal_or_as_it_is(x):
    assert float(value_of(x)) == x
    assert value_of(x) == Fraction(repr(x))
    binary = solve(load({"given": {"x": x}, "steps": {"y": "x"}}, floats="binary"))["y"].fractions()[0][0]
    assert binary == Fraction(x)


@pytest.mark.sweep(quick=0)
@given(
    st.integers(1, 4).flatmap(
        lambda m: st.lists(
            st.lists(st.fractions(-99, 99, max_denominator=99), min_size=m, max_size=m), min_size=1, max_size=4
        )
    )
)
@often
def test_every_form_of_a_matrix_is_the_same_matrix(rows):
    listed = [[str(x) for x in row] for row in rows]
    block = "".join(f"    {'   '.join(row)}\n" for row in listed)
    assert read_value(f"given:\n  X: |\n{block}steps: {{Y: X}}") == rows
    forms = [listed, rows, {"values": listed}, [[f"({x})" for x in row] for row in listed]]
    assert all(read_value({"given": {"X": form}, "steps": {"Y": "X"}}) == rows for form in forms)


def read_value(problem: object) -> list[list[Fraction | None]]:
    return solve(read_problem(problem, "problem.yaml", "problem") if isinstance(problem, str) else problem)[
        "Y"
    ].fractions()
