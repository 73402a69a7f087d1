"""Canvas: QTI 1.2 in a zip, a numerical question for each cell, the statement before them as a text of its own.

A numerical question has one blank (`render_fib fibtype="Decimal"`); each of its numbers is `varequal`, or between `vargte` and `varlte`,
which Canvas reads as a number and its margin. docs/courses.md says where in Canvas these rules stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from .html import blanks, escape, name, statement
from .losses import POINTS_NEARLY, VARIANTS_APART, lost
from .model import BINARY, WORDS, Accepted, Asked, Blank, Question, Quiz
from .numbers import decimal
from .package import ident_of, zipped
from .systems import SYSTEMS
from .xml import as_text, clean

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
META = "http://canvas.instructure.com/xsd/cccv1p0"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
PLACES = 6  # decimals of points
LONGEST_TITLE = 200  # Canvas holds 255 characters of a title with the variant's code
DESCRIPTION = "associatedcontent/imscc_xmlv1p1/learning-application-resource"


def write(quizzes: list[Quiz]) -> tuple[bytes, list[str]]:
    """The zip, the same bytes every time, and what it could not carry: a quiz for each variant."""
    left_out = lost(quizzes, SYSTEMS["canvas"].cannot, _said(quizzes))
    files: dict[str, str] = {}
    for quiz in quizzes:
        ident = ident_of(quiz.title, quiz.code)
        files[f"{ident}/{ident}.xml"] = as_text(assessment(quiz, ident))
        files[f"{ident}/assessment_meta.xml"] = as_text(_meta(quiz, ident))
    manifest = as_text(_manifest([ident_of(quiz.title, quiz.code) for quiz in quizzes]))
    return zipped({"imsmanifest.xml": manifest, **files}, left_out), left_out


def _said(quizzes: list[Quiz]) -> Iterator[str]:
    """What these quizzes lose beside what every quiz does."""
    if len(quizzes) > 1:
        yield VARIANTS_APART
    points = {blank.points for quiz in quizzes for question in quiz.questions for blank in question.blanks}
    if any(Fraction(decimal(one, PLACES)) != one for one in points):
        yield POINTS_NEARLY


def assessment(quiz: Quiz, ident: str) -> ET.Element:
    """The quiz in QTI 1.2."""
    root = ET.Element("questestinterop", xmlns=QTI)
    made = ET.SubElement(root, "assessment", ident=ident, title=clean(_title(quiz)))
    section = ET.SubElement(made, "section", ident="root_section")
    for question in quiz.questions:
        _statement(section, question, ident)
        for asked in question.asked:
            for blank in asked.blanks:
                _blank(section, question, asked, blank, ident)
    return root


def _title(quiz: Quiz) -> str:
    return f"{shorten(quiz.title, LONGEST_TITLE)} {quiz.code}".strip()


def _statement(section: ET.Element, question: Question, ident: str) -> None:
    item = _item(section, ident_of(ident, question.name), question.title, "text_only_question", Fraction(0))
    shapes = [blanks(asked, lambda step, blank: "…") for asked in question.asked]
    body = "\n".join([f"<h4>{escape(question.title)}</h4>", statement(question), *shapes])
    _material(ET.SubElement(item, "presentation"), body)


def _blank(section: ET.Element, question: Question, asked: Asked, blank: Blank, ident: str) -> None:
    """One cell: its place as text, one field, and the numbers that are right."""
    place = asked.place(blank.row, blank.column)
    kind = "short_answer_question" if blank.word else "numerical_question"
    own = ident_of(ident, question.name, asked.name, str(blank.row), str(blank.column))
    item = _item(section, own, " ".join(filter(None, (question.name, place))), kind, blank.points)
    presentation = ET.SubElement(item, "presentation")
    _material(presentation, f"<p>{name(asked.name)}{escape(place[len(asked.name) :])}</p>")
    response = ET.SubElement(presentation, "response_str", ident="response1", rcardinality="Single")
    field = ET.SubElement(response, "render_fib", {} if blank.word else {"fibtype": "Decimal"})
    ET.SubElement(field, "response_label", ident="answer1", rshuffle="No")
    processing = ET.SubElement(item, "resprocessing")
    ET.SubElement(ET.SubElement(processing, "outcomes"), "decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    for one in blank.answers:
        if one.share == 1:
            _right(processing, one)
    for word in WORDS.get(blank.word, ()):  # a condition each: several in one would have to hold all at once
        ET.SubElement(_condition(processing), "varequal", respident="response1").text = word


def _right(processing: ET.Element, one: Accepted) -> None:
    """One number with its margin; Canvas takes each condition for an answer, and holds the number in binary."""
    margin, places = max(one.tolerance, one.binary), one.places + BINARY + 1
    either = ET.SubElement(_condition(processing), "or")
    ET.SubElement(either, "varequal", respident="response1").text = one.text
    between = ET.SubElement(either, "and")
    ET.SubElement(between, "vargte", respident="response1").text = decimal(one.value - margin, places)
    ET.SubElement(between, "varlte", respident="response1").text = decimal(one.value + margin, places)


def _condition(processing: ET.Element) -> ET.Element:
    """The condition under which the item earns all its points."""
    response = ET.SubElement(processing, "respcondition", {"continue": "No"})
    condition = ET.SubElement(response, "conditionvar")
    ET.SubElement(response, "setvar", action="Set", varname="SCORE").text = "100"
    return condition


def _item(section: ET.Element, ident: str, title: str, kind: str, points: Fraction) -> ET.Element:
    item = ET.SubElement(section, "item", ident=ident, title=clean(shorten(title, LONGEST_TITLE)))
    data = ET.SubElement(ET.SubElement(item, "itemmetadata"), "qtimetadata")
    for label, entry in (("question_type", kind), ("points_possible", decimal(points, PLACES))):
        field = ET.SubElement(data, "qtimetadatafield")
        ET.SubElement(field, "fieldlabel").text, ET.SubElement(field, "fieldentry").text = label, entry
    return item


def _material(parent: ET.Element, html: str) -> None:
    ET.SubElement(ET.SubElement(parent, "material"), "mattext", texttype="text/html").text = clean(html)


def _meta(quiz: Quiz, ident: str) -> ET.Element:
    """What Canvas keeps of a quiz beside its questions."""
    root = ET.Element("quiz", identifier=ident, xmlns=META)
    points = sum((question.points for question in quiz.questions), Fraction(0))
    words = {"title": clean(_title(quiz)), "quiz_type": "assignment", "points_possible": decimal(points, PLACES), "shuffle_answers": "false"}
    for key, text in words.items():
        ET.SubElement(root, key).text = text
    return root


def _manifest(idents: list[str]) -> ET.Element:
    root = ET.Element("manifest", identifier=ident_of(*idents), xmlns=PACKAGE)
    metadata = ET.SubElement(root, "metadata")
    ET.SubElement(metadata, "schema").text, ET.SubElement(metadata, "schemaversion").text = "IMS Content", "1.1.3"
    ET.SubElement(root, "organizations")
    resources = ET.SubElement(root, "resources")
    for ident in idents:
        quiz = ET.SubElement(resources, "resource", identifier=ident, type="imsqti_xmlv1p2")
        ET.SubElement(quiz, "file", href=f"{ident}/{ident}.xml")
        ET.SubElement(quiz, "dependency", identifierref=f"{ident}_meta")
        meta = ET.SubElement(resources, "resource", identifier=f"{ident}_meta", type=DESCRIPTION, href=f"{ident}/assessment_meta.xml")
        ET.SubElement(meta, "file", href=f"{ident}/assessment_meta.xml")
    return root
