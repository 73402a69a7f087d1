"""Evaluates formal numbers as balls, compares formal numbers, and proves that some of them are 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from math import lcm
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from ..budget import GiveUp, guess_fraction
from ..working_precision import working_precision
from .exponential_sums import METER, ONE_TERM, Pairs, Sum, Term
from .quotient_form import ONE, OPAQUE, Exact, Formal, add, divide, form, multiply, negative, number

MOST_BITS = 16_000  # limit on the precision of the ball that decides
MOST_PRIMES_BITS = 64  # limit on a number under a root that is factored
MOST_DENOMINATOR = 1_000  # limit on b in the angle π·a/b

# (c, u): c times the number is an algebraic integer, and the number and its conjugates are at most 2^u
Size = tuple[int, int]
_ONE = (1, (), ())
_PI = (1, (), ((("pi", ()), 1),))
_TWICE_COSINE: Size = (2, 0)
_ALGEBRAIC = ("sqrt", "cos")  # kinds of atoms


class NotAlgebraic(Exception):
    """Raised if the sum has terms that are not algebraic, or if its degree is too high."""


def is_candidate(terms: Iterable[Term]) -> bool:
    """Return whether a sum may be 0, or a fraction, although its terms do not cancel one by one."""
    return any(
        any(_prime(t) for t, _ in alpha) or any(kind in _ALGEBRAIC for (kind, _), _ in atoms)
        for _, alpha, atoms in terms
    )


class Algebraic:
    """Proofs that sums are 0. `form` returns an atom's argument; `ball` encloses a sum at the working precision."""

    def __init__(self, form: Callable[[int], Exact], ball: Callable[[Sum], arb], spend: Callable[[int], None]):
        self.form, self.ball, self.spend = form, ball, spend

    def vanishes(self, terms: Sum) -> bool:
        """Return whether a sum is proven to be 0. Terms with different transcendental factors are summed separately."""
        groups: dict[tuple[Pairs, Pairs], Sum] = {}
        for (root, alpha, atoms), q in terms.items():
            other = tuple(a for a in atoms if a[0][0] not in _ALGEBRAIC)
            powers = tuple(a for a in alpha if not _prime(a[0]))
            rest = root, tuple(a for a in alpha if _prime(a[0])), tuple(a for a in atoms if a not in other)
            groups.setdefault((powers, other), {})[rest] = q
        try:
            return all(
                Field(self.form).is_zero(without_divisors(group), self.ball, self.spend) for group in groups.values()
            )
        except NotAlgebraic:
            return False


def _prime(term: Term) -> int | None:
    """Return p if the term is ln p, otherwise None."""
    root, alpha, atoms = term
    return (
        int(atoms[0][0][1])
        if (root, alpha) == (1, ()) and len(atoms) == 1 and atoms[0][0][0] == "ln" and atoms[0][1] == 1
        else None
    )


def without_divisors(terms: Sum) -> Sum:
    """Multiply the sum by the atoms in its denominators, which are not 0."""
    least: dict[Any, int] = {}
    for _, _, atoms in terms:
        for atom, power in atoms:
            least[atom] = min(least.get(atom, 0), power)
    product = {}
    for (root, alpha, atoms), q in terms.items():
        powers = dict(atoms)
        raised = ((atom, powers.get(atom, 0) - low) for atom, low in least.items())
        product[root, alpha, tuple(sorted((atom, power) for atom, power in raised if power))] = q
    return product


class Field:
    """A field that contains all terms of a sum, and a bound on its degree."""

    def __init__(self, form: Callable[[int], Exact]) -> None:
        self.form = form
        self.index: dict[int, int] = {}  # the index of the roots of each prime
        self.angle = 1  # the arguments of the cosines are multiples of π/angle
        self.nested: set[int] = set()

    @property
    def degree(self) -> int:
        """A bound on [ℚ(the numbers) : ℚ]: the product of three kinds of factors.

        The factors are φ(2·angle)/2 for the cosines, 2 for each nested root, and the index of the roots of each prime.
        """
        bound = max(1, int(fmpz(2 * self.angle).euler_phi()) // 2) << len(self.nested)
        for index in self.index.values():
            bound *= index
        return bound

    def is_zero(self, terms: Sum, ball: Callable[[Sum], arb], spend: Callable[[int], None]) -> bool:
        """Return whether a sum of terms is 0.

        An algebraic number other than 0 has a size of at least 2^−least (Liouville), so a narrow ball decides. `ball`
        gives the sum at flint's precision, and `spend` counts the work. Raises NotAlgebraic beyond MOST_BITS.
        """
        c, u = self.size(terms)
        least = (self.degree - 1) * (u + c.bit_length()) + c.bit_length()  # the number is 0 or at least 2^−least
        bits = least + max(0, u) + 64
        if bits > MOST_BITS:
            raise NotAlgebraic
        spend(bits >> 6)
        with working_precision(bits):
            return bool(abs(ball(terms)) < arb(2) ** -least)

    def size(self, terms: Sum) -> Size:
        """Return c and u: c times the sum is an algebraic integer, and every conjugate of the sum is below 2^u."""
        sizes = [self.of_term(root, alpha, atoms, q) for (root, alpha, atoms), q in terms.items()]
        return lcm(*(c for c, _ in sizes)), max(u for _, u in sizes) + len(sizes).bit_length()

    def of_term(self, root: int, alpha: Pairs, atoms: Pairs, q: fmpq) -> Size:
        """Return c and u, as `size` does, for a term q·√root·e^α·atoms. Raises NotAlgebraic if an atom is not
        algebraic.
        """
        c, u = _fraction(q)
        if root != 1:
            self.primes(root)
            u += (root.bit_length() + 1) // 2
        for term, exponent in alpha:
            more, size = self.power(_prime(term), exponent)
            c, u = c * more, u + size
        for (kind, argument), power in atoms:
            # the argument of a root may have other atoms, as in √(1 + ln 2), and be a quotient
            if kind not in _ALGEBRAIC or power < 0:
                raise NotAlgebraic
            more, size = self.root(argument) if kind == "sqrt" else self.cosine(argument)
            c, u = c * more**power, u + size * power
        return c, u

    def primes(self, root: int) -> None:
        """Record that the square root of every prime of `root` is in the field.

        Raises NotAlgebraic if `root` is too long to factor.
        """
        if root.bit_length() > MOST_PRIMES_BITS:
            raise NotAlgebraic
        for prime, _ in fmpz(root).factor():
            self.index[int(prime)] = lcm(self.index.get(int(prime), 1), 2)

    def power(self, prime: int | None, exponent: fmpq) -> Size:
        """Return c and u of p^(a/b), which is an algebraic integer for a ≥ 0."""
        if prime is None or exponent.height_bits() > 16:
            raise NotAlgebraic
        self.index[prime] = lcm(self.index.get(prime, 1), int(exponent.denominator))
        up = int(exponent.ceil())
        return (1, up * prime.bit_length()) if up > 0 else (prime ** (1 - up), 0)

    def root(self, argument: int) -> Size:
        """Return c and u of √x.

        If c·x is an algebraic integer, then c·√x is too. The conjugates of √x are roots of the conjugates of x.
        """
        x = self.form(argument)
        if list(x.bottom) != [_ONE]:
            raise NotAlgebraic
        self.nested.add(argument)
        c, u = self.size(x.top)
        return c, (u + 1) // 2

    def cosine(self, argument: int) -> Size:
        """Return c and u of cos(π·a/b). The conjugates of the algebraic integer 2·cos(π·a/b) are doubled cosines
        too.
        """
        x = self.form(argument)
        if list(x.top) != [_PI] or list(x.bottom) != [_ONE]:
            raise NotAlgebraic
        turn = x.top[_PI]
        if turn.denominator > MOST_DENOMINATOR:
            raise NotAlgebraic
        self.angle = lcm(self.angle, int(turn.denominator))
        return _TWICE_COSINE


def _fraction(q: fmpq) -> Size:
    return int(q.denominator), int(q.numerator).bit_length() - int(q.denominator).bit_length() + 1


# Limits on products of logarithms' arguments: factors that are irrational, and bits of a fraction
MOST_FACTORS, LONGEST_POWER = 16, 20_000


def ball(x: Exact) -> arb:
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


@lru_cache(maxsize=2_000)  # cached, because an atom can be in many terms of other atoms
def _ball_atom(kind: str, argument: int, bits: int) -> arb:
    """Return an atom's ball at the working precision, which is `bits` bits."""
    if kind == "pi":
        return arb.pi()
    if kind == "ln":
        return arb(argument).log()
    if kind == OPAQUE:
        raise GiveUp
    x = ball(form(argument))
    return x if kind == "quotient" else getattr(x, kind)()


def vanishes(x: Exact) -> bool:
    """Return whether a number is proven to be 0: term by term, as an algebraic number, or as the logarithm of 1."""
    if not x.top or is_candidate(x.top) and Algebraic(form, _ball_sum, METER.spend).vanishes(x.top):
        return True
    return _has_logarithms(x.top) and _logarithms_cancel(x.top)


def _has_logarithms(terms: Iterable[Term]) -> bool:
    return any(kind == "log" for _, _, atoms in terms for (kind, _), _ in atoms)


def _logarithms_cancel(a: Sum) -> bool:
    """Return whether a₁ ln x₁ + a₂ ln x₂ + ... = ln(x₁^a₁ · x₂^a₂ · ...) is the logarithm of 1.

    Terms with different factors before their logarithms are checked separately.
    """
    groups: dict[Term, list[tuple[Exact, fmpq]]] = {}
    for term, q in without_divisors(a).items():
        factor, x = _logarithm(term)
        groups.setdefault(factor, []).append((x, q))
    return all(_multiply_to_one(powers) for powers in groups.values())


def _logarithm(term: Term) -> tuple[Term, Exact]:
    """Return a term factor · ln x as its factor and x. A term without a logarithm is ln(e^term)."""
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
    return vanishes(add(x, negative(y)))


def sign_of_terms(x: Exact) -> int | None:
    """Return the sign of a quotient of sums if all terms of each sum have the same sign, otherwise None.

    Example: 1 − e^a/(e^a + e^b) is above 0, however small e^b is.
    """
    top, bottom = _sign_of_all(x.top), _sign_of_all(x.bottom)
    return None if top is None or bottom is None else top * bottom


def _sign_of_all(a: Sum) -> int | None:
    """Return the common sign of all terms, by √m > 0, e^α > 0 and |erf x| < 1.

    Returns None if signs differ, or if there are other atoms.
    """
    rational_terms, bounds = dict[Term, fmpq](), dict[Term, fmpq]()
    for (root, alpha, atoms), q in a.items():
        if not atoms:
            rational_terms[root, alpha, ()] = q
        elif len(atoms) == 1 and atoms[0][0][0] == "erf" and atoms[0][1] == 1:
            bounds[root, alpha, ()] = bounds.get((root, alpha, ()), fmpq(0)) + abs(q)
        else:
            return None
    if any(abs(rational_terms.get(factor, fmpq(0))) < bound for factor, bound in bounds.items()):
        return None
    signs = {1 if q > 0 else -1 for q in rational_terms.values()}
    return signs.pop() if len(signs) == 1 else None


def sign_of(x: Exact) -> int:
    """Return 1, −1, or 0 if that is proven. Raises GiveUp if neither balls of 1,024 bits nor a proof decide."""
    if not x.top:
        return 0
    sign = sign_of_terms(x)
    if sign is not None:
        return sign
    for bits in (64, 256, 1024):
        with working_precision(bits):
            value = ball(x)
        if value > 0:
            return 1
        if value < 0:
            return -1
    if vanishes(x):
        return 0
    raise GiveUp


def absolute(x: Exact) -> Exact:
    """Return |x|. Raises GiveUp if the sign is not decided."""
    return negative(x) if sign_of(x) < 0 else x


def compare(x: Formal, y: Formal) -> int:
    """Return 1 if x is larger than y, 0 if they are equal, −1 if x is smaller; `inf` and `-inf` are the extremes."""
    ends = {"-inf": -1, "inf": 1}
    if isinstance(x, str) or isinstance(y, str):
        left, right = (ends[z] if isinstance(z, str) else 0 for z in (x, y))
        return (left > right) - (left < right)
    return sign_of(add(x, negative(y)))


def larger(x: Exact, y: Exact) -> Exact:
    """Return the larger of two numbers. Raises GiveUp if the order is not decided."""
    return x if sign_of(add(x, negative(y))) >= 0 else y


def simplify(x: Exact) -> Exact:
    """Replace a number by a fraction with a small denominator that is proven equal: √(3 + 2√2) − √2 is 1.

    Returns the number itself if there is no proof.
    """
    terms = (*x.top, *x.bottom)
    if not (is_candidate(terms) or _has_logarithms(terms)) or x.rational is not None:
        return x
    try:
        with working_precision(256):
            value = ball(x)
            guess = guess_fraction(value)
            if guess is not None and value.contains(guess) and vanishes(add(x, number(-guess))):
                return number(guess)
    except GiveUp:
        pass
    return x
