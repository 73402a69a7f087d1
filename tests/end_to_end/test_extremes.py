"""Numbers that no float holds, stacks of many layers and folders without end: solved, or refused at once,
never broken.
"""

from __future__ import annotations

import os

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.explain.solution_document import solution_document
from attncalc.gradebook import script_discovery
from attncalc.render import html, latex, markdown, solution_json, text, typst
from attncalc.step_values import shared_precision
from tests.support.sweeps import for_each

HUGE, TINY = "1e1000", "1e-1000"
PAGES = {
    "a product": {"given": {"X": [["1e309", 1], [0, 1]]}, "steps": {"Y": "X @ X", "L": "X/3"}},
    "weights": {"given": {"X": [[HUGE, 1], [TINY, 1]]}, "steps": {"A": "softmax(X)", "Y": "sqrt(X)"}},
    "pinned weights": {
        "given": {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]]}, "attention": {},
        "pin": {"A": [[HUGE, f"-{HUGE}"]]},
    },
    "a learning rate": {"given": {"step": [[1, 2, HUGE, 4]]}, "learning_rate": {"d_model": 16, "warmup": 4}},
    "a curve": {"given": {"t": [[1, 2, 3, 4, 5]]}, "steps": {"lr": f"{HUGE}*t"}},
    "a flat curve": {"given": {"t": [[1, 2, 3, 4, 5]]}, "steps": {"lr": f"{TINY}/t"}},
    "a norm": {"given": {"X": [[HUGE, 1], [f"-{HUGE}", 2]]}, "layer_norm": {}},
    "attention": {"given": {"Q": [[HUGE, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, HUGE]]}, "attention": {}},
}  # fmt: skip


@for_each("paper", [False, True], quick=2)
@for_each("problem", PAGES.values(), ids=PAGES)
def test_pages_hold_numbers_of_any_size(problem, paper):
    solution = solve(load({"title": "t"} | problem), paper=paper)
    for explain in ("brief", "steps", "full"):
        document = solution_document(solution, solution.parts, explain=explain)
        for medium in (html, latex, markdown, text, typst):
            assert medium.write(document)
    assert solution_json.write(solution, solution.parts, None, False)
    for step in solution.parts[0].steps:
        assert step.numpy().shape == step.shape


def stack(layers: int) -> dict[str, object]:
    weights = {
        name: [[(i * 7 + j * 3 + k) % 5 - 2 for j in range(4)] for i in range(4)]
        for k, name in enumerate(("W_Q", "W_K", "W_V", "W_1", "W_2"))
    }
    return {"title": "t", "given": {"X": [[1, 0, 2, -1], [0, 1, 1, 0]]} | weights, "encoder": {"layers": layers}}


@pytest.mark.sweep(quick=0)
def test_a_stack_of_64_layers_is_solved():
    solution = solve(load(stack(64)))
    last = solution.parts[0].steps[-1]
    assert [len(row) for row in last.decimals(4)] == [4, 4]
    assert last.printed(4).undecided == []


def test_steps_of_a_stack_share_their_precisions():
    """Each step is worked out at a few precisions, not at one for every step behind it."""
    solution = solve(load(stack(6)))
    for step in solution.parts[0].steps:
        step.printed()
    assert 5 * len(solution.values.levels) < len(solution.parts[0].steps)


def test_a_shared_precision_is_enough_and_little_more():
    assert all(
        bits <= shared_precision(bits) <= max(128, bits + 63, 1.25 * bits) for bits in [*range(1, 5_000), 1 << 17]
    )


def test_a_folder_of_too_many_files_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(script_discovery, "MOST_FILES", 3)
    for k in range(4):
        (tmp_path / f"{k}.yaml").write_text("answers: {}", encoding="utf-8")
    with pytest.raises(AttncalcError, match="at most 3 scripts"):
        script_discovery.collect([str(tmp_path)])


def test_a_link_that_may_not_be_read_is_a_script_like_others(tmp_path, monkeypatch):
    (tmp_path / "s.yaml").write_text("answers: {}", encoding="utf-8")

    def refused(path, **how):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os.path, "realpath", refused)
    assert [task.name for task in script_discovery.collect([str(tmp_path)])] == ["s"]
