"""A pocket calculator for worked lines: it reads them as they are printed, and shares no code with attncalc.

A line `head = side ≈ side ≈ number` is read from a page of text or of Markdown. Each side is worked out from the
numbers that are printed in it, by fractions or with 60 digits. Then
- each number of a side is what the part of the side before it that it stands for rounds to, at the number's own digits;
- every side rounds to the number at the end;
- `=` stands between sides of one value, `≈` never between fractions that are equal. A side with names, or with terms
left out, says nothing that a calculator could check; its other numbers are checked all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import isqrt

from mpmath import mp, mpf

from tests.support.decimal_modes import DECIMAL_MODES

mp.dps = 60
SAME = mpf(10) ** -45
LARGEST_POWER = 10_000
_RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans(_RAISED, "-0123456789")

Value = Fraction | mpf


@dataclass(frozen=True)
class Part:
    """A part of a side: `kind` is a sign, a function's name, `number`, or `unknown` for what no calculator has."""

    kind: str
    parts: tuple[Part, ...] = ()
    value: Fraction | None = None
    unit: Fraction = Fraction(1)
    scientific: bool = False
    text: str = ""


UNKNOWN = Part("unknown")


class Unreadable(Exception):
    """No formula of numbers."""


# -- reading a side ----------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    rf"\s*(?P<gap>… .*? more …)|\s*(?P<ten>(?:\d+(?:\.\d*)?·)?10[{_RAISED}]+)|\s*(?P<number>\d+(?:\.\d+)?)"
    rf"|\s*(?P<raised>[{_RAISED}]+)|\s*(?P<word>log₂|log₁₀|[^\W\d_][\w.]*(?:\[[^\]]*\])?)|\s*(?P<sign>[-+−/·∘^(),√|⌊⌋⌈⌉∞])"
)
_CLOSING = {"|": "|", "⌊": "⌋", "⌈": "⌉", "(": ")"}
_AROUND = {"|": "abs", "⌊": "floor", "⌈": "ceil"}


def number(text: str) -> Part:
    """A printed number with what one unit of its last digit is worth."""
    mantissa, ten, power = text.rpartition("10") if text[-1] in _RAISED else (text, "", "")
    exponent = int(power.translate(_LOWERED)) if ten else 0
    if abs(exponent) > LARGEST_POWER:
        return UNKNOWN
    mantissa = mantissa.rstrip("·") or "1"
    scale = Fraction(10) ** exponent
    return Part(
        "number", (), Fraction(mantissa) * scale, scale / 10 ** len(mantissa.partition(".")[2]), bool(ten), text
    )


class _Reader:
    """Sums of products of powers, as they are written on one line."""

    def __init__(self, text: str):
        self.tokens: list[tuple[str, str]] = []
        at, text = 0, text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise Unreadable(text)
            self.tokens.append((found.lastgroup or "", found[found.lastgroup or 0].strip()))
            at = found.end()
        self.at = 0

    def next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, *texts: str) -> str:
        if self.next() and self.next() in texts:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def need(self, text: str) -> None:
        if not self.take(text):
            raise Unreadable(f"{text} expected before {self.next() or 'the end'}")

    def whole(self) -> Part:
        found = self.sum()
        if self.next():
            raise Unreadable(self.next())
        return found

    def sum(self) -> Part:
        found = self.product()
        while sign := self.take("+", "-", "−"):
            found = Part("+" if sign == "+" else "-", (found, self.product()))
        return found

    def product(self) -> Part:
        found = self.factor()
        while sign := self.take("·", "∘", "/"):
            found = Part("/" if sign == "/" else "*", (found, self.factor()))
        return found

    def factor(self) -> Part:
        if self.take("-", "−"):
            inside = self.factor()
            if inside.kind == "number" and inside.value is not None:
                return Part("number", (), -inside.value, inside.unit, inside.scientific, "−" + inside.text)
            return Part("negative", (inside,))
        return self.power()

    def power(self) -> Part:
        found = self.atom()
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "raised":
            self.at += 1
            return Part("^", (found,
                              number(self.tokens[self.at - 1][1].translate(_LOWERED).lstrip("-")) if "⁻" not in self.tokens[self.at - 1][1]
                              else Part("number", (),
                                  Fraction(int(self.tokens[self.at - 1][1].translate(_LOWERED))))))  # fmt: skip
        return Part("^", (found, self.factor())) if self.take("^") else found

    def atom(self) -> Part:
        if self.at >= len(self.tokens):
            raise Unreadable("the end")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "gap":
            return UNKNOWN
        if kind in ("number", "ten"):
            return number(text)
        if kind == "word":
            return self.word(text)
        if text == "√":
            return Part("sqrt", (self.atom(),))
        if text in _CLOSING:
            inside = self.sum()
            self.need(_CLOSING[text])
            return inside if text == "(" else Part(_AROUND[text], (inside,))
        if text == "∞":
            return UNKNOWN
        raise Unreadable(text)

    def word(self, name: str) -> Part:
        if not self.take("("):
            return Part(name) if name in ("e", "π") else UNKNOWN
        parts = [self.sum()]
        while self.take(","):
            parts.append(self.sum())
        self.need(")")
        return Part(name, tuple(parts))


def read(side: str) -> Part | None:
    """A side as a formula; None where it is none of numbers."""
    try:
        return _Reader(side).whole()
    except Unreadable:
        return None


# -- working it out ----------------------------------------------------------------------------------------------------


def _real(x: Value) -> mpf:
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def _power(x: Value, y: Value) -> Value:
    if isinstance(x, Fraction) and isinstance(y, Fraction) and y.denominator == 1 and abs(y) <= 1000:
        return x ** int(y)
    return _real(x) ** _real(y)


def _root(x: Value) -> Value:
    """The square root, of the square of a fraction that fraction: a tie stays one."""
    if isinstance(x, Fraction) and x >= 0 and (root := Fraction(isqrt(x.numerator), isqrt(x.denominator))) ** 2 == x:
        return root
    return mp.sqrt(_real(x))


_FUNCTIONS = {
    "exp": mp.exp, "ln": mp.log, "log₂": lambda x: mp.log(x, 2), "log₁₀": mp.log10, "sin": mp.sin, "cos": mp.cos,
    "tanh": mp.tanh,
    "erf": mp.erf, "σ": lambda x: 1 / (1 + mp.exp(-x)), "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "SiLU": lambda x: x / (1 + mp.exp(-x)), "GELU": lambda x: x * mp.ncdf(x),
    "ELU": lambda x: x if x > 0 else mp.expm1(x),
}  # fmt: skip
_EXACT = {"abs": abs, "sqrt": _root, "ReLU": lambda x: x if x > 0 else Fraction(0), "negative": lambda x: -x,
          "floor": lambda x: Fraction(x.__floor__()) if isinstance(x, Fraction) else mp.floor(x),
          "ceil": lambda x: Fraction(x.__ceil__()) if isinstance(x, Fraction) else mp.ceil(x)}  # fmt: skip
_SIGNS = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y}


def value(part: Part) -> Value | None:
    """What a part comes to from the numbers printed in it; None where something in it is no number."""
    if part.kind == "number":
        return part.value
    if part.kind in ("e", "π") and not part.parts:
        return +mp.e if part.kind == "e" else +mp.pi
    found = [value(one) for one in part.parts]
    if not found or any(x is None for x in found):
        return None
    try:
        return _worked_out(part.kind, found)  # type: ignore[arg-type]
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _worked_out(kind: str, found: list[Value]) -> Value | None:
    if kind in _SIGNS:
        x, y = found if all(isinstance(x, Fraction) for x in found) else map(_real, found)
        return _SIGNS[kind](x, y)
    if kind == "^":
        return _power(*found)
    if kind in ("max", "min"):
        return (max if kind == "max" else min)(found, key=_real)
    if len(found) == 1 and (kind in _EXACT or kind in _FUNCTIONS):
        x = _EXACT[kind](found[0]) if kind in _EXACT else _FUNCTIONS[kind](_real(found[0]))
        return x if isinstance(x, Fraction | mpf) else None
    return None


def rounds_to(x: Value, printed: Part, mode: str = "half_up") -> bool:
    """Whether x, rounded to the last digit of a printed number, is that number."""
    assert printed.value is not None
    wanted = printed.value / printed.unit
    scaled = (
        abs(x) / printed.unit if isinstance(x, Fraction) else abs(x) * printed.unit.denominator / printed.unit.numerator
    )
    n = int(mp.floor(scaled)) if isinstance(scaled, mpf) else scaled.__floor__()
    rest = 2 * (scaled - n)  # a decimal that lies between n and n + 1 as the number does says how both are rounded
    beside = Decimal(n) + (Decimal("0.25") * ((rest > 0) + (rest >= 1) + (rest > 1)))
    n = beside.quantize(Decimal(1), rounding=DECIMAL_MODES["half_up" if printed.scientific else mode])
    return (-n if x < 0 else n) == wanted


def equal(x: Value, y: Value) -> bool:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x == y
    x, y = _real(x), _real(y)
    return abs(x - y) <= SAME * max(abs(x), abs(y), mpf(10) ** -30)


# -- checking a line ---------------------------------------------------------------------------------------------------


@dataclass
class Line:
    """A worked line as it is printed: what it is about, and its sides with the sign before each."""

    head: str
    sides: list[tuple[str, str]]
    lead: str = ""

    def __str__(self) -> str:
        return " ".join([self.lead, self.head, *(text for side in self.sides for text in side)]).strip()


@dataclass
class Result:
    """How a line fared: how many numbers were compared, which of them a calculator contradicts, and which signs are
    wrong.
    """

    numbers: int
    contradicted: list[str]
    signs: list[str]
    read: bool = True


def _terms(part: Part) -> list[Part]:
    return [*_terms(part.parts[0]), part.parts[1]] if part.kind == "+" else [part]


def pairs(before: Part, after: Part) -> Iterator[tuple[Part, Part]]:
    """Each number of a side, with the part of the side before it that it stands for, where the two are built alike."""
    if after.kind == "number":
        if not (before.kind == "number" and before.text == after.text):
            yield before, after
        return
    left, right = (_terms(part) if part.kind == "+" else list(part.parts) for part in (before, after))
    if before.kind == after.kind and len(left) == len(right):
        for one, other in zip(left, right):
            yield from pairs(one, other)


def _by_chance(line: Line, k: int, found: list[tuple[Part, Part]], mode: str) -> bool:
    """Whether side k and the next are built alike without their numbers being each other's: 3·√2 / 4 ≈ 2.1213 / 2.

    So it is where a number stands for another number, between sides that are equal, and after a closed form (exactly
    the entry, of whole numbers alone), whose terms may stand in another order: there a number far from the other is no
    rounding of it.
    """
    if any(_differ(before, after) for before, after in found):
        return True
    worked_out = [(x, after) for before, after in found if (x := value(before)) is not None]
    wrong = [(x, after) for x, after in worked_out if not rounds_to(x, after, mode)]
    if line.sides[k + 1][0] == "=":
        return bool(wrong)
    closed = all(sign == "=" for sign, _ in line.sides[: k + 1]) and "." not in line.sides[k][1]
    elsewhere = all(any(rounds_to(x, after, mode) for x, _ in worked_out) for _, after in wrong)
    far = any(abs(_real(x) - _real(after.value)) > abs(_real(after.value)) / 100 for x, after in wrong)
    return closed and bool(wrong) and (elsewhere or far)


def _differ(before: Part, after: Part) -> bool:
    """Whether a number stands where another stood, and not the same one in fewer digits."""
    if before.kind != "number" or before.value is None or after.value is None:
        return False
    return abs(before.value - after.value) > max(before.unit, after.unit)


def check(line: Line, mode: str = "half_up") -> Result:
    """How a line fares; what a student typed may also be cut."""
    sides = [read(text) for _, text in line.sides]
    values = [None if side is None else value(side) for side in sides]
    result = Result(0, [], [], all(side is not None for side in sides[1:]))  # the first may be a formula of matrices
    for k, (before, after) in enumerate(pairwise(sides)):
        if before is not None and after is not None:
            found = list(pairs(before, after))
            _compare(result, [] if after.kind != "number" and _by_chance(line, k, found, mode) else found, mode)
        _sign(result, line.sides[k + 1], values[k], values[k + 1])
    last = sides[-1]
    if last is not None and last.kind == "number":
        if (
            line.lead == "yours"
            and result.contradicted
            and all(rounds_to(x, last, "truncate") for x in values[:-1] if x is not None)
        ):
            result.contradicted.clear()
        _compare(result, [(side, last) for side in sides[:-2] if side is not None and side.kind != "number"], mode)
    return result


def _compare(result: Result, found: list[tuple[Part, Part]], mode: str) -> None:
    for part, printed in found:
        x = value(part)
        if x is None:
            continue
        result.numbers += 1
        if not rounds_to(x, printed, mode):
            result.contradicted.append(f"{printed.text} (calculator: {mp.nstr(_real(x), 12)})")


def _sign(result: Result, side: tuple[str, str], before: Value | None, after: Value | None) -> None:
    if before is None or after is None:
        return
    by_fractions = isinstance(before, Fraction) and isinstance(after, Fraction)
    wrong = not equal(before, after) if side[0] == "=" else by_fractions and before == after
    if wrong:
        result.signs.append(f"{side[0]} {side[1]}")


# -- lines of a page ---------------------------------------------------------------------------------------------------

_SIGN = re.compile(r" ([=≈]) (?![^\[]*\])")
_STARTS = re.compile(r"^( *)((?:yours|correct): )?(\S.*?) ([=≈]) (?![^\[]*\])")
_CONTINUED = re.compile(r"^( *)([=≈]) ")
_HEAD = re.compile(r"(?:\w[\w.]*|.*\])$")
_MATRIX = re.compile(r"[⎡⎢⎣⎤⎥⎦│┤┼]|\[ | \]")
_ASIDE = re.compile(r" {3,}.*$")


def lines_of_text(page: str) -> list[Line]:
    """The equations of a page of text, those that go on in the next line in one."""
    found: list[tuple[Line, int]] = []
    open_at, before = -1, ""
    for raw in page.splitlines():
        indent = len(raw) - len(raw.lstrip())
        text = _ASIDE.sub("", raw.rstrip()[indent:])
        if not text or _MATRIX.search(text) or indent < 2:
            open_at, before = -1, ""
            continue
        started, continued = _STARTS.match(" " * indent + text), _CONTINUED.match(" " * indent + text)
        if continued and (open_at >= 0 or _HEAD.match(before)):
            if open_at < 0:
                found.append((Line(before, []), indent))
                open_at = max(0, indent - 1)
            found[-1][0].sides += _sides(" " + text)
        elif started:
            lead, head = (started[2] or "").rstrip(": "), started[3]
            found.append((Line(head, _sides(text[text.index(head) + len(head) :]), lead), indent))
            open_at = indent
        elif open_at >= 0 and indent > open_at:
            sign, side = found[-1][0].sides[-1]
            found[-1][0].sides[-1] = (sign, f"{side} {text}")
        else:
            open_at = -1
        before = text
    return [line for line, _ in found if line.sides]


def _sides(text: str) -> list[tuple[str, str]]:
    pieces = _SIGN.split(text)
    return list(zip(pieces[1::2], (piece.strip() for piece in pieces[2::2])))


_TEX_SIGN = re.compile(r" ?(=|\\approx) (?![^\[\]]*\])")  # of a line where it stands in no braces
_INLINE = re.compile(r"(?:(yours|correct): )?\$`(.+?)`\$")
_BLOCK = re.compile(r"(?:(yours|correct):\n\n)?```math\n\\begin\{aligned\}\n(.*?)\n\\end\{aligned\}\n```", re.S)


def lines_of_markdown(page: str) -> list[Line]:
    """The equations of a page of Markdown, on one line or on several."""
    found = [(m[1] or "", m[2].replace("&", "").replace("\\\\\n", "")) for m in _BLOCK.finditer(page)]
    found += [(m[1] or "", m[2]) for m in _INLINE.finditer(_BLOCK.sub("", page))]
    lines = []
    for lead, text in found:
        signs = [m for m in _TEX_SIGN.finditer(text) if text.count("{", 0, m.start()) == text.count("}", 0, m.start())]
        ends = [*(m.start() for m in signs), len(text)]
        sides = [(m[1], text[m.end() : end]) for m, end in zip(signs, ends[1:])]
        if sides:
            lines.append(Line(text[: ends[0]], [("=" if s == "=" else "≈", from_tex(side)) for s, side in sides], lead))
    return lines


_TEX = {r"\left": "", r"\right": "", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\cdot": "·",
        r"\circ": "∘", r"\exp": "exp", r"\ln": "ln", r"\log_2": "log₂", r"\log_{10}": "log₁₀", r"\sin": "sin",
        r"\cos": "cos", r"\tanh": "tanh", r"\max": "max", r"\min": "min", r"\sigma": "σ", r"\pi": "π", r"\infty": "∞",
        r"\,": " ", r"\;": " "}  # fmt: skip


def from_tex(text: str) -> str:
    """A side in TeX's notation as one line."""
    text = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", lambda m: m[1].strip(), text)
    power = lambda m: (m[1] + "·" if m[1] else "") + "10" + "".join(_RAISED["-0123456789".index(c)] for c in m[2])  # noqa: E731
    text = re.sub(r"(?:(?<![\w.])([\d.]+) \\cdot )?(?<![\d.])10\^\{(-?\d+)\}", power, text)
    for command in sorted(_TEX, key=len, reverse=True):
        text = text.replace(command, _TEX[command])
    return _braces(text)


def _braces(text: str) -> str:
    """Fractions, roots and powers with brackets for braces."""
    while (found := re.search(r"\\frac|\\sqrt|\^(?=\{)", text)) is not None:
        first, rest = _group(text, found.end())
        if found[0] == r"\frac":
            second, rest = _group(text, rest)
            put = f"(({first}) / ({second}))"
        else:
            put = f"√({first})" if found[0] == r"\sqrt" else f"^({first})"
        text = text[: found.start()] + put + text[rest:]
    return text.replace("{", "").replace("}", "")


def _group(text: str, at: int) -> tuple[str, int]:
    """What stands in the braces that open at a place, and where they end."""
    depth, end = 0, at
    while end < len(text):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            break
    return text[at + 1 : end - 1], end


def total(results: list[Result]) -> tuple[int, int, int, int]:
    """Numbers compared, numbers contradicted, wrong signs, lines that were not read."""
    rows = ((r.numbers, len(r.contradicted), len(r.signs), not r.read) for r in results)
    return reduce(lambda a, b: tuple(map(sum, zip(a, b))), rows, (0, 0, 0, 0))  # type: ignore[return-value]
