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


# -- before the Transformer --------------------------------------------------------------------------------------------


def additive(g):
    """Bahdanau et al. 2015: e_ij = v · tanh(W_s s_i + W_h h_j), pair by pair."""
    S = np.array([[np.tanh(s @ g["W_s"] + h @ g["W_h"] + g["b"][0]) @ g["v"][0] for h in g["h"]] for s in g["s"]])
    return {"S": S, "A": softmax(S), "Z": softmax(S) @ g["h"]}


def multiplicative(g, weights=True):
    """Luong et al. 2015: s W_a h, then tanh(W_c [c; s])."""
    S = g["s"] @ (g["W_a"] if weights else np.eye(g["s"].shape[1])) @ g["h"].T
    Z = softmax(S) @ g["h"]
    return {"S": S, "Z": Z, "attended": np.tanh(np.hstack([Z, g["s"]]) @ g["W_c"])}


# -- adapters, experts, shortcuts, updates -----------------------------------------------------------------------------


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


# -- relative positions ------------------------------------------------------------------------------------------------


def shaw(g):
    """Shaw et al. 2018, pair by pair: e_ij = q_i · (k_j + a_ij) / √d, z_i = Σ α_ij (v_j + b_ij)."""
    (n, d), m, far = g["Q"].shape, len(g["K"]), len(g["P_K"]) // 2
    at = [[max(-far, min(far, j - i)) + far for j in range(m)] for i in range(n)]
    S = np.array([[g["Q"][i] @ (g["K"][j] + g["P_K"][at[i][j]]) / np.sqrt(d) for j in range(m)] for i in range(n)])
    A = softmax(S)
    return {
        "A": A,
        "Z": np.array([sum(A[i, j] * (g["V"][j] + g["P_V"][at[i][j]]) for j in range(m)) for i in range(n)]),
    }


def t5_buckets(n, m, count, furthest, both):
    """Raffel et al. 2020, as in the published program, with logarithms in float64."""
    distance = np.arange(m)[None, :] - np.arange(n)[:, None]
    first = np.zeros_like(distance)
    if both:
        count //= 2
        first = (distance > 0) * count
        distance = abs(distance)
    else:
        distance = -np.minimum(distance, 0)
    near = count // 2
    far = near + (np.log(np.maximum(distance, 1) / near) / np.log(furthest / near) * (count - near) + 1e-9).astype(int)
    return first + np.where(distance < near, distance, np.minimum(far, count - 1))


def speeds(d, scaling, factor, base=10000, trained=2048, slow=1, fast=32):
    """Angles from place to place: Chen et al. 2023 (linear), bloc97 2023 (ntk), Peng et al. 2023 (yarn)."""
    theta = float(base) ** (-2 * np.arange(d // 2) / d)
    if scaling == "linear":
        return theta / factor
    if scaling == "ntk":
        return (base * factor ** (d / (d - 2))) ** (-2 * np.arange(d // 2) / d)
    ramp = np.clip((trained * theta / (2 * np.pi) - slow) / (fast - slow), 0, 1)
    return (1 - ramp) * theta / factor + ramp * theta


# -- latent vectors and states -----------------------------------------------------------------------------------------


def latent(g, count):
    """DeepSeek-V2: every head's keys and values written out, the turned parts joined to the others."""
    c = g["X"] @ g["W_DKV"]
    asked = g["X"] @ g["W_DQ"]
    shared = turned(g["X"] @ g["W_KR"])
    Q, QR = (np.split(asked @ g[name], count, axis=1) for name in ("W_Q", "W_QR"))
    K, V = (np.split(c @ g[name], count, axis=1) for name in ("W_UK", "W_UV"))
    seen = np.tri(len(c), dtype=bool)
    Z = [attend(np.hstack([Q[i], turned(QR[i])]), np.hstack([K[i], shared]), V[i], seen) for i in range(count)]
    return {"Z": np.hstack(Z) @ g["W_O"]}


def retention(g):
    out = [
        sum(g["gamma"] ** (i - j) * (g["Q"][i] @ g["K"][j]) * g["V"][j] for j in range(i + 1))
        for i in range(len(g["Q"]))
    ]
    return {"Z": np.array(out), "Z_parallel": np.array(out)}


def delta_rule(g):
    """Yang et al. 2024: S = S (I − β k kᵀ) + β v kᵀ, written for S as d_v × d_k, and o = S q."""
    S, out = np.zeros((g["V"].shape[1], g["K"].shape[1])), []
    for q, k, v, beta in zip(g["Q"], g["K"], g["V"], g["beta"].ravel(), strict=True):
        S = S @ (np.eye(len(k)) - beta * np.outer(k, k)) + beta * np.outer(v, k)
        out.append(S @ q)
    return {"Z": np.array(out), "Z_parallel": np.array(out)}


def mamba(g):
    """Gu and Dao 2023: feature by feature, state by state."""
    X, A = g["X"], g["A"]
    B, C = (g[name] if name in g else X @ g[f"W_{name}"] for name in "BC")
    step = g["delta"] if "delta" in g else np.log1p(np.exp(X @ g["W_delta"] + g["b_delta"]))
    Y = np.zeros_like(X)
    for d in range(A.shape[0]):
        for k in range(A.shape[1]):
            h = 0.0
            for t in range(len(X)):
                h = np.exp(step[t, d] * A[d, k]) * h + step[t, d] * B[t, k] * X[t, d]
                Y[t, d] += C[t, k] * h
    Y = Y + g.get("D", 0) * X
    return {"Z": Y, "Z_parallel": Y}
