"""The page for the department: the points of each step of an exam, and what each kind of mistake costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from ..explain.document import Block, Document, Heading, Paragraph, Table
from ..explain.point_format import points_on_pages
from ..formula.syntax_tree import Name, Tree
from ..marking.credit import Reason, points_of, shares_left
from ..mistakes.catalogue import catalogue
from ..problem.problem import Part, Problem
from .paper import part_letter, question_heading
from .sheet.instructor_question import KeyRecord
from .sheet.model import Sheet
from .translations import Words

# The reasons that leave a share of a step's points; the table of words has `cost_` and the reason
KINDS = (Reason.TRUNCATED, Reason.LAST_DIGIT, Reason.TOO_COARSE, Reason.INACCURATE, Reason.SLIP, Reason.MOSTLY)
NOTES = ("cost_once", "cost_partial")


class _Rule(NamedTuple):
    """What each kind of mistake costs in some parts, as a share of a step's points."""

    costs: tuple[tuple[str, Fraction], ...]

    @property
    def shares(self) -> list[Fraction]:
        return sorted({cost for _, cost in self.costs if 0 < cost < 1})


class _Row(NamedTuple):
    """The points of a step of a question; without a step of a question that is ticked or answered in words."""

    question: str
    step: str
    worth: Fraction


def points_document(sheet: Sheet, papers: Iterable[tuple[Problem, tuple[KeyRecord, ...]]]) -> Document:
    """Return what mistakes cost in the papers of a sheet; a paper is a problem and its ticked or written questions."""
    words, rows_by_rule = sheet.layout.words, dict[_Rule, dict[_Row, None]]()
    rounding = Fraction(0)
    for problem, records in papers:
        rounding = problem.round_to or rounding
        for label, part in _labelled(problem.parts, words):
            rows = rows_by_rule.setdefault(_rule(part, words), {})
            rows |= dict.fromkeys(_Row(label, step, worth) for step, worth in points_of(part).items())
        for record in records:
            row = _Row(f"{words['question']} {record['name'][1:]}", "", Fraction(record["points"]))
            rows_by_rule.setdefault(_Rule(()), {})[row] = None
    blocks: list[Block] = [Heading(f"{words['cost_title']}: {sheet.title}")]
    for rule, rows in rows_by_rule.items():
        blocks += _tables(rule, list(rows), sheet)
    notes = [words[note] for note in NOTES]
    notes += [words.fill("cost_rounded", step=_number(rounding, sheet))] if rounding else []
    return Document([*blocks, *(Paragraph(note, "note") for note in notes)])


def _labelled(parts: list[Part], words: Words) -> Iterator[tuple[str, Part]]:
    """Yield each part with its name on the paper: `Question 2 (a)`."""
    letters: dict[str, int] = {}
    for part in parts:
        number = (part.name or "").removeprefix("q").partition("_")[0]
        k = letters[number] = letters.get(number, -1) + 1
        yield question_heading(words, number, part_letter(part, k)), part


def _rule(part: Part, words: Words) -> _Rule:
    left = shares_left(part)
    kinds = [("right", Fraction(0)), *((str(reason), 1 - left[reason]) for reason in KINDS), ("wrong", Fraction(1))]
    costs = [(words[f"cost_{kind}"], cost) for kind, cost in kinds]
    named = {**part.rubric.mistakes, **dict.fromkeys(part.accept, Fraction(1))}
    return _Rule(
        (*costs, *((_mistake(code, words), 1 - share) for code, share in named.items() if code in catalogue()))
    )


def _mistake(code: str, words: Words) -> str:
    """Return a mistake by its code, and its sentence if there is one in this language."""
    return ": ".join(filter(None, (code, words.sentence(catalogue()[code].done, ""))))


def _tables(rule: _Rule, rows: list[_Row], sheet: Sheet) -> Iterator[Block]:
    """Yield the kinds of mistakes with their costs, and the points that they cost in each step."""
    words, by_cost = sheet.layout.words, dict[Fraction, list[str]]()
    for kind, cost in rule.costs:
        by_cost.setdefault(cost, []).append(kind)
    costs = [(kind, f"{_number(100 * cost, sheet)} %") for cost in sorted(by_cost) for kind in by_cost[cost]]
    if costs:
        yield Table((words["cost_kind"], words["cost_share"]), tuple(costs), frozenset({1}))
    heads: tuple[str, ...] = (words["question"], words["cost_step"], words["points"])
    heads = (*heads, *(f"{_number(100 * share, sheet)} %" for share in rule.shares))
    lines = []
    for question, step, worth in rows:
        cells: list[str | tuple[Tree, ...]] = [question, (Name(step),) if step else "–", _number(worth, sheet)]
        lines.append((*cells, *(_number(worth * share, sheet) for share in rule.shares)))
    yield Table(heads, tuple(lines), frozenset(range(2, len(heads))))


def _number(x: Fraction, sheet: Sheet) -> str:
    return sheet.decimal(points_on_pages(x))
