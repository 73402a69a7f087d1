"""What every test runs within: the programs that it says it needs, and no others (see programs.py)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from programs import OPTIONAL, missing


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
