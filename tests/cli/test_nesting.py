"""A failure for lack of stack or memory names the files of the command."""

import sys

import pytest

from attncalc.cli import main
from tests.support.sweeps import for_each

PROBLEM = "given: {X: [[1, 2]]}\nsteps: {Y: X + X}\n"
COMMANDS = ("check p.yaml a.txt", "grade p.yaml a.txt", "solve p.yaml", "lint p.yaml")


@for_each("error", [RecursionError, MemoryError])
@for_each("words", COMMANDS)
def test_law_a_failure_for_lack_of_stack_or_memory_names_the_file(words, error, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "a.txt").write_text("Y = [[2, 4]]\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["attncalc", *words.split()])

    def fail(*_: object, **__: object) -> None:
        raise error

    for name in ("attncalc.api.check", "attncalc.gradebook.script_grader.check", "attncalc.api.solve"):
        monkeypatch.setattr(name, fail)
    monkeypatch.setattr("attncalc.generator.lint.lint", fail)
    with pytest.raises(SystemExit):
        main()
    output = "".join(capsys.readouterr())
    assert words.split()[-1] in output and ("nested" in output and "too deeply" in " ".join(output.split())), output
