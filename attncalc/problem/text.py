"""YAML as text with places: every scalar stays what was typed, with its line and column; nothing becomes a float.

Built from PyYAML's events with a stack of our own, so that depth, size and aliases have limits instead of crashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten

LARGEST_FILE = 1_000_000
DEEPEST = 40
MOST_NODES = 300_000
_STYLES = {"|": "block", ">": "folded", "'": "single", '"': "double"}
_CHARACTERS = "\t\n", "\r\r", "\x20\x7e", "\x85\x85", "\xa0\ud7ff", "\ue000\ufefe", "\uff00\ufffd", "\U00010000\U0010ffff"  # from and to
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Scalar:
    """What stood there, and how: `plain`, `single`, `double`, `block` or `folded`. `file` is the whole text, `start` where in it."""

    text: str
    place: Location
    style: str = "plain"
    file: str = field(default="", repr=False)
    start: int = 0

    @property
    def inside(self) -> Location:
        """Where the text itself begins, behind a quote or in a block; from there `shifted` finds the place of every character."""
        first = self.at(0) if self.style in ("block", "folded") else self.place.shifted(self.style != "plain")
        return replace(first, inside=self.at) if self.file else self.place

    def at(self, character: int) -> Location:
        """The place of a character: how YAML folds lines and escapes signs, the signs that are no blanks stay in order."""
        before = len("".join(self.text[:character].split()))
        behind = not self.text[character:].strip()
        for piece in _PIECES[self.style].finditer(self.file, self.begin()):
            if not _is_blank(piece[0]):
                before -= 1
                if before < 0 or before == 0 and behind:
                    return self.place_of(piece.end() if behind else piece.start())
        return self.place

    def offsets(self) -> list[int]:
        """Where in the file each character of the text stands, and where it ends: `at` for all of them at once."""
        pieces = (piece for piece in _PIECES[self.style].finditer(self.file, self.begin()) if not _is_blank(piece[0]))
        found, last = [], self.begin()
        for character in self.text:
            if not character.isspace():
                piece = next(pieces, None)
                start, last = (piece.start(), piece.end()) if piece else (last, last)
                found.append(start)
            else:
                found.append(last)
        return [*found, last]

    def begin(self) -> int:
        """Where in the file the text begins."""
        if self.style in ("block", "folded"):
            return self.start + len(re.match(r"[^\r\n\x85\u2028\u2029]*", self.file[self.start :])[0])  # type: ignore[index]
        return self.start + (self.style != "plain")

    def place_of(self, index: int) -> Location:
        breaks = list(_BREAK.finditer(self.file, self.start, index))
        if not breaks:
            return Location(self.place.source, self.place.line, self.place.column + index - self.start)
        return Location(self.place.source, self.place.line + len(breaks), index - breaks[-1].end() + 1)


_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_PAIR = re.compile(r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}")  # how JSON may write a character above U+FFFF
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PIECES = {style: re.compile(".", re.DOTALL) for style in ("plain", "block", "folded")} | {
    "single": re.compile("''|.", re.DOTALL),
    "double": re.compile(_PAIR.pattern + r"|\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)|.", re.DOTALL),
}


# Inside {...} and [...] YAML takes the commas and brackets of a formula for its own: for its reader they are other signs.
_SIGNS, _DISGUISED = ",[]{}", "\ue000\ue001\ue002\ue003\ue004"
_DISGUISE, _UNDISGUISED = str.maketrans(_SIGNS, _DISGUISED), str.maketrans(_DISGUISED, _SIGNS)
_FLOW_PIECES = re.compile(r"""(?<![^\s,:\[{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<!\S)\#[^\r\n]*|[\[\]{}()]""")


def disguised(text: str) -> str:
    """The text with the signs of what stands inside {...} or [...] in round brackets, or in square ones right behind a name, disguised."""
    found: list[str] = []
    flow = depth = done = start = 0
    for piece in _FLOW_PIECES.finditer(text):
        sign = piece[0]
        if len(sign) > 1:  # a quoted text or a comment
            continue
        if depth:
            depth += (sign in "([{") - (sign in ")]}")
            if not depth:
                found += [text[done:start], text[start : piece.end()].translate(_DISGUISE)]
                done = piece.end()
        elif sign == "(" and flow or sign == "[" and flow and (text[piece.start() - 1].isalnum() or text[piece.start() - 1] in "_')"):
            depth, start = 1, piece.start()
        elif sign in "[{":
            flow += 1
        elif sign in "]}":
            flow = max(0, flow - 1)
    return "".join([*found, text[done:]])


_WHOLE = re.compile(r"\\U0001[0-9A-F]{4}|\\U00(?:0[2-9A-F]|10)[0-9A-F]{4}")
SHORTER = 2  # characters that \U0001F600 has less than \ud83d\ude00


def _whole(pair: re.Match[str]) -> str:
    return f"\\U{ord(bytes.fromhex(pair[0][2:6] + pair[0][8:12]).decode('utf-16-be')):08X}"


def _is_blank(piece: str) -> bool:
    """Whether a sign of the file stands for a blank: itself, or as an escape such as `\\n`."""
    if piece[0] != "\\" or len(piece) == 1:
        return piece.isspace()
    if _PAIR.fullmatch(piece):
        return False
    return chr(int(piece[2:], 16)).isspace() if len(piece) > 2 else piece[1] in "ntvr _NLP\t\n\r"


@dataclass(slots=True)
class Sequence:
    items: list[Yaml]
    place: Location


@dataclass(slots=True)
class Mapping:
    """Keys in the order they stand, each with its place."""

    pairs: dict[str, tuple[Scalar, Yaml]]
    place: Location

    def __contains__(self, key: str) -> bool:
        return key in self.pairs

    def get(self, key: str) -> Yaml | None:
        return self.pairs[key][1] if key in self.pairs else None

    def items(self) -> Iterator[tuple[Scalar, Yaml]]:
        yield from self.pairs.values()

    def reject_unknown(self, known: list[str], what: str, faults: Diagnostics) -> None:
        for key, _ in self.items():
            if key.text not in known:
                faults.add(f"{what} has no key {shorten(key.text)!r}{did_you_mean(key.text, known)}", key.place)


Yaml = Scalar | Sequence | Mapping


def kind(tree: Yaml) -> str:
    """What stands there, for messages."""
    match tree:
        case Scalar(""):
            return "nothing"
        case Scalar(text):
            return repr(shorten(text))
        case Sequence():
            return "a list" if tree.items else "an empty list"
        case Mapping():
            return "a mapping" if tree.pairs else "an empty mapping"


def text_at(tree: Mapping, key: str, faults: Diagnostics) -> str:
    """The text under a key, empty where there is none; a list or a mapping in its place is a fault."""
    node = tree.get(key)
    if node is None:
        return ""
    if not isinstance(node, Scalar):
        faults.add(f"{key} is a text, {kind(node)} stands there; a text with a colon or a bracket needs quotes", node.place)
        return ""
    return node.text.strip()


def read_yaml(data: bytes | str, source: str, faults: Diagnostics | None = None) -> Yaml:
    """The tree of a YAML text, or an AttncalcError with every fault that was found.

    Diagnostics beside which the tree can still be read (doubled keys, tags) go to `faults` where the caller collects them.
    """
    text = read_text(data, source)
    builder = _Builder(source, text)
    try:
        tree = builder.build()
    except yaml.MarkedYAMLError as error:
        raise AttncalcError(_syntax_fault(error, text, source)) from None
    except yaml.YAMLError:
        raise AttncalcError(Diagnostic("a text file in YAML is required, something else stands there", Location(source))) from None
    if faults is None or builder.torn:
        builder.faults.raise_any()
    else:
        faults.found += builder.faults.found
    if tree is None:
        raise AttncalcError(Diagnostic("a problem is required, the file is empty", Location(source, 1, 1)))
    return tree


def read_text(data: bytes | str, source: str) -> str:
    """A file's text, of a size and of characters that a text has."""
    text = _decode(data, source)
    odd = [text.index(c) for c in set(text) if not any(pair[0] <= c <= pair[1] for pair in _CHARACTERS)]
    if odd:
        at = min(odd)
        raise AttncalcError(Diagnostic(f"text is required, the character U+{ord(text[at]):04X} stands there", _place(text, at, source)))
    return text


def _decode(data: bytes | str, source: str) -> str:
    if len(data) > LARGEST_FILE:
        raise AttncalcError(Diagnostic(f"a file of at most {LARGEST_FILE:,} bytes is required; this one is larger", Location(source)))
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        raise AttncalcError(Diagnostic("UTF-8 text is required, other bytes stand there", _place(before, len(before), source))) from None


def _place(text: str, index: int, source: str) -> Location:
    return Scalar(text, Location(source, 1, 1), file=text).place_of(index)


@dataclass(slots=True)
class _Frame:
    """A list or mapping whose end has not been read yet."""

    node: Sequence | Mapping
    anchor: str | None
    key: Scalar | None = None
    duplicates: list[Scalar] = field(default_factory=list)


class _Builder:
    def __init__(self, source: str, text: str):
        self.source = source
        self.text = text
        self.faults = Diagnostics()
        self.torn = False  # whether YAML broke a formula into pieces that mean nothing
        self.frames: list[_Frame] = []
        self.anchors: dict[str, Yaml] = {}
        self.sizes: dict[int, int] = {}
        self.nodes = 0
        self.root: Yaml | None = None
        self.pairs: list[tuple[int, int, int]] = []  # line, column and index of characters that JSON wrote as two escapes

    def place(self, event: Any) -> Location:
        mark = event.start_mark
        before = sum(line == mark.line and column < mark.column for line, column, _ in self.pairs)
        return Location(self.source, mark.line + 1, mark.column + SHORTER * before + 1)

    def start(self, event: Any) -> int:
        """Where in the file an event starts."""
        index: int = event.start_mark.index
        return index + SHORTER * sum(at < index for _, _, at in self.pairs)

    def as_read(self) -> str:
        """The text for YAML's reader, character for character: commas and brackets of formulas inside {...} and [...] in disguise."""
        text = self.with_whole_characters()
        return text if any(sign in text for sign in _DISGUISED) else disguised(text)

    def with_whole_characters(self) -> str:
        """The text for YAML's reader, which does not know JSON's pairs of \\u escapes for one character: in a JSON text they become one escape."""
        if not self.text.lstrip().startswith(("{", "[")) or not _PAIR.search(self.text):
            return self.text
        text = _STRING.sub(lambda string: _PAIR.sub(_whole, string[0]), self.text)
        for found in _WHOLE.finditer(text):
            self.pairs.append((text.count("\n", 0, found.start()), found.start() - text.rfind("\n", 0, found.start()) - 1, found.start()))
        return text

    def stop(self, message: str, event: Any) -> AttncalcError:
        return AttncalcError(Diagnostic(message, self.place(event)))

    def build(self) -> Yaml | None:
        documents = 0
        for event in yaml.parse(self.as_read(), Loader=_LOADER):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.stop("a file holds one problem; a second document starts here", event)
            elif isinstance(event, yaml.NodeEvent):
                self.node(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                frame = self.frames.pop()
                self.finish(frame.node, frame.anchor)
        if isinstance(self.root, Scalar) and not self.root.text.strip():
            return None
        return self.root

    def node(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self.stop(f"a file has at most {MOST_NODES:,} entries; this one has more", event)
        if getattr(event, "tag", None) not in (None, "!"):
            self.faults.add(f"YAML tags are not used here; {shorten(event.tag)!r} stands there", self.place(event))
        if isinstance(event, yaml.AliasEvent):
            self.alias(event)
        elif isinstance(event, yaml.ScalarEvent):
            style = _STYLES.get(event.style or "", "plain")
            scalar = Scalar(event.value.translate(_UNDISGUISED), self.place(event), style, self.text, self.start(event))
            self.finish(scalar, event.anchor)
        else:
            node = Sequence([], self.place(event)) if isinstance(event, yaml.SequenceStartEvent) else Mapping({}, self.place(event))
            if len(self.frames) >= DEEPEST:
                raise self.stop(f"lists and mappings may be nested {DEEPEST} deep", event)
            self.frames.append(_Frame(node, event.anchor))

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise self.stop(f"the alias *{shorten(event.anchor)} stands before its anchor is complete", event)
        target = self.anchors[event.anchor]
        self.nodes += _count(target, MOST_NODES)
        if self.nodes > MOST_NODES:
            raise self.stop(f"a file has at most {MOST_NODES:,} entries, aliases counted as written out", event)
        self.finish(target, None)

    def finish(self, node: Yaml, anchor: str | None) -> None:
        if anchor:
            self.anchors[anchor] = node
        if not self.frames:
            self.root = node
            return
        frame = self.frames[-1]
        if isinstance(frame.node, Sequence):
            frame.node.items.append(node)
        elif frame.key is None:
            if not isinstance(node, Scalar):
                raise AttncalcError(Diagnostic("a name is required as key, a list or mapping stands there; is a quote missing?", node.place))
            frame.key = node
        else:
            self.pair(frame.node, frame.key, node)
            frame.key = None

    def pair(self, mapping: Mapping, key: Scalar, value: Yaml) -> None:
        if key.text in mapping.pairs:
            first = mapping.pairs[key.text][0].place
            self.faults.add(f"the key {shorten(key.text)!r} stands here a second time; the first is in line {first.line}", key.place)
            return
        if key.text.count("(") != key.text.count(")"):
            self.torn = True
            whole = _unbroken(self.text, key.place)
            self.faults.add(f"commas inside {{...}} and [...] need quotes: {whole}", key.place)
        mapping.pairs[key.text] = (key, value)


def _count(tree: Yaml, limit: int) -> int:
    total, stack = 0, [tree]
    while stack and total <= limit:
        node = stack.pop()
        total += 1
        if isinstance(node, Sequence):
            stack.extend(node.items)
        elif isinstance(node, Mapping):
            stack.extend(value for _, value in node.items())
    return total


def _unbroken(text: str, place: Location) -> str:
    """The formula that YAML broke at a comma, in quotes: `"band(2, 1)"`."""
    line = _lines(text)[place.line - 1]
    for match in re.finditer(r"[A-Za-z_]\w*\([^()]*\)", line):
        if match.start() < place.column <= match.end() + 1 and "," in match[0]:
            return _quoted(match[0])
    return '"..."'


def _lines(text: str) -> list[str]:
    return _BREAK.split(text)


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


# What a YAML reader says, and what it means for people who write problems. `{sign}` is the character that stands there.
_SAID = (
    ("alias", "{problem}; an alias names an anchor that stands before it"),
    ("mapping values are not allowed", "a colon stands where none can be; is the indentation right, or does a text need quotes?"),
    ("could not find expected ':'", "a key and a colon are required here"),
    ("cannot start any token", "a text that begins with {sign} needs quotes"),
    ("unexpected end of stream", "a quote is opened and not closed"),
    ("invalid Unicode character escape", "this escape stands for no character; write the character itself"),
    ("unknown escape", "{sign} means nothing inside double quotes; inside single quotes a backslash is itself"),
    ("block sequence entries are not allowed", "a list stands where none can be; is the indentation right?"),
    ("expected ',' or", "a comma or the closing bracket is required here"),
    ("document start", "nothing more can stand here; is a bracket or a quote missing before it?"),
    ("expected key", "the next key is required here; is the indentation right, or does the whole text need quotes?"),
)


def _syntax_fault(error: Any, text: str, source: str) -> Diagnostic:
    problem = str(error.problem or "this cannot be read")
    begun = "end of stream" in problem or "could not find expected ':'" in problem  # where it began says more than where it ended
    mark = begun and error.context_mark or error.problem_mark or error.context_mark
    if mark is None:
        return Diagnostic("a text file in YAML is required, something else stands there", Location(source))
    lines = _lines(text)
    if mark.line < len(lines):
        line, place = lines[mark.line], Location(source, mark.line + 1, mark.column + 1)
    else:  # behind the end
        line, place = "", Location(source, len(lines), len(lines[-1]) + 1)
    if "\t" in line[: mark.column + 1]:
        return Diagnostic("YAML is indented with spaces, a tab stands there", place)
    bare = re.search(r"""(?<![\w"'])([A-Za-z_][\w.]*\[[^\]]*\])""", line)
    if bare and re.search(r"[\[{].*" + re.escape(bare[1]), line):
        return Diagnostic(f"commas and brackets inside [...] and {{...}} need quotes: {_quoted(bare[1])}", place)
    said = next((words for key, words in _SAID if key in problem), None)
    if said is None and "flow" in str(error.context):
        said = "a comma or the closing bracket is required here"
    sign = f"'{shorten(line[mark.column : mark.column + (2 if line[mark.column :].startswith(chr(92)) else 1)])}'"
    return Diagnostic((said or "this is not YAML: {problem}").format(problem=problem, sign=sign), place)
