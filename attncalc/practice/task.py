"""A task: the data of a problem and the part to practise, with its solution and its mistakes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import groupby
from math import ceil
from typing import Any, TypeVar

from ..api import load, solve
from ..errors import AttncalcError, shorten
from ..explain.faded_examples import steps_to_do
from ..explain.part_scope import Scope
from ..formula.operations import needs
from ..formula.syntax_tree import Call, Name, Tree, names, unparse
from ..generator.diagnosability import evidence
from ..generator.distinguishability import Certificate, certify
from ..generator.numeric_view import NumericView
from ..generator.workload import COST_OF_A_MINUTE, step_cost
from ..lessons import LESSONS
from ..marking.context import Memory
from ..mistakes.slip_catalogue import SLIPS
from ..plan import Given, Step
from . import messages

Data = dict[str, Any]  # the data of a problem file, or JSON


Rows = list[list[str]]
StepOrGiven = TypeVar("StepOrGiven", Step, Given)

MOST_STEPS = 24  # steps in one stage of an exercise


class ExerciseTask:
    """A checked problem, and the part to practise (by default the first part). Raises AttncalcError. A part with many
    steps is practised in stages, counted from 0.
    """

    def __init__(self, data: Data, part: str | None):
        self.data = data
        self.problem = load(data)
        self.part = next(
            (candidate for candidate in self.problem.parts if candidate.name == part), self.problem.parts[0]
        )
        self.memory = Memory()  # the cache of the marker, for all attempts at this task
        self.whole, self.stage = self, 0

    @cached_property
    def scope(self) -> Scope:
        """The names and displayed numbers of the part."""
        solution = solve(self.problem)
        return Scope(solution, next(part for part in solution.parts if part.part.name == self.part.name))

    @property
    def steps(self) -> list[Step]:
        return self.stages[self.stage]

    @cached_property
    def stages(self) -> list[list[Step]]:
        """All steps to practise, in stages of at most MOST_STEPS steps. If possible, a stage ends after a sublayer."""
        steps = [step for step in self.part.plan.steps if not step.given]
        stages: list[list[Step]] = [[]]
        for _, sublayer in groupby(steps, key=lambda step: step.name.rpartition(".")[0]):
            group = [*sublayer]
            size = ceil(len(group) / ceil(len(group) / MOST_STEPS))
            for k in range(0, len(group), size):
                if len(stages[-1]) + len(group[k : k + size]) > MOST_STEPS:
                    stages.append([])
                stages[-1] += group[k : k + size]
        return stages

    def at(self, stage: int) -> ExerciseTask:
        """Return the task at this stage."""
        other = copy(self)
        other.stage = min(stage, len(self.stages) - 1)
        return other

    def at_step(self, step: Step) -> ExerciseTask:
        """Return the task at the stage of a step."""
        return self.at(next(k for k, stage in enumerate(self.stages) if step.key in {s.key for s in stage}))

    @property
    def needed(self) -> set[str]:
        """The names that the formulas of the stage use."""
        return {name for step in self.steps for name in (*self.uses(step), *names(step.tree))}

    @property
    def earlier(self) -> list[Step]:
        """The steps outside the stage that its formulas use, also steps of other parts. The page shows them."""
        used = self.needed - {step.name for step in self.steps}
        steps = (step for part in self.problem.plan.parts for step in part.steps)
        return [replace(step, name=name) for step in steps if (name := self._name_here(step)) in used]

    def step(self, name: str) -> Step:
        return _by_name(self.steps, name, messages.NO_STEP)

    def given(self, name: str) -> Given:
        return _by_name([*self.part.plan.givens, *self.problem.plan.givens], name, messages.NO_GIVEN)

    def minutes(self, steps: list[Step]) -> int:
        """Return the minutes that some steps take by hand, at least 1."""
        work = sum(step_cost(self.view, step).total for step in self.view.steps if step in steps)
        return max(1, round(work / COST_OF_A_MINUTE))

    def open_steps(self, level: int) -> list[Step]:
        return steps_to_do(self.steps, level)

    def example_steps(self, level: int) -> list[Step]:
        """Return the worked steps at a level, without steps that only rename an open step."""
        hidden = {step.name for step in self.open_steps(level)}
        for step in self.steps:
            if isinstance(step.tree, Name) and not hidden.isdisjoint(self.uses(step)):
                hidden.add(step.name)
        return [step for step in self.steps if step.name not in hidden]

    def is_asked(self, step: Step) -> bool:
        """Return whether a step must be answered. If the problem has no `asked:`, this is every step."""
        return not self.part.asked_stated or step.name in {request.step for request in self.part.asked}

    def uses(self, step: Step) -> list[str]:
        """Return the names of the givens and steps that a step uses directly, in the order of the formula. The name of
        a step of another part begins with the name of the part.
        """
        plan, text = self.problem.plan, unparse(step.tree)
        used = [plan.entries[key] for key in sorted(needs([step.node]), key=plan.order.__getitem__)]
        return sorted((self._name_here(entry) for entry in used), key=text.find)

    def _name_here(self, entry: Step | Given) -> str:
        return entry.name if entry.part in (None, self.part.name) else f"{entry.part}.{entry.name}"

    def sources(self, step: Step) -> set[str]:
        """Return the names that a step uses directly. If a name only renames another step, add the other name."""
        used = set(self.uses(step))
        for other in reversed(self.steps):
            if other.name in used and isinstance(other.tree, Name):
                used.update(self.uses(other))
        return used

    @cached_property
    def view(self) -> NumericView:
        """The problem in the form that quality criteria use."""
        return NumericView(self.problem)

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.view) if self.whole is self else self.whole._certificate

    @cached_property
    def _named_mistakes(self) -> list[tuple[str, str]]:
        """The mistakes, with their steps, that the marker can name from the wrong entries."""
        return [mistake for mistake, is_named in evidence(self.view) if is_named]

    def traps(self, steps: list[Step]) -> list[str]:
        """Return the mistakes that the numbers of these steps reveal, and all slips."""
        keys = {step.key for step in steps}
        codes = (code for code, key in self.whole._named_mistakes if key in keys)
        return [*dict.fromkeys(codes), *SLIPS]

    @property
    def applicable_mistakes(self) -> set[str]:
        """The mistakes of the catalogue that are possible in a step, even if the numbers do not reveal them."""
        return {verdict.code for verdict in self._certificate.verdicts}

    def mistaken_rows(self, code: str) -> tuple[Step, Rows] | None:
        """Return the first step of any stage whose numbers reveal a mistake, and the numbers with the mistake."""
        steps = {step.key: step for stage in self.stages for step in stage}
        for verdict in self._certificate.verdicts:
            if verdict.code == code and verdict.kind == "separated" and verdict.step in steps:
                return steps[verdict.step], [list(row) for row in verdict.printed]
        return None

    @property
    def lesson(self) -> str | None:
        return next((lesson for lesson in LESSONS if lesson in self._home(self.data)), None)

    def with_values(self, key: str | None, words: Mapping[str, object]) -> ExerciseTask:
        """Return the task with more values under a key of its part: options, or lines of steps under `pin`."""
        if key is None or not words:
            return self
        new = deepcopy(self.data)
        home = self._home(new)
        home[key] = {**(home.get(key) or {}), **words}
        return task_of(new, self.part.name).at(self.stage)

    def _home(self, data: Data) -> Data:
        """Return the mapping of the part in the data of a problem."""
        return data if self.part.name is None else data["parts"][self.part.name]


def _by_name(candidates: Sequence[StepOrGiven], name: str, unknown: str) -> StepOrGiven:
    for candidate in candidates:
        if candidate.name == name:
            return candidate
    raise AttncalcError(unknown.format(name=shorten(name)))


@lru_cache(maxsize=16)
def _task(text: str, part: str | None) -> ExerciseTask:
    return ExerciseTask(json.loads(text), part)


def task_of(data: Data, part: str | None) -> ExerciseTask:
    """Return a task from a cache. Raises AttncalcError with every error of the problem."""
    return _task(json.dumps(data), part)


def is_task(task: Mapping[str, object]) -> bool:
    """Return whether `task` has the form of a task in a request."""
    stage = task.get("stage", 0)
    is_stage = type(stage) is int and stage >= 0
    return isinstance(task.get("data"), dict) and isinstance(task.get("part"), str | None) and is_stage


def parse_task(task: Data) -> ExerciseTask:
    """Return the task of a request: {"item", "seed", "number", "part", "stage", "data"}. Raises AttncalcError with
    every error of the problem.
    """
    return task_of(task["data"], task.get("part")).at(task.get("stage", 0))


def softmax_of(step: Step) -> tuple[Tree, ...]:
    """Return a tuple with the argument of a softmax of each row without options; empty for other formulas."""
    match step.tree:
        case Call("softmax", (scores,), ()):
            return (scores,)
    return ()


def with_given(data: Data, given: Given, rows: Rows) -> Data:
    """Return the data of a problem with new entries for a given. The labels do not change."""
    new = deepcopy(data)
    home = new if given.part is None else new["parts"][given.part]
    old = home["given"][given.name]
    home["given"][given.name] = {**old, "values": rows} if isinstance(old, dict) and "values" in old else rows
    return new
