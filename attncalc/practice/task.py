"""A task: a problem as the mapping that its file would hold, the part that is practised, and what these come to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from ..api import load, solve
from ..errors import AttncalcError, shorten
from ..explain.fading import to_do
from ..explain.scope import Scope
from ..formula.node import needs
from ..formula.tree import Call, Name, Tree, unparse
from ..generator.certificate import Certificate, certify
from ..generator.view import NumericView
from ..lessons import LESSONS
from ..mark.walk import Memory
from ..mistakes.slips import SLIPS
from ..plan import Given, Step
from . import texts

Data = dict[str, Any]
Rows = list[list[str]]
StepOrGiven = TypeVar("StepOrGiven", Step, Given)

MOST_STEPS = 24  # in one exercise; of a longer part the outer steps are practised, or those that are asked


class Task:
    """A checked problem and the part that is practised: that of the name, else the first. Raises AttncalcError."""

    def __init__(self, data: Data, part: str | None):
        self.data = data
        self.problem = load(data)
        self.part = next(
            (candidate for candidate in self.problem.parts if candidate.name == part), self.problem.parts[0]
        )
        self.memory = Memory()  # of the marker: what attempts at one task have in common

    @cached_property
    def scope(self) -> Scope:
        """The part as pages read its names."""
        solution = solve(self.problem)
        return Scope(
            solution,
            next(part_solution for part_solution in solution.parts if part_solution.part.name == self.part.name),
        )

    @cached_property
    def steps(self) -> list[Step]:
        """The steps that are practised."""
        steps = [step for step in self.part.plan.steps if not step.given]
        if len(steps) <= MOST_STEPS:
            return steps
        asked = {request.step for request in self.part.asked} if self.part.asked_stated else set()
        outer = [step for step in steps if step.name in asked] or [step for step in steps if "." not in step.name]
        return outer[:MOST_STEPS] or steps[-MOST_STEPS:]

    def step(self, name: str) -> Step:
        """The step of that name. Raises AttncalcError where there is none."""
        return _by_name(self.steps, name, texts.NO_STEP)

    def given(self, name: str) -> Given:
        """The given of that name. Raises AttncalcError where there is none."""
        return _by_name([*self.part.plan.givens, *self.problem.plan.givens], name, texts.NO_GIVEN)

    def open_steps(self, level: int) -> list[Step]:
        """The steps that are left to do at a level of fading."""
        return to_do(self.steps, level)

    def example_steps(self, level: int) -> list[Step]:
        """The steps whose numbers are shown at a level: no other name of one that is left to do."""
        hidden = {step.name for step in self.open_steps(level)}
        for step in self.steps:
            if isinstance(step.tree, Name) and not hidden.isdisjoint(self.uses(step)):
                hidden.add(step.name)
        return [step for step in self.steps if step.name not in hidden]

    def is_asked(self, step: Step) -> bool:
        """Whether a step must be answered; where nothing is stated, every one."""
        return not self.part.asked_stated or step.name in {request.step for request in self.part.asked}

    def uses(self, step: Step) -> list[str]:
        """The names of the givens and steps that a step uses directly, in the order of its formula."""
        plan, text = self.problem.plan, unparse(step.tree)
        names = [plan.entries[key].name for key in sorted(needs([step.node]), key=plan.order.__getitem__)]
        return sorted(names, key=text.find)

    def sources(self, step: Step) -> set[str]:
        """The same, and what some of these are only other names of."""
        names = set(self.uses(step))
        for other in reversed(self.steps):
            if other.name in names and isinstance(other.tree, Name):
                names.update(self.uses(other))
        return names

    @cached_property
    def view(self) -> NumericView:
        """The problem as demands on exercises read it."""
        return NumericView(self.problem)

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.view)

    def traps(self, steps: list[Step]) -> list[str]:
        """The mistakes that show in the numbers of some steps, by the certificate; slips show in any."""
        keys = {step.key for step in steps}
        codes = (
            verdict.code
            for verdict in self._certificate.verdicts
            if verdict.kind == "separated" and verdict.step in keys
        )
        return [*dict.fromkeys(codes), *SLIPS]

    @property
    def applicable_mistakes(self) -> set[str]:
        """The mistakes of the catalogue that can be made in a step, whether they show or not."""
        return {verdict.code for verdict in self._certificate.verdicts}

    def mistaken_rows(self, code: str) -> tuple[Step, Rows] | None:
        """The first step that is practised whose numbers show a mistake, and what it makes of them."""
        steps = {step.key: step for step in self.steps}
        for verdict in self._certificate.verdicts:
            if verdict.code == code and verdict.kind == "separated" and verdict.step in steps:
                return steps[verdict.step], [list(row) for row in verdict.printed]
        return None

    @property
    def lesson(self) -> str | None:
        """The lesson that the part is of, None where it is formulas."""
        return next((lesson for lesson in LESSONS if lesson in self._home(self.data)), None)

    def with_values(self, key: str | None, words: dict[str, Any]) -> Task:
        """The task with more under a key of its part: options of its lesson; or under `pin` somebody's lines in the
        place of steps, from which later steps go on.
        """
        if key is None or not words:
            return self
        new = deepcopy(self.data)
        home = self._home(new)
        home[key] = {**(home.get(key) or {}), **words}
        return task_of(new, self.part.name)

    def _home(self, data: Data) -> Data:
        """Where a problem's data hold the part."""
        return data if self.part.name is None else data["parts"][self.part.name]


def _by_name(candidates: Sequence[StepOrGiven], name: str, unknown: str) -> StepOrGiven:
    for candidate in candidates:
        if candidate.name == name:
            return candidate
    raise AttncalcError(unknown.format(name=shorten(name)))


@lru_cache(maxsize=16)
def _task(text: str, part: str | None) -> Task:
    return Task(json.loads(text), part)


def task_of(data: Data, part: str | None) -> Task:
    """A task, worked out once. Raises AttncalcError with every fault of the problem."""
    return _task(json.dumps(data), part)


def is_task(task: Data) -> bool:
    """Whether it is a task as the page holds it."""
    return isinstance(task.get("data"), dict) and isinstance(task.get("part"), str | None)


def parse_task(task: Data) -> Task:
    """The task that the page holds. Raises AttncalcError with every fault of the problem."""
    return task_of(task["data"], task.get("part"))


def softmax_of(step: Step) -> tuple[Tree, ...]:
    """What a step takes the plain softmax of each row of; empty where it does something else."""
    match step.tree:
        case Call("softmax", (scores,), ()):
            return (scores,)
    return ()


def with_given(data: Data, given: Given, rows: Rows) -> Data:
    """A problem's data with other entries of a given, its labels kept."""
    new = deepcopy(data)
    home = new if given.part is None else new["parts"][given.part]
    old = home["given"][given.name]
    home["given"][given.name] = {**old, "values": rows} if isinstance(old, dict) and "values" in old else rows
    return new
