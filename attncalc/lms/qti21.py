"""QTI 2.1: a zip with an item for each question, and a test that draws one variant for all questions of a student.

An entry is a `textEntryInteraction` of base type float. The first condition that fits is used. A condition has two
bounds, because some players ignore the tolerance of `equal`. −∞ is a text without case. The test adds the scores of its
items. docs/courses.md cites the sources.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from . import question_html
from .number_format import POINT_PLACES, decimal, margin, round_keeping_sum
from .package_files import as_text, clean, ident_of, zip_bytes
from .quiz import WORDS, AcceptedAnswer, AskedStep, Blank, Question, Quiz, blanks_of
from .registry import POINTS_ROUNDED, SYSTEMS, VARIANTS_OF_A_TEST, limitations_of

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
LONGEST_TITLE = 200
WIDTH = "10"  # the same for all fields, so that the width does not reveal the answer


def write(quizzes: list[Quiz]) -> tuple[bytes, list[str]]:
    """Return the zip and its limitations. The zip is reproducible byte for byte."""
    has_long_points = any(Fraction(decimal(blank.points)) != blank.points for blank in blanks_of(quizzes))
    extra = [VARIANTS_OF_A_TEST] * (len(quizzes) > 1) + [POINTS_ROUNDED] * has_long_points
    limitations = limitations_of(quizzes, SYSTEMS["qti21"].limitations, extra)
    items = {_file(quiz, question): as_text(item(quiz, question)) for quiz in quizzes for question in quiz.questions}
    test = ident_of("test", *(word for quiz in quizzes for word in (quiz.title, quiz.code)))
    files = {f"{test}.xml": as_text(_test(quizzes, test)), **items}
    return zip_bytes({"imsmanifest.xml": as_text(_manifest(test, list(items))), **files}, limitations), limitations


def _ident(quiz: Quiz, question: Question) -> str:
    return ident_of(quiz.title, quiz.code, question.name)


def _file(quiz: Quiz, question: Question) -> str:
    return f"items/{_ident(quiz, question)}.xml"


def _title(*words: str) -> str:
    return clean(shorten(" ".join(dict.fromkeys(filter(None, words))), LONGEST_TITLE))


# -- one item ----------------------------------------------------------------------------------------------------------


def item(quiz: Quiz, question: Question) -> ET.Element:
    """Return the item of a question with all its entries."""
    title = _title(quiz.title, quiz.code, question.name)
    attributes = {"xmlns": QTI, "identifier": _ident(quiz, question), "title": title}
    element = ET.Element("assessmentItem", attributes, adaptive="false", timeDependent="false")
    idents = {id(blank): f"B{k}" for k, blank in enumerate(question.blanks, 1)}
    answers = (answer for blank in question.blanks for answer in blank.answers if answer.feedback)
    texts = dict.fromkeys(answer.feedback for answer in answers)
    feedback = {question_html.words(text): f"F{k}" for k, text in enumerate(texts, 1)}
    for blank in question.blanks:
        _declare(element, blank, idents[id(blank)])
    _declare_outcomes(element, question.points)
    _body(element, question, idents)
    processing = ET.SubElement(element, "responseProcessing")
    worth = round_keeping_sum([blank.points for blank in question.blanks], POINT_PLACES)
    for blank, points in zip(question.blanks, worth, strict=True):
        _mark(processing, replace(blank, points=points), idents[id(blank)], feedback)
    if question.options or question.essay:
        feedback |= _add_choices(element, question)
    for markup, ident in feedback.items():
        shown = ET.fromstring(f"<modalFeedback>{markup}</modalFeedback>")
        shown.attrib |= {"outcomeIdentifier": "FEEDBACK", "identifier": ident, "showHide": "show"}
        element.append(shown)
    return element


def _declare(parent: ET.Element, blank: Blank, ident: str) -> None:
    kind = "string" if blank.word else "float"
    declaration = ET.SubElement(parent, "responseDeclaration", identifier=ident, cardinality="single", baseType=kind)
    ET.SubElement(ET.SubElement(declaration, "correctResponse"), "value").text = blank.word or blank.answers[0].text


def _declare_outcomes(parent: ET.Element, points: Fraction) -> None:
    for ident, value in (("SCORE", Fraction(0)), ("MAXSCORE", points)):
        outcome = ET.SubElement(parent, "outcomeDeclaration", identifier=ident, cardinality="single", baseType="float")
        ET.SubElement(ET.SubElement(outcome, "defaultValue"), "value").text = decimal(value, POINT_PLACES)
    ET.SubElement(parent, "outcomeDeclaration", identifier="FEEDBACK", cardinality="multiple", baseType="identifier")


def _body(parent: ET.Element, question: Question, idents: dict[int, str]) -> None:
    def field(asked: AskedStep, blank: Blank) -> str:
        return f'<textEntryInteraction responseIdentifier="{idents[id(blank)]}" expectedLength="{WIDTH}"/>'

    blanks = (question_html.blanks(asked, field) for asked in question.asked)
    markup = [question_html.statement(question), _choice(question), *blanks]
    body = ET.fromstring(f"<itemBody><h4>{question_html.escape(question.title)}</h4>{''.join(markup)}</itemBody>")
    for table in list(body.iter("table")):
        _strict(table)
    parent.append(body)


def _choice(question: Question) -> str:
    if question.essay:
        return '<extendedTextInteraction responseIdentifier="RESPONSE"/>'
    if not question.options:
        return ""
    options = enumerate(map(question_html.option, question.options), 1)
    lines = [f'<simpleChoice identifier="C{k}">{text}</simpleChoice>' for k, text in options]
    attributes = (
        f'responseIdentifier="RESPONSE" shuffle="false" maxChoices="{0 if question.several else 1}"'  # 0: no limit
    )
    return f"<choiceInteraction {attributes}>{''.join(lines)}</choiceInteraction>"


def _add_choices(item: ET.Element, question: Question) -> dict[str, str]:
    """Declare and mark the options, and return their feedback. If several options are right, each right tick earns an
    equal share, and a wrong tick costs the same, as in `attncalc grade`.
    """
    kind = "string" if question.essay else "identifier"
    many = "multiple" if question.several and not question.essay else "single"
    declaration = ET.Element("responseDeclaration", identifier="RESPONSE", cardinality=many, baseType=kind)
    item.insert(0, declaration)
    if question.essay:
        return {}
    right = ET.SubElement(declaration, "correctResponse")
    for k, option in enumerate(question.options, 1):
        if option.right:
            ET.SubElement(right, "value").text = f"C{k}"
    processing = item.find("responseProcessing")
    assert processing is not None
    condition = ET.SubElement(processing, "responseCondition")
    branch = ET.SubElement(condition, "responseIf")
    match = ET.SubElement(branch, "match")
    ET.SubElement(match, "variable", identifier="RESPONSE")
    ET.SubElement(match, "correct", identifier="RESPONSE")
    _award(branch, question.points)
    if question.several:
        share = question.points / len(right)
        mapping = ET.SubElement(declaration, "mapping", lowerBound="0", defaultValue="0")
        for k, option in enumerate(question.options, 1):
            worth = decimal(share if option.right else -share, POINT_PLACES)
            ET.SubElement(mapping, "mapEntry", mapKey=f"C{k}", mappedValue=worth)
        branch = ET.SubElement(condition, "responseElseIf")
        _answered(branch, "RESPONSE")
        total = ET.SubElement(ET.SubElement(branch, "setOutcomeValue", identifier="SCORE"), "sum")
        ET.SubElement(total, "variable", identifier="SCORE")
        ET.SubElement(total, "mapResponse", identifier="RESPONSE")
    explained = [(k, option.feedback) for k, option in enumerate(question.options, 1) if option.feedback]
    feedback = {question_html.author_html(text): f"F{k}" for k, text in explained}
    for k, text in explained:
        branch = ET.SubElement(ET.SubElement(processing, "responseCondition"), "responseIf")
        test = ET.SubElement(branch, "member" if question.several else "match")
        ET.SubElement(test, "baseValue", baseType="identifier").text = f"C{k}"
        ET.SubElement(test, "variable", identifier="RESPONSE")
        _show_feedback(branch, feedback[question_html.author_html(text)])
    return feedback


def _strict(table: ET.Element) -> None:
    """Add the body that QTI requires to a table, and remove presentation attributes."""
    table.attrib.clear()
    rows = table.findall("tr")
    body = ET.SubElement(table, "tbody")
    for row in rows:
        table.remove(row)
        body.append(row)


# -- marking -----------------------------------------------------------------------------------------------------------


def _mark(processing: ET.Element, blank: Blank, ident: str, feedback: dict[str, str]) -> None:
    """Append the condition of an entry. The first answer that fits is used."""
    condition = ET.SubElement(processing, "responseCondition")
    if blank.word:
        branch = ET.SubElement(condition, "responseIf")
        both = ET.SubElement(branch, "and")
        _answered(both, ident)
        either = ET.SubElement(both, "or")
        for word in WORDS[blank.word]:
            match = ET.SubElement(either, "stringMatch", caseSensitive="false")
            _variable_and_value(match, ident, "string", word)
        _award(branch, blank.points)
    for k, answer in enumerate(blank.answers):
        branch = ET.SubElement(condition, "responseElseIf" if k else "responseIf")
        _near(branch, ident, answer)
        if answer.share:
            _award(branch, answer.share * blank.points)
        if answer.feedback:
            _show_feedback(branch, feedback[question_html.words(answer.feedback)])


def _near(branch: ET.Element, ident: str, answer: AcceptedAnswer) -> None:
    test = ET.SubElement(branch, "and")
    _answered(test, ident)
    for comparison, bound in (("gte", -Decimal(margin(answer))), ("lte", Decimal(margin(answer)))):
        limit = f"{Decimal(answer.text) + bound:f}"
        _variable_and_value(ET.SubElement(test, comparison), ident, "float", limit)


def _answered(parent: ET.Element, ident: str) -> None:
    """Append the test that a field is not empty, because players compare NULL in different ways."""
    ET.SubElement(ET.SubElement(ET.SubElement(parent, "not"), "isNull"), "variable", identifier=ident)


def _variable_and_value(parent: ET.Element, ident: str, kind: str, value: str) -> None:
    ET.SubElement(parent, "variable", identifier=ident)
    ET.SubElement(parent, "baseValue", baseType=kind).text = value


def _award(branch: ET.Element, points: Fraction) -> None:
    total = ET.SubElement(ET.SubElement(branch, "setOutcomeValue", identifier="SCORE"), "sum")
    _variable_and_value(total, "SCORE", "float", decimal(points, POINT_PLACES))


def _show_feedback(branch: ET.Element, ident: str) -> None:
    outcome = ET.SubElement(ET.SubElement(branch, "setOutcomeValue", identifier="FEEDBACK"), "multiple")
    _variable_and_value(outcome, "FEEDBACK", "identifier", ident)


# -- the test and the package ------------------------------------------------------------------------------------------


def _test(quizzes: list[Quiz], ident: str) -> ET.Element:
    """Return a test with a section for each variant. An outer section draws one of them."""
    root = ET.Element("assessmentTest", xmlns=QTI, identifier=ident, title=_title(quizzes[0].title))
    ET.SubElement(root, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
    part = ET.SubElement(root, "testPart", identifier="part", navigationMode="nonlinear", submissionMode="simultaneous")
    section = ET.SubElement(part, "assessmentSection", identifier="all", title=_title(quizzes[0].title), visible="true")
    if len(quizzes) > 1:
        ET.SubElement(section, "selection", select="1")
    for k, quiz in enumerate(quizzes, 1):
        title = _title(quiz.title, quiz.code)
        variant = ET.SubElement(section, "assessmentSection", identifier=f"V{k}", title=title, visible="true")
        for question in quiz.questions:
            ET.SubElement(variant, "assessmentItemRef", identifier=_ident(quiz, question), href=_file(quiz, question))
    total = ET.SubElement(ET.SubElement(root, "outcomeProcessing"), "setOutcomeValue", identifier="SCORE")
    ET.SubElement(ET.SubElement(total, "sum"), "testVariables", variableIdentifier="SCORE")
    return root


def _manifest(test: str, items: list[str]) -> ET.Element:
    root = ET.Element("manifest", identifier=ident_of("manifest", test), xmlns=PACKAGE)
    metadata = ET.SubElement(root, "metadata")
    ET.SubElement(metadata, "schema").text, ET.SubElement(metadata, "schemaversion").text = "QTIv2.1 Package", "1.0.0"
    ET.SubElement(root, "organizations")
    resources = ET.SubElement(root, "resources")
    attributes = {"identifier": f"r{test}", "type": "imsqti_test_xmlv2p1", "href": f"{test}.xml"}
    test_resource = ET.SubElement(resources, "resource", attributes)
    ET.SubElement(test_resource, "file", href=f"{test}.xml")
    for path in items:
        ident = "r" + path.removeprefix("items/").removesuffix(".xml")
        ET.SubElement(test_resource, "dependency", identifierref=ident)
        item_resource = ET.SubElement(resources, "resource", identifier=ident, type="imsqti_item_xmlv2p1", href=path)
        ET.SubElement(item_resource, "file", href=path)
    return root
