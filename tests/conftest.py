"""What every test runs within: the programs that it says it needs, and no others (see programs.py); and which of them run every time (see slow.py)."""

from __future__ import annotations

import os
from pathlib import Path

import laws  # noqa: F401 - before any test: how many examples a law has
import pytest
from programs import OPTIONAL, missing
from slow import ALL_IN_CI, CI_CASES, NOT_IN_CI, ONCE_IN_CI, QUICK_CASES, few


@pytest.fixture(scope="session")
def bare_path(tmp_path_factory):
    """The PATH without the optional programs: a folder that holds some is replaced by one of links to all others."""
    return os.pathsep.join(_without_optional(Path(one), tmp_path_factory) for one in os.get_exec_path() if one and os.path.isdir(one))


def _without_optional(folder, tmp_path_factory):
    files = list(folder.iterdir())
    if not any(OPTIONAL.fullmatch(file.name) for file in files):
        return str(folder)
    bare = tmp_path_factory.mktemp("bin")
    for file in files:
        if not OPTIONAL.fullmatch(file.name):
            (bare / file.name).symlink_to(file.absolute())
    return str(bare)


@pytest.fixture(autouse=True)
def _programs(request, monkeypatch):
    marks = list(request.node.iter_markers("needs"))
    for mark in marks:
        for program in mark.args:
            if reason := missing(program):
                pytest.skip(reason)
    if not marks:
        monkeypatch.setenv("PATH", request.getfixturevalue("bare_path"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks the cases of a sweep that are not run every time (see slow.py)."""
    sweeps = {}
    for item in items:
        test = f"{item.path.name}::{item.originalname}" if isinstance(item, pytest.Function) else ""
        if test in QUICK_CASES:
            sweeps.setdefault(test, []).append(item)
        if test in NOT_IN_CI:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.exhaustive)
    for test, cases in sweeps.items():
        quick = few(cases, QUICK_CASES[test])
        more = cases if test in ALL_IN_CI else few(cases, max(1 if test in ONCE_IN_CI else CI_CASES, QUICK_CASES[test]))
        for item in cases:
            if item not in quick:
                item.add_marker(pytest.mark.slow)
                if item not in more:
                    item.add_marker(pytest.mark.exhaustive)
