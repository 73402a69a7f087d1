"""Key/value caches of several heads: one decoding step with a cache, and prefill with several decoding steps."""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Tree
from .attention import ATTENTION_ZERO
from .lesson import Input, Lesson, Option, Recipe, Setting, Sub
from .multi_head import MULTI_HEAD_ATTENTION, head_counts, head_steps
from .positional_encoding import ROTARY_OPTIONS

_CACHES = tuple(
    Input(
        f"{name}_cache",
        f"the {what} of the earlier tokens, all heads concatenated, or one matrix per head",
        numbered=True,
    )
    for name, what in (("K", "keys (rotated, if positions are rotary)"), ("V", "values"))
)
_NOT_PASSED = ("Q", "K", "V", "memory")
_WEIGHTS = tuple(i for i in MULTI_HEAD_ATTENTION.inputs if i.name not in (*_NOT_PASSED, "X"))
_OPTIONS = tuple(o for o in MULTI_HEAD_ATTENTION.options if o.name != "rotary_start")
_KEPT = ("heads", "kv_heads", "scale", "softcap", "base", "softmax_steps")
_PASSED = tuple(o for o in _OPTIONS if o.name in _KEPT or o in ROTARY_OPTIONS)

CACHED_MULTI_HEAD_ATTENTION = Lesson(
    "cached_multi_head_attention",
    "One more token with a key/value cache of several heads: only its own queries, keys and values are "
    "computed; earlier ones come from the cache.",
    (Input("X", "the new token (or tokens), one per row"), *_CACHES, *_WEIGHTS),
    _OPTIONS,
    MULTI_HEAD_ATTENTION.steps
    | {
        "K_new_1": "the key of the new token",
        "K_new_rot_1": "the new token's key, rotated by its position, which is the number of cached tokens",
        "V_new_1": "the value of the new token",
        "K_1": "all keys of this head so far",
        "V_1": "all values of this head so far",
    },
    lambda s: head_steps(s, cached=True),
    zero=ATTENTION_ZERO,
    source="Shazeer 2019 (incremental decoding) and Pope et al. 2022.",
)


def _run(s: Setting) -> list[Recipe]:
    """Return the steps of prefill and of each decoding step with the growing cache, and the counts of operations."""
    tokens = s.shape("X")[1 if s.columns else 0]
    prompt = s.integer("prompt") or tokens - 1
    if not 0 < prompt < tokens:
        raise FormulaError(
            f"prompt must be smaller than the number of tokens, so that some tokens are left to decode; X has {tokens}",
            about="prompt",
        )
    _, kv_heads = head_counts(s, s.has("W_Q_1") and "W_Q" not in s.arguments)
    passed = s.pass_on(*(o.name for o in _PASSED))
    rotary = s.word("positions") == "rotary"
    at = ":, " if s.columns else ""
    steps: list[Recipe] = [
        (
            "prefill",
            Sub(MULTI_HEAD_ATTENTION, {"X": f"X[{at}0:{prompt}]", "mask": "causal", **passed}, hidden=_NOT_PASSED),
        )
    ]
    last = "prefill"
    for t in range(prompt + 1, tokens + 1):
        cache: dict[str, str | Tree] = {}
        for kv in range(1, kv_heads + 1):
            keys = f"{last}.K_rot_{kv}" if rotary and last == "prefill" else f"{last}.K_{kv}"
            cache |= {f"K_cache_{kv}": keys, f"V_cache_{kv}": f"{last}.V_{kv}"}
        last = f"token_{t}"
        steps.append((last, Sub(CACHED_MULTI_HEAD_ATTENTION, {"X": f"X[{at}{t - 1}:{t}]", **cache, **passed})))
    join, side, count = ("hstack", "rows", "cols(X)") if s.columns else ("vstack", "cols", "rows(X)")
    per_token = " + ".join(f"{side}({last}.{name}_{kv})" for kv in range(1, kv_heads + 1) for name in "KV")
    s.say("prompt", str(prompt))
    parts = ", ".join(["prefill", *(f"token_{t}" for t in range(prompt + 1, tokens + 1))])
    return [
        *steps,
        ("cached", f"({per_token}) * arange({prompt}, {count} + 1)"),
        ("projected", count),
        ("projected_without", f"total(arange({prompt}, {count} + 1))"),
        ("saved", "1 - projected / projected_without"),
        ("Z", f"{join}({parts})"),
        *_compared(s, passed),
    ]


def _compared(s: Setting, passed: dict[str, Tree | str]) -> list[Recipe]:
    if not s.flag("compare"):
        return []
    full_attention = Sub(MULTI_HEAD_ATTENTION, {"X": "X", "mask": parse("causal"), **passed}, hidden=_NOT_PASSED)
    return [("full", full_attention), ("difference", "Z - full")]


PREFILL_AND_DECODE = Lesson(
    "prefill_and_decode",
    "Generation with a key/value cache: the prompt at once (prefill), then a token at a time (decode) on the growing "
    "cache.",
    (Input("X", "all tokens, those of the prompt first, one per row"), *_WEIGHTS),
    (
        Option("prompt", "whole", "none", "the number of tokens of the prompt; by default, "
        "all except the last token", largest=63,
            examples=("1",)),
        *_PASSED,
        Option("compare", "flag", "false", "true also computes causal attention for all tokens at once, and the "
        "difference, which is 0"),
    ),
    {
        "prefill": "causal attention for the prompt; its keys and values are cached",
        "token_1": "one more token, which attends to all keys so far",
        "cached": "how many numbers are in the cache after the prompt and after each token",
        "projected": "the number of tokens whose queries, keys and values are computed with the cache",
        "projected_without": "the same number without the cache, if each step computes all tokens again",
        "saved": "the share of the projections that the cache avoids",
        "Z": "the output of every token",
        "full": "causal attention for all tokens at once",
        "difference": "the difference of the two results: 0 everywhere",
    },
    _run,
    zero=ATTENTION_ZERO,
    counts=("cached", "projected", "projected_without"),
    source="Shazeer 2019 (incremental decoding) and Pope et al. 2022.",
)  # fmt: skip
