"""Tree patterns: `q_ @ k_.T` matches `Q @ K.T` with q_ = Q and k_ = K. A name that ends in `_` is a variable."""

from __future__ import annotations

from collections.abc import Iterator

from ..formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Transpose, Tree, substitute

Substitution = dict[str, Tree]


def fit(pattern: Tree, tree: Tree, bindings: Substitution | None = None, exact: bool = False) -> Substitution | None:
    """Return the substitution under which the pattern equals the tree, or None.

    A plain name in `bindings` stands for its binding (V for a head's V_1), any other for itself. Functions may have
    more options than the pattern, unless `exact`.
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
    """True if both formulas have the same head operation."""
    if type(find) is Name:
        return True
    if type(find) is Binary:
        return type(tree) is Binary and tree.operator == find.operator
    if type(find) is Call:
        return type(tree) is Call and tree.function == find.function
    return type(find) is type(tree)


def rewrite_parts(tree: Tree, find: Tree, put: Tree, context: Substitution, exact: bool = False) -> Iterator[Tree]:
    """Yield the tree with one match of `find` replaced by `put`, for every match, outermost first."""
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


_MIRROR = {
    "softmax": "softmax_cols", "softmax_cols": "softmax", "row_sum": "col_sum", "row_mean": "col_mean",
    "row_max": "col_max", "row_var": "col_var", "row_std": "col_std", "col_sum": "row_sum", "col_mean": "row_mean",
    "col_var": "row_var", "col_std": "row_std", "hstack": "vstack", "vstack": "hstack", "rows": "cols", "cols": "rows",
}  # fmt: skip


def mirror(pattern: Tree) -> Tree:
    """Return the pattern for tokens as columns: factors exchanged, rows and columns exchanged."""
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
