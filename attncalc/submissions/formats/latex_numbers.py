"""LaTeX as students paste it: a constant in plain signs, the rows of a matrix. Read by hand, nothing is
typeset or run.
"""

from __future__ import annotations

import re

from ..closed_form_numbers import NotConstant

DEEPEST = 60
_WORDS = {
    "infty": "inf", "pi": "pi", "cdot": "*", "times": "*", "div": "/", "left": "", "right": "", "quad": " ",
    "qquad": " ", "displaystyle": "", "textstyle": "", "hline": "", "hspace": "", "big": "",
    "Big": "", "bigl": "", "bigr": "", "approx": "≈", "ldots": "…", "dots": "…", "cdots": "…", "vdots": "…",
    "ddots": "…", "square": "_",
}  # fmt: skip
_UNWRAP = {"text", "mathrm", "mathbf", "textbf", "mathit", "mathsf", "boldsymbol", "bm", "boxed", "underline",
    "operatorname", "mbox"}  # fmt: skip
_FUNCTIONS = {"ln", "log", "exp", "sin", "cos", "tanh"}
_DROP = {"phantom", "hphantom", "vphantom", "color"}
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[0-9]|\s+|.", re.DOTALL)
_IMPLIED = re.compile(
    r"(?<=[0-9)])\s*(?=sqrt|exp|ln|log|pi|\()|(?<=[0-9)])(?=e(?![0-9+-]))|(?<=pi)(?=\()|(?<=\))\s*(?=[0-9e])"
)
_FUNCTION_END = re.compile(r"(?:sqrt|exp|ln|log|sin|cos|tanh)?\s*$")
_FACTOR_END = re.compile(r"(?:[0-9.]+|pi|e)$")


def is_latex(text: str) -> bool:
    """Whether a text looks like LaTeX, or has signs that LaTeX has commands for."""
    return "\\" in text or "√" in text or "{" in text


def plain(text: str) -> str:
    """`-\\frac{\\sqrt{2}}{2}` as `-((sqrt(2))/(2))`; what is not known stays as it is, and is refused where
    it is read.
    """
    text = re.sub(r"√ ?([0-9]+(?:\.[0-9]+)?)", r"sqrt(\1)", text).replace("√", "sqrt")
    tokens = _TOKEN.findall(text)
    out = _sequence(tokens[::-1], "", 0)
    if any(_is_denominator(out[: gap.start()]) for gap in _IMPLIED.finditer(out)):
        raise NotConstant("write brackets: 1/(2*sqrt(2)), or (1/2)*sqrt(2)?")
    return _IMPLIED.sub("*", out).strip()


def _is_denominator(text: str) -> bool:
    """Whether a factor at the end of the text stands behind a slash: in 1/2√2 it is open what is divided by what."""
    text = text.rstrip()
    if text.endswith(")"):
        depth, start = 0, len(text)
        while start and (depth or start == len(text)):
            start -= 1
            depth += (text[start] == ")") - (text[start] == "(")
        text = _FUNCTION_END.sub("", text[:start])
    else:
        text = _FACTOR_END.sub("", text)
    return text.rstrip().endswith("/")


def _sequence(tokens: list[str], end: str, depth: int) -> str:
    """Tokens up to the closing one; the list is a stack, its first token last."""
    out: list[str] = []
    while tokens:
        token = tokens.pop()
        if token == end:
            break
        out.append(_one(token, tokens, depth))
    return "".join(out)


def _one(token: str, tokens: list[str], depth: int) -> str:
    if depth > DEEPEST:
        return token
    if token == "{":
        return f"({_sequence(tokens, '}', depth + 1)})"
    if not token.startswith("\\"):
        return " " if token == "~" else token
    word = token[1:].rstrip("*")
    if word in ("frac", "tfrac", "dfrac", "cfrac"):
        return f"(({_argument(tokens, depth)})/({_argument(tokens, depth)}))"
    if word == "sqrt":
        index = _sequence(tokens, "]", depth + 1) if _next(tokens) == "[" and tokens.pop() else ""
        inside = _argument(tokens, depth)
        return f"(({inside})**(1/({index})))" if index else f"sqrt({inside})"
    if word in _FUNCTIONS:
        return word if _next(tokens) in ("(", "\\left", "^", "_", "") else f"{word}({_operand(tokens, depth)})"
    if word in _UNWRAP:
        return _argument(tokens, depth)
    if word in _DROP:
        _argument(tokens, depth)
        return ""
    if word in _WORDS:
        return _WORDS[word]
    return " " if word in (",", ";", ":", "!", " ", "") else word if word in ("%", "_", "{", "}") else token


def _next(tokens: list[str]) -> str:
    while tokens and tokens[-1].isspace():
        tokens.pop()
    return tokens[-1] if tokens else ""


def _operand(tokens: list[str], depth: int) -> str:
    """What a function without brackets is of: a whole number or decimal, else what `_argument` takes."""
    digits = ""
    while tokens and (tokens[-1].isdigit() or tokens[-1] == "."):
        digits += tokens.pop()
    return digits or _argument(tokens, depth)


def _argument(tokens: list[str], depth: int) -> str:
    """A group in braces, or the one sign that follows."""
    if not _next(tokens):
        return ""
    token = tokens.pop()
    return _sequence(tokens, "}", depth + 1) if token == "{" else _one(token, tokens, depth + 1)
