"""A formula that verify.py works out is one of the formula language, with the same value there."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve, verify
from attncalc.render.certificate import write
from tests.support.laws import examples
from tests.support.sweeps import for_each

X = [["1", "2"], ["3", "5"]]
NAMES = {"X": [[verify.Number(Fraction(x)) for x in row] for row in X]}
WORDS = ["rows", "columns", "all", "Columns", "error", "zeros", "uniform", "half_up", "truncate", "split", "foo", "std"]
ARGUMENTS = st.sampled_from(
    ["X", "1", "0", "2", "1/3", "X[0:1]", "X[0:5, 0]", "X[-3:]", "ones(2, 2)", "pi", "-inf", *(f'"{w}"' for w in WORDS)]
)
TAKES_ALL = "this slice selects the whole matrix"  # refused as a slip: it changes nothing
KEYWORDS = sorted({parameter for parameters, _ in verify.SIGNATURES.values() for parameter, *_ in parameters} - {"*"})


@st.composite
def calls(draw):
    """A call of a function of verify.py with arguments that may be wrong, too many or there twice."""
    name = draw(st.sampled_from(sorted(verify.SIGNATURES)))
    parameters = [parameter for parameter, *_ in verify.SIGNATURES[name][0]]
    positional = draw(st.lists(ARGUMENTS, min_size=1, max_size=len(parameters) + 1))
    keywords = draw(st.lists(st.sampled_from([*parameters, *parameters, *KEYWORDS]), max_size=2))
    given_by_name = [f"{keyword}={draw(ARGUMENTS)}" for keyword in keywords if keyword != "*"]
    return f"{name}({', '.join(['X', *positional[1:], *given_by_name])})"


def by_verify(formula):
    """The numbers that verify.py gives, None where it gives none."""
    verify.Work.left = verify.MOST_WORK
    verify.Work.begin(192, forms=False)
    try:
        return verify.calculate(formula, NAMES)
    except (verify.Invalid, verify.Open, verify.Bad, verify.TooMuch):
        return None


def is_same(formula, value):
    """Whether the language accepts a formula, and prints what verify.py gives."""
    try:
        (step,) = solve(load({"given": {"X": X}, "steps": {"Y": formula}}), digits=6).parts[0].steps
    except AttncalcError as error:
        return TAKES_ALL in str(error)
    printed = [[entry.replace("−", "-") for entry in row] for row in step.printed().texts]
    for row, numbers in zip(printed, value, strict=True):
        for text, x in zip(row, numbers, strict=True):
            if abs(x.lo) == verify.INF:
                if text.replace("∞", "inf") != str(x.lo):
                    return False
            elif not x.lo - Fraction(1, 10**6) <= Fraction(text) <= x.hi + Fraction(1, 10**6):
                return False
    return True


@examples(3000)
@given(formula=calls())
def test_what_verify_works_out_is_of_the_language(formula):
    value = by_verify(formula)
    is_literal_share = formula.startswith(
        "top_p"
    )  # a share that is typed is at most 1, one that is computed is not asked
    assert value is None or is_literal_share or is_same(formula, value), formula


INDICES = st.one_of(st.none(), st.integers(-9, 9))


@examples(600)
@given(start=INDICES, stop=INDICES, step=st.sampled_from([None, 1, 2, -1, -2]), is_column=st.booleans())
def test_slices_are_those_of_the_language(start, stop, step, is_column):
    ends = ":".join("" if end is None else str(end) for end in (start, stop, step))
    formula = f"ones(3, 1) @ X[0][:, {ends}]" if is_column else f"vstack(X, 7 * X, X)[{ends}]"
    try:
        solution = solve(load({"given": {"X": X}, "steps": {"Y": formula}}))
    except AttncalcError as error:
        assert TAKES_ALL in str(error) or by_verify(formula) is None
        return
    assert is_same(formula, by_verify(formula))
    report = verify.verify(json.loads(write(solution)))
    assert not report.findings


FORGED = [
    'softmax(X, axis="foo")', "softmax(X, axis=7)", 'softmax(X, empty="xx")', "softmax(hstack(1, 2), base=2, base=3)",
    'round(1.7, 0, mode="truncate", mode="half_up")', "round(1.26, 0, digits=1)", "keep(1, 0, 7, fill=0)",
    "keep(X, X, X)", "layer_norm(X, eps=X)", "top_p(X / 10, X)", "ones(2, 2)[0:5, 0]", 'softmax(X, axis="col" "umns")',
    "ｓqrt(4)", "hstack(X, X, axis=X)", "softmax(X, base=X)", "causal(3, 3, 1, offset=0)",
]  # fmt: skip


@for_each("formula", FORGED)
def test_a_forged_argument_is_refused(formula):
    assert by_verify(formula) is None


def sealed(step, digits=0):
    """A certificate of one step."""
    part = {"name": None, "rounding": {"digits": digits, "mode": "half_up"}, "givens": {}, "steps": [step]}
    data = {"certificate": "attncalc 2", "title": "t", "carried": False, "givens": {}, "parts": [part]}
    return data | {"checksum": verify.checksum(data)}


@for_each("entry", [["2"], None, 2, True, {}, []])
def test_a_pinned_entry_that_is_no_text_is_refused(entry):
    step = {"name": "Y", "formula": "1", "pinned": [["1", entry]], "printed": [["1", "1"]], "enclosures": [["1", "1"]]}
    with pytest.raises(verify.Bad, match="expected a matrix"):
        verify.verify(sealed(step))


@for_each("printed", ["98765.000", "1.5", "01", "-0", "1\u202e", "x"])
def test_what_an_entry_that_is_not_verified_prints_is_a_decimal_in_its_enclosure(printed):
    ends = ["0.4999999999995", "0.5000000000005"]
    step = {"name": "Y", "formula": "exp(exp(100))", "printed": [[printed]], "enclosures": [[ends]]}
    try:
        report = verify.verify(sealed(step))
    except verify.Bad:
        return
    assert [finding.verdict for finding in report.findings] == ["wrong"]


def test_a_problem_without_steps_has_no_certificate():
    with pytest.raises(AttncalcError, match="expected steps to certify"):
        write(solve(load({"given": {"x": [["1"]]}, "steps": {}})))
