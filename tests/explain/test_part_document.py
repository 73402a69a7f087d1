"""What pages say about numbers, read from the page and held against mpmath with 400 figures: sums, gaps, equal weights,
masks.
"""

from __future__ import annotations

import re
from decimal import Decimal

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.explain import solution_messages
from attncalc.explain.document import Paragraph
from attncalc.explain.quality_notices import notices
from attncalc.explain.solution_document import solution_document
from attncalc.lessons.small_problems import CASES
from attncalc.resources import problem_names
from tests.support.laws import examples
from tests.support.sweeps import for_each

FIGURES = 400
NAMES = {name: getattr(mpmath, name) for name in ("sqrt", "exp", "log", "pi", "sin")} | {
    "ln": mpmath.log,
    "mpf": mpmath.mpf,
}
GAP = r"(\d\.\d+e[-+]\d+)"


def value(text: str) -> mpmath.mpf:
    mpmath.mp.dps = FIGURES
    return mpmath.mpf(
        eval(re.sub(r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?)", r"mpf('\1')", text), {"__builtins__": {}}, NAMES)
    )


def solved(problem: dict[str, object], digits: int = 4):
    return solve(load({"title": "t"} | problem), digits=digits)


def notes(solution) -> list[str]:
    """The sentences under the steps, and the warnings."""
    blocks = solution_document(solution, solution.parts).blocks
    said = [
        block.text for block in blocks if isinstance(block, Paragraph) and block.role in ("fine", "hidden", "check")
    ]
    return said + [notice.message for notice in notices(solution)]


def softmax(rows: list[list[mpmath.mpf]], axis: str) -> list[list[mpmath.mpf]]:
    if axis == "columns":
        return transposed(softmax(transposed(rows), "rows"))
    if axis == "all":
        flat = softmax([[x for row in rows for x in row]], "rows")[0]
        return [flat[k : k + len(rows[0])] for k in range(0, len(flat), len(rows[0]))]
    exponentials = [[mpmath.exp(x) for x in row] for row in rows]
    return [[e / sum(row) for e in row] for row in exponentials]


def transposed(rows):
    return [list(column) for column in zip(*rows, strict=True)]


# -- each sentence by itself -------------------------------------------------------------------------------------------

NOTHING = mpmath.mpf(10) ** -300  # of two numbers that differ here, none differs by less


def is_true(note: str, rows: list[list[mpmath.mpf]], printed: list[list[str]]) -> bool | None:
    """Whether a sentence about a matrix of weights is true; None where it says nothing about numbers."""
    lines = {"row": rows, "column": transposed(rows)}
    texts = {"row": printed, "column": transposed(printed)}
    flat = [(x, text) for row, told in zip(rows, printed, strict=True) for x, text in zip(row, told, strict=True)]
    if found := re.match(r"(not )?every (row|column) sums to 1(?: \(rounded: (.*)\))?$", note):
        right = all(abs(sum(line) - 1) < NOTHING for line in lines[found[2]]) is (found[1] is None)
        totals = {f"{found[2]} {k}": sum(map(Decimal, line)) for k, line in enumerate(texts[found[2]], 1)}
        told = re.findall(r"(\w+ \d+) (?:adds up )?to ([\d.]+)", found[3] or "")
        off = {name: total for name, total in totals.items() if total != 1}
        return right and dict(list(off.items())[:3]) == {name: Decimal(total) for name, total in told}
    if note == "all weights together sum to 1":
        return abs(sum(map(sum, rows)) - 1) < NOTHING
    if found := re.match(r"A: rows? ([\d, ]+) ha(?:s|ve) equal weights", note):
        visible = [[x for x in rows[int(i) - 1] if x] for i in found[1].split(", ")]
        return all(len(line) > 1 and max(line) - min(line) < NOTHING for line in visible)
    if found := re.match(r"every (row|column) sums to 0$", note):
        return not any(x for line in lines[found[1]] for x in line)
    if found := re.match(r"((?:(?:row|column) \d+(?:, )?)+) sums? to 0, every other (row|column) to 1$", note):
        empty = {int(k) - 1 for k in re.findall(r"\d+", found[1])}
        totals = list(map(sum, lines[found[2]]))
        return len(empty) < len(totals) and all(
            abs(total - (k not in empty)) < NOTHING for k, total in enumerate(totals)
        )
    if "attends most" in note:
        told = re.findall(r"query (\d+) attends most to key (\d+) \(([\d.]+)\)", note)
        return bool(told) and all(
            max(rows[i]) == rows[i][j] and printed[i][j] == text
            for i, j, text in ((int(i) - 1, int(j) - 1, text) for i, j, text in told)
        )
    if "saturated" in note:
        return all(Decimal(text) in (0, 1) for _, text in flat)
    if found := re.match(
        rf"A(?:\[[\d, ]+\])? (exceeds|is smaller than|misses|is not) ([\d.]+)(?: but| by) {GAP}$", note
    ):
        x = entry(note, rows)
        target = mpmath.mpf(found[2])
        side = {"exceeds": x > target, "is smaller than": x < target}.get(found[1], x != target)
        return side and abs(x - target) > NOTHING and two_figures(abs(x - target)) == found[3]
    if found := re.match(
        rf"(\d+) entries (miss|exceed|are smaller than) ([\d.]+) by (?:between )?{GAP}(?: and {GAP})?$", note
    ):
        target = mpmath.mpf(found[3])
        gaps = [x - target for x, text in flat if text == found[3]]
        sizes = sorted(two_figures(abs(gap)) for gap in gaps if abs(gap) > NOTHING)
        sides = {"exceed": all(g >= 0 for g in gaps), "are smaller than": all(g <= 0 for g in gaps)}.get(found[2], True)
        return (
            sides
            and int(found[1]) == len(sizes)
            and {found[4], found[5] or found[4]} == {min(sizes, key=Decimal), max(sizes, key=Decimal)}
        )
    if found := re.match(
        rf"(\d+) entries shown as ([\d.]+) are not exactly 0 but (?:between )?{GAP}(?: and {GAP})?$", note
    ):
        sizes = [two_figures(abs(x)) for x, text in flat if text == found[2] and abs(x) > NOTHING]
        return int(found[1]) == len(sizes) and {found[3], found[4] or found[3]} == {
            min(sizes, key=Decimal),
            max(sizes, key=Decimal),
        }
    if note.startswith(("exactly 0", "A: no given", "Later steps use the unrounded numbers")) or " print" in note:
        return None
    raise AssertionError(f"a sentence that no test reads: {note}")


def entry(note: str, rows: list[list[mpmath.mpf]]) -> mpmath.mpf:
    found = re.match(r"A\[(?:(\d+), )?(\d+)\]", note)
    return rows[int(found[1] or 1) - 1][int(found[2]) - 1] if found else rows[0][0]


def two_figures(x: mpmath.mpf) -> str:
    exponent = int(mpmath.floor(mpmath.log10(x)))
    whole = int(mpmath.floor(x / mpmath.mpf(10) ** (exponent - 1) + mpmath.mpf(1) / 2))
    if whole == 100:
        whole, exponent = 10, exponent + 1
    return f"{whole // 10}.{whole % 10}e{exponent:+03d}"


scores = st.sampled_from(
    [
        "0",
        "1",
        "2",
        "0.5",
        "1e-14",
        "1e-60",
        "-40",
        "30",
        "ln(3)",
        "ln(15)",
        "log(2)",
        "sqrt(2)",
        "sqrt(8)/2",
        "1/3",
        "log(8)/3",
        "log(27)/3",
        "pi",
    ]
)
shapes = st.tuples(st.integers(1, 3), st.integers(2, 3))
matrices = shapes.flatmap(
    lambda s: st.lists(st.lists(scores, min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0])
)


@given(matrices, st.sampled_from(["rows", "columns", "all"]), st.sampled_from([1, 2, 4, 17, 25]))
@examples(200)
def test_what_a_page_says_of_weights_is_true(X, axis, digits):
    solution = solved({"given": {"X": X}, "steps": {"A": f"softmax(X, axis={axis})"}}, digits)
    rows = softmax([[value(x) for x in row] for row in X], axis)
    told = notes(solution)
    assert [note for note in told if is_true(note, rows, solution["A"].decimals()) is False] == []
    assert any(note.startswith(("every row", "every column", "all weights")) for note in told)


MASKS = {
    "causal": lambda i, j: j <= i,
    "causal_strict": lambda i, j: j < i,
    "band(0)": lambda i, j: i == j,
    "causal(offset=1)": lambda i, j: j <= i + 1,
}


def weights(scores, seen, base, empty):
    """A row's weights: powers of the visible scores over their sum; those of an empty row are 0, or all alike."""
    if not any(seen):
        return [mpmath.mpf(empty == "uniform") / len(scores)] * len(scores)
    powers = [mpmath.exp(x * mpmath.log(base)) * sees for x, sees in zip(scores, seen, strict=True)]
    return [power / sum(powers) for power in powers]


@given(
    matrices, st.sampled_from(sorted(MASKS)), st.sampled_from(["zeros", "uniform"]),
    st.sampled_from(["scaled", "weights"]), st.sampled_from([2, 10]),
    st.sampled_from(["rows", "columns"]), st.sampled_from([1, 2, 4, 17]),
    st.sampled_from(["half_up", "half_even", "truncate"]),
)  # fmt: skip
@examples(80)
def test_what_a_page_says_of_masked_weights_is_true(S, mask, empty, at, base, axis, digits, mode):
    options = {"mask": mask, "empty_row": empty, "mask_at": at, "base": base, "axis": axis, "scale": "none", "S": "S"}
    V = [["1", str(k)] for k in range(len(S[0]))]
    solution = solved({"given": {"S": S, "V": V}, "attention": options, "rounding": {"mode": mode}}, digits)
    rows, seen = (
        [[value(x) for x in row] for row in S],
        [[MASKS[mask](i, j) for j in range(len(S[0]))] for i in range(len(S))],
    )
    lines = (lambda matrix: transposed(matrix)) if axis == "columns" else (lambda matrix: matrix)
    shown = seen if at == "scaled" else [[True] * len(row) for row in S]
    found = {"A": lines([weights(*both, base, empty) for both in zip(lines(rows), lines(shown), strict=True)])}
    if at == "weights":  # a query's weights are made to sum to 1 again, whatever the axis of the softmax
        hidden = [[x * sees for x, sees in zip(*both, strict=True)] for both in zip(found["A"], seen, strict=True)]
        found["A_masked"] = [
            [x / sum(row) for x in row] if any(row) else weights(row, row, base, empty) for row in hidden
        ]
    for name, truth in found.items():
        blocks = solution_document(solution, solution.parts, {name}).blocks
        told = [b.text for b in blocks if isinstance(b, Paragraph) and b.role in ("fine", "hidden", "check", "warning")]
        told = [
            re.sub("A_masked", "A", note) for note in told if not re.search("names instead of numbers|unrounded", note)
        ]
        assert [note for note in told if is_true(note, truth, solution[name].decimals()) is False] == []
        assert solution[name].printed().undecided == [] and not any("no rule" in note for note in told)


halves = st.sampled_from(
    [
        "1/2",
        "0.5",
        "sqrt(2)/4",
        "1 - sqrt(2)/4",
        "0." + "5" + "0" * 58 + "1",
        "1/2 + 1e-60",
        "1/2 - 1e-60",
        "sin(pi/6)",
        "0.25",
    ]
)


@given(st.lists(st.tuples(halves, halves), min_size=1, max_size=3), st.sampled_from([4, 20]))
@examples(150)
def test_what_a_page_says_of_pinned_weights_is_true(A, digits):
    lesson = {"Q": [[1, 0]] * len(A), "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]]}
    solution = solved({"given": lesson, "attention": {}, "pin": {"A": [list(row) for row in A]}}, digits)
    rows = [[value(x) for x in row] for row in A]
    blocks = solution_document(solution, solution.parts, {"A"}).blocks
    told = [
        b.text
        for b in blocks
        if isinstance(b, Paragraph)
        and b.role in ("fine", "check", "warning")
        and not re.search("attends|pinned", b.text)
    ]
    assert [note for note in told if is_true(note, rows, solution["A"].decimals()) is False] == []


# -- what was once said falsely ----------------------------------------------------------------------------------------


@for_each(
    ("problem", "never"),
    [
        ({"given": {"x": 3}, "steps": {"A": "softmax(hstack(log10(1000), x))"}}, "miss|not 0|differ"),
        (
            {"given": {"logits": [["ln(3)", "ln(15)", "ln(2)", 0]]}, "next_word": {"top_k": 3}},
            "miss|not 0 but|differ|mask",
        ),
        ({"given": {"X": [[0, "1e-14"]]}, "steps": {"A": "softmax(X)"}}, "equal weights"),
        ({"given": {"X": [[0, "1e-400"]]}, "steps": {"A": "softmax(X)"}}, "equal weights"),
        ({"given": {"X": [[0, "900"]]}, "steps": {"A": "softmax(X)"}, "rounding": {"digits": 400}}, "saturated"),
        ({"given": {"x": "1.3"}, "steps": {"s": "sqrt(1 + sqrt(x))", "d": "s - s"}}, "undecided|rule|not 0|differ"),
    ],
)
def test_nothing_false_is_said(problem, never):
    solution = solve(load({"title": "t"} | problem))
    assert [note for note in notes(solution) if re.search(never, note)] == []


def test_equal_weights_are_said_to_be_equal_where_that_is_proven():
    solution = solved({"given": {"X": [["log(8)/3", "ln(2)"], [1, 2]]}, "steps": {"A": "softmax(X)"}})
    assert "A: row 1 has equal weights" in notes(solution)


def test_what_no_rule_decides_is_not_claimed():
    """e^(−10⁹) and the number that it might be: neither proof nor bits tell 1 − e^(−10^9) from 1."""
    solution = solved({"given": {"x": 1}, "steps": {"d": "erf(exp(-1e9*x)) - erf(exp(-1e9*x) + exp(-3e9*x))"}})
    assert [note for note in notes(solution) if re.search("is not 0|falls|exceeds|misses", note)] == []
    assert any("could not be proven which" in note for note in notes(solution))


def test_a_mask_that_is_0_only_by_proof_hides():
    problem = {"given": {"S": [[1, 2]], "M": [[1, "sin(pi)"]]}, "steps": {"K": "keep(S, M)"}}
    assert "query 1 attends to key 1" in notes(solved(problem))


@for_each(
    "formula",
    [
        "hstack(1 - 1e-20, 1 - 1e-20, 1)",
        "hstack(0, 1e-20, -1e-20)",
        "hstack(2.5 + 1e-20, 0, 7 - 1e-20)",
        "softmax(vstack(hstack(0, 0, 40), hstack(0, 0, 0)))",
    ],
)
def test_what_a_print_hides_is_said_under_every_step(formula):
    """Also where the same was said under another step: its entries are not the same ones."""
    steps = {"a": formula, "b": formula.replace("(1 - 1e-20, 1 - 1e-20, 1)", "(1, 1 - 1e-20, 1 - 1e-20)")}
    alone = notes(solved({"given": {}, "steps": {"a": formula}}, 2))
    assert alone and notes(solved({"given": {}, "steps": steps}, 2)).count(alone[0]) == 2


@for_each("digits", [16, 17, 30, 200])
def test_printed_sums_are_exact_decimals(digits):
    solution = solved({"given": {"X": [[0, 0, 0]]}, "steps": {"A": "softmax(X)"}}, digits)
    assert f"every row sums to 1 (rounded: row 1 adds up to 0.{'9' * digits})" in notes(solution)


@pytest.mark.parametrize("digits", [992, 993, 1000])
def test_a_thousand_digits_can_be_shown(digits):
    solution = solved({"given": {"x": "sqrt(2)"}, "steps": {"A": "softmax(hstack(x, 1, 3))"}}, digits)
    assert len(solution["A"].decimals()[0][0]) == digits + 2
    assert "every row sums to 1" in " ".join(notes(solution))


@pytest.mark.parametrize("words", [["cat", "dog", "sun", "tea"], None])
def test_a_decoder_says_words_only_if_each_probability_has_one(words):
    """The rows of E name the words of the text; the probabilities of the next word are named by W_out."""
    givens, arguments = CASES["greedy_decode"]
    named = {"E": {"rows": ["the", "cat", "sat", "on"], "values": givens["E"]}}
    if words:
        named["W_out"] = {"columns": words, "values": givens["W_out"]}
    solution = solved({"given": givens | named, "greedy_decode": arguments | {"most": "2"}}, 2)
    said = [note for note in notes(solution) if note.startswith("in words")]
    sentence = " ".join(words[int(k)] for k in solution["ids"].decimals(0)[0]) if words else ""
    assert said[-1:] == ([f"in words: {sentence}"] if words else [])


# -- what carries on ---------------------------------------------------------------------------------------------------

ON_PAPER = {
    "rounds": {"On paper", "Only the result of a step is rounded;", "too many digits."},
    "does not": {"unrounded"},
}


@for_each(
    ("paper", "explain"),
    [(True, "steps"), (True, "full"), (False, "steps")],
    ids=["paper", "paper-full", "exact"],
    quick=3,
)
@for_each("name", problem_names())
def test_a_page_says_one_thing_about_what_is_carried_on(name, paper, explain):
    """With --paper nothing is called unrounded, and without it no step is said to be rounded and carried forward."""
    solution = solve(load(name), paper=paper)
    page = " ".join(
        block.text
        for block in solution_document(solution, solution.parts, explain=explain).flat()
        if isinstance(block, Paragraph)
    )
    assert not any(words in page for words in ON_PAPER["does not" if paper else "rounds"])
    assert ("On paper: each result is" in page) == paper


def test_a_worked_line_on_paper_says_where_its_digits_come_from():
    """The exponentials of a softmax stand inside one step; its scores are the rounded ones."""
    for paper, said in ((True, solution_messages.MORE_DIGITS_ON_PAPER), (False, solution_messages.MORE_DIGITS)):
        solution = solve(load("self-attention-numerical"), paper=paper, digits=2)
        assert {
            note
            for note in notes(solution)
            if note in (solution_messages.MORE_DIGITS, solution_messages.MORE_DIGITS_ON_PAPER)
        } == {said}
