"""Ways of typing a number or a matrix: each is read as what was meant or refused with a place, and never read as
another number.

The lists were written before the readers were looked at: what students type by hand, paste from calculators and word
processors, or print from programs. `REFUSED` stands where two readings are possible; a message then says where.
"""

from __future__ import annotations

import json
from fractions import Fraction as F

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.laws import examples
from tests.support.sweeps import for_each

REFUSED = "refused"
BLANK = None

ENTRIES = [
    # plain decimals
    ("0.67", F("0.67")), ("-0.67", F("-0.67")), ("+0.67", F("0.67")), (".67", F("0.67")), ("-.67", F("-0.67")),
    ("67.", F(67)),
    ("0.670", F("0.67")), ("00.67", F("0.67")), ("0", F(0)), ("-0", F(0)), ("-0.00", F(0)), ("12", F(12)),
    ("1e3", F(1000)), ("0.67`", F("0.67")), ("0.67`5.2", F("0.67")), ("-6.7`*^-1", F("-0.67")), ("2.*^3", F(2000)),
    # minus signs, and blanks behind them
    ("−0.67", F("-0.67")), ("–0.67", F("-0.67")), ("－0.67", F("-0.67")), ("﹣0.67", F("-0.67")), ("- 0.67", F("-0.67")),
    ("− 0.67", F("-0.67")), ("-\u2009" + "0.67", F("-0.67")), ("-\u00a0" + "0.67", F("-0.67")), ("-  0.67", F("-0.67")),
    ("+ 0.67", F("0.67")),
    ("-\\,0.67", F("-0.67")), ("-\\;0.67", F("-0.67")), ("-\\ 0.67", F("-0.67")), ("-\\!0.67", F("-0.67")),
    ("-~0.67", F("-0.67")),
    ("{-}0.67", F("-0.67")), ("-{0.67}", F("-0.67")), ("$-0.67$", F("-0.67")), ("$-\\,0.67$", F("-0.67")),
    ("(-0.67)", F("-0.67")),
    ("- 2", F(-2)), ("- 1/2", F(-1, 2)), ("--0.67", REFUSED), ("+-0.67", REFUSED), ("- -0.67", REFUSED),
    ("0.67-", REFUSED), ("—0.67", F("-0.67")),
    ("\u2010" + "0.67", F("-0.67")), ("\u2011" + "0.67", F("-0.67")), ("\u2012" + "0.67", F("-0.67")),
    ("˗0.67", F("-0.67")), ("⁻0.67", F("-0.67")), ("➖0.67", F("-0.67")), ("~0.67", REFUSED),
    # decimal points of other kinds
    ("0,67", F("0.67")), ("-0,67", F("-0.67")), ("1,234", REFUSED), ("12,5", F("12.5")), ("0·67", REFUSED), ("1·41", REFUSED),
    ("0‧67", REFUSED),
    ("0∙67", REFUSED), ("0•67", REFUSED), ("0⋅67", REFUSED), ("0˙67", REFUSED), ("0’67", REFUSED), ("0'67", REFUSED),
    ("0:67", REFUSED),
    ("0\\cdot67", REFUSED), ("0 \\cdot 67", REFUSED), ("1\\cdot 41", REFUSED), ("0 . 67", REFUSED), ("0. 67", REFUSED),
    ("0 .67", REFUSED),
    ("0..67", REFUSED), ("0.6.7", REFUSED), ("0;67", REFUSED), ("0。67", REFUSED), ("0．67", REFUSED), ("0٫67", REFUSED),
    ("0_67", REFUSED),
    ("0{,}67", F("0.67")), ("$0{,}67$", F("0.67")), ("-0{,}67", F("-0.67")), ("0{.}67", F("0.67")), ("0^67", F(0)),
    ("0*67", F(0)),
    # zeros in front, thousands
    ("067", REFUSED), ("-067", REFUSED), ("007", F(7)), ("000", F(0)), ("1.234,5", REFUSED), ("1,234.5", REFUSED),
    ("1.234.567", REFUSED),
    ("1,234,567", REFUSED), ("1 234", REFUSED), ("1 234.5", REFUSED), ("1 234,5", REFUSED),
    ("1\u2009" + "234.5", REFUSED), ("1'234.5", REFUSED),
    ("1’234", REFUSED), ("1_000", REFUSED), ("1\u00a0234", REFUSED), ("1{,}234.5", REFUSED),
    # digits of other scripts, letters for digits
    ("١٢", REFUSED), ("٠٫٦٧", REFUSED), ("０．６７", REFUSED), ("１２", REFUSED), ("१२", REFUSED), ("O.67", REFUSED),
    ("0.6O", REFUSED), ("l.5", REFUSED),
    ("1.S", REFUSED), ("²", REFUSED), ("0.6₇", REFUSED), ("𝟏𝟐", REFUSED), ("零", REFUSED),
    # fractions and mixed numbers
    ("1/2", F(1, 2)), ("-1/2", F(-1, 2)), ("1 / 2", F(1, 2)), ("\\frac{1}{2}", F(1, 2)), ("\\frac12", F(1, 2)),
    ("-\\frac{1}{2}", F(-1, 2)),
    ("\\dfrac{-1}{2}", F(-1, 2)), ("(1)/(2)", F(1, 2)), ("1 + 1/2", F(3, 2)), ("1\\frac{1}{2}", REFUSED),
    ("-1\\frac{1}{2}", REFUSED),
    ("1 \\frac{1}{2}", REFUSED), ("1\\,\\frac{1}{2}", REFUSED), ("1\\tfrac12", REFUSED), ("1 1/2", REFUSED),
    ("-1 1/2", REFUSED), ("1-1/2", F(1, 2)),
    ("1(1/2)", REFUSED), ("½", F(1, 2)), ("-⅝", F(-5, 8)), ("—¼", F(-1, 4)), ("1½", REFUSED), ("1 ½", REFUSED), ("½½", REFUSED), ("0.5½", REFUSED),
    ("1⁄2", F(1, 2)), ("1∕2", F(1, 2)), ("1÷2", F(1, 2)), ("1 1⁄2", REFUSED),
    ("1:2", REFUSED),
    ("1/2/3", F(1, 6)), ("1//2", REFUSED), ("1/0", REFUSED), ("1\\over 2", REFUSED),
    # roots whose place in a fraction is not clear
    ("1/2√2", REFUSED), ("1/2 √2", REFUSED), ("1/2\\sqrt{2}", REFUSED), ("1/2sqrt(2)", REFUSED), ("1/2pi", REFUSED),
    ("1/2e", REFUSED),
    ("1/2(3)", REFUSED), ("2√2/4√2", REFUSED), ("1/√2√2", REFUSED),
    # powers of ten, percent
    ("1.5e-3", F("0.0015")), ("1.5E-03", F("0.0015")), ("1.5e+00", F("1.5")), ("1.e+00", F(1)), ("1.5e−3", F("0.0015")),
    ("1.5·10^-3", F("0.0015")),
    ("1.5 × 10^{-3}", F("0.0015")), ("1.5 \\cdot 10^{-3}", F("0.0015")), ("1.5\\times10^{-3}", F("0.0015")),
    ("1.5*10**-3", F("0.0015")),
    ("1.5 x 10^-3", F("0.0015")), ("1.5·10⁻³", F("0.0015")), ("1.5e-3.5", REFUSED), ("1.5 10^-3", REFUSED),
    ("1.5D-03", REFUSED), ("1.5e", REFUSED),
    ("1,5e-3", F("0.0015")), ("1.5 e-3", REFUSED), ("1.5e - 3", REFUSED), ("10^-3", F("0.001")), ("67%", F("0.67")),
    ("67 %", F("0.67")),
    ("67\\%", F("0.67")), ("6,7%", F("0.067")), ("67‰", REFUSED), ("0x1F", REFUSED), ("0b11", REFUSED), ("1_0e1", REFUSED),
    # doubt, ranges, periods, units
    ("≈0.67", F("0.67")), ("\\approx 0.67", F("0.67")), ("0.67?", REFUSED), ("0.6…", REFUSED), ("0.6...", REFUSED),
    ("0.(6)", REFUSED),
    ("0.\\overline{6}", REFUSED), ("0.6̅", REFUSED), ("0.67±0.01", REFUSED), ("0.67 or 0.68", REFUSED),
    ("<0.67", REFUSED), (">0.67", REFUSED),
    ("0.67 m", REFUSED), ("0.67j", REFUSED), ("0.67f", REFUSED), ("0.66-0.68", REFUSED), ("=0.67", REFUSED),
    ("\"0.67\"", F("0.67")), ("“0.67”", F("0.67")), ("'0.67'", F("0.67")), ("\"0.67", REFUSED), ("\"0.67\" \"0.5\"", REFUSED),
    ("0.67, 0.33", REFUSED), ("0.67 0.33", REFUSED), ("0.5\\\\0.6", REFUSED), ("nan", REFUSED), ("0.67!", REFUSED),
    ("#DIV/0!", REFUSED),
    ("0.71 and 1.41", REFUSED), ("0.71 and -1.41", REFUSED), ("1 or 2", REFUSED), ("(0.71 -1.41)", REFUSED),
    ("( 0.71 -1.41 )", REFUSED),
    ("(1 -2)", REFUSED), ("1 - 2", F(-1)), ("(1 - 2)", F(-1)), ("0.6 7", REFUSED), ("0.67.", REFUSED),
    ("0.67 (rounded)", F("0.67")), ("1e999999999", REFUSED), ("S", REFUSED), ("2 3", REFUSED),
    # blanks and crossed cells
    ("", BLANK), ("_", BLANK), ("?", BLANK), ("-", BLANK), ("–", BLANK), ("—", BLANK), ("−", BLANK), ("--", BLANK),
    ("---", BLANK), ("x", BLANK), ("X", BLANK),
    ("×", BLANK), ("✗", BLANK), ("✘", BLANK), ("\\times", BLANK), ("$\\times$", BLANK), ("null", BLANK),
    ("None", BLANK), ("/", BLANK), ("\\", REFUSED),
    ("xx", REFUSED), ("x1", REFUSED), ("-x", REFUSED), ("•", REFUSED),
    # formatting kept by word processors
    ("**0.67**", F("0.67")), ("`0.67`", F("0.67")), ("\\mathbf{0.67}", F("0.67")), ("\\text{0.67}", F("0.67")),
    ("\\boxed{0.67}", F("0.67")),
    ("\u200b0.67", F("0.67")), ("0.\u00ad67", REFUSED), ("\u00ad0.67", REFUSED), ("\u00ad.67", REFUSED), ("~~0.67~~", REFUSED), ("\\phantom{-}0.67", F("0.67")),
]  # fmt: skip


def number(text: str):
    """What the one cell of a script is read as; REFUSED with its place where it is not."""
    script = "answers: {S: [[1, " + json.dumps(text, ensure_ascii=False) + "]]}"
    try:
        (answer,) = read(script, "a.yaml").answers
    except AttncalcError as error:
        assert all(fault.place.line == 1 and fault.message for fault in error.faults)
        return REFUSED
    typed = answer.rows[0][1]
    if typed is not None and typed.word:
        return REFUSED  # it stands there as a word, which is a wrong answer
    assert answer.rows[0][0].value == 1 and len(answer.rows[0]) == 2
    return None if typed is None else (F(int(typed.value.p), int(typed.value.q)) if typed.value is not None else typed)


@for_each(("text", "meant"), ENTRIES, quick=100)
def test_a_number_is_read_as_it_was_meant_or_refused(text, meant):
    found = number(text)
    if found != REFUSED or meant == BLANK:
        assert found == meant


@for_each(("text", "meant"), [(text, meant) for text, meant in ENTRIES if meant != REFUSED], quick=40, ci=True)
def test_what_has_one_meaning_is_read(text, meant):
    assert number(text) == meant


# -- matrices ----------------------------------------------------------------------------------------------------------

MATRICES = [
    # masked cells left blank or crossed out, and a triangle without its other half
    ("a.yaml", 'S: [["1.5", ""], [2, 3]]', [["1.5", BLANK], [2, 3]]),
    ("a.yaml", "S: [[1.5, null], [2, 3]]", [["1.5", BLANK], [2, 3]]),
    ("a.yaml", 'S: [[1.5, x], [2, "-"]]', [["1.5", BLANK], [2, BLANK]]),
    ("a.yaml", "S: [[1.5], [2, 3]]", [["1.5", BLANK], [2, 3]]),
    ("a.yaml", "S: |\n  1.5 -\n  2 3", [["1.5", BLANK], [2, 3]]),
    ("a.yaml", "S: |\n  1.5\n  2 3", [["1.5", BLANK], [2, 3]]),
    ("a.md", "S =\n1.5 x\n2 3\n", [["1.5", BLANK], [2, 3]]), ("a.md", "S =\n| 1.5 | - |\n|---|---|\n", [["1.5", BLANK]]),
    ("a.md", "S =\n\n| | |\n|---|---|\n| 1.5 | × |\n| 2 | 3 |\n", [["1.5", BLANK], [2, 3]]),
    ("a.tex", "S = \\begin{bmatrix} 1.5 & \\times \\\\ 2 & 3 \\end{bmatrix}", [["1.5", BLANK], [2, 3]]),
    ("a.tex", "S = \\begin{bmatrix} 1.5 & \\\\ 2 & 3 \\end{bmatrix}", [["1.5", BLANK], [2, 3]]),
    ("a.tex", "S = \\begin{bmatrix} 1.5 & - \\\\ 2 & 3 \\end{bmatrix}", [["1.5", BLANK], [2, 3]]),
    # minus signs with blanks
    ("a.yaml", "S: [[- 1.5, 1], [2, - 3]]", [["-1.5", 1], [2, -3]]),
    ("a.yaml", "S: [[− 1.5, 1], [2, −3]]", [["-1.5", 1], [2, -3]]),
    ("a.md", "S = [[- 1.5, 1], [2, - 3]]", [["-1.5", 1], [2, -3]]), ("a.md", "S = [[- 1.5 1], [2 - 3]]", REFUSED),
    ("a.yaml", "S: |\n  - 1.5 1\n  2 3", REFUSED),
    ("a.tex", "S = \\begin{pmatrix} -\\,1.5 & 1 \\\\ 2 & - 3 \\end{pmatrix}", [["-1.5", 1], [2, -3]]),
    ("a.md", "S = [[- 1.5]]", [["-1.5"]]), ("a.md", "S = [[- 1.5], [2]]", [["-1.5"], [2]]),
    ("a.md", "S = [[- 1.5], [2 3]]", REFUSED),
    ("a.md", "S = - 1.5", [["-1.5"]]), ("a.md", "S =\n- 1.5\n2\n", [["-1.5"], [2]]),
    ("a.md", "S =\n2\n− 1.5\n", [[2], ["-1.5"]]),
    ("a.md", "S =\n- 1.5\n- 2\n", REFUSED), ("a.md", "S =\n- 1.5\n2 3\n", REFUSED),
    ("a.md", "S =\n1.5 – –\n2 3 –\n4 5 6\n", [["1.5", BLANK, BLANK], [2, 3, BLANK], [4, 5, 6]]),
    ("a.md", "S =\n1.5 . .\n2 3 .\n4 5 6\n", REFUSED), ("a.md", "S =\n1.5 * *\n2 3 *\n4 5 6\n", REFUSED),
    # decimal commas
    ("a.yaml", "S: |\n  1,5; 0,67\n  2; 3", [["1.5", "0.67"], [2, 3]]),
    ("a.yaml", "S: |\n  1,250; 0,670\n  2; 3", [["1.25", "0.67"], [2, 3]]),
    ("a.yaml", "S: |\n  1,250; 2,670\n  2; 3", REFUSED),
    ("a.yaml", "S: |\n  1,5\t0,67\n  2\t3", [["1.5", "0.67"], [2, 3]]), ("a.yaml", "S: |\n  1,5 0,67\n  2 3", [["1.5", "0.67"], [2, 3]]),
    ("a.md", "S =\n1,5\t0,67\n2\t3\n", [["1.5", "0.67"], [2, 3]]), ("a.md", "S = [[1,5, 0,67], [2, 3]]", REFUSED),
    ("a.csv", "step;row;column;value\nS;0;0;1,5\nS;0;1;-0,67\n", [["1.5"]]),
    ("a.csv", "S[0,0];S[0,1]\n1,5;0,67\n", [["1.5"]]),
    ("a.tex", "S = \\begin{pmatrix} 1{,}5 & 0{,}67 \\\\ 2 & 3 \\end{pmatrix}", [["1.5", "0.67"], [2, 3]]),
]  # fmt: skip


MIXED = {  # the cell in which two readings are possible, beside one with a decimal comma
    "tabs": ("a.md", "S =\n{}\t−0,08\n1\t3,5\n"), "semicolons": ("a.md", "S =\n{}; -0,08\n1; 3.5\n"),
    "Markdown": ("a.md", "S =\n\n| | |\n|---|---|\n| {} | -0,08 |\n| 1 | 3.5 |\n"),
    "LaTeX": ("a.tex", "$S = \\begin{{pmatrix}} {} & −0,08 \\\\ 1 & 3.5 \\end{{pmatrix}}$"),
    "web page": ("a.html", "<p>S =</p><table><tr><td>{}</td><td>−0,08</td></tr><tr><td>1</td><td>3.5</td></tr></table>"),
    "YAML": ("a.yaml", 'answers: {{S: [["{}", "-0,08"], ["1", "3.5"]]}}'),
    "CSV": ("a.csv", "S[0,0];S[0,1];S[1,0];S[1,1]\n{};-0,08;1;3.5\n"),
    "CSV by entries": ("a.csv", "step;row;column;value\nS;0;0;{}\nS;0;1;-0,08\nA;0;0;1\nA;0;1;3.5\n"),
    "CSV by entries, commas": ("a.csv", 'step,row,column,value\nS,0,0,"{}"\nS,0,1,"-0,08"\nS,1,0,1\nS,1,1,3.5\n'),
    "steps of a table": ("a.csv", "S;\n{}\nA;\n-0,08;1;3.5\n"),
}  # fmt: skip


@for_each("cell", ["2.469", "-12.500", "1.000"])
@for_each("name", MIXED)
def test_a_point_before_three_digits_beside_a_decimal_comma_costs_its_cell_alone(name, cell):
    """2.469 may be two thousand there; a cell with one reading is read whatever its mark."""
    source, text = MIXED[name]
    script = read(text.format(cell), source, lenient=True)
    found = [typed and typed.value for answer in script.answers for row in answer.rows for typed in row]
    assert found[0] is None if len(found) == 4 else len(found) == 3
    assert [F(int(x.p), int(x.q)) for x in found if x is not None] == [F("-0.08"), F(1), F("3.5")]
    assert [f"{cell} or {cell.replace('.', '')}" in str(piece.fault) for piece in script.unread] == [True]


@pytest.mark.parametrize(
    "text", ["S =\n2.469 −0,008\n1 3.5\n", "S = [[2.469, −0,008], [1, 3.5]]", "S = [2.469; −0,008; 1; 3.5]"]
)
def test_a_decimal_comma_where_commas_may_part_entries_is_not_read_as_two(text):
    script = read(text, "a.md", lenient=True)
    found = [typed.text for answer in script.answers for row in answer.rows for typed in row if typed]
    assert script.unread and not {"008", "−0", "0"} & {*found} or len({len(row) for row in script.answers[0].rows}) > 1


HOLD_DECIMALS = ("float", "np.float32", "torch.float64", "torch.half", "torch.bfloat16", "object", "'f8'", "None")
HOLD_WHOLE = ("int", "np.int64", "torch.long", "'i4'", '"int32"', "np.uint8", "bool", "torch.int")


@for_each("kind", [*HOLD_DECIMALS, *HOLD_WHOLE])
@for_each("make", ["np.array([[{}, 1], [2, 3]], dtype={})", "torch.tensor({}, dtype={})"])
@for_each("cell", ["0.5", "-7/2", "2", "-3", "4.0"])
@for_each("source", ["a.md", "a.yaml"])
def test_an_array_of_whole_numbers_holds_no_decimals(source, cell, make, kind):
    """Python makes 0 of 0.5 there, so that what is typed is not what the array holds."""
    text = make.format(cell, kind)
    found = numbers(f"answers:\n  S: {text}" if source == "a.yaml" else f"S = {text}", source)
    is_whole = F(cell).denominator == 1
    assert found == REFUSED if kind in HOLD_WHOLE and not is_whole else found[0][0] == F(cell)


def numbers(text: str, source: str):
    """What the first matrix of a script is read as."""
    try:
        answers = read(text, source).answers
    except AttncalcError as error:
        assert all(fault.message for fault in error.faults)
        return REFUSED
    assert answers
    return [
        [None if typed is None else F(int(typed.value.p), int(typed.value.q)) for typed in row]
        for row in answers[0].rows
    ]


@for_each(("source", "text", "meant"), MATRICES)
def test_a_matrix_is_read_as_it_was_meant_or_refused(source, text, meant):
    wanted = meant if meant == REFUSED else [[None if x is None else F(x) for x in row] for row in meant]
    assert numbers(text, source) == wanted


AS_MEANT = [["1.5", "0.25"], [2, -3]]
PRINTS = {
    "Wolfram": "{{1.5, 0.25}, {2, -3}}", "Wolfram in lines": "{{1.5, 0.25},\n {2, -3}}",
    "tuples": "((1.5, 0.25), (2, -3))", "list of tuples": "[(1.5, 0.25), (2, -3)]",
    "fractions in tuples": "((3/2, (1/4)), (2, -(3)))", "MATLAB": "[1.5 0.25; 2 -3]",
    "Julia": "[1.5 0.25; 2 -3]", "a Julia print": "2×2 Matrix{Float64}:\n 1.5   0.25\n 2.0  -3.0",
    "SymPy": "Matrix([[3/2, 1/4], [2, -3]])", "SymPy in lines": "Matrix([\n[3/2, 1/4],\n[  2,  -3]])",
    "tall": "⎡1.5  0.25⎤\n⎢         ⎥\n⎣ 2    -3 ⎦", "Excel": "1.5\t0.25\n2\t-3",
    "R": "     [,1]  [,2]\n[1,]  1.5  0.25\n[2,]  2.0 -3.00", "NumPy": "[[ 1.5   0.25]\n [ 2.   -3.  ]]",
    "repr": "array([[ 1.5 ,  0.25],\n       [ 2.  , -3.  ]])",
    "float32": "array([[ 1.5 ,  0.25],\n       [ 2.  , -3.  ]], dtype=float32)",
    "JAX": "Array([[ 1.5 ,  0.25],\n       [ 2.  , -3.  ]], dtype=float32)",
    "torch": "tensor([[ 1.5000,  0.2500],\n        [ 2.0000, -3.0000]], grad_fn=<MmBackward0>)",
    "cuda": "tensor([[ 1.5000,  0.2500], [ 2.0000, -3.0000]], device='cuda:0')",
    "TensorFlow": "tf.Tensor(\n[[ 1.5   0.25]\n [ 2.   -3.  ]], shape=(2, 2), dtype=float32)",
    "scientific": "[[1.5e+00 2.5e-01]\n [2.e+00 -3.e+00]]",
    "np.float64": "[[np.float64(1.5), np.float64(0.25)], [np.float64(2.0), np.float64(-3.0)]]",
    "pandas": "     0     1\n0  1.5  0.25\n1  2.0 -3.00",
}  # fmt: skip


@pytest.mark.sweep(quick=40, ci=True)
@pytest.mark.parametrize("name", PRINTS)
@pytest.mark.parametrize("lead", ["S = {}\n", "S =\n{}\n", "S:\n\n{}\n\nA =\n1 0\n", "# S\n\n```\n{}\n```\n"])
def test_what_programs_print_is_read(name, lead):
    if lead == "S = {}\n" and name in ("R", "pandas", "tall", "a Julia print", "Excel"):
        pytest.skip("such a print begins a line of its own")
    wanted = [[F(x) for x in row] for row in AS_MEANT]
    assert numbers(lead.format(PRINTS[name]), "a.md") == wanted
    assert (
        numbers("answers:\n  S: |2\n" + "\n".join(f"    {line}" for line in PRINTS[name].split("\n")) + "\n", "a.yaml")
        == wanted
    )


@for_each("text", [
    "S =\n\n   1.0e+03 *\n\n    0.0015    1.0000\n", "S =\n      [,1]\n[1,] 1.5\n      [,2]\n[1,] 0.25\n",
    "S =\n⎡1  1⎤\n⎢─  ─⎥\n⎣2  4⎦\n",
    "S =\n  Columns 1 through 2\n 1 2\n", "S = {{1.5, 0.25}, {2, -3}\n", "S = array([[1.5, ..., 2]])",
])  # fmt: skip
def test_prints_that_leave_something_open_are_refused(text):
    assert numbers(text, "a.md") == REFUSED


HEADINGS = {
    "S": ["S =", "S:", "S ≈", "$S \\approx$", "scores:", "Scores =", "attention scores:", "QKᵀ =", "QK^T =", "Q K^T =",
        "Q K^{T} =", "$QK^\\top =$", "Q @ K.T ="],
    "S_scaled": ["scaled scores:", "QKᵀ/√d_k =", "QK^T / sqrt(d_k) =", "$\\frac{QK^T}{\\sqrt{d_k}} =$", "S_scaled ≈"],
    "A": ["A ≈", "attention weights:", "Attention weights =", "weights:", "A", "softmax(QKᵀ/√d_k) =", "softmax(QK^T) =",
        "softmax(Q K^T / sqrt(3)) =", "$\\text{softmax}\\left(\\frac{QK^T}{\\sqrt{d_k}}\\right) =$"],
    "Z": ["output:", "Output =", "attention output:", "AV =", "A V =", "context:", "softmax(QKᵀ/√d_k) V ="],
}  # fmt: skip
HEADS = {
    "Q_1": ["Q1 =", "Q_1 =", "Q_{1} =", "Head 1\n\nQ =", "## Head 1\n\nQ ="],
    "Z_2": ["Head 2:", "head_2 =", "## Head 2\n", "Z2 =", "Head 2\nZ ="],
}


@for_each(("step", "heading"), [(step, one) for step, many in HEADINGS.items() for one in many])
def test_a_step_is_found_by_what_students_call_it(step, heading):
    problem = load(
        {
            "given": {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 1]], "V": [[1, 2], [3, 4]]},
            "attention": {"mask": "causal"},
        }
    )
    (filled,) = bind(read(f"{heading}\n[[1, 0], [0.5, 0.5]]\n", "a.md"), problem).steps
    assert filled.step.key == step
    (filled,) = bind(read(f"{heading.strip('$')} [[1, 0], [0.5, 0.5]]\n", "a.md"), problem).steps
    assert filled.step.key == step


@for_each(("line", "step"), [
    ("Scaled scores", "S_scaled"), ("**Attention weights**", "A"), ("> A", "A"), ("julia> A", "A"), (">> A =", "A"),
    ("Attention weights A", "A"), ("## Attention weights (A)", "A"), ("**A (attention weights)**", "A"),
    ("Output Z:", "Z"), ("Values V", "V"), (">> A = exp(S)./sum(exp(S), 2)\n\nA =", "A"),
    ("julia> A = exp.(S) ./ sum(exp.(S), dims=2)\n2×2 Matrix{Float64}:", "A"), ("In[3]:= A\nOut[3]=", "A"), ("\\[ A \\approx", "A"), ("So we get A ≈", "A"), ("QKᵀ", "S"),
])  # fmt: skip
def test_a_step_is_found_in_a_line_of_its_own_and_behind_a_prompt(line, step):
    rows = "[[1, 0], [0.5, 0.5]]"
    if "approx" in line:
        line, rows = f"{line} ", "\\begin{pmatrix} 1 & 0 \\\\ 0.5 & 0.5 \\end{pmatrix}"
    beside = " " if line.endswith(("=", "≈", " ")) else "\n"
    (answer,) = read(f"{line}{beside}{rows}", "a.md").answers
    assert answer.step == step and [cell.text for row in answer.rows for cell in row] == ["1", "0", "0.5", "0.5"]


LATEX_NAMES = {
    "S_scaled_1": ["S_{\\text{scaled},1} =", "$S_{\\mathrm{scaled}, 1}$ =", "S_{scaled,1} =", "S\\_scaled\\_1 =",
        "S_{1,\\text{scaled}} =", "\\mathbf{S}_{\\text{scaled},1} ="],
    "Q_2": ["Q\\_2 =", "**Q\\_2**\n", "## Q\\_2\n", "$Q^{(2)}$ =", "\\mathbf{Q}_2 =", "\\mathbf{Q}_{2} ="],
}  # fmt: skip


@for_each(
    ("step", "heading"), [(step, one) for names in (HEADS, LATEX_NAMES) for step, many in names.items() for one in many]
)
def test_a_name_or_a_number_is_found_as_headings_and_latex_write_it(step, heading):
    ones = [[1, 0, 0, 1]] * 4
    given = {"X": [[1, 0, 1, 0], [0, 1, 0, 1]], "W_Q": ones, "W_K": ones, "W_V": ones, "W_O": ones}
    (filled,) = bind(
        read(f"{heading}\n[[1, 0], [0.5, 0.5]]\n", "a.md"), load({"given": given, "multi_head_attention": {"heads": 2}})
    ).steps
    assert filled.step.key == step


HEAD = {
    "given": {"X": [[1, 0], [0, 1]], "W_Q": [[1, 2], [3, 4]], "W_K": [[1, 1], [3, 4]], "W_V": [[1, 2], [3, 5]]},
    "self_attention": {},
}
PROSE = [
    "",
    "so that ",
    "The matrix ",
    "Attention weights ",
    "Step 2: ",
    "Head 1, ",
    "(b) ",
    "head 1 ",
    "result – ",
    "2. ",
]


def read_as(text):
    """The steps that a text answers; REFUSED where it is refused with a place."""
    try:
        return [filled.step.key for filled in bind(read(text, "a.md"), load(HEAD)).steps]
    except AttncalcError as error:
        assert all(fault.place.line == 1 and fault.message for fault in error.faults)
        return REFUSED


@examples(100)
@given(
    left=st.sampled_from(
        [
            "Q",
            "K",
            "2",
            "W_Q",
            "dQ",
            "X^2",
            "QK^T",
            "softmax(S)",
            "S_scaled",
            "-",
            "3 Q",
            "weights +",
            "√2",
            "\\sqrt{2}",
        ]
    ),
    sign=st.sampled_from([" + ", "+", " - ", " * ", " ", " @ ", " / ", " · ", " \\cdot ", ", "]),
    name=st.sampled_from(["K", "Q", "A", "Z", "S_scaled"]),
    lead=st.sampled_from(["", "- ", "so ", "$", "(a) ", "Then: "]),
)
def test_law_a_formula_is_never_read_as_the_name_that_ends_it(left, sign, name, lead):
    assume(left != "-" or sign not in (" ", " * "))  # `- K` is an item of a list, `- * K` one of a list within a list
    assume((left, sign) != ("2", ", "))  # `2, K` is numbered
    assert read_as(f"{lead}{left}{sign}{name} = [[1, 2], [3, 4]]") in (REFUSED, [])


@for_each("lead", ["row 1 of ", "Row 0 of ", "first row of ", "the second column of matrix ", "so row 2 of $"])
def test_one_row_in_words_is_not_read_as_the_whole(lead):
    assert read_as(f"{lead}Q = [[1, 2]]") == REFUSED


@for_each("lead", PROSE)
def test_a_name_behind_prose_is_read(lead):
    assert read_as(f"{lead}A = [[1, 2], [3, 4]]") == ["A"]


@for_each(
    ("formula", "step"),
    [("X W_Q", "Q"), ("X @ W_K", "K"), ("X · W_V", "V"), ("$X W_Q$", "Q"), ("Q K^T", "S"), ("so X W_Q", "Q")],
)
def test_the_formula_of_a_step_stands_for_its_name(formula, step):
    assert read_as(f"{formula} = [[1, 2], [3, 4]]") == [step]


def test_a_cell_too_many_is_a_wrong_shape_and_not_a_fault():
    long = "step,row,column,value\n" + "".join(f"Q,{i},{j},1\n" for i in range(2) for j in range(3)) + "K,0,0,1\n"
    for text in (long, '"Q[0,0]","Q[0,2]","K[0,0]"\n1,2,1\n'):
        bound = bind(read(text, "a.csv"), load(HEAD))
        assert [filled.step.key for filled in bound.steps] == ["K"] and bound.shapes["Q"].startswith(
            "expected 2 × 2, found"
        )
    with pytest.raises(AttncalcError):  # counted from 1
        bind(
            read("step,row,column,value\n" + "".join(f"Q,{i},{j},1\n" for i in (1, 2) for j in (1, 2)), "a.csv"),
            load(HEAD),
        )


@for_each(
    "text",
    [
        "Q =\n1 0.71 0.33\n2 0.5 0.2\n",
        "Q = [[0,71; 1,41; 2,50; 0,33]]",
        "Q = [0,71; 1,41; 2,50; 0,33]",
        "Q =\n1 1/2 2 1/3\n3 1/2 4 2/3\n",
    ],
)
def test_twice_as_many_entries_are_refused_where_pairs_of_them_may_be_one(text):
    """0,71 may be 0.71, and 1 1/2 one and a half: then nothing is read, rather than another number."""
    with pytest.raises(AttncalcError, match="expected 2 × 2, found"):
        bind(read(text, "a.md"), load(HEAD))


@examples(50)
@given(st.data())
def test_rows_in_brackets_that_differ_in_length_are_a_wrong_answer_and_others_are_not_read(data):
    """Where two entries may be one (0,71 or 1 1/2) nothing is read, nor where a line of text may hold more than a row."""
    widths = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4).filter(lambda w: len(set(w)) > 1))
    assume(widths != list(range(1, len(widths) + 1)))  # a triangle
    assume(sum(widths) != 4)  # as many as asked
    rows = [[f"{data.draw(st.integers(-99, 99)) / 10:.1f}" for _ in range(width)] for width in widths]
    listed = "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
    in_brackets = data.draw(st.booleans())
    text = f"Q = {listed}" if in_brackets else "Q =\n" + "\n".join(map(" ".join, rows))
    bound = bind(read(f"{text}\n\nK = [[1, 2], [3, 4]]\n", "a.txt", lenient=True), load(HEAD), lenient=True)
    assert [filled.step.key for filled in bound.steps] == ["K"] and ("Q" in bound.shapes) == in_brackets
    assert "entr" in (bound.shapes["Q"] if in_brackets else str(bound.unread[0].fault))


CELLS = st.decimals(min_value=-99, max_value=99, places=3).map(str).filter(lambda text: "E" not in text)
WORDS = ("the", "cat", "sat", "down")
WRITERS = {
    "Wolfram": lambda rows: "{" + ", ".join("{" + ", ".join(row) + "}" for row in rows) + "}",
    "tuples": lambda rows: "(" + ", ".join("(" + ", ".join(row) + ")" for row in rows) + ")",
    "tabs and commas": lambda rows: "\n".join("\t".join(cell.replace(".", ",") for cell in row) for row in rows),
    "R": lambda rows: "     " + " ".join(f"[,{j + 1}]" for j in range(len(rows[0]))) + "\n" + "\n".join(f"[{i + 1},] {' '.join(row)}" for i, row in enumerate(rows)),
    "tall": lambda rows: "\n".join("⎢" + "  ".join(row) + "⎥" for row in rows),
    "pandas": lambda rows: "\n".join(["          " + "  ".join(map(str, range(len(rows[0])))),
        *(f"{i}  {'  '.join(row)}" for i, row in enumerate(rows))]),
    "pandas with names": lambda rows: "\n".join(["          " + "  ".join(WORDS[: len(rows[0])]),
        *(f"{WORDS[i]}  {'  '.join(row)}" for i, row in enumerate(rows))]),
    "LaTeX": lambda rows: "\\begin{pmatrix} " + " \\\\ ".join(" & ".join(cell.replace("-", "-\\,").replace(".",
        "{.}") for cell in row) for row in rows) + " \\end{pmatrix}",
}  # fmt: skip


def test_a_vector_as_r_prints_it_goes_on_over_lines():
    script = read(b"> P\n [1] 0.5 0.25 -1\n [4] 3e-04\n\n> mean\n[1] 2.1\n", "answers.txt")
    found = {answer.step: [[cell.text for cell in row] for row in answer.rows] for answer in script.answers}
    assert found == {"P": [["0.5", "0.25", "-1", "3e-04"]], "mean": [["2.1"]]}


@pytest.mark.parametrize("name", WRITERS)
@examples(25)
@given(
    rows=st.integers(2, 4).flatmap(lambda m: st.lists(st.lists(CELLS, min_size=m, max_size=m), min_size=2, max_size=4))
)
def test_law_what_is_written_in_a_format_is_read_back_or_refused(name, rows):
    found = numbers(f"S =\n{WRITERS[name](rows)}\n", "a.md")
    assert found == [[F(cell) for cell in row] for row in rows] or found == REFUSED and name == "tabs and commas"


@for_each("decimals", ["5", "05", "5e-3", "25E2", "5%"])
@for_each("k", [0, 1])
def test_a_decimal_comma_in_one_row_of_lists_is_asked_about(decimals, k):
    rows = [["1", "2"], ["3", "4"], ["5", "6"]]
    rows[0][k] = f"{rows[0][k]},{decimals}"
    text = "S = [" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]\n"
    script = read(text, "a.md", lenient=True)
    assert any("one number, written" in piece.fault.message for piece in script.unread)
