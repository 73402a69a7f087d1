"""Laws of secrets: papers and the program's source say nothing of what the papers are drawn from."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncalc.errors import AttncalcError
from attncalc.exam.secret import COPY, LEAST_BITS, bits_to_guess, is_phrase
from attncalc.exam.sheet.sheet_keys import KEYS
from attncalc.exam.sheet.sheet_reader import read_sheet
from tests.support.called import called

DRAWN = "  - {generate: attention, with: {tokens: 2, d_k: 2}}\n"
TICKED = "  - {ask: Why?, choices: [{right: a}, {wrong: b}, {wrong: c}, {wrong: d}], shuffle: true, points: 1}\n"
SHEET = f"title: Midterm\nvariants: 3\nquestions:\n{DRAWN}{TICKED}"
SIGNS = "CDFHJKMNPQRTVWXY2346789"


def exam(sheet, out, *more, code=0):
    """The files of an exam as LaTeX and what was reported; what is written into `out` is text."""
    ended, said, err = called("exam", sheet, "-o", out, "--to", "latex", *more)
    assert ended == code and "Traceback" not in err, (said, err)
    return files(out), err


def files(out):
    return {path.name: path.read_bytes() for path in sorted(Path(out).iterdir())} if Path(out).exists() else {}


def variants(made):
    return json.loads(made["key.json"])["variants"]


def papers(made):
    """What is drawn, without codes: the problem of each variant and the order of its options."""
    return [(one["problem"].replace(one["code"], "CODE"), str(one["own"])) for one in variants(made)]


def codes(made):
    return [one["code"] for one in variants(made)]


def put(folder, text=SHEET):
    folder.mkdir(exist_ok=True)
    path = folder / "midterm.yaml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def midterm(tmp_path_factory):
    """A sheet, its papers and what the first run reported."""
    sheet = put(tmp_path_factory.mktemp("exam"))
    return sheet, *exam(sheet, sheet.parent / "out")


def test_the_first_run_keeps_a_secret_and_says_so_once(midterm):
    sheet, made, err = midterm
    kept = sheet.with_suffix(".secret")
    text = kept.read_text()
    assert f"{kept}: created" in err and "back it up" in err and "Do not publish the secret" in err
    if os.name == "posix":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again, err = exam(sheet, sheet.parent / "out")
    assert again == made and kept.read_text() == text and "secret" not in err


@pytest.mark.slow
def test_every_process_draws_from_the_same_secret(midterm, tmp_path):
    sheet, made, _ = midterm
    assert exam(sheet, tmp_path / "other", "--jobs", "2")[0] == made


def test_law_nothing_that_is_written_or_printed_holds_the_secret(midterm):
    sheet, made, err = midterm
    lines = sheet.with_suffix(".secret").read_text().splitlines()
    values = [line.split()[1] for line in lines if line.startswith(("papers:", "codes:"))]
    assert [len(value) for value in values] == [32, 32] and values[0] != values[1]
    for content in (*made.values(), err.encode()):
        assert not any(value.encode() in content for value in values)


def test_law_two_secrets_share_nothing(midterm, tmp_path):
    sheet, made, _ = midterm
    other, _ = exam(put(tmp_path / "copy"), tmp_path / "copy" / "out")
    assert not {one for one, _ in papers(made)} & {one for one, _ in papers(other)}
    assert not {one["seed"] for one in variants(made)} & {one["seed"] for one in variants(other)}
    assert codes(made) != codes(other)
    with_its_secret = put(tmp_path / "moved")
    shutil.copy(sheet.with_suffix(".secret"), with_its_secret.with_suffix(".secret"))
    assert exam(with_its_secret, tmp_path / "moved" / "out")[0] == made


def test_law_codes_do_not_come_from_what_the_papers_are_drawn_from(midterm, tmp_path):
    """With other values of codes: the papers stay, with those of papers: the codes stay."""
    sheet, made, _ = midterm
    lines = sheet.with_suffix(".secret").read_text().splitlines()
    for changed in ("papers", "codes"):
        copy = put(tmp_path / changed)
        text = "".join(f"{changed}: {'0' * 32}\n" if line.startswith(changed) else f"{line}\n" for line in lines)
        copy.with_suffix(".secret").write_text(text)
        other, _ = exam(copy, tmp_path / changed / "out")
        assert (papers(other) == papers(made)) == (changed == "codes")
        assert (codes(other) == codes(made)) == (changed == "papers")


@pytest.mark.parametrize("purpose", ["--practice", "--resit"])
def test_practice_and_resit_are_drawn_apart_from_the_exam(midterm, purpose, tmp_path):
    sheet, made, _ = midterm
    other, err = exam(sheet, tmp_path / "more", purpose)
    assert "created" not in err and codes(other) != codes(made)
    assert not {one for one, _ in papers(made)} & {one for one, _ in papers(other)}


# -- an attacker who has the printed papers and the source -------------------------------------------------------------


def codes_of(key):
    """The codes of the first papers by a key, as the source shows them."""
    for k in range(1, 4):
        for attempt in range(1_000):
            drawn = hmac.digest(key, f"code/variant {k}/0/{attempt}".encode(), "sha256")
            text = SIGNS[drawn[0] % 16] + "".join(SIGNS[byte % len(SIGNS)] for byte in drawn[1:4])
            if any(sign.isdigit() for sign in text):
                yield text
                break


def seeds_that_fit(made, seeds):
    """Every seed below a number from which the printed codes could come."""
    printed = codes(made)
    words = (f"{word} {k}".encode() for k in range(seeds) for word in ("seed", "secret"))
    return [key for key in words if all(a == b for a, b in zip(printed, codes_of(key), strict=True))]


def test_the_attacker_knows_how_codes_are_made(midterm):
    """Otherwise the next law shows nothing: with the value that codes come from, the attacker finds them."""
    sheet, made, _ = midterm
    value = next(one for one in sheet.with_suffix(".secret").read_text().splitlines() if one.startswith("codes: "))
    assert [*codes_of(value.removeprefix("codes: ").encode())] == codes(made)


@pytest.mark.parametrize("seeds", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("written", ["", "seed: 1337\n", "secret: '1000000000'\n"])
def test_law_no_seed_is_found_from_the_codes(written, seeds, tmp_path):
    made, _ = exam(put(tmp_path / "exam", written + SHEET), tmp_path / "out")
    assert seeds_that_fit(made, seeds) == []


@pytest.mark.parametrize("word", ["seed", "secret"])
def test_law_a_code_says_nothing_but_what_the_paper_shows(word, tmp_path):
    """If all that is printed is the same, everything is: whatever the seed is, and whichever option is right."""
    same = f"title: T\nvariants: 2\n{word}: NUMBER\nquestions: [{{problem: look-ahead-mask}}]\n"
    made = [exam(put(tmp_path / k, same.replace("NUMBER", k)), tmp_path / k / "out")[0] for k in ("12345678", "2" * 20)]
    assert made[0] == made[1]
    ticked = f"title: T\nvariants: 2\n{word}: 12345678\nquestions:\n{TICKED.replace('shuffle: true', 'shuffle: false')}"
    other = ticked.replace("{right: a}, {wrong: b}", "{wrong: a}, {right: b}")
    answers = [exam(put(tmp_path / name, text), tmp_path / name / "out")[0] for name, text in
               (("ticked", ticked), ("other", other))]  # fmt: skip
    assert codes(answers[0]) == codes(answers[1]) and papers(answers[0]) != papers(answers[1])


# -- seeds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "found"),
    [("seed: 2026", "d7c5a0afbdb3"), ("seed: a word", "c32cf30f3c4e"), ("secret: nobody knows", "42f6ef157103")],
)
def test_frozen_a_seed_gives_the_papers_that_it_gave_before_there_were_secrets(written, found, tmp_path):
    made, _ = exam(put(tmp_path / "exam", f"{written}\n{SHEET}"), tmp_path / "out")
    shown = [[problem, [one["text"] for one in own["own"][0]["choices"]]]
             for (problem, _), own in zip(papers(made), variants(made), strict=True)]  # fmt: skip
    assert hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:12] == found
    assert not (tmp_path / "exam" / "midterm.secret").exists()


@pytest.mark.parametrize(
    ("written", "bits"),
    [
        ("seed: 2026", 13),
        ("seed: quiz", 18),
        ("secret: nobody knows", 58),
        ("seed: '80941297260318457731'", None),
        ("seed: '01234567890123456789'", 32),
        ("seed: 123456789012345678", 32),
        ("secret: '12345678'", 16),
        ("seed: 0123456789abcdef", 32),
        ("seed: 5e81c70b3fa2964d", None),
        ("seed: 2026-11-28", 39),
        ("seed: 28.11.2026", 39),
        ("secret: aaaaaaaaaaaaaaaaaaaaaaaa", 4),
        ("secret: passwordpasswordpassword", 53),
    ],
)
def test_a_short_seed_is_reported_when_papers_are_written(written, bits, tmp_path):
    sheet = put(tmp_path / "exam", f"{written}\ntitle: T\nquestions: [{{problem: look-ahead-mask}}]\n")
    assert "bits" not in called("exam", sheet)[2]
    word = written.partition(":")[0]
    said = f"{word}: this text has at most {bits} bits of randomness; below 64" if bits else "bits"
    assert (said in exam(sheet, tmp_path / "out")[1]) == bool(bits)


@pytest.mark.parametrize(
    "written", ["secret: Nobody knows what this is", "seed: to be or not to be that is the question"]
)
def test_a_phrase_is_reported_since_it_may_be_known(written, tmp_path):
    sheet = put(tmp_path / "exam", f"{written}\ntitle: T\nquestions: [{{problem: look-ahead-mask}}]\n")
    assert f"{written.partition(':')[0]}: a program can guess this phrase" in exam(sheet, tmp_path / "out")[1]


WEAK = ["0" * 31 + "1", "a" * 32, ("1234567890" * 4)[:32], "deadbeef" * 4, "01" * 16, f"{20261128:032}",
        "0123456789abcdef" * 2, "f0e1" * 8, "00000000000000001234567890abcdef", f"{2**40:032x}"]  # fmt: skip


@pytest.mark.parametrize("value", WEAK)
def test_law_a_secret_that_a_person_wrote_into_the_file_is_reported(value, tmp_path):
    sheet = put(tmp_path / "exam", "title: T\nquestions: [{problem: look-ahead-mask}]\n")
    sheet.with_suffix(".secret").write_text(f"sheet: midterm.yaml\npapers: {value}\ncodes: {'5e81c70b3fa2964d' * 2}\n")
    err = exam(sheet, tmp_path / "out")[1]
    assert "the secret in its file: this text has at most" in err and "below 64" in err and "remove this file" in err


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_law_random_bits_are_not_taken_for_a_persons(seed):
    """128 bits in two bases, and 80 bits in letters."""
    random = Random(seed)
    assert bits_to_guess(f"{random.getrandbits(128):032x}") >= LEAST_BITS
    assert bits_to_guess(str(random.getrandbits(128)).zfill(38)) >= LEAST_BITS
    letters = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=17))
    assert (
        bits_to_guess(letters) >= LEAST_BITS
        and not is_phrase(letters)
        and not is_phrase(f"{random.getrandbits(128):032x}")
    )


@given(st.text(max_size=30))
def test_law_a_repetition_adds_little(text):
    """However often a text is repeated, it has at most the bits of one copy more."""
    assert bits_to_guess(text * 9) <= bits_to_guess(text) + COPY and bits_to_guess(text) <= bits_to_guess(text * 2) + 1


# -- one secret, two sheets --------------------------------------------------------------------------------------------


def share(one, other):
    """Whether a variant of one exam shares the numbers of a problem, or its code, with one of another."""
    return bool({a for a, _ in papers(one)} & {a for a, _ in papers(other)} or {*codes(one)} & {*codes(other)})


def same_questions(folder, name, title="Midterm"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(SHEET.replace("Midterm", title))
    return path


SECOND = ["practice.yaml", "midterm.yml", "other/midterm.yaml", "midterm", 'Ünï "x".yaml']


@pytest.mark.sweep(quick=3, ci=5)
@pytest.mark.parametrize("name", SECOND)
@pytest.mark.parametrize("title", ["Midterm", "Practice"])
def test_law_two_sheets_with_one_secret_are_refused_or_share_nothing(midterm, name, title, tmp_path):
    """Two sheets that ask the same lesson: with one secret the papers of one would be those of the other."""
    _, _, _ = midterm
    first = same_questions(tmp_path, "midterm.yaml")
    made, _ = exam(first, tmp_path / "out")
    second, kept = same_questions(tmp_path, name, title), first.with_suffix(".secret")
    text = kept.read_text()
    for words in ((), ("--secret", kept)):
        code, _, err = called("exam", second, "-o", tmp_path / "second", "--to", "latex", *words)
        if code == 0:
            assert not share(made, files(tmp_path / "second"))
            shutil.rmtree(tmp_path / "second")
        else:
            assert f"{kept}:4:1: expected the sheet midterm.yaml, found" in err and not (tmp_path / "second").exists()
            assert "choose a different secret with --secret FILE" in err
        assert code == 2 or not words
    for words in (("exam", second, "--secret", kept), ("stress", second, "-n", 1)):
        assert called(*words)[0] == (2 if "exam" in words or second.with_suffix(".secret") == kept else 0)
    assert kept.read_text() == text and exam(first, tmp_path / "out")[0] == made


def test_the_message_about_another_sheet_has_the_line_that_accepts_a_renamed_one(tmp_path):
    first = same_questions(tmp_path, "midterm.yaml")
    made, _ = exam(first, tmp_path / "out")
    for name in ("final.yaml", 'odd "name" \\ Ünï\n.yaml'):
        renamed = first.rename(tmp_path / name)
        kept = (tmp_path / "midterm.secret").rename(renamed.with_suffix(".secret"))
        said = exam(renamed, tmp_path / "again", code=2)[1]
        line = re.search(r"write `(sheet: .*)` in this line", said)[1]
        kept.write_text(re.sub("sheet: .*", lambda _, line=line: line, kept.read_text()))
        again, _ = exam(renamed, tmp_path / "again")
        assert papers(again) == papers(made) and codes(again) == codes(made)
        shutil.rmtree(tmp_path / "again")
        first = renamed
        kept.rename(tmp_path / "midterm.secret")


def test_a_title_a_folder_and_more_variants_change_no_paper_that_exists(midterm, tmp_path):
    sheet, made, _ = midterm
    moved = put(tmp_path / "moved", SHEET.replace("Midterm", "Mid-term").replace("variants: 3", "variants: 5"))
    shutil.copy(sheet.with_suffix(".secret"), moved.with_suffix(".secret"))
    other, err = exam(moved, tmp_path / "out")
    assert codes(other)[:3] == codes(made) and "warning" not in err
    assert [a.replace("Mid-term", "Midterm") for a, _ in papers(other)][:3] == [a for a, _ in papers(made)]


def test_a_secret_of_an_earlier_version_gives_the_same_papers_and_a_warning(midterm, tmp_path):
    """It names no sheet; the warning has the line that does."""
    sheet, made, _ = midterm
    copy = put(tmp_path / "copy")
    kept = copy.with_suffix(".secret")
    lines = sheet.with_suffix(".secret").read_text().splitlines(keepends=True)
    kept.write_text("".join(line for line in lines if not line.startswith("sheet:")))
    again, err = exam(copy, tmp_path / "out")
    assert again == made and "warning: this secret does not contain the name of a sheet" in err
    kept.write_text(re.search("add the line `(.*)`", err)[1] + "\n" + kept.read_text())
    again, err = exam(copy, tmp_path / "out")
    assert again == made and "warning" not in err
    code, _, err = called("exam", "-", "--secret", kept, stdin=SHEET.encode())
    assert code == 0 and "warning: this sheet is not a file, so the secret cannot contain its name" in err


# -- where a secret is kept --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", ["null", "~", "Null", "NULL"])
@pytest.mark.parametrize("place", ["sheet", "question"])
def test_law_null_is_nothing_in_a_sheet(place, null, tmp_path):
    """`seed: null` was the word null, from which everybody can draw the papers."""

    def outcome(key, value):
        try:
            sheet = read_sheet(text.replace("KEY", f"{key}: {value}"), "s.yaml")
        except AttncalcError as error:
            return [fault.message for fault in error.faults]
        return sheet.key, sheet.title, sheet.course, sheet.date, sheet.questions[0].points, sheet.questions[0].hint

    question = "questions:\n  - ask: Why?\n    free_text: Because.\n"
    text = f"{question}    KEY\n" if place == "question" else f"KEY\n{question}"
    for key in KEYS.at(place):
        if f"{key}:" not in text:
            assert outcome(key, null) == outcome(key, ""), key
    assert outcome("seed", null)[0].startswith("seed: expected a number or a word, found nothing") or place != "sheet"


def test_a_sheet_is_tried_without_a_secret(tmp_path):
    sheet = put(tmp_path / "exam")
    code, _, err = called("exam", sheet)
    assert code == 0 and "there is no secret yet, so these variants are only a trial" in err
    assert called("stress", sheet, "-n", 2)[0] in (0, 1)
    assert os.listdir(tmp_path / "exam") == ["midterm.yaml"]


def test_a_sheet_from_standard_input_names_the_file_of_its_secret(midterm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sheet, made, _ = midterm
    order = "exam", "-", "-o", "out", "--to", "latex"
    code, _, err = called(*order, stdin=SHEET.encode())
    assert code == 2 and "write --secret FILE" in err and os.listdir() == []
    shutil.copy(sheet.with_suffix(".secret"), "own.secret")
    assert called(*order, "--secret", "own.secret", stdin=SHEET.encode())[0] == 0
    assert papers(files("out")) == papers(made) and codes(files("out")) == codes(made)


def test_a_bundled_sheet_keeps_its_secret_in_the_folder_in_which_one_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exam("quiz", "out")
    assert sorted(os.listdir()) == ["out", "quiz.secret"]


def test_a_secret_that_cannot_be_kept_or_read_is_a_fault_and_never_replaced(midterm, tmp_path):
    sheet = put(tmp_path / "exam")
    for place in ("/proc/version/x.secret", tmp_path / "nowhere" / "x.secret"):
        made, err = exam(sheet, tmp_path / "out", "--secret", place, code=2)
        assert not made and "the secret cannot be stored here" in err and "write --secret FILE" in err
    kept, good = sheet.with_suffix(".secret"), midterm[0].with_suffix(".secret").read_text()
    for text, line in (("", 1), ("papers: abc\n", 1), (good.replace("codes", "code"), 6), (good + good, 10),
                       ("\0\n", 1), ("# cut short\n", 2), (SHEET, 1)):  # fmt: skip
        kept.write_text(text)
        for words in (("exam", sheet), ("exam", sheet, "-o", tmp_path / "out"), ("stress", sheet)):
            code, _, err = called(*words)
            assert code == 2 and f"{kept}:{line}:1: expected the secret of an exam" in err and "abc" not in err
        assert kept.read_text() == text and not (tmp_path / "out").exists()
    seeded = put(tmp_path / "seeded", "seed: 1\n" + SHEET)
    assert (
        "--secret cannot be used with this exam sheet, because the sheet has the key seed:"
        in exam(seeded, tmp_path / "o", "--secret", kept, code=2)[1]
    )
    assert "seed: expected a number or a word, found nothing" in exam(put(tmp_path / "e", "seed:\n" + SHEET),
                                                                      tmp_path / "o", code=2)[1]  # fmt: skip


def failures(folder):
    """Words that make `exam SHEET -o out` fail, each with what has to be there."""
    (folder / "torn").mkdir()
    (folder / "torn" / "paper.typ").write_text("<% if %>")
    (folder / "mine").mkdir()
    (folder / "mine" / "key.json").write_text("mine")
    (folder / "odd").mkdir()
    (folder / "odd" / "manifest.json").write_text("{}")
    (folder / "file").write_text("")
    return [("-o", folder / "out", "--template", folder / "torn"), ("-o", folder / "mine"), ("-o", folder / "odd"),
            ("-o", folder / "file"), ("-o", folder / "file" / "x"), ("-o", ""), ("-o", "-"), ("-o", "x.pdf"),
            ("-o", folder / "out", "--only", "K7Q2"), ("-o", folder / "out", "--secret", "-"),
            ("-o", folder / "new" / "out", "--template", folder / "torn")]  # fmt: skip


def everything(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_law_a_run_that_fails_writes_nothing(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    sheet = put(tmp_path / "exam", "title: T\nquestions: [{problem: look-ahead-mask}]\n")
    for words in failures(tmp_path):
        before = everything(tmp_path)
        code, _, err = called("exam", sheet, *words)
        assert code == 2 and "Traceback" not in err and everything(tmp_path) == before, (words, err)


@pytest.mark.slow
def test_two_first_runs_at_once_keep_one_secret(tmp_path):
    """Each run that ends well has drawn from the secret that is kept; another one is refused and writes nothing."""
    sheet = put(tmp_path / "exam", f"title: T\nvariants: 2\nquestions:\n{TICKED}")
    outs = [tmp_path / name for name in "abcd"]
    order = [sys.executable, "-m", "attncalc", "exam", str(sheet), "--to", "latex", "-o"]
    running = [subprocess.Popen([*order, str(out)], stderr=subprocess.PIPE, text=True) for out in outs]
    errors = [one.communicate()[1] for one in running]
    again, _ = exam(sheet, tmp_path / "again")
    for one, out, err in zip(running, outs, errors, strict=True):
        assert one.returncode in (0, 2) and "Traceback" not in err
        assert files(out) == (again if one.returncode == 0 else {})
        assert one.returncode == 0 or "another run has just created this secret" in err
    assert sum("secret: created" in err for err in errors) == 1
    assert sorted(os.listdir(tmp_path / "exam")) == ["midterm.secret", "midterm.yaml"]


def test_only_writes_papers_again_and_draws_no_others(midterm, tmp_path):
    sheet, made, _ = midterm
    one = variants(made)[1]
    again, _ = exam(sheet, tmp_path / "again", "--only", one["code"])
    name = f"paper-02-{one['code']}.tex"
    assert again[name] == made[name]
    _, err = exam(put(tmp_path / "lost"), tmp_path / "out", "--only", one["code"], code=2)
    assert "midterm.secret: this file does not exist, but the papers were generated from it" in err
    assert os.listdir(tmp_path / "lost") == ["midterm.yaml"]


def test_without_its_secret_a_folder_of_papers_stays_and_the_message_names_the_secret(tmp_path):
    sheet = put(tmp_path / "exam", f"title: T\nquestions:\n{TICKED}")
    out = tmp_path / "out"
    made, _ = exam(sheet, out)
    kept = (tmp_path / "exam" / "midterm.secret").read_bytes()
    (tmp_path / "exam" / "midterm.secret").unlink()
    _, err = exam(sheet, out, code=2)
    assert f"midterm.secret: this file does not exist, but {out} has papers" in err and "restore the file" in err
    assert files(out) == made and os.listdir(tmp_path / "exam") == ["midterm.yaml"]
    (tmp_path / "exam" / "midterm.secret").write_bytes(kept)
    assert exam(sheet, out)[0] == made


@pytest.mark.parametrize(
    "command", ["export first.yaml --to moodle", "answers first.yaml", "solve first.yaml --to text"]
)
def test_no_output_replaces_a_secret(command, tmp_path):
    """Whoever loses it cannot make the papers again, so --force is not enough."""
    (tmp_path / "first.yaml").write_text("given: {S: [[1, 2]]}\nsteps: {A: 2 * S}\n")
    (tmp_path / "s.secret").write_text("papers: 1")
    words = [tmp_path / word if word == "first.yaml" else word for word in command.split()]
    code, out, err = called(*words, "-o", tmp_path / "s.secret", "--force")
    assert (code, out) == (2, "") and "could be the secret of an exam" in err
    assert (tmp_path / "s.secret").read_text() == "papers: 1"
