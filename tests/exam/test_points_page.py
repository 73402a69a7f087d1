"""The page with the costs of mistakes says what marking takes, in each language."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction

import pytest

from attncalc import check, load, solve
from attncalc.exam.paper import COST_KINDS, points_document
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.translations import words_of
from attncalc.explain.document import Heading, Paragraph, Table
from attncalc.formula.syntax_tree import Name
from attncalc.marking.credit import Reason
from tests.support.called import called

SHEET = """
title: Quiz
language: {language}
decimal_comma: {comma}
variants: 1
seed: points
round: 1/2
rounding: {{digits: 3}}
rubric: {{method: {method}, mistakes: {{scale-forgotten: {left}}}}}
accept: [scale-without-root]
questions:
  - {{generate: self_attention, with: {{mask: causal}}, points: 10, asked: [S, S_scaled, S_masked, A, Z]}}
  - {{free_text: true, ask: Why?, points: 2}}
"""


@pytest.fixture(scope="module")
def exams(tmp_path_factory):
    """The folder and the sheet of an exam, by language, share for the method and share after a mistake."""

    def made(language, method, left):
        folder = tmp_path_factory.mktemp("exam")
        comma = str(language == "de").lower()
        (folder / "quiz.yaml").write_text(SHEET.format(language=language, comma=comma, method=method, left=left))
        assert called("exam", folder / "quiz.yaml", "-o", folder / "out", "--to", "pdf", "--to", "latex")[0] == 0
        key = json.loads((folder / "out/key.json").read_text())
        (folder / "problem.yaml").write_text(key["variants"][0]["problem"])
        sheet = read_sheet((folder / "quiz.yaml").read_bytes(), "quiz.yaml")
        problem = load(folder / "problem.yaml")
        return folder / "out", problem, points_document(sheet, [(problem, tuple(key["variants"][0]["own"]))])

    return made


def texts(document):
    for block in document.blocks:
        if isinstance(block, Heading | Paragraph):
            yield block.text
        else:
            yield from block.heads
            yield from (entry for row in block.rows for entry in row if isinstance(entry, str))


def scripts(problem):
    """Yield a right script, and scripts with one kind of mistake in one step."""
    steps = {step.name: step.decimals(3) for step in solve(problem).parts[0].steps}
    steps = {f"q1.{name}": rows for name, rows in steps.items()}
    yield steps
    for name, rows in steps.items():
        off = [[str(Decimal(text.replace("−", "-")) + Decimal((i, j) == (0, 0)) / 1000) for j, text in enumerate(row)]
               for i, row in enumerate(rows)]  # fmt: skip
        yield steps | {name: off}
        yield steps | {
            name: [[text.removesuffix("00") if "inf" in text else text[:-2] for text in row] for row in rows]
        }
        yield steps | {name: [["0.123" if (i, j) == (0, 0) else text for j, text in enumerate(row)]
                              for i, row in enumerate(rows)]}  # fmt: skip
        yield {other: steps[other] for other in steps if other != name}
    next_seen = [[steps["q1.S_scaled"][i][j] if j == i + 1 else text for j, text in enumerate(row)]
                 for i, row in enumerate(steps["q1.S_masked"])]  # fmt: skip
    yield steps | {"q1.S_masked": next_seen}
    yield {"q1.S": steps["q1.S"], "q1.S_scaled": steps["q1.S"]}


@pytest.mark.parametrize(("method", "left"), [("3/4", "1/3"), ("1/2", "1/4")])
def test_marking_takes_what_the_page_lists(exams, method, left):
    _, problem, document = exams("en", method, left)
    costs = {row[0]: Fraction(row[1].removesuffix(" %")) / 100 for row in document.blocks[1].rows}
    sentences = {reason: words_of("en")[f"cost_{reason}"] for reason in COST_KINDS} | {
        Reason.RUBRIC: next(kind for kind in costs if kind.startswith("scale-forgotten: "))
    }
    worth, seen = {name: Fraction(worth) for _, (name,), worth, *_ in rows_of_steps(document)}, set()
    for script in scripts(problem):
        for step in check(problem, script).steps:
            reasons = [because.reason for because in step.mark.reasons]
            if step.mark.out_of and len(reasons) == 1 and reasons[0] in sentences:
                seen.add(reasons[0])
                lost = 1 - step.mark.earned / step.mark.out_of
                assert abs(lost - costs[sentences[reasons[0]]]) < Fraction(1, 10_000), (reasons, step.step.name)
            if step.mark.out_of:
                assert step.mark.out_of == worth[Name(step.step.name)]
    assert seen >= {Reason.MOSTLY, Reason.SLIP, Reason.TOO_COARSE, Reason.RUBRIC}, seen


def rows_of_steps(document):
    return [
        row for block in document.blocks if isinstance(block, Table) for row in block.rows if isinstance(row[1], tuple)
    ]


def test_the_page_is_written_beside_the_key_and_is_german_for_a_german_sheet(exams):
    (english_folder, _, english), (folder, _, german) = (exams(language, "3/4", "1/3") for language in ("en", "de"))
    for out in (english_folder, folder):
        assert (out / "points.pdf").read_bytes().startswith(b"%PDF") and (out / "points.tex").stat().st_size
    assert "kaufmännisch auf ein Vielfaches von 0,5" in " ".join(texts(german))
    same = [a for a, b in zip(texts(english), texts(german), strict=True) if a == b]
    assert not [text for text in same if re.search(r"[a-z]{3,}", text)]
