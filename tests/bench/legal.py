"""Whether some honest hand writes a script word for word, searched for with hands of the second simulator, which know
nothing of the marking.

A hand is led by the script: each line is typed to the decimals that stand there, by whichever habit prints them, and the
hand gives up at the first line that it cannot print. What it keeps on the way to a line and by which habit, and what it
carries on, is the mood of that line; the next hand has the same moods up to a little before the line where the last gave up.
A hand that is found proves the script legal; where none is found it may be legal all the same.
"""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import numpy as np

from tests.support.second_simulator import HABITS, Matrix, Paper, Rows, Task, each, work

TRIES, FRESH = 3_000, 300  # hands, of which every so many begin anew
PRECISIONS = (45, 45, 12, 10)  # digits of what a hand works with: in full, or a calculator's
METHODS = ("maximum subtracted", "scale folded into Q", "the last of equals")
LAST_FIGURE = Decimal("1e-10")  # of a calculator, by which a weight may be too small when it is cut
WEIGHTS = ("A", "P")
LIKE_A_PROGRAM = 0.6  # how often a line of so many digits is taken for a program's
PROGRAMS = (
    (12, Decimal("1e-13")),
    (7, Decimal("2e-6")),
)  # significant digits from which a line is float64's or float32's, and its error


class Unlike(ValueError):
    """The hand cannot print a line."""


class Led(Paper):
    """A hand that types a given script, or raises `Unlike`."""

    def __init__(self, task: Task, script: dict[str, Rows], moods: list[int], precision: int, **how: Any) -> None:
        super().__init__(task, habit="half up", carry="print", spare=None, digits=0, **how)
        turned = (
            (name, list(map(list, zip(*rows, strict=True))) if task.columns else rows) for name, rows in script.items()
        )
        self.wanted, self.names = dict(turned), list(script)
        self.line_moods, self.precision, self.there = moods, precision, -1
        self.begin()

    def begin(self) -> None:
        """The mood on the way to the next line: it keeps its working decimals, more, or all, by one habit; a program
        keeps all.
        """
        self.there += 1  # so many lines stand
        rows = self.wanted[self.names[self.there]] if self.there < len(self.names) else [["0"]]
        self.random = random.Random(self.line_moods[self.there])
        self.w = max(1 if self.task.digits is None else self.task.digits, decimals(rows))
        self.habit = HABITS[self.random.choice(list(HABITS))]
        self.error = error_of(rows) if self.random.random() < LIKE_A_PROGRAM else None
        self.spare = None if self.error else self.random.choice([None, 0, 0, 1])

    def typed(self, value: Matrix, name: str) -> tuple[Rows, Matrix]:
        if name not in self.wanted:
            raise Unlike(name)
        rows = self.wanted[name]
        there = self.matrix([[x.replace("inf", "Infinity") for x in row] for row in rows])
        if there.shape != value.shape:
            raise Unlike(name)
        cells = [at for at, x in np.ndenumerate(value) if x.is_finite()]
        if self.error:
            size = max(abs(value[at]) for at in cells)
            carried, fits = there.copy(), all(abs(value[at] - there[at]) <= self.error * size for at in cells)
        else:
            habit = self.habit_of(value, there, rows, cells, name.startswith(WEIGHTS))
            carried = self.carried(value, there, decimals(rows), habit) if habit else value
            fits = habit is not None
        if not fits:
            raise Unlike(name)
        for at in (at for at, x in np.ndenumerate(value) if not x.is_finite()):
            carried[at] = self.hidden(value, there, at)
        self.begin()
        return rows, carried

    def index(self, name: str, value: int) -> None:
        if self.wanted.get(name) != [[str(value)]]:
            raise Unlike(name)
        super().index(name, value)
        self.begin()

    def habit_of(self, value: Matrix, there: Matrix, rows: Rows, cells: list[Any], weights: bool) -> str | None:
        """A habit by which a matrix prints as it stands: each entry to the line's decimals (less one zero that nobody
        asked), or to its own.
        """
        longest, asked = decimals(rows), self.task.digits
        spare_zero = longest - 1 == asked and all(
            x.endswith("0") for row in rows for x in row if decimals([[x]]) == longest
        )
        ways = [lambda at: asked if spare_zero else longest, lambda at: decimals([[rows[at[0]][at[1]]]])]
        for habit in self.random.sample(list(HABITS), len(HABITS)):
            off = (Decimal(0), LAST_FIGURE) if weights and habit == "cut" else (Decimal(0),)
            if any(
                all(any(self.dropped(value[at] - less, places(at), habit) == there[at] for less in off) for at in cells)
                for places in ways
            ):
                return habit
        return None

    def dropped(self, x: Decimal, places: int, habit: str) -> Decimal:
        self.habit = HABITS[habit]
        return self.rounded(x, places)

    def carried(self, value: Matrix, there: Matrix, places: int, habit: str) -> Matrix:
        """The print, the full values or finer prints: entry by entry where the line is as fine as what is not written."""
        finer = max(places + 1, self.w) + self.random.choice([0, 0, 1])
        ways = [there, value, each(lambda x: self.dropped(x, finer, habit))(value)]
        if places < self.w or self.random.random() < 0.6:
            return self.random.choice(ways).copy()
        return np.array([[self.random.choice(ways)[at] for at in row] for row in places_of(value)], dtype=object)

    def hidden(self, value: Matrix, there: Matrix, at: tuple[int, int]) -> Decimal:
        """−∞, or a number that is used instead, whose weight prints as 0."""
        if there[at].is_finite():
            largest = max(x for x in value[at[0]] if x.is_finite())
            if (there[at] - largest).exp() * 2 >= Decimal(1).scaleb(-self.w):
                raise Unlike
        return self.random.choice([there[at], value[at]])


def places_of(value: Matrix) -> list[list[tuple[int, int]]]:
    return [[(i, j) for j in range(value.shape[1])] for i in range(value.shape[0])]


def decimals(rows: Rows) -> int:
    return max(len(x.partition(".")[2]) for row in rows for x in row)


def error_of(rows: Rows) -> Decimal | None:
    """How far the numbers of a program's print may be off, as a share of the largest; None of a hand's."""
    digits = max(len(x.lstrip("-").replace(".", "").lstrip("0")) for row in rows for x in row if "." in x or len(x) < 7)
    return next((error for least, error in PROGRAMS if digits >= least), None)


def is_written_by_a_hand(task: Task, script: dict[str, Rows], rng: random.Random, tries: int = TRIES) -> bool:
    """Whether one of so many hands types the script as it stands."""
    moods: list[int] = []
    for attempt in range(tries):
        if attempt % FRESH == 0:
            moods, precision = [], rng.choice(PRECISIONS)
            method = [one for one in METHODS if rng.random() < 0.3]
        moods += [rng.randrange(10**9) for _ in range(len(script) + 1 - len(moods))]
        hand = Led(task, script, moods, precision, method=method)
        if work(task, hand) is not None and hand.script.keys() == script.keys():
            return True
        del moods[max(0, hand.there - int(rng.expovariate(0.5))) :]
    return False
