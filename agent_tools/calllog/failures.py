"""Group failed calls by what failed and how.

In:   rows of calls, in any order.
Out:  one group for each tool, code and exception type, the most frequent first.
Cost: about 1 us a failed row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from agent_tools.calllog.reader import Row, get_text


@dataclass(slots=True)
class Failures:
    """Calls that failed alike.

    Attributes:
        tool, code, exception: What they have in common; `exception` names the type and those behind it.
        count: How many.
        first, last: When the first and the last of them ended.
        last_call_id, last_message, last_origin: Of the last of them.
        retryable: How many of them could have been tried again.
    """

    tool: str
    code: str
    exception: str
    count: int = 0
    first: str = ""
    last: str = ""
    last_call_id: str = ""
    last_message: str = ""
    last_origin: str = ""
    retryable: int = 0

    def add(self, row: Row) -> None:
        """Count one failed call."""
        ts = get_text(row, "ts")
        self.count += 1
        self.retryable += row.get("retryable") is True
        if not self.first or ts < self.first:
            self.first = ts
        if ts >= self.last:
            self.last = ts
            self.last_call_id = get_text(row, "call_id")
            self.last_message = get_text(row, "error_message")
            self.last_origin = get_text(row, "error_origin")

    def to_dict(self) -> dict[str, Any]:
        """Return the group as plain data."""
        return asdict(self)


def is_failure(row: Row) -> bool:
    """Say whether a call failed, broke off or was cancelled."""
    return row.get("status") in ("error", "cancelled") or bool(row.get("error_code"))


def name_exception(row: Row) -> str:
    """Name the type of the exception and of those behind it.

    Example:
        >>> name_exception({"error_class": "LookupError", "error_causes": ["FileNotFoundError"]})
        'LookupError < FileNotFoundError'
    """
    causes = row.get("error_causes")
    names = [get_text(row, "error_class"), *(causes if isinstance(causes, list) else ())]
    return " < ".join(str(name) for name in names if name)


def group_failures(rows: Iterable[Row]) -> list[Failures]:
    """Group the failed calls among rows.

    Example:
        >>> row = {"tool": "a", "status": "error", "error_code": "INTERNAL", "ts": "2026"}
        >>> [(group.code, group.count) for group in group_failures([row, row])]
        [('INTERNAL', 2)]
    """
    groups: dict[tuple[str, str, str], Failures] = {}
    for row in rows:
        if is_failure(row):
            key = (get_text(row, "tool"), get_text(row, "error_code"), name_exception(row))
            group = groups.get(key)
            if group is None:
                group = groups[key] = Failures(*key)
            group.add(row)
    return sorted(groups.values(), key=lambda group: (-group.count, group.tool, group.code, group.exception))
