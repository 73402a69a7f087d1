"""Paths to subformulas of steps, and functions on formula trees."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..formula.syntax_tree import Binary, Call, Index, Negate, Number, Text, Transpose, Tree
from ..plan import Step

_SOFTMAX = {"rows": "softmax", "columns": "softmax_cols", "all": "softmax_all"}


@dataclass(frozen=True, slots=True)
class TreePath:
    """A subformula of a step: the operand numbers on the way to it, and the subformula itself."""

    step: Step
    path: tuple[int, ...]
    tree: Tree

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        """Unique key of the path in its plan."""
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
    """Return the tree with the subtree at a path replaced."""
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
    """Return the outermost operation of a formula; "" for a name or a number."""
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
    """Return the canonical name and options of a function: softmax_rows(S) and softmax(S, axis="rows") are one."""
    options = dict(call.options)
    if call.function in ("softmax", "softmax_rows"):
        axis = options.pop("axis", None)
        return _SOFTMAX[axis.value if isinstance(axis, Text) and axis.value in _SOFTMAX else "rows"], options
    return call.function, options


def is_root(tree: Tree) -> bool:
    """True if a formula is a square root."""
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
    """Return operation and options of a formula, without its operands."""
    match tree:
        case Binary(operator):
            return (operator,)
        case Call(function, _, options):
            return function, options
        case Index(_, rows, columns):
            return rows, columns
    return (type(tree).__name__,)
