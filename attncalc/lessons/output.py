"""From the last layer to words: logits, probabilities, the next word, and the loss against the right ones."""

from __future__ import annotations

from ..errors import FormulaError
from .attention import projection
from .base import Input, Lesson, Option, Recipe, Setting


def _next_word(s: Setting) -> list[Recipe]:
    for option in ("temperature", "top_p"):
        s.positive(option)
    steps: list[Recipe] = []
    if s.has("logits"):
        scores = "logits"
    else:
        tokens = "X"
        if s.word("rows") == "last":
            n = s.shape("X")[1 if s.columns else 0]
            steps.append(("last", f"X[:, {n - 1}]" if s.columns else f"X[{n - 1}]"))
            tokens = "last"
        scores = "logits"
        steps.append(("logits", projection(s, tokens, "W_out", "b_out")))
    if (temperature := s.text("temperature")) is not None:
        steps.append(("logits_scaled", f"{scores} / {temperature}"))
        scores = "logits_scaled"
        s.say("temperature", s.shown("temperature"))
    upright = ".T" if s.columns else ""
    if (k := s.whole("top_k", 10**6)) is not None:
        steps.append(("logits_kept", f"keep({scores}, top_k({scores}{upright}, {k}){upright})"))
        scores = "logits_kept"
        s.say("top_k", str(k))
    softmax, total = ("softmax_cols", "col_sum") if s.columns else ("softmax", "row_sum")
    steps.append(("P", f"{softmax}({scores})"))
    probabilities = "P"
    if (p := s.text("top_p")) is not None:
        steps.append(("nucleus", f"top_p(P{upright}, {p}){upright}"))
        steps.append(("P_kept", f"P * nucleus / {total}(P * nucleus)"))
        probabilities = "P_kept"
        s.say("top_p", s.shown("top_p"))
    steps.append(("next", f"argmax_rows({probabilities}{upright})"))
    return steps


def _cross_entropy(s: Setting) -> list[Recipe]:
    if s.columns:
        raise FormulaError("cross_entropy reads one prediction a row; with column vectors give it the transpose")
    steps: list[Recipe] = []
    if not s.has("P"):
        steps.append(("P", "softmax(logits)"))
    targets = _targets(s, steps)
    base = "" if s.default("base") else " / log(base)"
    steps.append(("losses", f"-{targets}{base}" if targets.startswith("log") else f"-row_sum({targets} * log(P)){base}"))
    s.say("base", "e" if s.default("base") else s.shown("base"))
    reduction = s.word("reduction")
    s.say("reduction", reduction)
    if reduction == "none":
        return steps
    counted = "row_sum(T)" if _needs_rows(s) and not s.has("T") else None
    if s.has("class_weights"):
        steps.append(("weights", "row_sum(one_hot(targets, cols(P), ignore=ignore) * class_weights)" if "ignore" in s.arguments
                      else "row_sum(one_hot(targets, cols(P)) * class_weights)"))  # fmt: skip
        counted = "weights"
    total = "total(losses)"
    below = f"total({counted})" if counted else "rows(losses)"
    steps.append(("loss", total if reduction == "sum" else f"{total} / {below}"))
    perplexity = "exp(loss)" if s.default("base") else "base ** loss"
    if reduction == "mean":
        steps.append(("perplexity", perplexity))
    return steps


def _needs_rows(s: Setting) -> bool:
    return "ignore" in s.arguments or not s.default("smoothing") or s.has("T") or s.has("class_weights")


def _targets(s: Setting, steps: list[Recipe]) -> str:
    """The right words as probabilities (T), or the probability picked for each right word."""
    if not _needs_rows(s):
        steps.append(("picked", "pick(P, targets)"))
        return "log(picked)"
    weights = " * class_weights" if s.has("class_weights") else ""
    if not s.has("T"):
        ignore = ", ignore=ignore" if "ignore" in s.arguments else ""
        if ignore:
            s.say("ignore", s.shown("ignore"))
        right = f"one_hot(targets, cols(P){ignore})"
        if not s.default("smoothing"):
            spread = {"all": "smoothing / cols(P)", "others": "smoothing / (cols(P) - 1)"}[s.word("smooth_over")]
            inside = "1 - smoothing" if s.word("smooth_over") == "all" else "1 - smoothing - " + spread
            right = f"({inside}) * {right} + {spread} * row_sum({right})"
            s.say("smoothing", s.shown("smoothing"))
            s.say("smooth_over", s.word("smooth_over"))
        steps.append(("T", right))
    return f"T{weights}"


NEXT_WORD = Lesson(
    "next_word",
    "From the last layer to the next word: logits, their softmax, and the most probable word.",
    (
        Input("X", "the last layer's output, one token a row"),
        Input("W_out", "the weights to the vocabulary"),
        Input("b_out", "their bias", optional=True),
        Input("logits", "the logits themselves, where they are given", optional=True),
    ),
    (
        Option("rows", "word", "last", "the last token's prediction, or every token's", ("last", "all")),
        Option("temperature", "formula", "none", "what the logits are divided by: above 1 flattens, below 1 sharpens"),
        Option("top_k", "whole", "none", "only the k largest logits stay"),
        Option("top_p", "formula", "none", "only the most probable words stay that together reach p"),
    ),
    {
        "last": "the last token, which predicts the next one",
        "logits": "a score for each word of the vocabulary",
        "logits_scaled": "the scores at this temperature",
        "logits_kept": "the largest scores, the others put to −∞",
        "P": "the probability of each word",
        "nucleus": "1 for the words that together reach p",
        "P_kept": "the kept words' probabilities, made to sum to 1",
        "next": "the number of the most probable word",
    },
    _next_word,
)
CROSS_ENTROPY = Lesson(
    "cross_entropy",
    "The loss: how surprised the model is by the right words, −log of the probability it gave them.",
    (
        Input("logits", "the scores, one prediction a row", optional=True),
        Input("P", "the probabilities, where they are given", optional=True),
        Input("targets", "the numbers of the right words", optional=True),
        Input("T", "the right words as probabilities, one row a prediction", optional=True),
        Input("class_weights", "how much each word counts, as a row", optional=True),
    ),
    (
        Option("base", "formula", "e", "the base of the logarithm"),
        Option("reduction", "word", "mean", "the mean over counted rows, the sum, or each row's loss", ("mean", "sum", "none")),
        Option("ignore", "formula", "none", "the target that is not counted, such as a padding number"),
        Option("smoothing", "formula", "0", "the share of each target that is spread over the words"),
        Option("smooth_over", "word", "all", "spread over all words, or over the others alone", ("all", "others")),
    ),
    {
        "P": "the probability of each word",
        "picked": "the probability of each right word",
        "T": "what the model should have said",
        "losses": "each row's surprise",
        "weights": "how much each row counts",
        "loss": "the mean surprise",
        "perplexity": "between how many equally likely words the model seems to choose",
    },
    _cross_entropy,
)
