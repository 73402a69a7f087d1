"""Converts text to a tree. Python's `ast` parses the text, and nothing is executed. Numbers remain texts, not
floats.
"""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple, TypeGuard

from .. import limits
from ..errors import FormulaError, counted, shorten, size
from ..errors import meant as proposed
from .compat import library_calls, library_syntax
from .compat.meanings import MEANINGS
from .syntax_errors import (
    MISSING,
    PRIME,
    check_characters,
    check_depth,
    check_numbers,
    refuse_tuple,
    syntax,
    syntax_offset,
    two_entries,
)
from .syntax_tree import (
    NO_SOURCE,
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Source,
    Text,
    Transpose,
    Tree,
    is_condition,
    unparse,
)

LONGEST_FORMULA = limits.FORMULA.most
LONGEST_PROPOSED = 300
LARGEST_EXPONENT = limits.EXPONENT.most


class Reading(NamedTuple):
    """A possible meaning of a text: a formula, and its shape if known. `warnings` describe the other meanings of the
    text.
    """

    tree: Tree
    shape: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()


Readings = Callable[[Sequence[Tree], str], list[Reading]]  # returns the readings of a text that fit the problem

RESERVED = frozenset({"pi", "π", "inf"})
LETTER = "A-Za-z_Α-Ωα-ω"
WORD = rf"[{LETTER}][{LETTER}0-9]*"
NAME_FORM = rf"{WORD}(?:'+(?:_[{LETTER}0-9]+)?)?"  # W, λ, W', W'_Q
_DECIMAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_QUOTES = "\"'“‘"
_TEXT = r"""(")((?:[^"\\]|\\.)*)"|(?<![\w'′’])(')((?:[^'\\]|\\.)*)'|(“)([^”"\\]*)”|(‘)([^’'\\]*)’"""
# Characters from slides and word processors become ASCII characters, and offsets do not change.
# The infinity sign becomes this letter, which Python reads as a name and which formulas may not contain.
_INFINITY = "ꚙ"
_TYPOGRAPHY = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "\u00a0": " ", "\r": " "}
    | dict(zip("ϕϵϑϱµ", "φεθρμ", strict=True))
)
_DOTS = "·×"  # signs that are read as *
_PRIMES = r"(?<=[\w'′’])['′’]"
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**",
    ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip

_JOINS = {"c_": "column_stack", "r_": "concatenate"}  # NumPy's np.c_[A, B] and np.r_[A, B]


def once(readings: Readings) -> Readings:
    """Return a function that caches the readings of each text."""
    known: dict[str, list[Reading]] = {}

    def of_text(trees: Sequence[Tree], text: str) -> list[Reading]:
        if text not in known:
            known[text] = readings(trees, text)
        return known[text]

    return of_text


def parse(text: str, readings: Readings | None = None, matrices: frozenset[str] = frozenset()) -> Tree:
    """Parse a formula. Raises FormulaError with an offset in `text` and a suggestion.

    `readings` returns the readings that fit the names and shapes of the problem. `matrices` are names of library
    modules, such as F, that are matrices in the problem. Then `F.sum()` is a method of the matrix F.
    """
    if len(text) > LONGEST_FORMULA:
        raise FormulaError(limits.FORMULA.exceeded(len(text)))
    try:
        return read(text, matrices=matrices)
    except FormulaError as error:
        try:
            fitting = meant(text, readings)
        except FormulaError as named:
            raise FormulaError(named.description, error.at) from None
        if not (proposal := proposal_of(fitting)):
            raise
        description = error.description.removesuffix(MISSING)
        raise FormulaError(description, error.at, proposal=proposal, warnings=warnings_of(fitting)) from None


def pasted(tree: Tree) -> str:
    """Return a formula's text for a message. It is shortened only if very long, so that authors can paste it."""
    return shorten(unparse(tree), LONGEST_PROPOSED)


def proposal_of(readings: list[Reading]) -> str:
    """Return `; did you mean x.T @ y (2 × 2) or x @ y.T (1 × 1)?`: each reading with its shape.

    Returns an empty string if a reading cannot be parsed again.
    """
    shown = []
    for tree, shape, _ in readings:
        text = unparse(tree)
        try:
            if len(text) > LONGEST_PROPOSED or unparse(read(text)) != text:
                return ""
        except FormulaError:
            return ""
        shown.append(f"{text} ({size(shape)})" if shape else text)
    return proposed(" or ".join(shown)) if shown else ""


def warnings_of(readings: list[Reading]) -> tuple[str, ...]:
    """Return the warnings of all readings, without duplicates."""
    return tuple(dict.fromkeys(warning for reading in readings for warning in reading.warnings))


def as_pasted(tree: Tree) -> Tree:
    """Return the tree that the parser makes from a formula's text. Its parts lose their sources."""
    try:
        return read(unparse(tree))
    except FormulaError:
        return tree


def meant(text: str, readings: Readings | None = None) -> list[Reading]:
    """Return the readings of a formula, which may be in the notation of a paper; an empty list if there are none."""
    from .compat.paper_notation import forms  # imported here, because only formulas with an error need it

    paper_forms = forms(text) if len(text) <= LONGEST_FORMULA else []
    for written, regrouped in (([text], False), (paper_forms, False), ([text], True), (paper_forms, True)):
        trees = [tree for form in written if (tree := _readable(form, regrouped)) is not None]
        if trees and (readings is None or (written, regrouped) == ([text], False)):
            return [Reading(tree) for tree in trees]
        if trees and readings is not None:
            return readings(trees, text)
    return []


def _readable(form: str, regrouped: bool) -> Tree | None:
    from .compat.paper_notation import by_entries

    try:
        return by_entries(read(form, regrouped))
    except FormulaError:
        return None


@lru_cache(maxsize=4096)
def read(text: str, regrouped: bool = False, matrices: frozenset[str] = frozenset()) -> Tree:
    """Parse a formula without a limit on its length.

    In Python, & and | bind more tightly than comparisons. With `regrouped`, they bind less tightly, and `X & 1` and
    `np.softmax` are accepted. Otherwise such formulas raise FormulaError.
    """
    if not text.strip():
        raise FormulaError("expected a formula, found nothing")
    source, code = _plain(text)
    check_characters(code)
    check_depth(code)
    check_numbers(code)
    try:
        # The brackets allow formulas of several lines.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about escapes are only useful for Python programs
            body = ast.parse(f"({source}\n)", mode="eval").body
    except SyntaxError as error:
        raise FormulaError(syntax(text, code), syntax_offset(text, error)) from None
    except ValueError:  # quotes with characters that are not valid Unicode
        raise FormulaError(syntax(text, code)) from None
    except (RecursionError, MemoryError):
        raise FormulaError(limits.CHAIN.exceeded("more")) from None
    return _Reader(source, text, regrouped, matrices).read(body, 0)


def is_name(text: str) -> bool:
    """Return whether a given or a step may have this name."""
    is_plain = text.isascii() and text.isidentifier()
    formed = is_plain or re.fullmatch(NAME_FORM, text) is not None
    return formed and text not in RESERVED and not keyword.iskeyword(text)


def _plain(text: str) -> tuple[str, str]:
    """Return the formula in ASCII (except for texts in quotes), and a copy in which blanks replace these texts."""
    source, code, done = [], [], 0
    has_texts = any(quote in text for quote in _QUOTES)  # few formulas have quotes
    for match in re.finditer(_TEXT, text, re.DOTALL) if has_texts else ():
        quote = '"' if match[1] or match[5] else "'"
        inside = next(part for part in match.groups()[1::2] if part is not None)
        between = _between(text[done : match.start()])
        source += [between.replace("∞", _INFINITY), quote, inside, quote]
        code += [between, quote, " " * len(inside), quote]
        done = match.end()
    rest = _between(text[done:])
    return "".join([*source, rest.replace("∞", _INFINITY)]), "".join([*code, rest])


def _between(text: str) -> str:
    has_primes = any(prime in text for prime in "'′’")
    return (re.sub(_PRIMES, PRIME, text) if has_primes else text).translate(_TYPOGRAPHY)


class _Reader:
    """Converts Python's tree to a formula's tree. Raises FormulaError for syntax that the formula language does not
    have.
    """

    def __init__(self, source: str, written: str, regrouped: bool, matrices: frozenset[str]):
        self.source = source
        self.written = written  # the author's text, with the same offsets
        self.has_dots = any(sign in written for sign in _DOTS)
        self.regrouped = regrouped
        self.modules = library_syntax.MODULES - matrices
        self.lines = f"({source}\n)".split("\n")
        self.starts = [-1]  # the offsets of lines; -1, because a bracket was added before the first line
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, line: int, column: int) -> int:
        """Return the offset in the text for Python's line and column. A column is a number of bytes."""
        return max(0, self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode()))

    def at(self, node: ast.expr) -> int:
        return self.offset(node.lineno, node.col_offset)

    def text(self, node: ast.expr) -> str:
        text = self.source[self.at(node) : self.offset(node.end_lineno or 1, node.end_col_offset or 1)]
        return text.strip().replace(_INFINITY, "∞").replace(PRIME, "'")

    def read(self, node: ast.expr, depth: int) -> Tree:  # noqa: C901, PLR0912  # one case for each form of syntax
        at = self.at(node)
        if depth > limits.CHAIN.most:
            raise FormulaError(limits.CHAIN.exceeded("more"), at)
        deeper = depth + 1
        match node:
            case ast.Constant(value=str() as value):
                return Text(value, at)
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return self.number(node, at)
            case ast.Name(id=name):
                return Name({_INFINITY: "inf", "π": "pi"}.get(name, name).replace(PRIME, "'"), at)
            case ast.Attribute(value=value, attr="T" | "mT" | "mH"):
                return Transpose(self.read(value, deeper), at)
            case ast.Attribute(value=before, attr="inf" | "pi" | "e" | "newaxis") if self.path(before):
                return (
                    Name({"newaxis": "none"}.get(node.attr, node.attr), at)
                    if node.attr != "e"
                    else Call("exp", (Number("1", at),), (), at)
                )
            case ast.Attribute(value=ast.Call() as pair, attr="values" | "indices" as part):
                return library_syntax.part_of_pair(self.read(pair, deeper), part == "indices", at)
            case ast.Attribute():
                return Name(self.dotted(node), at)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Negate(self.read(operand, deeper), at)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand, deeper)
            case ast.UnaryOp(op=ast.Not() | ast.Invert() as sign, operand=operand):
                inverted = Binary("==", self.read(operand, deeper), Number("0"), at)
                return inverted.copied_from(Source(bits="~")) if isinstance(sign, ast.Invert) else inverted
            case ast.Constant(value=bool() | None as value):
                truth = Source(truth=True)
                return Number("01"[value], at).copied_from(truth) if value is not None else Name("none", at)
            case ast.Compare(left=left, ops=signs, comparators=others) if all(
                type(sign) in _COMPARISONS for sign in signs
            ):
                sides = [left, *others]
                if self.is_inverted(left):
                    if not self.regrouped:
                        raise FormulaError(
                            "~ is applied before a comparison, as in Python; put brackets around the comparison", at
                        )
                    inner = ast.copy_location(ast.Compare(left.operand, signs, others), node)
                    return Binary("==", self.read(inner, deeper), Number("0"), at)
                if any(map(self.is_joined, sides)):
                    return self.comparisons(sides, [_COMPARISONS[type(s)] for s in signs], at, deeper)
                return self.comparison(
                    [self.read(side, deeper) for side in sides], [_COMPARISONS[type(s)] for s in signs], at
                )
            case ast.BoolOp(op=sign, values=values):
                word = "and" if isinstance(sign, ast.And) else "or"
                return self.joined(word, [self.read(value, deeper) for value in values], at)
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() as sign, right=right):
                parts = [self.read(left, deeper), self.read(right, deeper)]
                joint = "&" if isinstance(sign, ast.BitAnd) else "|"
                return self.of_bits(joint, parts, at) or self.joined(joint, parts, at)
            case ast.List(elts=items) | ast.Tuple(elts=[_] as items):  # (2,) is a shape
                return self.read_list(items, at, deeper)
            case ast.BinOp(left=ast.Constant() as left, op=ast.Mod()) if self.rest(left).startswith("% "):
                raise FormulaError("write a percentage as a decimal number, as in 0.5 * X; 50 % X is a remainder", at)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
                made = Binary(OPERATORS[type(operator)], self.read(left, deeper), self.read(right, deeper), at)
                return made.keeping(self.dot(left, right))
            case ast.Subscript(value=ast.Attribute(value=value, attr="shape"), slice=inside):
                return library_calls.side(self.read(value, deeper), self.read(inside, deeper), at)
            case ast.Subscript(
                value=ast.Attribute(value=before, attr="c_" | "r_" as attr), slice=ast.Tuple() as items
            ) if path := self.path(before):
                return self.call(_JOINS[attr], [items], [], at, deeper, path)
            case ast.Subscript(value=value, slice=inside):
                return self.index(value, inside, at, deeper)
            case ast.Call(func=ast.Name(id=function), args=args, keywords=keywords):
                return self.call(function, args, keywords, at, deeper)
            case ast.Call(func=ast.Attribute(attr=function) as whole, args=args, keywords=keywords) if (
                path := self.path(whole.value)
            ):
                return self.call(function, args, keywords, at, deeper, path)
            case ast.Call(func=ast.Call(func=layer, args=sizes, keywords=settings), args=args, keywords=keywords) if (
                function := self.layer(layer)
            ):
                return self.call(
                    *library_syntax.layer(function, sizes, settings, args, keywords), at, deeper, ("layer",)
                )
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=args, keywords=keywords) if (
                method in library_syntax.METHODS or method in MEANINGS
            ):
                _refuse_module(value, at)
                return self.call(method, [value, *args], keywords, at, deeper, ("method",))
            case ast.Call(func=ast.Attribute(value=value, attr=kind), args=args, keywords=[]) if (
                kind in library_syntax.KINDS
            ):
                kinds = [kind, *map(self.text, args)] if args else [kind]
                return library_syntax.converted(self.read(value, deeper), kinds, at)
        if isinstance(node, ast.Tuple):
            refuse_tuple(self.text(node), at)
        raise FormulaError(f"the formula language has no {_what(node)}: {shorten(self.text(node))!r}", at)

    def signs_behind_spaces(self, items: Sequence[ast.expr]) -> Source:
        """Return a source with a warning if an item of a list is like `x -y`, which may mean two items."""
        for item in items:
            parts = None if self.is_bracketed(item) else two_entries(self.text(item))
            if parts is not None:
                listed = shorten(", ".join(part.removeprefix("+") for part in parts), LONGEST_PROPOSED)
                what = f"{shorten(self.text(item))} is {'an addition' if parts[1][0] == '+' else 'a subtraction'}"
                return Source(remark=f"{what}; if you mean two entries, as in MATLAB, write {listed}")
        return NO_SOURCE

    def dot(self, left: ast.expr, right: ast.expr) -> Source:
        """Return the source of a product whose sign is a dot or a cross; NO_SOURCE for other signs."""
        if not self.has_dots:
            return NO_SOURCE
        between = self.written[self.offset(left.end_lineno or 1, left.end_col_offset or 1) : self.at(right)]
        return next((Source(sign=sign) for sign in _DOTS if sign in between), NO_SOURCE)

    def rest(self, node: ast.expr) -> str:
        return self.source[self.offset(node.end_lineno or 1, node.end_col_offset or 1) :]

    def layer(self, node: ast.expr) -> str:
        """Return the name of a PyTorch layer in the syntax nn.Softmax(dim=-1)(X); an empty string for other syntax."""
        match node:
            case ast.Name(id=name):
                return name if name in library_syntax.LAYERS else ""
            case ast.Attribute(value=before, attr=name) if self.path(before):
                return name if name in library_syntax.LAYERS else ""
        return ""

    def number(self, node: ast.expr, at: int) -> Number:
        text = self.text(node)
        match = _DECIMAL.fullmatch(text)
        if match is None:
            raise FormulaError(f"expected a decimal number, found {shorten(text)!r}", at)
        if match[1] and (len(match[1]) > 6 or abs(int(match[1])) > LARGEST_EXPONENT):
            raise FormulaError(limits.EXPONENT.exceeded(repr(shorten(text))), at)
        return Number(text, at)

    def dotted(self, node: ast.Attribute) -> str:
        parts = [node.attr]
        value: ast.expr = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            raise FormulaError("after a bracket, the only attribute is .T", self.at(node))
        return ".".join([value.id, *reversed(parts)]).replace(PRIME, "'")

    def index(self, value: ast.expr, inside: ast.expr, at: int, depth: int) -> Tree:
        items = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if not 1 <= len(items) <= 2:
            raise FormulaError("an index needs the form A[row] or A[row, column]", at)
        read = [self.item(item, depth) for item in items]
        if len(read) == 2 and isinstance(read[0], Call) and read[0].function == "arange":
            return library_syntax.picked(self.read(value, depth), read[0], read[1], at)
        operand = self.read(value, depth)
        if len(read) == 1 and operand.source.pair:
            return library_syntax.place_in_pair(operand, read[0], at)
        return Index(operand, read[0], read[1] if len(read) == 2 else None, at)

    def item(self, node: ast.expr, depth: int) -> Tree | Slice:
        if not isinstance(node, ast.Slice):
            return self.read(node, depth)
        return Slice(*(None if end is None else self.read(end, depth) for end in (node.lower, node.upper, node.step)))

    def call(
        self,
        function: str,
        args: list[ast.expr],
        keywords: list[ast.keyword],
        at: int,
        depth: int,
        path: tuple[str, ...] = (),
    ) -> Tree:
        if self.regrouped and path and library_syntax.is_ours_alone(function, path):
            path = ()
        names = [k.arg for k in keywords]
        if None in names:
            raise FormulaError("formulas cannot have ** before an argument", at)
        for name in names:
            if names.count(name) > 1:
                raise FormulaError(f"{function}: the option {shorten(str(name))} occurs twice", at)
        options = {str(k.arg): self.read(k.value, depth) for k in keywords}
        place = library_syntax.SHAPES.get(function, len(args))
        if place < len(args) and isinstance(shape := args[place], ast.Tuple | ast.List):  # np.tile(A, (2, 3))
            args = [*args[:place], *shape.elts, *args[place + 1 :]]
        if args and isinstance(args[0], ast.Tuple | ast.List):
            return self.call_of_list(function, args[0], args[1:], options, at, depth, path)
        return library_syntax.translate_call(function, [self.read(a, depth) for a in args], options, at, path)

    def call_of_list(
        self,
        function: str,
        inside: ast.Tuple | ast.List,
        others: list[ast.expr],
        options: library_calls.Options,
        at: int,
        depth: int,
        path: tuple[str, ...],
    ) -> Tree:
        """Read a call whose first argument is a list: a shape as in zeros((2, 3)), several matrices, or one matrix."""
        rest = [self.read(a, depth) for a in others]
        if len(rest) == 1 and library_syntax.is_axis(function, rest[0], bool(path), listed=True):
            options["axis"] = rest.pop()
        nested = any(isinstance(element, ast.List) for element in inside.elts)
        if function in library_calls.REDUCED:
            if library_syntax.over_rows(options) and len(options) == 1 and not (nested or rest):
                return library_syntax.over_list(function, [self.read(a, depth) for a in inside.elts], at)
        elif not rest and (isinstance(inside, ast.Tuple) or function in library_syntax.JOINING):
            return library_syntax.translate_call(
                function, [self.read(a, depth) for a in inside.elts], options, at, path
            )
        matrix = self.read_list(inside.elts, self.at(inside), depth)
        if path:
            joined = "matrix" if nested else "array"
            matrix = matrix.copied_from(matrix.source._replace(joined=joined, listed=False))
        return library_syntax.translate_call(function, [matrix, *rest], options, at, path)

    def path(self, before: ast.expr) -> tuple[str, ...]:
        """Return the modules before a function, such as torch, nn, functional; an empty tuple for other syntax."""
        match before:
            case ast.Name(id=name) if name in self.modules:
                return (name,)
            case ast.Attribute(value=outer, attr=name) if name in library_syntax.MODULES:
                return (*modules, name) if (modules := self.path(outer)) else ()
        return ()

    def comparison(self, sides: list[Tree], signs: list[str], at: int) -> Tree:
        """Read `0 < A < 1` as 0 < A and A < 1. Raises FormulaError for `x > 0 == y > 0`, which has another meaning in
        Python than on paper.
        """
        if len(signs) > 1 and len({sign in ("==", "!=") for sign in signs}) > 1:
            raise FormulaError("put brackets around each comparison, as in (A > 0) == (B > 0)", at)
        pairs = [Binary(sign, a, b, at) for sign, a, b in zip(signs, sides, sides[1:], strict=False)]
        return self.joined("and", list(pairs), at)

    def is_joined(self, node: ast.expr) -> bool:
        """Return whether a side of a comparison is an operation with & or | without brackets around it."""
        joins = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr)
        return joins and not self.is_bracketed(node)

    def is_inverted(self, node: ast.expr) -> TypeGuard[ast.UnaryOp]:
        """Return whether the first side of a comparison is an operation with ~ without brackets around it."""
        return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert) and not self.is_bracketed(node)

    def is_bracketed(self, node: ast.expr) -> bool:
        before = f"({self.source}"[: self.at(node) + 1].rstrip()
        after = self.source[self.offset(node.end_lineno or 1, node.end_col_offset or 1) :].lstrip()
        return before.endswith("(") and after.startswith(")")

    def comparisons(self, sides: list[ast.expr], signs: list[str], at: int, depth: int) -> Tree:
        """Read `A > 2 & A < 5` as (A > 2) & (A < 5). & binds more tightly than |.

        Raises FormulaError unless `regrouped` is True, because Python computes 2 & A first.
        """
        if not self.regrouped:
            message = "Python computes & and | before a comparison; put brackets around each comparison"
            raise FormulaError(message, next(map(self.at, filter(self.is_joined, sides))))
        alternatives: list[list[Tree]] = [[]]
        chain: list[Tree] = []
        compared: list[str] = []

        def close() -> None:
            alternatives[-1].append(self.comparison(chain, compared, at) if compared else chain[0])

        for side, sign in zip(sides, [*signs, ""], strict=True):
            for joint, part in self.unjoined(side):
                if joint:
                    close()
                    chain, compared = [], []
                if joint == "|":
                    alternatives.append([])
                chain.append(self.read(part, depth))
            compared += [sign] if sign else []
        close()
        return self.joined("|", [self.joined("&", parts, at) for parts in alternatives], at)

    def unjoined(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """Return the operands of & and | that are not in brackets, each with the sign before it."""
        if not (self.is_joined(node) and isinstance(node, ast.BinOp)):
            return [("", node)]
        (_, first), *others = self.unjoined(node.right)
        return [*self.unjoined(node.left), ("&" if isinstance(node.op, ast.BitAnd) else "|", first), *others]

    def of_bits(self, sign: str, parts: list[Tree], at: int) -> Tree | None:
        """Read `X & 1`, which is the last bit of each entry in Python, if `regrouped` is True. Return None for
        conditions.

        Raises FormulaError for other numbers.
        """
        number = next((part for part in parts if isinstance(part, Number) and not part.source.truth), None)
        if number is None or all(map(is_condition, parts)):
            return None
        if self.regrouped and (bits := _bits(sign, parts, number)) is not None:
            return bits
        message = (
            "& and | need comparisons, or masks of 0 and 1; Python would apply them to the binary digits of "
            f"{number.text}"
        )
        raise FormulaError(message, at)

    def joined(self, sign: str, parts: list[Tree], at: int) -> Tree:
        """Combine conditions with `and`, `&`, `or` or `|`. In other matrices, every entry other than 0 is true."""
        if len(parts) == 1:
            return parts[0]
        if number := next((part for part in parts if isinstance(part, Number) and part.text not in ("0", "1")), None):
            message = f"& and | need comparisons, or masks of 0 and 1; found the number {shorten(number.text)}"
            raise FormulaError(message, number.at)
        from_sign = Source(bits=sign)
        conditions = [
            part if is_condition(part) else Binary("!=", part, Number("0", at), at).copied_from(from_sign)
            for part in parts
        ]
        if sign in ("and", "&"):
            by_entry = Source(entries=True)
            return reduce(lambda a, b: Binary("*", a, b, at).copied_from(by_entry), conditions)
        return reduce(lambda a, b: Call("maximum", (a, b), (), at), conditions)

    def read_list(self, items: Sequence[ast.expr], at: int, depth: int) -> Tree:
        """Read a list, and mark it if it may contain matrices."""
        matrix = self.matrix(items, at, depth)
        is_plain = any(isinstance(item, ast.List | ast.Constant) for item in items)
        return matrix if is_plain else matrix.copied_from(matrix.source._replace(listed=True))

    def matrix(self, items: Sequence[ast.expr], at: int, depth: int) -> Tree:
        """Read `[1, 2]` as a row, and `[[1, 2], [3, 4]]` as a matrix. Entries may be formulas."""
        if not items:
            raise FormulaError("a matrix needs at least one row and one column, but this one is empty", at)
        for item in items:
            match item:
                case ast.BinOp(left=left, op=ast.BitOr(), right=right) if not self.is_bracketed(item):
                    if not all(is_condition(self.read(side, depth)) for side in (left, right)):
                        message = (
                            "[A | B] is ambiguous; write hstack(A, B) to join matrices, or (A | B) for a logical or"
                        )
                        raise FormulaError(message, self.at(item))
        if not any(isinstance(item, ast.List) for item in items):
            row = Call("hstack", tuple(self.read(item, depth) for item in items), (), at)
            return row.keeping(self.signs_behind_spaces(items))
        rows: list[Tree] = []
        width = 0
        for item in items:
            if not isinstance(item, ast.List):
                raise FormulaError(
                    f"expected a row (a list of numbers), found {shorten(self.text(item))!r}", self.at(item)
                )
            if any(isinstance(element, ast.List) for element in item.elts):
                raise FormulaError("matrices have two dimensions; found a list with three levels", self.at(item))
            width = width or len(item.elts)
            if len(item.elts) != width:
                raise FormulaError(
                    f"all rows need the same length; a row has {counted(len(item.elts), 'entry')}, "
                    f"but the first row has {width}",
                    self.at(item),
                )
            rows.append(self.matrix(item.elts, self.at(item), depth + 1))
        return Call("vstack", tuple(rows), (), at) if len(rows) > 1 else rows[0]


def _bits(sign: str, parts: list[Tree], number: Number) -> Tree | None:
    """Return a formula with % for `x & 7` or `x | 7`, where x has whole numbers. Return None unless all bits of 7 are
    1.
    """
    x = next((part for part in parts if part is not number), None)
    period = int(number.text) + 1 if number.text.isdecimal() else 0
    if x is None or period < 2 or period & (period - 1):
        return None
    low = Binary("%", x, Number(str(period)))
    return low if sign == "&" else Binary("+", Binary("-", x, low), number)


def _refuse_module(before: ast.expr, at: int) -> None:
    """Raise FormulaError for an unknown module of a library, as in np.random.power(A)."""
    path = []
    while isinstance(before, ast.Attribute):
        path.append(before.attr)
        before = before.value
    if path and isinstance(before, ast.Name) and before.id in library_syntax.LIBRARIES:
        module = ".".join([before.id, *reversed(path)])
        raise FormulaError(f"attncalc does not know the functions of {shorten(module)}", at)


def _what(node: ast.expr) -> str:
    words = {
        ast.Tuple: "tuples", ast.Compare: "operators 'is' and 'in'", ast.Lambda: "functions of your own",
        ast.IfExp: "if",
        ast.JoinedStr: "f-strings", ast.Dict: "dictionaries", ast.Set: "sets", ast.Starred: "* before an argument",
        ast.NamedExpr: ":=", ast.Call: "calls of formulas", ast.Constant: "such constant", ast.Await: "await",
        ast.Yield: "yield",
        ast.ListComp: "loops", ast.SetComp: "loops", ast.DictComp: "loops", ast.GeneratorExp: "loops",
        ast.BitXor: "^ (a power is **)",
    }  # fmt: skip
    sign = getattr(node, "op", None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return "methods"
    return words.get(type(sign)) or words.get(type(node), "such words")
