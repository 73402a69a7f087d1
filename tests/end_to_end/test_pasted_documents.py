"""The README and each tutorial work if they are pasted from top to bottom: their files are saved and their commands are
typed into one shell, in their order, in a folder that is empty at first.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.sweeps import for_each

TOP = Path(__file__).parents[2]
README = TOP / "README.md"
QUICK = ("assistant",)  # two seconds; the others take up to eleven
TUTORIALS = sorted((TOP / "docs" / "tutorials").glob("*.md"))
# Lines that are not typed as they are, since the tests run on an installed program: what is typed in their place.
TYPED_INSTEAD = {
    "python3 -m venv .venv && . .venv/bin/activate && pip install . && attncalc solve three-words-look-back":
        "attncalc solve three-words-look-back",
}  # fmt: skip
FEWER = {"variants: 30\n": "variants: 6\n", "monday.yaml -n 10": "monday.yaml -n 3"}  # in CI; `pytest -m ''` makes all
SERVERS = (
    "attncalc practice",
    "--page",
    "--watch",
    "attncalc mcp",
)  # serve a page until Ctrl-C: started, asked for the page and stopped
FINDING = ("check", "lint", "grade", "stress")  # end with 1 if they find something; all others with 0
PIECE = re.compile(
    r"<!-- (?:example|answers|sheet): (?P<name>\S+) -->\n```\w+\n(?P<content>.*?)```"
    r"|<!-- output: (?P<command>.*?) -->\n```\n(?P<output>.*?)```"
    r"|```(?:console|bash|sh)\n(?P<fenced>.*?)```"
    r"|```.*?```"  # another language
    r"|(?:(?<=\n\n)|\A)(?P<indented>(?:    [^\n]*\n)+)",
    re.S,
)
INDENT = re.compile(r"^(?:    |\$ )", re.M)
ASKED = "import sys, urllib.request as u; sys.exit(b'<html' not in u.urlopen(sys.argv[1], timeout=60).read())"


class Save(NamedTuple):
    """A file of the document, which its reader saves."""

    name: str
    content: str


class Type(NamedTuple):
    """A line that its reader types."""

    line: str


class Expect(NamedTuple):
    """What the document shows as the output of the command before."""

    command: str
    output: str


def pieces(text):
    """What a reader does from top to bottom, and what the document shows."""
    for found in PIECE.finditer(text):
        if found["name"]:
            yield Save(found["name"], found["content"])
        elif found["command"]:
            yield Expect(found["command"], found["output"])
        elif lines := found["fenced"] or found["indented"]:
            yield from (Type(line.strip()) for line in INDENT.sub("", lines).splitlines() if line.strip())


def plain(line):
    """A command without the remark behind it."""
    return re.sub(r"\s+#.*", "", line)


def is_server(line):
    """Whether a line starts what runs until Ctrl-C."""
    return any(word in plain(line) for word in SERVERS)


def script(steps, logs):
    """All steps as a program of bash, which reads each line from a file of its own. The number of a step is the name of
    its files.
    """
    yield "set -m"  # Ctrl-C reaches servers
    for k, step in enumerate(steps):
        (logs / f"{k}.typed").write_text(TYPED_INSTEAD.get(plain(step[0]), step[-1]), encoding="utf-8")
        run = f". {logs}/{k}.typed >{logs}/{k}.out 2>{logs}/{k}.err"
        match step:
            case Save(name, _):
                yield f"cp {logs}/{k}.typed '{name}'"
            case Type(line) if is_server(line):
                yield f"{run} &\nserver=$!"
                yield f"until address=$(grep -oh 'http://127[^ ]*' {logs}/{k}.*) || ! kill -0 $server; do sleep 0.1; done"
                yield f'"{sys.executable}" -c "{ASKED}" "${{address%%$\'\\n\'*}}" 2>{logs}/{k}.page || echo 99 >{logs}/{k}.code'
                yield f"kill -INT -- -$server; wait $server; echo $? >>{logs}/{k}.code"
            case Type(line):
                yield f"{run} </dev/null; echo $? >{logs}/{k}.code"


def pasted(steps, folder, logs):
    """What is wrong with each line: its exit code and what it printed; and the output of all lines by number."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(logs), "XDG_DATA_HOME": str(logs), "BROWSER": "true", "PYTHONUTF8": "1",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", "\n".join(script(steps, logs))], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    wrong, printed = [], {}
    for k, step in enumerate(steps):
        if isinstance(step, Type):
            found = {name: file.read_text(encoding="utf-8") if (file := logs / f"{k}.{name}").exists() else done.stderr
                     for name in ("out", "err", "code")}  # fmt: skip
            printed[k], words = found["out"], plain(step.line).split()
            good = [
                "0\n",
                *["1\n"] * (words[:1] == ["attncalc"] and words[1] in FINDING),
                *["130\n"] * is_server(step.line),
            ]
            if found["code"] not in good or "Traceback" in found["err"]:
                wrong.append((step.line, found["code"].strip(), found["err"]))
    return wrong, printed


def fewer(text):
    """The text with fewer papers to make: most of the time is theirs."""
    for shown, tried in FEWER.items():
        text = text.replace(shown, tried)
    return text


@pytest.mark.parametrize(
    ("document", "whole"),
    [pytest.param(one, False, id=one.stem, marks=() if one.stem in QUICK else pytest.mark.slow)
     for one in (README, *TUTORIALS)]
    + [pytest.param(one, True, id=f"{one.stem}-whole", marks=(pytest.mark.slow, pytest.mark.exhaustive))
       for one in (README, *TUTORIALS) if fewer(text := one.read_text(encoding="utf-8")) != text],
)  # fmt: skip
def test_golden_documents_can_be_pasted(document, whole, tmp_path):
    text = document.read_text(encoding="utf-8")
    steps = [*pieces(text if whole else fewer(text))]
    folder, logs = tmp_path / "empty", tmp_path / "logs"
    folder.mkdir()
    logs.mkdir()
    wrong, printed = pasted(steps, folder, logs)
    assert not wrong
    for k, step in enumerate(steps):
        if isinstance(step, Expect):
            assert f"attncalc {step.command.removeprefix('attncalc ')}" == plain(steps[k - 1].line)
            if os.environ.get("REGENERATE"):
                text = text.replace(f"-->\n```\n{step.output}```", f"-->\n```\n{printed[k - 1]}```")
            else:
                assert printed[k - 1] == step.output
    document.write_text(text, encoding="utf-8") if os.environ.get("REGENERATE") else None


def blocks(text):
    """The lines of each block of commands, as somebody copies them."""
    for found in PIECE.finditer(text):
        if lines := found["fenced"] or found["indented"]:
            yield [line.strip() for line in INDENT.sub("", lines).splitlines() if line.strip()]


DOCUMENTS = [README, *sorted((TOP / "docs").rglob("*.md"))]


@for_each("document", DOCUMENTS, ids=lambda path: path.stem)
def test_law_what_runs_until_ctrl_c_is_the_last_line_of_its_block(document):
    """A block is pasted whole: the lines behind `attncalc practice` were typed into nothing. A block of such lines alone
    lists what to choose from.
    """
    for lines in blocks(document.read_text(encoding="utf-8")):
        servers = [is_server(line) and " -o " not in plain(line) for line in lines]
        assert all(servers) or not any(servers[:-1]), lines


def test_every_document_has_commands_and_every_exception_is_needed():
    lines = [step.line for one in (README, *TUTORIALS) for step in pieces(one.read_text(encoding="utf-8"))
             if isinstance(step, Type)]  # fmt: skip
    assert len(TUTORIALS) == 4 and len(lines) >= 36
    assert set(TYPED_INSTEAD) <= {plain(line) for line in lines}
    texts = [one.read_text(encoding="utf-8") for one in (README, *TUTORIALS)]
    assert all(sum(shown in text for text in texts) == 1 for shown in FEWER)
    assert any(plain(line).startswith("attncalc practice") for line in lines)


def test_what_does_not_work_if_pasted_is_found(tmp_path):
    """A file that is not there yet, a command that ends with 2, and one that does not exist."""
    text = "# T\n\n    attncalc plan p.yaml   # too early\n\n<!-- example: p.yaml -->\n```yaml\nX: 1\n```\n\n    attncalc pla\n    nothing-of-this-name\n    true\n"
    steps = [*pieces(text)]
    assert [type(one).__name__ for one in steps] == ["Type", "Save", "Type", "Type", "Type"]
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "empty").mkdir()
    wrong, _ = pasted(steps, tmp_path / "empty", logs)
    assert [(plain(line), code) for line, code, _ in wrong] == [
        ("attncalc plan p.yaml", "2"), ("attncalc pla", "2"), ("nothing-of-this-name", "127")
    ]  # fmt: skip
