"""`attncalc.load`, `solve` and `check`: read a problem, solve it, and mark answers to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping as MappingType
from typing import TYPE_CHECKING, Literal

from .arithmetic.rounding import Rounding
from .errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten, warn
from .named_files import find_problem
from .plan import Step
from .problem.loader import build_problem, read_problem
from .problem.problem import Problem
from .problem.sections.asked import MOST_DIGITS
from .problem.yaml_file.nodes import LARGEST_FILE
from .processor_limit import limited
from .safe_files import note_input
from .solution import PartSolution, Solution, StepResult, rounding_on_paper
from .step_values import Values

if TYPE_CHECKING:
    from pathlib import Path

    from .marking.report import Report
    from .problem.python_input import Floats
    from .submissions.step_matching import Bound


def load(problem: str | Path | MappingType[str, object], floats: Floats = "shortest") -> Problem:
    """Return the problem in a file, in a bundled file, in standard input (`-`), or in a mapping with the keys of a
    problem file. The givens of a mapping can be lists, numbers, texts and NumPy arrays.

    A float becomes the shortest decimal that is read as this float (0.1 becomes 1/10). With floats="binary" it becomes
    the exact binary number. A file with `draw:` gives an example problem. Raises AttncalcError with every fault and its
    location.
    """
    loaded_problem = load_without_warning(problem, floats)
    if loaded_problem.draws is not None:
        warn(loaded_problem.warnings[-1:])
    return loaded_problem


def load_without_warning(
    problem: str | Path | MappingType[str, object], floats: Floats = "shortest", quiet: bool = False
) -> Problem:
    """Return the problem as `load` does, without the warning that a file with `draw:` gives an example; with `quiet`,
    without any warning.
    """
    if floats not in ("shortest", "binary"):
        raise AttncalcError(f"floats: expected shortest or binary, found {shorten(repr(floats))}")
    if isinstance(problem, MappingType):
        from .problem.python_input import tree_of

        title = str(problem.get("title", "problem"))
        return require_known_codes(build_problem(tree_of(problem, floats), "", title, quiet=quiet))
    if not isinstance(problem, str | os.PathLike):
        raise AttncalcError(
            f"expected a file, a mapping, or the name of a problem, found {shorten(type(problem).__name__)}"
        )
    name = str(problem)
    if name == "-":
        return require_known_codes(read_problem(read_bytes(name), "<stdin>", "stdin", quiet))
    file = find_problem(name)
    return require_known_codes(read_problem(read_bytes(file.path), file.source, file.stem, quiet))


def loads(text: str | bytes) -> Problem:
    """Return the problem in a text. Error messages use `<problem>` as the name of the file."""
    return require_known_codes(read_problem(text, "<problem>", "problem"))


def require_known_codes(problem: Problem) -> Problem:
    """Return the problem. Raises AttncalcError if `accept` or `rubric` has a code that is not in the catalogue of
    mistakes.
    """
    places_of_codes = {code: ("accept", place) for code, place in problem.accept.items()}
    for part in problem.parts:
        places_of_codes |= {code: ("accept", place) for code, place in part.accept.items()}
        places_of_codes |= {code: ("rubric", place) for code, place in part.rubric.places.items()}
    require_in_catalogue(places_of_codes)
    return problem


def require_in_catalogue(codes: MappingType[str, tuple[str, Location]]) -> None:
    """Raise AttncalcError for every code that is not in the catalogue. `codes` maps codes to their keys
    and locations.
    """
    if codes:
        from .mistakes.catalogue import catalogue  # slow to import, and rarely needed

        faults = Diagnostics()
        for code, (key, place) in codes.items():
            if code not in catalogue():
                near = did_you_mean(code, list(catalogue())) or "; `attncalc mistakes` lists the codes"
                faults.add(f"{key}: expected the code of a mistake, found {shorten(code)!r}{near}", place)
        faults.raise_any()


def check(
    problem: Problem | str | Path | MappingType[str, object],
    answers: str | Path | MappingType[str, object],
    *,
    partial: bool = False,
) -> Report:
    """Return the report on a script: a verdict for each step, the first error with its cause, and points.

    `answers` is an answer file in any format, `-` for standard input, or a mapping with the keys of an answer file. The
    answers of a mapping can be lists, numbers, texts and NumPy arrays.
    Raises AttncalcError with every fault. With `partial`, readable answers are marked, and `report.bound.unread` lists
    the faults. AttncalcError is then raised only if nothing can be read.
    """
    from .marking.report import check as mark

    loaded = problem if isinstance(problem, Problem) else load(problem)
    if isinstance(answers, MappingType):
        import json

        from .problem.python_input import data_of, tree_of

        data, source = json.dumps(data_of(tree_of(answers, name="answers"))).encode(), "answers.json"
    elif isinstance(answers, str | os.PathLike):
        name = str(answers)
        data, source = content_of(name), "<stdin>" if name == "-" else name
    else:
        raise AttncalcError(f"answers: expected a file or a mapping, found {shorten(type(answers).__name__)}")
    with limited(Location(source)):
        bound = _bound(data, source, loaded, partial)
    return mark(loaded, bound)


def _bound(data: bytes, source: str, problem: Problem, partial: bool) -> Bound:
    """Return the answers of a file, matched to the steps. With `partial`, leave out answers that cannot be read."""
    from .submissions.script_reader import read
    from .submissions.step_matching import bind

    try:
        return bind(read(data, source), problem)
    except AttncalcError:
        if not partial:
            raise
        bound = bind(read(data, source, lenient=True), problem, lenient=True)
        if not bound.unread or not (bound.steps or bound.shapes or bound.words):
            raise
        return bound


def read_bytes(name: str, most: int = LARGEST_FILE) -> bytes:
    """Return at most `most` + 1 bytes of a file, or of standard input for `-`. The additional byte shows that the limit
    is exceeded. Raises AttncalcError.
    """
    try:
        if name == "-":
            if sys.stdin is None:
                raise AttncalcError(Diagnostic("expected input, but standard input is closed", Location("<stdin>")))
            return sys.stdin.buffer.read(most + 1)
        with open(name, "rb", opener=_open_without_blocking) as file:
            note_input(name)
            return file.read(most + 1)
    except OSError as error:
        folder = isinstance(error, IsADirectoryError)
        message = "expected a file, found a folder" if folder else f"the file cannot be read: {error.strerror}"
        raise AttncalcError(Diagnostic(message, Location(name))) from None


def content_of(name: str) -> bytes:
    """Return the bytes of a script or a table, up to one more than the size limit. Raises AttncalcError."""
    from .submissions.script_reader import ARCHIVES
    from .submissions.tables.xml_stream import LARGEST_ARCHIVE

    return read_bytes(name, LARGEST_ARCHIVE if name.lower().endswith(ARCHIVES) else LARGEST_FILE)


def _open_without_blocking(name: str, flags: int) -> int:
    """Open a file for reading; a pipe without a writer is read as an empty file."""
    handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return handle


def solve(
    problem: Problem | str | Path | MappingType[str, object],
    *,
    arithmetic: Literal["certified", "floating"] = "certified",
    paper: bool = False,
    digits: int | None = None,
) -> Solution:
    """Return the solution of a problem, step by step. With `paper`, or if the problem has `carry: printed`, each step
    is rounded as its `rounding` requires, and later steps use the rounded values.

    A value is computed when it is requested: `solution["masked"]["Z"].decimals(4)`. arithmetic="floating" gives the
    float64 numbers of NumPy instead, for comparison.
    """
    if arithmetic not in ("certified", "floating"):
        raise AttncalcError(f"arithmetic: expected certified or floating, found {shorten(str(arithmetic))!r}")
    if digits is not None and not (isinstance(digits, int) and 0 <= digits <= MOST_DIGITS):
        raise AttncalcError(f"digits: expected a whole number from 0 to {MOST_DIGITS}, found {shorten(str(digits))!r}")
    if not isinstance(problem, Problem):
        problem = load(problem)
    if arithmetic == "floating":
        return _floating(problem)
    paper = paper or problem.carries_rounded
    roundings = {
        part.name: Rounding(part.rounding.digits if digits is None else digits, part.rounding.mode)
        for part in problem.parts
    }

    def rounding_of(step: Step) -> Rounding:
        return roundings[step.part]

    values = Values(problem.plan, rounding_on_paper(rounding_of) if paper else None)
    parts = [
        PartSolution(part.name, [StepResult(step, values, roundings[part.name]) for step in part.plan.steps], part)
        for part in problem.parts
    ]
    return Solution(problem, parts, values, paper)


def _floating(problem: Problem) -> Solution:
    from .arithmetic.float64 import FloatStep, solve_floating

    values = solve_floating(problem.plan)
    parts = [PartSolution(p.name, [FloatStep(s, values[s.key]) for s in p.plan.steps], p) for p in problem.parts]  # type: ignore[misc]
    return Solution(problem, parts, None, False)  # type: ignore[arg-type]
