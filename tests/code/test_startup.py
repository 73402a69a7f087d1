"""What a command does not import, it does not wait for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("sympy", "numpy", "jinja2", "typst", "zxingcpp", "pypdfium2", "PIL")
COMMAND = """
import sys
sys.argv[0] = "attncalc"
from attncalc.cli import main
try:
    main()
finally:
    print("\\nimported:", *(name for name in {names!r} if name in sys.modules))
"""
PROBLEM = "transformers-transforming-our-lives"


def imported(command: str, names: tuple[str, ...]) -> set[str]:
    """Those of `names` that a fresh process has imported once the command is done."""
    code = COMMAND.format(names=names)
    done = subprocess.run([sys.executable, "-c", code, *command.split()], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("imported:")
    return set(last.split()[1:])


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "command",
    [
        f"solve {PROBLEM}",
        f"solve {PROBLEM} --to json",
        f"solve {PROBLEM} --exact",
        f"solve {PROBLEM} --paper --step A",
        "solve encoder-layer-small --digits 20",
        f"plan {PROBLEM}",
        f"plan {PROBLEM} --to json",
        "lessons",
        "functions",
        "problems",
        "schema",
    ],
)
def test_no_command_waits_for_what_it_does_not_need(command: str) -> None:
    assert imported(command, HEAVY) == set()


def test_a_plain_solve_imports_no_room_but_its_own() -> None:
    rooms = (
        "answers",
        "mark",
        "mistakes",
        "generator",
        "exam",
        "gradebook",
        "practice",
        "arithmetic.interval",
        "lessons.norm",
        "write.formulas.mathml",
    )
    assert imported(f"solve {PROBLEM}", tuple(f"attncalc.{room}" for room in rooms)) == set()


@pytest.mark.parametrize(
    "command",
    [
        f"solve {PROBLEM}",
        f"solve {PROBLEM} --exact",
        f"solve {PROBLEM} -o {os.devnull} --to terminal --force",
        f"plan {PROBLEM}",
    ],
)
def test_without_colours_no_console_is_imported(monkeypatch, command):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    assert imported(command, ("rich.console", "rich.text", "rich.style")) == set()


def test_colours_need_a_console(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert imported(f"solve {PROBLEM}", ("rich.console",)) == {"rich.console"}


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize(("command", "needed"), [(f"solve {PROBLEM} --to latex", "jinja2")])
def test_what_is_needed_is_seen(command: str, needed: str) -> None:
    assert needed in imported(command, HEAVY)


@pytest.mark.parametrize("command", ["--help", "solve --help", "--version"])
def test_help_needs_no_arithmetic(command: str) -> None:
    assert imported(command, ("flint", "yaml", "rich.console", *HEAVY)) == set()


@pytest.mark.sweep(quick=0)
def test_the_functions_are_there_though_late() -> None:
    code = "import attncalc, sys; assert 'flint' not in sys.modules; from attncalc import check, generate, grade, load, solve; assert all(map(callable, (check, generate, grade, load, solve)))"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
