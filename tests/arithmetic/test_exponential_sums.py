"""Formal numbers: what is decided of them agrees with 200 digits, and the identities that they exist for are proven."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from random import Random
from typing import Any

import pytest
from flint import ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc.arithmetic.budget import GiveUp
from attncalc.arithmetic.exact import exact_evaluator, exponential_sums, quotient_form, sign_decision
from attncalc.arithmetic.exact.quotient_form import Exact
from tests.arithmetic import oracle
from tests.arithmetic.ends import ends, fraction
from tests.support.laws import each_case

mp = oracle.mp
TINY = mp.mpf(10) ** -oracle.DIGITS
LARGEST = 25  # of an exponent: larger powers leave too few of the 230 digits behind the point


@pytest.fixture(autouse=True)
def effort():
    exponential_sums.METER.left = 10**9


def rational(q: Fraction | int) -> Exact:
    q = Fraction(q)
    return quotient_form.number(fmpq(q.numerator, q.denominator))


def minus(x: Exact, y: Exact) -> Exact:
    return quotient_form.add(x, quotient_form.negative(y))


class Both:
    """A formal number and what it is in 230 digits."""

    def __init__(self, form: Exact, value: Any):
        self.form, self.value = form, oracle.real(value)

    def __add__(self, other: Both) -> Both:
        return Both(quotient_form.add(self.form, other.form), self.value + other.value)

    def __sub__(self, other: Both) -> Both:
        return Both(minus(self.form, other.form), self.value - other.value)

    def __neg__(self) -> Both:
        return Both(quotient_form.negative(self.form), -self.value)

    def __mul__(self, other: Both) -> Both:
        return Both(quotient_form.multiply(self.form, other.form), self.value * other.value)

    def __truediv__(self, other: Both) -> Both:
        if abs(other.value) < TINY:
            raise GiveUp
        return Both(quotient_form.divide(self.form, other.form), self.value / other.value)


PI = Both(quotient_form.atom("pi"), mp.pi)


def q(x: Fraction | int) -> Both:
    return Both(rational(x), Fraction(x))


def root(x: Both) -> Both:
    if x.value < -TINY:
        raise GiveUp
    # What is below is 0 and 230 digits of noise
    return Both(exact_evaluator.square_root(x.form), mp.sqrt(x.value) if x.value > TINY else 0)


def square(x: Both) -> Both:
    """x² as a power makes it, which remembers whose square it is."""
    made = x * x
    return Both(Exact(made.form.top, made.form.bottom, (fmpq(1), x.form)), made.value)


def exp(x: Both) -> Both:
    if abs(x.value) > LARGEST:
        raise GiveUp
    return Both(exact_evaluator.exponential(x.form), mp.exp(x.value))


def log(x: Both) -> Both:
    if x.value < TINY:
        raise GiveUp
    return Both(exact_evaluator.logarithm(x.form), mp.log(x.value))


def sin(x: Both) -> Both:
    return Both(quotient_form.sine(x.form), mp.sin(x.value))


def cos(x: Both) -> Both:
    return Both(quotient_form.cosine(x.form), mp.cos(x.value))


def small(r: Random) -> Fraction:
    return Fraction(r.randint(-6, 6), r.choice((1, 1, 2, 3, 4)))


def positive(r: Random) -> Fraction:
    return Fraction(r.randint(1, 12), r.choice((1, 1, 2, 3, 4, 12)))


def roots(r: Random) -> Both:
    """A sum of q·√m."""
    return q(small(r)) + q(small(r)) * root(q(positive(r))) + q(small(r)) * root(q(positive(r)))


def powers(r: Random) -> Both:
    """Exponentials of rational multiples of logarithms, and logarithms."""
    return exp(q(small(r) / 2) * log(q(positive(r)))) + r.choice((q(small(r)), log(q(positive(r)))))


def shares(r: Random) -> Both:
    """A quotient of sums of exponentials, with rational and algebraic exponents."""
    parts = [exp(q(small(r)) * r.choice((q(1), root(q(2)), root(q(3))))) for _ in range(r.randint(2, 3))]
    return parts[0] / (parts[0] + parts[1] + parts[-1])


def waves(r: Random) -> Both:
    """Sines and cosines of multiples of π/12 and of other numbers."""
    angle = r.choice(
        (
            PI * q(Fraction(r.randint(-30, 30), 12)),
            q(small(r)),
            root(q(2)) * q(small(r)),
            PI + q(small(r)),
            PI / (q(2) + root(q(3))),
        )
    )
    return q(small(r)) + q(small(r)) * r.choice((sin, cos))(angle)


CLASSES = {"roots": roots, "powers": powers, "shares": shares, "waves": waves}


def some(r: Random, *classes: Callable[[Random], Both]) -> Both:
    return r.choice(classes or (*CLASSES.values(), lambda r: q(small(r))))(r)


def sign(x: Any) -> int:
    return 0 if abs(x) < TINY else 1 if x > 0 else -1


def near(x: Exact, value: Any) -> bool:
    """Whether the number is the value to 200 decimals."""
    with ctx.workprec(760):
        low, high = ends(sign_decision.ball(x))
    room = oracle.NEAR * max(1, abs(low))
    return low - room <= oracle.exactly(value) <= high + room


def holds(x: Both) -> bool:
    return near(x.form, x.value)


def mixed(r: Random) -> Both:
    """Numbers of every class, joined by arithmetic and functions."""
    x, y = some(r), some(r)
    joins = [lambda: x + y, lambda: x - y, lambda: x * y, lambda: x / y, lambda: root(square(x)), lambda: root(x),
             lambda: exp(x), lambda: log(x),
             lambda: sin(x), lambda: cos(x), lambda: x * x - y * y, lambda: root(square(x) + square(y))]  # fmt: skip
    return r.choice(joins)()


@given(r=st.randoms(use_true_random=True))
def test_a_form_is_its_value(r):
    for _ in range(4):
        exponential_sums.METER.left = exponential_sums.MOST_WORK
        try:
            x = mixed(r)
            assert holds(x), (x.form.top, x.form.bottom, x.value)
            found = x.form.rational
            if found is not None:
                assert abs(oracle.real(fraction(found)) - x.value) < TINY
            assert sign_decision.sign_of(x.form) == sign(x.value)
        except GiveUp:
            continue


@given(r=st.randoms(use_true_random=True))
def test_order_and_sign_agree_with_200_digits(r):
    x, y = some(r, *CLASSES.values()), some(r, *CLASSES.values())
    if r.random() < 0.3:
        y = x + q(Fraction(r.choice((-1, 0, 1)), 10 ** r.randint(1, 60)))
    try:
        order = sign_decision.compare(x.form, y.form)
        assert order == sign(x.value - y.value) == -sign_decision.compare(y.form, x.form)
        assert near(sign_decision.larger(x.form, y.form), max(x.value, y.value)) and near(
            sign_decision.absolute(x.form), abs(x.value)
        )
        if x.form.top:
            side, part = quotient_form.positive_part(x.form)
            assert side in (1, -1) and quotient_form.same(part if side > 0 else quotient_form.negative(part), x.form)
    except GiveUp:  # equal, but not proven to be
        assert sign(x.value - y.value) == 0 or sign(x.value) == 0


def test_infinities_stand_at_the_ends():
    one = rational(1)
    assert [sign_decision.compare(*pair) for pair in (("inf", one), ("-inf", one), (one, "inf"), (one, "-inf"))] == [
        1,
        -1,
        -1,
        1,
    ]
    assert (
        sign_decision.compare("inf", "inf") == sign_decision.compare("-inf", "-inf") == 0
        and sign_decision.compare("inf", "-inf") == 1
    )


def test_signs_that_take_many_bits_and_one_that_takes_too_many():
    nearly = exact_evaluator.square_root(rational(2))
    for digits in (10, 60, 250):
        below = rational(
            Fraction(int(mp.floor(mp.sqrt(2) * 10**digits)) if digits < 200 else _root_of_two(digits), 10**digits)
        )
        assert sign_decision.sign_of(minus(nearly, below)) == 1 and sign_decision.sign_of(minus(below, nearly)) == -1
    with pytest.raises(GiveUp):
        sign_decision.sign_of(minus(nearly, rational(Fraction(_root_of_two(320), 10**320))))
    with pytest.raises(GiveUp):
        sign_decision.sign_of(quotient_form.atom(quotient_form.OPAQUE, ("x", 0, 0)))


def _root_of_two(digits: int) -> int:
    return isqrt(2 * 10 ** (2 * digits))


def _sixth(n: int) -> tuple[Both, Both]:
    size = [q(0), q(1), root(q(3)), q(2), root(q(3)), q(1)][n % 6]
    return sin(PI * q(Fraction(n, 6))) * q(2), size if n // 6 % 2 == 0 else -size


IDENTITIES: dict[str, Callable[[Random], tuple[Both, Both]]] = {
    "x + y − y": lambda r: (lambda x, y: (x + y - y, x))(some(r), some(r)),
    "x − x": lambda r: (lambda x: (x - x, q(0)))(some(r)),
    "x / x": lambda r: (lambda x: (x / x, q(1)))(some(r)),
    "(x + y)(x − y)": lambda r: (lambda x, y: ((x + y) * (x - y), x * x - y * y))(some(r, roots, powers),
        some(r, roots, waves)),
    "x (1/y) y": lambda r: (lambda x, y: (x * (q(1) / y) * y, x))(some(r, roots),
        some(r, lambda r: root(q(positive(r))))),
    "√a √b": lambda r: (lambda a, b: (root(a) * root(b), root(a * b)))(q(positive(r)), q(positive(r))),
    "√(a²)": lambda r: (lambda a: (root(a * a), a))(q(positive(r))),
    "√x √x": lambda r: (lambda x: (root(x) * root(x), x))(q(positive(r)) + root(q(positive(r)))),
    "√x √x √x": lambda r: (lambda x: (root(x) * root(x) * root(x), x * root(x)))(q(positive(r)) + root(q(positive(r)))),
    "e^(ln a + ln b)": lambda r: (lambda a, b: (exp(log(a) + log(b)), a * b))(q(positive(r)), q(positive(r))),
    "e^(q ln a)": lambda r: (lambda a, n: (exp(q(n) * log(a)) * exp(q(-n) * log(a)), q(1)))(q(positive(r)),
        small(r) / 2),
    "e^(ln(a)/2)": lambda r: (lambda a: (exp(log(a) / q(2)), root(a)))(q(positive(r))),
    "e^x e^y": lambda r: (lambda x, y: (exp(x) * exp(y), exp(x + y)))(some(r, roots, powers), some(r, roots)),
    "ln e^x": lambda r: (lambda x: (log(exp(x)), x))(some(r, roots)),
    "ln a + ln b": lambda r: (lambda a, b: (log(a) + log(b), log(a * b)))(q(positive(r)), q(positive(r))),
    "ln √a": lambda r: (lambda a: (log(root(a)), log(a) / q(2)))(q(positive(r))),
    "ln aⁿ / ln a": lambda r: (lambda a, n: (log(q(a**n)) / log(q(a)), q(n)))(Fraction(r.choice((2, 3, 6, 10))),
        r.randint(1, 6)),
    "Σ shares": lambda r: (lambda x, y, z: (x / (x + y + z) + y / (x + y + z) + z / (x + y + z),
        q(1)))(*[exp(roots(r)) for _ in range(3)]),
    "share of ln": lambda r: (lambda a, b: (exp(log(a)) / (exp(log(a)) + exp(log(b))), a / (a + b)))(q(positive(r)),
        q(positive(r))),
    "1/(1 + e^(y − x))": lambda r: (lambda x, y: (exp(x) / (exp(x) + exp(y)) * (q(1) + exp(y - x)), q(1)))(roots(r),
        roots(r)),
    "sin² + cos²": lambda r: (lambda x: (sin(x) * sin(x) + cos(x) * cos(x), q(1)))(some(r, roots)),
    "sin a cos b + cos a sin b": lambda r: (lambda x, y: (sin(x) * cos(y) + cos(x) * sin(y), sin(x + y)))(roots(r),
        roots(r)),
    "cos a cos b + sin a sin b": lambda r: (lambda x, y: (cos(x) * cos(y) + sin(x) * sin(y), cos(x - y)))(roots(r),
        roots(r)),
    "sin(−x), cos(−x)": lambda r: (lambda x: (sin(-x) * cos(x) + sin(x) * cos(-x), q(0)))(roots(r)),
    "cos of a third": lambda r: (lambda n: (cos(PI * q(Fraction(n, 3))) * q(2),
        q([2, 1, -1, -2, -1, 1][n % 6])))(r.randint(-20, 20)),
    "sin of a sixth": lambda r: _sixth(r.randint(-12, 12)),
    "sin of a quarter": lambda r: (lambda n: (sin(PI * q(Fraction(2 * n + 1, 4))) * root(q(2)),
        q([1, 1, -1, -1][n % 4])))(r.randint(-9, 9)),
    "√Σ(c x²)": lambda r: (lambda x, a, b: (root(q(a) * square(x) + q(b) * square(-x)),
        root(q(a + b)) * root(square(x))))(roots(r), positive(r), positive(r)),
    "√((x − y)²)": lambda r: (lambda x, y: (root(square(x - y)), x - y if x.value > y.value else y - x))(roots(r),
        powers(r)),
    "√(c ln a ln a)": lambda r: (lambda a, c: (root(q(c) * log(a) * log(a)),
        root(q(c)) * (log(a) if a.value >= 1 else -log(a))))(
        root(q(2)) - q(Fraction(r.randint(-3, 5), 4)), positive(r)),
    "√√a": lambda r: (lambda a: (lambda x: (x * x * x * x, a))(root(root(a))))(q(positive(r))),
    "√ln³ a": lambda r: (lambda x: (root(x * x * x), root(x * x * x) + q(0)))(log(q(r.choice((2, 3, 7))))),
    "√e^x": lambda r: (lambda x: (root(exp(x)), exp(x / q(2))))(roots(r)),
    "√x √y √x": lambda r: (lambda x, y: (root(x) * root(y) * root(x), x * root(y)))(q(positive(r)) + root(q(2)),
        q(positive(r)) + root(q(3))),
    "√(x² + a)²": lambda r: (lambda x: (root(x) * root(x), x))(square(roots(r)) + q(positive(r))),
    "√p p^(1/4) p^(1/4)": lambda r: (lambda a: (root(a) * exp(log(a) / q(4)) * exp(log(a) / q(4)),
        a))(q(r.choice((2, 3, 6, 10)))),
    "(z/(√a + b))/(√a − b)": lambda r: (lambda z, a,
        b: (z / (root(q(a)) + q(b)) / (root(q(a)) - q(b)), z / q(a - b * b)))(
        PI, *r.choice(((3, 1), (2, 1), (5, 3), (Fraction(7, 2), 2)))),
    "ln x − ln x": lambda r: (lambda x: (log(x) - log(x), q(0)))(q(1) + root(q(positive(r)))),
    "e^(x/y)": lambda r: (lambda x: (exp(x) + q(0), exp(x)))(shares(r) * root(q(2))),
    "tan x cos x": lambda r: (lambda x, y: (sin(y) / sin(x) * sin(x), sin(y)))(roots(r), roots(r)),
    "√u sin x √u cos y": lambda r: (lambda u, x, y: (root(u) * sin(x) * (root(u) * cos(y)), u * (sin(x) * cos(y))))(
        q(2) + sin(q(small(r))), roots(r), roots(r)),
    "√(ln² a)": lambda r: (lambda a: (root(square(log(a))), log(a) if a.value >= 1 else -log(a)))(q(positive(r))),
}  # fmt: skip


@pytest.mark.parametrize("name", IDENTITIES)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_identities_are_proven_and_what_differs_is_not(name, r):
    try:
        left, right = IDENTITIES[name](r)
    except GiveUp:
        return
    assert abs(left.value - right.value) < TINY * max(1, abs(left.value))
    assert holds(left) and holds(right)
    gap = minus(left.form, right.form)
    assert gap.rational == 0, (gap.top, left.form.top, right.form.top)
    other = quotient_form.add(right.form, rational(Fraction(1, 10**40)))
    assert minus(left.form, other).rational in (None, fmpq(-1, 10**40)) and not quotient_form.same(left.form, other)


def above_0(r: Random) -> Both:
    """What is above 0: √a + b, e^x + √a, a share, a long fraction."""
    x = r.choice((lambda r: root(q(positive(r))) + q(positive(r)), lambda r: exp(roots(r)) + root(q(positive(r))),
                  shares,
                  lambda r: q(Fraction(2 * 10**40 + r.randint(1, 10**20), 10**40))))(r)  # fmt: skip
    return x if x.value > TINY else q(positive(r))


LOGARITHMS: dict[str, Callable[[Random], tuple[Both, Both]]] = {
    "ln x + ln y": lambda r: (lambda x, y: (log(x) + log(y), log(x * y)))(above_0(r), above_0(r)),
    "ln x − ln y": lambda r: (lambda x, y: (log(x) - log(y), log(x / y)))(above_0(r), above_0(r)),
    "n ln x": lambda r: (lambda x, n: (q(n) * log(x), log(x * x * x) * q(Fraction(n, 3))))(above_0(r),
        r.randint(-4, 4)),
    "√2 ln x": lambda r: (lambda x: (root(q(2)) * log(x) + root(q(2)) * log(q(1) / x), q(0)))(above_0(r)),
    "ln(e^a x)": lambda r: (lambda x, a: (log(exp(a) * x), a + log(x)))(above_0(r), roots(r)),
    "ln x / ln x²": lambda r: (lambda x: (log(x) / log(x * x), q(Fraction(1, 2))))(above_0(r)),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGARITHMS)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_logarithms_of_a_product_are_proven_to_cancel_and_others_are_not(name, r):
    try:
        left, right = LOGARITHMS[name](r)
        assert abs(left.value - right.value) < TINY * max(1, abs(left.value))
        assert sign_decision.same_number(left.form, right.form)
        for other in (Fraction(1, 10**40), Fraction(-1, 3), 1):
            assert not sign_decision.same_number(left.form, (right + q(other)).form)
    except (GiveUp, ZeroDivisionError):
        return


def errors(r: Random) -> Both:
    """Sums of erf x times a number, and of that number or a little less."""
    x, factor, other = roots(r), roots(r), Fraction(r.randint(9, 11), 10)
    return factor * Both(quotient_form.atom("erf", quotient_form.canonical(x.form)), mp.erf(x.value)) + factor * q(
        other
    )


@given(r=st.randoms(use_true_random=True))
def test_a_sign_that_the_terms_show_is_the_sign(r):
    try:
        x = some(r, shares, roots, powers, errors) + q(r.choice((-1, 0, 1)))
        side = sign_decision.sign_of_terms(x.form)
    except GiveUp:
        return
    assert side in (None, sign(x.value)) or not x.form.top


@given(r=st.randoms(use_true_random=True))
def test_equal_forms_have_one_number_and_others_another(r):
    x, y = some(r, roots, powers, shares), some(r, roots, powers, shares)
    again = Exact(exponential_sums.scale(x.form.top, fmpq(3, 2)), exponential_sums.scale(x.form.bottom, fmpq(3, 2)))
    assert quotient_form.canonical(x.form) == quotient_form.canonical(again)
    if sign(x.value - y.value):
        assert quotient_form.canonical(x.form) != quotient_form.canonical(y.form)
    assert near(quotient_form.form(quotient_form.canonical(x.form)), x.value)


@given(st.integers(1, 10**12))
def test_squares_are_taken_out_of_roots(m):
    square, free = exact_evaluator.square_part(m)
    assert square * square * free == m and not any(free % (p * p) == 0 for p in (2, 3, 5, 7, 11, 13))


@given(r=st.randoms(use_true_random=True))
def test_a_multiple_over_the_number_is_a_fraction(r):
    x, n = some(r, roots, powers, shares), small(r)
    try:
        found = quotient_form.divide(quotient_form.multiply(rational(n), x.form), x.form)
    except GiveUp:
        return
    assert found.rational == fmpq(n.numerator, n.denominator) and quotient_form.same(found, rational(n))
    assert quotient_form.same(quotient_form.multiply(x.form, quotient_form.ZERO), quotient_form.ZERO)


def test_roots_are_multiplied_without_quotients():
    nested = exact_evaluator.square_root(quotient_form.add(rational(1), exact_evaluator.square_root(rational(2))))
    assert len(quotient_form.multiply(nested, exact_evaluator.square_root(rational(3))).top) == 1


def test_what_is_0_without_showing_it():
    nested = exact_evaluator.square_root(
        quotient_form.add(rational(3), quotient_form.multiply(rational(2), exact_evaluator.square_root(rational(2))))
    )
    zero = minus(nested, quotient_form.add(rational(1), exact_evaluator.square_root(rational(2))))
    assert (
        zero.top
        and sign_decision.sign_of(zero)
        == sign_decision.compare(nested, quotient_form.add(rational(1), exact_evaluator.square_root(rational(2))))
        == 0
    )
    with pytest.raises(GiveUp):
        exact_evaluator.logarithm(zero)
    assert exact_evaluator.logarithm(nested).top
    over = quotient_form.divide(rational(1), zero)
    assert (
        sign_decision.simplify(over) is over
        and sign_decision.simplify(quotient_form.add(zero, rational(2))).rational == 2
    )


def test_efforts_are_bounded():
    many = q(0)
    for m in (2, 3, 5, 7, 11, 13, 17):
        many = many * root(q(m)) + many + root(q(m))
    assert len(many.form.top) == exponential_sums.MOST_TERMS - 1
    with pytest.raises(GiveUp):
        quotient_form.add(
            many.form,
            quotient_form.add(exact_evaluator.square_root(rational(19)), exact_evaluator.square_root(rational(23))),
        )
    with pytest.raises(GiveUp):
        quotient_form.multiply(many.form, many.form)
    with pytest.raises(GiveUp):
        quotient_form.multiply(many.form, minus(exact_evaluator.square_root(rational(19)), rational(1)))
    for beyond in (lambda: exact_evaluator.logarithm(rational(0)), lambda: exact_evaluator.logarithm(rational(-1)),
                   lambda: quotient_form.divide(rational(1), rational(0)), lambda: quotient_form.quotient({}, {}),
                   lambda: exact_evaluator.square_root(rational(2 ** exact_evaluator.LARGEST_FACTORED)),
                   lambda: exact_evaluator.logarithm(minus(rational(1), exact_evaluator.square_root(rational(2))))):  # fmt: skip
        with pytest.raises(GiveUp):
            beyond()
    below, above = (exact_evaluator.logarithm(rational(2 ** (exact_evaluator.LARGEST_FACTORED + k))) for k in (-1, 0))
    assert [next(iter(x.top))[2][0][0][0] for x in (below, above)] == ["ln", "log"] and exact_evaluator.square_root(
        rational(4)
    ).rational == 2
    assert exact_evaluator.square_root(rational(2 ** (exact_evaluator.LARGEST_FACTORED - 1))).top
    sums = [quotient_form.ONE]
    for m in (2, 3, 5, 7, 11, 13, 17):
        sums.append(
            quotient_form.multiply(sums[-1], quotient_form.add(rational(1), exact_evaluator.square_root(rational(m))))
        )
    # 512 products
    assert [len(x.top) for x in sums] == [1, 2, 4, 8, 16, 32, 64, 128] and len(
        quotient_form.multiply(sums[6], sums[3]).top
    ) == 64
    left = exponential_sums.METER.left
    quotient_form.multiply(sums[5], sums[4])
    assert left - exponential_sums.METER.left >= 512
    five = quotient_form.add(sums[2], exact_evaluator.square_root(rational(5)))
    full = quotient_form.add(many.form, exact_evaluator.square_root(rational(19)))
    assert len(full.top) == exponential_sums.MOST_TERMS
    for beyond in (
        lambda: quotient_form.multiply(sums[7], five),
        lambda: quotient_form.add(full, exact_evaluator.square_root(rational(23))),
    ):
        with pytest.raises(GiveUp):
            beyond()
    exponential_sums.METER.left = 3
    exponential_sums.METER.spend(3)
    with pytest.raises(GiveUp):
        exponential_sums.METER.spend(1)


def test_powers_of_primes_are_multiplied_out_up_to_a_bound():
    two = exact_evaluator.logarithm(rational(2))
    assert exact_evaluator.exponential(quotient_form.multiply(rational(2_000), two)).rational == fmpq(2) ** 2_000
    assert exact_evaluator.exponential(quotient_form.multiply(rational(-2_000), two)).rational == fmpq(1, 2**2_000)
    assert exact_evaluator.exponential(quotient_form.multiply(rational(2_001), two)).rational is None
    assert exact_evaluator.exponential(quotient_form.multiply(rational(Fraction(1, 3)), two)).rational is None
    assert (
        exact_evaluator.square_root(exact_evaluator.exponential(quotient_form.multiply(rational(2_002), two))).rational
        == fmpq(2) ** 1_001
    )
    half = exact_evaluator.exponential(quotient_form.multiply(rational(2_003), two))
    assert quotient_form.same(
        exact_evaluator.square_root(half),
        quotient_form.multiply(rational(2**1_001), exact_evaluator.square_root(rational(2))),
    )
    # Not multiplied out
    assert next(iter(exact_evaluator.exponential(quotient_form.multiply(rational(Fraction(4_001, 2)), two)).top))[1]
