"""The tree of a formula as its author wrote it. The parser and the lessons make trees, and output formats display them.

`at` is the offset in the formula's text, for error messages. `source` describes the original notation of a part.
Comparisons of trees ignore both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import ClassVar, Final, NamedTuple, Self, TypeGuard


class Source(NamedTuple):
    """The original notation of a part. It has information that the translated formula does not contain.

    - `library` is the name of the library whose function the author called.
    - `axis` is the number of the axis in the author's text.
    - `bare` is True if the axis was a positional argument of a function without a library.
    - `flat` is True for a reduction without keepdims: the library's result has one dimension.
    - `pair` contains the two results of PyTorch's `max(X, dim=1)`: values and indices.
    - `joined` is the name of the function that concatenated matrices; for a list it is `array`.
    - `entries` is True for an entrywise operator of another notation: MATLAB's `.*`, and ⊙.
    - `listed` is True for matrices in a list, `[A, B]`.
    - `width` is the length of a row in the settings of a layer.
    - `called` is the name of a function that the formula language writes without a call: `t(A)` is A.T.
    - `bits` is the sign because of which a matrix became a condition: `&`, `|`, `~`, `and` or `or`.
    - `sign` is the author's sign of a product: `·` or `×`.
    - `remark` is a warning for the author.
    """

    library: str = ""
    axis: str = ""
    flat: bool = False
    bare: bool = False
    truth: bool = False  # whether the author wrote True or False for 1 or 0
    pair: tuple[Tree, Tree] | None = None
    joined: str = ""
    entries: bool = False
    listed: bool = False
    width: Tree | None = None
    called: str = ""
    bits: str = ""
    sign: str = ""
    remark: str = ""


NO_SOURCE = Source()


class _Part:
    """The base class of all parts of a formula. Parts are equal if all attributes except `at` and `source` are equal.

    Parts are immutable. The classes are not dataclasses, because dataclasses would increase the start time by 2.5 %.
    """

    __slots__ = ("_source", "at")
    __match_args__: ClassVar[tuple[str, ...]] = ("at",)
    _source: Source
    _held: ClassVar[attrgetter[object]]

    def __init_subclass__(cls) -> None:
        cls._held = attrgetter(*cls.__slots__)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._held(self) == self._held(other)

    def __hash__(self) -> int:
        return hash(self._held(self))

    def but(self, **changes: object) -> Self:
        """Return a copy with changed attributes."""
        return type(self)(**{name: getattr(self, name) for name in self.__match_args__} | changes)

    @property
    def source(self) -> Source:
        """The original notation of the part; NO_SOURCE for most parts."""
        return getattr(self, "_source", NO_SOURCE)

    def copied_from(self, source: Source) -> Self:
        """Return a copy with this source."""
        copy = self.but()
        copy._source = source
        return copy

    def keeping(self, source: Source) -> Self:
        """Return the part, with this source if it has no source."""
        return self if source is NO_SOURCE or self.source is not NO_SOURCE else self.copied_from(source)

    def __repr__(self) -> str:
        held = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({', '.join(held)})"


class Number(_Part):
    """A number as the author wrote it."""

    __slots__ = ("text",)
    __match_args__ = ("text", "at")

    def __init__(self, text: str, at: int = 0):
        self.text: Final = text
        self.at: Final = at

    @property
    def value(self) -> Fraction:
        """The number as a fraction: `0.1` is 1/10."""
        return _fraction(self.text)


@lru_cache(maxsize=1024)
def _fraction(text: str) -> Fraction:
    """Return the value of a number's text. Values are cached, because most numbers are small integers."""
    return Fraction(text)


class Name(_Part):
    """A given, a step (`S`, `head.Q`, `masked.Z`), or a constant (`e`, `pi`, `inf`)."""

    __slots__ = ("name",)
    __match_args__ = ("name", "at")

    def __init__(self, name: str, at: int = 0):
        self.name: Final = name
        self.at: Final = at


class Text(_Part):
    """A text in quotes: the value of an option, or a label."""

    __slots__ = ("value",)
    __match_args__ = ("value", "at")

    def __init__(self, value: str, at: int = 0):
        self.value: Final = value
        self.at: Final = at


class Negate(_Part):
    """`-operand`"""

    __slots__ = ("operand",)
    __match_args__ = ("operand", "at")

    def __init__(self, operand: Tree, at: int = 0):
        self.operand: Final = operand
        self.at: Final = at


class Binary(_Part):
    """`left operator right`; the operator is one of `+ - * / @ **`, of COMPARISONS or of DIVISIONS."""

    __slots__ = ("left", "operator", "right")
    __match_args__ = ("operator", "left", "right", "at")

    def __init__(self, operator: str, left: Tree, right: Tree, at: int = 0):
        self.operator: Final = operator
        self.left: Final = left
        self.right: Final = right
        self.at: Final = at


class Transpose(_Part):
    """`operand.T`"""

    __slots__ = ("operand",)
    __match_args__ = ("operand", "at")

    def __init__(self, operand: Tree, at: int = 0):
        self.operand: Final = operand
        self.at: Final = at


class Slice(NamedTuple):
    """`start:stop:step`, counted from 0, without the row or column `stop`. None means the end of the matrix, or step
    1.
    """

    start: Tree | None
    stop: Tree | None
    step: Tree | None = None


class Index(_Part):
    """`A[rows]` or `A[rows, columns]`. A list of indices is stored as a call of `hstack`."""

    __slots__ = ("columns", "operand", "rows")
    __match_args__ = ("operand", "rows", "columns", "at")

    def __init__(self, operand: Tree, rows: Tree | Slice, columns: Tree | Slice | None, at: int = 0):
        self.operand: Final = operand
        self.rows: Final = rows
        self.columns: Final = columns
        self.at: Final = at


class Call(_Part):
    """`function(arguments, option=value)`"""

    __slots__ = ("arguments", "function", "options")
    __match_args__ = ("function", "arguments", "options", "at")

    def __init__(
        self, function: str, arguments: tuple[Tree, ...], options: tuple[tuple[str, Tree], ...] = (), at: int = 0
    ):
        self.function: Final = function
        self.arguments: Final = arguments
        self.options: Final = options
        self.at: Final = at


Tree = Number | Name | Text | Negate | Binary | Transpose | Index | Call


def children(tree: Tree) -> list[Tree]:
    """Return the parts of a tree, in the order of the text."""
    match tree:
        case Negate(a) | Transpose(a):
            return [a]
        case Binary(_, a, b):
            return [a, b]
        case Call(_, args, options):
            return [*args, *(value for _, value in options)]
        case Index(a, rows, columns):
            items: list[Tree | None] = [a]
            for item in (rows, columns):
                items += item if isinstance(item, Slice) else [item]
            return [item for item in items if item is not None]
        case _:
            return []


def walk(tree: Tree, parts: Callable[[Tree], Sequence[Tree]] = children) -> Iterator[Tree]:
    """Yield a formula and its parts, in the order of the text. `parts` returns the children that are visited.

    >>> [unparse(part) for part in walk(Binary("@", Name("Q"), Transpose(Name("K"))))]
    ['Q @ K.T', 'Q', 'K.T', 'K']
    """
    stack = [tree]
    while stack:
        part = stack.pop()
        yield part
        stack.extend(reversed(parts(part)))


def names(tree: Tree) -> set[str]:
    """Return every name that a formula uses.

    >>> sorted(names(Binary("@", Name("Q"), Transpose(Name("K")))))
    ['K', 'Q']
    """
    return {part.name for part in walk(tree) if isinstance(part, Name)}


def rewrite(tree: Tree, change: Callable[[Tree], Tree | None]) -> Tree:
    """Replace each part for which `change` returns a tree. The whole formula is tried first, and then smaller parts."""
    changed = change(tree)
    if changed is not None:
        return changed
    made: Tree
    match tree:
        case Binary(operator, a, b):  # first, because most parts are binary
            left, right = rewrite(a, change), rewrite(b, change)
            if left is a and right is b:
                return tree
            made = Binary(operator, left, right, tree.at)
        case Negate(a) | Transpose(a):
            operand = rewrite(a, change)
            if operand is a:
                return tree
            made = type(tree)(operand, tree.at)
        case Call(function, args, options):
            arguments = tuple(rewrite(a, change) for a in args)
            made = Call(function, arguments, tuple((name, rewrite(value, change)) for name, value in options), tree.at)
        case Index(a, rows, columns):
            new_columns = columns and _rewrite_index(columns, change)
            made = Index(rewrite(a, change), _rewrite_index(rows, change), new_columns, tree.at)
        case _:
            return tree
    return made if tree.source is NO_SOURCE else made.copied_from(tree.source)


def _rewrite_index(item: Tree | Slice, change: Callable[[Tree], Tree | None]) -> Tree | Slice:
    if isinstance(item, Slice):
        return Slice(*(end and rewrite(end, change) for end in item))
    return rewrite(item, change)


def transposed(tree: Tree) -> Tree:
    """Return the transpose of a formula. The transpose of `A.T` is A.

    >>> unparse(transposed(Name("A"))), unparse(transposed(Transpose(Name("A"))))
    ('A.T', 'A')
    """
    return tree.operand if isinstance(tree, Transpose) else Transpose(tree)


def whole(number: int, at: int = 0) -> Tree:
    """Return a whole number as a formula."""
    return Number(str(number), at) if number >= 0 else Negate(Number(str(-number), at), at)


def substitute(tree: Tree, replacements: dict[str, Tree]) -> Tree:
    return rewrite(tree, lambda part: replacements.get(part.name) if isinstance(part, Name) else None)


def places(item: Tree | Slice | None) -> tuple[Tree, ...] | None:
    """Return the items of an index that is a list, such as `[2, 0, 1]`; None for a single item or a slice."""
    return item.arguments if isinstance(item, Call) and item.function == "hstack" and not item.options else None


def names_labels(tree: Tree) -> TypeGuard[Index]:
    """Return whether a formula is an index with the label of a row or a column."""
    items = (tree.rows, tree.columns) if isinstance(tree, Index) else ()
    return any(isinstance(place, Text) for item in items for place in places(item) or (item,))


COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
DIVISIONS = ("//", "%")  # the quotient rounded down, and the remainder
_STRENGTH = {**dict.fromkeys(COMPARISONS, 0), "+": 1, "-": 1, **dict.fromkeys(("*", "/", "@", *DIVISIONS), 2), "**": 4}


def is_comparison(tree: Tree) -> TypeGuard[Binary]:
    """Return whether a formula is a comparison."""
    return isinstance(tree, Binary) and tree.operator in COMPARISONS


def is_shorthand(tree: Tree) -> TypeGuard[Binary]:
    """Return whether the operator of a formula abbreviates another formula: a comparison, `//` or `%`."""
    return isinstance(tree, Binary) and tree.operator in (*COMPARISONS, *DIVISIONS)


def strength(tree: Tree) -> int:
    """Return the precedence of a tree's outermost operator. It is 5 for trees that never need brackets.

    >>> strength(Binary("+", Name("a"), Name("b"))), strength(Binary("@", Name("a"), Name("b"))), strength(Name("a"))
    (1, 2, 5)
    """
    match tree:
        case Binary(operator):
            return _STRENGTH[operator]
        case Negate():
            return 3
        case Number(text):
            return 2 if "/" in text else 3 if text.startswith("-") else 5
        case _:
            return 5


def unparse(tree: Tree) -> str:
    """Return the text of a formula with as few brackets as possible.

    >>> unparse(Binary("/", Name("S"), Call("sqrt", (Name("d_k"),))))
    'S / sqrt(d_k)'
    """

    def inner(part: Tree, at_least: int) -> str:
        text = unparse(part)
        return text if strength(part) >= at_least else f"({text})"

    def item(part: Tree | Slice) -> str:
        if isinstance(part, Slice):
            start, stop, step = ("" if end is None else unparse(end) for end in part)
            return f"{start}:{stop}" + (f":{step}" if step else "")
        listed = places(part)
        return unparse(part) if listed is None else f"[{', '.join(map(unparse, listed))}]"

    match tree:
        case Number(text):
            return text
        case Name(name):
            return name
        case Text(value):
            return '"' + "".join(_escaped(character) for character in value) + '"'
        case Negate(a):
            return f"-{inner(a, 3)}"
        case Binary("**", a, b):
            return f"{inner(a, 5)} ** {inner(b, 3)}"
        case Binary(operator, a, b):
            mine = _STRENGTH[operator]
            return f"{inner(a, mine or 1)} {operator} {inner(b, mine + 1)}"
        case Transpose(Number(text)):
            return f"({text}).T"
        case Transpose(a):
            return f"{inner(a, 5)}.T"
        case Index(a, rows, columns):
            return f"{inner(a, 5)}[{item(rows) if columns is None else f'{item(rows)}, {item(columns)}'}]"
        case Call(function, args, options):
            words = [unparse(a) for a in args] + [f"{name}={unparse(value)}" for name, value in options]
            return f"{function}({', '.join(words)})"
    raise TypeError(tree)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else repr(character)[1:-1]


# -- entries that are certain ------------------------------------------------------------------------------------------


_MASKS = frozenset({"causal", "causal_strict", "band", "top_k", "top_p", "one_hot", "identity", "zeros", "ones"})
_WHOLE = frozenset({
    "floor", "ceil", "sign", "arange", "rows", "cols", "argmax_rows", "argmin_rows", "argsort_rows", "order_rows",
    "argmax", "argmin", "argsort", "best_rows", "best_columns",
})  # fmt: skip
_JOINED = ("maximum", "minimum", "hstack", "vstack")


def is_condition(tree: Tree, named: Callable[[str], bool] = lambda name: False) -> bool:
    """Return whether all entries of a formula are certainly 0 or 1. `named` returns this for a name."""
    match tree:
        case Binary(sign, a, b):
            return sign in COMPARISONS or sign == "*" and is_condition(a, named) and is_condition(b, named)
        case Call(name, parts, ()) if name in _JOINED:
            return all(is_condition(part, named) for part in parts)
        case Call(name):
            return name in _MASKS
        case Transpose(a) | Index(a):
            return is_condition(a, named)
        case Name(name):
            return named(name)
        case Number(text):
            return text in ("0", "1")
    return False


def is_table(tree: Tree) -> bool:
    """Return whether a formula is a list of numbers.

    >>> two = Call("hstack", (Number("1"), Negate(Number("2"))))
    >>> is_table(Call("vstack", (two, two))), is_table(Call("identity", (Number("2"),)))
    (True, False)
    """
    match tree:
        case Number() | Negate(Number()):
            return True
        case Call("vstack" | "hstack", parts, ()):
            return all(map(is_table, parts))
    return False


def is_whole(tree: Tree) -> bool:
    """Return whether all entries of a formula are certainly whole numbers."""
    match tree:
        case Number(text):
            return text.isdecimal()
        case Negate(a) | Transpose(a) | Index(a):
            return is_whole(a)
        case Binary("+" | "-" | "*", a, b):
            return is_whole(a) and is_whole(b)
        case Call(name, parts, ()) if name in _JOINED:
            return all(map(is_whole, parts))
        case Call("round", (_, Number("0"))):
            return True
        case Call(name):
            return name in _WHOLE or is_condition(tree)
    return is_condition(tree)
