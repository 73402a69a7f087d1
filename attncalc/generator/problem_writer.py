"""A variant as a problem file, in the style of files that people write."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import counted
from ..problem.python_input import Data
from ..problem.yaml_file.nodes import Mapping, Scalar
from ..problem.yaml_file.writer import flow, scalar, yaml_text
from ..version import __version__
from .author_file_search import AuthorFileSearch
from .distinguishability import KINDS, codes_of_unasked_steps, unasked_steps_note, untried_note
from .distractors import choices_of
from .rejection_search import Search
from .search_result import DrawnVariant

_NAME_CHARACTERS = " √"  # characters other than letters in labels and lesson names


def render(search: Search, variant: DrawnVariant) -> str:
    """Return the text of a variant's file: origin and certificate as comments, then the problem."""
    spec = search.spec
    command = spec.command or f"attncalc generate {spec.lesson}"
    lines = [f"# {command} (seed {spec.seed}, variant {variant.number}, attncalc {__version__})"]
    lines += [f"# {line}" for line in certificate_lines(variant, search)]
    if isinstance(search, AuthorFileSearch):
        tree = _with_title(search.tree(variant.entries, variant.words), search.title(variant.number))
        return "\n".join([*lines, yaml_text(tree)])
    lines.append(f"title: {scalar(search.title(variant.number), _NAME_CHARACTERS)}")
    data = search.document(variant.entries, variant.words)
    lines.append("given:")
    for name, value in _pairs(data["given"]):
        lines += _given(name, value)
    lines.append(f"rounding: {{digits: {spec.digits}}}")
    if "parts" in data:
        lines.append("parts:")
        for name, part in _pairs(data["parts"]):
            lines += [f"  {name}:", *(f"    {line}" for line in _lines(_pairs(part)))]
    else:
        lines += _lines((key, value) for key, value in data.items() if key not in ("given", "rounding"))
    return "\n".join(lines) + "\n"


def _with_title(tree: Mapping, new: str) -> Mapping:
    title = tree.get("title")
    if not isinstance(title, Scalar):
        return tree
    return Mapping(tree.pairs | {"title": (tree.pairs["title"][0], Scalar(new, title.place))}, tree.place)


def certificate_lines(variant: DrawnVariant, search: Search) -> list[str]:
    """Return a summary of the certificate in a few lines."""
    certificate, nameless = variant.certificate, search.codes_without_name(variant)
    separated, same, hidden = (certificate.codes(kind) for kind in ("separated", "same", "hidden"))
    lines = [f"the numbers can reveal {counted(len(separated), 'mistake')}"]
    if unasked := codes_of_unasked_steps(certificate, search.problem):
        lines.append(unasked_steps_note(len(unasked)))
    if nameless:
        lines.append(f"detected but not named, because too few entries change: {', '.join(nameless)}")
    if same:
        lines.append(f"cannot be detected, because they give the same results: {', '.join(same)}")
    if hidden:
        lines.append(f"cannot be detected with so few decimals: {', '.join(hidden)}")
    if untried := untried_note(certificate):
        lines.append(untried)
    return lines


def _pairs(data: Data) -> Iterable[tuple[str, Data]]:
    assert isinstance(data, dict), "givens and parts have names"
    return data.items()


def _lines(pairs: Iterable[tuple[str, Data]]) -> list[str]:
    return [f"{key}: {flow(value, _NAME_CHARACTERS)}" for key, value in pairs]


def _given(name: str, value: Data) -> list[str]:
    if isinstance(value, dict):
        return [f"  {name}:", *(f"    {key}: {flow(value[key], _NAME_CHARACTERS)}" for key in ("rows", "values"))]
    return [f"  {name}: {flow(value, _NAME_CHARACTERS)}"]


def as_data(search: Search, variant: DrawnVariant, choices: int | None = None) -> dict[str, object]:
    """Return a variant as JSON data: the file's text, certificate and cost, and its options if `choices` is given."""
    certificate = variant.certificate
    data: dict[str, object] = {
        "variant": variant.number,
        "seed": search.spec.seed,
        "problem": render(search, variant),
        "draws": variant.draws,
        "cost": {name: getattr(variant.cost, name) for name in ("products", "hard", "digits", "total")},
        "certificate": {kind: certificate.codes(kind) for kind in KINDS}
        | {
            "in_later_lines": codes_of_unasked_steps(certificate, search.problem),
            "nameless": search.codes_without_name(variant),
            "alike": [list(codes) for codes in certificate.alike],
        },
    }
    if choices is not None:
        data["choices"] = choices_of(search, variant, choices)
    return data
