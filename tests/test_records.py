"""`attncalc.records` behaves as Python's dataclasses do, as far as it goes."""

from __future__ import annotations

import dataclasses
from types import ModuleType

import pytest

from attncalc import records


def shapes(module: ModuleType) -> tuple[type, type]:
    """The same two classes, made by each module."""

    @module.dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        note: str = module.field(default="", compare=False, repr=False)

    @module.dataclass(slots=True)
    class Pile:
        things: list[int] = module.field(default_factory=list)
        total: int = 0

        def __post_init__(self) -> None:
            self.total = sum(self.things)

    return Point, Pile


@pytest.mark.parametrize("module", [dataclasses, records])
def test_records_are_dataclasses(module: ModuleType) -> None:
    Point, Pile = shapes(module)
    assert Point(1) == Point(1, 2, "elsewhere") != Point(2)
    assert Point(1) != Pile() and len({Point(1), Point(1, note="n"), Point(1, 3)}) == 2
    assert repr(Point(1)).endswith("Point(x=1, y=2)")
    assert module.replace(Point(1, note="n"), y=5).note == "n"
    assert Pile([1, 2]).total == 3 and Pile().things is not Pile().things
    with pytest.raises(AttributeError):
        Point(1).x = 3
    with pytest.raises(AttributeError):
        Pile().other = 3
    with pytest.raises(TypeError):
        hash(Pile())
    with pytest.raises(TypeError):
        Point()
    match Point(4, 5):
        case Point(x, y):
            assert (x, y) == (4, 5)


def test_a_record_inherits() -> None:
    Point, _ = shapes(records)

    @records.dataclass(frozen=True, slots=True)
    class Named(Point):  # type: ignore[misc, valid-type]
        name: str = "P"

    assert records.replace(Named(1, name="Q"), x=2) == Named(2, 2, "", "Q") != Named(2)
