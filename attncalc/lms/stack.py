"""STACK for Moodle: one question for all parts, a field for each entry, and a potential response tree for each step.

Each tree recalculates its step in Maxima from the student's earlier answers, so a mistake costs only its entries.
Numbers are exact fractions until Maxima combines them with answers. docs/courses.md cites the sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from xml.etree import ElementTree as ET

from ..formula import operations as op
from ..formula.typed_formula import Entry, Node
from . import question_html
from .formula_translation import LanguagePrinter, TranslatedQuiz
from .moodle import add_category, add_html, add_text, category_of, comment, name_of
from .number_format import POINT_PLACES, decimal, weights
from .package_files import as_text, clean, ident_of
from .quiz import AskedStep, Blank, Question, Quiz
from .registry import LARGE_FOR_SYSTEM, NOT_FOLLOWED, SYSTEMS, VARIANTS_TOGETHER, limitations_of

# Definitions of Maxima functions by name: first functions of numbers, then of matrices.
PRELUDE = {
    "ac_plus": "ac_plus(x,y):=if numberp(x) and numberp(y) then x+y else if is(x=minf) and (numberp(y) or is(y=minf)) "
               "then minf "
    "else if is(y=minf) and numberp(x) then minf else und",
    "ac_minus": "ac_minus(x,y):=if numberp(y) then ac_plus(x,-y) else und",
    "ac_times": "ac_times(x,y):=if numberp(x) and numberp(y) then x*y else if is(x=minf) and numberp(y) then (if "
                "is(y>0) then minf else und) "
    "else if is(y=minf) and numberp(x) then (if is(x>0) then minf else und) else und",
    "ac_over": "ac_over(x,y):=if numberp(y) then (if is(y=0) then und else if is(abs(y)<1e-300) then und else "
               "ac_times(x,float(1/y))) else und",
    "ac_power": "ac_power(x,y):=if numberp(x) and numberp(y) then (if is(x>0) then (if is(abs(y*log(float(x)))<690) "
                "then float(x)^y else und) "
    "else if is(x=0) then (if is(y>0) then 0 else und) else if is(y=floor(y)) and is(abs(y)<100) then "
    "float(x)^floor(y) else und) else und",
    "ac_most": "ac_most(x,y):=if numberp(x) and numberp(y) then max(x,y) else if is(x=minf) then y else if is(y=minf) "
               "then x else und",
    "ac_neg": "ac_neg(x):=if numberp(x) then -x else und",
    "ac_exp": "ac_exp(x):=if is(x=minf) then 0 else if numberp(x) then (if is(x>690) then und "
    "else if is(x<-690) then 0 else exp(float(x))) else und",
    "ac_log": "ac_log(x):=if numberp(x) then (if is(x>0) then log(float(x)) else if is(x=0) then minf else und) else "
              "und",
    "ac_sqrt": "ac_sqrt(x):=if numberp(x) then (if is(x>=0) then sqrt(float(x)) else und) else und",
    "ac_sin": "ac_sin(x):=if numberp(x) then sin(float(x)) else und",
    "ac_cos": "ac_cos(x):=if numberp(x) then cos(float(x)) else und",
    "ac_tanh": "ac_tanh(x):=if is(x=minf) then -1 else if numberp(x) then (if is(abs(x)>20) "
    "then (if is(x>0) then 1 else -1) else tanh(float(x))) else und",
    "ac_erf": "ac_erf(x):=if is(x=minf) then -1 else if numberp(x) then erf(float(x)) else und",
    "ac_abs": "ac_abs(x):=if numberp(x) then abs(x) else und",
    "ac_floor": "ac_floor(x):=if numberp(x) then floor(x) else und",
    "ac_at": "ac_at(a,i,j):=a[min(i,length(a)),min(j,length(a[1]))]",
    "ac_const": "ac_const(x,n,m):=genmatrix(lambda([i,j],x),n,m)",
    "ac_dot": "ac_dot(a,b,i,j):=block([s:0,k],for k:1 thru length(b) do s:ac_plus(s,ac_times(a[i,k],b[k,j])),s)",
    "ac_matmul": "ac_matmul(a,b):=genmatrix(lambda([i,j],ac_dot(a,b,i,j)),length(a),length(b[1]))",
    "ac_take": "ac_take(a,r,c):=genmatrix(lambda([i,j],a[r[i],c[j]]),length(r),length(c))",
    "ac_beside": "ac_beside(a,b):=genmatrix(lambda([i,j],if is(j<=length(a[1])) then a[i,j] else b[i,j-length(a[1])]),"
    "length(a),length(a[1])+length(b[1]))",
    "ac_below": "ac_below(a,b):=genmatrix(lambda([i,j],if is(i<=length(a)) then a[i,j] else "
                "b[i-length(a),j]),length(a)+length(b),length(a[1]))",
    "ac_rowsum": "ac_rowsum(a,i):=block([s:0,k],for k:1 thru length(a[1]) do s:ac_plus(s,a[i,k]),s)",
    "ac_rowmax": "ac_rowmax(a,i):=block([s:minf,k],for k:1 thru length(a[1]) do s:ac_most(s,a[i,k]),s)",
    "ac_sums": "ac_sums(a):=genmatrix(lambda([i,j],ac_rowsum(a,i)),length(a),1)",
    "ac_tops": "ac_tops(a):=genmatrix(lambda([i,j],ac_rowmax(a,i)),length(a),1)",
    "ac_empty": "ac_empty(t,i,e,w):=if is(t[i,1]=minf) then e else w",
    "ac_softmax": "ac_softmax(a,e):=block([t,p,s],t:ac_tops(a),"
                  "p:genmatrix(lambda([i,j],ac_exp(ac_minus(a[i,j],t[i,1]))),length(a),length(a[1])),"
                  "s:ac_sums(p),genmatrix(lambda([i,j],ac_empty(t,i,e,ac_over(p[i,j],s[i,1]))),length(a),length(a[1])))",
    "ac_fold": "ac_fold(a,m):=genmatrix(lambda([i,j],a[1,(i-1)*m+j]),length(a[1])/m,m)",
    "ac_flat": "ac_flat(a):=genmatrix(lambda([i,j],"
               "a[floor((j-1)/length(a[1]))+1,j-floor((j-1)/length(a[1]))*length(a[1])]),"
               "1,length(a)*length(a[1]))",
    "ac_kept": "ac_kept(x,m,f):=if numberp(m) then (if is(m=0) then f else x) else und",
    "ac_keep": "ac_keep(a,m,f,r,c):=genmatrix(lambda([i,j],ac_kept(ac_at(a,i,j),ac_at(m,i,j),f[1,1])),r,c)",
}  # fmt: skip
_PAIRS: dict[type[Node], str] = {
    op.Add: "ac_plus", op.Sub: "ac_minus", op.Mul: "ac_times", op.Div: "ac_over", op.Pow: "ac_power",
    op.Maximum: "ac_most"}  # fmt: skip
_EACH: dict[type[Node], str] = {
    op.Neg: "ac_neg", op.Exp: "ac_exp", op.Log: "ac_log", op.Sqrt: "ac_sqrt", op.Sin: "ac_sin", op.Cos: "ac_cos",
    op.Tanh: "ac_tanh", op.Erf: "ac_erf", op.Abs: "ac_abs", op.Floor: "ac_floor"}  # fmt: skip
EMPTY = {"error": "und", "zeros": "0"}
_FUNCTION_NAME = re.compile(r"ac_\w+")


def number(x: Entry) -> str:
    """Return a number exactly, as an integer or a fraction."""
    if not isinstance(x, Fraction):
        return "minf" if x < 0 else "und"
    text = str(x.numerator) if x.denominator == 1 else f"{x.numerator}/{x.denominator}"
    return f"({text})" if x < 0 else text


def matrix(rows: list[list[str]]) -> str:
    """Return a matrix as `matrix([1,2],[3,4])`."""
    return f"matrix({','.join(f'[{chr(44).join(row)}]' for row in rows)})"


def formula(node: Node, names: Callable[[str], str]) -> str:
    """Return the expression of a node in Maxima. `names` maps keys of givens and steps to variables. Raises
    NotInLanguage.
    """
    return _RULES[type(node)](_Printer(names), node)


def required_definitions(texts: list[str]) -> list[str]:
    """Return the definitions that these texts need, directly or indirectly, in the order of PRELUDE."""
    called: set[str] = set()
    waiting = texts
    while waiting:
        new = {name for text in waiting for name in _FUNCTION_NAME.findall(text)} - called
        called |= new
        waiting = [PRELUDE[name] for name in new if name in PRELUDE]
    return [text for name, text in PRELUDE.items() if name in called]


class _Printer(LanguagePrinter):
    def expression(self, node: Node) -> str:
        return formula(node, self.names)

    def genmatrix(self, node: Node, entry: str) -> str:
        n, m = node.shape
        return f"genmatrix(lambda([i,j],{entry}),{n},{m})"

    def _literal(self, node: op.Literal) -> str:
        return matrix([[number(x) for x in row] for row in node.entries])

    def _pi(self, node: op.Pi) -> str:
        return "matrix([float(%pi)])"

    def _matrix(self, node: op.Matrix) -> str:
        entries, m = [f"ac_at({self.expression(argument)},1,1)" for argument in node.args], node.shape[1]
        return matrix([entries[k : k + m] for k in range(0, len(entries), m)])

    def _pair(self, node: Node) -> str:
        a, b = map(self.expression, node.args)
        entry = f"{_PAIRS[type(node)]}(ac_at(a,i,j),ac_at(b,i,j))"
        return f"block([a,b],a:{a},b:{b},{self.genmatrix(node, entry)})"

    _add = _sub = _mul = _div = _pow = _maximum = _pair

    def _unary(self, node: Node) -> str:
        entries = self.genmatrix(node, f"{_EACH[type(node)]}(a[i,j])")
        return f"block([a],a:{self.expression(node.args[0])},{entries})"

    _neg = _exp = _log = _sqrt = _sin = _cos = _tanh = _erf = _abs = _floor = _unary

    def _matmul(self, node: op.MatMul) -> str:
        return f"ac_matmul({self.expression(node.args[0])},{self.expression(node.args[1])})"

    def _transpose(self, node: op.Transpose) -> str:
        return f"transpose({self.expression(node.args[0])})"

    def _take(self, node: op.Take) -> str:
        a, rows, columns = node.args[0], node.taken_rows, node.taken_columns
        chosen = (rows or range(a.shape[0]), columns or range(a.shape[1]))
        listed = (f"[{','.join(str(k + 1) for k in indices)}]" for indices in chosen)
        return f"ac_take({self.expression(a)},{','.join(listed)})"

    def _row_sum(self, node: op.RowSum) -> str:
        return f"ac_sums({self.expression(node.args[0])})"

    def _row_max(self, node: op.RowMax) -> str:
        return f"ac_tops({self.expression(node.args[0])})"

    def _softmax(self, node: op.Softmax) -> str:
        axis, empty, (n, m), a = node.axis, node.empty, node.shape, self.expression(node.args[0])
        if axis == "all":
            return f"ac_fold(ac_softmax(ac_flat({a}),{EMPTY.get(empty, f'1/{n * m}')}),{m})"
        return f"ac_softmax({a},{EMPTY.get(empty, f'1/{m}')})"

    def _keep(self, node: op.Keep) -> str:
        n, m = node.shape
        return f"ac_keep({','.join(map(self.expression, node.args))},{n},{m})"

    def _stack(self, node: Node) -> str:
        stack, join = self.expression(node.args[0]), "ac_beside" if isinstance(node, op.HStack) else "ac_below"
        for argument in node.args[1:]:
            stack = f"{join}({stack},{self.expression(argument)})"
        return stack

    _hstack = _vstack = _stack


_RULES = op.rules(_Printer)


MANY_BLANKS = 60  # fields in a question; STACK is slow with more
FOLLOWS = "Counted as right: it follows from your own earlier numbers."
# The marking of an entry: (share, number of the feedback) of the first answer that fits; -1 if it follows from
# earlier answers.
MARKING = """ac_typed(x):=if is(x=minf) or is(x=-inf) then minf else if is(x=inf) then inf else if numberp(float(x)) then float(x) else und;
ac_near(x,y,t):=if numberp(x) and numberp(y) then is(abs(x-y)<=t+max(1,abs(y))/10^14) else is(x=y) and not is(x=und);
ac_known(x,l):=block([r:[0,0],k],for k:1 thru length(l) do if is(r=[0,0]) and ac_near(x,l[k][1],l[k][2]) then r:[l[k][3],l[k][4]],r);
ac_after(x,r,y,z,t):=if is(r[1]<1) and (ac_near(x,y,t) or ac_near(x,z,t)) then [1,-1] else r;
ac_cell(x,l,y,z,t):=if is(ac_typed(x)=und) then [0,0] else ac_after(ac_typed(x),ac_known(ac_typed(x),l),y,z,t);
ac_own(x,y):=if is(ac_typed(x)=und) then y else ac_typed(x);
ac_kept_on(x,y,t):=if ac_near(ac_typed(x),y,t) then y else ac_own(x,y);"""  # noqa: E501
ROUNDED, CARRIED = "r", "w"  # prefixes of earlier steps: as typed, or with all digits if they round to the typed number
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
NODE = {
    "name": "0", "description": "", "answertest": "AlgEquiv", "sans": "score", "tans": "1", "testoptions": "",
    "quiet": "1",
}  # fmt: skip


def write(quizzes: list[Quiz]) -> tuple[str, list[str]]:
    """Return the Moodle XML and its limitations. A random question draws one of the variants in a category."""
    root = ET.Element("quiz")
    extra: list[str] = []
    category = ""
    for quiz in sorted(quizzes, key=lambda quiz: quiz.title):
        if quiz.title != category:
            category = quiz.title
            add_category(root, category_of([category]))
        extra += _QuestionWriter(quiz).add_to(root)
    extra += [VARIANTS_TOGETHER] * (len(quizzes) > 1)
    limitations = limitations_of(quizzes, SYSTEMS["stack"].limitations, extra)
    root.insert(0, ET.Comment(comment(limitations)))
    return as_text(root), limitations


class _QuestionWriter(TranslatedQuiz):
    """Writer of one STACK question."""

    def __init__(self, quiz: Quiz):
        super().__init__(quiz, formula, (CARRIED, ROUNDED))
        self.blanks = [blank for question in quiz.questions for blank in question.blanks]
        self.fields = {id(blank): f"ans{k}" for k, blank in enumerate(self.blanks, 1)}

    def add_to(self, root: ET.Element) -> list[str]:
        """Append the question to `root`, and return its limitations."""
        quiz = self.quiz
        element = ET.SubElement(root, "question", type="stack")
        words = dict.fromkeys(name_of(word) for word in (quiz.title, quiz.code) if word)
        add_text(ET.SubElement(element, "name"), " ".join(words))
        parts = (self.part_html(question, k) for k, question in enumerate(quiz.questions, 1))
        add_html(element, "questiontext", "\n".join(parts))
        add_html(element, "generalfeedback", "")
        total = sum((question.points for question in quiz.questions), Fraction(0))
        ET.SubElement(element, "defaultgrade").text = decimal(total, POINT_PLACES)
        ET.SubElement(element, "penalty").text = "0.1"
        ET.SubElement(element, "hidden").text = "0"
        ET.SubElement(element, "idnumber").text = ident_of("stack", quiz.title, quiz.code)
        variables = ET.SubElement(element, "questionvariables")
        trees = [self.tree(asked) for asked in self.asked.values()]
        chosen = [question for question in quiz.questions if question.options]
        add_text(variables, self.variables(trees))
        places = [f"[[feedback:prt{k}]]" for k in range(1, len(trees) + len(chosen) + 1)]
        add_html(element, "specificfeedback", "\n".join(places))
        add_html(element, "questionnote", "")
        for key, value in OPTIONS.items():
            ET.SubElement(element, key).text = value
        for field in ("prtcorrect", "prtpartiallycorrect", "prtincorrect"):
            add_html(element, field, "")
        self.inputs(element)
        for k, tree in enumerate([*trees, *(self.choice(question) for question in chosen)], 1):
            if (name := tree.find("name")) is not None:
                name.text = f"prt{k}"
            element.append(tree)
        if len(self.blanks) > MANY_BLANKS:
            self.limitations.append(LARGE_FOR_SYSTEM.format(name=quiz.title, blanks=len(self.blanks), system="STACK"))
        return self.limitations

    # -- the part that students see ------------------------------------------------------------------------------------

    def part_html(self, question: Question, number: int) -> str:
        """Return a part with its fields. STACK requires a validation for each field, which is empty."""

        def field(asked: AskedStep, blank: Blank) -> str:
            name = self.fields[id(blank)]
            return f"[[input:{name}]][[validation:{name}]]"

        body = [f"<h4>{question_html.escape(question.title)}</h4>", question_html.statement(question)]
        body += [question_html.blanks(asked, field) for asked in question.asked]
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
                options = enumerate(question.options, 1)
                listed = [f"[{n},{str(o.right).lower()},{_string(question_html.option(o))}]" for n, o in options]
                kind = "checkbox" if question.several else "radio"
                _input(element, f"choice{k}", kind, f"[{','.join(listed)}]", "")

    # -- marking -------------------------------------------------------------------------------------------------------

    def variables(self, trees: list[ET.Element]) -> str:
        """Return the functions that the trees use, and the givens."""
        used = [tree.findtext("feedbackvariables/text") or "" for tree in trees]
        known = self.formulas[CARRIED]
        givens = [f"{name}:{known[key]};" for key, name in self.givens.items() if key in known]
        return "\n".join([*(f"{text};" for text in required_definitions([*used, *givens])), MARKING, *givens])

    def tree(self, asked: AskedStep) -> ET.Element:
        """Return the tree that recalculates a step from earlier answers, and marks its entries."""
        lines, follows = self.previous_steps(asked)
        answers = (answer for blank in asked.blanks for answer in blank.answers)
        texts = list(dict.fromkeys(answer.feedback for answer in answers if answer.feedback))
        cells = [self.cell(blank, texts, follows) for blank in asked.blanks]
        worth, _ = weights([blank.points for blank in asked.blanks])
        marks = "+".join(f"{w}*cells[{k}][1]" if w > 1 else f"cells[{k}][1]" for k, w in enumerate(worth, 1))
        score = [
            f"cells:[{','.join(cells)}];",
            f"said:makelist(cells[k][2],k,1,{len(cells)});",
            f"score:({marks})/{sum(worth)};",
        ]
        numbered = [*enumerate(texts, 1), *([(-1, FOLLOWS)] if follows else [])]
        feedback = [f'[[if test="member({k},said)"]]<p>{question_html.escape(t)}</p>[[/if]]' for k, t in numbered]
        shown = f"<p>{question_html.name(asked.name)}</p>{''.join(feedback)}"
        return _tree("\n".join([*lines, *score]), sum((blank.points for blank in asked.blanks), Fraction(0)), shown)

    def previous_steps(self, asked: AskedStep) -> tuple[list[str], bool]:
        """Return the definitions of the earlier steps and of this step (`fw`, `fr`), and whether there are any. There
        are none if no earlier step has typed entries, or if a step cannot be calculated.
        """
        before = self.ancestors(asked)
        if self.asked.keys().isdisjoint(before):
            return [], False
        if not self.is_calculable(asked):
            self.limitations.append(NOT_FOLLOWED.format(name=asked.key))
            return [], False
        steps = [key for key in before if key in self.steps]
        lines = [f"{way}{self.steps[key]}:{self.value(key, way)};" for way in self.formulas for key in steps]
        return [*lines, *(f"f{way}:{texts[asked.key]};" for way, texts in self.formulas.items())], True

    def value(self, key: str, way: str) -> str:
        """Return an earlier step from typed entries. Other entries are calculated, or if impossible right."""
        asked = self.asked.get(key)
        if asked is None:
            return self.formulas[way][key]
        rows, columns = map(range, asked.shape)
        text = self.formulas[way].get(key) or matrix([[_right(asked.at(i, j)) for j in columns] for i in rows])
        return f"block([v],v:{text},{matrix([[self.typed_entry(asked, way, i, j) for j in columns] for i in rows])})"

    def typed_entry(self, asked: AskedStep, way: str, i: int, j: int) -> str:
        """Return a typed entry of an earlier step; in the way CARRIED, the calculated value if both agree."""
        blank, worked = asked.at(i, j), f"v[{i + 1},{j + 1}]"
        if blank is None:
            return worked
        field = self.fields[id(blank)]
        return f"ac_own({field},{worked})" if way == ROUNDED else f"ac_kept_on({field},{worked},{_margin(blank)})"

    def cell(self, blank: Blank, texts: list[str], follows: bool) -> str:
        """Return the call that computes the share of an entry and the number of its feedback."""
        known = []
        for answer in blank.answers:
            numbers = map(number, (answer.value, answer.tolerance, answer.share))
            feedback = texts.index(answer.feedback) + 1 if answer.feedback else 0
            known.append(f"[{','.join(numbers)},{feedback}]")
        known += [f"[{'minf' if blank.word == '-inf' else 'inf'},0,1,0]"] if blank.word else []
        at = f"[{blank.row + 1},{blank.column + 1}]"
        expected = ",".join(f"f{way}{at}" if follows else "und" for way in self.formulas)
        return f"ac_cell({self.fields[id(blank)]},[{','.join(known)}],{expected},{_margin(blank)})"

    def choice(self, question: Question) -> ET.Element:
        """Return the tree of a choice. It gives points only if all right options and no others are chosen."""
        name = f"choice{self.quiz.questions.index(question) + 1}"
        right = [k for k, option in enumerate(question.options, 1) if option.right]
        test = f"is({name}={right})" if question.several else f"is({name}={right[0]})"
        feedback = []
        for k, option in enumerate(question.options, 1):
            chosen = f"member({k},{name})" if question.several else f"is({name}={k})"
            if option.feedback:
                feedback.append(f'[[if test="{chosen}"]]<p>{question_html.author_html(option.feedback)}</p>[[/if]]')
        return _tree(f"score:if {test} then 1 else 0;", question.points, "".join(feedback))


def _right(blank: Blank | None) -> str:
    if blank is None:
        return "und"
    return "minf" if blank.word else number(blank.answers[0].value)


def _margin(blank: Blank) -> str:
    return number(blank.answers[0].tolerance) if blank.answers else "0"


def _tree(variables: str, points: Fraction, feedback: str) -> ET.Element:
    """Return a tree with one node. Its score is the variable `score`."""
    element = ET.Element("prt")
    ET.SubElement(element, "name")
    for key, value in {"value": decimal(points, POINT_PLACES), "autosimplify": "1", "feedbackstyle": "1"}.items():
        ET.SubElement(element, key).text = value
    add_text(ET.SubElement(element, "feedbackvariables"), variables)
    node = ET.SubElement(element, "node")
    for key, value in NODE.items():
        ET.SubElement(node, key).text = value
    for kind, score in (("true", "1"), ("false", "score")):
        mode = {"scoremode": "=", "score": score, "penalty": "", "nextnode": "-1"}
        for key, value in (mode | {"answernote": f"1-0-{kind[0].upper()}"}).items():
            ET.SubElement(node, f"{kind}{key}").text = value
        add_html(node, f"{kind}feedback", feedback)
    return element


def _input(parent: ET.Element, name: str, kind: str, right: str, options: str) -> None:
    element = ET.SubElement(parent, "input")
    for key, value in {"name": name, "type": kind, "tans": right, **INPUT, "options": options}.items():
        ET.SubElement(element, key).text = clean(value)


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
