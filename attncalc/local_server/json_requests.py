"""Requests of a page as data: a request is `{"do": ..., ...}`, and a response is `{...}` or `{"faults": [...]}`. The
parameters of an operation are the fields of its request. Each is `Annotated` with a RequestField.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Annotated, NamedTuple, get_args, get_origin, get_type_hints, is_typeddict

from ..errors import AttncalcError, Diagnostic, did_you_mean, shorten

Json = Mapping[str, object]

LARGEST = 400_000  # bytes of a request
LONGEST = 200  # characters of a text
ENTRY = 5_000  # characters of an entry; more than the parser of numbers allows, so that it reports the error
EXPECTED = "{field}: expected {what}"
NO_OPERATION = "expected one of {known}, found {found}"
NOT_JSON = "expected a JSON object with an operation"
TOO_LARGE = "expected a request of at most {most} bytes"


class RequestField(NamedTuple):
    """A field of a request: its description, its default, a test of its value, and the most characters."""

    what: str
    default: object = None
    test: Callable[..., bool] = lambda value: True
    longest: int = LONGEST


def integer_field(least: int, most: int, default: int | None = None) -> RequestField:
    """Return a field for an integer from `least` to `most`."""
    return RequestField(f"a whole number from {least} to {most}", default, lambda value: least <= value <= most)


Text = Annotated[str, RequestField("a text")]


def _is(kind: object, value: object, most: int) -> bool:
    """Return whether a value has an annotated type. Texts have at most `most` characters."""
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_is(get_args(kind)[0], element, ENTRY) for element in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(_is(get_args(kind)[1], element, most) for element in value.values())
    if is_typeddict(kind):
        return isinstance(value, dict)
    return kind is object or type(value) is kind and (not isinstance(value, str) or len(value) <= most)


def read(text: str | bytes) -> object:
    """Return the JSON of a request; None if it is invalid."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data


def dispatch(
    data: object,
    operations: Mapping[str, Callable[..., Json]],
    describe: Callable[[Diagnostic], str] = attrgetter("message"),
) -> Json:
    """Return the response of the operation that a request names. The arguments are the fields of the request."""
    if not isinstance(data, dict) or not isinstance(name := data.get("do"), str):
        return {"faults": [NOT_JSON]}
    if name not in operations:
        name_text = shorten(repr(name)) + did_you_mean(name, list(operations))
        return {"faults": [NO_OPERATION.format(known=", ".join(operations), found=name_text)]}
    try:
        return operations[name](**dict(_fields(operations[name], data)))
    except AttncalcError as error:
        return {"faults": [describe(fault) for fault in error.faults]}
    except RecursionError:
        return {"faults": [NOT_JSON]}


def _fields(operation: Callable[..., Json], data: Json) -> Iterator[tuple[str, object]]:
    """Yield the name and the value of each parameter. Raises AttncalcError for an invalid value."""
    for name, kind in get_type_hints(operation, include_extras=True).items():
        if name != "return":
            field: RequestField = kind.__metadata__[0]
            value = data.get(name, field.default)
            if not (_is(kind.__origin__, value, field.longest) and field.test(value)):
                raise AttncalcError(EXPECTED.format(field=name, what=field.what))
            yield name, value
