"""Lessons worked out a second time in NumPy, from the papers' formulas: what tests hold the engine's steps against.

Nothing here knows the engine: a function takes a problem's givens as float64 arrays and yields what steps must come to.
"""

from __future__ import annotations

import numpy as np


def softmax(S):
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


def attend(Q, K, V, seen=None):
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(S if seen is None else np.where(seen, S, -np.inf)) @ V


def turned(X, start=0, base=10000, halves=False, speeds=None):
    """RoFormer: pair k of the token at place p is the complex number that e^(ipθ_k) turns."""
    n, d = X.shape
    speeds = base ** (-2 * np.arange(d // 2) / d) if speeds is None else speeds
    pairs = X[:, : d // 2] + 1j * X[:, d // 2 :] if halves else X[:, 0::2] + 1j * X[:, 1::2]
    pairs = pairs * np.exp(1j * np.outer(start + np.arange(n), speeds))
    return np.hstack([pairs.real, pairs.imag]) if halves else np.stack([pairs.real, pairs.imag], axis=2).reshape(n, d)


def heads(X, g, count, kv_count, turn=None):
    """Grouped heads with a causal mask, head by head with keys and values repeated for the queries that share them."""
    turn = turn or (lambda M: M)
    Q, K, V = (np.split(X @ g[f"W_{x}"], k, axis=1) for x, k in (("Q", count), ("K", kv_count), ("V", kv_count)))
    K, V = (np.repeat(np.array(M), count // kv_count, axis=0) for M in (K, V))
    seen = np.tri(len(X), dtype=bool)
    return np.hstack([attend(turn(q), turn(k), v, seen) for q, k, v in zip(Q, K, V, strict=True)]) @ g["W_O"]


def rms(X, gamma, eps=0.0):
    return X / np.sqrt((X**2).mean(axis=1, keepdims=True) + eps) * gamma


def llama_layer(g, count, kv_count, eps=1e-5, **rotary):
    """Touvron et al. 2023: x + attention(rms(x)), then x + W_2(silu(W_gate rms(x)) · W_1 rms(x))."""
    X = g["X"]
    X = X + heads(rms(X, g["gamma_1"], eps), g, count, kv_count, lambda M: turned(M, **rotary))
    normed = rms(X, g["gamma_2"], eps)
    gate = normed @ g["W_gate"]
    return {"Y": X + (gate / (1 + np.exp(-gate)) * (normed @ g["W_1"])) @ g["W_2"]}


def decoded(g, count, kv_count, **rotary):
    return {"Z": heads(g["X"], g, count, kv_count, lambda M: turned(M, **rotary))}
