"""Text, numbers and formulas in Typst: the signs of every operation, in tables.

A user's text stands only inside quotes, where Typst knows no commands.
"""

from __future__ import annotations

from . import spoken
from .maths import SPOKEN, Dialect, Maths
from .tex import POWER_OF_TEN
from .wrap import clean

_OPERATORS = {
    "exp": "exp", "log": "ln", "ln": "ln", "log2": "log_2", "log10": "log_10", "sin": "sin", "cos": "cos", "tanh": "tanh",
    "maximum": "max", "minimum": "min", "sigmoid": "sigma",
}  # fmt: skip
CALLS = {name: f'op("{words}") ({{}})' for name, words in SPOKEN.items()}
CALLS |= {name: sign + " ({})" for name, sign in _OPERATORS.items()} | {
    "sqrt": "sqrt({})",
    "abs": "abs({})",
    "floor": "floor({})",
    "ceil": "ceil({})",
    "hstack": "[{}]",
    "vstack": "[{}]",
    "keep": "{}",
    "multiple": "{}",
    "sum_i": "sum_i {}",
    "sum_j": "sum_j {}",
    "sum_k": "sum_k {}",
}


def quoted(text: str) -> str:
    """A text in quotes: of all that Typst obeys, only `\\` and `"` mean something there."""
    return '"' + clean(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def sentence(text: str) -> str:
    """A sentence of our own as a Typst expression, its powers of ten as formulas with words for the ear."""
    parts = enumerate(POWER_OF_TEN.split(text))
    return " + ".join(_power(part) if k % 2 else quoted(part) for k, part in parts if part) or '""'


def _power(text: str) -> str:
    return f"maths({quoted(spoken.decimal(text))}, ${number(text)}$)"


TYPST = Dialect(
    text=quoted,
    word='upright("{}")',
    function='op("{0}") ({1})',
    greek="{}",
    epsilon="epsilon",
    subscript="{0}_({1})",
    superscript="{0}^({1})",
    infinity="infinity",
    times=" dot ",
    product=" thin ",
    entrywise=" compose ",
    fraction="frac({0}, {1})",
    power="{0}^({1})",
    ten="10^({})",
    exponential="e^({})",
    transposed="{}^top",
    group="({})",
    index="{0}[{1}]",
    span='{0}":"{1}',
    comma="\\,",
    where='{0} quad "where" {1}\\, {2} "elsewhere"',
    at_most=" <= ",
    below=" < ",
    not_zero=" != 0",
    calls=CALLS,
    separators={"hstack": " mid(|) ", "vstack": "\\; ", "multiple": " "},
)
MATHS = Maths(TYPST)
formula, number = MATHS.formula, MATHS.number
