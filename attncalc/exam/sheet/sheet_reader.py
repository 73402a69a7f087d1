"""Read and check an exam sheet in YAML; report every fault at once, with its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...api import read_bytes, resolve_file
from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, listed, shorten
from ...explain.inline_math import COMMANDS
from ...explain.rich_text import unreadable_formulas
from ...problem.file_kinds import refuse_large, refuse_others
from ...problem.warning_listener import warn
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from ...problem.yaml_file.yaml_reader import read_yaml
from ...resources import custom_templates
from ...submissions.located_text import Written
from ..problem_assembly import combine_questions, other_roundings
from ..roster import Entry, read_roster, unique_students
from ..secret import LEAST_BITS, Secret, bits, kept_secret, secret_path
from ..sheet_files import MEDIA, SHEETS, resolve_sheet_file
from .field_reader import Fields
from .layout import EXAM, PRACTICE, LayoutReader
from .model import Question, Sheet, Student
from .question import QuestionReader, first_tree
from .sheet_keys import KEYS, MOST_VARIANTS

if TYPE_CHECKING:
    from pathlib import Path

TRIAL = b"seed 1"  # what variants are drawn from that are tried, and never written
# What an author writes for people, with emphasis and formulas
PROSE = ("ask", "note", "hint", "instructions", "header", "right", "wrong", "because", "free_text", "solution")


def load_sheet(name: str) -> Sheet:
    """Return the sheet of a file (`-`: standard input) or a bundled name, with its secret if there is one. Raises
    AttncalcError with all its faults.
    """
    data, source = sheet_data(name)
    return read_sheet(data, source, secret=kept_secret(secret_path(source)))


def sheet_data(name: str) -> tuple[bytes, str]:
    """Return the bytes of a sheet and the name of their source."""
    if name == "-":
        return read_bytes(name), "<stdin>"
    if not name:
        raise AttncalcError(Diagnostic("expected an exam sheet, found nothing", Location("SHEET")))
    path = resolve_file(name, SHEETS, "an exam sheet", "no sheet is called so")
    return read_bytes(path), name if path == name else os.path.basename(path)


def read_sheet(data: bytes | str, source: str, purpose: str = "", secret: Secret | None = None) -> Sheet:
    """Return the sheet in a YAML text; fixed problems are sought in its folder, then among the bundled ones.

    `purpose` is exam, practice or resit; without it what the sheet says. `secret` is what the papers of a sheet without
    seed: and secret: are drawn from; without it they are for trial.
    """
    faults = Diagnostics()
    if not data.strip():
        raise AttncalcError(Diagnostic("expected an exam sheet; the file is empty", Location(source, 1, 1)))
    refuse_large(data, "sheet", source)
    tree = read_yaml(data, source, faults)
    if not isinstance(tree, Mapping):
        faults.add(f"expected an exam sheet, a mapping (title:, questions:, ...), found {kind(tree)}", tree.place)
        faults.raise_any()
    assert isinstance(tree, Mapping)
    refuse_others(tree, "sheet")
    return _Reader(tree, source, faults).sheet(purpose, secret)


def questions_of(tree: Mapping, source: str) -> list[Question]:
    """Return the questions of a tree in the form of a sheet; other keys are ignored. Raises AttncalcError."""
    faults = Diagnostics()
    questions = QuestionReader(tree, source, faults).read()
    faults.raise_any()
    return questions


class _Reader(Fields):
    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(tree, source, faults)
        self.questions = QuestionReader(tree, source, faults)
        self.layout = LayoutReader(tree, source, faults)

    def sheet(self, purpose: str, secret: Secret | None) -> Sheet:
        tree = self.tree
        tree.reject_unknown(KEYS.at("sheet"), "an exam sheet", self.faults)
        if (version := tree.get("format")) is not None and (not isinstance(version, Scalar) or version.text != "1"):
            self.faults.add(f"format: expected 1, found {kind(version)}", version.place)
        purpose, layout = self.layout.purpose(purpose), self.layout.read()
        is_repeat = purpose != EXAM
        draw_source, key = self.key(secret)
        suffix = f" {purpose}".encode() * is_repeat
        title = self.text(tree, "title") or "Exam"
        students = self.layout.mark_large_print(self.attempt(self.layout.assign_versions, self.students()) or [])
        if purpose == PRACTICE:  # which is done at home
            students = [replace(student, seat=None) for student in students]
        sheet = Sheet(
            os.path.basename(self.source), f"{title} ({layout.words[purpose]})" if is_repeat else title, students,
            self.questions.read(), key + suffix,
            b"" if draw_source or secret is None else secret.codes.encode() + suffix,
            draw_source, self.weakness(draw_source),
            self.text(tree, "course"), self.text(tree, "date"), self.texts(tree, "instructions"),
            self.flag(tree, "formula_sheet", False), self.flag(tree, "decimal_comma", False),
            self.template(), layout,
        )  # fmt: skip
        self.faults.raise_any()
        numbered = [
            (k, alternative)
            for k, question in enumerate(sheet.questions, 1)
            for alternative in question.alternatives or [question]
        ]
        problem_tree = combine_questions("check", [(question, first_tree(question)) for _, question in numbered])
        taskless = _questions_without_task(problem_tree, [k for k, _ in numbered])
        warn(_formula_warnings(tree))
        sheet.notes = [
            *other_roundings(sheet.questions),
            *taskless,
            *(_undrawn_questions(sheet.questions) if is_repeat else ()),
        ]
        return sheet

    def key(self, stored_secret: Secret | None) -> tuple[str, bytes]:
        """Return the sheet's key (seed, secret or empty) from which variants are drawn, and the bytes to draw from."""
        secret, seed = self.tree.pairs.get("secret"), self.tree.pairs.get("seed")
        if secret and seed:
            self.faults.add("expected a seed or a secret, found both", secret[0].place)
        if not secret and not seed:
            return "", f"secret {stored_secret.papers}".encode() if stored_secret else TRIAL
        word = "secret" if secret else "seed"
        words = self.text(self.tree, word)
        if secret and len(words) < 8:
            self.faults.add("secret: expected at least 8 characters, since students must not guess it", secret[1].place)
        if seed and not words:
            message = (
                "seed: expected a number or a word, found nothing; without this line `attncalc exam` keeps a secret"
            )
            self.faults.add(message, seed[0].place)
        return word, f"{word} {words}".encode()

    def weakness(self, word: str) -> str:
        """Return why others could guess the seed or the secret; empty if they cannot."""
        most = bits(self.text(self.tree, word)) if word else LEAST_BITS
        if most >= LEAST_BITS:
            return ""
        return (
            f"{word}: at most {most} bits, fewer than {LEAST_BITS}, so that a program can guess it from the papers; "
            f"for an exam leave {word}: out, and `attncalc exam` keeps a random secret of 128 bits in a file"
        )

    def template(self) -> Path | None:
        name, node = self.text(self.tree, "template"), self.tree.get("template")
        if node is None or not name:
            return None
        return self.attempt(
            lambda: custom_templates(
                resolve_sheet_file(self.source, name, "template", node.place), MEDIA, node.place, "template: "
            )
        )

    # -- who gets a variant --------------------------------------------------------------------------------------------

    def students(self) -> list[Student]:
        node, count = self.tree.get("students"), self.tree.get("variants")
        if node is not None and count is not None:
            self.faults.add("expected variants or students, found both", self.tree.pairs["variants"][0].place)
        if node is None:
            return [Student(k) for k in range(1, self.whole(count, "variants", 1, MOST_VARIANTS, 1) + 1)]
        if isinstance(node, Scalar) and node.text.strip():
            return self.attempt(self.roster, node) or []
        if not isinstance(node, Sequence) or not node.items:
            self.faults.add(
                f"students: expected a list of their numbers, or a file of them (CSV or text), found {kind(node)}",
                node.place,
            )
            return []
        if len(node.items) > MOST_VARIANTS:
            self.faults.add(f"expected at most {MOST_VARIANTS:,} students, found {len(node.items):,}", node.place)
            return []
        return self.attempt(unique_students, map(self.student, node.items)) or []

    def student(self, item: Yaml) -> Entry:
        if isinstance(item, Mapping):
            item.reject_unknown(["number", "name"], "a student", self.faults)
            number, name = self.text(item, "number"), self.text(item, "name")
        else:
            number, name = item.text.strip() if isinstance(item, Scalar) else "", ""
        return Entry(Written(number, item.place.shifted), name)

    def roster(self, node: Scalar) -> list[Student]:
        """Return the students of a file."""
        name = node.text.strip()
        path = resolve_sheet_file(self.source, name, "students", node.place)
        if not os.path.isfile(path):
            message = (
                f"students: expected a list of their numbers, or a file of them; there is no file {shorten(name)!r}"
            )
            raise AttncalcError(Diagnostic(message, node.place))
        return read_roster(read_bytes(path), path, MOST_VARIANTS)


def _formula_warnings(tree: Yaml, is_prose: bool = False) -> Iterator[Diagnostic]:
    """Yield a warning for each formula in the author's prose that is printed as typed."""
    match tree:
        case Scalar(text) if is_prose:
            for offset, command in unreadable_formulas(text):
                near = did_you_mean(command, sorted(COMMANDS)).replace("mean ", "mean \\")
                what = f"\\{command} is not known here" if command else "the formula cannot be read"
                yield Diagnostic(
                    f"warning: {what}, so that it is printed as it was typed{near}", tree.inside.shifted(offset)
                )
        case Sequence(items):
            for item in items:
                yield from _formula_warnings(item, is_prose)
        case Mapping():
            for key, value in tree.items():
                yield from _formula_warnings(value, key.text in PROSE)


def _questions_without_task(problem_tree: Mapping, numbers: list[int]) -> Iterator[str]:
    """Yield a line for each question without a task; `numbers` are the sheet's numbers of questions."""
    parts = problem_tree.get("parts")
    tasks: dict[int, list[bool]] = {}
    for name, part in parts.items() if isinstance(parts, Mapping) else ():
        k = int(name.text.partition("_")[0][1:])
        tasks.setdefault(k, []).append(isinstance(part, Mapping) and bool(part.get("ask")))
    for number in dict.fromkeys(numbers[k - 1] for k, has_task in tasks.items() if not any(has_task)):
        yield f"question {number}: nothing says what is to be done; add ask: to it, or to its problem file"


def _undrawn_questions(questions: list[Question]) -> Iterator[str]:
    """Yield a line for the questions that are not drawn, and so are equal in practice papers and resits."""
    numbers = [
        str(number)
        for number, question in enumerate(questions, 1)
        if any(alternative.search is None for alternative in question.alternatives or [question])
    ]
    if len(numbers) == 1:
        yield f"question {numbers[0]}: nothing of it is drawn, so that it is the same in the exam"
    elif numbers:
        yield f"questions {listed(numbers)}: nothing of them is drawn, so that they are the same in the exam"
