"""Exercises of R/exams read and turned into Moodle's by R/exams itself, where it is installed."""

import subprocess
from xml.etree import ElementTree as ET

import pytest

from attncalc.lms.quiz_export import write
from tests.lms.test_quizzes import HOSTILE, hostile, key_of, loaded, quiz
from tests.lms.test_writers import MORE_HOSTILE, PROBLEMS, made
from tests.support.course_readers import cloze

PROGRAM = """
if (!all(sapply(c("exams", "knitr", "rmarkdown"), requireNamespace, quietly = TRUE))) quit(status = 77)
suppressMessages(library("exams"))
options(warn = 1)
for (file in list.files(pattern = "[.]Rmd$")) {
  set.seed(1)
  exams2moodle(file, n = 1, name = sub("[.]Rmd$", "", file), dir = "out", verbose = FALSE)
}
"""


@pytest.mark.slow
@pytest.mark.needs("Rscript", "pandoc")
def test_r_exams_makes_the_same_quiz(tmp_path):
    """Every field is there with the key as its answer, words stay words, and nothing is run."""
    words = [*HOSTILE[:6], *MORE_HOSTILE[:8]]
    problems = {
        **{name: loaded(name) for name in PROBLEMS},
        **{f"word{k}": hostile(word) for k, word in enumerate(words)},
    }
    for name, problem in problems.items():
        content, _ = write("rexams", [made(name) if name in PROBLEMS else quiz(problem)])
        (tmp_path / f"{name}.Rmd").write_text(content, encoding="utf-8")
    done = subprocess.run(["Rscript", "-e", PROGRAM], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        pytest.skip("the R packages exams, knitr and rmarkdown are not installed")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "placeholders" not in done.stderr + done.stdout
    for name, problem in problems.items():
        (text,) = (
            one.text for one in ET.parse(tmp_path / "out" / f"{name}.xml").iterfind("question/questiontext/text")
        )
        blanks, around = cloze(text.strip())
        key = [x for part in key_of(problem) for x in part]
        assert len(blanks) == len(key), name
        assert all(blank.marks(x)[0] == 1 for blank, x in zip(blanks, key)), name
        assert "##" not in around, name
    for k, word in enumerate(words):
        assert "<script" not in (tmp_path / "out" / f"word{k}.xml").read_text(encoding="utf-8"), word
