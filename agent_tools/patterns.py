"""Regular expressions that are compiled when they are first used: a large one takes a millisecond or more."""

from __future__ import annotations

import re
from typing import Any, cast

_PARTS = (
    "findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "pattern", "search",
    "split", "sub", "subn",
)  # fmt: skip


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what behaves as `re.compile(pattern, flags)`, and compiles at its first use.

    Example:
        >>> lazy_pattern(r"a+").findall("caat")
        ['aa']
    """
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._source)
        # kept on the object, so that this is asked once
        self.__dict__.update((part, getattr(compiled, part)) for part in _PARTS)
        return getattr(compiled, name)
