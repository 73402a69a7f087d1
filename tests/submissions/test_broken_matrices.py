"""A sign that is missing, surplus or of the wrong kind in one matrix of a script costs this matrix alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.submissions.test_odd_lines import PROBLEM, VALUES, is_right, word
from tests.support.sweeps import for_each


def _list(rows, first="[", last="]", quote="", comma=", "):
    return first + comma.join(first + comma.join(f"{quote}{x}{quote}" for x in row) + last for row in rows) + last


def _lines(rows, first="[", last="]", between=", ", end=",\n    "):
    return end.join(first + between.join(row) + last for row in rows)


def _table(rows):
    header = ["abcd"[: len(rows[0])], ["---"] * len(rows[0])]
    return "\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in [*header, *rows])


LISTS = {
    "list": _list, "quoted": lambda rows: _list(rows, quote='"'), "quoted once": lambda rows: _list(rows, quote="'"),
    "lines": lambda rows: f"[{_lines(rows)}]", "indented": lambda rows: f"[\n    {_lines(rows)}\n  ]",
    "tuples": lambda rows: _list(rows, "(", ")"), "braces": lambda rows: _list(rows, "{", "}"),
}  # fmt: skip
MATRICES = LISTS | {
    "MATLAB": lambda rows: f"[{_lines(rows, '', '', ' ', '; ')}]", "semicolons": lambda rows: f"[{_lines(rows, '', '', end='; ')}]",
    "array": lambda rows: f"np.array({_list(rows)})", "tensor": lambda rows: f"tensor([{_lines(rows)}], dtype=torch.float64)",
    "print": lambda rows: f"[{_lines(rows, between=' ', end=chr(10))}]",
    "LaTeX": lambda rows: "\\begin{pmatrix} " + _lines(rows, "", "", " & ", r" \\ ") + r" \end{pmatrix}",
    "LaTeX lines": lambda rows: "\\begin{bmatrix}\n" + _lines(rows, "", "", " & ", " \\\\\n") + "\n\\end{bmatrix}",
    "rows": lambda rows: "\n" + _lines(rows, "", "", end="\n"), "brackets": lambda rows: "\n" + _lines(rows, end="\n"),
    "table": _table,
}  # fmt: skip
# Before a matrix, and behind it
FRAMES = {
    "md": ("{} = ", "\n"), "md blank": ("{} = ", "\n\n"), "md colon": ("{}: ", "\n"), "md heading": ("## {}\n\n", "\n\n"),
    "md formula": ("Hence {} = X W = ", "\n\n"), "md bold": ("**{}** = ", "\n"), "md item": ("- {} = ", "\n"),
    "md number": ("(b) {} = ", "\n"), "md above": ("{} =\n", "\n"), "md one line": ("{} = ", ", "),
    "tex dollar": ("${} = ", "$\n"), "tex display": ("\\[ {} = ", " \\]\n"), "tex align": ("{} &= ", " \\\\\n"),
    "docx": ("{} = ", "\n"),
}  # fmt: skip
YAML = {
    "yaml": ("  {}: ", "\n", "answers:\n", ""), "yaml top": ("{}: ", "\n", "", ""),
    "yaml braces": ("{}: ", ", ", "answers: {", "}\n"),
    "json": ('    "{}": ', ",\n", '{\n  "student": "s-7",\n  "answers": {\n', "  }\n}\n"),
    "json one line": ('"{}": ', ", ", '{"answers": {', "}}"), "json compact": ('"{}":', ",", '{"answers":{', "}}"),
}  # fmt: skip


def _indented(text: str) -> str:
    return "|\n    " + text.strip("\n").replace("\n", "\n    ")


def forms() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Yield how a script is written: its file, what is between matrices, and these."""
    rows = [[row.split() for row in VALUES[step]] for step in VALUES]
    for frame, (head, end) in FRAMES.items():
        for name, write in MATRICES.items():
            if frame != "md one line" or "\n" not in write(rows[0]):
                yield f"{frame}: {name}", *_around(frame, head, end, "", ""), [*map(write, rows)]
    for frame, (head, end, first, last) in YAML.items():
        for name in LISTS if frame.startswith("yaml") else ("list", "quoted"):
            yield f"{frame}: {name}", *_around(frame, head, end, first, last), [*map(LISTS[name], rows)]
    for name in ("MATLAB", "tensor", "print", "LaTeX", "rows", "list"):
        block = [_indented(MATRICES[name](matrix)) for matrix in rows]
        yield f"yaml block: {name}", *_around("yaml", *YAML["yaml"]), block
    dashed = ["\n" + "\n".join(f"  - {json.dumps(row)}" for row in matrix) for matrix in rows]
    yield "yaml rows", *_around("yaml", "  {}:", "\n", "answers:\n", ""), dashed


def _around(frame: str, head: str, end: str, first: str, last: str) -> tuple[str, list[str]]:
    heads = [head.format(step) for step in VALUES]
    between = [first + heads[0], *(end + head for head in heads[1:]), end.replace(",", "") + last]
    return f"a.{frame.split()[0]}", between


WRONG = {"[": "({", "]": ")}", "(": "[{", ")": "]}", "{": "[(", "}": "])", '"': "'", "'": '"', ",": ";.", ";": ",:",
         "&": ",", "|": "/"}  # fmt: skip


def damaged(text: str) -> Iterator[str]:
    for k, sign in enumerate(text):
        for other in ("", sign * 2, *WRONG.get(sign, "")) if sign in WRONG else ():
            yield text[:k] + other + text[k + 1 :]


def bound(file: str, text: str):
    return bind(read(word(text) if file == "a.docx" else text, file, lenient=True), PROBLEM, lenient=True)


FORMS = {name: about for name, *about in forms()}


@for_each("step", ["S_scaled", "Z"], quick=6, ci=60)
@for_each("form", FORMS)
def test_law_a_sign_of_one_matrix_costs_no_other_matrix(form, step):
    """The others are read as before. The broken one is read as it was meant, or a message names it and its line."""
    file, between, matrices = FORMS[form]
    at = [*VALUES].index(step)

    def script(matrix: str) -> str:
        matrices_there = [*matrices[:at], matrix, *matrices[at + 1 :]]
        return "".join(text for pair in zip(between, [*matrices_there, ""], strict=True) for text in pair)

    usual = bound(file, script(matrices[at]))
    others = [name for name in VALUES if name != step and is_right(usual, name)]
    for matrix in damaged(matrices[at]):
        text = script(matrix)
        found = bound(file, text)
        assert [name for name in others if not is_right(found, name)] == [], text
        assert is_right(found, step) is not False, text
        if found.find(step) is None and step not in found.shapes:
            first = text.index(matrix, len("".join(between[:at])) - 1)
            begin = text.rindex(step, 0, first)
            first, last = (text.count("\n", 0, k) + 1 for k in (begin, first + len(matrix)))
            lines = [_line(piece.fault.place) for piece in found.unread if piece.step == step]
            assert any(first <= line <= last for line in lines), (text, found.unread)


def _line(place) -> int:
    """The line of a text that is a paragraph of a Word document."""
    _, is_block, block = place.source.partition(", block ")
    return int(block) if is_block else place.line


def test_every_form_is_read():
    unread = [form for form, (file, between, matrices) in FORMS.items() if not all(
        is_right(bound(file, "".join(text for pair in zip(between, [*matrices, ""], strict=True) for text in pair)), step)
        for step in VALUES)]  # fmt: skip
    assert unread == []
