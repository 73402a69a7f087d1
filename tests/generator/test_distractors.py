"""Multiple choice: the right answer stands among results of named mistakes and does not show by its looks."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.generator.distractors import AnswerCues, double_rank, guess_rate
from tests.support.sweeps import for_each


def drawn(lesson, count=24, choices=4):
    done = CliRunner().invoke(
        cli, ["generate", lesson, "-n", str(count), "--seed", "5", "--choices", str(choices), "--to", "json"]
    )
    assert done.exit_code == 0, done.output
    data, found, rest = json.JSONDecoder(), [], done.stdout.strip()
    while rest:
        one, end = data.raw_decode(rest)
        found += one if isinstance(one, list) else [one]
        rest = rest[end:].strip()
    return [one["choices"]["answers"] for one in found]


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize("lesson", ["positional_encoding", "self_attention"])
def test_no_look_gives_the_right_answer_away(lesson):
    guesses, places = Counter(), Counter()
    made = drawn(lesson)
    for answers in made:
        right = next(k for k, one in enumerate(answers) if one["right"])
        places[right] += 1
        for name, values in AnswerCues([one["matrix"] for one in answers]).values_among(range(4)).items():
            guesses["most " + name] += guess_rate(values, right)
            guesses["least " + name] += guess_rate([-x for x in values], right)
        assert len({(len(one["matrix"]), len(one["matrix"][0])) for one in answers}) == 1
        assert all(a != b for a, b in pairwise(sorted(str(one["matrix"]) for one in answers)))
    assert len(made) == 24 and set(places) == {0, 1, 2, 3}
    # Chance gives a quarter; it was all of them
    assert max(guesses.values()) <= 0.55 * len(made), guesses.most_common(3)


@pytest.mark.sweep(quick=0)
def test_the_same_seed_gives_the_same_answers():
    assert drawn("positional_encoding", 3) == drawn("positional_encoding", 3)


TABLES = [[["0.50", "-1.00"]], [["0.00", "0.00"]], [["0.50", "0.25"]], [["10.00", "0.50"]]]


@for_each(
    "look, values",
    [
        ("size of its numbers", [1.5, 0, 0.75, 10.5]),
        ("zeros", [0, 2, 0, 0]),
        ("whole numbers", [1, 2, 0, 1]),
        ("negative numbers", [1, 0, 0, 0]),
        ("different numbers", [2, 1, 2, 2]),
        ("length", [9, 8, 8, 9]),
        ("rows that do not sum to 1", [1.5, 1, 0.25, 9.5]),
        ("entries shared with the others", [1, 0, 1, 0]),
        ("distance from the others", [1.5 + 1.25 + 11, 1.5 + 0.75 + 10.5, 1.25 + 0.75 + 9.75, 11 + 10.5 + 9.75]),
    ],
)
def test_looks_are_what_they_say(look, values):
    assert AnswerCues(TABLES).values_among(range(4))[look] == values


def test_places_and_guesses():
    assert [double_rank([3, 1, 1, 2], k) for k in range(4)] == [6, 1, 1, 4]
    assert (
        guess_rate([3, 1, 3, 2], 0) == 0.5 and guess_rate([3, 1, 3, 2], 1) == 0 and guess_rate([1, 1, 1, 1], 2) == 0.25
    )
