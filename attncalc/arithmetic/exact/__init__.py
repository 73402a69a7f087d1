"""Formal quotients of numbers, which can *prove* that an entry equals a decimal. They decide ties (rule R9).

A number is N/D. N and D are sums of terms q · √m · e^α · atoms, where q is rational, m is squarefree, and α is a sum of
the same form. Atoms are opaque numbers: π, ln p, sin x, erf x, √(1 + √2). Formally equal terms are combined, so N − c·D
= 0 term by term proves N/D = c.

This covers:

- rationals and roots
- exponentials of logarithms (softmax of ln 3, ln 5 is 3/8)
- sines at multiples of π/6 and π/4
- quotients of exponential sums with equal exponents (for algebraic exponents there is no other case, by
  Lindemann–Weierstrass)

`sign_decision.py` decides sums that are 0 although their terms do not cancel: sums of algebraic numbers, and sums of
logarithms by the product of their arguments. If no proof is found, the caller reports that the digit is undecided.
"""
