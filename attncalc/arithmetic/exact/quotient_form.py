"""Formal numbers N/D: their sums, products and quotients. Products of sines and cosines become sums."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from ..budget import GiveUp
from .exponential_sums import (
    METER,
    MOST_TERMS,
    ONE_TERM,
    Pairs,
    Sum,
    Term,
    add_sums,
    charge,
    equal_sums,
    invert,
    multiply_terms,
    scale,
)


class Exact:
    """A number N/D, where D is 1 or has several terms. `root` is (c, r) if the number is c·r², so that its √ is
    simple.
    """

    __slots__ = ("bottom", "root", "top")

    def __init__(self, top: Sum, bottom: Sum | None = None, root: tuple[fmpq, Exact] | None = None):
        self.top = top
        self.bottom = bottom or {ONE_TERM: fmpq(1)}
        self.root = root

    @property
    def rational(self) -> fmpq | None:
        """The number as a fraction; None unless it is formally a fraction."""
        if not self.top:
            return fmpq(0)
        term, coefficient = next(iter(self.bottom.items()))
        if term not in self.top or len(self.top) != len(self.bottom):
            return None
        c = self.top[term] / coefficient
        return c if equal_sums(self.top, scale(self.bottom, c)) else None


INFINITY = {1: "inf", -1: "-inf"}
Formal = Exact | str  # "inf" and "-inf" are symbols
OPAQUE = "entry"  # the kind of atom for an entry that cannot be computed


def number(q: fmpq) -> Exact:
    return Exact({ONE_TERM: q} if q else {})


ZERO, ONE = number(fmpq(0)), number(fmpq(1))


def to_fmpq(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def atom(kind: str, argument: object = ()) -> Exact:
    """Return an atom, such as π, `ln 3` or `sin x`. `argument` is a number, or the index of a form (`canonical`)."""
    return Exact({(1, (), (((kind, argument), 1),)): fmpq(1)})


_NUMBERS: dict[Pairs, int] = {}
_FORMS: list[Exact] = []


def canonical(x: Exact) -> int:
    """Return the index of a form. Equal forms have the same index, so that terms that contain forms are short."""
    unit = 1 / min(x.bottom.items())[1]
    form = tuple(sorted(scale(x.top, unit).items())), tuple(sorted(scale(x.bottom, unit).items()))
    index = _NUMBERS.setdefault(form, len(_FORMS))
    if index == len(_FORMS):
        _FORMS.append(x)
    return index


def form(number: int) -> Exact:
    """Return the form with this index."""
    return _FORMS[number]


def multiply_sums(a: Sum, b: Sum) -> Sum:
    """Return the product of two sums, term by term, with equal terms combined. Raises GiveUp if there are too many
    terms.
    """
    if len(a) * len(b) > MOST_TERMS * 4:
        raise GiveUp
    METER.spend(len(a) * len(b))
    result: Sum = {}
    for s, p in a.items():
        for t, q in b.items():
            factor, term = multiply_terms(s, t)
            for part, share in _reduce_term(term).items() if term[2] else ((term, fmpq(1)),):
                total = result.get(part, fmpq(0)) + p * q * factor * share
                if total:
                    result[part] = charge(total)
                else:
                    result.pop(part, None)
    if len(result) > MOST_TERMS:
        raise GiveUp
    return result


def _reduce_term(term: Term) -> Sum:
    """Replace √x·√x by x, and products of sines and cosines by sums."""
    for (kind, argument), power in term[2]:
        if kind == "sqrt" and power > 1 and list(form(argument).bottom) == [ONE_TERM]:
            x = form(argument)
            rest = tuple((a, p - 2 * (a == (kind, argument))) for a, p in term[2])
            others: Sum = {(term[0], term[1], tuple((a, p) for a, p in rest if p)): fmpq(1)}
            return multiply_sums(others, x.top)
    return _linear(term)


def _linear(term: Term) -> Sum:
    """Write products of sines and cosines as sums.

    The sums prove sin² + cos² = 1 and sin(a)·sin(b) + cos(a)·cos(b) = cos(a − b).
    """
    waves = [
        (kind, argument) for (kind, argument), power in term[2] if kind in ("sin", "cos") for _ in range(max(power, 0))
    ]
    if len(waves) < 2:
        return {term: fmpq(1)}
    (first, x), (second, y) = waves[:2]
    rest = dict(term[2])
    for wave in waves[:2]:
        rest[wave] -= 1
    others: Sum = {(term[0], term[1], tuple(sorted((a, p) for a, p in rest.items() if p))): fmpq(1, 2)}
    a, b = form(x), form(y)
    minus, plus = add(a, negative(b)), add(a, b)
    if first == second:
        pair = add(cosine(minus), cosine(plus) if first == "cos" else negative(cosine(plus)))
    else:  # cos a · sin b, as atoms are sorted
        pair = add(sine(plus), negative(sine(minus)))
    return multiply_sums(others, pair.top)


def quotient(top: Sum, bottom: Sum) -> Exact:
    """Return top / bottom. If the bottom has a single term, its inverse becomes a factor of the top. Raises GiveUp if
    the bottom is 0.
    """
    if not bottom:
        raise GiveUp
    if len(bottom) == 1:
        term, q = next(iter(bottom.items()))
        if term == ONE_TERM:
            return Exact(scale(top, 1 / q) if q != 1 else top)
        inverse, c = invert(term, q)
        return Exact(multiply_sums(top, {inverse: c}))
    ratio = Exact(top, bottom)
    rational = ratio.rational  # ln 1000 / ln 10 is 3
    return ratio if rational is None else number(rational)


def add(x: Exact, y: Exact) -> Exact:
    """Return x + y. If both have the same bottom, the sum keeps it."""
    if not x.top or not y.top:
        return x if x.top else y
    if equal_sums(x.bottom, y.bottom):
        total = Exact(add_sums(x.top, y.top), x.bottom)
    else:
        total = quotient(
            add_sums(multiply_sums(x.top, y.bottom), multiply_sums(y.top, x.bottom)), multiply_sums(x.bottom, y.bottom)
        )
    if x.root and y.root:
        (p, r), (q, s) = x.root, y.root
        if same(r, s) or same(r, negative(s)):
            total.root = (p + q, r)
    return total


def negative(x: Exact) -> Exact:
    return Exact(scale(x.top, fmpq(-1)), x.bottom)


def same(x: Exact, y: Exact) -> bool:
    """Return whether two numbers are formally the same; False does not prove that they differ."""
    return equal_sums(x.top, y.top) and equal_sums(x.bottom, y.bottom)


def multiply(x: Exact, y: Exact) -> Exact:
    """Return x · y. If y is a fraction, the bottom and the root of x are kept."""
    for a, b in ((x, y), (y, x)):
        q = a.rational
        if q is not None:
            return Exact(scale(b.top, q), b.bottom, b.root and (b.root[0] * q, b.root[1])) if q else ZERO
    return quotient(multiply_sums(x.top, y.top), multiply_sums(x.bottom, y.bottom))


def divide(x: Exact, y: Exact) -> Exact:
    """Return x / y. Raises GiveUp if y is 0."""
    q = y.rational
    if q is not None:
        if not q:
            raise GiveUp
        return multiply(x, number(1 / q))
    if same(x, y):
        return ONE
    return quotient(multiply_sums(x.top, y.bottom), multiply_sums(x.bottom, y.top))


# cos(π·q) at q = 0, 1/6, 1/4, 1/3, 1/2 as (coefficient, root)
_COSINES = {
    fmpq(0): (fmpq(1), 1), fmpq(1, 6): (fmpq(1, 2), 3), fmpq(1, 4): (fmpq(1, 2), 2),
    fmpq(1, 3): (fmpq(1, 2), 1), fmpq(1, 2): (fmpq(0), 1),
}  # fmt: skip


def cosine(x: Exact) -> Exact:
    """Return cos x: known at multiples of π/6 and π/4, otherwise an atom of |x|."""
    turn = _over_pi(x)
    if turn is not None:
        turn = abs(turn - 2 * (turn / 2).floor())
        turn = 2 - turn if turn > 1 else turn
        sign, turn = (-1, 1 - turn) if turn > fmpq(1, 2) else (1, turn)
        if turn in _COSINES:
            q, root = _COSINES[turn]
            return Exact({(root, (), ()): sign * q} if q else {})
    return atom("cos", canonical(positive_part(x)[1]))


def sine(x: Exact) -> Exact:
    """Return sin x: known at multiples of π/6 and π/4, otherwise an atom with the sign of x in front."""
    turn = _over_pi(x)
    if turn is not None:
        return cosine(multiply(number(turn - fmpq(1, 2)), atom("pi")))
    sign, positive = positive_part(x)
    value = atom("sin", canonical(positive))
    return value if sign > 0 else negative(value)


def _over_pi(x: Exact) -> fmpq | None:
    """Return q if x is formally q·π, otherwise None."""
    if not x.top:
        return fmpq(0)
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        term, q = next(iter(x.top.items()))
        if term == next(iter(atom("pi").top)):
            return q
    return None


def positive_part(x: Exact) -> tuple[int, Exact]:
    """Return (sign, x · sign), so that x and −x give the same form. `sign` is the sign of the first term, not of x."""
    return (-1, negative(x)) if min(x.top.items())[1] < 0 else (1, x)
