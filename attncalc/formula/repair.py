"""What a formula was meant to be that people write as on paper: `Q @ K^T` is Q @ K.T, `K q` is K @ q, `2X` is 2 * X."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container
from typing import Any

from .tree import Index, Name, Text

_FUNCTIONS = "log2|log10|log|ln|exp|sqrt|sin|cos|tanh|sigmoid|relu|σ"  # of one thing, often written without brackets
_ACCENTS = {"\u0302": "_hat", "\u0304": "_bar", "\u0305": "_bar", "\u0303": "_tilde"}
LONGEST = 300  # of a formula for which another is proposed
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_WORDS = frozenset({"if", "else", "and", "or", "not", "in", "is", "for", "lambda"})
_NAME = r"[A-Za-zΑ-Ωα-ω_][\wʹ']*"
_CHANGES: tuple[tuple[str, str], ...] = (
    (r"\^\s*\{?\s*\\?(?:top|intercal|mathsf\{T\}|T|⊤)\s*\}?(?![\w(])|ᵀ|⊤", ".T"),
    (r"(?<=\))['′’]+", ".T"),
    (r"\^\s*\{([^{}]*)\}", r"**(\1)"),
    (r"\^", "**"),
    (rf"(\*\*\d+)\s+(?={_NAME}|\()", r"\1 @ "),
    (rf"√\s*({_NAME}\*\*\d+)", r"sqrt(\1)"),
    (r"√\s*\(", "sqrt("), (r"[Σ∑]\s*\(", "sum("),
    (rf"(?<![\w.])({_FUNCTIONS})\s+((?:\d+(?:\.\d+)?\s*)?{_NAME}(?:\([^()]*\)|\[[^\[\]]*\])?|\d+(?:\.\d+)?)",
     r"\1(\2)"),
    (rf"√\s*({_NAME}|\d+)", r"sqrt(\1)"),
    (r"(?:\|\||‖)([^|‖]+)(?:\|\||‖)", r"norm(\1)"),
    (r"(?<![|\w)\]])\|([^|]+)\|", r"abs(\1)"),
    (r"(?<![\w.])(\d+(?:\.\d+)?)\s*·", r"\1 *"), (r"·", " @ "),
    (r"≤", "<="), (r"≥", ">="), (r"≠", "!="), (r"[⋅∘⊙∗]", "*"),
    (r"(?<=[\w)\]'])\s+\.\s+(?=[\w(\[])", " @ "),
    (r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?=[A-Za-zΑ-Ωα-ω(])(?![eE][-+]?\d)", r"\1 * "),
    (r"(?<=\))(?=[A-Za-zΑ-Ωα-ω(])", " @ "),
)  # fmt: skip
_SIDE_BY_SIDE = re.compile(rf"({_NAME}|[)\]])\s+(?={_NAME}|\()")


def without_accents(text: str) -> str:
    """`y_hat` for ŷ, `x_bar` for x̄: what the name of an estimate or of a mean can be here."""
    for sign in dict.fromkeys(one for one in text if ord(one) > 127):
        apart = unicodedata.normalize("NFD", sign)
        text = text.replace(sign, "".join(_ACCENTS.get(part, part) for part in apart))
    return text


def _fraction(sign: re.Match[str]) -> str:
    """`(1/2)` for ½, and times what stands behind it."""
    number = unicodedata.normalize("NFKC", sign[0]).replace("\u2044", "/")
    behind = sign.string[sign.end() :].lstrip()[:1]
    return f"({number}) * " if behind and (behind.isalnum() or behind in "(|‖√_Σ∑") else f"({number})"


def _summed(text: str) -> str:
    """`sum(p * log p)` for Σ p * log p: a sum takes all that is multiplied behind its sign, from the last sign on."""
    for sign in reversed([*re.finditer(r"[Σ∑](?:_\{[^{}]*\}|_\w+)?\s*(?!\()", text)]):
        end = _factors_end(text, sign.end())
        if inside := text[sign.end() : end].strip():
            text = f"{text[: sign.start()]}sum({inside}){text[end:]}"
    return text


def _factors_end(text: str, start: int) -> int:
    """Where a product ends that starts here: before a plus, a minus, a comma or a closing bracket of what is around."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in ")]}" and not depth or text[at] in "+-−,<>=≤≥" and not depth and text[start:at].strip(" *·/"):
            return at
        depth += (text[at] in "([{") - (text[at] in ")]}")
    return len(text)


def repaired(text: str) -> str:
    """The formula with what paper allows put into Python's syntax; the same text where there is nothing to change."""
    if len(text) > LONGEST:
        return text
    found = without_accents(text.strip())
    if "=" in found and re.match(rf"{_NAME}(\[[^\]]*\])?\s*=(?!=)", found):
        found = found.partition("=")[2].strip()
    found = re.sub("[¼-¾⅐-⅞]", _fraction, found)
    found = re.sub("⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"^{power[0].translate(_POWERS)}", found)
    found = _summed(found)
    for pattern, change in _CHANGES:
        found = re.sub(pattern, change, found)
    return _SIDE_BY_SIDE.sub(lambda one: one[0] if one[1] in _WORDS else f"{one[1]} @ ", found)


def quoted(
    tree: Index, rows: Container[str] | None, columns: Container[str] | None, is_unknown: Callable[[Name], bool]
) -> Index:
    """`P[0, cat]` with its labels in quotes, where nothing else is called so."""

    def label(item: Any, labels: Container[str] | None) -> Any:
        plain = isinstance(item, Name) and item.name in (labels or ()) and is_unknown(item)
        return Text(item.name, item.at) if plain else item

    return tree.but(rows=label(tree.rows, rows), columns=label(tree.columns, columns))
