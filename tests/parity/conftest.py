"""The summary of the parity tests: how many trees were the same, the same up to ties, or listed as different.

A verdict is what a test recorded as the property `parity`; it travels in the reports, so that it also arrives
from other processes. Nothing is judged here.
"""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the verdicts, one line for each kind."""
    verdicts: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        properties = dict(getattr(report, "user_properties", []))
        if "parity" in properties:
            library = str(properties["parity"]).split(":")[0]
            verdicts[properties["parity"]] += 1
            numbers[f"{library}: nodes compared"] += properties["parity_nodes"]
            numbers[f"{library}: nodes with a tie"] += properties["parity_ties"]
    if verdicts:
        terminalreporter.section("parity")
        for verdict, count in sorted((verdicts + numbers).items()):
            terminalreporter.write_line(f"{verdict}: {count}")
