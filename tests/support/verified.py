"""Whether every matrix on a page is right: found by its name, and compared entry by entry with what a second reader
works out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mpf

from tests.support.calculator import lines_of_markdown, lines_of_text, read, rounds_to, value
from tests.support.printed import READERS, Printed
from tests.support.second_reader import INFINITY, Formula, Matrix, real, turned

SAME = mpf(10) ** -40
HIDDEN, DOTS = ("·", r"\cdot", "."), ("…", "⋯", "⋮")
INFINITE = ("−∞", "-∞", r"-\infty", "-inf", "−inf")
MARKS = re.compile(r"[✗→≈~!>]")
YOURS, RIGHT = "yours", ("correct", "solution")

Known = dict[str, Matrix]


# -- entries -----------------------------------------------------------------------------------------------------------


def says(cell: str, x) -> bool:
    """Whether a printed cell is what a number rounds to; a whole number and a closed form are exactly it."""
    cell = MARKS.sub("", cell).strip()
    if abs(x) == INFINITY:
        return cell in (INFINITE if x < 0 else ("∞",))
    if cell in HIDDEN:
        return x == 0
    printed = read(cell.replace("*", "·"))
    if printed is None or (inside := value(printed)) is None:
        return cell in DOTS
    if printed.kind == "number" and printed.unit != 1:
        return rounds_to(x, printed)
    return abs(real(inside) - real(x)) <= SAME * min(1, abs(real(x)))  # small numbers have all their digits, too


def is_shown(cells: list[list[str]], x: Matrix) -> bool:
    """Whether cells are a matrix, or some of its columns that stand beside each other, as wide ones are broken."""
    n, m = len(cells), len(cells[0])
    if n != len(x) or any(len(row) != m for row in cells):
        return False
    blocks = ([row[j : j + m] for row in x] for j in range(len(x[0]) - m + 1))
    return any(
        all(says(cell, one) for row, line in zip(cells, block) for cell, one in zip(row, line)) for block in blocks
    )


# -- names -------------------------------------------------------------------------------------------------------------

_GREEK = {"γ": "gamma", "β": "beta", "ε": "eps", "η": "eta", "λ": "lambda", "α": "alpha"}
_TURNED = re.compile(r"ᵀ|\^\{?\\top\}?|\^T\b| transposed|\^\(T\)")
_SETTING = re.compile(r"\\(?:mathrm|text|textstyle|left|right)\b")
_SLICED = re.compile(r"([\w.]+)(\[[\d:, ]+\])")


def words(name: str) -> tuple[str, ...]:
    """The words of a name in any notation: S_scaled, `S_{\\text{scaled}}` and S scaled have the same."""
    for sign, word in _GREEK.items():
        name = name.replace(sign, word)
    return tuple(sorted(re.findall(r"[^\W_]+", _SETTING.sub(" ", name).replace("\\", " "))))


@dataclass
class Names:
    """The names that go for each given and step: with its part and its lessons before it, or without."""

    known: Known

    def __post_init__(self) -> None:
        self.of: dict[tuple[str, ...], list[str]] = {}
        self.groups: dict[tuple[str, ...], list[str]] = {}
        for full in self.known:
            path = full.split(".")
            for k in range(len(path)):
                self.of.setdefault(words(".".join(path[k:])), []).append(full)
                for end in range(k + 1, len(path)):
                    self.groups.setdefault(words(".".join(path[k:end])), []).append(full)

    def find(self, name: str, where: Sequence[str]) -> list[str]:
        """The givens and steps of a name under some headings; a folded lesson is its last step."""
        key = words(name)
        if not key:
            return []
        found = _under(self.of.get(key, []), where)
        return found or _under(self.groups.get(key, []), where)[-1:]

    def matrices(self, printed: Printed) -> list[Matrix]:
        """What the first name that is known stands for."""
        for name in map(str.strip, printed.names):
            plain = _TURNED.sub("", name)
            if sliced := _SLICED.fullmatch(plain):
                found = [
                    Formula({"x": self.known[one]}).of("x" + _as_in_python(sliced[2]))
                    for one in self.find(sliced[1], printed.where)
                ]
            else:
                found = [self.known[one] for one in self.find(plain, printed.where)]
            if found:
                return [turned(x) for x in found] if plain != name else found
        return []


def _as_in_python(places: str) -> str:
    """`[:, 1:2]`, which takes two columns on a page, as `[:, 0:2]`, and `[1]` as `[0]`."""
    return re.sub(r"\d+(?=:)|(?<![:\d])\d+(?=[,\]])", lambda found: str(int(found[0]) - 1), places)


def _under(found: list[str], where: Sequence[str]) -> list[str]:
    """Those that belong under the headings, where any do."""
    for heading in where:
        inside = [one for one in found if heading and f".{heading}." in f".{one}"]
        found = inside or found
    return found


def _of_report(printed: Printed) -> Printed:
    """What a report calls right goes by the name of its step; what it calls yours, or nothing, is what was typed for
    it.
    """
    called = {words(name) for name in printed.names}
    own = [name for name in printed.names if words(name) not in ((YOURS,), *((word,) for word in RIGHT))]
    headings = [re.sub(r" \([^)]*\)$", "", heading) for heading in printed.where]
    return Printed(printed.cells, own, [RIGHT[0] if any((word,) in called for word in RIGHT) else YOURS, *headings])


# -- pages -------------------------------------------------------------------------------------------------------------


def matrices(page: str, ending: str) -> list[Printed]:
    """The matrices of a page in which any number stands."""
    return [one for one in READERS[ending](page) if one.has_numbers]


def wrong(page: str, ending: str, known: Known, report: bool = False) -> list[Printed]:
    """The matrices of a page that are not what they are called, correctly rounded."""
    names = Names(known)
    found = [_of_report(one) if report else one for one in matrices(page, ending)]
    return [one for one in found if not any(is_shown(one.cells, x) for x in names.matrices(one))]


def wrong_ends(page: str, ending: str, known: Known) -> list[str]:
    """The worked lines whose last number is neither the number of their step nor, where it is a matrix, any entry of
    it.
    """
    names = Names(known)
    reader = {".txt": lines_of_text, ".md": lines_of_markdown}.get(ending, lambda page: [])
    found = []
    for line in reader(page):
        end = read(line.sides[-1][1])
        entries = [
            x
            for full in names.find(line.head.partition("[")[0].partition(r"\text{[")[0], ())
            for row in known[full]
            for x in row
        ]
        is_said = end is not None and end.kind == "number" and line.lead != YOURS
        if is_said and entries and not any(says(line.sides[-1][1], x) for x in entries):
            found.append(str(line))
    return found
