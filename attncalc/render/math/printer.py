"""The printer of formulas for all media. It goes through the tree of a formula and places the brackets.

A dialect defines the notation of each construct, mostly as a table of forms. In a form, the printer replaces `{}`, or
`{0}`, `{1}` ..., by parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from typing import Self

from ...explain.document import ENTRYWISE
from ...formula.index_base import first_place
from ...formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Text,
    Transpose,
    Tree,
    is_comparison,
    places,
)
from .common import factor, flatten_arguments, literal_matrix, mask_condition, outer_strength

Table = dict[str, str]

_HOLE = re.compile(r"\{([0-9]?)\}")
_SUMS = ("+", "-")

# The printed names of functions.
_SAME = """
exp sin cos tanh erf sqrt abs floor ceil round rotation sigmoid log2 log10
softmax softmax_rows softmax_cols softmax_all normalize cross_entropy pick lookup one_hot
argmax_rows argmin_rows order_rows argsort_rows sort_rows flat best best_rows best_columns cumsum_rows cumprod_rows
top_k top_p prod any all solve argmin argsort cumprod repeat tile roll
total mean var sum max min std norm logsumexp softplus xlogy entropy sign clip where dot outer diag trace det inverse
tril triu argmax cumsum
causal causal_strict band links global_tokens zeros ones identity arange rows cols
sinusoidal rope turn alibi alibi_slopes
"""
NAMES = {name: name for name in _SAME.split()} | {
    f"{line}_{what}": line + what
    for line in ("row", "col")
    for what in ("sum", "mean", "max", "min", "var", "std", "prod", "any", "all")
} | {
    "log": "ln", "ln": "ln", "maximum": "max", "minimum": "min", "relu": "ReLU", "elu": "ELU", "gelu": "GELU",
    "silu": "SiLU", "leaky_relu": "LeakyReLU",
    "layer_norm": "LayerNorm", "rms_norm": "RMSNorm",
}  # fmt: skip

# Functions printed as a word with an index, and the outer function: argmaxⱼ(P), column(top₂(P)).
_INDEXED = {
    "argmax_rows": ("argmax", ""), "argmin_rows": ("argmin", ""), "best": ("top", ""), "best_rows": ("top", "row"),
    "best_columns": ("top", "column"),
}  # fmt: skip

_OVER = {"softmax_cols": "columns", "softmax_all": "all"}  # axes of softmax other than rows
_ROW = Name("i")
_COUNTERS = ("i", "j", "k", "pos")  # row indices on formula sheets


def fill(form: str, *parts: str) -> str:
    """Replace `{}`, or `{0}`, `{1}` ..., in a form by parts. Other braces stay."""
    return _HOLE.sub(lambda hole: parts[int(hole[1] or 0)], form)


class FormulaPrinter:
    """A printer for formulas in one dialect. The attributes are the forms of the dialect."""

    operators: Table  # between two sides: + - @ * / % and ENTRYWISE
    compared: Table  # between two sides: < <= > >= == !=
    holds = "[{}]"  # 1 where a comparison holds, 0 elsewhere
    matrix, rows_apart, entries_apart = "[{}]", "; ", " "  # a matrix whose entries are in the formula
    negative: str
    infinity: str
    power: str
    power_of_e: str
    transposed: str
    at_most: str
    below: str
    not_zero: str
    group = "({})"
    block = "{0}[{1}]"
    comma = ", "  # between the indices of a block or an entry
    span = "{0}:{1}"
    option = "{0} = {1}"
    where = "{0} where {1}, {2} elsewhere"  # {3} and {4} are the words of `where_words`, which a paper translates
    where_words = ("where", "elsewhere")
    named = "{}"  # the name of a function without a sign
    applied = "{0}({1})"  # a function and its arguments
    separator = ", "
    signs: Table = {}  # the signs of functions: σ
    forms: Table = {}  # functions printed around their arguments: |x|
    separators: Table = {"hstack": " | ", "vstack": " ; ", "multiple": ""}
    point, decimal_comma = ".", ","  # in numbers
    has_bars = True  # whether fractions have bars, which group like brackets

    # -- methods for dialects to override ------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        raise NotImplementedError

    def quoted(self, text: str) -> str:
        """Return the value of an option, or a label."""
        return self.text(text)

    def literal(self, text: str) -> str:
        raise NotImplementedError

    def name(self, name: str) -> str:
        raise NotImplementedError

    def number(self, text: str) -> str:
        raise NotImplementedError

    def is_exponent(self, tree: Tree) -> bool:
        """Return whether exp of the tree is printed as a power of e."""
        return False

    def exponent(self, tree: Tree) -> str:
        return self.formula(tree)

    def with_comma(self) -> Self:
        """Return a copy with decimal commas."""
        printer = copy(self)
        printer.point = self.decimal_comma
        return printer

    def in_words(self, where: str, elsewhere: str) -> Self:
        """Return a copy with other words around a mask."""
        printer = copy(self)
        printer.where_words = (where, elsewhere)
        return printer

    def raise_to(self, base: str, exponent: str) -> str:
        return fill(self.power, base, exponent)

    def matrix_entry(self, tree: Tree) -> str:
        return self.formula(tree)

    def transpose(self, base: str) -> str:
        return fill(self.transposed, base)

    def left_operand(self, tree: Tree, at_least: int, first: bool) -> str:
        return self.inner(tree, at_least, first)

    # -- common to all dialects ----------------------------------------------------------------------------------------

    def formula(self, tree: Tree, first: bool = True) -> str:  # noqa: C901, PLR0912  # a case for each kind of tree
        """Return a formula with the tree's order and brackets; a minus at the `first` position has no brackets."""
        match tree:
            case Number(text):
                shown = self.literal(text)
                return shown if first or not text.startswith("-") else self.in_brackets(shown)
            case Name(name):
                return self.name(name)
            case Text(value):
                return self.quoted(value)
            case Negate(a):
                shown = fill(self.negative, self.inner(a, factor(a), False))
                return shown if first else self.in_brackets(shown)
            case Transpose(Call("lookup", (Transpose(table), ids))):
                return self.table_rows(table, fill(self.span, "", ""), self.formula(ids))
            case Transpose(a):
                return self.transpose(self.inner(a, 5))
            case Binary("**", Name("e"), b) | Call("exp", (b,)) if self.is_exponent(b):
                return fill(self.power_of_e, self.exponent(b))
            case Binary("**", a, b):
                return self.raise_to(self.base(a), self.exponent(b))
            case Binary("/", a, b) if self.has_bars:
                return fill(self.operators["/"], self.formula(a), self.formula(b))
            case Binary(operator, a, b) if operator in self.compared:
                return fill(self.holds, self.comparison(tree))
            case Binary("//", a, b):
                return self.formula(Call("floor", (Binary("/", a, b),)))
            case Binary("%", a, b):
                return fill(self.operators["%"], self.inner(a, 4), self.inner(b, 4))
            case Binary(operator, a, b):
                return self.infix(operator, a, b, first)
            case Call(operator, (a, b)) if operator == ENTRYWISE:
                return self.infix(operator, a, b, first)
            case Index(a, rows, columns):
                places = [self.place(index) for index in (rows, columns) if index is not None]
                return self.entry_at(a, places) if _is_entry(tree) else self.rows_at(a, places)
            case Call("lookup", (table, ids)):
                return self.table_rows(table, self.formula(ids))
            case Call("pick", (table, ids)):
                return self.entry_by_id(table, ids)
            case Call("keep"):
                return self.keep(tree)
            case Call("where", (mask, a, b)):
                return self.select(mask, a, self.inner(b, 1))
            case Call("solve", (a, b), ()):
                return self.formula(Binary("@", Call("inverse", (a,)), b), first)
            case Call("inverse", (a,)):
                return self.raise_to(self.base(a), self.exponent(Negate(Number("1"))))
            case Call():
                return self.call(tree)
        raise TypeError(tree)

    def in_brackets(self, text: str) -> str:
        return fill(self.group, text)

    def inner(self, part: Tree, at_least: int, first: bool = True) -> str:
        return self.formula(part, first) if self.strength(part) >= at_least else self.in_brackets(self.formula(part))

    def strength(self, tree: Tree) -> int:
        """Return the binding strength of a formula, which decides about brackets. Sums have the lowest, and names the
        highest.
        """
        return outer_strength(tree)

    def infix(self, operator: str, a: Tree, b: Tree, first: bool) -> str:
        """Return `a operator b`, with brackets where needed."""
        least = 1 if operator in _SUMS else 2
        right = factor(b) if operator in ("@", "*") else least + 1
        return fill(self.operators[operator], self.left_operand(a, least, first), self.inner(b, right, False))

    def base(self, tree: Tree) -> str:
        """Return the base of a power. A base that is not a name or a call is in brackets."""
        bare = self.strength(tree) == 5 and not isinstance(tree, Transpose)
        return self.formula(tree) if bare else self.in_brackets(self.formula(tree))

    def comparison(self, tree: Binary) -> str:
        return fill(self.compared[tree.operator], self.inner(tree.left, 1), self.inner(tree.right, 1, False))

    def call(self, tree: Call) -> str:
        """Return a call of a function in the form of the dialect. Without a form, return `f(a, b)`."""
        if (rows := literal_matrix(tree)) is not None:
            return fill(
                self.matrix, self.rows_apart.join(self.entries_apart.join(map(self.matrix_entry, row)) for row in rows)
            )
        if tree.function in _INDEXED:
            return self.indexed(*_INDEXED[tree.function], *tree.arguments, *(value for _, value in tree.options))
        words = [self.formula(a) for a in flatten_arguments(tree)]
        words += [fill(self.option, self.text(name), self.formula(value)) for name, value in tree.options]
        joined = self.separators.get(tree.function, self.separator).join(words)
        if tree.function in self.forms and not tree.options:
            return fill(self.forms[tree.function], joined)
        if tree.function in _OVER:
            return fill(
                self.applied, self.word_with_index(fill(self.named, "softmax"), Name(_OVER[tree.function])), joined
            )
        return fill(self.applied, self.sign(tree.function), joined)

    def indexed(self, word: str, of: str, argument: Tree, index: Tree = Name("j")) -> str:
        """Return `argmaxⱼ(P)`, `top₂(P)`, or `row(top₂(P))`, the row of each of the largest entries."""
        call_text = fill(self.applied, self.word_with_index(fill(self.named, word), index), self.formula(argument))
        return fill(self.applied, fill(self.named, of), call_text) if of else call_text

    def table_rows(self, table: Tree, *places: str) -> str:
        """Return the rows of a table that ids select, `E[ids]`, or its columns, `E[:, ids]`."""
        return self.rows_at(table, places)

    def rows_at(self, matrix: Tree, places: Sequence[str]) -> str:
        """Return rows, columns or a block of a matrix: `X[1:2]`, `W_Q[:, 1:2]`."""
        return fill(self.block, self.inner(matrix, 5), self.comma.join(places))

    def entry_at(self, matrix: Tree, places: Sequence[str]) -> str:
        """Return an entry of a matrix with its printed indices: `S[1, 2]`."""
        return self.rows_at(matrix, places)

    def entry_named(self, name: Tree, place: str) -> str:
        """Return an entry of a matrix. `place` is the text from `formula.labels.entry_place`, such as `[the, 2]`; a
        scalar has none.
        """
        inside = place[1:-1]
        is_counted = re.fullmatch("[0-9]+(, [0-9]+)?", inside)
        places = list(map(self.literal, inside.split(", "))) if is_counted else [self.text(inside)]
        return self.entry_at(name, places) if place else self.formula(name)

    def entry_by_id(self, table: Tree, ids: Tree) -> str:
        """Return the formula for the entry that the id of each row selects: `P[i, targetsᵢ]`."""
        row, id_text = self.formula(_ROW), self.inner(ids, 5)
        is_plain = isinstance(ids, Name) and not re.search("[_.]", ids.name)
        column = self.word_with_index(id_text, _ROW) if is_plain else fill(self.block, id_text, row)
        return self.entry_at(table, (row, column))

    def word_with_index(self, word: str, index: Tree) -> str:
        return f"{word}_{self.formula(index)}"

    def sign(self, function: str) -> str:
        return self.signs.get(function) or fill(self.named, NAMES.get(function, function))

    def keep(self, tree: Call) -> str:
        """Return `S where j ≤ i, −∞ elsewhere`."""
        given = dict(zip(("S", "M", "fill"), tree.arguments, strict=False)) | dict(tree.options)
        scores, mask = (given.get(name, Name(name)) for name in "SM")
        otherwise = self.formula(given["fill"]) if "fill" in given else fill(self.negative, self.infinity)
        return self.select(mask, scores, otherwise)

    def select(self, mask: Tree, a: Tree, otherwise: str) -> str:
        """Return the formula for a matrix where a mask is 1, and `otherwise` elsewhere."""
        condition_text = (
            self.comparison(mask)
            if is_comparison(mask)
            else self.mask_text(mask) or self.inner(mask, 1) + self.not_zero
        )
        return fill(self.where, self.inner(a, 1), condition_text, otherwise, *map(self.text, self.where_words))

    def mask_text(self, mask: Tree) -> str:
        """Return the condition of a mask on query i and key j; empty for other masks."""
        sides, strict = mask_condition(mask)
        return (self.below if strict else self.at_most).join(map(self.formula, sides))

    def place(self, part: Tree | Slice) -> str:
        """Return an index or a slice. A slice in a file excludes its end: when rows count from 1, 0:2 is printed as
        1:2.
        """
        if not isinstance(part, Slice):
            if (listed := places(part)) is not None:
                return fill(self.block, "", self.comma.join(map(self.place, listed)))
            return self.formula(_later(part, first_place()))
        start, stop = part.start and _later(part.start, first_place()), part.stop
        if first_place() and start is not None and start == stop and part.step is None:
            return self.formula(start)
        if isinstance(part.step, Negate):  # backwards: 3:0:-1 in a file, which stops before 0, is printed as 4:2:-1
            stop = stop and _later(stop, 2 * first_place())
        shown = fill(self.span, *(self.formula(end) if end else "" for end in (start, stop)))
        return fill(self.span, shown, self.formula(part.step)) if part.step else shown


def _is_entry(tree: Index) -> bool:
    """Return whether an index selects a single number: a row and a column, or the i of a list."""
    rows, columns = tree.rows, tree.columns
    if columns is None:
        return isinstance(rows, Name) and rows.name in _COUNTERS
    return not any(isinstance(item, Slice) or places(item) is not None for item in (rows, columns))


def _later(place: Tree, by: int) -> Tree:
    """Return an index plus `by`. An index from the end, or an index that is not a number, does not change."""
    return Number(str(int(place.text) + by)) if isinstance(place, Number) and place.text.isdecimal() else place
