"""Collects the sentences that users read: of documents, messages, tables, templates and scripts of pages."""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

TOP = Path(__file__).parents[2]
MOST_WORDS = 30
# Turns of phrase that have to be read twice, and what to write instead.
AVOIDED = {
    r"\b[Ii]n (the|its|their) place of\b|\bin place of\b": "instead of",
    r"\b(goes|go|went|gone|carry|carries|carried) on\b": "continue, carry forward",
    r"\banew\b|\bwithout a (word|sign)\b|\bmended\b|\b[Ww]hoever\b|\bat a glance\b": "again, silently, fixed, anyone",
    r"\b(is|are|was|were|being|be) (told|said)\b|\btells? of\b|\bsaid of\b": "is reported, is named",
    r"\bevery (third|fourth)\b|\b(nine|three|one) (\w+ )?(of|in) (four|ten|three|twenty|eleven)\b": "a quarter, 90 %",
    r"(?<!here )\b(is|are|was|were|be) no (?!longer\b|more\b)[a-z]\w*": "is not a",
    r"(^|[.;:] )Of (a|an|several|those|what|it|each|some)\b": "the subject first",
    r"(^|[.;:] )What (a|an|the|it|they|you|cannot|can|is|was)\b.*[.:]$": "a noun: the entry that cannot be read",
    r"(^|[.;:,] )[Ww]ho (writes|rounds|sits|has|reads|works|types|wants)\b": "a student who",
    r"\b([Ss]tands?|stood)\b(?! for\b)": "is, appears, is listed",
    r"\b[Rr]efus(e|es|ed|al)s?\b": "reject, do not accept",
    r"\bprints? of\b|'s prints?\b|\bthis print\b": "output, printed value",
    r"\bgradients? by (the )?(scores|weights|queries|keys|values|tokens|[A-Z]\b)": "gradient with respect to",
    r"\brunning mean of (the )?(gradients?|squares)\b": "moving average",
    r"\b(the|its|both) ways? back\b": "backward pass",
    r"\b(come|comes|came) to\b(?! (the|a) (desk|course))": "equals, gives, results in",
    r"\bone a (row|line|page)\b|\b(?!as\b|is\b)\w+s a (row|token|step|head)\b(?= ?[,.;:)]|$)": "one per row",
    r"\b(is|are|was|were) there already\b": "already exists",
    r"\b(sees?|may look)\b (?!also|below)(\w+ )?(itself|(all|only|the|later|earlier) (tokens?|keys?|words?))": "attends to",
    r";[^;]*;[^;]*[.]$": "one semicolon a sentence, or a list",
    r"\b[Oo]n this page you find\b": "this page shows",
    r"\b(previous|each|this|per|first) turn\b": "repetition",
    r"\bof today\b": "present-day",
    r"\bwhat (\w+'?s? ){1,4}(is|are) (multiplied|divided) by\b|\bwhat is (also|added to)\b": "the factor, the divisor",
    r"\b(earns?|pays?) bits\b": "gains, loses bits of evidence",
}
DOCUMENTS = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]
AN_ITEM = re.compile(r"\n\s*(?:[-*]|\d+\.) |\n\s*\n|\n#+ |\n\|")  # a paragraph, an item or a row begins
WORDS_IN_A_ROW = re.compile(r"[A-Za-z]{2,},? [A-Za-z]+,? [A-Za-z]{2,}")
CODE = re.compile(r"\\[bdswAZ(\[]|\(\?[:=!<P]|^[\w.]+\(|[{}]{2}|^\s*[<{]|[;{]\n")  # a pattern, a call, CSS or a program
EXAMPLES = re.compile(r"\x08\n.*?(?:\n\s*\n|\Z)", re.S)  # commands in the help of a command
NO_SENTENCES = {
    "signatures.py": "parameters of other libraries",
    "printer.py": "names of functions",
    "synonyms.py": "names in other libraries",
    "column_names.ini": "names of columns in many languages",
    "nearby_words.ini": "words of students in many languages",
    "static_site.py": "names of modules",
    "small_problems.py": "example texts",
}  # tables for programs
JAVASCRIPT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
TEMPLATE_CODE = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<style.*?</style>|<script.*?</script>|<!--.*?-->", re.S)


class Sentence(NamedTuple):
    """A sentence and where it is written."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(TOP)}:{self.line}: {self.text}"


def of_page(page: str) -> Iterator[str]:
    """Yield the sentences of a page as a reader counts them: without code, a link's text only, each cell separately."""
    page = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.S)
    page = re.sub(r"```.*?```|<!--.*?-->", "", page, flags=re.S)
    page = re.sub(r"^    .*$", "", page, flags=re.M)
    page = re.sub(r"`[^`]*`", "CODE", re.sub(r"\]\([^)]*\)", "]", page)).replace("**", "")
    for piece in AN_ITEM.split("\n" + page):
        for cell in piece.split("|"):
            yield from split(cell)


def split(text: str) -> Iterator[str]:
    """Yield the sentences of a text in one line each."""
    pieces = (
        " ".join(piece.split())
        for piece in re.split(r"(?<=[.!?:])(?<! al\.)\s+|\n\s*\n|\n\s*[-*] ", EXAMPLES.sub("\n\n", text))
    )
    yield from filter(None, pieces)


def _flat(node: ast.AST) -> str | None:
    """Return the text of a string with X where a value is filled in, or None if the node is not a string."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_flat(part) or "X" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = _flat(left), _flat(right)
            return None if texts == (None, None) else "".join(text or "X" for text in texts)
    return None


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                is_help = any("command" in ast.dump(each) for each in getattr(node, "decorator_list", ()))
                if not is_help:
                    yield first.value


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string that is not a docstring; a command's docstring is its help."""
    hidden = {id(node) for node in _docstrings(tree)}
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if id(node) in hidden:
            continue
        text = _flat(node)
        if text is None:
            pending += ast.iter_child_nodes(node)
        else:
            yield getattr(node, "lineno", 1), text
            pending += [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]


def _leaves(value: Any, line: int = 1) -> Iterator[tuple[int, str]]:
    """Yield the strings of a YAML node with their lines."""
    match value:
        case yaml.ScalarNode():
            yield value.start_mark.line + 1, value.value
        case yaml.SequenceNode():
            for item in value.value:
                yield from _leaves(item)
        case yaml.MappingNode():
            for key, item in value.value:
                if getattr(key, "value", "") not in ("de", "source"):  # another language, and references
                    yield from _leaves(key)
                    yield from _leaves(item)


def _texts(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string of a file."""
    content = file.read_text(encoding="utf-8")
    match file.suffix:
        case ".py":
            yield from _strings(ast.parse(content))
        case ".ini":
            table = configparser.RawConfigParser(delimiters="=", comment_prefixes=("#", ";"), interpolation=None)
            table.optionxform = str  # type: ignore[method-assign, assignment]
            table.read_string(content)
            for section in table.sections():
                yield from ((1, text) for _, text in table.items(section))
        case ".yaml" | ".yml":
            yield from _leaves(yaml.compose(content, yaml.CSafeLoader))
        case ".js":
            code = re.sub(r"^\s*//[^\n]*|/\*.*?\*/", "", content, flags=re.M | re.S)
            for found in JAVASCRIPT.finditer(code):
                text = re.sub(r"\$\{[^}]*\}", "X", found[1] or found[2] or "").replace("\\n", "\n")
                yield content.count("\n", 0, max(content.find(found[0]), 0)) + 1, text
        case ".html" | ".md" | ".txt":
            yield 1, re.sub(r"<[^>]*>", "\n\n", TEMPLATE_CODE.sub("\n\n", content))


def program_files() -> list[Path]:
    """Return the files whose strings users read."""
    folders = {
        "attncalc": (".py", ".ini", ".yaml", ".js", ".html"),
        "problems": (".yaml", ".yml"),
        "templates": (".yaml", ".html", ".md"),
    }
    return [
        file
        for folder, endings in folders.items()
        for file in sorted((TOP / folder).rglob("*"))
        if file.suffix in endings
        and file.name not in NO_SENTENCES
        and not {"draws", "examples", "answers"} & set(file.parts[len(TOP.parts) :])
    ]


def faults(sentence: str) -> Iterator[str]:
    """Yield what is wrong with a sentence: its length, or a turn of phrase to avoid."""
    if len(sentence.split()) > MOST_WORDS:
        yield f"more than {MOST_WORDS} words"
    yield from (instead for turn, instead in AVOIDED.items() if re.search(turn, sentence))


def of_program() -> Iterator[Sentence]:
    """Yield each sentence of three words and more in the strings of the program, its tables, templates and scripts."""
    for file in program_files():
        for line, text in _texts(file):
            if WORDS_IN_A_ROW.search(text) and not CODE.search(text):
                yield from (Sentence(file, line, each) for each in split(text) if WORDS_IN_A_ROW.search(each))


def of_documents() -> Iterator[Sentence]:
    """Yield each sentence of the documents."""
    for file in DOCUMENTS:
        content = file.read_text(encoding="utf-8")
        yield from (Sentence(file, 1, each) for each in of_page(content))
