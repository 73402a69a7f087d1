"""Practice as a person meets it: in a real Chromium, from the command line to progress that is found again after a
restart.
"""

from __future__ import annotations

import re

import pytest

from tests.support.audited import audited
from tests.support.browsing import chromium, page_of, server

pytestmark = pytest.mark.needs("chromium")
HEAD = "title: A head\ngiven: {Q: [[1, 0], [2, 1]], K: [[1, 1], [0, 2]], V: [[1, 2], [3, 5]]}\nrounding: {digits: 2}\nattention: {}\n"


def practice(home, *arguments):
    """A server of its own, whose progress is kept in `home`; its address."""
    return server(home, "practice", "--no-browser", *arguments, XDG_DATA_HOME=str(home))


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def start(page):
    """From the idea of an exercise to the exercise."""
    page.click("text=Start the exercise >> nth=0")
    page.wait_for_selector(".step .typed")


def write(page, step, rows):
    for cell, text in zip(
        page.locator(f"section:has(#step-{step}) input[type=text]").all(), [x for row in rows for x in row], strict=True
    ):
        cell.fill(text)


def check(page, step):
    """The verdict on a step, as the page shows it and reads it aloud."""
    page.locator(f"section:has(#step-{step}) .verdict").evaluate("one => { one.textContent = ''; }")
    page.locator(f"section:has(#step-{step}) button:text('Check')").click()
    page.wait_for_function(
        "step => { const said = document.querySelector(`section:has(#step-${step}) .verdict`).innerText; "
        "return said && said !== 'Checking …'; }",
        arg=step,
    )
    return page.locator(f"section:has(#step-{step}) .verdict[role=status]").text_content()


def test_a_wrong_scale_a_hint_another_problem_and_the_progress_after_a_restart(browser, tmp_path):
    (tmp_path / "head.yaml").write_text(HEAD)
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as page:
        assert "token" not in page.url, "the token leaves the address"
        page.wait_for_selector("svg.flow")
        audited(page, "idea")
        assert page.locator(".idea h3").count() == 4, "a worked example"
        page.locator(".flow a").last.click()
        page.emulate_media(media="print")
        assert not page.locator(".tools >> visible=true").count() and page.locator(".idea").is_visible()
        page.emulate_media(media="screen")
        start(page)
        page.select_option("#level", "4")
        page.wait_for_selector("section:has(#step-S) .scroll input")
        write(page, "S", [["1", "0"], ["3", "2"]])
        assert "✓ right" in check(page, "S")
        write(page, "S_scaled", [["0.50", "0.00"], ["1.50", "1.00"]])
        assert "✗ first error" in check(page, "S_scaled")
        page.reload()
        assert page.wait_for_selector("section:has(#step-S_scaled) input").input_value() == "0.50", (
            "what was typed is still there"
        )
        card = page.locator("section:has(#step-S_scaled)")
        assert "✗ first error" in card.locator(".verdict").inner_text(), "and what was said of it"
        assert "✓ right" in page.locator("section:has(#step-S) .verdict").inner_text()
        assert not card.locator("#message").inner_text(), "the step's own verdict says that it is the first error"
        for k, word in enumerate(("Look again at", "It looks as if you divided by", "divided by"), 1):
            card.locator("text=/^(Hint|More help)$/").click()
            assert word in card.locator(".hint").nth(k - 1).inner_text()
        assert card.locator("input.look").count() == 3
        page.reload()
        page.wait_for_selector("section:has(#step-S_scaled) .hint >> nth=2")
        page.click("header >> text=Progress")
        page.click("header >> text=Practise")
        card.locator(".hint").nth(2).wait_for()  # what is shown comes from the server
        assert card.locator(".hint").count() == 3 == card.locator("input.look").count(), "hints stay as well"
        assert "✗ first error" in card.locator(".verdict").inner_text()
        write(page, "A", [["0.62", "0.38"], ["0.62", "0.38"]])
        assert "correct, given your earlier numbers" in check(page, "A")
        audited(page, "practise")
        assert page.evaluate("[...document.querySelectorAll('th')].every(one => one.textContent.trim())")
        links = page.locator(".map a").all_text_contents()
        assert links[1].endswith("S_scaled 2 × 2, wrong")
        write(page, "Z", [["1,234.5", "1"], ["1", "1"]])
        assert check(page, "Z").startswith("Z: ? Z[1, 1]: expected a number, found '1,234.5'; write thousands")
        page.emulate_media(media="print")
        assert not page.locator(".tools >> visible=true").count() and page.locator("#step-Z").is_visible()
        page.emulate_media(media="screen")
        card.locator("input").first.click()
        page.keyboard.insert_text("")
        page.evaluate("""() => {
            const paste = new ClipboardEvent("paste", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
            paste.clipboardData.setData("text", "\\\\begin{bmatrix} 0.71 & 0 \\\\\\\\ 2.12 & 1.41 \\\\end{bmatrix}");
            document.querySelector("section:has(#step-S_scaled) input").dispatchEvent(paste);
        }""")
        page.wait_for_function("() => document.querySelector('section:has(#step-S_scaled) input').value === '0.71'")
        assert "✓ right" in check(page, "S_scaled")
        assert not card.locator(".hint").count(), "hints for another answer go"
        page.locator("section:has(#step-A) button:text('Question')").click()
        feedback = []
        for answer in page.locator("section:has(#step-A) label.answer").all():
            answer.click()
            feedback.append(page.locator("section:has(#step-A) p:is(.good, .bad)").get_attribute("class"))
        assert feedback.count("good") == 1
        assert not page.locator("text=The same trap again").count(), "its name would tell the cause"
        write(page, "A", [["0.67", "0.33"], ["0.67", "0.33"]])
        write(page, "Z", [["1.66", "2.99"], ["1.66", "2.99"]])
        assert "✓ right" in check(page, "A") and "✓ right" in check(page, "Z")
        page.route("**/respond", lambda route: route.fulfill(json={"faults": ["no new numbers"]}))
        page.click("text=/The same trap again: “You divided by d/")
        page.wait_for_selector("#after >> text=no new numbers")
        assert page.locator("#after button").count() == 3 and page.locator(".verdict.right").count() == 4
        page.unroute("**/respond")
        page.click("text=/The same trap again: “You divided by d/")
        page.wait_for_function(
            "() => !document.querySelector('.verdict:not(:empty)') && document.querySelector('.step')"
        )
        page.click("header >> text=Progress")
        assert "You divided by" in page.wait_for_selector(".mistake strong:has(msub)").inner_text()
        audited(page, "progress")
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as page:
        page.wait_for_selector(".step")
        page.click("header >> text=Progress")
        assert "You divided by" in page.wait_for_selector(".mistake strong").inner_text()
        with page.expect_download() as saved:
            page.click("text=Export")
        page.click("text=Delete everything")
        audited(page, "delete")
        page.click("dialog >> text=Keep")
        assert not page.locator("dialog").count() and page.locator(".mistake").count()
        page.click("text=Delete everything")
        page.click("dialog >> button:text('Delete')")
        page.wait_for_selector("text=No mistakes yet")
        page.set_input_files("#import", saved.value.path())
        assert "You divided by" in page.wait_for_selector(".mistake strong").inner_text()
        page.click("text=Delete everything")
        page.click("dialog >> button:text('Delete')")
        page.wait_for_selector("text=No mistakes yet")
    assert "scale" not in (tmp_path / "attncalc" / "progress.json").read_text()


def test_arcs_show_the_weights_on_the_page(browser, tmp_path):
    """On request, and from the typed numbers: a larger weight has a wider line, and an empty entry has none."""
    labels = HEAD.replace("K: [[1, 1], [0, 2]]", "K: {values: [[1, 1], [0, 2]], rows: [the, cat]}").replace(
        "Q: [[1, 0], [2, 1]]", "Q: {values: [[1, 0], [2, 1]], rows: [the, cat]}"
    )
    (tmp_path / "head.yaml").write_text(labels)
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as page:
        page.wait_for_selector(".idea")
        start(page)
        page.select_option("#level", "4")
        card = page.locator("section:has(#step-A)")
        card.locator("input").first.wait_for()
        assert not page.locator("svg.arcs").count()
        write(page, "A", [["0,75", "1/4"], ["", "abc"]])
        card.locator("button:text('Arcs')").click()
        drawn = "(paths) => paths.map((path) => [path.textContent, path.getAttribute('stroke-width')])"
        assert card.locator(".arcs path").evaluate_all(drawn) == [
            ["the → the: 0.75", "7.5"],
            ["the → cat: 0.25", "2.5"],
        ]
        audited(page, "arcs")
        write(page, "A", [["1", "0"], ["", "1"]])
        assert card.locator(".arcs path").evaluate_all(drawn) == [["the → the: 1.00", "10"], ["cat → cat: 1.00", "10"]]
        card.locator("button:text('Arcs')").click()
        assert not card.locator(".arcs >> visible=true").count()


def test_no_number_is_lost(browser, tmp_path):
    """A tab that is killed, other numbers, a paste, an import, and two tabs with one exercise."""
    (tmp_path / "path.yaml").write_text("path:\n- {problem: a.yaml}\n- {problem: b.yaml}\n")
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(HEAD.replace("A head", f"Head {name}"))
    entry = "section:has(#step-Z) input[type=text]"
    with practice(tmp_path, "path.yaml") as address, page_of(browser, address) as page:
        context = page.context

        def opened(name):
            page = context.new_page()
            page.goto(f"{address.partition('#')[0]}#choose")
            page.locator(".item", has_text=f"Head {name}").first.click()
            page.wait_for_selector(f"{entry}, .idea")
            if page.locator(".idea").count():
                start(page)
            return page

        for name, number in (("a", "1.5"), ("b", "2.5")):
            page = opened(name)
            page.locator(entry).first.fill(number)
            page.close()  # without a word to the page
        page = context.new_page()
        page.goto(f"{address.partition('#')[0]}#choose")
        page.wait_for_selector("text=Started")
        assert page.locator("section .item").count() == 2, "each is listed"
        page.close()
        page = opened("a")
        assert page.locator(entry).first.input_value() == "1.5"
        for text in ("Another one like it", "Another one like it", "Back to the previous numbers"):
            page.click(f".tools:not(#after) >> text={text}")
            page.wait_for_timeout(300)
            is_back = text == "Back to the previous numbers"
            page.wait_for_function(
                "is => is === (document.querySelector('section:has(#step-Z) input').value === '1.5')", arg=is_back
            )
        page.evaluate("""() => {
            const paste = new ClipboardEvent("paste", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
            paste.clipboardData.setData("text", "7 8; 9 10");
            document.querySelector("section:has(#step-Z) input").dispatchEvent(paste);
        }""")
        page.click("text=Undo the paste")
        assert [cell.input_value() for cell in page.locator(entry).all()] == ["1.5", "", "", ""]
        other = opened("a")
        for tab in (page, other):
            tab.select_option("#level", "4")
            tab.wait_for_selector("section:has(#step-S) input")
        page.locator("section:has(#step-S) input").first.fill("3.5")
        page.wait_for_timeout(1000)  # until the browser has carried it to the other tab's process
        other.locator("section:has(#step-A) input").first.fill("4.5")
        other.reload()
        other.wait_for_selector("section:has(#step-S) input")
        found = [other.locator(f"section:has(#step-{name}) input").first.input_value() for name in ("S", "A", "Z")]
        assert found == ["3.5", "4.5", "1.5"]
        other.click("header >> text=Progress")
        for text in ('{"version": 1}', '{"version": 1, "mistakes": {"sign": {"met": 2}}, "items": {}}'):
            (tmp_path / "file.json").write_text(text)
            other.set_input_files("#import", tmp_path / "file.json")
            other.wait_for_selector("text=has not changed" if text.endswith("1}") else ".mistake")
        other.click("text=Undo the import")
        other.wait_for_selector("text=No mistakes yet")
        page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error(); }; }")
        page.locator(entry).first.fill("9")
        page.wait_for_selector("header >> text=This browser cannot save your input")
        other.close()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("text=Another one like it", "text=Back to the previous numbers"),
        ("text=Another one like it", "header >> text=Progress"),
        ("section:has(#step-Z) button:text('Check')", "text=Back to the previous numbers"),
        ("section:has(#step-Z) button:text('Hint')", "text=Back to the previous numbers"),
    ],
)
def test_law_a_late_response_changes_nothing(first, then, browser, tmp_path):
    (tmp_path / "head.yaml").write_text(HEAD)
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as page:
        start(page)
        entry = page.locator("section:has(#step-Z) input[type=text]").first
        entry.fill("1.5")
        page.click("text=Another one like it")
        page.wait_for_function("() => document.querySelector('section:has(#step-Z) input').value === ''")
        entry.fill("2.5")
        late, answered = [], []
        page.route("**/respond", lambda route: route.continue_() if late else late.append(route))
        page.locator(first).first.click()
        while not late:
            page.wait_for_timeout(20)
        page.click(then)
        page.wait_for_selector("text=No mistakes yet" if "Progress" in then else "text=Back to the previous numbers")
        page.wait_for_timeout(500)
        url, shown = page.url, page.locator("#main").inner_html()
        page.on("response", lambda response: answered.append(response))
        late[0].continue_()
        while not answered:
            page.wait_for_timeout(20)
        page.wait_for_timeout(300)
        assert page.url == url and page.locator("#main").inner_html() == shown
        if "Progress" not in then:
            assert entry.input_value() == "1.5"


def test_a_long_layer_is_done_in_parts(browser, tmp_path):
    with practice(tmp_path, "decoder_layer") as address, page_of(browser, address) as page:
        start(page)
        assert page.locator("#stage option").count() == 3
        names = [page.evaluate("[...document.querySelectorAll('.map a')].map(one => one.hash)")]
        for part in ("2", "3"):
            page.select_option("#stage", part)
            page.wait_for_function("names => names !== document.querySelector('.map a').hash", arg=names[-1][0])
            names.append(page.evaluate("[...document.querySelectorAll('.map a')].map(one => one.hash)"))
        every = [name for part in names for name in part]
        assert len({*every}) == 52 == len(every)
        audited(page, "part")
        page.reload()
        page.wait_for_selector(".step")
        assert page.locator("#stage").input_value() == "3", "the part is kept"
        page.click("text=Open in the playground")
        page.wait_for_selector(".steps td")
        before = page.locator(".steps").inner_text()
        page.locator(".givens input").first.fill("7")
        page.wait_for_function("before => document.querySelector('.steps').innerText !== before", arg=before)


@pytest.mark.parametrize("lesson", ["self_attention", "llama_layer"])
def test_worked_lines_that_go_on_at_the_side_take_the_focus(browser, tmp_path, lesson):
    with practice(tmp_path, lesson) as address, page_of(browser, address) as page:
        start(page)
        page.wait_for_selector(".line math")
        audited(page, f"first-{lesson}")
        assert page.evaluate("[...document.querySelectorAll('h2')].every((one) => one.innerText.trim())")


def test_tabs_share_progress(browser, tmp_path):
    """Each of two tabs that were open before meets a mistake; what one deletes is gone in the other."""
    (tmp_path / "head.yaml").write_text(HEAD)
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as one:
        start(one)
        one.wait_for_selector("text=You solve the other steps")
        other = one.context.new_page()
        other.goto(address)
        kept, names = tmp_path / "attncalc" / "progress.json", ("scale-without-root", "output-of-keys")
        wrong = {"S_scaled": [["0.50", "0.00"], ["1.50", "1.00"]], "Z": [["0.67", "1.33"], ["0.67", "1.33"]]}
        for page, step, name in ((one, "S_scaled", names[0]), (other, "Z", names[1])):
            page.select_option("#level", "4" if step == "S_scaled" else "1")
            page.wait_for_selector(f"section:has(#step-{step}) .scroll input")
            write(page, step, wrong[step])
            check(page, step)
            page.wait_for_selector(f"section:has(#step-{step}) .verdict.wrong")
            for _ in range(300):  # the mistake is noted in a request of its own; a page has as long elsewhere
                if name in kept.read_text():
                    break
                page.wait_for_timeout(100)
        assert all(name in kept.read_text() for name in names)
        other.click("header >> text=Progress")
        other.click("text=Delete everything")
        other.click("dialog >> button:text('Delete')")
        other.wait_for_selector("text=No mistakes yet")
        write(one, "S", [["1", "0"], ["3", "2"]])
        check(one, "S")
        one.click("header >> text=Progress")
        one.wait_for_selector("text=No mistakes yet")


def test_what_is_typed_outlives_the_server(browser, tmp_path):
    """A new run has a token of its own, and opens a page of its own: the one before is reloaded, and goes on."""
    (tmp_path / "head.yaml").write_text(HEAD)
    with practice(tmp_path, "head.yaml") as address:
        page = browser.new_context().new_page()
        page.goto(address)
        start(page)
        write(page, "Z", [["1", "2"], ["3", "4"]])
        assert "first error" in check(page, "Z")
        write(page, "Z", [["1.66", "2.99"], ["1.66", "2.99"]])
    page.click("section:has(#step-Z) button:text('Check')")
    page.wait_for_selector("text=The server has stopped.")
    assert not page.locator("section:has(#step-Z) .verdict").inner_text(), "it was said of other numbers"
    with practice(tmp_path, "head.yaml") as again, practice(tmp_path, "head.yaml") as other:
        assert again.partition("#")[0] == address.partition("#")[0] != other.partition("#")[0]
        assert again.partition("#")[2] != address.partition("#")[2], "each run has its own token"
        page.context.new_page().goto(again)
        page.reload()
        assert page.wait_for_selector("section:has(#step-Z) input").input_value() == "1.66"
        assert check(page, "Z") == "Z: ✓ right"
    page.context.close()


def test_the_playground_gives_nothing_of_an_exercise_away(browser, tmp_path):
    """It plays with other numbers, which stay the same ones, until everything is right."""
    (tmp_path / "head.yaml").write_text(HEAD)
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as page:
        start(page)
        own, found = [str(x) for x in (1, 0, 2, 1, 1, 1, 0, 2, 1, 2, 3, 5)], []
        for _ in range(2):
            page.click("header >> text=Playground")
            page.wait_for_selector("text=These are not the numbers of your exercise")
            found.append([cell.input_value() for cell in page.locator(".givens input").all()])
            page.click("header >> text=Practise")
            page.wait_for_selector("section:has(#step-Z) input")
        assert found[0] == found[1] != own and len(found[0]) == len(own)
        write(page, "Z", [["1.66", "2.99"], ["1.66", "2.99"]])
        assert check(page, "Z") == "Z: ✓ right"
        page.click("text=Open in the playground")
        page.wait_for_selector("text=Change any given number")
        assert [cell.input_value() for cell in page.locator(".givens input").all()] == own
        page.click("header >> text=Practise")
        page.click(".tools:not(#after) >> text=Another one like it")
        page.wait_for_selector("section:has(#step-Z) .verdict:empty", state="attached")
        assert page.locator("section:has(#step-Z) input").first.input_value() == ""


def test_a_link_opens_its_exercise_with_its_numbers(browser, tmp_path):
    with practice(tmp_path) as address, page_of(browser, address) as page:
        page.wait_for_selector("text=A mistake is due until")
        home, givens = (
            page.url.partition("#")[0],
            "[...document.querySelectorAll('.givens td')].map(one => one.textContent)",
        )
        page.goto(f"{home}#practise/self-attention/7/2")
        start(page)
        link, seen = page.locator("text=Link to these numbers").get_attribute("href"), page.evaluate(givens)
        assert link == "#practise/self-attention/7/2"
        page.locator(".typed input").first.fill("5")
        page.click(".tools:not(#after) >> text=Another one like it")
        page.wait_for_function(f"seen => JSON.stringify({givens}) !== JSON.stringify(seen)", arg=seen)
        page.goto(f"{home}{link}")
        page.wait_for_function(f"seen => JSON.stringify({givens}) === JSON.stringify(seen)", arg=seen)
        page.locator(".typed input").first.fill("6")
        page.goto(f"{home}#choose")
        page.wait_for_selector("text=Started")
        page.goto(f"{home}{link}")
        page.wait_for_selector(".typed input")
        assert page.locator(".typed input").first.input_value() == "6", "these numbers go on as they were left"
        page.goto(f"{home}#practise/no-such-exercise")
        page.wait_for_selector("text=there is no exercise no-such-exercise")


def test_choose_by_keyboard_alone_and_play(browser, tmp_path):
    with practice(tmp_path) as address, page_of(browser, address) as page:
        audited(page, "choose")
        page.locator(".item").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".idea")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".typed input")
        page.locator(".typed input").first.focus()
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Everything is right.")
        assert not page.locator("#level").count(), "one step has no parts"
        page.keyboard.press("Tab")
        page.click("header >> text=Choose")
        page.click("text=Attention from Q, K and V")
        page.wait_for_selector(".idea")
        start(page)
        page.click("text=Open in the playground")
        page.wait_for_selector("text=Change any given number")
        page.wait_for_selector(".steps td")
        before = page.locator(".steps").inner_text()
        page.locator(".givens input").first.fill("1/3")
        page.wait_for_function("before => document.querySelector('.steps').innerText !== before", arg=before)
        weights = page.locator(".steps .step:has(.heat) td[role]").first
        weights.focus()
        page.wait_for_selector(".source")
        assert page.locator(".why math").count() >= 2 and page.locator("td.target").count() == 1
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "() => document.querySelectorAll('.steps .step:has(.heat) td[role]')[1].matches('.target')"
        )
        before = page.locator(".steps").inner_text()
        page.locator("input[type=range]").first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("before => document.querySelector('.steps').innerText !== before", arg=before)
        before = page.locator(".steps").inner_text()
        for half in ("-", "1/", ""):
            page.locator(".givens input").first.fill(half)
            page.wait_for_timeout(300)
            assert not page.locator("#main > .fault").inner_text() and page.locator(".steps").inner_text() == before
        page.locator(".givens input").first.fill("1/")
        page.locator(".givens input").nth(1).focus()
        said = page.wait_for_selector(".fault:not(:empty)").inner_text()
        assert re.match(r"Q, row [a-z]+, column 1: ", said) and "last valid numbers" in said
        assert page.locator("[aria-invalid=true]").count() == 1
        page.locator(".givens input").first.fill("2")
        page.wait_for_selector("#main > .fault", state="hidden")
        assert not page.locator("[aria-invalid=true]").count()
        audited(page, "playground")


def test_a_rehearsal_lists_mistakes_at_its_end(browser, tmp_path):
    """No verdict before the end, what is typed survives a reload, and a mistake can be corrected with hints."""
    (tmp_path / "path.yaml").write_text("path:\n- {problem: a.yaml}\n- {problem: b.yaml}\n")
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(HEAD.replace("A head", f"Head {name}"))
    with practice(tmp_path, "path.yaml") as address, page_of(browser, address) as page:
        page.click("header >> text=Rehearsal")
        page.wait_for_selector("input[type=checkbox]")
        audited(page, "rehearsal-choice")
        for box in page.locator("input[type=checkbox]").all():
            box.uncheck()
        page.click("text=Start")
        page.wait_for_selector("text=choose at least one exercise")
        page.locator("label", has_text="Head a").click()
        page.locator("label", has_text="Head b").click()
        page.click("button:text('Start')")
        page.wait_for_selector("text=Exercise 1 of 2.")
        assert "30 minutes left" in page.locator("[role=timer]").inner_text()
        assert not page.locator("button:text('Check'), button:text('Hint')").count()
        audited(page, "rehearsal")
        page.locator("section:has(#step-Z) input").first.fill("9.99")
        page.click("text=Next exercise")
        page.wait_for_selector("text=Exercise 2 of 2.")
        page.reload()
        page.wait_for_selector("text=Exercise 2 of 2.")
        page.click("text=Previous exercise")
        page.wait_for_selector("text=Exercise 1 of 2.")
        assert page.locator("section:has(#step-Z) input").first.input_value() == "9.99"
        for cell in page.locator("section:has(#step-S) input").all():
            cell.fill("77")
        page.click("text=Finish")
        page.wait_for_selector("text=0 of 2 exercises are right")
        audited(page, "rehearsal-result")
        assert page.locator(".step").count() == 2 and "✗ first error" in page.locator("li.wrong").first.inner_text()
        page.locator("text=Correct it with hints").first.click()
        page.wait_for_selector("section:has(#step-S) button:text('Hint')")
        assert page.locator("section:has(#step-S) input").first.input_value() == "77"
        page.click("header >> text=Rehearsal")
        page.click("text=New rehearsal")
        page.wait_for_selector("input[type=checkbox]")


def test_the_next_exercise_is_prepared(browser, tmp_path):
    """The response to the button "Next exercise" was asked for before it is pressed."""
    (tmp_path / "head.yaml").write_text(HEAD)
    with practice(tmp_path, "head.yaml") as address, page_of(browser, address) as page:
        start(page)
        with page.expect_request(lambda request: '"do":"next"' in (request.post_data or "")):
            write(page, "Z", [["1.66", "2.99"], ["1.66", "2.99"]])
            check(page, "Z")
        page.wait_for_selector("text=Next exercise")
        page.wait_for_load_state("networkidle")
        later = []
        page.on("request", lambda request: later.append(request.post_data or ""))
        page.click("text=Next exercise")
        page.wait_for_selector("section:has(#step-Z) .verdict:empty", state="attached")
        assert not [text for text in later if '"do":"next"' in text or '"do":"new"' in text]
