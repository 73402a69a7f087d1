"""A variant as a problem file, like those that people write."""

from __future__ import annotations

import json
import re
from typing import Any

from ..errors import counted
from ..version import __version__
from .choices import choices_of
from .search import Generated, Search

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_ .,√]*|-?\d+(\.\d+)?")
_WORDS_OF_YAML = {"on", "off", "yes", "no", "true", "false", "null", "y", "n", "inf", "nan"}


def render(search: Search, variant: Generated) -> str:
    """The file's text: how it was made and what it tells apart as comments, then the problem."""
    spec = search.spec
    lines = [f"# {spec.command or f'attncalc generate {spec.lesson}'} (seed {spec.seed}, variant {variant.number}, attncalc {__version__})"]
    lines += [f"# {line}" for line in certificate_lines(variant, search.codes_without_name(variant))]
    lines.append(f"title: {_text(f'{spec.lesson}, variant {variant.number}'.replace('_', ' '))}")
    data = search.document(variant.entries, variant.words)
    lines.append("given:")
    for name, value in data["given"].items():  # type: ignore[attr-defined]
        lines += _given(name, value)
    lines.append(f"rounding: {{digits: {spec.digits}}}")
    if "parts" in data:
        lines.append("parts:")
        for name, part in data["parts"].items():  # type: ignore[attr-defined]
            lines += [f"  {name}:", *(f"    {line}" for line in _part(part))]
    else:
        lines += _part({key: value for key, value in data.items() if key not in ("given", "rounding")})
    return "\n".join(lines) + "\n"


def certificate_lines(variant: Generated, nameless: list[str]) -> list[str]:
    """What the certificate says, in a few lines."""
    certificate = variant.certificate
    separated, same, hidden = (certificate.codes(kind) for kind in ("separated", "same", "hidden"))
    lines = [f"tells {counted(len(separated), 'mistake')} from the right answer"]
    if nameless:
        lines.append(f"found, but too few entries change for a name: {', '.join(nameless)}")
    if same:
        lines.append(f"cannot tell, since they give the same numbers: {', '.join(same)}")
    if hidden:
        lines.append(f"does not tell at these digits: {', '.join(hidden)}")
    return lines


def _part(part: dict[str, object]) -> list[str]:
    lines = []
    for key, value in part.items():
        if isinstance(value, dict):
            inside = ", ".join(f"{name}: {_text(str(text))}" for name, text in value.items())
            lines.append(f"{key}: {{{inside}}}")
        else:
            lines.append(f"{key}: {_text(str(value))}")
    return lines


def _given(name: str, value: object) -> list[str]:
    if isinstance(value, dict):
        words = ", ".join(map(_text, value["rows"]))
        return [f"  {name}:", f"    rows: [{words}]", f"    values: {_matrix(value['values'])}"]
    return [f"  {name}: {_matrix(value)}"]


def _matrix(rows: object) -> str:
    assert isinstance(rows, list)
    if rows and isinstance(rows[0], list):
        return f"[{', '.join(_matrix(row) for row in rows)}]"
    return f"[{', '.join(map(_text, rows))}]"


def _text(text: str) -> str:
    """A YAML scalar, quoted where it would be something else."""
    plain = _PLAIN.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML and ", " not in text
    return text if plain else json.dumps(text, ensure_ascii=False)


def as_data(search: Search, variant: Generated, choices: int | None = None) -> dict[str, Any]:
    """A variant for programs: the file's text, the certificate, the cost, and choices where they are asked for."""
    certificate = variant.certificate
    data: dict[str, Any] = {
        "variant": variant.number,
        "seed": search.spec.seed,
        "problem": render(search, variant),
        "draws": variant.draws,
        "cost": {"products": variant.cost.products, "hard": variant.cost.hard, "digits": variant.cost.digits, "total": variant.cost.total},
        "certificate": {kind: certificate.codes(kind) for kind in ("separated", "same", "hidden", "impossible")}
        | {"nameless": search.codes_without_name(variant), "alike": [list(codes) for codes in certificate.alike]},
    }
    if choices is not None:
        data["choices"] = choices_of(search, variant, choices)
    return data
