"""Entries that were read from scans, and what a person has confirmed of them.

An entry is open until the class table has a text for it, or a person has confirmed that it is blank. So the table alone
says which texts are confirmed. A file next to it names the blank entries, and those that were taken out of a group.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ..api import read_bytes
from ..errors import AttncalcError, Location
from ..exam.scan_layout import ENTRY, TICK
from ..gradebook.entry_form import Paper
from ..safe_files import allow_replacing, as_json, write_file
from ..scan import HIGH_CONFIDENCE
from ..scan.scan_folder import ScanField, ScanFolder

SCREEN = 40  # pictures
FEW = 10  # pictures of a group that shares its screen with others
LEASE = 300  # seconds for which no other window shows the same entries
UNREADABLE = "unreadable"  # in the table; `grade` reports it, and a person reviews the script
VERSION = 1
LARGEST = 16_000_000
_PLAIN = re.compile(
    r"|-?(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12}|[0-9]{1,12}/[0-9]{1,12})|−∞|inf|[A-Z](?:, [A-Z])*"
)

Place = tuple[str, str]  # the code of a paper, and a column


class Item(NamedTuple):
    """One entry of a paper with its fields: several for options to tick, and for pages that were scanned twice."""

    place: Place
    fields: tuple[ScanField, ...]
    text: str  # in the table's notation
    is_twice: bool  # read from pages that were scanned twice
    is_certain: bool

    @property
    def kind(self) -> str:
        return self.fields[0].kind


def items_of(scans: ScanFolder, stored: Callable[[str], str]) -> dict[Place, Item]:
    """Return the entries to confirm. `stored` returns a text in the table's notation."""
    fields: dict[Place, list[ScanField]] = {}
    for scan_field in scans.fields:
        if scan_field.kind in (ENTRY, TICK):
            fields.setdefault((scan_field.paper, scan_field.column_name), []).append(scan_field)
    return {place: _item(place, tuple(some), scans, stored) for place, some in fields.items()}


def _item(place: Place, fields: tuple[ScanField, ...], scans: ScanFolder, stored: Callable[[str], str]) -> Item:
    is_tick = fields[0].kind == TICK
    ticked = sorted({each.option for each in fields if each.text})
    text = ", ".join(ticked) if is_tick else stored(fields[0].text)
    is_repeated = len({each.option for each in fields}) < len(fields)
    is_twice = is_repeated or any(each.page in scans.papers[each.paper].others for each in fields)
    is_single = not is_twice and len({each.kind for each in fields}) == 1
    is_sure = min(each.confidence for each in fields) >= HIGH_CONFIDENCE
    is_answered = not is_tick or bool(ticked)  # without a tick, the answer may be next to the boxes
    return Item(place, fields, text, is_twice, is_single and is_sure and is_answered and bool(_PLAIN.fullmatch(text)))


@dataclass(slots=True)
class Decisions:
    """The file of confirmed blanks, and of entries that were taken out of a group. It belongs to a class table."""

    path: str
    blank: set[Place] = field(default_factory=set)
    doubtful: set[Place] = field(default_factory=set)

    @classmethod
    def of_table(cls, table: str) -> Decisions:
        """Read the decisions about a table. Raises AttncalcError for a file of other content."""
        path = f"{os.path.splitext(table)[0]}.confirmed.json"
        allow_replacing(path)
        if not os.path.exists(path):
            return cls(path)
        try:
            data = json.loads(read_bytes(path, LARGEST))
            places = {
                name: {(code, column) for code, columns in data[name].items() for column in [*columns]}
                for name in ("blank", "doubtful")
            }
            if data["version"] != VERSION or not all(isinstance(x, str) for s in places.values() for p in s for x in p):
                raise ValueError
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            message = (
                f"expected the decisions that this page has saved for {os.path.basename(table)}, found something "
                f"else; move this file to a different folder (the page then asks again which entries are blank)"
            )
            raise AttncalcError(message, Location(path)) from None
        return cls(path, **places)

    def save(self) -> None:
        """Write the file, with the columns of each paper."""
        listed = {
            name: {code: [column for _, column in group] for code, group in groupby(sorted(places), lambda p: p[0])}
            for name, places in (("blank", self.blank), ("doubtful", self.doubtful))
        }
        write_file(self.path, as_json({"version": VERSION} | listed), force=True)

    def note(self, texts: Mapping[Place, str]) -> None:
        """Note entries that a person has typed or confirmed."""
        self.blank |= {place for place, text in texts.items() if not text}
        self.blank -= {place for place, text in texts.items() if text}


@dataclass(slots=True)
class Leases:
    """Which window shows which entries, so that two people at two windows do not see the same ones."""

    until: dict[Place, tuple[str, float]] = field(default_factory=dict)

    def free(self, items: Iterable[Item], window: str) -> list[Item]:
        """Return the items that no other window shows; all of them if the other windows show all."""
        now, listed = time.monotonic(), list(items)
        free = [item for item in listed if self._is_free(item.place, window, now)]
        return free or listed

    def _is_free(self, place: Place, window: str, now: float) -> bool:
        holder, until = self.until.get(place, ("", 0.0))
        return holder in ("", window) or until < now

    def take(self, items: Iterable[Item], window: str) -> None:
        """Note the items that a window shows now, instead of those that it showed before."""
        end = time.monotonic() + LEASE
        self.until = {place: lease for place, lease in self.until.items() if lease[0] != window}
        self.until |= {item.place: (window, end) for item in items}


def screen(items: Iterable[Item], most: int) -> list[list[Item]]:
    """Return the groups on the next screen: entries that were read as the same text. A large group takes screens of
    its own, and small ones share a screen, sorted by their numbers.
    """
    groups: dict[tuple[str, int, str], list[Item]] = {}
    for item in items:
        groups.setdefault((item.kind, len(item.fields), item.text), []).append(item)
    ordered = sorted(groups.items(), key=lambda pair: (-len(pair[1]) if len(pair[1]) >= FEW else 0, _value(pair[0])))
    shown: list[list[Item]] = []
    room = most
    for _, group in ordered:
        group.sort(key=_by_confidence)
        if shown and len(group) > room:
            break
        shown.append(group[:room])
        room -= len(shown[-1])
        if len(group) >= FEW:
            break
    return shown


def _by_confidence(item: Item) -> tuple[float, Place]:
    return min(each.confidence for each in item.fields), item.place


def _value(kind: tuple[str, int, str]) -> tuple[str, int, float, str]:
    name, count, text = kind
    over, _, under = text.partition("/")
    try:
        return name, count, float(over) / float(under or 1), text
    except (ValueError, ZeroDivisionError):
        return name, count, float("inf"), text


def without_prefill(paper: Paper, columns: Iterable[str]) -> Paper:
    """Return a paper in which nothing is filled in where a scan shows what the student wrote."""
    return Paper(paper.entries, paper.cells | dict.fromkeys(columns, ""))
