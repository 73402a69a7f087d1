"""Published models counted whole, against the totals of their authors' files, and what training them takes."""

from __future__ import annotations

from attncalc import load, solve
from attncalc.lessons.parameter_and_operation_counts import PRESETS
from tests.support.sweeps import for_each

# As `sum(p.numel() for p in model.parameters())` finds them in the published models; the first two are nn.Transformer's
# layers without final norms and one shared table of 37,000 words, which the paper rounds to 65 and 213 million.
PUBLISHED = {
    "transformer_base": 63_082_496, "transformer_big": 214_245_376,
    "bert_base": 109_482_240, "bert_large": 335_141_888,
    "gpt2": 124_439_808, "gpt2_medium": 354_823_168, "gpt2_large": 774_030_080, "gpt2_xl": 1_557_611_200,
    "llama_7b": 6_738_415_616, "llama3_8b": 8_030_261_248, "vit_b16": 86_567_656,
}  # fmt: skip


def total(options, given=None):
    return int(
        solve(load({"given": given or {"nothing": 0}, "count_parameters": options})).parts[0]["total"].decimals(0)[0][0]
    )


def test_every_preset_is_published():
    assert {name: preset.total for name, preset in PRESETS.items()} == PUBLISHED


@for_each("name", PUBLISHED)
def test_a_published_model_has_its_published_total(name):
    assert total({"preset": name}) == PUBLISHED[name]


def test_what_the_file_states_comes_before_the_preset():
    assert total({"preset": "gpt2"}, {"layers": 0 + 13}) - PUBLISHED["gpt2"] == 7_087_872
    assert total({"preset": "bert_base", "pooler": "false"}) == PUBLISHED["bert_base"] - 768 * 769
    assert total({"preset": "llama3_8b", "kv_heads": "32"}) - PUBLISHED["llama3_8b"] == 32 * 2 * 4096 * (32 - 8) * 128


def value(lesson, given, name, options=None):
    return solve(load({"given": given, lesson: options or {}})).parts[0][name].decimals(3)[0][0]


def test_operations_and_time_of_training():
    """GPT-3: 3.14e23 operations for 175 billion parameters and 300 billion tokens (Brown et al. 2020, table D.1)."""
    given = {
        "parameters": 174_600_000_000,
        "tokens": 300_000_000_000,
        "speed": "312e12",
        "devices": 1024,
        "utilization": "0.5",
    }
    assert value("training_operations", given, "flops")[:4] == "3142"
    assert value("training_operations", given, "days") == "22.771"  # 3.1428e23 / (312e12 · 1024 · 0.5) / 86400


def test_memory_of_training():
    """16 bytes a parameter (Rajbhandari et al. 2020): 120 GB for 7.5 billion; activations as Korthikanti et
    al. 2022.
    """
    assert value("training_memory", {"parameters": 7_500_000_000}, "GB") == "120.000"
    given = {"parameters": 1, "layers": 2, "tokens": 8, "d_model": 16, "heads": 2, "batch": 4}
    assert value("training_memory", given, "activations") == str(2 * 4 * 8 * (34 * 16 + 5 * 2 * 8)) + ".000"
