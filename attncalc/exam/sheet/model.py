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
    """A recipient of a paper. Without students, `number` is empty, and `index` counts the variants from 1."""

    index: int
    number: str = ""
    name: str = ""
    version: str = ""  # A, B ...; papers of one version differ only in their codes
    seat: tuple[int, int] | None = None  # row, and seat in the row, from 1
    aliases: tuple[str, ...] = ()  # email addresses and logins
    large: bool = False  # whether only this student's paper is enlarged
    language: str = ""  # language of the paper, such as de; empty for the language of the sheet

    @property
    def owner(self) -> str:
        """The label of the paper's owner: `student 417` or `variant 3`."""
        return f"student {self.number}" if self.number else f"variant {self.index}"

    @property
    def draw_key(self) -> str:
        """The words from which the variant is drawn, together with the seed or the secret."""
        return f"version {self.version}" if self.version else self.owner


@dataclass(slots=True)
class Question:
    """A question. It is drawn by `search`, has the tree of a `fixed` problem file, is one of `alternatives`, or is an
    `instructor_question`.

    `overrides` are keys of the sheet that replace keys of the problem. `parts` are the asked parts (if empty, all
    parts). `choices` is the number of options, which are matrices of the step `choice_step`.
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
    points: str = ""  # points of a question with options or an answer in words
    hint: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a paper. `names` is True if the name and number of the student are printed."""

    words: Words = field(default_factory=lambda: words_of(USUAL))
    logo: Figure | None = None
    header: tuple[str, ...] = ()
    large_print: bool = False  # whether all papers are enlarged
    names: bool = True
    tables: Tables | None = None  # the table of words of an instructor

    def in_language(self, language: str) -> Layout:
        """Return the layout with the words of a student's language. If it is empty, the language of the sheet stays."""
        return replace(self, words=words_of(language, self.tables)) if language else self


@dataclass(slots=True)
class Sheet:
    """An exam sheet. `file` is its name in the key."""

    file: str
    title: str
    students: list[Student]
    questions: list[Question]
    key: bytes
    # Secret from which the codes are derived; if empty, they are derived from the content of the paper
    codes: bytes = b""
    draw_source: str = ""  # the key in the sheet: seed or secret; empty for a secret in a file
    weakness: str = ""  # the reason why others could guess the seed or the secret
    course: str = ""
    date: str = ""
    instructions: list[str] = field(default_factory=list)
    formula_sheet: bool = False
    decimal_comma: bool = False
    scan: Location | None = None  # location of the key scan:, if papers can be scanned
    template: Path | None = None
    layout: Layout = field(default_factory=Layout)
    notes: list[str] = field(default_factory=list)  # messages for the author that are not errors

    def decimal(self, number: str) -> str:
        """Return a number, with a decimal comma if the sheet has this setting."""
        return number.replace(".", ",") if self.decimal_comma else number

    def figures(self) -> list[Figure]:
        """Return every image: the logo, and the images of the questions."""
        questions = (other for question in self.questions for other in (question, *question.alternatives))
        return [figure for figure in (self.layout.logo, *(question.figure for question in questions)) if figure]
