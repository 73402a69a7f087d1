"""Web pages, Word documents, e-mails and notebooks as free text. Every line knows where it is from.

A table becomes one of Markdown, a heading a heading. What has no place in such a text is a fault, such as merged cells.
"""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from html.parser import HTMLParser
from itertools import accumulate
from operator import itemgetter
from pathlib import PurePath
from typing import Any, NamedTuple

from ...errors import AttncalcError, Diagnostic, Location, shorten
from ...problem.yaml_file.nodes import LARGEST_FILE
from ..located_text import Written
from ..submission import Answer, Typed, crossed_out
from ..tables.xml_stream import Limit, Parts, Xml
from ..text_encoding import decoded_script
from .bracketed_lists import CALL, bracket_end
from .mathml_text import ODD, Mathematics

MOST_LINES = 50_000
CAPTION, NEAR = "Table:", "Table 0:"  # begin the line of a caption: of the next table, or of the one before it
DEEPEST = 60  # elements inside each other that are looked into
WORD = "word/document.xml"
_MERGED = (
    "expected a table of single cells, found cells that are merged; split them, or write `S =` and rows of numbers"
)
_NESTED = "expected a table of numbers, found a table inside a table; write `S =` and rows of numbers"
_OTHER_FORM = "expected {}, found something else ({}); save it again, or paste its text into a file .md"
_BETWEEN = re.compile(r"[\s,()]*")  # matrices of a print
_MAGIC = re.compile(r"(?m)^[ \t]*[%!?].*$")  # commands of the notebook
_BLOCKS = frozenset((
    "p", "div", "section", "article", "li", "ul", "ol", "body", "header", "footer", "blockquote", "dl", "dt", "dd",
    "tr", "table", "center", "form",
))  # fmt: skip
_STRUCK = frozenset(("del", "s", "strike"))
_STRUCK_CLASS = re.compile(r"\.([\w-]+)\s*\{[^{}]*\bline-through\b")
_ENDS_ITSELF = frozenset(("p", "li", "td", "th", "tr"))  # where the next one of its name begins
_EMPTY = frozenset(("br", "hr", "img", "input", "col", "wbr", "meta", "link"))  # elements without an end
_SILENT = frozenset(("script", "style", "head", "template", "title", "svg"))


class Cell(NamedTuple):
    """A cell of a table."""

    text: str
    place: Location


@dataclass(slots=True)
class Relaid:
    """A text in lines, the places of what each of them holds, and what could not be laid out."""

    source: str
    lines: list[str] = field(default_factory=list)
    places: list[list[tuple[int, Location]]] = field(default_factory=list)  # from which character on
    faults: list[Diagnostic] = field(default_factory=list)
    crossed: list[Diagnostic] = field(default_factory=list)
    doubts: list[Answer] = field(default_factory=list)
    is_exact: bool = False  # whether the text stands in the file as it is laid out

    def add(self, text: str, place: Location) -> None:
        """Some lines more, which begin there."""
        for k, line in enumerate(text.split("\n")):
            if len(self.lines) >= MOST_LINES:
                raise Limit(f"expected at most {MOST_LINES:,} lines, found more")
            self.lines.append(line)
            self.places.append([(0, Location(place.source, place.line + k * self.is_exact, 1))])

    def table(self, rows: list[list[Cell]], place: Location, has_header: bool, caption: str = "") -> None:
        """A table of Markdown; the line of dashes is below its first row if that is a header."""
        if not rows:
            return
        self.add("", place)
        if caption.strip():
            self.add(f"{CAPTION} {' '.join(caption.split())}", place)
        for k, row in enumerate(rows):
            texts = [cell.text.replace("|", "\\|") for cell in row]
            self.add("| " + " | ".join(texts) + " |", row[0].place)
            begins = accumulate((len(text) + 3 for text in texts), initial=2)
            self.places[-1] = [(begin, cell.place) for begin, cell in zip(begins, row, strict=False)]
            if k == 0 and has_header:
                self.add("|" + "---|" * len(row), place)
        self.add("", place)

    def written(self) -> Written:
        """The text; a character of it is at the place of its line."""
        starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

        def at(k: int) -> Location:
            line = min(bisect_right(starts, k), len(self.lines)) - 1
            if not self.lines:
                return Location(self.source)
            places = self.places[line]
            begin, place = places[max(0, bisect_right(places, k - starts[line], key=itemgetter(0)) - 1)]
            return place.shifted(k - starts[line] - begin) if self.is_exact else place

        return Written("\n".join(self.lines), at)


def is_relaid(text: str | bytes, source: str) -> bool:
    """Return whether a file is a web page, a Word document, an e-mail or a notebook, by its name or its beginning."""
    if PurePath(source).suffix.lower() in _FORMS:
        return True
    head = text[:200].decode("utf-8", "replace") if isinstance(text, bytes) else text[:200]
    return bool(_PAGE.match(head))


_PAGE = re.compile(r"\ufeff?\s*<(?:!doctype html|html|table|body)\b", re.IGNORECASE)


def relaid(data: str | bytes, source: str) -> Relaid:
    """The text of such a file. Raises AttncalcError if it is none, or larger than people make."""
    form = PurePath(source).suffix.lower()
    document = Relaid(source)
    kind, lay = _FORMS.get(form, _FORMS[".html"])
    try:
        lay(data, document)
    except AttncalcError:
        raise
    except Limit as error:
        raise AttncalcError(Diagnostic(str(error), Location(source))) from None
    except Exception as error:  # whatever a damaged file makes of a reader
        why = shorten(f"{type(error).__name__}: {error}", 100)
        raise AttncalcError(Diagnostic(_OTHER_FORM.format(kind, why), Location(source))) from None
    return document


def _text(data: str | bytes, document: Relaid) -> str:
    text = decoded_script(data, document.source)
    document.crossed += [text.note] if text.note else []
    return text.text


# -- e-mails -----------------------------------------------------------------------------------------------------------


def _mail(data: str | bytes, document: Relaid) -> None:
    """The body of an e-mail, and what is attached as faults; its headers are no answers."""
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > LARGEST_FILE:
        raise Limit(f"expected a file of at most {LARGEST_FILE:,} bytes; this one is larger")
    mail = message_from_bytes(raw, policy=policy.default)
    body = mail.get_body(("plain", "html"))
    if body is None:
        raise ValueError("no body of text")
    inside = Relaid(f"{document.source}, body")
    content: Any = body.get_payload(decode=True)
    with suppress(LookupError, UnicodeDecodeError):  # another encoding than it says
        content = content.decode(body.get_content_charset("utf-8")).encode()
    if body.get_content_subtype() == "html":
        _page(content, inside)
    else:
        inside.is_exact = True
        inside.add(_text(content, inside).replace("\r\n", "\n"), Location(inside.source, 1, 1))
    document.lines, document.places, document.is_exact = inside.lines, inside.places, inside.is_exact
    document.faults, document.crossed = inside.faults, inside.crossed
    for attachment in mail.iter_attachments():
        name = shorten(attachment.get_filename() or attachment.get_content_type(), 60)
        document.faults.append(
            Diagnostic(f"the attachment {name!r} is not read; save it as a file", Location(document.source))
        )


# -- notebooks ---------------------------------------------------------------------------------------------------------


def _notebook(data: str | bytes, document: Relaid) -> None:
    """The cells of Markdown, and of each cell of code its text and what it printed."""
    document.is_exact = True
    book = json.loads(_text(data, document).removeprefix("\ufeff"))
    typed: set[str] = set()
    for number, cell in enumerate(book["cells"], 1):
        text, kind = _joined(cell.get("source", "")), cell.get("cell_type")
        names: list[str] = []
        if kind == "code":
            _find_doubts(text, Location(f"{document.source}, cell {number}", 1, 1), typed, document.doubts)
            text, names = _answers_of(text)
        if kind in ("markdown", "code", "raw"):
            document.add(text, Location(f"{document.source}, cell {number}", 1, 1))
        shown = [output for output in cell.get("outputs", ()) if output.get("output_type") != "error"]
        texts = [
            _joined(shown_item.get("text") or shown_item.get("data", {}).get("text/plain") or "").rstrip("\n")
            for shown_item in shown
        ]
        place = Location(f"{document.source}, output of cell {number}", 1, 1)
        texts = list(filter(None, texts))
        matrices = [_matrices(shown_item) for shown_item in texts]
        if len(names) == len(texts) == 1 and len(matrices[0] or ()) != 1:  # such as a number, or a data frame
            matrices = [[(0, len(texts[0]))]]
        is_paired = len(names) == sum(len(shown_item or ()) for shown_item in matrices) and None not in matrices
        named = iter(names)
        for shown_item, spans in zip(texts, matrices, strict=True):
            document.add("", place)
            if not is_paired:
                document.add(shown_item, place)
                continue
            for start, stop in spans or ():
                document.add(f"{next(named)} =", place)
                line = shown_item.count("\n", 0, start)
                document.add(
                    shown_item[start:stop],
                    Location(place.source, 1 + line, 1 + start - (shown_item.rfind("\n", 0, start) + 1)),
                )
        document.add("", place)


def _matrices(text: str) -> list[tuple[int, int]] | None:
    """Where each matrix of a print begins and ends; None if something else is in it."""
    spans, k = [], 0
    while (begin := _BETWEEN.match(text, k)) and (k := begin.end()) < len(text):
        end = bracket_end(text, k) if text[k] == "[" or CALL.match(text, k) else None
        if end is None:
            return None
        spans.append((k, end))
        k = end
    return spans


def _answers_of(code: str) -> tuple[str, list[str]]:
    """The lines of a program that hold a matrix that was typed, others blank; the names of what it shows, in their
    order. They are none if something is shown that has no name, or in a loop.
    """
    bare = _MAGIC.sub("", code)
    try:
        tree = ast.parse(bare).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return re.sub(r"(?m)^[ \t]*#.*$", "", bare), []  # a comment is not a heading
    lines, kept = bare.split("\n"), [""] * (bare.count("\n") + 1)
    for statement in tree:
        first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
        if isinstance(statement, ast.Assign) and _is_typed(statement.value):
            kept[first:last] = lines[first:last]
    shown = [node for statement in tree for node in ast.walk(statement) if _is_print(node)]
    shown += [tree[-1].value] if tree and isinstance(tree[-1], ast.Expr) and not _is_print(tree[-1].value) else []
    top = [statement.value for statement in tree if isinstance(statement, ast.Expr)]
    names = [name for part in shown for name in (_shown(part) if isinstance(part, ast.expr) and part in top else [""])]
    return "\n".join(kept), names if all(names) else []


def _find_doubts(code: str, cell: Location, typed: set[str], doubts: list[Answer]) -> None:
    """Note what a program makes of typed matrices, since nothing is run: `A = [[1, 2]]` is read, `A = A.T` is
    not. `typed` are the names of such matrices so far.
    """
    try:
        tree = ast.parse(_MAGIC.sub("", code))
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        used = {
            name_node.id
            for name_node in ast.walk(node)
            if isinstance(name_node, ast.Name) and isinstance(name_node.ctx, ast.Load)
        }
        for target in targets:
            name = target
            while isinstance(name, ast.Subscript):
                name = name.value
            if not isinstance(name, ast.Name) or node.value is None:
                continue
            is_read = isinstance(node, ast.Assign) and node in tree.body and _is_typed(node.value)
            is_changed = name.id in typed and (name.id in used or isinstance(node, ast.AugAssign))
            if is_changed or not is_read and any(map(_is_matrix, ast.walk(node.value))):
                message = (
                    f"expected a matrix that is typed, found {shorten(ast.unparse(node))!r}, which is not worked out"
                )
                place = Location(cell.source, node.lineno, node.col_offset + 1)
                # A matrix that is changed is read as it was typed, so that no entry of it may hide this
                rows = ((Typed(ast.unparse(node), word=True) if is_changed else None,),)
                doubts.append(
                    Answer(None, name.id, None, rows, place=place, loose=True, doubt=Diagnostic(message, place))
                )
            if is_read:
                typed.add(name.id)


def _is_matrix(node: ast.AST) -> bool:
    """Return whether a list holds lists or decimals alone, as a matrix does."""
    return isinstance(node, ast.List) and any(
        isinstance(item, ast.List) or isinstance(item, ast.Constant) and isinstance(item.value, float)
        for item in node.elts
    )


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "display")


def _is_typed(value: ast.expr) -> bool:
    """Return whether a value is a list, an array of a list, or a number."""
    inner = value.args[0] if isinstance(value, ast.Call) and value.args else value
    return isinstance(inner, ast.List | ast.Tuple) or _is_number(value)


def _is_number(value: ast.expr) -> bool:
    """Return whether a value is a number that is typed, also with a sign or as a fraction."""
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return isinstance(value.op, ast.Div) and _is_number(value.left) and _is_number(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def _shown(value: ast.expr) -> list[str]:
    """The names of what is shown: `Z`, `Z.round(2)`, `np.round(Z, 2)`, `print(Z)`, `S, A`; an empty one else."""
    if isinstance(value, ast.Tuple):
        return [name for part in value.elts for name in _shown(part)]
    if isinstance(value, ast.Call) and _is_print(value):
        return [name for part in value.args for name in _shown(part)]
    if isinstance(value, ast.Call):
        of_array = isinstance(value.func, ast.Attribute) and value.func.attr in ("round", "numpy", "tolist", "detach")
        owner = value.func.value if isinstance(value.func, ast.Attribute) else None
        if of_array and not (isinstance(owner, ast.Name) and owner.id in ("np", "torch", "numpy")):
            return _shown(owner) if owner is not None else [""]
        return _shown(value.args[0]) if of_array and len(value.args) in (1, 2) else [""]
    return [value.id if isinstance(value, ast.Name) else ""]


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(str(piece) for piece in text)


# -- web pages ---------------------------------------------------------------------------------------------------------


def _page(data: str | bytes, document: Relaid) -> None:
    text = _text(data, document)
    page = _Page(document, frozenset(_STRUCK_CLASS.findall(text)))
    page.feed(text)
    page.close()
    page.end_struck()
    page.end_line()


def _typed_into(about: dict[str, str | None]) -> str:
    """What stands in an input field for text."""
    return (about.get("value") or "") if about.get("type") in (None, "", "text", "number") else ""


class _Page(HTMLParser):
    """The lines of a page and its tables; tags are never nested here, since nothing is kept of what is around."""

    def __init__(self, document: Relaid, struck: frozenset[str]):
        super().__init__(convert_charrefs=True)
        self.document = document
        self.struck_classes = struck
        self.struck_tag = ""  # of the element that is crossed out
        self.struck_depth = 0  # elements of that name inside each other
        self.struck: list[str] = []
        self.struck_place = self.place()
        self.line: list[str] = []
        self.rows: list[list[Cell]] | None = None
        self.caption: str | None = None  # of the table, as far as it is read
        self.is_in_cell = self.is_in_caption = False
        self.mathematics = Mathematics()
        self.hidden: list[str] = []  # elements inside one that is hidden from readers, as a copy of MathML is
        self.silent = self.pre = 0
        self.begin = self.place()
        self.has_header = self.is_spoiled = False

    def place(self) -> Location:
        line, column = self.getpos()
        return Location(self.document.source, line, column + 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.begin_struck(tag, attrs)
        if self.begin_aside(tag, dict(attrs)):
            return
        if tag in _SILENT:
            self.silent += 1
        elif tag == "pre":
            self.end_line()
            self.pre += 1
        elif tag == "table":
            if self.rows is not None:
                self.spoil(_NESTED)
                return
            self.end_line()
            self.rows, self.begin, self.has_header, self.is_spoiled = [], self.place(), False, False
            self.is_in_cell, self.caption = False, ""
        elif tag == "caption" and self.rows is not None:
            self.is_in_caption = True
        elif self.rows is not None and tag == "tr":
            self.rows.append([])
            self.is_in_cell = self.is_in_caption = False
        elif self.rows is not None and tag in ("td", "th"):
            if any(name in ("colspan", "rowspan") and value not in (None, "", "1") for name, value in attrs):
                self.spoil(_MERGED)
            self.rows = self.rows or [[]]
            self.has_header |= tag == "th" and len(self.rows) == 1 and bool(self.rows[0] or len(self.rows) == 1)
            self.is_in_cell, self.is_in_caption = True, False
            line, column = self.getpos()
            start = self.get_starttag_text() or ""
            self.rows[-1].append(
                Cell("", Location(self.document.source, line, column + 1 + len(start) * ("\n" not in start)))
            )
        elif tag == "input":
            self.put(_typed_into(dict(attrs)))
        elif tag == "br":
            self.put(" " if self.rows is not None else "\n")
        elif tag in ("sub", "sup"):
            self.put("_{" if tag == "sub" else "^{")
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.end_line()
            self.line.append("#" * int(tag[1]) + " ")
        elif tag in _BLOCKS and self.rows is None:
            self.end_line()

    def begin_aside(self, tag: str, about: dict[str, str | None]) -> bool:
        """Begin an element of MathML, or one that is hidden from readers; False for others."""
        if self.hidden or about.get("aria-hidden") == "true":
            self.hidden += [tag] * (tag not in _EMPTY)
        elif self.mathematics or tag == "math":
            self.mathematics.start(tag, about)
        return bool(self.hidden or self.mathematics)

    def end_aside(self, tag: str) -> bool:
        """End such an element; False for others."""
        if self.hidden:
            while tag in self.hidden and self.hidden.pop() != tag:
                pass
            return True
        if not self.mathematics:
            return False
        text = self.mathematics.end(tag)
        self.document.crossed += [crossed_out(struck, self.place()) for struck in self.mathematics.struck]
        self.mathematics.struck.clear()
        self.put(text)
        return True

    def begin_struck(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.struck_tag == tag and tag in _ENDS_ITSELF:
            self.end_struck()
        if self.struck_tag:
            self.struck_depth += tag == self.struck_tag
        elif tag not in _EMPTY and (tag in _STRUCK or self.is_styled_struck(attrs)):
            self.struck_tag, self.struck_depth, self.struck_place = tag, 1, self.place()

    def is_styled_struck(self, attrs: list[tuple[str, str | None]]) -> bool:
        about = {name: value or "" for name, value in attrs}
        return "line-through" in about.get("style", "") or bool(
            self.struck_classes & frozenset(about.get("class", "").split())
        )

    def end_struck(self) -> None:
        if text := "".join(self.struck).strip():
            self.document.crossed.append(crossed_out(text, self.struck_place))
        self.struck_tag, self.struck_depth, self.struck = "", 0, []

    def handle_endtag(self, tag: str) -> None:
        if tag == self.struck_tag:
            self.struck_depth -= 1
        if self.struck_tag and (not self.struck_depth or tag == "table" and self.struck_tag in _ENDS_ITSELF):
            self.end_struck()
        if self.end_aside(tag):
            return
        if tag in _SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag == "pre":
            self.end_line()
            self.pre = max(0, self.pre - 1)
        elif tag == "table" and self.rows is not None:
            rows, self.rows, self.is_in_cell = [row for row in self.rows if row], None, False
            self.is_in_caption = False
            if self.is_spoiled:
                self.document.add("", self.begin)
            else:
                self.document.table(rows, self.begin, self.has_header, self.caption or "")
        elif tag in ("sub", "sup"):
            self.put("}")
        elif tag in ("td", "th", "caption"):
            self.is_in_cell = self.is_in_caption = False
        elif tag in _BLOCKS and self.rows is None or tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.end_line()

    def handle_data(self, data: str) -> None:
        if self.hidden:
            return
        if self.mathematics:
            self.mathematics.data(data)
            return
        self.put(data if self.pre else re.sub(r"\s+", " ", data))

    def put(self, text: str) -> None:
        if self.silent:
            return
        if self.struck_tag:
            self.struck.append(text)
            return
        if self.is_in_caption:
            self.caption = (self.caption or "") + text
        elif self.is_in_cell and self.rows:
            cell = self.rows[-1][-1]
            self.rows[-1][-1] = Cell((cell.text + " ".join(text.split("\n"))).lstrip(), cell.place)
        elif self.rows is None:
            if not self.line:
                self.begin = self.place()
            self.line.append(text)

    def spoil(self, message: str) -> None:
        if not self.is_spoiled:
            self.document.faults.append(Diagnostic(message, self.place()))
        self.is_spoiled = True

    def end_line(self) -> None:
        text = "".join(self.line)
        self.line = []
        if text.strip():
            self.document.add(text if self.pre else "\n".join(line.strip() for line in text.split("\n")), self.begin)
        elif self.document.lines and self.document.lines[-1]:
            self.document.add("", self.place())


# -- Word --------------------------------------------------------------------------------------------------------------


def _word(data: str | bytes, document: Relaid) -> None:
    """The paragraphs, tables and formulas of a document, in their order."""
    if isinstance(data, str) or len(data) > 20 * LARGEST_FILE:
        raise ValueError("no archive of a usual size")
    parts = Parts(data)
    if WORD not in parts.names:
        raise ValueError("an archive without a Word document")
    _Word(parts.xml(WORD), document).read()


_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


class _Word:
    """WordprocessingML of ECMA-376, part 1, section 17: paragraphs (17.3.1), tables (17.4), formulas (22.1)."""

    def __init__(self, xml: Xml, document: Relaid):
        self.xml = xml
        self.document = document
        self.number = 0  # of the paragraph, or the table
        self.place = Location(document.source)
        self.is_struck = False  # the run that has begun last

    def read(self) -> None:
        for _ in self.xml.children():
            for name, _ in self.xml.children():
                if name == "body":
                    self.blocks()

    def blocks(self) -> None:
        for name, _ in self.xml.children():
            self.number += name in ("p", "tbl")
            place = Location(f"{self.document.source}, block {self.number}", 1, 1)
            self.place = place
            if name == "p":
                self.document.add(self.paragraph(), place)
            elif name == "tbl":
                self.table(place)
            elif name in ("sdt", "sdtContent"):
                self.blocks()

    def paragraph(self) -> str:
        pieces: list[str] = []
        heading = self.pieces(pieces, 0)
        text = "".join(pieces)
        return f"{'#' * heading} {text}" if heading and text.strip() else text

    def pieces(self, out: list[str], depth: int) -> int:
        """The text of the element that has begun; its heading's level, 0 for another paragraph."""
        heading = 0
        for name, about in self.xml.children() if depth < DEEPEST else ():
            if name == "t":
                out.append(self.xml.text())
            elif name in _CHARACTERS:
                out.append(_CHARACTERS[name])
            elif name in ("strike", "dstrike"):
                self.is_struck = about.get("val", "true") not in ("0", "false", "off")
            elif name == "r":
                self.is_struck = False
                run: list[str] = []
                self.pieces(run, depth + 1)
                if not self.is_struck:
                    out += run
                elif text := "".join(run).strip():
                    self.document.crossed.append(crossed_out(text, self.place))
            elif name == "sym":
                out.append(_symbol(about.get("char", "")))
            elif name == "borderBox":
                self.box(out, depth + 1)
            elif name == "pStyle":
                if about.get("val", "").casefold() in ("caption", "beschriftung", "legend", "lgende"):
                    out.append(f"{NEAR} ")
                level = re.fullmatch(
                    r"(?:heading|berschrift|titre|titel|title|ttulo)\s?([1-6]?)", about.get("val", "").casefold()
                )
                heading = int(level[1] or 1) if level else heading
            elif name == "m":
                out.append(self.matrix(depth + 1))
            elif name in ("sub", "sup"):
                out.append("_{" if name == "sub" else "^{")
                self.pieces(out, depth + 1)
                out.append("}")
            elif name == "f":
                out.append(self.fraction(depth + 1))
            elif name not in ("del", "moveFrom", "instrText", "drawing", "pict", "object"):
                heading = self.pieces(out, depth + 1) or heading
        return heading

    def box(self, out: list[str], depth: int) -> None:
        """The text of a box around mathematics; one with a stroke is crossed out."""
        inside: list[str] = []
        is_struck = False
        for name, _ in self.xml.children():
            if name == "borderBoxPr":
                strokes = [about for stroke, about in self.xml.children() if stroke.startswith("strike")]
                is_struck = any(about.get("val", "1") not in ("0", "false", "off") for about in strokes)
            elif name == "e":
                self.pieces(inside, depth + 1)
        if is_struck:
            self.document.crossed.append(crossed_out("".join(inside).strip(), self.place))
        else:
            out += inside

    def fraction(self, depth: int) -> str:
        halves: list[list[str]] = []
        for name, _ in self.xml.children():
            if name in ("num", "den"):
                halves.append([])
                self.pieces(halves[-1], depth + 1)
        return "/".join(f"({''.join(half)})" for half in halves)

    def matrix(self, depth: int) -> str:
        rows: list[list[str]] = []
        for name, _ in self.xml.children():
            if name == "mr":
                rows.append([])
                for cell, _ in self.xml.children():
                    if cell == "e":
                        pieces: list[str] = []
                        self.pieces(pieces, depth + 1)
                        rows[-1].append("".join(pieces).strip())
        return r"\begin{matrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{matrix}"

    def table(self, place: Location) -> None:
        rows: list[list[Cell]] = []
        is_spoiled = False
        for name, _ in self.xml.children():
            if name != "tr":
                continue
            rows.append([])
            for cell, _ in self.xml.children():
                if cell != "tc":
                    continue
                texts: list[str] = []
                at = f"{place.source}, row {len(rows)}, column {len(rows[-1]) + 1}"
                self.place = Location(at, 1, 1)
                for inner, _ in self.xml.children():
                    if inner == "p":
                        texts.append(self.paragraph().strip())
                    elif inner == "tcPr":
                        is_spoiled |= any(
                            element in ("gridSpan", "vMerge", "hMerge") for element, _ in self.xml.children()
                        )
                    elif inner == "tbl":
                        is_spoiled = True
                rows[-1].append(Cell(" ".join(filter(None, texts)), Location(at, 1, 1)))
        if is_spoiled:
            self.document.faults.append(Diagnostic(_MERGED, place))
            self.document.add("", place)
        else:
            self.document.table([row for row in rows if row], place, False)


def _symbol(code: str) -> str:
    """Return a character of the font Symbol by its code: digits and signs as in ASCII; others none can read."""
    number = int(code, 16) & 0xFF if re.fullmatch("[0-9A-Fa-f]{2,4}", code) else 0
    plain = chr(number) if chr(number) in " +/().,:;=<>[]{}|%0123456789" else ODD
    return {0x2D: "−", 0xB1: "±", 0xB4: "×", 0xD7: "·", 0xA5: "∞", 0xBB: "≈", 0xA2: "′"}.get(number, plain)


_FORMS = {
    ".ipynb": ("a notebook (.ipynb)", _notebook),
    ".html": ("a web page (.html)", _page),
    ".htm": ("a web page (.html)", _page),
    ".docx": ("a Word document (.docx)", _word),
    ".eml": ("an e-mail (.eml)", _mail),
}
