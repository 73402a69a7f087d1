"""The same mathematics written directly in other libraries, with nothing around it: what attncalc is measured against.

Every function takes matrices of its own library and computes from X to the result: no parsing, no printing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import sympy
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

Rows = list[list[str]]  # exact decimals


class Peer(NamedTuple):
    """A library: how a matrix is made of decimal texts, and the two computations."""

    matrix: Callable[[Rows], Any]
    attention: Callable[..., Any]
    encoder: Callable[..., Any] | None = None


# -- python-flint: rational as long as it lasts, then balls ------------------------------------------------------------


def _flint_matrix(rows: Rows) -> fmpq_mat:
    return fmpq_mat([[_fmpq(x) for x in row] for row in rows])


def _fmpq(text: str) -> fmpq:
    whole, _, digits = text.partition(".")
    return fmpq(int(whole + digits), 10 ** len(digits))


def _flint_attention(X: fmpq_mat, W_Q: fmpq_mat, W_K: fmpq_mat, W_V: fmpq_mat, bits: int) -> arb_mat:
    with ctx.workprec(bits):
        Q, K, V = X * W_Q, X * W_K, X * W_V
        S = arb_mat(Q * K.transpose()) / arb(K.ncols()).sqrt()
        A = [_flint_softmax(row[: i + 1]) + [0] * (len(row) - i - 1) for i, row in enumerate(S.tolist())]
        return arb_mat(A) * arb_mat(V)


def _flint_softmax(row: list[arb]) -> list[arb]:
    exponentials = [x.exp() for x in row]
    total = sum(exponentials)
    return [e / total for e in exponentials]


# -- mpmath ------------------------------------------------------------------------------------------------------------


def _mpmath_attention(X: Any, W_Q: Any, W_K: Any, W_V: Any, digits: int) -> Any:
    with mpmath.workdps(digits):
        Q, K, V = X * W_Q, X * W_K, X * W_V
        return _mpmath_weights(Q * K.T / mpmath.sqrt(K.cols), causal=True) * V


def _mpmath_weights(S: Any, causal: bool = False) -> Any:
    A = mpmath.zeros(S.rows, S.cols)
    for i in range(S.rows):
        exponentials = [mpmath.exp(S[i, j]) for j in range(i + 1 if causal else S.cols)]
        total = mpmath.fsum(exponentials)
        for j, e in enumerate(exponentials):
            A[i, j] = e / total
    return A


def _mpmath_encoder(g: dict[str, Any], heads: int, digits: int) -> Any:
    with mpmath.workdps(digits):
        X = g["X"]
        Q, K, V = X * g["W_Q"], X * g["W_K"], X * g["W_V"]
        size = Q.cols // heads
        H = mpmath.zeros(X.rows, Q.cols)
        for h in range(0, Q.cols, size):
            q, k, v = Q[:, h : h + size], K[:, h : h + size], V[:, h : h + size]
            H[:, h : h + size] = _mpmath_weights(q * k.T / mpmath.sqrt(size)) * v
        N = _mpmath_norm(X + H * g["W_O"])
        hidden = N * g["W_1"]
        active = mpmath.matrix(
            [[max(hidden[i, j] + g["b_1"][0, j], 0) for j in range(hidden.cols)] for i in range(hidden.rows)]
        )
        Y = active * g["W_2"]
        Y = mpmath.matrix([[Y[i, j] + g["b_2"][0, j] for j in range(Y.cols)] for i in range(Y.rows)])
        return _mpmath_norm(N + Y)


def _mpmath_norm(X: Any) -> Any:
    eps = mpmath.mpf("1e-5")
    rows = []
    for i in range(X.rows):
        row = list(X[i, :])
        mean = mpmath.fsum(row) / len(row)
        below = mpmath.sqrt(mpmath.fsum((x - mean) ** 2 for x in row) / len(row) + eps)
        rows.append([(x - mean) / below for x in row])
    return mpmath.matrix(rows)


# -- SymPy: exact matrices, evaluated at the end -----------------------------------------------------------------------


def _sympy_matrix(rows: Rows) -> Any:
    return sympy.Matrix([[sympy.Rational(x) for x in row] for row in rows])


def _sympy_attention(X: Any, W_Q: Any, W_K: Any, W_V: Any, digits: int) -> Any:
    Q, K, V = X * W_Q, X * W_K, X * W_V
    S = Q * K.T / sympy.sqrt(K.cols)
    E = sympy.Matrix(S.rows, S.cols, lambda i, j: sympy.exp(S[i, j]) if j <= i else 0)
    A = sympy.Matrix(S.rows, S.cols, lambda i, j: E[i, j] / sum(E[i, :]))
    return (A * V).evalf(digits)


# -- NumPy, float64: no digit of it is proven --------------------------------------------------------------------------


def _numpy_matrix(rows: Rows) -> Any:
    return np.array([[float(x) for x in row] for row in rows])


def _numpy_attention(X: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(K.shape[1])
    return _numpy_softmax(np.where(np.tri(len(S), dtype=bool), S, -np.inf)) @ V


def _numpy_softmax(S: Any) -> Any:
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


def _numpy_encoder(g: dict[str, Any], heads: int) -> Any:
    X = g["X"]
    Q, K, V = X @ g["W_Q"], X @ g["W_K"], X @ g["W_V"]
    size = Q.shape[1] // heads
    parts = []
    for h in range(0, Q.shape[1], size):
        q, k, v = Q[:, h : h + size], K[:, h : h + size], V[:, h : h + size]
        parts.append(_numpy_softmax(q @ k.T / np.sqrt(size)) @ v)
    N = _numpy_norm(X + np.hstack(parts) @ g["W_O"])
    Y = np.maximum(N @ g["W_1"] + g["b_1"], 0) @ g["W_2"] + g["b_2"]
    return _numpy_norm(N + Y)


def _numpy_norm(X: Any) -> Any:
    return (X - X.mean(axis=1, keepdims=True)) / np.sqrt(X.var(axis=1, keepdims=True) + 1e-5)


FLINT = Peer(_flint_matrix, _flint_attention)
MPMATH = Peer(mpmath.matrix, _mpmath_attention, _mpmath_encoder)
SYMPY = Peer(_sympy_matrix, _sympy_attention)
NUMPY = Peer(_numpy_matrix, _numpy_attention, _numpy_encoder)
