"""Requests of a page as plain data: `{"do": ..., ...}` in, `{...}` or `{"faults": [...]}` out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from ..errors import AttncalcError, Diagnostic, did_you_mean, shorten

Json = dict[str, Any]

LARGEST = 400_000  # bytes of a request
LONGEST = 200  # characters of a text
EXPECTED = "{field}: expected {what}"
NO_OPERATION = "expected one of {known}, found {found}"
NOT_JSON = "expected a JSON object with an operation"
TOO_LARGE = "expected a request of at most {most} bytes"


class Field(NamedTuple):
    """What a field of a request must be, in words and as a test, and what it is where it is missing."""

    what: str
    fits: Callable[[Any], bool]
    default: Any = None


def is_text(value: Any) -> bool:
    """Whether a value is a text of a reasonable length."""
    return isinstance(value, str) and len(value) <= LONGEST


def whole(least: int, most: int, default: int | None = None) -> Field:
    """A field that is a whole number between two others."""
    what = f"a whole number from {least} to {most}"
    return Field(what, lambda value: type(value) is int and least <= value <= most, default)


def named_texts(what: str) -> Field:
    """A field that is texts by their names."""
    return Field(what, lambda value: isinstance(value, dict) and all(map(is_text, value.values())), {})


TEXT = Field("a text", is_text)


class Request:
    """A request whose fields are checked when they are asked for."""

    def __init__(self, data: Json, fields: Mapping[str, Field]):
        self.data = data
        self.fields = fields

    def __getitem__(self, name: str) -> Any:
        """A field. Raises AttncalcError where it is not what it must be."""
        field = self.fields[name]
        value = self.data.get(name, field.default)
        if not field.fits(value):
            raise AttncalcError(EXPECTED.format(field=name, what=field.what))
        return value


def read(text: str | bytes) -> Any:
    """What a request's JSON holds, None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def answered(
    data: Any,
    operations: Mapping[str, Callable[[Request], Json]],
    fields: Mapping[str, Field],
    told: Callable[[Diagnostic], str] = attrgetter("message"),
) -> Json:
    """The response of the operation that a request names; what cannot be answered is told under `faults`."""
    if not isinstance(data, dict) or not isinstance(data.get("do"), str):
        return {"faults": [NOT_JSON]}
    name = data["do"]
    if name not in operations:
        found = shorten(repr(name)) + did_you_mean(name, list(operations))
        return {"faults": [NO_OPERATION.format(known=", ".join(operations), found=found)]}
    try:
        return operations[name](Request(data, fields))
    except AttncalcError as error:
        return {"faults": [told(fault) for fault in error.faults]}
    except RecursionError:
        return {"faults": [NOT_JSON]}
