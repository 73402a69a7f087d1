"""R/exams: a cloze exercise in R Markdown, `num` for a cell and `string` for −∞; of several variants a zip with an
exercise for each.

Words are plain: a sign of punctuation that could be more is an entity, so that no word is Markdown, a chunk or inline
code of R, or a tag. An author's emphasis and formulas are Markdown's. An exercise has one number and one tolerance for
a cell. docs/courses.md says where these rules stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..explain.prose import Emphasis, Inline, Maths, Plain, Strong, prose
from ..formula.node import Labels
from .losses import RIGHT_APART, VARIANTS_BY_R, WEIGHTS_FOR_POINTS, limitations_of
from .model import WORDS, AcceptedAnswer, Blank, Matrix, Option, PriorPart, Question, Quiz
from .numbers import SLACK_PLACES, decimal, weights
from .package import ident_of, zip_bytes
from .systems import SYSTEMS

if TYPE_CHECKING:
    from ..explain.maths import Terms

UNSEEN = "<!-- -->"  # in HTML nothing at all
WIDEST = 5  # units of the last digit within which one tolerance may hold two ways of rounding
PLACES = 2  # decimals of points; with others, weights stand for them
LONGEST_NAME = 40
DRAWN = """library("exams")
# One of these exercises for each student, drawn by the seed.
set.seed(1)
exams2moodle(list(c({files})), n = {count})
"""
_SIGN = r"[!-/:-@\[-`{-~]"
_FIRST = re.compile(rf"(?![.-](?=[0-9])){_SIGN}")  # in the first word: all but those of a number
# Not `2/3`, `(x`, `word,`, `x = y`
_LATER = re.compile(rf"(?![.,;:?%()/+=-](?=[^\W_]))(?!(?<=[^\W_])[.,;:?%)](?= |$))(?!(?<= )=(?= )){_SIGN}")
# Signs of formulas that a course system may look for ({1:NUMERICAL:}, [name]); in text they stand outside \text{}
_APART = re.compile(r"([:\[\]])")
_IN_MATHS = {":": "{:}", "[": r"\lbrack ", "]": r"\rbrack ", r"\lt ": "<", r"\gt ": ">"}
_MARKS = frozenset("*_$")
Answers = list[Blank | Question]


def write(quizzes: list[Quiz]) -> tuple[str | bytes, list[str]]:
    """The exercise, or a zip of exercises with `exam.R` that draws them; and what it could not carry."""
    exercises = {_file(quiz): exercise(quiz) for quiz in quizzes}
    limitations = limitations_of(quizzes, SYSTEMS["rexams"].limitations, _extra_limitations(quizzes))
    if len(quizzes) == 1:
        comment = "\n".join(
            ["<!-- What this file could not carry:", *(f"* {_no_comment(line)}" for line in limitations), "-->", ""]
        )
        return comment + exercises.popitem()[1], limitations
    script = DRAWN.format(files=", ".join(f'"{file}"' for file in exercises), count=len(exercises))
    return zip_bytes({**exercises, "exam.R": script}, limitations), limitations


def _extra_limitations(quizzes: list[Quiz]) -> Iterator[str]:
    """What these quizzes lose beside what every quiz does."""
    if len(quizzes) > 1:
        yield VARIANTS_BY_R
    blanks = [blank for quiz in quizzes for question in quiz.questions for blank in question.blanks]
    if outliers := sum(bool(_outliers(blank)) for blank in blanks if not blank.word):
        yield RIGHT_APART.format(blanks=outliers, all=len(blanks))
    for quiz in quizzes:
        if not _exact(quiz):
            yield WEIGHTS_FOR_POINTS.format(
                points=decimal(sum((question.points for question in quiz.questions), Fraction(0)), PLACES)
            )


def _file(quiz: Quiz) -> str:
    words = re.sub("[^a-z0-9]+", "-", f"{quiz.title} {quiz.code}".lower())[-LONGEST_NAME:].strip("-")
    return f"{words or 'exercise'}-{ident_of(quiz.title, quiz.code)[1:7]}.Rmd"


def _no_comment(line: str) -> str:
    """A line that ends no comment and begins no code."""
    return " ".join(line.split()).replace("--", "- -").replace("`", "'")


# -- one exercise ------------------------------------------------------------------------------------------------------


def exercise(quiz: Quiz) -> str:
    """Question, Solution and Meta-information."""
    answers = _answers(quiz)
    number = {id(answer): k for k, answer in enumerate(answers, 1)}
    statement = [block for question in quiz.questions for block in _question(question, number)]
    listed = _answer_list(answers)
    solution = [block for question in quiz.questions for block in _solution(question)]
    sections = [
        ("Question", [*statement, *listed]),
        ("Solution", solution or ["."]),
        ("Meta-information", [_meta(quiz, answers)]),
    ]
    return "\n".join(
        f"{title}\n{'=' * len(title)}\n\n{chr(10).join(f'{block}{chr(10)}' for block in blocks)}"
        for title, blocks in sections
    )


def _answers(quiz: Quiz) -> Answers:
    """Everything that is answered, in order: cells, and questions to choose or to write in."""
    answers: Answers = []
    for question in quiz.questions:
        answers += question.blanks or ([question] if question.options or question.essay else [])
    return answers


def _question(question: Question, number: dict[int, int]) -> Iterator[str]:
    yield f"**{plain(question.title)}**"
    for prior in question.prior_parts:
        yield from _prior_part(prior)
    yield from map(authored, filter(str.strip, question.ask))
    yield from _facts(question.facts)
    yield from (_matrix(matrix) for matrix in question.givens)
    yield from map(plain, question.formulas)
    for asked in question.asked:
        if asked.formula:
            yield plain(asked.formula)
        cells = [
            [f"##ANSWER{number[id(b)]}##" if (b := asked.at(i, j)) else "" for j in range(asked.shape[1])]
            for i in range(asked.shape[0])
        ]
        yield _table(asked.name, cells, asked.rows, asked.columns)
    if id(question) in number:
        yield f"##ANSWER{number[id(question)]}##"


def _prior_part(prior: PriorPart) -> Iterator[str]:
    """What another part does, whose results are used here."""
    yield plain(prior.lead)
    yield from map(authored, filter(str.strip, prior.ask))
    yield from _facts(prior.facts)
    yield from (_matrix(matrix) for matrix in prior.givens)
    yield from map(plain, prior.formulas)


def _facts(facts: tuple[str, ...]) -> list[str]:
    return ["\n".join(f"- {plain(fact)}" for fact in facts)] if facts else []


def _solution(question: Question) -> Iterator[str]:
    """The right numbers, as the question asks for them."""
    if question.asked or question.options:
        yield f"**{plain(question.title)}**"
    for asked in question.asked:
        n, m = asked.shape
        cells = [[plain(_right(blank)) if (blank := asked.at(i, j)) else "" for j in range(m)] for i in range(n)]
        yield _table(asked.name, cells, asked.rows, asked.columns)
    yield from (_option(option) for option in question.options if option.right)


def _right(blank: Blank) -> str:
    return blank.word or blank.answers[0].text


def _answer_list(answers: Answers) -> list[str]:
    """The list of what may be chosen, which R/exams wants as soon as anything is."""
    choices = [question for question in answers if isinstance(question, Question) and question.options]
    if not choices:
        return []
    items = [f"- {_option(option)}" for question in choices for option in question.options]
    return ["Answerlist\n----------\n" + "\n".join(items)]


def _option(option: Option) -> str:
    matrix = (
        f" {option.matrix.name} = [{'; '.join(', '.join(row) for row in option.matrix.cells)}]" if option.matrix else ""
    )
    return f"{authored(option.text)}{plain(f'x{matrix}')[1:]}".strip()


# -- meta-information --------------------------------------------------------------------------------------------------


def _meta(quiz: Quiz, answers: Answers) -> str:
    name = re.sub(r"[^\w .-]+", " ", f"{quiz.title} {quiz.code}").strip() or "exercise"
    fields = {
        "exname": " ".join(name.split()),
        "extype": "cloze",
        "exclozetype": "|".join(map(_kind, answers)),
        "exsolution": "|".join(map(_answer, answers)),
        "extol": "|".join(
            decimal(_tolerance(answer), _places(answer)) if isinstance(answer, Blank) and not answer.word else "0"
            for answer in answers
        ),
        "expoints": "|".join(_points(quiz, answers)),
    }
    return "\n".join(f"{key}: {text}" for key, text in fields.items())


def _kind(answer: Blank | Question) -> str:
    if isinstance(answer, Blank):
        return "string" if answer.word else "num"
    return "essay" if answer.essay else "mchoice" if answer.several else "schoice"


def _answer(answer: Blank | Question) -> str:
    if isinstance(answer, Blank):
        return WORDS[answer.word][0] if answer.word else answer.answers[0].text
    return "".join(str(int(option.right)) for option in answer.options) or "nil"


def _tolerance(blank: Blank) -> Fraction:
    """Around the first right number, so wide that it holds the others that are near."""
    first, *others = _full(blank)
    away = max(
        (abs(answer.value - first.value) for answer in others if answer not in _outliers(blank)), default=Fraction(0)
    )
    slack = max(Fraction(1), abs(first.value)) / 10**SLACK_PLACES
    return Fraction(max(first.tolerance, first.binary) + away + slack)


def _places(blank: Blank) -> int:
    return max(SLACK_PLACES, blank.answers[0].places + 1) + 1


def _full(blank: Blank) -> list[AcceptedAnswer]:
    return [answer for answer in blank.answers if answer.share == 1]


def _outliers(blank: Blank) -> list[AcceptedAnswer]:
    """Right numbers that are too far from the first for one tolerance."""
    first, *others = _full(blank)
    return [answer for answer in others if abs(answer.value - first.value) > WIDEST * 2 * first.tolerance]


def _exact(quiz: Quiz) -> bool:
    return all(Fraction(decimal(answer.points, PLACES)) == answer.points for answer in _answers(quiz))


def _points(quiz: Quiz, answers: Answers) -> list[str]:
    """The points as they are where they end soon, as whole weights elsewhere."""
    points = [answer.points for answer in answers]
    return (
        [decimal(worth, PLACES) for worth in points] if _exact(quiz) else [str(worth) for worth in weights(points)[0]]
    )


# -- words and tables --------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """One line of words that are nothing else in Markdown, HTML or R."""
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
    first, *later = shown.split() or [""]
    return _FIRST.sub(_entity, first) + _LATER.sub(_entity, "".join(f" {word}" for word in later))


def _entity(sign: re.Match[str]) -> str:
    """The sign as an entity. What R/exams or Moodle looks for once entities are decoded (##ANSWER1##, {1:NUMERICAL:,
    [name]) is broken unseen.
    """
    return f"&#{ord(sign[0])};" + UNSEEN * (sign[0] in "#{[")


def authored(text: str) -> str:
    """What an author wrote for people, on one line: strong and emphasised words and formulas as pandoc reads them."""
    return _pieces(prose(" ".join(text.split())))


def _pieces(pieces: tuple[Inline, ...]) -> str:
    """Pieces one behind the other; marks of two that touch would be one longer mark."""
    text = ""
    for piece in pieces:
        markup = _piece(piece, not text)
        text += UNSEEN * (text[-1:] in _MARKS and markup[0] in _MARKS) + markup if markup else ""
    return text


def _piece(piece: Inline, first: bool) -> str:
    match piece:
        case Plain(text):
            return (plain(text) if first else plain(f"x{text}")[1:]) + " " * text[-1:].isspace()
        case Strong(inside):
            return f"**{_pieces(inside)}**"
        case Emphasis(inside):
            return f"_{_pieces(inside)}_"
        case Maths(terms):
            return f"${_tex(terms)}$"


def _tex(terms: Terms) -> str:
    """A formula between dollars."""
    from ..write.formulas.github import GITHUB
    from ..write.formulas.maths import GitHub  # slow to import, and few problems have formulas in their words

    tex = re.sub(r"\\text\{[^{}]*\}", lambda word: _APART.sub(r"}\1\\text{", word[0]), GitHub(GITHUB).set(terms))
    return re.sub(r"[:\[\]]|\\[lg]t ", lambda sign: _IN_MATHS[sign[0]], tex).strip()


def _matrix(matrix: Matrix) -> str:
    return _table(matrix.name, [[plain(text) for text in row] for row in matrix.cells], matrix.rows, matrix.columns)


def _table(name: str, cells: list[list[str]], rows: Labels, columns: Labels) -> str:
    """A pipe table; the matrix's name stands in its corner."""
    head = [plain(name), *(plain(label) for label in columns or [""] * len(cells[0]))]
    lines = [head, ["---"] * len(head), *([plain(rows[k]) if rows else "", *row] for k, row in enumerate(cells))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
