"""Rules that translate calls of NumPy, PyTorch and Keras functions. `RULES` maps the name of a function to its rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial, reduce
from typing import NamedTuple

from ...errors import FormulaError
from ..syntax_tree import Binary, Call, Name, Negate, Number, Source, Text, Transpose, Tree, unparse
from .index_notation import Factor, Unreadable, contracted, merged, transposed_to

# -- axes: the words "rows", "columns" and "all" replace the numbers of NumPy and PyTorch ------------------------------

Options = dict[str, Tree]

OURS = {
    "dim": "axis",
    "dims": "axis",
    "ord": "p",
    "unbiased": "ddof",
    "correction": "ddof",
    "approximate": "form",
    "epsilon": "eps",
    "decimals": "digits",
    "diagonal": "k",
    "γ": "gamma",
    "weight": "gamma",
    "β": "beta",
    "bias": "beta",
    "ε": "eps",
}
AXES = {"1": "rows", "-1": "rows", "0": "columns", "-2": "columns", "none": "all"}
PREFIXES = {"rows": "row_", "columns": "col_", "all": ""}


def option(name: str, value: Tree) -> tuple[str, Tree]:
    """Return an option with its name in the formula language. The number of an axis becomes a word."""
    name = OURS.get(name, name)
    if name == "axis" and (text := written(value)) in AXES:
        value = Text(AXES[text], value.at)
    return name, value


def written(value: Tree) -> str:
    """Return the text of a whole number or a name, and an empty string for other formulas."""
    match value:
        case Number(text) | Name(text):
            return text
        case Negate(Number(text)):
            return f"-{text}"
    return ""


def is_number(tree: Tree) -> bool:
    return not isinstance(tree, Name) and written(tree) in AXES and not tree.source.truth


def is_axis(tree: Tree) -> bool:
    """Return whether a formula can be an axis: a number, None, or a word such as "rows"."""
    word = option("axis", tree)[1]
    return isinstance(word, Text) and word.value in PREFIXES and not tree.source.truth


def axis(options: Options, default: str) -> str:
    """Return the axis in the options: "rows", "columns" or "all". Raises FormulaError for other values."""
    match options.get("axis"):
        case None:
            return default
        case Text(word) | Name(word) if word in PREFIXES:
            return word
        case value:
            raise FormulaError('expected axis="rows", "columns" or "all" (-1, 0 or None in NumPy)', value.at)


def side(a: Tree, which: Tree, at: int) -> Tree:
    """Read `K.shape[-1]` as cols(K), and `K.shape[0]` as rows(K)."""
    word = option("axis", which)[1]
    if word not in (Text("rows"), Text("columns")):
        raise FormulaError("expected A.shape[0], which is rows(A), or A.shape[1], which is cols(A)", at)
    return Call("rows" if word == Text("columns") else "cols", (a,), (), at).copied_from(Source(called=".shape"))


# -- functions ---------------------------------------------------------------------------------------------------------


class Typed(NamedTuple):
    """A call as the author wrote it, but with translated names of options and axes."""

    function: str
    arguments: list[Tree]
    options: Options
    at: int


Rule = Callable[[Typed], "Tree | None"]  # returns None if the call needs no translation

# Other common names of functions. Displayed formulas contain the names of the formula language.
ALIASES = {
    "apply_rotary": "turn", "rotate": "turn", "gather": "pick", "eye": "identity", "inv": "inverse",
    "repeat_interleave": "repeat", "clamp": "clip", "len": "rows", "range": "arange", "fabs": "abs",
    "embedding": "lookup", "σ": "sigmoid", "swish": "silu", "ReLU": "relu", "GELU": "gelu", "SiLU": "silu",
    "LayerNorm": "layer_norm", "RMSNorm": "rms_norm", "rowsum": "row_sum", "rowsums": "row_sum",
    "rowSums": "row_sum", "colsum": "col_sum", "colSums": "col_sum", "rowmax": "row_max", "colmax": "col_max",
    "rowmean": "row_mean", "rowMeans": "row_mean", "colMeans": "col_mean",
    "rowmin": "row_min", "rowvar": "row_var", "rowstd": "row_std", "rowprod": "row_prod", "rowany": "row_any",
    "rowall": "row_all", "colmean": "col_mean", "colmin": "col_min", "colvar": "col_var", "colstd": "col_std",
    "colprod": "col_prod", "colany": "col_any", "colall": "col_all", "ELU": "elu", "LeakyReLU": "leaky_relu",
    "tr": "trace", "Softmax": "softmax",
}  # fmt: skip
# Functions whose names contain an axis in the formula language: sum(A, axis="rows") is row_sum(A).
REDUCED = {"sum": "sum", "max": "max", "amax": "max", "min": "min", "amin": "min", "mean": "mean", "average": "mean",
    "var": "var", "std": "std", "prod": "prod", "any": "any", "all": "all"}  # fmt: skip
OPERATORS = {"matmul": "@", "mm": "@", "bmm": "@", "add": "+", "subtract": "-", "sub": "-", "multiply": "*",
              "mul": "*", "divide": "/", "div": "/", "true_divide": "/", "power": "**", "pow": "**", "greater": ">",
              "less": "<", "equal": "==", "greater_equal": ">=", "less_equal": "<=", "not_equal": "!=", "mod": "%",
             "remainder": "%", "floor_divide": "//", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==",
             "ne": "!="}  # fmt: skip
# Functions of one or two matrices, and their formulas
FORMULAS: dict[str, Callable[..., Tree]] = {name: partial(Binary, sign) for name, sign in OPERATORS.items()} | {
    "negative": Negate,
    "square": lambda a: Binary("**", a, Number("2")),
    "rsqrt": lambda a: Binary("/", Number("1"), Call("sqrt", (a,))),
    "reciprocal": lambda a: Binary("/", Number("1"), a),
    "log1p": lambda a: Call("log", (Binary("+", Number("1"), a),)),
    "expm1": lambda a: Binary("-", Call("exp", (a,)), Number("1")),
    "logical_not": lambda a: Binary("==", a, Number("0")),
    "array_equal": lambda a, b: Call("all", (Binary("==", a, b),)),
    **{f"{name}_like": lambda a, name=name: Call(name, (Call("rows", (a,)), Call("cols", (a,)))) for name in
       ("zeros", "ones")},
}  # fmt: skip
_SIDES = {"columns": "vstack", "rows": "hstack"}
ROW = "reshape(1, -1)"  # the source of a row that NumPy also represents with two dimensions
_INFINITE = ("inf", "infinity", "Inf")
_STABLE = ("kind", "stable")  # these options have no effect, because equal entries always keep their order
_CLIPPED = {"min": "low", "max": "high", "a_min": "low", "a_max": "high"}


def translated(typed: Typed) -> Tree:
    """Translate a call. Raises FormulaError if the formula language cannot express it."""
    rule = RULES.get(typed.function)
    translation = rule(typed) if rule else None
    if rule is None or translation is None:
        return ours(typed)
    kept = {name for name, _ in translation.options} if isinstance(translation, Call) else set()
    for name in typed.options.keys() - kept - READ.get(rule, frozenset()):
        raise FormulaError(f"attncalc does not support the option {name} of {typed.function}", typed.options[name].at)
    return translation


def ours(typed: Typed) -> Tree:
    """Return a call of the function of the formula language that has this name or alias."""
    name = ALIASES.get(typed.function, typed.function)
    return Call(name, tuple(typed.arguments), tuple(typed.options.items()), typed.at)


def _defined(typed: Typed) -> Tree | None:
    """Read `matmul(Q, K.T)` as Q @ K.T, and `square(X)` as X**2."""
    count = 1 + (typed.function in OPERATORS or typed.function == "array_equal")
    if typed.options or len(typed.arguments) != count:
        return None
    return FORMULAS[typed.function](*typed.arguments).but(at=typed.at)


def _transposed(typed: Typed) -> Tree | None:
    """Read `K.transpose(-2, -1)` and `K.t()` as K.T."""
    match typed.arguments:
        case [a, *axes] if all(is_number(axis) for axis in axes):
            return a if len({AXES[written(axis)] for axis in axes}) == 1 else Transpose(a, typed.at)
    return None


def _permuted(typed: Typed) -> Tree:
    """Read `K.permute(1, 0)` as K.T, and `K.permute(0, 1)` as K."""
    match typed.arguments:
        case [a]:
            return Transpose(a, typed.at)
        case [a, first, second] if is_number(first) and is_number(second):
            order = [AXES[written(axis)] for axis in (first, second)]
            if set(order) == {"rows", "columns"}:
                return a if order == ["columns", "rows"] else Transpose(a, typed.at)
    raise FormulaError("expected a transpose of two dimensions, with the axes 1, 0", typed.at)


def _extreme(typed: Typed) -> Tree:
    """Read `max(0, X)` as maximum(0, X). Read `max(X, axis=0)`, of a single matrix, as col_max(X)."""
    if truth := next((argument for argument in typed.arguments if argument.source.truth), None):
        raise FormulaError(f"{typed.function}: expected matrices and numbers, found True or False", truth.at)
    if len(typed.arguments) > 1 and not typed.options:
        name = f"{typed.function}imum"
        return reduce(lambda a, b: Call(name, (a, b), (), typed.at), typed.arguments)
    return _reduced(typed)


def _reduced(typed: Typed) -> Tree:
    """Read `P.sum(axis=0)` as col_sum(P)."""
    others = tuple((name, value) for name, value in typed.options.items() if name != "axis")
    name = PREFIXES[axis(typed.options, "all")] + REDUCED[typed.function]
    return Call(name, tuple(typed.arguments), others, typed.at)


def _log_softmax(typed: Typed) -> Tree:
    return Call("log", (Call("softmax", tuple(typed.arguments), tuple(typed.options.items()), typed.at),), (), typed.at)


def _by_rows(typed: Typed) -> Tree | None:
    """Read `argmax(A, axis=-1)` as argmax_rows(A), and `argmax(A, axis=0)` with the transpose of A."""
    if "axis" not in typed.options or len(typed.arguments) != 1:
        return None
    a = typed.arguments[0]
    if axis(typed.options, "rows") == "all":  # the same as without an axis: the index in a vector
        return ours(typed._replace(options={}))
    if axis(typed.options, "rows") == "columns":
        return Transpose(Call(f"{typed.function}_rows", (Transpose(a),), (), typed.at))
    return Call(f"{typed.function}_rows", (a,), (), typed.at)


def _ordered(typed: Typed) -> Tree | None:
    """Read `argsort(A, axis=-1, descending=True)` as order_rows(A, cols(A)). Without `descending`, read
    argsort_rows(A).
    """
    options = {name: value for name, value in typed.options.items() if name not in _STABLE}
    falls = options.pop("descending", Number("0")) == Number("1")
    if not falls or len(typed.arguments) != 1:
        return _by_rows(typed._replace(options=options)) or ours(typed._replace(options=options))
    a = typed.arguments[0]
    if axis(options, "rows") == "columns":
        a = Transpose(a)
        return Transpose(Call("order_rows", (a, Call("cols", (a,))), (), typed.at))
    return Call("order_rows", (a, Call("cols", (a,))), (), typed.at)


def ascending(a: Tree, along: str, at: int) -> Tree:
    """Read `np.sort(A)` as -sort_rows(-A), `np.sort(A, axis=0)` with A.T, and `np.sort(A, axis=None)` with flat(A)."""
    if along == "columns":
        return Transpose(ascending(Transpose(a), "rows", at))
    a = Call("flat", (a,), (), at) if along == "all" else a
    return Negate(Call("sort_rows", (Negate(a, at),), (), at), at)


def _moved(typed: Typed) -> Tree | None:
    """Read `np.repeat(A, 2, axis=0)` as repeat(A, down=2), and `np.roll(x, 1)` as roll(x, by=1).

    Without an axis, NumPy's repeat returns a flat list.
    """
    options = dict(typed.options)
    name = ALIASES.get(typed.function, typed.function)
    given = [*typed.arguments[1:], *(options.pop(k) for k in ("repeats", "shift", "shifts") if k in options)]
    if len(given) == 2 and "axis" not in options and name == "roll":
        options["axis"] = option("axis", given.pop())[1]
    if not given:
        return None
    if len(given) != 1 or set(options) - {"axis"}:
        raise FormulaError(
            f"{name}: after the matrix, write down= (for rows) or across= (for columns), or use NumPy's form with a "
            f"single axis",
            typed.at,
        )
    a, way = typed.arguments[0], {"columns": "down", "rows": "across"}.get(axis(options, "all"))
    if way is None and name == "repeat":
        a, way = Call("flat", (a,), (), typed.at), "across"
    return Call(name, (a,), ((way or "by", given[0]),), typed.at)


def _tiled(typed: Typed) -> Tree | None:
    """Read `np.tile(A, (2, 3))` as tile(A, down=2, across=3), and `np.tile(A, 2)` as tile(A, across=2)."""
    match typed.arguments:
        case [a, across] if not typed.options:
            return Call("tile", (a,), (("across", across),), typed.at)
        case [a, down, across] if not typed.options:
            return Call("tile", (a,), (("down", down), ("across", across)), typed.at)
    return None


def _flattened(typed: Typed) -> Tree:
    """Return all entries as a row, or as a column for `reshape(-1, 1)`. Raises FormulaError for other shapes."""
    shape = [written(size) for size in typed.arguments[1:]]
    shape = [] if shape == ["-1"] else shape
    if not typed.arguments or shape not in ([], ["1", "-1"], ["-1", "1"]):
        raise FormulaError(
            f"{typed.function}: attncalc supports only reshape(1, -1) for a row "
            "and reshape(-1, 1) for a column; "
            "a flat list is already a row",
            typed.at,
        )
    flat = Call("flat", (typed.arguments[0],), (), typed.at)
    if shape == ["-1", "1"]:
        return Transpose(flat, typed.at)
    return flat.copied_from(Source(called=ROW)) if shape else flat


def _infinite(typed: Typed) -> Tree | None:
    """Read `float("-inf")` as -inf."""
    match typed.arguments:
        case [Text(word)] if word.lstrip("+-") in _INFINITE:
            infinity = Name("inf", typed.at)
            return Negate(infinity, typed.at) if word.startswith("-") else infinity
    return None


def _with_zero(typed: Typed) -> Tree:
    """Read `round(X)` as `round(X, 0)`, and `arange(n)` as `arange(0, n)`."""
    if len(typed.arguments) != 1 or "digits" in typed.options:
        return ours(typed)
    pair = [*typed.arguments, Number("0", typed.at)]
    return ours(typed._replace(arguments=pair if typed.function == "round" else pair[::-1]))


def _filled(typed: Typed) -> Tree | None:
    """Read `zeros(n)`, which is one-dimensional in NumPy, as a row."""
    if len(typed.arguments) != 1 or typed.options:
        return None
    row = typed._replace(arguments=[Number("1", typed.at), *typed.arguments])
    return ours(row).copied_from(Source(flat=True))


def _constant(typed: Typed) -> Tree | None:
    """Read `full((2, 3), 0.5)` as 0.5 * ones(2, 3)."""
    *shape, value = typed.arguments
    if not shape or typed.options:
        raise FormulaError("`full` needs a shape and a number, as in full((2, 3), 0.5)", typed.at)
    ones = typed._replace(function="ones", arguments=shape)
    return Binary("*", value, _filled(ones) or ours(ones), typed.at)


def unwrapped(typed: Typed) -> Tree | None:
    """Return A for `np.array(A)`."""
    return typed.arguments[0] if len(typed.arguments) == 1 else None


def _size(typed: Typed) -> Tree:
    """Read `size(K)` as the number of entries, and `K.size(-1)` as cols(K)."""
    axes = [*typed.arguments[1:], *typed.options.values()]
    if axes == [Number("2")]:  # MATLAB's size(A, 2)
        return Call("cols", (typed.arguments[0],), (), typed.at)
    if axes:
        return side(typed.arguments[0], axes[0], typed.at)
    return Binary("*", Call("rows", (typed.arguments[0],)), Call("cols", (typed.arguments[0],)), typed.at)


def _power(typed: Typed) -> Tree:
    """Read `matrix_power(A, 3)` as A @ A @ A, and `matrix_power(A, -1)` as inverse(A)."""
    match typed.arguments:
        case [a, Number(power)] if power in {*"123456789"}:
            return reduce(lambda product, base: Binary("@", product, base, typed.at), [a] * int(power))
        case [a, Negate(Number("1"))]:
            return Call("inverse", (a,), (), typed.at)
    raise FormulaError("matrix_power needs a matrix and a power: a whole number from 1 to 9, or -1", typed.at)


def _masked(typed: Typed) -> Tree:
    """Read PyTorch's `masked_fill(S, M, c)` as keep(S, M == 0, fill=c).

    `masked_fill` replaces entries where the mask is true; `keep` keeps entries where its mask is true.
    """
    match [*typed.arguments, *(typed.options[name] for name in ("mask", "value") if name in typed.options)]:
        case [a, mask, fill]:
            kept = (
                Binary("!=", mask.left, mask.right, mask.at)
                if isinstance(mask, Binary) and mask.operator == "=="
                else Binary("==", mask, Number("0"), typed.at)
            )
            return Call("keep", (a, kept), (("fill", fill),), typed.at)
    raise FormulaError(
        "masked_fill needs a matrix, a mask and a number: masked_fill(A, M, fill) writes fill where M is not 0",
        typed.at,
    )


def _inner(typed: Typed) -> Tree | None:
    """Read `np.inner(Q, K)` as Q @ K.T."""
    match typed.arguments:
        case [a, b]:
            return Binary("@", a, Transpose(b, typed.at), typed.at).copied_from(Source(called="inner"))
    return None


def _triangle(typed: Typed) -> Tree | None:
    """Raise FormulaError for `tril(ones(3))`: `ones(3)` is a square matrix in MATLAB, but a row here."""
    match typed.arguments:
        case [Call("ones" | "zeros" as name, (Number("1"), n)) as row, *shift]:
            square = ours(typed._replace(arguments=[row.but(arguments=(n, n)), *shift]))
            raise FormulaError(f"{name}(n) is a row, not a square matrix; write {unparse(square)}", typed.at)
    return None


def _clipped(typed: Typed) -> Tree:
    """Read `clamp(X, min=0)` as maximum(X, 0), and `clamp(X, min=0, max=6)` as clip(X, low=0, high=6)."""
    options = {_CLIPPED.get(name, name): value for name, value in typed.options.items()}
    match typed.arguments, [*options.items()]:
        case [a], [("low", bound)]:
            return Call("maximum", (a, bound), (), typed.at)
        case [a], [("high", bound)]:
            return Call("minimum", (a, bound), (), typed.at)
    return ours(typed._replace(options=options))


def _stacked(typed: Typed) -> Tree | None:
    """Read `stack([q, p])` as vstack(q, p). The language has no function for another axis."""
    if typed.function == "stack" and typed.options not in ({}, {"axis": Text("columns")}):
        return ours(typed._replace(arguments=unpacked(typed.arguments)))  # `dimensions.py` suggests a formula
    if typed.function != "stack" and typed.options:
        return None
    name = "hstack" if typed.function == "column_stack" else "vstack"
    return Call(name, tuple(unpacked(typed.arguments)), (), typed.at)


def _joined(typed: Typed) -> Tree:
    """Read `concat` as hstack, and `cat(A, B, dim=0)` as vstack.

    Raises FormulaError for other library functions without an axis, because their default axis is 0.
    """
    name, options = typed.function, typed.options
    match name, typed.arguments:
        case "cat", [Number("1" | "2" as dimension), _, _, *_] if not options:  # MATLAB's cat(1, A, B)
            return Call(("vstack", "hstack")[dimension == "2"], tuple(typed.arguments[1:]), (), typed.at)
    if name not in ("concat", "Concat") and "axis" not in options:
        raise FormulaError(
            f"{name} needs an axis; write hstack(A, B) to put the matrices side by side, or vstack(A, B) to put them "
            f"below each other",
            typed.at,
        )
    word = axis(options, "rows")
    if word not in _SIDES or set(options) - {"axis"}:
        raise FormulaError(
            f"{name}: write axis=1 to put the matrices side by side, or axis=0 to put them below each other", typed.at
        )
    return Call(_SIDES[word], tuple(unpacked(typed.arguments)), (), typed.at)


def _einsum(typed: Typed) -> Tree:
    """Read `einsum("id,jd->ij", Q, K)` as Q @ K.T. Each operand has at most two letters, and so has the result.

    An operand with a single letter has one dimension. It is read as a row, also if it is a column here. Raises
    FormulaError for other indices.
    """
    match typed.arguments:
        case [Text(indices), *matrices] if matrices and not typed.options:
            before, arrow, after = re.sub(r"\s|\.\.\.", "", indices).partition("->")
            operands = before.split(",")
            if not arrow:  # then the result has the letters that occur once, in alphabetical order
                after = "".join(sorted(letter for letter in before if letter.isalpha() and before.count(letter) == 1))
            are_letters = all(re.fullmatch("[a-zA-Z]{1,2}", letters) for letters in operands)
            is_pattern = are_letters and re.fullmatch("[a-zA-Z]{0,2}", after) and len(set(after)) == len(after)
            if is_pattern and len(operands) == len(matrices):
                with suppress(Unreadable):
                    return _summed(list(map(_lettered, matrices, operands)), after)
    raise FormulaError(
        "einsum: expected at most two letters per matrix, and each summed letter in at most two matrices, "
        'as in einsum("id,jd->ij", Q, K)',
        typed.at,
    )


def _lettered(a: Tree, letters: str) -> Factor:
    """Return a matrix with the letters of its axes. Two equal letters mean its diagonal."""
    if len(letters) == 2:
        return Factor(a, *letters) if letters[0] != letters[1] else Factor(Call("diag", (a,)), "", letters[0])
    return Factor(Call("flat", (a,)), "", letters)


def _summed(factors: list[Factor], after: str) -> Tree:
    """Return the product of the factors, summed over the letters that are not in `after`. Raises Unreadable."""
    over = [k for k in dict.fromkeys(letter for factor in factors for letter in factor.letters) if k not in after]
    if not after and len({frozenset(factor.letters) for factor in factors}) == 1 and len(over) == 2:
        return Call("sum", (merged(factors).tree,))
    for k in over:
        factors = contracted(factors, k)
    whole = merged(factors)
    if {*whole.letters} != {*after}:
        raise Unreadable
    tree = transposed_to(whole, *after) if len(after) == 2 else whole.tree
    return tree.copied_from(Source(flat=len(after) == 1, called="einsum"))


def _largest(typed: Typed) -> Tree:
    """Raise FormulaError. If `topk` selects the largest entries of each row, the message contains formulas for them."""
    named = dict(typed.options).get("k", Name("k"))
    a, k = map(unparse, (*typed.arguments, named)[:2])
    is_of_rows = axis(typed.options, "rows") == "rows" and typed.options.get("largest", Number("1")) == Number("1")
    if len(typed.arguments) > 2 or not is_of_rows:
        raise FormulaError(f"{typed.function} is supported only for the largest entries of each row", typed.at)
    raise FormulaError(
        f"top_k({a}, {k}) gives 1 for the {k} largest entries of a row; to set the other entries to -inf, "
        f"write keep({a}, top_k({a}, {k})); for their values, write sort_rows({a})[:, :{k}]; for their indices, write "
        f"order_rows({a}, {k})",
        typed.at,
    )


def as_operand(tree: Tree) -> str:
    """Return the text of a formula as an operand of a product."""
    text = unparse(tree)
    return f"({text})" if isinstance(tree, Binary | Negate) else text


def unpacked(arguments: list[Tree]) -> list[Tree]:
    """Return the arguments of a call. If the only argument is a list of matrices, return these matrices."""
    if len(arguments) == 1 and isinstance(inside := arguments[0], Call) and inside.function == "hstack":
        return list(inside.arguments)
    return arguments


RULES: dict[str, Rule] = {
    **dict.fromkeys(FORMULAS, _defined),
    **dict.fromkeys(("t", "transpose"), _transposed),
    "permute": _permuted,
    **dict.fromkeys(REDUCED, _reduced),
    **dict.fromkeys(("max", "min"), _extreme),
    "log_softmax": _log_softmax,
    **dict.fromkeys(("argmax", "argmin", "cumsum", "cumprod"), _by_rows),
    "argsort": _ordered,
    **dict.fromkeys(("repeat", "repeat_interleave", "roll"), _moved),
    "tile": _tiled,
    **dict.fromkeys(("reshape", "view", "flatten", "ravel"), _flattened),
    "float": _infinite,
    **dict.fromkeys(("round", "arange", "range"), _with_zero),
    **dict.fromkeys(("zeros", "ones"), _filled),
    "full": _constant,
    **dict.fromkeys(("array", "asarray", "tensor", "Tensor", "as_tensor", "FloatTensor"), unwrapped),
    **dict.fromkeys(("size", "numel"), _size),
    "matrix_power": _power,
    "masked_fill": _masked,
    **dict.fromkeys(("clip", "clamp"), _clipped),
    **dict.fromkeys(("concat", "Concat", "concatenate", "cat"), _joined),
    **dict.fromkeys(("stack", "row_stack", "column_stack"), _stacked),
    "einsum": _einsum,
    "topk": _largest,
    "inner": _inner,
    **dict.fromkeys(("tril", "triu"), _triangle),
}
# The options that a rule reads, although its result does not contain them. Other options cause an error.
READ: dict[Rule, frozenset[str]] = {
    **dict.fromkeys((_extreme, _reduced, _by_rows, _size, _stacked, _joined), frozenset({"axis"})),
    _log_softmax: frozenset({"axis", "base", "empty"}),
    _ordered: frozenset({"axis", "descending", *_STABLE}),
    _moved: frozenset({"axis", "repeats", "shift", "shifts"}),
    _clipped: frozenset({*_CLIPPED, *_CLIPPED.values()}),
    _masked: frozenset({"mask", "value"}),
    unwrapped: frozenset({"dtype"}),
}
