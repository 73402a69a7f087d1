"""A notebook as free text: its cells of Markdown, the values that are typed in its code, and what it printed."""

from __future__ import annotations

import json
import re
from typing import Any

from ...errors import Diagnostic, Location
from ..formats.bracketed_lists import CALL, bracket_end
from ..located_text import joined
from ..submission import crossed_out
from .laid_out_text import Relaid, text_of
from .notebook_code import CELL_MAGIC, Program

_OBJECT = re.compile(r"<[\w.]+ object(?: at \w+)?>")  # the name of what has another form as well
_NO_PLAIN = "expected an output as text, found only {}; use print, such as print(S)"
_BETWEEN = re.compile(r"[\s,()]*")  # values of a print
_NUMBER = r"[-+]?(?:[0-9]+(?:/[0-9]+|\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_PRINTED_NUMBER = re.compile(rf"(?:{_NUMBER}|[A-Za-z.0-9]+\([-+0-9., eE'/]*[0-9][-+0-9., eE'/]*\))(?=[\s,)]|\Z)")


def read_notebook(data: str | bytes, document: Relaid) -> None:
    """Read the cells of Markdown, and of each cell of code its text and what it printed."""
    document.is_exact = True
    book = json.loads(text_of(data, document).removeprefix("\ufeff"))
    typed: set[str] = set()
    for number, cell in enumerate(book["cells"], 1):
        text, kind = _joined(cell.get("source", "")), cell.get("cell_type")
        cell_place = Location(f"{document.source}, cell {number}", 1, 1)
        names: list[str] = []
        if kind == "code":
            program, earlier = Program(text, bool(cell.get("outputs"))), len(document.doubts)
            document.doubts += program.doubts(cell_place, typed)
            if CELL_MAGIC.match(text) and len(document.doubts) == earlier and re.search("[0-9]", text):
                document.crossed.append(crossed_out(text, cell_place, "in a cell with a notebook command"))
            text, names = program.answers()
        if kind in ("markdown", "code", "raw"):
            document.add(text, cell_place)
        place = Location(f"{document.source}, output of cell {number}", 1, 1)
        texts = [text for output in cell.get("outputs", ()) if (text := _output(output, place, document))]
        values = [_values(shown_item) for shown_item in texts]
        if len(names) == len(texts) == 1 and len(values[0] or ()) != 1:  # such as a data frame
            values = [[(0, len(texts[0]))]]
        is_paired = len(names) == sum(len(shown_item or ()) for shown_item in values) and None not in values
        named = iter(names)
        for shown_item, spans in zip(texts, values, strict=True):
            document.add("", place)
            if not is_paired:
                document.add(shown_item, place)
                continue
            for start, stop in spans or ():
                begin, value = f"{next(named)} =", shown_item[start:stop]
                line = shown_item.count("\n", 0, start)
                there = Location(place.source, 1 + line, 1 + start - (shown_item.rfind("\n", 0, start) + 1))
                if _PRINTED_NUMBER.fullmatch(value):
                    document.put(joined([document.at(begin, place), document.at(value, there)], " "))
                else:
                    document.add(begin, place)
                    document.add(value, there)
        document.add("", place)


def _output(output: dict[str, Any], place: Location, document: Relaid) -> str:
    """Return the text of a cell's output; empty if it is not an answer. Numbers without a text are a fault."""
    if output.get("output_type") == "error" or output.get("name") == "stderr":
        return ""
    forms = {"text/plain": output.get("text") or "", **output.get("data", {})}
    texts = {kind: _joined(text).rstrip("\n") for kind, text in forms.items() if kind.startswith("text/")}
    readable = [texts.get(kind, "") for kind in ("text/plain", "text/markdown", "text/latex")]
    text = next((text for text in readable if text and not _OBJECT.fullmatch(text)), "")
    if not text and any(re.search("[0-9]", other) for kind, other in texts.items() if kind != "text/plain"):
        document.faults.append(Diagnostic(_NO_PLAIN.format(", ".join(sorted(filter(texts.get, texts)))), place))
    return text


def _values(text: str) -> list[tuple[int, int]] | None:
    """Return where each matrix and each number of a print begins and ends; None if something else is in it."""
    spans, k = [], 0
    while (begin := _BETWEEN.match(text, k)) and (k := begin.end()) < len(text):
        end = bracket_end(text, k) if text[k] == "[" or CALL.match(text, k) else None
        if end is None and (number := _PRINTED_NUMBER.match(text, k)):
            end = number.end()
        if end is None:
            return None
        spans.append((k, end))
        k = end
    return spans


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(str(piece) for piece in text)
