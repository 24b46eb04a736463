"""What was lost, cut, hidden or marked while a value became plain data, by path and bounded.

A part of `plain_data`. Paths are JSONPath text: `$.rows[3].city`; `[*]` stands for any index.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent_tools.audiences import Marks, add_marks

# The part of a path that stands for any member: sets have no positions, and patterns name columns.
ANY_INDEX = -1
PathParts = Sequence[int | str]
MarksByPath = dict[tuple[str, ...], dict[str, list[str]]]

MAX_PATHS = 20


def path_text(parts: PathParts) -> str:
    """Return the JSONPath of a place.

    Example:
        >>> path_text(["rows", 3, "city"])
        '$.rows[3].city'
        >>> path_text(["by day", ANY_INDEX])
        '$["by day"][*]'
    """
    return "$" + "".join(_part_text(part) for part in parts)


def _part_text(part: int | str) -> str:
    if isinstance(part, int):
        return "[*]" if part == ANY_INDEX else f"[{part}]"
    return f".{part}" if part.isidentifier() else f"[{json.dumps(part, ensure_ascii=False)}]"


class Places:
    """Count places; keep the first ones exactly and all of them by column.

    A million NaN in one column are one entry, `$.rows[*].price (1000000 values)`: the list goes into
    `meta`, where every token counts.

    Example:
        >>> places = Places()
        >>> for row in range(1000):
        ...     places.add(["rows", row, "price"])
        >>> places.texts()
        ['$.rows[*].price (1000 values)']
    """

    __slots__ = ("columns", "exact", "total")

    def __init__(self) -> None:
        self.total = 0
        self.exact: list[tuple[int | str, ...]] = []
        self.columns: dict[tuple[int | str, ...], int] = {}

    def add(self, parts: PathParts) -> None:
        """Count one place."""
        self.total += 1
        if len(self.exact) < MAX_PATHS:
            self.exact.append(tuple(parts))
        column = tuple([ANY_INDEX if type(part) is int else part for part in parts])
        if column in self.columns or len(self.columns) < MAX_PATHS:
            self.columns[column] = self.columns.get(column, 0) + 1

    def counts(self) -> list[tuple[str, int]]:
        """Return at most 20 paths with the number of places each stands for; `$..*` for those left over."""
        if self.total <= MAX_PATHS:
            return [(path_text(parts), 1) for parts in self.exact]
        shown = dict(list(self.columns.items())[: MAX_PATHS - 1])
        if len(shown) < len(self.columns) or sum(shown.values()) < self.total:
            return [
                *((path_text(parts), n) for parts, n in shown.items()),
                ("$..*", self.total - sum(shown.values())),
            ]
        return [(path_text(parts), n) for parts, n in shown.items()]

    def texts(self) -> list[str]:
        """Return `counts` as texts."""
        return [path if n == 1 else f"{path} ({n} values)" for path, n in self.counts()]


@dataclass(slots=True)
class Notes:
    """What a walk has to tell besides the data.

    Attributes:
        lossy: Places where a value became null or another text (NaN, half a surrogate pair).
        hidden: Places of values that are secret by their type (`SecretStr`).
        cuts: Places that were left out, by reason and size: `(why, shown, total)`.
        marks: Fields with a `visible_to` mark, by path pattern.
        total: All notes taken, to see whether a part of the walk took any.
    """

    lossy: Places = field(default_factory=Places)
    hidden: Places = field(default_factory=Places)
    cuts: dict[tuple[str, int, int | None], Places] = field(default_factory=dict)
    marks: MarksByPath = field(default_factory=dict)
    total: int = 0

    def lose(self, parts: PathParts) -> None:
        """Note a value that JSON cannot hold as it was."""
        self.total += 1
        self.lossy.add(parts)

    def hide(self, parts: PathParts) -> None:
        """Note a value that is secret by its type."""
        self.total += 1
        self.hidden.add(parts)

    def leave_out(self, parts: PathParts, why: str, shown: int = 0, total: int | None = None) -> None:
        """Note a part that was left out: `why` is `cycle`, `depth`, `repeated`, `max_rows` or `bytes`."""
        self.total += 1
        # an own reason for each size would be unbounded; the rest of a kind share one without sizes
        reason = (why, shown, total) if len(self.cuts) < MAX_PATHS else (why, 0, None)
        self.cuts.setdefault(reason, Places()).add(parts)

    def mark(self, parts: PathParts, marks: Marks) -> None:
        """Note the marks of a record; where several types meet, a field's stricter mark wins."""
        self.total += 1
        pattern = tuple("*" if isinstance(part, int) else part for part in parts)
        add_marks(self.marks, pattern, marks)

    def cut_entries(self) -> list[dict[str, object]]:
        """Return the entries of `meta.cut`: `{path, shown, total, why}`, and `places` where it is many."""
        entries: list[dict[str, object]] = []
        for (why, shown, total), places in self.cuts.items():
            for path, number in places.counts():
                entry: dict[str, object] = {"path": path, "shown": shown, "total": total, "why": why}
                entries.append(entry | {"places": number} if number > 1 else entry)
        return entries[:MAX_PATHS]
