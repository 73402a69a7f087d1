"""A mask that the file gives as a matrix, of 0 and 1 or of 0 and −∞: its mistakes are those of a lesson's mask."""

from attncalc import check, load
from tests.support.sweeps import for_each

SCORES = [["0.7", "0.1", "0.4"], ["0.1", "0.6", "0.2"], ["0.5", "0.3", "0.6"]]
CAUSAL = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
OTHER = [[1, 1, 0], [1, 1, 0], [0, 1, 1]]  # no causal one
FORMULAS = {"keep(S, M)": False, "S + M": True, "M + S": True, "2 * S / 2 + M": True}  # whether the mask is added


def problem_of(formula: str, mask: list) -> object:
    values = [[0 if seen else "-inf" for seen in row] for row in mask] if FORMULAS[formula] else mask
    return load({"given": {"S": SCORES, "M": values}, "steps": {"T": formula, "W": "softmax(T)"}})


def scores(seen, hidden) -> list:
    return [[x if seen(i, j) else hidden(x) for j, x in enumerate(row)] for i, row in enumerate(SCORES)]


def named(formula: str, mask: list, answer: list) -> str:
    report = check(problem_of(formula, mask), {"T": answer})
    (step,) = [one for part in report.parts for one in part.steps if one.step.name == "T"]
    return step.causes[0].code if step.causes else step.verdict


@for_each("formula", FORMULAS)
@for_each("mask", [CAUSAL, OTHER])
def test_a_given_mask_is_marked_as_a_lesson_s(formula, mask):
    def seen(i, j):
        return mask[i][j]

    assert named(formula, mask, scores(seen, lambda x: "-inf")) == "right"
    assert named(formula, mask, SCORES) == "mask-forgotten"
    assert named(formula, mask, scores(seen, lambda x: 0)) == "mask-filled-with-zero"
    assert named(formula, mask, scores(lambda i, j: not seen(i, j), lambda x: "-inf")) == "mask-inverted"


@for_each("formula", FORMULAS)
def test_a_given_causal_mask_has_the_mistakes_of_causal(formula):
    assert named(formula, CAUSAL, scores(lambda i, j: j < i, lambda x: "-inf")) == "mask-diagonal-too"
    assert named(formula, CAUSAL, scores(lambda i, j: j <= i + 1, lambda x: "-inf")) == "mask-one-future-token"
    assert named(formula, OTHER, scores(lambda i, j: j < i, lambda x: "-inf")) == "wrong"
