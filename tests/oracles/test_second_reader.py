"""Golden pages of every medium are verified by a reader that shares no code with attncalc, and it notices an altered
digit.
"""

import random
import re
import shlex
from itertools import islice

import pytest

from tests.explain.test_report_document import SCRIPTS
from tests.render.test_html import HOSTILE_PROBLEM
from tests.render.test_html import SHOWN as WEB
from tests.support.pages import GOLDEN, SHOWN, numbers, reported
from tests.support.sweeps import for_each
from tests.support.verified import Names, matrices, words, wrong, wrong_ends

PAGES = [path for path in sorted(GOLDEN.rglob("*.*")) if path.suffix != ".yaml"]
WITH_MATRICES = [path for path in PAGES if path.stem not in ("nothing", "right")]
DIGITS = re.compile(r"\d")


def name_of(path):
    return f"{path.parent.name}-{path.name}"


def solved_by(command):
    """Every given and step of the problem that a golden page's command solves."""
    said = shlex.split(command)
    return numbers(said[said.index("solve") + 1], int(said[said.index("--digits") + 1]) if "--paper" in said else None)


def read(path):
    """A golden page, and what stands on it by the second reader."""
    text = path.read_text(encoding="utf-8")
    if path.parent == GOLDEN:
        command, _, page = text.partition("\n")
        return page, solved_by(command)
    if path.parent.name == "report":
        return text, reported(*SCRIPTS[path.stem.partition("-")[0]])
    problem = WEB[path.stem][0] if path.parent.name == "html" else SHOWN[path.stem][0]
    return text, numbers(HOSTILE_PROBLEM if problem == "hostile" else problem)


def faults(path, page, known):
    return wrong(page, path.suffix, known, path.parent.name == "report")


@for_each("path", PAGES, ids=name_of, quick=3)
def test_golden_pages_are_right_by_a_second_reader(path):
    page, known = read(path)
    assert bool(matrices(page, path.suffix)) == (path in WITH_MATRICES)
    assert not faults(path, page, known)
    assert not wrong_ends(page, path.suffix, known)


@for_each("path", WITH_MATRICES, ids=name_of, quick=5)
def test_an_altered_digit_is_noticed(path):
    page, known = read(path)
    assert faults(path, next(altered(path, page)), known)


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_MATRICES, ids=name_of)
def test_many_altered_digits_are_noticed(path):
    page, known = read(path)
    for other in islice(altered(path, page), 5):
        assert faults(path, other, known), [(a, b) for a, b in zip(page.splitlines(), other.splitlines()) if a != b]


def altered(path, page):
    """The page with one digit altered that belongs to an entry of a matrix, by turns, drawn by the page's name."""
    draw = random.Random(name_of(path))
    places = [m.start() for m in DIGITS.finditer(page)]
    before = cells(path, page)
    for at in draw.sample(places, len(places)):
        other = f"{page[:at]}{(int(page[at]) + draw.randint(1, 9)) % 10}{page[at + 1 :]}"
        after = cells(path, other)
        if after != before and [name for _, name in after] == [name for _, name in before]:
            yield other


def cells(path, page):
    return [(one.cells, (one.names, one.where)) for one in matrices(page, path.suffix)]


# -- names -------------------------------------------------------------------------------------------------------------


@for_each(
    "notations",
    [
        ("S_scaled", r"S_{\text{scaled}}", "S scaled"),
        ("cross_W_Q", r"{W_{Q}^{\text{cross}}}", "cross W Q"),
        ("queries.X_rot", r"\mathrm{queries}.X_{\text{rot}}", "queries.X rot"),
        ("γ", "gamma", r"\gamma"),
    ],
)
def test_a_name_has_the_same_words_in_any_notation(notations):
    assert len(set(map(words, notations))) == 1


def test_a_matrix_goes_by_its_name_and_its_part():
    known = {"a.S": [[1]], "a.Z": [[2]], "b.S": [[3]], "b.one.Y": [[4]], "b.two.Y": [[5]], "b.two.Z": [[6]]}
    find = Names(known).find
    assert find("S", ["a", ""]) == ["a.S"] and find("S", []) == ["a.S", "b.S"] and find("a.S", ["b"]) == ["a.S"]
    assert find("two", ["b"]) == ["b.two.Z"] and find("Y", ["b", "one"]) == ["b.one.Y"] and not find("Q", [])


def test_a_matrix_under_the_name_of_another_is_wrong():
    page = (GOLDEN / "masked-80.txt").read_text(encoding="utf-8").partition("\n")
    known = solved_by(page[0])
    part = next(iter(known)).partition(".")[0]
    swapped = known | {f"{part}.Q": known[f"{part}.K"], f"{part}.K": known[f"{part}.Q"]}
    assert not wrong(page[2], ".txt", known) and len(wrong(page[2], ".txt", swapped)) >= 2
