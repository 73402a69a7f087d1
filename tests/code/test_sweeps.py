"""Of a sweep some cases are run, from the first to the last."""

from tests.support.sweeps import few


def test_a_few_are_spread_evenly():
    assert few(range(10), 4) == [0, 3, 6, 9]
    assert few(range(3), 5) == [0, 1, 2]
    assert few(range(9), 1) == [0]
    assert few(range(9), 0) == []
