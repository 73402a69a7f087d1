"""Every sentence that practice says to people on the Python side: questions of understanding, hints, errors."""

from __future__ import annotations

TITLE = "Practise attention"
LESSONS_TITLE = "Lessons, with new numbers each time"
# Of the names of lessons with blanks for _, what is spelt otherwise
SPELT = {
    "self attention": "self-attention", "cross attention": "cross-attention", "multi head": "multi-head",
    "feed forward": "feed-forward", "cross entropy": "cross-entropy", "byte pair": "byte-pair", "ngram": "n-gram",
    "rms": "RMS", "bleu": "BLEU", "lora": "LoRA", "llama": "LLaMA", "jacobian": "Jacobian",
}  # fmt: skip
# Questions of understanding by what a step is called in its lesson, or does: question, right answer, wrong answers,
# why. {name}: the step; {row}: one of its rows; {n}, {m}: its size.
QUESTIONS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "S_scaled": (
        "Why are the scores divided by √d_k?",
        "Dot products of d_k terms grow like √d_k, and one large score would take all the weight.",
        ("So that each row sums to 1.", "So that the scores lie between 0 and 1.", "So that masked entries become 0."),
        "Dot products of d_k independent terms have a variance of about d_k. Dividing by √d_k brings it back to about "
        "1.",
    ),
    "S_masked": (
        "Why are masked scores set to −∞ and not to 0?",
        "e^(−∞) is 0, so the weight is exactly 0; a score of 0 would still get a weight.",
        ("Because 0 is already used for padding.", "So that the row sums to 0.", "Because the softmax cannot read 0."),
        "The softmax takes exponentials: e^0 = 1 would count like any other word, e^(−∞) = 0 does not count at all.",
    ),
    "A_masked": (
        "Why is each row divided by its sum again?",
        "The mask removed some weights, and the rest must sum to 1 again.",
        ("So that the masked weights come back.", "To undo the scale √d_k.", "So that each column sums to 1."),
        "After some weights are set to 0, what is left sums to less than 1.",
    ),
    "softmax": (
        "Why do the weights of the row {row} sum to 1?",
        "Each exponential of the row is divided by the sum of the row's exponentials.",
        ("Because the scores sum to 1.", "Because each column is divided by its sum.",
         "Because of the division by √d_k."),
        "The softmax divides each e^score by the sum over the same row, so the shares of a row add up to 1.",
    ),
    "Z": (
        "What is the row {row} of {name}?",
        "A weighted mean of the rows of V, with the weights of that row of A.",
        ("The row of V with the largest weight.", "The sum of all rows of V.", "The query of that row, scaled."),
        "Row i of A · V adds up the rows of V, each times its weight in row i of A. The weights sum to 1: it is a "
        "weighted mean.",
    ),
    "S": (
        "What does one entry of the scores say?",
        "How well the query of its row matches the key of its column.",
        ("How much of a value is passed on.", "The distance between two words of the sentence.",
         "The probability of the next word."),
        "Each entry is the dot product of one query (row) and one key (column). It is no probability yet.",
    ),
    "Q": (
        "What is a query used for?",
        "It is compared with every key; their dot products are the scores.",
        ("It is mixed into the output by the weights.", "It is added to the word's position.", "It hides later words."),
        "Queries and keys only decide the weights. What is passed on comes from the values.",
    ),
    "K": (
        "What is a key used for?",
        "The queries are compared with it to get the scores.",
        ("It is passed on to the output.", "It normalises the scores.", "It stores the word's position."),
        "A key says what its word can be matched on. What the word passes on is its value.",
    ),
    "V": (
        "What happens to the values in attention?",
        "They are mixed by the weights and become the output.",
        ("They are compared with the queries.", "They are divided by √d_k.", "They hide later words."),
        "The weights are made from queries and keys alone; the values are what is mixed by them.",
    ),
    "exp": (
        "Can an entry of {name} be negative or 0?",
        "No. An exponential is greater than 0; only e^(−∞) is 0.",
        ("Yes, where the score is negative.", "Yes, where the score is 0.", "Yes, after rounding up."),
        "e^x is positive for every number x; e^0 is 1.",
    ),
    "matmul": (
        "Which numbers make the entry in row {row} and column {column} of {name}?",
        "The row {row} of the first matrix and the column {column} of the second.",
        ("The column {column} of the first matrix and the row {row} of the second.",
         "One entry of each matrix, at the same place.",
         "All entries of both matrices."),
        "Entry (i, j) of a matrix product is the dot product of row i on the left and column j on the right.",
    ),
    "": (
        "How many rows and columns has {name}?",
        "{n} × {m}",
        ("{n1} × {m1}", "{n} × {m2}", "{n1} × {m}"),
        "Rows first, then columns: {name} is {n} × {m}.",
    ),
}  # fmt: skip

WHY = "What is {name} for?"  # of other steps of lessons, which say so

# Hints, from the least to the most that is given away.
RUNG_TITLES = {
    "where": "Where to look",
    "done": "What was probably done",
    "advice": "What to do",
    "entry": "One entry worked out",
    "numbers": "The numbers",
}
RUNGS = tuple(RUNG_TITLES)
EMPTY = "This step is empty. It has {n} rows and {m} columns, and is made from {uses}."
PARTLY = "Some entries of this step are still empty."
SOUND = "Nothing is wrong in this step."
NO_CAUSE = "No known mistake explains these numbers, so they may be a slip in the arithmetic."
SWAPPED = "It looks as if these two entries changed places."
NEAR = (
    "The numbers are close to the right ones, so perhaps something was rounded too early: keep more decimals until "
    "the end of each entry."
)
MORE_DIGITS = "Between steps more decimals are kept here than the matrices show."
SHAPE = "The shape is not right: {shape}."
UNREAD = "{text} could not be read as a number: {why}"
DO = "Calculate {formula}."
DO_FROM_YOURS = "Calculate {formula} from your own earlier numbers."
SOFTMAX = " Take the exponential of each score, then divide by the row's sum."
DIGITS = "{label}. Look at the last digits: round only at the end of each line."
FROM_YOURS = "These numbers follow from your own earlier lines."

NOT_ASKED = "not asked: may stay empty"
UNANSWERED = "not answered yet"
FIRST = "first error"
ALL_RIGHT = "Everything is right."
CARRY_ON = "So far everything is right. {left} to do."
BROKE = "The first error is in {step}."
LATER = "Later steps are judged from your own numbers."

# Requests that cannot be answered.
NO_ITEM = "there is no exercise {name}"
NO_STEP = "this exercise has no step {name}"
NO_CELL = "{name} has no entry in row {row}, column {column}"
NO_TRAP = "no new numbers were found that reveal this mistake; try another exercise"
NOT_REVEALED = "No numbers were found here that show what is due, so practise this meanwhile."
NO_DRAW = "no other numbers were found for this exercise"
NOT_ALLOWED = "your instructor set the hints to end before this one"
NUMBERS = "write 0.5, 1/3, -inf"
NO_GIVEN = "this exercise has no given {name}"
CHANGED = ("scale", "mask")  # options of a lesson that the playground changes

NO_PYODIDE = (
    "expected Pyodide {version} and python-flint for it in this folder, found no {missing}. To obtain them: "
    "`npm pack pyodide@{version} && tar xzf pyodide-{version}.tgz`, then `pip download --no-deps --only-binary=:all: "
    "--platform pyemscripten_2026_0_wasm32 --python-version 314 -d package python-flint`, then add `--pyodide package`"
)
NOT_COMPILED = (
    "Without Node each browser compiles the program anew, which takes it some seconds: write the folder where Node is"
)
LICENCES = """This folder holds, beside attncalc (MIT licence):

Pyodide 314.0.7, pyodide.* and python_stdlib.zip (Mozilla Public License 2.0;
source: https://github.com/pyodide/pyodide), which holds CPython (Python Software Foundation License;
source: https://github.com/python/cpython).
python-flint in python-flint.zip (MIT licence; source: https://github.com/flintlib/python-flint),
built with FLINT, MPFR and GMP (GNU Lesser General Public License 3; of what they export, what is used here;
sources: https://flintlib.org, https://www.mpfr.org, https://gmplib.org).
PyYAML in attncalc.zip (MIT licence; source: https://github.com/yaml/pyyaml).
A part of STIX Two Math, mathematics.woff2 (SIL Open Font License 1.1, in OFL.txt)."""
