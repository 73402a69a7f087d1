"""The lessons by name. To add one: write its recipes in a file here and name it below."""

from __future__ import annotations

from ..errors import DivisionByZero, FormulaError
from .attention import ATTENTION, CACHED_ATTENTION, CROSS_ATTENTION, SELF_ATTENTION
from .base import Lesson
from .beam import BEAM_SEARCH
from .cheaper import LINEAR_ATTENTION, LINFORMER, SPARSE_ATTENTION
from .counts import CACHE_MEMORY, COMPARE_LAYERS, COUNT_OPERATIONS, COUNT_PARAMETERS, WEIGHT_MEMORY
from .feedforward import FEED_FORWARD
from .gradients import ATTENTION_GRADIENTS, CROSS_ATTENTION_GRADIENTS, SELF_ATTENTION_GRADIENTS, SOFTMAX_JACOBIAN
from .head_gradients import MULTI_HEAD_ATTENTION_GRADIENTS
from .heads import MULTI_HEAD_ATTENTION
from .layer_gradients import CROSS_ENTROPY_GRADIENTS, FEED_FORWARD_GRADIENTS, LAYER_NORM_GRADIENTS
from .layers import DECODER, DECODER_LAYER, ENCODER, ENCODER_LAYER
from .models import EMBEDDING, GREEDY_DECODE, TRANSFORMER
from .norm import ADD_NORM, LAYER_NORM, RMS_NORM
from .output import CROSS_ENTROPY, NEXT_WORD
from .position import POSITIONAL_ENCODING, ROTARY
from .schedule import LEARNING_RATE

LESSONS: dict[str, Lesson] = {
    lesson.name: lesson
    for lesson in (
        ATTENTION, SELF_ATTENTION, CROSS_ATTENTION, CACHED_ATTENTION, MULTI_HEAD_ATTENTION,
        EMBEDDING, POSITIONAL_ENCODING, ROTARY, LAYER_NORM, RMS_NORM, ADD_NORM, FEED_FORWARD,
        ENCODER_LAYER, ENCODER, DECODER_LAYER, DECODER, TRANSFORMER, GREEDY_DECODE, BEAM_SEARCH, NEXT_WORD, CROSS_ENTROPY,
        LEARNING_RATE, SOFTMAX_JACOBIAN, ATTENTION_GRADIENTS, SELF_ATTENTION_GRADIENTS, CROSS_ATTENTION_GRADIENTS, MULTI_HEAD_ATTENTION_GRADIENTS,
        CROSS_ENTROPY_GRADIENTS, LAYER_NORM_GRADIENTS, FEED_FORWARD_GRADIENTS, SPARSE_ATTENTION, LINFORMER, LINEAR_ATTENTION,
        COUNT_PARAMETERS, COUNT_OPERATIONS, WEIGHT_MEMORY, CACHE_MEMORY, COMPARE_LAYERS,
    )
}  # fmt: skip


def explained(error: FormulaError, lesson: str | None, base: str) -> str:
    """The message of a fault in a lesson's step; where its divisor is 0, with what the lesson says that this means."""
    meanings = LESSONS[lesson].zero if lesson in LESSONS and isinstance(error, DivisionByZero) else {}
    return f"{error.message}; {meanings[base]}" if base in meanings else error.message
