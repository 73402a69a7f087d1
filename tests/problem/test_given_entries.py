"""What an entry of a given matrix may be read as: one number, and never silently another matrix."""

from __future__ import annotations

import pytest

from attncalc import AttncalcError
from attncalc.problem.loader import read_problem
from tests.support.sweeps import for_each


def entries(written: str) -> tuple[tuple[str, ...], ...]:
    problem = read_problem(f"given: {{x: [1, 2], a: {written}}}\nsteps: {{y: a * 1}}\n", "p.yaml", "p")
    return problem.plan.entries["given:a"].texts


@for_each("first", ["2", "0.5", "1/3", "sqrt(2)", "e", "2 * pi", "(1 - 2)"])
@for_each("second", ["-1", "−1", "-0.5", "-sqrt(3)", "-(1 + 2)", "-pi", "+1", "+sqrt(3)", "+(1 + 2)", "+pi"])
def test_law_two_numbers_without_a_comma_are_not_a_difference(first, second):
    for written in ("{} {}", "[{} {}]", "[{} {}, 3]", "[[{} {}], [1]]", "[3, {}   {}]"):
        with pytest.raises(AttncalcError, match=r"expected one number, found .* for two entries, or"):
            entries(written.format(first, second))
    sign = second[0].replace("−", "-")
    for between in (f" {sign} ", sign):
        assert len(entries(f"[3, {first}{between}{second[1:]}]")[0]) == 2


@for_each("written", [
    "[1,000, 2,500]", "[1.5e3, 1,000]", "[1,500, 2,500]", "[[1,000, 2,000], [3,000, 4,000]]", "[-1,000, 2]", "[1,002]", "[1, 2,100.5]",
])  # fmt: skip
def test_a_comma_between_thousands_is_refused(written):
    with pytest.raises(AttncalcError, match=r"if it separates thousands, write -?[1-9][0-9]{3}"):
        entries(written)


@for_each(("written", "count"), [
    ("[1,500]", 2), ("[1, 500, 200]", 3), ("[1,200,300]", 3), ("[007, 1]", 2), ("[0,100, 200]", 3), ("[1,0,1, 0]", 4), ("[1,500,20, 3]", 4),
])  # fmt: skip
def test_other_commas_are_between_entries(written, count):
    assert len(entries(written)[0]) == count


@for_each("formula", ["2 inf", "inf x", "x^inf", "inf * x", "x - inf"])
def test_law_a_given_with_the_name_of_a_constant_is_refused_beside_any_formula(formula):
    for name in ("inf", "pi", "π"):
        with pytest.raises(AttncalcError, match=f"{name} is a constant; choose a different name for this given"):
            read_problem(f"given: {{x: [1, 2], {name}: 2}}\nsteps: {{R: '{formula.replace('inf', name)}'}}\n", "p", "p")


@pytest.mark.parametrize(
    "written", ["[0,001, 0,002]", "[10,00]", "[2,5, 3,5]", "[[0,5, 1,5], [2,5, 3,5]]", "[-0,5, 1,25]"]
)
def test_law_decimal_commas_are_refused_with_both_readings(written):
    with pytest.raises(AttncalcError, match=r"write (-?\d+)\.(\d+) or \1, \2"):
        entries(written)


@pytest.mark.parametrize("written", ["[1,2,3,4]", "[1, 2, 3, 4]", "[1,2, 3]", "[0,1]"])
def test_commas_between_entries_are_no_decimal_commas(written):
    assert len(entries(written)[0]) == written.count(",") + 1
