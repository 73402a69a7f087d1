"""Formal quotients of numbers, by which an entry can be *proven* equal to a decimal. They settle ties (rule R9).

A number is N/D. N and D are sums of terms q · √m · e^α · atoms, with q rational, m squarefree and α again such a sum.
Atoms are opaque numbers: π, ln p, sin x, erf x, √(1 + √2). Formally equal terms are joined, so N − c·D = 0 term by term
proves N/D = c.

This covers:

- rationals and roots
- exponentials of logarithms (softmax of ln 3, ln 5 is 3/8)
- sines at multiples of π/6 and π/4
- quotients of exponential sums with equal exponents (for algebraic exponents there is no other case, by
  Lindemann–Weierstrass)

`sign_decision.py` decides sums that are 0 without cancelling: sums of algebraic numbers, and sums of logarithms by the
product of their arguments. If no proof is found, the caller reports that the digit is undecided.
"""

from ..budget import GiveUp
from .elementary_functions import LARGEST_FACTORED, exponential, logarithm, square_part, square_root
from .exponential_sums import (
    METER,
    MOST_TERMS,
    MOST_WORK,
    MOST_WORK_IN_ALL,
    ONE_TERM,
    Pairs,
    Sum,
    Term,
    add_sums,
    equal_sums,
    scale,
)
from .quotient_form import (
    INFINITY,
    ONE,
    OPAQUE,
    ZERO,
    Exact,
    Formal,
    add,
    atom,
    canonical,
    cosine,
    divide,
    form,
    multiply,
    negative,
    number,
    positive_part,
    quotient,
    same,
    sine,
    to_fmpq,
)
from .sign_decision import absolute, ball, compare, larger, same_number, sign_of, sign_of_terms, simplify, vanishes

__all__ = [
    "INFINITY",
    "LARGEST_FACTORED",
    "METER",
    "MOST_TERMS",
    "MOST_WORK",
    "MOST_WORK_IN_ALL",
    "ONE",
    "ONE_TERM",
    "OPAQUE",
    "ZERO",
    "Exact",
    "Formal",
    "GiveUp",
    "Pairs",
    "Sum",
    "Term",
    "absolute",
    "add",
    "add_sums",
    "atom",
    "ball",
    "canonical",
    "compare",
    "cosine",
    "divide",
    "equal_sums",
    "exponential",
    "form",
    "larger",
    "logarithm",
    "multiply",
    "negative",
    "number",
    "positive_part",
    "quotient",
    "same",
    "same_number",
    "scale",
    "sign_of",
    "sign_of_terms",
    "simplify",
    "sine",
    "square_part",
    "square_root",
    "to_fmpq",
    "vanishes",
]  # fmt: skip
