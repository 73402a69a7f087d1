"""What a recipe is made of: the matrices to draw, their sizes, and what is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Sizes = dict[str, int]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A given to draw: its sizes by name, the words of its rows, and entries of its own where they differ from the
    others'.

    Entries that are `fixed` stay so whatever entries are asked for, such as the numbers of target words.
    """

    rows: str
    columns: str
    words: str = ""
    entries: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """One lesson's problem: default sizes, the matrices to draw, the lesson's arguments, the question, and what is
    asked.

    `relaxed` names demands that problems with so many numbers cannot meet; marking accepts both sides of a rounding
    tie.
    """

    sizes: Sizes
    matrices: dict[str, Matrix]
    ask: str
    arguments: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    fixed: Callable[[Sizes], dict[str, str]] | None = None
    digits: int = 2  # that are asked for where nothing else is said
    relaxed: tuple[str, ...] = ()
