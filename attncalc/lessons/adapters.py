"""Low-rank adapters (LoRA), and mixtures of experts."""

from __future__ import annotations

from ..errors import FormulaError
from .attention import product
from .lesson import NUMBER, Input, Lesson, Option, Recipe, Setting, Sub
from .transformer_layers import FEED_FORWARD


def _lora(s: Setting) -> list[Recipe]:
    """Return the steps for the output of the frozen weights plus the low-rank product, and for the merged weights."""
    rank = "rows(A)" if s.columns else "cols(A)"
    factor = f"alpha / {rank} * " if s.has("alpha") else ""
    low_rank, low_rank_product = ("B @ low", "B @ A") if s.columns else ("low @ B", "A @ B")
    return [
        ("base", product(s, "X", "W")),
        ("low", product(s, "X", "A")),
        ("update", f"{factor}({low_rank})" if factor else low_rank),
        ("delta", f"{factor}({low_rank_product})" if factor else low_rank_product),
        ("merged", "W + delta"),
        ("trained", "rows(A) * cols(A) + rows(B) * cols(B)"),
        ("trained_full", "rows(W) * cols(W)"),
        ("share", "trained / trained_full"),
        ("Y", "base + update"),
        *([("Y_merged", product(s, "X", "merged")), ("difference", "Y - Y_merged")] if s.flag("compare") else []),
    ]


LORA = Lesson(
    "lora",
    "Low-rank adaptation: the weights W are not changed, and a product A B of two narrow matrices is trained. The "
    "output is X W + α/r · X A B.",
    (
        Input("X", "the tokens, one per row"),
        Input("W", "the frozen weights"),
        Input("A", "the narrow matrix that multiplies the tokens first, d × r (with column vectors r × d)"),
        Input("B", "the narrow matrix after A, r × d_out (with column vectors d_out × r)"),
        Input("alpha", "the correction is multiplied by alpha and "
        "divided by the rank r; alpha is r if it is not given", optional=True, shape=NUMBER),
    ),
    (Option("compare", "flag", "false", "true also computes the output of the merged weights, and the "
    "difference, which is 0"),),
    {
        "base": "the output of the frozen weights",
        "low": "the tokens, projected to r features",
        "update": "the adapter's correction of the output",
        "delta": "the adapter's correction of the weights",
        "merged": "the weights with the adapter in them",
        "trained": "how many numbers are trained",
        "trained_full": "how many numbers the frozen matrix has",
        "share": "the trained numbers, divided by the numbers of the frozen matrix",
        "Y": "the output: the frozen weights and the adapter together",
        "Y_merged": "the output of the merged weights",
        "difference": "the difference of the two results: 0 everywhere",
    },
    _lora,
    counts=("trained", "trained_full"),
    source="Hu et al. 2022.",
)  # fmt: skip


# -- experts -----------------------------------------------------------------------------------------------------------

_NAMES = ("W_1", "b_1", "W_2", "b_2", "W_gate", "b_gate")


def _experts(s: Setting) -> list[Recipe]:
    """Return the steps of the gates, the experts' outputs, the balance loss and the mixture."""
    s.refuse_columns("one vector per row")
    count = s.shape("W_g")[1]
    k, word = s.integer("k") or 2, s.word("gating")
    if k > count:
        raise FormulaError(
            f"k: expected at most {count} (the number of experts, which is the number of columns of W_g), found {k}",
            about="k",
        )
    for i in range(1, count + 1):
        if not s.has(f"W_1_{i}"):
            raise FormulaError(f"mixture_of_experts needs W_1_{i}; W_g has one column for each of {count} experts")
    s.say("k", str(k))
    s.say("gating", word)
    s.say_word("share_of")
    steps: list[Recipe] = [
        ("logits", "X @ W_g"),
        ("P", "softmax(logits)"),
        ("chosen", f"top_k(P, {k})"),
        ("gates", "softmax(keep(logits, chosen))" if word == "kept" else "P * chosen"),
    ]
    steps += [(f"expert_{i}", _expert(s, i)) for i in range(1, count + 1)]
    factor = "alpha * " if s.has("alpha") else ""
    return [
        *steps,
        ("load", "col_sum(chosen) / total(chosen)" if s.word("share_of") == "choices" else "col_mean(chosen)"),
        ("importance", "col_mean(P)"),
        ("balance", f"{factor}{count} * total(load * importance)"),
        ("Y", " + ".join(f"gates[:, {i - 1}] * expert_{i}" for i in range(1, count + 1))),
    ]


def _expert(s: Setting, i: int) -> str | Sub:
    """Return the formulas of expert `i`: a feed-forward network, or a product with one matrix."""
    given = {name: f"{name}_{i}" for name in _NAMES if s.has(f"{name}_{i}")}
    if "W_2" in given:
        return Sub(FEED_FORWARD, {"X": "X", **given, **s.pass_on("activation")}, hidden=_NAMES)
    return f"X @ W_1_{i}" + (f" + b_1_{i}" if "b_1" in given else "")


MIXTURE_OF_EXPERTS = Lesson(
    "mixture_of_experts",
    "A gate chooses k experts for each token and mixes their outputs; a balance loss measures how evenly the "
    "experts are used.",
    (
        Input("X", "the tokens, one per row"),
        Input("W_g", "the weights of the gate: one column per expert"),
        *(
            Input(f"{i.name}", f"one for each expert, {i.name}_1, {i.name}_2, ...: {i.doc}", i.name != "W_1",
                numbered=True, shape=i.shape)
            for i in FEED_FORWARD.inputs
            if i.name != "X"
        ),
        Input("alpha", "the factor of the balance loss; 1 by default", optional=True, shape=NUMBER),
    ),
    (
        Option("k", "whole", "2", "the number of experts per token", examples=("1",)),
        Option("gating", "word", "kept", "the softmax over only the chosen experts (Mixtral), or the unchanged "
        "probabilities (plain; Switch)",
               ("kept", "plain")),
        Option("share_of", "word", "choices", "the load is a share of all choices, so that it sums to 1 "
               "(DeepSeekMoE), or of the tokens, so that it sums to k (Mixtral and OLMoE in Transformers)",
               ("choices", "tokens")),
        *FEED_FORWARD.options,
    ),
    {
        "logits": "how well each expert matches each token",
        "P": "the probability of each expert",
        "chosen": "1 for the k chosen experts of each token",
        "gates": "the weight of each chosen expert",
        "expert_1": "this expert's output for every token",
        "load": "each expert's share of all choices (1/experts if all are equal), or of the tokens (k/experts if all "
        "are equal)",
        "importance": "the mean probability of each expert",
        "balance": "the balance loss: the number of experts times the sum of load times importance, and times alpha "
        "if it is given",
        "Y": "the output: the sum of the chosen experts' outputs, each times its gate",
    },
    _experts,
    source="Experts chosen by a gate: Shazeer et al. 2017. Balance loss: Fedus et al. 2022 (Switch), equations 4 to 6, "
    "with one expert per token. With k experts, Dai et al. 2024 (DeepSeekMoE) divide the load by k; "
    "load_balancing_loss_func of Transformers (Mixtral, OLMoE) does not.",
)  # fmt: skip
