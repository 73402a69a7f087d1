"""Formulas set in two dimensions, with fraction bars and roots: a table of templates a medium, one short function over the tree."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import FormulaError
from ..explain.document import ENTRYWISE
from ..formula.parse import parse
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree
from ..records import dataclass, field
from .notation import CALLS as WORDS
from .notation import Table, condition, factor, flat, indices, is_negative, outer_strength

SPOKEN = {name: words.partition("(")[0] for name, words in WORDS.items()}  # layer_norm is LayerNorm on every page
LONGEST_EXPONENT = 12  # of exp(x) as a power of e
_HOLE = re.compile(r"\{([012]?)\}")
_GREEK = ("gamma", "beta", "theta", "pi", "alpha", "phi")


def fill(template: str, *parts: str) -> str:
    """The parts in the places `{}` or `{0}`, `{1}` ... of a template; other braces stay."""
    return _HOLE.sub(lambda hole: parts[int(hole[1] or 0)], template)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a medium writes each construct; `text` makes a user's words harmless inside a formula."""

    text: Callable[[str], str]
    word: str  # a name of several letters, upright
    function: str  # a function of no sign of its own: its name, its arguments
    greek: str
    epsilon: str  # the round ε
    subscript: str
    superscript: str
    infinity: str
    times: str
    product: str
    entrywise: str
    fraction: str
    power: str
    ten: str
    exponential: str
    transposed: str
    group: str
    index: str
    span: str  # 0:2
    comma: str
    where: str  # scores, condition, fill
    at_most: str
    below: str
    not_zero: str
    calls: Table = field(default_factory=dict)
    separators: Table = field(default_factory=dict)


_DECIMAL = re.compile(r"[-+]?[\d.]+([eE][+-]?\d+)?")


class Maths:
    """Writes numbers and formulas in one dialect."""

    def __init__(self, dialect: Dialect):
        self.d = dialect

    def number(self, text: str) -> str:
        """A decimal, a closed form or −∞."""
        text = text.strip().replace("−", "-").replace("∞", "inf")
        if re.fullmatch(r"-?inf", text):
            return text.replace("inf", self.d.infinity)
        if _DECIMAL.fullmatch(text):
            return self.decimal(text)
        try:
            return self.formula(parse(text))
        except FormulaError:
            return self.d.text(text)

    def decimal(self, text: str) -> str:
        """A decimal, in scientific notation with its power of ten."""
        mantissa, _, exponent = text.lower().partition("e")
        power = fill(self.d.ten, str(int(exponent))) if exponent else ""
        if power and mantissa.lstrip("-") == "1":
            return mantissa[:-1] + power
        return mantissa + (self.d.times + power if power else "")

    def formula(self, tree: Tree, first: bool = True) -> str:
        """A formula with the order and the brackets of the tree; `first` says that nothing stands before it."""
        d = self.d
        match tree:
            case Number(text):
                shown = self.decimal(text) if _DECIMAL.fullmatch(text) else self.d.text(text)
                return shown if first or not text.startswith("-") else self.group(shown)
            case Name("inf"):
                return d.infinity
            case Name(name):
                return self.left_out(name) if name.startswith("…") else self.dotted(name)
            case Text(value):
                return d.text(value)
            case Negate(a):
                shown = "-" + self.inner(a, factor(a), False)
                return shown if first else self.group(shown)
            case Transpose(a):
                return fill(d.transposed, self.inner(a, 5))
            case Binary("**", Name("e"), b) | Call("exp", (b,)) if self.is_power_of_e(tree):
                return fill(d.exponential, self.formula(b))
            case Binary():
                return self.binary(tree, first)
            case Index(a, rows, columns):
                places = self.item(rows) if columns is None else self.item(rows) + d.comma + self.item(columns)
                return fill(d.index, self.inner(a, 5), places)
            case Call(function, (a, b)) if function == ENTRYWISE:
                return self.inner(a, 2, first) + d.entrywise + self.inner(b, 3, False)
            case Call("keep"):
                return self.keep(tree)
            case Call():
                return self.call(tree)
        raise TypeError(tree)

    def group(self, text: str) -> str:
        return fill(self.d.group, text)

    def inner(self, part: Tree, at_least: int, first: bool = True) -> str:
        """A part in brackets where it binds too loosely; what has a fraction bar needs none in a product."""
        bare = self.strength(part) >= at_least or (at_least <= 3 and _has_a_bar(part))
        return self.formula(part, first) if bare else self.group(self.formula(part))

    def strength(self, tree: Tree) -> int:
        """As `outer_strength`, where exp(x) that is set as a power of e binds as one."""
        return 4 if self.is_power_of_e(tree) else outer_strength(tree)

    def is_power_of_e(self, tree: Tree) -> bool:
        match tree:
            case Binary("**", Name("e"), b) | Call("exp", (b,)):
                return len(self.formula(b)) < LONGEST_EXPONENT
        return False

    def binary(self, tree: Binary, first: bool) -> str:
        a, b = tree.left, tree.right
        match tree.operator:
            case "@" | "*":
                sign = self.d.product if tree.operator == "@" else self.d.times
                return self.inner(a, 2, first) + sign + self.inner(b, factor(b), False)
            case "/":
                return fill(self.d.fraction, self.formula(a), self.formula(b))
            case "**":
                return fill(self.d.power, self.base(a), self.formula(b))
        return f"{self.inner(a, 1, first)} {tree.operator} {self.inner(b, 2, False)}"

    def base(self, tree: Tree) -> str:
        """What is raised to a power; a fraction bar there needs brackets too."""
        bare = self.strength(tree) == 5 and not is_negative(tree) and not isinstance(tree, Transpose)
        return self.formula(tree) if bare else self.group(self.formula(tree))

    def call(self, tree: Call) -> str:
        words = [self.formula(a) for a in flat(tree)]
        words += [f"{self.d.text(name)} = {self.formula(value)}" for name, value in tree.options]
        joined = self.d.separators.get(tree.function, self.d.comma + " ").join(words)
        if tree.function in self.d.calls:
            return fill(self.d.calls[tree.function], joined)
        return fill(self.d.function, SPOKEN.get(tree.function, tree.function), joined)

    def keep(self, tree: Call) -> str:
        """`S where j ≤ i, −∞ elsewhere`"""
        given = dict(zip(("S", "M", "fill"), tree.arguments, strict=False)) | dict(tree.options)
        scores, mask = (given.get(name, Name(name)) for name in "SM")
        below = self.formula(given["fill"]) if "fill" in given else "-" + self.d.infinity
        return fill(self.d.where, self.formula(scores), self.seen(mask) or self.formula(mask) + self.d.not_zero, below)

    def seen(self, mask: Tree) -> str:
        """A mask of the language as what must hold between query i and key j."""
        sides, strict = condition(mask)
        return (self.d.below if strict else self.d.at_most).join(map(self.formula, sides))

    def item(self, part: Tree | Slice) -> str:
        if isinstance(part, Slice):
            start, stop = (self.formula(end) if end else "" for end in (part.start, part.stop))
            return fill(self.d.span, start, stop)
        return self.formula(part)

    # -- names ---------------------------------------------------------------------------------------------------------------

    def left_out(self, words: str) -> str:
        return self.d.text(f" {words} ")

    def dotted(self, name: str) -> str:
        return ".".join(map(self.name, name.split(".")))

    def name(self, name: str) -> str:
        if of := re.fullmatch(r"([a-z]\w*?)_([A-Z]_\w+)", name):  # cross_W_Q is the W_Q of cross
            return fill(self.d.superscript, self.name(of[2]), self.d.text(of[1]))
        base, _, index = name.partition("_")
        shown = self.base_name(base)
        if not index:
            return shown
        told = ",".join(one if len(one) == 1 or one.isdecimal() else self.d.text(one) for one in indices(index))
        return fill(self.d.subscript, shown, told)

    def base_name(self, base: str) -> str:
        if base == "eps":
            return self.d.epsilon
        return fill(self.d.greek, base) if base in _GREEK else base if len(base) == 1 else fill(self.d.word, base)


def _has_a_bar(tree: Tree) -> bool:
    return (isinstance(tree, Binary) and tree.operator == "/") or (isinstance(tree, Number) and "/" in tree.text and tree.text[0] != "-")
