"""A web page as free text: its lines, tables, formulas and quotations. Crossed-out and hidden text is noted."""

from __future__ import annotations

import re

from ...errors import Diagnostic, Location
from ..located_text import UNREADABLE, Written, fixed
from ..submission import crossed_out
from .formula_text import EDGE, SEAM, Mathematics, raised, with_seams
from .html_tokens import Tag, tokens
from .laid_out_text import MERGED, Relaid, text_of

LONGEST_SELECTOR = 200  # characters of a style sheet in which the name of an element is looked for
_NESTED = "expected a table of numbers, found a table inside a table; write `S =` and rows of numbers"
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


def read_page(data: str | bytes, document: Relaid) -> None:
    """Read the lines and the tables of a page."""
    text = text_of(data, document)
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
        self.spans: list[bool] = []  # the open ones: whether they have a class, which may part them
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
        self.begin_inline(tag, look, dict(attrs))
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
                self.spoil(MERGED)
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

    def begin_inline(self, tag: str, look: str, about: dict[str, str | None]) -> None:
        """Open an element inside a line: what may part digits, and what is raised or lowered."""
        if tag == "img":
            self.put(UNREADABLE)
        elif look in ("raised", "lowered") or tag in ("sub", "sup"):
            sign = "_" if look == "lowered" or tag == "sub" else "^"
            self.put(raised(self.tail(), "0", sign).removesuffix("{0}") + "{")
            self.placed.append((tag, "}"))
        elif self.placed and tag == "a":
            self.put(UNREADABLE)  # the mark of a footnote
        elif look == "apart" and tag not in _BLOCKS:
            self.put(" ")
            self.placed.append((tag, " "))
        elif tag == "span":
            self.spans.append(bool(about.get("class")))
            self.put(SEAM * any(self.spans))
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
            self.put(UNREADABLE)
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
        elif tag == "span":
            self.put(SEAM * any(self.spans))
            self.spans = self.spans[:-1]
            if self.placed and self.placed[-1][0] == tag:
                self.put(self.placed.pop()[1])
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
