"""Multi-head latent attention (DeepSeek): for each token, one cached latent vector gives the keys and values of all
heads.
"""

from __future__ import annotations

from ..errors import FormulaError
from .attention import ATTENTION_OPTIONS, ATTENTION_STEPS, mask_of
from .lesson import Input, Lesson, Option, Recipe, Setting
from .positional_encoding import ROTARY_OPTIONS, rotary_table, rotation

_MASK, _FILL = (next(o for o in ATTENTION_OPTIONS if o.name == name) for name in ("mask", "fill"))
_ROTARY = tuple(o for o in ROTARY_OPTIONS if o.name != "positions")


def _recipes(s: Setting) -> list[Recipe]:
    s.refuse_columns("one vector per row")
    heads = s.integer("heads")
    if heads is None:
        raise FormulaError("latent_attention needs heads: the number of heads")
    for name in ("W_UK", "W_UV", "W_Q", *(("W_QR",) if s.has("W_QR") else ())):
        if s.shape(name)[1] % heads:
            raise FormulaError(
                f"{name} has {s.shape(name)[1]} columns; this number must be divisible by {heads}, the number of heads",
                about="heads",
            )
    if s.has("W_QR") != s.has("W_KR"):
        raise FormulaError(
            f"latent_attention needs both W_QR and W_KR, or neither; {'W_KR' if s.has('W_QR') else 'W_QR'} is missing"
        )
    rotated = s.has("W_QR")
    if rotated and s.shape("W_QR")[1] != heads * s.shape("W_KR")[1]:
        shapes = f"{s.shape('W_QR')[1]} columns in W_QR and {s.shape('W_KR')[1]} columns in W_KR"
        raise FormulaError(
            f"W_QR must have as many columns per head as W_KR; found {heads} heads, {shapes}", about="W_QR"
        )
    steps: list[Recipe] = [("latent", "X @ W_DKV")]
    if s.has("W_DQ"):
        steps.append(("latent_Q", "X @ W_DQ"))
    if rotated:
        steps += rotary_table(s, s.shape("X")[0], s.shape("W_KR")[1])
        steps += [("K_R", "X @ W_KR"), ("K_R_rot", rotation(s, "K_R"))]
    for i in range(1, heads + 1):
        steps += _head(s, i, heads, rotated)
    s.say("heads", str(heads))
    s.say_word("absorbed")
    cached = "cols(latent)" + (" + cols(K_R)" if rotated else "")
    return [
        *steps,
        ("cached", cached),
        ("cached_full", "cols(W_UK) + cols(W_UV)"),
        ("H", f"hstack({', '.join(f'Z_{i}' for i in range(1, heads + 1))})"),
        *([("Z", "H @ W_O")] if s.has("W_O") else []),
    ]


def _head(s: Setting, i: int, heads: int, rotated: bool) -> list[Recipe]:
    """Return the steps of one head. With `absorbed`, the scores use the latent vectors directly, without keys and
    values.
    """
    asked, absorbed = "latent_Q" if s.has("W_DQ") else "X", s.word("absorbed") == "true"
    up, out = _block(s, "W_UK", i, heads), _block(s, "W_UV", i, heads)
    steps: list[Recipe] = [(f"Q_{i}", f"{asked} @ {_block(s, 'W_Q', i, heads)}")]
    if absorbed:
        steps.append((f"Q_latent_{i}", f"Q_{i} @ {up}.T"))
        words = f"Q_latent_{i} @ latent.T"
    else:
        steps += [(f"K_{i}", f"latent @ {up}"), (f"V_{i}", f"latent @ {out}")]
        words = f"Q_{i} @ K_{i}.T"
    width = f"cols(Q_{i})"
    if rotated:
        steps.append((f"Q_R_{i}", f"{asked} @ {_block(s, 'W_QR', i, heads)}"))
        steps.append((f"Q_R_rot_{i}", rotation(s, f"Q_R_{i}")))
        words += f" + Q_R_rot_{i} @ K_R_rot.T"
        width += " + cols(K_R)"
    steps += [(f"S_{i}", words), (f"S_scaled_{i}", f"S_{i} / sqrt({width})")]
    if hidden := mask_of(s, f"_{i}", f"S_{i}"):
        fill = "" if s.is_unset("fill") else f", fill={s.text('fill')}"
        steps.append((f"S_masked_{i}", f"keep(S_scaled_{i}, {hidden}{fill})"))
        if i == 1:
            s.say("mask", s.option_text("mask"))
    steps.append((f"A_{i}", f"softmax({steps[-1][0]})"))
    return [
        *steps,
        *(
            [(f"Z_latent_{i}", f"A_{i} @ latent"), (f"Z_{i}", f"Z_latent_{i} @ {out}")]
            if absorbed
            else [(f"Z_{i}", f"A_{i} @ V_{i}")]
        ),
    ]


def _block(s: Setting, name: str, i: int, heads: int) -> str:
    size = s.shape(name)[1] // heads
    return name if heads == 1 else f"{name}[:, {(i - 1) * size}:{i * size}]"


LATENT_ATTENTION = Lesson(
    "latent_attention",
    "Multi-head latent attention (DeepSeek): one narrow latent vector per token is cached, and keys and values of all "
    "heads are computed from it.",
    (
        Input("X", "the tokens, one per row"),
        Input("W_DKV", "the weights from the tokens to the latent vector"),
        Input("W_UK", "the weights from the latent vector to the keys of all heads"),
        Input("W_UV", "the weights from the latent vector to the values of all heads"),
        Input("W_Q", "the query weights of all heads (applied to the queries' latent vector, if there is W_DQ)"),
        Input("W_DQ", "the weights from the tokens to the latent vector of the queries", optional=True),
        Input("W_QR", "the weights of the queries' rotated part, with the columns of all heads side by "
        "side", optional=True),
        Input("W_KR", "the weights of the keys' rotated part, which all heads share", optional=True),
        Input("W_O", "the weights that mix the heads", optional=True),
    ),
    (
        Option("heads", "whole", "none", "the number of heads", examples=("1", "2")),
        Option("absorbed", "word", "false", "true compares the queries with the latent vectors directly, so keys and "
        "values are never computed",
               ("false", "true")),
        _MASK._replace(numbered=False),
        _FILL,
        *_ROTARY,
    ),
    {
        "latent": "the latent vector of each token, which is cached",
        "latent_Q": "the latent vector from which the queries are computed",
        "angles": "how far each pair of features is rotated at each position",
        "cos": "the cosines of the angles",
        "sin": "the sines of the angles",
        "K_R": "the part of the keys that is rotated, the same for all heads",
        "K_R_rot": "K_R, with each key rotated by its position; it is cached too",
        "Q_1": "the queries: what each token looks for",
        "K_1": "the keys, computed from the latent vectors",
        "V_1": "the values, computed from the latent vectors",
        "Q_latent_1": "the queries, projected into the space of the latent vectors",
        "Q_R_1": "the part of the queries that is rotated",
        "Q_R_rot_1": "Q_R, with each query rotated by its position",
        "Z_latent_1": "for each query, the weighted mean of the latent vectors",
        "cached": "how many numbers are cached for each token",
        "cached_full": "how many numbers the keys and values of all heads would need",
        "H": "the heads' outputs, concatenated",
        "Z": "the concatenated heads, projected by W_O",
    }
    | {f"{name}_1": doc for name, doc in ATTENTION_STEPS.items() if name in ("S", "S_scaled", "S_masked", "A", "Z")},
    _recipes,
    counts=("cached", "cached_full"),
    source="DeepSeek-AI 2024 (DeepSeek-V2).",
)  # fmt: skip
