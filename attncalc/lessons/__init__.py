"""The registry of lessons. A lesson is imported on first use. A new lesson needs an entry in FILES."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from ..errors import DivisionByZero, FormulaError
from .lesson import Lesson

# The lessons in the order of teaching, and their modules. `rms_norm` is the constant RMS_NORM in normalization.py.
FILES = {
    name: file
    for names, file in (
        ("attention self_attention cross_attention cached_attention", "attention"),
        ("multi_head_attention", "multi_head"),
        ("cached_multi_head_attention prefill_and_decode", "kv_cache"),
        ("embedding", "transformer"),
        ("positional_encoding rotary", "positional_encoding"),
        ("layer_norm rms_norm add_norm", "normalization"),
        ("feed_forward encoder_layer encoder decoder_layer decoder llama_layer", "transformer_layers"),
        ("transformer greedy_decode", "transformer"),
        ("beam_search", "beam_search"),
        ("next_word cross_entropy", "logits_and_loss"),
        ("learning_rate", "optimizer_and_dropout"),
        ("softmax_jacobian attention_gradients self_attention_gradients cross_attention_gradients", "gradients"),
        ("multi_head_attention_gradients cross_entropy_gradients layer_norm_gradients", "gradients"),
        ("feed_forward_gradients rms_norm_gradients encoder_layer_gradients", "gradients"),
        ("sparse_attention linformer linear_attention", "efficient_attention"),
        ("training_operations training_memory", "memory_and_training_cost"),
        ("byte_pair_merges bleu ngram_perplexity", "text_algorithms"),
        ("flash_attention", "efficient_attention"),
        ("relative_attention t5_attention", "relative_positions"),
        ("latent_attention", "latent_attention"),
        ("retention delta_rule selective_state_space", "linear_recurrences"),
        ("additive_attention multiplicative_attention", "rnn_attention"),
        ("lora mixture_of_experts", "adapters"),
        ("speculative_decoding quantization", "speculative_decoding_and_quantization"),
        ("adam momentum dropout", "optimizer_and_dropout"),
        ("patch_embedding", "patch_embedding"),
        ("count_parameters count_operations compare_layers", "parameter_and_operation_counts"),
        ("weight_memory cache_memory", "memory_and_training_cost"),
    )
    for name in names.split()
}


class _Lessons(Mapping[str, Lesson]):
    """All lessons by name. An iteration over the names imports no lesson."""

    def __init__(self) -> None:
        self.lessons: dict[str, Lesson] = {}

    def __getitem__(self, name: str) -> Lesson:
        if name not in self.lessons:
            self.lessons[name] = getattr(import_module(f".{FILES[name]}", __package__), name.upper())
        return self.lessons[name]

    def __contains__(self, name: object) -> bool:
        return name in FILES

    def __iter__(self) -> Iterator[str]:
        return iter(FILES)

    def __len__(self) -> int:
        return len(FILES)


LESSONS = _Lessons()


def fault_message(error: FormulaError, lesson: str | None, base: str) -> str:
    """Return the message of an error in a step. For a division by 0 in a lesson, add the lesson's explanation."""
    meanings = LESSONS[lesson].zero if lesson and isinstance(error, DivisionByZero) else {}
    return f"{error.message}; {meanings[base]}" if base in meanings else error.message
