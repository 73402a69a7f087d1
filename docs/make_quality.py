"""Writes the table of `docs/quality.md`: `attncalc lint` on every problem that comes along. Run by `python
docs/make_quality.py`.
"""

from collections import Counter
from pathlib import Path

from attncalc import load
from attncalc.generator.lint import lint
from attncalc.resources import problem_names

PAGE = Path(__file__).parent / "quality.md"
MARK = "<!-- table -->\n"


def table() -> str:
    lines = ["| problem | mistakes told apart | findings |", "| --- | --- | --- |"]
    for name in problem_names():
        report = lint(load(name))
        counts = Counter(finding.demand for finding in report.findings)
        found = ", ".join(f"{demand} {count}" for demand, count in sorted(counts.items())) or "none"
        lines.append(f"| {name} | {len(report.certificate.codes('separated'))} | {found} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8").split(MARK)[0]
    PAGE.write_text(before + MARK + table(), encoding="utf-8")
