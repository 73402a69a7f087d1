"""The JSON Schema of problem files, from the same tables that the reader uses."""

from __future__ import annotations

from typing import Any

from ..arithmetic.rounding import MODES
from ..lessons import LESSONS
from ..lessons.base import Lesson
from .keys import KEYS

_NAME = r"^(?!(?:e|pi|inf|T)$)[A-Za-z_][A-Za-z0-9_]*$"
_TEXT = {"type": ["string", "number", "boolean", "null"]}
_ENTRY = {"type": ["number", "string"], "description": "a number as written: 0.1, 1/3, sqrt(2), -inf"}
_ROW = {"type": "array", "items": _ENTRY, "minItems": 1}
_MATRIX = {
    "description": "nested lists, a flat list (a row), a block of text with a row a line, a number, or a formula over earlier givens",
    "oneOf": [_ENTRY, _ROW, {"type": "array", "items": _ROW, "minItems": 1}],
}


def problem_schema() -> dict[str, Any]:
    """Draft 2020-12."""
    definitions = {
        "formula": {"type": ["string", "number"], "description": "a formula over givens and earlier steps, such as Q @ K.T"},
        "matrix": _MATRIX,
        "given": {
            "anyOf": [
                {"$ref": "#/$defs/matrix"},
                {
                    "type": "object",
                    "properties": {
                        "rows": {"type": "array", "items": _TEXT, "description": "the labels of the rows"},
                        "columns": {"type": "array", "items": _TEXT, "description": "the labels of the columns"},
                        "values": {"$ref": "#/$defs/matrix"},
                        "note": _TEXT,
                    },
                    "required": ["values"],
                    "additionalProperties": False,
                },
            ]
        },
        "rounding": {
            "type": "object",
            "properties": {
                "digits": {"type": "integer", "minimum": 0, "maximum": 1000},
                "mode": {"enum": list(MODES)},
                "carry": {"enum": ["full", "printed"]},
            },
            "additionalProperties": False,
        },
        "steps": {
            "type": "object",
            "propertyNames": {"pattern": _NAME},
            "additionalProperties": {
                "anyOf": [
                    {"$ref": "#/$defs/formula"},
                    {"type": "object", "properties": _lessons(), "minProperties": 1, "maxProperties": 1, "additionalProperties": False},
                ]
            },
        },
    } | {f"lesson-{lesson.name}": _lesson(lesson) for lesson in LESSONS.values()}
    part = _properties("part") | _lessons()
    definitions["part"] = {"type": "object", "properties": part, "additionalProperties": False}
    top = part | _properties("problem")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attncalc problem",
        "type": "object",
        "properties": top,
        "additionalProperties": False,
        "$defs": definitions,
    }


def _properties(where: str) -> dict[str, Any]:
    return {key.name: {"description": key.doc} | _TYPES.get(key.name, _TEXT) for key in KEYS if where in key.where.split()}


_WORDS = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_TYPES: dict[str, dict[str, Any]] = {
    "format": {"enum": [1, "1"]},
    "tags": _WORDS,
    "accept": _WORDS,
    "given": {"type": "object", "propertyNames": {"pattern": _NAME}, "additionalProperties": {"$ref": "#/$defs/given"}},
    "givens": {"enum": ["rounded", "exact"]},
    "vectors": {"enum": ["rows", "columns"]},
    "rounding": {"$ref": "#/$defs/rounding"},
    "parts": {
        "type": "object",
        "propertyNames": {"pattern": _NAME},
        "minProperties": 1,
        "additionalProperties": {"$ref": "#/$defs/part"},
    },
    "steps": {"$ref": "#/$defs/steps"},
    "pin": {"type": "object", "additionalProperties": {"$ref": "#/$defs/given"}},
    "asked": {"type": "array", "items": {"type": "string"}},
    "points": {"anyOf": [{"type": ["number", "string"]}, {"type": "object", "additionalProperties": {"type": ["number", "string"]}}]},
}


def _lessons() -> dict[str, Any]:
    return {lesson.name: {"$ref": f"#/$defs/lesson-{lesson.name}", "description": lesson.doc} for lesson in LESSONS.values()}


def _lesson(lesson: Lesson) -> dict[str, Any]:
    formula: dict[str, Any] = {"type": ["string", "number"]}
    properties: dict[str, Any] = {i.name: {"description": i.doc} | formula for i in lesson.inputs}
    patterns: dict[str, Any] = {f"^{i.name}_[0-9]+$": {"description": i.doc} | formula for i in lesson.inputs if i.numbered}
    for option in lesson.options:
        kind: dict[str, Any] = formula
        if option.words:
            # YAML reads some words as numbers and truth values, which the file's own reader takes as written.
            spoken = [int(w) for w in option.words if w.isdigit()] + [w == "true" for w in option.words if w in ("true", "false")]
            kind = {"enum": [*option.words, *spoken]}
        elif option.kind == "flag":
            kind = {"type": "boolean"}
        elif option.kind == "whole":
            kind = {"type": "integer", "minimum": 1}
        examples = {"examples": list(option.examples)} if option.examples and kind is formula else {}
        properties[option.name] = {"description": f"{option.doc} (default: {option.default})"} | kind | examples
        if option.numbered:
            patterns[f"^{option.name}_[0-9]+$"] = formula
    for step, doc in lesson.steps.items():
        properties.setdefault(step, {"description": f"supplied instead of worked out: {doc}"} | formula)
        patterns.setdefault(f"^{step.removesuffix('_1')}_[0-9]+$", formula)
    return {"type": ["object", "null"], "properties": properties, "patternProperties": patterns, "additionalProperties": False}
