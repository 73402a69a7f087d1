"""Names of lessons, options and masks in PyTorch, Keras and textbooks, and suggestions of the names in attncalc."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import meant

_LESSONS = {
    "attention": (
        "scaled_dot_product_attention ScaledDotProductAttention dot_product_attention DotProductAttention "
        "Attention sdpa"
    ),
    "multi_head_attention": (
        "MultiheadAttention MultiHeadAttention MultiHeadedAttention mha multihead_attention nn.MultiheadAttention"
    ),
    "self_attention": "SelfAttention CausalSelfAttention masked_attention masked_self_attention causal_attention",
    "cross_attention": "CrossAttention encoder_decoder_attention",
    "layer_norm": "LayerNorm LayerNormalization nn.LayerNorm layernorm",
    "rms_norm": "RMSNorm RMSNormalization rmsnorm",
    "feed_forward": "FeedForward PositionwiseFeedForward ffn FFN mlp MLP",
    "positional_encoding": "PositionalEncoding position_encoding sinusoidal_encoding pe",
    "rotary": "RoPE rope RotaryEmbedding rotary_embedding rotary_positions",
    "encoder_layer": "TransformerEncoderLayer EncoderLayer encoder_block transformer_block",
    "decoder_layer": "TransformerDecoderLayer DecoderLayer decoder_block",
    "transformer": "Transformer nn.Transformer",
    "cross_entropy": "CrossEntropyLoss cross_entropy_loss",
    "add_norm": "AddNorm residual sublayer_connection",
    "next_word": "lm_head LMHead sampling",
}
LESSON_NAMES = {other: lesson for lesson, others in _LESSONS.items() for other in others.split()}

# By synonym: the name of an option, or the option and the value that `true` means.
OPTION_NAMES = {
    "epsilon": "eps", "layer_norm_eps": "eps", "num_heads": "heads", "n_heads": "heads", "nhead": "heads",
    "n_head": "heads", "h": "heads", "num_kv_heads": "kv_heads", "n_kv_heads": "kv_heads", "num_groups": "kv_heads",
    "num_layers": "layers", "n_layers": "layers", "attn_mask": "mask", "attention_mask": "mask", "src_mask": "mask",
    "tgt_mask": "mask", "causal_mask": "mask", "key_padding_mask": "mask",
    "src_key_padding_mask": "mask", "memory_key_padding_mask": "mask", "padding_mask": "mask",
    "is_causal": "mask: causal",
    "causal": "mask: causal", "use_causal_mask": "mask: causal", "masked": "mask: causal", "look_ahead": "mask: causal",
    "use_scale": "scale: none", "scaled": "scale: none", "scale_factor": "scale", "temperature": "scale",
    "act": "activation", "hidden_act": "activation", "nonlinearity": "activation", "label_smoothing": "smoothing",
    "theta": "base", "rope_theta": "base", "interleaved": "layout: interleaved",
    "is_interleaved": "layout: interleaved", "window": "mask: band(1)", "window_size": "mask: band(1)",
    "sliding_window": "mask: band(1)", "logit_softcap": "softcap", "attn_bias": "bias", "position_bias": "bias",
    "offset": "start", "unbiased": "ddof: 1", "correction": "ddof", "query": "Q", "key": "K", "value": "V",
    "queries": "Q", "keys": "K", "values": "V", "context": "memory", "encoder_output": "memory", "x": "X", "input": "X",
    "weight": "gamma", "labels": "targets", "target": "targets", "max_n": "longest", "n": "longest", "N": "longest",
    "max_order": "longest", "k": "top_k", "topk": "k", "top_k": "k", "experts_per_token": "k",
    "num_experts_per_tok": "k", "num_merges": "merges", "n_merges": "merges", "hypothesis": "candidate",
    "translation": "candidate", "references": "reference", "key_value": "memory", "kv": "memory",
    "encoder_hidden_states": "memory", "encoder_outputs": "memory", "corpus": "text",
    "smoothing": "add", "laplace": "add: 1",
    "add_one": "add: 1", "patch_size": "patch", "X": "image", "img": "image", "W": "W_E", "E": "W_E", "W_proj": "W_E",
    "tokens": "places", "seq_len": "places", "sequence_length": "places", "max_len": "places", "length": "places",
    "num_positions": "places", "d_model": "width", "dim": "width", "d": "width", "embed_dim": "width",
    "pos": "PE", "pos_embed": "PE", "positions": "PE", "cls_token": "cls", "router": "W_g", "W_r": "W_g", "gate": "W_g",
}  # fmt: skip
_MASKS = {
    "causal": (
        "look_ahead lookahead look-ahead triangular lower tril autoregressive masked future subsequent decoder "
        "true True"
    ),
    "causal_strict": "strict",
    "none": "full bidirectional encoder false False",
    "band(1)": "window sliding_window local banded",
}
MASK_NAMES = {other: mask for mask, others in _MASKS.items() for other in others.split()}
WORD_NAMES = {
    "ReLU": "relu", "GELU": "gelu", "SiLU": "silu", "swish": "silu", "Swish": "silu", "logistic": "sigmoid",
    "linear": "none", "post": "after", "pre": "before",
    "-1": "rows", "1": "rows", "0": "columns", "half": "halves", "rotate_half": "halves", "neox": "halves",
    "gptj": "interleaved",
}  # fmt: skip


# Masks given by the number of tokens that a query may attend to, with its token; and masks in which 1 means masked.
_WINDOWS = {"sliding_window", "window", "window_size", "local", "local_window", "sliding", "sliding_window_mask"}
_HIDING = {"key_padding_mask", "src_key_padding_mask", "memory_key_padding_mask"}

# The tokens of queries, keys and values in lessons with projections.
_SOURCES = {"Q": "X", "K": "memory", "V": "memory"}


def replacement_hint(name: str, known: Iterable[str], value: str = "") -> str:
    """Return `; did you mean mask: causal?` for `is_causal`; an empty string if the name is not a synonym of a `known`
    name.
    """
    option_name = OPTION_NAMES.get(name, "")
    option, _, word = option_name.partition(": ")
    if option not in set(known):
        return _proposal(_SOURCES.get(option, ""), known)
    if name in _WINDOWS and value.isdigit() and int(value) > 1:
        return window_hint(value, "mask: ")
    if name in _HIDING:
        return f"; did you mean mask: {_invert_padding_mask(value)}? Its 1 means: may look"
    if word and value in ("", "true", "True", "1") or not word:
        return meant(option_name)
    return meant(option)


def hiding_warning(mask: str) -> str:
    """Return a warning if PyTorch gives this name to masks in which 1 means masked; otherwise an empty string."""
    if mask not in _HIDING:
        return ""
    return f"1 in {mask} means masked in PyTorch, but here 1 means that a query may attend to the key; write 1 - {mask}"


def window_hint(width: str, option: str = "") -> str:
    """Return a suggestion of a mask with which a token attends to `width` tokens: itself and the tokens before it."""
    before = int(width) - 1
    explanation = f"itself and {before} before it; band({before}) covers both sides"
    return f"; did you mean {option}band({before}, 0)? With that a token attends to {explanation}"


def call_hint(function: str, width: str) -> str:
    """Return `; did you mean band(1, 0)?` for sliding_window(2); an empty string for other calls."""
    return window_hint(width) if function in _WINDOWS and width.isdigit() and 1 < int(width) < 10**6 else ""


def _invert_padding_mask(value: str) -> str:
    """Return the text of a padding mask in which 0 and 1 are exchanged: [1, 1, 0] for hstack(0, 0, 1)."""
    entries = value.removeprefix("hstack(").removesuffix(")").split(", ")
    if value.startswith("hstack(") and set(entries) <= {"0", "1"}:
        return f"[{', '.join('10'[int(entry)] for entry in entries)}]"
    return f"1 - {value}" if value.isidentifier() else "[1, 1, 0]"


def lesson_hint(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean attention?` for `scaled_dot_product_attention`; an empty string for other names."""
    return _proposal(LESSON_NAMES.get(name, ""), known)


def synonym_hint(word: str, words: Iterable[str]) -> str:
    """Return a suggestion of the lesson's word for a synonym; an empty string for other words."""
    return _proposal(WORD_NAMES.get(word, ""), words)


def _proposal(name: str, known: Iterable[str]) -> str:
    return meant(name) if name in set(known) else ""
