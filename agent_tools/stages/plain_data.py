"""Turn any Python value into strict, plain JSON data.

In:   any value.
Out:  dict with text keys, list, str, int, finite float, bool, None, of exactly these types, at most 100
      levels deep, encodable as UTF-8; and notes on what was lost, cut, hidden or marked. Plain data
      comes back as the same object; plain parts of other data are shared, not copied.
Raises: ToolError(UNSERIALIZABLE_RESULT) that names path and type; never a repr, never an address.
Cost: plain data 0.1 us per value, a third of json.dumps; many rows of one shape, of dates and amounts too,
      twice a json.dumps; else about 0.5 us per value.

What becomes what, beyond the obvious (tables in `plain_kinds`, `plain_values`, `plain_records`,
`plain_frames`):

- tuple, deque, array, range: list. A set: list in a fixed order. An iterator or cursor: list of at most
  `max_rows`, closed afterwards.
- NaN and infinity: null. Half a surrogate pair: U+FFFD. An integer of more than 4300 digits: hexadecimal
  text. All three are noted as lossy.
- keys: None, true, numbers as json writes them; `("EU", 2030)` as `EU|2030`; bytes as text. A name that is
  taken gets a number: `1` and `1#2`.
- exceptions: `{"type", "message"}`. An object met inside itself: null, noted as cut.

A type of your own: `register("module.Class", function)`, or an entry point of the same form in the group
`agent_tools.plain_data`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent_tools.result import Json
from agent_tools.stages.plain_kinds import HANDLERS, register_name
from agent_tools.stages.plain_look import is_plain
from agent_tools.stages.plain_notes import Notes
from agent_tools.stages.plain_walk import Refused, Walk

__all__ = ["Notes", "Refused", "is_plain", "plain_data", "register"]


def plain_data(value: object, *, max_rows: int = 100_000) -> tuple[Json, Notes | None]:
    """Return a value as plain JSON data, and the notes taken; None when it was plain already.

    Args:
        value: Anything. It is not changed; iterators inside are drained and closed.
        max_rows: Most rows drawn from one iterator.

    Raises:
        ToolError: UNSERIALIZABLE_RESULT, a part has no form in JSON.

    Example:
        >>> from decimal import Decimal
        >>> data, notes = plain_data({"total": Decimal("1.10"), ("EU", 2030): {3, 1}, "rate": float("nan")})
        >>> data
        {'total': '1.10', 'EU|2030': [1, 3], 'rate': None}
        >>> notes.lossy.texts()
        ['$.rate']
    """
    if is_plain(value):
        return value, None  # type: ignore[return-value]  # is_plain has just proved it
    walk = Walk(HANDLERS, max_rows)
    return walk.plain(value), walk.notes


def register(name: str, turn: Callable[[Any], object]) -> None:
    """Say what the instances of a class, and of its subclasses, become; builtins cannot be changed.

    Args:
        name: The class as `module.Class` or `package.Class`; it need not be imported.
        turn: Returns something simpler: any value that is itself understood.

    Example:
        >>> class Money:
        ...     def __init__(self, cents): self.cents = cents
        >>> register(f"{Money.__module__}.Money", lambda money: {"cents": money.cents})
        >>> plain_data([Money(5)])[0]
        [{'cents': 5}]
    """
    register_name(name, turn)
