"""Single steps of training: Adam and AdamW, and dropout with a mask that is given."""

from __future__ import annotations

from ..errors import FormulaError
from .base import Input, Lesson, Option, Recipe, Setting

MOST_UPDATES = 32


def _adam(s: Setting) -> list[Recipe]:
    """One update after another; `decay` says how the weights are drawn to 0."""
    count, decay, first = _updates(s), s.word("decay"), (s.whole("first", 1_000_000) or 1)
    for option in ("lr", "beta_1", "beta_2", "eps", *(("weight_decay",) if decay != "none" else ())):
        s.text(option)
        s.say(option, s.declared(option).default if s.default(option) else s.shown(option))
    s.say("decay", decay)
    steps: list[Recipe] = []
    for t in range(1, count + 1):
        steps += _update(s, t, first + t - 1, f"g_{t}" if s.has("g_1") else "g", decay)
    return steps


def _updates(s: Setting) -> int:
    """How many gradients there are: g alone, or g_1, g_2, ..."""
    if s.has("g") and not s.has("g_1"):
        return 1
    count = 0
    while s.has(f"g_{count + 1}"):
        count += 1
        if count > MOST_UPDATES:
            raise FormulaError(f"adam works out {MOST_UPDATES} updates at most")
    if not count:
        raise FormulaError("adam needs g, the gradient by the weights, or g_1, g_2, ... for one update after another")
    return count


def _update(s: Setting, t: int, number: int, gradient: str, decay: str) -> list[Recipe]:
    theta = f"theta_{t - 1}" if t > 1 else "theta"
    steps: list[Recipe] = []
    if decay == "l2":
        steps.append((f"decayed_{t}", f"{gradient} + weight_decay * {theta}"))
        gradient = f"decayed_{t}"
    for name, beta, power in (("m", "beta_1", ""), ("v", "beta_2", " ** 2")):
        kept = f"{beta} * {name}_{t - 1} + " if t > 1 else f"{beta} * {name} + " if s.has(name) else ""
        steps.append((f"{name}_{t}", f"{kept}(1 - {beta}) * {gradient}{power}"))
    steps += [
        (f"{name}_hat_{t}", f"{name}_{t} / (1 - {beta} ** {number})")
        for name, beta in (("m", "beta_1"), ("v", "beta_2"))
    ]
    shrunk = f"{theta} - lr * weight_decay * {theta}" if decay == "decoupled" else theta
    return [*steps, (f"theta_{t}", f"{shrunk} - lr * m_hat_{t} / (sqrt(v_hat_{t}) + eps)")]


ADAM = Lesson(
    "adam",
    "Adam and AdamW, one update after another: running means of the gradient and of its square, corrected for their "
    "start at 0.",
    (
        Input("theta", "the weights before the first update"),
        Input("g", "the gradients for theta, one for each update: g_1, g_2, ..., or g alone", numbered=True),
        Input("m", "the running mean of the gradients before, 0 where it is not given", optional=True),
        Input("v", "the running mean of the squared gradients before, 0 where it is not given", optional=True),
    ),
    (
        Option("lr", "formula", "0.001", "the learning rate", demand="positive", examples=("0.1",)),
        Option("beta_1", "formula", "0.9", "how much of the running mean is kept", examples=("0.5",)),
        Option("beta_2", "formula", "0.999", "how much of the running mean of squares is kept", examples=("0.99",)),
        Option("eps", "formula", "1e-8", "the small number that is added to the root", demand="not negative",
            examples=("0",)),
        Option("weight_decay", "formula", "0.01", "how strongly the weights are pulled to 0, where `decay` says so",
               demand="not negative",
               examples=("0.1",)),
        Option("decay", "word", "none", "no weight decay, in the gradient (l2), or beside it (decoupled: AdamW)",
            ("none", "l2", "decoupled")),
        Option("first", "whole", "1", "the number of the first update, for the correction", largest=1_000_000,
            examples=("3",)),
    ),
    {
        "decayed_1": "the gradient plus the weight decay, which pulls the weights to 0",
        "m_1": "the running mean of the gradients",
        "v_1": "the running mean of their squares",
        "m_hat_1": "the running mean, corrected for its start at 0",
        "v_hat_1": "the running mean of the squares, corrected in the same way",
        "theta_1": "the weights after the update",
    },
    _adam,
    zero={"theta": "the gradient there is 0 and so is eps; set eps above 0"},
    digits=6,
)  # fmt: skip


def _dropout(s: Setting) -> list[Recipe]:
    word = s.word("scaled")
    s.say("scaled", word)
    s.text("rate")
    s.say("rate", "0.5" if s.default("rate") else s.shown("rate"))
    kept: Recipe = ("kept", "X * M")
    return [kept, ("Y", "kept / (1 - rate)")] if word == "training" else [kept, ("test", "X * (1 - rate)")]


DROPOUT = Lesson(
    "dropout",
    "Dropout with a given mask: entries where it is 0 are left out, and the others grow by 1/(1 − p), so that the mean "
    "stays.",
    (Input("X", "the features"), Input("M", "the mask: 1 where an entry stays, 0 where it is dropped")),
    (
        Option("rate", "formula", "0.5", "the share p that is dropped", demand="probabilities", examples=("0.2",)),
        Option("scaled", "word", "training", "in training (inverted dropout), or, as in the first paper, at test time "
               "by 1 − p",
               ("training", "test")),
    ),
    {"kept": "what the mask leaves", "Y": "what is kept, scaled up so that the mean stays the same",
     "test": "the output at test time, without a mask"},
    _dropout,
    zero={"Y": "a rate of 1 drops everything"},
)  # fmt: skip
