"""A real Firefox, driven by Mozilla's Marionette; without either, tests that need it are skipped."""

from __future__ import annotations

import socket
import subprocess
import time
from contextlib import contextmanager, suppress

import pytest

from tests.support.programs import installed

LONGEST = 15  # seconds until an element is there


@contextmanager
def firefox(profile):
    """A window of a new Firefox with an empty profile."""
    driver = pytest.importorskip("marionette_driver.marionette")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = [installed("firefox"), "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        client = driver.Marionette(host="127.0.0.1", port=port, startup_timeout=4 * LONGEST)
        client.raise_for_port(4 * LONGEST)
        client.start_session()
        yield Firefox(client, driver.errors.StaleElementException)
        client.delete_session()
    finally:
        run.terminate()
        run.wait(LONGEST)


class Firefox:
    """A window of Firefox: what a learner sees, clicks and types."""

    def __init__(self, client, stale):
        self.client, self.stale = client, stale

    def open(self, address, width):
        self.client.set_window_rect(width=width, height=900)
        self.client.navigate(address)

    def until(self, value):
        """The value of a function as soon as it is true."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            with suppress(self.stale):  # the page has changed meanwhile
                if result := value():
                    return result
            time.sleep(0.05)
        raise AssertionError(self.client.find_element("css selector", "body").text)

    def find(self, xpath):
        """The first visible element of an XPath."""
        return self.until(
            lambda: next((found for found in self.client.find_elements("xpath", xpath) if found.is_displayed()), None)
        )

    def text(self, words):
        return self.find(f"//*[contains(normalize-space(text()), '{words}')]")

    def entries(self, step):
        self.find(f"//section[.//*[@id='step-{step}']]//input")
        return self.client.find_elements("css selector", f"section:has(#step-{step}) .typed input")

    def press(self, *keys):
        """Type into the element that has the focus."""
        for text in keys:
            self.client.get_active_element().send_keys(text)

    def is_wider_than_the_window(self):
        return self.client.execute_script("return document.documentElement.scrollWidth > innerWidth")
