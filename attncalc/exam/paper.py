"""A variant's problem as a paper: questions with their givens, what is to be filled in, and how it is worked out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..api import solve
from ..explain.conventions import choices
from ..explain.document import Block, Cell, Choices, Formula, Grid, Matrices, Paragraph, Sign, Worked
from ..explain.fading import blanks, level_of
from ..explain.part import meaning, step_blocks
from ..explain.scope import Scope
from ..explain.shown import given_grid, is_weights, step_grid
from ..explain.stages import notes
from ..explain.taught import taught
from ..formula.parse import parse
from ..formula.tree import Name, unparse
from ..problem.model import Asked, Problem
from ..solution import PartSolution, Solution, StepResult
from .model import Question, Sheet, Student

_NEGATIVE = re.compile(r"[-−]\d+(\.\d+)?")
_PART = re.compile(r"q(\d+)(?:_(.*))?")


@dataclass(slots=True)
class Answer:
    """A matrix to fill in: as it is right, what it is for, its formulas, and what is worked out before it."""

    grid: Grid
    doc: str
    points: Fraction | None
    formulas: list[Formula]
    work: list[Block] = field(default_factory=list)
    is_shown: bool = False  # on the paper too: a step of an exercise that is worked out


@dataclass(slots=True)
class PartPaper:
    """A part of a question as it stands on a paper: what is asked, the numbers that are given, and room for answers."""

    letter: str  # `a`, `b`, nothing where there is one part
    ask: str
    note: str
    points: Fraction | None
    choices: Choices
    givens: list[Grid | Sign]
    numbers: list[tuple[str, str]]
    answers: list[Answer]


@dataclass(slots=True)
class QuestionPaper:
    """A question as it stands on a paper."""

    number: int
    title: str
    parts: list[PartPaper]
    space: float
    hints: bool
    blanks: bool

    @property
    def points(self) -> Fraction | None:
        """The points of all its parts, None where none are stated."""
        told = [part.points for part in self.parts if part.points is not None]
        return sum(told, Fraction(0)) if told else None


@dataclass(slots=True)
class Paper:
    """One variant of a sheet."""

    sheet: Sheet
    code: str
    student: Student
    questions: list[QuestionPaper]
    formulas: list[Formula]


def paper(sheet: Sheet, problem: Problem, code: str, student: Student, asked: list[Question]) -> Paper:
    """The paper of a combined problem; `asked` are the sheet's questions in the order of the variant's."""
    solution = solve(problem)
    questions: dict[int, QuestionPaper] = {}
    known: dict[int, dict[str, Grid]] = {}
    told_once: set[str] = set()
    for part in solution.parts:
        said = _PART.fullmatch(part.name or "")
        assert said is not None
        number = int(said[1])
        question = asked[number - 1]
        told = questions.setdefault(number, QuestionPaper(number, _title(question), [], question.space, question.hints, question.blanks))
        letter = "abcdefghijklmnopqrstuvwxyz"[len(told.parts) % 26] if said[2] else ""
        level = level_of(number, len(asked)) if question.practice else None
        told.parts.append(_part(solution, part, letter, known.setdefault(number, {}), told_once, level))
    return Paper(sheet, code, student, list(questions.values()), list(_formulas(solution)) if sheet.formula_sheet else [])


def _title(question: Question) -> str:
    title = question.own.get("title")
    return getattr(title, "text", "")


def _part(
    solution: Solution, part: PartSolution, letter: str, known: dict[str, Grid], told_once: set[str], level: int | None
) -> PartPaper:
    scope = Scope(solution, part)
    grids = [_decimals(given_grid(given, scope.shown(given.name))) for given in part.part.plan.givens]
    grids += [step_grid(Name(s.name), scope.shown(s.name), False) for s in part.part.plan.steps if s.is_pinned]
    fresh = [grid for grid in grids if known.get(unparse(grid.name)) != grid]
    known |= {unparse(grid.name): grid for grid in grids}
    numbers = [(unparse(g.name), g.cells[0][0].text) for g in fresh if g.shape == (1, 1) and not g.rows]
    matrices: list[Grid | Sign] = []
    for grid in (g for g in fresh if g.shape != (1, 1) or g.rows):
        matrices += [grid, Sign("")]  # with a sign beside it, a matrix goes by its name
    asked = part.part
    answers = list(_answers(scope, part, asked.asked if level is None else _every_step(part)))
    for answer in answers[: 0 if level is None else len(answers) - blanks(len(answers), level)]:
        answer.is_shown = True
    for answer in answers:
        answer.work += _notes(scope, answer.work, told_once)
    return PartPaper(letter, asked.ask, asked.note, asked.total_points, choices(solution, scope), matrices, numbers, answers)


def _notes(scope: Scope, work: list[Block], told_once: set[str]) -> Iterator[Paragraph]:
    """What is to be said about the numbers of worked lines, once on a paper."""
    stages = [block.stages if isinstance(block, Worked) else block.stages[1:] for block in work if isinstance(block, Formula | Worked)]
    for text in notes(scope, filter(None, stages)):
        if text not in told_once:
            told_once.add(text)
            yield Paragraph(text, "fine")


def _decimals(grid: Grid) -> Grid:
    """Negative decimals as numbers, which need no formula each."""
    cells = tuple(tuple(Cell(c.text) if c.tree is not None and _NEGATIVE.fullmatch(c.text) else c for c in row) for row in grid.cells)
    return replace(grid, cells=cells)


def _every_step(part: PartSolution) -> list[Asked]:
    """What an exercise asks: what its file does, else every step."""
    own = part.part.asked if part.part.asked_stated else []
    return own or [Asked(result.name, result.name) for result in part.steps if not result.given]


def _answers(scope: Scope, part: PartSolution, wanted: list[Asked]) -> Iterator[Answer]:
    """What is asked in the order of the steps, each with the steps behind it that were not asked themselves."""
    asked: dict[str, list[Asked]] = {}
    for one in wanted:
        asked.setdefault(one.step, []).append(one)
    last = max((k for k, result in enumerate(part.steps) if result.name in asked), default=-1)
    points = part.part.points if isinstance(part.part.points, dict) else {}
    waiting: dict[str, list[Block]] = {}
    for result, blocks in step_blocks(scope, part.steps[: last + 1]):
        waiting[result.step.key] = list(_work(blocks, result.name in asked))
        if result.name not in asked:
            continue
        work = [block for key in scope.solution.problem.plan.behind(result.step.key) for block in waiting.pop(key, ())]
        for one in asked[result.name]:
            doc = meaning(result.step)
            yield Answer(_asked_grid(scope, result, one), doc, points.get(one.text), taught(result.step, doc), work)
            work = []


def _work(blocks: list[Block], is_asked: bool) -> Iterator[Block]:
    """Of a step's blocks its formula and the entry that is worked out; its matrix alone where it is not asked."""
    for block in blocks:
        match block:
            case Matrices(items) if not is_asked:
                yield Matrices(items[-1:])
            case Formula():
                yield block._replace(aside="")
            case Worked():
                yield block


def _asked_grid(scope: Scope, result: StepResult, asked: Asked) -> Grid:
    """The right numbers of a step, or of the slice of it that is asked; what a mask hides is a 0 like others."""
    whole = step_grid(Name(result.name), scope.shown(result.name), is_weights(result.step))
    n, m = whole.shape
    rows = tuple(range(n) if asked.rows is None else asked.rows)
    columns = tuple(range(m) if asked.columns is None else asked.columns)
    cells = tuple(tuple(_plain(whole.cells[i][j]) for j in columns) for i in rows)
    down = tuple(whole.rows[i] for i in rows) if whole.rows else None
    across = tuple(whole.columns[j] for j in columns) if whole.columns else None
    return Grid(parse(asked.text), cells, down, across)


def _plain(cell: Cell) -> Cell:
    return Cell("0" if cell.mark == "masked" and cell.shade is not None else cell.text)


def _formulas(solution: Solution) -> Iterator[Formula]:
    """The formulas behind the steps as a lecture writes them, each once, whatever question it belongs to."""
    seen: set[tuple[str, str]] = set()
    for part in solution.parts:
        for step in part.part.plan.steps:
            what = step.name, meaning(step)
            if not step.given and step.lesson and "." not in step.name and what not in seen:
                seen.add(what)
                yield from taught(step, what[1])
