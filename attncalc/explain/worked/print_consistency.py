"""Check that a calculator, given the printed numbers of one side of an equation, reproduces the printed numbers of the
next side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import ctx, fmpq

from ...arithmetic import rounding
from ...arithmetic.matrix_types import Entry, is_infinite
from ...formula.syntax_tree import Binary, Call, Name, Negate, Number, Tree, children, unparse, walk
from ...rounding_modes import MODES
from ..part_scope import FAILURES, Scope
from .entry_formula import terms_of
from .equality_signs import exact_value

BITS = (128, 512)
CONSTANTS = ("e", "pi")
LARGEST_POWER = 1_000


def sides_agree_in_print(scope: Scope, before: Tree, after: Tree) -> bool:
    """True if each number of a side is the rounded value of the corresponding part of the side before it."""
    if _is_extreme(before) or _is_extreme(after):
        return False
    pairs = list(_pairs(before, after))
    if any(_differ(part, number) for part, number in pairs):
        return True  # 3·√2 / 4 and 2.1213 / 2 are built alike by chance
    return all(can_round_to(scope, part, number.text, (scope.rounding.mode,)) for part, number in pairs)


def can_round_to(scope: Scope, tree: Tree, text: str, modes: Sequence[str] = tuple(MODES)) -> bool:
    """True if a formula of printed numbers provably rounds to `text` under one of the rounding modes.

    Also true for what no calculator can contradict: infinity, and a sum whose terms are not all printed.
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
            with ctx.workprec(bits):
                x = scope.rows(tree, bits)[0][0]
                if _rounds(x, text, modes):
                    return True
    except FAILURES:
        pass
    return False


def _is_extreme(tree: Tree) -> bool:
    """True if a number in a formula has a power of ten too large to expand into a fraction."""
    if isinstance(tree, Number):
        power = tree.text.lower().partition("e")[2].lstrip("+-")
        return len(power) > 4 or int(power or 0) > LARGEST_POWER
    return any(map(_is_extreme, children(tree)))


def _rounds(x: Entry, text: str, modes: Sequence[str]) -> bool:
    if is_infinite(x):
        return False
    if "e" in text:
        figures = len(text.partition("e")[0].lstrip("-").replace(".", ""))
        decimal = rounding.significant(x, figures)
        return decimal is not None and Fraction(("-" if x < 0 else "") + decimal) == Fraction(text)
    digits = len(text.partition(".")[2])
    wanted = Fraction(text) * 10**digits
    return any(rounding.of_number(x, digits, mode) == wanted.numerator for mode in modes)


def _pairs(before: Tree, after: Tree) -> Iterator[tuple[Tree, Number]]:
    """Yield (part, number) for each number of a side and the part of the side before it in the same position of the
    tree.

    Only positions where both trees have the same shape are compared.
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
    """True if `part` is another number than `number`, and not the same number printed with other digits."""
    before, after = (exact_value(tree) if isinstance(tree, Number) else None for tree in (part, number))
    return before is not None and after is not None and abs(before - after) > max(map(_unit, (part, number)))


def _unit(tree: Tree) -> Fraction:
    """Return the value of one unit in a number's last digit."""
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
    """True if a formula contains an ellipsis or another name that is not a constant."""
    return any(isinstance(part, Name) and part.name not in CONSTANTS for part in walk(tree))
