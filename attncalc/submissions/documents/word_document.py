"""A Word document as free text: its paragraphs, tables, formulas and text boxes."""

from __future__ import annotations

import re

from ...errors import Diagnostic, Location
from ..located_text import UNREADABLE, Written, fixed
from ..submission import crossed_out
from ..tables.xml_stream import Malformed, Parts, Xml
from .formula_text import SEAM, fenced, fraction, grid, marked, power, raised, root, with_seams
from .laid_out_text import MERGED, NEAR, Relaid

DEEPEST = 60  # elements inside each other that are looked into
WORD, STYLES = "word/document.xml", "word/styles.xml"


def read_word(data: str | bytes, document: Relaid) -> None:
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
    """Note the numbers in a part of a document that is not an answer."""
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
            out.append(UNREADABLE * self.xml.text().strip().startswith("EQ"))  # a formula that is drawn
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
            out.append(UNREADABLE)

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
            text = UNREADABLE
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
            out.append(UNREADABLE)

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
            self.document.faults.append(Diagnostic(MERGED, place))
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
    plain = chr(number) if chr(number) in " +/().,:;=<>[]{}|%0123456789" else UNREADABLE
    return {0x2D: "−", 0xB1: "±", 0xB4: "×", 0xD7: "·", 0xA5: "∞", 0xBB: "≈", 0xA2: "′"}.get(number, plain)
