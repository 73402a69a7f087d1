"""Output layer: logits, probabilities, the next word, and the loss."""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.typed_formula import LARGEST_SIDE
from .attention import projection
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting


def _next_word(s: Setting) -> list[Recipe]:
    steps: list[Recipe] = []
    given = s.has("logits") and "X" not in s.arguments
    scores = source = "logits" if given else "X"
    if s.word("rows") == "last" and not (given and s.is_unset("rows")):
        n = s.shape(source)[1 if s.columns else 0]
        steps.append(("last", f"{source}[:, {n - 1}]" if s.columns else f"{source}[{n - 1}]"))
        scores = "last"
    if not given:
        steps.append(("logits", projection(s, scores, "W_out", "b_out")))
        scores = "logits"
    if (temperature := s.text("temperature")) is not None:
        steps.append(("logits_scaled", f"{scores} / {temperature}"))
        scores = "logits_scaled"
        s.say("temperature", s.option_text("temperature"))
    upright = ".T" if s.columns else ""
    words = s.shape("logits" if given else "W_out")[0 if s.columns else 1]
    if (k := s.integer("top_k", words)) is not None:
        steps.append(("logits_kept", f"keep({scores}, top_k({scores}{upright}, top_k){upright})"))
        scores = "logits_kept"
        s.say("top_k", str(k))
    softmax, total = ("softmax_cols", "col_sum") if s.columns else ("softmax", "row_sum")
    steps.append(("P", f"{softmax}({scores})"))
    probabilities = "P"
    if (p := s.text("top_p")) is not None:
        steps.append(("nucleus", f"top_p(P{upright}, {p}){upright}"))
        steps.append(("P_kept", f"P * nucleus / {total}(P * nucleus)"))
        probabilities = "P_kept"
        s.say("top_p", s.option_text("top_p"))
    steps.append(("next", f"argmax_rows({probabilities}{upright})"))
    return steps


def _cross_entropy(s: Setting) -> list[Recipe]:
    s.refuse_columns("one prediction per row", "transpose")
    for name in ("P", "P_true"):
        s.check_probabilities(name)
    given = s.has("P") and "logits" not in s.arguments
    steps: list[Recipe] = [] if given else [("P", "softmax(logits)")]
    base = "" if s.is_unset("base") else " / log(base)"
    s.say("base", "e" if s.is_unset("base") else s.option_text("base"))
    if _needs_rows(s):
        steps += distributions(s)
        weights = " * class_weights" if s.has("class_weights") else ""
        # only given probabilities may be 0
        surprise = "keep(log(P), P_true, fill=0)" if given else "log(P)"
        steps.append(("losses", f"-row_sum(P_true{weights} * {surprise}){base}"))
    else:
        steps += [("picked", "pick(P, targets)"), ("losses", f"-log(picked){base}")]
    return [*steps, *_reduce_losses(s)]


def _needs_rows(s: Setting) -> bool:
    return s.has("P_true") or s.has("class_weights") or s.text("ignore") is not None or not s.is_default("smoothing")


def distributions(s: Setting) -> list[Recipe]:
    """Return the steps of the one-hot target distributions. Rows that the loss ignores are zero."""
    if s.has("P_true"):
        return []
    ignore = s.text("ignore")
    right = "one_hot(targets, cols(P), ignore=ignore)" if ignore else "one_hot(targets, cols(P))"
    s.say("ignore", s.option_text("ignore"))
    if s.is_default("smoothing"):
        return [("P_true", right)]
    over = s.word("smooth_over")
    if over == "words" and not ignore:
        raise FormulaError(
            "smooth_over: words needs ignore, the ID of the padding", s.arguments["smooth_over"].at, "smooth_over"
        )
    s.say("smoothing", s.option_text("smoothing"))
    s.say("smooth_over", over)
    return [("right", right), ("P_true", f"(1 - smoothing) * right + {_SMOOTHING[over]}")]


_SMOOTHING = {
    "all": "smoothing / cols(P) * row_sum(right)",
    "others": "smoothing / (cols(P) - 1) * (row_sum(right) - right)",
    "words": "smoothing / (cols(P) - 2) * (row_sum(right) * (1 - one_hot(ignore, cols(P))) - right)",
}


def _reduce_losses(s: Setting) -> list[Recipe]:
    """Return the steps of the sum of the losses, or of their (weighted) mean over the counted rows, with its
    perplexity.
    """
    reduction = s.say_word("reduction")
    if reduction == "none":
        return []
    if reduction == "sum":
        return [("loss", "total(losses)")]
    steps: list[Recipe] = []
    counted = "rows(losses)"
    if s.has("class_weights") and not s.has("P_true"):
        right = "P_true" if s.is_default("smoothing") else "right"
        steps, counted = [("weights", f"row_sum({right} * class_weights)")], "total(weights)"
    elif s.text("ignore") and not s.has("P_true"):
        counted = "total(P_true)"
    return [
        *steps,
        ("loss", f"total(losses) / {counted}"),
        ("perplexity", "exp(loss)" if s.is_unset("base") else "base ** loss"),
    ]


NEXT_WORD = Lesson(
    "next_word",
    "From the last layer to the next word: logits, their softmax, and the most probable word.",
    (
        Input("X", "the last layer's output, one token per row"),
        Input("W_out", "the weights of the output layer"),
        Input("b_out", "the bias of the output layer", optional=True, shape=FEATURES),
        Input("logits", "the logits themselves, if they are given", optional=True),
    ),
    (
        Option("rows", "word", "last", "only the last token (last), or every token (all); if the logits are given, "
        "all is the default",
            ("last", "all")),
        Option("temperature", "formula", "none", "the divisor of the logits: above 1 flattens, below 1 sharpens",
               demand="positive",
               examples=("2", "1/2")),
        Option("top_k", "whole", "none", "only the k largest logits are kept", largest=LARGEST_SIDE, examples=("2",)),
        Option("top_p", "formula", "none", "only the most probable words that "
        "together reach p are kept", demand="positive",
            examples=("0.8",)),
    ),
    {
        "last": "the last token, which predicts the next one",
        "logits": "one logit per token of the vocabulary",
        "logits_scaled": "the scores at this temperature",
        "logits_kept": "the largest scores, the others set to −∞",
        "P": "the probability of each word",
        "nucleus": "1 for the most probable words that together reach p",
        "P_kept": "the kept words' probabilities, rescaled to sum to 1",
        "next": "the index of the most probable word",
    },
    _next_word,
    source="Temperature, top_k and top_p in the order of Transformers; top_k: Fan et al. 2018; top_p: Holtzman et "
    "al. 2020. If several logits equal the k-th largest, top_k keeps the first; the library Transformers keeps all.",
)  # fmt: skip
CROSS_ENTROPY = Lesson(
    "cross_entropy",
    "The loss: −log of the probability that the model gave to the targets.",
    (
        Input("logits", "the logits, one prediction per row", optional=True),
        Input("P", "the probabilities, if they are given", optional=True),
        Input("targets", "the indices of the target words, counted from 0", optional=True),
        Input("P_true", "the targets as probabilities, one prediction per row", optional=True, named=True,
              shape="P logits"),
        Input("class_weights", "the weight of each word in the loss, as a row", optional=True, shape=FEATURES),
    ),
    (
        Option("base", "formula", "e", "the base of the logarithm", demand="positive", examples=("2",)),
        Option("reduction", "word", "mean", "the mean over the counted rows, the sum, or the loss of each row",
            ("mean", "sum", "none")),
        Option("ignore", "formula", "none", "the target that is not counted, such as a padding ID",
            examples=("0",)),
        Option("smoothing", "formula", "0", "the part of the target probability 1 that is spread over the tokens",
            demand="share", examples=("0.1",)),
        Option("smooth_over", "word", "all", "which tokens get a part of the smoothing: all tokens (all), all except "
        "the target (others), or all except the target and the ignored token (words)",
            ("all", "others", "words")),
    ),
    {
        "P": "the probability of each word",
        "picked": "the probability of each target",
        "right": "1 at each target",
        "P_true": "the target probabilities",
        "losses": "each position's loss, −ln p",
        "weights": "the factor with which each row counts in the mean",
        "loss": "the mean of the losses, or their sum",
        "perplexity": "the number of equally likely words that would give this mean loss",
    },
    _cross_entropy,
    source="smoothing: Szegedy et al. 2016; `smooth_over: all`, `ignore` and `class_weights` are as in "
    "CrossEntropyLoss of PyTorch; `smooth_over: words` is as in the Annotated Transformer, which leaves out the "
    "padding.",
)  # fmt: skip
