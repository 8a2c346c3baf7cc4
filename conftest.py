"""Settings for all tests and doctests: how many random tables to try, and closing figures after each test.

There are four Hypothesis profiles. "quick", the default, tries the same few tables every time, so only a
change can turn a test red. "thorough" tries more of them, in `make test-deep`. HYPOTHESIS_PROFILE=explore
tries other tables each time, and HYPOTHESIS_PROFILE=deep many more.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")  # there may be no screen

# A shell that starts the tests in the background has Ctrl-C ignored, which some of them press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Brute force is slow by design, and the time of one example says nothing: no deadline, no complaint.
SLOW_BY_DESIGN = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "quick",
    max_examples=20,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=SLOW_BY_DESIGN,
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)
settings.register_profile("explore", settings.get_profile("thorough"), derandomize=False)
settings.register_profile("deep", settings.get_profile("explore"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
