"""Draws the variants of a sheet: for every student what each question is, no two variants alike."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import AttncalcError, Diagnostic
from ..generator.choices import choices_of
from ..generator.drawn import DrawnVariant, Texts
from ..generator.texts import canonical
from ..problem.data import tree_of
from ..problem.emit import yaml_text
from ..problem.stream import Stream
from ..problem.text import Mapping, Scalar
from .codes import new_code, number
from .model import Question, Sheet, Student
from .own import LETTERS
from .parts import combined

MOST_ATTEMPTS = 40
Told = dict[str, Any]


@dataclass(slots=True)
class Drawn:
    """One question of one variant: which of several it is, its entries and words, and how many draws that took."""

    choice: int = 0
    entries: Texts = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    cost: tuple[int, int, int] = (0, 0, 0)
    failed: dict[str, int] = field(default_factory=dict)
    own: Told = field(default_factory=dict)  # a question that is ticked or marked by hand, as the key holds it

    @property
    def alike(self) -> tuple[int, int] | None:
        """The same for questions that are alike up to their order; None where nothing is drawn."""
        return (self.choice, canonical(self.entries)) if self.entries else None


@dataclass(slots=True)
class Variant:
    """A whole paper's problem, as the key tells it."""

    code: str
    student: Student
    seed: str  # a digest of what was drawn, which says nothing of the sheet's seed or secret
    problem: str
    name: str  # of files: 07-K7Q2
    choices: tuple[int, ...]  # which of several each question is
    own: tuple[Told, ...] = ()  # the questions that are ticked or marked by hand, as the key holds them
    figures: tuple[tuple[str, str], ...] = ()  # the questions with a picture, and its file
    is_first: bool = True  # of its version; solution and problem of a version are written once

    @property
    def of(self) -> str:
        """In the names of files that papers of one version share: `A`, else as `name`."""
        return self.student.version or self.name


def draw(sheet: Sheet, student: Student, index: int, attempt: int = 0) -> Drawn:
    """One question of one variant: the same whoever else gets a paper, and in whatever process."""
    question = sheet.questions[index]
    choice = number(sheet.key, "choice", student.drawn, index) % len(question.others) if question.others else 0
    one = chosen(question, choice)
    search = one.search
    if search is None:
        return Drawn(choice, own=written(sheet, student, index, one))
    search.seen.clear()
    before = Counter(search.tally.failed)
    try:
        found, own = _found(sheet, student, index, choice, attempt)
    except AttncalcError as error:
        said = error.faults[0].message.replace("--relax ", "relax: ").replace("--choices", "choices")
        raise AttncalcError(Diagnostic(said, one.place)) from None
    failed = dict(search.tally.failed - before)
    return Drawn(
        choice, found.entries, found.words, (found.cost.products, found.cost.hard, found.cost.digits), failed, own
    )


def _found(sheet: Sheet, student: Student, index: int, choice: int, attempt: int) -> tuple[DrawnVariant, Told]:
    """A draw, and what there is to choose from; another draw where too few mistakes come to other numbers."""
    question = chosen(sheet.questions[index], choice)
    assert question.search is not None
    for more in range(MOST_ATTEMPTS):
        again = (more,) if more else ()
        found = question.search.variant(number(sheet.key, "draw", student.drawn, index, choice, attempt, *again))
        try:
            return found, ticked(question, found)
        except AttncalcError:
            if more == MOST_ATTEMPTS - 1:
                raise
    raise AssertionError("one of the attempts returns or raises")


def written(sheet: Sheet, student: Student, index: int, question: Question) -> Told:
    """An own question as the key holds it, its options in the order of this student's variant; empty for others."""
    own = question.written
    if own is None:
        return {}
    order = list(range(len(own.options)))
    if own.shuffle:
        order = Stream("attncalc", sheet.key.hex(), "shuffle", student.drawn, index).shuffled(order)
    return words_of(question) | own.told(order)


def ticked(question: Question, variant: DrawnVariant) -> Told:
    """A question of which one chooses a matrix, as the key holds it; empty where its numbers are written. Raises
    AttncalcError where too few mistakes come to other numbers.
    """
    if not question.choices or question.search is None:
        return {}
    found = choices_of(question.search, variant, question.choices, question.chosen)
    listed = [{"letter": letter, "matrix": one["matrix"], "code": one["code"],
              "because": "" if one["right"] else one["feedback"]}
              for letter, one in zip(LETTERS, found["answers"], strict=False)]  # fmt: skip
    right = [letter for letter, one in zip(LETTERS, found["answers"], strict=False) if one["right"]]
    return words_of(question) | {
        "kind": "choices",
        "several": False,
        "choices": listed,
        "right": right,
        "step": found["step"],
    }


def words_of(question: Question) -> Told:
    """What stands around an own question."""
    said = {word: text.text for word in ("title", "ask", "note") if isinstance(text := question.own.get(word), Scalar)}
    return {"points": question.points or "1"} | said | ({"hint": question.hint} if question.hint else {})


def chosen(question: Question, choice: int) -> Question:
    """The question, or the one of its others that was drawn."""
    return question.others[choice] if question.others else question


def draw_all(sheet: Sheet, student: Student) -> list[Drawn]:
    """What a student gets for each question of a sheet."""
    return [draw(sheet, student, index) for index in range(len(sheet.questions))]


def settle(sheet: Sheet, students: list[Student], drawn: Iterable[list[Drawn]]) -> Iterator[Variant]:
    """The variants in order; a question that is like an earlier student's is drawn again."""
    seen: list[set[tuple[int, int]]] = [set() for _ in sheet.questions]
    settled: dict[str, list[Drawn]] = {}
    taken: set[str] = set()
    for student, found in zip(students, drawn, strict=True):
        if student.drawn in settled:
            found = settled[student.drawn]
        else:
            settled[student.drawn] = found
            for index, one in enumerate(found):
                found[index] = _unlike(sheet, student, index, one, seen[index])
        yield variant(sheet, student, found, len(students), taken)


def printed(sheet: Sheet, drawn: list[Drawn]) -> bytes:
    """A digest of what the paper shows anyway: its title, the numbers and words that were drawn, and the options in
    their order. Nothing of the solutions is in it, since a code would confirm a guess at them.
    """
    shown = [
        [one.choice, one.entries, one.words, [[it.get("text"), it.get("matrix")] for it in one.own.get("choices", [])]]
        for one in drawn
    ]
    return hashlib.sha256(json.dumps([sheet.title, shown], sort_keys=True).encode()).digest()


def _unlike(sheet: Sheet, student: Student, index: int, one: Drawn, seen: set[tuple[int, int]]) -> Drawn:
    question = chosen(sheet.questions[index], one.choice)
    relaxed = question.search is None or "duplicates" in question.search.spec.relaxed
    for attempt in range(1, MOST_ATTEMPTS + 1):
        alike = one.alike
        if relaxed or alike is None or alike not in seen:
            if alike is not None:
                seen.add(alike)
            return one
        one = draw(sheet, student, index, attempt)
    says = (
        f"variant {student.index} is like an earlier one in {MOST_ATTEMPTS} draws; more entries or larger sizes "
        "give more variants, "
    )
    raise AttncalcError(Diagnostic(says + "and relax: duplicates drops it", question.place))


def variant(sheet: Sheet, student: Student, drawn: list[Drawn], count: int, taken: set[str]) -> Variant:
    """The combined problem of a variant as YAML text; `taken` are the codes of earlier variants."""
    shown = printed(sheet, drawn)
    code = new_code(sheet.codes or shown, student, taken)
    questions = [
        (chosen(question, one.choice), tree(question, one))
        for question, one in zip(sheet.questions, drawn, strict=True)
    ]
    title = f"{sheet.title}, variant {code}"
    own = tuple({"name": f"q{number}"} | one.own for number, one in enumerate(drawn, 1) if one.own)
    figures = ((f"q{number}", one.figure.name) for number, (one, _) in enumerate(questions, 1) if one.figure)
    problem = yaml_text(combined(title, questions)) if any(tree for _, tree in questions) else ""
    name = f"{student.index:0{max(2, len(str(count)))}}-{code}"
    return Variant(code, student, shown.hex()[:16], problem, name,
                   tuple(one.choice for one in drawn), own, tuple(figures))  # fmt: skip


def tree(question: Question, drawn: Drawn) -> Mapping | None:
    """The problem file of a question as it was drawn; None where nothing is calculated."""
    one = chosen(question, drawn.choice)
    if one.written is not None:
        return None
    if one.search is None:
        assert one.fixed is not None
        return one.fixed
    found = tree_of(one.search.document(drawn.entries, drawn.words))
    assert isinstance(found, Mapping)
    return found
