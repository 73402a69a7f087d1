"""Web pages, Word documents, e-mails and notebooks as free text. Every line knows where it is from.

A table becomes one of Markdown, a heading a heading. What has no place in such a text is a fault, such as merged cells.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from pathlib import PurePath
from typing import Any
from warnings import catch_warnings, simplefilter

from ...errors import AttncalcError, Diagnostic, Location, shorten
from ...problem.yaml_file.nodes import LARGEST_FILE, ZIP, known_content
from ..answer_examples import beyond
from ..located_text import Written, fixed, joined
from ..submission import Answer, Typed, crossed_out
from ..tables.xml_stream import Limit, Malformed, Parts, Xml, reason
from ..text_encoding import TYPE, decoded_script
from .bracketed_lists import CALL, bracket_end
from .formula_text import EDGE, ODD, SEAM, Mathematics, fenced, fraction, grid, marked, power, raised, root, with_seams
from .html_tokens import Tag, tokens

MOST_LINES = 50_000
CAPTION, NEAR = "Table:", "Table 0:"  # begin the line of a caption: of the next table, or of the one before it
DEEPEST = 60  # elements inside each other that are looked into
LONGEST_SELECTOR = 200  # characters of a style sheet in which the name of an element is looked for
WORD, STYLES = "word/document.xml", "word/styles.xml"
_MERGED = "expected a table of single cells, found merged cells; split them, or write `S =` and rows of numbers"
_NESTED = "expected a table of numbers, found a table inside a table; write `S =` and rows of numbers"
_OTHER_FORM = "expected {}, found {}; {}"
_AGAIN = "open it and save it again, or paste its text into a .md file, such as S = [[1, 2], [3, 4]]"
_OBJECT = re.compile(r"<[\w.]+ object(?: at \w+)?>")  # the name of what has another form as well
_NO_PLAIN = "expected an output as text, found only {}; use print, such as print(S)"
_NOT_CALCULATED = (
    "expected an answer that is typed, such as {0} = [[1, 2], [3, 4]] or {0} = 0.5; found {1!r}, which attncalc does "
    "not calculate"
)
_NOT_TYPED_ALONE = (
    "expected a cell that only assigns numbers, such as {0} = 0.5; found {1!r}; assign {0} in a separate cell"
)
_BETWEEN = re.compile(r"[\s,()]*")  # values of a print
_NUMBER = r"[-+]?(?:[0-9]+(?:/[0-9]+|\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_PRINTED_NUMBER = re.compile(rf"(?:{_NUMBER}|[A-Za-z.0-9]+\([-+0-9., eE'/]*[0-9][-+0-9., eE'/]*\))(?=[\s,)]|\Z)")
_MAGIC = re.compile(r"(?m)^[ \t]*[%!?].*$")  # commands of the notebook
_COMMAND = re.compile(r"(?m)^[ \t]*(?:%%?[A-Za-z]|[!?]).*$")  # `% words` is a comment in MATLAB
_CELL_MAGIC = re.compile(r"\s*%%[A-Za-z]")
_OF_ARRAY = ("round", "numpy", "tolist", "detach")  # what shows an array in another way
_BLOCKS = frozenset((
    "p", "div", "section", "article", "li", "ul", "ol", "body", "header", "footer", "blockquote", "dl", "dt", "dd",
    "tr", "table", "center", "form", "main", "nav", "aside", "figure", "figcaption", "details", "summary", "fieldset",
    "legend", "address", "hgroup", "html", "hr",
))  # fmt: skip
# What changes the look of a text alone, or is read elsewhere in this file
_INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "input", "ins",
    "kbd", "label", "mark", "nobr", "output", "q", "s", "samp", "small", "strike", "strong", "sub", "sup", "time", "tt",
    "u", "var", "wbr", "br", "caption", "tbody", "thead", "tfoot", "td", "th", "pre", "h1", "h2", "h3", "h4", "h5",
    "h6", "col", "colgroup", "meta", "link", "textarea", "o:p", "span",
))  # fmt: skip
_STRUCK = frozenset(("del", "s", "strike"))
_SHEET = re.compile(r"<style[^<>]*+>(.*?)(?:</style>|\Z)", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_RULE = re.compile(r"(?:^|(?<=[{}]))([^{}]++)\{([^{}]*+)\}")  # of a style sheet
_LAST_SELECTOR = re.compile(r"(?:^|[\s>+~*])([\w-]*)(?:\.([\w-]+))?\s*$")
_LOOKS = (  # how a style makes an element look, where that changes how it is read
    ("struck", re.compile(r"text-decoration[^;]{0,200}line-through")),
    ("hidden", re.compile(r"display: ?none|visibility: ?(?:hidden|collapse)|font-size: ?0(?![.0-9]*[1-9])|mso-hide")),
    ("odd", re.compile(
        r"text-decoration[^;]{0,200}overline|border-top[^;]{0,200}(?:solid|double)|transform: ?(?!none)"
    )),
    ("apart", re.compile(r"display: ?(?:inline-|block|flex|grid|table)|position: ?(?:absolute|fixed)|float: ?[lr]")),
    ("raised", re.compile(r"vertical-align: ?super")), ("lowered", re.compile(r"vertical-align: ?sub")),
)  # fmt: skip
_ENDS_ITSELF = frozenset(("p", "li", "td", "th", "tr"))  # where the next one of its name begins
_EMPTY = frozenset(("br", "hr", "img", "input", "col", "wbr", "meta", "link"))  # elements without an end
_SILENT = frozenset(("script", "style", "head", "template", "title", "svg", "canvas", "noscript", "video", "audio"))


@dataclass(slots=True)
class Relaid:
    """A text in lines, and what could not be laid out."""

    source: str
    lines: list[Written] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    crossed: list[Diagnostic] = field(default_factory=list)
    doubts: list[Answer] = field(default_factory=list)
    is_exact: bool = False  # whether the text stands in the file as it is laid out

    def add(self, text: str, place: Location) -> None:
        """Append some lines, which begin there."""
        for k, line in enumerate(text.split("\n")):
            self.put(self.at(line, Location(place.source, place.line + k * self.is_exact, 1)))

    def at(self, text: str, place: Location) -> Written:
        """Return a text that begins there; its characters are there as well if it is not exact."""
        return Written(text, place.shifted) if self.is_exact else fixed(text, place)

    def put(self, line: Written) -> None:
        """Append a line."""
        if len(self.lines) >= MOST_LINES:
            raise Limit(beyond(f"at most {MOST_LINES:,} lines"))
        self.lines.append(line)

    def append(self, other: Relaid) -> None:
        """Append all of another document."""
        for line in other.lines:
            self.put(line)
        self.faults += other.faults
        self.crossed += other.crossed

    def table(self, rows: list[list[Written]], place: Location, has_header: bool, caption: str = "") -> None:
        """Append a table of Markdown; the line of dashes is below its first row if that is a header."""
        if not rows:
            return
        self.add("", place)
        if caption.strip():
            self.add(f"{CAPTION} {' '.join(caption.split())}", place)
        for k, row in enumerate(rows):
            cells = [Written(cell.text.replace("|", "\\|"), cell.at) for cell in row]
            self.put(joined(cells, " | ").framed("| ", " |"))
            if k == 0 and has_header:
                self.add("|" + "---|" * len(row), place)
        self.add("", place)

    def quote(self, first: int) -> None:
        """Put the sign of a quotation in front of the lines from there on."""
        self.lines[first:] = [line.framed("> ") for line in self.lines[first:]]

    def written(self) -> Written:
        """Return the text; a character of it is at the place of its line."""
        return joined(self.lines or [fixed("", Location(self.source))])


def is_relaid(data: str | bytes, source: str) -> bool:
    """Return whether a file is a web page, a Word document, an e-mail or a notebook, by its beginning or its name."""
    return bool(_form(data, source))


def is_mail(data: str | bytes, source: str) -> bool:
    """Return whether a file is an e-mail, by its name."""
    return _form(data, source) == ".eml"


_PAGE = re.compile(r"\ufeff?\s*<(?:!doctype html|html|table|body)\b", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z!/]")
_BOOK = re.compile(r"\ufeff?\s*\{[^{]{0,200}\"(?:cells|nbformat)\"\s*:")
_HEAD = 5_000  # characters by which a form is known


def _form(data: str | bytes, source: str) -> str:
    """Return the ending of the form that a file has, whatever it is called; empty for other files."""
    named = PurePath(source).suffix.lower()
    if isinstance(data, bytes) and data.startswith(ZIP):
        return ".docx" if WORD.encode() in data else named if named in _FORMS else ""
    head = data[:_HEAD].decode("utf-8", "replace") if isinstance(data, bytes) else data[:_HEAD]
    if _PAGE.match(head):
        return ".html"
    if _BOOK.match(head) and '"cell_type"' in head:
        return ".ipynb"
    if named in (".html", ".htm") and not _TAG.search(
        data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    ):
        return ""  # a text without a tag
    return named if named in _FORMS else ""


def relaid(data: str | bytes, source: str) -> Relaid:
    """Return the text of such a file. Raises AttncalcError if it is none, or larger than people make."""
    document = Relaid(source)
    kind, lay = _FORMS.get(_form(data, source), _FORMS[".html"])
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if content := known_content(raw) if not raw.startswith(ZIP) else None:
        raise AttncalcError(_OTHER_FORM.format(kind, content, TYPE), Location(source))
    try:
        lay(data, document)
    except AttncalcError:
        raise
    except Limit as error:
        raise AttncalcError(str(error), Location(source)) from None
    except Exception as error:  # whatever a damaged file makes of a reader
        is_text = not raw.startswith(ZIP) and b"\0" not in raw[:_HEAD] and kind != _FORMS[".ipynb"][0]
        content = "a text" if is_text else f"something else ({reason(error)})"
        remedy = "change the ending of its name to .md" if is_text else _AGAIN
        raise AttncalcError(_OTHER_FORM.format(kind, content, remedy), Location(source)) from None
    return document


def _text(data: str | bytes, document: Relaid) -> str:
    text = decoded_script(data, document.source)
    document.crossed += [text.note] if text.note else []
    return text.text


# -- e-mails -----------------------------------------------------------------------------------------------------------


def _mail(data: str | bytes, document: Relaid) -> None:
    """Read the body of an e-mail, and note what is attached as faults; its headers are not answers."""
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > LARGEST_FILE:
        raise Limit(beyond(f"an email of at most {LARGEST_FILE:,} bytes", f"{len(raw):,}"))
    _check_headers(raw)
    mail = message_from_bytes(raw, policy=policy.default)
    body = mail.get_body(("plain", "html"))
    if body is None:
        message = "expected an email with a text body, found none; save the answers as text (.md)"
        raise AttncalcError(message, Location(document.source))
    inside = Relaid(f"{document.source}, body")
    content: Any = body.get_payload(decode=True)
    with suppress(LookupError, UnicodeDecodeError):  # another encoding than it says
        content = content.decode(body.get_content_charset("utf-8")).encode()
    if body.get_content_subtype() == "html":
        _page(content, inside)
    else:
        inside.is_exact = True
        inside.add(_text(content, inside).replace("\r\n", "\n"), Location(inside.source, 1, 1))
    document.lines, document.is_exact = inside.lines, inside.is_exact
    document.faults, document.crossed = inside.faults, inside.crossed
    for attachment in mail.iter_attachments():
        is_mail = attachment.get_content_maintype() == "message"
        name = shorten(attachment.get_filename() or ("a mail" if is_mail else attachment.get_content_type()), 60)
        example = "answers.eml" if is_mail else name
        message = f"the attachment {name!r} is not read; save it as a separate file, such as {example}"
        document.faults.append(Diagnostic(message, Location(document.source)))


# The lines at the top, below a boundary, and of a mail inside another one
_HEADERS = re.compile(
    rb"(?mi)(?:\A|^--[^\r\n]*+\r?\n|^content-type: *+message/[^\r\n]*+\r?\n\r?\n)((?:[^\r\n]++(?:\r?\n|\Z))*+)"
)
_CONTENT_HEADER = re.compile(rb"(?mi)^content-[\w-]+:[^\r\n]*+(?:\r?\n[ \t][^\r\n]*+)*+")
MOST_HEADER = 10_000  # bytes of one header about the content; the email package takes quadratic time


def _check_headers(raw: bytes) -> None:
    """Raise Limit for a header, also of a part, that the email package would parse for minutes."""
    lengths = (len(header[0]) for block in _HEADERS.finditer(raw) for header in _CONTENT_HEADER.finditer(block[1]))
    if (longest := max(lengths, default=0)) > MOST_HEADER:
        raise Limit(
            beyond(f"a header of at most {MOST_HEADER:,} bytes", f"{longest:,}", "save the answers as text (.md)")
        )


# -- notebooks ---------------------------------------------------------------------------------------------------------


def _notebook(data: str | bytes, document: Relaid) -> None:
    """Read the cells of Markdown, and of each cell of code its text and what it printed."""
    document.is_exact = True
    book = json.loads(_text(data, document).removeprefix("\ufeff"))
    typed: set[str] = set()
    for number, cell in enumerate(book["cells"], 1):
        text, kind = _joined(cell.get("source", "")), cell.get("cell_type")
        cell_place = Location(f"{document.source}, cell {number}", 1, 1)
        names: list[str] = []
        if kind == "code":
            program, earlier = _Program(text, bool(cell.get("outputs"))), len(document.doubts)
            document.doubts += program.doubts(cell_place, typed)
            if _CELL_MAGIC.match(text) and len(document.doubts) == earlier and re.search("[0-9]", text):
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


class _Program:
    """The code of a cell, which is never run. `is_shown` says that the cell has an output."""

    def __init__(self, code: str, is_shown: bool):
        self.code, self.bare = code, _MAGIC.sub("", code)
        self.statements: list[ast.stmt] | None = None  # of what is not Python
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError), catch_warnings():
            simplefilter("ignore")
            self.statements = ast.parse(self.bare).body
        self.more = self._more_than_typed(is_shown)

    def _more_than_typed(self, is_shown: bool) -> tuple[str, int] | None:
        """Return the first command or statement that does more than assign typed values, and its line; None without
        one. A cell with an output may also show values.
        """
        if command := _COMMAND.search(self.code):
            return command[0].strip(), 1 + self.code.count("\n", 0, command.start())
        statements = self.statements or []
        names = {name.id for statement in statements if _is_read(statement) for name in _names_of(statement)}
        for statement in statements:
            if not (_is_read(statement) or is_shown and _only_shows(statement) or _keeps_values(statement, names)):
                return ast.unparse(statement), statement.lineno
        return None

    def answers(self) -> tuple[str, list[str]]:
        """Return the lines that hold a matrix that was typed, others blank, and the names of what the cell shows, in
        their order. No line is kept of a program that may do more than assign typed values.

        There are no names if something is shown that has none, or in a loop.
        """
        tree = self.statements
        if tree is None:
            return "" if _CELL_MAGIC.match(self.code) else re.sub(r"(?m)^[ \t]*#.*$", "", self.bare), []  # no headings
        lines, kept = self.bare.split("\n"), [""] * (self.bare.count("\n") + 1)
        for statement in filter(_is_read, tree) if self.more is None else ():
            first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
            kept[first:last] = lines[first:last]
        shown = [node for statement in tree for node in ast.walk(statement) if _is_print(node)]
        shown += [tree[-1].value] if tree and isinstance(tree[-1], ast.Expr) and not _is_print(tree[-1].value) else []
        top = [statement.value for statement in tree if isinstance(statement, ast.Expr)]
        names = [
            name for part in shown for name in (_shown(part) if isinstance(part, ast.expr) and part in top else [""])
        ]
        return "\n".join(kept), names if all(names) else []

    def doubts(self, cell: Location, typed: set[str]) -> Iterator[Answer]:
        """Yield what the program makes of typed matrices, since nothing is run: `A = [[1, 2]]` is read, `A = A.T` is
        not. Yield the typed values of a program that does more as well. `typed` are the names of such matrices so far.
        """
        nodes = [node for statement in self.statements or () for node in ast.walk(statement)]
        assignments = [node for node in nodes if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)]
        for node in sorted(assignments, key=lambda node: (node.lineno, node.col_offset)):
            names_inside = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
            used = {name.id for name in names_inside if isinstance(name.ctx, ast.Load)}
            is_at_top = node in (self.statements or ())
            is_read = is_at_top and _is_read(node)
            is_listed = is_at_top and not is_read and _has_number(node.value)
            for name in _names_of(node) if node.value is not None else ():
                is_changed = name.id in typed and (name.id in used or isinstance(node, ast.AugAssign))
                if is_changed or is_listed or not is_read and node.value and any(map(_is_matrix, ast.walk(node.value))):
                    what, place = ast.unparse(node), Location(cell.source, node.lineno, node.col_offset + 1)
                    message = _NOT_CALCULATED.format(name.id, shorten(what))
                    yield _doubt(name.id, what, message, place, is_changed)
                elif is_read and self.more is not None:
                    what, line = self.more
                    message = _NOT_TYPED_ALONE.format(name.id, shorten(what))
                    yield _doubt(name.id, what, message, Location(cell.source, line, 1), name.id in typed)
                if is_read:
                    typed.add(name.id)


def _names_of(statement: ast.stmt) -> list[ast.Name]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [name for target in targets if target is not None for name in _assigned(target)]


def _keeps_values(statement: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement changes none of the names: it is an import, or calculates another name."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return names.isdisjoint(alias.asname or alias.name for alias in statement.names)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if not targets or not all(isinstance(target, ast.Name) and target.id not in names for target in targets):
        return False
    parts = list(ast.walk(statement))
    methods = [part.func for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)]
    may_change = any(isinstance(part.value, ast.Name) and part.value.id in names for part in methods)
    return not may_change and not any(isinstance(part, ast.NamedExpr) for part in parts)


def _only_shows(statement: ast.stmt) -> bool:
    """Return whether a statement shows values and calls nothing that may change one."""
    if not isinstance(statement, ast.Expr):
        return False
    parts = list(ast.walk(statement))
    calls = [part.func for part in parts if isinstance(part, ast.Call)]
    called = {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in calls}
    return called <= {"print", "display", *_OF_ARRAY} and not any(isinstance(part, ast.NamedExpr) for part in parts)


def _doubt(name: str, cause: str, message: str, place: Location, is_typed: bool) -> Answer:
    """Return an answer that is not read. If its matrix was typed before, it is read as typed, and none of its entries
    may hide this.
    """
    rows = ((Typed(cause, word=True) if is_typed else None,),)
    return Answer(None, name, None, rows, place=place, loose=True, doubt=Diagnostic(message, place))


def _is_read(node: ast.AST) -> bool:
    """Return whether a statement gives a name a matrix or a number that is typed."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and not isinstance(node.targets[0], ast.Tuple | ast.List)
        and _is_typed(node.value)
    )


def _assigned(target: ast.expr) -> list[ast.Name]:
    """Return the names that a target of an assignment sets, wholly or in part."""
    while isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Tuple | ast.List):
        return [name for inner in target.elts for name in _assigned(inner)]
    return [target] if isinstance(target, ast.Name) else []


def _has_number(value: ast.expr | None) -> bool:
    """Return whether a value is a number that is typed, or several of them."""
    return value is not None and (
        isinstance(value, ast.Tuple) and any(map(_has_number, value.elts)) or _is_number(value)
    )


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
        return _is_number(value.left) and _is_number(value.right)
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return (
            name in _OF_NUMBERS
            and not value.keywords
            and all(
                _is_number(argument) or isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                for argument in value.args
            )
        )
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


_OF_NUMBERS = frozenset(
    ("round", "Fraction", "Rational", "Decimal", "float", "float32", "float64", "sqrt", "exp", "log")
)


def _shown(value: ast.expr) -> list[str]:
    """Return the names of what is shown: `Z`, `Z.round(2)`, `np.round(Z, 2)`, `print(Z)`, `S, A`; an empty one else."""
    if isinstance(value, ast.Tuple):
        return [name for part in value.elts for name in _shown(part)]
    if isinstance(value, ast.Call) and _is_print(value):
        return [name for part in value.args for name in _shown(part)]
    if isinstance(value, ast.Call):
        of_array = isinstance(value.func, ast.Attribute) and value.func.attr in _OF_ARRAY
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
    page = _Page(document, _style_sheets(text))
    page.read(text)
    page.end_aside_text()
    page.end_line()


def _style_sheets(text: str) -> dict[str, str]:
    """Return how the style sheets of a page make elements look, by their names (`em`) and their classes (`.old`)."""
    looks: dict[str, str] = {}
    for sheet in _SHEET.findall(text):
        for selectors, style in _RULE.findall(_COMMENT.sub("", sheet)):
            if look := _look(style):
                for selector in selectors.split(","):
                    if last := _LAST_SELECTOR.search(selector.strip()[-LONGEST_SELECTOR:]):
                        looks[f".{last[2]}" if last[2] else last[1].lower()] = look
    return looks


def _look(style: str) -> str:
    """Return how a style makes an element look; empty if it is read as others are."""
    return next((look for look, pattern in _LOOKS if pattern.search(style.lower())), "")


class _Page:
    """The lines of a page and its tables; tags are never nested here, since nothing is kept of what is around."""

    def __init__(self, document: Relaid, looks: dict[str, str]):
        self.document = document
        self.at = (1, 0)  # the line and the column of the tag or the text that is read
        self.looks = looks
        self.aside_tag = ""  # of the element that is crossed out, hidden or unreadable
        self.aside_look = ""
        self.aside_depth = 0  # elements of that name inside each other
        self.aside: list[str] = []
        self.aside_place = self.place()
        self.placed: list[tuple[str, str]] = []  # elements that are raised or lowered, and what ends them
        self.line: list[str] = []
        self.quotes: list[int] = []  # the first line of each quotation that is open
        self.rows: list[list[Written]] | None = None
        self.caption: list[str] = []  # of the table, as far as it is read
        self.cell: list[str] = []  # the last one of the table, likewise
        self.is_in_cell = self.is_in_caption = False
        self.mathematics = Mathematics()
        self.silent = self.pre = 0
        self.begin = self.place()
        self.has_header = self.is_spoiled = False

    def place(self) -> Location:
        line, column = self.at
        return Location(self.document.source, line, column + 1)

    def read(self, page: str) -> None:
        """Read the tags and the texts of a page in their order."""
        for content, *at in tokens(page):
            self.at = (at[0], at[1])
            if isinstance(content, str):
                self.put_text(content)
                continue
            if not content.is_end:
                self.begin_element(content)
            if content.is_end or content.is_empty:
                self.end_element(content.name)

    def begin_element(self, element: Tag) -> None:
        tag, attrs = element.name, element.attributes
        look = self.look_of(tag, dict(attrs))
        self.begin_aside_text(tag, look)
        if self.mathematics or tag == "math":
            self.mathematics.start(tag, dict(attrs))
            return
        self.begin_inline(tag, look)
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
            self.is_in_cell, self.caption = False, []
        elif tag == "caption" and self.rows is not None:
            self.is_in_caption = True
        elif self.rows is not None and tag == "tr":
            self.end_cell()
            self.rows.append([])
            self.is_in_cell = self.is_in_caption = False
        elif self.rows is not None and tag in ("td", "th"):
            self.end_cell()
            if any(name in ("colspan", "rowspan") and value not in (None, "", "1") for name, value in attrs):
                self.spoil(_MERGED)
            self.rows = self.rows or [[]]
            self.has_header |= tag == "th" and len(self.rows) == 1 and bool(self.rows[0] or len(self.rows) == 1)
            self.is_in_cell, self.is_in_caption = True, False
            self.rows[-1].append(fixed("", self.place().shifted(len(element.text) * ("\n" not in element.text))))
        elif tag == "input":
            about = dict(attrs)
            self.put((about.get("value") or "") if about.get("type") in (None, "", "text", "number") else "")
        elif tag == "br":
            self.put(" " if self.rows is not None else "\n")
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.end_line()
            self.line.append("#" * int(tag[1]) + " ")
        elif tag == "blockquote" and self.rows is None:
            self.end_line()
            self.quotes.append(len(self.document.lines))
        elif tag in _BLOCKS:
            self.end_block()

    def begin_inline(self, tag: str, look: str) -> None:
        """Open an element inside a line: what may part digits, and what is raised or lowered."""
        if tag == "img":
            self.put(ODD)
        elif look in ("raised", "lowered") or tag in ("sub", "sup"):
            sign = "_" if look == "lowered" or tag == "sub" else "^"
            self.put(raised(self.tail(), "0", sign).removesuffix("{0}") + "{")
            self.placed.append((tag, "}"))
        elif self.placed and tag == "a":
            self.put(ODD)  # the mark of a footnote
        elif look == "apart" and tag not in _BLOCKS:
            self.put(" ")
            self.placed.append((tag, " "))
        elif tag == "span":
            self.put(SEAM)
            if self.placed:
                self.placed.append((tag, ""))
        elif tag not in _INLINE and tag not in _BLOCKS and not tag.startswith("mjx-"):
            self.put(EDGE)

    def tail(self) -> str:
        """Return the end of what has been read last of the line or the cell."""
        if self.rows:
            return "".join(self.cell[-3:])[-40:] if self.is_in_cell else ""
        return "".join(self.line[-3:])[-40:]

    def end_block(self) -> None:
        """End a line, or part the texts of a cell."""
        if self.rows is None:
            self.end_line()
        else:
            self.put(" ")

    def look_of(self, tag: str, about: dict[str, str | None]) -> str:
        """Return how an element looks: struck, hidden, copy, odd, apart, raised, lowered; empty if it is as others
        are.
        """
        if tag in _STRUCK:
            return "struck"
        if about.get("aria-hidden") == "true":
            return "copy"
        if "hidden" in about and about["hidden"] != "until-found":
            return "hidden"
        names = [f".{name}" for name in (about.get("class") or "").split()]
        look = _look(about.get("style") or "") or next(filter(None, map(self.looks.get, [*names, tag])), "")
        return "" if look == "odd" and tag not in _INLINE or look == "odd" and tag in ("td", "th") else look

    def end_mathematics(self, tag: str) -> None:
        """Close an element of MathML."""
        text = self.mathematics.end(tag)
        if not self.aside_tag:
            self.document.crossed += [crossed_out(struck, self.place()) for struck in self.mathematics.struck]
        self.mathematics.struck.clear()
        self.put(text)

    def begin_aside_text(self, tag: str, look: str) -> None:
        """Open an element that is crossed out, hidden or unreadable, or a copy of mathematics for the eye."""
        if self.aside_tag == tag and tag in _ENDS_ITSELF:
            self.end_aside_text()
        if self.aside_tag:
            self.aside_depth += tag == self.aside_tag
        elif tag not in _EMPTY and look in ("struck", "hidden", "odd", "copy"):
            self.aside_tag, self.aside_look, self.aside_depth, self.aside_place = tag, look, 1, self.place()

    def end_aside_text(self) -> None:
        """Close such an element: what was crossed out or hidden is noted, and a copy if it does not end; what is
        unreadable stays as such a sign.
        """
        text, look = "".join(self.aside).strip(), self.aside_look
        if look == "copy" and not self.aside_depth:
            text = ""
        self.aside_tag, self.aside_depth, self.aside = "", 0, []
        if look == "odd" and text:
            self.put(ODD)
        elif look == "struck" and text or re.search("[0-9]", text):
            self.document.crossed.append(
                crossed_out(with_seams(text), self.aside_place, "crossed out" if look == "struck" else "hidden")
            )

    def end_element(self, tag: str) -> None:
        if tag == self.aside_tag:
            self.aside_depth -= 1
        if self.aside_tag and (not self.aside_depth or tag == "table" and self.aside_tag in _ENDS_ITSELF):
            self.end_aside_text()
        if self.mathematics:
            self.end_mathematics(tag)
            return
        if tag in _SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag == "pre":
            self.end_line()
            self.pre = max(0, self.pre - 1)
        elif tag == "table" and self.rows is not None:
            self.end_cell()
            rows, self.rows, self.is_in_cell = [row for row in self.rows if row], None, False
            self.is_in_caption = False
            if self.is_spoiled:
                self.document.add("", self.begin)
            else:
                whole = [[Written(with_seams(cell.text), cell.at) for cell in row] for row in rows]
                self.document.table(whole, self.begin, self.has_header, with_seams("".join(self.caption)))
        elif tag in ("td", "th", "caption"):
            self.is_in_cell = self.is_in_caption = False
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.end_line()
        elif tag == "blockquote" and self.rows is None and self.quotes:
            self.end_line()
            self.document.quote(self.quotes.pop())
        elif tag in _BLOCKS:
            self.end_block()
        elif self.placed and self.placed[-1][0] == tag:
            self.put(self.placed.pop()[1])
        elif tag not in _INLINE and not tag.startswith("mjx-"):
            self.put(EDGE)

    def put_text(self, data: str) -> None:
        if self.mathematics:
            self.mathematics.data(data)
            return
        self.put(data if self.pre else re.sub(r"\s+", " ", data))

    def put(self, text: str) -> None:
        if self.silent:
            return
        if self.aside_tag:
            self.aside.append(text)
            return
        if self.is_in_caption:
            self.caption.append(text)
        elif self.is_in_cell and self.rows:
            self.cell.append(text.replace("\n", " "))
        elif self.rows is None:
            if not self.line:
                self.begin = self.place()
            self.line.append(text)

    def end_cell(self) -> None:
        """Put the text that has been read of the last cell of the table into it."""
        if self.cell and self.rows:
            self.rows[-1][-1] = Written("".join(self.cell).lstrip(), self.rows[-1][-1].at)
        self.cell = []

    def spoil(self, message: str) -> None:
        if not self.is_spoiled:
            self.document.faults.append(Diagnostic(message, self.place()))
        self.is_spoiled = True

    def end_line(self) -> None:
        text = with_seams("".join(self.line))
        self.line, self.placed = [], []
        if text.strip():
            self.document.add(text if self.pre else "\n".join(line.strip() for line in text.split("\n")), self.begin)
        elif self.document.lines and self.document.lines[-1].text:
            self.document.add("", self.place())


# -- Word --------------------------------------------------------------------------------------------------------------


def _word(data: str | bytes, document: Relaid) -> None:
    """Read the paragraphs, tables and formulas of a document, in their order."""
    if isinstance(data, str):
        raise Malformed("text")
    parts = Parts(data, "a Word document")
    if WORD not in parts.names:
        raise Malformed("an archive without a Word document")
    styles = _looks(parts.xml(STYLES)) if STYLES in parts.names else {}
    _Word(parts.xml(WORD), document, styles).read()
    for name, what in _NOTES:
        _note_aside(parts, name, what, document)


_NOTES = (
    ("word/footnotes.xml", "in a footnote"),
    ("word/endnotes.xml", "in an endnote"),
    ("word/comments.xml", "in a comment"),
)


def _note_aside(parts: Parts, name: str, what: str, document: Relaid) -> None:
    """Note the numbers of a part of a document that is no answer."""
    xml = parts.xml(name) if name in parts.names else None
    for _ in xml.children() if xml else ():
        if re.search("[0-9]", text := xml.text() if xml else ""):
            document.crossed.append(crossed_out(text, Location(document.source), what))


_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# What holds text as it is read, and what holds none that is shown
_PLAIN = frozenset((
    "oMath", "e", "box", "ins", "moveTo", "hyperlink", "smartTag", "customXml", "sdt", "sdtContent", "fldSimple", "dir",
    "bdo", "num", "den", "fName", "func", "deg", "sub", "sup", "p",
))  # fmt: skip
_ASIDE = frozenset((
    "del", "moveFrom", "delText", "delInstrText", "ctrlPr", "argPr", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr",
))  # fmt: skip
_PICTURES = frozenset(("drawing", "pict", "object"))
_SYMBOL_FONTS = re.compile(r"(?i)wingdings|webdings|dingbats|marlett|mt extra|bookshelf symbol|symbol")
_SWITCHES = {"strike": "struck", "dstrike": "struck", "vanish": "hidden", "webHidden": "hidden"}
Look = dict[str, str]  # how a run looks, where that changes how it is read


class _Word:
    """WordprocessingML of ECMA-376, part 1, section 17: paragraphs (17.3.1), runs (17.3.2), tables (17.4), formulas
    (22.1). An element that is not known makes what it holds unreadable.
    """

    def __init__(self, xml: Xml, document: Relaid, styles: dict[str, Look] | None = None):
        self.xml = xml
        self.document = document
        self.styles = styles or {}
        self.number = 0  # of the paragraph, or the table
        self.place = Location(document.source)
        self.heading = 0  # the level of the paragraph, 0 for another one
        self.look: Look = {}  # of the paragraph
        self.shade = ""  # of the cell of a table
        self.boxes: list[Relaid] = []  # text boxes, which follow the block that they are in

    def read(self) -> None:
        for _ in self.xml.find("*", "body"):
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
            while self.boxes:
                self.document.append(self.boxes.pop(0))

    def paragraph(self) -> str:
        pieces: list[str] = []
        self.heading, self.look = 0, {}
        self.pieces(pieces, 0)
        heading, text = self.heading, with_seams("".join(pieces))
        return f"{'#' * heading} {text}" if heading and text.strip() else text

    def pieces(self, out: list[str], depth: int) -> None:
        """Append the text of the element that has begun."""
        for name, about in self.xml.children() if depth < DEEPEST else ():
            self.piece(name, about, out, depth + 1)

    def inside(self, depth: int) -> str:
        """Return the text of the element that has begun."""
        out: list[str] = []
        self.pieces(out, depth)
        return "".join(out)

    def piece(self, name: str, about: dict[str, str], out: list[str], depth: int) -> None:
        """Append the text of one element."""
        if name == "t":
            out.append(self.xml.text())
        elif name in _CHARACTERS:
            out.append(_CHARACTERS[name])
        elif name == "r":
            self.run(out, depth)
        elif name == "pPr":
            self.paragraph_style(out)
        elif name == "rPr":
            self.look = {**self.look, **self.run_look()}
        elif name == "sym":
            out.append(_symbol(about.get("char", ""), about.get("font", "")))
        elif name == "AlternateContent":
            self.alternatives(out, depth)
        elif name in _PICTURES:
            self.picture(out)
        elif name == "instrText":
            out.append(ODD * self.xml.text().strip().startswith("EQ"))  # a formula that is drawn
        elif name == "oMath":
            out += [SEAM, self.inside(depth), SEAM]
        elif name == "oMathPara":
            formulas = [self.inside(depth) for formula, _ in self.xml.children() if formula == "oMath"]
            out.append("\n".join(formulas))
        elif name in _FORMULAS:
            out.append(self.formula(name, depth))
        elif name in _PLAIN:
            self.pieces(out, depth)
        elif name not in _ASIDE and self.inside(depth).strip():
            out.append(ODD)

    def paragraph_style(self, out: list[str]) -> None:
        """Read the properties of a paragraph: a heading, a caption, and how its runs look."""
        for name, about in self.xml.children():
            if name == "shd":
                self.look = {**self.look, "shaded": _shade(name, about)}
            if name != "pStyle":
                continue
            style = about.get("val", "")
            self.look = self.styles.get(style, {})
            if style.casefold() in ("caption", "beschriftung", "legend", "lgende"):
                out.append(f"{NEAR} ")
            if level := re.fullmatch(r"(?:heading|berschrift|titre|titel|title|ttulo)\s?([1-6]?)", style.casefold()):
                self.heading = int(level[1] or 1)

    def run_look(self) -> Look:
        """Return how the properties that have begun make a run look."""
        look: Look = {}
        for name, about in self.xml.children():
            value = about.get("val", "true")
            if name in _SWITCHES:
                look[_SWITCHES[name]] = "" if value in ("0", "false", "off") else "yes"
            elif name == "vertAlign":
                look["raised"] = {"superscript": "^", "subscript": "_"}.get(value, "")
            elif name == "position":
                look["odd"] = "" if value in ("0", "true") else "yes"
            elif name == "color":
                look["white"] = "yes" if value.upper() == "FFFFFF" else ""
            elif name in ("shd", "highlight"):
                look["shaded"] = _shade(name, about)
            elif name == "rFonts":
                look["font"] = about.get("ascii") or about.get("hAnsi") or ""
            elif name == "rStyle":
                look = {**self.styles.get(value, {}), **look}
        return look

    def run(self, out: list[str], depth: int) -> None:
        """Append the text of a run, as it looks."""
        inside: list[str] = []
        look = self.look
        for name, about in self.xml.children():
            if name == "rPr":
                look = {**look, **self.run_look()}
            else:
                self.piece(name, about, inside, depth + 1)
        text = "".join(inside)
        if look.get("struck") or look.get("hidden"):
            if text.strip():
                self.document.crossed.append(
                    crossed_out(text.strip(), self.place, "crossed out" if look.get("struck") else "hidden")
                )
            return
        is_odd = look.get("odd") or look.get("white") and not (self.shade or look.get("shaded"))
        if text.strip() and (is_odd or _is_odd_font(look.get("font", ""), text)):
            text = ODD
        out.append(raised("".join(out[-3:]), text, look["raised"]) if text and look.get("raised") else text)

    def alternatives(self, out: list[str], depth: int) -> None:
        """Append the first of several forms of one content."""
        for k, _ in enumerate(self.xml.find("Choice")):
            if k == 0:
                self.pieces(out, depth)

    def picture(self, out: list[str]) -> None:
        """Keep the text boxes in a drawing; one without any, in a line of text, is unreadable."""
        before, names = len(self.boxes), self.text_boxes(0)
        if len(self.boxes) == before and "anchor" not in names:
            out.append(ODD)

    def text_boxes(self, depth: int) -> set[str]:
        """Keep the text boxes of the element that has begun; return the names of its elements."""
        names: set[str] = set()
        for name, _ in self.xml.children() if depth < DEEPEST else ():
            names.add(name)
            if name == "txbxContent":
                box = Relaid(f"{self.place.source}, text box")
                _Word(self.xml, box, self.styles).blocks()
                self.boxes.append(box)
            else:
                names |= self.text_boxes(depth + 1)
        return names

    # -- formulas ------------------------------------------------------------------------------------------------------

    def formula(self, name: str, depth: int) -> str:
        """Return the text of an object of a formula."""
        if name == "m":
            return self.matrix(depth)
        about, parts = self.parts(depth)
        inner = [text for part, text in parts if part == "e"]
        first = dict(reversed(parts))
        is_on = {key: value not in ("0", "false", "off") for key, value in about.items()}
        e = inner[0] if inner else ""
        if name == "borderBox" and any(is_on[key] for key in about if key.startswith("strike")):
            self.document.crossed.append(crossed_out(e.strip(), self.place))
            return ""
        if name == "phant" and not is_on.get("show", True):
            return ""
        match name:
            case "f":
                return fraction(first.get("num", ""), first.get("den", ""), about.get("type") != "noBar")
            case "rad":
                return root(e, "" if is_on.get("degHide", False) else first.get("deg", ""))
            case "sSup" | "sSub" | "sSubSup":
                return power(e, first.get("sub", ""), first.get("sup", ""))
            case "d":
                ends = about.get("begChr", "("), about.get("endChr", ")")
                return fenced(inner, *ends, about.get("sepChr", "|"))
            case "eqArr":
                return "\n".join(inner)
            case "bar" | "acc" | "groupChr":
                return marked(e)
        return e  # a box around a formula

    def parts(self, depth: int) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """Return the properties of the object that has begun, and the texts of its parts."""
        about: dict[str, str] = {}
        parts: list[tuple[str, str]] = []
        for name, _ in self.xml.children():
            if name.endswith("Pr"):
                about |= {key: values.get("val", "1") for key, values in self.xml.children()}
            else:
                parts.append((name, self.inside(depth + 1)))
        return about, parts

    def matrix(self, depth: int) -> str:
        """Return the text of a matrix of a formula."""
        rows: list[list[str]] = []
        for _ in self.xml.find("mr"):
            rows.append([self.inside(depth + 1).strip() for _ in self.xml.find("e")])
        return grid(rows)

    def table(self, place: Location) -> None:
        rows: list[list[Written]] = []
        is_spoiled = False
        for _ in self.xml.find("tr"):
            rows.append([])
            for _ in self.xml.find("tc"):
                texts: list[str] = []
                at = f"{place.source}, row {len(rows)}, column {len(rows[-1]) + 1}"
                self.place = Location(at, 1, 1)
                for inner, _ in self.xml.children():
                    if inner == "p":
                        texts.append(" ".join(self.paragraph().split("\n")).strip())
                    elif inner == "tcPr":
                        about = dict(self.xml.children())
                        is_spoiled |= not about.keys().isdisjoint(("gridSpan", "vMerge", "hMerge"))
                        self.shade = _shade("shd", about.get("shd", {}))
                    elif inner == "tbl":
                        is_spoiled = True
                self.shade = ""
                rows[-1].append(fixed(" ".join(filter(None, texts)), Location(at, 1, 1)))
        if is_spoiled:
            self.document.faults.append(Diagnostic(_MERGED, place))
            self.document.add("", place)
        else:
            self.document.table([row for row in rows if row], place, False)


_FORMULAS = frozenset((
    "f", "rad", "sSup", "sSub", "sSubSup", "d", "m", "eqArr", "bar", "acc", "groupChr", "borderBox", "phant",
))  # fmt: skip


def _looks(xml: Xml) -> dict[str, Look]:
    """Return how the styles of a document make a run look, with the styles that they are based on."""
    reader = _Word(xml, Relaid(""))
    looks: dict[str, Look] = {}
    for style in xml.find("*", "style"):
        look: Look = {}
        for part, about in xml.children():
            if part == "basedOn":
                look = {**looks.get(about.get("val", ""), {}), **look}
            elif part == "rPr":
                look = {**look, **reader.run_look()}
        looks[style.get("styleId", "")] = look
    return looks


def _shade(name: str, about: dict[str, str]) -> str:
    """Return whether a background is dark or coloured, on which white text shows; empty if it is not."""
    colour = about.get("fill" if name == "shd" else "val", "auto").casefold()
    return "" if colour in ("auto", "none", "clear", "ffffff", "white", "") else "yes"


def _is_odd_font(font: str, text: str) -> bool:
    """Return whether a font shows other signs than the text has: Wingdings, or letters in Symbol."""
    name = _SYMBOL_FONTS.match(font)
    return bool(name) and (font.casefold() != "symbol" or bool(re.search(r"[^\W\d]", text)))


def _symbol(code: str, font: str) -> str:
    """Return a character of the font Symbol by its code: as in ASCII, or unreadable, as those of other fonts are."""
    number = int(code, 16) & 0xFF if re.fullmatch("[0-9A-Fa-f]{2,4}", code) and font.casefold() == "symbol" else 0
    plain = chr(number) if chr(number) in " +/().,:;=<>[]{}|%0123456789" else ODD
    return {0x2D: "−", 0xB1: "±", 0xB4: "×", 0xD7: "·", 0xA5: "∞", 0xBB: "≈", 0xA2: "′"}.get(number, plain)


_FORMS = {
    ".ipynb": ("a notebook (.ipynb)", _notebook),
    ".html": ("a web page (.html)", _page),
    ".htm": ("a web page (.html)", _page),
    ".docx": ("a Word document (.docx)", _word),
    ".eml": ("an e-mail (.eml)", _mail),
}
