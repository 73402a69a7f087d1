"""Computes what attncalc answers today: the marks of the kept scripts, and the digests of the pages."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS))

from tests.support.called import called  # noqa: E402

SCRIPTS, MARKS, PAGES = HERE / "scripts.jsonl.xz", HERE / "marks.txt", HERE / "pages.txt"
PROBLEMS = TESTS.parent / "problems"
FORMATS = ("terminal", "text", "json", "latex", "html", "markdown", "typst")
LESSONS = ("self_attention", "attention", "cross_attention", "multi_head_attention", "positional_encoding", "layer_norm",
           "add_norm", "feed_forward", "encoder_layer", "cross_entropy")  # fmt: skip
VARIANTS = 20
SHEET = r"""title: Frozen
variants: 2
seed: 2026
questions:
  - {generate: self_attention, with: {mask: causal}, points: 8}
  - {generate: layer_norm, points: 4}
  - {problem: three-words-look-back, points: 6}
  - {ask: 'Why is the score divided by $\sqrt{d_k}$?', free_text: true, points: 2}
"""


def kept_scripts() -> list[dict[str, str]]:
    """Return the kept scripts: a name, the problem file's text, the answer file's text and its ending."""
    return [json.loads(line) for line in lzma.decompress(SCRIPTS.read_bytes()).decode("utf-8").splitlines()]


def mark_line(script: dict[str, str]) -> str:
    """Return what `check` says of a script in one line: verdict, points, reason and causes of each step."""
    with tempfile.TemporaryDirectory() as folder:
        problem, answers = Path(folder, "problem.yaml"), Path(folder, f"answers.{script['ending']}")
        problem.write_text(script["problem"], encoding="utf-8")
        answers.write_text(script["answers"], encoding="utf-8")
        code, output, message = called("check", problem, answers, "--to", "json")
    if code == 2:
        return f"{script['name']} | not read: {_one_line(message.replace(folder, ''))}"
    report = json.loads(output)
    steps = (_step(part["name"], step) for part in report["parts"] for step in part["steps"])
    return f"{script['name']} | {report['marks']}/{report['out_of']} | {' | '.join(steps)}"


def _step(part: str | None, step: dict[str, Any]) -> str:
    causes = [mistake["code"] + (f"@{mistake['step']}" if mistake["step"] else "") for mistake in step["mistakes"]]
    name = f"{part}.{step['name']}" if part else step["name"]
    pieces = [name, step["verdict"], f"{step['marks']}/{step['out_of']}", ",".join(causes), _one_line(step["reason"])]
    return " ".join(filter(None, pieces))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def pages() -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Return a name, a function and its arguments for each page: bundled and generated problems, and an exam."""
    problems = sorted([*PROBLEMS.glob("*.yaml"), *PROBLEMS.glob("paths/steps/*.yaml")], key=lambda path: path.stem)
    return [
        *((f"solve {path.stem}", _solved, (path,)) for path in problems),
        *((f"generate {lesson}", _generated, (lesson,)) for lesson in LESSONS),
        ("exam", _exam, ()),
    ]


def page_lines(page: tuple[str, Callable[..., Any], tuple[Any, ...]]) -> list[str]:
    """Return a line for each text of a page: its name and its digest."""
    name, function, arguments = page
    return [f"{name} {what} {_digest(text)}" for what, text in function(*arguments)]


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def _solved(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the solution in each format, and its certificate."""
    text = path.read_bytes()
    for medium in FORMATS:
        yield medium, _output("solve", "-", "--to", medium, stdin=text)
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder, "certificate.json")
        _output("solve", "-", "--certificate", certificate, stdin=text)
        yield "certificate", certificate.read_bytes()
    code, picture, message = called("solve", "-", "--to", "svg", stdin=text)  # a problem without a matrix has none
    yield "svg", f"{code}\n{picture}\n{message}".encode()


def _output(*words: object, stdin: bytes = b"") -> bytes:
    """Return both streams of a command that succeeds."""
    code, output, message = called(*words, stdin=stdin)
    assert code == 0, (words, message)
    return f"{code}\n{output}\n{message}".encode()


def _generated(lesson: str) -> Iterator[tuple[str, bytes]]:
    for seed in range(VARIANTS):
        yield str(seed), _output("generate", lesson, "--seed", seed)


def _exam() -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        sheet, output = Path(folder, "sheet.yaml"), Path(folder, "out")
        sheet.write_text(SHEET, encoding="utf-8")
        code, _, message = called("exam", sheet, "-o", output, "--to", "latex", "--jobs", 1)
        assert code == 0, message
        for path in sorted(output.rglob("*")):
            if path.is_file():
                yield path.relative_to(output).as_posix(), path.read_bytes().replace(folder.encode(), b"")


def ordered_map(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield the results in order, computed on all processors."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("forkserver")) as pool:
        yield from pool.map(function, items, chunksize=8)
