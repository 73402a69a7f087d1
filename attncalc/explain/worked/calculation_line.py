"""The sides of a calculation. Each number has as many digits as a reader with a calculator needs.

The printed numbers are not enough: −ln(0.020) is 3.912, but the loss is 3.933. Rounded numbers therefore get more
decimals, −ln(0.01959) ≈ 3.933, as few as are proven to be enough. If a few more are not enough, names replace numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

from flint import fmpq

from ...arithmetic import rounding
from ...arithmetic.matrix_types import Entry, is_infinite
from ...arithmetic.working_precision import working_precision
from ...formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Text,
    Tree,
    children,
    rewrite,
    unparse,
    walk,
)
from ...rounding_modes import MODES
from .. import solution_messages as messages
from ..document import EquationSide
from ..number_display import parse_entry
from ..part_scope import FAILURES, Scope, is_leaf
from .entry_formula import NoWorking, sum_of, terms_of
from .equality_signs import exact_value

BITS = (128, 512)
CONSTANTS = ("e", "pi")
LARGEST_POWER = 1_000


def sides_agree_in_print(scope: Scope, before: Tree, after: Tree) -> bool:
    """Return whether each number of a side is the rounded value of the corresponding part of the previous side."""
    if _is_extreme(before) or _is_extreme(after):
        return False
    pairs = list(_pairs(before, after))
    if any(_differ(part, number) for part, number in pairs):
        return True  # 3·√2 / 4 and 2.1213 / 2 have the same structure by chance
    return all(can_round_to(scope, part, number.text, (scope.rounding.mode,)) for part, number in pairs)


def can_round_to(scope: Scope, tree: Tree, text: str, modes: Sequence[str] = tuple(MODES)) -> bool:
    """Return whether a formula of printed numbers provably rounds to `text` in one of the rounding modes. Return True
    if a calculator cannot check the formula: for infinity, and for a sum with omitted terms.
    """
    if text.lstrip("-") == "inf" or "/" in text or _leaves_out(tree):
        return True
    if abs(int(text.partition("e")[2] or 0)) > LARGEST_POWER or _is_extreme(tree) or scope.is_exhausted:
        return False
    value = exact_value(tree)
    if value is not None:
        return _rounds(fmpq(value.numerator, value.denominator), text, modes)
    try:
        for bits in BITS:
            with working_precision(bits):
                x = scope.rows(tree, bits)[0][0]
                if _rounds(x, text, modes):
                    return True
    except FAILURES:
        pass
    return False


def _is_extreme(tree: Tree) -> bool:
    """Return whether a formula has a number with too large an exponent for a fraction."""
    if isinstance(tree, Number):
        power = tree.text.lower().partition("e")[2].lstrip("+-")
        return len(power) > 4 or int(power or 0) > LARGEST_POWER
    return any(map(_is_extreme, children(tree)))


def _rounds(x: Entry, text: str, modes: Sequence[str]) -> bool:
    if is_infinite(x):
        return False
    if "e" in text:
        figures = len(text.partition("e")[0].lstrip("-").replace(".", ""))
        decimal = rounding.scientific_text(x, figures)
        return decimal is not None and Fraction(("-" if x < 0 else "") + decimal) == Fraction(text)
    digits = len(text.partition(".")[2])
    wanted = Fraction(text) * 10**digits
    return any(rounding.round_number(x, digits, mode) == wanted.numerator for mode in modes)


def _pairs(before: Tree, after: Tree) -> Iterator[tuple[Tree, Number]]:
    """Yield each number of a side with the part of the previous side at the same position of the tree. Only positions
    at which both trees have the same structure are compared.
    """
    if isinstance(after, Number):
        if before != after:
            yield before, after
    elif _outermost(before) == _outermost(after):
        left, right = (terms_of(side) if _outermost(side) == "+" else children(side) for side in (before, after))
        if len(left) == len(right):
            for earlier_part, later_part in zip(left, right, strict=True):
                yield from _pairs(earlier_part, later_part)


def _differ(part: Tree, number: Number) -> bool:
    before, after = (exact_value(tree) if isinstance(tree, Number) else None for tree in (part, number))
    return before is not None and after is not None and abs(before - after) > max(map(_unit, (part, number)))


def _unit(tree: Tree) -> Fraction:
    """Return the value of one unit in the last digit of a number."""
    assert isinstance(tree, Number)
    mantissa, _, exponent = tree.text.partition("e")
    return Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def _outermost(tree: Tree) -> str:
    match tree:
        case Binary(operator):
            return operator
        case Call(function):
            return function
        case Negate():
            return "negate"
    return unparse(tree)


def _leaves_out(tree: Tree) -> bool:
    """Return whether a formula contains an ellipsis or another name that is not a constant."""
    return any(isinstance(part, Name) and part.name not in CONSTANTS for part in walk(tree))


MOST_TERMS = 8
MOST_EXTRA = 4  # digits in addition to the digits of the steps
FEWEST_FIGURES = 6  # figures of the largest number of a side whose decimals are reduced

Extra = tuple[int, ...]
_DECIMAL = r"-?\d{1,40}(?:\.\d{1,1000})?"


class CalculationLine:
    """A calculation: the formula with numbers, the values of its parts, and the fixed last sides `ends`."""

    def __init__(self, scope: Scope, tree: Tree, ends: list[EquationSide]):
        self.scope = scope
        self.tree = tree
        self.ends = ends
        self.numbers = cache(lambda extra: numbers(scope, tree, extra))
        self.agree = cache(self._agree)
        self.reaches_the_end = cache(self._reaches_the_end)
        betweens = [cache(lambda extra, write=write: self._between(write, extra)) for write in (_terms, _one_level_up)]
        self.betweens = [between for between in betweens if between(0) is not None]

    def stages(self) -> tuple[EquationSide, ...]:
        """Return the sides with the fewest digits that agree. If necessary, leave out sides, or use names."""
        while True:
            for extra in _by_cost(1 + len(self.betweens)):
                stages = self._sides(extra)
                if stages and self._agrees(stages):
                    return stages
            if not self.betweens:
                return self._by_names()
            self.betweens.pop()

    def _between(self, write: Callable[[Scope, Tree, int], EquationSide | None], extra: int) -> EquationSide | None:
        stage = write(self.scope, self.tree, extra)
        return stage if stage is not None and (stage.exact or not self.scope.exact) else None

    def _sides(self, extra: Extra) -> tuple[EquationSide, ...]:
        """Return the sides with `extra` digits each; empty if a side cannot be written in this way."""
        stages = [self.numbers(extra[0]), *(between(k) for between, k in zip(self.betweens, extra[1:], strict=True))]
        written = [stage for stage in stages if stage is not None]
        return _without_repeats([*written, *self.ends]) if len(written) == len(stages) else ()

    def _agrees(self, stages: tuple[EquationSide, ...]) -> bool:
        follow = all(self.agree(stage, successor) for stage, successor in pairwise(stages))
        return follow and all(map(self.reaches_the_end, stages[:-1]))

    def _agree(self, side: EquationSide, after: EquationSide) -> bool:
        """Return whether a side agrees with the next side. An exact side agrees with every rounded side."""
        return side.exact or sides_agree_in_print(self.scope, side.tree, after.tree)

    def _reaches_the_end(self, side: EquationSide) -> bool:
        end = self.ends[-1].tree
        return (
            side.exact
            or not isinstance(end, Number)
            or can_round_to(self.scope, side.tree, end.text, (self.scope.rounding.mode,))
        )

    def _by_names(self) -> tuple[EquationSide, ...]:
        """Return the formula with the names of entries, which shows that the numbers are not the printed numbers."""

        def shorten(part: Tree) -> Tree | None:
            terms = terms_of(part)
            return _shortened(terms) if len(terms) > MOST_TERMS else None

        return (EquationSide(rewrite(self.tree, shorten)), *self.ends)


def notes(scope: Scope, lines: Iterable[tuple[EquationSide, ...]]) -> list[str]:
    """Return the notes on calculations: they have more digits than the steps, or names."""
    lines = list(lines)
    more_digits = any(_has_more_digits(scope, stage) for stages in lines for stage in stages[:-1])
    by_names = any(isinstance(part, Index) for stages in lines for part in walk(stages[0].tree))
    on_paper = (messages.MORE_DIGITS_ON_PAPER, messages.BY_NAMES_ON_PAPER)
    sentences = on_paper if scope.rounds_steps else (messages.MORE_DIGITS, messages.BY_NAMES)
    return [text for text, holds in zip(sentences, (more_digits, by_names), strict=True) if holds]


def _has_more_digits(scope: Scope, stage: EquationSide) -> bool:
    parts = () if stage.exact else walk(stage.tree)
    return any(
        isinstance(part, Number) and len(part.text.partition(".")[2].partition("e")[0]) > scope.rounding.digits
        for part in parts
    )


def substitute_to(scope: Scope, tree: Tree, typed: str) -> EquationSide | None:
    """Return the formula of an entry with numbers, with the fewest digits that give `typed`; None if there are none."""
    if not re.fullmatch(_DECIMAL, typed):
        return numbers(scope, tree)
    candidates = (numbers(scope, tree, extra) for extra in range(MOST_EXTRA + 1))
    return next((stage for stage in candidates if can_round_to(scope, stage.tree, typed)), None)


def _by_cost(sides: int) -> Iterator[Extra]:
    """Yield combinations of extra digits for the sides, by increasing cost. The first is nearly always enough."""
    yield (0,) * sides
    yield from _more_by_cost(sides)[1:]


@cache
def _more_by_cost(sides: int) -> list[Extra]:
    """Return all combinations by cost. Digits of the first side cost more, because it has more numbers."""
    between = range(-MOST_EXTRA, MOST_EXTRA + 1)
    return sorted(product(range(MOST_EXTRA + 1), *([between] * (sides - 1))), key=_cost)


def _cost(extra: Extra) -> tuple[int, Extra]:
    return 3 * extra[0] + sum(2 * k if k > 0 else -k for k in extra[1:]), extra


def _without_repeats(stages: list[EquationSide]) -> tuple[EquationSide, ...]:
    return tuple(
        stage for k, stage in enumerate(stages) if k == 0 or unparse(stage.tree) != unparse(stages[k - 1].tree)
    )


# -- numbers instead of names ------------------------------------------------------------------------------------------


def numbers(scope: Scope, tree: Tree, extra: int = 0) -> EquationSide:
    """Return a formula with numbers instead of entries. Long sums keep their first terms and the last term."""
    exact = True

    def apart(part: Tree) -> tuple[Tree, bool]:
        nonlocal exact
        before, exact = exact, True
        replacement = rewrite(part, put_in), exact
        exact = before
        return replacement

    def put_in(part: Tree) -> Tree | None:
        nonlocal exact
        if isinstance(part, Binary) and part.operator == "*":
            (left, left_is), (right, right_is) = apart(part.left), apart(part.right)
            exact = exact and (left_is and right_is or left_is and _is_zero(left) or right_is and _is_zero(right))
            return part.but(left=left, right=right)
        if isinstance(part, Binary) and part.operator == "+" and len(terms := terms_of(part)) > MOST_TERMS:
            return _shortened([rewrite(term, put_in) for term in terms])
        if isinstance(part, Index) and is_leaf(part):
            number, is_exact = _leaf(scope, part, extra)
            exact = exact and is_exact
            return number
        return None

    return EquationSide(rewrite(tree, put_in), exact)


def _is_zero(tree: Tree) -> bool:
    """Return whether a side is 0 or a product with a factor 0. Its product with a rounded number is exact."""
    if isinstance(tree, Binary) and tree.operator == "*":
        return _is_zero(tree.left) or _is_zero(tree.right)
    return isinstance(tree, Number) and not tree.text.strip("-0.")


def _leaf(scope: Scope, leaf: Index, extra: int) -> tuple[Tree, bool]:
    """Return an entry as printed, or with `extra` digits, and whether it is exact."""
    assert isinstance(leaf.rows, Number) and isinstance(leaf.columns, Number)
    i, j = int(leaf.rows.text), int(leaf.columns.text)
    if not isinstance(leaf.operand, Name):
        return _decimal(scope, leaf, extra)
    given = scope.given(leaf.operand.name)
    if given is not None and given.texts is not None and (tree := parse_entry(given.texts[i][j])) is not None:
        return tree, True
    tree, exact = scope.shown(leaf.operand.name).number(i, j)
    if exact or not extra or not isinstance(tree, Number):
        return tree, exact
    return Number(scope.with_more_digits(leaf.operand, i, j, tree.text, extra)), False


def _decimal(scope: Scope, tree: Tree, extra: int) -> tuple[Tree, bool]:
    decimal = None if scope.is_exhausted else scope.decimal(tree, extra)
    if decimal is None:
        raise NoWorking
    return Number(decimal[0]), decimal[1]


def _shortened(terms: list[Tree]) -> Tree:
    ellipsis = Name(messages.OMITTED_TERMS.format(count=len(terms) - 4))
    tree = terms[0]
    for term in (*terms[1:3], ellipsis, terms[-1]):
        tree = Binary("+", tree, term)
    return tree


# -- the values of the parts of a formula ------------------------------------------------------------------------------


def _terms(scope: Scope, tree: Tree, extra: int) -> EquationSide | None:
    """Return a quotient with the values of the terms of its sums, as in a softmax: 3.4903 / (3.4903 + 1.3499 + 1)."""
    if not isinstance(tree, Binary) or tree.operator != "/" or is_linear(tree):
        return None
    sums = [terms_of(side) for side in (tree.left, tree.right)]
    if max(map(len, sums)) == 1 or max(map(len, sums)) > MOST_TERMS:
        return None
    try:
        values = [[_value(scope, term, extra) for term in terms] for terms in sums]
    except (NoWorking, *FAILURES):
        return None
    if not _has_enough_figures(extra, [term for side in values for term, _ in side]):
        return None
    top, below = (sum_of([term for term, _ in side]) for side in values)
    return EquationSide(Binary("/", top, below), all(exact for side in values for _, exact in side))


def _one_level_up(scope: Scope, tree: Tree, extra: int) -> EquationSide | None:
    """Return the outermost operation with the values of its operands: 34.3133 / 59.5743; None for a linear formula."""
    if is_linear(tree) or not isinstance(tree, Binary | Call):
        return None
    parts = [tree.left, tree.right] if isinstance(tree, Binary) else tree.arguments
    try:
        values = [_value(scope, part, extra) for part in parts]
    except (NoWorking, *FAILURES):
        return None
    if not _has_enough_figures(extra, [value for value, _ in values]):
        return None
    inside = tuple(value for value, _ in values)
    operation = (
        Binary(tree.operator, inside[0], inside[1])
        if isinstance(tree, Binary)
        else Call(tree.function, inside, tree.options)
    )
    return EquationSide(operation, all(exact for _, exact in values))


def _has_enough_figures(extra: int, values: list[Tree]) -> bool:
    """Return whether the largest number of a side has enough figures, if its decimals are reduced."""
    texts = [value.text for value in values if isinstance(value, Number)]
    return (
        extra >= 0
        or max((len(text.partition("e")[0].strip("-").replace(".", "")) for text in texts), default=0) >= FEWEST_FIGURES
    )


def _value(scope: Scope, part: Tree, extra: int) -> tuple[Tree, bool]:
    if is_leaf(part) or isinstance(part, Name | Text):
        stage = numbers(scope, part, max(0, extra))
        return stage.tree, stage.exact
    return _decimal(scope, part, extra)


def is_linear(tree: Tree) -> bool:
    """Return whether a formula consists of sums, products and choices of entries. It needs no intermediate values."""
    word = tree.operator if isinstance(tree, Binary) else tree.function if isinstance(tree, Call) else ""
    return is_leaf(tree) or (word in ("+", "-", "*", "maximum", "minimum") and all(map(is_linear, children(tree))))
