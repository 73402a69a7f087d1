"""Registry of course systems, one row each. A writer is a module in this folder with `write(quizzes) -> (content,
limitations)`. `attncalc export`, its help and the tests of every writer need only its row here.
"""

from __future__ import annotations

from dataclasses import dataclass

from .limitations import (
    LOST_BY_CANVAS,
    LOST_BY_MOODLE,
    LOST_BY_NUMBAS,
    LOST_BY_PRAIRIELEARN,
    LOST_BY_QTI,
    LOST_BY_REXAMS,
    LOST_BY_STACK,
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
        System("moodle", "Moodle XML", ".xml", "Question bank > Import > Moodle XML format", LOST_BY_MOODLE,
            several=True),
        System("canvas", "QTI 1.2 in a zip", ".zip", "Settings > Import course content > QTI .zip file",
            LOST_BY_CANVAS, several=True),
        System("qti21", "QTI 2.1 in a zip, for systems that read the standard", ".zip",
            "the import of an IMS content package", LOST_BY_QTI),
        System("prairielearn", "PrairieLearn question folders in a zip", ".zip",
            "unpack it in the folder of a course, next to its infoCourse.json", LOST_BY_PRAIRIELEARN),
        System("rexams", "R/exams, an exercise in R Markdown (a zip of them for variants)", ".Rmd",
            "exams2moodle(), exams2html() and the like; exam.R in a zip shows how", LOST_BY_REXAMS),
        System("stack", "Moodle XML for STACK, where later steps are marked given a student's own earlier numbers",
            ".xml", "Question bank > Import > Moodle XML format, where STACK is installed", LOST_BY_STACK),
        System("numbas",
            "a Numbas exam with adaptive marking, where later steps are marked given a student's own earlier numbers",
            ".exam", "Upload in the Numbas editor, or the Numbas compiler", LOST_BY_NUMBAS),
    )
}  # fmt: skip
