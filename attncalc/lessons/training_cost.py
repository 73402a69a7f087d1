"""Cost of training: floating-point operations and time by 6·N·D, and memory for weights, gradients, optimiser state and
activations.
"""

from __future__ import annotations

from ..errors import FormulaError
from .lesson import Input, Lesson, Option, Recipe, Setting
from .memory_cost import UNIT_STEPS, UNITS

_SECONDS = "seconds"
_SIZES = ("layers", "tokens", "d_model", "heads")


def _operations(s: Setting) -> list[Recipe]:
    steps: list[Recipe] = [
        ("forward", "2 * parameters * tokens"),
        ("backward", "4 * parameters * tokens"),
        ("flops", "6 * parameters * tokens"),
    ]
    if s.has("speed"):
        others = "".join(f" * {name}" for name in ("devices", "utilization") if s.has(name))
        steps += [(_SECONDS, f"flops / (speed{others})"), ("days", f"{_SECONDS} / 86400")]
    return steps


TRAINING_OPERATIONS = Lesson(
    "training_operations",
    "How many floating-point operations training takes, 6 · parameters · tokens, and how long that is.",
    (
        Input("parameters", "how many parameters the model has", demand="count"),
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
    counts=("*",),
)

_BYTES = {"mixed": (2, 2, 12), "float32": (4, 4, 8), "sgd": (4, 4, 0)}


def _memory(s: Setting) -> list[Recipe]:
    word = s.word("precision")
    s.say("precision", word)
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
    return [*steps, ("size", " + ".join(parts)), *UNITS]


TRAINING_MEMORY = Lesson(
    "training_memory",
    "How much memory training takes: weights, gradients, what the optimiser keeps, and the activations of a batch.",
    (
        Input("parameters", "how many parameters the model has", demand="count"),
        Input("layers", "how many layers, to count activations", optional=True, demand="count"),
        Input("tokens", "how many tokens a sentence has", optional=True, demand="count"),
        Input("d_model", "the width of the model", optional=True, demand="count"),
        Input("heads", "how many heads", optional=True, demand="count"),
        Input("batch", "how many sentences at once; one where it is not given", optional=True, demand="count"),
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
    } | UNIT_STEPS,
    _memory,
    counts=("*",),
)  # fmt: skip
