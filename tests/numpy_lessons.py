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


# -- before the Transformer --------------------------------------------------------------------------------------------------


def additive(g):
    """Bahdanau et al. 2015: e_ij = v · tanh(W_s s_i + W_h h_j), pair by pair."""
    S = np.array([[np.tanh(s @ g["W_s"] + h @ g["W_h"] + g["b"][0]) @ g["v"][0] for h in g["h"]] for s in g["s"]])
    return {"S": S, "A": softmax(S), "Z": softmax(S) @ g["h"]}


def multiplicative(g, weights=True):
    """Luong et al. 2015: s W_a h, then tanh(W_c [c; s])."""
    S = g["s"] @ (g["W_a"] if weights else np.eye(g["s"].shape[1])) @ g["h"].T
    Z = softmax(S) @ g["h"]
    return {"S": S, "Z": Z, "attended": np.tanh(np.hstack([Z, g["s"]]) @ g["W_c"])}


# -- adapters, experts, shortcuts, updates -----------------------------------------------------------------------------------


def lora(g):
    Y = g["X"] @ (g["W"] + g["alpha"] / g["A"].shape[1] * g["A"] @ g["B"])
    return {"Y": Y, "trained": g["A"].size + g["B"].size}


def experts(g, k, kept=True):
    """Token by token: its k best experts, their gates, and their ReLU networks."""
    P = softmax(g["X"] @ g["W_g"])
    count = P.shape[1]
    Y, load = [], np.zeros(count)
    for x, p in zip(g["X"], P, strict=True):
        best = sorted(range(count), key=lambda e: -p[e])[:k]
        load[best] += 1
        below = p[best].sum() if kept else 1
        Y.append(sum(p[e] / below * (np.maximum(x @ g[f"W_1_{e + 1}"], 0) @ g[f"W_2_{e + 1}"]) for e in best))
    return {"Y": np.array(Y), "balance": count * (load / load.sum()) @ P.mean(axis=0)}


def speculative(g):
    ids = g["ids"].astype(int)
    p, q = (np.array([row[i] for row, i in zip(g[name], ids, strict=True)])[:, None] for name in "pq")
    accept = np.minimum(1, p / q)
    left = np.clip(g["p"] - g["q"], 0, None)
    total = left.sum(axis=1, keepdims=True)
    return {
        "accept": accept, "accepted": (g["u"][:, None] < accept).astype(float), "recovered": g["p"],
        "residual": np.divide(left, total, out=np.zeros_like(left), where=total > 0),
    }  # fmt: skip


def quantised(X, bits=8, axis=None, affine=False):
    keep = {"axis": axis, "keepdims": True}
    if affine:
        low, high = np.minimum(X.min(**keep), 0), np.maximum(X.max(**keep), 0)
        step = (high - low) / (2**bits - 1)
        zero = np.rint(-low / step)
        whole = np.clip(np.rint(X / step) + zero, 0, 2**bits - 1)
        return {"whole": whole, "error": (whole - zero) * step - X}
    step = abs(X).max(**keep) / (2 ** (bits - 1) - 1)
    return {"whole": np.rint(X / step), "error": np.rint(X / step) * step - X}


def adam(theta, gradients, lr=0.001, beta_1=0.9, beta_2=0.999, eps=1e-8, decay="none", weight_decay=0.01, first=1):
    """Kingma and Ba 2015, Loshchilov and Hutter 2019, as in torch.optim."""
    m = v = np.zeros_like(theta)
    for t, g in enumerate(gradients, first):
        if decay == "decoupled":
            theta = theta * (1 - lr * weight_decay)
        if decay == "l2":
            g = g + weight_decay * theta
        m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
        theta = theta - lr * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return theta


def patches(images, side):
    """Cut by reshaping: (channels, H, W) to (patches, channels · side²)."""
    c, height, width = images.shape
    cut = images.reshape(c, height // side, side, width // side, side)
    return cut.transpose(1, 3, 0, 2, 4).reshape(-1, c * side * side)
