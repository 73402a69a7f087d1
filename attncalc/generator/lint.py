"""The quality of a problem that a person wrote: what the generator would not have let through, and what to change."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from ..errors import AttncalcError, counted, did_you_mean, shorten
from ..problem.model import Problem
from .certificate import Certificate, certify, in_later_lines, made_elsewhere
from .cost import Cost, cost
from .quality import DEMANDS, Finding, findings
from .view import View
from .workable import faults

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Lint:
    """Findings, the certificate, the work that the problem asks for, givens that nothing uses and steps that no mistake
    shows in.
    """

    problem: Problem
    findings: list[Finding]
    certificate: Certificate
    cost: Cost
    unused: list[str]
    untested: list[str]


def lint(problem: Problem, relax: tuple[str, ...] = ()) -> Lint:
    """What is found in a problem, its certificate and its work. Raises AttncalcError where `relax` names no demand."""
    codes = [demand.code for demand in DEMANDS]
    for code in relax:
        if code not in codes:
            raise AttncalcError(
                f"--relax: no requirement is called {shorten(code)!r}{did_you_mean(code, codes)}; there are "
                f"{', '.join(codes)}"
            )
    view = View(problem)
    certificate = certify(view)
    found = [Finding("workable", step, why[0].message, "numbers or options with which every step has a value")
             for step, why in faults(problem).items()]  # fmt: skip
    found += findings(view, frozenset(relax))
    if "separation" not in relax:
        found += [_unseen(code, certificate) for code in certificate.codes("same") if _matters(code)]
    tested = {v.step for v in certificate.verdicts if v.kind == "separated"}
    untested = [step.key for step in view.steps if step.key not in tested and not step.given]
    return Lint(
        problem,
        found,
        certificate,
        cost(view),
        [one.message.removeprefix("warning: ") for one in problem.warnings],
        untested,
    )


def _matters(code: str) -> bool:
    """Whether a mistake that cannot be seen is one that students make often."""
    from ..mistakes.catalogue import catalogue
    from ..mistakes.model import HIGH

    return catalogue()[code].weight >= HIGH


def _unseen(code: str, certificate: Certificate) -> Finding:
    from ..mistakes.catalogue import catalogue

    mistake = catalogue()[code]
    step = next(v.step for v in certificate.verdicts if v.code == code)
    return Finding("separation", step, f"{code} at {step} gives the same numbers", _remedy(mistake.same))


def _remedy(same: str) -> str:
    """What to change so that a mistake shows."""
    known = {"d_k = 1": "a d_k of 4, whose root is whole; d_k = 1 hides every scale mistake"}
    return known.get(same, f"a problem where this does not hold: {same}")


def lines(report: Lint) -> list[str]:
    """The report for people."""
    separated = report.certificate.codes("separated")
    found = [f"{report.problem.title or report.problem.name}"]
    for one in report.findings:
        found += textwrap.wrap(f"{one.says} ({one.demand})", WIDTH, initial_indent="  ", subsequent_indent="    ")
        found += textwrap.wrap(f"try {one.suggestion}", WIDTH, initial_indent="    ", subsequent_indent="    ")
    if not report.findings:
        found.append("  nothing to change")
    found += [f"  {said}" for said in report.unused]
    if report.untested:
        said = f"attncalc knows no mistake that would show in {', '.join(report.untested)}"
        found += textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ")
    told = counted(len(separated), "mistake")
    found.append(f"  tells {told} of the catalogue from the right answer")
    if elsewhere := made_elsewhere(report.certificate, report.problem):
        found += textwrap.wrap(in_later_lines(len(elsewhere)), WIDTH, initial_indent="    ", subsequent_indent="    ")
    found += [
        f"  work: {report.cost.products} products, {report.cost.hard} exponentials and quotients, "
        f"{report.cost.digits} digits to write"
    ]
    return found


def as_data(report: Lint) -> dict[str, Any]:
    """The report for programs."""
    return {
        "problem": report.problem.name,
        "findings": [
            {"demand": f.demand, "step": f.step, "says": f.says, "suggestion": f.suggestion} for f in report.findings
        ],
        "unused": report.unused,
        "untested": report.untested,
        "certificate": {kind: report.certificate.codes(kind) for kind in ("separated", "same", "hidden", "impossible")}
        | {"in_later_lines": made_elsewhere(report.certificate, report.problem)},
        "cost": {
            "products": report.cost.products,
            "hard": report.cost.hard,
            "digits": report.cost.digits,
            "total": report.cost.total,
        },
    }
