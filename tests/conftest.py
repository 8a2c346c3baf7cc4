"""What all tests share: how many random tables are tried, and where the tests find their helpers.

Words: *profile* is a set of hypothesis settings. "ci", the default, tries the same tables each time, so that
a change and nothing else turns a test red; HYPOTHESIS_PROFILE=explore tries others, deep tries many more.
It holds no fixtures: helpers are plain functions in `support/`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

# The tests are not a package, so that each file can be run alone; their helpers are found by path.
sys.path.insert(0, str(Path(__file__).parent))

# Brute force is slow by design, and the time of one example says nothing: no deadline, no complaint.
SLOW_BY_DESIGN = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci",
    max_examples=100,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=SLOW_BY_DESIGN,
)
settings.register_profile("explore", settings.get_profile("ci"), derandomize=False)
settings.register_profile("deep", settings.get_profile("explore"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
