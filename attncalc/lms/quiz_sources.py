"""Reading of quizzes from problem files, keys of exams, outputs of `attncalc generate`, and folders of these."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

from ..errors import AttncalcError, Diagnostic, Location
from ..exam.paper_folder import MANIFEST
from ..exam.sheet.instructor_question import LETTERS
from ..gradebook.answer_key import ENDINGS, LARGEST_KEY, read_key
from ..gradebook.instructor_questions import InstructorQuestionKey
from ..problem.loader import read_problem
from .quiz import Quiz
from .quiz_builder import quiz_of, quizzes

MOST_FILES = 10_000  # in a folder
KEY = "key.json"
_VARIANT = re.compile(r"(.*\S), variant ([0-9]{1,9})", re.DOTALL)  # titles by `attncalc generate`
Held = dict[str, Any]


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
