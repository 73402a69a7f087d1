"""Text, numbers and formulas in MathML: the sign or the words of every operation, in tables."""

from __future__ import annotations

import re

from ..errors import FormulaError
from ..explain.document import ENTRYWISE
from ..formula.parse import parse
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree
from .notation import CALLS as WORDS
from .notation import condition, factor, flat, indices, is_negative, outer_strength
from .notation import formula as in_a_line

_GREEK = {"gamma": "γ", "beta": "β", "theta": "θ", "pi": "π", "alpha": "α", "phi": "φ", "eps": "ε"}
_LONGEST_POWER = 12  # signs that stay legible as an exponent
_SPACE = '<mspace width="0.4em"/>'
_APPLIED, _TIMES = "<mo>\u2061</mo>", '<mo lspace="0.08em" rspace="0.08em">\u2062</mo>'  # signs that are spoken and not seen

# How a function is written around its arguments; `{}` stands for all of them.
_ROUND = "<mrow><mo>(</mo>{}<mo>)</mo></mrow>"
_SQUARE = "<mrow><mo>[</mo>{}<mo>]</mo></mrow>"
_OPERATORS = {
    "exp": "<mi>exp</mi>", "log": "<mi>ln</mi>", "ln": "<mi>ln</mi>", "log2": "<msub><mi>log</mi><mn>2</mn></msub>",
    "log10": "<msub><mi>log</mi><mn>10</mn></msub>", "maximum": "<mi>max</mi>", "minimum": "<mi>min</mi>", "sigmoid": "<mi>σ</mi>",
}  # fmt: skip
_SPOKEN = {name: f"<mi>{words.partition('(')[0]}</mi>" for name, words in WORDS.items()}
CALLS = {name: word + _APPLIED + _ROUND for name, word in (_SPOKEN | _OPERATORS).items()} | {
    "sqrt": "<msqrt>{}</msqrt>",
    "abs": "<mrow><mo>|</mo>{}<mo>|</mo></mrow>",
    "floor": "<mrow><mo>⌊</mo>{}<mo>⌋</mo></mrow>",
    "ceil": "<mrow><mo>⌈</mo>{}<mo>⌉</mo></mrow>",
    "hstack": _SQUARE,
    "vstack": _SQUARE,
    "keep": "{}",
    "multiple": "{}",
    "sum_i": "<mrow><msub><mo>∑</mo><mi>i</mi></msub>{}</mrow>",
    "sum_j": "<mrow><msub><mo>∑</mo><mi>j</mi></msub>{}</mrow>",
    "sum_k": "<mrow><msub><mo>∑</mo><mi>k</mi></msub>{}</mrow>",
}
_SEPARATORS = {"hstack": '<mo lspace="0.4em" rspace="0.4em" stretchy="false">|</mo>', "vstack": "<mo>;</mo>", "multiple": ""}


def clean(text: str) -> str:
    """A user's text without the signs that no page may hold; they are shown as �."""
    return re.sub("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def escape(text: str) -> str:
    """A user's text as text: no character of it is a tag."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def math(inside: str) -> str:
    return f"<math>{inside}</math>"


def words(text: str) -> str:
    return f"<mtext>{escape(text)}</mtext>"


def sign(text: str) -> str:
    return f"<mo>{escape(text)}</mo>"


def number(text: str) -> str:
    """A decimal, a closed form or −∞."""
    text = text.strip().replace("−", "-").replace("∞", "inf")
    if (shown := decimal(text)) is not None:
        return shown
    try:
        return formula(parse(text))
    except FormulaError:
        return words(text)


def decimal(text: str) -> str | None:
    """A decimal, in scientific notation with its power of ten; a fraction of whole numbers, ±∞. None for anything else."""
    if text.startswith("-"):
        inside = decimal(text[1:])
        return None if inside is None else f'<mrow><mo form="prefix">−</mo>{inside}</mrow>'
    if text == "inf":
        return "<mi>∞</mi>"
    if re.fullmatch(r"[\d.]+", text):
        return f"<mn>{text}</mn>"
    if found := re.fullmatch(r"([\d.]+)[eE]([+-]?\d+)", text):
        power = f"<msup><mn>10</mn>{number(str(int(found[2])))}</msup>"
        return power if found[1] == "1" else f"<mrow><mn>{found[1]}</mn><mo>·</mo>{power}</mrow>"
    if found := re.fullmatch(r"(\d+)/(\d+)", text):
        return f"<mfrac><mn>{found[1]}</mn><mn>{found[2]}</mn></mfrac>"
    return None


def formula(tree: Tree, first: bool = True) -> str:
    """A formula with the order and the brackets of the tree; `first` says that nothing stands before it."""
    match tree:
        case Number(text):
            shown = decimal(text) or words(text)
            return shown if first or not text.startswith("-") else _ROUND.replace("{}", shown)
        case Name("inf"):
            return "<mi>∞</mi>"
        case Name(name):
            return name_of(name)
        case Text(value):
            return words(value)
        case Negate(a):
            shown = f'<mrow><mo form="prefix">−</mo>{_inner(a, factor(a), False)}</mrow>'
            return shown if first else _ROUND.replace("{}", shown)
        case Transpose(a):
            return _raised(_inner(a, 5), '<mi mathvariant="normal">T</mi>')
        case Binary("**", Name("e"), b) | Call("exp", (b,)) if _is_power_of_e(tree):
            return _raised("<mi>e</mi>", _power(b))
        case Binary():
            return _binary(tree, first)
        case Index(a, rows, columns):
            places = _item(rows) if columns is None else f"{_item(rows)}<mo>,</mo>{_item(columns)}"
            return f'<mrow>{_inner(a, 5)}<mo stretchy="false">[</mo>{places}<mo stretchy="false">]</mo></mrow>'
        case Call(function, (a, b)) if function == ENTRYWISE:
            return f"<mrow>{_inner(a, 2, first)}<mo>∘</mo>{_inner(b, 3, False)}</mrow>"
        case Call("keep"):
            return _keep(tree)
        case Call():
            return _call(tree)
    raise TypeError(tree)


def _inner(part: Tree, at_least: int, first: bool = True) -> str:
    return formula(part, first) if _strength(part) >= at_least else _ROUND.replace("{}", formula(part))


def _strength(tree: Tree) -> int:
    """As `outer_strength`, where exp(x) that is set as a power of e binds as one."""
    return 4 if _is_power_of_e(tree) else outer_strength(tree)


def _is_power_of_e(tree: Tree) -> bool:
    match tree:
        case Binary("**", Name("e"), b) | Call("exp", (b,)):
            return len(in_a_line(b)) < _LONGEST_POWER
    return False


def _binary(tree: Binary, first: bool) -> str:
    a, b = tree.left, tree.right
    match tree.operator:
        case "@" | "*":
            return _row(a, 2, first, _TIMES if tree.operator == "@" else "<mo>·</mo>", _inner(b, factor(b), False))
        case "/":
            return f"<mfrac>{formula(a)}{formula(b)}</mfrac>"
        case "**":
            return _raised(_base(a), _power(b))
    return _row(a, 1, first, f"<mo>{tree.operator.replace('-', '−')}</mo>", _inner(b, 2, False))


def _row(left: Tree, at_least: int, first: bool, between: str, right: str) -> str:
    """`a + b`; where a is a sum (or a product) itself, its terms stand in the same row."""
    shown = _inner(left, at_least, first)
    if isinstance(left, Binary) and left.operator not in ("/", "**") and outer_strength(left) >= at_least:
        shown = shown.removeprefix("<mrow>").removesuffix("</mrow>")
    return f"<mrow>{shown}{between}{right}</mrow>"


def _base(tree: Tree) -> str:
    """What is raised to a power; a fraction bar there needs brackets too."""
    bare = _strength(tree) == 5 and not is_negative(tree) and not isinstance(tree, Transpose)
    return formula(tree) if bare else _ROUND.replace("{}", formula(tree))


def _raised(base: str, power: str) -> str:
    """A name with an index takes its power above the index."""
    if base.startswith("<msub>"):
        return f"<msubsup>{base.removeprefix('<msub>').removesuffix('</msub>')}{power}</msubsup>"
    return f"<msup>{base}{power}</msup>"


def _power(tree: Tree) -> str:
    """A power, quotients in it on one line: a bar that small cannot be read."""
    match tree:
        case Binary("/", a, b):
            return f'<mrow>{_inner(a, 2)}<mo lspace="0" rspace="0">/</mo>{_inner(b, 3, False)}</mrow>'
        case Number(text) if "/" in text:
            above, _, below = text.partition("/")
            return _power(Binary("/", Number(above), Number(below)))
        case Negate(Number() as a):
            return f'<mrow><mo form="prefix">−</mo>{_power(a)}</mrow>'
    return formula(tree)


def _call(tree: Call) -> str:
    inside = [formula(a) for a in flat(tree)]
    inside += [f"<mrow>{words(name)}<mo>=</mo>{formula(value)}</mrow>" for name, value in tree.options]
    shown = CALLS.get(tree.function, f"<mi>{escape(tree.function)}</mi>" + _APPLIED + _ROUND)
    return f"<mrow>{shown}</mrow>".replace("{}", _SEPARATORS.get(tree.function, "<mo>,</mo>").join(inside))


def _keep(tree: Call) -> str:
    """`S where j ≤ i, −∞ elsewhere`"""
    given = dict(zip(("S", "M", "fill"), tree.arguments, strict=False)) | dict(tree.options)
    scores, mask = (given.get(name, Name(name)) for name in "SM")
    where = _seen(mask) or f"{formula(mask)}<mo>≠</mo><mn>0</mn>"
    fill = formula(given["fill"]) if "fill" in given else number("-inf")
    return f"<mrow>{formula(scores)}{_word('where')}{where}<mo>,</mo>{fill}{_word('elsewhere')}</mrow>"


def _word(text: str) -> str:
    return _SPACE + words(text) + _SPACE


def _seen(mask: Tree) -> str:
    """A mask of the language as what must hold between query i and key j."""
    sides, strict = condition(mask)
    return ("<mo>&lt;</mo>" if strict else "<mo>≤</mo>").join(map(formula, sides))


def _item(part: Tree | Slice) -> str:
    if isinstance(part, Slice):
        return f'{formula(part.start) if part.start else ""}<mo lspace="0" rspace="0">:</mo>{formula(part.stop) if part.stop else ""}'
    return formula(part)


def name_of(name: str) -> str:
    """`S_scaled` as S with a word below it, `encoder.norm1.Y` with its lesson before it."""
    if name.startswith("…"):
        return words(f" {name} ")
    before, dot, own = name.rpartition(".")
    return f"<mrow>{words(before + dot)}{_name(own)}</mrow>" if dot else _name(own)


def _name(name: str) -> str:
    if of := re.fullmatch(r"([a-z]\w*?)_([A-Z])_(\w+)", name):  # cross_W_Q is the W_Q of cross
        return f"<msubsup>{_base_name(of[2])}{_index(of[3])}{words(of[1])}</msubsup>"
    base, _, index = name.partition("_")
    return f"<msub>{_base_name(base)}{_index(index)}</msub>" if base and index else _base_name(name)


def _base_name(base: str) -> str:
    return f"<mi>{_GREEK.get(base, escape(base))}</mi>"


def _index(index: str) -> str:
    told = [_one_index(one) for one in indices(index)]
    return told[0] if len(told) == 1 else f"<mrow>{'<mo>,</mo>'.join(told)}</mrow>"


def _one_index(index: str) -> str:
    if index.isdecimal():
        return f"<mn>{index}</mn>"
    return f"<mi>{escape(index)}</mi>" if len(index) == 1 else words(index)
