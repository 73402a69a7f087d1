"""An exam sheet from YAML, checked: every fault at once, with its place."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..answers.written import Written
from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..generator.own import lesson_search, search_of
from ..generator.recipe import RECIPES, drawn_lessons
from ..generator.search import Search
from ..generator.specification import FAMILIES, Asked, specification
from ..problem.data import tree_of
from ..problem.file import build_problem
from ..problem.kinds import refuse_large, refuse_others
from ..problem.model import Problem
from ..problem.read import read_yaml
from ..problem.text import Mapping, Scalar, Sequence, Yaml, kind
from ..resources import folder, own_templates, problem_file, problem_names
from .beside import MEDIA, beside
from .fields import Fields
from .keys import KEYS, KINDS, LARGEST_SPACE, MOST_QUESTIONS, MOST_VARIANTS, WITH
from .model import Question, Sheet, Student
from .parts import combined
from .roster import checked, read_roster

if TYPE_CHECKING:
    from pathlib import Path

Result = TypeVar("Result")
DIGITS = 2  # of generated questions, where nothing is said
OWN = ("title", "ask", "note", "asked", "points", "rounding")


def load_sheet(name: str) -> Sheet:
    """The sheet in a file (`-` for standard input), or of that name. Raises AttncalcError with all its faults."""
    return read_sheet(*sheet_data(name))


def sheet_data(name: str) -> tuple[bytes, str]:
    """The bytes of a sheet, and where they are from."""
    if name == "-":
        return read_bytes(name), "<stdin>"
    if os.path.isdir(name) or not name:
        raise AttncalcError(Diagnostic(f"an exam sheet is required, {'a folder' if name else 'nothing'} stands there", Location(name or "SHEET")))
    known = {path.stem: str(path) for path in sorted((folder("problems") / "sheets").glob("*.yaml"))}
    if os.path.exists(name) or name.removesuffix(".yaml") not in known:
        if not os.path.exists(name):
            there = did_you_mean(name, list(known)) or f"; {', '.join(known)} come with attncalc"
            raise AttncalcError(Diagnostic(f"no such file, and no sheet is called so{there}", Location(name)))
        return read_bytes(name), name
    path = known[name.removesuffix(".yaml")]
    return read_bytes(path), os.path.basename(path)


def read_sheet(data: bytes | str, source: str) -> Sheet:
    """The sheet in a YAML text; fixed problems are looked for beside it, then among those that come with attncalc."""
    faults = Diagnostics()
    if not data.strip():
        raise AttncalcError(Diagnostic("an exam sheet is required, the file is empty", Location(source, 1, 1)))
    refuse_large(data, "sheet", source)
    tree = read_yaml(data, source, faults)
    if not isinstance(tree, Mapping):
        faults.add(f"an exam sheet is a mapping (title:, questions:, ...), {kind(tree)} stands there", tree.place)
        faults.raise_any()
    assert isinstance(tree, Mapping)
    refuse_others(tree, "sheet")
    return _Reader(tree, source, faults).sheet()


def questions_of(tree: Mapping, source: str) -> list[Question]:
    """The questions of a tree that has them as a sheet has; whatever else stands there is not looked at. Raises AttncalcError."""
    faults = Diagnostics()
    found = _Reader(tree, source, faults).questions()
    faults.raise_any()
    return found


class _Reader(Fields):
    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(faults)
        self.tree, self.source = tree, source

    def sheet(self) -> Sheet:
        tree = self.tree
        tree.reject_unknown(KEYS.at("sheet"), "an exam sheet", self.faults)
        if (version := tree.get("format")) is not None and (not isinstance(version, Scalar) or version.text != "1"):
            self.faults.add(f"format is 1, {kind(version)} stands there", version.place)
        key = self.key()
        sheet = Sheet(
            os.path.basename(self.source), self.text(tree, "title") or "Exam", self.students(), self.questions(), key,
            self.text(tree, "course"), self.text(tree, "date"), self.texts(tree, "instructions"),
            self.flag(tree, "formula_sheet", False), self.flag(tree, "decimal_comma", False),
            self.template(),
        )  # fmt: skip
        self.faults.raise_any()
        self.check_together(sheet.questions)
        return sheet

    def key(self) -> bytes:
        """What all variants are drawn from."""
        secret, seed = self.tree.pairs.get("secret"), self.tree.pairs.get("seed")
        if secret and seed:
            self.faults.add("a seed or a secret is required, both stand there", secret[0].place)
        word = "secret" if secret else "seed"
        words = self.text(self.tree, word)
        if secret and len(words) < 8:
            self.faults.add("secret: at least 8 characters are required, since students must not guess it", secret[1].place)
        return f"{word} {words or 1}".encode()

    def template(self) -> Path | None:
        name, node = self.text(self.tree, "template"), self.tree.get("template")
        if node is None or not name:
            return None
        return self.guarded(lambda: own_templates(beside(self.source, name, "template", node.place), MEDIA, node.place, "template: "))

    # -- who gets a variant --------------------------------------------------------------------------------------------------

    def students(self) -> list[Student]:
        node, count = self.tree.get("students"), self.tree.get("variants")
        if node is not None and count is not None:
            self.faults.add("variants or students are required, both stand there", self.tree.pairs["variants"][0].place)
        if node is None:
            return [Student(k) for k in range(1, self.whole(count, "variants", 1, MOST_VARIANTS, 1) + 1)]
        if isinstance(node, Scalar) and node.text.strip():
            return self.guarded(self.roster, node) or []
        if not isinstance(node, Sequence) or not node.items:
            self.faults.add(f"students is a list of their numbers, or a file of them (CSV or text), {kind(node)} stands there", node.place)
            return []
        if len(node.items) > MOST_VARIANTS:
            self.faults.add(f"at most {MOST_VARIANTS:,} students are required, {len(node.items):,} stand there", node.place)
            return []
        return self.guarded(checked, map(self.student, node.items)) or []

    def student(self, item: Yaml) -> tuple[Written, str]:
        if isinstance(item, Mapping):
            item.reject_unknown(["number", "name"], "a student", self.faults)
            number, name = self.text(item, "number"), self.text(item, "name")
        else:
            number, name = item.text.strip() if isinstance(item, Scalar) else "", ""
        return Written(number, item.place.shifted), name

    def roster(self, node: Scalar) -> list[Student]:
        """The students of a file."""
        name = node.text.strip()
        path = beside(self.source, name, "students", node.place)
        if not os.path.isfile(path):
            said = f"students: a list of their numbers, or a file of them, is required; there is no file {shorten(name)!r}"
            raise AttncalcError(Diagnostic(said, node.place))
        return read_roster(read_bytes(path), path, MOST_VARIANTS)

    # -- questions -----------------------------------------------------------------------------------------------------------

    def questions(self) -> list[Question]:
        node = self.tree.get("questions")
        if not isinstance(node, Sequence) or not node.items:
            where = node.place if node is not None else self.tree.place
            self.faults.add(f"questions: a list of questions is required, {kind(node) if node is not None else 'nothing'} stands there", where)
            return []
        if len(node.items) > MOST_QUESTIONS:
            self.faults.add(f"at most {MOST_QUESTIONS} questions are required, {len(node.items)} stand there", node.place)
            return []
        return [q for item in node.items if (q := self.guarded(self.question, item, {}))]

    def guarded(self, action: Callable[..., Result], *arguments: Any) -> Result | None:
        """What the action answers, None where it found faults, which are kept."""
        try:
            return action(*arguments)
        except AttncalcError as error:
            self.faults.extend(error)
            return None

    def question(self, item: Yaml, outer: dict[str, tuple[Scalar, Yaml]]) -> Question | None:
        """One question; of several to choose from, each has the keys that stand around them."""
        if not isinstance(item, Mapping):
            raise AttncalcError(Diagnostic(f"a question is a mapping (generate:, problem: or one_of:), {kind(item)} stands there", item.place))
        before = len(self.faults.found)
        item.reject_unknown(KEYS.at("question"), "a question", self.faults)
        kinds = [word for word in KINDS if word in item]
        if len(kinds) != 1:
            if len(self.faults.found) > before and not kinds:
                return None  # a slip in the word itself, told already
            there = " and ".join(kinds) + " stand there" if kinds else "none of them stands there"
            raise AttncalcError(Diagnostic(f"a question has generate:, problem: or one_of:; {there}", item.place))
        both = Mapping(outer | item.pairs, item.place)
        if "with" in item and kinds != ["generate"]:
            self.faults.add("with: belongs to generate:, which does not stand here", item.pairs["with"][0].place)
        found = Question(item.place, self.own(both), space=self.space(both), hints=self.shared(both, "hints", False),
                         blanks=self.shared(both, "blanks", True), practice=self.shared(both, "practice", False))  # fmt: skip
        if kinds == ["one_of"]:
            return self.one_of(item, found, both)
        if kinds == ["generate"]:
            found.search = self.search(item, both)
        else:
            tree, problem = self.file(item)
            if problem.draws is None:
                found.fixed = tree
            else:
                found.search = self.drawn(problem, item, both)
        self.check(found)
        return found

    def own(self, item: Mapping) -> dict[str, Yaml]:
        own = {word: value for word in OWN if (value := item.get(word)) is not None}
        if (rounding := self.tree.get("rounding")) is not None:
            own["sheet rounding"] = rounding
        return own

    def one_of(self, item: Mapping, found: Question, both: Mapping) -> Question | None:
        node = item.get("one_of")
        if not isinstance(node, Sequence) or len(node.items) < 2:
            assert node is not None
            raise AttncalcError(Diagnostic(f"one_of: a list of two or more questions is required, {kind(node)} stands there", node.place))
        outer = {word: pair for word, pair in both.pairs.items() if word not in KINDS}
        for inner in node.items:
            if isinstance(inner, Mapping) and "one_of" in inner:
                self.faults.add("one_of: a question stands here; one_of inside one_of means nothing more", inner.pairs["one_of"][0].place)
            elif question := self.guarded(self.question, inner, outer):
                found.others.append(question)
        return found if len(found.others) == len(node.items) else None

    def check(self, question: Question) -> None:
        """What is asked and given of a question, with faults where they stand in the sheet."""
        tree = first_tree(question)
        build_problem(combined("check", [(question, tree)]), question.place.source, "check")

    def check_together(self, questions: list[Question]) -> None:
        combined("check", [(one, first_tree(one)) for question in questions for one in question.others or [question]])

    # -- drawn questions -----------------------------------------------------------------------------------------------------

    def search(self, item: Mapping, both: Mapping) -> Search:
        lesson, places = self.text(item, "generate"), {}
        node = item.get("with")
        pairs = node.pairs if isinstance(node, Mapping) else {}
        if node is not None and not isinstance(node, Mapping) and not (isinstance(node, Scalar) and not node.text):
            self.faults.add(f"with: is a mapping of sizes and options, {kind(node)} stands there", node.place)
        place = item.pairs["generate"][1].place
        recipe = RECIPES.get(lesson)
        sizes: dict[str, int | None] = {}
        options: dict[str, str] = {}
        known = [*WITH, *(recipe.sizes if recipe else ()), *(recipe.options if recipe else ())]
        faults = Diagnostics()
        for name, (key, value) in pairs.items():
            places[name] = value.place
            if recipe is None or name in WITH:
                continue
            if name in recipe.sizes:
                sizes[name] = self.whole(value, name, 1, 12, 1)
            elif name not in known:
                near = did_you_mean(name, known) or f"; there are {', '.join(known)}"
                faults.add(f"with: {lesson} has no {shorten(name)!r}{near}", key.place)
            elif not isinstance(value, Scalar):
                faults.add(f"{name}: a formula or a word is required, {kind(value)} stands there", value.place)
            else:
                options[name] = value.text
        told = Mapping(pairs, place)
        relax = tuple(self.texts(told, "relax"))
        margin = self.number(told.get("margin"), "margin", 0, 10, 0.1)
        try:
            entries, family = self.text(told, "entries"), self.text(told, "family")
            nice = FAMILIES.get(family)
            if lesson in drawn_lessons():
                options = {name: value.text for name, (_, value) in pairs.items() if name not in WITH and isinstance(value, Scalar)}
                return lesson_search(Asked(lesson, {}, options, entries, self.digits(both), "exam", relax, margin, family))
            sizes = {**(nice.sizes if nice else {}), **sizes}
            spec = specification(Asked(lesson, sizes, options, entries, self.digits(both), "exam", relax, margin, family))
            faults.raise_any()
            return Search(spec)
        except AttncalcError as error:
            raise AttncalcError(faults.found + [_replaced(fault, places, place) for fault in error.faults if fault not in faults.found]) from None

    def digits(self, item: Mapping) -> int | None:
        rounding = item.get("rounding") or self.tree.get("rounding")
        node = rounding.get("digits") if isinstance(rounding, Mapping) else None
        return None if node is None else self.whole(node, "digits of a generated question", 0, 8, DIGITS)

    # -- fixed questions -----------------------------------------------------------------------------------------------------

    def drawn(self, problem: Problem, item: Mapping, both: Mapping) -> Search:
        """The search of a file that draws its numbers: each variant gets some of its own."""
        try:
            return search_of(problem, Asked(problem.name, digits=self.digits(both), seed="exam"))
        except AttncalcError as error:
            place = item.pairs["problem"][1].place
            raise AttncalcError(Diagnostic(fault.message, fault.place if fault.place.line else place) for fault in error.faults) from None

    def file(self, item: Mapping) -> tuple[Mapping, Problem]:
        """A problem file that the sheet names, as it stands there and read."""
        name = self.text(item, "problem")
        place = item.pairs["problem"][1].place
        path = beside(self.source, name, "problem", place)
        if os.path.isfile(path):
            data, source = read_bytes(path), path
        elif known := problem_file(name.removesuffix(".yaml")):
            data, source = read_bytes(known), os.path.basename(known)
        else:
            near = did_you_mean(name, problem_names()) or "; `attncalc problems` lists the ones that come with it"
            there = f"{shorten(name)!r} stands there" if name else "nothing stands there"
            is_folder = bool(name) and os.path.isdir(path)
            what = "a file is required, a folder is called so" if is_folder else f"no such file, and no problem is called so{near}"
            raise AttncalcError(Diagnostic(f"problem: {what}; {there}", place))
        faults = Diagnostics()
        tree = read_yaml(data, source, faults)
        problem = build_problem(tree, source, os.path.splitext(os.path.basename(name))[0], faults)
        assert isinstance(tree, Mapping)
        return tree, problem

    # -- plain values --------------------------------------------------------------------------------------------------------

    def space(self, item: Mapping) -> float:
        node = item.get("space") or self.tree.get("space")
        if isinstance(node, Scalar):
            node = Scalar(re.sub(r"\s*cm$", "", node.text), node.place)
        return self.number(node, "space", 0, LARGEST_SPACE, 1.5)

    def shared(self, item: Mapping, key: str, default: bool) -> bool:
        """A switch of the question, or of the sheet."""
        return self.flag(item if key in item else self.tree, key, default)


def first_tree(question: Question) -> Mapping:
    """A question's problem as a tree, whatever its numbers are."""
    if question.search is None:
        assert question.fixed is not None
        return question.fixed
    from ..problem.stream import Stream

    stream = Stream("attncalc", question.search.spec.lesson, "template")
    tree = tree_of(question.search.document(question.search.draw(stream), question.search.words(stream)))
    assert isinstance(tree, Mapping)
    return tree


_OPTION = re.compile(r"^--(set: )?([a-z-]+): ")


def _replaced(fault: Diagnostic, places: dict[str, Location], place: Location) -> Diagnostic:
    """A fault of the generator at the place in the sheet that it is about."""
    said = _OPTION.match(fault.message)
    name = said[2].replace("-", "_") if said else str(fault.place).rpartition(".")[2]
    message = f"{name}: {fault.message[said.end() :]}" if said else fault.message
    if message.startswith("entries"):
        name = "entries"
    return Diagnostic(message, places.get(name, place))
