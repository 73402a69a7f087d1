"""Long solutions in the terminal: steps like earlier ones are short, and no matrix is lost."""

from __future__ import annotations

from functools import cache

import pytest

from attncalc.explain.document import Formula, Grid, Matrices, Section
from attncalc.explain.outline import FEW
from attncalc.explain.solution_document import solution_document
from attncalc.formula.syntax_tree import Transpose, unparse
from attncalc.render.terminal import lines
from attncalc.render.terminal.compaction import Short, compact
from attncalc.render.terminal.styled_text import PRETTY, plain
from tests.support.pages import solved


@cache
def document(name, **way):
    solution = solved(name)
    return solution_document(solution, solution.parts, **way)


def every(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from every(block.blocks)


def matrices(blocks):
    """The matrices by their names and numbers, a transposed one as what it is made of."""
    for block in every(blocks):
        for grid in block.grids if isinstance(block, Short) else block.items if isinstance(block, Matrices) else ():
            if isinstance(grid, Grid) and not isinstance(grid.name, Transpose):
                yield unparse(grid.name), tuple(tuple(cell.text for cell in row) for row in grid.cells)


@pytest.mark.parametrize("name", ["encoder-layer-small", "order-of-the-tokens"])
def test_no_matrix_and_no_formula_is_lost(name):
    whole = document(name)
    blocks = compact(whole)
    assert any(isinstance(block, Short) for block in every(blocks))
    numbers = {cells for _, cells in matrices(blocks)}
    lost = {(step, cells) for step, cells in matrices(whole.blocks) if cells not in numbers}
    assert not lost
    formulas = [unparse(block.name) for block in whole.flat() if isinstance(block, Formula)]
    kept = []
    for block in every(blocks):
        kept += [
            unparse(one.name)
            for one in (block.formulas if isinstance(block, Short) else [block] if isinstance(block, Formula) else [])
        ]
    assert kept == formulas


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("width", "most"), [(80, 270), (100, 245), (120, 225)])
def test_two_encoder_layers_fit_some_screens(width, most):
    found = lines(document("encoder-layer-small"), width, PRETTY)
    assert len(found) <= most and max(len(plain(line)) for _, line in found) <= width


@pytest.mark.sweep(quick=0)
def test_short_solutions_and_full_ones_are_left_alone():
    short, full = document("look-ahead-mask"), document("order-of-the-tokens", explain="full")
    assert compact(short) == short.blocks and compact(full) == full.blocks
    assert sum(isinstance(block, Formula) for block in short.flat()) <= FEW
