"""The keys of a problem file, in a table that the reader and the JSON Schema use, and schemas for several kinds of
files.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..formula.parser import NAME_FORM

Schema = dict[str, object]


def ref(definition: str) -> Schema:
    return {"$ref": f"#/$defs/{definition}"}


TEXT: Schema = {"type": ["string", "number", "boolean", "null"]}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": ["number", "string"]}
WORDS: Schema = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
VERSION: Schema = {"enum": [1, "1"]}
ROUNDING: Schema = ref("rounding")
ASKED: Schema = {"type": "array", "items": {"type": "string"}}
ACCEPT: Schema = ref("accept")
RUBRIC: Schema = ref("rubric")
NAME = rf"^(?!(?:pi|π|inf)$){NAME_FORM}$"


class Key(NamedTuple):
    """A key: the mappings in which it is allowed (`problem part`), its meaning, and the JSON Schema of its value."""

    name: str
    where: str
    doc: str
    schema: Schema = TEXT


class Keys(tuple[Key, ...]):
    """The keys of a kind of file. The reader accepts the keys `at(where)`; the JSON Schema contains
    `properties(where)`.
    """

    __slots__ = ()

    def at(self, *where: str) -> list[str]:
        """Return the names of the keys that are allowed in at least one of these mappings.

        >>> KEYS.at("problem")[:3]
        ['format', 'title', 'source']
        """
        return [key.name for key in self if {*where} & {*key.where.split()}]

    def properties(self, where: str) -> Schema:
        """Return the `properties` of this mapping in the JSON Schema."""
        return {key.name: {"description": key.doc} | key.schema for key in self if where in key.where.split()}


def mapping(properties: Schema, required: Iterable[str] = (), **more: object) -> Schema:
    """Return the schema of a mapping that may contain only these keys."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties} | needed | {"additionalProperties": False} | more


def named(values: Schema, **more: object) -> Schema:
    """Return the schema of a mapping from names to values."""
    return {"type": "object", "propertyNames": {"pattern": NAME}} | more | {"additionalProperties": values}


def document(title: str, properties: Schema, definitions: Schema, required: Iterable[str] = ()) -> Schema:
    """Return a complete JSON Schema (draft 2020-12) for a file that is a mapping."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"attncalc {title}"}
    return head | mapping(properties, required) | {"$defs": definitions}


_POINTS: Schema = {"anyOf": [NUMBER, {"type": "object", "additionalProperties": NUMBER}]}

KEYS = Keys((
    Key("format", "problem", "the version of this format: 1", VERSION),
    Key("title", "problem part", "the title, printed on pages"),
    Key("source", "problem part", "the source of the problem"),
    Key("note", "problem part", "a remark, printed with the problem"),
    Key("ask", "problem part", "the task for the student"),
    Key("answer", "part", "the answer in words, at the end of the solution"),
    Key("tags", "problem part", "keywords for finding the problem", WORDS),
    Key("license", "problem", "the licence of the problem"),
    Key("given", "problem part", "the givens by name: matrices, numbers, "
    "and formulas with earlier givens", named(ref("given"))),
    Key("draw", "problem", "givens with random numbers, each a text such as `3 × 4 integers -2..2`, "
    "or a mapping with labels",
        named(ref("draw"), minProperties=1)),
    Key("demand", "problem", "conditions that every generated problem must meet, such as `max(abs(S)) <= 9`", WORDS),
    Key("relax", "problem", "the codes of the requirements that generated problems need not meet", WORDS),
    Key("givens", "problem", "`rounded` if given numbers with a decimal point are rounded values, otherwise `exact`",
        {"enum": ["rounded", "exact"]}),
    Key("vectors", "problem", "whether tokens are the rows of X (Q = X W) or its columns (Q = W X)",
        {"enum": ["rows", "columns"]}),
    Key("rounding", "problem part", "decimals and rounding mode of the printed numbers; with `carry: printed`, later "
    "steps use the rounded numbers",
        ROUNDING),
    Key("accept", "problem part", "further answers that are accepted as right: codes of mistakes, and steps "
    "with different "
    "formulas or values", ACCEPT),
    Key("rubric", "problem part", "the share of a step's points for the method, and the share that remains after "
        "each named mistake", RUBRIC),
    Key("parts", "problem", "the parts by name, in order; a problem with only one part can have "
    "the keys of this part at the top",
        named(ref("part"), minProperties=1)),
    Key("steps", "part", "further steps by name, each a formula, a repeated formula, or a lesson",
        ref("steps")),
    Key("pin", "part", "steps whose value is given instead of computed",
        {"type": "object", "additionalProperties": ref("given")}),
    Key("asked", "part", "the steps, or slices of steps, that the student must answer; by default all steps", ASKED),
    Key("points", "part", "points for the part, or for each step", _POINTS),
))  # fmt: skip
