"""A reader of STACK questions: Moodle's XML, inputs and potential response trees as STACK's documentation has them, and
as much of Maxima as their variables use, in floats as there. It knows nothing of how attncalc writes.
"""

import html
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from xml.etree import ElementTree as ET

TOKEN = re.compile(
    r'\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z_%]\w*)|("(?:\\.|[^"\\])*")|(:=|<=|>=|[-+*/^()\[\],:;=<>#]))'
)
LEVELS = (("or",), ("and",), ("=", "#", "<", ">", "<=", ">="), ("+", "-"), ("*", "/"))
CLOSING = {"(": ")", "[": "]"}


class Matrix(list):
    """Rows of a matrix; a plain list is a list."""


class Symbol(str):
    """A name without a value."""


@cache
def parse(text):
    """The statements of a program as trees."""
    tokens, at = [], 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        assert found, f"no Maxima: {text[at : at + 40]!r}"
        tokens.append(next(x for x in found.groups() if x is not None))
        at = found.end()
    reader, statements = _Reader(tokens), []
    while reader.at < len(tokens):
        statements.append(reader.expression())
        reader.expect(";")
    return statements


class _Reader:
    levels = LEVELS
    statements = True  # if and for are no functions

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token):
        assert self.next() == token, f"{token} is required before {self.tokens[self.at - 1 : self.at + 8]}"

    def expression(self):
        left = self.level(0)
        if self.peek() in (":", ":="):
            kind = self.next()
            return (kind, left, self.expression())
        return left

    def level(self, k):
        if k == len(self.levels):
            return self.sign()
        if self.levels[k] == ("and",) and self.peek() == "not":
            self.next()
            left = ("not", self.level(2))
        else:
            left = self.level(k + 1)
        while self.peek() in self.levels[k]:
            operator = self.next()
            right = ("not", (self.next(), self.level(2))[1]) if self.peek() == "not" else self.level(k + 1)
            left = (operator, left, right)
        return left

    def sign(self):
        if self.peek() == "-":
            self.next()
            return ("neg", self.sign())
        base = self.atom()
        if self.peek() == "^":
            self.next()
            return ("^", base, self.sign())
        return base

    def atom(self):
        token = self.next()
        if token == "if" and self.statements:
            test = self.expression()
            self.expect("then")
            yes = self.expression()
            self.expect("else") if self.peek() == "else" else None
            return ("if", test, yes, self.expression() if self.tokens[self.at - 1] == "else" else None)
        if token == "for" and self.statements:
            name = self.next()
            self.expect(":")
            start = self.level(0)
            self.expect("thru")
            end = self.level(0)
            self.expect("do")
            return ("for", name, start, end, self.expression())
        if token in CLOSING:
            inner = self.listed(CLOSING[token])
            tree = ("list", *inner) if token == "[" else ("do", *inner)
        elif re.match(r"\d", token):
            tree = Fraction(token) if "e" not in token and "." not in token else float(token)
        elif token.startswith('"'):
            tree = ("text", re.sub(r"\\(.)", r"\1", token[1:-1]))
        else:
            assert re.match(r"[A-Za-z_%]", token), token
            tree = Symbol(token)
        while self.peek() in CLOSING:
            kind = self.next()
            tree = ("call" if kind == "(" else "at", tree, *self.listed(CLOSING[kind]))
        return tree

    def listed(self, end):
        found = []
        while self.peek() != end:
            found.append(self.expression())
            if self.peek() != end:
                self.expect(",")
        self.next()
        return found


CONSTANTS = {"minf", "inf", "und", "true", "false", "EMPTYANSWER"}


class Session:
    """Names and functions; scopes are dynamic, as Maxima's."""

    def __init__(self):
        self.scopes, self.functions = [{"%pi": math.pi}], {}

    def run(self, text):
        value = None
        for tree in parse(text):
            value = self.value(tree)
        return value

    def look(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return {"true": True, "false": False}.get(name, name)

    def value(self, tree):
        if not isinstance(tree, tuple):
            return self.look(tree) if isinstance(tree, Symbol) else tree
        kind, *parts = tree
        if hasattr(self, f"_{kind}"):
            return getattr(self, f"_{kind}")(*parts)
        if kind == ":=":
            (_, name, *arguments), body = parts
            self.functions[name] = ([str(one) for one in arguments], body)
            return None
        if kind == ":":
            scope = next((one for one in reversed(self.scopes) if parts[0] in one), self.scopes[0])
            scope[parts[0]] = self.value(parts[1])
            return scope[parts[0]]
        if kind in ("and", "or"):
            first = self.value(parts[0])
            assert isinstance(first, bool)
            return self.value(parts[1]) if first is (kind == "and") else first
        return OPERATORS[kind](*(self.value(one) for one in parts))

    def _list(self, *parts):
        return [self.value(one) for one in parts]

    def _text(self, text):
        return text

    def _do(self, *parts):
        return [self.value(one) for one in parts][-1]

    def _not(self, part):
        return not self.value(part)

    def _if(self, test, yes, no):
        found = self.value(test)
        assert isinstance(found, bool), f"{test} is neither true nor false"
        return self.value(yes if found else no) if found or no is not None else False

    def _for(self, name, start, end, body):
        self.scopes.append({name: self.value(start)})
        while self.look(name) <= self.value(end):
            self.value(body)
            self.scopes[-1][name] += 1
        self.scopes.pop()

    def _at(self, tree, *places):
        found = self.value(tree)
        for place in places:
            k = self.value(place)
            assert k == int(k) and 1 <= k <= len(found), (tree, places)
            found = found[int(k) - 1]
        return found

    def _call(self, name, *arguments):
        if name == "block":
            local = {}
            for one in arguments[0][1:]:
                local[one[1] if isinstance(one, tuple) else one] = (
                    self.value(one[2]) if isinstance(one, tuple) else Symbol("none")
                )
            return self.within(local, ("do", *arguments[1:]))
        if name == "lambda":
            return (arguments[0][1:], arguments[1])
        if name == "makelist":
            body, variable, start, end = arguments
            return [
                self.within({variable: Fraction(k)}, body)
                for k in range(int(self.value(start)), int(self.value(end)) + 1)
            ]
        values = [self.value(one) for one in arguments]
        if name == "genmatrix":
            (names, body), n, m = values
            return Matrix(
                [self.within(dict(zip(names, map(Fraction, (i, j)))), body) for j in range(1, int(m) + 1)]
                for i in range(1, int(n) + 1)
            )
        if name in self.functions:
            names, body = self.functions[name]
            assert len(names) == len(values), name
            return self.within(dict(zip(names, values)), body)
        return BUILT_IN[name](*values)

    def within(self, scope, tree):
        self.scopes.append(scope)
        try:
            return self.value(tree)
        finally:
            self.scopes.pop()


def numeric(x):
    return isinstance(x, (Fraction, int, float)) and not isinstance(x, bool)


def _compared(sign):
    def compare(x, y):
        assert numeric(x) and numeric(y), f"{x} {sign} {y} is neither true nor false"
        return {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}[sign]

    return compare


def _neg(x):
    return -x if numeric(x) else {"inf": "-inf"}.get(x, f"-{x}")


OPERATORS = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y, "^": lambda x,
    y: x**y, "neg": _neg,
    "=": lambda x, y: x == y, "#": lambda x, y: x != y, **{sign: _compared(sign) for sign in ("<", ">", "<=", ">=")},
}  # fmt: skip
BUILT_IN = {
    "is": lambda x: x, "numberp": numeric, "float": lambda x: float(x) if numeric(x) else x,
    "length": lambda x: Fraction(len(x)), "abs": abs,
    "floor": lambda x: Fraction(math.floor(x)), "max": max, "min": min, "exp": math.exp, "log": math.log,
    "sqrt": math.sqrt, "sin": math.sin,
    "cos": math.cos, "tanh": math.tanh, "erf": math.erf, "member": lambda x, found: x in found,
    "matrix": lambda *rows: Matrix(rows),
    "transpose": lambda a: Matrix([list(one) for one in zip(*a)]),
}  # fmt: skip


@dataclass
class Question:
    """One question."""

    name: str
    category: str
    fields: list  # in the order of the text, without choices
    shown: str
    node: ET.Element

    def __post_init__(self):
        self.inputs = {one.findtext("name"): one for one in self.node.findall("input")}
        self.trees = self.node.findall("prt")
        self.session = Session()
        self.session.run(self.node.findtext("questionvariables/text"))
        self.known = {}  # what lines of variables came to, by what they are told

    def right(self, name):
        return self.inputs[name].findtext("tans")

    def tree(self, prt, typed, chosen=()):
        """(score, [what is said]) of a tree for {input: what is typed}; an input that allows it may be empty."""
        session = Session()
        session.functions = self.session.functions
        session.scopes[0] |= (
            self.session.scopes[0] | {name: _typed(typed.get(name, "")) for name in self.inputs} | dict(chosen)
        )
        asked = set()
        for k, line in enumerate(prt.findtext("feedbackvariables/text").split("\n")):
            asked |= set(re.findall(r"\b(?:ans|choice)\d+", line))
            told = (prt, k, *(str(session.scopes[0][name]) for name in sorted(asked)))
            if told not in self.known:
                self.known[told] = session.run(line)
            session.scopes[0][line.partition(":")[0]] = self.known[told]
        (node,) = prt.findall("node")
        assert node.findtext("answertest") == "AlgEquiv"
        sans, tans = (session.run(f"{node.findtext(key)};") for key in ("sans", "tans"))
        branch = "true" if sans == tans else "false"
        assert node.findtext(f"{branch}scoremode") == "=" and node.findtext(f"{branch}nextnode") == "-1"
        said = [
            text
            for test, text in re.findall(
                r'\[\[if test="([^"]*)"\]\](.*?)\[\[/if\]\]', node.findtext(f"{branch}feedback/text"), re.S
            )
            if session.run(f"{html.unescape(test)};") is True
        ]
        return session.run(f"{node.findtext(f'{branch}score')};"), [
            html.unescape(re.sub("<[^>]*>", "", one)) for one in said
        ]

    def asks(self, prt):
        """The inputs that a tree looks at in its own line of cells."""
        line = next((one for one in prt.findtext("feedbackvariables/text").split("\n") if one.startswith("cells:")), "")
        return [name for name in self.fields if re.search(rf"ac_cell\({name},", line)]

    def score(self, typed):
        """The whole, as a share: trees by their values."""
        values = [float(prt.findtext("value")) for prt in self.trees]
        return sum(v * float(self.tree(prt, typed)[0]) for v, prt in zip(values, self.trees)) / sum(values)


def _typed(text):
    """What STACK's algebraic input makes of what is typed: a number, a sign of infinity, or something else."""
    text = text.strip()
    if not text:
        return "EMPTYANSWER"
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text):
        return float(text) if "." in text or "e" in text else Fraction(text)
    return text


def read(file):
    """Every question of a file."""
    root = ET.fromstring(file)
    found, category = [], ""
    for question in root.findall("question"):
        if question.get("type") == "category":
            category = question.findtext("category/text")
            continue
        assert (
            question.get("type") == "stack"
            and question.findtext("name/text").strip()
            and len(question.findtext("name/text")) <= 255
        )
        text = question.findtext("questiontext/text")
        fields = re.findall(r"\[\[input:(\w+)\]\]", text)
        names = [one.findtext("name") for one in question.findall("input")]
        assert sorted(fields) == sorted(names) == sorted(re.findall(r"\[\[validation:(\w+)\]\]", text)) and len(
            set(names)
        ) == len(names)
        trees = [one.findtext("name") for one in question.findall("prt")]
        assert re.findall(r"\[\[feedback:(\w+)\]\]", question.findtext("specificfeedback/text")) == trees
        around = re.sub(r"\[\[(input|validation):\w+\]\]", "", text)
        assert not re.search(r"\[\[|\{[@#]|\\[(\[]|\$\$", around), "STACK's own signs"
        plain = html.unescape(re.sub("<[^>]*>", "", around))
        found.append(
            Question(
                question.findtext("name/text"),
                category,
                [one for one in fields if one.startswith("ans")],
                plain,
                question,
            )
        )
    return found
