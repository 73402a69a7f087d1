"""A reader of Numbas exams by the rules of its runtime (numbas/Numbas: part.js, parts/numberentry.js,
marking_scripts/numberentry.jme, jme.js): number entries, gaps, alternatives, adaptive marking, and as much of JME as
formulas use. It knows nothing of how attncalc writes.
"""

import html
import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tests.support.read_stack import OPERATORS, TOKEN, Symbol, _Reader, numeric

TOKENS = re.compile(TOKEN.pattern.replace("(:=|", r"(\.\.|<>|:=|").replace(r"(\d+(?:\.\d+)?", r"(\d+(?:\.\d+)?(?!\d)"))
HEADER = "// Numbas version: exam_results_page_options\n"
CONSTANTS = {"NaN": math.nan, "infinity": math.inf, "pi": math.pi, "true": True}


class _Jme(_Reader):
    levels = (("or",), ("and",), ("=", "<>", "<", ">", "<=", ">="), ("..",), ("+", "-"), ("*", "/"))
    statements = False


@cache
def parse(text):
    """The tree of an expression."""
    tokens, at = [], 0
    while text[at:].strip():
        found = TOKENS.match(text, at)
        assert found, f"no JME: {text[at : at + 40]!r}"
        tokens.append(next(x for x in found.groups() if x is not None))
        at = found.end()
    reader = _Jme(tokens)
    tree = reader.expression()
    assert reader.at == len(tokens), tokens[reader.at :][:8]
    return tree


def _added(x, y):
    return x + y


def _divided(x, y):
    return x / y if y else math.nan


JME = OPERATORS | {
    "+": _added, "/": _divided, "<>": lambda x, y: x != y, "neg": lambda x: -x, "..": lambda x,
    y: [Fraction(k) for k in range(int(x), int(y) + 1)],
    **{sign: OPERATORS[sign] for sign in ("<", ">", "<=", ">=")},
}  # fmt: skip
FUNCTIONS = {
    "sum": lambda found: sum(found, Fraction(0)), "max": max, "abs": abs, "exp": math.exp, "ln": math.log,
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos,
    "tanh": math.tanh, "floor": lambda x: x if isinstance(x,
        float) and not math.isfinite(x) else Fraction(math.floor(x)),
}  # fmt: skip


class Scope:
    """Variables by their definitions; `typed` replaces some of them."""

    def __init__(self, variables, typed=()):
        self.variables, self.values = variables, dict(typed)

    def of(self, text):
        return self.value(parse(text), {})

    def look(self, name, local):
        if name in local:
            return local[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name not in self.values:
            self.values[name] = self.of(self.variables[name]["definition"])
        return self.values[name]

    def value(self, tree, local):
        if not isinstance(tree, tuple):
            return self.look(tree, local) if isinstance(tree, Symbol) else tree
        kind, *parts = tree
        if kind == "text":
            return parts[0]
        if kind == "list":
            return [self.value(one, local) for one in parts]
        if kind == "do":
            return self.value(parts[0], local)
        if kind == "at":
            return self.value(parts[0], local)[int(self.value(parts[1], local))]
        if kind in ("and", "or"):
            first = self.value(parts[0], local)
            return self.value(parts[1], local) if first is (kind == "and") else first
        if kind == "call":
            return self.call(*parts, local=local)
        return JME[kind](*(self.value(one, local) for one in parts))

    def call(self, name, *arguments, local):
        if name == "if":
            return self.value(arguments[1 if self.value(arguments[0], local) else 2], local)
        if name == "let":
            inner = dict(local)
            for key, one in zip(arguments[:-1:2], arguments[1:-1:2], strict=True):
                inner[key] = self.value(one, inner)
            return self.value(arguments[-1], inner)
        if name == "map":
            return [self.value(arguments[0], local | {arguments[1]: one}) for one in self.value(arguments[2], local)]
        return FUNCTIONS[name](*(self.value(one, local) for one in arguments))


@dataclass
class Question:
    """One question: its gaps by their paths, and what is read around them."""

    name: str
    gaps: dict
    shown: str
    variables: dict
    choices: list

    def marks(self, path, typed):
        """(credit, what is said) of a gap for {path: what is typed}: first as it stands, then with what was typed
        elsewhere.
        """
        gap, answer = self.gaps[path], typed.get(path, "").strip()
        if gap["type"] == "patternmatch":
            assert gap["matchMode"] == "regex" and not gap["caseSensitive"]
            return float(matches(gap["answer"], answer)), ""
        x = _number(answer)
        if x is None:
            return 0.0, ""
        replaced = {}
        for one in gap["variableReplacements"]:
            source = self.gaps[one["part"]]  # whose condition Numbas takes as 0 if it is not stated, which is none
            assert source["adaptiveMarkingUseCondition"] == ""
            value = _number(typed.get(one["part"], "").strip())
            assert one["variable"] in self.variables and one["part"] in self.gaps and one["must_go_first"] is False
            if value is not None:
                replaced[one["variable"]] = value
        known = re.search(r"^mistakes:\n    (\[.*\])$", gap["customMarkingAlgorithm"], re.M)
        said = next(
            (html.unescape(text) for low, high, text in (parse_list(known[1]) if known else ()) if low <= x <= high), ""
        )
        best = self.best(gap, x, {})
        return max(best, self.best(gap, x, replaced) if replaced and best < 1 else 0.0), said

    def best(self, gap, x, replaced):
        scope, credit = Scope(self.variables, replaced), 0.0
        for one in (gap, *gap["alternatives"]):
            if credit < one["marks"] / gap["marks"] and scope.of(one["minValue"]) <= x <= scope.of(one["maxValue"]):
                credit = one["marks"] / gap["marks"]
        return credit


def parse_list(text):
    return Scope({}).of(text)


def matches(pattern, answer):
    """Whether Numbas takes an answer: it puts ^ and $ around the pattern, and reads it as a Unicode one of
    JavaScript, in which no letter and no minus may be escaped.
    """
    escaped = re.findall(r"\\(.)", pattern)
    assert all(sign in "^$\\.*+?()[]{}|/" for sign in escaped), escaped
    return re.search(f"^{pattern}$", answer, re.IGNORECASE) is not None


def _number(text):
    text = re.sub(r"^([+-]?\d+),(\d+)$", r"\1.\2", text)  # the styles plain and plain-eu
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)(/\d+)?", text):
        return None
    return Fraction(text) if "/" not in text else (Fraction(text) if Fraction(text.partition("/")[2]) else None)


def read(text):
    """The questions of an exam: of several in the group one is drawn."""
    assert text.startswith(HEADER)
    exam = json.loads(text[len(HEADER) :])
    (group,) = exam["question_groups"]
    assert (group["pickingStrategy"], group["pickQuestions"]) == (
        "random-subset" if len(group["questions"]) > 1 else "all-ordered",
        1,
    )
    return [_question(one) for one in group["questions"]]


def _question(data):
    gaps, shown, choices = {}, [], []
    for k, part in enumerate(data["parts"]):
        around = _plain(re.sub(r"\[\[\d+\]\]", " ", part["prompt"]))
        shown.append(around)
        if part["type"] == "gapfill":
            assert [int(n) for n in re.findall(r"\[\[(\d+)\]\]", part["prompt"])] == list(range(len(part["gaps"])))
            gaps |= {f"p{k}g{n}": gap for n, gap in enumerate(part["gaps"])}
        elif part["type"] in ("1_n_2", "m_n_2"):
            shown += map(_plain, part["choices"])
            choices += [
                (mark > 0, _plain(said)) for mark, said in zip(part["matrix"], part["distractors"], strict=True)
            ]
        else:
            assert part["type"] == "information"
    for gap in gaps.values():
        assert numeric(gap["marks"]) and gap["marks"] > 0 and gap["variableReplacementStrategy"] == "originalfirst"
    assert all(one["name"] == name for name, one in data["variables"].items())
    return Question(data["name"], gaps, "\n".join(shown), data["variables"], choices)


def _plain(markup):
    """The words; outside what is marked as free of variables no sign is left that Numbas fills in, nor one that MathJax
    sets.
    """
    bare = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r'<span nosubvars="true"[^>]*>[^<]*</span>', "", markup)))
    assert not set("{}[]$\\") & set(bare), bare
    return html.unescape(re.sub(r"<[^>]*>", "", markup))
