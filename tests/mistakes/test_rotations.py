"""Rotations that an author writes with products have the mistakes of the lesson's rotations."""

import pytest

from attncalc import check, load
from attncalc.generator.distinguishability import certify
from attncalc.generator.lint import lint
from attncalc.generator.numeric_view import NumericView
from tests.support.sweeps import for_each

TOKENS = {2: [[1, 2], [3, -1], [2, 1]], 4: [[1, 2, 0, 3], [3, -1, 2, 1], [2, 1, -1, 2]]}
ANGLES = {"angles": "arange(0, 3).T / 100 ** (2 * arange(0, {half}) / {d})", "cos": "cos(angles)", "sin": "sin(angles)"}
MISTAKES = {"rotation-forgotten", "rotation-backwards", "rotation-from-1", "angles-in-degrees", "values-rotated"}


def rotated(x, c, s, pair):
    """Both features of a pair after the rotation: in the two orders of their products and sums."""
    i, j = pair
    return f"{x[i]} * {c} - {x[j]} * {s}", f"{s} * {x[i]} + {c} * {x[j]}"


def by_hand(name, d, layout, columns, apart):
    """A step that rotates a matrix, with its features written out."""
    half = d // 2
    pairs = [(2 * k, 2 * k + 1) if layout == "interleaved" else (k, k + half) for k in range(half)]

    def cut(m, k, width=d):
        return m if width == 1 else f"{m}[{k}:{k + 1}]" if columns else f"{m}[:, {k}:{k + 1}]"

    cos, sin = ("cos.T", "sin.T") if columns else ("cos", "sin")
    features = {}
    for k, pair in enumerate(pairs):
        x = {f: f"{name.lower()}{f}" if apart else cut(name, f) for f in pair}
        made = rotated(x, cut(cos, k, half), cut(sin, k, half), pair)
        features |= dict(zip(pair, made, strict=True))
    steps = {f"{name.lower()}{f}": cut(name, f) for f in range(d)} if apart else {}
    join = "vstack" if columns else "hstack"
    return steps | {f"{name}_rot": f"{join}({', '.join(features[f] for f in range(d))})"}


def attention(d, rotations, columns=False):
    tokens = [list(row) for row in zip(*TOKENS[d], strict=True)] if columns else TOKENS[d]
    scores = "K_rot.T @ Q_rot" if columns else "Q_rot @ K_rot.T"
    scaled = f"S / sqrt({d})"
    last = (
        {"A": f'softmax({scaled}, axis="columns")', "Z": "V @ A"}
        if columns
        else {"A": f"softmax({scaled})", "Z": "A @ V"}
    )
    angles = {name: text.format(d=d, half=d // 2) for name, text in ANGLES.items()}
    steps = angles | rotations | {"S": scores} | last
    given = {name: [[str(x * k % 5 - 1) for x in row] for row in tokens] for k, name in enumerate("QKV", 2)}
    return load({"given": given, "vectors": "columns" if columns else "rows", "steps": steps})


def codes(problem):
    return {v.code for v in certify(NumericView(problem)).verdicts if v.kind == "separated"}


@for_each("apart", [False, True], ids=["blocks", "steps for features"])
@for_each("columns", [False, True], ids=["rows", "columns"])
@for_each(("d", "layout"), [(2, "interleaved"), (4, "interleaved"), (4, "halves")])
def test_a_rotation_by_hand_has_the_mistakes_of_turn(d, layout, columns, apart):
    word = f', layout="{layout}"' * (d > 2)
    turns = {f"{m}_rot": f"turn({m}.T, cos, sin{word}).T" if columns else f"turn({m}, cos, sin{word})" for m in "QK"}
    hand = by_hand("Q", d, layout, columns, apart) | by_hand("K", d, layout, columns, apart)
    expected, found = (codes(attention(d, rotations, columns)) for rotations in (turns, hand))
    assert expected <= found and MISTAKES - ({"values-rotated"} if columns else set()) <= found


@pytest.mark.parametrize(
    "form",
    [
        "{m} * hstack(cos, cos) + hstack(-{m}[:, 1:2], {m}[:, 0:1]) * hstack(sin, sin)",
        "hstack({m}[:, 0] * cos - {m}[:, 1] * sin, {m}[:, 0] * sin + {m}[:, 1] * cos)",
        "hstack(cos * {m}[:, 0] - {m}[:, 1] * sin, cos * {m}[:, 1] + sin * {m}[:, 0])",
    ],
)
def test_other_forms_of_a_rotation(form):
    problem = attention(2, {f"{m}_rot": form.format(m=m) for m in "QK"})
    assert codes(problem) >= MISTAKES
    assert not lint(problem).untested and not lint(problem).unrecognised


@for_each("layout", ["halves", "interleaved"])
@for_each("named", [False, True], ids=["in place", "in steps"])
def test_a_rotation_with_swapped_features(layout, named):
    """X * C + rotate_half(X) * S, as in libraries: each table has a column for each feature."""
    order = [0, 1, 0, 1] if layout == "halves" else [0, 0, 1, 1]
    wide = {w: f"hstack({', '.join(f'{w}[:, {k}:{k + 1}]' for k in order)})" for w in ("cos", "sin")}
    swapped = {
        "halves": "hstack(-{m}[:, 2:4], {m}[:, 0:2])",
        "interleaved": "hstack(-{m}[:, 1:2], {m}[:, 0:1], -{m}[:, 3:4], {m}[:, 2:3])",
    }[layout]
    steps = {}
    for m in "QK":
        apart = {f"{m}_swapped": swapped.format(m=m)} if named else {}
        partner = f"{m}_swapped" if named else swapped.format(m=m)
        steps |= apart | {f"{m}_rot": f"{m} * {wide['cos']} + {partner} * {wide['sin']}"}
    turns = {f"{m}_rot": f'turn({m}, cos, sin, layout="{layout}")' for m in "QK"}
    assert codes(attention(4, turns)) <= codes(attention(4, steps))


@for_each(
    "form",
    ["rotation(t) @ q", "(q.T @ rotation(t).T).T", "vstack(hstack(cos(t), -sin(t)), hstack(sin(t), cos(t))) @ q", "R @ q",
     "vstack(q[0] * cos(t) - q[1] * sin(t), q[0] * sin(t) + q[1] * cos(t))"],
)  # fmt: skip
def test_a_rotation_of_one_vector_is_named(form):
    R = {"R": "vstack(hstack(cos(t), -sin(t)), hstack(sin(t), cos(t)))"} if "R @" in form else {}
    problem = load({"given": {"q": [["1"], ["2"]], "t": "pi / 3"}, "steps": R | {"q_rot": form}})
    assert codes(problem) >= {"rotation-forgotten", "rotation-backwards"}


@for_each("name", ["Q", "X_rot", "Q_rot", "turned"])
def test_a_student_who_forgets_the_rotation_gets_its_name(name):
    """The author's step may have the name of another step of a lesson."""
    rotation = by_hand("q", 2, "interleaved", False, False)["q_rot"]
    problem = load({"given": {"q": [["1", "2"], ["3", "-1"]], "angle": [["1"], ["2"]]},
                    "steps": {"cos": "cos(angle)", "sin": "sin(angle)", name: rotation}})  # fmt: skip
    report = check(problem, {name: [["1", "2"], ["3", "-1"]]})
    assert [cause.code for cause in report.first_wrong.causes] == ["rotation-forgotten"]
    assert not lint(problem).unrecognised
