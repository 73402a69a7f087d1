"""PrairieLearn: a zip with a question folder for each part. Its `server.py` draws the variant by the seed, and marks
with exact fractions.

An entry is a `pl-string-input`, which passes the typed text on unchanged, so that −∞ is accepted too. docs/courses.md
cites the sources.
"""

from __future__ import annotations

import json
import re
import uuid
from importlib.resources import files
from typing import Any

from ..errors import shorten
from . import question_html
from .number_format import decimal, weights
from .package_files import ident_of, zip_bytes
from .quiz import WORDS, AskedStep, Blank, Question, Quiz
from .registry import SYSTEMS, VARIANTS_BY_SEED, WEIGHTS_NEARLY, limitations_of

# Attributes of every answer field
LOOK = 'size="10" display="inline" allow-blank="true" remove-leading-trailing="true" show-help-text="false"'
FIELD = f'<pl-string-input answers-name="{{}}" {LOOK}></pl-string-input>'
IGNORED = "mathjax_ignore tex2jax_ignore"  # classes with which a dollar sign does not begin a formula
FEEDBACK_PANEL = "<pl-submission-panel>\n{{#feedback.said}}<p>{{.}}</p>\n{{/feedback.said}}</pl-submission-panel>"
CUT = "\0"  # marks a field between texts; escaped texts never contain this character
WORTH = "{name}: in the assessment, set `{key}` to {points}, the points of this question"
LONGEST_NAME = 40
LONGEST_TITLE = 200
# The namespace of attncalc's questions. With it, identifiers are reproducible
UUID_NAMESPACE = uuid.UUID("5c1f5ae7-5b4c-5f0f-9d0a-2f6b3b0f6a11")

Variants = list[tuple[Quiz, Question]]


def write(quizzes: list[Quiz]) -> tuple[bytes, list[str]]:
    """Return the zip and its limitations. The zip is reproducible byte for byte."""
    texts: dict[str, str] = {}
    extra = [VARIANTS_BY_SEED] if len(quizzes) > 1 else []
    variants_of: dict[str, Variants] = {}
    for quiz in quizzes:
        for question in quiz.questions:
            variants_of.setdefault(question.name, []).append((quiz, question))
    for name, variants in variants_of.items():
        folder = _folder(variants[0][0].title, name)
        texts |= {f"questions/{folder}/{file}": text for file, text in question_files(variants).items()}
        key = "manualPoints" if variants[0][1].essay else "autoPoints"
        extra.append(WORTH.format(name=folder, key=key, points=decimal(variants[0][1].points)))
        all_blanks = (question.blanks for _, question in variants if question.blanks)
        if not all(weights([blank.points for blank in blanks])[1] for blanks in all_blanks):
            extra.append(WEIGHTS_NEARLY.format(name=folder))
    limitations = limitations_of(quizzes, SYSTEMS["prairielearn"].limitations, extra)
    return zip_bytes(texts, limitations), limitations


def _folder(title: str, name: str) -> str:
    """Return the name of a question's folder: words of the title, and a unique suffix."""
    words = re.sub("[^a-z0-9]+", "-", f"{title} {name}".lower())[:LONGEST_NAME].strip("-")
    return f"{words or 'question'}-{ident_of(title, name)[1:7]}"


def question_files(variants: Variants) -> dict[str, str]:
    """Return `info.json`, `question.html` and `server.py` of one question."""
    pieces = [_texts(question) for _, question in variants]
    if (
        len({len(texts) for texts in pieces}) > 1
    ):  # variants differ in their cells: keep each text whole, with its fields
        pieces = [[_join(texts)] for texts in pieces]
    differing = [k for k, texts in enumerate(zip(*pieces, strict=True)) if len(set(texts)) > 1]
    shared = [f"{{{{{{params.text.t{k}}}}}}}" if k in differing else text for k, text in enumerate(pieces[0])]
    variant_texts = [{f"t{k}": texts[k] for k in differing} for texts in pieces]
    data = [_data(quiz, question, texts) for (quiz, question), texts in zip(variants, variant_texts, strict=True)]
    page = "\n".join([f'<div class="{IGNORED}">', _join(shared), "</div>", FEEDBACK_PANEL, ""])
    return {"info.json": _info(variants), "question.html": page, "server.py": _server(data)}


def _info(variants: Variants) -> str:
    quiz, question = variants[0]
    titles = " ".join(dict.fromkeys(filter(None, (quiz.title, question.name))))
    info = {
        "uuid": str(uuid.uuid5(UUID_NAMESPACE, ident_of(quiz.title, question.name))),
        "title": shorten(titles, LONGEST_TITLE),
        "topic": "Attention",
        "tags": ["attncalc"],
        "type": "v3",
        "singleVariant": len(variants) == 1,
        "partialCredit": True,
    }
    return json.dumps(info | ({"gradingMethod": "Manual"} if question.essay else {}), indent=2) + "\n"


# -- question.html -----------------------------------------------------------------------------------------------------


def _texts(question: Question) -> list[str]:
    """Return the page as the texts between its fields."""

    def field(asked: AskedStep, blank: Blank) -> str:
        return CUT

    asked = f"<h4>{question_html.escape(question.title)}</h4>\n{question_html.statement(question)}"
    panel = f"<pl-question-panel>\n{asked}\n</pl-question-panel>\n"
    cells = "\n".join(question_html.blanks(asked, field) for asked in question.asked)
    return (panel + cells + _choices(question)).split(CUT)


def _join(texts: list[str]) -> str:
    """Return the page: the texts with a field between each two."""
    return texts[0] + "".join(FIELD.format(f"B{k}") + text for k, text in enumerate(texts[1:], 1))


def _choices(question: Question) -> str:
    """Return the options, or the editor for an essay; empty for a question with entries."""
    if question.essay:
        return '\n<pl-rich-text-editor file-name="answer.html"></pl-rich-text-editor>'
    if not question.options:
        return ""
    kind = "pl-checkbox" if question.several else "pl-multiple-choice"
    lines = []
    for option in question.options:
        # PrairieLearn decodes the attribute once and inserts it into the page as HTML
        reason = question_html.escape(question_html.author_html(option.feedback))
        attributes = f'correct="{str(option.right).lower()}"' + (f' feedback="{reason}"' if option.feedback else "")
        lines.append(f"<pl-answer {attributes}>{question_html.option(option)}</pl-answer>")
    credit = ' partial-credit="net-correct"' if question.several else ""
    return "\n".join([f'\n<{kind} answers-name="choice" order="fixed"{credit}>', *lines, f"</{kind}>"])


# -- server.py ---------------------------------------------------------------------------------------------------------


def _data(quiz: Quiz, question: Question, texts: dict[str, str]) -> dict[str, Any]:
    """Return one variant in the format of server.py."""
    worth, _ = weights([blank.points for blank in question.blanks]) if question.blanks else ([], True)
    weighted = zip(question.blanks, worth, strict=True)
    cells = {f"B{k}": _cell(blank, weight) for k, (blank, weight) in enumerate(weighted, 1)}
    return {"code": quiz.code, "text": texts, "cells": cells}


def _cell(blank: Blank, weight: int) -> dict[str, Any]:
    answers = [(answer.text, str(answer.tolerance), str(answer.share), answer.feedback) for answer in blank.answers]
    spellings = WORDS.get(blank.word, ())
    words = sorted({word.replace("−", "-").replace("- ", "-").replace("+ ", "+") for word in spellings})
    return {"weight": weight, "right": blank.word or blank.answers[0].text, "words": words, "answers": answers}


def _server(data: list[dict[str, Any]]) -> str:
    """Return the program with its variants as a literal in ASCII."""
    program = files(__package__).joinpath("prairielearn_server.py").read_text("utf-8")
    lines = []
    for variant in data:
        cells = "".join(f"        {name!a}: {cell!a},\n" for name, cell in variant["cells"].items())
        lines.append(f'    {{"code": {variant["code"]!a}, "text": {variant["text"]!a}, "cells": {{\n{cells}    }}}},\n')
    return program.replace("VARIANTS: list[dict[str, Any]] = []\n", f"VARIANTS = [\n{''.join(lines)}]\n")
