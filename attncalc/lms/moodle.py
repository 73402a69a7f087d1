"""Moodle XML: a cloze question for each part, with a NUMERICAL field for each entry. Choices and essays are separate
questions.

Moodle uses the first answer that fits. Tolerances are absolute and include their ends. Shares are percentages from
Moodle's list. Weights are integers, and the marks of a question are their sum. docs/courses.md cites Moodle's sources.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from . import question_html
from .number_format import decimal, weights
from .package_files import as_text, clean, ident_of
from .question_html import solution, words
from .quiz import AcceptedAnswer, AskedStep, Blank, Question, Quiz, has_variants
from .registry import (
    ALONE,
    LARGE,
    MARKS,
    MARKS_NEARLY,
    MISTAKES_LEFT,
    SYSTEMS,
    VARIANTS_DRAWN,
    VARIANTS_TOGETHER,
    limitations_of,
)

NARROWEST = 6  # characters of the narrowest field, enough for -12.34
SIGNIFICANT = 14  # digits of a number with a decimal point in PHP
LARGEST_WHOLE = 2**63  # PHP keeps every digit of smaller integers
LONGEST_WHOLE, LONGEST = 19, 21  # most characters of an integer below LARGEST_WHOLE, and of any number
# `*` matches any text. Moodle shows the first pattern as the right answer.
PATTERNS = {
    "-inf": ("-inf", *(sign + word for sign in ("-", "- ", "−", "− ", "minus ") for word in ("inf*", "∞", "oo"))),
    "inf": ("inf", *(sign + word for sign in ("", "+", "+ ", "plus ") for word in ("inf*", "∞", "oo"))),
}


def cloze(blank: Blank, weight: int, width: int = 0) -> str:
    """Return the text of an answer field: `{1:NUMERICAL:%100%0.67:0.005~%0%0.73:0.005#scale forgotten~...}`. If the
    field needs `width` characters, a wrong answer makes it wide enough.
    """
    widest = f"~%0%{_widest(blank, width)}" if width > longest(blank) else ""
    if blank.word:
        return f"{{{weight}:SHORTANSWER:{'~'.join(f'%100%{word}' for word in PATTERNS[blank.word])}{widest}}}"
    return f"{{{weight}:NUMERICAL:{'~'.join(map(_answer, blank.answers))}{widest}}}"


def width_of(blanks: list[Blank]) -> int:
    return max(NARROWEST, *map(longest, blanks))


def longest(blank: Blank) -> int:
    """Return the length of the longest answer of a field, as Moodle stores it."""
    return max(map(len, PATTERNS[blank.word] if blank.word else [php_number(answer.text) for answer in blank.answers]))


def php_number(text: str) -> str:
    """Return a number as PHP writes it, with at most fourteen digits: `0.5` for 0.50, `1.0E-5` for 0.00001."""
    if "." not in text and -LARGEST_WHOLE <= int(text) < LARGEST_WHOLE:
        return str(int(text))
    # Rounded from the binary number, as in PHP: this matters if the decimal is a tie
    binary = Decimal(float(text))
    number = Context(prec=SIGNIFICANT).create_decimal(binary if binary.is_finite() else text).normalize()
    exponent = number.adjusted()
    if not number or -5 < exponent < SIGNIFICANT:
        return f"{number:f}" if number else "0"
    digits = "".join(map(str, number.as_tuple().digits))
    return f"{'-' if number < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{exponent:+d}"


def _answer(answer: AcceptedAnswer) -> str:
    """Return an answer with its share, its feedback, and a tolerance that includes the digits which Moodle drops.
    Moodle decodes the entities of feedback once, and shows the result as HTML. It removes a backslash only before } and
    #.
    """
    feedback = words(answer.feedback).replace("&", "&amp;")
    suffix = f"#{feedback}" if feedback else ""
    tolerance = answer.tolerance + abs(Fraction(php_number(answer.text)) - answer.value)
    return f"%{decimal(100 * answer.share, 5)}%{answer.text}:{decimal(tolerance, answer.places + 1)}{suffix}"


def _widest(blank: Blank, width: int) -> str:
    """Return a wrong answer of `width` characters that no student gives: -99999, or -9.99E+99 if it must be long."""
    if blank.word:
        return "." * width
    if width <= LONGEST_WHOLE:
        return f"-{'9' * (width - 1)}:0"
    power = "E+99" if width < LONGEST else "E+100"
    return f"-9.{'9' * (width - 3 - len(power))}{power}:0"


PENALTY = "0.3333333"
LONGEST_NAME = 120  # characters of a title or a part; Moodle keeps 255 for title, code and part together
MANY_BLANKS = 100  # fields in a question; a page with more is slow and hard to use
# Moodle cuts off a name at anything like a tag
_NO_TAG = {ord("<"): "‹", ord(">"): "›"}


def write(quizzes: list[Quiz]) -> tuple[str, list[str]]:
    """Return the file and its limitations. Moodle draws one of the variants in a category."""
    root = ET.Element("quiz")
    extra: list[str] = []
    category = ""
    elements: dict[tuple[str, frozenset[str]], ET.Element] = {}
    for name, questions, quiz in sorted(_questions(quizzes), key=lambda item: item[0]):
        if name != category:
            category = name
            add_category(root, name)
        element, question_limitations = _question(questions, quiz)
        kept = elements.setdefault((name, frozenset(_content(element))), element)
        if kept is not element:  # a question without random numbers is equal in all variants
            if _content(kept) != _content(element):
                kept.findall("shuffleanswers")[0].text = "true"  # the exam sheet shuffles the options in each variant
            continue
        root.append(element)
        extra += question_limitations
    extra += _fields_without_mistakes(quizzes)
    if has_variants(quizzes):
        extra.append(VARIANTS_TOGETHER if all(quiz.together for quiz in quizzes) else VARIANTS_DRAWN)
        extra += [ALONE] * any(quiz.together and len(_groups(quiz)) > 1 for quiz in quizzes)
    limitations = limitations_of(quizzes, SYSTEMS["moodle"].limitations, extra)
    root.insert(0, ET.Comment(comment(limitations)))
    return as_text(root), limitations


def _questions(quizzes: list[Quiz]) -> list[tuple[str, list[Question], Quiz]]:
    """Return (category, parts, quiz) for each question of the file. If there are variants, each part has a category."""
    groups = []
    for quiz in quizzes:
        for together in _groups(quiz):
            part = together[0].name if len(together) == 1 else ""
            words = [quiz.title, part] if quiz.code and part else [quiz.title]
            groups.append((category_of(words), together, quiz))
    return groups


def _groups(quiz: Quiz) -> list[list[Question]]:
    """Return the parts of each question. Parts with fields are together if the user wants this; choices and essays are
    always separate.
    """
    blanks = [question for question in quiz.questions if question.asked]
    if not quiz.together or len(blanks) < 2:
        return [[question] for question in quiz.questions]
    return [blanks, *([question] for question in quiz.questions if not question.asked)]


def _content(element: ET.Element) -> list[str]:
    """Return the content and marking of a question without its names and without the shuffling of options."""
    leave_out = ("name", "idnumber", "tags", "shuffleanswers")
    return [ET.tostring(child, encoding="unicode") for child in element if child.tag not in leave_out]


def _question(questions: list[Question], quiz: Quiz) -> tuple[ET.Element, list[str]]:
    part = questions[0].name if len(questions) == 1 else ""
    kind = "essay" if questions[0].essay else "multichoice" if questions[0].options else "cloze"
    element = ET.Element("question", type=kind)
    words = dict.fromkeys(name_of(word) for word in (quiz.title, quiz.code, part) if word)
    add_text(ET.SubElement(element, "name"), " ".join(words))
    body, limitations = _cloze(questions, part or quiz.title) if kind == "cloze" else (_head(questions[0]), [])
    add_html(element, "questiontext", body)
    solutions = "\n".join(solution(question.solution(None)) for question in questions if question.solution)
    add_html(element, "generalfeedback", solutions)
    if kind != "cloze":
        ET.SubElement(element, "defaultgrade").text = decimal(questions[0].points, 7)
        _essay(element, questions[0]) if kind == "essay" else _choices(element, questions[0])
    ET.SubElement(element, "penalty").text = PENALTY
    ET.SubElement(element, "hidden").text = "0"
    ET.SubElement(element, "idnumber").text = ident_of("moodle", quiz.title, quiz.code, part)
    version = ident_of(ET.tostring(element, encoding="unicode"))[1:9]
    add_text(ET.SubElement(ET.SubElement(element, "tags"), "tag"), f"attncalc {version}")
    return element, limitations


def _cloze(questions: list[Question], name: str) -> tuple[str, list[str]]:
    """Return the text of a cloze question with its fields, and its limitations."""
    blanks = [blank for question in questions for blank in question.blanks]
    worth, exact = weights([blank.points for blank in blanks])
    weight = dict(zip(map(id, blanks), worth, strict=True))
    width = width_of(blanks)

    def field(asked: AskedStep, blank: Blank) -> str:
        return cloze(blank, weight[id(blank)], width)

    body: list[str] = []
    for question in questions:
        body += [_head(question), *(question_html.blanks(asked, field) for asked in question.asked)]
    return "\n".join(body), _question_limitations(name, questions, worth, exact)


def _head(question: Question) -> str:
    return f"<h4>{question_html.words(question.title)}</h4>\n{question_html.statement(question)}"


def _essay(element: ET.Element, question: Question) -> None:
    """Append an essay, which a person marks with the model answer."""
    options = {"responseformat": "editor", "responserequired": "1", "responsefieldlines": "10", "attachments": "0"}
    for word, text in options.items():
        ET.SubElement(element, word).text = text
    add_html(element, "graderinfo", _paragraph(question.model_answer))


def _paragraph(text: str) -> str:
    return f"<p>{question_html.author_html(text)}</p>" if text else ""


def _choices(element: ET.Element, question: Question) -> None:
    """Append the options. If several are right, each right tick earns an equal share, and a wrong tick costs the same,
    as in `attncalc grade`.
    """
    right = sum(option.right for option in question.options)
    single = str(not question.several).lower()
    for word, text in {"single": single, "shuffleanswers": "false", "answernumbering": "ABCD"}.items():
        ET.SubElement(element, word).text = text
    for option in question.options:
        share = Fraction(100, right) if option.right else Fraction(-100 if question.several else 0, right)
        answer = ET.SubElement(element, "answer", fraction=decimal(share, 5), format="html")
        add_text(answer, question_html.option(option))
        add_html(answer, "feedback", _paragraph(option.feedback))


def _question_limitations(name: str, questions: list[Question], worth: list[int], exact: bool) -> list[str]:
    points = sum((question.points for question in questions), Fraction(0))
    lines = [MARKS.format(name=name, sum=sum(worth), points=decimal(points, 4))] * (sum(worth) != points)
    lines += [MARKS_NEARLY.format(name=name)] * (not exact)
    return lines + [LARGE.format(name=name, blanks=len(worth))] * (len(worth) > MANY_BLANKS)


def _fields_without_mistakes(quizzes: list[Quiz]) -> list[str]:
    """Return a limitation for each question that has fields in which no mistake is recognised, over all variants."""
    blanks: dict[str, list[Blank]] = {}
    for quiz in quizzes:
        for question in quiz.questions:
            blanks.setdefault(question.name or quiz.title, []).extend(question.blanks)
    counts = (
        (name, sum(all(answer.share for answer in blank.answers) for blank in fields), len(fields))
        for name, fields in blanks.items()
    )
    return [MISTAKES_LEFT.format(name=name, blanks=count, all=total) for name, count, total in counts if count]


# -- functions that STACK's questions also use -------------------------------------------------------------------------


def name_of(text: str) -> str:
    """Return a short name without `<` and `>`."""
    return shorten(text.translate(_NO_TAG), LONGEST_NAME)


def category_of(words: list[str]) -> str:
    """Return the path of a category. Each word is a level."""
    return "/".join(name_of(word).replace("/", "//") for word in words)


def add_category(root: ET.Element, name: str) -> None:
    add_text(ET.SubElement(ET.SubElement(root, "question", type="category"), "category"), f"$course$/top/{name}")


def add_text(parent: ET.Element, text: str) -> None:
    ET.SubElement(parent, "text").text = clean(text)


def add_html(parent: ET.Element, tag: str, html: str) -> None:
    add_text(ET.SubElement(parent, tag, format="html"), html)


def comment(limitations: list[str]) -> str:
    """Return the text of a comment with the limitations."""
    lines = ["Limitations of this file:", *(f"* {line}" for line in limitations)]
    return clean("\n".join(lines).replace("--", "- -")) + "\n"
