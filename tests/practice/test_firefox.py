"""Practice in a real Firefox, with the keyboard, in a wide and a narrow window."""

from __future__ import annotations

import pytest

from tests.support.browsing import server
from tests.support.firefox import firefox

from .test_browser import HEAD

pytestmark = pytest.mark.needs("firefox")
ENTER, HOME = "\ue007", "\ue011"


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with firefox(tmp_path_factory.mktemp("firefox")) as opened:
        yield opened


@pytest.mark.parametrize("width", [1280, 500])
def test_from_the_idea_to_a_rehearsal(window, tmp_path, width):
    (tmp_path / "head.yaml").write_text(HEAD)
    with server(tmp_path, "practice", "--no-browser", "head.yaml", XDG_DATA_HOME=str(tmp_path)) as address:
        window.open(address, width)
        window.text("Start the exercise").send_keys(ENTER)
        first = window.entries("Z")[0]
        first.send_keys("1.66")
        window.client.refresh()
        first = window.entries("Z")[0]
        assert first.get_property("value") == "1.66", "what was typed survives a reload"
        first.send_keys(ENTER)
        window.press("2.99", ENTER, "1.66", ENTER, "9", ENTER)
        window.text("first error")
        last = window.entries("Z")[3]
        last.clear()
        last.send_keys("2.99" + ENTER)
        window.text("Everything is right.")
        assert window.client.get_active_element().text == "Next exercise", "the focus moves on"
        assert not window.is_wider_than_the_window()
        window.press(ENTER)
        window.until(lambda: window.entries("Z")[0].get_property("value") == "")
        window.find("//header//a[text()='Playground']").send_keys(ENTER)
        window.find("//section[contains(@class, 'givens')]//input").send_keys(HOME + "1/3+")
        window.find("//*[contains(@class, 'heat')]")
        assert not window.is_wider_than_the_window()
        window.find("//header//a[text()='Rehearsal']").send_keys(ENTER)
        window.text("Start").send_keys(ENTER)
        window.text("30 minutes left")
        for cell in window.entries("S"):
            cell.send_keys("77")
        window.text("Finish").send_keys(ENTER)
        window.text("0 of 1 exercises are right")
        assert not window.is_wider_than_the_window()
        window.find("//header//a[text()='Progress']").send_keys(ENTER)
        window.text("Due today")
