"""Every command: listed, with help, and with an example in its help that names it."""

from __future__ import annotations

from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import attncalc.cli
from attncalc.cli import COMMANDS, EARLIER_NAMES, cli
from attncalc.cli.document_options import ONLY
from tests.support.called import called
from tests.support.sweeps import for_each

SHARED = {
    "progress",
    "__init__",
    "shared_options",
    "output_checks",
    "document_options",
    "watch",
}  # what several commands use


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_with_an_example(name):
    told = CliRunner().invoke(cli, [name, "--help"]).output
    assert import_module(f"attncalc.cli.{name}").command.name == name
    assert f"\n  attncalc {name}" in told or f'"$(attncalc {name}' in told, (
        "an example after \\b is required in the help"
    )


@pytest.mark.parametrize("name", EARLIER_NAMES)
def test_a_command_goes_by_its_earlier_name(name):
    pages = [
        CliRunner().invoke(cli, [called, "--help"], prog_name="attncalc") for called in (name, EARLIER_NAMES[name])
    ]
    assert pages[0].exit_code == 0 and pages[0].output == pages[1].output
    assert name not in COMMANDS and f"attncalc {name}" not in CliRunner().invoke(cli, ["--help"]).output


def test_every_file_of_a_command_is_listed():
    there = {path.stem for path in Path(attncalc.cli.__file__).parent.glob("*.py")}
    assert there - SHARED == set(COMMANDS), "a line in COMMANDS of attncalc/cli/__init__.py is required"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_says_what_it_does_in_a_sentence(name):
    for option in import_module(f"attncalc.cli.{name}").command.params:
        if isinstance(option, click.Option):
            assert option.help and option.help[0].isupper() and option.help[-1] == ".", option.opts
            assert "without it" not in option.help, "a default stands in brackets: (default: ...)"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_a_parameter_of_its_function(name):
    command = import_module(f"attncalc.cli.{name}").command
    parameters = signature(command.callback).parameters
    takes_more = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    options = {option.name for option in command.params if option.expose_value}
    if "page" in parameters:
        options -= {"target", "output", "force", *ONLY}  # what the page is made of
    assert takes_more or options <= set(parameters), f"attncalc/cli/{name}.py: {options - set(parameters)}"


@for_each("name", COMMANDS)
@for_each("value", ["nan", "inf", "-inf", "1e400", "1_0", "٣", "1" * 5000, "x" * 5000, ""])
def test_law_numbers_of_options_are_finite_and_refused_in_a_short_line(name, value):
    for option in import_module(f"attncalc.cli.{name}").command.params:
        if (
            isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)
            or option.type.name == "number"
        ):
            with pytest.raises(click.UsageError) as caught:
                option.type.convert(value, option, None)
            assert "expected a" in caught.value.message and len(caught.value.message) < 160, option.opts


@pytest.mark.parametrize("text", [
    "given: {X: [[1, 2], [3, 4]]}\nsteps: {R: 'X - X[:, 0]'}\n",
    "draw: {X: 2 × 2 integers -3..3}\nsteps: {R: 'X - X[:, 0]'}\n",
    "given: {X: [[1, 2], [3, 4]], Y: 1}\nsteps: {R: X + 1}\n",
])  # fmt: skip
def test_lint_tells_a_warning_once(text, tmp_path, monkeypatch):
    """`solve` tells it next to its page, and `lint` in its report."""
    (tmp_path / "p.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    (_, _, told), (_, report, others) = (called(name, "p.yaml") for name in ("solve", "lint"))
    warnings = [line.partition("warning: ")[2] for line in told.splitlines()]
    assert warnings and not others
    assert all(report.count(warning) == 1 for warning in warnings)
