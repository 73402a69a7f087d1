"""The theme of the terminal: signs in Unicode and in ASCII, colours, and the shades of weights."""

from __future__ import annotations

from typing import NamedTuple

from ..math.single_line import ASCII, UNICODE, LinePrinter


class Signs(NamedTuple):
    """Brackets, rules and marks."""

    notation: LinePrinter
    top: tuple[str, str]
    middle: tuple[str, str]
    bottom: tuple[str, str]
    single: tuple[str, str]
    rule: str
    check: str
    warning: str
    separator: str
    cut: str  # the end of a truncated label
    more: str  # in place of omitted columns
    below: str  # in place of omitted rows
    wrong: str  # before an entry that is wrong
    should: str  # before an expected entry
    hidden: str  # a weight that the mask hides
    by: str
    arrow: str
    folded: str  # before the name of a lesson that is shown by its result alone
    unfolded: str
    between: dict[str, str]

    @property
    def plain(self) -> bool:
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

# Styles in rich's notation. Colours are of medium lightness, for contrast on white and on black; a terminal with fewer
# colours takes the nearest.
STYLES = {
    "title": "bold",
    "part": "bold #1f8a96",
    "lesson": "#1f8a96",
    "name": "bold #b5701a",
    "label": "#1f8a96",
    "sign": "#a060c8",
    "bracket": "dim",
    "masked": "dim",
    "gap": "dim",
    "wrong": "bold #d04040",
    "should": "bold #3c9140",
    "undecided": "bold #d04040",
    "check": "#3c9140",
    "done": "#3c9140",
    "warning": "bold #c0702a",
    "cause": "bold #d04040",
    # The entry that is worked out, and what it is made from
    "entry": "bold #ffffff on #2a6fa8",
    "source": "bold #3a8fd0",
    "query": "bold #3888d8",  # one colour each, wherever they are named
    "key": "bold #d2691e",
    "value": "bold #209850",
    "strong": "bold",
    "dim": "dim",
    "": "",
}

# A weight's share, from grey to orange of much the same lightness, so that the small ones glare on no background.
_NONE, _ALL = (168, 162, 153), (255, 140, 44)
_TINY = 0.005


def shade(share: float) -> str:
    """Return the style of a weight, its background and a legible ink; a tiny weight has none."""
    if share < _TINY:
        return STYLES[""]
    red, green, blue = (round(a + (b - a) * share**0.6) for a, b in zip(_NONE, _ALL, strict=True))
    luminance = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
    ink = "#ffffff" if luminance < 0.42 else "#101010"
    return f"{ink} on #{red:02x}{green:02x}{blue:02x}"
