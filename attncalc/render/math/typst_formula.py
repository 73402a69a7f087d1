"""Texts, numbers and formulas in Typst. A user's text is always inside quotes, where Typst has no commands."""

from __future__ import annotations

from ...explain.document import ENTRYWISE
from ...formula.syntax_tree import COMPARISONS, Tree
from ..wrap import clean
from . import sentence_markup, speech
from .common import GREEK_LETTERS
from .tex import GREEK
from .two_dimensional import TypesetPrinter


def quoted(text: str) -> str:
    """Return a text in quotes, in which only `\\` and `"` are special to Typst."""
    return '"' + clean(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


class Typst(TypesetPrinter):
    """Formulas as Typst."""

    operators = {"+": "{0} + {1}", "-": "{0} - {1}", "@": "{0} thin {1}", "*": "{0} dot {1}", "/": "frac({0}, {1})",
                 "%": "{0} mod {1}", ENTRYWISE: "{0} compose {1}"}  # fmt: skip
    compared = {sign: f"{{0}} {sign.replace('==', '=')} {{1}}" for sign in COMPARISONS}
    matrix, rows_apart, entries_apart = 'mat(delim: "[", {})', "; ", ", "
    negative, infinity = "-{}", "infinity"
    power, power_of_e, ten, transposed = "{0}^({1})", "e^({})", "10^({})", "{}^top"
    at_most, below, not_zero = " <= ", " < ", " != 0"
    comma, span = "\\,", '{0}":"{1}'
    where = "{0} quad {3} {1}\\, {2} {4}"
    slash = "{0} \\/ {1}"
    subscript, superscript = "{0}_({1})", "{0}^({1})"
    word, decimal_comma = 'upright("{}")', '","'
    letters = {name: name for name in GREEK} | {"eps": "epsilon"} | GREEK_LETTERS
    named, applied, separator = 'op("{}")', "{0} ({1})", "\\, "
    signs = {"log": "ln", "ln": "ln", "log2": "log_2", "log10": "log_10", "sin": "sin", "cos": "cos", "tanh": "tanh",
             "maximum": "max", "minimum": "min", "sigmoid": "sigma", "exp": "exp", "max": "max", "min": "min",
             "det": "det"}  # fmt: skip
    forms = {"sqrt": "sqrt({})", "abs": "abs({})", "norm": "norm({})", "floor": "floor({})", "ceil": "ceil({})",
             "hstack": "[{}]", "vstack": "[{}]",
             "multiple": "{}", "sum_i": "sum_i {}", "sum_j": "sum_j {}", "sum_k": "sum_k {}"}  # fmt: skip
    separators = {"hstack": " mid(|) ", "vstack": "\\; ", "multiple": " "}

    def text(self, text: str) -> str:
        return quoted(text)


TYPST = Typst()
formula, number = TYPST.formula, TYPST.number


def sentence(text: str) -> str:
    """Return a sentence as a Typst expression. Its numbers, names and entries are formulas with alternative text."""
    parts = (quoted(piece) if isinstance(piece, str) else _heard(piece) for piece in sentence_markup.pieces(text))
    return " + ".join(parts) or '""'


def _heard(piece: Tree | sentence_markup.EntryReference) -> str:
    alt_text = sentence_markup.formula(speech.SPEECH, piece).replace("_", " ")
    return f"maths({quoted(alt_text)}, ${sentence_markup.formula(TYPST, piece)}$)"
