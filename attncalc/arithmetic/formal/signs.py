"""Formal numbers as balls: which is larger, and which are proven to be 0."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, ctx, fmpq

from ..algebraic import Algebraic, is_candidate
from .quotients import OPAQUE, Exact, Formal, add, form, negative, number, to_fmpq
from .terms import METER, GiveUp, Sum

LARGEST_GUESSED, LARGEST_DENOMINATOR = 1 << 64, 1_000_000  # of fractions that a number may turn out to be


def ball(x: Exact) -> arb:
    """The number as a ball at the working precision."""
    return _ball_sum(x.top) / _ball_sum(x.bottom)


def _ball_sum(a: Sum) -> arb:
    total = arb(0)
    for (root, alpha, atoms), q in a.items():
        value = arb(q) * arb(root).sqrt()
        if alpha:
            value *= _ball_sum(dict(alpha)).exp()
        for (kind, argument), power in atoms:
            value *= _ball_atom(kind, argument, ctx.prec) ** power
        total += value
    return total


@lru_cache(maxsize=2_000)  # an atom inside others stands in many of their terms
def _ball_atom(kind: str, argument: Any, bits: int) -> arb:
    """An atom's ball at the working precision, which is `bits`."""
    if kind == "pi":
        return arb.pi()
    if kind == "ln":
        return arb(argument).log()
    if kind == OPAQUE:
        raise GiveUp
    x = ball(form(argument))
    return x if kind == "quotient" else getattr(x, kind)()


def vanishes(x: Exact) -> bool:
    """Whether a number is proven to be 0, term by term or by the theory of algebraic numbers."""
    return not x.top or is_candidate(x.top) and Algebraic(form, _ball_sum, METER.spend).vanishes(x.top)


def sign_of(x: Exact) -> int:
    if not x.top:
        return 0
    for bits in (64, 256, 1024):
        with ctx.workprec(bits):
            value = ball(x)
        if value > 0:
            return 1
        if value < 0:
            return -1
    if vanishes(x):
        return 0
    raise GiveUp


def absolute(x: Exact) -> Exact:
    return negative(x) if sign_of(x) < 0 else x


def compared(x: Formal, y: Formal) -> int:
    """1, 0 or −1: whether x is larger than y, equal to it or smaller; `inf` and `-inf` stand at the ends."""
    ends = {"-inf": -1, "inf": 1}
    if isinstance(x, str) or isinstance(y, str):
        one, other = (ends[z] if isinstance(z, str) else 0 for z in (x, y))
        return (one > other) - (one < other)
    return sign_of(add(x, negative(y)))


def larger(x: Exact, y: Exact) -> Exact:
    return x if sign_of(add(x, negative(y))) >= 0 else y


def settled(x: Exact) -> Exact:
    """A number whose terms do not cancel as the fraction that it is, where a simple one is proven: √(3 + 2√2) − √2 is 1."""
    if not is_candidate((*x.top, *x.bottom)) or x.rational is not None:
        return x
    try:
        with ctx.workprec(256):
            value = ball(x)
            guess = _simplest(value)
            if guess is not None and value.contains(guess) and vanishes(add(x, number(-guess))):
                return number(guess)
    except GiveUp:
        pass
    return x


def _simplest(x: arb) -> fmpq | None:
    """The fraction with a small denominator next to the middle of a ball."""
    if not x.is_finite() or abs(x) > LARGEST_GUESSED:
        return None
    mantissa, exponent = (int(n) for n in x.mid().man_exp())
    return to_fmpq((Fraction(mantissa) * Fraction(2) ** exponent).limit_denominator(LARGEST_DENOMINATOR))
