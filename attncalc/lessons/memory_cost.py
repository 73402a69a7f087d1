"""Memory of a model in bytes: its weights, and its key/value cache."""

from __future__ import annotations

from ..errors import FormulaError
from .lesson import Input, Lesson, Recipe, Setting

UNITS: list[Recipe] = [("GB", "size / 10 ** 9"), ("GiB", "size / 2 ** 30")]
UNIT_STEPS = {"size": "all bytes together", "GB": "in gigabytes, of 10⁹ bytes", "GiB": "in gibibytes, of 2³⁰ bytes"}
_ALL = ("*",)
_BYTES = Input(
    "bytes", "how many bytes a number takes: 4 for float32, 2 for float16 and bfloat16, 1 for int8", demand="positive"
)


WEIGHT_MEMORY = Lesson(
    "weight_memory",
    "How much memory the weights of a model take, in bytes, GB and GiB.",
    (Input("parameters", "how many parameters the model has", demand="count"), _BYTES),
    (),
    UNIT_STEPS,
    lambda s: [("size", "parameters * bytes"), *UNITS],
    counts=_ALL,
)


def _cache(s: Setting) -> list[Recipe]:
    heads = "kv_heads" if s.has("kv_heads") else "heads"
    if heads == "heads" and not s.has("heads"):
        raise FormulaError("cache_memory needs kv_heads, or heads where every head has keys and values of its own")
    batch = " * batch" if s.has("batch") else ""
    return [("per_token", f"2 * layers * {heads} * d_k * bytes"), ("size", f"per_token * tokens{batch}"), *UNITS]


CACHE_MEMORY = Lesson(
    "cache_memory",
    "How much memory the cached keys and values take: two vectors a token, for every layer and every key/value head.",
    (
        Input("layers", "how many layers", demand="count"),
        Input("heads", "how many heads", optional=True, demand="count"),
        Input("kv_heads", "how many key/value heads, where query heads share them", optional=True, demand="count"),
        Input("d_k", "the width of a head", demand="count"),
        Input("tokens", "how many tokens are cached", demand="count"),
        Input("batch", "how many sentences at once; one where it is not given", optional=True, demand="count"),
        _BYTES,
    ),
    (),
    {"per_token": "a key and a value for each layer and each key/value head, in bytes"} | UNIT_STEPS,
    _cache,
    counts=_ALL,
)
