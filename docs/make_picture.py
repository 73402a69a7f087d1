"""Makes docs/solve.svg, the README's picture, from the README's first problem: python docs/make_picture.py

The SVG carries its own dark ground, so that it reads on light pages and on dark ones, and names only fonts that systems have.
"""

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from attncalc import load, solve
from attncalc.explain.solution import solution_document
from attncalc.write.terminal import write

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
"""


def first_problem(folder: str) -> Path:
    """The README's first problem file, as it stands there."""
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    text = re.search(r"<!-- example: first.yaml -->\n```yaml\n(.*?)```", readme, re.DOTALL)[1]
    path = Path(folder, "first.yaml")
    path.write_text(text, encoding="utf-8")
    return path


def picture() -> str:
    looks = {"force_terminal": True, "color_system": "truecolor", "legacy_windows": False}
    console = Console(record=True, width=WIDTH, file=io.StringIO(), **looks)
    console.print(Text(f" $ attncalc solve first.yaml {' '.join(f'--step {step}' for step in STEPS)}", "bold"))
    with tempfile.TemporaryDirectory() as folder:
        solution = solve(load(first_problem(folder)))
    write(solution_document(solution, solution.parts, set(STEPS)), console)
    return console.export_svg(theme=THEME, code_format=FORMAT, unique_id="t", font_aspect_ratio=0.602)


if __name__ == "__main__":
    (DOCS / "solve.svg").write_text(picture(), encoding="utf-8")
