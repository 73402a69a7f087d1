"""Recipe of a lesson's problems: the matrices to draw, their sizes, and the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Sizes = dict[str, int]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A given to draw: the names of its sizes, the labels of its rows, and its kind of entries where it differs from
    the others.

    `fixed` entries stay whatever entries are requested, such as the indices of target words.
    """

    rows: str
    columns: str
    words: str = ""
    entries: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """Recipe of one lesson: default sizes, matrices to draw, the lesson's arguments, and the question.

    `relaxed` names requirements that problems with so many numbers cannot meet; marking accepts both sides of a
    rounding tie.
    """

    sizes: Sizes
    matrices: dict[str, Matrix]
    ask: str
    arguments: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    fixed: Callable[[Sizes], dict[str, str]] | None = None
    digits: int = 2  # the default number of decimals
    relaxed: tuple[str, ...] = ()
