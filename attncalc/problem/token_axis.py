"""Warnings for operations on rows where tokens are columns, and on columns where tokens are rows."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ALONG_ROWS, shorten
from ..formula.functions import BY_QUERY
from ..formula.parser import pasted
from ..formula.syntax_tree import Call, Text, Transpose, Tree, unparse, walk
from ..formula.typed_formula import Entry
from .error_recovery import Supposed
from .formula_sizes import BY_ROWS, queries_first

AXIS = 'axis="rows" says that rows are meant'


def along_rows(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for a softmax, or a similar function, whose axis is not the axis of the tokens."""
    warnings = []
    for part in walk(tree):
        match part:
            case Call(function, (scores, *_), options) if function in BY_ROWS and "axis" not in dict(options):
                size, first = supposed.shape(scores), queries_first(scores, supposed.definition)
                if size is None or 1 in size:
                    continue
                if supposed.columns and first is not True:
                    warnings.append(f"{ALONG_ROWS} (vectors: columns), and {function} works on each row here ({AXIS})")
                elif not supposed.columns and first is False:
                    shown = shorten(unparse(scores))
                    warnings.append(f"{ALONG_ROWS}: a column of {shown} is a query, and {function} works on each row")
    return warnings


def masks_by_query(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for masks with a row for each query, beside scores with a column for each query."""
    calls = [part for part in walk(tree) if isinstance(part, Call) and part.function in BY_QUERY]
    if not calls or not supposed.columns or queries_first(tree, supposed.definition) is not False:
        return []
    turned = [part.operand for part in walk(tree) if isinstance(part, Transpose)]
    return [
        f"{shorten(unparse(call))} has a row for each query, and a column of these scores is a query"
        for call in calls
        if not any(call is operand for operand in turned) and not _is_symmetric(supposed.numbers(call))
    ]


def _is_symmetric(entries: Sequence[Sequence[Entry]] | None) -> bool:
    return entries is not None and [*map(tuple, entries)] == [*zip(*entries, strict=True)]


def by_number(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for a softmax, norm or similar function whose typed axis is not the axis of the tokens."""
    warnings = []
    for part in walk(tree) if any(part.source.axis for part in walk(tree)) else ():
        match part:
            case Call(function, (a, *_), (("axis", Text(word)), *_)) if function in BY_ROWS or function == "norm":
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
