"""Texts, numbers and formulas in MathML."""

from __future__ import annotations

import re

from ...explain.document import ENTRYWISE
from ...formula.syntax_tree import COMPARISONS, Binary, Tree
from . import sentence_markup, single_line
from .common import outer_strength
from .two_dimensional import LONGEST_EXPONENT, TypesetPrinter, has_few_parts

# Invisible signs that screen readers speak
_APPLIED, _TIMES = "<mo>\u2061</mo>", '<mo lspace="0.08em" rspace="0.08em">\u2062</mo>'
_SPACE = '<mspace width="0.4em"/>'


def clean(text: str) -> str:
    """Return a user's text with � instead of characters that HTML does not allow."""
    return re.sub("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def escape(text: str) -> str:
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def math(inside: str) -> str:
    return f"<math>{inside}</math>"


def words(text: str) -> str:
    return f"<mtext>{escape(text)}</mtext>"


def sign(text: str) -> str:
    return f"<mo>{escape(text)}</mo>"


def infix(text: str) -> str:
    """Return the sign between two sides of an equation, before which a line may break."""
    return f'<mo form="infix" lspace="0">{text}</mo>'


def sentence(text: str) -> str:
    """Return a sentence of the program with its numbers, names and entries as formulas: 7.9e-32, d_k, S[1, 2]."""
    return "".join(
        escape(piece) if isinstance(piece, str) else math(sentence_markup.formula(MATHML, piece))
        for piece in sentence_markup.pieces(text)
    )


def _row(between: str) -> str:
    return f"<mrow>{{0}}{between}{{1}}</mrow>"


def _around(left: str, right: str) -> str:
    return f"<mrow><mo>{left}</mo>{{}}<mo>{right}</mo></mrow>"


def _sum(index: str) -> str:
    return f"<mrow><mrow><msub><mo>∑</mo><mi>{index}</mi></msub>{{}}</mrow></mrow>"


def _word(text: str) -> str:
    return _SPACE + words(text) + _SPACE


class MathML(TypesetPrinter):
    """Formulas for web pages."""

    operators = {"+": _row("<mo>+</mo>"), "-": _row("<mo>−</mo>"), "@": _row(_TIMES), "*": _row("<mo>·</mo>"),
                 "/": "<mfrac>{0}{1}</mfrac>", "%": _row("<mo>mod</mo>"), ENTRYWISE: _row("<mo>∘</mo>")}  # fmt: skip
    compared = {
        sign: _row(f"<mo>{shown}</mo>")
        for sign, shown in zip(COMPARISONS, ("&lt;", "≤", "&gt;", "≥", "=", "≠"), strict=True)
    }
    holds = _around("[", "]")
    rows_apart, entries_apart = "</mtd></mtr><mtr><mtd>", "</mtd><mtd>"
    matrix = _around("[", "]").replace("{}", "<mtable><mtr><mtd>{}</mtd></mtr></mtable>")
    negative, infinity, group = '<mrow><mo form="prefix">−</mo>{}</mrow>', "<mi>∞</mi>", _around("(", ")")
    power, power_of_e, ten = "<msup>{0}{1}</msup>", "<msup><mi>e</mi>{}</msup>", "<msup><mn>10</mn>{}</msup>"
    at_most, below, not_zero = "<mo>≤</mo>", "<mo>&lt;</mo>", "<mo>≠</mo><mn>0</mn>"
    block = '<mrow>{0}<mo stretchy="false">[</mo>{1}<mo stretchy="false">]</mo></mrow>'
    comma = separator = index_comma = "<mo>,</mo>"
    span, option = '{0}<mo lspace="0" rspace="0">:</mo>{1}', _row("<mo>=</mo>")
    where = f"<mrow>{{0}}{_word('where')}{{1}}<mo>,</mo>{{2}}{_word('elsewhere')}</mrow>"
    letter, word, figure = "<mi>{}</mi>", "<mi>{}</mi>", "<mn>{}</mn>"
    prime, with_primes = "′", "<msup>{0}<mo>{1}</mo></msup>"
    slash = '<mrow>{0}<mo lspace="0" rspace="0">/</mo>{1}</mrow>'
    subscript, index = "<msub>{0}{1}</msub>", "<mrow>{}</mrow>"
    letters = {"gamma": "γ", "beta": "β", "theta": "θ", "pi": "π", "alpha": "α", "phi": "φ", "eps": "ε"}
    named, applied = "<mi>{}</mi>", f"<mrow>{{0}}{_APPLIED}{_around('(', ')').replace('{}', '{1}')}</mrow>"
    signs = {
        "log2": "<msub><mi>log</mi><mn>2</mn></msub>",
        "log10": "<msub><mi>log</mi><mn>10</mn></msub>",
        "sigmoid": "<mi>σ</mi>",
    }
    forms = {"sqrt": "<mrow><msqrt>{}</msqrt></mrow>", "multiple": "<mrow>{}</mrow>",
             **{f"sum_{index}": _sum(index) for index in "ijk"},
             **{name: f"<mrow>{_around(*ends)}</mrow>" for name, ends in
                {"abs": "||", "norm": "‖‖", "floor": "⌊⌋", "ceil": "⌈⌉", "hstack": "[]",
                 "vstack": "[]"}.items()}}  # fmt: skip
    separators = {
        "hstack": '<mo lspace="0.4em" rspace="0.4em" stretchy="false">|</mo>',
        "vstack": "<mo>;</mo>",
        "multiple": "",
    }

    def text(self, text: str) -> str:
        return words(text)

    def is_exponent(self, tree: Tree) -> bool:
        return has_few_parts(tree) and len(single_line.formula(tree)) < LONGEST_EXPONENT

    def transpose(self, base: str) -> str:
        return self.raise_to(base, '<mi mathvariant="normal">T</mi>')

    def raise_to(self, base: str, exponent: str) -> str:
        """Return a power. If the base has an index, the exponent is above the index."""
        if base.startswith("<msub>"):
            return f"<msubsup>{base.removeprefix('<msub>').removesuffix('</msub>')}{exponent}</msubsup>"
        return super().raise_to(base, exponent)

    above = raise_to

    def left_operand(self, tree: Tree, at_least: int, first: bool) -> str:
        """Return the left side of an operator. The terms of `a + b` belong to the row of `a + b + c`."""
        shown = super().left_operand(tree, at_least, first)
        if isinstance(tree, Binary) and tree.operator not in ("/", "**") and outer_strength(tree) >= at_least:
            return shown.removeprefix("<mrow>").removesuffix("</mrow>")
        return shown

    def qualified_name(self, name: str) -> str:
        """Return the name of a step in another part, `masked.Z`."""
        before, dot, last = name.rpartition(".")
        return f"<mrow>{words(before + dot)}{self.local_name(last)}</mrow>" if dot else self.local_name(last)


MATHML = MathML()
formula, number = MATHML.formula, MATHML.number
