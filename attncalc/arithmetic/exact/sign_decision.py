"""Formal numbers as balls: which is larger, and which are proven to be 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from math import lcm
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from ..budget import GiveUp, guess_fraction
from ..working_precision import working_precision
from .exponential_sums import METER, ONE_TERM, Sum, Term
from .quotient_form import ONE, OPAQUE, Exact, Formal, add, divide, form, multiply, negative, number

MOST_BITS = 16_000  # of the ball that decides
MOST_PRIMES_BITS = 64  # of a number under a root, whose primes are looked for
MOST_DENOMINATOR = 1_000  # of π's share of an angle

# (c, u): c times the number is an algebraic integer, and the number and its conjugates are at most 2^u
Size = tuple[int, int]
_ONE = (1, (), ())
_PI = (1, (), ((("pi", ()), 1),))
_TWICE_COSINE: Size = (2, 0)
_ALGEBRAIC = ("sqrt", "cos")  # kinds of atoms


class NotAlgebraic(Exception):
    """The sum has other terms, or its degree is out of reach."""


def is_candidate(terms: Iterable[Any]) -> bool:
    """Return whether terms hold numbers that may be 0, or a fraction, although nothing cancels term by term."""
    return any(
        any(_prime(t) for t, _ in alpha) or any(kind in _ALGEBRAIC for (kind, _), _ in atoms)
        for _, alpha, atoms in terms
    )


class Algebraic:
    """Decides sums. `form` tells what an atom's argument is, `ball` encloses a sum at the working precision."""

    def __init__(self, form: Callable[[int], Any], ball: Callable[[Any], arb], spend: Callable[[int], None]):
        self.form, self.ball, self.spend = form, ball, spend

    def vanishes(self, terms: dict[Any, fmpq]) -> bool:
        """Return whether a sum is proven to be 0, by the terms of each transcendental factor for themselves."""
        groups: dict[Any, dict[Any, fmpq]] = {}
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


def _prime(term: Any) -> int | None:
    """p where the term is ln p."""
    root, alpha, atoms = term
    return (
        int(atoms[0][0][1])
        if (root, alpha) == (1, ()) and len(atoms) == 1 and atoms[0][0][0] == "ln" and atoms[0][1] == 1
        else None
    )


def without_divisors(terms: dict[Any, fmpq]) -> dict[Any, fmpq]:
    """The sum times the atoms that it is divided by, which are not 0."""
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
    """A field that holds all terms of a sum, as far as its degree goes."""

    def __init__(self, form: Callable[[int], Any]) -> None:
        self.form = form
        self.index: dict[int, int] = {}  # of which index the roots of a prime are
        self.angle = 1  # the cosines are those of multiples of π/angle
        self.nested: set[int] = set()

    @property
    def degree(self) -> int:
        """A bound on [ℚ(the numbers) : ℚ]: φ(angle)/2 for the cosines, 2 for each nested root, an index for each
        prime's roots.
        """
        bound = max(1, int(fmpz(2 * self.angle).euler_phi()) // 2) << len(self.nested)
        for index in self.index.values():
            bound *= index
        return bound

    def is_zero(self, terms: dict[Any, fmpq], ball: Callable[[Any], arb], spend: Callable[[int], None]) -> bool:
        """Whether a sum of terms is 0: an algebraic number that is not 0 is at least 2^−least in size (Liouville), and
        the ball decides that.

        `ball` gives the sum at flint's precision, `spend` counts the work. Raises NotAlgebraic beyond MOST_BITS.
        """
        c, u = self.size(terms)
        least = (self.degree - 1) * (u + c.bit_length()) + c.bit_length()  # the number is 0 or at least 2^−least
        bits = least + max(0, u) + 64
        if bits > MOST_BITS:
            raise NotAlgebraic
        spend(bits >> 6)
        with working_precision(bits):
            return bool(abs(ball(terms)) < arb(2) ** -least)

    def size(self, terms: dict[Any, fmpq]) -> Size:
        """A denominator c that makes the sum an algebraic integer, and u: every conjugate of the sum is below 2^u."""
        sizes = [self.of_term(root, alpha, atoms, q) for (root, alpha, atoms), q in terms.items()]
        return lcm(*(c for c, _ in sizes)), max(u for _, u in sizes) + len(sizes).bit_length()

    def of_term(self, root: int, alpha: Any, atoms: Any, q: fmpq) -> Size:
        """The same for one term q·√root·e^α·atoms. Raises NotAlgebraic where an atom is no algebraic number."""
        c, u = _fraction(q)
        if root != 1:
            self.primes(root)
            u += (root.bit_length() + 1) // 2
        for term, exponent in alpha:
            more, size = self.power(_prime(term), exponent)
            c, u = c * more, u + size
        for (kind, argument), power in atoms:
            # Under a root there may be others, such as √(1 + ln 2), and quotients
            if kind not in _ALGEBRAIC or power < 0:
                raise NotAlgebraic
            more, size = self.root(argument) if kind == "sqrt" else self.cosine(argument)
            c, u = c * more**power, u + size * power
        return c, u

    def primes(self, root: int) -> None:
        """Note that the square root of every prime of `root` is in the field. Raises NotAlgebraic where it is too long
        to factor.
        """
        if root.bit_length() > MOST_PRIMES_BITS:
            raise NotAlgebraic
        for prime, _ in fmpz(root).factor():
            self.index[int(prime)] = lcm(self.index.get(int(prime), 1), 2)

    def power(self, prime: int | None, exponent: fmpq) -> Size:
        """p^(a/b), an algebraic integer for a ≥ 0."""
        if prime is None or exponent.height_bits() > 16:
            raise NotAlgebraic
        self.index[prime] = lcm(self.index.get(prime, 1), int(exponent.denominator))
        up = int(exponent.ceil())
        return (1, up * prime.bit_length()) if up > 0 else (prime ** (1 - up), 0)

    def root(self, argument: int) -> Size:
        """c·√x is an algebraic integer where c·x is one; the conjugates of √x are roots of those of x."""
        x = self.form(argument)
        if list(x.bottom) != [_ONE]:
            raise NotAlgebraic
        self.nested.add(argument)
        c, u = self.size(x.top)
        return c, (u + 1) // 2

    def cosine(self, argument: int) -> Size:
        """2·cos(π·a/b) is an algebraic integer, and so are its conjugates, cosines as well."""
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
    """Return whether a number is proven to be 0, term by term, by the theory of algebraic numbers, or as the
    logarithm of 1.
    """
    if not x.top or is_candidate(x.top) and Algebraic(form, _ball_sum, METER.spend).vanishes(x.top):
        return True
    return _has_logarithms(x.top) and _logarithms_cancel(x.top)


def _has_logarithms(terms: Iterable[Term]) -> bool:
    return any(kind == "log" for _, _, atoms in terms for (kind, _), _ in atoms)


def _logarithms_cancel(a: Sum) -> bool:
    """Return whether a₁ ln x₁ + a₂ ln x₂ + ... = ln(x₁^a₁ · x₂^a₂ · ...) is the logarithm of 1, for each factor before
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
    """Return whether two numbers are proven equal."""
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
    """1, 0 where that is proven, or −1. Raises GiveUp where neither balls of 1,024 bits nor a proof decide."""
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
    """|x|. Raises GiveUp where the sign is not decided."""
    return negative(x) if sign_of(x) < 0 else x


def compare(x: Formal, y: Formal) -> int:
    """1, 0 or −1: whether x is larger than y, equal to it or smaller; `inf` and `-inf` stand at the ends."""
    ends = {"-inf": -1, "inf": 1}
    if isinstance(x, str) or isinstance(y, str):
        left, right = (ends[z] if isinstance(z, str) else 0 for z in (x, y))
        return (left > right) - (left < right)
    return sign_of(add(x, negative(y)))


def larger(x: Exact, y: Exact) -> Exact:
    """The larger of two numbers. Raises GiveUp where that is not decided."""
    return x if sign_of(add(x, negative(y))) >= 0 else y


def simplify(x: Exact) -> Exact:
    """A number whose terms do not cancel as the fraction that it is, where a simple one is proven: √(3 + 2√2) − √2 is
    1.
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
