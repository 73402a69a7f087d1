"""The map above a part: every box stands behind what it is made from, and no arrow crosses a box."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style

from attncalc import load, solve
from attncalc.exam import typeset
from attncalc.exam.paper_build import build_paper
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.explain.document import Box, Flow, Formula, Section
from attncalc.explain.solution_document import solution_document
from attncalc.formula.syntax_tree import Name, unparse
from attncalc.render import latex, typst
from attncalc.render.html import write
from attncalc.render.pictures.dispatch import svg
from attncalc.render.pictures.flow import PRINTED, ROLES, flow_columns, layout, role
from attncalc.render.terminal.styled_text import STYLES
from attncalc.resources import folder
from tests.support.laws import examples
from tests.support.pages import solved
from tests.support.sweeps import for_each

PROBLEM = {
    "given": {"X": [[1, 0], [0, 1], [1, 1]], **{f"W_{x}": [[1, 0], [0, 1]] for x in "QKV"}},
    "self_attention": {"mask": "causal"},
}


def document(problem):
    solution = solved(problem)
    return solution_document(solution, solution.parts)


def flows(problem):
    return [block for block in document(problem).flat() if isinstance(block, Flow)]


def test_a_map_names_every_matrix_with_its_shape_and_no_parameters():
    (flow,) = flows(PROBLEM)
    assert flow_columns(flow) == [[("X", "3×2")], [("Q", ""), ("K", ""), ("V", "3×2")], [("S", "3×3")], [("S_scaled", "3×3")],
                            [("S_masked", "3×3")],
                            [("A", "3×3")], [("Z", "3×2")]]  # fmt: skip


@pytest.mark.parametrize("name", ["encoder-layer-small", "two-heads-joined"])
def test_boxes_are_the_steps_and_lessons_that_follow(name):
    blocks = document(name).blocks
    for k, block in enumerate(blocks):
        if isinstance(block, Flow):
            after = [one for one in blocks[k + 1 :] if isinstance(one, Formula | Section | Flow)]
            end = next((i for i, one in enumerate(after) if isinstance(one, Flow)), len(after))
            titles = [one.title if isinstance(one, Section) else unparse(one.name) for one in after[:end]]
            made = [box.name.name for box in block.boxes if box.uses]
            assert made == titles[: len(made)]


@pytest.mark.sweep(quick=0)
def test_a_page_leads_from_each_box_to_its_step():
    page = write(document("encoder-layer-small"))
    links, places = re.findall(r'href="#(step-\d+)"', page), re.findall(r'id="(step-\d+)"', page)
    assert len(links) > 20 and set(links) <= set(places) and len(places) == len(set(places))


def test_few_steps_and_chosen_ones_have_no_map():
    assert not flows({"given": {"S": [[1, 0], [0, 1]]}, "steps": {"A": "softmax(S)"}})
    solution = solve(load(PROBLEM))
    assert not [block for block in solution_document(solution, solution.parts, {"A"}).flat() if isinstance(block, Flow)]


@for_each(
    "name, found",
    [("Q", "query"), ("K_2", "key"), ("head.V", "value"), ("dQ", "query"), ("W_Q", ""), ("K_new", ""), ("S", "")],
)
def test_queries_keys_and_values_are_known_by_their_names(name, found):
    assert role(name) == found


COLOURED = re.compile(r'rgb\("(\w{6})"\), (\w)|\[HTML\]\{(\w{6})\}(\w)')


@pytest.mark.parametrize("medium", [typst, latex])
def test_print_has_their_colours_wherever_they_are_named(medium):
    """Before a step and below a matrix, K transposed as well; the colours are those of the map."""
    found = [
        one[:2] if one[0] else one[2:] for one in COLOURED.findall(medium.write(document("three-words-look-back")))
    ]
    assert set(found) == {(PRINTED[ROLES[letter]], letter) for letter in "QKV"} and len(found) >= 8
    in_the_map = folder("templates").joinpath("svg", "flow.svg").read_text(encoding="utf-8")
    assert all(f"fill: #{colour.lower()}" in in_the_map for colour in PRINTED.values())


def test_papers_are_printed_in_black():
    made = read_sheet("questions: [{generate: self_attention}]\nformula_sheet: true\n", "s.yaml")
    paper = build_paper(
        made, next(iter(make_variants_distinct(made, made.students, (draw_all(made, one) for one in made.students))))
    )
    assert not any(COLOURED.search(write([paper], True)) for write in (typeset.typst, typeset.latex))


@for_each("system", ColorSystem)
def test_a_terminal_of_few_colours_tells_them_apart(system):
    found = [Style.parse(STYLES[one]).color.downgrade(system) for one in ROLES.values()]
    assert len({(one.number, one.triplet) for one in found}) == 3


@st.composite
def maps(draw):
    count = draw(st.integers(1, 12))
    uses = [tuple(draw(st.sets(st.integers(0, k - 1), max_size=3))) if k else () for k in range(count)]
    return Flow(tuple(Box(Name(f"M_{k}"), (k + 1, 2), one, draw(st.booleans())) for k, one in enumerate(uses)))


@examples(100)
@given(maps())
def test_boxes_stand_apart_and_behind_what_they_are_made_from(flow):
    level = {k: i for i, column in enumerate(flow.levels) for k in column}
    assert sorted(level) == list(range(len(flow.boxes)))
    assert all(level[one] < level[k] for k, box in enumerate(flow.boxes) for one in box.uses)
    drawn = layout(flow)
    places = [(box["x"], box["y"], box["wide"]) for box in drawn["boxes"]]
    for a, (x, y, wide) in enumerate(places):
        assert x >= 0 and x + wide <= drawn["width"] and y >= 0 and y + drawn["high"] <= drawn["height"]
        assert not any(
            abs(x - other[0]) < max(wide, other[2]) and abs(y - other[1]) < drawn["high"] for other in places[a + 1 :]
        )
    assert svg(flow).count("<rect") == len(flow.boxes)
