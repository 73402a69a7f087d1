"""What the guides show is true: files, commands and outputs are tried, and links lead somewhere. The commands of the
README and of the tutorials are tried in their order, in end_to_end/test_pasted_documents.py.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from attncalc.cli import COMMANDS as NAMES
from attncalc.cli import cli
from attncalc.explain.report_messages import REASON_SENTENCES
from attncalc.marking.credit import Reason
from tests.support.sweeps import for_each

TOP = Path(__file__).parents[2]
TUTORIALS = sorted((TOP / "docs" / "tutorials").glob("*.md"))
GUIDES = [TOP / "README.md", *sorted((TOP / "docs" / "how-to").glob("*.md"))]
FILES = re.compile(r"<!-- (?:example|answers|sheet): (\S+) -->\n```\w+\n(.*?)```", re.S)
OUTPUTS = re.compile(r"<!-- output: attncalc (.*?) -->\n```\n(.*?)```", re.S)
PROGRAMS = re.compile(r"<!-- python -->\n```python\n(.*?)```", re.S)
COMMANDS = re.compile(r"^    attncalc ([^#\n]+?)\s*(?:#.*)?$", re.M)
WAITING = ("practice", "completion", "mcp")  # what waits for a person, or prints for a shell
OPEN = ("--watch", "--page")  # the same, by an option
FINDING = ("check", "lint", "grade")  # what ends with 1 where it finds something


def text(document):
    return document.read_text(encoding="utf-8")


def commands(document):
    return [
        line
        for line in COMMANDS.findall(text(document))
        if not line.startswith(WAITING) and not any(word in line for word in OPEN)
    ]


ALL_FILES = {name: content for document in GUIDES for name, content in FILES.findall(text(document))}
EACH = list(dict.fromkeys(line for document in GUIDES[1:] for line in commands(document)))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The files of the guides, and scripts as they would lie there."""
    folder = tmp_path_factory.mktemp("guides")
    for name, content in ALL_FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "scripts").mkdir()
    shutil.copy(folder / "answers.yaml", folder / "scripts" / "s-0417.yaml")
    for picture in (TOP / "problems" / "sheets").glob("*.svg"):
        shutil.copy(picture, folder)
    return folder


# What a guide has said before a command, by how that begins: commands, and files that people have made.
BEFORE = {
    "grade quiz/key.json": ["exam quiz -o quiz/"],
    "grade final/key.json": ["exam final -o final/", "answers final/key.json -o answers.csv"],
    "grade key.json class.xlsx": ["exam quiz -o made/", "answers made/key.json -o class.xlsx"],
    "grade key.json class.csv": ["exam quiz -o made/", "answers made/key.json -o class.csv"],
    "answers key.json": ["exam quiz -o made/"],
    "regrade key.json": ["exam quiz -o made/"],
    "scan made/key.json": ["exam scanned.yaml -o made/"],
}
MADE = {
    "list.csv": "number,name\n0417,Ada\n0418,Alan\n",
    "class/scan.json": '{"version": 1, "papers": {}, "fields": []}',
    "changes.yaml": "accept: [scale-forgotten]\n",
    "answers/0417.yaml": "student: '0417'\nproblem: CODE\nanswers: {}\n",
}


def prepare(command):
    """The files that earlier commands of a guide have made."""
    for one in next((before for begins, before in BEFORE.items() if command.startswith(begins)), []):
        run(one)
    code = ""
    if Path("made/key.json").exists():
        shutil.copy("made/key.json", "key.json")
        code = json.loads(Path("key.json").read_text(encoding="utf-8"))["variants"][0]["code"]
    if command.startswith("scan made"):
        shutil.copy("made/all-papers.pdf", "scans.pdf")
    for name, content in MADE.items():
        if name.partition("/")[0] in command and not (name.startswith("class/") and command.startswith("scan ")):
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(content.replace("CODE", code), encoding="utf-8")


@pytest.fixture
def examples(folder, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def run(command):
    result = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
    assert result.exit_code in ((0, 1) if command.startswith(FINDING) else (0,)), result.output
    return result.stdout


def shown(document, command, expected):
    """The output stands in the document; with REGENERATE it is put there."""
    printed = run(command)
    if os.environ.get("REGENERATE"):
        head = f"<!-- output: attncalc {command} -->\n```\n"
        document.write_text(text(document).replace(f"{head}{expected}```", f"{head}{printed}```"), encoding="utf-8")
    else:
        assert printed == expected


def test_there_is_something_to_test():
    assert (
        len(EACH) >= 50
        and len(TUTORIALS) == 4
        and sum(len(OUTPUTS.findall(text(one))) for one in [*GUIDES, *TUTORIALS]) >= 4
    )


@pytest.mark.sweep(quick=2, ci=18)
@pytest.mark.parametrize("command", EACH)
def test_commands_run(examples, command):
    prepare(command)
    run(command)


@pytest.mark.parametrize(
    ("document", "command", "expected"), [(one, *found) for one in GUIDES for found in OUTPUTS.findall(text(one))]
)
def test_golden_outputs_are_what_is_printed(examples, document, command, expected):
    shown(document, command, expected)


@pytest.mark.parametrize("name", [name for name, content in ALL_FILES.items() if "\ngiven:" in content])
def test_example_files_solve(examples, name):
    run(f"solve {name}")


def test_the_first_problem_is_the_same_everywhere():
    first = (TOP / "problems" / "three-words-look-back.yaml").read_text(encoding="utf-8")
    assert dict(FILES.findall(text(TUTORIALS[-1])))["first.yaml"] == ALL_FILES["first.yaml"] == first
    assert ALL_FILES["answers.yaml"] == (TOP / "problems" / "answers" / "three-words-look-back.yaml").read_text(
        encoding="utf-8"
    )


@for_each("document", [*TOP.glob("*.md"), *(TOP / "docs").rglob("*.md")], ids=lambda one: str(one.relative_to(TOP)))
def test_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)\s]+)\)", text(document)):
        if not link.startswith(("http", "mailto:", "#")):
            assert (document.parent / link.partition("#")[0]).exists(), link


@for_each("name", NAMES)
def test_every_command_is_shown(name):
    shown = " ".join(text(one) for one in [*GUIDES, *TUTORIALS])
    assert f"attncalc {name}" in shown, "an example in a page of docs/how-to or docs/tutorials is required"


@pytest.mark.sweep(quick=0)
def test_programs_run_and_say_what_their_comments_say():
    names: dict[str, object] = {}
    for program in PROGRAMS.findall(text(TOP / "docs" / "how-to" / "python.md")):
        exec(program, names)
    assert names["z"].decimals(6)[0] == ["12.000000", "11.200000", "17.800000"]
    drawn = names["drawn"]
    assert (
        drawn.text.startswith("# attncalc generate self_attention --tokens 2")
        and "query-key-swapped" in drawn.separated
        and drawn.problem.parts
    )


@pytest.mark.sweep(quick=0)
def test_the_demonstration_shows_what_the_commands_print(examples):
    shown = run("demo")
    for command in re.findall(r"^\$ attncalc (.+)$", shown, re.M):
        assert run(command) in shown
    run("demo -o mine")
    assert {one.name for one in Path("mine").iterdir()} == {"first.yaml", "answers.yaml"}


def test_the_changes_of_a_release_are_few_and_short():
    releases = text(TOP / "CHANGELOG.md").split("\n## ")[1:]
    items = [re.findall(r"^- (.*(?:\n  .*)*)", release, re.M) for release in releases]
    assert all(1 <= len(each) <= 40 for each in items[1:])  # the unreleased ones are summed up with a release
    assert not [item for each in items for item in each if len(item.split()) > 25]


@for_each("reason", [each for each in Reason if each is not Reason.UNUSABLE])
def test_the_marking_scheme_lists_each_verdict_as_it_is_printed(reason):
    verdicts = text(TOP / "docs" / "points.md").partition("## Verdicts")[2].partition("\n## ")[0]
    assert re.sub(r"\{\w+\}", "…", REASON_SENTENCES[reason].replace("{why}", "")) in verdicts


PROSE = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]


@for_each(
    "document",
    [each for each in PROSE[1:] if each.name != "index.md" and "examples" not in each.parts],
    ids=lambda one: str(one.relative_to(TOP)),
)
def test_a_page_begins_with_what_it_is_for(document):
    assert re.match(r"# .+\n\n(This page (shows|states|explains) |(On|After) this page you )", text(document))
