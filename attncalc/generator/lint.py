"""Quality report on a problem that a person wrote: unmet requirements, and what to change."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from ..errors import AttncalcError, counted, did_you_mean, shorten
from ..mistakes.catalogue import catalogue
from ..mistakes.mistake import HIGH
from ..problem.problem import Problem
from .distinguishability import Certificate, certify, codes_of_unasked_steps, unasked_steps_note
from .numeric_view import NumericView
from .requirements import SINGLE_REQUIREMENTS, Finding, findings
from .solvability import faults
from .workload import Cost, cost

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Lint:
    """Findings, certificate and workload of a problem, its unused givens, and the steps in which no known mistake
    shows.
    """

    problem: Problem
    findings: list[Finding]
    certificate: Certificate
    cost: Cost
    unused: list[str]
    untested: list[str]


def lint(problem: Problem, relax: tuple[str, ...] = ()) -> Lint:
    """Return the quality report of a problem. Raises AttncalcError where `relax` names no requirement."""
    codes = [demand.code for demand in SINGLE_REQUIREMENTS]
    for code in relax:
        if code not in codes:
            near = f"{did_you_mean(code, codes)}; there are {', '.join(codes)}"
            raise AttncalcError(f"--relax: no requirement is called {shorten(code)!r}{near}")
    view = NumericView(problem)
    certificate = certify(view)
    lint_findings = [
        Finding("workable", step, diagnostics[0].message, "numbers or options with which every step has a value")
        for step, diagnostics in faults(problem).items()
    ]
    lint_findings += findings(view, frozenset(relax))
    if "separation" not in relax:
        common = (code for code in certificate.codes("same") if catalogue()[code].weight >= HIGH)
        lint_findings += [_indistinct_finding(code, certificate) for code in common]
    tested = {v.step for v in certificate.verdicts if v.kind == "separated"}
    untested = [step.key for step in view.steps if step.key not in tested and not step.given]
    warnings = [warning.message.removeprefix("warning: ") for warning in problem.warnings]
    return Lint(problem, lint_findings, certificate, cost(view), warnings, untested)


def _indistinct_finding(code: str, certificate: Certificate) -> Finding:
    step = next(v.step for v in certificate.verdicts if v.code == code)
    return Finding("separation", step, f"{code} at {step} gives the same numbers", _remedy(catalogue()[code].same))


def _remedy(same: str) -> str:
    """Return a suggestion by which the mistake becomes visible."""
    known = {"d_k = 1": "a d_k of 4, whose root is whole; d_k = 1 hides every scale mistake"}
    return known.get(same, f"a problem where this does not hold: {same}")


def lines(report: Lint) -> list[str]:
    """Return the report as lines of text."""
    separated = report.certificate.codes("separated")
    report_lines = [f"{report.problem.title or report.problem.name}"]
    for finding in report.findings:
        report_lines += _wrapped(f"{finding.says} ({finding.demand})", "  ")
        report_lines += _wrapped(f"try {finding.suggestion}", "    ")
    if not report.findings:
        report_lines.append("  nothing to change")
    report_lines += [f"  {warning}" for warning in report.unused]
    if report.untested:
        sentence = f"attncalc knows no mistake that would show in {', '.join(report.untested)}"
        report_lines += _wrapped(sentence, "  ")
    count = counted(len(separated), "mistake")
    report_lines.append(f"  tells {count} of the catalogue from the right answer")
    if unasked := codes_of_unasked_steps(report.certificate, report.problem):
        report_lines += _wrapped(unasked_steps_note(len(unasked)), "    ")
    cost = f"{report.cost.products} products, {report.cost.hard} exponentials and quotients"
    return [*report_lines, f"  work: {cost}, {report.cost.digits} digits to write"]


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent="    ")


def as_data(report: Lint) -> dict[str, Any]:
    """Return the report as JSON data."""
    return {
        "problem": report.problem.name,
        "findings": [
            {"demand": f.demand, "step": f.step, "says": f.says, "suggestion": f.suggestion} for f in report.findings
        ],
        "unused": report.unused,
        "untested": report.untested,
        "certificate": {kind: report.certificate.codes(kind) for kind in ("separated", "same", "hidden", "impossible")}
        | {"in_later_lines": codes_of_unasked_steps(report.certificate, report.problem)},
        "cost": {name: getattr(report.cost, name) for name in ("products", "hard", "digits", "total")},
    }
