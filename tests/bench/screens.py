"""`python -m tests.bench.screens [words]`: every page of HTML that attncalc writes, on the screen of a desk and of a phone,
by day and by night: what axe calls serious, what is wider than its screen, what cannot be reached. Exits with 1 where
something is found. `words` choose the pages whose names have one of them.

axe-core is read as tests/support/audited.py says. The pages that a server shows (practice, typing in a class) are audited by the
tests of these, since they show only what a person has done: `make screens` runs both.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attncalc import solve
from attncalc.explain.mistake_page import examples
from attncalc.explain.report_document import report_document
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.lessons import LESSONS
from attncalc.marking.report import check
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.mistake import Mistake
from attncalc.render import html
from attncalc.resources import problem_names
from tests.support.audited import AXE, SCREENS, faults
from tests.support.browsing import chromium
from tests.support.called import called
from tests.support.scripts import Hand, script

from .grading import write_class

WAYS = (("--exact",), ("--fade", "2"), ("--explain", "full"))
IN_SHORT = SCREENS[::2]  # for what was seen in another way on every screen: each width and each colour once
SCRIPTS = 12
# The worked lines that appear beside entries are all alike, and most of a page: some of them are looked at.
FEWER = "() => [...document.querySelectorAll('.why')].slice(20).forEach(one => one.remove())"


def commands() -> Iterator[tuple[str, ...]]:
    """Each command that writes a page of what attncalc brings along."""
    yield from (("solve", name) for name in problem_names())
    yield from (("mistakes",), ("lessons",), ("functions",), ("problems",))
    yield from (("mistakes", code) for code in catalogue())
    yield from (("lessons", name) for name in LESSONS)
    yield from (("generate", name, "--seed", "7") for name in RECIPES)
    yield from ((command, name) for command in ("plan", "problems") for name in problem_names())


def report(mistake: Mistake) -> str:
    """The page of a script with the mistake, carried on; empty where no small problem shows it."""
    example = next(examples(mistake), None)
    if example is None:
        return ""
    hand = Hand(random.Random(1), 2, "half_up")
    bound = script(example.problem, hand, {example.step.key: example.node})
    return html.write(report_document(check(example.problem, bound), solve(example.problem)))


def of_a_class(folder: Path) -> Iterator[tuple[str, ...]]:
    """What `grade` writes, and the commands that read it."""
    write_class(folder, SCRIPTS, 3)
    key, scripts, marks, changes = (str(folder / name) for name in ("key.json", "scripts", "marks.csv", "changes.yaml"))
    page = folder / "class.html"
    called("grade", key, scripts, "-o", marks, "--report", page, "--feedback", folder / "feedback", "--to", "html")
    Path(changes).write_text("questions: {q1: {points: 9}}\n", encoding="utf-8")
    yield from (("file", str(path)) for path in sorted(folder.rglob("*.html")))
    yield from (
        ("remark", key, changes, scripts),
        ("compare", marks, marks),
        ("stress", "attention-midterm", "-n", "4"),
    )


def told(*words: str) -> str:
    _, text, fault = called(*words, "--to", "html")
    assert text, fault
    return text


def pages(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Every page: its name, and what makes it."""
    yield from ((" ".join(words), partial(told, *words)) for words in commands())
    for code, mistake in catalogue().items():
        yield f"check {code}", partial(report, mistake)
    for words in of_a_class(folder):
        kind, *rest = words
        made = partial(Path(rest[0]).read_text, encoding="utf-8") if kind == "file" else partial(told, *words)
        yield f"{kind} {Path(rest[0]).name}", made
    for way in WAYS:  # at the end, since pages with every entry worked out are large
        yield from (
            (" ".join(words), partial(told, *words)) for words in (("solve", name, *way) for name in problem_names())
        )


def main() -> None:
    words = sys.argv[1:]
    seen: Counter[str] = Counter()
    found = 0
    if not AXE.is_file():
        sys.exit(
            f"expected axe-core, found no {AXE}: npm install axe-core, and name its folder in ATTNCALC_NODE_MODULES"
        )
    with chromium() as browser, TemporaryDirectory() as folder:
        page = browser.new_page()
        for name, made in pages(Path(folder)):
            if words and not any(word in name for word in words) or not (text := made()):
                continue
            assert "</html>" in text, f"{name} is no page"
            print(name, file=sys.stderr, flush=True)  # this takes long
            page.set_content(text)
            page.evaluate(FEWER)
            seen[name.split()[0]] += 1
            in_short = any(name.endswith(" ".join(way)) for way in WAYS)
            for fault in faults(page, name, IN_SHORT if in_short else SCREENS):
                print(*fault, flush=True)
                found += 1
    print(
        f"{seen.total()} pages on {len(SCREENS)} screens: {found} faults ({', '.join(f'{n} {kind}' for kind, n in seen.items())})"
    )
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
