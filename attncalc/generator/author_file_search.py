"""Search for variants of an author's file: its `draw:` replaces a lesson's recipe, and its requirements are added."""

from __future__ import annotations

import os

from ..api import load_without_warning
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..problem.loader import build_problem
from ..problem.problem import Problem
from ..problem.python_input import Data, data_of
from ..problem.random_givens import Draws
from ..problem.random_stream import Stream
from ..problem.yaml_file.nodes import Mapping, Scalar
from .draw_order import Stage, stages_of
from .lesson_recipes import DRAWN, Recipe
from .numeric_view import NumericView
from .rejection_search import PER_PROBLEM, Search
from .request import RELAXED, Request, Specification
from .search_result import Calibration, Texts

DEMAND = "demand"
OPAQUE = "exp(0)"  # equals 1, which only evaluation reveals


class AuthorFileSearch(Search):
    """Search for variants of a file with `draw:`."""

    def __init__(self, problem: Problem, spec: Specification):
        assert problem.draws is not None
        self.draws: Draws = problem.draws
        self.name = problem.name
        self.rebuilds = self.decides_plan()
        super().__init__(spec)
        # Before the first draw, because searches of a file share its problem. Skipped if work and separation are
        # relaxed, because calibrating a whole model is slow
        is_needed = not {"work", "separation"} <= self.spec.relaxed
        self.file_calibration = self.calibrate(self.meter) if is_needed else Calibration(0.0)

    def shared_calibration(self) -> Calibration:
        """Return the calibration of the file."""
        self.meter.spend(self.file_calibration.seconds)
        return self.file_calibration

    def decides_plan(self) -> bool:
        """True if drawn values decide the plan, which is then rebuilt for each draw: words, or a scalar as in `X[k]`.

        A scalar does not if the file can be read with an opaque number in its place.
        """
        if self.draws.texts:
            return True
        scalars = [draw.name for draw in self.draws.drawn if draw.size == (1, 1)]
        stream = Stream("attncalc", self.name, "template")
        entries, words = self.draw(stream), self.words(stream)
        try:
            tree = self.draws.tree(entries | {name: [[OPAQUE]] for name in scalars}, words)
            build_problem(tree, "", self.name, quiet=True)
        except AttncalcError:
            return True
        return False

    def draw(self, stream: Stream) -> Texts:
        return self.draws.entries(stream)

    def words(self, stream: Stream) -> dict[str, list[str]]:
        return self.draws.words(stream)

    def title(self, number: int) -> str:
        return f"{self.problem.title}, variant {number}"

    def tree(self, entries: Texts, words: dict[str, list[str]]) -> Mapping:
        return self.draws.tree(entries, words)

    def document(self, entries: Texts, words: dict[str, list[str]]) -> dict[str, Data]:
        return data_of(self.tree(entries, words))

    def matrix(self, name: str, stream: Stream) -> list[list[str]]:
        return self.draws.matrix(name, stream)

    def fill(self, entries: Texts, before: NumericView | None = None) -> NumericView:
        """Return a view of the problem with the drawn entries."""
        if not self.rebuilds:
            return super().fill(entries, before)
        self.meter.spend(PER_PROBLEM)
        self.problem = build_problem(self.draws.tree(entries, self.template_words), "", self.name, quiet=True)
        view = NumericView(self.problem)
        view.nameless = lambda: self.calibration.nameless
        return view

    def make_stages(self) -> list[Stage]:
        """Return the order in which givens are drawn; a single stage if they decide the plan."""
        names = [draw.name for draw in self.draws.drawn]
        if self.rebuilds:
            return [Stage(tuple(names))]
        return stages_of(self.problem.plan, names, NumericView(self.problem).steps)

    @property
    def template_words(self) -> dict[str, list[str]]:
        """Labels of a draw under judgement, which do not affect the judgement."""
        return self.words(Stream("attncalc", self.spec.lesson, "template"))

    def prefilter_fault(self, turn: int, drawn: Texts, before: NumericView | None) -> str | None:
        """Return None if the author states relations or each draw has its own plan; else the prefilter's verdict."""
        return None if self.rebuilds or self.draws.relations else super().prefilter_fault(turn, drawn, before)

    def stage_fault(self, view: NumericView, stage: Stage) -> str | None:
        """Return the first requirement, the author's relations included, that the stage's values fail."""
        if self.rebuilds:
            stage = self.stages[0] = Stage(stage.drawn, set(self.problem.plan.entries), view.givens, view.steps)
        is_unmet = self.draws.unmet(self.problem.plan, view.full, stage.settles)
        return DEMAND if is_unmet else super().stage_fault(view, stage)

    @property
    def reasons(self) -> dict[str, str]:
        """Sentences about each requirement, the author's relations as they are written."""
        return super().reasons | {DEMAND: ", ".join(relation.text for relation in self.draws.relations)}


def lesson_search(request: Request) -> AuthorFileSearch:
    """Return the search of a lesson with a bundled file. Raises AttncalcError for sizes and entries, which the file
    states.
    """
    explanation = f"only for other lessons; {request.lesson} has a fixed size"
    _refuse(request, explanation, {"--entries": request.entries, "--family": request.family})
    problem = load_without_warning(os.path.join(DRAWN, f"{request.lesson}.yaml"))
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
    """Return the search of a file with `draw:`. Raises AttncalcError where the file draws nothing, and for options of
    lessons.
    """
    explanation = (
        "these options are only for lessons; in a problem file, write random givens under `draw:`, "
        "and options inside the lesson"
    )
    _refuse(request, explanation, {"--set": request.options, "--entries": request.entries, "--family": request.family})
    return search_of(load_without_warning(request.lesson), request)


def _refuse(request: Request, explanation: str, options: dict[str, object]) -> None:
    refused = [f"--{size.replace('_', '-')}" for size, value in request.sizes.items() if value is not None]
    refused += [option for option, value in options.items() if value]
    if refused:
        raise AttncalcError(f"{', '.join(refused)}: {explanation}")


def search_of(problem: Problem, request: Request) -> AuthorFileSearch:
    """Return the search of a problem with draws. Raises AttncalcError for unknown requirements to relax."""
    if problem.draws is None:
        raise AttncalcError(f"{problem.name} has no random givens; expected a lesson, or a file with the key draw:")
    faults = Diagnostics()
    for code, place in [*problem.draws.relaxed, *((code, Location("--relax")) for code in request.relax)]:
        if code not in RELAXED:
            near = did_you_mean(code, RELAXED) or f"; the requirements are {', '.join(RELAXED)}"
            faults.add(f"relax: no requirement is called {shorten(code)!r}{near}", place)
    faults.raise_any()
    if request.digits is not None:
        _set_digits(problem.draws, request.digits)
    printed_digits = max(part.rounding.digits for part in problem.parts)
    relaxed = frozenset([code for code, _ in problem.draws.relaxed] + list(request.relax))
    digits = printed_digits if request.digits is None else request.digits
    recipe, command = Recipe({}, {}, problem.title), request._replace(lesson=os.path.basename(request.lesson)).command
    settings = (digits, request.seed, relaxed, request.margin, "", command)
    return AuthorFileSearch(problem, Specification(problem.name, recipe, {}, {}, None, {}, *settings))


def _set_digits(draws: Draws, digits: int) -> None:
    """Replace the number of decimals in the file's rounding."""
    rounding = draws.source.get("rounding")
    place = draws.source.place
    pairs = dict(rounding.pairs) if isinstance(rounding, Mapping) else {}
    pairs["digits"] = (Scalar("digits", place), Scalar(str(digits), place))
    draws.source = Mapping(draws.source.pairs | {"rounding": (Scalar("rounding", place), Mapping(pairs, place))}, place)
