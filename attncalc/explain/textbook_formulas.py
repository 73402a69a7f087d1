"""The formulas of steps as textbooks write them: for each entry, even if the formula language has a function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Call, Index, Name, Number, Text, Transpose, Tree, rewrite, substitute, walk
from ..mistakes.tree_rewriting import Substitution, fit
from ..plan import Step
from .document import EquationSide, Formula

# Patterns of formulas and their textbook lines; the first match is used. `it_` is the step, and 2i is twice i.
_LINES = (
    ("a_ * (g_ - row_sum(a_ * g_))", "it_[i, j] = a_[i, j] * (g_[i, j] - sum_k(a_[i, k] * g_[i, k]))"),
    ("a_ * (g_ - col_sum(a_ * g_))", "it_[i, j] = a_[i, j] * (g_[i, j] - sum_k(a_[k, j] * g_[k, j]))"),
    ("c_ * a_ * (g_ - row_sum(a_ * g_))", "it_[i, j] = c_ * a_[i, j] * (g_[i, j] - sum_k(a_[i, k] * g_[i, k]))"),
    ("-row_sum(p_ * log(q_))", "it_[i] = -sum_j(p_[i, j] * log(q_[i, j]))"),
    ("-row_sum(p_ * log(q_)) / b_", "it_[i] = -sum_j(p_[i, j] * log(q_[i, j])) / b_"),
    ("one_hot(t_, n_)", "it_[i, t_[i]] = 1"),
    ("pick(p_, t_)", "it_[i] = p_[i, t_[i]]"),
    ("total(x_) / rows(x_)", "it_ = sum_i(x_[i]) / n"),
    ("total(losses)", "it_ = sum_i(losses[i])"),
    ("x_ / rows(p_)", "it_ = x_ / n"),
    ("(1 - e_) * r_ + e_ / cols(p_) * row_sum(r_)", "it_[i, j] = (1 - e_) * r_[i, j] + e_ / words * sum_k(r_[i, k])"),
    ("argmax_rows(p_)", "it_[i] = argmax(p_[i])"),
    ("identity(n_) * p_ - p_.T @ p_", "it_[i, i] = p_[i] * (1 - p_[i])", "it_[i, j] = -p_[i] * p_[j]"),
    ("identity(n_) * p_ - p_ @ p_.T", "it_[i, i] = p_[i] * (1 - p_[i])", "it_[i, j] = -p_[i] * p_[j]"),
    ("col_sum(x_) / total(x_)", "it_[j] = sum_i(x_[i, j]) / sum_i(sum_k(x_[i, k]))"),
    ("row_sum(x_) / total(x_)", "it_[i] = sum_j(x_[i, j]) / sum_k(sum_j(x_[k, j]))"),
    ("col_sum(x_ * y_)", "it_[j] = sum_i(x_[i, j] * y_[i, j])"),
    ("row_sum(x_ * y_)", "it_[i] = sum_j(x_[i, j] * y_[i, j])"),
    ("col_sum(x_)", "it_[j] = sum_i(x_[i, j])"),
    ("row_sum(x_)", "it_[i] = sum_j(x_[i, j])"),
    ("x_ - row_mean(x_)", "it_[i, j] = x_[i, j] - sum_k(x_[i, k]) / d"),
    ("x_ - col_mean(x_)", "it_[i, j] = x_[i, j] - sum_k(x_[k, j]) / d"),
    *(
        (
            f"(a_ - n_ * row_sum(b_ * n_) / cols(x_)) / sqrt(v_{eps})",
            f"it_[i, j] = (a_[i, j] - n_[i, j] * sum_k(b_[i, k] * n_[i, k]) / d) / sqrt(v_[i]{eps})",
        )
        for eps in ("", " + e_")
    ),
    ("row_mean(x_ * y_)", "it_[i] = sum_j(x_[i, j] * y_[i, j]) / d"),
    ("col_mean(x_ * y_)", "it_[j] = sum_i(x_[i, j] * y_[i, j]) / d"),
    ("col_mean(P)", "it_[j] = sum_i(P[i, j]) / n"),
    ("col_mean(chosen)", "it_[j] = sum_i(chosen[i, j]) / n"),
    ("row_mean(P)", "it_[i] = sum_j(P[i, j]) / n"),
    ("row_mean(x_ ** 2)", "it_[i] = sum_j(x_[i, j] ** 2) / d"),
    ("col_mean(x_ ** 2)", "it_[j] = sum_i(x_[i, j] ** 2) / d"),
    ("row_mean(x_)", "it_[i] = sum_j(x_[i, j]) / d"),
    ("col_mean(x_)", "it_[j] = sum_i(x_[i, j]) / d"),
    ("row_var(x_, ddof=1)", "it_[i] = sum_j((x_[i, j] - mean[i]) ** 2) / (d - 1)"),
    ("col_var(x_, ddof=1)", "it_[j] = sum_i((x_[i, j] - mean[j]) ** 2) / (d - 1)"),
    ("row_var(x_)", "it_[i] = sum_j((x_[i, j] - mean[i]) ** 2) / d"),
    ("col_var(x_)", "it_[j] = sum_i((x_[i, j] - mean[j]) ** 2) / d"),
    ("(a_ + arange(0, n_)).T / b_ ** (2 * arange(0, h_) / d_)", "it_[pos, i] = (pos + a_) / b_ ** (2i / d)"),
    ("-(a_ + arange(0, n_)).T / b_ ** (2 * arange(0, h_) / d_)", "it_[pos, i] = -(pos + a_) / b_ ** (2i / d)"),
    ("(a_ + arange(0, n_)).T * t_ * pi / 180", "it_[pos, i] = (pos + a_) * t_[i] * pi / 180"),
    ("-(a_ + arange(0, n_)).T * t_ * pi / 180", "it_[pos, i] = -(pos + a_) * t_[i] * pi / 180"),
    ("(a_ + arange(0, n_)).T * t_", "it_[pos, i] = (pos + a_) * t_[i]"),
    ("-(a_ + arange(0, n_)).T * t_", "it_[pos, i] = -(pos + a_) * t_[i]"),
    *(
        (
            pattern.format(layout),
            f"it_[{at.format(x)}] = x_[{at.format(x)}] * c_[pos, i] - x_[{at.format(y)}] * s_[pos, i]",
            f"it_[{at.format(y)}] = x_[{at.format(x)}] * s_[pos, i] + x_[{at.format(y)}] * c_[pos, i]",
        )
        for pattern, at in (("turn(x_.T, c_, s_{}).T", "{}, pos"), ("turn(x_, c_, s_{})", "pos, {}"))
        for layout, x, y in ((', layout="halves"', "i", "d / 2 + i"), ("", "2i", "2i + 1"))
    ),
)
# The entries of a matrix product.
_PRODUCTS = (
    ("a_ @ b_.T", "it_[i, j] = sum_k(a_[i, k] * b_[j, k])"),
    ("a_ @ b_", "it_[i, j] = sum_k(a_[i, k] * b_[k, j])"),
)
# The entries of a function of a named matrix.
_DEFINED = {
    "softmax": "it_[i, j] = exp(x_[i, j]) / sum_k(exp(x_[i, k]))",
    "softmax_cols": "it_[i, j] = exp(x_[i, j]) / sum_k(exp(x_[k, j]))",
    "relu": "it_[i, j] = maximum(x_[i, j], 0)",
    "silu": "it_[i, j] = x_[i, j] / (1 + exp(-x_[i, j]))",
}
# A table of positions: the columns of sine and cosine, and the exponents of the base in them.
_COLUMNS = {"interleaved": ("2i", "2i + 1"), "concatenated": ("i", "d / 2 + i")}
_EXPONENTS = {
    "2i/d": ("2i / d", "2i / d"),
    "j/d": ("2i / d", "(2i + 1) / d"),
    "2j/d": ("4i / d", "2 * (2i + 1) / d"),
    "i/(d/2-1)": ("i / (d / 2 - 1)", "i / (d / 2 - 1)"),
}
# Calls that are not functions of the language: 2i, and the sums over i, j and k
SIGNS = frozenset({"multiple", "sum_i", "sum_j", "sum_k"})
_DOUBLE = re.compile(r"\b(\d)i\b")


def textbook_formulas(step: Step, doc: str = "") -> list[Formula]:
    """Return the general formula of a step in one or two lines. `doc` is attached to the first line."""
    lines, bindings = _lines(step)
    if not lines:
        return [Formula(Name(step.name), (EquationSide(_general(step)),), doc)]
    return _formulas_of(lines, bindings, step, doc)


def _formulas_of(lines: tuple[str, ...], bindings: Substitution, step: Step, doc: str = "") -> list[Formula]:
    bindings = {**bindings, "it_": Name(step.name)}
    pairs = ([_tree(side, bindings) for side in line.split(" = ")] for line in lines)
    return [Formula(left, (EquationSide(right),), "" if k else doc) for k, (left, right) in enumerate(pairs)]


def entry_formulas(step: Step) -> list[Formula]:
    """Return the formula for each entry of a step or a matrix product; empty if there is only the general formula."""
    products = ((fit(parse(pattern), step.tree, exact=True), line) for pattern, line in _PRODUCTS)
    if product := next(((bindings, line) for bindings, line in products if bindings is not None), None):
        return _formulas_of((product[1],), product[0], step)
    return [formula for formula in textbook_formulas(step) if isinstance(formula.name, Index)]


def is_defined(step: Step) -> bool:
    """Return whether textbooks define a step entry by entry, as for a variance or a table of positions."""
    return all(isinstance(formula.name, Index) for formula in textbook_formulas(step))


def definition(function: str) -> Formula | None:
    """Return the definition of an entrywise function or a softmax for each entry; None if there is no formula."""
    if function not in _DEFINED:
        return None
    it: Substitution = {"it_": Call(function, (Name("A"),)), "x_": Name("A")}
    left, right = (_tree(side, it) for side in _DEFINED[function].split(" = "))
    return Formula(left, (EquationSide(right),))


def defining_function(tree: Tree) -> str:
    """Return the name of the function if a step is only its call, and the function has a definition; otherwise ""."""
    match tree:
        case Call(function, (Name(),), ()) if function in _DEFINED:
            return function
    return ""


def _lines(step: Step) -> tuple[tuple[str, ...], Substitution]:
    match step.tree:
        case Call("sinusoidal"):
            return tuple(_table(step.tree, "[pos, {}]")), _table_options(step.tree)
        case Transpose(Call("sinusoidal") as table):
            return tuple(_table(table, "[{}, pos]")), _table_options(table)
        case Call(function, (Name() as taken,)) if defining_function(step.tree):
            return (f"it_ = {function}(x_)", _DEFINED[function]), {"x_": taken}
    for pattern, lines in _patterns():
        bindings = fit(pattern, step.tree, exact=True)
        if bindings is not None:
            return lines, bindings
    return (), {}


@cache
def _patterns() -> list[tuple[Tree, tuple[str, ...]]]:
    return [(parse(pattern), tuple(lines)) for pattern, *lines in _LINES]


def _table_options(table: Call) -> Substitution:
    options = dict(table.options)
    return {"a_": options.get("start", Number("0")), "b_": options.get("base", Number("10000"))}


def _table(table: Call, place: str) -> Iterator[str]:
    options = {name: value.value for name, value in table.options if isinstance(value, Text)}
    columns, exponents = _COLUMNS[options.get("layout", "interleaved")], _EXPONENTS[options.get("exponent", "2i/d")]
    for wave, column, exponent in zip(("sin", "cos"), columns, exponents, strict=True):
        yield f"it_{place.format(column)} = {wave}((pos + a_) / b_ ** ({exponent}))"


def _tree(text: str, bindings: Substitution) -> Tree:
    return rewrite(substitute(parse(_DOUBLE.sub(r"multiple(\1, i)", text)), bindings), _without_zero)


def _without_zero(part: Tree) -> Tree | None:
    match part:
        case Binary("+", a, Number("0")):
            return a
    return None


def _general(step: Step) -> Tree:
    """Return the formula of a step with √d_k instead of the number of columns."""
    counts = sum(isinstance(part, Call) and part.function in ("rows", "cols") for part in walk(step.tree))

    def count(part: Tree) -> Tree | None:
        match part:
            case Call("rows" | "cols", _) if step.base == "S_scaled" and counts == 1:
                return Name("d_k")
            case Call("sqrt", (Call("rows" | "cols", (Name(name),)),)) if (
                name.rpartition(".")[2].partition("_")[0] == "K"
            ):
                return part.but(arguments=(Name("d_k"),))
        return None

    return rewrite(step.tree, count)
