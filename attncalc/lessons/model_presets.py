"""Published models as sizes and options of count_parameters, each with the total of its published weight files."""

from __future__ import annotations

from typing import NamedTuple

# Common options of each family, then the sizes of each model.
_BERT = {
    "model": "encoder_only",
    "vocabulary": "30522",
    "positions": "512",
    "types": "2",
    "embedding_norm": "true",
    "pooler": "true",
}
_GPT_2 = {"model": "decoder_only", "vocabulary": "50257", "positions": "1024", "final_norm": "true"}
_LLAMA = {
    "model": "decoder_only", "attention_biases": "false", "biases": "false", "norm_weights": "gamma",
    "final_norm": "true", "tied": "none", "gated": "true",
}  # fmt: skip
_VIT = {"model": "encoder_only", "patch_inputs": "768", "positions": "197", "classes": "1000", "final_norm": "true"}


class Preset(NamedTuple):
    """A published model: its options, and its total number of parameters."""

    options: dict[str, str]
    total: int


def _family_member(
    family: dict[str, str], d_model: int, d_ff: int, layers: int, heads: int, **other_options: str
) -> dict[str, str]:
    return (
        family
        | {"d_model": str(d_model), "d_ff": str(d_ff), "layers": str(layers), "heads": str(heads)}
        | other_options
    )


PRESETS = {
    "transformer_base": Preset(_family_member({"vocabulary": "37000"}, 512, 2048, 6, 8), 63_082_496),
    "transformer_big": Preset(_family_member({"vocabulary": "37000"}, 1024, 4096, 6, 16), 214_245_376),
    "bert_base": Preset(_family_member(_BERT, 768, 3072, 12, 12), 109_482_240),
    "bert_large": Preset(_family_member(_BERT, 1024, 4096, 24, 16), 335_141_888),
    "gpt2": Preset(_family_member(_GPT_2, 768, 3072, 12, 12), 124_439_808),
    "gpt2_medium": Preset(_family_member(_GPT_2, 1024, 4096, 24, 16), 354_823_168),
    "gpt2_large": Preset(_family_member(_GPT_2, 1280, 5120, 36, 20), 774_030_080),
    "gpt2_xl": Preset(_family_member(_GPT_2, 1600, 6400, 48, 25), 1_557_611_200),
    "llama_7b": Preset(_family_member(_LLAMA, 4096, 11008, 32, 32, vocabulary="32000"), 6_738_415_616),
    "llama3_8b": Preset(_family_member(_LLAMA, 4096, 14336, 32, 32, vocabulary="128256", kv_heads="8"), 8_030_261_248),
    "vit_b16": Preset(_family_member(_VIT, 768, 3072, 12, 12), 86_567_656),
}
