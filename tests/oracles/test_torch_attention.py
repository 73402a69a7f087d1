"""PyTorch's float64 attention, plain and with heads, against the engine: certified, and its own floating arithmetic."""

import numpy as np
import pytest

from attncalc import AttncalcError
from tests.support.torch_cases import array, both, cases, compare, matrix, may_look, texts

CASES = cases(lambda family: family in ("sdpa", "mha"))
FULLY_MASKED = {"sdpa_fullymasked_row_bool", "sdpa_fullymasked_row_neginf", "mha_fully_masked_key_padding"}
# The relative error that float64 leaves in PyTorch's own numbers, where it is more than 1e-12.
# Equal scores of 254558, known to 3e-11: exactly 1/2 and 1/2, printed 0.500000000007
LOOSER = {"sdpa_large_logits": 1e-10}

SDPA_STEPS = {"S_scaled": "scaled_scores_before_mask", "A": "weights_via_api_identity_values", "Z": "out"}
QUERY_KEY_VALUE = list(zip("QKV", ("query", "key", "value")))


# Each builder yields pairs (problem, {step: what PyTorch has}), one for each sequence or head that stands alone.


def sdpa(case):
    """scaled_dot_product_attention; heads that share keys become one lesson with kv_heads."""
    given, options = {name: texts(stored) for name, stored in case["givens"].items()}, case["options"]
    stored = case["outputs"] | case["intermediates"]
    expected = {step: array(stored[name]) for step, name in SDPA_STEPS.items() if name in stored}
    extra, lesson = sdpa_mask(case["givens"].get("attn_mask"), options)
    if "scale" in options:
        lesson["scale"] = f"1 / {options['scale']}"
    if options.get("enable_gqa"):
        QKV = {short: np.hstack(given[name][0]).tolist() for short, name in QUERY_KEY_VALUE}
        lesson |= {"heads": given["query"].shape[1], "kv_heads": given["key"].shape[1]}
        of_heads = {
            f"{step}_{i}": numbers for step, of_all in expected.items() for i, numbers in enumerate(of_all[0], start=1)
        }
        yield {"given": QKV, "multi_head_attention": lesson}, of_heads | {"H": np.hstack(expected["Z"][0])}
        return
    for place in np.ndindex(given["query"].shape[:-2]):
        QKV = {short: matrix(given[name][place]) for short, name in QUERY_KEY_VALUE}
        yield {"given": QKV | extra, "attention": lesson}, {step: of_all[place] for step, of_all in expected.items()}


def sdpa_mask(stored, options):
    """True may look; numbers are added; causal is aligned at the top left unless it says otherwise."""
    if stored and stored["dtype"] == "bool":
        return {"M": may_look(array(stored))}, {"mask": "M"}
    if stored:
        return {"M": matrix(texts(stored))}, {"bias": "M"}
    if options.get("causal_alignment") == "lower_right":
        return {}, {"mask": f"causal(offset={options['S'] - options['T']})"}
    return {}, {"mask": "causal"} if options.get("is_causal") or "causal_alignment" in options else {}


def mha(case):
    """nn.MultiheadAttention: weights are stored (out, in), the three projections stacked or apart."""
    given, options = {name: texts(stored) for name, stored in case["givens"].items()}, case["options"]
    E, heads = options["embed_dim"], options["num_heads"]
    batched = given["query"].ndim == 3
    # A lesson projects with a given called W_Q; where the problem's own formulas project, the weights are called
    # otherwise.
    W, bias = ("U", "c") if "add_bias_kv" in options or "add_zero_attn" in options else ("W", "b")
    weights = {"W_out": matrix(given["out_proj.weight"]), "W_O": "W_out.T"}
    if "in_proj_weight" in given:
        weights["W_in"] = matrix(given["in_proj_weight"])
        weights |= {f"{W}_{x}": f"W_in[{i * E}:{(i + 1) * E}].T" for i, x in enumerate("QKV")}
    else:
        weights |= {f"w_{x}": matrix(given[f"{x}_proj_weight"]) for x in "qkv"}
        weights |= {f"{W}_{x.upper()}": f"w_{x}.T" for x in "qkv"}
    if "in_proj_bias" in given:
        weights |= {"b_in": matrix(given["in_proj_bias"]), "b_O": matrix(given["out_proj.bias"])}
        weights |= {f"{bias}_{x}": f"b_in[:, {i * E}:{(i + 1) * E}]" for i, x in enumerate("QKV")}
    for b in range(len(given["query"]) if batched else 1):
        of_item = {name: given[name][b] if batched else given[name] for _, name in QUERY_KEY_VALUE if name in given}
        tokens = {name: numbers.tolist() for name, numbers in of_item.items()}
        more, inputs = mha_inputs(given, options, E)
        extra, mask = mha_mask(case["givens"], b, heads, len(tokens["query"]))
        out, A = (array(case["outputs"][name])[b if batched else ...] for name in ("out", "attn_weights_per_head"))
        problem = {"given": tokens | weights | more | extra, "multi_head_attention": {"heads": heads} | inputs | mask}
        yield problem, {"Z": out} | {f"A_{i}": weights_of_head for i, weights_of_head in enumerate(A, start=1)}


def mha_inputs(given, options, E):
    """X, or X and a memory, or Q, K and V apart, for the lesson to project; or projected already, with a row added."""
    if "value" in given:
        return {}, dict(QUERY_KEY_VALUE)
    if "key" in given:
        return {}, {"X": "query", "memory": "key"}
    Q, K, V = (f"query @ U_{x} + c_{x}" for x in "QKV")
    if options.get("add_bias_kv"):
        more = {name: matrix(given[name][0]) for name in ("bias_k", "bias_v")}
        return more, {"Q": Q, "K": f"vstack({K}, bias_k)", "V": f"vstack({V}, bias_v)"}
    if options.get("add_zero_attn"):
        return {}, {"Q": Q, "K": f"vstack({K}, zeros(1, {E}))", "V": f"vstack({V}, zeros(1, {E}))"}
    return {}, {"X": "query"}


def mha_mask(stored, b, heads, n):
    """True hides; numbers are added; three axes hold a mask for each head of each sequence; padding hides keys from
    all.
    """
    if "attn_mask" in stored and stored["attn_mask"]["dtype"] != "bool":
        return {"M": matrix(texts(stored["attn_mask"]))}, {"bias": "M"}
    hidden = array(stored["attn_mask"]) if "attn_mask" in stored else np.zeros((n, 1), bool)
    if hidden.ndim == 3:
        each = {f"M_{i + 1}": may_look(~hidden[b * heads + i]) for i in range(heads)}
        return each, {f"mask_{i + 1}": f"M_{i + 1}" for i in range(heads)}
    if "key_padding_mask" in stored:
        hidden = hidden | array(stored["key_padding_mask"])[b]
    return ({"M": may_look(~hidden)}, {"mask": "M"}) if hidden.any() else ({}, {})


def problems(name):
    """The case's problems, whose lesson stands under its own key, and what PyTorch has for their steps."""
    yield from (sdpa if CASES[name]["family"] == "sdpa" else mha)(CASES[name])


def with_zeros(problem):
    """The same problem with the weights of an empty row taken as zeros."""
    lesson = "attention" if "attention" in problem else "multi_head_attention"
    return problem | {lesson: problem[lesson] | {"empty_row": "zeros"}}


@pytest.mark.sweep(quick=20)
@both
@pytest.mark.parametrize("name", sorted(set(CASES) - FULLY_MASKED))
def test_every_step_is_what_pytorch_computes(name, how):
    for problem, expected in problems(name):
        compare(name, problem, expected, how, LOOSER.get(name, 1e-12))


@both
@pytest.mark.parametrize("name", sorted(FULLY_MASKED))
def test_an_empty_row_is_an_error_or_zeros_but_never_a_nan(name, how):
    problem, expected = next(problems(name))
    with pytest.raises(AttncalcError, match="row"):
        compare(name, problem, expected, how)
    if CASES[name].get("nan_need_weights_true"):  # PyTorch gives NaN with the weights, and zeros without them
        expected = {"Z": array(CASES[name]["intermediates"]["out_need_weights_false"])[0], "A_1": np.zeros((3, 3))}
    compare(name, with_zeros(problem), expected, how)


def test_the_other_sequence_of_a_padded_batch_is_whole():
    problem, expected = list(problems("mha_fully_masked_key_padding"))[1]
    compare("the second sequence", problem, expected, {})


def test_nothing_is_left_out():
    assert len(CASES) == 41 and FULLY_MASKED | set(LOOSER) <= set(CASES)
    assert {"sdpa", "mha"} == {name.split("_")[0] for name in CASES}
