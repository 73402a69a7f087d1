"""Mistakes in the learning rate and in gradients by hand."""

from ..catalogue import HIGH, MEDIUM, Mistake

_PRODUCTS = ("dW_O", "dH", "dV", "dA", "dA_masked", "dQ", "dK", "dW_Q", "dW_K", "dW_V", "dW", "dW_gate", "dW_out", "dactive", "dX", "dmemory")
_SOFTMAX_BACK = ("dS", "dS_scaled", "dS_capped", "dS_biased", "dS_masked")
_BIASES = ("db", "db_O", "db_Q", "db_K", "db_V", "db_gate", "db_out", "dbeta")

MISTAKES = (
    # -- the learning rate
    Mistake(
        "steps-from-zero", "learning rate", ("decay", "rise"),
        "The steps seem to have been counted from 0.",
        "The first step is step 1.",
        (("s_ * w_ ** (-3/2)", "(s_ - 1) * w_ ** (-3/2)"), ("s_ ** (-1/2)", "(s_ - 1) ** (-1/2)")), MEDIUM,
    ),
    Mistake(
        "maximum-for-minimum", "learning rate", ("smaller",),
        "The larger of the two seems to have been taken.",
        "The rate is the smaller of the two: it grows until the warm-up ends and falls from there.",
        (("minimum(a_, b_)", "maximum(a_, b_)"),), MEDIUM,
    ),
    Mistake(
        "warmup-exponent", "learning rate", ("rise",),
        "The warm-up steps seem to have been raised to another power.",
        "The exponent is −3/2, so that both meet where the step is the last one of the warm-up.",
        tuple(("s_ * w_ ** (-3/2)", f"s_ * w_ ** {power}") for power in ("(-1/2)", "(-1)", "(-2)")), HIGH,
    ),
    Mistake(
        "step-exponent", "learning rate", ("decay",),
        "The step seems to have been raised to another power.",
        "The exponent is −1/2: the rate falls with the root of the step.",
        (("s_ ** (-1/2)", "s_ ** (-1)"), ("s_ ** (-1/2)", "s_ ** (1/2)")), MEDIUM,
    ),
    Mistake(
        "width-for-step", "learning rate", ("decay",),
        "The width of the model seems to stand where the step belongs.",
        "Inside the minimum stands the step; 1/√d_model is the factor before it. One set of lecture notes has this misprint.",
        (("s_ ** (-1/2)", "0 * s_ + d_model ** (-1/2)"),), MEDIUM,
    ),
    Mistake(
        "width-forgotten", "learning rate", ("lr",),
        "The width of the model seems to have been forgotten.",
        "Multiply by d_model^(−1/2).",
        (("f_ * d_ ** (-1/2) * s_", "f_ * s_"), ("d_ ** (-1/2) * s_", "s_")), HIGH,
    ),
    Mistake(
        "width-exponent", "learning rate", ("lr",),
        "The width of the model seems to have been raised to another power.",
        "Multiply by d_model^(−1/2): divide by the root of the width.",
        (("d_ ** (-1/2)", "d_ ** (-1)"), ("d_ ** (-1/2)", "d_ ** (1/2)")), MEDIUM,
    ),
    Mistake(
        "rate-factor-forgotten", "learning rate", ("lr",),
        "The factor seems to have been forgotten.",
        "Multiply the rate by the factor that the problem gives.",
        (("f_ * d_ ** (-1/2) * s_", "d_ ** (-1/2) * s_"),), MEDIUM,
    ),
    # -- gradients
    Mistake(
        "gradient-not-transposed", "gradient", _PRODUCTS,
        "A transpose seems to be missing.",
        "Back through a product, the other factor comes transposed: for Y = A B, dA = dY Bᵀ and dB = Aᵀ dY.",
        (("a_.T @ b_", "a_ @ b_"), ("a_ @ b_.T", "a_ @ b_")), HIGH,
    ),
    Mistake(
        "gradient-factors-swapped", "gradient", ("dQ", "dK"),
        "Queries and keys seem to have been exchanged.",
        "S = Q Kᵀ, so the queries' gradient comes from the keys, dQ = dS K, and the keys' from the queries, dK = dSᵀ Q.",
        (("s_ @ K", "s_ @ Q"), ("s_ @ Q", "s_ @ K")), MEDIUM,
    ),
    Mistake(
        "scores-gradient-transposed", "gradient", ("dQ",),
        "The gradient of the scores seems to stand the wrong way round.",
        "A query has a row of dS, a key a column: dQ = dS K and dK = dSᵀ Q.",
        (("s_ @ k_", "s_.T @ k_"),), MEDIUM,
    ),
    Mistake(
        "softmax-jacobian-diagonal", "gradient", ("J", *_SOFTMAX_BACK),
        "The Jacobian of the softmax seems to have been taken as diagonal.",
        "Every weight depends on every score of its row: subtract the row's weighted mean, A ∘ (dA − Σ A ∘ dA).",
        (
            ("identity(n_) * p_ - a_", "identity(n_) * p_ * (1 - p_)"), ("identity(n_) * p_ - a_", "identity(n_) * p_"),
            ("a_ * (d_ - t_)", "a_ * d_ * (1 - a_)"), ("a_ * (d_ - t_)", "a_ * d_"),
        ), HIGH,
    ),
    Mistake(
        "softmax-gradient-unweighted-mean", "gradient", _SOFTMAX_BACK,
        "The plain mean of the row seems to have been subtracted.",
        "Subtract the mean weighted by A: Σ A ∘ dA.",
        (("a_ * (d_ - row_sum(a_ * d_))", "a_ * (d_ - row_mean(d_))"), ("a_ * (d_ - row_sum(a_ * d_))", "a_ * (d_ - row_sum(d_))")), MEDIUM,
    ),
    Mistake(
        "softmax-gradient-without-weights", "gradient", _SOFTMAX_BACK,
        "The weights before the bracket seem to have been forgotten.",
        "Each entry is multiplied by its weight: A ∘ (dA − Σ A ∘ dA).",
        (("a_ * (d_ - t_)", "d_ - t_"),),
    ),
    Mistake(
        "softmax-skipped-on-the-way-back", "gradient", _SOFTMAX_BACK,
        "The gradient of the weights seems to have been taken for that of the scores.",
        "Go back through the softmax: A ∘ (dA − Σ A ∘ dA).",
        (("a_ * (d_ - t_)", "d_"),), MEDIUM,
    ),
    Mistake(
        "gradient-scale-forgotten", "gradient", _SOFTMAX_BACK,
        "The scale seems to have been forgotten on the way back.",
        "The scores were divided by the scale, so their gradient is divided by it too.",
        (("g_ / c_", "g_"),), HIGH, "the scale is 1",
    ),
    Mistake(
        "gradient-scale-multiplied", "gradient", _SOFTMAX_BACK,
        "The gradient seems to have been multiplied by the scale.",
        "Divide by the scale again: the way back through s/c is g/c.",
        (("g_ / c_", "g_ * c_"),), MEDIUM, "the scale is 1",
    ),
    Mistake(
        "gradient-through-the-mask", "gradient", _SOFTMAX_BACK,
        "A gradient seems to have passed through the mask.",
        "A hidden score was replaced by a constant, so its gradient is 0.",
        (("keep(g_, m_)", "g_"),), MEDIUM, "hidden scores weigh exactly 0",
    ),
    Mistake(
        "loss-gradient-not-averaged", "gradient", ("dlogits",),
        "The gradient seems not to have been divided by the number of predictions.",
        "The loss is a mean, so its gradient is divided by the number that counts.",
        (("g_ / n_", "g_"),), HIGH, "there is one prediction",
    ),
    Mistake(
        "loss-gradient-sign", "gradient", ("dlogits",),
        "The gradient seems to have the opposite sign.",
        "The gradient is P − P_true: negative at the right word, whose logit should grow.",
        (("p_ - t_", "t_ - p_"),), MEDIUM,
    ),
    Mistake(
        "loss-gradient-without-targets", "gradient", ("dlogits",),
        "The right words seem not to have been subtracted.",
        "Subtract 1 at each right word: P − P_true.",
        (("p_ - t_", "p_"),),
    ),
    Mistake(
        "loss-gradient-only-at-the-target", "gradient", ("dlogits",),
        "Only the right words seem to have got a gradient.",
        "Every word's logit has one: softmax ties them all together.",
        (("p_ - t_", "(p_ - t_) * t_"),), MEDIUM,
    ),
    Mistake(
        "norm-gradient-of-constants", "gradient", ("dX",),
        "The mean and the deviation seem to have been taken as constants.",
        "Both depend on every feature: take off the mean and the part along the normalised token first.",
        (("(dcentred - t_) / c_", "dnormed / c_"),), HIGH,
    ),
    Mistake(
        "norm-gradient-without-deviation-term", "gradient", ("dX",),
        "The deviation seems to have been taken as a constant.",
        "The deviation depends on every feature: take off the part along the normalised token too.",
        (("(dcentred - t_) / c_", "dcentred / c_"),), MEDIUM,
    ),
    Mistake(
        "norm-gradient-without-mean-term", "gradient", ("dcentred",),
        "The mean of the gradient seems not to have been subtracted.",
        "The mean of a token depends on every feature: subtract the mean of its gradient.",
        (("g_ - row_mean(g_)", "g_"),), MEDIUM,
    ),
    Mistake(
        "gamma-forgotten-on-the-way-back", "gradient", ("dnormed",),
        "Gamma seems to have been forgotten on the way back.",
        "The normalised features were multiplied by gamma, so their gradient is too.",
        (("g_ * c_", "g_"),), MEDIUM, "gamma is all 1",
    ),
    Mistake(
        "gamma-gradient-of-features", "gradient", ("dgamma",),
        "The gradient of gamma seems to have been taken without the normalised features.",
        "Sum dY times the normalised features over the tokens.",
        (("col_sum(g_ * n_)", "col_sum(g_)"), ("col_sum(g_ * normed)", "col_sum(g_ * X)")),
    ),
    Mistake(
        "slope-forgotten", "gradient", ("dhidden", "dgate"),
        "The slope of the activation seems to have been forgotten.",
        "Back through ReLU a gradient passes only where the hidden number was above 0.",
        (("keep(g_, m_)", "g_"), ("dactive * s_", "dactive")), MEDIUM, "no hidden number is negative",
    ),
    Mistake(
        "slope-of-the-gradient", "gradient", ("dhidden",),
        "ReLU seems to have been applied to the gradient itself.",
        "What matters is the sign of the hidden number, not of the gradient.",
        (("keep(g_, m_)", "relu(g_)"),), MEDIUM,
    ),
    Mistake(
        "bias-gradient-averaged", "gradient", _BIASES,
        "The gradient of a bias seems to have been averaged over the tokens.",
        "The bias goes to every token, so its gradient is the sum over them.",
        (("col_sum(g_)", "col_mean(g_)"),), MEDIUM, "there is one token",
    ),
    Mistake(
        "output-weights-skipped", "gradient", ("dH",),
        "The gradient of the output seems to have been taken for that of the joined heads.",
        "Go back through W_O: Z = H W_O, so dH = dZ W_Oᵀ.",
        (("d_ @ W_O.T", "d_"),), HIGH,
    ),
    Mistake(
        "one-query-head-forgotten", "gradient", ("dK", "dV"),
        "Only one of the query heads seems to have handed a gradient back.",
        "Query heads share these keys and values: what all of them hand back adds up.",
        (("a_ @ b_ + c_ @ d_", "a_ @ b_"), ("a_ @ b_ + c_ @ d_", "c_ @ d_")), HIGH,
    ),
    Mistake(
        "one-path-forgotten", "gradient", ("dX", "dmemory"),
        "One of the ways back to the tokens seems to have been forgotten.",
        "A token goes into queries, keys and values; the gradients of all of them add up.",
        (("a_ + b_", "a_"), ("a_ + b_", "b_")), HIGH,
    ),
)  # fmt: skip
