"""Sums of terms q · √m · e^α · atoms. Formally equal terms are combined, and the work is counted."""

from __future__ import annotations

from math import gcd
from typing import Any

from flint import fmpq

from ..budget import GiveUp, Meter

Pairs = tuple[Any, ...]  # sorted pairs of an atom or term and its power or coefficient
Term = tuple[int, Pairs, Pairs]  # m of √m, α of e^α, atoms
Sum = dict[Term, fmpq]
ONE_TERM: Term = (1, (), ())
MOST_TERMS = 128
MOST_WORK = 20_000  # limit on the term operations for one entry
MOST_WORK_IN_ALL = 200_000  # limit for all entries of a solution; a term operation takes up to 30 µs
LONG_COEFFICIENT, LONGEST_COEFFICIENT = 1 << 10, 1 << 17  # bits: the cost of a term; the limit
LONGEST_PRIME_POWER = 20_000  # bits


METER = Meter(MOST_WORK)  # term operations; the search for a proof ends after this work


def charge(q: fmpq) -> fmpq:
    """Spend work for a long coefficient, and return the coefficient. Raises GiveUp if it is too long."""
    bits = q.height_bits()
    if bits > LONG_COEFFICIENT:
        METER.spend(bits // LONG_COEFFICIENT)
        if bits > LONGEST_COEFFICIENT:
            raise GiveUp
    return q


def equal_sums(a: Sum, b: Sum) -> bool:
    """Return whether two sums have the same terms with the same coefficients."""
    return a is b or len(a) == len(b) and all(b.get(term) == q for term, q in a.items())


def scale(a: Sum, q: fmpq) -> Sum:
    """Return q · a; if q is 0, the empty sum, which is 0."""
    return {term: charge(c * q) for term, c in a.items()} if q else {}


def add_sums(a: Sum, b: Sum) -> Sum:
    """Return a + b with equal terms combined. Raises GiveUp if there are more than MOST_TERMS."""
    METER.spend(len(b))
    result = dict(a)
    for term, q in b.items():
        total = result.get(term, fmpq(0)) + q
        if total:
            result[term] = charge(total)
        else:
            result.pop(term, None)
    if len(result) > MOST_TERMS:
        raise GiveUp
    return result


def multiply_terms(s: Term, t: Term) -> tuple[fmpq, Term]:
    """Return the product of two terms as a fraction and a term: √2·√6 is 2·√3, e^(ln 2)·e^x is 2·e^x."""
    shared = gcd(s[0], t[0])
    METER.spend((len(s[1]) + len(t[1])) // 2)  # long exponents are added pair by pair
    factor, root, alpha = tidy_exponent(_merge(s[1], t[1])) if s[1] and t[1] else (fmpq(1), 1, s[1] or t[1])
    m = (s[0] // shared) * (t[0] // shared)
    again = gcd(m, root)
    return factor * shared * again, ((m // again) * (root // again), alpha, _merge(s[2], t[2]))


def _merge(a: Pairs, b: Pairs) -> Pairs:
    if not a or not b:
        return a or b
    total = dict(a)
    for key, power in b:
        total[key] = total.get(key, 0) + power
    return tuple(sorted((key, power) for key, power in total.items() if power))


def tidy_exponent(alpha: Pairs) -> tuple[fmpq, int, Pairs]:
    """Extract multiples of ln p / 2 from α in e^α. Return (factor, root, remaining α)."""
    factor, root, rest = fmpq(1), 1, []
    for term, q in alpha:
        prime = _prime_of_log(term)
        twice = q * 2
        if (
            prime is None
            or twice.denominator != 1
            or abs(twice) > 4_000
            or abs(twice) * prime.bit_length() > 2 * LONGEST_PRIME_POWER
        ):
            rest.append((term, q))
            continue
        whole, half = divmod(int(twice.numerator), 2)
        factor = charge(factor * fmpq(prime) ** whole)
        if half:
            root *= prime
    return factor, root, tuple(rest)


def _prime_of_log(term: Term) -> int | None:
    root, alpha, atoms = term
    if root == 1 and not alpha and len(atoms) == 1 and atoms[0][1] == 1 and atoms[0][0][0] == "ln":
        return int(atoms[0][0][1])
    return None


def invert(term: Term, q: fmpq) -> tuple[Term, fmpq]:
    """Return 1/(q·√m·e^α·atoms)."""
    root, alpha, atoms = term
    minus = tuple((t, -c) for t, c in alpha)
    return (root, minus, tuple((a, -p) for a, p in atoms)), 1 / (q * root)
