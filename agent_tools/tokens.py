"""Count tokens exactly, offline, and cut a text to a number of them.

    count           the whole text, exact
    count_capped    exact up to a limit, `limit + 1` for more; reads no more than the limit needs
    fits            whether a text has at most so many tokens; often decided by its size alone
    prefix          the longest beginning that has at most so many tokens
    make_counter    the same four for an encoding or a callable, with a safety margin

A token has at least one byte and at most 128 (in the bundled encodings), so a count lies between
`len(text) / 128` and the text's UTF-8 bytes. Text that looks like a special token (`<|endoftext|>`) is text.
Nothing is loaded before the first count; `warm()` loads early.

Cost (o200k_base): 0.13 ms for 2,000 characters; at 1,500 tokens 0.5 ms for a text of any
size, 12 ms for the worst (a DNA sequence, a run of blanks); 70 ms for each MB of an exact count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from agent_tools.encodings.callables import CalledTokens
from agent_tools.encodings.characters import original_end, repaired, whole_end
from agent_tools.encodings.loading import Loaded, check_name, find_encoding, is_loaded, longest_token
from agent_tools.encodings.segments import STRETCH, iter_segments
from agent_tools.errors import InvalidSetting

DEFAULT_ENCODING = "o200k_base"


def count(text: str, encoding: str = DEFAULT_ENCODING) -> int:
    """Count the tokens of a text, exactly.

    Example:
        >>> count("Two parrots <|endoftext|>")
        10
    """
    return _count(find_encoding(encoding), text)


def count_capped(text: str, limit: int, encoding: str = DEFAULT_ENCODING) -> int:
    """Count up to a limit: exact when at most `limit`, else `limit + 1`.

    Example:
        >>> count_capped("one two three", 10), count_capped("one two three " * 1_000_000, 10)
        (3, 11)
    """
    if len(text) > longest_token(encoding) * limit:
        return limit + 1
    found, tokens = find_encoding(encoding), 0
    for _, segment in iter_segments(found.encoding, found.pattern, repaired(text)):
        tokens += len(segment)
        if tokens > limit:
            return limit + 1
    return tokens


def fits(text: str, limit: int, encoding: str = DEFAULT_ENCODING) -> bool:
    """Say whether a text has at most `limit` tokens.

    Example:
        >>> fits("one two three", 3), fits("one two three", 2)
        (True, False)
    """
    # a character has at most 4 bytes, a token at least one
    if len(text) * (1 if text.isascii() else 4) <= limit:
        return True
    return count_capped(text, limit, encoding) <= limit


def prefix(text: str, limit: int, encoding: str = DEFAULT_ENCODING) -> str:
    """Give the longest beginning of a text with at most `limit` tokens, within a token or two.

    It ends on a whole character: no half surrogate pair, no letter without its accent, no half flag.

    Example:
        >>> prefix("one two three", 2)
        'one two'
    """
    if len(text) * 4 <= limit:
        return text
    found = find_encoding(encoding)
    # one character more than `limit` tokens can spell, so that a text that was cut here never fits
    head = text[: found.longest * max(limit, 0) + 1]
    fixed = repaired(head)
    end = _prefix_end(found, fixed, limit)
    return text if end is None else text[: end if fixed is head else original_end(head, end)]


def warm(encoding: str = DEFAULT_ENCODING) -> None:
    """Load an encoding now, about 0.35 s for o200k_base, so that the first count does not wait.

    Example:
        >>> warm("cl100k_base")
    """
    find_encoding(encoding)


def is_warm(encoding: str | Callable[[str], int]) -> bool:
    """Say whether a count would load nothing.

    Example:
        >>> warm("cl100k_base")
        >>> is_warm("cl100k_base"), is_warm(len)
        (True, True)
    """
    return not isinstance(encoding, str) or is_loaded(encoding)


def check_encoding(encoding: str | Callable[[str], int]) -> None:
    """Make sure that an encoding can be used, without the network and without loading a bundled one.

    Raises:
        InvalidSetting: When it is unknown, or not bundled and its file is not on this machine.

    Example:
        >>> check_encoding("cl100k_base")
        >>> check_encoding("gpt-4o")
        Traceback (most recent call last):
        agent_tools.errors.InvalidSetting: 'gpt-4o' is a model; its encoding is 'o200k_base'
    """
    if isinstance(encoding, str):
        check_name(encoding)
    elif not callable(encoding):
        raise InvalidSetting(
            f"expected the name of a tiktoken encoding or a callable text -> tokens, got {encoding!r}"
        )


class _Tokens(Protocol):
    def count(self, text: str) -> int: ...
    def capped(self, text: str, limit: int) -> int: ...
    def fits(self, text: str, limit: int) -> bool: ...
    def prefix(self, text: str, limit: int) -> str: ...


class Counter:
    """Counts in one encoding, with a margin for models whose tokenizer is not public.

    Attributes:
        name: The encoding's name, or the callable's.

    Example:
        >>> make_counter("o200k_base", margin=1.5).count("one two three")
        5
    """

    __slots__ = ("_margin", "_tokens", "name")

    def __init__(self, name: str, tokens: _Tokens, margin: float) -> None:
        self.name = name
        self._tokens = tokens
        self._margin = margin

    def count(self, text: str) -> int:
        """Count a whole text: its tokens times the margin, rounded up."""
        return math.ceil(self._tokens.count(text) * self._margin)

    def capped(self, text: str, limit: int) -> int:
        """Count up to a limit: `limit + 1` stands for more."""
        most = self._most(limit)
        tokens = self._tokens.capped(text, most)
        return limit + 1 if tokens > most else math.ceil(tokens * self._margin)

    def fits(self, text: str, limit: int) -> bool:
        """Say whether a text counts at most `limit`."""
        return self._tokens.fits(text, self._most(limit))

    def surely_fits(self, limit: int) -> int:
        """Give how long an ASCII text may be that surely counts at most `limit`.

        Example:
            >>> make_counter("o200k_base").surely_fits(800), make_counter(len).surely_fits(800)
            (800, 0)
        """
        return self._most(limit) if isinstance(self._tokens, _EncodedTokens) else 0

    def prefix(self, text: str, limit: int) -> str:
        """Give the beginning of a text that counts at most `limit`."""
        return self._tokens.prefix(text, self._most(limit))

    def _most(self, limit: int) -> int:
        """Give the most tokens that count at most `limit`."""
        if self._margin == 1.0:
            return limit
        most = math.floor(limit / self._margin)
        # the division rounds one way, the product in `count` another
        while math.ceil(most * self._margin) > limit:
            most -= 1
        while math.ceil((most + 1) * self._margin) <= limit:
            most += 1
        return most


def make_counter(encoding: str | Callable[[str], int], margin: float = 1.0) -> Counter:
    """Make a counter; nothing is loaded before it counts.

    Args:
        encoding: The name of a tiktoken encoding, or a callable that counts a text's tokens. The callable
            is asked about no more of a text than needed, and gets lone surrogates as U+FFFD.
        margin: Factor on every count, above 0. 1.1 leaves a tenth for a tokenizer that is not public.

    Example:
        >>> make_counter(len).prefix("some words", 4)
        'some'
    """
    if not 0 < margin < math.inf:
        raise InvalidSetting(f"token_margin {margin!r}; expected a factor above 0, like 1.1")
    if isinstance(encoding, str):
        return Counter(encoding, _EncodedTokens(encoding), margin)
    name = getattr(encoding, "__qualname__", type(encoding).__qualname__)
    return Counter(name, CalledTokens(encoding), margin)


@dataclass(frozen=True, slots=True)
class _EncodedTokens:
    encoding: str

    def count(self, text: str) -> int:
        return count(text, self.encoding)

    def capped(self, text: str, limit: int) -> int:
        return count_capped(text, limit, self.encoding)

    def fits(self, text: str, limit: int) -> bool:
        return fits(text, limit, self.encoding)

    def prefix(self, text: str, limit: int) -> str:
        return prefix(text, limit, self.encoding)


def _count(found: Loaded, text: str) -> int:
    if len(text) <= STRETCH:
        return len(found.encoding.encode_ordinary(text))
    return sum(len(tokens) for _, tokens in iter_segments(found.encoding, found.pattern, repaired(text)))


def _prefix_end(found: Loaded, text: str, limit: int) -> int | None:
    """Find where a text is to end; None when it has at most `limit` tokens."""
    start, before = 0, 0
    stretch: list[int] = []
    for begin, tokens in iter_segments(found.encoding, found.pattern, text):
        if begin != start:
            start, before, stretch = begin, before + len(stretch), []
        stretch += tokens
        if before + len(stretch) > limit:
            return _end_in_stretch(found, text, start, stretch[: max(limit - before, 0)])
    return None


def _end_in_stretch(found: Loaded, text: str, start: int, stretch: list[int]) -> int:
    """Find the end of the last whole character that these tokens of the text from `start` on spell."""
    for room in range(len(stretch), 0, -1):
        spelt = found.encoding.decode_bytes(stretch[:room])
        # not before `start`: what stands there is known to add up
        end = max(whole_end(text, start + len(spelt.decode(errors="ignore"))), start)
        # a text cut short may be split in another way at its end, and have a token more
        if _count(found, text[start:end]) <= len(stretch):
            return end
    return start
