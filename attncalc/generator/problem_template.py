"""`attncalc new`: a commented problem file, from pasted matrices or from a lesson's inputs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from ..errors import AttncalcError, Location, did_you_mean, shorten
from ..formula.parser import is_name, parse
from ..formula.syntax_tree import unparse
from ..lessons import LESSONS
from ..lessons.lesson import Lesson
from ..problem.yaml_file.writer import Data, flow, scalar
from ..submissions.script_reader import read
from ..submissions.shape_matching import refuse_ragged
from ..submissions.submission import Answer, Typed
from .lesson_recipes import DRAWN, RECIPES, drawn_lessons
from .request import DEFAULT_ENTRIES, Request, specification

COLUMN = 34  # the column of comments
# Candidate lessons for pasted matrices; the first one with all inputs present is taken.
_LESSON_ORDER = ("multi_head_attention", "cross_attention", "self_attention", "attention", "feed_forward", "layer_norm",
    "cross_entropy")  # fmt: skip
DEFAULT_NAME = "M"  # the base name of unnamed matrices, which are numbered
# A name as papers write it, W^Q or \mathbf{W}^{(Q)}, for which W_Q can stand in a problem file.
_RAISED = re.compile(
    r"(?:\\(?:mathbf|boldsymbol|bm|mathrm|mathcal)\{([A-Za-z])\}|\b([A-Za-z]))\^\{?\(?([A-Za-z0-9]{1,4})\)?\}?(?=\s*(?:&?=|:))"
)
_DOCSTRING = re.compile(r"(\"{3}|'{3}).*?\1", re.DOTALL)
# Attribute names of PyTorch's modules (self.W_Q, layer.weight.data), and their wrappers.
_ATTRIBUTE = re.compile(r"(?m)^ *([A-Za-z_][\w.]*)(?= *=[^=])")
_PARAMETER = re.compile(r"\b(?:torch\.)?(?:nn\.)?(?:Parameter|Buffer)\((?: *data *=)?")
_CONSTANT = re.compile(r"(?m)^ *(\w+) *= *((?:np|torch)\.(?:zeros|ones|eye)\([\d, ()]{1,20}\)) *$")
# A statement of a program: the names to which it assigns, and the sign; or a call whose value is not used.
_STATEMENT = re.compile(
    r"(?m)(?:^|;|:[ \t])[ \t$]*(?:([A-Za-z_][\w.]*(?:\[[^\]\n]*\])?(?:[ \t]*[,=][ \t]*[A-Za-z_]\w*)*)"
    r"[ \t]*(?:[-+*/@%&|^]|//|\*\*)?=(?!=)"
    r"|(?!print\b)[A-Za-z_][\w.]*\([^\n]*\)[ \t]*$)"
)
# Texts with a matrix that has another meaning in MATLAB or another name: A.', rows in lines, Q = K = [[...]].
_UNCLEAR = (
    (re.compile(r"\][ \t]*\.'"), "expected a matrix, found its transpose; write the transposed numbers"),
    (
        re.compile(r"\[[^\[\];,\n]{0,50}\d[ \t]*\n[ \t]*[-+]?[\d.][^\[\];,]*\]"),
        "expected one row in these brackets, found several lines; write [1 2; 3 4] or [[1, 2], [3, 4]]",
    ),
    (
        re.compile(
            r"\b[A-Za-z]\w*[ \t]*=[ \t]*[A-Za-z]\w*[ \t]*=[ \t]*(?:\\begin|\[)"
            r"|(?<!\w)\[\[[^=\n]*\]\][ \t]*=[ \t]*[A-Za-z]"
        ),
        "expected one name for each matrix, found several; write the matrix once for each name",
    ),
)
_CHANGE = r"(?m)^[ \t(\\\[$]*{}\b[^=<←\n]*?(?:<-|←|\\leftarrow|\\gets|:=|(?<![=!<>])=(?!=))"
_HEAD = (
    "# Made by `attncalc new`. `attncalc solve FILE` solves the problem. `attncalc lint FILE` reports what makes it "
    "hard to mark."
)


def new(lesson: str = "", pasted: str = "", source: str = "<stdin>") -> str:
    """Return the text of a problem file. Raises AttncalcError with every fault of the pasted text, and for an unknown
    lesson.
    """
    if lesson and lesson not in LESSONS:
        near = did_you_mean(lesson, list(LESSONS)) or "; `attncalc lessons` lists them"
        raise AttncalcError(f"expected a lesson, found {shorten(lesson)!r}{near}")
    given, unread = _all_givens(_normalize_names(pasted), source) if pasted else ([], [])
    name = lesson or _matching_lesson({key for key, _ in given})
    lines = [_HEAD, f"title: {scalar(name.replace('_', ' ').capitalize(), ' ') if name else 'A problem of my own'}"]
    lines += [f"# Not read: {statement}" for statement in unread]
    lines += ["# source: the source of the problem", ""]
    example = _form_lines(LESSONS[name]) if name else ["given:", "  X: [[1, 0], [0, 1]]"]
    lines += _given_lines(given, name) if given else example
    ask = RECIPES[name].ask if name in RECIPES else "What is the task?"
    lines += ["", "rounding: {digits: 2}", f"ask: {scalar(ask)}"]
    formula = given[0][0] if given else "X @ X.T"
    steps = ["steps:", "  # the name and the formula of each step", f"  Y: {formula}"]
    lines += _lesson_lines(LESSONS[name]) if name else steps
    lines += ["# asked: [...]                   # the steps that students answer (default: all)", "# points: 10"]
    return "\n".join(lines) + "\n"


# -- pasted matrices ---------------------------------------------------------------------------------------------------


def _normalize_names(text: str) -> str:
    """Rewrite W^Q to `W_Q`, and self.W_Q = nn.Parameter(torch.tensor(...)) to `W_Q = torch.tensor(...)`.

    The length of the text is preserved, so that positions stay valid.
    """
    text = _DOCSTRING.sub(lambda match: re.sub(r"\S", " ", match[0]), text)
    text = _RAISED.sub(lambda match: f"{match[1] or match[2]}_{match[3]}".ljust(len(match[0])), text)
    return _without_parameters(_ATTRIBUTE.sub(_attribute_name, text))


def _attribute_name(match: re.Match[str]) -> str:
    name = re.sub(r"^(?:self|model)\.|\.data$", "", match[1]).replace(".", "_")
    return name.ljust(len(match[0]))


def _without_parameters(text: str) -> str:
    """Replace PyTorch's nn.Parameter(..., requires_grad=False) by the matrix inside it."""
    wrappers = {text.index("(", match.start()): match for match in _PARAMETER.finditer(text)}
    signs, opened, commas = list(text), list[int](), dict[int, int]()
    for at, sign in enumerate(text if wrappers else ""):
        if sign in "([{":
            opened.append(at)
        elif sign == "," and opened:
            commas.setdefault(opened[-1], at)
        elif sign in ")]}" and opened and (start := opened.pop()) in wrappers:
            end = commas.get(start, at)
            wrapper = wrappers[start]
            signs[wrapper.start() : wrapper.end()] = " " * len(wrapper[0])
            signs[end : at + 1] = " " * (at + 1 - end)
    return "".join(signs)


def _constants(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text without lines such as b = torch.zeros(2), and the (name, formula) pairs of those lines."""
    constants = [(match[1], unparse(parse(match[2]))) for match in _CONSTANT.finditer(text)]
    return _CONSTANT.sub(lambda match: " " * len(match[0]), text), constants


def _all_givens(text: str, source: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (name, formula) of the pasted matrices and constants, and the statements that were not read. Raises
    AttncalcError for a statement that changes one of them.
    """
    for pattern, message in _UNCLEAR:
        if match := pattern.search(text):
            raise AttncalcError(message, _place(text, match.start(), source))
    rest, constants = _constants(text)
    answers = read(rest, source, nameless=DEFAULT_NAME).answers if rest.strip() else ()
    given = list(_givens(answers))
    given += [(name, formula) for name, formula in constants if name not in dict(given)]
    if not given:
        raise AttncalcError("expected a matrix, such as Q = [[1, 0], [0, 1]]; found none", Location(source))
    for name, _ in given:
        if len(changes := [*re.finditer(_CHANGE.format(re.escape(name)), text)]) > 1:
            message = f"{name} occurs twice; write the resulting numbers once, and remove the other line"
            raise AttncalcError(message, _place(text, changes[1].end() - 1, source))
    return given, list(_unread(rest, source, answers, {name for name, _ in given}))


def _place(text: str, at: int, source: str) -> Location:
    return Location(source, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _unread(text: str, source: str, answers: tuple[Answer, ...], known: set[str]) -> Iterator[str]:
    """Yield the statements of a program that are not matrices. Raises AttncalcError for one that changes a matrix."""
    statements, unmatched = list(_statements(text)), list(answers)
    ends = [*(match.start() for match in statements[1:]), len(text)]
    for match, after in zip(statements, ends, strict=False):
        start = match.end() - len(match[0].lstrip(";: \t"))
        line, last = (text.count("\n", 0, at) + 1 for at in (start, after - 1))
        shown = shorten(" ".join(text[start:].partition("\n")[0].partition(";")[0].split()))
        changed = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[.*?\]", "", match[1] or ""))
        here = (answer for answer in unmatched if answer.step == match[1] and line <= answer.place.line <= last)
        if (answer := next(here, None)) is not None:
            unmatched.remove(answer)
            continue
        if not changed and known.isdisjoint(re.findall(r"\w+", match[0])):
            continue
        if not known.isdisjoint(changed):
            message = (
                f"expected a matrix of numbers, found {shown!r}; write the resulting numbers, and remove this line"
            )
            raise AttncalcError(message, _place(text, start, source))
        yield shown


def _statements(text: str) -> Iterator[re.Match[str]]:
    """Yield the statements that do not start inside brackets. An empty line ends all brackets."""
    depth, at = 0, 0
    for match in _STATEMENT.finditer(text):
        before = text[at : match.start()]
        depth = 0 if re.search(r"\n[ \t]*\n", before) else depth
        for sign in before[before.rfind("\n\n") + 1 :]:
            depth = max(0, depth + (sign in "([{") - (sign in ")]}"))
        at = match.start()
        if depth == 0:
            yield match


def _givens(answers: tuple[Answer, ...]) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of each matrix in the notation of problem files."""
    seen: set[str] = set()
    for answer in answers:
        if answer.step in seen:
            message = f"the name {answer.step} occurs twice; choose a different name for the second matrix"
            raise AttncalcError(message, answer.place)
        seen.add(answer.step)
        if not is_name(answer.step) or answer.where is not None:
            raise AttncalcError(f"expected a name such as X, found {shorten(answer.step)!r}", answer.place)
        refuse_ragged(answer)
        if answer.commas:
            raise AttncalcError(f"{answer.step}: expected numbers such as 0.67, found decimal commas", answer.place)
        rows = [[_entry(answer, typed) for typed in row] for row in answer.rows]
        values: Data = rows[0][0] if len(rows) == len(rows[0]) == 1 else rows[0] if len(rows) == 1 else rows
        axes = (("rows", answer.row_labels), ("columns", answer.column_labels))
        labels = {axis: list(names) for axis, names in axes if names}
        yield answer.step, flow({**labels, "values": values} if labels else values)


def _entry(answer: Answer, typed: Typed | None) -> str:
    if typed is None:
        raise AttncalcError(f"{answer.step}: expected a number for every entry, found a blank", answer.place)
    if typed.infinite:
        return "inf" if typed.infinite > 0 else "-inf"
    if typed.tree is not None:
        return unparse(typed.tree)
    text = typed.text.strip().replace("−", "-")
    digits = text.removesuffix(".")
    is_decimal = digits.lstrip("+-").replace(".", "", 1).isdigit()
    return digits if is_decimal or typed.decimals is not None and "e" in text.lower() else str(typed.value)


def _given_lines(given: list[tuple[str, str]], lesson: str) -> Iterator[str]:
    yield "given:"
    for name, value in given:
        lesson_input = LESSONS[lesson].input(name) if lesson else None
        hint = "choose a name" if re.fullmatch(rf"{DEFAULT_NAME}_\d+", name) else ""
        yield _with_comment(f"  {scalar(name)}: {value}", lesson_input.doc if lesson_input else hint)


def _matching_lesson(names: set[str]) -> str:
    """Return the lesson for which the givens are sufficient and used; the empty string if there is none."""
    for name in _LESSON_ORDER:
        required = {lesson_input.name for lesson_input in LESSONS[name].inputs if not lesson_input.optional}
        are_used = all(LESSONS[name].input(given) for given in names)
        is_telling = name not in ("multi_head_attention", "cross_attention") or names & {"memory", "W_O"}
        if required <= names and are_used and is_telling:
            return name
    return ""


# -- blank forms -------------------------------------------------------------------------------------------------------


def _form_lines(lesson: Lesson) -> Iterator[str]:
    """Yield the `draw:` section of the lesson's inputs."""
    yield (
        "# These numbers are random. To use your own numbers, write `given:` instead of `draw:`, "
        "and X: [[1, 0], [0, 1]] for X"
    )
    yield "draw:"
    docs = {lesson_input.name: lesson_input.doc for lesson_input in lesson.inputs}
    for name, description in _draw_descriptions(lesson.name).items():
        yield _with_comment(f"  {name}: {description}", docs.get(name, ""))
    if not _draw_descriptions(lesson.name):
        for lesson_input in lesson.inputs:
            line = f"  {'# ' * lesson_input.optional}{lesson_input.name}: 2 × 2 {DEFAULT_ENTRIES}"
            yield _with_comment(line, lesson_input.doc)


def _draw_descriptions(lesson: str) -> Mapping[str, str]:
    if lesson in drawn_lessons():
        from ..problem.yaml_file.nodes import Mapping as Tree
        from ..problem.yaml_file.yaml_reader import read_yaml

        path = os.path.join(DRAWN, f"{lesson}.yaml")
        with open(path, encoding="utf-8") as file:
            tree = read_yaml(file.read(), path)
        draws = tree.get("draw") if isinstance(tree, Tree) else None
        return {key.text: flow(value, " ×.-/:") for key, value in draws.items()} if isinstance(draws, Tree) else {}
    if lesson not in RECIPES:
        return {}
    spec = specification(Request(lesson))
    descriptions = {}
    for name, matrix in spec.recipe.matrices.items():
        entries = matrix.entries or DEFAULT_ENTRIES
        if entries.startswith("ids "):
            entries = f"integers 0..{spec.size(entries.split()[1]) - 1}"
        descriptions[name] = f"{spec.size(matrix.rows)} × {spec.size(matrix.columns)} {entries}"
    return descriptions


def _lesson_lines(lesson: Lesson) -> Iterator[str]:
    """Yield the lesson's section with its required arguments, and its other options as comments."""
    yield f"{lesson.name}:"
    recipe = RECIPES.get(lesson.name)
    options = recipe.arguments if recipe else _file_options(lesson.name)
    options = options | recipe.fixed(recipe.sizes) if recipe and recipe.fixed else options
    for name, value in options.items():
        yield f"  {name}: {scalar(value)}"
    for option in lesson.options:
        if option.name not in options:
            yield _with_comment(f"  # {option.name}: {option.default}", option.doc)


def _file_options(lesson: str) -> dict[str, str]:
    from ..api import load_without_warning
    from ..problem.yaml_file.nodes import Mapping as Tree
    from ..problem.yaml_file.nodes import Scalar

    problem = load_without_warning(os.path.join(DRAWN, f"{lesson}.yaml")) if lesson in drawn_lessons() else None
    node = problem.draws.source.get(lesson) if problem and problem.draws else None
    pairs = node.items() if isinstance(node, Tree) else ()
    return {key.text: value.text for key, value in pairs if isinstance(value, Scalar)}


def _with_comment(line: str, doc: str) -> str:
    return f"{line.ljust(COLUMN)} # {doc}" if doc else line


def read_pasted(name: str) -> tuple[str, str]:
    """Return the text of a file, or of standard input for `-`, and its source name."""
    from ..api import read_bytes
    from ..problem.yaml_file.nodes import read_text

    if name != "-" and not os.path.isfile(name):
        message = "this file does not exist; expected a file with pasted matrices, such as Q = [[1, 0], [0, 1]]"
        raise AttncalcError(message, Location(name))
    source = "<stdin>" if name == "-" else name
    text = read_text(read_bytes(name), source)
    if not text.strip():
        raise AttncalcError("expected a matrix, such as Q = [[1, 0], [0, 1]]; the file is empty", Location(source))
    return text, source
