"""The README's examples run, and its printed outputs are what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from attncalc.cli import cli

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\S+) -->\n```yaml\n(.*?)```", README, re.S))
ANSWERS = dict(re.findall(r"<!-- answers: (\S+) -->\n```yaml\n(.*?)```", README, re.S))
OUTPUTS = re.findall(r"<!-- output: attncalc (.*?) -->\n```\n(.*?)```", README, re.S)
PROGRAMS = re.findall(r"<!-- python -->\n```python\n(.*?)```", README, re.S)
COMMANDS = [c for c in re.findall(r"^    attncalc ([^#\n]+?)\s*(?:#.*)?$", README, re.M) if "completion" not in c]


@pytest.fixture
def examples(tmp_path, monkeypatch):
    for name, text in (EXAMPLES | ANSWERS).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def run(command: str) -> str:
    result = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
    assert result.exit_code == (1 if command.startswith(("check", "lint")) else 0), result.output
    return result.output


def test_there_is_something_to_test():
    assert len(EXAMPLES) >= 2 and len(OUTPUTS) >= 1 and len(PROGRAMS) >= 1 and len(COMMANDS) >= 8


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(examples, command):
    run(command)


@pytest.mark.parametrize(("command", "expected"), OUTPUTS)
def test_outputs_are_what_is_printed(examples, command, expected):
    assert run(command) == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_files_solve(examples, name):
    run(f"solve {name}")


def test_programs_run_and_say_what_their_comments_say():
    names: dict[str, object] = {}
    for program in PROGRAMS:
        exec(program, names)
    assert names["z"].decimals(6)[0] == ["12.000000", "11.200000", "17.800000"]
    drawn = names["drawn"]
    assert drawn.text.startswith("# attncalc generate self_attention --tokens 2") and "query-key-swapped" in drawn.separated and drawn.problem.parts
