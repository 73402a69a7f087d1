"""The figures of a class for people (a Document) and for programs (JSON)."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import counted
from ..explain.document import Block, Document, Heading, Paragraph, Table
from ..files import as_json
from .points import points
from .statistics import LEAST, MISSING, RIGHT, ClassFigures

HIDDEN = "hidden"
OTHERS = {RIGHT: "scripts without any error", MISSING: "scripts without any answer"}
WORDS = {
    "facility": "facility: the mean share of a step's marks",
    "discrimination": "discrimination: how strongly a step's marks correlate with the rest (corrected point-biserial correlation)",
    "hidden": f"{HIDDEN}: a count from 1 to {LEAST - 1}, or one that would reveal such a count",
}


def count_text(count: int | None) -> str:
    """A count; a dash where it is too small to be shown."""
    return HIDDEN if count is None else str(count)


def percent(x: float | None) -> str:
    """`62 %`; a dash where there is no figure."""
    return "–" if x is None else f"{100 * x:.0f} %"


def number(x: float | None) -> str:
    """`0.41`; a dash where there is no figure."""
    return "–" if x is None else f"{x:.2f}".replace("-", "−")


def summary(found: ClassFigures) -> list[str]:
    """The first lines: how many scripts, how they went."""
    failed = f", {found.failed} of them not graded" if found.failed else ""
    look = f", {found.look} to be checked by a person (see the column status of the table)" if found.look else ""
    lines = [counted(found.scripts, "script") + failed + look]
    if found.mean is not None:
        lines.append(f"mean {percent(found.mean)}, median {percent(found.median)}, standard deviation {percent(found.spread)}")
    elif found.scripts:
        lines.append(f"statistics need at least {LEAST} scripts")
    return lines


def step_rows(found: ClassFigures) -> Iterable[tuple[str, str, str, str, str]]:
    """For each step its points, its facility, its discrimination, and how many scripts broke there."""
    for one in found.steps:
        yield one.step, points(one.out_of), percent(one.facility), number(one.discrimination), count_text(one.broke)


def other_rows(found: ClassFigures) -> Iterable[tuple[str, str]]:
    """How many scripts ended in other ways than by a mistake."""
    return ((OTHERS.get(name, name), count_text(count)) for name, count in found.ends.items())


def mistake_rows(found: ClassFigures) -> Iterable[tuple[str, str, str]]:
    """How many scripts made a mistake, and their share of those that were graded."""
    total = found.scripts - found.failed
    for name, count in found.mistakes:
        if count is not None:
            yield name, count_text(count), percent(count / total)


def rare(found: ClassFigures) -> str:
    """The mistakes of a few in one line."""
    names = [name for name, count in found.mistakes if count is None]
    return f"in fewer than {LEAST} scripts each: {', '.join(names)}" if names else ""


STEPS, MISTAKES = ("step", "points", "facility", "discrimination", "first error here"), ("mistake", "scripts", "share")


def class_document(found: ClassFigures) -> Document:
    """The report on a class as a Document, for every medium."""
    blocks: list[Block] = [Heading(found.title), *(Paragraph(line, "ask") for line in summary(found))]
    blocks += [Heading("Steps", 2), Table(STEPS, tuple(step_rows(found)), frozenset({1, 2, 3, 4}))] if found.steps else []
    blocks += [Paragraph(f"{name}: {count}", "ask") for name, count in other_rows(found)]
    rows, few = tuple(mistake_rows(found)), rare(found)
    blocks += [Heading("Mistakes", 2)] if rows or few else []
    blocks += [Table(MISTAKES, rows, frozenset({1, 2}))] if rows else []
    blocks += [Paragraph(few, "ask")] if few else []
    return Document([*blocks, *(Paragraph(line, "fine") for line in WORDS.values())])


def figures_as_json(found: ClassFigures) -> str:
    """The same for programs; a hidden count is null. Figures have two decimals: more would tell hidden counts."""
    total = found.scripts - found.failed
    data = {
        "title": found.title,
        "scripts": found.scripts,
        "not_graded": found.failed,
        "to_look_at": found.look,
        "mean": _rounded(found.mean),
        "median": _rounded(found.median),
        "standard_deviation": _rounded(found.spread),
        "steps": [
            {
                "step": one.step,
                "out_of": float(one.out_of),
                "facility": _rounded(one.facility),
                "discrimination": _rounded(one.discrimination),
                "first_wrong": one.broke,
            }
            for one in found.steps
        ],
        "others": found.ends,
        "mistakes": [
            {"codes": name.split(" or "), "scripts": count, "share": _rounded(count / total if count else None)}
            for name, count in found.mistakes
        ],
        "hidden_below": LEAST,
        "discrimination": "corrected point-biserial correlation",
    }
    return as_json(data)


def _rounded(x: float | None) -> float | None:
    return None if x is None else round(x, 2)
