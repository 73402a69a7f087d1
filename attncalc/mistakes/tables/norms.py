"""Mistakes in LayerNorm and RMSNorm."""

from ..catalogue import HIGH, MEDIUM, Mistake

MISTAKES = (
    Mistake(
        "variance-by-n-minus-1", "norm", ("var",),
        "The squares seem to have been divided by n − 1.",
        "LayerNorm divides by n, the number of features.",
        (("row_var(x_)", "row_var(x_, ddof=1)"),), HIGH,
    ),
    Mistake(
        "variance-by-n", "norm", ("var",),
        "The squares seem to have been divided by n.",
        "This problem asks for n − 1.",
        (("row_var(x_, ddof=1)", "row_var(x_, ddof=0)"),), MEDIUM,
    ),
    Mistake(
        "variance-not-averaged", "norm", ("var",),
        "The squares seem to have been added up without dividing.",
        "The variance is the mean of the squared distances: divide by the number of features.",
        (("row_var(x_)", "row_sum((x_ - row_mean(x_)) ** 2)"),),
    ),
    Mistake(
        "variance-rooted", "norm", ("var",),
        "This looks like the standard deviation.",
        "The variance is its square; the root comes in the next step.",
        (("row_var(x_)", "row_std(x_)"),),
    ),
    Mistake(
        "epsilon-outside-root", "norm", ("normed",),
        "ε seems to have been added to the deviation instead of the variance.",
        "Add ε to the variance, under the root.",
        (("a_ / sqrt(v_ + e_)", "a_ / (sqrt(v_) + e_)"),), HIGH, "ε is too small for the digits",
    ),
    Mistake(
        "divided-by-variance", "norm", ("normed",),
        "The values seem to have been divided by the variance.",
        "Divide by the standard deviation, the root of the variance.",
        (("a_ / sqrt(v_)", "a_ / v_"),),
    ),
    Mistake(
        "normalised-down-columns", "norm", ("normed",),
        "Each feature seems to have been normalised over the tokens.",
        "LayerNorm works along the row: each token over its own features.",
        (("(x_ - m_) / b_", "(x_ - col_mean(x_)) / sqrt(col_var(x_))"),), MEDIUM,
    ),
    Mistake(
        "normalised-as-a-whole", "norm", ("normed",),
        "One mean and one deviation seem to have been used for the whole matrix.",
        "Each token has a mean and a deviation of its own.",
        (("(x_ - m_) / b_", "(x_ - mean(x_)) / sqrt(mean((x_ - mean(x_)) ** 2))"),),
    ),
    Mistake(
        "mean-not-subtracted", "norm", ("normed",),
        "The mean seems not to have been subtracted.",
        "Subtract the row's mean first, then divide.",
        (("(x_ - m_) / b_", "x_ / b_"),), same="the means are 0",
    ),
    Mistake(
        "gamma-forgotten", "norm", ("Y",),
        "The factor γ seems to have been forgotten.",
        "Multiply each feature by its γ.",
        (("normed * g_", "normed"),), same="γ is 1",
    ),
    Mistake(
        "beta-forgotten", "norm", ("Y",),
        "The shift β seems to have been forgotten.",
        "Add each feature's β after the product with γ.",
        (("n_ * g_ + b_", "n_ * g_"),), same="β is 0",
    ),
    Mistake(
        "gamma-beta-exchanged", "norm", ("Y",),
        "γ and β seem to have been exchanged.",
        "Multiply by γ, then add β.",
        (("n_ * g_ + b_", "n_ * b_ + g_"),),
    ),
)  # fmt: skip
