"""A number of a spreadsheet as its text."""

from __future__ import annotations

import re

DIGITS = 15  # significant digits that a spreadsheet shows of a number
_DECIMALS = re.compile(r"#?,?#*0\.(0{1,30})")  # as many as Excel shows
_ZEROS = re.compile(r"0{2,30}")  # 00417 is shown in full


def as_shown(value: float, style: str = "General") -> str:
    """Return a number with at most 15 significant digits, with the decimals or zeros that the format shows.

    >>> as_shown(0.1 + 0.2), as_shown(0.5, "0.00"), as_shown(417.0, "00000")
    ('0.3', '0.50', '00417')
    """
    if isinstance(value, int) or value.is_integer() and abs(value) < 10**DIGITS:
        text = str(int(value))
    else:
        text = format(value, f".{DIGITS}g")
    if _ZEROS.fullmatch(style) and text.isdigit():
        return text.zfill(len(style))
    shown = _DECIMALS.fullmatch(style)
    if shown and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        whole, _, behind = text.partition(".")
        return f"{whole}.{behind:0<{len(shown[1])}}"
    return text
