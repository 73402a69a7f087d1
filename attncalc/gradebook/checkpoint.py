"""Each graded script is kept in a file as it comes, so that a run that was ended goes on where it stopped: `attncalc
grade --resume FILE`.

A line of JSON for each script, under a digest of all that its marks depend on: the script, the key, the overrides, the
scale, the form of the pages and the version of attncalc. A line of anything else is never used, and one that was cut
off is dropped.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import fields
from fractions import Fraction
from functools import cache
from hashlib import file_digest, sha256
from typing import Any, BinaryIO, get_args, get_origin, get_type_hints

from ..errors import AttncalcError, Location
from ..output_journal import lock
from ..version import __version__
from .answer_key import Key
from .graded_script import GradedScript, NamedMistakes
from .script_discovery import Task

HEADER = {"kind": "attncalc grading", "format": 1}
_NUMBER = re.compile(r"-?[0-9]{1,40}(/[0-9]{1,40})?")
BYTES = "base64"


class Checkpoint:
    """The checkpoint of a class. `seal` is a digest of all but the scripts. Raises AttncalcError for another file."""

    def __init__(self, path: str, key: Key, *others: object):
        self.path = path
        self.seal = sha256(repr((__version__, key.title, key.variants, others)).encode()).hexdigest()
        self._files: dict[str, bytes | None] = {}
        self._places: dict[str, int] = {}
        try:
            self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115 - open until all scripts are graded
            self._read()
        except OSError as error:
            raise AttncalcError(f"the file cannot be written: {error.strerror}", Location(path)) from None

    def rows(self, tasks: list[Task], grade: Callable[[list[Task]], Iterator[GradedScript]]) -> Iterator[GradedScript]:
        """Yield a row for each task, in order: from the checkpoint, else from `grade`, and then it is stored."""
        digests = [self._digest(task) for task in tasks]
        new = grade([task for task, digest in zip(tasks, digests, strict=True) if digest not in self._places])
        with self._file:
            for digest in digests:
                if digest in self._places:
                    self._file.seek(self._places[digest])
                    stored = _row(json.loads(self._file.readline())["row"])
                    assert stored is not None
                    yield stored
                else:
                    row = next(new)
                    if digest:
                        values = {row_field.name: getattr(row, row_field.name) for row_field in fields(row)}
                        self._put({"of": digest, "row": _as_json_value(values)})
                    yield row

    def _read(self) -> None:
        """Index the lines of the file; write the header into an empty file."""
        if not lock(self._file.fileno()):
            raise AttncalcError("another run is already saving its progress in this file", Location(self.path))
        self._file.seek(0)
        header = self._file.readline()
        if not header:
            self._put(HEADER)
        elif _parse_line(header) != HEADER:
            message = (
                "expected a file that `attncalc grade --resume` wrote, found a different file; choose the name "
                "of a new file"
            )
            raise AttncalcError(message, Location(self.path))
        place = self._file.tell()
        for line in iter(self._file.readline, b""):
            if not line.endswith(b"\n"):
                self._file.truncate(place)
                break
            record = _parse_line(line)
            if isinstance(record, dict) and isinstance(record.get("of"), str) and _row(record.get("row")) is not None:
                self._places[record["of"]] = place
            place += len(line)

    def _put(self, data: object) -> None:
        try:
            self._file.write(json.dumps(data).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            message = f"the file cannot be written: {error.strerror}"
            raise AttncalcError(message, Location(self.path)) from None

    def _digest(self, task: Task) -> str:
        """Return the digest under which a script's row is stored; empty for an unreadable file, never stored."""
        if task.path not in self._files:
            self._files = {task.path: _digest_of(task.path)}  # the lines of a table come together
        content = self._files[task.path]
        text = repr((self.seal, task.path, task.row, task.name, content))
        return sha256(text.encode()).hexdigest() if content else ""


def _digest_of(path: str) -> bytes | None:
    if not os.path.isfile(path):
        return None  # a pipe would be waited for
    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").digest()
    except OSError:
        return None


def _parse_line(line: bytes) -> object:
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data


def _as_json_value(value: object) -> object:
    match value:
        case Fraction():
            return str(value)
        case NamedMistakes():
            return [list(value.codes), value.together]
        case bytes():
            return {BYTES: b64encode(value).decode()}
        case dict():
            return {name: _as_json_value(element) for name, element in value.items()}
        case list() | tuple():
            return list(map(_as_json_value, value))
    return value


@cache
def _kinds() -> dict[str, object]:
    return get_type_hints(GradedScript)


def _row(data: Any) -> GradedScript | None:
    """Return the row in a line of JSON; None if it is invalid."""
    try:
        return GradedScript(**{name: _value(_kinds()[name], value) for name, value in data.items()})
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _value(kind: object, value: object) -> Any:
    """Convert a JSON value to a type. Raises ValueError or TypeError if it does not fit."""
    inner = get_args(kind)
    match get_origin(kind) or kind:
        case origin if origin is dict and isinstance(value, dict):
            return {name: _value(inner[1], element) for name, element in value.items()}
        case origin if origin is list and isinstance(value, list):
            return [_value(inner[0], element) for element in value]
        case origin if origin is tuple and isinstance(value, list):
            kinds = [inner[0]] * len(value) if inner[-1] is ... else inner
            return tuple(_value(element_kind, element) for element_kind, element in zip(kinds, value, strict=True))
        case origin if origin is NamedMistakes and isinstance(value, list):
            codes, together = value
            return NamedMistakes(_value(tuple[str, ...], codes), _value(bool, together))
        case origin if origin is Fraction and isinstance(value, str) and _NUMBER.fullmatch(value):
            return Fraction(value)
        case origin if origin in (str, bool) and isinstance(value, origin):
            return value
    if bytes in inner:  # a page, which may also be text, or none
        return b64decode(value[BYTES]) if isinstance(value, dict) else _value(str, value) if value is not None else None
    raise ValueError(kind)
