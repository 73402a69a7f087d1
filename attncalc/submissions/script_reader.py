"""A script from text in any of the formats that people and programs write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from ..errors import AttncalcError, Diagnostic, Location
from ..problem.yaml_file.nodes import ZIP, stated_encoding
from ..processor_limit import Allowance, limited
from .answer_examples import NOTHING
from .class_table import StudentRows, crossed_cells, only_student, read_students
from .formats.answer_yaml import NotYaml, as_free_text, read_script
from .formats.free_text import read_free
from .located_text import UNREADABLE, Written, whole
from .nearby_words import LONGEST as LONGEST_LINE
from .nearby_words import NearbyText, retracted, unlisted_words
from .question_letters import letters_of, lines_with_letters
from .submission import Script, Unread, crossed_out
from .tables.answer_tables import is_step_table, is_table_of_cells, read_steps
from .tables.table_reader import WORKBOOKS, sheets_of
from .text_encoding import decoded_script, seen

ARCHIVES = (*WORKBOOKS, ".docx")
_YAML = re.compile(  # an answer file, also in its short form with quoted numbers: `S: [["0.50", ...`
    r"^(?:answers|\"answers\"|'answers')[ \t]*:|^[^\S\n]*+\{\s*+\""
    r"|^[ \t]*[^\W\d][\w.']*[ \t]*:\s*\[[^\"'\n]*[\"'][-−]?[\d.]",
    re.MULTILINE,
)
# | student | q1.A[0,0] | ...
_NOTE = re.compile(r"(?:^|\s)#\s*|^[ \t\"']*note[\"']?[ \t]*:[ \t]*")  # begins a comment or a note in YAML
_CLASS = re.compile(
    r"\s*+(\|?(?>[^|\n]*?\bstudent\b)[^|\n]*+\|(?>[^\n]*?\w\[\s*+\d++\s*+,\s*+\d++\s*+\])[^\n]*\|)", re.IGNORECASE
)
# In Markdown, LaTeX and HTML
_STRUCK = re.compile(
    r"(?<!~)~~(?=[^\s~])(?:[^~\n]|\n(?!\s*\n)){1,2000}~~(?!~)"
    r"|\\(?:sout|st|[bx]?cancel)\{[^{}\n]{0,2000}\}|<(del|s|strike)>[^<\n]{0,2000}</\1>"
)
# What begins text that is not shown, and what ends it
_COMMENTS = (
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"(?m)^[ \t]*\\begin\{comment\}"), "\\end{comment}"),
    (re.compile(r"(?m)^[ \t]*\\iffalse\b"), "\\fi"),
    (re.compile(r"(?m)^[ \t]*\\end\{document\}"), ""),
)
# The end of a mail: below `-- ` no line is an answer
_SIGNATURE = re.compile(
    r"(?m)^-- \r?\n(?:[ \t]*+[^\W\d_]{2}[^\n=≈\[\]&|]*+(?:\n|\Z)|[ \t\r]*+\n){1,10}\s*+\Z"
    r"|(?i:^[ \t]*+(?:sent from my|sent from (?:outlook|mail|yahoo)|get outlook for|envoyé de mon|enviado desde mi"
    r"|gesendet von|von meinem [^\n=≈:\[\]]{1,40} gesendet)\b[^\n=≈:\[\]]{0,60}$)"
)
# In LaTeX: a percent sign behind a number may be of the number
_TEX = re.compile(r"\\documentclass\b|\\begin\{document\}")
_TEX_COMMENT = re.compile(r"(?m)(?:^|(?<=[\s$}])(?<![0-9] )|(?<=\\\\))%[^\n]*$")
_PREAMBLE = re.compile(r"(?s)\A\s*\\documentclass\b.*?(?=\\begin\{document\})")
_COMMAND_LINE = re.compile(r"(?m)^[ \t]*\\[A-Za-z][^\n]*$")
_KIND = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".csv": "cells", ".tsv": "cells", ".md": "free",
    ".markdown": "free", ".tex": "free", ".py": "free",
    ".xlsx": "cells", ".xlsm": "cells", ".ods": "cells",
}  # fmt: skip
_LINES = r"(?:^[ \t]*>.*\n?)+"
_QUOTE = re.compile(f"(?m){_LINES}")
_WROTE = re.compile(
    r"(?im)^.{0,300}\b(?:wrote|writes|schrieb|schreibt|(?:a|à) écrit|escribió|escreveu|ha scritto|schreef)\b.{0,200}:"
    rf"[ \t\r]*\n\s*{_LINES}"
)
_HEADER = re.compile(
    r"(?im)^[ \t>]*(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht"
    r"|message d'origine|message original|mensaje original|messaggio originale|oorspronkelijk bericht) ?-{2,}"
    r"|(?:begin forwarded message|anfang der weitergeleiteten nachricht"
    r"|début du message (?:réexpédié|transféré)"
    r"|inicio del mensaje reenviado|inizio messaggio inoltrato)[ \t]?:"
    r"|\*{0,2}(?:from|von|de|da|van):.{1,300}\n(?:[ \t>]*\*{0,2}(?:to|an|à|cc|para|aan|a):.{1,300}\n){0,2}"
    r"[ \t>]*\*{0,2}"
    r"(?:sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden):)"
)


def read(
    text: str | bytes,
    source: str,
    lenient: bool = False,
    words: frozenset[str] = frozenset(),
    nameless: str = "",
    allowance: Allowance | None = None,
) -> Script:
    """Return the script in a text; the file's name, then its form, says which format it is in.

    Formats:

    - the answer file in YAML or JSON;
    - a table of cells in CSV, TSV or a workbook;
    - free text (Markdown, LaTeX, a program's output) in which `S =`, `S:` or a heading names the step;
    - such text in a web page, a Word document or a notebook.

    Raises AttncalcError with every fault and its place. A lenient reader keeps the rest of a script whose steps or
    entries cannot all be read, and lists the others. `words` are questions that are ticked or answered in words; their
    answers are kept as they are. In free text a matrix without a name is a fault, or it is called `nameless_1`,
    `nameless_2`, ... by that word. A file that is read more than once has one `allowance`.
    """
    with (allowance or Allowance(Location(source))).limited():
        return _read(text, source, lenient, words, nameless)


def _read(text: str | bytes, source: str, lenient: bool, words: frozenset[str], nameless: str) -> Script:
    from .documents.document_kinds import is_relaid

    if is_relaid(text, source):
        return _of_document(text, source, lenient, words)
    if (kind := _format(text, source)) == "cells":
        return _of_cells(text, source, lenient, words)
    whole_text = decoded_script(text, source)
    text = seen(whole_text.text)
    crossed: tuple[Diagnostic, ...] = (whole_text.note,) if whole_text.note else ()
    file, broken = whole(text, source), tuple[Diagnostic, ...]()
    if kind == "yaml":
        try:
            return replace(read_script(text, source, lenient, words), crossed=crossed, nearby=_comments_of(file))
        except NotYaml as error:
            if not lenient:
                raise
            file, broken = as_free_text(text, source), tuple(error.faults)
    if (table := _CLASS.match(text)) is not None:
        message = "expected one student's answers, found a class table in Markdown; save it as .csv or .xlsx"
        raise AttncalcError(message, file.at(table.start(1)))
    shown, struck = _without_struck(file)
    shown, from_mail = _without_quoted(shown, source, words)
    crossed += struck + from_mail
    try:
        script = _of_free_text(shown, source, lenient, words, nameless)
    except AttncalcError:
        if not broken:
            raise
        raise AttncalcError(broken) from None
    if broken and not (script.answers or script.words):
        raise AttncalcError(broken)
    unread = (*(Unread("", fault) for fault in broken), *script.unread)
    return replace(script, crossed=(*crossed, *script.crossed), unread=unread)


def _of_free_text(shown: Written, source: str, lenient: bool, words: frozenset[str], nameless: str = "") -> Script:
    """Return the script in a free text without crossed-out text. It may answer questions with letters alone."""
    rest, letters, unclear = letters_of(shown, words)
    if not lenient and (faults := [piece.fault for piece in unclear if not piece.is_nearby]):
        raise AttncalcError(faults)
    may_answer = tuple(lines_with_letters(rest)) if words else ()
    try:
        script = read_free(rest, source, lenient, nameless)
    except AttncalcError:
        if not letters and not unclear:
            raise
        about = identity_lines(shown.text.encode())
        script = Script(about.get("problem"), about.get("student"), None, (), source)
    return replace(script, words=letters, unread=(*unclear, *script.unread), may_answer=may_answer)


def _comments_of(file: Written) -> tuple[NearbyText, ...]:
    """Return the comments and notes of an answer file that take an answer back, or change it. Behind a value, each word
    that is not neutral may do so.
    """
    notes = ((line, _NOTE.search(line.text)) for line in file.lines() if "#" in line.text or "note" in line.text)
    placed = [(line, match.start(), line.part(match.end(), len(line.text))) for line, match in notes if match]
    return tuple(filter(None, (retracted(note) or _behind(line, at, note) for line, at, note in placed)))


def _behind(line: Written, at: int, note: Written) -> NearbyText | None:
    """Return the comment there, with its sign, if it is behind a value and its words may change the value."""
    is_behind = len(note.text) <= LONGEST_LINE and re.search("[0-9]", line.text[:at])
    words = unlisted_words(note, 0) if is_behind else None
    return NearbyText(line.part(at, len(line.text)).trimmed(), words.words) if words else None


def _of_document(data: str | bytes, source: str, lenient: bool, words: frozenset[str]) -> Script:
    """Return the script in a web page, a Word document or a notebook."""
    from .documents.document_kinds import is_mail, relaid

    document = relaid(data, source)
    try:
        laid = document.written()
        shown, struck = _without_struck(Written(seen(laid.text), laid.at))
        shown, from_mail = _without_quoted(shown, source, words, is_mail(data, source))
        script = _of_free_text(shown, source, lenient, words)
    except AttncalcError as error:
        doubts = [doubt.doubt for doubt in document.doubts if doubt.doubt]
        others = [fault for fault in error.faults if not (document.faults and fault.message.startswith(NOTHING))]
        raise AttncalcError([*document.faults, *doubts, *others]) from None
    if document.faults and not lenient:
        raise AttncalcError(document.faults)
    unread = (*script.unread, *(Unread("", fault) for fault in document.faults))
    return replace(
        script,
        unread=unread,
        crossed=(*document.crossed, *struck, *from_mail, *script.crossed),
        doubts=(*script.doubts, *document.doubts),
    )


def _without_struck(file: Written) -> tuple[Written, tuple[Diagnostic, ...]]:
    """Return a free text with blanks for what is struck through or a comment, and a note on each such piece."""
    notes = list[Diagnostic]()
    if file.place.source.endswith(".tex") or _TEX.search(file.text):
        file, notes = _without_tex_comments(file)
    for begins, end in _COMMENTS:
        spans = list(_comments(file.text, begins, end))
        for start, inside, stop in spans:
            if re.search("[0-9]", comment := file.text[inside : stop - len(end)]):
                notes.append(crossed_out(comment, file.at(start), "a comment"))
        file = file.blanked((start, stop) for start, _, stop in spans)
    signatures = [piece for piece in _SIGNATURE.finditer(file.text) if re.search("[0-9]", piece[0])]
    notes += [crossed_out(piece[0], file.at(piece.start()), "a signature") for piece in signatures]
    file = file.blanked(piece.span() for piece in signatures)
    notes += [crossed_out(piece[0], file.at(piece.start())) for piece in _STRUCK.finditer(file.text)]
    return file.without(_STRUCK), tuple(notes)


def _without_tex_comments(file: Written) -> tuple[Written, list[Diagnostic]]:
    """Return LaTeX with blanks for its comments and the preamble's commands, and a note on comments with numbers."""
    comments = [comment for comment in _TEX_COMMENT.finditer(file.text) if comment[0].strip("% \t")]
    numbers = [comment for comment in comments if re.search("[0-9]", comment[0])]
    notes = [crossed_out(comment[0], file.at(comment.start()), "a comment") for comment in numbers]
    file = file.blanked(comment.span() for comment in comments)
    preamble = _PREAMBLE.match(file.text)
    commands = _COMMAND_LINE.finditer(file.text, 0, preamble.end()) if preamble else ()
    return file.blanked(command.span() for command in commands), notes


def _without_quoted(
    file: Written, source: str, words: frozenset[str] = frozenset(), is_mail: bool = False
) -> tuple[Written, tuple[Diagnostic, ...]]:
    """Return a free text with blanks for what it quotes of another mail, and a note on each piece with numbers. A text
    without answers beside what it quotes stays as it is.
    """
    spans = quoted(file.text, is_mail)
    unquoted, others = file.blanked(spans), file.blanked(_others(spans, len(file.text)))
    if not spans or not _has_answers(unquoted, others, source, words):
        return file, ()
    pieces = [(file.text[start:stop], file.at(start)) for start, stop in spans]
    notes = [crossed_out(piece, place, "quoted from an email") for piece, place in pieces if re.search("[0-9]", piece)]
    return unquoted, tuple(notes)


def _others(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return what lies between these pieces of a text."""
    bounds = [0, *(bound for span in spans for bound in span), length]
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def _has_answers(unquoted: Written, quoted_text: Written, source: str, words: frozenset[str]) -> bool:
    """Return whether a free text holds an answer beside what it quotes. What cannot be read counts if it names no step,
    or one that the quoted text names as well; `Due: 3 Feb` does not.
    """
    rest, taken, _ = letters_of(unquoted, words)
    script, others = (_read_or_nothing(piece, source) for piece in (rest, quoted_text))
    names = {"", *(answer.step for answer in others.answers), *(piece.step for piece in others.unread)}
    lost = {piece.step for piece in script.unread}
    return bool(taken or lost & names or any(answer.step not in lost for answer in script.answers))


def _read_or_nothing(text: Written, source: str) -> Script:
    """Return the script in a free text, without answers if it has none."""
    try:
        return read_free(text, source, lenient=True)
    except AttncalcError:
        return Script(None, None, None, (), source)


def _comments(text: str, begins: re.Pattern[str], end: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each comment begins, where its text begins, and where it ends. It must end to be one."""
    stop = 0
    for opening in begins.finditer(text):
        if opening.start() >= stop:
            closing = text.find(end, opening.end()) if end else len(text)
            if closing < 0:
                return
            stop = closing + len(end)
            yield opening.start(), opening.end(), stop


def _of_cells(text: str | bytes, source: str, lenient: bool, words: frozenset[str]) -> Script:
    sheets = sheets_of(text, source)
    if is_step_table(sheets):
        cells = [cell for sheet in sheets for row in sheet.rows for cell in row]
        nearby = tuple(filter(None, map(retracted, cells)))
        return replace(read_steps(sheets, source, lenient), crossed=crossed_cells(cells), nearby=nearby)
    rows = only_student(read_students(sheets, source), source)
    script = rows.script(lambda head: head.lower() != "name", words)
    faults = [piece.fault for piece in script.unread if not piece.is_nearby]
    if faults and not lenient:
        raise AttncalcError(faults)
    return script


def read_rows(text: str | bytes, source: str, called: Sequence[str] = ("student",)) -> list[StudentRows]:
    """Return the lines of each student in a table of cells, to be read alone; none for another format."""
    with limited(Location(source)):
        sheets = sheets_of(text, source) if _format(text, source) == "cells" else []
        return read_students(sheets, source, called) if sheets and not is_step_table(sheets) else []


def _format(text: str | bytes, source: str) -> str:
    known = _KIND.get(PurePath(source).suffix.lower())
    if known or isinstance(text, bytes) and text.startswith(ZIP):
        return known or "cells"
    text = decoded_script(text, source).text
    if _YAML.search(text):
        return "yaml"
    return "cells" if is_table_of_cells(text) else "free"


def quoted(text: str, is_mail: bool = False) -> list[tuple[int, int]]:
    """Return where each piece of another mail begins and ends. In a mail no line needs to say who wrote it."""
    header = _HEADER.search(text)
    last = header.start() if header else len(text)
    spans = [(last, len(text))] if header else []
    if wrote := _WROTE.search(text, 0, last):
        more = (lines.span() for lines in _QUOTE.finditer(text, wrote.end(), last))
        spans = [wrote.span(), *more, *spans]
    elif is_mail:
        spans = [*(lines.span() for lines in _QUOTE.finditer(text, 0, last)), *spans]
    return spans


# -- whose script it is ------------------------------------------------------------------------------------------------


TOP = 4_000  # bytes in which these lines stand
LONGEST = 100
_LINE = re.compile(  # at the beginning of a line, or of an item in JSON
    r"""(?:^[ \t#>*|-]*|[{,][ \t]*)["'*]*(student|problem)["'*]*[ \t]*[:=|][ \t*]*"""
    r"""("[^"\n]*"|'[^'\n]*'|[^\s"'][^\n,|{}"']*)""",
    re.IGNORECASE | re.MULTILINE,
)
_WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 12  # of a file's name


def identity_lines(raw: bytes) -> dict[str, str]:
    """Return what the top lines say of `student` and `problem`, whatever the lines below them are."""
    fields: dict[str, str] = {}
    for line in _LINE.finditer(raw[:TOP].decode(stated_encoding(raw) or "utf-8", "replace")):
        text = line[2].split(" #")[0].strip(" \t\r;\"'*`")
        if text and text.isprintable() and len(text) <= LONGEST and UNREADABLE not in text:
            fields.setdefault(line[1].lower(), text)
    return fields


def words_of(name: str) -> set[str]:
    """Yield every run of words in a file's name, as it is there: `midterm_s-0417_K7Q2` holds `s-0417` and `K7Q2`."""
    words = [word.span() for word in _WORD.finditer(name)][:MOST_WORDS]
    return {name[a:b].casefold() for k, (a, _) in enumerate(words) for _, b in words[k:]}
