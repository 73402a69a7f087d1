"""`--exact` writes closed forms in the problem file's own language: read back, they are the same numbers."""

import json

import pytest

from attncalc import solve
from attncalc.explain.closed_form_tree import closed_tree, compact_text
from attncalc.render import solution_json
from attncalc.render.solution_json import write
from tests.support.sweeps import for_each


@for_each(
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
        ("1 - sqrt(X + 1)/2", ["1 - sqrt(2)/2", "1 - sqrt(3)/2"]),
        ("exp(1) - exp(X + 1)", ["e - exp(2)", "e - exp(3)"]),
        ("-1 - exp(X)", ["-e - 1", "-exp(2) - 1"]),
        ("softmax(X)**2", None),
        ("exp(log(X + 1) / 3)", ["2**(1/3)", "3**(1/3)"]),
        ("exp(sqrt(2) * log(X + 1))", ["2**sqrt(2)", "3**sqrt(2)"]),
        ("exp(-log(softmax(X)) / 3)", ["(e + exp(2))**(1/3)*exp(-1/3)", "(e + exp(2))**(1/3)*exp(-2/3)"]),
        ("exp(-X) / X", ["exp(-1)", "exp(-2)/2"]),
        ("1 / (X * sqrt(X + 1) + pi)", None),
        ("pi**2 * X - 1", ["-1 + pi**2", "-1 + 2*pi**2"]),
        ("cos(X) * exp(X) * sin(1) / 7", None),
        ("sqrt(1 + sqrt(X + 1)) * -2 / 3", ["-2*sqrt(1 + sqrt(2))/3", "-2*sqrt(1 + sqrt(3))/3"]),
        ("X / (1 - exp(X))", None),
        ("X * (exp(X) + 1) / (exp(X) + 1)", ["1", "2"]),
        ("X / 3 - 1/2", ["-1/6", "1/6"]),
    ],
)
def test_closed_forms_read_back(formula, forms):
    solution = solve({"given": {"X": [[1, 2]]}, "steps": {"A": formula}})
    texts = [compact_text(closed_tree(solution["A"], 0, j)) for j in range(2)]
    assert forms is None or texts == forms
    for text, decimal in zip(texts, solution["A"].decimals(20)[0], strict=True):
        again = solve({"given": {"a": text}, "steps": {"B": "a" if "inf" in text else "a + 0"}})
        assert again["B"].decimals(20) == [[decimal]]


def test_roots_inside_roots_take_a_step_each():
    """Sixty of them: a form that wrote a part twice would never end."""
    steps = {"s0": "x + 0"} | {f"s{k}": f"sqrt(1 + s{k - 1})" for k in range(1, 60)}
    last = solve({"given": {"x": 2}, "steps": steps}).parts[0].steps[-1]
    assert compact_text(closed_tree(last, 0, 0)).startswith("sqrt(1 + sqrt(1 + ")


@pytest.mark.parametrize("most", [0, 1, 50, 700])
def test_law_the_closed_forms_of_json_share_one_number_of_parts(most, monkeypatch):
    """Entries get their forms in order, until all forms together have the most parts. The others are null."""
    rows = [[i + 2 * j for j in range(4)] for i in range(4)]
    solution = solve({"given": {"x_0": rows}, "steps": {"x": {"formula": "sin(x)", "repeat": 12}}})

    def forms():
        steps = json.loads(write(solution, solution.parts, None, exact=True))["parts"][0]["steps"]
        return [entry for step in steps for row in step["exact"] for entry in row]

    whole = forms()
    monkeypatch.setattr(solution_json, "MOST_CLOSED_PARTS", most)
    some = forms()
    found = next((k for k, (a, b) in enumerate(zip(whole, some, strict=True)) if a != b), len(whole))
    assert some[:found] == whole[:found] and bool(most) <= found <= most
    assert not any(some[-1:]) and forms() == some
