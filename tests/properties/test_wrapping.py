"""A long formula is broken into lines in time proportional to its length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attncalc.render import wrap

TERMS = st.lists(
    st.sampled_from(["x", "12.5 +", "exp(3) ·", "[1, 2]", "− 7", "(a + b) /", "中文", "y"]), min_size=2, max_size=40
)


@given(TERMS, st.integers(20, 100), st.integers(50, 400))
def test_each_character_is_measured_a_few_times(terms, width, repeated):
    text, measured = " ".join(terms * repeated), []

    def cell_len(part):
        measured.append(len(part))
        return real(part)

    real, wrap.cell_len = wrap.cell_len, cell_len
    try:
        lines = wrap.pieces(text, width)
    finally:
        wrap.cell_len = real
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(real(line) <= width for line in lines)
    assert sum(measured) <= 20 * len(text) + 20 * width
