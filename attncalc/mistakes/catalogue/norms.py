"""Mistakes in LayerNorm and RMSNorm."""

from ..mistake import HIGH, MEDIUM, Mistake

MISTAKES = (
    Mistake(
        "mean-not-divided", "norm", ("mean",),
        "It looks as if you added up the features without dividing.",
        "Divide the sum of a row by the number of its features.",
        (("row_mean(x_)", "row_sum(x_)"),), same="the means are 0",
    ),
    Mistake(
        "mean-by-n-minus-1", "norm", ("mean",),
        "It looks as if you divided the sum by the number of features minus 1.",
        "Divide the sum of a row by the number of its features.",
        (("row_mean(x_)", "row_sum(x_) / (cols(x_) - 1)"),), same="the means are 0",
    ),
    Mistake(
        "variance-by-n-minus-1", "norm", ("var",),
        "It looks as if you divided by the number of features minus 1.",
        "Here the variance is the mean of the squared differences: divide their sum by the number of features.",
        (("row_var(x_)", "row_var(x_, ddof=1)"), ("row_mean(c_ ** 2)", "row_sum(c_ ** 2) / (cols(c_) - 1)"),
         ("row_mean(c_ * c_)", "row_sum(c_ * c_) / (cols(c_) - 1)"),
         ("row_sum(s_) / cols(x_)", "row_sum(s_) / (cols(x_) - 1)")), HIGH,
    ),
    Mistake(
        "variance-by-n", "norm", ("var",),
        "It looks as if you divided by the number of features.",
        "In this problem, the sum of the squares is divided by the number of features minus 1.",
        (("row_var(x_, ddof=1)", "row_var(x_, ddof=0)"),), MEDIUM,
    ),
    Mistake(
        "variance-not-averaged", "norm", ("var", "mean_square"),
        "It looks as if you did not divide the sum of the squares by the number of features.",
        "Use the mean of the squares: divide their sum by the number of features.",
        (("row_var(x_)", "row_sum((x_ - row_mean(x_)) ** 2)"), ("row_mean(x_ ** 2)", "row_sum(x_ ** 2)"),
         ("row_mean(x_ * x_)", "row_sum(x_ * x_)")),
    ),
    Mistake(
        "mean-absolute-deviation", "norm", ("var",),
        "It looks as if you averaged the absolute differences from the mean, without squaring them.",
        "Square each difference from the mean, then take the mean of the squares.",
        (("row_var(x_)", "row_mean(abs(x_ - row_mean(x_)))"), ("row_mean(c_ ** 2)", "row_mean(abs(c_))")),
    ),
    Mistake(
        "variance-without-mean", "norm", ("var",),
        "It looks as if you took the mean of the squares without subtracting the mean first.",
        "Subtract the row's mean from each number, square the differences, then take the mean of the squares.",
        (("row_var(x_)", "row_mean(x_ ** 2)"), ("row_mean(c_ ** 2)", "row_mean(sum ** 2)"),
         ("row_mean(c_ * c_)", "row_mean(sum ** 2)"), ("row_sum(c_ ** 2) / w_", "row_sum(sum ** 2) / w_"),
         ("row_sum(c_ * c_) / w_", "row_sum(sum ** 2) / w_"),
         ("row_mean(x_ ** 2) - m_ ** 2", "row_mean(x_ ** 2)")),
        same="the means are 0",
    ),
    Mistake(
        "variance-rooted", "norm", ("var",),
        "It looks as if you wrote the standard deviation instead of the variance.",
        "The variance is the square of the standard deviation; the square root follows in a later step.",
        (("row_var(x_)", "row_std(x_)"),),
    ),
    Mistake(
        "epsilon-outside-root", "norm", ("normed",),
        "It looks as if you added ε to the standard deviation instead of the variance.",
        "Add ε to the variance, under the square root.",
        (("a_ / sqrt(var + e_)", "a_ / (sqrt(var) + e_)"),), HIGH, "ε is too small to change the printed digits",
    ),
    Mistake(
        "epsilon-forgotten", "norm", ("normed", "deviation"),
        "It looks as if you left out ε.",
        "Under the square root, add ε to the variance (LayerNorm) or to the mean square (RMSNorm).",
        (("sqrt(var + e_)", "sqrt(var)"), ("sqrt(mean_square + e_)", "sqrt(mean_square)"),
         ("a_ / sqrt(var + e_)", "a_ / sqrt(var)")),
        MEDIUM, "ε is too small to change the printed digits",
    ),
    Mistake(
        "divided-by-variance", "norm", ("normed",),
        "It looks as if you did not take the square root before you divided.",
        "LayerNorm divides by the square root of the variance, and RMSNorm by the square root of the mean square.",
        (("a_ / sqrt(v_)", "a_ / v_"),),
    ),
    Mistake(
        "deviation-not-divided", "norm", ("normed",),
        "It looks as if you subtracted the mean, but did not divide by the standard deviation.",
        "Subtract the row's mean, then divide by the standard deviation.",
        (("(x_ - m_) / b_", "x_ - m_"), ("(x_ - m_) * b_", "x_ - m_")),
    ),
    Mistake(
        "normalised-down-columns", "norm", ("normed", "mean", "var"),
        "It looks as if you normalised each column over the tokens.",
        "LayerNorm normalises each row: use the features of one token, not one feature of all tokens.",
        (("(x_ - m_) / b_", "(x_ - col_mean(x_)) / sqrt(col_var(x_))"), ("row_mean(x_)", "col_mean(x_).T"),
         ("row_var(x_)", "col_var(x_).T")),
        MEDIUM,
    ),
    Mistake(
        "normalised-as-a-whole", "norm", ("normed", "mean", "var"),
        "It looks as if you used one mean and one standard deviation for the whole matrix.",
        "Each token (row) has its own mean and standard deviation.",
        (
            *(
                (f"(x_ - m_) / {each}", f"(x_ - mean(x_)) / {whole}")  # ε stays, because omitting it is another mistake
                for each, whole in (
                    ("sqrt(var)", "sqrt(mean((x_ - mean(x_)) ** 2))"),
                    ("sqrt(var + e_)", "sqrt(mean((x_ - mean(x_)) ** 2) + e_)"),
                    ("(sqrt(var) + e_)", "(sqrt(mean((x_ - mean(x_)) ** 2)) + e_)"),
                    ("row_std(x_)", "sqrt(mean((x_ - mean(x_)) ** 2))"),
                    ("(row_std(x_) + e_)", "(sqrt(mean((x_ - mean(x_)) ** 2)) + e_)"),
                )
            ),
            ("row_mean(x_)", "zeros(rows(x_), 1) + mean(x_)"),
            ("row_var(x_)", "zeros(rows(x_), 1) + mean((x_ - mean(x_)) ** 2)"),
        ),
    ),
    Mistake(
        "mean-not-subtracted", "norm", ("normed",),
        "It looks as if you did not subtract the mean.",
        "Subtract the row's mean first, then divide.",
        (("(x_ - m_) / b_", "x_ / b_"),), same="the means are 0",
    ),
    Mistake(
        "rms-norm-for-layer-norm", "norm", ("normed",),
        "It looks as if you divided by the root mean square without subtracting the mean, as RMSNorm does.",
        "LayerNorm subtracts the row's mean and divides by the standard deviation.",
        (
            ("(x_ - m_) / sqrt(v_ + e_)", "x_ / sqrt(row_mean(x_ ** 2) + e_)"),
            ("(x_ - m_) / b_", "x_ / sqrt(row_mean(x_ ** 2))"),
        ),
        same="the means are 0",
    ),
    Mistake(
        "gamma-forgotten", "norm", ("Y",),
        "It looks as if you left out the factor γ.",
        "Multiply each feature by its γ.",
        (("normed * g_", "normed"),), same="γ is 1",
    ),
    Mistake(
        "beta-forgotten", "norm", ("Y",),
        "It looks as if you left out the shift β.",
        "Add each feature's β after multiplying by γ.",
        (("normed * g_ + b_", "normed * g_"),), same="β is 0",
    ),
    Mistake(
        "beta-subtracted", "norm", ("Y",),
        "It looks as if you subtracted the shift β.",
        "Add each feature's β after multiplying by γ.",
        (("normed * g_ + b_", "normed * g_ - b_"),), same="β is 0",
    ),
    Mistake(
        "beta-multiplied-too", "norm", ("Y",),
        "It looks as if you added β first and multiplied the sum by γ.",
        "Multiply by γ first, then add β.",
        (("normed * g_ + b_", "(normed + b_) * g_"),), same="γ is 1 or β is 0",
    ),
    Mistake(
        "mean-subtracted-in-rms-norm", "norm", ("normed",),
        "It looks as if you subtracted the mean, as LayerNorm does.",
        "RMSNorm divides by the root mean square and subtracts nothing.",
        (("x_ / sqrt(mean_square + e_)", "(x_ - row_mean(x_)) / sqrt(mean_square + e_)"),
         ("x_ / sqrt(mean_square)", "(x_ - row_mean(x_)) / sqrt(mean_square)")),
        same="the means are 0",
    ),
    Mistake(
        "square-of-the-mean", "norm", ("mean_square", "var"),
        "It looks as if you took the mean first and then squared it.",
        "Square first, then take the mean: RMSNorm squares each entry, LayerNorm each difference from the mean.",
        (("row_mean(x_ ** 2)", "row_mean(x_) ** 2"), ("row_var(x_)", "row_mean(x_) ** 2"),
         ("row_mean(c_ ** 2)", "row_mean(sum) ** 2"), ("row_mean(c_ * c_)", "row_mean(sum) ** 2"),
         ("row_sum(c_ ** 2) / w_", "row_mean(sum) ** 2"), ("row_sum(c_ * c_) / w_", "row_mean(sum) ** 2")),
    ),
    Mistake(
        "mean-of-absolute-values", "norm", ("mean_square",),
        "It looks as if you took the mean of the absolute values, not the mean of the squares.",
        "Square each entry, then take the mean.",
        (("row_mean(x_ ** 2)", "row_mean(abs(x_))"), ("row_mean(x_ ** 2)", "row_mean(abs(x_)) ** 2")),
    ),
    Mistake(
        "gamma-beta-exchanged", "norm", ("Y",),
        "It looks as if you swapped γ and β.",
        "Multiply by γ, then add β.",
        (("normed * g_ + b_", "normed * b_ + g_"),),
    ),
)  # fmt: skip
