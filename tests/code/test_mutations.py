"""The bench of mutations: what its tables name is still there."""

import pytest

from tests.bench.ablation import rules
from tests.bench.mutants import NAMED, File, equivalent


@pytest.mark.slow
def test_every_change_that_is_named_or_called_equivalent_can_still_be_made():
    for file in sorted({row[0] for row in NAMED}):
        assert len(File(file).named) == sum(row[0] == file for row in NAMED)
    gone = equivalent()
    for file in sorted({name[0] for name in gone}):
        gone -= {mutant.name for mutant in File(file).mutants}
    assert not gone


def test_every_rule_of_the_ablation_can_still_be_switched_off():
    for rule in rules():
        compile(rule.changed_source(), rule.file, "exec")
