"""Closed forms: formal numbers (`exact_evaluator.py`) as SymPy expressions, with terms in the order of the
computation.
"""

from __future__ import annotations

import sympy
from flint import fmpq

from ..budget import GiveUp
from .exponential_sums import Sum, Term
from .quotient_form import OPAQUE, Exact, Formal, form

MOST_TERMS = 24
LONGEST = 1_000  # bits of a coefficient


def expression(cell: Formal | None) -> sympy.Expr | None:
    """Return the SymPy expression of a formal number; None if there is no number or it is too long to read."""
    if cell is None:
        return None
    if not isinstance(cell, Exact):
        return sympy.oo if cell == "inf" else -sympy.oo
    if len(cell.top) > MOST_TERMS or len(cell.bottom) > MOST_TERMS:
        return None
    try:
        return _sum(cell.top) / _sum(cell.bottom)
    except GiveUp:
        return None


def _rational(q: fmpq) -> sympy.Expr:
    if q.height_bits() > LONGEST:
        raise GiveUp
    return sympy.Rational(int(q.numerator), int(q.denominator))


def _sum(terms: Sum) -> sympy.Expr:
    return sympy.Add(*[_rational(q) * _term(term) for term, q in terms.items()])


def _term(term: Term) -> sympy.Expr:
    root, alpha, atoms = term
    value = sympy.sqrt(root)
    for (_, _, inner), q in alpha:
        if any(kind == "ln" and abs(q) * int(argument).bit_length() > LONGEST for (kind, argument), _ in inner):
            raise GiveUp  # SymPy would compute the power
    if alpha:
        value *= sympy.exp(_sum(dict(alpha)))
    for (kind, argument), power in atoms:
        value *= _atom(kind, argument) ** power
    return value


def _atom(kind: str, argument: int) -> sympy.Expr:
    if kind == "pi":
        return sympy.pi
    if kind == "ln":
        return sympy.log(argument)
    if kind == OPAQUE:
        raise GiveUp
    inside = form(argument)
    x = _sum(inside.top) / _sum(inside.bottom)
    return x if kind == "quotient" else getattr(sympy, kind)(x)
