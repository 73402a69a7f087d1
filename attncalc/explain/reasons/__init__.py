"""The reason for each step of each lesson, and a common mistake: two sentences each, in the .ini files of this folder.

`common.ini` has the reasons that lessons share. Each other file has the name of a module of attncalc/lessons/, and a
section for each of its lessons. Fields such as `{row}` and `{Xᵀ · dQ}` depend on whether tokens are rows or columns.
"""

from __future__ import annotations

import os
from configparser import ConfigParser
from functools import cache

from ...lessons import FILES, LESSONS
from ...lessons.lesson import without_head

COMMON = "common"
SIDES = ("row", "column"), ("Row", "Column"), ("left", "right")


class _RowFields(dict[str, str]):
    """The values of fields if tokens are rows: `{row}` is row, and `{Xᵀ · dQ}` is Xᵀ · dQ."""

    def __missing__(self, name: str) -> str:
        return name


class _ColumnFields(dict[str, str]):
    """The values of fields if tokens are columns: `{row}` is column, and `{Xᵀ · dQ}` is dQ · Xᵀ."""

    def __missing__(self, product: str) -> str:
        return " · ".join(reversed(product.split(" · ")))


ROW_FIELDS = _RowFields()
COLUMN_FIELDS = _ColumnFields({a: b for side, other in SIDES for a, b in ((side, other), (other, side))})


def reason(lesson: str, step: str, columns: bool = False) -> str:
    """Return the sentences about a step; empty if the step has no lesson. `columns` is True if tokens are columns."""
    sentences = lesson_reason(lesson, step) or common_reason(step) if lesson in FILES else ""
    return sentences.format_map(COLUMN_FIELDS if columns else ROW_FIELDS)


def lesson_reason(lesson: str, step: str) -> str:
    """Return the reason for a step in the section of its lesson."""
    table = _table(FILES[lesson], lesson)
    known = LESSONS[lesson].steps
    base = without_head(step)
    # Z_1 is the output of a head, and Z is the output of all heads
    names = [step, f"{base}_1", *([base] if base == step or base not in known else [])]
    return next((table[name] for name in names if name in table), "")


def common_reason(step: str) -> str:
    """Return the reason for a step with this name in any lesson."""
    table = _table(COMMON, "*")
    return table.get(step) or table.get(without_head(step), "")


def _table(file: str, lesson: str) -> dict[str, str]:
    """Return the steps in all sections of a file whose heading contains the lesson."""
    return {
        step: text for names, steps in sections(file).items() if lesson in names.split() for step, text in steps.items()
    }


class _Reader(ConfigParser):
    """A ConfigParser that does not change the case of names."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


@cache
def sections(name: str) -> dict[str, dict[str, str]]:
    """Return the sections of a file, each for one or several lessons; empty if the file does not exist."""
    reader = _Reader(interpolation=None, delimiters=("=",), comment_prefixes=(";",), default_section="")
    reader.read(os.path.join(os.path.dirname(__file__), f"{name}.ini"), encoding="utf-8")
    return {
        section: {step: " ".join(text.split()) for step, text in reader[section].items()}
        for section in reader.sections()
    }
