"""Nested roots and cosines: a sum that is 0 is proven to be, and one that is not never is, however near to
0 it comes.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import product
from math import gcd, isqrt
from random import Random
from typing import Any

import mpmath
import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.arithmetic.exact import exact_evaluator, exponential_sums, quotient_form, sign_decision
from tests.arithmetic.ends import fraction
from tests.support.laws import examples
from tests.support.sweeps import for_each

mpmath.mp.dps = 400
mp = mpmath.MPContext()
mp.dps = 300
WHOLE = st.integers(1, 40)
SHARES = st.fractions(-9, 9, max_denominator=30)
IDENTITIES = """
sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2)                       cos(pi/5) - cos(2*pi/5) - 1/2
sqrt(5 + 2*sqrt(6)) - sqrt(2) - sqrt(3)                 cos(pi/9) * cos(2*pi/9) * cos(4*pi/9) - 1/8
sqrt(2 + sqrt(3)) - (sqrt(6) + sqrt(2)) / 2             cos(pi/12) - (sqrt(6) + sqrt(2)) / 4
sqrt(4 - sqrt(7)) - sqrt(7/2) + sqrt(1/2)               4 * cos(pi/5)**2 - 2 * cos(pi/5) - 1
sqrt(2 + sqrt(2 + sqrt(2))) - 2 * cos(pi/16)            sin(pi/10) - (sqrt(5) - 1) / 4
2**(4/3) - 2 * 2**(1/3)                                 16**(1/3) * 4**(1/3) - 4
sqrt(sqrt(2) + 1) * sqrt(sqrt(2) - 1) - 1               1 / sqrt(3 + 2*sqrt(2)) - sqrt(2) + 1
exp(sqrt(2)) * (sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2))      log(3) * sqrt(3 + 2*sqrt(2)) - log(3) - log(3) * sqrt(2)
exp(sqrt(2)) * (2**(4/3) - 2 * 2**(1/3))                 sqrt(1 + 2*sqrt(2)/3**(5/3) + 2/27/3**(1/3)) - 1 - sqrt(2)/3**(5/3)
abs(sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2))                  floor(sqrt(3 + 2*sqrt(2)) - sqrt(2)) - 1
maximum(sqrt(3 + 2*sqrt(2)), 1 + sqrt(2)) - 1 - sqrt(2)  round(sqrt(3 + 2*sqrt(2)) - sqrt(2) + 1/2, 0) - 2
"""
ZEROS = [text.strip() for line in IDENTITIES.strip().split("\n") for text in line.split("  ") if text.strip()]


def entry(formula: str, **how):
    return solve(load({"given": {"one": 1}, "steps": {"Y": f"one * ({formula})"}} | how))["Y"]


@for_each("formula", ZEROS)
def test_what_is_0_is_proven_to_be(formula):
    assert entry(formula).fractions() == [[Fraction(0)]]
    tie = entry(f"{formula} + 1/2", rounding={"digits": 0, "mode": "half_even"}).printed()
    assert (tie.texts, tie.undecided) == ([["0"]], [])
    assert entry(f"{formula} + 1/3").fractions() == [[Fraction(1, 3)]]


@for_each("formula", ZEROS)
def test_what_is_nearly_0_is_not(formula):
    for places in (30, 300, 999):
        assert entry(f"{formula} + 1e-{places}").fractions() != [[Fraction(0)]]


def test_ties_and_orders_beside_such_numbers():
    problem = {
        "given": {"x": [["sqrt(3 + 2*sqrt(2))", "1 + sqrt(2)", "2"]]},
        "steps": {"o": "order_rows(x, 3)", "k": "top_k(x, 1)", "m": "argmax_rows(x)"},
    }
    solution = solve(load(problem))
    assert [solution[name].decimals(0) for name in "okm"] == [[["0", "1", "2"]], [["1", "0", "0"]], [["0"]]]


def exact(q: Fraction) -> quotient_form.Exact:
    return quotient_form.number(fmpq(q.numerator, q.denominator))


def root(q: Fraction) -> quotient_form.Exact:
    return exact_evaluator.square_root(exact(q))


@examples(60)
@given(a=SHARES, b=SHARES, m=WHOLE, n=WHOLE, near=st.integers(20, 200))
def test_squares_of_sums_of_roots_have_the_roots_that_they_have(a, b, m, n, near):
    """√((a√m + b√n)²) = |a√m + b√n|, the square multiplied out; with a little more under the root it is not."""
    assume(a and b)
    exponential_sums.METER.left = 10**7
    value = a * mpmath.sqrt(m) + b * mpmath.sqrt(n)
    side = quotient_form.add(
        quotient_form.multiply(exact(a), root(Fraction(m))), quotient_form.multiply(exact(b), root(Fraction(n)))
    )
    square = quotient_form.add(
        exact(a * a * m + b * b * n), quotient_form.multiply(exact(2 * a * b), root(Fraction(m * n)))
    )
    side = side if value >= 0 else quotient_form.negative(side)
    assume(side.top)
    assert sign_decision.vanishes(quotient_form.add(exact_evaluator.square_root(square), quotient_form.negative(side)))
    assume(not square.rational)  # a fraction with so many digits under a root is beyond the bounds
    more = exact_evaluator.square_root(quotient_form.add(square, exact(Fraction(1, 10**near))))
    assert not sign_decision.vanishes(quotient_form.add(more, quotient_form.negative(side)))


@examples(30)
@given(n=st.integers(1, 12), sign=st.sampled_from([1, -1]))
def test_cosines_of_odd_angles_sum_to_a_half(n, sign):
    """Σ cos((2k − 1)π/(2n + 1)) = 1/2 for k = 1, ..., n."""
    exponential_sums.METER.left = 10**7
    total = exact(Fraction(-sign, 2))
    for k in range(1, n + 1):
        total = quotient_form.add(
            total,
            quotient_form.cosine(
                quotient_form.multiply(exact(Fraction(2 * k - 1, 2 * n + 1)), quotient_form.atom("pi"))
            ),
        )
    assert sign_decision.vanishes(total) == (sign > 0)


@examples(60)
@given(
    st.lists(
        st.tuples(
            st.integers(-4, 4),
            st.sampled_from(["1", "sqrt(2)", "sqrt(3)", "cos(pi/5)", "cos(pi/7)", "sqrt(2+sqrt(2))", "2**(1/3)"]),
        ),
        max_size=5,
    )
)
def test_what_vanishes_is_0_to_400_digits(terms):
    text = " + ".join(f"({q}) * {atom}" for q, atom in terms) or "0"
    names = {"sqrt": mpmath.sqrt, "cos": mpmath.cos, "pi": mpmath.pi}
    truth = eval(text.replace("1/3", "mpf(1)/3"), {"__builtins__": {}}, names | {"mpf": mpmath.mpf})
    assert (entry(text).fractions() == [[Fraction(0)]]) == (abs(truth) < mpmath.mpf(10) ** -380)


def test_a_fraction_of_many_figures_is_no_root():
    """1/10³⁰⁰ off √2 + √3, which mere precision would take for it."""
    exponential_sums.METER.left = 10**7
    near = Fraction(isqrt(5 * 10**600 + 2 * isqrt(6 * 10**1200)), 10**300)
    assert not sign_decision.vanishes(
        quotient_form.add(
            exact_evaluator.square_root(
                quotient_form.add(exact(Fraction(5)), quotient_form.multiply(exact(Fraction(2)), root(Fraction(6))))
            ),
            exact(-near),
        )
    )


def plus(*parts: quotient_form.Exact) -> quotient_form.Exact:
    total = quotient_form.ZERO
    for part in parts:
        total = quotient_form.add(total, part)
    return total


ONE, TWO = exact(Fraction(1)), exact(Fraction(2))
OTHERS = {  # x and x², which may be known in another form
    "π": (quotient_form.atom("pi"), None), "√π": (exact_evaluator.square_root(quotient_form.atom("pi")), quotient_form.atom("pi")),
    "ln 2": (exact_evaluator.logarithm(TWO), None), "e": (exact_evaluator.exponential(ONE), None), "sin 1": (quotient_form.sine(ONE), None),
    "cos 1": (quotient_form.cosine(ONE), None),
    "2^√2": (exact_evaluator.exponential(quotient_form.multiply(root(Fraction(2)), exact_evaluator.logarithm(TWO))), None),
    "1/√(1 + √2)": (quotient_form.divide(ONE, exact_evaluator.square_root(plus(ONE, root(Fraction(2))))),
        plus(root(Fraction(2)), quotient_form.negative(ONE))),
    "cos(π/1001)": (quotient_form.cosine(quotient_form.multiply(exact(Fraction(1, 1001)), quotient_form.atom("pi"))), None),
}  # fmt: skip


@for_each("name", OTHERS)
def test_other_numbers_are_left_open(name):
    """√(1 + 2x + x²) − 1 − x is 0, but what stands under the root is not algebraic, or not known to be: nothing is
    proven, and nothing fails.
    """
    x, square = OTHERS[name]
    exponential_sums.METER.left = 10**7
    square = plus(ONE, quotient_form.multiply(TWO, x), square or quotient_form.multiply(x, x))
    assert not sign_decision.vanishes(plus(exact_evaluator.square_root(square), quotient_form.negative(plus(ONE, x))))


@pytest.mark.parametrize(
    "formula",
    ["sqrt(1 + 2*sqrt(pi) + pi) - 1 - sqrt(pi)", "sqrt(sqrt(2) + 2/sqrt(1 + sqrt(2))) - 1 - 1/sqrt(1 + sqrt(2))"],
)
def test_what_is_left_open_can_be_printed(formula):
    assert entry(formula).printed().texts == [["0.0000"]]


def test_each_transcendental_factor_has_a_sum_of_its_own():
    """A group that is 0 proves nothing of the others, however small they are."""
    nested = exact_evaluator.square_root(
        quotient_form.add(exact(Fraction(3)), quotient_form.multiply(exact(Fraction(2)), root(Fraction(2))))
    )
    zero = quotient_form.add(nested, quotient_form.negative(quotient_form.add(exact(Fraction(1)), root(Fraction(2)))))
    tiny = quotient_form.multiply(exact(Fraction(1, 10**500)), exact_evaluator.logarithm(exact(Fraction(3))))
    grown = [
        exact_evaluator.exponential(
            plus(root(Fraction(2)), quotient_form.multiply(exact(Fraction(n, 3)), exact_evaluator.logarithm(TWO)))
        )
        for n in (4, 1)
    ]
    assert sign_decision.vanishes(
        plus(grown[0], quotient_form.multiply(exact(Fraction(-2)), grown[1]))
    )  # e^√2 (2^(4/3) − 2·2^(1/3))
    exponential_sums.METER.left = 10**7
    assert (
        sign_decision.vanishes(zero)
        and not sign_decision.vanishes(quotient_form.add(zero, tiny))
        and not sign_decision.vanishes(quotient_form.add(tiny, zero))
    )


class Conjugate:
    """A choice of one conjugate for each generator: a root of unity for each prime, a multiple of the angle, a sign for
    each nested root.
    """

    def __init__(self, primes: dict[int, int], angle: int, nested: dict[int, int]):
        self.primes, self.angle, self.nested = primes, angle, nested

    def power(self, prime: int, exponent: Fraction):
        return mp.mpf(prime) ** real(exponent) * mp.expjpi(2 * self.primes[prime] * real(exponent))

    def of(self, terms) -> Any:
        return mp.fsum(self.term(*term) * real(fraction(q)) for term, q in terms.items())

    def term(self, m: int, alpha, atoms) -> Any:
        found = mp.mpf(1)
        for prime in (int(p) for p, _ in fmpz(m).factor()):
            found *= self.power(prime, Fraction(1, 2))
        for (_, _, (((_, prime), _),)), exponent in alpha:
            found *= self.power(prime, fraction(exponent))
        for (kind, argument), power in atoms:
            x = quotient_form.form(argument).top
            if kind == "sqrt":
                found *= (self.nested[argument] * mp.sqrt(self.of(x))) ** power
            else:
                ((_, turn),) = x.items()
                found *= mp.cospi(self.angle * real(fraction(turn))) ** power
        return found


def conjugates(field: sign_decision.Field) -> list[Conjugate]:
    """Every choice, told from the generators that were seen."""
    n = field.angle
    angles = [k for k in range(1, n + 1) if gcd(k, 2 * n) == 1]
    names = [*field.index, "angle", *field.nested]
    choices = [*(range(k) for k in field.index.values()), angles, *[(1, -1)] * len(field.nested)]
    for choice in product(*choices):
        chosen = dict(zip(names, choice, strict=True))
        yield Conjugate({p: chosen[p] for p in field.index}, chosen["angle"], {x: chosen[x] for x in field.nested})


def real(q: Fraction):
    return mp.mpf(q.numerator) / q.denominator


def is_integral(values: list[Any]) -> bool:
    """Whether the polynomial with these roots has whole coefficients."""
    coefficients = [mp.mpf(1)]
    for x in values:
        coefficients = [a - x * b for a, b in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    return all(abs(a - mp.nint(a.real)) < mp.mpf(10) ** -30 for a in map(mp.mpc, coefficients))


def generator(r: Random) -> quotient_form.Exact:
    """One of few, so that their field has a small degree."""
    of = r.choice(("sqrt", "power", "cos", "nested", "one"))
    if of == "sqrt":
        return root(Fraction(r.choice((2, 3, 6))))
    if of == "power":
        exponent = Fraction(r.choice((-5, -4, -2, -1, 1, 2, 4, 5)), 3)
        return exact_evaluator.exponential(
            quotient_form.multiply(exact(exponent), exact_evaluator.logarithm(exact(Fraction(r.choice((3, 3, 3, 2))))))
        )
    if of == "cos":
        return quotient_form.cosine(
            quotient_form.multiply(exact(Fraction(r.randint(1, 4), 5)), quotient_form.atom("pi"))
        )
    if of == "nested":
        return exact_evaluator.square_root(
            quotient_form.add(exact(Fraction(r.choice((3, 41)))), root(Fraction(2, r.choice((1, 25)))))
        )
    return exact(Fraction(1))


def fraction_of(r: Random) -> quotient_form.Exact:
    """A generator, or one below a fraction's line."""
    x = generator(r)
    return x if r.random() < 0.8 else quotient_form.divide(ONE, x)


def some_sum(r: Random) -> Any:
    total, shares = (
        quotient_form.ZERO,
        (Fraction(1), Fraction(-7), Fraction(1, 6), Fraction(300), Fraction(1, 1000), Fraction(-5, 4)),
    )
    for _ in range(r.randint(1, 3)):
        total = quotient_form.add(
            total,
            quotient_form.multiply(
                exact(r.choice(shares)),
                quotient_form.multiply(fraction_of(r), r.choice((quotient_form.ONE, fraction_of(r)))),
            ),
        )
    return sign_decision.without_divisors(total.top)


@examples(100)
@given(r=st.randoms(use_true_random=True))
def test_the_bound_holds_for_every_conjugate(r):
    """c times the number is an algebraic integer, none of its conjugates is above 2^u, and there are as many as the
    degree says.
    """
    exponential_sums.METER.left = 10**7
    terms, field = some_sum(r), sign_decision.Field(quotient_form.form)
    if not terms:
        return
    c, u = field.size(terms)
    if field.degree > 24:
        return
    values = [x.of(terms) for x in conjugates(field)]
    assert len(values) == field.degree
    assert max(map(abs, values)) <= mp.mpf(2) ** u
    assert is_integral([c * x for x in values])


def of_roots(q: Fraction, *under: int) -> Any:
    return plus(*(quotient_form.multiply(exact(q), root(Fraction(m))) for m in under))


def of_powers(*powers: tuple[int, Fraction]) -> Any:
    return plus(
        *(
            exact_evaluator.exponential(quotient_form.multiply(exact(e), exact_evaluator.logarithm(exact(Fraction(p)))))
            for p, e in powers
        )
    )


NEARLY_ONE = Fraction(127, 128)
NARROW = {  # a number whose bound is no more than so many bits above it, and the degree of its field
    "127 Σ √m": (of_roots(Fraction(127), 1023, 1022, 1021), 1, 2**7),  # of primes 2, 3, 7, 11, 31, 73, 1021
    "√m": (of_roots(NEARLY_ONE, 510510), 2, 2**7),
    "p^(14/15)": (quotient_form.multiply(exact(NEARLY_ONE), of_powers((127, Fraction(14, 15)))), 2, 15),
    "p^(−k/15)": (quotient_form.multiply(exact(NEARLY_ONE), of_powers(*((2, Fraction(-k, 15)) for k in (1, 2, 4)))), 1, 15),
    "p^(−5/3)": (quotient_form.multiply(exact(NEARLY_ONE), of_powers((3, Fraction(-5, 3)))), 4, 3),
    "√Σ√m": (quotient_form.multiply(exact(NEARLY_ONE), exact_evaluator.square_root(of_roots(Fraction(127), 1023, 1022, 1021))), 2,
        2**8),
    "Σ √Σ√m": (plus(*(quotient_form.multiply(exact(NEARLY_ONE),
        exact_evaluator.square_root(of_roots(Fraction(127), *under))) for under in ((1023, 1022, 1021), (1023, 1022, 1019),
        (1022, 1021, 1019)))), 2, 2**11),
    "√(Σ√m/10⁶)": (quotient_form.multiply(exact(NEARLY_ONE),
        exact_evaluator.square_root(of_roots(Fraction(1, 2**22), 1023, 1022, 1021))), 3, 2**8),
    "cos": (quotient_form.multiply(exact(NEARLY_ONE),
        quotient_form.cosine(quotient_form.multiply(exact(Fraction(1, 7)), quotient_form.atom("pi")))), 2, 3),
}  # fmt: skip


@for_each("name", NARROW)
def test_bounds_are_no_wider_than_needed(name):
    x, room, degree = NARROW[name]
    field = sign_decision.Field(quotient_form.form)
    c, u = field.size(x.top)
    values = [y.of(x.top) for y in (conjugates(field) if degree < 20 else [next(conjugates(field))])]
    assert field.degree == degree
    assert mp.mpf(2) ** (u - room) < max(map(abs, values)) <= mp.mpf(2) ** u
    if degree < 20:
        assert is_integral([c * y for y in values]) and not any(
            is_integral([c / mp.mpf(int(p)) * y for y in values]) for p, _ in fmpz(c).factor()
        )


def test_powers_of_a_root_that_is_no_algebraic_integer():
    """1/a³ + a, times a³, where only 5a is an algebraic integer."""
    a, field = (
        exact_evaluator.square_root(plus(exact(Fraction(41)), root(Fraction(2, 25)))),
        sign_decision.Field(quotient_form.form),
    )
    cubed = quotient_form.divide(quotient_form.divide(quotient_form.divide(ONE, a), a), a)
    terms = sign_decision.without_divisors(plus(cubed, a).top)
    c, u = field.size(terms)
    values = [x.of(terms) for x in conjugates(field)]
    assert is_integral([c * x for x in values]) and max(map(abs, values)) <= mp.mpf(2) ** u


def separation(terms: Any) -> tuple[int, int, int]:
    """The k for which a number below 2^−k is taken for 0, the precision that is required, and the effort
    that is told.
    """
    asked: list[int] = []

    def taken(k: int) -> bool:
        return sign_decision.Field(quotient_form.form).is_zero(
            terms, lambda _: asked.append(ctx.prec) or arb(2) ** -k, asked.append
        )

    most = bisect_left(range(sign_decision.MOST_BITS), True, key=taken)
    return most, asked[1], asked[0]


@examples(100)
@given(r=st.randoms(use_true_random=True))
def test_what_is_taken_for_0_is_nearer_than_any_other_number(r):
    """The product of the d conjugates of c·α is whole: |α| is at least 1/(c·(c·2^u)^(d − 1)), or 0. No more bits are
    asked for than that takes.
    """
    terms, field = some_sum(r), sign_decision.Field(quotient_form.form)
    if not terms:
        return
    c, u = field.size(terms)
    try:
        k, bits, effort = separation(terms)
    except sign_decision.NotAlgebraic:
        return
    least = Fraction(c) * (c * Fraction(2) ** u) ** (field.degree - 1)
    assert Fraction(1, 2**k) * least < 1 and 2**k <= least * 2 ** (field.degree + 1)
    assert k + max(0, u) + 32 <= bits <= k + max(0, u) + 128 and effort == bits // 64


def test_efforts_end_at_their_bounds():
    field = sign_decision.Field(quotient_form.form)

    def turn(n):
        return quotient_form.canonical(quotient_form.multiply(exact(Fraction(1, n)), quotient_form.atom("pi")))

    assert (
        field.cosine(turn(sign_decision.MOST_DENOMINATOR))
        and field.power(2, fmpq(2**16 - 1, 7))
        and field.power(2, fmpq(1, 2**16 - 1))
    )
    reached = []
    with pytest.raises(sign_decision.NotAlgebraic):
        for n in range(sign_decision.MOST_BITS // 2 - 100, sign_decision.MOST_BITS):
            reached.append(separation({(2, (), ()): fmpq(2) ** n})[1])
    assert reached[-1] == sign_decision.MOST_BITS
    for beyond in (lambda: field.cosine(turn(sign_decision.MOST_DENOMINATOR + 1)), lambda: field.power(2, fmpq(2**16, 7)),
                   lambda: field.power(None, fmpq(1)),
                   lambda: field.primes(2**64),
                   lambda: field.cosine(quotient_form.canonical(exact(Fraction(1))))):  # fmt: skip
        with pytest.raises(sign_decision.NotAlgebraic):
            beyond()
    field.primes(2**64 - 1)
