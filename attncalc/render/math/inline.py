"""The formulas of sentences (explain/inline_math.py) in each medium. Signs come from tables, never from the author's
text.
"""

from __future__ import annotations

import re

from ...explain.inline_math import (
    BLACKBOARD,
    LETTERS,
    SIGNS,
    DigitsTerm,
    FormulaTerm,
    FractionTerm,
    LetterTerm,
    RootTerm,
    ScriptTerm,
    SignTerm,
    Term,
    Terms,
    WordTerm,
)
from ...formula.syntax_tree import Binary
from .mathml import escape as escape_html
from .printer import FormulaPrinter, fill

_COMMANDS = {sign: rf"\{name}" for name, sign in reversed(SIGNS.items())}
_COMMANDS |= {"−": "-", "∗": r"\ast", "<": "<", ">": ">", "|": "|"}
_BLACK = {letter: plain for plain, letter in BLACKBOARD.items()}
_RAISED = str.maketrans("0123456789+−-()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿⁱ")


class TermPrinter:
    """A printer for terms in a medium. The formula printer prints formulas of the formula language."""

    apart = ""
    fraction_form: str
    root_form: str

    def __init__(self, formulas: FormulaPrinter):
        self.formulas = formulas

    def set(self, terms: Terms) -> str:
        return self.apart.join(self.term(term) for term in terms)

    def term(self, term: Term) -> str:
        match term:
            case FormulaTerm(tree):
                return self.formulas.formula(tree)
            case DigitsTerm(text):
                return self.formulas.number(text)
            case SignTerm(text):
                return self.sign(text)
            case LetterTerm(text, bold):
                return self.letter(text, bold)
            case WordTerm(text):
                return self.word(text)
            case ScriptTerm(base, below, above):
                return self.script(self.set(base), self.set(below), self.set(above))
            case FractionTerm(above, below):
                return self.fraction(above, below)
            case RootTerm(inside):
                return self.root(inside)

    def sign(self, text: str) -> str:
        raise NotImplementedError

    def letter(self, text: str, bold: bool) -> str:
        raise NotImplementedError

    def word(self, text: str) -> str:
        """Return an upright word."""
        raise NotImplementedError

    def script(self, base: str, below: str, above: str) -> str:
        """Return a base with a subscript and a superscript. Both may be empty."""
        raise NotImplementedError

    def fraction(self, above: Terms, below: Terms) -> str:
        return fill(self.fraction_form, self.set(above), self.set(below))

    def root(self, inside: Terms) -> str:
        return fill(self.root_form, self.set(inside))


class TexTerms(TermPrinter):
    """Terms as TeX."""

    fraction_form, root_form = r"\frac{{0}}{{1}}", r"\sqrt{{}}"

    def sign(self, text: str) -> str:
        """Return the TeX command of a sign, or the sign itself if it has no command."""
        command = _COMMANDS.get(text, text)
        return f"{command} " if command.startswith("\\") else command

    def letter(self, text: str, bold: bool) -> str:
        """Return a letter as TeX."""
        if text in _BLACK:
            return rf"\mathbb{{{_BLACK[text]}}}"
        name = LETTERS.get(text, text)
        symbol = {"ε": r"\varepsilon", "ο": "o", "ς": r"\varsigma"}.get(text, text if name == text else rf"\{name}")
        if bold:
            return rf"\boldsymbol{{{symbol}}}" if symbol.startswith("\\") else rf"\mathbf{{{symbol}}}"
        return f"{symbol} " if symbol.startswith("\\") else symbol

    def word(self, text: str) -> str:
        """Return upright words. The parser accepts only letters, digits and a few signs."""
        return rf"\text{{{text}}}" if re.search("[^A-Za-z0-9]", text) else rf"\mathrm{{{text}}}"

    def script(self, base: str, below: str, above: str) -> str:
        return f"{{{base}}}" + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


class GitHubTerms(TexTerms):
    """Terms as TeX between backticks in Markdown, without angle brackets and bars."""

    def sign(self, text: str) -> str:
        """Return a sign as TeX. Angle brackets and bars are commands."""
        return {"<": r"\lt ", ">": r"\gt ", "|": r"\vert "}.get(text) or super().sign(text)


class TypstTerms(TermPrinter):
    """Terms as Typst."""

    apart, fraction_form, root_form = " ", "frac({0}, {1})", "sqrt({})"

    def sign(self, text: str) -> str:
        """Return the sign. ASCII signs that Typst might interpret get a backslash."""
        if text in "+=<>":
            return text
        return "-" if text == "−" else rf"\{text}" if text.isascii() else text

    def letter(self, text: str, bold: bool) -> str:
        """Return a letter."""
        symbol = _BLACK[text] * 2 if text in _BLACK else text
        return f"bold({symbol})" if bold else symbol

    def word(self, text: str) -> str:
        """Return words in quotes. The parser does not accept a quote in words."""
        return f'upright("{text}")'

    def script(self, base: str, below: str, above: str) -> str:
        return base + (f"_({below})" if below else "") + (f"^({above})" if above else "")


class MathMLTerms(TermPrinter):
    """Terms as MathML."""

    fraction_form, root_form = "<mfrac>{0}{1}</mfrac>", "<msqrt>{}</msqrt>"

    def sign(self, text: str) -> str:
        return f"<mo>{escape_html(text)}</mo>"

    def letter(self, text: str, bold: bool) -> str:
        """Return a letter. CSS makes it bold, because fonts lack the bold letters of Unicode."""
        return f'<mi style="font-weight: bold">{text}</mi>' if bold else f"<mi>{text}</mi>"

    def word(self, text: str) -> str:
        return f"<mtext>{escape_html(text)}</mtext>"

    def set(self, terms: Terms) -> str:
        """Return terms as one row, so that they can be one argument of a script or a fraction."""
        row = super().set(terms)
        return row if not terms else f"<mrow>{row}</mrow>"

    def script(self, base: str, below: str, above: str) -> str:
        """Return an msub, msup or msubsup element."""
        kind = "msubsup" if below and above else "msub" if below else "msup"
        return f"<{kind}>{base}{below}{above}</{kind}>"


class LineTerms(TermPrinter):
    """Terms as one line of text. It is in ASCII if the formula printer's dialect is ASCII, otherwise in Unicode."""

    @property
    def plain(self) -> bool:
        return getattr(self.formulas, "minus", "") == "-"

    def set(self, terms: Terms) -> str:
        """Return terms with spaces around operators and after commas."""
        line = re.sub(" +", " ", super().set(terms)).strip()
        return re.sub(r"(^|\()([−+-]) ", r"\1\2", line)

    def sign(self, text: str) -> str:
        """Return a sign. In ASCII, a sign without a replacement is the name of its command."""
        ascii_sign = {"−": "-", "·": "*", "×": "x", "∗": "*", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "→": "->",
            "…": "...", "′": "'", "⊤": "T"}  # fmt: skip
        shown = text if not self.plain or text.isascii() else ascii_sign.get(text, _COMMANDS.get(text, "?")[1:])
        if text in ",;":
            return f"{shown} "
        return shown if text in "()[]{}|‖.:!′⊤…∞%" or text == "/" else f" {shown} "

    def letter(self, text: str, bold: bool) -> str:
        """Return a letter. In ASCII, Greek letters are names."""
        return _BLACK.get(text) or LETTERS.get(text, text) if self.plain else text

    def word(self, text: str) -> str:
        """Return a word; several words have spaces around them."""
        return f" {text} " if " " in text else text

    def script(self, base: str, below: str, above: str) -> str:
        """Return `x_i²` or `Kᵀ`."""
        script_text = base + (f"_{_bracket(below)}" if below else "")
        if not above:
            return script_text
        if above in ("⊤", "′", "'"):
            return script_text + ("ᵀ" if above == "⊤" else above)
        if self.plain:
            return f"{script_text}^{_bracket(above)}"
        superscript = above.replace(" ", "").translate(_RAISED)
        return script_text + (
            superscript
            if not re.search("[0-9A-Za-z]", superscript) and re.fullmatch("[0-9+−()ni]+", above)
            else f"^{_bracket(above)}"
        )

    def fraction(self, above: Terms, below: Terms) -> str:
        return f" {'/'.join(self._side(side) for side in (above, below))} "

    def _side(self, terms: Terms) -> str:
        text = self.set(terms)
        is_single_term = len(terms) == 1 and not (
            isinstance(terms[0], FormulaTerm) and isinstance(terms[0].tree, Binary)
        )
        return text if is_single_term else f"({text})"

    def root(self, inside: Terms) -> str:
        """Return `√d` or `√(n + 1)`."""
        radicand = self.set(inside)
        if self.plain:
            return f"sqrt({radicand})"
        return f"√{radicand}" if len(inside) == 1 and re.fullmatch(r"\w+", radicand) else f"√({radicand})"


def _bracket(text: str) -> str:
    return text if re.fullmatch(r"\w+", text) else f"({text})"
