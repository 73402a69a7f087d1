"""FlashAttention: softmax by tiles, so that the memory never holds the scores of all pairs."""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Tree
from .attention import ATTENTION, D_K, scale_of
from .lesson import Input, Lesson, Option, Recipe, Setting, Sub

MOST_TILES = 64
_SCALE = next(o for o in ATTENTION.options if o.name == "scale")


def _recipes(s: Setting) -> list[Recipe]:
    """Return the steps of each tile of keys (scores, running maximum, running sum, rescaled output), and the result."""
    s.refuse_columns("one vector per row")
    (queries, _), (keys, _) = s.shape("Q"), s.shape("K")
    width, causal = s.integer("tile") or 2, s.flag("causal")
    tiles = -(-keys // width)
    if tiles > MOST_TILES:
        raise FormulaError(
            f"flash_attention computes at most {MOST_TILES} tiles; {keys} keys in tiles of {width} make {tiles}",
            about="tile",
        )
    steps: list[Recipe] = []
    for t in range(1, tiles + 1):
        steps += _tile(s, t, (t - 1) * width, min(t * width, keys), queries if causal else 0)
    s.say("tile", str(width))
    s.say("causal", "true" if causal else "false")
    return [
        *steps,
        ("moved", "(rows(Q) + rows(K)) * (cols(Q) + cols(V))"),
        ("moved_full", "moved + 4 * rows(Q) * rows(K)"),
        ("saved", "1 - moved / moved_full"),
        ("Z", f"O_{tiles} / l_{tiles}"),
        *_compared(s, causal),
    ]


def _tile(s: Setting, t: int, start: int, stop: int, masked: int) -> list[Recipe]:
    """Return the steps of one tile of keys. `masked` is the number of queries with a causal mask, otherwise 0."""
    span, scale = "" if stop - start == s.shape("K")[0] else f"[{start}:{stop}]", scale_of(s, "K")
    scores = f"S_{t}"
    steps: list[Recipe] = [(scores, f"Q @ K{span}.T" + (f" / {scale}" if scale else ""))]
    if masked:
        causal_mask = f"causal({masked}, {stop - start}" + (f", offset=-{start})" if start else ")")
        steps.append((f"S_masked_{t}", f"keep({scores}, {causal_mask})"))
        scores = f"S_masked_{t}"
    before = t - 1
    steps.append((f"m_{t}", f"maximum(m_{before}, row_max({scores}))" if before else f"row_max({scores})"))
    if before:
        steps.append((f"r_{t}", f"exp(m_{before} - m_{t})"))
    steps.append((f"P_{t}", f"exp({scores} - m_{t})"))
    steps.append((f"l_{t}", f"r_{t} * l_{before} + row_sum(P_{t})" if before else f"row_sum(P_{t})"))
    steps.append((f"O_{t}", f"r_{t} * O_{before} + P_{t} @ V{span}" if before else f"P_{t} @ V{span}"))
    return steps


def _compared(s: Setting, causal: bool) -> list[Recipe]:
    if not s.flag("compare"):
        return []
    arguments: dict[str, str | Tree] = {"Q": "Q", "K": "K", "V": "V", **s.pass_on("scale")}
    arguments |= {"mask": parse("causal")} if causal else {}
    arguments |= {"d_k": "d_k"} if s.has("d_k") else {}
    return [("full", Sub(ATTENTION, arguments)), ("difference", "Z - full")]


FLASH_ATTENTION = Lesson(
    "flash_attention",
    "FlashAttention's online softmax: keys and values come in tiles; a running maximum and a running sum keep "
    "the softmax exact.",
    (Input("Q", "the queries, one per row"), Input("K", "the keys"), Input("V", "the values"), D_K),
    (
        Option("tile", "whole", "2", "the number of keys per tile", largest=4096, examples=("1", "3")),
        Option("causal", "flag", "false", "true lets no query attend to later tokens"),
        _SCALE,
        Option("compare", "flag", "false", "true also computes plain attention, and the difference, which is 0"),
    ),
    {
        "S_1": "the scores with the keys of this tile",
        "S_masked_1": "the scores of this tile with masked entries set to −∞",
        "m_1": "the largest score of each query so far",
        "r_1": "the factor by which the earlier sums shrink when the largest score grows",
        "P_1": "the exponentials of this tile's scores, after the largest score so far is subtracted",
        "l_1": "the sum of all exponentials so far",
        "O_1": "the sum of the values so far, each times its exponential",
        "moved": "how many numbers move between the large and the fast memory: Q, K, V once, and the output",
        "moved_full": "how many numbers move if scores and weights are written and read as well",
        "saved": "the share that is saved",
        "Z": "the output: the sum of the values divided by the sum of the exponentials",
        "full": "plain attention of the same queries, keys and values",
        "difference": "the difference of the two results: 0 everywhere",
    },
    _recipes,
    counts=("moved", "moved_full"),
    source="Dao et al. 2022; the online softmax: Milakov and Gimelshein 2018.",
)
