"""CONTRIBUTING shows the glossary, no identifier has a banned name, and the page of figures has every figure."""

import runpy
import sys

from tests.bench import structure
from tests.support.glossary import FILE, banned_identifiers, table
from tests.support.source import texts
from tests.support.sweeps import for_each

CONTRIBUTING = structure.ROOT / "CONTRIBUTING.md"


def test_contributing_shows_the_glossary():
    assert table() in CONTRIBUTING.read_text(encoding="utf-8"), f"copy into CONTRIBUTING.md:\n{table()}"


def test_no_identifier_has_a_banned_name():
    banned = [f"{name}:{line}: {word}" for name, text in texts().items() for line, word in banned_identifiers(text)]
    assert not banned, f"{FILE.name} bans these names"


@for_each(
    ("text", "names"),
    [
        ("def told(one): self.own = [found for found in one]", ["found", "one", "own", "told"]),
        ("class _Beside: pass", ["_Beside"]),
        ("match x:\n    case [one, *found]: pass", ["found", "one"]),
        ("ONE = found_faults = x.found = told_apart", ["found"]),
        ("total = sum(one.size)", []),
    ],
)
def test_a_banned_name_is_reported(text, names):
    assert sorted(name for _, name in banned_identifiers(text)) == names


def test_the_command_prints_every_figure_and_the_page_has_it(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [structure.__file__])
    runpy.run_path(structure.__file__, run_name="__main__")
    printed = capsys.readouterr().out
    page = structure.PAGE.read_text(encoding="utf-8")
    assert [row.split(" | ")[0] for row in page.splitlines() if row.startswith("| ")] == [
        row.split(" | ")[0] for row in printed.splitlines() if row.startswith("| ")
    ], "`python -m tests.bench.structure --write` renews the page"
