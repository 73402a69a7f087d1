"""Closed forms as readable formulas: converts exact numbers to trees such as 1/(1 + exp(2·√3))."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cmp_to_key, reduce
from typing import NamedTuple

from flint import fmpq

from ..arithmetic.budget import GiveUp, Meter
from ..arithmetic.exact.exponential_sums import ONE_TERM, Pairs, Sum, Term, add_sums, scale
from ..arithmetic.exact.quotient_form import OPAQUE, Exact, form
from ..arithmetic.exact.sign_decision import ball
from ..arithmetic.working_precision import working_precision
from ..formula.syntax_tree import Binary, Call, Name, Negate, Number, Tree, unparse
from ..solution import StepResult

LONGEST = 76  # characters
FEW_PARTS, MOST_PARTS = 40, 2_000  # numbers and functions of a closed form: in one line, and in total
MOST_TERMS = 24
LONGEST_COEFFICIENT = 1_000  # bits
ONE, HALF = fmpq(1), fmpq(1, 2)
E: Term = (1, ((ONE_TERM, ONE),), ())
PI: Term = (1, (), ((("pi", ()), 1),))
ROOT, LETTER, SUM = 0, 1, 2  # ranks of factors in a product; functions come after sums
RANKS = {name: rank for rank, name in enumerate(("exp", "log", "sin", "cos", "tanh", "erf"), 3)}


def closed_form(result: StepResult, i: int, j: int) -> Tree | None:
    """Return the closed form of an entry; None if there is none that fits in a line."""
    tree = closed_tree(result, i, j, FEW_PARTS)
    return tree if tree is not None and len(compact_text(tree)) <= LONGEST else None


def closed_tree(result: StepResult, i: int, j: int, most: int = MOST_PARTS, in_all: Meter | None = None) -> Tree | None:
    """Return the closed form of an entry; None if there is none with at most `most` parts, and if the parts of several
    entries exceed `in_all`.
    """
    if in_all is not None and in_all.left <= 0:
        return None
    number = result.values.cells.find(result.step.node, i, j)
    if not isinstance(number, Exact):
        return None if number is None else Name("inf") if number == "inf" else Negate(Name("inf"))
    parts = Meter(most if in_all is None else min(most, in_all.left))
    try:
        _count(number, parts)
        value = number.rational
        return _quotient(number) if value is None else _product(value, [])
    except GiveUp:
        return None
    finally:
        if in_all is not None:
            in_all.take(1 + min(most, in_all.left) - max(0, parts.left))


def compact_text(tree: Tree) -> str:
    """Return a formula on one line in the syntax of problem files: `exp(2*sqrt(3)/3)/(1 + exp(2*sqrt(3)/3))`."""
    text = unparse(tree)
    for sign in ("*", "/", "**"):
        text = text.replace(f" {sign} ", sign)
    return text


# -- sums and quotients ------------------------------------------------------------------------------------------------


def _count(number: Exact, parts: Meter) -> None:
    """Subtract the parts of a quotient from the meter. Raises GiveUp if the meter is exhausted."""
    for terms in (number.top, number.bottom):
        _count_terms(terms, parts)


def _count_terms(terms: Iterable[Term], parts: Meter) -> None:
    for _, alpha, atoms in terms:
        parts.spend(1)
        _count_terms((term for term, _ in alpha), parts)
        for (kind, argument), _ in atoms:
            if kind == OPAQUE:
                raise GiveUp
            if kind not in ("pi", "ln"):
                _count(form(argument), parts)


def _quotient(number: Exact) -> Tree:
    """Return the tree of a quotient. A numerator with one term becomes a product of factors."""
    top, bottom = number.top, number.bottom
    if max(len(top), len(bottom)) > MOST_TERMS:
        raise GiveUp
    if not top or list(bottom) == [ONE_TERM]:
        return _sum({term: q / bottom[ONE_TERM] for term, q in top.items()})
    if len(top) > 1:
        return _product(fmpq(1), _factors_of(number))
    ((term, q),) = top.items()
    return _product(q, [*_factors(term), ProductFactor(SUM, _sum(bottom), -ONE)])


def _sum(terms: Sum) -> Tree:
    """Return the tree of a sum, smallest terms first, but a positive number before a single negative term."""
    if not terms:
        return Number("0")
    order = sorted(terms.items(), key=cmp_to_key(_compare))
    if len(order) == 2 and _is_a_number(*order[1]) and order[0][1] < 0 and _is_single(order[0][0]):
        order.reverse()
    first, *rest = order
    return reduce(_add_term, rest, _product(first[1], _factors(first[0])))


def _add_term(tree: Tree, more: tuple[Term, fmpq]) -> Tree:
    term, q = more
    return Binary("-" if q < 0 else "+", tree, _product(abs(q), _factors(term)))


def _is_a_number(term: Term, q: fmpq) -> bool:
    return q > 0 and (term == ONE_TERM or q == 1 and term in (E, PI))


def _is_single(term: Term) -> bool:
    """Return whether a term has a single factor, without building its tree."""
    root, alpha, atoms = term
    return (root != 1) + bool(alpha) + len(atoms) == 1


def _compare(x: tuple[Term, fmpq], y: tuple[Term, fmpq]) -> int:
    with working_precision(64):
        a, b = (ball(Exact({term: q})) for term, q in (x, y))
    return int(a > b) - int(a < b)


# -- products ----------------------------------------------------------------------------------------------------------


def _product(q: fmpq, factors: list[ProductFactor]) -> Tree:
    """Return the tree of a coefficient and factors. All divisors are in one denominator."""
    if q.height_bits() > LONGEST_COEFFICIENT:
        raise GiveUp
    factors = sorted(_merge_powers(factors), key=lambda factor: factor.rank)
    above, below = ([factor.tree(way) for factor in factors if factor.power * way > 0] for way in (1, -1))
    n, d = abs(int(q.numerator)), int(q.denominator)
    above = [Number(str(n))] * (n != 1 or not above) + above
    below = [Number(str(d))] * (d != 1) + below
    if q < 0:
        above[0] = Negate(above[0])
    return Binary("/", _multiply(above), _multiply(below)) if below else _multiply(above)


def _merge_powers(factors: list[ProductFactor]) -> list[ProductFactor]:
    powers: dict[tuple[int, Tree], fmpq] = {}
    for factor in factors:
        powers[factor.rank, factor.base] = powers.get((factor.rank, factor.base), fmpq(0)) + factor.power
    return [ProductFactor(rank, base, power) for (rank, base), power in powers.items() if power]


def _multiply(trees: list[Tree]) -> Tree:
    return reduce(lambda a, b: Binary("*", a, b), trees)


class ProductFactor(NamedTuple):
    """A power in a product. `rank` is its position among the factors."""

    rank: int
    base: Tree
    power: fmpq = ONE

    def tree(self, way: int) -> Tree:
        """Return the factor for the numerator (`way` 1) or the denominator (`way` −1): its base, a root, or a power."""
        n = self.power * way
        if n == 1:
            return self.base
        if n == HALF:
            return Call("sqrt", (self.base,))
        return Binary("**", self.base, _product(n, []))


def _factors(term: Term) -> list[ProductFactor]:
    """Return the factors of a term: roots, then powers of e, then π, sums and functions."""
    root, alpha, atoms = term
    roots = [ProductFactor(ROOT, Number(str(root)), HALF)] if root != 1 else []
    return [*roots, *_powers_of_e(alpha), *(factor for atom in atoms for factor in _factors_of_atom(*atom))]


def _powers_of_e(alpha: Pairs) -> Iterator[ProductFactor]:
    """Yield the factors of e to the power of a sum. e^(q·ln x) becomes a power of x."""
    rest: Sum = {}
    for (root, inner, atoms), q in alpha:
        logs = [atom for atom in atoms if atom[0][0] in ("ln", "log") and atom[1] == 1]
        if len(logs) != 1:
            rest = add_sums(rest, {(root, inner, atoms): q})
            continue
        (((kind, argument), _),) = logs
        others = (root, inner, tuple(atom for atom in atoms if atom not in logs))
        if kind == "log" and others == ONE_TERM:
            powers, more = _power_of(form(argument), q)
            rest = add_sums(rest, more)
            yield from powers
        else:
            yield ProductFactor(ROOT, Binary("**", _of_logarithm(kind, argument, q), _sum({others: q})))
    if rest == {ONE_TERM: 1}:
        yield ProductFactor(LETTER, Name("e"))
    elif rest:
        yield ProductFactor(RANKS["exp"], Call("exp", (_sum(rest),)))


def _of_logarithm(kind: str, argument: int, q: fmpq) -> Tree:
    if kind == "ln" and abs(q) * int(argument).bit_length() > LONGEST_COEFFICIENT:
        raise GiveUp
    return Number(str(argument)) if kind == "ln" else _quotient(form(argument))


def _power_of(x: Exact, q: fmpq) -> tuple[list[ProductFactor], Sum]:
    """Return (N/D)^q: powers of sums, and a sum to add to the exponent of e."""
    powers: list[ProductFactor] = []
    exponent: Sum = {}
    for side, power in ((x.top, q), (x.bottom, -q)):
        (root, alpha, atoms), c = next(iter(side.items()))
        if len(side) > 1 or root != 1 or atoms or c != 1:
            powers.append(ProductFactor(SUM, _sum(side), power))
        else:
            exponent = add_sums(exponent, scale(dict(alpha), power))
    return powers, exponent


def _factors_of_atom(atom: tuple[str, int], power: int) -> list[ProductFactor]:
    kind, argument = atom
    if kind == OPAQUE:
        raise GiveUp
    if kind == "pi":
        return [ProductFactor(LETTER, Name("pi"), fmpq(power))]
    if kind == "ln":
        return [ProductFactor(RANKS["log"], Call("log", (Number(str(argument)),)), fmpq(power))]
    inside = form(argument)
    if kind == "quotient":
        return [factor._replace(power=factor.power * power) for factor in _factors_of(inside)]
    return [ProductFactor(RANKS.get(kind, SUM), Call(kind, (_quotient(inside),)), fmpq(power))]


def _factors_of(number: Exact) -> list[ProductFactor]:
    below = [] if list(number.bottom) == [ONE_TERM] else [ProductFactor(SUM, _sum(number.bottom), -ONE)]
    return [ProductFactor(SUM, _sum(number.top)), *below]
