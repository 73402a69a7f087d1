"""The tools for tutoring programs, called as a program calls them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
import yaml

from attncalc import check, load, solve

pytest.importorskip("mcp")
from mcp import Client

from attncalc.mcp import server
from tests.support.sweeps import for_each

pytestmark = pytest.mark.slow
NAME = "three-words-look-back"
WRONG = "S = [[1, 0, 1], [1, 1, 2], [2, 1, 3]]\nS_scaled = [[0.50, 0, 0.50], [0.50, 0.50, 1.00], [1.00, 0.50, 1.50]]\n"


def call(tool, **given):
    """What the tool answers, and whether it is a fault."""

    async def ask():
        async with Client(server()) as client:
            return await client.call_tool(tool, given)

    result = asyncio.run(ask())
    return result.content[0].text, bool(result.is_error)


def test_there_are_four_tools_and_each_says_what_it_does():
    async def ask():
        async with Client(server()) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool.description for tool in asyncio.run(ask())}
    assert set(tools) == {"solve", "check", "generate", "explain"} and all(len(said) > 40 for said in tools.values())


def test_solve_gives_the_same_digits():
    text, failed = call("solve", problem=NAME, digits=6)
    steps = {step["name"]: step["decimal"] for part in json.loads(text)["parts"] for step in part["steps"]}
    assert not failed and steps["Z"] == solve(load(NAME))["Z"].decimals(6)


def test_check_keeps_the_right_numbers_back():
    text, failed = call("check", problem=NAME, answers=WRONG)
    report = json.loads(text)
    assert (
        not failed
        and report["first_wrong"] == "S_scaled"
        and "scale-without-root" in text
        and "0.7071" not in text
        and '"0.71"' not in text
    )
    assert json.loads(call("check", problem=NAME, answers=WRONG, hints=False)[0])["marks"] == report["marks"]
    assert check(NAME, yaml.safe_load("answers: {S: [[1, 0, 1], [1, 1, 2], [2, 1, 3]]}")).first_wrong is None


def test_generate_and_explain():
    problem, _ = call("generate", lesson="layer_norm", seed=3)
    assert load(yaml.safe_load(problem)).parts
    page, failed = call("explain", problem=problem)
    assert not failed and page.startswith("#") and "\\sqrt" in page
    assert r"\sqrt{d_{k}}" in call("explain", mistake="scale-without-root")[0]


@for_each(
    ("tool", "given", "said"),
    [
        ("solve", {"problem": "given: {S: [[1, x]]}\nsteps: {A: softmax(S)}"}, "<problem>:1:"),
        ("solve", {"problem": "/etc/passwd"}, "<problem>"),
        ("solve", {"problem": NAME, "digits": -1}, "digits"),
        ("check", {"problem": NAME, "answers": "A = [[1, 2"}, "answers:1:"),
        ("generate", {"lesson": "self_atention"}, "did you mean"),
        ("explain", {"problem": NAME, "step": "ZZ"}, "no step"),
        ("explain", {"mistake": "scale-withot-root"}, "did you mean"),
    ],
)
def test_faults_are_told_with_their_place(tool, given, said):
    text, failed = call(tool, **given)
    assert failed and said in text


def request(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


MALFORMED = [
    ('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1]}', 4, -32600),
    ('{"jsonrpc":"2.0","id":"five","method":7}', "five", -32600),
    ('{"id":6,"method":"tools/list"}', 6, -32600),
    ('{"id":1e999999,"method":"x"}', None, -32600),
    *(
        (f'{{"jsonrpc":"2.0","id":{bad},"method":"tools/list"}}', None, -32600)
        for bad in ("null", "1.5", "true", "[2]", "{}")
    ),
    ('{"jsonrpc":"2.0","method":"tools/list"}', None, -32600),
    ("null", None, -32600),
    ("[]", None, -32600),
    ("[" * 200_000, None, -32700),
    ("not JSON", None, -32700),
    ("", None, -32700),
    ("\udcff", None, -32700),
]


def test_every_line_is_answered_up_to_the_end_of_the_input():
    """A malformed line gets an error, and the requests around it their results, even if the input ends at once."""
    client = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [request(1, "initialize", **client), '{"jsonrpc":"2.0","method":"notifications/initialized"}']
    lines += [line for line, _, _ in MALFORMED]
    lines += [request(77, "tools/list"), request(78, "tools/call", name="solve", arguments={"problem": NAME})]
    typed = "\n".join(lines).encode(errors="surrogateescape") + b"\n"
    served = subprocess.run([sys.executable, "-m", "attncalc", "mcp"], input=typed, capture_output=True, timeout=60)
    answers = [json.loads(line) for line in served.stdout.splitlines()]
    errors = [(answer["id"], answer["error"]["code"]) for answer in answers if "error" in answer]
    assert errors == [(number, code) for _, number, code in MALFORMED]
    assert [answer["id"] for answer in answers if "result" in answer] == [1, 77, 78]
