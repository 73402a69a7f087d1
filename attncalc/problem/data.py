"""A problem given as Python data: mappings, lists, numbers and NumPy arrays become the same tree that a file gives."""

from __future__ import annotations

from collections.abc import Mapping as MappingType
from fractions import Fraction
from typing import Any, Literal

from ..errors import AttncalcError, Fault, Place, shorten
from .text import DEEPEST, Mapping, Scalar, Sequence, Tree

Floats = Literal["shortest", "binary"]


def tree_of(data: Any, floats: Floats = "shortest", where: str = "problem", depth: int = 0) -> Tree:
    """The tree of a Python value; `where` names it in messages (`problem.given.X`)."""
    place = Place(where)
    if depth > DEEPEST:
        raise AttncalcError(Fault(f"lists and mappings may be nested {DEEPEST} deep", place))
    if hasattr(data, "tolist") and hasattr(data, "dtype"):
        data = _array(data, floats, place)
    if isinstance(data, MappingType):
        pairs = {}
        for key, value in data.items():
            pairs[str(key)] = (Scalar(str(key), place), tree_of(value, floats, f"{where}.{key}", depth + 1))
        return Mapping(pairs, place)
    if isinstance(data, (list, tuple)):
        return Sequence([tree_of(x, floats, f"{where}[{i}]", depth + 1) for i, x in enumerate(data)], place)
    return Scalar(_text(data, floats, place), place, "block" if isinstance(data, str) and "\n" in data.strip() else "plain")


def _array(data: Any, floats: Floats, place: Place) -> Any:
    if data.dtype.kind not in "iufbOUS":
        raise AttncalcError(Fault(f"an array of real numbers is required, {data.dtype} stands there", place))
    if data.dtype.kind == "f" and floats == "shortest" and data.dtype.itemsize < 8:
        return _map(data.tolist(), data.dtype.type)  # a float32 names itself in fewer digits than the float64 it becomes
    return data.tolist()


def _map(data: Any, convert: Any) -> Any:
    return [_map(x, convert) for x in data] if isinstance(data, list) else str(convert(data))


def _text(data: Any, floats: Floats, place: Place) -> str:
    if data is None:
        return ""
    if isinstance(data, bool):
        return str(data).lower()
    if isinstance(data, float):
        if data != data:
            raise AttncalcError(Fault("a number is required, nan stands there", place))
        if data in (float("inf"), float("-inf")):
            return str(data)
        return str(Fraction(data)) if floats == "binary" else repr(data)
    if isinstance(data, (int, Fraction, str)):
        try:
            return str(data)
        except ValueError:
            raise AttncalcError(Fault("the number has too many digits", place)) from None
    if type(data).__module__.split(".")[0] in ("sympy", "flint", "decimal"):
        return str(data)
    raise AttncalcError(Fault(f"a number, a text, a list or a mapping is required, {shorten(type(data).__name__)} stands there", place))
