"""Every sentence of practice in Python, except the questions in `explain/reasons/questions.ini`."""

from __future__ import annotations

TITLE = "Practise attention"
SKIP = "Skip to the exercise"
LESSONS_TITLE = "Lessons, with new numbers each time"
# The feedback to a wrong answer of a question
NOT_QUITE = "Not quite. {why}"
# A question about the largest weight
LARGEST = "Which column gets the largest weight in row {row}?"
GROWS = "It has the largest score of the row. e^x grows with x, so it also gets the largest weight."
SMALLER = "The score in {column} is smaller than the largest score of the row, so the weight is smaller too."
HIDDEN = "The mask hides {column}, so its weight is 0."
# A question about the sources of a step
LINES = ("row {label}", "column {label}")
COPIED_WRONGLY = (
    "Suppose that your only mistake is that you copy {line} of {source} wrongly into this step. "
    "Which entries of {name} can be wrong?"
)
ALL_ENTRIES = "All entries."
NO_ENTRY = "No entry."
ONLY = "Only {line}."
USED = "{entry} is computed from it."
USED_TOO = "{entry} is in a different {side}, and is computed from it as well."
UNUSED = "{entry} is not computed from it."
ONLY_THESE = "Only these entries are computed from it."
SIDES = ("row", "column")

# The idea before an exercise
QUESTION = "How do you get {name} from {givens}?"
THE_TEXT = "the words"
FORMULAS = "The formulas"
FORMULA_HEADS = ("matrix", "formula", "meaning")
EXAMPLE = "An example with other numbers"

# Hints, in increasing order of help
HINT_TITLES = {
    "where": "Where to look",
    "done": "The probable mistake",
    "advice": "What to do",
    "entry": "One entry as an example",
    "numbers": "The numbers",
}
HINT_KINDS = tuple(HINT_TITLES)
EMPTY = "This step is empty. It has {n} rows and {m} columns, and is calculated from {uses}."
PARTLY = "Some entries of this step are still empty."
GAPS = "Some entries of this step are still empty or are not numbers."
SOUND = "Nothing is wrong in this step."
NO_CAUSE = "No known mistake explains these numbers. Check your arithmetic."
SWAPPED = "It looks as if these two entries are swapped."
MORE_DIGITS = "Between steps, the program keeps more decimals than the matrices show."
MEANT = "{place}: expected a number, found {text!r}; did you mean {plain}?"
BLANK = "write a blank as _|_ for a blank"  # advice for a file, which EMPTY_BOX replaces on the page
EMPTY_BOX = "leave the entry empty"
SHAPE = "The shape is not right: {shape}."
DO = "Calculate {formula}."
DO_FROM_YOURS = "Calculate {formula} from your own earlier numbers."
SOFTMAX = " Take the exponential of each score, then divide by the row's sum."
DIGITS = "{label}. Look at the last digits: round only at the end of each line."
FROM_YOURS = "These numbers are calculated from your own earlier answers."

NOT_ASKED = "not asked: optional"
STAGE = "{first} to {last}"
UNANSWERED = "not answered yet"
FIRST = "first error"
ALL_RIGHT = "Everything is right."
BEGIN = "{left} to do."
CARRY_ON = "Everything is right so far. {left} to do."
BROKE = "The first error is in {step}."
LATER = "Later steps are checked with your own numbers."

# Requests that cannot be answered.
NO_ITEM = "there is no exercise {name}"
NO_STEP = "this exercise has no step {name}"
NO_CELL = "{name} has no entry in row {row}, column {column}"
NO_TRAP = "no new numbers were found that reveal this mistake; try a different exercise"
REVEALED = "You made a mistake in this exercise. These numbers show whether you avoid it now."
DUE_AGAIN = "You finished this exercise on an earlier day. Practise it again."
NOT_REVEALED = "No numbers were found that reveal the mistake that is due. Practise this exercise instead."
NO_DRAW = "no new numbers were found for this exercise"
NOTHING_CHOSEN = "choose at least one exercise"
NOT_ALLOWED = "your instructor has switched off this hint"
NO_PROGRESS = "This file contains no progress saved by attncalc. Your progress has not changed."
NO_GIVEN = "this exercise has no given matrix {name}"
CHANGED = ("scale", "mask")  # options of a lesson that the playground can change

NOT_STORED = "Your progress could not be stored in {path}: {why}. Export it before you close the page."

NO_PYODIDE = (
    "expected Pyodide {version} and its python-flint in this folder, but {missing} is missing. To obtain them: "
    "`npm pack pyodide@{version} && tar xzf pyodide-{version}.tgz`, then `pip download --no-deps --only-binary=:all: "
    "--platform pyemscripten_2026_0_wasm32 --python-version 314 -d package python-flint`, then add `--pyodide package`"
)
NOT_COMPILED = (
    "Node.js was not found, so every browser must compile the program itself (a few seconds per visit). To "
    "avoid this, run the command on a computer with Node.js"
)
LICENCES = """This folder contains, in addition to attncalc (MIT licence):

Pyodide 314.0.7, pyodide.* and python_stdlib.zip (Mozilla Public License 2.0;
source: https://github.com/pyodide/pyodide), which contains CPython (Python Software Foundation License;
source: https://github.com/python/cpython).
python-flint in python-flint.zip (MIT licence; source: https://github.com/flintlib/python-flint),
built with FLINT, MPFR and GMP (GNU Lesser General Public License 3; only the functions that are used here;
sources: https://flintlib.org, https://www.mpfr.org, https://gmplib.org).
PyYAML in attncalc.zip (MIT licence; source: https://github.com/yaml/pyyaml).
A part of STIX Two Math, mathematics.woff2 (SIL Open Font License 1.1, in OFL.txt)."""
