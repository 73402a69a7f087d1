"""A template or a picture of a user's own takes no more than its time and memory, and its faults name their line."""

import re
import struct
import zlib
from pathlib import Path

import pytest

from attncalc import check, load, processor_limit, solve
from attncalc.errors import AttncalcError
from attncalc.exam.images import Figure, figure_files
from attncalc.explain.report_document import report_document
from attncalc.explain.solution_document import solution_document
from attncalc.render import latex, markdown, template_renderer
from attncalc.resources import problem_names
from tests.support.called import called

GUIDE = Path(__file__).parents[2] / "docs/how-to/pages.md"
SMALL = "look-ahead-mask"
LIMITS = ("s of processor time, found one that takes longer", "MB of memory, found one that needs more")


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(processor_limit, "MOST_SECONDS", 1)


def solved_by(folder, medium, name, text):
    (folder / name).write_text(text)
    return called("solve", SMALL, "--to", medium, "--template", folder, "-o", folder / f"out.{medium}")


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 3000000000 }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for a in range(99999) %}{{ 'x' * 100000 }}{% endfor %}",
        "{{ 10 ** (10 ** 9) }}",
        "{{ 'x' * 30000000 }}",
    ],
)
def test_a_template_of_the_users_own_is_limited(text, tmp_path):
    code, _, err = solved_by(tmp_path, "html", "solution.html", text)
    assert code == 2 and "solution.html: expected a " in err and "make its loops and texts shorter" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("medium", "name", "text"),
    [
        ("pdf", "solution.typ", "#{for a in range(10000) {for b in range(10000) {let c = a}}}"),
        ("pdf", "solution.typ", "#{range(1000000000).len()}"),
        ("png", "maps.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000"></svg>'),
    ],
)
def test_what_typst_makes_of_such_a_template_is_limited(medium, name, text, tmp_path):
    code, _, err = solved_by(tmp_path, medium, name, text)
    assert (
        code == 2
        and err.count("\n") == 1
        and any(says in err for says in (*LIMITS, "Typst cannot", "a picture in PNG can have at most"))
    )


@pytest.mark.parametrize("text", ["\n{{ 1 // 0 }}", "\n{{ [].pop() }}", "\n{{ {}.popitem() }}", "\n{{ [1][5] + 1 }}"])
def test_a_fault_names_the_line_and_a_reason(text, tmp_path):
    code, _, err = solved_by(tmp_path, "text", "solution.txt", text)
    assert code == 2 and "solution.txt:2:1: the template fails: " in err and not err.endswith(": \n")


FAULTS = ["{{ (10**5000)|string }}", "{{ 1 // 0 }}", "{{ 1 + '1' }}", "{{ [1].index(2) }}", "{{ '%d' % 'a' }}"]


@pytest.mark.parametrize("text", FAULTS)
def test_a_reason_is_in_plain_words(text, tmp_path):
    """Python's words advise what a template cannot do, such as calls of sys."""
    code, _, err = solved_by(tmp_path, "text", "solution.txt", text)
    reason = err.partition("the template fails: ")[2]
    assert code == 2 and "solution.txt" in err and reason.startswith("it ") and not set("_()") & set(reason)


def test_a_fault_in_typst_names_the_folder_and_quotes_the_line(tmp_path):
    code, _, err = solved_by(tmp_path, "pdf", "solution.typ", "words\n#while true { }")
    assert code == 2 and err.startswith(str(tmp_path)) and err.endswith(", found #while true { }\n")


def png(side):
    """A picture in black, in few bytes."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, row = zlib.compressobj(9), bytes(side // 8 + 1)
    rows = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_picture_that_is_huge_is_refused():
    assert figure_files([Figure("small.png", png(8))], latex=False)
    with pytest.raises(AttncalcError, match=r"huge\.png: expected a picture that can be drawn"):
        figure_files([Figure("huge.png", png(40_000))], latex=False)


def test_a_picture_of_too_many_pixels_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("attncalc.render.png.MOST_PIXELS", 1_000)
    code, _, err = called("solve", SMALL, "-o", tmp_path / "out.png")
    assert (
        code == 2 and "a picture in PNG can have at most 1,000 pixels; found " in err and "--step chooses fewer" in err
    )


def table_of_blocks():
    """Return the kinds of blocks and their fields, from the guide's table."""
    rows = re.findall(r"^\| (`.+?) \| .+? \| (.+?) \|$", GUIDE.read_text(), re.M)
    return {kind: re.findall(r"`(\w+)`", fields) for kinds, fields in rows for kind in re.findall(r"`(\w+)`", kinds)}


@pytest.mark.sweep(quick=10)
@pytest.mark.parametrize("name", problem_names())
def test_the_guide_lists_the_blocks_and_fields_of_templates(name, monkeypatch):
    problem, blocks, listed = load(name), [], table_of_blocks()
    solution = solve(problem)
    documents = [solution_document(solution, solution.parts, None), report_document(check(problem, {}), solution)]
    render = template_renderer.render
    monkeypatch.setattr(
        template_renderer,
        "render",
        lambda *values, **more: blocks.extend(values[2]["blocks"]) or render(*values, **more),
    )
    for document in documents:
        latex.write(document)
        markdown.write(document)
    fields = {(block["kind"], field) for block in blocks for field in block if field != "kind"}
    assert fields and fields <= {(kind, field) for kind in listed for field in listed[kind]}


def test_generate_takes_templates_and_has_a_title_in_words(tmp_path):
    (tmp_path / "solution.md").write_text("of mine: {{ title }}; {{ blocks[0].kind }}")
    words = ["generate", "rms_norm", "--seed", "3", "--to", "markdown", "--template", tmp_path]
    assert called(*words)[:2] == (0, "of mine: RMS norm, variant 1; title\n")
    assert called(*words, "-n", 2, "-o", tmp_path / "out")[0] == 0
    assert {path.read_text() for path in (tmp_path / "out").iterdir()} == {
        f"of mine: RMS norm, variant {number}; title\n" for number in (1, 2)
    }
    code, _, err = called("generate", "rms_norm", "--template", tmp_path)
    assert code == 2 and "--template works only with --to latex" in err
