"""`attncalc demo`"""

from __future__ import annotations

import shlex
import tempfile
from contextlib import chdir, suppress
from pathlib import Path

import click

from ..resources import folder
from ..safe_files import write_folder

PROBLEM, ANSWERS = "first.yaml", "answers.yaml"
# Sentences and the commands that follow them.
ACTS = (
    (f"A problem is a small file. This is {PROBLEM}:", ""),
    (
        "attncalc shows every step. Every printed digit is proven to be correct.",
        f"solve {PROBLEM} --step S_scaled --step A",
    ),
    (
        f"attncalc marks a student's answers ({ANSWERS}). "
        "It finds the first error, its cause, and what follows from it.",
        f"check {PROBLEM} {ANSWERS}",
    ),
    (
        "attncalc generates problems for exams, with different numbers for every student. "
        "The numbers are chosen so that known mistakes can be recognised from the results.",
        "generate self_attention --mask causal --seed 7",
    ),
)
NEXT = (
    ("attncalc problems", "problems from lectures, which you can solve by name"),
    ("attncalc practice", "exercises in the browser, with hints"),
    ("attncalc lessons", "what can be computed: heads, positions, layers, training ..."),
    ("attncalc exam quiz", "papers, solutions and a key from an exam sheet"),
    ("attncalc demo -o demo", f"writes {PROBLEM} and {ANSWERS}, to try the commands above"),
)


@click.command("demo")
@click.option("-o", "--output", metavar="DIR", help="Write the two files of the demonstration into this folder.")
def command(output: str | None) -> None:
    """Show what attncalc does, on one small problem. The text takes half a minute to read.

    \b
    attncalc demo
    attncalc demo -o demo/
    """
    name = "three-words-look-back.yaml"
    files = {
        PROBLEM: (folder("problems") / name).read_bytes(),
        ANSWERS: (folder("problems") / "answers" / name).read_bytes(),
    }
    if output is not None:
        write_folder(output, files, force=False)
        there = "in this folder" if Path(output).resolve() == Path.cwd() else f"in {output}; go there"
        click.echo(f"{PROBLEM} and {ANSWERS} are {there}. Try `attncalc solve {PROBLEM}`")
        return
    with tempfile.TemporaryDirectory() as place, chdir(place):
        write_folder(".", files, force=True)
        for sentence, line in ACTS:
            click.secho(f"\n{sentence}", bold=True)
            _run(line) if line else click.echo(f"\n{files[PROBLEM].decode()}", nl=False)
    click.secho("\nWhat to try next:", bold=True)
    for line, what in NEXT:
        click.echo(f"    {line:<23} {what}")


def _run(line: str) -> None:
    cli = click.get_current_context().find_root().command
    click.secho(f"\n$ attncalc {line}", dim=True)
    with suppress(SystemExit):  # `check` has exit code 1 if it finds a mistake
        cli(shlex.split(line), standalone_mode=False, prog_name="attncalc")
