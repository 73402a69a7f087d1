"""The modules of a local page import only files of the page, without a cycle, and index.html names only such files."""

import re
from graphlib import TopologicalSorter

import pytest

from attncalc.data_entry import app as data_entry
from attncalc.practice import server as practice

PAGES = pytest.mark.parametrize("page", [data_entry.PAGE, practice.PAGE], ids=lambda page: page.name)


def imports(page):
    """Return the files that each module of a page imports."""
    scripts = {name: path.read_text(encoding="utf-8") for name, path in page.paths.items() if name.endswith(".js")}
    return {name: re.findall(r'(?:from|import)\s*\(?"\./([^"]+)"', text) for name, text in scripts.items()}


@PAGES
def test_index_names_files_of_the_page(page):
    names = re.findall(r'(?:href|src)="([^"#:]+)"', page.html("", server=True))
    assert {"app.js", f"{page.name}.css"} <= set(names) <= set(page.files)


@PAGES
def test_modules_import_files_of_the_page(page):
    outside = {"pyodide.mjs"}  # on the static site alone
    assert {name for names in imports(page).values() for name in names} <= set(page.files) | outside


@PAGES
def test_modules_import_without_a_cycle(page):
    assert list(TopologicalSorter(imports(page)).static_order())[-1]


@PAGES
def test_the_page_starts_with_all_modules_but_the_late_ones(page):
    reached, waiting = set(), ["app.js"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imports(page)[name]
    assert reached == set(imports(page)) - set(page.late)
