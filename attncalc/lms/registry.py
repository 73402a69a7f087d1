"""The course systems, one row each, and what each does not support. The writer of a system is a module in this folder
with `write(quizzes) -> (content, limitations)`. `attncalc export`, its help and the tests of writers use these rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .quiz import Quiz

CELLS_ALONE = (
    "each entry is marked separately against the correct numbers: results that follow from an earlier mistake "
    "earn no points; attncalc grade deducts points for a mistake only once"
)
ROUNDINGS = (
    "only two ways of rounding are accepted: no intermediate result is rounded, or each one is; attncalc grade also "
    "accepts other ways"
)
ONLY_DECIMALS = (
    "answers must be typed as decimals: the system does not accept 2/3, sqrt(2) and other formulas, although attncalc "
    "grade does"
)
DECIMAL_COMMA = "a decimal comma is read only if the language of the course uses it; in English, 0,67 can count as 67"
ON_PAPER = "worked steps, hints and space to work exist only on paper; attncalc solve and attncalc exam print them"
HINTS = "hints and space to work exist only on paper"
LOST_BY_ALL = (CELLS_ALONE, ROUNDINGS, ONLY_DECIMALS, DECIMAL_COMMA, ON_PAPER)
ABSOLUTE = "tolerances are absolute: answers with too few decimals are rejected, and more decimals are not required"
LAST_DIGITS = (
    "an entry whose last digit is wrong by 1 earns three quarters of its points, even if every entry is wrong: for a "
    "bundled problem with every last digit 1 too large, a student gets 15 of 20 points, and 12 with attncalc grade"
)
ONE_CELL_TELLS = "mistakes are recognised only from individual entries; attncalc grade uses the whole matrix"
AS_TYPED = (
    "after a mistake, later results are computed from the typed numbers, with a tolerance of half a unit of the last "
    "digit; attncalc grade accepts every rounding convention"
)
DECIMALS_OR_FRACTIONS = (
    "answers must be typed as decimals or fractions: the system does not accept sqrt(2) and other formulas, although "
    "attncalc grade does"
)
LOST_BESIDE_SOLUTIONS = (CELLS_ALONE, ROUNDINGS, ONLY_DECIMALS, DECIMAL_COMMA, HINTS)
LOST_BY_MOODLE = (
    *LOST_BESIDE_SOLUTIONS,
    (
        "only the number at the beginning of an answer is read: 1/3 counts as 1, so 1/3 is right if the answer "
        "is 1; the question tells students not to type fractions"
    ),
    "the typographic minus sign (−) is not accepted; students must type a hyphen-minus (-), as the question says",
    ABSOLUTE,
    LAST_DIGITS,
    ONE_CELL_TELLS,
    "a second import adds every question again; docs/how-to/quizzes.md explains how to find the old ones",
)
LOST_BY_CANVAS = (
    *LOST_BESIDE_SOLUTIONS,
    "each entry of a matrix is a separate question, because answer fields within one question are matched as "
    "text, without a tolerance",
    "an entry is right or wrong: there are no partial points for a wrong last digit, and no feedback on known mistakes",
    "text that is not a number counts as 0 in Classic Quizzes, so it is right if the answer is 0",
)
LOST_BY_QTI = (
    *LOST_BY_ALL,
    ABSOLUTE,
    LAST_DIGITS,
    ONE_CELL_TELLS,
    "each system decides how it reads the text in an answer field, and whether it shows feedback",
)
LOST_BY_PRAIRIELEARN = (
    *(CELLS_ALONE, ROUNDINGS, DECIMALS_OR_FRACTIONS, ABSOLUTE, LAST_DIGITS, ONE_CELL_TELLS, ON_PAPER),
    "points: PrairieLearn sets points in the assessments of a course; only the shares of the entries within a "
    "question are exported",
)
LOST_BY_REXAMS = (
    *LOST_BY_ALL,
    "an entry has one number and one tolerance, wide enough for both ways of rounding; so a wrong last digit "
    "can be accepted if the two results differ",
    "an entry is right or wrong: there are no partial points for a wrong last digit, and no feedback on known mistakes",
    "minus infinity must be typed as -inf",
)
LOST_BY_STACK = (
    AS_TYPED,
    "a typed formula (sqrt(2), 2/3) counts as its value, even if the question asks for decimals",
    "a decimal comma is rejected, unless the site's STACK is configured for it",
    *(ABSOLUTE, ONE_CELL_TELLS, ON_PAPER),
)
LOST_BY_NUMBAS = (
    *(AS_TYPED, DECIMALS_OR_FRACTIONS, ABSOLUTE, ONE_CELL_TELLS),
    "each part is submitted separately, and feedback on a mistake appears only then",
    ON_PAPER,
)
VARIANTS_DRAWN = (
    "Moodle draws a variant separately for each question, so a student can get different variants of one "
    "problem; use --together to keep all parts in one question"
)
VARIANTS_TOGETHER = (
    "each variant is one question in a category, and a random question draws one; the marks do not show which "
    "student got which variant"
)
ALONE = (
    "multiple-choice and free-text questions are separate from questions with answer fields, and are drawn separately"
)
VARIANTS_APART = "each variant is a separate quiz for Classic Quizzes; you assign it to students yourself"
VARIANTS_BY_SEED = (
    "each question draws its own variant by its seed; the marks do not show which one, and the questions of a "
    "student can have different variants"
)
VARIANTS_OF_A_TEST = "the test draws one variant for all questions of a student; the marks do not show which one"
VARIANTS_BY_R = "each variant is an exercise, and R/exams draws one per student (exam.R) and records which one"
RIGHT_APART = (
    "in {blanks} of {all} entries, another correct number (rounded step by step, or by an accepted convention) "
    "is outside the tolerance"
)
WEIGHTS_FOR_POINTS = (
    "points: exported as integer weights, because some points have more than two decimals; all weights together "
    "are worth {points}"
)
NOT_FOLLOWED_BY_NUMBAS = (
    "{name}: needs an operation that attncalc cannot write for Numbas, so it is marked only against the correct numbers"
)
ENGLISH = (
    "only the texts of the table of words are in the paper's language ({language}): names and values of options, "
    "feedback, worked solutions and the tasks of bundled problems are in English"
)
ROUNDED_GIVENS = (
    "the givens are rounded, but the quiz treats them as exact; attncalc grade accepts every answer that their "
    "rounding allows"
)
FIGURE_LEFT = "{name}: its figure {file} is on paper only; put it into the question by hand"
ESSAY_LEFT = "{name}: Numbas has no field for an essay, so the file contains its task, but not its points"
VARIANTS_IN_GROUP = "Numbas draws one of the variants for each student; the marks do not show which one"
LARGE_FOR_SYSTEM = (
    "{name}: {blanks} fields in one question, for which {system} needs seconds; list fewer steps under `asked:`"
)
NOT_FOLLOWED = (
    "{name}: needs an operation that attncalc cannot write for Maxima, so it is marked only against the correct numbers"
)
POINTS_ROUNDED = (
    "the points of some entries are non-terminating decimals; they are rounded to twelve places so that the total is "
    "exact"
)
WEIGHTS_NEARLY = (
    "{name}: the points of its entries have no small common denominator; their shares are kept to a thousandth"
)
POINTS_NEARLY = (
    "the points of some entries are non-terminating decimals; they are rounded to six places so that the total is exact"
)
LONG = "numbers of more than fifteen digits: the systems calculate in binary and cannot distinguish the last digits"
INFINITE = "minus infinity is matched as text"
MARKS = (
    "{name}: Moodle counts {sum} marks for it, the sum of its answer fields; set its maximum to {points} in the quiz"
)
MARKS_NEARLY = "{name}: the points of its answer fields have no small common denominator; they are kept to a thousandth"
LARGE = (
    "{name}: {blanks} answer fields in one question are slow to load and hard to fill in; --split 40 divides the "
    "question into several questions, between steps"
)
MISTAKES_LEFT = "{name}: in {blanks} of {all} answer fields no mistake can be recognised from the number"


@dataclass(frozen=True, slots=True)
class System:
    """A course system: its file format and ending, the place where users import the file, and its limitations.
    `run_with` names the real system that read such files, with its version and the month.
    """

    name: str
    file: str
    ending: str
    way_in: str
    limitations: tuple[str, ...]
    several: bool = False  # whether a file can contain several problems
    run_with: str = ""  # empty if no real system has read a file

    @property
    def evidence(self) -> str:
        """A line about the real system that read a file. Without this evidence, the export is experimental."""
        return f"tested with {self.run_with}" if self.run_with else "experimental: not tested with a real system"


SYSTEMS = {
    row.name: row
    for row in (
        System("moodle", "Moodle XML", ".xml", "Question bank > Import > Moodle XML format", LOST_BY_MOODLE,
            several=True, run_with="Moodle 4.2 (import, questions and marks, November 2026)"),
        System("canvas", "QTI 1.2 in a zip", ".zip", "Settings > Import course content > QTI .zip file",
            LOST_BY_CANVAS, several=True,
            run_with="Canvas's converter instructure/QTIMigrationTool, but not Canvas itself (November 2026)"),
        System("qti21", "QTI 2.1 in a zip, for systems that support the standard", ".zip",
            "the import of an IMS content package", LOST_BY_QTI),
        System("prairielearn", "PrairieLearn question folders in a zip", ".zip",
            "unpack it in the folder of a course, next to its infoCourse.json", LOST_BY_PRAIRIELEARN),
        System("rexams", "R/exams: an exercise in R Markdown; for several variants, a zip of exercises", ".Rmd",
            "exams2moodle(), exams2html() and the like; exam.R in a zip shows how", LOST_BY_REXAMS,
            run_with="R/exams in R 4.2, which wrote files for Moodle (November 2026)"),
        System("stack", "Moodle XML for STACK, which marks later steps with the student's own earlier numbers",
            ".xml", "Question bank > Import > Moodle XML format, where STACK is installed", LOST_BY_STACK,
            run_with="Maxima 5.46, without Moodle (marks of whole questions, November 2026)"),
        System("numbas",
            "a Numbas exam with adaptive marking: later steps are marked with the student's own earlier numbers",
            ".exam", "Upload it in the Numbas editor, or use the Numbas compiler", LOST_BY_NUMBAS,
            run_with="the runtime of Numbas 6.3 in Node (marks, November 2026)"),
    )
}  # fmt: skip


def limitations_of(quizzes: list[Quiz], always: tuple[str, ...], extra: Iterable[str] = ()) -> list[str]:
    """Return the limitations of the quizzes without duplicates: `always`, limitations because of numbers, `extra`, and
    the limitations of each quiz.
    """
    blanks = [blank for quiz in quizzes for question in quiz.questions for blank in question.blanks]
    long = any(answer.share == 1 and answer.binary > answer.tolerance for blank in blanks for answer in blank.answers)
    special = [INFINITE] * any(blank.word for blank in blanks) + [LONG] * long
    of_quizzes = (line for quiz in quizzes for line in quiz.limitations)
    return list(dict.fromkeys([*always, *special, *extra, *of_quizzes]))
