"""Words that stand where numbers should: a wrong answer, and which entry it is."""

from __future__ import annotations

from collections.abc import Collection

from ..errors import shorten
from ..formula.typed_formula import Where
from ..plan import Step
from ..submissions.step_matching import Bound

NO_NUMBER = "{entry}: expected a number, found “{text}”"


def word_of(bound: Bound, step: Step, read: Collection[Where] = ()) -> str:
    """What is said of the first word in the answer to a step, empty where there is none. A cell that was `read` all the
    same is masked, and crossed out by its word.
    """
    words = sorted(bound.words.get(step.key, {}).items())
    messages = (NO_NUMBER.format(entry=step.entry(*at), text=shorten(text, 40)) for at, text in words if at not in read)
    return next(messages, "")
