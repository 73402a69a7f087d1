"""Bad input: what a file and a command line can hold, the exact lines that answer it, exit code 2, no traceback, and
soon.

The problems stand in `data/bad-input.txt`, each with the faults it must be told: `line:column: message`.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from time import process_time

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.cli import main
from tests.support.sweeps import for_each

TYPED = (Path(__file__).parents[1] / "data" / "bad-input.txt").read_text(encoding="utf-8")
SECONDS = 5.0


def told(argv: list[str], monkeypatch, capsys, stdin: bytes = b"") -> list[str]:
    """The lines on standard error of a call that must end with exit code 2, soon and with nothing on
    standard output.
    """
    monkeypatch.setattr(sys, "argv", ["attncalc", *argv])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    start = process_time()
    with pytest.raises(SystemExit) as ended:
        main()
    assert process_time() - start < SECONDS
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and out == "" and "Traceback" not in err
    return err.splitlines()


def typed_problem(block: str):
    name, _, rest = block.partition("\n")
    problem, _, faults = rest.partition("\n>>>\n")
    return pytest.param(problem + "\n", faults.splitlines(), id=name)


@pytest.mark.sweep(quick=20, ci=True)
@pytest.mark.parametrize(("problem", "faults"), [typed_problem(block) for block in TYPED.split("=== ")[1:]])
def test_every_fault_is_told_at_its_place(problem, faults, monkeypatch, capsys):
    lines = told(["solve", "-", "--to", "json"], monkeypatch, capsys, problem.encode())
    assert lines == [f"<stdin>:{fault}" for fault in faults]


def test_a_file_with_a_slip_in_its_name_is_proposed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "life.yaml").write_text("steps: {A: 1}\n")
    for name in ("lief.yaml", str(tmp_path / "lief.yaml")):
        said = "no such file, and no bundled problem with this name"
        assert told(["solve", name], monkeypatch, capsys) == [
            f"{name}: {said}; did you mean {name.replace('ief', 'ife')}?"
        ]


# what no one types: name, file, the one line that answers
BUILT = [
    ("lists within lists", "given: {X: " + "[" * 1000 + "1" + "]" * 1000 + "}",
     "1:50: lists and mappings can be nested at most 40 levels deep; found more; a matrix is a list of rows"),
    ("lists that never close", "given: {X: " + "[" * 500_000, "1:50: lists and mappings can be nested at most 40 levels deep; found more; a matrix is a list of rows"),
    ("mappings within mappings", "given: " + "{a: " * 1000 + "1" + "}" * 1000,
     "1:164: lists and mappings can be nested at most 40 levels deep; found more; a matrix is a list of rows"),
    ("brackets in a formula", "steps: {A: " + "(" * 1000 + "1" + ")" * 1000 + "}",
     "1:72: A: brackets can be nested at most 60 levels deep; found more; move a part of it into a separate step"),
    ("signs in a formula", "steps: {A: " + "-" * 1000 + "1}",
     "1:253: A: at most 240 operations can be nested; found more; move a part of it into a separate step"),
    ("a long sum", "steps: {A: " + "1+" * 1000 + "1}",
     "1:12: A: at most 240 operations can be nested; found more; move a part of it into a separate step"),
    ("a long formula", "steps: {A: " + "1+" * 2000 + "1}",
     "1:12: A: a formula can have at most 4,000 characters; found 4,001; move a part of it into a separate step"),
    ("a long number", "given: {x: " + "1" * 5000 + "}\nsteps: {A: x}",
     "1:12: x: a number can have at most 1,000 digits; found 5,000; write it with an exponent, such as 1.5e900"),
    ("a long number in a formula", "steps: {A: 2*" + "1" * 3000 + "}",
     "1:14: A: a number can have at most 1,000 digits; found 3,000; write it with an exponent, such as 1.5e900"),
    ("laughter", "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
     + "".join(f"{y}: &{y} [{', '.join([f'*{x}'] * 9)}]\n" for x, y in zip("abcdefgh", "bcdefghi")),
     "6:20: a file can have at most 300,000 entries, counting each alias in full; found more; split it into several files"),
    ("many entries", "given: {X: [" + "1," * 400_000 + "1]}",
     "1:600003: a file can have at most 300,000 entries, counting each alias in full; found more; split it into several files"),
    ("many steps", "steps:\n" + "".join(f"  A{k}: 1\n" for k in range(2_500)),
     "2002:10: A2000: a problem can have at most 2,000 givens and steps; found more; split it into several files"),
    ("much work", "given:\n  X: ones(500, 500)\nsteps:\n" + "".join(f"  A{k}: X @ X\n" for k in range(300)),
     "4:7: A0: the estimated time for a problem is limited to 10 s; found 11.5 s up to here; use smaller matrices "
     "or fewer steps"),
    ("a million heads", "steps: {A: alibi_slopes(999999)}",
     "1:12: A: in alibi_slopes: a matrix can have at most 4,096 rows and 4,096 columns; found 1 × 999999; use a smaller size"),
    ("a wide matrix", "given: {X: [" + "1," * 5000 + "1]}\nsteps: {A: X}",
     "1:12: X: a matrix can have at most 4,096 rows and 4,096 columns; found 1 × 5001; use a smaller size"),
    ("a million bytes and one", "#" * 1_000_001, "a file can have at most 1,000,000 bytes; found more; split it into several files"),
    ("an empty file", "", "1:1: expected a problem; the file is empty"),
    ("a picture", b"\x89PNG\r\n\x1a\n\x00\x00", "1:1: expected UTF-8 text, found a picture (type the contents "
    "into a text file)"),
    ("a scan", b"%PDF-1.7\n\xe2\xe3", "2:1: expected UTF-8 text, found a PDF (type the contents into a text file)"),
    ("a workbook", b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xff",
     "1:15: expected UTF-8 text, found a workbook or another zip file (in a command, a class table comes after its key.json)"),
    ("another encoding", "title: Übung".encode("latin-1"), "1:8: expected UTF-8 text, found other bytes"),
    ("half a letter of two bytes", "title: a".encode("utf-16")[:-1],
     "expected UTF-16 text, found bytes in a different encoding; save the file as UTF-8"),
    ("two bytes a letter, unsaid", "title: a".encode("utf-16-le"), "1:2: expected text, found the character U+0000"),
    ("a zero byte", b"title: a\x00b", "1:9: expected text, found the character U+0000"),
    ("half a surrogate", b"title: \xed\xa0\x80", "1:8: expected UTF-8 text, found other bytes"),
    ("an escape that is no character", 'steps: {A: "\\ud800"}',
     "1:15: this escape sequence does not stand for a character; write the character itself"),
    ("text from right to left", "steps: {A: \u202e1}",
     "1:12: A: unexpected character '\ufffd'; names use ASCII or Greek letters, and operators use ASCII characters"),
]  # fmt: skip


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("content", "fault"), [pytest.param(*row[1:], id=row[0]) for row in BUILT])
def test_hostile_files_are_refused_at_once(content, fault, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("problem.yaml").write_bytes(
        content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    )
    lines = told(["solve", "problem.yaml"], monkeypatch, capsys)
    assert [line.removeprefix("problem.yaml:").strip() for line in lines] == [fault]


def test_a_hundred_faults_are_enough(monkeypatch, capsys):
    many = "steps:\n" + "".join(f"  A{k}: y{k}\n" for k in range(300))
    assert len(told(["solve", "-"], monkeypatch, capsys, many.encode())) == 100


def test_an_endless_file_is_not_read_to_its_end(monkeypatch, capsys):
    assert told(["solve", "/dev/zero"], monkeypatch, capsys) == [
        "/dev/zero: a file can have at most 1,000,000 bytes; found more; split it into several files"
    ]


P = "transformers-transforming-our-lives"
# name, arguments, the line that answers
ARGUMENTS = [
    ("a command with a slip", ["sovle", "x"], "attncalc: there is no command 'sovle'; did you mean solve?; `attncalc "
        "--help` says more"),
    ("an option with a slip", ["solve", P, "--digts", "3"],
     "attncalc solve: No such option '--digts'. Did you mean '--digits'?; `attncalc solve --help` says more"),
    ("an option's value with a slip", ["solve", P, "--to", "jsn"],
     "--to: expected one of {formats}, found 'jsn'; did you mean json?"),
    ("digits that are words", ["solve", P, "--digits", "four"],
     "--digits: expected a whole number from 0 to 1000, found 'four'"),
    ("digits without end", ["solve", P, "--digits", "9" * 5000],
     f"--digits: expected a whole number from 0 to 1000, found '{'9' * 39}…'"),
    ("no problem", ["solve"], "attncalc solve: Missing argument 'PROBLEM...'; `attncalc solve --help` says more"),
    ("a nameless problem", ["solve", ""], "expected a problem, found nothing"),
    ("an empty file as key", ["grade", os.devnull, "there"], f"{os.devnull}:1:1: expected a problem; the file is empty"),
    ("a problem with a slip", ["solve", "look-ahead-musk"],
     "look-ahead-musk: no such file, and no bundled problem with this name; did you mean look-ahead-mask?"),
    ("a file that does not exist", ["plan", "nothing.yaml"],
     "nothing.yaml: no such file, and no bundled problem with this name; `attncalc problems` lists the bundled problems"),
    ("a name of two lines", ["plan", "x\ny"], "x y: no such file, and no bundled problem with this name; "
    "`attncalc problems` lists the bundled problems"),
    ("a folder", ["solve", "folder"], "folder: expected a problem file, found a folder"),
    ("a part with a slip", ["solve", P, "--part", "maskd"], "--part: no part is called 'maskd'; did you mean masked?"),
    ("a part that is not there", ["solve", P, "--part", "x"], "--part: no part is called 'x'; the parts are masked, cross"),
    ("a part of a problem without", ["solve", "look-ahead-mask", "--part", "x"],
     "--part: no part is called 'x'; the problem has one part, without a name"),
    ("a step with a slip", ["solve", P, "--step", "maskd.Z"],
     "--step: no step is called 'maskd.Z'; did you mean masked.Z?"),
    ("a step that is not there", ["solve", "look-ahead-mask", "--step", "Y"],
     "--step: no step is called 'Y'; the steps are {steps}"),
    ("a lesson with a slip", ["lessons", "atention"], "no lesson is called 'atention'; did you mean attention?"),
    ("output to a folder", ["solve", P, "-o", "folder"], "folder: expected a file, found a folder"),
    ("output to no folder", ["solve", P, "-o", "nowhere/x"],
     "nowhere/x: the file cannot be written: this folder does not exist"),
    ("output over a file", ["solve", P, "-o", "there"], "there: the file already exists; use --force to overwrite it"),
    ("output into a file as folder", ["solve", P, "-o", "there/x"],
     "there/x: the file cannot be written: this folder does not exist"),
    ("output to nothing", ["solve", P, "-o", ""], "--output: expected a file, found nothing"),
    ("output to a full disk", ["solve", P, "-o", "/dev/full"],
     "/dev/full: the file cannot be written: No space left on device"),
    ("output of another command", ["schema", "-o", "folder"], "folder: expected a file, found a folder"),
]  # fmt: skip


@pytest.mark.sweep(quick=8, ci=True)
@pytest.mark.parametrize(("argv", "line"), [pytest.param(*row[1:], id=row[0]) for row in ARGUMENTS])
def test_command_lines(argv, line, monkeypatch, capsys, tmp_path):
    from attncalc.cli.solve import FORMATS

    if "/dev/full" in argv and not os.path.exists("/dev/full"):
        pytest.skip("this machine has no full disk to write to")
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("there").write_text("mine")
    steps = ", ".join(step.name for step in load("look-ahead-mask").plan.steps())
    assert told(argv, monkeypatch, capsys) == [line.replace("{formats}", ", ".join(FORMATS)).replace("{steps}", steps)]
    assert Path("there").read_text() == "mine" and sorted(os.listdir()) == ["folder", "there"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_files_that_may_not_be_read_or_written(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("secret.yaml").touch(mode=0o200)
    assert told(["solve", "secret.yaml"], monkeypatch, capsys) == [
        "secret.yaml: the file cannot be read: Permission denied"
    ]
    Path("folder").mkdir(mode=0o500)
    assert told(["solve", P, "-o", "folder/x"], monkeypatch, capsys) == [
        "folder/x: the file cannot be written: Permission denied"
    ]


# Python data: the fault's place is a path
DATA = [
    (
        {"given": {"x": float("nan")}, "steps": {"A": "x"}},
        "problem.given.x: x: expected a number, inf or -inf, found 'nan'",
    ),
    (
        {"given": {"x": 1j}, "steps": {"A": "x"}},
        "problem.given.x: expected a number, a text, a list or a mapping, found complex",
    ),
    ({"given": {"X": [[1, 2], [3]]}, "steps": {"A": "X"}}, "problem.given.X[1][0]: X: row 2 has 1 entry, row 1 has 2"),
    ({"given": {1.5: 1}, "steps": {"A": "1"}}, "problem.given.float: expected a text as the key, found float"),
    ({"steps": {"A": "1 +"}}, "problem.steps.A: A: expected a formula, found '1 +'"),
    ({"steps": {"A": "1"}, "points": {"B": 1}}, "problem.points.B: points: no step is called 'B'"),
]


@for_each(("data", "line"), DATA)
def test_faults_in_python_data_have_a_path(data, line):
    with pytest.raises(AttncalcError) as error:
        load(data)
    assert list(map(str, error.value.faults)) == [line]


def test_data_within_itself_is_refused():
    within: list[object] = []
    within.append(within)
    with pytest.raises(AttncalcError, match="nested at most 40 levels deep"):
        load({"given": {"X": within}, "steps": {"A": "X"}})


def test_the_second_opinion_names_the_empty_row_as_the_first_does():
    problem = {
        "given": {"S": {"rows": ["the", "cat"], "values": [[1, 2], [3, 4]]}},
        "steps": {"A": "softmax(keep(S, causal_strict(2, 2)))"},
    }
    with pytest.raises(AttncalcError) as certified:
        solve(problem)["A"].decimals()
    with pytest.raises(AttncalcError) as floating:
        solve(problem, arithmetic="floating")
    assert str(floating.value) == str(certified.value)
    assert 'row 1 ("the") is fully masked (all −∞)' in str(certified.value)
