"""Outputs of one command: each in a place of its own, all checked before any is written, and no input is replaced."""

from __future__ import annotations

import itertools
import os

import click
import pytest

from attncalc.cli import COMMANDS, cli
from tests.support.called import called

PROBLEM = "title: T\ngiven: {a: [[1, 2]]}\nsteps: {S: a * 2, T: a * 3}\npoints: {S: 1, T: 1}\n"
CLASS = 'student,"S[0,0]","S[0,1]","T[0,0]","T[0,1]"\nx,2,4,3,6\ny,2,4,3,5\n'
FILES = {"p.yaml": PROBLEM, "c.csv": CLASS, "ch.yaml": "points: {S: 2}\n", "o.csv": "student,step,marks\nx,S,1\n",
         "sc.yaml": "scale: {A: 90 %, F: 0}\n", "l.csv": "number\nx\n", "m.csv": "student,S\nx,1\n",
         "sh.yaml": "title: Q\nquestions: [{problem: p.yaml}]\n"}  # fmt: skip
# The words of each command with what it reads, and its outputs: the option, a name that fits, whether it is a folder
CALLS = {
    "grade": (["p.yaml", "c.csv", "--overrides", "o.csv", "--scale", "sc.yaml"],
        [("-o", "a.csv"), ("--report", "b.md"), ("--feedback", "c.md")]),
    "grade to a folder": (["p.yaml", "c.csv"],
        [("-o", "a.csv"), ("--report", "b.md"), ("--feedback", "pages/"), ("--resume", "d.jsonl")]),
    "remark": (["p.yaml", "ch.yaml", "c.csv", "--overrides", "o.csv", "--scale", "sc.yaml"],
        [("-o", "a.md"), ("--marks", "b.csv"), ("--new-key", "c.yaml")]),
    "solve": (["p.yaml"], [("-o", "a.md"), ("--certificate", "b.json")]),
    "exam": (["sh.yaml"], [("-o", "papers/")]),
    "generate": (["self_attention"], [("-o", "a.yaml")]),
    "export": (["p.yaml", "--to", "moodle"], [("-o", "a.xml")]),
    "answers": (["p.yaml", "--students", "l.csv"], [("-o", "a.csv")]),
    "compare": (["m.csv", "o.csv"], [("-o", "a.md")]),
}  # fmt: skip
PAIRS = [(name, *pair) for name, (_, outputs) in CALLS.items() for pair in itertools.permutations(outputs, 2)]
ONES = [(name, one) for name, (_, outputs) in CALLS.items() for one in outputs]
INPUTS = {"--secret", "--overrides", "--scale", "--students", "--template", "--from", "--pyodide"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def tree(folder):
    found = {}
    for home, folders, files in os.walk(folder):
        found |= {os.path.join(home, name): None for name in folders}
        for name in files:
            with open(os.path.join(home, name), "rb") as file:
                found[os.path.join(home, name)] = file.read()
    return found


def refused(here, name, given, *more):
    """What is said of outputs that are refused: nothing may be written, nor changed."""
    before = tree(here)
    code, out, err = called(*name.split()[:1], *CALLS[name][0], *itertools.chain(*given.items()), *more)
    assert (code, out) == (2, ""), err
    assert tree(here) == before
    return err


def test_every_option_that_names_a_file_is_an_input_or_an_output_here():
    for name in COMMANDS:
        options = {
            one.opts[0]
            for one in cli.get_command(click.Context(cli), name).params
            if isinstance(one, click.Option) and one.metavar in ("FILE", "PATH", "FOLDER", "DIR")
        }
        several = options - INPUTS
        tabled = {option for call, (_, outputs) in CALLS.items() if call.split()[0] == name for option, _ in outputs}
        assert tabled == several or (not tabled and several <= {"-o"}), name


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize(("name", "first", "second"), PAIRS)
def test_two_outputs_in_one_place_are_refused_and_both_options_named(here, name, first, second, force):
    """`grade -o m.csv --feedback all.md --report all.md` wrote two and said of its own file that it is there already;
    with --force one output was lost.
    """
    (here / "link").symlink_to(here)
    for path in (first[1], f"./{first[1]}", f"link/{first[1]}", str(here / first[1])):
        err = refused(here, name, {first[0]: first[1], second[0]: path}, *force)
        if "expected one of" not in err:  # of the endings that such an output may have
            assert first[0] in err and second[0] in err and "expected two" in err, err


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize(("name", "first", "second"), PAIRS)
def test_no_output_is_below_another_that_is_a_file(here, name, first, second, there):
    if first[1].endswith("/"):
        return
    if there:
        (here / first[1]).write_text("")
    err = refused(here, name, {first[0]: first[1], second[0]: f"{first[1]}/{second[1]}"}, "--force")
    assert first[0] in err and second[0] in err, err


@pytest.mark.parametrize(("name", "one"), ONES)
def test_what_is_there_already_is_refused_before_anything_is_written(here, name, one):
    option, path = one
    if path.endswith("/"):
        (here / path).mkdir()
        (here / path / ("x.md" if name != "exam" else "key.json")).write_text("mine")
    else:
        (here / path).write_text("mine")
    said = refused(here, name, dict(CALLS[name][1]))
    assert path.rstrip("/") in said and ("--force" in said or option == "--resume"), said


@pytest.mark.parametrize(("name", "one"), ONES)
@pytest.mark.parametrize("path", ["no/such", "no/such.xlsx", ""])
def test_what_cannot_be_written_is_refused_before_anything_is_written(here, name, one, path):
    option, fits = one
    if fits.endswith("/") and path != "":
        (here / "no").write_text("a file")
    ending = os.path.splitext(fits)[1] if path == "no/such" else ""
    refused(here, name, dict(CALLS[name][1]) | {option: path + ending}, "--force")


@pytest.mark.parametrize(("name", "one"), ONES)
def test_no_input_is_replaced(here, name, one):
    option, _ = one
    for read in (word for word in CALLS[name][0] if word in FILES):
        if (option, read) != ("--new-key", "p.yaml"):  # the key may be changed in its place
            refused(here, name, dict(CALLS[name][1]) | {option: read}, "--force")


def test_a_page_never_takes_the_place_of_another_output(here):
    (here / "pages").mkdir()
    said = refused(here, "grade to a folder", {"-o": "pages/x.md", "--feedback": "pages"}, "--force")
    assert "pages/x.md" in said
    assert called("grade", "p.yaml", "c.csv", "-o", "new/m.csv", "--feedback", "new")[0] == 0
    assert sorted(os.listdir("new")) == ["m.csv", "x.md", "y.md"]


def test_only_one_output_goes_to_standard_output(here):
    for words in (["--report", "-"], ["--report", "-", "-o", "-"], ["--feedback", "f.md", "--report", "-"]):
        code, out, err = called("grade", "p.yaml", "c.csv", *words)
        assert code == 2 and not out and "-o and --report both go to standard output" in err
    code, out, err = called("remark", "p.yaml", "ch.yaml", "c.csv", "--marks", "-")
    assert code == 2 and not out and "-o and --marks both go to standard output" in err
    code, out, _ = called("remark", "p.yaml", "ch.yaml", "c.csv", "--marks", "-", "-o", "r.md")
    assert out.startswith("student,") and not os.path.exists("-")
