"""A diagnosis hangs on the shape of a formula: under other names, and with steps merged, every mistake is named as
before.
"""

import random
import re
from pathlib import Path

import yaml

from attncalc import AttncalcError, load
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import Name, names, substitute, unparse
from attncalc.generator.distinguishability import certify
from attncalc.generator.numeric_view import NumericView
from attncalc.lessons.small_problems import CASES, problem
from attncalc.marking.report import check
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.resources import mistake_examples
from attncalc.submissions.step_matching import Bound, Filled
from tests.bench.classes import LESSONS, Maker
from tests.bench.marking import mistaken
from tests.support.scripts import Hand, script
from tests.support.sweeps import for_each

WORDS = ("score", "alpha", "context", "tmp", "step", "out", "m", "val", "res", "line", "foo", "block")
NAMED_BY_THE_LESSON = {  # products of single numbers have no shape of their own: only their names say what they count
    "32-parameters", "33-parameters-with-shared-keys", "34-the-key-value-cache", "35-operations-of-a-layer",
    "36-layers-compared", "37-the-weights-in-memory",
}  # fmt: skip
OF_SEVERAL_PARTS = {  # a name stands for another step in each
    "40-an-encoder-layer", "50-experts-chosen-by-a-gate", "52-weights-as-whole-numbers", "54-dropout",
    "57-rotary-positions-for-longer-texts", "62-what-training-takes", "68-two-updates-with-momentum",
    "69-patches-of-two-channels",
}  # fmt: skip
EXAMPLES = {Path(path).stem: path for path in mistake_examples()}


def other_names(plan, rng):
    """A name of an author's own for every step."""
    numbers = rng.sample(range(100), len(list(plan.steps())))
    return {step.name: Name(f"{rng.choice(WORDS)}{number}") for step, number in zip(plan.steps(), numbers, strict=True)}


def written_out(plan, names, merged=()):
    """The formulas of a plan under other names; a step in `merged` is written where it is used."""
    steps, inline = {}, {}
    for step in plan.steps():
        tree = substitute(step.tree, names | inline)
        if step.key in merged:
            inline[step.name] = tree
        else:
            steps[names[step.name].name] = unparse(tree)
    return steps


def renamed(raw, plan, rng, merged=()):
    """The problem with the lesson's formulas as steps of the author's, and which step went by which name."""
    names = other_names(plan, rng)
    kept = {key: raw[key] for key in ("title", "given", "vectors", "rounding") if key in raw}
    return load({**kept, "steps": written_out(plan, names, merged)}), {name: tree.name for name, tree in names.items()}


# Numbers without a formula: which pairs stand in which words, and how often; the words that a search leads to
BY_THE_LESSON = {
    "pairs-of-different-words", "greedy-for-beam",
}  # fmt: skip


@for_each("stem", [stem for stem in EXAMPLES if stem not in NAMED_BY_THE_LESSON | OF_SEVERAL_PARTS], quick=3)
def test_a_certificate_is_the_same_under_other_names(stem):
    raw = yaml.load(Path(EXAMPLES[stem]).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    one = load(EXAMPLES[stem])
    other, names = renamed(raw, one.plan, random.Random(stem))
    told = {
        (names[v.step], v.code)
        for v in certify(NumericView(one)).verdicts
        if v.kind == "separated" and v.code not in BY_THE_LESSON
    }
    assert told == {(v.step, v.code) for v in certify(NumericView(other)).verdicts if v.kind == "separated"}


@for_each("lesson", LESSONS, quick=0)
def test_a_mistake_is_named_under_other_names(lesson):
    """Scripts with one mistake, marked under the lesson's names and under an author's: what is named for one is named
    for the other.
    """
    rng = random.Random(lesson)
    raw, one = drawn(rng, lesson)
    other, names = renamed(raw, one.plan, rng)
    hand = Hand(rng, 3, "half_up")
    for mistake, step, _, bound in mistaken(rng, one, hand, 0.15):
        first = check(one, bound).first_wrong
        if first is None or mistake.code not in {cause.code for cause in first.causes}:
            continue
        told = check(other, under_other_names(bound, other, names)).first_wrong
        assert told is not None and told.step.name == names[first.step.name]
        assert mistake.code in {cause.code for cause in told.causes}, (mistake.code, step.formula)


@for_each("lesson", LESSONS, quick=2)
def test_a_mistake_is_named_where_one_step_does_what_a_lesson_does_in_more(lesson):
    """Some steps are written where they are used; a mistake in them is named at the step that holds them."""
    rng = random.Random(lesson)
    raw, one = drawn(rng, lesson)
    used = {key: [k for k, uses in one.plan.dependencies.items() if key in uses] for key in one.plan.entries}
    singly = [step for step in one.plan.steps() if len(used[step.key]) == 1]
    merged = {step.key for step in rng.sample(singly, len(singly) // 2)}
    other, names = renamed(raw, one.plan, rng, merged)
    verdicts, others = certify(NumericView(one)).verdicts, certify(NumericView(other)).verdicts
    told = {(names[v.step], v.code) for v in verdicts if v.kind == "separated" and v.step not in merged}
    assert told <= {(v.step, v.code) for v in others if v.kind == "separated"}
    inside = {v.code for v in verdicts if v.kind == "separated" and v.step in merged}
    missed = inside - {v.code for v in others}  # some may have become invisible: a value of 0 hides its weights
    assert len(missed) <= len(inside) // 10, missed


def drawn(rng, lesson):
    """A random problem of a lesson with the text that it was read from."""
    while True:
        try:
            raw = getattr(Maker(rng), lesson)()
            one = load(raw)
            script(one, Hand(rng, 2, "half_up"))
            return raw, one
        except (AttncalcError, ZeroDivisionError, ValueError):
            continue


def under_other_names(bound, other, names):
    """The same lines as answers to the problem whose steps go by other names."""
    steps = {step.name: step for step in other.plan.steps()}
    lines = [Filled(line.part, steps[names[line.step.name]], line.cells) for line in bound.steps]
    return Bound(bound.script, other, tuple(lines))


# What a student writes instead of the formula of a step, and the codes of which one names it.
INSTEAD = [
    (r"\bW_Q\b(?!\.T)", "W_K", {"query-key-swapped"}),
    (r"\bW_K\b(?!\.T)", "W_Q", {"query-key-swapped"}),
    (r"\bW_K\b(?!\.T)", "W_V", {"key-value-swapped"}),
    (r"\bW_V\b(?!\.T)", "W_K", {"key-value-swapped"}),
    (r"^(\S+ @ \w*W_(?!O\b)\w+)( \+ \w+)?$", r"\1.T\2", {"weights-transposed"}),
    (r"^(\S*\bH) @ \w*W_O$", r"\1", {"output-projection-forgotten"}),
    (r"(W_\w+)\[:, 0:2\]", r"\1[:, 2:4]", {"weights-of-another-head"}),
    (r"(W_\w+)\[:, 2:4\]", r"\1[:, 0:2]", {"weights-of-head-1"}),
    (r"^(cos|sin)\((\S+)\)$", r"\1(\2 * pi / 180)", {"angles-in-degrees"}),
    (r"^\((\S+ - \S+)\) / sqrt\(.*\)$", r"\1", {"deviation-not-divided"}),
    (r"^row_var\((\S+)\)$", r"row_mean(\1 ** 2)", {"variance-without-mean"}),
]


def analysed(lesson):
    plan = load(problem(lesson)).plan
    return [StepAnalysis(plan, step) for step in plan.steps() if not step.given]


@for_each("lesson", sorted(CASES))
def test_law_a_mistake_is_known_wherever_a_lesson_has_its_formula(lesson):
    missing = []
    for site in analysed(lesson):
        for find, put, codes in INSTEAD:
            formula = re.sub(find, put, site.step.formula)
            if formula != site.step.formula and site.node(parse(formula)) is not None:
                known = {unparse(tree) for code in codes for tree in catalogue()[code].trees(site)}
                if unparse(parse(formula)) not in known:
                    missing.append((site.step.name, site.step.formula, formula))
    assert not missing


@for_each("lesson", sorted(CASES))
def test_law_a_bias_is_left_out_only_where_the_problem_gives_one(lesson):
    for site in analysed(lesson):
        left_out = [names(site.step.tree) - names(tree) for tree in catalogue()["bias-forgotten"].trees(site)]
        assert all(re.fullmatch(r"\w*b_\w+", name) for used in left_out for name in used), site.step.formula
        assert all(left_out), site.step.formula
