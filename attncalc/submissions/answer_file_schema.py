"""The keys of an answer file: one table for its reader and for its JSON Schema."""

from __future__ import annotations

from ..errors import AttncalcError, shorten
from ..problem.schema_keys import NUMBER, TEXT, VERSION, Key, Keys, Schema, document, mapping
from ..problem.yaml_file.nodes import Yaml
from .located_text import Written

COMPUTED = ("float32", "float64")
_ROW: Schema = {"type": "array", "items": NUMBER | {"description": "a number as written, or _ for a blank"}}
_ANSWER: Schema = {"$ref": "#/$defs/answer"}
_LABELLED = {
    "rows": {"type": "array", "items": TEXT},
    "columns": {"type": "array", "items": TEXT},
    "values": _ANSWER,
    "note": TEXT,
}

KEYS = Keys((
    Key("problem", "header", "the problem that is answered: its name, its title, or the code of a variant"),
    Key("student", "header", "the student who wrote the answers"),
    Key("computed", "header", "the floating-point format of the program that computed the answers; its rounding "
        "errors are accepted",
        {"enum": list(COMPUTED)}),
    Key("source", "header", "the source of the answers"),
    Key("note", "header", "a remark, which attncalc ignores"),
    Key("format", "header", "the version of this format: 1", VERSION),
    Key("answers", "body", "the answers by step, or by part and step; a slice such as Z[0] can also be a name",
        {"type": ["object", "null"], "additionalProperties": _ANSWER}),
))  # fmt: skip
HEADER = tuple(KEYS.at("header"))


def arithmetic(word: str | None, stated: Written | Yaml | None) -> str | None:
    """Return the floating-point format that a file states there. Raises AttncalcError for an unknown one."""
    if word is not None and word not in COMPUTED and stated is not None:
        message = f"computed: expected one of {', '.join(COMPUTED)}, found {shorten(word)!r}"
        raise AttncalcError(message, stated.place)
    return word


def answers_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of an answer file. A matrix is rows, a row, a number, or a print."""
    kinds: list[Schema] = [
        NUMBER,
        _ROW,
        {"type": "array", "items": _ROW},
        mapping(_LABELLED, ["values"]),
        {"type": "null"},
    ]
    answer = {"anyOf": [*kinds, {"type": "object", "additionalProperties": _ANSWER}]}
    return document("answers", KEYS.properties("header") | KEYS.properties("body"), {"answer": answer}, ["answers"])
