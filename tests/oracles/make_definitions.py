"""Writes definitions.json: small inputs and what PyTorch, Transformers, Keras and SciPy make of them.

attncalc needs none of these; run this in an environment of its own:

    pip install torch==2.13.0 transformers==5.23.0 keras==3.15.1 scipy==1.17.1
    KERAS_BACKEND=torch python tests/oracles/make_definitions.py

A case has the call, its inputs as a problem file, and the numbers that a step must come to. Inputs are short binary
fractions, which float32 and float64 hold exactly; `rtol` is 1e-12, or more where the library works in float32.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import keras
import scipy
import torch
import transformers
from scipy.signal import cont2discrete
from transformers import LlamaConfig, MistralConfig, MixtralConfig
from transformers.generation import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper
from transformers.generation import utils as generation
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward as gemma2_attention
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding
from transformers.models.mamba.modeling_mamba import mamba_selective_scan
from transformers.models.mistral.modeling_mistral import MistralAttention, MistralRotaryEmbedding
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock
from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func as mixtral_balance
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.qwen3_next.modeling_qwen3_next import torch_recurrent_gated_delta_rule
from transformers.models.switch_transformers.modeling_switch_transformers import (
    load_balancing_loss_func as switch_balance,
)
from transformers.models.vit_mae.modeling_vit_mae import ViTMAEForPreTraining

torch.set_default_dtype(torch.float64)
keras.backend.set_floatx("float64")
PLACE = Path(__file__).with_name("definitions.json")
CASES = []


def draw(seed, *shape, low=-8, high=8, over=4):
    """Fractions such as -3/4, the same in every run."""
    numbers = torch.randint(low, high + 1, shape, generator=torch.Generator().manual_seed(seed))
    return numbers.double() / over


def rows(numbers):
    """A matrix as texts: the shortest decimals that give the same float64."""
    numbers = torch.as_tensor(numbers).detach().double()
    numbers = numbers.reshape(1, -1) if numbers.ndim < 2 else numbers
    return [[repr(float(x)) for x in row] for row in numbers]


def case(name, api, lesson, arguments, given, expected, rtol=1e-12):
    CASES.append(
        {
            "name": name,
            "api": api,
            "problem": {"given": {k: rows(v) for k, v in given.items()}, lesson: arguments},
            "expected": {step: rows(numbers) for step, numbers in expected.items()},
            "rtol": rtol,
        }
    )


# -- speculative decoding: r and the drawing of the next token are put in, so that n and p' can be seen


def speculative(name, p, q, ids, u):
    seen = {}

    def keep(distribution, num_samples):
        seen["next"] = distribution.clone()
        return torch.zeros(1, 1, dtype=torch.long)

    rand_like, multinomial = torch.rand_like, torch.multinomial
    torch.rand_like, torch.multinomial = (lambda ratio: torch.tensor(u).reshape(ratio.shape)), keep
    try:
        p, q = torch.tensor(p), torch.tensor(q)
        _, count = generation._speculative_sampling(torch.tensor([ids]), q.log()[None], len(ids), p.log()[None])
    finally:
        torch.rand_like, torch.multinomial = rand_like, multinomial
    given = {"p": p, "q": q, "ids": ids, "u": u}
    case(name, "transformers.generation.utils._speculative_sampling", "speculative_decoding", {}, given,
         {"count": torch.tensor([count.item()]), "next": seen["next"]})  # fmt: skip


DRAFT = [[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25]]
TARGET = [[0.25, 0.5, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5], [0.5, 0.125, 0.125, 0.25]]
speculative("speculative_first_refused", TARGET, DRAFT, [0, 3], [0.75, 0.25])
speculative("speculative_second_refused", TARGET, DRAFT, [1, 0], [0.75, 0.75])
speculative("speculative_all_accepted", TARGET, DRAFT, [1, 3], [0.75, 0.25])
speculative("speculative_accepted_after_a_refusal", TARGET, DRAFT, [0, 3], [0.875, 0.125])
HALF = [[0.5, 0.5, 0.0, 0.0]]  # softmax gives these exactly
speculative("speculative_tie", [[0.25] * 4, [0.25] * 4], HALF, [0], [0.5])

# -- updates


def updates(name, lesson, make, arguments, extra=None, step=0, buffers=(), names=(), count=3):
    """Runs an optimiser of PyTorch over gradients, from a state where there is one."""
    theta = torch.nn.Parameter(draw(1, 2, 2))
    gradients = [draw(10 + t, 2, 2, low=-6, high=6) for t in range(count)]
    given = {"theta": theta.clone()} | {f"g_{t}": g for t, g in enumerate(gradients, 1)}
    optimiser = make([theta])
    if buffers:
        state = optimiser.state[theta] = {"step": torch.tensor(float(step))} if step else {}
        for name_there, ours, numbers in zip(names, extra, buffers, strict=True):
            state[name_there], given[ours] = numbers.clone(), numbers
    expected = {}
    for t, g in enumerate(gradients, 1):
        theta.grad = g.clone()
        optimiser.step()
        expected[f"theta_{t}"] = theta.clone()
    api = f"torch.optim.{type(optimiser).__name__}"
    case(name, api, lesson, arguments, given, expected)


ADAM = ("exp_avg", "exp_avg_sq")
BEFORE = (draw(3, 2, 2), draw(4, 2, 2, low=1))
updates("adam", "adam", lambda p: torch.optim.Adam(p, lr=0.125), {"lr": "0.125"})
updates("adam_l2", "adam", lambda p: torch.optim.Adam(p, lr=0.125, weight_decay=0.25),
        {"lr": "0.125", "decay": "l2", "weight_decay": "0.25"})  # fmt: skip
updates("adamw", "adam", lambda p: torch.optim.AdamW(p, lr=0.125, weight_decay=0.25),
        {"lr": "0.125", "decay": "decoupled", "weight_decay": "0.25"})  # fmt: skip
# PyTorch multiplies the decay by lr: a decay of 0.25 by itself is 0.25 / lr there.
updates("adamw_as_published", "adam", lambda p: torch.optim.AdamW(p, lr=0.125, weight_decay=2),
        {"lr": "0.125", "decay": "independent", "weight_decay": "0.25"})  # fmt: skip
updates("adam_from_a_state", "adam", lambda p: torch.optim.Adam(p, lr=0.125), {"lr": "0.125", "first": "4"},
        ("m", "v"), 3, BEFORE, ADAM)  # fmt: skip


def sgd(**options):
    return lambda p: torch.optim.SGD(p, lr=0.125, momentum=0.75, **options)


MOMENTUM = {"lr": "0.125", "mu": "0.75"}
updates("sgd_momentum", "momentum", sgd(), MOMENTUM)
updates("sgd_nesterov", "momentum", sgd(nesterov=True), MOMENTUM | {"nesterov": "true"})
updates("sgd_dampening", "momentum", sgd(dampening=0.5), MOMENTUM | {"dampening": "0.5"})
updates("sgd_l2", "momentum", sgd(weight_decay=0.25), MOMENTUM | {"decay": "l2", "weight_decay": "0.25"})
updates("sgd_from_a_state", "momentum", sgd(dampening=0.5), MOMENTUM | {"dampening": "0.5"}, ("velocity",), 0,
        (draw(3, 2, 2),), ("momentum_buffer",))  # fmt: skip


def keras_updates(name, arguments, **options):
    theta = keras.Variable(draw(1, 2, 2).numpy())
    optimiser = keras.optimizers.SGD(learning_rate=0.125, momentum=0.75, **options)
    given, expected = {"theta": draw(1, 2, 2)}, {}
    for t in range(1, 4):
        given[f"g_{t}"] = draw(10 + t, 2, 2)
        optimiser.apply([torch.tensor(given[f"g_{t}"].numpy())], [theta])
        expected[f"theta_{t}"] = torch.tensor(keras.ops.convert_to_numpy(theta))
        expected[f"velocity_{t}"] = torch.tensor(keras.ops.convert_to_numpy(optimiser.momentums[0]))
    case(name, "keras.optimizers.SGD", "momentum", MOMENTUM | {"rate": "inside"} | arguments, given, expected)


keras_updates("keras_momentum", {})
keras_updates("keras_nesterov", {"nesterov": "true"}, nesterov=True)
keras_updates("keras_decay", {"decay": "decoupled", "weight_decay": "0.25"}, weight_decay=0.25)

# -- ALiBi: the weights, which do not change where a row's scores all grow by the same


def alibi(name, bias, heads, arguments, api, causal=True):
    Q, K, V = (draw(20 + k, 4, 2 * heads) for k in (1, 2, 3))
    expected = {}
    for h in range(heads):
        part = slice(2 * h, 2 * h + 2)
        S = Q[:, part] @ K[:, part].T / 2**0.5 + bias[h]
        S = S.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf) if causal else S
        expected[f"A_{h + 1}"] = S.softmax(-1)
    case(name, api, "multi_head_attention", {"heads": str(heads)} | arguments, {"Q": Q, "K": K, "V": V}, expected)


for count in (2, 3, 4):
    bias = build_mpt_alibi_tensor(count, 4).double()
    alibi(f"alibi_mpt_{count}_heads", bias, count, {"bias": "alibi", "mask": "causal"},
          "transformers.models.mpt.modeling_mpt.build_mpt_alibi_tensor")  # fmt: skip
bias = build_alibi_tensor(torch.ones(1, 4), 4, torch.float64)
alibi("alibi_bloom_4_heads", bias, 4, {"bias": "alibi", "mask": "causal"},
      "transformers.models.bloom.modeling_bloom.build_alibi_tensor")  # fmt: skip
# The authors' code for encoders (issue 5 of ofirpress/attention_with_linear_biases), with BLOOM's slopes.
distance = torch.arange(4)[None, :] - torch.arange(4)[:, None]
alibi("alibi_both_sides", bias[:, :, 1:2] * -distance.abs(), 4, {"bias": 'alibi(sides="both")'},
      "formula of the authors for encoders, slopes by build_alibi_tensor", causal=False)  # fmt: skip

# -- balance loss; Transformers works in float32


def balance(name, k, share, api, loss):
    X, W = draw(30, 5, 3), draw(31, 3, 4) + torch.arange(12).reshape(3, 4) / 64  # no ties
    P = (X @ W).softmax(-1)
    experts = {f"W_1_{e}": draw(31 + e, 3, 2) for e in range(1, 5)}
    arguments = {"k": str(k), "gating": "plain", "share_of": share}
    Y = sum((P * top(P, k))[:, [e - 1]] * (X @ W_1) for e, W_1 in enumerate(experts.values(), 1))
    case(name, api, "mixture_of_experts", arguments, {"X": X, "W_g": W} | experts,
         {"balance": loss(X @ W, P, k), "Y": Y}, 1e-6)  # fmt: skip


def top(P, k):
    return torch.zeros_like(P).scatter(1, P.topk(k).indices, 1)


for k in (1, 2, 3):
    balance(f"balance_mixtral_{k}", k, "tokens", "transformers mixtral load_balancing_loss_func (OLMoE's is the same)",
            lambda logits, P, k: mixtral_balance((logits,), 4, k))  # fmt: skip
    balance(f"balance_divided_{k}", k, "choices",
            "DeepSeekMoE, equations 12 to 14: transformers' number divided by k",
            lambda logits, P, k: mixtral_balance((logits,), 4, k) / k)  # fmt: skip
balance("balance_switch", 1, "choices", "transformers switch_transformers load_balancing_loss_func",
        lambda logits, P, k: switch_balance(P[None], P.argmax(-1)[None]))  # fmt: skip

# -- state spaces


def scan(name, features, states, tokens=4):
    X, delta = draw(40, tokens, features), draw(41, tokens, features, low=1)
    A, D = -draw(42, features, states, low=1), draw(43, features)
    B, C = draw(44, tokens, states), draw(45, tokens, states)
    given = {"X": X, "A": A, "B": B, "C": C, "delta": delta, "D": D}
    Z = mamba_selective_scan(X.T[None], delta.T[None], A, B.T[None], C.T[None], D)
    Z = Z[0] if isinstance(Z, tuple) else Z
    case(f"{name}_euler", "transformers.models.mamba.modeling_mamba.mamba_selective_scan", "selective_state_space", {},
         given, {"Z": Z[0].T, "Z_parallel": Z[0].T})  # fmt: skip
    held = torch.zeros(tokens, features)
    for d in range(features):
        state = torch.zeros(states, 1)
        for t in range(tokens):
            system = (torch.diag(A[d]).numpy(), B[t][:, None].numpy(), C[t][None].numpy(), [[float(D[d])]])
            F, G, *_ = cont2discrete(system, float(delta[t, d]), method="zoh")
            state = torch.tensor(F) @ state + torch.tensor(G) * X[t, d]
            held[t, d] = C[t] @ state[:, 0] + D[d] * X[t, d]
    case(f"{name}_zoh", "scipy.signal.cont2discrete(method='zoh'), one step a token", "selective_state_space",
         {"discretization": "zoh"}, given, {"Z": held, "Z_parallel": held}, 1e-11)  # fmt: skip


scan("state_space", 2, 3)
scan("state_space_of_one_feature", 1, 2)

# -- patches

image = draw(50, 3, 4, 6)
weights, offset = draw(51, 5, 3, 2, 2), draw(52, 5)
channels = {f"image_{k}": image[k - 1] for k in (1, 2, 3)}
embedded = torch.nn.functional.conv2d(image[None], weights, offset, stride=2)[0].flatten(1).T
case("patches_channels_first", "torch.nn.functional.conv2d, as in ViTPatchEmbeddings", "patch_embedding", {},
     channels | {"W_E": weights.flatten(1).T, "b_E": offset}, {"embedded": embedded})  # fmt: skip
itself = SimpleNamespace(config=SimpleNamespace(patch_size=2, num_channels=3))
patches = ViTMAEForPreTraining.patchify(itself, image[None], interpolate_pos_encoding=True)[0]
case("patches_channels_last", "transformers ViTMAEForPreTraining.patchify", "patch_embedding", {"channels": "last"},
     channels | {"W_E": draw(53, 12, 2)}, {"patches": patches})  # fmt: skip

# -- quantisation, in float32

X = torch.tensor([[1.5, -2.75, 0.625], [0.375, 3.25, -1.125]], dtype=torch.float32)


def affine(bits):
    most = 2**bits - 1
    watch = torch.ao.quantization.MinMaxObserver(dtype=torch.quint8, quant_min=0, quant_max=most)
    watch(X)
    scale, zero = watch.calculate_qparams()
    whole = (torch.quantize_per_tensor(X, scale.item(), zero.item(), torch.quint8)).int_repr().clamp(0, most)
    back = torch.fake_quantize_per_tensor_affine(X, scale.item(), zero.item(), 0, most)
    case(f"quantization_affine_{bits}", "torch MinMaxObserver, quantize_per_tensor and fake_quantize_per_tensor_affine",
         "quantization", {"zero": "affine", "bits": str(bits)}, {"X": X},
         {"whole": whole, "zero_point": zero.double(), "X_back": back}, 1e-6)  # fmt: skip


for bits in (1, 4, 8):
    affine(bits)
scale = float(X.abs().max()) / 127
case("quantization_absmax", "torch.fake_quantize_per_tensor_affine from -127 to 127", "quantization", {}, {"X": X},
     {"X_back": torch.fake_quantize_per_tensor_affine(X, scale, 0, -127, 127)}, 1e-6)  # fmt: skip

# -- further lessons: attention with rotary positions, windows and caps; experts; words; losses; the delta rule


def small_llama(**options):
    return LlamaConfig(hidden_size=16, num_attention_heads=4, num_key_value_heads=2, head_dim=4, **options)


def attend(name, window=None):
    """A layer's attention by Transformers' own classes, in float64: shared keys, rotary positions, masks."""
    X, sizes = draw(60, 5, 16), {"q": 16, "k": 8, "v": 8}
    kinds = {"attn_implementation": "eager", "rope_parameters": {"rope_type": "default", "rope_theta": 100.0}}
    if window:
        config = MistralConfig(hidden_size=16, num_attention_heads=4, num_key_value_heads=2, head_dim=4,
                               sliding_window=window, **kinds)  # fmt: skip
        layer, rotary = MistralAttention(config, 0), MistralRotaryEmbedding(config)
    else:
        config = small_llama(**kinds)
        layer, rotary = LlamaAttention(config, 0), LlamaRotaryEmbedding(config)
    given = {"X": X}
    with torch.no_grad():
        for k, (letter, width) in enumerate(sizes.items()):
            weights = draw(61 + k, width, 16, low=-2, high=2)
            getattr(layer, f"{letter}_proj").weight.copy_(weights)
            given[f"W_{letter.upper()}"] = weights.T
        layer.o_proj.weight.copy_(draw(64, 16, 16, low=-2, high=2))
        given["W_O"] = layer.o_proj.weight.T
    i, j = torch.arange(5)[:, None], torch.arange(5)[None]
    seen = (j <= i) & ((j > i - window) if window else True)
    mask = torch.zeros(5, 5).masked_fill(~seen, -torch.inf)[None, None]
    Z, weights = layer(X[None], rotary(X[None], torch.arange(5)[None]), attention_mask=mask)
    lesson = {"heads": "4", "kv_heads": "2", "positions": "rotary", "rotary_layout": "halves", "rotary_base": "100"}
    lesson |= {"mask": f"causal * band({window - 1})" if window else "causal"}
    case(name, f"transformers {type(layer).__name__}", "multi_head_attention", lesson, given,
         {"Z": Z[0]} | {f"A_{h + 1}": weights[0, h] for h in range(4)}, 1e-5)  # fmt: skip


attend("grouped_queries_llama")
attend("sliding_window_mistral", window=2)

Q, K, V = draw(70, 4, 2), draw(71, 4, 2), draw(72, 4, 2)
Z, weights = gemma2_attention(SimpleNamespace(training=False, num_key_value_groups=1), Q[None, None], K[None, None],
                              V[None, None], None, scaling=0.5, softcap=0.75)  # fmt: skip
case("softcap_gemma2", "transformers.models.gemma2.modeling_gemma2.eager_attention_forward", "attention",
     {"scale": "2", "softcap": "0.75"}, {"Q": Q, "K": K, "V": V}, {"A": weights[0, 0], "Z": Z[0, :, 0]}, 1e-6)  # fmt: skip


def rotated(name, kind, lesson, length=None, **more):
    """X turned by the frequencies of a RoPE type, with its attention factor; float32 inside."""
    config = LlamaConfig(hidden_size=8, num_attention_heads=1, head_dim=8, max_position_embeddings=more.pop("most", 64),
                         rope_parameters={"rope_type": kind, "rope_theta": 100.0, **more})  # fmt: skip
    speeds, factor = ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=length)
    X = draw(80, 5, 8)
    angles = torch.arange(5.0)[:, None] * speeds.double()
    angles = torch.cat((angles, angles), 1)
    turned = torch.cat((-X[:, 4:], X[:, :4]), 1)
    case(name, f"transformers.modeling_rope_utils, {kind}", "rotary", {"layout": "halves", "base": "100"} | lesson,
         {"X": X}, {"X_rot": (X * angles.cos() + turned * angles.sin()) * factor}, 1e-5)  # fmt: skip


rotated("rope_linear", "linear", {"scaling": "linear", "factor": "4"}, factor=4.0)
# The dynamic form grows the base with the length; at 64 · (4 + 3) / 4 tokens it is the fixed one with factor 4.
rotated("rope_ntk", "dynamic", {"scaling": "ntk", "factor": "4"}, length=112, factor=4.0)
for ramp, truncate in {"pairs": True, "pairs_unrounded": False}.items():
    rotated(f"rope_yarn_{ramp}", "yarn",
            {"scaling": "yarn", "ramp": ramp, "factor": "4", "trained": "64", "slow": "1", "fast": "8"}, factor=4.0, original_max_position_embeddings=64, beta_slow=1, beta_fast=8, truncate=truncate)  # fmt: skip


def warped(name, lesson, *warpers):
    logits = draw(90, 1, 8, low=-12, high=12) + torch.arange(8) / 64
    kept = logits
    for one in warpers:
        kept = one(None, kept)
    step = "P_kept" if "top_p" in lesson else "P"
    case(name, ", ".join(f"transformers {type(one).__name__}" for one in warpers), "next_word", lesson,
         {"logits": logits}, {step: kept.softmax(-1)})  # fmt: skip


warped("temperature", {"temperature": "0.5"}, TemperatureLogitsWarper(0.5))
warped("top_k", {"top_k": "3"}, TopKLogitsWarper(3))
warped("top_p", {"top_p": "0.75"}, TopPLogitsWarper(0.75))
warped("temperature_top_k_and_top_p", {"temperature": "2", "top_k": "5", "top_p": "0.75"}, TemperatureLogitsWarper(2.0),
       TopKLogitsWarper(5), TopPLogitsWarper(0.75))  # fmt: skip

logits, targets, by_word = draw(91, 4, 3), [2, 0, 1, 2], torch.tensor([1.0, 0.5, 2.0])
for words, lesson in ({"reduction": "mean"}, {}), ({"reduction": "mean", "ignore_index": 1}, {"ignore": "1"}):
    loss = torch.nn.CrossEntropyLoss(weight=by_word, label_smoothing=0.25, **words)(logits, torch.tensor(targets))
    case(f"smoothed_weighted_loss_{len(lesson)}", "torch.nn.CrossEntropyLoss with weight and label_smoothing",
         "cross_entropy", {"smoothing": "0.25"} | lesson,
         {"logits": logits, "targets": targets, "class_weights": by_word}, {"loss": loss})  # fmt: skip

Q, K, V, beta = draw(92, 4, 2), draw(93, 4, 2), draw(94, 4, 3), draw(95, 4, low=1, high=7, over=8)
Z, _ = torch_recurrent_gated_delta_rule(Q[None, :, None], K[None, :, None], V[None, :, None], torch.zeros(1, 4, 1),
                                        beta[None, :, None])  # fmt: skip
case("delta_rule", "transformers torch_recurrent_gated_delta_rule without decay; it divides queries by the root of d",
     "delta_rule", {}, {"Q": Q, "K": K, "V": V, "beta": beta}, {"Z": Z[0, :, 0] * 2**0.5}, 2e-6)  # fmt: skip

config = MixtralConfig(
    hidden_size=4, intermediate_size=3, num_local_experts=3, num_experts_per_tok=2, hidden_act="silu"
)
block, X = MixtralSparseMoeBlock(config), draw(96, 4, 4)
given = {"X": X}
with torch.no_grad():
    block.gate.weight.copy_(draw(97, 3, 4) + torch.arange(12).reshape(3, 4) / 64)
    block.experts.gate_up_proj.copy_(draw(98, 3, 6, 4))
    block.experts.down_proj.copy_(draw(99, 3, 4, 3))
    given["W_g"] = block.gate.weight.T
    for e in range(3):
        gate, up = block.experts.gate_up_proj[e].chunk(2)
        given |= {f"W_gate_{e + 1}": gate.T, f"W_1_{e + 1}": up.T, f"W_2_{e + 1}": block.experts.down_proj[e].T}
    out = block(X[None])
out = out[0] if isinstance(out, tuple) else out
case("experts_mixtral", "transformers MixtralSparseMoeBlock", "mixture_of_experts", {"k": "2", "activation": "silu"}, given,
     {"Y": out.reshape(4, 4)}, 1e-5)  # fmt: skip

VERSIONS = {one.__name__: one.__version__ for one in (torch, transformers, keras, scipy)}
text = json.dumps({"versions": VERSIONS, "cases": CASES}, indent=1).replace("\n     ", "").replace("\n    ]", "]")
PLACE.write_text(text + "\n", encoding="utf-8")
print(len(CASES), "cases", PLACE.stat().st_size, "bytes")
