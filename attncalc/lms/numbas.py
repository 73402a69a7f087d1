"""Numbas: an .exam file with one question for all parts, a number field for each entry, and adaptive marking.

An entry has alternatives: other right numbers, an inexact last digit, and results that follow from the student's
numbers in earlier steps. Numbas puts these numbers into the variables of the formulas. docs/courses.md cites the
sources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction

from ..errors import shorten
from ..formula import operations as op
from ..formula.typed_formula import Entry, Node
from . import question_html
from .formula_translation import LanguagePrinter, TranslatedQuiz
from .number_format import BINARY_SLACK, POINT_PLACES, decimal, round_keeping_sum
from .package_files import clean
from .quiz import WORDS, AcceptedAnswer, AskedStep, Blank, Question, Quiz
from .registry import ESSAY_LEFT, LARGE_FOR_SYSTEM, NOT_FOLLOWED_BY_NUMBAS, SYSTEMS, VARIANTS_IN_GROUP, limitations_of

_PAIRS: dict[type[Node], str] = {
    op.Add: "{x}+{y}", op.Sub: "{x}-{y}", op.Mul: "{x}*{y}", op.Div: "if({y}=0,NaN,{x}/{y})",
    op.Maximum: "if({x}>={y},{x},{y})",
    op.Pow: "if({x}>0,{x}^{y},if({x}=0 and {y}>0,0,if({y}=floor({y}) and {x}<>0,{x}^{y},NaN)))",
}  # fmt: skip
_EACH: dict[type[Node], str] = {
    op.Neg: "-({x})", op.Exp: "exp({x})", op.Log: "if({x}>0,ln({x}),if({x}=0,-infinity,NaN))",
    op.Sqrt: "if({x}>=0,sqrt({x}),NaN)", op.Sin: "sin({x})",
    op.Cos: "cos({x})", op.Tanh: "if(abs({x})>20,if({x}>0,1,-1),tanh({x}))", op.Abs: "abs({x})", op.Floor: "floor({x})",
}  # fmt: skip
_EMPTY = {"error": "NaN", "zeros": "0"}


def number(x: Entry) -> str:
    """Return a number exactly, as an integer or a fraction."""
    if not isinstance(x, Fraction):
        return "(-infinity)" if x < 0 else "infinity"
    text = str(x.numerator) if x.denominator == 1 else f"{x.numerator}/{x.denominator}"
    return f"({text})" if x < 0 or x.denominator > 1 else text


def rows(cells: list[list[str]]) -> str:
    """Return a matrix as `[[1,2],[3,4]]`."""
    return f"[{','.join(f'[{chr(44).join(row)}]' for row in cells)}]"


def formula(node: Node, names: Callable[[str], str]) -> str:
    """Return the expression of a node in JME. `names` maps keys of givens and steps to variables. Raises
    NotInLanguage.
    """
    return _RULES[type(node)](_Printer(names), node)


def _each(n: int, m: int, entry: str) -> str:
    """Return a matrix from the expression of its entries. p is the row and q the column."""
    return f"map(map({entry},q,0..{m - 1}),p,0..{n - 1})"


def _at(name: str, node: Node) -> str:
    """Return an entry of a matrix. An axis of length 1 is broadcast."""
    n, m = node.shape
    return f"{name}[{'p' if n > 1 else 0}][{'q' if m > 1 else 0}]"


class _Printer(LanguagePrinter):
    def let(self, node: Node, body: str) -> str:
        """Return `body`, in which a, b and c are the operands."""
        arguments = zip("abc", node.args, strict=False)
        bound = ",".join(f"{name},{formula(argument, self.names)}" for name, argument in arguments)
        return f"let({bound},{body})"

    _erf = LanguagePrinter._absent

    def _literal(self, node: op.Literal) -> str:
        return rows([[number(x) for x in row] for row in node.entries])

    def _pi(self, node: op.Pi) -> str:
        return "[[pi]]"

    def _matrix(self, node: op.Matrix) -> str:
        entries, m = [f"({formula(argument, self.names)})[0][0]" for argument in node.args], node.shape[1]
        return rows([entries[k : k + m] for k in range(0, len(entries), m)])

    def _pair(self, node: Node) -> str:
        x, y = (_at(name, argument) for name, argument in zip("ab", node.args, strict=True))
        return self.let(node, _each(*node.shape, _PAIRS[type(node)].format(x=x, y=y)))

    _add = _sub = _mul = _div = _pow = _maximum = _pair

    def _unary(self, node: Node) -> str:
        return self.let(node, _each(*node.shape, _EACH[type(node)].format(x="a[p][q]")))

    _neg = _exp = _log = _sqrt = _sin = _cos = _tanh = _abs = _floor = _unary

    def _matmul(self, node: op.MatMul) -> str:
        inner = node.args[1].shape[0]
        return self.let(node, _each(*node.shape, f"sum(map(a[p][k]*b[k][q],k,0..{inner - 1}))"))

    def _transpose(self, node: op.Transpose) -> str:
        return self.let(node, _each(*node.shape, "a[q][p]"))

    def _take(self, node: op.Take) -> str:
        a, down, across = node.args[0], node.taken_rows, node.taken_columns
        chosen = [",".join(map(str, indices)) for indices in (down or range(a.shape[0]), across or range(a.shape[1]))]
        return self.let(node, f"map(map(a[p][q],q,[{chosen[1]}]),p,[{chosen[0]}])")

    def _row_sum(self, node: op.RowSum) -> str:
        return self.let(node, f"map([sum(a[p])],p,0..{node.shape[0] - 1})")

    def _row_max(self, node: op.RowMax) -> str:
        return self.let(node, f"map([max(a[p])],p,0..{node.shape[0] - 1})")

    def _softmax(self, node: op.Softmax) -> str:
        if node.axis == "all":
            return self._absent(node)
        (n, m), empty = node.shape, _EMPTY.get(node.empty, f"1/{node.shape[1]}")
        nothing, powers = f"map({empty},q,0..{m - 1})", f"map(exp(a[p][q]-t),q,0..{m - 1})"
        shares = f"let(w,{powers},s,sum(w),map(w[q]/s,q,0..{m - 1}))"
        return self.let(node, f"map(let(t,max(a[p]),if(t=-infinity,{nothing},{shares})),p,0..{n - 1})")

    def _keep(self, node: op.Keep) -> str:
        return self.let(node, _each(*node.shape, f"if({_at('b', node.args[1])}=0,c[0][0],{_at('a', node.args[0])})"))

    def _hstack(self, node: op.HStack) -> str:
        parts = "+".join(f"({formula(argument, self.names)})[p]" for argument in node.args)
        return f"map({parts},p,0..{node.shape[0] - 1})"

    def _vstack(self, node: op.VStack) -> str:
        return "+".join(formula(argument, self.names) for argument in node.args)


_RULES = op.rules(_Printer)


HEADER = "// Numbas version: exam_results_page_options\n"
LONGEST_NAME = 120
MANY_BLANKS = 60  # fields in a question; a question with more is slow
TYPED, CARRIED = "r", "c"  # prefixes of earlier steps: as typed, or with all digits if they round to the typed number
# Signs with a meaning in Numbas or MathJax: each gets an element in which nothing is replaced.
_SIGNS = re.compile("&#(?:123|125|91|93|36|92|96|64);")
_SYNTAX, _ESCAPED = re.compile(r"[\^$\\.*+?()\[\]{}|/]"), r"\\\g<0>"  # escapable in a Unicode pattern
_ALONE = r'<span nosubvars="true" class="mathjax_ignore tex2jax_ignore">\g<0></span>'
_NUMBER = re.compile(r'"\\u0000(-?[0-9.]+)"')
MARKING_ALGORITHM = """mistakes:
    {known}

told:
    let(hits, filter(m[0]<=studentNumber and studentNumber<=m[1], m, mistakes), if(len(hits)>0, feedback(hits[0][2]), true))

mark:
    apply(told);
    apply(base_mark)
"""  # noqa: E501
Json = dict[str, object]


def write(quizzes: list[Quiz]) -> tuple[str, list[str]]:
    """Return the file and its limitations. Numbas draws one of several variants."""
    writers = [_QuestionWriter(quiz) for quiz in quizzes]
    questions = [writer.question() for writer in writers]
    extra = [line for writer in writers for line in writer.limitations] + [VARIANTS_IN_GROUP] * (len(quizzes) > 1)
    limitations = limitations_of(quizzes, SYSTEMS["numbas"].limitations, extra)
    group: Json = {
        "name": "Variants", "pickingStrategy": "random-subset" if len(quizzes) > 1 else "all-ordered",
        "pickQuestions": 1,
        "questionNames": [""] * len(questions), "variable_overrides": [[] for _ in questions], "questions": questions,
    }  # fmt: skip
    description = "\n".join(["Limitations of this file:", *(f"* {line}" for line in limitations)])
    metadata = {"description": clean(description), "licence": "None specified"}
    exam = {"name": _name(quizzes[0].title), "metadata": metadata, **EXAM, "question_groups": [group]}
    return HEADER + _NUMBER.sub(r"\1", json.dumps(exam, indent=1)) + "\n", limitations


EXAM: Json = {
    "duration": 0, "percentPass": 0, "showQuestionGroupNames": False, "shuffleQuestionGroups": False,
    "showstudentname": True, "allowPrinting": True,
    "navigation": {"allowregen": True, "reverse": True, "browse": True, "allowsteps": True, "showfrontpage": True,
        "navigatemode": "sequence"},
    "timing": {"allowPause": True, "timeout": {"action": "none", "message": ""},
        "timedwarning": {"action": "none", "message": ""}},
    "feedback": {"showactualmark": True, "showtotalmark": True, "showanswerstate": True, "allowrevealanswer": True},
    "contributors": [], "extensions": [], "custom_part_types": [], "resources": [],
}  # fmt: skip


LOOK: Json = {
    "allowFractions": True, "showFractionHint": False, "notationStyles": ["plain", "plain-eu"],
    "correctAnswerStyle": "plain", "precisionType": "none",
}  # fmt: skip


class _QuestionWriter(TranslatedQuiz):
    """Writer of one Numbas question."""

    def __init__(self, quiz: Quiz):
        super().__init__(quiz, formula, (TYPED, CARRIED))
        self.paths: dict[int, tuple[str, str]] = {}  # variable and path of each field, by its id
        self.variables: dict[str, str] = {}
        self.worth: dict[int, Fraction] = {}  # points of each field, by its id; the sum is exact in decimals

    def question(self) -> Json:
        """Return the question with its parts and variables."""
        parts: list[Json] = []
        for question in self.quiz.questions:
            worth = round_keeping_sum([blank.points for blank in question.blanks], POINT_PLACES)
            self.worth |= zip(map(id, question.blanks), worth, strict=True)
            prompt = f"<h4>{question_html.escape(question.title)}</h4>\n{question_html.statement(question)}"
            parts.append(_part("information", prompt, Fraction(0)))
            for asked in question.asked:
                self.place(asked, f"p{len(parts)}")
                parts.append(self.gaps(asked))
            if question.options:
                parts.append(_choice(question))
            elif question.essay:
                self.limitations.append(ESSAY_LEFT.format(name=question.name or question.title))
        if len(self.paths) > MANY_BLANKS:
            large = LARGE_FOR_SYSTEM.format(name=self.quiz.title, blanks=len(self.paths), system="Numbas")
            self.limitations.append(large)
        variables = {name: _variable(name, text) for name, text in self.variables.items()}
        name = " ".join(dict.fromkeys(_name(word) for word in (self.quiz.title, self.quiz.code) if word))
        return {
            "name": name, "tags": ["attncalc"], "metadata": {"description": "", "licence": "None specified"},
            "statement": "", "advice": "",
            "rulesets": {}, "extensions": [], "variables": variables, "variablesTest": {"condition": "", "maxRuns": 1},
            "ungrouped_variables": list(variables), "variable_groups": [], "functions": {},
            "preamble": {"js": "", "css": ""}, "parts": parts,
            "partsMode": "all",
        }  # fmt: skip

    # -- cells ---------------------------------------------------------------------------------------------------------

    def place(self, asked: AskedStep, path: str) -> None:
        """Define a variable for each entry: the right number, which Numbas replaces by the student's number."""
        for k, blank in enumerate(asked.blanks):
            name = f"b{len(self.paths) + 1}"
            self.paths[id(blank)] = name, f"{path}g{k}"
            infinite = "-infinity" if blank.word == "-inf" else "infinity"
            self.variables[name] = infinite if blank.word else number(blank.answers[0].value)

    def gaps(self, asked: AskedStep) -> Json:
        """Return a step as a table with a field for each entry."""
        replacements = self.variable_replacements(asked)
        order = {id(blank): k for k, blank in enumerate(asked.blanks)}
        prompt = question_html.blanks(asked, lambda step, blank: f"[[{order[id(blank)]}]]")
        part = _part("gapfill", prompt, Fraction(0))
        del part["marks"]
        return part | {"gaps": [self.gap(asked, blank, replacements) for blank in asked.blanks], "sortAnswers": False}

    def gap(self, asked: AskedStep, blank: Blank, replacements: list[Json]) -> Json:
        points = self.worth[id(blank)]
        if blank.word:
            pattern = f"(?:{'|'.join(_SYNTAX.sub(_ESCAPED, word) for word in WORDS[blank.word])})"
            answer = {"answer": pattern, "displayAnswer": blank.word, "caseSensitive": False, "matchMode": "regex"}
            return _part("patternmatch", "", points) | answer
        first, *others = blank.answers
        known = [_known_mistake(answer) for answer in blank.answers if not answer.share]
        right = [answer for answer in others if answer.share]
        alternatives = [_entry(points * answer.share, _bounds(answer), answer.feedback) for answer in right]
        if replacements:
            expressions = [f"f{way}{self.steps[asked.key]}[{blank.row}][{blank.column}]" for way in self.formulas]
            near = number(first.tolerance + max(Fraction(1), abs(first.value)) * BINARY_SLACK)
            alternatives += [_entry(points, [f"{x}-{near}", f"{x}+{near}"], "") for x in expressions]
        entry = _entry(points, _bounds(first), "")
        entry |= {"alternatives": alternatives, "variableReplacements": replacements}
        if known:
            algorithm = MARKING_ALGORITHM.format(known=f"[{','.join(known)}]")
            entry |= {"extendBaseMarkingAlgorithm": True, "customMarkingAlgorithm": algorithm}
        return entry

    # -- results that follow from the student's numbers ----------------------------------------------------------------

    def variable_replacements(self, asked: AskedStep) -> list[Json]:
        """Return the variables that the student's numbers replace in a step; none if it cannot be recalculated."""
        before = self.ancestors(asked)
        typed = [blank for key in before if key in self.asked for blank in self.asked[key].blanks if not blank.word]
        if not typed:
            return []
        if not self.is_calculable(asked):
            self.limitations.append(NOT_FOLLOWED_BY_NUMBAS.format(name=asked.key))
            return []
        for key in before:
            self.define(key)
        self.variables |= {f"f{way}{self.steps[asked.key]}": texts[asked.key] for way, texts in self.formulas.items()}
        paths = (self.paths[id(blank)] for blank in typed)
        return [{"variable": name, "part": path, "must_go_first": False} for name, path in paths]

    def define(self, key: str) -> None:
        """Define a given, or an earlier step from typed entries. Entries without a field are calculated."""
        if key in self.givens:
            self.variables[self.givens[key]] = self.formulas[TYPED][key]
            return
        for way, texts in self.formulas.items():
            asked, name = self.asked.get(key), way + self.steps[key]
            if asked is None:
                self.variables[name] = texts[key]
                continue
            n, m = asked.shape
            if key in texts:
                self.variables[f"f{name}"] = texts[key]
            worked = f"f{name}" if key in texts else ""
            cells = [[self.typed_entry(asked, way, worked, i, j) for j in range(m)] for i in range(n)]
            self.variables[name] = rows(cells)

    def typed_entry(self, asked: AskedStep, way: str, worked: str, i: int, j: int) -> str:
        """Return a typed entry of an earlier step; in the second way, the calculated value if both agree."""
        blank, entry = asked.at(i, j), f"{worked}[{i}][{j}]" if worked else "NaN"
        if blank is None:
            return entry
        name = self.paths[id(blank)][0]
        if way == TYPED or not worked or blank.word:
            return name
        return f"if(abs({name}-{entry})<={number(blank.answers[0].tolerance)},{entry},{name})"


def _bounds(answer: AcceptedAnswer) -> list[str]:
    """Return the smallest and the largest number that count as this answer."""
    wide = max(answer.tolerance, answer.binary) + max(Fraction(1), abs(answer.value)) * BINARY_SLACK
    places = answer.places + 16
    return [decimal(answer.value - wide, places), decimal(answer.value + wide, places)]


def _entry(points: Fraction, bounds: list[str], feedback: str) -> Json:
    """Return a number field between two bounds. With feedback it is an alternative."""
    more = {"alternativeFeedbackMessage": question_html.escape(feedback), "useAlternativeFeedback": not feedback}
    return _part("numberentry", "", points) | {"minValue": bounds[0], "maxValue": bounds[1], **LOOK, **more}


def _known_mistake(answer: AcceptedAnswer) -> str:
    """Return a mistake as a list in JME: smallest number, largest number, feedback."""
    return f'[{",".join(_bounds(answer))},"{" ".join(question_html.escape(answer.feedback).split())}"]'


def _part(kind: str, prompt: str, points: Fraction) -> Json:
    return {
        "type": kind, "prompt": _SIGNS.sub(_ALONE, prompt), "marks": f"\0{decimal(points, POINT_PLACES)}",
        "showCorrectAnswer": True,
        "showFeedbackIcon": True, "variableReplacements": [], "variableReplacementStrategy": "originalfirst",
        "adaptiveMarkingPenalty": 0, "adaptiveMarkingUseCondition": "",
        "useCustomName": False, "customName": "",
        "extendBaseMarkingAlgorithm": True, "customMarkingAlgorithm": "", "unitTests": [], "steps": [], "scripts": {},
    }  # fmt: skip


def _choice(question: Question) -> Json:
    """Return a question with options. If several are right, each right tick earns an equal share, and each wrong tick
    costs a share.
    """
    right = sum(option.right for option in question.options)
    worth = round_keeping_sum([question.points / max(1, right)] * right, POINT_PLACES)
    wrong = -max(worth, default=Fraction(0)) if question.several else Fraction(0)
    shares = iter(worth)
    marks = [next(shares) if option.right else wrong for option in question.options]
    reasons = (question_html.author_html(option.feedback) for option in question.options)
    return _part("m_n_2" if question.several else "1_n_2", "", question.points) | {
        "choices": [_SIGNS.sub(_ALONE, question_html.option(option)) for option in question.options],
        "matrix": [f"\0{decimal(mark, POINT_PLACES)}" for mark in marks],
        "distractors": [_SIGNS.sub(_ALONE, " ".join(reason.split())) for reason in reasons],
        "shuffleChoices": False, "minMarks": 0, "maxMarks": f"\0{decimal(question.points, POINT_PLACES)}",
        "minAnswers": 0, "maxAnswers": 0,
        "displayType": "checkbox" if question.several else "radiogroup", "displayColumns": 1,
        "showCellAnswerState": True,
    }  # fmt: skip


def _variable(name: str, text: str) -> Json:
    variable = {"name": name, "group": "Ungrouped variables", "definition": text, "description": ""}
    return variable | {"templateType": "anything", "can_override": False}


def _name(text: str) -> str:
    return clean(shorten(" ".join(text.split()), LONGEST_NAME)).replace("{", "(").replace("}", ")") or "question"
