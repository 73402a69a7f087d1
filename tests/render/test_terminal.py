"""What `attncalc solve` prints. The files in tests/golden are a command and its output, to be read by people.

After a change that is meant to be seen, `REGENERATE=1 pytest tests/render/test_terminal.py` writes them anew: read the
difference.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style

from attncalc import load, solve
from attncalc.explain.document import Formula, Grid, Matrices, Paragraph, Section, Worked
from attncalc.explain.outline import FEW
from attncalc.explain.solution_document import solution_document
from attncalc.formula.functions import functions
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import Binary, Call, Name, Negate, Number, Transpose, unparse
from attncalc.render.math.single_line import ASCII, UNICODE, formula, number
from attncalc.render.terminal import Short, compact, lines, write
from attncalc.render.terminal.matrices import Fit, GridPrinter
from attncalc.render.terminal.styled_text import PRETTY, plain, shade
from attncalc.render.wrap import clean, equation, pieces, shorten_labels
from attncalc.resources import problem_names
from tests.oracles.test_second_reader import solved_by
from tests.support.pages import solved
from tests.support.sweeps import for_each
from tests.support.verified import wrong

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.txt"))
LABELS, SCALARS = (ROOT / "tests" / "golden" / name for name in ("labels.yaml", "scalars.yaml"))
PROBLEMS = [*problem_names(), str(LABELS), str(SCALARS)]
WAYS = ({}, {"paper": True}, {"exact": True})


@cache
def document(problem, paper=False, exact=False):
    solution = solved(problem, paper)
    return solution_document(solution, solution.parts, None, exact)


class Screen(io.StringIO):
    def __init__(self, encoding):
        super().__init__()
        self._encoding = encoding

    encoding = property(lambda self: self._encoding)


def printed(doc, width=80, encoding="utf-8", **options):
    console = Console(file=Screen(encoding), width=width, legacy_windows=False, **({"color_system": None} | options))
    write(doc, console)
    return console.file.getvalue()


def from_yaml(tmp_path, text):
    path = tmp_path / "problem.yaml"
    path.write_text(text, encoding="utf-8")
    return document(str(path))


# -- golden files ------------------------------------------------------------------------------------------------------


def run(command):
    """`COLUMNS=80 attncalc solve NAME`, in a pipe."""
    words = shlex.split(command)
    settings = words[: words.index("attncalc")]
    clean_environment = {
        k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING")
    }
    environment = clean_environment | {"PYTHONUTF8": "1"} | dict(word.split("=", 1) for word in settings)
    arguments = [sys.executable, "-m", "attncalc", *words[words.index("attncalc") + 1 :]]
    return subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, check=True).stdout.decode("utf-8")


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden(path):
    command, _, expected = path.read_text(encoding="utf-8").partition("\n")
    output = run(command.removeprefix("$ "))
    if os.environ.get("REGENERATE"):
        assert not wrong(output, ".txt", solved_by(command)), "a second reader finds other numbers"
        path.write_text(f"{command}\n{output}", encoding="utf-8")
        return
    assert output == expected


@pytest.mark.skipif(int(version("rich").partition(".")[0]) < 14, reason="Rich 13 draws the picture in other pieces")
@pytest.mark.parametrize("name", ["solve", "check"])
def test_the_pictures_in_the_readme_are_up_to_date(name):
    module = runpy.run_path(str(ROOT / "docs" / "make_picture.py"))
    made = module["picture"](*module["PICTURES"][name])
    kept = (ROOT / "docs" / f"{name}.svg").read_text(encoding="utf-8")
    assert words(made) == words(kept), "python docs/make_picture.py makes it anew"
    assert "http" not in kept.replace("http://www.w3.org/2000/svg", "") and len(kept) < 120_000


def words(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_there_are_golden_files():
    assert len(GOLDEN) >= 8


# -- every problem, at every width -------------------------------------------------------------------------------------


@for_each("width", [40, 60, 61, 67, 72, 80, 93, 100, 120, 140], quick=3)
@for_each("problem", PROBLEMS, ids=lambda name: Path(name).stem)
def test_no_line_is_wider_than_the_console(problem, width):
    for way in WAYS[: 1 if width != 80 else 3]:
        for line in printed(document(problem, **way), width).splitlines():
            assert cell_len(line) <= width
            assert line == line.rstrip()


@for_each("width", [60, 80, 120], quick=3)
@for_each("problem", PROBLEMS, ids=lambda name: Path(name).stem)
def test_no_number_is_broken(problem, width):
    steps = [line for line in printed(document(problem), width).splitlines() if line.startswith("  ")]
    for line in steps:
        assert not re.search(r"\d·$|^\s*(10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]|\.\d)|[(√−]$", line)


@for_each("problem", PROBLEMS, ids=lambda name: Path(name).stem, quick=4)
def test_ascii_terminals_get_ascii(problem):
    assert printed(document(problem), encoding="ascii").isascii()


@for_each("problem", PROBLEMS, ids=lambda name: Path(name).stem, quick=4)
def test_no_escapes_without_colour(problem):
    text = printed(document(problem))
    assert "\x1b" not in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_a_pipe_gets_no_escapes():
    assert "\x1b" not in run("attncalc solve strict-mask")


def test_colours_change_nothing_but_colours():
    doc = document("strict-mask")
    coloured = printed(doc, force_terminal=True, color_system="truecolor")
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(doc)


# -- `=` and `≈` -------------------------------------------------------------------------------------------------------


def value(tree):
    """The number that a stage shows, where plain arithmetic gives it; None elsewhere."""
    match tree:
        case Number(text):
            return Fraction(text)
        case Negate(a):
            return None if value(a) is None else -value(a)
        case Binary(operator, a, b):
            x, y = value(a), value(b)
            if x is None or y is None or (operator == "/" and y == 0) or (operator == "**" and y.denominator != 1):
                return None
            return {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x / y, "**": lambda: x**y}[
                operator
            ]()
    return None


def equal_stages(block):
    """The numbers of the stages that the page joins by `=`."""
    stages = block.stages[1:] if isinstance(block, Formula) else block.stages
    for stage in stages:
        if not stage.exact:
            return
        if (number := value(stage.tree)) is not None:
            yield number


@for_each("way", WAYS, ids=str, quick=4)
@for_each("problem", PROBLEMS, ids=lambda name: Path(name).stem)
def test_what_stands_between_equals_signs_is_equal(problem, way):
    for block in document(problem, **way).flat():
        if isinstance(block, Worked | Formula):
            assert len(set(equal_stages(block))) <= 1, block


def test_rounded_numbers_are_only_nearly_equal():
    text = printed(document("two-heads-joined"), 120)
    assert "S_scaled_1[The, cat] = 2 / √2 ≈ 2 / 1.4142 ≈ 1.4142" in text
    assert "Z_1[The, 2] ≈ 0.4011 · 0 + 0.4011 · 3 + 0.1978 · 2 = 1.5989" in text
    assert "PE[pos 1, 3] = sin(1 / 10000^(2/4)) = sin(0.01) ≈ 0.0100" in printed(document("position-table-three-words"))


def test_on_paper_the_numbers_carried_on_are_exact_and_the_rounded_step_is_not():
    text = printed(document("self-attention-numerical", paper=True), 120)
    assert "S_scaled[Input 1, Input 2] = 4 / √3 ≈ 4 / 1.73205 ≈ 2.3094" in text
    assert "On paper: each result is rounded half up to 4 decimals" in text


# -- weights -----------------------------------------------------------------------------------------------------------


def weights(doc, name="A"):
    grids = [
        item for block in doc.flat() if isinstance(block, Matrices) for item in block.items if isinstance(item, Grid)
    ]
    return next(grid for grid in grids if grid.name == Name(name))


def test_a_masked_weight_is_no_tiny_one():
    doc = document("transformers-transforming-our-lives")
    first, second = weights(doc).cells[:2]
    assert (first[1].mark, second[0].mark) == ("masked", "nearly")
    setter = GridPrinter(weights(doc), PRETTY).fit(Fit(14, 14))
    assert (setter.texts[0][1], setter.texts[1][0]) == (PRETTY.hidden, "0.0000")
    assert "exactly 0: masked" in printed(doc)


def test_a_weight_that_paper_rounds_to_0_is_not_masked(tmp_path):
    path = tmp_path / "problem.yaml"
    path.write_text("title: t\nrounding: {digits: 2}\ngiven: {S: [[0, 9]]}\nsteps: {A: softmax(S)}\n")
    assert [cell.mark for cell in weights(document(str(path), paper=True)).cells[0]] == ["", ""]


@for_each("share", [0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 1])
def test_ink_is_legible_on_every_shade(share):
    def luminance(colour):
        parts = [c / 255 for c in colour.get_truecolor()]
        red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    style = Style.parse(shade(share))
    if style.bgcolor is not None:
        dark, light = sorted((luminance(style.color), luminance(style.bgcolor)))
        assert (light + 0.05) / (dark + 0.05) >= 7
    else:
        assert share < 0.005


def test_an_empty_row_is_told_even_where_the_rest_sums_to_1(tmp_path):
    doc = from_yaml(
        tmp_path, "title: t\ngiven: {S: [[0, 0], [-inf, -inf]]}\nsteps: {A: \"softmax(S, empty='zeros')\"}\n"
    )
    assert [b.text for b in doc.flat() if isinstance(b, Paragraph) and b.role == "check"] == [
        "row 2 sums to 0, every other row to 1"
    ]


def test_a_matrix_of_empty_columns_has_no_other_column(tmp_path):
    doc = from_yaml(
        tmp_path,
        'title: t\ngiven: {S: [[-inf, -inf], [-inf, -inf]]}\nsteps: {A: "softmax(S, axis=columns, empty=zeros)"}\n',
    )
    assert [b.text for b in doc.flat() if isinstance(b, Paragraph) and b.role == "check"] == ["every column sums to 0"]


def test_who_sees_whom(tmp_path):
    text = printed(document("transformers-transforming-our-lives"), 120)
    assert "“Transformers” attends to itself; “transforming” attends to “Transformers” and itself" in text
    head = "title: t\ngiven: {S: [[1, 2, 3], [4, 5, 6]]}\n"
    told = printed(from_yaml(tmp_path, head + 'steps: {M: "keep(S, causal(2, 3))"}'))
    assert "query 1 attends to key 1; query 2 attends to keys 1 and 2" in told


# -- layout ------------------------------------------------------------------------------------------------------------


def test_matrices_stand_side_by_side_where_there_is_room():
    doc = document("two-heads-joined")
    assert re.search(r"cat ⎢ 0  2  0  1 ⎥ · ⎢ 0  1 ⎥ = cat ⎢ 1  2 ⎥", printed(doc, 80))


def test_seen_matrices_stand_by_name_where_there_is_none():
    assert "A · transfo… ⎢" in printed(document("transformers-transforming-our-lives"), 80)


def test_large_matrices_are_abridged_and_say_how_large_they_are(tmp_path):
    doc = from_yaml(tmp_path, "title: t\ngiven: {X: identity(40)}\nsteps: {Y: X @ X}")
    assert "(40 × 40)" in printed(doc) and "⋮" in printed(doc)


def test_wide_matrices_are_broken_into_blocks_of_columns(tmp_path):
    doc = from_yaml(tmp_path, "title: t\ngiven: {X: 'ones(2, 20)'}\nsteps: {Y: X / 3}")
    assert printed(doc, 60).count("0.3333") >= 40


def test_numbers_wider_than_the_console_are_listed(tmp_path):
    path = tmp_path / "problem.yaml"
    path.write_text("title: t\ngiven: {X: [[1, 2]]}\nsteps: {Y: X / 3}")
    solution = solve(load(path), digits=150)
    lines = printed(solution_document(solution, solution.parts), 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert "3" * 150 in "".join(line.strip() for line in lines)


@for_each("width", range(19, 80, 7))
def test_formulas_break_at_operators(width):
    text = formula(parse("exp(1.25) / (exp(1.25) + exp(-3.5e-32) + 2 * -0.5) - S * 4"))
    lines = pieces(text, width)
    assert " ".join(lines) == text
    assert all(cell_len(line) <= width for line in lines)


def test_an_equation_has_a_side_a_line_where_it_is_too_long():
    lines = equation("Z[a, 0]", [("=", "1 · 2 + 3 · 4 + 5 · 6"), ("≈", "44.0000")], 30)
    assert lines == [["Z[a, 0]", "=", "1 · 2 + 3 · 4"], [" " * 7, " ", "+ 5 · 6"], [" " * 7, "≈", "44.0000"]]


def test_shortened_labels_are_still_told_apart():
    assert shorten_labels(["Transformers", "transforming", "our"], [6, 6, 6], "…") == ["Trans…", "trans…", "our"]
    assert shorten_labels(["Input 1", "Input 2"], [5, 5], "…") == ["Input 1", "Input 2"]


@for_each("text", ["\x1b[31mred", "a\x07b", "a\rb", "a\u202eb", "a\x9bb", "a\u200bb"])
def test_control_characters_are_neutralised(text):
    assert clean(text).isprintable()
    assert clean(text, plain=True).isascii()


# -- notation ----------------------------------------------------------------------------------------------------------


@for_each("name", sorted(functions()))
def test_every_function_has_a_notation(name):
    arguments = tuple(Name("ABCDEF"[k]) for k, p in enumerate(functions()[name].parameters) if p.default is None) or (
        Name("A"),
    )
    for notation in (UNICODE, ASCII):
        text = notation.formula(Call(name, arguments))
        assert all(argument.name in text for argument in arguments)
        assert "{" not in text
    assert text.isascii()


@pytest.mark.parametrize(
    ("lesson", "options", "said"),
    [
        (
            "rotary",
            "{}",
            "positions are counted from 0 · layout interleaved (neighbours form a pair) · sign 1 "
            "(pairs are rotated counter-clockwise)",
        ),
        (
            "rotary",
            "{sign: -1, layout: halves}",
            "layout halves (a pair has one feature from each half) · sign −1 (pairs are rotated clockwise)",
        ),
        ("positional_encoding", "{}", "layout interleaved (sine and cosine alternate)"),
        ("sparse_attention", "{window: 1, links: 1-3 0-2}", "links 1-3 0-2"),
    ],
)
def test_a_convention_is_said_in_words(tmp_path, lesson, options, said):
    names = "QKV" if "attention" in lesson else "X"
    givens = ", ".join(f"{name}: [[1, 0], [2, 1], [0, 1], [1, 1]]" for name in names)
    assert said in printed(from_yaml(tmp_path, f"given: {{{givens}}}\n{lesson}: {options}\n"), 400)


@for_each(
    ("text", "pretty", "plain"),
    [
        ("Q @ K.T / sqrt(d_k)", "Q · Kᵀ / √d_k", "Q . K^T / sqrt(d_k)"),
        ("keep(S, causal(3, 3))", "S where j ≤ i, −∞ elsewhere", "S where j <= i, -inf elsewhere"),
        (
            "keep(S, band(3, 3, 1), fill=-1e9)",
            "S where |i − j| ≤ 1, −10⁹ elsewhere",
            "S where |i - j| <= 1, -1e9 elsewhere",
        ),
        ("2 * -3 + -0.5 * x", "2 · (−3) + (−0.5) · x", "2 * (-3) + (-0.5) * x"),
        ("a - (b - c)", "a − (b − c)", "a - (b - c)"),
        ("x ** 2 / 10000 ** (2 / 4)", "x² / 10000^(2/4)", "x^2 / 10000^(2/4)"),
        ("hstack(Z_1, Z_2)", "[Z_1 | Z_2]", "[Z_1 | Z_2]"),
        ("maximum(maximum(a, b), 0)", "max(a, b, 0)", "max(a, b, 0)"),
        ("log(x) + log2(x)", "ln(x) + log₂(x)", "ln(x) + log2(x)"),
        ("gamma * pi", "γ · π", "gamma * pi"),
    ],
)
def test_notation(text, pretty, plain):
    assert formula(parse(text)) == pretty
    assert ASCII.formula(parse(text)) == plain


def test_numbers_in_notation():
    assert number("-7.9e-32") == "−7.9·10⁻³²"
    assert number("-inf") == "−∞"
    assert UNICODE.small.formula(parse("1 / (3 + 2 * exp(50))")) == "1/(3 + 2·exp(50))"


@for_each(("taken", "told"), [
    ("S", True), ("S.T", True), ("softmax(S)", False), ("[[1/2, 1/2], [1/3, 2/3]]", False), ("[[0.5, 0.5], [1, 0.1]]", True),
])  # fmt: skip
@for_each("function", ["cross_entropy({}, [0, 1])", "entropy({})"])
def test_scores_in_the_place_of_probabilities_are_told_below_the_step(function, taken, told):
    solution = solve(load({"given": {"S": [["1.5", "2"], ["1", "1"]]}, "steps": {"L": function.format(taken)}}))
    page = printed(solution_document(solution, solution.parts, None, False), width=200)
    assert ("does not sum to 1" in page) == told


# -- long solutions: steps like earlier ones are short, and no matrix is lost ------------------------------------------


@cache
def solved_document(name, **way):
    solution = solved(name)
    return solution_document(solution, solution.parts, **way)


def every(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from every(block.blocks)


def matrices(blocks):
    """The matrices by their names and numbers, a transposed one as what it is made of."""
    for block in every(blocks):
        for grid in block.grids if isinstance(block, Short) else block.items if isinstance(block, Matrices) else ():
            if isinstance(grid, Grid) and not isinstance(grid.name, Transpose):
                yield unparse(grid.name), tuple(tuple(cell.text for cell in row) for row in grid.cells)


@pytest.mark.parametrize("name", ["encoder-layer-small", "order-of-the-tokens"])
def test_no_matrix_and_no_formula_is_lost(name):
    whole = solved_document(name)
    blocks = compact(whole)
    assert any(isinstance(block, Short) for block in every(blocks))
    numbers = {cells for _, cells in matrices(blocks)}
    lost = {(step, cells) for step, cells in matrices(whole.blocks) if cells not in numbers}
    assert not lost
    formulas = [unparse(block.name) for block in whole.flat() if isinstance(block, Formula)]
    kept = []
    for block in every(blocks):
        kept += [
            unparse(one.name)
            for one in (block.formulas if isinstance(block, Short) else [block] if isinstance(block, Formula) else [])
        ]
    assert kept == formulas


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("width", "most"), [(80, 270), (100, 245), (120, 225)])
def test_two_encoder_layers_fit_some_screens(width, most):
    found = lines(solved_document("encoder-layer-small"), width, PRETTY)
    assert len(found) <= most and max(len(plain(line)) for _, line in found) <= width


@pytest.mark.sweep(quick=0)
def test_short_solutions_and_full_ones_are_left_alone():
    short, full = solved_document("look-ahead-mask"), solved_document("order-of-the-tokens", explain="full")
    assert compact(short) == short.blocks and compact(full) == full.blocks
    assert sum(isinstance(block, Formula) for block in short.flat()) <= FEW
