"""`attncalc new`: a blank form of every lesson, and matrices as programs and pages write them, become files that can be
worked out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from attncalc import AttncalcError, load
from attncalc.generator.lesson_recipes import RECIPES, drawn_lessons
from attncalc.generator.problem_template import new
from attncalc.lessons import LESSONS
from attncalc.problem.loader import read_problem
from tests.support.called import called
from tests.support.sweeps import for_each


@for_each("lesson", [*RECIPES, *drawn_lessons()], quick=20, ci=True)
def test_the_blank_form_of_a_lesson_can_be_worked_out(lesson):
    text = new(lesson)
    problem = read_problem(text, "p.yaml", "p")
    assert lesson in problem.plan.parts[0].lessons.values() and problem.draws is not None
    assert all(f"{option.name}:" in text for option in LESSONS[lesson].options)


PASTED = {
    "numpy": "import numpy as np\nQ = np.array([[1, 0.5], [0, 1.]])\nK = np.array([[1, 2], [3, 4]])\nV = np.array([[1, "
             "2], [3, 4]])\n",
    "torch": "Q = torch.tensor([[1., 0.5], [0., 1.]])\nK = torch.tensor([[1, 2], [3, 4]])\nV = torch.tensor([[1, 2], "
             "[3, 4]])\n",
    "latex": "$Q = \\begin{pmatrix} 1 & 0.5 \\\\ 0 & "
             "1\\end{pmatrix}$\n\n$K=\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}$\n\n"
             "$V=\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}$\n",
    "markdown": "Q:\n\n| | a | b |\n|---|---|---|\n| the | 1 | 0.5 |\n| cat | 0 | 1 |\n\nK = [[1, 2], [3, 4]]\n\nV = "
                "[[1, 2], [3, 4]]\n",
}  # fmt: skip


@for_each("form", PASTED)
def test_pasted_matrices_become_givens_and_find_their_lesson(form):
    problem = read_problem(new(pasted=PASTED[form]), "p.yaml", "p")
    assert "attention" in problem.plan.parts[0].lessons.values()
    assert problem.plan.entries["given:Q"].texts == (("1", "0.5"), ("0", "1"))
    assert (problem.plan.entries["given:Q"].rows == ("the", "cat")) == (form == "markdown")


def test_matrices_of_no_lesson_get_steps():
    problem = read_problem(new(pasted="M = [[1/3, sqrt(2)], [1e-3, -inf]]\n"), "p.yaml", "p")
    assert [step.name for step in problem.plan.parts[0].steps] == ["Y"]
    assert not read_problem(new(pasted="X = [[1, 2]]\nW_Q = [[1], [2]]"), "p.yaml", "p").plan.parts[0].lessons


@pytest.mark.parametrize(("words", "said"), [
    (["self_atention"], "did you mean self_attention?"), (["--from", "nowhere.txt"], "nowhere.txt: this file does not exist"),
])  # fmt: skip
def test_what_cannot_be_begun_is_told(words, said):
    code, out, err = called("new", *words)
    assert code == 2 and out == "" and said in err


def test_hostile_pastes_are_refused_or_read_as_text():
    with pytest.raises(AttncalcError):
        new(pasted="[[[[1, 2]")
    text = new(pasted="Q:\n\n| | a |\n|---|---|\n| no | 1 |\n| yes: | 2 |\n")
    assert load_text(text).plan.entries["given:Q"].rows == ("no", "yes:")


def load_text(text: str):
    return read_problem(text, "p.yaml", "p")


def test_the_command_writes_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(PASTED["numpy"], encoding="utf-8")
    assert called("new", "--from", "p.txt", "-o", "mine.yaml")[0] == 0
    assert load("mine.yaml").title == "Attention"


PRINTED = {
    "K = tensor([[ 1.0000, -0.5000],\n        [ 0.0000,  1.0000]], device=\"cuda:0\", grad_fn=<MmBackward0>)\n": {"K": (2, 2)},
    "[[1. 2.]\n [3. 4.]]\n\n\\begin{pmatrix} 1 & 2 \\end{pmatrix}\n": {"M_1": (2, 2), "M_2": (1, 2)},
    "| | a | b |\n|---|---|---|\n| the | 1 | 2 |\n\nX = [[1, 2]]\n": {"M_1": (1, 2), "X": (1, 2)},
    "$\\mathbf{W}^{Q} = \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}$\n\nW^K = [[1, 0], [0, 2]]\n": {"W_Q": (2, 2),
        "W_K": (2, 2)},
}  # fmt: skip


@for_each("pasted", PRINTED)
def test_names_are_those_of_papers_and_matrices_without_one_get_one(pasted):
    problem = read_problem(new(pasted=pasted), "p.yaml", "p")
    assert {given.name: given.shape for given in problem.plan.givens} == PRINTED[pasted]


@pytest.mark.parametrize(("pasted", "said"), [
    ("X = [[1, 2]]\nX = [[3, 4]]\n", "p.txt:2:1: the name X occurs twice; choose a different name "
     "for the second matrix"),
    ("W^Q = [[1, 2], [3]]\n", "p.txt:1:17: row 2 has 1 entry, row 1 has 2"),
    ("words alone\n", "p.txt:1:1: expected a matrix, such as Q = [[1, 0], [0, 1]]; found none"),
    ("  \n", "p.txt: expected a matrix, such as Q = [[1, 0], [0, 1]]; the file is empty"),
])  # fmt: skip
def test_what_cannot_be_a_given_is_told_with_its_place(pasted, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(pasted, encoding="utf-8")
    code, out, err = called("new", "--from", "p.txt")
    assert code == 2 and out == "" and said in err


MODULE = """class Head(nn.Module):
    def __init__(self):
        self.W_Q = nn.Parameter(torch.tensor([[1., 0.5],
                                              [0., 1.]]), requires_grad=False)
        self.W_K = nn.Parameter(torch.tensor([[1., 1.], [0., 1.]], requires_grad=True))
        self.W_V = torch.nn.Parameter(data=torch.Tensor([[1, 2], [3, 4]]))
        self.b_Q = torch.zeros(2)
        layer.weight.data = torch.tensor([[2, 0], [0, 2]])
        X = torch.tensor([[1, 0], [0, 1]], dtype=torch.float32)
        M = np.eye(2)
"""


def test_the_weights_of_a_pytorch_module_become_givens():
    text = new(pasted=MODULE)
    found = load_text(text).plan.entries
    assert found["given:W_Q"].texts == (("1", "0.5"), ("0", "1")) and found["given:W_K"].texts == (
        ("1", "1"),
        ("0", "1"),
    )
    assert {"given:X", "given:W_V", "given:layer_weight", "given:M", "given:b_Q"} <= set(found)
    assert "b_Q: zeros(1, 2)" in text and "M: identity(2)" in text and found["given:b_Q"].shape == (1, 2)


def test_a_self_attention_pasted_from_pytorch_finds_its_lesson():
    text = new(pasted="\n".join(line for line in MODULE.splitlines() if "layer" not in line and "M =" not in line))
    assert load_text(text).plan.parts[0].lessons.popitem()[1] == "self_attention"


@pytest.mark.parametrize("pasted", ["nn.Parameter(" * 5_000, "W = nn.Parameter(torch.tensor([[1, 2]", "self." * 9_999])
def test_what_no_bracket_closes_is_refused(pasted):
    with pytest.raises(AttncalcError):
        new(pasted=pasted)


CHANGES = ["A = A.T", "A = np.transpose(A)", "A = A @ A", "A += 1", "A *= 0.5", "A /= 3", "A //= 2", "A **= 2", "A @= A", "A = -A",
           "A = A - A.mean()", "A = softmax(A)", "A = A.reshape(4, 1)", "A, B = B, A", "A.data = A.T", "A = A[::-1]", "A = 2 * A",
           "A[0, 0] = 5", "for k in range(3): A = A @ A", "self.A = self.A.T", "A = (A\n     .T)", "A = C = A.T", "A = np.eye(2)"]  # fmt: skip
OTHERS = ["B = A.T", "B = A @ A", "B = C = A", "B = np.arange(6).reshape(2, 3)", "np.fill_diagonal(A, 0)", "A.sort()",
          "A.mul_(2)", "plt.imshow(A)"]  # fmt: skip


@for_each("joint", ["\n", "\n\n", "; ", "\n    "])
@for_each("change", CHANGES)
def test_law_a_statement_that_changes_a_pasted_matrix_is_refused(change, joint):
    with pytest.raises(AttncalcError):
        new(pasted=f"A = np.array([[1, 2], [3, 4]]){joint}{change}\n")


@for_each("change", ["A <- t(A)", "A[1,1] <- 5", "A(1,1) = 5;", "A(:,1) = 0;", "A ← Aᵀ", "\\[ A \\leftarrow A^T \\]", "(A := A.T)",
                     "A[0, 1], A[1, 0] = A[1, 0], A[0, 1]", "A[[0, 1]] = A[[1, 0]]", "$A = A^T$"])  # fmt: skip
def test_law_a_change_in_any_notation_is_refused(change):
    with pytest.raises(AttncalcError):
        new(pasted=f"A = np.array([[1, 2], [3, 4]])\n{change}\n")


@for_each("matrix", ["{}.'", "{}.';", "[1 2\n  3 4]", "[1 -2\n3 -4];", "B = {}", "{} = B", "tf.constant({})", "dict(A={})",
                     "torch.DoubleTensor({})", "rbind(c(1, 2), c(3, 4))", "{{'W': torch.tensor({})}}"])  # fmt: skip
def test_law_a_matrix_that_is_not_read_as_it_stands_is_refused(matrix):
    """There is no file with other numbers, or with random numbers of a lesson."""
    with pytest.raises(AttncalcError):
        new(pasted=f"A = {matrix.format('[[1, 2], [3, 4]]')}\n")


def test_a_matrix_in_a_docstring_is_not_a_given():
    text = new(pasted='A = [[1, 2]]\n"""\nQ = [[9, 9]]\n"""\n')
    assert "A:" in text and "Q:" not in text


@for_each("other", OTHERS)
def test_law_other_statements_about_matrices_are_listed_in_the_file(other):
    for joint in ("\n", "\n\n", "\n    "):
        text = new(pasted=f"A = np.array([[1, 2], [3, 4]]){joint}{other}\nV = [[1, 2]]\n")
        assert f"# Not read: {other}\n" in text
        assert set(load_text(text).plan.entries) >= {"given:A", "given:V"}


@for_each("pasted", [
    "A = tensor([[1, 2],\n    [3, 4]], device='cuda:0', grad_fn=<MmBackward0>)\n", "import numpy as np\nA = [[1, 2]]\nprint(A)\n", "Let A = [[1, 2]].\n",
    "A = \\begin{pmatrix} 1 & 2 \\end{pmatrix}\n", "class M:\n    def f(self):\n        self.A = torch.tensor([[1, 2]])\n",
])  # fmt: skip
def test_matrices_alone_leave_nothing_unread(pasted):
    assert "Not read" not in new(pasted=pasted)
