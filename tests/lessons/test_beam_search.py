"""Beam search: against a search of its own in plain Python, published examples, ties, ends, lengths, and what cannot be
meant.
"""

import itertools
import math
import random
from fractions import Fraction

import pytest
from click.testing import CliRunner

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.cli import cli
from tests.support.sweeps import for_each

# -- an independent search ---------------------------------------------------------------------------------------------


def search(table, width, most, end=None, alpha=0, start=0):
    """The beam of each time, exact: products of fractions, sorted stably, so that equal ones keep their order."""
    beam, times = [((), Fraction(1))], []
    while len(times) < most and not all(words and words[-1] == end for words, _ in beam):
        after = [(words, score, table(words, len(times))) for words, score in beam]
        following = [
            ((*words, w), score * (p if not words or words[-1] != end or end is None else Fraction(w == end)))
            for words, score, row in after
            for w, p in enumerate(row)
        ]
        beam = sorted(following, key=lambda one: -one[1])[:width]
        times.append(beam)

    def length(words):
        return words.index(end) + 1 if end in words else len(words)

    best = max(beam, key=lambda one: math.log(one[1]) / length(one[0]) ** alpha)[0] if alpha else beam[0][0]
    return times, best[: length(best)]


def drawn(seed, rows, words):
    draw = random.Random(seed)
    table = []
    for _ in range(rows):
        parts = [draw.randint(1, 9) for _ in range(words)]
        table.append([Fraction(p, sum(parts)) for p in parts])
    return table


def written(table):
    return [[str(p) for p in row] for row in table]


@for_each("seed", range(12), quick=3)
@for_each(("width", "end", "alpha"), [(1, None, 0), (2, None, 0), (3, 3, 0), (4, 3, Fraction(3, 4)), (2, 3, 1)])
def test_it_is_a_beam_search(seed, width, end, alpha):
    table = drawn(seed, 4, 4)
    options = (
        {"width": width, "most": 4, "start_token": seed % 4}
        | ({} if end is None else {"end_token": end})
        | ({"alpha": str(alpha)} if alpha else {})
    )
    solution = solve(load({"given": {"P": written(table)}, "beam_search": options}))
    times, best = search(lambda words, t: table[words[-1] if words else seed % 4], width, 4, end, float(alpha))
    for t, beam in enumerate(times, 1):
        assert solution[f"beam_{t}"].fractions() == [list(words) for words, _ in beam]
        assert [float(x) for (x,) in solution[f"kept_{t}"].decimals(12)] == pytest.approx(
            [math.log(score) for _, score in beam]
        )
    assert solution["ids"].fractions() == [list(best)]


@for_each("seed", range(5))
def test_multiplied_probabilities_find_the_same_and_are_exact(seed):
    table = drawn(seed, 3, 3)
    given = {"P": written(table), "P_first": written(drawn(seed + 99, 1, 3))}
    added, multiplied = (
        solve(load({"given": given, "beam_search": {"width": 2, "most": 3, "scores": way}}))
        for way in ("log", "product")
    )
    assert added["beam_3"].fractions() == multiplied["beam_3"].fractions()
    first = drawn(seed + 99, 1, 3)[0]
    times, _ = search(lambda words, t: table[words[-1]] if words else first, 2, 3)
    assert multiplied["kept_3"].fractions() == [[score] for _, score in times[-1]]
    assert added["probability"].decimals(30) == multiplied["probability"].decimals(30)


def test_a_beam_as_wide_as_all_sentences_finds_the_best_one():
    table = drawn(7, 4, 4)
    solution = solve(
        load({"given": {"P": written(table)}, "beam_search": {"rows": "times", "width": 4, "scores": "product"}})
    )
    best = max(
        itertools.product(range(4), repeat=4), key=lambda words: math.prod(table[t][w] for t, w in enumerate(words))
    )
    assert solution["ids"].fractions() == [list(best)], (
        "where rows do not depend on the words, even a beam of one finds it"
    )


# -- published examples ------------------------------------------------------------------------------------------------


def test_a_markov_chain_of_an_exercise():
    """start = log([0.6, 0.4]), trans = log([[0.7, 0.3], [0.4, 0.6]]), two steps, width 2: [0, 0] with 0.42, then [1, 1]
    with 0.24.
    """
    given = {"P": [[0.7, 0.3], [0.4, 0.6]], "P_first": [[0.6, 0.4]]}
    solution = solve(load({"given": given, "beam_search": {"width": 2, "most": 2}}))
    assert solution["beam_2"].fractions() == [[0, 0], [1, 1]] and solution["probability"].decimals(2) == [["0.42"]]
    assert solution["kept_2"].decimals(4) == [["-0.8675"], ["-1.4271"]]


@pytest.mark.sweep(quick=0)
def test_a_table_of_times():
    """The table of many tutorials: a row for each time, rising and falling in turn, three beams; the search of their
    programs finds these.
    """
    rise, fall = [0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.4, 0.3, 0.2, 0.1]
    P = [[f"{x}/1.5" for x in row] for row in [rise, fall] * 5]
    solution = solve(load({"given": {"P": P}, "beam_search": {"rows": "times", "width": 3}}))
    assert solution["beam_10"].fractions() == [[4, 0] * 5, [4, 0] * 4 + [4, 1], [4, 0] * 4 + [3, 0]]


def test_the_better_sentence_of_the_problem_that_comes_along():
    solution = solve(load("beam-search"))
    assert solution["greedy.probability"].fractions() == [[Fraction(48, 1000)]]
    assert solution["beam.probability"].decimals(12) == [["0.054000000000"]]
    assert solution["beam.ids"].fractions() == [[0, 2, 1, 4]] != solution["greedy.ids"].fractions()


# -- what is said of it ------------------------------------------------------------------------------------------------

CAT = {
    "rows": ["<s>", "the", "cat"],
    "columns": ["the", "cat", "</s>"],
    "values": [[0.6, 0.4, 0], [0, 0.5, 0.5], [0.25, 0.25, 0.5]],
}


def told(problem, *words):
    result = CliRunner().invoke(cli, ["solve", "-", *words], input=problem)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_the_words_and_the_conventions_are_told():
    text = told("given: {P: {rows: [<s>, the, cat], columns: [the, cat, </s>], values: [[0.6, 0.4, 0], [0, 0.5, 0.5], "
                "[0.25, 0.25, 0.5]]}}\n"
                "beam_search: {width: 2, end_token: </s>, most: 3}\n")  # fmt: skip
    assert "kept: the cat, the </s>" in text and "in words: the </s>" in text
    assert "if scores are equal, the earlier prefix comes first" in text
    assert "a finished sentence keeps its place in the beam and its score" in text


def test_equal_scores_are_proven_equal_and_the_first_comes_first():
    """ln 0.6 + ln 0.5 = ln 0.3 both for `the cat` and `the </s>`; no precision parts them."""
    solution = solve(load({"given": {"P": CAT}, "beam_search": {"width": 2, "end_token": "</s>", "most": 2}}))
    assert solution["beam_2"].fractions() == [[0, 1], [0, 2]]
    assert len({x for row in solution["kept_2"].decimals(40) for x in row}) == 1


def test_what_has_ended_stays():
    solution = solve(load({"given": {"P": CAT}, "beam_search": {"width": 2, "end_token": "</s>", "most": 9}}))
    assert solution["P_3"].fractions()[1] == [0, 0, 1] and solution["beam_3"].fractions() == [[0, 2, 2], [0, 1, 2]]
    assert solution["ids"].fractions() == [[0, 2]] and "P_4" not in {step.name for step in solution.parts[0].steps}, (
        "all have ended"
    )


def test_the_longest_end_of_what_stands_before_names_the_row():
    rows = ["<s>", "<s> b", "a", "b", "a b"]
    P = {"rows": rows, "columns": ["a", "b"], "values": [[0.4, 0.6], [0.9, 0.1], [0.5, 0.5], [0.3, 0.7], [0.2, 0.8]]}
    steps = {s.name: s for s in solve(load({"given": {"P": P}, "beam_search": {"width": 2, "most": 3}})).parts[0].steps}
    assert [steps[f"P_{t}"].formula for t in (1, 2)] == ['P["<s>"]', 'vstack(P["<s> b"], P["a"])']
    assert steps["beam_2"].fractions() == [[1, 0], [0, 0]] and steps["P_3"].formula == 'vstack(P["a"], P["a"])'


def test_logits_are_brought_to_probabilities_first():
    solution = solve(
        load({"given": {"logits": [[1, 2], [0, 3]]}, "beam_search": {"width": 2, "most": 2, "start_token": 0}})
    )
    written_out = solve(
        load({"given": {"logits": [[1, 2], [0, 3]]}, "steps": {"a": "log(softmax(logits))", "b": "a[0, 1] + a[1, 1]"}})
    )
    assert solution["kept_2"].decimals(20)[0] == written_out["b"].decimals(20)[0]


def test_floating_point_finds_the_same():
    problem = load("beam-search")
    assert solve(problem, arithmetic="floating")["beam.kept_4"].numpy() == pytest.approx(
        solve(problem)["beam.kept_4"].numpy()
    )


# -- marking -----------------------------------------------------------------------------------------------------------

MARKED = {"given": {"P": written([[Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)],
          [Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)], [Fraction(1, 10), Fraction(1, 10), Fraction(4, 5)]])},
          "beam_search": {"width": 2, "most": 3, "start_token": 0, "alpha": "0.75"}}  # fmt: skip


def digits_of(solution, name, digits):
    """A step as it would be typed: whole numbers for words and places."""
    return solution[name].decimals(digits if name.rpartition(".")[2].startswith(("P", "scores", "kept", "norm")) else 0)


@for_each(
    ("step", "wrong", "code"),
    [
        ("scores_2", "kept_1 + P_2", "probabilities-for-logarithms"),
        ("scores_2", "kept_1 * log(P_2)", "logarithms-multiplied"),
        ("scores_2", "log(P_2)", "beginning-forgotten"),
        ("normalised", "kept_3", "length-not-normalised"),
        ("normalised", "kept_3 / 3", "length-power-forgotten"),
    ],
)
def test_check_names_the_mistake(step, wrong, code):
    solution = solve(load(MARKED | {"steps": {"mistaken": wrong}}))
    names = [one.name for one in solve(load(MARKED)).parts[0].steps]
    typed = {name: digits_of(solution, name, 3) for name in names[: names.index(step)]}
    report = check(load(MARKED), {"answers": typed | {step: solution["mistaken"].decimals(3)}})
    assert report.first_wrong.step.name == step and report.first_wrong.causes[0].code == code


def test_check_names_a_greedy_sentence():
    solution = solve(load("beam-search"))
    written = {
        name: digits_of(solution, f"beam.{name}", 4)
        for t in range(1, 5)
        for name in (f"P_{t}", f"scores_{t}", f"kept_{t}", f"beam_{t}")
    }
    report = check(load("beam-search"), {"answers": {"beam": written | {"ids": [[0, 1, 2, 4]]}}})
    assert [cause.code for cause in report.first_wrong.causes] == ["greedy-for-beam"]


# -- what cannot be meant ----------------------------------------------------------------------------------------------

SQUARE = [[0.5, 0.5], [0.2, 0.8]]


@for_each(
    ("given", "options", "message"),
    [
        ({"P": SQUARE}, {"most": 2, "start_token": 0}, "needs width"),
        ({"P": SQUARE}, {"width": 3, "most": 2, "start_token": 0},
         "width: expected at most 2 (the number of words), found 3"),
        ({"P": SQUARE}, {"width": 0, "most": 2, "start_token": 0},
         "width: expected a whole number from 1 to 64, found '0'"),
        ({"P": SQUARE}, {"width": "1.5", "most": 2, "start_token": 0},
         "width: expected a whole number from 1 to 64, found '1.5'"),
        ({"P": SQUARE}, {"width": 2, "most": 2}, "needs start_token"),
        ({"P": SQUARE}, {"width": 2, "start_token": 0}, "needs most, the largest number of words, or end_token"),
        ({"P": SQUARE}, {"width": 2, "most": 2, "start_token": 2},
         "start_token: expected a word's index, 0 to 1, found '2'"),
        ({"P": SQUARE}, {"width": 2, "start_token": 0, "end_token": "stop"},
         "end_token: expected a word's index, 0 to 1, found 'stop'"),
        ({"P": SQUARE}, {"width": 2, "most": 21, "start_token": 0}, "most: expected a whole number from 1 to 20"),
        ({"P": SQUARE}, {"width": 2, "most": 2, "start_token": 0, "alpha": -1}, "alpha: expected 0 or more, found -1"),
        ({"P": SQUARE, "P_first": [[1, 0, 0]]}, {"width": 2, "most": 2},
         "P_first must be a row with a probability for each of the 2 words"),
        ({"P": [[0.5, 0.4], [0.2, 0.8]]}, {"width": 2, "most": 2, "start_token": 0}, "row 1 of P sums to 0.9"),
        ({"P": [[0.5, 0.5]]}, {"width": 2, "most": 2}, "expected one row per previous word, or labels"),
        ({"P": CAT}, {"width": 2, "end_token": "</S>"}, "found '</S>'; did you mean </s>?"),
        ({"P": CAT | {"rows": ["<s>", "the", "dog"]}}, {"width": 2, "most": 3},
         "no row of P has the probabilities after '<s> cat'; its label would be 'cat'"),
        ({}, {"width": 2, "most": 2}, "P"),
    ],
)  # fmt: skip
def test_what_no_beam_can_be(given, options, message):
    with pytest.raises(AttncalcError) as error:
        load({"given": given, "beam_search": options})
    assert message in str(error.value)


def test_columns_are_refused():
    with pytest.raises(AttncalcError, match="as rows; with column vectors, give it the transpose"):
        load({"vectors": "columns", "given": {"P": SQUARE}, "beam_search": {"width": 1, "most": 1, "start_token": 0}})


def test_lengths_as_in_gnmt():
    """score / ((5 + length) / 6) ** alpha, of sentences of two and of three words."""
    options = {"width": 2, "end_token": "</s>", "most": 3, "alpha": "0.6", "length": "gnmt"}
    P = CAT | {"values": [[0.6, 0.4, 0], [0, 0.3, 0.7], [0.25, 0.65, 0.1]]}
    solution = solve(load({"given": {"P": P}, "beam_search": options}))
    kept, lengths = ([float(x) for (x,) in solution[name].decimals(12)] for name in ("kept_3", "lengths"))
    wanted = [score / ((5 + length) / 6) ** 0.6 for score, length in zip(kept, lengths, strict=True)]
    assert [float(x) for (x,) in solution["normalised"].decimals(12)] == pytest.approx(wanted) and len(
        set(lengths)
    ) == 2
