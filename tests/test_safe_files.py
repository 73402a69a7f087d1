"""Files: whole or not at all, nothing of other people's replaced or read, and nothing in them that a program obeys."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import signal
import subprocess
import sys
import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from attncalc.cli import main
from attncalc.problem.loader import read_problem
from attncalc.problem.yaml_file import writer
from tests.support.sweeps import for_each

PROBLEM = "title: t\ngiven: {X: [[1, 2]]}\nsteps: {Y: 2 * X}\n"
SHEET = "title: Quiz\nseed: 1\nquestions: [{problem: p.yaml}]\n"


def typed(words, monkeypatch, capsys, code=0):
    monkeypatch.setattr(sys, "argv", ["attncalc", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (ended.value.code or 0) == code, told.err
    return told


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(PROBLEM)
    return tmp_path


# -- links -------------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("what", ["problem", "students", "template"])
@pytest.mark.parametrize("leads", ["out", "around"])
def test_a_sheet_reads_nothing_outside_its_folder_by_a_link(here, what, leads, monkeypatch, capsys):
    outside, sheets = here / "outside", here / "sheets"
    inner = outside if leads == "out" else sheets / "deeper"
    for folder in (outside, sheets, inner):
        folder.mkdir(exist_ok=True)
    (inner / "p.yaml").write_text(PROBLEM)
    (inner / "class.csv").write_text("number,name\n17,Ada\n")
    typed(["templates", "exam", "-o", inner / "mine"], monkeypatch, capsys)
    name = {"problem": "p.yaml", "students": "class.csv", "template": "mine"}[what]
    (sheets / name).symlink_to(inner / name)
    lines = {
        "problem": "questions: [{problem: p.yaml}]",
        "students": "students: class.csv",
        "template": "template: mine",
    }
    other = "" if what == "problem" else "questions: [{problem: strict-mask}]\n"
    (sheets / "s.yaml").write_text(f"title: t\n{lines[what]}\n{other}")
    told = typed(["exam", sheets / "s.yaml", "-o", here / "made"], monkeypatch, capsys, 2 if leads == "out" else 0)
    assert ("in a different folder" in told.err) == (leads == "out") and (here / "made").exists() == (leads != "out")


def test_a_template_includes_nothing_outside_its_folder_by_a_link(here, monkeypatch, capsys):
    (here / "secret").write_text("the secret")
    (here / "mine").mkdir()
    (here / "mine" / "solution.md").write_text("{% include 'inside' %}")
    (here / "mine" / "inside").symlink_to(here / "secret")
    told = typed(["solve", "p.yaml", "--to", "markdown", "--template", "mine"], monkeypatch, capsys, 2)
    assert (
        told.err.endswith("mine/inside: expected a template inside its folder; this link leads outside\n")
        and "secret" not in told.out
    )


# -- whole or not at all -----------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize(
    "words",
    [
        ["generate", "attention", "-n", "4", "-o", "out/deep"],
        ["templates", "html", "-o", "out/deep"],
        ["templates", "html", "-o", "there"],
    ],
)
def test_a_full_disk_leaves_nothing_behind(here, words):
    """A limit on the size of files stands for the disk: what is larger cannot be written."""
    (here / "there").mkdir()

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "attncalc", *words], preexec_fn=full, capture_output=True, text=True, env=env
    )
    assert done.returncode == 2 and "the folder cannot be written: File too large" in done.stderr
    assert sorted(str(path.relative_to(here)) for path in here.rglob("*")) == ["p.yaml", "there"]


def test_a_pipe_that_nobody_reads_is_refused(here, monkeypatch, capsys):
    os.mkfifo("pipe")
    told = typed(["solve", "p.yaml", "--to", "json", "-o", "pipe"], monkeypatch, capsys, 2)
    assert told.err == "pipe: the file cannot be written: no program is reading from this pipe\n"


def test_a_pipe_that_somebody_reads_is_written_to(here):
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        for _ in range(100):  # until it has opened the pipe
            done = subprocess.run(
                [sys.executable, "-m", "attncalc", "solve", "p.yaml", "--to", "json", "-o", "pipe"],
                capture_output=True,
                text=True,
            )
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        assert json.loads(reader.communicate(timeout=20)[0])["title"] == "t"


@pytest.mark.parametrize("mode", [0o700, 0o750])
@pytest.mark.parametrize("empty", [True, False])
def test_a_folder_that_is_there_keeps_its_permissions(here, mode, empty, monkeypatch, capsys):
    (here / "answers.yaml").write_text("student: Ada\nanswers: {Y: [[2, 4]]}\n")
    (here / "pages").mkdir()
    if not empty:
        (here / "pages" / "mine.txt").write_text("mine")
    os.chmod(here / "pages", mode)
    typed(["grade", "p.yaml", "answers.yaml", "--feedback", "pages", "-o", "marks.csv", "--force"], monkeypatch, capsys)
    assert os.stat(here / "pages").st_mode & 0o777 == mode and len(list((here / "pages").iterdir())) == 2 - empty


# -- what is in them ---------------------------------------------------------------------------------------------------

TURNING = "a\u202eb\u2066c\u200fd\u061ce\x85f\u2028g"


def seen(text: str) -> bool:
    return not [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t"]


@pytest.mark.parametrize(
    "words",
    [
        ["solve", "odd.yaml", "--to", "json"],
        ["plan", "odd.yaml", "--to", "json"],
        ["check", "odd.yaml", "p2.yaml", "--to", "json"],
    ],
)
def test_json_shows_every_character(here, words, monkeypatch, capsys):
    title = json.dumps(TURNING)
    (here / "odd.yaml").write_text(
        f"title: {title}\ngiven: {{X: {{rows: [{title}], values: [[1]]}}}}\nsteps: {{Y: 2 * X}}\n", encoding="utf-8"
    )
    (here / "p2.yaml").write_text(f"student: {title}\nanswers: {{Y: [[2]]}}\n", encoding="utf-8")
    out = typed(words, monkeypatch, capsys).out
    assert (
        seen(out)
        and "\\u202e" in out
        and TURNING in json.dumps(json.loads(out), ensure_ascii=False).encode().decode().replace("\\u2028", "\u2028")
    )


def test_the_index_of_an_exam_shows_every_character(here, monkeypatch, capsys):
    (here / "class.csv").write_text("number,name\n17,Ada \u202eevil\u2066\n18,=\u202e1+1\n", encoding="utf-8")
    (here / "s.yaml").write_text(SHEET + "students: class.csv\n")
    typed(["exam", "s.yaml", "-o", "out"], monkeypatch, capsys)
    for name in ("index.csv", "key.json", "manifest.json"):
        assert seen((here / "out" / name).read_text(encoding="utf-8")), name
    rows = list(csv.DictReader((here / "out" / "index.csv").open(encoding="utf-8")))
    assert [row["name"] for row in rows] == ["Ada evil", "'=1+1"], "a roster leaves them out, and says so"


@given(st.text(st.sampled_from([*TURNING, "\x00", "\x07", "\x1b", "\xa0", "\ufeff", " ", '"', "\\", ":", "#", "🙂"])))
def test_yaml_shows_every_character_and_reads_back(text):
    written = writer.scalar(text)
    assert seen(written) and yaml.safe_load(f"a: {written}") == {"a": text}


# -- JSON as input -----------------------------------------------------------------------------------------------------


@for_each("text", ["😀", "a😀b𝔘c", "\U0010ffff", "é😀\n😀"])
def test_json_that_writes_characters_as_pairs_is_read(text):
    data = {"title": text, "given": {"X": {"rows": [text], "values": [[1]]}}, "steps": {"Y": "2 * X"}}
    problem = read_problem(json.dumps(data), "p.json", "p")
    assert problem.title == text.strip() and next(iter(problem.plan.entries.values())).rows == (text,)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_places_behind_such_characters_are_right(count, here, monkeypatch, capsys):
    text = json.dumps({"title": "😀" * count, "given": {"X": [[1]]}, "steps": {"Y": "2 * Z"}})
    (here / "bad.json").write_text(text)
    told = typed(["solve", "bad.json"], monkeypatch, capsys, 2).err
    assert told.startswith(f"bad.json:1:{text.index('Z') + 1}: ")


def test_half_a_character_is_refused(here, monkeypatch, capsys):
    (here / "half.json").write_text(r'{"title": "\ud83d", "given": {"X": [[1]]}, "steps": {"Y": "X"}}')
    told = typed(["solve", "half.json"], monkeypatch, capsys, 2).err
    assert re.fullmatch(
        r"half\.json:1:\d+: this escape sequence does not stand for a character; write the character itself\n", told
    )


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize(
    "module", ["click", "attncalc.cli", "attncalc.cli.solve", "attncalc.api", "flint", "yaml", "rich.console"]
)
def test_ctrl_c_during_an_import_leaves_no_traceback(here, module):
    program = f"""
import os, signal, sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupted())
sys.argv = ["attncalc", "solve", "p.yaml"]
from attncalc.__main__ import main
main()
print("it went on")
"""
    coloured = os.environ | {"FORCE_COLOR": "1"}  # without colours rich's console is not imported
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=coloured)
    assert done.returncode in (-signal.SIGINT, 130) and done.stdout + done.stderr == ""
