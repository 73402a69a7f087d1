"""Formulas in mathematical notation: a table of signs a medium, one short function over the tree."""

from __future__ import annotations

import re
from typing import TypeGuard

from ..explain.document import ENTRYWISE
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree, strength
from ..records import dataclass, field, replace

Table = dict[str, str]

# How a function is written around its arguments; `{}` stands for all of them, `{0}` and `{1}` for one.
_SAME = """
exp sin cos tanh erf round rotation
softmax softmax_rows softmax_cols softmax_all normalize cross_entropy pick lookup one_hot
argmax_rows order_rows sort_rows flat best best_rows best_columns cumsum_rows top_k top_p
row_sum row_mean row_max row_min row_var row_std col_sum col_mean col_max col_min col_var col_std total mean var
causal causal_strict band links global_tokens zeros ones identity arange rows cols sinusoidal rope turn alibi alibi_slopes
"""
CALLS = {name: f"{name}({{}})" for name in _SAME.split()} | {
    "log": "ln({})",
    "ln": "ln({})",
    "log2": "log2({})",
    "log10": "log10({})",
    "sqrt": "sqrt({})",
    "abs": "|{}|",
    "floor": "floor({})",
    "ceil": "ceil({})",
    "maximum": "max({})",
    "minimum": "min({})",
    "relu": "ReLU({})",
    "elu": "ELU({})",
    "gelu": "GELU({})",
    "silu": "SiLU({})",
    "sigmoid": "sigmoid({})",
    "layer_norm": "LayerNorm({})",
    "rms_norm": "RMSNorm({})",
    "hstack": "[{}]",
    "vstack": "[{}]",
    "keep": "{0} where {1}",
    "multiple": "{}",  # 2i
    "sum_i": "sum over i of {}",
    "sum_j": "sum over j of {}",
    "sum_k": "sum over k of {}",
}
_FLATTENED = {"maximum", "minimum", "hstack", "vstack"}


@dataclass(frozen=True, slots=True)
class Notation:
    """The signs of a medium that shows formulas as one line of text."""

    product: str
    times: str
    entrywise: str
    divided: str
    minus: str
    transposed: str
    root: str
    infinity: str
    almost: str
    at_most: str
    dots: str
    not_zero: str
    plus: str = "+"
    less: str = ""  # between two terms; as before a number where it is not said
    below: str = "<"
    power: str = "^"
    ten: str = ""  # before the exponent of 7.9e-32 where there are no raised digits
    digits: str = ""
    names: Table = field(default_factory=dict)
    calls: Table = field(default_factory=lambda: CALLS)
    separators: Table = field(default_factory=lambda: {"hstack": " | ", "vstack": " ; ", "multiple": ""})


UNICODE = Notation(
    product=" · ",
    times=" · ",
    entrywise=" ∘ ",
    divided=" / ",
    minus="−",
    transposed="ᵀ",
    root="√",
    infinity="∞",
    almost="≈",
    at_most="≤",
    dots="…",
    not_zero=" ≠ 0",
    digits="⁻⁰¹²³⁴⁵⁶⁷⁸⁹",
    names={"pi": "π", "gamma": "γ", "beta": "β", "theta": "θ", "phi": "φ", "inf": "∞"},
    calls=CALLS
    | {"log2": "log₂({})", "log10": "log₁₀({})", "floor": "⌊{}⌋", "ceil": "⌈{}⌉", "sigmoid": "σ({})"}
    | {"sum_i": "Σᵢ {}", "sum_j": "Σⱼ {}", "sum_k": "Σₖ {}"},
)
ASCII = Notation(
    product=" . ",
    times=" * ",
    entrywise=" * ",
    divided=" / ",
    minus="-",
    transposed="^T",
    root="sqrt",
    infinity="inf",
    almost="~",
    at_most="<=",
    dots="...",
    not_zero=" != 0",
)


def compact(notation: Notation) -> Notation:
    """The same with nothing around products and quotients, for the narrow cell of a matrix."""
    if notation.product.strip().isalpha():
        return notation
    return replace(notation, product=notation.product.strip(), times=notation.times.strip(), divided="/")


def formula(tree: Tree, notation: Notation = UNICODE) -> str:
    """`softmax(Q · Kᵀ / √d_k) · V`, in the order and with the brackets of the tree."""
    return _Writer(notation).write(tree)


def number(text: str, notation: Notation) -> str:
    """A decimal in a medium's signs: −0.5, −∞, 7.9·10⁻³²."""
    mantissa, e, exponent = text.partition("e")
    if e and notation.digits and exponent.lstrip("+-").isdigit():
        ten = f"10{_raised(exponent, notation)}"
        text = mantissa + "·" + ten if mantissa.lstrip("-") != "1" else mantissa[:-1] + ten
    elif e and notation.ten:
        text = mantissa + notation.ten + str(int(exponent))
    return text.replace("inf", notation.infinity).replace("-", notation.minus)


def _raised(exponent: str, notation: Notation) -> str:
    return str(int(exponent)).translate(str.maketrans("-0123456789", notation.digits))


class _Writer:
    def __init__(self, notation: Notation):
        self.n = notation

    def inner(self, tree: Tree, at_least: int, first: bool = True) -> str:
        bare = (2 if self.n.ten and is_scientific(tree) else outer_strength(tree)) >= at_least
        return self.write(tree, first) if bare else f"({self.write(tree)})"

    def write(self, tree: Tree, first: bool = True) -> str:
        """`first` says that nothing stands before the tree: elsewhere a negative number takes brackets."""
        n = self.n
        match tree:
            case Number(text):
                shown = number(text, n)
                return shown if first or not text.startswith("-") else f"({shown})"
            case Name(name):
                return self.name(name)
            case Text(value):
                return f'"{value}"'
            case Negate(a):
                shown = n.minus + self.inner(a, factor(a), False)
                return shown if first else f"({shown})"
            case Transpose(a):
                return self.inner(a, 5) + n.transposed
            case Binary():
                return self.binary(tree, first)
            case Index(a, rows, columns):
                places = self.item(rows) if columns is None else f"{self.item(rows)}, {self.item(columns)}"
                return f"{self.inner(a, 5)}[{places}]"
            case Call("sqrt", (a,)) if n.root != "sqrt":
                return n.root + self.inner(a, 5)
            case Call("keep"):
                return self.keep(tree)
            case Call(function, (a, b)) if function == ENTRYWISE:
                return self.inner(a, 2, first) + n.entrywise + self.inner(b, 3, False)
            case Call():
                return self.call(tree)
        raise TypeError(tree)

    def binary(self, tree: Binary, first: bool) -> str:
        n, a, b = self.n, tree.left, tree.right
        match tree.operator:
            case "@" | "*" | "/":
                sign = {"@": n.product, "*": n.times, "/": n.divided}[tree.operator]
                return self.inner(a, 2, first) + sign + self.inner(b, 3 if tree.operator == "/" else factor(b), False)
            case "**":
                return self.base(a) + self.power(b)
            case operator:
                sign = n.plus if operator == "+" else n.less or n.minus
                return f"{self.inner(a, 1, first)} {sign} {self.inner(b, 2, False)}"

    def power(self, tree: Tree) -> str:
        text = f"-{tree.operand.text}" if isinstance(tree, Negate) and isinstance(tree.operand, Number) else ""
        text = tree.text if isinstance(tree, Number) else text
        if self.n.digits and text.lstrip("-").isdigit():
            return _raised(text, self.n)
        small = _Writer(compact(self.n))
        return self.n.power + (f"({small.write(tree)})" if text.startswith("-") else small.inner(tree, 5))

    def base(self, tree: Tree) -> str:
        """What is raised to a power: √2² would be read as √(2²)."""
        looks_like_more = is_negative(tree) or isinstance(tree, Transpose) or (isinstance(tree, Call) and tree.function == "sqrt")
        return f"({self.write(tree)})" if looks_like_more else self.inner(tree, 5)

    def name(self, name: str) -> str:
        if name.startswith("…"):
            return name.replace("…", self.n.dots)
        return re.sub(r"[A-Za-z]+", lambda m: self.n.names.get(m[0], m[0]), name)

    def call(self, tree: Call) -> str:
        words = [self.write(a) for a in flat(tree)] + [f"{name} = {self.write(value)}" for name, value in tree.options]
        joined = self.n.separators.get(tree.function, ", ").join(words)
        return self.n.calls.get(tree.function, f"{tree.function}({{}})").replace("{}", joined)

    def keep(self, tree: Call) -> str:
        """`S where j ≤ i, −∞ elsewhere`"""
        given = dict(zip(("S", "M", "fill"), tree.arguments, strict=False)) | dict(tree.options)
        fill = self.write(given["fill"]) if "fill" in given else self.n.minus + self.n.infinity
        scores, mask = (self.write(given.get(name, Name(name))) for name in "SM")
        where = self.seen(given.get("M", Name("M"))) or mask + self.n.not_zero
        return f"{self.n.calls['keep'].format(scores, where)}, {fill} elsewhere"

    def seen(self, mask: Tree) -> str:
        """A mask of the language as what must hold between query i and key j."""
        sides, strict = condition(mask)
        return f" {self.n.below if strict else self.n.at_most} ".join(map(self.write, sides))

    def item(self, part: Tree | Slice) -> str:
        if isinstance(part, Slice):
            return f"{self.write(part.start) if part.start else ''}:{self.write(part.stop) if part.stop else ''}"
        return self.write(part)


def condition(mask: Tree) -> tuple[tuple[Tree, ...], bool]:
    """What a mask of the language says of query i and key j, as the sides of an inequality, and whether it is strict.

    j ≤ i, j ≤ i + offset, j < i, |i − j| ≤ width, −left ≤ j − i ≤ right; no sides for other masks.
    """
    if not isinstance(mask, Call):
        return (), False
    i, j, options = Name("i"), Name("j"), dict(mask.options)
    match mask.function, mask.arguments:
        case "causal", (_, _, *more) if len(more) + len(options) < 2:
            return (j, _moved(i, more[0] if more else options.get("offset"))), False
        case "causal_strict", (_, _) if not options:
            return (j, i), True
        case "band", (_, _, left, *more) if len(more) + len(options) < 2:
            right = more[0] if more else options.get("right", left)
            if right == left or right == Name("none"):
                return (Call("abs", (Binary("-", i, j),)), left), False
            return (left if left == Number("0") else Negate(left), Binary("-", j, i), right), False
    return (), False


def _moved(tree: Tree, by: Tree | None) -> Tree:
    """`i + 2`, `i − 1`; `i` itself for 0."""
    match by:
        case None | Number("0"):
            return tree
        case Negate(a):
            return Binary("-", tree, a)
        case Number(text) if text.startswith("-"):
            return Binary("-", tree, Number(text[1:]))
    return Binary("+", tree, by)


def indices(index: str) -> list[str]:
    """What stands below a name: Q and 2 of `W_Q_2`, words that follow each other together."""
    found: list[str] = []
    for one in filter(None, index.split("_")):
        if found and _is_a_word(one) and _is_a_word(found[-1]):
            found[-1] += f" {one}"
        else:
            found.append(one)
    return found or [index]


def _is_a_word(index: str) -> bool:
    return len(index) > 1 and not index.isdecimal()


def outer_strength(tree: Tree) -> int:
    """As `strength`, with what looks like an operator although it is none: 2·10⁻⁷ is a product, 10⁻⁷ a power."""
    if is_scientific(tree):
        return 4 if tree.text.startswith("1e") else 3 if tree.text.startswith("-1e") else 2
    words = {"keep": 0, ENTRYWISE: 2}
    return words.get(tree.function, 5) if isinstance(tree, Call) else strength(tree)


def is_scientific(tree: Tree) -> TypeGuard[Number]:
    """Whether a tree is a number with a power of ten."""
    return isinstance(tree, Number) and "e" in tree.text


def factor(tree: Tree) -> int:
    """How tightly a tree must bind to stand bare on the right of a product: 3 · 2·10⁻⁷ needs no brackets."""
    return 2 if is_scientific(tree) else 3


def is_negative(tree: Tree) -> bool:
    return isinstance(tree, Number) and tree.text.startswith("-")


def flat(tree: Call) -> list[Tree]:
    """The arguments of max(max(a, b), c) as a, b, c; so with what is joined side by side."""
    if tree.function not in _FLATTENED:
        return list(tree.arguments)
    same = (isinstance(a, Call) and a.function == tree.function and not a.options for a in tree.arguments)
    return [leaf for a, one in zip(tree.arguments, same, strict=True) for leaf in (flat(a) if one else [a])]  # type: ignore[arg-type]
