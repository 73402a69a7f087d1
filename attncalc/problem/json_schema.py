"""The JSON Schema of problem files, from the tables that the reader also uses."""

from __future__ import annotations

from ..lessons import LESSONS
from ..lessons.lesson import Lesson
from ..rounding_modes import MODES
from .schema_keys import KEYS, NAME, TEXT, Schema, document, mapping, named, ref
from .sections.asked import CARRIES, MOST_DIGITS
from .sections.repeated_steps import MOST_TURNS

_ENTRY: Schema = {
    "type": ["number", "string", "boolean"],
    "description": "a number as written: 0.1, 1/3, sqrt(2), -inf",
}
_ROW: Schema = {"type": "array", "items": _ENTRY, "minItems": 1}
_MATRIX: Schema = {
    "description": (
        "nested lists, a flat list (a row), a block of text with one row per line, a number, or a formula with "
        "earlier givens"
    ),
    "oneOf": [_ENTRY, _ROW, {"type": "array", "items": _ROW, "minItems": 1}],
}
_LABELS: Schema = {"type": "array", "items": TEXT, "minItems": 1}
_LABELLED = {
    "rows": {"type": "array", "items": TEXT, "description": "the labels of the rows"},
    "columns": {"type": "array", "items": TEXT, "description": "the labels of the columns"},
    "values": ref("matrix"),
    "note": TEXT,
}
_AXIS: Schema = {"anyOf": [{"type": ["integer", "string"]}, _LABELS, mapping({"from": _LABELS}, ["from"])]}
_DRAWN = {
    "size": {"type": "string", "description": "rows × columns, such as 3 × 4"},
    "entries": {"type": "string", "description": "integers -2..2, halves, quarters, tenths, hundredths, sparse, "
                "rising, logarithms 1..6, "
                "one-hot, choices 1 2 5, rows that sum to 1 in tenths; words low lower newest for an option"},
    "rows": _AXIS | {"description": "labels, {from: words or sentences to draw}, or the number of rows"},
    "columns": _AXIS,
    "note": TEXT,
}  # fmt: skip
STEP: Schema = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 100}, {"type": "string"}],
    "description": "the points of a whole script are rounded half up to a multiple of this number, such as 1/2",
}
_FORMULA: Schema = {"anyOf": [{"type": ["string", "number"]}, {"type": "array"}]}
_MEANS: Schema = {"type": "string", "description": "the text that names the step on papers, forms and quizzes"}
_TURN = ref("formula") | {"description": "in this formula, a name means the value in the previous repetition"}
_REPEATED: Schema = mapping(
    {
        "formula": _TURN,
        "means": _MEANS,
        "steps": named(
            {"anyOf": [ref("formula"), ref("worded")]},
            minProperties=1,
            description="several formulas per repetition; a name means the value in this repetition if "
            "its formula comes earlier",
        ),
        "repeat": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_TURNS,
            "description": "the number of repetitions x_1, x_2, ...",
        },
        "counter": {
            "type": "string",
            "pattern": NAME,
            "description": "the name that formulas use for the number of the repetition",
        },
    },
    ["repeat"],
    oneOf=[{"required": ["formula"]}, {"required": ["steps"]}],
    description="a repeated formula; a step x starts from x_0 or a given x, and gives x_1, x_2, ...",
)


def problem_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of a problem file, with all keys, lessons, inputs and options."""
    a_lesson = mapping(_lessons(), minProperties=1, maxProperties=1)
    definitions = {
        "formula": _FORMULA | {"description": "a formula with givens and earlier steps, such as Q @ K.T"},
        "matrix": _MATRIX,
        "given": {"anyOf": [ref("matrix"), mapping(_LABELLED, ["values"])]},
        "draw": {"anyOf": [{"type": "string"}, mapping(_DRAWN, ["entries"])]},
        "rounding": rounding(),
        "accept": accept(),
        "rubric": rubric(),
        "worded": mapping({"formula": ref("formula"), "means": _MEANS}, ["formula"]),
        "repeated": _REPEATED,
        "steps": named({"anyOf": [ref("formula"), ref("worded"), ref("repeated"), a_lesson]}),
    } | {f"lesson-{lesson.name}": _lesson(lesson) for lesson in LESSONS.values()}
    part = KEYS.properties("part") | _lessons()
    definitions["part"] = mapping(part)
    return document("problem", part | KEYS.properties("problem"), definitions)


def rounding() -> Schema:
    """Return the schema of `rounding:` in a problem or an exam sheet."""
    digits = {"type": "integer", "minimum": 0, "maximum": MOST_DIGITS}
    return mapping({"digits": digits, "mode": {"enum": list(MODES)}, "carry": {"enum": list(CARRIES)}})


def accept() -> Schema:
    """Return the schema of `accept:` in a problem or an exam sheet: codes, and steps with other formulas or values."""
    alternative: Schema = {"anyOf": [{"type": "string"}, named(_FORMULA)]}
    return {"anyOf": [alternative, {"type": "array", "items": alternative}]}


def rubric() -> Schema:
    """Return the schema of `rubric:` in a problem or an exam sheet."""
    share: Schema = {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string"}]}
    mistakes: Schema = {"type": "object", "additionalProperties": share}
    return mapping({"method": share, "mistakes": mistakes, "round": STEP})


def _lessons() -> Schema:
    return {lesson.name: ref(f"lesson-{lesson.name}") | {"description": lesson.doc} for lesson in LESSONS.values()}


def _lesson(lesson: Lesson) -> Schema:
    formula = _FORMULA
    properties: Schema = {name: {"description": i.doc} | formula for i in lesson.inputs for name in (i.name, *i.also)}
    patterns: Schema = {f"^{i.name}_[0-9]+$": {"description": i.doc} | formula for i in lesson.inputs if i.numbered}
    for option in lesson.options:
        kind: Schema = formula
        if option.words:
            # YAML reads some words as numbers or truth values, but attncalc keeps their text.
            spoken = [int(w) for w in option.words if w.isdigit()] + [
                w == "true" for w in option.words if w in ("true", "false")
            ]
            kind = {"enum": [*option.words, *spoken]}
        elif option.kind == "flag":
            kind = {"type": "boolean"}
        elif option.kind == "whole":
            kind = {"type": "integer", "minimum": 1}
        examples = {"examples": list(option.examples)} if option.examples and kind is formula else {}
        described = {"description": f"{option.doc} (default: {option.default})"} | kind | examples
        properties |= dict.fromkeys((option.name, *option.also), described)
        if option.numbered:
            patterns[f"^{option.name}_[0-9]+$"] = formula
    for step, doc in lesson.steps.items():
        properties.setdefault(step, {"description": f"given instead of computed: {doc}"} | formula)
        patterns.setdefault(f"^{step.removesuffix('_1')}_[0-9]+$", formula)
    return {
        "type": ["object", "null"],
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": False,
    }
