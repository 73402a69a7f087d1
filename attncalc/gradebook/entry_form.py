"""The table of a class to fill in: a column for each entry, a line for each student, and a tab for each question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from .. import limits
from ..errors import AttncalcError, Diagnostic, counted, did_you_mean, shorten, warn
from ..exam.sheet.model import Student
from ..explain.point_format import points
from ..plan import Step
from ..problem.problem import Part, Problem
from .answer_key import Key, KeyVariant
from .masked_prefill import hidden_entries

_QUESTION = re.compile(r"q([0-9]+)(?:_(.+))?")


@dataclass(frozen=True, slots=True)
class Entry:
    """One column of a form: its key in `grade`, its step, its position and the labels there."""

    key: str
    step: str
    row: int
    column: int
    shape: tuple[int, int]
    row_label: str = ""
    column_label: str = ""
    most: str = ""  # of points by hand
    letters: str = ""  # to be ticked

    @property
    def limits(self) -> str:
        """What may be typed for a question that is ticked or marked by hand."""
        return f"points, at most {self.most}" if self.most else f"letters, {self.letters[0]} to {self.letters[-1]}"

    @property
    def is_number(self) -> bool:
        """True for a matrix entry; False for a question that is ticked or marked by hand."""
        return not (self.most or self.letters)


@dataclass(slots=True)
class Tab:
    """The columns of one question."""

    title: str
    entries: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Line:
    """One student and paper. `cells` maps each required entry to its prefilled text."""

    student: str
    name: str
    code: str
    cells: dict[str, str]


@dataclass(slots=True)
class Form:
    """A table for typing the answers of a class."""

    title: str
    tabs: list[Tab]
    lines: list[Line]
    has_variants: bool = False  # so that each paper's code is asked for, also where none is known yet

    @property
    def keys(self) -> dict[str, Entry]:
        return {entry.key: entry for tab in self.tabs for entry in tab.entries}

    @property
    def has_names(self) -> bool:
        """True if the name of some student is known."""
        return any(line.name for line in self.lines)

    @property
    def has_codes(self) -> bool:
        return self.has_variants or any(line.code for line in self.lines)


@dataclass(slots=True)
class Paper:
    """The required entries of one variant, in the order of its problem, and their prefilled texts."""

    entries: dict[str, tuple[str, Entry]]  # by their names, with the title of the tab
    cells: dict[str, str]

    def tabs(self) -> list[Tab]:
        """Return the questions of this paper as tabs with its labels."""
        return _tabs([self])


def form_of(key: Key, students: Sequence[Student] = (), parts: Iterable[str] = ()) -> Form:
    """Return the entry form of a key, for `students` or else those of the key, limited to `parts` if given. Raises
    AttncalcError if nothing is asked, or too many entries.
    """
    papers = {variant.code: paper_of(key, variant, set(parts)) for variant in key.variants}
    tabs = _tabs(papers.values())
    if not tabs:
        raise AttncalcError("nothing is asked in this problem; list the steps under `asked:`")
    lines = list(_lines(key, papers, students))
    width = sum(len(tab.entries) for tab in tabs)
    if width > limits.FORM.most:
        raise AttncalcError(limits.FORM.exceeded(width))
    if width * len(lines) > limits.CLASS_FORM.most:
        raise AttncalcError(limits.CLASS_FORM.exceeded(width * len(lines)))
    return Form(key.title, tabs, lines, len(key.variants) > 1)


def paper_of(key: Key, variant: KeyVariant, only: set[str]) -> Paper:
    """Return the required entries of a variant, in the parts `only` if given. Raises AttncalcError for unknown ones."""
    problem = key.problem(variant)
    known = [part.name for part in problem.parts if part.name]
    for name in sorted(only - set(known)):
        near = did_you_mean(name, known) or (
            f"; the parts are {', '.join(known)}" if known else "; the problem has one part, without a name"
        )
        raise AttncalcError(f"--part: no part is called {shorten(name)!r}{near}")
    parts = [part for part in problem.parts if not only or part.name in only]
    if (count := sum(1 for part in parts for _ in asked_entries(part))) > limits.FORM.most:
        raise AttncalcError(limits.FORM.exceeded(count))
    hidden = hidden_entries(problem)
    entries: dict[str, tuple[str, Entry]] = {}
    cells: dict[str, str] = {}
    for part in parts:
        for step, i, j in asked_entries(part):
            entry = _entry(step, i, j)
            entries[entry.key] = _tab_title(part), entry
            cells[entry.key] = hidden.get(step.key, {}).get((i, j), "")
    for question in variant.questions if not only else ():
        most, letters = "" if question.is_ticked else points(question.most_by_hand), "".join(question.letters)
        entry = Entry(question.name, question.name, 0, 0, (1, 1), most=most, letters=letters)
        entries[question.name] = f"Question {question.name[1:]}", entry
        cells[question.name] = ""
    return Paper(entries, cells)


def places(problem: Problem) -> list[str]:
    """Return the column names of the entries that a problem asks for."""
    return list(dict.fromkeys(_entry(step, i, j).key for part in problem.parts for step, i, j in asked_entries(part)))


def asked_entries(part: Part) -> Iterator[tuple[Step, int, int]]:
    """Yield (step, row, column) of each entry that a part asks for, with repetitions."""
    for asked in part.asked:
        if step := part.plan.step(asked.step):
            rows, columns = (
                range(side) if some is None else some
                for side, some in zip(step.shape, (asked.rows, asked.columns), strict=True)
            )
            yield from ((step, i, j) for i in rows for j in columns)


def _entry(step: Step, i: int, j: int) -> Entry:
    row, column = (labels[k] if labels else "" for labels, k in zip(step.blank_labels, (i, j), strict=True))
    return Entry(f"{step.key}[{i},{j}]", step.name, i, j, step.shape, row, column)


def _tab_title(part: Part) -> str:
    """Return the title of a part's tab: `Question 2` for the parts q2_masked and q2_cross of an exam, else its name."""
    question = _QUESTION.fullmatch(part.name or "")
    return f"Question {question[1]}" if question else part.name or "Answers"


def _tabs(papers: Iterable[Paper]) -> list[Tab]:
    """Return the columns of all papers without repetition; labels that differ between papers are omitted."""
    tabs: dict[str, dict[str, Entry]] = {}
    for paper in papers:
        for name, (title, entry) in paper.entries.items():
            tab = tabs.setdefault(title, {})
            before = tab.get(name, entry)
            tab[name] = before if before == entry else _merge_labels(before, entry)
    return [
        Tab(title, _in_order(tab.values())) for title, tab in sorted(tabs.items(), key=lambda item: _number(item[0]))
    ]


def _merge_labels(a: Entry, b: Entry) -> Entry:
    row = a.row_label if a.row_label == b.row_label else ""
    column = a.column_label if a.column_label == b.column_label else ""
    shape = max(a.shape[0], b.shape[0]), max(a.shape[1], b.shape[1])
    return replace(a, shape=shape, row_label=row, column_label=column)


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Sort entries by step, row and column, also if papers differ in size."""
    entry_list = list(entries)
    first: dict[str, int] = {}
    for k, entry in enumerate(entry_list):
        first.setdefault(entry.key.partition("[")[0], k)
    return sorted(entry_list, key=lambda entry: (first[entry.key.partition("[")[0]], entry.row, entry.column))


def _number(title: str) -> int:
    """Return the number of a question as a sort key; 0 for other titles."""
    return int(title.removeprefix("Question ")) if title.removeprefix("Question ").isdigit() else 0


def _lines(key: Key, papers: dict[str, Paper], students: Sequence[Student]) -> Iterable[Line]:
    names = {student.number.casefold(): student.name for student in students}
    owned = [variant for variant in key.variants if variant.student]
    if not students or owned:
        for variant in key.variants:
            student = variant.student or ""
            yield Line(student, names.get(student.casefold(), ""), variant.code, papers[variant.code].cells)
    known = {(variant.student or "").casefold() for variant in owned}
    others = [student for student in students if student.number.casefold() not in known]
    if owned and others:
        listed = shorten(", ".join(student.number for student in others), 200)
        message = (
            f"warning: the key has no paper for {counted(len(others), 'student')} on the class list ({listed}); type "
            "the codes of the papers that they used"
        )
        warn([Diagnostic(message)])
    common = _common_cells(list(papers.values())) if others else {}
    single = key.variants[0].code if len(key.variants) == 1 else ""
    yield from (Line(student.number, student.name, single, dict(common)) for student in others)


def _common_cells(papers: list[Paper]) -> dict[str, str]:
    """Return the entries of a paper with an unknown code; prefilled are the texts common to all papers."""
    names = dict.fromkeys(name for paper in papers for name in paper.cells)
    filled = {name: {paper.cells.get(name) for paper in papers} for name in names}
    return {name: next(iter(texts)) or "" if len(texts) == 1 else "" for name, texts in filled.items()}
