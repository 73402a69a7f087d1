"""Suggestions and lists of faults: what they cost, and what they say of what they leave out."""

import time
from difflib import get_close_matches

from hypothesis import given
from hypothesis import strategies as st

from attncalc.errors import MOST_FAULTS, AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, meant, shorten
from tests.support.laws import examples

NAMES = st.text("SsAZ_qk1.d", min_size=1, max_size=9)


@given(NAMES, st.lists(NAMES, max_size=60))
@examples(200)
def test_the_last_name_that_ends_so_is_proposed_or_else_what_a_comparison_finds(name, known):
    folded = {other.casefold(): other for other in reversed(known)}
    word = name.casefold()
    inner = [other for other in folded if word not in folded and other.endswith((f".{word}", f".{word}_1"))]
    near = inner[:1] or get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    assert did_you_mean(name, known) == (meant(folded[near[0]]) if near else "")


def test_many_unknown_names_cost_little():
    known = [f"part.head_{i}.S_{j}" for i in range(20) for j in range(50)]
    begin = time.process_time()
    for k in range(1_000):
        did_you_mean(f"part.foot_{k}.S", known)
    assert time.process_time() - begin < 15  # 0.1 s each where every name is compared


@given(st.lists(st.integers(0, 250), min_size=1, max_size=4))
@examples(50)
def test_a_list_of_faults_has_a_limit_and_counts_the_others_once(sizes):
    """However errors are collected in others, no fault is lost without a number."""
    faults = [
        [Diagnostic(f"fault {k} of {group}", Location("a", 1)) for k in range(n)] for group, n in enumerate(sizes)
    ]
    error = AttncalcError([fault for group in faults for fault in AttncalcError(group).faults])
    lines = [str(fault) for fault in error.faults]
    shown = [line for line in lines if " more" not in line]
    assert len(shown) <= MOST_FAULTS and len(lines) <= MOST_FAULTS + 1
    others = (
        int(lines[-1].removeprefix("a: and ").removesuffix(" more").replace(",", "")) if len(lines) > len(shown) else 0
    )
    assert len(shown) + others == sum(sizes)


def test_collected_faults_have_the_same_limit():
    faults = Diagnostics()
    try:
        faults.extend(AttncalcError([Diagnostic(f"fault {k}", Location("a", k)) for k in range(1, 400)]))
    except AttncalcError as error:
        assert [str(fault) for fault in error.faults[-2:]] == ["a:100:0: fault 100", "a: and 299 more"]
    else:
        raise AssertionError("expected an error")


@given(st.text(max_size=60))
def test_a_shortened_text_is_one_line(text):
    line = shorten(text, 20)
    assert line.isprintable() and len(line) == min(len(text), 20)
