"""Relative positions: Shaw's vectors for clipped distances, and T5's bias for groups of distances (buckets)."""

from __future__ import annotations

from ..errors import FormulaError
from .attention import ATTENTION_OPTIONS, ATTENTION_STEPS, ATTENTION_ZERO, D_K, attention_steps, mask_of
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting

_QKV = (Input("Q", "the queries, one per row"), Input("K", "the keys"), Input("V", "the values"))
MOST_QUERIES = 32
LARGEST_DISTANCE = 1_000_000


def _shaw(s: Setting) -> list[Recipe]:
    """Return the steps of attention in which the vector of a distance is added to each key and, optionally, to each
    value.
    """
    s.refuse_columns("one vector per row")
    (n, _), (m, _), (places, _) = s.shape("Q"), s.shape("K"), s.shape("P_K")
    if places % 2 == 0:
        raise FormulaError(
            f"P_K must have one row per offset from −k to k, so an odd number of rows; found {places}", about="P_K"
        )
    if n > MOST_QUERIES:
        raise FormulaError(f"relative_attention takes at most {MOST_QUERIES} queries; found {n}", about="Q")
    clip_distance = places // 2
    s.say("clipped_at", str(clip_distance))
    rows = [f"[{i}]" if n > 1 else "" for i in range(n)]
    forward = attention_steps(s)
    at = next(i for i, (name, _) in enumerate(forward) if name == "S")
    forward[at] = ("S", "S_words + S_places")
    steps: list[Recipe] = [
        ("distance", f"clip(arange(0, {m}) - arange(0, {n}).T, -{clip_distance}, {clip_distance})"),
        ("by_distance", "Q @ P_K.T"),
        ("S_words", "Q @ K.T"),
        ("S_places", _stack([f"lookup(by_distance{row}.T, distance{row} + {clip_distance}).T" for row in rows])),
        *forward,
    ]
    if s.has("P_V"):
        last = "A_masked" if any(name == "A_masked" for name, _ in forward) else "A"
        steps[-1] = ("Z_words", steps[-1][1])
        steps.append(
            ("Z_places", _stack([f"{last}{row} @ lookup(P_V, distance{row} + {clip_distance})" for row in rows]))
        )
        steps.append(("Z", "Z_words + Z_places"))
    return steps


def _stack(rows: list[str]) -> str:
    return f"vstack({', '.join(rows)})" if len(rows) > 1 else rows[0]


RELATIVE_ATTENTION = Lesson(
    "relative_attention",
    "Attention with relative positions (Shaw): keys, and values if P_V is given, get a vector for their offset from "
    "the query, clipped at ±k.",
    (
        *_QKV,
        Input("P_K", "the vectors that are added to the keys: one row per offset from −k to k"),
        Input("P_V", "the vectors that are added to the values: one row per offset from −k to k", optional=True),
        D_K,
    ),
    ATTENTION_OPTIONS,
    {
        "distance": "the key's position minus the query's, but at least −k and at most k",
        "by_distance": "the score of each query for each offset",
        "S_words": "the part of the scores from the tokens",
        "S_places": "the part of the scores from the offsets",
    }
    | ATTENTION_STEPS
    | {"Z_words": "the weighted mean of the values", "Z_places": "the weighted mean of the vectors of the offsets"},
    _shaw,
    zero=ATTENTION_ZERO,
    source="Shaw et al. 2018.",
)


# -- T5 ----------------------------------------------------------------------------------------------------------------


def bucket(distance: int, count: int, furthest: int, both: bool) -> int:
    """Return T5's bucket of a distance (key minus query): exact for small, logarithmic for large distances."""
    first = 0
    if both:
        count //= 2
        first = count if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact_count = count // 2
    if distance < exact_count:
        return first + distance
    # near + floor(log(distance / near) / log(furthest / near) · (count − near)), in integers
    log_count = count - exact_count
    grown = 0
    while grown < log_count - 1 and (distance**log_count) * exact_count ** (
        grown + 1
    ) >= exact_count**log_count * furthest ** (grown + 1):
        grown += 1
    return first + exact_count + grown


def _t5(s: Setting) -> list[Recipe]:
    s.refuse_columns("one vector per row")
    (n, _), (m, _) = s.shape("Q"), s.shape("K")
    count, furthest, both = max(s.shape("b")), s.integer("furthest") or 128, s.word("sides") == "both"
    if min(s.shape("b")) != 1 or count < (4 if both else 2):
        raise FormulaError(
            "b must be a row with one number per bucket, for at least 4 buckets (at least 2 with sides: one)", about="b"
        )
    if both and count % 2:
        raise FormulaError(f"expected an even number of buckets, found {count}", about="b")
    if furthest <= (single := (count // 2 if both else count) // 2):
        expected = f"expected more than {single}, found {furthest}"
        raise FormulaError(f"furthest: {expected}; each distance below {single} has its own bucket", about="b")
    if n * m > MOST_QUERIES**2:
        raise FormulaError(f"t5_attention takes at most {MOST_QUERIES} queries and keys; found {n} × {m}", about="Q")
    on_a_side = count // 2 if both else count
    near = on_a_side // 2
    s.say("near", str(near))
    s.say("logarithmic", f"{near} + {on_a_side - near} · ln(x / {near}) / ln({furthest} / {near})")
    s.say("furthest", str(furthest))
    s.say("sides", s.word("sides"))
    if both:
        s.say("later", str(on_a_side))
    rows = [f"hstack({', '.join(str(bucket(j - i, count, furthest, both)) for j in range(m))})" for i in range(n)]
    return [
        ("distance", f"arange(0, {m}) - arange(0, {n}).T"),
        ("buckets", _stack(rows)),
        ("bias", "lookup(b, buckets)" if n > 1 else f"lookup({'b' if s.shape('b')[1] == 1 else 'b.T'}, buckets).T"),
        *_biased(s),
    ]


def _biased(s: Setting) -> list[Recipe]:
    """Return the steps of attention. The bias is added before the mask is applied."""
    steps: list[Recipe] = [("S", "Q @ K.T")]
    scale = s.text("scale")
    s.say("scale", s.option_text("scale") if scale else "none")
    if scale:
        s.divisors.append(scale)
        steps.append(("S_scaled", f"S / {scale}"))
    steps.append(("S_biased", f"{steps[-1][0]} + bias"))
    if hidden := mask_of(s, "", "S"):
        s.say("mask", s.option_text("mask"))
        steps.append(("S_masked", f"keep(S_biased, {hidden})"))
    return [*steps, ("A", f"softmax({steps[-1][0]})"), ("Z", "A @ V")]


_T5_OPTIONS = tuple(
    o._replace(default="none", examples=("sqrt(2)", "3")) if o.name == "scale" else o._replace(numbered=False)
    for o in ATTENTION_OPTIONS
    if o.name in ("scale", "mask")
)
T5_ATTENTION = Lesson(
    "t5_attention",
    "Attention with T5's relative positions: each offset has a bucket, and each bucket has a number that is "
    "added to the scores.",
    (*_QKV, Input("b", "the numbers that the buckets add to the scores, as a row", shape=FEATURES)),
    (
        Option("furthest", "whole", "128", "all distances from this number on are in the last bucket (max_distance "
        "in T5)",
            largest=LARGEST_DISTANCE, examples=("16",)),
        Option("sides", "word", "both", "whether keys after the query have their own set of buckets (both, for "
        "encoders), or share the bucket of distance 0 (one, for decoders)",
               ("both", "one")),
        *_T5_OPTIONS,
    ),
    {
        "distance": "the key's position minus the query's",
        "buckets": "the number of each distance's bucket, from 0: each small distance has its own bucket, and larger "
        "distances share buckets",
        "bias": "the number that each pair's bucket adds to the score",
    }
    | ATTENTION_STEPS,
    _t5,
    zero=ATTENTION_ZERO,
    source="Raffel et al. 2020.",
)  # fmt: skip
