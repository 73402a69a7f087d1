"""Changes of a key after an exam: read from a file of changes, or from the changed sheet.

reason: the slides divide by d_k          # of everything that has no reason of its own
accept: [scale-without-root]              # in every question: a code of the catalogue
questions:                                # by name; in a sheet a list, in order
  q1: {accept: [{Z: A @ X}], points: {S: 2, A: 6}, reason: "…"}
  q2: {rubric: {mistakes: {scale-forgotten: 1/2}}}
drop: [q3, q1.S_masked]                   # worth nothing any more
variants: {K7Q2: {questions: {q1: {accept: [{S: [[1, 2], [3, 4]]}]}}}}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ... import limits
from ...api import read_bytes
from ...errors import AttncalcError, Diagnostics, Location, shorten
from ...exam.sheet.sheet_keys import KEYS
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind, text_at
from ...problem.yaml_file.writer import flow
from ...problem.yaml_file.yaml_reader import read_yaml

WORDS = ("accept", "points", "rubric")
HERE = ("reason", *WORDS)
WHOLE = (*HERE, "questions", "drop")
CHANGES = "a mapping with accept:, points:, rubric:, questions:, drop: or variants:"
LONGEST = 80  # of a formula in a sentence


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a key: `word` is a key of WORDS or `drop`. An empty `part` or `step` means all of them, an empty
    `code` every variant. With `whole`, points are those of a sheet and replace all former points.
    """

    word: str
    part: str
    step: str
    node: Yaml
    code: str
    reason: str
    whole: bool = False

    @property
    def place(self) -> Location:
        return self.node.place

    @property
    def description(self) -> str:
        """Effect and reason: `q1.Z may be A @ X: the slides say so`."""
        return f"{self.effect}: {self.reason}" if self.reason else self.effect

    @property
    def effect(self) -> str:
        """Effect without the reason: `q1.Z may be A @ X`."""
        name = ".".join(filter(None, (self.part, self.step)))
        value = shorten(flow(self.node).strip('"'), LONGEST)
        match self.word:
            case "drop":
                return f"{name} is dropped"
            case "points" if isinstance(self.node, Scalar):
                return f"{name or 'the question'} is worth {value} {'point' if value == '1' else 'points'}"
            case "points":
                return f"points of {name or 'the question'}: {value}"
            case "rubric":
                return f"rubric{f' of {name}' if name else ''}: {value}"
            case _ if self.step:
                return f"{name} may be {value}"
            case _:
                return f"{value} is accepted{f' in {name}' if name else ''}"


def read_changes(path: str, faults: Diagnostics) -> list[Change]:
    """Read a file of changes, or a changed exam sheet; add to `faults`. Raises AttncalcError for another file."""
    raw = read_bytes(path)
    tree = read_yaml(raw, path, faults) if raw.strip() else Scalar("", Location(path, 1, 1))
    if not isinstance(tree, Mapping):
        raise AttncalcError(f"expected {CHANGES}, found {kind(tree)}", tree.place)
    changes = list(_Reader(faults).file(tree))
    if len(changes) > limits.CHANGES.most:
        raise AttncalcError(limits.CHANGES.exceeded(len(changes)), tree.place)
    if not changes and not faults.faults:
        faults.add(f"expected {CHANGES}, found none of these keys", tree.place)
    return changes


class _Reader:
    def __init__(self, faults: Diagnostics):
        self.faults = faults

    def file(self, tree: Mapping) -> Iterator[Change]:
        if isinstance(tree.get("questions"), Sequence):
            yield from self.sheet(tree)
            return
        tree.reject_unknown([*WHOLE, "variants"], "a file of changes", self.faults)
        reason = text_at(tree, "reason", self.faults)
        yield from self.block(tree, "", reason)
        for key, body in self.pairs(tree, "variants"):
            body.reject_unknown(list(WHOLE), "a variant", self.faults)
            yield from self.block(body, key.text, reason)

    def sheet(self, tree: Mapping) -> Iterator[Change]:
        """Yield the changes of a corrected sheet: accepted alternatives, points and rubrics; the rest is ignored."""
        tree.reject_unknown([*KEYS.at("sheet"), "reason", "drop"], "an exam sheet", self.faults)
        reason = text_at(tree, "reason", self.faults)
        yield from self.here(tree, "", "", reason, True)
        if "round" in tree:
            place = tree.pairs["round"][1].place
            yield Change("rubric", "", "", Mapping({"round": tree.pairs["round"]}, place), "", reason)
        yield from self.drops(tree, "", reason)
        questions = tree.get("questions")
        for k, item in enumerate(questions.items if isinstance(questions, Sequence) else [], 1):
            if isinstance(item, Mapping):
                self.within_one_of(item)
                yield from self.here(item, f"q{k}", "", reason, True)

    def within_one_of(self, item: Mapping) -> None:
        inner = item.get("one_of")
        for question in inner.items if isinstance(inner, Sequence) else []:
            for word in WORDS:
                if isinstance(question, Mapping) and word in question:
                    message = (
                        f"{word}: inside one_of: the key does not list the papers with this question; write the "
                        f"change under `variants:` in a file of changes"
                    )
                    self.faults.add(message, question.pairs[word][0].place)

    def block(self, tree: Mapping, code: str, reason: str) -> Iterator[Change]:
        """Yield the changes for all variants, or for one."""
        reason = text_at(tree, "reason", self.faults) or reason
        yield from self.here(tree, "", code, reason)
        for key, body in self.pairs(tree, "questions"):
            body.reject_unknown(list(HERE), "a question", self.faults)
            yield from self.here(body, key.text, code, text_at(body, "reason", self.faults) or reason)
        yield from self.drops(tree, code, reason)

    def here(self, tree: Mapping, part: str, code: str, reason: str, whole: bool = False) -> Iterator[Change]:
        """Yield the changes directly in a mapping, one per item."""
        accept = tree.get("accept")
        for item in [] if accept is None else accept.items if isinstance(accept, Sequence) else [accept]:
            if isinstance(item, Mapping):
                for key, value in item.items():
                    inner, _, step = key.text.rpartition(".")
                    name = "_".join(filter(None, (part, inner)))  # the part masked of q3 is q3_masked
                    yield Change("accept", name, step, value, code, reason)
            elif isinstance(item, Scalar):
                yield Change("accept", part, "", item, code, reason)
            else:
                message = f"accept: expected a code, or a step with a different formula or value, found {kind(item)}"
                self.faults.add(message, item.place)
        for word in ("points", "rubric"):
            if (node := tree.get(word)) is not None:
                yield Change(word, part, "", node, code, reason, whole)

    def drops(self, tree: Mapping, code: str, reason: str) -> Iterator[Change]:
        node = tree.get("drop")
        for item in [] if node is None else node.items if isinstance(node, Sequence) else [node]:
            if isinstance(item, Scalar) and item.text:
                part, _, step = item.text.partition(".")
                yield Change("drop", part, step, item, code, reason)
            else:
                message = f"drop: expected a list of questions and steps such as [q3, q1.S], found {kind(item)}"
                self.faults.add(message, item.place)

    def pairs(self, tree: Mapping, key: str) -> Iterator[tuple[Scalar, Mapping]]:
        """Yield the mappings in a mapping, with their keys."""
        node = tree.get(key)
        if node is not None and not isinstance(node, Mapping):
            self.faults.add(f"{key}: expected a mapping from names to changes, found {kind(node)}", node.place)
        for name, body in node.items() if isinstance(node, Mapping) else ():
            if isinstance(body, Mapping):
                yield name, body
            else:
                message = f"{shorten(name.text)}: expected a mapping such as {{points: 4}}, found {kind(body)}"
                self.faults.add(message, body.place)
