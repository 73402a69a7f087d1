"""Rewriting of answer keys: each variant that a change concerns gets a new, validated problem."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from ...api import require_in_catalogue, require_known_codes
from ...errors import AttncalcError, Diagnostics, FormulaError, Location, did_you_mean, shorten
from ...exam.sheet.marking_options import merge_accept
from ...marking.credit import points_of
from ...problem.loader import build_problem
from ...problem.problem import Part, Problem
from ...problem.sections.givens import exact_number
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, read_text
from ...problem.yaml_file.writer import flow, yaml_text
from ...problem.yaml_file.yaml_reader import read_yaml
from ...safe_files import as_json
from ..answer_key import Key, KeyVariant
from ..instructor_questions import InstructorQuestionKey, question_number
from .key_changes import Change

LARGEST = 1_000_000  # points
Pairs = dict[str, tuple[Scalar, Yaml]]


def rewrite_key(key: Key, changes: list[Change]) -> tuple[Key, list[Change]]:
    """Return the key with the changes, and those that had an effect. Raises AttncalcError with every unfit change."""
    changes = [_step_change(change, key) for change in changes]
    faults, used, variants = Diagnostics(), set[int](), []
    news: dict[int, set[str]] = {}  # by the change's number
    check_codes(changes, faults)
    codes = [v.code for v in key.variants]
    has_step_points = any(change.word == "points" and isinstance(change.node, Mapping) for change in changes)
    steps = _steps(key) if has_step_points else {}
    for variant in key.variants:
        codes_here = ("", variant.code.casefold())
        mine = [(k, change) for k, change in enumerate(changes) if change.code.casefold() in codes_here]
        if steps:
            mine = [(k, kept) for k, change in mine for kept in _for_paper(change, key.problem(variant), steps)]
        tree, applied = _changed(key, variant, mine)
        question_names = {question.name for question in variant.questions}
        question_changes = [(k, change) for k, change in mine if change.part in question_names]
        used |= {k for k, _ in applied} | {k for k, _ in question_changes}
        for k, steps_of_it in applied:
            news.setdefault(k, set()).update(steps_of_it)
        try:
            new = variant
            if any(is_new for _, is_new in applied):  # faults have places in the changes
                require_known_codes(build_problem(tree, changes[0].place.source, variant.name))
                new = replace(variant, text=yaml_text(tree))
            questions = _changed_questions(new.questions, [change for _, change in question_changes])
            variants.append(replace(new, questions=questions))
        except AttncalcError as error:
            faults.extend(error)
        if not faults.faults:
            before = {question.name: question.points for question in variant.questions}
            moved = {question.name for question in variants[-1].questions if question.points != before[question.name]}
            for k, change in question_changes:
                news.setdefault(k, set()).update({change.part} & moved)
    for k, change in enumerate(changes):
        if k not in used:
            faults.add(_unused(change, key, codes), change.place)
    faults.raise_any()
    effective = [_effective_change(change, news[k]) for k, change in enumerate(changes) if news.get(k)]
    return Key(key.source, key.title, variants), effective


def check_codes(changes: list[Change], faults: Diagnostics) -> None:
    """Report every unknown mistake code, even if the changed problem cannot be read."""
    named: dict[str, tuple[str, Location]] = {}
    for change in changes:
        if change.word == "accept" and not change.step and isinstance(change.node, Scalar):
            named[change.node.text] = "accept", change.place
        shares = change.node.get("mistakes") if change.word == "rubric" and isinstance(change.node, Mapping) else None
        for code, _ in shares.items() if isinstance(shares, Mapping) else ():
            named[code.text] = "rubric", code.place
    try:
        require_in_catalogue(named)
    except AttncalcError as error:
        faults.extend(error)


def _effective_change(change: Change, news: set[str]) -> Change:
    """Return the change without points that stay as they were."""
    pairs = change.node.pairs if change.word == "points" and isinstance(change.node, Mapping) else {}
    kept = {name: pair for name, pair in pairs.items() if name.rpartition(".")[2] in news}
    is_all = kept and news <= {name.rpartition(".")[2] for name in kept}  # else steps that it leaves out are changed
    return replace(change, node=Mapping(kept, change.place), whole=False) if is_all else change


def _changed_questions(
    questions: tuple[InstructorQuestionKey, ...], changes: list[Change]
) -> tuple[InstructorQuestionKey, ...]:
    """Return instructor questions with new points. Raises AttncalcError for other changes."""
    faults = Diagnostics()
    points = {question.name: question.points for question in questions}
    for change in changes:
        worth = Fraction(0) if change.word == "drop" else _number(change.node) if change.word == "points" else None
        if worth is None or change.step or not 0 <= worth <= LARGEST:
            expected = f"expected points from 0 to {LARGEST:,}, or drop, for a question without steps"
            faults.add(f"{change.part}: {expected}, found {change.description}", change.place)
        points[change.part] = worth or Fraction(0)
    faults.raise_any()
    return tuple(
        # manual points stay relative to the former maximum
        replace(
            question,
            points=points[question.name],
            by_hand_of=(not question.is_ticked and question.most_by_hand) or None,
        )
        for question in questions
    )


def _step_change(change: Change, key: Key) -> Change:
    """Return a change of a step if a problem without parts is addressed by a single name."""
    alone = [part.name for part in key.problem(key.variants[0]).parts] == [None]
    return replace(change, part="", step=change.part) if alone and change.word == "drop" and not change.step else change


def _steps(key: Key) -> dict[str, set[str]]:
    """Return the steps of each part over all papers; questions with `one_of:` differ between papers."""
    steps: dict[str, set[str]] = {}
    for variant in key.variants:
        for part in key.problem(variant).parts:
            steps.setdefault(part.name or "", set()).update(step.name for step in part.plan.steps)
    return steps


def _for_paper(change: Change, problem: Problem, steps: dict[str, set[str]]) -> Iterator[Change]:
    """Yield the change. Points by steps are limited to the steps of this paper; without any, yield nothing."""
    if change.word != "points" or not isinstance(change.node, Mapping):
        yield change
        return
    parts = {part.name or "": part for part in problem.parts}
    here = {step.name for home in _homes(change, list(parts)) for step in parts[home].plan.steps}
    elsewhere = set().union(*(steps[home] for home in _homes(change, list(steps)))) - here
    pairs = {name: pair for name, pair in change.node.pairs.items() if name.rpartition(".")[2] not in elsewhere}
    if pairs or not change.node.pairs:
        yield replace(change, node=Mapping(pairs, change.node.place))


def _changed(
    key: Key, variant: KeyVariant, changes: list[tuple[int, Change]]
) -> tuple[Mapping, list[tuple[int, set[str]]]]:
    """Return a variant's problem with the changes that concern it, and what each of them changes, as `_news` does."""
    problem = key.problem(variant)
    tree = read_yaml(variant.text, variant.source) if variant.text else Mapping({}, Location())
    assert isinstance(tree, Mapping)
    names = [part.name or "" for part in problem.parts]
    question_names = {question.name for question in variant.questions}
    changes = [(k, change) for k, change in changes if change.part not in question_names]
    applied: list[tuple[int, set[str]]] = []
    bodies: dict[str, Mapping] = {}
    for k, change in changes:
        homes = _homes(change, names)
        for part in problem.parts:
            name, has_step = part.name or "", not change.step or part.plan.step(change.step)
            if name in homes and has_step and not _is_for_others(change, name, homes):
                body = bodies.get(name) or _body(tree, name)
                new = _changed_part(body, part, change, len(homes))
                applied.append((k, news := _news(part, body, new, change)))
                bodies |= {name: new} if news else {}
    return _put(tree, bodies), applied


def _homes(change: Change, names: list[str]) -> list[str]:
    """Return the parts that a change concerns: the named part, else all parts of the question."""
    if not change.part or change.part in names:
        return [change.part] if change.part else names
    return [name for name in names if name.startswith(f"{change.part}_")]


def _is_for_others(change: Change, name: str, homes: list[str]) -> bool:
    """True if points by part names of a question do not mention this part."""
    names = [home.removeprefix(f"{change.part}_") for home in homes]
    named = list(change.node.pairs) if change.word == "points" and isinstance(change.node, Mapping) else []
    return bool(named) and {*named} <= {*names} and name.removeprefix(f"{change.part}_") not in named


def _body(tree: Mapping, name: str) -> Mapping:
    parts = tree.get("parts")
    body = parts.get(name) if name and isinstance(parts, Mapping) else tree
    assert isinstance(body, Mapping)
    return body


def _put(tree: Mapping, bodies: dict[str, Mapping]) -> Mapping:
    """Return the problem with some parts replaced."""
    if "" in bodies or not bodies:
        return bodies.get("", tree)
    parts = tree.get("parts")
    assert isinstance(parts, Mapping)
    new: Pairs = {name: (key, bodies.get(name, value)) for name, (key, value) in parts.pairs.items()}
    return Mapping(tree.pairs | {"parts": (tree.pairs["parts"][0], Mapping(new, parts.place))}, tree.place)


def _changed_part(body: Mapping, part: Part, change: Change, shared: int) -> Mapping:
    """Return a part with one change; points of a question are divided equally among its parts."""
    match change.word:
        case "accept":
            of_step: Pairs = {change.step: (Scalar(change.step, change.place), change.node)}
            item = Mapping(of_step, change.place) if change.step else change.node
            node = merge_accept(body.get("accept"), item)
        case "rubric":
            node = _merged(body.get("rubric"), change.node)
        case "drop" if not change.step:
            node = Scalar("0", change.place)
        case "drop":
            node = _points(body, part, {change.step: Scalar("0", change.place)}, change)
        case _:
            node = _changed_points(body, part, change, shared)
    assert node is not None
    word = "points" if change.word == "drop" else change.word
    return Mapping(body.pairs | {word: (Scalar(word, change.place), node)}, body.place)


def _news(part: Part, before: Mapping, after: Mapping, change: Change) -> set[str]:
    """Return the steps whose points change; `""` stands for any other effect."""
    if change.word in ("points", "drop"):
        was, now = (points_of(replace(part, points=_stated(body.get("points")))) for body in (before, after))
        is_read = _is_read(after.get("points"))
        return {step for step in {*was, *now} if was.get(step) != now.get(step)} | ({""} if not is_read else set())
    was_so, is_so = (_items(body.get(change.word)) for body in (before, after))
    return set() if was_so >= is_so else {""}


def _is_read(node: Yaml | None) -> bool:
    nodes = [value for _, value in node.items()] if isinstance(node, Mapping) else [node]
    return all(_number(value_node) is not None for value_node in nodes)


def _items(node: Yaml | None) -> set[str]:
    """Return the accepted alternatives, or the whole rubric, as texts."""
    if isinstance(node, Sequence):
        return set().union(*map(_items, node.items))
    if isinstance(node, Mapping):
        return {flow({key.text: value}) for key, value in node.items()}
    return set() if node is None else {flow(node)}


def _merged(old: Yaml | None, new: Yaml) -> Yaml:
    """Return a rubric with some shares replaced."""
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    pairs = dict(old.pairs)
    for name, (key, value) in new.pairs.items():
        pairs[name] = key, _merged(old.get(name), value)
    return Mapping(pairs, new.place)


def _changed_points(body: Mapping, part: Part, change: Change, shared: int) -> Yaml:
    """Return changed points: of a question with several parts by their names, or divided equally among them."""
    home_name = "" if part.name == change.part else (part.name or "").removeprefix(f"{change.part}_")
    node = change.node
    if isinstance(node, Mapping) and home_name in node:
        node, shared = node.pairs[home_name][1], 1
    if isinstance(node, Mapping):
        named = ((*name.rpartition("."), value) for name, (_, value) in node.pairs.items())
        return _points(body, part, {step: value for home, _, step, value in named if home in ("", home_name)}, change)
    if shared > 1 and isinstance(node, Scalar):
        points = _number(node)
        return node if points is None else Scalar(str(points / shared), change.place)
    return node


def _points(body: Mapping, part: Part, new: dict[str, Yaml], change: Change) -> Mapping:
    """Return the points of each step with some replaced; of a sheet's points, omitted steps get 0."""
    worth = {} if change.whole else points_of(replace(part, points=_stated(body.get("points"))))
    old: dict[str, Yaml] = {step: Scalar(str(points), change.place) for step, points in worth.items()}
    return Mapping({step: (Scalar(step, value.place), value) for step, value in (old | new).items()}, change.place)


def _stated(node: Yaml | None) -> Fraction | dict[str, Fraction] | None:
    """Return the points that a part states, without invalid numbers."""
    if isinstance(node, Mapping):
        return {key: points for key, (_, value) in node.pairs.items() if (points := _number(value)) is not None}
    return _number(node)


def _number(node: Yaml | None) -> Fraction | None:
    try:
        number = exact_number(node.text) if isinstance(node, Scalar) else None
    except FormulaError:
        return None
    return number if isinstance(number, Fraction) else None


def _unused(change: Change, key: Key, codes: list[str]) -> str:
    """Return the reason why a change fits no variant."""
    if change.code and change.code.casefold() not in {code.casefold() for code in codes}:
        return f"the key has no variant {shorten(change.code)!r}{did_you_mean(change.code, codes)}"
    parts = {part.name or "": part for variant in key.variants[:1] for part in key.problem(variant).parts}
    names, questions = list(parts), [question.name for variant in key.variants[:1] for question in variant.questions]
    if not _homes(change, names):
        there = sorted([*names, *questions], key=question_number)
        near = did_you_mean(change.part, there) or f"; there are {_listed(there)}"
        return f"no question is called {shorten(change.part)!r}{near}"
    steps = [step.name for name in _homes(change, names) for step in parts[name].plan.steps]
    near = did_you_mean(change.step, steps) or f"; there are {_listed(steps)}"
    return f"no step is called {shorten(change.step)!r}{near}"


def _listed(names: Iterable[str]) -> str:
    return shorten(", ".join(dict.fromkeys(filter(None, names))) or "none", 200)


def key_text(key: Key, raw: bytes) -> str:
    """Return the rewritten key as a file: the exam's key with its other fields, or the problem."""
    if not key.variants[0].code:
        text = key.variants[0].text
        return read_text(text, key.source)
    data = json.loads(raw)
    variants = {variant.code: variant for variant in key.variants}
    for record in data["variants"]:
        variant = variants[record["code"].strip()]
        record["problem"] = variant.text
        for question_record, question in zip(record.get("own") or (), variant.questions, strict=True):
            question_record["points"] = str(question.points)
            if question.most_by_hand != question.points:
                question_record["by_hand_of"] = str(question.most_by_hand)
            else:
                question_record.pop("by_hand_of", None)
    return as_json(data) + "\n"
