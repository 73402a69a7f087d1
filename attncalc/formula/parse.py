"""Text to tree: Python's expression syntax, read with `ast` and never run; numbers come from the text itself."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from functools import lru_cache

from ..errors import FormulaError, shorten
from .tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree

LONGEST_FORMULA = 4_000
DEEPEST_FORMULA = 60
LONGEST_NUMBER = 1_000
LARGEST_EXPONENT = 1_000

RESERVED = frozenset({"e", "pi", "inf", "T"})
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DECIMAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?")
# What people paste from slides and word processors, put back into ASCII; one character for one, so that offsets hold.
_TYPOGRAPHY = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "\u00a0": " ", "’": "'", "“": '"', "”": '"'})
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**",
}  # fmt: skip


@lru_cache(maxsize=4096)
def parse(text: str) -> Tree:
    """The tree of a formula. Raises FormulaError with an offset into `text`."""
    if len(text) > LONGEST_FORMULA:
        raise FormulaError(f"a formula has at most {LONGEST_FORMULA} characters; this one has {len(text)}")
    source = _plain(text)
    if not source.strip():
        raise FormulaError("a formula is required, nothing stands there")
    _check_depth(source)
    _check_numbers(source)
    try:
        # The brackets let a formula run over several lines.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice on escapes is for its own programs
            body = ast.parse(f"({source}\n)", mode="eval").body
    except SyntaxError as error:
        raise FormulaError(_syntax(source, error), max(0, (error.offset or 2) - 2)) from None
    except (RecursionError, MemoryError, ValueError):
        raise FormulaError("the formula is nested too deeply") from None
    return _Reader(source).read(body, 0)


def is_name(text: str) -> bool:
    """Whether a given or a step may be called so."""
    return bool(NAME.fullmatch(text)) and text not in RESERVED and not keyword.iskeyword(text)


def _plain(text: str) -> str:
    # The sign of infinity takes three letters, so it is replaced last and only by itself.
    return text.translate(_TYPOGRAPHY).replace("∞", "inf")


def _check_depth(source: str) -> None:
    depth = 0
    for at, character in enumerate(source):
        depth += (character in "([{") - (character in ")]}")
        if depth > DEEPEST_FORMULA:
            raise FormulaError(f"brackets may be nested {DEEPEST_FORMULA} deep", at)
        if depth < 0:
            raise FormulaError("this bracket closes nothing", at)


def _check_numbers(source: str) -> None:
    for match in re.finditer(r"\d+", source):
        if len(match[0]) > LONGEST_NUMBER:
            raise FormulaError(f"a number has at most {LONGEST_NUMBER} digits; this one has {len(match[0])}", match.start())


def _syntax(source: str, error: SyntaxError) -> str:
    shown = shorten(source.strip())
    if re.fullmatch(r"[+-]?\d+,\d+", source.strip()):
        return f"a number is required, {shown!r} stands there; decimal comma? Write {source.strip().replace(',', '.')}"
    if re.search(r"[\d\w)]\s+[\d\w(]", source):
        return f"a formula is required, {shown!r} stands there; is a comma or an operator missing?"
    if "^" in source:
        return f"a formula is required, {shown!r} stands there; a power is written **"
    if "=" in source:
        return f"a formula is required, {shown!r} stands there; the name stands before the colon, without ="
    if source.count("(") != source.count(")") or source.count("[") != source.count("]"):
        return f"a formula is required, {shown!r} stands there; its brackets do not match"
    return f"a formula is required, {shown!r} stands there"


class _Reader:
    """Turns Python's tree into ours, and refuses everything that the language does not have."""

    def __init__(self, source: str):
        self.source = source
        self.lines = f"({source}\n)".splitlines(keepends=True)

    def at(self, node: ast.AST) -> int:
        before = sum(len(line) for line in self.lines[: node.lineno - 1])  # type: ignore[attr-defined]
        line = self.lines[node.lineno - 1].encode()  # type: ignore[attr-defined]
        return before + len(line[: node.col_offset].decode()) - 1  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        return ast.get_source_segment("".join(self.lines), node) or ""

    def read(self, node: ast.expr, depth: int) -> Tree:
        at = self.at(node)
        if depth > DEEPEST_FORMULA * 4:
            raise FormulaError("the formula is nested too deeply", at)
        deeper = depth + 1
        match node:
            case ast.Constant(value=str() as value):
                return Text(value, at)
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return self.number(node, at)
            case ast.Name(id=name):
                return Name(name, at)
            case ast.Attribute(value=value, attr="T"):
                return Transpose(self.read(value, deeper), at)
            case ast.Attribute():
                return Name(self.dotted(node), at)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Negate(self.read(operand, deeper), at)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand, deeper)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                return Binary(_OPERATORS[type(operator)], self.read(left, deeper), self.read(right, deeper), at)
            case ast.Subscript(value=value, slice=inside):
                return self.index(value, inside, at, deeper)
            case ast.Call(func=ast.Name(id=function), args=args, keywords=keywords):
                return self.call(function, args, keywords, at, deeper)
        raise FormulaError(f"the formula language has no {_what(node)}: {shorten(self.text(node))!r}", at)

    def number(self, node: ast.expr, at: int) -> Number:
        text = self.text(node)
        match = _DECIMAL.fullmatch(text)
        if match is None:
            raise FormulaError(f"a decimal number is required, {shorten(text)!r} stands there", at)
        if match[1] and (len(match[1]) > 6 or abs(int(match[1])) > LARGEST_EXPONENT):
            raise FormulaError(f"exponents go from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}; {shorten(text)!r} stands there", at)
        return Number(text, at)

    def dotted(self, node: ast.Attribute) -> str:
        parts = [node.attr]
        value: ast.expr = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            raise FormulaError("only .T may follow a bracket", self.at(node))
        return ".".join([value.id, *reversed(parts)])

    def index(self, value: ast.expr, inside: ast.expr, at: int, depth: int) -> Index:
        items = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if not 1 <= len(items) <= 2:
            raise FormulaError("an index has one or two places: A[row] or A[row, column]", at)
        read = [self.item(item, depth) for item in items]
        return Index(self.read(value, depth), read[0], read[1] if len(read) == 2 else None, at)

    def item(self, node: ast.expr, depth: int) -> Tree | Slice:
        if not isinstance(node, ast.Slice):
            return self.read(node, depth)
        if node.step is not None:
            raise FormulaError("a slice has a start and a stop, no step", self.at(node.step))
        return Slice(node.lower and self.read(node.lower, depth), node.upper and self.read(node.upper, depth))

    def call(self, function: str, args: list[ast.expr], keywords: list[ast.keyword], at: int, depth: int) -> Call:
        if any(k.arg is None for k in keywords):
            raise FormulaError("** before an argument is not part of the formula language", at)
        options = tuple((str(k.arg), self.read(k.value, depth)) for k in keywords)
        return Call(function, tuple(self.read(a, depth) for a in args), options, at)


def _what(node: ast.expr) -> str:
    words = {
        ast.List: "lists inside formulas (put the matrix under given)", ast.Tuple: "tuples", ast.Compare: "comparisons",
        ast.BoolOp: "and/or", ast.Lambda: "functions of your own", ast.IfExp: "if", ast.JoinedStr: "f-strings",
        ast.Dict: "dictionaries", ast.Set: "sets", ast.Starred: "* before an argument", ast.NamedExpr: ":=",
        ast.Call: "methods", ast.Constant: "such constant",
    }  # fmt: skip
    if isinstance(node, ast.BinOp):
        return {ast.BitXor: "^ (a power is **)", ast.FloorDiv: "//", ast.Mod: "%"}.get(type(node.op), "such operator")
    return words.get(type(node), f"{type(node).__name__.lower()}")
