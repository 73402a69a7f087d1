"""A script in YAML: the answer file of the product, and any other format inside its values."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean
from ...problem.file_kinds import refuse_others
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from ...problem.yaml_file.yaml_reader import read_yaml
from ..answer_examples import NO_ANSWERS
from ..answer_file import HEADER, KEYS, arithmetic
from ..located_text import Written, joined, line_texts, of_scalar, whole
from ..number_parser import looks_like_entry
from ..step_names import step_name
from ..submission import Answer, Losses, Names, Script
from ..text_grid import Grid, in_cells, is_row, pieces
from . import bracketed_lists, matrix_layouts
from .detect import read_matrix
from .equality_chains import LIST
from .free_text import read_free
from .matrix_layouts import words

DEEPEST = 4
_BARE = re.compile(r"#.*|\s+")
_KEY = re.compile(r"""([ ]*)(["']?)([A-Za-z_Α-Ωα-ω][\w.']*(?:\[[^\]\n]{0,60}\])?)\2[ ]*:(?=[\s\[{"']|$)""")
_KEY_INSIDE = re.compile(rf"[{{,](?={_KEY.pattern})")  # of a mapping in braces
_OPENS_KEYS = re.compile(rf"\{{(?=\s*+{_KEY.pattern})")
_WORD = re.compile(r"""([ ]*)["'`*&@%]?[A-Za-zΑ-Ωα-ω]""")
# What YAML has and free text has not: comments, quotes around keys, dashes before rows, signs of blocks, documents
_SIGNS_OF_YAML = re.compile(
    r"""^[ ]*\#.*$|^[ ]*["'](?=[\w.']+(?:\[[^\]\n]*\])?["'][ ]*:)|(?<=[\w\]])["'](?=[ ]*:(?:[\s\[{"']|$))"""
    r"""|^[ ]*-(?=[ ]+\[)|(?<=:)[ ]*[|>][-+0-9]*[ ]*$|^(?:---|\.\.\.)(?=\s|$)"""
)
_NUMBER = re.compile(r"(?<![\w-])[-−]?\.?[0-9]")
# In a list: [- 0.67, 1]; blank and sign change places
_BLANK_BEHIND_MINUS = re.compile(r"([\[,]\s*)([-−])( +)(?=\.?[0-9])")
_QUESTION_MARK = re.compile(r"(?<=[\[,\s])\?(?=\s*[,\]])")  # a blank in a list
_TABS_FIRST = re.compile(r"(?m)^\t+")  # YAML is indented with spaces
_EQUALITY = re.compile(r"[=≈]|\\approx|\\simeq")
_NUMBERS_IN_CHAIN = re.compile(r"\s*+[^=≈\s][^\n=≈]*+[=≈]=?[^\n]*[0-9][^\n]*\s*")  # 28/16 = 1.75
_MATRIX = re.compile(rf"{LIST.pattern}|{matrix_layouts.BEGIN.pattern}")
_LABELLED = {"rows", "columns", "values", "note"}


def read_script(text: str, source: str, lenient: bool = False, words: frozenset[str] = frozenset()) -> Script:
    """Return the script of a YAML text; the values of `words` are kept as they are. Raises AttncalcError."""
    if not text.strip():
        raise AttncalcError(NO_ANSWERS, Location(source, 1, 1))
    losses = Losses(lenient)
    text = _QUESTION_MARK.sub("_", _BLANK_BEHIND_MINUS.sub(r"\1\3\2", _without_tabs(text)))
    doubled = Diagnostics()
    try:
        tree = read_yaml(text, source, doubled if lenient else None)
    except AttncalcError as error:
        raise NotYaml([_explained(fault, text) for fault in error.faults]) from None
    losses.extend("", AttncalcError(doubled.faults))
    return _Reader(text, source, losses, words).script(tree)


def _without_tabs(text: str) -> str:
    return _TABS_FIRST.sub(lambda tabs: " " * len(tabs[0]), text)


class NotYaml(AttncalcError):
    """A text that is not YAML. Its pieces may still be read as free text."""


def as_free_text(text: str, source: str) -> Written:
    """Return the text of a file that is almost YAML as free text. The keys around others become headings, and so does
    each line that is indented as such a key, since it may name another part. A blank line above each key ends the
    matrix before it, whose bracket may be open.
    """
    file = whole(_without_tabs(text), source)
    lines = [piece for line in file.part(0, _end_of_keys(file.text)).lines() for piece in _cut_at_keys(line)]
    out: list[Written] = []
    around: list[int] = []  # how far the keys around are indented
    for k, line in enumerate(lines):
        indent = len(line.text) - len(line.text.lstrip())
        plain = line.without(_SIGNS_OF_YAML)
        depth = sum(indent > other for other in around)
        key, is_word = _KEY.match(line.text), line.text.strip(" -*\"'`")[:1].isalpha()
        inner, is_alone = None, key is not None and not _BARE.sub("", line.text[key.end() :])
        if key and is_alone and key[3] == "answers":
            out.append(line.part(0, 0))
            continue
        if is_alone:
            below = (lines[j].text for j in range(k + 1, len(lines)) if _BARE.sub("", lines[j].text))
            inner = _WORD.match(next(below, ""))
        is_around, above = inner is not None and len(inner[1]) > indent, line.part(0, 0)
        if is_word and depth < len(around) or is_around:
            around[depth:] = [indent] if is_around else []
            name = line.part(*key.span(3)) if key and is_around else line.part(0, 0) if key else line.trimmed()
            above = name.framed(f"{'#' * (depth + 1)} ")
            if not key or is_around:
                plain = line.part(0, 0)
        out += [above, plain] if key or above.text else [plain]
    return joined(out)


def _end_of_keys(text: str) -> int:
    """Return where the braces around keys are closed at the end of a file."""
    stop = len(text.rstrip("} \t\r\n"))
    for _ in range(text.count("}", stop) - sum(1 for _ in _OPENS_KEYS.finditer(text))):
        stop = text.index("}", stop) + 1  # of a matrix
    return stop


def _cut_at_keys(line: Written) -> list[Written]:
    """Return a line in pieces, one for each key of a mapping in braces, without the signs between them."""
    signs = [bound for match in _KEY_INSIDE.finditer(line.text) for bound in match.span()]
    bounds = [0, *signs, len(line.text)]
    return [line.part(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]


def _explained(fault: Diagnostic, text: str) -> Diagnostic:
    """Return the fault of a text that is no YAML list and is often pasted as one: a print, whose rows have no commas
    between them.
    """
    if "closing bracket" not in fault.message:
        return fault
    lines = line_texts(text)[max(0, fault.place.line - 2) : fault.place.line]
    if "][" in "".join("".join(lines).split()):
        advice = "for the output of a program, write | after the colon, and indent the output on the lines below"
        return Diagnostic(f"{fault.message}; {advice}", fault.place)
    return fault


_NO_ANSWER = Answer(None, "", None, ())


def _is_chain(text: str) -> bool:
    """Return whether a text has a matrix or a number and a sign of equality, which is not that of dtype= in a print."""
    plain = bracketed_lists.KEYWORD.sub("", text)
    return bool(_EQUALITY.search(plain) and (_MATRIX.search(text) or _NUMBERS_IN_CHAIN.fullmatch(plain)))


class _Reader:
    def __init__(self, text: str, source: str, losses: Losses, words: frozenset[str] = frozenset()):
        self.words = words
        self.texts: dict[str, Written] = {}
        self.file = whole(text, source)
        self.source = source
        self.losses = losses
        self.answers: list[Answer] = []

    def script(self, tree: Yaml) -> Script:
        if not isinstance(tree, Mapping):
            raise AttncalcError(f"expected a mapping (student:, answers: ...), found {kind(tree)}", tree.place)
        refuse_others(tree, "answers")
        given = tree.get("answers")
        if given is None and not any(did_you_mean(key, ["answers"]) for key in tree.pairs):
            head = {name: pair for name, pair in tree.pairs.items() if self.is_header(name, pair[1])}
            steps = {name: pair for name, pair in tree.pairs.items() if name not in head}
            given = Mapping(steps, tree.place, [pair for pair in tree.again or () if pair[0].text not in head])
            tree = Mapping(head, tree.place)
            self.known_only(tree, KEYS.at("header"), "an answer file")
        else:
            self.known_only(tree, KEYS.at("header", "body"), "an answer file")
        if isinstance(given, Mapping):
            others = [more for key, more in tree.again or () if key.text == "answers" and isinstance(more, Mapping)]
            for mapping in (given, *others):
                self.walk(mapping, ())
        elif given is not None and not (isinstance(given, Scalar) and not given.text):
            message = f"answers: expected a mapping of steps to matrices, found {kind(given)}"
            self.losses.extend("", AttncalcError(message, given.place))
        computed = self.losses.guarded("", lambda: arithmetic(self.word(tree, "computed"), tree.get("computed")))
        problem, student, note = (
            self.losses.guarded("", partial(self.word, tree, key)) for key in ("problem", "student", "note")
        )
        return Script(
            problem, student, computed, tuple(self.answers), self.source, note or "", self.losses.done(), self.texts
        )

    def known_only(self, tree: Mapping, known: list[str], what: str) -> None:
        faults = Diagnostics()
        tree.reject_unknown(known, what, faults)
        self.losses.extend("", AttncalcError(faults.faults))

    def is_header(self, key: str, value: Yaml) -> bool:
        """Return whether a key of a file without `answers:` is of its header, maybe misspelt; numbers are of a step."""
        if not isinstance(value, Scalar) or key in self.words:
            return False
        is_text = bool(value.text.strip()) and not (looks_like_entry(value.text) or _NUMBER.search(value.text))
        return key in HEADER or (is_text and len(key) > 3 and bool(did_you_mean(key, HEADER)))

    def word(self, tree: Mapping, key: str) -> str | None:
        node = tree.get(key)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            raise AttncalcError(f"{key}: expected a text, found {kind(node)}", node.place)
        return node.text.strip() or None

    def walk(self, mapping: Mapping, path: tuple[str, ...]) -> None:
        """Read parts, which hold steps. A step's name may be spread over mappings (`head: {Q: ...}`)."""
        for key, value in (*mapping.items(), *(mapping.again or ())):
            if not path and (name := key.text.lower()) in self.words:
                self.losses.guarded(name, partial(self.ticked, name, value))
                continue
            self.losses.guarded(".".join((*path, key.text)), partial(self.answer, key, value, path))

    def ticked(self, name: str, value: Yaml) -> None:
        """Keep the answer to a question in words or letters. Two that differ are a fault, and neither counts."""
        items = value.items if isinstance(value, Sequence) else [value]
        texts = [item.text for item in items if isinstance(item, Scalar)]
        if len(texts) < len(items):
            raise AttncalcError(f"expected letters such as A, or text; found {kind(value)}", value.place)
        text = ", ".join(texts)
        if name in self.texts and self.texts[name].text != text:
            message = f"expected one answer to this question, found another one in line {self.texts[name].place.line}"
            self.texts[name] = Written("", self.texts[name].at)
            raise AttncalcError(message, value.place)
        self.texts[name] = Written(text, value.place.shifted)

    def answer(self, key: Scalar, value: Yaml, path: tuple[str, ...]) -> None:
        name, where = step_name(of_scalar(key, None if key.style == "plain" else self.file))
        if isinstance(value, Mapping) and not ("values" in value and ("rows" in value or "columns" in value)):
            if where is not None or len(path) >= DEEPEST:
                raise AttncalcError(f"expected a matrix, found {kind(value)}", value.place)
            self.walk(value, (*path, name))
            return
        if isinstance(value, Scalar) and not value.text.strip():
            return
        part, step = (path[0], ".".join([*path[1:], name])) if path else (None, name)
        if isinstance(value, Scalar) and _is_chain(value.text):
            self.chain(key, value, replace(_NO_ANSWER, part=part, step=step, where=where))
            return
        grid, stands = self.grid(value)
        rows = grid.read(stands, self.losses, ".".join((*path, key.text)))
        self.answers.append(grid.answer(part, step, where, rows, key.place))

    def chain(self, key: Scalar, value: Scalar, whose: Answer) -> None:
        """Read a chain of equalities in a value as a line of text that begins with the key."""
        is_named = _MATRIX.search(value.text) and _EQUALITY.search(value.text.split("\n")[0])  # `S: A V = ...`
        head, written = f"{key.text}: " if is_named else f"{key.text} = ", of_scalar(value, self.file)

        def at(k: int) -> Location:
            return key.place.shifted(k) if k < len(head) else written.at(k - len(head))

        script = read_free(Written(head + written.text, at), self.source, self.losses.lenient)
        self.losses.unread += script.unread
        if len(script.answers) > 1:
            raise AttncalcError(f"expected one matrix, found {len(script.answers)}", value.place)
        for answer in script.answers:
            rivals = (*answer.rivals, answer.step if answer.formula is None else answer.formula)
            mine = replace(answer, part=whose.part, step=whose.step, where=whose.where, place=key.place, loose=False)
            self.answers.append(replace(mine, rivals=rivals, formula=None))

    def grid(self, value: Yaml) -> tuple[Grid, Written]:
        """Return the grid of a value, and the text that contains it, for faults."""
        match value:
            case Scalar():
                written = of_scalar(value, self.file)
                folded = (
                    value.style == "plain"
                    and value.file
                    and "\n" in value.file[value.start : value.offsets()[-1]].strip()
                )
                grid = read_matrix(written, value.style == "block").with_points()
                if folded and not value.text.startswith(("[", "array", "tensor", "np.", "torch.", "\\", "$")):
                    raise written.fault("write | after the colon, and indent the rows on the lines below")
                return grid, written
            case Sequence():
                return self.sequence(value), Written("", lambda _: value.place)
            case Mapping():
                return self.labelled(value)

    def labelled(self, value: Mapping) -> tuple[Grid, Written]:
        self.known_only(value, sorted(_LABELLED), "a matrix with labels")
        grid, stands = self.grid(value.pairs["values"][1])
        rows, columns = self.labels(value.get("rows")), self.labels(value.get("columns"))
        return replace(grid, row_labels=rows or grid.row_labels, column_labels=columns or grid.column_labels), stands

    def labels(self, node: Yaml | None) -> Names:
        if node is None:
            return None
        if not isinstance(node, Sequence) or not all(isinstance(item, Scalar) for item in node.items):
            raise AttncalcError(f"labels: expected a list of words, found {kind(node)}", node.place)
        return tuple(item.text for item in node.items if isinstance(item, Scalar))

    def sequence(self, value: Sequence) -> Grid:
        """Return the grid of nested lists, of a flat list, or of a list whose items are rows of text."""
        while (
            len(value.items) == 1
            and isinstance(value.items[0], Sequence)
            and any(isinstance(x, Sequence) for x in value.items[0].items)
        ):
            value = value.items[0]  # a batch of one
        cells = [of_scalar(item, self.file) for item in value.items if isinstance(item, Scalar)]
        if len(cells) == len(value.items):
            if len(cells) == 1 and ";" in cells[0].text:  # MATLAB's [1 2; 3 4]
                return Grid([words(row) for row in pieces(cells[0], ";") if row.text])
            if cells and all(is_row(cell) for cell in cells):
                return Grid([words(cell) for cell in cells], printed=len(cells) == 1, flat=len(cells) == 1)
            return Grid([[row[0] for row in in_cells([[cell] for cell in cells])]] if cells else [], flat=True)
        rows, printed = [], False
        for item in value.items:
            if not isinstance(item, Sequence):
                raise AttncalcError(f"expected a row of numbers, found {kind(item)}", item.place)
            row = []
            for x in item.items:
                if not isinstance(x, Scalar):
                    raise AttncalcError(f"expected only numbers in a row, found {kind(x)}", x.place)
                row.append(of_scalar(x, self.file))
            if not row:
                raise AttncalcError("expected a row of numbers, found an empty list", item.place)
            if len(row) == 1 and is_row(row[0]):
                row, printed = words(row[0]), True
            rows.append(row)
        return Grid(in_cells(rows), printed=printed)
