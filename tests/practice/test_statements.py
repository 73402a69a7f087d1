"""What a page says of a step is true of the numbers of that exercise: mean squares, masks, weights, scales."""

from __future__ import annotations

import html
import json
import math
import re
from itertools import product
from statistics import fmean

import pytest

from attncalc.explain.faded_examples import LEVELS
from attncalc.practice.exercise_list import complete_course, course_of, items_of
from attncalc.practice.operations import respond
from attncalc.practice.server import PAGE

ALL = complete_course()
ITEMS = [*items_of(ALL)]
SEEDS = (("1", 0), ("a", 1), ("b", 2))
NEAR = 0.06  # what rounding to few decimals, and ε, may change


def ask(do, **request):
    found = respond(ALL, json.loads(json.dumps({"do": do, **request})))
    assert "faults" not in found, found["faults"]
    return found


def has_mean_square_1(rows, used):
    return any(
        all(abs(fmean(x * x for x in line) - 1) < NEAR for line in lines)
        for lines in (rows, [*zip(*rows, strict=True)])
    )


def are_shares(rows, used):
    return any(
        all(min(line) >= 0 and abs(sum(line) - 1) < NEAR for line in lines)
        for lines in (rows, [*zip(*rows, strict=True)])
    )


def is_within_the_values(rows, used):
    """A weighted mean of the values: each feature lies in the range of that feature of the values."""
    values = used[-1]
    return any(
        len(lines[0]) == len(sources[0])
        and all(min(column) - NEAR <= x <= max(column) + NEAR
                for line in lines for x, column in zip(line, zip(*sources, strict=True), strict=True))
        for lines, sources in ((rows, values), ([*zip(*rows, strict=True)], [*zip(*values, strict=True)]))
    )  # fmt: skip


# Words of a statement, and a test of a step's numbers and those that it is computed from
CLAIMS = {
    r"divided by their root mean square": has_mean_square_1,
    r"[Ww]hy are masked scores set to −∞": lambda rows, used: "-inf" in str(rows),
    r"Why are the scores divided by": lambda rows, used: rows not in used or not any(map(any, rows)),
    r"[Ww]eights of row .* sum to 1\?|attention weights": are_shares,
    r"for each query the weighted mean|A weighted mean of the values": is_within_the_values,
    r"negative or 0\? => It is never": lambda rows, used: all(
        x > 0 or "-inf" in str(used) for row in rows for x in row
    ),
    r"mask removed some weights": lambda rows, used: any(x == 0 for row in rows for x in row),
    r"no γ.* given, so|the same numbers, renamed": lambda rows, used: rows == used[0],
    r"if the scores are not divided by": lambda rows, used: larger_without_scale(rows, used),
    r"index of the most probable": lambda rows, used: (
        [x for row in rows for x in row] == [line.index(max(line)) for line in used[0]]
    ),
}


def is_prediction_true(step, rows, text):
    """Whether the entry that a question calls the largest of its row is the only largest one."""
    prediction = re.search(
        r"Which column gets the largest weight in row (.+?)\? => column (.+?) \|", html.unescape(text)
    )
    if prediction is None:
        return True
    i, j = (
        labels.index(label[1:-1]) if labels and label[0] == "“" else int(label) - 1
        for label, labels in zip(prediction.groups(), (step["rows"], step["columns"]), strict=True)
    )
    return all(x < rows[i][j] for k, x in enumerate(rows[i]) if k != j)


def larger_without_scale(rows, used):
    """Whether dividing the scores made the largest weight of some row smaller."""

    def largest(scores):
        return max(math.exp(x) for x in scores) / sum(math.exp(x) for x in scores)

    return any(largest(before) > largest(after) for before, after in zip(used[0], rows, strict=True))


def statement(step):
    """What the page says of a step: its meaning, its question with the right answer, and the reason."""
    words = step["meaning"]
    if question := step["question"]:
        reason = question["feedback"][question["right"]]
        words += f" | {question['text']} => {question['right']} | {reason}"
    return re.sub(r"<[^>]+>", "", words)


@pytest.mark.sweep(quick=4, ci=10)
@pytest.mark.parametrize("item", ITEMS)
def test_what_a_page_says_is_true_of_its_numbers(item):
    false = []
    for seed, number in SEEDS:
        found = respond(ALL, {"do": "new", "item": item, "seed": seed, "number": number, "level": LEVELS})
        if number and found.get("faults"):
            continue  # an exercise without other numbers
        for stage in range(len(found["stages"])):
            page = ask("change", task={**found["task"], "stage": stage})
            seen = {entry["name"]: numbers(entry) for entry in (*page["givens"], *page["steps"])}
            for step in page["steps"]:
                text = statement(step)
                if step["name"] in seen and not is_prediction_true(step, seen[step["name"]], text):
                    false.append((number, step["name"], text))
                for words, holds in CLAIMS.items():
                    if re.search(words, text) and not holds(seen[step["name"]], [seen[name] for name in step["uses"]]):
                        false.append((number, step["name"], words, seen[step["name"]]))
    assert not false, false


def numbers(entry):
    return [
        [float(text) if re.fullmatch(r"-?(inf|[\d.]+(e-?\d+)?)", text) else text for text in row]
        for row in entry["cells"]
    ]


def test_the_statements_are_met():
    """Each of the words above is on a page."""
    asked = set()
    items = (
        "masked-self-attention layer-normalisation scores-to-weights two-heads an-encoder-layer the-next-word rms-norm"
    )
    for item, number in product(items.split(), range(3)):
        for step in ask("new", item=item, number=number, level=LEVELS)["steps"]:
            text = statement(step)
            asked |= {words for words in CLAIMS if re.search(words, text)}
    assert {*CLAIMS} - asked <= {r"mask removed some weights"}, {*CLAIMS} - asked


# What school mathematics explains, and what the meaning of its step explains
KNOWN = {"ln", "max", "sin", "cos", "argmax"}
SIGNS = re.findall(r"^  \[/(.+)/, \"", (PAGE.folder / "practice_messages.js").read_text(encoding="utf-8"), re.M)


def test_the_path_explains_each_function_of_its_formulas():
    """By the formula of an entry, or by a sentence of the page for this sign."""
    unknown = set()
    for item in items_of(course_of("path", None)):
        task = ask("new", item=item, level=LEVELS)
        for stage in range(len(task["stages"])):
            for step in ask("show", task={**task["task"], "stage": stage}, level=LEVELS)["steps"]:
                html = "".join(step["definition"] or [step["formula"]])
                called = {f"<mi>{name}<" for name in re.findall(r"<mi>(\w+)</mi><mo>\u2061", html) if name not in KNOWN}
                used = called.union(re.findall(r'<mo[^>]*>[|∘]<|∞|<mi mathvariant="normal">T<', html))
                unknown |= {(item, sign) for sign in used if not any(re.search(pattern, sign) for pattern in SIGNS)}
    assert SIGNS and not unknown, unknown


# Words of the field that the ideas use
TERMS = (
    "variance",
    "gradient",
    "logit",
    "memory",
    "query",
    "key",
    "value",
    "head",
    "<mtext>model<",
    "rowmean",
    "transpose",
)
TERM_SIGNS = {"dmodel": "<mtext>model<", "transpose": '<mi mathvariant="normal">T<'}


def test_the_path_explains_each_term_of_its_ideas():
    """By the words about this exercise or an earlier one, or by a sentence of the page for this word."""
    known, unknown = "", set()
    for name, item in items_of(course_of("path", None)).items():
        known += f"{item['title']} {item['about']} {item.get('question', '')} ".casefold()
        idea = re.sub(r"<style>.*?</style>|<[^>]+>", "", ask("idea", item=name)["html"], flags=re.S)
        used = {term for term in TERMS if re.search(rf"\b{term}", idea) and term not in known}
        unknown |= {(name, term) for term in used if not any(re.search(p, TERM_SIGNS.get(term, term)) for p in SIGNS)}
    assert not unknown, unknown
