"""Exports problems, or all variants of a key, as a file for a course system."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from itertools import groupby, islice
from typing import Any

from .. import limits
from ..api import read_bytes, solve
from ..arithmetic.budget import MOST_SECONDS, GiveUp, Meter, spending
from ..arithmetic.intervals.decimals import interval_decimals, texts
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box
from ..arithmetic.working_precision import working_precision
from ..certified_decimals import Printer
from ..errors import AttncalcError, Location, shorten
from ..exam.paper_folder import MANIFEST
from ..exam.problem_assembly import author_part_name, with_author_names
from ..exam.sheet.instructor_question import LETTERS
from ..exam.translations import USUAL, Words, words_of
from ..explain.document import Choices, Document, Flow, Heading
from ..explain.number_display import given_grid
from ..explain.part_document import part_blocks
from ..explain.part_scope import Scope, readable_formula
from ..explain.sections import with_trees
from ..explain.stated_conventions import choices
from ..formula.syntax_tree import unparse
from ..formula.typed_formula import Node
from ..generator.numeric_view import BITS, NumericView
from ..gradebook.answer_key import ENDINGS, LARGEST_KEY, Key, KeyVariant, read_key
from ..gradebook.entry_form import asked_entries
from ..gradebook.instructor_questions import InstructorQuestionKey
from ..marking.credit import points_of
from ..mistakes.catalogue import catalogue, nodes_of
from ..mistakes.mistake import Mistake
from ..plan import Given, Step
from ..problem.loader import read_problem
from ..problem.problem import METHOD, Part, Problem
from ..processor_limit import KEYS, limited
from ..render.math.single_line import UNICODE
from ..solution import PartSolution, Solution
from ..step_values import Values
from .quiz import AcceptedAnswer, AskedStep, Blank, Definition, Matrix, Option, PriorPart, Question, Quiz
from .registry import ENGLISH, FIGURE_LEFT, ROUNDED_GIVENS, SYSTEMS

MOST_MISTAKES = 6  # per answer field
MOST_ALIKE = 2  # a number is reported only if at most this number of mistakes give it
INFINITE = ("-inf", "inf")
LAST_DIGIT = "The method is right, but the last digit is not."
ONE_OF = "You may have made one of these mistakes: "


class AcceptedAnswers:
    """The search for the accepted answers of a problem's steps."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.view = NumericView(problem)
        self.values = Values(problem.plan)
        self.paper_parts = {solved.name: solved for solved in solve(problem, paper=True).parts}
        self.count = 0
        self.mistakes = Meter(MOST_SECONDS)  # after this work, later steps get no answers for mistakes

    def of(self, part: Part, step: Step) -> tuple[Blank, ...]:
        """Return the fields of a step, with equal shares of its points. Raises AttncalcError for too many in a quiz."""
        cells = sorted({(i, j) for asked, i, j in asked_entries(part) if asked is step})
        worth = points_of(part).get(step.name, Fraction(0))
        if not cells or not worth:
            return ()
        self.count += len(cells)
        if self.count > limits.QUIZ.most:
            raise AttncalcError(limits.QUIZ.exceeded(f"{self.count:,} or more"))
        digits, modes = part.rounding.digits, dict.fromkeys((part.rounding.mode, "half_up"))
        right = [Printer(self.values, step, digits, mode).decimals().texts for mode in modes]
        wrong: list[MistakeTable] = []
        with suppress(GiveUp), spending(self.mistakes):
            wrong.extend(self.mistake_tables(part, step))
        stepwise = self.stepwise_values(part, step)
        tables = [stepwise, *right] if self.problem.carries_rounded else [*right, stepwise]
        tables += self.convention_values(part, step)
        return tuple(self.blank(part, (i, j), worth / len(cells), [t[i][j] for t in tables], wrong) for i, j in cells)

    def blank(
        self, part: Part, at: tuple[int, int], points: Fraction, right: list[str], wrong: list[MistakeTable]
    ) -> Blank:
        """Return the field of one entry. `right` are numbers with full points, and the rounded right number
        is first.
        """
        if right[0] in INFINITE:
            return Blank(*at, points, word=right[0])
        unit = Fraction(1, 10**part.rounding.digits)
        by_value: dict[Fraction, str] = {}
        for text in filter(_is_number, right):
            by_value.setdefault(Fraction(text), text)
        answers = [AcceptedAnswer(text, unit / 2, Fraction(1)) for text in by_value.values()]
        answers.append(AcceptedAnswer(answers[0].text, unit, METHOD, LAST_DIGIT))
        answers += _recognisable_mistakes(at, wrong, list(by_value), unit)
        return Blank(*at, points, tuple(answers))

    def stepwise_values(self, part: Part, step: Step) -> list[list[str]]:
        """Return the numbers of the step if every earlier step was also rounded; `?` for undecided numbers."""
        try:
            return self.paper_parts[part.name][step.name].printed(part.rounding.digits).texts
        except AttncalcError:
            return [["?"] * step.shape[1]] * step.shape[0]

    def convention_values(self, part: Part, step: Step) -> list[list[list[str]]]:
        """Return the numbers of the step for each convention that `accept` allows, with one convention at a time."""
        tables = []
        for key in self.problem.plan.ancestors(step.key):
            entry = self.problem.plan.entries[key]
            if isinstance(entry, Step) and not entry.given:
                nodes = nodes_of(self.accepted_codes(part), self.view.site(entry))
                boxes = (self.enclosure_with_mistake(step, entry, node) for node in nodes)
                tables += [interval_decimals(box, self.view.digits(step)) for box in boxes]
        return tables

    def accepted_codes(self, part: Part) -> dict[str, None]:
        """Return the codes of the mistakes that a part accepts as conventions, in order."""
        return dict.fromkeys((*self.problem.accept, *part.accept))

    def mistake_tables(self, part: Part, step: Step) -> Iterator[MistakeTable]:
        """Yield the numbers of the step for each mistake in this step, or in an earlier step without answer fields.
        Raises GiveUp if the work is above the limit.
        """
        asked = {f"{part.name}.{request.step}" if part.name else request.step for request in part.asked}
        for key in self.problem.plan.ancestors(step.key):
            entry = self.problem.plan.entries[key]
            if not isinstance(entry, Step) or entry.given:
                continue
            if key == step.key or not self.is_reported_earlier(key, step.key, asked):
                site = self.view.site(entry)
                for mistake in catalogue().values():
                    if mistake.code not in self.accepted_codes(part):
                        yield from ((mistake, self.printed_values(step, entry, node)) for node in mistake.nodes(site))

    def printed_values(self, step: Step, entry: Step, node: Node) -> list[list[str]]:
        """Return the printed numbers of the step if `entry` has the mistaken formula `node`; `?` if undecided."""
        box, digits = self.enclosure_with_mistake(step, entry, node), self.view.digits(step)
        if entry is step:
            return texts(self.view.decide_units(node, box, digits), digits)
        return interval_decimals(box, digits)

    def is_reported_earlier(self, key: str, target: str, asked: set[str]) -> bool:
        """Return whether every path from `key` to `target` contains an asked step, which then reports the mistake."""
        plan = self.problem.plan

        @cache
        def reaches_unasked(name: str) -> bool:
            unasked = (source for source in plan.dependencies[name] if source not in asked)
            return name == key or any(map(reaches_unasked, unasked))

        return key in asked or not reaches_unasked(target)

    def enclosure_with_mistake(self, step: Step, site: Step, node: Node) -> Box:
        """Return the enclosure of a step if the step `site` has the mistaken formula `node`."""
        plan, enclosures = self.problem.plan, {}

        def enclosure(key: str) -> Box:
            if key not in enclosures:
                if key == site.key:
                    enclosures[key] = evaluate(node, self.view.full)
                elif site.key in plan.ancestors(key):
                    enclosures[key] = evaluate(plan.entries[key].node, enclosure)
                else:
                    enclosures[key] = self.view.full(key)
            return enclosures[key]

        with working_precision(BITS):
            return enclosure(step.key)


MistakeTable = tuple[Mistake, list[list[str]]]


def _recognisable_mistakes(
    at: tuple[int, int], wrong: list[MistakeTable], right_values: list[Fraction], unit: Fraction
) -> Iterator[AcceptedAnswer]:
    """Yield an answer for each number of an entry that at most MOST_ALIKE mistakes give, most common first."""
    by_text: dict[str, dict[str, Mistake]] = {}
    for mistake, table in wrong:
        text = table[at[0]][at[1]]
        if _is_number(text) and all(abs(Fraction(text) - value) > unit for value in right_values):
            by_text.setdefault(text, {})[mistake.code] = mistake
    candidates = [(text, list(known.values())) for text, known in by_text.items() if len(known) <= MOST_ALIKE]
    candidates.sort(key=lambda item: (-sum(m.weight for m in item[1]), item[0]))
    for text, mistakes in candidates[:MOST_MISTAKES]:
        feedback = " / ".join(f"{m.done} {m.advice} ({m.code})" for m in mistakes)
        yield AcceptedAnswer(text, unit / 2, Fraction(0), feedback if len(mistakes) == 1 else ONE_OF + feedback)


def _is_number(text: str) -> bool:
    return text not in ("?", *INFINITE)


def instructor_question(key: InstructorQuestionKey, drawn: Question | None, words: Words) -> Question:
    """Return the question of an instructor. If its choices are matrices, `drawn` holds its task and givens. `words`
    translates texts.
    """
    record: Mapping[str, object] = key.record or {}
    texts = tuple(str(record[word]) for word in ("ask", "note") if record.get(word))
    title = str(record.get("title") or (drawn.title if drawn else "") or key.name)
    question = drawn or Question(key.name, title, (), (), (), ())
    question = replace(question, name=key.name, title=title, ask=texts or question.ask, worth=key.points)
    question.model_answer = str(record.get("solution") or "")
    if not key.is_ticked:
        return replace(question, essay=True)
    step = str(record.get("step") or "")
    choices = record.get("choices")
    listed = choices if isinstance(choices, list) else ()
    options = tuple(_option(choice, key, step) for choice in listed if isinstance(choice, Mapping))
    instruction = words["tick_several" if record.get("several") else "tick_one"]
    instruction = words.fill("which", step=step) if step else instruction
    return replace(question, options=options, several=bool(record.get("several")), facts=(*question.facts, instruction))


def _option(choice: Mapping[str, object], key: InstructorQuestionKey, step: str) -> Option:
    """Return an option: a text, or the matrix of a step without labels."""
    letter, feedback = str(choice.get("letter") or ""), str(choice.get("because") or "")
    rows = choice.get("matrix")
    matrix = Matrix(step, tuple(tuple(map(str, row)) for row in rows)) if isinstance(rows, list) and rows else None
    return Option(letter in key.right, str(choice.get("text") or ""), matrix, feedback)


UNFOLDED = 99  # depth of nested lessons in solutions: all levels
UNTITLED = "problem"  # every system requires a name
OTHER_PART = (
    "{name}: uses {keys} from a different question, and repeats the givens of that question; each question is marked "
    "against the correct numbers"
)


def quizzes(key: Key, hints: bool = False) -> Iterator[Quiz]:
    """Yield a quiz for each variant, or for each version if the exam has versions. With `hints`, a step that is asked
    by its description also shows its formula. Raises AttncalcError if too little or too much is asked.
    """
    for variant in _first_of_each_version(key.variants):
        quiz = quiz_of(key.problem(variant), key.title, variant.code, variant.questions, key.words, hints)
        figures = ((shorten(name), shorten(file)) for name, file in variant.figures)
        quiz.limitations += [FIGURE_LEFT.format(name=name, file=file) for name, file in figures]
        yield quiz


def _first_of_each_version(variants: Iterable[KeyVariant]) -> Iterator[KeyVariant]:
    """Yield the first variant of each version, which all its papers share. Without versions, yield every variant."""
    seen: set[str] = set()
    for variant in variants:
        if variant.version not in seen:
            yield variant
        seen |= {variant.version} - {""}


def quiz_of(
    problem: Problem,
    title: str,
    code: str = "",
    instructor_keys: tuple[InstructorQuestionKey, ...] = (),
    words: Words | None = None,
    hints: bool = False,
) -> Quiz:
    """Return the quiz of a problem and of an instructor's questions, with the words of the paper. Raises AttncalcError
    if no question has points.
    """
    words = words or words_of(USUAL)
    quiz = Quiz(next(filter(str.strip, (title, problem.title, problem.name)), UNTITLED), code, plan=problem.plan)
    parts, accepted_answers = _Parts(problem, quiz, words, hints), AcceptedAnswers(problem)
    instructor_names = {key.name for key in instructor_keys}
    drawn: dict[str, Question] = {}
    for solved in parts.solution.parts:
        asked = parts.asked(solved, accepted_answers)
        if (solved.name or "") in instructor_names:
            drawn[solved.name or ""] = parts.question(solved, ())
        elif asked:
            quiz.questions.append(parts.question(solved, asked))
    quiz.questions += [instructor_question(key, drawn.get(key.name), words) for key in instructor_keys]
    if instructor_keys:
        quiz.questions.sort(key=lambda question: int(match[0]) if (match := re.findall("[0-9]+", question.name)) else 0)
    if not quiz.questions:
        message = "no asked step has points; check `asked:` and points:"
        raise AttncalcError(message, Location(quiz.title))
    quiz.limitations += [ENGLISH.format(language=words.language)] * (words.language != USUAL)
    quiz.limitations += [ROUNDED_GIVENS] * bool(problem.rounded_givens)
    return quiz


class _Parts:
    """The parts of a problem as questions of a quiz, with the words of the paper."""

    def __init__(self, problem: Problem, quiz: Quiz, words: Words, hints: bool):
        self.problem, self.quiz, self.words, self.hints = problem, quiz, words, hints
        self.solution = solve(problem)
        self.given_entries = 0  # given entries that were shown so far, including repetitions

    def asked(self, solved: PartSolution, accepted_answers: AcceptedAnswers) -> tuple[AskedStep, ...]:
        """Return the steps of a part with answer fields."""
        scope, asked = Scope(self.solution, solved), []
        for step in solved.part.plan.steps:
            blanks = () if step.given else accepted_answers.of(solved.part, step)
            definition = self.definition(scope, step) if step.lesson is None else None
            asked.append(AskedStep(step.name, step.shape, blanks, *step.blank_labels, definition, step.key))
        return tuple(step for step in asked if step.blanks)

    def question(self, solved: PartSolution, asked: tuple[AskedStep, ...]) -> Question:
        """Return the question of a part, with the earlier parts that it uses."""
        part, scope, plan, words = solved.part, Scope(self.solution, solved), self.problem.plan, self.words
        asked_keys = [asked_step.key for asked_step in asked]
        keys = asked_keys or [step.key for step in part.plan.steps]  # in a choice between matrices, every step counts
        behind = dict.fromkeys(key for step in part.plan.steps for key in plan.ancestors(step.key))
        others = (other for other in self.solution.parts if other.part is not part)
        feeding = [other for other in others if any(step.key in behind for step in other.part.plan.steps)]
        prior_parts = tuple(self.prior_part(other, part, behind, keys) for other in feeding)
        if used := [name for prior in prior_parts for name in prior.used]:
            self.quiz.limitations.append(OTHER_PART.format(name=part.name, keys=", ".join(used)))
        part_keys = {step.key for step in part.plan.steps}
        givens = self.givens(scope, [key for key in behind if key in part_keys], part.plan.steps)
        rounded = f"{words.rounding(part)} {words['exact']}"
        facts = (*self.facts(scope), *((rounded, words["typed"]) if asked else ()))
        ask = _texts(self.problem.ask, words.sentence(part.ask), part.note)
        title = part.title or part.name or self.quiz.title
        formulas = tuple(line for key, line in self.definitions(scope, keys).items() if key not in asked_keys)
        worked = partial(_solution_document, self.solution, solved)
        return Question(part.name or "", title, ask, facts, givens, asked, prior_parts, solution=worked,
                        formulas=formulas)  # fmt: skip

    def prior_part(self, solved: PartSolution, part: Part, behind: dict[str, None], keys: list[str]) -> PriorPart:
        """Return an earlier part with everything that its steps need, but without its results, which are asked."""
        other, scope, words = solved.part, Scope(self.solution, solved), self.words
        steps = [step for step in other.plan.steps if step.key in behind]
        direct = {key for step in part.plan.steps for key in self.problem.plan.dependencies[step.key]}
        givens = self.givens(scope, [step.key for step in steps], steps)
        used = tuple(step.key for step in steps if step.key in direct)
        formulas = tuple(self.definitions(scope, keys).values())
        names = f" ({', '.join(map(author_part_name, used))})" if used else ""
        lead = words.fill("used", part=author_part_name(other.name or ""), names=names)
        ask = _texts(words.sentence(other.ask), other.note)
        return PriorPart(other.name or "", lead, used, ask, self.facts(scope), givens, formulas)

    def definition(self, scope: Scope, step: Step) -> Definition:
        """Return the definition of a step."""
        formula = UNICODE.formula(with_author_names(readable_formula(scope, step.tree)))
        return Definition(step.name, formula if self.hints or not step.means else "", step.means)

    def definitions(self, scope: Scope, keys: Iterable[str]) -> dict[str, Definition]:
        """Return the definitions of a part that the steps with these keys need, by key."""
        needed = {step.key for key in keys for step in self.problem.plan.definitions(key, self.hints)}
        return {step.key: self.definition(scope, step) for step in scope.part.part.plan.steps if step.key in needed}

    def givens(self, scope: Scope, users: list[str], steps: Iterable[Step]) -> tuple[Matrix, ...]:
        """Return the givens that the steps `users` need, in the file's order, then the given steps among `steps`."""
        plan = self.problem.plan
        names = {entry.key: name for name, entry in scope.entries.items()}
        used = {key for step in users for key in plan.dependencies[step]} & names.keys()
        given = [key for key, entry in plan.entries.items() if isinstance(entry, Given) and key in used]
        fixed = [step for step in steps if step.given]
        shapes = (entry.shape for entry in (*map(plan.entries.__getitem__, given), *fixed))
        self.given_entries += sum(n * m for n, m in shapes)
        _require_few(self.given_entries)
        return (*(_given(scope, names[key]) for key in given), *(_fixed_matrix(scope, step) for step in fixed))

    def facts(self, scope: Scope) -> tuple[str, ...]:
        """Return the conventions of a part."""
        listed = self.words.choices(choices(self.solution, scope)).items
        chosen = [choice for choice in listed if choice.option != "decimals"]
        values = [choice.value if isinstance(choice.value, str) else unparse(choice.value) for choice in chosen]
        return tuple(
            f"{choice.option}: {value}" if choice.option else choice.words.replace("{value}", value)
            for choice, value in zip(chosen, values, strict=True)
        )


def _texts(*texts: str) -> tuple[str, ...]:
    """Return the texts without empty texts and without duplicates."""
    return tuple(dict.fromkeys(filter(None, texts)))


def _solution_document(solution: Solution, solved: PartSolution, only: set[str] | None) -> Document:
    """Return the solved steps of a part, without its question."""
    blocks = part_blocks(solution, solved, only, False, set(), UNFOLDED, "steps")
    worked = (block for block in blocks if not isinstance(block, (Heading, Choices, Flow)))
    return Document([with_trees(block, with_author_names) for block in worked])


def _given(scope: Scope, name: str) -> Matrix:
    given = scope.given(name)
    assert given is not None
    grid = given_grid(given, scope.shown(name))
    cells = tuple(tuple(cell.text if cell.tree is None else unparse(cell.tree) for cell in row) for row in grid.cells)
    return Matrix(name, cells, given.rows, given.columns)


def _fixed_matrix(scope: Scope, step: Step) -> Matrix:
    n, m = step.shape
    shown = scope.shown(step.name)
    cells = tuple(tuple(shown.text(i, j) for j in range(m)) for i in range(n))
    return Matrix(step.name, cells, step.rows, step.columns)


PIECE = "{title} ({number} of {all})"


MOST_FILES = 10_000  # in a folder
KEY = "key.json"
_VARIANT = re.compile(r"(.*\S), variant ([0-9]{1,9})", re.DOTALL)  # titles that `attncalc generate` writes


def split(quiz: Quiz, most: int) -> None:
    """Split each question with more than `most` answer fields."""
    quiz.questions = [piece for question in quiz.questions for piece in pieces(question, most)]


def pieces(question: Question, most: int) -> list[Question]:
    """Return the question, or its pieces. Each piece lists the formulas of the steps in earlier pieces."""
    if len(question.blanks) <= most:
        return [question]
    groups = list(_pack(question.asked, most))
    return [_piece(question, groups, k) for k in range(len(groups))]


def _piece(question: Question, groups: list[list[AskedStep]], k: int) -> Question:
    """Return piece k. It contains the solution of a step only if no later piece asks for entries of the step."""
    later = {asked.name for piece in groups[k + 1 :] for asked in piece}
    ended = {asked.name for asked in groups[k]} - later
    earlier = {asked.definition: None for piece in groups[:k] for asked in piece if asked.definition}
    solution = question.solution

    def worked(only: set[str] | None) -> Document:
        assert solution is not None
        return solution(ended if only is None else ended & only)

    title = PIECE.format(title=question.title, number=k + 1, all=len(groups))
    piece = replace(question, name=f"{question.name} {k + 1}".strip(), title=title, asked=tuple(groups[k]))
    formulas = (*question.formulas, *earlier)
    return replace(piece, formulas=formulas, solution=worked if solution and ended else None)


def _pack(steps: tuple[AskedStep, ...], most: int) -> Iterator[list[AskedStep]]:
    """Yield the steps in order, in groups with at most `most` fields."""
    piece: list[AskedStep] = []
    for step in (part for asked in steps for part in _parts(asked, most)):
        if piece and sum(len(asked.blanks) for asked in piece) + len(step.blanks) > most:
            yield piece
            piece = []
        piece.append(step)
    yield piece


def _parts(asked: AskedStep, most: int) -> Iterator[AskedStep]:
    """Yield a step, or groups of its rows with at most `most` fields. A row with more fields is split."""
    held: list[Blank] = []
    for _, row in groupby(asked.blanks, key=lambda blank: blank.row):
        blanks = list(row)
        for start in range(0, len(blanks), most):
            cells = blanks[start : start + most]
            if held and len(held) + len(cells) > most:
                yield replace(asked, blanks=tuple(held))
                held = []
            held += cells
    yield replace(asked, blanks=tuple(held))


Content = str | bytes


def export(
    names: str | Iterable[str],
    system: str,
    most: int | None = None,
    together: bool = False,
    solutions: bool = True,
    hints: bool = False,
) -> tuple[Content, list[str]]:
    """Return the file (bytes for a zip, otherwise text) and the limitations of the course system.

    `names` are key.json files of exams, problem files, names of problems, outputs of `attncalc generate`, or folders of
    these. Questions with more than `most` fields are split. `together` makes all parts one question, so that a student
    gets the same variant in all of them. Without `solutions` there are no worked solutions. With `hints`, a step that
    is asked by its description also shows its formula. Raises AttncalcError for input that cannot be read or asked.
    """
    quizzes = read_quizzes([names] if isinstance(names, str) else names, hints, most)
    titles = dict.fromkeys(quiz.title for quiz in quizzes)
    if len(titles) > 1 and not SYSTEMS[system].several:
        there = f"found {len(titles)} different problems; export them one by one"
        raise AttncalcError(f"{system}: expected one problem, or the variants of one, {there}")
    for quiz in quizzes:
        if together:
            _join(quiz)
        for question in quiz.questions:
            question.solution = question.solution if solutions else None
    return write(system, quizzes)


def _join(quiz: Quiz) -> None:
    """Mark a quiz as one question. No part then repeats the facts of another part."""
    quiz.together = True
    asked_names = {question.name for question in quiz.questions if question.asked}
    for question in quiz.questions:
        question.prior_parts = tuple(prior for prior in question.prior_parts if prior.name not in asked_names)


def write(system: str, quizzes: list[Quiz]) -> tuple[Content, list[str]]:
    """Return the file of a course system and its limitations. The module with the system's name writes it."""
    content, limitations = import_module(f".{system}", __package__).write(quizzes)
    return content, limitations


def read_quizzes(names: Iterable[str], hints: bool = False, most: int | None = None) -> list[Quiz]:
    """Return the quizzes of files and folders in order, with unique titles and codes. Questions with more than `most`
    fields are split. Raises AttncalcError for an unreadable source, and for too many entries in total.
    """
    quizzes: list[Quiz] = []
    entries = 0
    for quiz in (quiz for name in names for path in _paths(name) for quiz in _quizzes(path, hints)):
        if most is not None:
            split(quiz, most)
        entries += sum(question.entries for question in quiz.questions)
        _require_few(entries)
        quizzes.append(quiz)
    return with_unique_codes(quizzes)


def _require_few(entries: int) -> None:
    """Raise AttncalcError if there are more entries than an export may have."""
    if entries > limits.EXPORT.most:
        raise AttncalcError(limits.EXPORT.exceeded(f"{entries:,} or more"))


def with_unique_codes(quiz_list: list[Quiz]) -> list[Quiz]:
    """Give all variants of a problem the same title, and quizzes with the same title different codes."""
    bases = Counter(match[1] for quiz in quiz_list if (match := _VARIANT.fullmatch(quiz.title)))
    for quiz in quiz_list:
        if (match := _VARIANT.fullmatch(quiz.title)) and bases[match[1]] > 1:
            quiz.title, quiz.code = match[1], f"{quiz.code} variant {match[2]}".strip()
    counts = Counter((quiz.title, quiz.code) for quiz in quiz_list)
    numbers: Counter[tuple[str, str]] = Counter()
    for quiz in quiz_list:
        identity = (quiz.title, quiz.code)
        if counts[identity] > 1:
            numbers[identity] += 1
            quiz.code = f"{quiz.code} {numbers[identity]}".strip()
    return quiz_list


def _paths(name: str) -> Iterator[str]:
    """Yield the file. For a folder, yield the key of its exam, or its problem files in natural order (2 before 10)."""
    if not os.path.isdir(name):
        yield name
        return
    if os.path.isfile(os.path.join(name, MANIFEST)) and os.path.isfile(os.path.join(name, KEY)):
        yield os.path.join(name, KEY)
        return
    names = (entry.name for entry in islice(os.scandir(name), MOST_FILES + 1))
    files = [file for file in names if file.endswith(ENDINGS) and not file.startswith(".")]
    if not files or len(files) > MOST_FILES:
        there = f"more than {MOST_FILES:,}" if files else "none"
        message = f"expected a folder with 1 to {MOST_FILES:,} problem files ({', '.join(ENDINGS)}), found {there}"
        raise AttncalcError(message, Location(name))
    yield from (os.path.join(name, file) for file in sorted(files, key=_natural))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(piece), "") if piece.isdecimal() else (0, piece) for piece in re.split("([0-9]{1,18})", name)]


def _quizzes(path: str, hints: bool) -> Iterator[Quiz]:
    may_be_generated = path.endswith(".json") and os.path.isfile(path) and os.path.getsize(path) <= LARGEST_KEY
    with limited(Location(path), KEYS):
        records = _generated_records(path) if may_be_generated else []
    if not records:
        yield from quizzes(read_key(path), hints)
    for record in records:
        stem = os.path.splitext(os.path.basename(path))[0]
        problem = read_problem(record["problem"], path, stem)
        points = problem.parts[0].total_points if problem.parts else None
        choice = _choice(record.get("choices"), points or Fraction(1), path)
        yield quiz_of(problem, problem.title or stem, "", choice, None, hints)


def _generated_records(path: str) -> list[dict[str, Any]]:
    """Return the records of `attncalc generate --to json` (one object, or JSON lines); empty for another file."""
    raw = read_bytes(path, LARGEST_KEY)
    for pieces in ([raw], raw.splitlines()):
        try:
            records = [json.loads(piece) for piece in pieces if piece.strip()]
        except ValueError:
            continue
        is_generated = (isinstance(record, dict) and isinstance(record.get("problem"), str) for record in records)
        if records and all(is_generated) and all("variant" in record for record in records):
            return records
    return []


def _choice(choices: Any, points: Fraction, path: str) -> tuple[InstructorQuestionKey, ...]:
    """Return the multiple-choice question that replaces the entries. Raises AttncalcError if it is malformed."""
    if choices is None:
        return ()
    try:
        answers = list(zip(LETTERS, choices["answers"], strict=False))
        feedback = {letter: "" if answer["right"] else str(answer["feedback"]) for letter, answer in answers}
        matrices = ((letter, [list(map(str, row)) for row in answer["matrix"]]) for letter, answer in answers)
        options = [{"letter": letter, "matrix": rows, "because": feedback[letter]} for letter, rows in matrices]
        right = frozenset(letter for letter, answer in answers if answer["right"])
        record = {"step": str(choices["step"]), "choices": options}
        return (InstructorQuestionKey("", points, tuple(feedback), right, feedback, record),)
    except (KeyError, TypeError, AttributeError):
        expected = "expected a step and its answers, as `attncalc generate --choices` writes them"
        raise AttncalcError(f"choices: {expected}; found something else", Location(path)) from None
