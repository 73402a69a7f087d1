"""No file of formulas takes more than 1 GB or 20 s of processor time, or ends without an answer or a message; and no
module but one makes a whole number of a ball.
"""

import ast
import json
import re
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import pytest
from flint import arb, fmpq

import attncalc
from attncalc import check, limits, load, solve
from attncalc.arithmetic import budget
from attncalc.errors import OverBudget
from attncalc.problem import loader
from tests.properties.hostile import hostile, run
from tests.support.called import called
from tests.support.timing import takes_less_than

CODE = Path(attncalc.__file__).parent
CONVERSIONS = {"unique_fmpz", "man_exp"}  # of python-flint, which write a ball's number out however long it is
BY_ITSELF = {CODE / "arithmetic" / "budget.py", CODE / "verify.py"}  # the verifier shares no code, and has its own gate


def test_one_module_makes_whole_numbers_of_balls():
    found = []
    for path in CODE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for part in ast.walk(ast.parse(text)) if any(word in text for word in CONVERSIONS) else ():
            if isinstance(part, ast.Attribute) and part.attr in CONVERSIONS and path not in BY_ITSELF:
                found.append(
                    f"{path.relative_to(CODE)}:{part.lineno}: {part.attr}; attncalc/arithmetic/budget.py has it"
                )
    assert not found


# The other places that write numbers out or raise them, and why none of them is long: a function of a module, or all.
ALLOWED = {
    "an exact number, already written out: a part of a fraction keeps its length": [
        "arithmetic/exact/sign_decision _fraction",
        "arithmetic/intervals/scalar approximate",
        "arithmetic/intervals/scalar floor_of",
        "arithmetic/exact/sympy_export _rational",
        "arithmetic/balls down",
        "arithmetic/intervals/intermediate_rounding holds",
        "arithmetic/intervals/intermediate_rounding _round_down",
        "arithmetic/exact/exact_evaluator one_hot_column",
        "arithmetic/exact/exact_evaluator _floor",
        "arithmetic/exact/exact_evaluator square_root",
        "arithmetic/rounding round_rational",
        "arithmetic/intervals/decimals units",
        "formula/shape_rules lookup",
    ],
    "a ball to a power, which stays a ball": [
        "arithmetic/exact/sign_decision is_zero",
        "arithmetic/exact/sign_decision of_term",
        "arithmetic/intervals/scalar raised",
        "arithmetic/intervals/scalar power",
        "arithmetic/intervals/scalar _whole_power",
        "arithmetic/balls power",
        "arithmetic/balls rational_power",
        "arithmetic/balls _whole_power",
        "arithmetic/exact/sign_decision _ball_sum",
        "arithmetic/rounding scientific_text",
        "arithmetic/rounding _exponent",
    ],
    "a text of at most LONGEST characters": ["formula/compat/paper_notation _range"],
    "a float": ["arithmetic/float64 _round", "arithmetic/float64 _softmax"],
    "SymPy's own powers, which it does not work out": ["arithmetic/exact/sympy_export _term"],
    "primes of numbers that are at most LARGEST_FACTORED bits long": [
        "arithmetic/exact/sign_decision _prime",
        "arithmetic/exact/sign_decision primes",
        "arithmetic/exact/exact_evaluator square_part",
        "arithmetic/exact/exact_evaluator logarithm",
        "arithmetic/exact/exponential_sums _prime_of_log",
    ],
    "bounded in the lines before: a degree, an angle, an exponent, the length of a prime's power": [
        "arithmetic/exact/sign_decision degree",
        "arithmetic/exact/sign_decision power",
        "arithmetic/exact/sign_decision cosine",
        "arithmetic/exact/quotient_form cosine",
        "arithmetic/exact/exact_evaluator _pow",
        "arithmetic/exact/sign_decision _multiply_to_one",
        "arithmetic/exact/sign_decision _power",
        "arithmetic/exact/exponential_sums tidy_exponent",
        "formula/operations of_numbers",
        "formula/operations bound",
    ],
    "decimals, of which there are at most MOST_DECIMALS, or LARGEST_POWER": [
        "arithmetic/balls settle",
        "arithmetic/exact/exact_evaluator _round",
        "arithmetic/rounding power_of_ten",
        "arithmetic/rounding significant_boundary",
    ],
    "a number of bits, of entries or of heads, or digits that the parser has counted": [
        "arithmetic/matrix_types shorten",
        "formula/elaboration whole",
        "formula/functions _alibi_slopes",
        "formula/functions ",
        "formula/compat/library_calls _power",
        "formula/typed_formula position_labels",
        "formula/operations literal",
        "formula/shape_rules grid",
        "formula/parser number",
        "formula/parser _bits",
    ],
}


class Conversions(ast.NodeVisitor):
    """The functions of a module that make whole numbers, shift them, or raise to a power that is not written there."""

    def __init__(self, path: Path):
        self.module = path.relative_to(CODE).with_suffix("").as_posix()
        self.inside = [""]
        self.found: set[str] = set()

    def visit_FunctionDef(self, part: ast.FunctionDef) -> None:  # as ast names it
        self.inside.append(part.name)
        self.generic_visit(part)
        self.inside.pop()

    def visit_BinOp(self, part: ast.BinOp) -> None:
        if isinstance(part.op, ast.LShift | ast.Pow) and not isinstance(part.right, ast.Constant):
            self.found.add(f"{self.module} {self.inside[-1]}")
        self.generic_visit(part)

    def visit_Call(self, part: ast.Call) -> None:
        match part.func:
            case ast.Name("int") | ast.Attribute(attr="floor" | "ceil"):
                if not isinstance(part.func, ast.Attribute) or ast.unparse(part.func.value) not in ("budget", "np"):
                    self.found.add(f"{self.module} {self.inside[-1]}")
        self.generic_visit(part)


def test_every_conversion_of_a_number_has_a_reason():
    found: set[str] = set()
    for path in (path for room in ("arithmetic", "formula") for path in (CODE / room).rglob("*.py")):
        if path not in BY_ITSELF:
            visitor = Conversions(path)
            visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
            found |= visitor.found
    assert found == {place for places in ALLOWED.values() for place in places}


LONG = [arb(2) ** 10**12, -(arb(2) ** 10**12), arb(10**9).exp()]


@pytest.mark.parametrize("x", LONG, ids=str)
def test_what_would_be_too_long_is_not_written_out(x):
    assert budget.floor(x) is None and budget.ceil(x) is None and budget.guess_fraction(x) is None
    assert budget.fraction(x) is None and budget.is_longer(x)
    assert budget.fraction(1 / x) is None and budget.guess_fraction(1 / x) == 0


def test_exact_powers_and_roots_know_their_length():
    assert budget.power(fmpq(3, 2), 5) == fmpq(243, 32) and budget.power(fmpq(3), -(10**12)) is None
    assert budget.root(fmpq(2) ** 60_000, fmpq(999, 2)) is None and budget.root(fmpq(8, 27), fmpq(-2, 3)) == fmpq(9, 4)


# The formulas that brought the process down, and what is expected of each.
KNOWN = {
    "softmax(1e30 * v, base=10)": 0, "1 - 2 ** (-10**12) * v": 0, "softmax(1e9 * ln(2) * v)": 0, "entropy(softmax(-1e30 * v))": 0,
    "floor(2 ** 10**12 * v)": 2, "ceil(2 ** 10**12 * v)": 2, "floor(sqrt(2 ** (10**11)) * v)": 2, "v + 2 ** 10**10": 2,
    "round(-exp(1e30) * v, 3)": 2, "softmax(std(y), base=2)": 0, "inverse(" * 4 + "X" + ")" * 4: 0, "inverse(" * 12 + "X" + ")" * 12: 2,
    "log(1 + exp(" * 25 + "v" + "))" * 25: 0,
    "softmax_cols(" * 30 + "X" + ")" * 30: 0, "((((((X / 3) ** 8) ** 8) ** 8) ** 8) ** 8) ** 8": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        ("--explain", "full", "--to", "markdown"),
        *[pytest.param(words, marks=pytest.mark.slow) for words in ((), ("--exact",), ("--paper",))],
    ],
    ids=str,
)
def test_formulas_that_took_all_memory(words, tmp_path):
    text = (
        "title: t\nrounding: {{digits: 10, mode: truncate}}\ngiven:\n  X: [[1, 2], [3, 5]]\n  v: [[1, 0, 2]]\n"
        "  y: [[262537412640768744]]\nsteps:\n  A: '{}'\n"
    )
    found = run([(text.format(formula), words) for formula in KNOWN], tmp_path)
    assert not found.faults
    assert "--paper" in words or dict(zip(KNOWN, found.codes, strict=True)) == KNOWN


@pytest.mark.parametrize("within", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_all_steps_of_a_problem_share_one_budget(within, tmp_path):
    """The step at which it runs out is named with the limit, before anything is worked out; with a step less it fits
    into the bounds.
    """
    rows = ["[" + ", ".join(f"0.{7 * i + 13 * j}" for j in range(64)) + "]" for i in range(64)]
    text = f"title: t\ngiven:\n  A: [{', '.join(rows)}]\nsteps:\n  A: {{formula: softmax(A @ A), repeat: 100}}\n"
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    code, out, err = called("solve", path)
    few = re.search(r": A_(\d+): the estimated time for a problem is limited to 10 s; found ", err)
    assert code == 2 and not out and few and 10 < int(few[1]) <= 100
    assert not within or not run([(text.replace("repeat: 100", f"repeat: {int(few[1]) - 1}"), ())], tmp_path).faults


MANY = {
    "steps": "steps:\n" + "".join(f"  a{k}: ones(512, 512)\n" for k in range(1_000)),
    "wrong steps": "steps:\n" + "".join(f"  a{k}: ones(512, 512) @ ones(4, 512)\n" for k in range(1_000)),
    "givens": "given:\n" + "".join(f"  a{k}: identity(512)\n" for k in range(1_000)) + "steps: {A: a0 + a1}\n",
    "repeats": "steps:\n  a_0: ones(512, 512)\n"
    + "".join(f"  a{k}: {{formula: a_0 + ones(512, 512), repeat: 100}}\n" for k in range(50)),
    "parts": "parts:\n"
    + "".join(f"  p{k}:\n    steps:\n" + "      B: identity(512) @ ones(512, 512)\n" for k in range(200)),
    "a chain": "steps:\n  a0: 1 / 3\n" + "".join(f"  a{k}: exp(-a{k - 1})\n" for k in range(1, 1_000)),
}

# What grows when it is repeated, in numbers of two forms
GROWING = {
    "squares": "given: {x: 2}\nsteps:\n  x: {formula: x * x, repeat: 100}\n",
    "products": "given: {x: [[1, 2], [3, 5]]}\nsteps:\n  x: {formula: x @ x, repeat: 100}\n",
    "inverses": "given: {x: [[1, 2], [3, 5]]}\nsteps:\n  x: {formula: inverse(x) @ x @ x + 1/3, repeat: 40}\n",
    "one number": "given: {x: 10}\nsteps: {y: x ** 4001}\n",
}


@pytest.mark.parametrize("command", ["solve", "lint"])
def test_numbers_that_grow_end_with_an_answer_or_a_message(command, tmp_path):
    done = run([(f"title: t\n{text}", (command,)) for text in GROWING.values()], tmp_path)
    assert not done.faults and max(done.seconds) < 10


@pytest.mark.parametrize("command", ["solve", pytest.param("lint", marks=pytest.mark.slow)])
def test_nothing_is_read_beyond_the_budget(command, tmp_path):
    """However many steps follow the one at which the budget runs out, they take no time."""
    done = run([(f"title: t\n{text}", (command,)) for text in MANY.values()], tmp_path)
    assert not done.faults and max(done.seconds) < 10


def test_digits_that_need_too_much_work_are_refused(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("title: t\nsteps:\n  A: sum(exp(exp(identity(250) / 3) @ identity(250)))\n", encoding="utf-8")
    assert called("solve", path)[0] == 0
    code, _, err = called("solve", path, "--digits", "1000")
    assert (
        code == 2
        and "A: the estimated time for a problem is limited to 10 s; found " in err
        and "s, because its digits need" in err
    )


@pytest.mark.parametrize(
    "first, count",
    [
        (0, 20),
        pytest.param(100, 20, marks=pytest.mark.slow),
        *[pytest.param(1_000 * k, 1_000, marks=[pytest.mark.slow, pytest.mark.exhaustive]) for k in range(5)],
    ],
)
def test_files_of_hostile_formulas_end_with_an_answer_or_a_message(first, count, tmp_path):
    assert not run(list(range(first, first + count)), tmp_path).faults


@pytest.mark.parametrize("first, count", [(0, 12), pytest.param(100, 20, marks=pytest.mark.slow)])
def test_certificates_of_hostile_formulas_are_accepted(first, count, tmp_path):
    """Each certificate of proven digits that solve writes is accepted by verify, or a limit of verify is named."""
    cases = [(hostile(seed).text, ("--certificate", "{certificate}")) for seed in range(first, first + count)]
    done = run(cases, tmp_path)
    assert not done.faults and done.codes.count(0) > count // 4


# Answers of which a third are wrong, to steps of many entries
LARGE = ("entropy(softmax(ones(40, 40) / 3))", "sinusoidal(60, 40)")


@pytest.mark.parametrize("words", [("check",), ("check", "random"), ("lint",)], ids=" ".join)
@pytest.mark.parametrize("count", [4, pytest.param(10, marks=(pytest.mark.slow, pytest.mark.exhaustive))])
def test_answers_to_hostile_files_are_marked_within_the_bounds(words, count, tmp_path):
    cases = [(hostile(seed).text, words) for seed in range(7_025, 7_025 + count)]
    cases += [(f"title: t\nsteps: {{A: '{text}'}}\n", words) for text in LARGE if words == ("check", "random")]
    assert not run(cases, tmp_path).faults


def test_lint_writes_a_wide_position_table_with_a_mistake(tmp_path):
    """The formula of a mistake may be longer than one that a person types."""
    path = tmp_path / "p.yaml"
    path.write_text("title: t\nsteps: {P: 'sinusoidal(3, 100)'}\n", encoding="utf-8")
    code, out, err = called("lint", path)
    assert code in (0, 1) and out and not err


@pytest.mark.parametrize("seconds", [0.0, 0.002, 0.02])
def test_mistakes_that_are_not_tried_are_reported(seconds, tmp_path, monkeypatch):
    """Neither lint nor the search for a cause goes beyond its budget; both name what they left out."""
    path, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    path.write_text("title: t\nsteps:\n  S: softmax(sinusoidal(5, 4) @ sinusoidal(5, 4).T)\n", encoding="utf-8")
    rows = [[f"0.{(7 * i + 3 * j) % 97:02}" for j in range(5)] for i in range(5)]
    answers.write_text(f"S: {rows}".replace("'", ""), encoding="utf-8")
    monkeypatch.setattr("attncalc.generator.lint.MOST_SECONDS", seconds)
    monkeypatch.setattr("attncalc.marking.report.FOR_MISTAKES", seconds)
    out = " ".join(called("lint", path)[1].split())
    assert re.search(
        r"\d+ mistakes? (was|were) not tried, because the estimated time for a problem is limited to 10 s: ", out
    )
    data = json.loads(called("lint", path, "--to", "json")[1])
    assert data["certificate"]["untried"] and data["unchecked"] and "no change is needed" not in out
    assert not {*data["certificate"]["untried"]} & {*data["certificate"]["separated"]}
    code, out, _ = called("check", path, answers)
    assert code == 1 and "not all mistakes were tried" in " ".join(out.split())
    notes = json.loads(called("check", path, answers, "--to", "json")[1])["parts"][0]["steps"][0]["notes"]
    assert any("not all mistakes were tried" in note for note in notes)


def test_an_answer_that_takes_too_long_to_mark_is_refused_at_its_step(tmp_path, monkeypatch):
    path, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    path.write_text("title: t\nsteps:\n  R: exp(ones(2, 2))\n  S: softmax(R @ R)\n", encoding="utf-8")
    answers.write_text("S: [[0.1, 0.9], [0.3, 0.7]]\n", encoding="utf-8")
    monkeypatch.setattr("attncalc.marking.report.FOR_VERDICTS", 0.0)
    code, out, err = called("check", path, answers)
    assert code == 2 and not out
    assert (
        ":4:6: S: the estimated time for a problem is limited to 10 s; found more for marking this answer; use smaller"
        in err
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 200, 500])
def test_large_tables_are_checked_within_the_bounds(n, tmp_path):
    text = f"title: t\nsteps:\n  S: softmax(sinusoidal({n}, {n // 2}) @ sinusoidal({n}, {n // 2}).T)\n"
    done = run([(text, ("lint",)), (text, ("solve",))], tmp_path)
    assert not done.faults and done.codes[0] in (0, 1, 2)


def test_small_problems_are_tried_completely():
    """The budget leaves the problems that come with attncalc as they are."""
    for name in ("look-ahead-mask", "transformers-transforming-our-lives"):
        data = json.loads(called("lint", name, "--to", "json")[1])
        assert not data["certificate"]["untried"] and not data["unchecked"]


@pytest.mark.parametrize("command", ["check", pytest.param("lint", marks=pytest.mark.slow)])
@pytest.mark.parametrize("formula", ["layer_norm({0} + gelu({0}))", "{0} + 1/3", "softmax({0} * {0})"])
def test_steps_however_many_are_calculated_without_recursion(formula, command, tmp_path):
    """A step may follow from hundreds of others, which nobody wrote down or which all print the right numbers."""
    path, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    turns = 150
    steps = "".join(f"  a{k}: {formula.format(f'a{k - 1}')}\n" for k in range(1, turns))
    path.write_text(f"title: t\ngiven: {{x: [[1.5, 2.1], [0.3, -1]]}}\nsteps:\n  a0: x\n{steps}", encoding="utf-8")
    answers.write_text(f"a{turns - 1}: [[0.1234, 0.5678], [0.1111, 0.2222]]\n", encoding="utf-8")
    code, out, err = called(command, path, *([answers] if command == "check" else []))
    assert code in (0, 1) and out and not err


@pytest.mark.parametrize(
    "formula, limit",
    [("x * x", "a printed number can have at most 4,000 digits before the decimal point"), ("x ** -1 - 1 / x", "")],
)
def test_a_fault_of_many_turns_is_one_message(formula, limit, tmp_path):
    """It names the first turn that has the fault."""
    path = tmp_path / "p.yaml"
    path.write_text(f"title: t\ngiven: {{x: 10}}\nsteps:\n  x: {{formula: {formula}, repeat: 100}}\n", encoding="utf-8")
    code, _, err = called("solve", path)
    assert code == 2 and len(err.splitlines()) == 1 and limit in err and re.search(r":4:\d+: x_\d+: ", err)


POOLS = {
    "problems": ["{problem: look-ahead-mask}", "{problem: strict-mask}"],
    "lessons": ["{generate: layer_norm}", "{generate: rms_norm, with: {relax: [work]}}"],
}


@pytest.mark.parametrize("name", [pytest.param("problems"), pytest.param("lessons", marks=pytest.mark.slow)])
@pytest.mark.parametrize("words", [("stress", "-n", "2"), ("exam", "-o", "papers")], ids=lambda words: words[0])
def test_a_pool_of_equal_questions_takes_the_time_of_few(words, name, tmp_path, monkeypatch):
    """As many questions under one_of as the limit allows: equal ones share what is worked out."""
    monkeypatch.chdir(tmp_path)
    pool = "".join(f"      - {POOLS[name][k % 2]}\n" for k in range(limits.DRAWN.most))
    Path("sheet.yaml").write_text(f"title: t\nquestions:\n  - one_of:\n{pool}", encoding="utf-8")
    command, *options = words
    folders = count()

    def draw() -> None:
        where = [f"{option}{next(folders)}" if option == "papers" else option for option in options]
        assert called(command, "sheet.yaml", *where)[0] in (0, 1)

    assert takes_less_than(10, draw)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_long_products_are_marked_within_the_bounds(tmp_path):
    """Marking spends estimated work; the estimate of rounded products was a fifth of what they took."""

    def mark(answers):
        with suppress(OverBudget):
            check(load(problem), {"answers": answers})

    random = Random(1)
    rows = [[f"{random.randint(1, 10**9)}/{random.randint(1, 10**9)}" for _ in range(30)] for _ in range(30)]
    steps = {f"y{k + 1}": f"y{k} @ y{k}" for k in range(5)}
    problem = {"title": "t", "given": {"X": rows}, "steps": {"y0": "X @ X"} | steps}
    right = {step.name: step.decimals(4) for step in solve(problem).parts[0].steps}
    wrong = {
        name: [[text[:-1] + str(random.randint(0, 9)) for text in row] for row in cells]
        for name, cells in right.items()
    }
    for answers in (right, wrong):
        assert takes_less_than(20, partial(mark, answers))


def test_a_demand_that_cannot_hold_ends_after_so_much_work(tmp_path, monkeypatch):
    """200 attempts at a hundred steps took 68 s."""
    monkeypatch.setattr(loader, "EXAMPLES_SECONDS", 1)
    repeated = "steps: {x: {formula: sin(x + X), repeat: 100}}\n"
    text = f"draw: {{X: 30 x 30 integers -2..2}}\ngiven: {{x_0: 0}}\ndemand: [max(x_100) <= -2]\n{repeated}"
    (tmp_path / "p.yaml").write_text(text)
    code, _, message = called("solve", tmp_path / "p.yaml")
    assert code == 2 and re.search(r":3:10: demand: in [1-4] attempts?, no numbers met max", message)
