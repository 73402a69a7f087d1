"""Grammar of Transformer formulas, which determines the role of a formula from its form, never from its name.

A name that ends in `_` matches any formula; if it names a kind below (`weights_`), a formula of that kind. Names of
steps are dereferenced, so one step may do what a lesson does in three. Patterns are for tokens as rows; they are
mirrored for tokens as columns.
"""

from __future__ import annotations

Alternative = tuple[str, str]  # a role (`S`, `A`; "" for none) and a pattern of its formulas

_ANY = ("", "any_")
_SCORES = (
    ("S_masked", "keep(unmasked_, mask_)"),
    ("S_capped", "cap_ * tanh(scores_ / cap_)"),
    ("S_scaled", "unscaled_ / divisor_"),
    ("S_scaled", "unscaled_ * number_"),
    ("S", "Q_ @ K_.T"),
    ("S", "narrow_Q_ @ K_.T"),
    ("S", "Q_ @ narrow_K_.T"),
    ("S_biased", "unbiased_ + bias_"),
)
_COMPARED = (  # certain scores: of queries with keys, divided by a root, or masked
    ("S_masked", "keep(unmasked_, causal(n_, m_))"),
    ("S_masked", "keep(unmasked_, given_)"),
    ("S_masked", "keep(unmasked_, given_ == 0)"),  # the form of an additive mask of 0 and −∞
    ("S_masked", "keep(compared_, mask_)"),
    ("S_capped", "cap_ * tanh(compared_ / cap_)"),
    ("S_scaled", "unscaled_ / root_"),
    ("S_scaled", "compared_ / divisor_"),
    ("S_scaled", "compared_ * number_"),
    ("S", "Q_ @ K_.T"),
    ("S_biased", "compared_ + bias_"),
)
_WEIGHTS = (
    ("A_masked", "weights_ * mask_ / row_sum(weights_ * mask_)"),
    ("A_masked", "normalize(weights_ * mask_)"),
    *(("A", f"{softmax}(scores_)") for softmax in ("softmax", "softmax_cols", "softmax_all")),
    ("A", "E_ / E_sum_"),
)
_FORWARD = (("Z", "mixed_"), ("Z", "output_"), ("Y", "second_layer_"))
_BACK = (
    ("dS", "A_ * (dA_ - row_sum(A_ * dA_))"),
    ("dS", "factor_ * A_ * (dA_ - row_sum(A_ * dA_))"),
    ("dS", "A_ * (dA_ - total(A_ * dA_))"),
    ("dS", "back_ / divisor_"),
    ("dS", "back_ * number_"),
    ("dS", "keep(back_, mask_)"),
    ("dS", "back_ * (1 - (capped_ / cap_) ** 2)"),
)
_LOGARITHM = ("log(p_)", "log2(p_)", "log10(p_)")

KINDS: dict[str, tuple[Alternative, ...]] = {
    # -- attention -----------------------------------------------------------------------------------------------------
    "mixed": (("Z", "H_ @ W_O_ + b_O_"), ("Z", "H_ @ W_O_")),
    "H": (("H", "hstack(output_)"),),
    "output": (("Z", "weights_ @ V_"),),
    "weights": _WEIGHTS,
    "sure_weights": (("A", "softmax(compared_)"),),
    "E": (("E", "exp(scores_)"), ("E", "base_ ** scores_")),
    "E_sum": (("E_sum", "row_sum(E_)"), ("E_sum", "col_sum(E_)"), ("E_sum", "total(E_)")),
    "scores": (*_SCORES, _ANY),
    "unmasked": (*_SCORES, _ANY),
    "unscaled": (*_SCORES, _ANY),
    "unbiased": (*_SCORES, _ANY),
    "compared": _COMPARED,
    "narrow_Q": (("S_scaled", "Q_ / divisor_"),),
    "narrow_K": (("S_scaled", "K_ / divisor_"),),
    "Q": (("Q", "X_ @ W_Q_ + b_Q_"), ("Q", "X_ @ W_Q_"), ("", "part(Q_)"), _ANY),
    "K": (("K", "memory_ @ W_K_ + b_K_"), ("K", "memory_ @ W_K_"), ("joined", "vstack(kept_, new_)"), ("", "part(K_)"),
        _ANY),
    "V": (("V", "source_ @ W_V_ + b_V_"), ("V", "source_ @ W_V_"), ("joined", "vstack(kept_, new_)"), ("", "part(V_)"),
        _ANY),
    **dict.fromkeys(("X", "memory", "source"), (("X_pe", "X_plain_ + positions_"), _ANY)),
    # -- positions -----------------------------------------------------------------------------------------------------
    "encoded": (("X_pe", "X_plain_ + table_"),),
    "table": (("PE", "sinusoidal(n_, d_)"),),
    "positions": (("PE", "sinusoidal(n_, d_)"), ("PE", "given_")),
    "X_plain": (("scaled", "plain_ * number_"), _ANY),
    "rotated": (("X_rot", "turn(plain_, cos(angles_), sin(angles_))"), ("X_rot", "turn(plain_, c_, s_)"),
        ("X_rot", "rope(plain_)")),
    "angles": (("angles", "p_ / q_"), ("angles", "p_ * q_"), ("angles", "-p_ / q_"), _ANY),
    # -- normalisation and residuals -----------------------------------------------------------------------------------
    "stretched": (("Y", "normed_ * gamma_ + beta_"), ("Y", "normed_ * gamma_"), ("Y", "normed_ + beta_")),
    "normed": (
        ("normed", "centred_ / deviation_"), ("normed", "centred_ * (1 / deviation_)"),
        ("normed", "sum_ / root_mean_square_"), ("normed", "sum_ * (1 / root_mean_square_)"),
    ),
    "centred": (("centred", "sum_ - mean_"),),
    "mean": (("mean", "row_mean(sum_)"), ("mean", "row_sum(sum_) / width_")),
    "deviation": (
        ("deviation", "sqrt(var_ + eps_)"), ("deviation", "sqrt(var_) + eps_"), ("deviation", "sqrt(var_)"),
        ("deviation", "row_std(sum_) + eps_"), ("deviation", "row_std(sum_)"),
    ),
    "var": (
        ("var", "row_var(sum_)"), ("var", "row_mean(centred_ ** 2)"), ("var", "row_sum(centred_ ** 2) / width_"),
        ("var", "row_mean(centred_ * centred_)"), ("var", "row_sum(centred_ * centred_) / width_"),
        ("var", "row_mean(sum_ ** 2) - mean_ ** 2"),
    ),
    "root_mean_square": (("deviation", "sqrt(mean_square_ + eps_)"), ("deviation", "sqrt(mean_square_)")),
    "mean_square": (("mean_square", "row_mean(sum_ ** 2)"), ("mean_square", "row_sum(sum_ ** 2) / width_"),
        ("mean_square", "row_mean(sum_ * sum_)"), ("mean_square", "row_sum(sum_ * sum_) / width_")),
    "sum": (("sum", "residual_ + sublayer_"), _ANY),
    "residual_sum": (("sum", "residual_ + forward_"),),
    "forward": _FORWARD,
    # -- feed-forward --------------------------------------------------------------------------------------------------
    "second_layer": (("Y", "active_ @ W_2_ + b_2_"), ("Y", "active_ @ W_2_")),
    "active": (
        *(("active", f"{word}(hidden_)") for word in ("relu", "gelu", "silu", "tanh", "sigmoid")),
        *(("active", f"{word}(gate_) * hidden_") for word in ("silu", "gelu", "sigmoid", "relu", "tanh")),
    ),
    "hidden": (("hidden", "X_ @ W_1_ + b_1_"), ("hidden", "X_ @ W_1_"), _ANY),
    "gate": (("gate", "X_ @ W_gate_ + b_gate_"), ("gate", "X_ @ W_gate_"), _ANY),
    # -- words and losses ----------------------------------------------------------------------------------------------
    "P": (("P", "softmax(logits_)"), ("P", "softmax_cols(logits_)")),
    "logits": (
        ("logits_kept", "keep(logits_, m_)"), ("logits_scaled", "logits_ / divisor_"),
        ("logits", "last_ @ W_out_ + b_out_"), ("logits", "last_ @ W_out_"), _ANY,
    ),
    "P_kept": (("P_kept", "chosen_ / row_sum(chosen_)"),),
    "chosen": (("", "P_ * nucleus_"),),
    "perplexity": (("perplexity", "exp(loss_)"), ("perplexity", "base_ ** loss_")),
    "loss": (
        ("loss", "total(losses_) / count_"), ("loss", "mean(losses_)"), ("loss", "col_mean(losses_)"),
        ("loss", "row_mean(losses_)"), ("loss", "cross_entropy(p_, i_)"),
        ("loss", "total(losses_)"), ("loss", "-mean(logarithm_)"), ("loss", "-total(logarithm_) / count_"),
    ),
    "losses": (
        ("losses", "-logarithm_"), ("losses", "-logarithm_ / number_"),
        ("losses", "-row_sum(truth_ * hidden_logarithm_)"),
        ("losses", "-row_sum(truth_ * hidden_logarithm_) / number_"),
        ("losses", "-(truth_ * logarithm_)"), ("losses", "-total(truth_ * logarithm_)"),
    ),
    "logarithm": tuple(("", log) for log in _LOGARITHM),
    "hidden_logarithm": (*(("", log) for log in _LOGARITHM), ("", "keep(logarithm_, m_)")),
    # -- the learning rate ---------------------------------------------------------------------------------------------
    "lr": (("lr", "factor_ * d_model_ ** (-1/2) * smaller_"), ("lr", "d_model_ ** (-1/2) * smaller_")),
    "smaller": (("smaller", "minimum(decay_, rise_)"),),
    "decay": (("decay", "step_ ** (-1/2)"),),
    "rise": (("rise", "step_ * warmup_ ** (-3/2)"),),
    # -- gradients -----------------------------------------------------------------------------------------------------
    "back": _BACK,
    "A": (*_WEIGHTS, _ANY),
    "dA": (("dA", "dZ_ @ V_.T"), ("dA", "mask_ * (dA_masked_ - row_sum(weights_ * dA_masked_)) / below_"), _ANY),
    "dA_masked": (("dA_masked", "dZ_ @ V_.T"), _ANY),
    "dZ": (("dZ", "part(dH_)"), ("dH", "dY_ @ W_O_.T"), _ANY),
    "dH": (("dH", "dZ_ @ W_O_.T"), _ANY),
    "dQ": (("dQ", "back_ @ K_"),),
    "dK": (("dK", "back_.T @ Q_"), ("dK", "dK_ + dK_2_")),
    "dK_2": (("dK", "back_.T @ Q_"),),
    "dV": (("dV", "weights_.T @ dZ_"), ("dV", "dV_ + dV_2_")),
    "dV_2": (("dV", "weights_.T @ dZ_"),),
    "dlogits": (("dlogits", "(P_ - truth_) / count_"), ("dlogits", "P_ - truth_"),
        ("dlogits", "(P_ * truth_ - right_) / count_")),
    "dnorm": (
        ("dX", "(dcentred_ - normed_ * row_sum(dnormed_ * normed_) / width_) / deviation_"),
        ("dX", "dcentred_ / deviation_ - g_ / r_"),
    ),
    "dcentred": (("dcentred", "dnormed_ - row_mean(dnormed_)"),),
    "dnormed": (("dnormed", "dY_ * gamma_"), _ANY),
    "dgamma": (("dgamma", "col_sum(dY_ * normed_)"),),
    "dhidden": (("dhidden", "keep(dactive_, relu(hidden_))"), ("dhidden", "dactive_ * slope_")),
    "slope": (("", "1 - active_ ** 2"), ("", "active_ * (1 - active_)")),
    "dactive": (("dactive", "dY_ @ W_2_.T"), _ANY),
    "ways": (("", "ways_ + way_"), ("", "g_ @ w_.T")),
    "way": (("", "g_ @ w_.T"),),
    "dX": (("dX", "ways_ + way_"), ("dX", "dhidden_ @ W_1_.T"), ("dX", "dlogits_ @ W_out_.T")),
    "J": (("J", "identity(n_) * p_ - p_.T @ p_"),),
    "dW": (("dW", "x_.T @ g_"),),
    "db": (("db", "col_sum(g_)"),),
    # -- cheaper attention and counts ----------------------------------------------------------------------------------
    "linear": (("linear", "weighted_ / mass_"),),
    "weighted": (("", "phi_Q_ @ state_"),),
    "mass": (("", "phi_Q_ @ col_sum(phi_K_).T"),),
    "state": (("", "phi_K_.T @ V_"),),
    "phi_Q": (("phi", "elu(Q_) + 1"), ("phi", "relu(Q_)"), ("phi", "exp(Q_)"), _ANY),
    "phi_K": (("phi", "elu(K_) + 1"), ("phi", "relu(K_)"), ("phi", "exp(K_)"), _ANY),
    "pair_products": (("pair_products", "pairs_ * (cols(l_) + cols(r_))"),),
    "saved": (("saved", "1 - part_ / pair_products_"),),
    "unit": (("GB", "bytes_ / 10 ** 9"), ("GiB", "bytes_ / 2 ** 30")),
    # -- what stands alone ---------------------------------------------------------------------------------------------
    "score": (("S", "Q_ @ K_.T"),),
    "scaled_score": (("S_scaled", "unscaled_ / root_"),),
    "masked_score": (("S_masked", "keep(unmasked_, mask_)"),),
    "scaled": (("scaled", "plain_ * root_"),),
    "projection": (("projection", "x_ @ given_ + b_"), ("projection", "x_ @ given_")),
}  # fmt: skip

# Start kinds of the recognition, larger formulas first. A formula with a role starts nothing.
BEGINNINGS = (
    "J", "dnorm", "dgamma", "linear", "mixed", "H", "output", "dQ", "dK", "dV", "back", "sure_weights", "perplexity",
    "loss", "losses", "dlogits", "P_kept", "P", "stretched", "normed", "dX", "second_layer", "dhidden", "active",
    "residual_sum", "encoded", "table", "rotated", "lr", "smaller", "var", "dW", "db", "score", "scaled_score",
    "masked_score", "scaled", "saved", "pair_products", "unit", "projection",
)  # fmt: skip
