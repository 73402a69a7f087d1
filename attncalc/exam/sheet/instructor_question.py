"""Questions that the instructor writes: with an answer in words and marking by hand, or with options to tick."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, Required, TypedDict

from ...errors import AttncalcError, shorten
from ...plan import Plan
from ...problem.loader import read_problem
from ...problem.problem import Problem
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, kind, text_at
from .field_reader import Fields
from .sheet_keys import FEWEST, MOST

LETTERS = "ABCDEFGHIJ"
_POINTS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?")


class KeyChoice(TypedDict, total=False):
    """An option in the key: a text or a matrix, and the reason why it is wrong."""

    letter: Required[str]
    because: Required[str]
    text: str
    matrix: list[list[str]]
    code: str | None


class KeyRecord(TypedDict, total=False):
    """The record of an instructor's question, or of a question with options, in the key."""

    name: str
    points: str
    title: str
    ask: str
    note: str
    hint: str
    kind: str
    several: bool
    choices: list[KeyChoice]
    right: list[str]
    step: str
    solution: str


class Option(NamedTuple):
    """An option of a question, and the reason why it is right or wrong."""

    text: str
    right: bool
    because: str = ""


@dataclass(frozen=True, slots=True)
class InstructorQuestion:
    """An instructor's question. `solution` is its model answer. With `options`, attncalc marks it; otherwise a person
    does.
    """

    solution: str = ""
    options: tuple[Option, ...] = ()
    several: bool = False
    shuffle: bool = False

    def key_record(self, order: list[int]) -> KeyRecord:
        """Return the question's record in the key. Its options are in this order, and have letters."""
        if not self.options:
            return {"kind": "free_text", "solution": self.solution}
        options = [self.options[k] for k in order]
        lettered = list(zip(LETTERS, options, strict=False))
        choices: list[KeyChoice] = [{"letter": letter, "text": o.text, "because": o.because} for letter, o in lettered]
        right = [letter for letter, option in lettered if option.right]
        answers: KeyRecord = {"kind": "choices", "several": self.several, "choices": choices, "right": right}
        return answers | {"solution": self.solution}


class InstructorQuestionReader(Fields):
    """Reader of the keys free_text: and choices:, and of their points."""

    def read(self, item: Mapping, shuffle: bool) -> InstructorQuestion:
        """Return an instructor's question. Raises AttncalcError if `ask` is empty."""
        if not text_at(item, "ask", self.faults):
            raise AttncalcError("ask: expected the text of the question, found nothing", item.place)
        self.check_points(item)
        for word in ("asked", "with", "hints", "part", "practice", "rounding"):
            if word in item:
                message = (
                    f"{word}: is only for a question with `generate:` or `problem:`; remove the key from this question"
                )
                self.faults.add(message, item.pairs[word][0].place)
        solution = text_at(item, "solution" if "choices" in item else "free_text", self.faults)
        if "choices" not in item:
            return InstructorQuestion("" if solution in ("true", "yes") else solution)
        options = self.options(item)
        right = sum(option.right for option in options)
        if options and not right:
            self.faults.add(
                "choices: expected at least one option with `right:`, found only `wrong:`",
                item.pairs["choices"][1].place,
            )
        return InstructorQuestion(solution, tuple(options), self.flag(item, "several", right > 1), shuffle)

    def options(self, item: Mapping) -> list[Option]:
        """Return the options under choices:, each with right: or wrong: and an optional because:."""
        node = item.get("choices")
        if not isinstance(node, Sequence) or not FEWEST <= len(node.items) <= MOST:
            there = len(node.items) if isinstance(node, Sequence) else kind(node) if node else "nothing"
            where = node.place if node is not None else item.place
            raise AttncalcError(f"choices: expected a list of {FEWEST} to {MOST} options, found {there}", where)
        options: list[Option] = []
        for option_node in node.items:
            words = [word for word in ("right", "wrong") if isinstance(option_node, Mapping) and word in option_node]
            if not isinstance(option_node, Mapping) or len(words) != 1:
                message = f"choices: expected `right: its text` or `wrong: its text`, found {kind(option_node)}"
                self.faults.add(message, option_node.place)
                continue
            option_node.reject_unknown(["right", "wrong", "because"], "an option", self.faults)
            text = text_at(option_node, words[0], self.faults)
            if not text or text in (other.text for other in options):
                there = f"found {kind(option_node.pairs[words[0]][1])} again"
                self.faults.add(f"choices: expected a different text for each option, {there}", option_node.place)
            options.append(Option(text, words[0] == "right", text_at(option_node, "because", self.faults)))
        return options

    def check_points(self, item: Mapping) -> None:
        """Report a fault if the points of an instructor's question are not a single number."""
        node = item.get("points")
        if node is not None and not (isinstance(node, Scalar) and _POINTS.fullmatch(node.text)):
            what = "a number below 1,000,000 with at most 3 decimals"
            self.faults.add(f"points: expected {what} for a question of your own, found {kind(node)}", node.place)


def choice_count(item: Mapping, faults: Fields) -> int:
    """Return the number of options of a generated question; 0 if it has no options."""
    node = item.get("choices")
    if node is None:
        return 0
    if isinstance(node, Scalar) and node.text in ("true", "yes"):
        return 4
    if not isinstance(node, Scalar):
        expected = f"expected a number from {FEWEST} to {MOST} with `generate:` or `problem:`"
        faults.faults.add(f"choices: {expected}, found {shorten(kind(node))}", node.place)
        return 0
    return faults.whole(node, "choices", FEWEST, MOST, 4)


def problem_of(text: str | bytes, source: str, name: str) -> Problem:
    """Return the problem of a variant, without parts if nothing is calculated. Raises AttncalcError with all faults.

    Warnings are left out, because the author of the sheet already got them.
    """
    return read_problem(text, source, name, quiet=True) if text else Problem(name, name, Plan([], []), [])
