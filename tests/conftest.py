"""What every test runs within: the programs that it says it needs, and no others (see programs.py); and which of them
run every time (see slow.py).
"""

from __future__ import annotations

import gc
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import laws  # before any test: how many examples a law has
import pytest
from programs import OPTIONAL, missing
from slow import CI_CASES, QUICK_CASES, few

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
    """Twenty thousand tests that stay: to look for garbage among them takes a fifth of the time to collect them."""
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
        laws.draw_as_ever(item.nodeid)
    for reason in filter(None, map(missing, needed)):
        pytest.skip(reason)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks the cases of a sweep that are not run every time (see slow.py); all are where golden files are written
    anew.
    """
    if os.environ.get("REGENERATE"):
        return
    sweeps = {}
    for item in items:
        test = f"{item.path.name}::{item.originalname}" if isinstance(item, pytest.Function) else ""
        if test in QUICK_CASES:
            sweeps.setdefault(test, []).append(item)
    for test, cases in sweeps.items():
        quick = few(cases, QUICK_CASES[test])
        in_ci = few(cases, CI_CASES.get(test, max(1, 2 * len(quick))))
        for item in cases:
            if item not in quick:
                item.add_marker(pytest.mark.slow)
                if item not in in_ci:
                    item.add_marker(pytest.mark.exhaustive)
