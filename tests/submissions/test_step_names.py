"""Names of steps as LaTeX and keyboards have them: Greek letters, primes and accents."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

GIVEN = {"X": [[1, -2], [0, 3]]}
MATRIX = [["0.25", "-0.5"], ["0", "0.75"]]
FORMS = {
    "text": "[[0.25, -0.5], [0, 0.75]]", "rows": "\n0.25 -0.5\n0 0.75",
    "latex": "\\begin{pmatrix} 0.25 & -0.5 \\\\ 0 & 0.75 \\end{pmatrix}",
}  # fmt: skip
WAYS = {
    "α": ("α", "\\alpha", "alpha"), "λ": ("λ", "lambda", "\\lambda"), "Γ": ("Γ", "\\Gamma", "Gamma"),
    "alpha": ("alpha", "\\alpha", "α"), "β_1": ("\\beta_1", "\\beta_{1}", "beta_1", "β_1"), "W_φ": ("W_\\varphi", "W_{\\phi}", "W_phi"),
    "A'": ("A'", "A′", "A’", "A^\\prime", "A^{\\prime}"), "A''": ("A''", "A^{\\prime\\prime}", "A′′"), "S_1'": ("S_1'", "S_{1}'", "S_1^\\prime"),
    "z_hat": ("z_hat", "\\hat{z}", "\\hat z", "\\hat{\\mathbf{z}}", "\\mathbf{\\hat{z}}", "\\widehat{z}"), "x_bar": ("\\bar{x}", "x\\_bar"),
    "β_hat": ("\\hat{\\beta}", "\\hat\\beta"), "y_tilde": ("\\tilde{y}", "\\widetilde{y}"),
}  # fmt: skip
OTHERS = {
    "A": ("A'", "A^\\prime"),
    "z": ("\\hat{z}", "z'"),
    "α": ("\\beta", "α'", "\\hat{\\alpha}"),
    "β": ("beta_1", "\\bar\\beta"),
}


def bound_of(step: str, text: str, source: str = "a.md"):
    problem = load({"given": GIVEN, "steps": {step: "X / 4", "Q": "X @ X"}})
    return bind(read(text, source, lenient=True), problem, lenient=True)


@for_each(
    "layout",
    ["{} = {}", "${} = {}$", "\\[ {} = {} \\]", "So {} = {}", "1. {} = {}", "**{}** = {}", "{}: {}"],
    quick=60,
    ci=120,
)
@for_each("form", FORMS)
@for_each(("step", "name"), [(step, name) for step, names in WAYS.items() for name in names])
def test_law_a_name_of_latex_is_the_name_of_the_step(step, name, form, layout):
    if form == "rows" and layout not in ("{} = {}", "{}: {}"):
        return
    text = f"Q = [[1, -8], [0, 9]]\n\n{layout.format(name, FORMS[form])}\n"
    bound = bound_of(step, text)
    assert not bound.unread, text
    cells = {at: typed.text for at, typed in bound.find(step).cells.items()}
    assert cells == {(i, j): entry for i, row in enumerate(MATRIX) for j, entry in enumerate(row)}, text


@for_each("value", ["0.25", "[[0.25, -0.5], [0, 0.75]]"])
@for_each(("step", "name"), [(step, name) for step, names in OTHERS.items() for name in names])
def test_law_another_accent_is_another_step(step, name, value):
    bound = bound_of(step, f"Q = [[1, -8], [0, 9]]\n\n${name} = {value}$\n")
    assert bound.find(step) is None and (bound.unread or bound.left)


@for_each("name", ["c_hat", "\\hat{c}", "c'", "new_c", "c_2"])
def test_law_a_number_whose_name_is_like_that_of_an_open_step_is_reported(name):
    problem = load({"given": GIVEN, "steps": {"c": "sum(X) / 4", "Q": "X @ X"}})
    bound = bind(read(f"Q = [[1, -8], [0, 9]]\n\n{name} = 0.5\n", "a.md", lenient=True), problem, lenient=True)
    assert bound.find("c") is None and (bound.left or bound.unread)
    other = bind(read("Q = [[1, -8], [0, 9]]\n\nd = 3\nX = [[1, -2], [0, 3]]\n", "a.md"), problem)
    assert not other.unread


@for_each("name", ["A'", "α", "\\alpha", "A^\\prime"])
def test_the_entries_of_such_a_step_have_its_name(name):
    step = "A'" if "A" in name else "α"
    bound = bound_of(step, "\n".join(f"{name}[{i}, {j}] = {MATRIX[i][j]}" for i in (0, 1) for j in (0, 1)))
    assert bound.find(step).kind == "whole" and not bound.unread


@for_each("text", ["c's value is 0.57", "'c' is 0.57", "the value of c' is 0.57", "c′ 0.57"])
def test_a_name_in_a_sentence_is_reported_with_and_without_its_prime(text):
    for step in ("c", *(["c'"] if "c'" in text.replace("′", "'") and "c's" not in text else [])):
        problem = load({"given": GIVEN, "steps": {step: "sum(X) / 4"}})
        bound = bind(read(f"{text}\n\nQ = [[1]]\n", "a.md", lenient=True), problem, lenient=True)
        assert {piece.step for piece in bound.unread} >= {step}, step
