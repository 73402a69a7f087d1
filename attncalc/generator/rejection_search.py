"""Rejection search: draws problems until they meet every requirement, and reports the number of draws or the
requirement that fails most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from math import inf
from statistics import median, pstdev

from ..arithmetic.budget import GiveUp, Meter, spending
from ..errors import AttncalcError
from ..lessons import LESSONS
from ..mistakes.step_analysis import StepAnalysis
from ..problem.entry_distributions import has_empty_line, kind
from ..problem.loader import build_problem
from ..problem.problem import Problem
from ..problem.python_input import Data, tree_of
from ..problem.random_stream import Stream
from .diagnosability import evidence
from .distinguishability import certify
from .draw_order import Retreat, Stage, stages_of
from .float_prefilter import Prefilter
from .lesson_recipes import SECOND, SENTENCES, sentence
from .numeric_view import NumericView
from .request import DEFAULT_ENTRIES, RELAXED, Specification
from .requirements import EARLY, LATE, SINGLE_REQUIREMENTS, findings, has_missing_entry, unsolvable_steps
from .search_result import Calibration, DrawnVariant, Tally, Texts, canonical, literal_of
from .workload import Cost, cost

MATRIX_TRIES = 50  # for one matrix
VARIANT_TRIES = 40_000  # givens drawn for one variant
OFTEN_NAMED = 0.25  # share of problems from which on every variant must have the evidence to name a mistake
CALIBRATION_TRIES, CALIBRATION_SAMPLE = 6_000, 15  # maximum of tries, and sample size of a calibration
SEARCH_SECONDS = 15  # of estimated work, for one variant with its calibration
# Estimated seconds of a drawn given and of each of its entries, of checking a stage, and of checking a whole problem;
# intervals are charged where they are computed
PER_GIVEN, PER_ENTRY, PER_STAGE, PER_PROBLEM = 1e-4, 4e-6, 2e-4, 5e-3
MEASURES = ("total", "difficulty")  # attributes of Cost: work and predicted difficulty
MAX_OUTLIERS = 200  # maximum of outliers rejected for one variant
WORKABLE = "workable"  # a requirement that cannot be relaxed


MAX_CALIBRATIONS = 64
_calibrations: dict[tuple[object, ...], Calibration] = {}


class Search:
    """Variants of one specification. Each has its own random stream, so variant 7 is identical alone and among 30."""

    def __init__(self, spec: Specification):
        self.spec = spec
        if spec.options:
            self.spec = self.without_unused_givens()
        self.tally = Tally()
        self.accepted_keys: set[int] = set()
        self.statics: list[Fraction | None] = []
        self.sites: dict[str, StepAnalysis] = {}
        first = Stream("attncalc", spec.lesson, "template")
        self.problem = _read(self.document(self.draw(first), self.words(first)))
        self.ignores_work = False  # True while draws have no work limit
        # ranges of work and difficulty, beyond which a draw is an outlier
        self.windows: dict[str, tuple[float, float]] = {}
        self.outliers = 0  # outliers rejected for the current variant
        self.stages = self.make_stages()
        self.prefilters: dict[int, Prefilter] = {}  # by stage number
        self.meter = Meter(SEARCH_SECONDS)  # of the current variant
        self.used_calibration: Calibration | None = None  # what the current variant has used

    def without_unused_givens(self) -> Specification:
        """Return the specification without the matrices that no step uses with these options."""
        recipe, stream = self.spec.recipe, Stream("attncalc", self.spec.lesson, "template")
        tree = tree_of(self.document(self.draw(stream), self.words(stream)))
        used = frozenset().union(*build_problem(tree, "", "problem", quiet=True).plan.dependencies.values())
        matrices = {name: matrix for name, matrix in recipe.matrices.items() if f"given:{name}" in used}
        return replace(self.spec, recipe=replace(recipe, matrices=matrices))

    # -- drawing -------------------------------------------------------------------------------------------------------

    def draw(self, stream: Stream) -> Texts:
        return {name: self.matrix(name, stream) for name in self.spec.recipe.matrices}

    def matrix(self, name: str, stream: Stream) -> list[list[str]]:
        """Return the texts of one matrix, n × m, with the entries of the recipe or of the specification."""
        matrix = self.spec.recipe.matrices[name]
        n, m = self.spec.size(matrix.rows), self.spec.size(matrix.columns)
        usual = matrix.entries if matrix.fixed or self.spec.entries is None else ""
        text = self.spec.entries_by_name.get(name) or usual
        word, _, rest = text.partition(" ")
        if word == "ids":
            return [[str(stream.below(self.spec.sizes[rest])) for _ in range(m)] for _ in range(n)]
        if word == "logarithms":
            low, high = map(int, rest.split(".."))
            return [[f"ln({stream.below(high - low + 1) + low})" for _ in range(m)] for _ in range(n)]
        entry_kind = kind(text) if text else self.spec.entries or kind(DEFAULT_ENTRIES)
        for _ in range(MATRIX_TRIES):
            rows = entry_kind.matrix(stream, n, m)
            if not has_empty_line(name, rows):
                break
        return rows

    def words(self, stream: Stream) -> dict[str, list[str]]:
        """Return the labels of the rows, for sizes with a sentence."""
        labels = {}
        pick = stream.below(60)
        for name, matrix in self.spec.recipe.matrices.items():
            table = {"sentence": SENTENCES, "second": SECOND}.get(matrix.words)
            words = sentence(table, self.spec.size(matrix.rows), pick) if table else None
            if words:
                labels[name] = words
        return labels

    def document(self, entries: Texts, words: dict[str, list[str]]) -> dict[str, Data]:
        """Return the problem as the data of a file."""
        spec = self.spec
        given: dict[str, Data] = {}
        for name, rows in entries.items():
            values: Data = rows if len(rows) > 1 else rows[0]
            given[name] = {"rows": words[name], "values": rows} if name in words else values
        arguments = spec.recipe.arguments | (spec.recipe.fixed(spec.sizes) if spec.recipe.fixed else {}) | spec.options
        data: dict[str, Data] = {"given": given, "rounding": {"digits": str(spec.digits)}}
        if spec.family == "contrast":
            ask = spec.recipe.ask[:-1]
            data["parts"] = {
                "free": {"ask": f"{ask}, without a mask.", spec.lesson: arguments | {"mask": "none"}},
                "masked": {"ask": f"{ask}, with the causal mask.", spec.lesson: arguments | {"mask": "causal"}},
            }
            return data
        return data | {"ask": spec.ask, spec.lesson: arguments}

    def title(self, number: int) -> str:
        """Return the title of a variant, in words."""
        return f"{LESSONS[self.spec.lesson].title}, variant {number}"

    def fill(self, entries: Texts, before: NumericView | None = None) -> NumericView:
        """Return a view of the problem with these entries; its plan is built once.

        `before` is a view without these entries, whose values are reused.
        """
        for given in self.problem.plan.givens:
            if given.name in entries:
                given.node = literal_of(given, entries[given.name])
                given.texts = tuple(map(tuple, entries[given.name]))
        statics = [given.node.static for given in self.problem.plan.givens]
        if statics != self.statics:  # a scalar may decide how formulas are read
            self.statics, self.sites = statics, {}
        if before is not None and before.sites is self.sites:
            return before.branch()
        view = NumericView(self.problem, sites=self.sites)
        view.nameless = lambda: self.calibration.nameless
        return view

    def make_stages(self) -> list[Stage]:
        """Return the order in which givens are drawn, each with the steps that it determines."""
        return stages_of(self.problem.plan, list(self.spec.recipe.matrices), NumericView(self.problem).steps)

    def codes_without_name(self, variant: DrawnVariant) -> list[str]:
        """Return the mistakes that show in a variant but never change enough entries to be named."""
        visible = {(v.code, v.step) for v in variant.certificate.verdicts if v.kind == "separated"}
        try:
            nameless = self.calibration.nameless
        except GiveUp:
            raise AttncalcError(self.failure_message(Tally())) from None
        nameable = {code for code, step in visible - nameless}
        return sorted({code for code, step in visible & nameless} - nameable)

    # -- judging -------------------------------------------------------------------------------------------------------

    def variants(self, count: int) -> Iterator[DrawnVariant]:
        """Yield variants 1 to `count`. Raises AttncalcError where no draw meets the requirements."""
        for number in range(1, count + 1):
            yield self.variant(number)

    def variant(self, number: int) -> DrawnVariant:
        """Return the variant of a number, identical alone and among others. Raises AttncalcError after VARIANT_TRIES
        givens, and after SEARCH_SECONDS of estimated work.
        """
        stream = Stream("attncalc", self.spec.seed, self.spec.lesson, number)
        words = self.words(stream)
        tally, self.outliers = Tally(), 0
        self.meter, self.used_calibration = Meter(SEARCH_SECONDS), None
        with suppress(GiveUp), spending(self.meter):
            if "work" not in self.spec.relaxed:
                self.used_calibration = self.shared_calibration()
            while drawn := self.draw_problem(stream, tally, VARIANT_TRIES):
                view, entries = drawn
                self.meter.spend(PER_PROBLEM)
                fault = self.fault(view, entries)
                self.meter.spend(0)
                if fault is None:
                    self.tally.accepted += 1
                    self.tally.failed.update(tally.failed)
                    self.tally.redraws.update(tally.redraws)
                    return DrawnVariant(number, entries, words, certify(view), cost(view), tally.draws + 1)
                tally.failed[fault] += 1
        raise AttncalcError(self.failure_message(tally))

    def draw_problem(self, stream: Stream, tally: Tally, most: int) -> tuple[NumericView, Texts] | None:
        """Return a view and the entries of a problem, given by given, or None after `most` faults.

        Each given is redrawn until its stage passes. After too many failures earlier givens are redrawn as well
        (`Retreat`).
        """
        prefix: list[tuple[NumericView, Texts]] = []
        retreat = Retreat()
        while len(prefix) < len(self.stages):
            if tally.faults >= most:
                return None
            stage = self.stages[len(prefix)]
            texts = {name: self.matrix(name, stream) for name in stage.drawn}
            self.meter.spend(sum(PER_GIVEN + PER_ENTRY * len(rows) * len(rows[0]) for rows in texts.values()))
            before = prefix[-1][0] if prefix else None
            fault = self.prefilter_fault(len(prefix), texts, before)
            if fault is None:
                self.meter.spend(PER_STAGE)
                view = self.fill(texts, before)
                fault = self.stage_fault(view, stage)
            if fault is None:
                prefix.append((view, texts))
                retreat.advance(len(prefix))
            else:
                tally.redraws[fault] += 1
                del prefix[retreat.backtrack(len(prefix)) :]
        return view, {name: rows for _, texts in prefix for name, rows in texts.items()}

    def prefilter_fault(self, turn: int, drawn: Texts, before: NumericView | None) -> str | None:
        """Return the requirement that a draw certainly fails in this stage, before filling it in; None if undecided."""
        if turn not in self.prefilters:
            self.prefilters[turn] = Prefilter(NumericView(self.problem), self.stages, turn, self.spec.relaxed)
        return self.prefilters[turn].fault(drawn, before)

    def stage_fault(self, view: NumericView, stage: Stage) -> str | None:
        """Return the first requirement that a stage's givens and steps fail, or None."""
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
        """True if the work is within the margin of the target and the problem is no screened outlier."""
        if self.ignores_work:
            return True
        draw_cost, target = cost(view), self.calibration.target
        if abs(draw_cost.total - target) > self.spec.margin * target:
            return False
        is_inside = all(low <= getattr(draw_cost, name) <= high for name, (low, high) in self.windows.items())
        self.outliers += not is_inside
        return is_inside or self.outliers > MAX_OUTLIERS

    def sample_costs(self, count: int) -> Iterator[Cost]:
        """Yield the costs of up to `count` draws without a work limit."""
        stream = Stream("attncalc", self.spec.seed, self.spec.lesson, "unscreened")
        with self.without_work_limit(), suppress(GiveUp), self.metered(Meter(SEARCH_SECONDS)):
            for _ in range(count):
                if drawn := self.draw_problem(stream, Tally(), VARIANT_TRIES):
                    yield cost(drawn[0])

    @contextmanager
    def metered(self, meter: Meter) -> Iterator[None]:
        """Spend the estimated work of draws within the context from this meter; GiveUp is raised if they need more."""
        before, self.meter = self.meter, meter
        try:
            with spending(meter):
                yield
        finally:
            self.meter = before

    @contextmanager
    def without_work_limit(self) -> Iterator[None]:
        """Lift the work limit within the context."""
        self.ignores_work = True
        try:
            yield
        finally:
            self.ignores_work = False

    def screen(self, width: float) -> None:
        """Reject draws more than `width` standard deviations from the median in work or predicted difficulty.

        After MAX_OUTLIERS rejections a variant is taken all the same. Nothing is screened if the specification relaxes
        work. Raises AttncalcError if the calibration needs more work than a variant may have.
        """
        if "work" in self.spec.relaxed:
            return
        try:
            with self.metered(Meter(SEARCH_SECONDS)):
                sample = self.calibration.sample
        except GiveUp:
            raise AttncalcError(self.failure_message(Tally())) from None
        if len(sample) < CALIBRATION_SAMPLE:
            return
        for name in MEASURES:
            values = [getattr(draw_cost, name) for draw_cost in sample]
            center, radius = median(values), width * pstdev(values)
            self.windows[name] = center - radius, center + radius

    def fault(self, view: NumericView, entries: Texts) -> str | None:
        """Return the first requirement on whole problems that a draw fails, or None. Accepted problems have been
        solved.
        """
        relaxed = self.spec.relaxed
        for skipped in (EARLY | {"named"}, EARLY | LATE - {"named"}):  # naming takes the marker longest
            failures = findings(view, relaxed | skipped, all_of_them=False)
            if failures:
                return failures[0].demand
        key = canonical(entries)
        if key in self.accepted_keys and "duplicates" not in relaxed:
            return "duplicates"
        if unsolvable_steps(self.problem):
            return WORKABLE
        self.accepted_keys.add(key)
        return None

    def failure_message(self, tally: Tally) -> str:
        """Return a message with the requirement that complete problems, or else attempts, failed most."""
        total = tally.faults
        if not total:
            return f"attncalc found no problem within an estimated {SEARCH_SECONDS} s; use smaller sizes"
        # Givens are drawn again until they fit, so the requirement that complete problems lack is decisive
        decisive, of_what = (tally.failed, "complete problems") if tally.failed else (tally.redraws, "attempts")
        code, count = decisive.most_common(1)[0]
        share = f"{100 * count / decisive.total():.0f} % of the {of_what}"
        failing = f"{share} did not meet the requirement `{code}` ({self.reasons[code]})"
        budget = "" if total >= VARIANT_TRIES else f" in an estimated {SEARCH_SECONDS} s"
        message = f"attncalc found no problem in {total:,} attempts{budget}: {failing}"
        message += "; try different entries, sizes or digits"
        return message + (f", or use --relax {code}" if code in RELAXED else "")

    @property
    def reasons(self) -> dict[str, str]:
        """Sentences about each requirement."""
        others = {"work": "the work for a student is close to the median", "duplicates": "no two variants are equal"}
        return {d.code: d.says for d in SINGLE_REQUIREMENTS} | others | {WORKABLE: "every step has a value"}

    @property
    def calibration(self) -> Calibration:
        """Calibration of this kind of problem, computed on first use, because draws without a work limit need none.

        Each variant that uses the calibration spends its work, so that every variant is identical alone and among
        others. Raises GiveUp if the variant has too little work left.
        """
        if self.used_calibration is None:
            self.used_calibration = self.shared_calibration()
        return self.used_calibration

    def shared_calibration(self) -> Calibration:
        """Return the calibration, shared by all searches of a kind. A separate search computes it, since a draw may be
        under way.
        """
        kind = self.spec.draws
        if kind in _calibrations:
            self.meter.spend(_calibrations[kind].seconds)
            return _calibrations[kind]
        calibration = Search(self.spec).calibrate(self.meter)
        self.meter.spend(0)  # a calibration that the meter has ended is not kept
        if len(_calibrations) == MAX_CALIBRATIONS:
            _calibrations.clear()
        _calibrations[kind] = calibration
        return calibration

    def calibrate(self, whole: Meter) -> Calibration:
        """Return statistics of draws that meet the cheap requirements. Their work is also spent from the meter `whole`.

        A calibration has half of a variant's work, and the other half in equal shares, one for each problem of the
        sample. A calibration that cannot be completed thus ends early, and leaves work for the variant.
        """
        stream = Stream("attncalc", self.spec.lesson, "calibration")
        sample: list[Cost] = []
        visible_counts: Counter[tuple[str, str]] = Counter()  # number of problems that show a mistake
        conclusive: Counter[tuple[str, str]] = Counter()  # number of those with the evidence to name it
        tally, meter, before = Tally(), Meter(SEARCH_SECONDS / 2, whole), whole.left
        with self.without_work_limit(), suppress(GiveUp), self.metered(meter):
            while len(sample) < CALIBRATION_SAMPLE and (drawn := self.draw_problem(stream, tally, CALIBRATION_TRIES)):
                sample.append(cost(drawn[0]))
                meter.left += SEARCH_SECONDS / 2 / CALIBRATION_SAMPLE
                is_markable = not findings(drawn[0], EARLY | LATE - {"weak"}, all_of_them=False)
                for mistake, is_conclusive in evidence(drawn[0]) if is_markable else ():
                    visible_counts[mistake] += 1
                    conclusive[mistake] += is_conclusive
        with self.metered(Meter(inf)):
            targets = [draw_cost.total for draw_cost in sample] or [cost(self.fill(self.draw(stream))).total]
        nameless = (mistake for mistake, count in visible_counts.items() if conclusive[mistake] < OFTEN_NAMED * count)
        return Calibration(median(targets), tuple(sample), frozenset(nameless), before - whole.left)


def rebuild(search: Search, variant: DrawnVariant) -> Problem:
    """Return the problem of a variant, with its title."""
    problem = _read(search.document(variant.entries, variant.words))
    return replace(problem, title=search.title(variant.number))


def _read(document: dict[str, Data]) -> Problem:
    """Return a drawn problem. Its places mean nothing to the author, so whoever has the author's text sends its
    warnings.
    """
    return build_problem(tree_of(document), "", str(document.get("title", "problem")), quiet=True)
