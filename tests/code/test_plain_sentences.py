"""Sentences that users read are short and plain: those of documents, messages, tables, templates and pages' scripts."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from tests.support.sweeps import for_each
from tests.support.user_sentences import DOCUMENTS, TOP, Sentence, faults, of_page, of_program, program_files

FILES = {str(file.relative_to(TOP)): file for file in DOCUMENTS}


@cache
def sentences_of_the_program():
    return [*of_program()]


def faulty(sentences):
    """The sentences with faults, each with what to write instead."""
    return [
        f"{sentence} ({instead})" for sentence in sentences for instead in faults(getattr(sentence, "text", sentence))
    ]


@for_each("name", FILES)
def test_sentences_of_documents_are_short_and_plain(name):
    assert not faulty(of_page(FILES[name].read_text(encoding="utf-8")))


def test_sentences_of_the_program_are_short_and_plain():
    assert not faulty(sentences_of_the_program())


def test_sentences_of_each_kind_of_file_are_found():
    found, sentences = defaultdict(set), sentences_of_the_program()
    for sentence in sentences:
        found[sentence.file.suffix].add(sentence.file)
    assert {".py", ".ini", ".yaml", ".yml", ".js", ".html"} <= set(found)
    assert len(found[".py"]) > 150 and len(sentences) > 4000
    assert not [file for file in program_files() if file.suffix == ".ini" and file not in found[".ini"]]


@for_each(
    "bad",
    [
        "word " * 31,
        "- An item:\n  - " + "word " * 31,
        "| cell | " + "word " * 31 + "|",
        "**Bold.** The file is no page.",
        "What it cannot read is left out.",
        "There is a; there is b; there is c.",
        "The tokens, one a row.",
        "The file is there already.",
        "Each word sees itself.",
        "On this page you find a table.",
        "A name means its value in the previous turn.",
        "what the scores are divided by",
    ],
)
def test_sentences_to_repair_are_found(bad):
    assert len(faulty(of_page(f"A title\n\n{bad}\n"))) == 1


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("x.py", 'raise FormulaError(f"{name} is no "\n    f"matrix of {rows} rows")'),
        (
            "x.py",
            'import click\n@click.command()\ndef command():\n    """Write what it is told; it is no page.\n    """',
        ),
        ("x.ini", "[step]\nS = The score is no\n  weight of a key.\n"),
        ("x.yaml", "note: >\n  The table is no\n  softmax of these scores.\n"),
        ("x.js", "export const WAIT = `The page of ${name} is no page`;"),
        ("x.html", "<p>This page is no page of a book.</p>"),
    ],
)
def test_sentences_in_each_kind_of_file_are_read(tmp_path, monkeypatch, name, source):
    file = tmp_path / name
    file.write_text(source, encoding="utf-8")
    monkeypatch.setattr("tests.support.user_sentences.program_files", lambda: [file])
    (first, *_) = [sentence for sentence in of_program() if [*faults(sentence.text)]]
    assert isinstance(first, Sentence) and first.file == file
