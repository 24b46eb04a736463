"""Find the largest room whose text fits. A part of `budget`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

MAX_TRIES = 14
GOOD = 0.985  # of the budget: nearer is not worth another encoding
AIM = 0.993
MOST_GROWTH = 8


class Measured(Protocol):
    """Something whose tokens were counted."""

    @property
    def tokens(self) -> int:
        """Tokens of its text, exact up to twice the budget."""
        ...

    @property
    def whole(self) -> bool:
        """Nothing is left to show."""
        ...


M = TypeVar("M", bound=Measured)


def largest(build: Callable[[int], M], budget: int, start: int, floor: int) -> M | None:
    """Return the best try within `budget`, None when even the smallest is over it.

    Secant steps between the largest room known to fit and the smallest known not to: three to five
    tries, each O(budget). Tokens need not grow steadily with the room; every try is counted.

    Args:
        build: Makes and counts the text for a room in characters.
        budget: Tokens that the text may have.
        start: Room of the first try.
        floor: Tokens of a text with no room at all.
    """
    best: M | None = None
    low, low_tokens = 0, floor
    high: int | None = None
    high_tokens = 0
    room = max(start, 2)
    for step in range(MAX_TRIES):
        tried = build(room)
        if tried.tokens <= budget:
            if best is None or tried.tokens >= best.tokens:
                best = tried
            low, low_tokens = room, max(low_tokens, tried.tokens)
            if tried.whole or tried.tokens >= GOOD * budget:
                break
        else:
            high, high_tokens = room, tried.tokens
        if high is not None and high - low <= max(2, low // 150):
            break
        if high is None:
            room = _farther(AIM * budget - floor, low, low_tokens - floor)
        else:
            room = _between(AIM * budget - low_tokens, low, low_tokens, high, high_tokens, step)
    return best


def _farther(wanted: float, low: int, low_tokens: int) -> int:
    # what comes after many blanks, of which 128 are a token, may be dense
    room = min(int(low * wanted / max(low_tokens, 1)), MOST_GROWTH * low)
    return max(room, int(low * 1.1), low + 8)


def _between(wanted: float, low: int, low_tokens: int, high: int, high_tokens: int, step: int) -> int:
    share = wanted / max(high_tokens - low_tokens, 1)
    # every third step halves, for texts whose tokens jump
    share = 0.5 if step % 3 == 2 else min(0.92, max(0.08, share))
    return min(max(low + int((high - low) * share), low + 1), high - 1)
