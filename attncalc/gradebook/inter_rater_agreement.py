"""Two graders of the same scripts: where they differ, and how much they agree, in exact fractions.

Cohen's kappa is (p_o − p_e) / (1 − p_e): p_o is the share of marks on which both agree, p_e the share on which two
graders would agree who give each mark as often as these two and look at nothing (J. Cohen, Educational and
Psychological Measurement 20, 1960). The weighted kappa counts a difference by its size, 1 − Σ|a − b| / Σ Σ|a − b|, the
lower sum over all pairs of their marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm

from ..errors import AttncalcError, Diagnostics, Location, counted, listed, shorten
from ..explain.document import Block, Document, Heading, Paragraph, Table
from ..explain.point_format import decimal, parse_points, points
from ..limits import COMMON_DENOMINATOR
from ..problem.yaml_file.nodes import Mapping, Scalar, Sequence, kind
from ..problem.yaml_file.yaml_reader import read_yaml
from ..safe_files import as_json
from ..submissions.located_text import Written
from .overrides import YAML, table_of, text_of
from .student_numbers import match_students

ABOUT = ("student", "file", "variant", "status", "marks", "out_of", "grade", "first_wrong", "codes", "remarks", "name",
    "reason")  # fmt: skip
MOST_LISTED, MOST_NAMED = 200, 5  # on a terminal

Item = tuple[str, str]  # a student and a step
Marks = dict[Item, Fraction]


@dataclass
class Agreement:
    """The marks of two graders for the same students and steps, and those of only one; `per_step` has each step."""

    first: str
    second: str
    both: dict[Item, tuple[Fraction, Fraction]]
    only: tuple[list[Item], list[Item]]
    per_step: dict[str, Agreement] = field(default_factory=dict)

    @cached_property
    def different(self) -> list[tuple[Item, Fraction, Fraction]]:
        """All differing marks, the largest differences first."""
        differences = [(item, a, b) for item, (a, b) in self.both.items() if a != b]
        return sorted(differences, key=lambda difference: (-abs(difference[1] - difference[2]), difference[0]))

    @property
    def agreed(self) -> Fraction | None:
        """Share of equal marks; None without common marks."""
        return Fraction(len(self.both) - len(self.different), len(self.both)) if self.both else None

    @property
    def absolute(self) -> Fraction | None:
        """The mean absolute difference, in points."""
        return sum((abs(a - b) for a, b in self.both.values()), Fraction(0)) / len(self.both) if self.both else None

    @property
    def bias(self) -> Fraction | None:
        """Mean of the second grader's points minus the first's."""
        return sum((b - a for a, b in self.both.values()), Fraction(0)) / len(self.both) if self.both else None

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's kappa; None if chance agreement is 1 (both give a single mark)."""
        if not self.both:
            return None
        first, second = self._counts()
        chance = Fraction(sum(first[mark] * second[mark] for mark in first), len(self.both) ** 2)
        return None if chance == 1 else ((self.agreed or Fraction(0)) - chance) / (1 - chance)

    @property
    def weighted_kappa(self) -> Fraction | None:
        """Kappa with differences weighted by their size."""
        first, second = self._counts()
        chance = _all_distances(first, second)
        seen = sum((abs(a - b) for a, b in self.both.values()), Fraction(0))
        return 1 - seen * len(self.both) / chance if chance else None

    def _counts(self) -> tuple[Counter[Fraction], Counter[Fraction]]:
        return Counter(a for a, _ in self.both.values()), Counter(b for _, b in self.both.values())


def compare(first: str, second: str) -> Agreement:
    """Compare two files of marks: overrides (student, step, marks) or tables with a column for each step. Students are
    matched also without leading zeros, and have those of the answer key, which one of the files has. Raises
    AttncalcError.
    """
    faults = Diagnostics()
    read: list[Marks] = []
    for path in (first, second):
        try:
            read.append(read_marks(path))
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()
    names = match_students(*({student: None for student, _ in marks} for marks in read))
    # A spreadsheet drops the zeros of a number, and adds none
    full = {name: max(name, student, key=len) for student, name in names.items()}
    read[0] = {(full.get(student, student), step): mark for (student, step), mark in read[0].items()}
    read[1] = {(full[names[student]], step): mark for (student, step), mark in read[1].items()}
    agreement = _agreement_of(first, second, *read)
    by_step = [_by_step(marks) for marks in read]
    for step in dict.fromkeys(step for _, step in agreement.both):
        agreement.per_step[step] = _agreement_of(first, second, *(marks[step] for marks in by_step))
    return agreement


def _by_step(marks: Marks) -> dict[str, Marks]:
    steps: dict[str, Marks] = {}
    for item, mark in marks.items():
        steps.setdefault(item[1], {})[item] = mark
    return steps


def _all_distances(first: Counter[Fraction], second: Counter[Fraction]) -> Fraction:
    """Return Σ |a − b| over all pairs of a mark of each grader: from one mark to the next, the distance counts for each
    pair that it lies between.
    """
    total, lower = Fraction(0), [0, 0]  # how many marks of each grader are at most `mark`
    count = first.total(), second.total()
    for mark, higher in pairwise(sorted(first.keys() | second.keys())):
        lower = [lower[0] + first[mark], lower[1] + second[mark]]
        total += (higher - mark) * (lower[0] * (count[1] - lower[1]) + lower[1] * (count[0] - lower[0]))
    return total


def _agreement_of(first: str, second: str, a: Marks, b: Marks) -> Agreement:
    both = {item: (a[item], b[item]) for item in a if item in b}
    return Agreement(
        first, second, both, ([item for item in a if item not in b], [item for item in b if item not in a])
    )


# -- reading -----------------------------------------------------------------------------------------------------------


def read_marks(path: str) -> Marks:
    """Read the marks of a file, by student and step. Raises AttncalcError with every fault and its place."""
    faults = Diagnostics()
    marks: Marks = {}
    common = 1
    for (student, step), mark, place in (_yaml if path.lower().endswith(YAML) else _csv)(path, faults):
        if not student or not step:
            faults.add(f"expected a student, a step and marks, found no {'step' if student else 'student'}", place)
        elif (given := parse_points(mark)) is None:
            faults.add(f"expected marks such as 2.5, found {shorten(mark)!r}", place)
        elif (student, step) in marks:
            faults.add(f"the marks of {shorten(student)} for {shorten(step)} are listed twice", place)
        elif (common := lcm(common, given.denominator)) >= 10**COMMON_DENOMINATOR.most:
            faults.add(COMMON_DENOMINATOR.exceeded("more digits"), place)
            break
        else:
            marks[student, step] = given
    if not marks and not faults.faults:
        faults.add("expected marks, found none", Location(path))
    faults.raise_any()
    return marks


def _csv(path: str, faults: Diagnostics) -> Iterator[tuple[Item, str, Location]]:
    table = table_of(path)
    header = [cell.text.strip() for cell in table[0]] if table else []
    names = [name.casefold() for name in header]
    if "student" not in names:
        faults.add(
            "expected a column student, and either step and marks or one column per step; found no column student",
            Location(path, 1, 1),
        )
        return
    if "step" not in names and (entry := next(filter(_is_of_answers, table[0]), None)):
        description = f"found answers (a column {shorten(entry.text.strip())})"
        faults.add(f"expected marks, {description}; `attncalc grade` turns answers into marks", entry.place)
        return
    for row in table[1:]:
        cells = dict(zip(names, row, strict=False))
        student = cells["student"].text.strip() if "student" in cells else ""
        if "step" in names:
            if {"step", "marks"} <= cells.keys():
                yield (student, cells["step"].text.strip()), cells["marks"].text.strip(), cells["marks"].place
            continue
        for name, cell in zip(header, row, strict=False):
            if name.casefold() not in ABOUT and cell.text.strip():
                yield (student, name), cell.text.strip(), cell.place


def _is_of_answers(head: Written) -> bool:
    """True if a column contains answers (an entry such as S[0,1]) or codes of papers instead of points."""
    name = head.text.strip()
    return name.endswith("]") or name.casefold() == "problem"


def _yaml(path: str, faults: Diagnostics) -> Iterator[tuple[Item, str, Location]]:
    text = text_of(path)
    tree = read_yaml(text, path) if text.strip() else Sequence([], Location(path))
    if not isinstance(tree, Sequence):
        raise AttncalcError(
            f"expected a list of mappings with the keys student, step and marks, found {kind(tree)}", tree.place
        )
    for item in tree.items:
        nodes = [item.get(key) for key in ("student", "step", "marks")] if isinstance(item, Mapping) else []
        words = [node.text.strip() for node in nodes if isinstance(node, Scalar)]
        if len(words) < 3:
            faults.add(f"expected a mapping with the keys student, step and marks, found {kind(item)}", item.place)
        else:
            yield (words[0], words[1]), words[2], item.place


# -- for people and for programs ---------------------------------------------------------------------------------------

HEADS = ("student", "step", "first", "second", "difference")
WORDS = "kappa: agreement beyond chance (1 if the graders always agree); weighted: larger differences count more"
STEP_HEADS = ("step", "marks", "agree", "mean difference", "kappa", "weighted")


def agreement_document(agreement: Agreement, complete: bool = True) -> Document:
    """Return the comparison as a Document, with complete lists or with their beginnings."""
    most_rows, most_items = (None, None) if complete else (MOST_LISTED, MOST_NAMED)
    blocks: list[Block] = [
        Heading("Two graders"),
        Paragraph(f"First: {agreement.first}. Second: {agreement.second}.", "note"),
    ]
    blocks += [Paragraph(sentence, "ask") for sentence in _agreement_sentences(agreement)]
    if len(agreement.per_step) > 1:
        rows = tuple((step, *_figures(step_agreement)) for step, step_agreement in agreement.per_step.items())
        blocks += [Heading("Step by step", 2), Table(STEP_HEADS, rows, frozenset(range(1, 6)))]
    if agreement.different:
        differences = ((item, a, b, "+" if b > a else "−") for item, a, b in agreement.different[:most_rows])
        rows_listed = [(*item, points(a), points(b), f"{sign}{points(abs(b - a))}") for item, a, b, sign in differences]
        blocks += [Heading("Where the graders differ", 2), Table(HEADS, tuple(rows_listed), frozenset({2, 3, 4}))]
    if most_rows and (more := len(agreement.different) - most_rows) > 0:
        blocks.append(Paragraph(f"and {more} more; to list all of them, write a file: -o graders.html", "fine"))
    for name, only in zip((agreement.first, agreement.second), agreement.only, strict=True):
        items = [f"{shorten(student)} {shorten(step)}" for student, step in only]
        blocks += [Paragraph(f"Only in {name}: {listed(items, most_items)}.", "note")] if only else []
    return Document([*blocks, Paragraph(WORDS, "fine")])


def _agreement_sentences(agreement: Agreement) -> Iterator[str]:
    if agreement.agreed is None or agreement.absolute is None or agreement.bias is None:
        yield "No step of any student is in both files."
        return
    matches = len(agreement.both) - len(agreement.different)
    yield f"The graders agree on {matches} of {counted(len(agreement.both), 'mark')} ({_percent(agreement.agreed)})."
    yield f"The mean absolute difference is {points(agreement.absolute)} points."
    if agreement.bias:
        yield (
            f"On average, the {'second' if agreement.bias > 0 else 'first'} grader gives "
            f"{points(abs(agreement.bias))} points more."
        )
    weighted = _two_decimals(agreement.weighted_kappa)
    yield f"Cohen's kappa is {_two_decimals(agreement.kappa)}, and the weighted kappa is {weighted}."


def _figures(agreement: Agreement) -> tuple[str, ...]:
    assert agreement.agreed is not None and agreement.absolute is not None
    return (
        str(len(agreement.both)),
        _percent(agreement.agreed),
        points(agreement.absolute),
        _two_decimals(agreement.kappa),
        _two_decimals(agreement.weighted_kappa),
    )


def _percent(x: Fraction) -> str:
    """Return a share as `98 %`; 0 % and 100 % only if exact."""
    digits = decimal(100 * x, 0)
    if x in (0, 1) or digits not in ("0", "100"):
        return f"{digits} %"
    return "> 99 %" if x > Fraction(1, 2) else "< 1 %"


def _two_decimals(x: Fraction | None) -> str:
    """Round to two decimals, half away from zero; `undefined` for None, 1.00 only if exact."""
    if x is None:
        return "undefined"
    if Fraction(199, 200) <= x < 1:
        return "> 0.99"
    return decimal(x, 2)


def agreement_as_json(agreement: Agreement) -> str:
    """Return the comparison as JSON; numbers are exact texts."""
    data = {
        "first": agreement.first,
        "second": agreement.second,
        **_exact(agreement),
        "steps": {step: _exact(step_agreement) for step, step_agreement in agreement.per_step.items()},
        "different": [
            {"student": s, "step": t, "first": str(a), "second": str(b)} for (s, t), a, b in agreement.different
        ],
        "only_first": [{"student": s, "step": t} for s, t in agreement.only[0]],
        "only_second": [{"student": s, "step": t} for s, t in agreement.only[1]],
    }
    return as_json(data)


def _exact(agreement: Agreement) -> dict[str, object]:
    names = {
        "agreement": agreement.agreed,
        "mean_absolute_difference": agreement.absolute,
        "mean_difference": agreement.bias,
    }
    names |= {"kappa": agreement.kappa, "weighted_kappa": agreement.weighted_kappa}
    return {"marks": len(agreement.both)} | {name: None if x is None else str(x) for name, x in names.items()}
