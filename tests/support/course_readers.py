"""Readers of course systems' files that know the systems' own rules and nothing of how attncalc writes. docs/courses.md
says where each rule stands.

Moodle: the cloze importer and its numerical and short answers, in binary floating point as there. Canvas: QTI 1.2 by
the standard's own semantics, and the two ways in which Classic and New Quizzes read a numerical question out of it.
"""

import csv
import html
import io
import re
import zipfile
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from xml.etree import ElementTree as ET

# -- Moodle ------------------------------------------------------------------------------------------------------------

START = re.compile(
    r"\{([0-9]*):(NUMERICAL|NM|MULTICHOICE|MC|SHORTANSWER|SA|MW|SHORTANSWER_C|SAC|MWC|MULTIRESPONSE|MR):"
)
ALTERNATIVE = re.compile(
    r"(=|%(?P<percent>-?[0-9]+(?:[.,][0-9]*)?)%)?(?P<answer>.+?)(?<!\\)(?=[~#}])(?:#(?P<feedback>.*?)(?<!\\)(?=[~}]))?",
    re.DOTALL,
)
NUMBER = r"-?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?"
TOLERANT = re.compile(f"({NUMBER})(?::({NUMBER}))?")
TYPED = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?")
SMALLEST = 1e-14  # what Moodle widens every tolerance by, relative to numbers above 1: ten to the minus PHP's precision
EMOTICONS = [
    ":-)", ":)", ":-D", ";-)", ":-/", "V-.", ":-P", ":-p", "B-)", "^-)", "8-)", ":o)", ":-(", ":(", "8-.", ":-I", ":-X",
    "8-o", "P-|", "8-[", "(grr)",
    "xx-P", "|-.", "}-]", "(h)", "(heart)", "(y)", "(n)", "(martin)", "( )",
]  # fmt: skip
SHARES = [
    1,
    0.9,
    5 / 6,
    0.8,
    0.75,
    0.7,
    2 / 3,
    0.6,
    0.5,
    0.4,
    1 / 3,
    0.3,
    0.25,
    0.2,
    1 / 6,
    1 / 7,
    0.125,
    1 / 9,
    0.1,
    0.05,
    0,
]


@dataclass
class Cloze:
    """One blank: its weight, and (share, answer, tolerance or None, feedback as HTML) in order."""

    weight: int
    numerical: bool
    answers: list

    def marks(self, typed):
        """The share and the feedback, as people read it, of the first answer that fits."""
        for share, answer, tolerance, feedback in self.answers:
            if self.fits(answer, tolerance, typed):
                return share, words(feedback)
        return 0.0, ""

    def fits(self, answer, tolerance, typed):
        if not self.numerical:
            pattern = ".*".join(map(re.escape, re.split(r"\*+", answer)))
            return re.fullmatch(pattern, typed.strip(), re.IGNORECASE) is not None
        value, held = moodle_number(typed), float(php(answer))
        if value is None:
            return False
        wide = abs(float(tolerance)) + SMALLEST * max(1.0, abs(held))
        return held - wide <= value <= held + wide

    @property
    def width(self):
        """The characters of its field, before anything is typed: those of the longest answer, whatever that earns."""
        return max(len(php(answer) if self.numerical else answer) for _, answer, _, _ in self.answers)


def words(markup):
    """What people read of HTML."""
    return html.unescape(re.sub("<[^>]*>", "", markup))


def php(number):
    """How PHP keeps a number: whole ones of 64 bits entirely, others in 14 digits."""
    if re.fullmatch("-?[0-9]+", number) and abs(int(number)) < 2**63:
        return str(int(number))
    text = f"{float(number) + 0:.14G}".replace("E+0", "E+").replace("E-0", "E-")
    return re.sub("^(-?[0-9])E", r"\1.0E", text)


def moodle_number(typed, thousands=","):
    """What Moodle takes a typed text for, in English; None for no number."""
    text = re.sub(r"(?:e|E|(?:x|\*|×)10(?:\^|\*\*))([+-]?[0-9]+)", r"e\1", typed.replace(" ", ""))
    text = (
        text.replace(",", "") if "." in text or text.count(",") > 1 else text.replace(thousands, "").replace(",", ".")
    )
    found = TYPED.match(text)
    return float(found[0]) if found else None


def cloze(text):
    """The blanks of a question's text, and the text that is left around them."""
    found, around, at = [], [], 0
    while start := START.search(text, at):
        around.append(text[at : start.start()])
        kind, at, answers = start[2], start.end(), []
        while True:
            one = ALTERNATIVE.match(text, at)
            assert one, f"no end of the blank at {text[start.start() : start.start() + 60]!r}"
            answers.append(_alternative(one, kind in ("NUMERICAL", "NM")))
            at = one.end()
            if text[at] == "}":
                break
            assert text[at] == "~"
            at += 1
        at += 1
        assert any(share == 1 for share, *_ in answers), "Moodle refuses a blank without an answer that earns all"
        found.append(Cloze(int(start[1] or 1), kind in ("NUMERICAL", "NM"), answers))
    return found, "".join([*around, text[at:]])


def _alternative(one, numerical):
    share = 1.0 if one[1] == "=" else 0.01 * float((one["percent"] or "0").replace(",", "."))
    assert min(abs(share - known) for known in SHARES) < 1e-6, f"{share} is none of Moodle's shares"
    feedback = _decoded(one["feedback"] or "")
    if not numerical:
        return share, _decoded(one["answer"]), None, feedback
    number = TOLERANT.fullmatch(one["answer"])
    assert number, f"{one['answer']!r} is no number with a tolerance"
    return share, number[1].replace(",", "."), (number[2] or "0").replace(",", "."), feedback


def _decoded(text):
    return html.unescape(text).replace("\\}", "}").replace("\\#", "#")


@dataclass
class MoodleQuestion:
    name: str
    category: str
    blanks: list
    around: str
    solution: str = ""
    idnumber: str = ""
    tags: tuple = ()
    kind: str = "cloze"
    points: float = 0.0
    several: bool = False
    choices: list = field(default_factory=list)  # (share, HTML, what is said)
    graderinfo: str = ""

    def ticked(self, numbers):
        """The share of ticking these options: shares add up, and are never less than nothing."""
        assert self.several or len(numbers) == 1
        return max(0.0, sum(self.choices[k][0] for k in numbers))

    def marks(self, typed):
        """The share of the whole question: blanks count by their weights."""
        earned = sum(blank.weight * blank.marks(x)[0] for blank, x in zip(self.blanks, typed, strict=True))
        return earned / sum(blank.weight for blank in self.blanks)


def moodle_questions(file):
    root = ET.fromstring(file)
    assert root.tag == "quiz"
    found, category = [], ""
    for question in root.findall("question"):
        if question.get("type") == "category":
            category = question.find("category/text").text
            continue
        kind = question.get("type")
        assert kind in ("cloze", "multichoice", "essay") and question.find("questiontext").get("format") == "html"
        name = question.find("name/text").text
        assert name and name.strip(), "Moodle wants a name"
        assert len(name) <= 255 and all(len(part) <= 255 for part in category.replace("//", "").split("/")), (
            "longer than Moodle's columns"
        )
        assert not re.search("<[a-zA-Z/!?]", name), "Moodle strips tags from names"
        blanks, around = cloze(question.find("questiontext/text").text.strip())
        solution = question.find("generalfeedback/text").text or ""
        tags = tuple(tag.text.lower() for tag in question.findall("tags/tag/text"))
        assert all(len(tag) <= 50 for tag in tags)
        made = MoodleQuestion(name, category, blanks, around, solution, question.find("idnumber").text, tags, kind)
        assert sum(blank.weight for blank in blanks) < 100_000, (
            "five digits before the point are all that Moodle keeps of marks"
        )
        if kind != "cloze":
            _own(made, question)
        found.append(made)
        for text in (
            question.find("questiontext/text").text,
            solution,
            *(feedback for blank in blanks for *_, feedback in blank.answers),
        ):
            assert not any(sign in text for sign in EMOTICONS), "Moodle makes pictures of these, on every page of HTML"
    assert len({(one.category, one.idnumber) for one in found}) == len(found), (
        "of two questions with one number Moodle forgets that of the second"
    )
    return found


def _own(made, question):
    """A question of another type than cloze: its points, and its options."""
    made.points, made.several = float(question.find("defaultgrade").text), question.findtext("single") == "false"
    made.graderinfo = question.findtext("graderinfo/text") or ""
    for answer in question.findall("answer"):
        share = float(answer.get("fraction")) / 100
        assert min(abs(abs(share) - known) for known in SHARES) < 1e-6, f"{share} is none of Moodle's shares"
        made.choices.append((share, answer.findtext("text"), words(answer.findtext("feedback/text") or "")))
    if made.kind == "multichoice":
        best = (
            sum(share for share, *_ in made.choices if share > 0)
            if made.several
            else max(share for share, *_ in made.choices)
        )
        assert len(made.choices) >= 2 and abs(best - 1) < 1e-4, "the right options earn all"


# -- Canvas ------------------------------------------------------------------------------------------------------------

Q = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
P = "{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}"


@dataclass
class Item:
    """One question of a Canvas quiz."""

    ident: str
    title: str
    kind: str
    points: Fraction
    body: str
    node: ET.Element
    stimulus: str | None = None
    feedback: str = ""
    choices: list = field(default_factory=list)  # (whether it is right, HTML, what is said)

    @property
    def conditions(self):
        return self.node.findall(f"{Q}resprocessing/{Q}respcondition")

    def score(self, typed):
        """SCORE by QTI 1.2: the conditions one after the other, each ending the run unless `continue` says
        otherwise.
        """
        score = Fraction(0)
        for condition in self.conditions:
            if _holds(condition.find(f"{Q}conditionvar"), typed, self.kind == "numerical_question"):
                for change in condition.findall(f"{Q}setvar"):
                    assert (change.get("varname"), change.get("action")) == ("SCORE", "Set")
                    score = Fraction(change.text)
                if condition.get("continue", "No") == "No":
                    break
        return score

    def classic(self, typed):
        """Classic Quizzes: `or` is read as a number with the margin up to `varlte`, all conditions alike right; short
        answers ignore case. Nothing is wrong, and what is no number is 0.
        """
        if self.kind == "short_answer_question":
            return typed.strip().lower() in [one.text.lower() for one in self.node.iter(f"{Q}varequal")]
        value = _decimal(typed) or Decimal(0)
        for condition in self.conditions if typed.strip() else ():
            either = condition.find(f".//{Q}or")
            exact, upper = (Decimal(either.find(f".//{Q}{sign}").text) for sign in ("varequal", "varlte"))
            assert either.find(f".//{Q}vargt") is None, "which Classic may take for significant digits"
            margin = Decimal(repr(float(upper - exact)))
            if abs(value - Decimal(repr(float(exact)))) <= margin:
                return True
        return False

    def new(self, typed):
        """New Quizzes: a number and the margin down to `vargte`, in binary floating point."""
        if self.kind == "short_answer_question":
            return typed in [one.text for one in self.node.iter(f"{Q}varequal")]
        value = _decimal(typed)
        for condition in self.conditions:
            equal, low, high = (condition.find(f".//{Q}{sign}").text for sign in ("varequal", "vargte", "varlte"))
            assert equal not in (low, high)
            if value is not None and abs(float(value) - float(equal)) <= float(equal) - float(low):
                return True
        return False


def _decimal(text):
    return Decimal(text) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", text) else None


def _holds(node, typed, numerical):
    """A condition of QTI 1.2; what stands beside each other in `conditionvar` and `and` must hold all at once."""
    kind = node.tag.removeprefix(Q)
    if kind in ("conditionvar", "and", "or"):
        return (any if kind == "or" else all)(_holds(one, typed, numerical) for one in node)
    if kind == "varequal" and not numerical:
        return typed == node.text
    value, bound = _decimal(typed), Decimal(node.text)
    return value is not None and {"varequal": value == bound, "vargte": value >= bound, "varlte": value <= bound}[kind]


def canvas_quizzes(package):
    """[(title, [items])] of a package, by its manifest; every file is listed, and every reference leads to
    something.
    """
    archive = zipfile.ZipFile(io.BytesIO(package))
    assert archive.testzip() is None
    manifest = ET.fromstring(archive.read("imsmanifest.xml"))
    resources = manifest.findall(f".//{P}resource")
    assert {file.get("href") for file in manifest.iter(f"{P}file")} == set(archive.namelist()) - {
        "imsmanifest.xml",
        "README.txt",
    }
    assert {one.get("identifierref") for one in manifest.iter(f"{P}dependency")} <= {
        one.get("identifier") for one in resources
    }
    found, idents = [], set()
    for resource in resources:
        if resource.get("type") == "imsqti_xmlv1p2":
            root = ET.fromstring(archive.read(resource.find(f"{P}file").get("href")))
            (assessment,) = root.findall(f"{Q}assessment")
            items = [_item(one) for one in assessment.iter(f"{Q}item")]
            assert not idents & {one.ident for one in items} and len({one.ident for one in items}) == len(items)
            idents |= {one.ident for one in items}
            assert all(len(title) <= 255 for title in (assessment.get("title"), *(one.title for one in items))), (
                "longer than Canvas holds"
            )
            for k, one in enumerate(items):  # New Quizzes show the text beside the questions that name it
                texts = [text.ident for text in items[:k] if text.kind == "text_only_question"]
                assert one.stimulus == (
                    texts[-1] if one.kind in ("numerical_question", "short_answer_question") else None
                )
            (meta,) = [
                one
                for one in manifest.iter(f"{P}file")
                if one.get("href") == f"{assessment.get('ident')}/assessment_meta.xml"
            ]
            possible = (
                ET.fromstring(archive.read(meta.get("href")))
                .find("{http://canvas.instructure.com/xsd/cccv1p0}points_possible")
                .text
            )
            assert sum(one.points for one in items) == Fraction(possible), (
                "the points of the questions are those of the quiz"
            )
            found.append((assessment.get("title"), items))
    return found


def typeset(text):
    """Whether MathJax finds a formula in HTML: it reads each piece of text between tags, entities decoded,
    by itself.
    """
    return any(re.search(r"\\[(\[]|\$\$|\\begin", html.unescape(piece)) for piece in re.split("<[^>]*>", text))


def _item(node):
    data = {
        field.find(f"{Q}fieldlabel").text: field.find(f"{Q}fieldentry").text
        for field in node.iter(f"{Q}qtimetadatafield")
    }
    texts = [text.text for text in node.iter(f"{Q}mattext")]
    assert not any(map(typeset, texts))
    said = node.findall(f"{Q}itemfeedback[@ident='general_fb']/{Q}flow_mat/{Q}material/{Q}mattext")
    item = Item(
        node.get("ident"), node.get("title"), data["question_type"], Fraction(data["points_possible"]), texts[0], node
    )
    item.stimulus, item.feedback = data.get("parent_stimulus_item_ident"), said[0].text if said else ""
    fields = list(node.iter(f"{Q}render_fib"))
    if item.kind == "text_only_question":
        assert not fields and item.points == 0
    elif item.kind == "essay_question":
        assert len(fields) == 1 and node.find(f".//{Q}setvar") is None
    elif item.kind in ("multiple_choice_question", "multiple_answers_question"):
        _options(item)
    else:
        assert item.kind in ("numerical_question", "short_answer_question") and len(fields) == 1 and item.conditions
        assert (fields[0].get("fibtype") == "Decimal") is (item.kind == "numerical_question")
        asked = {one.get("respident") for one in node.iter() if "respident" in one.attrib}
        assert asked == {one.get("ident") for one in node.iter(f"{Q}response_str")}
    return item


def _options(item):
    """What Classic takes of a question with choices: each condition says what its option earns, the last one counts; of
    several, those that must hold beside one another are right.
    """
    right, said = (
        {},
        {one.get("ident"): words(one.find(f".//{Q}mattext").text) for one in item.node.iter(f"{Q}itemfeedback")},
    )
    several, links = item.kind == "multiple_answers_question", {}
    for condition in item.conditions:
        earned = condition.find(f"{Q}setvar") is not None
        inside = (
            condition.findall(f"{Q}conditionvar/{Q}and/{Q}varequal")
            if several and earned
            else condition.findall(f".//{Q}varequal")
        )
        for one in inside:
            right[one.text] = earned
        if (link := condition.find(f"{Q}displayfeedback")) is not None:
            links[inside[0].text] = said[link.get("linkrefid")]
    (response,) = item.node.iter(f"{Q}response_lid")
    assert response.get("rcardinality") == ("Multiple" if several else "Single")
    for label in response.iter(f"{Q}response_label"):
        ident = label.get("ident")
        item.choices.append((right.get(ident, False), label.find(f".//{Q}mattext").text, links.get(ident, "")))
    assert any(one[0] for one in item.choices) and len(item.choices) >= 2


def canvas_cells(package):
    """The questions of all quizzes that have a blank, in order."""
    return [
        item
        for _, items in canvas_quizzes(package)
        for item in items
        if item.kind in ("numerical_question", "short_answer_question")
    ]


# -- gradebooks --------------------------------------------------------------------------------------------------------


class Refused(Exception):
    """What the system says in place of importing."""


def moodle_gradebook(text, field, item, known, most):
    """{student: (mark, feedback)}: one column says who; the first who is unknown, or has more than 100, ends the whole
    import; what is more than the item allows is cut to that without a word.
    """
    head, *lines = list(csv.reader(io.StringIO(text)))
    who, mark, feedback = head.index(field), head.index(item), head.index(f"{item} (feedback)")
    found = {}
    for line in lines:
        if len(line) != len(head):
            raise Refused("the line has other columns than the first")
        if line[who].strip() not in known:
            raise Refused(f"user mapping error: {line[who]!r}")
        value = line[mark].strip()
        if value and float(value) > 100:
            raise Refused("the grade is too big")
        found[line[who].strip()] = (min(float(value), most) if value else None, line[feedback])
    return found


def canvas_gradebook(text, sis, logins):
    """(points possible, {user: mark}, unknown students) of the only assignment; `sis` and `logins` lead to users."""
    head, *lines = list(csv.reader(io.StringIO(text)))
    if "Student" not in head[0] or "ID" not in head[1] or len(head) <= 3:
        raise Refused("Invalid header row")
    assert head[2:4] == ["SIS User ID", "SIS Login ID"]
    if "Section" not in head[4]:
        raise Refused("Invalid header row")
    assert len(head) == 6 and not re.search("(Current|Final) (Score|Points|Grade)|Override", head[5])
    possible, marks, missing = None, {}, []
    for line in lines:
        if "Points Possible" in line[0]:
            possible = line[5]
            continue
        user = sis.get(line[2]) or logins.get(line[3])
        if user is None:
            missing.append(line[0])
        marks[user or line[0]] = line[5]
    return possible, marks, missing
