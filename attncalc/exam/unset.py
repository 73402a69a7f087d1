"""Whose papers show codes in place of signs that no font has, in words for the instructor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import counted, shorten
from ..write.signs import WHY, told
from .model import Student

Unset = dict[str, str]  # for each engine the signs for which a paper shows codes
MOST = 4  # students who are named
TEXTS = "the texts of the sheet"


def unset_signs(students: Iterable[Student], found: Iterable[Unset]) -> Iterator[str]:
    """A line for each engine that lacks signs: which, and in whose names or that it is the sheet's own texts."""
    lacking = [(_called(student), unset) for student, unset in zip(students, found, strict=True)]
    for engine in WHY:
        if line := unset_for([(name, unset.get(engine, "")) for name, unset in lacking], "the papers show", engine):
            yield line


def unset_for(lacking: list[tuple[str, str]], shown: str, engine: str = "typst") -> str:
    """The line for some people, each with the signs that an engine lacks; nothing where it lacks none."""
    signs = "".join(one for _, one in lacking)
    whose = [name for name, one in lacking if {*one} & {*name}]
    more = [counted(len(whose) - MOST, "more student")] if len(whose) > MOST else []
    texts = [TEXTS] if any({*one} - {*name} for name, one in lacking) else []
    return told(f"{_listed([*map(shorten, whose[:MOST]), *more, *texts])}: {shown}", signs, engine) if signs else ""


def _called(student: Student) -> str:
    return f"{student.name} ({student.number})" if student.name and student.number else student.name or student.number


def _listed(items: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
