"""Finds a softmax that an author wrote with exp, and the axis along which its entries sum to 1.

Authors write it in many ways, in one step or in several: `E / E.sum(0)`, `E * (1 / E.sum(0))`, `(E.T / E.sum(1)).T`,
`exp(S - logsumexp(S))`. Its values decide, not its form: no entry is negative, and the entries of each row, or of each
column, sum to 1 for any numbers in the file. The givens are therefore replaced by random numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any
from zlib import crc32

from ..errors import FormulaError, shorten
from ..formula.operations import needed
from ..formula.parser import RESERVED, pasted
from ..formula.syntax_tree import Binary, Call, Name, Negate, Number, Text, Transpose, Tree, names, unparse, walk
from .error_recovery import MOST_EVALUATED, Supposed
from .formula_sizes import Known, operands

MOST_PARTS = 100  # the largest number of operations in a softmax
MOST_STEPS = 8  # a softmax that is written in more steps is not found
_SMALL = 1e-3  # the difference from 1 that a small ε in a divisor may cause
_EULER = (Name("e"), Call("exp", (Number("1"),)))


def wrong_axes(tree: Tree, supposed: Supposed) -> list[str]:
    """Return a warning for each softmax written with exp whose entries sum to 1 along the wrong axis."""
    messages: list[str] = []
    if not _has_exp(tree, supposed, MOST_STEPS):
        return messages
    tokens = "columns" if supposed.columns else "rows"
    for part, axis in _softmaxes(tree, supposed):
        is_lone = 1 in (supposed.shape(part) or ())
        is_turned, first = _is_turned(part, supposed, MOST_STEPS), supposed.queries_first(part)
        queries = tokens if first is None else "columns" if first is is_turned else "rows"
        what = f"{why(part, queries, tokens)}, but each {axis[:-1]} of this softmax sums to 1; for a result per token"
        if is_lone:
            queries = "columns" if axis == "rows" else "rows"
            what = f"each {axis[:-1]} of this softmax has only one entry, so every result is 1; to use all entries"
        elif axis == queries or first is None and is_turned:
            continue
        options = (("axis", Text("columns")),) if queries == "columns" else ()
        scores = _scores(part, axis, supposed)
        meant = "" if scores is None else f", write {pasted(Call('softmax', (scores,), options))}"
        messages.append(f"{what}{meant}" if meant else what.rpartition(";")[0])
    return messages


def why(scores: Tree, queries: str, tokens: str) -> str:
    """Return the reason for the axis of a softmax: the names of queries and keys, or `vectors:`."""
    if queries != tokens:
        return f"each {queries[:-1]} of {shorten(unparse(scores))} is a query"
    return f"tokens are {tokens} (because of vectors: {tokens})"


def _softmaxes(tree: Tree, supposed: Supposed) -> Iterator[tuple[Tree, str]]:
    """Yield the smallest parts whose entries sum to 1, and "rows" or "columns". Parts of steps are not yielded."""
    done: set[int] = set()  # parts that contain a softmax
    parts = [*walk(tree, lambda part: () if _proven(part) else operands(part))]
    turned = {id(part.operand) for part in parts if isinstance(part, Transpose)}
    counts: dict[int, int] = {}  # the number of parts of each part with exp
    for part in reversed(parts):
        inner = operands(part)
        if _proven(part) or _is_exp(part, supposed) or any(id(each) in counts for each in inner):
            counts[id(part)] = 1 + sum(counts.get(id(each), 1) for each in inner)
        is_call = isinstance(part, Call) and part.function == "softmax"
        if is_call or any(id(each) in done for each in inner):
            done.add(id(part))
        elif isinstance(part, Name):  # if it is a softmax, its step has the warning
            is_matrix = supposed.definition(part.name) is not None and min(supposed.shape(part) or (1,)) > 1
            if is_matrix and _axis(_random(part.name, supposed, MOST_STEPS)):
                done.add(id(part))
        elif (
            1 < counts.get(id(part), 0) <= MOST_PARTS and id(part) not in turned and (axis := _axis_of(part, supposed))
        ):
            done.add(id(part))
            yield part, axis


def _axis_of(part: Tree, supposed: Supposed) -> str:
    """Return the axis along which the entries of a part sum to 1; "" for other parts. For a vector, return only an axis
    with one entry, because each result is then 1.
    """
    shape = supposed.shape(part) or (1, 1)
    if shape == (1, 1):
        return ""
    if not (axis := _proven(part)):
        value = _evaluated(part, supposed, MOST_STEPS)
        axis = "" if value is None else _axis(value)
    return axis if min(shape) > 1 or shape[axis == "rows"] == 1 else ""


def _proven(part: Tree) -> str:
    """Return the axis of `exp(S) / row_sum(exp(S))`, which needs no evaluation; "" for other formulas."""
    match part:
        case Binary("/", Call("exp") as a, Call("row_sum", (b,))) if a == b:
            return "rows"
        case Binary("/", Call("exp") as a, Call("col_sum", (b,))) if a == b:
            return "columns"
    return ""


def _axis(value: Any) -> str:
    """Return "rows" if the entries of each row sum to 1, "columns" if those of each column do, "" for neither or
    both.
    """
    if min(value.shape) == 1:
        is_one = bool((abs(value - 1) < _SMALL).all())
        return ("rows" if value.shape[1] == 1 else "columns") if is_one else ""
    if (value < 0).any() or (value % 1 == 0).all():
        return ""
    down, across = (bool((abs(value.sum(axis) - 1) < _SMALL).all()) for axis in (0, 1))
    return "" if down == across else "columns" if down else "rows"


def _scores(part: Tree, axis: str, supposed: Supposed) -> Tree | None:
    """Return the scores S whose softmax along this axis is the value of a part; None if they are not in the file.

    For exp(D) with D = S - col_max(S), these are S and not D, because the part needs no other matrix than S.
    """
    softmax, options = _evaluated(part, supposed, MOST_STEPS), (("axis", Text(axis)),)
    scores, value = None, None
    seen = set[Tree]()
    for inner in islice(supposed.expanded(part, lambda each: False), MOST_PARTS):
        if inner in seen or supposed.shape(inner) != supposed.shape(part):
            continue
        seen.add(inner)
        other = _evaluated(Call("softmax", (inner,), options), supposed, MOST_STEPS)
        if softmax is None or other is None or abs(softmax - other).max() >= _SMALL:
            continue
        entries = _evaluated(inner, supposed, MOST_STEPS)
        is_same = value is not None and entries is not None and abs(value - entries).max() < _SMALL
        if not is_same and _needs_only(inner, part, supposed):
            scores, value = inner, entries
    return scores


def _needs_only(scores: Tree, part: Tree, supposed: Supposed) -> bool:
    """Return whether a part uses no given matrix except through these scores."""
    for inner in supposed.expanded(part, lambda each: each == scores):
        is_given = isinstance(inner, Name) and inner != scores and supposed.definition(inner.name) is None
        if is_given and supposed.shape(inner) not in (None, (1, 1)):
            return False
    return True


def _has_exp(tree: Tree, supposed: Supposed, depth: int) -> bool:
    """Return whether a formula contains an exponential function of a matrix, also in the steps that it uses."""
    return any(_is_exp(part, supposed, depth) for part in walk(tree, operands))


def _is_exp(part: Tree, supposed: Supposed, depth: int = MOST_STEPS) -> bool:
    """Return whether a part is an exponential function, or a step that contains one."""
    match part:
        case Call("exp") | Call("exp2"):
            return True
        case Binary("**", base, _) if base in _EULER:
            return True
        case Name(name):
            if name not in supposed.exponentials and depth:
                formula = supposed.definition(name)
                supposed.exponentials[name] = formula is not None and _has_exp(formula, supposed, depth - 1)
            return supposed.exponentials.get(name, False)
    return False


def _is_turned(tree: Tree, supposed: Supposed, depth: int) -> bool:
    """Return whether the scores of a softmax are transposed."""
    match tree:
        case Transpose(a):
            return not _is_turned(a, supposed, depth)
        case Name(name):
            formula = supposed.definition(name) if depth else None
            return formula is not None and _is_turned(formula, supposed, depth - 1)
        case Negate(a):
            return _is_turned(a, supposed, depth)
        case Binary() | Call():
            shape = supposed.shape(tree)
            parts = [part for part in operands(tree) if supposed.shape(part) == shape]
            if isinstance(tree, Binary) and tree.operator == "@":
                parts = [part for part in parts if _has_exp(part, supposed, MOST_STEPS)]
            return any(_is_turned(part, supposed, depth) for part in parts)
    return False


def _evaluated(tree: Tree, supposed: Supposed, depth: int) -> Any:
    """Return the value of a formula for random givens; None for a large formula or a formula without a value."""
    node = supposed.node(tree)
    if node is None or node.size * node.unfolded > MOST_EVALUATED:
        return None
    import numpy as np  # imported here, because few files contain such a formula

    from ..arithmetic import float64

    values: dict[str, Any] = {}
    try:
        for name in names(tree) - RESERVED:
            if supposed.is_name(name):
                values |= dict.fromkeys(needed(supposed.resolve(name, 0)), _random(name, supposed, depth))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = np.atleast_2d(float64.evaluate(node, values))
    except (FormulaError, Known, ArithmeticError, ValueError, IndexError):
        return None
    return value if np.isfinite(value).all() else None


def _random(name: str, supposed: Supposed, depth: int) -> Any:
    """Return random numbers for a given, and the values of a step for random givens. Counts keep their value."""
    if name not in supposed.generic:
        import numpy as np

        node, formula = supposed.resolve(name, 0), supposed.definition(name)
        value = None if formula is None or depth == 0 else _evaluated(formula, supposed, depth - 1)
        if node.static is not None:
            value = np.array([[float(node.static)]])
        if value is None or value.shape != node.shape:
            value = np.random.default_rng(crc32(name.encode())).normal(size=node.shape)
        supposed.generic[name] = value
    return supposed.generic[name]
