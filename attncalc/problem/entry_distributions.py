"""Distributions of the entries of random matrices, as instructors write them: `integers -2..2`, `halves -1..1`,
`one-hot`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

from ..errors import AttncalcError, FormulaError, did_you_mean, shorten
from ..formula.parser import parse
from .random_stream import Stream

Texts = list[list[str]]
NOTHING = "0"
STEPS = {"integers": Fraction(1), "halves": Fraction(1, 2), "quarters": Fraction(1, 4), "tenths": Fraction(1, 10),
         "hundredths": Fraction(1, 100), "sparse": Fraction(1), "rising": Fraction(1),
         "logarithms": Fraction(1)}  # fmt: skip
SHARES = {"halves": 2, "quarters": 4, "fifths": 5, "eighths": 8, "tenths": 10, "twentieths": 20, "hundredths": 100}
_SHARES = re.compile(r"rows that sum to 1(?: in (\w+))?")
_END = r"(-?\d{1,9}(?:\.\d{1,9})?)"
_SPAN = re.compile(rf"{_END}\s*\.\.\s*{_END}")
MOST_VALUES = 2_001
LONGEST_WORD = 40


@dataclass(frozen=True)
class Kind:
    """A distribution of entries from `low` to `high` in steps of `step`.

    In a sparse matrix, about half of the entries are 0. In a one-hot matrix, each row has a single 1. Rising entries
    are integers, each larger than the previous entry.
    """

    word: str
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    step: Fraction = Fraction(1)

    @property
    def text(self) -> str:
        """The distribution in the form of the option --entries: `integers -2..2`."""
        return self.word if self.word == "one-hot" else f"{self.word} {plain(self.low)}..{plain(self.high)}"

    def matrix(self, stream: Stream, n: int, m: int) -> Texts:
        """Return a random matrix. Its entries are texts in usual notation, such as 0.5."""
        if self.word == "one-hot":
            rows = []
            for _ in range(n):
                column = stream.below(m)
                rows.append(["1" if j == column else NOTHING for j in range(m)])
            return rows
        texts, others = self.texts
        if self.word == "logarithms":
            texts = [f"ln({text})" for text in texts]
        if self.word == "rising":
            return [self._rising(stream, texts, m) for _ in range(n)]
        if self.word == "sparse":
            return [stream.sparse(others, NOTHING, m) for _ in range(n)]
        return [stream.choices(texts, m) for _ in range(n)]

    @cached_property
    def texts(self) -> tuple[list[str], list[str]]:
        """Two lists of texts: all values of the distribution, and its values other than 0."""
        count = int((self.high - self.low) / self.step) + 1
        texts = [plain(self.low + k * self.step) for k in range(count)]
        return texts, [text for text in texts if text != NOTHING]

    def _rising(self, stream: Stream, texts: list[str], m: int) -> list[str]:
        if m > len(texts):
            raise AttncalcError(
                f"entries: expected a range of at least {m} numbers for {m} columns; {self.text} has {len(texts)}"
            )
        left = list(range(len(texts)))
        return [texts[k] for k in sorted(left.pop(stream.below(len(left))) for _ in range(m))]


@dataclass(frozen=True, slots=True)
class Choices(Kind):
    """A distribution over a list of numbers or words, which remain texts."""

    values: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The distribution in the form of a problem file: `choices 0 1/2 1`."""
        return f"{self.word} {' '.join(self.values)}"

    def matrix(self, stream: Stream, n: int, m: int) -> Texts:
        """Return a random matrix, n × m. All values are equally likely."""
        return [[stream.choice(self.values) for _ in range(m)] for _ in range(n)]


@dataclass(frozen=True, slots=True)
class Shares(Kind):
    """Rows of probabilities that sum to 1. Each probability is a positive multiple of `1/parts`."""

    parts: int = 10

    @property
    def text(self) -> str:
        """The distribution in the form of a problem file: `rows that sum to 1 in tenths`."""
        return f"rows that sum to 1 in {next(word for word, parts in SHARES.items() if parts == self.parts)}"

    def matrix(self, stream: Stream, n: int, m: int) -> Texts:
        """Return a random matrix, n × m. All rows of such probabilities are equally likely."""
        if m > self.parts:
            raise AttncalcError(f"entries: {self.text} can have at most {self.parts} columns; found {m}")
        rows = []
        for _ in range(n):
            cuts = [0, *sorted(stream.shuffled(range(1, self.parts))[: m - 1]), self.parts]
            rows.append([plain(Fraction(b - a, self.parts)) for a, b in pairwise(cuts)])
        return rows


class Words(Choices):
    """Random words for a text option of a lesson: `words low lower newest`."""

    __slots__ = ()


def has_empty_line(name: str, rows: Texts) -> bool:
    """Return whether a matrix of weights, a gradient (g_1), Q, K or V has a row or column of zeros. It would have no
    effect.
    """
    if not name.startswith(("W_", "g_")) and name not in ("Q", "K", "V"):
        return False
    return any(line.count(NOTHING) == len(line) for line in (*rows, *zip(*rows, strict=True)))


@lru_cache(maxsize=64)
def kind(text: str) -> Kind:
    """Parse a distribution. For other texts, raises AttncalcError with a list of the distributions."""
    word, _, span = " ".join(text.split()).partition(" ")
    if word == "one-hot" and not span:
        return Kind(word)
    if word in ("choices", "choice"):
        return _choices(span)
    if shared := _SHARES.fullmatch(" ".join(text.split())):
        if (shared[1] or "tenths") not in SHARES:
            raise AttncalcError(f"entries: expected one of {', '.join(SHARES)}, found {shorten(shared[1])!r}")
        return Shares("rows that sum to 1", parts=SHARES[shared[1] or "tenths"])
    if word not in STEPS:
        known = [*STEPS, "one-hot", "choices", "rows that sum to 1"]
        near = did_you_mean(word, known) or f"; the distributions are {', '.join(known)}"
        raise AttncalcError(f"entries: expected a distribution such as integers -2..2, found {shorten(text)!r}{near}")
    match = _SPAN.fullmatch(span or "-2..2")
    if not match:
        raise AttncalcError(f"entries: expected a range such as -2..2 after {word}, found {shorten(span)!r}")
    low, high, step = Fraction(match[1]), Fraction(match[2]), STEPS[word]
    if not low < high:
        there = f"found {shorten(span)!r}"
        raise AttncalcError(f"entries: expected a range such as -2..2, with the smaller number first, {there}")
    if low % step or high % step:
        raise AttncalcError(
            f"entries: {word} need a range that starts and ends at a multiple of {plain(step)}; found {shorten(span)!r}"
        )
    if word == "logarithms" and low < 1:
        raise AttncalcError(
            f"entries: logarithms need a range of whole numbers that starts at 1 or higher; found {shorten(span)!r}"
        )
    if (high - low) / step + 1 > MOST_VALUES:
        raise AttncalcError(
            f"entries: expected a range with at most {MOST_VALUES:,} values; {shorten(span)!r} has more"
        )
    return Kind(word, low, high, step)


def words(text: str) -> Words | None:
    """Parse random words. Return None if the text describes numbers. Raises AttncalcError for too few or too long
    words.
    """
    word, *values = text.split() or [""]
    if word != "words":
        return None
    if len(set(values)) < 2:
        raise AttncalcError(
            f"entries: expected at least two words, as in `words low lower newest`, found {shorten(text)!r}"
        )
    long = next((value for value in values if len(value) > LONGEST_WORD), None)
    if long is not None:
        raise AttncalcError(f"entries: expected words of at most {LONGEST_WORD} letters, found {shorten(long)!r}")
    return Words(word, values=tuple(values))


def _choices(span: str) -> Choices:
    values = tuple(value for value in re.split(r"\s*,\s*|\s+", span) if value)
    for value in values:
        try:
            parse(value)
        except FormulaError as error:
            raise AttncalcError(f"entries: {error.message}") from None
    if not 2 <= len(set(values)) <= MOST_VALUES:
        raise AttncalcError(f"entries: expected at least two numbers, as in `choices 1 2 5`, found {shorten(span)!r}")
    return Choices("choices", values=values)


def plain(x: Fraction) -> str:
    """Return a fraction in usual notation: 2, 0.5, -1.3."""
    if x.denominator == 1:
        return str(x.numerator)
    places = next(k for k in range(1, 40) if (x * 10**k).denominator == 1)
    return f"{x.numerator * 10**places // x.denominator / 10**places:.{places}f}"
