"""The law of hostile certificates: whatever verify.py is required, it ends within its limits, with a message."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from attncalc import verify

MOST_SECONDS, MOST_KILOBYTES = 20, 1_000_000
FILE = Path(verify.__file__)
NUMBERS = (
    "0", "1", "-1", "7/3", "0.1", "1e-9", "1e44999", "-1e44999", "1e-44999", "inf", "-inf", "pi", "e", "10**9", "10**10**9", "2**0.5",
    "1." + "0" * 300 + "1", "1" * 4_000, "0." + "3" * 20_000, "sqrt(2)", "90000", "-90000", "262537412640768744",
)  # fmt: skip
SIZES = ("0", "1", "2", "17", "512", "4096", "4097", "10**9", "-3", "1/2", "rows(X)")
MATRICES = (
    "zeros({s},{s})", "ones({s},{s})", "identity({s})", "arange({n},{s})", "arange(0,{s})", "causal({s},{s})", "band({s},{s},{n})", "X",
    "alibi_slopes({s})", "sinusoidal({s},{s},base={n})", "alibi({s},{s},{n})", "links({s},{s},\"{w}\")", "global_tokens({s},{s},\"{w}\")", "Y.T",
    "sinusoidal(64,64)", "sin(sinusoidal(40,40))", "one_hot(arange(0,{s}),{s})", "one_hot({m},{s})", "rotation({n})",
)  # fmt: skip
OVER = (
    "exp({m})", "log({m})", "sqrt({m})", "sin({m})", "cos({m})", "tanh({m})", "erf({m})", "abs({m})", "floor({m})", "softmax({m},base={n})",
    "softmax({m},axis=\"all\",empty=\"zeros\")", "{m} @ {m}", "{m} + {m}", "{m} * {m}", "{m} - {m}", "{m} / {m}", "{m} ** {m}", "{m} ** {n}",
    "{n} ** {m}", "({n}) ** ({n})", "({m}).T", "({m})[{s}]", "({m})[0:{s}]", "({m})[:, {s}]", "sort_rows({m})", "order_rows({m}, {s})",
    "top_k({m}, {s})", "top_p({m}, {n})", "cumsum_rows({m})", "row_sum({m})", "total({m})", "var({m})", "layer_norm({m})", "rope({m}, base={n})",
    "rows({m})", "vstack({m},{m},{m})", "hstack({m},{m})", "flat({m})", "keep({m},{m})", "round({m}, {s})", "normalize({m})", "gelu({m})",
    "lookup({m},{m})", "cross_entropy({m},{m})", "maximum({m},{n})", "rows(vstack({many}))", "best({m},{s})", "({n}) * {m}", "{n}",
)  # fmt: skip
WORDS = ("1" * 60 + "x", "0-1 " * 9_000, "0 " * 20_000, "1-2-3", " " * 40_000)


def formula(draw, depth):
    """A formula by the grammar above; what is nested deepest is a matrix or a number."""
    form = draw.choice(OVER if depth else MATRICES if draw.random() < 0.7 else NUMBERS)
    if "{many}" in form:
        return form.replace("{many}", ",".join([formula(draw, 0)] * draw.choice([2, 40, 1_500])))
    while "{" in form:
        name = form[form.index("{") + 1]
        form = form.replace(
            f"{{{name}}}",
            formula(draw, depth - 1 if depth else 0)
            if name == "m"
            else draw.choice({"n": NUMBERS, "s": SIZES, "w": WORDS}[name]),
            1,
        )
    return form


def nested(draw, inside):
    """A formula within many of the same."""
    form = draw.choice(
        ["exp({})", "-{}", "({})", "sqrt({})", "({})*({})", "({}).T", "softmax({})", "({} + 1)", "({}) ** 2"]
    )
    for _ in range(draw.choice([1, 5, 12, 90, 3_000])):
        longer = form.replace("{}", inside)
        if len(longer) > 60_000:
            break
        inside = longer
    return inside


def certificate(seed):
    """A certificate that asks for something huge, tiny, long or deep."""
    draw = random.Random(seed)
    digits = draw.choice([0, 4, 4, 4, 30, 1_000])
    steps = []
    for name in ("Y", "Z", "W")[: draw.randint(1, 3)]:
        text = formula(draw, draw.randint(0, 3))
        text = nested(draw, text) if draw.random() < 0.3 else text
        text = " + ".join([text] * draw.choice([2, 50, 2_000])) if draw.random() < 0.1 else text
        n, m = draw.choice([(1, 1)] * 6 + [(2, 2), (512, 512)])
        entry = draw.choice(["0", "inf", "0." + "0" * digits, "1e44999", "9" * 49_000 if n == 1 else "9"])
        steps.append(
            {
                "name": name,
                "formula": text if name == "Y" or draw.random() < 0.5 else text.replace("X", "Y"),
                "printed": [[entry] * m] * n,
                "enclosures": [[[entry, entry] if entry != "inf" else "inf"] * m] * n,
            }
        )
    values = draw.choice([formula(draw, 1).replace("X", "1").replace("Y", "2"), [["1", "2"]], [["0.5"] * 512] * 512])
    part = {"name": None, "rounding": {"digits": digits, "mode": "half_up"}, "givens": {}, "steps": steps}
    return {
        "certificate": verify.FORMAT,
        "title": None,
        "carried": draw.random() < 0.3,
        "givens": {"X": {"values": values}},
        "parts": [part],
        "checksum": "",
    }


LARGE = {
    "lists": "[" + "[]," * 5_000_000 + "1]",
    "mappings": "[" + "{}," * 5_000_000 + "1]",
    "texts": '{"certificate": "attncalc 2", "title": null, "carried": false, "givens": {}, "checksum": "", "parts": ['
    + '"ab",' * 2_500_000
    + "1]}",
    "deep": "[" * 15_000_000,
    "a long file": " " * 17_000_000,
    "a long number": '{"carried": ' + "9" * 15_000_000 + "}",
}


# A process begins with the peak memory of the one that started it, so a small one starts verify.py and measures it
MEASURED = """
import json, os, resource, subprocess, sys

def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (2 * kilobytes << 10,) * 2)

seconds, kilobytes = map(int, sys.argv[1:3])
with open(sys.argv[3], "wb") as output:
    run = subprocess.Popen([sys.executable, "-I", "-S", *sys.argv[4:]], stdout=output, stderr=output, preexec_fn=limited)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps([run.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def verified(path):
    """Exit code, output, seconds of processor time and kilobytes of a run of verify.py in a process of its own."""
    output = path.with_suffix(".out")
    words = [sys.executable, "-I", "-S", "-c", MEASURED, str(MOST_SECONDS), str(MOST_KILOBYTES), output, FILE, path]
    code, seconds, kilobytes = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return code, output.read_text(encoding="utf-8"), seconds, kilobytes


def require_an_end(text, path):
    path.write_text(text)
    code, out, seconds, kilobytes = verified(path)
    assert code in (0, 1, 2) and out.strip() and "Traceback" not in out, (code, out[-300:])
    assert seconds < MOST_SECONDS and kilobytes < MOST_KILOBYTES, (seconds, kilobytes)


@pytest.mark.sweep(quick=2, ci=8)
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
@pytest.mark.parametrize("seed", range(150, 450))
def test_a_hostile_certificate_ends_within_its_limits(seed, tmp_path):
    require_an_end(json.dumps(certificate(seed)), tmp_path / "c.json")


@pytest.mark.sweep(quick=1, ci=True)
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
@pytest.mark.parametrize("what", LARGE)
def test_a_large_file_ends_within_its_limits(what, tmp_path):
    require_an_end(LARGE[what], tmp_path / "c.json")
