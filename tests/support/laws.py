"""How many examples hypothesis draws for a law: a share of them with `pytest` alone, all with `--hypothesis-profile
thorough`.

With `pytest` alone they are the same ones each time, so that a change is never blamed for what it did not touch; the
thorough profile looks at others each time.
"""

from __future__ import annotations

import sys
from zlib import crc32

from hypothesis import HealthCheck, core, settings

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
FEWEST = 4
QUICK = 10
# `derandomize` is named because hypothesis turns it on where the environment has CI: a CI drew other examples than we.
settings.register_profile(
    "quick", derandomize=False, database=None, max_examples=QUICK, deadline=None, suppress_health_check=SLOW
)
settings.register_profile("thorough", derandomize=False, max_examples=100, deadline=None, suppress_health_check=SLOW)
settings.load_profile("quick")


def is_quick() -> bool:
    return settings.default.max_examples == QUICK and core.global_force_seed is None


def without_words_of_the_program() -> None:
    """Leaves the numbers and words of the program's own text out of the examples.

    Which of them hypothesis finds depends on the modules that happen to be imported, so that the examples would be
    others in each process and after each change; and to look for them takes seconds.
    """
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


def draw_as_ever(test: str) -> None:
    """The examples of a test follow from its name. (`derandomize` digests the text of each test, which takes seconds in
    all.)
    """
    core.global_force_seed = crc32(test.encode())


def examples(most: int, **more) -> settings:
    """So many examples with the thorough profile, a tenth of them with the quick one; any time, however
    long one takes.
    """
    return settings(max_examples=max(FEWEST, most * settings.default.max_examples // 100), deadline=None, **more)


def each_case(most: int = 100, **more) -> settings:
    """The same for a law that is tried on each of many cases, such as every operation: of each the fewest with the
    quick profile.
    """
    return examples(most if settings.default.max_examples > QUICK else FEWEST, **more)
