"""How many examples hypothesis draws for a law: a share of them with `pytest` alone, all with `--hypothesis-profile thorough`.

With `pytest` alone they are the same ones each time, so that a change is never blamed for what it did not touch; the thorough profile
looks at others each time.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
FEWEST = 4
QUICK = 10
settings.register_profile("quick", derandomize=True, max_examples=QUICK, deadline=None, suppress_health_check=SLOW)
settings.register_profile("thorough", max_examples=100, deadline=None, suppress_health_check=SLOW)
settings.load_profile("quick")


def examples(most: int, **more) -> settings:
    """So many examples with the thorough profile, a tenth of them with the quick one; any time, however long one takes."""
    return settings(max_examples=max(FEWEST, most * settings.default.max_examples // 100), deadline=None, **more)


def each_case(most: int = 100, **more) -> settings:
    """The same for a law that is tried on each of many cases, such as every operation: of each the fewest with the quick profile."""
    return examples(most if settings.default.max_examples > QUICK else FEWEST, **more)
