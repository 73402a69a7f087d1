"""A folder as `attncalc scan` writes it, with entries that are drawn in seven strokes, like the digits of a clock."""

from __future__ import annotations

import json
import zlib

WIDTH, HEIGHT = 620, 877  # of a page at 75 dpi
STROKES = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg", "6": "acdefg", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", "-": "g", "/": "bg", "x": "bcefg",
}  # fmt: skip
LINES = {
    "a": (0, 0, 9, 1), "b": (8, 0, 9, 9), "c": (8, 9, 9, 18), "d": (0, 17, 9, 18), "e": (0, 9, 1, 18), "f": (0, 0, 1, 9),
    "g": (0, 8, 9, 10),
}  # fmt: skip


def drawing(width, height):
    return [bytearray(b"\xfa" * width) for _ in range(height)]


def rectangle(rows, left, top, right, bottom, ink=40):
    for y in range(max(top, 0), min(bottom + 1, len(rows))):
        for x in range(max(left, 0), min(right + 1, len(rows[0]))):
            rows[y][x] = ink


def frame(rows, left, top, right, bottom):
    for box in ((left, top, right, top), (left, bottom, right, bottom), (left, top, left, bottom), (right, top, right, bottom)):  # fmt: skip
        rectangle(rows, *box, ink=150)


def write_text(rows, text, x, y):
    for sign in text:
        for stroke in STROKES.get(sign, ""):
            left, top, right, bottom = LINES[stroke]
            rectangle(rows, x + left, y + top, x + right, y + bottom)
        if sign in ".,":
            rectangle(rows, x, y + 16, x + 2, y + 18 + 3 * (sign == ","))
        x += 6 if sign in ".," else 13


def png(rows):
    """The rows of a grey picture as PNG."""

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = len(rows[0]).to_bytes(4, "big") + len(rows).to_bytes(4, "big")
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + b"\x08\0\0\0\0") + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def entry_field(code, name, picture, box, text, confidence, page=1, **more):
    return {
        "paper": code, "column_name": name, "question": "Question 1", "step": name.partition("[")[0], "row": 0,
        "column": 0, "kind": "entry", "page": page, "picture": picture, "box": box, "text": text,
        "confidence": confidence, "ink": 0.1, **more,
    }  # fmt: skip


def scan_folder(folder, written, doubtful=(), misread=None, students=None, letters="ABC"):
    """Write the folder. `written` has the texts of each paper by column; those of a column without brackets are ticks.

    `doubtful` are (code, column) with low confidence, and `misread` has what the program read in place of the text.
    """
    fields, papers = [], {}
    (folder / "pages").mkdir(parents=True)
    for code, texts in written.items():
        page = drawing(WIDTH, HEIGHT)
        (folder / "fields" / code).mkdir(parents=True)
        for k, (column, text) in enumerate(texts.items()):
            x, y = 40 + k % 5 * 110, 60 + k // 5 * 50
            read = (misread or {}).get((code, column), text)
            confidence = 0.4 if (code, column) in doubtful else 0.995
            ticks = [] if "[" in column else letters
            for j, option in enumerate(ticks or [""]):
                width = 24 if ticks else 88
                left = x + j * 34
                frame(page, left, y, left + width, y + 34)
                write_text(page, ("x" if option in text else "") if ticks else text, left + 6, y + 8)
                rows = [row[left - 4 : left + width + 5] for row in page[y - 4 : y + 39]]
                name = f"fields/{code}/{k}{option}.png"
                (folder / name).write_bytes(png(rows))
                more = {"kind": "tick", "option": option.lower()} if ticks else {}
                shown = ("x" if option in read else "") if ticks else read
                fields.append(entry_field(code, column, name, [left, y, width, 34], shown, confidence, **more))
        (folder / "pages" / f"{code}-1.png").write_bytes(png(page))
        papers[code] = {"student": (students or {}).get(code), "pages": {"1": f"pages/{code}-1.png"}, "missing": [], "repeated": [], "again": []}  # fmt: skip
    data = {"version": 1, "key": "Midterm", "papers": papers, "fields": fields, "unknown": []}
    (folder / "scan.json").write_text(json.dumps(data))
    return data
