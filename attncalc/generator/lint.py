"""Quality report on a problem that a person wrote: unmet requirements, and what to change."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .. import limits
from ..arithmetic.budget import MOST_SECONDS, GiveUp, Meter, spending
from ..errors import AttncalcError, counted, did_you_mean, listed, shorten
from ..formula.operations import needed
from ..lessons.lesson import without_head
from ..mistakes.catalogue import catalogue
from ..mistakes.mistake import HIGH
from ..mistakes.recognition.roles import forms_of, recogniser_of
from ..plan import Given
from ..problem.problem import Problem
from ..submissions.step_names import other_names
from .distinguishability import KINDS, Certificate, certify, codes_of_unasked_steps, unasked_steps_note, untried_note
from .numeric_view import NumericView
from .requirements import SINGLE_REQUIREMENTS, Finding, unsolvable_steps
from .workload import Cost, cost

WIDTH = 80
FOR_WORKLOAD = 2.0  # seconds of work that the count of operations may take


class Unrecognised(NamedTuple):
    """An own step whose formula is not recognised as what its name means, the mistakes that are therefore not looked
    for, and forms of the formula that are recognised. It may be for the steps `after` which it comes.
    """

    step: str
    codes: list[str]
    forms: tuple[str, ...]
    after: list[str]


@dataclass(frozen=True, slots=True)
class Lint:
    """Findings, certificate and workload of a problem, its unused givens, the steps in which no known mistake shows,
    the own steps that are not recognised, and the codes of requirements that the budget did not suffice to check.
    """

    problem: Problem
    findings: list[Finding]
    certificate: Certificate
    cost: Cost | None  # None if the budget does not suffice to count it
    unused: list[str]
    untested: list[str]
    unrecognised: list[Unrecognised]
    unchecked: list[str]


def lint(problem: Problem, relax: tuple[str, ...] = ()) -> Lint:
    """Return the quality report of a problem. Raises AttncalcError where `relax` names no requirement."""
    codes = [demand.code for demand in SINGLE_REQUIREMENTS]
    for code in relax:
        if code not in codes:
            near = f"{did_you_mean(code, codes)}; there are {', '.join(codes)}"
            raise AttncalcError(f"--relax: no requirement is called {shorten(code)!r}{near}")
    view = NumericView(problem)
    with spending(Meter(MOST_SECONDS)):
        unmet, unchecked = _unmet(view, frozenset(relax))
        certificate = certify(view)
    lint_findings = [
        Finding("workable", step, diagnostics[0].message, "numbers or options for which every step has a value")
        for step, diagnostics in unsolvable_steps(problem).items()
    ]
    lint_findings += unmet
    if "separation" not in relax:
        common = (code for code in certificate.codes("same") if catalogue()[code].weight >= HIGH)
        lint_findings += [_indistinct_finding(code, certificate) for code in common]
    tested = {v.step for v in certificate.verdicts if v.kind in ("separated", "untried")}
    untested = [step.key for step in view.steps if step.key not in tested and not step.given]
    warnings = [warning.message.removeprefix("warning: ") for warning in problem.warnings]
    warnings += _doubled_labels(problem)
    unrecognised = list(_unrecognised(problem, certificate))
    return Lint(problem, lint_findings, certificate, _cost(view), warnings, untested, unrecognised, unchecked)


def _unrecognised(problem: Problem, certificate: Certificate) -> Iterator[Unrecognised]:
    """Yield the own steps that have the name of a lesson's step, and a formula without a role."""
    unrecognised: list[str] = []
    recogniser = recogniser_of(problem.plan, problem.columns)
    tried = {(verdict.step, verdict.code) for verdict in certificate.verdicts}
    for step in problem.plan.steps():
        name = without_head(step.name)
        roles = [name, *other_names(name)] if step.is_own else []
        role = next((role for role in roles if forms_of(role, problem.columns)), "")
        codes = [code for code, mistake in catalogue().items() if role in mistake.steps and not mistake.lessons]
        is_tried = any((step.key, code) in tried for code in codes)
        has_role = any(not part.spot.path for part in recogniser.parts[step.key]) or recogniser.has_form(role, step)
        if codes and not is_tried and not has_role:
            after = [key for key in unrecognised if key in needed(step.node)]
            unrecognised.append(step.key)
            yield Unrecognised(step.key, codes, forms_of(role, problem.columns), after)


def _doubled_labels(problem: Problem) -> Iterator[str]:
    """Yield a sentence for each label that several rows or columns of a given have."""
    for given in problem.plan.entries.values():
        for axis, labels in (("rows", given.rows), ("columns", given.columns)) if isinstance(given, Given) else ():
            for label, count in Counter(labels).items():
                if count > 1:
                    doubled = f"{count} {axis} have the label {shorten(label)!r}"
                    yield f"{given.name}: {doubled}; use numbers instead of this label in formulas and answers"


def _unmet(view: NumericView, relaxed: frozenset[str]) -> tuple[list[Finding], list[str]]:
    """Return the failures of the requirements, and the codes of those that were not checked to their end."""
    unmet: list[Finding] = []
    unchecked: list[str] = []
    for demand in SINGLE_REQUIREMENTS:
        if demand.code not in relaxed:
            try:
                unmet += demand.find(view)
            except GiveUp:
                unchecked.append(demand.code)
    return unmet, unchecked


def _cost(view: NumericView) -> Cost | None:
    """Return the workload; most of its numbers are known by now."""
    try:
        with spending(Meter(FOR_WORKLOAD)):
            return cost(view)
    except GiveUp:
        return None


def _indistinct_finding(code: str, certificate: Certificate) -> Finding:
    step = next(v.step for v in certificate.verdicts if v.code == code)
    return Finding(
        "separation", step, f"the mistake {code} in {step} does not change the numbers", _remedy(catalogue()[code].same)
    )


def _remedy(same: str) -> str:
    if same in ("d_k = 1", "the scale is 1"):
        return f"a scale other than 1, such as √d_k for d_k = 4; if {same}, mistakes in the scale change nothing"
    return f"a problem in which this is not true: {same}"


def lines(report: Lint) -> list[str]:
    """Return the report as lines of text."""
    separated = report.certificate.codes("separated")
    report_lines = [f"{report.problem.title or report.problem.name}"]
    for finding in report.findings:
        report_lines += _wrapped(f"{finding.says} ({finding.demand})", "  ")
        report_lines += _wrapped(f"try {finding.suggestion}", "    ")
    if not (report.findings or report.unchecked or report.unrecognised):
        report_lines.append("  no change is needed")
    if report.unchecked:
        reason = f"{limits.SECONDS}: {listed(report.unchecked)}; {limits.SECONDS.remedy}"
        sentence = f"some requirements were not checked, because {reason}"
        report_lines += _wrapped(sentence, "  ")
    report_lines += [f"  {warning}" for warning in report.unused]
    if report.untested:
        sentence = f"attncalc knows no mistake in {', '.join(report.untested)}"
        report_lines += _wrapped(sentence, "  ")
    for step, codes, forms, after in report.unrecognised:
        missed = (
            f"attncalc does not recognise the formula of {step}, so it cannot detect these mistakes: {', '.join(codes)}"
        )
        report_lines += _wrapped(missed, "  ")
        advice = (
            f"change {listed(after)} first"
            if after
            else f"if you mean {' or '.join(forms)}, write this formula with the names of earlier steps"
        )
        report_lines += _wrapped(advice, "    ")
    if untried := untried_note(report.certificate):
        report_lines += _wrapped(untried, "  ")
    count = counted(len(separated), "mistake")
    report_lines.append(f"  the numbers can reveal {count}")
    if unasked := codes_of_unasked_steps(report.certificate, report.problem):
        report_lines += _wrapped(unasked_steps_note(len(unasked)), "    ")
    if report.cost is not None:
        cost = f"{report.cost.products} products, {report.cost.hard} exponentials and quotients"
        report_lines.append(f"  work: {cost}, {report.cost.digits} digits to write")
    return report_lines


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent="    ", break_on_hyphens=False)


def as_data(report: Lint) -> dict[str, object]:
    return {
        "problem": report.problem.name,
        "findings": [
            {"demand": f.demand, "step": f.step, "says": f.says, "suggestion": f.suggestion} for f in report.findings
        ],
        "unused": report.unused,
        "untested": report.untested,
        "unrecognised": [unrecognised._asdict() for unrecognised in report.unrecognised],
        "unchecked": report.unchecked,
        "certificate": {kind: report.certificate.codes(kind) for kind in KINDS}
        | {"in_later_lines": codes_of_unasked_steps(report.certificate, report.problem)},
        "cost": report.cost and {name: getattr(report.cost, name) for name in ("products", "hard", "digits", "total")},
    }
