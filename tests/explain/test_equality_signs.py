"""The signs between the sides of an equation: `=` where the numbers are the same, `≈` only where one of them was
rounded.
"""

import re
from fractions import Fraction

from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.explain.document import EquationSide
from attncalc.explain.worked.equality_signs import exact_value, sides
from attncalc.formula.parser import parse
from tests.support.sweeps import for_each


@for_each(
    ("formula", "value"),
    [
        ("0.8839 * 1 + (-0.8839) * 1", 0),
        ("1 / 3", Fraction(1, 3)),
        ("2 ** -2", Fraction(1, 4)),
        ("maximum(0.1, -0.2) - minimum(1, 0.5)", Fraction(-2, 5)),
        ("ceil(3.7856) + floor(-0.5)", 3),
        ("7.9e-32", Fraction(79, 10**33)),
        ("1 / 0", None),
        ("0 ** -1", None),
        ("2 ** 1000000", None),
        ("2 ** 0.5", None),
        ("exp(1.4142 - 1.4142)", 1),
        ("cos(0) - log(1) + sin(0) + tanh(0) + erf(0)", 1),
        ("exp(1)", None),
        ("log(0)", None),
        ("x + 1", None),
    ],
)
def test_formulas_of_numbers_are_worked_out_by_fractions(formula, value):
    assert exact_value(parse(formula)) == value


@for_each(
    ("stages", "signs"),
    [
        ([("1 + 2", True), ("3", True)], "= ="),
        ([("0.8839 - 0.8839", False), ("0", True)], "≈ ="),
        ([("6 / sqrt(2)", True), ("6 / 1.4142", False), ("4.2426", False)], "= ≈ ≈"),
        ([("4.1133 / (4.1133 + 4.1133)", False), ("4.1133 / 8.2266", False), ("1 / 2", True)], "≈ = ="),
        ([("3 * 0.3333", False), ("1", True)], "≈ ≈"),
        ([("exp(1.4142 - 1.4142)", False), ("exp(0)", False), ("1.0000", False)], "≈ = ="),
    ],
)
def test_the_signs_between_sides(stages, signs):
    told = sides([EquationSide(parse(text), exact) for text, exact in stages])
    assert " ".join("=" if equal else "≈" for equal, _ in told) == signs


@for_each("to", ["terminal", "latex", "typst", "markdown"])
def test_a_gradient_that_is_0_is_said_to_be_0(to):
    result = CliRunner().invoke(cli, ["solve", "multi-head-gradients", "--to", to, "--step", "dQ_1"])
    assert re.search(r"(≈|approx) 0\.8839 [^=]*= 0(?![.\d])", result.stdout), result.stdout
