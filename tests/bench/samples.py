"""The problems that are measured: fixed decimals from a seed, of any size."""

from __future__ import annotations

from random import Random
from typing import Any

Rows = list[list[str]]


def matrix(n: int, m: int, seed: str, spread: int = 10) -> Rows:
    """Decimals of one place between −spread/10 and spread/10."""
    draw = Random(seed)
    return [[f"{draw.randint(-spread, spread) / 10:.1f}" for _ in range(m)] for _ in range(n)]


def attention_givens(tokens: int, width: int, seed: str = "") -> dict[str, Rows]:
    given = {"X": matrix(tokens, width, f"{seed}X")}
    return given | {name: matrix(width, width, f"{seed}{name}") for name in ("W_Q", "W_K", "W_V")}


def attention(tokens: int, width: int, seed: str = "") -> dict[str, Any]:
    """Masked self-attention, X being tokens × width."""
    return {"given": attention_givens(tokens, width, seed), "self_attention": {"mask": "causal"}}


def encoder_givens(tokens: int, width: int, inner: int, layers: int = 1) -> dict[str, Rows]:
    given = {"X": matrix(tokens, width, "X")}
    for k in range(1, layers + 1):
        given |= {f"{name}_l{k}": matrix(width, width, f"{name}{k}") for name in ("W_Q", "W_K", "W_V", "W_O")}
        given |= {f"W_1_l{k}": matrix(width, inner, f"W_1{k}"), f"b_1_l{k}": matrix(1, inner, f"b_1{k}")}
        given |= {f"W_2_l{k}": matrix(inner, width, f"W_2{k}"), f"b_2_l{k}": matrix(1, width, f"b_2{k}")}
    return given


def encoder(tokens: int, width: int, heads: int, inner: int, layers: int = 1) -> dict[str, Any]:
    """Encoder layers with post-norm: attention, Add & Norm, ReLU feed-forward, Add & Norm; the result is
    `out_<layers>`.
    """
    steps: dict[str, Any] = {}
    for k in range(1, layers + 1):
        into = "X" if k == 1 else f"out_{k - 1}"
        weights = {name: f"{name}_l{k}" for name in ("W_Q", "W_K", "W_V", "W_O")}
        steps |= {
            f"attention{k}": {"multi_head_attention": {"X": into, "heads": heads, **weights}},
            f"norm_{k}": f"layer_norm({into} + attention{k}.Z)",
            f"active_{k}": f"relu(norm_{k} @ W_1_l{k} + b_1_l{k})",
            f"out_{k}": f"layer_norm(norm_{k} + active_{k} @ W_2_l{k} + b_2_l{k})",
        }
    return {"given": encoder_givens(tokens, width, inner, layers), "steps": steps}
