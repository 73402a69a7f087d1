"""What the tests of pages share: solved problems as pages, hostile words, golden files."""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from attncalc import load, solve
from attncalc.cli import main
from attncalc.explain.solution_document import solution_document
from tests.support.second_reader import given, worked_out
from tests.support.verified import wrong

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
# A kind of lesson each: the file's name, the problem, its part, how it is explained.
SHOWN = {
    "masked-attention": ("look-ahead-mask", None, "steps"),
    "attention-brief": ("self-attention-numerical", None, "brief"),
    "softmax-full": ({"title": "Two scores",
                      "given": {"S": {"rows": ["a"], "columns": ["x", "y"], "values": [["sqrt(2)", 0]]}},
                      "steps": {"A": "softmax(S)"}}, None, "full"),
    "layer-norm": ("layer-norm-by-hand", "population", "steps"),
    "positions": ("position-table-three-words", None, "steps"),
    "rotary": ("rotary-positions", None, "brief"),
    "feed-forward": ("feed-forward-network", None, "steps"),
    "loss": ("cross-entropy-loss", None, "steps"),
    "heads-joined": ("two-heads-joined", "joining", "steps"),
    "folded": ("translate-two-words", "decoding", "steps"),
}  # fmt: skip
HOSTILE = [
    r"\input{/etc/passwd}", "$x$", "#1", "#panic(1)", '"); #panic(2)', "]", "100 %", "a & b", "~^_{}",
    "<script>alert(1)</script>", "*bold*", "_it_", "a|b", "`code`", "```math", "$`x`$", "[a](b)", "![i](j)", "@user",
    "- item", "1. one", "# head", "> quote", "===", "a\\", "\\",
    "猫が", "🙂👍", "ß, é", "https://example.org", "&lt;", "{{ 7 * 7 }}", "<< 7 * 7 >>", "(((7)))", "{% raw %}", "//",
    "/* c", "\x1b[31m", "a\nb",
]  # fmt: skip


def solved(problem, paper=False):
    """A problem's solution; one that is named is worked out once."""
    return _of_name(problem, paper) if isinstance(problem, str) else solve(load(problem), paper=paper)


@lru_cache(maxsize=48)
def _of_name(name: str, paper: bool):
    return solve(load(name), paper=paper)


def document(problem, part=None, explain="steps", **way):
    solution = solved(problem)
    parts = [one for one in solution.parts if part is None or one.name == part]
    return solution_document(solution, parts, explain=explain, **way)


def page(medium, problem, part=None, explain="steps", **how):
    return import_module(f"attncalc.render.{medium}").write(document(problem, part, explain), **how)


def hostile():
    """A problem whose every text is hostile: titles, questions, parts, labels, which stand beside matrices and in
    worked entries.
    """
    n = len(HOSTILE)
    given = {"X": {"rows": HOSTILE, "columns": ["x$#", "|y`"], "values": [[i, 1] for i in range(n)]}}
    few = {
        "Y": {"rows": HOSTILE[:6], "columns": HOSTILE[6:10], "values": [[i + j for j in range(4)] for i in range(6)]}
    }
    texts = {"title": " ".join(HOSTILE), "source": " ".join(HOSTILE[::-1]), "note": "\n".join(HOSTILE)}
    return {**texts, "parts": {"one": {"ask": HOSTILE[4], "given": given, "steps": {"A": "softmax(X @ X.T / 50)"}},
                               "two": {"ask": "#panic()", "given": few, "steps": {"Z": "Y / 3"}}}}  # fmt: skip


# -- golden files ------------------------------------------------------------------------------------------------------


def golden(medium: str, name: str, ending: str, text: str, problem, script=None) -> None:
    """Compares with a golden file; where REGENERATE is set, writes it anew if a second reader finds the
    same numbers.
    """
    path = GOLDEN / medium / f"{name}{ending}"
    if os.environ.get("REGENERATE"):
        known = numbers(problem) if script is None else reported(problem, script)
        assert not wrong(text, ending, known, script is not None), "a second reader finds other numbers"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def numbers(problem, digits=None):
    """Every given and step of a problem by its name, as the second reader works them out; on paper with so
    many digits.
    """
    if isinstance(problem, dict):
        return _numbers(problem, problem, digits)
    path = ROOT / problem if problem.endswith(".yaml") else ROOT / "problems" / f"{problem}.yaml"
    return _of_file(path, digits)


@cache
def _of_file(path, digits):
    return _numbers(path, yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader), digits)


def _numbers(problem, data, digits):
    parts = solve(load(problem)).parts
    plan = {
        "parts": [
            {"name": one.name, "steps": [{"name": step.name, "formula": step.formula} for step in one.steps]}
            for one in parts
        ]
    }
    found, unread = worked_out(data, plan, digits)
    assert not unread
    return found


def reported(problem, script):
    """What is right in a report, by its second reader, and what was typed; parts go by their titles."""
    parts = problem.get("parts", {})
    titles = {name: one.get("title", name) for name, one in parts.items()}
    typed = script["answers"] if parts else {None: script["answers"]}
    known = {
        f"right.{titles.get(name.partition('.')[0], '')}.{name.partition('.')[2]}": x
        for name, x in numbers(problem).items()
    }
    return known | {
        f"yours.{titles.get(part, '')}.{step}": given(x) for part, steps in typed.items() for step, x in steps.items()
    }


def typed(argv, monkeypatch, capfdbinary, code=0):
    """Standard output of a command line, or the lines on standard error of one that is refused."""
    monkeypatch.setattr(sys, "argv", ["attncalc", *map(str, argv)])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capfdbinary.readouterr()
    assert (ended.value.code or 0) == code, err
    assert b"Traceback" not in err
    return err.decode().splitlines() if code == 2 else out
