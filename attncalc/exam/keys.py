"""The keys of an exam sheet with their meaning: what the reader accepts and what the JSON Schema says."""

from __future__ import annotations

from ..problem.keys import Key

KEYS = (
    Key("format", "sheet", "the version of this format: 1"),
    Key("title", "sheet", "the title of the paper"),
    Key("course", "sheet", "the course, above the title"),
    Key("date", "sheet", "the date as it is printed"),
    Key("instructions", "sheet", "a text, or a list of texts, below the title"),
    Key("variants", "sheet", "how many variants"),
    Key("students", "sheet", "a variant for each of these students: numbers, mappings of number and name, or a CSV or text file of them"),
    Key("seed", "sheet", "the same seed gives the same papers, everywhere"),
    Key("secret", "sheet", "in place of the seed: a student's variant comes from the student's number and this secret"),
    Key("rounding", "sheet question", "digits and mode of what students are asked for"),
    Key("questions", "sheet", "the questions in order"),
    Key("formula_sheet", "sheet", "whether the formulas of the lessons stand on a last page"),
    Key("decimal_comma", "sheet", "whether numbers are printed with a comma"),
    Key("template", "sheet", "a folder of templates in place of ours; `attncalc templates exam -o FOLDER` copies those"),
    Key("blanks", "sheet question", "whether there are empty matrices to fill in; true without it"),
    Key("practice", "sheet question", "whether it is an exercise: first steps are worked out, and more is left to do from question to question"),
    Key("hints", "sheet question", "whether the formula stands beside each step that is asked"),
    Key("space", "sheet question", "centimetres to work in above each matrix; more where the solution needs more"),
    Key("generate", "question", "the lesson that a problem is drawn of, another for every variant"),
    Key("with", "question", "how it is drawn: sizes, options of the lesson, entries, family, relax, margin"),
    Key("problem", "question", "a problem file, or the name of one that comes with attncalc; the same in every variant"),
    Key("one_of", "question", "a list of questions, of which each variant gets one"),
    Key("title", "question", "a few words beside the number of the question"),
    Key("ask", "question", "what the student is asked to do, in place of the problem's own words"),
    Key("note", "question", "text for people"),
    Key("asked", "question", "the steps, or slices of them, that the student must answer"),
    Key("points", "question", "marks for the question, or for each step; for a problem of several parts also for each part"),
)
WITH = ("entries", "family", "relax", "margin")  # of `with:`, beside the sizes and options of the lesson
KINDS = ("generate", "problem", "one_of")


def keys_at(where: str) -> list[str]:
    return [key.name for key in KEYS if where in key.where.split()]
