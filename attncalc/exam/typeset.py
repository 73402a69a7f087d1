"""Papers as Typst or LaTeX source, made with templates/exam/. Formulas and matrices are made by attncalc.render."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NotRequired, TypedDict

from ..errors import shorten
from ..explain.document import Block, Cell, Document, Formula, Grid, Matrices
from ..explain.solution_messages import number_of_points
from ..formula.syntax_tree import Name, Number, Tree
from ..render import template_renderer
from ..render.latex import LatexMedium
from ..render.math import single_line, speech
from ..render.pdf import typst_values
from ..render.typst import TemplateData, TypstMedium, array_literal
from . import scan_layout
from .images import Figure, figure_files, file_name
from .paper import Answer, Paper, PartPaper, QuestionPaper, ResponsePaper
from .sheet.model import Sheet, Student

# Millimetres: the least width of a field to write in, and the widths of a digit and of a letter above it
NARROWEST, DIGIT, LABEL = 14.0, 2.2, 1.6
# Millimetres: the least width of a box that is scanned, and the width of a handwritten digit
NARROWEST_BOX, WRITTEN_DIGIT = 17.0, 3.0
# Blocks of a calculation that stay on one page, and blocks in each piece of a longer calculation
TOGETHER, PIECE = 3, 2
FOOT = 60  # characters of a title at the foot of a page in LaTeX
ROOM_IN_LATEX = 0.93  # share of the height in Typst, because headings and matrices are a little higher in LaTeX
FORMULA_LINE, MOST_COLUMNS = 100, 3  # characters of a line of formulas; columns of a formula sheet
LARGE = 1.6  # factor of large print: 10.5 points become 16.8
# Millimetres: the greatest height of a matrix, and the least width of a writing space at its side
HIGHEST, ASIDE = 190, 60
ACROSS = 110  # for users' templates: a wider matrix is measured
MARGIN_OF_LARGE = 15  # millimetres on each side of a page
_LENGTH = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w.])(\d+(?:\.\d+)?)(pt|mm|cm)\b')  # a text in quotes, or a length
_PIECES_OF_A_NAME = re.compile(r"\s+|[^\s@._-]{1,20}[@._-]*|[@._-]+")
WIDEST = 60  # digits and letters; a narrower matrix certainly fits on the line


# A writing space: its page, its height in millimetres, and whether it is at the side of a matrix
Room = tuple[int, float, bool]
EDGE = "<edge>"  # Typst's label for the two edges of each writing space


def typst(
    papers: Sequence[Paper],
    solved: bool,
    is_custom: bool = True,
    rooms: Sequence[Room] = (),
    codes: Sequence[Sequence[int]] = (),
) -> str:
    """Return one Typst document with papers, or with their solutions if `solved`. Without `is_custom`, the built-in
    template is used. `rooms` are the writing spaces that the solutions of these papers need; calculations are then not
    needed. `codes` are the matrix codes of the pages of a paper.
    """
    sheet, scale = papers[0].sheet, scale_of(papers[0], solved)
    values = _Values(TypstMedium(sheet.decimal_comma, scale), sheet, solved, scale, needs_work=solved or not rooms)
    paper_values = [values.paper(paper) for paper in papers]
    if rooms:
        _arrange(paper_values, iter(rooms), repr)
    is_wide = any(_is_wide(paper, WIDEST / scale) for paper in papers)
    margin = f"{MARGIN_OF_LARGE / scale:.2f}" if scale != 1 else ""
    # Lengths of the page, which is not enlarged
    lengths = {"margin": margin} | {
        name: f"{length / scale:.1f}" for name, length in (("high", HIGHEST), ("aside", ASIDE), ("across", ACROSS))
    }
    page_values = values.page() | lengths | {"title": paper_values[0]["title"], "papers": paper_values, "wide": is_wide}
    page_values |= {"codes": codes, "scan": _scan_lengths(scale) if sheet.scan else None}
    return enlarge(
        template_renderer.render(
            "typst", "paper.typ", page_values, sheet.template if is_custom else None, "exam", **template_renderer.SHARP
        ),
        scale,
    )


def latex(papers: Sequence[Paper], solved: bool) -> str:
    """Return one LaTeX document with papers, or with their solutions. Pages and writing spaces are the same as in
    Typst.
    """
    sheet, scale = papers[0].sheet, scale_of(papers[0], solved)
    values = _Values(LatexMedium(sheet.decimal_comma, scale), sheet, solved, scale, needs_work=solved)
    paper_values = [values.paper(paper) for paper in papers]
    files = figure_files(sheet.figures(), False)
    rooms = rooms_of(typst(papers, solved, is_custom=False), files)
    _arrange(paper_values, iter(rooms), lambda high: f"{ROOM_IN_LATEX * high / scale:.1f}")
    page_values = values.page() | {"papers": paper_values, "magnified": f"{1000 * scale:.0f}"}
    return template_renderer.render(
        "latex", "paper.tex", page_values, sheet.template, "exam", **template_renderer.ROUND
    )


def rooms_of(source: str, files: Mapping[str, bytes]) -> list[Room]:
    """Return the writing spaces of the papers in a Typst source."""
    return rooms_between(typst_values(source, EDGE, files))


def rooms_between(edges: Iterable[list[float]]) -> list[Room]:
    """Return the writing spaces between pairs of edges. `edges` has the first and the second edge of each space."""
    marks = iter(edges)
    pairs = zip(marks, marks, strict=True)
    return [(int(page), end - start, bool(at_side)) for (page, start, at_side), (_, end, _) in pairs]


def _scan_lengths(scale: float) -> TemplateData:
    """Return the lengths of marks and codes, which are not enlarged."""
    left, top, side = scan_layout.CODE
    lengths = {
        "margin": scan_layout.MARGIN,
        "left": left,
        "top": top,
        "module": side / scan_layout.MODULES,
        "mark": scan_layout.MARK,
    }
    centres = [[f"{length / scale:.4f}" for length in centre] for centre in scan_layout.MARKS]
    return {"centres": centres, **{name: f"{length / scale:.4f}" for name, length in lengths.items()}}


def scale_of(paper: Paper, solved: bool) -> float:
    """Return the magnification of a paper. All students of a version share its solution, so it is not enlarged for a
    single student.
    """
    student = paper.student
    return LARGE if paper.sheet.layout.large_print or student.large and not (solved and student.version) else 1


def enlarge(source: str, scale: float) -> str:
    """Return Typst source with every length multiplied by `scale`, except in users' texts."""
    if scale == 1:
        return source
    return _LENGTH.sub(
        lambda length: length[0] if length[1] is None else f"{float(length[1]) * scale:.4g}{length[2]}", source
    )


class _Room(TypedDict):
    """A writing space: whether it begins a page, its height, and whether it is at the side of a matrix."""

    new_page: bool
    high: str
    at_side: bool


_Descriptions = TypedDict("_Descriptions", {"told": str, "said": str})  # noqa: UP013 (keys of templates)


class _Answer(_Descriptions):
    """A matrix to fill in."""

    name: str
    doc: str
    wide: str
    points: str
    rows: str | list[str]
    columns: str | list[str]
    hint: str
    cells: list[str | list[str]]
    solved: bool
    shape: tuple[int, int]
    work: list[TemplateData]
    earlier: list[list[TemplateData]]
    rooms: list[_Room]
    highs: NotRequired[list[str]]
    high: NotRequired[str]


class _Option(TypedDict):
    """An option to tick: its words, or its matrix in the form of the template."""

    letter: str
    right: bool
    text: str | list[TemplateData]


class _Response(TypedDict):
    """Options to tick, the space for words, and the explanations in the solution."""

    several: bool
    room: str
    because: bool | _Room
    blank_lines: bool
    options: list[_Option]
    step: str
    work: list[TemplateData]
    lines: list[str]
    working: NotRequired[_Room | None]
    ticks: NotRequired[_Room | None]
    high: NotRequired[str]


_Ticked = TypedDict("_Ticked", {"own": _Response | None})  # noqa: UP013 (keys of templates)


class _Part(_Ticked):
    letter: str
    ask: str
    note: str
    hint: str
    figure: TemplateData | None
    points: str
    numbers: list[str]
    givens: list[TemplateData]
    round: str
    choices: list[TemplateData]
    answers: list[_Answer]
    new_page: bool


class _Question(TypedDict):
    number: str
    title: str
    points: str
    parts: list[_Part]
    space: str
    blanks: bool
    new_page: bool


class _Paper(TypedDict):
    code: str
    title: str
    short_title: str
    course: str
    date: str
    student: str
    number: str
    version: str
    seat: str
    instructions: list[str]
    points: list[tuple[str, str]]
    total: str
    questions: list[_Question]
    formulas: list[TemplateData]
    columns: int
    formula_room: NotRequired[_Room]


def _arrange(papers: list[_Paper], rooms: Iterator[Room], in_millimetres: Callable[[float], str]) -> None:
    """Add to the values of papers the height of each writing space, and the question, the part or the space that begins
    a page. Spaces are for calculations, options and formulas.
    """
    page = 0
    heads: list[_Question | _Part | _Room] = []  # headings above the next writing space, on the same page

    def room() -> _Room:
        nonlocal page
        before, (page, high, at_side) = page, next(rooms)
        place: _Room = {"new_page": False, "high": in_millimetres(high), "at_side": at_side}
        (heads or [place])[0]["new_page"] = page > before
        heads.clear()
        return place

    for paper in papers:
        room()  # the head of the paper
        for question in paper["questions"]:
            heads[:] = [question]
            for part in question["parts"]:
                heads.append(part)
                if response := part["own"]:
                    working = response["working"] = room() if response["room"] != "0" else None
                    response["ticks"] = room() if response["options"] else None
                    because = room() if response["options"] and response["because"] else None
                    response["because"] = because or False
                    response["high"] = next((place["high"] for place in (working, because) if place), "0")
                for answer in part["answers"]:
                    answer["rooms"] = [room() for _ in (*answer["earlier"], answer)]
                    *answer["highs"], answer["high"] = (each["high"] for each in answer["rooms"])
        heads.clear()
        if paper["formulas"]:
            paper["formula_room"] = room()


class _Values:
    """The values for the templates."""

    def __init__(self, medium: TypstMedium | LatexMedium, sheet: Sheet, solved: bool, scale: float, needs_work: bool):
        self.medium, self.scale = medium, scale
        self.medium.colours = {}  # papers are printed in black
        self.sheet, self.words = sheet, sheet.layout.words
        self.medium.formulas = self.medium.formulas.in_words(self.words["where"], self.words["elsewhere"])
        self.solved = solved
        self.is_latex = isinstance(medium, LatexMedium)
        self.needs_work = needs_work  # if False, the heights of the calculations are known

    def page(self) -> TemplateData:
        """Return the values that all papers of a document share: words, logo and header."""
        words = {word: self.text(text) for word, text in self.words.words.items()}
        before, _, after = self.words["which"].partition("{step}")
        layout = self.sheet.layout
        return {
            "words": words | {"which": (self.text(before), self.text(after))},
            "language": self.words.language.partition("-")[0].lower(),
            "solved": self.solved, "logo": layout.logo and self.figure(layout.logo),
            "header": [self.prose(line) for line in layout.header],
        }  # fmt: skip

    def text(self, text: str) -> str:
        return self.medium.text(text)

    def field(self, text: str) -> str:
        """Return a name or a number. For LaTeX it has break points, because LaTeX does not break long words."""
        if not self.is_latex:
            return self.text(text)
        return r"\allowbreak{}".join(map(self.text, _PIECES_OF_A_NAME.findall(text)))

    def prose(self, text: str) -> str:
        return self.medium.prose(text)

    def points(self, value: Fraction | None) -> str:
        """Return `1 point`, `2.5 points`; empty without stated points."""
        if value is None:
            return ""
        number = self.sheet.decimal(number_of_points(value))
        return self.words["one_point"] if value == 1 else self.words.fill("some_points", points=number)

    def seat(self, student: Student) -> str:
        """Return `Row 2, seat 3`; empty without a seat."""
        return self.words.fill("seat", row=student.seat[0], seat=student.seat[1]) if student.seat else ""

    def rounding(self, part: PartPaper) -> str:
        """Return `Round to 2 decimals (half up).`; empty without a stated rounding."""
        return self.words.rounding(part.rounded) if part.rounded else ""

    def figure(self, figure: Figure) -> TemplateData:
        return {
            "file": self.text(file_name(figure, self.is_latex)),
            "width": f"{figure.width:g}",
            "alt": self.text(figure.alt or figure.name),
        }

    def paper(self, paper: Paper) -> _Paper:
        sheet = paper.sheet
        owner = Student(0, version=paper.student.version) if self.solved and paper.student.version else paper.student
        points = [question.points for question in paper.questions]
        scored = [] if None in points else [value for value in points if value is not None]
        return {
            "code": self.text(owner.version if owner is not paper.student else paper.code),
            "title": self.text(sheet.title), "short_title": self.text(shorten(sheet.title, FOOT)),
            "course": self.text(sheet.course), "date": self.text(sheet.date),
            "student": self.field(owner.name * sheet.layout.names),
            "number": self.field(owner.number * sheet.layout.names),
            "version": self.text(paper.student.version), "seat": self.text(self.seat(paper.student)),
            "instructions": [self.prose(line) for line in sheet.instructions],
            "points": [(self.text(str(q.number)), self.text(number_of_points(p))) for q,
                p in zip(paper.questions, scored, strict=False)],
            "total": self.text(number_of_points(sum(scored, Fraction(0))) if scored else ""),
            "questions": [self.question(q) for q in paper.questions],
            "formulas": self.blocks(list(paper.formulas)), "columns": _columns(paper, scale_of(paper, self.solved)),
        }  # fmt: skip

    def question(self, question: QuestionPaper) -> _Question:
        return {
            "number": self.text(str(question.number)), "title": self.text(question.title),
            "points": self.text(self.points(question.points)),
            "parts": [self.part(part, question) for part in question.parts], "space": f"{question.space:g}",
            "blanks": question.blanks, "new_page": False,
        }  # fmt: skip

    def part(self, part: PartPaper, question: QuestionPaper) -> _Part:
        width = max((len(cell.text) for answer in part.answers for row in answer.grid.cells for cell in row), default=0)
        label = max((len(text) for answer in part.answers for text in answer.grid.columns or ()), default=0)
        narrowest, digit = (NARROWEST_BOX, WRITTEN_DIGIT) if self.sheet.scan else (NARROWEST, DIGIT)
        wide = max(narrowest, 4 + digit * width, min(28, 2 + LABEL * label))
        return {
            "letter": self.text(part.letter), "ask": self.prose(part.ask), "note": part.note and self.prose(part.note),
            "hint": part.hint and self.prose(part.hint), "figure": self.figure(part.figure) if part.figure else None,
            "own": self.response(part.response, question) if part.response else None,
            "points": self.text(self.points(part.points) if part.letter else ""),
            "numbers": [self.scalar(*number) for number in part.numbers],
            "givens": self.blocks([Matrices(tuple(part.givens))] if part.givens else []),
            "round": self.text(self.rounding(part)),
            "choices": self.blocks([self.words.choices(part.choices)] if part.choices.items else []),
            "answers": [self.answer(answer, question, wide) for answer in part.answers], "new_page": False,
        }  # fmt: skip

    def response(self, response_paper: ResponsePaper, question: QuestionPaper) -> _Response:
        lines = [response_paper.solution] * bool(response_paper.solution) + [
            f"**{letter}**: {because}" for letter, _, _, because in response_paper.options if because
        ]
        return {
            "several": response_paper.several,
            "room": f"{question.space:g}" if response_paper.has_room else "0", "because": bool(lines),
            "blank_lines": not response_paper.work,
            "options": [{"letter": self.text(letter), "right": right, "text": self.option(option)} for letter, option,
                right, _ in response_paper.options],
            "step": "" if response_paper.step is None
            else self.name_with_definitions(response_paper.step, response_paper.defined),
            "work": self.blocks(response_paper.work) if self.needs_work else [],
            "lines": [self.prose(line) for line in lines] if self.needs_work else [],
        }  # fmt: skip

    def option(self, option: str | Grid) -> str | list[TemplateData]:
        return self.prose(option) if isinstance(option, str) else self.blocks([Matrices((option,))])

    def scalar(self, name: str, value: str) -> str:
        return self.inline(self.medium.written_equation(Name(name), [(True, Number(value))]))

    def inline(self, equation: template_renderer.Equation) -> str:
        if "said" in equation:
            return f"maths({equation['said']}, ${equation['text']}$)"
        return f"${equation['text']}$"

    def answer(self, answer: Answer, question: QuestionPaper, wide: float) -> _Answer:
        grid = answer.grid
        name = self.medium.inline(grid.name)
        others = [line for line in answer.defined if line.name != grid.name] if answer.means else []
        hint = self.hint([*answer.formulas, *others]) if question.hints else "none"
        solved = self.solved or answer.is_shown
        needs_work = self.needs_work or solved
        lists: Callable[[Iterable[str]], str | list[str]] = (
            array_literal if isinstance(self.medium, TypstMedium) else list
        )
        rows, columns = (lists(map(self.text, texts)) if texts else "" for texts in (grid.rows, grid.columns))
        *earlier, work = _pieces(answer.work, self.scale)
        return {
            "name": name, "told": self.task(answer),
            "doc": self.medium.sentence("" if answer.means else self.words.sentence(answer.doc, "")),
            "wide": f"{wide:.1f}", "points": self.text(self.points(answer.points)), "rows": rows, "columns": columns,
            "hint": hint, "said": self.text(self.alt_text(grid)),
            "cells": [lists(self.cell(cell.text, solved) for cell in row) for row in grid.cells],
            "solved": solved, "shape": grid.shape,
            "work": self.blocks(work) if needs_work else [],
            "earlier": [self.blocks(piece) if needs_work else [] for piece in earlier], "rooms": [],
        }  # fmt: skip

    def alt_text(self, grid: Grid) -> str:
        """Return the alt text of a matrix to fill in, without its contents."""
        n, m = grid.shape
        descriptions = [self.words.fill("places", name=speech.formula(grid.name), rows=n, columns=m)]
        for word, labels in (("of_rows", grid.rows), ("of_columns", grid.columns)):
            descriptions += [self.words.fill(word, labels=", ".join(labels))] if labels else []
        return ", ".join(descriptions)

    def task(self, answer: Answer) -> str:
        """Return the name of the asked step, with its description or with the formulas of the author's steps."""
        name = answer.grid.name
        if not answer.means:
            return self.name_with_definitions(name, answer.defined)
        return self.medium.inline(name) + self.words_behind(f": {self.words.sentence(answer.means)}")

    def words_behind(self, words: str) -> str:
        """Return words that follow a formula in the same line."""
        return self.text(words) if self.is_latex else f" + {self.text(words)}"

    def name_with_definitions(self, name: Tree, defined: list[Formula]) -> str:
        """Return the name of the asked step with the formulas of the author's steps. If the formula of the asked step
        is among them, it replaces the name.
        """
        is_own = any(formula.name == name and formula.stages for formula in defined)
        names = [] if is_own else [self.medium.inline(name)]
        return self.join_pieces([*names, *self.equations([*defined[-1:], *defined[:-1]])])

    def hint(self, formulas: list[Formula]) -> str:
        """Return the formulas of a step in one line."""
        return self.join_pieces(self.equations(formulas))

    def equations(self, formulas: list[Formula]) -> list[str]:
        """Return each formula in a form for use in a line."""
        return list(map(self.equation, formulas))

    def equation(self, formula: Formula) -> str:
        """Return a formula. If the formula is hidden, return the name and the description of the step."""
        if formula.stages:
            return self.inline(self.medium.written_equation(formula.name, template_renderer.sides(formula.stages)))
        return self.medium.inline(formula.name) + self.words_behind(f" ({formula.doc})")

    def join_pieces(self, pieces: list[str]) -> str:
        return (" + [, ] + " if isinstance(self.medium, TypstMedium) else ", ").join(pieces)

    def cell(self, text: str, solved: bool) -> str:
        """Return a number as an entry of a solution, and an empty entry on a paper."""
        if not solved:
            return self.text("")
        if isinstance(self.medium, TypstMedium):
            return self.text(self.medium.plain.number(text))
        return f"${self.medium.value(Cell(text))}$"

    def blocks(self, blocks: list[Block]) -> list[TemplateData]:
        return list(self.medium.blocks(blocks))


def _columns(paper: Paper, scale: float) -> int:
    """Return the number of columns of a formula sheet: as many as the widest formula allows, and 1 in large print."""
    formulas = [block for block in Document(paper.formulas).flat() if isinstance(block, Formula)]
    widest = max((single_line.formula_width(stage.tree) for formula in formulas for stage in formula.stages), default=0)
    return 1 if scale > 1 else max(1, min(MOST_COLUMNS, FORMULA_LINE // max(widest, 1)))


def _pieces(work: list[Block], scale: float) -> list[list[Block]]:
    """Return a long calculation in pieces of a few steps. A page may break between pieces. Pieces of enlarged papers
    have fewer steps.
    """
    if len(work) <= TOGETHER / scale**2:
        return [work]
    pieces: list[list[Block]] = [[]]
    for block in work:
        if isinstance(block, Formula) and len(pieces[-1]) >= PIECE / scale**2:
            pieces.append([])
        pieces[-1].append(block)
    return pieces


def _is_wide(paper: Paper, room: float) -> bool:
    """Return whether a matrix may be wider than the line."""
    parts = [part for question in paper.questions for part in question.parts]
    blocks = [block for part in parts for answer in part.answers for block in answer.work]
    grids = [item for block in blocks if isinstance(block, Matrices) for item in block.items]
    grids += [item for part in parts for item in part.givens]
    return any(_width(grid) > room for grid in grids if isinstance(grid, Grid))


def _width(grid: Grid) -> int:
    lines = [*grid.cells, tuple(map(Cell, grid.columns or ()))]
    cells = sum(max((len(line[j].text) for line in lines if line), default=0) + 2 for j in range(grid.shape[1]))
    return cells + max(map(len, grid.rows or ("",)))
