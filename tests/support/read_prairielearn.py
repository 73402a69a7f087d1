"""A stub of PrairieLearn: the phases generate, render (Mustache, then elements), parse and grade of a question as its
documentation and its elements have them; it knows nothing of how attncalc writes. What `info.json` may hold is that of
PrairieLearn's own JSON Schema.
"""

import ast
import html
import io
import json
import re
import zipfile
from dataclasses import dataclass
from html.parser import HTMLParser

INFO = {
    "uuid": str,
    "title": str,
    "topic": str,
    "tags": list,
    "type": str,
    "singleVariant": bool,
    "partialCredit": bool,
    "gradingMethod": str,
}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Elements and their attributes, in the sources of PrairieLearn's elements.
ELEMENTS = {
    "pl-question-panel": set(), "pl-submission-panel": set(), "pl-answer-panel": set(),
    "pl-answer": {"correct", "feedback"},
    "pl-string-input": {"answers-name", "weight", "label", "suffix", "display", "remove-leading-trailing",
        "remove-spaces", "allow-blank", "size", "show-help-text"},
    "pl-multiple-choice": {"answers-name", "order"}, "pl-checkbox": {"answers-name", "partial-credit", "order"}, "pl-rich-text-editor": {"file-name"},
}  # fmt: skip
STANDARD = {"re", "typing", "fractions", "math", "random", "json", "decimal"}


@dataclass
class Folder:
    """One question."""

    info: dict
    page: str
    program: str

    def __post_init__(self):
        self.module = {}
        exec(compile(self.program, "server.py", "exec"), self.module)
        self.variants = len(self.module["VARIANTS"])

    def data(self, seed):
        """What `generate` makes of an empty `data`."""
        data = {
            key: {}
            for key in (
                "params",
                "correct_answers",
                "submitted_answers",
                "raw_submitted_answers",
                "format_errors",
                "partial_scores",
                "feedback",
            )
        }
        data |= {"variant_seed": seed, "score": 0.0, "options": {}}
        self.module["generate"](data)
        return json.loads(json.dumps(data))  # as between two phases

    def drawn(self, seed):
        """The words that a student reads."""
        return _Page(mustache(self.page, self.data(seed))).words

    def weights(self, seed):
        """{answers-name: weight}, in the order of the page; from an answer to each, since only a grade tells."""
        fields = _Page(mustache(self.page, self.data(seed))).fields
        data = self.graded(seed, dict.fromkeys(fields, "1"))
        assert set(data["correct_answers"]) == set(data["partial_scores"]) == set(fields) and len(set(fields)) == len(
            fields
        )
        return {name: data["partial_scores"][name]["weight"] for name in fields}

    def choices(self, seed):
        return _Page(mustache(self.page, self.data(seed))).answers

    def graded(self, seed, typed):
        """`data` after a submission; a submission with a format error is not graded."""
        data = self.data(seed)
        names = list(data["correct_answers"])
        data["raw_submitted_answers"] = {name: typed.get(name, "") for name in names}
        data["submitted_answers"] = {name: text.strip() for name, text in data["raw_submitted_answers"].items()}
        self.module["parse"](data)
        if not data["format_errors"]:
            self.module["grade"](data)
        return json.loads(json.dumps(data))

    def marks(self, seed, typed, name):
        """(share, what is said) of one cell; the whole score is what the weights make of the cells."""
        data = self.graded(seed, typed)
        if data["format_errors"]:
            assert not data["partial_scores"]
            return 0.0, ""
        scores = data["partial_scores"].values()
        assert (
            abs(
                data["score"]
                - sum(one["score"] * one["weight"] for one in scores) / sum(one["weight"] for one in scores)
            )
            < 1e-12
        )
        return data["partial_scores"][name]["score"], " ".join(data["feedback"]["said"])


class _Page(HTMLParser):
    """The elements of a page, and its words."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.fields, self.answers, self.open, self.text = [], [], [], []
        self.feed(markup)
        self.close()
        assert not self.open, self.open
        self.words = "\n".join(self.text)

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag.startswith("pl-"):
            assert set(names) <= ELEMENTS[tag], (tag, names)
            if "answers-name" in names and tag == "pl-string-input":
                self.fields.append(names["answers-name"])
            if tag == "pl-answer":
                # set into the page as it stands, once the attribute is decoded
                self.answers.append((names["correct"] == "true", _Page(names.get("feedback", "")).words))
        else:
            assert tag in {
                "div",
                "h4",
                "p",
                "ul",
                "li",
                "table",
                "caption",
                "tr",
                "td",
                "th",
                "i",
                "sub",
                "code",
                "span",
                "hr",
                "b",
                "br",
            }, tag
        if tag not in ("hr", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag == "hr"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text.append(text)


def mustache(page, data):
    """Mustache: sections over lists, `{{{x}}}` as it is, `{{x}}` escaped. What is put in is not looked at again."""
    page = re.sub(
        r"\{\{#([\w.]+)\}\}(.*?)\{\{/\1\}\}",
        lambda m: "".join(m[2].replace("{{.}}", html.escape(one)) for one in _at(data, m[1]) or ()),
        page,
        flags=re.S,
    )
    return re.sub(
        r"\{\{\{([\w.]+)\}\}\}|\{\{([\w.]+)\}\}",
        lambda m: _at(data, m[1]) if m[1] else html.escape(_at(data, m[2])),
        page,
    )


def _at(data, path):
    for key in path.split("."):
        data = data.get(key, {})
    return data


def read(package):
    """The questions of a package. `server.py` imports nothing but the standard library, and its words are data."""
    archive = zipfile.ZipFile(io.BytesIO(package))
    folders = dict.fromkeys(name.rpartition("/")[0] for name in archive.namelist() if name != "README.txt")
    found = []
    for folder in folders:
        assert re.fullmatch(r"questions/[a-z0-9-]+", folder)
        assert {f"{folder}/{name}" for name in ("info.json", "question.html", "server.py")} == {
            one for one in archive.namelist() if one.startswith(f"{folder}/")
        }
        info, page, program = (
            archive.read(f"{folder}/{name}").decode() for name in ("info.json", "question.html", "server.py")
        )
        _check(json.loads(info))
        tree = ast.parse(program)
        imports = {a.name for one in ast.walk(tree) if isinstance(one, ast.Import) for a in one.names} | {
            one.module for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)
        }
        assert imports <= STANDARD
        found.append(Folder(json.loads(info), page, program))
    assert len({one.info["uuid"] for one in found}) == len(found)
    return found


def _check(info):
    """The rules of PrairieLearn's schema for the keys that may be there."""
    assert all(isinstance(info[key], INFO[key]) for key in info) and {"uuid", "title", "topic", "type"} <= set(info)
    assert (
        UUID.fullmatch(info["uuid"])
        and info["type"] == "v3"
        and info["title"].strip()
        and info.get("gradingMethod", "Internal") in ("Internal", "Manual")
    )
