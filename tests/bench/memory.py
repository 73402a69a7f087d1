"""How much memory a solution takes beside the same matrices in python-flint."""

from __future__ import annotations

import subprocess
import sys

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


def growth_of_memory() -> str:
    parts = [f"{side} {peak(side, 64, 64):.1f} MiB" for side in ("flint", "enclosures", "digits")]
    return f"Memory that one masked self-attention of 64 tokens × 64 adds to a process: {', '.join(parts)}."
