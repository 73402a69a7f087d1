"""Write a class's exam: from the name of a sheet to a folder of papers. `attncalc exam` prints the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import AttncalcError, Location
from ..resources import custom_templates
from .paper_build import Order, attach_secret, build, work_out
from .secret import TRIED
from .sheet.reader import sheet_data
from .sheet_files import MEDIA
from .stress import Start
from .variant_drawing import Variant


@dataclass(frozen=True, slots=True)
class Exam:
    """The result of a build: variants, questions per variant, number of new files, number of files left as they
    were.
    """

    variants: list[Variant]
    questions: int
    new: int = 0
    old: int = 0

    @property
    def versions(self) -> int:
        """The number of versions; 0 if every paper has its own numbers."""
        return len({variant.student.version for variant in self.variants} - {""})


def exam(  # noqa: PLR0913  # the options of the command
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
    """Write papers, solutions and key of a sheet (a file, a name, `-`) into a folder, whole or not at all; without a
    folder, only solve every variant.

    `targets` are pdf and latex, `only` the codes or students of some variants, `template` a folder of templates in
    place of ours, `purpose` exam, practice or resit in place of what the sheet says, `secret` the file of the secret
    (empty: next to the sheet), `jobs` the number of processes (None: as many as are worth it). `start` begins a bar,
    `tell` gets each line that the author should read. Raises AttncalcError for what cannot be read, drawn, worked out
    or written.
    """
    data, source = sheet_data(sheet)
    template_folder = None if template is None else custom_templates(template, MEDIA, Location(), "--template: ")
    if folder == "":
        raise AttncalcError("--output: expected a folder, found nothing")
    order = Order(data, source, targets, jobs, only, template_folder, purpose, secret)
    exam_sheet = order.sheet()
    questions = len(exam_sheet.questions)
    for line in exam_sheet.notes:
        tell(f"{source}: {line}")
    order = attach_secret(order, exam_sheet, is_trial=folder is None)
    if not (exam_sheet.draw_source or order.secret):
        tell(f"{source}: {TRIED}")
    if folder is None:
        return Exam(work_out(order, start), questions)
    variants, new, old = build(order, folder, force, start, tell)
    return Exam(variants, questions, new, old)
