"""Canvas: QTI 1.2 in a zip. Each entry is a numerical question, and the task is a separate text before them."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from .number_format import decimal, round_keeping_sum
from .package_files import as_text, clean, ident_of, zip_bytes
from .question_html import author_html, blanks, name, option, solution, statement, words
from .quiz import BINARY, WORDS, AcceptedAnswer, AskedStep, Blank, Question, Quiz, blanks_of, has_variants
from .registry import POINTS_NEARLY, SYSTEMS, VARIANTS_APART, limitations_of

LONGEST_TITLE = 200  # Canvas keeps 255 characters of a title, including the code of the variant
PLACES = 6  # decimals of points
RESPONSE = "response1"
FIRST_OPTION = 1001  # number of the first option of a question
GENERAL_FEEDBACK = "general_fb"


class Items:
    """A writer that appends the items of a quiz to its section. `points` maps the id of each field and question to its
    points.
    """

    def __init__(self, section: ET.Element, ident: str, points: dict[int, Fraction]):
        self.section = section
        self.ident = ident
        self.points = points

    def add(self, question: Question) -> None:
        """Append the items of a question: its task and its entries, or a choice or an essay."""
        if question.essay or question.options:
            self.choice_or_essay(question)
            return
        stimulus = ident_of(self.ident, question.name)
        item = self.item(stimulus, question.title, "text_only_question", Fraction(0))
        shapes = [blanks(asked, lambda step, blank: "…") for asked in question.asked]
        _material(ET.SubElement(item, "presentation"), "\n".join([_head(question), *shapes]))
        for asked in question.asked:
            for blank in asked.blanks:
                item_element = self.blank(question, asked, blank, stimulus)
                if question.solution and blank is asked.blanks[0]:
                    _feedback(item_element, GENERAL_FEEDBACK, solution(question.solution({asked.name})))

    def choice_or_essay(self, question: Question) -> None:
        """Append a question with choices, or an essay."""
        kind = "multiple_answers_question" if question.several else "multiple_choice_question"
        kind = "essay_question" if question.essay else kind
        item = self.item(ident_of(self.ident, question.name), question.title, kind, self.points[id(question)])
        presentation = ET.SubElement(item, "presentation")
        _material(presentation, _head(question))
        _essay(item, presentation) if question.essay else _choices(item, presentation, question)
        if question.model_answer:
            _feedback(item, GENERAL_FEEDBACK, f"<p>{author_html(question.model_answer)}</p>")
        elif question.solution:
            _feedback(item, GENERAL_FEEDBACK, solution(question.solution(None)))

    def blank(self, question: Question, asked: AskedStep, blank: Blank, stimulus: str) -> ET.Element:
        """Append a question for one entry, with one field and its right numbers."""
        place = asked.place(blank.row, blank.column)
        kind = "short_answer_question" if blank.word else "numerical_question"
        ident = ident_of(self.ident, question.name, asked.name, str(blank.row), str(blank.column))
        item = self.item(ident, " ".join(filter(None, (question.name, place))), kind, self.points[id(blank)], stimulus)
        presentation = ET.SubElement(item, "presentation")
        _material(presentation, f"<p>{name(asked.name)}{words(place[len(asked.name) :])}</p>")
        response = ET.SubElement(presentation, "response_str", ident=RESPONSE, rcardinality="Single")
        field = ET.SubElement(response, "render_fib", {} if blank.word else {"fibtype": "Decimal"})
        ET.SubElement(field, "response_label", ident="answer1", rshuffle="No")
        processing = _processing(item)
        for answer in blank.answers:
            if answer.share == 1:
                _accept(processing, answer)
        for word in WORDS.get(blank.word, ()):  # separate conditions, because all parts of one condition must be true
            ET.SubElement(_condition(processing), "varequal", respident=RESPONSE).text = word
        return item

    def item(self, ident: str, title: str, kind: str, points: Fraction, stimulus: str = "") -> ET.Element:
        """Append an item of a question type of Canvas. New Quizzes shows the text `stimulus` next to the item."""
        item = ET.SubElement(self.section, "item", ident=ident, title=clean(shorten(title, LONGEST_TITLE)))
        data = ET.SubElement(ET.SubElement(item, "itemmetadata"), "qtimetadata")
        fields = {"question_type": kind, "points_possible": decimal(points, PLACES)}
        for label, entry in (fields | {"parent_stimulus_item_ident": stimulus}).items():
            if entry:
                field = ET.SubElement(data, "qtimetadatafield")
                ET.SubElement(field, "fieldlabel").text, ET.SubElement(field, "fieldentry").text = label, entry
        return item


def _head(question: Question) -> str:
    return f"<h4>{words(question.title)}</h4>\n{statement(question)}"


def _essay(item: ET.Element, presentation: ET.Element) -> None:
    """Append a text field, which a person marks."""
    response = ET.SubElement(presentation, "response_str", ident=RESPONSE, rcardinality="Single")
    ET.SubElement(ET.SubElement(response, "render_fib"), "response_label", ident="answer1", rshuffle="No")
    condition = ET.SubElement(_processing(item), "respcondition", {"continue": "No"})
    ET.SubElement(ET.SubElement(condition, "conditionvar"), "other")


def _choices(item: ET.Element, presentation: ET.Element, question: Question) -> None:
    """Append the options. The condition with the points comes last, because in Canvas the last condition counts. The
    feedback of the options is in earlier conditions.
    """
    many = "Multiple" if question.several else "Single"
    response = ET.SubElement(presentation, "response_lid", ident=RESPONSE, rcardinality=many)
    render_choice = ET.SubElement(response, "render_choice")
    processing = _processing(item)
    idents = [str(FIRST_OPTION + k) for k in range(len(question.options))]
    for ident, choice in zip(idents, question.options, strict=True):
        _material(ET.SubElement(render_choice, "response_label", ident=ident), option(choice))
        if choice.feedback:
            branch = ET.SubElement(processing, "respcondition", {"continue": "Yes"})
            ET.SubElement(ET.SubElement(branch, "conditionvar"), "varequal", respident=RESPONSE).text = ident
            ET.SubElement(branch, "displayfeedback", feedbacktype="Response", linkrefid=f"{ident}_fb")
            _feedback(item, f"{ident}_fb", f"<p>{author_html(choice.feedback)}</p>")
    condition = _condition(processing)
    conjunction = ET.SubElement(condition, "and") if question.several else condition
    for ident, choice in zip(idents, question.options, strict=True):
        if choice.right or question.several:
            parent = conjunction if choice.right else ET.SubElement(conjunction, "not")
            ET.SubElement(parent, "varequal", respident=RESPONSE).text = ident


def _processing(item: ET.Element) -> ET.Element:
    processing = ET.SubElement(item, "resprocessing")
    score = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
    ET.SubElement(ET.SubElement(processing, "outcomes"), "decvar", score)
    return processing


def _accept(processing: ET.Element, answer: AcceptedAnswer) -> None:
    """Append a condition for a right number with its tolerance. It is at least the binary rounding error of Canvas."""
    margin, places = max(answer.tolerance, answer.binary), answer.places + BINARY + 1
    either = ET.SubElement(_condition(processing), "or")
    ET.SubElement(either, "varequal", respident=RESPONSE).text = answer.text
    between = ET.SubElement(either, "and")
    ET.SubElement(between, "vargte", respident=RESPONSE).text = decimal(answer.value - margin, places)
    ET.SubElement(between, "varlte", respident=RESPONSE).text = decimal(answer.value + margin, places)


def _condition(processing: ET.Element) -> ET.Element:
    """Append a condition that gives all points of the item."""
    response = ET.SubElement(processing, "respcondition", {"continue": "No"})
    condition = ET.SubElement(response, "conditionvar")
    ET.SubElement(response, "setvar", action="Set", varname="SCORE").text = "100"
    return condition


def _feedback(item: ET.Element, ident: str, html: str) -> None:
    """Append feedback. Canvas always shows `general_fb`, without a condition."""
    feedback = ET.SubElement(item, "itemfeedback", ident=ident)
    _material(ET.SubElement(feedback, "flow_mat"), html)


def _material(parent: ET.Element, html: str) -> None:
    ET.SubElement(ET.SubElement(parent, "material"), "mattext", texttype="text/html").text = clean(html)


QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
META = "http://canvas.instructure.com/xsd/cccv1p0"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
DESCRIPTION = "associatedcontent/imscc_xmlv1p1/learning-application-resource"


def write(quizzes: list[Quiz]) -> tuple[bytes, list[str]]:
    """Return the zip and its limitations. Each variant is a quiz. The zip is reproducible byte for byte."""
    points = [blank.points for blank in blanks_of(quizzes)]
    extra = [VARIANTS_APART] * has_variants(quizzes) + [POINTS_NEARLY] * (round_keeping_sum(points, PLACES) != points)
    limitations = limitations_of(quizzes, SYSTEMS["canvas"].limitations, extra)
    files: dict[str, str] = {}
    for quiz in quizzes:
        ident = ident_of(quiz.title, quiz.code)
        files[f"{ident}/{ident}.xml"] = as_text(assessment(quiz, ident))
        files[f"{ident}/assessment_meta.xml"] = as_text(_meta(quiz, ident))
    manifest = as_text(_manifest([ident_of(quiz.title, quiz.code) for quiz in quizzes]))
    return zip_bytes({"imsmanifest.xml": manifest, **files}, limitations), limitations


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
    root = ET.Element("quiz", identifier=ident, xmlns=META)
    points = sum((question.points for question in quiz.questions), Fraction(0))
    words = {"title": clean(_title(quiz)), "quiz_type": "assignment", "points_possible": decimal(points, PLACES)}
    for key, text in (words | {"shuffle_answers": "false"}).items():
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
        path = f"{ident}/assessment_meta.xml"
        meta = ET.SubElement(resources, "resource", identifier=f"{ident}_meta", type=DESCRIPTION, href=path)
        ET.SubElement(meta, "file", href=path)
    return root
