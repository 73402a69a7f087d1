"""A page of each kind that attncalc writes, as axe sees it on the screens of a desk and of a phone; `make screens` audits
every page.
"""

from __future__ import annotations

import pytest

from tests.bench.screens import pages
from tests.support.audited import AXE, audited
from tests.support.browsing import chromium


@pytest.mark.needs("chromium")
def test_a_page_of_each_kind(tmp_path):
    first = {}
    for name, made in pages(tmp_path):
        first.setdefault(name.split()[0], made)
    assert set(first) >= {"solve", "plan", "problems", "mistakes", "lessons", "functions", "generate", "check", "file",
                          "remark", "compare", "stress"}  # fmt: skip
    with chromium() as browser:
        page = browser.new_page()
        for name, made in first.items():
            page.set_content(made())
            audited(page, name)


@pytest.mark.needs("chromium")
def test_what_is_serious_is_found():
    """Grey on white where axe is there, a paragraph that leaves a phone, and a box that hides what goes on."""
    bad = """<html lang="en"><title>Bad</title><main><h1>Bad</h1><p style="color: #ccc">pale</p>
             <div style="overflow: auto; width: 90px"><p style="width: 500px">far</p></div><p style="width: 600px">wide</p></main>"""
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(bad)
        with pytest.raises(AssertionError) as found:
            audited(page, "bad")
    assert "color-contrast" in str(found.value) or not AXE.is_file()
    assert all(word in str(found.value) for word in ("no focus", "no cue", "wider than the screen"))
