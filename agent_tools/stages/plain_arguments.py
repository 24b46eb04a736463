"""Describe the arguments of a call as plain data without touching them.

In:   arguments by name, before redaction: any objects.
Out:  plain JSON data; what JSON can't hold is named by its type. Nothing is drained, so that an iterator
      that is an argument reaches the function whole.
Cost: as `plain_data`; plain arguments come back as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agent_tools.result import Json
from agent_tools.stages.plain_kinds import HANDLERS
from agent_tools.stages.plain_look import is_plain
from agent_tools.stages.plain_walk import Refused, Walk


def describe_arguments(arguments: Mapping[str, Any]) -> Json:
    """Return arguments as plain data.

    Example:
        >>> describe_arguments({"city": "Rome", "rows": iter([1, 2]), "hook": print})
        {'city': 'Rome', 'rows': '<list_iterator>', 'hook': '<unprintable builtin_function_or_method>'}
    """
    if is_plain(arguments):
        return dict(arguments)
    return _Describing(HANDLERS, max_rows=1).plain(dict(arguments))


class _Describing(Walk):
    """A walk that puts a name in the place of what it can't or must not read."""

    __slots__ = ()

    def plain(self, value: object) -> Json:
        try:
            return super().plain(value)
        except Refused:
            return f"<unprintable {type(value).__name__}>"

    def drawn_from(
        self, rows: Iterable[object], total: int | None = None, turn: Callable[[Any], object] = bool
    ) -> Json:
        return f"<{type(rows).__name__}>"
