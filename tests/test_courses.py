"""Quizzes for course systems, read back by readers that know only the systems' own rules: every blank has its answer, the key earns all,
mistakes what they should, and no text of a problem is more than text."""

import html
import io
import json
import re
import subprocess
import sys
import zipfile
from fractions import Fraction
from itertools import chain
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.courses import canvas, moodle
from attncalc.courses.html import escape
from attncalc.courses.numbers import decimal, weights
from attncalc.courses.quiz import quiz_of, quizzes
from attncalc.grade.key import read_key
from attncalc.mark.marks import points_of

HEAD = {
    "title": "One head",
    "given": {"X": {"rows": ["the", "cat", "sat"], "values": [[1, 0], [0, 1], [1, 1]]}, "W_Q": [[1, 0], [2, 1]], "W_K": [[1, 1], [0, 1]], "W_V": [[1, 2], [3, 4]]},
    "rounding": {"digits": 3},
    "self_attention": {"mask": "causal"},
    "points": 8,
}
SLICE = HEAD | {"asked": ["A", "Z[2]"], "points": {"A": 3, "Z[2]": 2}}
CUT = HEAD | {"rounding": {"digits": 2, "mode": "truncate"}}
PARTS = {
    "title": "Two parts",
    "given": {"A": [["1/3", "2/3"], [1, 0]], "V": [[1, 2], [3, 5]]},
    "parts": {"first": {"steps": {"Z": "A @ V"}, "points": 2}, "second": {"steps": {"Y": "first.Z / sqrt(2)"}, "points": "1/3"}},
}
PROBLEMS = {"head": HEAD, "slice": SLICE, "cut": CUT, "parts": PARTS, "named": "transformers-transforming-our-lives", "heads": "two-heads-joined"}
MOODLE_SHARES = {"100", "90", "83.33333", "80", "75", "70", "66.66667", "60", "50", "40", "33.33333", "30", "25", "20", "16.66667", "14.28571", "12.5", "11.11111", "10", "5", "0"}


# -- an independent reader of Moodle's cloze syntax, by its manual ------------------------------------------------------------


BLANK = re.compile(r"\{(\d*):(NUMERICAL|NM|SHORTANSWER|SA|MULTICHOICE|MC)\w*:((?:\\.|[^\\}])*)\}")


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


def cloze_blanks(text):
    """[(weight, kind, [(share, answer, tolerance, feedback)])] of a question's text."""
    found = []
    for weight, kind, body in BLANK.findall(text):
        answers = []
        for alternative in re.split(r"(?<!\\)~", body):
            share, rest = re.fullmatch(r"%([\d.]+)%(.*)", alternative, re.DOTALL).groups()
            assert share in MOODLE_SHARES
            answer, _, feedback = re.match(r"((?:\\.|[^\\#])*)(#?)(.*)", rest, re.DOTALL).groups()
            value, _, tolerance = answer.partition(":") if kind == "NUMERICAL" else (answer, "", "0")
            answers.append((Fraction(share) / 100, value, Fraction(tolerance), html.unescape(unescaped(feedback))))
        found.append((int(weight or 1), kind, answers))
    return found


def moodle_marks(blank, typed):
    """The share and the feedback: the first answer that fits, tolerances inclusive."""
    _, kind, answers = blank
    for share, answer, tolerance, feedback in answers:
        if answer == typed if kind == "SHORTANSWER" else _number(typed) is not None and abs(Fraction(typed) - Fraction(answer)) <= tolerance:
            return share, feedback
    return Fraction(0), ""


def _number(text):
    try:
        return Fraction(text)
    except ValueError:
        return None


def moodle_questions(file):
    root = ET.fromstring(file)
    assert root.tag == "quiz"
    found = []
    for question in root.findall("question"):
        if question.get("type") == "cloze":
            body = question.find("questiontext")
            assert body.get("format") == "html"
            found.append((question.find("name/text").text, body.find("text").text))
    return found


# -- an independent reader of Canvas's QTI 1.2 -------------------------------------------------------------------------------------

Q = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"


def canvas_items(package):
    """[(kind, points, title, respconditions)] of all quizzes of a zip, by its manifest."""
    archive = zipfile.ZipFile(io.BytesIO(package))
    assert archive.testzip() is None and "README.txt" in archive.namelist()
    manifest = ET.fromstring(archive.read("imsmanifest.xml"))
    space = manifest.tag.removesuffix("manifest")
    resources = manifest.findall(f".//{space}resource")
    listed = {file.get("href") for file in manifest.iter(f"{space}file")}
    assert listed == set(archive.namelist()) - {"imsmanifest.xml", "README.txt"}
    known = {resource.get("identifier") for resource in resources}
    assert {one.get("identifierref") for one in manifest.iter(f"{space}dependency")} <= known
    found, idents = [], set()
    for resource in resources:
        if resource.get("type") == "imsqti_xmlv1p2":
            root = ET.fromstring(archive.read(resource.find(f"{space}file").get("href")))
            for item in root.iter(f"{Q}item"):
                assert item.get("ident") not in idents
                idents.add(item.get("ident"))
                data = {f.find(f"{Q}fieldlabel").text: f.find(f"{Q}fieldentry").text for f in item.iter(f"{Q}qtimetadatafield")}
                found.append((data["question_type"], Fraction(data["points_possible"]), item.get("title"), item))
    return found


def canvas_right(item, typed):
    """Whether Canvas gives the points: a condition with a number and its margin, or with texts."""
    for condition in item.iter(f"{Q}respcondition"):
        variables = condition.find(f"{Q}conditionvar")
        either = variables.find(f"{Q}or")
        if either is None:
            if typed in [one.text for one in variables.findall(f"{Q}varequal")]:
                return True
            continue
        low, high = (Fraction(either.find(f"{Q}and/{Q}{sign}").text) for sign in ("vargte", "varlte"))
        if (x := _number(typed)) is not None and low <= x <= high:
            return True
    return False


# -- the key and known mistakes ---------------------------------------------------------------------------------------------------


def key_of(problem, digits=None, paper=False):
    """The numbers of all asked cells, part by part, in the order of the sheet; from the solver, not from the export."""
    solution = solve(problem, paper=paper)
    found = []
    for part in solution.parts:
        cells = {}
        for one in part.part.asked:
            step, worth = part[one.step], points_of(part.part)
            if step.step.given or not worth.get(one.step):
                continue
            texts = step.decimals(part.part.rounding.digits if digits is None else digits)
            n, m = step.step.shape
            cells |= {(part.part.plan.steps.index(step.step), i, j): texts[i][j] for i in one.rows or range(n) for j in one.columns or range(m)}
        if cells:
            found.append([cells[at] for at in sorted(cells)])
    return found


@pytest.fixture(params=PROBLEMS, scope="module")
def problem(request):
    return load(PROBLEMS[request.param])


def quiz(problem):
    return quiz_of(problem, problem.title)


def test_moodle_gives_the_key_all_marks(problem):
    file, _ = moodle.write([quiz(problem)])
    key = key_of(problem)
    questions = moodle_questions(file)
    assert len(questions) == len(key)
    for (_, text), typed in zip(questions, key):
        blanks = cloze_blanks(text)
        assert len(blanks) == len(typed) == text.count("NUMERICAL:") + text.count("SHORTANSWER:")
        assert [moodle_marks(blank, x)[0] for blank, x in zip(blanks, typed)] == [1] * len(typed)


@pytest.mark.parametrize("digits", [8, 12])
def test_moodle_takes_more_digits(problem, digits):
    for (_, text), typed in zip(moodle_questions(moodle.write([quiz(problem)])[0]), key_of(problem, digits)):
        assert all(moodle_marks(blank, x)[0] == 1 for blank, x in zip(cloze_blanks(text), typed))


def test_both_systems_take_what_rounding_every_step_gives(problem):
    made = quiz(problem)
    paper = key_of(problem, paper=True)
    for (_, text), typed in zip(moodle_questions(moodle.write([made])[0]), paper):
        assert all(moodle_marks(blank, x)[0] == 1 for blank, x in zip(cloze_blanks(text), typed))
    items = [item for kind, _, _, item in canvas_items(canvas.write([made])[0]) if kind != "text_only_question"]
    assert all(canvas_right(item, x) for item, x in zip(items, chain(*paper)))


def test_canvas_gives_the_key_all_points(problem):
    items = [one for one in canvas_items(canvas.write([quiz(problem)])[0]) if one[0] != "text_only_question"]
    typed = list(chain(*key_of(problem)))
    assert len(items) == len(typed)
    for (kind, _, title, item), x in zip(items, typed):
        fields = list(item.iter(f"{Q}render_fib"))
        assert len(fields) == 1 and kind == ("short_answer_question" if x == "-inf" else "numerical_question"), title
        assert (fields[0].get("fibtype") == "Decimal") is (kind == "numerical_question")
        assert canvas_right(item, x), title
        assert not canvas_right(item, "12345.678") and not canvas_right(item, "")


def test_points_are_kept(problem):
    made = quiz(problem)
    for question, (_, text) in zip(made.questions, moodle_questions(moodle.write([made])[0])):
        shares = [Fraction(blank[0], sum(b[0] for b in cloze_blanks(text))) for blank in cloze_blanks(text)]
        assert shares == [blank.points / question.points for blank in question.blanks]
    total = sum(sum(points_of(part).values()) for part in problem.parts)
    assert sum(question.points for question in made.questions) == total
    assert abs(sum(points for _, points, _, _ in canvas_items(canvas.write([made])[0])) - total) < Fraction(1, 1000)


def test_a_last_digit_that_is_off_keeps_the_share_of_the_method(problem):
    made = quiz(problem)
    for part, (_, text), typed in zip([p for p in problem.parts if p.asked], moodle_questions(moodle.write([made])[0]), key_of(problem)):
        unit = Fraction(1, 10**part.rounding.digits)
        for blank, x in zip(cloze_blanks(text), typed):
            if _number(x) is not None:
                assert moodle_marks(blank, decimal(Fraction(x) + unit))[0] in (Fraction(3, 4), 1)
                assert moodle_marks(blank, decimal(Fraction(x) + 50 * unit + unit / 3))[0] == 0


def forgotten_scale():
    """The numbers of HEAD where the scores are not divided, worked out by formulas of their own."""
    steps = {"Q": "X @ W_Q", "K": "X @ W_K", "V": "X @ W_V", "S": "Q @ K.T", "S_scaled": "S", "S_masked": "keep(S_scaled, causal(3, 3))", "A": "softmax(S_masked)", "Z": "A @ V"}
    return load({key: HEAD[key] for key in ("title", "given", "rounding")} | {"steps": steps})


def test_a_known_mistake_earns_nothing_where_it_is_made_and_is_named():
    ((_, text),) = moodle_questions(moodle.write([quiz(load(HEAD))])[0])
    blanks, right, wrong = cloze_blanks(text), key_of(load(HEAD))[0], key_of(forgotten_scale())[0]
    start = len(right) - 9 - 9 - 9 - 6  # S_scaled, S_masked, A and Z come last
    scaled = [(moodle_marks(blank, w), r, w) for blank, r, w in zip(blanks, right, wrong)][start : start + 9]
    for (share, feedback), r, w in scaled:
        assert share == (1 if r == w else 0)
        assert r == w or "scale-forgotten" in feedback
    assert any(r != w for _, r, w in scaled)


def test_a_mistake_before_the_step_that_is_asked_is_named_there():
    ((_, text),) = moodle_questions(moodle.write([quiz(load(HEAD | {"asked": ["Z"]}))])[0])
    blanks, wrong = cloze_blanks(text), key_of(forgotten_scale())[0][-6:]
    told = [moodle_marks(blank, w) for blank, w in zip(blanks, wrong)]
    assert any(share == 0 and "scale-forgotten" in feedback for share, feedback in told)


def test_a_mistake_is_told_where_it_is_handed_in_and_not_again():
    ((_, text),) = moodle_questions(moodle.write([quiz(load(HEAD | {"asked": ["S_scaled", "A", "Z"]}))])[0])
    assert all("scale-forgotten" not in feedback for blank in cloze_blanks(text)[9:] for *_, feedback in blank[2])
    assert any("scale-forgotten" in feedback for blank in cloze_blanks(text)[:9] for *_, feedback in blank[2])


def test_accepted_conventions_are_no_mistakes():
    ((_, text),) = moodle_questions(moodle.write([quiz(load(HEAD | {"accept": ["scale-forgotten"]}))])[0])
    assert "scale-forgotten" not in text


def test_no_answer_of_another_share_stands_in_the_way(problem):
    for _, text in moodle_questions(moodle.write([quiz(problem)])[0]):
        for blank in cloze_blanks(text):
            for share, answer, _, _ in blank[2]:
                met = moodle_marks(blank, answer)[0]
                assert met == share or share == Fraction(3, 4)


# -- hostile words -----------------------------------------------------------------------------------------------------------------

HOSTILE = [
    "{1:SHORTANSWER:=x}", "{1:NUMERICAL:%100%0:9}", "}~#/\\\"", "]]>", "<script>alert(1)</script>", "&amp;", "--><quiz>", "[blank]", "$$x$$", "\\(x\\)", "@@PLUGINFILE@@",
    "<![CDATA[", "'", "a~b", "=1+1", "\u202e", "{", "}", "%100%", "::", "日本", "%s", "]]",
]  # fmt: skip


def hostile(word, second="b"):
    given = {"X": {"rows": [word, second], "values": [[1, 0], [0, 1]]}, "W": {"columns": [word, "z"], "rows": None, "values": [[1, 2], [3, 4]]}}
    given["W"].pop("rows")
    return load({"title": word, "ask": f"{word} and {second}", "given": given, "parts": {"one": {"title": word, "ask": word, "steps": {"Q": "X @ W"}}}})


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_stay_words(word):
    made = quiz(hostile(word))
    ((_, text),) = moodle_questions(moodle.write([made])[0])
    assert len(cloze_blanks(text)) == 4 and text.count("{") == 4 and "<script" not in text
    plain = html.unescape(re.sub(r"<[^>]*>", "", BLANK.sub("", text)))
    shown = word.replace("\u202e", "\ufffd")
    assert plain.count(shown) >= 4  # the title, both questions, the labels
    items = canvas_items(canvas.write([made])[0])
    assert [kind for kind, *_ in items] == ["text_only_question"] + ["numerical_question"] * 4
    body = items[0][3].find(f".//{Q}mattext").text
    assert "<script" not in body and "[" not in body and shown in html.unescape(re.sub(r"<[^>]*>", "", body))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20))
def test_any_text_is_one_text_in_html(text):
    escaped = escape(text)
    assert not set(escaped) & set('<>{}[]~\\$"`@')
    assert html.unescape(escaped) == "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def test_feedback_is_escaped_for_cloze():
    from attncalc.courses.model import Accepted, Blank

    said = 'a}b~c#d/e"f\\g <b>&amp;{'
    blank = Blank(0, 0, Fraction(1), (Accepted("1", Fraction(1, 2), Fraction(1)), Accepted("3", Fraction(1, 2), Fraction(0), said)))
    (found,) = cloze_blanks(moodle.cloze(blank, 1))
    assert moodle_marks(found, "3") == (0, said) and moodle_marks(found, "1") == (1, "")


# -- keys, files, what is lost --------------------------------------------------------------------------------------------------------

VARIANT = "title: t\ngiven: {{A: [[{0}, 2]], B: [[1], [{0}]]}}\nparts: {{q1: {{steps: {{C: A @ B}}}}, q2: {{steps: {{D: A * 2}}}}}}\n"


@pytest.fixture
def key(tmp_path):
    variants = [{"code": code, "number": k, "student": None, "seed": k, "problem": VARIANT.format(k)} for k, code in enumerate(("AA11", "BB22", "CC33"), 3)]
    path = tmp_path / "key.json"
    path.write_text(json.dumps({"format": 1, "kind": "attncalc key", "title": "Mid/term", "variants": variants}))
    return path


def test_every_variant_of_a_key_is_there(key):
    made = list(quizzes(read_key(str(key))))
    file, _ = moodle.write(made)
    questions = moodle_questions(file)
    assert [name for name, _ in questions] == [f"Mid/term {code} {part}" for part in ("q1", "q2") for code in ("AA11", "BB22", "CC33")]
    assert [c.text for c in ET.fromstring(file).findall("question/category/text")] == [f"$course$/top/Mid//term/{part}" for part in ("q1", "q2")]
    for k, (_, text) in zip((3, 4, 5), questions[:3]):
        assert moodle_marks(cloze_blanks(text)[0], str(3 * k))[0] == 1
    package, _ = canvas.write(made)
    assert len([1 for kind, *_ in canvas_items(package) if kind == "numerical_question"]) == 3 * 3
    assert package == canvas.write(list(quizzes(read_key(str(key)))))[0]


def export(*arguments):
    return subprocess.run([sys.executable, "-m", "attncalc", "export", *map(str, arguments)], capture_output=True)


def test_the_command_says_what_is_lost_there_and_in_the_file(key, tmp_path):
    for system, name in (("moodle", "q.xml"), ("canvas", "q.zip")):
        done = export("transformers-transforming-our-lives", "--to", system, "-o", tmp_path / name)
        told = [line.removeprefix("not carried: ") for line in done.stderr.decode().splitlines()]
        assert done.returncode == 0 and len(told) >= 5
        raw = (tmp_path / name).read_bytes()
        inside = raw.decode() if name == "q.xml" else zipfile.ZipFile(io.BytesIO(raw)).read("README.txt").decode()
        assert all(line in inside for line in told)
        again = export(key, "--to", system, "-o", tmp_path / name)
        assert again.returncode == 2 and b"--force replaces it" in again.stderr and (tmp_path / name).read_bytes() == raw


def test_minus_infinity_is_said_only_where_it_stands():
    assert not any("infinity" in line for line in moodle.write([quiz(load(PARTS))])[1])
    assert any("infinity" in line for line in moodle.write([quiz(load(HEAD))])[1])


def test_a_step_of_another_part_is_said():
    assert any(line.startswith("second: uses first.Z") for line in moodle.write([quiz(load(PARTS))])[1])


@pytest.mark.parametrize(
    "change, said",
    [
        ({"asked": []}, "nothing is asked"),
        ({"given": {"X": [[1] * 50] * 50}, "self_attention": {"W_Q": "identity(50)", "W_K": "identity(50)", "W_V": "identity(50)"}}, "are too many for a quiz"),
    ],
)
def test_what_is_no_quiz(tmp_path, change, said):
    (tmp_path / "p.json").write_text(json.dumps(HEAD | change))
    done = export(tmp_path / "p.json", "--to", "moodle")
    assert done.returncode == 2 and said in done.stderr.decode() and b"Traceback" not in done.stderr


@given(st.lists(st.fractions(min_value=Fraction(1, 12), max_value=20, max_denominator=12), min_size=1, max_size=12))
def test_weights_keep_the_ratio_of_points(points):
    found, exact = weights(points)
    assert all(isinstance(w, int) and w >= 1 for w in found)
    if exact:
        assert all(a * q == b * p for a, p in zip(found, points) for b, q in zip(found, points))
    else:
        assert all(abs(a / max(found) - float(p / max(points))) <= 0.001 for a, p in zip(found, points))


@given(st.fractions(-1000, 1000, max_denominator=10**6))
def test_decimals_are_plain_and_near(x):
    text = decimal(x)
    assert re.fullmatch(r"-?\d+(\.\d+)?", text) and abs(Fraction(text) - x) <= Fraction(1, 2 * 10**12) and text != "-0"
