"""Two ways to write one definition come to the same numbers, and definitions that differ are told apart."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.lessons import LESSONS
from tests.support.laws import examples
from tests.support.sweeps import for_each

NUMBERS = st.integers(-8, 8).map(lambda n: f"{n}/4")
PAIRS = st.lists(NUMBERS, min_size=2, max_size=2)
POSITIVE = st.integers(1, 8).map(lambda n: f"{n}/8")


def printed(lesson, givens, step, **options):
    return solve(load({"given": givens, lesson: options}))[step].decimals(12)


def shares(draw, count):
    parts = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count).filter(any))
    return [f"{part}/{sum(parts)}" for part in parts]


def updates(draw):
    return {"theta": [draw(PAIRS)]} | {f"g_{t}": [draw(PAIRS)] for t in (1, 2, 3)}


@examples(30)
@given(st.data(), POSITIVE, POSITIVE, st.booleans())
def test_momentum_goes_the_same_way_wherever_the_learning_rate_is(data, lr, mu, nesterov):
    options = {"lr": lr, "mu": mu, "nesterov": str(nesterov).lower()}
    givens = updates(data.draw)
    outside, inside = (printed("momentum", givens, "theta_3", rate=rate, **options) for rate in ("outside", "inside"))
    assert outside == inside


@examples(20)
@given(st.data(), POSITIVE, POSITIVE, st.sampled_from(["adam", "momentum"]))
def test_decay_by_itself_is_decay_times_the_learning_rate_over_the_learning_rate(data, lr, decay, lesson):
    givens = updates(data.draw)
    scaled = printed(lesson, givens, "theta_3", lr=lr, decay="decoupled", weight_decay=f"{decay} / ({lr})")
    assert printed(lesson, givens, "theta_3", lr=lr, decay="independent", weight_decay=decay) == scaled


@examples(30)
@given(st.data(), st.integers(1, 3), st.integers(2, 4))
def test_the_token_after_the_drafts_is_drawn_from_probabilities(data, drafted, words):
    p = [shares(data.draw, words) for _ in range(drafted + 1)]
    q = [shares(data.draw, words) for _ in range(drafted)]
    ids = [data.draw(st.sampled_from([j for j in range(words) if Fraction(row[j])])) for row in q]
    ratios = [Fraction(p[i][j]) / Fraction(q[i][j]) for i, j in enumerate(ids)]
    u = [data.draw(st.sampled_from([min(ratio, Fraction(1)), Fraction(1, 3), Fraction(1)])) for ratio in ratios]
    givens = {"p": p, "q": q, "ids": ids, "u": [str(x) for x in u]}
    for tie, accepts in (("accept", lambda x, ratio: x <= ratio), ("refuse", lambda x, ratio: x < min(1, ratio))):
        solution = solve(load({"given": givens, "speculative_decoding": {"tie": tie}}))
        count = next((i for i in range(drafted) if not accepts(u[i], ratios[i])), drafted)
        left = [max(Fraction(a) - (Fraction(b) if count < drafted else 0), 0) for a, b in
                zip(p[count], q[count] if count < drafted else p[count], strict=True)]  # fmt: skip
        total = sum(left)
        assert solution["count"].decimals(0) == [[str(count)]]
        expected = [float(x / total) if total else 0 for x in left]
        assert solution["next"].numpy()[0].tolist() == pytest.approx(expected)


@examples(20)
@given(st.lists(PAIRS, min_size=3, max_size=3), st.lists(PAIRS, min_size=3, max_size=3), POSITIVE)
def test_both_forms_of_alibi_are_one_behind_a_causal_mask(Q, K, slope):
    givens = {"Q": Q, "K": K, "V": K}
    biases = (f"alibi({slope})", f'alibi({slope}, sides="one")', f'alibi({slope}, sides="both")')
    found = [printed("attention", givens, "A", bias=bias, mask="causal") for bias in biases]
    assert found[0] == found[1] == found[2]


@examples(20)
@given(st.lists(PAIRS, min_size=4, max_size=4))
def test_patches_with_channels_last_have_the_same_numbers(image):
    givens = {"image_1": image, "image_2": [[f"{x} + 9" for x in row] for row in image], "W_E": [[1]] * 8}
    first, last = (printed("patch_embedding", givens, "patches", channels=word) for word in ("first", "last"))
    assert [[row[4 * k + j] for j in range(4) for k in range(2)] for row in first] == last


# -- what is warned of or refused --------------------------------------------------------------------------------------

QKV = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 1]], "V": [[1, 2], [3, 4]]}
WEIGHTS = {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V")}
ONE_SIDED = {
    "no mask": ({"bias": "alibi(1/2)"}, True),
    "two sides": ({"bias": 'alibi(1/2, sides="both")'}, False),
    "causal": ({"bias": "alibi(1/2)", "mask": "causal"}, False),
    "causal and more": ({"bias": "alibi(1/2)", "mask": "causal * band(1)"}, False),
    "a band to both sides": ({"bias": "alibi(1/2)", "mask": "band(1)"}, True),
    "a band to the earlier side": ({"bias": "alibi(1/2)", "mask": "band(1, 0)"}, False),
    "a causal given": ({"bias": "alibi(1/2)", "mask": "lower"}, False),
    "another given": ({"bias": "alibi(1/2)", "mask": "full"}, True),
    "another bias": ({"bias": "full"}, False),
}


@for_each("name", ONE_SIDED)
def test_alibi_without_a_causal_mask_is_warned_of(name):
    options, warned = ONE_SIDED[name]
    problem = load({"given": QKV | {"lower": [[1, 0], [1, 1]], "full": [[1, 1], [1, 1]]}, "attention": options})
    assert ["favours later keys" in one.message for one in problem.warnings if "alibi" in one.message] == [
        True
    ] * warned


def test_alibi_for_all_heads_warns_once_and_has_two_sides_too():
    problem = load({"given": QKV, "multi_head_attention": {"heads": 2, "bias": "alibi"}})
    assert len([one for one in problem.warnings if "alibi" in one.message]) == 1
    both = {"given": QKV, "multi_head_attention": {"heads": 2, "bias": 'alibi(sides="both")'}}
    assert not load(both).warnings and "sides" in solve(load(both))["S_biased_2"].step.formula


def test_a_cached_key_is_always_earlier():
    cached = {"X": [[1, 0]], "K_cache": QKV["K"], "V_cache": QKV["V"]} | WEIGHTS
    assert not load({"given": cached, "cached_attention": {"bias": "alibi(1/2)"}}).warnings
    with pytest.raises(AttncalcError, match="no key comes after the query here; leave out sides"):
        load({"given": cached, "cached_attention": {"bias": 'alibi(1/2, sides="both")'}})


ADAM = {"theta": [[1, 2]], "g": [[1, 1]]}
REFUSED = {
    "adam m": (
        "adam",
        ADAM | {"m": [[0, 1]], "v": [[1, 1]]},
        {},
        "m is not 0, so there were earlier updates; give the number of the next update",
    ),
    "adam v": ("adam", ADAM | {"v": [[1, 1]]}, {}, "v is not 0"),
    "one bit": ("quantization", {"X": [[1, -2]]}, {"bits": 1}, "bits: expected 2 to 16 .* found 1"),
    "dampening inside": (
        "momentum",
        ADAM,
        {"rate": "inside", "dampening": "1/2"},
        "dampening has no meaning with rate",
    ),
    "dampened Nesterov": ("momentum", ADAM, {"nesterov": "true", "dampening": "1/2"}, "no meaning with nesterov"),
}


@for_each("name", REFUSED)
def test_what_has_no_meaning_is_refused(name):
    lesson, givens, options, message = REFUSED[name]
    with pytest.raises(AttncalcError, match=message):
        load({"given": givens, lesson: options})


@pytest.mark.parametrize("options", [{"first": 2}, {"first": 1}])
def test_adam_goes_on_from_means_once_the_update_has_a_number(options):
    assert solve(load({"given": ADAM | {"m": [[0, 1]], "v": [[1, 1]]}, "adam": options}))


def test_adam_starts_from_zeros_at_the_first_update():
    zeros = solve(load({"given": ADAM | {"m": [[0, 0]], "v": "zeros(1, 2)"}, "adam": {}}))
    assert zeros["theta_1"].decimals(9) == solve(load({"given": ADAM, "adam": {}}))["theta_1"].decimals(9)


def test_one_bit_from_0_has_two_numbers():
    assert printed("quantization", {"X": [[1, -2]]}, "X_back", bits=1, zero="affine") == [
        ["0.000000000000", "-3.000000000000"]
    ]


@for_each("lesson", ["adam", "momentum", "speculative_decoding", "mixture_of_experts", "selective_state_space"])
def test_a_definition_of_which_there_are_several_cites_its_source(lesson):
    assert any(year in LESSONS[lesson].source for year in ("2013", "2015", "2022", "2023"))
