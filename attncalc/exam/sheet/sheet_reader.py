"""Reads and checks an exam sheet in YAML. Every fault is reported at once, with its location.

A question is drawn from a lesson, read from a problem file, or has alternatives.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ... import limits
from ...api import read_bytes, require_known_codes
from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, listed, shorten, warn
from ...explain.inline_math import COMMANDS
from ...explain.rich_text import unreadable_formulas
from ...generator.author_file_search import lesson_search, search_of
from ...generator.lesson_recipes import RECIPES, drawn_lessons
from ...generator.rejection_search import Search
from ...generator.request import FAMILIES, Request, specification
from ...lessons import LESSONS
from ...named_files import named_file, resolve_file
from ...problem.file_kinds import refuse_large, refuse_others
from ...problem.loader import build_problem
from ...problem.problem import Problem
from ...problem.random_stream import Stream
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from ...problem.yaml_file.yaml_reader import read_yaml
from ...resources import custom_templates, problem_names
from ...submissions.located_text import Written
from ..images import WIDEST, read_figure
from ..problem_assembly import combine_questions, other_roundings, question_tree
from ..roster import Entry, read_roster, unique_students
from ..secret import LEAST_BITS, Secret, bits_to_guess, is_phrase, kept_secret, secret_path
from ..sheet_files import MEDIA, SHEETS, resolve_sheet_file
from ..translations import USUAL, Tables, Words, languages, languages_of, read_words, words_of
from .field_reader import FLAGS, Fields, without_nulls
from .grading_scale import thresholds_of
from .instructor_question import LETTERS, InstructorQuestionReader, choice_count
from .marking_options import marking
from .model import Layout, Question, Sheet, Student
from .sheet_keys import KEYS, KINDS, LARGEST_SPACE, MOST_VARIANTS, MOST_VERSIONS, WITH

# Standard deviations of work and of predicted difficulty: a draw that is farther from the median is screened out
WIDTH = 0.5
DIGITS = 2  # default decimals of generated questions


def with_keys(lesson: str) -> list[str]:
    """Return the keys allowed under with: for a lesson: the common keys, and the lesson's sizes and options."""
    recipe = RECIPES.get(lesson)
    return [*WITH, *(recipe.sizes if recipe else ()), *(recipe.options if recipe else ())]


class GeneratedReader(Fields):
    """Reader of the keys generate: and with: of a question. `tree` is the mapping that contains the questions."""

    def search(self, item: Mapping, merged: Mapping) -> Search:
        """Return the search of a question with generate:. Raises AttncalcError, in which each fault has its location in
        the sheet.
        """
        lesson, with_node = self.text(item, "generate"), self.with_mapping(item)
        places = {name: value.place for name, (_, value) in with_node.pairs.items()}
        faults, before = Diagnostics(), len(self.faults.faults)
        try:
            sizes, options = self.sizes_and_options(lesson, with_node, faults)
            search = self.build_search(lesson, with_node, sizes, options, self.digits(merged))
            faults.raise_any()
        except AttncalcError as error:
            others = (fault for fault in error.faults if fault not in faults.faults)
            relocated = [_relocate(fault, places, with_node.place) for fault in others]
            raise AttncalcError([*faults.faults, *relocated]) from None
        # After a fault, the sizes are not those of the author, and warnings could be wrong
        if len(self.faults.faults) == before:
            warn(_relocate(warning, places, with_node.place) for warning in search.problem.warnings)
        if "margin" not in with_node:  # with margin:, the sheet states how much variants may differ
            search.screen(WIDTH)
        return search

    def with_mapping(self, question_node: Mapping) -> Mapping:
        """Return the mapping under with:. Its location is the name of the lesson."""
        node, place = question_node.get("with"), question_node.pairs["generate"][1].place
        if isinstance(node, Mapping):
            return Mapping(node.pairs, place)
        if node is not None and not (isinstance(node, Scalar) and not node.text):
            self.faults.add(f"with: expected a mapping of sizes and options, found {kind(node)}", node.place)
        return Mapping({}, place)

    def sizes_and_options(
        self, lesson: str, with_node: Mapping, faults: Diagnostics
    ) -> tuple[dict[str, int | None], dict[str, str]]:
        """Return the lesson's sizes and options under with:."""
        recipe, known = RECIPES.get(lesson), with_keys(lesson)
        sizes: dict[str, int | None] = {}
        options: dict[str, str] = {}
        for name, (key, value) in with_node.pairs.items():
            if name in WITH:
                continue
            if recipe is not None and name in recipe.sizes:
                sizes[name] = self.whole(value, name, 1, 12, 1)
            elif recipe is not None and name not in known:
                near = did_you_mean(name, known) or f"; the names are {', '.join(known)}"
                faults.add(f"with: {lesson} has no {shorten(name)!r}{near}", key.place)
            elif isinstance(value, Scalar):
                options[name] = value.text
            elif recipe is not None:
                faults.add(f"{name}: expected a formula or a word, found {kind(value)}", value.place)
        return sizes, options

    def build_search(
        self, lesson: str, with_node: Mapping, sizes: dict[str, int | None], options: dict[str, str], digits: int | None
    ) -> Search:
        """Return the search that the sheet describes. Raises AttncalcError with the generator's messages."""
        relax = tuple(self.texts(with_node, "relax"))
        margin = self.number(with_node.get("margin"), "margin", 0, 10, 0.1)
        entries, family = self.text(with_node, "entries"), self.text(with_node, "family")
        nice = FAMILIES.get(family)
        sizes = {**(nice.sizes if nice else {}), **sizes}
        request = Request(lesson, sizes, options, entries, digits, "exam", relax, margin, family)
        return lesson_search(request) if lesson in drawn_lessons() else Search(specification(request))

    def digits(self, item: Mapping) -> int | None:
        """Return the number of decimals in rounding: of the question, or else of the sheet; None without rounding:."""
        rounding = item.get("rounding") or self.tree.get("rounding")
        node = rounding.get("digits") if isinstance(rounding, Mapping) else None
        return None if node is None else self.whole(node, "digits of a generated question", 0, 8, DIGITS)


_OPTION = re.compile(r"^--(set: )?([a-z-]+): ")


def _relocate(fault: Diagnostic, places: dict[str, Location], place: Location) -> Diagnostic:
    """Return a fault or a warning of the generator with the location of its key in the sheet."""
    option = _OPTION.match(fault.message)
    name = option[2].replace("-", "_") if option else str(fault.place).rpartition(".")[2]
    message = f"{name}: {fault.message[option.end() :]}" if option else fault.message
    if message.startswith("entries"):
        name = "entries"
    return Diagnostic(message, places.get(name, place))


WORDS = 4  # default space in centimetres for an answer in words
OVERRIDES = ("title", "ask", "note", "asked", "points", "rounding")


# Names that other programs use for keys of a question, and the keys of attncalc
_TICKED = "choices: [{right: its text}, {wrong: its text}]"
_WORDS = "`ask:` with the question, and `free_text:` with the answer, or `free_text: true` without an answer"
_OTHER_KEYS = {
    **dict.fromkeys(("choice", "options", "answers", "alternatives", "answer", "correct", "mcq"), _TICKED),
    **dict.fromkeys(("text", "question", "prompt", "essay", "open"), _WORDS),
    **dict.fromkeys(("marks", "score", "weight"), "points: 4"),
    **dict.fromkeys(("lesson", "random", "template"), "generate: self_attention"),
    **dict.fromkeys(("file", "use", "path"), "problem: its file"),
}


def suggest_key(key: str, question: Mapping) -> str:
    """Return the suggestion for an unknown key: `; did you mean points: 4?` for `marks`, `with:` for an option of a
    lesson; otherwise an empty text.
    """
    node = question.get("generate")
    if key in with_keys(node.text if isinstance(node, Scalar) else ""):
        return f"; did you mean with: {{{key}: ...}}?"
    return f"; did you mean {_OTHER_KEYS[key]}?" if key in _OTHER_KEYS else ""


def suggest_lesson(name: str) -> str:
    """Return the end of a message if the name of a problem file is the name of a lesson."""
    word = name.split()[-1] if name.split() else ""
    return f"; did you mean generate: {word}?" if word in LESSONS else ""


def _alternatives(item: Yaml) -> int:
    """Return the number of alternatives of a question; 1 without alternatives."""
    node = item.get("one_of") if isinstance(item, Mapping) else None
    return len(node.items) if isinstance(node, Sequence) else 1


class QuestionReader(Fields):
    """Reader of questions: and their keys."""

    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(tree, source, faults)
        self.generated = GeneratedReader(tree, source, faults)
        self.instructor = InstructorQuestionReader(tree, source, faults)
        self.files: dict[str, tuple[Mapping, Problem]] = {}  # files by their paths, because questions may share a file

    def read(self) -> list[Question]:
        """Return every question under questions:, in order."""
        node = self.tree.get("questions")
        if not isinstance(node, Sequence) or not node.items:
            where = node.place if node is not None else self.tree.place
            there = kind(node) if node is not None else "nothing"
            self.faults.add(f"questions: expected a list of questions, found {there}", where)
            return []
        for limit, count in ((limits.QUESTIONS, len(node.items)), (limits.DRAWN, sum(map(_alternatives, node.items)))):
            if count > limit.most:
                self.faults.add(limit.exceeded(count), node.place)
                return []
        return [q for item in node.items if (q := self.attempt(self.question, item, {}))]

    def question(self, item: Yaml, outer: dict[str, tuple[Scalar, Yaml]]) -> Question | None:
        """Return one question. An alternative inherits the keys `outer` of the question that contains it."""
        if not isinstance(item, Mapping):
            raise AttncalcError(
                f"expected a question (a mapping with generate:, problem: or one_of:), found {kind(item)}", item.place
            )
        item = without_nulls(item)
        fault_count = len(self.faults.faults)
        item.reject_unknown(KEYS.at("question"), "a question", self.faults, lambda key: suggest_key(key, item))
        kinds = _kinds(item)
        if len(kinds) != 1:
            if len(self.faults.faults) > fault_count and not kinds:
                return None  # a misspelt key was already reported
            there = "found " + (" and ".join(kinds) or "none of them")
            if not kinds and "ask" in item:
                there += "; write free_text: true next to ask: for an answer in words, or choices: for options to tick"
            raise AttncalcError(
                f"a question needs {', '.join(f'{word}:' for word in KINDS[:-1])} or {KINDS[-1]}:; {there}", item.place
            )
        merged = Mapping(outer | item.pairs, item.place)
        if "with" in item and kinds != ["generate"]:
            self.faults.add(
                "with: is only for questions with `generate:`; add `generate:` or remove `with:`",
                item.pairs["with"][0].place,
            )
        question = self.read_presentation(item, merged)
        match kinds[0]:
            case "one_of":
                return self.one_of(item, question, merged)
            case "free_text" | "choices":
                question.instructor_question = self.instructor.read(merged, self.shared(merged, "shuffle", False))
                question.points = self.text(merged, "points")
                if "space" not in merged and "space" not in self.tree:
                    question.space = WORDS
                return question
            case "generate":
                question.search = self.generated.search(item, merged)
            case "problem":
                self.read_file(question, item, merged)
        self.check(question)
        return question

    def read_presentation(self, item: Mapping, merged: Mapping) -> Question:
        """Return a question with only its printing options."""
        node = merged.get("figure")
        question = Question(
            item.place,
            self.overrides(merged),
            space=self.space(merged),
            hint=self.text(merged, "hint"),
            hints=self.shared(merged, "hints", False),
            blanks=self.shared(merged, "blanks", True),
            practice=self.shared(merged, "practice", False),
        )
        if _kinds(item)[0] in ("generate", "problem"):
            question.choices = choice_count(merged, self)
        if node is not None:
            width = self.centimetres(node.get("width") if isinstance(node, Mapping) else None, "width", WIDEST, 0)
            question.figure = self.attempt(read_figure, node, "figure", self.source, width, self.faults)
        if question.choices:
            self.restrict_to_choice(question, merged)
        return question

    def restrict_to_choice(self, question: Question, merged: Mapping) -> None:
        """Restrict a question whose options are matrices: it asks nothing else, and its points are a single number."""
        self.instructor.check_points(merged)
        question.points = self.text(merged, "points")
        asked = self.texts(merged, "asked")
        if len(asked) > 1:
            message = f"asked: expected only one step in a question with choices:, found {len(asked)}"
            self.faults.add(message, merged.pairs["asked"][1].place)
        question.choice_step = asked[0] if asked else ""
        question.overrides.pop("points", None)
        question.overrides["asked"] = Sequence([], question.place)

    def read_file(self, question: Question, item: Mapping, merged: Mapping) -> None:
        """Set the problem of a file, or the search of a file with random numbers."""
        tree, problem = self.file(item)
        question.parts = self.asked_parts(item, problem)
        if problem.draws is not None:
            question.search = self.search_of_file(problem, item, merged)
            return
        if question.choices:
            rule = "only a question with random numbers can have a number under choices:"
            message = f"choices: {rule}; the numbers of this problem are fixed"
            self.faults.add(message, merged.pairs["choices"][1].place)
        question.fixed = tree

    def asked_parts(self, item: Mapping, problem: Problem) -> tuple[str, ...]:
        """Return the asked parts of a problem; empty if all parts are asked."""
        names = tuple(self.texts(item, "part"))
        known = [part.name for part in problem.parts if part.name]
        for name in names:
            if name not in known:
                there = (
                    f"; there are {', '.join(known)}" if known else "; the problem has only one part, without a name"
                )
                there = did_you_mean(name, known) or there
                self.faults.add(f"part: the problem has no part {shorten(name)!r}{there}", item.pairs["part"][1].place)
        return tuple(name for name in names if name in known)

    def overrides(self, item: Mapping) -> dict[str, Yaml]:
        """Return the keys of the sheet that replace keys of the problem."""
        overrides = {word: value for word in OVERRIDES if (value := item.get(word)) is not None}
        overrides |= marking(item, self.tree)
        if (rounding := self.tree.get("rounding")) is not None:
            overrides["sheet rounding"] = rounding
        return overrides

    def one_of(self, item: Mapping, choice_question: Question, merged: Mapping) -> Question | None:
        """Return a question with alternatives, of which each variant gets one."""
        node = item.get("one_of")
        if not isinstance(node, Sequence) or len(node.items) < 2:
            assert node is not None
            raise AttncalcError(f"one_of: expected a list of two or more questions, found {kind(node)}", node.place)
        is_count = isinstance(merged.get("choices"), Scalar)
        inherited = (word for word in merged.pairs if word not in KINDS or word == "choices" and is_count)
        outer = {word: merged.pairs[word] for word in inherited}
        for inner in node.items:
            if isinstance(inner, Mapping) and "one_of" in inner:
                message = "one_of: expected a question, found one_of inside one_of"
                self.faults.add(message, inner.pairs["one_of"][0].place)
            elif alternative := self.attempt(self.question, inner, outer):
                choice_question.alternatives.append(alternative)
        return choice_question if len(choice_question.alternatives) == len(node.items) else None

    def check(self, question: Question) -> None:
        """Build the question's problem once, so that its faults are reported in the sheet."""
        tree = combine_questions("check", [_with_tree(question)])
        # Without warnings: givens of other parts are unused here, and the file already gave its warnings
        require_known_codes(build_problem(tree, question.place.source, "check", quiet=True))

    def search_of_file(self, problem: Problem, item: Mapping, merged: Mapping) -> Search:
        """Return the search of a file with random numbers, so that each variant gets different numbers."""
        try:
            return search_of(problem, Request(problem.name, digits=self.generated.digits(merged), seed="exam"))
        except AttncalcError as error:
            place = item.pairs["problem"][1].place
            raise AttncalcError(
                Diagnostic(fault.message, fault.place if fault.place.line else place) for fault in error.faults
            ) from None

    def file(self, item: Mapping) -> tuple[Mapping, Problem]:
        """Return the tree and the problem of a file that the sheet names."""
        name = self.text(item, "problem")
        place = item.pairs["problem"][1].place
        path = resolve_sheet_file(self.source, name, "problem", place)
        named = named_file(name, path=path)
        if named is None:
            near = suggest_lesson(name) or did_you_mean(name, problem_names())
            near = near or "; `attncalc problems` lists the bundled problems"
            if name and os.path.isdir(path):
                what = f"expected a file, found the folder {shorten(name)!r}"
            elif name:
                what = f"no file and no bundled problem is called {shorten(name)!r}{near}"
            else:
                what = "expected a file or a name, found nothing"
            raise AttncalcError(f"problem: {what}", place)
        if path not in self.files:
            faults = Diagnostics()
            tree = read_yaml(read_bytes(named.path), named.source, faults)
            problem = build_problem(tree, named.source, named.stem, faults)
            assert isinstance(tree, Mapping)
            if problem.draws is not None:  # each search changes its problem, so it needs a separate one
                return tree, problem
            self.files[path] = tree, problem
        return self.files[path]

    # -- plain values --------------------------------------------------------------------------------------------------

    def space(self, item: Mapping) -> float:
        """Return the centimetres of room for working."""
        return self.centimetres(item.get("space") or self.tree.get("space"), "space", LARGEST_SPACE, 1.5)

    def shared(self, item: Mapping, key: str, default: bool) -> bool:
        """Return a switch of the question, or else of the sheet."""
        return self.flag(item if key in item else self.tree, key, default)


def _kinds(item: Mapping) -> list[str]:
    """Return the kinds of question in a mapping. The key choices: of a calculated question is not a kind."""
    kinds = [word for word in KINDS[:-1] if word in item]
    has_options = not isinstance(item.get("choices"), Scalar) or not {"generate", "problem", "one_of"} & {*kinds}
    return kinds + ["choices"] * ("choices" in item and has_options)


def _with_tree(question: Question) -> tuple[Question, Mapping | None]:
    """Return a question and its problem as a tree with some numbers."""
    if question.search is None:
        return question, question_tree(question, {}, {})
    stream = Stream("attncalc", question.search.spec.lesson, "template")
    return question, question_tree(question, question.search.draw(stream), question.search.words(stream))


PURPOSES = EXAM, PRACTICE, RESIT = ("exam", "practice", "resit")
MOST_LINES = 6  # of a header
LOGO = 3.0  # centimetres, by default
MOST_SEATS = 200


class LayoutReader(Fields):
    """Reader of the layout keys of a sheet."""

    def read(self) -> Layout:
        """Return the layout of a sheet's papers."""
        tree, logo = self.tree, None
        header = self.texts(tree, "header")
        if len(header) > MOST_LINES:
            message = f"header: expected at most {MOST_LINES} lines, found {len(header)}"
            self.faults.add(message, tree.pairs["header"][1].place)
        if (node := tree.get("logo")) is not None:
            width = self.centimetres(node.get("width") if isinstance(node, Mapping) else None, "width", WIDEST, LOGO)
            logo = self.attempt(read_figure, node, "logo", self.source, width, self.faults)
        words, tables = self.words()
        return Layout(words, logo, tuple(header), self.large_print(), self.flag(tree, "names", True), tables)

    def large_print(self) -> bool:
        """Return whether all papers are enlarged; a list under large_print: names single students instead."""
        node = self.tree.get("large_print")
        return not isinstance(node, Sequence) and self.flag(self.tree, "large_print", False)

    def mark_large_print(self, students: list[Student]) -> list[Student]:
        """Return the students, with `large` set for those listed by number, name, email address or login."""
        node = self.tree.get("large_print")
        if not isinstance(node, Sequence) or not students:  # a missing class list was already reported
            return students
        known: dict[str, set[int]] = {}
        for k, student in enumerate(students):
            for name in _names_of(student):
                known.setdefault(_normalize(name), set()).add(k)
        chosen: set[int] = set()
        for item in node.items:
            text = item.text.strip() if isinstance(item, Scalar) else ""
            matches = known.get(_normalize(text), set()) if text else set()
            if len(matches) != 1:
                self.faults.add(f"large_print: {_name_fault(text, matches, students)}", item.place)
            chosen |= matches
        return [replace(student, large=k in chosen) for k, student in enumerate(students)]

    def words(self) -> tuple[Words, Tables | None]:
        """Return the words of the paper in the language of the sheet, and the instructor's table of words."""
        language, node = self.text(self.tree, "language") or USUAL, self.tree.get("words")
        table = None
        if node is not None:
            name = node.text.strip() if isinstance(node, Scalar) else ""
            table = self.attempt(read_words, name, node.place, self.source)
        elif language not in languages():
            near = (
                did_you_mean(language, languages())
                or "; for a different language, write the name of a file with its words under `words:`"
            )
            message = f"language: expected one of {', '.join(languages())}{near}"
            self.faults.add(message, self.tree.pairs["language"][1].place)
        if not re.fullmatch("[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?", language):
            self.faults.add("language: expected a code such as en or de", self.tree.pairs["language"][1].place)
            language = USUAL
        return words_of(language, table), table

    def purpose(self, command_purpose: str) -> str:
        """Return the purpose of the papers: the purpose in the command, or else in the sheet."""
        purpose = self.text(self.tree, "purpose") or EXAM
        if purpose not in PURPOSES:
            message = f"purpose: expected one of {', '.join(PURPOSES)}{did_you_mean(purpose, PURPOSES)}"
            self.faults.add(message, self.tree.pairs["purpose"][1].place)
            return EXAM
        return command_purpose or purpose

    def assign_versions(self, students: list[Student]) -> list[Student]:
        """Return the students with their versions, in seating order."""
        node, seats = self.tree.get("versions"), self.tree.get("seats")
        row = self.whole(seats, "seats", 1, MOST_SEATS, 1)
        if node is None:
            unknown = self.tree.pairs.keys() - {*KEYS.at("sheet")}
            misspelt = any(did_you_mean(name, ["versions"]) for name in unknown)
            if seats is not None and not misspelt:  # a misspelt key is reported already
                raise AttncalcError("seats: needs the key `versions:` in the same sheet", seats.place)
            return students
        count = self.whole(node, "versions", 2, MOST_VERSIONS, 2)
        if "students" not in self.tree and "variants" not in self.tree:
            return [Student(k + 1, version=LETTERS[k]) for k in range(count)]
        row = row if seats is not None else 0
        return [_assign_version(student, k, count, row) for k, student in enumerate(students)]


def _names_of(student: Student) -> list[str]:
    """Return all names of a student: number, email address, login, and the name in both orders."""
    last, _, first = student.name.partition(", ")
    return [name for name in (student.number, *student.aliases, student.name, f"{first} {last}" * bool(first)) if name]


def _normalize(name: str) -> str:
    return " ".join(name.split()).casefold()


def _name_fault(text: str, matches: set[int], students: list[Student]) -> str:
    """Return the reason why a name under large_print: fits no student, or several students."""
    if matches:
        numbers = ", ".join(students[k].number for k in sorted(matches))
        return f"several students are called {shorten(text)!r}; write the student's number instead: {shorten(numbers)}"
    if not any(student.number for student in students):
        return "expected true or false, because the sheet does not list students"
    if not text:
        return "expected a student's number, name or email address"
    near = did_you_mean(text, [name for student in students for name in _names_of(student)])
    return f"no student of this sheet is called {shorten(text)!r}{near}"


def _assign_version(student: Student, k: int, count: int, seats: int) -> Student:
    """Return the k-th student, from 0, with a version and a seat."""
    row, seat = divmod(k, seats) if seats else (0, k)
    place = (row + 1, seat + 1) if seats else None
    return replace(student, version=LETTERS[version_at(row, seat, count)], seat=place)


def version_at(row: int, seat: int, count: int) -> int:
    """Return the version at a seat, from 0. Neighbours at the sides, in front and behind have different versions. With
    four or more versions, diagonal neighbours too.

    >>> [[version_at(row, seat, 4) for seat in range(4)] for row in range(3)]
    [[0, 1, 2, 3], [2, 3, 0, 1], [0, 1, 2, 3]]
    """
    return (seat + row * (2 if count > 3 else 1)) % count


TRIAL = b"seed 1"  # the seed of trial variants, which are never written
# Keys with texts for people, which may have emphasis and formulas
PROSE = ("ask", "note", "hint", "instructions", "header", "right", "wrong", "because", "free_text", "solution")


def load_sheet(name: str) -> Sheet:
    """Return the sheet of a file (`-` is standard input) or of a bundled name, with its secret if it exists. Raises
    AttncalcError with all its faults.
    """
    data, source = sheet_data(name)
    return read_sheet(data, source, secret=kept_secret(secret_path(source), source))


def sheet_data(name: str) -> tuple[bytes, str]:
    """Return the bytes of a sheet, and its path. The path of standard input is `<stdin>`."""
    if name == "-":
        return read_bytes(name), "<stdin>"
    if not name:
        raise AttncalcError("expected an exam sheet, found nothing", Location("SHEET"))
    path = resolve_file(name, SHEETS, "an exam sheet", "there is no exam sheet with this name").path
    return read_bytes(path), path


def read_sheet(data: bytes | str, source: str, purpose: str = "", secret: Secret | None = None) -> Sheet:
    """Return the sheet in a YAML text. Problem files are sought in its folder, and then among bundled problems.

    `purpose` is exam, practice or resit; if empty, the sheet states it. The papers of a sheet without seed: and secret:
    are derived from `secret`. Without `secret`, they are only a trial.
    """
    faults = Diagnostics()
    if not data.strip():
        raise AttncalcError("expected an exam sheet; the file is empty", Location(source, 1, 1))
    refuse_large(data, "sheet", source)
    tree = read_yaml(data, source, faults)
    if not isinstance(tree, Mapping):
        faults.add(f"expected an exam sheet (a mapping with title:, questions:, ...), found {kind(tree)}", tree.place)
        faults.raise_any()
    assert isinstance(tree, Mapping)
    refuse_others(tree, "sheet")
    return _Reader(without_nulls(tree), source, faults).sheet(purpose, secret)


def questions_of(tree: Mapping, source: str) -> list[Question]:
    """Return the questions of a tree that has the form of a sheet. Other keys are ignored. Raises AttncalcError."""
    faults = Diagnostics()
    questions = QuestionReader(tree, source, faults).read()
    faults.raise_any()
    return questions


class _Reader(Fields):
    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(tree, source, faults)
        self.questions = QuestionReader(tree, source, faults)
        self.layout = LayoutReader(tree, source, faults)
        self.languages: list[str] = []  # possible languages of a student's paper

    def sheet(self, purpose: str, secret: Secret | None) -> Sheet:
        tree = self.tree
        tree.reject_unknown(KEYS.at("sheet"), "an exam sheet", self.faults)
        if (version := tree.get("format")) is not None and (not isinstance(version, Scalar) or version.text != "1"):
            self.faults.add(f"format: expected 1, found {kind(version)}", version.place)
        if (scale := tree.get("scale")) is not None:
            thresholds_of(scale, self.faults)
        purpose, layout = self.layout.purpose(purpose), self.layout.read()
        is_repeat = purpose != EXAM
        draw_source, key = self.key(secret)
        suffix = f" {purpose}".encode() * is_repeat
        title = self.text(tree, "title") or "Exam"
        self.languages = languages_of(layout.tables)
        students = self.layout.mark_large_print(self.attempt(self.layout.assign_versions, self.students()) or [])
        usual = layout.words.language
        students = [replace(student, language="") if student.language == usual else student for student in students]
        if purpose == PRACTICE:  # students practise at home, without seats
            students = [replace(student, seat=None) for student in students]
        sheet = Sheet(
            os.path.basename(self.source), f"{title} ({layout.words[purpose]})" if is_repeat else title, students,
            self.questions.read(), key + suffix,
            b"" if draw_source or secret is None else secret.codes.encode() + suffix,
            draw_source, self.weakness(draw_source, secret),
            self.text(tree, "course"), self.text(tree, "date"), self.texts(tree, "instructions"),
            self.flag(tree, "formula_sheet", False), self.flag(tree, "decimal_comma", False),
            self.scan(), self.template(), layout,
        )  # fmt: skip
        self.faults.raise_any()
        questions = enumerate(sheet.questions, 1)
        numbered = [(k, other) for k, question in questions for other in question.alternatives or [question]]
        problem_tree = combine_questions("check", [_with_tree(question) for _, question in numbered])
        sheet.notes = [
            *other_roundings(sheet.questions),
            *_questions_without_task(problem_tree, [k for k, _ in numbered]),
            *_questions_without_rounding(problem_tree, [k for k, _ in numbered]),
            *_undrawn_questions(sheet, is_repeat),
        ]
        warn(_formula_warnings(tree))
        return sheet

    def key(self, stored_secret: Secret | None) -> tuple[str, bytes]:
        """Return the name of the key in the sheet (seed, secret or empty), and the bytes from which variants are
        derived.
        """
        secret, seed = self.tree.pairs.get("secret"), self.tree.pairs.get("seed")
        if secret and seed:
            self.faults.add("expected only one of the keys seed: and secret:, found both", secret[0].place)
        if not secret and not seed:
            return "", f"secret {stored_secret.papers}".encode() if stored_secret else TRIAL
        word = "secret" if secret else "seed"
        words = self.text(self.tree, word)
        if secret and len(words) < 8:
            self.faults.add(
                "secret: expected at least 8 characters, so that students cannot guess the secret", secret[1].place
            )
        is_flag = seed and isinstance(seed[1], Scalar) and seed[1].style == "plain" and words.casefold() in FLAGS
        if seed and (is_flag or not words):
            expected = f"expected a number or a word, found {words or 'nothing'}"
            self.faults.add(
                f"seed: {expected}; if you remove this line, `attncalc exam` stores a random secret", seed[0].place
            )
        return word, f"{word} {words}".encode()

    def weakness(self, word: str, stored_secret: Secret | None) -> str:
        """Return the reason why others could guess the seed or the secret; empty if they cannot."""
        if word:
            text, where, remedy = self.text(self.tree, word), f"{word}:", f"remove {word}:"
        elif stored_secret is not None:
            text, where, remedy = stored_secret.papers, "the secret in its file:", "remove this file"
        else:
            return ""
        most = bits_to_guess(text)
        if most < LEAST_BITS:
            reason = (
                f"this text has at most {most} bits of randomness; below {LEAST_BITS}, a program can guess it from "
                f"the papers"
            )
        elif is_phrase(text):
            reason = "a program can guess this phrase from the papers if the phrase is in a book"
        else:
            return ""
        return (
            f"{where} {reason}. For an exam, {remedy}; `attncalc exam` then stores a "
            f"random secret of 128 bits in a file"
        )

    def scan(self) -> Location | None:
        return self.tree.pairs["scan"][0].place if self.flag(self.tree, "scan", False) else None

    def template(self) -> Path | None:
        name, node = self.text(self.tree, "template"), self.tree.get("template")
        if node is None or not name:
            return None
        return self.attempt(
            lambda: custom_templates(
                resolve_sheet_file(self.source, name, "template", node.place), MEDIA, node.place, "template: "
            )
        )

    # -- the students --------------------------------------------------------------------------------------------

    def students(self) -> list[Student]:
        node, count = self.tree.get("students"), self.tree.get("variants")
        if node is not None and count is not None:
            self.faults.add(
                "expected only one of the keys variants: and students:, found both",
                self.tree.pairs["variants"][0].place,
            )
        if node is None:
            return [Student(k) for k in range(1, self.whole(count, "variants", 1, MOST_VARIANTS, 1) + 1)]
        if isinstance(node, Scalar) and node.text.strip():
            return self.attempt(self.roster, node) or []
        if not isinstance(node, Sequence) or not node.items:
            expected = "expected a list of student numbers, or a file with student numbers (CSV or text)"
            self.faults.add(f"students: {expected}, found {kind(node)}", node.place)
            return []
        if len(node.items) > MOST_VARIANTS:
            self.faults.add(f"expected at most {MOST_VARIANTS:,} students, found {len(node.items):,}", node.place)
            return []
        return self.attempt(unique_students, map(self.student, node.items), self.languages) or []

    def student(self, item: Yaml) -> Entry:
        if isinstance(item, Mapping):
            item.reject_unknown(["number", "name", "language"], "a student", self.faults)
            number, name, language = (self.text(item, key) for key in ("number", "name", "language"))
        else:
            number, name, language = item.text.strip() if isinstance(item, Scalar) else "", "", ""
        return Entry(Written(number, item.place.shifted), name, (), language)

    def roster(self, node: Scalar) -> list[Student]:
        """Return the students of a file."""
        name = node.text.strip()
        path = resolve_sheet_file(self.source, name, "students", node.place)
        if not os.path.isfile(path):
            expected = "expected a list of student numbers, or a file with student numbers"
            raise AttncalcError(f"students: {expected}; there is no file {shorten(name)!r}", node.place)
        return read_roster(read_bytes(path), path, MOST_VARIANTS, self.languages)


def _formula_warnings(tree: Yaml, is_prose: bool = False) -> Iterator[Diagnostic]:
    """Yield a warning for each formula in the author's prose that is printed as typed."""
    match tree:
        case Scalar(text) if is_prose:
            for offset, command in unreadable_formulas(text):
                near = did_you_mean(command, sorted(COMMANDS)).replace("mean ", "mean \\")
                what = f"\\{command} is unknown" if command else "the formula cannot be read"
                message = f"warning: {what}, so it is printed as typed{near}"
                yield Diagnostic(message, tree.inside.shifted(offset))
        case Sequence(items):
            for item in items:
                yield from _formula_warnings(item, is_prose)
        case Mapping():
            for key, value in tree.items():
                yield from _formula_warnings(value, key.text in PROSE)


def _parts_of_questions(problem_tree: Mapping) -> Iterator[tuple[int, Mapping]]:
    """Yield the parts of the combined problem, each with the position of its question, from 0."""
    parts = problem_tree.get("parts")
    for name, part in parts.items() if isinstance(parts, Mapping) else ():
        yield int(name.text.partition("_")[0][1:]) - 1, part if isinstance(part, Mapping) else Mapping({}, name.place)


def _questions_without_task(problem_tree: Mapping, numbers: list[int]) -> Iterator[str]:
    """Yield a line for each question without a task. `numbers` are the numbers of questions in the sheet."""
    tasks: dict[int, list[bool]] = {}
    for k, part in _parts_of_questions(problem_tree):
        tasks.setdefault(k, []).append(bool(part.get("ask")))
    for number in dict.fromkeys(numbers[k] for k, has_task in tasks.items() if not any(has_task)):
        yield f"question {number}: the question has no task; add `ask:` to the question or to the problem file"


def _questions_without_rounding(problem_tree: Mapping, numbers: list[int]) -> Iterator[str]:
    """Yield a line about the questions without rounding. `numbers` are the numbers of questions in the sheet."""
    free = [numbers[k] for k, part in _parts_of_questions(problem_tree) if part.get("rounding") is None]
    if questions := [str(number) for number in dict.fromkeys(free)]:
        yield (
            f"{_named(questions)}: no rounding is stated, so students can write any number of decimals; to require "
            "two decimals, add `rounding: {digits: 2}` to the sheet"
        )


def _named(questions: list[str]) -> str:
    """Return `question 2` or `questions 2 and 3`."""
    return f"question{'s' * (len(questions) > 1)} {listed(questions)}"


def _undrawn_questions(sheet: Sheet, is_repeat: bool) -> Iterator[str]:
    """Yield a line about the questions without random numbers. Practice papers and resits repeat these numbers, and all
    papers of an exam share them.
    """
    if is_repeat:
        drawn = (all(other.search for other in question.alternatives or [question]) for question in sheet.questions)
        where = "in the exam"
    elif len({student.draw_key for student in sheet.students}) > 1:
        drawn = (question.fixed is None for question in sheet.questions)
        where = "on all papers"
    else:
        return
    numbers = [str(number) for number, is_drawn in enumerate(drawn, 1) if not is_drawn]
    has, it_is = ("has", "it is") if len(numbers) == 1 else ("have", "they are")
    if numbers:
        yield f"{_named(numbers)} {has} no random numbers, so {it_is} the same {where}"
