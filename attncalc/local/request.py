"""Requests of a page as plain data: `{"do": ..., ...}` in, `{...}` or `{"faults": [...]}` out.

The parameters of an operation are the fields of its request: `Annotated` with a Field, which says what each must be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, get_type_hints

from ..errors import AttncalcError, Diagnostic, did_you_mean, shorten

Json = dict[str, Any]
Test = Callable[[Any], bool]

LARGEST = 400_000  # bytes of a request
LONGEST = 200  # characters of a text
EXPECTED = "{field}: expected {what}"
NO_OPERATION = "expected one of {known}, found {found}"
NOT_JSON = "expected a JSON object with an operation"
TOO_LARGE = "expected a request of at most {most} bytes"


class Field(NamedTuple):
    """What a field of a request must be, in words and as a test, and what it is where it is missing."""

    what: str
    fits: Test
    default: Any = None


def is_text(value: Any) -> bool:
    """Whether a value is a text of a reasonable length."""
    return isinstance(value, str) and len(value) <= LONGEST


def listed(fits: Test) -> Test:
    """Whether a value is a list of such values."""
    return lambda value: isinstance(value, list) and all(map(fits, value))


def named(fits: Test) -> Test:
    """Whether a value is such values by their names."""
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def whole(least: int, most: int, default: int | None = None) -> Field:
    """A field that is a whole number between two others."""
    what = f"a whole number from {least} to {most}"
    return Field(what, lambda value: type(value) is int and least <= value <= most, default)


TEXT = Field("a text", is_text)
Text = Annotated[str, TEXT]


def read(text: str | bytes) -> Any:
    """What a request's JSON holds, None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def answered(
    data: Any, operations: Mapping[str, Callable[..., Json]], told: Callable[[Diagnostic], str] = attrgetter("message")
) -> Json:
    """The response of the operation that a request names, called with the fields that are its parameters."""
    name = data.get("do") if isinstance(data, dict) else None
    if not isinstance(name, str):
        return {"faults": [NOT_JSON]}
    if name not in operations:
        found = shorten(repr(name)) + did_you_mean(name, list(operations))
        return {"faults": [NO_OPERATION.format(known=", ".join(operations), found=found)]}
    try:
        return operations[name](**dict(_fields(operations[name], data)))
    except AttncalcError as error:
        return {"faults": [told(fault) for fault in error.faults]}
    except RecursionError:
        return {"faults": [NOT_JSON]}


def _fields(operation: Callable[..., Json], data: Json) -> Iterator[tuple[str, Any]]:
    """What a request says of each parameter. Raises AttncalcError where it is not what it must be."""
    for name, kind in get_type_hints(operation, include_extras=True).items():
        if name != "return":
            what, fits, default = kind.__metadata__[0]
            value = data.get(name, default)
            if not fits(value):
                raise AttncalcError(EXPECTED.format(field=name, what=what))
            yield name, value
