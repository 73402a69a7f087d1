"""YAML as text with places: every scalar stays what was typed, with its line and column; nothing becomes a float.

Built from PyYAML's events with a stack of our own, so that depth, size and aliases have limits instead of crashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..errors import AttncalcError, Fault, Faults, Place, did_you_mean, shorten

LARGEST_FILE = 1_000_000
DEEPEST = 40
MOST_NODES = 300_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Scalar:
    """What stood there, and how: `plain`, `quoted` or `block`."""

    text: str
    place: Place
    style: str = "plain"


@dataclass(slots=True)
class Sequence:
    items: list[Tree]
    place: Place


@dataclass(slots=True)
class Mapping:
    """Keys in the order they stand, each with its place."""

    pairs: dict[str, tuple[Scalar, Tree]]
    place: Place

    def __contains__(self, key: str) -> bool:
        return key in self.pairs

    def get(self, key: str) -> Tree | None:
        return self.pairs[key][1] if key in self.pairs else None

    def items(self) -> Iterator[tuple[Scalar, Tree]]:
        yield from self.pairs.values()

    def reject_unknown(self, known: list[str], what: str, faults: Faults) -> None:
        for key, _ in self.items():
            if key.text not in known:
                faults.add(f"{what} has no key {shorten(key.text)!r}{did_you_mean(key.text, known)}", key.place)


Tree = Scalar | Sequence | Mapping


def kind(tree: Tree) -> str:
    """What stands there, for messages."""
    match tree:
        case Scalar(""):
            return "nothing"
        case Scalar(text):
            return repr(shorten(text))
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"


def read_yaml(data: bytes | str, source: str) -> Tree:
    """The tree of a YAML text, or an AttncalcError with every fault that was found."""
    text = _decode(data, source)
    faults = Faults()
    try:
        tree = _Builder(source, text, faults).build()
    except yaml.MarkedYAMLError as error:
        raise AttncalcError(_syntax_fault(error, text, source)) from None
    except yaml.YAMLError:
        raise AttncalcError(Fault("a text file is required; this one holds characters that YAML does not allow", Place(source))) from None
    faults.raise_any()
    if tree is None:
        raise AttncalcError(Fault("a problem is required, the file is empty", Place(source, 1, 1)))
    return tree


def _decode(data: bytes | str, source: str) -> str:
    if len(data) > LARGEST_FILE:
        raise AttncalcError(Fault(f"a file of at most {LARGEST_FILE:,} bytes is required; this one is larger", Place(source)))
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise AttncalcError(Fault("UTF-8 text is required, other bytes stand there", Place(source, line, column))) from None


@dataclass(slots=True)
class _Frame:
    """A list or mapping whose end has not been read yet."""

    node: Sequence | Mapping
    anchor: str | None
    key: Scalar | None = None
    duplicates: list[Scalar] = field(default_factory=list)


class _Builder:
    def __init__(self, source: str, text: str, faults: Faults):
        self.source = source
        self.text = text
        self.faults = faults
        self.frames: list[_Frame] = []
        self.anchors: dict[str, Tree] = {}
        self.sizes: dict[int, int] = {}
        self.nodes = 0
        self.root: Tree | None = None

    def place(self, event: Any) -> Place:
        return Place(self.source, event.start_mark.line + 1, event.start_mark.column + 1)

    def stop(self, message: str, event: Any) -> AttncalcError:
        return AttncalcError(Fault(message, self.place(event)))

    def build(self) -> Tree | None:
        documents = 0
        for event in yaml.parse(self.text, Loader=_LOADER):
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
            styles = {"|": "block", ">": "quoted", "'": "quoted", '"': "quoted"}
            scalar = Scalar(event.value, self.place(event), styles.get(event.style, "plain"))
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

    def finish(self, node: Tree, anchor: str | None) -> None:
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
                raise AttncalcError(Fault("a name is required as key, a list or mapping stands there; is a quote missing?", node.place))
            frame.key = node
        else:
            self.pair(frame.node, frame.key, node)
            frame.key = None

    def pair(self, mapping: Mapping, key: Scalar, value: Tree) -> None:
        if key.text in mapping.pairs:
            first = mapping.pairs[key.text][0].place
            self.faults.add(f"the key {shorten(key.text)!r} stands here a second time; the first is in line {first.line}", key.place)
            return
        if key.text.count("(") != key.text.count(")"):
            whole = _unbroken(self.text, key.place)
            self.faults.add(f"commas inside {{...}} and [...] need quotes: {whole}", key.place)
        mapping.pairs[key.text] = (key, value)


def _count(tree: Tree, limit: int) -> int:
    total, stack = 0, [tree]
    while stack and total <= limit:
        node = stack.pop()
        total += 1
        if isinstance(node, Sequence):
            stack.extend(node.items)
        elif isinstance(node, Mapping):
            stack.extend(value for _, value in node.items())
    return total


def _unbroken(text: str, place: Place) -> str:
    """The formula that YAML broke at a comma, in quotes: `"band(2, 1)"`."""
    line = text.splitlines()[place.line - 1]
    for match in re.finditer(r"[A-Za-z_]\w*\([^()]*\)", line):
        if match.start() < place.column <= match.end() + 1 and "," in match[0]:
            return f'"{match[0]}"'
    return '"..."'


def _syntax_fault(error: Any, text: str, source: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    place = Place(source, mark.line + 1, mark.column + 1) if mark else Place(source)
    lines = text.splitlines()
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    problem = str(error.problem or "this cannot be read")
    if "tab" in line[: mark.column if mark else 0] or "\t" in line[: (mark.column if mark else 0) + 1]:
        return Fault("YAML is indented with spaces, a tab stands there", place)
    if "alias" in problem:
        return Fault(f"{problem}; an alias names an anchor that stands before it", place)
    bare = re.search(r"""(?<![\w"'])([A-Za-z_][\w.]*\[[^\]]*\])""", line)
    if bare and re.search(r"[\[{].*" + re.escape(bare[1]), line):
        return Fault(f'commas and brackets inside [...] and {{...}} need quotes: "{bare[1]}"', place)
    if "mapping values are not allowed" in problem:
        return Fault("a colon stands where none can be; is the indentation right, or does a text need quotes?", place)
    if "expected ',' or" in problem or "flow" in str(error.context):
        return Fault("a comma or the closing bracket is required here", place)
    if "could not find expected ':'" in problem:
        return Fault("a key and a colon are required here", place)
    return Fault(f"this is not YAML: {problem}", place)
