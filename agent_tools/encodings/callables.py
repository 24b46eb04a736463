"""A counter of the user's own: nothing is known about its tokens, so it is asked about growing heads.

Assumed is only that a text of twice the size has no fewer tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from agent_tools.encodings.characters import original_end, repaired, whole_end
from agent_tools.errors import InvalidSetting

_FIRST_HEAD = 1024  # characters; below, a call costs more than what it reads


@dataclass(frozen=True, slots=True)
class CalledTokens:
    """Counts by calling, on texts without lone surrogates (most tokenizers refuse those).

    Example:
        >>> CalledTokens(len).prefix("some words", 4)
        'some'
    """

    function: Callable[[str], int]

    def count(self, text: str) -> int:
        """Count the whole text."""
        return self._ask(repaired(text))

    def capped(self, text: str, limit: int) -> int:
        """Count up to a limit: `limit + 1` stands for more."""
        size = _first_head(limit)
        # what is left is as large as the head, so a head over the limit decides
        while 2 * size < len(text):
            if self.count(text[:size]) > limit:
                return limit + 1
            size *= 4
        return min(self.count(text), limit + 1)

    def fits(self, text: str, limit: int) -> bool:
        """Say whether the text has at most `limit` tokens."""
        return self.capped(text, limit) <= limit

    def prefix(self, text: str, limit: int) -> str:
        """Cut the text to at most `limit` tokens, by bisection."""
        fixed = repaired(text)
        low, high = self._bracket(fixed, limit)
        if high > len(fixed):
            return text
        while high - low > 1:
            middle = (low + high) // 2
            tokens = self._ask(fixed[:middle])
            if tokens > limit:
                high = middle
                continue
            low = middle
            if tokens == limit:
                break
        end = whole_end(fixed, low)
        if end < low and self._ask(fixed[:end]) > limit:
            end = low
        return text[: original_end(text, end)]

    def _bracket(self, text: str, limit: int) -> tuple[int, int]:
        """Give a size that fits and one that does not, the latter past the end when all of it fits."""
        low, high = 0, min(_first_head(limit), len(text))
        while self._ask(text[:high]) <= limit:
            if high == len(text):
                return high, high + 1
            low, high = high, min(2 * high, len(text))
        return low, high

    def _ask(self, text: str) -> int:
        tokens = self.function(text)
        try:
            return math.ceil(tokens)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidSetting(
                f"the token counter {self.function!r} gave {tokens!r}; expected a number of tokens"
            ) from error


def _first_head(limit: int) -> int:
    return max(4 * limit, _FIRST_HEAD)  # about four characters to a token
