"""The signatures of library functions that people copy into formulas: NumPy, PyTorch, JAX, TensorFlow, Keras and SciPy.

A row of a library's table translates a call. An argument that is not in the row causes an error. A row contains names
of functions, their parameters in order, and the function of the formula language if its name differs:

    a          required
    a=         optional
    a:=V       optional, V by default
    a~V|W      optional, but only the values V and W are accepted. Without V: only `none`.
               `*` accepts any value (the option changes no number), `float` accepts floating-point types
    *a         any number of arguments
    a>b        has the name b in the formula language

A text after `!` is an error message instead of a function. Its formulas give the same numbers as each call that fits
the row. The first row that fits is used. A name such as `linalg.norm` is valid only with this module before the
function.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ...errors import FormulaError, did_you_mean, meant, shorten
from ..syntax_tree import Call, Name, Negate, Number, Text, Tree, is_whole, unparse
from .library_calls import OURS, Options, is_axis, option, written

_UNARY = """
exp log log2 log10 log1p expm1 sqrt square sin cos tanh abs(x, out~)
fabs floor ceil sign negative logical_not reciprocal(x, out~)
absolute(x, out~) -> abs
"""
_BINARY = """
maximum minimum matmul add subtract multiply divide true_divide power mod remainder floor_divide(x1, x2, out~)
greater less equal greater_equal less_equal not_equal(x1, x2, out~)
"""
_SHAPES = """
vstack hstack column_stack row_stack(*arrays)
zeros ones full(*shape, dtype~*, device~*, requires_grad~*, order~*)
zeros_like ones_like(a, dtype~*)
arange(*bounds, dtype~*, device~*)
array asarray tensor as_tensor Tensor FloatTensor(data, dtype~float, device~*, requires_grad~*)
einsum(*operands, optimize~*)
reshape view(a, *shape, order~C)
tile(a, *reps)
det inv inverse(a)
where(condition, x, y)
dot inner outer(a, b, out~)
matrix_power(a, n)
"""
_NUMPY = (
    """
sum prod(a, axis=, dtype~float, out~, keepdims=, initial~, where~)
mean(a, axis=, dtype~float, out~, keepdims=, where~)
average(a, axis=, weights~, returned~, keepdims=)
var std(a, axis=, dtype~float, out~, ddof=, keepdims=, where~, mean~)
var std(a, axis=, dtype~float, out~, correction=, keepdims=)
max min amax amin(a, axis=, out~, keepdims=, initial~, where~)
any all(a, axis=, out~, keepdims=, where~)
argmax argmin(a, axis=, out~, keepdims=)
cumsum cumprod(a, axis=, dtype~float, out~)
argsort(a, axis:=-1, kind~*, order~, stable~*, descending=)
np.sort numpy.sort jnp.sort(a, axis:=-1, kind~*, order~, stable~*)
repeat(a, repeats, axis=)
roll(a, shift, axis=)
round(a, decimals=, out~)
clip(a, a_min>low=, a_max>high=, out~, min>low=, max>high=)
transpose(a, *axes) -> permute
array_equal(a1, a2)
ravel flatten(a, order~C)
eye(N, M~, k~0, dtype~*)
identity(n, dtype~*)
concatenate concat(*arrays, axis:=0, out~, dtype~float)
stack(*arrays, axis=, out~, dtype~float)
tril triu(m, k=)
diag(v, k~0)
trace(a, offset~0)
size(a, axis=)
norm(x, ord>ord=, axis=, keepdims=)
solve(a, b)
"""
    + _UNARY
    + _BINARY
    + _SHAPES
)
_TORCH = (
    """
sum mean prod logsumexp amax amin any all(input, dim=, keepdim=, dtype~float, out~)
max min(input, dim, keepdim=) -> pair
max min(input)
max min(input, other)
var std(input, dim=, unbiased:=1, keepdim=, out~)
var std(input, dim=, correction=, keepdim=, out~)
var std(input, unbiased)
argmax argmin(input, dim=, keepdim=)
cumsum cumprod(input, dim, dtype~float, out~)
argsort(input, dim:=-1, descending=, stable~*)
topk(*any, k=, dim=, largest=, sorted=)
sort(input, dim~-1|1, descending~0, stable~*) -> ! for each row, write -sort_rows(-{0}) or argsort_rows({0})
sort(input, dim~-1|1, descending~1, stable~*) -> ! for each row, write sort_rows({0}) or argsort_rows(-{x})
sort(*any, dim=, descending=, stable=) -> ! sort returns a pair, and this axis is not supported
gt lt ge le eq ne(input, other)
softmax log_softmax(input, dim:=-1, _stacklevel~*, dtype~float)
relu silu(input, inplace~*)
sigmoid erf rsqrt det inverse(input, out~)
gelu(input, approximate=)
leaky_relu(input, negative_slope>slope=, inplace~*)
elu(input, alpha~1|1.0, inplace~*)
softplus(input, beta~1|1.0, threshold~*)
layer.layer_norm(input, normalized_shape=, eps=, elementwise_affine~*, bias~*)
layer.rms_norm(input, normalized_shape=, eps=, elementwise_affine~*)
layer_norm(input, normalized_shape, weight>gamma=, bias>beta=, eps=)
rms_norm(input, normalized_shape, weight>gamma=, eps=)
cross_entropy(input, target, weight~, size_average~, ignore_index~-100, reduce~, reduction~mean, label_smoothing~0|0.0)
cross_entropy(input, target, weight~, ignore_index~-100, reduction~sum, label_smoothing~0|0.0) -> picked_sum
nll_loss(input, target, weight~, size_average~, ignore_index~-100, reduce~, reduction~mean) -> picked_mean
nll_loss(input, target, weight~, ignore_index~-100, reduction~sum) -> picked_sum
one_hot(tensor, num_classes)
embedding(input, weight) -> lookup(weight, input)
gather(input, dim~1|-1, index, sparse_grad~*) -> ! to select one entry per row, write pick({0}, {2})
normalize(input, p~2|2.0, dim~1|-1, eps~*) -> ! for each row, write {x} / norm({0}, axis="rows")
normalize(input, p~1|1.0, dim~1|-1, eps~*) -> ! for each row, write {x} / row_sum(abs({0}))
clamp clip(input, min>low=, max>high=)
where(condition, input, other)
xlogy(input, other)
masked_fill(input, mask, value)
tril triu(input, diagonal>k=)
diag(input, diagonal~0)
trace t numel ravel(input)
solve(A, B, left~1)
mm bmm(input, mat2)
add subtract sub(input, other, alpha~1)
mul(input, other)
equal(input, other) -> array_equal
div divide(input, other, rounding_mode~)
pow(self, exponent)
norm(input, p=, dim=, keepdim=)
linalg.norm(A, ord>ord=, dim=, keepdim=)
vector_norm(x, ord=, dim=, keepdim=) -> norm
round(input, decimals=)
repeat_interleave(input, repeats, dim=)
repeat(input, *sizes) -> tile
roll(input, shifts, dims=)
flatten(input, start_dim~0, end_dim~-1|1)
transpose(input, dim0, dim1)
permute(input, *dims)
cat concat concatenate(*tensors, dim:=0)
stack(*tensors, dim=)
eye(n, m~, dtype~*, device~*)
size(input, dim=)
"""
    + _UNARY
    + _BINARY
    + _SHAPES
)
_JAX = (
    """
softmax log_softmax(x, axis:=-1, where~, initial~)
logsumexp(a, axis:=none, b~, keepdims=, return_sign~0, where~)
relu sigmoid silu swish softplus(x)
gelu(x, approximate:=1)
leaky_relu(x, negative_slope>slope=)
elu(x, alpha~1|1.0)
one_hot(x, num_classes, dtype~*, axis~-1)
"""
    + _NUMPY
)
_KERAS = """
activations.gelu(x, approximate:=0)
softmax log_softmax(x, axis:=-1)
logsumexp(x, axis:=none, keepdims=)
leaky_relu(x, negative_slope>slope:=0.2)
concatenate(*xs, axis:=-1)
normalize(x, axis~-1|1, order~2, epsilon~*) -> ! normalize divides by the norm here; write {x} / norm({0}, axis="rows")
sum mean max min amax amin prod any all var std argmax argmin(x, axis=, keepdims=)
top_k(*any, k=, sorted=) -> topk
erf rsqrt(x)
""" + _JAX.replace("leaky_relu(x, negative_slope>slope=)", "")
_TF = (
    """
reduce_sum(input_tensor, axis=, keepdims=, name~*) -> sum
reduce_mean(input_tensor, axis=, keepdims=, name~*) -> mean
reduce_max(input_tensor, axis=, keepdims=, name~*) -> max
reduce_min(input_tensor, axis=, keepdims=, name~*) -> min
reduce_prod(input_tensor, axis=, keepdims=, name~*) -> prod
reduce_variance(input_tensor, axis=, keepdims=, name~*) -> var
reduce_std(input_tensor, axis=, keepdims=, name~*) -> std
reduce_logsumexp(input_tensor, axis:=none, keepdims=, name~*) -> logsumexp
argmax argmin(input, axis:=0, output_type~*, name~*)
cumsum cumprod(x, axis:=0, exclusive~0, reverse~0, name~*)
argsort(values, axis:=-1, direction~ASCENDING, stable~*, name~*)
softmax log_softmax(logits, axis:=-1, name~*)
relu sigmoid erf rsqrt softplus elu(features, name~*)
silu swish(features, beta~1|1.0)
gelu(features, approximate:=0, name~*)
leaky_relu(features, alpha>slope:=0.2, name~*)
top_k(*any, k=, sorted=, name=) -> topk
normalize(tensor, ord~euclidean|2, axis~none, name~*) -> ! for all entries, write {x} / norm({0})
gather(params, indices, validate_indices~, axis~0|none, batch_dims~0, name~*) -> lookup
one_hot(indices, depth, on_value~1, off_value~0, axis~-1, dtype~*, name~*)
matmul(a, b, transpose_a~0, transpose_b~0, adjoint_a~0, adjoint_b~0)
pow(x, y, name~*)
norm(tensor, ord~euclidean|fro, axis=, keepdims=, name~*)
transpose(a)
concat stack(*values, axis:=0, name~*)
range(*bounds, dtype~*, name~*)
round trace identity(x, name~*)
clip_by_value(t, clip_value_min>low=, clip_value_max>high=, name~*) -> clip
reshape(tensor, *shape)
roll(input, shift, axis=, name~*)
repeat(input, repeats, axis=, name~*)
eye(num_rows, num_columns~, dtype~*)
constant(value, dtype~float) -> array
solve(matrix, rhs)
diag(diagonal, k~0)
size(input)
"""
    + _UNARY
    + _BINARY
    + _SHAPES
)
_SCIPY = """
softmax log_softmax(x, axis:=none)
logsumexp(a, axis:=none, b~, keepdims=, return_sign~0)
xlogy(x, y)
expit(x) -> sigmoid
erf log1p expm1 softplus(x)
entropy(pk, qk~, base=, axis:=0, nan_policy~*, keepdims=) -> entropy_of_shares
norm(a, ord>ord=, axis=, keepdims=)
inv det(a)
solve(a, b)
"""
_MATH = """
exp sqrt sin cos tanh erf fabs floor ceil log log2 log10 log1p expm1(x)
pow(x, y)
"""
TABLES = {
    "NumPy": _NUMPY, "PyTorch": _TORCH, "JAX": _JAX, "Keras": _KERAS, "TensorFlow": _TF, "SciPy": _SCIPY,
    "math": _MATH,
}  # fmt: skip
_FLAGS = frozenset({"keepdims", "keepdim"})
_AXES = frozenset({"axis", "dim", "dims"})
_SYNONYMS = {"axis": "dim", "keepdims": "keepdim"}  # NumPy's names, which PyTorch also accepts
_FLOATS = frozenset({"float", "double", "none"})
_WHOLES = frozenset({"int", "uint", "long", "short"})
_FORMS = {"1": "tanh", "tanh": "tanh", "0": "erf", "none": "erf"}
_REDUCING = frozenset({
    "sum", "prod", "mean", "average", "var", "std", "max", "min", "amax", "amin", "any", "all", "argmax", "argmin",
    "norm", "logsumexp", "entropy_of_shares", "pair",
})  # fmt: skip


class Parameter(NamedTuple):
    """A parameter of a library's function. `ours` is its name in the formula language."""

    name: str
    ours: str
    needed: bool
    default: str = ""  # the library's default, if the formula language has a different one
    inert: tuple[str, ...] = ()  # accepted values that have no effect
    many: bool = False


class Row(NamedTuple):
    """A signature: the parameters, the function of the formula language, and the order of its matrices. If no function
    of the formula language fits, `refusal` is an error message.
    """

    parameters: tuple[Parameter, ...]
    function: str
    order: tuple[str, ...]
    refusal: str


class Bound(NamedTuple):
    """A translated call: the function of the formula language, its matrices and options, and the axis."""

    name: str
    function: str
    arguments: list[Tree]
    options: Options
    axis: str
    flat: bool
    width: Tree | None  # the length of a matrix row, which the author wrote


@lru_cache(maxsize=8)
def table(library: str) -> dict[str, list[Row]]:
    """Return the rows of a library's table, by the names of its functions."""
    rows: dict[str, list[Row]] = {}
    for line in filter(None, TABLES[library].splitlines()):
        signature, _, target = line.partition(" -> ")
        names, _, inside = signature.partition("(")
        parameters = tuple(_parameter(text) for text in inside.rstrip(")").split(", "))
        refusal = target.removeprefix("! ") if target.startswith("!") else ""
        function, _, order = target.partition("(") if not refusal else ("", "", "")
        for name in names.split():
            chosen = function or name.rpartition(".")[2]
            row = Row(parameters, chosen, tuple(order.rstrip(")").split(", ")) if order else (), refusal)
            rows.setdefault(name, []).append(row)
    return rows


def _parameter(text: str) -> Parameter:
    name, inert, values = text.partition("~")
    if inert:
        return Parameter(name, name, False, inert=tuple((values or "none").split("|")))
    name, optional, default = text.partition("=")
    name, _, ours = name.rstrip(":").partition(">")
    return Parameter(name.lstrip("*"), ours or OURS.get(name, name), not optional, default, many=name.startswith("*"))


def bound(name: str, row: Row, arguments: list[Tree], options: Options, library: str, at: int) -> Bound:
    """Assign the arguments of a call to the parameters of a row. Raises FormulaError for an argument without a
    parameter, and for a missing argument.
    """
    signature = f"{library}'s {name}({', '.join('*' * p.many + p.name for p in row.parameters)})"
    given: list[tuple[Parameter, Tree]] = []
    places = list(row.parameters)
    for argument in arguments:
        if not places:
            raise FormulaError(f"{signature} has no place for {_shown(argument)}", argument.at)
        given.append((places[0], argument))
        places = places if places[0].many else places[1:]
    by_name = {p.name: p for p in row.parameters if not p.many}
    for key, value in options.items():
        known = key if key in by_name else _SYNONYMS.get(key, key)
        if known not in by_name or any(known == p.name for p, _ in given):
            message = f"{name} has no option {shorten(key)} in {library}"
            near = meant(ours) if (ours := OURS.get(key)) in by_name else did_you_mean(key, [*by_name])
            raise FormulaError(message, value.at, proposal=near)
        given.append((by_name[known], value))
    return _normal(name, signature, row, given, at)


def _normal(name: str, signature: str, row: Row, given: list[tuple[Parameter, Tree]], at: int) -> Bound:
    """Return the call with the names of the formula language, and with the library's default values."""
    matrices: dict[str, list[Tree]] = {}
    options: Options = {}
    keeps, number, width = False, "", None
    left = [(p, _value(p.default, at)) for p in row.parameters if p.default and not any(p is q for q, _ in given)]
    for p, value in [*given, *((p, value) for p, value in left if p.ours not in {q.ours for q, _ in given})]:
        word = _word(value)
        if p.inert:
            if not _is_inert(p.inert, word, [part for parts in matrices.values() for part in parts]):
                raise FormulaError(f"{signature}: {p.name}={_shown(value)} is not supported here", value.at)
        elif p.name in _FLAGS:
            keeps = word == "1"
        elif p.name == "normalized_shape":
            width = _width(signature, value)
        elif p.name in _AXES and not p.many:
            if not is_axis(value):
                raise FormulaError('axis is "rows", "columns" or "all" (-1, 0 or None in NumPy)', value.at)
            number = written(value)
            options["axis"] = option("axis", value)[1]
        elif p.name == "unbiased":
            if not value.source.truth and p.default != word:
                raise FormulaError(f"{signature}: unbiased is True or False", value.at)
            options[p.ours] = value
        elif p.name == "approximate":
            options |= {"form": Text(_FORMS.get(word, word), value.at)} if _FORMS.get(word) != "erf" else {}
        elif p.needed:
            matrices.setdefault(p.name, []).append(value)
        elif word != "none":
            options[p.ours] = value
    for p in row.parameters:
        if p.needed and not p.many and not any(p is q for q, _ in given):
            raise FormulaError(f"{signature} needs {p.name}", at)
    names = row.order or matrices
    flat = row.function in _REDUCING and not keeps
    return Bound(
        name, row.function, [value for name in names for value in matrices[name]], options, number, flat, width
    )


def _is_inert(values: tuple[str, ...], word: str, matrices: list[Tree]) -> bool:
    """Return whether this value of an option changes no number. A conversion to integers changes no number if all
    entries are whole numbers.
    """
    if values == ("*",):
        return True
    if values == ("float",):
        kind = kind_of_type(word)
        return kind == "same" or kind == "whole" and all(map(is_whole, matrices))
    return word in values


def kind_of_type(word: str) -> str:
    """Return the effect of a type on entries: "same", "whole" or "truth"; an empty string for an unknown type."""
    plain = word.rstrip("0123456789_")
    return "same" if plain in _FLOATS else "whole" if plain in _WHOLES else "truth" if plain == "bool" else ""


def _width(signature: str, shape: Tree) -> Tree:
    """Return the length of a row from a shape such as [3]. Raises FormulaError for a shape with several numbers."""
    match shape:
        case Call("hstack", (width,)):
            return width
        case Call("hstack"):
            raise FormulaError(f"{signature}: expected the length of a row, as in [3]", shape.at)
    return shape


def _word(value: Tree) -> str:
    """Return the text of a number or a quoted text, or a name without its library."""
    match value:
        case Text(word):
            return word
        case Name(name):
            return name.rpartition(".")[2]
    return written(value)


def _shown(value: Tree) -> str:
    return shorten(unparse(value))


def _value(text: str, at: int) -> Tree:
    if text.startswith("-"):
        return Negate(Number(text[1:], at), at)
    return Name(text, at) if text.isalpha() else Number(text, at)
