"""Warnings about characters that no font has. They name the students whose papers show codes instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import counted, listed, shorten
from ..render.glyph_codes import WHY, glyph_code_warning
from .sheet.model import Student

MissingGlyphs = dict[str, str]  # the characters for which a paper shows codes, by engine
MOST = 4  # students who are named
TEXTS = "the texts of the exam sheet"


def missing_glyph_warnings(students: Iterable[Student], glyphs_by_engine: Iterable[MissingGlyphs]) -> Iterator[str]:
    """Yield a line for each engine that lacks glyphs: the characters, and the students or texts that contain them."""
    missing_by_name = [
        (_student_label(student), missing) for student, missing in zip(students, glyphs_by_engine, strict=True)
    ]
    for engine in WHY:
        if line := missing_glyph_warning(
            [(student_name, unset.get(engine, "")) for student_name, unset in missing_by_name],
            "the papers show",
            engine,
        ):
            yield line


def missing_glyph_warning(missing_by_name: list[tuple[str, str]], place: str, engine: str = "typst") -> str:
    """Return the line about the names of people, each with the characters that an engine lacks; empty if it
    lacks none.
    """
    signs = "".join(glyphs for _, glyphs in missing_by_name)
    names = [name for name, glyphs in missing_by_name if {*glyphs} & {*name}]
    more = [counted(len(names) - MOST, "more student")] if len(names) > MOST else []
    texts = [TEXTS] if any({*glyphs} - {*name} for name, glyphs in missing_by_name) else []
    return (
        glyph_code_warning(f"{listed([*map(shorten, names[:MOST]), *more, *texts])}: {place}", signs, engine)
        if signs
        else ""
    )


def _student_label(student: Student) -> str:
    return f"{student.name} ({student.number})" if student.name and student.number else student.name or student.number
