"""The formula language: a hand-worked value for every form, every function, every parameter and every word.

Expected values are written row by row: `1/2 3; 0 -inf`. An entry with dots, `1.4142…`, gives the first digits of the
true value, cut; those digits come from tables of constants, and two of them (the tanh and sigmoid forms of GELU) from
mpmath. All others are exact.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve
from attncalc.formula import operations as op
from attncalc.formula.compat.library_calls import ALIASES
from attncalc.formula.elaboration import check
from attncalc.formula.functions import functions
from attncalc.formula.parser import OPERATORS, parse
from attncalc.formula.syntax_tree import (
    COMPARISONS,
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Text,
    Transpose,
    Tree,
    children,
    unparse,
)
from attncalc.formula.typed_formula import entry_place
from tests.support.decimal_modes import DECIMAL_MODES
from tests.support.sweeps import for_each

GIVEN = {
    "A": [[1, 2], [3, 4]],
    "B": [[0, 1], [-1, 2]],
    "r": [10, 20],
    "c": [[1], [2]],
    "L": {"rows": ["the", "cat"], "columns": ["x", "y"], "values": [[1, 2], [3, 4]]},
    "P": [["1/2", "1/2"], ["1/4", "3/4"]],
    "x": "1/2",
}
HALF_ROOT_2, HALF_ROOT_3 = "0.707106781186547…", "0.866025403784438…"
SIN_1, COS_1 = "0.841470984807896…", "0.540302305868139…"

FORMS = [
    # numbers and constants
    ("0.1 + 0.2", "3/10"),
    ("2e-3", "1/500"),
    ("2e+1 + .5 + 5.", "51/2"),
    ("1/3 + 1/6", "1/2"),
    ("pi", "3.141592653589793…"),
    ("e", "2.718281828459045…"),
    ("hstack(inf, -inf, ∞, −∞)", "inf -inf inf -inf"),
    ("-x", "-1/2"),
    # operators, stretching rows, columns and numbers
    ("A @ B", "-2 5; -4 11"),
    ("A + B", "1 3; 2 6"),
    ("A - B", "1 1; 4 2"),
    ("A * B", "0 2; -3 8"),
    ("B / A", "0 1/2; -1/3 1/2"),
    ("-A", "-1 -2; -3 -4"),
    ("A.T", "1 3; 2 4"),
    ("A ** 2", "1 4; 9 16"),
    ("A ** (1/2)", "1 1.414213562373095…; 1.732050807568877… 2"),
    ("A ** -1", "1 1/2; 1/3 1/4"),
    ("2 ** A", "2 4; 8 16"),
    ("e ** 2", "7.389056098930650…"),
    ("A + r", "11 22; 13 24"),
    ("A + c", "2 3; 5 6"),
    ("r + c", "11 21; 12 22"),
    ("1 - A", "0 -1; -2 -3"),
    ("A × B − 1", "-1 1; -4 7"),
    # strength: as in Python
    ("A @ B @ c", "8; 18"),
    ("A + B * A", "1 4; 0 12"),
    ("-A ** 2", "-1 -4; -9 -16"),
    ("(-A) ** 2", "1 4; 9 16"),
    ("2 ** 3 ** 2", "512"),
    ("8 / 4 / 2", "1"),
    ("2 ** -1 * 3", "3/2"),
    ("(A @ B).T", "-2 -4; 5 11"),
    # comparisons: 1 where they hold
    ("A > 2", "0 0; 1 1"),
    ("A < B + 2", "1 1; 0 0"),
    ("A >= 2", "0 1; 1 1"),
    ("A <= r / 10", "1 1; 0 0"),
    ("A == 2", "0 1; 0 0"),
    ("B != 0", "0 1; 1 1"),
    ("abs(sqrt(2) ** 2 - 2) < 0.001", "1"),
    ("exp(ln(3)) > 3", "0"),
    ("1 < A <= 3", "0 1; 1 0"),
    ("A > 1 and A < 4", "0 1; 1 0"),
    ("(A > 1) & (A < 4)", "0 1; 1 0"),
    ("A == 1 or A == 4", "1 0; 0 1"),
    ("(A == 1) | (A == 4)", "1 0; 0 1"),
    ("not B", "1 0; 0 0"),
    ("~(A > 2)", "1 1; 0 0"),
    ("(A > 2) == (B > 1)", "1 1; 0 1"),
    # whole quotients and what is left: the sign of the divisor, as in Python
    ("A // 2", "0 1; 1 2"),
    ("-A // 2", "-1 -1; -2 -2"),
    ("A // -3", "-1 -1; -1 -2"),
    ("A % 3", "1 2; 0 1"),
    ("A % -3", "-2 -1; 0 -2"),
    ("-7 % 3 + 7 // 2 * 2", "8"),
    ("sqrt(8) // sqrt(2) + sqrt(8) % sqrt(2)", "2"),
    ("7/2 % (2/3)", "1/6"),
    # small matrices
    ("[[1, -2], [1/2, x]]", "1 -2; 1/2 1/2"),
    ("[1, 2, 3]", "1 2 3"),
    ("[[1], [2]] + r", "11 21; 12 22"),
    ("A @ [[0, 1], [1, 0]]", "2 1; 4 3"),
    # places
    ("A[0]", "1 2"),
    ("A[-1]", "3 4"),
    ("A[0, 1]", "2"),
    ("A[:, 0:1]", "1; 3"),
    ("A[:, 1]", "2; 4"),
    ("A[1:]", "3 4"),
    ("A[:1, -1:]", "2"),
    ("A[rows(A) - 1]", "3 4"),
    ('L["cat"]', "3 4"),
    ('L["the", "y"]', "2"),
    ("L[:, 'x']", "1; 3"),
    ("(A @ B)[1, 0]", "-4"),
    ("hstack(A, B)[:, ::2]", "1 0; 3 -1"),
    ("hstack(A, B)[:, 1::2]", "2 1; 4 2"),
    ("vstack(A, r)[::-1]", "10 20; 3 4; 1 2"),
    ("hstack(A, B)[0, 3:0:-2]", "1 2"),
    ("vstack(A, r)[[2, 0, -1]]", "10 20; 1 2; 10 20"),
    ('L[["cat", "the"], 1]', "4; 2"),
]

FUNCTIONS = [
    ("exp(hstack(0, 1, -1, ln(2), -inf))", "1 2.718281828459045… 0.367879441171442… 2 0"),
    ("log(hstack(1, e, 1 / e, 2, 0))", "0 1 -1 0.693147180559945… -inf"),
    ("ln(hstack(1, e ** 2, 3))", "0 2 1.098612288668109…"),
    ("log2(hstack(1, 8, 1/2, 3))", "0 3 -1 1.584962500721156…"),
    ("log10(hstack(1, 1000, 0.01, 2))", "0 3 -2 0.301029995663981…"),
    ("sqrt(hstack(0, 4, 9/16, 2))", "0 2 3/4 1.414213562373095…"),
    ("sin(hstack(0, pi / 6, pi / 2, 1))", f"0 1/2 1 {SIN_1}"),
    ("cos(hstack(0, pi / 3, pi, 1))", f"1 1/2 -1 {COS_1}"),
    ("tanh(hstack(0, ln(2), -ln(2), 1))", "0 3/5 -3/5 0.761594155955764…"),
    ("erf(hstack(0, 1, -1/2))", "0 0.842700792949714… -0.520499877813046…"),
    ("abs(B)", "0 1; 1 2"),
    ("floor(hstack(3/2, -3/2, 2, -0.1))", "1 -2 2 -1"),
    ("ceil(hstack(3/2, -3/2, 2, -0.1))", "2 -1 2 0"),
    ("relu(B)", "0 1; 0 2"),
    ("elu(hstack(2, 0, -ln(2), -1))", "2 0 -1/2 -0.632120558828557…"),
    ("sigmoid(hstack(0, ln(3), -ln(3), 1))", "1/2 3/4 1/4 0.731058578630004…"),
    ("silu(hstack(0, ln(3), 1))", "0 0.823959216501082… 0.731058578630004…"),
    ("gelu(hstack(0, 1, -1))", "0 0.841344746068542… -0.158655253931457…"),
    ('gelu(1, form="erf")', "0.841344746068542…"),
    ('gelu(hstack(0, 1), form="tanh")', "0 0.841191990608276…"),
    ('gelu(hstack(0, 1), form="sigmoid")', "0 0.845795765932821…"),
    ("minimum(A, 2 + B)", "1 2; 1 4"),
    ("maximum(B, x)", "1/2 1; 1/2 2"),
    ("round(hstack(1/8, -1/8, 2/3), 2)", "13/100 -13/100 67/100"),
    # one value for each row, each column, or all
    ("row_sum(A)", "3; 7"), ("col_sum(A)", "4 6"), ("total(A)", "10"),
    ("row_mean(A)", "3/2; 7/2"), ("col_mean(A)", "2 3"), ("mean(A)", "5/2"),
    ("row_max(B)", "1; 2"), ("col_max(B)", "0 2"),
    ("row_min(B)", "0; -1"), ("col_min(B)", "-1 1"),
    ("row_var(A)", "1/4; 1/4"), ("col_var(A)", "1 1"), ("var(A)", "5/4"),
    ("row_var(A, ddof=1)", "1/2; 1/2"), ("col_var(A, ddof=1)", "2 2"), ("var(A, ddof=1)", "5/3"),
    ("row_std(A)", "1/2; 1/2"), ("col_std(A)", "1 1"),
    ("row_std(A, ddof=1)", f"{HALF_ROOT_2}; {HALF_ROOT_2}"),
    ("col_std(A, ddof=1)", "1.414213562373095… 1.414213562373095…"),
    # softmax and its kin: the exponentials of logarithms are the numbers themselves
    ("softmax(hstack(0, ln(2), ln(5)))", "1/8 1/4 5/8"),
    ("softmax(hstack(0, 1))", "0.268941421369995… 0.731058578630004…"),
    ("softmax(hstack(0, -inf, ln(3)))", "1/4 0 3/4"),
    ('softmax(log(A), axis="rows")', "1/3 2/3; 3/7 4/7"),
    ('softmax(log(A), axis="columns")', "1/4 1/3; 3/4 2/3"),
    ('softmax(log(A), axis="all")', "1/10 1/5; 3/10 2/5"),
    ("softmax(hstack(0, 1, 2), base=2)", "1/7 2/7 4/7"),
    ('softmax(log(A), empty="error")', "1/3 2/3; 3/7 4/7"),
    ('softmax(keep(A, causal_strict(2, 2)), empty="zeros")', "0 0; 1 0"),
    ('softmax(keep(A, causal_strict(2, 2)), empty="uniform")', "1/2 1/2; 1 0"),
    ("softmax_rows(log(A))", "1/3 2/3; 3/7 4/7"),
    ("softmax_rows(A, base=2)", "1/3 2/3; 1/3 2/3"),
    ('softmax_rows(log(A), empty="error")', "1/3 2/3; 3/7 4/7"),
    ('softmax_rows(keep(A, causal_strict(2, 2)), empty="zeros")', "0 0; 1 0"),
    ('softmax_rows(keep(A, causal_strict(2, 2)), empty="uniform")', "1/2 1/2; 1 0"),
    ("softmax_cols(log(A))", "1/4 1/3; 3/4 2/3"),
    ("softmax_cols(A, base=3)", "1/10 1/10; 9/10 9/10"),
    ('softmax_cols(log(A), empty="error")', "1/4 1/3; 3/4 2/3"),
    ('softmax_cols(keep(A, causal_strict(2, 2)), empty="zeros")', "0 0; 1 0"),
    ('softmax_cols(keep(A, causal_strict(2, 2)), empty="uniform")', "0 1/2; 1 1/2"),
    ("softmax_all(log(A))", "1/10 1/5; 3/10 2/5"),
    ("softmax_all(hstack(1, 2), base=4)", "1/5 4/5"),
    ('softmax_all(log(A), empty="error")', "1/10 1/5; 3/10 2/5"),
    ('softmax_all(keep(A, zeros(2, 2)), empty="zeros")', "0 0; 0 0"),
    ('softmax_all(keep(A, zeros(2, 2)), empty="uniform")', "1/4 1/4; 1/4 1/4"),
    ("normalize(A)", "1/3 2/3; 3/7 4/7"),
    ('normalize(A, axis="rows")', "1/3 2/3; 3/7 4/7"),
    ('normalize(A, axis="columns")', "1/4 1/3; 3/4 2/3"),
    ('normalize(A, axis="all", empty="error")', "1/10 1/5; 3/10 2/5"),
    ('normalize(causal_strict(2, 2), empty="zeros")', "0 0; 1 0"),
    ('normalize(causal_strict(2, 2), empty="uniform")', "1/2 1/2; 1 0"),
    # masks
    ("keep(A, B)", "-inf 2; 3 4"),
    ("keep(A, B, fill=-9)", "-9 2; 3 4"),
    ("causal(3, 3)", "1 0 0; 1 1 0; 1 1 1"),
    ("causal(2, 3, offset=1)", "1 1 0; 1 1 1"),
    ("causal_strict(3, 3)", "0 0 0; 1 0 0; 1 1 0"),
    ("band(3, 3, 1)", "1 1 0; 1 1 1; 0 1 1"),
    ("band(3, 4, 2, 0)", "1 0 0 0; 1 1 0 0; 1 1 1 0"),
    ('links(2, 3, "0-2 1-0")', "0 0 1; 1 0 0"),
    ('global_tokens(3, 4, "1 3")', "0 1 0 1; 1 1 1 1; 0 1 0 1"),
    ("band(3, 3, 0, right=1)", "1 1 0; 0 1 1; 0 0 1"),
    # made of others, or of sizes
    ("hstack(A, c)", "1 2 1; 3 4 2"),
    ("vstack(A, r)", "1 2; 3 4; 10 20"),
    ("hstack(1, x, 3)", "1 1/2 3"),
    ("zeros(1, 2)", "0 0"), ("ones(2, 1)", "1; 1"), ("identity(2)", "1 0; 0 1"),
    ("rows(hstack(A, c))", "2"), ("cols(hstack(A, c))", "3"),
    ("arange(2, 5)", "2 3 4"), ("arange(-1, 1)", "-1 0"),
    ("rotation(pi / 6)", f"{HALF_ROOT_3} -1/2; 1/2 {HALF_ROOT_3}"),
    ("rotation(pi / 2) @ vstack(1, 0)", "0; 1"),
    # positions: angles of π, so that sines and cosines are known
    ("sinusoidal(2, 4)", f"0 1 0 1; {SIN_1} {COS_1} 0.009999833334166… 0.999950000416665…"),
    ("sinusoidal(1, 4, base=4, start=pi)", "0 -1 1 0"),
    ("sinusoidal(1, 3, base=8, start=2 * pi)", "0 1 1"),
    ('sinusoidal(1, 4, base=4, start=pi, layout="interleaved")', "0 -1 1 0"),
    ('sinusoidal(1, 4, base=4, start=pi, layout="concatenated")', "0 1 -1 0"),
    ('sinusoidal(1, 2, base=4, start=2 * pi / 3, exponent="2i/d")', f"{HALF_ROOT_3} -1/2"),
    ('sinusoidal(1, 2, base=4, start=2 * pi / 3, exponent="j/d")', f"{HALF_ROOT_3} 1/2"),
    ('sinusoidal(1, 2, base=4, start=4 * pi / 3, exponent="2j/d")', f"-{HALF_ROOT_3} 1/2"),
    ('sinusoidal(1, 4, base=4, start=4 * pi / 3, exponent="i/(d/2-1)")', f"-{HALF_ROOT_3} -1/2 {HALF_ROOT_3} 1/2"),
    ("turn(hstack(1, 0, 0, 1), hstack(0, 3/5), hstack(1, 4/5))", "0 1 -4/5 3/5"),
    ('turn(hstack(1, 0, 0, 1), hstack(0, 3/5), hstack(1, 4/5), layout="interleaved")', "0 1 -4/5 3/5"),
    ('turn(hstack(1, 0, 0, 1), hstack(0, 3/5), hstack(1, 4/5), layout="halves")', "0 -4/5 1 3/5"),
    ("rope(vstack(hstack(1, 0), hstack(1, 0)))", f"1 0; {COS_1} {SIN_1}"),
    ("rope(hstack(1, 2, 3, 4), base=4, start=pi)", "-1 -2 -4 3"),
    ('rope(hstack(1, 2, 3, 4), base=4, start=pi, layout="interleaved")', "-1 -2 -4 3"),
    ('rope(hstack(1, 2, 3, 4), base=4, start=pi, layout="halves")', "-1 -4 -3 2"),
    ("alibi(2, 3, 1/2)", "0 1/2 1; -1/2 0 1/2"),
    ('alibi(2, 3, 1/2, sides="one")', "0 1/2 1; -1/2 0 1/2"),
    ('alibi(2, 3, 1/2, sides="both")', "0 -1/2 -1; -1/2 0 -1/2"),
    ("alibi_slopes(2)", "1/16 1/256"),
    ("alibi_slopes(3)", "1/16 1/256 1/4"),
    # norms
    ("layer_norm(hstack(0, 2))", "-0.999995000037499… 0.999995000037499…"),
    ("layer_norm(A, eps=0)", "-1 1; -1 1"),
    ("layer_norm(A, gamma=r, beta=1, eps=0)", "-9 21; -9 21"),
    ("layer_norm(hstack(0, 2), eps=3)", "-1/2 1/2"),
    ('layer_norm(hstack(0, 2), eps=3, eps_in="variance")', "-1/2 1/2"),
    ('layer_norm(hstack(0, 2), eps=3, eps_in="std")', "-1/4 1/4"),
    ("layer_norm(hstack(0, 2), eps=0, ddof=1)", f"-{HALF_ROOT_2} {HALF_ROOT_2}"),
    ('layer_norm(A, eps=0, axis="rows")', "-1 1; -1 1"),
    ('layer_norm(A, eps=0, axis="columns")', "-1 -1; 1 1"),
    ('layer_norm(A, eps=1, axis="all")', "-1 -1/3; 1/3 1"),
    ("rms_norm(hstack(3, 4))", "0.848528137423857… 1.131370849898476…"),
    ("rms_norm(hstack(1, 7), gamma=r)", "2 28"),
    ("rms_norm(hstack(1, 7), eps=11)", "1/6 7/6"),
    ('rms_norm(vstack(1, 7), axis="rows")', "1; 1"),
    ('rms_norm(vstack(1, 7), axis="columns")', "1/5; 7/5"),
    ('rms_norm(vstack(hstack(1, 1), hstack(7, 7)), axis="all")', "1/5 1/5; 7/5 7/5"),
    # ids, choices, running sums
    ("lookup(A, hstack(1, 0, 1))", "3 4; 1 2; 3 4"),
    ("lookup([10, 20, 30], [[0, 1], [2, 2]])", "10 20; 30 30"), ("lookup(c, A - 1 - 2 * (A > 2))", "1 2; 1 2"),
    ("one_hot(hstack(2, 0), 3)", "0 0 1; 1 0 0"),
    ("one_hot(hstack(2, -1), 3, ignore=-1)", "0 0 1; 0 0 0"),
    ("pick(A, hstack(0, 1))", "1; 4"),
    ("cross_entropy(P, hstack(1, 0))", "1.039720770839917…"),
    ("cross_entropy(P, hstack(1, 0), base=2)", "3/2"),
    ("argmax_rows(vstack(hstack(1, 3, 3), hstack(5, 4, 0)))", "1; 0"),
    ("sort_rows(B)", "1 0; 2 -1"),
    ("order_rows(hstack(1, 3, 2, 3), 3)", "1 3 2"),
    ("flat(B)", "0 1 -1 2"),
    ("best(hstack(B, B), 3)", "2; 2; 1"),
    ("best_rows(hstack(B, B), 3)", "1; 1; 0"),
    ("best_columns(hstack(B, B), 3)", "1; 3; 1"),
    ("cumsum_rows(A)", "1 3; 3 7"),
    # shorthands
    ("sum(A)", "10"), ("max(B)", "2"), ("min(B)", "-1"), ("std(hstack(1, 3))", "1"),
    ("std(hstack(1, 3), ddof=1)", "1.414213562373095…"),
    ("norm(hstack(3, 4))", "5"), ('norm([[3, 4], [5, 12]], axis="rows")', "5; 13"),
    ('norm([[3, 5], [4, 12]], axis="columns")', "5 13"),
    ('norm(hstack(3, 4), axis="all")', "5"),
    ("logsumexp(hstack(ln(2), ln(3)))", "1.609437912434100…"),
    ('logsumexp(log(A), axis="rows")', "1.098612288668109…; 1.945910149055313…"),
    ('logsumexp(log(A), axis="columns")', "1.386294361119890… 1.791759469228055…"),
    ('logsumexp(log(A), axis="all")', "2.302585092994045…"),
    ("xlogy(hstack(0, 2), hstack(0, 3))", "0 2.197224577336219…"),
    ("entropy([[1, 0], [1/2, 1/2]])", "0; 0.693147180559945…"),
    ('entropy([[1, 0], [1/2, 1/2]], axis="rows")', "0; 0.693147180559945…"),
    ('entropy([[1, 1/4], [0, 1/4]], axis="columns", base=2)', "0 1"),
    ('entropy([[1, 0], [1/2, 1/2]], 2, axis="all")', "1"),
    ("softplus(hstack(0, ln(3)))", "0.693147180559945… 1.386294361119890…"),
    ("leaky_relu(B)", "0 1; -1/100 2"), ("leaky_relu(B, slope=1/4)", "0 1; -1/4 2"),
    ("sign(B)", "0 1; -1 1"), ("clip(A, 2, 3)", "2 2; 3 3"),
    ("where(A > 2, A, 0)", "0 0; 3 4"), ("where(A > 2, r, B)", "0 1; 10 20"), ("where(B, 1, -inf)", "-inf 1; 1 1"),
    ("where(x > 0, A, B)", "1 2; 3 4"),
    ("dot(r, c)", "50"), ("dot(c, c)", "5"), ("dot(A, B)", "-2 5; -4 11"), ("outer(c, r)", "10 20; 20 40"),
    ("diag(A)", "1 4"), ("diag(c)", "1 0; 0 2"), ("diag(hstack(A, c))", "1 4"), ("trace(A)", "5"),
    ("det(A)", "-2"), ("inverse(A)", "-2 1; 3/2 -1/2"), ("inverse(x)", "2"),
    ("tril(A)", "1 0; 3 4"), ("tril(ones(2, 3), k=1)", "1 1 0; 1 1 1"), ("triu(A)", "1 2; 0 4"),
    ("triu(ones(2, 3), k=1)", "0 1 1; 0 0 1"),
    ("argmax(r)", "1"), ("argmax(c)", "1"), ("cumsum(r)", "10 30"), ("cumsum(c)", "1; 3"),
    ("det([[1, 2, 0], [0, 1, 3], [2, 0, 1]])", "13"), ("inverse([[1, 1, 0], [0, 1, 1], [0, 0, 1]])", "1 -1 1; 0 1 -1; 0 0 1"),
    ("solve(A, c)", "0; 1/2"), ("solve(A, B)", "-1 0; 1/2 1/2"), ("solve(x, r)", "20 40"),
    ("prod(A)", "24"), ("prod(x)", "1/2"), ("row_prod(A)", "2; 12"), ("col_prod(A)", "3 8"),
    ("cumprod_rows(A)", "1 2; 3 12"), ("cumprod(r)", "10 200"), ("cumprod(c)", "1; 2"),
    ("any(B < -1)", "0"), ("any(B)", "1"), ("row_any(B > 1)", "0; 1"), ("col_any(B < 0)", "1 0"),
    ("all(A)", "1"), ("all(B)", "0"), ("row_all(B)", "0; 1"), ("col_all(B)", "0 1"),
    ("argmin_rows(vstack(hstack(3, 1, 1), hstack(5, 4, 0)))", "1; 2"), ("argmin(c)", "0"), ("argmin(-r)", "1"),
    ("argsort_rows(vstack(hstack(3, 1, 3, 1), hstack(0, 2, 1, 4)))", "1 3 0 2; 0 2 1 3"),
    ("argsort(-r)", "1 0"), ("argsort(c)", "0; 1"),
    ("repeat(A, down=2)", "1 2; 1 2; 3 4; 3 4"), ("repeat(A, across=2)", "1 1 2 2; 3 3 4 4"),
    ("tile(A, down=2)", "1 2; 3 4; 1 2; 3 4"), ("tile(r, across=2)", "10 20 10 20"),
    ("roll(hstack(A, B), across=1)", "1 1 2 0; 2 3 4 -1"), ("roll(vstack(A, r), down=-1)", "3 4; 10 20; 1 2"),
    ("roll(hstack(r, 30), by=1)", "30 10 20"), ("roll(vstack(c, 3), by=-1)", "2; 3; 1"),
    ("top_k(hstack(1, 3, 2), 2)", "0 1 1"),
    ("top_k(hstack(2, 2, 2), 1)", "1 0 0"),
    ("top_p(hstack(1/4, 1/2, 1/8, 1/8), 3/4)", "1 1 0 0"),
    ("top_p(hstack(1/4, 1/2, 1/8, 1/8), 0.8)", "1 1 1 0"),
]  # fmt: skip
EIGHTHS = [Decimal(k) / 8 for k in (1, -1, 3, 4)]
ROUNDED = [
    (
        f'round(hstack({", ".join(map(str, EIGHTHS))}), 2, mode="{mode}")',
        " ".join(str(Fraction(x.quantize(Decimal("0.01"), rounding=how))) for x in EIGHTHS),
    )
    for mode, how in DECIMAL_MODES.items()
]
ALL = [*FORMS, *FUNCTIONS, *ROUNDED]


def table(written: str) -> list[list[str]]:
    return [row.split() for row in written.split(";")]


def result(formula: str, **how):
    return solve(load({"given": GIVEN, "steps": {"result": formula}}), **how)["result"]


@for_each(("formula", "value"), ALL, quick=60)
def test_the_value_is_the_one_worked_by_hand(formula, value):
    step, expected = result(formula), table(value)
    assert step.shape == (len(expected), len(expected[0]))
    exact = step.fractions()
    for i, row in enumerate(expected):
        for j, entry in enumerate(row):
            if entry.endswith("…"):
                digits = len(entry.split(".")[1]) - 1
                assert step.decimals(digits, "truncate")[i][j] + "…" == entry
                assert exact[i][j] is None
            elif entry.endswith("inf"):
                assert step.decimals(1)[i][j] == entry
            else:
                assert exact[i][j] == Fraction(entry)


TRANSLATED = {
    "np.exp(A) / np.sum(np.exp(A), axis=-1, keepdims=True)": "exp(A) / row_sum(exp(A))",
    "torch.softmax(A, dim=-1)": "softmax(A)",
    "F.softmax(A, dim=0)": 'softmax(A, axis="columns")',
    "log_softmax(A, dim=-1)": "log(softmax(A))",
    "torch.matmul(A, B)": "A @ B",
    "np.multiply(A, B)": "A * B",
    "np.transpose(A)": "A.T",
    "max(0, A)": "maximum(0, A)",
    "max(A, B, 3)": "maximum(maximum(A, B), 3)",
    "np.max(A, axis=1)": "row_max(A)",
    "A + mean(A, axis=0)": "A + col_mean(A)",
    "concat(A, c)": "hstack(A, c)",
    "np.concatenate((A, B), axis=0)": "vstack(A, B)",
    "torch.cat([A, c], dim=-1)": "hstack(A, c)",
    "np.zeros((2, 3))": "zeros(2, 3)",
    "np.arange(3)": "arange(0, 3)",
    "np.mod(A, 3)": "A % 3",
    "torch.remainder(A, 3)": "A % 3",
    "np.floor_divide(A, 3)": "A // 3",
    "torch.var(A, dim=1)": "row_var(A, ddof=1)",
    "masked_fill(A, B == 0, -1e9)": "keep(A, B != 0, fill=-1e9)",
    "torch.clamp(A, min=2, max=3)": "clip(A, low=2, high=3)",
    "np.argmax(A, axis=1)": "argmax_rows(A)",
    "np.cumsum(A, axis=0)": "cumsum_rows(A.T).T",
    "np.prod(A, axis=0)": "col_prod(A)",
    "A.prod()": "prod(A)",
    "np.cumprod(A, axis=0)": "cumprod_rows(A.T).T",
    "np.argmin(A, axis=1)": "argmin_rows(A)",
    "np.argsort(A, axis=-1)": "argsort_rows(A)",
    'np.argsort(A, axis=0, kind="stable")': "argsort_rows(A.T).T",
    "torch.argsort(A, dim=1, descending=True)": "order_rows(A, cols(A))",
    "np.any(A > 3, axis=1)": "row_any(A > 3)",
    "torch.all(A, dim=0)": "col_all(A)",
    "np.repeat(A, 2, axis=0)": "repeat(A, down=2)",
    "A.repeat(2, axis=1)": "repeat(A, across=2)",
    "np.repeat(A, 2)": "repeat(flat(A), across=2)",
    "torch.repeat_interleave(A, 2, dim=0)": "repeat(A, down=2)",
    "np.tile(A, (2, 3))": "tile(A, down=2, across=3)",
    "np.tile(A, 2)": "tile(A, across=2)",
    "A.tile(2, 3)": "tile(A, down=2, across=3)",
    "np.roll(r, 1)": "roll(r, by=1)",
    "np.roll(A, 1, axis=0)": "roll(A, down=1)",
    "np.roll(A, -1, 1)": "roll(A, across=-1)",
    "torch.roll(A, shifts=1, dims=0)": "roll(A, down=1)",
    "np.linalg.inv(A)": "inverse(A)",
    "torch.linalg.solve(A, c)": "solve(A, c)",
    "np.linalg.det(A)": "det(A)",
    "F.cross_entropy(A, [0, 1])": "cross_entropy(softmax(A), hstack(0, 1))",
}


@for_each(("typed", "ours"), TRANSLATED.items())
def test_what_libraries_call_it_is_read_in_our_words(typed, ours):
    assert parse(typed) == parse(ours)


REFUSED = {
    "concatenate([A, B])": "hstack(A, B) to put the matrices side by side,",
    "inverse(ones(5, 5))": "5 × 5",
    "inverse(ones(2, 3))": "a square matrix",
    "inverse([[1, 2, 3], [4, 5, 6], [7, 8, 9]])": "division by zero: det",
    "solve(A, r)": "did you mean solve(A, r.T) (2 × 1)?",
    "solve(A, ones(3, 1))": "expected 2 rows",
    "prod(ones(17, 17))": "at most 256 entries",
    "cumprod_rows(ones(1, 49))": "at most 48 columns",
    "cumprod(A)": "cumprod_rows(A)",
    "argsort(A)": "argsort_rows(A)",
    "roll(A, 1)": "down=1 moves its rows",
    "inverse(inverse(inverse(inverse(inverse(inverse(inverse(inverse(A))))))))": "at most 100,000 operations",
    "A.repeat(2)": "tile(A, across=2)",
    "repeat(A, 2, 3)": "down= (for rows) or across=",
    "repeat(A, down=0)": "of at least 1;",
    "tile(A, down=5000)": "at most 4,096 rows",
    "np.roll(A, 1)": "down=1 moves its rows",
    "outer(A, r)": "two vectors",
    "argmax(A)": "argmax_rows(A)",
    "lookup(A, [[0, 1], [1, 0]])": "single row or column",
    "[[1, 2], [3]]": "a row has 1 entry",
    "[]": "at least one row",
    "[[[1]]]": "two dimensions",
    "F.normalize(A)": 'A / norm(A, axis="rows")',
    "A is B": "operators 'is' and 'in'",
    "A % 0": "division by zero",
    "inverse([[1, 2], [2, 4]])": "division by zero",
    "softmax(A, dim=3)": '"columns"',
}


@for_each(("formula", "said"), REFUSED.items())
def test_what_cannot_be_meant_is_refused_with_what_can_be(formula, said):
    with pytest.raises(AttncalcError) as error:
        result(formula)
    assert said in str(error.value)


def test_equal_numbers_are_equal_by_proof():
    """Which float64 does not see: sqrt(2) ** 2 is 2, and sin of π/6 a half."""
    assert result("hstack(sqrt(2) ** 2, sin(pi / 6), exp(ln(3))) == hstack(2, 1/2, 3)").decimals(0) == [["1", "1", "1"]]


@for_each(("other", "own"), ALIASES.items())
def test_a_function_goes_by_the_name_that_the_field_gives_it(other, own):
    called = [(formula, value) for formula, value in FUNCTIONS if formula.startswith(f"{own}(")]
    assert called and other not in functions()
    for formula, _ in called:
        assert result(formula.replace(f"{own}(", f"{other}(", 1)).formula == result(formula).formula


UNSEEN = {"exp(ln(3)) > 3"}  # float64 finds 3.0000000000000004 on the left


@for_each(("formula", "value"), [one for one in ALL if one[0] not in UNSEEN], quick=60)
def test_float64_finds_the_same(formula, value):
    expected = [[float(Fraction(x.rstrip("…"))) if "inf" not in x else float(x) for x in row] for row in table(value)]
    assert np.allclose(result(formula, arithmetic="floating").value, expected, rtol=1e-12, atol=1e-14)


@for_each("formula", [formula for formula, _ in ALL], quick=80, ci=True)
def test_a_formula_written_out_again_is_the_same_formula(formula):
    tree = parse(formula)
    assert parse(unparse(tree)) == tree


# -- nothing is left out -----------------------------------------------------------------------------------------------


def parts_of(tree: Tree):
    yield tree
    for part in children(tree):
        yield from parts_of(part)


PARTS = [part for formula, _ in ALL for part in parts_of(parse(formula))]


def test_every_kind_of_formula_stands_in_the_table():
    assert {type(part) for part in PARTS} == {Number, Name, Text, Negate, Binary, Transpose, Index, Call}
    assert {part.operator for part in PARTS if isinstance(part, Binary)} == {*OPERATORS.values(), *COMPARISONS}
    places = [place for part in PARTS if isinstance(part, Index) for place in (part.rows, part.columns)]
    assert {type(place) for place in places} >= {Slice, Number, Text, Negate, type(None)}


def given_parameters() -> set[tuple[str, str]]:
    """What the table's calls give: each function's parameters, and its words as `axis="rows"`."""
    given: set[tuple[str, str]] = set()
    for call in PARTS:
        if isinstance(call, Call):
            named = dict(zip((p.name for p in functions()[call.function].parameters), call.arguments)) | dict(
                call.options
            )
            given |= {(call.function, name) for name in named}
            given |= {
                (call.function, f"{name}={unparse(value)}") for name, value in named.items() if isinstance(value, Text)
            }
    return given


def test_every_function_stands_in_the_table():
    assert {call.function for call in PARTS if isinstance(call, Call)} == set(functions())


def test_every_parameter_and_every_word_stands_in_the_table():
    needed = {(f.name, p.name) for f in functions().values() for p in f.parameters}
    needed |= {(f.name, f'{p.name}="{word}"') for f in functions().values() for p in f.parameters for word in p.words}
    assert needed - given_parameters() == set()


# -- the same by place and by name, and defaults that say themselves ---------------------------------------------------


@for_each(
    ("one", "other"),
    [
        ("softmax(A=A)", "softmax(A)"),
        ('softmax(A, "columns")', 'softmax(A, axis="columns")'),
        ("causal(2, 2, 0)", "causal(2, 2)"),
        ("band(n=3, m=3, left=1)", "band(3, 3, 1)"),
        ("layer_norm(A)", 'layer_norm(A, gamma=1, beta=0, eps=1e-5, ddof=0, eps_in="variance", axis="rows")'),
        ("keep(A, B)", "keep(A, B, fill=-inf)"),
        ("row_var(A, 1)", "row_var(A, ddof=2 - 1)"),
        ("rope(A)", 'rope(A, 10000, 0, "interleaved")'),
        ("softmax(A)", "softmax(A, base=e)"),
    ],
)
def test_two_ways_to_write_one_thing(one, other):
    assert result(one).decimals(12) == result(other).decimals(12)


@for_each(
    "formula",
    [
        "softmax(keep(A, causal_strict(2, 2)))",
        "normalize(causal_strict(2, 2))",
        "log(B)",
        "A / B",
        "A // B",
        "A % B",
        "arange(2, 2)",
    ],
)
def test_what_has_no_value_is_an_error(formula):
    with pytest.raises(AttncalcError):
        result(formula).decimals()


@for_each(
    ("shape", "rows", "columns", "place", "name"),
    [
        ((1, 1), None, None, (0, 0), "S"),
        ((2, 2), None, None, (1, 0), "S[2, 1]"),
        ((2, 2), ("the", "cat"), None, (1, 0), "S[cat, 1]"),
        ((2, 2), ("the", "the"), ("a", "b"), (1, 0), "S[2, a]"),
        ((1, 2), None, ("a", "b"), (0, 1), "S[b]"),
        ((2, 1), ("x" * 30 + "a", "x" * 30 + "b"), None, (1, 0), "S[2]"),
        ((2, 1), ("x" * 30, "y"), None, (0, 0), f"S[{'x' * 23}…]"),
    ],
)
def test_an_entry_is_named_by_labels_that_tell_it_from_others(shape, rows, columns, place, name):
    assert "S" + entry_place(shape, rows, columns, *place) == name


@pytest.mark.parametrize("formula, sums", [("layer_norm(X)", 2), ("row_var(X)", 2), ("row_mean(X) + row_mean(X)", 2)])
def test_what_a_definition_says_twice_is_worked_out_once(formula, sums):
    """The mean in a layer norm is that of its variance. What an author writes twice stays two formulas."""
    found, stack = {}, [check(parse(formula), lambda name, at: op.Ref(name, (2, 3), name=name))]
    while stack:
        node = stack.pop()
        found[id(node)] = node
        stack += node.args
    assert sum(one.word == "row_sum" for one in found.values()) == sums
