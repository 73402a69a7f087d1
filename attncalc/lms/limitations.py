"""Limitations of course systems, in words for the instructor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .quiz import Quiz

CELLS_ALONE = (
    "each entry is marked alone, against the right numbers: what follows from an earlier mistake earns nothing, while "
    "attncalc grade charges a mistake once"
)
ROUNDINGS = (
    "only two ways of rounding intermediate results are accepted: none, or every step; attncalc grade "
    "accepts the others too"
)
ONLY_DECIMALS = (
    "answers must be typed as decimals: 2/3, sqrt(2) and other formulas, which attncalc grade accepts, are not read"
)
DECIMAL_COMMA = "a decimal comma is read only where the language of the course has it; in English 0,67 may count as 67"
ON_PAPER = "worked steps, hints and space to work are on paper only; attncalc solve and attncalc exam print them"
HINTS = "hints and space to work are on paper only"
LOST_BY_ALL = (CELLS_ALONE, ROUNDINGS, ONLY_DECIMALS, DECIMAL_COMMA, ON_PAPER)
ABSOLUTE = (
    "tolerances are absolute: answers with too few decimals are refused, and no more decimals than that are required"
)
ONE_CELL_TELLS = "mistakes are recognised from single entries only; attncalc grade looks at all of a matrix"
AS_TYPED = (
    "what follows from an earlier mistake is computed from the numbers as typed, within half a unit of the last digit; "
    "attncalc grade allows all that honest rounding may lead to"
)
DECIMALS_OR_FRACTIONS = (
    "answers must be typed as decimals or fractions: sqrt(2) and other formulas, which attncalc grade accepts, are not "
    "read"
)
LOST_BESIDE_SOLUTIONS = (CELLS_ALONE, ROUNDINGS, ONLY_DECIMALS, DECIMAL_COMMA, HINTS)
LOST_BY_MOODLE = (
    *LOST_BESIDE_SOLUTIONS,
    (
        "only the number at the beginning of what is typed is read: 2/3 counts as 2, so that 1/3 is right where 1 "
        "is; the question says so"
    ),
    "the minus of printed pages (−1.73) is not read; the question says which one is",
    ABSOLUTE,
    ONE_CELL_TELLS,
    "a second import adds every question once more; docs/how-to/quizzes.md says how to tell the new ones from the old",
)
LOST_BY_CANVAS = (
    *LOST_BESIDE_SOLUTIONS,
    "a matrix is a question for each entry, since answer fields within one question are matched as text, without a "
    "tolerance",
    "an entry is right or wrong: no share of the points for a last digit that is off, no feedback to known mistakes",
    "what is typed and is not a number counts as 0 in Classic Quizzes, so that it is right where 0 is",
)
LOST_BY_QTI = (
    *LOST_BY_ALL,
    ABSOLUTE,
    ONE_CELL_TELLS,
    "how a system reads what is typed into an answer field, and whether it shows feedback at all, is its own choice",
)
LOST_BY_PRAIRIELEARN = (
    *(CELLS_ALONE, ROUNDINGS, DECIMALS_OR_FRACTIONS, ABSOLUTE, ONE_CELL_TELLS, ON_PAPER),
    "points: PrairieLearn keeps them in the assessments of a course; shares of the entries within a question are kept",
)
LOST_BY_REXAMS = (
    *LOST_BY_ALL,
    "an entry has one number and one tolerance, wide enough for both ways of rounding; so the last digit may be off "
    "where these differ",
    "an entry is right or wrong: no share of the points for a last digit that is off, no feedback to known mistakes",
    "of the spellings of minus infinity one is right, -inf",
)
LOST_BY_STACK = (
    AS_TYPED,
    "a formula that is typed (sqrt(2), 2/3) counts as its value; whether decimals were asked for is not checked",
    "a decimal comma is refused, unless the site's STACK is set to one",
    *(ABSOLUTE, ONE_CELL_TELLS, ON_PAPER),
)
LOST_BY_NUMBAS = (
    *(AS_TYPED, DECIMALS_OR_FRACTIONS, ABSOLUTE, ONE_CELL_TELLS),
    "each part is submitted by itself; feedback to a mistake appears then",
    ON_PAPER,
)
VARIANTS_DRAWN = (
    "the variants of a question stand in one category, of which a random question draws one, "
    "another for each question of a student; --together makes one question of all"
)
VARIANTS_TOGETHER = (
    "each variant is one question of one category, of which a random question draws one; whose paper had which is "
    "not recorded"
)
ALONE = "multiple-choice and free-text questions stand beside those with answer fields, and are drawn separately"
VARIANTS_APART = (
    "each variant is a quiz of its own, for Classic Quizzes to import; which students it is assigned to is not recorded"
)
VARIANTS_BY_SEED = (
    "each question draws its own variant by its seed; which student has which, and the same one in all questions, "
    "is not recorded"
)
VARIANTS_OF_A_TEST = (
    "the test draws one variant for all questions of a student; which student has which is not recorded"
)
VARIANTS_BY_R = "each variant is an exercise, of which R/exams draws one for a student (exam.R); it says itself which"
RIGHT_APART = (
    "in {blanks} of {all} entries another right number (rounded step by step, or by an accepted convention) is too "
    "far for one tolerance"
)
WEIGHTS_FOR_POINTS = (
    "points: whole weights stand for them, since some have more than two decimals; together they are worth {points}"
)
NOT_FOLLOWED_BY_NUMBAS = (
    "{name}: it calls for an operation that is not written for Numbas, so that it is marked from the right "
    "numbers alone"
)
ENGLISH = (
    "the quiz is in the paper's language ({language}) as far as its table of words goes: names and values of options, "
    "feedback, worked solutions and the tasks of bundled problems stay English"
)
ROUNDED_GIVENS = (
    "givens: rounded, so that answers would be held against intervals; here they are held against the printed givens"
)
FIGURE_LEFT = "{name}: its figure {file} is on paper only; put it into the question by hand"
ESSAY_LEFT = "{name}: Numbas has no field for an essay; its task stands there, its points do not"
VARIANTS_IN_GROUP = (
    "the variants stand in one group, of which Numbas draws one for a student; which student has which is not recorded"
)
LARGE_FOR_SYSTEM = (
    "{name}: {blanks} fields in one question; {system} takes seconds for so many, and asked: can name fewer steps"
)
NOT_FOLLOWED = (
    "{name}: it calls for an operation that is not written for Maxima, so that it is marked from the right "
    "numbers alone"
)
POINTS_ROUNDED = "the points of some entries are infinite decimals; they are rounded to twelve places"
WEIGHTS_NEARLY = (
    "{name}: the points of its entries have no small common denominator; their shares are kept to a thousandth"
)
POINTS_NEARLY = "the points of some entries are infinite decimals; they are rounded to six places, and still add up"
LONG = "numbers of more than fifteen digits: the systems calculate in binary, and cannot tell the last digits apart"
INFINITE = "minus infinity is matched as text"
MARKS = (
    "{name}: Moodle counts {sum} marks for it, the sum of its answer fields; set its maximum to {points} in the quiz"
)
MARKS_NEARLY = "{name}: the points of its answer fields have no small common denominator; they are kept to a thousandth"
LARGE = (
    "{name}: {blanks} answer fields in one question are slow to load and hard to fill in; --split 40 makes several "
    "questions of it, between steps"
)
MISTAKES_LEFT = "{name}: in {blanks} of {all} answer fields no mistake can be recognised from the number"


def limitations_of(quizzes: list[Quiz], always: tuple[str, ...], extra: Iterable[str] = ()) -> list[str]:
    """Return the limitations that apply to the quizzes, without duplicates: `always`, those of numbers, `extra`, those
    of each quiz.
    """
    blanks = [blank for quiz in quizzes for question in quiz.questions for blank in question.blanks]
    long = any(answer.share == 1 and answer.binary > answer.tolerance for blank in blanks for answer in blank.answers)
    special = [INFINITE] * any(blank.word for blank in blanks) + [LONG] * long
    of_quizzes = (line for quiz in quizzes for line in quiz.limitations)
    return list(dict.fromkeys([*always, *special, *extra, *of_quizzes]))
