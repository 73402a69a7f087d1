"""Multiple choice: the right result of a step among distractors, the results of named mistakes with their feedback. No
two options print alike.

The right answer must not be recognisable by cues, such as the largest numbers. Each variant draws a target rank of the
right answer for every cue, and takes the distractors that come nearest to these ranks.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ..errors import AttncalcError
from ..mistakes.catalogue import catalogue
from ..problem.random_stream import Stream
from .answer_cues import AnswerCues, double_rank
from .distinguishability import certify
from .rejection_search import Search
from .search_result import DrawnVariant

MAX_CANDIDATES = 12  # the commonest mistakes, from which distractors are chosen
Table = tuple[tuple[str, ...], ...]


def choices_of(search: Search, variant: DrawnVariant, count: int, step: str = "") -> dict[str, Any]:
    """Return `count` options for a step (by default the step with the most distractors), shuffled by the variant's
    stream.
    """
    view = search.fill(variant.entries)
    by_step: dict[str, dict[Table, str]] = {}
    for verdict in certify(view).verdicts:
        if verdict.kind == "separated" and step in ("", verdict.step):
            by_step.setdefault(verdict.step, {}).setdefault(verdict.printed, verdict.code)
    name = max(by_step, key=lambda step: len(by_step[step]), default=None)
    if name is None or len(by_step[name]) < count - 1:
        available = len(by_step[name]) if name else 0
        raise AttncalcError(
            f"--choices: {count} are asked for, but only {available} mistakes come to other numbers here"
        )
    right = view.printed(next(s for s in view.steps if s.key == name))
    stream = Stream("attncalc", search.spec.seed, "choices", variant.number)
    answers = [{"matrix": right, "right": True, "code": None, "feedback": "Right."}]
    for printed, code in _distractors(tuple(map(tuple, right)), by_step[name], count, stream):
        mistake = catalogue()[code]
        answers.append(
            {
                "matrix": [list(row) for row in printed],
                "right": False,
                "code": code,
                "feedback": f"{mistake.done} {mistake.advice}",
            }
        )
    return {"step": name, "answers": stream.shuffled(answers)}


def _distractors(right: Table, wrong: dict[Table, str], count: int, stream: Stream) -> list[tuple[Table, str]]:
    """Choose `count` − 1 distractors, of the right answer's shape if there are enough, with the least deviation from
    the target ranks.
    """
    ranked = sorted(wrong.items(), key=lambda item: -catalogue()[item[1]].weight)
    same_shape = [item for item in ranked if (len(item[0]), len(item[0][0])) == (len(right), len(right[0]))]
    candidates = (same_shape if len(same_shape) >= count - 1 else ranked)[: max(MAX_CANDIDATES, count - 1)]
    cues = AnswerCues([right, *(printed for printed, _ in candidates)])
    targets = {cue: 2 * stream.below(count) for cue in cues.values_among(range(len(candidates) + 1))}

    def deviation(chosen: tuple[int, ...]) -> int:
        return sum(
            (double_rank(values, 0) - targets[cue]) ** 2 for cue, values in cues.values_among((0, *chosen)).items()
        )

    return [candidates[k - 1] for k in min(combinations(range(1, len(candidates) + 1), count - 1), key=deviation)]
