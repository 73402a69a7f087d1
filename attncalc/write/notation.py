"""Formulas in mathematical notation: a table of signs a medium, one short function over the tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree, strength


@dataclass(frozen=True, slots=True)
class Notation:
    """The signs of a medium that shows formulas as one line of text."""

    product: str
    times: str
    divided: str
    minus: str
    transposed: str
    root: str
    infinity: str
    almost: str
    digits: str = ""
    powers: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)


UNICODE = Notation(
    product=" · ",
    times=" · ",
    divided=" / ",
    minus="−",
    transposed="ᵀ",
    root="√",
    infinity="∞",
    almost="≈",
    digits="⁻⁰¹²³⁴⁵⁶⁷⁸⁹",
    powers={"2": "²", "3": "³"},
    names={"pi": "π", "gamma": "γ", "beta": "β", "theta": "θ", "inf": "∞"},
    functions={"arange": "arange"},
)
ASCII = Notation(
    product=" . ",
    times=" * ",
    divided=" / ",
    minus="-",
    transposed="^T",
    root="sqrt",
    infinity="inf",
    almost="~",
    names={"pi": "pi", "inf": "inf"},
)


def formula(tree: Tree, notation: Notation = UNICODE) -> str:
    """`softmax(Q · Kᵀ / √d_k) · V`, in the order and with the brackets of the tree."""
    return _Writer(notation).write(tree)


def number(text: str, notation: Notation) -> str:
    """A decimal in a medium's signs: −0.5, −∞, 7.9·10⁻³²."""
    mantissa, e, exponent = text.partition("e")
    text = text.replace("inf", notation.infinity)
    if e and notation.digits and exponent.lstrip("+-").isdigit():
        text = f"{mantissa}·10{str(int(exponent)).translate(str.maketrans('-0123456789', notation.digits))}"
    return text.replace("-", notation.minus)


class _Writer:
    def __init__(self, notation: Notation):
        self.n = notation

    def inner(self, tree: Tree, at_least: int) -> str:
        text = self.write(tree)
        return text if strength(tree) >= at_least else f"({text})"

    def write(self, tree: Tree) -> str:
        n = self.n
        match tree:
            case Number(text):
                return number(text, n)
            case Name(name):
                return ".".join(n.names.get(part, part) for part in name.split("."))
            case Text(value):
                return f'"{value}"'
            case Negate(a):
                return n.minus + self.inner(a, 3)
            case Transpose(a):
                return self.inner(a, 5) + n.transposed
            case Binary("@", a, b):
                return self.inner(a, 2) + n.product + self.inner(b, 3)
            case Binary("**", a, Number(power)) if power in n.powers:
                return self.inner(a, 5) + n.powers[power]
            case Binary("**", a, b):
                return f"{self.inner(a, 5)}^{self.inner(b, 5)}"
            case Binary("*", a, b):
                return self.inner(a, 2) + n.times + self.inner(b, 3)
            case Binary("/", a, b):
                return self.inner(a, 2) + n.divided + self.inner(b, 3)
            case Binary(operator, a, b):
                sign = n.minus if operator == "-" else operator
                return f"{self.inner(a, 1)} {sign} {self.inner(b, 2)}"
            case Index(a, rows, columns):
                places = self.item(rows) if columns is None else f"{self.item(rows)}, {self.item(columns)}"
                return f"{self.inner(a, 5)}[{places}]"
            case Call("sqrt", (a,)) if n.root == "√":
                return n.root + self.inner(a, 5)
            case Call("abs", (a,)):
                return f"|{self.write(a)}|"
            case Call(function, args, options):
                words = [self.write(a) for a in args] + [f"{name} = {self.write(value)}" for name, value in options]
                return f"{n.functions.get(function, function)}({', '.join(words)})"
        raise TypeError(tree)

    def item(self, part: Tree | Slice) -> str:
        if isinstance(part, Slice):
            return f"{self.write(part.start) if part.start else ''}:{self.write(part.stop) if part.stop else ''}"
        return self.write(part)
