"""Each limit of problem files: its message has the place, the limit, what was found and a remedy, and the page of
problem files lists it.
"""

import ast
import re
from pathlib import Path

import pytest

from attncalc import AttncalcError, limits, load, solve
from tests.support.called import called

PAGE = Path(__file__).parents[1] / "docs" / "problem-files.md"
CHAIN = "given: {x: 2}\nsteps: {y: x + " + "-" * 300 + "x}"
# By the name of a limit, a file that is beyond it
BEYOND = {
    "FILE": "#" * 1_000_001,
    "NODES": "given: {X: [" + "1," * 300_000 + "1]}",
    "NESTED_LISTS": "given: {X: " + "[" * 50 + "1" + "]" * 50 + "}",
    "PARTS": "parts:\n" + "".join(f"  p{k}: {{steps: {{y: 1}}}}\n" for k in range(201)),
    "STEPS": "steps:\n" + "".join(f"  y{k}: 1\n" for k in range(2_001)),
    "SECONDS": "steps: {a: 'identity(512) @ ones(512, 512)', y: 'a @ a @ a'}",
    "TURNS": "given: {y: 1}\nsteps: {y: {formula: y / 2, repeat: 101}}",
    "SIDE": "steps: {y: 'ones(4097, 1)'}",
    "ENTRIES": "steps: {y: 'ones(513, 512)'}",
    "INLINE": f"steps: {{y: [{', '.join(['1'] * 401)}]}}",
    "FORMULA": "steps: {y: " + "1+" * 2_000 + "1}",
    "BRACKETS": "steps: {y: " + "(" * 61 + "1" + ")" * 61 + "}",
    "CHAIN": CHAIN,
    "NESTED_OPERATIONS": "given: {X: [[1, 2], [3, 4]]}\nsteps: {y: " + "1 - 2 * sigmoid(" * 55 + "X" + ")" * 55 + "}",
    "OPERATIONS": "given: {X: [[1, 2], [3, 4]]}\nsteps: {y: " + "inverse(" * 9 + "X" + ")" * 9 + "}",
    "DIGITS": f"steps: {{y: {'1' * 1_001}}}",
    "EXPONENT": "steps: {y: 1e1001 + 1}",
    "WHOLE": "given: {v: [[1, 2]]}\nsteps: {y: 'roll(v, by=10 ** 1000)'}",
    "DECIMALS": "steps: {y: 'round(pi, 1001)'}",
    "PRINTED": "steps: {y: 10 ** 4001}",
    "BITS": "steps: {y: 'exp(1e3) - exp(1e3 + 1e-1000 * 1e-1000) + sin(2 ** 10 ** 6)'}",
    "QUESTIONS": "questions:\n" + "  - {problem: look-ahead-mask}\n" * 51,
    "DRAWN": "questions:\n  - one_of:\n" + "      - {problem: look-ahead-mask}\n" * 501,
    "ACCEPTED": "steps: {y: 1}\naccept: [" + "{y: 2}, " * 101 + "]",
    "CERTIFIED": "",  # no file in reach has so long a formula
}


def faults(path: Path) -> str:
    if "questions:" in Path(path).read_text(encoding="utf-8"):
        return called("stress", path, "-n", "2")[2]
    try:
        for part in solve(load(path)).parts:
            for step in part.steps:
                step.printed()
    except AttncalcError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [name for name, path in BEYOND.items() if path])
def test_a_message_about_a_limit_has_all_that_an_author_needs(name, tmp_path):
    path = tmp_path / "problem.yaml"
    path.write_text("title: t\n" + BEYOND[name], encoding="utf-8")
    limit, found = getattr(limits, name), faults(path)
    first = found.splitlines()[0]
    assert first.startswith(f"{path}:") and limit.remedy in first
    assert name == "BITS" or f"{limit}; found " in first
    assert name in ("FILE", "BITS") or first.removeprefix(f"{path}:")[0].isdigit()


def test_each_limit_has_a_file_beyond_it_and_a_row_in_the_page():
    assert {id(limit) for limit in limits.ALL} == {id(getattr(limits, name)) for name in BEYOND}
    assert limits.table() in PAGE.read_text(encoding="utf-8")


VAGUE = re.compile(r"\btoo (?:many|large|long|big|deep|deeply|much)\b")
RAISED = ("AttncalcError", "Bad", "FormulaError", "Diagnostic", "UsageError", "fault", "add")  # what makes a message


def test_law_no_message_says_too_much_without_the_limit():
    """A text that a message is made of has the limit and what was found, not only that something is too large."""
    vague = []
    for path in sorted((PAGE.parents[1] / "attncalc").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            for text in node.args[:1] if called in RAISED else ():
                has_number = any(isinstance(part, ast.FormattedValue) for part in ast.walk(text))
                words = [part.value for part in ast.walk(text) if isinstance(part, ast.Constant)]
                if not has_number and any(VAGUE.search(str(word)) for word in words):
                    vague.append(f"{path.name}:{node.lineno}: {words}")
    assert not vague
