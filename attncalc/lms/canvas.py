"""Canvas: QTI 1.2 in a zip, with one numerical question per entry and the statement as a separate text before them
(canvas_items.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from .canvas_items import LONGEST_TITLE, PLACES, Items
from .limitations import POINTS_NEARLY, VARIANTS_APART, limitations_of
from .number_format import decimal, round_keeping_sum
from .quiz import Quiz, has_variants
from .registry import SYSTEMS
from .xml_text import as_text, clean
from .zip_package import ident_of, zip_bytes

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
META = "http://canvas.instructure.com/xsd/cccv1p0"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
DESCRIPTION = "associatedcontent/imscc_xmlv1p1/learning-application-resource"


def write(quizzes: list[Quiz]) -> tuple[bytes, list[str]]:
    """Return the zip, which is reproducible byte for byte, and its limitations; each variant is a quiz."""
    limitations = limitations_of(quizzes, SYSTEMS["canvas"].limitations, _extra_limitations(quizzes))
    files: dict[str, str] = {}
    for quiz in quizzes:
        ident = ident_of(quiz.title, quiz.code)
        files[f"{ident}/{ident}.xml"] = as_text(assessment(quiz, ident))
        files[f"{ident}/assessment_meta.xml"] = as_text(_meta(quiz, ident))
    manifest = as_text(_manifest([ident_of(quiz.title, quiz.code) for quiz in quizzes]))
    return zip_bytes({"imsmanifest.xml": manifest, **files}, limitations), limitations


def _extra_limitations(quizzes: list[Quiz]) -> Iterator[str]:
    """Yield the limitations of these quizzes that not every quiz has."""
    if has_variants(quizzes):
        yield VARIANTS_APART
    points = [blank.points for quiz in quizzes for question in quiz.questions for blank in question.blanks]
    if round_keeping_sum(points, PLACES) != points:
        yield POINTS_NEARLY


def assessment(quiz: Quiz, ident: str) -> ET.Element:
    """Return the quiz in QTI 1.2."""
    root = ET.Element("questestinterop", xmlns=QTI)
    element = ET.SubElement(root, "assessment", ident=ident, title=clean(_title(quiz)))
    worth = {id(blank): blank.points for question in quiz.questions for blank in question.blanks}
    worth |= {id(question): question.points for question in quiz.questions if not question.asked}
    points = dict(zip(worth, round_keeping_sum(list(worth.values()), PLACES), strict=True))
    items = Items(ET.SubElement(element, "section", ident="root_section"), ident, points)
    for question in quiz.questions:
        items.add(question)
    return root


def _title(quiz: Quiz) -> str:
    return f"{shorten(quiz.title, LONGEST_TITLE)} {quiz.code}".strip()


def _meta(quiz: Quiz, ident: str) -> ET.Element:
    """Return the settings of a quiz in Canvas."""
    root = ET.Element("quiz", identifier=ident, xmlns=META)
    points = sum((question.points for question in quiz.questions), Fraction(0))
    words = {
        "title": clean(_title(quiz)),
        "quiz_type": "assignment",
        "points_possible": decimal(points, PLACES),
        "shuffle_answers": "false",
    }
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
        meta = ET.SubElement(
            resources, "resource", identifier=f"{ident}_meta", type=DESCRIPTION, href=f"{ident}/assessment_meta.xml"
        )
        ET.SubElement(meta, "file", href=f"{ident}/assessment_meta.xml")
    return root
