"""Memory of a model's weights and of its cache; operations, time (6·N·D) and memory of training."""

from __future__ import annotations

from ..errors import FormulaError
from .lesson import Input, Lesson, Option, Recipe, Setting

_UNITS: list[Recipe] = [("GB", "size / 10 ** 9"), ("GiB", "size / 2 ** 30")]
_UNIT_STEPS = {"size": "all bytes together", "GB": "in gigabytes, of 10⁹ bytes", "GiB": "in gibibytes, of 2³⁰ bytes"}
_ALL = ("*",)
_BYTES_A_NUMBER = Input(
    "bytes", "how many bytes a number takes: 4 for float32, 2 for float16 and bfloat16, 1 for int8", demand="positive"
)

_PARAMETERS = Input("parameters", "how many parameters the model has", demand="count")
_BATCH = Input("batch", "how many sentences at once; one where it is not given", optional=True, demand="count")

WEIGHT_MEMORY = Lesson(
    "weight_memory",
    "How much memory the weights of a model take, in bytes, GB and GiB.",
    (_PARAMETERS, _BYTES_A_NUMBER),
    (),
    _UNIT_STEPS,
    lambda s: [("size", "parameters * bytes"), *_UNITS],
    counts=_ALL,
)


def _cache(s: Setting) -> list[Recipe]:
    heads = "kv_heads" if s.has("kv_heads") else "heads"
    if heads == "heads" and not s.has("heads"):
        raise FormulaError("cache_memory needs kv_heads, or heads where every head has keys and values of its own")
    batch = " * batch" if s.has("batch") else ""
    return [("per_token", f"2 * layers * {heads} * d_k * bytes"), ("size", f"per_token * tokens{batch}"), *_UNITS]


CACHE_MEMORY = Lesson(
    "cache_memory",
    "How much memory the cached keys and values take: two vectors a token, for every layer and every key/value head.",
    (
        Input("layers", "how many layers", demand="count"),
        Input("heads", "how many heads", optional=True, demand="count"),
        Input("kv_heads", "how many key/value heads, where query heads share them", optional=True, demand="count"),
        Input("d_k", "the width of a head", demand="count"),
        Input("tokens", "how many tokens are cached", demand="count"),
        _BATCH,
        _BYTES_A_NUMBER,
    ),
    (),
    {"per_token": "a key and a value for each layer and each key/value head, in bytes"} | _UNIT_STEPS,
    _cache,
    counts=_ALL,
)

_SIZES = ("layers", "tokens", "d_model", "heads")


def _operations(s: Setting) -> list[Recipe]:
    steps: list[Recipe] = [
        ("forward", "2 * parameters * tokens"),
        ("backward", "4 * parameters * tokens"),
        ("flops", "6 * parameters * tokens"),
    ]
    if s.has("speed"):
        others = "".join(f" * {name}" for name in ("devices", "utilization") if s.has(name))
        steps += [("seconds", f"flops / (speed{others})"), ("days", "seconds / 86400")]
    return steps


TRAINING_OPERATIONS = Lesson(
    "training_operations",
    "How many floating-point operations training takes, 6 · parameters · tokens, and how long that is.",
    (
        _PARAMETERS,
        Input("tokens", "how many tokens it is trained on", demand="count"),
        Input("speed", "how many operations a device does in a second", optional=True, demand="positive"),
        Input("devices", "how many devices there are, one where it is not given", optional=True, demand="count"),
        Input(
            "utilization",
            "the share of the devices' speed that is used, all where it is not given",
            optional=True,
            demand="positive",
        ),
    ),
    (),
    {
        "forward": "a multiplication and an addition for each parameter and token",
        "backward": "twice as many on the way back: for the inputs and for the weights",
        "flops": "forward and backward together",
        "seconds": "the time it takes at this speed",
        "days": "the time in days",
    },
    _operations,
    counts=_ALL,
)

_BYTES = {"mixed": (2, 2, 12), "float32": (4, 4, 8), "sgd": (4, 4, 0)}


def _memory(s: Setting) -> list[Recipe]:
    word = s.say_word("precision")
    weights, gradients, optimizer = _BYTES[word]
    steps: list[Recipe] = [("weights", f"{weights} * parameters"), ("gradients", f"{gradients} * parameters")]
    parts = ["weights", "gradients"]
    if optimizer:
        steps.append(("optimizer", f"{optimizer} * parameters"))
        parts.append("optimizer")
    sizes = [name for name in _SIZES if s.has(name)]
    if sizes and len(sizes) < len(_SIZES):
        missing = next(name for name in _SIZES if name not in sizes)
        raise FormulaError(
            f"training_memory needs {missing} as well to count activations; {', '.join(sizes)} alone do not give them"
        )
    if sizes:
        batch = "batch * " if s.has("batch") else ""
        steps.append(("activations", f"layers * {batch}tokens * d_model * (34 + 5 * heads * tokens / d_model)"))
        parts.append("activations")
    return [*steps, ("size", " + ".join(parts)), *_UNITS]


TRAINING_MEMORY = Lesson(
    "training_memory",
    "How much memory training takes: weights, gradients, what the optimiser keeps, and the activations of a batch.",
    (
        _PARAMETERS,
        Input("layers", "how many layers, to count activations", optional=True, demand="count"),
        Input("tokens", "how many tokens a sentence has", optional=True, demand="count"),
        Input("d_model", "the width of the model", optional=True, demand="count"),
        Input("heads", "how many heads", optional=True, demand="count"),
        _BATCH,
    ),
    (
        Option("precision", "word", "mixed", "Adam in mixed precision (2 + 2 + 12 bytes a parameter), Adam in float32 "
               "(4 + 4 + 8), or plain "
               "descent in float32 (sgd: 4 + 4)", ("mixed", "float32", "sgd")),
    ),
    {
        "weights": "the weights, in bytes",
        "gradients": "a gradient for each weight, in bytes",
        "optimizer": "both running means of Adam, with mixed precision also the weights in float32",
        "activations": "what is kept for the way back, 16 bits each: 34 + 5·heads·tokens/d_model bytes for each token, "
                       "feature and layer",
    } | _UNIT_STEPS,
    _memory,
    counts=_ALL,
)  # fmt: skip
