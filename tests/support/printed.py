"""Matrices as pages print them: a small parser for each medium, which knows nothing of how attncalc writes.

Each gives the cells of a matrix as a pocket calculator reads them (`calculator.read`), and the names that the page
gives it: those above or below it first, then what the equation or the section that it stands in is about.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from tests.support.calculator import from_tex

DIGIT = re.compile(r"\d")


@dataclass
class Printed:
    """A matrix on a page."""

    cells: list[list[str]]
    names: list[str]
    where: list[str] = field(default_factory=list)  # the headings that it stands under

    @property
    def has_numbers(self) -> bool:
        return any(DIGIT.search(cell) for row in self.cells for cell in row)


# -- terminals and plain text ------------------------------------------------------------------------------------------

_ROW = re.compile(r"[⎡⎢⎣\[|] +((?:[^⎡⎢⎣⎤⎥⎦\[\]|]|\[(?! ))+?) +[⎤⎥⎦\]|](?!\w)")
_PART = re.compile(r"^(?:──|--) (.+?) (?:──|--)")
_HEAD = re.compile(r"^ +(?:[▸▾+-] ([^\W\d][\w.]*)|([^\W\d][\w.]*) [=≈~] )")
_FOLDED = re.compile(r"^ +[▸▾+-] ([^\W\d][\w.]*)")


def of_text(page: str) -> Iterator[Printed]:
    """Rows between tall brackets that stand under each other, and single rows between square ones."""
    lines = [_in_columns(line) for line in page.splitlines()]
    rising: dict[int, Printed] = {}
    head, where, inside = "", ["", ""], 0
    for k, line in enumerate([*lines, ""]):
        if found := _PART.match(line):
            where = [found[1], ""]
        elif found := _FOLDED.match(line):
            where[1], inside = found[1], found.start(1) - 2
        seen: dict[int, Printed] = {}
        for m in _ROW.finditer(line):
            cells = re.split(r" {2,}", m[1].replace("\0", "").strip())
            if m[0][0] in "⎢⎣|" and m.start() in rising:
                seen[m.start()] = rising.pop(m.start())
                seen[m.start()].cells.append(cells)
            else:
                above = [name for n in (1, 2) for name in _over(lines[k - n] if k >= n else "", *m.span())]
                seen[m.start()] = Printed([cells], [*above, head], list(where))
        yield from rising.values()
        rising = seen
        if not seen and (found := _HEAD.match(line)):
            head = found[1] or found[2]
            if found[2] and found.start(2) <= inside + 1:
                where[1] = ""  # an equation further out than the lesson's own


def _in_columns(line: str) -> str:
    """A line with a sign for each column of a terminal: wide signs take two."""
    return "".join(c + "\0" if unicodedata.east_asian_width(c) in "WF" else c for c in line)


def _over(line: str, start: int, end: int) -> Iterator[str]:
    """What stands over the columns of a matrix, words that belong together in one."""
    for m in re.finditer(r"\S+(?: \S+)*", line):
        if m.start() < end and m.end() > start:
            yield m[0].replace("\0", "")


# -- Markdown and LaTeX ------------------------------------------------------------------------------------------------

_TEX_MATRIX = re.compile(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}|\\bordered\{(.*?\\cr) \}", re.S)
_TABLE = re.compile(r"^\| (\$`.*?`\$|) ?\|.*\n\| :---.*\n((?:\|.*\n?)+)", re.M)
_TEX_HEAD = re.compile(r"(?:\$`|\\sides\{)(.+?)(?: (?:=|\\approx) |`\$)")
_HASHES = re.compile(r"^(#{2,}) (.*)$|\\subsection\*\{(.*?)\\hfill", re.M)


def of_tex(page: str) -> Iterator[Printed]:
    """Matrices in formulas and tables, in the order of the page."""
    starts = [(m.start(), m) for pattern in (_TEX_MATRIX, _TABLE, _TEX_HEAD, _HASHES) for m in pattern.finditer(page)]
    head, where = "", ["", ""]
    for at, m in sorted(starts, key=lambda found: found[0]):
        if m.re is _TEX_HEAD:
            head = m[1] if page[max(0, at - 1)] in "\n{" or page[at] == "\\" else head
        elif m.re is _HASHES:
            title = (m[2] or m[3] or "").partition(":")[0].replace("\\", "")
            where = [title, ""] if m[3] or m[1] == "##" else [where[0], title]
            head = title
        elif m.re is _TABLE:
            rows = [line.strip("| \n").split(" | ")[1:] for line in m[2].splitlines()]
            yield Printed([list(map(_tex_cell, row)) for row in rows], [m[1].strip("$` "), head], list(where))
        elif m[2]:
            rows = [row.split(" & ")[1:] for row in m[2].split(r"\cr")[1:-1]]
            yield Printed([list(map(_tex_cell, row)) for row in rows], [_under(page, at), head], list(where))
        elif not page[page.rfind("\n", 0, at) + 1 :].startswith(("$`", r"\sides{")):  # a formula may state a matrix
            rows = [row.split(" & ") for row in m[1].split(r" \\ ")]
            yield Printed([list(map(_tex_cell, row)) for row in rows], [_under(page, at), head], list(where))


def _under(page: str, at: int) -> str:
    """The first group of `\\underset{name}{` before a place."""
    line = page[page.rfind("\n", 0, at) + 1 : at]
    found = re.search(r"\\underset\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}\{$", line)
    return found[1] if found else ""


def _tex_cell(text: str) -> str:
    text = re.sub(r"\\(?:wrong|should|mathbf)\{(.*)\}", r"\1", text.strip())
    text = text.replace("**", "").replace("$`", "").replace("`$", "").replace("✗", "").replace(r"\approx", "").strip()
    return text if text in (r"\cdot", r"-\infty") else from_tex(text).strip()


# -- Typst -------------------------------------------------------------------------------------------------------------

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_TYPST_MATRIX = re.compile(r'matrix\(\s+"((?:[^"\\]|\\.)*)",\s+\(\n((?: +\(.*\),\n)+) +\)')
_TYPST_HEAD = re.compile(r'#(part|section|formula)\((?:\d+, )?"((?:[^"\\]|\\.)*)"')
_TYPST_CELL = re.compile(r'(?:\w+\()?(?:[\d.]+, )?"((?:[^"\\]|\\.)*)"(?:, (\$.*?\$))?\)?|hidden')


def of_typst(page: str) -> Iterator[Printed]:
    """Calls of `matrix`; what a screen reader says of one is a matrix more, which must be right as well."""
    head, where = "", ["", ""]
    found = sorted([*_TYPST_MATRIX.finditer(page), *_TYPST_HEAD.finditer(page)], key=lambda m: m.start())
    for m in found:
        if m.re is _TYPST_HEAD:
            head = re.split(r" equals | is about ", m[2])[0]
            where = [m[2], ""] if m[1] == "part" else [where[0], m[2]] if m[1] == "section" else where
            continue
        names = [m[1].partition(" (")[0], head]
        yield Printed(
            [[_typst_cell(one) for one in _TYPST_CELL.finditer(row)] for row in m[2].splitlines()], names, list(where)
        )
        yield Printed([[_heard(x) for x in row] for row in _said(m[1])], names, list(where))


def _typst_cell(m: re.Match[str]) -> str:
    if m[0] == "hidden":
        return "·"
    return _typst_maths(m[2].strip("$")) if m[2] else m[1]


def _typst_maths(text: str) -> str:
    text = (
        text.replace("-infinity", "−∞")
        .replace(" dot ", "·")
        .replace("approx", "")
        .replace("sqrt(", "√(")
        .replace(" pi", " π")
    )
    while (
        found := re.search(r"frac\(((?:[^(),]|\([^()]*\))*), ((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)", text)
    ) is not None:
        text = text[: found.start()] + f"(({found[1]}) / ({found[2]}))" + text[found.end() :]
    return text.strip()


def _said(text: str) -> Iterator[list[str]]:
    rows = text.partition("): ")[2].split("; ")
    for row in rows[rows[0].startswith("columns ") :]:
        yield row.rpartition(": ")[2].split(", ")


def _heard(text: str) -> str:
    """A number as it is said; what is said of formulas is not worked out."""
    text = text.removeprefix("wrong ").removeprefix("should be ").replace("minus infinity", "−∞").replace("minus ", "−")
    return {"hidden": "·"}.get(text, text if re.fullmatch(r"−?[\d.]+|−∞", text) else "…")


# -- HTML --------------------------------------------------------------------------------------------------------------


def of_html(page: str) -> Iterator[Printed]:
    """Tables, with what their cells hold in MathML."""
    closed = page + "</body>" * (page.count("<body>") - page.count("</body>"))
    head, where = "", ["", ""]
    try:
        page_as_xml = ElementTree.fromstring(closed)
    except ElementTree.ParseError:
        return
    for one in page_as_xml.iter():
        if re.fullmatch("h[2-6]", one.tag):
            head = re.split(r" equals | is about ", one.get("aria-label") or _words(one).split(" ")[0])[0]
            where = (
                [head, ""]
                if one.tag == "h2" and one.get("dir")
                else [where[0], head]
                if "line" not in one.get("class", "")
                else where
            )
        elif one.tag == "table" and one.get("class", "").split(" ")[0] in ("matrix", "number"):
            rows = [[_html_cell(cell) for cell in row.iter("td")] for row in one.findall("tbody/tr")]
            below = "".join(_maths(x) for x in one.findall("tfoot//math"))
            yield Printed(rows, [below, one.get("aria-label", ""), head], list(where))


def _words(one: ElementTree.Element) -> str:
    return "".join(one.itertext()).strip()


def _html_cell(cell: ElementTree.Element) -> str:
    return "".join(
        [cell.text or "", *(_maths(x) + (x.tail or "") if x.tag == "math" else x.tail or "" for x in cell)]
    ).strip()


def _maths(one: ElementTree.Element) -> str:
    parts = [_maths(x) for x in one]
    around: dict[str, Callable[[], str]] = {
        "mfrac": lambda: f"(({parts[0]}) / ({parts[1]}))", "msup": lambda: f"{parts[0]}^({parts[1]})",
        "msqrt": lambda: f"√({''.join(parts)})",
        "msub": lambda: "_".join(parts), "msubsup": lambda: "_".join(parts),
    }  # fmt: skip
    return around[one.tag]() if one.tag in around else (one.text or "").replace("\u2061", "") + "".join(parts)


READERS = {".txt": of_text, ".md": of_tex, ".tex": of_tex, ".typ": of_typst, ".html": of_html}
