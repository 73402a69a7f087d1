"""Random givens (`draw:`), and the requirements (`demand:`) that every drawn problem must meet.

A file with `draw:` describes many problems. If the file is loaded, the result is an example: the first drawn problem
that meets the requirements. The generator and exam sheets draw other problems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box, has_no_zero
from ..arithmetic.working_precision import working_precision
from ..errors import AttncalcError, Diagnostics, FormulaError, Location, counted, did_you_mean, shorten
from ..formula.elaboration import check
from ..formula.operations import needs
from ..formula.parser import parse
from ..formula.syntax_tree import Tree
from ..formula.typed_formula import Node
from ..lessons import FILES
from ..plan import Plan
from .entry_distributions import Kind, Texts, has_empty_line, kind
from .entry_distributions import Words as Said
from .entry_distributions import words as said_words
from .plan_builder import name_fault
from .random_stream import Stream
from .yaml_file.nodes import Mapping, Scalar, Sequence, Yaml
from .yaml_file.nodes import kind as kind_of


def with_words(tree: Mapping, drawn: dict[str, list[str]]) -> Mapping:
    """Insert drawn words into the options of lessons that contain their names, in a problem file or a part."""

    def replaced(node: Yaml) -> Yaml:
        match node:
            case Scalar(text, place):
                return Scalar(" ".join(" ".join(drawn.get(word, [word])) for word in text.split()), place)
            case Mapping(pairs, place):
                return Mapping({key: (name, replaced(value)) for key, (name, value) in pairs.items()}, place)
        return node

    def inside(key: str, node: Yaml) -> Yaml:
        if key == "parts" and isinstance(node, Mapping):
            parts = {
                name: (name_node, with_words(part, drawn) if isinstance(part, Mapping) else part)
                for name, (name_node, part) in node.pairs.items()
            }
            return Mapping(parts, node.place)
        return replaced(node) if key in FILES else node

    return (
        Mapping({key: (name, inside(key, node)) for key, (name, node) in tree.pairs.items()}, tree.place)
        if drawn
        else tree
    )


LARGEST_SIZE = 40
MOST_DRAWN = 100
LONGEST = 1_000  # characters in the description of a random given
TRIES = 200  # the largest number of attempts to draw an example that meets the requirements
BITS = 96
KEYS = ("size", "entries", "rows", "columns", "note")

Words = dict[str, list[str]]  # drawn labels by name and axis, such as `X rows`


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of an axis. They are fixed, or drawn from a list of words or of whole sentences."""

    words: tuple[str, ...]
    drawn: bool = False

    def draw(self, stream: Stream, count: int) -> list[str]:
        """Return `count` labels: the fixed words, or the words of a sentence with this number of words, or shuffled
        words.
        """
        if not self.drawn:
            return list(self.words)
        sentences = [words for sentence in self.words if len(words := sentence.split()) == count]
        return list(stream.choice(sentences)) if sentences and count > 1 else stream.shuffled(self.words)[:count]

    def fits(self, count: int) -> bool:
        """Return whether `count` labels are possible."""
        if not self.drawn:
            return len(self.words) == count
        return len(self.words) >= count or any(len(sentence.split()) == count for sentence in self.words)


@dataclass(frozen=True, slots=True)
class Draw:
    """A random given."""

    name: str
    size: tuple[int, int]
    kind: Kind
    rows: Labels | None = None
    columns: Labels | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A requirement that is a formula, such as `max(abs(S)) <= 9`. No entry of the formula may be 0."""

    text: str
    tree: Tree
    place: Location


@dataclass(slots=True)
class Draws:
    """All random givens of a file, its requirements, and its tree."""

    source: Mapping
    drawn: list[Draw] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    relaxed: list[tuple[str, Location]] = field(default_factory=list)
    _checked: tuple[Plan | None, list[Node]] = (None, [])  # the requirements, checked for the last plan

    @property
    def place(self) -> Location:
        return self.source.pairs["draw"][0].place

    def entries(self, stream: Stream) -> dict[str, Texts]:
        """Draw all random givens. Return their entries as texts, by name."""
        return {given.name: self.matrix(given.name, stream) for given in self.drawn}

    def matrix(self, name: str, stream: Stream) -> Texts:
        """Draw a random given. Return its entries as texts. A weight matrix gets no row or column of zeros, because
        this row or column would have no effect.
        """
        given = next(given for given in self.drawn if given.name == name)
        for _ in range(TRIES):
            rows = given.kind.matrix(stream, *given.size)
            if not has_empty_line(name, rows):
                break
        return rows

    def words(self, stream: Stream) -> Words:
        """Draw the labels of all random givens. Return them by name and axis."""
        drawn_words: Words = {}
        for given in self.drawn:
            for axis, labels, count in (("rows", given.rows, given.size[0]), ("columns", given.columns, given.size[1])):
                if labels is not None:
                    drawn_words[f"{given.name} {axis}"] = labels.draw(stream, count)
        return drawn_words

    def tree(self, entries: dict[str, Texts], words: Words) -> Mapping:
        """Return the tree of the problem with these entries and labels. Random givens come before the other givens."""
        given = {
            matrix.name: (Scalar(matrix.name, self.place), self._given(matrix.name, entries, words))
            for matrix in self.drawn
            if matrix not in self.texts
        }
        stated = self.source.get("given")
        inside = Mapping(given | (stated.pairs if isinstance(stated, Mapping) else {}), self.place)
        pairs = {"given" if key == "draw" else key: (Scalar("given", self.place), inside) if key == "draw" else pair
                 for key, pair in self.source.pairs.items() if key not in ("given", "demand", "relax")}  # fmt: skip
        return with_words(
            Mapping(pairs, self.source.place), {matrix.name: entries[matrix.name][0] for matrix in self.texts}
        )

    @property
    def texts(self) -> list[Draw]:
        """The random words. They are for options of lessons, not for givens."""
        return [given for given in self.drawn if isinstance(given.kind, Said)]

    def _given(self, name: str, entries: dict[str, Texts], words: Words) -> Yaml:
        place = self.place
        rows: list[Yaml] = [Sequence([Scalar(text, place) for text in row], place) for row in entries[name]]
        values = rows[0] if len(rows) == 1 else Sequence(rows, place)
        single = isinstance(values, Sequence) and len(values.items) == 1 and len(rows) == 1
        labels = {axis: drawn for axis in ("rows", "columns") if (drawn := words.get(f"{name} {axis}"))}
        if not labels:
            return values.items[0] if single and isinstance(values, Sequence) else values
        lists = {axis: Sequence([Scalar(word, place) for word in drawn], place) for axis, drawn in labels.items()}
        return Mapping({key: (Scalar(key, place), value) for key, value in {**lists, "values": values}.items()}, place)

    def examples(self) -> Iterator[Mapping]:
        """Yield the drawn problems in the order in which `load` tries them."""
        for number in range(1, TRIES + 1):
            stream = Stream("attncalc", "example", number)
            words = self.words(stream)
            yield self.tree(self.entries(stream), words)

    def unmet(
        self,
        plan: Plan,
        full: Callable[[str], Box] | None = None,
        asked: Callable[[set[str]], bool] = lambda keys: True,
    ) -> Relation | None:
        """Return the first requirement that a drawn problem does not meet, or None. `asked` takes the keys that a
        requirement uses, and returns whether to check the requirement.
        """
        full = full or values(plan)
        if self._checked[0] is not plan:
            self._checked = plan, [check(relation.tree, resolver(plan)) for relation in self.relations]
        with working_precision(BITS):
            for relation, node in zip(self.relations, self._checked[1], strict=True):
                if not asked(needs([node])):
                    continue
                if not has_no_zero(evaluate(node, full)):
                    return relation
        return None


def values(plan: Plan) -> Callable[[str], Box]:
    """Return a function that gives the value of a given or step as intervals. Each value is computed once."""
    boxes: dict[str, Box] = {}

    def full(key: str) -> Box:
        if key not in boxes:
            boxes[key] = evaluate(plan.entries[key].node, full)
        return boxes[key]

    return full


def resolver(plan: Plan) -> Callable[[str, int], Node]:
    """Return a function that resolves names in requirements: `S`, or `part.S` if there are several parts."""
    known = {entry.name: entry for part in reversed(plan.parts) for entry in (*part.givens, *part.steps)}
    known |= {f"{part.name}.{step.name}": step for part in plan.parts for step in part.steps if part.name}
    known |= {given.name: given for given in plan.givens}

    def resolve(name: str, at: int) -> Node:
        if name not in known:
            raise FormulaError(f"{shorten(name)} is not defined{did_you_mean(name, list(known))}", at)
        return known[name].reference(name, at)

    return resolve


def check_relations(draws: Draws, plan: Plan, faults: Diagnostics) -> None:
    """Add an error for each requirement that is not a formula over the names of this problem."""
    for relation in draws.relations:
        try:
            check(relation.tree, resolver(plan))
        except FormulaError as error:
            faults.add(f"demand: {error.message}", relation.place.shifted(error.at))


# Requirements in words, which always apply, and their codes. A code under `relax:` removes the requirement.
ALWAYS = {
    "no ties": "ties", "unsaturated": "saturated", "not saturated": "saturated", "no saturation": "saturated",
    "not uniform": "uniform", "no uniform rows": "uniform",
}  # fmt: skip
_SIZE = r"(\d{1,9})\s*(?:×|x|\*|by)\s*(\d{1,9})"
_SIZE_FIRST = re.compile(rf"{_SIZE}\b[,:]?\s*(.*)", re.DOTALL)
_SIZE_LAST = re.compile(rf"(.*?),?\s+{_SIZE}", re.DOTALL)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_draws(tree: Mapping, faults: Diagnostics) -> Draws:
    """Read the random givens of a file. Each error has its location."""
    draws = Draws(tree)
    node, stated = tree.get("draw"), tree.get("given")
    if not isinstance(node, Mapping) or not node.pairs:
        faults.add(
            f"draw: expected a mapping from names to sizes and distributions, found "
            f"{kind_of(node) if node else 'nothing'}",
            draws.place,
        )
        faults.raise_any()
    assert isinstance(node, Mapping)
    if len(node.pairs) > MOST_DRAWN:
        faults.add(f"expected at most {MOST_DRAWN} random givens", node.place)
    for key, value in list(node.items())[:MOST_DRAWN]:
        if fault := name_fault(key.text, "given"):
            faults.add(fault, key.place)
        elif isinstance(stated, Mapping) and key.text in stated:
            faults.add(
                f"{shorten(key.text)} is both under `draw:` and under `given:`; remove the name from one of these keys",
                key.place,
            )
        else:
            try:
                draws.drawn.append(_draw(key.text, value))
            except AttncalcError as error:
                faults.extend(error)
    for given in draws.texts:
        if with_words(tree, {given.name: [given.name, ""]}) == tree:
            message = (
                f"{given.name}: expected a lesson that uses these words, such as byte_pair_merges: "
                f"{{words: {given.name}}}, found none"
            )
            faults.add(message, node.pairs[given.name][1].place)
    draws.relaxed = [(given.text, given.place) for given in _scalars(tree.get("relax"), "relax", faults)]
    draws.relations = list(_relations(tree.get("demand"), {text for text, _ in draws.relaxed}, faults))
    faults.raise_any()
    return draws


def _draw(name: str, value: Yaml) -> Draw:
    """Read `3 × 4 integers -2..2`, or a mapping with labels."""
    if isinstance(value, Scalar):
        return Draw(name, *_sized(name, value))
    if not isinstance(value, Mapping):
        raise AttncalcError(
            f"{name}: expected a text such as `2 × 3 integers -2..2`, or a mapping, found {kind_of(value)}", value.place
        )
    faults = Diagnostics()
    value.reject_unknown(list(KEYS), f"the random givens of {name}", faults)
    faults.raise_any()
    entries = value.get("entries")
    if not isinstance(entries, Scalar):
        raise AttncalcError(f"{name}: expected the key entries:, such as `entries: integers -2..2`", value.place)
    (n, m), drawn = _sized(name, entries)
    if isinstance(size := value.get("size"), Scalar):
        if not (match := re.fullmatch(_SIZE, size.text.strip())):
            raise AttncalcError(f"{name}: expected a size such as 3 × 4, found {kind_of(size)}", size.place)
        n, m = _in_bounds(name, int(match[1]), int(match[2]), size.place)
    rows, n = _labels(name, "rows", value.get("rows"), n)
    columns, m = _labels(name, "columns", value.get("columns"), m)
    for axis, labels, count in (("rows", rows, n), ("columns", columns, m)):
        if labels is not None and not labels.fits(count):
            there = f"{counted(len(labels.words), 'label')} for {counted(count, axis[:-1])}"
            raise AttncalcError(f"{name}: expected as many labels as {axis}; found {there}", value.pairs[axis][1].place)
    _try(name, drawn, (n, m), entries.place)
    return Draw(name, (n, m), drawn, rows, columns)


def _sized(name: str, value: Scalar) -> tuple[tuple[int, int], Kind]:
    text = value.text.strip()
    n = m = "1"
    if len(text) > LONGEST:
        raise AttncalcError(f"{name}: expected at most {LONGEST} characters, found {len(text):,}", value.place)
    if match := _SIZE_FIRST.fullmatch(text):
        n, m, text = match.groups()
    elif match := _SIZE_LAST.fullmatch(text):
        text, n, m = match.groups()
    size = _in_bounds(name, int(n), int(m), value.place)
    if not text.strip():
        message = f"{name}: expected a size and a distribution, found {shorten(value.text.strip())!r}"
        raise AttncalcError(f"{message}; did you mean {n} × {m} integers -2..2?", value.place)
    try:
        drawn = said_words(text) or kind(text)
    except AttncalcError as error:
        message = error.faults[0].message.removeprefix("entries: ")
        raise AttncalcError(f"{name}: {message}", value.place) from None
    _try(name, drawn, size, value.place)
    return size, drawn


def _try(name: str, drawn: Kind, size: tuple[int, int], place: Location) -> None:
    """Raise AttncalcError if a random given is impossible, such as five rising entries from four numbers."""
    try:
        drawn.matrix(Stream("attncalc", "try"), *size)
    except AttncalcError as error:
        raise AttncalcError(f"{name}: {error.faults[0].message.removeprefix('entries: ')}", place) from None


def _in_bounds(name: str, n: int, m: int, place: Location) -> tuple[int, int]:
    if not (1 <= n <= LARGEST_SIZE and 1 <= m <= LARGEST_SIZE):
        raise AttncalcError(f"{name}: expected sizes from 1 to {LARGEST_SIZE}, found {n} × {m}", place)
    return n, m


def _labels(name: str, axis: str, node: Yaml | None, count: int) -> tuple[Labels | None, int]:
    """Return labels and their number, from a list, from `{from: [...]}`, or from a number."""
    if node is None:
        return None, count
    if isinstance(node, Scalar) and re.fullmatch(r"[0-9]{1,5}", node.text):
        return None, _in_bounds(name, int(node.text), 1, node.place)[0]
    inside = node.get("from") if isinstance(node, Mapping) and list(node.pairs) == ["from"] else node
    if (
        not isinstance(inside, Sequence)
        or not inside.items
        or not all(isinstance(item, Scalar) for item in inside.items)
    ):
        message = f"{name}: {axis}: expected a list of labels, {{from: [...]}} or a number, found {kind_of(node)}"
        raise AttncalcError(message, node.place)
    words = tuple(item.text for item in inside.items if isinstance(item, Scalar))
    if inside is not node:
        return Labels(words, drawn=True), count
    return Labels(words), len(words) if count == 1 else count


def _relations(node: Yaml | None, relaxed: set[str], faults: Diagnostics) -> Iterator[Relation]:
    """Yield the requirements that are formulas. Words such as `no ties` need no formula, because they always apply."""
    for text in _scalars(node, "demand", faults):
        if always := ALWAYS.get(text.text.strip()):
            if always in relaxed:
                faults.add(f"demand: {text.text.strip()} contradicts relax: [{always}]; remove one of them", text.place)
            continue
        try:
            yield Relation(text.text.strip(), parse(text.text), text.inside)
        except FormulaError as error:
            message = _words_meant(text.text) or f"demand: {error.message}"
            faults.add(message, text.inside.shifted(error.at))


def _words_meant(text: str) -> str:
    """Return the message about an unknown requirement in words; an empty string if the text does not consist of
    words.
    """
    if not re.fullmatch(r"[a-z]+(?: [a-z]+)+", text.strip()):
        return ""
    near = did_you_mean(text.strip(), list(ALWAYS))
    return (
        f"demand: expected a formula, or a condition such as `no ties` or `unsaturated`, "
        f"found {shorten(text.strip())!r}{near}"
    )


def _scalars(node: Yaml | None, key: str, faults: Diagnostics) -> list[Scalar]:
    items = node.items if isinstance(node, Sequence) else [] if node is None else [node]
    scalars = [item for item in items if isinstance(item, Scalar)]
    for item in items:
        if not isinstance(item, Scalar):
            faults.add(f"{key}: expected a text, found {kind_of(item)}", item.place)
    return scalars
