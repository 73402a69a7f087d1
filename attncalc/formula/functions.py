"""The functions of the formula language, with their parameters and their meanings.

A function is an operation (see `operations.py`), or has a defining formula. A new function with a defining formula
needs one line in this file. It then works in every arithmetic and in every output format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import NamedTuple

from ..errors import FormulaError, counted, shorten
from ..rounding_modes import MODES
from . import operations as op
from . import shape_rules as do
from .derived_functions import OPERATORS, SHORTHANDS, is_e, lookup_of_matrix
from .typed_formula import Node


def causal(strict: bool) -> Callable[..., Node]:
    """Return a function that makes an n × m causal mask of 0 and 1.

    Query i may attend to the keys j ≤ i + offset, or to the keys j < i if `strict` is True.
    """

    def build(n: int, m: int, offset: int = 0, at: int = 0) -> Node:
        return do.grid(n, m, lambda i, j: j < i if strict else j <= i + offset, at)

    return build


def band(n: int, m: int, left: int, right: int | None, at: int = 0) -> Node:
    """Return an n × m mask with 1 where a key is at most `left` positions before the query, or `right` positions after
    it.
    """
    to_right = left if right is None else right
    return do.grid(n, m, lambda i, j: -left <= j - i <= to_right, at)


def _pairs(text: str, sign: str, least: tuple[int, ...], what: str, at: int) -> list[tuple[int, ...]]:
    """Return the groups of numbers in a text such as `0-3 1-4`. `least` contains an upper bound for each number of a
    group.

    Raises FormulaError if a number is not below its bound.
    """
    groups = []
    for word in text.split():
        numbers = word.split(sign) if sign else [word]
        if len(numbers) != len(least) or not all(n.isascii() and n.isdigit() and len(n) < 6 for n in numbers):
            raise FormulaError(f"{what}; found {shorten(word)!r}", at)
        groups.append(tuple(map(int, numbers)))
        for number, count in zip(groups[-1], least, strict=True):
            if number >= count:
                raise FormulaError(
                    f"there are {counted(count, 'token')}, with the indices 0 to {count - 1}; "
                    f"found {number} in {shorten(word)!r}",
                    at,
                )
    return groups


def links(n: int, m: int, pairs: str, at: int = 0) -> Node:
    """Return an n × m mask with 1 for each pair of query and key in a text such as "0-3 1-4".

    Raises FormulaError for other texts.
    """
    do.guard((n, m), at)
    linked = set(_pairs(pairs, "-", (n, m), 'write links as pairs of query and key, such as "0-3 1-4"', at))
    return do.grid(n, m, lambda i, j: (i, j) in linked, at)


def global_tokens(n: int, m: int, tokens: str, at: int = 0) -> Node:
    """Return an n × m mask with 1 in the rows and columns of the tokens in a text such as "0 5".

    Raises FormulaError for other texts.
    """
    do.guard((n, m), at)
    chosen = {
        token
        for (token,) in _pairs(tokens, "", (max(n, m),), 'write the indices of the global tokens, such as "0 5"', at)
    }
    return do.grid(n, m, lambda i, j: i in chosen or j in chosen, at)


def arange(a: int, b: int, at: int = 0) -> Node:
    """Return the row a, a + 1, …, b − 1: 1 × (b − a). Raises FormulaError unless a < b."""
    if b <= a:
        raise FormulaError(f"arange(a, b) needs b larger than a; found {a} and {b}", at)
    return do.grid(1, b - a, lambda i, j: a + j, at)


class Parameter(NamedTuple):
    """A parameter of a function: its name, its kind (such as `matrix`, `whole` or `word`), and the allowed words.

    A parameter with a default is optional.
    """

    name: str
    kind: str
    words: tuple[str, ...] = ()
    default: str | None = None


class Function(NamedTuple):
    """A function: its parameters, its meaning, and its operation (`build`) or its defining formula.

    `formula` may be a Python function of the arguments' nodes. If it returns None, the operation is used. If `opened`
    is True, arithmetic, proofs and explanations replace the function by its formula.
    """

    name: str
    parameters: tuple[Parameter, ...]
    variadic: bool
    doc: str
    build: Callable[..., Node] | None = None
    formula: str | Callable[..., str | None] | None = None
    opened: bool = False

    @property
    def signature(self) -> str:
        """The signature with its defaults: `softmax(x, axis="rows", empty="error")`."""
        words = [p.name if p.default is None else f"{p.name}={_shown(p)}" for p in self.parameters]
        return f"{self.name}({', '.join(words + ['...'] * self.variadic)})"


def _shown(parameter: Parameter) -> str:
    return f'"{parameter.default}"' if parameter.kind == "word" else str(parameter.default)


def _parameter(text: str) -> Parameter:
    left, _, default = text.partition(" = ")
    name, _, kind = left.strip().partition(": ")
    words = tuple(kind.split("|")) if "|" in kind else ()
    return Parameter(name, "word" if words else kind or "matrix", words, default.strip() or None)


# Functions whose values have a row for each query and a column for each key.
BY_QUERY = frozenset({"causal", "causal_strict", "band", "links", "global_tokens", "alibi"})

_EXPONENTS = "2i/d|j/d|2j/d|i/(d/2-1)"
_AXES = "rows|columns|all"
_MODES = "|".join(MODES)


def _softmax(axis: str, base: Node, empty: str, **_: object) -> str:
    scaled = "A" if is_e(base) else "A * log(base)"
    if axis == "columns":
        return f'softmax_weights(({scaled}).T, "rows", "{empty}").T'
    return f'softmax_weights({scaled}, "{axis}", "{empty}")'


def _normalize(axis: str, empty: str, **_: object) -> str:
    total = {"rows": "row_sum(A)", "columns": "col_sum(A)", "all": "total(A)"}[axis]
    if empty == "error":
        return f"A / {total}"
    count = {"rows": "cols(A)", "columns": "rows(A)", "all": "(rows(A) * cols(A))"}[axis]
    # if the sum is 0, the divisor becomes 1, and the entries become `fill`
    fill = "0" if empty == "zeros" else f"1 / {count}"
    return f"keep(A, {total}, fill={fill}) / keep({total}, {total}, fill=1)"


def _layer_norm(axis: str, eps_in: str, **_: object) -> str:
    prefix = {"rows": "row_", "columns": "col_", "all": ""}[axis]
    mean, var = f"{prefix}mean(A)", f"{prefix}var(A, ddof=ddof)"
    below = f"sqrt({var} + eps)" if eps_in == "variance" else f"(sqrt({var}) + eps)"
    return f"(A - {mean}) / {below} * gamma + beta"


def _rms_norm(axis: str, **_: object) -> str:
    mean = {"rows": "row_mean", "columns": "col_mean", "all": "mean"}[axis]
    return f"A / sqrt({mean}(A ** 2) + eps) * gamma"


def _gelu(form: str, **_: object) -> str:
    return {
        "erf": "A * (1 + erf(A / sqrt(2))) / 2",
        "tanh": "A * (1 + tanh(sqrt(2 / pi) * (A + 0.044715 * A ** 3))) / 2",
        "sigmoid": "A * sigmoid(1.702 * A)",
    }[form]


def _sinusoidal(n: int, d: int, exponent: str, layout: str, **_: object) -> str:
    do.guard((n, d))
    pairs = (d + 1) // 2
    if exponent == "i/(d/2-1)" and d < 4:
        raise FormulaError("with the exponent i/(d/2-1), d must be at least 4")
    power = {
        "2i/d": f"2 * arange(0, {pairs}) / {d}",
        "i/(d/2-1)": f"arange(0, {pairs}) / {pairs - 1}",
        "j/d": f"arange(0, {2 * pairs}) / {d}",  # each column has a different angle
        "2j/d": f"2 * arange(0, {2 * pairs}) / {d}",
    }[exponent]
    angle = f"(start + arange(0, {n})).T / base ** ({power})"
    paired = exponent in ("2i/d", "i/(d/2-1)")
    sines = angle if paired else f"pick_columns({angle}, {_words(range(0, 2 * pairs, 2))})"
    cosines = angle if paired else f"pick_columns({angle}, {_words(range(1, 2 * pairs, 2))})"
    order = range(d) if layout == "concatenated" else [j // 2 + j % 2 * pairs for j in range(d)]
    return f"pick_columns(hstack(sin({sines}), cos({cosines})), {_words(order)})"


def _turn(A: Node, layout: str, **_: object) -> str:
    d = A.shape[1]
    half = d // 2
    if d % 2:
        raise FormulaError(f"rotary positions need an even number of columns; {A.written} has {counted(d, 'column')}")
    if layout == "interleaved":
        pair = [j // 2 for j in range(d)]
        partner = [j + 1 - 2 * (j % 2) for j in range(d)]
        signs = [2 * (j % 2) - 1 for j in range(d)]
    else:
        pair = [j % half for j in range(d)]
        partner = [(j + half) % d for j in range(d)]
        signs = [-1 if j < half else 1 for j in range(d)]
    turned = f"pick_columns(A, {_words(partner)}) * hstack({', '.join(map(str, signs))})"
    return f"A * pick_columns(C, {_words(pair)}) + {turned} * pick_columns(S, {_words(pair)})"


def _rope(A: Node, layout: str, **_: object) -> str:
    d = A.shape[1]
    if d % 2:
        raise FormulaError(f"rotary positions need an even number of columns; {A.written} has {counted(d, 'column')}")
    angles = f"(start + arange(0, rows(A))).T / base ** (2 * arange(0, {d // 2}) / {d})"
    return f'turn(A, cos({angles}), sin({angles}), layout="{layout}")'


def _alibi_slopes(h: int, **_: object) -> str:
    """Return the slopes of h heads as a formula.

    If h is not a power of two, n is the next smaller power of two. The slopes are those of n heads, and then every
    second slope of 2n heads.
    """
    if h < 1:
        raise FormulaError(f"alibi_slopes needs at least one head; found {h}")
    do.guard((1, h))
    power = 1 << (h.bit_length() - 1)
    exponents = [f"-8 * {k} / {power}" for k in range(1, power + 1)]
    exponents += [f"-8 * {k} / {2 * power}" for k in range(1, 2 * (h - power), 2)]
    return f"2 ** hstack({', '.join(exponents)})"


def _words(numbers: Iterable[int]) -> str:
    return '"' + " ".join(map(str, numbers)) + '"'


# name(parameters), meaning, and a builder of the node. A parameter without a kind is a matrix. `a|b` are its words.
_OPERATIONS: list[tuple[str, str, Callable[..., Node]]] = [
    *[
        (f"{operation.word}(A)", doc, lambda A, at, operation=operation: do.unary(operation, A, at))
        for operation, doc in {
            op.Exp: "e to the power of each entry", op.Log: "the natural logarithm of each entry",
            op.Sqrt: "the square root of each entry", op.Sin: "the sine of each entry, in radians",
            op.Cos: "the cosine of each entry, in radians", op.Tanh: "the hyperbolic tangent of each entry",
            op.Erf: "the error function of each entry", op.Abs: "the absolute value of each entry",
            op.Floor: "each entry rounded down to a whole number",
        }.items()
    ],
    ("maximum(A, B)", "the larger of A and B, entry by entry", lambda A, B, at: do.entrywise(op.Maximum, A, B, at)),
    (f"round(A, digits: whole, mode: {_MODES} = half_up)", "each entry rounded to the given number of decimals",
     lambda A, digits, mode, at: do.round_to(A, digits, mode, at)),
    ("row_sum(A)", "the sum of each row, (n, m) → (n, 1)", lambda A, at: do.reduce_rows(op.RowSum, A, at)),
    ("row_max(A)", "the largest entry of each row, (n, m) → (n, 1)", lambda A, at: do.reduce_rows(op.RowMax, A, at)),
    ("keep(S, M, fill: scalar = -inf)", "the entries of S where M is not 0, and fill elsewhere",
     lambda S, M, fill, at: do.keep(S, M, fill, at)),
    ("causal(n: whole, m: whole, offset: whole = 0)", "1 where key j ≤ query i + offset", causal(False)),
    ("causal_strict(n: whole, m: whole)", "1 where key j < query i, so the first row has only zeros", causal(True)),
    ("band(n: whole, m: whole, left: whole, right: whole = none)",
     "1 where −left ≤ j − i ≤ right; with only one width, 1 where |i − j| ≤ width", band),
    ("links(n: whole, m: whole, pairs: text)", '1 where a pair such as "0-3" links query 0 to key 3', links),
    ("global_tokens(n: whole, m: whole, tokens: text)", '1 in the rows and columns of the listed tokens, such as "0 5"',
     global_tokens),
    ("zeros(n: whole, m: whole)", "zeros, n × m", lambda n, m, at: do.grid(n, m, lambda i, j: 0, at)),
    ("ones(n: whole, m: whole)", "ones, n × m", lambda n, m, at: do.grid(n, m, lambda i, j: 1, at)),
    ("identity(n: whole)", "the identity, n × n", lambda n, at: do.grid(n, n, lambda i, j: i == j, at)),
    ("arange(a: whole, b: whole)", "the row a, a + 1, ..., b − 1", arange),
    ("rows(A)", "the number of rows of A", lambda A, at: do.grid(1, 1, lambda i, j: A.shape[0], at)),
    ("cols(A)", "the number of columns of A", lambda A, at: do.grid(1, 1, lambda i, j: A.shape[1], at)),
    ("flat(A)", "all entries in a single row, read row by row, (n, m) → (1, n·m)", do.flat),
    ("one_hot(ids, n: whole, ignore: whole = none)",
     "one row per id, with 1 in the column of the id; the ignored id has a row of zeros",
     lambda ids, n, ignore, at: do.one_hot(ids, n, at, ignore)),
    ("pick(P, ids)", "the entry P[row, id] of each row, as a column", do.pick),
    ("top_p(P, p: scalar)",
     "1 at the fewest largest entries of each row with a sum of at least p; 0 elsewhere",
     lambda P, p, at: do.top_p(P, p, at)),
    ("top_k(A, k: whole)", "1 at each row's k largest entries, 0 elsewhere", lambda A, k, at: do.top_k(A, k, at)),
    ("argmax_rows(A)", "the column of the largest entry of each row (the first if several are equal)",
     lambda A, at: do.reduce_rows(op.ArgmaxRows, A, at)),
    ("order_rows(A, k: whole)", "the column indices of the k largest entries of each row, the largest first; "
    "equal entries keep their "
     "order, (n, m) → (n, k)",
     lambda A, k, at: do.order_rows(A, k, at)),
    ("best_rows(A, k: whole)", "the row indices of the k largest entries of the whole matrix, the largest first, "
    "as a column",
     lambda A, k, at: do.best_places(A, k, "rows", at)),
    ("best_columns(A, k: whole)", "the column indices of the k largest entries of the whole matrix, the largest first, "
    "as a column",
     lambda A, k, at: do.best_places(A, k, "columns", at)),
    ("sort_rows(A)", "each row sorted, the largest entry first",
     lambda A, at: do.sort_rows(A, at)),
]  # fmt: skip

# name(parameters), meaning, and the defining formula, or a function that returns this formula for the arguments.
_DEFINITIONS: list[tuple[str, str, str | Callable[..., str]]] = [
    ("ln(A)", "the natural logarithm of each entry", "log(A)"),
    ("log2(A)", "the logarithm to base 2", "log(A) / log(2)"),
    ("log10(A)", "the logarithm to base 10", "log(A) / log(10)"),
    ("ceil(A)", "each entry rounded up to a whole number", "-floor(-A)"),
    ("minimum(A, B)", "the smaller of A and B, entry by entry", "-maximum(-A, -B)"),
    ("relu(A)", "max(0, a)", "maximum(A, 0)"),
    ("elu(A)", "a where a > 0, e^a − 1 elsewhere", "maximum(A, 0) + exp(minimum(A, 0)) - 1"),
    ("sigmoid(A)", "1/(1 + e^−a)", "1 / (1 + exp(-A))"),
    ("silu(A)", "a·σ(a)", "A * sigmoid(A)"),
    ("gelu(A, form: erf|tanh|sigmoid = erf)", "a·Φ(a), exactly (erf) or approximately (tanh form, "
    "or a·σ(1.702 a))", _gelu),
    ("col_sum(A)", "the sum of each column, (n, m) → (1, m)", "row_sum(A.T).T"),
    ("col_max(A)", "the largest entry of each column", "row_max(A.T).T"),
    ("row_min(A)", "the smallest entry of each row", "-row_max(-A)"),
    ("col_min(A)", "the smallest entry of each column", "row_min(A.T).T"),
    ("row_mean(A)", "the mean of each row", "row_sum(A) / cols(A)"),
    ("col_mean(A)", "the mean of each column", "col_sum(A) / rows(A)"),
    ("total(A)", "the sum of all entries", "col_sum(row_sum(A))"),
    ("mean(A)", "the mean of all entries", "total(A) / (rows(A) * cols(A))"),
    ("row_var(A, ddof: whole = 0)", "Σ(a − mean)²/(m − ddof) of each row",
     "row_sum((A - row_mean(A)) ** 2) / (cols(A) - ddof)"),
    ("col_var(A, ddof: whole = 0)", "the variance of each column", "row_var(A.T, ddof=ddof).T"),
    ("var(A, ddof: whole = 0)", "the variance of all entries",
     "total((A - mean(A)) ** 2) / (rows(A) * cols(A) - ddof)"),
    ("row_std(A, ddof: whole = 0)", "the standard deviation of each row", "sqrt(row_var(A, ddof=ddof))"),
    ("col_std(A, ddof: whole = 0)", "the standard deviation of each column", "sqrt(col_var(A, ddof=ddof))"),
    (f"softmax(A, axis: {_AXES} = rows, base: positive = e, empty: error|zeros|uniform = error)",
     "the exponentials divided by their sum; each row (or each column, or the whole matrix) sums to 1", _softmax),
    ("softmax_rows(A, base: positive = e, empty: error|zeros|uniform = error)", "the softmax of each row",
     lambda base, empty, **_: _softmax("rows", base, empty)),
    ("softmax_cols(A, base: positive = e, empty: error|zeros|uniform = error)", "the softmax of each column",
     lambda base, empty, **_: _softmax("columns", base, empty)),
    ("softmax_all(A, base: positive = e, empty: error|zeros|uniform = error)", "the softmax of all entries together",
     lambda base, empty, **_: _softmax("all", base, empty)),
    (f"normalize(A, axis: {_AXES} = rows, empty: error|zeros|uniform = error)",
     "each row (or each column, or the whole matrix) divided by its sum", _normalize),
    ("rotation(theta: scalar)", "the 2 × 2 matrix that rotates by the angle theta, counter-clockwise",
     "vstack(hstack(cos(theta), -sin(theta)), hstack(sin(theta), cos(theta)))"),
    (f"sinusoidal(n: whole, d: whole, base: positive = 10000, start: scalar = 0, exponent: {_EXPONENTS} = 2i/d, "
     "layout: interleaved|concatenated = interleaved)",
     "the position table: sin and cos of position / base^exponent", _sinusoidal),
    ("turn(A, C, S, layout: interleaved|halves = interleaved)",
     "each pair of columns rotated by the angle with the cosine C and the sine S, (n, d) and (n, d/2) → (n, d)", _turn),
    ("alibi_slopes(h: whole)", "the slopes of h heads as a row; if h is a power of 2, 2^(−8k/h) for k = 1, ..., h",
     _alibi_slopes),
    ("rope(A, base: positive = 10000, start: scalar = 0, layout: interleaved|halves = interleaved)",
     "rotary positions: each pair of columns rotated by its angle", _rope),
    ("alibi(n: whole, m: whole, slope: scalar, sides: one|both = one)",
     "the bias −slope·(i − j) for a causal mask; with sides=both, −slope·|i − j|",
     lambda sides, **_: f"-slope * {'abs' * (sides == 'both')}(arange(0, n).T - arange(0, m))"),
    ("layer_norm(A, gamma = 1, beta = 0, eps: scalar = 1e-5, ddof: whole = 0, eps_in: variance|std = variance, axis: "
     f"{_AXES} = rows)",
     "(a − mean)/√(variance + eps)·gamma + beta, for each row", _layer_norm),
    (f"rms_norm(A, gamma = 1, eps: scalar = 0, axis: {_AXES} = rows)", "a/√(mean of squares + eps)·gamma, for each row",
     _rms_norm),
    ("cross_entropy(P, ids, base: positive = e)", "the mean of −log P[row, id]",
     lambda base, **_: "mean(-log(pick(P, ids)))" + ("" if is_e(base) else " / log(base)")),
    ("best(A, k: whole)", "the k largest entries of the whole matrix as a column, the largest first",
     lambda k, **_: f"sort_rows(flat(A))[:, 0:{k}].T"),
    ("cumsum_rows(A)", "the running sums of each row", "A @ causal(cols(A), cols(A)).T"),
]  # fmt: skip

# Functions that only definitions use; they are not part of the language.
_INTERNAL: list[tuple[str, str, Callable[..., Node]]] = [
    (
        "softmax_weights(A, axis: rows|all, empty: error|zeros|uniform)",
        "the exponentials divided by their sum",
        lambda A, axis, empty, at: do.softmax(A, axis, empty, at),
    ),
    (
        "pick_columns(A, order: text)",
        "the columns whose indices are listed",
        lambda A, order, at: do.take(A, None, [int(word) for word in order.split()], at),
    ),
]


_LOOKUP = (
    "lookup(E, ids)",
    "the rows of E for these ids; if ids is a matrix, E is a single row or column, and each id selects an entry",
)


def _joined(operation: type[op.Stack], *parts: Node, at: int) -> Node:
    return do.stack(operation, parts, at)


@lru_cache(maxsize=1)
def functions() -> dict[str, Function]:
    """Return every function of the language by its name."""
    listed = [_function(signature, doc, build=build) for signature, doc, build in _OPERATIONS]
    listed += [_function(signature, doc, formula=formula) for signature, doc, formula in _DEFINITIONS]
    listed += [_function(signature, doc, formula=formula, opened=True) for signature, doc, formula in SHORTHANDS]
    listed.append(_function(*_LOOKUP, build=do.lookup, formula=lookup_of_matrix, opened=True))
    table = {function.name: function for function in listed}
    joins: dict[type[op.Stack], str] = {
        op.HStack: "matrices side by side", op.VStack: "matrices below each other"
    }  # fmt: skip
    for join, doc in joins.items():
        table[join.word] = Function(join.word, (), True, doc, build=partial(_joined, join))
    return table


@lru_cache(maxsize=1)
def operators() -> dict[str, Function]:
    """Return the functions that `A < B`, `A % B` and similar operators abbreviate."""
    return {
        sign: _function("operator(A, B)", "", formula=formula, opened=True)._replace(name=sign)
        for sign, formula in OPERATORS.items()
    }


@lru_cache(maxsize=1)
def internal_functions() -> dict[str, Function]:
    """Return the functions that only definitions may call, by name."""
    return {f.name: f for f in (_function(signature, doc, build=build) for signature, doc, build in _INTERNAL)}


def _function(
    signature: str,
    doc: str,
    build: Callable[..., Node] | None = None,
    formula: str | Callable[..., str | None] | None = None,
    opened: bool = False,
) -> Function:
    name, _, rest = signature.partition("(")
    inside = rest[: rest.rindex(")")]
    return Function(name, tuple(_parameter(p) for p in inside.split(", ")), False, doc, build, formula, opened)
