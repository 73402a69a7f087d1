"""What people type from NumPy, PyTorch and Keras, put into the words of the formula language; a formula is shown in
ours.

`np.exp(S)` is exp(S), `softmax(S, dim=-1)` is softmax(S, axis="rows"), `max(0, X)` is maximum(0, X), `matmul(Q, K.T)`
is Q @ K.T, `P.sum(axis=0)` is col_sum(P).
"""

from __future__ import annotations

import ast
from functools import reduce

from ...errors import FormulaError
from ..axes import Options, is_number, option
from ..syntax_tree import Binary, Call, Number, Slice, Text, Tree
from .library_calls import ALIASES, OPERATORS, REDUCED, UNARY, Typed, translated

MODULES = frozenset({
    "np", "numpy", "torch", "math", "F", "jnp", "tf", "jax", "nn", "linalg", "functional", "keras", "ops", "special",
    "scipy", "stats",
})  # fmt: skip

# Functions that may stand behind a matrix and a point, as methods do in NumPy and PyTorch.
METHODS = frozenset({
    *REDUCED, *OPERATORS, *UNARY, *ALIASES, "abs", "argmax", "argmin", "argsort", "ceil", "clip", "cos",
    "cumprod", "cumsum", "det", "diag", "dot", "erf", "exp", "flatten", "floor", "inner", "inverse", "keep", "log",
    "masked_fill",
    "log10", "log2", "log_softmax", "logsumexp", "norm", "numel", "ravel", "relu", "repeat", "reshape", "roll",
    "round", "sigmoid", "sin", "size", "softmax", "sqrt", "t", "tanh", "tile", "trace", "transpose", "tril",
    "triu", "view",
})  # fmt: skip
# Layers of PyTorch, which get their sizes before their matrix: nn.LayerNorm(3)(X), nn.Softmax(dim=-1)(X).
LAYERS = {
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "LayerNorm": "layer_norm", "RMSNorm": "rms_norm",
    "ReLU": "relu", "GELU": "gelu", "SiLU": "silu", "Sigmoid": "sigmoid", "Tanh": "tanh", "LeakyReLU": "leaky_relu",
    "Softplus": "softplus", "CrossEntropyLoss": "cross_entropy",
}  # fmt: skip
_SETTINGS = {"Softmax": ["dim"], "LogSoftmax": ["dim"], "LayerNorm": ["", "eps"], "RMSNorm": ["", "eps"],
             "LeakyReLU": ["slope"]}  # fmt: skip
_IGNORED = ("inplace", "normalized_shape")
JOINING = {"concat", "concatenate", "cat", "hstack", "vstack", "stack", "row_stack", "column_stack"}
_ROWWISE = ("softmax", "log_softmax", "normalize", "layer_norm", "rms_norm", "logsumexp")
TORCH = ("torch", "F", "nn", "functional")
_KEPT = (("keepdims", Number("1")), ("keepdim", Number("1")))  # what our functions do anyway


def translate_call(function: str, arguments: list[Tree], options: Options, at: int, module: str = "") -> Tree:
    """A call in our words; `module` is what stood before its name, where a function means something else than ours."""
    if module in TORCH and function in ("layer_norm", "rms_norm") and len(arguments) > 1:
        arguments = _without_shape(function, arguments, at)
    elif len(arguments) == 2 and not {"axis", "dim"} & options.keys() and is_axis(function, arguments[1], module):
        *arguments, options["axis"] = arguments
    biased = not {"dim", "keepdim"} & options.keys()  # PyTorch's names, and its variance divides by n − 1
    kept = dict(option(name, value) for name, value in options.items() if (name, value) not in _KEPT)
    by_number = any(is_number(options[name]) for name in ("axis", "dim") if name in options)
    if by_number and function in _ROWWISE and kept["axis"] == Text("rows"):  # dim=-1 is what they do anyway
        del kept["axis"]
    if function in ("var", "std") and not biased:
        kept.setdefault("ddof", Number("1"))
    if module in ("special", "scipy") and function in _ROWWISE:  # of all entries unless an axis is named
        kept.setdefault("axis", Text("rows" if "axis" in options else "all"))
    typed = Typed(function, arguments, kept, at)
    return translated(_of_module(module, typed) if module else typed)


def layer(
    name: str, sizes: list[ast.expr], settings: list[ast.keyword], args: list[ast.expr], keywords: list[ast.keyword]
) -> tuple[str, list[ast.expr], list[ast.keyword]]:
    """A layer with its matrix as a call: its settings are options, and the length of a row is the matrix's."""
    known = _SETTINGS.get(name, [])
    if len(sizes) > len(known):
        at = sizes[len(known)].col_offset
        raise FormulaError(f"expected at most {len(known)} settings of {name}; write {LAYERS[name]}(A)", at)
    placed = [
        ast.keyword(arg=parameter, value=value) for parameter, value in zip(known, sizes, strict=False) if parameter
    ]
    shape = [value for parameter, value in zip(known, sizes, strict=False) if not parameter]
    shape += [setting.value for setting in settings if setting.arg == "normalized_shape"]
    if any(isinstance(size, ast.Tuple | ast.List) and len(size.elts) != 1 for size in shape):
        raise FormulaError(f"expected the length of a row, as in {name}(3); {LAYERS[name]}(A) works on each row")
    kept = [setting for setting in settings if setting.arg not in _IGNORED]
    return LAYERS[name], args, [*placed, *kept, *keywords]


def _without_shape(function: str, arguments: list[Tree], at: int) -> list[Tree]:
    """The arguments without the length of a row, which PyTorch asks for. Raises FormulaError for more than a row."""
    x, shape, *others = arguments
    if not (
        isinstance(shape, Number)
        or isinstance(shape, Call)
        and shape.function == "hstack"
        and len(shape.arguments) == 1
    ):
        raise FormulaError(
            f"expected the length of a row, as in F.{function}(A, [3]); {function}(A) works on each row", at
        )
    return [x, *others]


def _of_module(module: str, typed: Typed) -> Typed:
    """A call with what its library does where ours does something else. Raises FormulaError for F.normalize."""
    torch = module in TORCH
    match typed.function:
        case "concat":  # ours joins side by side, theirs one under the other
            return typed._replace(function="concatenate")
        case "round":  # halves go to the even number in NumPy and PyTorch
            return typed._replace(options={**typed.options, "mode": typed.options.get("mode", Text("half_even"))})
        case "normalize" if torch:
            message = 'F.normalize divides by the norm: write A / norm(A, axis="rows"); normalize(A) divides by the sum'
            raise FormulaError(message, typed.at)
        case "repeat" if module == "method" and "axis" not in typed.options:
            message = "A.repeat(2) repeats each entry in NumPy and the whole of A in PyTorch: write"
            raise FormulaError(f"{message} repeat(A, across=2) or tile(A, across=2), with down=2 for rows", typed.at)
        case "cross_entropy" if torch and typed.arguments:  # PyTorch's starts from logits
            logits, *rest = typed.arguments
            return typed._replace(arguments=[Call("softmax", (logits,), (), typed.at), *rest])
        case "gelu" if module in ("jax", "ops") and "form" not in typed.options:
            return typed._replace(options={**typed.options, "form": Text("tanh")})
        case "leaky_relu" if module in ("tf", "ops") and len(typed.arguments) == 1 and not typed.options:
            return typed._replace(arguments=[*typed.arguments, Number("0.2")])
        case "var" | "std" if torch:
            return typed._replace(options={**typed.options, "ddof": typed.options.get("ddof", Number("1"))})
    return typed


def is_axis(function: str, tree: Tree, module: str, listed: bool = False) -> bool:
    """Return whether a second argument is an axis, as in sum(A, 0), np.max(A, 0) and stack([q, p], 0); max(A, 0) is a
    maximum.
    """
    if function in JOINING:
        return listed and is_number(tree)
    by_place = function in ("sum", "mean", "var", "std", *_ROWWISE) or bool(module) and function in REDUCED
    return by_place and is_number(tree)


def over_rows(options: Options) -> bool:
    """Return whether NumPy's first axis is meant, which of a list of matrices is the list itself."""
    return Number("0") in [options.get(name) for name in ("axis", "dim")]


def over_list(function: str, parts: list[Tree], at: int) -> Tree:
    """NumPy's `mean([A, B], axis=0)`, which works entry by entry: (A + B) / 2."""
    name = REDUCED[function]
    if name in ("max", "min"):
        return reduce(lambda a, b: Call(f"{name}imum", (a, b), (), at), parts)
    if name not in ("sum", "mean"):
        raise FormulaError(f"expected {name} of one matrix, found a list of them; vstack joins rows", at)
    total = reduce(lambda a, b: Binary("+", a, b, at), parts)
    return total if name == "sum" else Binary("/", total, Number(str(len(parts)), at), at)


def picked(a: Tree, rows: Call, ids: Tree | Slice, at: int) -> Tree:
    """NumPy's `P[range(n), ids]`, an entry of each row, as pick(P, ids)."""
    if isinstance(ids, Slice) or rows.arguments[0] != Number("0"):
        raise FormulaError(
            "P[arange(n), ids] takes an entry of each row, as pick(P, ids) does; a slice is P[0:2, 1]", at
        )
    return Call("pick", (a, ids), (), at)
