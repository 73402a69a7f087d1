"""The pattern of a mistake for tokens as columns has the transposed value."""

from __future__ import annotations

import pytest

from attncalc import load, solve
from attncalc.formula.functions import functions
from attncalc.formula.parser import read
from attncalc.formula.syntax_tree import unparse
from attncalc.mistakes.tree_rewriting import mirror

A = [[1, 2, 0], [4, 1, 3]]
CALLS = [
    *(f"{name}(A)" for name in sorted(functions()) if name.startswith(("row_", "col_"))),
    "softmax(A)", "hstack(A, A)", "vstack(A, A)", "A @ A.T", "A / row_sum(A)",
]  # fmt: skip


@pytest.mark.parametrize("text", CALLS)
def test_law_a_mirrored_formula_has_the_transposed_value(text):
    mirrored = unparse(mirror(read(text))).replace("softmax_cols(A)", 'softmax(A, axis="columns")')
    upright = solve(load({"given": {"A": A}, "steps": {"Y": text}}))["Y"].decimals(6)
    turned = solve(load({"given": {"A": [*zip(*A, strict=True)]}, "steps": {"Y": mirrored}}))["Y"].decimals(6)
    assert turned == [list(row) for row in zip(*upright, strict=True)]
    assert mirror(mirror(read(text))) == read(text)
