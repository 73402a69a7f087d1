"""A reader of R/exams exercises by the rules of its own R functions (cran/exams: read_exercise.R, read_metainfo.R,
exams2moodle.R) and of pandoc's Markdown, as far as plain words, lists and pipe tables go; it knows nothing of how
attncalc writes. Numbers are floats, as in R.
"""

import html
import io
import re
import zipfile
from dataclasses import dataclass

FIELDS = {"exname", "extype", "exclozetype", "exsolution", "extol", "expoints"}
MATHS = re.compile(r"\$(?!\s)([^$\n]+)(?<!\s)\$(?!\d)")
PUNCTUATION = set("`*_$\\<>[]{}~^@!#")  # what begins something in Markdown, HTML or R where it stands alone


@dataclass
class Exercise:
    """One exercise."""

    name: str
    kinds: list
    solutions: list
    tolerances: list
    points: list
    shown: str
    items: list

    def right(self, k, typed):
        """Whether an answer to the k-th field is right, as exams2moodle's NUMERICAL or SHORTANSWER has it."""
        if self.kinds[k] == "string":
            return typed.strip().lower() == self.solutions[k].lower()
        try:
            return abs(float(typed) - float(self.solutions[k])) <= self.tolerances[k]
        except ValueError:
            return False


def read(content):
    """The exercises of a file, or of a zip whose exam.R names each once."""
    if isinstance(content, str):
        return [_exercise(content)]
    archive = zipfile.ZipFile(io.BytesIO(content))
    named = re.findall(r'"([^"]+\.Rmd)"', archive.read("exam.R").decode())
    assert sorted([*named, "exam.R", "README.txt"]) == sorted(archive.namelist()) and all(
        re.fullmatch(r"[a-z0-9-]+\.Rmd", one) for one in named
    )
    return [_exercise(archive.read(name).decode()) for name in named]


def _sections(text):
    """Sections by their underlines: nothing else may be one, `^====` at the start of a line."""
    lines = text.split("\n")
    at = [k for k, line in enumerate(lines) if line.startswith("====")]
    names = [lines[k - 1] for k in at]
    assert names == ["Question", "Solution", "Meta-information"], names
    ends = [*(k - 1 for k in at[1:]), len(lines)]
    return ["\n".join(lines[k + 1 : end]) for k, end in zip(at, ends)]


def _exercise(text):
    assert "```" not in text and "`r" not in text, "code"
    question, solution, meta = _sections(text)
    fields = dict(line.split(": ", 1) for line in meta.strip().split("\n"))
    assert set(fields) == FIELDS and fields["extype"] == "cloze" and fields["exname"].strip()
    kinds, solutions, tolerances, points = (
        fields[key].split("|") for key in ("exclozetype", "exsolution", "extol", "expoints")
    )
    assert len(kinds) == len(solutions) == len(tolerances) == len(points) and set(kinds) <= {
        "num",
        "string",
        "schoice",
        "mchoice",
        "essay",
    }
    assert all(re.fullmatch(r"-?\d+(\.\d+)?", solution) for kind, solution in zip(kinds, solutions) if kind == "num")
    question, _, listed = question.partition("\nAnswerlist\n----------\n")
    shown = _markdown(question, [f"ANSWER{k}" for k, _ in enumerate(kinds, 1)])
    _markdown(solution, [])
    items = [_markdown(line.removeprefix("- "), []) for line in listed.strip().split("\n") if line]
    assert sum(len(one) for kind, one in zip(kinds, solutions) if "choice" in kind) == len(items)
    return Exercise(
        fields["exname"], kinds, solutions, [float(x) for x in tolerances], [float(x) for x in points], shown, items
    )


def _markdown(text, answers):
    """The words that pandoc makes of it; each answer's tag stands there once, and is none of the words after entities
    are decoded.
    """
    tags = re.findall(r"##(ANSWER\d+)##", text)
    assert sorted(tags) == sorted(answers), "a field for each answer"
    text = _unmarked(text)
    bare = re.sub(r"##ANSWER\d+##|<!-- -->|&#\d+;|" + MATHS.pattern, "", text)
    for line in bare.split("\n"):
        line = re.sub(r"^- ", "", line)
        assert not PUNCTUATION & set(line), line
        assert "|" not in line or re.fullmatch(r"\|.*\|", line), line
        assert not re.match(r"\s*(\d+[.)]|[+*=-]{1,}\s)|\s{4}", line), line
    decoded = html.unescape(re.sub(r"##ANSWER\d+##", "", text))  # what is left of the tags when R/exams looks for them
    assert "##" not in decoded
    text = MATHS.sub(_tex, text)
    return re.sub(r"\s+", " ", re.sub(r"<!-- -->", "", re.sub(r"(?m)^\| | \|$|^- ", " ", _cells(text)))).strip()


def _unmarked(text):
    """Without the marks of strong and emphasised words, as pandoc closes them."""
    text = re.sub(r"(?<!\*)\*\*(?![\s*])([^*\n]+?)(?<!\s)\*\*(?!\*)", r"\1", text)
    return "".join(
        piece if k % 2 else re.sub(r"(?<!\w)_(?!\s)([^_\n]+?)(?<!\s)_(?!\w)", r"\1", piece)
        for k, piece in enumerate(re.split(r"(\$[^$\n]+\$)", text))
    )


def _tex(formula):
    """A formula as MathJax gets it: no field of Moodle and no place of Canvas."""
    assert not re.search(r"##|\{\d*:\w|[\[\]&]", formula[1])
    return html.escape(formula[1])


def _cells(text):
    """Tables without their rules, entities decoded after the bars were read."""
    lines = [line for line in text.split("\n") if not re.fullmatch(r"\|( --- \|)+", line)]
    return html.unescape(re.sub(r"##ANSWER\d+##", " ", "\n".join(" ".join(line.split(" | ")) for line in lines)))
