"""A question drawn from a lesson: its generate: and with: as a search for variants."""

from __future__ import annotations

import re

from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ...generator.author_file_search import lesson_search
from ...generator.recipes.lessons import RECIPES, drawn_lessons
from ...generator.rejection_search import Search
from ...generator.request import FAMILIES, Request, specification
from ...problem.yaml_file.nodes import Mapping, Scalar, kind
from .field_reader import Fields
from .schema_keys import WITH

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
            relocated = [
                _relocate(fault, places, with_node.place) for fault in error.faults if fault not in faults.faults
            ]
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
                near = did_you_mean(name, known) or f"; there are {', '.join(known)}"
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
        relax, margin = (
            tuple(self.texts(with_node, "relax")),
            self.number(with_node.get("margin"), "margin", 0, 10, 0.1),
        )
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
