"""Converts Python data (mappings, lists, numbers and NumPy arrays) to the tree that a problem file has."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as MappingType
from collections.abc import Sequence as SequenceType
from fractions import Fraction
from math import isfinite
from typing import Any, Literal, TypeAlias, get_args, overload

from .. import limits
from ..errors import AttncalcError, Diagnostics, Location, shorten
from .yaml_file.nodes import DEEPEST, MOST_NODES, Mapping, Scalar, Sequence, Yaml

Floats = Literal["shortest", "binary"]
Data: TypeAlias = "str | SequenceType[Data] | MappingType[str, Data]"  # the data of a file; numbers are texts


def tree_of(data: object, floats: Floats = "shortest", name: str = "problem") -> Yaml:
    """Return the tree of a Python value. Locations are paths such as `problem.given.X[0][1]`."""
    if floats not in get_args(Floats):
        raise AttncalcError(f"floats: expected one of {', '.join(get_args(Floats))}, found {shorten(str(floats))!r}")
    reader = _Reader(floats)
    tree = reader.tree(data, name, 0)
    reader.faults.raise_any()
    return tree


@overload
def data_of(tree: Mapping) -> dict[str, Data]: ...
@overload
def data_of(tree: Yaml) -> Data: ...
def data_of(tree: Yaml) -> Data:
    """Return a tree as Python data. Numbers remain texts, as in the file."""
    match tree:
        case Scalar(text):
            return text
        case Sequence(items):
            return [data_of(item) for item in items]
        case Mapping():
            return {key.text: data_of(value) for key, value in tree.items()}


class _Reader:
    def __init__(self, floats: Floats):
        self.floats = floats
        self.faults = Diagnostics()
        self.nodes = 0

    def tree(self, data: object, where: str, depth: int) -> Yaml:
        self.count(1, where)
        place = Location(where)
        if depth > DEEPEST:
            raise AttncalcError(limits.NESTED_LISTS.exceeded("more"), Location(shorten(where)))
        if hasattr(data, "__array__") or hasattr(data, "tolist"):
            data = self.array(data, where)
        if isinstance(data, MappingType):
            return self.mapping(data, where, depth)
        if isinstance(data, (list, tuple, range)):
            return Sequence([self.tree(x, f"{where}[{i}]", depth + 1) for i, x in enumerate(data)], place)
        text = self.text(data, place)
        return Scalar(text, place, "block" if "\n" in text.strip() else "plain")

    def count(self, nodes: int, where: str) -> None:
        self.nodes += nodes
        if self.nodes > MOST_NODES:
            raise AttncalcError(limits.NODES.exceeded("more"), Location(shorten(where)))

    def mapping(self, data: MappingType[object, object], where: str, depth: int) -> Mapping:
        pairs: dict[str, tuple[Scalar, Yaml]] = {}
        for key, value in data.items():
            inside = f"{where}.{shorten(str(key) if isinstance(key, str | int) else type(key).__name__)}"
            if not isinstance(key, str | int):
                self.faults.add(f"expected a text as the key, found {shorten(type(key).__name__)}", Location(inside))
            elif str(key) in pairs:
                self.faults.add(f"the key {shorten(str(key))!r} occurs twice", Location(inside))
            else:
                pairs[str(key)] = (Scalar(str(key), Location(inside)), self.tree(value, inside, depth + 1))
        return Mapping(pairs, Location(where))

    def array(self, data: Any, where: str) -> object:
        """Return nested lists of texts and numbers for a NumPy array or number, or for another value that NumPy can
        convert.
        """
        import numpy

        try:
            array = numpy.asarray(data if hasattr(data, "__array__") else data.tolist())
        except Exception as error:  # an object of another library may raise any exception
            raise AttncalcError(
                f"expected an array that NumPy can convert; {shorten(str(error), 200)}", Location(where)
            ) from None
        kind = array.dtype.kind
        if kind not in "iufbOU":
            self.faults.add(f"expected an array of real numbers, found {array.dtype}", Location(where))
            return "0"
        self.count(array.size, where)
        if kind == "b":
            return array.astype(int).tolist()
        return _map(array, self.exact_float) if kind == "f" else array.tolist()

    def exact_float(self, x: float) -> str:
        """Return a float as text: the shortest decimal that gives this float, or its exact binary value as a
        fraction.
        """
        if self.floats == "shortest" or not isfinite(x):
            return str(x)
        return str(Fraction(*x.as_integer_ratio()))

    def text(self, data: object, place: Location) -> str:
        if data is None:
            return ""
        if isinstance(data, bool):
            return str(data).lower()
        if isinstance(data, float):
            return self.exact_float(float(data))
        if isinstance(data, (int, Fraction, str)) or type(data).__module__.split(".")[0] in (
            "sympy",
            "flint",
            "decimal",
        ):
            try:
                return str(data)
            except ValueError:
                self.faults.add(limits.DIGITS.exceeded("more"), place)
                return "0"
        self.faults.add(f"expected a number, a text, a list or a mapping, found {shorten(type(data).__name__)}", place)
        return "0"


def _map(array: Any, convert: Callable[[float], str]) -> object:
    return [_map(row, convert) for row in array] if array.ndim else convert(array[()])
