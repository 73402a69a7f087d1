"""Algorithms over words: byte-pair merges against the published program, BLEU and perplexity by fractions, and words
that are hostile.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from fractions import Fraction

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.explain.document import Choices
from attncalc.explain.solution_document import solution_document
from tests.support.sweeps import for_each

PAPER = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)


def solved(lesson, options):
    return solve(load({"given": {}, lesson: options})).parts[0]


def merged_pairs(part):
    return [step.step.rows[0] for step in part.steps if step.name.startswith("merge_")]


# -- byte pairs: the program that Sennrich et al. print in their paper, with ties taken by what was met first
# ------------------


def published(words, merges):
    vocabulary = {" ".join([*word, "_"]): count for word, count in Counter(words.split()).items()}
    found = []
    for _ in range(merges):
        pairs = {}
        for word, count in vocabulary.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] = pairs.get((symbols[i], symbols[i + 1]), 0) + count
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        found.append((" ".join(best), pairs[best]))
        bigram = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
        vocabulary = {bigram.sub("".join(best), word): count for word, count in vocabulary.items()}
    return found, vocabulary


def test_the_words_of_the_paper():
    part = solved("byte_pair_merges", {"words": PAPER, "merges": "10"})
    assert merged_pairs(part)[:5] == ["e s", "es t", "est _", "l o", "lo w"]
    assert part["tokens"].step.rows == ("low", "lower", "newest", "widest")


@for_each("seed", range(4))
def test_merges_are_those_of_the_published_program(seed):
    draw = random.Random(seed)
    words = " ".join("".join(draw.choice("abc") for _ in range(draw.randint(1, 5))) for _ in range(12))
    part = solved("byte_pair_merges", {"words": words, "merges": "6"})
    found, vocabulary = published(words, 6)
    counts = [int(part[f"merge_{t}"].decimals(0)[0][0]) for t in range(1, len(found) + 1)]
    assert list(zip(merged_pairs(part), counts, strict=True)) == found
    tokens, columns = part["tokens"].decimals(0), part["tokens"].step.columns
    for row, spelled in zip(tokens, vocabulary, strict=True):
        assert dict(zip(columns, map(int, row), strict=True)) == {c: Counter(spelled.split())[c] for c in columns}


# -- BLEU and perplexity -----------------------------------------------------------------------------------------------


def bleu(candidate, references, most):
    product = Fraction(1)
    for n in range(1, most + 1):
        grams = [tuple(candidate[i : i + n]) for i in range(len(candidate) - n + 1)]
        kept = 0
        for gram in set(grams):
            most_seen = max(sum(tuple(r[i : i + n]) == gram for i in range(len(r))) for r in references)
            kept += min(grams.count(gram), most_seen)
        product *= Fraction(kept, len(grams))
    nearest = min((abs(len(r) - len(candidate)), len(r)) for r in references)[1]
    return min(1, math.exp(1 - nearest / len(candidate))) * float(product) ** (1 / most)


def test_the_example_of_the_paper_on_bleu():
    part = solved(
        "bleu",
        {"candidate": "the " * 7, "reference": "the cat is on the mat | there is a cat on the mat", "longest": "1"},
    )
    assert part["precision"].decimals(4) == [["0.2857"]]  # 2/7


@for_each("seed", range(5))
def test_bleu_by_fractions(seed):
    draw = random.Random(seed)
    candidate, *references = ([draw.choice("abc") for _ in range(draw.randint(4, 8))] for _ in range(3))
    options = {
        "candidate": " ".join(candidate),
        "reference": " | ".join(map(" ".join, references)),
        "longest": str(1 + seed % 4),
    }
    found = float(solved("bleu", options)["BLEU"].decimals(12)[0][0])
    assert found == pytest.approx(bleu(candidate, references, 1 + seed % 4), abs=1e-11)


def test_perplexity_by_counting():
    part = solved("ngram_perplexity", {"text": "a b | a c | b a b", "sentence": "a b"})
    # a after <s>, b after a, the end after b: 2 of 3 each
    assert part["P"].decimals(4) == [["0.6667"], ["0.6667"], ["0.6667"]]
    assert part["perplexity"].decimals(10) == [["1.5000000000"]]
    alone = solved("ngram_perplexity", {"text": "a b | a a b", "sentence": "a b", "order": "1"})
    assert alone["counted"].decimals(0) == [["3", "7"], ["2", "7"], ["2", "7"]]
    added = solved("ngram_perplexity", {"text": "a b", "sentence": "c", "add": "1"})
    assert added["P"].decimals(4) == [["0.2500"], ["0.3333"]]  # (0 + 1)/(1 + 3), (0 + 1)/(0 + 3)


# -- hostile words -----------------------------------------------------------------------------------------------------


@for_each(("lesson", "options", "said"), [
    ("byte_pair_merges", {}, "byte_pair_merges needs words"),
    ("byte_pair_merges", {"words": "a" * 1_000_000}, "words have at most 40 letters; .* has 1,000,000"),
    ("byte_pair_merges", {"words": "a " * 100_000}, "expected from 1 to 200 words, found 100,000"),
    ("byte_pair_merges", {"words": " "}, "from 1 to 200 words|needs words"),
    ("byte_pair_merges",
     {"words": "".join(map(chr, range(97, 123))) + " " + "".join(map(chr, range(192, 230))) + " " + "".join(map(chr,
      range(65, 91)))},
     "at most 64 pairs; these words have"),
    ("bleu", {"candidate": "a b", "reference": "a b"}, "the candidate has 2 words"),
    ("bleu", {"candidate": "a b c d", "reference": "a | | b"}, "expected words on both sides"),
    ("ngram_perplexity", {"text": "a b", "sentence": "a | b"}, "sentence is one sentence"),
    ("ngram_perplexity", {"text": "a b", "sentence": "c c"}, "the words before this one do not occur in the text"),
])  # fmt: skip
def test_what_cannot_be_counted_is_told(lesson, options, said):
    with pytest.raises(AttncalcError, match=said):
        part = solved(lesson, options)
        [step.decimals(4) for step in part.steps]


def test_tex_and_signs_that_turn_the_direction_are_words_like_others():
    part = solved("byte_pair_merges", {"words": r"\end{x} \u202e _ < > & \input", "merges": "2"})
    assert r"\end{x}" in part["tokens"].step.rows


@pytest.mark.parametrize("lesson, options", [
    ("byte_pair_merges", {"words": "low 'low' lower"}),
    ("bleu", {"candidate": "the cat \"sat", "reference": "a cat | the mat'", "longest": "2"}),
    ("ngram_perplexity", {"text": "1 - 2 | <b>", "sentence": "1 - 2", "add": "1"}),
])  # fmt: skip
def test_the_words_that_are_read_stand_above_the_steps(lesson, options):
    solution = solve(load({"title": "t", "given": {}, lesson: options}))
    (told,) = [block for block in solution_document(solution, solution.parts).flat() if isinstance(block, Choices)]
    stated = {one.option: one.value for one in told.items}
    assert all(stated[name] == text for name, text in options.items() if name not in ("longest", "add"))


# -- what a paper and an empty form say ----------------------------------------------------------------------------------


@for_each("merges", [1, 3])
@for_each("seed", range(4))
def test_an_empty_form_does_not_name_the_pairs_that_are_merged(seed, merges):
    draw = random.Random(seed)
    words = ["".join(draw.choices("abc", k=draw.randint(2, 5))) for _ in range(6)]
    part = solved("byte_pair_merges", {"words": " ".join(words), "merges": str(merges)})
    pairs = {f"{a} {b}" for word in words for a, b in zip(word, [*word[1:], "_"], strict=True)}
    for result in part.steps:
        for labels in result.step.blank_labels:
            assert set(labels or ()) <= {*words, *pairs}
            assert labels is None or not result.name.startswith("merge_")


@for_each("order", [1, 2, 3])
@for_each("add", ["0", "1", "1/2"])
def test_the_conventions_of_a_perplexity_determine_its_probabilities(order, add):
    """The marks of a sentence, the added number and the size of the vocabulary give the numbers of the solution."""
    text, sentence = ["a b a", "b a c", "a b a b"], "b a b"
    part = solved("ngram_perplexity", {"text": " | ".join(text), "sentence": sentence, "order": str(order), "add": add})
    said = {convention.option: convention.value for convention in part.part.plan.conventions}
    before, after = said.get("before_a_sentence", "").split(), said["after_a_sentence"].split()
    grams = [
        tuple(words[i : i + order])
        for words in ([*before, *line.split(), *after] for line in [*text, sentence])
        for i in range(len(words) - order + 1)
    ]
    own, added = len(sentence.split()) + 1, Fraction(said["add"].replace(" ", ""))
    asked, counted = grams[-own:], Counter(grams[:-own])
    expected = [
        (counted[gram] + added)
        / (
            sum(count for other, count in counted.items() if other[:-1] == gram[:-1])
            + added * int(said.get("size_of_vocabulary", "0"))
        )
        for gram in asked
    ]
    assert [row[0] for row in part["P"].fractions()] == expected


@pytest.mark.parametrize("smoothing", ["none", "add_one"])
def test_numbers_of_bleu_have_no_labels_of_columns_that_they_use(smoothing):
    options = {"candidate": "the cat the cat sat", "reference": "the cat sat down | a cat sat there"}
    part = solved("bleu", options | {"smoothing": smoothing})
    for name in ("clipped_1", "geometric_mean", "brevity", "BLEU"):
        assert part[name].step.columns is None
