"""Laws of `attncalc verify`: whatever is altered in a certificate is detected or changes none of its claims."""

from __future__ import annotations

import copy
import json
import random
import re
from fractions import Fraction

import pytest
import yaml

from attncalc import AttncalcError, load, solve
from attncalc.lessons.small_problems import CASES, problem
from tests.support.called import called

ALTERATIONS = 24  # of each certificate
HUGE = "a number of 5,000 digits, which Python's json does not write"
DEEP = "lists in lists, 100,000 deep"
# What JSON's readers take and its writers do not write, by the text that is used instead until the file is written
RAW = {HUGE: "9" * 5_000, DEEP: "[" * 100_000 + "]" * 100_000}
RAW |= {f"the number {text}": text for text in ("NaN", "Infinity", "-Infinity", "1e400", "4.0", "4e0", "010")}
AGAIN = "again: "  # before a key that is there already
KEYS = ("rows", "columns", "pinned", "name", "title", "values", "formula", "carried", "note")  # that a record may get
NOTHINGS = (None, False, 0, "", [], {})
PARTS = {
    "title": "Two parts",
    "given": {"X": {"rows": ["a", "b"], "values": [["1", "2"], ["3", "1/3"]]}, "k": "2"},
    "parts": {
        "one": {"given": {"X": [["2", "5"]]}, "steps": {"Y": "X * k / 3", "Z": "Y @ Y.T"}, "pin": {"Y": [["1", "1/3"]]}},
        "two": {"rounding": {"digits": "2", "mode": "truncate"}, "steps": {"W": 'X["b"] * one.Z', "V": "softmax(W)"}},
    },
}  # fmt: skip
NAMELESS = {
    "given": {"X": [["1", "-2"]]},
    "rounding": {"mode": "half_even"},
    "steps": {"Y": "X / 3", "s": "sin(pi / 5)"},
}
PROBLEMS = {lesson: problem(lesson) for lesson in CASES} | {"no name": NAMELESS, "two parts": PARTS}


# -- alterations: every node of the JSON is changed, dropped, doubled, moved and renamed ---------------------------------


def nodes(value, path=()):
    yield path, value
    for key, inside in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from nodes(inside, (*path, key))


def other_values(value):
    """What may stand in the place of a value, by the kind of alteration."""
    yield from (("nothing", None), ("wrapped", [value]), ("deep", DEEP))
    yield from (("raw", text) for text in RAW if text.startswith("the number"))
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int):
        yield from (("more", value + 1), ("less", value - 1), ("as text", str(value)), ("as float", float(value)))
        yield "huge", HUGE
    elif isinstance(value, str):
        for k, sign in enumerate(value[:60]):
            if sign.isdigit():
                yield "digit", value[:k] + str((int(sign) + 1) % 10) + value[k + 1 :]
            if sign in "+-*/@":
                yield "operator", value[:k] + ("*" if sign in "+-/@" else "+") + value[k + 1 :]
            if sign.isalpha():
                yield "letter", value[:k] + ("x" if sign != "x" else "y") + value[k + 1 :]
            if sign in "([, ":
                yield "hidden", value[: k + 1] + "\r\n"[k % 2] + value[k + 1 :]
        yield from (("longer", value + "0"), ("negative", "-" + value), ("blank", ""), ("comment", value + "  # 1"))
        yield from (("word", "half_up" if value == "truncate" else "truncate"), ("dotted", "one." + value))
        yield from (("same again", f"({value})"), ("transposed", f"({value}).T"), ("plus nothing", value + " + 0"))
    elif isinstance(value, list) and value:
        yield from (("doubled", [*value, value[-1]]), ("shorter", value[:-1]), ("without first", value[1:]))
        yield "reversed", value[::-1]
    elif isinstance(value, dict):
        for key in value:
            yield "without a key", {k: v for k, v in value.items() if k != key}
            yield "renamed", {(k + "x" if k == key else k): v for k, v in value.items()}
            yield "dotted key", {("one." + k if k == key else k): v for k, v in value.items()}
            yield "one more", value | {key + "x": value[key]}
            yield "twice", value | {AGAIN + key: value[key]}
            yield "first nothing", {AGAIN + key: None} | value
        for key in KEYS:
            if key not in value:
                yield from ((f"new {key} {nothing!r}", value | {key: nothing}) for nothing in NOTHINGS)
        yield "reordered", dict(reversed(value.items()))


def moves(data):
    """Givens that move between the problem and a part, and steps between parts."""
    for k, part in enumerate(data["parts"]):
        for name in data["givens"]:
            changed = copy.deepcopy(data)
            changed["parts"][k]["givens"][name] = changed["givens"].pop(name)
            yield "given into a part", changed
            changed = copy.deepcopy(data)
            changed["parts"][k]["givens"][name] = changed["givens"][name]
            changed["givens"][name] = {"values": [["7"]]}
            yield "given hidden by that of a part", changed
        for name in part["givens"]:
            for outer in (name, f"{part['name']}.{name}"):
                changed = copy.deepcopy(data)
                changed["givens"][outer] = changed["parts"][k]["givens"].pop(name)
                yield "given out of a part", changed
        for j, step in enumerate(part["steps"]):
            changed = copy.deepcopy(data)
            del changed["parts"][k]["steps"][j]
            changed["givens"][step["name"]] = {"values": step["printed"]}
            yield "step into the givens", changed
            changed = copy.deepcopy(data)
            changed["parts"][k]["steps"][j]["pinned"] = step["printed"]
            yield "step pinned", changed
        for name in (None, "", "other"):
            changed = copy.deepcopy(data)
            changed["parts"][k]["name"] = name
            yield "part renamed", changed


def put(data, path, value):
    if not path:
        return value
    changed = copy.deepcopy(data)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return changed


def alterations(data, number, seed):
    """So many alterations, of every kind at every kind of place before a second one of the same."""
    groups = {}
    for path, value in nodes(data):
        place = tuple("#" if isinstance(key, int) else key for key in path)
        if path[:1] != ("checksum",):
            for kind, other in other_values(value):
                groups.setdefault((kind, place[-3:]), []).append((kind, path, other))
    for kind, changed in moves(data):
        groups.setdefault((kind,), []).append((kind, (), changed))
    order = random.Random(seed)
    for group in groups.values():
        order.shuffle(group)
    names = sorted(groups, key=str)
    order.shuffle(names)
    for name in [*names, *names][:number]:
        kind, path, other = groups[name].pop() if groups[name] else (None, None, None)
        if kind is not None:
            yield kind, path, put(data, path, other)


# -- claims, told from the problem and from `solve --to json`, not from how certificates are written ---------------------


def claims_of(data):
    """What a certificate says: under which title and rounding which steps of which parts have which decimals."""
    return [
        data["title"],
        data["carried"],
        [(name, numbers(given["values"])) for name, given in data["givens"].items()],
        [
            (
                part.get("name"),
                part["rounding"]["digits"],
                part["rounding"]["mode"],
                [(name, numbers(given["values"])) for name, given in part["givens"].items()],
                [(step["name"], step["printed"]) for step in part["steps"]],
            )
            for part in data["parts"]
        ],
    ]


def numbers(values):
    """The entries of a given as fractions, where they are fractions."""
    values = values.get("values", values) if isinstance(values, dict) else values
    if not isinstance(values, list):
        values = [[values]]
    rows = values if isinstance(values[0], list) else [values]
    return [[fraction(str(x)) for x in row] for row in rows]


def fraction(text):
    return Fraction(text) if re.fullmatch(r"-?[\d.]+(/\d+)?(e-?\d+)?", text) else text.replace(" ", "")


def entries_of(part):
    return (x for step in part["steps"] for row in step["decimal"] for x in row)


def claims_of_problem(document, solved, paper):
    parts = document.get("parts", {None: document})
    mode = document.get("rounding", {}).get("mode", "half_up")
    return [
        solved["title"],
        paper,
        [(name, numbers(given)) for name, given in document["given"].items()],
        [
            (
                part["name"],
                len(next(x for x in entries_of(part) if "inf" not in x).partition(".")[2]),
                parts[part["name"]].get("rounding", {}).get("mode", mode),
                [(n, numbers(g)) for n, g in parts[part["name"]].get("given", {}).items()] if part["name"] else [],
                [(step["name"].replace("'", "ʹ"), step["decimal"]) for step in part["steps"]],
            )
            for part in solved["parts"]
        ],
    ]


def problem_of(data):
    """The problem that a certificate states: its givens and formulas, its names with an underscore for a dot."""
    dotted = {step["name"] for part in data["parts"] for step in part["steps"] if "." in step["name"]}

    def plain(text):
        for name in sorted(dotted, key=len, reverse=True):
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w|\.(?!T\b))", name.replace(".", "_of_"), text)
        return text.replace("ʹ", "'")

    def given(one):
        values = one["values"] if isinstance(one["values"], str) else [[plain(x) for x in row] for row in one["values"]]
        values = plain(values) if isinstance(values, str) else values
        labels = {key: one[key] for key in ("rows", "columns") if one.get(key)}
        return {"values": values} | labels if labels else values

    def formula(step):
        """That of the step; of a pinned one only the size counts."""
        sizes = len(step["printed"]), len(step["printed"][0])
        return step["formula"] if step.get("pinned") is None else "zeros({}, {})".format(*sizes)

    def part(one):
        found = {
            "rounding": {key: str(value) for key, value in one["rounding"].items()},
            "steps": {plain(step["name"]): plain(formula(step)) for step in one["steps"]},
        }
        for step in one["steps"]:
            if step.get("pinned") is not None:
                found.setdefault("pin", {})[plain(step["name"])] = given({"values": step["pinned"]})
        if one["givens"]:
            found["given"] = {plain(name): given(value) for name, value in one["givens"].items()}
        return found

    outer = {plain(name): given(value) for name, value in data["givens"].items()}
    if data["parts"][0].get("name") is None:
        inner = part(data["parts"][0])
        return {"title": "t", **inner, "given": outer | inner.get("given", {})}
    return {"title": "t", "given": outer, "parts": {plain(one["name"]): part(one) for one in data["parts"]}}


def decimals_of(data):
    """What attncalc prints for the problem that a certificate states; None where it states none."""
    try:
        solution = solve(load(problem_of(data)), paper=data["carried"])
        return [[step.decimals() for step in part.steps] for part in solution.parts]
    except AttncalcError as error:
        return str(error)


@pytest.mark.sweep(quick=2, ci=8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("paper", [False, True], ids=["exact", "paper"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_an_alteration_is_detected_or_changes_no_claim(name, paper, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(PROBLEMS[name])), sort_keys=False))
    how = ["--paper"] * paper
    code, out, err = called("solve", "p.yaml", "--to", "json", *how)
    if code and paper:
        pytest.skip("with rounded steps it has no solution")
    assert code == 0, err
    truth = claims_of_problem(PROBLEMS[name], json.loads(out), paper)
    assert called("solve", "p.yaml", "--certificate", "c.json", *how)[0] == 0
    data = json.loads((tmp_path / "c.json").read_text())
    assert claims_of(data) == truth
    assert called("verify", "c.json", "p.yaml", *how)[0] == 0
    assert called("verify", "c.json", "p.yaml", *["--paper"] * (not paper))[0] == 1
    for kind, path, changed in alterations(data, ALTERATIONS, f"{name} {paper}"):
        if isinstance(changed, dict):
            changed["checksum"] = seal(changed)
        (tmp_path / "d.json").write_text(as_text(changed))
        code, out, err = called("verify", "d.json", "p.yaml", *how)
        assert code in (0, 1, 2) and bool(err if code == 2 else out) and "Traceback" not in err, (kind, path)
        if code == 0:
            assert as_written(changed) == as_written(data), (kind, path)
        code, out, err = called("verify", "d.json")
        if code == 0 and out.endswith(" 0 wrong, 0 not verified\n"):
            printed = [[step["printed"] for step in part["steps"]] for part in changed["parts"]]
            assert decimals_of(changed) == printed, (kind, path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("nothing", NOTHINGS, ids=repr)
@pytest.mark.parametrize("key", ["rows", "columns", "pinned", "note"])
def test_a_key_that_was_not_written_makes_another_certificate(key, nothing, tmp_path, monkeypatch):
    """Each record of a certificate gets the key, with nothing in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(PARTS)), sort_keys=False))
    assert called("solve", "p.yaml", "--certificate", "c.json")[0] == 0
    data = json.loads((tmp_path / "c.json").read_text())
    records = [(path, value) for path, value in nodes(data) if isinstance(value, dict) and key not in value]
    assert len(records) > 8
    for path, value in records:
        changed = put(data, path, value | {key: nothing})
        changed["checksum"] = seal(changed)
        (tmp_path / "d.json").write_text(json.dumps(changed))
        assert called("verify", "d.json", "p.yaml")[0] in (1, 2), path


def as_written(data):
    """All of a certificate but its checksum and the order of keys, which says nothing except among givens."""
    rest = {key: value for key, value in data.items() if key != "checksum"}
    return json.dumps(rest, sort_keys=True), [list(part["givens"]) for part in (data, *data["parts"])]


def as_text(data):
    """JSON with all that Python's json does not write."""
    text = re.sub(f'"{AGAIN}', '"', json.dumps(data))
    for stands, raw in RAW.items():
        text = text.replace(json.dumps(stands), raw)
    return text


def seal(data):
    import hashlib

    rest = {key: value for key, value in data.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
