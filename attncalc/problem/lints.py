"""Warnings about correct formulas that have another meaning in NumPy, PyTorch or MATLAB. A rule yields the warnings
about one part of a formula. `noted` applies rules to all parts.
"""

from __future__ import annotations

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
    rewrite,
    transposed,
    unparse,
    walk,
)
from ..formula.typed_formula import Entry
from ..lessons.synonyms import hiding_warning
from .dimensions import dimensions
from .error_recovery import Supposed
from .formula_sizes import BY_ENTRY, BY_ROWS, OF_TOKENS, Shape, each_of, is_column, is_concat, is_row
from .matlab_meaning import matlab_call, matlab_meaning
from .names_and_labels import hidden_meanings
from .softmax_axis import why, wrong_axes
from .suggestions import is_epsilon, is_inner
from .truth_values import is_mask, truth_values

# Names and beginnings of names that only functions of the formula language have
OURS = ("row_", "col_", "argmax_rows", "argmin_rows", "argsort_rows", "cumsum_rows", "cumprod_rows")
WITHOUT_PREFIX = {"cumsum": "cumsum_rows"}
_OF_PRODUCTS = ("inverse", "diag", "identity")  # functions whose value is usually a factor of a matrix product
AXIS = 'write axis="rows" if you mean rows'
_ALL, _DOWN = ("axis", Text("all")), ("axis", Text("columns"))
_TOLERANCE = 1 / 50  # the largest difference between 1 and a sum of rounded probabilities
Rule = Callable[[Tree, Supposed], Iterator[str]]


def noted(tree: Tree, supposed: Supposed, *rules: Rule) -> list[str]:
    """Return the warnings of these rules about all parts of a formula."""
    return [warning for rule in rules for part in walk(tree) for warning in rule(part, supposed)]


def doubts(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about a formula without an error that may have another meaning."""
    return [*across(tree, supposed), *noted(tree, supposed, whole_rows)]


def across(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about operations that may run along the wrong axis."""
    return noted(tree, supposed, lone_columns, crossed, along_rows)


def warnings(name: str, tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about a step whose formula has no error."""
    if is_inner(tree, supposed.shape, supposed.inner):
        supposed.inner.add(name)
    columns = across(tree, supposed) or by_row(tree, supposed)
    readings = supposed.fitting([tree]) if columns else []
    meant = proposal_of([reading for reading in readings if reading.shape is not None and reading.tree != tree])
    others = noted(tree, supposed, whole_rows, stretched, added_masks, along_tokens)
    return [*others, *(warning + meant for warning in columns)]


def typed(name: str, tree: Tree, text: str, supposed: Supposed) -> list[str]:
    """Return warnings that depend on the author's notation: operators and words of NumPy and of papers."""
    return [
        *noted(tree, supposed, lengths),
        *by_entries(tree, supposed),
        *as_in_a_library(tree, text, supposed.shape),
        *noted(tree, supposed, side_by_side, concatenated),
        *hidden_meanings(tree, text, supposed.is_name),
        *noted(tree, supposed, gains, improper),
        *copied(name, tree, supposed),
        *by_number(tree, supposed),
        *noted(tree, supposed, starred, along_axis_one, multiplied_masks),
        *inner_of_columns(tree, supposed),
        *of_matlab(tree, supposed),
    ]


def other_meanings(written: Sequence[Tree], suggested: Tree, supposed: Supposed) -> list[str]:
    """Return the warnings about a suggestion that its text alone would not cause.

    For example, the author wrote A · B or axis=0, and the suggestion contains A * B or axis="columns". `written` are
    the author's trees. The sources of the suggestion's parts contain the author's notation.
    """
    return [
        *(remark for tree in (*written, suggested) for remark in remarks(tree)),
        *by_entries(suggested, supposed),
        *noted(suggested, supposed, lengths, widths, along_axis_one, stretched, side_by_side),
        *by_number(suggested, supposed),
    ]


def listed(name: str, tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about a matrix that is a list of formulas in the file."""
    return [*noted(tree, supposed, side_by_side), *copied(name, tree, supposed)]


def copied(name: str, tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about parts that have another value in NumPy or PyTorch, from which authors copy formulas."""
    supposed.one_dimensional[name], as_one_dimension = dimensions(tree, supposed)
    return [*remarks(tree), *as_one_dimension, *truth_values(name, tree, supposed), *noted(tree, supposed, widths)]


def remarks(tree: Tree) -> list[str]:
    """Return the warnings that the reader of a formula attached to its parts."""
    return [part.source.remark for part in walk(tree) if part.source.remark]


# -- rules -------------------------------------------------------------------------------------------------------------


def side_by_side(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about a list of matrices of the same size: attncalc puts them side by side, and NumPy stacks them."""
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
    """Warn about a flat list or a transposed column that is combined with a square matrix whose columns are tokens. In
    attncalc, it has an entry for each token. In a paper, it would be a column.
    """
    for x, other in _combined_with_matrices(part) if supposed.columns else ():
        rows, columns = supposed.shape(other) or (1, 1)
        is_turned = isinstance(x, Transpose) and not supposed.is_from_transpose(other)
        is_name = isinstance(x, Name) and dimensions(x, supposed).kind
        if rows == columns > 1 and is_row(supposed.shape(x)) and (is_turned or is_name):
            what = f"{shorten(unparse(x))} has one entry per token here, because tokens are columns"
            yield f"{what}; for one entry per feature, write {pasted(transposed(x))}"


def _combined_with_matrices(part: Tree) -> list[tuple[Tree, Tree]]:
    """Return pairs of a formula and the matrix to which it is added or by which it is multiplied, such as γ."""
    match part:
        case Binary("+" | "-" | "*" | "/", a, b):
            return [(a, b), (b, a)]
        case Call(function, (a, *others), options) if function in BY_ROWS and _DOWN in options:
            return [(x, a) for x in (*others, *dict(options).values())]
    return []


def added_masks(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `keep(S, M)` if the mask has −∞ or other negative numbers, because the mask must then be added."""
    match part:
        case Call("keep", (a, mask, *_)) if supposed.is_added(mask):
            m, meant = shorten(unparse(mask)), pasted(Binary("+", a, mask))
            yield (
                f"{shorten(unparse(part))} keeps the entries of {shorten(unparse(a))} where {m} is not 0, but {m} has "
                f"negative numbers; to add the mask, write {meant}"
            )
        case Call("keep", (_, Name(mask), *_)) if warning := hiding_warning(mask):
            yield warning
        case Call("keep", (_, Binary("+") as mask, *_)) if warning := of_either_mask(mask, supposed):
            yield warning


def of_either_mask(mask: Tree, supposed: Supposed) -> str:
    """Return the warning about a sum of two masks, such as causal + padding; an empty string for other masks."""
    match mask:
        case Binary("+", a, b) if is_mask(a, supposed) and is_mask(b, supposed):
            both = pasted(Binary("*", a, b))
            kept = f"{shorten(unparse(mask))} keeps every entry that at least one mask keeps"
            return f"{kept}; for entries that both keep, write {both}"
    return ""


def multiplied_masks(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `softmax(S * M)` with a mask M, because a score of 0 still has a weight."""
    match part:
        case Call("softmax", (scores, *_)) if product := _masked_product(scores, supposed):
            kept = pasted(Call("keep", (product.left, product.right)))
            what = f"{shorten(unparse(product))} sets masked scores to 0, which still get a weight"
            yield f"{what}; to set them to −∞, write {kept}"


def _masked_product(tree: Tree, supposed: Supposed) -> Binary | None:
    """Return the product of scores and a mask in a formula or in the steps that it uses; None if there is none."""
    seen: list[str] = []
    product: Binary | None = None
    while True:
        match tree:
            case Name(name) if name in supposed.masked_products:
                product = supposed.masked_products[name]
                break
            case Name(name) if (formula := supposed.definition(name)) is not None:
                seen.append(name)
                tree = formula
            case Binary("/" | "*", a, b) if supposed.shape(b) == (1, 1):
                tree = a
            case Binary("*", a, b) if supposed.shape(a) == (1, 1):
                tree = b
            case Binary("*", a, b):
                pairs = [(scores, mask) for scores, mask in ((a, b), (b, a)) if is_mask(mask, supposed)]
                product = Binary("*", *pairs[0]) if pairs else None
                break
            case _:
                break
    supposed.masked_products |= dict.fromkeys(seen, product)
    return product


def inner_of_columns(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `x @ y.T` of flat lists if tokens are columns. In a paper, x and y are columns, and x yᵀ is a
    matrix.
    """
    match part:
        case Binary("@", Name() as x, Transpose(Name() as y)) if supposed.columns and supposed.shape(part) == (1, 1):
            if all(is_row(supposed.shape(each)) and dimensions(each, supposed).kind for each in (x, y)):
                matrix, n = pasted(Binary("@", Transpose(x), y)), (supposed.shape(x) or (1, 1))[1]
                yield (
                    f"{unparse(part)} is a single number, because flat lists are rows; for the outer product, "
                    f"write {matrix} ({size((n, n))}), and for the number, write {unparse(Call('dot', (x, y)))}"
                )


def stretched(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn if a product of vectors is a single number, but is combined with every entry of a larger matrix. Examples:
    `diag(p) - p @ p.T`, `W - x @ δ.T`, `A * (x @ y.T)` and `maximum(x @ y.T, A)`. The warning suggests a product with
    the size of the matrix.
    """
    shape = supposed.shape
    match part:
        case Binary("+" | "-" | "*" | "/" as sign, a, b):
            parts: tuple[Tree, ...] = (a, b)
        case Call(sign, parts) if sign in BY_ENTRY:
            pass
        case _:
            return
    other = next((each for each in reversed(parts) if shape(each) not in ((1, 1), None)), None)
    if other is None:
        return
    number = next((each for each in parts if shape(each) == (1, 1) and is_inner(each, shape, supposed.inner)), None)
    if number is None:
        return
    large = shape(other) or (1, 1)
    subject = f"{shorten(unparse(number))} is a single number"
    for x, y in factors_in(number, supposed):
        first, second = transposed(x), transposed(y)
        # x.T @ x has the value of NumPy's x @ x.T
        matrix = Call("outer", (x, x)) if x == second else Binary("@", first, second)
        if shape(matrix) == large:
            yield f"{subject}; for a matrix, write {pasted(matrix)} ({size(large)})"
            return
    if sign not in ("*", "/"):
        yield f"{subject}; attncalc uses this number for every entry of {shorten(unparse(other))} ({size(large)})"


def by_entries(tree: Tree, supposed: Supposed) -> list[str]:
    """Return a warning for each product `A · B · c` or `A × B` of matrices. It is entrywise in attncalc, but a matrix
    product in papers.
    """
    warnings, inside = [], set[int]()
    for part in walk(tree):
        if isinstance(part, Binary) and part.source.sign:
            inside |= {id(part.left), id(part.right)}
            product = _with_matrix_products(part, supposed)
            if id(part) not in inside and product != part:
                shown = _as_product(product, supposed)
                meant = f"; for the matrix product, write {shown}" if shown else ""
                warnings.append(f"{part.source.sign} multiplies entry by entry, like *{meant}")
    return warnings


def _with_matrix_products(tree: Tree, supposed: Supposed) -> Tree:
    """Return the formula with a matrix product for each product of two matrices with the sign · or ×."""

    def change(part: Tree) -> Tree | None:
        if isinstance(part, Binary) and part.source.sign and _is_of_matrices(part, supposed.shape):
            return Binary("@", rewrite(part.left, change), rewrite(part.right, change), part.at)
        return None

    return rewrite(tree, change)


def _is_of_matrices(tree: Tree, shape: Shape) -> bool:
    """Return whether a formula is an entrywise product of two matrices."""
    match tree:
        case Binary("*", a, b):
            return {shape(a), shape(b)}.isdisjoint({(1, 1), None})
    return False


def _as_product(product: Tree, supposed: Supposed) -> str:
    """Return the text of a product with @ and its size. Factors are transposed if necessary."""

    def entrywise(tree: Tree) -> int:
        return sum(_is_of_matrices(part, supposed.shape) for part in walk(tree))

    products = [
        f"{pasted(tree)} ({size(shape)})"
        for tree, shape, _ in supposed.fitting([product], "·")
        if shape and isinstance(tree, Binary) and entrywise(tree) <= entrywise(product)
    ]
    return " or ".join(products)


def starred(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `inverse(A) * B`, and about `A * B` in a file with MATLAB's notation."""
    shape = supposed.shape
    match part:
        case Binary("*", a, b) if {shape(a), shape(b)}.isdisjoint({(1, 1), None}):
            matrices = [factor for factor in (a, b) if min(shape(factor) or (1,)) > 1]
            is_product = any(isinstance(factor, Call) and factor.function in _OF_PRODUCTS for factor in matrices)
            product = Binary("@", a, b)
            meant = pasted(product) if supposed.matlab and shape(product) else ""
            if meant := _as_product(product, supposed) if is_product else meant:
                yield f"* multiplies entry by entry; for the matrix product, write {meant}"


def of_matlab(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about parts with another value in MATLAB, such as `sum(X)`, in a file with MATLAB's notation."""
    warnings = []
    upright = {id(part.operand) for part in walk(tree) if isinstance(part, Transpose)}  # diag(A).T is MATLAB's diag(A)
    for part in walk(tree) if supposed.matlab else ():
        shown, shape = shorten(unparse(part)), supposed.shape
        match part:
            case Call("diag") if id(part) in upright:
                continue
            case Call("norm", (a,), ()) if min(shape(a) or (1,)) > 1:
                meant = pasted(part.but(options=(_ALL,)))
                spectral = "MATLAB's norm(A), the spectral norm, is not in the formula language"
                warnings.append(f"{shown} is the Frobenius norm, {meant}; {spectral}")
            case Call() if (there := matlab_call(part, shape) or matlab_meaning(part, shape)) is not None:
                warnings.append(
                    f"{shown} is calculated as in NumPy; to calculate it as in MATLAB, write {pasted(there)}"
                )
            case Binary("/", a, b) if shape(a) != (1, 1) and len({*(shape(b) or (1, 2))}) == 1 != (shape(b) or (1,))[0]:
                meant = pasted(Binary("@", a, Call("inverse", (b,))))
                warnings.append(f"/ divides entry by entry; to divide by a matrix, as in MATLAB, write {meant}")
    return warnings


def along_axis_one(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `sum(X, 1)`, which sums columns in MATLAB and rows in NumPy, and about `size(X, 1)`."""
    match part:
        case Call(function, (a,), ()) if part.source.bare and part.source.axis == "1" and not supposed.matlab:
            if function == "cols":
                yield (
                    f"axis 1 counts the columns, as in NumPy; to count the rows, as in MATLAB, "
                    f"write {unparse(Call('rows', (a,)))}"
                )
            elif function.startswith("row_") and (extent := supposed.shape(a)) and 1 not in extent:
                other = unparse(Call(f"col_{function[4:]}", (a,)))
                yield (
                    f"axis 1 gives one number per row, as in NumPy; for one number per column, as in MATLAB, "
                    f"write {other}"
                )


def lengths(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `len(x)` and `x.shape[0]` for a flat list, because it has one row in attncalc."""
    match part:
        case Call("rows", (a,)) if part.source.called and is_row(extent := supposed.shape(a)) and extent:
            x = shorten(unparse(a))
            yield f"this counts the rows, but {x} has only one row; to count the {extent[1]} entries, write cols({x})"


def gains(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `rms_norm(X, 1e-6)`: its second argument is γ in attncalc, but eps in much code. Warn also about a γ
    or β whose direction differs from a single row or column, because the result is a matrix.
    """
    match part:
        case Call("rms_norm" | "layer_norm" as function, (a, *_)) if (
            (extent := supposed.shape(a)) and (whole := supposed.shape(part)) and extent != whole
        ):
            yield (
                f"{shorten(unparse(a))} is {size(extent)}, but the result of {function} is {size(whole)}; "
                f"for one factor per entry, transpose γ and β"
            )
        case Call("rms_norm" | "layer_norm" as function, (_, eps, *_)) if not part.source.library:
            if isinstance(eps, Number) or is_epsilon(eps):
                yield f"{function}: the second argument, {unparse(eps)}, is γ; for ε, write eps={unparse(eps)}"


def improper(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about a cross-entropy or an entropy of numbers that are not probabilities, such as logits."""
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
    """Warn about PyTorch's `nn.LayerNorm(2)` if the rows of the matrix have another length."""
    match part:
        case Call(function, (a, *_), options) if part.source.width is not None and (extent := supposed.shape(a)):
            width = supposed.node(part.source.width)
            stated, x = pasted(part.source.width), shorten(unparse(a))
            if width is not None and width.static != extent[_DOWN not in options]:
                yield f"PyTorch's {function} expects rows with {stated} entries, but {x} is {size(extent)}"
            elif width is None and extent[0] > 1:  # the width is not a number, but a shape such as X.shape
                what = f"PyTorch's {function} normalises all entries of {stated} together"
                yield f"{what}; attncalc normalises each row of {x} ({size(extent)}) separately"


def concatenated(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `concat(A, B)` if tokens are columns: attncalc concatenates tokens, but papers concatenate
    features.
    """
    match part:
        case Call("hstack", parts) if supposed.columns and is_concat(part):
            meant = Call("vstack", parts)
            if (there := supposed.shape(meant)) is not None:
                what = f"{part.source.called} joins matrices side by side, but tokens are columns"
                yield f"{what} (because of vectors: columns); to join features, write {pasted(meant)} ({size(there)})"


def along_rows(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about functions of each row, such as softmax and top_k, if tokens are columns."""
    match part:
        case Call(function, (a, *_), options) if "axis" not in dict(options) and min(supposed.shape(a) or (1,)) > 1:
            first = supposed.queries_first(a)
            is_silent = first is True or first is None and supposed.is_from_transpose(a)
            if supposed.columns and not is_silent and function in BY_ROWS:
                yield f"{ALONG_ROWS} (because of vectors: columns), but {function} works on each row ({AXIS})"
            elif supposed.columns and not is_silent and function in OF_TOKENS and not each_of(part):
                yield f"{ALONG_ROWS} (because of vectors: columns), but {function} works on each row"
            elif not supposed.columns and first is False and function in BY_ROWS:
                shown = shorten(unparse(a))
                yield f"{ALONG_ROWS}: a column of {shown} is a query, but {function} works on each row"


# -- warnings that depend on the whole formula -------------------------------------------------------------------------


def as_in_a_library(tree: Tree, text: str, shape: Shape) -> list[str]:
    """Return warnings about reductions that have another meaning in NumPy and PyTorch. `text` is the author's text."""
    parts = [*walk(tree)]
    inside = {id(part.operand) for part in parts if isinstance(part, Transpose) and along(part)}  # along axis 0
    warnings = [warning for part in parts if id(part) not in inside for warning in flat(part, text, shape)]
    return list(dict.fromkeys(warnings))


def flat(part: Tree, text: str, shape: Shape) -> list[str]:
    """Return warnings about `sum(q, axis=0)` of a row q. In attncalc, each column has one entry; NumPy sums the flat
    list.
    """
    reduction = along(part)
    extent = shape(reduction[1]) if reduction else None
    if reduction is None or extent is None or extent == (1, 1) or text[part.at :].startswith(OURS):
        return []
    down, a, whole = reduction
    if extent[0 if down else 1] != 1:
        return []
    what, each = ("row", "column") if down else ("column", "row")
    meant: Tree = Call(whole, (a,))
    if shape(meant) is None and isinstance(part, Call):  # the function exists only for rows
        meant = transposed(part.but(arguments=(transposed(a),)))
    return [f"each {each} of {shorten(unparse(a))} has only one entry; to use the whole {what}, write {pasted(meant)}"]


def along(part: Tree) -> tuple[bool, Tree, str] | None:
    """Return whether a call works along the columns, then its operand, and the name of the function for a whole matrix.
    Return None for other formulas.
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
    """Return the name of the function for a whole matrix: `argmax` for `argmax_rows`."""
    name = function.removesuffix("_rows")
    return WITHOUT_PREFIX.get(name, name)


def lone_columns(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about a softmax or a similar function of a column, because each row has one entry."""
    match part:
        case Call(function, (scores, *_), options) if function in BY_ROWS and "axis" not in dict(options):
            extent = supposed.shape(scores)
            if extent and is_column(extent):
                yield f"{shorten(unparse(scores))} is a column, {size(extent)}, and {BY_ROWS[function]}"


def factors_in(number: Tree, supposed: Supposed) -> list[tuple[Tree, Tree]]:
    """Return the pairs of vectors whose inner products a number contains, also in the formulas of steps."""

    def is_leaf(part: Tree) -> bool:
        return part.name not in supposed.inner if isinstance(part, Name) else _is_product(part)

    parts = supposed.expanded(number, is_leaf)
    return [(part.left, part.right) for part in parts if isinstance(part, Binary) and _is_product(part)]


def _is_product(tree: Tree) -> bool:
    return isinstance(tree, Binary) and tree.operator == "@"


def crossed(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about an entrywise operation on a column and a flat list of equal length, which gives a square matrix."""
    match part:
        case Binary(sign, a, b) if (
            sign not in ("@", "**") and not isinstance(a, Transpose) and not isinstance(b, Transpose)
        ):
            first, second = supposed.shape(a), supposed.shape(b)
            column, row = (a, b) if is_column(first) else (b, a)
            if first and second and first != second and first == second[::-1] and 1 in first and isinstance(row, Name):
                what = f"{shorten(unparse(column))} is a column and {row.name} is a row"
                yield f"{what}, so the result is {size((max(first), max(first)))}"


def whole_rows(part: Tree, supposed: Supposed) -> Iterator[str]:
    """Warn about `q[0]` of a row q: in attncalc it is the whole row, and in NumPy the first entry."""
    match part:
        case Index(Name(q) as row, Number("0"), None) if (extent := supposed.shape(row)) and is_row(extent):
            yield f"{q}[0] is the whole row {q} ({size(extent)}); for the first entry, write {q}[0, 0]"


def by_row(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about masks, positions and one-hot matrices with a row for each token, if tokens are columns."""
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
            warnings.append(f"{shown} has one row per {each}, but tokens are columns (because of vectors: columns)")
        elif by_key and supposed.is_mask_by_query(part) and not _is_symmetric(supposed.numbers(part)):
            warnings.append(f"{shown} has one row per query, but these scores have one column per query")
    return warnings


def _of_columns(call: Call, a: Tree, word: str, supposed: Supposed) -> list[str]:
    """Return the warning about a function that reduces each row of a matrix whose columns are tokens."""
    is_silent = supposed.is_from_transpose(a) or supposed.queries_first(a) is True
    if is_silent or min(supposed.shape(a) or (1,)) == 1:
        return []
    meant = pasted(Call(f"col_{call.function[4:]}", (a,), call.options))
    what = f"tokens are columns (because of vectors: columns), but {word} with this axis works on each row"
    return [f"{what}; for a result per token, write {meant}"]


def _is_symmetric(entries: Sequence[Sequence[Entry]] | None) -> bool:
    return entries is not None and [*map(tuple, entries)] == [*zip(*entries, strict=True)]


def by_number(tree: Tree, supposed: Supposed) -> list[str]:
    """Return warnings about a softmax or norm if the author's axis number is not the axis of the tokens."""
    of_softmax = wrong_axes(tree, supposed)
    warnings = [*of_softmax]
    is_numbered = any(part.source.axis for part in walk(tree))
    turned = {id(part.operand) for part in walk(tree) if isinstance(part, Transpose)}
    for part in walk(tree):
        match part:
            case Call("row_sum" | "row_max") if of_softmax:  # the warning about the softmax is enough
                continue
            case Call(function, (a,)) if supposed.columns and function.startswith("row_") and part.source.axis:
                warnings += _of_columns(part, a, function[4:], supposed)
            case Call(function, (a, *_), (("axis", Text(word)), *_)) if function in (*BY_ROWS, "norm") and is_numbered:
                extent, tokens = supposed.shape(a), "columns" if supposed.columns else "rows"
                first = supposed.queries_first(a) if function in BY_ROWS else None
                queries = tokens if first is None else "rows" if first else "columns"
                if extent is None or 1 in extent or word in (queries, "all"):
                    continue
                if function in BY_ROWS and not supposed.columns and supposed.is_from_transpose(a):
                    continue
                if part.source.axis.isalpha() and id(part) in turned:  # softmax_j(S_ji) is transposed
                    continue
                meant = pasted(part.but(options=(("axis", Text(queries)),)))
                warnings.append(
                    f"{why(a, queries, tokens)}, but {function} with this axis works on each {word[:-1]}; "
                    f"for a result per token, write {meant}"
                )
    return warnings
