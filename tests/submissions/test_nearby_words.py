"""Words beside an answer: it counts in silence only if they change no number, and whatever looks like an answer is
used or reported.
"""

from __future__ import annotations

import json

import pytest

from attncalc import load
from attncalc.gradebook.instructor_questions import ticks
from attncalc.submissions.answer_file import blank
from attncalc.submissions.located_text import whole
from attncalc.submissions.number_parser import entry
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = load({
    "title": "Four steps",
    "given": {"X": [[1, -2, 3], [0, 1, -1]], "W": [[1, 2], [-1, 1], [2, -3]], "u": [3, -1, 2]},
    "steps": {"S": "X @ W / sqrt(2)", "A": "softmax(X)", "z": "softmax(u)", "c": "sum(u) / 7"},
})  # fmt: skip
VALUES = {
    "S": [["6.3640", "-6.3640"], ["-2.1213", "2.8284"]],
    "A": [["0.1185", "0.0059", "0.8756"], ["0.2447", "0.6652", "0.0900"]],
    "z": [["0.7214", "0.0132", "0.2654"]], "c": [["0.5714"]],
}  # fmt: skip
FORMS = {
    "lists": lambda rows: "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]",
    "MATLAB": lambda rows: "[" + "; ".join(" ".join(row) for row in rows) + "]",
    "latex": lambda rows: "\\begin{pmatrix} " + " \\\\ ".join(" & ".join(row) for row in rows) + " \\end{pmatrix}",
}
GAPS = ("\n", "\n\n")
SOURCES = ("a.txt", "a.md", "a.tex")


def line(step: str, form: str = "lists") -> str:
    return f"{step} = {VALUES[step][0][0] if step == 'c' else FORMS[form](VALUES[step])}"


def script(step: str, text: str, gap: str = "\n\n", at: int | None = None, form: str = "lists") -> str:
    """The answers to all steps; one has this text, maybe at another place."""
    pieces = [line(name, form) for name in VALUES if name != step]
    pieces.insert([*VALUES].index(step) if at is None else at, text)
    return gap.join(pieces) + "\n"


def looked_at(text: str, source: str = "a.md") -> set[str]:
    """The steps with something that a person has to read. Each is placed at a line and a column."""
    bound = bind(read(text, source, lenient=True), PROBLEM, lenient=True)
    assert all(piece.fault.place.line and piece.fault.place.column for piece in bound.unread)
    return {piece.step for piece in bound.unread}


def left_over(text, source="a.txt"):
    """Whether a line or matrix is left, which a person looks at if points are lost."""
    return bool(bind(read(text, source, lenient=True), PROBLEM, lenient=True).left)


def answered(text: str, source: str = "a.md") -> set[str]:
    """The steps that are answered; each as it was meant."""
    bound = bind(read(text, source, lenient=True), PROBLEM, lenient=True)
    for filled in bound.steps:
        rows = VALUES[filled.step.name]
        assert {at: typed.text for at, typed in filled.cells.items()} == {
            (i, j): entry for i, row in enumerate(rows) for j, entry in enumerate(row)
        }
    return {filled.step.name for filled in bound.steps}


# -- words that may change an answer -----------------------------------------------------------------------------------

CHANGES = (
    "but with opposite signs", "this is wrong", "wrong", "do not count", "all signs flipped", "the rows are in the wrong order",
    "not my answer", "from the lecture", "only a guess", "copied from Bob", "upside down", "aber falsch", "mit falschem Vorzeichen",
    "au signe près", "✗", "👎", "crossed out", "replaced below", "durchgestrichen", "see the other sheet", "ungültig", "错误",
)  # fmt: skip
BEHIND = (
    "{}, {}",
    "{}. {}",
    "{}; {}",
    "{} # {}",
    "{} ({})",
    "{} -- {}",
    "{} <- {}",
    "{} {}",
    "{}   {}.",
    "{}! {}",
    "{} [{}]",
)


@for_each("form", FORMS, quick=25, ci=25)
@for_each("step", ["S", "z", "c"])
@for_each("words", CHANGES)
def test_law_words_behind_an_answer_that_are_not_neutral_are_reported(words, step, form):
    for frame in BEHIND:
        for source in SOURCES:
            text = script(step, frame.format(line(step, form), words))
            assert step in looked_at(text, source), (source, text)
            assert answered(text, source) >= {*VALUES} - {step}


BEFORE = (
    "Example: ", "Expected: ", "Given: ", "TA: ", "hint: ", "guess: ", "before: ", "durchgestrichen: ", "Bob: ", "Old value: ",
    "The example in the lecture has ", "The solution of my neighbour: ", "Beispiel: ", "Musterlösung: ", "My friend says ",
    "(from the slides) ", "I first thought ", "e.g., ", "E.g. ", "z. B. ", "z.B.: ", "Answer key: ", "The correct answer is ", "To show: ",
    "Show that ", "Their: ", "Error: ", "Not ", "not equal: ", "Do not use ", "cancelled: ", "Version 1, ignore: ", "falsch: ",
)  # fmt: skip


@for_each("form", FORMS, quick=25, ci=25)
@for_each("step", ["S", "z", "c"])
@for_each("words", BEFORE)
def test_law_words_before_an_answer_that_are_not_of_its_working_are_reported(words, step, form):
    for source in SOURCES:
        for gap in GAPS:
            assert step in looked_at(script(step, words + line(step, form), gap), source)


LABELS = (
    "Example",
    "Expected",
    "Given",
    "TA",
    "Hint",
    "Old",
    "Guess",
    "Draft",
    "Crossed out",
    "Beispiel",
    "Musterlösung",
    "From the lecture",
)


@for_each("frame", ["{}:\n{}", "{}:\n\n{}", "## {}\n\n{}", "### {}:\n{}", "**{}:**\n\n{}"], quick=25, ci=25)
@for_each("step", VALUES)
@for_each("label", LABELS)
def test_law_numbers_below_a_heading_of_others_are_reported(label, step, frame):
    assert step in looked_at(script(step, frame.format(label, line(step))))


RETRACTIONS = (
    "This is wrong, do not grade it.", "(swap the rows of S)", "Ignore everything above.", "The sign is wrong, it should be negative.",
    "correct the first entry to 7", "Instead it is 0.7", "Please do not count this.", "Sorry, the two rows are swapped.",
    "Das ist falsch.", "Bitte nicht werten!", "Zeilen vertauscht", "C'est faux.", "✗", "must be 7", "(crossed out)",
    "Scratch that.", "Cancel this", "no!", "Forget it.", "I take this back.", "Above is from my neighbour", "Nicht gewertet", "Vertauschte Zeilen",
    "Actually the minus is missing.", "The first entry should be nine.", "x", "Final: seven", "I now think it is seven", "Only a draft", "Draft.",
    "I changed my mind.", "Use the one below.", "On second thought, no.", "Please skip this one.", "Never mind that", "nope", "Hold on",
    "Don't look at this", "This was for the other problem", "Error!", "All values should be multiplied by 2.",
    "see next page for my real answer", "The real answer is on page 2.", "See the next page.", "see page 3", "See other sheet for the answer",
    "Answer is on the back", "Solution on the other side", "My correct answer is below", "The correct result is below.", "See below for the correct version.",
    "please grade the second one", "Grade the other one", "I redid this on page 4", "redone below", "Corrected below.", "see correction below",
    "A better answer follows.", "Updated on the last page.", "the actual values are in the attachment", "see attached photo", "Please see my scan.",
    "Siehe nächste Seite", "Siehe Rückseite", "Meine richtige Antwort steht auf der nächsten Seite.", "Die richtige Lösung steht unten.",
    "Bitte die zweite Version werten", "Neue Lösung unten", "voir page suivante", "La bonne réponse est à la page 2", "véase la página siguiente",
    "Only the last one counts.", "the one below counts", "take the lower one", "Please skip.", "My other answer is the right one",
    "The answer above is not complete.", "This is for another variant.", "The answer is in the Excel file.", "See my notebook for the real values",
)  # fmt: skip


@for_each("step", VALUES, quick=25, ci=25)
@for_each("words", RETRACTIONS)
def test_law_a_line_that_takes_an_answer_back_is_reported(words, step):
    for source in SOURCES:
        for gap in GAPS:
            for after in ("\n", "\n\n"):
                assert step in looked_at(script(step, f"{line(step)}{after}{words}", gap), source)


# -- words that change nothing -----------------------------------------------------------------------------------------

NEUTRAL_BEHIND = (
    "(rounded)", "(rounded to 4 decimals)", "# final answer", "✓", "(4 d.p.)", "(approximately)", "# rounded to four places", "(gerundet)",
    "(auf 4 Stellen gerundet)", "(arrondi)", "# done",
)  # fmt: skip
NEUTRAL_BEFORE = (
    "", "Hence ", "Thus we get ", "So the result is ", "Therefore, ", "(a) ", "a) ", "1. ", "- ", "Step 3: ", "Final answer: ", "Question 2: ",
    "Multiplying the matrices we obtain ", "Next we divide by the root, which gives ", "After softmax: ", "Damit ist ", "Also gilt ",
    "Somit erhalten wir ", "Donc ", "By applying the softmax row-wise we get ", "Scaled: ", "The scores are ", "The attention weights: ",
    "For the scores I took the dot product of each query with each key. This gives ", "Dividing by sqrt(2) = 1.414 results in ",
    "Since the mask hides the future, the upper triangle becomes -inf: ", "Now we can calculate ", "Let's compute ", "Putting it all together: ",
    "By the definition of softmax we have ", "Plugging in the values: ", "Using the formula above, ", "Das Ergebnis lautet ", "In total, ",
    "Wir berechnen nun die Gewichte ", "Durch Einsetzen erhält man ", "**Solution:** ", "Lösung: ", "Aufgabe 1: ", "Result: ", "Answer: ", "The dot products of the rows give ",
)  # fmt: skip
LINES = (
    "Now we compute the scores.", "I used a calculator.", "Then we apply softmax to each row.", "The rows sum to one.", "Exercise 2",
    "Multiply X with W and divide by the root of two.", "Anna Müller, 00417", "Here we take the transpose of K.",
    "The largest entry decides which token gets most attention.", "Als Nächstes wenden wir Softmax an.", "(rounded to 4 decimals)",
    "The softmax turns the scores into probabilities instead of raw numbers.", "We ignore the bias here.", "I hope this is not wrong.",
    "We must be careful with the signs.", "The result should be a 2x2 matrix.", "False positives do not matter here.",
    "I replaced the masked entries with -inf.", "This would be 0 without the mask.", "Note that the mask prevents attending to future tokens.",
    "Compute S, A, z and c. Do not round intermediate results.", "Page 2", "That was not hard.",
    "The correct result follows from the definition above.", "We use the result above in the next step.", "Continued on the next page", "Page 2 of 3",
    "See the lecture slides, page 4, for the formula.", "The values are the same as in the other head.", "The other rows are computed in the same way.",
    "The true values are exact fractions.", "Below the diagonal the values stay the same.", "Auf der rechten Seite steht die Matrix.", "Seite 2",
    "Each row of the output is a different mix of the values.", "The formula from page 3 of the script gives this.", "Solutions to sheet 4", "Lösungen zu Blatt 4",
    "Please find my answers below.", "Hi, here are my answers. Sorry for the delay.", "Not sure if this is right.", "Wie oben gezeigt ist die Summe 1.",
)  # fmt: skip


@for_each("step", ["S", "A", "z"], quick=25, ci=25)
@for_each("words", NEUTRAL_BEFORE)
def test_law_words_of_the_working_before_an_answer_cost_nothing(words, step):
    text = script(step, words + line(step))
    assert (answered(text), looked_at(text)) == ({*VALUES}, set())


@for_each("step", VALUES, quick=25, ci=25)
@for_each("words", NEUTRAL_BEHIND)
def test_law_words_about_rounding_behind_an_answer_cost_nothing(words, step):
    text = script(step, f"{line(step)} {words}")
    assert (answered(text), looked_at(text)) == ({*VALUES}, set())


@for_each("at", range(4), quick=25, ci=25)
@for_each("words", LINES)
def test_law_a_sentence_between_answers_costs_nothing(words, at):
    pieces = [*map(line, VALUES)]
    pieces.insert(at, words)
    assert (answered("\n\n".join(pieces)), looked_at("\n\n".join(pieces))) == ({*VALUES}, set())


# -- answers that are not read -----------------------------------------------------------------------------------------

UNREAD = (
    "c <- 0.5714", "c is 0.5714", "c equals 0.5714", "The value of c is 0.5714", "Step c: 0.5714", "Schritt c: 0.5714",
    "Answer c: 0.5714", "c 0.5714", "c | 0.5714", "c - 0.5714", "c → 0.57", "(c) 0.5714", "c) 0.5714", "c. 0.5714", "(c = 0.5714)",
    "[c = 0.5714]", "\\Rightarrow c = 0.5714", "<b>c</b> = 0.5714", "c (1x1 = 0.5714", "Final answer: 0.5714", "Result: 0.57",
    "c = not 0.5714", "c\nO.5714", "c\n~0.5714", "c\n'0.5714", "## c\nO.5714", "c:\n~0.5714", "c = four sevenths", "c = n/a",
    "c = no idea", "c: n/a", "c = vier Siebtel", "c = one half", "c = 0.5714?!x", "c = O.57I4", "c[0 = 0.5714", "c = see above",
    "c: see above", "c = siehe oben", "c = as above", "c = (see below)",
)  # fmt: skip


@for_each("source", SOURCES, quick=25, ci=25)
@for_each("gap", GAPS)
@for_each("text", UNREAD)
def test_law_an_answer_that_is_not_read_is_reported_wherever_it_is(text, gap, source):
    for at in range(4):
        whole = script("c", text, gap, at)
        assert "c" in answered(whole, source) or {"c", ""} & looked_at(whole, source) or left_over(whole, source), whole


@for_each("source", SOURCES)
@for_each("text", ["", "c = _", "c = ?", "c = softmax(u)", "c = sum(u) / 7 = ...", "We still need the mean."])
def test_a_step_without_an_answer_is_not_reported(text, source):
    assert "c" not in answered(script("c", text), source)
    assert not looked_at(script("c", text), source) or text == "c = sum(u) / 7 = ..."


@for_each("sign", [" = ", ": ", ":"])
@for_each("text", ["?", "—", "-", "n.a.", "–"])
@for_each("source", SOURCES)
def test_law_a_sign_for_a_blank_is_named(source, text, sign):
    bound = bind(read(script("c", f"c{sign}{text}"), source, lenient=True), PROBLEM, lenient=True)
    told = (*bound.notes, *(piece.fault.message for piece in bound.unread))
    assert not bound.find("c") and any(repr(text) in note for note in told), bound.notes


def test_an_index_that_is_not_closed_is_reported():
    text = script("z", "z[0,0] = 0.7214\nz[0,1] = 0.0132\nz[0,2 = 0.2654")
    assert looked_at(text) == {"z"}


# -- strikes, comments, and answers in two forms -----------------------------------------------------------------------


@for_each("step", VALUES)
@for_each(
    "frame", ["~~\n{}\n~~", "<del>\n{}\n</del>", "<s>\n{}\n</s>", "~~{}\n\n~~", "~~ {} ~~", "~~{}~~", "<s>{}</s>"]
)
def test_law_an_answer_that_is_crossed_out_somehow_does_not_count_in_silence(frame, step):
    text = script(step, frame.format(line(step)))
    assert step in looked_at(text) or step not in answered(text)


@for_each(
    "words",
    ["wrong, do not count", "this is wrong", "Ignore everything above", "falsch", "swap the rows", "wrong, see below"],
)
@for_each("head", ["", "answers:\n"])
def test_law_a_comment_of_an_answer_file_that_takes_an_answer_back_is_reported(head, words):
    indent = "  " * bool(head)
    lines = [f"{indent}{name}: {FORMS['lists'](VALUES[name])}" for name in VALUES]
    for beside in (f"  # {words}", f"\n# {words}", f"\n{indent}# {words}"):
        text = head + "\n".join([lines[0] + beside, *lines[1:]]) + "\n"
        assert answered(text, "a.yaml") == {*VALUES} and looked_at(text, "a.yaml") == {"S"}
    assert not looked_at(head + "\n".join([lines[0] + "  # rounded", *lines[1:]]) + "\n", "a.yaml")


@for_each("words", ["I changed my mind", "use the one below", "old", "first try", "not this", "no", "superseded"])
def test_law_a_comment_behind_a_value_with_words_that_are_not_neutral_is_reported(words):
    lines = [f"{name}: {FORMS['lists'](VALUES[name])}" for name in VALUES]
    assert looked_at("\n".join([f"{lines[0]}  # {words}", *lines[1:]]) + "\n", "a.yaml") == {"S"}


def test_the_comments_of_a_blank_answer_file_take_nothing_back():
    problem = load({"given": {"x": 2}, "steps": {"c": "x * 2"}, "ask": "Ignore the mask; replace x instead."})
    form = blank(problem).replace("c: _", "c: 4")
    assert "instead" in form and not bind(read(form, "a.yaml"), problem).unread


@for_each("cell", ["wrong", "ignore this", "do not count", "falsch"])
def test_a_cell_that_takes_an_answer_back_is_reported(cell):
    rows = "\n".join(",".join(row) for row in VALUES["S"])
    for text in (f"S,\n{rows}\n{cell},\n", f"S\n{rows}\n\n{cell}\n"):
        assert looked_at(text, "a.csv") == {"S"}


@for_each("source", ["a.md", "a.txt"])
@for_each("step", VALUES)
def test_law_an_answer_and_the_same_answer_rounded_are_one_answer(step, source):
    def rounded(places):
        rows = [[f"{float(entry):.{places}f}" for entry in row] for row in VALUES[step]]
        return f"{step} = {rows[0][0] if step == 'c' else FORMS['lists'](rows)}"

    for places in (2, 3):
        for texts in ((line(step), rounded(places)), (rounded(places), line(step))):
            text = script(step, "\n\n".join(texts))
            assert (answered(text, source), looked_at(text, source)) == ({*VALUES}, set())
    other = (
        line(step)
        .replace("5714", "5716")
        .replace("7214", "7216")
        .replace("6.3640", "6.3643")
        .replace("0.1185", "0.1188")
    )
    assert step in looked_at(script(step, f"{line(step)}\n\n{other}"), source)


# -- questions that are answered with letters --------------------------------------------------------------------------

UNCLEAR_LETTERS = (
    "My answer to q2 is A.", "q2: A,\nB", "q2: A\nq2: B", "q2: B\nq2: A", "q2: A\nno, q2: B", "q2: A\nCorrection: q2: B",
    "wrong: q2: A", "> q2: A", "q2.Z = [[1, 2]]", "q2:\n- A\n- B", "q2: A\nB", "q2: A\n\nB", "2. A\nB",
    "Question 2\nA\nB", "Question 2\nI choose A.", "2. A, since C is too large", "q2: A\nCorrection: B", "q2: A\n\nNew answer: B",
    "q2: A\nfinal: B, C", "q2: A\nno, B", "Question 2: A or B", "Question 2\nA or B", "2. A\n3. B\n2. C", "2. A\n[[1, 2]]",
    "q2: A\nwrong: B", "q2: A\nanswer to question 2: B", "Aufgabe 2\nnicht A", "Question 2\nthe second one", "Question 2 (A)\nB",
)  # fmt: skip


@for_each("source", SOURCES, quick=25, ci=25)
@for_each("text", UNCLEAR_LETTERS)
def test_law_letters_that_are_not_read_are_reported(text, source):
    script_read = read(f"{line('c')}\n\n{text}\n", source, lenient=True, words=frozenset({"q2", "q3"}))
    assert "q2" not in script_read.words and "q2" in {piece.step for piece in script_read.unread}


TAKEN_BACK = ("This is wrong.", "I mean B", "Sorry, it should be C.", "Ignore this.", "falsch", "I changed my mind: B")


@for_each("name", ["q2: A", "2. A", "Question 2\nA", "Q2: A", "| 2 | A |"], quick=25, ci=25)
@for_each("words", (*TAKEN_BACK, *(f"Thanks\nM\n{words}" for words in TAKEN_BACK)))
def test_law_words_that_take_letters_back_are_reported(words, name):
    script_read = read(f"{line('c')}\n\n{name}\n{words}\n", "a.md", lenient=True, words=frozenset({"q2", "q3"}))
    assert "q2" in {piece.step for piece in script_read.unread}


@for_each("name", ["q2: A", "2. A", "Question 2\nA", "Question 2: A"])
@for_each(
    "closing", ["Thanks", "Best regards,", "Viele Grüße", "Merci !", "Kind regards", "LG", "MfG,", "Many thanks."]
)
@for_each("initial", ["\nM", "\nB.", "\n\nB", " B", ", M.", "\n  (B)", ""])
def test_law_the_first_letter_of_a_name_below_a_closing_word_is_no_answer(initial, closing, name):
    text = f"{line('c')}\n\n{name}\n\n{closing}{initial}\n"
    script_read = read(text, "a.md", lenient=True, words=frozenset({"q2", "q3"}))
    assert script_read.words["q2"].text == "A"
    assert {piece.step for piece in script_read.unread} == ({"q2"} if "B" in initial else set())  # or another option


@for_each("below", ["Best: B", "Best B", "B (mit C)", "Thank you, B", "Thanks\nB\nC", "Thanks\nM\nC"])
def test_law_a_second_letter_next_to_closing_words_is_reported(below):
    script_read = read(f"q2: A\n{below}\n", "a.md", lenient=True, words=frozenset({"q2", "q3"}))
    assert "q2" in {piece.step for piece in script_read.unread}  # A counts, or neither


QUESTION_HEADS = (
    "Question {}: ", "Question {}\n", "Question {}\n\n", "## Question {}\n\n", "**Question {}**\n", "\\section*{{Question {}}}\n",
    "Question {} (1 point)\n", "Question {}: Which of these is true?\n", "Aufgabe {}: ", "Exercice {}\n", "{}. ", "{}) ", "({}) ",
    "{}: ", "{} - ", "{}.\n", "**{}.** ", "- {}. ", "Q{} ", "q{}) ", "q{}. ", "(q{}) ", "q{} -> ", "q{}\n", "q{}:\n", "# q{}\n\n", "q {}: ",
    "Answer {}: ", "Antwort {}: ", "Question no. {}: ", "| {} | ", "| q{} | ", "q{} | ", "Question {}:\nAnswer: ", "Question {}\nMy choice is ",
)  # fmt: skip
GIVEN_LETTERS = {
    "A": "A",
    "B, C": "BC",
    "(b)": "B",
    "a and C": "AC",
    "AC": "AC",
    "A; D.": "AD",
    "c)": "C",
    "A und B": "AB",
}


@for_each("letters", GIVEN_LETTERS, quick=40, ci=40)
@for_each("head", QUESTION_HEADS)
@for_each("frame", ["{0}{1}\n{2}", "{2}\n\n{0}{1}\n", "{2}\n{0}{1}\n\nq3: B"])
def test_law_letters_below_or_behind_their_question_are_read(frame, head, letters):
    text = frame.format(head.format(2), letters, line("c"))
    script_read = read(text, "a.md", lenient=True, words=frozenset({"q2", "q3"}))
    assert ticks(script_read.words["q2"].text) == frozenset(GIVEN_LETTERS[letters])
    assert not script_read.unread and [answer.step for answer in script_read.answers] == ["c"]


@for_each("kind", [".eml", ".html", ".ipynb"])
def test_letters_are_read_in_every_kind_of_document(kind):
    lines = ["Question 2: A", "c = 0.5714"]
    cell = {"cell_type": "markdown", "metadata": {}, "source": "\n\n".join(lines)}
    text = {
        ".eml": "Subject: exam\nContent-Type: text/plain\n\n" + "\n".join(lines),
        ".html": "<html><body>" + "".join(f"<p>{each}</p>" for each in lines) + "</body></html>",
        ".ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}),
    }[kind]
    script_read = read(text, f"a{kind}", lenient=True, words=frozenset({"q2"}))
    assert (script_read.words["q2"].text, [answer.step for answer in script_read.answers]) == ("A", ["c"])


@for_each("head", [
    "Begin forwarded message:\n", "---- Original message ----", "-- Original Message --", "-----Original Message-----",
    "From: A <a@b>\nSent: Monday\nTo: C\n", "From: A <a@b>\nTo: C\nSent: Monday\n", "*From:* A\n*Sent:* Monday",
    "Von: A\nAn: C\nGesendet: Montag\n", "Anfang der weitergeleiteten Nachricht:\n", "On Mon, A wrote:\n>",
])  # fmt: skip
@for_each("step", VALUES)
def test_law_a_forwarded_mail_below_the_answers_is_no_answer(step, head):
    other = "c = 9.0" if step == "c" else f"{step} = [[9, 9], [9, 9]]"
    gap = " " if head.endswith(">") else "\n"
    text = f"{script('c', line('c'))}\n{head}{gap}{other}\n"
    assert (answered(text, "a.txt"), looked_at(text, "a.txt")) == ({*VALUES}, set())


@for_each(
    "signature",
    ["Sent from my iPhone 15", "Von meinem iPhone 7 gesendet", "-- \nAnna\nTel. 12 34", "-- \nAnna B.\nRoom 12\n"],
)
def test_law_the_signature_of_a_mail_is_no_fault(signature):
    text = f"{script('c', line('c'))}\n{signature}\n"
    assert (answered(text, "a.txt"), looked_at(text, "a.txt")) == ({*VALUES}, set()) and not left_over(text)


def test_an_answer_below_two_dashes_is_read():
    for text in ("-- \nc = 0.5714\n", "-- \nc\n0.5714\n"):
        assert "c" in answered(script("c", text), "a.txt") and answered(script("c", text, at=3), "a.txt") == {*VALUES}


@for_each("name", ["q2", "Q2", "**q2**", "- q2", "  q2"], quick=25, ci=25)
@for_each("sign", [":", " =", " :", "="])
@for_each("before", ["", "## Question 2\n\n", "Question 1\n"])
def test_law_letters_behind_the_name_of_their_question_are_read(before, sign, name):
    text = f"{before}{name}{sign} A\nq3: A, B\n\n{line('c')}\n"
    script_read = read(text, "a.md", lenient=True, words=frozenset({"q2", "q3"}))
    assert {key: cell.text for key, cell in script_read.words.items()} == {
        "q2": "A",
        "q3": "A, B",
    } and not script_read.unread


@for_each("text", ["q2: [[1.80, 1.61]]", "q2: {A: 1}", "q2: A\nq2: B", "Q2: A\nq2: B"])
def test_law_letters_of_an_answer_file_that_are_not_read_are_reported(text):
    script_read = read(f"c: 0.5714\n{text}\n", "a.yaml", lenient=True, words=frozenset({"q2"}))
    assert "q2" in {piece.step for piece in script_read.unread}
    assert "q2" not in script_read.words or not script_read.words["q2"].text


@for_each("sign", [" = ", " ≈ ", ", = "])
@for_each(("one", "other", "is_same"), [
    ("4/7", "0.5714", True), ("\\frac{4}{7}", "0.57", True), ("8/14", "4/7", True), ("0.57143", "0.5714", True), ("4 / 7", "0.6", True),
    ("-4/7", "0.5714", False), ("9/10", "0.5714", False), ("40/7", "0.5714", False), ("1/2", "0.5714", False), ("7", "4/7", False),
    ("5/7", "0.5714", False), ("0.9", "0.5714", False), ("\\frac{3}{7}", "0.5714", False),
])  # fmt: skip
def test_law_numbers_on_both_sides_of_an_equals_sign_are_the_same_or_reported(one, other, is_same, sign):
    for first, last in ((one, other), (other, one)) if "0.5" in other and "." not in one else ((one, other),):
        bound = bind(read(f"c = {first}{sign}{last}\n", "a.md", lenient=True), PROBLEM, lenient=True)
        assert (bound.find("c") is not None, bool(bound.unread)) == (is_same, not is_same), (first, last)


# -- the headings of an exam ---------------------------------------------------------------------------------------------

EXAM = load({"parts": {f"q{k}": {"given": {"X": [[k, 2]]}, "steps": {"P": "X * 2", "R": "X + 1"}} for k in (1, 2)}})


@for_each("gap", GAPS)
@for_each("head", [
    "Question {}", "# Question {}", "\\section{{Question {}}}", "\\subsection*{{Question {}}}", "Question {}:", "q{}", "q{}:", "Q{}:", "# q{}",
    "Aufgabe {}", "**Question {}**", "## Question {} (8 points)", "Frage {}.", "Question {}: Attention", "QUESTION {}", "Exercise {}", "Problem {}:", "# Task {}", "Übung {}", "{}.", "{})", "({})", "# {}", "## {}.",
])  # fmt: skip
def test_law_a_heading_of_a_question_names_the_part_of_the_steps_below_it(head, gap):
    def text(order):
        answers = {1: "P = [2, 4]\nR = [2, 3]", 2: "P = [4, 4]\nR = [3, 3]"}
        return "\n".join(f"{head.format(k)}{gap}{answers[k]}\n" for k in order)

    for order in ((1, 2), (2, 1)):
        bound = bind(read(text(order), "a.md", lenient=True), EXAM, lenient=True)
        found = {step.step.key: [cell.text for cell in step.cells.values()] for step in bound.steps}
        assert found == {"q1.P": ["2", "4"], "q1.R": ["2", "3"], "q2.P": ["4", "4"], "q2.R": ["3", "3"]}
        assert not bound.unread and not bound.notes


@for_each("item", ["1.", "1)", "(1)", "# 1"])
def test_law_the_number_of_an_item_is_no_question_if_questions_are_named_or_it_may_be_an_entry(item):
    named = bind(read(f"Question 2\n\n{item}\nP = [4, 4]\n", "a.md", lenient=True), EXAM, lenient=True)
    assert named.find("q1.P") is None and (named.find("q2.P") or named.unread)
    entries = bind(read(f"q2.P =\n4. 4.\n\n{item}\nq1.R = [2, 3]\n", "a.md", lenient=True), EXAM, lenient=True)
    assert {step.step.key for step in entries.steps} == {"q1.R", "q2.P"}
    below = bind(read(f"q2.P =\n{item}\n4.\nR = [2, 3]\n", "a.md", lenient=True), EXAM, lenient=True)
    assert below.find("q1.R") is None


@pytest.mark.parametrize("head", ["Question 1", "Aufgabe 2:", "# Question 3"])
def test_a_heading_of_a_question_is_no_name_of_a_matrix(head):
    assert looked_at(f"{head}\n\n{FORMS['lists'](VALUES['S'])}\n") and answered(f"{head}\n\n{line('S')}\n") == {"S"}


@for_each(("text", "page", "is_same"), [
    ("c = 0.5714", "c = 0.5714", True), ("c = 0.5714", "c = 0.9", False), ("c = 0.5714", "<b>c</b> = <i>0.5714</i>", True),
    ("1. c = 0.5714", "<ol><li>c = 0.5714</li></ol>", True), ("c = 0.5714", "c = 0.57<b>14</b>", True), ("c = 0.5714", "see below", False),
])  # fmt: skip
def test_law_two_versions_of_an_email_have_the_same_numbers_or_are_reported(text, page, is_same):
    mail = (
        'MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="x"\n\n--x\nContent-Type: text/plain; charset=utf-8\n\n'
        f"{text}\n--x\nContent-Type: text/html; charset=utf-8\n\n<html><body><p>{page}</p></body></html>\n--x--\n"
    )
    bound = bind(read(mail, "a.eml", lenient=True), PROBLEM, lenient=True)
    assert bound.find("c") is not None and bool(bound.unread) != is_same


# -- quotes, pictures and expressions ------------------------------------------------------------------------------------


@for_each("source", SOURCES)
@for_each("own", ["I get 0.7.", "My answer: 0.7", "Result: 0.7", "That is 0.7", "0.7 instead", "I think it is 7/10"])
@for_each("step", VALUES)
def test_law_a_quoted_answer_above_another_number_is_reported(step, own, source):
    text = script(step, f"> {line(step)}\n\n{own}")
    assert looked_at(text, source) and "c" in answered(script("c", f"> {line('c')}"), source)


@for_each("text", ["before: {}\nafter: 0.7", "before: {0}\nafter: {0}1", "> {}\n\nc = 0.7", "old: {}\n\nnew: 0.7"])
def test_law_an_answer_before_a_change_is_reported(text):
    assert looked_at(script("c", text.format(line("c"))))


@pytest.mark.parametrize(
    "picture", ["<img alt='c = 0.5714'>", "<p>c = <img alt='0.5714'></p>", "<canvas></canvas><img src='x.png'>"]
)
def test_law_a_picture_in_the_place_of_an_answer_is_explained(picture):
    page = "".join(f"<p>{line(step)}</p>" for step in VALUES if step != "c") + picture
    bound = bind(read(page, "a.html", lenient=True), PROBLEM, lenient=True)
    faults = [*(piece.fault for piece in bound.unread), *bound.left]
    assert bound.find("c") is None and any("picture" in fault.message or "drawing" in fault.message for fault in faults)


@for_each(("text", "value"), [
    ("0.4 + 0.1714", "0.5714"), ("2*0.2857", "0.5714"), ("1.1428/2", "0.5714"), ("0.5714^1", "0.5714"), ("0.5714 * 1", "0.5714"),
    ("(0.2 + 0.3714)", "0.5714"), ("0.5*2", "1.0"), ("3.5 * 0.5", "1.75"), ("3.5/2", "1.75"), ("0.36*0.71", "0.2556"), ("\\frac{1.1428}{2}", "0.5714"), ("-0.3 + 0.25", "-0.05"),
])  # fmt: skip
def test_law_an_expression_of_decimal_numbers_is_the_number_that_it_gives(text, value):
    bound = bind(read(f"c = {text}\n", "a.md", lenient=True), PROBLEM, lenient=True)
    typed, number = bound.find("c").cells[0, 0], entry(whole(value, ""))
    assert (typed.value, typed.decimals, typed.significant) == (number.value, number.decimals, number.significant)
    assert not bound.unread


@for_each("text", ["sqrt(0.3265)", "exp(-0.5596)", "2/7 + 0.2857", "0.5/0.875", "0.756^8", "\\sqrt{0.3265}"])
@for_each("before", ["c = ", "z = [0.1, 0.2, {}]\n\nc = "])
def test_law_an_expression_whose_decimals_may_be_rounded_counts_as_exact_and_is_reported(text, before):
    bound = bind(read(f"{before.format(text)}{text}\n", "a.md", lenient=True), PROBLEM, lenient=True)
    assert bound.find("c").cells[0, 0].decimals is None
    assert {piece.step for piece in bound.unread} == {filled.step.name for filled in bound.steps}


@for_each("text", ["4/7", "sqrt(2)/2", "1/2 + 1/14", "4/7.0", "4.00/7", "8^(-1)", "e/(2*e + 1)"])
def test_law_an_expression_without_decimals_is_exact(text):
    bound = bind(read(f"c = {text}\n", "a.md", lenient=True), PROBLEM, lenient=True)
    assert bound.find("c").cells[0, 0].decimals is None and not bound.unread


@pytest.mark.parametrize(
    "working", ["0.27*1.41 + 0.73*0.26", "0.36*1.59", "0.27*2 + 0.031", "4/7.01", "(0.7 + 1.3)/3.5"]
)
def test_law_working_with_rounded_numbers_costs_no_answer(working):
    assert answered(f"c = {working} = 0.5714\n") == {"c"} and not looked_at(f"c = {working} = 0.5714\n")


def test_law_a_table_that_answers_no_question_is_read_as_without_questions():
    text = "| step | answer |\n|---|---|\n| 1 | c |\n| c | 2.5 |\n| z | 3.5 |\n"
    plain, asked = (read(text, "a.md", lenient=True, words=words) for words in (frozenset(), frozenset({"q7"})))
    assert [answer.step for answer in plain.answers] == [answer.step for answer in asked.answers] != []


@for_each("text", ["q2: A and B\n\nq2: A, B", "Question 2: A and B\n\n2. B, A"])
def test_words_between_letters_are_no_letters(text):
    script_read = read(f"{text}\n\n{line('c')}\n", "a.md", lenient=True, words=frozenset({"q2"}))
    assert "q2" in script_read.words and not script_read.unread


@for_each("sign", ["#", "##", "###"])
def test_a_number_in_a_comment_is_looked_at(sign):
    assert looked_at(script("c", f"c = 0.5714  {sign} c = 7"), "a.txt") == {"c"}


@for_each(
    "words", ["Use the causal mask below the diagonal.", "We skip this term.", "The final answer is on the last line."]
)
def test_ordinary_remarks_take_nothing_back(words):
    assert not looked_at(script("c", f"{line('c')}\n{words}"), "a.txt")
