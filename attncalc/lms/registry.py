"""Registry of course systems, one row each. A writer is a module in this folder with `write(quizzes) -> (content,
limitations)`. `attncalc export`, its help and the tests of every writer need only its row here.
"""

from __future__ import annotations

from dataclasses import dataclass

from .limitations import (
    ABSOLUTE,
    CELLS_ALONE,
    LOST_BY_ALL,
    LOST_BY_CANVAS,
    LOST_BY_MOODLE,
    ON_PAPER,
    ONE_CELL_TELLS,
    ROUNDINGS,
)


@dataclass(frozen=True, slots=True)
class System:
    """One course system: its file format and extension, where to import the file, and its permanent limitations."""

    name: str
    file: str
    ending: str
    way_in: str
    limitations: tuple[str, ...]
    several: bool = False  # whether a file can hold several problems, not only variants of one


SYSTEMS = {
    row.name: row
    for row in (
        System(
            "moodle", "Moodle XML", ".xml", "Question bank > Import > Moodle XML format", LOST_BY_MOODLE, several=True
        ),
        System(
            "canvas",
            "QTI 1.2 in a zip",
            ".zip",
            "Settings > Import course content > QTI .zip file",
            LOST_BY_CANVAS,
            several=True,
        ),
        System(
            "qti21",
            "QTI 2.1 in a zip, for systems that read the standard",
            ".zip",
            "the import of an IMS content package",
            (
                *LOST_BY_ALL,
                ABSOLUTE,
                ONE_CELL_TELLS,
                (
                    "how a system reads what is typed into an answer field, and whether it shows feedback at all, "
                    "is its own choice"
                ),
            ),
        ),
        System(
            "prairielearn",
            "PrairieLearn question folders in a zip",
            ".zip",
            "unpack it in the folder of a course, beside its infoCourse.json",
            (
                CELLS_ALONE,
                ROUNDINGS,
                (
                    "answers must be typed as decimals or fractions: sqrt(2) and other formulas, which attncalc "
                    "grade accepts, are not read"
                ),
                ABSOLUTE,
                ONE_CELL_TELLS,
                ON_PAPER,
                (
                    "points: PrairieLearn keeps them in the assessments of a course; shares of the entries within a "
                    "question are kept"
                ),
            ),
        ),
        System(
            "rexams",
            "R/exams, an exercise in R Markdown (a zip of them for variants)",
            ".Rmd",
            "exams2moodle(), exams2html() and the like; exam.R in a zip shows how",
            (
                *LOST_BY_ALL,
                (
                    "an entry has one number and one tolerance, wide enough for both ways of rounding; so the last "
                    "digit may be off where these differ"
                ),
                (
                    "an entry is right or wrong: no share of the points for a last digit that is off, no "
                    "feedback to known mistakes"
                ),
                "of the spellings of minus infinity one is right, -inf",
            ),
        ),
        System(
            "stack",
            "Moodle XML for STACK, where later steps are judged given a student's own earlier numbers",
            ".xml",
            "Question bank > Import > Moodle XML format, where STACK is installed",
            (
                "what follows from an earlier mistake is computed from the numbers as typed, within half a "
                "unit of the last digit; "
                "attncalc grade allows all that honest rounding may lead to",
                (
                    "a formula that is typed (sqrt(2), 2/3) counts as its value; whether decimals were asked for is "
                    "not checked"
                ),
                "a decimal comma is refused, unless the site's STACK is set to one",
                ABSOLUTE,
                ONE_CELL_TELLS,
                ON_PAPER,
            ),
        ),
        System(
            "numbas",
            "a Numbas exam with adaptive marking, where later steps are judged given a student's own earlier numbers",
            ".exam",
            "Upload in the Numbas editor, or the Numbas compiler",
            (
                "what follows from an earlier mistake is computed from the numbers as typed, within half a "
                "unit of the last digit; "
                "attncalc grade allows all that honest rounding may lead to",
                (
                    "answers must be typed as decimals or fractions: sqrt(2) and other formulas, which attncalc "
                    "grade accepts, are not read"
                ),
                ABSOLUTE,
                ONE_CELL_TELLS,
                "each part is submitted by itself; feedback to a mistake appears then",
                ON_PAPER,
            ),
        ),
    )
}
