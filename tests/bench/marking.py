"""Simulated classes under `attncalc check`: legal scripts, single mistakes, pairs, and mistakes that the catalogue
lacks.

    python -m tests.bench.marking legal --scripts 1000 --seed 1
    python -m tests.bench.marking mistakes --scripts 500 --digits 2
    python -m tests.bench.marking unknown --scripts 500
    python -m tests.bench.marking pairs --scripts 200
    python -m tests.bench.marking peers --scripts 1000

Scripts are worked out by `tests/support/scripts.py`, which knows no intervals.
"""

import argparse
import random
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

from rich.console import Console
from rich.table import Table

from attncalc.errors import AttncalcError
from attncalc.generator.distinguishability import certify, is_equal
from attncalc.generator.numeric_view import NumericView
from attncalc.generator.rejection_search import Search, rebuild
from attncalc.generator.request import Request, specification
from attncalc.marking.diagnosis import search as cause_module
from attncalc.marking.report import check
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.step_analysis import StepAnalysis
from tests.bench.classes import ATTENTION, LESSONS, problem
from tests.support.scripts import HABITS, Hand, script

LONGEST = 15  # a quotient by almost 0 is nobody's answer
REARRANGED = ("transposed", "rows-permuted", "columns-permuted")  # what the numbers are, not how they came about
ACCEPTED = ("right", "truncated", "too_coarse", "last_digit")


def legal_hand(rng, digits=None):
    """Any way to work that rule R1 calls legal."""
    return Hand(
        rng,
        digits if digits is not None else rng.randint(0, 5),
        rng.choice(HABITS),
        rng.choice(("full", *HABITS)),
        rng.choice((0, 0, 1, 2)),
        rng.choice(("print", "full", "guard", "mixed")),
        rng.random() < 0.5,
        rng.random() < 0.2,
    )


def drawn(rng, lesson, size=None, asked=None):
    while True:
        try:
            one = problem(rng, lesson, size, asked)
            script(one, Hand(rng, 2, "half_up"))
            return one
        except (AttncalcError, ZeroDivisionError, ValueError):
            continue


def selected(seed, lesson, digits):
    """Problems that the generator selected, one after another: every visible mistake separated."""
    search = Search(
        specification(
            Request(lesson, {}, {"mask": "causal"} if lesson == "self_attention" else {}, digits=digits, seed=str(seed))
        )
    )
    for variant in search.variants(10**6):
        yield rebuild(search, variant)


def legal(scripts, seed, lessons=LESSONS):
    """Legal scripts: how many lines of each verdict, and every line that was refused."""
    rng = random.Random(seed)
    found, refused, seconds = {lesson: Counter() for lesson in lessons}, [], Counter()
    for number in range(scripts):
        lesson = lessons[number % len(lessons)]
        one, hand = drawn(rng, lesson, asked=rng.choice((None, None, 1, 2, 3, 4))), legal_hand(rng)
        shown = rng.choice((1, 1, 0.6))
        try:
            bound = script(one, hand, shown=lambda step, shown=shown: rng.random() < shown)
        except ZeroDivisionError:  # a value that is not written down was cut to 0
            continue
        if any(text == "inf" for line in texts(bound).values() for text in line.values()):
            continue  # so was a probability, and its logarithm is nobody's answer
        start = time.perf_counter()
        report = check(one, bound)
        seconds[lesson] += time.perf_counter() - start
        found[lesson]["scripts"] += 1
        for key, line in report.context.lines.items():
            found[lesson][line.verdict] += 1
            found[lesson]["weak"] += line.weak
            found[lesson]["untold"] += line.is_uninformative
            if line.verdict not in ("right", "truncated", "too_coarse") and not line.is_uninformative:
                refused.append((number, lesson, key, line.verdict, hand))
    return found, refused, seconds


def twins(one):
    """For each mistake at a step, the others that give the same numbers there, whatever the digits: nothing can tell
    them apart.
    """
    found = {}
    verdicts = [v for v in certify(NumericView(one)).verdicts if v.kind == "separated"]
    for v in verdicts:
        found[v.code, v.step] = {
            w.code for w in verdicts if w.step == v.step and w.printed == v.printed and is_equal(v.box, w.box)
        }
    return found


def texts(bound):
    return {filled.step.key: {at: typed.text for at, typed in filled.cells.items()} for filled in bound.steps}


def mistaken(rng, one, hand, share):
    """Every script of a problem with one mistake that shows in its own line, a share of them at random."""
    try:
        right = texts(script(one, hand))
    except ZeroDivisionError:  # a variance that prints as 0
        return
    for mistake in catalogue().values():
        for step in one.plan.steps():
            for node in mistake.nodes(StepAnalysis(one.plan, step, one.columns)):
                if rng.random() > share:
                    continue
                try:
                    bound = script(one, hand, {step.key: node})
                except (ZeroDivisionError, ValueError, TypeError, OverflowError):
                    continue
                typed = texts(bound)[step.key].values()
                if texts(bound)[step.key] != right[step.key] and not any(
                    text == "nan" or len(text) > LONGEST for text in typed
                ):
                    yield mistake, step, node, bound


def mistakes(scripts, seed, digits, lessons=ATTENTION, size=None, hidden=None, generated=False):
    """Single mistakes: accepted, accepted since a legal script says the very same, named first, in a set, other causes
    named, told as rearranged, only the place told.

    A mistake that gives the same numbers as another, whatever the digits, is named where these are all that is named.

    `hidden` leaves a mistake's family out of the catalogue; `generated` takes problems that the generator selected.
    """
    streams = {lesson: selected(seed, lesson, digits) for lesson in lessons} if generated else {}
    rng = random.Random(seed)
    found = {lesson: Counter() for lesson in lessons}
    others = Counter()
    number = 0
    while sum(c["scripts"] for c in found.values()) < scripts:
        lesson = lessons[number % len(lessons)]
        number += 1
        one = next(streams[lesson]) if generated else drawn(rng, lesson, size)
        hand = Hand(rng, digits, "half_up", "full", 0, rng.choice(("print", "full")))
        alike = None
        for mistake, step, _, bound in mistaken(rng, one, hand, 0.1):
            count = found[lesson]
            count["scripts"] += 1
            if hidden:
                kept = {code: m for code, m in catalogue().items() if m.group != mistake.group}
                cause_module.catalogue = lambda kept=kept: kept
            start = time.perf_counter()
            try:
                report = check(one, bound)
            finally:
                cause_module.catalogue = catalogue
            count["seconds"] += time.perf_counter() - start
            line = report.context.lines[step.key]
            first = report.first_wrong
            if line.verdict in ACCEPTED:
                kind = (
                    "last digit"
                    if line.verdict == "last_digit"
                    else "legal"
                    if is_legal(one, hand, step, bound)
                    else "accepted"
                )
                count[kind] += 1
                if kind != "legal":
                    others[mistake.code, line.verdict] += 1
                continue
            count["place"] += first is not None and first.step.key == step.key
            codes = [c.code for c in first.causes] if first else []
            if mistake.code in codes:
                alike = alike or twins(one)
                is_first = codes[0] == mistake.code or set(codes) <= alike.get((mistake.code, step.key), set())
                count["first" if is_first else "in the set"] += 1
            elif codes and codes[0] in REARRANGED:
                count["rearranged"] += 1
            elif codes:
                count["other"] += 1
                others[mistake.code, codes[0]] += 1
            else:
                count["unnamed"] += 1
    return found, others


def is_legal(one, hand, step, bound):
    """Whether some legal hand, without any mistake, writes the very same lines up to this step.

    A number that stands for −∞ is legal where all other lines are those that −∞ gives.
    """
    keys = list(one.plan.entries)
    if stands_for_infinity(bound, script(one, hand), step):
        return True
    until = set(keys[: keys.index(step.key) + 1])
    wanted = {key: line for key, line in texts(bound).items() if key in until}
    ways = product(("print", "full", "guard", "guard"), HABITS, ("full", *HABITS), (False, True), (False, True))
    for carry, habit, hidden, shifted, products in ways:
        earlier = replace(hand, carry=carry)
        own = replace(earlier, habit=habit, hidden=hidden, shifted=shifted, products=products)
        try:
            found = texts(script(one, earlier, hands={step.key: own}))
        except ZeroDivisionError:
            continue
        if wanted == {key: line for key, line in found.items() if key in until}:
            return True
    return False


def stands_for_infinity(bound, other, step):
    """Whether a script differs from another only where a number of this step stands for −∞, and nothing follows from
    that: no mistake shows, and which number it is is free.
    """
    typed, right = texts(bound), texts(other)
    differing = {(key, at) for key in typed for at in typed[key] if typed[key][at] != right[key].get(at)}
    return all(key == step.key and right[key].get(at) == "-inf" for key, at in differing)


def pairs(scripts, seed, digits, lessons=ATTENTION, size=(3, 4, 3), generated=False):
    """Two mistakes in different steps, the second of which changes what follows from the first: both named."""
    rng = random.Random(seed)
    count = Counter()
    number = 0
    streams = {lesson: selected(seed, lesson, digits) for lesson in lessons} if generated else {}
    while count["scripts"] < scripts:
        number += 1
        lesson = lessons[number % len(lessons)]
        one = next(streams[lesson]) if generated else drawn(rng, lesson, size)
        hand = Hand(rng, digits, "half_up")
        singles = list(mistaken(rng, one, hand, 0.3))
        if len(singles) < 2:
            continue
        (a, first, x, _), (b, second, y, _) = rng.sample(singles, 2)
        if first.key == second.key:
            continue
        if one.plan.order[second.key] < one.plan.order[first.key]:
            (a, first, x), (b, second, y) = (b, second, y), (a, first, x)
        try:
            bound, alone = script(one, hand, {first.key: x, second.key: y}), script(one, hand, {first.key: x})
            other = script(one, hand, {second.key: y})
        except (ZeroDivisionError, ValueError, TypeError, OverflowError):
            continue
        typed = texts(bound)[second.key]
        numbers = all(text not in ("nan", "inf") and len(text) <= LONGEST for text in typed.values())
        if typed == texts(alone)[second.key] or not numbers:
            continue  # after the first mistake the second changes nothing, or nothing is a number
        if stands_for_infinity(bound, alone, second) or stands_for_infinity(bound, other, first):
            count["one of them legal"] += 1
            continue
        report = check(one, bound)
        named = {c.code for s in report.steps for c in s.causes}
        count["scripts"] += 1
        count["both named"] += {a.code, b.code} <= named
        count["both found"] += all(report.context.lines[s.key].verdict == "wrong" for s in (first, second))
    return count


def peers(scripts, seed, digits, lessons=ATTENTION):
    """Scripts that round each line: last lines that other systems' tolerances refuse though they are honest, and accept
    though a mistake of the catalogue changed what they print. attncalc sees all lines.
    """
    rules = {
        "R/exams, |x − t| ≤ 0.01": lambda x, t: abs(x - t) <= Fraction(1, 100),
        "PrairieLearn, rtol 1e-2, atol 1e-8": lambda x, t: abs(x - t) <= Fraction(1, 10**8) + abs(x) / 100,
        "WeBWorK, 0.1 %": lambda x, t: abs(x - t) <= abs(x) / 1000,
        "STACK, 5 %": lambda x, t: abs(x - t) <= abs(x) / 20,
    }
    rng = random.Random(seed)
    count = Counter()
    for number in range(scripts):
        one = drawn(rng, lessons[number % len(lessons)])
        exact = script(one, Hand(rng, 30, "half_up", carry="full")).steps[-1]
        bound = script(one, Hand(rng, digits, "half_up"))
        count["scripts"] += 1
        _under(rules, one, exact, bound, count, "honest, refused: ", False)
        hand = Hand(rng, digits, "half_up")
        wrong = [bound for *_, bound in mistaken(rng, one, hand, 0.02)]
        if wrong and _last(script(one, hand)) != _last(wrong[0]) and None not in _last(wrong[0]):
            count["wrong scripts"] += 1
            _under(rules, one, exact, wrong[0], count, "wrong, accepted: ", True)
    return count


def _last(bound):
    """What the last line prints as numbers; None for what is none."""
    return [None if cell.value is None else cell.text for cell in bound.steps[-1].cells.values()]


def _under(rules, one, exact, bound, count, what, accepted):
    """Counts the rules that accept, or refuse, the last line."""
    cells = [
        (Fraction(str(exact.cells[at].value)), Fraction(str(typed.value)))
        for at, typed in bound.steps[-1].cells.items()
    ]
    for name, rule in rules.items():
        count[what + name] += all(rule(x, t) for x, t in cells) == accepted
    verdicts = [line.verdict for line in check(one, bound).context.lines.values()]
    count[f"{what}attncalc"] += all(verdict in ("right", "truncated") for verdict in verdicts) == accepted


def _table(title, columns, rows):
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name == columns[0] else "right")
    for row in rows:
        table.add_row(*map(str, row))
    Console(width=140).print(table)


def _percent(part, whole):
    return f"{100 * part / whole:.2f} %" if whole else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("legal", "mistakes", "unknown", "pairs", "peers"))
    parser.add_argument("--scripts", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--digits", type=int, default=2)
    parser.add_argument("--lessons", default="")
    parser.add_argument("--generated", action="store_true", help="problems that `attncalc generate` selected")
    given = parser.parse_args()
    lessons = tuple(given.lessons.split(",")) if given.lessons else None
    if given.what == "legal":
        found, refused, seconds = legal(given.scripts, given.seed, lessons or LESSONS)
        rows = [
            (lesson, c["scripts"], sum(c[v] for v in c if v not in ("scripts", "weak", "untold")), c["truncated"],
             c["weak"], c["untold"],
             sum(1 for r in refused if r[1] == lesson), f"{1000 * seconds[lesson] / max(1, c['scripts']):.1f}")
            for lesson, c in found.items()
        ]  # fmt: skip
        _table("Legal scripts", ("lesson", "scripts", "lines", "cut", "weak", "untold", "refused", "ms a script"), rows)
        for one in refused[:20]:
            print(one)
    elif given.what in ("mistakes", "unknown"):
        found, others = mistakes(
            given.scripts,
            given.seed,
            given.digits,
            lessons or ATTENTION,
            hidden=given.what == "unknown",
            generated=given.generated,
        )
        rows = [
            (lesson, c["scripts"], _percent(c["accepted"], c["scripts"]), _percent(c["legal"], c["scripts"]),
             _percent(c["last digit"], c["scripts"]),
             _percent(c["place"], c["scripts"] - c["accepted"] - c["legal"] - c["last digit"]),
             _percent(c["first"], c["scripts"]),
             _percent(c["in the set"], c["scripts"]), _percent(c["other"], c["scripts"]),
             _percent(c["rearranged"], c["scripts"]), _percent(c["unnamed"], c["scripts"]),
             f"{1000 * c['seconds'] / max(1, c['scripts']):.1f}")
            for lesson, c in found.items()
        ]  # fmt: skip
        columns = (
            "lesson",
            "scripts",
            "accepted",
            "legal",
            "last digit",
            "place found",
            "named first",
            "in a set",
            "other",
            "rearranged",
            "unnamed",
            "ms",
        )
        _table(f"{given.what}, {given.digits} decimals", columns, rows)
        print(others.most_common(12))
    else:
        rule, more = (pairs, {"generated": given.generated}) if given.what == "pairs" else (peers, {})
        count = rule(given.scripts, given.seed, given.digits, lessons or ATTENTION, **more)
        _table(
            given.what, ("what", "scripts", "share"), [(k, v, _percent(v, count["scripts"])) for k, v in count.items()]
        )


if __name__ == "__main__":
    main()
