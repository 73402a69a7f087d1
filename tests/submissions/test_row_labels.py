"""Labels of the rows of a table: words of any kind are labels, and what may be an entry is not."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

ROWS = [["0.25", "-0.5"], ["0", "0.75"]]
LABELS = (
    ("<sos>", "I"), ("the cat", "cat sat"), ("Input 1", "Input 2"), ("second key", "first key"), ("l o", "o w"), ("<start>", "le"),
    ("New York", "le"), ("it's", "x"), ("A B", "C D"), ("don't know", "S"), ("**the cat**", "`<eos>`"), ("el gato", "ß straße"),
)  # fmt: skip
ENTRIES = (
    ("l.OO", "~1.00"),
    ("I", "l"),
    ("O", "S"),
    ("O.5", "see 1"),
    ("nan", "nan"),
    ("x", "-"),
    ("0.5", "see below"),
    ("≈0.5", "O.75"),
)
HEADS = ("| | | |", "| token | a | b |", "| | a | b |")


def table(head, labels, rows):
    lines = [f"| {label} | {' | '.join(row)} |" for label, row in zip(labels, rows, strict=True)]
    return "\n".join([head, "|---|---|---|", *lines])


def bound_of(text, labels, columns=2):
    given = {"rows": [*labels], "values": [[1, -2], [0, 3]]} if labels else [[1, -2], [0, 3]]
    formula = "X / 4" if columns == 2 else "concat(X, X[:, 0]) / 4"
    problem = load({"given": {"X": given}, "steps": {"S": formula, "Q": "X.T @ X"}})
    return bind(read(text, "a.md", lenient=True), problem, lenient=True)


@for_each("before", ["S =\n\n", "## S\n\n", "S:\n\n"])
@for_each("head", HEADS)
@for_each("labels", LABELS)
@for_each("is_known", [True, False])
def test_law_words_in_the_first_column_are_labels(labels, head, before, is_known):
    plain = tuple(label.strip("*`") for label in labels)
    bound = bound_of(before + table(head, labels, ROWS), plain if is_known else ())
    cells = {at: typed.text for at, typed in bound.find("S").cells.items()}
    assert cells == {(i, j): entry for i, row in enumerate(ROWS) for j, entry in enumerate(row)} and not bound.unread


@for_each("labels", LABELS)
def test_law_rows_in_another_order_are_matched_by_their_labels(labels):
    bound = bound_of("## S\n\n" + table(HEADS[0], labels[::-1], ROWS[::-1]), [label.strip("*`") for label in labels])
    cells = {at: typed.text for at, typed in bound.find("S").cells.items()}
    assert cells == {(i, j): entry for i, row in enumerate(ROWS) for j, entry in enumerate(row)}


@for_each("head", ["| | | |", "| a | b | c |"])
@for_each("entries", ENTRIES)
def test_law_what_may_be_an_entry_is_no_label(entries, head):
    bound = bound_of("S =\n\n" + table(head, entries, ROWS), (), columns=3)
    assert "S" in {piece.step for piece in bound.unread} or "S" in bound.words or bound.find("S") is not None
    assert "S" not in bound.shapes


@for_each("name", ["before", "sample", "example"])
def test_a_heading_that_names_a_part_is_no_quote(name):
    problem = load({"parts": {name: {"given": {"X": [[1, 2]]}, "steps": {"S": "X / 4"}}}})
    bound = bind(read(f"## {name}.S\n\n0.25 0.5\n", "a.md", lenient=True), problem, lenient=True)
    assert bound.find(f"{name}.S") is not None and not bound.unread
