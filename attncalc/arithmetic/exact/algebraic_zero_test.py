"""Whether a sum of nested roots, powers of primes and cosines of multiples of π is 0: √(3 + 2√2) − 1 − √2, cos(π/5) −
cos(2π/5) − 1/2.

Such numbers are algebraic. Times some whole number, the sum is an algebraic integer α in a field of some degree d, and
its conjugates are below 2^u. Their product is a whole number, so that |α| ≥ 2^(−u(d − 1)) unless α is 0: a ball that is
nearer to 0 proves that α is
0. (A bound as in Burnikel, Funke, Mehlhorn, Schirra, Schmitt, "A separation bound for real algebraic expressions",
2001.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import lcm
from typing import Any

from flint import arb, ctx, fmpq, fmpz

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
    """Whether terms hold numbers that may be 0, or a fraction, although nothing cancels term by term."""
    return any(
        any(_prime(t) for t, _ in alpha) or any(kind in _ALGEBRAIC for (kind, _), _ in atoms)
        for _, alpha, atoms in terms
    )


class Algebraic:
    """Decides sums. `form` tells what an atom's argument is, `ball` encloses a sum at the working precision."""

    def __init__(self, form: Callable[[int], Any], ball: Callable[[Any], arb], spend: Callable[[int], None]):
        self.form, self.ball, self.spend = form, ball, spend

    def vanishes(self, terms: dict[Any, fmpq]) -> bool:
        """Whether a sum is proven to be 0, by the terms of each transcendental factor for themselves."""
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
    found = {}
    for (root, alpha, atoms), q in terms.items():
        powers = dict(atoms)
        raised = ((atom, powers.get(atom, 0) - low) for atom, low in least.items())
        found[root, alpha, tuple(sorted((atom, power) for atom, power in raised if power))] = q
    return found


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
        found = max(1, int(fmpz(2 * self.angle).euler_phi()) // 2) << len(self.nested)
        for index in self.index.values():
            found *= index
        return found

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
        with ctx.workprec(bits):
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
        """Notes that the square root of every prime of `root` is in the field. Raises NotAlgebraic where it is too long
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
