"""Outputs of one command: each in a place of its own, all checked before any is written, and no input is replaced."""

from __future__ import annotations

import itertools
import os
import shutil

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
    "regrade": (["p.yaml", "ch.yaml", "c.csv", "--overrides", "o.csv", "--scale", "sc.yaml"],
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
INPUTS = {"--secret", "--overrides", "--scale", "--students", "--template", "--from", "--pyodide", "--scans"}


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
            assert first[0] in err and second[0] in err and "give them different names" in err, err


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
    code, out, err = called("regrade", "p.yaml", "ch.yaml", "c.csv", "--marks", "-")
    assert code == 2 and not out and "-o and --marks both go to standard output" in err
    code, out, _ = called("regrade", "p.yaml", "ch.yaml", "c.csv", "--marks", "-", "-o", "r.md")
    assert out.startswith("student,") and not os.path.exists("-")


# Words for each command that has outputs, which end well without any; of the outputs, those that are several files
EVERY = {
    "solve": (["p.yaml"], ()), "plan": (["p.yaml"], ()), "check": (["p.yaml", "an.yaml"], ()), "practice": ([], ("-o",)),
    "grade": (["p.yaml", "c.csv"], ("--feedback", "--resume")), "compare": (["o.csv", "o.csv"], ()),
    "regrade": (["p.yaml", "ch.yaml", "c.csv", "-o", "r.md"], ()), "export": (["p.yaml", "--to", "moodle"], ()),
    "mistakes": ([], ()), "generate": (["self_attention"], ()), "generate several": (["d.yaml", "-n", 2], ("-o",)),
    "exam": (["sh.yaml"], ("-o", "--secret")), "stress": (["sh.yaml", "-n", 1], ()), "new": (["attention"], ()),
    "answers": (["p.yaml", "--students", "l.csv"], ()), "answers page": (["p.yaml", "--page"], ("-o",)),
    "lessons": ([], ()), "functions": ([], ()), "problems": ([], ()), "templates": (["html"], ("-o",)), "schema": ([], ()),
    "demo": ([], ("-o",)), "scan": (["--try"], ("-o",)),
}  # fmt: skip


def outputs_of(name):
    """The options of a command that name a file or a folder to write."""
    options = [
        one.opts[0]
        for one in cli.get_command(click.Context(cli), name).params
        if isinstance(one, click.Option) and one.metavar in ("FILE", "PATH", "FOLDER", "DIR")
    ]
    return [option for option in options if option not in INPUTS or option == "--secret"]


def test_every_command_with_an_output_is_tried():
    assert {name.split()[0] for name in EVERY} == {name for name in COMMANDS if outputs_of(name)}


@pytest.mark.parametrize(("name", "option"), [(n, option) for n in EVERY for option in outputs_of(n.split()[0])])
def test_law_a_dash_is_standard_output_or_refused(here, name, option):
    """No command makes a file or a folder that is called `-`: another program cannot name it, and `rm -` neither."""
    words, several = EVERY[name]
    (here / "an.yaml").write_text("S: [[2, 4]]\nT: [[3, 6]]\n")
    (here / "d.yaml").write_text("title: T\ndraw: {a: 1 × 2 integers 1..9}\nsteps: {S: a * 2}\n")
    before = tree(here)
    extra = ["-o", "a.csv"] if name == "grade" and option == "--report" else []
    code, out, err = called(*name.split()[:1], *words, option, "-", *extra)
    if option in several:
        assert code == 2 and not out and tree(here) == before, err
        assert "accepts only one text" in err or name == "answers page"
    else:
        assert code in (0, 1) and out and not os.path.exists("-"), err


def linked(link, path):
    """A name in this folder that leads to a file, with its ending."""
    name = f"link{os.path.splitext(path)[1]}"
    link(path, name)
    return name


SAME = {
    "itself": lambda path, other: other,
    "symbolic link": lambda path, other: linked(os.symlink, path),
    "hard link": lambda path, other: linked(os.link, path),
    "through a folder": lambda path, other: (os.symlink(".", "folder"), f"folder/{other}")[1],
}
# Words of commands, each with an input that its output might replace and the option of this output
READ = [
    (["new", "--from", "m.txt"], "m.txt", "-o"),
    (["solve", "p.yaml", "--to", "text"], "p.yaml", "-o"),
    (["solve", "p.yaml", "--to", "json"], "p.yaml", "--certificate"),
    (["solve", "p.yaml", "--to", "html", "--template", "own"], "own/solution.html", "-o"),
    (["check", "p.yaml", "an.yaml", "--to", "text"], "an.yaml", "-o"),
    (["generate", "d.yaml", "--to", "yaml"], "d.yaml", "-o"),
    (["export", "p.yaml", "--to", "moodle"], "p.yaml", "-o"),
    (["export", "folder-of-problems", "--to", "moodle"], "folder-of-problems/p.yaml", "-o"),
    (["answers", "p.yaml"], "p.yaml", "-o"),
    (["answers", "p.yaml", "--students", "l.csv"], "l.csv", "-o"),
    (["stress", "sh.yaml", "-n", 1, "--to", "text"], "sh.yaml", "-o"),
    (["stress", "sh.yaml", "-n", 1, "--to", "text"], "p.yaml", "-o"),
    (["stress", "st.yaml", "-n", 1, "--to", "text"], "l.csv", "-o"),
    (["compare", "m.csv", "o.csv", "--to", "text"], "o.csv", "-o"),
    (["grade", "p.yaml", "scripts"], "scripts/x.yaml", "-o"),
    (["grade", "p.yaml", "c.csv", "--scale", "sc.yaml"], "sc.yaml", "-o"),
    (["regrade", "p.yaml", "ch.yaml", "c.csv", "--to", "text"], "ch.yaml", "-o"),
    (["regrade", "p.yaml", "ch.yaml", "c.csv"], "ch.yaml", "--new-key"),
]


@pytest.mark.parametrize("link", SAME)
@pytest.mark.parametrize(
    ("words", "read", "option"), READ, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_law_no_output_takes_the_place_of_an_input(here, words, read, option, link):
    """`new --from ada.yaml -o ada.yaml --force` lost what was pasted."""
    (here / "m.txt").write_text("Q = [[1, 0], [0, 1]]\n")
    (here / "an.yaml").write_text("S: [[2, 4]]\nT: [[3, 6]]\n")
    (here / "d.yaml").write_text("title: T\ndraw: {a: 1 × 2 integers 1..9}\nsteps: {S: a * 2}\n")
    (here / "st.yaml").write_text("title: Q\nstudents: l.csv\nquestions: [{problem: p.yaml}]\n")
    for name in ("scripts", "folder-of-problems"):
        (here / name).mkdir()
    (here / "folder-of-problems" / "p.yaml").write_text(PROBLEM)
    (here / "scripts" / "x.yaml").write_text("S: [[2, 4]]\nT: [[3, 6]]\n")
    assert called("templates", "html", "-o", "own")[0] == 0
    target = SAME[link](os.path.abspath(read), read)
    before = tree(here)
    code, _, err = called(*words, option, target, "--force")
    assert code == 2 and tree(here) == before, err
    assert "this one is the input" in err or "one of the scripts," in err, err


def test_an_exam_and_generated_files_replace_no_input_in_their_folder(here):
    (here / "index.csv").write_text("number\nx\n")
    (here / "st.yaml").write_text("title: Q\nstudents: index.csv\nquestions: [{problem: p.yaml}]\n")
    code, _, err = called("exam", "st.yaml", "-o", ".", "--to", "latex", "--force")
    assert code == 2 and "index.csv: expected a different file; this one is the input" in err
    assert (here / "index.csv").read_text() == "number\nx\n" and not (here / "st.secret").exists()
    (here / "d-1.yaml").write_text("title: T\ndraw: {a: 1 × 2 integers 1..9}\nsteps: {S: a * 2}\n")
    os.link("d-1.yaml", "d-1-1.yaml")
    before = tree(here)
    code, _, err = called("generate", "d-1.yaml", "-n", 2, "-o", ".", "--force")
    assert code == 2 and "this one is the input" in err and tree(here) == before


def test_what_a_command_changes_by_its_purpose_is_changed(here):
    assert called("regrade", "p.yaml", "ch.yaml", "c.csv", "--new-key", "p.yaml", "--force", "-o", "r.md")[0] == 0
    assert "S: 2" in (here / "p.yaml").read_text()
    os.link("p.yaml", "q.yaml")
    assert called("regrade", "p.yaml", "ch.yaml", "c.csv", "--new-key", "q.yaml", "--force", "-o", "r2.md")[0] == 0


def test_the_next_command_may_write_what_the_one_before_has_read(here):
    assert called("solve", "p.yaml")[0] == 0
    assert called("new", "attention", "-o", "p.yaml", "--force")[0] == 0


def test_pages_of_an_earlier_run_are_named(here):
    pages = ("--feedback", "pages/", "--force")
    called("grade", "p.yaml", "c.csv", *pages)
    (here / "c.csv").write_text(CLASS.replace("y,", "z,"))
    assert "pages/: this run did not write y.md; delete pages" in called("grade", "p.yaml", "c.csv", *pages)[2]
    assert (here / "pages/y.md").exists()
    (here / "pages/y.md").unlink()
    assert "did not write" not in called("grade", "p.yaml", "c.csv", *pages)[2]


# -- scripts -----------------------------------------------------------------------------------------------------------

FIRST = ("scripts/s-1.md", "scripts/s-2.md", "scripts/s-3.csv")
SCRIPTS = (*FIRST, "scripts/group/s-4.md")
# Words that name scripts, and these scripts; one of them is a link to another folder
NAMING = dict.fromkeys(("scripts", "./scripts/../scripts", ".", "link", "scripts/*", "scri*", "LONG/scripts"), SCRIPTS)
NAMING |= {"scripts/group": SCRIPTS[3:], "scripts/*.md": FIRST[:2], "scripts/s-1.md": FIRST[:1]}
PLACES = (
    "scripts", "scripts/", "link", ".", "scripts/group", "scripts/new", "scripts/s-1.md", "scripts/s-2.md", "scripts/s-3.csv",
    "scripts/empty.txt", "link/s-1.md", "soft.md", "hard.md", "scripts/new.md", "scripts/group/s-4.md", "scripts/new.csv", "out", "out.md", "far",
)  # fmt: skip
WRITING = [("grade", option) for option in ("-o", "--report", "--feedback", "--resume")]
WRITING += [("regrade", option) for option in ("-o", "--marks", "--new-key")]


def set_up(here):
    """Make the folder of the scripts anew, and return their contents."""
    for path in here.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in FILES:
            path.unlink()
    os.makedirs("scripts/group")
    os.makedirs("far")
    for path in ("scripts/s-1.md", "far/s-2.md", "scripts/group/s-4.md", "far/s-5.md"):
        (here / path).write_text("S = [[2, 4]]\nT = [[3, 6]]\n")
    (here / "scripts" / "s-3.csv").write_text("2, 4\n3, 6\n")
    os.symlink("../far/s-2.md", "scripts/s-2.md")
    os.symlink("scripts", "link")
    os.symlink("scripts/s-1.md", "soft.md")
    os.link("scripts/s-1.md", "hard.md")
    return {path: (here / path).read_bytes() for path in SCRIPTS}


@pytest.mark.sweep(quick=12, ci=40)
@pytest.mark.parametrize("naming", NAMING)
@pytest.mark.parametrize(("name", "option"), WRITING)
def test_law_no_script_is_replaced_or_left_out_for_an_output(here, name, option, naming):
    """`grade p.yaml scripts --feedback scripts --force` wrote pages over scripts, and did not mark the others."""
    texts = set_up(here)
    words = [naming.replace("LONG", str(here))]
    extra = ["ch.yaml"] if name == "regrade" else []
    code, marks, err = called(name, "p.yaml", *extra, *words)
    assert code in (0, 1), err
    for place in PLACES:
        before = tree(here)
        code, out, err = called(name, "p.yaml", *extra, *words, option, place, "--force")
        after = tree(here)
        assert "Traceback" not in err and all(after[str(here / path)] == texts[path] for path in NAMING[naming]), place
        assert os.path.islink("scripts/s-2.md") or naming in ("scripts/group", "scripts/s-1.md")
        if code != 2 and name == "grade" and option != "-o":
            assert out == marks, (place, err)
        if code == 2:
            assert after == before, (place, err)
        else:
            set_up(here)


@pytest.mark.parametrize("name", ["scripts/s-1.md", "scripts/s-3.csv", "scripts/empty.txt", "scripts/marks.csv"])
@pytest.mark.parametrize("option", ["-o", "--resume"])
def test_only_a_table_that_attncalc_wrote_is_replaced_among_scripts(here, option, name):
    (here / "scripts").mkdir()
    texts = {".md": "S = [[2, 4]]\n", ".txt": "", ".csv": "2, 4\n3, 6\n"}
    (here / name).write_text(texts[os.path.splitext(name)[1]])
    before = tree(here)
    code, _, err = called("grade", "p.yaml", "scripts", option, name, "--force")
    assert code == 2 and "one of the scripts" in err and tree(here) == before
    (here / "scripts" / "s-2.md").write_text(texts[".md"])
    new = {option: "scripts/new.csv"} | ({} if option == "-o" else {"-o": "m.csv"})
    for _ in range(2):
        assert called("grade", "p.yaml", "scripts", *itertools.chain(*new.items()), "--force")[0] in (0, 1)
