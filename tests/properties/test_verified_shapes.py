"""Whatever shapes of matrices a function takes in `solve`, its certificate is accepted by `verify`."""

from itertools import product
from pathlib import Path

import pytest

from attncalc.errors import FormulaError
from attncalc.formula import operations as op
from attncalc.formula.elaboration import check
from attncalc.formula.functions import functions
from attncalc.formula.parser import parse
from tests.properties.hostile import OPERATORS
from tests.support.called import called

GIVEN = {"A": [[1, 2], [3, 5]], "P": [["0.5", "0.25"], ["0.5", "0.75"]], "r": [[2, 1]], "c": [[1], [2]], "s": [[1]]}


def accepted(text: str) -> bool:
    """True if a formula over GIVEN has a shape."""
    shapes = {name: (len(rows), len(rows[0])) for name, rows in GIVEN.items()}
    try:
        check(parse(text), lambda name, at: op.Ref(name, shapes[name], bits=200, name=name))
    except FormulaError:
        return False
    return True


def calls(name: str) -> list[str]:
    """Return the calls of a function, or the uses of an operator, with each combination of the givens."""
    if name in OPERATORS:
        return [text for a, b in product(GIVEN, repeat=2) if accepted(text := f"{a} {name} {b}")]
    function, words = functions()[name], {"whole": ["1", "2"], "text": ['"0-1 1-0"', '"0 1"']}
    if function.variadic:
        combinations = [*product(GIVEN, repeat=2), *product(GIVEN, repeat=3)]
    else:
        needed = [parameter for parameter in function.parameters if parameter.default is None]
        choices = [
            [f'"{word}"' for word in parameter.words] if parameter.kind == "word" else words.get(parameter.kind, GIVEN)
            for parameter in needed
        ]
        combinations = [*product(*choices)]
    return [text for combination in combinations if accepted(text := f"{name}({', '.join(combination)})")]


def refused(formulas: list[str], folder: Path) -> list[str]:
    """Return the formulas that `solve` solves and `verify` refuses."""
    given = "".join(f"  {name}: {rows}\n" for name, rows in GIVEN.items()).replace("'", "")
    steps = "".join(f"  B{k}: '{formula}'\n" for k, formula in enumerate(formulas))
    (folder / "p.yaml").write_text(f"title: t\ngiven:\n{given}steps:\n{steps}", encoding="utf-8")
    code = called("solve", folder / "p.yaml", "--certificate", folder / "c.json", "--force")[0]
    if code == 0 and called("verify", folder / "c.json")[0] == 0 or code and len(formulas) == 1:
        return []
    if len(formulas) == 1:
        return formulas
    half = len(formulas) // 2
    return refused(formulas[:half], folder) + refused(formulas[half:], folder)


@pytest.mark.sweep(quick=16, ci=True)
@pytest.mark.parametrize("name", [*functions(), *OPERATORS])
def test_each_shape_that_solve_takes_is_verified(name, tmp_path):
    formulas = calls(name)
    assert formulas and not refused(formulas, tmp_path)
