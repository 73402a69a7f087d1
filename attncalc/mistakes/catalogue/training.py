"""Mistakes in the learning rate and in gradients that are calculated by hand."""

from itertools import permutations

from ..mistake import HIGH, MEDIUM, Mistake

_PRODUCTS = ("dW_O", "dH", "dV", "dA", "dA_masked", "dQ", "dK", "dW_Q", "dW_K", "dW_V", "dW", "dW_gate", "dW_out",
    "dactive", "dX", "dmemory")  # fmt: skip
_SOFTMAX_BACK = ("dS", "dS_scaled", "dS_capped", "dS_biased", "dS_masked")
_BIASES = ("db", "db_O", "db_Q", "db_K", "db_V", "db_gate", "db_out", "dbeta")
_OTHER_WEIGHTS = (*permutations(("W_Q", "W_K", "W_V"), 2), *permutations(("W_1", "W_2"), 2))

MISTAKES = (
    # -- the learning rate
    Mistake(
        "steps-from-zero", "learning rate", ("decay", "rise"),
        "It looks as if you counted steps from 0.",
        "The steps are counted from 1.",
        (("s_ * w_ ** (-3/2)", "(s_ - 1) * w_ ** (-3/2)"), ("s_ ** (-1/2)", "(s_ - 1) ** (-1/2)")), MEDIUM,
    ),
    Mistake(
        "maximum-for-minimum", "learning rate", ("smaller",),
        "It looks as if you took the larger of the two terms instead of the smaller.",
        "The rate is the smaller of the two: it grows during the warm-up and falls after it.",
        (("minimum(a_, b_)", "maximum(a_, b_)"),), MEDIUM,
    ),
    Mistake(
        "minimum-not-taken", "learning rate", ("smaller",),
        "It looks as if you took one of the two terms without comparing them.",
        "Take the smaller one at each step: the rate rises during warm-up and falls after it.",
        (("minimum(a_, b_)", "a_"), ("minimum(a_, b_)", "b_")), MEDIUM,
        "all steps are on the same side of the end of the warm-up",
    ),
    Mistake(
        "warmup-exponent", "learning rate", ("rise",),
        "It looks as if you raised the number of warm-up steps to a different power.",
        "The exponent is −3/2, so that both terms are equal at the last warm-up step.",
        tuple(("s_ * w_ ** (-3/2)", f"s_ * w_ ** {power}") for power in ("(-1/2)", "(-1)", "(-2)")), HIGH,
    ),
    Mistake(
        "step-exponent", "learning rate", ("decay",),
        "It looks as if you raised the step to a different power.",
        "The exponent is −1/2: the rate falls as 1/√step.",
        (("s_ ** (-1/2)", "s_ ** (-1)"), ("s_ ** (-1/2)", "s_ ** (1/2)")), MEDIUM,
    ),
    Mistake(
        "width-for-step", "learning rate", ("decay",),
        "It looks as if you used d_model instead of the step.",
        "The step belongs inside the minimum; 1/√d_model is the factor in front of it. One set of lecture notes has "
        "this misprint.",
        (("s_ ** (-1/2)", "ones(rows(s_), cols(s_)) * d_model ** (-1/2)"),), MEDIUM,
    ),
    Mistake(
        "width-forgotten", "learning rate", ("lr",),
        "It looks as if you left out the factor d_model^(−1/2).",
        "Multiply by d_model^(−1/2).",
        (("f_ * d_ ** (-1/2) * s_", "f_ * s_"), ("d_ ** (-1/2) * s_", "s_")), HIGH,
    ),
    Mistake(
        "width-exponent", "learning rate", ("lr",),
        "It looks as if you raised d_model to a different power.",
        "Multiply by d_model^(−1/2), that is, divide by √d_model.",
        (("d_ ** (-1/2)", "d_ ** (-1)"), ("d_ ** (-1/2)", "d_ ** (1/2)")), MEDIUM,
    ),
    Mistake(
        "rate-factor-forgotten", "learning rate", ("lr",),
        "It looks as if you left out the factor in front of the rate.",
        "Multiply the rate by the factor that the problem gives.",
        (("f_ * d_ ** (-1/2) * s_", "d_ ** (-1/2) * s_"),), MEDIUM,
    ),
    # -- gradients
    Mistake(
        "gradient-not-transposed", "gradient", _PRODUCTS,
        "It looks as if you left out a transpose.",
        "In the gradient of a product the other factor is transposed: for Y = A B, dA = dY Bᵀ and dB = Aᵀ dY.",
        (("a_.T @ b_", "a_ @ b_"), ("a_ @ b_.T", "a_ @ b_"), ("a_ @ b_.T + c_ @ d_.T", "a_ @ b_ + c_ @ d_"),
         ("a_ @ b_.T + c_ @ d_.T + e_ @ f_.T", "a_ @ b_ + c_ @ d_ + e_ @ f_")), HIGH,
    ),
    Mistake(
        "gradient-factors-swapped", "gradient", ("dQ", "dK"),
        "It looks as if you swapped the queries and the keys.",
        "Since S = Q Kᵀ, the gradient of Q uses K, and the gradient of K uses Q: dQ = dS K and dK = dSᵀ Q.",
        (("s_ @ K", "s_ @ Q"), ("s_ @ Q", "s_ @ K")), MEDIUM,
    ),
    Mistake(
        "gradient-weights-swapped", "gradient", ("dX", "dmemory", "dactive"),
        "It looks as if you used the weights of another product.",
        "A gradient goes back through the weights of its own product: dQ through W_Q, dK through W_K, dV through W_V.",
        (
            ("a_ @ W_Q.T + b_ @ W_K.T", "a_ @ W_K.T + b_ @ W_Q.T"),
            ("a_ @ W_K.T + b_ @ W_V.T", "a_ @ W_V.T + b_ @ W_K.T"),
            ("r_ + a_ @ W_K.T + b_ @ W_V.T", "r_ + a_ @ W_V.T + b_ @ W_K.T"),
            ("a_ @ W_Q.T + r_ + b_ @ W_V.T", "a_ @ W_V.T + r_ + b_ @ W_Q.T"),
            *((f"d_ @ {right}.T", f"d_ @ {wrong}.T") for right, wrong in _OTHER_WEIGHTS),
        ), MEDIUM,
    ),
    Mistake(
        "scores-gradient-transposed", "gradient", ("dQ",),
        "It looks as if you transposed dS.",
        "Rows of dS belong to queries, columns to keys: dQ = dS K and dK = dSᵀ Q.",
        (("s_ @ k_", "s_.T @ k_"),), MEDIUM,
    ),
    Mistake(
        "softmax-jacobian-diagonal", "gradient", ("J", *_SOFTMAX_BACK),
        "It looks as if you used a diagonal Jacobian for the softmax.",
        "Every weight depends on every score in its row, so subtract the row's weighted mean: A ∘ (dA − Σ A ∘ dA).",
        (
            ("identity(n_) * p_ - a_", "identity(n_) * p_ * (1 - p_)"), ("identity(n_) * p_ - a_", "identity(n_) * p_"),
            ("a_ * (d_ - t_)", "a_ * d_ * (1 - a_)"), ("a_ * (d_ - t_)", "a_ * d_"),
        ), HIGH,
    ),
    Mistake(
        "softmax-gradient-unweighted-mean", "gradient", _SOFTMAX_BACK,
        "It looks as if you subtracted the unweighted mean of the row.",
        "Subtract the mean weighted by A: Σ A ∘ dA.",
        (("a_ * (d_ - row_sum(a_ * d_))", "a_ * (d_ - row_mean(d_))"),
         ("a_ * (d_ - row_sum(a_ * d_))", "a_ * (d_ - row_sum(d_))")), MEDIUM,
    ),
    Mistake(
        "softmax-gradient-without-weights", "gradient", _SOFTMAX_BACK,
        "It looks as if you left out the weights in front of the bracket.",
        "Multiply each entry by its weight: A ∘ (dA − Σ A ∘ dA).",
        (("a_ * (d_ - t_)", "d_ - t_"),),
    ),
    Mistake(
        "softmax-skipped-on-the-way-back", "gradient", _SOFTMAX_BACK,
        "It looks as if you used the gradient of the weights as the gradient of the scores.",
        "Apply the gradient of the softmax: A ∘ (dA − Σ A ∘ dA).",
        (("a_ * (d_ - t_)", "d_"),), MEDIUM,
    ),
    Mistake(
        "gradient-scale-forgotten", "gradient", _SOFTMAX_BACK,
        "It looks as if you did not divide the gradient by the scale.",
        "The scores were divided by the scale, so divide their gradient by it too.",
        (("g_ / c_", "g_"),), HIGH, "the scale is 1",
    ),
    Mistake(
        "gradient-scale-multiplied", "gradient", _SOFTMAX_BACK,
        "It looks as if you multiplied the gradient by the scale.",
        "Divide the gradient by the scale: the derivative of s/c is 1/c.",
        (("g_ / c_", "g_ * c_"),), MEDIUM, "the scale is 1",
    ),
    Mistake(
        "gradient-through-the-mask", "gradient", _SOFTMAX_BACK,
        "It looks as if you gave masked scores a gradient.",
        "A masked score was replaced by a constant, so its gradient is 0.",
        (("keep(g_, m_)", "g_"),), MEDIUM, "the weights of masked scores are exactly 0",
    ),
    Mistake(
        "loss-gradient-not-averaged", "gradient", ("dlogits",),
        "It looks as if you did not divide the gradient by the number of predictions.",
        "The loss is a mean, so divide its gradient by the number of predictions that are not ignored.",
        (("g_ / n_", "g_"),), HIGH, "there is one prediction",
    ),
    Mistake(
        "loss-gradient-sign", "gradient", ("dlogits",),
        "It looks as if your gradient has the opposite sign.",
        "The gradient is P − P_true: it is negative if P is too small, so that gradient descent raises the logit.",
        (("p_ - t_", "t_ - p_"),), MEDIUM,
    ),
    Mistake(
        "loss-gradient-without-targets", "gradient", ("dlogits",),
        "It looks as if you did not subtract P_true.",
        "Subtract the target probabilities: P − P_true.",
        (("p_ - t_", "p_"),),
    ),
    Mistake(
        "loss-gradient-only-at-the-target", "gradient", ("dlogits",),
        "It looks as if you gave a gradient only to the targets.",
        "Every word's logit has a gradient, because each probability depends on all logits.",
        (("p_ - t_", "(p_ - t_) * t_"),), MEDIUM,
    ),
    Mistake(
        "norm-gradient-of-constants", "gradient", ("dX",),
        "It looks as if you treated the mean and the standard deviation as constants.",
        "Both depend on every feature: subtract the gradient's mean and its component along the normalised token.",
        (("(dcentred - t_) / c_", "dnormed / c_"),), HIGH,
    ),
    Mistake(
        "norm-gradient-without-deviation-term", "gradient", ("dX",),
        "It looks as if you treated the standard deviation as a constant.",
        "The standard deviation depends on every feature: also subtract the component along the normalised token.",
        (("(dcentred - t_) / c_", "dcentred / c_"),), MEDIUM,
    ),
    Mistake(
        "norm-gradient-without-mean-term", "gradient", ("dcentred",),
        "It looks as if you did not subtract the mean of the gradient.",
        "A token's mean depends on every feature, so subtract the mean of its gradient.",
        (("g_ - row_mean(g_)", "g_"),), MEDIUM,
    ),
    Mistake(
        "gamma-forgotten-on-the-way-back", "gradient", ("dnormed",),
        "It looks as if you left out γ in the gradient.",
        "The normalised features were multiplied by γ, so multiply their gradient by γ too.",
        (("g_ * c_", "g_"),), MEDIUM, "γ is 1",
    ),
    Mistake(
        "gamma-gradient-of-features", "gradient", ("dgamma",),
        "It looks as if you computed the gradient of γ without the normalised features.",
        "Multiply dY by the normalised features, and add up over the tokens.",
        (("col_sum(g_ * n_)", "col_sum(g_)"), ("col_sum(g_ * normed)", "col_sum(g_ * X)")),
    ),
    Mistake(
        "slope-forgotten", "gradient", ("dhidden", "dgate"),
        "It looks as if you left out the derivative of the activation function.",
        "Multiply by the derivative at the value before the activation; that of ReLU is 1 above 0, and 0 otherwise.",
        (("keep(g_, m_)", "g_"), ("dactive * s_", "dactive")), MEDIUM,
        "the activation function is ReLU and every hidden value is positive",
    ),
    Mistake(
        "slope-of-the-gradient", "gradient", ("dhidden",),
        "It looks as if you applied ReLU to the gradient itself.",
        "The derivative of ReLU depends on the sign of the hidden value, not on that of the gradient.",
        (("keep(g_, m_)", "relu(g_)"),), MEDIUM,
    ),
    Mistake(
        "bias-gradient-averaged", "gradient", _BIASES,
        "It looks as if you averaged the gradient of a bias over the tokens.",
        "The bias is added to every token, so its gradient is the sum over all tokens.",
        (("col_sum(g_)", "col_mean(g_)"),), MEDIUM, "there is one token",
    ),
    Mistake(
        "output-weights-skipped", "gradient", ("dH",),
        "It looks as if you used the gradient of the output as the gradient of the concatenated heads.",
        "Since Z = H W_O, the gradient is dH = dZ W_Oᵀ.",
        (("d_ @ W_O.T", "d_"),), HIGH,
    ),
    Mistake(
        "one-query-head-forgotten", "gradient", ("dK", "dV"),
        "It looks as if you used the gradient of only one of the query heads.",
        "Several query heads share these keys and values: add up the gradients from all of them.",
        (("a_ @ b_ + c_ @ d_", "a_ @ b_"), ("a_ @ b_ + c_ @ d_", "c_ @ d_")), HIGH,
    ),
    Mistake(
        "one-path-forgotten", "gradient", ("dX", "dmemory"),
        "It looks as if you left out one of the gradients that reach the tokens.",
        "Several products use the token: add up the gradients from all of them.",
        (("a_ + b_", "a_"), ("a_ + b_", "b_")), HIGH,
    ),
)  # fmt: skip
