"""R/exams: a cloze exercise in R Markdown, with `num` for a finite entry and `string` for −∞. Several variants are a
zip.

Punctuation that could be Markdown, HTML or R code becomes an entity. An author's emphasis and formulas become Markdown.
An entry has one number and one tolerance. docs/courses.md cites the sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..explain.rich_text import Emphasis, Inline, Maths, Plain, Strong, prose
from ..formula.typed_formula import Labels
from .number_format import SLACK_PLACES, decimal, weights
from .package_files import ident_of, zip_bytes
from .quiz import WORDS, AcceptedAnswer, Blank, Matrix, Option, PriorPart, Question, Quiz, blanks_of
from .registry import RIGHT_APART, SYSTEMS, VARIANTS_BY_R, WEIGHTS_FOR_POINTS, limitations_of

if TYPE_CHECKING:
    from ..explain.inline_math import Terms

UNSEEN = "<!-- -->"  # invisible in HTML
WIDEST = 5  # units of the last digit; the largest tolerance that includes two ways of rounding
PLACES = 2  # decimals of points; points with more decimals become weights
LONGEST_NAME = 40
DRAWN = """library("exams")
# One of these exercises for each student, drawn by the seed.
set.seed(1)
exams2moodle(list(c({files})), n = {count})
"""
_SIGN = r"[!-/:-@\[-`{-~]"
_FIRST = re.compile(rf"(?![.-](?=[0-9])){_SIGN}")  # signs in the first word, except in a number
# signs in later words, except in `2/3`, `(x`, `word,`, `x = y`
_LATER = re.compile(rf"(?![.,;:?%()/+=-](?=[^\W_]))(?!(?<=[^\W_])[.,;:?%)](?= |$))(?!(?<= )=(?= )){_SIGN}")
# Signs in formulas with a meaning in a course system ({1:NUMERICAL:}, [name]). They are moved out of \text{}
_APART = re.compile(r"([:\[\]])")
_IN_MATHS = {":": "{:}", "[": r"\lbrack ", "]": r"\rbrack ", r"\lt ": "<", r"\gt ": ">"}
_MARKS = frozenset("*_$")
Answers = list[Blank | Question]


def write(quizzes: list[Quiz]) -> tuple[str | bytes, list[str]]:
    """Return the exercise, or a zip of exercises with `exam.R`, which draws an exercise. Also return the
    limitations.
    """
    exercises = {_file(quiz): exercise(quiz) for quiz in quizzes}
    limitations = limitations_of(quizzes, SYSTEMS["rexams"].limitations, _extra_limitations(quizzes))
    if len(quizzes) == 1:
        # prevents that a line ends the comment or begins code
        lines = ("* " + " ".join(line.split()).replace("--", "- -").replace("`", "'") for line in limitations)
        comment = "\n".join(["<!-- Limitations of this file:", *lines, "-->", ""])
        return comment + exercises.popitem()[1], limitations
    script = DRAWN.format(files=", ".join(f'"{file}"' for file in exercises), count=len(exercises))
    return zip_bytes({**exercises, "exam.R": script}, limitations), limitations


def _extra_limitations(quizzes: list[Quiz]) -> Iterator[str]:
    if len(quizzes) > 1:
        yield VARIANTS_BY_R
    blanks = blanks_of(quizzes)
    if outliers := sum(bool(_outliers(blank)) for blank in blanks if not blank.word):
        yield RIGHT_APART.format(blanks=outliers, all=len(blanks))
    for quiz in quizzes:
        if not _exact(quiz):
            total = sum((question.points for question in quiz.questions), Fraction(0))
            yield WEIGHTS_FOR_POINTS.format(points=decimal(total, PLACES))


def _file(quiz: Quiz) -> str:
    words = re.sub("[^a-z0-9]+", "-", f"{quiz.title} {quiz.code}".lower())[-LONGEST_NAME:].strip("-")
    return f"{words or 'exercise'}-{ident_of(quiz.title, quiz.code)[1:7]}.Rmd"


# -- one exercise ------------------------------------------------------------------------------------------------------


def exercise(quiz: Quiz) -> str:
    """Return an exercise with the sections Question, Solution and Meta-information."""
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
    texts = ((title, "\n".join(f"{block}\n" for block in blocks)) for title, blocks in sections)
    return "\n".join(f"{title}\n{'=' * len(title)}\n\n{text}" for title, text in texts)


def _answers(quiz: Quiz) -> Answers:
    """Return the answer fields, and the questions with choices or essays, in order."""
    answers: Answers = []
    for question in quiz.questions:
        answers += question.blanks or ([question] if question.options or question.essay else [])
    return answers


def _question(question: Question, number: dict[int, int]) -> Iterator[str]:
    yield f"**{escape(question.title)}**"
    for prior in question.prior_parts:
        yield escape(prior.lead)
        yield from _task(prior)
    yield from _task(question)
    for asked in question.asked:
        if asked.definition:
            yield escape(asked.definition.text)
        blanks = [[asked.at(i, j) for j in range(asked.shape[1])] for i in range(asked.shape[0])]
        cells = [[f"##ANSWER{number[id(blank)]}##" if blank else "" for blank in row] for row in blanks]
        yield _table(asked.name, cells, asked.rows, asked.columns)
    if id(question) in number:
        yield f"##ANSWER{number[id(question)]}##"


def _task(about: Question | PriorPart) -> Iterator[str]:
    """Yield the task and the givens of a question, or of an earlier part that the question uses."""
    yield from map(author_markdown, filter(str.strip, about.ask))
    if about.facts:
        yield "\n".join(f"- {escape(fact)}" for fact in about.facts)
    yield from (_matrix(matrix) for matrix in about.givens)
    yield from (escape(line.text) for line in about.formulas)


def _solution(question: Question) -> Iterator[str]:
    """Yield the right numbers of the asked entries, and the right options."""
    if question.asked or question.options:
        yield f"**{escape(question.title)}**"
    for asked in question.asked:
        n, m = asked.shape
        blanks = [[asked.at(i, j) for j in range(m)] for i in range(n)]
        cells = [[escape(blank.word or blank.answers[0].text) if blank else "" for blank in row] for row in blanks]
        yield _table(asked.name, cells, asked.rows, asked.columns)
    yield from (_option(option) for option in question.options if option.right)


def _answer_list(answers: Answers) -> list[str]:
    """Return the list of options, which R/exams requires if there are choices."""
    choices = [question for question in answers if isinstance(question, Question) and question.options]
    if not choices:
        return []
    items = [f"- {_option(option)}" for question in choices for option in question.options]
    return ["Answerlist\n----------\n" + "\n".join(items)]


def _option(option: Option) -> str:
    rows = "; ".join(", ".join(row) for row in option.matrix.cells) if option.matrix else ""
    matrix = f" {option.matrix.name} = [{rows}]" if option.matrix else ""
    return f"{author_markdown(option.text)}{escape(f'x{matrix}')[1:]}".strip()


# -- meta-information --------------------------------------------------------------------------------------------------


def _meta(quiz: Quiz, answers: Answers) -> str:
    name = re.sub(r"[^\w .-]+", " ", f"{quiz.title} {quiz.code}").strip() or "exercise"
    fields = {
        "exname": " ".join(name.split()),
        "extype": "cloze",
        "exclozetype": "|".join(map(_kind, answers)),
        "exsolution": "|".join(map(_answer, answers)),
        "extol": "|".join(map(_tolerance, answers)),
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


def _tolerance(answer: Blank | Question) -> str:
    """Return a tolerance around the first right number that includes other right numbers near it; 0 for a text."""
    if not isinstance(answer, Blank) or answer.word:
        return "0"
    (first, *others), outliers = _full(answer), _outliers(answer)
    away = max((abs(other.value - first.value) for other in others if other not in outliers), default=Fraction(0))
    slack = max(Fraction(1), abs(first.value)) / 10**SLACK_PLACES
    places = max(SLACK_PLACES, answer.answers[0].places + 1) + 1
    return decimal(max(first.tolerance, first.binary) + away + slack, places)


def _full(blank: Blank) -> list[AcceptedAnswer]:
    return [answer for answer in blank.answers if answer.share == 1]


def _outliers(blank: Blank) -> list[AcceptedAnswer]:
    """Return the right numbers that are too far from the first right number for a common tolerance."""
    first, *others = _full(blank)
    return [answer for answer in others if abs(answer.value - first.value) > WIDEST * 2 * first.tolerance]


def _exact(quiz: Quiz) -> bool:
    return all(Fraction(decimal(answer.points, PLACES)) == answer.points for answer in _answers(quiz))


def _points(quiz: Quiz, answers: Answers) -> list[str]:
    """Return the points as short decimals if possible, otherwise as integer weights."""
    points = [answer.points for answer in answers]
    return [decimal(worth, PLACES) for worth in points] if _exact(quiz) else list(map(str, weights(points)[0]))


# -- words and tables --------------------------------------------------------------------------------------------------


def escape(text: str) -> str:
    """Return text in one line, escaped for Markdown, HTML and R."""
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
    first, *later = shown.split() or [""]
    return _FIRST.sub(_entity, first) + _LATER.sub(_entity, "".join(f" {word}" for word in later))


def _entity(sign: re.Match[str]) -> str:
    """Return a sign as an entity. An empty comment follows if R/exams or Moodle would give the decoded sign a meaning
    (##ANSWER1##, {1:NUMERICAL:, [name]).
    """
    return f"&#{ord(sign[0])};" + UNSEEN * (sign[0] in "#{[")


def author_markdown(text: str) -> str:
    """Return an author's text as one line of Markdown for pandoc: strong and emphasised words, and formulas."""
    return _pieces(prose(" ".join(text.split())))


def _pieces(pieces: tuple[Inline, ...]) -> str:
    """Return the pieces in order. An empty comment separates two adjacent marks, which would otherwise be one mark."""
    text = ""
    for piece in pieces:
        markup = _piece(piece, not text)
        text += UNSEEN * (text[-1:] in _MARKS and markup[0] in _MARKS) + markup if markup else ""
    return text


def _piece(piece: Inline, first: bool) -> str:
    match piece:
        case Plain(text):
            return (escape(text) if first else escape(f"x{text}")[1:]) + " " * text[-1:].isspace()
        case Strong(inside):
            return f"**{_pieces(inside)}**"
        case Emphasis(inside):
            return f"_{_pieces(inside)}_"
        case Maths(terms):
            return f"${_tex(terms)}$"


def _tex(terms: Terms) -> str:
    from ..render.math.github_markdown import GITHUB
    from ..render.math.inline import GitHubTerms  # slow to import, and rarely needed

    tex = re.sub(r"\\text\{[^{}]*\}", lambda word: _APART.sub(r"}\1\\text{", word[0]), GitHubTerms(GITHUB).set(terms))
    return re.sub(r"[:\[\]]|\\[lg]t ", lambda sign: _IN_MATHS[sign[0]], tex).strip()


def _matrix(matrix: Matrix) -> str:
    return _table(matrix.name, [[escape(text) for text in row] for row in matrix.cells], matrix.rows, matrix.columns)


def _table(name: str, cells: list[list[str]], rows: Labels, columns: Labels) -> str:
    """Return a pipe table with the name of the matrix in its corner."""
    head = [escape(name), *(escape(label) for label in columns or [""] * len(cells[0]))]
    lines = [head, ["---"] * len(head), *([escape(rows[k]) if rows else "", *row] for k, row in enumerate(cells))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
