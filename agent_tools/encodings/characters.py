"""Where a character of a text ends, and what to do with half a one.

A lone surrogate has no UTF-8 form; tiktoken counts it as U+FFFD, and so does everything here.
"""

from __future__ import annotations

import re

_PAIRS = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SLICE = 1 << 20
# code points of one visible character looked at: a family emoji has 11, a hostile stack of accents any number
_LONGEST_CLUSTER = 32

_ZERO_WIDTH_JOINER = "\u200d"


def repaired(text: str) -> str:
    """Give the text as it would be sent: surrogate pairs joined, lone surrogates as U+FFFD.

    The same object when there is nothing to repair.

    Example:
        >>> repaired("ok \\ud83d") == "ok \\ufffd"
        True
    """
    if text.isascii() or _is_encodable(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def original_end(text: str, end: int) -> int:
    """Say where `repaired(text)[:end]` ends in the text itself, where a surrogate pair takes two places."""
    for pair in _PAIRS.finditer(text):
        if pair.start() >= end:
            break
        end += 1
    return end


def whole_end(text: str, end: int) -> int:
    """Move an end backwards so that no visible character is cut, at most 32 code points.

    Covers combining marks, variation selectors, joined emoji, skin tones, flags and CR LF.

    Example:
        >>> whole_end("cafe\\u0301", 4)
        3
    """
    at = end
    while 0 < at < len(text) and end - at < _LONGEST_CLUSTER and _is_inside(text, at):
        at -= 1
    # still inside: no such character exists outside hostile text, keep what fits
    return end if 0 < at < len(text) and _is_inside(text, at) else at


def _is_encodable(text: str) -> bool:
    try:
        for start in range(0, len(text), _SLICE):
            text[start : start + _SLICE].encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_inside(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if after.isascii():
        return after == "\n" and before == "\r"
    return (
        before == _ZERO_WIDTH_JOINER
        or _is_extending(after)
        or (_is_flag_half(after) and _is_flag_half(before) and _flag_halves_before(text, at) % 2 == 1)
    )


def _is_extending(character: str) -> bool:
    import unicodedata

    return (
        character in "\u200c\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags: the flag of Scotland
        or unicodedata.category(character)[0] == "M"
    )


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return at - start
