"""Lessons inside lessons: what is folded by default, what `--depth` and `--step` unfold, and under which names steps go
there.
"""

import io
import json
import re

import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from rich.console import Console

from attncalc import load, solve
from attncalc.cli import cli
from attncalc.explain.document import Formula, Grid, Matrices, Paragraph, Section
from attncalc.explain.solution_document import solution_document
from attncalc.formula.syntax_tree import unparse
from attncalc.render.terminal import write
from tests.support.pages import solved
from tests.support.sweeps import for_each

HEAD = "title: t\ngiven: {X: [[1, 2], [3, 4]], I: identity(2)}\nsteps:\n"
ONE = "  one: {self_attention: {X: X, W_Q: I, W_K: I, W_V: I}}\n"


def sections(doc, folded=None):
    return [b.title for b in doc.flat() if isinstance(b, Section) and folded in (None, b.folded)]


def formulas(doc):
    return {
        unparse(b.name): " = ".join(unparse(s.tree) for s in b.stages) for b in doc.flat() if isinstance(b, Formula)
    }


def training(depth=None):
    solution = solved("translate-two-words")
    return solution_document(solution, [solution.parts[0]], depth=depth)


def written(tmp_path, text, **how):
    path = tmp_path / "problem.yaml"
    path.write_text(text, encoding="utf-8")
    solution = solve(load(path))
    return solution_document(solution, solution.parts, **how)


def run(*words):
    result = CliRunner().invoke(cli, ["solve", *words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    ("depth", "folded", "unfolded"),
    [
        (1, ["source", "encoder", "target", "decoder"], []),
        (
            2,
            ["attention", "norm1", "ffn", "norm2", "masked", "norm1", "cross", "norm2", "ffn", "norm3"],
            ["source", "layer1", "target", "layer1"],
        ),
    ],
)
def test_depth_says_how_deep_lessons_are_unfolded(depth, folded, unfolded):
    doc = training(depth)
    assert [title.rpartition(".")[2] for title in sections(doc, True)] == folded
    assert [title.rpartition(".")[2] for title in sections(doc, False)] == unfolded


@pytest.mark.sweep(quick=0)
def test_the_deepest_depth_shows_every_step():
    solution = solved("translate-two-words")
    doc = training(9)
    assert not sections(doc, True)
    assert len([b for b in doc.flat() if isinstance(b, Formula)]) == len(solution.parts[0].steps)
    assert not [b for b in doc.flat() if isinstance(b, Paragraph) and b.role == "advice"]


def test_few_steps_are_not_folded_and_many_are(tmp_path):
    few = written(tmp_path, HEAD + ONE)
    assert sections(few, False) == ["one"]
    many = written(tmp_path, HEAD + "".join(ONE.replace("one", f"h{k}") for k in range(5)) + "  Y: h0.Z + h1.Z\n")
    assert sections(many, False) == []
    advice = next(b.text for b in many.flat() if isinstance(b, Paragraph) and b.role == "advice")
    assert advice == "35 of 36 steps are folded: --depth 2 unfolds one level, and --step h0 shows only that lesson."


def test_a_folded_lesson_is_its_result_and_goes_by_its_name():
    doc = training(1)
    assert formulas(doc)["logits"] == "decoder @ W_out"
    section = next(b for b in doc.flat() if isinstance(b, Section) and b.title == "decoder")
    (block,) = section.blocks
    assert isinstance(block, Matrices) and isinstance(block.items[0], Grid)
    result = solved("translate-two-words")["training"]["decoder.layer1.norm3.Y"].decimals(3)
    assert [[cell.text for cell in row] for row in block.items[0].cells] == result
    assert section.doc.endswith("(52 steps)")


@pytest.mark.sweep(quick=0)
def test_steps_go_by_short_names_inside_their_lesson():
    doc = training(9)
    told = formulas(doc)
    assert told["embedded"].startswith("lookup(E") and told["S_1"] == "Q_1 @ K_1.T"
    section = next(b for b in doc.flat() if isinstance(b, Section) and b.title == "decoder.layer1.cross")
    keys = next(b for b in section.blocks if isinstance(b, Formula) and unparse(b.name) == "K_1")
    assert unparse(keys.stages[0].tree).startswith("encoder.layer1.norm2.Y @")


def test_a_short_name_that_means_something_else_is_written_in_full(tmp_path):
    told = formulas(written(tmp_path, HEAD.replace("I:", "Q: [[5]], I:") + ONE))
    assert "one.Q" in told and "Q" not in told and told["S"] == "one.Q @ K.T"


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize("name", ["encoder.layer1.norm1", "training.encoder.layer1.norm1"])
def test_a_lesson_is_a_step_to_choose(name):
    data = json.loads(run("translate-two-words", "--part", "training", "--step", name, "--to", "json"))
    names = [step["name"] for step in data["parts"][0]["steps"]]
    assert names == [f"encoder.layer1.norm1.{step}" for step in ("sum", "mean", "var", "normed", "Y")]
    assert "▾ encoder.layer1.norm1" in run("translate-two-words", "--part", "training", "--step", name)


def test_json_holds_every_step_at_any_depth():
    way = ["decoder-layer-small", "--to", "json"]
    assert run(*way, "--depth", "1") == run(*way)


@for_each("depth", ["0", "-1", "x", "100", "1.5"])
def test_depth_is_a_whole_number(depth):
    result = CliRunner().invoke(cli, ["solve", "decoder-layer-small", "--depth", depth])
    assert result.exit_code == 2 and "whole number from 1 to 99" in result.output


@pytest.mark.sweep(quick=0)
def test_every_section_says_what_it_is_for():
    for problem in ("translate-two-words", "encoder-layer-small", "decoder-layer-small"):
        solution = solve(load(problem))
        for depth in (1, 2, 3):
            for block in solution_document(solution, solution.parts, depth=depth).flat():
                assert not isinstance(block, Section) or block.doc.partition(" (")[0]


@for_each("width", [40, 53, 60, 80, 97, 120], quick=1)
@for_each("depth", [2, 3])
def test_sections_stand_further_in_and_keep_to_the_width(depth, width):
    for encoding in ("utf-8", "ascii"):
        lines = printed(training(depth), width, encoding).splitlines()
        assert all(cell_len(line) <= width and line == line.rstrip() for line in lines)
        marks = "▾▸" if encoding == "utf-8" else "+-"
        starts = [
            len(line) - len(line.lstrip())
            for line in lines
            if re.match(rf" +[{marks}] (source|encoder\.layer1\.attention)(?:$|  )", line)
        ]
        assert starts == ([1, 3] if width > 41 else [1, 1])


def printed(doc, width, encoding):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    write(doc, Console(file=file, width=width, legacy_windows=False, color_system=None))
    return file.buffer.getvalue().decode(encoding)
