"""The keys of an exam sheet and of key.json: one table for the reader and the JSON Schema."""

from __future__ import annotations

from ... import limits
from ...generator.lesson_recipes import RECIPES, drawn_lessons
from ...problem.json_schema import STEP
from ...problem.schema_keys import ACCEPT, ASKED, FLAG, ROUNDING, RUBRIC, TEXT, VERSION, Key, Keys, Schema, mapping

MOST_VARIANTS, MOST_QUESTIONS = 10_000, limits.QUESTIONS.most
FEWEST, MOST = 2, 10  # options of a question
MOST_VERSIONS = 10
LARGEST_SPACE = 25  # centimetres
# A question has exactly one of these keys; a generated question may also have choices
KINDS = ("generate", "problem", "one_of", "free_text", "choices")
WITH = ("entries", "family", "relax", "margin")  # keys under `with:`, in addition to the lesson's sizes and options
_QUESTION: Schema = {"$ref": "#/$defs/question"}
_QUESTIONS: Schema = {"type": "array", "items": _QUESTION, "minItems": 1, "maxItems": MOST_QUESTIONS}
_TEXTS: Schema = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
_SPACE: Schema = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": LARGEST_SPACE},
        {"type": "string", "pattern": r"^[0-9.]+\s*cm$"},
    ]
}
_STUDENT: Schema = {
    "anyOf": [{"type": ["string", "integer"]}, mapping({"number": TEXT, "name": TEXT, "language": TEXT}, ["number"])]
}
_LIST: Schema = {"type": "array", "items": _STUDENT, "minItems": 1, "maxItems": MOST_VARIANTS}
_STUDENTS: Schema = {"anyOf": [{"type": "string"}, _LIST]}

_FIGURE: Schema = {"anyOf": [{"type": "string"}, mapping({"file": TEXT, "width": _SPACE, "alt": TEXT}, ["file"])]}
_OPTION: Schema = mapping(
    {"right": TEXT, "wrong": TEXT, "because": TEXT}, oneOf=[{"required": ["right"]}, {"required": ["wrong"]}]
)
_CHOICES: Schema = {
    "anyOf": [
        FLAG,
        {"type": "integer", "minimum": FEWEST, "maximum": MOST},
        {"type": "array", "items": _OPTION, "minItems": FEWEST, "maxItems": MOST},
    ]
}
_LARGE: Schema = {"anyOf": [FLAG, {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1}]}
_TEXT: Schema = {"type": "string"}
_TABLE: Schema = {"type": "object", "additionalProperties": _TEXT}
_WHOLE: Schema = {"type": "integer"}
_LENGTHS: Schema = {"type": "array", "items": {"type": "number"}}
KIND = "attncalc key"

# What `attncalc exam` writes into key.json and `attncalc grade` reads.
ANSWER_KEYS = Keys((
    Key("format", "key", "the version of this format: 1", {"const": 1}),
    Key("kind", "key", "the kind of file", {"const": KIND}),
    Key("title", "key", "the title of the paper", _TEXT),
    Key("sheet", "key", "the file of the exam sheet", _TEXT),
    Key("language", "key", "the language of the papers, if it is not English", _TEXT),
    Key("words", "key", "words that replace the fixed words of the papers", _TABLE),
    Key("sentences", "key", "sentences that replace the fixed sentences of the papers", _TABLE),
    Key("variants", "key", "the papers, each with its problem",
        {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/variant"}}),
    Key("scan", "key", "the positions of all fields, if the papers can be scanned", {"$ref": "#/$defs/scan"}),
    Key("version", "scan", "the version of this section: 1", {"const": 1}),
    Key("page", "scan", "the width and the height of a page in millimetres", _LENGTHS),
    Key("marks", "scan", "the centres of the marks in the corners, in millimetres from the top left corner",
        {"type": "array", "items": _LENGTHS, "minItems": 4, "maxItems": 4}),
    Key("mark", "scan", "the side length of a mark in millimetres", {"type": "number"}),
    Key("papers", "scan", "the papers by their codes",
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/scanned"}}),
    Key("pages", "scanned", "the number of pages", _WHOLE),
    Key("codes", "scanned", "the text in the Data Matrix code of each page", {"type": "array", "items": _TEXT}),
    Key("fields", "scanned", "the fields in their order on the paper",
        {"type": "array", "items": {"$ref": "#/$defs/field"}}),
    Key("question", "field", "the question, as the class table names it", _TEXT),
    Key("step", "field", "the step, as the class table names it", _TEXT),
    Key("row", "field", "the row of the matrix, from 0", _WHOLE),
    Key("column", "field", "the column of the matrix, from 0", _WHOLE),
    Key("column_name", "field", "the column of the class table; for a field with a whole matrix, the step at the "
        "start of the column names", _TEXT),
    Key("kind", "field", "an entry, a box to tick, or a text, which a scan stores as a picture",
        {"enum": ["entry", "tick", "text"]}),
    Key("option", "field", "the letter next to the box", _TEXT),
    Key("page", "field", "the page of the paper, from 1", _WHOLE),
    Key("box", "field", "the left and upper edges, the width and the height, in millimetres", _LENGTHS),
    Key("code", "variant", "the code that is printed on the paper", _TEXT | {"minLength": 1}),
    Key("number", "variant", "the number of the paper, from 1", _WHOLE),
    Key("student", "variant", "the student who gets the paper, or null if anybody can use it",
        {"type": ["string", "null"]}),
    Key("version", "variant", "the version, such as A, which several papers can have, or null if there is none",
        {"type": ["string", "null"]}),
    Key("seed", "variant", "a digest of the title, the numbers and the options; equal papers have equal digests",
        _TEXT),
    Key("problem", "variant", "the text of the problem file; empty if nothing is calculated", _TEXT),
    Key("own", "variant", "the questions with options to tick, and the questions that are marked by hand",
        {"type": "array", "items": {"$ref": "#/$defs/own"}}),
    Key("figures", "variant", "the file of each question's picture, such as q3: block.svg; the key does not contain "
        "the picture",
        {"type": "object", "additionalProperties": _TEXT}),
    Key("name", "own", "q and the number of the question, such as q3", _TEXT | {"minLength": 1}),
    Key("kind", "own", "the kind of answer", {"enum": ["free_text", "choices"]}),
    Key("points", "own", "its points", _TEXT),
    Key("by_hand_of", "own", "the points that the question was worth when it was marked "
    "by hand, if they have changed since then", _TEXT),
    Key("title", "own", "a short title next to the number of the question", _TEXT),
    Key("ask", "own", "the question", _TEXT),
    Key("note", "own", "a remark, printed with the question", _TEXT),
    Key("hint", "own", "a hint, printed below the question", _TEXT),
    Key("solution", "own", "the model answer", _TEXT),
    Key("step", "own", "the step whose matrices are the choices", _TEXT),
    Key("several", "own", "whether students can tick more than one option", FLAG),
    Key("right", "own", "the letters that are right", {"type": "array", "items": _TEXT}),
    Key("choices", "own", "the choices", {"type": "array", "items": {"$ref": "#/$defs/choice"}}),
    Key("letter", "choice", "the letter on the paper", _TEXT),
    Key("text", "choice", "the text of the choice", _TEXT),
    Key("matrix", "choice", "the matrix of the choice", {"type": "array", "items": {"type": "array", "items": _TEXT}}),
    Key("because", "choice", "the reason why this choice is right or wrong", _TEXT),
    Key("code", "choice", "the mistake that leads to this choice", {"type": ["string", "null"]}),
))  # fmt: skip
KEYS = Keys((
    Key("format", "sheet", "the version of this format: 1", VERSION),
    Key("title", "sheet", "the title of the paper"),
    Key("course", "sheet", "the course, above the title"),
    Key("date", "sheet", "the date as it is printed"),
    Key("instructions", "sheet", "a text, or a list of texts, below the title", _TEXTS),
    Key("variants", "sheet", "number of variants", {"type": "integer", "minimum": 1, "maximum": MOST_VARIANTS}),
    Key("students", "sheet", "the students, who get one paper each: student numbers, mappings with number and "
        "name, or a CSV or text file",
        _STUDENTS),
    Key("versions", "sheet", "number of versions A, B, C ...; students who sit next to each "
    "other get different versions",
        {"type": "integer", "minimum": 2, "maximum": MOST_VERSIONS}),
    Key("seats", "sheet", "number of seats per row; students fill the rows in the order of the list, and neighbours "
        "in front and behind also get different versions",
        {"type": "integer", "minimum": 1}),
    Key("names", "sheet", "whether names and numbers of students are printed on their papers; true by default", FLAG),
    Key("purpose", "sheet", "the purpose of the papers; practice papers and a resit have different random "
    "numbers from the exam",
        {"enum": ["exam", "practice", "resit"]}),
    Key("language", "sheet", "the language of the paper's fixed texts: en, de, "
    "or the language of `words:`", {"type": "string"}),
    Key("words", "sheet", "a file with the paper's fixed texts in a different language; `attncalc templates words "
    "-o FOLDER` "
        "copies the bundled ones",
        {"type": "string"}),
    Key("logo", "sheet", "a picture at the top: a file in the folder of the sheet, "
    "or a mapping with file, width and alt",
        _FIGURE),
    Key("header", "sheet", "one or more lines at the top, next to the logo", _TEXTS),
    Key("large_print", "sheet", "true to print all papers in large print; or a list of the students who get large "
        "print: numbers, names or email addresses", _LARGE),
    Key("seed", "sheet", "for practice and tests: the same seed gives the same papers on every machine. Without "
    "`seed:` and `secret:`, `attncalc exam` keeps a random secret in a file next to the sheet"),
    Key("secret", "sheet", "instead of a file with a random secret: each student's variant is generated from the "
        "student's number and this secret",
        {"type": "string", "minLength": 8}),
    Key("rounding", "sheet question", "decimals and rounding mode of the answers", ROUNDING),
    Key("scale", "sheet", "grades, the best first, each with its minimum points or percentage: "
        "`attncalc grade --scale SHEET`",
        {"type": "object", "additionalProperties": TEXT}),
    Key("accept", "sheet question", "further answers that are accepted as right: codes of mistakes in the "
    "catalogue, and "
        "steps with different formulas or values", ACCEPT),
    Key("rubric", "sheet question", "the share of a step's points for the method, and the share that remains after "
        "each mistake in the catalogue", RUBRIC),
    Key("round", "sheet", "the points of a whole script are rounded to a multiple of this number, such as 1/2", STEP),
    Key("questions", "sheet", "the questions, in order", _QUESTIONS),
    Key("formula_sheet", "sheet", "whether a last page lists the formulas of the lessons", FLAG),
    Key("decimal_comma", "sheet", "whether numbers are printed with a decimal comma", FLAG),
    Key("scan", "sheet", "whether the papers can be scanned: they then have marks in the corners, a code on each "
        "page, and boxes to write in", FLAG),
    Key("template", "sheet", "a folder of your own templates; `attncalc templates exam -o FOLDER` copies the "
    "bundled ones"),
    Key("blanks", "sheet question", "whether the paper has empty matrices to fill in; true by default", FLAG),
    Key("practice", "sheet question", "whether the paper or question is an exercise: the first steps are already "
        "solved, and each question leaves more steps to the student",
        FLAG),
    Key("hints", "sheet question", "whether the formula is printed next to each step that is asked", FLAG),
    Key("space", "sheet question", "the space for work above each matrix, in centimetres; it is larger if the "
        "solution needs more space",
        _SPACE),
    Key("generate", "question", "the lesson for which a problem is generated, with different numbers in every variant",
        {"enum": [*RECIPES, *drawn_lessons()]}),
    Key("with", "question", "how the problem is generated: sizes, options of the lesson, entries, family, relax, "
        "margin",
        {"$ref": "#/$defs/with"}),
    Key("problem", "question", "a problem file, or the name of a bundled problem; without draw:, it has the same "
        "numbers in every variant",
        {"type": "string"}),
    Key("one_of", "question", "a list of questions; each variant gets one of these questions",
        {"type": "array", "items": _QUESTION, "minItems": 2}),
    Key("free_text", "question", "the model answer of a question that is answered in words and marked by hand; it "
        "can be empty", TEXT),
    Key("choices", "question", "options to tick, each `right: text` or `wrong: text`; in a question with random "
        "numbers, the number of matrices to choose from",
        _CHOICES),
    Key("several", "question", "whether students can tick more than one option; by default, "
    "true if more than one option is right",
        FLAG),
    Key("solution", "question", "the text of the solution, for your own question with choices"),
    Key("shuffle", "sheet question", "whether the options of a question are shuffled in each variant", FLAG),
    Key("part", "question", "the part of the problem that is asked, or a list of parts",
        {"anyOf": [TEXT, {"type": "array", "items": TEXT, "minItems": 1}]}),
    Key("figure", "question", "a picture in the sheet's folder (png, jpg, svg, pdf), or a mapping of file, width and "
                              "alt", _FIGURE),
    Key("hint", "question", "a hint, printed below the task"),
    Key("title", "question", "a short title next to the number of the question"),
    Key("ask", "question", "the task for the student, instead of the problem's own text"),
    Key("note", "question", "a remark, printed with the question"),
    Key("asked", "question", "the steps, or slices of them, that the student must answer", ASKED),
    Key("points", "question", "points for the question or for each step; for a problem with several parts, also "
    "for each part",
        {"$ref": "#/$defs/points"}),
))  # fmt: skip
