"""Two tables of the lecture notes, small enough to check every figure on paper.

CUSTOMERS are nine people in three classes; PLAY_TENNIS are fourteen days, with yes or no.
"""

from __future__ import annotations

from typing import Any, Final

_CUSTOMER_ROWS = [
    (3, 1, 50.6, "w2"),
    (2, 3, 72.8, "w1"),
    (3, 5, 88.7, "w3"),
    (2, 2, 102.2, "w2"),
    (5, 5, 92.3, "w2"),
    (3, 4, 65.3, "w2"),
    (2, 3, 67.8, "w1"),
    (7, 1, 47.8, "w3"),
    (2, 3, 45.6, "w1"),
]

_TENNIS_ROWS = [
    ("sunny", "hot", "high", "weak", "no"),
    ("sunny", "hot", "high", "strong", "no"),
    ("overcast", "hot", "high", "weak", "yes"),
    ("rain", "mild", "high", "weak", "yes"),
    ("rain", "cool", "normal", "weak", "yes"),
    ("rain", "cool", "normal", "strong", "no"),
    ("overcast", "cool", "normal", "strong", "yes"),
    ("sunny", "mild", "high", "weak", "no"),
    ("sunny", "cool", "normal", "weak", "yes"),
    ("rain", "mild", "normal", "weak", "yes"),
    ("sunny", "mild", "normal", "strong", "yes"),
    ("overcast", "mild", "high", "strong", "yes"),
    ("overcast", "hot", "normal", "weak", "yes"),
    ("rain", "mild", "high", "strong", "no"),
]

CUSTOMERS: Final[list[dict[str, Any]]] = [
    dict(zip(("job", "goods", "weight"), row[:3], strict=True)) for row in _CUSTOMER_ROWS
]
CUSTOMER_CLASSES: Final[list[str]] = [row[3] for row in _CUSTOMER_ROWS]

# All jobs and goods of the survey, including those that none of the nine people chose.
CUSTOMER_LEVELS: Final[dict[str, tuple[int, ...]]] = {"job": (1, 2, 3, 4, 5, 6, 7), "goods": (1, 2, 3, 4, 5)}

PLAY_TENNIS: Final[list[dict[str, Any]]] = [
    dict(zip(("outlook", "temperature", "humidity", "wind"), row[:4], strict=True)) for row in _TENNIS_ROWS
]
PLAY: Final[list[str]] = [row[4] for row in _TENNIS_ROWS]
