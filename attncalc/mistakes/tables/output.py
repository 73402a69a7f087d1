"""Mistakes in probabilities and losses."""

from ..catalogue import MEDIUM, Mistake

MISTAKES = (
    Mistake(
        "logarithm-base-10", "loss", ("losses",),
        "Logarithms to base 10 seem to have been used.",
        "The loss uses the natural logarithm.",
        (("log(p_)", "log10(p_)"),),
    ),
    Mistake(
        "logarithm-base-2", "loss", ("losses",),
        "Logarithms to base 2 seem to have been used.",
        "The loss uses the natural logarithm.",
        (("log(p_)", "log2(p_)"),),
    ),
    Mistake(
        "loss-sign", "loss", ("losses", "loss"),
        "The minus sign of the loss seems to be missing.",
        "The loss is −log of a probability, so it is not negative.",
        (("-log(p_)", "log(p_)"), ("-a_", "a_"), ("total(l_)", "-total(l_)")),
    ),
    Mistake(
        "loss-without-logarithm", "loss", ("losses",),
        "The logarithm seems to be missing.",
        "The loss is the negative logarithm of the probability.",
        (("-log(p_)", "1 - p_"), ("-log(p_)", "p_")),
    ),
    Mistake(
        "sum-for-mean", "loss", ("loss",),
        "The losses seem to have been added up, not averaged.",
        "Divide the sum by the number of predictions that count.",
        (("total(l_) / n_", "total(l_)"),), MEDIUM, "there is one prediction",
    ),
    Mistake(
        "padding-counted", "loss", ("loss",),
        "The sum seems to have been divided by all predictions, the ignored ones too.",
        "Divide by the number of predictions that count.",
        (("total(l_) / total(w_)", "total(l_) / rows(l_)"),), MEDIUM,
    ),
    Mistake(
        "perplexity-base", "loss", ("perplexity",),
        "The perplexity seems to have been taken to another base than the loss.",
        "The base of the power is the base of the logarithm.",
        (("exp(l_)", "2 ** l_"), ("exp(l_)", "10 ** l_"), ("b_ ** l_", "exp(l_)")),
    ),
    Mistake(
        "temperature-multiplied", "output", ("logits_scaled",),
        "The logits seem to have been multiplied by the temperature.",
        "Divide the logits by the temperature.",
        (("l_ / t_", "l_ * t_"),), same="the temperature is 1",
    ),
    Mistake(
        "temperature-forgotten", "output", ("logits_scaled",),
        "The temperature seems to have been forgotten.",
        "Divide the logits by the temperature before the softmax.",
        (("l_ / t_", "l_"),), same="the temperature is 1",
    ),
    Mistake(
        "kept-not-renormalised", "output", ("P_kept",),
        "The kept probabilities seem not to have been divided by their sum.",
        "What is left must sum to 1 again.",
        (("a_ / row_sum(b_)", "a_"),), MEDIUM,
    ),
)  # fmt: skip
