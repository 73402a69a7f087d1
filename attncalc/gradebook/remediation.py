"""Remediation of frequent mistakes: an anonymous script with each, and a command for exercises that detect it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..api import solve
from ..errors import AttncalcError
from ..explain.document import Block
from ..explain.report_document import step_blocks
from ..generator.generate import make_search
from ..generator.request import Request
from ..marking.report import check
from ..mistakes.catalogue import catalogue
from ..plan import Step
from ..problem.problem import Part, Problem
from .answer_key import Key
from .graded_script import GradedScript, NamedMistakes
from .item_analysis import mistakes_of
from .script_discovery import Task
from .script_grader import Grader

MOST = 3  # mistakes that are talked about
EXERCISES = 5
SEEDS = 3  # that are tried for a drill


@dataclass(frozen=True, slots=True)
class Drill:
    """A frequent mistake: codes, number of scripts, description, one script's step, and an exercise command (or "")."""

    named: NamedMistakes
    count: int
    done: str
    advice: str
    step: str
    blocks: tuple[Block, ...]
    command: str


def drills(key: Key, rows: list[GradedScript], tasks: list[Task]) -> list[Drill]:
    """Return the most frequent mistakes, each with a script and exercises; none that fewer than five made."""
    frequent = [(named, count) for named, count in mistakes_of(rows) if count is not None][:MOST]
    return [drill for named, count in frequent if (drill := _drill(named, count, key, rows, tasks))]


def _drill(named: NamedMistakes, count: int, key: Key, rows: list[GradedScript], tasks: list[Task]) -> Drill | None:
    for row, task in zip(rows, tasks, strict=True):
        step = next((step for step, other in row.codes if other == named), None)
        if step is not None:
            mistake = catalogue().get(named.codes[0])
            done, advice = (mistake.done, mistake.advice) if mistake else ("", "")
            return Drill(named, count, done, advice, step, *_shown(key, task, step, named.codes))
    return None


def _shown(key: Key, task: Task, step: str, codes: Sequence[str]) -> tuple[tuple[Block, ...], str]:
    """Return the step of one script as in its report, and an exercise command for its mistake."""
    try:
        bound = Grader(key, []).bound(task)
        report = check(bound.problem, bound)
        blocks = tuple(step_blocks(report, solve(bound.problem), step))
        return blocks, drill_command(bound.problem, step, codes)
    except AttncalcError:
        return (), ""


def drill_command(problem: Problem, key: str, codes: Sequence[str]) -> str:
    """Return a command for exercises on the step's lesson, each certified to reveal one of these mistakes.

    Its first exercise has been drawn here, and its certificate names the mistake. Where there is none (a slip, of which
    no certificate tells; a lesson that is not drawn), the command that practises the lesson; empty for steps of no
    lesson.
    """
    places = [(part, step) for part in problem.parts for step in part.plan.steps if step.key == key and step.lesson]
    mistakes = [code for code in codes if code in catalogue()]
    tries = ((step, part, code, k) for part, step in places for code in mistakes for k in range(1, SEEDS + 1))
    command = next((command for attempt in tries if (command := _tried(*attempt))), "")
    return command or next((f"attncalc practice {step.lesson}" for _, step in places), "")


def _tried(step: Step, part: Part, code: str, seed: int) -> str:
    assert step.lesson is not None
    options = {convention.option: convention.value for convention in part.plan.conventions if not convention.is_default}
    request = Request(step.lesson, {}, options, seed=f"{code}-{seed}")
    try:
        variant = next(iter(make_search(request).variants(1)))
    except AttncalcError:
        return ""
    if code not in variant.certificate.codes("separated"):
        return ""
    return f"{request.command} --seed {request.seed} -n {EXERCISES} -o drill-{code}/"
