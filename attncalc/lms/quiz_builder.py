"""Conversion of a problem, or of each variant of a key, to a quiz: its texts and its answer fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..api import solve
from ..errors import AttncalcError, Diagnostic, Location, shorten
from ..exam.problem_assembly import author_part_name, with_author_names
from ..exam.translations import USUAL, Words, words_of
from ..explain.conventions import choices
from ..explain.document import Choices, Document, Flow, Heading
from ..explain.number_display import given_grid
from ..explain.part_document import part_blocks
from ..explain.part_scope import Scope
from ..explain.sections import with_trees
from ..formula.syntax_tree import unparse
from ..gradebook.answer_key import Key, Keyed
from ..gradebook.instructor_questions import OwnKey
from ..plan import Given, Step
from ..problem.problem import Part, Problem
from ..solution import PartSolution, Solution
from .accepted_answers import AcceptedAnswers
from .instructor_questions import instructor_question
from .limitations import ENGLISH, FIGURE_LEFT
from .quiz import AskedStep, Matrix, PriorPart, Question, Quiz

UNFOLDED = 99  # depth to which nested lessons are worked: all
UNTITLED = "problem"  # every system requires a name
OTHER_PART = (
    "{name}: uses {keys} from another question, of which it repeats what is given; each is marked from the right "
    "numbers"
)


def quizzes(key: Key) -> Iterator[Quiz]:
    """Yield a quiz for each variant, or for each version of a sheet with versions. Raises AttncalcError if too little
    or too much is asked.
    """
    for variant in _first_of_each_version(key.variants):
        quiz = quiz_of(key.problem(variant), key.title, variant.code, variant.own, key.words)
        quiz.limitations += [
            FIGURE_LEFT.format(name=shorten(name), file=shorten(file)) for name, file in variant.figures
        ]
        yield quiz


def _first_of_each_version(variants: Iterable[Keyed]) -> Iterator[Keyed]:
    """Yield the first variant of each version, which all its papers share; without versions, every variant."""
    seen: set[str] = set()
    for variant in variants:
        if variant.version not in seen:
            yield variant
        seen |= {variant.version} - {""}


def quiz_of(
    problem: Problem, title: str, code: str = "", instructor_keys: tuple[OwnKey, ...] = (), words: Words | None = None
) -> Quiz:
    """Return the quiz of a problem and of an instructor's own questions, in the words of the paper. Raises
    AttncalcError if nothing that is asked earns points.
    """
    words = words or words_of(USUAL)
    quiz = Quiz(next(filter(str.strip, (title, problem.title, problem.name)), UNTITLED), code, plan=problem.plan)
    solution, accepted_answers = solve(problem), AcceptedAnswers(problem)
    instructor_names = {key.name for key in instructor_keys}
    drawn: dict[str, Question] = {}
    for solved in solution.parts:
        steps = tuple(_asked_step(solved.part, step, accepted_answers) for step in solved.part.plan.steps)
        asked = tuple(step for step in steps if step.blanks)
        if (solved.name or "") in instructor_names:
            drawn[solved.name or ""] = _question(problem, solution, solved, (), quiz, words)
        elif asked:
            quiz.questions.append(_question(problem, solution, solved, asked, quiz, words))
    quiz.questions += [instructor_question(key, drawn.get(key.name), words) for key in instructor_keys]
    if instructor_keys:
        quiz.questions.sort(key=lambda question: int(match[0]) if (match := re.findall("[0-9]+", question.name)) else 0)
    if not quiz.questions:
        raise AttncalcError(
            Diagnostic("nothing is asked that is worth points; asked: and points: say what is", Location(quiz.title))
        )
    quiz.limitations += [ENGLISH.format(language=words.language)] * (words.language != USUAL)
    if problem.rounded_givens:
        quiz.limitations.append(
            "givens: rounded, so that answers would be held against intervals; here they are held against the "
            "printed givens"
        )
    return quiz


def _asked_step(part: Part, step: Step, accepted_answers: AcceptedAnswers) -> AskedStep:
    blanks = () if step.given else accepted_answers.of(part, step)
    formula = _formula(step) if step.lesson is None else ""
    return AskedStep(step.name, step.shape, blanks, step.rows, step.columns, formula, step.key)


def _formula(step: Step) -> str:
    """Return a step as its author wrote it."""
    return f"{step.name} = {unparse(with_author_names(step.tree))}"


def _question(
    problem: Problem, solution: Solution, solved: PartSolution, asked: tuple[AskedStep, ...], quiz: Quiz, words: Words
) -> Question:
    part, scope, plan = solved.part, Scope(solution, solved), problem.plan
    behind = dict.fromkeys(key for step in part.plan.steps for key in plan.ancestors(step.key))
    feeding = [other for other in solution.parts if _feeds(other.part, part, behind)]
    prior_parts = tuple(_prior_part(problem, solution, other, part, behind, words) for other in feeding)
    if used := [name for prior in prior_parts for name in prior.used]:
        quiz.limitations.append(OTHER_PART.format(name=part.name, keys=", ".join(used)))
    part_keys = {step.key for step in part.plan.steps}
    givens = _givens(problem, scope, [key for key in behind if key in part_keys]) + tuple(
        _fixed_matrix(scope, step) for step in part.plan.steps if step.given
    )
    rounded = f"{words.rounding(part.rounding.digits, part.rounding.mode)} {words['exact']}"
    facts = (*_facts(solution, scope, words), *((rounded, words["typed"]) if asked else ()))
    ask = _texts(problem.ask, words.sentence(part.ask), part.note)
    title = part.title or part.name or quiz.title
    shown = {step.name for step in asked}
    unasked = [step for step in part.plan.steps if step.lesson is None and not step.given and step.name not in shown]
    formulas = tuple(map(_formula, unasked))

    def worked(only: set[str] | None) -> Document:
        return _solution_document(solution, solved, only)

    return Question(part.name or "", title, ask, facts, givens, asked, prior_parts, solution=worked, formulas=formulas)


def _texts(*texts: str) -> tuple[str, ...]:
    """Return the texts that are not empty, without duplicates."""
    return tuple(dict.fromkeys(filter(None, texts)))


def _feeds(other: Part, part: Part, behind: dict[str, None]) -> bool:
    return other is not part and any(step.key in behind for step in other.plan.steps)


def _prior_part(
    problem: Problem, solution: Solution, solved: PartSolution, part: Part, behind: dict[str, None], words: Words
) -> PriorPart:
    """Return an earlier part with what its steps need to be calculated here; its results are asked there, so they are
    not shown.
    """
    other, scope = solved.part, Scope(solution, solved)
    steps = [step for step in other.plan.steps if step.key in behind]
    direct = {key for step in part.plan.steps for key in problem.plan.dependencies[step.key]}
    formulas = tuple(_formula(step) for step in steps if step.lesson is None and not step.given)
    givens = _givens(problem, scope, [step.key for step in steps]) + tuple(
        _fixed_matrix(scope, step) for step in steps if step.given
    )
    used = tuple(step.key for step in steps if step.key in direct)
    names = f" ({', '.join(map(author_part_name, used))})" if used else ""
    lead = words.fill("used", part=author_part_name(other.name or ""), names=names)
    ask = _texts(words.sentence(other.ask), other.note)
    return PriorPart(other.name or "", lead, used, ask, _facts(solution, scope, words), givens, formulas)


def _givens(problem: Problem, scope: Scope, steps: list[str]) -> tuple[Matrix, ...]:
    """Return the givens that these steps use, in the order of the file."""
    names = {entry.key: name for name, entry in scope.entries.items()}
    used = {key for step in steps for key in problem.plan.dependencies[step]}
    keys = [
        key for key, entry in problem.plan.entries.items() if isinstance(entry, Given) and key in used & names.keys()
    ]
    return tuple(_given(scope, names[key]) for key in keys)


def _solution_document(solution: Solution, solved: PartSolution, only: set[str] | None) -> Document:
    """Return the worked steps of a part without its question."""
    blocks = part_blocks(solution, solved, only, False, set(), UNFOLDED, "steps")
    return Document(
        [with_trees(block, with_author_names) for block in blocks if not isinstance(block, (Heading, Choices, Flow))]
    )


def _given(scope: Scope, name: str) -> Matrix:
    given = scope.given(name)
    assert given is not None
    grid = given_grid(given, scope.shown(name))
    cells = tuple(tuple(cell.text if cell.tree is None else unparse(cell.tree) for cell in row) for row in grid.cells)
    return Matrix(name, cells, given.rows, given.columns)


def _fixed_matrix(scope: Scope, step: Step) -> Matrix:
    n, m = step.shape
    shown = scope.shown(step.name)
    return Matrix(
        step.name, tuple(tuple(shown.text(i, j) for j in range(m)) for i in range(n)), step.rows, step.columns
    )


def _facts(solution: Solution, scope: Scope, words: Words) -> tuple[str, ...]:
    """Return the conventions in force."""
    chosen = [choice for choice in words.choices(choices(solution, scope)).items if choice.option != "decimals"]
    facts = [
        (choice.option, choice.value if isinstance(choice.value, str) else unparse(choice.value), choice.words)
        for choice in chosen
    ]
    return tuple(
        f"{option}: {value}{f' ({meaning})' if meaning else ''}" if option else meaning
        for option, value, meaning in facts
    )
