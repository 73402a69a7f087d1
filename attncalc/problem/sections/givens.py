"""Reads the givens of a problem file: numbers, matrices with labels, and formulas over earlier givens."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from ... import limits
from ...errors import (
    AttncalcError,
    Diagnostic,
    Diagnostics,
    FormulaError,
    Location,
    counted,
    did_you_mean,
    shorten,
    size,
)
from ...formula.index_base import counted_place, row_and_column
from ...formula.operations import literal
from ...formula.parser import is_name, parse
from ...formula.shape_rules import from_entries, guard
from ...formula.syntax_errors import two_entries
from ...formula.syntax_tree import NO_SOURCE, Index, walk
from ...formula.typed_formula import Entry, Labels, Node
from ...lessons import LESSONS
from ...plan import Given
from ..formula_sizes import Known
from ..plan_builder import EVERYTHING, PartBuilder, name_fault
from ..yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind

_NUMBER = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?(?:/([0-9]+))?")
_THOUSANDS = re.compile(r"[-+−]?[1-9][0-9]{0,2}"), re.compile(r"[0-9]{3}(?:\.[0-9]+)?")  # before and after a comma
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}")  # YAML allows dates without quotes
_SENTENCE = r"[^\W\d_]+(?:[ ,]+[^\W\d_]+)+[.!?]?"
_CONSTANTS = {"pi", "inf", "true", "false", "True", "False", "nan", "null"}
SHORT = 20  # characters; only texts of shorter numbers are cached
_TRUTHS = {"true": 1, "false": 0}  # words that are allowed in masks
_NOT_A_NUMBER = {"nan", ".nan", ".inf", "-.inf", "+.inf", "infinity", "-infinity", "+infinity", "+nan", "-nan", "~",
    "null"}  # fmt: skip


def read_givens(body: Mapping, builder: PartBuilder, faults: Diagnostics) -> None:
    """Add the givens under `given:` to a builder, in order. Errors are added to `faults`, and `broken` gets faulty
    names.
    """
    node = body.get("given")
    if node is None:
        return
    if not isinstance(node, Mapping):
        faults.add(f"given: expected a mapping from names to matrices and numbers, found {kind(node)}", node.place)
        builder.broken.add(EVERYTHING)
        return
    part = builder.plan.name
    builder.later = {key.text for key, _ in node.items()}
    for key, value in node.items():
        if fault := name_fault(key.text, "given"):
            faults.add(fault, key.place)
            builder.broken.add(key.text)
            continue
        try:
            matrix, texts = read_matrix(value, builder, key.text)
        except AttncalcError as error:
            faults.extend(error)
            builder.broken.add(key.text)
            continue
        finally:
            builder.later.discard(key.text)
        where = f"given:{part}:{key.text}" if part else f"given:{key.text}"
        builder.add_given(Given(where, key.text, matrix, part, texts, value.place, _is_nested(value)))


def _is_nested(value: Yaml) -> bool:
    """Return whether the entries are a list of rows, not a flat list."""
    inside = value.get("values") if isinstance(value, Mapping) else value
    return isinstance(inside, Sequence) and any(isinstance(item, Sequence) for item in inside.items)


def read_matrix(value: Yaml, scope: PartBuilder, what: str) -> tuple[Node, tuple[tuple[str, ...], ...] | None]:
    """Read a matrix or a number in the file. Return its node, and its entries as texts."""
    faults = Diagnostics()
    rows = columns = None
    place = value.place
    if isinstance(value, Mapping):
        known = ["rows", "columns", "values", "note"]
        inside = value.get("values")
        if inside is None:
            from ..yaml_file.writer import as_values  # imported here, because only an error needs it

            meant = "" if any(did_you_mean(key, known) for key in value.pairs) else as_values(value)
            faults.add(f"{what}: expected the key `values:` next to the labels{meant}", value.place)
        if inside is not None or not meant:
            value.reject_unknown(known, f"the given {what}", faults)
        faults.raise_any()
        rows, columns = value.get("rows"), value.get("columns")
        assert inside is not None  # for other types, an error was raised above
        value = inside
    try:
        scope.budget.step(what, place)
        refuse_semicolons(value, what)
        if isinstance(value, Scalar) and value.style != "block":
            node, texts = read_formula_given(value, scope, what)
        else:
            node, texts = read_entries(read_cells(value, what), scope, what)
            scope.budget.spend(node)
    except Known:
        raise AttncalcError([]) from None
    except FormulaError as error:
        raise AttncalcError(f"{what}: {error.message}", place) from None
    for axis, stated in (("rows", rows), ("columns", columns)):
        try:
            if labels := read_labels(stated, node.shape[axis == "columns"], what, axis):
                setattr(node, axis, labels)
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()
    return node, texts


def read_formula_given(value: Scalar, scope: PartBuilder, what: str) -> tuple[Node, tuple[tuple[str, ...], ...] | None]:
    """Read a number or a formula instead of a matrix. Return the node, and for a number also its text."""
    try:
        exact = exact_number(value.text)
    except FormulaError as error:
        raise AttncalcError(f"{what}: {error.message}", value.inside) from None
    if exact is not None:
        return literal(((exact,),)), ((value.text.strip(),),)
    return read_entry(value, scope, what), None


def refuse_words(value: Scalar, scope: PartBuilder, what: str) -> None:
    """Raise AttncalcError for words instead of a matrix. If a lesson has a text option with this name, suggest it."""
    words = re.split("[ ,]+", value.text.rstrip(".!?")) if re.fullmatch(_SENTENCE, value.text) else []
    if len(words) > 1 and not any(map(scope.find_given, words)):
        takes = [
            candidate.name
            for candidate in LESSONS.values()
            if any(o.name == what and o.kind == "text" for o in candidate.options)
        ]
        lesson, option = (takes[0], what) if takes else ("byte_pair_merges", "words")
        message = f"{what}: expected a matrix or a number, found words; write the words as an option of a lesson"
        raise AttncalcError(f"{message}, as in {lesson}: {{{option}: {shorten(value.text)}}}", value.inside)


def refuse_words_alone(cells: list[list[Scalar]], scope: PartBuilder, what: str) -> None:
    """Raise AttncalcError for a list of words instead of a matrix. The message shows where words are allowed."""
    words = [cell.text for row in cells for cell in row]
    if len(words) > 1 and all(map(_is_word, words)) and not any(map(scope.find_given, words)):
        shown = shorten(", ".join(words), 60)
        message = f"{what}: expected numbers, found words; to label the rows of a matrix, write {what}"
        raise AttncalcError(f"{message}: {{rows: [{shown}], values: ...}}", cells[0][0].place)


def refuse_thousands(row: list[Scalar], what: str) -> None:
    """Raise AttncalcError for thousands separators and decimal commas, as in [1,000, 2,500] and [0,5, 1,5]. YAML reads
    these commas as commas between entries.
    """
    pairs = list(pairwise(row))
    before, after = _THOUSANDS
    parted = [bool(before.fullmatch(a.text) and after.fullmatch(b.text)) for a, b in pairs]
    are_close = [_is_close(a, b) for a, b in pairs]
    is_mixed = not all(are_close) and all(fits for fits, is_close in zip(parted, are_close, strict=True) if is_close)
    for (a, b), fits, is_close in zip(pairs, parted, are_close, strict=True):
        if fits and (is_close and is_mixed or b.text.startswith("0")):
            message = f"{what}: expected a comma between two entries, found {a.text},{b.text}"
            meant = f"if it separates thousands, write {a.text}{b.text}"
            otherwise = "" if b.text.startswith("0") else "; otherwise write a space after it"
            raise AttncalcError(f"{message}; {meant}{otherwise}", a.place)
    alternate = len(row) > 2 and len(row) % 2 == 0 and all(near != k % 2 for k, near in enumerate(are_close))
    for (a, b), is_close in zip(pairs, are_close, strict=True):
        is_decimal = re.fullmatch("0[0-9]+", b.text) or alternate and b.text.isdecimal()
        if is_close and is_decimal and a.text.lstrip("+-−").isdecimal():
            message = f"{what}: expected a decimal point or two entries, found {a.text},{b.text}"
            raise AttncalcError(f"{message}; write {a.text}.{b.text} or {a.text}, {b.text}", a.place)


def _is_close(a: Yaml, b: Yaml) -> bool:
    """Return whether there is only a comma, without a space, between two entries."""
    if not (isinstance(a, Scalar) and isinstance(b, Scalar)):
        return False
    return a.place.line == b.place.line and b.place.column == a.place.column + len(a.text) + 1


def refuse_two_numbers(text: str) -> None:
    """Raise FormulaError for an entry such as 2 -1 or 2 +1, because MATLAB and NumPy's output have two entries
    there.
    """
    if (parts := two_entries(text)) is not None:
        first, second = parts
        sign, result = ("+", "sum") if second[0] == "+" else ("-", "difference")
        both = f"{first}, {second.removeprefix('+')}"
        meant = shorten(f"{both} for two entries, or {first} {sign} {second[1:]} for the {result}", 120)
        raise FormulaError(f"expected one number, found {shorten(text)!r}; write {meant}")


def read_entry(value: Scalar, scope: PartBuilder, what: str) -> Node:
    """Read an entry that is a formula. Raises AttncalcError with the location of the wrong character."""
    try:
        refuse_words(value, scope, what)
        refuse_two_numbers(value.text.strip())
        tree = parse(value.text, scope.supposed.readings, scope.supposed.module_names)
        node = scope.supposed.checked(tree)
        if any(part.source is not NO_SOURCE or isinstance(part, Index) for part in walk(tree)):
            from ..lints import typed  # imported here, because few givens need it

            scope.warn(what, value.inside, typed(what, tree, value.text, scope.supposed))
        return node
    except Known:
        raise AttncalcError([]) from None
    except FormulaError as error:
        message = error.message
        if is_name(word := value.text.strip()) and message.startswith(f"{word} is not defined"):
            message = f"expected a number; {word} is not defined{_as_label(word, scope)}"
        raise error.of(what, value.inside.shifted(error.at), message) from None


def read_cells(value: Yaml, what: str) -> list[list[Scalar]]:
    """Return the rows of entries: from nested lists, from a flat list, or from a block of text with one row per
    line.
    """
    rows: list[list[Scalar]]
    if isinstance(value, Scalar):
        rows = _block(value)
    elif isinstance(value, Sequence) and value.items and all(isinstance(x, Scalar) for x in value.items):
        rows = [[x for x in value.items if isinstance(x, Scalar)]]
    elif isinstance(value, Sequence):
        rows = [read_row(item, what) for item in value.items]
    else:
        raise AttncalcError(f"{what}: expected a matrix, found {kind(value)}", value.place)
    check_rectangle(rows, value, what)
    return rows


def read_row(item: Yaml, what: str) -> list[Scalar]:
    """Return the entries of a row. Raises AttncalcError if the row is not a list, is empty, or contains lists."""
    if not isinstance(item, Sequence):
        raise AttncalcError(f"{what}: expected a row (a list of numbers), found {kind(item)}", item.place)
    if not item.items:
        raise AttncalcError(f"{what}: a row needs at least one number, but this one is empty", item.place)
    cells = [x for x in item.items if isinstance(x, Scalar)]
    for x in item.items if len(cells) < len(item.items) else []:
        if not isinstance(x, Scalar):
            raise AttncalcError(f"{what}: expected a number, found {kind(x)}; matrices have two dimensions", x.place)
    return cells


def refuse_semicolons(value: Yaml, what: str) -> None:
    """Raise AttncalcError for semicolons between rows, as in MATLAB. The message contains the list to write instead."""
    while isinstance(value, Sequence) and len(value.items) == 1 and isinstance(value.items[0], Sequence):
        value = value.items[0]
    items = value.items if isinstance(value, Sequence) else [value]
    text = " ".join(item.text if isinstance(item, Scalar) else "[" for item in items).strip(" []")
    rows = [row.split() for row in text.rstrip("; ").split(";")]
    if ";" in text and all(rows) and all(_NUMBER.fullmatch(number) for row in rows for number in row):
        listed = ", ".join(f"[{', '.join(row)}]" for row in rows)
        message = f"{what}: expected rows in brackets, found semicolons; write [{shorten(listed, 200)}]"
        if all(map(_is_close, items, items[1:])) and len(items) > 1 and all(len(row) % 2 == 0 for row in rows):
            decimals = [", ".join(map("{}.{}".format, row[::2], row[1::2])) for row in rows]
            message += f", or [[{'], ['.join(decimals)}]] if the commas are decimal commas"
        raise AttncalcError(message, value.place)


def check_rectangle(rows: list[list[Scalar]], value: Yaml, what: str) -> None:
    """Raise AttncalcError if rows differ in length, or if the matrix is empty or too large."""
    if not rows:
        raise AttncalcError(
            f"{what}: a matrix needs at least one row and one column, but this one is empty", value.place
        )
    width = len(rows[0])
    first = f"row {counted_place(0)} has {width}"
    odd = [(f"{what}: row {counted_place(k)}", row) for k, row in enumerate(rows) if len(row) != width]
    if odd:
        faults = ((f"{where} has {counted(len(row), 'entry')}, {first}", row[0].place) for where, row in odd[:5])
        raise AttncalcError([Diagnostic(*fault) for fault in faults])
    try:
        guard((len(rows), width))
    except FormulaError as error:
        raise AttncalcError(f"{what}: {error.message}", value.place) from None


def read_entries(cells: list[list[Scalar]], scope: PartBuilder, what: str) -> tuple[Node, tuple[tuple[str, ...], ...]]:
    """Return a matrix, and its entries as texts. Raises AttncalcError with all errors."""
    refuse_words_alone(cells, scope, what)
    faults = Diagnostics()
    for row in cells:
        refuse_thousands(row, what)
    exact: list[list[Entry | None]] = []
    nodes: dict[tuple[int, int], Node] = {}
    for i, row in enumerate(cells):
        exact.append([])
        for j, cell in enumerate(row):
            number: Entry | None = None
            try:
                number = exact_number(cell.text)
                if number is None:
                    nodes[i, j] = read_single(cell, scope, f"{what}, {row_and_column(i, j)}")
                    number = nodes[i, j].static
            except FormulaError as error:
                faults.add(f"{what}, {row_and_column(i, j)}: {error.message}", cell.inside)
            except AttncalcError as error:
                faults.extend(error)
            exact[-1].append(number)
    faults.raise_any()
    texts = tuple(tuple(cell.text for cell in row) for row in cells)
    if all(x is not None for row in exact for x in row):
        return literal(tuple(tuple(x for x in row if x is not None) for row in exact)), texts
    grid = [
        [nodes[i, j] if (i, j) in nodes or x is None else literal(((x,),)) for j, x in enumerate(row)]
        for i, row in enumerate(exact)
    ]
    return from_entries(grid, None, None), texts


def read_single(cell: Scalar, scope: PartBuilder, what: str) -> Node:
    """Read an entry that is a formula of a single number. Raises AttncalcError if its value is a larger matrix."""
    node = read_entry(cell, scope, what)
    if node.shape != (1, 1):
        raise AttncalcError(
            f"{what}: expected a single number; {shorten(cell.text)!r} is {size(node.shape)}", cell.place
        )
    return node


def read_labels(node: Yaml | None, count: int, what: str, axis: str) -> Labels:
    """Return the labels of an axis, or None if there are none. Raises AttncalcError unless there are `count` labels."""
    if node is None:
        return None
    if not isinstance(node, Sequence):
        raise AttncalcError(f"{what}: {axis}: expected a list of labels, found {kind(node)}", node.place)
    for x in node.items:
        if not isinstance(x, Scalar):
            raise AttncalcError(f"{what}: expected a label (a word or a text), found {kind(x)}", x.place)
    if len(node.items) != count:
        message = f"{what}: expected {counted(count, 'label')} for the {axis}, found {len(node.items)}"
        raise AttncalcError(message, node.place)
    return tuple(x.text for x in node.items if isinstance(x, Scalar))


def _as_label(word: str, scope: PartBuilder) -> str:
    """Return a suggestion for a word where a number is expected: a similar name, or the index of the row with this
    label.
    """
    for given in (*scope.givens.values(), *scope.outer.values()):
        for axis, labels in (("row", given.rows), ("column", given.columns)):
            if word in (labels or ()):
                place = (labels or ()).index(word)
                return f", but is the label of {axis} {place} of {given.name}; did you mean {place}?"
    return did_you_mean(word, scope.known())


def _is_word(text: str) -> bool:
    """Return whether a text looks like a token of a sentence, such as cat, I or <pad>, and not like a name of the
    file.
    """
    return text.strip("<>").isalpha() and (len(text) > 1 or text in "aI") and text not in _CONSTANTS


def _block(value: Scalar) -> list[list[Scalar]]:
    """Return the words of a block of text, row by row, with their locations."""
    first, lines = value.inside, value.text.splitlines()
    above = next((k for k, line in enumerate(lines) if line.strip()), 0)
    indent = first.column - (len(lines[above]) - len(lines[above].lstrip())) if value.file and lines else 1

    def cell(k: int, word: re.Match[str]) -> Scalar:
        return Scalar(
            word.group(), Location(first.source, first.line - above + k if value.file else k + 1, indent + word.start())
        )

    rows = [[cell(k, word) for word in re.finditer(r"\S+", line)] for k, line in enumerate(lines)]
    return [row for row in rows if row]


def read_fraction(node: Yaml, expected: str, fits: Callable[[Fraction], bool], faults: Diagnostics) -> Fraction | None:
    """Read a fraction such as 1/2. For other texts, or a number that does not fit, add an error and return None."""
    try:
        value = exact_number(node.text) if isinstance(node, Scalar) else None
    except FormulaError:
        value = None
    if isinstance(value, Fraction) and fits(value):
        return value
    faults.add(f"{expected}, found {kind(node)}", node.place)
    return None


def exact_number(written: str) -> Entry | None:
    return _short_number(written) if len(written) <= SHORT else _number(written)


@lru_cache(maxsize=1_000)
def _short_number(written: str) -> Entry | None:
    return _number(written)


def _number(written: str) -> Entry | None:
    text = written.strip().replace("−", "-").replace("∞", "inf")
    if text.lstrip("+-") == "inf" and len(text) < 5:
        return float("-inf") if text.startswith("-") else float("inf")
    match = _NUMBER.fullmatch(text)
    if match is None and (truth := _TRUTHS.get(text.lower())) is not None:
        return Fraction(truth)
    if match is None:
        if text.lower() in _NOT_A_NUMBER:
            raise FormulaError(f"expected a number, inf or -inf, found {shorten(text)!r}")
        if not text:
            raise FormulaError("expected a number, found nothing")
        if _DATE.fullmatch(text):
            parts = " - ".join(str(int(part)) for part in text.split("-")) if "-" in text else ""
            meant = f"; for the difference, write {parts}" if parts else ""
            raise FormulaError(f"expected a number, found the date {text}{meant}")
        return None
    sign, mantissa, exponent, below = match.groups()
    longest = max(len(mantissa), len(below or ""))
    if longest > limits.DIGITS.most + 1:
        raise FormulaError(limits.DIGITS.exceeded(longest))
    if exponent and (len(exponent) > 6 or abs(int(exponent)) > limits.EXPONENT.most):
        raise FormulaError(limits.EXPONENT.exceeded(repr(shorten(text))))
    if below is not None and not int(below):
        raise FormulaError(f"division by zero in {shorten(text)!r}")
    number = Fraction(sign + mantissa + (f"e{exponent}" if exponent else ""))
    return number if below is None else number / int(below)
