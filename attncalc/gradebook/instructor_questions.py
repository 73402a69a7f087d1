"""Questions of a key that are ticked, or marked by hand: what a script says of them, and its marks.

A tick earns its share: the right ones less the wrong ones, over how many are right, and never less than 0. Points by
hand come from a column of a class table that is called like the question, or from the overrides; a student's own file
holds words, and no points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import AttncalcError, Diagnostic, listed, shorten
from ..explain import report_messages as texts
from ..explain.point_format import parse_points_up_to
from ..submissions.located_text import Written
from ..submissions.submission import Unread
from .graded_script import BY_PERSON, EMPTY, OPEN, PARTLY, RIGHT, UNREAD, WRONG, GradedScript

if TYPE_CHECKING:
    from .overrides import Override

NAME = re.compile(r"q[1-9][0-9]{0,2}")
BY_HAND = "not yet marked by a person"
KeyRecord = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class InstructorQuestionKey:
    """The key of one question that is ticked or marked by hand."""

    name: str
    points: Fraction
    letters: tuple[str, ...] = ()
    right: frozenset[str] = frozenset()
    explanations: dict[str, str] | None = None  # what is said to those who tick a letter
    record: KeyRecord | None = None  # all that the key holds of it
    # What a person's points are out of, where it has been worth something else since
    by_hand_of: Fraction | None = None

    @property
    def most_by_hand(self) -> Fraction:
        """Maximum of the points that a person enters in a class table."""
        return self.points if self.by_hand_of is None else self.by_hand_of

    @property
    def is_ticked(self) -> bool:
        """True if the question has options, so that it is marked automatically."""
        return bool(self.letters)


def read_questions(listed: object) -> Iterator[InstructorQuestionKey]:
    """Yield the questions under `own:` of a variant. Raises AttncalcError for an invalid one."""
    for record in listed if isinstance(listed, list) else []:
        try:
            name, worth, kind = record["name"], Fraction(record["points"]), record["kind"]
            options = record["choices"] if kind == "choices" else []
            reasons = {option["letter"]: str(option.get("because") or "") for option in options}
            right = frozenset(record["right"]) if options else frozenset()
            is_rescaled = record.get("by_hand_of") is not None and not options
            by_hand_of = Fraction(record["by_hand_of"]) if is_rescaled else None
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise AttncalcError(
                "own: expected name, kind and points, and for choices also all letters and the right letters"
            ) from None
        is_named = isinstance(name, str) and NAME.fullmatch(name)
        is_negative = worth < 0 or (by_hand_of or 0) < 0
        if not is_named or is_negative or not right <= {*reasons} or bool(options) != bool(right):
            raise AttncalcError(
                "own: expected a name such as q2, points of at least 0, and right letters that are letters of choices"
            )
        yield InstructorQuestionKey(name, worth, tuple(reasons), right, reasons, record, by_hand_of or None)


def mark_questions(
    keys: Iterable[InstructorQuestionKey],
    words: dict[str, Written],
    by_person: bool,
    row: GradedScript,
    overrides: Iterable[Override],
) -> None:
    """Add the marks of ticked questions and the points entered by a person to a script's row."""
    changed = {override.step: override.marks for override in overrides}
    for key in keys:
        if not key.points:  # it was dropped
            continue
        row.out_of[key.name] = key.points
        written = words.get(key.name)
        text = written.text.strip() if written else ""
        is_overridden = changed.get(key.name, key.points + 1) <= key.points
        fault = ""
        if key.is_ticked:
            fault = _mark_ticks(key, text, row)
        elif by_person and text:
            fault = _mark_by_hand(key, text, row)
        elif is_overridden:
            row.verdicts[key.name] = "by hand"
        else:
            row.verdicts[key.name], row.question_states[key.name] = "missing", OPEN
            row.remarks.append(f"{key.name}: {BY_HAND}")
            row.needs_review = True
        if fault:
            row.remarks.append(f"{key.name} could not be read: {fault}")
        if fault and not is_overridden:
            row.unread.append(f"{written.place if written else row.file}: {key.name}: {fault}")
            row.needs_review = True
        if is_overridden:
            row.question_states[key.name] = BY_PERSON


def _mark_ticks(key: InstructorQuestionKey, text: str, row: GradedScript) -> str:
    """Mark a ticked question. Return the fault if the ticks cannot be read, else the empty string."""
    row.marks[key.name] = Fraction(0)
    ticked = ticks(text) or frozenset()
    if fault := question_fault(key, text):
        row.verdicts[key.name], row.question_states[key.name] = "missing", UNREAD
        return fault
    row.verdicts[key.name] = "right" if ticked == key.right else "wrong" if ticked else "missing"
    row.marks[key.name] = key.points * share(ticked, key.right)
    row.question_states[key.name] = (
        RIGHT if ticked == key.right else EMPTY if not ticked else PARTLY if row.marks[key.name] else WRONG
    )
    if ticked == key.right:
        return ""
    summary = f"ticked {' and '.join(sorted(ticked)) or 'nothing'}; right: {' and '.join(sorted(key.right))}"
    row.remarks.append(f"{key.name}: {summary}")
    because = {
        letter: key.explanations[letter]
        for letter in sorted(ticked - key.right)
        if key.explanations and key.explanations[letter]
    }
    row.question_feedback[key.name] = [f"You {summary}.", *(f"{letter}: {why}" for letter, why in because.items())]
    return ""


def _mark_by_hand(key: InstructorQuestionKey, text: str, row: GradedScript) -> str:
    """Enter the points that a person gave. Return the fault if they cannot be read, else the empty string."""
    most = key.most_by_hand
    given = parse_points_up_to(text, most)
    if isinstance(given, str):
        row.verdicts[key.name], row.question_states[key.name] = "missing", OPEN
        return given
    row.marks[key.name] = given * key.points / most
    row.verdicts[key.name], row.question_states[key.name] = "by hand", BY_PERSON
    if most != key.points:
        counted_as = texts.score(row.marks[key.name], key.points)
        row.remarks.append(f"{key.name}: {texts.score(given, most)}, given by hand, counts as {counted_as}")
    return ""


def question_fault(key: InstructorQuestionKey, text: str) -> str:
    """Return why the ticks or the points of a question cannot be read; empty if they can."""
    if key.is_ticked:
        ticked = ticks(text)
        is_read = ticked is not None and ticked <= {*key.letters}
        return (
            "" if is_read else f"expected letters from {key.letters[0]} to {key.letters[-1]}, found {shorten(text)!r}"
        )
    given = parse_points_up_to(text, key.most_by_hand) if text else ""
    return given if isinstance(given, str) else ""


def ticks(text: str) -> frozenset[str] | None:
    """Return the letters of `B`, `A, C`, `[a, c]` or `AC`; None if the text is not a list of letters."""
    letters_only = re.sub(r"[\s,;/&+\[\]().]|\band\b|\bund\b", "", text)
    if letters_only in ("", "_", "-", "–"):
        return frozenset()
    letters = frozenset(letters_only.upper())
    return letters if re.fullmatch("[A-Za-z]+", letters_only) and len(letters) == len(letters_only) else None


def share(ticked: frozenset[str], right: frozenset[str]) -> Fraction:
    """Return the right ticks less the wrong ones, divided by the number of right options: from 0 to 1."""
    return max(Fraction(len(ticked & right) - len(ticked - right), len(right)), Fraction(0))


def question_number(step: str) -> int:
    """Return the number of a step's question: 3 for q3.Z and q3_masked.Z; 0 if it has none."""
    digits = re.match(r"q([0-9]{1,4})(?![A-Za-z0-9])", step.replace("_", "."))
    return int(digits[1]) if digits else 0


def questions_of(names: Iterable[str]) -> list[str]:
    """Return the sorted questions `q1`, `q2` ... to which parts and questions belong, such as `q2_masked`."""
    return [f"q{k}" for k in sorted({*map(question_number, names)}) if k]


def merge_foreign_answers(unread: Iterable[Unread], questions: list[str]) -> tuple[Unread, ...]:
    """Return the unread answers, with one fault for each question that the paper does not have."""
    entries: list[Unread] = []
    reported: set[str] = set()
    for entry in unread:
        name = re.split(r"[\W_]", entry.step)[0]
        if not questions or not NAME.fullmatch(name) or name in questions:
            entries.append(entry)
        elif entry.step not in reported:
            reported.add(entry.step)
            there = questions[0] if len(questions) == 1 else f"{questions[0]} to {questions[-1]}"
            message = f"this paper has no question {name}; it has {there}"
            entries.append(Unread(entry.step, Diagnostic(message, entry.fault.place)))
    return tuple(entries)


def question_lines(row: GradedScript, names: Iterable[str]) -> Iterator[str]:
    """Yield a line on each of these questions for the student's page."""
    for name in names:
        state = row.question_states[name]
        marks = texts.score_in_points(row.marks.get(name, Fraction(0)), row.out_of[name])
        yield f"Question {name[1:]}: {marks}, {state}." + "".join(
            f" {line}" for line in row.question_feedback.get(name, ())
        )


def question_summary(row: GradedScript) -> str:
    """Summarise the questions that are not fully right: `q3 and q4 are wrong. q2 is not yet marked.`"""
    sentences = []
    for state in (WRONG, PARTLY, EMPTY, UNREAD, OPEN):
        if names := [name for name, result in row.question_states.items() if result == state]:
            verb = "" if state == UNREAD else "is " if len(names) == 1 else "are "
            sentences.append(f"{listed(names)} {verb}{state}.")
    marks = (
        (name, row.marks.get(name, Fraction(0)), row.out_of[name])
        for name, state in row.question_states.items()
        if state == BY_PERSON
    )
    sentences += [f"{name} has {texts.score_in_points(earned, most)}." for name, earned, most in marks if earned < most]
    return " ".join(sentences)
