"""Programs that pip cannot install: a test that runs one says so by `needs`, and no other test finds any.

    @pytest.mark.needs("pdflatex")

skips the test where the program is missing or cannot do what the tests ask of it (TeX without the packages of the
pages). All other tests run with a PATH on which these programs are hidden, so that a call without the mark fails on
every machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

OPTIONAL = re.compile(
    r".*latex|.*tex|tex|(xe|lua|chrom|google-chrome|firefox|pdf|node|npm|npx).*|R|Rscript|pandoc|maxima"
)
SET_BY_TEX = r"""\documentclass{article}\usepackage{iftex}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{lmodern}
\usepackage{geometry}\usepackage{amsmath,amssymb,graphicx,xcolor}\begin{document}x\end{document}"""
NAMES = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox", "firefox-esr")}


def installed(program: str) -> str | None:
    """Where a program is, a browser under any of its names."""
    return next(filter(None, map(shutil.which, NAMES.get(program, (program,)))), None)


@cache
def missing(program: str) -> str:
    """Why a program cannot be used in the tests, empty where it can."""
    found = installed(program)
    if found is None:
        return f"{program} is not installed"
    if program != "pdflatex":
        return ""
    with TemporaryDirectory() as folder:
        Path(folder, "page.tex").write_text(SET_BY_TEX, encoding="utf-8")
        command = [found, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
    return "pdflatex lacks packages that the pages use" if done.returncode else ""
