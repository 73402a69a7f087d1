"""What every course system's file is read as: for each variant its questions, each a list of cells. A row for each
system; tests/read_*.py and tests/support/course_readers.py are readers that know the systems' own rules and nothing of how
attncalc writes.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support import course_readers, read_numbas, read_prairielearn, read_qti21, read_rexams, read_stack

SHARE = 0.75  # of the method, where a system knows shares


@dataclass
class Cell:
    """One blank: its points, and (share, feedback) for what is typed."""

    points: float
    marks: Callable[[str], tuple]


@dataclass
class Question:
    """One question: its cells, and the words that a student reads."""

    cells: list
    shown: str
    title: str = ""
    choices: list = field(default_factory=list)  # (whether it is right, what is said to whoever takes it)


def plain(markup):
    """The words of HTML."""
    return html.unescape(re.sub("<[^>]*>", "", markup))


def _moodle(content):
    questions = course_readers.moodle_questions(content)

    def shown(one):
        return plain("\n".join([one.around, *(text for _, text, _ in one.choices)]))

    def chosen(one):
        return [(share > 0, said) for share, _, said in one.choices]

    return [
        [
            Question([Cell(b.weight, b.marks) for b in one.blanks], shown(one), one.name, chosen(one))
            for one in questions
        ]
    ]


def _canvas(content):
    def cell(item):
        return Cell(float(item.points), lambda typed: (item.score(typed) / 100, ""))

    found = []
    for title, items in course_readers.canvas_quizzes(content):
        cells = [cell(item) for item in items if item.kind in ("numerical_question", "short_answer_question")]
        chosen = [(right, said) for item in items for right, _, said in item.choices]
        texts = [text for item in items for text in (item.body, *(one for _, one, _ in item.choices))]
        found.append([Question(cells, "\n".join(map(plain, texts)), title, chosen)])
    return found


def _qti21(content):
    def cell(item, ident, worth):
        def marks(typed):
            score, said = item.run({ident: typed})
            return (score / worth, " ".join(said))

        return Cell(worth, marks)

    def question(item):
        cells = [cell(item, ident, item.run({ident: correct})[0]) for ident, correct in item.correct.items()]
        most = item.run({"RESPONSE": item.right})[0] if item.choices else sum(one.points for one in cells)
        assert item.node.find(".//{*}extendedTextInteraction") is not None or abs(most - item.most) < 1e-9
        return Question(cells, item.shown, item.title, [taken(item, ident) for ident, _ in item.choices])

    def taken(item, ident):
        several = isinstance(item.right, set)
        score, said = item.run({"RESPONSE": {ident} if several else ident})
        return (ident in item.right if several else score > 0), " ".join(said)

    return [[question(item) for item in variant] for variant in read_qti21.read(content)]


def _prairielearn(content):
    def question(folder, seed):
        shown = folder.drawn(seed)
        cells = [
            Cell(weight, lambda typed, name=name: folder.marks(seed, {name: typed}, name))
            for name, weight in folder.weights(seed).items()
        ]
        return Question(cells, shown, folder.info["title"], folder.choices(seed))

    folders = read_prairielearn.read(content)
    count = max(folder.variants for folder in folders)
    return [[question(folder, seed) for folder in folders] for seed in range(count)]


def _rexams(content):
    def question(read):
        def cell(k):
            return Cell(read.points[k], lambda typed: (float(read.right(k, typed)), ""))

        cells = [cell(k) for k, kind in enumerate(read.kinds) if kind in ("num", "string")]
        right = [
            one == "1" for kind, solution in zip(read.kinds, read.solutions) if "choice" in kind for one in solution
        ]
        return Question(cells, " ".join([read.shown, *read.items]), read.name, [(one, "") for one in right])

    return [[question(one)] for one in read_rexams.read(content)]


def _stack(content):
    def question(read):
        fields, cells = {}, []
        for prt in read.trees:
            for name in read.asks(prt):
                assert name not in fields
                fields[name] = prt
        assert list(fields) == read.fields
        for name, prt in fields.items():
            whole = float(read.tree(prt, {name: read.right(name)})[0])  # what the cell is of its step
            cells.append(
                Cell(
                    float(prt.findtext("value")) * whole,
                    lambda typed, name=name, prt=prt, whole=whole: marks(read, prt, name, typed, whole),
                )
            )
        chosen = choices(read)
        return Question(cells, read.shown, read.name, chosen)

    def marks(read, prt, name, typed, whole):
        score, said = read.tree(prt, {name: typed})
        return float(score) / whole, " ".join(said)

    def choices(read):
        """What may be chosen; its words are added to those that are read."""
        found = []
        for name, one in read.inputs.items():
            if name.startswith("choice") and one.findtext("type") != "notes":
                listed = read_stack.Session().run(f"{one.findtext('tans')};")
                (prt,) = read.trees
                read.shown += plain(" ".join(text for *_, text in listed))
                several = one.findtext("type") == "checkbox"
                right = [k for k, is_right, _ in listed if is_right]
                assert read.tree(prt, {}, {name: right if several else right[0]})[0] == 1
                found += [
                    (is_right, " ".join(read.tree(prt, {}, {name: [k] if several else k})[1]))
                    for k, is_right, _ in listed
                ]
        return found

    return [[question(one)] for one in read_stack.read(content)]


def _numbas(content):
    def question(read):
        cells = [
            Cell(gap["marks"], lambda typed, path=path: read.marks(path, {path: typed}))
            for path, gap in read.gaps.items()
        ]
        return Question(cells, read.shown, read.name, read.choices)

    return [[question(one)] for one in read_numbas.read(content)]


@dataclass(frozen=True)
class Reader:
    """How a system's file is read: [[question]] for each variant. `shares`: it tells a last digit that is off; `told`:
    it names mistakes; `relative`: points are shares of their question; `choices`: it is read what may be chosen;
    `explains`: it says why a choice is right or wrong; `nearest`: units within which it knows a second right number.
    """

    read: Callable
    shares: bool = True
    told: bool = True
    relative: bool = False
    choices: bool = True
    explains: bool = True
    nearest: int | None = None


READERS = {
    "moodle": Reader(_moodle, relative=True),
    "canvas": Reader(_canvas, shares=False, told=False),
    "qti21": Reader(_qti21),
    "prairielearn": Reader(_prairielearn, relative=True),
    "stack": Reader(_stack),
    "numbas": Reader(_numbas),
    "rexams": Reader(_rexams, shares=False, told=False, explains=False, nearest=5),
}
