"""Reads YAML as a tree of texts, from PyYAML's events. Limits on depth, size and aliases prevent crashes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from ... import limits
from ...errors import LONGEST_LINE, AttncalcError, Diagnostic, Diagnostics, Location, shorten
from .nodes import BREAK, DEEPEST, MOST_NODES, PAIR, Mapping, Scalar, Sequence, Yaml, read_text

# Inside {...} and [...], YAML would read commas and brackets of a formula as YAML syntax. For PyYAML, they are
# replaced by other characters.
_SIGNS, DISGUISED = ",[]{}:", "\ue000\ue001\ue002\ue003\ue004\ue005"
_DISGUISE, UNDISGUISED = str.maketrans(_SIGNS[:5], DISGUISED[:5]), str.maketrans(DISGUISED, _SIGNS)
_FLOW_PIECES = re.compile(r"""(?<![^\s,:\[{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<!\S)\#[^\r\n]*|[\[\]{}()]""")


def disguised(text: str) -> str:
    """Replace commas and brackets of formulas inside {...} or [...] by characters without a meaning in YAML. They
    belong to a formula if they are in round brackets, or in square brackets directly after a name.
    """
    pieces: list[str] = []
    flow = depth = done = start = 0
    for piece in _FLOW_PIECES.finditer(text):
        sign = piece[0]
        if len(sign) > 1:  # a quoted text or a comment
            continue
        if depth:
            depth += (sign in "([{") - (sign in ")]}")
            if not depth:
                pieces += [text[done:start], text[start : piece.end()].translate(_DISGUISE)]
                done = piece.end()
        elif (
            sign == "("
            and flow
            or sign == "["
            and flow
            and (text[piece.start() - 1].isalnum() or text[piece.start() - 1] in "_')")
        ):
            depth, start = 1, piece.start()
        elif sign in "[{":
            flow += 1
        elif sign in "]}":
            flow = max(0, flow - 1)
    return "".join([*pieces, text[done:]])


def unclosed(text: str) -> int | None:
    """Return the offset of the innermost bracket that is not closed; None if all are closed."""
    open_brackets: list[re.Match[str]] = []
    for piece in _FLOW_PIECES.finditer(text):
        if piece[0] in ("[", "{", "("):
            open_brackets.append(piece)
        elif open_brackets and open_brackets[-1][0] + piece[0] in ("[]", "{}", "()"):
            open_brackets.pop()
    return open_brackets[-1].start() if open_brackets else None


def with_colons(text: str) -> str:
    """Replace colons in texts for people, as in `ask: Compute: (a) weights`, by a character without a meaning in
    YAML.
    """
    text_line = r"(?m)^( *(?:- +)?(?:title|ask|note|source|answer|license): +)([^\s\"'|>&*!{\[#%@`][^\r\n]*)$"
    return re.sub(text_line, lambda line: line[1] + re.sub(r":(?=\s|$)", DISGUISED[5], line[2]), text)


def unbroken(text: str, place: Location) -> str:
    """Return, in quotes, the formula that YAML split at a comma: `"band(2, 1)"`."""
    line = _lines(text)[place.line - 1]
    for match in re.finditer(r"[A-Za-z_]\w*\([^()]*\)", line):
        if match.start() < place.column <= match.end() + 1 and "," in match[0]:
            return _quoted(match[0])
    return '"..."'


def _lines(text: str) -> list[str]:
    return re.split(BREAK, text)


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


# Messages of PyYAML, and messages for authors. `{sign}` is the character at the location of the error.
_SAID = (
    (
        "expected comment or line break",
        "put quotes around a value that begins with |; for absolute values of a matrix, write abs(A) instead of |A|",
    ),
    ("alias", "{problem}; define the anchor before the alias"),
    (
        "mapping values are not allowed",
        "found an unexpected colon; check the indentation, or put quotes around the text",
    ),
    ("could not find expected ':'", "expected a key and a colon"),
    ("cannot start any token", "put quotes around text that begins with {sign}"),
    ("unexpected end of stream", "the closing quote is missing"),
    (
        "invalid Unicode character escape",
        "this escape sequence does not stand for a character; write the character itself",
    ),
    ("unknown escape", "{sign} is not an escape sequence; write the text in single quotes"),
    ("block sequence entries are not allowed", "found an unexpected list; check the indentation"),
    ("expected ',' or", "expected a comma or the closing bracket"),
    ("document start", "expected the end of the text; add the missing bracket or quote before this position"),
    ("expected key", "expected the next key; check the indentation, or put quotes around the whole text"),
)


def syntax_fault(error: yaml.MarkedYAMLError, text: str, source: str) -> Diagnostic:
    """Return the error for a text that is not valid YAML, with its location and a remedy."""
    problem = str(error.problem or "this text is not YAML")
    # the start of the faulty node is more useful than its end
    begun = "end of stream" in problem or "could not find expected ':'" in problem
    mark = begun and error.context_mark or error.problem_mark or error.context_mark
    if mark is None:
        return Diagnostic("expected a text file in YAML, found something else", Location(source))
    lines = _lines(text)
    if "flow" in str(error.context) and _is_end(mark, lines) and (open_ := unclosed(text)) is not None:
        above = _lines(text[:open_])
        return Diagnostic("the closing bracket is missing", Location(source, len(above), len(above[-1]) + 1))
    if mark.line < len(lines):
        line, place = lines[mark.line], Location(source, mark.line + 1, mark.column + 1)
    else:  # the error is at the end of the text
        line, place = "", Location(source, len(lines), len(lines[-1]) + 1)
    if "\t" in line[: mark.column + 1]:
        return Diagnostic("YAML needs spaces for indentation; found a tab", place)
    bare = re.search(r"""(?<![\w"'])([A-Za-z_][\w.]*+\[[^\]]*+\])""", line[:LONGEST_LINE])
    if bare and re.search(r"[\[{]", line[: bare.start()]):
        return Diagnostic(
            f"inside [...] and {{...}}, put quotes around text that contains commas or brackets: {_quoted(bare[1])}",
            place,
        )
    message = next((words for key, words in _SAID if key in problem), None)
    if message is None and "flow" in str(error.context):
        message = "expected a comma or the closing bracket"
    sign = f"'{shorten(line[mark.column : mark.column + (2 if line[mark.column :].startswith(chr(92)) else 1)])}'"
    return Diagnostic((message or "this is not YAML: {problem}").format(problem=problem, sign=sign), place)


def _is_end(mark: yaml.Mark, lines: list[str]) -> bool:
    """Return whether there are only blanks after this location."""
    return not "".join([line[mark.column * (k == 0) :] for k, line in enumerate(lines[mark.line :])]).strip()


_STYLES = {"|": "block", ">": "folded", "'": "single", '"': "double"}
_LOADER: type[yaml.CSafeLoader] | type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING = r'"(?:[^"\\]|\\.)*"'
_WHOLE = r"\\U0001[0-9A-F]{4}|\\U00(?:0[2-9A-F]|10)[0-9A-F]{4}"
SHORTER = 2  # \U0001F600 has so many characters fewer than \ud83d\ude00


def _whole(pair: re.Match[str]) -> str:
    return f"\\U{ord(bytes.fromhex(pair[0][2:6] + pair[0][8:12]).decode('utf-16-be')):08X}"


def read_yaml(data: bytes | str, source: str, faults: Diagnostics | None = None) -> Yaml:
    """Return the tree of a YAML text. Raises AttncalcError with every error. Errors that do not prevent reading
    (duplicate keys, tags) are added to `faults` if `faults` is given.
    """
    text = read_text(data, source)
    try:
        builder, tree = _built(source, text)
    except yaml.MarkedYAMLError as error:
        raise AttncalcError(syntax_fault(error, text, source)) from None
    except yaml.YAMLError:
        raise AttncalcError("expected a text file in YAML, found something else", Location(source)) from None
    if faults is None or builder.torn:
        builder.faults.raise_any()
    else:
        faults.faults += builder.faults.faults
    if tree is None:
        raise AttncalcError("expected a problem; the file is empty", Location(source, 1, 1))
    return tree


def _built(source: str, text: str) -> tuple[_Builder, Yaml | None]:
    """Return the tree of a text. After an error, try again with colons in texts for people: `ask: Compute: (a) ...`."""
    try:
        builder = _Builder(source, text)
        return builder, builder.build()
    except yaml.MarkedYAMLError as error:
        # libyaml 0.2.6 and later stops before it yields the nested nodes
        if error.problem_mark and "maximum nesting depth" in str(error.problem):
            text = text[: error.problem_mark.index]
        builder = _Builder(source, text, colons=True)
        return builder, builder.build()


class _Frame:
    """A list or mapping whose end has not been read yet."""

    def __init__(self, node: Sequence | Mapping, anchor: str | None):
        self.node = node
        self.anchor = anchor
        self.key: Scalar | None = None


class _Builder:
    def __init__(self, source: str, text: str, colons: bool = False):
        self.source = source
        self.text = text
        self.colons = colons  # whether colons are allowed in texts for people
        self.faults = Diagnostics()
        self.torn = False  # whether YAML split a formula
        self.frames: list[_Frame] = []
        self.anchors: dict[str, Yaml] = {}
        self.sizes: dict[int, int] = {}
        self.nodes = 0
        self.root: Yaml | None = None
        # Line, column and offset of each character that is a pair of escapes in JSON
        self.pairs: list[tuple[int, int, int]] = []

    def place(self, event: yaml.Event) -> Location:
        mark = event.start_mark
        assert mark is not None, "an event of a file has a position"
        if not self.pairs:  # nearly all files have no pairs
            return Location(self.source, mark.line + 1, mark.column + 1)
        before = sum(line == mark.line and column < mark.column for line, column, _ in self.pairs)
        return Location(self.source, mark.line + 1, mark.column + SHORTER * before + 1)

    def start(self, event: yaml.Event) -> int:
        """Return the offset in the file at which an event starts."""
        assert event.start_mark is not None, "an event of a file has a position"
        index = event.start_mark.index
        return index + SHORTER * sum(at < index for _, _, at in self.pairs) if self.pairs else index

    def as_read(self) -> str:
        """Return the text for PyYAML. The commas and brackets of formulas in {...} and [...] are replaced by as many
        other characters.
        """
        text = self.with_whole_characters()
        if any(sign in text for sign in DISGUISED):
            return text
        return with_colons(disguised(text)) if self.colons else disguised(text)

    def with_whole_characters(self) -> str:
        r"""Replace JSON's pairs of \u escapes by single escapes, because PyYAML does not support such pairs."""
        if not self.text.lstrip().startswith(("{", "[")) or not re.search(PAIR, self.text):
            return self.text
        text = re.sub(_STRING, lambda string: re.sub(PAIR, _whole, string[0]), self.text, flags=re.DOTALL)
        for match in re.finditer(_WHOLE, text):
            self.pairs.append(
                (
                    text.count("\n", 0, match.start()),
                    match.start() - text.rfind("\n", 0, match.start()) - 1,
                    match.start(),
                )
            )
        return text

    def stop(self, message: str, event: yaml.Event) -> AttncalcError:
        return AttncalcError(message, self.place(event))

    def build(self) -> Yaml | None:
        documents = 0
        text = self.as_read()
        is_plain = text.isascii()  # if the text is ASCII, nothing was replaced
        for event in _events(text):
            if isinstance(event, yaml.ScalarEvent):
                self.count(event)
                self.scalar(event, event.value if is_plain else event.value.translate(UNDISGUISED))
            elif isinstance(event, yaml.CollectionEndEvent):
                frame = self.frames.pop()
                self.finish(frame.node, frame.anchor)
            elif isinstance(event, yaml.AliasEvent):
                self.count(event)
                self.alias(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self.count(event)
                self.open(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.stop(
                        "a file can contain only one problem, but a second YAML document starts here", event
                    )
        if isinstance(self.root, Scalar) and not self.root.text.strip():
            return None
        return self.root

    def count(self, event: yaml.Event) -> None:
        """Count a node. Raises AttncalcError if a file has too many nodes."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self.stop(limits.NODES.exceeded("more"), event)

    def untagged(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        """Add an error if a node has a YAML tag."""
        if event.tag is not None and event.tag != "!":
            self.faults.add(f"YAML tags are not supported; found {shorten(event.tag)!r}", self.place(event))

    def scalar(self, event: yaml.ScalarEvent, text: str) -> None:
        self.untagged(event)
        style = _STYLES[event.style] if event.style else "plain"
        self.finish(Scalar(text, self.place(event), style, self.text, self.start(event)), event.anchor)

    def open(self, event: yaml.CollectionStartEvent) -> None:
        """Begin a list or a mapping."""
        self.untagged(event)
        is_list = isinstance(event, yaml.SequenceStartEvent)
        node = Sequence([], self.place(event)) if is_list else Mapping({}, self.place(event), [])
        if len(self.frames) >= DEEPEST:
            raise self.stop(limits.NESTED_LISTS.exceeded("more"), event)
        self.frames.append(_Frame(node, event.anchor))

    def alias(self, event: yaml.AliasEvent) -> None:
        name = str(event.anchor)
        if name not in self.anchors:
            raise self.stop(
                f"the alias *{shorten(name)} comes before the end of its anchor; define the anchor first", event
            )
        target = self.anchors[name]
        self.nodes += _count(target, MOST_NODES)
        if self.nodes > MOST_NODES:
            raise self.stop(limits.NODES.exceeded("more"), event)
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
                raise AttncalcError(
                    "expected a name as the key, found a list or a mapping; add the missing quote", node.place
                )
            frame.key = node
        else:
            self.pair(frame.node, frame.key, node)
            frame.key = None

    def pair(self, mapping: Mapping, key: Scalar, value: Yaml) -> None:
        if key.text in mapping.pairs:
            first = mapping.pairs[key.text][0].place
            self.faults.add(f"the key {shorten(key.text)!r} occurs twice; the first is in line {first.line}", key.place)
            if mapping.again is not None:
                mapping.again.append((key, value))
            return
        if key.text.count("(") != key.text.count(")"):
            self.torn = True
            whole = unbroken(self.text, key.place)
            self.faults.add(
                f"inside {{...}} and [...], put quotes around text that contains commas: {whole}", key.place
            )
        mapping.pairs[key.text] = (key, value)


def _events(text: str) -> Iterator[yaml.Event]:
    """Yield the events of PyYAML's `parse`, without the check that `parse` makes before each event."""
    loader = _LOADER(text)
    try:
        while (event := loader.get_event()) is not None:
            yield event
    finally:
        loader.dispose()


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
