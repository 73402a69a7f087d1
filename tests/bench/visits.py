"""`python -m tests.bench.visits SITE`: how long practice takes in a real Chromium: the local server, and the website at a
first and at a second visit. SITE is a folder of `attncalc practice path -o SITE`.

Times are processor times, because other programs of the machine change every other time: of the page's main thread, of
the worker that runs Python, and of the server. A quiet machine takes at most a little longer, and a machine that is four
times as slow takes four times as long. Such a machine may take twice as long as the goal. Each time is the median of
several visits.
"""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.support.browsing import chromium, server

GOALS = {
    "server: introduction after a click": 1,
    "server: exercise after a click": 1,
    "first visit: list of exercises": 1,
    "first visit: introduction after a click": 1,
    "first visit: exercise after a click": 1,
    "first visit: first verdict after the start of the visit": 8,
    "second visit: list of exercises": 1,
    "second visit: exercise from the first visit, after a click": 1,
    "second visit: another exercise after a click": 1,
    "second visit: first verdict after the start of the visit": 8,
}
FIRST, SECOND = "Scores to weights", "Masked self-attention"
SLOWER, LONGER = 4, 2  # a slow machine, and how much longer it may take
TICKS = os.sysconf("SC_CLK_TCK")


class Files(SimpleHTTPRequestHandler):
    """A plain file server, which compresses nothing."""

    protocol_version = "HTTP/1.1"
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *told: object) -> None:
        """Print nothing."""


def threads(root: int) -> Iterator[tuple[bytes, str, float]]:
    """The command, the name and the processor seconds of each thread of a process and of its descendants. The main
    thread of a process has no name.
    """
    pids = [root]
    while pids:
        pid = pids.pop()
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            for task in Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
                name, _, numbers = (task / "stat").read_text().partition(" (")[2].rpartition(") ")
                user, system = numbers.split()[11:13]
                yield command, "" if task.name == str(pid) else name, (int(user) + int(system)) / TICKS


class Clock:
    """The processor time that a visit of a page has taken."""

    def __init__(self, with_worker: bool = False):
        self.with_worker = with_worker
        self.start = self.now()

    def now(self) -> float:
        return sum(seconds for command, name, seconds in threads(os.getpid()) if self.counts(command, name))

    def counts(self, command: bytes, name: str) -> bool:
        """Whether a thread counts: those of attncalc's server, the main threads of pages, and the worker of Python."""
        if b"attncalc\0practice" in command:
            return True
        return b"--type=renderer" in command and (not name or (self.with_worker and name.startswith("DedicatedWorker")))

    @property
    def seconds(self) -> float:
        return self.now() - self.start


def opened(context, address):
    """A new page, its clock, and the time until the list of exercises."""
    page = context.new_page()
    page.set_default_timeout(180_000)
    page.goto("about:blank")
    clock, shown = Clock(with_worker=True), Clock()
    page.goto(address, wait_until="commit")
    page.wait_for_selector(".item")
    return page, clock, shown.seconds


def clicked(page, what, shown):
    """The time from a click to an element."""
    target = page.locator(what).first
    target.wait_for()
    clock = Clock()
    target.click()
    page.wait_for_selector(shown)
    return clock.seconds


def verdict(page, clock):
    """The time from the opening of the page to a verdict on a wrong answer."""
    for entry in page.locator(".typed input").all():
        entry.fill("3")
    page.locator(".step button:text('Check')").first.click()
    page.wait_for_selector(".verdict.wrong")
    return clock.seconds


def visits(browser, local, address):
    """The times of a visit of the server, and of two visits of the website, in the order of the goals."""
    context = browser.new_context()
    page, _, _ = opened(context, local)
    page.wait_for_timeout(1000)
    times = [clicked(page, f".item:has-text('{SECOND}')", ".idea .worked"),
             clicked(page, "text=Start the exercise", ".typed input")]  # fmt: skip
    page.close()
    page, clock, listed = opened(context, address)
    times += [listed, clicked(page, f".item:has-text('{FIRST}')", ".idea .worked"),
              clicked(page, "text=Start the exercise", ".typed input"), verdict(page, clock)]  # fmt: skip
    page.evaluate("() => navigator.serviceWorker.ready")  # the files are stored
    page.close()
    page, clock, listed = opened(context, address)
    times += [listed, clicked(page, f".item:has-text('{FIRST}')", ".typed input")]
    page.goto(f"{address}#choose")
    page.locator(f".item:has-text('{SECOND}')").first.click()
    times += [clicked(page, "text=Start the exercise", ".typed input"), verdict(page, clock)]
    context.close()
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site")
    parser.add_argument("--visits", type=int, default=5)
    chosen = parser.parse_args()
    site = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=chosen.site))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{site.server_address[1]}/"
    found = []
    for _ in range(chosen.visits):
        with (TemporaryDirectory() as home, chromium() as browser,
              server(home, "practice", "path", "--no-browser", XDG_DATA_HOME=home) as local):  # fmt: skip
            found.append(visits(browser, local, address))
    site.shutdown()
    missed = 0
    for (name, goal), times in zip(GOALS.items(), zip(*found, strict=True), strict=True):
        taken = median(times)
        most = min(goal, goal * LONGER / SLOWER)
        missed += taken > most
        print(f"| {name} | {taken:.2f} s | {SLOWER * taken:.1f} s | {goal} s | {'✗' if taken > most else '✓'} |")
    raise SystemExit(missed > 0)


if __name__ == "__main__":
    main()
