"""The keys of a problem file, in one table for its reader and its JSON Schema, and the types that other files share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..formula.parser import NAME_FORM

Schema = dict[str, Any]
TEXT: Schema = {"type": ["string", "number", "boolean", "null"]}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": ["number", "string"]}
WORDS: Schema = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
VERSION: Schema = {"enum": [1, "1"]}
ROUNDING: Schema = {"$ref": "#/$defs/rounding"}
ASKED: Schema = {"type": "array", "items": {"type": "string"}}
ACCEPT: Schema = {"$ref": "#/$defs/accept"}
RUBRIC: Schema = {"$ref": "#/$defs/rubric"}
NAME = rf"^(?!(?:pi|π|inf)$){NAME_FORM}$"


class Key(NamedTuple):
    """A key, its allowed places (`problem part`), its meaning, and the JSON Schema of its value."""

    name: str
    where: str
    doc: str
    schema: Schema = TEXT


class Keys(tuple[Key, ...]):
    """The table of a kind of file: its reader accepts `at(where)`, and its schema consists of `properties(where)`."""

    __slots__ = ()

    def at(self, *where: str) -> list[str]:
        """Return the names of the keys that are allowed in one of these places, in the table's order.

        >>> KEYS.at("problem")[:3]
        ['format', 'title', 'source']
        """
        return [key.name for key in self if {*where} & {*key.where.split()}]

    def properties(self, where: str) -> Schema:
        """Return the `properties` of a JSON Schema for the mapping at this place."""
        return {key.name: {"description": key.doc} | key.schema for key in self if where in key.where.split()}


def mapping(properties: Schema, required: Iterable[str] = (), **more: object) -> Schema:
    """Return the schema of a mapping with these keys and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties} | needed | {"additionalProperties": False} | more


def named(values: str, **more: object) -> Schema:
    """Return the schema of a mapping from names to values of a definition."""
    return (
        {"type": "object", "propertyNames": {"pattern": NAME}}
        | more
        | {"additionalProperties": {"$ref": f"#/$defs/{values}"}}
    )


def document(title: str, properties: Schema, definitions: Schema, required: Iterable[str] = ()) -> Schema:
    """Return a whole JSON Schema, draft 2020-12, of a file that is a mapping."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"attncalc {title}"}
    return head | mapping(properties, required) | {"$defs": definitions}


_POINTS: Schema = {"anyOf": [NUMBER, {"type": "object", "additionalProperties": NUMBER}]}

KEYS = Keys((
    Key("format", "problem", "the version of this format: 1", VERSION),
    Key("title", "problem part", "the title, as pages print it"),
    Key("source", "problem part", "where the exercise comes from"),
    Key("note", "problem part", "a remark, printed with the problem"),
    Key("ask", "problem part", "what the student is asked to do"),
    Key("answer", "part", "the answer in words to what ask asks, at the end of the solution"),
    Key("tags", "problem part", "words to find the problem by", WORDS),
    Key("license", "problem", "the licence of the exercise"),
    Key("given", "problem part", "the givens by name: matrices, numbers, formulas over earlier givens", named("given")),
    Key("draw", "problem", "givens whose numbers are drawn: `3 × 4 integers -2..2`, or a mapping with labels",
        named("draw", minProperties=1)),
    Key("demand", "problem", "formulas that hold in every draw, such as `max(abs(S)) <= 9`", WORDS),
    Key("relax", "problem", "requirements of the generator that draws need not meet, by their codes", WORDS),
    Key("givens", "problem", "`rounded`: given numbers with a decimal point are themselves rounded to their last digit",
        {"enum": ["rounded", "exact"]}),
    Key("vectors", "problem", "whether tokens are the rows of X (Q = X W) or its columns (Q = W X)",
        {"enum": ["rows", "columns"]}),
    Key("rounding", "problem part", "digits and mode of what is printed, and whether rounded steps are carried on",
        ROUNDING),
    Key("accept", "problem part", "what counts as right too: codes of mistakes in the catalogue, and steps with other "
        "formulas or values", ACCEPT),
    Key("rubric", "problem part", "the share of a step's points for its method, and the shares that mistakes of the "
        "catalogue leave", RUBRIC),
    Key("parts", "problem", "the parts by name, in order; a problem with one part may put its keys at the top",
        named("part", minProperties=1)),
    Key("steps", "part", "further steps by name: formulas, formulas that repeat, or a lesson under a name of its own",
        {"$ref": "#/$defs/steps"}),
    Key("pin", "part", "steps whose value is given instead of computed",
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/given"}}),
    Key("asked", "part", "the steps, or slices of them, that the student must answer; all by default", ASKED),
    Key("points", "part", "points for the part, or for each step", _POINTS),
))  # fmt: skip
