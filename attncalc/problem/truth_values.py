"""Detects operations on truth values that give another result in Python and NumPy.

In attncalc, a truth value is the number 0 or 1. In NumPy, a comparison is Boolean. The sum of comparisons is then an
"or". `&`, `|` and `~` combine the bits of integers.
"""

from __future__ import annotations

from typing import TypeGuard

from ..errors import shorten
from ..formula.parser import pasted
from ..formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Number,
    Transpose,
    Tree,
    is_comparison,
    is_condition,
    unparse,
    walk,
)
from .formula_sizes import Context

_BITS = "Python and NumPy would combine the bits of the numbers"
_ONE = "in Python, the result is one of the two operands"
_IN_PYTHON = {"&": _BITS, "|": _BITS, "and": _ONE, "or": _ONE}
_ENTRYWISE = ("maximum", "minimum", "hstack", "vstack", "flat")


def truth_values(name: str, tree: Tree, scope: Context) -> list[str]:
    """Return warnings about operations on truth values, at most one for each sign."""
    scope.truth[name] = is_boolean(tree, scope)
    warnings: dict[str, str] = {}
    compared: list[Tree] = []
    for part in walk(tree):
        match part:
            case Binary(">" | "!=", a, Number("0")):  # the author wants the Boolean product
                compared.append(a)
        if any(part is a for a in compared):
            continue
        if _joins_numbers(part, scope):
            warnings.setdefault(part.source.bits, _of_numbers(part.source.bits, part.left))
        elif _operands(part) and is_boolean(part, scope):
            warnings.setdefault("+", _counts(part))
    return [*warnings.values()]


def joins_numbers(tree: Tree, scope: Context) -> bool:
    """Return whether an operand of `&`, `|`, `~`, `and` or `or` may have entries other than 0 and 1."""
    return any(_joins_numbers(part, scope) for part in walk(tree))


def _joins_numbers(part: Tree, scope: Context) -> TypeGuard[Binary]:
    if not (isinstance(part, Binary) and part.source.bits):
        return False
    return not is_condition(part.left, lambda x: _has_zeros_and_ones(x, scope))


def is_boolean(tree: Tree, scope: Context) -> bool:
    """Return whether the entries of a formula are Boolean in NumPy."""
    match tree:
        case Binary("*" | "+" | "@", a, b) | Call("dot" | "inner", (a, b)):
            return is_boolean(a, scope) and is_boolean(b, scope)
        case Call(function, (_, *_) as parts) if function in _ENTRYWISE:
            return all(is_boolean(part, scope) for part in parts)
        case Transpose(a) | Index(a):
            return is_boolean(a, scope)
        case Name(name):
            return scope.truth.get(name, False)
    return is_comparison(tree)


def is_mask(tree: Tree, scope: Context) -> bool:
    """Return whether a matrix is a mask of 0 and 1, such as causal(3, 3), tril(ones(3, 3)), S > 0 or 1 - M."""
    match tree:
        case Binary("-", Number("1"), a):
            return is_mask(a, scope)
        case Name() if (entries := scope.numbers(tree)) is not None and all(x == 1 for row in entries for x in row):
            return False
    shape = scope.shape(tree) or (1, 1)
    known = is_condition(tree, lambda x: _has_zeros_and_ones(x, scope)) or scope.is_mask_by_query(tree)
    return known and min(shape) > 1


def _has_zeros_and_ones(name: str, scope: Context) -> bool:
    """Return whether all entries of a given or step are known to be 0 or 1."""
    entries = scope.numbers(Name(name))
    return scope.truth.get(name, False) or entries is not None and all(x in (0, 1) for row in entries for x in row)


def _of_numbers(sign: str, operand: Tree) -> str:
    """Return the warning about `&`, `|`, `~`, `and` or `or` with an operand that has entries other than 0 and 1."""
    x = shorten(unparse(operand))
    condition = pasted(Binary("!=", operand, Number("0")))
    if sign == "~":
        inverted, whole = Binary("==", operand, Number("0")), Binary("-", Number("-1"), operand)
        first, second = (pasted(each) for each in (inverted, whole))
        return (
            f"~{x if isinstance(operand, Name) else f'({x})'} means {first}; for whole numbers, NumPy computes {second}"
        )
    return f"in attncalc, {sign} treats {x} as {condition}, and the result is 0 or 1; {_IN_PYTHON[sign]}"


def _counts(tree: Tree) -> str:
    """Return the warning about a sum or a matrix product of comparisons, with formulas for both meanings."""
    shown, counted, joined = (pasted(each) for each in (tree, _counted(tree), _any(tree)))
    return f"{shown} counts true comparisons, like {counted}; NumPy's result is Boolean, like {joined}"


def _operands(tree: Tree) -> tuple[Tree, ...]:
    """Return the operands of a sum or a matrix product; an empty tuple for other formulas."""
    match tree:
        case Binary("+" | "@", a, b) | Call("dot" | "inner", (a, b)):
            return a, b
    return ()


def _with(tree: Tree, a: Tree, b: Tree) -> Tree:
    return tree.but(left=a, right=b) if isinstance(tree, Binary) else tree.but(arguments=(a, b))


def _counted(tree: Tree) -> Tree:
    """Return a formula that counts true entries also in NumPy."""
    match _operands(tree):
        case (a, b):
            return _with(tree, _counted(a), _counted(b) if _operands(b) else b)
    return Binary("*", Number("1"), tree)


def _any(tree: Tree) -> Tree:
    """Return a formula that gives only 0 and 1 also in attncalc."""
    match _operands(tree):
        case (a, b) if isinstance(tree, Binary) and tree.operator == "+":
            return Call("maximum", (_any(a), _any(b)))
        case (a, b):
            return Binary(">", _with(tree, _any(a), _any(b)), Number("0"))
    return tree
