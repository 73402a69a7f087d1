"""Translates calls that people copy from NumPy, PyTorch and Keras into the formula language.

Formulas are displayed in the formula language:

- `np.exp(S)` is exp(S)
- `softmax(S, dim=-1)` is softmax(S, axis="rows")
- `max(0, X)` is maximum(0, X)
- `matmul(Q, K.T)` is Q @ K.T
- `P.sum(axis=0)` is col_sum(P)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce

from ...errors import FormulaError, shorten
from ..syntax_tree import NO_SOURCE, Binary, Call, Index, Name, Number, Slice, Source, Text, Tree, is_whole, unparse
from .library_calls import (
    ALIASES,
    OPERATORS,
    REDUCED,
    ROW,
    RULES,
    Options,
    Typed,
    as_operand,
    ascending,
    axis,
    is_number,
    option,
    translated,
    unwrapped,
    written,
)
from .signatures import TABLES, Bound, bound, kind_of_type, table

LONGEST_SHOWN = 120

MODULES = frozenset({
    "np", "numpy", "torch", "math", "F", "jnp", "tf", "jax", "nn", "linalg", "functional", "keras", "ops", "special",
    "scipy", "stats", "activations",
})  # fmt: skip

LIBRARIES = MODULES & {"np", "numpy", "torch", "jnp", "tf", "jax", "keras", "scipy"}

# Methods of NumPy and PyTorch, as in A.sum().
METHODS = frozenset({
    *REDUCED, *OPERATORS, *ALIASES, "abs", "argmax", "argmin", "argsort", "ceil", "clip", "cos", "cumprod", "cumsum",
    "det", "diag", "dot", "erf", "exp", "expm1", "flatten", "floor", "inner", "inverse", "keep", "log", "log10",
    "log1p", "log2", "log_softmax", "logical_not", "logsumexp", "masked_fill", "negative", "norm", "numel", "outer",
    "permute", "ravel", "reciprocal", "relu", "repeat", "reshape", "roll", "round", "rsqrt", "sigmoid", "sin", "size",
    "softmax", "sqrt", "square", "t", "tanh", "tile", "trace", "transpose", "tril", "triu", "view",
})  # fmt: skip
# Layers of PyTorch, with their settings before the matrix: nn.LayerNorm(3)(X), nn.Softmax(dim=-1)(X).
LAYERS = {
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "LayerNorm": "layer_norm", "RMSNorm": "rms_norm",
    "ReLU": "relu", "GELU": "gelu", "SiLU": "silu", "Sigmoid": "sigmoid", "Tanh": "tanh", "LeakyReLU": "leaky_relu",
    "Softplus": "softplus", "CrossEntropyLoss": "cross_entropy",
}  # fmt: skip
_SHAPE = "normalized_shape"
_SETTINGS = {"Softmax": ["dim"], "LogSoftmax": ["dim"], "LayerNorm": [_SHAPE, "eps"], "RMSNorm": [_SHAPE, "eps"],
             "LeakyReLU": ["negative_slope"], "GELU": ["approximate"]}  # fmt: skip
# The index of the argument that is a shape or a list of axes, for each function
SHAPES = {"transpose": 1, "permute": 1, "tile": 1, "full": 0, "reshape": 1, "broadcast_to": 1}
JOINING = {"concat", "concatenate", "cat", "hstack", "vstack", "stack", "row_stack", "column_stack"}
_ROWWISE = ("softmax", "log_softmax", "normalize", "layer_norm", "rms_norm", "logsumexp")
_REDUCING = frozenset({*REDUCED, "argmax", "argmin", "norm", "logsumexp", "entropy"})
# Names of options that only one library has: they identify the library of the method `A.std(dim=1)`.
_OF_TORCH = frozenset({"dim", "dims", "keepdim", "unbiased"})
_OF_NUMPY = frozenset({"axis", "keepdims", "ddof"})
_METHODS_OF_TORCH = frozenset({"norm"})  # NumPy has functions with these names, but no methods
_LIBRARIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("np", "numpy", "jnp", "linalg"), ("NumPy",)),
    **dict.fromkeys(("torch", "F", "functional"), ("PyTorch",)),
    "nn": ("JAX", "PyTorch"), "jax": ("JAX",), "tf": ("TensorFlow",),
    **dict.fromkeys(("keras", "ops", "activations"), ("Keras",)),
    **dict.fromkeys(("scipy", "special", "stats"), ("SciPy",)),
    "math": ("math",), "layer": ("PyTorch",), "method": ("NumPy", "PyTorch"),
}  # fmt: skip


def libraries(path: Sequence[str]) -> tuple[str, ...]:
    """Return the libraries that may have a function with these modules before its name. `path` may also mean a
    method.
    """
    match path:
        case ["jax", "numpy", *_]:
            return ("NumPy",)
        case ["jax", "scipy", *_]:
            return ("SciPy",)
        case ["nn", "functional", *_]:
            return ("PyTorch",)
        case ["tf", "keras", *_]:
            return ("Keras",)
    return _LIBRARIES[path[0]]


def translate_call(function: str, arguments: list[Tree], options: Options, at: int, path: Sequence[str] = ()) -> Tree:
    """Translate a call. `path` contains the modules before the function's name, or the word `method`."""
    if not path and _OF_TORCH & options.keys() and function in table("PyTorch"):
        path = ("torch",)
    if not path:
        return _bare(function, arguments, options, at)
    names = libraries(path)
    if len(names) > 1:
        exchanges = function == "transpose" and any(written(axis).startswith("-") for axis in arguments)
        kept = (exchanges or _OF_TORCH & options.keys()) and "PyTorch" or _OF_NUMPY & options.keys() and "NumPy"
        names = (kept,) if kept in names else names[1:] if function in _METHODS_OF_TORCH else names
    readings: dict[str, Tree] = {}
    faults = []
    for library in names:
        try:
            readings[library] = _read(library, path, function, arguments, options, at)
        except FormulaError as error:
            faults.append(error)
    if not readings:
        if path[0] == "method" and all(function not in table(library) for library in names):
            return _bare(function, arguments, options, at)
        knows = [function in table(library) for library in names]
        raise faults[knows.index(True) if True in knows else 0]
    return _chosen(function, readings, at)


def _read(library: str, path: Sequence[str], function: str, arguments: list[Tree], options: Options, at: int) -> Tree:
    """Translate a call by the table of a library. Raises FormulaError if no row of the table fits."""
    rows = table(library)
    name = f"{path[-1]}.{function}" if f"{path[-1]}.{function}" in rows else function
    fault = None
    for row in rows.get(name, ()):
        try:
            call = bound(function, row, arguments, options, library, at)
        except FormulaError as error:
            fault = fault or error
            continue
        if row.refusal:
            given = dict(zip((p.name for p in row.parameters), arguments, strict=False)) | options
            trees = [given.get(p.name, Name(p.name)) for p in row.parameters]
            raise FormulaError(row.refusal.format(*map(unparse, trees), x=as_operand(trees[0])), at)
        return _of_library(library, call, at)
    if fault is not None:
        raise fault
    if _is_ours(function):
        raise FormulaError(f"attncalc does not know the function {function} of {library}", at)
    return _marked(_bare(function, arguments, options, at), Source(library))


def _is_ours(function: str) -> bool:
    from ..functions import functions  # imported here, because only an error needs it

    return function in functions() or function in ALIASES or function in RULES


def is_ours_alone(function: str, path: Sequence[str]) -> bool:
    """Return whether only the formula language has a function with this name, not the library, as in `np.softmax`.

    Returns False if a library uses the name for another function.
    """
    rows = [row for library in TABLES for row in table(library).get(function, ())]
    is_absent = all(function not in table(library) for library in libraries(path))
    return _is_ours(function) and is_absent and all(row.function == function and not row.refusal for row in rows)


def _chosen(function: str, readings: dict[str, Tree], at: int) -> Tree:
    """Return the meaning of the call in the first library. If it differs in another library, add a remark."""
    (first, chosen), *others = readings.items()
    if function == "transpose" and others:  # NumPy lists all axes of the result, and PyTorch exchanges two axes
        (first, chosen), *others = [*others, (first, chosen)]
    for library, tree in others:
        if tree != chosen:
            if function == "repeat":
                here, there = map(unparse, (chosen, tree))
                message = "`repeat` repeats each entry in NumPy, but the whole matrix in PyTorch"
                raise FormulaError(f"{message}; write {here} to repeat entries, or {there} to repeat the matrix", at)
            here, there = (shorten(unparse(reading), LONGEST_SHOWN) for reading in (chosen, tree))
            remark = (
                f"attncalc reads the method {function} as in {first}: {here}; "
                f"for the meaning of {library}, write {there}"
            )
            return chosen.copied_from(chosen.source._replace(remark=remark))
        if tree.source.pair:
            return chosen.copied_from(chosen.source._replace(pair=tree.source.pair))
    return chosen


def _bare(function: str, arguments: list[Tree], options: Options, at: int) -> Tree:
    """Translate a call without the name of a library. The axis may be a number, as in NumPy."""
    bare = (
        len(arguments) == 2 and "axis" not in options and (function == "size" or is_axis(function, arguments[1], False))
    )
    if bare:
        *arguments, options = *arguments[:1], {**options, "axis": arguments[1]}
    kept = dict(option(name, value) for name, value in options.items())
    keeps = function in _REDUCING and kept.pop("keepdims", Number("0")) == Number("1")
    number = written(options["axis"]) if "axis" in options and is_number(options["axis"]) else ""
    if number and function in _ROWWISE and kept["axis"] == Text("rows"):  # dim=-1 is their default
        del kept["axis"]
    tree = translated(Typed(function, arguments, kept, at))
    tree = _marked(tree, Source("", number, bool(number) and function in _REDUCING and not keeps, bare))
    is_named = isinstance(tree, Call) and tree.function == function
    is_marked = is_named or tree.source.called == ROW
    return tree if is_marked else tree.copied_from(tree.source._replace(called=function))


def _of_library(library: str, call: Bound, at: int) -> Tree:
    """Translate a call of a library. The `source` of the result records the library and the axis."""
    function, arguments, options = call.function, call.arguments, dict(call.options)
    is_array = RULES.get(call.function) is unwrapped and len(arguments) == 1
    joined = call.name if call.name in JOINING else arguments[0].source.joined or "array" if is_array else ""
    source = Source(library, call.axis, call.flat and bool(call.axis), joined=joined, width=call.width)
    if function == "pair":
        largest = ("max", "argmax") if call.name == "max" else ("min", "argmin")
        values, indices = (_marked(translated(Typed(f, arguments, options, at)), source) for f in largest)
        remark = f"PyTorch's {call.name} along an axis returns values and indices; attncalc uses the values"
        return values.copied_from(source._replace(pair=(values, indices), remark=remark))
    last = [Text("rows")] + [Text("all")] * (library in ("PyTorch", "TensorFlow") and "softmax" in function)
    if function in _ROWWISE and options.get("axis") in last:  # the default axis here; None means the last axis
        del options["axis"]
    match function:
        case "concat":  # concat means hstack here, and vstack in the library
            function = "concatenate"
        case "round":  # rounds ties to even
            options.setdefault("mode", Text("half_even"))
        case "cross_entropy":  # PyTorch's function takes logits
            arguments = [Call("softmax", (arguments[0],), (), at), *arguments[1:]]
        case "picked_mean" | "picked_sum":  # losses of PyTorch, whose arguments are logarithms or logits
            a, ids = arguments
            if call.name == "cross_entropy":
                a = Call("log", (Call("softmax", (a,), (), at),), (), at)
            picked = Call("pick", (a, ids), (), at)
            function, arguments = "negative", [Call(function.removeprefix("picked_"), (picked,), (), at)]
        case "sort":
            return _marked(ascending(arguments[0], axis(options, "rows"), at), source)
        case "entropy_of_shares":  # SciPy's function first divides the numbers by their sum
            along = tuple(item for item in options.items() if item[0] == "axis")
            function, arguments = "entropy", [Call("normalize", tuple(arguments), along, at)]
    return _marked(translated(Typed(function, arguments, options, at)), source)


def _marked(tree: Tree, source: Source) -> Tree:
    if source == NO_SOURCE:
        return tree
    match tree:
        case Call("log", (Call("softmax") as inside,)) if source.axis:  # log_softmax
            tree = tree.but(arguments=(inside.copied_from(source),))
    here = tree.source
    remark = source.remark or here.remark
    return tree.copied_from(source._replace(flat=source.flat or here.flat, called=here.called, remark=remark))


def layer(
    name: str, sizes: list[ast.expr], settings: list[ast.keyword], args: list[ast.expr], keywords: list[ast.keyword]
) -> tuple[str, list[ast.expr], list[ast.keyword]]:
    """Return the name, the arguments and the options of a call that replaces a PyTorch layer such as
    nn.Softmax(dim=-1)(X).
    """
    known, shown = _SETTINGS.get(name, []), shorten(ast.unparse(args[0])) if args else "..."
    if len(sizes) > len(known):
        at = sizes[len(known)].col_offset
        raise FormulaError(f"{name} takes at most {len(known)} arguments; write {LAYERS[name]}({shown})", at)
    if len(args) > (matrices := 2 if name == "CrossEntropyLoss" else 1):
        raise FormulaError(f"{name} needs one matrix, found {len(args)}", args[matrices].col_offset)
    placed = [ast.keyword(arg=parameter, value=value) for parameter, value in zip(known, sizes, strict=False)]
    for setting in (kept := [*placed, *(setting for setting in settings if setting.arg != "inplace")]):
        if setting.arg == _SHAPE and isinstance(setting.value, ast.Tuple | ast.List):
            if len(setting.value.elts) != 1:
                message = f"{name} needs the length of a row, as in {name}(3); or write {LAYERS[name]}({shown})"
                raise FormulaError(message)
            setting.value = setting.value.elts[0]
    return LAYERS[name], args, [*kept, *keywords]


# The effect of a method on the entries: no change, conversion to whole numbers, or to truth values 0 and 1.
KINDS = {
    **dict.fromkeys(("float", "double", "contiguous", "detach", "clone", "copy", "cpu", "numpy"), "same"),
    **dict.fromkeys(("int", "long"), "whole"), "bool": "truth", "astype": "",
}  # fmt: skip


def converted(a: Tree, kinds: Sequence[str], at: int) -> Tree:
    """Translate `M.astype(float)`, `M.int()` and `M.bool()`, which change the type of the entries. Raises FormulaError
    for unknown types.
    """
    method, *types = kinds
    word = types[0].strip("'\"").rpartition(".")[2] if len(types) == 1 else ""
    if types and KINDS[method]:
        raise FormulaError(f"{method}() takes no argument, found {', '.join(types)}", at)
    match KINDS[method] or kind_of_type(word):
        case "same":
            return a
        case "truth":
            return Binary("!=", a, Number("0", at), at)
        case "whole" if is_whole(a):
            return a
        case "whole":  # decimals are truncated
            return Binary("*", Call("sign", (a,), (), at), Call("floor", (Call("abs", (a,), (), at),), (), at), at)
    raise FormulaError(f"expected a number type, as in {method}(float), found {', '.join(types) or 'nothing'}", at)


def place_in_pair(values: Tree, place: Tree | Slice, at: int) -> Tree:
    """Read `max(X, dim=1)[0]` as the largest entries, and `max(X, dim=1)[1]` as their indices.

    If the call may be NumPy's, the index selects an entry of the result.
    """
    which = "" if isinstance(place, Slice) else written(place)
    is_of_indices = which in ("1", "-1")
    is_certain = bool(values.source.remark)
    if not is_of_indices and which not in ("0", "-2"):
        if is_certain:
            raise FormulaError("the result is a pair; write [0] for the values, or [1] for the indices", at)
        return Index(values, place, None, at)
    part = part_of_pair(values, is_of_indices, at)
    if is_certain:
        return part
    what, shown = "indices" if is_of_indices else "values", shorten(unparse(part), LONGEST_SHOWN)
    there = f"in PyTorch, index [{which}] selects the {what}, which are {shown}"
    remark = f"the index selects an entry, as in NumPy; {there}"
    return Index(values, place, None, at).copied_from(Source(remark=remark))


def part_of_pair(tree: Tree, indices: bool, at: int) -> Tree:
    """Return the indices or the values of PyTorch's `max(X, dim=1)`. Raises FormulaError for other formulas."""
    if tree.source.pair is None:
        raise FormulaError("after a bracket, the only attribute is .T", at)
    return tree.source.pair[indices]


def is_axis(function: str, tree: Tree, by_library: bool, listed: bool = False) -> bool:
    """Return whether the second argument is an axis, as in sum(A, 0), np.max(A, 0) and stack([q, p], 0).

    In max(A, 0), the 0 is not an axis.
    """
    if function in JOINING:
        return listed and is_number(tree)
    by_place = function in ("sum", "mean", "var", "std", *_ROWWISE) or by_library and function in REDUCED
    return by_place and is_number(tree)


def over_rows(options: Options) -> bool:
    """Return whether the axis is 0. For a list of matrices, this is the axis of the list."""
    return Number("0") in [options.get(name) for name in ("axis", "dim")]


def over_list(function: str, parts: list[Tree], at: int) -> Tree:
    """Read NumPy's `mean([A, B], axis=0)` as (A + B) / 2."""
    name = REDUCED[function]
    if name in ("max", "min"):
        return reduce(lambda a, b: Call(f"{name}imum", (a, b), (), at), parts)
    if name not in ("sum", "mean"):
        raise FormulaError(f"{name} needs one matrix, found a list of matrices; to join rows, write vstack(A, B)", at)
    total = reduce(lambda a, b: Binary("+", a, b, at), parts)
    return total if name == "sum" else Binary("/", total, Number(str(len(parts)), at), at)


def picked(a: Tree, rows: Call, ids: Tree | Slice, at: int) -> Tree:
    """Read NumPy's `P[range(n), ids]` as pick(P, ids), which selects an entry of each row."""
    if isinstance(ids, Slice) or rows.arguments[0] != Number("0"):
        raise FormulaError(
            "P[arange(n), ids] selects one entry per row, like pick(P, ids); for a slice, write P[0:2, 1]", at
        )
    return Call("pick", (a, ids), (), at).copied_from(Source(flat=True))
