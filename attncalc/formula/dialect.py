"""What people type from NumPy, PyTorch and Keras, put into the words of the formula language; a formula is shown in
ours.

`np.exp(S)` is exp(S), `softmax(S, dim=-1)` is softmax(S, axis="rows"), `max(0, X)` is maximum(0, X), `matmul(Q, K.T)`
is Q @ K.T, `P.sum(axis=0)` is col_sum(P).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce

from ..errors import FormulaError
from .tree import Binary, Call, Name, Negate, Number, Slice, Text, Transpose, Tree

Options = dict[str, Tree]

MODULES = frozenset({
    "np", "numpy", "torch", "math", "F", "jnp", "tf", "jax", "nn", "linalg", "functional", "keras", "ops", "special",
    "scipy", "stats",
})  # fmt: skip

# Other names of functions, by which the field knows them; a formula that uses one is shown with ours.
ALIASES = {
    "masked_fill": "keep", "apply_rotary": "turn", "gather": "pick", "eye": "identity", "inv": "inverse",
    "clamp": "clip", "len": "rows", "range": "arange", "fabs": "abs", "embedding": "lookup", "σ": "sigmoid",
    "swish": "silu", "ReLU": "relu", "GELU": "gelu", "SiLU": "silu", "LayerNorm": "layer_norm", "RMSNorm": "rms_norm",
    "rowsum": "row_sum", "rowsums": "row_sum", "rowSums": "row_sum", "colsum": "col_sum", "colSums": "col_sum",
    "rowmax": "row_max", "colmax": "col_max", "rowmean": "row_mean", "rowMeans": "row_mean", "colMeans": "col_mean",
}  # fmt: skip
_OPTIONS = {"dim": "axis", "ord": "p", "unbiased": "ddof", "correction": "ddof", "approximate": "form",
            "epsilon": "eps", "decimals": "digits", "diagonal": "k"}  # fmt: skip
_AXES = {"1": "rows", "-1": "rows", "0": "columns", "-2": "columns", "none": "all"}
# Of these an axis makes a function of each row or of each column: sum(A, axis="rows") is row_sum(A).
REDUCED = {"sum": "sum", "max": "max", "amax": "max", "min": "min", "amin": "min", "mean": "mean", "average": "mean",
    "var": "var", "std": "std"}  # fmt: skip
_PREFIXES = {"rows": "row_", "columns": "col_", "all": ""}
_OPERATORS = {"matmul": "@", "mm": "@", "bmm": "@", "add": "+", "subtract": "-", "sub": "-", "multiply": "*",
              "mul": "*", "divide": "/", "div": "/", "true_divide": "/", "power": "**", "pow": "**", "greater": ">",
              "less": "<", "equal": "==", "greater_equal": ">=", "less_equal": "<=", "not_equal": "!="}  # fmt: skip
_UNARY: dict[str, Callable[[Tree], Tree]] = {
    "transpose": Transpose,
    "negative": Negate,
    "square": lambda a: Binary("**", a, Number("2")),
    "rsqrt": lambda a: Binary("/", Number("1"), Call("sqrt", (a,))),
    "reciprocal": lambda a: Binary("/", Number("1"), a),
    "log1p": lambda a: Call("log", (Binary("+", Number("1"), a),)),
    "expm1": lambda a: Binary("-", Call("exp", (a,)), Number("1")),
    "logical_not": lambda a: Binary("==", a, Number("0")),
}
# Functions that may stand behind a matrix and a point, as methods do in NumPy and PyTorch.
METHODS = frozenset({
    *REDUCED, *_OPERATORS, *_UNARY, *ALIASES, "abs", "argmax", "ceil", "clip", "cos", "cumsum", "diag", "dot", "erf",
    "exp", "flatten", "floor", "keep", "log", "log10", "log2", "log_softmax", "logsumexp", "norm", "numel",
    "ravel", "relu", "reshape", "round", "sigmoid", "sin", "size", "softmax", "sqrt", "t", "tanh", "trace", "transpose",
    "tril", "triu", "view",
})  # fmt: skip
_WRAPPED = {"array", "asarray", "tensor", "Tensor", "as_tensor", "FloatTensor"}  # around a matrix that is written out
JOINING = {"concat", "concatenate", "cat", "hstack", "vstack", "stack", "row_stack", "column_stack"}
_SIDES = {"columns": "vstack", "rows": "hstack"}
_BY_ROWS = {"argmax": "argmax_rows", "cumsum": "cumsum_rows"}
_ROWWISE = ("softmax", "log_softmax", "normalize", "layer_norm", "rms_norm", "logsumexp")
_INFINITE = ("inf", "infinity", "Inf")
_KEPT = (("keepdims", Number("1")), ("keepdim", Number("1")))  # what our functions do anyway


def call(function: str, arguments: list[Tree], options: Options, at: int, module: str = "") -> Tree:
    """A call in our words; `module` is what stood before its name, where a function means something else than ours."""
    if len(arguments) == 2 and not {"axis", "dim"} & options.keys() and is_axis(function, arguments[1], module):
        options["axis"] = arguments.pop()
    counted = [name for name in ("axis", "dim") if name in options and not isinstance(options[name], Text | Name)]
    options = dict(_option(name, value) for name, value in options.items() if (name, value) not in _KEPT)
    if counted and function in _ROWWISE and options["axis"] == Text("rows"):  # dim=-1 is what they do anyway
        del options["axis"]
    if module and function == "concat":  # ours joins side by side, theirs one under the other
        function = "concatenate"
    if module in ("torch", "F", "nn", "functional"):
        if function == "normalize":
            raise FormulaError(
                'F.normalize divides by the norm: write A / norm(A, axis="rows"); normalize(A) divides by the sum', at
            )
        if function == "cross_entropy" and arguments:  # PyTorch's starts from logits
            arguments = [Call("softmax", (arguments[0],), (), at), *arguments[1:]]
        if function in ("var", "std") and "ddof" not in options:
            options["ddof"] = Number("1")
    if module and function == "round" and "mode" not in options:  # halves go to the even number in NumPy and PyTorch
        options["mode"] = Text("half_even")
    return _translated(function, arguments, options, at)


def _translated(function: str, arguments: list[Tree], options: Options, at: int) -> Tree:
    if function in _OPERATORS and len(arguments) == 2 and not options:
        return Binary(_OPERATORS[function], arguments[0], arguments[1], at)
    if function in ("concat", "concatenate", "cat"):
        return _joined(function, arguments, options, at)
    if function in ("max", "min") and len(arguments) > 1 and not options:
        name = f"{function}imum"
        return reduce(lambda a, b: Call(name, (a, b), (), at), arguments)
    if function in REDUCED:
        return _reduced(REDUCED[function], arguments, options, at)
    if function == "log_softmax":
        return Call("log", (Call("softmax", tuple(arguments), tuple(options.items()), at),), (), at)
    if function in _UNARY and len(arguments) == 1 and not options:
        return _UNARY[function](arguments[0])
    if function in ("t", "transpose") and all(_is_axis(one) for one in arguments[1:]):
        return Transpose(arguments[0], at)
    if function in ("reshape", "view", "flatten", "ravel"):
        return _flattened(function, arguments, at)
    if (
        function == "float"
        and len(arguments) == 1
        and isinstance(word := arguments[0], Text)
        and word.value.lstrip("+-") in _INFINITE
    ):
        return Negate(Name("inf", at), at) if word.value.startswith("-") else Name("inf", at)
    if function == "round" and len(arguments) == 1 and not {"digits", "decimals"} & options.keys():
        arguments = [*arguments, Number("0", at)]
    if function in _BY_ROWS and "axis" in options and len(arguments) == 1:
        turned = _axis(options, "rows") == "columns"
        found = Call(_BY_ROWS[function], (Transpose(arguments[0]) if turned else arguments[0],), (), at)
        return Transpose(found) if turned else found
    if function in ("arange", "range") and len(arguments) == 1:
        arguments = [Number("0", at), *arguments]
    if function in ("zeros", "ones") and len(arguments) == 1 and not options:  # a flat list, which is a row here
        arguments = [Number("1", at), *arguments]
    if function in ("zeros_like", "ones_like") and len(arguments) == 1 and not options:
        return Call(function[:-5], (Call("rows", (arguments[0],)), Call("cols", (arguments[0],))), (), at)
    if function in _WRAPPED and len(arguments) == 1:
        return arguments[0]
    if function in ("size", "numel"):
        return _size(arguments, options, at)
    if function == "matrix_power":
        return _power(arguments, at)
    if (
        function == "masked_fill"
        and len(arguments) == 3
        and isinstance(mask := arguments[1], Binary)
        and mask.operator == "=="
    ):
        # PyTorch fills where the comparison holds; `keep` keeps where it does.
        return Call("keep", (arguments[0], Binary("!=", mask.left, mask.right, mask.at)), (("fill", arguments[2]),), at)
    if function in ("clip", "clamp"):
        options = {
            {"min": "low", "max": "high", "a_min": "low", "a_max": "high"}.get(name, name): value
            for name, value in options.items()
        }
    if function == "stack" and options:
        if options != {"axis": Text("columns")}:
            raise FormulaError(
                "stack: axis=0 puts rows one under the other; hstack(q.T, p.T) makes columns of them", at
            )
        options = {}
    if function == "einsum":
        return _einsum(arguments, at)
    if function == "topk":
        raise FormulaError(
            "top_k(A, k) marks the k largest of a row with 1; keep(A, top_k(A, k)) keeps them, -inf for the others", at
        )
    if function in ("stack", "row_stack", "column_stack") and not options:
        return Call("hstack" if function == "column_stack" else "vstack", tuple(_unpacked(arguments)), (), at)
    return Call(ALIASES.get(function, function), tuple(arguments), tuple(options.items()), at)


def _option(name: str, value: Tree) -> tuple[str, Tree]:
    """An option with our name and our word for an axis."""
    name = _OPTIONS.get(name, name)
    if name == "axis":
        text = value.name if isinstance(value, Name) else value.text if isinstance(value, Number) else ""
        text = f"-{value.operand.text}" if isinstance(value, Negate) and isinstance(value.operand, Number) else text
        value = Text(_AXES[text], value.at) if text in _AXES else value
    return name, value


def is_axis(function: str, tree: Tree, module: str, listed: bool = False) -> bool:
    """Whether a second argument is an axis, as in sum(A, 0), np.max(A, 0) and stack([q, p], 0); max(A, 0) is a
    maximum.
    """
    if function in JOINING:
        return listed and _is_axis(tree)
    by_place = function in ("sum", "mean", "var", "std", *_ROWWISE) or bool(module) and function in REDUCED
    return by_place and _is_axis(tree)


def _is_axis(tree: Tree) -> bool:
    return _option("axis", tree)[1] != tree and not isinstance(tree, Name)


def _flattened(function: str, arguments: list[Tree], at: int) -> Tree:
    """All entries in a row, or in a column for `reshape(-1, 1)`; other shapes are none that attention needs."""
    shape = [f"-{one.operand.text}" if isinstance(one, Negate) and isinstance(one.operand, Number) else getattr(one,
             "text", "")
             for one in arguments[1:]]  # fmt: skip
    if not arguments or shape not in ([], ["-1"], ["1", "-1"], ["-1", "1"]):
        raise FormulaError(f"{function}: reshape(1, -1) makes a row of all entries, reshape(-1, 1) a column; a flat "
                           "list is a row here, and .T "
                           "stands it upright", at)  # fmt: skip
    flat = Call("flat", (arguments[0],), (), at)
    return Transpose(flat, at) if shape == ["-1", "1"] else flat


def _axis(options: Options, default: str) -> str:
    value = options.get("axis")
    word = (
        value.value
        if isinstance(value, Text)
        else value.name
        if isinstance(value, Name)
        else default
        if value is None
        else ""
    )
    if value is not None and word not in _PREFIXES:
        raise FormulaError('axis is "rows", "columns" or "all" (-1, 0 or None in NumPy)', value.at)
    return word


def _reduced(function: str, arguments: list[Tree], options: Options, at: int) -> Tree:
    axis = _axis(options, "all")
    others = tuple((name, value) for name, value in options.items() if name != "axis")
    return Call(_PREFIXES[axis] + function, tuple(arguments), others, at)


def over_rows(options: Options) -> bool:
    """Whether NumPy's first axis is meant, which of a list of matrices is the list itself."""
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


def side(a: Tree, axis: Tree, at: int) -> Tree:
    """`K.shape[-1]` as cols(K), `K.shape[0]` as rows(K)."""
    word = _option("axis", axis)[1]
    if word not in (Text("rows"), Text("columns")):
        raise FormulaError("a shape has two sides: rows(A) is A.shape[0], cols(A) is A.shape[1] or A.shape[-1]", at)
    return Call("rows" if word == Text("columns") else "cols", (a,), (), at)


def picked(a: Tree, rows: Call, ids: Tree | Slice, at: int) -> Tree:
    """NumPy's `P[range(n), ids]`, an entry of each row, as pick(P, ids)."""
    if isinstance(ids, Slice) or rows.arguments[0] != Number("0"):
        raise FormulaError(
            "P[arange(n), ids] takes an entry of each row, as pick(P, ids) does; a slice is P[0:2, 1]", at
        )
    return Call("pick", (a, ids), (), at)


def _size(arguments: list[Tree], options: Options, at: int) -> Tree:
    """How many entries a matrix has, or one of its sides, as in K.size(-1)."""
    axes = [*arguments[1:], *options.values()]
    if axes:
        return side(arguments[0], axes[0], at)
    return Binary("*", Call("rows", (arguments[0],)), Call("cols", (arguments[0],)), at)


def _power(arguments: list[Tree], at: int) -> Tree:
    """A matrix times itself, written out; power −1 is its inverse."""
    match arguments:
        case [a, Number(power)] if power in {*"123456789"}:
            return reduce(lambda product, base: Binary("@", product, base, at), [a] * int(power))
        case [a, Negate(Number("1"))]:
            return Call("inverse", (a,), (), at)
    raise FormulaError("matrix_power takes a matrix and a whole number from 1 to 9, or -1", at)


def _einsum(arguments: list[Tree], at: int) -> Tree:
    """`einsum("id,jd->ij", Q, K)` as Q @ K.T: two matrices that share an index, which is summed over, or one that is
    turned.
    """
    match arguments:
        case [Text(indices), *matrices]:
            match re.sub(r"\s", "", indices).split("->"):
                case [before, after] if len(before.split(",")) == len(matrices):
                    if (found := _contracted(before.split(","), matrices, after, at)) is not None:
                        return found
    raise FormulaError('einsum: expected two matrices that share an index, as in einsum("id,jd->ij", Q, K), or one', at)


def _contracted(indices: list[str], matrices: list[Tree], after: str, at: int) -> Tree | None:
    """The product in which the first matrix has the rows of the result, None where it is none of two matrices."""
    if [*map(len, indices), len(after)] != [2] * (len(indices) + 1) or after[0] == after[1]:
        return None
    match indices, matrices:
        case [[one], [a]] if sorted(one) == sorted(after):
            return a if one == after else Transpose(a, at)
        case [[one, other], [a, b]] if len(shared := set(one) & set(other) - set(after)) == 1:
            if after[0] in other:
                one, other, a, b = other, one, b, a
            k = shared.pop()
            if {after[0], k} == set(one) and {after[1], k} == set(other):
                left, right = a if one[1] == k else Transpose(a), b if other[0] == k else Transpose(b)
                return Binary("@", left, right, at)
    return None


def _joined(function: str, arguments: list[Tree], options: Options, at: int) -> Tree:
    """`concat` joins side by side, as heads are; the functions of libraries join the other way unless an
    axis says so.
    """
    parts = _unpacked(arguments)
    if function != "concat" and "axis" not in options:
        raise FormulaError(
            f"{function} joins along an axis: write hstack(A, B) side by side, or vstack(A, B) one under the other", at
        )
    axis = _axis(options, "rows")
    if axis not in _SIDES or set(options) - {"axis"}:
        raise FormulaError(f"{function}: axis=1 joins side by side, axis=0 one under the other", at)
    return Call(_SIDES[axis], tuple(parts), (), at)


def _unpacked(arguments: list[Tree]) -> list[Tree]:
    """The parts of a list of matrices, which stands where they may stand by themselves."""
    if len(arguments) == 1 and isinstance(inside := arguments[0], Call) and inside.function == "hstack":
        return list(inside.arguments)
    return arguments
