"""A question that is drawn of a lesson: what stands under `with:` as a search for variants."""

from __future__ import annotations

import re

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..generator.own import lesson_search
from ..generator.recipe import RECIPES, drawn_lessons
from ..generator.search import Search
from ..generator.specification import FAMILIES, Asked, specification
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
        lesson, places = self.text(item, "generate"), {}
        node = item.get("with")
        pairs = node.pairs if isinstance(node, Mapping) else {}
        if node is not None and not isinstance(node, Mapping) and not (isinstance(node, Scalar) and not node.text):
            self.faults.add(f"with: expected a mapping of sizes and options, found {kind(node)}", node.place)
        place = item.pairs["generate"][1].place
        recipe = RECIPES.get(lesson)
        sizes: dict[str, int | None] = {}
        options: dict[str, str] = {}
        known = drawn_with(lesson)
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
                faults.add(f"{name}: expected a formula or a word, found {kind(value)}", value.place)
            else:
                options[name] = value.text
        told = Mapping(pairs, place)
        relax = tuple(self.texts(told, "relax"))
        margin = self.number(told.get("margin"), "margin", 0, 10, 0.1)
        try:
            entries, family = self.text(told, "entries"), self.text(told, "family")
            nice = FAMILIES.get(family)
            if lesson in drawn_lessons():
                options = {
                    name: value.text
                    for name, (_, value) in pairs.items()
                    if name not in WITH and isinstance(value, Scalar)
                }
                return _screened(
                    lesson_search(
                        Asked(lesson, {}, options, entries, self.digits(both), "exam", relax, margin, family)
                    ),
                    told,
                )
            sizes = {**(nice.sizes if nice else {}), **sizes}
            spec = specification(
                Asked(lesson, sizes, options, entries, self.digits(both), "exam", relax, margin, family)
            )
            faults.raise_any()
            return _screened(Search(spec), told)
        except AttncalcError as error:
            raise AttncalcError(
                faults.found + [_replaced(fault, places, place) for fault in error.faults if fault not in faults.found]
            ) from None

    def digits(self, item: Mapping) -> int | None:
        """The decimals that the question, or the sheet, asks for."""
        rounding = item.get("rounding") or self.tree.get("rounding")
        node = rounding.get("digits") if isinstance(rounding, Mapping) else None
        return None if node is None else self.whole(node, "digits of a generated question", 0, 8, DIGITS)


def _screened(search: Search, told: Mapping) -> Search:
    """The search without outliers, unless the sheet says itself by how much variants may differ."""
    if "margin" not in told:
        search.screen(WIDTH)
    return search


_OPTION = re.compile(r"^--(set: )?([a-z-]+): ")


def _replaced(fault: Diagnostic, places: dict[str, Location], place: Location) -> Diagnostic:
    """A fault of the generator at the place in the sheet that it is about."""
    said = _OPTION.match(fault.message)
    name = said[2].replace("-", "_") if said else str(fault.place).rpartition(".")[2]
    message = f"{name}: {fault.message[said.end() :]}" if said else fault.message
    if message.startswith("entries"):
        name = "entries"
    return Diagnostic(message, places.get(name, place))
