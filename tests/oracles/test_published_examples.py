"""Published worked examples: the digits that the engine proves against the digits that the author printed."""

from decimal import ROUND_DOWN, Decimal
from functools import cache
from pathlib import Path

import yaml

from attncalc import load, solve
from tests.support.sweeps import for_each

EXAMPLES = Path(__file__).parents[1] / "data" / "examples"
ENOUGH = 80  # decimals that stand for the exact value: the smallest weight in print is 5e-51

# Steps that agree in print and still show other digits here, each with its reason; a test keeps the list short.
OTHER_DIGITS = {
    ("attention/18-deepml-94-multi-head", "example.H"): "exactly 0.5, which the author rounded to the even 0",
    ("blocks/04-aio-vietnam-final-exam-decoder", "q24.Q"): "exactly 2.25, which the author rounded to the even 2.2",
}


def read(stem, kind, loader=yaml.BaseLoader):
    return yaml.load((EXAMPLES / f"{stem}.{kind}").read_text(encoding="utf-8"), loader)


STEMS = sorted(str(path.relative_to(EXAMPLES)).removesuffix(".expect.json") for path in EXAMPLES.rglob("*.expect.json"))
STEPS = [(stem, step, kind) for stem in STEMS for step, kind in read(stem, "expect.json")["steps"].items()]


@cache
def solution(stem):
    return solve(load(EXAMPLES / f"{stem}.problem.yaml"))


@cache
def answers(stem):
    """`part.step`, or `step` alone, and what was printed: nested lists, a flat list, a block of text, or one number."""
    flat = {}
    for name, value in read(stem, "published.yaml")["answers"].items():
        flat |= {f"{name}.{step}": rows for step, rows in value.items()} if isinstance(value, dict) else {name: value}
    return flat


def rows_of(answer):
    if isinstance(answer, str):
        return [line.split() for line in answer.strip().splitlines()]
    return answer if isinstance(answer[0], list) else [answer]


def units(texts):
    """What one unit of the last digit is worth. Dropped zeros are filled up, so the longest entry speaks for all."""
    own = [Decimal(1).scaleb(Decimal(text).as_tuple().exponent) for text in texts]
    return own if any("e" in text for text in texts) else [min(own)] * len(own)


def entries(stem, step):
    """The cells of one printed step: (row, column, printed value, unit of its last digit)."""
    rows, (n, m) = rows_of(answers(stem)[step]), solution(stem)[step].shape
    if len(rows) == 1 and m == 1:
        rows = [[text] for text in rows[0]]  # a flat list serves for a column
    assert [len(row) for row in rows] == [m] * n, "another shape in print"
    texts = [(i, j, text) for i, row in enumerate(rows) for j, text in enumerate(row)]
    return [(i, j, Decimal(text), unit) for (i, j, text), unit in zip(texts, units([text for *_, text in texts]))]


def verdict(cells):
    """How printed numbers stand to the exact ones, cell by cell: (exact, printed, unit)."""
    rounded = [abs(x - t) * 2 <= unit for x, t, unit in cells]
    cut = [(x / unit).to_integral_value(ROUND_DOWN) * unit == t for x, t, unit in cells]
    if all(rounded):
        return "agrees"
    if all(r or c for r, c in zip(rounded, cut)):
        return "truncated"
    return "last-digit" if all(abs(x - t) * 2 <= 3 * unit for x, t, unit in cells) else "wrong"


@for_each("stem, step, expected", STEPS, quick=15)
def test_a_printed_step_reads_as_expected(stem, step, expected):
    exact = solution(stem)[step].decimals(ENOUGH)
    assert verdict([(Decimal(exact[i][j]), t, unit) for i, j, t, unit in entries(stem, step)]) == expected


@for_each("stem, step", [(stem, step) for stem, step, kind in STEPS if kind == "agrees"], quick=10)
def test_a_step_that_agrees_prints_the_same_digits(stem, step):
    cells = entries(stem, step)
    shown = {unit: solution(stem)[step].decimals(-unit.adjusted()) for *_, unit in cells}
    same = all(Decimal(shown[unit][i][j]) == t for i, j, t, unit in cells)
    assert same is ((stem, step) not in OTHER_DIGITS)


def test_nothing_is_left_out():
    problems = {
        str(path.relative_to(EXAMPLES)).removesuffix(".problem.yaml") for path in EXAMPLES.rglob("*.problem.yaml")
    }
    assert problems == set(STEMS) and len(STEMS) == 37 and len(STEPS) == 198
    assert {(stem, step) for stem in STEMS for step in answers(stem)} == {(stem, step) for stem, step, _ in STEPS}
    assert set(OTHER_DIGITS) <= {(stem, step) for stem, step, kind in STEPS if kind == "agrees"}
