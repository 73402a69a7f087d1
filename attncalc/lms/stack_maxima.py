"""Formulas of a plan in Maxima: matrices of floats, and total functions that return `und` for undefined values.

A student's input may make a square root or a quotient impossible. An error would end the marking of all parts, so every
function tests its arguments first. −∞ is `minf`, which only a mask produces.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..formula.typed_formula import Entry, Node, rules
from .formula_translation import NotInLanguage

# Definitions of functions by name: first of numbers, then of matrices.
PRELUDE = {
    "ac_plus": "ac_plus(x,y):=if numberp(x) and numberp(y) then x+y else if is(x=minf) and (numberp(y) or is(y=minf)) "
               "then minf "
    "else if is(y=minf) and numberp(x) then minf else und",
    "ac_minus": "ac_minus(x,y):=if numberp(y) then ac_plus(x,-y) else und",
    "ac_times": "ac_times(x,y):=if numberp(x) and numberp(y) then x*y else if is(x=minf) and numberp(y) then (if "
                "is(y>0) then minf else und) "
    "else if is(y=minf) and numberp(x) then (if is(x>0) then minf else und) else und",
    "ac_over": "ac_over(x,y):=if numberp(y) then (if is(y=0) then und else if is(abs(y)<1e-300) then und else "
               "ac_times(x,float(1/y))) else und",
    "ac_power": "ac_power(x,y):=if numberp(x) and numberp(y) then (if is(x>0) then (if is(abs(y*log(float(x)))<690) "
                "then float(x)^y else und) "
    "else if is(x=0) then (if is(y>0) then 0 else und) else if is(y=floor(y)) and is(abs(y)<100) then "
    "float(x)^floor(y) else und) else und",
    "ac_most": "ac_most(x,y):=if numberp(x) and numberp(y) then max(x,y) else if is(x=minf) then y else if is(y=minf) "
               "then x else und",
    "ac_neg": "ac_neg(x):=if numberp(x) then -x else und",
    "ac_exp": "ac_exp(x):=if is(x=minf) then 0 else if numberp(x) then (if is(x>690) then und "
    "else if is(x<-690) then 0 else exp(float(x))) else und",
    "ac_log": "ac_log(x):=if numberp(x) then (if is(x>0) then log(float(x)) else if is(x=0) then minf else und) else "
              "und",
    "ac_sqrt": "ac_sqrt(x):=if numberp(x) then (if is(x>=0) then sqrt(float(x)) else und) else und",
    "ac_sin": "ac_sin(x):=if numberp(x) then sin(float(x)) else und",
    "ac_cos": "ac_cos(x):=if numberp(x) then cos(float(x)) else und",
    "ac_tanh": "ac_tanh(x):=if is(x=minf) then -1 else if numberp(x) then (if is(abs(x)>20) "
    "then (if is(x>0) then 1 else -1) else tanh(float(x))) else und",
    "ac_erf": "ac_erf(x):=if is(x=minf) then -1 else if numberp(x) then erf(float(x)) else und",
    "ac_abs": "ac_abs(x):=if numberp(x) then abs(x) else und",
    "ac_floor": "ac_floor(x):=if numberp(x) then floor(x) else und",
    "ac_at": "ac_at(a,i,j):=a[min(i,length(a)),min(j,length(a[1]))]",
    "ac_const": "ac_const(x,n,m):=genmatrix(lambda([i,j],x),n,m)",
    "ac_dot": "ac_dot(a,b,i,j):=block([s:0,k],for k:1 thru length(b) do s:ac_plus(s,ac_times(a[i,k],b[k,j])),s)",
    "ac_matmul": "ac_matmul(a,b):=genmatrix(lambda([i,j],ac_dot(a,b,i,j)),length(a),length(b[1]))",
    "ac_take": "ac_take(a,r,c):=genmatrix(lambda([i,j],a[r[i],c[j]]),length(r),length(c))",
    "ac_beside": "ac_beside(a,b):=genmatrix(lambda([i,j],if is(j<=length(a[1])) then a[i,j] else b[i,j-length(a[1])]),"
    "length(a),length(a[1])+length(b[1]))",
    "ac_below": "ac_below(a,b):=genmatrix(lambda([i,j],if is(i<=length(a)) then a[i,j] else "
                "b[i-length(a),j]),length(a)+length(b),length(a[1]))",
    "ac_rowsum": "ac_rowsum(a,i):=block([s:0,k],for k:1 thru length(a[1]) do s:ac_plus(s,a[i,k]),s)",
    "ac_rowmax": "ac_rowmax(a,i):=block([s:minf,k],for k:1 thru length(a[1]) do s:ac_most(s,a[i,k]),s)",
    "ac_sums": "ac_sums(a):=genmatrix(lambda([i,j],ac_rowsum(a,i)),length(a),1)",
    "ac_tops": "ac_tops(a):=genmatrix(lambda([i,j],ac_rowmax(a,i)),length(a),1)",
    "ac_empty": "ac_empty(t,i,e,w):=if is(t[i,1]=minf) then e else w",
    "ac_softmax": "ac_softmax(a,e):=block([t,p,s],t:ac_tops(a),"
                  "p:genmatrix(lambda([i,j],ac_exp(ac_minus(a[i,j],t[i,1]))),length(a),length(a[1])),"
                  "s:ac_sums(p),genmatrix(lambda([i,j],ac_empty(t,i,e,ac_over(p[i,j],s[i,1]))),length(a),length(a[1])))",
    "ac_fold": "ac_fold(a,m):=genmatrix(lambda([i,j],a[1,(i-1)*m+j]),length(a[1])/m,m)",
    "ac_flat": "ac_flat(a):=genmatrix(lambda([i,j],"
               "a[floor((j-1)/length(a[1]))+1,j-floor((j-1)/length(a[1]))*length(a[1])]),"
               "1,length(a)*length(a[1]))",
    "ac_kept": "ac_kept(x,m,f):=if numberp(m) then (if is(m=0) then f else x) else und",
    "ac_keep": "ac_keep(a,m,f,r,c):=genmatrix(lambda([i,j],ac_kept(ac_at(a,i,j),ac_at(m,i,j),f[1,1])),r,c)",
}  # fmt: skip
_PAIRS = {
    "add": "ac_plus",
    "sub": "ac_minus",
    "mul": "ac_times",
    "div": "ac_over",
    "pow": "ac_power",
    "maximum": "ac_most",
}
_EACH = {name: f"ac_{name}" for name in ("neg", "exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "abs", "floor")}
EMPTY = {"error": "und", "zeros": "0"}
_FUNCTION_NAME = re.compile(r"ac_\w+")


def number(x: Entry) -> str:
    """Return a number exactly, as an integer or a fraction."""
    if not isinstance(x, Fraction):
        return "minf" if x < 0 else "und"
    text = str(x.numerator) if x.denominator == 1 else f"{x.numerator}/{x.denominator}"
    return f"({text})" if x < 0 else text


def matrix(rows: list[list[str]]) -> str:
    """`matrix([1,2],[3,4])`"""
    return f"matrix({','.join(f'[{chr(44).join(row)}]' for row in rows)})"


def formula(node: Node, names: Callable[[str], str]) -> str:
    """Return the expression of a node; `names` maps keys of givens and steps to variables. Raises NotInLanguage."""
    rule = _RULES.get(node.operation)
    if rule is None:
        raise NotInLanguage(node.operation)
    return str(rule(_Printer(names), node))


def required_definitions(texts: list[str]) -> list[str]:
    """Return the definitions that these texts call, directly or indirectly, in the order of PRELUDE."""
    called: set[str] = set()
    waiting = texts
    while waiting:
        new = {name for text in waiting for name in _FUNCTION_NAME.findall(text)} - called
        called |= new
        waiting = [PRELUDE[name] for name in new if name in PRELUDE]
    return [text for name, text in PRELUDE.items() if name in called]


class _Printer:
    def __init__(self, names: Callable[[str], str]):
        self.names = names

    def expression(self, node: Node) -> str:
        return formula(node, self.names)

    def genmatrix(self, node: Node, entry: str) -> str:
        n, m = node.shape
        return f"genmatrix(lambda([i,j],{entry}),{n},{m})"

    def _literal(self, node: Node) -> str:
        return matrix([[number(x) for x in row] for row in node.params[0]])

    def _pi(self, node: Node) -> str:
        return "matrix([float(%pi)])"

    def _ref(self, node: Node) -> str:
        return self.names(node.params[0])

    def _matrix(self, node: Node) -> str:
        entries, m = [f"ac_at({self.expression(argument)},1,1)" for argument in node.args], node.shape[1]
        return matrix([entries[k : k + m] for k in range(0, len(entries), m)])

    def _pair(self, node: Node) -> str:
        a, b = map(self.expression, node.args)
        entry = f"{_PAIRS[node.operation]}(ac_at(a,i,j),ac_at(b,i,j))"
        return f"block([a,b],a:{a},b:{b},{self.genmatrix(node, entry)})"

    _add = _sub = _mul = _div = _pow = _maximum = _pair

    def _unary(self, node: Node) -> str:
        return (
            f"block([a],a:{self.expression(node.args[0])},{self.genmatrix(node, f'{_EACH[node.operation]}(a[i,j])')})"
        )

    _neg = _exp = _log = _sqrt = _sin = _cos = _tanh = _erf = _abs = _floor = _unary

    def _matmul(self, node: Node) -> str:
        return f"ac_matmul({self.expression(node.args[0])},{self.expression(node.args[1])})"

    def _transpose(self, node: Node) -> str:
        return f"transpose({self.expression(node.args[0])})"

    def _take(self, node: Node) -> str:
        a, (rows, columns) = node.args[0], node.params
        chosen = (rows or range(a.shape[0]), columns or range(a.shape[1]))
        listed = (f"[{','.join(str(k + 1) for k in indices)}]" for indices in chosen)
        return f"ac_take({self.expression(a)},{','.join(listed)})"

    def _row_sum(self, node: Node) -> str:
        return f"ac_sums({self.expression(node.args[0])})"

    def _row_max(self, node: Node) -> str:
        return f"ac_tops({self.expression(node.args[0])})"

    def _softmax(self, node: Node) -> str:
        (axis, empty), (n, m), a = node.params, node.shape, self.expression(node.args[0])
        if axis == "all":
            return f"ac_fold(ac_softmax(ac_flat({a}),{EMPTY.get(empty, f'1/{n * m}')}),{m})"
        return f"ac_softmax({a},{EMPTY.get(empty, f'1/{m}')})"

    def _keep(self, node: Node) -> str:
        n, m = node.shape
        return f"ac_keep({','.join(map(self.expression, node.args))},{n},{m})"

    def _stack(self, node: Node) -> str:
        stack, join = self.expression(node.args[0]), "ac_beside" if node.operation == "hstack" else "ac_below"
        for argument in node.args[1:]:
            stack = f"{join}({stack},{self.expression(argument)})"
        return stack

    _hstack = _vstack = _stack


_RULES: dict[str, Callable[..., Any]] = rules(_Printer)
