"""Draws the variants of a sheet: for every student, an alternative and numbers of each question. No two variants are
alike.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from ..errors import AttncalcError
from ..generator.distractors import choices_of
from ..generator.search_result import DrawnVariant, Texts, canonical
from ..problem.random_stream import Stream
from ..problem.yaml_file.nodes import Scalar
from ..problem.yaml_file.writer import yaml_text
from .problem_assembly import combine_questions, question_tree
from .secret import new_code, secret_number
from .sheet.instructor_question import LETTERS, KeyChoice, KeyRecord
from .sheet.model import Question, Sheet, Student

MOST_ATTEMPTS = 40
_WORDS: tuple[Literal["title", "ask", "note"], ...] = ("title", "ask", "note")


@dataclass(slots=True)
class QuestionDraw:
    """The draw of a question for a variant: the alternative, its entries and its words."""

    choice: int = 0
    entries: Texts = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    key_record: KeyRecord = field(default_factory=KeyRecord)  # the record of a question with options or marking by hand

    @property
    def fingerprint(self) -> tuple[int, int] | None:
        """The alternative, and the entries without their order. It is equal for questions that look alike; None if
        nothing is drawn.
        """
        return (self.choice, canonical(self.entries)) if self.entries else None


@dataclass(slots=True)
class Variant:
    """The problem of a whole paper, as stored in the key."""

    code: str
    student: Student
    seed: str  # a digest of the draws, which reveals nothing about the seed or the secret
    problem: str
    name: str  # name for files, such as 07-K7Q2
    choices: tuple[int, ...]  # the alternative of each question
    key_records: tuple[KeyRecord, ...] = ()  # records of questions with options or marking by hand
    figures: tuple[tuple[str, str], ...] = ()  # (question, file) for each question with a picture
    # Whether it is the first of its version; the solution and the problem of a version are written once
    is_first: bool = True

    @property
    def shared_name(self) -> str:
        """The part of a file name that papers of the same version share, such as `A`. Without versions, it
        is `name`.
        """
        return self.student.version or self.name


def draw_question(sheet: Sheet, student: Student, index: int, attempt: int = 0) -> QuestionDraw:
    """Draw a question for a variant. The draw does not depend on other students, or on the number of processes."""
    question = sheet.questions[index]
    count = len(question.alternatives)
    choice = secret_number(sheet.key, "choice", student.draw_key, index) % count if count else 0
    alternative = select_alternative(question, choice)
    search = alternative.search
    if search is None:
        return QuestionDraw(choice, key_record=instructor_record(sheet, student, index, alternative))
    search.accepted_keys.clear()
    try:
        variant_draw, key_record = _draw_with_choices(sheet, student, index, choice, attempt)
    except AttncalcError as error:
        message = error.faults[0].message.replace("--relax ", "relax: ").replace("--choices", "choices")
        raise AttncalcError(message, alternative.place) from None
    return QuestionDraw(choice, variant_draw.entries, variant_draw.words, key_record)


def _draw_with_choices(
    sheet: Sheet, student: Student, index: int, choice: int, attempt: int
) -> tuple[DrawnVariant, KeyRecord]:
    """Return a variant and its key record. Draw again if too few mistakes give different numbers for the options."""
    question = select_alternative(sheet.questions[index], choice)
    assert question.search is not None
    for retry in range(MOST_ATTEMPTS):
        words = ("draw", student.draw_key, index, choice, attempt, *((retry,) if retry else ()))
        variant_draw = question.search.variant(secret_number(sheet.key, *words))
        try:
            return variant_draw, choice_record(question, variant_draw)
        except AttncalcError:
            if retry == MOST_ATTEMPTS - 1:
                raise
    raise AssertionError("one of the attempts returns or raises")


def instructor_record(sheet: Sheet, student: Student, index: int, question: Question) -> KeyRecord:
    """Return the key record of an instructor's question, with the options shuffled for this student. It is empty for
    other questions.
    """
    instructor_question = question.instructor_question
    if instructor_question is None:
        return {}
    order = list(range(len(instructor_question.options)))
    if instructor_question.shuffle:
        order = Stream("attncalc", sheet.key.hex(), "shuffle", student.draw_key, index).shuffled(order)
    return question_texts(question) | instructor_question.key_record(order)


def choice_record(question: Question, variant: DrawnVariant) -> KeyRecord:
    """Return the key record of a question whose options are matrices. It is empty for a question without options.
    Raises AttncalcError if too few mistakes give different numbers.
    """
    if not question.choices or question.search is None:
        return {}
    choices = choices_of(question.search, variant, question.choices, question.choice_step)
    options: list[KeyChoice] = [{"letter": letter, "matrix": choice["matrix"], "code": choice["code"],
              "because": "" if choice["right"] else choice["feedback"]}
              for letter, choice in zip(LETTERS, choices["answers"], strict=False)]  # fmt: skip
    right = [letter for letter, choice in zip(LETTERS, choices["answers"], strict=False) if choice["right"]]
    record: KeyRecord = {
        "kind": "choices",
        "several": False,
        "choices": options,
        "right": right,
        "step": choices["step"],
    }
    return question_texts(question) | record


def question_texts(question: Question) -> KeyRecord:
    """Return the points and texts of a question for its key record."""
    record: KeyRecord = {"points": question.points or "1"}
    for word in _WORDS:
        if isinstance(node := question.overrides.get(word), Scalar):
            record[word] = node.text
    if question.hint:
        record["hint"] = question.hint
    return record


def select_alternative(question: Question, choice: int) -> Question:
    """Return the drawn alternative of a question, or the question if it has no alternatives."""
    return question.alternatives[choice] if question.alternatives else question


def draw_all(sheet: Sheet, student: Student) -> list[QuestionDraw]:
    return [draw_question(sheet, student, index) for index in range(len(sheet.questions))]


def make_variants_distinct(
    sheet: Sheet, students: list[Student], draws: Iterable[list[QuestionDraw]]
) -> Iterator[Variant]:
    """Yield the variants in order. A question that looks like the question of an earlier student is drawn again."""
    seen: list[set[tuple[int, int]]] = [set() for _ in sheet.questions]
    draws_by_key: dict[str, list[QuestionDraw]] = {}
    used_codes: set[str] = set()
    for student, question_draws in zip(students, draws, strict=True):
        if student.draw_key in draws_by_key:
            question_draws = draws_by_key[student.draw_key]
        else:
            draws_by_key[student.draw_key] = question_draws
            for index, question_draw in enumerate(question_draws):
                question_draws[index] = _redraw_repeated(sheet, student, index, question_draw, seen[index])
        yield build_variant(sheet, student, question_draws, len(students), used_codes)


def paper_digest(sheet: Sheet, draws: list[QuestionDraw]) -> bytes:
    """Return a digest of the content of a paper: title, drawn numbers and words, and options in order. Solutions are
    left out, because with the code a student could check a guess.
    """
    printed_data = [
        [draw.choice, draw.entries, draw.words,
         [[choice.get("text"), choice.get("matrix")] for choice in draw.key_record.get("choices", [])]]
        for draw in draws
    ]  # fmt: skip
    return hashlib.sha256(json.dumps([sheet.title, printed_data], sort_keys=True).encode()).digest()


def _redraw_repeated(
    sheet: Sheet, student: Student, index: int, question_draw: QuestionDraw, seen: set[tuple[int, int]]
) -> QuestionDraw:
    question = select_alternative(sheet.questions[index], question_draw.choice)
    may_repeat = question.search is None or "duplicates" in question.search.spec.relaxed
    for attempt in range(1, MOST_ATTEMPTS + 1):
        fingerprint = question_draw.fingerprint
        if may_repeat or fingerprint is None or fingerprint not in seen:
            if fingerprint is not None:
                seen.add(fingerprint)
            return question_draw
        question_draw = draw_question(sheet, student, index, attempt)
    remedy = "use larger sizes or different entries, or write relax: duplicates"
    message = f"variant {student.index} is still equal to an earlier variant after {MOST_ATTEMPTS} attempts; {remedy}"
    raise AttncalcError(message, question.place)


def build_variant(
    sheet: Sheet, student: Student, draws: list[QuestionDraw], count: int, used_codes: set[str]
) -> Variant:
    """Return a variant with its combined problem as YAML text. `used_codes` are the codes of earlier variants."""
    digest = paper_digest(sheet, draws)
    code = new_code(sheet.codes or digest, student, used_codes)
    questions = [
        (alternative, question_tree(alternative, draw.entries, draw.words))
        for question, draw in zip(sheet.questions, draws, strict=True)
        for alternative in [select_alternative(question, draw.choice)]
    ]
    title = f"{sheet.title}, variant {code}"
    names = [f"q{number}" for number in range(1, len(draws) + 1)]
    records = zip(names, (question_draw.key_record for question_draw in draws), strict=True)
    key_records = tuple({"name": name} | record for name, record in records if record)
    pictures = zip(names, (alternative.figure for alternative, _ in questions), strict=True)
    figures = ((name, figure.name) for name, figure in pictures if figure)
    problem = yaml_text(combine_questions(title, questions)) if any(tree for _, tree in questions) else ""
    name = f"{student.index:0{max(2, len(str(count)))}}-{code}"
    return Variant(code, student, digest.hex()[:16], problem, name,
                   tuple(question_draw.choice for question_draw in draws), key_records, tuple(figures))  # fmt: skip
