"""A name that people type means the same file in every command, and a name with two meanings is reported."""

import pytest
import yaml

from attncalc.errors import AttncalcError
from attncalc.exam.sheet_files import SHEETS
from attncalc.named_files import ENDINGS, named_file, resolve_file
from attncalc.resources import bundled, problem_names
from tests.support.called import called

OWN = "title: Own\ngiven: {X: [[1, 2]]}\nsteps: {S: 'X @ X.T'}\n"
DRAWN = "title: Own\ndraw: {X: 2 × 2 integers -2..2}\nsteps: {S: 'X @ X.T'}\n"
SHEET = "title: Own\nvariants: 2\nquestions: [{problem: own.yaml}]\n"
# Each command, with the rest of what it needs, and the name of a bundled file for it
COMMANDS = {
    "solve": ("next-word",),
    "plan": ("next-word",),
    "check": ("next-word", "answers.txt"),
    "lint": ("next-word",),
    "answers": ("next-word",),
    "export": ("next-word", "--to", "moodle"),
    "grade": ("next-word", "scripts"),
    "exam": ("quiz",),
    "stress": ("quiz", "-n", "2"),
    "generate": ("attention",),
}
USED = "is used; to use the file"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text(OWN)
    (tmp_path / "answers.txt").write_text("S = [[5]]\n")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "a.txt").write_text("S = [[5]]\n")
    return tmp_path


def own_file(command):
    return SHEET if command in ("exam", "stress") else DRAWN if command == "generate" else OWN


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_reports_which_of_two_files_it_uses(command, home):
    name, *others = COMMANDS[command]
    _, alone, err_alone = called(command, name, *others)
    assert USED not in err_alone
    (home / f"{name}.yaml").write_text(own_file(command))
    _, both, err = called(command, name, *others)
    assert f"{name}: warning: the " in err and f"{USED} {name}.yaml, write {name}.yaml" in err
    assert both == alone
    _, own, err = called(command, f"{name}.yaml", *others)
    assert "warning: the" not in err and own != alone
    (home / name).write_text(own_file(command))
    _, typed, err = called(command, name, *others)
    assert f"{name}: warning: this file is used, and not the " in err
    assert typed == own.replace(f"{name}.yaml", name)


@pytest.mark.parametrize("where", ["problems", SHEETS])
def test_a_name_with_an_ending_is_first_a_file(where, home):
    for name in bundled(where):
        assert named_file(f"{name}.yaml", where).path == bundled(where)[name]
        assert named_file(f"{name}.yml", where) is named_file(f"./{name}.yaml", where) is None
        with pytest.raises(AttncalcError, match=f"did you mean the bundled {name}\\?"):
            resolve_file(f"{name}.yml", where, "a file", "no bundled file")
        for ending in ENDINGS:
            (home / f"{name}{ending}").write_text("")
            assert named_file(name, where).path == bundled(where)[name]
            assert named_file(f"{name}{ending}", where).path == f"{name}{ending}"
        assert named_file(f"./{name}", where) is None


@pytest.mark.parametrize("name", ["final", "quiz"])  # final has pictures
def test_a_bundled_sheet_uses_nothing_of_the_current_folder(name, home):
    expected = called("exam", name)
    (home / f"{name}.yaml").write_text(SHEET)
    for picture in ("course.svg", "heads.svg"):
        (home / picture).write_text("no picture")
    code, out, err = called("exam", name)
    assert (code, out) == expected[:2] == (0, expected[1])
    assert err == f"{name}: warning: the bundled {name} {USED} {name}.yaml, write {name}.yaml\n{expected[2]}"


def test_a_bundled_sheet_and_an_own_sheet_with_its_name_do_not_share_a_secret(home):
    assert called("exam", "quiz", "-o", "bundled/")[0] == 0
    (home / "quiz.yaml").write_text(SHEET.replace("problem: own.yaml", "generate: self_attention"))
    code, _, err = called("exam", "quiz.yaml", "-o", "own/")
    assert code == 2 and "expected the sheet quiz.yaml (bundled), found quiz.yaml" in err
    assert not (home / "own").exists()


def test_a_sheet_names_files_by_the_same_rule(home):
    for name in ("next-word", "next-word.yaml", "own.yaml"):
        (home / "sheet.yaml").write_text(yaml.safe_dump({"questions": [{"problem": name}]}))
        assert called("exam", "sheet.yaml")[0] == 0
    (home / "sheet.yaml").write_text("questions: [{problem: next-words.yaml}]\n")
    code, _, err = called("exam", "sheet.yaml")
    assert code == 2 and "did you mean next-word?" in err


def test_every_bundled_problem_has_a_name_without_an_ending():
    assert not [name for name in problem_names() if "." in name or "/" in name]


def test_generate_reads_a_file_from_standard_input(home):
    (home / "stdin.yaml").write_text(DRAWN)  # the numbers depend on the name
    from_file = called("generate", "stdin.yaml", "--seed", "7")
    from_input = called("generate", "-", "--seed", "7", stdin=DRAWN.encode())
    assert from_input[0] == 0
    assert from_input[1].replace("generate -", "generate stdin.yaml") == from_file[1]
