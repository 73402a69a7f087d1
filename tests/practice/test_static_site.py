"""Practice without a server: the same page and program on Pyodide, in Node and in a real Chromium.

ATTNCALC_NODE_MODULES names npm's folder, in which `pyodide` holds npm's package of the pinned version and the wheel of
python-flint for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import attncalc
from attncalc.cli import cli
from attncalc.errors import AttncalcError
from attncalc.practice.exercise_list import course_at, course_of
from attncalc.practice.operations import respond, respond_text
from attncalc.practice.static_site import (
    FLINT,
    PYODIDE,
    RUNTIME,
    WHEEL,
    _program,
    _pyodide_files,
    compile_archives,
    site,
)
from tests.support.audited import audited
from tests.support.browsing import chromium
from tests.support.programs import installed

HERE = Path(__file__).parents[1]
PACKAGE = Path(os.environ.get("ATTNCALC_NODE_MODULES", "node_modules")) / "pyodide"
IS_THERE = PACKAGE.is_dir() and any(WHEEL.fullmatch(file.name) for file in PACKAGE.iterdir())
needs_pyodide = pytest.mark.skipif(not IS_THERE, reason=f"Pyodide {PYODIDE} and python-flint for it are not here")
LESSONS = ("attention", "self_attention", "cross_attention", "positional_encoding", "rotary", "layer_norm", "rms_norm",
           "feed_forward", "next_word", "cross_entropy")  # fmt: skip
DOT = "title: A dot product\ngiven: {q: [[1, 2]], k: [[1, 1]]}\nsteps: {s: q @ k.T}\n"
PATH = "path:\n- {problem: dot.yaml}\n" + "".join(f"- {{generate: {lesson}}}\n" for lesson in LESSONS)
KEPT = "caches.open(names[0]).then((cache) => cache.keys()).then((files) => files.length > 30)"
LARGEST = 14_100_000  # bytes, compressed; 15 MB with all exercises


def pretended(folder, version=PYODIDE, left_out=""):
    """A folder that looks like Pyodide's."""
    folder.mkdir()
    for name in RUNTIME:
        if name != left_out:
            (folder / name).write_bytes(b"x")
    (folder / "package.json").write_text(json.dumps({"version": version}))
    if left_out != "wheel":
        with zipfile.ZipFile(folder / "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl", "w") as wheel:
            wheel.writestr("python_flint-0.9.0.dist-info/licenses/LICENSE", "its licence")
    return str(folder)


def test_the_browsers_flint_has_all_that_the_program_imports():
    """Without Node and Pyodide nothing else asks for it."""
    lines = [line for _, code in _program() for line in code.decode().splitlines() if "from flint import" in line]
    imported = {name.strip() for line in lines for name in line.partition(" import ")[2].split(",")}
    assert len(lines) > 9 and imported == {line.split()[-1] for line in FLINT.splitlines()[1:]}


def test_the_folder_holds_the_page_the_program_and_the_licences(tmp_path):
    course = course_of("rms_norm", None) | {"hints": 2}
    files = site(course, pretended(tmp_path / "pyodide"))
    assert files == site(course, str(tmp_path / "pyodide")), "the same program makes the same bytes"
    assert json.loads(files["course.json"])["hints"] == 2
    assert json.loads(files["idea-rms-norm.json"])["title"] == "RMS norm"
    assert [json.loads(response)["title"] for response in json.loads(files["prepared.json"]).values()]
    assert compile_archives(files) is None, "what is no Pyodide compiles nothing"
    index = files["index.html"]
    assert (
        "content-security-policy" in index
        and "nonce" not in index
        and "&quot;server&quot;: false" in index
        and "unsafe-inline" not in index
    )
    for word in ("Mozilla Public License", "its licence", "LGPL", "SIL Open Font"):
        assert word in files["LICENSES.txt"] or word == "LGPL"
    (tmp_path / "attncalc.zip").write_bytes(files["attncalc.zip"])
    names = zipfile.ZipFile(tmp_path / "attncalc.zip").namelist()
    for table in Path(attncalc.__file__).parent.glob("mistakes/*.json"):
        assert f"attncalc/mistakes/{table.name}" in names, "what the program reads is there"
    assert (
        "attncalc/practice/operations.py" in names
        and "yaml/__init__.py" in names
        and not any("/cli/" in name for name in names)
    )


@pytest.mark.parametrize("how", [{"left_out": "pyodide.mjs"}, {"left_out": "wheel"}, {"version": "0.26.0"}])
def test_what_is_missing_is_told_with_the_commands_that_bring_it(tmp_path, how):
    with pytest.raises(AttncalcError) as caught:
        _pyodide_files(pretended(tmp_path / "pyodide", **how))
    assert f"npm pack pyodide@{PYODIDE}" in str(caught.value) and "pip download" in str(caught.value)
    done = CliRunner().invoke(cli, ["practice", "-o", str(tmp_path / "site"), "--pyodide", str(tmp_path / "pyodide")])
    assert done.exit_code and not (tmp_path / "site").exists()


def requests(course, count):
    """So many scripts of each lesson, no two alike: right ones, and such in which a step is off in one of six ways."""
    items = {item["source"].get("generate"): item["id"] for item in course["groups"][0]["items"]}
    for lesson in LESSONS:
        task = respond(course, {"do": "new", "item": items[lesson], "seed": "node"})["task"]
        right = {step["name"]: step["cells"] for step in respond(course, {"do": "change", "task": task})["steps"]}
        for k in range(count):
            name = list(right)[k % len(right)]
            off = {**right, name: [[_off(text, k) for text in row] for row in right[name]]}
            off[name][0][0] += "1" * (k // 6)  # more and more digits: no script comes twice
            yield {"do": "check", "task": task, "answers": off if k else right, "progress": {}, "day": "2026-11-22"}
        yield {"do": "hint", "task": task, "answers": off, "step": name, "hint_level": 4}


def _off(text, k):
    try:
        value = float(text)
    except ValueError:
        return text
    return [text, f"{-value:.2f}", f"{value / 2:.2f}", f"{value * 2:.2f}", f"{value + 0.01:.2f}", text[:-1] or "0"][
        k % 6
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("site")
    (home / "dot.yaml").write_text(DOT)
    (home / "path.yaml").write_text(PATH)
    made = home / "site"
    arguments = ["practice", str(home / "path.yaml"), "-o", str(made), "--pyodide", str(PACKAGE)]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return made


@needs_pyodide
@pytest.mark.needs("node")
@pytest.mark.sweep(quick=0, ci=1)
@pytest.mark.parametrize("count", [7, 20])
def test_responses_are_the_same_to_the_byte_in_node(folder, count):
    course = course_at(str(folder.parent / "path.yaml"))
    shown = json.loads((folder / "prepared.json").read_text(encoding="utf-8"))
    lines = [*shown, *(json.dumps(one) for one in requests(course, count))]
    assert len(set(lines)) == len(lines) == 2 + (count + 2) * len(LESSONS)
    command = [installed("node"), str(HERE / "support" / "practice_in_node.mjs"), str(folder)]
    run = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=600)
    found = run.stdout.splitlines()
    assert len(found) == len(lines), run.stderr[-1000:]
    assert found == [respond_text(course, line) for line in lines]
    assert found[: len(shown)] == list(shown.values()), "what the page shows before Python comes"


@needs_pyodide
@pytest.mark.needs("chromium")
def test_a_plain_file_server_is_enough(folder):
    size = sum(len(_deflated(file)) for file in folder.iterdir())
    assert size <= LARGEST, size
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with chromium() as browser:
        page = browser.new_context(bypass_csp=True).new_page()  # axe comes from outside
        wrong = []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        page.set_default_timeout(120_000)
        page.wait_for_selector(".item")
        page.wait_for_selector("#python:not(:empty)")
        audited(page, "site-choose")
        page.locator(".item").first.click()
        page.wait_for_selector(".idea .worked")
        audited(page, "site-idea")
        page.click("text=Start the exercise >> nth=0")
        page.locator(".typed input").fill("3")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Everything is right.")
        audited(page, "site-practise")
        page.click("header >> text=Playground")
        page.wait_for_selector(".steps td")
        audited(page, "site-playground")
        page.click("header >> text=Progress")
        page.wait_for_selector("text=No mistakes yet")
        audited(page, "site-progress")
        page.goto(f"{page.url.partition('#')[0]}?again#choose")
        page.wait_for_selector("text=done once")
        page.wait_for_function(f"() => caches.keys().then((names) => names.length && {KEPT})")
        page.evaluate("() => navigator.serviceWorker.ready")
        page.context.set_offline(True)
        page.goto(f"{page.url.partition('?')[0]}?offline#choose")
        page.locator(".item", has_text="Layer norm").click()
        page.wait_for_selector(".idea .worked")
        page.click("text=Start the exercise >> nth=0")
        page.wait_for_selector("#python:empty", state="attached")
        page.locator(".typed input").first.fill("3")
        page.locator(".step button:text('Check')").click()
        page.wait_for_selector(".verdict.missing")
        assert not wrong
        context = browser.new_context()
        context.route("**/pyodide.mjs", lambda route: route.abort())
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        page.locator(".item", has_text="Layer norm").click()
        page.click("text=Start the exercise >> nth=0")
        page.wait_for_selector(".typed input")
        page.wait_for_selector("text=The program could not be loaded")
    server.shutdown()


def _deflated(file):
    import gzip

    return file.read_bytes() if file.suffix in (".zip", ".woff2") else gzip.compress(file.read_bytes())


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *told):
        pass
