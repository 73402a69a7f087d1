"""Layers and models: equal numbers by other ways, arguments that reach the layer they are for, and faults told once."""

import random

import pytest

from attncalc import AttncalcError, load, solve
from tests.support.sweeps import for_each

DRAW = random.Random(1)


def draw(n, m):
    return [[DRAW.randint(-2, 2) for _ in range(m)] for _ in range(n)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


SELF = {f"W_{x}": draw(4, 4) for x in "QKVO"} | {f"b_{x}": draw(1, 4) for x in "QKVO"}
CROSS = {f"cross_{name}": draw(len(value), 4) for name, value in SELF.items()}
FFN = {"W_1": draw(4, 6), "b_1": draw(1, 6), "W_2": draw(6, 4), "b_2": draw(1, 4)}
NORMS = {f"{name}_{k}": draw(1, 4) for name in ("gamma", "beta") for k in (1, 2, 3)}
TOKENS = {"X": draw(3, 4)} | SELF | FFN | NORMS
BOTH = TOKENS | CROSS | {"encoded": draw(2, 4), "M": [[1, 0], [1, 1], [0, 1]]}
WORDS = (
    SELF
    | CROSS
    | FFN
    | NORMS
    | {"src": [1, 2], "tgt": [0, 3], "E": draw(5, 4), "W_out": draw(4, 5), "b_out": draw(1, 5)}
)
GREEDY = {name: value for name, value in WORDS.items() if name != "tgt"}


def last(problem):
    return solve(load(problem)).parts[0].steps[-1].decimals(20)


def values(problem):
    return solve(load(problem)).parts[0].steps[-1].numpy()


def step(problem, name):
    return solve(load(problem))[name].decimals(20)


def names(problem):
    return [step.name for step in solve(load(problem)).parts[0].steps]


@for_each(
    ("lesson", "options", "givens"),
    [
        ("encoder_layer", {"heads": 2}, TOKENS),
        ("encoder_layer", {"heads": 2, "norm": "before", "mask": "causal"}, TOKENS),
        ("decoder_layer", {"heads": 2, "memory": "encoded", "memory_mask": "M", "bias": "alibi(1/2)"}, BOTH),
        ("decoder", {"heads": 2, "memory": "encoded", "layers": 2, "final_norm": "true"}, BOTH),
        ("embedding", {"embed_scale": 2}, WORDS),
        ("embedding", {"PE": "E"}, WORDS),
        ("transformer", {"heads": 2}, WORDS),
        (
            "next_word",
            {"X": "X", "temperature": 2, "top_k": 3},
            TOKENS | {"W_out": WORDS["W_out"], "b_out": WORDS["b_out"]},
        ),
    ],
    quick=3,
)
def test_column_vectors_give_the_transposed_result(lesson, options, givens):
    flat = ("M", "src", "tgt", "ids", "b_", "cross_b_", "gamma", "beta")
    givens = givens | {"ids": [3, 0, 1]}
    columns = {name: value if name.startswith(flat) else transposed(value) for name, value in givens.items()}
    turned = last({"vectors": "columns", "given": columns, lesson: options})
    assert transposed(turned) == last({"given": givens, lesson: options})


def test_greedy_decoding_of_column_vectors_chooses_the_same_words():
    columns = {name: value if name == "src" or name.startswith(("b_", "cross_b_", "gamma",
               "beta")) else transposed(value)
               for name, value in GREEDY.items()}  # fmt: skip
    options = {"greedy_decode": {"heads": 2, "start_token": 0, "most": 3}}
    assert last({"vectors": "columns", "given": columns} | options) == last({"given": GREEDY} | options)


A = {"A": draw(4, 4)}


@for_each(
    ("lesson", "options", "givens"),
    [
        ("encoder", {"layers": 2, "enc2_W_Q": "A.T"}, TOKENS),
        ("encoder", {"layers": 2, "enc_W_1": "A.T", "W_2": "A", "b_1": "none"}, TOKENS),
        ("decoder", {"layers": 2, "memory": "encoded", "dec2_cross_W_K": "A.T", "dec1_gamma_3": "A[0]"}, BOTH),
        (
            "transformer",
            {"layers": 2, "enc1_W_Q": "A.T", "dec2_cross_W_K": "A", "enc_W_V": "2 * A", "dec_gamma_1": "A[1]"},
            WORDS,
        ),
    ],
    quick=1,
)
def test_an_argument_for_one_layer_is_as_good_as_a_given(lesson, options, givens):
    own = {name: value for name, value in options.items() if "A" in str(value)}
    rest = {name: value for name, value in options.items() if name not in own}
    kept = {name: value for name, value in givens.items() if name not in own}
    with_arguments, with_givens = {"given": givens | A, lesson: options}, {"given": kept | A | own, lesson: rest}
    assert last(with_arguments) == last(with_givens)
    without = {"given": givens | A, lesson: rest}
    assert (values(with_arguments) != values(without)).all()


def test_an_argument_for_a_layer_that_is_not_there_is_an_error():
    with pytest.raises(AttncalcError, match="enc3_W_Q is for layer 3; layers is 2"):
        load({"given": TOKENS, "encoder": {"layers": 2, "enc3_W_Q": "W_K"}})


@pytest.mark.sweep(quick=0)
def test_a_table_of_positions_of_the_authors():
    table = {"table": "sinusoidal(9, 4)"}
    for lesson, givens, options in (
        ("transformer", WORDS, {}),
        ("greedy_decode", GREEDY, {"start_token": 0, "most": 2}),
    ):
        problem = {"given": givens | table, lesson: {"PE": "table"} | options}
        assert last(problem) == last({"given": givens, lesson: options})
        assert "source.PE" not in names(problem)


def test_bias_and_mask_are_for_the_tokens_themselves_and_not_for_the_memory():
    found = names({"given": BOTH, "decoder_layer": {"memory": "encoded", "bias": "alibi(1)", "mask": "band(1)"}})
    assert {"masked.S_biased_1", "masked.S_masked_1"} <= set(found)
    assert not {"cross.S_biased_1", "cross.S_masked_1"} & set(found)


def test_where_a_mask_applies_holds_for_the_encoder_of_a_transformer_too():
    found = names({"given": WORDS | {"real": [[1, 0]]}, "transformer": {"src_mask": "real", "mask_at": "weights"}})
    assert {"encoder.layer1.attention.A_masked_1", "decoder.layer1.masked.A_masked_1"} <= set(found)


def test_next_word_reads_the_tokens_it_is_told_to_read():
    words = {"word": {"X": "decoder.layer1.norm3.Y"}, "row": {"rows": "last"}, "all": {}}
    steps = {name: {"next_word": options} for name, options in words.items()}
    solution = solve(load({"given": WORDS, "transformer": {"heads": 2}, "steps": steps}))
    assert solution["word.P"].decimals(20) == solution["row.P"].decimals(20) == solution["P"].decimals(20)[-1:]
    assert solution["all.P"].decimals(20) == solution["P"].decimals(20)


LOGITS = {"logits": [[2, 1, 0, 3], [0, 1, 3, 0], [1, 1, 1, 2]]}
SURE = {"P": [[0.5, 0.25, 0.25, 0], [1, 0, 0, 0], [0, 0, 0.5, 0.5]]}


@for_each(
    ("options", "givens", "formula"),
    [
        ({}, LOGITS, "-mean(log(pick(softmax(logits), targets)))"),
        ({"base": 2}, LOGITS, "-mean(log2(pick(softmax(logits), targets)))"),
        ({"logits": "2 * S"}, {"S": LOGITS["logits"]}, "-mean(log(pick(softmax(2 * S), targets)))"),
        ({"ignore": 9, "targets": "padded"}, SURE, "ln(2) / 2"),
        ({"ignore": 9, "targets": "padded", "reduction": "sum"}, SURE, "ln(2)"),
        ({"P_true": "SURE"}, LOGITS | {"SURE": SURE["P"]}, "-total(SURE * log(softmax(logits))) / 3"),
        ({"P_true": "P"}, SURE, "(3/2 * ln(2) + ln(2)) / 3"),
        ({"smoothing": 0.1, "smooth_over": "others"}, LOGITS,
         "-total((0.9 * one_hot(targets, 4) + 0.1 / 3 * (1 - one_hot(targets, 4))) * log(softmax(logits))) / 3"),
    ],
)  # fmt: skip
def test_cross_entropy_is_its_formula(options, givens, formula):
    problem = {"given": givens | {"targets": [0, 0, 2], "padded": [0, 0, 9]}}
    loss = step(problem | {"cross_entropy": options}, "loss")
    assert loss == last(problem | {"steps": {"loss": formula}})


def test_cross_entropy_reads_the_logits_it_is_told_to_read():
    steps = {
        "sharp": {"cross_entropy": {"logits": "2 * logits"}},
        "written": "cross_entropy(softmax(2 * logits), targets)",
    }
    solution = solve(load({"given": LOGITS | {"targets": [0, 0, 2]}, "next_word": {}, "steps": steps}))
    assert solution["sharp.loss"].decimals(20) == solution["written"].decimals(20)


def test_a_fault_in_a_sublesson_is_told_once():
    with pytest.raises(AttncalcError) as caught:
        load({"given": {name: value for name, value in TOKENS.items() if name != "W_1"}, "encoder": {"layers": 2}})
    told = [fault.message.partition(",")[0] for fault in caught.value.faults]
    assert told == ["layer1.ffn: feed_forward needs W_1", "layer2.ffn: feed_forward needs W_1"]
