"""Builds a folder of papers from an exam sheet, in one process or several: draws the variants, typesets papers and
solutions, and writes the key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..generator.requirements import unsolvable_steps
from ..render import latex, pdf
from ..render.glyph_codes import in_tex
from ..render.typst_compiler import joined, limit_of, page_count
from ..resources import custom_templates
from ..safe_files import as_csv, as_json, escape
from ..worker_processes import worker_pool
from . import paper_folder, typeset
from .images import figure_files
from .missing_glyphs import MissingGlyphs, missing_glyph_warnings
from .paper import Paper, paper, points_document
from .paper_folder import refuse_other_numbers, refuse_other_places, workplace
from .scan_layout import (
    MOST_PAGES,
    ScanRecord,
    code_text,
    fields_of,
    key_record,
    modules,
    paper_record,
    require_pages,
    require_scan,
)
from .secret import KEPT, LOST, TRIED, Secret, keeping, kept_secret, new_secret, secret_path
from .sheet.instructor_question import problem_of
from .sheet.model import Sheet, Student
from .sheet.sheet_keys import KIND
from .sheet.sheet_reader import read_sheet, sheet_data
from .sheet_files import MEDIA, short_name
from .stress import Start
from .variant_drawing import QuestionDraw, Variant, draw_all, make_variants_distinct, select_alternative


@dataclass(frozen=True, slots=True)
class Exam:
    """The result of a build: variants, questions per variant, number of new files, number of unchanged files."""

    variants: list[Variant]
    questions: int
    new: int = 0
    old: int = 0

    @property
    def versions(self) -> int:
        """The number of versions; 0 if every paper has its own numbers."""
        return len({variant.student.version for variant in self.variants} - {""})


def exam(  # the options of the command
    sheet: str,
    folder: str | None = None,
    *,
    targets: tuple[str, ...] = ("pdf",),
    only: tuple[str, ...] = (),
    template: str | None = None,
    purpose: str = "",
    secret: str = "",
    jobs: int | None = None,
    force: bool = False,
    start: Start = lambda total: lambda: None,
    tell: Callable[[str], None] = lambda line: None,
) -> Exam:
    """Write the papers, the solutions and the key of a sheet (a file, a name, `-`) into a folder: all files or none.
    Without a folder, only solve every variant.

    `targets` are pdf and latex. `only` names the codes or students of some variants. `template` is a folder of
    templates that replace built-in templates. `purpose` (exam, practice or resit) replaces the purpose in the sheet.
    `secret` is the file of the secret (by default next to the sheet). `jobs` is the number of processes (by default as
    many as save time). `start` begins a progress bar, and `tell` gets each line that the author should read. Raises
    AttncalcError if something cannot be read, drawn, computed or written.
    """
    data, source = sheet_data(sheet)
    template_folder = None if template is None else custom_templates(template, MEDIA, Location(), "--template: ")
    if folder == "":
        raise AttncalcError("--output: expected a folder, found nothing")
    order = Order(data, source, targets, jobs, only, template_folder, purpose, secret)
    exam_sheet = order.sheet()
    questions = len(exam_sheet.questions)
    for line in exam_sheet.notes:
        tell(f"{short_name(source)}: {line}")
    order = attach_secret(order, exam_sheet, is_trial=folder is None)
    if not (exam_sheet.draw_source or order.secret):
        tell(f"{short_name(source)}: {TRIED}")
    if exam_sheet.scan:
        require_scan(exam_sheet, order.targets)
    if folder is None:
        return Exam(work_out(order, start), questions)
    variants, new, old = build(order, folder, force, start, tell)
    return Exam(variants, questions, new, old)


T = TypeVar("T")
Item = TypeVar("Item")
Advance = Callable[[], None]
WORTH_A_PROCESS = 8  # variants per process; with fewer, another process saves no time


@dataclass(slots=True)
class Order:
    """The settings of one build.

    `data` and `source` are the text and the name of the sheet. If `jobs` is None, as many processes as save time are
    used. `only` names codes or students of some variants. If `secret_file` is empty, the secret is next to the sheet. A
    new secret is stored in `new_secret_file`.
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
    new_secret_file: str = ""

    def sheet(self) -> Sheet:
        """Return the sheet. The template of the order replaces the template of the sheet."""
        sheet = read_sheet(self.data, self.source, self.purpose, self.secret)
        sheet.template = self.template or sheet.template
        return sheet


def attach_secret(order: Order, sheet: Sheet, is_trial: bool = False) -> Order:
    """Return the order with the secret of its sheet, unless the sheet contains seed: or secret:. A missing secret is
    created, and `build` stores it. A trial has no secret. Raises AttncalcError if it cannot be read or created.
    """
    if sheet.draw_source:
        if order.secret_file:
            raise AttncalcError(
                f"--secret cannot be used with this exam sheet, because the sheet has the key {sheet.draw_source}:"
            )
        return order
    path = order.secret_file or secret_path(order.source)
    secret = kept_secret(path, order.source)
    if secret is not None or is_trial:
        return replace(order, secret=secret)
    if order.only:
        raise AttncalcError(
            "this file does not exist, but the papers were generated from it; restore it before you use --only",
            Location(path or "--only"),
        )
    return replace(order, secret=new_secret(path), new_secret_file=path)


def build(
    order: Order,
    folder: str,
    force: bool,
    start: Callable[[int], Advance],
    tell: Callable[[str], None] = lambda line: None,
) -> tuple[list[Variant], int, int]:
    """Write an exam. Return its variants, the number of written files, and the number of unchanged files. `start`
    begins a progress bar.
    """
    sheet = order.sheet()
    if not (sheet.draw_source or order.secret):
        order = attach_secret(order, sheet)
        sheet = order.sheet()
    if sheet.weakness:
        tell(f"{short_name(order.source)}: {sheet.weakness}")
    if order.new_secret_file and not force and os.path.lexists(os.path.join(folder, paper_folder.MANIFEST)):
        raise AttncalcError(LOST.format(folder=folder), Location(order.new_secret_file))
    if order.only and os.path.lexists(os.path.join(folder, paper_folder.MANIFEST)):
        raise AttncalcError("--only: this folder already contains the whole exam; choose a different folder")
    with workplace(folder, tell) as built, _workers(order, sheet) as work:
        students = _students_to_draw(sheet)
        advance = start(len(students) + len(sheet.students) + 1)
        variants = _select_variants(order, _distinct_variants(sheet, students, work(draw_all, students, advance)))
        new_key = key(sheet, variants)
        if not force:
            refuse_other_numbers(new_key, folder)
        written = list(work(_write, [(variant, built, order.targets) for variant in variants], advance))
        missing_glyphs = [signs for signs, _ in written]
        for line in missing_glyph_warnings([variant.student for variant in variants], missing_glyphs):
            tell(line)
        if "pdf" in order.targets:
            pdfs = [Path(built, f"paper-{variant.name}.pdf").read_bytes() for variant in variants]
            _put(built, "all-papers.pdf", joined(pdfs, sheet.title, double_sided=True))
        if "latex" in order.targets:
            for name, content in figure_files(sheet.figures(), True).items():
                _put(built, name, content)
            for name, variants_alike in _by_look(variants):
                papers = [build_paper(sheet, variant, variant.student.language) for variant in variants_alike]
                _put(built, name, typeset.latex(papers, False).encode())
        for name, content in _points_pages(sheet, variants, order.targets):
            _put(built, name, content)
        if sheet.scan:
            scan_records = {v.code: record for v, (_, record) in zip(variants, written, strict=True)}
            new_key = key(sheet, variants, scan_records)
            if not force:
                refuse_other_places(new_key, folder)
        _put(built, "key.json", new_key)
        _put(built, "index.csv", index(variants, order.targets))
        advance()
        if not (order.new_secret_file and order.secret):
            return variants, *paper_folder.publish(built, folder, force)
        with keeping(order.secret, order.new_secret_file, order.source):
            new, old = paper_folder.publish(built, folder, force)
        tell(f"{order.new_secret_file}: {KEPT}")
        return variants, new, old


def work_out(order: Order, start: Callable[[int], Advance]) -> list[Variant]:
    """Draw and solve every variant, and write nothing. Raises AttncalcError with every variant that cannot be
    solved, and why.
    """
    sheet = order.sheet()
    with _workers(order, sheet) as work:
        students = _students_to_draw(sheet)
        advance = start(2 * len(students))
        variants = _select_variants(order, _distinct_variants(sheet, students, work(draw_all, students, advance)))
        faults = Diagnostics()
        representatives = [variant for variant in variants if variant.is_first]
        for variant, messages in zip(representatives, work(_faults, representatives, advance), strict=True):
            for message in messages:
                faults.add(f"variant {variant.code}: {message}", Location(order.source))
        faults.raise_any()
    return variants


def _by_look(variants: list[Variant]) -> Iterator[tuple[str, list[Variant]]]:
    """Yield (file name, variants) for each letter size and language, because a LaTeX file has one size and one
    language.
    """
    looks: dict[str, list[Variant]] = {}
    for variant in sorted(variants, key=lambda variant: (variant.student.large, variant.student.language)):
        language = f"-{variant.student.language}" * bool(variant.student.language)
        looks.setdefault(f"all-papers{'-large' * variant.student.large}{language}.tex", []).append(variant)
    yield from looks.items()


def _faults(sheet: Sheet, variant: Variant) -> list[str]:
    """Return the messages about the steps of a variant that cannot be computed."""
    faults_by_step = unsolvable_steps(problem_of(variant.problem, f"variant-{variant.name}.yaml", variant.code))
    return list(dict.fromkeys(fault.message for faults in faults_by_step.values() for fault in faults))


def _students_to_draw(sheet: Sheet) -> list[Student]:
    """Return the students whose numbers are drawn: the first of each version, or all."""
    students: dict[str, Student] = {}
    for student in sheet.students:
        students.setdefault(student.draw_key, student)
    return list(students.values())


def _distinct_variants(sheet: Sheet, students: list[Student], draws: Iterable[list[QuestionDraw]]) -> list[Variant]:
    draws_by_key = {student.draw_key: question_draws for student, question_draws in zip(students, draws, strict=True)}
    all_draws = (draws_by_key[student.draw_key] for student in sheet.students)
    return list(make_variants_distinct(sheet, sheet.students, all_draws))


def _select_variants(order: Order, variants: list[Variant]) -> list[Variant]:
    names = {name: v for v in variants for name in (v.code, v.student.number) if name}
    for name in order.only:
        if name not in names:
            near = did_you_mean(name, list(names))
            raise AttncalcError(f"--only: no variant has the code or the student's number {shorten(name)!r}{near}")
    selection = [names[name] for name in dict.fromkeys(order.only)] if order.only else variants
    seen: set[str] = set()
    for variant in selection:
        variant.is_first = variant.shared_name not in seen
        seen.add(variant.shared_name)
    return selection


# -- the work of each process ------------------------------------------------------------------------------------------


def _write(sheet: Sheet, job: tuple[Variant, str, tuple[str, ...]]) -> tuple[MissingGlyphs, ScanRecord]:
    """Write all files of one variant. Return the characters without a glyph, by engine, and the fields for a scan."""
    variant, built, targets = job
    student = variant.student
    for_student = build_paper(sheet, variant, student.language)
    # All students of a version get the same solution
    for_all = build_paper(sheet, variant) if student.version and student.language else for_student
    is_usual = for_all is for_student and typeset.scale_of(for_student, False) == 1 and not sheet.template
    missing_glyphs: MissingGlyphs = {}
    scan_record: ScanRecord = {}
    if variant.problem and variant.is_first:
        _put(built, f"variant-{variant.shared_name}.yaml", variant.problem.encode())
    solution = [(f"solution-{variant.shared_name}", True, for_all)] if variant.is_first else []
    rooms: list[typeset.Room] = []
    for name, is_solution, paper_of_variant in (*solution, (f"paper-{variant.name}", False, for_student)):
        if "pdf" in targets:
            files = figure_files(sheet.figures(), False)
            codes = _page_codes(variant) if sheet.scan and not is_solution else []
            source = typeset.typst([paper_of_variant], is_solution, rooms=rooms, codes=list(map(modules, codes)))
            label = typeset.EDGE if is_solution and is_usual else "<field>" if codes else ""
            content, marks = _pdf(source, label, files, missing_glyphs, sheet.template)
            _put(built, f"{name}.pdf", content)
            if codes:
                pages = require_pages(page_count(content), variant.code, sheet)
                scan_record = paper_record(fields_of(paper_of_variant), marks, codes[:pages])
            elif label:  # a paper has spaces of the same size as its solution
                rooms = typeset.rooms_between(marks)
        if "latex" in targets:
            source = typeset.latex([paper_of_variant], is_solution)
            missing_glyphs["latex"] = missing_glyphs.get("latex", "") + in_tex(source)
            _put(built, f"{name}.tex", source.encode())
    return missing_glyphs, scan_record


def _page_codes(variant: Variant) -> list[str]:
    return [code_text(variant.code, variant.seed, page) for page in range(1, MOST_PAGES + 1)]


def _points_pages(sheet: Sheet, variants: list[Variant], targets: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the page with the points of each step and the costs of mistakes. Papers with the same questions
    count once.
    """
    representatives = {variant.choices: variant for variant in reversed(variants)}
    papers = [
        (problem_of(variant.problem, f"variant-{variant.name}.yaml", variant.code), variant.key_records)
        for variant in reversed(representatives.values())
    ]
    document = points_document(sheet, papers)
    if "pdf" in targets:
        yield "points.pdf", pdf.write(document)
    if "latex" in targets:
        yield "points.tex", latex.write(document).encode()


def build_paper(sheet: Sheet, variant: Variant, language: str = "") -> Paper:
    """Return the paper of a variant, ready for typesetting. If `language` is empty, the language of the
    sheet is used.
    """
    sheet = replace(sheet, layout=sheet.layout.in_language(language))
    problem = problem_of(variant.problem, f"variant-{variant.name}.yaml", variant.code)
    pairs = zip(sheet.questions, variant.choices, strict=True)
    questions = [select_alternative(question, choice) for question, choice in pairs]
    return paper(sheet, problem, variant.code, variant.student, questions, variant.key_records)


def _pdf(
    source: str, label: str, files: dict[str, bytes], missing_glyphs: MissingGlyphs, template: Path | None
) -> tuple[bytes, list[list[float]]]:
    def note(signs: str) -> None:
        missing_glyphs["typst"] = missing_glyphs.get("typst", "") + signs

    return pdf.by_typst_with_values(source, label, files, note, limit_of(template))


def _put(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


@contextmanager
def _workers(order: Order, sheet: Sheet) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a function that maps a function of the sheet over items, in order, and advances after each."""
    jobs = order.jobs or max(1, min(os.cpu_count() or 1, len(sheet.students) // WORTH_A_PROCESS))
    with worker_pool(jobs, order.sheet, 2, sheet) as ordered_map:

        def work(function: Callable[[Sheet, Item], T], items: Iterable[Item], advance: Advance) -> Iterator[T]:
            for result in ordered_map(function, items):
                yield result
                advance()

        yield work


# -- the key and the index ---------------------------------------------------------------------------------------------


def key(sheet: Sheet, variants: list[Variant], scan_records: dict[str, ScanRecord] | None = None) -> bytes:
    """Return key.json: for each code, the problem file with which scripts are marked, and the fields for a scan."""
    variant_records = [
        {"code": v.code, "number": v.student.index, "student": v.student.number or None,
         "version": v.student.version or None,
         "seed": v.seed, "problem": v.problem, "own": list(v.key_records), "figures": dict(v.figures)}
        for v in variants
    ]  # fmt: skip
    data = {"format": 1, "kind": KIND, "title": sheet.title, "sheet": sheet.file, **sheet.layout.words.key_record()}
    data["variants"] = variant_records
    if scan_records:
        data["scan"] = key_record(scan_records)
    return (as_json(data) + "\n").encode()


def index(variants: list[Variant], targets: tuple[str, ...]) -> bytes:
    """Return index.csv: the student, the code and the files of each variant. A spreadsheet evaluates no text in it."""
    ending = "pdf" if "pdf" in targets else "tex"
    seated = ["version", "row", "seat"] if any(v.student.version for v in variants) else []
    spoken = ["language"] if any(v.student.language for v in variants) else []
    large = ["large_print"] if any(v.student.large for v in variants) else []
    rows = [["number", "code", "student", "name", "seed", "paper", "solution", "problem", *seated, *large, *spoken]]
    for v in variants:
        row = [str(v.student.index), v.code, v.student.number, v.student.name, v.seed]
        row += [f"paper-{v.name}.{ending}", f"solution-{v.shared_name}.{ending}"]
        row += [f"variant-{v.shared_name}.yaml" if v.problem else ""]
        row += [v.student.version, *map(str, v.student.seat or ("", ""))] if seated else []
        row += ["yes" if v.student.large else ""] if large else []
        row += [v.student.language] if spoken else []
        rows.append(list(map(escape, row)))
    return as_csv(rows).encode()
