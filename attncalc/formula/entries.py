"""Kinds of entries that a formula has by what is written."""

from __future__ import annotations

from .syntax_tree import COMPARISONS, Binary, Call, Index, Number, Transpose, Tree

_MASKS = frozenset({"causal", "causal_strict", "band", "top_k", "top_p", "one_hot", "identity", "zeros", "ones"})
_JOINED = ("maximum", "minimum", "hstack", "vstack")


def is_condition(tree: Tree) -> bool:
    """Return whether a formula has no other entries than 0 and 1, by what is written."""
    match tree:
        case Binary(sign, a, b):
            return sign in COMPARISONS or sign == "*" and is_condition(a) and is_condition(b)
        case Call(name, parts, ()) if name in _JOINED:
            return all(map(is_condition, parts))
        case Call(name):
            return name in _MASKS
        case Transpose(a) | Index(a):
            return is_condition(a)
        case Number(text):
            return text in ("0", "1")
    return False
