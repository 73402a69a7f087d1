"""The questions of a sheet: drawn from a lesson, from a problem file, or one of several."""

from __future__ import annotations

import os
import re

from ... import limits
from ...api import read_bytes, require_known_codes
from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ...generator.author_file_search import lesson_search, search_of
from ...generator.lesson_recipes import RECIPES, drawn_lessons
from ...generator.rejection_search import Search
from ...generator.request import FAMILIES, Request, specification
from ...lessons import LESSONS
from ...problem.loader import build_problem
from ...problem.problem import Problem
from ...problem.python_input import tree_of
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from ...problem.yaml_file.yaml_reader import read_yaml
from ...resources import problem_file, problem_names
from ..images import WIDEST, read_figure
from ..problem_assembly import combine_questions
from ..sheet_files import resolve_sheet_file
from .field_reader import Fields, without_nulls
from .instructor_question import InstructorQuestionReader, choice_count
from .marking_options import marking
from .model import Question
from .sheet_keys import KEYS, KINDS, LARGEST_SPACE, WITH

# Standard deviations of work and of predicted difficulty: a draw that is farther from the middle is screened out
WIDTH = 0.5
DIGITS = 2  # of generated questions, by default


def with_keys(lesson: str) -> list[str]:
    """Return the keys allowed under with: for a lesson: the common keys, and the lesson's sizes and options."""
    recipe = RECIPES.get(lesson)
    return [*WITH, *(recipe.sizes if recipe else ()), *(recipe.options if recipe else ())]


class GeneratedReader(Fields):
    """Reader of generate: and with: of a question; `tree` is the mapping that holds the questions."""

    def search(self, item: Mapping, merged: Mapping) -> Search:
        """Return the search of a question with generate:. Raises AttncalcError, each fault at its place in the
        sheet.
        """
        lesson, with_node = self.text(item, "generate"), self.with_mapping(item)
        faults = Diagnostics()
        try:
            sizes, options = self.sizes_and_options(lesson, with_node, faults)
            search = self.build_search(lesson, with_node, sizes, options, self.digits(merged))
            faults.raise_any()
        except AttncalcError as error:
            places = {name: value.place for name, (_, value) in with_node.pairs.items()}
            others = (fault for fault in error.faults if fault not in faults.faults)
            relocated = [_relocate(fault, places, with_node.place) for fault in others]
            raise AttncalcError([*faults.faults, *relocated]) from None
        if "margin" not in with_node:  # otherwise the sheet says itself by how much variants may differ
            search.screen(WIDTH)
        return search

    def with_mapping(self, question_node: Mapping) -> Mapping:
        """Return the mapping under with:, placed at the lesson's name."""
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
        """Return the decimals that the question, or the sheet, asks for; None if neither does."""
        rounding = item.get("rounding") or self.tree.get("rounding")
        node = rounding.get("digits") if isinstance(rounding, Mapping) else None
        return None if node is None else self.whole(node, "digits of a generated question", 0, 8, DIGITS)


_OPTION = re.compile(r"^--(set: )?([a-z-]+): ")


def _relocate(fault: Diagnostic, places: dict[str, Location], place: Location) -> Diagnostic:
    """Return a fault of the generator at the place in the sheet that it is about."""
    option = _OPTION.match(fault.message)
    name = option[2].replace("-", "_") if option else str(fault.place).rpartition(".")[2]
    message = f"{name}: {fault.message[option.end() :]}" if option else fault.message
    if message.startswith("entries"):
        name = "entries"
    return Diagnostic(message, places.get(name, place))


WORDS = 4  # centimetres for an answer in words, by default
OVERRIDES = ("title", "ask", "note", "asked", "points", "rounding")


# Keys of a question as other programs call them, and the form that is meant.
_TICKED = "choices: [{right: its text}, {wrong: its text}]"
_WORDS = "ask: the question, and free_text: the answer or true"
_OTHER_KEYS = {
    **dict.fromkeys(("choice", "options", "answers", "alternatives", "answer", "correct", "mcq"), _TICKED),
    **dict.fromkeys(("text", "question", "prompt", "essay", "open"), _WORDS),
    **dict.fromkeys(("marks", "score", "weight"), "points: 4"),
    **dict.fromkeys(("lesson", "random", "template"), "generate: self_attention"),
    **dict.fromkeys(("file", "use", "path"), "problem: its file"),
}


def suggest_key(key: str, question: Mapping) -> str:
    """Return the suggestion for an unknown key: `; did you mean points: 4?` for `marks`, with: for a lesson's
    option, else empty.
    """
    node = question.get("generate")
    if key in with_keys(node.text if isinstance(node, Scalar) else ""):
        return f"; did you mean with: {{{key}: ...}}?"
    return f"; did you mean {_OTHER_KEYS[key]}?" if key in _OTHER_KEYS else ""


def suggest_lesson(name: str) -> str:
    """Return the end of a message if a lesson is named in place of a problem file."""
    word = name.split()[-1] if name.split() else ""
    return f"; did you mean generate: {word}?" if word in LESSONS else ""


def _alternatives(item: Yaml) -> int:
    """Return how many questions a question stands for."""
    node = item.get("one_of") if isinstance(item, Mapping) else None
    return len(node.items) if isinstance(node, Sequence) else 1


class QuestionReader(Fields):
    """Reader of questions: and their keys."""

    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(tree, source, faults)
        self.generated = GeneratedReader(tree, source, faults)
        self.instructor = InstructorQuestionReader(tree, source, faults)
        self.files: dict[str, tuple[Mapping, Problem]] = {}  # by path: questions may share a file

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
        """Return one question; an alternative inherits the keys of the question around it, `outer`."""
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
                return None  # a misspelt key, reported already
            there = "found " + (" and ".join(kinds) or "none of them")
            if not kinds and "ask" in item:
                there += "; write free_text: true next to ask: for an answer in words, or choices: for options to tick"
            raise AttncalcError(
                f"a question needs {', '.join(f'{word}:' for word in KINDS[:-1])} or {KINDS[-1]}:; {there}", item.place
            )
        merged = Mapping(outer | item.pairs, item.place)
        if "with" in item and kinds != ["generate"]:
            self.faults.add(
                "with: is only for questions with generate:; add generate: or remove with:", item.pairs["with"][0].place
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
        """Return a question with its printing options alone."""
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
        """Restrict a question with choices of matrices: nothing else is asked, and its points are one number."""
        self.instructor.check_points(merged)
        question.points = self.text(merged, "points")
        asked = self.texts(merged, "asked")
        if len(asked) > 1:
            message = f"asked: expected only one step with choices:, found {len(asked)}"
            self.faults.add(message, merged.pairs["asked"][1].place)
        question.choice_step = asked[0] if asked else ""
        question.overrides.pop("points", None)
        question.overrides["asked"] = Sequence([], question.place)

    def read_file(self, question: Question, item: Mapping, merged: Mapping) -> None:
        """Set the problem of a file, or the search of a file that draws its numbers."""
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
        """Return the parts of a problem that are asked; empty if all are."""
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
        """Return the keys of the sheet that replace the problem's."""
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
        tree = combine_questions("check", [(question, first_tree(question))])
        # a part has givens that others use; the file was warned of
        require_known_codes(build_problem(tree, question.place.source, "check", quiet=True))

    def search_of_file(self, problem: Problem, item: Mapping, merged: Mapping) -> Search:
        """Return the search of a file that draws its numbers, of which each variant gets its own."""
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
        if os.path.isfile(path):
            data, source = read_bytes(path), path
        elif known := problem_file(name.removesuffix(".yaml")):
            data, source = read_bytes(known), os.path.basename(known)
        else:
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
            tree = read_yaml(data, source, faults)
            problem = build_problem(tree, source, os.path.splitext(os.path.basename(name))[0], faults)
            assert isinstance(tree, Mapping)
            if problem.draws is not None:  # each search fills a problem of its own
                return tree, problem
            self.files[path] = tree, problem
        return self.files[path]

    # -- plain values --------------------------------------------------------------------------------------------------

    def space(self, item: Mapping) -> float:
        """Return the centimetres of room for working."""
        return self.centimetres(item.get("space") or self.tree.get("space"), "space", LARGEST_SPACE, 1.5)

    def shared(self, item: Mapping, key: str, default: bool) -> bool:
        """Return a switch of the question, else of the sheet."""
        return self.flag(item if key in item else self.tree, key, default)


def _kinds(item: Mapping) -> list[str]:
    """Return the kinds of question in a mapping; choices: of a calculated question is no kind of its own."""
    kinds = [word for word in KINDS[:-1] if word in item]
    has_options = not isinstance(item.get("choices"), Scalar) or not {"generate", "problem", "one_of"} & {*kinds}
    return kinds + ["choices"] * ("choices" in item and has_options)


def first_tree(question: Question) -> Mapping | None:
    """Return a question's problem as a tree, with any numbers; None if nothing is calculated."""
    if question.instructor_question is not None:
        return None
    if question.search is None:
        assert question.fixed is not None
        return question.fixed
    from ...problem.random_stream import Stream

    stream = Stream("attncalc", question.search.spec.lesson, "template")
    tree = tree_of(question.search.document(question.search.draw(stream), question.search.words(stream)))
    assert isinstance(tree, Mapping)
    return tree
