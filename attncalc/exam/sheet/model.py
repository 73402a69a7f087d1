"""The model of an exam sheet: texts, students and questions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...errors import Location
from ...problem.yaml_file.nodes import Mapping, Yaml
from ..translations import USUAL, Tables, Words, words_of

if TYPE_CHECKING:
    from pathlib import Path

    from ...generator.rejection_search import Search
    from ..images import Figure
    from .instructor_question import InstructorQuestion


@dataclass(slots=True)
class Student:
    """A recipient of a paper; without students, `number` is empty and `index` counts the variants from 1."""

    index: int
    number: str = ""
    name: str = ""
    version: str = ""  # A, B ...; papers of one version differ only in their codes
    seat: tuple[int, int] | None = None  # row and place in it, from 1
    aliases: tuple[str, ...] = ()  # email addresses and logins
    large: bool = False  # whether the paper alone is enlarged
    language: str = ""  # of the paper, such as de; empty: that of the sheet

    @property
    def owner(self) -> str:
        """Label of the paper's owner: `student 417` or `variant 3`."""
        return f"student {self.number}" if self.number else f"variant {self.index}"

    @property
    def draw_key(self) -> str:
        """The words from which the variant is drawn, together with the seed or the secret."""
        return f"version {self.version}" if self.version else self.owner


@dataclass(slots=True)
class Question:
    """One question: drawn by `search`, or the tree of a `fixed` problem file, or one of `alternatives`, or an
    `instructor_question`.

    `overrides` are the sheet's keys that replace the problem's, `parts` the parts that are asked (none: all), `choices`
    the number of matrices of the step `choice_step` to choose from.
    """

    place: Location
    overrides: dict[str, Yaml] = field(default_factory=dict)
    search: Search | None = None
    fixed: Mapping | None = None
    alternatives: list[Question] = field(default_factory=list)
    space: float = 1.5
    hints: bool = False
    blanks: bool = True
    practice: bool = False
    instructor_question: InstructorQuestion | None = None
    parts: tuple[str, ...] = ()
    choices: int = 0
    choice_step: str = ""
    points: str = ""  # of a question that is ticked or written
    hint: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a paper; `names`: whether the student's name and number are printed."""

    words: Words = field(default_factory=lambda: words_of(USUAL))
    logo: Figure | None = None
    header: tuple[str, ...] = ()
    large_print: bool = False  # of all papers
    names: bool = True
    tables: Tables | None = None  # an instructor's words

    def in_language(self, language: str) -> Layout:
        """Return the layout with the words of a student's language; an empty one is that of the sheet."""
        return replace(self, words=words_of(language, self.tables)) if language else self


@dataclass(slots=True)
class Sheet:
    """An exam sheet; `file` is its name in the key."""

    file: str
    title: str
    students: list[Student]
    questions: list[Question]
    key: bytes
    codes: bytes = b""  # what the printed codes are drawn from; empty: from what else is printed
    draw_source: str = ""  # seed or secret, which the sheet holds; else a secret in a file
    weakness: str = ""  # why others could guess what the papers are drawn from
    course: str = ""
    date: str = ""
    instructions: list[str] = field(default_factory=list)
    formula_sheet: bool = False
    decimal_comma: bool = False
    scan: Location | None = None  # of the key that asks for papers that can be scanned
    template: Path | None = None
    layout: Layout = field(default_factory=Layout)
    notes: list[str] = field(default_factory=list)  # what its author should know, although all can be set

    def decimal(self, number: str) -> str:
        """Return a number with a decimal comma if the sheet asks for one."""
        return number.replace(".", ",") if self.decimal_comma else number

    def figures(self) -> list[Figure]:
        """Return every image: the logo, and those of the questions."""
        questions = (other for question in self.questions for other in (question, *question.alternatives))
        return [figure for figure in (self.layout.logo, *(question.figure for question in questions)) if figure]
