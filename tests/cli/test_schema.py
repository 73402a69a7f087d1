"""The JSON Schemas that `attncalc schema` prints: of every kind of file, from the tables of keys that the
readers use.
"""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from attncalc import AttncalcError
from attncalc.cli import cli
from attncalc.cli.schema import SCHEMAS
from attncalc.exam.sheet.sheet_keys import ANSWER_KEYS
from attncalc.exam.sheet.sheet_keys import KEYS as SHEETS
from attncalc.gradebook.answer_key import read_key
from attncalc.problem.schema_keys import KEYS as PROBLEMS
from attncalc.resources import problem_names
from attncalc.submissions.answer_file import KEYS as ANSWERS
from attncalc.submissions.answer_file import answers_schema
from attncalc.submissions.script_reader import read
from tests.support.sweeps import for_each


def run(*words):
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    return result.output


@for_each("kind", SCHEMAS, quick=0)
def test_every_schema_is_one_and_describes_every_key(kind):
    schema = json.loads(run("schema", "--of", kind))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert all(value.get("description") for value in schema["properties"].values() if "$ref" not in value)
    assert schema["additionalProperties"] is False


@for_each("table", [PROBLEMS, SHEETS, ANSWERS, ANSWER_KEYS])
def test_a_key_stands_once_in_a_place(table):
    for where in {word for key in table for word in key.where.split()}:
        assert len(table.at(where)) == len(set(table.at(where))) == len(table.properties(where))


@for_each("name", problem_names()[::4], quick=5)
def test_blank_answers_follow_their_schema(name):
    jsonschema.validate(yaml.safe_load(run("answers", name)), answers_schema())


@pytest.mark.parametrize(
    "text",
    ["studnt: x\nanswers: {S: [[1]]}", "computed: float16\nanswers: {S: [[1]]}", "student: [x]\nanswers: {S: 1}"],
)
def test_schema_and_reader_refuse_the_same_answers(text):
    assert not jsonschema.Draft202012Validator(answers_schema()).is_valid(yaml.safe_load(text))
    with pytest.raises(AttncalcError):
        read(text, "answers.yaml")


@pytest.mark.parametrize("language", ["", "language: fr\nwords: words.yaml\n"])
def test_a_key_that_is_written_follows_its_schema_and_is_read(tmp_path, language):
    sheet = tmp_path / "sheet.yaml"
    (tmp_path / "words.yaml").write_text("tick_one: Cochez.\nsentences: {Normalise each token.: Normalisez.}\n")
    sheet.write_text(f"title: T\n{language}variants: 2\nquestions: [{{problem: look-ahead-mask}}]\n", encoding="utf-8")
    run("exam", str(sheet), "-o", str(tmp_path / "out"), "--to", "latex")
    key = tmp_path / "out" / "key.json"
    data = json.loads(key.read_text(encoding="utf-8"))
    jsonschema.validate(data, json.loads(run("schema", "--of", "key")))
    known = [word for word in ANSWER_KEYS.at("key") if word != "scan"]
    usual = [word for word in known if word not in ("language", "words", "sentences")]
    assert list(data) == (known if language else usual)
    assert list(data["variants"][0]) == ANSWER_KEYS.at("variant")
    found = read_key(str(key))
    assert len(found.variants) == 2 and found.words["tick_one"] == ("Cochez." if language else "Tick one.")
    assert found.words.sentence("Normalise each token.") == ("Normalisez." if language else "Normalise each token.")
