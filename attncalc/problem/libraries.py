"""Where a library would work out something else: what its functions make of lists of matrices and of flat lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import shorten, size
from ..formula.parser import LONGEST_PROPOSED
from ..formula.syntax_tree import Call, Text, Transpose, Tree, unparse, walk
from .suggestions import Shape

LIBRARY = r"(?:np|numpy|jnp|torch)\."
CALLED = re.compile(LIBRARY + r"(\w+)", re.ASCII)
BEFORE_A_LIST = re.compile(r"\b" + LIBRARY + r"[\w.]+\s*\(\s*$", re.ASCII)
OURS = (
    "row_",
    "col_",
    "argmax_rows",
    "argmin_rows",
    "argsort_rows",
    "cumsum_rows",
    "cumprod_rows",
)  # which libraries have not
WITHOUT_PREFIX = {"cumsum": "cumsum_rows"}


def as_in_a_library(tree: Tree, text: str, shape: Shape) -> list[str]:
    """Warnings for what NumPy and PyTorch understand otherwise; `text` is what the author typed."""
    said = [one for part in walk(tree) for one in (*listed(part, text, shape), *flat(part, text, shape))]
    return list(dict.fromkeys(said))


def of_one_size(tree: Tree, shape: Shape) -> tuple[int, int] | None:
    """The size that all matrices have which a call joins; None for one alone, for numbers and for what joins none."""
    parts = tree.arguments if isinstance(tree, Call) and tree.function in ("hstack", "vstack") else ()
    sizes = {shape(part) for part in parts}
    return sizes.pop() if len(parts) > 1 and len(sizes) == 1 and sizes != {(1, 1)} else None


def side_by_side(tree: Tree, shape: Shape) -> list[str]:
    """A warning for a list of rows, which stand side by side in it, where NumPy would put one under the other."""
    one = of_one_size(tree, shape)
    if not isinstance(tree, Call) or tree.function != "hstack" or one is None or one[0] != 1:
        return []
    joined, under = size((1, one[1] * len(tree.arguments))), written("vstack", tree.arguments)
    return [f"the rows stand side by side in this list, {joined}; one under the other: {under}"]


def listed(part: Tree, text: str, shape: Shape) -> list[str]:
    """A warning for a list of rows or of matrices that a library's function gets: they stand side by side here."""
    one = of_one_size(part, shape)
    if not isinstance(part, Call) or one is None:
        return []
    rows = one[0] == 1
    called = CALLED.match(text, part.at)
    match called[1] if called else "", part.function:
        case "column_stack", "hstack" if rows:
            upright = written("hstack", [Transpose(a) for a in part.arguments])
            return [f"column_stack stands flat lists upright; here the rows stand side by side; as columns: {upright}"]
        case "concatenate" | "concat" | "cat" as name, "vstack" if rows:
            joined = written("hstack", part.arguments)
            return [f"{name} joins flat lists to one; here the rows stand one under the other; side by side: {joined}"]
        case "stack", "vstack" if not rows:
            return [three(part.arguments, "one under the other")]
    is_list = text[part.at : part.at + 1] in ("[", "(") and BEFORE_A_LIST.search(text[: part.at])
    if part.function == "vstack" or not is_list:
        return []
    return side_by_side(part, shape) if rows else [three(part.arguments, "side by side")]


def three(parts: Sequence[Tree], how: str) -> str:
    """That a list of matrices is none with two dimensions."""
    names = shorten(", ".join(unparse(one) for one in parts))
    return f"[{names}] has three dimensions in a library; here the matrices stand {how}: write a step for each of them"


def written(function: str, parts: Sequence[Tree]) -> str:
    """A call as it is proposed."""
    return shorten(unparse(Call(function, tuple(parts))), LONGEST_PROPOSED)


def flat(part: Tree, text: str, shape: Shape) -> list[str]:
    """A warning for `sum(q, axis=0)` of a row: each of its columns has one entry, where NumPy adds up a flat list."""
    found = along(part)
    extent = shape(found[1]) if found else None
    if found is None or extent is None or extent == (1, 1) or text[part.at :].startswith(OURS):
        return []
    down, a, whole = found
    if extent[0 if down else 1] != 1:
        return []
    what, each = ("row", "column") if down else ("column", "row")
    x = shorten(unparse(a))
    return [f"{x} is one {what}, and each {each} of it has one entry; over all of them: {whole}({x})"]


def along(part: Tree) -> tuple[bool, Tree, str] | None:
    """Whether a call works down the columns, what it works on, and its name for a whole matrix; None for others."""
    match part:
        case Transpose(Call(function, (Transpose(a),))) if function.endswith("_rows"):
            return True, a, whole_name(function)
        case Call("norm", (a,), (("axis", Text(word)),)) if word in ("rows", "columns"):
            return word == "columns", a, "norm"
        case Call(function, (a,)) if function.startswith(("row_", "col_")):
            return function.startswith("col_"), a, function[4:]
        case Call(function, (a,)) if function.endswith("_rows") and not isinstance(a, Transpose):
            return False, a, whole_name(function)
    return None


def whole_name(function: str) -> str:
    """`argmax` of argmax_rows."""
    name = function.removesuffix("_rows")
    return WITHOUT_PREFIX.get(name, name)
