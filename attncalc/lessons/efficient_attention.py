"""Attention with fewer than n² products: sparse (BigBird), with fewer keys (Linformer), and linear.

A count is the number of multiplications in Q Kᵀ and A V, or in the operations that replace them, without softmax and
divisions. FlashAttention computes all products, but the softmax by tiles, so that the memory never contains all scores.
"""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Tree
from ..formula.typed_formula import LARGEST_SIDE
from .attention import ATTENTION, ATTENTION_OPTIONS, D_K, scale_of
from .lesson import Input, Lesson, Option, Recipe, Setting, Sub

_FULL = "rows(Q) * rows(K) * (cols(Q) + cols(V))"
_COMPARE = Option("compare", "flag", "false", "true also computes full attention, and the distance from its output")
_SOFTMAX = tuple(o for o in ATTENTION_OPTIONS if o.name in ("scale", "base"))
_COUNTS = {
    "products": "how many multiplications this method takes, without softmax and divisions",
    "products_full": "how many multiplications full attention takes",
    "saved": "the share of the multiplications that is saved; negative if this method takes more",
}
_COMPARED = {
    "full": "full attention with the same queries, keys and values",
    "distance": "how far apart the outputs are: the square root of the sum of squared differences",
}


def _counts(products: str, full: str = _FULL) -> list[Recipe]:
    return [("products", products), ("products_full", full), ("saved", "1 - products / products_full")]


def _attention(s: Setting, name: str, **arguments: str) -> Recipe:
    inputs: dict[str, str | Tree] = {"Q": "Q", "K": "K", "V": "V", **arguments}
    return (name, Sub(ATTENTION, inputs | s.pass_on("scale", "base", "empty_row", "fill", "softmax_steps")))


def _compared(s: Setting, output: str, **arguments: str) -> list[Recipe]:
    """Return the steps that compare the output with full attention, if the option `compare` is true."""
    if not s.flag("compare"):
        return []
    return [_attention(s, "full", **arguments), ("distance", f"sqrt(total(({output} - full) ** 2))")]


# -- sparse ------------------------------------------------------------------------------------------------------------


def _sparse(s: Setting) -> list[Recipe]:
    s.refuse_columns("one token per row")
    size = "rows(Q), rows(K)"
    parts = [f"band({size}, {window})"] if (window := s.integer("window")) is not None else []
    parts += [f"{name}({size}, {name})" for name in ("global_tokens", "links") if s.quoted(name)]
    if not parts:
        raise FormulaError("sparse_attention needs the keys that a query may attend to: window, global_tokens or links")
    mask = parts[0]
    for part in parts[1:]:
        mask = f"maximum({mask}, {part})"
    if s.flag("causal"):
        mask = f"causal({size}) * {mask}"
    _warn_of_idle_links(s, window)
    for option in ("window", "global_tokens", "links"):
        if option in s.arguments:
            s.say(option, str(window) if option == "window" else s.quoted(option))
    return [
        ("mask", mask),
        *_counts("total(mask) * (cols(Q) + cols(V))"),
        _attention(s, "sparse", mask="mask"),
        *_compared(s, "sparse"),
    ]


def _warn_of_idle_links(s: Setting, window: int | None) -> None:
    """Warn about each link that does not change the mask, or that the causal mask removes."""
    chosen = {int(token) for token in s.quoted("global_tokens").split() if token.isdigit()}
    for link in s.quoted("links").split():
        query, _, key = link.partition("-")
        if not (query.isdigit() and key.isdigit()):  # the error is reported at the formula
            continue
        i, j = int(query), int(key)
        if s.flag("causal") and j > i:
            s.warn(f"links: {link} has no effect, because key {j} is after query {i} and causal is true")
        elif window is not None and abs(i - j) <= window or not chosen.isdisjoint((i, j)):
            s.warn(f"links: {link} has no effect, because the window or a global token already connects these two")


SPARSE_ATTENTION = Lesson(
    "sparse_attention",
    "Attention in which a query attends only to some keys: its neighbours, global tokens, and individual links "
    "(BigBird).",
    ATTENTION.inputs,
    (
        Option(
            "window",
            "whole",
            "none",
            "how many positions before and after it a query attends to",
            largest=LARGEST_SIDE,
            examples=("1",),
        ),
        Option(
            "global_tokens", "text", "none", "tokens that attend to all and to which all attend: 0 5", examples=("0",)
        ),
        Option(
            "links",
            "text",
            "none",
            "individual links from a query to a key, for example random ones: 0-3 1-4",
            examples=("0-2 1-0",),
        ),
        Option("causal", "flag", "false", "true lets no query attend to later tokens"),
        *(o for o in ATTENTION_OPTIONS if o.name in ("scale", "base", "fill", "empty_row", "softmax_steps")),
        _COMPARE,
    ),
    {"mask": "1 where a query may attend to a key: window, global tokens and links together"}
    | _COUNTS
    | {"sparse": "attention over the pairs that the mask allows"}
    | _COMPARED,
    _sparse,
    counts=tuple(_COUNTS),
    source="Zaheer et al. 2020 (BigBird) and Beltagy et al. 2020 (Longformer).",
)


# -- fewer keys --------------------------------------------------------------------------------------------------------


def _linformer(s: Setting) -> list[Recipe]:
    s.refuse_columns("one token per row")
    values = "F" if s.has("F") else "E"
    return [
        ("K_low", "E @ K"),
        ("V_low", f"{values} @ V"),
        *_counts("rows(E) * (rows(K) + rows(Q)) * (cols(K) + cols(V))"),
        _attention(s, "low", K="K_low", V="V_low"),
        *_compared(s, "low"),
    ]


LINFORMER = Lesson(
    "linformer",
    "Attention over fewer rows: E and F project the keys and the values of all tokens to k rows, so the cost "
    "grows with n·k and not n².",
    (
        *ATTENTION.inputs,
        Input("E", "the projection matrix of the keys, k × n"),
        Input("F", "the projection matrix of the values; E if F is not given", optional=True),
    ),
    (*_SOFTMAX, _COMPARE),
    {"K_low": "the keys, projected to fewer rows", "V_low": "the values, projected to the same number of rows"}
    | _COUNTS
    | {"low": "attention over the projected keys and values"}
    | _COMPARED,
    _linformer,
    counts=tuple(_COUNTS),
    source="Wang et al. 2020.",
)


# -- linear ------------------------------------------------------------------------------------------------------------

_FEATURES = {"elu+1": "elu({0}) + 1", "relu": "relu({0})", "exp": "exp({0})", "none": "{0}"}


def _linear(s: Setting) -> list[Recipe]:
    s.refuse_columns("one token per row")
    word = s.say_word("feature")
    causal = s.flag("causal")
    s.say("causal", "true" if causal else "false")
    mapped: list[Recipe] = [(f"phi_{name}", _FEATURES[word].format(name)) for name in "QK"]
    counted = _counts("(rows(K) + rows(Q)) * cols(K) * cols(V)")
    if causal:
        return [*mapped, *counted, *_token_by_token(s), *_compared(s, "Z", mask="causal(rows(Q), rows(K))")]
    return [
        *mapped,
        ("state", "phi_K.T @ V"),
        ("mass", "col_sum(phi_K)"),
        *counted,
        ("weighted", "phi_Q @ state"),
        ("divisor", "phi_Q @ mass.T"),
        ("Z", "weighted / divisor"),
        *_compared(s, "Z"),
    ]


def _token_by_token(s: Setting) -> list[Recipe]:
    """Return the steps of the recurrent form. Each token is added to the state, and then its query reads the state."""
    (n, _), (m, _) = s.shape("Q"), s.shape("K")
    if n != m or n > 64:
        raise FormulaError(
            f"causal linear attention takes one key per query, at most 64; found {n} queries and {m} keys",
            about="causal",
        )
    steps: list[Recipe] = []
    for t in range(1, n + 1):
        before = [f"state_{t - 1} + ", f"mass_{t - 1} + "] if t > 1 else ["", ""]
        steps.append((f"state_{t}", f"{before[0]}phi_K[{t - 1}].T @ V[{t - 1}]"))
        steps.append((f"mass_{t}", f"{before[1]}phi_K[{t - 1}]"))
        steps.append((f"Z_{t}", f"phi_Q[{t - 1}] @ state_{t} / (phi_Q[{t - 1}] @ mass_{t}.T)"))
    return [*steps, ("Z", f"vstack({', '.join(f'Z_{t}' for t in range(1, n + 1))})")]


LINEAR_ATTENTION = Lesson(
    "linear_attention",
    "Attention without a softmax: φ(q)·φ(k) instead of exp(q·k), so keys and values are summed up once in a "
    "state of fixed size.",
    ATTENTION.inputs,
    (
        Option("feature", "word", "elu+1", "the feature map φ of queries and keys", tuple(_FEATURES)),
        Option("causal", "flag", "false", "true processes the tokens one by one; each token reads the state so far"),
        *_SOFTMAX,
        _COMPARE,
    ),
    {
        "phi_Q": "the features of the queries",
        "phi_K": "the features of the keys",
        "state": "the state that combines keys and values: a sum over all tokens",
        "mass": "the sum of the keys' features",
        "state_1": "the state with this token's key and value added",
        "mass_1": "the sum of the keys' features so far",
        "Z_1": "what this token reads from the state",
        "weighted": "what each query reads from the state",
        "divisor": "the normaliser of each query, which makes its weights sum to 1",
        "Z": "the output: for each query, a weighted mean of the values",
    }
    | _COUNTS
    | _COMPARED,
    _linear,
    zero={"Z": "no key has a feature in common with this query; elu+1 and exp are never 0"},
    counts=tuple(_COUNTS),
    source="Katharopoulos et al. 2020.",
)


# -- FlashAttention ----------------------------------------------------------------------------------------------------


MOST_TILES = 64
_SCALE = next(o for o in ATTENTION.options if o.name == "scale")


def _flash(s: Setting) -> list[Recipe]:
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
        *_with_plain_attention(s, causal),
    ]


def _tile(s: Setting, t: int, start: int, stop: int, masked: int) -> list[Recipe]:
    """Return the steps of one tile of keys. With a causal mask, `masked` is the number of queries, otherwise 0."""
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


def _with_plain_attention(s: Setting, causal: bool) -> list[Recipe]:
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
        "P_1": "the exponentials of the differences between this tile's scores and the largest score so far",
        "l_1": "the sum of all exponentials so far",
        "O_1": "the sum of the values so far, each times its exponential",
        "moved": "how many numbers move between the large and the fast memory: Q, K, V once, and the output",
        "moved_full": "how many numbers move if scores and weights are written and read as well",
        "saved": "the share of the moved numbers that is saved",
        "Z": "the output: the sum of the values divided by the sum of the exponentials",
        "full": "plain attention with the same queries, keys and values",
        "difference": "the difference of the two results: 0 everywhere",
    },
    _flash,
    counts=("moved", "moved_full"),
    source="Dao et al. 2022; the online softmax: Milakov and Gimelshein 2018.",
)
