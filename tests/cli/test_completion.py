"""What a shell is told when somebody presses Tab: commands, options and choices, and nothing of files, which the shell
knows best.
"""

import os
import subprocess
import sys

from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.cli.completion import VARIABLE
from tests.support.sweeps import for_each


def completed(shell, typed, begun):
    """The words that attncalc proposes to a shell for a line whose last word is begun."""
    words = f"attncalc {typed}".split()
    cword = begun if shell in ("powershell", "fish") else str(len(words))
    at = {VARIABLE: f"{shell}_complete", "COMP_WORDS": " ".join([*words, begun]).strip(), "COMP_CWORD": cword}
    found = subprocess.run(
        [sys.executable, "-m", "attncalc"], env=os.environ | at, capture_output=True, text=True, check=True
    )
    assert not found.stderr
    # Click ends what is empty with a line, which the script leaves out
    return [line for line in found.stdout.splitlines() if line]


@for_each("shell", ["bash", "zsh", "fish", "powershell"])
def test_every_shell_has_a_script_that_asks_attncalc(shell):
    result = CliRunner().invoke(cli, ["completion", shell])
    assert (
        result.exit_code == 0
        and VARIABLE in result.output
        and f"{shell}_complete" in result.output
        and "%(" not in result.output
    )


@for_each(
    ("typed", "begun", "words"),
    [
        ("", "sol", ["solve"]),
        ("", "gr", ["grade"]),
        ("solve", "--dig", ["--digits"]),
        ("completion", "po", ["powershell"]),
        ("", "zz", []),
    ],
    quick=2,
)
def test_powershell_is_told_words_and_what_they_are(typed, begun, words):
    lines = completed("powershell", typed, begun)
    assert [line.partition("\t")[0] for line in lines] == words
    assert all(line.partition("\t")[2] for line in lines), "an empty help makes PowerShell refuse the word"


def test_powershell_completes_files_itself():
    assert completed("powershell", "solve", "prob") == []


def test_bash_is_told_the_same_words():
    assert completed("bash", "", "sol") == ["plain,solve"]
