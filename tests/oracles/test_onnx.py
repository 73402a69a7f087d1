"""ONNX's own backend node tests against lessons and formulas, over the exact inputs: a float32 is the binary number it
holds.

The certified numbers are the right ones; ONNX's carry the rounding of NumPy code in the inputs' own type.
"""

from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from onnx import helper
from onnx.backend.test.case import node as onnx_node
from onnx.reference.ops.op_rotary_embedding import rotary_embedding

from attncalc import AttncalcError, load, solve
from attncalc.formula.typed_formula import LARGEST_SIDE
from tests.support.sweeps import for_each

# The modules that define the cases of each operator: a second where all 1,884 node tests take five.
OPERATORS = {
    "attention": "Attention",
    "gelu": "Gelu",
    "layernormalization": "LayerNormalization",
    "logsoftmax": "LogSoftmax",
    "matmul": "MatMul",
    "rmsnormalization": "RMSNormalization",
    "rotaryembedding": "RotaryEmbedding",
    "softmax": "Softmax",
    "softmax_cross_entropy_loss": "SoftmaxCrossEntropyLoss",
}
for module in OPERATORS:
    import_module(f"{onnx_node.__name__}.{module}")
ALL = {case.name: case for case in onnx_node._NodeTestCases if case.model.graph.node}
EXPANDED = {name for name in ALL if "_expanded" in name}
CASES = {name: case for name, case in ALL.items() if name not in EXPANDED}

# What is not worked through, each with its reason.
OUT_OF_SCOPE = dict.fromkeys(EXPANDED, "the same numbers as its own case, the operator written out in smaller ones")

# Relative and absolute: some ten roundings of 2⁻²⁴, some of 2⁻¹¹, some of 2⁻⁸; sums of numbers near 1 may cancel.
TOLERANCE = {"float32": (1e-5, 1e-6), "float16": (2e-3, 5e-4), "bfloat16": (2e-2, 4e-3)}


def operator(name):
    (node,) = CASES[name].model.graph.node
    return node.op_type


def fraction(attribute):
    """A float32 attribute is the binary number it holds."""
    return str(Fraction(attribute))


class Case:
    """One case: its attributes, and its inputs and outputs by name, those that are there."""

    def __init__(self, name):
        graph = CASES[name].model.graph
        (node,) = graph.node
        ((inputs, outputs),) = CASES[name].data_sets
        self.type = inputs[0].dtype.name
        self.attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        self.inputs = dict(zip((one.name for one in graph.input), map(exact, inputs), strict=True))
        self.outputs = dict(zip((one.name for one in graph.output), map(exact, outputs), strict=True))
        self.first, *self.rest = self.outputs.values()


def exact(numbers):
    """bfloat16 is no type of NumPy's own; each of its numbers is a float32."""
    return numbers.astype(np.float32) if numbers.dtype.name == "bfloat16" else np.asarray(numbers)


def rows(numbers, axis):
    """A tensor as a matrix: one row for each place, the axis along the rows."""
    return np.moveaxis(numbers, axis, -1).reshape(-1, numbers.shape[axis])


# Each builder yields pairs (problem, {step: what ONNX has}), one for each slice that stands alone.


def matmul(case):
    a, b = case.inputs.values()
    a = a[np.newaxis] if a.ndim == 1 else a
    b = b[:, np.newaxis] if b.ndim == 1 else b
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    expected = case.first.reshape(*batch, a.shape[-2], b.shape[-1])
    a, b = np.broadcast_to(a, batch + a.shape[-2:]), np.broadcast_to(b, batch + b.shape[-2:])
    for place in np.ndindex(batch):
        yield {"given": {"a": a[place], "b": b[place]}, "steps": {"c": "a @ b"}}, {"c": expected[place]}


def softmax(case, formula="softmax(x)"):
    axis = case.attributes.get("axis", -1)
    yield {"given": {"x": rows(case.inputs["x"], axis)}, "steps": {"y": formula}}, {"y": rows(case.first, axis)}


def log_softmax(case):
    yield from softmax(case, "log(softmax(x))")


def gelu(case):
    form = case.attributes.get("approximate", b"erf").decode()
    flat = case.inputs["x"].reshape(1, -1)
    yield {"given": {"x": flat}, "steps": {"y": f'gelu(x, form="{form}")'}}, {"y": case.first.reshape(1, -1)}


def normalization(case, lesson):
    """Everything from an axis on is one long row."""
    X, *affine = case.inputs.values()
    width = int(np.prod(X.shape[case.attributes.get("axis", -1) :]))
    eps = fraction(case.attributes.get("epsilon", float(np.float32(1e-5))))
    givens = {"X": X.reshape(-1, width)} | {
        name: one.reshape(1, -1) for name, one in zip(("gamma", "beta"), affine, strict=False)
    }
    more = {"steps": {"rstd": f"1 / sqrt(var + {eps})"}} if case.rest else {}
    expected = {name: one.reshape(-1, 1) for name, one in zip(("mean", "rstd"), case.rest, strict=False)}
    yield {"given": givens, lesson: {"eps": eps}} | more, expected | {"Y": case.first.reshape(-1, width)}


def layer_norm(case):
    yield from normalization(case, "layer_norm")


def rms_norm(case):
    yield from normalization(case, "rms_norm")


def rotary(case):
    """Halves, or neighbours: the caches are any numbers here, so the turn is written out; the rest of a head stays as
    it is.
    """
    X, *caches = (case.inputs[name] for name in ("input", "cos_cache", "sin_cache"))
    if X.ndim == 3:
        X = split(X, case.attributes["num_heads"])
    width = case.attributes.get("rotary_embedding_dim") or X.shape[-1]
    expected = case.first if case.first.ndim == 4 else split(case.first, case.attributes["num_heads"])
    for b, head in np.ndindex(X.shape[:2]):
        c, s = (one[case.inputs["position_ids"][b]] if "position_ids" in case.inputs else one[b] for one in caches)
        steps = turn(width, case.attributes.get("interleaved")) | {"Y": "turned"}
        if width < X.shape[-1]:
            steps["Y"] = f"hstack(turned, X[:, {width}:])"
        yield {"given": {"X": X[b, head], "c": c, "s": s}, "steps": steps}, {"Y": expected[b, head]}


def split(X, heads):
    """(batch, tokens, heads · width) as (batch, heads, tokens, width)."""
    return X.reshape(*X.shape[:2], heads, -1).swapaxes(1, 2)


def turn(width, interleaved):
    half = width // 2
    if not interleaved:
        x1, x2, joined = f"X[:, 0:{half}]", f"X[:, {half}:{width}]", "hstack(real, imag)"
    else:
        x1, x2 = (f"hstack({', '.join(f'X[:, {j}]' for j in range(start, width, 2))})" for start in (0, 1))
        joined = f"hstack({', '.join(f'real[:, {j}], imag[:, {j}]' for j in range(half))})"
    return {"x1": x1, "x2": x2, "real": "c * x1 - s * x2", "imag": "s * x1 + c * x2", "turned": joined}


def cross_entropy(case):
    """Classes stand along axis 1; what has more rows than a matrix may have is taken in two halves."""
    logits, targets = rows(case.inputs["x"], 1), case.inputs["y"].reshape(-1)
    reduction = case.attributes["reduction"].decode()
    weights = {"class_weights": case.inputs["w"].reshape(1, -1)} if "w" in case.inputs else {}
    options = {"ignore": case.attributes["ignore_index"]} if "ignore_index" in case.attributes else {}
    log_P = {"log_P": rows(*case.rest, 1)} if case.rest else {}
    loss = case.first.reshape(-1, 1)
    if len(logits) > LARGEST_SIDE:
        yield halves(logits, targets, weights, reduction, loss, log_P)
        return
    problem = {
        "given": {"logits": logits, "targets": targets} | weights,
        "cross_entropy": options | {"reduction": reduction},
    }
    yield problem | {"steps": {"log_P": "log(P)"}}, log_P | {"losses" if reduction == "none" else "loss": loss}


def halves(logits, targets, weights, reduction, loss, log_P):
    """The losses of two lessons; their weighted mean is a formula over both."""
    cut = {"1": slice(LARGEST_SIDE), "2": slice(LARGEST_SIDE, None)}
    givens = {f"x{k}": logits[part] for k, part in cut.items()} | {f"y{k}": targets[part] for k, part in cut.items()}
    steps = {f"half{k}": {"cross_entropy": {"logits": f"x{k}", "targets": f"y{k}", "reduction": "none"}} for k in cut}
    steps |= {f"log_P{k}": f"log(half{k}.P)" for k in cut}
    expected = {f"{name}{k}": one[part] for name, one in log_P.items() for k, part in cut.items()}
    if reduction == "none":
        expected |= {f"half{k}.losses": loss[part] for k, part in cut.items()}
    else:
        below = "total(half1.P_true * class_weights) + total(half2.P_true * class_weights)"
        steps["loss"] = f"(total(half1.losses) + total(half2.losses)) / ({below})"
        expected["loss"] = loss
    return {"given": givens | weights, "steps": steps}, expected


def attention(case):
    """One problem for each sequence of a batch, its heads side by side as in the three-dimensional form."""
    given, attributes = case.inputs, case.attributes
    Q, K, V = (given[name] for name in "QKV")
    heads, kv_heads = (attributes.get("q_num_heads", Q.shape[1]), attributes.get("kv_num_heads", K.shape[1]))
    lesson = {"heads": heads, "kv_heads": kv_heads, "empty_row": "zeros"}
    if "scale" in attributes:
        lesson["scale"] = f"1 / ({fraction(attributes['scale'])})"
    if attributes.get("softcap"):
        lesson["softcap"] = fraction(attributes["softcap"])
    for b in range(len(Q)):
        tokens = {"Q": join(Q[b]), "K": join(K[b]), "V": join(V[b])}
        cache = {}
        if "past_key" in given:
            tokens = {"Q": tokens["Q"], "K_new": tokens["K"], "V_new": tokens["V"]}
            tokens |= {"K_past": join(given["past_key"][b]), "V_past": join(given["past_value"][b])}
            cache = {name: f"vstack({name}_past, {name}_new)" for name in "KV"}
        masks, options = attention_masks(case, b, heads, len(tokens["Q"]), K.shape[-2])
        expected = attention_steps(case, b, options)
        yield {"given": tokens | masks, "multi_head_attention": lesson | cache | options}, expected


def join(heads):
    """(heads, tokens, width) → (tokens, heads · width), where the heads are not side by side yet."""
    return heads if heads.ndim == 2 else np.hstack(heads)


def attention_masks(case, b, heads, n, m):
    """True may look; numbers are added; causal and windows count from the end of what was there before; padding hides
    keys.
    """
    given, attributes = case.inputs, case.attributes
    past = given["past_key"].shape[2] if "past_key" in given else 0
    m += past
    real = int(given["nonpad_kv_seqlen"][b]) if "nonpad_kv_seqlen" in given else m
    offset = real - n if "nonpad_kv_seqlen" in given else past
    words = [f"causal(offset={offset})"] if attributes.get("is_causal") else []
    left, right = (attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    if max(left, right) >= 0:
        words.append(f"band({(left if left >= 0 else n + m) - offset}, {(right if right >= 0 else n + m) + offset})")
    masks = {}
    if real < m:
        masks["real"] = [[int(j < real) for j in range(m)]]
        words.append("real")
    mask = given.get("attn_mask")
    if mask is None:
        return masks, {"mask": " * ".join(words) or "none"}
    boolean = mask.dtype == bool
    shape = (len(given["Q"]), heads, n, mask.shape[-1])
    hidden = False if boolean else -np.inf
    padded = np.pad(np.broadcast_to(mask, shape)[b], [(0, 0), (0, 0), (0, m - shape[-1])], constant_values=hidden)
    masks |= {f"M_{i}": one.astype(int) if boolean else one for i, one in enumerate(padded, start=1)}
    if not boolean:
        return masks, {"mask": " * ".join(words) or "none"} | {f"bias_{i}": f"M_{i}" for i in range(1, heads + 1)}
    return masks, {f"mask_{i}": " * ".join([f"M_{i}", *words]) for i in range(1, heads + 1)}


def attention_steps(case, b, options):
    """The result by heads, or joined; the keys and values with those of before; the scores at the asked place."""
    Y = case.outputs["Y"][b]
    expected = {"H": Y} if Y.ndim == 2 else {f"Z_{i}": one for i, one in enumerate(Y, start=1)}
    for name, output in (("K", "present_key"), ("V", "present_value")):
        expected |= (
            {f"{name}_{i}": one for i, one in enumerate(case.outputs[output][b], start=1)}
            if output in case.outputs
            else {}
        )
    if "qk_matmul_output" in case.outputs:
        masked = (
            "S_masked"
            if any(option.startswith("mask") and word != "none" for option, word in options.items())
            else "S_biased"
        )
        capped = "S_capped" if "softcap" in case.attributes else "S_scaled"
        step = ["S_scaled", capped, masked, "A"][case.attributes.get("qk_matmul_output_mode", 0)]
        expected |= {f"{step}_{i}": one for i, one in enumerate(case.outputs["qk_matmul_output"][b], start=1)}
    return expected


BUILDERS = {
    "Attention": attention,
    "Gelu": gelu,
    "LayerNormalization": layer_norm,
    "LogSoftmax": log_softmax,
    "MatMul": matmul,
    "RMSNormalization": rms_norm,
    "RotaryEmbedding": rotary,
    "Softmax": softmax,
    "SoftmaxCrossEntropyLoss": cross_entropy,
}


def compare(case, problem, expected):
    solution = solve(load(problem, floats="binary"))
    rtol, atol = TOLERANCE[case.type]
    for step, numbers in expected.items():
        np.testing.assert_allclose(solution[step].numpy(), numbers, rtol, atol, err_msg=step)


@for_each("name", sorted(CASES), quick=8)
def test_every_case_within_the_precision_of_its_type(name):
    case = Case(name)
    found = list(BUILDERS[operator(name)](case))
    assert found
    for problem, expected in found:
        compare(case, problem, expected)


@for_each("name", sorted(name for name in CASES if "fullymasked" in name or "structural_empty" in name))
def test_an_empty_row_is_zeros_to_onnx_and_an_error_unless_asked_for(name):
    problem, expected = next(attention(Case(name)))
    del problem["multi_head_attention"]["empty_row"]
    with pytest.raises(AttncalcError, match="row"):
        compare(Case(name), problem, expected)


@pytest.mark.parametrize("layout", ["halves", "interleaved"])
def test_the_rotary_lesson_is_onnx_with_a_table_of_angles(layout):
    """The operator's cases turn by any numbers; here its own code, in float64, gets the cosines and sines of the
    angles.
    """
    X = np.arange(24).reshape(4, 6) / 8
    angles = np.arange(9)[:, np.newaxis] / 10000 ** (np.arange(0, 6, 2) / 6)
    places, neighbours = np.array([[3, 4, 5, 6]]), layout == "interleaved"
    (turned,) = rotary_embedding(X[np.newaxis, np.newaxis], np.cos(angles), np.sin(angles), places, neighbours)
    solution = solve(load({"given": {"X": X}, "rotary": {"start": 3, "layout": layout}}))
    np.testing.assert_allclose(solution["X_rot"].numpy(), turned[0], rtol=1e-12)


def test_nothing_is_left_out():
    assert {operator(name) for name in CASES} == set(OPERATORS.values()) == set(BUILDERS)
    assert len(CASES) == 198 and set(ALL) == set(CASES) | set(OUT_OF_SCOPE)
    for name in OUT_OF_SCOPE:
        assert ALL[name].data_sets[0] == ALL[name.partition("_expanded")[0]].data_sets[0]
