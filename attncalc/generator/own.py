"""An author's own problem as a generator: its `draw:` in the place of a lesson's recipe, its demands beside
the others.
"""

from __future__ import annotations

import os
from typing import cast

from ..api import loaded
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..problem.data import data_of
from ..problem.draws import Draws
from ..problem.file import build_problem
from ..problem.model import Problem
from ..problem.stream import Stream
from ..problem.text import Mapping, Scalar
from .drawn import Calibration, Texts
from .matrix import Recipe
from .recipe import DRAWN
from .search import Search
from .specification import RELAXED, Request, Specification
from .stages import Stage, stages_of
from .view import NumericView

DEMAND = "demand"
OPAQUE = "exp(0)"  # 1, which only arithmetic knows


class AuthorFileSearch(Search):
    """Variants of a file with draws."""

    def __init__(self, problem: Problem, spec: Specification):
        assert problem.draws is not None
        self.draws: Draws = problem.draws
        self.name = problem.name
        self.rebuilds = self.decides_plan()
        super().__init__(spec)
        self.calibration = self.calibrated()  # before anything is drawn: searches of a file share its problem

    def calibrated(self) -> Calibration:
        """Nothing where variants may differ in work and need not tell mistakes apart, which is long to find out of a
        whole model.
        """
        return Calibration(0.0) if {"work", "separation"} <= self.spec.relaxed else self.calibrate()

    def decides_plan(self) -> bool:
        """Whether what is drawn decides the plan, which is then built for each draw: words, or a number alone as in
        `X[k]`.

        A number does not where the file can be read with a number in its place that only arithmetic knows.
        """
        if self.draws.texts:
            return True
        scalars = [draw.name for draw in self.draws.drawn if draw.size == (1, 1)]
        stream = Stream("attncalc", self.name, "template")
        entries, words = self.draw(stream), self.words(stream)
        try:
            build_problem(self.draws.tree(entries | {name: [[OPAQUE]] for name in scalars}, words), "", self.name)
        except AttncalcError:
            return True
        return False

    def draw(self, stream: Stream) -> Texts:
        """The texts of all drawn givens from a stream of bits."""
        return self.draws.entries(stream)

    def words(self, stream: Stream) -> dict[str, list[str]]:
        """The drawn labels of the givens."""
        return self.draws.words(stream)

    def tree(self, entries: Texts, words: dict[str, list[str]]) -> Mapping:
        """A variant's file as a tree, with the number of decimals that is asked for."""
        return self.draws.tree(entries, words)

    def document(self, entries: Texts, words: dict[str, list[str]]) -> dict[str, object]:
        """The problem file of a draw, as data."""
        return cast("dict[str, object]", data_of(self.tree(entries, words)))

    def matrix(self, name: str, stream: Stream) -> list[list[str]]:
        """The texts of one drawn given."""
        return self.draws.matrix(name, stream)

    def fill(self, entries: Texts, before: NumericView | None = None) -> NumericView:
        """What demands look at: the problem with the drawn entries."""
        if not self.rebuilds:
            return super().fill(entries, before)
        self.problem = build_problem(self.draws.tree(entries, self.template_words), "", self.name)
        view = NumericView(self.problem)
        view.nameless = lambda: self.calibration.nameless
        return view

    def staged(self) -> list[Stage]:
        """The order in which givens are drawn; all at once where they decide what the plan is."""
        names = [draw.name for draw in self.draws.drawn]
        return (
            [Stage(tuple(names))]
            if self.rebuilds
            else stages_of(self.problem.plan, names, NumericView(self.problem).steps)
        )

    @property
    def template_words(self) -> dict[str, list[str]]:
        """Labels for a draw that is judged; which ones makes no difference."""
        return self.words(Stream("attncalc", self.spec.lesson, "template"))

    def glance(self, turn: int, drawn: Texts, before: NumericView | None) -> str | None:
        """None where an author's own demands come first, or where each draw has a plan of its own."""
        return None if self.rebuilds or self.draws.relations else super().glance(turn, drawn, before)

    def early(self, view: NumericView, stage: Stage) -> str | None:
        """The author's own demands on what a stage settles before the others."""
        if self.rebuilds:
            stage = self.stages[0] = Stage(stage.drawn, set(self.problem.plan.entries), view.givens, view.steps)
        return DEMAND if self.draws.unmet(self.problem.plan, view.full, stage.settles) else super().early(view, stage)

    @property
    def reasons(self) -> dict[str, str]:
        """What each demand says of itself, the author's own as they are written."""
        return super().reasons | {DEMAND: ", ".join(relation.text for relation in self.draws.relations)}


def lesson_search(request: Request) -> AuthorFileSearch:
    """The search of such a lesson. Raises AttncalcError for sizes and entries, which its file states."""
    _refuse(
        request,
        f"for other lessons; {request.lesson} is drawn in one size",
        {"--entries": request.entries, "--family": request.family},
    )
    problem = loaded(os.path.join(DRAWN, f"{request.lesson}.yaml"))
    assert problem.draws is not None
    if request.options:
        _set_options(problem.draws, request)
        problem = build_problem(problem.draws.source, "", problem.name)
    return search_of(problem, request)


def _set_options(draws: Draws, request: Request) -> None:
    lesson, place = draws.source.pairs[request.lesson]
    assert isinstance(place, Mapping)
    options = {name: (Scalar(name, Location(f"--set {name}")), Scalar(value, Location(f"--set {name}={value}")))
               for name, value in request.options.items()}  # fmt: skip
    pairs = draws.source.pairs | {request.lesson: (lesson, Mapping(place.pairs | options, place.place))}
    draws.source = Mapping(pairs, draws.source.place)


def author_file_search(request: Request) -> AuthorFileSearch:
    """The search of a file with `draw:`. Raises AttncalcError where the file draws nothing, and for options that only
    lessons have.
    """
    explanation = "for lessons; a file says under draw: what is drawn, and its options in the lesson"
    _refuse(request, explanation, {"--set": request.options, "--entries": request.entries, "--family": request.family})
    return search_of(loaded(request.lesson), request)


def _refuse(request: Request, explanation: str, stated: dict[str, object]) -> None:
    refused = [f"--{size.replace('_', '-')}" for size, value in request.sizes.items() if value is not None]
    refused += [option for option, value in stated.items() if value]
    if refused:
        raise AttncalcError(f"{', '.join(refused)}: {explanation}")


def search_of(problem: Problem, request: Request) -> AuthorFileSearch:
    """The same for a problem that has been read. Raises AttncalcError for demands to relax that are none."""
    if problem.draws is None:
        raise AttncalcError(f"{problem.name} draws nothing; expected a lesson, or a file with draw: beside given:")
    faults = Diagnostics()
    for code, place in [*problem.draws.relaxed, *((code, Location("--relax")) for code in request.relax)]:
        if code not in RELAXED:
            near = did_you_mean(code, RELAXED) or f"; there are {', '.join(RELAXED)}"
            faults.add(f"relax: no requirement is called {shorten(code)!r}{near}", place)
    faults.raise_any()
    if request.digits is not None:
        _set_digits(problem.draws, request.digits)
    printed_digits = max(part.rounding.digits for part in problem.parts)
    relaxed = frozenset([code for code, _ in problem.draws.relaxed] + list(request.relax))
    digits = printed_digits if request.digits is None else request.digits
    recipe, command = Recipe({}, {}, problem.title), request._replace(lesson=os.path.basename(request.lesson)).command
    return AuthorFileSearch(
        problem,
        Specification(
            problem.name, recipe, {}, {}, None, {}, digits, request.seed, relaxed, request.margin, "", command
        ),
    )


def _set_digits(draws: Draws, digits: int) -> None:
    """The file's rounding with other decimals."""
    stated = draws.source.get("rounding")
    place = draws.source.place
    pairs = dict(stated.pairs) if isinstance(stated, Mapping) else {}
    pairs["digits"] = (Scalar("digits", place), Scalar(str(digits), place))
    draws.source = Mapping(draws.source.pairs | {"rounding": (Scalar("rounding", place), Mapping(pairs, place))}, place)
