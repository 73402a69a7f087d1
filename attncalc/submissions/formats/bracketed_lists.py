"""Lists in square brackets of Python, MATLAB, NumPy and PyTorch, read with a stack, without recursion or evaluation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from ...errors import shorten
from ..answer_examples import MATRIX, MORE_BEHIND, NOT_CLOSED, UNMATCHED, beyond
from ..located_text import Written
from ..text_grid import COMMA, Grid, in_one_line, is_signed, pieces, unsure

DEEPEST = 8
_MAKERS = "array|tensor|Tensor|matrix|asarray|Array|(?:Immutable|Mutable)?(?:Dense)?Matrix"
CALL = re.compile(rf"\s*(?:(?:np|numpy|torch|jnp|tf|sp|sympy)\.)?({_MAKERS})\s*\(")
NUMBER = re.compile(r"\b(?:np|numpy)\.float(?:16|32|64)\(")
_TWO_SIGNS = (
    "expected commas between the entries of a row in brackets, found a semicolon, which could separate entries "
    "or rows; write decimal points, and commas between entries: [[0.5, 1], [2, 3]]"
)
_TWO_NUMBERS = re.compile(r"[-+−]?[0-9.]+\s+[-+−]?[0-9.]+")
_BRACKET = re.compile(r"[\[\]()]")
_ROW_SIGN = re.compile(r"[\[\];]")
_DECIMAL_COMMA = re.compile(r"[-+−]?(?:[0-9]+|[0-9]*,[0-9]+)")
KEYWORD = re.compile(
    r"\s*,\s*(?:dtype|device|requires_grad|grad_fn|size|shape)\s*=\s*(?:<[^<>]*>|\([^()]*\)|'[^']*'|\"[^\"]*\"|[\w.]+)"
)
_REST = re.compile(rf"(?:{KEYWORD.pattern})*\s*,?\s*\)?\s*[,;.]?\s*")
_TYPE = re.compile(
    r"dtype\s*=\s*(?:torch\.|np\.|numpy\.|jnp\.)?'?(float16|bfloat16|half|float32|float64|float|double|u?int\d*|long)\b"
)
_STATED = re.compile(r"dtype\s*=\s*[\"']?([\w.<>=]+)")
_HOLDS_DECIMALS = re.compile(r"(?i).*(?:float|double|half|complex|object)\w*|[<>=]?[fdegcO][0-9]{0,2}|None")
_WHOLE = re.compile(r"[-+−–]?[0-9]+(?:\.0*)?")
_COMPUTED = {"float64": "float64", "double": "float64", "float32": "float32", "float": "float32"}
_DEFAULT = {
    "array": "float64",
    "asarray": "float64",
    "matrix": "float64",
    "tensor": "float32",
    "Tensor": "float32",
    "Array": "float32",
}


@dataclass(slots=True)
class _List:
    start: int
    lists: list[_List] = field(default_factory=list)
    texts: list[tuple[int, int]] = field(default_factory=list)  # what stands between the inner lists
    stop: int = 0

    @property
    def depth(self) -> int:
        return 1 + max((inner.depth for inner in self.lists), default=0)


def bracket_end(text: str, start: int, stop: int | None = None) -> int | None:
    """Return where the brackets that open in the text from there on are closed again; None if they stay open."""
    depth, rounded = 0, 0
    for bracket in _BRACKET.finditer(text, start, len(text) if stop is None else stop):
        depth += (bracket[0] == "[") - (bracket[0] == "]")
        rounded += (bracket[0] == "(") - (bracket[0] == ")")
        if depth <= 0 and rounded <= 0:
            return bracket.end()
    return None


def read_brackets(written: Written) -> Grid:
    r"""Return the grid of `[[1, 2], [3, 4]]`, `[[1. 2.]\n [3. 4.]]`, `tensor([...], dtype=...)`, `[1 2; 3 4]`."""
    call = CALL.match(written.text)
    start = call.end() if call else 0
    lists, stop = _parse(written, start)
    rest = written.text[stop:]
    if call and not lists:  # tensor(0.5000)
        inner = written.part(start, len(written.text)).text.split(",")[0].rstrip(") \n")
        lists, rest = [], written.text[start + len(inner) :]
    if not _REST.fullmatch(" ".join(rest.split())):
        raise written.fault(MORE_BEHIND, stop + len(rest) - len(rest.lstrip()))
    is_print = call is not None and "." not in call[0]  # `np.array(...)` is typed; what it holds is what was meant
    computed = _computed(call[1], rest) if call and is_print and "." in written.text else None
    if not lists:
        single = [[written.part(start, start + len(inner)).trimmed()]]
        _require_whole(single, rest)
        return Grid(single, printed=True, computed=computed)
    top = (
        lists[0]
        if len(lists) == 1
        else _List(start, lists, [(start, start), *((a.stop, b.start) for a, b in pairwise(lists)), (stop, stop)])
    )
    spaced = _are_spaced(written.text[start:stop])
    rows, bare, flat = _rows(written, top, spaced)
    if signed := next(
        (row[0] for row in rows if is_signed(row[0].text) and any(len(other) != len(row) for other in rows)), None
    ):
        raise unsure(signed, signed.text.split()[1])
    _require_whole(rows, rest)
    printed = bool(call) or bare or bool(NUMBER.search(written.text))
    grid = Grid(rows, printed=printed and not spaced, computed=computed, flat=flat, spaced=spaced)
    if grid.printed:
        for cell in (cell for row in rows for cell in row if cell.text == "..."):
            raise cell.fault("this output omits entries; print the whole matrix (np.set_printoptions(threshold=10**6))")
    return grid


def _require_whole(rows: list[list[Written]], rest: str) -> None:
    """Raise AttncalcError for an entry that an array does not hold as it is typed: 0.5 where dtype=int stands."""
    kind = _STATED.search(rest)
    if kind is None or _HOLDS_DECIMALS.fullmatch(kind[1]):
        return
    for cell in (cell for row in rows for cell in row):
        if re.search("[0-9]", cell.text) and not _WHOLE.fullmatch(cell.text):
            raise cell.fault(
                f"expected whole numbers in an array with dtype={kind[1]}, found {shorten(cell.text)!r}, whose "
                "decimals Python drops; leave out dtype: np.array([[0.5, 1], [2, 3]])"
            )


def _computed(call: str, rest: str) -> str | None:
    """Return the arithmetic of a print; whole numbers and half precision have none that is known here."""
    stated = _TYPE.search(rest)
    return _COMPUTED.get(stated[1]) if stated else _DEFAULT.get(call)


def _parse(written: Written, start: int) -> tuple[list[_List], int]:
    """Return the lists at the top, and where the last of them ends."""
    text, stack, top, end = written.text, list[_List](), list[_List](), start
    begun = start
    for k in range(start, len(text)):
        sign = text[k]
        if sign == "[":
            if not stack and text[end:k].strip(" \t\r\n,"):
                break
            if len(stack) >= DEEPEST:
                raise written.fault(
                    beyond(
                        f"lists that are nested at most {DEEPEST} levels deep",
                        "deeper ones",
                        f"write a matrix as {MATRIX}",
                    ),
                    k,
                )
            if stack:
                stack[-1].texts.append((begun, k))
            stack.append(_List(k))
            begun = k + 1
        elif sign == "]":
            if not stack:
                raise written.fault(UNMATCHED, k)
            done = stack.pop()
            done.texts.append((begun, k))
            done.stop = begun = k + 1
            (stack[-1].lists if stack else top).append(done)
            end = k + 1 if not stack else end
    if stack:
        raise written.fault(NOT_CLOSED, stack[-1].start)
    return top, end


def _are_spaced(text: str) -> bool:
    """Return whether blanks part the entries of all rows, and commas are inside them: `[0,67 0,33; 1,41 2]`."""
    rows = [row.split() for row in _ROW_SIGN.split(text) if row.strip(" \t\r\n,")]
    words = [word for row in rows for word in row]
    are_even = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    return are_even and any("," in word for word in words) and all(map(_DECIMAL_COMMA.fullmatch, words))


def _even(rows: list[list[Written]]) -> None:
    """Drop the blank behind a comma at the end of a row, unless the row is as long as the longest only with it:
    `[1.2, ]` above `[0.4, 0.6]`.
    """
    width = max(len(row) - (not row[-1].text) for row in rows)
    for row in rows:
        if len(row) > max(width, 1) and not row[-1].text:
            row.pop()


def _rows(written: Written, top: _List, spaced: bool) -> tuple[list[list[Written]], bool, bool]:
    """Return the rows, whether blanks part them as NumPy prints them, and whether it is a list without rows."""
    while len(top.lists) == 1 and top.lists[0].lists:  # a batch of one
        _check_between(written, top)
        top = top.lists[0]
    if top.depth > 2:
        raise written.fault(
            f"expected a matrix such as {MATRIX}, found lists that are nested {top.depth} levels deep", top.start
        )
    if not top.lists:
        rows, bare = _leaf(written, top, spaced)
        _even(rows)
        return rows, bare, len(rows) == 1
    bare = _check_between(written, top)
    all_rows = []
    for inner in top.lists if len(top.lists) > 1 else ():
        if (semicolon := written.text.find(";", inner.start, inner.stop)) >= 0:
            raise written.fault(_TWO_SIGNS, semicolon)
    for inner in top.lists:
        rows, is_bare = _leaf(written, inner, spaced)
        bare |= is_bare
        all_rows += rows
    _even(all_rows)
    return all_rows, bare, False


def _check_between(written: Written, outer: _List) -> bool:
    """Return whether blanks part some lists, as in prints. Raises AttncalcError for signs but commas and blanks."""
    bare = False
    for number, (start, stop) in enumerate(outer.texts):
        between = written.text[start:stop].strip()
        inside = 0 < number < len(outer.lists)
        bare |= inside and not between
        if between not in ("", ",", ";") or between and number == 0:
            at = start + len(written.text[start:stop]) - len(written.text[start:stop].lstrip())
            raise written.fault("this list mixes numbers and lists; write a list of rows, or one row of numbers", at)
    return bare


_POINTS = "decimal commas? Write numbers with a decimal point, such as 0.67"


def _leaf(written: Written, row: _List, spaced: bool) -> tuple[list[list[Written]], bool]:
    """Return the entries of an innermost list; semicolons part rows. A comma behind the last is before a blank."""
    inside = written.part(row.start + 1, row.stop - 1)
    rows, bare = [], False
    parts = pieces(inside, ";")
    for part in parts[:-1] if len(parts) > 1 and not parts[-1].text else parts:
        cells = [part] if spaced else pieces(part, ",")
        if len(cells) > 1 and (odd := next((cell for cell in cells if _TWO_NUMBERS.fullmatch(cell.text)), None)):
            message = f"expected commas between all entries of a row, found {odd.text!r}"
            advice = f"write {', '.join(odd.text.split())}" if "." in odd.text else _POINTS
            raise odd.fault(f"{message}; {advice}")
        if len(cells) == 1:
            cells = [part] if is_signed(part.text) else pieces(part, " ")  # [[- 0.67], [0.33]]
            bare |= len(cells) > 1 and len(parts) == 1
        if not cells:
            raise written.fault("expected a matrix, found an empty list", row.start)
        rows.append([in_one_line(cell) for cell in cells])
    if len(rows) > 1:
        _even(rows)
    if len({len(cells) for cells in rows}) > 1:
        for part in parts:
            if "," in part.text and COMMA.fullmatch(part.text):
                raise part.fault(
                    f"{part.text.strip()} could be one number or two; "
                    f"write decimal points, and commas between entries: [[0.5, 1], [2, 3]]"
                )
    return rows, bare
