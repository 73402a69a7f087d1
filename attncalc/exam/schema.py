"""The JSON Schema of exam sheets, from the same tables that the reader uses."""

from __future__ import annotations

from typing import Any

from ..arithmetic.rounding import MODES
from ..generator.quality import DEMANDS
from ..generator.recipe import RECIPES
from ..generator.specification import FAMILIES, LARGEST_SIZE, RELAXED
from .keys import KEYS
from .sheet import LARGEST_SPACE, MOST_QUESTIONS, MOST_VARIANTS

_TEXT = {"type": ["string", "number", "boolean", "null"]}
_TEXTS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_FLAG = {"type": "boolean"}
_NUMBER = {"type": ["number", "string"]}
_SPACE = {"anyOf": [{"type": "number", "minimum": 0, "maximum": LARGEST_SPACE}, {"type": "string", "pattern": r"^[0-9.]+\s*cm$"}]}
_POINTS: dict[str, Any] = {"anyOf": [_NUMBER, {"type": "object", "additionalProperties": {"$ref": "#/$defs/points"}}]}
_STUDENT = {
    "anyOf": [
        {"type": ["string", "integer"]},
        {"type": "object", "properties": {"number": _TEXT, "name": _TEXT}, "required": ["number"], "additionalProperties": False},
    ]
}
_TYPES: dict[str, dict[str, Any]] = {
    "format": {"enum": [1, "1"]},
    "instructions": _TEXTS,
    "variants": {"type": "integer", "minimum": 1, "maximum": MOST_VARIANTS},
    "students": {"anyOf": [{"type": "string"}, {"type": "array", "items": _STUDENT, "minItems": 1, "maxItems": MOST_VARIANTS}]},
    "secret": {"type": "string", "minLength": 8},
    "rounding": {"$ref": "#/$defs/rounding"},
    "questions": {"type": "array", "items": {"$ref": "#/$defs/question"}, "minItems": 1, "maxItems": MOST_QUESTIONS},
    "formula_sheet": _FLAG,
    "decimal_comma": _FLAG,
    "blanks": _FLAG,
    "hints": _FLAG,
    "practice": _FLAG,
    "space": _SPACE,
    "generate": {"enum": list(RECIPES)},
    "with": {"$ref": "#/$defs/with"},
    "problem": {"type": "string"},
    "one_of": {"type": "array", "items": {"$ref": "#/$defs/question"}, "minItems": 2},
    "asked": {"type": "array", "items": {"type": "string"}},
    "points": {"$ref": "#/$defs/points"},
}


def sheet_schema() -> dict[str, Any]:
    """Draft 2020-12."""
    kinds = [{"required": [kind]} for kind in ("generate", "problem", "one_of")]
    question = {"type": "object", "properties": _properties("question"), "additionalProperties": False, "oneOf": kinds}
    rounding = {"digits": {"type": "integer", "minimum": 0, "maximum": 1000}, "mode": {"enum": list(MODES)}, "carry": {"enum": ["full", "printed"]}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attncalc exam sheet",
        "type": "object",
        "properties": _properties("sheet"),
        "required": ["questions"],
        "additionalProperties": False,
        "$defs": {
            "question": question,
            "with": _with(),
            "points": _POINTS,
            "rounding": {"type": "object", "properties": rounding, "additionalProperties": False},
        },
    }


def _properties(where: str) -> dict[str, Any]:
    return {key.name: {"description": key.doc} | _TYPES.get(key.name, _TEXT) for key in KEYS if where in key.where.split()}


def _with() -> dict[str, Any]:
    """Sizes and options of all lessons; which of them a lesson has, `attncalc exam` says."""
    sizes = {name for recipe in RECIPES.values() for name in recipe.sizes}
    options = {name for recipe in RECIPES.values() for name in recipe.options} - sizes
    reasons = "; ".join(f"{demand.code}: {demand.says}" for demand in DEMANDS)
    own: dict[str, Any] = {
        "entries": {"type": "string", "description": "integers -2..2, halves -1..1, tenths -1..1, sparse -3..3, rising 1..20, one-hot"},
        "family": {"enum": list(FAMILIES)},
        "relax": {"anyOf": [{"enum": list(RELAXED)}, {"type": "array", "items": {"enum": list(RELAXED)}}], "description": reasons},
        "margin": {"type": "number", "minimum": 0, "maximum": 10},
    }
    found = {name: {"type": "integer", "minimum": 1, "maximum": LARGEST_SIZE} for name in sorted(sizes)}
    found |= {name: {"type": ["string", "number", "boolean"]} for name in sorted(options)}
    return {"type": ["object", "null"], "properties": found | own, "additionalProperties": False}
