"""A problem, or each variant of a key, as a quiz: what students read, and the blanks."""

from __future__ import annotations

from collections.abc import Iterator

from ..api import solve
from ..errors import AttncalcError, Diagnostic, Location
from ..explain import texts
from ..explain.conventions import choices
from ..explain.scope import Scope
from ..explain.shown import given_grid
from ..formula.tree import unparse
from ..gradebook.key import Key
from ..plan import Given, Step
from ..problem.model import Part, Problem
from ..solution import PartSolution, Solution
from .blanks import Blanks
from .model import Asked, Matrix, Question, Quiz

UNTITLED = "problem"  # no system takes a quiz without a name
OTHER_PART = "{name}: uses {keys} from another question; each is marked from the right numbers"


def quizzes(key: Key) -> Iterator[Quiz]:
    """A quiz for each variant. Raises AttncalcError where nothing is asked, or too much."""
    for variant in key.variants:
        yield quiz_of(key.problem(variant), key.title, variant.code)


def quiz_of(problem: Problem, title: str, code: str = "") -> Quiz:
    """The quiz of one problem. Raises AttncalcError where nothing is asked that is worth points."""
    made = Quiz(next(filter(str.strip, (title, problem.title, problem.name)), UNTITLED), code)
    solution, blanks = solve(problem), Blanks(problem)
    for solved in solution.parts:
        steps = tuple(_asked(solved.part, step, blanks) for step in solved.part.plan.steps)
        asked = tuple(step for step in steps if step.blanks)
        if asked:
            made.questions.append(_question(problem, solution, solved, asked, made))
    if not made.questions:
        raise AttncalcError(Diagnostic("nothing is asked that is worth points; asked: and points: say what is", Location(made.title)))
    if problem.rounded_givens:
        made.lost.append("givens: rounded, so that answers would be held against intervals; here they are held against the printed givens")
    return made


def _asked(part: Part, step: Step, blanks: Blanks) -> Asked:
    found = () if step.given else blanks.of(part, step)
    formula = f"{step.name} = {unparse(step.tree)}" if step.lesson is None else ""
    return Asked(step.name, step.shape, found, step.rows, step.columns, formula)


def _question(problem: Problem, solution: Solution, solved: PartSolution, asked: tuple[Asked, ...], quiz: Quiz) -> Question:
    part, scope = solved.part, Scope(solution, solved)
    own = {step.key for step in part.plan.steps}
    behind = dict.fromkeys(key for step in part.plan.steps for key in problem.plan.behind(step.key))
    names = {entry.key: name for name, entry in scope.entries.items()}
    elsewhere = [key for key in behind if isinstance(problem.plan.entries[key], Step) and key not in own]
    direct = {key for key in own for key in problem.plan.uses[key]}
    if used := [key for key in elsewhere if key in direct]:
        quiz.lost.append(OTHER_PART.format(name=part.name, keys=", ".join(used)))
    needed = [key for key in behind if key in direct or key in own]
    givens = tuple(_given(scope, names[key]) for key in needed if isinstance(problem.plan.entries[key], Given) and key in names)
    pinned = tuple(_pinned(scope, step) for step in part.plan.steps if step.given)
    ask = tuple(text for text in (problem.ask, part.ask, part.note if part.ask != part.note else "") if text)
    return Question(part.name or "", part.title or part.name or quiz.title, ask, _facts(solution, scope, part), givens + pinned, asked)


def _given(scope: Scope, name: str) -> Matrix:
    given = scope.given(name)
    assert given is not None
    grid = given_grid(given, scope.shown(name))
    cells = tuple(tuple(cell.text if cell.tree is None else unparse(cell.tree) for cell in row) for row in grid.cells)
    return Matrix(name, cells, given.rows, given.columns)


def _pinned(scope: Scope, step: Step) -> Matrix:
    n, m = step.shape
    shown = scope.shown(step.name)
    return Matrix(step.name, tuple(tuple(shown.text(i, j) for j in range(m)) for i in range(n)), step.rows, step.columns)


def _facts(solution: Solution, scope: Scope, part: Part) -> tuple[str, ...]:
    """The conventions in force, and how to round."""
    chosen = [one for one in choices(solution, scope).items if one.option != "decimals"]
    said = [(one.option, one.value if isinstance(one.value, str) else unparse(one.value), one.words) for one in chosen]
    lines = [f"{option}: {value}{f' ({words})' if words else ''}" for option, value, words in said]
    return (*lines, f"Decimals: {texts.decimals(part.rounding.digits, part.rounding.mode)}. More exact numbers are accepted as well.")
