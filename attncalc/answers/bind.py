"""Answers to the steps of a problem: names found, shapes fitted, labels matched, and what was done said in notes."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan import Step
from ..problem.model import Problem
from .model import Script, Typed

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Filled:
    """The cells of one step that were answered, in the step's own rows and columns. A blank cell is not among them.

    `kind` is `whole` where every cell of the step was answered, else `partial`. `transposed` says that the answer fits
    only when its rows are read as columns; `cells` hold it so. `notes` say for people how the answer was read.
    """

    part: str | None
    step: Step
    cells: dict[Cell, Typed]
    notes: tuple[str, ...] = ()
    transposed: bool = False
    kind: str = "whole"
    printed: bool = False
    computed: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A script on its problem; `steps` in the order of the plan."""

    script: Script
    problem: Problem
    steps: tuple[Filled, ...]
    notes: tuple[str, ...] = ()

    def find(self, key: str) -> Filled | None:
        """The answer to the step with this key (`masked.S`), None where there is none."""
        return next((filled for filled in self.steps if filled.step.key == key), None)


def bind(script: Script, problem: Problem) -> Bound:
    """The script's answers, each on its step. Raises AttncalcError with every fault: unknown names, shapes that cannot fit."""
    raise NotImplementedError
