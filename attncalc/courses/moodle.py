"""Moodle XML: a cloze question for each part, a NUMERICAL blank for each cell.

The first answer that fits counts; tolerances are absolute and inclusive; shares are percentages of Moodle's own list; a question's marks
are the sum of its weights, which are whole numbers. docs/courses.md says where in Moodle these rules stand.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from ..errors import shorten
from . import html
from .losses import MARKS, MARKS_NEARLY, MISTAKES_LEFT, VARIANTS_DRAWN, lost
from .model import WORDS, Accepted, Asked, Blank, Question, Quiz
from .numbers import decimal, weights
from .systems import SYSTEMS
from .xml import as_text, clean

PENALTY = "0.3333333"
LONGEST_NAME = 120  # of a title or a part; Moodle holds 255 characters of both with the variant's code
_NO_TAG = {ord("<"): "‹", ord(">"): "›"}  # Moodle strips what looks like a tag from a name, and the rest of the name with it


def write(quizzes: list[Quiz]) -> tuple[str, list[str]]:
    """The file, and what it could not carry. Variants of a question stand in one category, of which Moodle draws one."""
    root = ET.Element("quiz")
    said: list[str] = []
    category = ""
    for name, question, quiz in sorted(_questions(quizzes), key=lambda item: item[0]):
        if name != category:
            category = name
            _text(ET.SubElement(ET.SubElement(root, "question", type="category"), "category"), f"$course$/top/{name}")
        said += _question(root, question, quiz)
    said += _silent(quizzes)
    if len(quizzes) > 1:
        said.append(VARIANTS_DRAWN)
    left_out = lost(quizzes, SYSTEMS["moodle"].cannot, said)
    root.insert(0, ET.Comment(_comment(left_out)))
    return as_text(root), left_out


def _questions(quizzes: list[Quiz]) -> list[tuple[str, Question, Quiz]]:
    """Each question with its category: the quiz, and for variants the part below it."""
    found = []
    for quiz in quizzes:
        for question in quiz.questions:
            words = [quiz.title, question.name] if quiz.code and question.name else [quiz.title]
            found.append(("/".join(_name(word).replace("/", "//") for word in words), question, quiz))
    return found


def _question(root: ET.Element, question: Question, quiz: Quiz) -> list[str]:
    """Adds one cloze question; answers what it could not carry."""
    worth, exact = weights([blank.points for blank in question.blanks])
    weight = dict(zip(map(id, question.blanks), worth, strict=True))

    def field(asked: Asked, blank: Blank) -> str:
        return cloze(blank, weight[id(blank)])

    made = ET.SubElement(root, "question", type="cloze")
    title = " ".join(dict.fromkeys(_name(word) for word in (quiz.title, quiz.code, question.name) if word))
    _text(ET.SubElement(made, "name"), title)
    body = [f"<h4>{html.escape(question.title)}</h4>", html.statement(question), *(html.blanks(asked, field) for asked in question.asked)]
    _text(ET.SubElement(made, "questiontext", format="html"), "\n".join(body))
    _text(ET.SubElement(made, "generalfeedback", format="html"), "")
    ET.SubElement(made, "penalty").text = PENALTY
    ET.SubElement(made, "hidden").text = "0"
    called = question.name or quiz.title
    said = [MARKS.format(name=called, sum=sum(worth), points=decimal(question.points, 4))] if sum(worth) != question.points else []
    return said if exact else [*said, MARKS_NEARLY.format(name=called)]


def _silent(quizzes: list[Quiz]) -> list[str]:
    """For each question, over all variants, the blanks in which no mistake is told."""
    blanks: dict[str, list[Blank]] = {}
    for quiz in quizzes:
        for question in quiz.questions:
            blanks.setdefault(question.name or quiz.title, []).extend(question.blanks)
    silent = {name: sum(all(one.share for one in blank.answers) for blank in every) for name, every in blanks.items()}
    return [MISTAKES_LEFT.format(name=name, blanks=count, all=len(blanks[name])) for name, count in silent.items() if count]


def cloze(blank: Blank, weight: int) -> str:
    """`{1:NUMERICAL:%100%0.67:0.005~%0%0.73:0.005#scale forgotten}`"""
    if blank.word:
        return f"{{{weight}:SHORTANSWER:{'~'.join(f'%100%{word}' for word in WORDS[blank.word])}}}"
    return f"{{{weight}:NUMERICAL:{'~'.join(map(_answer, blank.answers))}}}"


def _answer(one: Accepted) -> str:
    """Moodle decodes the entities of feedback once, and takes the outcome for HTML; of backslashes it removes only those before } and #."""
    said = html.escape(one.feedback).replace("&", "&amp;")
    return f"%{decimal(100 * one.share, 5)}%{one.text}:{decimal(one.tolerance, one.places + 1)}{f'#{said}' if said else ''}"


def _name(text: str) -> str:
    return shorten(text.translate(_NO_TAG), LONGEST_NAME)


def _text(parent: ET.Element, text: str) -> None:
    ET.SubElement(parent, "text").text = clean(text)


def _comment(lines: list[str]) -> str:
    told = ["What this file could not carry:", *(f"* {line}" for line in lines)]
    return clean("\n".join(told).replace("--", "- -")) + "\n"
