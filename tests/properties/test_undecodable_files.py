"""Each file that a user names may hold any bytes: it is read, or a message names the file and describes what it holds."""

from __future__ import annotations

import re

import pytest

from tests.support.called import called

PROBLEM = b"given: {X: [[1, 2]]}\nsteps: {A: X * 0.5}\n"
ANSWERS = b"student: Ada\nanswers: {A: [[0.5, 1]]}\n"
SHEET = b"seed: 18446744073709551617\nstudents: students.csv\nwords: words.yaml\nquestions: [{problem: p.yaml}]\n"
FILES = {
    "p.yaml": PROBLEM,
    "answers.yaml": ANSWERS,
    "answers.md": b"Student: Ada\n\nA =\n0.5 1\n",
    "students.csv": b"number,name\n1,Ada\n",
    "words.yaml": b"name: Name\n",
    "sheet.yaml": SHEET,
    "scale.yaml": b"scale: {A: 90 %, F: 0}\n",
    "points.csv": b"student,step,marks,reason\nAda,A,1,yes\n",
    "points.yaml": b"- {student: Ada, step: A, marks: 1, reason: yes}\n",
    "progress.jsonl": b'{"kind": "attncalc grading", "format": 1}\n',
    "pasted.txt": b"X = np.array([[1, 2], [3, 4]])\n",
    "own/solution.html": b"<style>{% include 'style.css' %}</style>\n",
    "own/style.css": b"body { color: red }\n",
    "course.yaml": b"exercises: [p.yaml]\n",
}
GRADE = ("grade", "p.yaml", "answers.yaml", "-o", "points.out", "--force")
USES = {
    "p.yaml": ("solve", "p.yaml"),
    "answers.yaml": GRADE,
    "answers.md": ("check", "p.yaml", "answers.md"),
    "students.csv": ("exam", "sheet.yaml"),
    "words.yaml": ("exam", "sheet.yaml"),
    "sheet.yaml": ("exam", "sheet.yaml"),
    "scale.yaml": (*GRADE, "--scale", "scale.yaml"),
    "points.csv": (*GRADE, "--overrides", "points.csv"),
    "points.yaml": (*GRADE, "--overrides", "points.yaml"),
    "progress.jsonl": (*GRADE, "--resume", "progress.jsonl"),
    "pasted.txt": ("new", "--from", "pasted.txt"),
    "own/solution.html": ("solve", "p.yaml", "--template", "own", "-o", "page.html", "--force"),
    "own/style.css": ("solve", "p.yaml", "--template", "own", "-o", "page.html", "--force"),
}
ALTERED = {
    "as it is": lambda data: data,
    "a mark of byte order, and a letter cut at the end": lambda data: b"\xef\xbb\xbf" + data + b"# \xc3",
    "a mark of byte order, and half a letter inside": lambda data: (
        b"\xef\xbb\xbf" + data[:9] + b"\xc3\xa9\xc3\xa9\xc4" + data[9:]
    ),
    "an older encoding": lambda data: data.rstrip() + b" caf\xe9\n",
    "UTF-16 without its last byte": lambda data: data.decode().encode("utf-16")[:-1],
    "UTF-32": lambda data: data.decode().encode("utf-32"),
    "a NUL": lambda data: data[:5] + b"\0" + data[5:],
    "half of a pair": lambda data: data + b"\xed\xa0\x80",
    "only bytes that no text has": lambda data: b"\xff\xfe\xff" * 50,
    "nothing": lambda data: b"",
}
PYTHON = re.compile(r"Traceback|\b\w+Error\b|codec|0x[0-9a-f]{2}\b|has failed")


@pytest.mark.sweep(quick=16)
@pytest.mark.parametrize("altered", ALTERED)
@pytest.mark.parametrize("name", USES)
def test_law_any_bytes_in_a_file_are_read_or_described(name, altered, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    for file, data in FILES.items():
        (tmp_path / file).write_bytes(ALTERED[altered](data) if file == name else data)
    monkeypatch.chdir(tmp_path)
    code, _, messages = called(*USES[name])
    assert code in (0, 1, 2) and not PYTHON.search(messages)
    assert code == 0 if altered == "as it is" else code < 2 or name in messages
