"""Of a sweep some cases are run, from the first to the last; and one test for many cases reports each that fails."""

import pytest

from tests.support.sweeps import few, for_each, parts


def test_a_few_are_spread_evenly():
    assert few(range(10), 4) == [0, 3, 6, 9]
    assert few(range(3), 5) == [0, 1, 2]
    assert few(range(9), 1) == [0]
    assert few(range(9), 0) == []


@for_each("quick", [0, 1, 3, 20])
@for_each("ci", [None, True, 0, 5])
def test_each_case_is_run_in_one_part(quick, ci):
    first, more, others = parts(range(20), quick, ci)
    assert sorted(first + more + others) == [*range(20)] and len(first) == quick
    assert len(more) >= 1 or ci == 0 or quick > 5


def swept(test):
    """The cases of a test, with the mark of each part."""
    return [(one.values[0], [mark.name for mark in one.marks]) for one in test.pytestmark[0].args[1]]


def test_one_test_reports_each_case_that_fails():
    @for_each("a, b", [(1, 1), (1, 2), pytest.param(3, 4, id="three"), (5, 5)])
    def test(a, b):
        with pytest.raises(ZeroDivisionError):
            1 / (a - b)

    ((rows, marks),) = swept(test)
    assert not marks
    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases fail\ncase: 1, 2\ncase: three") as caught:
        test(rows)
    assert [error.__notes__ for error in caught.value.exceptions] == [["case: 1, 2"], ["case: three"]]
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test(rows[:2])
    test(rows[3:])


def test_two_tables_are_one_with_each_pair_of_cases():
    seen = []

    @for_each("b", "xyz", quick=2, ci=4, ids=str.upper)
    @for_each("a", [1, 2])
    def test(a, b, given):
        seen.append((a, b, given))

    cases = swept(test)
    assert [marks for _, marks in cases] == [[], ["slow"], ["slow", "exhaustive"]]
    for rows, _ in cases:
        test(rows, given=0)
    assert [name for rows, _ in cases[:1] for name, _ in rows] == ["1-X", "2-Z"]
    assert sorted(seen) == [(a, b, 0) for a in (1, 2) for b in "xyz"]
