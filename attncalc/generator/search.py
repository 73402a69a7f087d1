"""Draws problems until they meet every demand, and says how many draws that took, or which demand stands in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from statistics import median, pstdev

from ..api import load
from ..errors import AttncalcError
from ..mistakes.site import StepAnalysis
from ..problem.entries import has_empty_line, kind
from ..problem.model import Problem
from ..problem.stream import Stream
from .certificate import certify
from .cost import Cost, cost
from .drawn import Calibration, DrawnVariant, Tally, Texts
from .quality import DEMANDS, EARLY, LATE, findings
from .recipe import SECOND, SENTENCES, sentence
from .rough import Prefilter
from .specification import DEFAULT_ENTRIES, RELAXED, Specification
from .stages import Retreat, Stage, stages_of
from .texts import canonical, literal_of
from .told import evidence
from .view import NumericView
from .workable import faults, has_missing_entry

MATRIX_TRIES = 50  # for one matrix
VARIANT_TRIES = 40_000  # givens drawn for one variant
OFTEN_NAMED = 0.25  # of the problems that show a mistake, from which on each has to have the evidence for its name
CALIBRATION_TRIES, CALIBRATION_SAMPLE = 6_000, 15  # tries at most, and how many problems set what a variant may cost
MEASURES = ("total", "difficulty")  # of a Cost: its work, and what may go wrong
MAX_OUTLIERS = 200  # draws of one variant that are screened out
WORKABLE = "workable"  # a demand that nothing relaxes


MAX_CALIBRATIONS = 64
_calibrations: dict[tuple[object, ...], Calibration] = {}


class Search:
    """Variants of one specification, each from a stream of its own, so that variant 7 is the same alone or among 30."""

    def __init__(self, spec: Specification):
        self.spec = spec
        self.tally = Tally()
        self.seen: set[int] = set()
        self.statics: list[Fraction | None] = []
        self.sites: dict[str, StepAnalysis] = {}
        first = Stream("attncalc", spec.lesson, "template")
        self.problem = load(self.document(self.draw(first), self.words(first)))
        self.ignores_work = False  # of the work that others take
        self.windows: dict[str, tuple[float, float]] = {}  # of work and difficulty, beyond which a draw is an outlier
        self.outliers = 0  # of the variant that is drawn
        self.stages = self.staged()
        self.prefilters: dict[int, Prefilter] = {}  # of the stages, by their places

    # -- drawing -------------------------------------------------------------------------------------------------------

    def draw(self, stream: Stream) -> Texts:
        """The texts of all matrices from a stream of bits."""
        return {name: self.matrix(name, stream) for name in self.spec.recipe.matrices}

    def matrix(self, name: str, stream: Stream) -> list[list[str]]:
        """The texts of one matrix, n × m, of the kind that the recipe or the specification says."""
        matrix = self.spec.recipe.matrices[name]
        n, m = self.spec.size(matrix.rows), self.spec.size(matrix.columns)
        text = self.spec.entries_by_name.get(name) or (
            matrix.entries if matrix.fixed or self.spec.entries is None else ""
        )
        word, _, rest = text.partition(" ")
        if word == "ids":
            return [[str(stream.below(self.spec.sizes[rest])) for _ in range(m)] for _ in range(n)]
        if word == "logarithms":
            low, high = map(int, rest.split(".."))
            return [[f"ln({stream.below(high - low + 1) + low})" for _ in range(m)] for _ in range(n)]
        drawn = kind(text) if text else self.spec.entries or kind(DEFAULT_ENTRIES)
        for _ in range(MATRIX_TRIES):
            rows = drawn.matrix(stream, n, m)
            if not has_empty_line(name, rows):
                break
        return rows

    def words(self, stream: Stream) -> dict[str, list[str]]:
        """The words of the rows, for sizes that have a sentence."""
        labels = {}
        pick = stream.below(60)
        for name, matrix in self.spec.recipe.matrices.items():
            table = {"sentence": SENTENCES, "second": SECOND}.get(matrix.words)
            words = sentence(table, self.spec.size(matrix.rows), pick) if table else None
            if words:
                labels[name] = words
        return labels

    def document(self, entries: Texts, words: dict[str, list[str]]) -> dict[str, object]:
        """The problem as a file holds it."""
        spec = self.spec
        given: dict[str, object] = {}
        for name, rows in entries.items():
            values: object = rows if len(rows) > 1 else rows[0]
            given[name] = {"rows": words[name], "values": rows} if name in words else values
        arguments = spec.recipe.arguments | (spec.recipe.fixed(spec.sizes) if spec.recipe.fixed else {}) | spec.options
        data: dict[str, object] = {"given": given, "rounding": {"digits": str(spec.digits)}}
        if spec.family == "contrast":
            data["parts"] = {
                "free": {"ask": f"{spec.recipe.ask[:-1]}, without a mask.", spec.lesson: arguments | {"mask": "none"}},
                "masked": {
                    "ask": f"{spec.recipe.ask[:-1]}, with the causal mask.",
                    spec.lesson: arguments | {"mask": "causal"},
                },
            }
            return data
        return data | {"ask": spec.ask, spec.lesson: arguments}

    def fill(self, entries: Texts, before: NumericView | None = None) -> NumericView:
        """The problem with these entries, the others as they are; its plan is built once, since only numbers change.

        `before` has seen the problem without these entries, and what it worked out stands.
        """
        for given in self.problem.plan.givens:
            if given.name in entries:
                given.node = literal_of(given, entries[given.name])
                given.texts = tuple(map(tuple, entries[given.name]))
        statics = [given.node.static for given in self.problem.plan.givens]
        if statics != self.statics:  # a number alone may decide how formulas are read
            self.statics, self.sites = statics, {}
        if before is not None and before.sites is self.sites:
            return before.branch()
        view = NumericView(self.problem, sites=self.sites)
        view.nameless = lambda: self.calibration.nameless
        return view

    def staged(self) -> list[Stage]:
        """The order in which givens are drawn, each with the steps that it settles."""
        return stages_of(self.problem.plan, list(self.spec.recipe.matrices), NumericView(self.problem).steps)

    def codes_without_name(self, variant: DrawnVariant) -> list[str]:
        """The mistakes that a variant shows, but that change too few entries for a name in problems of this kind."""
        shown = {(v.code, v.step) for v in variant.certificate.verdicts if v.kind == "separated"}
        nameless = self.calibration.nameless
        named = {code for code, step in shown - nameless}
        return sorted({code for code, step in shown & nameless} - named)

    # -- judging -------------------------------------------------------------------------------------------------------

    def variants(self, count: int) -> Iterator[DrawnVariant]:
        """Variants 1 to `count`. Raises AttncalcError where no draw meets the demands."""
        for number in range(1, count + 1):
            yield self.variant(number)

    def variant(self, number: int) -> DrawnVariant:
        """The variant of a number, which is the same alone and among others. Raises AttncalcError after VARIANT_TRIES
        givens.
        """
        stream = Stream("attncalc", self.spec.seed, self.spec.lesson, number)
        words = self.words(stream)
        tally, self.outliers = Tally(), 0
        while drawn := self.drawn(stream, tally, VARIANT_TRIES):
            view, entries = drawn
            fault = self.fault(view, entries)
            if fault is None:
                self.tally.accepted += 1
                self.tally.failed.update(tally.failed)
                self.tally.redraws.update(tally.redraws)
                return DrawnVariant(number, entries, words, certify(view), cost(view), tally.draws + 1)
            tally.failed[fault] += 1
        raise AttncalcError(self.failure_message(tally.failed + tally.redraws))

    def drawn(self, stream: Stream, tally: Tally, most: int) -> tuple[NumericView, Texts] | None:
        """A whole problem: givens drawn one after the other, each until what it settles is sound; None after `most`
        faults in all.

        Where one given was drawn in vain so often that it is given up, those before it are drawn again (`Retreat`).
        """
        prefix: list[tuple[NumericView, Texts]] = []
        retreat = Retreat()
        while len(prefix) < len(self.stages):
            if tally.faults >= most:
                return None
            stage = self.stages[len(prefix)]
            texts = {name: self.matrix(name, stream) for name in stage.drawn}
            before = prefix[-1][0] if prefix else None
            fault = self.glance(len(prefix), texts, before)
            if fault is None:
                view = self.fill(texts, before)
                fault = self.early(view, stage)
            if fault is None:
                prefix.append((view, texts))
                retreat.advance(len(prefix))
            else:
                tally.redraws[fault] += 1
                del prefix[retreat.backtrack(len(prefix)) :]
        return view, {name: rows for _, texts in prefix for name, rows in texts.items()}

    def glance(self, turn: int, drawn: Texts, before: NumericView | None) -> str | None:
        """The same as `early` for a draw that surely fails, before it is filled in; None where that is not sure."""
        if turn not in self.prefilters:
            self.prefilters[turn] = Prefilter(NumericView(self.problem), self.stages, turn, self.spec.relaxed)
        return self.prefilters[turn].fault(drawn, before)

    def early(self, view: NumericView, stage: Stage) -> str | None:
        """The first demand that is not met by what a stage settles, step by step; what tells mistakes apart is asked of
        whole problems.
        """
        relaxed, restricted = self.spec.relaxed | LATE, view.restrict([], [])
        for restricted.givens, restricted.steps in ((stage.givens, []), *(([], [step]) for step in stage.steps)):
            if has_missing_entry(restricted):
                return WORKABLE
            failures = findings(restricted, relaxed, all_of_them=False)
            if failures:
                return failures[0].demand
        is_last = stage is self.stages[-1] and "work" not in self.spec.relaxed
        return "work" if is_last and not self.is_fair(view) else None

    def is_fair(self, view: NumericView) -> bool:
        """Whether a problem takes as much work as the others, within the margin, and is no outlier where those are
        screened out.
        """
        if self.ignores_work:
            return True
        draw_cost, target = cost(view), self.calibration.target
        if abs(draw_cost.total - target) > self.spec.margin * target:
            return False
        is_inside = all(low <= getattr(draw_cost, name) <= high for name, (low, high) in self.windows.items())
        self.outliers += not is_inside
        return is_inside or self.outliers > MAX_OUTLIERS

    def sample_costs(self, count: int) -> Iterator[Cost]:
        """What so many draws cost that meet the demands step by step and are held to no work."""
        stream = Stream("attncalc", self.spec.seed, self.spec.lesson, "unscreened")
        with self.without_work_limit():
            for _ in range(count):
                if drawn := self.drawn(stream, Tally(), VARIANT_TRIES):
                    yield cost(drawn[0])

    @contextmanager
    def without_work_limit(self) -> Iterator[None]:
        """Meanwhile draws are held to no work."""
        self.ignores_work = True
        try:
            yield
        finally:
            self.ignores_work = False

    def screen(self, width: float) -> None:
        """Screens out draws that differ from the middle by more than `width` standard deviations in work or in
        predicted difficulty.

        Where there are few such draws, others are taken after MAX_OUTLIERS. What the specification relaxes as work is
        not screened.
        """
        if "work" in self.spec.relaxed or len(self.calibration.sample) < CALIBRATION_SAMPLE:
            return
        for name in MEASURES:
            values = [getattr(draw_cost, name) for draw_cost in self.calibration.sample]
            center, radius = median(values), width * pstdev(values)
            self.windows[name] = center - radius, center + radius

    def fault(self, view: NumericView, entries: Texts) -> str | None:
        """The first demand on a whole problem that a draw does not meet. What is kept has been solved."""
        relaxed = self.spec.relaxed
        for skipped in (EARLY | {"named"}, EARLY | LATE - {"named"}):  # a name takes the marker longest
            failures = findings(view, relaxed | skipped, all_of_them=False)
            if failures:
                return failures[0].demand
        key = canonical(entries)
        if key in self.seen and "duplicates" not in relaxed:
            return "duplicates"
        if faults(self.problem):
            return WORKABLE
        self.seen.add(key)
        return None

    def failure_message(self, failed: Counter[str]) -> str:
        """Which demand stands in the way, and what to relax."""
        code, count = failed.most_common(1)[0]
        total = sum(failed.values())
        failing = f"{100 * count / total:.0f} % of them miss the requirement `{code}` ({self.reasons[code]})"
        message = f"no such problem was found in {total:,} tries: {failing}; other entries, sizes or digits may meet it"
        return message + (f", and --relax {code} drops it" if code in RELAXED else "")

    @property
    def reasons(self) -> dict[str, str]:
        """Each demand in words."""
        other_reasons = {
            "work": "as much work as the other variants",
            "duplicates": "no variant twice",
            WORKABLE: "every step has a value",
        }
        return {d.code: d.says for d in DEMANDS} | other_reasons

    @cached_property
    def calibration(self) -> Calibration:
        """How problems of this kind are, found out when it is first asked for: most draws that are held to no work need
        not know it.
        """
        return self.calibrated()

    def calibrated(self) -> Calibration:
        """The same, found out once for all searches of a kind, and by one of its own, since a draw may be under way."""
        kind = self.spec.draws
        if kind not in _calibrations:
            if len(_calibrations) == MAX_CALIBRATIONS:
                _calibrations.clear()
            _calibrations[kind] = Search(self.spec).calibrate()
        return _calibrations[kind]

    def calibrate(self) -> Calibration:
        """How draws are that meet the cheap demands."""
        stream = Stream("attncalc", self.spec.lesson, "calibration")
        sample: list[Cost] = []
        shown: Counter[tuple[str, str]] = Counter()  # how many problems show a mistake
        conclusive: Counter[tuple[str, str]] = Counter()  # and have the evidence for its name
        tally = Tally()
        with self.without_work_limit():
            while len(sample) < CALIBRATION_SAMPLE and (drawn := self.drawn(stream, tally, CALIBRATION_TRIES)):
                sample.append(cost(drawn[0]))
                for mistake, is_conclusive in evidence(drawn[0]):
                    shown[mistake] += 1
                    conclusive[mistake] += is_conclusive
        target = median(draw_cost.total for draw_cost in sample) if sample else cost(self.fill(self.draw(stream))).total
        nameless = frozenset(mistake for mistake, count in shown.items() if conclusive[mistake] < OFTEN_NAMED * count)
        return Calibration(target, tuple(sample), nameless)


def rebuild(search: Search, variant: DrawnVariant) -> Problem:
    """A variant as a problem of its own."""
    return load(search.document(variant.entries, variant.words))
