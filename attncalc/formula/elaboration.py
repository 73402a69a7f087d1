"""Converts the tree of a formula to nodes: resolves names, computes shapes and labels, and replaces shorthands."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .. import limits
from ..errors import FormulaError, counted, did_you_mean, shorten, size
from . import operations as op
from . import shape_rules as do
from .derived_functions import LABELS
from .functions import Function, Parameter, functions, internal_functions, operators
from .operations import literal, needed, scalar
from .parser import parse, read
from .syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Text,
    Transpose,
    Tree,
    is_comparison,
    is_shorthand,
    places,
    rewrite,
    substitute,
    unparse,
)
from .typed_formula import Node, labelled

Resolve = Callable[[str, int], Node]
Argument = Node | int | str | None  # the argument of a function: a matrix, a whole number or a word

NO_FUNCTION = "there is no function"
_QUOTED_NUMBER = re.compile(r"[-+−]?[0-9]*\.?[0-9]+(?:/[0-9]+)?")
_ENTRYWISE: dict[str, type[op.Binary]] = {o.sign: o for o in (op.Add, op.Sub, op.Mul, op.Div, op.Pow)}


def check(
    tree: Tree,
    resolve: Resolve,
    spend: Callable[[Node], None] | None = None,
    typed: bool = False,
    known: dict[Tree, Node] | None = None,
) -> Node:
    """Return a formula with checked shapes.

    `resolve` returns the node of a name. `spend` is called with each operation. Both may raise FormulaError. If `typed`
    is True, the author wrote the formula, and a slice that selects all rows or columns is an error. `known` holds the
    parts of other formulas with the same names; the parts of this formula are added.
    """
    try:
        return _Checker(resolve, spend or (lambda node: None), typed=typed, known=known).node(tree)
    except RecursionError:
        raise FormulaError(limits.NESTED_OPERATIONS.exceeded("more")) from None


def canonical(tree: Tree) -> Tree:
    """Return the formula with required arguments by position and optional arguments by name: `softmax(A=S)` becomes
    `softmax(S)`.
    """

    def change(part: Tree) -> Tree | None:
        function = functions().get(part.function) if isinstance(part, Call) else None
        if not isinstance(part, Call) or function is None or function.variadic:
            return None
        given = {p.name: canonical(value) for p, value in zip(function.parameters, part.arguments, strict=False)}
        given |= {name: canonical(value) for name, value in part.options}
        needed = tuple(given.pop(p.name) for p in function.parameters if p.default is None and p.name in given)
        return Call(part.function, needed, tuple(given.items()), part.at)

    return rewrite(tree, change)


@lru_cache(maxsize=256)
def removed_axis(call: Call) -> str:
    """Return the axis that a function of a matrix removes: "rows" if it combines each column into one entry, "columns"
    if it combines each row, and "" if it keeps both or removes both.
    """
    if len(call.arguments) != 1:
        return ""
    example = literal(((Fraction(1), Fraction(2), Fraction(3)),) * 2)
    try:
        shape = check(Call(call.function, (Name("A"),), call.options), lambda name, at: example).shape
    except FormulaError:  # the function needs a square matrix
        return ""
    return {(1, 3): "rows", (2, 1): "columns"}.get(shape, "")


class _Definition(NamedTuple):
    """The context of a defining formula: the arguments and the offset of the call, and the nodes that already exist.

    Equal parts share a node, so that a layer norm computes A − row_mean(A) once.
    """

    given: dict[str, Tree]
    at: int
    made: dict[tuple[object, ...], Node]


class _Checker:
    def __init__(
        self,
        resolve: Resolve,
        spend: Callable[[Node], None],
        inside: _Definition | None = None,
        typed: bool = False,
        known: dict[Tree, Node] | None = None,
    ):
        self.typed = typed
        self.known = known
        self.resolve = resolve
        self.spend = spend
        self.inside = inside

    def node(self, tree: Tree) -> Node:
        if self.known is None or isinstance(tree, Name):
            return self.new_node(tree)
        node = self.known.get(tree)
        if node is None:
            node = self.known[tree] = self.new_node(tree)
        return node

    def new_node(self, tree: Tree) -> Node:
        node = self.build(tree)
        if isinstance(tree, Call) or is_shorthand(tree) or node.tree is None and not node.name:
            node.tree = substitute(tree, self.inside.given) if self.inside else tree
            node.at = self.inside.at if self.inside else node.at
            self.spend(node)
        return node

    def build(self, tree: Tree) -> Node:
        match tree:
            case Number():
                return scalar(tree.value, tree.at)
            case Name("inf"):
                return literal(((float("inf"),),), at=tree.at)
            case Name("e") if definition := self.named_e(tree.at):
                return definition
            case Name("e" | "pi"):
                exponent = scalar(Fraction(1), tree.at)
                return do.unary(op.Exp, exponent, tree.at) if tree.name == "e" else op.Pi((), (1, 1), at=tree.at)
            case Name(name):
                return self.resolve(name, tree.at)
            case Text(value):
                repair = "; remove the quotes" if _QUOTED_NUMBER.fullmatch(value) else ""
                raise FormulaError(f"expected a matrix or a number, found the text {shorten(value)!r}{repair}", tree.at)
            case Negate(Name("inf")):
                return literal(((float("-inf"),),), at=tree.at)
            case Negate(a):
                return do.negate(self.node(a), tree.at)
            case Transpose(a):
                return do.transpose(self.node(a), tree.at)
            case Binary("@", a, b):
                return do.matmul(self.node(a), self.node(b), tree.at)
            case Binary(operator, a, b) if is_shorthand(tree):
                return self.define(operators()[operator], {"A": self.node(a), "B": self.node(b)}, tree)
            case Binary(operator, a, b):
                left, right = self.node(a), self.node(b)
                return self.once(
                    (operator, left, right), lambda: do.entrywise(_ENTRYWISE[operator], left, right, tree.at)
                )
            case Index():
                return self.index(tree)
            case Call():
                return self.call(tree)

    def once(self, parts: tuple[object, ...], make: Callable[[], Node]) -> Node:
        """Make a node. Inside a defining formula, return an existing node if it has the same parts."""
        if self.inside is None:
            return make()
        made = self.inside.made
        if parts in made:
            made[parts].shared = True
        else:
            made[parts] = make()
        return made[parts]

    def named_e(self, at: int) -> Node | None:
        """Return the given or step with the name e. Return None if e is Euler's number, as in defining formulas."""
        try:
            return None if self.inside else self.resolve("e", at)
        except FormulaError:
            return None

    def index(self, tree: Index) -> Node:
        a = self.node(tree.operand)
        rows = self.positions(tree.rows, a, 0, tree, self.columns_instead(tree, a) if a.shape[0] == 1 else "")
        columns = None if tree.columns is None else self.positions(tree.columns, a, 1, tree)
        if places(tree.rows) is not None and places(tree.columns) is not None:
            message = (
                "two lists in one index select individual entries in NumPy; to select a block, "
                "write one index after the other, as in A[[0, 2]][:, [0, 1]]"
            )
            raise FormulaError(message, tree.at)
        bounded = any(isinstance(item, Slice) and any(item) for item in (tree.rows, tree.columns))
        whole = rows == list(range(a.shape[0])) and columns in (None, list(range(a.shape[1])))
        if bounded and self.typed and whole:
            hint = self.columns_instead(tree, a) if columns is None else ""
            meant = hint if hint == f"; write {unparse(tree.operand)}" else f"; write {unparse(tree.operand)}{hint}"
            raise FormulaError(f"this slice selects the whole matrix {a.written} ({size(a.shape)}){meant}", tree.at)
        return do.take(a, rows, columns, tree.at)

    def columns_instead(self, tree: Index, a: Node) -> str:
        """Return a suggestion if an index of rows may be meant for columns; an empty string if it does not fit the
        columns.
        """
        try:
            columns = self.positions(tree.rows, a, 1, tree)
        except FormulaError:
            return ""
        if columns == list(range(a.shape[1])):
            return f"; write {unparse(tree.operand)}"
        return f"; to select columns, write {_of_columns(tree)}"

    def positions(self, item: Tree | Slice, a: Node, axis: int, tree: Index, otherwise: str = "") -> list[int]:
        count = a.shape[axis]
        word = ("row", "column")[axis]
        labels = (a.rows, a.columns)[axis]
        if isinstance(item, Slice):
            start, stop, step = (None if part is None else self.whole(part, "a slice's end") for part in item)
            if step == 0:
                raise FormulaError("a slice's step: expected a whole number other than 0, found 0", tree.at)
            beyond = [b for b, last in ((start, count - 1), (stop, count)) if b is not None and b > last]
            if beyond:
                hint = otherwise if count == 1 else ""  # authors who take a slice of a row often mean its columns
                message = f"{a.written} has {counted(count, word)}; the slice's bound {max(beyond)} is too large{hint}"
                raise FormulaError(message, tree.at)
            if not (chosen := list(range(count))[start:stop:step]):
                raise FormulaError(f"this slice is empty; {a.written} has {counted(count, word)}", tree.at)
            return chosen
        if (listed := places(item)) is not None:
            return [place for index in listed for place in self.positions(index, a, axis, tree, otherwise)]
        if isinstance(item, Text):
            return [labelled(item.value, labels, a.written, word, item.at)]
        if isinstance(item, Name) and item.name in (labels or ()) and self.unknown(item):
            raise FormulaError(f"{item.name} is a label of {a.written}; write the label in quotes", item.at)
        if isinstance(item, Binary) and is_comparison(item) and self.node(item).shape != (1, 1):
            what = "a condition cannot be an index, because it would select entries by their values"
            instead = "write the indices, as in A[[0, 2]], or set the other entries to 0 with A * (A > 0)"
            raise FormulaError(f"{what}; {instead}", tree.at)
        place = self.whole(item, f"the index of a {word}")
        if not -count <= place < count:
            hint = otherwise if count == 1 and item not in (tree.rows, tree.columns) else ""
            message = f"{a.written} has {counted(count, word)}, with the indices 0 to {count - 1}; found {place}{hint}"
            raise FormulaError(message, item.at)
        return [place % count]

    def unknown(self, name: Name) -> bool:
        try:
            self.resolve(name.name, name.at)
        except FormulaError:
            return True
        return False

    def whole(self, tree: Tree, what: str) -> int:
        if isinstance(tree, Number) and tree.text.isdecimal() and len(tree.text) < 10:  # most indices have this form
            return int(tree.text)
        node = self.node(tree)
        if node.static is not None and abs(node.static) > limits.WHOLE.most:
            raise FormulaError(f"{what}: {limits.WHOLE.exceeded(shorten(node.written))}", tree.at)
        if node.static is None and isinstance(tree, Binary) and node.bits >= do.STATIC_BITS and not needed(node):
            raise FormulaError(f"{what}: {limits.WHOLE.exceeded(shorten(node.written))}", tree.at)
        if node.static is None or node.static.denominator != 1:
            constant = "" if isinstance(tree, Number | Negate) else " constant"
            raise FormulaError(f"{what}: expected a{constant} whole number, found {node.written}", tree.at)
        return int(node.static)

    def call(self, tree: Call) -> Node:
        function = functions().get(tree.function)
        if function is None and self.inside:
            function = internal_functions().get(tree.function)
        if function is None:
            from .compat.foreign_functions import near_function  # imported here, because only an error needs it

            near = near_function(tree.function)
            is_name = not self.inside and not self.unknown(Name(tree.function))
            index = "; an index has square brackets and counts from 0, as in A[0, 1]" * is_name
            raise FormulaError(f"{NO_FUNCTION} {shorten(tree.function)}{index}", tree.at, proposal=near)
        if function.variadic and function.build is not None:
            if not tree.arguments or tree.options:
                raise FormulaError(f"{function.signature} needs at least one matrix, and has no options", tree.at)
            return function.build(*[self.node(a) for a in tree.arguments], at=tree.at)
        bound = self.bind(function, tree)
        if function.build is not None and (function.formula is None or self.formula(function, bound, tree) is None):
            return function.build(**bound, at=self.inside.at if self.inside else tree.at)
        return self.once((function.name, *bound.values()), lambda: self.define(function, bound, tree))

    def formula(self, function: Function, bound: dict[str, Argument], call: Call | Binary) -> str | None:
        """Return the defining formula of a function for the arguments of a call."""
        if function.formula is None or isinstance(function.formula, str):
            return function.formula
        try:
            return function.formula(**bound)
        except FormulaError as error:
            raise self.call_error(function, error, call) from None

    def call_error(self, function: Function, error: FormulaError, call: Call | Binary) -> FormulaError:
        message = error.description if self.inside else f"in {function.name}: {error.description}"
        return type(error)(message, call.at)

    def bind(self, function: Function, tree: Call) -> dict[str, Argument]:
        given = self.arguments(function, tree)
        bound: dict[str, Argument] = {}
        for parameter in function.parameters:
            value = given.get(parameter.name)
            if value is None and parameter.default is None:
                raise FormulaError(f"{function.signature} needs {parameter.name}", tree.at)
            if value is None and parameter.default == "none":
                bound[parameter.name] = None
            elif value is None and parameter.kind == "word":
                bound[parameter.name] = parameter.default
            elif value is None:
                plain = _Checker(_no_name, self.spend, self.inside or _Definition({}, tree.at, {}))
                bound[parameter.name] = plain.argument(function, parameter, parse(str(parameter.default)))
            else:
                bound[parameter.name] = self.argument(function, parameter, value)
        return bound

    def arguments(self, function: Function, tree: Call) -> dict[str, Tree]:
        known = [p.name for p in function.parameters]
        if len(tree.arguments) > len(known):
            raise FormulaError(
                f"{function.signature} takes at most {counted(len(known), 'argument')}; found {len(tree.arguments)}",
                tree.at,
            )
        given = dict(zip(known, tree.arguments, strict=False))
        for name, value in tree.options:
            if name not in known:
                message = f"{function.signature} has no option {shorten(name)}"
                raise FormulaError(message, value.at, proposal=did_you_mean(name, known))
            if name in given:
                raise FormulaError(f"{function.name}: the option {name} occurs twice", value.at)
            given[name] = value
        return given

    def argument(self, function: Function, parameter: Parameter, tree: Tree) -> Argument:
        what = f"{function.name}: {parameter.name}"
        match parameter.kind:
            case "word" | "text":
                word = tree.value if isinstance(tree, Text) else unparse(tree)
                if parameter.words and word not in parameter.words:
                    choices = ", ".join(f'"{w}"' for w in parameter.words)
                    message = f"{what}: expected one of {choices}, found {shorten(word)!r}"
                    raise FormulaError(message, tree.at, proposal=did_you_mean(word, parameter.words))
                return word
            case "whole":
                return self.whole(tree, what)
            case "scalar" | "positive":
                node = self.node(tree)
                if node.shape != (1, 1):
                    raise FormulaError(f"{what} must be a single number; {node.written} is {size(node.shape)}", tree.at)
                if parameter.kind == "positive" and node.static is not None and node.static <= 0:
                    raise FormulaError(f"{what}: expected a number above 0, found {node.written}", tree.at)
                return node
            case _:
                return self.node(tree)

    def define(self, function: Function, bound: dict[str, Argument], call: Call | Binary) -> Node:
        """Return the node of the defining formula with the arguments of the call."""
        at, made = (self.inside.at, self.inside.made) if self.inside else (call.at, {})
        inside = _Definition(_as_written(bound), at, made)
        values: dict[str, Node] = {}
        for name, value in bound.items():
            if isinstance(value, Node):
                value.shared = value.shared or bool(value.args)
                values[name] = value
            elif isinstance(value, int):
                values[name] = scalar(Fraction(value), at)

        def resolve(name: str, _: int) -> Node:
            return values[name]

        formula = self.formula(function, bound, call)
        assert formula is not None
        try:
            node = _Checker(resolve, self.spend, inside).node(read(formula))
        except FormulaError as error:
            raise self.call_error(function, error, call) from None
        if function.name not in LABELS:
            return node
        rows, columns = LABELS[function.name](**bound)
        return node.but(rows=rows, columns=columns)

    def opened(self, tree: Tree) -> Tree | None:
        """Return the formula that a shorthand abbreviates, with its arguments; None if the tree is not a shorthand."""
        if isinstance(tree, Call):
            function = functions().get(tree.function)
            if function is None or not function.opened:
                return None
            bound = self.bind(function, tree)
        elif is_shorthand(tree):
            function, bound = operators()[tree.operator], {"A": self.node(tree.left), "B": self.node(tree.right)}
        else:
            return None
        formula = self.formula(function, bound, tree)
        return None if formula is None else substitute(read(formula), _as_written(bound))


def _of_columns(tree: Index) -> str:
    return shorten(unparse(Index(tree.operand, Slice(None, None), tree.rows)))


def _no_name(name: str, at: int) -> Node:
    raise FormulaError(f"{name} is not defined", at)


def _as_written(bound: dict[str, Argument]) -> dict[str, Tree]:
    """Return the arguments of a call as trees, by the names of the parameters."""
    numbers: dict[str, Tree] = {name: Number(str(value)) for name, value in bound.items() if isinstance(value, int)}
    return numbers | {name: value.tree or Name(value.name) for name, value in bound.items() if isinstance(value, Node)}


def opened(tree: Tree, resolve: Resolve) -> Tree | None:
    """Return the formula that a shorthand (`norm(A)`, `A > B`) abbreviates, with its arguments; otherwise None."""
    return _Checker(resolve, lambda node: None).opened(tree)
