"""Say whether a call of the log can be made again: it must change nothing and be known whole.

In:   a row of the log.
Out:  why not, in words, or None.
Cost: some microseconds.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from agent_tools.calllog.reader import Row, get_text

# what stands in the log for an object that has no JSON form
_NAMED_ONLY = re.compile(r"<(?:unprintable )?[A-Za-z_][\w.]*>")


def why_not(row: Row) -> str | None:
    """Return why a call can't be made again; None when it can.

    Example:
        >>> why_not({"tool_kind": "action", "arguments": {}, "arguments_bytes": 2})
        'it is an action: making it again could change something again'
        >>> why_not({"tool_kind": "query", "arguments": {"n": 1}, "arguments_bytes": 7}) is None
        True
    """
    if get_text(row, "tool_kind") == "action" or row.get("side_effect") is True:
        return "it is an action: making it again could change something again"
    arguments = row.get("arguments")
    if not isinstance(arguments, dict):
        return "its arguments are not in the log (log_arguments)"
    if row.get("redacted"):
        return f"some of its arguments were hidden: {', '.join(map(str, row['redacted']))}"
    if not is_complete(arguments, row.get("arguments_bytes")):
        return "the log holds only a part of its arguments, or their shapes"
    if any(name.startswith("argument ") for name in arguments):
        return "it was called with arguments that its function does not take"
    unreadable = [name for name, value in arguments.items() if _is_unreadable(value)]
    if unreadable:
        return f"the log can't hold what these arguments were: {', '.join(unreadable)}"
    return None


def is_complete(arguments: dict[str, Any], size_bytes: object) -> bool:
    """Say whether logged arguments are the whole: their size is that of the whole.

    Example:
        >>> is_complete({"text": "aaa… (5000000 characters)"}, 5000011)
        False
    """
    return len(orjson.dumps(arguments)) == size_bytes


def _is_unreadable(value: Any) -> bool:
    return isinstance(value, str) and _NAMED_ONLY.fullmatch(value) is not None
