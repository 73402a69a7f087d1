"""Export of problems, or of all variants of a key, as a file for a course system."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from itertools import groupby, islice
from typing import Any

from ..errors import AttncalcError, Diagnostic, Location
from ..exam.paper_folder import MANIFEST
from ..exam.sheet.instructor_question import LETTERS
from ..explain.document import Document
from ..gradebook.answer_key import ENDINGS, LARGEST_KEY, read_key
from ..gradebook.instructor_questions import InstructorQuestionKey
from ..problem.loader import read_problem
from .quiz import AskedStep, Blank, Question, Quiz
from .quiz_builder import quiz_of, quizzes
from .registry import SYSTEMS

PIECE = "{title} ({number} of {all})"


MOST_FILES = 10_000  # in a folder
KEY = "key.json"
_VARIANT = re.compile(r"(.*\S), variant ([0-9]{1,9})", re.DOTALL)  # titles by `attncalc generate`
Held = dict[str, Any]


def split(quiz: Quiz, most: int) -> None:
    """Split each question of a quiz with more than `most` answer fields."""
    quiz.questions = [piece for question in quiz.questions for piece in pieces(question, most)]


def pieces(question: Question, most: int) -> list[Question]:
    """Return the question, or its pieces; each piece lists the formulas of the steps in earlier pieces."""
    if len(question.blanks) <= most:
        return [question]
    groups = list(_pack(question.asked, most))
    return [_piece(question, groups, k) for k in range(len(groups))]


def _piece(question: Question, groups: list[list[AskedStep]], k: int) -> Question:
    """Return one piece. The solution of a step follows its last entries, so that it reveals none that are still to
    come.
    """
    later = {asked.name for piece in groups[k + 1 :] for asked in piece}
    ended = {asked.name for asked in groups[k]} - later
    earlier = {asked.formula: None for piece in groups[:k] for asked in piece if asked.formula}
    solution = question.solution

    def worked(only: set[str] | None) -> Document:
        assert solution is not None
        return solution(ended if only is None else ended & only)

    title = PIECE.format(title=question.title, number=k + 1, all=len(groups))
    name = f"{question.name} {k + 1}".strip()
    formulas = (*question.formulas, *earlier)
    return replace(
        question,
        name=name,
        title=title,
        asked=tuple(groups[k]),
        formulas=formulas,
        solution=worked if solution and ended else None,
    )


def _pack(steps: tuple[AskedStep, ...], most: int) -> Iterator[list[AskedStep]]:
    """Yield the steps in order, as many per piece as fit."""
    piece: list[AskedStep] = []
    for step in (part for asked in steps for part in _parts(asked, most)):
        if piece and sum(len(asked.blanks) for asked in piece) + len(step.blanks) > most:
            yield piece
            piece = []
        piece.append(step)
    yield piece


def _parts(asked: AskedStep, most: int) -> Iterator[AskedStep]:
    """Yield a step that fits, or groups of its rows that fit; a row that is too long is split."""
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
    names: str | Iterable[str], system: str, most: int | None = None, together: bool = False, solutions: bool = True
) -> tuple[Content, list[str]]:
    """Return the file (bytes for a zip, else text) and the limitations of the course system.

    `names` are key.json files of exams, problem files, names of problems, outputs of `attncalc generate`, or folders of
    these. Questions with more than `most` fields are split. `together` joins all parts in one question, so that a
    student gets one variant. Without `solutions` the file has no worked solutions. Raises AttncalcError for input that
    cannot be read or asked.
    """
    quizzes = read_quizzes([names] if isinstance(names, str) else names)
    titles = dict.fromkeys(quiz.title for quiz in quizzes)
    if len(titles) > 1 and not SYSTEMS[system].several:
        raise AttncalcError(
            f"{system}: expected one problem, or the variants of one, found {len(titles)} different ones; "
            "export them one by one"
        )
    for quiz in quizzes:
        if most is not None:
            split(quiz, most)
        if together:
            _join(quiz)
        for question in quiz.questions:
            question.solution = question.solution if solutions else None
    return write(system, quizzes)


def _join(quiz: Quiz) -> None:
    """Mark a quiz to be one question, in which no part repeats the facts of another."""
    quiz.together = True
    asked_names = {question.name for question in quiz.questions if question.asked}
    for question in quiz.questions:
        question.prior_parts = tuple(prior for prior in question.prior_parts if prior.name not in asked_names)


def write(system: str, quizzes: list[Quiz]) -> tuple[Content, list[str]]:
    """Return the file that the writer of a system produces, and its limitations; the module is named like the
    system.
    """
    content, limitations = import_module(f".{system}", __package__).write(quizzes)
    return content, limitations


def read_quizzes(names: Iterable[str]) -> list[Quiz]:
    """Return the quizzes of files and folders in order, with unique titles and codes. Raises AttncalcError for an
    unreadable source.
    """
    return with_unique_codes([quiz for name in names for path in _paths(name) for quiz in _quizzes(path)])


def with_unique_codes(quiz_list: list[Quiz]) -> list[Quiz]:
    """Give the variants of one problem a common title, and quizzes with one title distinct codes."""
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
    """Yield the file, the key of an exam's folder, or the problem files of another folder in natural order (2 before
    10).
    """
    if not os.path.isdir(name):
        yield name
        return
    if os.path.isfile(os.path.join(name, MANIFEST)) and os.path.isfile(os.path.join(name, KEY)):
        yield os.path.join(name, KEY)
        return
    files = [
        entry.name
        for entry in islice(os.scandir(name), MOST_FILES + 1)
        if entry.name.endswith(ENDINGS) and not entry.name.startswith(".")
    ]
    if not files or len(files) > MOST_FILES:
        there = f"more than {MOST_FILES:,}" if files else "none"
        raise AttncalcError(
            Diagnostic(f"expected a folder with problem files ({', '.join(ENDINGS)}), found {there}", Location(name))
        )
    yield from (os.path.join(name, file) for file in sorted(files, key=_natural))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(piece), "") if piece.isdecimal() else (0, piece) for piece in re.split("([0-9]{1,18})", name)]


def _quizzes(path: str) -> Iterator[Quiz]:
    """Yield the quizzes of one file."""
    records = (
        _generated_records(path)
        if path.endswith(".json") and os.path.isfile(path) and os.path.getsize(path) <= LARGEST_KEY
        else []
    )
    if not records:
        yield from quizzes(read_key(path))
    for record in records:
        stem = os.path.splitext(os.path.basename(path))[0]
        problem = read_problem(record["problem"], path, stem)
        points = problem.parts[0].total_points if problem.parts else None
        yield quiz_of(problem, problem.title or stem, "", _choice(record.get("choices"), points or Fraction(1), path))


def _generated_records(path: str) -> list[Held]:
    """Return the records that `attncalc generate --to json` wrote, as one object or as JSON lines; empty for another
    file.
    """
    with open(path, "rb") as file:
        raw = file.read(LARGEST_KEY)
    for pieces in ([raw], raw.splitlines()):
        try:
            records = [json.loads(piece) for piece in pieces if piece.strip()]
        except (ValueError, RecursionError):
            continue
        if records and all(
            isinstance(record, dict) and isinstance(record.get("problem"), str) and "variant" in record
            for record in records
        ):
            return records
    return []


def _choice(choices: Any, points: Fraction, path: str) -> tuple[InstructorQuestionKey, ...]:
    """Return the multiple choice that replaces the entries. Raises AttncalcError if it is malformed."""
    if choices is None:
        return ()
    try:
        answers = list(zip(LETTERS, choices["answers"], strict=False))
        feedback = {letter: "" if answer["right"] else str(answer["feedback"]) for letter, answer in answers}
        options = [
            {"letter": letter, "matrix": [list(map(str, row)) for row in answer["matrix"]], "because": feedback[letter]}
            for letter, answer in answers
        ]
        right = frozenset(letter for letter, answer in answers if answer["right"])
        return (
            InstructorQuestionKey(
                "", points, tuple(feedback), right, feedback, {"step": str(choices["step"]), "choices": options}
            ),
        )
    except (KeyError, TypeError, AttributeError):
        message = (
            "choices: expected a step and its answers, as `attncalc generate --choices` writes them; found "
            "something else"
        )
        raise AttncalcError(Diagnostic(message, Location(path))) from None
