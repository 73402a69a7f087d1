"""The JSON Schemas of exam sheets and keys, from the reader's table."""

from __future__ import annotations

from ...generator.lesson_recipes import RECIPES
from ...generator.request import FAMILIES, LARGEST_SIZE, RELAXED
from ...generator.requirements import SINGLE_REQUIREMENTS
from ...problem.json_schema import accept, rounding, rubric
from ...problem.schema_keys import NUMBER, Schema, document, mapping
from .sheet_keys import ANSWER_KEYS, KEYS, KINDS

_POINTS: Schema = {"anyOf": [NUMBER, {"type": "object", "additionalProperties": {"$ref": "#/$defs/points"}}]}


_SCANNED = {
    "scan": ("version", "page", "marks", "papers"),
    "scanned": ("pages", "codes", "fields"),
    "field": ("column_name", "kind", "page", "box"),
}


def sheet_schema() -> Schema:
    """Return the JSON Schema of an exam sheet, draft 2020-12."""
    computed = [{"required": [kind]} for kind in KINDS if kind != "choices"]
    kinds = [*computed, {"required": ["choices"], "not": {"anyOf": computed}}]
    definitions: Schema = {
        "question": mapping(KEYS.properties("question"), oneOf=kinds),
        "with": _with(),
        "points": _POINTS,
        "rounding": rounding(),
        "accept": accept(),
        "rubric": rubric(),
    }
    return document("exam sheet", KEYS.properties("sheet"), definitions, ["questions"])


def key_schema() -> Schema:
    """Return the JSON Schema of an exam's key.json, draft 2020-12."""
    variant = mapping(ANSWER_KEYS.properties("variant"), ["code", "problem"])
    instructor_question = mapping(ANSWER_KEYS.properties("own"), ["name", "kind", "points"])
    definitions: Schema = {
        "variant": variant,
        "own": instructor_question,
        "choice": mapping(ANSWER_KEYS.properties("choice"), ["letter"]),
        **{name: mapping(ANSWER_KEYS.properties(name), needed) for name, needed in _SCANNED.items()},
    }
    return document("key", ANSWER_KEYS.properties("key"), definitions, ["format", "kind", "variants"])


def _with() -> Schema:
    """Return the schema of with:, with sizes and options of all lessons; `attncalc exam` reports sizes and options that
    a lesson lacks.
    """
    sizes = {name for recipe in RECIPES.values() for name in recipe.sizes}
    options = {name for recipe in RECIPES.values() for name in recipe.options} - sizes
    reasons = "; ".join(f"{demand.code}: {demand.says}" for demand in SINGLE_REQUIREMENTS)
    shared_options: Schema = {
        "entries": {
            "type": "string",
            "description": "integers -2..2, halves -1..1, tenths -1..1, sparse -3..3, rising 1..20, one-hot",
        },
        "family": {"enum": list(FAMILIES)},
        "relax": {
            "anyOf": [{"enum": list(RELAXED)}, {"type": "array", "items": {"enum": list(RELAXED)}}],
            "description": reasons,
        },
        "margin": {"type": "number", "minimum": 0, "maximum": 10},
    }
    lesson_options = {name: {"type": "integer", "minimum": 1, "maximum": LARGEST_SIZE} for name in sorted(sizes)}
    lesson_options |= {name: {"type": ["string", "number", "boolean"]} for name in sorted(options)}
    return {"type": ["object", "null"], "properties": lesson_options | shared_options, "additionalProperties": False}
