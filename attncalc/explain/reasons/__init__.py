"""Why each step of each lesson is there, and what is often thought or done wrong: two sentences each, in the files
beside this one.

`common.ini` has what is the same in every lesson; a file named after one of attncalc/lessons/ has a section for each of
its lessons.
"""

from __future__ import annotations

import os
import re
from configparser import ConfigParser
from functools import cache

from ...lessons import FILES, LESSONS

COMMON = "common"
_OTHER = {"row": "column", "Row": "Column", "column": "row", "Column": "Row", "left": "right", "right": "left"}


def reason(lesson: str, step: str, columns: bool = False) -> str:
    """The two sentences about a step, `S_scaled_2` as `S_scaled`; nothing for steps of no lesson. `columns`: tokens are
    columns.
    """
    sentences = lesson_reason(lesson, step) or common_reason(step) if lesson in FILES else ""
    return _transpose(sentences) if columns else sentences


def _transpose(text: str) -> str:
    """The same where tokens are columns: rows become columns, and factors stand the other way round, `Xᵀ · dQ` as `dQ ·
    Xᵀ`.
    """
    text = re.sub(r"(\w+ᵀ) · (\w+)|(\w+) · (\w+ᵀ)", lambda m: f"{m[2] or m[4]} · {m[1] or m[3]}", text)
    return re.sub(r"\b([Rr]ow|[Cc]olumn)(?=s?\b)|(?<=on the )(left|right)\b", lambda m: _OTHER[m[0]], text)


def lesson_reason(lesson: str, step: str) -> str:
    """What a lesson says of a step itself."""
    table = _table(FILES[lesson], lesson)
    known = LESSONS[lesson].steps
    base = _base(step)
    # Z_1 is a head's output, Z that of all heads
    names = [step, f"{base}_1", *([base] if base == step or base not in known else [])]
    return next((table[name] for name in names if name in table), "")


def common_reason(step: str) -> str:
    """What all lessons say of a step of this name."""
    table = _table(COMMON, "*")
    return table.get(step) or table.get(_base(step), "")


def _base(step: str) -> str:
    return re.sub(r"_\d+$", "", step)


def _table(file: str, lesson: str) -> dict[str, str]:
    """The steps of all sections of a file that a lesson stands above."""
    return {
        step: text for names, steps in sections(file).items() if lesson in names.split() for step, text in steps.items()
    }


@cache
def sections(name: str) -> dict[str, dict[str, str]]:
    """The sections of a file, each for one lesson or several; nothing where there is no file."""
    reader = ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=(";",), default_section="")
    reader.optionxform = str  # type: ignore[assignment, method-assign]
    reader.read(os.path.join(os.path.dirname(__file__), f"{name}.ini"), encoding="utf-8")
    return {
        section: {step: " ".join(text.split()) for step, text in reader[section].items()}
        for section in reader.sections()
    }
