"""The commands of an exam against those of an earlier commit, on the same exam and the same class."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path

from . import grading
from .clock import Side
from .papers import CHANGES, COMMAND, sheet_with

COMMIT = "860c3b08"  # the last one before the issue that asks for half its times
ROOT = Path(__file__).parents[2]
EARLIER_NAMES = {"regrade": "remark"}
SCRIPTS, VARIANTS = 150, 30


def commands(papers: int, folder: Path) -> dict[str, Side]:
    """`exam`, `grade` with HTML pages, and `regrade`, each of this tree and of the commit; a class shares its papers."""
    archive = ["git", "archive", COMMIT, "attncalc", "templates", "problems"]
    files = subprocess.run(archive, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as tree_of_commit:
        tree_of_commit.extractall(folder / COMMIT, filter="data")
    grading.write_class(folder, SCRIPTS, VARIANTS)
    (folder / "changes.yaml").write_text(CHANGES, encoding="utf-8")
    sides: dict[str, Side] = {}
    for tree, of in ((ROOT, ""), (folder / COMMIT, f" {COMMIT}")):
        out = folder / f"results{of}"
        out.mkdir()
        (out / "sheet.yaml").write_bytes(sheet_with(papers))  # each with a secret of its own beside it
        pages = (
            "-o",
            out / "marks.csv",
            "--report",
            out / "class.html",
            "--feedback",
            out / "feedback",
            "--to",
            "html",
        )
        again = ("regrade", "key.json", "changes.yaml", "scripts", "--marks", out / "new.csv", "-o", out / "new.html")
        for arguments in (
            ("exam", out / "sheet.yaml", "-o", out / "exam"),
            ("grade", "key.json", "scripts", *pages),
            again,
        ):
            sides[arguments[0] + of] = partial(_run, folder, tree, *map(str, arguments))
    return sides


def _run(folder: Path, tree: Path, command: str, *arguments: str) -> None:
    name = command if tree == ROOT else EARLIER_NAMES.get(command, command)
    code = [sys.executable, "-c", COMMAND, name, *arguments, "--force", "--jobs", "1"]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    ended = subprocess.run(code, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if ended.returncode > 1:  # 1: a person should look at a script
        raise RuntimeError(ended.stderr.decode())
