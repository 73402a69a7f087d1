"""How much memory a solution takes beside the same matrices in python-flint."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from . import samples, sides

CODE = """
import resource
from tests.bench import sides
race = sides.attention({tokens}, {width})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kept = race[{side!r}]()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def peak(side: str, tokens: int, width: int) -> float:
    """Mebibytes by which one call raises the peak of a fresh process."""
    code = CODE.format(side=side, tokens=tokens, width=width)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return int(done.stdout) / unit


WATCHED = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "attncalc", "solve", *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_of_a_stack() -> float:
    """Megabytes that `attncalc solve` takes at most for 12 encoder layers of 16 tokens × 32, printed in the
    terminal.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder, "stack.yaml")
        file.write_text(json.dumps(samples.encoder(16, 32, 4, 128, 12)).replace('", "', '","'), encoding="utf-8")
        return _peak_of_solve(str(file))


def peak_of_pages(count: int) -> float:
    """Megabytes that `attncalc solve` takes at most for one PDF of so many problems."""
    with TemporaryDirectory() as folder:
        return _peak_of_solve(*sides.attention_files(count, Path(folder)), "-o", f"{folder}/pages.pdf")


def _peak_of_solve(*arguments: str) -> float:
    done = subprocess.run([sys.executable, "-c", WATCHED, *arguments], check=True, capture_output=True, text=True)
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1 << 10) / 1e6


def growth_of_memory() -> str:
    parts = [f"{side} {peak(side, 64, 64):.1f} MiB" for side in ("flint", "enclosures", "digits")]
    return f"Memory that one masked self-attention of 64 tokens × 64 adds to a process: {', '.join(parts)}."
