"""The looks of a terminal: its signs in Unicode and in plain ASCII, its colours, and the shades of weights."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style

from .formulas.lines import ASCII, UNICODE, Line


class Signs(NamedTuple):
    """Brackets, rules and marks."""

    notation: Line
    top: tuple[str, str]
    middle: tuple[str, str]
    bottom: tuple[str, str]
    single: tuple[str, str]
    rule: str
    check: str
    warning: str
    separator: str
    cut: str  # stands for the end of a label that is too long
    more: str  # ... for columns left out
    below: str  # ... for rows left out
    wrong: str  # before an entry that is wrong
    should: str  # before what belongs in its place
    hidden: str  # a weight that the mask hides
    by: str
    arrow: str
    folded: str  # before the name of a lesson that is shown by its result alone
    unfolded: str
    between: dict[str, str]

    @property
    def plain(self) -> bool:
        """Whether these are the signs for terminals that have ASCII alone."""
        return self.notation is ASCII


PRETTY = Signs(
    UNICODE, ("⎡", "⎤"), ("⎢", "⎥"), ("⎣", "⎦"), ("[", "]"),
    rule="─", check="✓", warning="!", separator=" · ", cut="…", more="…", below="⋮", wrong="✗", should="→", hidden="·",
    by="×", arrow="→",
    folded="▸", unfolded="▾", between={},
)  # fmt: skip
PLAIN = Signs(
    ASCII, ("|", "|"), ("|", "|"), ("|", "|"), ("|", "|"),
    rule="-", check="ok:", warning="!", separator="; ", cut=".", more="...", below=":", wrong="!", should=">",
    hidden=".", by="x", arrow="->",
    folded="+", unfolded="-", between={"·": ".", "∘": "*", "−": "-", "|": ","},
)  # fmt: skip

# Colours of middling lightness, which keep their contrast on white and on black; a terminal with fewer takes its
# nearest.
STYLES = {
    "title": Style(bold=True),
    "part": Style(bold=True, color="#1f8a96"),
    "lesson": Style(color="#1f8a96"),
    "name": Style(bold=True, color="#b5701a"),
    "label": Style(color="#1f8a96"),
    "sign": Style(color="#a060c8"),
    "bracket": Style(dim=True),
    "masked": Style(dim=True),
    "gap": Style(dim=True),
    "wrong": Style(bold=True, color="#d04040"),
    "should": Style(bold=True, color="#3c9140"),
    "undecided": Style(bold=True, color="#d04040"),
    "check": Style(color="#3c9140"),
    "done": Style(color="#3c9140"),
    "warning": Style(bold=True, color="#c0702a"),
    "cause": Style(bold=True, color="#d04040"),
    # The entry that is worked out, and what it is made from
    "entry": Style(bold=True, color="#ffffff", bgcolor="#2a6fa8"),
    "source": Style(bold=True, color="#3a8fd0"),
    "query": Style(bold=True, color="#3888d8"),  # one colour each, wherever they are named
    "key": Style(bold=True, color="#d2691e"),
    "value": Style(bold=True, color="#209850"),
    "strong": Style(bold=True),
    "dim": Style(dim=True),
    "": Style(),
}

# A weight's share, from grey to orange of much the same lightness, so that the small ones glare on no background.
_NONE, _ALL = (168, 162, 153), (255, 140, 44)
_TINY = 0.005


def shade(share: float) -> Style:
    """The ground of a weight and an ink that is legible on it; a tiny weight has no ground."""
    if share < _TINY:
        return STYLES[""]
    red, green, blue = (round(a + (b - a) * share**0.6) for a, b in zip(_NONE, _ALL, strict=True))
    luminance = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
    return Style(color="#ffffff" if luminance < 0.42 else "#101010", bgcolor=f"#{red:02x}{green:02x}{blue:02x}")
