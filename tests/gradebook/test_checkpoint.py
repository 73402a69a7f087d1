"""`attncalc grade --resume FILE`: what an ended run has done is not done again, and the table is the one of a run that
went through.
"""

import json
import os
from dataclasses import fields

import pytest

from attncalc import AttncalcError
from attncalc import grade as graded
from attncalc.gradebook import script_grader as grading
from tests.gradebook.test_grade import PROBLEM, RIGHT_ANSWERS, UNSCALED, script
from tests.support.called import called

CLASS = {
    "a": RIGHT_ANSWERS,
    "b": UNSCALED,
    "c": {"S": RIGHT_ANSWERS["S"]},
    "d": {"S": [["1", "?", "1"], ["1", "1", "0"]]},
}
KEPT = "graded.jsonl"


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one-head.yaml").write_text(PROBLEM)
    (tmp_path / "scripts").mkdir()
    for name, answers in CLASS.items():
        (tmp_path / "scripts" / f"{name}.yaml").write_text(script(f"s-{name}", answers))
    (tmp_path / "scripts" / "e.yaml").write_bytes(b"\0")
    return tmp_path


@pytest.fixture
def marked(monkeypatch):
    """The names of the scripts that are marked, in this process."""
    names, grade = [], grading.Grader.grade

    def counted(self, task):
        names.append(task.name)
        return grade(self, task)

    monkeypatch.setattr(grading.Grader, "grade", counted)
    return names


def grade(*more, resume=True):
    return called("grade", "one-head.yaml", "scripts", *more, *(["--resume", KEPT] if resume else []))


PAGES = ("--feedback", "pages", "--force", "--to")


@pytest.mark.parametrize(
    "form",
    [(), (*PAGES, "markdown"), (*PAGES, "html"), pytest.param((*PAGES, "pdf"), marks=pytest.mark.slow)],
    ids=" ".join,
)
def test_what_is_kept_gives_the_same_table_and_pages(course, marked, form):
    def pages():
        return {file.name: file.read_bytes() for file in course.glob("pages/*")}

    straight, first = (*grade(*form, resume=False), pages()), (*grade(*form), pages())
    assert len(marked) == 10
    again = (*grade(*form), pages())
    assert straight == first == again and len(marked) == 10, "the second time nobody is marked"


def test_a_run_that_is_ended_goes_on(course, marked):
    def ended(rows, count):
        for k, row in enumerate(rows):
            if k == 2:
                raise KeyboardInterrupt
            yield row

    with pytest.raises(KeyboardInterrupt):
        graded("one-head.yaml", ["scripts"], resume=KEPT, watch=ended)
    assert marked == ["a", "b", "c"]
    with (course / KEPT).open("ab") as file:
        file.write(b'{"of": "and here the power fai')  # as a run may end anywhere in a line
    whole = grade(resume=False)
    marked.clear()
    assert grade() == whole and marked == ["d", "e"]


def test_only_what_changed_is_marked_again(course, marked):
    grade()
    marked.clear()
    (course / "scripts" / "b.yaml").write_text(script("s-b", RIGHT_ANSWERS))
    (course / "scripts" / "aa.yaml").write_text(script("s-aa", RIGHT_ANSWERS))
    _, out, _ = grade()
    assert marked == ["aa", "b"] and out == grade(resume=False)[1]


@pytest.mark.parametrize("change", ["key", "overrides", "scale"])
def test_with_another_key_everybody_is_marked_again(course, marked, change):
    grade()
    marked.clear()
    more = []
    if change == "key":
        (course / "one-head.yaml").write_text(PROBLEM.replace("A: 3", "A: 4"))
    elif change == "overrides":
        (course / "o.csv").write_text("student,step,marks\ns-b,A,3\n")
        more = ["--overrides", "o.csv"]
    else:
        (course / "s.yaml").write_text("scale: {A: 50 %, F: 0}\n")
        more = ["--scale", "s.yaml"]
    _, out, _ = grade(*more)
    assert sorted(marked) == [*"abcde"] and out == grade(*more, resume=False)[1]


@pytest.mark.parametrize("text", ["student,marks\na,7\n", "{}\n", "[" * 100_000 + "\n", "\0\n"])
def test_another_file_is_left_alone(course, text):
    (course / KEPT).write_text(text)
    code, out, err = grade()
    assert (code, out) == (
        2,
        "",
    ) and "expected a file that `attncalc grade --resume` wrote, found a different file" in err
    assert (course / KEPT).read_text() == text


def test_lines_that_no_run_wrote_are_not_used(course, marked):
    whole = grade()
    lines = (course / KEPT).read_text().splitlines()
    spoiled = []
    for line in lines[1:]:
        for one in fields(grading.GradedScript):
            data = json.loads(line)
            data["row"][one.name] = {"marks": {"S": "1e999999999"}, "student": 5, "feedback": 7}.get(
                one.name, {"x": [7]}
            )
            spoiled.append(json.dumps(data))
    (course / KEPT).write_text("\n".join([lines[0], *spoiled, "7", "{", '{"of": 1}', ""]))
    marked.clear()
    assert grade() == whole and marked == [*"abcde"]


def test_a_pipe_among_the_scripts_is_not_waited_for(course):
    os.mkfifo(course / "scripts" / "pipe.yaml")
    assert grade() == grade(resume=False)


def test_what_cannot_be_kept_is_said(course):
    code, out, err = grade("--feedback", "all.html")
    assert (code, out) == (2, "") and (
        "--resume: expected a folder for the pages, found one file for all pages (all.html)"
    ) in err
    (course / "folder").mkdir()
    code, _, err = called("grade", "one-head.yaml", "scripts", "--resume", "folder")
    assert code == 2 and "folder: expected a file, found a folder" in err
    with pytest.raises(AttncalcError, match="cannot be written"):
        graded("one-head.yaml", ["scripts"], resume=course / "none" / KEPT)
