"""The names that course systems and registries give to the columns of a list of students, in several languages. Marks
on letters do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from configparser import ConfigParser
from pathlib import Path

_READER = ConfigParser(interpolation=None)
_READER.read(Path(__file__).with_suffix(".ini"), encoding="utf-8")
_LISTS = {key: tuple(" ".join(words.split()).split(" | ")) for key, words in _READER["columns"].items()}
NUMBER, LOGIN, MAIL, NAME = (_LISTS[key] for key in ("number", "login", "mail", "name"))
FIRST, LAST, OF_ONE_NAME, ID = (_LISTS[key] for key in ("first", "last", "of_one_name", "id"))
NOBODY, TRIAL, LANGUAGE = (_LISTS[key] for key in ("nobody", "trial", "language"))
STUDENT = (*NUMBER, "student", *LOGIN, *MAIL, "id", *NAME)  # of the table of a class
KNOWN = frozenset({*NUMBER, *LOGIN, *MAIL, *NAME, *FIRST, *LAST, *ID})

_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")  # of Latin letters
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def plain(head: str) -> str:
    """Return a head in small letters without marks, brackets and signs: `Apellido(s)` is `apellido`."""
    bare = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", head.casefold())))
    return " ".join(re.split(r"[\s_.:*'’°/|#-]+", _BRACKETS.sub(" ", bare))).strip()


def column(heads: Sequence[str], names: Sequence[str]) -> int | None:
    return next((heads.index(name) for name in names if name in heads), None)
