"""Text, numbers and formulas in LaTeX: the sign or the words of every operation, in tables."""

from __future__ import annotations

import re

from ..errors import FormulaError
from ..explain.document import ENTRYWISE
from ..formula.parse import parse
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree
from .notation import CALLS as WORDS
from .notation import flat, is_negative, outer_strength

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}  # fmt: skip
# Signs of our own sentences that inputenc's tables lack.
_SYMBOLS = {
    "√": r"$\sqrt{\ }$", "−": "$-$", "∞": r"$\infty$", "·": r"$\cdot$", "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$",
    "θ": r"$\theta$", "γ": r"$\gamma$", "β": r"$\beta$", "ε": r"$\varepsilon$", "Σ": r"$\Sigma$", "σ": r"$\sigma$", "π": r"$\pi$",
    "Φ": r"$\Phi$", "ᵀ": r"$^\top$", "→": r"$\to$", "–": "--", "—": "---", "’": "'", "“": "``", "”": "''", "…": r"\dots{}",
    "×": r"$\times$", "ᵢ": "$_i$", "⁻": "$^-$", "∘": r"$\circ$", "⋮": r"$\vdots$",
}  # fmt: skip
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER_OF_TEN = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?e[+-]\d+)\b")
_GREEK = {"gamma", "beta", "theta", "pi", "alpha", "eps"}

# How a function is written around its arguments; `{}` stands for all of them.
_AROUND = r"\left({}\right)"
_OPERATORS = {
    "exp": r"\exp", "log": r"\ln", "ln": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "sin": r"\sin", "cos": r"\cos",
    "tanh": r"\tanh", "maximum": r"\max", "minimum": r"\min", "sigmoid": r"\sigma",
}  # fmt: skip
_SPOKEN = {name: words.partition("(")[0].replace("_", r"\_") for name, words in WORDS.items()}
CALLS = {name: rf"\operatorname{{{spoken}}}" + _AROUND for name, spoken in _SPOKEN.items()}
CALLS |= {name: sign + _AROUND for name, sign in _OPERATORS.items()} | {
    "sqrt": r"\sqrt{{}}",
    "abs": r"\left|{}\right|",
    "floor": r"\left\lfloor{}\right\rfloor",
    "ceil": r"\left\lceil{}\right\rceil",
    "hstack": r"\left[{}\right]",
    "vstack": r"\left[{}\right]",
    "keep": r"{}",
}
_SEPARATORS = {"hstack": r" \mid ", "vstack": r" \,;\, "}


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
    parts = _POWER_OF_TEN.split(text)
    return "".join(f"${number(part)}$" if k % 2 else escape(part) for k, part in enumerate(parts))


def number(text: str) -> str:
    """A decimal, a closed form or −∞ in LaTeX."""
    text = text.strip().replace("−", "-").replace("∞", "inf")
    if re.fullmatch(r"-?inf", text):
        return text.replace("inf", r"\infty")
    if re.fullmatch(r"[-+]?[\d.]+(e[+-]?\d+)?", text):
        mantissa, _, exponent = text.partition("e")
        power = rf"10^{{{int(exponent)}}}" if exponent else ""
        return mantissa[:-1] + power if power and mantissa.lstrip("-") == "1" else mantissa + (rf"\cdot {power}" if power else "")
    try:
        return formula(parse(text))
    except FormulaError:
        return rf"\text{{{escape(text)}}}"


def formula(tree: Tree, first: bool = True) -> str:
    """A formula with the order and the brackets of the tree; `first` says that nothing stands before it."""
    match tree:
        case Number(text):
            shown = number(text)
            return shown if first or not text.startswith("-") else rf"\left({shown}\right)"
        case Name("inf"):
            return r"\infty"
        case Name(name):
            return ".".join(map(_name, name.split("."))) if not name.startswith("…") else rf"\;\text{{{escape(name)}}}\;"
        case Text(value):
            return rf"\text{{{escape(value)}}}"
        case Negate(a):
            shown = "-" + _inner(a, 3, False)
            return shown if first else rf"\left({shown}\right)"
        case Transpose(a):
            return _inner(a, 5) + r"^{\top}"
        case Binary("**", Name("e"), b) | Call("exp", (b,)) if len(formula(b)) < 12:
            return rf"e^{{{formula(b)}}}"
        case Binary():
            return _binary(tree, first)
        case Index(a, rows, columns):
            places = _item(rows) if columns is None else rf"{_item(rows)},\,{_item(columns)}"
            return rf"{{{_inner(a, 5)}}}_{{[{places}]}}"
        case Call(function, (a, b)) if function == ENTRYWISE:
            return _inner(a, 2, first) + r" \circ " + _inner(b, 3, False)
        case Call("keep"):
            return _keep(tree)
        case Call():
            return _call(tree)
    raise TypeError(tree)


def _inner(part: Tree, at_least: int, first: bool = True) -> str:
    return formula(part, first) if outer_strength(part) >= at_least else rf"\left({formula(part)}\right)"


def _binary(tree: Binary, first: bool) -> str:
    a, b = tree.left, tree.right
    match tree.operator:
        case "@":
            return _inner(a, 2, first) + r"\, " + _inner(b, 3, False)
        case "*":
            return _inner(a, 2, first) + r" \cdot " + _inner(b, 3, False)
        case "/":
            return rf"\frac{{{formula(a)}}}{{{formula(b)}}}"
        case "**":
            return rf"{{{_base(a)}}}^{{{formula(b)}}}"
    return f"{_inner(a, 1, first)} {tree.operator} {_inner(b, 2, False)}"


def _base(tree: Tree) -> str:
    """What is raised to a power; a fraction bar there needs brackets too."""
    bare = outer_strength(tree) == 5 and not is_negative(tree) and not isinstance(tree, Transpose)
    return formula(tree) if bare else rf"\left({formula(tree)}\right)"


def _call(tree: Call) -> str:
    words = [formula(a) for a in flat(tree)]
    words += [rf"\text{{{escape(name)}}} = {formula(value)}" for name, value in tree.options]
    shown = CALLS.get(tree.function, rf"\operatorname{{{escape(tree.function)}}}" + _AROUND)
    return shown.replace("{}", _SEPARATORS.get(tree.function, r",\, ").join(words))


def _keep(tree: Call) -> str:
    """`S where j ≤ i, −∞ elsewhere`"""
    given = dict(zip(("S", "M", "fill"), tree.arguments, strict=False)) | dict(tree.options)
    scores, mask = (given.get(name, Name(name)) for name in "SM")
    where = _seen(mask) or formula(mask) + r" \neq 0"
    fill = formula(given["fill"]) if "fill" in given else r"-\infty"
    return rf"{formula(scores)} \;\text{{where}}\; {where},\; {fill} \;\text{{elsewhere}}"


def _seen(mask: Tree) -> str:
    """A mask of the language as what must hold between query i and key j."""
    match mask:
        case Call("causal", (_, _)):
            return r"j \le i"
        case Call("causal_strict", (_, _)):
            return "j < i"
        case Call("band", (_, _, width)):
            return rf"|i - j| \le {formula(width)}"
    return ""


def _item(part: Tree | Slice) -> str:
    if isinstance(part, Slice):
        return f"{formula(part.start) if part.start else ''}{{:}}{formula(part.stop) if part.stop else ''}"
    return formula(part)


def _name(name: str) -> str:
    if of := re.fullmatch(r"([a-z]\w*?)_([A-Z]_\w+)", name):  # cross_W_Q is the W_Q of cross
        return rf"{{{_name(of[2])}^{{\text{{{escape(of[1])}}}}}}}"
    base, _, index = name.partition("_")
    shown = rf"\{'varepsilon' if base == 'eps' else base}" if base in _GREEK else base if len(base) == 1 else rf"\mathrm{{{base}}}"
    if not index:
        return shown
    words = escape(index.replace("_", " "))
    return rf"{shown}_{{{index}}}" if len(index) == 1 else rf"{shown}_{{\text{{{words}}}}}"
