"""Formulas in two dimensions: fraction bars and roots, superscripts and subscripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from ...errors import FormulaError
from ...formula.parser import parse
from ...formula.syntax_tree import Binary, Call, Name, Negate, Number, Tree, walk
from .common import indices, is_in_words
from .printer import FormulaPrinter, Table, fill

LONGEST_EXPONENT = 12  # characters of x; for a longer x, exp(x) is not printed as a power of e
MOST_PARTS = 2 * LONGEST_EXPONENT  # a formula with more parts is too long for an exponent
_DECIMAL = re.compile(r"(\+?[\d.]+)(?:[eE]([+-]?\d+)|/(\d+))?")
_IN_A_PRODUCT = 3


def has_few_parts(tree: Tree) -> bool:
    """Return whether a formula is perhaps short. Otherwise nested exponents would be printed once per level to measure
    them.
    """
    return next(islice(walk(tree), MOST_PARTS, None), None) is None


class TypesetPrinter(FormulaPrinter):
    """The base of dialects with fractions, superscripts and subscripts. Each is a table of forms."""

    letter = "{}"  # a name of one letter
    word: str  # a longer name
    figure = "{}"  # the digits of a number
    ten: str
    subscript: str
    superscript: str
    slash = "{0}/{1}"
    prime, with_primes = "'", "{0}{1}"
    index = "{}"  # several indices together
    index_comma = ","
    letters: Table  # the letters of names

    def number(self, text: str) -> str:
        """Return a decimal, a closed form or −∞."""
        text = text.strip().replace("−", "-").replace("∞", "inf")
        if (shown := self.decimal(text)) is not None:
            return shown
        try:
            return self.formula(parse(text))
        except FormulaError:
            return self.text(text)

    def literal(self, text: str) -> str:
        return self.decimal(text) or self.text(text)

    def decimal(self, text: str) -> str | None:
        """Return a decimal (scientific if it has a power of ten), a fraction, or ±∞; None for other texts."""
        if text.startswith("-"):
            inside = self.decimal(text[1:])
            return None if inside is None else fill(self.negative, inside)
        if text == "inf":
            return self.infinity
        match = _DECIMAL.fullmatch(text)
        return match and self.scientific(*match.groups())

    def scientific(self, mantissa: str, exponent: str | None, below: str | None) -> str:
        """Return `3.2 · 10⁻⁷`; a fraction if there is a denominator `below`."""
        shown = fill(self.figure, mantissa.replace(".", self.point))
        if below:
            return fill(self.operators["/"], shown, fill(self.figure, below))
        if not exponent:
            return shown
        power = fill(self.ten, self.number(str(int(exponent))))
        return power if mantissa == "1" else fill(self.operators["*"], shown, power)

    def is_exponent(self, tree: Tree) -> bool:
        return has_few_parts(tree) and len(self.formula(tree)) < LONGEST_EXPONENT

    def strength(self, tree: Tree) -> int:
        """Return the binding strength. If exp(x) is printed as a power of e, it binds like a power."""
        match tree:
            case Binary("**", Name("e"), b) | Call("exp", (b,)) if self.is_exponent(b):
                return 4
        return super().strength(tree)

    def inner(self, part: Tree, at_least: int, first: bool = True) -> str:
        """Return a part of a formula, with brackets if necessary. In a product, a fraction with a bar has none."""
        if at_least <= _IN_A_PRODUCT and _has_a_bar(part):
            return self.formula(part, first)
        return super().inner(part, at_least, first)

    def exponent(self, tree: Tree) -> str:
        """Return an exponent. Its quotients are on one line, because a small fraction bar is illegible."""
        match tree:
            case Binary("/", a, b):
                return fill(self.slash, self.inner(a, 2), self.inner(b, 3, False))
            case Number(text) if "/" in text:
                above, _, below = text.partition("/")
                return self.exponent(Binary("/", Number(above), Number(below)))
            case Negate(Number() as a):
                return fill(self.negative, self.exponent(a))
        return self.formula(tree)

    def entry_at(self, matrix: Tree, places: Sequence[str]) -> str:
        """Return an entry with its indices as subscripts: `Q₁,₂`, or `(W_Q)₁,₂` for a name with an index."""
        is_plain = isinstance(matrix, Name) and not re.search("_|[0-9]$", matrix.name)
        shown = self.formula(matrix)
        below = self.index_comma.join(places)
        return fill(self.subscript, shown if is_plain else self.in_brackets(shown), fill(self.index, below))

    # -- names ---------------------------------------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """Return a name with its indices as subscripts."""
        if name == "inf":
            return self.infinity
        return self.text(f" {name} ") if name.startswith("…") else self.qualified_name(name)

    def qualified_name(self, name: str) -> str:
        """Return the name of a step in a nested lesson: `encoder.norm1.Y`."""
        return ".".join(map(self.local_name, name.split(".")))

    def local_name(self, name: str) -> str:
        """Return `S_scaled` as S with a subscript, and `cross_W_Q` as W_Q with the superscript cross."""
        if of := re.fullmatch(r"([a-z]\w*?)_([A-Z]_\w+)", name):
            return self.above(self.local_name(of[2]), self.text(of[1]))
        base, _, index = name.partition("_")
        if is_in_words(base, index):
            return self.text(name)
        if base and index:
            return fill(self.subscript, self.name_with_prime(base), self.below_a_name(indices(index)))
        return self.text(name) if "_" in name else self.name_with_prime(name)

    def name_with_prime(self, base: str) -> str:
        """Return `W'` as W with a prime."""
        plain = base.rstrip("'")
        symbol = self.base_name(plain)
        return fill(self.with_primes, symbol, self.prime * (len(base) - len(plain))) if plain != base else symbol

    def word_with_index(self, word: str, index: Tree) -> str:
        return fill(self.subscript, word, self.formula(index))

    def above(self, base: str, exponent: str) -> str:
        return fill(self.superscript, base, exponent)

    def base_name(self, base: str) -> str:
        """Return a name without its indices: a letter, a Greek letter, or a word."""
        form = self.letter if len(base) == 1 or base in self.letters else self.word
        return fill(form, self.letters.get(base, base))

    def below_a_name(self, parts: list[str]) -> str:
        """Return the indices of a name, separated by commas."""
        index_text = self.index_comma.join(map(self.single_index, parts))
        return fill(self.index, index_text) if len(parts) > 1 else index_text

    def single_index(self, index: str) -> str:
        """Return one index: a number, a letter, or a word."""
        if index.isdecimal():
            return fill(self.figure, index)
        return fill(self.letter, self.letters.get(index, index)) if len(index) == 1 else self.text(index)


def _has_a_bar(tree: Tree) -> bool:
    return (isinstance(tree, Binary) and tree.operator == "/") or (
        isinstance(tree, Number) and "/" in tree.text and tree.text[0] != "-"
    )
