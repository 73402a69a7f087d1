"""Makes the README's pictures, docs/solve.svg and docs/check.svg, from the problem that comes with it: python
docs/make_picture.py

The SVGs carry their own dark ground, so that they read on light pages and on dark ones, and name only fonts that
systems have.
"""

import io
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from attncalc import check, load, solve
from attncalc.explain.report_document import report_document
from attncalc.explain.solution_document import solution_document
from attncalc.render.terminal import write

DOCS = Path(__file__).parent
STEPS = ("S", "A", "Z")
WIDTH = 81
GROUND, INK = (24, 26, 33), (214, 217, 224)
THEME = TerminalTheme(GROUND, INK, [GROUND] * 8, [INK] * 8)
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="attncalc solve in a terminal">
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; \
line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
<rect width="{width}" height="{height}" rx="10" fill="#181a21"/>
<g transform="translate({terminal_x}, 14)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""  # noqa: E501


PROBLEM = "three-words-look-back"


def solution(console: Console) -> None:
    """The steps of the problem that say most."""
    console.print(Text(f" $ attncalc solve first.yaml {' '.join(f'--step {step}' for step in STEPS)}", "bold"))
    solved = solve(load(PROBLEM))
    write(solution_document(solved, solved.parts, set(STEPS)), console)


def script(console: Console) -> None:
    """A script to it, marked."""
    console.print(Text(" $ attncalc check first.yaml answers.yaml", "bold"))
    report = check(PROBLEM, DOCS.parent / "problems" / "answers" / f"{PROBLEM}.yaml")
    write(report_document(report, solve(report.problem), False), console)


def picture(said: str, draw: Callable[[Console], None]) -> str:
    """The SVG of what is written to a terminal."""
    console = Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    draw(console)
    return console.export_svg(
        theme=THEME,
        code_format=FORMAT.replace("attncalc solve in a terminal", said),
        unique_id="t",
        font_aspect_ratio=0.602,
    )


PICTURES = {"solve": ("attncalc solve in a terminal", solution), "check": ("attncalc check in a terminal", script)}

if __name__ == "__main__":
    for name, drawn in PICTURES.items():
        (DOCS / f"{name}.svg").write_text(picture(*drawn), encoding="utf-8")
