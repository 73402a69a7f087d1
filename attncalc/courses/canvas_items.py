"""The items of a Canvas quiz in QTI 1.2: a text with the statement, then a numerical question for each cell that is asked.

A numerical question has one blank (`render_fib fibtype="Decimal"`); each of its numbers is `varequal`, or between `vargte` and `varlte`,
which Canvas reads as a number and its margin. docs/courses.md says where in Canvas these rules stand.
"""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from .html import blanks, name, statement, words
from .model import BINARY, WORDS, Accepted, Asked, Blank, Question
from .numbers import decimal
from .package import ident_of
from .worked import solution
from .xml import clean

LONGEST_TITLE = 200  # Canvas holds 255 characters of a title with the variant's code
PLACES = 6  # decimals of points
RESPONSE = "response1"
GENERAL_FEEDBACK = "general_fb"


class Items:
    """The items of one quiz, added to its section; `points` says how much each blank and question is worth."""

    def __init__(self, section: ET.Element, ident: str, points: dict[int, Fraction]):
        self.section = section
        self.ident = ident
        self.points = points

    def add(self, question: Question) -> None:
        """The items of a question."""
        stimulus = ident_of(self.ident, question.name)
        item = self.item(stimulus, question.title, "text_only_question", Fraction(0))
        shapes = [blanks(asked, lambda step, blank: "…") for asked in question.asked]
        body = "\n".join([f"<h4>{words(question.title)}</h4>", statement(question), *shapes])
        _material(ET.SubElement(item, "presentation"), body)
        for asked in question.asked:
            for blank in asked.blanks:
                made = self.blank(question, asked, blank, stimulus)
                if question.solution and blank is asked.blanks[0]:
                    _feedback(made, solution(question.solution({asked.name})))

    def blank(self, question: Question, asked: Asked, blank: Blank, stimulus: str) -> ET.Element:
        """One cell: its place as text, one field, and the numbers that are right."""
        place = asked.place(blank.row, blank.column)
        kind = "short_answer_question" if blank.word else "numerical_question"
        own = ident_of(self.ident, question.name, asked.name, str(blank.row), str(blank.column))
        item = self.item(own, " ".join(filter(None, (question.name, place))), kind, self.points[id(blank)], stimulus)
        presentation = ET.SubElement(item, "presentation")
        _material(presentation, f"<p>{name(asked.name)}{words(place[len(asked.name) :])}</p>")
        response = ET.SubElement(presentation, "response_str", ident=RESPONSE, rcardinality="Single")
        field = ET.SubElement(response, "render_fib", {} if blank.word else {"fibtype": "Decimal"})
        ET.SubElement(field, "response_label", ident="answer1", rshuffle="No")
        processing = _processing(item)
        for one in blank.answers:
            if one.share == 1:
                _right(processing, one)
        for word in WORDS.get(blank.word, ()):  # a condition each: several in one would have to hold all at once
            ET.SubElement(_condition(processing), "varequal", respident=RESPONSE).text = word
        return item

    def item(self, ident: str, title: str, kind: str, points: Fraction, stimulus: str = "") -> ET.Element:
        """An item of a kind of Canvas's; `stimulus` is the text that New Quizzes show beside it."""
        item = ET.SubElement(self.section, "item", ident=ident, title=clean(shorten(title, LONGEST_TITLE)))
        data = ET.SubElement(ET.SubElement(item, "itemmetadata"), "qtimetadata")
        told = {"question_type": kind, "points_possible": decimal(points, PLACES), "parent_stimulus_item_ident": stimulus}
        for label, entry in told.items():
            if entry:
                field = ET.SubElement(data, "qtimetadatafield")
                ET.SubElement(field, "fieldlabel").text, ET.SubElement(field, "fieldentry").text = label, entry
        return item


def _processing(item: ET.Element) -> ET.Element:
    processing = ET.SubElement(item, "resprocessing")
    ET.SubElement(ET.SubElement(processing, "outcomes"), "decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    return processing


def _right(processing: ET.Element, one: Accepted) -> None:
    """One number with its margin; Canvas takes each condition for an answer, and holds the number in binary."""
    margin, places = max(one.tolerance, one.binary), one.places + BINARY + 1
    either = ET.SubElement(_condition(processing), "or")
    ET.SubElement(either, "varequal", respident=RESPONSE).text = one.text
    between = ET.SubElement(either, "and")
    ET.SubElement(between, "vargte", respident=RESPONSE).text = decimal(one.value - margin, places)
    ET.SubElement(between, "varlte", respident=RESPONSE).text = decimal(one.value + margin, places)


def _condition(processing: ET.Element) -> ET.Element:
    """The condition under which the item earns all its points."""
    response = ET.SubElement(processing, "respcondition", {"continue": "No"})
    condition = ET.SubElement(response, "conditionvar")
    ET.SubElement(response, "setvar", action="Set", varname="SCORE").text = "100"
    return condition


def _feedback(item: ET.Element, html: str) -> None:
    """What Canvas shows to everybody once the item is answered; it finds it by its name, and needs no condition."""
    feedback = ET.SubElement(item, "itemfeedback", ident=GENERAL_FEEDBACK)
    _material(ET.SubElement(feedback, "flow_mat"), html)


def _material(parent: ET.Element, html: str) -> None:
    ET.SubElement(ET.SubElement(parent, "material"), "mattext", texttype="text/html").text = clean(html)
