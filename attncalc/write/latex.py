"""A Document as LaTeX: formulas and matrices are set here, the page around them in templates/latex/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..explain.document import (
    Block,
    Cell,
    Choice,
    Choices,
    Document,
    Formula,
    Grid,
    Heading,
    Matrices,
    Paragraph,
    Sign,
    Stage,
    Worked,
)
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree, strength
from ..resources import folder

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}  # fmt: skip
# Signs of our own sentences that inputenc's tables lack.
_SYMBOLS = {
    "√": r"$\sqrt{\ }$", "−": "$-$", "∞": r"$\infty$", "·": r"$\cdot$", "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$",
    "θ": r"$\theta$", "γ": r"$\gamma$", "β": r"$\beta$", "ε": r"$\varepsilon$", "Σ": r"$\Sigma$", "σ": r"$\sigma$", "π": r"$\pi$",
    "ᵀ": r"$^\top$", "→": r"$\to$", "–": "--", "—": "---", "’": "'", "“": "``", "”": "''", "…": r"\dots{}", "×": r"$\times$",
    "ᵢ": "$_i$", "⁻": "$^-$", "√d": r"$\sqrt{d}$",
}  # fmt: skip
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = {"·": r"\cdot", "∘": r"\circ", "+": "+", "−": "-", "=": "=", "|": r"\mid", "given": r"\text{given}\;", "": r"\quad"}
_FUNCTIONS = {"exp", "log", "ln", "sin", "cos", "tanh", "max", "min"}
_GREEK = {"gamma", "beta", "theta", "pi", "alpha", "eps"}


def write(document: Document, template: Path | None = None) -> str:
    """The document through templates/latex/solution.tex, or a template of the user's own in Jinja's sandbox."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=FileSystemLoader(str(template or folder("templates") / "latex")),
        block_start_string="((*", block_end_string="*))", variable_start_string="(((", variable_end_string=")))",
        comment_start_string="((#", comment_end_string="#))",
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    return environment.get_template("solution.tex").render(blocks=[_block(b) for b in document.blocks])


def escape(text: str) -> str:
    """A user's text as text: no character of it is a command. What the fonts lack is shown as its code."""
    out = []
    for character in text:
        if character in _ESCAPES:
            out.append(_ESCAPES[character])
        elif character in _SYMBOLS:
            out.append(_SYMBOLS[character])
        elif character in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻":
            out.append(f"$^{{{character.translate(_POWERS)}}}$")
        elif ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0:
            out.append(" ")
        elif ord(character) < 0x180:
            out.append(character)
        else:
            out.append(rf"\texttt{{U+{ord(character):04X}}}")
    return "".join(out)


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading(text, level, aside):
            return {"kind": "title" if level == 1 else "part", "text": escape(text), "aside": escape(aside)}
        case Paragraph(text, role):
            return {"kind": role, "text": escape(text)}
        case Choices(items):
            return {"kind": "choices", "text": r" \textperiodcentered\ ".join(_choice(c) for c in items)}
        case Formula(name, stages, doc, aside):
            return {"kind": "formula", "text": _equation(formula(name), stages), "doc": escape(doc), "aside": escape(aside)}
        case Matrices(items):
            return {"kind": "matrices", "pieces": _pieces(items)}
        case Worked(entry, stages):
            return {"kind": "worked", "text": _equation(rf"\text{{{escape(entry)}}}", stages)}
    raise TypeError(block)


def _equation(left: str, stages: tuple[Stage, ...]) -> str:
    return left + "".join((" = " if stage.exact else r" \approx ") + formula(stage.tree) for stage in stages)


def _choice(choice: Choice) -> str:
    value = escape(choice.value) if isinstance(choice.value, str) else f"${formula(choice.value)}$"
    return f"{escape(choice.option)} {value}" + (f" ({escape(choice.words)})" if choice.words else "")


def _pieces(items: tuple[Grid | Sign, ...]) -> list[str]:
    """Each matrix with the sign before it, so that a line breaks between them."""
    pieces, sign = [], ""
    for item in items:
        if isinstance(item, Sign):
            sign = _SIGNS.get(item.text, rf"\text{{{escape(item.text)}}}") + " "
        else:
            pieces.append(sign + _grid(item))
            sign = ""
    return pieces


def _grid(grid: Grid) -> str:
    name = formula(grid.name)
    rows = [[_cell(c) for c in row] for row in grid.cells]
    if not grid.rows and not grid.columns:
        body = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"\underset{{\textstyle {name}}}{{\begin{{bmatrix}} {body} \end{{bmatrix}}}}"
    if not grid.columns:
        beside = r" \\ ".join(rf"\text{{\scriptsize {escape(r)}}}" for r in grid.rows or ())
        body = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"\begin{{array}}{{@{{}}l@{{}}}} {beside} \end{{array}}\underset{{\textstyle {name}}}{{\begin{{bmatrix}} {body} \end{{bmatrix}}}}"
    heads = [rf"\text{{\scriptsize {escape(c)}}}" for c in grid.columns]
    labels = [rf"\text{{\scriptsize {escape(r)}}}" for r in grid.rows] if grid.rows else [""] * len(rows)
    lines = [" & ".join(["", *heads])] + [" & ".join([label, *row]) for label, row in zip(labels, rows, strict=True)]
    body = r" \cr ".join(lines)
    return rf"\underset{{\textstyle {name}}}{{\bordermatrix{{ {body} \cr }}}}"


def _cell(cell: Cell) -> str:
    text = formula(cell.tree) if cell.tree is not None else number(cell.text)
    if cell.shade is None or cell.mark == "masked":
        return text
    mixed = [round(255 + (c - 255) * cell.shade * 0.75) for c in (217, 95, 14)]
    return rf"\weight{{{','.join(map(str, mixed))}}}{{{text}}}"


def number(text: str) -> str:
    """A decimal, a closed form or −∞ in LaTeX."""
    if re.fullmatch(r"[-−]?(inf|∞)", text.strip()):
        return r"-\infty" if text.strip()[0] in "-−" else r"\infty"
    if re.fullmatch(r"[-−+]?[\d.]+(e[+-]?\d+)?", text.strip()):
        mantissa, _, exponent = text.strip().replace("−", "-").partition("e")
        return mantissa + (rf"\cdot 10^{{{int(exponent)}}}" if exponent else "")
    from ..errors import FormulaError
    from ..formula.parse import parse

    try:
        return formula(parse(text))
    except FormulaError:
        return rf"\text{{{escape(text)}}}"


def formula(tree: Tree) -> str:
    """A formula in LaTeX, with the order and the brackets of the tree."""

    def inner(part: Tree, at_least: int) -> str:
        text = formula(part)
        return text if strength(part) >= at_least else rf"\left({text}\right)"

    def item(part: Tree | Slice) -> str:
        if isinstance(part, Slice):
            return f"{formula(part.start) if part.start else ''}{{:}}{formula(part.stop) if part.stop else ''}"
        return formula(part)

    match tree:
        case Number(text):
            return number(text)
        case Name("inf"):
            return r"\infty"
        case Name(name):
            return ".".join(_name(part) for part in name.split(".")) if not name.startswith("…") else rf"\;\text{{{escape(name)}}}\;"
        case Text(value):
            return rf"\text{{{escape(value)}}}"
        case Negate(a):
            return "-" + inner(a, 3)
        case Transpose(a):
            return inner(a, 5) + r"^{\top}"
        case Binary("@", a, b):
            return inner(a, 2) + r"\, " + inner(b, 3)
        case Binary("*", a, b):
            return inner(a, 2) + r" \cdot " + inner(b, 3)
        case Binary("/", a, b):
            return rf"\frac{{{formula(a)}}}{{{formula(b)}}}"
        case Binary("**", Name("e"), b) | Call("exp", (b,)) if len(formula(b)) < 12:
            return rf"e^{{{formula(b)}}}"
        case Binary("**", a, b):
            return rf"{{{inner(a, 5)}}}^{{{formula(b)}}}"
        case Binary(operator, a, b):
            return f"{inner(a, 1)} {operator} {inner(b, 2)}"
        case Index(a, rows, columns):
            places = item(rows) if columns is None else rf"{item(rows)},\,{item(columns)}"
            return rf"{{{inner(a, 5)}}}_{{[{places}]}}"
        case Call("sqrt", (a,)):
            return rf"\sqrt{{{formula(a)}}}"
        case Call("abs", (a,)):
            return rf"\left|{formula(a)}\right|"
        case Call(function, args, options):
            words = [formula(a) for a in args] + [rf"\text{{{escape(name)}}} = {formula(value)}" for name, value in options]
            shown = rf"\{function}" if function in _FUNCTIONS else rf"\operatorname{{{escape(function)}}}"
            return rf"{shown}\left({', '.join(words)}\right)"
    raise TypeError(tree)


def _name(name: str) -> str:
    base, _, index = name.partition("_")
    shown = rf"\{'varepsilon' if base == 'eps' else base}" if base in _GREEK else base if len(base) == 1 else rf"\mathrm{{{base}}}"
    if not index:
        return shown
    words = escape(index.replace("_", " "))
    return rf"{shown}_{{{index}}}" if len(index) == 1 else rf"{shown}_{{\text{{{words}}}}}"
