"""The table of what takes long names tests that exist, and leaves some cases of every sweep in the quick run."""

import re
from functools import cache
from pathlib import Path

from slow import CI_CASES, QUICK_CASES, few


@cache
def functions_in(file):
    (path,) = Path(__file__).parent.rglob(file)
    return set(re.findall(r"^def (\w+)", path.read_text(encoding="utf-8"), re.M))


def test_what_takes_long_exists():
    named = [test.split("::") for test in QUICK_CASES]
    assert [f"{file}::{name}" for file, name in named if name not in functions_in(file)] == []
    assert set(CI_CASES) <= set(QUICK_CASES)


def test_a_few_are_spread_evenly():
    assert few(range(10), 4) == [0, 3, 6, 9]
    assert few(range(3), 5) == [0, 1, 2]
    assert few(range(9), 1) == [0]
    assert few(range(9), 0) == []
