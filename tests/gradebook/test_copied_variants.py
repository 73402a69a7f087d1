"""A script with the numbers of another version is put before a person, and no other script is."""

from __future__ import annotations

import csv
import io
import json

import pytest

import attncalc
from tests.support.called import called

SHEET = """\
title: Midterm
seed: 4
rounding: {digits: 2}
versions: 3
students: [s-1, s-2, s-3]
questions:
  - {generate: self_attention, with: {tokens: 3, mask: causal}, asked: [S, A, Z], points: 6}
"""


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """The key's path, and of each student the paper's code, version and right answers by column."""
    home = tmp_path_factory.mktemp("exam")
    (home / "sheet.yaml").write_text(SHEET)
    assert called("exam", home / "sheet.yaml", "-o", home / "out", "--to", "latex")[0] == 0
    found = {}
    for paper in json.loads((home / "out" / "key.json").read_text())["variants"]:
        steps = {
            step.step.key: step.decimals()
            for part in attncalc.solve(attncalc.api.loads(paper["problem"])).parts
            for step in part
        }
        asked = {name: rows for name, rows in steps.items() if name.rpartition(".")[2] in ("S", "A", "Z")}
        cells = {
            f"{name}[{i},{j}]": x
            for name, rows in asked.items()
            for i, row in enumerate(rows)
            for j, x in enumerate(row)
        }
        found[paper["student"]] = (paper["code"], paper["version"], cells)
    return home / "out" / "key.json", found


def graded(exam, tmp_path, scripts, *more):
    """A row for each student whose cells are given."""
    key, papers = exam
    columns = list(papers["s-1"][2])
    with open(tmp_path / "class.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["student", "problem", *columns])
        for who, cells in scripts.items():
            table.writerow([who, papers[who][0], *(cells.get(name, "") for name in columns)])
    code, out, err = called("grade", key, tmp_path / "class.csv", *more)
    return code, {row["student"]: row for row in csv.DictReader(io.StringIO(out))}, err


@pytest.mark.sweep(quick=4, ci=4)
@pytest.mark.parametrize("places", [2, 1])
@pytest.mark.parametrize("whose", ["s-2", "s-3"])
@pytest.mark.parametrize("left_out", [(), ("S",), ("A", "Z")])
def test_the_numbers_of_another_version_are_told(exam, tmp_path, whose, left_out, places):
    """A neighbour's paper earned what follows from its first line, and nobody looked."""
    _, papers = exam
    shown = {
        name: x for name, x in papers[whose][2].items() if name.partition("[")[0].rpartition(".")[2] not in left_out
    }
    copied = {name: f"{float(x):.{places}f}" if x[-1].isdigit() else x for name, x in shown.items()}
    code, rows, err = graded(exam, tmp_path, {"s-1": copied})
    said = f"these are the numbers of version {papers[whose][1]}, not of this paper"
    assert code == 1 and rows["s-1"]["status"] == "look" and said in rows["s-1"]["remarks"] and said in err
    step = next(iter(shown)).partition("[")[0]
    (tmp_path / "o.csv").write_text(f"student,step,marks,reason\ns-1,{step},0,a copy\n")
    code, rows, err = graded(exam, tmp_path, {"s-1": copied}, "--overrides", tmp_path / "o.csv")
    assert rows["s-1"]["status"] == "graded" and said not in err  # a person has looked


SLIPS = {
    "right": lambda cells, i, j, x: x,
    "zeros": lambda cells, i, j, x: "0",
    "turned": lambda cells, i, j, x: cells[j, i],
    "negated": lambda cells, i, j, x: x[1:] if x[:1] in "-−" else f"-{x}",
    "next row": lambda cells, i, j, x: cells[(i + 1) % 3, j],
    "one entry": lambda cells, i, j, x: "7" if (i, j) == (0, 0) else x,
}


@pytest.mark.sweep(quick=6, ci=6)
@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("steps", [("S",), ("A",), ("S", "A", "Z")])
def test_no_honest_script_is_taken_for_a_neighbours(exam, tmp_path, slip, steps):
    _, papers = exam
    scripts = {}
    for who, (_, _, cells) in papers.items():
        scripts[who] = {}
        for name in dict.fromkeys(one.partition("[")[0] for one in cells):
            rows = {(i, j): cells[f"{name}[{i},{j}]"] for i in range(3) for j in range(3)}
            wrong = name.rpartition(".")[2] in steps
            scripts[who] |= {
                f"{name}[{i},{j}]": SLIPS[slip](rows, i, j, x) if wrong else x for (i, j), x in rows.items()
            }
    _, rows, _ = graded(exam, tmp_path, scripts)
    assert len(rows) == 3 and not any("these are the numbers" in row["remarks"] for row in rows.values())
