"""Moodle's cloze syntax for answer fields. A field is as wide as its longest answer, so each gets a wrong answer of the
maximal width, and widths reveal nothing.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from .number_format import decimal
from .question_html import words
from .quiz import AcceptedAnswer, Blank

NARROWEST = 6  # characters of the narrowest field: room for -12.34
SIGNIFICANT = 14  # digits that PHP writes for a number with a decimal point
LARGEST_WHOLE = 2**63  # below it, PHP keeps every digit of an integer
LONGEST_WHOLE, LONGEST = 19, 21  # characters of an integer below LARGEST_WHOLE, and of any number
# `*` matches any end of a short answer. The first pattern is shown as the right answer.
PATTERNS = {
    "-inf": ("-inf", *(sign + word for sign in ("-", "- ", "−", "− ", "minus ") for word in ("inf*", "∞", "oo"))),
    "inf": ("inf", *(sign + word for sign in ("", "+", "+ ", "plus ") for word in ("inf*", "∞", "oo"))),
}


def cloze(blank: Blank, weight: int, width: int = 0) -> str:
    """Return `{1:NUMERICAL:%100%0.67:0.005~%0%0.73:0.005#scale forgotten~%0%-99999:0}`, a field of `width`
    characters.
    """
    widest = f"~%0%{_widest(blank, width)}" if width > longest(blank) else ""
    if blank.word:
        return f"{{{weight}:SHORTANSWER:{'~'.join(f'%100%{word}' for word in PATTERNS[blank.word])}{widest}}}"
    return f"{{{weight}:NUMERICAL:{'~'.join(map(_answer, blank.answers))}{widest}}}"


def width_of(blanks: list[Blank]) -> int:
    """Return the common width of the fields of a question."""
    return max(NARROWEST, *map(longest, blanks))


def longest(blank: Blank) -> int:
    """Return the length of a field's longest answer as Moodle stores it."""
    return max(map(len, PATTERNS[blank.word] if blank.word else [php_number(answer.text) for answer in blank.answers]))


def php_number(text: str) -> str:
    """Return a number as PHP writes it, with at most fourteen digits: 0.50 is `0.5`, 0.00001 is `1.0E-5`."""
    if "." not in text and -LARGEST_WHOLE <= int(text) < LARGEST_WHOLE:
        return str(int(text))
    # Rounded from the binary number, as in PHP, in case the decimal lies between two of fourteen digits
    binary = Decimal(float(text))
    number = Context(prec=SIGNIFICANT).create_decimal(binary if binary.is_finite() else text).normalize()
    exponent = number.adjusted()
    if not number or -5 < exponent < SIGNIFICANT:
        return f"{number:f}" if number else "0"
    digits = "".join(map(str, number.as_tuple().digits))
    return f"{'-' if number < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{exponent:+d}"


def _answer(answer: AcceptedAnswer) -> str:
    """Return an answer with its share, feedback, and tolerance, which covers the digits that Moodle drops.

    Moodle decodes the entities of feedback once and reads the result as HTML. It removes only backslashes before } and
    #.
    """
    feedback = words(answer.feedback).replace("&", "&amp;")
    suffix = f"#{feedback}" if feedback else ""
    tolerance = answer.tolerance + abs(Fraction(php_number(answer.text)) - answer.value)
    return f"%{decimal(100 * answer.share, 5)}%{answer.text}:{decimal(tolerance, answer.places + 1)}{suffix}"


def _widest(blank: Blank, width: int) -> str:
    """Return a wrong answer of `width` characters that no student gives."""
    if blank.word:
        return "." * width
    return f"{_number(width)}:0"


def _number(width: int) -> str:
    """Return -99999, or -9.99E+99 if more characters are required."""
    if width <= LONGEST_WHOLE:
        return "-" + "9" * (width - 1)
    power = "E+99" if width < LONGEST else "E+100"
    return f"-9.{'9' * (width - 3 - len(power))}{power}"
