"""PyTorch's float64 layers, stacks, losses and decoding against the lessons: certified, and in the engine's
own floats.
"""

import numpy as np
import pytest

from attncalc import AttncalcError
from tests.oracles import test_torch_attention
from tests.support.torch_cases import INDEX, array, both, cases, compare, matrix, may_look, texts

CASES = cases(lambda family: family not in ("sdpa", "mha"))
# PyTorch's answer is NaN; here it is an error that says why (and in the engine's floats, which are NumPy's, a NaN as
# well).
NAN = {"ce_all_ignored_nan": "loss: division by zero"}


def given(case):
    return {name: texts(stored) for name, stored in case["givens"].items()}


def arrays(case):
    return {name: array(stored) for name, stored in (case["outputs"] | case["intermediates"]).items()}


def column(numbers):
    return numbers.reshape(-1, 1)


# Each builder yields pairs (problem, {step: what PyTorch has}), one for each sequence that stands alone.


def layer_norm(case):
    """A shape of two axes is normalised as one long row."""
    options, stored, found = case["options"], given(case), arrays(case)
    width = np.prod(options["normalized_shape"])
    affine = {
        ours: matrix(stored[name].reshape(-1))
        for ours, name in (("gamma", "weight"), ("beta", "bias"))
        if name in stored
    }
    problem = {
        "given": {"X": stored["x"].reshape(-1, width).tolist()} | affine,
        "layer_norm": {"eps": options["eps"]},
        "steps": {"rstd": f"1 / sqrt(var + {options['eps']})"},
    }
    of_rows = {"mean": "mean", "var": "var_biased", "rstd": "rstd"}
    yield (
        problem,
        {"Y": found["out"].reshape(-1, width)} | {step: column(found[name]) for step, name in of_rows.items()},
    )


def rms_norm(case):
    """eps: None is the machine's epsilon."""
    stored, eps = given(case), case["options"]["eps"]
    givens = {"X": stored["x"].tolist(), "gamma": matrix(stored["weight"])}
    yield {"given": givens, "rms_norm": {"eps": "2 ** -52" if eps == "None" else eps}}, {"Y": arrays(case)["out"]}


def cross_entropy(case):
    stored, found, options = given(case), arrays(case), case["options"]
    if "log_probs" in stored:
        yield kl_divergence(stored, found)
        return
    soft = stored["target"].ndim == 2
    targets = {"P_right" if soft else "targets": matrix(stored["target"])}
    weights = {"class_weights": matrix(stored["weight"])} if "weight" in stored else {}
    ours = {"reduction": "reduction", "ignore_index": "ignore", "label_smoothing": "smoothing"}
    lesson = {ours[name]: value for name, value in options.items() if name in ours} | (
        {"P_true": "P_right"} if soft else {}
    )
    givens = {"logits": stored["logits"].tolist()} | targets | weights
    problem = {"given": givens, "cross_entropy": lesson, "steps": {"log_P": "log(P)"}}
    loss = (
        {"losses": column(found["loss"])}
        if options.get("reduction") == "none"
        else {"loss": found["loss"].reshape(1, 1)}
    )
    yield problem, {"log_P": found["log_softmax"]} | loss


def kl_divergence(stored, found):
    """Σ t (ln t − ln p), where 0 ln 0 is 0."""
    steps = {
        "loss_sum": "total(t * (log(keep(t, t, fill=1)) - log_p))",
        "loss": "loss_sum / rows(t)",
        "loss_mean": "loss / cols(t)",
    }
    problem = {"given": {"t": stored["target"].tolist(), "log_p": stored["log_probs"].tolist()}, "steps": steps}
    return problem, {step: found[step].reshape(1, 1) for step in steps}


def softmax(case):
    steps = {
        "softmax": "softmax(x)",
        "log_softmax": "log(softmax)",
        "softmax_dim0": "softmax_cols(x)",
        "softmax_temperature_0.5": "softmax(x / 0.5)",
        "logsumexp": "log(row_sum(exp(x))).T",
    }
    yield formulas(steps, {"x": given(case)["x"].tolist()}, arrays(case))


def formulas(steps, givens, found):
    """Formulas under the names that PyTorch's numbers have."""
    named = {name.replace(".", "_"): formula for name, formula in steps.items()}
    return {"given": givens, "steps": named}, {name.replace(".", "_"): np.atleast_2d(found[name]) for name in steps}


def activation(case):
    steps = {
        "gelu_exact": "gelu(x)",
        "gelu_tanh": 'gelu(x, form="tanh")',
        "sigmoid_approx_gelu_quick": 'gelu(x, form="sigmoid")',
        "relu": "relu(x)",
        "silu": "silu(x)",
    }
    yield formulas(steps, {"x": matrix(given(case)["x"])}, arrays(case))


def feed_forward(case):
    """Weights stored (out, in), turned by the lesson's arguments."""
    givens, found = {name: matrix(numbers) for name, numbers in given(case).items()}, arrays(case)
    lesson = {
        "X": "x",
        "W_1": "W1.T",
        "b_1": "b1",
        "W_2": "W2.T",
        "b_2": "b2",
        "activation": case["options"]["activation"],
    }
    expected = {"hidden": found["pre_activation"], "active": found["hidden"], "Y": found["out"]}
    yield {"given": givens, "feed_forward": lesson}, expected


def embedding(case):
    """The positions by the lesson's own formula, and as a table of the author's."""
    stored, found = given(case), arrays(case)
    givens = {"ids": matrix(stored["ids"]), "E": stored["emb"].tolist()}
    scale = {"embed_scale": "sqrt(cols(E))"}
    expected = {"embedded": found["lookup"], "X_pe": found["out"]}
    yield {"given": givens, "embedding": scale}, expected | {"PE": array(case["givens"]["pe"])}
    yield {"given": givens | {"table": stored["pe"].tolist()}, "embedding": scale | {"PE": "table"}}, expected


def layer_weights(stored, path="", to=""):
    """A layer's weights, stored (out, in) and the three projections stacked, as the givens of a lesson."""
    found = {}
    for part, before in (("self_attn", to), ("multihead_attn", f"{to}cross_")):
        for kind, letter in (("weight", "W"), ("bias", "b")):
            if f"{path}{part}.in_proj_{kind}" in stored:
                own = [*np.split(stored[f"{path}{part}.in_proj_{kind}"], 3), stored[f"{path}{part}.out_proj.{kind}"]]
                found |= {f"{before}{letter}_{x}": matrix(weights.T) for x, weights in zip("QKVO", own, strict=True)}
    for ours, theirs in {
        "W": "linear{}.weight",
        "b": "linear{}.bias",
        "gamma": "norm{}.weight",
        "beta": "norm{}.bias",
    }.items():
        names = {f"{to}{ours}_{k}": path + theirs.format(k) for k in (1, 2, 3)}
        found |= {name: matrix(stored[torch].T) for name, torch in names.items() if torch in stored}
    return found


def final_norm(stored, path, to=""):
    return {
        f"{to}{ours}_final": matrix(stored[f"{path}norm.{name}"])
        for ours, name in (("gamma", "weight"), ("beta", "bias"))
    }


def layer(case):
    """An encoder layer, or a decoder layer where there is a memory; each sequence of a batch has a padding
    of its own.
    """
    stored, options = given(case), case["options"]
    decoder = "memory" in stored
    X = stored["tgt" if decoder else "src"]
    lesson = {
        "heads": options["nhead"],
        "norm": "before" if options["norm_first"] else "after",
        "activation": options["activation"],
        "eps": options.get("layer_norm_eps", "1e-5"),
    }
    for b in range(len(X)) if X.ndim == 3 else [...]:
        givens = {"X": X[b].tolist()} | layer_weights(stored)
        masks = {"mask": layer_mask(case, "tgt" if decoder else "src", b, givens)}
        if decoder:
            givens["encoded"] = stored["memory"][b].tolist()
            masks |= {"memory": "encoded", "memory_mask": layer_mask(case, "memory", b, givens)}
        problem = {"given": givens, "decoder_layer" if decoder else "encoder_layer": lesson | masks}
        yield (
            problem,
            layer_steps({name: numbers[b] for name, numbers in arrays(case).items()}, decoder, options["norm_first"]),
        )


def layer_mask(case, what, b, givens):
    """A mask of −∞ is the causal one in every case; True in a padding hides a key from all."""
    words = []
    if (mask := case["givens"].get(f"{what}_mask")) is not None:
        assert np.array_equal(np.isneginf(array(mask)), np.triu(np.ones(mask["shape"], bool), 1))
        words.append("causal")
    if (padding := case["givens"].get(f"{what}_key_padding_mask")) is not None:
        givens[f"real_{what}"] = may_look(~array(padding)[[b]])
        words.append(f"real_{what}")
    return " * ".join(words) or "none"


def layer_steps(found, decoder, before):
    """PyTorch's modules under the names of the lesson's steps."""
    last = 3 if decoder else 2
    attention = {"self_attn": "masked" if decoder else "attention", "multihead_attn": "cross"}
    expected = {
        "Y" if before else f"norm{last}.Y": found["out"],
        "ffn.hidden": found["linear1_out"],
        "ffn.Y": found["linear2_out"],
    }
    expected |= {f"norm{k}.Y": found[f"norm{k}_out"] for k in range(1, last + 1)}
    for module, step in attention.items():
        if f"{module}_out" in found:
            expected[f"{step}.Z"] = found[f"{module}_out"]
            expected |= {f"{step}.A_{i}": A for i, A in enumerate(found[f"{module}_weights_per_head"], start=1)}
    return expected


def stack(case):
    """An encoder of two layers; or one layer on each side, which starts from vectors instead of words."""
    stored, found, heads = given(case), arrays(case), {"heads": case["options"]["nhead"]}
    if "layers.1.norm1.weight" in stored:
        weights = (
            layer_weights(stored, "layers.0.", "enc1_")
            | layer_weights(stored, "layers.1.", "enc2_")
            | final_norm(stored, "")
        )
        problem = {"given": {"X": stored["src"].tolist()} | weights, "encoder": {"layers": 2} | heads}
        yield problem, {"layer1.norm2.Y": found["layer0"], "layer2.norm2.Y": found["layer1"], "norm.Y": found["out"]}
        return
    givens = {"X_src": stored["src"].tolist(), "X_tgt": stored["tgt"].tolist()} | transformer_weights(stored)
    problem = {"given": givens, "transformer": {"source": "X_src", "target": "X_tgt"} | heads}
    yield problem, {"encoder.norm.Y": found["memory"], "decoder.norm.Y": found["out"]}


def transformer_weights(stored, path=""):
    sides = (("encoder", "enc"), ("decoder", "dec"))
    layers = {
        k: w for side, to in sides for k, w in layer_weights(stored, f"{path}{side}.layers.0.", f"{to}1_").items()
    }
    return layers | {k: w for side, to in sides for k, w in final_norm(stored, f"{path}{side}.", f"{to}_").items()}


def schedule(case):
    """The paper's learning rate, at the points and at the steps that an optimiser went."""
    for row in case["rows"]:
        numbers = {name: row[name] for name in ("factor", "d_model", "warmup")}
        for points in filter(None, (row["points"], row["lambdalr"])):
            steps, rates = zip(*points, strict=True)
            rate = "factor * d_model ** (-1/2) * minimum(step ** (-1/2), step * warmup ** (-3/2))"
            yield (
                {"given": numbers | {"step": [list(steps)]}, "steps": {"rate": rate}},
                {"rate": np.array([rates], float)},
            )
        yield (
            {"given": numbers, "steps": {"peak": "factor / sqrt(d_model * warmup)"}},
            {"peak": np.array([[row["peak"]]], float)},
        )


def decode(case):
    """One choice among logits with a tie; or the whole model word by word, each step with the words so far, then all at
    once.
    """
    stored = given(case)
    if "logits" in stored:
        yield choice(stored["logits"].tolist(), arrays(case), case["options"])
        return
    out = {"W_out": matrix(stored["out.weight"].T), "b_out": matrix(stored["out.bias"])}
    givens = (
        {"src": matrix(stored["src"]), "E": stored["emb.weight"].tolist()} | transformer_weights(stored, "tr.") | out
    )
    model = {"heads": case["options"]["nhead"], "embed_scale": "sqrt(cols(E))"}
    source = arrays(case)
    sequence = array(case["outputs"]["sequence"])
    for n, step in enumerate(case["steps"], start=1):
        assert step["prefix"] == sequence[:n].tolist() and step["next"] == sequence[n]
        problem = {
            "given": givens | {"tgt": [step["prefix"]]},
            "transformer": model,
            "steps": {"word": {"next_word": {"X": "decoder.norm.Y"}}},
        }
        yield (
            problem,
            {
                "source.X_pe": source["src_embedded"],
                "encoder.norm.Y": source["memory"],
                "target.X_pe": array(step["decoder_input"]),
                "word.last": np.atleast_2d(array(step["last_hidden"])),
                "word.logits": np.atleast_2d(array(step["logits"])),
                "word.P": np.atleast_2d(array(step["probs"])),
                "word.next": np.array([[step["next"]]]),
            },
        )

    tokens = {
        "start_token": case["options"]["bos"],
        "end_token": case["options"]["eos"],
        "most": case["options"]["max_new"],
    }
    chosen = {f"P_{t}": np.atleast_2d(array(step["probs"])) for t, step in enumerate(case["steps"], start=1)}
    yield {"given": givens, "greedy_decode": model | tokens}, chosen | {"ids": sequence[1:].reshape(1, -1)}


def choice(logits, found, options):
    """The first of equal words is chosen."""
    steps = {
        "log_probs": "log(P)",
        "topk_values": f"sort_rows(logits)[:, 0:{options['k']}]",
        "warm": {"next_word": {"logits": "logits", "temperature": options["temperature"]}},
    }
    names = {
        "P": "probs",
        "next": "argmax",
        "warm.P": "probs_T0.5",
        "log_probs": "log_probs",
        "topk_values": "topk_values",
    }
    problem = {"given": {"logits": logits}, "next_word": {}, "steps": steps}
    return problem, {step: np.atleast_2d(found[name]) for step, name in names.items()}


BUILDERS = {
    "layernorm": layer_norm,
    "rmsnorm": rms_norm,
    "cross_entropy": cross_entropy,
    "softmax": softmax,
    "activation": activation,
    "ffn": feed_forward,
    "embedding": embedding,
    "encoder_layer": layer,
    "decoder_layer": layer,
    "stack": stack,
    "schedule": schedule,
    "decode": decode,
}


@pytest.mark.sweep(quick=6)
@both
@pytest.mark.parametrize("name", sorted(set(CASES) - set(NAN)))
def test_every_step_is_what_pytorch_computes(name, how):
    found = list(BUILDERS[CASES[name]["family"]](CASES[name]))
    assert found
    for problem, expected in found:
        compare(name, problem, expected, how)


@pytest.mark.parametrize("name", sorted(NAN))
def test_a_nan_of_pytorch_is_an_error(name):
    ((problem, expected),) = BUILDERS[CASES[name]["family"]](CASES[name])
    assert any(np.isnan(numbers).any() for numbers in expected.values())
    with pytest.raises(AttncalcError, match=NAN[name]):
        compare(name, problem, expected, {})
    compare(name, problem, expected, {"arithmetic": "floating"})


def test_all_85_cases_are_reached():
    names = {entry["name"] for entry in INDEX}
    assert len(INDEX) == len(names) == 85
    assert names == set(CASES) | set(test_torch_attention.CASES)
    with_nan = {entry["name"] for entry in INDEX if entry["has_nan"]}
    assert (
        with_nan == set(NAN) | {"mha_fully_masked_key_padding"}
        and with_nan <= set(NAN) | test_torch_attention.FULLY_MASKED
    )
