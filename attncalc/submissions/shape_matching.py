"""The cells of an answer on the cells that are asked: by labels, as they stand, as a column, as the transpose."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from ..errors import AttncalcError, Diagnostic, counted, did_you_mean, shorten, size
from ..formula.index_base import counted_place
from ..formula.syntax_tree import unparse
from ..formula.typed_formula import Labels
from ..plan import Step
from .submission import Answer, Names, Rows, Typed
from .text_grid import are_counted, gaps_between

WRITE = ("Write only the matrix, such as [[1, 2], [3, 4]]", "Write only the number, such as 0.5")
_DECIMAL_COMMAS = "; are these decimal commas? Write numbers with a decimal point, such as 0.67"
_NUMBERED_ROWS = "; are the first numbers the row numbers? Leave them out"
_ORDER = (
    "expected the {0} of {1} in the order of the problem, found the labels {2}; write the matrix without labels, "
    "such as [[1, 2], [3, 4]]"
)
# How an answer was read, where it did not stand as it is asked.
NOTES = {
    "column": "flat list read as a column",
    "row": "column read as a row",
    "upright": "row read as a column",
    "flat": "flat list read row by row as {asked}",
    "transpose": "read as the transpose: {given} given where {asked} is asked",
    "labels": "read as the transpose: the row labels and the column labels are swapped",
    "order": "{axis} were in the order {labels}, matched by their labels",
    "some": "{axis} {labels} given, matched by their labels",
    "doubled": "some {axis} have the same label ({labels}); read in the given order",
    "apart": "the numbers below a blank line were left out",
    "items": "the numbers of the items were left out",
    "edge": "blank rows and columns at the edges were left out",
    "foreign": "the labels of the {axis} ({labels}) are not those of the problem; they are read in the written order",
}


class WrongShape(AttncalcError):
    """Numbers that can be read, in a matrix of another shape than the step's: a wrong answer."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Cells by their places among the rows and columns that are asked; blanks are not among them."""

    cells: dict[tuple[int, int], Typed]
    notes: tuple[str, ...] = ()
    transposed: bool = False


def fit(answer: Answer, step: Step, rows: list[int], columns: list[int]) -> Fitted:
    """Return the answer on these rows and columns of the step. Raises AttncalcError with both shapes if its shape
    cannot fit, or if its rows differ in length.
    """
    if answer.single is not None and len(rows) == len(columns) == 1:
        answer = replace(answer, rows=((answer.single,),))
    answer, items = _without_items(answer, (len(rows), len(columns)))
    _refuse_commas(answer, (len(rows), len(columns)))
    refuse_ragged(answer, len(rows) * len(columns))
    asked = (
        None if step.rows is None else tuple(step.rows[i] for i in rows),
        None if step.columns is None else tuple(step.columns[j] for j in columns),
    )
    _refuse_order(answer, asked)
    notes = [items] if items else []
    turned = _exchanged(answer, asked)
    if turned:
        answer = replace(
            answer, rows=_transposed(answer.rows), row_labels=answer.column_labels, column_labels=answer.row_labels
        )
        notes.append(NOTES["labels"])
    target = (len(rows), len(columns))
    given = len(answer.rows), len(answer.rows[0])
    down = _matched(answer, answer.row_labels, asked[0], given[0], target[0], "rows", notes)
    across = _matched(answer, answer.column_labels, asked[1], given[1], target[1], "columns", notes)
    if down is not None or across is not None:  # what labels say of one side must fit as it stands on the other
        if down is None and given[0] != target[0] or across is None and given[1] != target[1]:
            raise _misfit(answer, given, target)
        return Fitted(_cells(answer.rows, down or range(target[0]), across or range(target[1])), tuple(notes), turned)
    placed, layout, transposed = _shaped(answer, given, target)
    if layout:
        notes.append(NOTES[layout].format(given=size(given), asked=size(target)))
    return Fitted(_cells(placed, range(target[0]), range(target[1])), tuple(notes), turned or transposed)


def _without_items(answer: Answer, target: tuple[int, int]) -> tuple[Answer, str]:
    """Return the answer without the numbers of the items of a list, `1.` and `2.`, if it fits only without them, and a
    note. Raises AttncalcError if it fits in both ways, or in none.
    """
    first = [row[0] for row in answer.rows if len(row) > 1 and row[0]]
    is_list = [cell.text for cell in first] == [f"{k}." for k in range(1, len(answer.rows) + 1)]
    others = [cell for row in answer.rows for cell in row[1:] if cell]
    is_print = answer.printed or any(cell.text.endswith(".") for cell in others)
    if not is_list or is_print or len({cell.place.line for cell in first}) < max(2, len(first)):
        return answer, ""
    bare = replace(answer, rows=tuple(row[1:] for row in answer.rows), flat=False)
    ways = [way for way in (answer, bare) if _fits(way, target)]
    if len(ways) != 1:
        shape = size((len(answer.rows), len(answer.rows[0])))
        raise AttncalcError(f"{_what(answer)}: expected {size(target)}, found {shape}{_NUMBERED_ROWS}", answer.place)
    return ways[0], NOTES["items"] if ways[0] is bare else ""


def _fits(answer: Answer, target: tuple[int, int]) -> bool:
    """Return whether the rows, which are of one length, have the shape that is asked, or its transpose."""
    shape = len(answer.rows), len(answer.rows[0])
    return shape in (target, target[::-1]) and len({*map(len, answer.rows)}) == 1


def _shaped(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> tuple[Rows, str, bool]:
    """Return the rows in the shape that is asked, the name of their layout, and whether they were transposed."""
    if given == target:
        return answer.rows, "", False
    if given == target[::-1]:
        layout = ("column" if answer.flat else "upright") if given[0] == 1 else "row" if given[1] == 1 else "transpose"
        return _transposed(answer.rows), layout, layout == "transpose"
    if answer.flat and given[1] == target[0] * target[1] and answer.row_labels is None:
        line, width = answer.rows[0], target[1]
        return tuple(line[k : k + width] for k in range(0, len(line), width)), "flat", False
    if answer.filled is not None:  # a table whose edges are empty
        top, bottom, left, right = answer.filled
        inner = tuple(row[left : right + 1] for row in answer.rows[top : bottom + 1])
        if (shape := (len(inner), len(inner[0]))) != given and shape in (target, target[::-1]):
            placed, layout, transposed = _shaped(replace(answer, rows=inner, filled=None), shape, target)
            return placed, layout or ("apart" if any(map(any, answer.rows[bottom + 1 :])) else "edge"), transposed
    raise _misfit(answer, given, target)


def _misfit(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> AttncalcError:
    doubts = (doubted(answer, given, target) for doubted in (_comma, _mixed, _listed, _other_signs, _entry, _as_many))
    doubt = next(filter(None, doubts), "")  # other numbers may have been meant
    if answer.where is not None and target == (1, 1):  # nobody writes a matrix there: a slip of who typed it
        typed = " ".join(cell.text for row in answer.rows for cell in row if cell)
        message = f"{unparse(answer.where).replace(', ', ',')}: expected one number, found {shorten(typed)!r}{doubt}"
        return AttncalcError(message, answer.place)
    message = f"expected {size(target)}, found {size(given)}"
    if doubt:
        return AttncalcError(f"{_what(answer)}: {message}{doubt}", answer.place)
    return WrongShape(Diagnostic(message, answer.place))


def _refuse_commas(answer: Answer, target: tuple[int, int]) -> None:
    """Raise AttncalcError for decimal commas between blanks in a matrix that does not fit: commas may part entries."""
    widths = {len(row) for row in answer.rows}
    given = len(answer.rows), max(widths)
    is_flat = answer.flat and given[1] == target[0] * target[1]
    if answer.commas and not (len(widths) == 1 and (given in (target, target[::-1]) or is_flat)):
        message = f"{_what(answer)}: expected {size(target)}, found {size(given)}"
        raise AttncalcError(message + _DECIMAL_COMMAS, answer.place)


def refuse_ragged(answer: Answer, count: int = 0) -> None:
    """Raise WrongShape for rows of different lengths, and AttncalcError if they have as many entries as asked: then
    only their ends are unclear.
    """
    first = len(answer.rows[0])
    odd = next((k for k, row in enumerate(answer.rows) if len(row) != first), None)
    if odd is not None:
        row = answer.rows[odd]
        there = f"row {counted_place(odd)} has {counted(len(row), 'entry')}, row {counted_place(0)} has {first}"
        message = f"{there}; rows must have the same length; write a blank as _"
        kind = AttncalcError if sum(map(len, answer.rows)) == count else WrongShape
        raise kind(Diagnostic(message, next((cell.place for cell in row if cell), answer.place)))


def _what(answer: Answer) -> str:
    return answer.step if answer.where is None else f"this slice of {answer.step}"


def _comma(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a hint for twice as many entries as asked, all of them whole: 0,67 was read as 0 and 67."""
    texts = [cell.text for row in answer.rows for cell in row if cell]
    # Behind a comma stands no sign
    signed = any(cell and cell.text[0] not in ".0123456789" for row in answer.rows for cell in row[1::2])
    doubled = given[1] == 2 * target[1] or answer.flat and given[1] == 2 * target[0] * target[1]
    doubled |= given[1] == 2 and given[0] == target[0] * target[1] and _in_one_list(answer.rows)  # [0,67; 1,41]
    halves = doubled and not signed and all(map(_may_be_half, texts))
    return _DECIMAL_COMMAS if halves or _has_some_commas(answer, given, target) else ""


def _has_some_commas(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> bool:
    """Return whether each row is as long as asked if the commas without a blank behind them, of some with one, are
    decimal commas: `[0,25, -3/4, 1/2]`.
    """
    width = target[0] * target[1] if answer.flat else target[1]
    if given[1] <= width or not answer.flat and given[0] != target[0]:
        return False
    for row in answer.rows:
        tight = [gap == 1 and a and b and _may_be_half(a.text) and b.text[0] in "0123456789" and _may_be_half(b.text)
                 for (a, b), gap in zip(pairwise(row), gaps_between(row), strict=True)]  # fmt: skip
        if len(row) - sum(map(bool, tight)) != width or all(tight):
            return False
    return True


def _in_one_list(rows: Rows) -> bool:
    """Return whether rows of two are in one line, with only a comma within a row and a semicolon after it."""
    cells = [cell for row in rows for cell in row]
    return all(gap == 1 if k % 2 == 0 else 1 <= gap <= 2 for k, gap in enumerate(gaps_between(cells)))


def _mixed(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a hint for twice as many entries, each second one a proper fraction: 1 1/2 was read as 1 and 1/2."""
    pairs = [(whole, part) for row in answer.rows for whole, part in zip(row[::2], row[1::2], strict=False)]
    doubled = given[1] == 2 * target[1] or answer.flat and given[1] == 2 * target[0] * target[1]
    mixed = all(
        whole and part and _may_be_half(whole.text)
        and part.value is not None and part.decimals is None and 0 < part.value < 1
        for whole, part in pairs
    )  # fmt: skip
    return "; are these mixed numbers? Write each as a sum: 1 + 1/2" if doubled and mixed else ""


def _listed(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a hint for one more column, which counts the rows: `1. 0.71 0.33` is the first item of a list."""
    first = [row[0].text.strip("().") if row[0] else "" for row in answer.rows]
    is_numbered = answer.rows[0][0] is not None and not answer.rows[0][0].text.isdigit() or len(first) > 1
    ways = [[str(k) for k in range(start, len(first) + start)] for start in (0, 1) if is_numbered]
    listed = given == (target[0], target[1] + 1) and first in ways
    if listed:
        return _NUMBERED_ROWS
    above = [cell.text if cell else "" for cell in answer.rows[0]]
    ways = [[str(k + start) for k in range(len(above))] for start in (0, 1) if len(above) > 1]
    listed = given == (target[0] + 1, target[1]) and above in ways
    return "; are the first numbers the column numbers? Leave them out" if listed else ""


def _as_many(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a hint for as many entries as asked in one row or column: their rows may have been lost."""
    is_same = given[0] * given[1] == target[0] * target[1] and 1 in given
    return f"; which entries are in one row? {WRITE[False]}" if is_same else ""


def _entry(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a hint for one number in the place of a row or a column."""
    is_entry = answer.where is not None and given == (1, 1)
    return f"; is it one entry? Write an entry as {answer.step}[0, 0]" if is_entry else ""


def _other_signs(answer: Answer, given: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a hint for words, blanks, signs of crossed-out cells and numbers in parentheses among the entries: they
    may be something else, as `or` in `1.7 or 1.75`, × in `2 x 3` and the equation's number in `0.5 (3)` are.
    """
    cells = [cell for row in answer.rows for cell in row]
    is_sure = all(cell and (not cell.word or "nan" in cell.text.lower()) for cell in cells) or not any(cells)
    enclosed = {cell is not None and cell.text[0] == "(" and cell.text[-1] == ")" for cell in cells}
    return "" if is_sure and len(enclosed) == 1 else f"; which items are the entries? {WRITE[target == (1, 1)]}"


def _may_be_half(text: str) -> bool:
    """Return whether an entry may be what stands before or behind a decimal comma."""
    return text.lstrip("+-−").removeprefix(".").isdigit()


def _cells(rows: Rows, down: list[int] | range, across: list[int] | range) -> dict[tuple[int, int], Typed]:
    return {
        (i, j): cell
        for i, row in zip(down, rows, strict=True)
        for j, cell in zip(across, row, strict=True)
        if cell is not None
    }


def _transposed(rows: Rows) -> Rows:
    return tuple(zip(*rows, strict=True))


# -- labels ------------------------------------------------------------------------------------------------------------


def _exchanged(answer: Answer, asked: tuple[Labels, Labels]) -> bool:
    """Return whether the labels fit only with rows and columns exchanged."""
    mine = (answer.row_labels, answer.column_labels)
    if mine == (None, None):
        return False
    straight = all(label is None or _same(label, want) for label, want in zip(mine, asked, strict=True))
    turned = all(label is None or _same(label, want) for label, want in zip(mine[::-1], asked, strict=True))
    return turned and not straight


_NUMBERED = re.compile(r"(.*?)[ _]?([0-9]{1,4})")
_SIDES = {"q": "rows", "query": "rows", "k": "columns", "key": "columns"}


def _refuse_order(answer: Answer, asked: tuple[Labels, Labels]) -> None:
    """Raise AttncalcError for labels that the problem does not have, and that put rows or columns in another order:
    numbers that do not ascend, as in `q2`, `q1`, and queries above the columns.
    """
    for axis, labels, known in zip(("rows", "columns"), (answer.row_labels, answer.column_labels), asked, strict=True):
        matches = [_NUMBERED.fullmatch(_fold(label)) for label in labels or ()]
        if not labels or set(map(_fold, labels)) & set(map(_fold, known or ())):
            continue
        stems = {match[1].strip() if match else "" for match in matches}
        numbers = [int(match[2]) for match in matches if match]
        is_other_side = len(stems) == 1 and len(labels) > 1 and _SIDES.get(min(stems), axis) != axis
        is_other_order = len(stems) == 1 and any(a > b for a, b in pairwise(numbers)) and any(stems)
        if is_other_order and len(numbers) == len(labels) or is_other_side:
            raise AttncalcError(_ORDER.format(axis, _what(answer), shorten(", ".join(labels), 80)), answer.place)


def _same(labels: Names, asked: Labels) -> bool:
    return labels is not None and asked is not None and set(map(_fold, labels)) <= set(map(_fold, asked))


def _fold(label: str) -> str:
    return " ".join(label.split()).casefold()


def _matched(
    answer: Answer, labels: Names, asked: Labels, given: int, target: int, axis: str, notes: list[str]
) -> list[int] | None:
    """Return where each row (or column) of the answer belongs by its label, None if the labels do not say.

    Labels that are none of the problem's are let be, with a note. Some known and some unknown labels are a fault.
    """
    if labels is None or len(labels) != given:
        return None
    mine = [_fold(label) for label in labels]
    shown = shorten(", ".join(labels), 80)
    wanted = [_fold(label) for label in asked or ()]
    if not set(mine) & set(wanted):
        # the numbers of the rows, from 0 as here, or from 1 as on paper
        wanted = sorted(mine, key=lambda label: (len(label), label)) if len(mine) == target else []
        wanted = wanted if are_counted(wanted) else []
    if not wanted:
        words = [label for label in mine if label]
        doubled = len(set(words)) < len(words)
        if doubled or asked is not None and any(labels):
            notes.append(NOTES["doubled" if doubled else "foreign"].format(axis=axis, labels=shown))
        return None
    if odd := [label for label, label_read in zip(labels, mine, strict=True) if label_read not in wanted]:
        near = did_you_mean(odd[0], list(asked or ()))
        message = f"{answer.step} has no {axis[:-1]} with the label {shorten(odd[0])!r}{near}"
        raise AttncalcError(message, answer.place)
    if len(set(mine)) < len(mine) or len(set(wanted)) < len(wanted):
        if mine == wanted:
            return list(range(target))
        wanted_labels = shorten(", ".join(asked or ()), 80)
        message = (
            f"{axis} of {answer.step}: expected the labels {wanted_labels} in this order, because some are the "
            f"same; found {shown}"
        )
        raise AttncalcError(message, answer.place)
    places = [wanted.index(label_read) for label_read in mine]
    if places != list(range(target)):
        notes.append(NOTES["order" if len(places) == target else "some"].format(axis=axis, labels=shown))
    return places
