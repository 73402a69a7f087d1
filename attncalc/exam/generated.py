"""A question that is drawn of a lesson: what stands under `with:` as a search for variants."""

from __future__ import annotations

import re

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..generator.own import lesson_search
from ..generator.recipe import RECIPES, drawn_lessons
from ..generator.search import Search
from ..generator.specification import FAMILIES, Request, specification
from ..problem.text import Mapping, Scalar, kind
from .fields import Fields
from .keys import WITH

# Standard deviations of work and of predicted difficulty: a draw that is farther from the middle is screened out
WIDTH = 0.5
DIGITS = 2  # of generated questions, where nothing is said


def drawn_with(lesson: str) -> list[str]:
    """What may stand under with: beside a lesson: what all have, and its own sizes and options."""
    recipe = RECIPES.get(lesson)
    return [*WITH, *(recipe.sizes if recipe else ()), *(recipe.options if recipe else ())]


class GeneratedReader(Fields):
    """Reads generate: and with: of a question; `tree` is what the questions stand in."""

    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(faults)
        self.tree, self.source = tree, source

    def search(self, item: Mapping, both: Mapping) -> Search:
        """The search of a question with generate:. Raises AttncalcError with each fault where it stands in
        the sheet.
        """
        lesson, told = self.text(item, "generate"), self.told(item)
        faults = Diagnostics()
        try:
            sizes, options = self.wanted(lesson, told, faults)
            search = self.searched(lesson, told, sizes, options, self.digits(both))
            faults.raise_any()
        except AttncalcError as error:
            places = {name: value.place for name, (_, value) in told.pairs.items()}
            moved = [_replaced(one, places, told.place) for one in error.faults if one not in faults.faults]
            raise AttncalcError([*faults.faults, *moved]) from None
        if "margin" not in told:  # otherwise the sheet says itself by how much variants may differ
            search.screen(WIDTH)
        return search

    def told(self, item: Mapping) -> Mapping:
        """What stands under with:, at the place of the lesson's name."""
        node, place = item.get("with"), item.pairs["generate"][1].place
        if isinstance(node, Mapping):
            return Mapping(node.pairs, place)
        if node is not None and not (isinstance(node, Scalar) and not node.text):
            self.faults.add(f"with: expected a mapping of sizes and options, found {kind(node)}", node.place)
        return Mapping({}, place)

    def wanted(self, lesson: str, told: Mapping, faults: Diagnostics) -> tuple[dict[str, int | None], dict[str, str]]:
        """The sizes and the options under with: that the lesson has."""
        recipe, known = RECIPES.get(lesson), drawn_with(lesson)
        sizes: dict[str, int | None] = {}
        options: dict[str, str] = {}
        for name, (key, value) in told.pairs.items():
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

    def searched(
        self, lesson: str, told: Mapping, sizes: dict[str, int | None], options: dict[str, str], digits: int | None
    ) -> Search:
        """The search of what the sheet says. Raises AttncalcError in the generator's words."""
        relax, margin = tuple(self.texts(told, "relax")), self.number(told.get("margin"), "margin", 0, 10, 0.1)
        entries, family = self.text(told, "entries"), self.text(told, "family")
        nice = FAMILIES.get(family)
        sizes = {**(nice.sizes if nice else {}), **sizes}
        asked = Request(lesson, sizes, options, entries, digits, "exam", relax, margin, family)
        return lesson_search(asked) if lesson in drawn_lessons() else Search(specification(asked))

    def digits(self, item: Mapping) -> int | None:
        """The decimals that the question, or the sheet, asks for."""
        rounding = item.get("rounding") or self.tree.get("rounding")
        node = rounding.get("digits") if isinstance(rounding, Mapping) else None
        return None if node is None else self.whole(node, "digits of a generated question", 0, 8, DIGITS)


_OPTION = re.compile(r"^--(set: )?([a-z-]+): ")


def _replaced(fault: Diagnostic, places: dict[str, Location], place: Location) -> Diagnostic:
    """A fault of the generator at the place in the sheet that it is about."""
    said = _OPTION.match(fault.message)
    name = said[2].replace("-", "_") if said else str(fault.place).rpartition(".")[2]
    message = f"{name}: {fault.message[said.end() :]}" if said else fault.message
    if message.startswith("entries"):
        name = "entries"
    return Diagnostic(message, places.get(name, place))
