"""The memory of a model's weights and cache, and the operations (6·N·D), the time and the memory of training."""

from __future__ import annotations

from ..errors import FormulaError
from .lesson import Input, Lesson, Option, Recipe, Setting

_UNITS: list[Recipe] = [("GB", "size / 10 ** 9"), ("GiB", "size / 2 ** 30")]
_UNIT_STEPS = {"size": "all bytes together", "GB": "in gigabytes, of 10⁹ bytes", "GiB": "in gibibytes, of 2³⁰ bytes"}
_ALL = ("*",)
_BYTES_A_NUMBER = Input(
    "bytes", "how many bytes a number takes: 4 for float32, 2 for float16 and bfloat16, 1 for int8", demand="positive"
)

_PARAMETERS = Input("parameters", "the number of parameters of the model", demand="count")
_BATCH = Input("batch", "the number of sentences in a batch; 1 by default", optional=True, demand="count")

WEIGHT_MEMORY = Lesson(
    "weight_memory",
    "How much memory the weights of a model take, in bytes, GB and GiB.",
    (_PARAMETERS, _BYTES_A_NUMBER),
    (),
    _UNIT_STEPS,
    lambda s: [("size", "parameters * bytes"), *_UNITS],
    counts=_ALL,
    source="By definition: the number of parameters times the bytes of each.",
)


def _cache(s: Setting) -> list[Recipe]:
    heads = "kv_heads" if s.has("kv_heads") else "heads"
    if heads == "heads" and not s.has("heads"):
        raise FormulaError("cache_memory needs `kv_heads`, or `heads` if every head has its own keys and values")
    batch = " * batch" if s.has("batch") else ""
    return [("per_token", f"2 * layers * {heads} * d_k * bytes"), ("size", f"per_token * tokens{batch}"), *_UNITS]


CACHE_MEMORY = Lesson(
    "cache_memory",
    "How much memory the cached keys and values take: two vectors per token, for every layer and every key/value head.",
    (
        Input("layers", "the number of layers", demand="count"),
        Input("heads", "the number of heads", optional=True, demand="count"),
        Input(
            "kv_heads",
            "the number of key/value heads, if query heads share keys and values",
            optional=True,
            demand="count",
        ),
        Input("d_k", "the dimension of a head", demand="count"),
        Input("tokens", "the number of cached tokens", demand="count"),
        _BATCH,
        _BYTES_A_NUMBER,
    ),
    (),
    {"per_token": "the bytes per token: one key and one value for each key/value head in each layer"} | _UNIT_STEPS,
    _cache,
    counts=_ALL,
    source="Shazeer 2019 (incremental decoding) and Pope et al. 2022.",
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
    "How many floating-point operations training takes, 6 · parameters · tokens, and how much time.",
    (
        _PARAMETERS,
        Input("tokens", "the number of training tokens", demand="count"),
        Input("speed", "the number of operations per second of a device", optional=True, demand="positive"),
        Input("devices", "the number of devices; 1 by default", optional=True, demand="count"),
        Input("utilization", "the utilisation of the devices; 1 by default", optional=True, demand="positive"),
    ),
    (),
    {
        "forward": "one multiplication and one addition per parameter and token",
        "backward": "twice as many in the backward pass: for the inputs and for the weights",
        "flops": "forward and backward pass together",
        "seconds": "the training time at this speed",
        "days": "the time in days",
    },
    _operations,
    counts=_ALL,
    source="Kaplan et al. 2020; utilisation: Chowdhery et al. 2022 (PaLM).",
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
            f"training_memory also needs {missing} to count activations; {', '.join(sizes)} is not enough"
        )
    if sizes:
        batch = "batch * " if s.has("batch") else ""
        steps.append(("activations", f"layers * {batch}tokens * d_model * (34 + 5 * heads * tokens / d_model)"))
        parts.append("activations")
    return [*steps, ("size", " + ".join(parts)), *_UNITS]


TRAINING_MEMORY = Lesson(
    "training_memory",
    "How much memory training takes: weights, gradients, the memory of the optimizer, and the activations of a batch.",
    (
        _PARAMETERS,
        Input("layers", "the number of layers, to count activations", optional=True, demand="count"),
        Input("tokens", "the number of tokens of a sentence", optional=True, demand="count"),
        Input("d_model", "the dimension of the model", optional=True, demand="count"),
        Input("heads", "the number of heads", optional=True, demand="count"),
        _BATCH,
    ),
    (
        Option("precision", "word", "mixed", "Adam in mixed precision (2 + 2 + 12 bytes per parameter), Adam in "
        "float32 (4 + 4 + 8), or gradient descent in float32 (sgd: 4 + 4)", ("mixed", "float32", "sgd")),
    ),
    {
        "weights": "the weights, in bytes",
        "gradients": "one gradient per weight, in bytes",
        "optimizer": "both moving averages of Adam, and in mixed precision also a float32 copy of the weights",
        "activations": "the activations that are kept for the backward pass, 16 bits each: 34 + "
        "5·heads·tokens/d_model bytes per token, feature and layer",
    } | _UNIT_STEPS,
    _memory,
    counts=_ALL,
    source="16 bytes per parameter: Rajbhandari et al. 2020 (ZeRO); activations: Korthikanti et al. 2022.",
)  # fmt: skip
