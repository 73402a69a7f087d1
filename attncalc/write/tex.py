"""Text, numbers and formulas in LaTeX: the signs of every operation, in tables."""

from __future__ import annotations

import re

from .maths import SPOKEN, Dialect, Maths

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\symbol{34}",
}  # fmt: skip
# Signs of our own sentences that inputenc's tables lack.
_SYMBOLS = {
    "√": r"$\sqrt{\ }$", "−": "$-$", "∞": r"$\infty$", "·": r"$\cdot$", "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$",
    "θ": r"$\theta$", "γ": r"$\gamma$", "β": r"$\beta$", "ε": r"$\varepsilon$", "Σ": r"$\Sigma$", "σ": r"$\sigma$", "π": r"$\pi$",
    "Φ": r"$\Phi$", "ᵀ": r"$^\top$", "→": r"$\to$", "–": "--", "—": "---", "’": "'", "“": "``", "”": "''", "…": r"\dots{}",
    "φ": r"$\phi$", "δ": r"$\delta$", "∂": r"$\partial$", "ⱼ": "$_j$", "ₖ": "$_k$",
    "×": r"$\times$", "ᵢ": "$_i$", "⁻": "$^-$", "∘": r"$\circ$", "⋮": r"$\vdots$",
}  # fmt: skip
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
POWER_OF_TEN = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?e[+-]\d+)\b")

_AROUND = r"\left({}\right)"
_OPERATORS = {
    "exp": r"\exp", "log": r"\ln", "ln": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "sin": r"\sin", "cos": r"\cos",
    "tanh": r"\tanh", "maximum": r"\max", "minimum": r"\min", "sigmoid": r"\sigma",
}  # fmt: skip
_SIGNS = {name: sign + _AROUND for name, sign in _OPERATORS.items()} | {
    "sqrt": r"\sqrt{{}}",
    "abs": r"\left|{}\right|",
    "floor": r"\left\lfloor{}\right\rfloor",
    "ceil": r"\left\lceil{}\right\rceil",
    "hstack": r"\left[{}\right]",
    "vstack": r"\left[{}\right]",
    "keep": r"{}",
    "multiple": "{}",
    "sum_i": r"\sum_{i} {}",
    "sum_j": r"\sum_{j} {}",
    "sum_k": r"\sum_{k} {}",
}


def calls(operator: str) -> dict[str, str]:
    """Every function around its arguments; `operator` sets the name of one that has no sign of its own."""
    spoken = {name: words.replace("_", r"\_") for name, words in SPOKEN.items()}
    return {name: operator.replace("{}", words) + _AROUND for name, words in spoken.items()} | _SIGNS


CALLS = calls(r"\operatorname{{}}")


def escape(text: str) -> str:
    """A user's text as text: no character of it is a command. What the fonts lack is shown as its code."""
    return "".join(map(_character, text))


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in _SYMBOLS:
        return _SYMBOLS[character]
    if character in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻":
        return f"$^{{{character.translate(_POWERS)}}}$"
    if ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0:
        return " "
    return character if ord(character) < 0x180 else rf"\texttt{{U+{ord(character):04X}}}"


def sentence(text: str) -> str:
    """A sentence of our own, its powers of ten as powers: 7.9e-32."""
    return "".join(f"${number(part)}$" if k % 2 else escape(part) for k, part in enumerate(POWER_OF_TEN.split(text)))


TEX = Dialect(
    text=lambda text: rf"\text{{{escape(text)}}}",
    word=r"\mathrm{{}}",
    function=r"\operatorname{{0}}\left({1}\right)",
    greek=r"\{}",
    epsilon=r"\varepsilon",
    subscript="{0}_{{1}}",
    superscript="{{0}^{{1}}}",
    infinity=r"\infty",
    times=r" \cdot ",
    product=r"\, ",
    entrywise=r" \circ ",
    fraction=r"\frac{{0}}{{1}}",
    power="{{0}}^{{1}}",
    ten="10^{{}}",
    exponential="e^{{}}",
    transposed=r"{}^{\top}",
    group=_AROUND,
    index="{{0}}_{[{1}]}",
    span="{0}{:}{1}",
    comma=r",\,",
    where=r"{0} \;\text{where}\; {1},\; {2} \;\text{elsewhere}",
    at_most=r" \le ",
    below=" < ",
    not_zero=r" \neq 0",
    calls=CALLS,
    separators={"hstack": r" \mid ", "vstack": r" \,;\, ", "multiple": ""},
)
MATHS = Maths(TEX)
formula, number = MATHS.formula, MATHS.number
