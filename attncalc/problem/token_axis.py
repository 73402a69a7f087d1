"""Warnings for operations on rows where tokens are columns, and on columns where tokens are rows."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ALONG_ROWS, shorten
from ..formula.parser import pasted
from ..formula.syntax_tree import Binary, Call, Text, Transpose, Tree, unparse, walk
from ..formula.typed_formula import Entry
from .error_recovery import Supposed
from .formula_sizes import BY_ROWS, OF_POSITIONS, OF_TOKENS, is_mask_by_query, is_turned, queries_first

AXIS = 'axis="rows" says that rows are meant'


def along_rows(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for functions of each row, such as softmax and top_k, whose axis is not the axis of the
    tokens.
    """
    warnings = []
    for part in walk(tree):
        match part:
            case Call(function, (a, *_), options) if "axis" not in dict(options) and min(supposed.shape(a) or (1,)) > 1:
                first = queries_first(a, supposed.definition)
                is_silent = first is True or first is None and is_turned(a)
                if supposed.columns and not is_silent and function in BY_ROWS:
                    warnings.append(f"{ALONG_ROWS} (vectors: columns), and {function} works on each row here ({AXIS})")
                elif supposed.columns and not is_silent and function in OF_TOKENS:
                    warnings.append(f"{ALONG_ROWS} (vectors: columns), and {function} works on each row here")
                elif not supposed.columns and first is False and function in BY_ROWS:
                    shown = shorten(unparse(a))
                    warnings.append(f"{ALONG_ROWS}: a column of {shown} is a query, and {function} works on each row")
    return warnings


def by_row(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for masks and positions with a row for each token, where tokens are columns."""
    if not supposed.columns:
        return []
    keys_first = queries_first(tree, supposed.definition) is False
    upright = {id(part.operand) for part in walk(tree) if isinstance(part, Transpose)}
    warnings = []
    for part in walk(tree):
        shown = shorten(unparse(part))
        if id(part) in upright:
            continue
        if isinstance(part, Call) and part.function in OF_POSITIONS:
            warnings.append(f"{shown} has a row for each position, and tokens are columns (vectors: columns)")
        elif keys_first and is_mask_by_query(part, supposed.definition) and not _is_symmetric(supposed.numbers(part)):
            warnings.append(f"{shown} has a row for each query, and a column of these scores is a query")
    return warnings


def _of_columns(call: Call, a: Tree, word: str, supposed: Supposed) -> list[str]:
    """Return the warning for a reduction of the rows of a matrix whose columns are tokens."""
    is_silent = is_turned(a) or queries_first(a, supposed.definition) is True
    if is_silent or min(supposed.shape(a) or (1,)) == 1:
        return []
    meant = pasted(Call(f"col_{call.function[4:]}", (a,), call.options))
    what = f"tokens are columns (vectors: columns), and on this axis {word} works on each row"
    return [f"{what}; for each token: {meant}"]


def _is_symmetric(entries: Sequence[Sequence[Entry]] | None) -> bool:
    return entries is not None and [*map(tuple, entries)] == [*zip(*entries, strict=True)]


def by_number(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for a softmax, norm or similar function whose typed axis is not the axis of the tokens."""
    warnings = []
    is_numbered = any(part.source.axis for part in walk(tree))
    for part in walk(tree):
        match part:
            case Call(function, (a,)) if supposed.columns and function.startswith("row_") and part.source.axis:
                warnings += _of_columns(part, a, function[4:], supposed)
            case Binary("/", a, Call("row_sum", (b,)) as total) if supposed.columns and a == b:
                warnings += [] if total.source.axis else _of_columns(total, b, "row_sum", supposed)
            case Call(function, (a, *_), (("axis", Text(word)), *_)) if function in (*BY_ROWS, "norm") and is_numbered:
                size, tokens = supposed.shape(a), "columns" if supposed.columns else "rows"
                if size is None or 1 in size or word in (tokens, "all"):
                    continue
                if function in BY_ROWS and queries_first(a, supposed.definition) is supposed.columns:
                    continue
                meant = pasted(part.but(options=(("axis", Text(tokens)),)))
                warnings.append(
                    f"tokens are {tokens} (vectors: {tokens}), and on this axis {function} works on each {word[:-1]}; "
                    f"for each token: {meant}"
                )
    return warnings
