"""What the author of a formula without a fault should know: where NumPy would mean something else by it."""

from __future__ import annotations

from ..errors import shorten, size
from ..formula.parse import LONGEST_PROPOSED
from ..formula.tree import Binary, Call, Index, Name, Number, Transpose, Tree, children, unparse
from .libraries import as_in_a_library
from .meant import BY_ROWS, Shape, fitted, is_column


def lone_columns(tree: Tree, shape: Shape) -> list[str]:
    """What is to be said of each softmax of a column, and of the like: a row of it has one entry."""
    match tree:
        case Call(function, (scores, *_), options) if function in BY_ROWS and "axis" not in dict(options):
            found = shape(scores)
            if found and is_column(found):
                what = f"{shorten(unparse(scores))} is a column, {size(found)}"
                return [f"{what}, and {BY_ROWS[function]}"]
    return [said for part in children(tree) for said in lone_columns(part, shape)]


def warnings(tree: Tree, shape: Shape) -> list[str]:
    """What the author of a formula should know that has no fault."""
    columns = [*lone_columns(tree, shape), *crossed(tree, shape)]
    meant = f"; did you mean {shorten(unparse(fitted(tree, shape)), LONGEST_PROPOSED)}?" if columns else ""
    return [*whole_rows(tree, shape), *inner_products(tree, shape), *(said + meant for said in columns)]


def inner_products(tree: Tree, shape: Shape) -> list[str]:
    """A warning for `diag(p) - p @ p.T` of a flat list, where a number is taken from every entry of a matrix."""
    match tree:
        case Binary("+" | "-", a, b):
            for beside, (x, y) in [
                *((shape(a), pair) for pair in rows_in(b)),
                *((shape(b), pair) for pair in rows_in(a)),
            ]:
                if beside and beside[0] > 1 and (shape(x), shape(y)) == ((1, beside[0]), (1, beside[1])):
                    number, matrix = Binary("@", x, Transpose(y)), Binary("@", Transpose(x), y)
                    return [f"{shorten(unparse(number))} is one number; the matrix is {shorten(unparse(matrix))}"]
    return [said for part in children(tree) for said in inner_products(part, shape)]


def rows_in(summand: Tree) -> list[tuple[Tree, Tree]]:
    """What is multiplied as x @ y.T in a summand, by itself or with a factor."""
    match summand:
        case Binary("@", x, Transpose(y)):
            return [(x, y)]
        case Binary("*", a, b):
            return rows_in(a) + rows_in(b)
    return []


def crossed(tree: Tree, shape: Shape) -> list[str]:
    """What is to be said of a column and a flat list as long, entry by entry: they stretch to a square matrix."""
    match tree:
        case Binary(sign, a, b) if (
            sign not in ("@", "**") and not isinstance(a, Transpose) and not isinstance(b, Transpose)
        ):
            one, other = shape(a), shape(b)
            column, row = (a, b) if is_column(one) else (b, a)
            if one and other and one != other and one == other[::-1] and 1 in one and isinstance(row, Name):
                what = f"{shorten(unparse(column))} is a column and {row.name} a row"
                return [f"{what}, which stretch over each other to {size((max(one), max(one)))}"]
    return [said for part in children(tree) for said in crossed(part, shape)]


def dots(tree: Tree, shape: Shape) -> list[str]:
    """A warning for each `A · B` of two matrices: it multiplies entry by entry, where paper means the product."""
    match tree:
        case Binary("*", a, b) if not {shape(a), shape(b)} & {(1, 1), None}:
            product = shorten(unparse(Binary("@", a, b)))
            return [f"· multiplies entry by entry here, as * does; the matrix product is {product}"]
    return [said for part in children(tree) for said in dots(part, shape)]


def lengths(tree: Tree, shape: Shape) -> list[str]:
    """A warning for `len(x)` of a flat list, which has one row."""
    match tree:
        case Call("rows", (a,)) if (found := shape(a)) and found[0] == 1 < found[1]:
            x = shorten(unparse(a))
            return [f"this counts rows, and {x} is one row; cols({x}) counts its {found[1]} entries"]
    return [said for part in children(tree) for said in lengths(part, shape)]


def typed(tree: Tree, text: str, shape: Shape) -> list[str]:
    """Warnings for what stands in the author's own text alone: the signs and words of NumPy and of paper."""
    sizes = lengths(tree, shape) if "len(" in text or ".shape[" in text or ".size(" in text else []
    return [*sizes, *(dots(tree, shape) if "·" in text else []), *as_in_a_library(tree, text, shape)]


def whole_rows(tree: Tree, shape: Shape) -> list[str]:
    """A warning for each `q[0]` of a row: it takes all of q, where NumPy would take its first entry."""
    stack, found = [tree], []
    while stack:
        part = stack.pop()
        stack += children(part)
        match part:
            case Index(Name(name), Number("0"), None) if (found_shape := shape(Name(name))) and found_shape[
                0
            ] == 1 < found_shape[1]:
                found.append(
                    f"{name}[0] takes all of {name}, which is {size(found_shape)}; its first entry is {name}[0, 0]"
                )
    return found
