"""The words of a paper in its language. They are in one table: templates/words/words.yaml, or an instructor's copy."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..explain.document import Choice, Choices
from ..formula.syntax_tree import unparse
from ..problem.problem import Part
from ..problem.yaml_file.nodes import Mapping, Scalar, Yaml, kind
from ..problem.yaml_file.yaml_reader import read_yaml
from ..resources import folder
from .sheet_files import resolve_sheet_file

USUAL = "en"
CONVENTIONS, SENTENCES = SECTIONS = ("conventions", "sentences")
_SLOT = re.compile(r"\{([a-z]+)\}")
_WHERE = re.compile(r", the number of (?:rows|columns) of [^,]+")
Table = dict[str, dict[str, str]]
Tables = tuple[Table, Table, Table]  # words, conventions, sentences


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language. `language` is its code, such as `de`."""

    language: str
    words: dict[str, str] = field(default_factory=dict)
    conventions: dict[str, str] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, word: str) -> str:
        return self.words[word]

    def fill(self, word: str, **values: object) -> str:
        return _SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), self.words[word])

    def rounding(self, part: Part) -> str:
        """Return `Round to 2 decimals (half up).`, and a sentence if students continue with rounded numbers."""
        digits, mode = part.rounding.digits, part.rounding.mode
        sentence = self.fill("round_one" if digits == 1 else "round", digits=digits, mode=self[mode])
        return f"{sentence} {self['round_carried']}" if part.carry == "printed" else sentence

    def choices(self, choices: Choices) -> Choices:
        """Return the conventions as sentences. A convention that is not in the table keeps its option and value."""
        return Choices(tuple(map(self._convention, choices.items)))

    def _convention(self, choice: Choice) -> Choice:
        value = choice.value if isinstance(choice.value, str) else unparse(choice.value)
        keys = (choice.words, f"{choice.option} {value}", choice.doc, choice.option)
        key = next(filter(self.conventions.get, keys), "")
        sentence = self.conventions.get(key, "")
        is_english = not key or sentence == _builtin_tables()[1].get(key, {}).get(USUAL)
        if is_english and self.language != USUAL and (words := self.sentences.get(choice.words)):
            return Choice("", choice.value, words)  # the format of tables of words in version 0.3
        if not sentence:
            return choice._replace(option=choice.option.replace("_", " "), words="")
        # Equations for names in the value
        equations = f" ({_WHERE.sub('', choice.words)})" if "=" in choice.words else ""
        return Choice("", choice.value, sentence.replace("{value}", "{value}" + equations))

    def key_record(self) -> dict[str, object]:
        """Return the record of these words for the key: empty for English, and for an instructor's table the
        differences from the built-in table.
        """
        ours = words_of(self.language)
        tables = {
            name: {key: text for key, text in getattr(self, name).items() if getattr(ours, name).get(key) != text}
            for name in ("words", *SECTIONS)
        }
        record = {"language": "" if self.language == USUAL else self.language, **tables}
        return {name: entry for name, entry in record.items() if entry}

    def sentence(self, text: str, fallback: str | None = None) -> str:
        """Return a built-in sentence in this language. Without a translation, return `fallback`, or if it is None, the
        English text.
        """
        return self.sentences.get(text, text if fallback is None or self.language == USUAL else fallback)


@lru_cache(maxsize=1)
def _builtin_tables() -> Tables:
    path = folder("templates") / "words" / "words.yaml"
    return _tables(read_yaml(path.read_text(encoding="utf-8"), str(path)), Diagnostics(), {})


def languages() -> list[str]:
    """Return the languages of the built-in table."""
    return list(dict.fromkeys(language for texts in _builtin_tables()[0].values() for language in texts))


def languages_of(tables: Tables | None) -> list[str]:
    """Return the languages of the built-in table and of an instructor's table."""
    custom = (texts for table in tables or () for texts in table.values())
    return list(dict.fromkeys([*languages(), *(language for texts in custom for language in texts if language)]))


def words_of(language: str, custom_tables: Tables | None = None) -> Words:
    """Return the words of a language: from the instructor's table, else from the built-in table, else in English. An
    instructor may also replace English words.
    """
    tables: list[dict[str, str]] = []
    for builtin, custom in zip(_builtin_tables(), custom_tables or ({}, {}, {}), strict=True):
        table: dict[str, str] = {}
        for name in builtin | custom:
            texts = custom.get(name, {})
            text = texts.get(language) or texts.get("") or builtin.get(name, {}).get(language) or texts.get(USUAL)
            if text or USUAL in builtin.get(name, {}):
                table[name] = text or builtin[name][USUAL]
        tables.append(table)
    return Words(language, *tables)


def words_of_key(key: dict[str, object]) -> Words:
    """Return the words of the papers of a key."""
    builtin_words = words_of(str(key.get("language") or USUAL))
    tables = [
        getattr(builtin_words, name)
        | ({str(entry): str(text) for entry, text in table.items()} if isinstance(table := key.get(name), dict) else {})
        for name in ("words", *SECTIONS)
    ]
    return Words(builtin_words.language, *tables)


def read_words(name: str, place: Location, source: str) -> Tables:
    """Return an instructor's table from the sheet's folder. Raises AttncalcError with all its faults."""
    path = resolve_sheet_file(source, name, "words", place)
    if not os.path.isfile(path):
        raise AttncalcError(f"words: there is no file {shorten(name)!r} in the sheet's folder", place)
    faults = Diagnostics()
    tables = _tables(read_yaml(read_bytes(path), path, faults), faults, _builtin_tables()[0])
    faults.raise_any()
    return tables


def _tables(tree: Yaml, faults: Diagnostics, known: Table) -> Tables:
    """Return the words, the conventions, and the sentences by their English originals, each by language. Unknown words
    are faults.
    """
    if not isinstance(tree, Mapping):
        raise AttncalcError(f"expected a table of words (question: ..., points: ...), found {kind(tree)}", tree.place)
    words = Mapping({name: pair for name, pair in tree.pairs.items() if name not in SECTIONS}, tree.place)
    conventions, sentences = (
        _table(section, faults, {}) if isinstance(section := tree.get(name), Mapping) else {} for name in SECTIONS
    )
    return _table(words, faults, known), conventions, sentences


def _table(tree: Mapping, faults: Diagnostics, known: Table) -> Table:
    table: Table = {}
    for key, value in tree.items():
        table[key.text] = dict(_texts(value, faults))
        if not known:
            continue
        if key.text not in known:
            faults.add(
                f"a table of words has no key {shorten(key.text)!r}{did_you_mean(key.text, list(known))}", key.place
            )
            continue
        slots = {*_SLOT.findall(known[key.text][USUAL])}
        if any({*_SLOT.findall(text)} - slots for text in table[key.text].values()):
            there = " and ".join(f"{{{slot}}}" for slot in sorted(slots)) or "nothing"
            faults.add(
                f"{key.text}: attncalc replaces only {there} in this text; remove other words in braces", value.place
            )
    return table


def _texts(value: Yaml, faults: Diagnostics) -> Iterator[tuple[str, str]]:
    """Yield (language, text). The language is empty for a text of every language."""
    if isinstance(value, Scalar):
        yield "", value.text
        return
    for key, text in value.items() if isinstance(value, Mapping) else ():
        if isinstance(text, Scalar):
            yield key.text, text.text
        else:
            faults.add(f"expected a text, found {kind(text)}", text.place)
    if not isinstance(value, Mapping):
        faults.add(f"expected a text, or one text per language, found {kind(value)}", value.place)
