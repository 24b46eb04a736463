"""What the readings of columns share: a column, an odd row, and how values are said. A part of `budget`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SAMPLE = 512  # values from which the middle and the spread of a column are taken
FAR = 6.0  # robust z-score from which a value is called far off
MAX_VALUE = 40


@dataclass(frozen=True, slots=True)
class Odd:
    """A row that a reader needs: how much (0 to 100), which, and why.

    Attributes:
        inside: What in the row it is for: an entry of a list in it, an entry of a list in that.
    """

    score: float
    row: int
    why: str
    inside: tuple[Any, ...] = ()


@dataclass(slots=True)
class Column:
    """What one column holds."""

    name: str
    said: str = ""  # its statistics in words
    odd: list[Odd] = field(default_factory=list)
    interest: float = 0.0


def label(name: str) -> str:
    """Return how a column is called in a sentence."""
    return name or "value"


def center_of(sample: list[Any]) -> tuple[float, float]:
    """Return the median and 1.4826 times the median absolute deviation, never zero."""
    ordered = sorted(sample)
    center = float(ordered[len(ordered) // 2])
    distances = sorted(abs(value - center) for value in ordered)
    spread = 1.4826 * distances[len(distances) // 2]
    if not spread:
        # more than half are the same: the mean deviation still tells how the others spread
        spread = 1.2533 * sum(distances[: max(1, int(len(distances) * 0.95))]) / len(distances)
    return center, spread or abs(center) * 0.05 or 1.0


def show(value: Any) -> str:
    """Write a value inside a sentence, clipped.

    Example:
        >>> show(True), show(2.0), show("FAILED"), show("a" * 50) == "a" * 40
        ('true', '2.0', 'FAILED', True)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"
    text = value if isinstance(value, str) else repr(value)
    return " ".join(text.split())[:MAX_VALUE] if text.strip() else repr(text[:3])
