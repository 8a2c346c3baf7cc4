"""What may be said of input that cannot be used: an error of ours, whose message is a sentence and a hint."""

from __future__ import annotations

import re

__all__ = ["Fault", "check_sentence"]

LONGEST = 2_000
# What nobody wants to read in a message: a place in memory, the inside of Python, an empty name.
_LEAKS = re.compile(r"0x[0-9a-f]{8,}|Traceback|NoneType' object")


class Fault(AssertionError):
    """What was made of input is wrong, or what was said of it cannot be read."""


def check_sentence(message: str, of: str = "error") -> None:
    """Refuse a message that is empty, endless, no sentence, or shows the inside of Python."""
    lines = message.split("\n")
    if not message.strip() or len(message) > LONGEST or len(lines) > 8:
        raise Fault(f"a message of {len(message)} letters on {len(lines)} lines, {of}: {message[:200]!r}")
    if message.rstrip()[-1] not in ".?!…)'":
        raise Fault(f"a message that is no sentence, {of}: {message[:300]!r}")
    if _LEAKS.search(message):
        raise Fault(f"a message that shows the inside of Python, {of}: {message[:300]!r}")
