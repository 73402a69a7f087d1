"""Headings of matrices in free text: names as LaTeX writes them, and formulas, which are not the name at their end."""

from __future__ import annotations

import re

from ...errors import FormulaError
from ...formula.parser import parse
from ...formula.syntax_tree import Name, Tree
from ..nearby_words import PARTS, any_of

_LETTERS = r"(?:text|textrm|textit|mathrm|mathit|mathbf|operatorname|rm)"
_PIECE = rf"(?:\w{{1,30}}|\\{_LETTERS}\{{\w{{1,30}}\}})"
_SUBSCRIPT = rf"(?:\\?_(?:\{{ ?{_PIECE}(?: ?, ?{_PIECE}){{0,3}} ?\}}|\\{_LETTERS}\{{\w{{1,30}}\}}))"
_WORD = r"[A-Za-z_Α-Ωα-ω]\w*(?:\\_\w+)*"
_BOLD = r"\\(?:mathbf|mathrm|mathit|text|bm|boldsymbol)"
_HEAD = r"(?:\^\{?\([0-9]{1,2}\)\}?)?"
_ONE_NAME = rf"{_WORD}{_SUBSCRIPT}{{0,2}}{_HEAD}(?:['′’]{{1,3}}(?![\w'′’]))?"
NAME = rf"{_ONE_NAME}(?:\.{_ONE_NAME})*(?:\[[^\]\n]{{0,60}}\])?"
# One of two groups
WRAPPED_NAME = rf"(?:{_BOLD}\{{({NAME})\}}(?![\w\\^])|({_BOLD}\{{[A-Za-z]\w*\}}(?:_\w+|{_SUBSCRIPT}){_HEAD}|{NAME}))"


_EMPHASIS = re.compile(r"^(__?)([A-Za-z](?:\w*[A-Za-z0-9])?)\1$")  # of Markdown


def plain_name(text: str) -> str:
    r"""Return a name without its marks: `S_{\text{scaled},1}` and `S\_scaled\_1` are S_scaled_1, `Q^{(1)}` is Q_1."""
    base, bracket, index = _EMPHASIS.sub(r"\2", text).partition("[")
    base = re.sub(rf"\\(?:bm|boldsymbol|{_LETTERS})\{{(\w+)\}}", r"\1", base)
    base = re.sub(r"\^\{?\(([0-9]+)\)\}?", r"_\1", base)
    base = re.sub(r"_\{([^{}]*)\}", lambda match: "_" + "_".join(match[1].replace(",", " ").split()), base)
    return re.sub("[′’]", "'", base.replace("\\_", "_")) + bracket + index


# -- formulas ----------------------------------------------------------------------------------------------------------

_EQUAL = re.compile(r"[=≈:]|\\approx|\\simeq")
_OPERATOR = re.compile(r"[-+−*/@·×⋅∘⊙^&<>|~÷%√(\[{]$|\\(?:cdot|times|circ|odot|pm|frac|sqrt)$")
_DASH = re.compile(r"[-–—]$")
_PROSE = re.compile(r"[A-Za-z]?[a-z]{2,}|[Aa]|I|[a-z]|So|We|In|By|As|It|To|At|On|If|Or|An|My")  # a word of a sentence
_LETTER = re.compile(r"[b-z]")
_COUNTED = re.compile(any_of(PARTS))
_SPOKEN = re.compile(r"\(?[\w'’#-]*\)?[.,;:)]")  # it ends a clause: `Head 1,`, `(b)`; `softmax(S)` does not
_ABBREVIATED = re.compile(r"\(?(?:[A-Za-z]\.){2,}[,:;)]?")  # e.g.
# Words that a number does not belong to: `so 2 K` is a formula.
_JOINING = re.compile(
    r"so|that|then|thus|hence|therefore|and|is|we|gives?|gets?|haves?|also|now|with|where|for|or|if|when"
)
# What opens or spaces mathematics in LaTeX.
_OPENING = re.compile(
    r"\\[\[(]|\$+|&+|[{}]|\\(?:displaystyle|textstyle|q?quad|noindent|item)|\\begin\{\w+\*?\}(?:\{[^{}]*\})?"
)
_TURNED = re.compile(r"(\w)(?:ᵀ|\^\{?(?:T|\\top|\\intercal)\}?|')")
_SIDE_BY_SIDE = re.compile(r"(?<=[\w.)\]]) +(?=[^\W\d]|\()")


def formula_before(text: str) -> int | None:
    """Return the place of the formula before a name, such as `Q +` in `Q + K =`; None after prose."""
    first = max((match.end() for match in _EQUAL.finditer(text)), default=0)
    words = list(re.finditer(r"\S+", text[first:]))
    plain = [word[0].strip("`$") if word[0].strip("*`$") in ("", "*") else word[0].strip("*`$") for word in words]
    start = len(words)
    while start and _is_formula(plain, start - 1):
        start -= 1
    return first + words[start].start() if start < len(words) else None


def _is_formula(words: list[str], k: int) -> bool:
    """Return whether a word belongs to a formula that goes on behind it."""
    word, before = words[k], words[k - 1] if k else ""
    if _OPENING.fullmatch(word) or _ABBREVIATED.fullmatch(word):
        return False
    if _DASH.fullmatch(word) and len(before) > 2 and _PROSE.fullmatch(before):
        return False  # a dash between words
    if _OPERATOR.search(word):
        return True
    if word == "A" or _LETTER.fullmatch(word):
        return not _COUNTED.fullmatch(before)  # `part b Q` is none, `so x W` and `A V` are
    if word.isdigit():
        # `head 1 Q` is none, `2 K` and `so 2 K` are
        return not _PROSE.fullmatch(before) or _JOINING.fullmatch(before) is not None
    if word.endswith(",") and not word[:-1].isdigit():
        return not _PROSE.fullmatch(word[:-1]) or len(word) == 2  # `Q, K =`
    return not (_PROSE.fullmatch(word) or _SPOKEN.fullmatch(word))


def as_tree(text: str) -> Tree | None:
    """Return the formula as a tree, names side by side as products of matrices; None if it has no meaning."""
    plain = re.sub(r"\\cdot|\\times|[·⋅]", "@", _TURNED.sub(r"\1.T", text.strip("`$ ")))
    try:
        tree = parse(_SIDE_BY_SIDE.sub(" @ ", plain))
    except FormulaError:
        return None
    return None if isinstance(tree, Name) else tree
