"""The reason for each step of each lesson and a common error in it: two sentences each, in the .ini files of this
folder.

`common.ini` has the reasons shared by all lessons; a file named after a module of attncalc/lessons/ has a section for
each of its lessons. Rows, columns, sides and products with a transpose are fields, such as `{row}` and `{Xᵀ · dQ}`,
since they depend on the layout of the tokens.
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
    """The fields of a sentence for tokens in rows: `{row}` is row, `{Xᵀ · dQ}` is that product."""

    def __missing__(self, name: str) -> str:
        return name


class _ColumnFields(dict[str, str]):
    """The fields of a sentence for tokens in columns: `{row}` is column, `{Xᵀ · dQ}` is `dQ · Xᵀ`."""

    def __missing__(self, product: str) -> str:
        return " · ".join(reversed(product.split(" · ")))


ROW_FIELDS = _RowFields()
COLUMN_FIELDS = _ColumnFields({a: b for side, other in SIDES for a, b in ((side, other), (other, side))})


def reason(lesson: str, step: str, columns: bool = False) -> str:
    """Return the sentences about a step; empty for steps of no lesson. `columns`: tokens are columns."""
    sentences = lesson_reason(lesson, step) or common_reason(step) if lesson in FILES else ""
    return sentences.format_map(COLUMN_FIELDS if columns else ROW_FIELDS)


def lesson_reason(lesson: str, step: str) -> str:
    """Return the reason that the lesson's section gives for a step."""
    table = _table(FILES[lesson], lesson)
    known = LESSONS[lesson].steps
    base = without_head(step)
    # Z_1 is the output of a head, Z that of all heads
    names = [step, f"{base}_1", *([base] if base == step or base not in known else [])]
    return next((table[name] for name in names if name in table), "")


def common_reason(step: str) -> str:
    """Return the reason for a step of this name in any lesson."""
    table = _table(COMMON, "*")
    return table.get(step) or table.get(without_head(step), "")


def _table(file: str, lesson: str) -> dict[str, str]:
    """Return the steps of all sections of a file whose heading contains the lesson."""
    return {
        step: text for names, steps in sections(file).items() if lesson in names.split() for step, text in steps.items()
    }


class _Reader(ConfigParser):
    """A reader that keeps the case of names."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


@cache
def sections(name: str) -> dict[str, dict[str, str]]:
    """Return the sections of a file, each for one or several lessons; empty if there is no file."""
    reader = _Reader(interpolation=None, delimiters=("=",), comment_prefixes=(";",), default_section="")
    reader.read(os.path.join(os.path.dirname(__file__), f"{name}.ini"), encoding="utf-8")
    return {
        section: {step: " ".join(text.split()) for step, text in reader[section].items()}
        for section in reader.sections()
    }
