"""Combines questions into the parts of one problem file: q1, q2, and q3_masked, q3_cross for a problem with parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Listed
from fractions import Fraction

from ..errors import AttncalcError, Location
from ..formula.syntax_tree import Name, Tree, rewrite
from ..generator.search_result import Texts
from ..lessons import LESSONS
from ..problem.python_input import tree_of
from ..problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml
from .sheet.marking_options import accept_of_part, merge_accept
from .sheet.model import Question

_INNER = re.compile(r"q[0-9]+_(?=\w+(\.|$))")  # the prefix of a part's name in a combined problem
Pairs = dict[str, tuple[Scalar, Yaml]]
PROSE = ("title", "ask", "note", "source", "tags", "license", "asked", "points")
PART_KEYS = ("title", "ask", "note", "source", "pin", "steps", "asked", "points", "rubric")
# Settings of a whole problem file, which all questions of a sheet share
FILE_DEFAULTS = {"vectors": "rows", "givens": "exact"}


def question_tree(question: Question, entries: Texts, words: dict[str, list[str]]) -> Mapping | None:
    """Return the problem file of a question, with drawn entries and words; None if the question has no calculation."""
    if question.instructor_question is not None:
        return None
    if question.search is None:
        assert question.fixed is not None
        return question.fixed
    tree = tree_of(question.search.document(entries, words))
    assert isinstance(tree, Mapping)
    return tree


def text(words: str, place: Location = Location()) -> Scalar:
    return Scalar(words, place)


def combine_questions(title: str, questions: Listed[tuple[Question, Mapping | None]]) -> Mapping:
    """Return one problem with all calculated questions. Raises AttncalcError if a setting of the whole file differs
    between questions.
    """
    top: Pairs = {"title": (text("title"), text(title))}
    parts: Pairs = {}
    calculated = [(number, question, tree) for number, (question, tree) in enumerate(questions, 1) if tree is not None]
    for number, question, tree in calculated:
        for name, body in _parts(f"q{number}", question, tree):
            parts[name] = (text(name, body.place), body)
    for key, usual in FILE_DEFAULTS.items():
        stated = {_word(tree.get(key), usual): question for _, question, tree in calculated}
        if len(stated) > 1:
            kinds, question = " and ".join(stated), list(stated.values())[-1]
            raise AttncalcError(
                f"{key}: expected the same value in all questions of the sheet, found {kinds}", question.place
            )
        if stated and usual not in stated:
            top[key] = (text(key), text(next(iter(stated))))
    top["parts"] = (text("parts"), Mapping(parts, Location()))
    return Mapping(top, Location())


def _word(tree: Yaml | None, usual: str) -> str:
    return tree.text if isinstance(tree, Scalar) else usual


def _parts(name: str, question: Question, tree: Mapping) -> list[tuple[str, Mapping]]:
    inner = tree.get("parts")
    if not isinstance(inner, Mapping):
        return [(name, _part(question, tree, tree, question.overrides))]
    names = [key.text for key, _ in inner.items()]
    asked_names = [part_name for part_name in names if not question.parts or part_name in question.parts]
    parts = []
    for part_name in asked_names:
        body = inner.get(part_name)
        if isinstance(body, Mapping):
            overrides = _overrides_of_part(question.overrides, part_name, asked_names)
            complete_part = _part(question, tree, body, overrides)
            _check_uses(question, complete_part, part_name, names, asked_names)
            part = _rename_references(complete_part, names, name)
            if part_name == asked_names[0] and (words := tree.get("ask")) is not None and "note" not in part:
                part.pairs["note"] = (text("note"), words)
            parts.append((name if question.parts and len(asked_names) == 1 else f"{name}_{part_name}", part))
    return parts


def with_author_names(tree: Tree) -> Tree:
    """Return a formula with the author's names of parts: plain.Z for q2_plain.Z."""

    def change(part: Tree) -> Tree | None:
        return Name(author_part_name(part.name), part.at) if isinstance(part, Name) and "." in part.name else None

    return rewrite(tree, change)


def author_part_name(name: str) -> str:
    """Return the author's name of a part, or of a step in it: `plain` for `q2_plain`."""
    return _INNER.sub("", name, count=1) if _INNER.match(name) else name


def _check_uses(question: Question, part: Mapping, name: str, names: list[str], asked: list[str]) -> None:
    for other in names:
        if other not in asked and _rename_references(part, [other], "") != part:
            message = (
                f"part: {name} uses steps of the part {other}, which is not asked; to ask both, "
                f"write `part: [{other}, {name}]`"
            )
            raise AttncalcError(message, question.place)


def _part(question: Question, tree: Mapping, body: Mapping, overrides: dict[str, Yaml]) -> Mapping:
    """Return one part with the givens of the problem, the givens of the part, and the overrides of the sheet.

    The note of the problem is left out, because it may reveal answers.
    """
    pairs: Pairs = {}
    givens: Pairs = {}
    for source in [tree.get("given")] + ([body.get("given")] if body is not tree else []):
        pairs_here = source.items() if isinstance(source, Mapping) else ()
        givens |= {key.text: (key, _matrix(value)) for key, value in pairs_here}
    if givens:
        pairs["given"] = (text("given"), Mapping(givens, body.place))
    rounding = overrides.get("rounding") or question.overrides.get("sheet rounding")
    rounding = rounding or body.get("rounding") or tree.get("rounding")
    if rounding is not None:
        pairs["rounding"] = (text("rounding"), rounding)
    for key, value in body.items():
        if key.text == "pin" and isinstance(value, Mapping):
            pairs["pin"] = (key, Mapping({k.text: (k, _matrix(v)) for k, v in value.items()}, value.place))
        elif key.text in LESSONS or (
            key.text in PART_KEYS and key.text != "note" and not (body is tree and key.text == "title")
        ):
            pairs[key.text] = (key, value)
    if "rubric" in tree and "rubric" not in pairs:
        pairs["rubric"] = tree.pairs["rubric"]
    sources = [tree] if body is tree else [tree, body]
    accepted = merge_accept(*(source.get("accept") for source in sources), overrides.get("accept"))
    if accepted is not None:
        pairs["accept"] = (text("accept", accepted.place), accepted)
    for word, value in overrides.items():
        if word in PART_KEYS:
            pairs[word] = (text(word, value.place), value)
    return Mapping(pairs, body.place)


def _overrides_of_part(overrides: dict[str, Yaml], part: str, names: list[str]) -> dict[str, Yaml]:
    """Return the overrides of the sheet for one part. Points are stated for each part, or divided equally."""
    part_overrides = dict(overrides)
    points = overrides.get("points")
    if isinstance(points, Mapping) and points.pairs and all(key.text in names for key, _ in points.items()):
        part_overrides.pop("points")
        if (value := points.get(part)) is not None:
            part_overrides["points"] = value
    elif isinstance(points, Scalar) and re.fullmatch(r"\d{1,6}(\.\d{1,3})?", points.text):
        part_overrides["points"] = text(str(Fraction(points.text) / len(names)), points.place)
    if "accept" in overrides:
        part_overrides["accept"] = accept_of_part(overrides["accept"], part, names)
    if part != names[0]:
        part_overrides.pop("note", None)
    return part_overrides


def _rename_references(part: Mapping, names: list[str], name: str) -> Mapping:
    """Return the part with references to other parts renamed: masked.Z becomes q2_masked.Z."""
    pattern = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})\.(?=[A-Za-z_])")

    def change(tree: Yaml) -> Yaml:
        match tree:
            case Scalar(words, place):
                if not pattern.search(words):
                    return tree
                return Scalar(pattern.sub(rf"{name}_\1.", words), place, tree.style, "", 0)
            case Sequence(items, place):
                return Sequence([change(item) for item in items], place)
            case Mapping(pairs):
                return tree._replace(pairs=_change_values(pairs, change, ("rows", "columns")))

    return part._replace(pairs=_change_values(part.pairs, change, PROSE))


def _change_values(pairs: Pairs, change: Callable[[Yaml], Yaml], kept: Listed[str]) -> Pairs:
    """Return the pairs with changed values, except under the keys `kept`."""
    return {k: (key, value if k in kept else change(value)) for k, (key, value) in pairs.items()}


def _matrix(tree: Yaml) -> Yaml:
    """Return a text block with one row per line as nested lists. Other nodes do not change."""
    if isinstance(tree, Mapping):
        pairs = {k: (key, _matrix(value) if k == "values" else value) for k, (key, value) in tree.pairs.items()}
        return Mapping(pairs, tree.place)
    if isinstance(tree, Scalar) and tree.style == "block":
        lines = [line.split() for line in tree.text.splitlines() if line.strip()]
        return Sequence(
            [Sequence([Scalar(word, tree.place) for word in line], tree.place) for line in lines], tree.place
        )
    return tree


def other_roundings(questions: list[Question]) -> Iterator[str]:
    """Yield a line for each problem whose rounding differs from the rounding of the sheet. The rounding of the sheet is
    used.
    """
    for number, question in enumerate(questions, 1):
        for alternative in question.alternatives or [question]:
            sheet_rounding = alternative.overrides.get("rounding") or alternative.overrides.get("sheet rounding")
            for stated in _roundings(alternative) if sheet_rounding is not None else ():
                if _rule(stated) != _rule(sheet_rounding):
                    applies = f"the sheet's {_show_rounding(sheet_rounding)} applies"
                    yield f"question {number}: the problem has rounding: {_show_rounding(stated)}; {applies}"


def _roundings(question: Question) -> Iterator[Yaml]:
    """Yield the values of rounding: that a problem file states, for the whole problem and for the asked parts."""
    inner = question.fixed.get("parts") if question.fixed else None
    pairs = inner.items() if isinstance(inner, Mapping) else ()
    bodies = [body for key, body in pairs if not question.parts or key.text in question.parts]
    for body in [question.fixed, *bodies]:
        if isinstance(body, Mapping) and (stated := body.get("rounding")) is not None:
            yield stated


def _rule(rounding: Yaml | None) -> dict[str, str]:
    return {"digits": "4", "mode": "half_up", "carry": "full"} | _stated_rule(rounding)


def _stated_rule(rounding: Yaml | None) -> dict[str, str]:
    pairs = rounding.items() if isinstance(rounding, Mapping) else ()
    return {key.text: value.text for key, value in pairs if isinstance(value, Scalar)}


def _show_rounding(rounding: Yaml | None) -> str:
    """Return the rounding as `{digits: 2}`."""
    return f"{{{', '.join(f'{key}: {value}' for key, value in _stated_rule(rounding).items())}}}"
