"""Formulas as one line of text, in Unicode and in ASCII."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy

from ...explain.document import ENTRYWISE
from ...formula.syntax_tree import COMPARISONS, Binary, Call, Name, Negate, Number, Tree
from .common import GREEK_LETTERS
from .printer import FormulaPrinter, Table

_BELOW = str.maketrans("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ")
_BELOW_A_NAME = "0123456789₀₁₂₃₄₅₆₇₈₉"


class LinePrinter(FormulaPrinter):
    """`softmax(Q · Kᵀ / √d_k) · V`"""

    has_bars = False
    power = "{0}{1}"
    minus: str
    almost: str
    dots: str
    letters: Table = {}  # the letters of words in names
    root = ""  # the sign of roots; if empty, roots are function calls
    digits = ""  # superscript minus and digits, if there are any
    lowers = False  # whether there are subscript digits
    caret, prime = "^", "'"

    def text(self, text: str) -> str:
        return text

    def quoted(self, text: str) -> str:
        return f'"{text}"'

    def call(self, tree: Call) -> str:
        """Return a call of a function. A root has the sign √ if the dialect has this sign."""
        is_root = self.root and tree.function == "sqrt"
        return self.root + self.inner(tree.arguments[0], 5) if is_root else super().call(tree)

    def literal(self, text: str) -> str:
        return self.number(text)

    def number(self, text: str) -> str:
        """Return a decimal in the notation of the medium: −0.5, −∞, 7.9·10⁻³²."""
        mantissa, e, exponent = text.partition("e")
        if e and exponent.lstrip("+-").isdigit():
            text = self.scientific(mantissa, exponent)
        return text.replace(".", self.point).replace("inf", self.infinity).replace("-", self.minus)

    def scientific(self, mantissa: str, exponent: str) -> str:
        """Return `3.2·10⁻⁷`."""
        ten = f"10{self.superscript_digits(exponent)}"
        return mantissa + "·" + ten if mantissa.lstrip("-") != "1" else mantissa[:-1] + ten

    def superscript_digits(self, exponent: str) -> str:
        return str(int(exponent)).translate(str.maketrans("-0123456789", self.digits))

    def exponent(self, tree: Tree) -> str:
        """Return an exponent: superscript digits, or `^` and the exponent."""
        text = f"-{tree.operand.text}" if isinstance(tree, Negate) and isinstance(tree.operand, Number) else ""
        text = tree.text if isinstance(tree, Number) else text
        if self.digits and re.fullmatch("-?[0-9]+", text):
            return self.superscript_digits(text)
        return self.caret + (f"({self.small.formula(tree)})" if text.startswith("-") else self.small.inner(tree, 5))

    def base(self, tree: Tree) -> str:
        """Return the base of a power. A root is in brackets, because √2² means √(2²)."""
        is_root = isinstance(tree, Call) and tree.function == "sqrt"
        return self.in_brackets(self.formula(tree)) if is_root else super().base(tree)

    def entry_at(self, matrix: Tree, places: Sequence[str]) -> str:
        """Return `Q₁,₂` if the indices are numbers and the dialect has subscript digits, otherwise `Q[the, 2]`."""
        index_text = ", ".join(places)
        if not isinstance(matrix, Name) or not self.lowers or not re.fullmatch("[0-9]+(, [0-9]+)?", index_text):
            return self.rows_at(matrix, places)
        name = self.formula(matrix)
        is_plain = name[-1] not in _BELOW_A_NAME and "_" not in name
        return (name if is_plain else self.in_brackets(name)) + index_text.replace(" ", "").translate(_BELOW)

    def matrix_entry(self, tree: Tree) -> str:
        return self.small.formula(tree)

    def name(self, name: str) -> str:
        """Return a name. The dialect can replace names of Greek letters by the letters."""
        if name.startswith("…"):
            return name.replace("…", self.dots)
        return re.sub(r"[A-Za-z]+|[Α-Ωα-ω]", lambda m: self.letters.get(m[0], m[0]), name).replace("'", self.prime)

    @property
    def small(self) -> LinePrinter:
        """Return a copy without spaces around products and quotients, for the narrow cell of a matrix."""
        compact = copy(self)
        compact.operators = self.operators | {sign: self.operators[sign].replace(" ", "") for sign in "@*/"}
        return compact


class _Unicode(LinePrinter):
    operators = {
        "+": "{0} + {1}", "-": "{0} − {1}", "@": "{0} · {1}", "*": "{0} · {1}", "/": "{0} / {1}", "%": "{0} mod {1}",
        ENTRYWISE: "{0} ∘ {1}",
    }  # fmt: skip
    compared = {sign: f"{{0}} {shown} {{1}}" for sign, shown in zip(COMPARISONS, "<≤>≥=≠", strict=True)}
    minus, infinity, almost, dots = "−", "∞", "≈", "…"
    prime = "′"
    negative, transposed, root, digits, lowers = "−{}", "{}ᵀ", "√", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", True
    at_most, below, not_zero = " ≤ ", " < ", " ≠ 0"
    letters = {"pi": "π", "gamma": "γ", "beta": "β", "theta": "θ", "phi": "φ", "inf": "∞"}
    signs = {"log2": "log₂", "log10": "log₁₀", "sigmoid": "σ"}
    forms = {"abs": "|{}|", "norm": "‖{}‖", "floor": "⌊{}⌋", "ceil": "⌈{}⌉", "hstack": "[{}]", "vstack": "[{}]",
             "multiple": "{}",
             "sum_i": "Σᵢ {}", "sum_j": "Σⱼ {}", "sum_k": "Σₖ {}"}  # fmt: skip

    def word_with_index(self, word: str, index: Tree) -> str:
        below = self.formula(index)
        if re.fullmatch("[0-9]+|[ij]", below):
            return word + below.translate(_BELOW)
        return super().word_with_index(word, index)


class _Ascii(LinePrinter):
    operators = {
        "+": "{0} + {1}", "-": "{0} - {1}", "@": "{0} . {1}", "*": "{0} * {1}", "/": "{0} / {1}", "%": "{0} mod {1}",
        ENTRYWISE: "{0} * {1}",
    }  # fmt: skip
    compared = {sign: f"{{0}} {sign} {{1}}" for sign in COMPARISONS}
    minus, infinity, almost, dots = "-", "inf", "~", "..."
    letters = GREEK_LETTERS
    negative, transposed = "-{}", "{}^T"
    at_most, below, not_zero = " <= ", " < ", " != 0"
    forms = {"abs": "|{}|", "norm": "||{}||", "hstack": "[{}]", "vstack": "[{}]", "multiple": "{}",
             "sum_i": "sum over i of {}", "sum_j": "sum over j of {}", "sum_k": "sum over k of {}"}  # fmt: skip

    def scientific(self, mantissa: str, exponent: str) -> str:
        return f"{mantissa}e{exponent}"


UNICODE, ASCII = _Unicode(), _Ascii()
formula, number = UNICODE.formula, UNICODE.number


def formula_width(tree: Tree) -> int:
    """Return the width of a formula in characters. A fraction is as wide as its wider side."""
    if isinstance(tree, Binary) and tree.operator == "/":
        return max(formula_width(tree.left), formula_width(tree.right))
    return len(formula(tree))
