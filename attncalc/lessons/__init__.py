"""The lessons by name. To add one: write its recipes in a file here and name it below."""

from __future__ import annotations

from .attention import ATTENTION, CROSS_ATTENTION, SELF_ATTENTION
from .base import Lesson
from .feedforward import FEED_FORWARD
from .heads import MULTI_HEAD_ATTENTION
from .norm import ADD_NORM, LAYER_NORM, RMS_NORM
from .position import POSITIONAL_ENCODING

LESSONS: dict[str, Lesson] = {
    lesson.name: lesson
    for lesson in (
        ATTENTION, SELF_ATTENTION, CROSS_ATTENTION, MULTI_HEAD_ATTENTION, POSITIONAL_ENCODING,
        LAYER_NORM, RMS_NORM, ADD_NORM, FEED_FORWARD,
    )
}  # fmt: skip
