"""The words of a paper in its language, from one table: templates/words/words.yaml, or an instructor's copy of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..explain.conventions import with_words_alone
from ..explain.document import Choices
from ..problem.read import read_yaml
from ..problem.text import Mapping, Scalar, Yaml, kind
from ..resources import folder
from .beside import beside

USUAL = "en"
SENTENCES = "sentences"
_SLOT = re.compile(r"\{([a-z]+)\}")
Table = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language; `language` is its code, such as `de`."""

    language: str
    words: dict[str, str] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, word: str) -> str:
        return self.words[word]

    def filled(self, word: str, **values: object) -> str:
        """A word with its slots filled in."""
        return _SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), self.words[word])

    def rounding(self, digits: int, mode: str) -> str:
        """`Round to 2 decimals (half up).`"""
        return self.filled("round_one" if digits == 1 else "round", digits=digits, mode=self[mode])

    def choices(self, found: Choices) -> Choices:
        """The conventions in force; their words are ours, and stand there in the language that has them."""
        return with_words_alone(Choices(tuple(one._replace(words=self.sentence(one.words, "")) for one in found.items)))

    def held(self) -> dict[str, Any]:
        """What a key holds of them: nothing of English, and of an instructor's table what stands in place of ours."""
        ours, language = words_of(self.language), "" if self.language == USUAL else self.language
        own = {
            "words": {name: text for name, text in self.words.items() if ours.words.get(name) != text},
            "sentences": {name: text for name, text in self.sentences.items() if ours.sentences.get(name) != text},
        }
        return {name: held for name, held in (("language", language), *own.items()) if held}

    def sentence(self, text: str, instead: str | None = None) -> str:
        """Our own sentence in this language; where the table lacks it, `instead`, or the English one."""
        return self.sentences.get(text, text if instead is None or self.language == USUAL else instead)


@lru_cache(maxsize=1)
def _ours() -> tuple[Table, Table]:
    path = folder("templates") / "words" / "words.yaml"
    return _tables(read_yaml(path.read_text(encoding="utf-8"), str(path)), Diagnostics(), {})


def languages() -> list[str]:
    """The languages that our own table has."""
    return list(dict.fromkeys(language for told in _ours()[0].values() for language in told))


def words_of(language: str, own: tuple[Table, Table] | None = None) -> Words:
    """The words of a language: an instructor's before ours, and English where there are none, an instructor's first:
    who copies the table may write French in the place of the English words.
    """
    told: list[dict[str, str]] = []
    for ours, theirs in zip(_ours(), own or ({}, {}), strict=True):
        found: dict[str, str] = {}
        for name in ours | theirs:
            given = theirs.get(name, {})
            text = given.get(language) or given.get("") or ours.get(name, {}).get(language) or given.get(USUAL)
            if text or USUAL in ours.get(name, {}):
                found[name] = text or ours[name][USUAL]
        told.append(found)
    return Words(language, *told)


def words_held(key: dict[str, Any]) -> Words:
    """The words of a key's papers."""
    ours = words_of(str(key.get("language") or USUAL))
    words, sentences = (
        {str(name): str(text) for name, text in one.items()} if isinstance(one, dict) else {}
        for one in (key.get("words"), key.get("sentences"))
    )
    return Words(ours.language, ours.words | words, ours.sentences | sentences)


def read_words(name: str, place: Location, source: str) -> tuple[Table, Table]:
    """An instructor's table, which stands in the sheet's folder. Raises AttncalcError with all its faults."""
    path = beside(source, name, "words", place)
    if not os.path.isfile(path):
        raise AttncalcError(Diagnostic(f"words: there is no file {shorten(name)!r} in the sheet's folder", place))
    faults = Diagnostics()
    found = _tables(read_yaml(read_bytes(path), path, faults), faults, _ours()[0])
    faults.raise_any()
    return found


def _tables(tree: Yaml, faults: Diagnostics, known: Table) -> tuple[Table, Table]:
    """Words, and sentences by their English ones; each a text, or a text for each language. No other words than those
    known are ours.
    """
    if not isinstance(tree, Mapping):
        raise AttncalcError(
            Diagnostic(f"expected a table of words (question: ..., points: ...), found {kind(tree)}", tree.place)
        )
    sentences = tree.get(SENTENCES)
    words = Mapping({name: pair for name, pair in tree.pairs.items() if name != SENTENCES}, tree.place)
    return _table(words, faults, known), _table(sentences, faults, {}) if isinstance(sentences, Mapping) else {}


def _table(tree: Mapping, faults: Diagnostics, known: Table) -> Table:
    found: Table = {}
    for key, value in tree.items():
        found[key.text] = dict(_texts(value, faults))
        if not known:
            continue
        if key.text not in known:
            faults.add(f"a table of words has no {shorten(key.text)!r}{did_you_mean(key.text, list(known))}", key.place)
            continue
        slots = {*_SLOT.findall(known[key.text][USUAL])}
        if any({*_SLOT.findall(text)} - slots for text in found[key.text].values()):
            there = " and ".join(f"{{{slot}}}" for slot in sorted(slots)) or "nothing"
            faults.add(f"{key.text}: {there} is filled in here, and no other word in braces", value.place)
    return found


def _texts(value: Yaml, faults: Diagnostics) -> Iterator[tuple[str, str]]:
    """The text of each language, or one of any."""
    if isinstance(value, Scalar):
        yield "", value.text
        return
    for key, text in value.items() if isinstance(value, Mapping) else ():
        if isinstance(text, Scalar):
            yield key.text, text.text
        else:
            faults.add(f"expected a text, found {kind(text)}", text.place)
    if not isinstance(value, Mapping):
        faults.add(f"expected a text, or a text for each language, found {kind(value)}", value.place)
