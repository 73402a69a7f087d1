"""Exponentials, roots and logarithms of formal numbers, simplified as far as their terms allow."""

from __future__ import annotations

from flint import fmpq, fmpz

from ..budget import GiveUp
from .exponential_sums import ONE_TERM, Sum, tidy_exponent
from .quotient_form import ONE, ZERO, Exact, add, atom, canonical, multiply, number
from .sign_decision import absolute, sign_of

LARGEST_FACTORED = 96  # bits


def exponential(x: Exact) -> Exact:
    """Return e^x, with e^(q ln p) = p^q for whole and half q."""
    if not x.top:
        return ONE
    if list(x.bottom) == [ONE_TERM]:
        alpha = tuple(sorted(x.top.items()))
    else:
        alpha = (((1, (), ((("quotient", canonical(x)), 1),)), fmpq(1)),)
    factor, root, rest = tidy_exponent(alpha)
    return Exact({(root, rest, ()): factor})


def square_part(m: int) -> tuple[int, int]:
    """Return (s, f) with m = s²·f and f squarefree."""
    if m.bit_length() > LARGEST_FACTORED:
        raise GiveUp
    square, free = 1, 1
    for prime, power in fmpz(m).factor():
        square *= int(prime) ** (power // 2)
        free *= int(prime) ** (power % 2)
    return square, free


def square_root(x: Exact) -> Exact:
    """Return √x for x ≥ 0: √c·|r| for c·r², the root of a single rational term, and an atom for other numbers."""
    if x.root and x.root[0] > 0:
        c, r = x.root
        return multiply(square_root(number(c)), absolute(r))
    if not x.top:
        return ZERO
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        (root, alpha, atoms), q = next(iter(x.top.items()))
        if root == 1 and q > 0 and all(p % 2 == 0 for _, p in atoms):
            square, free = square_part(int(q.numerator * q.denominator))
            halved = tuple((t, c / 2) for t, c in alpha)
            factor, pulled, rest = tidy_exponent(halved)
            more, free = square_part(free * pulled)
            coefficient = fmpq(square * more) / q.denominator * factor
            root_of_x = Exact({(free, rest, tuple((a, p // 2) for a, p in atoms)): coefficient})
            return absolute(root_of_x) if atoms else root_of_x  # √(log(x)²) is −log(x) for x below 1
    return atom("sqrt", canonical(x))


def logarithm(x: Exact) -> Exact:
    """Return ln x: by primes for a fraction (ln 12 is 2 ln 2 + ln 3), as a sum for q·√m·e^α, otherwise as an atom.

    Raises GiveUp for x ≤ 0.
    """
    q = x.rational
    if q is not None:
        if q <= 0:
            raise GiveUp
        if q.height_bits() > LARGEST_FACTORED:
            return atom("log", canonical(x))
        total: Sum = {}
        for part, sign in ((q.numerator, 1), (q.denominator, -1)):
            for prime, power in fmpz(part).factor():
                term = next(iter(atom("ln", int(prime)).top))
                total[term] = total.get(term, fmpq(0)) + sign * power
        return Exact(total)
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        (root, alpha, atoms), c = next(iter(x.top.items()))
        if not atoms and c > 0:
            base = add(logarithm(number(c)), multiply(number(fmpq(1, 2)), logarithm(number(fmpq(root)))))
            return add(base, Exact(dict(alpha)))
    if sign_of(x) <= 0:
        raise GiveUp
    return atom("log", canonical(x))
