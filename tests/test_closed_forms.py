"""`--exact` writes closed forms in the problem file's own language: read back, they are the same numbers."""

import pytest

from attncalc import solve
from attncalc.arithmetic import closed


@pytest.mark.parametrize(
    ("formula", "forms"),
    [
        ("softmax(X)", ["e/(e + exp(2))", "exp(2)/(e + exp(2))"]),
        ("exp(1) * X", ["e", "2*e"]),
        ("exp(1/2) * X + pi", None),
        ("sqrt(X) / 3", ["1/3", "sqrt(2)/3"]),
        ("keep(X, causal(1, 2))", ["1", "-inf"]),
        ("log(X + 1)", ["log(2)", "log(3)"]),
        ("tanh(X) + erf(X)", None),
        ("sin(X) / (1 + exp(sqrt(X)))", None),
    ],
)
def test_closed_forms_read_back(formula, forms):
    solution = solve({"given": {"X": [[1, 2]]}, "steps": {"A": formula}})
    texts = [closed.text(x) for x in solution["A"].closed()[0]]
    assert forms is None or texts == forms
    for text, decimal in zip(texts, solution["A"].decimals(20)[0], strict=True):
        again = solve({"given": {"a": text}, "steps": {"B": "a" if "inf" in text else "a + 0"}})
        assert again["B"].decimals(20) == [[decimal]]
