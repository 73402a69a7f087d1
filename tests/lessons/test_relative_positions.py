"""The conventions of T5's buckets are enough to number them by hand."""

import math

from attncalc import load, solve
from tests.support.sweeps import for_each

ZEROS = [["0", "0"]]


@for_each("sides", ["both", "one"])
@for_each(("count", "furthest"), [(4, 128), (6, 7), (8, 20), (16, 25), (32, 128)])
def test_the_conventions_determine_each_bucket(count, furthest, sides):
    length = 30
    given = {"Q": ZEROS * length, "K": ZEROS * length, "V": ZEROS * length, "b": [["0"] * count]}
    part = solve(load({"given": given, "t5_attention": {"furthest": str(furthest), "sides": sides}})).parts[0]
    said = {convention.option: convention.value for convention in part.part.plan.conventions}
    near, later = int(said["near"]), int(said.get("later", "0"))
    last = count // (2 if sides == "both" else 1) - 1

    def bucket(distance):
        x = abs(distance) if sides == "both" else max(-distance, 0)
        rule = said["logarithmic"].replace("·", "*").replace("ln", "math.log")
        number = x if x < near else math.floor(eval(rule, {"math": math, "x": x}) + 1e-9)
        return min(number, last) + later * (distance > 0)

    for i, row in enumerate(part["buckets"].fractions()):
        assert row == [bucket(j - i) for j in range(length)]
