"""STACK for Moodle: one question for all parts, a field per entry, and a potential response tree per step.

Each tree recalculates its step in Maxima from the student's answers to earlier steps, so a mistake costs only its own
entries. Numbers are exact fractions until Maxima combines them with answers. docs/courses.md cites the sources of these
rules.
"""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

from ..errors import shorten
from ..plan import Step
from . import question_html
from .formula_translation import formulas
from .limitations import LARGE_FOR_SYSTEM, NOT_FOLLOWED, VARIANTS_TOGETHER, limitations_of
from .number_format import POINT_PLACES, decimal, weights
from .quiz import AcceptedAnswer, AskedStep, Blank, Question, Quiz
from .registry import SYSTEMS
from .stack_maxima import formula, matrix, number, required_definitions
from .xml_text import as_text, clean
from .zip_package import ident_of

LONGEST_NAME = 120
MANY_BLANKS = 60  # in a question; with more, STACK is slow
FOLLOWS = "Counted as right: it follows from your own earlier numbers."
_NO_TAG = {ord("<"): "‹", ord(">"): "›"}  # Moodle strips anything like a tag from a name
# Marking of an entry: (share, number of its feedback) of the first answer that fits; -1 if it follows from
# earlier answers.
MARKING = """ac_typed(x):=if is(x=minf) or is(x=-inf) then minf else if is(x=inf) then inf else if numberp(float(x)) then float(x) else und;
ac_near(x,y,t):=if numberp(x) and numberp(y) then is(abs(x-y)<=t+max(1,abs(y))/10^14) else is(x=y) and not is(x=und);
ac_known(x,l):=block([r:[0,0],k],for k:1 thru length(l) do if is(r=[0,0]) and ac_near(x,l[k][1],l[k][2]) then r:[l[k][3],l[k][4]],r);
ac_after(x,r,y,z,t):=if is(r[1]<1) and (ac_near(x,y,t) or ac_near(x,z,t)) then [1,-1] else r;
ac_cell(x,l,y,z,t):=if is(ac_typed(x)=und) then [0,0] else ac_after(ac_typed(x),ac_known(ac_typed(x),l),y,z,t);
ac_own(x,y):=if is(ac_typed(x)=und) then y else ac_typed(x);
ac_kept_on(x,y,t):=if ac_near(ac_typed(x),y,t) then y else ac_own(x,y);"""  # noqa: E501
ROUNDED, CARRIED = "r", "w"  # prefixes of earlier steps: as typed; all digits if these round to the typed number
OPTIONS = {
    "questionsimplify": "1", "assumepositive": "0", "assumereal": "0", "decimals": ".", "scientificnotation": "*10",
    "multiplicationsign": "dot", "sqrtsign": "1", "complexno": "i", "inversetrig": "cos-1", "logicsymbol": "lang",
    "matrixparens": "[", "variantsselectionseed": "",
}  # fmt: skip
INPUT = {
    "boxsize": "8", "strictsyntax": "1", "insertstars": "0", "syntaxhint": "", "syntaxattribute": "0",
    "forbidwords": "", "allowwords": "", "forbidfloat": "0", "requirelowestterms": "0", "checkanswertype": "0",
    "mustverify": "0", "showvalidation": "0",
}  # fmt: skip


def write(quizzes: list[Quiz]) -> tuple[str, list[str]]:
    """Return the Moodle XML and its limitations. Variants are in one category, from which a random question
    draws one.
    """
    root = ET.Element("quiz")
    extra: list[str] = []
    category = ""
    for quiz in sorted(quizzes, key=lambda quiz: quiz.title):
        if quiz.title != category:
            category = quiz.title
            path = f"$course$/top/{_name(category).replace('/', '//')}"
            _text(ET.SubElement(ET.SubElement(root, "question", type="category"), "category"), path)
        extra += _QuestionWriter(quiz).add_to(root)
    limitations = limitations_of(
        quizzes, SYSTEMS["stack"].limitations, [*extra, *([VARIANTS_TOGETHER] if len(quizzes) > 1 else [])]
    )
    comment = "\n".join(["What this file could not carry:", *(f"* {line}" for line in limitations)])
    root.insert(0, ET.Comment(clean(comment.replace("--", "- -")) + "\n"))
    return as_text(root), limitations


class _QuestionWriter:
    """Writer of one STACK question."""

    def __init__(self, quiz: Quiz):
        self.quiz, self.plan = quiz, quiz.plan
        self.blanks = [blank for question in quiz.questions for blank in question.blanks]
        self.fields = {id(blank): f"ans{k}" for k, blank in enumerate(self.blanks, 1)}
        self.asked = {asked.key: asked for question in quiz.questions for asked in question.asked}
        entries = quiz.plan.entries if quiz.plan else {}
        self.steps = {key: f"{k}" for k, (key, entry) in enumerate(entries.items(), 1) if isinstance(entry, Step)}
        self.givens = {key: f"g{k}" for k, key in enumerate(entries, 1) if key not in self.steps}
        self.formulas = {
            way: dict(formulas(quiz.plan, formula, self.names(way))) if quiz.plan else {} for way in (CARRIED, ROUNDED)
        }
        self.limitations: list[str] = []

    def names(self, way: str) -> dict[str, str]:
        """Return the variable of each given and step."""
        return self.givens | {key: way + number for key, number in self.steps.items()}

    def add_to(self, root: ET.Element) -> list[str]:
        """Append the question to `root`; return its limitations."""
        quiz = self.quiz
        element = ET.SubElement(root, "question", type="stack")
        _text(
            ET.SubElement(element, "name"),
            " ".join(dict.fromkeys(_name(word) for word in (quiz.title, quiz.code) if word)),
        )
        _html(
            element,
            "questiontext",
            "\n".join(self.part_html(question, k) for k, question in enumerate(quiz.questions, 1)),
        )
        _html(element, "generalfeedback", "")
        total = sum((question.points for question in quiz.questions), Fraction(0))
        ET.SubElement(element, "defaultgrade").text = decimal(total, POINT_PLACES)
        ET.SubElement(element, "penalty").text = "0.1"
        ET.SubElement(element, "hidden").text = "0"
        ET.SubElement(element, "idnumber").text = ident_of("stack", quiz.title, quiz.code)
        variables, trees = (
            ET.SubElement(element, "questionvariables"),
            [self.tree(asked) for asked in self.asked.values()],
        )
        chosen = [question for question in quiz.questions if question.options]
        _text(variables, self.variables(trees))
        places = [f"[[feedback:prt{k}]]" for k in range(1, len(trees) + len(chosen) + 1)]
        _html(element, "specificfeedback", "\n".join(places))
        _html(element, "questionnote", "")
        for key, value in OPTIONS.items():
            ET.SubElement(element, key).text = value
        for field in ("prtcorrect", "prtpartiallycorrect", "prtincorrect"):
            _html(element, field, "")
        self.inputs(element)
        for k, tree in enumerate([*trees, *(self.choice(question) for question in chosen)], 1):
            tree.find("name").text = f"prt{k}"  # type: ignore[union-attr]
            element.append(tree)
        if len(self.blanks) > MANY_BLANKS:
            self.limitations.append(LARGE_FOR_SYSTEM.format(name=quiz.title, blanks=len(self.blanks), system="STACK"))
        return self.limitations

    # -- what students see ---------------------------------------------------------------------------------------------

    def part_html(self, question: Question, number: int) -> str:
        """Return a part with its fields; STACK requires a validation for each, which shows nothing."""

        def field(asked: AskedStep, blank: Blank) -> str:
            name = self.fields[id(blank)]
            return f"[[input:{name}]][[validation:{name}]]"

        body = [
            f"<h4>{question_html.escape(question.title)}</h4>",
            question_html.statement(question),
            *(question_html.blanks(asked, field) for asked in question.asked),
        ]
        if question.options or question.essay:
            body.append(f"<p>[[input:choice{number}]] [[validation:choice{number}]]</p>")
        return "\n".join(body)

    def inputs(self, element: ET.Element) -> None:
        for blank in self.blanks:
            _input(element, self.fields[id(blank)], "algebraic", blank.word or blank.answers[0].text, "allowempty")
        for k, question in enumerate(self.quiz.questions, 1):
            if question.essay:
                _input(element, f"choice{k}", "notes", "true", "")
            elif question.options:
                listed = ",".join(
                    f"[{n},{str(option.right).lower()},{_string(question_html.option(option))}]"
                    for n, option in enumerate(question.options, 1)
                )
                _input(element, f"choice{k}", "checkbox" if question.several else "radio", f"[{listed}]", "")

    # -- how it is marked ----------------------------------------------------------------------------------------------

    def variables(self, trees: list[ET.Element]) -> str:
        """Return the functions that are used, and the givens."""
        used = [tree.findtext("feedbackvariables/text") or "" for tree in trees]
        givens = [
            f"{name}:{self.formulas[CARRIED][key]};"
            for key, name in self.givens.items()
            if key in self.formulas[CARRIED]
        ]
        return "\n".join([*(f"{text};" for text in required_definitions([*used, *givens])), MARKING, *givens])

    def tree(self, asked: AskedStep) -> ET.Element:
        """Return the tree that recalculates the step from earlier answers and marks its entries."""
        lines, follows = self.previous_steps(asked)
        texts = list(
            dict.fromkeys(answer.feedback for blank in asked.blanks for answer in blank.answers if answer.feedback)
        )
        cells = [self.cell(blank, texts, follows) for blank in asked.blanks]
        worth, _ = weights([blank.points for blank in asked.blanks])
        marks = "+".join(f"{w}*cells[{k}][1]" if w > 1 else f"cells[{k}][1]" for k, w in enumerate(worth, 1))
        score = [
            f"cells:[{','.join(cells)}];",
            f"said:makelist(cells[k][2],k,1,{len(cells)});",
            f"score:({marks})/{sum(worth)};",
        ]
        feedback = [
            f'[[if test="member({k},said)"]]<p>{question_html.escape(text)}</p>[[/if]]'
            for k, text in enumerate([*texts], 1)
        ]
        feedback += [f'[[if test="member(-1,said)"]]<p>{question_html.escape(FOLLOWS)}</p>[[/if]]'] if follows else []
        shown = f"<p>{question_html.name(asked.name)}</p>{''.join(feedback)}"
        return _tree("\n".join([*lines, *score]), sum((blank.points for blank in asked.blanks), Fraction(0)), shown)

    def previous_steps(self, asked: AskedStep) -> tuple[list[str], bool]:
        """Return definitions of the earlier steps and of this one (`fw`, `fr`), and whether there are any. There are
        none if no earlier step is typed or one cannot be calculated.
        """
        before = self.plan.ancestors(asked.key)[:-1] if self.plan else []
        typed = [key for key in before if key in self.asked]
        if not typed:
            return [], False
        known = self.formulas[CARRIED]
        if asked.key not in known or any(key not in known and key not in self.asked for key in before):
            self.limitations.append(NOT_FOLLOWED.format(name=asked.key))
            return [], False
        lines = [
            f"{way}{self.steps[key]}:{self.value(key, way)};"
            for way in self.formulas
            for key in before
            if key in self.steps
        ]
        return [*lines, *(f"f{way}:{texts[asked.key]};" for way, texts in self.formulas.items())], True

    def value(self, key: str, way: str) -> str:
        """Return an earlier step: typed entries, and the others calculated or, if that is impossible, right."""
        asked = self.asked.get(key)
        if asked is None:
            return self.formulas[way][key]
        rows, columns = map(range, asked.shape)
        text = self.formulas[way].get(key) or matrix([[_right(asked.at(i, j)) for j in columns] for i in rows])
        return f"block([v],v:{text},{matrix([[self.typed_entry(asked, way, i, j) for j in columns] for i in rows])})"

    def typed_entry(self, asked: AskedStep, way: str, i: int, j: int) -> str:
        """Return an entry of an earlier step as typed, or with all its digits if the typed number is a
        rounding of it.
        """
        blank, worked = asked.at(i, j), f"v[{i + 1},{j + 1}]"
        if blank is None:
            return worked
        field = self.fields[id(blank)]
        return f"ac_own({field},{worked})" if way == ROUNDED else f"ac_kept_on({field},{worked},{_margin(blank)})"

    def cell(self, blank: Blank, texts: list[str], follows: bool) -> str:
        """Return the call that computes the share of an entry and the number of its feedback."""
        known = [
            f"[{number(answer.value)},{number(answer.tolerance)},{number(answer.share)},"
            f"{_feedback_number(answer, texts)}]"
            for answer in blank.answers
        ]
        known += [f"[{'minf' if blank.word == '-inf' else 'inf'},0,1,0]"] if blank.word else []
        at = f"[{blank.row + 1},{blank.column + 1}]"
        expected = ",".join(f"f{way}{at}" if follows else "und" for way in self.formulas)
        return f"ac_cell({self.fields[id(blank)]},[{','.join(known)}],{expected},{_margin(blank)})"

    def choice(self, question: Question) -> ET.Element:
        """Return the tree of a choice, which awards points only for all right options and no other."""
        name = f"choice{self.quiz.questions.index(question) + 1}"
        right = [k for k, option in enumerate(question.options, 1) if option.right]
        test = f"is({name}={right})" if question.several else f"is({name}={right[0]})"
        feedback = [
            f'[[if test="{f"member({k},{name})" if question.several else f"is({name}={k})"}"]]'
            f"<p>{question_html.author_html(option.feedback)}</p>[[/if]]"
            for k, option in enumerate(question.options, 1)
            if option.feedback
        ]
        return _tree(f"score:if {test} then 1 else 0;", question.points, "".join(feedback))


def _right(blank: Blank | None) -> str:
    if blank is None:
        return "und"
    return "minf" if blank.word else number(blank.answers[0].value)


def _margin(blank: Blank) -> str:
    return number(blank.answers[0].tolerance) if blank.answers else "0"


def _feedback_number(answer: AcceptedAnswer, texts: list[str]) -> int:
    return texts.index(answer.feedback) + 1 if answer.feedback else 0


def _tree(variables: str, points: Fraction, feedback: str) -> ET.Element:
    """Return a tree with one node, whose score is the variable `score`."""
    element = ET.Element("prt")
    ET.SubElement(element, "name")
    for key, value in {"value": decimal(points, POINT_PLACES), "autosimplify": "1", "feedbackstyle": "1"}.items():
        ET.SubElement(element, key).text = value
    _text(ET.SubElement(element, "feedbackvariables"), variables)
    node = ET.SubElement(element, "node")
    first = {
        "name": "0",
        "description": "",
        "answertest": "AlgEquiv",
        "sans": "score",
        "tans": "1",
        "testoptions": "",
        "quiet": "1",
    }
    for key, value in first.items():
        ET.SubElement(node, key).text = value
    for kind, score in (("true", "1"), ("false", "score")):
        mode = {
            "scoremode": "=",
            "score": score,
            "penalty": "",
            "nextnode": "-1",
            "answernote": f"1-0-{kind[0].upper()}",
        }
        for key, value in mode.items():
            ET.SubElement(node, f"{kind}{key}").text = value
        _html(node, f"{kind}feedback", feedback)
    return element


def _input(parent: ET.Element, name: str, kind: str, right: str, options: str) -> None:
    element = ET.SubElement(parent, "input")
    for key, value in {"name": name, "type": kind, "tans": right, **INPUT, "options": options}.items():
        ET.SubElement(element, key).text = clean(value)


def _string(text: str) -> str:
    """Return a Maxima string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _name(text: str) -> str:
    return clean(shorten(text.translate(_NO_TAG), LONGEST_NAME))


def _text(parent: ET.Element, text: str) -> None:
    ET.SubElement(parent, "text").text = clean(text)


def _html(parent: ET.Element, tag: str, text: str) -> None:
    _text(ET.SubElement(parent, tag, format="html"), text)
