"""Recognises formulas whose entries are truth values or whole numbers, without computing them."""

from __future__ import annotations

from collections.abc import Callable

from .syntax_tree import COMPARISONS, Binary, Call, Index, Name, Negate, Number, Transpose, Tree

_MASKS = frozenset({"causal", "causal_strict", "band", "top_k", "top_p", "one_hot", "identity", "zeros", "ones"})
_WHOLE = frozenset({
    "floor", "ceil", "sign", "arange", "rows", "cols", "argmax_rows", "argmin_rows", "argsort_rows", "order_rows",
    "argmax", "argmin", "argsort", "best_rows", "best_columns",
})  # fmt: skip
_JOINED = ("maximum", "minimum", "hstack", "vstack")


def is_condition(tree: Tree, named: Callable[[str], bool] = lambda name: False) -> bool:
    """Return whether a formula can only have the entries 0 and 1. `named` returns this for a name."""
    match tree:
        case Binary(sign, a, b):
            return sign in COMPARISONS or sign == "*" and is_condition(a, named) and is_condition(b, named)
        case Call(name, parts, ()) if name in _JOINED:
            return all(is_condition(part, named) for part in parts)
        case Call(name):
            return name in _MASKS
        case Transpose(a) | Index(a):
            return is_condition(a, named)
        case Name(name):
            return named(name)
        case Number(text):
            return text in ("0", "1")
    return False


def is_whole(tree: Tree) -> bool:
    """Return whether a formula can only have whole numbers as entries."""
    match tree:
        case Number(text):
            return text.isdecimal()
        case Negate(a) | Transpose(a) | Index(a):
            return is_whole(a)
        case Binary("+" | "-" | "*", a, b):
            return is_whole(a) and is_whole(b)
        case Call(name, parts, ()) if name in _JOINED:
            return all(map(is_whole, parts))
        case Call("round", (_, Number("0"))):
            return True
        case Call(name):
            return name in _WHOLE or is_condition(tree)
    return is_condition(tree)
