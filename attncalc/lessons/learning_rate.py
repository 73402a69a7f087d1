"""The learning rate of "Attention Is All You Need": linear warm-up, then decay with the root of the step."""

from __future__ import annotations

from .lesson import Input, Lesson, Option, Recipe, Setting

_COUNTED = {"as_1": "maximum(step, 1)", "plus_1": "step + 1"}


def _recipes(s: Setting) -> list[Recipe]:
    word = s.say_word("step_0")
    counted = _COUNTED.get(word)
    step, warmup = "count" if counted else "step", "warmup" if s.has("warmup") else "4000"
    rate = "d_model ** (-1/2) * smaller"
    return [
        *([("count", counted)] if counted else []),
        ("decay", f"{step} ** (-1/2)"),
        ("rise", f"{step} * {warmup} ** (-3/2)"),
        ("smaller", "minimum(decay, rise)"),
        ("lr", f"factor * {rate}" if s.has("factor") else rate),
    ]


LEARNING_RATE = Lesson(
    "learning_rate",
    "The schedule with warm-up: factor · d_model^(−1/2) · min(step^(−1/2), step · warmup^(−3/2)).",
    (
        Input("step", "the numbers of the steps, a row or a column of them", demand="steps"),
        Input("d_model", "the dimension of the model", demand="count"),
        Input("warmup", "the number of warm-up steps; 4000 by default", optional=True, demand="count"),
        Input("factor", "the factor of the rate; 1 by default", optional=True, demand="positive"),
    ),
    (
        Option("step_0", "word", "none", "as_1 counts step 0 as step 1, plus_1 counts every step as the next one, and "
               "none allows no step 0",
               ("none", "as_1", "plus_1")),
    ),
    {
        "count": "the number that the formula uses for each step",
        "decay": "after warm-up: falls as 1/√step",
        "rise": "during warm-up: grows linearly and meets the decay at step = warmup",
        "smaller": "the smaller of the two",
        "lr": "the learning rate",
    },
    _recipes,
    zero={"decay": "steps are counted from 1; step_0: as_1 or step_0: plus_1 counts step 0 as step 1"},
    digits=8,
    source="Vaswani et al. 2017.",
)  # fmt: skip
