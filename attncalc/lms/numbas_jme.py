"""Formulas of a plan in JME, the language of Numbas. A matrix is a list of rows; an undefined value is NaN, which
propagates.

Roots and logarithms of negative numbers are complex in JME, so their arguments are tested first. −∞ is a number in JME.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..formula.typed_formula import Entry, Node, rules
from .formula_translation import NotInLanguage

_PAIRS = {
    "add": "{x}+{y}", "sub": "{x}-{y}", "mul": "{x}*{y}", "div": "if({y}=0,NaN,{x}/{y})",
    "maximum": "if({x}>={y},{x},{y})",
    "pow": "if({x}>0,{x}^{y},if({x}=0 and {y}>0,0,if({y}=floor({y}) and {x}<>0,{x}^{y},NaN)))",
}  # fmt: skip
_EACH = {
    "neg": "-({x})", "exp": "exp({x})", "log": "if({x}>0,ln({x}),if({x}=0,-infinity,NaN))",
    "sqrt": "if({x}>=0,sqrt({x}),NaN)", "sin": "sin({x})",
    "cos": "cos({x})", "tanh": "if(abs({x})>20,if({x}>0,1,-1),tanh({x}))", "abs": "abs({x})", "floor": "floor({x})",
}  # fmt: skip
_EMPTY = {"error": "NaN", "zeros": "0"}


def number(x: Entry) -> str:
    """Return a number exactly, as an integer or a fraction."""
    if not isinstance(x, Fraction):
        return "(-infinity)" if x < 0 else "infinity"
    text = str(x.numerator) if x.denominator == 1 else f"{x.numerator}/{x.denominator}"
    return f"({text})" if x < 0 or x.denominator > 1 else text


def rows(cells: list[list[str]]) -> str:
    """`[[1,2],[3,4]]`"""
    return f"[{','.join(f'[{chr(44).join(row)}]' for row in cells)}]"


def formula(node: Node, names: Callable[[str], str]) -> str:
    """Return the expression of a node; `names` maps keys of givens and steps to variables. Raises NotInLanguage."""
    rule = _RULES.get(node.operation)
    if rule is None or node.params[:1] == ("all",):
        raise NotInLanguage(node.operation)
    return str(rule(_Printer(names), node))


def _each(n: int, m: int, entry: str) -> str:
    """Return a matrix by its entries; p is the row and q the column."""
    return f"map(map({entry},q,0..{m - 1}),p,0..{n - 1})"


def _at(name: str, node: Node) -> str:
    """Return an entry of a matrix that is broadcast along an axis of length 1."""
    n, m = node.shape
    return f"{name}[{'p' if n > 1 else 0}][{'q' if m > 1 else 0}]"


class _Printer:
    def __init__(self, names: Callable[[str], str]):
        self.names = names

    def let(self, node: Node, body: str) -> str:
        """Return `body` with the arguments bound to a, b and c."""
        bound = ",".join(
            f"{name},{formula(argument, self.names)}" for name, argument in zip("abc", node.args, strict=False)
        )
        return f"let({bound},{body})"

    def _literal(self, node: Node) -> str:
        return rows([[number(x) for x in row] for row in node.params[0]])

    def _pi(self, node: Node) -> str:
        return "[[pi]]"

    def _ref(self, node: Node) -> str:
        return self.names(node.params[0])

    def _matrix(self, node: Node) -> str:
        entries, m = [f"({formula(argument, self.names)})[0][0]" for argument in node.args], node.shape[1]
        return rows([entries[k : k + m] for k in range(0, len(entries), m)])

    def _pair(self, node: Node) -> str:
        x, y = (_at(name, argument) for name, argument in zip("ab", node.args, strict=True))
        return self.let(node, _each(*node.shape, _PAIRS[node.operation].format(x=x, y=y)))

    _add = _sub = _mul = _div = _pow = _maximum = _pair

    def _unary(self, node: Node) -> str:
        return self.let(node, _each(*node.shape, _EACH[node.operation].format(x="a[p][q]")))

    _neg = _exp = _log = _sqrt = _sin = _cos = _tanh = _abs = _floor = _unary

    def _matmul(self, node: Node) -> str:
        inner = node.args[1].shape[0]
        return self.let(node, _each(*node.shape, f"sum(map(a[p][k]*b[k][q],k,0..{inner - 1}))"))

    def _transpose(self, node: Node) -> str:
        return self.let(node, _each(*node.shape, "a[q][p]"))

    def _take(self, node: Node) -> str:
        a, (down, across) = node.args[0], node.params
        chosen = [",".join(map(str, indices)) for indices in (down or range(a.shape[0]), across or range(a.shape[1]))]
        return self.let(node, f"map(map(a[p][q],q,[{chosen[1]}]),p,[{chosen[0]}])")

    def _row_sum(self, node: Node) -> str:
        return self.let(node, f"map([sum(a[p])],p,0..{node.shape[0] - 1})")

    def _row_max(self, node: Node) -> str:
        return self.let(node, f"map([max(a[p])],p,0..{node.shape[0] - 1})")

    def _softmax(self, node: Node) -> str:
        (n, m), empty = node.shape, _EMPTY.get(node.params[1], f"1/{node.shape[1]}")
        nothing, powers = f"map({empty},q,0..{m - 1})", f"map(exp(a[p][q]-t),q,0..{m - 1})"
        shares = f"let(w,{powers},s,sum(w),map(w[q]/s,q,0..{m - 1}))"
        return self.let(node, f"map(let(t,max(a[p]),if(t=-infinity,{nothing},{shares})),p,0..{n - 1})")

    def _keep(self, node: Node) -> str:
        return self.let(node, _each(*node.shape, f"if({_at('b', node.args[1])}=0,c[0][0],{_at('a', node.args[0])})"))

    def _hstack(self, node: Node) -> str:
        parts = "+".join(f"({formula(argument, self.names)})[p]" for argument in node.args)
        return f"map({parts},p,0..{node.shape[0] - 1})"

    def _vstack(self, node: Node) -> str:
        return "+".join(formula(argument, self.names) for argument in node.args)


_RULES: dict[str, Callable[..., Any]] = rules(_Printer)
