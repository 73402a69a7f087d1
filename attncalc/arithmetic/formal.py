"""What settles ties: numbers kept as formal quotients, so that an entry can be *proven* equal to a decimal (rule R9).

A number is N/D, both sums of terms  q · √m · e^α · atoms  with q rational, m squarefree, α again such a sum and atoms
opaque (π, ln p, sin x, erf x, √(1 + √2)). Terms that are formally the same are joined, so N − c·D = 0 term by term proves N/D = c.
This covers rationals, roots, exponentials of logarithms (softmax of
ln 3, ln 5 is 3/8), sines at multiples of π/6 and π/4, and quotients of exponential sums with equal exponents (by Lindemann–Weierstrass
there is no other case with algebraic exponents). Sums of algebraic numbers that are 0 without cancelling are decided in `algebraic.py`.
Not finding a proof proves nothing: the caller then says that the digit is undecided.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from .algebraic import Algebraic, is_candidate

Pairs = tuple[Any, ...]  # sorted pairs of a thing and its power or coefficient
Term = tuple[int, Pairs, Pairs]  # √m, e^α, atoms
Sum = dict[Term, fmpq]

ONE_TERM: Term = (1, (), ())
OPAQUE = "entry"  # the atom of an entry whose formula is out of reach
MOST_TERMS = 128
MOST_WORK = 20_000  # term operations for one entry
MOST_WORK_IN_ALL = 400_000  # and for all entries of one solution: a few seconds
LARGEST_FACTORED = 96  # bits
LARGEST_GUESSED, LARGEST_DENOMINATOR = 1 << 64, 1_000_000  # of fractions that a number may turn out to be


class GiveUp(Exception):
    """No proof within the bounds."""


class _Meter:
    """Counts term operations, so that a proof which does not come is given up after a bounded effort."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, operations: int) -> None:
        self.left -= operations
        if self.left < 0:
            raise GiveUp


METER = _Meter()


class Exact:
    """N/D; `root` remembers that this is c·r², so that √ can be taken back."""

    __slots__ = ("bottom", "root", "top")

    def __init__(self, top: Sum, bottom: Sum | None = None, root: tuple[fmpq, Exact] | None = None):
        self.top = top
        self.bottom = bottom or {ONE_TERM: fmpq(1)}
        self.root = root

    @property
    def rational(self) -> fmpq | None:
        """The number as a fraction, where it formally is one."""
        if not self.top:
            return fmpq(0)
        term, coefficient = next(iter(self.bottom.items()))
        if term not in self.top or len(self.top) != len(self.bottom):
            return None
        c = self.top[term] / coefficient
        return c if equal_sums(self.top, scale(self.bottom, c)) else None


INFINITY = {1: "inf", -1: "-inf"}
Formal = Exact | str  # "inf" and "-inf" are symbols


def number(q: fmpq) -> Exact:
    return Exact({ONE_TERM: q} if q else {})


ZERO, ONE = number(fmpq(0)), number(fmpq(1))


def equal_sums(a: Sum, b: Sum) -> bool:
    return a is b or len(a) == len(b) and all(b.get(term) == q for term, q in a.items())


def scale(a: Sum, q: fmpq) -> Sum:
    return {term: c * q for term, c in a.items()} if q else {}


def add_sums(a: Sum, b: Sum) -> Sum:
    METER.spend(len(b))
    result = dict(a)
    for term, q in b.items():
        total = result.get(term, fmpq(0)) + q
        if total:
            result[term] = total
        else:
            result.pop(term, None)
    if len(result) > MOST_TERMS:
        raise GiveUp
    return result


def multiply_sums(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > MOST_TERMS * 4:
        raise GiveUp
    METER.spend(len(a) * len(b))
    result: Sum = {}
    for s, p in a.items():
        for t, q in b.items():
            factor, term = _multiply_terms(s, t)
            for part, share in _reduced(term).items() if term[2] else ((term, fmpq(1)),):
                total = result.get(part, fmpq(0)) + p * q * factor * share
                if total:
                    result[part] = total
                else:
                    result.pop(part, None)
    if len(result) > MOST_TERMS:
        raise GiveUp
    return result


def _reduced(term: Term) -> Sum:
    """The term with √x·√x as x, and products of sines and cosines as sums."""
    for (kind, argument), power in term[2]:
        if kind == "sqrt" and power > 1 and list(form(argument).bottom) == [ONE_TERM]:
            x = form(argument)
            rest = tuple((a, p - 2 * (a == (kind, argument))) for a, p in term[2])
            others: Sum = {(term[0], term[1], tuple((a, p) for a, p in rest if p)): 1 / x.bottom[ONE_TERM]}
            return multiply_sums(others, x.top)
    return _linear(term)


def _linear(term: Term) -> Sum:
    """Products of sines and cosines as sums, so that sin² + cos² = 1 and sin(a)·sin(b) + cos(a)·cos(b) = cos(a − b) show."""
    waves = [(kind, argument) for (kind, argument), power in term[2] if kind in ("sin", "cos") for _ in range(max(power, 0))]
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
    else:
        pair = add(sine(plus), sine(minus) if first == "sin" else negative(sine(minus)))
    return multiply_sums(others, pair.top)


def _multiply_terms(s: Term, t: Term) -> tuple[fmpq, Term]:
    shared = gcd(s[0], t[0])
    METER.spend((len(s[1]) + len(t[1])) // 2)  # long exponents are merged pair by pair
    factor, root, alpha = _tidy_exponent(_merge(s[1], t[1])) if s[1] and t[1] else (fmpq(1), 1, s[1] or t[1])
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


def _tidy_exponent(alpha: Pairs) -> tuple[fmpq, int, Pairs]:
    """e^α with whole and half multiples of ln p pulled out: (factor, root, α)."""
    factor, root, rest = fmpq(1), 1, []
    for term, q in alpha:
        prime = _prime_of_log(term)
        twice = q * 2
        if prime is None or twice.denominator != 1 or abs(twice) > 4_000:
            rest.append((term, q))
            continue
        whole, half = divmod(int(twice.numerator), 2)
        factor *= fmpq(prime) ** whole
        if half:
            root *= prime
    return factor, root, tuple(rest)


def _prime_of_log(term: Term) -> int | None:
    root, alpha, atoms = term
    if root == 1 and not alpha and len(atoms) == 1 and atoms[0][1] == 1 and atoms[0][0][0] == "ln":
        return int(atoms[0][0][1])
    return None


def atom(kind: str, argument: Any = ()) -> Exact:
    return Exact({(1, (), (((kind, argument), 1),)): fmpq(1)})


_NUMBERS: dict[Pairs, int] = {}
_FORMS: list[Exact] = []


def canonical(x: Exact) -> int:
    """The number of a form: equal forms get one number, which keeps terms that hold forms small."""
    unit = 1 / min(x.bottom.items())[1]
    form = tuple(sorted(scale(x.top, unit).items())), tuple(sorted(scale(x.bottom, unit).items()))
    found = _NUMBERS.setdefault(form, len(_FORMS))
    if found == len(_FORMS):
        _FORMS.append(x)
    return found


def form(number: int) -> Exact:
    """The form of a number, as the argument of an atom."""
    return _FORMS[number]


def invert(term: Term, q: fmpq) -> tuple[Term, fmpq]:
    """1/(q·√m·e^α·atoms)"""
    root, alpha, atoms = term
    minus = tuple((t, -c) for t, c in alpha)
    return (root, minus, tuple((a, -p) for a, p in atoms)), 1 / (q * root)


def quotient(top: Sum, bottom: Sum) -> Exact:
    if not bottom:
        raise GiveUp
    if len(bottom) == 1:
        term, q = next(iter(bottom.items()))
        if term == ONE_TERM:
            return Exact(scale(top, 1 / q) if q != 1 else top)
        inverse, c = invert(term, q)
        return Exact(multiply_sums(top, {inverse: c}))
    found = Exact(top, bottom)
    rational = found.rational  # ln 1000 / ln 10 is 3
    return found if rational is None else number(rational)


def add(x: Exact, y: Exact) -> Exact:
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
    return equal_sums(x.top, y.top) and equal_sums(x.bottom, y.bottom)


def multiply(x: Exact, y: Exact) -> Exact:
    for a, b in ((x, y), (y, x)):
        q = a.rational
        if q is not None:
            return Exact(scale(b.top, q), b.bottom, b.root and (b.root[0] * q, b.root[1])) if q else ZERO
    return quotient(multiply_sums(x.top, y.top), multiply_sums(x.bottom, y.bottom))


def divide(x: Exact, y: Exact) -> Exact:
    q = y.rational
    if q is not None:
        if not q:
            raise GiveUp
        return multiply(x, number(1 / q))
    if same(x, y):
        return ONE
    return quotient(multiply_sums(x.top, y.bottom), multiply_sums(x.bottom, y.top))


def exponential(x: Exact) -> Exact:
    """e^x, with e^(q ln p) = p^q for whole and half q."""
    if not x.top:
        return ONE
    if list(x.bottom) == [ONE_TERM]:
        alpha = tuple(sorted(scale(x.top, 1 / x.bottom[ONE_TERM]).items()))
    else:
        alpha = (((1, (), ((("quotient", canonical(x)), 1),)), fmpq(1)),)
    factor, root, rest = _tidy_exponent(alpha)
    square, free = _square_part(root)
    return Exact({(free, rest, ()): factor * square})


def _square_part(m: int) -> tuple[int, int]:
    """m = s²·f with f squarefree."""
    if m.bit_length() > LARGEST_FACTORED:
        raise GiveUp
    square, free = 1, 1
    for prime, power in fmpz(m).factor():
        square *= int(prime) ** (power // 2)
        free *= int(prime) ** (power % 2)
    return square, free


def square_root(x: Exact) -> Exact:
    if x.root and x.root[0] > 0:
        c, r = x.root
        return multiply(square_root(number(c)), absolute(r))
    if not x.top:
        return ZERO
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        (root, alpha, atoms), q = next(iter(x.top.items()))
        if root == 1 and q > 0 and all(p % 2 == 0 for _, p in atoms):
            square, free = _square_part(int(q.numerator * q.denominator))
            halved = tuple((t, c / 2) for t, c in alpha)
            factor, pulled, rest = _tidy_exponent(halved)
            more, free = _square_part(free * pulled)
            coefficient = fmpq(square * more) / q.denominator * factor
            root_of_x = Exact({(free, rest, tuple((a, p // 2) for a, p in atoms)): coefficient})
            return absolute(root_of_x) if atoms else root_of_x  # √(log(x)²) is −log(x) for x below 1
    return atom("sqrt", canonical(x))


def logarithm(x: Exact) -> Exact:
    q = x.rational
    if q is not None:
        if q <= 0 or max(int(q.numerator).bit_length(), int(q.denominator).bit_length()) > LARGEST_FACTORED:
            raise GiveUp
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


# cos(π·q) at q = 0, 1/6, 1/4, 1/3, 1/2 as (coefficient, root)
_COSINES = {
    fmpq(0): (fmpq(1), 1), fmpq(1, 6): (fmpq(1, 2), 3), fmpq(1, 4): (fmpq(1, 2), 2),
    fmpq(1, 3): (fmpq(1, 2), 1), fmpq(1, 2): (fmpq(0), 1),
}  # fmt: skip


def cosine(x: Exact) -> Exact:
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
    turn = _over_pi(x)
    if turn is not None:
        shifted = multiply(number(turn - fmpq(1, 2)), atom("pi")) if turn != fmpq(1, 2) else ZERO
        return cosine(shifted)
    sign, positive = positive_part(x)
    found = atom("sin", canonical(positive))
    return found if sign > 0 else negative(found)


def _over_pi(x: Exact) -> fmpq | None:
    """q where x is formally q·π."""
    if not x.top:
        return fmpq(0)
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        term, q = next(iter(x.top.items()))
        if term == next(iter(atom("pi").top)):
            return q
    return None


def positive_part(x: Exact) -> tuple[int, Exact]:
    return (-1, negative(x)) if min(x.top.items())[1] < 0 else (1, x)


def absolute(x: Exact) -> Exact:
    return negative(x) if sign_of(x) < 0 else x


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


def vanishes(x: Exact) -> bool:
    """Whether a number is proven to be 0, term by term or by the theory of algebraic numbers."""
    return not x.top or is_candidate(x.top) and Algebraic(form, _ball_sum, METER.spend).vanishes(x.top)


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


def compared(x: Formal, y: Formal) -> int:
    """1, 0 or −1: whether x is larger than y, equal to it or smaller; `inf` and `-inf` stand at the ends."""
    ends = {"-inf": -1, "inf": 1}
    if isinstance(x, str) or isinstance(y, str):
        one, other = (ends[z] if isinstance(z, str) else 0 for z in (x, y))
        return (one > other) - (one < other)
    return sign_of(add(x, negative(y)))


def larger(x: Exact, y: Exact) -> Exact:
    return x if sign_of(add(x, negative(y))) >= 0 else y


def to_fmpq(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)
