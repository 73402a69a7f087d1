"""The mistakes of the second simulator: collected from lectures, exercise sheets and forums before the catalogue was
opened.

A mistake is an operation of a lesson done otherwise, written as one would in NumPy. `h` is the hand that works
(second_simulator.py): it has the exponential and the roots, and `h.num` makes a number of its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Matrix = Any  # a NumPy array of float64, float32 or Decimal


class Mistake(NamedTuple):
    """`operation` (a name in second_simulator.RIGHT) is done as `done` does it; `lessons` are where people do it."""

    name: str
    lessons: str
    operation: str
    done: Callable[..., Any]


def weights(h: Any, e: Matrix) -> Matrix:
    return e / e.sum(axis=1, keepdims=True)


def shifted(keep: Matrix, by: int) -> Matrix:
    """A causal mask that lets `by` more (or fewer) tokens in."""
    n, m = keep.shape
    return np.arange(m)[None, :] <= np.arange(n)[:, None] + by


def one_more_seen(h: Any, s: Matrix, keep: Matrix) -> Matrix:
    seen = keep.copy()
    row = int(np.argmin(keep.all(axis=1)))
    seen[row, int(np.argmin(keep[row]))] = True
    return np.where(seen, s, h.minus_infinity)


def swapped_pairs(t: Matrix) -> Matrix:
    out = t.copy()
    width = t.shape[1] // 2 * 2
    out[:, 0:width:2], out[:, 1:width:2] = t[:, 1:width:2], t[:, 0:width:2]
    return out


def halves(t: Matrix) -> Matrix:
    return np.concatenate([t[:, 0::2], t[:, 1::2]], axis=1)


def largest_only(h: Any, s: Matrix) -> Matrix:
    out = np.full(s.shape, h.num(0))
    for i, row in enumerate(s):
        out[i, int(np.argmax(row))] = h.num(1)
    return out


ATTENDING = "attention self_attention cross_attention multi_head_attention cached_attention"
PROJECTING = "self_attention cross_attention multi_head_attention cached_attention"
NORMS = "layer_norm rms_norm"

MISTAKES = (
    # projections
    Mistake(
        "weights transposed",
        PROJECTING,
        "project",
        lambda h, x, w, b: x @ w.T + b if w.shape[0] == w.shape[1] else None,
    ),
    Mistake("bias left out", PROJECTING, "project", lambda h, x, w, b: x @ w),
    Mistake("bias subtracted", PROJECTING, "project", lambda h, x, w, b: x @ w - b),
    Mistake("Q and K swapped", PROJECTING, "roles", lambda h, q, k, v: (k, q, v) if q.shape == k.shape else None),
    Mistake("K and V swapped", PROJECTING, "roles", lambda h, q, k, v: (q, v, k) if v.shape == k.shape else None),
    Mistake("no projection of V", PROJECTING, "value", lambda h, x, w, b: x if w.shape[0] == w.shape[1] else None),
    Mistake(
        "entry by entry projection", PROJECTING, "project", lambda h, x, w, b: x * w + b if x.shape == w.shape else None
    ),
    # scores
    Mistake("K Q transposed", ATTENDING, "scores", lambda h, q, k: k @ q.T if len(q) == len(k) else None),
    Mistake(
        "K not transposed",
        ATTENDING,
        "scores",
        lambda h, q, k: q @ k if q.shape == k.shape and len(k) == k.shape[1] else None,
    ),
    Mistake(
        "features compared, Q transposed K",
        ATTENDING,
        "scores",
        lambda h, q, k: q.T @ k if len(k) == k.shape[1] == len(q) else None,
    ),
    Mistake(
        "entry by entry scores",
        ATTENDING,
        "scores",
        lambda h, q, k: q * k if q.shape == k.shape and len(k) == k.shape[1] else None,
    ),
    Mistake("Q with itself", ATTENDING, "scores", lambda h, q, k: q @ q.T if len(q) == len(k) else None),
    Mistake("K with itself", ATTENDING, "scores", lambda h, q, k: k @ k.T if len(q) == len(k) else None),
    # scale
    Mistake("scale forgotten", ATTENDING, "scale", lambda h, s, root: s),
    Mistake("divided by d_k, not its root", ATTENDING, "scale", lambda h, s, root: s / h.num(h.facts["d_k"])),
    Mistake(
        "divided by the root of d_model", ATTENDING, "scale", lambda h, s, root: s / h.sqrt(h.num(h.facts["d_model"]))
    ),
    Mistake(
        "divided by the root of the number of tokens",
        ATTENDING,
        "scale",
        lambda h, s, root: s / h.sqrt(h.num(s.shape[1])),
    ),
    Mistake("multiplied by the root", ATTENDING, "scale", lambda h, s, root: s * root),
    Mistake("scaled after the softmax", ATTENDING, "late_scale", lambda h, root: root),
    # masks
    Mistake("mask forgotten", ATTENDING, "mask", lambda h, s, keep: s),
    Mistake(
        "diagonal masked too", ATTENDING, "mask", lambda h, s, keep: np.where(shifted(keep, -1), s, h.minus_infinity)
    ),
    Mistake(
        "the next token seen", ATTENDING, "mask", lambda h, s, keep: np.where(shifted(keep, 1), s, h.minus_infinity)
    ),
    Mistake("one token of the future seen", ATTENDING, "mask", one_more_seen),
    Mistake("mask upside down", ATTENDING, "mask", lambda h, s, keep: np.where(keep, h.minus_infinity, s)),
    Mistake("mask transposed", ATTENDING, "mask", lambda h, s, keep: np.where(keep.T, s, h.minus_infinity)),
    Mistake("masked with 0", ATTENDING, "mask", lambda h, s, keep: np.where(keep, s, h.num(0))),
    Mistake("masked with -1", ATTENDING, "mask", lambda h, s, keep: np.where(keep, s, h.num(-1))),
    Mistake(
        "weights put to 0, rows not divided again",
        ATTENDING,
        "weights_masked",
        lambda h, a, keep: np.where(keep, a, h.num(0)),
    ),
    # softmax
    Mistake("softmax of columns", ATTENDING, "softmax", lambda h, s: weights(h, h.exp(s).T).T),
    Mistake("softmax of everything", ATTENDING, "softmax", lambda h, s: h.exp(s) / h.exp(s).sum()),
    Mistake(
        "divided by the sum without exponentials", ATTENDING, "softmax", lambda h, s: s / s.sum(axis=1, keepdims=True)
    ),
    Mistake("exponentials not divided", ATTENDING, "softmax", lambda h, s: h.exp(s)),
    Mistake("powers of 2", ATTENDING, "softmax", lambda h, s: weights(h, h.exp(s * h.ln(h.num(2))))),
    Mistake("powers of 10", ATTENDING, "softmax", lambda h, s: weights(h, h.exp(s * h.ln(h.num(10))))),
    Mistake("exponentials of -s", ATTENDING, "softmax", lambda h, s: weights(h, h.exp(-s))),
    Mistake("softmax twice", ATTENDING, "softmax", lambda h, s: weights(h, h.exp(weights(h, h.exp(s))))),
    Mistake("1 at the largest score", ATTENDING, "softmax", largest_only),
    Mistake("sigmoid for softmax", ATTENDING, "softmax", lambda h, s: 1 / (1 + h.exp(-s))),
    Mistake("uniform weights", ATTENDING, "softmax", lambda h, s: np.full(s.shape, h.num(1)) / h.num(s.shape[1])),
    # output
    Mistake("weights transposed before V", ATTENDING, "mix", lambda h, a, v: a.T @ v if len(a) == a.shape[1] else None),
    Mistake("weights times K", ATTENDING, "mixed", lambda h, k, v: k if k.shape == v.shape else None),
    Mistake("V read from below", ATTENDING, "mix", lambda h, a, v: a @ v[::-1]),
    Mistake(
        "mean of V", ATTENDING, "mix", lambda h, a, v: np.repeat(v.sum(axis=0)[None], len(a), axis=0) / h.num(len(v))
    ),
    # heads and cross-attention
    Mistake("heads added", "multi_head_attention", "join", lambda h, heads: sum(heads[1:], heads[0])),
    Mistake(
        "heads averaged", "multi_head_attention", "join", lambda h, heads: sum(heads[1:], heads[0]) / h.num(len(heads))
    ),
    Mistake(
        "heads in the other order", "multi_head_attention", "join", lambda h, heads: np.concatenate(heads[::-1], axis=1)
    ),
    Mistake(
        "W_O left out", "multi_head_attention", "project_out", lambda h, x, w: x if w.shape[0] == w.shape[1] else None
    ),
    Mistake(
        "W_O transposed",
        "multi_head_attention",
        "project_out",
        lambda h, x, w: x @ w.T if w.shape[0] == w.shape[1] else None,
    ),
    Mistake("every head the first", "multi_head_attention", "head", lambda h, i: 0),
    Mistake("columns dealt out in turn", "multi_head_attention", "cut", lambda h, m, i, heads: m[:, i::heads]),
    Mistake("Q from the memory, K and V from X", "cross_attention", "sources", lambda h, x, memory: (memory, x, x)),
    Mistake("everything from X", "cross_attention", "sources", lambda h, x, memory: (x, x, x)),
    Mistake("everything from the memory", "cross_attention", "sources", lambda h, x, memory: (memory, memory, memory)),
    Mistake("V from X", "cross_attention", "sources", lambda h, x, memory: (x, memory, x)),
    # positions
    Mistake("positions counted from 1", "positional_encoding", "places", lambda h, n: range(1, n + 1)),
    Mistake("sine and cosine swapped", "positional_encoding", "table", lambda h, a: swapped_pairs(h.waves(a))),
    Mistake("all sines first", "positional_encoding", "table", lambda h, a: halves(h.waves(a))),
    Mistake("an exponent for each column", "positional_encoding", "exponent", lambda h, j, d: (j, d)),
    Mistake("exponent 2j/d", "positional_encoding", "exponent", lambda h, j, d: (2 * j, d)),
    Mistake("exponent i/d", "positional_encoding", "exponent", lambda h, j, d: (j // 2, d)),
    Mistake("angles in degrees", "positional_encoding", "table", lambda h, a: h.waves(a * h.pi / h.num(180))),
    Mistake("base 1000", "positional_encoding", "base", lambda h: h.num(1000)),
    Mistake("sines only", "positional_encoding", "table", lambda h, a: h.sin(a)),
    Mistake("positions not added", "positional_encoding", "add", lambda h, x, pe: x),
    Mistake("positions multiplied", "positional_encoding", "add", lambda h, x, pe: x * pe),
    # norms
    Mistake(
        "d - 1 in the variance",
        "layer_norm",
        "variance",
        lambda h, x, m: ((x - m) ** 2).sum(axis=1, keepdims=True) / h.num(x.shape[1] - 1),
    ),
    Mistake(
        "variance not divided", "layer_norm", "variance", lambda h, x, m: ((x - m) ** 2).sum(axis=1, keepdims=True)
    ),
    Mistake("divided by the variance", "layer_norm", "normed", lambda h, x, m, v, eps: (x - m) / (v + eps)),
    Mistake("mean not subtracted", "layer_norm", "normed", lambda h, x, m, v, eps: x / h.sqrt(v + eps)),
    Mistake("eps outside the root", "layer_norm", "normed", lambda h, x, m, v, eps: (x - m) / (h.sqrt(v) + eps)),
    Mistake("eps left out", "layer_norm", "normed", lambda h, x, m, v, eps: (x - m) / h.sqrt(v)),
    Mistake(
        "mean of columns",
        "layer_norm",
        "mean",
        lambda h, x: np.resize(x.sum(axis=0) / h.num(len(x)), (len(x), 1)) if len(x) == x.shape[1] else None,
    ),
    Mistake("gamma left out", "layer_norm", "affine", lambda h, y, g, b: y + b),
    Mistake("beta left out", "layer_norm", "affine", lambda h, y, g, b: y * g),
    Mistake("gamma and beta swapped", "layer_norm", "affine", lambda h, y, g, b: y * b + g),
    Mistake("gamma times the sum", "layer_norm", "affine", lambda h, y, g, b: (y + b) * g),
    Mistake("no root of the mean square", "rms_norm", "rms_normed", lambda h, x, m, eps: x / (m + eps)),
    Mistake("sum of squares for their mean", "rms_norm", "mean_square", lambda h, x: (x**2).sum(axis=1, keepdims=True)),
    Mistake(
        "mean subtracted in RMSNorm",
        "rms_norm",
        "rms_normed",
        lambda h, x, m, eps: (x - x.sum(axis=1, keepdims=True) / h.num(x.shape[1])) / h.sqrt(m + eps),
    ),
    Mistake(
        "square of the mean",
        "rms_norm",
        "mean_square",
        lambda h, x: (x.sum(axis=1, keepdims=True) / h.num(x.shape[1])) ** 2,
    ),
    Mistake(
        "mean of absolute values",
        "rms_norm",
        "mean_square",
        lambda h, x: abs(x).sum(axis=1, keepdims=True) / h.num(x.shape[1]),
    ),
    Mistake("gamma left out in RMSNorm", "rms_norm", "stretch", lambda h, y, g: y),
    # feed-forward
    Mistake("ReLU left out", "feed_forward", "active", lambda h, z: z),
    Mistake("first bias left out", "feed_forward", "hidden", lambda h, x, w, b: x @ w),
    Mistake("second bias left out", "feed_forward", "second", lambda h, a, w, b: a @ w),
    Mistake("absolute value for ReLU", "feed_forward", "active", lambda h, z: abs(z)),
    Mistake("ReLU the other way round", "feed_forward", "active", lambda h, z: np.minimum(z, h.num(0))),
    Mistake("sigmoid for ReLU", "feed_forward", "active", lambda h, z: 1 / (1 + h.exp(-z))),
    Mistake("leaky ReLU", "feed_forward", "active", lambda h, z: np.where(z > 0, z, z / h.num(100))),
    Mistake(
        "ReLU after the second layer too", "feed_forward", "second", lambda h, a, w, b: np.maximum(a @ w + b, h.num(0))
    ),
    Mistake(
        "bias before the product",
        "feed_forward",
        "hidden",
        lambda h, x, w, b: (x + b) @ w if b.shape[1] == x.shape[1] else None,
    ),
    # loss
    Mistake("logarithm to base 10", "cross_entropy", "surprise", lambda h, p: -h.ln(p) / h.ln(h.num(10))),
    Mistake("logarithm to base 2", "cross_entropy", "surprise", lambda h, p: -h.ln(p) / h.ln(h.num(2))),
    Mistake("minus forgotten", "cross_entropy", "surprise", lambda h, p: h.ln(p)),
    Mistake("1 - p for -log p", "cross_entropy", "surprise", lambda h, p: 1 - p),
    Mistake("sum for mean", "cross_entropy", "average", lambda h, x: x.sum(keepdims=True)),
    Mistake("targets counted from 1", "cross_entropy", "target", lambda h, t, width: t - 1 if min(t) > 0 else None),
    Mistake("probability of the largest word", "cross_entropy", "pick", lambda h, p, t: p.max(axis=1, keepdims=True)),
    Mistake("perplexity 2 ** loss", "cross_entropy", "perplexity", lambda h, x: h.exp(x * h.ln(h.num(2)))),
    Mistake("softmax of columns of logits", "cross_entropy", "softmax", lambda h, s: weights(h, h.exp(s).T).T),
    Mistake("powers of 2 in the loss", "cross_entropy", "softmax", lambda h, s: weights(h, h.exp(s * h.ln(h.num(2))))),
    Mistake("no exponentials in the loss", "cross_entropy", "softmax", lambda h, s: s / s.sum(axis=1, keepdims=True)),
    # learning rate
    Mistake("the larger of the two", "learning_rate", "smaller", lambda h, a, b: np.maximum(a, b)),
    Mistake("d_model not under the root", "learning_rate", "rate", lambda h, d, x: x / d),
    Mistake("multiplied by the root of d_model", "learning_rate", "rate", lambda h, d, x: x * h.sqrt(d)),
    Mistake("d_model left out", "learning_rate", "rate", lambda h, d, x: x),
    Mistake("warm-up to the power -1/2", "learning_rate", "rise", lambda h, t, w: t / h.sqrt(w)),
    Mistake("warm-up to the power -1", "learning_rate", "rise", lambda h, t, w: t / w),
    Mistake("step, not its root", "learning_rate", "decay", lambda h, t: 1 / t),
    # cache and decoding
    Mistake("new key not appended", "cached_attention", "append", lambda h, old, new: old),
    Mistake("new key put first", "cached_attention", "append", lambda h, old, new: np.concatenate([new, old])),
    Mistake(
        "last of the cache overwritten",
        "cached_attention",
        "append",
        lambda h, old, new: np.concatenate([old[:-1], new]),
    ),
    Mistake("logits divided by the wrong way of temperature", "next_word", "temper", lambda h, s, t: s * t),
    Mistake("temperature forgotten", "next_word", "temper", lambda h, s, t: s),
    Mistake("word numbered from 1", "next_word", "best", lambda h, p: int(np.argmax(p)) + 1),
    Mistake("first token predicts", "next_word", "last", lambda h, x: x[:1]),
    Mistake("smallest probability chosen", "next_word", "best", lambda h, p: int(np.argmin(p))),
)

# What the catalogue calls them, read off `attncalc mistakes` after the list above was made; a mistake without a line
# here is not in it.
CODES = {
    "weights transposed": "weights-transposed",
    "bias left out": "bias-forgotten",
    "Q and K swapped": "query-key-swapped",
    "K and V swapped": "key-value-swapped",
    "no projection of V": "values-not-projected",
    "K Q transposed": "scores-transposed",
    "K not transposed": "keys-not-transposed",
    "features compared, Q transposed K": "scores-of-features",
    "entry by entry scores": "scores-entry-by-entry",
    "Q with itself": "scores-queries-only",
    "K with itself": "scores-keys-only",
    "scale forgotten": "scale-forgotten",
    "divided by d_k, not its root": "scale-without-root",
    "divided by the root of d_model": "scale-by-root-d-model",
    "divided by the root of the number of tokens": "scale-by-root-n",
    "multiplied by the root": "scale-multiplied",
    "scaled after the softmax": "scale-after-softmax scale-forgotten",
    "mask forgotten": "mask-forgotten",
    "diagonal masked too": "mask-diagonal-too",
    "the next token seen": "mask-one-future-token",
    "one token of the future seen": "mask-one-future-token",
    "mask upside down": "mask-inverted",
    "mask transposed": "mask-transposed",
    "masked with 0": "mask-filled-with-zero",
    "masked with -1": "mask-filled-with-small-number",
    "weights put to 0, rows not divided again": "mask-after-softmax",
    "softmax of columns": "softmax-over-columns",
    "softmax of everything": "softmax-over-everything",
    "divided by the sum without exponentials": "softmax-without-exponential",
    "exponentials not divided": "softmax-not-divided",
    "powers of 2": "softmax-base-2",
    "powers of 10": "softmax-base-10",
    "exponentials of -s": "softmax-of-negatives",
    "softmax twice": "softmax-twice",
    "1 at the largest score": "softmax-all-to-the-largest",
    "sigmoid for softmax": "sigmoid-for-softmax",
    "weights transposed before V": "weights-transposed-in-output",
    "weights times K": "output-of-keys",
    "heads in the other order": "heads-in-wrong-order",
    "W_O left out": "output-projection-forgotten",
    "W_O transposed": "output-projection-transposed",
    "every head the first": "weights-of-head-1",
    "columns dealt out in turn": "heads-interleaved",
    "Q from the memory, K and V from X": "cross-queries-from-encoder",
    "everything from X": "cross-keys-from-decoder",
    "everything from the memory": "cross-queries-from-encoder",
    "V from X": "cross-keys-from-decoder",
    "positions counted from 1": "positions-from-1",
    "sine and cosine swapped": "sine-cosine-swapped",
    "all sines first": "halves-not-interleaved",
    "an exponent for each column": "position-exponent-by-column",
    "exponent 2j/d": "position-exponent-doubled",
    "angles in degrees": "angles-in-degrees",
    "base 1000": "position-base-1000",
    "positions not added": "positions-forgotten",
    "positions multiplied": "positions-multiplied",
    "d - 1 in the variance": "variance-by-n-minus-1",
    "variance not divided": "variance-not-averaged",
    "divided by the variance": "divided-by-variance",
    "mean not subtracted": "mean-not-subtracted",
    "eps left out": "epsilon-forgotten",
    "gamma times the sum": "beta-multiplied-too",
    "mean subtracted in RMSNorm": "mean-subtracted-in-rms-norm",
    "square of the mean": "square-of-the-mean",
    "mean of absolute values": "mean-of-absolute-values",
    "leaky ReLU": "leaky-relu-for-relu",
    "ReLU the other way round": "relu-of-negatives",
    "sigmoid for ReLU": "sigmoid-for-relu",
    "sines only": "sine-in-every-column",
    "exponent i/d": "position-exponent-halved",
    "new key put first": "cache-new-first",
    "eps outside the root": "epsilon-outside-root",
    "mean of columns": "normalised-down-columns",
    "gamma left out": "gamma-forgotten",
    "beta left out": "beta-forgotten",
    "gamma and beta swapped": "gamma-beta-exchanged",
    "no root of the mean square": "divided-by-variance",
    "sum of squares for their mean": "variance-not-averaged",
    "gamma left out in RMSNorm": "gamma-forgotten",
    "ReLU left out": "relu-forgotten",
    "first bias left out": "bias-forgotten",
    "second bias left out": "bias-forgotten",
    "absolute value for ReLU": "relu-as-absolute-value",
    "ReLU after the second layer too": "relu-after-second-layer",
    "logarithm to base 10": "logarithm-base-10",
    "logarithm to base 2": "logarithm-base-2",
    "minus forgotten": "loss-sign",
    "1 - p for -log p": "loss-without-logarithm",
    "sum for mean": "sum-for-mean",
    "perplexity 2 ** loss": "perplexity-base",
    "softmax of columns of logits": "softmax-over-columns",
    "powers of 2 in the loss": "softmax-base-2",
    "no exponentials in the loss": "softmax-without-exponential",
    "the larger of the two": "maximum-for-minimum",
    "d_model not under the root": "width-exponent",
    "multiplied by the root of d_model": "width-exponent",
    "d_model left out": "width-forgotten",
    "warm-up to the power -1/2": "warmup-exponent",
    "warm-up to the power -1": "warmup-exponent",
    "step, not its root": "step-exponent",
    "logits divided by the wrong way of temperature": "temperature-multiplied",
    "temperature forgotten": "temperature-forgotten",
    "targets counted from 1": "targets-from-1",
    "probability of the largest word": "largest-for-target",
    "V read from below": "values-in-reverse",
}
