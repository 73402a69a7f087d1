"""PyTorch's normalisations of each row: the length of a row is an argument of theirs and not the factor of ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load, solve

ROWS = st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=3)


@pytest.mark.parametrize("prefix", ["F", "torch.nn.functional"])
@pytest.mark.parametrize("name, eps", [("layer_norm", "1e-5"), ("rms_norm", "1e-5")])
@pytest.mark.parametrize("shape", ["3", "[3]"])
@given(rows=ROWS, gamma=st.lists(st.integers(-3, 3), min_size=3, max_size=3))
def test_the_length_of_a_row_changes_no_number(prefix, name, eps, shape, rows, gamma):
    steps = {
        "theirs": f"{prefix}.{name}(X, {shape}, eps={eps})",
        "ours": f"{name}(X, eps={eps})",
        "their_gamma": f"{prefix}.{name}(X, {shape}, g, eps={eps})",
        "our_gamma": f"{name}(X, g, eps={eps})",
    }
    part = solve(load({"given": {"X": rows, "g": [gamma]}, "steps": steps})).parts[0]
    assert part["theirs"].decimals(8) == part["ours"].decimals(8)
    assert part["their_gamma"].decimals(8) == part["our_gamma"].decimals(8)
