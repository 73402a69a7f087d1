"""The precision of ball arithmetic is one for the process: threads take turns and leave it as it was."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from flint import ctx

import attncalc
from attncalc import load, solve
from attncalc.arithmetic.working_precision import working_precision

DEFAULT = 53


def nested(bits):
    """The precisions that a thread sees in its blocks, while other threads run."""
    seen = []
    with working_precision(bits):
        time.sleep(0.001)
        seen.append(ctx.prec)
        with working_precision(2 * bits):
            time.sleep(0.001)
            seen.append(ctx.prec)
        seen.append(ctx.prec)
    return seen


def test_law_each_thread_sees_its_own_precision_and_leaves_the_default():
    asked = [60 + 7 * k for k in range(40)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(nested, asked)) == [[bits, 2 * bits, bits] for bits in asked]
    assert ctx.prec == DEFAULT


def page(name):
    return solve(load(name))._repr_html_()


def test_problems_that_are_solved_in_threads_print_the_same():
    names = ["translate-two-words", "three-words-look-back"]
    alone = [page(name) for name in names]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(page, names * 4)) == alone * 4
    assert ctx.prec == DEFAULT


def test_no_other_module_sets_the_precision():
    files = Path(attncalc.__file__).parent.rglob("*.py")
    setters = [
        file.name for file in files if any(word in file.read_text("utf-8") for word in ("workprec", "ctx.prec ="))
    ]
    assert setters == ["working_precision.py"]
