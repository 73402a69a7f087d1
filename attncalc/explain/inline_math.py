"""A formula inside a sentence, in the formula language or in a small subset of TeX. The formula is parsed, and each
medium prints it with its signs.

The commands of TeX are the Greek letters, the signs of `SIGNS`, the functions of `FUNCTIONS`, `\\sqrt`, `\\frac`, the
letters of `\\mathbb`, bold letters and upright words (`\\mathrm`, `\\text`, `\\operatorname`). `\\left` and `\\right`
are ignored.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Call, Name, Tree, walk

LONGEST, DEEPEST = 300, 12
SIGNS = {
    "cdot": "·", "times": "×", "in": "∈", "notin": "∉", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠",
    "neq": "≠", "lt": "<", "gt": ">", "approx": "≈", "to": "→", "rightarrow": "→", "leftarrow": "←", "mapsto": "↦",
    "infty": "∞", "sum": "∑", "prod": "∏", "partial": "∂", "nabla": "∇", "ldots": "…", "dots": "…", "cdots": "⋯",
    "pm": "±", "odot": "⊙", "circ": "∘", "otimes": "⊗", "oplus": "⊕", "mid": "|", "vert": "|", "Vert": "‖",
    "propto": "∝", "sim": "∼", "equiv": "≡", "subset": "⊂", "cup": "∪", "cap": "∩", "ll": "≪", "gg": "≫", "forall": "∀",
    "exists": "∃", "neg": "¬", "land": "∧", "lor": "∨", "Rightarrow": "⇒", "Leftrightarrow": "⇔", "top": "⊤",
    "intercal": "⊤", "prime": "′", "div": "÷", "ast": "∗", "star": "⋆", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈", "rceil": "⌉", "ell": "ℓ", "{": "{", "}": "}", "%": "%", "#": "#", "&": "&", "_": "_", "|": "‖",
}  # fmt: skip
SPACES = {",", ";", ":", " ", "quad", "qquad"}
FUNCTIONS = ("log", "ln", "exp", "max", "min", "sin", "cos", "tan", "tanh", "arg", "argmax", "argmin", "det", "dim",
             "lim", "softmax", "relu", "gelu", "sigmoid", "erf", "tr", "rank", "diag", "Var", "var")  # fmt: skip
_SMALL = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon "
    "phi chi psi omega"
)
_LARGE = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
LETTERS = dict(zip("αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", f"{_SMALL} {_LARGE}".split(), strict=True))
GREEK = {name: letter for letter, name in LETTERS.items()} | {"varepsilon": "ε", "vartheta": "θ", "varphi": "φ"}
BLACKBOARD = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "E": "𝔼", "P": "ℙ"}
UPRIGHT = ("mathrm", "text", "operatorname", "textrm", "mathsf", "mathit", "mathtt")
COMMANDS = frozenset((*GREEK, *FUNCTIONS, *SIGNS, *SPACES, *UPRIGHT, "left", "right", "sqrt", "frac", "tfrac", "dfrac",
                      "mathbb", "mathbf", "bm", "boldsymbol"))  # fmt: skip
_TOKEN = re.compile(r"\s+|\\(?P<command>[A-Za-z]+|.)|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<letter>[A-Za-zΑ-Ωα-ω])"
                    r"|(?P<sign>[-+=<>()\[\]|,.;:!/*·×≤≥≠≈∈→∞…√−∑∂⊤′ᵀ'])|(?P<mark>[{}^_])")  # fmt: skip
_WORD = re.compile(r"\{([A-Za-z0-9 .,:'-]{1,60})\}")


class FormulaTerm(NamedTuple):
    """A formula in the formula language."""

    tree: Tree


class SignTerm(NamedTuple):
    """An operator, a relation or a bracket."""

    text: str


class LetterTerm(NamedTuple):
    """A variable with one letter, `bold` for vectors and matrices."""

    text: str
    bold: bool = False


class WordTerm(NamedTuple):
    """An upright word: the name of a function, or words in a formula."""

    text: str


class DigitsTerm(NamedTuple):
    """A number."""

    text: str


class ScriptTerm(NamedTuple):
    """A base with a subscript or a superscript."""

    base: Terms
    below: Terms
    above: Terms


class FractionTerm(NamedTuple):
    """A fraction bar."""

    above: Terms
    below: Terms


class RootTerm(NamedTuple):
    """A square root."""

    inside: Terms


Term = FormulaTerm | SignTerm | LetterTerm | WordTerm | DigitsTerm | ScriptTerm | FractionTerm | RootTerm
Terms = tuple[Term, ...]


class UnknownFormula(ValueError):
    """The error of a text that is not a formula in a known notation."""


def maths(text: str) -> Terms:
    """Return the terms of a formula. Raises UnknownFormula if the text is not a formula.

    >>> maths("d_k")
    (FormulaTerm(tree=Name(name='d_k', at=0)),)
    """
    if len(text) > LONGEST or not text.strip():
        raise UnknownFormula(text)
    terms = () if "\\" in text else _of_language(text)
    return terms or _TexReader(text).all()


def _of_language(text: str) -> Terms:
    """Return the sides of an equation in the formula language. Return an empty tuple for other texts, and for adjacent
    letters, which are factors in TeX.
    """
    terms: list[Term] = []
    for k, side in enumerate(re.split(r"(?<![<>!=])=(?!=)", text)):
        try:
            tree = parse(side.strip())
        except (FormulaError, RecursionError):
            return ()
        if any(map(_is_product, walk(tree))):
            return ()
        terms += [SignTerm("=")] * (k > 0) + [FormulaTerm(tree)]
    return tuple(terms)


def _is_product(tree: Tree) -> bool:
    """Return whether a name or call means a product of letters, as in `QK` and `f(x)`."""
    if isinstance(tree, Call):
        return len(tree.function) == 1
    name = tree.name if isinstance(tree, Name) else ""
    return len(name) > 1 and name.isascii() and "_" not in name and name not in GREEK and name not in ("pi", "inf")


class _TexReader:
    """A parser for formulas in TeX."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def all(self) -> Terms:
        terms = self.terms(0)
        if self.at < len(self.text):
            raise UnknownFormula(self.text)
        return terms

    def terms(self, depth: int) -> Terms:
        """Parse terms up to a closing brace or the end."""
        if depth > DEEPEST:
            raise UnknownFormula(self.text)
        terms: list[Term] = []
        while self.at < len(self.text) and self.text[self.at] != "}":
            terms += self.term(terms, depth)
        return tuple(terms)

    def term(self, before: list[Term], depth: int) -> list[Term]:
        token = _TOKEN.match(self.text, self.at)
        if token is None:
            raise UnknownFormula(self.text)
        self.at = token.end()
        match token.lastgroup:
            case None:
                return []
            case "command":
                return list(self.command(token["command"], depth))
            case "number":
                return [DigitsTerm(token["number"])]
            case "letter":
                return [self.letter(token.start())]
            case "sign":
                return self.sign(token["sign"], before)
        if token["mark"] == "{":
            return list(self.braces(depth))
        if token["mark"] == "}":
            raise UnknownFormula(self.text)
        return [self.script(token["mark"], before, depth)]

    def letter(self, start: int) -> Term:
        """Parse a variable. Three or more letters before a bracket are the name of a function."""
        word = re.compile(r"[A-Za-z]{3,20}(?=\s*\()").match(self.text, start)
        if word:
            self.at = word.end()
            return WordTerm(word[0])
        return LetterTerm(self.text[start])

    def sign(self, sign: str, before: list[Term]) -> list[Term]:
        if sign in "ᵀ'":
            return [self.superscript(before, (SignTerm("⊤" if sign == "ᵀ" else "′"),))]
        if sign == "√":
            return [RootTerm(self.argument(0))]
        return [SignTerm({"-": "−", "*": "∗"}.get(sign, sign))]

    def script(self, mark: str, before: list[Term], depth: int) -> Term:
        word = re.compile(r"[A-Za-z]{2,20}(?![A-Za-z])").match(self.text, self.at) if mark == "_" else None
        if word:  # d_model, as in the formula language
            self.at = word.end()
            return self.subscript(before, (WordTerm(word[0]),))
        inside = self.argument(depth)
        if mark == "_":
            return self.subscript(before, inside)
        return self.superscript(
            before, (SignTerm("⊤"),) if inside in ((LetterTerm("T"),), (WordTerm("T"),)) else inside
        )

    def superscript(self, before: list[Term], above: Terms) -> ScriptTerm:
        base = before.pop() if before else None
        if isinstance(base, ScriptTerm) and not base.above:
            return base._replace(above=above)
        if base is None or isinstance(base, ScriptTerm):
            raise UnknownFormula(self.text)
        return ScriptTerm((base,), (), above)

    def subscript(self, before: list[Term], below: Terms) -> ScriptTerm:
        base = before.pop() if before else None
        if isinstance(base, ScriptTerm) and not base.below:
            return base._replace(below=below)
        if base is None or isinstance(base, ScriptTerm):
            raise UnknownFormula(self.text)
        return ScriptTerm((base,), below, ())

    def command(self, name: str, depth: int) -> Terms:
        if name in GREEK:
            return (LetterTerm(GREEK[name]),)
        if name in FUNCTIONS:
            return (WordTerm(name),)
        if name in SIGNS:
            return (SignTerm(SIGNS[name]),)
        if name in SPACES or name in ("left", "right"):
            return ()
        match name:
            case "sqrt":
                return (RootTerm(self.argument(depth)),)
            case "frac" | "tfrac" | "dfrac":
                return (FractionTerm(self.argument(depth), self.argument(depth)),)
            case "mathbb":
                match self.argument(depth):
                    case (LetterTerm(letter, False),) if letter in BLACKBOARD:
                        return (LetterTerm(BLACKBOARD[letter]),)
            case "mathbf" | "bm" | "boldsymbol":
                inside = self.argument(depth)
                if all(isinstance(term, LetterTerm | DigitsTerm) for term in inside):
                    return tuple(term._replace(bold=True) if isinstance(term, LetterTerm) else term for term in inside)
            case _ if name in UPRIGHT and (word := _WORD.match(self.text, self.at)):
                self.at = word.end()
                return (WordTerm(word[1]),)
        raise UnknownFormula(self.text)

    def argument(self, depth: int) -> Terms:
        """Parse a group in braces, or the next term."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        if self.text[self.at : self.at + 1] == "{":
            self.at += 1
            return self.braces(depth)
        if depth > DEEPEST or self.at >= len(self.text):
            raise UnknownFormula(self.text)
        terms: list[Term] = []
        terms += self.term(terms, depth + 1)
        if not terms:
            raise UnknownFormula(self.text)
        return tuple(terms)

    def braces(self, depth: int) -> Terms:
        inside = self.terms(depth + 1)
        if self.text[self.at : self.at + 1] != "}":
            raise UnknownFormula(self.text)
        self.at += 1
        return inside
