"""The problem of a variant as a paper: questions with their givens, matrices to fill in, and worked solutions.

This module also makes a page with the points of each step of an exam, and the cost of each kind of mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from string import ascii_lowercase
from typing import NamedTuple

from ..api import solve
from ..explain.document import (
    Block,
    Cell,
    Choices,
    Document,
    EquationSide,
    Formula,
    Grid,
    Heading,
    Matrices,
    Paragraph,
    Section,
    Sign,
    Table,
    Worked,
)
from ..explain.faded_examples import level_of, steps_left
from ..explain.listings import SYMBOLS
from ..explain.number_display import given_grid, is_weights, step_grid
from ..explain.outline import group_steps
from ..explain.part_document import meaning, step_blocks
from ..explain.part_scope import Scope, readable_formula
from ..explain.point_format import points_on_pages
from ..explain.sections import Sections, with_trees
from ..explain.stated_conventions import choices
from ..explain.textbook_formulas import SIGNS, defining_function, definition, textbook_formulas
from ..explain.worked.calculation_line import notes
from ..formula.functions import functions, internal_functions
from ..formula.parser import parse
from ..formula.syntax_tree import Call, Name, Tree, children, names, unparse, walk
from ..marking.credit import Reason, points_of, shares_left
from ..mistakes.catalogue import catalogue
from ..plan import PartPlan, Plan, Step
from ..problem.problem import Asked, Part, Problem
from ..solution import PartSolution, Solution, StepResult
from .images import Figure
from .problem_assembly import with_author_names
from .sheet.instructor_question import KeyRecord
from .sheet.model import Question, Sheet, Student
from .translations import Words

_NEGATIVE = re.compile(r"[-−]\d+(\.\d+)?")


DEEPEST = 99  # so deep that nested lessons are never folded
# Functions that every reader knows, and functions that are printed as signs: |x|, [Z_1 | Z_2], S where j ≤ i, E[ids]
KNOWN = SIGNS | {
    "exp", "log", "ln", "sqrt", "sin", "cos", "tanh", "abs", "ceil", "maximum", "minimum", "max", "min",
    "hstack", "vstack", "identity", "keep", "where", "lookup",
}  # fmt: skip
MASKS = {"causal", "causal_strict", "band"}  # in `keep` they are printed as a condition on i and j
_SHAPES = re.compile(r", \(n, m\) → .*")


@dataclass(slots=True)
class Answer:
    """A matrix to fill in: its right numbers, its description, its formulas, and the worked steps before it."""

    grid: Grid
    doc: str
    points: Fraction | None
    formulas: list[Formula]
    work: list[Block] = field(default_factory=list)
    is_shown: bool = False  # whether the paper shows the numbers: a worked step of an exercise
    step: str = ""  # the key of its step, such as q1.S
    rows: tuple[int, ...] = ()  # the asked rows and columns of the step
    columns: tuple[int, ...] = ()
    # Definitions of the author's steps up to this step, because no lesson defines them
    defined: list[Formula] = field(default_factory=list)
    means: str = ""


@dataclass(slots=True)
class PartPaper:
    """A part of a question on a paper: the task, the given numbers, and room for answers."""

    letter: str  # `a`, `b`; empty for a single part
    ask: str
    note: str
    points: Fraction | None
    choices: Choices
    givens: list[Grid | Sign]
    numbers: list[tuple[str, str]]
    answers: list[Answer]
    rounded: Part | None = None  # the part of the problem, if the problem states a rounding
    response: ResponsePaper | None = None
    hint: str = ""
    figure: Figure | None = None


@dataclass(slots=True)
class ResponsePaper:
    """A question with options to tick, or with an answer in words. An option has a letter, its content, whether it is
    right, and the reason.

    The content is a text or a matrix. `work` is the calculation of the `step` whose matrix is asked. `solution` is the
    model answer.
    """

    several: bool = False
    options: tuple[tuple[str, str | Grid, bool, str], ...] = ()
    solution: str = ""
    work: list[Block] = field(default_factory=list)
    step: Name | None = None
    defined: list[Formula] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        """True if the paper has space for words or a calculation, because students do not only tick."""
        return bool(self.work) or not self.options


@dataclass(slots=True)
class QuestionPaper:
    """A question on a paper."""

    number: int
    title: str
    parts: list[PartPaper]
    space: float
    hints: bool
    blanks: bool

    @property
    def points(self) -> Fraction | None:
        """The points of all parts; None if none are stated."""
        points = [part.points for part in self.parts if part.points is not None]
        return sum(points, Fraction(0)) if points else None


@dataclass(slots=True)
class Paper:
    """One variant of a sheet."""

    sheet: Sheet
    code: str
    student: Student
    questions: list[QuestionPaper]
    formulas: list[Block]


def paper(
    sheet: Sheet,
    problem: Problem,
    code: str,
    student: Student,
    asked: list[Question],
    key_records: tuple[KeyRecord, ...] = (),
) -> Paper:
    """Return the paper of a combined problem; `asked` are the questions in the order of the variant, and `key_records`
    the questions with options or marking by hand.
    """
    solution, words = solve(problem), sheet.layout.words
    notes_given: set[str] = set()
    questions = []
    headings: list[tuple[str, str, PartSolution]] = []
    for number, question in enumerate(asked, 1):
        title = getattr(question.overrides.get("title"), "text", "")
        question_paper = QuestionPaper(number, title, [], question.space, question.hints, question.blanks)
        parts = [part for part in solution.parts if (part.name or "").partition("_")[0] == f"q{number}"]
        known: dict[str, Grid] = {}
        level = level_of(number, len(asked)) if question.practice else None
        for k, part in enumerate(parts):
            letter = part_letter(part.part, k)
            question_paper.parts.append(_part(solution, part, letter, known, notes_given, level, question.hints, words))
            headings.append((question_heading(words, number, letter), question_paper.title, part))
        key_record = next((record for record in key_records if record["name"] == f"q{number}"), None)
        if key_record is not None:
            _add_response(question_paper, key_record, solution, parts, words)
        question_paper.parts[0].hint, question_paper.parts[0].figure = question.hint, question.figure
        for part_paper in question_paper.parts:
            part_paper.ask = _translate_ask(question, part_paper.ask, words)
        questions.append(question_paper)
    formulas = formula_sheet(solution, headings, words) if sheet.formula_sheet else []
    return Paper(sheet, code, student, questions, formulas)


def part_letter(part: Part, k: int) -> str:
    """Return the letter of part k of a question; empty for the only part."""
    return ascii_lowercase[k % 26] if "_" in (part.name or "") else ""


def question_heading(words: Words, number: object, letter: str) -> str:
    """Return `Question 2 (a)`."""
    return f"{words['question']} {number}" + f" ({letter})" * bool(letter)


def _translate_ask(question: Question, ask: str, words: Words) -> str:
    """Return the task in the language of the paper, if attncalc made the task. A causal mask is named."""
    if "ask" in question.overrides or question.search is None:
        return ask
    return words.sentence(question.search.spec.name_mask(ask))


def _add_response(
    question_paper: QuestionPaper, key_record: KeyRecord, solution: Solution, parts: list[PartSolution], words: Words
) -> None:
    """Add the options, or the space for an answer in words, to the last part, after its givens."""
    if not question_paper.parts:
        ask, note = key_record.get("ask", ""), key_record.get("note", "")
        question_paper.parts.append(PartPaper("", ask, note, None, Choices(()), [], [], []))
    part = question_paper.parts[-1]
    part.points = Fraction(key_record["points"])
    part_name, _, step = key_record.get("step", "").rpartition(".")
    options = tuple(
        (
            choice["letter"],
            choice["text"] if "text" in choice else _matrix(step, choice["matrix"]),
            choice["letter"] in key_record["right"],
            choice.get("because", ""),
        )
        for choice in key_record.get("choices", ())
    )
    named = [other for other in parts if part_name and other.name == f"{key_record['name']}_{part_name}"]
    asked_part = next(iter(named or parts[-1:]), None)
    part.response = ResponsePaper(key_record.get("several", False), options, key_record.get("solution", ""))
    if step and asked_part:
        scope = Scope(solution, asked_part)
        answer = next(_answers(scope, asked_part, [Asked(step, step)], question_paper.hints, words))
        part.response.work, part.response.step, part.response.defined = answer.work, Name(step), answer.defined


def _matrix(step: str, rows: list[list[str]]) -> Grid:
    return Grid(Name(step), tuple(tuple(map(Cell, row)) for row in rows))


def _part(
    solution: Solution,
    part: PartSolution,
    letter: str,
    known: dict[str, Grid],
    notes_given: set[str],
    level: int | None,
    hints: bool,
    words: Words,
) -> PartPaper:
    scope = Scope(solution, part)
    grids = [_decimals(given_grid(given, scope.shown(given.name))) for given in part.part.plan.givens]
    grids += [step_grid(Name(s.name), scope.shown(s.name), False) for s in part.part.plan.steps if s.is_pinned]
    new_grids = [grid for grid in grids if known.get(unparse(grid.name)) != grid]
    known |= {unparse(grid.name): grid for grid in grids}
    numbers = [(unparse(g.name), g.cells[0][0].text) for g in new_grids if g.shape == (1, 1) and not g.rows]
    matrices: list[Grid | Sign] = []
    for grid in (g for g in new_grids if g.shape != (1, 1) or g.rows):
        matrices += [grid, Sign("")]  # with the sign, the matrix keeps its name
    asked = part.part
    answers = list(_answers(scope, part, asked.asked if level is None else _every_step(part), hints, words))
    for answer in answers[: 0 if level is None else len(answers) - steps_left(len(answers), level)]:
        answer.is_shown = True
    for answer in answers:
        answer.work += _notes(scope, answer.work, notes_given, words)
    conventions = Choices(tuple(choice for choice in choices(solution, scope).items if choice.option != "decimals"))
    rounded = asked if asked.rounding_stated else None
    points = asked.total_points
    return PartPaper(letter, asked.ask, asked.note, points, conventions, matrices, numbers, answers, rounded)


def _notes(scope: Scope, work: list[Block], notes_given: set[str], words: Words) -> Iterator[Paragraph]:
    """Yield notes on the numbers of calculations. Each note is once on a paper."""
    stages = [
        block.stages if isinstance(block, Worked) else block.stages[1:]
        for block in work
        if isinstance(block, Formula | Worked)
    ]
    for text in notes(scope, filter(None, stages)):
        if text not in notes_given:
            notes_given.add(text)
            yield Paragraph(words.sentence(text), "fine")


def _decimals(grid: Grid) -> Grid:
    """Return the grid with negative decimals as plain numbers instead of formulas."""
    cells = tuple(
        tuple(Cell(c.text) if c.tree is not None and _NEGATIVE.fullmatch(c.text) else c for c in row)
        for row in grid.cells
    )
    return grid._replace(cells=cells)


def _every_step(part: PartSolution) -> list[Asked]:
    """Return the steps that an exercise asks: the steps under `asked:` in its file, otherwise all steps."""
    asked = part.part.asked if part.part.asked_stated else []
    return asked or [Asked(result.name, result.name) for result in part.steps if not result.given]


def _answers(scope: Scope, part: PartSolution, requests: list[Asked], hints: bool, words: Words) -> Iterator[Answer]:
    """Yield an answer for each request, in the order of the steps, with the calculations of unasked steps before it.
    Without `hints`, a step with a description is asked by its description.
    """
    asked: dict[str, list[Asked]] = {}
    for request in requests:
        asked.setdefault(request.step, []).append(request)
    last = max((k for k, result in enumerate(part.steps) if result.name in asked), default=-1)
    points = part.part.points if isinstance(part.part.points, dict) else {}
    pending_work: dict[str, list[Block]] = {}
    defined_keys: set[str] = set()
    for result, blocks in step_blocks(scope, part.steps[: last + 1]):
        pending_work[result.step.key] = list(_work(blocks, result.step, result.name in asked, words))
        if result.name not in asked:
            continue
        ancestors = scope.solution.problem.plan.ancestors(result.step.key)
        work = [block for key in ancestors for block in pending_work.pop(key, ())]
        needed = scope.solution.problem.plan.definitions(result.step.key, hints)
        defined = [
            _definition(scope, step, hints)
            for step in needed
            if step.key not in defined_keys and step.part == part.name
        ]
        defined_keys |= {step.key for step in needed}
        for request in asked[result.name]:
            doc = meaning(result.step)
            lecture = replace(result.step, tree=_readable(scope, result.step)) if result.step.is_own else result.step
            grid, step_formulas = _asked_grid(scope, result, request), textbook_formulas(lecture, doc)
            means = result.step.means
            rows, columns = _asked_lines(result, request)
            yield Answer(
                grid, doc, points.get(request.text), step_formulas, work, defined=defined, means=means,
                step=result.step.key, rows=rows, columns=columns,
            )  # fmt: skip
            work, defined = [], []


def _definition(scope: Scope, step: Step, hints: bool) -> Formula:
    """Return the formula of an author's step. Without `hints`, return its description instead, if it has one."""
    if step.means and not hints:
        return Formula(Name(step.name), (), step.means)
    return Formula(Name(step.name), (EquationSide(_readable(scope, step)),))


def _readable(scope: Scope, step: Step) -> Tree:
    return with_author_names(readable_formula(scope, step.tree))


def _work(blocks: list[Block], step: Step, is_asked: bool, words: Words) -> Iterator[Block]:
    """Yield the formula and the worked entry of a step, and its matrix and its description only if it is not asked."""
    for block in blocks:
        match block:
            case Matrices(items) if not is_asked:
                yield with_trees(Matrices(items[-1:]), with_author_names)
            case Formula():
                doc = step.means or words.sentence(block.doc, "") if block.doc and not is_asked else ""
                yield with_trees(block._replace(aside="", doc=doc), with_author_names)
            case Worked():
                yield with_trees(block, with_author_names)


def _asked_grid(scope: Scope, result: StepResult, asked: Asked) -> Grid:
    """Return the right numbers of a step, or of the requested rows and columns. A masked entry is 0."""
    grid = step_grid(Name(result.name), scope.shown(result.name), is_weights(result.step))
    rows, columns = _asked_lines(result, asked)
    texts = [["0" if c.mark == "masked" and c.shade is not None else c.text for c in row] for row in grid.cells]
    cells = tuple(tuple(Cell(texts[i][j]) for j in columns) for i in rows)
    down = tuple(grid.rows[i] for i in rows) if grid.rows and not result.step.omits_rows else None
    across = tuple(grid.columns[j] for j in columns) if grid.columns and not result.step.omits_columns else None
    return Grid(parse(asked.text), cells, down, across)


def _asked_lines(result: StepResult, asked: Asked) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the rows and the columns of a step that are asked."""
    n, m = result.step.shape
    rows = range(n) if asked.rows is None else asked.rows
    columns = range(m) if asked.columns is None else asked.columns
    return tuple(rows), tuple(columns)


def formula_sheet(solution: Solution, parts: Sequence[tuple[str, str, PartSolution]], words: Words) -> list[Block]:
    """Return the formulas of each part, under headings if there are several parts, and a legend of their symbols."""
    sections_of_parts = [Section(heading, title, tuple(formulas(solution, part))) for heading, title, part in parts]
    plans: list[Plan | PartPlan] = [solution.problem.plan, *(part.part.plan for part in solution.parts)]
    givens = {given.name for plan in plans for given in plan.givens}
    sections = list(_without_repeats([section for section in sections_of_parts if section.blocks], [], words))
    blocks = list(sections[0].blocks) if len(sections) == 1 else list[Block](sections)
    return blocks + list(_legend(sections_of_parts, givens, words))


def formulas(solution: Solution, part: PartSolution) -> Iterator[Block]:
    """Yield the formulas of the lessons in a part. A nested lesson has a separate section."""
    steps = [result for result in part.steps if result.step.lesson and not result.given]
    groups = group_steps(steps, DEEPEST)
    return Sections(Scope(solution, part), groups, _lecture_formulas, _lecture_formulas, mapped=False).blocks()


def _lecture_formulas(result: StepResult) -> Iterator[Block]:
    for name, stages, *_ in textbook_formulas(result.step):
        sides = tuple(stage._replace(tree=with_author_names(stage.tree)) for stage in stages)
        yield Formula(with_author_names(name), sides)


# -- each lesson once --------------------------------------------------------------------------------------------------


class CompleteSection(NamedTuple):
    """A section whose formulas are all printed, and the heading of its part."""

    section: Section
    heading: str

    def name(self, inside: str) -> str:
        """Return the name of this section for a reference in another section: `norm1`, or `norm1, Question 1` from
        another part.
        """
        return ", ".join(filter(None, (self.section.title, self.heading if self.heading != inside else "")))


def _without_repeats(
    sections: Iterable[Section], complete_sections: list[CompleteSection], words: Words, inside: str = ""
) -> Iterator[Section]:
    """Yield each section. If it resembles an earlier complete section, it keeps only the formulas that differ."""
    for section in sections:
        matches = [(_common_formulas(complete.section, section), complete) for complete in complete_sections]
        common_formulas, similar = max(matches, key=lambda match: len(match[0]), default=([], None))
        blocks = [block for block in section.blocks if len(common_formulas) < 2 or block not in common_formulas]
        if similar is None or len(common_formulas) < 2:
            complete_sections.append(CompleteSection(section, inside))
        else:
            new_formulas = sum(isinstance(block, Formula) for block in blocks)
            note = words.fill("others_as_in" if new_formulas else "all_as_in", name=similar.name(inside))
            blocks.insert(new_formulas, Paragraph(note, "note"))
        nested = [block for block in blocks if isinstance(block, Section)]
        inner = _without_repeats(nested, complete_sections, words, inside or section.title)
        doc = words.sentence(section.doc, "") if inside else section.doc
        yield section._replace(doc=doc, blocks=tuple(next(inner) if block in nested else block for block in blocks))


def _common_formulas(section: Section, other: Section) -> list[Block]:
    """Return the formulas that both sections contain. Return none if the first section has a step that the
    other lacks.
    """
    these, theirs = ([block for block in section.blocks if isinstance(block, Formula)] for section in (section, other))
    if {unparse(block.name) for block in these} - {unparse(block.name) for block in theirs}:
        return []
    return [block for block in theirs if block in these]


# -- signs -------------------------------------------------------------------------------------------------------------


def _legend(sections: Iterable[Section], givens: set[str], words: Words) -> Iterator[Formula]:
    """Yield the meanings of functions and sizes that no formula of the sheet defines and no question gives."""
    lines = [line for section in sections for line in _lines(section)]
    trees = [stage.tree for line in lines for stage in line.stages]
    defined_functions = set(filter(None, map(defining_function, trees)))
    calls = (part for tree in trees for part in walk(tree, _printed_parts) if isinstance(part, Call))
    for function in dict.fromkeys(call.function for call in calls):
        if function not in KNOWN | defined_functions:
            yield definition(function) or _meaning(function, words)
    used = set().union(*map(names, trees)) - {unparse(line.name) for line in lines} - givens
    yield from (Formula(Name(name), (), words.sentence(doc)) for name, doc in SYMBOLS.items() if name in used)


def _printed_parts(tree: Tree) -> list[Tree]:
    """Return the children of a formula, without masks that are printed as comparisons of i and j."""
    parts = children(tree)
    if isinstance(tree, Call) and tree.function == "keep":
        return [part for part in parts if not (isinstance(part, Call) and part.function in MASKS)]
    return parts


def _lines(section: Section) -> Iterator[Formula]:
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _lines(block)
        elif isinstance(block, Formula):
            yield block


def _meaning(function: str, words: Words) -> Formula:
    known = (functions() | internal_functions())[function]
    needed = tuple(Name(parameter.name) for parameter in known.parameters if parameter.default is None)
    return Formula(Call(function, needed), (), words.sentence(_SHAPES.sub("", known.doc)))


# The reasons for which a step keeps a share of its points. The table of words has the key `cost_` with each reason
COST_KINDS = (Reason.TRUNCATED, Reason.LAST_DIGIT, Reason.TOO_COARSE, Reason.INACCURATE, Reason.SLIP, Reason.MOSTLY)
COST_NOTES = ("cost_once", "cost_partial")


class _CostRule(NamedTuple):
    """The cost of each kind of mistake in some parts, as a share of a step's points."""

    costs: tuple[tuple[str, Fraction], ...]

    @property
    def shares(self) -> list[Fraction]:
        return sorted({cost for _, cost in self.costs if 0 < cost < 1})


class _CostRow(NamedTuple):
    """The points of a step. `step` is empty for a question with options or an answer in words."""

    question: str
    step: str
    worth: Fraction


def points_document(sheet: Sheet, papers: Iterable[tuple[Problem, tuple[KeyRecord, ...]]]) -> Document:
    """Return the costs of mistakes in the papers of a sheet. A paper is a problem, and its questions with options or
    words.
    """
    words, rows_by_rule = sheet.layout.words, dict[_CostRule, dict[_CostRow, None]]()
    rounding = Fraction(0)
    for problem, records in papers:
        rounding = problem.round_to or rounding
        for label, part in _labelled_parts(problem.parts, words):
            rows = rows_by_rule.setdefault(_cost_rule(part, words), {})
            rows |= dict.fromkeys(_CostRow(label, step, worth) for step, worth in points_of(part).items())
        for record in records:
            row = _CostRow(f"{words['question']} {record['name'][1:]}", "", Fraction(record["points"]))
            rows_by_rule.setdefault(_CostRule(()), {})[row] = None
    blocks: list[Block] = [Heading(f"{words['cost_title']}: {sheet.title}")]
    for rule, rows in rows_by_rule.items():
        blocks += _cost_tables(rule, list(rows), sheet)
    notes = [words[note] for note in COST_NOTES]
    notes += [words.fill("cost_rounded", step=_cost_number(rounding, sheet))] if rounding else []
    return Document([*blocks, *(Paragraph(note, "note") for note in notes)])


def _labelled_parts(parts: list[Part], words: Words) -> Iterator[tuple[str, Part]]:
    """Yield each part with its name on the paper: `Question 2 (a)`."""
    letters: dict[str, int] = {}
    for part in parts:
        number = (part.name or "").removeprefix("q").partition("_")[0]
        k = letters[number] = letters.get(number, -1) + 1
        yield question_heading(words, number, part_letter(part, k)), part


def _cost_rule(part: Part, words: Words) -> _CostRule:
    left = shares_left(part)
    kinds = [
        ("right", Fraction(0)),
        *((str(reason), 1 - left[reason]) for reason in COST_KINDS),
        ("wrong", Fraction(1)),
    ]
    costs = [(words[_cost_words(kind, part)], cost) for kind, cost in kinds]
    named = {**part.rubric.mistakes, **dict.fromkeys(part.accept, Fraction(1))}
    return _CostRule(
        (*costs, *((_mistake_sentence(code, words), 1 - share) for code, share in named.items() if code in catalogue()))
    )


def _cost_words(kind: str, part: Part) -> str:
    """Return the key of the text for a kind of mistake in the table of words. Only a stated rounding
    requires decimals.
    """
    return "cost_too_few" if kind == Reason.TOO_COARSE and not part.rounding_stated else f"cost_{kind}"


def _mistake_sentence(code: str, words: Words) -> str:
    """Return the code of a mistake, and its sentence if the sentence exists in this language."""
    return ": ".join(filter(None, (code, words.sentence(catalogue()[code].done, ""))))


def _cost_tables(rule: _CostRule, rows: list[_CostRow], sheet: Sheet) -> Iterator[Block]:
    """Yield a table of the kinds of mistakes with their costs, and a table of the points that they cost in
    each step.
    """
    words, by_cost = sheet.layout.words, dict[Fraction, list[str]]()
    for kind, cost in rule.costs:
        by_cost.setdefault(cost, []).append(kind)
    costs = [(kind, f"{_cost_number(100 * cost, sheet)} %") for cost in sorted(by_cost) for kind in by_cost[cost]]
    if costs:
        yield Table((words["cost_kind"], words["cost_share"]), tuple(costs), frozenset({1}))
    heads: tuple[str, ...] = (words["question"], words["cost_step"], words["points"])
    heads = (*heads, *(f"{_cost_number(100 * share, sheet)} %" for share in rule.shares))
    lines = []
    for question, step, worth in rows:
        cells: list[str | tuple[Tree, ...]] = [question, (Name(step),) if step else "–", _cost_number(worth, sheet)]
        lines.append((*cells, *(_cost_number(worth * share, sheet) for share in rule.shares)))
    yield Table(heads, tuple(lines), frozenset(range(2, len(heads))))


def _cost_number(x: Fraction, sheet: Sheet) -> str:
    return sheet.decimal(points_on_pages(x))
