"""A variant's problem as a paper: questions with their givens, what is to be filled in, and how it is worked out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ..api import solve
from ..explain.conventions import choices
from ..explain.document import Block, Cell, Choices, Formula, Grid, Matrices, Paragraph, Sign, Stage, Worked
from ..explain.fading import blanks, level_of
from ..explain.part import meaning, step_blocks
from ..explain.scope import Scope
from ..explain.sections import with_trees
from ..explain.shown import given_grid, is_weights, step_grid
from ..explain.stages import notes
from ..explain.taught import textbook_formulas
from ..formula.parse import parse
from ..formula.tree import Name, unparse
from ..plan import Step
from ..problem.model import Asked, Problem
from ..solution import PartSolution, Solution, StepResult
from .draw import Told
from .figures import Figure
from .formula_sheet import formula_sheet
from .model import Question, Sheet, Student
from .parts import as_written
from .words import Words

_NEGATIVE = re.compile(r"[-−]\d+(\.\d+)?")


@dataclass(slots=True)
class Answer:
    """A matrix to fill in: as it is right, what it is for, its formulas, and what is worked out before it."""

    grid: Grid
    doc: str
    points: Fraction | None
    formulas: list[Formula]
    work: list[Block] = field(default_factory=list)
    is_shown: bool = False  # on the paper too: a step of an exercise that is worked out
    # The author's own steps up to here, which no lecture tells: itself, or those behind it
    defined: list[Formula] = field(default_factory=list)


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
    rounding: tuple[int, str] | None = None  # digits and mode
    own: OwnPaper | None = None
    hint: str = ""
    figure: Figure | None = None


@dataclass(slots=True)
class OwnPaper:
    """What is ticked, or written in words: the options with their letters, which are right and why, and the model
    answer.

    An option is a text or a matrix; `work` is how the `step` of the matrices is worked out. Words and workings have
    room.
    """

    several: bool = False
    options: tuple[tuple[str, str | Grid, bool, str], ...] = ()
    solution: str = ""
    work: list[Block] = field(default_factory=list)
    step: Name | None = None
    defined: list[Formula] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        """Whether there is something to write beside ticks."""
        return bool(self.work) or not self.options


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
    formulas: list[Block]


def paper(
    sheet: Sheet, problem: Problem, code: str, student: Student, asked: list[Question], own: tuple[Told, ...] = ()
) -> Paper:
    """The paper of a combined problem; `asked` are the sheet's questions in the order of the variant's, `own` those of
    them that are ticked or marked by hand, as the key holds them.
    """
    solution = solve(problem)
    told_once: set[str] = set()
    questions = []
    headed: list[tuple[str, str, PartSolution]] = []
    for number, question in enumerate(asked, 1):
        told = QuestionPaper(number, _title(question), [], question.space, question.hints, question.blanks)
        parts = [part for part in solution.parts if (part.name or "").partition("_")[0] == f"q{number}"]
        known: dict[str, Grid] = {}
        level = level_of(number, len(asked)) if question.practice else None
        for k, part in enumerate(parts):
            letter = "abcdefghijklmnopqrstuvwxyz"[k % 26] if "_" in (part.name or "") else ""
            told.parts.append(_part(solution, part, letter, known, told_once, level))
            heading = f"{sheet.layout.words['question']} {number}" + f" ({letter})" * bool(letter)
            headed.append((heading, told.title, part))
        written = next((one for one in own if one["name"] == f"q{number}"), None)
        if written is not None:
            _add_own(told, written, solution, parts)
        told.parts[0].hint, told.parts[0].figure = question.hint, question.figure
        for one in told.parts:
            one.ask = _in_words(question, one.ask, sheet.layout.words)
        questions.append(told)
    formulas = formula_sheet(solution, headed, sheet.layout.words) if sheet.formula_sheet else []
    return Paper(sheet, code, student, questions, formulas)


def _in_words(question: Question, ask: str, words: Words) -> str:
    """What is asked, in the paper's language where the words are ours; a causal mask is named."""
    if "ask" in question.own or question.search is None:
        return ask
    return words.sentence(question.search.spec.name_mask(ask))


def _add_own(told: QuestionPaper, written: Told, solution: Solution, solved: list[PartSolution]) -> None:
    """What is ticked or written, behind the givens where there are some."""
    if not told.parts:
        told.parts.append(PartPaper("", written.get("ask", ""), written.get("note", ""), None, Choices(()), [], [], []))
    part = told.parts[-1]
    part.points = Fraction(written["points"])
    of, _, step = written.get("step", "").rpartition(".")
    options = tuple(
        (
            one["letter"],
            one["text"] if "text" in one else _matrix(step, one["matrix"]),
            one["letter"] in written["right"],
            one.get("because", ""),
        )
        for one in written.get("choices", ())
    )
    own = next((one for one in solved if of and one.name == f"{written['name']}_{of}"), solved[-1] if solved else None)
    answer = next(_answers(Scope(solution, own), own, [Asked(step, step)])) if step and own else None
    part.own = OwnPaper(written.get("several", False), options, written.get("solution", ""))
    if answer is not None:
        part.own.work, part.own.step, part.own.defined = answer.work, Name(step), answer.defined


def _matrix(step: str, rows: list[list[str]]) -> Grid:
    return Grid(Name(step), tuple(tuple(map(Cell, row)) for row in rows))


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
    held = Choices(tuple(one for one in choices(solution, scope).items if one.option != "decimals"))
    rounding = scope.rounding.digits, scope.rounding.mode
    return PartPaper(letter, asked.ask, asked.note, asked.total_points, held, matrices, numbers, answers, rounding)


def _notes(scope: Scope, work: list[Block], told_once: set[str]) -> Iterator[Paragraph]:
    """What is to be said about the numbers of worked lines, once on a paper."""
    stages = [
        block.stages if isinstance(block, Worked) else block.stages[1:]
        for block in work
        if isinstance(block, Formula | Worked)
    ]
    for text in notes(scope, filter(None, stages)):
        if text not in told_once:
            told_once.add(text)
            yield Paragraph(text, "fine")


def _decimals(grid: Grid) -> Grid:
    """Negative decimals as numbers, which need no formula each."""
    cells = tuple(
        tuple(Cell(c.text) if c.tree is not None and _NEGATIVE.fullmatch(c.text) else c for c in row)
        for row in grid.cells
    )
    return grid._replace(cells=cells)


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
    undefined = {
        result.step.key: result.step for result in part.steps if result.step.lesson is None and not result.given
    }
    for result, blocks in step_blocks(scope, part.steps[: last + 1]):
        waiting[result.step.key] = list(_work(blocks, result.name in asked))
        if result.name not in asked:
            continue
        behind = scope.solution.problem.plan.behind(result.step.key)
        work = [block for key in behind for block in waiting.pop(key, ())]
        defined = [_definition(undefined.pop(key)) for key in behind if key in undefined]
        for one in asked[result.name]:
            doc = meaning(result.step)
            yield Answer(
                _asked_grid(scope, result, one),
                doc,
                points.get(one.text),
                textbook_formulas(result.step, doc),
                work,
                defined=defined,
            )
            work, defined = [], []


def _definition(step: Step) -> Formula:
    """A step as its author wrote it."""
    return Formula(Name(step.name), (Stage(as_written(step.tree)),))


def _work(blocks: list[Block], is_asked: bool) -> Iterator[Block]:
    """Of a step's blocks its formula and the entry that is worked out; its matrix alone where it is not asked."""
    for block in blocks:
        match block:
            case Matrices(items) if not is_asked:
                yield with_trees(Matrices(items[-1:]), as_written)
            case Formula():
                yield with_trees(block._replace(aside=""), as_written)
            case Worked():
                yield with_trees(block, as_written)


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
