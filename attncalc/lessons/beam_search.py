"""Beam search: each of the best prefixes is continued with every word, and the best continuations are kept. The next
rows of the table depend on the kept words, so the lesson is a trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FormulaError, counted, did_you_mean, shorten
from ..formula.syntax_tree import Name, Text
from .lesson import Ask, Input, Lesson, Option, Setting, Trace, word_of

Beginning = tuple[int, ...]  # a prefix, as the indices of its words


def _beam_search(s: Setting) -> Trace:
    """Yield, for each time step, the rows of the kept prefixes, the scores of the continuations, and the best
    continuations.
    """
    s.refuse_columns("the probabilities of the next word as rows", "transpose")
    table = _BeamTable(s)
    width = _width(s, table)
    end = table.word("end_token")
    max_words = s.integer("most") or (table.times if table.by_time else None)
    if max_words is None and end is None:
        raise FormulaError(
            "beam_search needs most, the largest number of words, or end_token, the word that ends a sentence"
        )
    _say(s, end)
    if table.given == "logits":
        yield ("P", "softmax(logits)")
    beam: list[Beginning] = [()]
    t = 0
    while t < min(max_words or 10, table.times) and not all(_has_ended(beginning, end) for beginning in beam):
        t += 1
        yield (f"P_{t}", table.rows(beam, t, end))
        yield (f"scores_{t}", _scores(s, t))
        k = min(width, len(beam) * table.words)
        yield (f"kept_{t}", f"best(scores_{t}, {k})")
        if t > 1:
            yield (f"from_{t}", f"best_rows(scores_{t}, {k})")
        yield (f"word_{t}", f"best_columns(scores_{t}, {k})")
        yield (f"beam_{t}", f"hstack(lookup(beam_{t - 1}, from_{t}), word_{t})" if t > 1 else f"word_{t}")
        extended = []
        for i in range(k):
            parent = (yield Ask(f"from_{t}", i)) if t > 1 else 0
            extended.append((*beam[parent], (yield Ask(f"word_{t}", i))))
        beam = extended
    yield from _best_sentence(s, t, [_length(beginning, end) for beginning in beam])


def _scores(s: Setting, t: int) -> str:
    """Return the formula of the continuations' scores: sums of logarithms, or products of probabilities."""
    if s.word("scores") == "product":
        return f"kept_{t - 1} * P_{t}" if t > 1 else "P_1"
    base = "" if s.is_unset("base") else " / log(base)"
    return f"kept_{t - 1} + log(P_{t}){base}" if t > 1 else f"log(P_1){base}"


def _best_sentence(s: Setting, t: int, lengths: Sequence[int]) -> Trace:
    """Yield the best sentence of the last beam. With `alpha`, scores are divided by a power of the length."""
    best, sentence = 0, f"beam_{t}[0]"
    probability = f"kept_{t}[0]"
    if s.text("alpha") is not None:
        s.say_word("length")
        s.say("alpha", s.option_text("alpha"))
        yield ("lengths", f"vstack({', '.join(map(str, lengths))})")
        score = f"log(kept_{t})" if s.word("scores") == "product" else f"kept_{t}"
        yield (
            "normalised",
            f"{score} / {'lengths' if s.word('length') == 'words' else '((5 + lengths) / 6)'} ** alpha",
        )
        yield ("chosen", "argmax_rows(normalised.T)")
        best, sentence, probability = (yield Ask("chosen")), f"lookup(beam_{t}, chosen)", f"lookup(kept_{t}, chosen)"
    logarithm = s.word("scores") == "log"
    yield (
        "probability",
        (f"exp({probability})" if s.is_unset("base") else f"base ** {probability}") if logarithm else probability,
    )
    yield ("ids", sentence if lengths[best] == t else f"{sentence}[:, 0:{lengths[best]}]")


def _has_ended(beginning: Beginning, end: int | None) -> bool:
    return end is not None and end in beginning


def _length(beginning: Beginning, end: int | None) -> int:
    """Return the number of words up to the first end token, including this token."""
    return beginning.index(end) + 1 if end is not None and end in beginning else len(beginning)


def _width(s: Setting, table: _BeamTable) -> int:
    width = s.integer("width")
    if width is None:
        raise FormulaError("beam_search needs width, the number of prefixes to keep")
    if width > table.words:
        message = f"width: expected at most {table.words} (the number of words), found {width}"
        raise FormulaError(message, s.arguments["width"].at, "width")
    return width


def _say(s: Setting, end: int | None) -> None:
    s.say_word("scores")
    if s.word("scores") == "log":
        s.say("base", "e" if s.is_unset("base") else s.option_text("base"))
    s.say("ties", "first")
    if end is not None:
        s.say("end_token", word_of(s.arguments["end_token"]))
        s.say("ended", "stays")


# -- the next row ------------------------------------------------------------------------------------------------------


class _BeamTable:
    """The table of the next word's probabilities. A row is for a prefix (its label), for a last word, or for a time
    step.
    """

    def __init__(self, s: Setting):
        self.s = s
        self.given = "logits" if s.has("logits") and "P" not in s.arguments else "P"
        if self.given == "P":
            s.check_probabilities("P")
        s.check_probabilities("P_first")
        self.count, self.words = s.shape(self.given)
        self.labels, self.names = s.labels_of(s.trees.get(self.given, Name(self.given)))
        self.by_time = s.word("rows") == "times"
        self.times = self.count if self.by_time else 50
        if s.has("P_first") and s.shape("P_first") != (1, self.words):
            raise FormulaError(
                f"P_first must be a row with a probability for each of the {self.words} words", about="P_first"
            )
        if not self.by_time and self.labels is None and self.count != self.words:
            raise FormulaError(
                f"{self.given} has {counted(self.count, 'row')} for {counted(self.words, 'word')}: expected one "
                f"row per previous word, or labels with the previous words of each row, or rows: times",
                about=self.given,
            )  # fmt: skip

    def word(self, option: str) -> int | None:
        """Return the index of the word in an option. The option contains the index or a column label."""
        tree = self.s.arguments.get(option)
        if not isinstance(tree, Text) or tree.value == "none":
            return None
        if self.names and tree.value in self.names:
            return self.names.index(tree.value)
        if tree.value.isdecimal() and len(tree.value) < 5 and int(tree.value) < self.words:
            return int(tree.value)
        near = did_you_mean(tree.value, self.names or ())
        known = "a column's label or a word's index" if self.names else "a word's index"
        raise FormulaError(
            f"{option}: expected {known}, 0 to {self.words - 1}, found {shorten(tree.value)!r}{near}", tree.at, option
        )

    def rows(self, beam: list[Beginning], t: int, end: int | None) -> str:
        """Return a formula of the prefixes' rows. After the end token, the end token has probability 1."""
        rows = [
            f"one_hot({end}, {self.words})" if _has_ended(beginning, end) else self.row(beginning, t)
            for beginning in beam
        ]
        return rows[0] if len(rows) == 1 else f"vstack({', '.join(rows)})"

    def row(self, beginning: Beginning, t: int) -> str:
        if not beginning and self.s.has("P_first"):
            return "P_first"
        row = t - 1 if self.by_time else self.place(beginning)
        label = self.labels[row] if self.labels and self.given == "P" else '"'
        return f"P[{row}]" if '"' in label or "\\" in label or (self.labels or ()).count(label) > 1 else f'P["{label}"]'

    def place(self, beginning: Beginning) -> int:
        """Return the row for a prefix. Its label is the longest suffix that exists: `the cat` is tried before `cat`.

        Without labels, return the row of the last word.
        """
        start = self.start()
        if self.labels is None:
            return beginning[-1] if beginning else self.number(start)
        words = [*([start] if start else []), *(self.names[i] if self.names else str(i) for i in beginning)]
        for k in range(len(words)):
            if (label := " ".join(words[k:])) in self.labels:
                return self.labels.index(label)
        if not words:
            return 0
        raise FormulaError(
            f"no row of {self.given} has the probabilities after {shorten(' '.join(words))!r}; "
            f"its label would be {words[-1]!r}",
            about=self.given,
        )

    def start(self) -> str | None:
        """Return the start word. Its default is the label of the first row, if there are labels."""
        tree = self.s.arguments.get("start_token")
        if isinstance(tree, Text) and tree.value != "none":
            return tree.value
        return self.labels[0] if self.labels and not self.s.has("P_first") else None

    def number(self, start: str | None) -> int:
        if start is None:
            raise FormulaError(
                "beam_search needs start_token, the word whose row comes first, or P_first, the probabilities "
                "of the first word"
            )
        if not start.isdecimal() or len(start) > 4 or int(start) >= self.count:
            message = f"start_token: expected a word's index, 0 to {self.count - 1}, found {shorten(start)!r}"
            raise FormulaError(message, self.s.arguments["start_token"].at, "start_token")
        return int(start)


BEAM_SEARCH = Lesson(
    "beam_search",
    "At each step every kept prefix is continued by every word, and only the best of all continuations are kept.",
    (
        Input("P", "the probabilities of the next word: one row per previous word, one row per prefix (its label is "
        "the prefix), or one row per step"),
        Input("logits", "the logits, if they are given instead of P", optional=True),
        Input("P_first", "the probabilities of the first word, if no row of P has them", optional=True),
    ),
    (
        Option("width", "whole", "none", "the number of prefixes that are kept", examples=("1", "2")),
        Option("rows", "word", "words", "each row of P belongs to previous words (words), or to a step, whatever the "
        "words before it (times)", ("words", "times")),
        Option("start_token", "text", "none", "the word before the first word, by its label or index; by default, "
        "the first row, if the rows have labels"),
        Option("end_token", "text", "none", "the word that ends a sentence: a finished sentence keeps its place in "
            "the beam and its score", ends=True),
        Option("most", "whole", "none", "the largest number of words (default: 10 with an end_token; the number "
        "of rows with rows: times)",
               largest=20,
               examples=("1", "3"),
               ends=True),
        Option("scores", "word", "log", "sums of logarithms, or products of probabilities", ("log", "product")),
        Option("base", "formula", "e", "the base of the logarithm", demand="positive", examples=("2",)),
        Option("alpha", "formula", "none", "the exponent: the final scores are divided by length^alpha",
               demand="not negative",
               examples=("0.7",)),
        Option("length", "word", "words", "the length in words, including the end token, or ((5 + words) / 6) as in "
            "GNMT", ("words", "gnmt")),
    ),
    {
        "P": "the probability of each next word after each prefix",
        "P_1": "the probabilities of the next word, one row per kept prefix",
        "scores_1": "the score of every continuation: the prefix's score combined with that of the next word",
        "kept_1": "the highest scores, the best first",
        "from_1": "the index of the prefix that each kept continuation extends",
        "word_1": "the index of the word that was added",
        "beam_1": "the prefixes that are kept, one row of words per prefix, the best first",
        "lengths": "the number of words in each sentence, including the end token",
        "normalised": "the scores divided by a power of the length, so that long sentences are not penalised",
        "chosen": "the index of the sentence with the best score",
        "probability": "how probable the best sentence is",
        "ids": "the indices of the words of the best sentence",
    },
    lambda s: [],
    trace=_beam_search,
    source="`length: gnmt` follows Wu et al. 2016.",
)  # fmt: skip
