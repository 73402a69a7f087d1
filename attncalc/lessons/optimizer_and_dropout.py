"""Training steps: Adam and AdamW, gradient descent with momentum, dropout with a given mask, and the learning rate."""

from __future__ import annotations

from ..errors import FormulaError, listed
from ..formula.syntax_tree import Name
from .lesson import Input, Lesson, Option, Recipe, Setting

MOST_UPDATES = 32


def _adam(s: Setting) -> list[Recipe]:
    """Return the steps of all updates. The option `decay` selects the kind of weight decay."""
    count, decay, first = _updates(s), s.word("decay"), (s.integer("first", 1_000_000) or 1)
    for name in ("m", "v"):
        if s.is_unset("first") and s.has(name) and not _is_zero(s, name):
            raise FormulaError(
                f"{name} is not 0, so there were earlier updates; give the number of the next update for the "
                f"bias correction (first: 2 after one update)",
                about=name,
            )
    if first > 1 and (missing := [name for name in ("m", "v") if not s.has(name)]):
        zero = "is not given, so it is 0" if len(missing) == 1 else "are not given, so both are 0"
        s.warn(f"first: {first} means that there were earlier updates; {listed(missing)} {zero}")
    _state(s, "lr", "beta_1", "beta_2", "eps")
    steps: list[Recipe] = []
    for t in range(1, count + 1):
        steps += _update(s, t, first + t - 1, f"g_{t}" if s.has("g_1") else "g", decay)
    return steps


def _state(s: Setting, *options: str) -> None:
    """Add formula options and the weight decay to the conventions."""
    for option in (*options, *(("weight_decay",) if s.word("decay") != "none" else ())):
        s.say_formula(option)
    s.say_word("decay")


def _is_zero(s: Setting, name: str) -> bool:
    rows = s.numbers_of(s.trees.get(name, Name(name)))
    return rows is not None and all(x == 0 for row in rows for x in row)


def _updates(s: Setting) -> int:
    """Return the number of gradients: 1 for g, or the count of g_1, g_2, ... Raises FormulaError for none or too
    many.
    """
    if s.has("g") and not s.has("g_1"):
        return 1
    count = 0
    while s.has(f"g_{count + 1}"):
        count += 1
        if count > MOST_UPDATES:
            raise FormulaError(f"{s.lesson.name} computes at most {MOST_UPDATES} updates")
    if not count:
        raise FormulaError(
            f"{s.lesson.name} needs g, the gradient with respect to the weights, or g_1, g_2, ... for one "
            f"update after another"
        )
    return count


def _update(s: Setting, t: int, number: int, gradient: str, decay: str) -> list[Recipe]:
    steps, gradient, shrunk = _weight_decay(t, gradient, decay)
    for name, beta, power in (("m", "beta_1", ""), ("v", "beta_2", " ** 2")):
        decayed_mean = f"{beta} * {name}_{t - 1} + " if t > 1 else f"{beta} * {name} + " if s.has(name) else ""
        steps.append((f"{name}_{t}", f"{decayed_mean}(1 - {beta}) * {gradient}{power}"))
    steps += [
        (f"{name}_hat_{t}", f"{name}_{t} / (1 - {beta} ** {number})")
        for name, beta in (("m", "beta_1"), ("v", "beta_2"))
    ]
    return [*steps, (f"theta_{t}", f"{shrunk} - lr * m_hat_{t} / (sqrt(v_hat_{t}) + eps)")]


def _weight_decay(t: int, gradient: str, decay: str) -> tuple[list[Recipe], str, str]:
    theta = f"theta_{t - 1}" if t > 1 else "theta"
    if decay == "l2":
        return [(f"decayed_{t}", f"{gradient} + weight_decay * {theta}")], f"decayed_{t}", theta
    return [], gradient, theta + _SHRINK[decay].format(theta)


_SHRINK = {"none": "", "l2": "", "decoupled": " - lr * weight_decay * {0}", "independent": " - weight_decay * {0}"}
_THETA = Input("theta", "the weights before the first update")
_GRADIENTS = Input(
    "g", "the gradients for theta, one per update: g_1, g_2, ..., or only g", numbered=True, shape="theta"
)
_RATE = Option("lr", "formula", "0.001", "the learning rate", demand="positive", examples=("0.1",))
_DECAY = (
    Option("weight_decay", "formula", "0.01", "the rate of the weight decay, if `decay` is not none",
           demand="not negative", examples=("0.1",)),
    Option("decay", "word", "none", "where weight decay is added: nowhere (none), in the gradient (l2), or separately, "
    "multiplied by the learning rate (decoupled, as AdamW in PyTorch) or not (independent, as AdamW in its "
    "paper)", tuple(_SHRINK)),
)  # fmt: skip
_DECAYED = "the gradient plus the weight decay, which pulls the weights to 0"
_UPDATED = "the weights after the update"

ADAM = Lesson(
    "adam",
    "Adam and AdamW, one update after another: moving averages of the gradient and of its square, with bias "
    "correction.",
    (
        _THETA,
        _GRADIENTS,
        Input("m", "the previous first moment (0 if it is not given); if you give it, also give `first`",
              optional=True, shape="theta"),
        Input("v", "the previous second moment (0 if it is not given); if you give it, also give `first`",
              optional=True, shape="theta"),
    ),
    (
        _RATE,
        Option("beta_1", "formula", "0.9", "the decay rate of the first moment", demand="probabilities",
               examples=("0.5",)),
        Option("beta_2", "formula", "0.999", "the decay rate of the second moment", demand="probabilities",
               examples=("0.99",)),
        Option("eps", "formula", "1e-8", "the small number that is added to the square root of the second "
        "moment", demand="not negative",
            examples=("0",)),
        *_DECAY,
        Option("first", "whole", "1", "the number of the first update, for the bias correction; 2 or more if m "
        "and v come from earlier updates", largest=1_000_000,
            examples=("3",)),
    ),
    {
        "decayed_1": _DECAYED,
        "m_1": "the first-moment estimate, an exponential moving average of the gradients",
        "v_1": "the second-moment estimate, the exponential moving average of the squared gradients",
        "m_hat_1": "the bias-corrected first moment (the average starts at 0)",
        "v_hat_1": "the bias-corrected second moment",
        "theta_1": _UPDATED,
    },
    _adam,
    zero={"theta": "the gradient there is 0 and so is eps; set eps above 0"},
    digits=6,
    source="Kingma and Ba 2015, Algorithm 1. Decay: `l2` is Adam and `decoupled` is AdamW of PyTorch; Algorithm 2 of "
    "Loshchilov and Hutter 2019 subtracts η λ θ without the learning rate α: `independent`, with η λ as "
    "`weight_decay`.",
)  # fmt: skip


def _momentum(s: Setting) -> list[Recipe]:
    """Return the steps of all updates. The learning rate is a factor of the velocity (outside) or of the gradient
    (inside).
    """
    count, decay, outside = _updates(s), s.word("decay"), s.word("rate") == "outside"
    ahead, dampened = s.flag("nesterov"), not s.is_default("dampening")
    if dampened and (ahead or not outside):
        other = "nesterov" if ahead else "rate: inside"
        raise FormulaError(f"dampening has no meaning with {other}; leave one of them out", about="dampening")
    _state(s, "lr", "mu", *(("dampening",) if dampened else ()))
    s.say_word("rate")
    s.say("nesterov", "true" if ahead else "false")
    steps: list[Recipe] = []
    for t in range(1, count + 1):
        decayed, gradient, theta = _weight_decay(t, f"g_{t}" if s.has("g_1") else "g", decay)
        velocity = f"velocity_{t - 1}" if t > 1 else "velocity" if s.has("velocity") else ""
        share = "(1 - dampening) * " if dampened and velocity else ""
        decayed_velocity = f"mu * {velocity}" if velocity else ""
        if outside:
            steps += [
                *decayed,
                (f"velocity_{t}", f"{decayed_velocity} + {share}{gradient}" if decayed_velocity else gradient),
            ]
            used = f"({gradient} + mu * velocity_{t})" if ahead else f"velocity_{t}"
            steps.append((f"theta_{t}", f"{theta} - lr * {used}"))
        else:
            steps += [
                *decayed,
                (f"velocity_{t}", f"{decayed_velocity} - lr * {gradient}" if decayed_velocity else f"-lr * {gradient}"),
            ]
            used = f"mu * velocity_{t} - lr * {gradient}" if ahead else f"velocity_{t}"
            steps.append((f"theta_{t}", f"{theta} + {used}"))
    return steps


MOMENTUM = Lesson(
    "momentum",
    "Gradient descent with momentum, one update after another: at each update, the velocity is multiplied by μ and "
    "then changed by the gradient.",
    (
        _THETA,
        _GRADIENTS,
        Input("velocity", "the previous velocity, if there were earlier updates; 0 if it is not given, and then the "
        "first gradient is not dampened", optional=True, shape="theta"),
    ),
    (
        _RATE,
        Option("mu", "formula", "0.9", "the momentum, by which the previous velocity is multiplied", demand="not "
        "negative",
               examples=("0.5",)),
        Option("dampening", "formula", "0", "if there is a previous velocity, the gradient is multiplied by "
               "1 − dampening",
               examples=("0.9",)),
        Option("nesterov", "flag", "false", "true looks ahead by one step of the velocity (Nesterov)"),
        Option("rate", "word", "outside", "the learning rate multiplies the velocity (outside), or the gradient "
        "that is added to it (inside)", ("outside", "inside")),
        *_DECAY,
    ),
    {
        "decayed_1": _DECAYED,
        "velocity_1": "the velocity: μ times the previous velocity, plus the gradient (or minus lr times the gradient)",
        "theta_1": _UPDATED,
    },
    _momentum,
    digits=6,
    source="`rate: outside` is SGD of PyTorch: v = μ v + (1 − dampening) g, and the new θ is θ − lr v. The first "
    "velocity is g. `rate: inside` follows Polyak 1964, Sutskever et al. 2013 and Keras: v = μ v − lr g, and the new "
    "θ is θ + v. Sutskever "
    "et al. take "
    "Nesterov's gradient at θ + μ v: for their method, give that gradient and leave out `nesterov`.",
)  # fmt: skip


def _dropout(s: Setting) -> list[Recipe]:
    word = s.say_word("scaled")
    s.say_formula("rate")
    kept: Recipe = ("kept", "X * M")
    return [kept, ("Y", "kept / (1 - rate)")] if word == "training" else [kept, ("test", "X * (1 - rate)")]


DROPOUT = Lesson(
    "dropout",
    "Dropout with a given mask: entries where it is 0 are dropped. The others are multiplied by 1/(1 − p) in "
    "training, or all entries by 1 − p at test time.",
    (
        Input("X", "the features"),
        Input("M", "the mask: 1 where an entry is kept, 0 where it is dropped; a file may also call it mask",
              also=("mask",), demand="mask", shape="X"),
    ),
    (
        Option("rate", "formula", "0.5", "the dropout rate; a file may also call it p", demand="probabilities",
               examples=("0.2",), also=("p",)),
        Option("scaled", "word", "training", "when the entries are scaled: in training, by 1/(1 − p) "
        "(inverted dropout), or "
               "at test time, by 1 − p (the original paper)",
               ("training", "test")),
    ),
    {"kept": "the entries that the mask keeps", "Y": "the kept entries, scaled up so that the expected value "
    "does not change",
     "test": "the output at test time, without a mask"},
    _dropout,
    zero={"Y": "a rate of 1 drops everything"},
    source="Srivastava et al. 2014 (scaled: test).",
)  # fmt: skip


# -- learning rate -----------------------------------------------------------------------------------------------------


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
        Option("step_0", "word", "none", "as_1 counts step 0 as step 1; plus_1 adds 1 to every step; with none, step "
        "0 is not allowed",
               ("none", "as_1", "plus_1")),
    ),
    {
        "count": "the number that the formula uses for each step",
        "decay": "the rate after warm-up, which falls as 1/√step",
        "rise": "the rate during warm-up, which grows linearly and meets the decay at step = warmup",
        "smaller": "the smaller of decay and rise",
        "lr": "the learning rate",
    },
    _recipes,
    zero={"decay": "steps are counted from 1; step_0: as_1 or step_0: plus_1 counts step 0 as step 1"},
    digits=8,
    source="Vaswani et al. 2017; large gradients at the start: Xiong et al. 2020.",
)  # fmt: skip
