"""Pictures of matrices: every cell, label and number in its place, text as text, nothing fetched."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from xml.etree import ElementTree

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.explain.solution_document import solution_document
from attncalc.render.png import write as write_png
from attncalc.render.svg import write
from attncalc.resources import problem_names
from tests.support.sweeps import for_each
from tests.support.timing import takes_less_than

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", "$x$", "a & b", '"><g onload=y>', "{{ 7 }}", "猫", "שלום", "\x00\x1b[31m"]


def picture(problem: dict | str, steps: set[str] | None = None) -> ElementTree.Element:
    solution = solve(load(problem))
    return ElementTree.fromstring(write(solution_document(solution, solution.parts, steps)))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def cells(root: ElementTree.Element) -> list[tuple[str, str, float]]:
    """What is told of each cell, its colour, and how much of it."""
    return [
        (g[0].text or "", g[1].get("class", ""), float(g[1].get("fill-opacity", "")))
        for g in root.iter(f"{SVG}g")
        if g[0].tag == f"{SVG}title"
    ]


@pytest.mark.parametrize("formula", ["X * 2", "softmax(X / 9)"])
def test_the_time_of_a_picture_grows_with_its_entries(formula):
    def drawn(n: int) -> Callable[[], str]:
        solution = solve(load({"given": {"X": [[(7 * i + 3 * j) % 10 for j in range(n)] for i in range(n)]},
                               "steps": {"y": formula}}))  # fmt: skip
        return partial(write, solution_document(solution, solution.parts, {"y"}))

    assert takes_less_than(2, drawn(100))  # 0.2 s; with a look at all entries for each of them 5 s


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("name", problem_names())
def test_every_problem_with_a_matrix_has_a_picture_inside_its_frame(name):
    if all(step.shape == (1, 1) for step in load(name).plan.steps()):
        pytest.skip("it has numbers alone")
    root = picture(name)
    width, height = float(root.get("width")), float(root.get("height"))
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("x"):
            assert float(rect.get("x")) >= 0 and float(rect.get("x")) + float(rect.get("width")) <= width
            assert float(rect.get("y")) >= 0 and float(rect.get("y")) + float(rect.get("height")) <= height
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg",
        "title",
        "style",
        "rect",
        "g",
        "text",
        "tspan",
        "polyline",
        "circle",
    }
    assert not re.search(
        r"url\(|@import|href|//",
        ElementTree.tostring(root, encoding="unicode").replace("http://www.w3.org/2000/svg", ""),
    )


def test_an_attention_map_has_its_labels_and_weights():
    root = picture("look-ahead-mask")
    found = cells(root)
    assert len(found) == 16 and ("am, I: 0.32", "warm") in [one[:2] for one in found]
    shares = {told: share for told, _, share in found}
    assert shares["I, I: 0.62"] > shares["I, <start>: 0.38"] > shares["I, am: ·"] == 0
    assert texts(root).count("·") == 6 and texts(root).count("<start>") == 2
    assert "A = softmax(S_masked)" in texts(root)


def test_a_position_table_tells_its_signs_by_colour():
    problem = {"title": "t", "given": {}, "steps": {"PE": "sinusoidal(4, 4)"}}
    colours = {told: colour for told, colour, _ in cells(picture(problem))}
    assert colours["pos 2, 2: −0.4161"] == "cold" and colours["pos 2, 1: 0.9093"] == "warm"


def test_a_step_that_is_chosen_is_drawn():
    drawn = texts(picture("look-ahead-mask", {"A"}))
    assert "A = softmax(S_masked)" in drawn
    assert [text for text in texts(picture("embedding-with-positions")) if text.startswith("PE = ")]


@pytest.mark.sweep(quick=0)
def test_large_matrices_lose_their_numbers_and_not_their_cells():
    root = picture({"title": "t", "given": {}, "steps": {"PE": "sinusoidal(60, 40)"}})
    assert len(cells(root)) == 2400 and len(texts(root)) < 120


@for_each("text", HOSTILE)
def test_a_token_is_text(text):
    rows = [[i, 1] for i in range(len(HOSTILE))]
    root = picture(
        {"title": text, "given": {"X": {"rows": HOSTILE, "values": rows}}, "steps": {"A": "softmax(X @ X.T / 50)"}}
    )
    shown = re.sub("[\x00-\x1f]", "\ufffd", text)
    assert any(shown.startswith(one.removesuffix("…")) for one in texts(root))
    assert root.find(f"{SVG}title").text.startswith(shown)
    assert any(told.startswith(shown) for told, _, _ in cells(root))


def test_the_same_in_pixels():
    solution = solve(load("look-ahead-mask"))
    document = solution_document(solution, solution.parts)
    pixels = write_png(document)
    assert pixels.startswith(b"\x89PNG\r\n")
    width, height = (int.from_bytes(pixels[k : k + 4], "big") for k in (16, 20))
    root = ElementTree.fromstring(write(document))
    assert abs(width / height - float(root.get("width")) / float(root.get("height"))) < 0.01 and width > 500


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({"title": "t", "given": {"a": 2}, "steps": {"b": "a * a"}}, "a picture needs a step with a matrix"),
        ({"title": "t", "given": {}, "steps": {"P": "zeros(600, 2)"}}, "at most 512 rows and columns"),
    ],
    ids=["a number", "too large"],
)
def test_what_has_no_picture_says_so(problem, message):
    with pytest.raises(AttncalcError, match=message):
        picture(problem)
