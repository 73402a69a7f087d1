"""A second, independent simulator of students, written from the promise alone (docs/marking.md, rule "legal") and
without a look at the code that marks or at the first simulator (scripts.py).

A task is a random problem. A hand works it line by line with numbers of its own: `decimal` on paper and on a pocket
calculator, float64 and float32 of NumPy at the computer. Every operation stands in RIGHT, and a mistake replaces one of
them (second_mistakes.py).
"""

from __future__ import annotations

import decimal
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.support.second_mistakes import Mistake

Matrix = Any
Rows = list[list[str]]
EXACT = decimal.Context(prec=45)
SURE = decimal.Context(prec=40)  # of a sine by its series, whose last figures are not: cos(0) is 1
WIDE = decimal.Context(prec=600)
HABITS = {
    "half up": decimal.ROUND_HALF_UP,
    "half even": decimal.ROUND_HALF_EVEN,
    "half down": decimal.ROUND_HALF_DOWN,
    "cut": decimal.ROUND_DOWN,
    "floor": decimal.ROUND_FLOOR,
}


# --- the hands --------------------------------------------------------------------------------------------------------


class Hand:
    """Writes the lines of a script: `line` types a matrix and gives back what the student carries on."""

    pi: Any
    minus_infinity: Any
    tokens: Matrix

    def __init__(self, task: Task, method: Sequence[str] = (), left_out: Sequence[str] = ()) -> None:
        self.task, self.method, self.left_out = task, set(method), set(left_out)
        self.facts: dict[str, int] = {}
        self.script: dict[str, Rows] = {}

    def line(self, name: str, value: Matrix) -> Matrix:
        if name in self.left_out:
            return self.keep(value)
        texts, carried = self.typed(value, name)
        if self.forced and name == self.forced[0]:
            texts = self.forced[1](texts)
            carried = self.matrix(texts)
        self.script[name] = [list(column) for column in zip(*texts, strict=True)] if self.task.columns else texts
        return carried

    @property
    def takes_the_last(self) -> bool:
        """Of equal probabilities the last, but not of those that only a coarse print makes equal: then the full values
        decide.
        """
        return "the last of equals" in self.method and "P" not in getattr(self, "places", ())

    forced: tuple[str, Callable[[Rows], Rows]] | None = None

    def logarithms(self, s: Matrix) -> Matrix:
        """Softmax as exp(s − ln Σ exp s)."""
        total = self.exp(s).sum(axis=1, keepdims=True)
        if not np.isfinite(total).all():
            raise OverflowError
        return self.exp(s - self.ln(total))

    def index(self, name: str, value: int) -> None:
        self.script[name] = [[str(value)]]

    def given(self, name: str) -> Matrix:
        rows = self.task.given[name]
        return self.matrix(rows if isinstance(rows, list) else [[rows]])

    def keep(self, value: Matrix) -> Matrix:
        return value

    def typed(self, value: Matrix, name: str) -> tuple[Rows, Matrix]:
        raise NotImplementedError

    def matrix(self, rows: Rows) -> Matrix:
        raise NotImplementedError


def forced(hand: Hand, name: str, instead: Callable[[Rows], Rows]) -> Hand:
    """The hand types something else at one line, and carries that on."""
    hand.forced = (name, instead)
    return hand


def each(function: Callable[[Any], Any]) -> Callable[[Matrix], Matrix]:
    many = np.frompyfunc(function, 1, 1)
    return lambda value: many(value)


def decimal_sine(x: Decimal) -> Decimal:
    term, total, k = x, x, 1
    while term and abs(term) > Decimal("1e-42"):
        term = -term * x * x / ((k + 1) * (k + 2))
        total, k = total + term, k + 2
    return total


class Paper(Hand):
    """Decimals by hand. What is typed has `places[name]` decimals (else `digits`); what is not written keeps w
    decimals, and as many significant figures, w being the larger of the typed decimals and what the sheet asks; `spare`
    decimals more, or all of them (None). Carried are the print, the full value, or a finer print.
    """

    minus_infinity = Decimal("-Infinity")
    pi = Decimal("3.14159265358979323846264338327950288419716939")
    precision = 45

    def __init__(
        self,
        task: Task,
        habit: str,
        carry: str,
        spare: int | None,
        digits: int,
        places: dict[str, int] | None = None,
        drops_zeros: bool = False,
        seed: int = 0,
        **how: Any,
    ) -> None:
        super().__init__(task, **how)
        self.moods = random.Random(seed)  # a student who carries now this, now that
        self.habit, self.carry, self.spare, self.digits = HABITS[habit], carry, spare, digits
        self.places, self.drops_zeros, self.finer = places or {}, drops_zeros, 1 if spare is None else 1 + spare
        self.w = max(digits, 1 if task.digits is None else task.digits, *(list(self.places.values()) or [0]))
        self.exp, self.sqrt, self.ln = (self.function(one) for one in (Decimal.exp, Decimal.sqrt, Decimal.ln))
        self.sin = self.function(lambda x: SURE.plus(decimal_sine(x)))
        self.cos = self.function(lambda x: SURE.plus(decimal_sine(self.pi / 2 - x)))

    def function(self, one: Callable[[Decimal], Decimal]) -> Callable[[Matrix], Matrix]:
        def worked(x: Decimal) -> Decimal:
            with decimal.localcontext(EXACT):
                value = one(x)
            return +value

        def kept(value: Matrix) -> Matrix:
            return self.keep(each(worked)(value) if isinstance(value, np.ndarray) else worked(value))

        return kept

    def logarithms(self, s: Matrix) -> Matrix:
        spare, self.spare = self.spare, None
        total = self.exp(s).sum(axis=1, keepdims=True)
        weights = self.exp(s - self.ln(total))
        self.spare = spare
        alone = [[x.is_finite() for x in row].count(True) == 1 for row in s]  # what is the only one is 1
        return np.array(
            [
                [Decimal(int(x.is_finite())) if one else w for x, w in zip(row, by_logarithms, strict=True)]
                for row, by_logarithms, one in zip(s, weights, alone, strict=True)
            ],
            dtype=object,
        )

    def num(self, value: Any) -> Decimal:
        return Decimal(str(value))

    def matrix(self, rows: Rows) -> Matrix:
        return np.array([[Decimal(entry) for entry in row] for row in rows], dtype=object)

    def rounded(self, x: Decimal, places: int) -> Decimal:
        return x.quantize(Decimal(1).scaleb(-places), rounding=self.habit, context=WIDE) if x.is_finite() else x

    def keep(self, value: Matrix) -> Matrix:
        if self.spare is None:
            return value
        w = self.w + self.spare

        def one(x: Decimal) -> Decimal:
            return self.rounded(x, max(w, w - 1 - x.adjusted())) if x and x.is_finite() else x

        return each(one)(value) if isinstance(value, np.ndarray) else one(value)

    def typed(self, value: Matrix, name: str) -> tuple[Rows, Matrix]:
        places = self.places.get(name, self.digits)
        printed = each(lambda x: self.rounded(x, places))(value)
        carry = self.moods.choice(["print", "full", "finer"]) if self.carry == "mixed" else self.carry
        if carry == "print":
            carried = printed
        elif carry == "full" or places < self.w:
            carried = value
        else:
            carried = each(lambda x: self.rounded(x, max(places + 1, self.w) + self.finer - 1))(value)
        return self.texts(printed, places), carried

    def texts(self, printed: Matrix, places: int) -> Rows:
        rows = [["-inf" if x.is_infinite() else f"{abs(x) if x == 0 else x:f}" for x in row] for row in printed]
        if not self.drops_zeros or not places:
            return rows
        short = [[x.rstrip("0").rstrip(".") if "." in x else x for x in row] for row in rows]
        longest = max(len(x.partition(".")[2]) for row in short for x in row)
        return short if longest == places else rows


class Calculator(Paper):
    """Ten to twelve significant digits after every key, the display rounded to the line's decimals."""

    def __init__(self, task: Task, precision: int, **how: Any) -> None:
        super().__init__(task, spare=None, **how)
        self.precision = precision


class Program(Hand):
    """float64 or float32 of NumPy, printed as `show` says."""

    def __init__(self, task: Task, kind: type, show: str, digits: int, **how: Any) -> None:
        super().__init__(task, **how)
        self.kind, self.show, self.digits = kind, show, digits
        self.minus_infinity, self.pi = kind(-np.inf), kind(np.pi)
        self.exp, self.sqrt, self.ln, self.sin, self.cos = np.exp, np.sqrt, np.log, np.sin, np.cos

    def num(self, value: Any) -> Any:
        return self.kind(float(value))

    def matrix(self, rows: Rows) -> Matrix:
        return np.array([[float(entry) for entry in row] for row in rows], dtype=self.kind)

    def typed(self, value: Matrix, name: str) -> tuple[Rows, Matrix]:
        value = value.astype(self.kind)
        if self.show == "np.round":
            value = np.round(value, self.digits)
        return [[shown(x, self.show, self.digits, value) for x in row] for row in value], value


def shown(x: Any, show: str, digits: int, whole: Matrix) -> str:
    if not np.isfinite(x):
        return "-inf"
    match show:
        case "fixed":
            return f"{x:.{digits}f}"
        case "excel":
            return f"{x:.15g}"
        case "array":
            return np.format_float_positional(x, precision=8, unique=True, trim="0")
        case "torch":
            return torch_print(x, whole)
    return repr(x.item()) if x.dtype == np.float64 else str(x)


def torch_print(x: Any, whole: Matrix) -> str:
    """As torch.Tensor is printed: four decimals; with exponents where the sizes lie far apart; whole numbers with a
    bare point.
    """
    sizes = abs(whole[np.isfinite(whole) & (whole != 0)])
    if np.all(sizes == np.round(sizes)):
        return f"{x:.0f}."
    far = len(sizes) and (sizes.max() / sizes.min() > 1000 or sizes.max() > 1e8 or sizes.min() < 1e-4)
    return f"{x:.4e}" if far else f"{x:.4f}"


# --- right operations -------------------------------------------------------------------------------------------------


def softmax(h: Hand, s: Matrix) -> Matrix:
    if "maximum subtracted" in h.method:
        s = s - np.array([[max(row)] for row in s], dtype=s.dtype)
    if "logarithms" in h.method:  # kept in full: weights from a rounded logarithm would not sum to 1
        return h.logarithms(s)
    e = h.exp(s)
    total = e.sum(axis=1, keepdims=True)
    return e / h.keep(total)


def sum_of(x: Matrix) -> Matrix:
    return x.sum(axis=1, keepdims=True)


def waves(h: Hand, angles: Matrix) -> Matrix:
    out = angles.copy()
    out[:, 0::2], out[:, 1::2] = h.sin(angles[:, 0::2]), h.cos(angles[:, 1::2])
    return out


RIGHT: dict[str, Callable[..., Any] | None] = {
    "sources": lambda h, x, memory: (x, memory, memory),
    "project": lambda h, x, w, b: x @ w + b,
    "value": lambda h, x, w, b: None,  # V is projected as Q and K are
    "roles": lambda h, q, k, v: (q, k, v),
    "scores": lambda h, q, k: q @ k.T,
    "scale": lambda h, s, root: s / root,
    "late_scale": lambda h, root: None,
    "mask": lambda h, s, keep: np.where(keep, s, h.minus_infinity),
    "weights_masked": None,  # the mask comes before the softmax
    "softmax": softmax,
    "mixed": lambda h, k, v: v,
    "mix": lambda h, a, v: a @ v,
    "head": lambda h, i: i,
    "cut": lambda h, m, i, heads: m[:, i * m.shape[1] // heads : (i + 1) * m.shape[1] // heads],
    "join": lambda h, heads: np.concatenate(heads, axis=1),
    "project_out": lambda h, x, w: x @ w,
    "append": lambda h, old, new: np.concatenate([old, new]),
    "places": lambda h, n: range(n),
    "base": lambda h: h.num(10000),
    "exponent": lambda h, j, d: (j // 2 * 2, d),
    "table": waves,
    "add": lambda h, x, pe: x + pe,
    "mean": lambda h, x: sum_of(x) / h.num(x.shape[1]),
    "variance": lambda h, x, m: sum_of((x - m) ** 2) / h.num(x.shape[1]),
    "normed": lambda h, x, m, v, eps: (x - m) / h.sqrt(h.keep(v + eps)),
    "affine": lambda h, y, gamma, beta: y * gamma + beta,
    "mean_square": lambda h, x: sum_of(x**2) / h.num(x.shape[1]),
    "rms_normed": lambda h, x, m, eps: x / h.sqrt(h.keep(m + eps)),
    "stretch": lambda h, y, gamma: y * gamma,
    "hidden": lambda h, x, w, b: x @ w + b,
    "active": lambda h, z: np.maximum(z, h.num(0)),
    "second": lambda h, a, w, b: a @ w + b,
    "target": lambda h, t, width: t,
    "pick": lambda h, p, t: p[np.arange(len(p)), t][:, None],
    "surprise": lambda h, p: -h.ln(p),
    "average": lambda h, x: x.sum(keepdims=True) / h.num(len(x)),
    "perplexity": lambda h, x: h.exp(x),
    "decay": lambda h, t: 1 / h.sqrt(t),
    "rise": lambda h, t, w: t * h.keep(1 / (w * h.sqrt(w))),
    "smaller": lambda h, a, b: np.minimum(a, b),
    "rate": lambda h, d, x: x * h.keep(1 / h.sqrt(d)),
    "last": lambda h, x: x[-1:],
    "temper": lambda h, s, t: s / t,
    "best": lambda h, p: p.shape[1] - 1 - int(np.argmax(p[:, ::-1])) if h.takes_the_last else int(np.argmax(p)),
}


class NotHere(Exception):
    """The mistake cannot be made in this problem: shapes forbid it."""


def doing(h: Hand, mistake: Mistake | None) -> Any:
    """The right operations, one of them replaced by the mistake's."""

    def replaced(*inputs: Any) -> Any:
        assert mistake is not None
        done = mistake.done(h, *inputs)
        if done is None:
            raise NotHere(mistake.name)
        return done

    h.waves = lambda angles: waves(h, angles)  # type: ignore[attr-defined]
    steps = {name: do and (lambda *inputs, do=do: do(h, *inputs)) for name, do in RIGHT.items()}
    if mistake is not None:
        steps[mistake.operation] = replaced
    return SimpleNamespace(**steps)


# --- lessons ----------------------------------------------------------------------------------------------------------


def attend(h: Hand, do: Any, q: Matrix, k: Matrix, v: Matrix, tail: str = "") -> Matrix:
    """S, S_scaled, S_masked, A, Z, those that apply."""
    options, width = h.task.options, q.shape[1]
    h.facts |= {"d_k": width, "d_model": h.facts.get("d_model", width)}
    keep = np.tril(np.ones((len(q), len(k)), dtype=bool)) if options.get("mask") == "causal" else None
    scale = options.get("scale", "sqrt(d_k)")
    root = h.num(scale) if scale.isdigit() else h.sqrt(h.num(width))
    late = do.late_scale(root)
    if scale == "none":
        s = h.line("S" + tail, do.scores(q, k))
        if late is not None:
            raise NotHere
    elif "scale folded into Q" in h.method:
        s = h.line("S_scaled" + tail, do.scores(h.keep(do.scale(q, root)), k))
    else:
        s = h.line("S" + tail, do.scores(q, k))
        s = h.line("S_scaled" + tail, s if late is not None else do.scale(s, root))
    if keep is not None and not do.weights_masked:
        s = h.line("S_masked" + tail, do.mask(s, keep))
    a = do.softmax(s)
    if keep is not None and do.weights_masked:
        a = do.weights_masked(a, keep)
    a = h.line("A" + tail, a if late is None else a / late)
    if "A (X W)" in h.method:
        return h.line("Z" + tail, h.keep(a @ h.tokens) @ h.given("W_V"))
    return h.line("Z" + tail, do.mix(a, do.mixed(k, v)))


def projected(h: Hand, do: Any, x: Matrix, memory: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    sides = dict(zip("QKV", do.sources(x, memory), strict=True))
    h.facts["d_model"] = x.shape[1]
    out = []
    for name, side in sides.items():
        w = h.given("W_" + name)
        bias = h.given("b_" + name) if "b_" + name in h.task.given else np.zeros((1, w.shape[1]), dtype=int) * h.num(0)
        special = do.value(side, w, bias) if name == "V" else None
        out.append(do.project(side, w, bias) if special is None else special)
    return do.roles(*out)


def work_attention(h: Hand, do: Any) -> None:
    attend(h, do, *do.roles(h.given("Q"), h.given("K"), h.given("V")))


def work_self_attention(h: Hand, do: Any) -> None:
    x = h.given("X")
    h.tokens = h.given("memory") if h.task.lesson == "cross_attention" else x
    q, k, v = projected(h, do, x, h.tokens)
    attend(h, do, h.line("Q", q), h.line("K", k), h.line("V", v))


def work_cached_attention(h: Hand, do: Any) -> None:
    x = h.given("X")
    q, k, v = projected(h, do, x, x)
    q, k_new, v_new = h.line("Q", q), h.line("K_new", k), h.line("V_new", v)
    k, v = h.line("K", do.append(h.given("K_cache"), k_new)), h.line("V", do.append(h.given("V_cache"), v_new))
    attend(h, do, q, k, v)


def work_multi_head_attention(h: Hand, do: Any) -> None:
    x, heads = h.given("X"), int(h.task.options["heads"])
    whole = projected(h, do, x, x)
    outputs = []
    for number in range(heads):
        tail, taken = f"_{number + 1}", do.head(number)
        parts = [h.line(name + tail, do.cut(m, taken, heads)) for name, m in zip("QKV", whole, strict=True)]
        outputs.append(attend(h, do, *parts, tail=tail))
    joined = h.line("H", do.join(outputs))
    w = h.given("W_O")
    if len(w) != joined.shape[1]:
        raise NotHere
    if "W_O by blocks" in h.method:
        width = len(w) // heads
        h.line("Z", sum(h.keep(outputs[i] @ w[i * width : (i + 1) * width]) for i in range(heads)))
    else:
        h.line("Z", do.project_out(joined, w))


def work_positions(h: Hand, do: Any) -> None:
    x = h.given("X")
    n, d = x.shape
    angles = h.matrix([["0"] * d] * n)
    for i, place in enumerate(do.places(n)):
        for j in range(d):
            above, below = do.exponent(j, d)
            angles[i, j] = h.num(place) / h.exp(h.keep(h.num(above) / h.num(below)) * h.ln(do.base()))
    h.line("X_pe", do.add(x, h.line("PE", do.table(h.keep(angles)))))


def work_layer_norm(h: Hand, do: Any) -> None:
    x, eps = h.given("X"), h.num(h.task.options["eps"])
    m = h.line("mean", do.mean(x))
    v = h.line("var", do.variance(x, m))
    y = h.line("normed", do.normed(x, m, v, eps))
    h.line("Y", do.affine(y, h.given("gamma"), h.given("beta")))


def work_rms_norm(h: Hand, do: Any) -> None:
    x = h.given("X")
    m = h.line("mean_square", do.mean_square(x))
    h.line("Y", do.stretch(h.line("normed", do.rms_normed(x, m, h.num(h.task.options["eps"]))), h.given("gamma")))


def work_feed_forward(h: Hand, do: Any) -> None:
    z = h.line("hidden", do.hidden(h.given("X"), h.given("W_1"), h.given("b_1")))
    h.line("Y", do.second(h.line("active", do.active(z)), h.given("W_2"), h.given("b_2")))


def work_cross_entropy(h: Hand, do: Any) -> None:
    targets = np.array([int(t) for t in h.task.given["targets"][0]])
    p = h.line("P", do.softmax(h.given("logits")))
    picked = h.line("picked", do.pick(p, do.target(targets, p.shape[1])))
    loss = h.line("loss", do.average(h.line("losses", do.surprise(picked))))
    h.line("perplexity", do.perplexity(loss))


def work_learning_rate(h: Hand, do: Any) -> None:
    t, d, warmup = h.given("step"), h.given("d_model"), h.given("warmup")
    decay, rise = h.line("decay", do.decay(t)), h.line("rise", do.rise(t, warmup))
    h.line("lr", do.rate(d, h.line("smaller", do.smaller(decay, rise))))


def work_next_word(h: Hand, do: Any) -> None:
    last = h.line("last", do.last(h.given("X")))
    logits = h.line("logits", last @ h.given("W_out"))
    if "temperature" in h.task.options:
        logits = h.line("logits_scaled", do.temper(logits, h.num(h.task.options["temperature"])))
    p = h.line("P", do.softmax(logits))
    h.index("next", do.best(p))


WORK: dict[str, Callable[[Hand, Any], None]] = {
    "attention": work_attention,
    "self_attention": work_self_attention,
    "cross_attention": work_self_attention,
    "cached_attention": work_cached_attention,
    "multi_head_attention": work_multi_head_attention,
    "positional_encoding": work_positions,
    "layer_norm": work_layer_norm,
    "rms_norm": work_rms_norm,
    "feed_forward": work_feed_forward,
    "cross_entropy": work_cross_entropy,
    "learning_rate": work_learning_rate,
    "next_word": work_next_word,
}


# --- tasks ------------------------------------------------------------------------------------------------------------


@dataclass
class Task:
    """A problem of one lesson: givens as text, options, the decimals that the sheet asks (None: it says nothing)."""

    lesson: str
    given: dict[str, Any]
    options: dict[str, str]
    digits: int | None
    columns: bool = False

    def text(self) -> str:
        lines = [f"title: {self.lesson}"] + (["vectors: columns"] if self.columns else [])
        lines += [] if self.digits is None else [f"rounding: {{digits: {self.digits}}}"]
        lines += ["given:"] + [
            f"  {name}: {yaml_rows(self.as_given(name, value))}" for name, value in self.given.items()
        ]
        options = ", ".join(f'{name}: "{value}"' for name, value in self.options.items())
        return "\n".join([*lines, f"{self.lesson}: {{{options}}}"]) + "\n"

    def as_given(self, name: str, value: Any) -> Any:
        return (
            [list(column) for column in zip(*value, strict=True)] if self.columns and isinstance(value, list) else value
        )


def yaml_rows(value: Any) -> str:
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in value) + "]" if isinstance(value, list) else value


def draw_task(rng: random.Random, lesson: str | None = None) -> Task:
    lesson = lesson or rng.choice(list(WORK))
    kind = rng.choice(["integers", "integers", "halves", "tenths"])

    def entry() -> str:
        match kind:
            case "integers":
                return str(rng.randint(-3, 3))
            case "halves":
                return f"{rng.randint(-4, 4) / 2:g}"
        return f"{rng.randint(-15, 15) / 10:g}"

    def m(rows: int, columns: int) -> Rows:
        return [[entry() for _ in range(columns)] for _ in range(rows)]

    n, d, k = rng.randint(2, 4), rng.randint(2, 4), rng.randint(2, 4)
    v = rng.choice([k, k, rng.randint(1, 4)])
    options: dict[str, str] = {}
    given: dict[str, Any] = {}
    columns = False
    if lesson in ("attention", "self_attention", "multi_head_attention") and rng.random() < 0.5:
        options["mask"] = "causal"
    if lesson in ("attention", "self_attention", "cross_attention") and rng.random() < 0.25:
        options["scale"] = rng.choice(["none", "2", "3"])
    if lesson == "attention":
        m_keys = n if "mask" in options else rng.randint(2, 4)
        given = {"Q": m(n, k), "K": m(m_keys, k), "V": m(m_keys, v)}
    elif lesson in ("self_attention", "cross_attention", "cached_attention"):
        given = {"X": m(1 if lesson == "cached_attention" else n, d)}
        if lesson == "cross_attention":
            options["memory"] = "memory"
            given["memory"] = m(rng.choice([n, n, rng.randint(2, 4)]), d)
        if lesson == "cached_attention":
            given |= {"K_cache": m(n, k), "V_cache": m(n, v)}
        given |= {"W_Q": m(d, k), "W_K": m(d, k), "W_V": m(d, v)}
        if rng.random() < 0.3:
            given |= {"b_Q": m(1, k), "b_K": m(1, k), "b_V": m(1, v)}
        columns = lesson == "self_attention" and "b_Q" not in given and rng.random() < 0.2
    elif lesson == "multi_head_attention":
        d, n = 4, min(n, 3)
        options["heads"] = "2"
        given = {"X": m(n, d), "W_Q": m(d, 4), "W_K": m(d, 4), "W_V": m(d, 4), "W_O": m(4, 4)}
    elif lesson == "positional_encoding":
        given = {"X": m(n, rng.choice([2, 4, 6]))}
    elif lesson in ("layer_norm", "rms_norm"):
        rows = [row for row in m(12, rng.randint(3, 5)) if len(set(row)) > 1][:n]
        options["eps"] = rng.choice(["0", "0.00001", "0.1", "0.5"])
        given = {"X": rows, "gamma": m(1, len(rows[0]))} | (
            {"beta": m(1, len(rows[0]))} if lesson == "layer_norm" else {}
        )
    elif lesson == "feed_forward":
        width = rng.randint(2, 5)
        given = {"X": m(n, d), "W_1": m(d, width), "b_1": m(1, width), "W_2": m(width, d), "b_2": m(1, d)}
    elif lesson == "cross_entropy":
        words = rng.randint(3, 5)
        given = {"logits": m(n, words), "targets": [[str(rng.randrange(words)) for _ in range(n)]]}
    elif lesson == "learning_rate":
        steps = sorted(rng.sample(range(1, 30), 4))
        given = {
            "step": [[str(t) for t in steps]],
            "d_model": str(rng.choice([4, 10, 16, 32])),
            "warmup": str(rng.randint(3, 12)),
        }
    else:
        words = rng.randint(3, 5)
        options |= {"temperature": rng.choice(["0.5", "2", "0.8"])} if rng.random() < 0.5 else {}
        given = {"X": m(n, d), "W_out": m(d, words)}
    return Task(
        lesson,
        given,
        options,
        rng.choice([4, 4, 5, None] if lesson == "learning_rate" else [2, 2, 2, 3, 4, 1, None]),
        columns,
    )


# --- students ---------------------------------------------------------------------------------------------------------


@dataclass
class Student:
    """How one works: the kind of hand, what it is made with, and how the script is written. `hand` makes the same hand
    again and again.
    """

    kind: str
    how: dict[str, Any]
    form: str

    def hand(self, task: Task, method: Sequence[str], left_out: Sequence[str]) -> Hand:
        made = {"paper": Paper, "coarse paper": Paper, "calculator": Calculator}.get(self.kind, Program)
        return made(task, method=method, left_out=left_out, **self.how)


PROGRAMS = {
    "float64, repr": (np.float64, "repr"),
    "float64, array": (np.float64, "array"),
    "float64, fixed": (np.float64, "fixed"),
    "float64, np.round": (np.float64, "np.round"),
    "Excel": (np.float64, "excel"),
    "float32, repr": (np.float32, "repr"),
    "PyTorch": (np.float32, "torch"),
}
FORMS = ("yaml", "yaml quoted", "yaml block", "numpy", "markdown", "latex", "csv")
LINES = (
    "S",
    "S_scaled",
    "A",
    "Z",
    "Q",
    "K",
    "V",
    "mean",
    "var",
    "normed",
    "hidden",
    "active",
    "PE",
    "P",
    "picked",
    "losses",
    "logits",
)


def draw_student(rng: random.Random, task: Task) -> Student:
    asked = task.digits or rng.choice([2, 3, 4])
    kind = rng.choice(["paper"] * 6 + ["coarse paper"] * 2 + ["calculator"] * 2 + list(PROGRAMS))
    form = rng.choice(FORMS)
    if kind in PROGRAMS:
        dtype, show = PROGRAMS[kind]
        form = "tensor" if show == "torch" else rng.choice(["yaml", "yaml quoted", "numpy", "numpy", "csv"])
        return Student(kind, {"kind": dtype, "show": show, "digits": max(asked, 2)}, form)
    habit = rng.choices(list(HABITS), [5, 2, 1, 2, 1])[0]
    how: dict[str, Any] = {
        "habit": habit,
        "digits": asked + rng.choice([0, 0, 0, 1]),
        "drops_zeros": rng.random() < 0.25,
    }
    how["carry"] = rng.choice(["print", "print", "full", "finer", "mixed"])
    how["seed"] = rng.randrange(10**6)
    if kind == "calculator":
        how |= {"precision": rng.choice([10, 11, 12])}
    else:
        how |= {"spare": rng.choice([None, 0, 0, 1, 2])}
    if kind == "coarse paper":
        how |= {
            "places": {name: rng.choice([0, max(asked - 1, 0)]) for name in rng.sample(LINES, 5)},
            "drops_zeros": False,
        }
    return Student(kind, how, form)


def draw_method(rng: random.Random, task: Task) -> tuple[list[str], list[str]]:
    """Ways that are right as well, and lines that are left out (never the last)."""
    method = [one for one in ("maximum subtracted", "logarithms", "the last of equals") if rng.random() < 0.2]
    attends = task.lesson.endswith("attention")
    if attends and task.options.get("scale") != "none" and rng.random() < 0.2:
        method.append("scale folded into Q")
    left_out = [name for name in LINES if rng.random() < 0.15] if rng.random() < 0.5 else []
    if task.lesson == "multi_head_attention":
        left_out = [name + tail for name in left_out for tail in ("_1", "_2")]
        if rng.random() < 0.3:
            method.append("heads stacked")
            left_out += [name + tail for name in "QKV" for tail in ("_1", "_2")]
        method += ["W_O by blocks"] if rng.random() < 0.3 else []
    elif task.lesson in ("self_attention", "cross_attention"):
        if "b_V" not in task.given and rng.random() < 0.2:
            method.append("A (X W)")
            left_out.append("V")
        left_out = [name for name in left_out if name != "Z"]
    else:
        left_out = [name for name in left_out if name not in ("Z", "PE")]
    return method, left_out


def work(task: Task, hand: Hand, mistake: Mistake | None = None) -> dict[str, Rows] | None:
    """The script, or None where the mistake cannot be made here, or its numbers blow up (a root of a negative number,
    0/0).
    """
    try:
        with decimal.localcontext(decimal.Context(prec=getattr(hand, "precision", 45))), np.errstate(all="ignore"):
            WORK[task.lesson](hand, doing(hand, mistake))
    except (NotHere, ArithmeticError, ValueError, IndexError):
        return None
    cells = ((name, x) for name, rows in hand.script.items() for row in rows for x in row)
    fine = all(math.isfinite(float(x)) or (x == "-inf" and name.startswith("S_masked")) for name, x in cells)
    return hand.script if fine else None


# --- how a script is written ------------------------------------------------------------------------------------------


def written(script: dict[str, Rows], form: str) -> tuple[str, str]:
    """The answer file: its ending and its text."""
    match form:
        case "yaml" | "yaml quoted":
            mark = '"' if form == "yaml quoted" else ""
            rows = {name: [[mark + x + mark for x in row] for row in m] for name, m in script.items()}
            return "yaml", "answers:\n" + "".join(f"  {name}: {yaml_rows(m)}\n" for name, m in rows.items())
        case "yaml block":
            blocks = (
                f"  {name}: |\n" + "".join("    " + " ".join(row) + "\n" for row in m) for name, m in script.items()
            )
            return "yaml", "answers:\n" + "".join(blocks)
        case "numpy":
            return "txt", "\n".join(
                f"{name} = [" + "\n ".join("[" + " ".join(row) + "]" for row in m) + "]\n" for name, m in script.items()
            )
        case "tensor":
            blocks = (
                "tensor([" + ",\n        ".join("[" + ", ".join(row) + "]" for row in m) + "])" for m in script.values()
            )
            return "txt", "\n".join(f"{name} = {block}\n" for name, block in zip(script, blocks, strict=True))
        case "markdown":
            return "md", "\n".join(f"## {name}\n\n" + markdown_table(m) for name, m in script.items())
        case "latex":
            blocks = (
                " \\\\ ".join(" & ".join(x.replace("-inf", "-\\infty") for x in row) for row in m)
                for m in script.values()
            )
            return "tex", "\n".join(
                f"\\[ {n} = \\begin{{pmatrix}} {b} \\end{{pmatrix}} \\]\n" for n, b in zip(script, blocks, strict=True)
            )
    cells = {f"{name}[{i},{j}]": x for name, m in script.items() for i, row in enumerate(m) for j, x in enumerate(row)}
    return "csv", ",".join(f'"{name}"' for name in cells) + "\n" + ",".join(cells.values()) + "\n"


def markdown_table(rows: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(["|" + "  |" * len(rows[0]), "|" + "---|" * len(rows[0]), *lines]) + "\n"
