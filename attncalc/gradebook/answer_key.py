"""Answer keys: one problem, or the key of an exam with a problem for each variant, selected by its code."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..exam.paper_folder import MANIFEST, manifest_hashes
from ..exam.sheet.instructor_question import problem_of
from ..exam.sheet.sheet_keys import KIND
from ..exam.translations import Words, words_of_key
from ..named_files import find_problem
from ..output_journal import settle
from ..problem.loader import read_problem
from ..problem.problem import Problem
from ..problem.yaml_file.nodes import Mapping, Scalar
from ..problem.yaml_file.yaml_reader import read_yaml
from ..processor_limit import KEYS, limited
from ..submissions.script_reader import words_of
from .instructor_questions import InstructorQuestionKey, read_questions
from .student_numbers import StudentNumbers

FORMAT = 1
NO_VARIANT = "the key has no variant"
NO_CODE = (
    "expected the code of the paper (in a table, in the column `problem`; in a file, as `problem: CODE`), found none"
)
MOST_PROBLEMS = 300  # that are kept: those of a class with a variant each, which `regrade` uses several times
OTHER_PROBLEM = "expected answers to"
OTHER_ENDINGS = (".csv", ".tsv", ".xlsx", ".ods", ".pdf", ".zip")  # files that hold answers or marks
LARGEST_KEY = 200_000_000
ENDINGS = (".yaml", ".yml", ".json")
_TITLE = re.compile(r'title: "([^"\\]+)"')  # as `attncalc exam` writes most of them


@dataclass(slots=True)
class KeyVariant:
    """One paper of a key: the code printed on it, its student (None: anybody) and the text of its problem file."""

    code: str
    number: int
    student: str | None
    text: str | bytes
    source: str
    name: str
    questions: tuple[InstructorQuestionKey, ...] = ()
    version: str = ""
    figures: tuple[tuple[str, str], ...] = ()  # the questions with a picture, and its file


class Key:
    """An answer key. A problem file is a key with a single variant, whose code is empty."""

    def __init__(self, source: str, title: str, variants: list[KeyVariant], words: Words | None = None):
        self.words = words or words_of_key({})  # of its papers
        self.source = source
        self.title = title
        self.variants = variants
        self._codes = {v.code.casefold(): v for v in variants}
        self._students = {v.student.casefold(): v for v in variants if v.student}
        self.numbers = StudentNumbers(v.student for v in variants if v.student)
        # All of a version have the same problem
        self._versions = {v.version.casefold(): v for v in reversed(variants) if v.version}
        self._problems: dict[str | bytes, Problem] = {}  # by the texts, without titles

    def problem(self, variant: KeyVariant) -> Problem:
        """Return the variant's problem. Recent problems are cached; papers that differ in their title alone share one.
        Raises AttncalcError for an invalid problem.
        """
        title, body = split_title(variant.text)
        if body not in self._problems:
            if len(self._problems) >= MOST_PROBLEMS:
                del self._problems[next(iter(self._problems))]
            read = problem_of if variant.code else read_problem  # a file of one's own is no empty variant
            self._problems[body] = read(variant.text, variant.source, variant.name)
        problem = self._problems[body]
        if problem.name == variant.name:
            return problem
        return replace(problem, name=variant.name, title=title or variant.name)

    @property
    def question_names(self) -> frozenset[str]:
        """Names of the questions of all variants that are ticked or marked by hand."""
        return frozenset(question.name for variant in self.variants for question in variant.questions)

    def variant_of_words(self, words: Iterable[str]) -> KeyVariant | None:
        """Return the variant whose code or student is among the words of a file name; None unless exactly one is."""
        variants = {
            index[word].code: index[word] for index in (self._codes, self._students) for word in words if word in index
        }
        return next(iter(variants.values())) if len(variants) == 1 else None

    def variant(
        self, named: str | None, student: str | None, place: Location, file_variant: KeyVariant | None = None
    ) -> KeyVariant:
        """Return the variant of the code, else the student, else the file name. Raises AttncalcError if unknown."""
        if len(self.variants) == 1 and not self.variants[0].code:
            self._check_name(named, place)
            return self.variants[0]
        student_variant = self._students.get((student or "").casefold())
        variant = self._variant_of_code(named or "") or self._variant_of_version(named or "", student_variant)
        if named and variant is None:
            hint = did_you_mean(named, [v.code for v in self.variants])
            raise AttncalcError(f"{NO_VARIANT} {shorten(named)!r}{hint}", place)
        variant = variant or student_variant or file_variant or (self.variants[0] if len(self.variants) == 1 else None)
        if variant is None:
            unknown = f"; the key has no student {shorten(student)!r}" if student and self._students else ""
            raise AttncalcError(f"{NO_CODE}{unknown}", place)
        return variant

    def _variant_of_code(self, named: str) -> KeyVariant | None:
        """Return the variant of a code, or of a name such as `variant-07-K7Q2`, which its answer form contains."""
        codes = {word for word in (named.strip().casefold(), *words_of(named)) if word in self._codes}
        return self._codes[codes.pop()] if len(codes) == 1 else None

    def _variant_of_version(self, named: str, student_variant: KeyVariant | None) -> KeyVariant | None:
        """Return a variant of version `A`, which an answer form calls `variant-A`; prefer the student's variant."""
        letter = named.strip().casefold().removeprefix("variant-")
        if student_variant and student_variant.version.casefold() == letter != "":
            return student_variant
        return self._versions.get(letter)

    def _check_name(self, named: str | None, place: Location) -> None:
        """Raise AttncalcError if the answers name another problem."""
        only = self.variants[0]
        title = self.problem(only).title
        names = {text.casefold() for text in (only.name, os.path.basename(only.source), title) if text}
        if named and not {named.casefold(), os.path.splitext(os.path.basename(named))[0].casefold()} & names:
            raise AttncalcError(f"{OTHER_PROBLEM} {only.name}, found answers to {shorten(named)!r}", place)


def read_key(name: str) -> Key:
    """Read an exam's key file, or one problem (a file or a name). Raises AttncalcError with every fault."""
    if name.endswith(".json") and os.path.isfile(name) and os.path.getsize(name) <= LARGEST_KEY:
        with suppress(OSError):  # a folder into which nobody can write is read as it is
            settle(os.path.dirname(os.path.abspath(name)))
        with limited(Location(name), KEYS):
            data = _json(read_bytes(name, LARGEST_KEY), name)
            if isinstance(data, dict) and "variants" in data:
                return _key(data, name)
    if os.path.isfile(key_file := os.path.join(name, "key.json")):
        message = f"expected a key.json or a problem file, found a folder; did you mean {key_file}?"
        raise AttncalcError(message, Location(name))
    file = find_problem(name)
    if os.path.splitext(file.path)[1].lower() in OTHER_ENDINGS:
        raise AttncalcError("expected a key.json, a problem file or the name of a problem", Location(name))
    only = KeyVariant("", 1, None, read_bytes(file.path), file.source, file.stem)
    key = Key(file.source, "", [only])
    key.title = key.problem(only).title or file.stem
    return key


@lru_cache(maxsize=MOST_PROBLEMS)
def split_title(text: str | bytes) -> tuple[str, str | bytes]:
    """Return the title in the first line of a problem file and the remaining text; ("", text) without a title there."""
    first, _, rest = text.partition("\n") if isinstance(text, str) else ("", "", text)
    if (quoted := _TITLE.fullmatch(first)) and quoted[1].isprintable():
        return quoted[1], rest
    try:
        tree = read_yaml(first, "") if first.startswith("title: ") else None
    except AttncalcError:  # a title of several lines
        return "", text
    title = tree.get("title") if isinstance(tree, Mapping) else None
    return (title.text, rest) if isinstance(title, Scalar) and title.text else ("", text)


def raw_key(name: str) -> bytes:
    """Return the bytes of a key file or problem file."""
    if name.endswith(".json") and os.path.isfile(name):
        return read_bytes(name, LARGEST_KEY)
    return read_bytes(find_problem(name).path)


def exam_files(name: str) -> list[str]:
    """Return the paths of the papers, solutions and problems in a key's folder; none of them is a script."""
    folder = os.path.dirname(os.path.abspath(name))
    if not (name.endswith(".json") and os.path.isfile(os.path.join(folder, MANIFEST))):
        return []
    try:
        return [os.path.join(folder, path) for path in (MANIFEST, *manifest_hashes(folder))]
    except AttncalcError:
        return []


def _json(raw: bytes, name: str) -> Any:
    try:
        return json.loads(raw)
    except json.JSONDecodeError as error:
        place = Location(name, error.lineno, error.colno)
        rest = error.doc[error.pos : error.pos + 40].strip()
        content = repr(shorten(rest)) if rest else "the end of the file"
    except UnicodeDecodeError:
        place, content = Location(name), "bytes that are not text"
    except ValueError:  # a whole number of thousands of digits
        place, content = Location(name), "a number that is too long"
    raise AttncalcError(f"expected a key.json that `attncalc exam` wrote, found {content}", place)


def _key(data: dict[str, object], name: str) -> Key:
    faults = Diagnostics()
    place = Location(name)
    if data.get("kind") != KIND or data.get("format") != FORMAT:
        faults.add(f"expected a key with format: {FORMAT} and kind: {KIND!r}, as `attncalc exam` writes it", place)
    faults.raise_any()
    listed = data.get("variants")
    variants = list(_variants(listed if isinstance(listed, list) else [], name, faults))
    if not variants and not faults.faults:
        faults.add("expected at least one variant, found none", place)
    for kind, seen in (
        ("code", [v.code.casefold() for v in variants]),
        ("student", [v.student.casefold() for v in variants if v.student]),
    ):
        for twice in sorted(text for text, count in Counter(seen).items() if count > 1):
            faults.add(f"the {kind} {shorten(twice)!r} appears twice", place)
    faults.raise_any()
    return Key(name, str(data.get("title") or ""), variants, words_of_key(data))


def _variants(listed: list[object], name: str, faults: Diagnostics) -> Iterable[KeyVariant]:
    for k, item in enumerate(listed):
        where = Location(f"{name}: variant {k + 1}")
        record = item if isinstance(item, dict) else {}
        code, text, student = (record.get(word) for word in ("code", "problem", "student"))
        if not (isinstance(code, str) and code.strip() and isinstance(text, str) and isinstance(student, str | None)):
            faults.add("expected a code and a problem, both as text", where)
            continue
        number = record.get("number")
        try:
            questions = tuple(read_questions(record.get("own")))
        except AttncalcError as error:
            faults.add(error.faults[0].message, where)
            continue
        place, version = number if isinstance(number, int) else k + 1, str(record.get("version") or "")
        files = record.get("figures")
        figures = tuple((str(q), str(file)) for q, file in (files.items() if isinstance(files, dict) else ()))
        source, code = f"{name}: {shorten(code)}", code.strip()
        yield KeyVariant(code, place, student, text, source, code, questions, version, figures)
