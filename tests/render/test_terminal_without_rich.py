"""Lines and screens without rich: they are broken, measured and found to be no terminal as rich does it."""

import io
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.style import Style
from rich.text import Text

from attncalc.explain.solution_document import solution_document
from attncalc.render.terminal import PlainConsole, console_width, is_plain, styled_text, write
from attncalc.render.terminal.styled_text import STYLES
from tests.support.laws import examples
from tests.support.pages import solved

AS_RICH = pytest.mark.skipif(
    int(version("rich").partition(".")[0]) < 14,
    reason="Rich 13 breaks words of wide letters from their end, and takes an empty FORCE_COLOR for a full one",
)
WORDS = st.text(st.sampled_from("ab  ·√₁漢é"), max_size=30)
LINES = st.lists(st.tuples(WORDS, st.sampled_from(list(STYLES.values()))), max_size=5).map(tuple)


class File(io.StringIO):
    def __init__(self, shown):
        super().__init__()
        self.shown = shown

    def isatty(self):
        return self.shown


def looks(text):
    """Each sign of a text of rich with its looks; what has the looks of nothing has none."""
    console = Console(file=io.StringIO(), width=400)
    return [(sign, str(part.style or Style())) for part in text.render(console) for sign in part.text]


@AS_RICH
@examples(300)
@given(LINES, st.integers(2, 30))
def test_lines_are_broken_as_rich_breaks_them(line, room):
    lines = list(Text.assemble(*line).wrap(Console(width=400), room))
    for one in lines:
        one.rstrip()
    assert [looks(Text.assemble(*one)) for one in styled_text.wrap(line, room)] == list(map(looks, lines))


@AS_RICH
@examples(300)
@given(LINES, st.integers(2, 30))
def test_lines_are_cut_as_rich_cuts_them(line, room):
    text = Text.assemble(*line)
    text.truncate(room)
    text.rstrip()  # half of a wide sign is a space to rich
    assert looks(Text.assemble(*styled_text.strip(styled_text.truncate(line, room)))) == looks(text)
    assert styled_text.width(styled_text.truncate(line, room)) <= room


@given(st.sampled_from(list(STYLES.values())), st.sampled_from(list(STYLES.values())))
def test_looks_are_put_upon_one_another(below, above):
    assert Style.parse(styled_text.merge_styles(below, above)) == Style.parse(below) + Style.parse(above)


@AS_RICH
@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"COLUMNS": "37"},
        {"COLUMNS": "0"},
        {"COLUMNS": "wide"},
        {"FORCE_COLOR": "1"},
        {"FORCE_COLOR": ""},
        {"TTY_COMPATIBLE": "1"},
        {"TTY_COMPATIBLE": "0", "FORCE_COLOR": "1"},
        {"NO_COLOR": "1"},
        {"TERM": "dumb", "COLUMNS": "61"},
    ],
    ids=str,
)
def test_a_screen_has_no_colours_only_where_rich_gives_it_none(monkeypatch, settings, shown):
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    file = File(shown)
    console = Console(file=file, legacy_windows=False)
    if is_plain(file):
        ours = PlainConsole(file, console_width())
        assert console.color_system is None
        assert (ours.width, ours.encoding.lower()) == (console.width, console.encoding)


@pytest.mark.parametrize("name", ["transformers-transforming-our-lives", "encoder-layer-small", "beam-search"])
def test_colours_change_no_word(name):
    solution = solved(name)
    document = solution_document(solution, solution.parts)
    coloured = Console(
        file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    write(document, coloured)
    uncoloured = PlainConsole(io.StringIO(), 80)
    write(document, uncoloured)
    assert Text.from_ansi(coloured.file.getvalue()).plain.splitlines() == uncoloured.file.getvalue().splitlines()
