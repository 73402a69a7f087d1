"""How papers look and who gets which: languages, logo, large print, versions by seat, practice sheets and resits."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.exam import typeset
from attncalc.exam.images import figure_files
from attncalc.exam.missing_glyphs import missing_glyph_warning
from attncalc.exam.paper import KNOWN, MASKS
from attncalc.exam.paper_build import build_paper
from attncalc.exam.problem_assembly import author_part_name
from attncalc.exam.sheet.sheet_reader import read_sheet, version_at
from attncalc.exam.translations import SECTIONS, SENTENCES, languages, words_of
from attncalc.exam.typeset import LARGE, enlarge
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.explain.document import Choices
from attncalc.explain.listings import SYMBOLS
from attncalc.explain.part_scope import Scope
from attncalc.explain.solution_messages import BY_NAMES, BY_NAMES_ON_PAPER, MORE_DIGITS, MORE_DIGITS_ON_PAPER
from attncalc.explain.stated_conventions import choices
from attncalc.explain.textbook_formulas import definition
from attncalc.formula.functions import functions, internal_functions
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.lessons import LESSONS
from attncalc.lessons.small_problems import needed, problem
from attncalc.lms.quiz_export import read_quizzes
from attncalc.problem.yaml_file.yaml_reader import read_yaml
from attncalc.render.pdf import by_typst
from attncalc.resources import folder
from attncalc.rounding_modes import MODES
from tests.support.called import called
from tests.support.laws import examples
from tests.support.sweeps import for_each

DRAWN = "title: D\ndraw: {X: 2 x 3 integers -9..9}\nsteps: {Y: X @ X.T, Z: Y * 2}\n"
MASKED = "questions: [{generate: attention, with: {tokens: 3, d_k: 2, mask: causal}, asked: [A], points: 3}]\n"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><rect width="80" height="20"/></svg>'
SHEET = """\
title: Paper
course: Deep Learning
seed: 3
rounding: {digits: 2}
questions:
  - problem: drawn.yaml
    asked: [Y, Z]
    points: {Y: 2, Z: 1}
  - {ask: "Why?", free_text: Because., points: 1}
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    found = tmp_path_factory.mktemp("papers")
    (found / "logo.svg").write_bytes(SVG)
    (found / "drawn.yaml").write_text(DRAWN)
    (found / "french.yaml").write_text('question: Exercice\nsome_points: "{points} points"\ntotal: {fr: Total, de: x}\n'
                                       'sentences: {Calculate causal (masked) scaled dot-product attention.: '
                                       'Calculez.}\n')  # fmt: skip
    return found


def sheet_of(home, more="", purpose="", sheet=SHEET):
    return read_sheet(sheet + more, str(home / "sheet.yaml"), purpose)


def papers(sheet):
    found = list(
        make_variants_distinct(sheet, sheet.students, (draw_all(sheet, student) for student in sheet.students))
    )
    return found, [build_paper(sheet, variant) for variant in found]


@pytest.mark.parametrize(
    "more", [{"asked": "[Z]"}, {"asked": "[S, A, Z]"}, {"space": "6cm"}, {"hints": "true"}], ids=str
)
def test_a_paper_with_the_rooms_of_its_solution_is_the_one_that_measures_them(home, more):
    question = {"generate": "self_attention", "with": "{tokens: 3, mask: causal}", "points": "8"} | more
    lines = ", ".join(f"{key}: {value}" for key, value in question.items())
    sheet = sheet_of(
        home, sheet=f"{SHEET}  - {{{lines}}}\n  - {{ask: Which?, choices: [{{right: a}}, {{wrong: b}}], points: 1}}\n"
    )
    _, (paper, *_) = papers(sheet)
    rooms = typeset.rooms_of(typeset.typst([paper], True), {})
    measured, known = (typeset.typst([paper], False, rooms=some) for some in ((), rooms))
    for room, same in zip(rooms, typeset.rooms_of(measured, {}), strict=True):
        assert room == pytest.approx(same)
    assert len(known) < len(measured) and by_typst(measured) == by_typst(known)


def paper_text(home, more, sheet=SHEET):
    return typeset.latex(papers(sheet_of(home, more, sheet=sheet))[1][:1], False)


@pytest.mark.sweep(quick=0)
def test_the_words_of_a_paper_are_english_unless_it_says_another_language(home):
    english, german = (
        paper_text(home, "", MASKED + SHEET.partition("questions:")[0]),
        paper_text(home, "language: de\n", MASKED),
    )
    for word in ("Question 1", "Awarded", "Total", "3 points", "Name:", "Student number:", "Page ",
                 "Round to 2 decimals (half up).",
                 "Calculate causal (masked) scaled dot-product attention."):  # fmt: skip
        assert word in english.replace("\\question{1}", "Question 1"), word
    for word in ("Aufgabe", "Erreicht", "Summe", "3 Punkte", "Matrikelnummer", "Seite",
                 "Auf 2 Nachkommastellen runden (kaufmännisch).",
                 "Berechnen Sie die kausale (maskierte) skalierte Dot-Product-Attention.",
                 "die Gewichte: wie viel"):  # fmt: skip
        assert word in german, word
    for word in ("Awarded", "Question", "half up", "Calculate", "the weights", "points", "Page"):
        assert word not in re.sub(r"\\[A-Za-z]+", "", german.partition("begin{document}")[2]).replace("footer", ""), (
            word
        )


@for_each("write", [typeset.typst, typeset.latex])
@for_each(("language", "said", "unsaid"), [
    ("en", ["where", "elsewhere", "the mask is applied after scaling"], ["falls", "sonst"]),
    ("de", ["falls", "sonst", "die Maske kommt nach dem Skalieren", "jede Query sieht sich"], ["where", "elsewhere"]),
])  # fmt: skip
def test_formulas_and_conventions_of_a_paper_are_in_its_language(home, write, language, said, unsaid):
    """German papers said `S where j ≤ i, −∞ elsewhere`; and no student knows an option called mask_at."""
    more = f"language: {language}\nformula_sheet: true\n"
    (paper,) = papers(sheet_of(home, more, sheet=MASKED + SHEET.partition("questions:")[0]))[1]
    for solved in (False, True):
        text = write([paper], solved)
        # What is spoken beside a formula stays English
        assert not [word for word in unsaid if f'"{word}"' in text or rf"\text{{{word}}}" in text]
        assert "mask_at" not in text.replace("\\_", "_")


def test_what_is_the_same_in_the_exam_is_told_in_one_line(tmp_path):
    words = "questions: [{ask: Why?, free_text: So.}, {ask: How?, free_text: So.}, {generate: layer_norm}]\n"
    sheet = read_sheet(words, str(tmp_path / "sheet.yaml"), "resit")
    assert sheet.notes == ["questions 1 and 2 have no random numbers, so they are the same in the exam"]


GIVEN, RANDOM, TEXT = "{problem: look-ahead-mask}", "{generate: layer_norm}", "{ask: Why?, free_text: So.}"


@pytest.mark.parametrize("head, questions, note", [
    ("variants: 2", [GIVEN, RANDOM, TEXT], "question 1 has no random numbers, so it is the same on all papers"),
    ("versions: 2", [RANDOM, GIVEN, GIVEN],
     "questions 2 and 3 have no random numbers, so they are the same on all papers"),
    ("variants: 1", [GIVEN], None), ("variants: 2", [RANDOM, TEXT], None),
    ("variants: 2", [f"{{one_of: [{GIVEN}, {GIVEN}]}}"], None),
])  # fmt: skip
def test_numbers_that_are_the_same_on_all_papers_are_reported_in_one_line(head, questions, note, tmp_path):
    sheet = read_sheet(f"{head}\nquestions: [{', '.join(questions)}]\n", str(tmp_path / "sheet.yaml"))
    assert [line for line in sheet.notes if "random" in line] == [note] * bool(note)


@for_each("question, told", [
    ("{problem: drawn.yaml}", True), ("{problem: drawn.yaml, ask: Work it out.}", False), ("{generate: layer_norm}", False),
    ("{ask: Why?, free_text: So.}", False), ("{one_of: [{problem: drawn.yaml, ask: Do.}, {problem: drawn.yaml}]}", True),
    ("{problem: transformers-transforming-our-lives}", False),
])  # fmt: skip
def test_a_question_without_a_task_is_told(home, question, told):
    """The paper had five matrices and no word of what to do with them."""
    sheet = sheet_of(home, sheet=f"questions:\n  - {{ask: First?, free_text: So.}}\n  - {question}\n")
    said = ["question 2: the question has no task; add `ask:` to the question or to the problem file"]
    assert [line for line in sheet.notes if "task" in line] == said * told


FREE = "no rounding is stated, so students can write any number of decimals"


@pytest.mark.parametrize("sheet, problem, is_stated", [
    ("", "", False), ("rounding: {digits: 3}", "", True), ("", "rounding: {digits: 3}", True),
])  # fmt: skip
def test_a_paper_requires_decimals_if_and_only_if_marking_does(sheet, problem, is_stated, tmp_path):
    """A paper asked for four decimals, and its page of points priced fewer, although marking left the decimals free."""
    (tmp_path / "p.yaml").write_text(f"given: {{S: [[1, 2]]}}\nsteps: {{A: softmax(S)}}\nask: Do.\n{problem}\n")
    (tmp_path / "s.yaml").write_text(f"title: T\nseed: 7\n{sheet}\nquestions: [{{problem: p.yaml, points: 4}}]\n")
    code, _, messages = called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")
    assert (code, FREE in messages) == (0, not is_stated)
    paper, points = ((tmp_path / "out" / f"{name}.tex").read_text() for name in ("all-papers", "points"))
    assert ("Round to 3 decimals" in paper, "Round to" in paper) == (is_stated, is_stated)
    assert ("fewer decimals than required" in points, "too few decimals to recognise" in points) == (
        is_stated,
        not is_stated,
    )
    (tmp_path / "a.yaml").write_text("A: [[0.27, 0.73]]\n")
    (key,) = (tmp_path / "out").glob("variant-*.yaml")
    assert ("more decimals are required" in called("check", key, tmp_path / "a.yaml")[1]) == is_stated


@pytest.mark.parametrize("language, question", [("fr", "Exercice"), ("en", "Exercice"), ("de", "Aufgabe")])
def test_words_in_the_place_of_the_english_ones_are_those_of_a_new_language(home, language, question):
    """As the table itself says to do; for `language: fr` its own English ones were printed."""
    (home / "mine.yaml").write_text("question: {en: Exercice, de: Aufgabe}\n")
    assert question in paper_text(home, f"language: {language}\nwords: mine.yaml\n", MASKED)


def test_another_language_comes_from_a_table_beside_the_sheet(home):
    french = paper_text(home, "language: fr\nwords: french.yaml\n", MASKED)
    assert "Exercice" in french and "Calculez." in french and "Awarded" in french and "the weights" not in french


def test_a_table_of_words_without_conventions_translates_their_short_forms(home):
    """Tables of 0.3 had the conventions among their sentences."""
    (home / "old.yaml").write_text(
        "question: Exercice\nsentences: {the mask is applied after scaling: masque après l'échelle}\n"
    )
    assert "masque après l'échelle" in paper_text(home, "language: fr\nwords: old.yaml\n", MASKED)
    (home / "new.yaml").write_text(
        (home / "old.yaml").read_text() + "conventions: {the mask is applied after scaling: Le masque vient après.}\n"
    )
    text = paper_text(home, "language: fr\nwords: new.yaml\n", MASKED)
    assert "Le masque vient après." in text and "masque après l'échelle" not in text


def test_every_language_has_every_word_with_the_same_slots_and_sentences_that_are_ours():
    tree = read_yaml((folder("templates") / "words" / "words.yaml").read_text(encoding="utf-8"), "words.yaml")
    words = {name for name in tree.pairs if name not in SECTIONS}
    usual = words_of("en")
    for language in languages():
        found = words_of(language)
        assert {*found.words} == words
        assert words >= {*MODES}, f"templates/words/words.yaml: how {language} says each mode of rounding on paper"
        for name in words:
            assert {*re.findall(r"\{\w+\}", found[name])} == {*re.findall(r"\{\w+\}", usual[name])} and found[
                name
            ].strip(), (language, name)
    asks = {recipe.ask for recipe in RECIPES.values()}
    docs = {doc for lesson in LESSONS.values() for doc in lesson.steps.values()}
    told = {text.replace("causal (masked) ", "") for text in tree.get(SENTENCES).pairs}
    known = functions() | internal_functions()
    signs = SYMBOLS | {name: function.doc.partition(", (n, m)")[0] for name, function in known.items()}
    notes = {MORE_DIGITS, MORE_DIGITS_ON_PAPER, BY_NAMES, BY_NAMES_ON_PAPER}
    assert told - asks - docs - {*signs.values()} - notes <= {"no γ or β is given, so Y is the normalised input"}
    printed = {doc for name, doc in signs.items() if name not in KNOWN | MASKS and not definition(name)}
    missing = {"de": (asks | docs | printed) - words_of("de").sentences.keys()}
    assert missing == {"de": set()}, "templates/words/words.yaml lacks the German words of these"


def problems_with_options():
    """A small problem of each lesson, and one for each value of its options."""
    for lesson, description in LESSONS.items():
        yield problem(lesson)
        for option in description.options:
            for value in option.documented_values:
                yield problem(lesson, {option.name: value} | needed(lesson, option.name, value))


@pytest.mark.slow
@pytest.mark.exhaustive
def test_law_conventions_are_sentences_in_every_language():
    """On papers and in quizzes: no option's name, and no English on a German paper."""
    stated = set()
    for each in problems_with_options():
        try:
            solution = solve(load(each))
        except AttncalcError:  # such an option is refused here
            continue
        for part in solution.parts:
            stated |= {one for one in choices(solution, Scope(solution, part)).items if one.option != "decimals"}
    assert len(stated) > 200
    sentences = {language: words_of(language).choices(Choices(tuple(stated))).items for language in languages()}
    for said in sentences.values():
        assert not [one for one in said if one.option or not one.words.endswith(".")]
    for choice, *said in zip(stated, *sentences.values(), strict=True):
        assert len({one.words for one in said}) == len(languages()), choice
        assert len({one.words.count("{value}") for one in said}) == 1, choice


# Options whose sentence is true of each of their descriptions.
SAME_MEANING = {"base", "mask", "heads", "kv_heads", "embed_scale", "end_token", "eps", "smoothing", "norm", "dropout"}


def test_law_an_option_with_several_meanings_has_a_sentence_for_each():
    """A paper called the base of a logarithm the base of the angles."""
    sentences = words_of("en").conventions
    meanings = defaultdict(set)
    for lesson in LESSONS.values():
        for option in lesson.options:
            by_value = all(f"{option.name} {word}" in sentences for word in option.words or ("",))
            if option.name in sentences and option.doc not in sentences and not by_value:
                meanings[option.name].add(option.doc)
    several = {name for name, docs in meanings.items() if len(docs) > 1}
    assert several <= SAME_MEANING, several - SAME_MEANING
    assert {"the base of the softmax", "the base of the logarithm"} <= set(sentences)


def test_the_task_of_cross_attention_says_which_sentence_asks():
    """As the paper prints them: it said "from the second sentence" of the one that stands first."""
    recipe = RECIPES["cross_attention"]
    asking, other = (name for name in recipe.matrices if name in ("X", "Y"))
    assert recipe.arguments["X"] == asking and recipe.arguments["memory"] == other
    assert f"queries come from the first sentence ({asking}), keys and values from the second ({other})" in recipe.ask


@for_each("more, said", [
    ("language: dx", "language: expected one of en, de"),
    ("language: 'x y'\nwords: french.yaml", "language: expected a code such as en or de"),
    ("words: none.yaml", "words: there is no file 'none.yaml' in the sheet's folder"),
    ("words: ../french.yaml", "words: expected a file in the folder of the sheet or in a subfolder;"),
    ("words: wrong.yaml", "a table of words has no key 'questoin'; did you mean question?"),
    ("words: slots.yaml", "round: attncalc replaces only {digits} and {mode} in this text; remove other words in braces"),
    ("logo: logo.txt", "logo: expected a picture"),
    ("logo: {file: logo.svg, size: 3}", "logo: has no key 'size'"),
    ("header: [a, b, c, d, e, f, g]", "header: expected at most 6 lines, found 7"),
    ("versions: 1", "versions: expected a whole number from 2 to 10"),
    ("seats: 4", "seats: needs the key `versions:`"),
    ("scale: {A: 50 %, B: 75 %, F: 0}", "scale: B: expected less than 50 %, because the best grade comes first"),
    ("scale: {A: 90 %, F: good}", "scale: F: expected a threshold"),
    ("scale: 90", "scale: expected grades with their thresholds"),
    ("purpose: party", "purpose: expected one of exam, practice, resit"),
    ("large_print: big", "large_print: expected true or false"),
], quick=3)  # fmt: skip
def test_faults_of_a_papers_looks(more, said, home):
    (home / "wrong.yaml").write_text("questoin: x\n")
    (home / "slots.yaml").write_text("round: '{digits} {x}'\n")
    with pytest.raises(AttncalcError) as error:
        sheet_of(home, more)
    assert any(said in fault.message for fault in error.value.faults), error.value


@pytest.mark.parametrize("solved", [False, True])
def test_typst_sets_a_paper_with_everything(home, solved):
    sheet = sheet_of(
        home,
        "logo: logo.svg\nheader: [A **school**, $d_k$]\nlarge_print: true\nlanguage: de\nversions: 3\nformula_sheet: true\n",
    )
    source = typeset.typst(papers(sheet)[1][:1], solved)
    assert by_typst(source, figure_files(sheet.figures(), False)).startswith(b"%PDF")
    assert ("A" in source) and (f"{10.5 * LARGE:.4g}pt" in source)


ROSTER = """\
Student,ID,SIS User ID,SIS Login ID
"Lovelace, Ada",1,00417,ada@example.org
"Hopper, Grace",2,s-2,grace
"Lee, Kim",3,s-3,kim@example.org
"Lee, Kim",4,s-4,lee@example.org
"""
WORDS = "students: r.csv\nquestions: [{ask: Why?, free_text: So.}]\n"


@pytest.mark.parametrize("named, large", [
    ("[00417]", [0]), ("[ada lovelace]", [0]), ("['Lovelace,  Ada', GRACE]", [0, 1]), ("[Ada@example.org, s-4]", [0, 3]),
    ("[lee@example.org, kim@example.org]", [2, 3]), ("true", []), ("false", []),
])  # fmt: skip
@pytest.mark.parametrize("more", ["", "versions: 2\n"])
def test_large_print_is_for_the_students_that_are_named(named, large, more, tmp_path):
    (tmp_path / "r.csv").write_text(ROSTER)
    sheet = read_sheet(f"large_print: {named}\n{more}{WORDS}", str(tmp_path / "sheet.yaml"))
    assert [k for k, one in enumerate(sheet.students) if one.large] == large
    variants, made = papers(sheet)
    plain = papers(read_sheet(more + WORDS, str(tmp_path / "sheet.yaml")))[0]
    assert [(one.code, one.key_records, one.problem) for one in variants] == [
        (one.code, one.key_records, one.problem) for one in plain
    ]
    for k, paper in enumerate(made):
        size = LARGE if k in large or named == "true" else 1
        of_solution = size if named == "true" or not more else 1
        for solved, expected in ((False, size), (True, of_solution)):
            assert f"size: {10.5 * expected:.4g}pt" in typeset.typst([paper], solved)
            assert (f"mag={1000 * LARGE:.0f}" in typeset.latex([paper], solved)) == (expected != 1)


@pytest.mark.parametrize("named, said", [
    ("[0417]", "4:15: large_print: no student of this sheet is called '0417'; did you mean 00417?"),
    ("[s-2, Ada Lovelac]", "4:20: large_print: no student of this sheet is called 'Ada Lovelac'; did you mean Ada Lovelace?"),
    ("[Kim Lee]", "4:15: large_print: several students are called 'Kim Lee'; write the student's number instead: s-3, s-4"),
    ("[{number: s-2}]", "4:15: large_print: expected a student's number, name or email address"),
])  # fmt: skip
def test_large_print_for_nobody_is_a_fault(named, said, tmp_path):
    (tmp_path / "r.csv").write_text(ROSTER)
    with pytest.raises(AttncalcError) as error:
        read_sheet(f"title: T\ncourse: C\nseed: 1\nlarge_print: {named}\n{WORDS}", str(tmp_path / "sheet.yaml"))
    assert [str(fault) for fault in error.value.faults] == [f"{tmp_path / 'sheet.yaml'}:{said}"]


@pytest.mark.parametrize("more, said", [
    ("large_print: [s-2]\n", "sheet.yaml:3:11: students: expected a list of student numbers, or a file with student numbers; there is no file 'gone.csv'"),
    ("large_print: [s-2]\nversion: 2\nseats: 4\n", "did you mean versions?"),
])  # fmt: skip
def test_a_fault_brings_no_others_that_follow_from_it(more, said, tmp_path):
    """A list of students that cannot be read was told beside `large_print: ... since the sheet names no students`."""
    students = "gone.csv" if "version" not in more else "[s-1, s-2]"
    with pytest.raises(AttncalcError) as told:
        read_sheet(
            f"title: T\nseed: 1\nstudents: {students}\n{more}questions: [{{ask: Why?, free_text: So.}}]\n",
            str(tmp_path / "sheet.yaml"),
        )
    assert len(told.value.faults) == 1 and said in str(told.value)


def test_large_print_of_a_list_needs_students():
    with pytest.raises(AttncalcError, match="expected true or false, because the sheet does not list students"):
        read_sheet(f"variants: 2\nlarge_print: [a]\n{WORDS.partition(chr(10))[2]}", "sheet.yaml")


def test_papers_that_are_enlarged_are_named_in_the_index_and_apart_in_latex(tmp_path):
    (tmp_path / "r.csv").write_text(ROSTER)
    (tmp_path / "sheet.yaml").write_text(f"large_print: [s-3]\n{WORDS}")
    assert called("exam", tmp_path / "sheet.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    index = list(csv.DictReader((tmp_path / "out/index.csv").read_text().splitlines()))
    assert [row["large_print"] for row in index] == ["", "", "yes", ""]
    for name, codes in (("all-papers", [0, 1, 3]), ("all-papers-large", [2])):
        source = (tmp_path / f"out/{name}.tex").read_text()
        assert [k for k, row in enumerate(index) if row["code"] in source] == codes


OPTIONS = """
title: Attention in the middle of the term
language: de
versions: 2
header: [Above all]
large_print: true
questions:
  - {ask: Why?, free_text: So., space: %dcm}
  - {ask: Which?, choices: [{right: first}, {wrong: second}, {wrong: third}, {wrong: last}]}
"""


def by_latex(source, files=()):
    with tempfile.TemporaryDirectory() as there:
        Path(there, "p.tex").write_text(source, encoding="utf-8")
        for name, content in dict(files).items():
            Path(there, name).write_bytes(content)
        for _ in range(2):  # the second run knows the number of pages
            subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "p.tex"], cwd=there, check=True,
                           capture_output=True)  # fmt: skip
        return Path(there, "p.pdf").read_bytes()


WIDE = """
title: Attention in the middle of the winter term of the second year
language: de
students: [{number: s-0417, name: Ada Lovelace}]
versions: 2
seats: 40
large_print: true
questions:
  - {ask: "Why are the scores divided by a number, and which one is it? Answer in two sentences.", free_text: So.}
  - {generate: attention, with: {tokens: 2, d_k: 2}, choices: 4, asked: [Z]}
  - {generate: layer_norm, points: 3}
%s"""


@pytest.mark.needs("pdflatex", "pdftotext")
@pytest.mark.parametrize("more", [0, 8])
def test_nothing_of_a_latex_paper_in_large_print_leaves_its_page(tmp_path, more):
    """The table of points and the head were wider than the page, and a question stood below the footer, behind a room
    to work in that no page could break after.
    """
    sheet = read_sheet(WIDE % ("  - {ask: Why?, free_text: So., points: 12}\n" * more), str(tmp_path / "sheet.yaml"))
    for solved in (False, True):
        (tmp_path / "p.pdf").write_bytes(by_latex(typeset.latex(papers(sheet)[1][:1], solved)))
        told = subprocess.run(
            ["pdftotext", "-bbox", tmp_path / "p.pdf", "-"], capture_output=True, text=True, check=True
        )
        for page in told.stdout.split("<page ")[1:]:
            words = [tuple(map(float, found)) for found in re.findall(
                r'xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">', page)]  # fmt: skip
            assert all(left >= 40 and right <= 595 - 40 for left, _, right, _ in words)
            footer = [bottom for _, top, _, bottom in words if top > 842 - 62]
            assert footer and max(footer) - min(footer) < 8  # one line


NAMES = [
    ("", ""), ("Ada Lovelace", "00417"), ("Ada", "jonathan.oberhauser@students.uni-example.edu"),
    ("Maria Antonia Rodríguez y Fernández de la Vega-Castellanos y Hohenzollern-Sigmaringen", "s-1"),
    ("W" * 70, "a.very.long.mail.address.indeed@students.informatik.uni-somewhere.example"),
]  # fmt: skip


def words_of_page(data, tmp_path):
    """(left, top, right, bottom, word) of everything on the first page."""
    (tmp_path / "p.pdf").write_bytes(data)
    command = ["pdftotext", "-l", "1", "-bbox", tmp_path / "p.pdf", "-"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    number = r'="([\d.-]+)"'
    found = re.findall(f"<word xMin{number} yMin{number} xMax{number} yMax{number}>([^<]*)<", told)
    return [(*map(float, place), word) for *place, word in found]


def shared(one, other):
    """How much of the lower one's height two words share; nothing where they stand side by side."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    return (
        max(0, min(one[3], other[3]) - max(one[1], other[1])) / min(one[3] - one[1], other[3] - other[1]) * (wide > 0)
    )


@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("setter, printed, margin", [
    (typeset.typst, by_typst, (20, 15)),
    pytest.param(typeset.latex, by_latex, (20, 15), marks=pytest.mark.needs("pdflatex")),
])  # fmt: skip
def test_names_and_numbers_stand_on_their_lines_however_long(tmp_path, setter, printed, margin, large):
    """Nothing is printed over anything else or beside the page, and what follows stands in the same place everywhere."""
    heights = set()
    for name, number in NAMES:
        who = f"students: [{{number: '{number}', name: '{name}'}}]\n" if number else ""
        sheet = read_sheet(
            f"title: T\nlarge_print: {str(large).lower()}\n{who}questions: [{{ask: Why?, free_text: So.}}]\n",
            str(tmp_path / "s.yaml"),
        )
        found = words_of_page(printed(setter(papers(sheet)[1][:1], False)), tmp_path)
        room = margin[large] * 72 / 25.4
        assert all(left >= room - 1 and right <= 595.3 - room + 1 for left, _, right, _, _ in found), name
        over = [(a[4], b[4]) for k, a in enumerate(found) for b in found[:k] if shared(a, b) > 0.4]
        assert not over, over
        heights |= {round(top) for _, top, _, _, word in found if word == "Why?"}
        there = "".join(word for *_, word in found).replace("\u200b", "")
        assert "".join(name.split()) in there and number in there
    assert len(heights) == 1


HEADS = """
large_print: true
formula_sheet: true
rounding: {digits: 3}
seed: 4
questions: [{generate: multi_head_attention, with: {tokens: 4, d_model: 6, heads: 3, relax: [ties, work]}, asked: [A_1, H, Z]}]
"""


@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("setter, printed", [
    (typeset.typst, by_typst), pytest.param(typeset.latex, by_latex, marks=pytest.mark.needs("pdflatex")),
])  # fmt: skip
def test_formulas_begin_below_their_headings_and_end_on_the_page(tmp_path, setter, printed):
    """In LaTeX no page could break between them: they ran through the footer, and off the page."""
    _, made = papers(read_sheet(HEADS, str(tmp_path / "s.yaml")))
    (tmp_path / "p.pdf").write_bytes(printed(setter(made[:1], False)))
    told = subprocess.run(["pdftotext", "-bbox", tmp_path / "p.pdf", "-"], capture_output=True, text=True, check=True)
    first = next(page for page in told.stdout.split("<page ") if ">Formulas<" in page)
    behind = first + told.stdout.partition(first)[2]
    lowest = [
        [(float(y), word) for y, word in re.findall(r'yMax="([\d.]+)">([^<]*)<', page)]
        for page in behind.split("<page ")
    ]
    assert len(lowest) > 1 and len(lowest[0]) > 30
    assert all(max(page)[0] < max(y for y, word in page if word == "Page") + 3 for page in lowest)


@pytest.mark.needs("pdftotext")
def test_no_page_of_large_print_is_nearly_blank(tmp_path):
    """Of a solution, whose lines stand where the paper has its room. Formulas stood behind pages with a heading alone,
    since all of them held together; and pieces of a working that were too long for what was left of a page.
    """
    _, made = papers(read_sheet(HEADS, str(tmp_path / "s.yaml")))
    (tmp_path / "p.pdf").write_bytes(by_typst(typeset.typst(made[:1], True)))
    told = subprocess.run(["pdftotext", "-bbox", tmp_path / "p.pdf", "-"], capture_output=True, text=True, check=True)
    pages = [
        [float(bottom) for bottom in re.findall(r'<word[^>]*yMax="([\d.]+)"', page) if float(bottom) < 780]
        for page in told.stdout.split("<page ")[1:]
    ]
    behind = pages[1:]  # the head of the paper, below which the first question has no room
    assert len(behind) > 8 and all(len(page) > 25 for page in behind)
    assert sum(max(page) < 842 * 0.65 for page in behind) <= 2  # where the steps end, and the formulas


SHEETS = ("attention-midterm", "encoder-block", "final", "quiz")


def text_of_pages(pdf, tmp_path):
    (tmp_path / "p.pdf").write_bytes(pdf)
    command = ["pdftotext", "-bbox", tmp_path / "p.pdf", "-"]
    pages = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("<page ")[1:]
    words = [re.findall(r'yMin="([\d.]+)"[^>]*yMax="([\d.]+)">([^<]*)<', page) for page in pages]
    return [[(float(top), float(bottom), word) for top, bottom, word in page] for page in words]


@pytest.mark.sweep(quick=0, ci=2)
@pytest.mark.needs("pdflatex", "pdftotext")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", SHEETS)
def test_law_a_paper_has_at_most_four_sides_as_many_in_latex_and_none_is_nearly_empty(name, language, tmp_path):
    source = (folder("problems") / "sheets" / f"{name}.yaml").read_text(encoding="utf-8")
    source = re.sub("(?m)^(variants|versions): .*$", r"\1: 3", source) + f"seed: 12\nlanguage: {language}\n"
    sheet = read_sheet(source, str(folder("problems") / "sheets" / f"{name}.yaml"))
    files = {latex: figure_files(sheet.figures(), latex) for latex in (False, True)}
    for paper in papers(sheet)[1]:
        for solved in (False, True):
            sides = text_of_pages(by_typst(typeset.typst([paper], solved), files[False]), tmp_path)
            assert len(sides) <= 4
            if solved:
                lowest = [max(bottom for _, bottom, _ in side if bottom < 790) for side in sides]
                assert min(lowest) > 842 / 6 and min(lowest[:-1]) > 842 * 0.5
            in_latex = text_of_pages(by_latex(typeset.latex([paper], solved), files[True]), tmp_path)
            assert len(in_latex) == len(sides)
            assert all(max(bottom for _, bottom, _ in side) < 842 - 10 for side in in_latex)


TITLE = (
    "A very long title of a midterm examination on attention, masks, heads, positions and all that a Transformer does"
)


@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("setter, printed", [
    (typeset.typst, by_typst), pytest.param(typeset.latex, by_latex, marks=pytest.mark.needs("pdflatex")),
])  # fmt: skip
@pytest.mark.parametrize("large", [False, True])
def test_the_title_at_the_foot_of_a_page_is_one_line(tmp_path, setter, printed, large):
    sheet = read_sheet(
        f"title: {TITLE}\nlarge_print: {str(large).lower()}\nquestions: [{{ask: Why?, free_text: So.}}]\n",
        str(tmp_path / "s.yaml"),
    )
    for solved in (False, True):
        found = words_of_page(printed(setter(papers(sheet)[1][:1], solved)), tmp_path)
        footer = [one for one in found if one[1] > 842 - 62]
        assert max(one[3] for one in footer) < 842 - 8 and "Page" in [one[4] for one in footer]
        assert max(one[1] for one in footer) - min(one[1] for one in footer) < 8


@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("space", range(5, 11))
@pytest.mark.parametrize("setter, printed", [
    (typeset.typst, by_typst), pytest.param(typeset.latex, by_latex, marks=pytest.mark.needs("pdflatex")),
])  # fmt: skip
def test_options_stand_on_the_page_of_their_question_and_break_as_in_the_solution(tmp_path, space, setter, printed):
    sheet = read_sheet(OPTIONS % space, str(tmp_path / "sheet.yaml"))
    there = []
    for solved in (False, True):
        (tmp_path / "p.pdf").write_bytes(printed(setter(papers(sheet)[1][:1], solved)))
        out = subprocess.run(["pdftotext", tmp_path / "p.pdf", "-"], capture_output=True, text=True, check=True).stdout
        there.append([[page.count(word) for word in ("Which?", "first", "second", "third", "last")]
                      for page in out.split("\f")])  # fmt: skip
        assert all(len(set(counts)) == 1 for counts in there[-1])
    assert there[0] == there[1]


@pytest.mark.needs("pdftotext")
def test_lines_above_a_paper_begin_where_its_title_does(tmp_path):
    sheet = read_sheet(OPTIONS % 4, str(tmp_path / "sheet.yaml"))
    (tmp_path / "p.pdf").write_bytes(by_typst(typeset.typst(papers(sheet)[1][:1], False)))
    told = subprocess.run(["pdftotext", "-bbox", tmp_path / "p.pdf", "-"], capture_output=True, text=True, check=True)
    left = {word: float(at) for at, word in re.findall(r'xMin="([\d.]+)"[^>]*>([^<]*)<', told.stdout)}
    assert abs(left["Above"] - left["Attention"]) < 1


lengths = st.sampled_from(["1pt", "2.5mm", '"3pt \\" 4mm"', '"x"', " ", "a7pt", "10cm", "1em", "50%", "(", ".5pt"])


@given(st.lists(lengths, max_size=12))
@examples(200)
def test_large_print_enlarges_lengths_and_leaves_texts_alone(pieces):
    source = " ".join(pieces)
    found = enlarge(source, 2)
    assert re.findall(r'"(?:\\.|[^"\\])*"', found) == re.findall(r'"(?:\\.|[^"\\])*"', source)
    for small, large in (("1pt", "2pt"), ("2.5mm", "5mm"), ("10cm", "20cm")):
        assert found.split(" ").count(large) >= pieces.count(small) and small not in re.sub('"[^"]*"', "", found).split(
            " "
        )
    assert enlarge(source, 1) == source


@given(st.integers(2, 10), st.integers(0, 30), st.integers(0, 30))
@examples(200)
def test_neighbours_have_other_versions(count, row, seat):
    here = version_at(row, seat, count)
    assert 0 <= here < count
    assert here not in (version_at(row, seat + 1, count), version_at(row + 1, seat, count))
    if count > 3:
        assert here not in (version_at(row + 1, seat + 1, count), version_at(row + 1, seat - 1, count))


STUDENTS = "students: [{number: s1, name: Ada}, {number: s2, name: Bob}, {number: s3, name: Cy}, {number: s4, name: Dan}, {number: s5, name: Eve}]\n"


def test_versions_share_numbers_and_not_codes(home, tmp_path):
    (tmp_path / "drawn.yaml").write_text(DRAWN)
    (tmp_path / "s.yaml").write_text(SHEET + STUDENTS + "versions: 2\nseats: 3\n")
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    rows = list(csv.DictReader((tmp_path / "out" / "index.csv").open()))
    assert [(row["version"], row["row"], row["seat"]) for row in rows] == [
        ("A", "1", "1"), ("B", "1", "2"), ("A", "1", "3"), ("B", "2", "1"), ("A", "2", "2")]  # fmt: skip
    assert len({row["code"] for row in rows}) == 5 and {row["solution"] for row in rows} == {
        "solution-A.tex",
        "solution-B.tex",
    }
    key = json.loads((tmp_path / "out" / "key.json").read_text())["variants"]
    given_of = [variant["problem"].partition("parts:")[2] for variant in key]
    assert given_of[0] == given_of[2] == given_of[4] != given_of[1] == given_of[3] and [
        one["version"] for one in key
    ] == list("ABABA")
    paper, solution = ((tmp_path / "out" / name).read_text() for name in (rows[0]["paper"], "solution-A.tex"))
    assert "Ada" in paper and "Version A" in paper and "Row 1, seat 1" in paper
    assert "Ada" not in solution and rows[0]["code"] not in solution and "Solution of version A" in solution
    (tmp_path / "a.yaml").write_text("problem: b\nstudent: zoe\nanswers: {Y: [[1, 0], [0, 1]]}\n")
    marked = called("grade", tmp_path / "out" / "key.json", tmp_path / "a.yaml")[1]
    assert next(csv.DictReader(marked.splitlines()))["variant"] == rows[1]["code"]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    ("version", "student", "paper"), [("A", "zoe", 0), ("B", "zoe", 1), ("A", "s3", 2), ("B", "s4", 3)]
)
def test_a_blank_of_a_versions_file_is_graded(home, tmp_path, version, student, paper):
    (tmp_path / "drawn.yaml").write_text(DRAWN)
    (tmp_path / "s.yaml").write_text(SHEET + STUDENTS + "versions: 2\nseats: 3\n")
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    form = called("answers", tmp_path / "out" / f"variant-{version}.yaml")[1]
    assert f"problem: variant-{version}" in form
    (tmp_path / "a.yaml").write_text(form.replace('student: ""', f"student: {student}").replace("_", "1"))
    marked = called("grade", tmp_path / "out" / "key.json", tmp_path / "a.yaml")[1]
    row, codes = (
        next(csv.DictReader(marked.splitlines())),
        [row["code"] for row in csv.DictReader((tmp_path / "out" / "index.csv").open())],
    )
    assert row["variant"] == codes[paper] and row["q1.Y"] == "0" and "the key has no variant" not in row["remarks"]


def test_versions_alone_are_a_paper_each_and_names_can_be_left_out(home):
    assert [one.version for one in sheet_of(home, "versions: 3\n").students] == list("ABC")
    assert "Ada" not in paper_text(home, STUDENTS + "names: false\n") and "Ada" in paper_text(home, STUDENTS)


def test_a_practice_paper_names_no_seat(home):
    """It is done at home; versions stay what they are in the exam."""
    more = "students: [{number: s1}, {number: s2}, {number: s3}]\nversions: 2\nseats: 2\n"
    found = {purpose: sheet_of(home, more, purpose).students for purpose in ("exam", "resit", "practice")}
    assert {purpose: [one.seat for one in some] for purpose, some in found.items()} == {
        "exam": [(1, 1), (1, 2), (2, 1)], "resit": [(1, 1), (1, 2), (2, 1)], "practice": [None] * 3,
    }  # fmt: skip
    assert len({tuple(one.version for one in some) for some in found.values()}) == 1
    assert "seat" not in typeset.latex(papers(sheet_of(home, more, "practice"))[1], False)


@pytest.mark.sweep(quick=0)
def test_practice_and_resit_have_other_numbers_and_the_same_demands(home):
    found = {}
    for purpose in ("exam", "practice", "resit"):
        sheet = sheet_of(home, "variants: 3\n", purpose)
        assert sheet.title == ("Paper" if purpose == "exam" else f"Paper ({purpose})")
        fixed = [line for line in sheet.notes if line.startswith("question 2 has no random numbers")]
        assert len(fixed) == (purpose != "exam"), sheet.notes
        variants, _ = papers(sheet)
        found[purpose] = (
            {variant.code for variant in variants},
            {variant.problem.partition("parts:")[2] for variant in variants},
        )
    for one, other in (("exam", "practice"), ("exam", "resit"), ("practice", "resit")):
        assert not found[one][0] & found[other][0] and not found[one][1] & found[other][1]
    assert sheet_of(home, "purpose: resit\n").key == sheet_of(home, "", "resit").key != sheet_of(home).key


def test_the_command_makes_a_resit(home, tmp_path):
    (tmp_path / "drawn.yaml").write_text(DRAWN)
    (tmp_path / "s.yaml").write_text(SHEET)
    code, _, err = called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex", "--resit")
    assert code == 0 and "question 2 has no random numbers, so it is the same in the exam" in err
    assert json.loads((tmp_path / "out" / "key.json").read_text())["title"] == "Paper (resit)"


def test_papers_are_for_practice_or_for_a_resit(home, tmp_path):
    (tmp_path / "drawn.yaml").write_text(DRAWN)
    (tmp_path / "s.yaml").write_text(SHEET)
    code, _, err = called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--resit", "--practice")
    assert code == 2 and "expected either --practice or --resit, found both" in err and not (tmp_path / "out").exists()


TWO_PARTS = """\
title: Two parts
given: {V: [[1, 2], [3, 4]]}
parts:
  plain: {steps: {Z: V @ V}}
  mixed: {steps: {M: (plain.Z + V) / 2}}
"""


def test_formulas_have_the_names_that_their_author_wrote_and_a_version_is_exported_once(tmp_path):
    (tmp_path / "two.yaml").write_text(TWO_PARTS)
    (tmp_path / "s.yaml").write_text(
        "title: t\nvariants: 4\nversions: 2\nrounding: {digits: 2}\nquestions: [{problem: two.yaml}]\n"
    )
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    for name in ("all-papers.tex", "solution-A.tex"):
        told = (tmp_path / "out" / name).read_text()
        assert "plain" in told and "q1" not in told.split(r"\begin{document}")[1], name
    quizzes = read_quizzes([str(tmp_path / "out" / "key.json")])
    assert len(quizzes) == 2 and len(json.loads((tmp_path / "out" / "key.json").read_text())["variants"]) == 4
    told = called("export", tmp_path / "out" / "key.json", "--to", "moodle")[1].partition("-->")[2]
    assert "plain.Z" in told and "q1_plain.Z" not in told


@given(st.text("qx_1.", max_size=12), st.sampled_from(["Z", "S_scaled", "x.Z"]))
@examples(100)
def test_only_what_a_sheet_put_before_a_name_is_left_out(part, step):
    assert (
        author_part_name(f"q7_a{part}.{step}") == f"a{part}.{step}"
        and author_part_name(f"a{part}.{step}") == f"a{part}.{step}"
    )


RARE = "𐘀"  # of Linear A, which hardly a computer has a font for
CODES = "codes (U+10600) instead of 𐘀, which "


@pytest.mark.parametrize("name, ask, jobs, whose", [
    (f"{RARE} Li", "Why?", 1, f"{RARE} Li (1)"), (f"{RARE} Li", f"Why {RARE}?", 1, f"{RARE} Li (1) and the texts of the exam sheet"),
    ("Li", f"Why {RARE}?", 2, "the texts of the exam sheet"),
])  # fmt: skip
def test_signs_that_no_font_has_are_told_with_whose_they_are(name, ask, jobs, whose, tmp_path):
    people = f"[{{number: 1, name: {name}}}, {{number: 2, name: Ada}}]"
    (tmp_path / "s.yaml").write_text(f"students: {people}\nquestions: [{{ask: {ask}, free_text: So.}}]\n")
    words = ("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "pdf", "--to", "latex", "--jobs", jobs)
    code, _, told = called(*words)
    lines = [line for line in told.splitlines() if "codes" in line]
    assert code == 0 and len(lines) == 2
    assert all(line.startswith(f"{whose}: the papers show {CODES}") for line in lines)
    assert "install" in lines[0] and "LaTeX" in lines[1]


def test_nothing_is_told_of_signs_that_are_printed(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "students: [{number: 1, name: Žofie Ünal}]\nquestions: [{ask: Why √2 ≤ θ?, free_text: So.}]\n"
    )
    assert "codes" not in called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out")[2]


def test_pages_and_feedback_tell_of_signs_that_no_font_has(tmp_path):
    (tmp_path / "p.yaml").write_text(f"title: {RARE}\ngiven: {{A: [[1]]}}\nsteps: {{B: A * 2}}\n")
    assert called("solve", tmp_path / "p.yaml", "-o", tmp_path / "p.pdf")[2].startswith(f"the page shows {CODES}")
    assert RARE in called("solve", tmp_path / "p.yaml", "--to", "markdown")[1]
    (tmp_path / "a.yaml").write_text(f"student: Ada {RARE}\nanswers: {{B: [[2]]}}\n")
    for pages in ("all.pdf", "pages"):
        words = ("--feedback", tmp_path / pages, *(("--to", "pdf") if pages == "pages" else ()))
        told = called("grade", tmp_path / "p.yaml", tmp_path / "a.yaml", *words)[2]
        assert f"Ada {RARE}: the pages show {CODES}" in told


def test_many_students_with_such_names_are_counted():
    told = missing_glyph_warning([(f"{RARE} {k}", RARE) for k in range(9)], "the papers show")
    assert told.startswith(f"{RARE} 0, {RARE} 1, {RARE} 2, {RARE} 3 and 5 more students: the papers show {CODES}")
