"""The marks of kept scripts and the kept pages are as frozen; `python -m tests.frozen` renews them."""

from __future__ import annotations

import pytest

from tests.frozen.behaviour import MARKS, PAGES, kept_scripts, mark_line, page_lines, pages

CHUNK = 32


def frozen(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.sweep(quick=2, ci=5)
@pytest.mark.parametrize("start", range(0, len(frozen(MARKS)), CHUNK))
def test_kept_scripts_have_their_frozen_marks(start):
    scripts = kept_scripts()[start : start + CHUNK]
    assert [mark_line(script) for script in scripts] == frozen(MARKS)[start : start + CHUNK]


@pytest.mark.sweep(quick=3, ci=8)
@pytest.mark.parametrize("page", pages(), ids=lambda page: page[0])
def test_kept_pages_are_as_frozen(page):
    lines = page_lines(page)
    assert lines and lines == [line for line in frozen(PAGES) if line.startswith(f"{page[0]} ")]


def test_every_frozen_line_is_compared():
    assert len(frozen(MARKS)) == len(kept_scripts())
    names = {page[0] for page in pages()}
    assert {" ".join(line.split()[:-2]) for line in frozen(PAGES)} == names
