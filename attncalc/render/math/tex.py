"""Texts, numbers and formulas in LaTeX."""

from __future__ import annotations

import re

from ...explain.document import ENTRYWISE
from . import sentence_markup
from .common import GREEK_LETTERS
from .two_dimensional import TypesetPrinter

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
}  # fmt: skip
# Signs in sentences of the program that the tables of inputenc lack.
_SYMBOLS = {
    "√": r"$\sqrt{\ }$", "−": "$-$", "∞": r"$\infty$", "·": r"$\cdot$", "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$",
    "θ": r"$\theta$", "γ": r"$\gamma$", "β": r"$\beta$", "ε": r"$\varepsilon$", "Σ": r"$\Sigma$", "σ": r"$\sigma$",
    "π": r"$\pi$", "Φ": r"$\Phi$", "ᵀ": r"$^\top$", "→": r"$\to$", "–": "--", "—": "---", "’": "'", "“": "``",
    "”": "''", "…": r"\dots{}", "■": r"\rule{.5em}{.5em}\,", "φ": r"$\phi$", "δ": r"$\delta$", "∂": r"$\partial$",
    "ⱼ": "$_j$", "ₖ": "$_k$", "×": r"$\times$", "ᵢ": "$_i$", "⁻": "$^-$", "∘": r"$\circ$", "⋮": r"$\vdots$",
}  # fmt: skip
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
GREEK = ("gamma", "beta", "theta", "pi", "alpha", "phi")
_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True))  # Greek letters without a command in LaTeX
_GREEK = {
    letter: rf"\mathrm{{{_LATIN[letter]}}}"
    if letter in _LATIN
    else {"ε": r"\varepsilon", "ς": r"\varsigma"}.get(letter, rf"\{name}")
    for letter, name in GREEK_LETTERS.items()
}


_ROOT = re.compile(r"√([0-9]+|[A-Za-z](?:_[A-Za-z0-9]+)?)|√\(([^()√]+)\)|(.)", re.DOTALL)  # √2, √d_k, √(1/d)


def escape(text: str) -> str:
    """Return a user's text without commands. Characters that the fonts lack are replaced by their codes."""
    return "".join(_root_or_character(*groups) for groups in _ROOT.findall(text))


def _root_or_character(simple: str, bracketed: str, character: str) -> str:
    if character:
        return _character(character)
    below = _radicand(simple) if simple else rf"\text{{{escape(bracketed)}}}"
    return rf"$\sqrt{{{below}}}$"


def _radicand(root: str) -> str:
    name, _, low = root.partition("_")
    return rf"{name}_{{{low}}}" if low else name


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in _SYMBOLS:
        return _SYMBOLS[character]
    if character in _GREEK:
        return f"${_GREEK[character]}$"
    if character in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻":
        return f"$^{{{character.translate(_POWERS)}}}$"
    if ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0:
        return " "
    return character if ord(character) < 0x180 else rf"\texttt{{U+{ord(character):04X}}}"


class Tex(TypesetPrinter):
    """Formulas as LaTeX."""

    operators = {"+": "{0} + {1}", "-": "{0} - {1}", "@": r"{0}\, {1}", "*": r"{0} \cdot {1}", "/": r"\frac{{0}}{{1}}",
                 "%": r"{0} \bmod {1}", ENTRYWISE: r"{0} \circ {1}"}  # fmt: skip
    compared = {
        "<": "{0} < {1}", "<=": r"{0} \le {1}", ">": "{0} > {1}", ">=": r"{0} \ge {1}", "==": "{0} = {1}",
        "!=": r"{0} \neq {1}",
    }  # fmt: skip
    holds = r"\left[{}\right]"
    matrix, rows_apart, entries_apart = r"\begin{bmatrix}{}\end{bmatrix}", r" \\ ", " & "
    negative, infinity, group = "-{}", r"\infty", r"\left({}\right)"
    power, ten, transposed = "{{0}}^{{1}}", "10^{{}}", r"{}^{\top}"
    at_most, below, not_zero = r" \le ", " < ", r" \neq 0"
    block, comma, span = "{0}[{1}]", r",\,", "{0}{:}{1}"
    where = r"{0} \;{3}\; {1},\; {2} \;{4}"
    subscript, superscript = "{0}_{{1}}", "{{0}^{{1}}}"
    word = r"\mathrm{{}}"
    letters = {name: rf"\{name}" for name in GREEK} | {"eps": r"\varepsilon"} | _GREEK
    named, applied, separator = r"\operatorname{{}}", r"{0}\left({1}\right)", r",\, "
    signs = {"log": r"\ln", "ln": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "sin": r"\sin", "cos": r"\cos",
             "tanh": r"\tanh", "maximum": r"\max", "minimum": r"\min", "sigmoid": r"\sigma", "exp": r"\exp",
             "max": r"\max", "min": r"\min", "det": r"\det"}  # fmt: skip
    forms = {"sqrt": r"\sqrt{{}}", "abs": r"\left|{}\right|", "norm": r"\left\|{}\right\|",
             "floor": r"\left\lfloor{}\right\rfloor", "ceil": r"\left\lceil{}\right\rceil",
             "hstack": r"\left[{}\right]", "vstack": r"\left[{}\right]", "multiple": "{}",
             "sum_i": r"\sum_{i} {}", "sum_j": r"\sum_{j} {}", "sum_k": r"\sum_{k} {}"}  # fmt: skip
    separators = {"hstack": r" \mid ", "vstack": r" \,;\, ", "multiple": ""}
    power_of_e, decimal_comma = "e^{{}}", "{,}"

    def text(self, text: str) -> str:
        return rf"\text{{{escape(text)}}}"

    def base_name(self, base: str) -> str:
        """Return a name without its indices. Greek letters are commands."""
        if " " in base:  # \mathrm would remove the spaces
            return self.text(base)
        shown = super().base_name(base)
        return (
            shown if base in self.letters else "".join(f"{_GREEK[sign]} " if sign in _GREEK else sign for sign in shown)
        )

    def sign(self, function: str) -> str:
        return self.signs.get(function) or super().sign(function).replace("_", r"\_")


# Signs between matrices.
SIGNS = {"·": r"\cdot", "∘": r"\circ", "−": "-", "/": r"\oslash", "|": r"\mid", "given": r"\text{given}", " ": r"\quad"}
TEX = Tex()
formula, number = TEX.formula, TEX.number


def sentence(text: str) -> str:
    """Return a sentence of the program with its numbers, names and entries as formulas: 7.9e-32, d_k, S[1, 2]."""
    return "".join(
        escape(piece) if isinstance(piece, str) else f"${sentence_markup.formula(TEX, piece)}$"
        for piece in sentence_markup.pieces(text)
    )
