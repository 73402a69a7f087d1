"""A server of the Model Context Protocol with four tools: solve, check, generate and explain. It needs the extra
`attncalc[mcp]`.

A language model computes a softmax unreliably. These tools return proven digits. Problems and answers are texts: no
tool opens a file that a client names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest
from pydantic import ValidationError

from . import api
from .errors import AttncalcError, Location, did_you_mean, shorten
from .plan import step_called
from .problem.problem import Problem
from .processor_limit import limited
from .resources import problem_file
from .submissions.script_reader import read
from .submissions.step_matching import bind
from .version import __version__

INSTRUCTIONS = """\
attncalc works out Transformer attention with proven digits. A problem is YAML, such as
{given: {X: [[1, 0], [0, 1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], W_V: [[1, 2], [3, 4]]},
self_attention: {mask: causal}}
or the name of a bundled problem, such as three-words-look-back. For a student who is still working, use check with
hints: it does not show the right numbers."""
Given = ParamSpec("Given")
NOTIFICATIONS = "notifications/"  # the beginning of methods that get no response
LAST_SECONDS = 60  # time for the last responses after the end of the input


def _report_faults(tool: Callable[Given, str]) -> Callable[Given, str]:
    """Return a tool that raises ToolError, with a line for each fault, if the given tool raises AttncalcError."""

    @wraps(tool)
    def checked_tool(*given: Given.args, **named: Given.kwargs) -> str:
        try:
            return tool(*given, **named)
        except AttncalcError as error:
            raise ToolError("\n".join(str(fault) for fault in error.faults)) from None

    return checked_tool


def _problem(text: str) -> Problem:
    known = None if "\n" in text else problem_file(text.strip())
    return api.load(known) if known else api.loads(text)


@_report_faults
def solve(problem: str, digits: int | None = None, exact: bool = False) -> str:
    """Every intermediate matrix of a problem as JSON: the formula of each step, its proven decimals and its exact
    values.
    """
    from .render.solution_json import write

    solution = api.solve(_problem(problem), digits=digits)
    return write(solution, solution.parts, None, exact)


@_report_faults
def check(problem: str, answers: str, hints: bool = True) -> str:
    """A student's answers marked, as JSON: a verdict for each step, the first error, and its cause.

    `answers` is what was typed: lines such as `A = [[1, 0], [0.50, 0.50]]`, Markdown, LaTeX, what NumPy prints, or an
    answer file.
    """
    from .marking.report import check as mark
    from .render.report_json import write

    loaded = _problem(problem)
    with limited(Location("answers")):
        bound = bind(read(answers, "answers"), loaded)
    return write(mark(loaded, bound), hints)


@_report_faults
def generate(lesson: str, seed: int = 0) -> str:
    """A new problem of a lesson (self_attention, layer_norm ...) as YAML, whose numbers tell common mistakes apart."""
    from .generator.generate import generate as draw

    return next(draw(lesson, seed=seed)).text


@_report_faults
def explain(problem: str = "", step: str | None = None, mistake: str | None = None) -> str:
    """The worked solution as Markdown, of every step or of one; or, for a mistake's code, what it is and
    how it shows.
    """
    from .render.markdown import write

    if mistake is not None:
        from .explain.mistake_page import mistake_document
        from .mistakes.catalogue import catalogue

        if mistake not in catalogue():
            raise AttncalcError(f"no mistake is called {shorten(mistake)!r}{did_you_mean(mistake, list(catalogue()))}")
        return write(mistake_document(catalogue()[mistake]))
    from .explain.solution_document import solution_document

    solution = api.solve(_problem(problem))
    names = [result.name for part in solution.parts for result in part.steps]
    step = step and step_called(step, names)
    if step is not None and step not in names:
        raise AttncalcError(f"no step is called {shorten(step)!r}{did_you_mean(step, names)}")
    return write(solution_document(solution, solution.parts, {step} if step else None))


def server() -> MCPServer[Any]:
    """Return the server with its four tools, which `attncalc mcp` runs over standard input and output."""
    mcp_server: MCPServer[Any] = MCPServer(
        "attncalc", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR"
    )
    for tool in (solve, check, generate, explain):
        mcp_server.tool()(tool)
    return mcp_server


def run() -> None:
    """Serve standard input and output. Each request gets a response: an error if it is malformed,
    otherwise its result.
    """
    anyio.run(_serve)


async def _serve() -> None:
    to_server, requests = anyio.create_memory_object_stream[SessionMessage](0)
    to_client, answers = anyio.create_memory_object_stream[SessionMessage](0)
    asked: set[object] = set()
    answered = anyio.Condition()

    async def read_lines(lines: Any, replies: Any) -> None:
        async with to_server:
            async for line in lines:
                if (error := _error_of(line)) is not None:
                    await replies.send(SessionMessage(error))
                    continue
                if isinstance(line.message, JSONRPCRequest):
                    asked.add(line.message.id)
                elif getattr(line.message, "method", "") == "notifications/cancelled":
                    asked.discard((line.message.params or {}).get("requestId"))  # a cancelled request gets no response
                await to_server.send(line)
            with anyio.move_on_after(LAST_SECONDS):  # the library drops open requests at the end of the input
                async with answered:
                    while asked:
                        await answered.wait()

    async def write_answers(replies: Any) -> None:
        async for answer in answers:
            await replies.send(answer)
            async with answered:
                asked.discard(getattr(answer.message, "id", None))
                answered.notify_all()

    async with stdio_server() as (lines, replies), replies, anyio.create_task_group() as tasks:
        tasks.start_soon(read_lines, lines, replies)
        tasks.start_soon(write_answers, replies)
        low_level = server()._lowlevel_server  # MCPServer accepts only its default streams
        await low_level.run(requests, to_client, low_level.create_initialization_options())


def _error_of(line: SessionMessage | Exception) -> JSONRPCError | None:
    """Return the error response to a malformed line, with the id of the request if it is valid; None for a correct
    line.

    The library reads a request without a valid id as a notification. Such a line is malformed too.
    """
    faults: list[Any] = list(line.errors()) if isinstance(line, ValidationError) else []
    if isinstance(line, SessionMessage):
        message = line.message
        if not isinstance(message, JSONRPCNotification) or message.method.startswith(NOTIFICATIONS):
            return None
    elif not faults or faults[0]["type"] == "json_invalid":
        error = ErrorData(code=PARSE_ERROR, message="expected a request as JSON on one line")
        return JSONRPCError(jsonrpc="2.0", id=None, error=error)
    # A fault of type "missing" has the whole request as its input
    request = next((f["input"] for f in faults if f["type"] == "missing" and isinstance(f["input"], dict)), {})
    given = request.get("id")
    error = ErrorData(code=INVALID_REQUEST, message='expected a request: {"jsonrpc": "2.0", "id", "method", "params"}')
    return JSONRPCError(jsonrpc="2.0", id=given if type(given) in (int, str) else None, error=error)
