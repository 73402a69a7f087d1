"""Make docs/auditing.md, what `attncalc check` finds in printed solutions: python docs/make_auditing.py

A person found the reasons in the last column, by hand and in float64 (tests/data). attncalc computes the other columns.
"""

import json
from pathlib import Path

from attncalc import load
from attncalc.api import check
from attncalc.errors import shorten
from attncalc.marking.expected_values import right_texts

WIDEST = 16  # characters of a number
DOCS = Path(__file__).parent
DATA = DOCS.parent / "tests" / "data"

DECKS = {
    "look-ahead-mask": "The slide truncates 0.3775 and 0.3156, but rounds 0.2584 to 0.26 and 0.4260 to 0.43.",
    "hi-how-are-you": (
        "The table is not a softmax of its scores. In the second row, the score 67 has a smaller weight than the "
        "score 31. The third row sums to 1.1."
    ),
}
MILD = {
    "truncated": "truncated instead of rounded",
    "last_digit": "wrong by one unit in the last digit",
    "too_coarse": "too few digits",
}

PAGE = """\
# Auditing published solutions

This page shows the errors that `attncalc check` reports in {count} published solutions, and the reason for each error.

`check` marks a published solution like a student's script:

    attncalc check PROBLEM PUBLISHED.yaml

It reports the first line that does not follow from the printed lines before it. Later lines that follow correctly
from this line are not errors. Exit code 1 means that a step is wrong or unanswered.

The solutions come from public lecture notes, blogs, notebooks and exams (`tests/data/examples`), and from two lecture
slides (`tests/data/decks`). They contain {lines} lines, which are printed answers to steps. {wrong} solutions have an
error, {mild} have only wrong digits, and {right} are right.

A person found the reasons in the last column without attncalc. `python docs/make_auditing.py` writes this page, and a
test compares the page with the reports of `check`.

## Solutions with an error

| source | first wrong line | right lines | printed numbers | correct numbers | named mistake | reason |
| --- | --- | --- | --- | --- | --- | --- |
{failing}

## Right, except for the digits

| source | line | difference | printed numbers | correct numbers | reason |
| --- | --- | --- | --- | --- | --- |
{inexact}

## Right

Some authors computed with rounded numbers, or with weights that have one decimal. `check` accepts such rounding. A
comparison with only the exact results would reject these solutions.

| source | remark |
| --- | --- |
{fine}
"""


def page() -> str:
    """The page's text."""
    failing, inexact, fine = [], [], []
    lines = 0
    for name, problem, answers, why in sources():
        report = check(load(problem), answers)
        written = [step for step in report.steps if step.line]
        lines += len(written)
        first = report.first_wrong
        mild = [step for step in written if step.verdict in MILD]
        if first is not None:
            good = sum(step.verdict != "wrong" for step in written)
            codes = ", ".join(f"`{cause.code}`" for cause in first.causes) or "–"
            failing.append(
                row(name, f"`{first.step.key}`", f"{good} of {len(written)}", *differing(report, first), codes, why)
            )
        elif mild:
            inexact += [
                row(name, f"`{step.step.key}`", MILD[step.verdict], *differing(report, step), why) for step in mild
            ]
        else:
            fine.append(row(name, why))
    count = len(list(sources()))
    mild_ones = count - len(failing) - len(fine)
    return PAGE.format(
        count=count, lines=lines, wrong=len(failing), mild=mild_ones, right=len(fine), failing="\n".join(failing),
        inexact="\n".join(inexact),
        fine="\n".join(fine),
    )  # fmt: skip


def sources():
    """Name, problem, what was printed, and what a person found."""
    for name, why in DECKS.items():
        yield f"{name} (slides)", name, DATA / "decks" / f"{name}.published.yaml", why
    for path in sorted((DATA / "examples").rglob("*.published.yaml")):
        stem = str(path).removesuffix(".published.yaml")
        expected = json.loads(Path(f"{stem}.expect.json").read_text(encoding="utf-8"))
        yield (
            f"{path.parent.name}/{path.name[:2]} {Path(stem).name[3:].lstrip('-')}",
            f"{stem}.problem.yaml",
            path,
            expected.get("cause") or "",
        )


def differing(report, found) -> tuple[str, str]:
    """The first entries that fail, or that are not the exact ones rounded: as printed, and as they should be."""
    context = report.context
    right = right_texts(context.true, found.step, found.digits, context.parts[found.step.key].rounding.mode)
    typed = {at: one.text for at, one in found.line.filled.cells.items()}
    failing = [(cell.row, cell.column) for cell in found.cells] if found.verdict == "wrong" else []
    other = failing or [(i, j) for (i, j), text in typed.items() if not same(text, right[i][j])] or list(typed)[:1]
    more = " …" if len(other) > 2 else ""
    pairs = [(typed[i, j], right[i][j]) for i, j in other[:2]]
    return tuple(", ".join(shorten(text, WIDEST) for text in texts) + more for texts in zip(*pairs, strict=True))


def same(text: str, right: str) -> bool:
    try:
        return float(text) == float(right)
    except ValueError:
        return text == right


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in cells) + " |"


if __name__ == "__main__":
    (DOCS / "auditing.md").write_text(page(), encoding="utf-8")
