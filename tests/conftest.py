"""What every test runs within: the programs that it says it needs, and no others (see support/programs.py); and which of them
run every time.
"""

from __future__ import annotations

import gc
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from tests.support import laws  # before any test: how many examples a law has
from tests.support.programs import OPTIONAL, missing
from tests.support.sweeps import parts

PATH = os.environ.get("PATH", os.defpath)
LINKS = TemporaryDirectory()


@cache
def bare_path():
    """The PATH without the optional programs: a folder that holds some is replaced by one of links to all others."""
    return os.pathsep.join(_without_optional(Path(one)) for one in PATH.split(os.pathsep) if one and os.path.isdir(one))


def _without_optional(folder):
    files = list(folder.iterdir())
    if not any(OPTIONAL.fullmatch(file.name) for file in files):
        return str(folder)
    bare = mkdtemp(dir=LINKS.name)
    for file in files:
        if not OPTIONAL.fullmatch(file.name):
            os.symlink(file.absolute(), os.path.join(bare, file.name))
    return bare


def pytest_sessionstart(session):
    session.config.has_fixed_laws = laws.is_quick()
    if session.config.has_fixed_laws:
        laws.without_words_of_the_program()


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    """Thousands of tests that stay: to look for garbage among them takes a fifth of the time to collect them."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """A test finds the programs that it says it needs, or is skipped; all others find none of them."""
    needed = [program for mark in item.iter_markers("needs") for program in mark.args]
    os.environ["PATH"] = PATH if needed else bare_path()
    if item.config.has_fixed_laws:
        laws.draw_as_ever(item.name)
    for reason in filter(None, map(missing, needed)):
        pytest.skip(reason)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks what `pytest` alone leaves out: of a test with `sweep(quick=8, ci=20)` it runs 8 cases, spread evenly, and
    CI runs 20 (see `parts`). All run where golden files are written anew.
    """
    if os.environ.get("REGENERATE"):
        return
    sweeps = {}
    for item in items:
        if mark := item.get_closest_marker("sweep"):
            sweeps.setdefault((item.path, item.originalname), (mark.kwargs, []))[1].append(item)
    for settings, cases in sweeps.values():
        _, in_ci, others = parts(cases, settings["quick"], settings.get("ci"))
        for item in in_ci + others:
            item.add_marker(pytest.mark.slow)
        for item in others:
            item.add_marker(pytest.mark.exhaustive)
