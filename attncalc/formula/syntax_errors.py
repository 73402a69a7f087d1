"""Checks of a formula's text before Python parses it, and messages for text that Python cannot parse."""

from __future__ import annotations

import re
from decimal import Decimal

from .. import limits
from ..errors import FormulaError, shorten

MISSING = "; add the missing comma or operator"
LONGEST_NUMBER = limits.DIGITS.most


# Greek and Cyrillic letters that look like Latin letters.
LATIN = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕКМНОРСТХЅІЈасеорхуѕіј", "ABEZHIKMNOPTYXoABEKMHOPCTXSIJaceopxysij")

# The letter that replaces a prime, as in W', because Python allows this letter in names.
PRIME = "ʹ"


def check_characters(code: str) -> None:
    """Raise FormulaError for characters that the formula language does not have."""
    if "∞" in code and (glued := re.search(r"[\w)]\s*∞|∞\s*[\w(]", code)):
        raise FormulaError("expected an operator next to ∞, found none", glued.start())
    plain = code.isascii() and code.isprintable()
    if not plain and (odd := re.search(rf"[^\x20-\x7e\n\t∞{PRIME}Α-Ωα-ω]", code)):
        raise FormulaError(
            f"unexpected character {shorten(odd[0])!r}; names use ASCII or Greek letters, "
            "and operators use ASCII characters",
            odd.start(),
        )
    if "#" in code:
        raise FormulaError("expected a formula, found '#'", code.index("#"))


def check_depth(code: str) -> None:
    """Raise FormulaError for brackets that are nested too deeply, and for closing brackets without opening brackets."""
    depth = 0
    for at, character in enumerate(code):
        depth += (character in "([{") - (character in ")]}")
        if depth > limits.BRACKETS.most:
            raise FormulaError(limits.BRACKETS.exceeded("more"), at)
        if depth < 0:
            raise FormulaError("this closing bracket has no opening bracket", at)


def check_numbers(code: str) -> None:
    """Raise FormulaError for a number with too many digits."""
    for match in re.finditer(r"[0-9]+", code):
        if len(match[0]) > LONGEST_NUMBER:
            raise FormulaError(limits.DIGITS.exceeded(len(match[0])), match.start())


_BEFORE_SIGN = re.compile(r"(?<![0-9.][eE])(?<=[\w.)'\]])\s+(?=[-−+][\w.(\[])")  # the space before the sign in 2 -1


def two_entries(entry: str) -> tuple[str, str] | None:
    """Return both entries of a text such as `2 -1`, which is one number here, and two in MATLAB and in NumPy's output.
    Return None for other texts.
    """
    for space in _BEFORE_SIGN.finditer(entry):
        first, second = entry[: space.start()], entry[space.end() :]
        if all(first.count(opening) == first.count(closing) for opening, closing in ("()", "[]")):
            return first, second
    return None


def refuse_tuple(code: str, at: int) -> None:
    """Raise FormulaError for a tuple such as (1, 2), and for a number with a decimal comma, because Python reads 0,5 as
    a tuple.
    """
    if code.startswith("("):
        raise FormulaError(f"the formula language has no tuples; for a row, write {shorten(f'[{code[1:-1]}]')}", at)
    if number := re.search(r"(?<![\w.])([+-]?[0-9]+),([0-9]+)(?![\w.])", code):
        raise FormulaError(
            f"expected a number, found {shorten(number[0])!r}; "
            f"if the comma is a decimal comma, write {number[1]}.{number[2]}",
            at + number.start(),
        )


def syntax(text: str, code: str) -> str:
    """Return the message for text that Python cannot parse."""
    required = f"expected a formula, found {shorten(text.strip())!r}"
    if percentage := re.fullmatch(r"\s*(-?[0-9]+(?:\.[0-9]+)?|-?\.[0-9]+)\s*%\s*", code):
        return f"{required}; write {Decimal(percentage[1]).scaleb(-2).normalize():f}"
    if parted := re.fullmatch(r"\s*([1-9][0-9]{0,2}(?: [0-9]{3})+)\s*", code):
        return f"{required}; if the spaces separate thousands, write {parted[1].replace(' ', '')}"
    if re.search(r"(?<![\w.:])0[0-9]", code):
        return f"{required}; remove the zeros at the start of the number"
    if re.search(r"[\d\w)]\s+[\d\w(]", code):
        return f"{required}{MISSING}"
    if "=" in re.sub(r"[_^]\{[^{}]*\}", "", code):  # a single = is allowed in the limits of a sum
        return f"{required}; write the name before the colon, and the formula without ="
    if code.count("(") != code.count(")") or code.count("[") != code.count("]"):
        return f"{required}; its brackets do not match"
    return required


def syntax_offset(text: str, error: SyntaxError) -> int:
    """Return the offset in the text at which Python stopped."""
    line, column = error.lineno or 1, error.offset or 1
    at = sum(len(source_line) + 1 for source_line in text.split("\n")[: line - 1]) + column - 1 - (line == 1)
    return min(max(0, at), len(text))
