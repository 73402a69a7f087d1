"""From a sheet to a folder: draws the variants, sets every paper and solution, writes the key; in one process or in
several.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..files import as_json, escaped
from ..generator import workable
from ..processes import deaf, orphans_end
from ..spreadsheet import as_csv
from ..write.signs import in_tex
from . import output, typeset
from .draw import Drawn, Variant, chosen, draw_all, settle
from .figures import files_of
from .keys import KIND
from .model import Sheet, Student
from .own import problem_of
from .paper import Paper, paper
from .print import in_one
from .secret import KEPT, Secret, keep_secret, kept_secret, new_secret, secret_path
from .sheet import read_sheet
from .unset import Unset, unset_signs
from .workplace import workplace

T = TypeVar("T")
Told = tuple[str, str, int, int]  # a fault: its message, file, line and column
Advance = Callable[[], None]
WORTH_A_PROCESS = 8  # variants below which another process costs more than it brings


@dataclass(slots=True)
class Order:
    """What is to be made: the sheet's text and name, which targets, how many processes (None: as many as are worth it),
    which variants alone, whose templates, the file of the secret (empty: next to the sheet), the secret, and the
    file in which it is still to be kept.
    """

    data: bytes
    source: str
    targets: tuple[str, ...] = ("pdf",)
    jobs: int | None = 1
    only: tuple[str, ...] = ()
    template: Path | None = None
    purpose: str = ""
    secret_file: str = ""
    secret: Secret | None = None
    unkept: str = ""

    def sheet(self) -> Sheet:
        """The sheet that is read; a template that stands in the order counts more than the sheet's."""
        sheet = read_sheet(self.data, self.source, self.purpose, self.secret)
        sheet.template = self.template or sheet.template
        return sheet


def keyed(order: Order, sheet: Sheet, is_trial: bool = False) -> Order:
    """The order with the secret of its sheet, if the sheet holds neither seed: nor secret:. A secret that is not there
    is a new one, which `build` keeps; for a trial there is none. Raises AttncalcError if it cannot be read or kept.
    """
    if sheet.drawn_from:
        if order.secret_file:
            raise AttncalcError(f"--secret: expected a sheet without {sheet.drawn_from}:, which this one has")
        return order
    path = order.secret_file or secret_path(order.source)
    secret = kept_secret(path)
    if secret is not None or is_trial:
        return replace(order, secret=secret)
    if order.only:
        raise AttncalcError(
            Diagnostic(
                "there is no such file; --only writes papers again, and these were drawn from it. Put it back first",
                Location(path or "--only"),
            )
        )
    return replace(order, secret=new_secret(path), unkept=path)


def build(
    order: Order,
    folder: str,
    force: bool,
    start: Callable[[int], Advance],
    tell: Callable[[str], None] = lambda line: None,
) -> tuple[list[Variant], int, int]:
    """Writes a whole exam; answers its variants and how many files are new, and how many were there. `start` begins a
    progress bar.
    """
    sheet = order.sheet()
    if not (sheet.drawn_from or order.secret):
        order = keyed(order, sheet)
        sheet = order.sheet()
    if sheet.weak:
        tell(f"{order.source}: {sheet.weak}")
    if order.only and os.path.lexists(os.path.join(folder, output.MANIFEST)):
        raise AttncalcError("--only: expected another folder; this one holds the whole exam")
    with workplace(folder, tell) as built, _workers(order, sheet) as work:
        firsts = _firsts(sheet)
        advance = start(len(firsts) + len(sheet.students) + 1)
        variants = _chosen(order, _settled(sheet, firsts, work(_draw, firsts, advance)))
        unset = work(_write, [(variant, built, order.targets) for variant in variants], advance)
        for line in unset_signs([variant.student for variant in variants], list(unset)):
            tell(line)
        if "pdf" in order.targets:
            _put(
                built,
                "all-papers.pdf",
                in_one(built, [f"paper-{variant.name}.pdf" for variant in variants], sheet.title),
            )
        if "latex" in order.targets:
            for name, content in files_of(sheet.figures(), True).items():
                _put(built, name, content)
            for name, some in _by_size(variants):
                made = [made_paper(sheet, variant) for variant in some]
                _put(built, name, typeset.latex(made, False).encode())
        _put(built, "key.json", key(sheet, variants))
        _put(built, "index.csv", index(variants, order.targets))
        advance()
        if order.unkept and order.secret:
            keep_secret(order.secret, order.unkept, sheet.file)
            tell(f"{order.unkept}: {KEPT}")
        return variants, *output.publish(built, folder, force)


def work_out(order: Order, start: Callable[[int], Advance]) -> list[Variant]:
    """Draws and solves every variant, and writes nothing. Raises AttncalcError with each variant that cannot be worked
    out, and why.
    """
    sheet = order.sheet()
    with _workers(order, sheet) as work:
        firsts = _firsts(sheet)
        advance = start(2 * len(firsts))
        variants = _chosen(order, _settled(sheet, firsts, work(_draw, firsts, advance)))
        found = Diagnostics()
        tried = [variant for variant in variants if variant.is_first]
        for variant, messages in zip(tried, work(_faults, tried, advance), strict=True):
            for message in messages:
                found.add(f"variant {variant.code}: {message}", Location(order.source))
        found.raise_any()
    return variants


def _by_size(variants: list[Variant]) -> Iterator[tuple[str, list[Variant]]]:
    """A file of LaTeX has letters of one size: papers that are enlarged alone have a file of their own."""
    for name, large in (("all-papers.tex", False), ("all-papers-large.tex", True)):
        if some := [variant for variant in variants if variant.student.large == large]:
            yield name, some


def _faults(sheet: Sheet, variant: Variant) -> list[str]:
    """What cannot be worked out in a variant, as its students would read it."""
    found = workable.faults(problem_of(variant.problem, f"variant-{variant.name}.yaml", variant.code))
    return list(dict.fromkeys(fault.message for all_of_step in found.values() for fault in all_of_step))


def _firsts(sheet: Sheet) -> list[Student]:
    """Everybody whose numbers are drawn: the first of each version, or all."""
    found: dict[str, Student] = {}
    for student in sheet.students:
        found.setdefault(student.drawn, student)
    return list(found.values())


def _settled(sheet: Sheet, firsts: list[Student], drawn: Iterable[list[Drawn]]) -> list[Variant]:
    found = {student.drawn: one for student, one in zip(firsts, drawn, strict=True)}
    return list(settle(sheet, sheet.students, (found[student.drawn] for student in sheet.students)))


def _chosen(order: Order, variants: list[Variant]) -> list[Variant]:
    names = {name: v for v in variants for name in (v.code, v.student.number) if name}
    for name in order.only:
        if name not in names:
            raise AttncalcError(
                f"--only: no variant has the code or the student {shorten(name)!r}{did_you_mean(name, list(names))}"
            )
    found = [names[name] for name in dict.fromkeys(order.only)] if order.only else variants
    seen: set[str] = set()
    for variant in found:
        variant.is_first = variant.of not in seen
        seen.add(variant.of)
    return found


# -- what each process does --------------------------------------------------------------------------------------------


def _draw(sheet: Sheet, student: Student) -> list[Drawn]:
    return draw_all(sheet, student)


def _write(sheet: Sheet, job: tuple[Variant, str, tuple[str, ...]]) -> Unset:
    """All files of one variant; answers for each engine the signs that it has no shapes for."""
    variant, built, targets = job
    made = made_paper(sheet, variant)
    unset: Unset = {}
    if variant.problem and variant.is_first:
        _put(built, f"variant-{variant.of}.yaml", variant.problem.encode())
    for name, solved in (
        (f"paper-{variant.name}", False),
        *([(f"solution-{variant.of}", True)] if variant.is_first else []),
    ):
        if "pdf" in targets:
            pdf = _pdf(typeset.typst([made], solved), files_of(sheet.figures(), False), unset)
            _put(built, f"{name}.pdf", pdf)
        if "latex" in targets:
            source = typeset.latex([made], solved)
            unset["latex"] = unset.get("latex", "") + in_tex(source)
            _put(built, f"{name}.tex", source.encode())
    return unset


def made_paper(sheet: Sheet, variant: Variant) -> Paper:
    """A variant's paper, ready to be set."""
    problem = problem_of(variant.problem, f"variant-{variant.name}.yaml", variant.code)
    asked = [chosen(question, choice) for question, choice in zip(sheet.questions, variant.choices, strict=True)]
    return paper(sheet, problem, variant.code, variant.student, asked, variant.own)


def _pdf(source: str, files: dict[str, bytes], unset: Unset) -> bytes:
    from ..write.pdf import by_typst

    def note(signs: str) -> None:
        unset["typst"] = unset.get("typst", "") + signs

    return by_typst(source, files, note)


def _put(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


_SHEET: list[Sheet] = []  # of this process


@contextmanager
def _workers(order: Order, sheet: Sheet) -> Iterator[Any]:
    """Runs a function over items and answers in their order, whatever the number of processes."""
    jobs = order.jobs or max(1, min(os.cpu_count() or 1, len(sheet.students) // WORTH_A_PROCESS))
    if jobs < 2:
        yield lambda function, items, advance: _counted((function(sheet, item) for item in items), advance)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (order,)) as pool:

        def work(function: Callable[[Sheet, Any], T], items: Iterable[Any], advance: Advance) -> Iterator[T]:
            with deaf():
                answers = pool.map(_Call(function), items, chunksize=2)  # starts the processes
            return _counted(_received(answers), advance)

        try:
            yield work
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)  # nobody writes any more when the folder is cleared away
            raise


def _begin(order: Order) -> None:
    orphans_end()
    _SHEET[:] = [order.sheet()]


class _Call:
    """A function of the sheet that this process has read."""

    def __init__(self, function: Callable[[Sheet, Any], Any]):
        self.function = function

    def __call__(self, item: Any) -> tuple[Any, list[Told]]:
        """What it answers, or its faults in a form that travels between processes."""
        try:
            return self.function(_SHEET[0], item), []
        except AttncalcError as error:
            return None, [(f.message, f.place.source, f.place.line, f.place.column) for f in error.faults]


def _received(answers: Iterable[tuple[T, list[Told]]]) -> Iterator[T]:
    for found, faults in answers:
        if faults:
            raise AttncalcError(
                Diagnostic(message, Location(file, line, column)) for message, file, line, column in faults
            )
        yield found


def _counted(found: Iterable[T], advance: Advance) -> Iterator[T]:
    for one in found:
        yield one
        advance()


# -- the key and the index ---------------------------------------------------------------------------------------------


def key(sheet: Sheet, variants: list[Variant]) -> bytes:
    """What marks the answers to every variant: one problem file for each code."""
    told = [
        {"code": v.code, "number": v.student.index, "student": v.student.number or None,
         "version": v.student.version or None,
         "seed": v.seed, "problem": v.problem, "own": list(v.own), "figures": dict(v.figures)}
        for v in variants
    ]  # fmt: skip
    data = {"format": 1, "kind": KIND, "title": sheet.title, "sheet": sheet.file, **sheet.layout.words.held()}
    data["variants"] = told
    return (as_json(data) + "\n").encode()


def index(variants: list[Variant], targets: tuple[str, ...]) -> bytes:
    """Which variant is whose, and in which files it stands; safe to open in a spreadsheet."""
    ending = "pdf" if "pdf" in targets else "tex"
    seated = ["version", "row", "seat"] if any(v.student.version for v in variants) else []
    large = ["large_print"] if any(v.student.large for v in variants) else []
    rows = [["number", "code", "student", "name", "seed", "paper", "solution", "problem", *seated, *large]]
    for v in variants:
        row = [str(v.student.index), v.code, v.student.number, v.student.name, v.seed]
        row += [f"paper-{v.name}.{ending}", f"solution-{v.of}.{ending}", f"variant-{v.of}.yaml" if v.problem else ""]
        row += [v.student.version, *map(str, v.student.seat or ("", ""))] if seated else []
        row += ["yes" if v.student.large else ""] if large else []
        rows.append(list(map(escaped, row)))
    return as_csv(rows).encode()
