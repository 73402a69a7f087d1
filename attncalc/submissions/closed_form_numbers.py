"""Constants worked out as far as an answer needs it: rational ones exactly, the others in a thin ball."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub, truediv

from flint import arb, fmpq, fmpz

from ..arithmetic.working_precision import working_precision
from ..formula.syntax_tree import Binary, Call, Name, Negate, Number, Tree
from .submission import Rows, Typed

FUNCTIONS: dict[str, Callable[[arb], arb]] = {
    "exp": arb.exp, "log": arb.log, "ln": arb.log, "sqrt": arb.sqrt, "sin": arb.sin, "cos": arb.cos, "tanh": arb.tanh,
    "erf": arb.erf, "abs": abs, "log2": lambda x: x.log() / arb(2).log(), "log10": lambda x: x.log() / arb(10).log(),
}  # fmt: skip
CONSTANTS: dict[str, Callable[[], arb]] = {"e": lambda: arb(1).exp(), "pi": arb.pi}
_WORK: dict[str, Callable[[arb, arb], arb]] = {"+": add, "-": sub, "*": mul, "/": truediv}
LARGEST = 1_000  # decimal digits before the point
MOST_BITS = 50_000
DEEPEST = 100
PRECISIONS = (192, 1_024, 8_192)  # bits
THIN = fmpq(1, 10**40)  # the largest radius of a ball, or of its share of the number


class NotConstant(Exception):
    """A text that is not a number. The message says why, if there is more to say."""


def decimal(digits: str, decimals: int) -> fmpq:
    """Return the number of these digits, so many of them behind the point."""
    return fmpq(int(digits), 10**decimals) if decimals >= 0 else fmpq(int(digits) * 10**-decimals)


def fraction(above: str, below: str) -> fmpq:
    """Return above / below. Raises NotConstant if below is 0."""
    if not int(below):
        raise NotConstant("division by zero")
    return fmpq(int(above), int(below))


def settle(tree: Tree) -> fmpq | None:
    """Return the value of a constant formula if its form shows that it is rational, None for other numbers.

    Raises NotConstant if it is not a constant, has no value (a root of −1, a division by zero), is too large, or no
    thin ball holds it.
    """
    with working_precision(64):
        value, ball = _value(tree, 0)
        _ordinary(ball)
    if value is None:
        thin_ball(tree)
    return value


def thin_ball(tree: Tree) -> arb:
    """Return a ball that holds the value of a constant formula and hardly anything else. A wide one would agree with
    every number. Raises NotConstant if there is none.
    """
    for bits in PRECISIONS:
        with working_precision(bits):
            ball = _value(tree, 0)[1]
            if ball.rad() < arb(THIN) or ball.rad() < abs(ball) * arb(THIN):
                return ball
    raise NotConstant("its value cannot be calculated; write the number")


def _value(tree: Tree, depth: int) -> tuple[fmpq | None, arb]:
    if depth > DEEPEST:
        raise NotConstant("it is nested too deeply")
    match tree:
        case Number():
            number = tree.value
            return fmpq(number.numerator, number.denominator), arb(fmpq(number.numerator, number.denominator))
        case Name(name) if name in CONSTANTS:
            return None, CONSTANTS[name]()
        case Negate(a):
            value, ball = _value(a, depth + 1)
            return None if value is None else -value, -ball
        case Binary(operator, a, b) if operator in ("**", *_WORK):
            return _binary(operator, _value(a, depth + 1), _value(b, depth + 1))
        case Call(function, (a,), ()) if function in FUNCTIONS:
            value, ball = _value(a, depth + 1)
            result = FUNCTIONS[function](_ordinary(ball))
            return abs(value) if function == "abs" and value is not None else None, _ordinary(result)
        case Name("inf"):
            raise NotConstant("`inf` cannot be part of a formula")
        case Name():
            raise NotConstant("an answer cannot contain names")
        case Call(function):
            raise NotConstant(f"{function} cannot be used in an answer; you can use {', '.join(FUNCTIONS)}")
    raise NotConstant


def _binary(operator: str, left: tuple[fmpq | None, arb], right: tuple[fmpq | None, arb]) -> tuple[fmpq | None, arb]:
    (a, x), (b, y) = left, right
    if operator == "/" and b is not None and b == 0:
        raise NotConstant("division by zero")
    if operator == "**":
        return _power(a, x, b, y)
    work = _WORK[operator]
    value = None if a is None or b is None else _short(work(a, b))
    return value, _ordinary(work(x, y) if value is None else arb(value))


def _power(a: fmpq | None, x: arb, b: fmpq | None, y: arb) -> tuple[fmpq | None, arb]:
    if b is not None and b.q == 1:
        if a is not None and a == 0 and b < 0:
            raise NotConstant("division by zero")
        ball = _ordinary(x ** fmpz(b.p))
        if a is not None and _bits(a) * abs(int(b.p)) > MOST_BITS:
            raise NotConstant("its exact value is too long")
        return None if a is None else a ** int(b.p), ball
    return None, _ordinary(x**y)


def _bits(value: fmpq) -> int:
    return int(max(abs(value.p), value.q)).bit_length()


def _short(value: fmpq) -> fmpq:
    if _bits(value) > MOST_BITS:
        raise NotConstant("its exact value is too long")
    return value


def _ordinary(ball: arb) -> arb:
    """Return the ball if it is a number of ordinary size. Raises NotConstant for another one."""
    if not ball.is_finite():
        raise NotConstant("it has no value")
    if abs(ball) > arb(10) ** LARGEST:
        raise NotConstant(f"it has more than {LARGEST} digits")
    return ball


def same_numbers(first: Rows, second: Rows) -> bool:
    """Return whether each entry of one matrix may be the entry of the other, rounded or truncated to its last digit. A
    blank may be anything.
    """
    if [len(row) for row in first] != [len(row) for row in second]:
        return False
    pairs = (pair for rows in zip(first, second, strict=True) for pair in zip(*rows, strict=True))
    with working_precision(192):
        return all(a is None or b is None or _same(a, b) for a, b in pairs)


def _same(a: Typed, b: Typed) -> bool:
    if a.infinite or b.infinite or a.word or b.word:
        return (a.infinite, a.word and a.text) == (b.infinite, b.word and b.text)
    if a.decimals == b.decimals and a.value is not None and b.value is not None:
        return bool(a.value == b.value)
    coarse, fine = (a, b) if a.decimals is not None and (b.decimals is None or a.decimals <= b.decimals) else (b, a)
    if coarse.decimals is None:
        return not abs(_ball(a) - _ball(b)) > 0
    unit, gap = arb(fmpq(1) / fmpq(10) ** coarse.decimals), _ball(fine) - _ball(coarse)
    is_rounded = not abs(gap) > unit / 2
    is_cut = not abs(gap) > unit and (not gap < 0 or not abs(_ball(fine)) < abs(_ball(coarse)))
    return is_rounded or is_cut


def _ball(typed: Typed) -> arb:
    if typed.value is not None:
        return arb(typed.value)
    assert typed.tree is not None, "a typed number has a value or a formula"
    return thin_ball(typed.tree)
