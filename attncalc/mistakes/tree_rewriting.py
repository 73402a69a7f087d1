"""Patterns that match and rewrite formulas, and paths to subformulas of steps. A name that ends in `_` is a variable:
the pattern `q_ @ k_.T` matches `Q @ K.T` with q_ = Q and k_ = K.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, substitute
from ..plan import Step

Substitution = dict[str, Tree]


def fit(pattern: Tree, tree: Tree, bindings: Substitution | None = None, exact: bool = False) -> Substitution | None:
    """Return the substitution with which the pattern equals the tree; None if there is none.

    A name that is not a variable means its binding in `bindings` (V for V_1 of a head), or else itself. Calls may have
    more options than the pattern, unless `exact` is True.
    """
    bindings = {} if bindings is None else bindings
    if isinstance(pattern, Name) and pattern.name in bindings:
        return bindings if bindings[pattern.name] == tree else None
    if isinstance(pattern, Name) and pattern.name.endswith("_"):
        return {**bindings, pattern.name: tree}
    match pattern, tree:
        case (Binary(a, p, q), Binary(b, x, y)) if a == b:
            return _fit_all([(p, x), (q, y)], bindings, exact)
        case (Negate(p), Negate(x)) | (Transpose(p), Transpose(x)):
            return fit(p, x, bindings, exact)
        case Call(f, ps, po), Call(g, xs, xo) if (
            f == g and len(ps) == len(xs) and _options_fit(_option_names(po), _option_names(xo), exact)
        ):
            values = dict(xo)
            return _fit_all(
                [*zip(ps, xs, strict=True), *((value, values[name]) for name, value in po)], bindings, exact
            )
        case Index(p, r, c), Index(x, s, d):
            return _fit_all([(p, x)], bindings, exact) if (r, c) == (s, d) else None
        case Number(), Number():
            return bindings if pattern.value == tree.value else None
        case _:
            return bindings if pattern == tree else None


def _fit_all(pairs: list[tuple[Tree, Tree]], bindings: Substitution, exact: bool) -> Substitution | None:
    extended: Substitution | None = bindings
    for pattern, tree in pairs:
        extended = fit(pattern, tree, extended, exact)
        if extended is None:
            return None
    return extended


def _option_names(options: tuple[tuple[str, Tree], ...]) -> set[str]:
    return {name for name, _ in options}


def _options_fit(required: set[str], available: set[str], exact: bool) -> bool:
    return required == available if exact else required <= available


def _may_fit(find: Tree, tree: Tree) -> bool:
    """Return whether a pattern may match a formula, by their outermost operations."""
    if type(find) is Name:
        return True
    if type(find) is Binary:
        return type(tree) is Binary and tree.operator == find.operator
    if type(find) is Call:
        return type(tree) is Call and tree.function == find.function
    return type(find) is type(tree)


def rewrite_parts(tree: Tree, find: Tree, put: Tree, context: Substitution, exact: bool = False) -> Iterator[Tree]:
    """Yield, for each match of `find`, the tree in which `put` replaces this match. Outer matches come first."""
    bindings = fit(find, tree, dict(context), exact) if _may_fit(find, tree) else None
    if bindings is not None:
        options = tree.options if isinstance(tree, Call) and isinstance(put, Call) and isinstance(find, Call) else ()
        new = substitute(put, bindings)
        if options and isinstance(new, Call) and new.function == tree.function:  # type: ignore[union-attr]
            option_names = _option_names(new.options)
            new = Call(
                new.function, new.arguments, (*new.options, *((n, v) for n, v in options if n not in option_names))
            )
        yield new
    match tree:
        case Binary(operator, a, b):
            yield from (Binary(operator, x, b, tree.at) for x in rewrite_parts(a, find, put, context, exact))
            yield from (Binary(operator, a, y, tree.at) for y in rewrite_parts(b, find, put, context, exact))
        case Negate(a):
            yield from (Negate(x, tree.at) for x in rewrite_parts(a, find, put, context, exact))
        case Transpose(a):
            yield from (Transpose(x, tree.at) for x in rewrite_parts(a, find, put, context, exact))
        case Call(function, arguments, chosen):
            for k, argument in enumerate(arguments):
                for x in rewrite_parts(argument, find, put, context, exact):
                    yield Call(function, (*arguments[:k], x, *arguments[k + 1 :]), chosen, tree.at)


_ALONG = ("sum", "mean", "max", "min", "prod", "any", "all", "var", "std")
_MIRROR = {
    "softmax": "softmax_cols", "softmax_cols": "softmax", "hstack": "vstack", "vstack": "hstack",
    "rows": "cols", "cols": "rows",
    **{f"row_{what}": f"col_{what}" for what in _ALONG}, **{f"col_{what}": f"row_{what}" for what in _ALONG},
}  # fmt: skip


def mirror(pattern: Tree) -> Tree:
    """Return the pattern for tokens as columns: the order of factors is reversed, and rows and columns are
    exchanged.
    """
    match pattern:
        case Binary("@", a, b):
            return Binary("@", mirror(b), mirror(a))
        case Binary(operator, a, b):
            return Binary(operator, mirror(a), mirror(b))
        case Negate(a):
            return Negate(mirror(a))
        case Transpose(a):
            return Transpose(mirror(a))
        case Call(function, arguments, options):
            return Call(_MIRROR.get(function, function), tuple(mirror(a) for a in arguments), options)
        case _:
            return pattern


_SOFTMAX = {"rows": "softmax", "columns": "softmax_cols", "all": "softmax_all"}


@dataclass(frozen=True, slots=True)
class TreePath:
    """A subformula of a step, and its path: the indices of operands from the whole formula to the subformula."""

    step: Step
    path: tuple[int, ...]
    tree: Tree

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        """A key that is unique in the plan."""
        return self.step.key, self.path

    def children(self) -> list[TreePath]:
        return [TreePath(self.step, (*self.path, k), part) for k, part in enumerate(operands(self.tree))]


def operands(tree: Tree) -> list[Tree]:
    """Return the operands of a formula."""
    match tree:
        case Binary(_, a, b):
            return [a, b]
        case Negate(a) | Transpose(a) | Index(a, _, _):
            return [a]
        case Call(_, arguments, _):
            return list(arguments)
    return []


def replace_subtree(tree: Tree, path: tuple[int, ...], new: Tree) -> Tree:
    """Return the tree in which `new` replaces the subtree at a path."""
    if not path:
        return new
    k, rest = path[0], path[1:]
    match tree:
        case Binary(_, a, b):
            return tree.but(right=replace_subtree(b, rest, new)) if k else tree.but(left=replace_subtree(a, rest, new))
        case Negate(a) | Transpose(a) | Index(a, _, _):
            return tree.but(operand=replace_subtree(a, rest, new))
        case Call(_, arguments, _):
            return tree.but(arguments=(*arguments[:k], replace_subtree(arguments[k], rest, new), *arguments[k + 1 :]))
    raise IndexError(path)


def subtree(tree: Tree, path: tuple[int, ...]) -> Tree:
    """Return the subtree at a path."""
    for k in path:
        tree = operands(tree)[k]
    return tree


def head_operation(tree: Tree) -> str:
    """Return the name of the outermost operation of a formula; "" for a name or a number."""
    match tree:
        case Binary(operator):
            return operator
        case Call("part", _) | Index():
            return "[]"
        case Call():
            return canonical_call(tree)[0]
        case Negate():
            return "-x"
        case Transpose():
            return ".T"
    return ""


def canonical_call(call: Call) -> tuple[str, dict[str, Tree]]:
    """Return the canonical name and options of a call. They are equal for softmax_rows(S) and softmax(S,
    axis="rows").
    """
    options = dict(call.options)
    if call.function in ("softmax", "softmax_rows"):
        axis = options.pop("axis", None)
        return _SOFTMAX[axis.value if isinstance(axis, Text) and axis.value in _SOFTMAX else "rows"], options
    return call.function, options


def is_root(tree: Tree) -> bool:
    """Return whether a formula is a square root."""
    match tree:
        case Call("sqrt", _):
            return True
        case Binary("**", _, power):
            return constant(power) == Fraction(1, 2)
    return False


def constant(pattern: Tree) -> Fraction | None:
    """Return the value of a constant in a pattern, such as -1/2; None for other patterns."""
    match pattern:
        case Number():
            return pattern.value
        case Negate(Number() as a):
            return -a.value
        case Binary("/", a, b) if (x := constant(a)) is not None and (y := constant(b)):
            return x / y
    return None


def signature(tree: Tree) -> tuple[object, ...]:
    """Return the operation and the options of a formula, without its operands."""
    match tree:
        case Binary(operator):
            return (operator,)
        case Call(function, _, options):
            return function, options
        case Index(_, rows, columns):
            return rows, columns
    return (type(tree).__name__,)
