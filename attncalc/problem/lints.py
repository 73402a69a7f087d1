"""Warnings for correct formulas that NumPy, PyTorch or MATLAB understand otherwise.

A rule yields the warnings for a part of a formula; `noted` applies rules to all its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ..errors import ALONG_ROWS, shorten, size
from ..formula.parser import pasted, proposal_of
from ..formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Number,
    Text,
    Transpose,
    Tree,
    children,
    transposed,
    unparse,
    walk,
)
from ..formula.typed_formula import Entry
from .dimensions import dimensions
from .error_recovery import Supposed
from .formula_sizes import BY_ROWS, OF_TOKENS, Shape, each_of, is_column, is_concat, is_row
from .names_and_labels import hidden_meanings
from .suggestions import is_inner, matlab_meaning
from .truth_values import truth_values

# Functions that libraries do not have
OURS = ("row_", "col_", "argmax_rows", "argmin_rows", "argsort_rows", "cumsum_rows", "cumprod_rows")
WITHOUT_PREFIX = {"cumsum": "cumsum_rows"}
_OF_PRODUCTS = ("inverse", "diag", "identity")  # functions whose value is usually a factor of a matrix product
AXIS = 'write axis="rows" if you mean rows'
_ALL, _DOWN = ("axis", Text("all")), ("axis", Text("columns"))
_TOLERANCE = 1 / 50  # of the sum of rounded probabilities
_SIGNED = re.compile(r"\[[^\[\],]*[\w)']\s+-[\w(][^\[\],]*\]")
Rule = Callable[[Tree, Supposed], Iterator[str]]


def noted(tree: Tree, supposed: Supposed, *rules: Rule) -> list[str]:
    """Return the warnings of these rules for all parts of a formula."""
    return [warning for rule in rules for part in walk(tree) for warning in rule(part, supposed)]


def doubts(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for a formula without an error that may mean something else."""
    return [*across(tree, supposed), *whole_rows(tree, supposed.shape)]


def across(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for formulas whose operations may run along the wrong axis."""
    shape = supposed.shape
    return [*lone_columns(tree, shape), *crossed(tree, shape), *noted(tree, supposed, along_rows)]


def warnings(name: str, tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for the author of a step whose formula has no error."""
    if is_inner(tree, supposed.shape, supposed.inner):
        supposed.inner.add(name)
    columns = across(tree, supposed) or by_row(tree, supposed)
    readings = supposed.readings([tree]) if columns else []
    meant = proposal_of([reading for reading in readings if reading.shape is not None and reading.tree != tree])
    others = [*whole_rows(tree, supposed.shape), *noted(tree, supposed, stretched, added_masks, along_tokens)]
    return [*others, *(warning + meant for warning in columns)]


def typed(name: str, tree: Tree, text: str, supposed: Supposed) -> list[str]:
    """Return warnings that depend on the author's text: the operators and words of NumPy and of paper."""
    sign = next((dot for dot in "·×" if dot in text), "")
    dots = [f"{sign} {warning}" for warning in noted(tree, supposed, by_entries)] if sign else []
    minus = _SIGNED.search(text)
    return [
        *noted(tree, supposed, lengths),
        *dots,
        *as_in_a_library(tree, text, supposed.shape),
        *noted(tree, supposed, side_by_side, concatenated),
        *hidden_meanings(tree, text, supposed.is_name),
        *noted(tree, supposed, gains, improper),
        *copied(name, tree, supposed),
        *by_number(tree, supposed),
        *(
            [f"{minus[0]} is a subtraction; write a comma between the two entries if this is a list, as in MATLAB"]
            if minus
            else []
        ),
        *noted(tree, supposed, starred, of_matlab, along_axis_one),
    ]


def listed(name: str, tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for a matrix whose entries are formulas, and which is a list in the file."""
    return [*noted(tree, supposed, side_by_side), *copied(name, tree, supposed)]


def copied(name: str, tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for parts that have another value in the library from which a formula was copied."""
    supposed.one_dimensional[name], as_one_dimension = dimensions(tree, supposed)
    remarks = [part.source.remark for part in walk(tree) if part.source.remark]
    return [*remarks, *as_one_dimension, *truth_values(name, tree, supposed), *noted(tree, supposed, widths)]


# -- rules -------------------------------------------------------------------------------------------------------------


def side_by_side(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of lists of matrices of one size: they are joined side by side, and NumPy would stack them."""
    match part:
        case Call("hstack", (first, _, *_) as parts) if part.source.listed and len({*map(supposed.shape, parts)}) == 1:
            rows, columns = supposed.shape(first) or (1, 1)
            if (rows, columns) != (1, 1):
                what, joined = "rows" if rows == 1 else "matrices", size((rows, columns * len(parts)))
                stacked = pasted(Call("vstack", parts))
                yield (
                    f"this list puts the {what} side by side ({joined}); to put them below each other, write {stacked}"
                )


def along_tokens(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of a flat list beside a square matrix whose columns are tokens.

    It has an entry for each token here, and on paper it is a column.
    """
    for x, other in _combined_with_matrices(part) if supposed.columns else ():
        rows, columns = supposed.shape(other) or (1, 1)
        is_square = rows == columns > 1
        if isinstance(x, Name) and is_square and is_row(supposed.shape(x)) and dimensions(x, supposed).kind:
            what = f"{x.name} has one entry per token here, because tokens are columns"
            yield f"{what}; for one entry per feature, write {pasted(Transpose(x))}"


def _combined_with_matrices(part: Tree) -> list[tuple[Tree, Tree]]:
    """Return what is multiplied by or added to a matrix, with this matrix; γ and β of layer_norm are so, too."""
    match part:
        case Binary("+" | "-" | "*" | "/", a, b):
            return [(a, b), (b, a)]
        case Call(function, (a, *others), options) if function in BY_ROWS and _DOWN in options:
            return [(x, a) for x in (*others, *dict(options).values())]
    return []


def added_masks(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `keep(S, M)` with a mask of −∞ or of other negative numbers, which is added to scores."""
    match part:
        case Call("keep", (a, mask, *_)) if supposed.is_added(mask):
            m, meant = shorten(unparse(mask)), pasted(Binary("+", a, mask))
            yield (
                f"keep uses the entries where {m} is not 0, but {m} has negative numbers; "
                f"to add the mask, write {meant}"
            )


def stretched(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of a number from a product of vectors that is added to every entry of a larger matrix.

    Examples: `diag(p) - p @ p.T` and `W - x @ δ.T`. The warning has a product of the vectors with the matrix's size.
    """
    shape = supposed.shape
    match part:
        case Binary("+" | "-", a, b) if (1, 1) in (shape(a), shape(b)) and shape(a) != shape(b):
            number, other = (a, b) if shape(a) == (1, 1) else (b, a)
            if not is_inner(number, shape, supposed.inner):
                return
            large = shape(other) or (1, 1)
            subject = f"{shorten(unparse(number))} is a single number"
            for x, y in factors_in(number, supposed):
                first, second = transposed(x), transposed(y)
                # x.T @ x is NumPy's x @ x.T
                matrix = Call("outer", (x, x)) if x == second else Binary("@", first, second)
                if shape(matrix) == large:
                    yield f"{subject}; for a matrix, write {pasted(matrix)} ({size(large)})"
                    return
            yield f"{subject}; attncalc uses this number for every entry of {shorten(unparse(other))} ({size(large)})"


def by_entries(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `A · B` or `A × B` of two matrices, without its sign.

    Here it multiplies entry by entry, while on paper it is the matrix product.
    """
    match part:
        case Binary("*", a, b) if not {supposed.shape(a), supposed.shape(b)} & {(1, 1), None}:
            shown = _as_product(a, b, supposed)
            meant = f"; for the matrix product, write {shown}" if shown else ""
            yield f"multiplies entry by entry, like *{meant}"


def _as_product(a: Tree, b: Tree, supposed: Supposed) -> str:
    """Return the text of the matrix product of two factors, one of them transposed if only that fits."""
    products = [
        f"{pasted(tree)} ({size(shape)})"
        for tree, shape in supposed.readings([Binary("@", a, b)], "·")
        if shape and isinstance(tree, Binary) and tree.operator == "@"
    ]
    return " or ".join(products)


def starred(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `inverse(A) * B`, and of `A * B` beside formulas of MATLAB."""
    shape = supposed.shape
    match part:
        case Binary("*", a, b) if {shape(a), shape(b)}.isdisjoint({(1, 1), None}):
            matrices = [factor for factor in (a, b) if min(shape(factor) or (1,)) > 1]
            is_product = any(isinstance(factor, Call) and factor.function in _OF_PRODUCTS for factor in matrices)
            product = Binary("@", a, b)
            meant = pasted(product) if supposed.matlab and shape(product) else ""
            if meant := _as_product(a, b, supposed) if is_product else meant:
                yield f"* multiplies entry by entry; for the matrix product, write {meant}"


def of_matlab(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `sum(X)` beside formulas of MATLAB, which sums columns there."""
    if supposed.matlab and isinstance(part, Call) and (there := matlab_meaning(part, supposed.shape)) is not None:
        yield f"{shorten(unparse(part))} has the meaning of NumPy; for the meaning of MATLAB, write {pasted(there)}"


def along_axis_one(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `sum(X, 1)`, which sums columns in MATLAB and rows in NumPy, and of `size(X, 1)`."""
    match part:
        case Call(function, (a,), ()) if part.source.bare and part.source.axis == "1":
            if function == "cols":
                yield (
                    f"axis 1 counts the columns, as in NumPy; for the meaning of MATLAB, "
                    f"write {unparse(Call('rows', (a,)))}"
                )
            elif function.startswith("row_") and (extent := supposed.shape(a)) and 1 not in extent:
                other = unparse(Call(f"col_{function[4:]}", (a,)))
                yield f"axis 1 gives one number per row, as in NumPy; for the meaning of MATLAB, write {other}"


def lengths(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `len(x)` and `x.shape[0]` of a flat list, which has one row."""
    match part:
        case Call("rows", (a,)) if part.source.called and is_row(extent := supposed.shape(a)) and extent:
            x = shorten(unparse(a))
            yield f"this counts the rows, but {x} has only one row; to count the {extent[1]} entries, write cols({x})"


def gains(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `rms_norm(X, 1e-6)`, whose second argument is γ here, and eps in much code."""
    match part:
        case Call("rms_norm" | "layer_norm" as function, (_, Number(eps), *_)) if not part.source.library:
            yield f"{function}: the second argument, {eps}, is γ; for ε, write eps={eps}"


def improper(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of a cross-entropy or an entropy of numbers that are not probabilities, such as logits."""
    match part:
        case Call("cross_entropy" | "entropy" as function, (a, *others), options) if _ALL not in options:
            rows = supposed.entries(a)
            columns = [*zip(*rows, strict=True)]
            lines = (columns,) if _DOWN in options else (rows, columns) if supposed.columns else (rows,)
            if not any(all(map(_is_distribution, each)) for each in lines):
                scores = Call("softmax", (a,), tuple(option for option in options if option == _DOWN))
                meant = pasted(part.but(arguments=(scores, *others)))
                what = f"{function} takes probabilities, but the entries of {shorten(unparse(a))} do not sum to 1"
                yield f"{what}; for scores, write {meant}"


def _is_distribution(entries: Sequence[Entry]) -> bool:
    return min(entries) >= 0 and abs(sum(map(float, entries)) - 1) <= _TOLERANCE


def widths(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of PyTorch's `nn.LayerNorm(2)` of rows that have another length."""
    match part:
        case Call(function, (a, *_)) if part.source.width is not None and (extent := supposed.shape(a)):
            width = supposed.node(part.source.width)
            stated, x = pasted(part.source.width), shorten(unparse(a))
            if width is not None and width.static != extent[1]:
                yield f"PyTorch's {function} expects rows with {stated} entries, but {x} is {size(extent)}"
            elif width is None and extent[0] > 1:  # a shape, X.shape
                what = f"PyTorch's {function} normalises all entries of {stated} together"
                yield f"{what}; attncalc normalises each row of {x} ({size(extent)}) separately"


def concatenated(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of `concat(A, B)` if tokens are columns: it joins tokens there, and papers join features."""
    match part:
        case Call("hstack", parts) if supposed.columns and is_concat(part):
            meant = Call("vstack", parts)
            if (there := supposed.shape(meant)) is not None:
                what = f"{part.source.called} joins matrices side by side, but tokens are columns (vectors: columns)"
                yield f"{what}; to join features, write {pasted(meant)} ({size(there)})"


def along_rows(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn of functions of each row, such as softmax and top_k, whose axis is not the axis of the tokens."""
    match part:
        case Call(function, (a, *_), options) if "axis" not in dict(options) and min(supposed.shape(a) or (1,)) > 1:
            first = supposed.queries_first(a)
            is_silent = first is True or first is None and supposed.is_turned(a)
            if supposed.columns and not is_silent and function in BY_ROWS:
                yield f"{ALONG_ROWS} (vectors: columns), but {function} works on each row ({AXIS})"
            elif supposed.columns and not is_silent and function in OF_TOKENS and not each_of(part):
                yield f"{ALONG_ROWS} (vectors: columns), but {function} works on each row"
            elif not supposed.columns and first is False and function in BY_ROWS:
                shown = shorten(unparse(a))
                yield f"{ALONG_ROWS}: a column of {shown} is a query, but {function} works on each row"


# -- warnings that depend on the whole formula -------------------------------------------------------------------------


def as_in_a_library(tree: Tree, text: str, shape: Shape) -> list[str]:
    """Return warnings for formulas that NumPy and PyTorch understand otherwise; `text` is the author's text."""
    parts = [*walk(tree)]
    inside = {id(part.operand) for part in parts if isinstance(part, Transpose) and along(part)}  # of the first axis
    warnings = [warning for part in parts if id(part) not in inside for warning in flat(part, text, shape)]
    return list(dict.fromkeys(warnings))


def flat(part: Tree, text: str, shape: Shape) -> list[str]:
    """Return warnings for `sum(q, axis=0)` of a row: here each column has one entry, while NumPy sums a flat list."""
    reduction = along(part)
    extent = shape(reduction[1]) if reduction else None
    if reduction is None or extent is None or extent == (1, 1) or text[part.at :].startswith(OURS):
        return []
    down, a, whole = reduction
    if extent[0 if down else 1] != 1:
        return []
    what, each = ("row", "column") if down else ("column", "row")
    meant: Tree = Call(whole, (a,))
    if shape(meant) is None and isinstance(part, Call):  # a function that only works on rows
        meant = transposed(part.but(arguments=(transposed(a),)))
    return [f"each {each} of {shorten(unparse(a))} has only one entry; to use the whole {what}, write {pasted(meant)}"]


def along(part: Tree) -> tuple[bool, Tree, str] | None:
    """Return whether a call works along the columns, its operand, and its name for a whole matrix; None for other
    formulas.
    """
    match part:
        case Transpose(Call(function, (Transpose(a),))) if function.endswith("_rows"):
            return True, a, whole_name(function)
        case Call("norm", (a,), (("axis", Text(word)),)) if word in ("rows", "columns"):
            return word == "columns", a, "norm"
        case Call(function, (a,)) if function.startswith(("row_", "col_")):
            return function.startswith("col_"), a, function[4:]
        case Call(function, (a,)) if function.endswith("_rows"):
            return False, a, whole_name(function)
    return None


def whole_name(function: str) -> str:
    """Return `argmax` for argmax_rows."""
    name = function.removesuffix("_rows")
    return WITHOUT_PREFIX.get(name, name)


def lone_columns(tree: Tree, shape: Shape) -> list[str]:
    """Return warnings for a softmax, or a similar function, of a column: each of its rows has one entry."""
    match tree:
        case Call(function, (scores, *_), options) if function in BY_ROWS and "axis" not in dict(options):
            extent = shape(scores)
            if extent and is_column(extent):
                what = f"{shorten(unparse(scores))} is a column, {size(extent)}"
                return [f"{what}, and {BY_ROWS[function]}"]
    return [warning for part in children(tree) for warning in lone_columns(part, shape)]


def factors_in(number: Tree, supposed: Supposed) -> list[tuple[Tree, Tree]]:
    """Return the pairs of vectors whose products are in a number, in this formula or in the formulas of its steps."""
    stack, products, seen = [number], [], set[str]()
    while stack:
        match stack.pop():
            case Binary("@", x, y):
                products.append((x, y))
            case Name(name) if name in supposed.inner and name not in seen:
                seen.add(name)
                stack += [formula] if (formula := supposed.definition(name)) is not None else []
            case part:
                stack += reversed(children(part))
    return products


def crossed(tree: Tree, shape: Shape) -> list[str]:
    """Return warnings for an entrywise operation on a column and a flat list of equal length.

    The result is a square matrix.
    """
    match tree:
        case Binary(sign, a, b) if (
            sign not in ("@", "**") and not isinstance(a, Transpose) and not isinstance(b, Transpose)
        ):
            first, second = shape(a), shape(b)
            column, row = (a, b) if is_column(first) else (b, a)
            if first and second and first != second and first == second[::-1] and 1 in first and isinstance(row, Name):
                what = f"{shorten(unparse(column))} is a column and {row.name} is a row"
                return [f"{what}, so the result is {size((max(first), max(first)))}"]
    return [warning for part in children(tree) for warning in crossed(part, shape)]


def whole_rows(tree: Tree, shape: Shape) -> list[str]:
    """Return warnings for `q[0]` of a row: it selects all of q, while NumPy would select the first entry."""
    stack, warnings = [tree], []
    while stack:
        part = stack.pop()
        stack += children(part)
        match part:
            case Index(Name(name), Number("0"), None) if (found_shape := shape(Name(name))) and found_shape[
                0
            ] == 1 < found_shape[1]:
                warnings.append(
                    f"{name}[0] is the whole row {name} ({size(found_shape)}); for the first entry, write {name}[0, 0]"
                )
    return warnings


def by_row(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings for masks, positions and one-hot matrices by row, if tokens are columns."""
    if not supposed.columns:
        return []
    by_key = supposed.keys_first(tree)
    upright = {id(part.operand) for part in walk(tree) if isinstance(part, Transpose)}
    warnings = []
    for part in walk(tree):
        shown = shorten(unparse(part))
        if id(part) in upright:
            continue
        if each := each_of(part):
            warnings.append(f"{shown} has one row per {each}, but tokens are columns (vectors: columns)")
        elif by_key and supposed.is_mask_by_query(part) and not _is_symmetric(supposed.numbers(part)):
            warnings.append(f"{shown} has one row per query, but these scores have one column per query")
    return warnings


def _of_columns(call: Call, a: Tree, word: str, supposed: Supposed) -> list[str]:
    """Return the warning for a reduction of the rows of a matrix whose columns are tokens."""
    is_silent = supposed.is_turned(a) or supposed.queries_first(a) is True
    if is_silent or min(supposed.shape(a) or (1,)) == 1:
        return []
    meant = pasted(Call(f"col_{call.function[4:]}", (a,), call.options))
    what = f"tokens are columns (vectors: columns), but {word} with this axis works on each row"
    return [f"{what}; for a result per token, write {meant}"]


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
                if function in BY_ROWS and supposed.queries_first(a) is supposed.columns:
                    continue
                meant = pasted(part.but(options=(("axis", Text(tokens)),)))
                warnings.append(
                    f"tokens are {tokens} (vectors: {tokens}), but {function} with this "
                    f"axis works on each {word[:-1]}; "
                    f"for a result per token, write {meant}"
                )
    return warnings
