"""Moodle XML: a cloze question for each part, a NUMERICAL blank for each cell.

The first answer that fits counts; tolerances are absolute and inclusive; shares are percentages of Moodle's own list; a question's marks
are the sum of its weights, which are whole numbers. docs/courses.md says where in Moodle these rules stand.
"""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from . import html
from .cloze import cloze, width_of
from .losses import LARGE, MARKS, MARKS_NEARLY, MISTAKES_LEFT, VARIANTS_DRAWN, VARIANTS_TOGETHER, lost
from .model import Asked, Blank, Question, Quiz
from .numbers import decimal, weights
from .package import ident_of
from .systems import SYSTEMS
from .worked import solution
from .xml import as_text, clean

PENALTY = "0.3333333"
LONGEST_NAME = 120  # of a title or a part; Moodle holds 255 characters of both with the variant's code
MANY_BLANKS = 100  # of a question, above which its page is slow to load and hard to fill in
_NO_TAG = {ord("<"): "‹", ord(">"): "›"}  # Moodle strips what looks like a tag from a name, and the rest of the name with it


def write(quizzes: list[Quiz]) -> tuple[str, list[str]]:
    """The file, and what it could not carry. Variants of a question stand in one category, of which Moodle draws one."""
    root = ET.Element("quiz")
    said: list[str] = []
    category = ""
    for name, questions, quiz in sorted(_questions(quizzes), key=lambda item: item[0]):
        if name != category:
            category = name
            _text(ET.SubElement(ET.SubElement(root, "question", type="category"), "category"), f"$course$/top/{name}")
        said += _question(root, questions, quiz)
    said += _silent(quizzes)
    if len(quizzes) > 1:
        said.append(VARIANTS_TOGETHER if all(quiz.together for quiz in quizzes) else VARIANTS_DRAWN)
    left_out = lost(quizzes, SYSTEMS["moodle"].cannot, said)
    root.insert(0, ET.Comment(_comment(left_out)))
    return as_text(root), left_out


def _questions(quizzes: list[Quiz]) -> list[tuple[str, list[Question], Quiz]]:
    """What becomes one question each, with its category: the quiz, and for variants the part below it."""
    found = []
    for quiz in quizzes:
        for together in [quiz.questions] if quiz.together else [[question] for question in quiz.questions]:
            part = together[0].name if len(together) == 1 else ""
            words = [quiz.title, part] if quiz.code and part else [quiz.title]
            found.append(("/".join(_name(word).replace("/", "//") for word in words), together, quiz))
    return found


def _question(root: ET.Element, questions: list[Question], quiz: Quiz) -> list[str]:
    """Adds one cloze question; answers what it could not carry."""
    blanks = [blank for question in questions for blank in question.blanks]
    worth, exact = weights([blank.points for blank in blanks])
    weight = dict(zip(map(id, blanks), worth, strict=True))
    width = width_of(blanks)

    def field(asked: Asked, blank: Blank) -> str:
        return cloze(blank, weight[id(blank)], width)

    part = questions[0].name if len(questions) == 1 else ""
    body = "\n".join(_body(question, field) for question in questions)
    worked = "\n".join(solution(question.solution(None)) for question in questions if question.solution)
    made = ET.SubElement(root, "question", type="cloze")
    _text(ET.SubElement(made, "name"), " ".join(dict.fromkeys(_name(word) for word in (quiz.title, quiz.code, part) if word)))
    _text(ET.SubElement(made, "questiontext", format="html"), body)
    _text(ET.SubElement(made, "generalfeedback", format="html"), worked)
    ET.SubElement(made, "penalty").text = PENALTY
    ET.SubElement(made, "hidden").text = "0"
    ET.SubElement(made, "idnumber").text = ident_of("moodle", quiz.title, quiz.code, part)
    _text(ET.SubElement(ET.SubElement(made, "tags"), "tag"), f"attncalc {ident_of(body, worked)[1:9]}")
    return _said(part or quiz.title, questions, worth, exact)


def _body(question: Question, field: html.Field) -> str:
    """What students read, with its blanks."""
    return "\n".join(
        [f"<h4>{html.words(question.title)}</h4>", html.statement(question), *(html.blanks(asked, field) for asked in question.asked)]
    )


def _said(name: str, questions: list[Question], worth: list[int], exact: bool) -> list[str]:
    """What a question could not carry."""
    points = sum((question.points for question in questions), Fraction(0))
    said = [MARKS.format(name=name, sum=sum(worth), points=decimal(points, 4))] * (sum(worth) != points)
    said += [MARKS_NEARLY.format(name=name)] * (not exact)
    return said + [LARGE.format(name=name, blanks=len(worth))] * (len(worth) > MANY_BLANKS)


def _silent(quizzes: list[Quiz]) -> list[str]:
    """For each question, over all variants, the blanks in which no mistake is told."""
    blanks: dict[str, list[Blank]] = {}
    for quiz in quizzes:
        for question in quiz.questions:
            blanks.setdefault(question.name or quiz.title, []).extend(question.blanks)
    silent = {name: sum(all(one.share for one in blank.answers) for blank in every) for name, every in blanks.items()}
    return [MISTAKES_LEFT.format(name=name, blanks=count, all=len(blanks[name])) for name, count in silent.items() if count]


def _name(text: str) -> str:
    return shorten(text.translate(_NO_TAG), LONGEST_NAME)


def _text(parent: ET.Element, text: str) -> None:
    ET.SubElement(parent, "text").text = clean(text)


def _comment(lines: list[str]) -> str:
    told = ["What this file could not carry:", *(f"* {line}" for line in lines)]
    return clean("\n".join(told).replace("--", "- -")) + "\n"
