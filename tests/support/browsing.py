"""What the tests in a real Chromium share: the browser, the server that a command starts, and a page on which nothing
goes wrong.

Playwright drives the Chromium of the machine; without Playwright such tests are skipped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.support.programs import installed


@contextmanager
def chromium():
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=installed("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def server(folder, *arguments, **environment):
    """The address of the server that a command of attncalc starts in a folder; Ctrl-C ends it."""
    command = [sys.executable, "-m", "attncalc", *arguments]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, **environment})
    try:
        yield run.stdout.readline().split()[-1]
        run.send_signal(signal.SIGINT)
        assert run.wait(20) == 130
    finally:
        run.kill()
        run.stdout.close()


@contextmanager
def page_of(browser, address, **how):
    """The page at an address, on whose console nothing may be reported."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, **how).new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    page.wait_for_selector("h1")
    yield page
    assert not wrong
    page.context.close()
