"""Reads a problem file into a checked Problem, or reports every error with its line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import AttncalcError, Diagnostic, Diagnostics, shorten
from .file_kinds import refuse_large, refuse_others
from .problem import Problem
from .problem_reader import Reader
from .warning_listener import warn
from .yaml_file.nodes import Mapping, Yaml, kind
from .yaml_file.yaml_reader import read_yaml

if TYPE_CHECKING:
    from .random_givens import Draws, Relation

EXAMPLE = (
    "warning: this problem has random numbers (draw:), and attncalc shows one example; "
    "`attncalc generate FILE` writes more"
)


def read_problem(data: bytes | str, source: str, name: str, quiet: bool = False) -> Problem:
    """Return the problem of a YAML text. With `quiet`, send no warnings. Raises AttncalcError with all errors."""
    faults = Diagnostics()
    refuse_large(data, "problem", source)
    return build_problem(read_yaml(data, source, faults), source, name, faults, quiet)


def build_problem(
    tree: Yaml, source: str, name: str, faults: Diagnostics | None = None, quiet: bool = False
) -> Problem:
    """Return the problem of a tree, which may come from a file or from Python data. Raises AttncalcError with all
    errors. `faults` holds the errors of the tree's reader. With `quiet`, send no warnings.
    """
    faults = faults or Diagnostics()
    if not isinstance(tree, Mapping):
        faults.add(f"expected a problem (a mapping with title:, given:, ...), found {kind(tree)}", tree.place)
        raise AttncalcError(faults.faults)
    refuse_others(tree, "problem")
    if "draw" in tree:
        from .sections.draw import read_draws  # imported here, because few files have draws

        return _example(read_draws(tree, faults), source, name, faults)
    return Reader(tree, source, name, faults, quiet).problem()


def _example(draws: Draws, source: str, name: str, faults: Diagnostics) -> Problem:
    """Return the first drawn problem that meets the demands of the file."""
    from .random_givens import check_relations

    unmet: list[Relation] = []
    for tree in draws.examples():
        problem = Reader(tree, source, name, faults, quiet=True).problem()
        check_relations(draws, problem.plan, faults)
        faults.raise_any()
        relation = draws.unmet(problem.plan)
        if relation is None:
            warn(problem.warnings)
            problem.draws = draws
            problem.warnings.append(Diagnostic(EXAMPLE, draws.place, code="drawn"))
            return problem
        unmet.append(relation)
    worst = max(unmet, key=unmet.count)
    message = (
        f"demand: in {len(unmet)} attempts, no numbers met {shorten(worst.text)}; "
        f"change the entries, or write a condition "
        f"that is easier to meet"
    )
    raise AttncalcError(message, worst.place)
