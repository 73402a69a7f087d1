"""A problem file to a checked Problem, or every fault in it with its line and column."""

from __future__ import annotations

import re
from fractions import Fraction

from ..arithmetic.rounding import MODES, Rounding
from ..errors import AttncalcError, Fault, Faults, FormulaError, Place, counted, did_you_mean, shorten, size
from ..formula.node import LARGEST_MATRIX, LARGEST_SIDE, Entry, Labels, Node, literal
from ..formula.operations import from_entries
from ..formula.parse import LARGEST_EXPONENT, LONGEST_NUMBER, parse
from ..formula.tree import Index, Name, Text, Tree
from ..lessons import LESSONS
from ..lessons.base import Lesson
from ..plan import Given, Plan, Step
from .build import EVERYTHING, Budget, Known, PartBuilder, name_fault
from .expand import expand
from .keys import keys_at
from .kinds import refuse_large, refuse_others
from .model import Asked, Part, Problem
from .text import Mapping, Scalar, Sequence, kind, read_yaml, text_at
from .text import Tree as Yaml

MOST_DIGITS = 1_000
MOST_PARTS = 200

_NUMBER = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?(?:/([0-9]+))?")
_NOT_A_NUMBER = {"nan", ".nan", ".inf", "-.inf", "+.inf", "infinity", "-infinity", "+infinity", "+nan", "-nan", "~", "null"}
_WORDS = {"true", "false", "none"}


def read_problem(data: bytes | str, source: str, name: str) -> Problem:
    """The problem in a YAML text. Raises AttncalcError with all faults."""
    faults = Faults()
    refuse_large(data, "problem", source)
    return build_problem(read_yaml(data, source, faults), source, name, faults)


def build_problem(tree: Yaml, source: str, name: str, faults: Faults | None = None) -> Problem:
    """The problem of a tree of texts, wherever that came from. `faults` are those that its reader found."""
    faults = faults or Faults()
    if not isinstance(tree, Mapping):
        faults.add(f"a problem is a mapping (title:, given:, ...), {kind(tree)} stands there", tree.place)
        raise AttncalcError(faults.found)
    refuse_others(tree, "problem")
    return _Reader(tree, source, name, faults).problem()


class _Reader:
    def __init__(self, tree: Mapping, source: str, name: str, faults: Faults):
        self.tree = tree
        self.source = source
        self.name = name
        self.faults = faults
        self.budget = Budget()
        self.givens: dict[str, Given] = {}
        self.earlier: dict[str, Step] = {}
        self.columns = False
        self.rounding = (Rounding(), "full", False)
        self.known = {*keys_at("problem"), *keys_at("part"), *LESSONS}
        self.broken: set[str] = set()  # givens, parts and their steps whose faults have been told

    def problem(self) -> Problem:
        one_part = "parts" not in self.tree
        known = sorted(self.known if one_part else keys_at("problem"))
        self.tree.reject_unknown(known, "a problem" if one_part else "a problem with parts:", self.faults)
        self.columns = self.word(self.tree, "vectors", ("rows", "columns"), "rows") == "columns"
        rounded = self.word(self.tree, "givens", ("rounded", "exact"), "exact") == "rounded"
        if (version := self.tree.get("format")) is not None and self.text_of(version) != "1":
            self.faults.add(f"format is 1, {kind(version)} stands there", version.place)
        self.rounding = self.read_rounding(self.tree)
        for given in self.read_givens(self.tree, None):
            self.givens[given.name] = given
        parts = self.parts(one_part)
        problem = Problem(
            self.name,
            self.text(self.tree, "title") or self.name,
            Plan(list(self.givens.values()), [part.plan for part in parts]),
            parts,
            self.columns,
            rounded,
            "" if one_part else self.text(self.tree, "ask"),
            self.text(self.tree, "note"),
            self.text(self.tree, "source"),
            self.text(self.tree, "license"),
            self.words(self.tree, "tags"),
            self.places(self.tree, "accept"),
        )
        self.faults.raise_any()
        return problem

    def parts(self, one_part: bool) -> list[Part]:
        if one_part:
            part = self.part(None, self.tree)
            return [part] if part else []
        node = self.tree.get("parts")
        if not isinstance(node, Mapping) or not node.pairs:
            what = f", {kind(node)} stands there" if node else ""
            self.faults.add(f"parts is a mapping of part names to parts{what}", node.place if node else self.tree.place)
            return []
        if len(node.pairs) > MOST_PARTS:
            self.faults.add(f"a problem has at most {MOST_PARTS} parts", node.place)
            return []
        parts = []
        for key, body in node.items():
            if fault := name_fault(key.text, "part"):
                self.faults.add(fault, key.place)
            if not isinstance(body, Mapping):
                self.broken.add(key.text)
                self.faults.add(f"a part is a mapping (ask:, a lesson, steps:), {kind(body)} stands there", body.place)
            elif part := self.part(key.text, body):
                parts.append(part)
        return parts

    # -- one part ------------------------------------------------------------------------------------------------------

    def part(self, name: str | None, body: Mapping) -> Part | None:
        if name is not None:
            body.reject_unknown(keys_at("part") + list(LESSONS), "a part", self.faults)
        builder = PartBuilder(name, self.givens, self.earlier, {}, self.columns, self.budget)
        builder.broken |= self.broken
        if name is not None:
            for given in self.read_givens(body, name, builder):
                del given  # read_givens puts them into the builder, where later ones find them
        builder.pins = self.read_pins(body, builder)
        sound = self.read_work(body, builder)
        if name is not None:
            self.earlier |= {f"{name}.{step.name}": step for step in builder.steps.values()}
            self.broken |= {f"{name}.{broken}" for broken in builder.broken - self.broken}
        if sound:
            for pinned, (_, place) in builder.pins.items():
                if pinned not in builder.steps and not builder.is_broken(pinned):
                    self.faults.add(f"pin: no step is called {shorten(pinned)!r}{did_you_mean(pinned, list(builder.steps))}", place)
        rounding, carry, stated = self.read_rounding(body) if "rounding" in body and name is not None else self.rounding
        if not stated:  # a learning rate of four decimals would say nothing
            own = max((LESSONS[lesson].digits for lesson in builder.plan.lessons.values()), default=0)
            rounding = Rounding(max(rounding.digits, own), rounding.mode)
        return Part(
            name,
            builder.plan,
            self.text(body, "ask"),
            self.text(body, "title") if name is not None else "",
            self.text(body, "note") if name is not None else "",
            self.text(body, "source") if name is not None else "",
            self.words(body, "tags") if name is not None else [],
            self.read_asked(body, builder, sound),
            "asked" in body,
            self.read_points(body, builder, sound),
            rounding,
            carry,
            stated,
            self.places(body, "accept"),
        )

    def read_work(self, body: Mapping, builder: PartBuilder) -> bool:
        """The part's lesson, then its steps. False where it cannot be known what steps the author meant."""
        lessons = [(key, value) for key, value in body.items() if key.text in LESSONS]
        steps = body.get("steps")
        if not lessons and steps is None:
            if any(did_you_mean(key.text, list(LESSONS)) for key, _ in body.items() if key.text not in keys_at("problem part")):
                return False  # a lesson's name with a slip in it, told already
            where = body.place if builder.plan.name else self.tree.place
            self.faults.add("a lesson (such as self_attention:) or steps: is required; there is neither", where)
            return False
        if isinstance(steps, Mapping):
            builder.later = {key.text for key, _ in steps.items()}
        for key, _ in lessons[1:]:
            self.faults.add(f"a part holds one lesson; put {key.text} under steps with a name of its own", key.place)
        for key, value in lessons[:1]:
            self.guarded(lambda key=key, value=value: self.read_lesson(key, value, builder))
        if steps is not None and not isinstance(steps, Mapping):
            self.faults.add(f"steps is a mapping of names to formulas, {kind(steps)} stands there", steps.place)
            return False
        for key, value in steps.items() if steps else ():
            self.guarded(lambda key=key, value=value: self.read_step(key, value, builder))
            builder.later.discard(key.text)
        return len(lessons) < 2 and all(key.text in self.known for key, _ in body.items())

    def guarded(self, action) -> None:  # type: ignore[no-untyped-def]
        try:
            action()
        except AttncalcError as error:
            self.faults.extend(error)

    def read_step(self, key: Scalar, value: Yaml, builder: PartBuilder) -> None:
        if fault := name_fault(key.text, "step"):
            builder.broken.add(key.text)
            raise AttncalcError(Fault(fault, key.place))
        if isinstance(value, Mapping):
            lessons = [(k, v) for k, v in value.items() if k.text in LESSONS]
            if len(value.pairs) != 1 or not lessons:
                builder.broken.add(key.text)
                near = "" if lessons else did_you_mean(next(iter(value.pairs), ""), list(LESSONS))
                raise AttncalcError(Fault(f"{key.text}: a formula or one lesson is required, {kind(value)} stands there{near}", value.place))
            self.read_lesson(*lessons[0], builder, prefix=key.text)
            return
        if isinstance(value, Sequence):
            builder.broken.add(key.text)
            raise AttncalcError(
                Fault(f"{key.text}: a formula is required, a list stands there; matrices stand under given:", value.place)
            )
        place = value.inside
        try:
            tree = parse(value.text)
        except FormulaError as error:
            builder.broken.add(key.text)
            raise AttncalcError(Fault(f"{key.text}: {error.message}", place.shifted(error.at))) from None
        builder.add_step(key.text, tree, place)

    def read_lesson(self, key: Scalar, value: Yaml, builder: PartBuilder, prefix: str = "") -> None:
        lesson = LESSONS[key.text]
        arguments: dict[str, Tree] = {}
        places: dict[str, Place] = {}
        faults = Faults()
        if isinstance(value, Scalar) and not value.text:
            value = Mapping({}, value.place)
        if not isinstance(value, Mapping):
            self.break_lesson(lesson, builder, prefix)
            raise AttncalcError(
                Fault(f"{lesson.name} takes a mapping of inputs and options ({{}} for none), {kind(value)} stands there", value.place)
            )
        for name, argument in value.items():
            places[name.text] = argument.inside if isinstance(argument, Scalar) else argument.place
            option = lesson.option(name.text)
            try:
                arguments[name.text] = self.argument(name, argument, option is not None and option.kind in ("word", "text"))
            except AttncalcError as error:
                faults.extend(error)
        try:
            faults.raise_any()
            expand(builder, lesson, arguments, places, key.place, prefix)
        except AttncalcError:
            self.break_lesson(lesson, builder, prefix)
            raise
        except Known:  # an input's own fault has been told
            self.break_lesson(lesson, builder, prefix)

    def break_lesson(self, lesson: Lesson, builder: PartBuilder, prefix: str) -> None:
        """The steps that a lesson with a fault did not make count as told."""
        builder.broken |= {prefix} if prefix else {re.sub(r"_\d+$", "", step) for step in lesson.steps}

    def argument(self, name: Scalar, argument: Yaml, word: bool) -> Tree:
        if not isinstance(argument, Scalar):
            raise AttncalcError(
                Fault(f"{name.text}: a formula or a word is required, {kind(argument)} stands there; matrices stand under given:", argument.place)
            )
        if word or argument.text in _WORDS:
            return Name(argument.text) if argument.text in _WORDS else Text(argument.text)
        try:
            return parse(argument.text)
        except FormulaError as error:
            raise AttncalcError(Fault(f"{name.text}: {error.message}", argument.inside.shifted(error.at))) from None

    # -- givens --------------------------------------------------------------------------------------------------------

    def read_givens(self, body: Mapping, part: str | None, builder: PartBuilder | None = None) -> list[Given]:
        node = body.get("given")
        if node is None:
            return []
        if not isinstance(node, Mapping):
            self.faults.add(f"given is a mapping of names to matrices and numbers, {kind(node)} stands there", node.place)
            (builder or self).broken.add(EVERYTHING)
            return []
        found: dict[str, Given] = {}
        scope = builder or PartBuilder(None, found, {}, {}, self.columns, self.budget)
        scope.later = {key.text for key, _ in node.items()}
        for key, value in node.items():
            if fault := name_fault(key.text, "given"):
                self.faults.add(fault, key.place)
                scope.broken.add(key.text)
                continue
            try:
                matrix, texts = self.matrix(value, scope, key.text)
            except AttncalcError as error:
                self.faults.extend(error)
                scope.broken.add(key.text)
                continue
            finally:
                scope.later.discard(key.text)
            where = f"given:{part}:{key.text}" if part else f"given:{key.text}"
            found[key.text] = Given(where, key.text, matrix, part, texts, value.place)
            if builder:
                builder.add_given(found[key.text])
        if builder is None:
            self.broken |= scope.broken
        return list(found.values())

    def matrix(self, value: Yaml, scope: PartBuilder, what: str) -> tuple[Node, tuple[tuple[str, ...], ...] | None]:
        """A matrix or a number as it stands in the file, with the entries' own texts."""
        faults = Faults()
        rows = columns = None
        place = value.place
        if isinstance(value, Mapping):
            value.reject_unknown(["rows", "columns", "values", "note"], f"the given {what}", faults)
            inside = value.get("values")
            if inside is None:
                faults.add(f"{what}: values: is required beside the labels", value.place)
            faults.raise_any()
            rows, columns = value.get("rows"), value.get("columns")
            value = inside  # type: ignore[assignment]
        try:
            scope.budget.step()
            if isinstance(value, Scalar) and value.style != "block":
                node, texts = self.formula_given(value, scope, what)
            else:
                node, texts = self.entries(self.cells(value, what), scope, what)
                scope.budget.spend(node)
        except Known:
            raise AttncalcError([]) from None
        except FormulaError as error:
            raise AttncalcError(Fault(f"{what}: {error.message}", place)) from None
        for axis, stated in (("rows", rows), ("columns", columns)):
            try:
                if labels := self.labels(stated, node.shape[axis == "columns"], what, axis):
                    setattr(node, axis, labels)
            except AttncalcError as error:
                faults.extend(error)
        faults.raise_any()
        return node, texts

    def formula_given(self, value: Scalar, scope: PartBuilder, what: str) -> tuple[Node, tuple[tuple[str, ...], ...] | None]:
        exact = self.number(value, what)
        if exact is not None:
            return literal(((exact,),)), ((value.text.strip(),),)
        return self.entry_node(value, scope, what), None

    def number(self, value: Scalar, what: str) -> Entry | None:
        """The number that a scalar is, None where it is a formula."""
        try:
            return _exact(value.text)
        except FormulaError as error:
            raise AttncalcError(Fault(f"{what}: {error.message}", value.inside)) from None

    def entry_node(self, value: Scalar, scope: PartBuilder, what: str) -> Node:
        try:
            return scope.check(parse(value.text))
        except Known:
            raise AttncalcError([]) from None
        except FormulaError as error:
            raise AttncalcError(Fault(f"{what}: {error.message}", value.inside.shifted(error.at))) from None

    def cells(self, value: Yaml, what: str) -> list[list[Scalar]]:
        """The entries of nested lists, of a flat list, or of a block with a row a line."""
        rows: list[list[Scalar]]
        if isinstance(value, Scalar):
            rows = _block(value)
        elif isinstance(value, Sequence) and value.items and all(isinstance(x, Scalar) for x in value.items):
            rows = [[x for x in value.items if isinstance(x, Scalar)]]
        elif isinstance(value, Sequence):
            rows = [self.row(item, what) for item in value.items]
        else:
            raise AttncalcError(Fault(f"{what}: a matrix is required, {kind(value)} stands there", value.place))
        self.check_rectangle(rows, value, what)
        return rows

    def row(self, item: Yaml, what: str) -> list[Scalar]:
        if not isinstance(item, Sequence):
            raise AttncalcError(Fault(f"{what}: a row is a list of numbers, {kind(item)} stands there", item.place))
        if not item.items:
            raise AttncalcError(Fault(f"{what}: a row needs at least one number, this one is empty", item.place))
        cells = [x for x in item.items if isinstance(x, Scalar)]
        for x in item.items if len(cells) < len(item.items) else []:
            if not isinstance(x, Scalar):
                raise AttncalcError(Fault(f"{what}: a number is required, {kind(x)} stands there; matrices have two dimensions", x.place))
        return cells

    def check_rectangle(self, rows: list[list[Scalar]], value: Yaml, what: str) -> None:
        if not rows:
            raise AttncalcError(Fault(f"{what}: a matrix needs at least one row and one column, this one is empty", value.place))
        width = len(rows[0])
        faults = [
            Fault(f"{what}: row {k} has {counted(len(row), 'entry')}, row 0 has {width}", row[0].place)
            for k, row in enumerate(rows)
            if len(row) != width
        ]
        if faults:
            raise AttncalcError(faults[:5])
        if max(len(rows), width) > LARGEST_SIDE or len(rows) * width > LARGEST_MATRIX:
            raise AttncalcError(
                Fault(
                    f"{what}: a matrix has at most {LARGEST_SIDE:,} rows or columns and {LARGEST_MATRIX:,} entries; "
                    f"this one is {size((len(rows), width))}",
                    value.place,
                )
            )

    def entries(self, cells: list[list[Scalar]], scope: PartBuilder, what: str) -> tuple[Node, tuple[tuple[str, ...], ...]]:
        faults = Faults()
        exact: list[list[Entry | None]] = []
        nodes: dict[tuple[int, int], Node] = {}
        for i, row in enumerate(cells):
            exact.append([])
            for j, cell in enumerate(row):
                number: Entry | None = None
                try:
                    number = _exact(cell.text)
                    if number is None:
                        nodes[i, j] = self.single(cell, scope, f"{what}, row {i}, column {j}")
                        number = nodes[i, j].static
                except FormulaError as error:
                    faults.add(f"{what}, row {i}, column {j}: {error.message}", cell.inside)
                except AttncalcError as error:
                    faults.extend(error)
                exact[-1].append(number)
        faults.raise_any()
        texts = tuple(tuple(cell.text for cell in row) for row in cells)
        if all(x is not None for row in exact for x in row):
            return literal(tuple(tuple(x for x in row if x is not None) for row in exact)), texts
        grid = [
            [nodes[i, j] if (i, j) in nodes else literal(((x,),)) for j, x in enumerate(row)]  # type: ignore[arg-type]
            for i, row in enumerate(exact)
        ]
        return from_entries(grid, None, None), texts

    def single(self, cell: Scalar, scope: PartBuilder, what: str) -> Node:
        node = self.entry_node(cell, scope, what)
        if node.shape != (1, 1):
            raise AttncalcError(Fault(f"{what}: a single number is required, {shorten(cell.text)!r} is {size(node.shape)}", cell.place))
        return node

    def labels(self, node: Yaml | None, count: int, what: str, axis: str) -> Labels:
        if node is None:
            return None
        if not isinstance(node, Sequence):
            raise AttncalcError(Fault(f"{what}: {axis} is a list of labels, {kind(node)} stands there", node.place))
        for x in node.items:
            if not isinstance(x, Scalar):
                raise AttncalcError(Fault(f"{what}: a label is a word or a text, {kind(x)} stands there", x.place))
        if len(node.items) != count:
            needed = f"{counted(count, 'label')} for the {axis} {'is' if count == 1 else 'are'}"
            raise AttncalcError(Fault(f"{what}: {needed} required, the list has {len(node.items)}", node.place))
        return tuple(x.text for x in node.items if isinstance(x, Scalar))

    # -- pins, asked, points, rounding -----------------------------------------------------------------------------------

    def read_pins(self, body: Mapping, builder: PartBuilder) -> dict[str, tuple[Node, Place]]:
        node = body.get("pin")
        if node is None:
            return {}
        if not isinstance(node, Mapping):
            self.faults.add(f"pin is a mapping of steps to matrices, {kind(node)} stands there", node.place)
            return {}
        pins = {}
        for key, value in node.items():
            try:
                pins[key.text] = (self.matrix(value, builder, f"pin: {key.text}")[0], value.place)
            except AttncalcError as error:
                self.faults.extend(error)
        return pins

    def read_asked(self, body: Mapping, builder: PartBuilder, sound: bool) -> list[Asked]:
        node = body.get("asked")
        if node is None:
            return [Asked(s.name, s.name) for s in builder.plan.steps if not s.given]
        if not isinstance(node, Sequence):
            self.faults.add(f"asked is a list of steps, {kind(node)} stands there", node.place)
            return []
        asked = []
        for item in node.items:
            if not isinstance(item, Scalar):
                self.faults.add(f'a step is required, {kind(item)} stands there; a slice needs quotes: "Z[0]"', item.place)
            elif sound:
                try:
                    asked.append(self.asked_step(item, builder))
                except Known:
                    continue
                except FormulaError as error:
                    self.faults.add(f"asked: {error.message}", item.inside.shifted(error.at))
        return asked

    def asked_step(self, item: Scalar, builder: PartBuilder) -> Asked:
        tree = parse(item.text)
        name = tree.operand if isinstance(tree, Index) else tree
        if not isinstance(name, Name):
            raise FormulaError("a step or a slice of one is required, such as Z or Z[0]")
        if name.name not in builder.steps and builder.is_broken(name.name):
            raise Known
        if name.name not in builder.steps:
            raise FormulaError(f"no step is called {shorten(name.name)!r}{did_you_mean(name.name, list(builder.steps))}")
        if not isinstance(tree, Index):
            return Asked(item.text, name.name)
        rows, columns = builder.check(tree).params
        return Asked(item.text, name.name, rows, columns)

    def read_points(self, body: Mapping, builder: PartBuilder, sound: bool) -> Fraction | dict[str, Fraction] | None:
        node = body.get("points")
        if node is None:
            return None
        if isinstance(node, Scalar):
            return self.points(node, "points")
        if isinstance(node, Sequence):
            self.faults.add("points is a number, or a number for each step, a list stands there", node.place)
            return None
        shared: dict[str, Fraction] = {}
        for key, value in node.items():
            try:
                if sound:
                    self.asked_step(key, builder)
            except Known:
                pass
            except FormulaError as error:
                self.faults.add(f"points: {error.message}", key.inside.shifted(error.at))
            shared[key.text] = self.points(value, f"points of {key.text}") or Fraction(0)
        return shared

    def points(self, node: Yaml, what: str) -> Fraction | None:
        try:
            value = _exact(node.text) if isinstance(node, Scalar) else None
        except FormulaError:
            value = None
        if not isinstance(value, Fraction) or not 0 <= value <= 10**6:
            self.faults.add(f"{what}: a number from 0 to 1,000,000 is required, {kind(node)} stands there", node.place)
            return None
        return value

    def read_rounding(self, body: Mapping) -> tuple[Rounding, str, bool]:
        node = body.get("rounding")
        if node is None:
            return Rounding(), "full", False
        if not isinstance(node, Mapping):
            self.faults.add(f"rounding is a mapping such as {{digits: 4, mode: half_up}}, {kind(node)} stands there", node.place)
            return Rounding(), "full", False
        node.reject_unknown(["digits", "mode", "carry"], "rounding", self.faults)
        digits = 4
        if (stated := node.get("digits")) is not None:
            text = self.text_of(stated)
            if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > MOST_DIGITS:
                self.faults.add(f"digits is a whole number from 0 to {MOST_DIGITS}, {kind(stated)} stands there", stated.place)
            else:
                digits = int(text)
        mode = self.word(node, "mode", MODES, "half_up")
        return Rounding(digits, mode), self.word(node, "carry", ("full", "printed"), "full"), True

    # -- texts -----------------------------------------------------------------------------------------------------------

    def word(self, body: Mapping, key: str, words: tuple[str, ...], default: str) -> str:
        node = body.get(key)
        if node is None:
            return default
        text = self.text_of(node)
        if text not in words:
            self.faults.add(f"{key} is one of {', '.join(words)}; {kind(node)} stands there{did_you_mean(text, words)}", node.place)
            return default
        return text

    def text_of(self, node: Yaml) -> str:
        return node.text if isinstance(node, Scalar) else ""

    def text(self, body: Mapping, key: str) -> str:
        return text_at(body, key, self.faults)

    def words(self, body: Mapping, key: str) -> list[str]:
        return list(self.places(body, key))

    def places(self, body: Mapping, key: str) -> dict[str, Place]:
        """A list of words, each with where it stands."""
        node = body.get(key)
        if node is None:
            return {}
        if isinstance(node, Scalar):
            return {node.text: node.place}
        odd = node if not isinstance(node, Sequence) else next((x for x in node.items if not isinstance(x, Scalar)), None)
        if odd is not None:
            self.faults.add(f"{key} is a list of words, {kind(odd)} stands {'there' if odd is node else 'in it'}", odd.place)
            return {}
        return {x.text: x.place for x in node.items if isinstance(x, Scalar)}  # type: ignore[union-attr]


def _block(value: Scalar) -> list[list[Scalar]]:
    """The words of a block of text, a row a line, each with its place."""
    first, lines = value.inside, value.text.splitlines()
    above = next((k for k, line in enumerate(lines) if line.strip()), 0)
    indent = first.column - (len(lines[above]) - len(lines[above].lstrip())) if value.file and lines else 1

    def cell(k: int, word: re.Match[str]) -> Scalar:
        return Scalar(word.group(), Place(first.source, first.line - above + k if value.file else k + 1, indent + word.start()))

    rows = [[cell(k, word) for word in re.finditer(r"\S+", line)] for k, line in enumerate(lines)]
    return [row for row in rows if row]


def _exact(written: str) -> Entry | None:
    """The number that a text is, None where it is a formula."""
    text = written.strip().replace("−", "-").replace("∞", "inf")
    if text.lstrip("+-") == "inf" and len(text) < 5:
        return float("-inf") if text.startswith("-") else float("inf")
    match = _NUMBER.fullmatch(text)
    if match is None:
        if text.lower() in _NOT_A_NUMBER:
            raise FormulaError(f"a number, inf or -inf is required, {shorten(text)!r} stands there")
        if not text:
            raise FormulaError("a number is required, nothing stands there")
        return None
    sign, mantissa, exponent, below = match.groups()
    longest = max(len(mantissa), len(below or ""))
    if longest > LONGEST_NUMBER + 1:
        raise FormulaError(f"a number has at most {LONGEST_NUMBER} digits; this one has {longest}")
    if exponent and (len(exponent) > 6 or abs(int(exponent)) > LARGEST_EXPONENT):
        raise FormulaError(f"exponents go from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}; {shorten(text)!r} stands there")
    if below is not None and not int(below):
        raise FormulaError(f"division by zero in {shorten(text)!r}")
    return Fraction(sign + mantissa + (f"e{exponent}" if exponent else "")) / int(below or 1)
