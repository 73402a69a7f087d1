"""Bundled problems spoiled as a slip of the keyboard spoils them: each is solved or refused with its faults, soon, and
nothing else happens.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.lessons.small_problems import CASES
from attncalc.resources import problem_file, problem_names
from tests.support.called import called

SPOILED = 12  # times that each problem is
SECONDS = 10.0
SIGNS = ":[]{},\"'@*()+-#\t ?|>&!%_"
ODD = (
    "1e999999999", "1e-999999999", "nan", "1/0", "∞", "-inf", "[[", "0x10", "1_000", "true", "null", "~", "*a", "&a", "{}", "[]", '""',
    "!!python/object:os.system", "X", "X[0]", "X[99]", "X.T", "_k", "sqrt(-1)", "ln(0)", "causal", "none", "-1", "0", "3.5", "1e5",
    "softmax(X)", "[[1,2],[3]]", "ones(2,2)", "eye(3)", "1/3", "S", "Q@K", "½", "٣", "1,5", "2 × 2", "X**X", "inf*0", "arange(0,5)",
)  # fmt: skip


def words(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"[-\w./]+", text))


def odd_word(text: str, rng: random.Random) -> str:
    word = rng.choice(words(text))
    return text[: word.start()] + rng.choice(ODD) + text[word.end() :]


def another_word(text: str, rng: random.Random) -> str:
    word, other = rng.choice(words(text)), rng.choice(words(text))
    return text[: word.start()] + other.group() + text[word.end() :]


def line_gone(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def line_again(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return "\n".join(lines)


def line_moved_in(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = "  " * rng.randrange(3) + lines[at].strip()
    return "\n".join(lines)


def sign_gone(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at + 1 :]


def sign_more(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    return text[:at] + rng.choice(SIGNS) + text[at:]


SLIPS: list[Callable[[str, random.Random], str]] = [
    odd_word, odd_word, another_word, line_gone, line_again, line_moved_in, sign_gone, sign_more,
]  # fmt: skip


@pytest.mark.sweep(quick=4, ci=20)
@pytest.mark.parametrize("name", problem_names())
def test_a_spoiled_problem_is_solved_or_refused(name, tmp_path):
    whole, path, rng = (
        Path(problem_file(name)).read_text(encoding="utf-8"),
        tmp_path / "spoiled.yaml",
        random.Random(name),
    )
    for _ in range(SPOILED):
        text = whole
        for _ in range(rng.choice((1, 1, 2, 3))):
            text = rng.choice(SLIPS)(text, rng)
        path.write_text(text, encoding="utf-8")
        start = process_time()
        try:
            for part in solve(load(path)).parts:
                for result in part.steps:
                    result.printed()
        except AttncalcError as error:
            assert all(fault.message for fault in error.faults), text
        assert process_time() - start < SECONDS, text


HUGE = ("1e400", "-1e400", "1e-400", "1e1000", "-1e1000")


def with_huge_entries(lesson: str) -> Iterator[str]:
    """Yield the small problem of a lesson with a huge or tiny number in each of its givens in turn."""
    rng, (givens, arguments) = random.Random(lesson), CASES[lesson]
    for name in givens:
        spoiled = json.loads(json.dumps(givens))
        rows = spoiled[name] if isinstance(spoiled[name], list) else [spoiled[name]]
        row = rng.choice(rows) if isinstance(rows[0], list) else rows
        row[rng.randrange(len(row))] = rng.choice(HUGE)
        yield json.dumps({"title": "t", "given": spoiled | {name: rows}, lesson: arguments})


@pytest.mark.sweep(quick=5, ci=8)
@pytest.mark.parametrize("lesson", [lesson for lesson, (givens, _) in CASES.items() if givens])
def test_a_lesson_with_a_huge_number_is_solved_or_refused(lesson, tmp_path):
    for text in with_huge_entries(lesson):
        (tmp_path / "huge.yaml").write_text(text, encoding="utf-8")
        code, out, err = called("solve", tmp_path / "huge.yaml")
        assert code in (0, 2) and (out or err) and "has an internal error" not in err, text
