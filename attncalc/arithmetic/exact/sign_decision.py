"""Formal numbers as balls: which is larger, and which are proven to be 0."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce
from math import lcm
from typing import Any

from flint import arb, ctx, fmpq

from ..budget import GiveUp, simplest
from .algebraic_zero_test import Algebraic, is_candidate, without_divisors
from .exponential_sums import METER, ONE_TERM, Sum, Term
from .quotient_form import ONE, OPAQUE, Exact, Formal, add, divide, form, multiply, negative, number

# Of a product of what stands under logarithms: of irrational numbers, and bits of a fraction
MOST_FACTORS, LONGEST_POWER = 16, 20_000


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
    """Whether a number is proven to be 0, term by term, by the theory of algebraic numbers, or as the
    logarithm of 1.
    """
    if not x.top or is_candidate(x.top) and Algebraic(form, _ball_sum, METER.spend).vanishes(x.top):
        return True
    return _has_logarithms(x.top) and _logarithms_cancel(x.top)


def _has_logarithms(terms: Iterable[Term]) -> bool:
    return any(kind == "log" for _, _, atoms in terms for (kind, _), _ in atoms)


def _logarithms_cancel(a: Sum) -> bool:
    """Whether a₁ ln x₁ + a₂ ln x₂ + ... = ln(x₁^a₁ · x₂^a₂ · ...) is the logarithm of 1, for each factor before
    logarithms by itself.
    """
    groups: dict[Term, list[tuple[Exact, fmpq]]] = {}
    for term, q in without_divisors(a).items():
        factor, x = _logarithm(term)
        groups.setdefault(factor, []).append((x, q))
    return all(_multiply_to_one(powers) for powers in groups.values())


def _logarithm(term: Term) -> tuple[Term, Exact]:
    """A term as a factor times ln x; one without a logarithm is ln(e^term)."""
    root, alpha, atoms = term
    for (kind, argument), power in atoms:
        if kind in ("log", "ln") and power == 1:
            x = form(argument) if kind == "log" else number(fmpq(argument))
            return (root, alpha, tuple(a for a in atoms if a != ((kind, argument), 1))), x
    return ONE_TERM, Exact({(1, ((term, fmpq(1)),), ()): fmpq(1)})


def _multiply_to_one(powers: list[tuple[Exact, fmpq]]) -> bool:
    unit = lcm(*(int(q.denominator) for _, q in powers))
    product = reduce(multiply, (_power(x, int(q * unit)) for x, q in powers), ONE)
    return same_number(product, ONE)


def _power(x: Exact, n: int) -> Exact:
    q = x.rational
    if q is not None and q.height_bits() * abs(n) <= LONGEST_POWER:
        return number(q**n)
    if abs(n) > MOST_FACTORS:
        raise GiveUp
    power = reduce(multiply, [x] * abs(n), ONE)
    return power if n > 0 else divide(ONE, power)


def same_number(x: Exact, y: Exact) -> bool:
    """Whether two numbers are proven equal."""
    return vanishes(add(x, negative(y)))


def sign_of_terms(x: Exact) -> int | None:
    """The sign of a quotient of sums whose terms all have one sign: 1 − e^a/(e^a + e^b) is above 0, however small e^b
    is.
    """
    signs = [_sign_of_all(a) for a in (x.top, x.bottom)]
    return None if None in signs else signs[0] * signs[1]  # type: ignore[operator]


def _sign_of_all(a: Sum) -> int | None:
    """The sign that all terms have, where √m and e^α are above 0 and |erf x| is below 1; None where they differ, or
    others stand there.
    """
    plain, bounds = dict[Term, fmpq](), dict[Term, fmpq]()
    for (root, alpha, atoms), q in a.items():
        if not atoms:
            plain[root, alpha, ()] = q
        elif len(atoms) == 1 and atoms[0][0][0] == "erf" and atoms[0][1] == 1:
            bounds[root, alpha, ()] = bounds.get((root, alpha, ()), fmpq(0)) + abs(q)
        else:
            return None
    if any(abs(plain.get(factor, fmpq(0))) < bound for factor, bound in bounds.items()):
        return None
    signs = {1 if q > 0 else -1 for q in plain.values()}
    return signs.pop() if len(signs) == 1 else None


def sign_of(x: Exact) -> int:
    """1, 0 where that is proven, or −1. Raises GiveUp where neither balls of 1,024 bits nor a proof decide."""
    if not x.top:
        return 0
    sign = sign_of_terms(x)
    if sign is not None:
        return sign
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
    """|x|. Raises GiveUp where the sign is not decided."""
    return negative(x) if sign_of(x) < 0 else x


def compared(x: Formal, y: Formal) -> int:
    """1, 0 or −1: whether x is larger than y, equal to it or smaller; `inf` and `-inf` stand at the ends."""
    ends = {"-inf": -1, "inf": 1}
    if isinstance(x, str) or isinstance(y, str):
        one, other = (ends[z] if isinstance(z, str) else 0 for z in (x, y))
        return (one > other) - (one < other)
    return sign_of(add(x, negative(y)))


def larger(x: Exact, y: Exact) -> Exact:
    """The larger of two numbers. Raises GiveUp where that is not decided."""
    return x if sign_of(add(x, negative(y))) >= 0 else y


def settled(x: Exact) -> Exact:
    """A number whose terms do not cancel as the fraction that it is, where a simple one is proven: √(3 + 2√2) − √2 is
    1.
    """
    terms = (*x.top, *x.bottom)
    if not (is_candidate(terms) or _has_logarithms(terms)) or x.rational is not None:
        return x
    try:
        with ctx.workprec(256):
            value = ball(x)
            guess = simplest(value)
            if guess is not None and value.contains(guess) and vanishes(add(x, number(-guess))):
                return number(guess)
    except GiveUp:
        pass
    return x
