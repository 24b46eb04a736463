"""Which fields of an object to show, and how much of each. A part of `budget`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agent_tools.columns import rows_of_columns
from agent_tools.result import Json
from agent_tools.stages.summaries_text import has_word
from agent_tools.stages.summaries_words import look_of

K = TypeVar("K")

MIN_MAP = 20
MAX_READ = 400  # fields of an object, and characters of each, in which error words are looked for
MOST_FAR = 0.125  # of the numbers of an object
SHORT_CELL = 80  # characters of a cell that are worth more than a part of another one
# what tells how a value as a whole stands: kept before anything else
FIRST_KEYS = re.compile(
    r"(?i)^(operation_?id|id|status|state|ok|success|outcome|result_?code|code|errors?|message|total.*|.*_?count|count"
    r"|.*cursor|next.*|has_?(more|next.*)|page_?info|warnings?)$"
)
# of an action, what tells which operation it was and how it ended; in this order
OPERATION = re.compile(
    r"(?i)^(operation|op|request|job|task|transaction|run|execution|change|message|event)_?id$|^id$"
)
OUTCOME = re.compile(r"(?i)^(outcome|status|state|result|ok|success|done|applied|accepted|errors?|message)$")


@dataclass(slots=True)
class Report:
    """What was left out and what was kept on purpose while showing a value."""

    cut: list[dict[str, Any]] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)

    def note(self, path: str, shown: int, total: int) -> None:
        """List a place where less is shown than there is."""
        self.cut.append({"path": path, "shown": shown, "total": total})


def fair_shares(sizes: Mapping[K, int], room: int) -> dict[K, int]:
    """Divide room so that nobody gets more than asked and the smallest share is as large as it can be.

    Example:
        >>> fair_shares({"a": 10, "b": 500, "c": 500}, 210)
        {'a': 10, 'b': 100, 'c': 100}
    """
    shares: dict[K, int] = {}
    left, open_ = max(room, 0), len(sizes)
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        shares[key] = min(size, left // open_)
        left -= shares[key]
        open_ -= 1
    return shares


def share_out(sizes: Mapping[K, int], room: int, show: Callable[[K, int], int]) -> None:
    """Show parts in fair shares; what one leaves over goes to those after it.

    So equal parts do not all grow at the same room, and a search finds a text between two sizes.

    Args:
        sizes: Characters that each part would take whole.
        room: Characters for all of them.
        show: Shows a part in a share; returns the characters that it took.
    """
    left, open_ = max(room, 0), len(sizes)
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        left = max(left - show(key, min(size, left // open_)), 0)
        open_ -= 1


def place_in_action(key: str, item: Json) -> int:
    """Return where a field of an action's result stands: 0 its operation, 1 its outcome, 2 what holds them.

    Example:
        >>> reply = {"note": "x", "jobId": "j-1", "state": "DONE", "data": {"status": "ok"}}
        >>> [place_in_action(*field) for field in reply.items()]
        [3, 0, 1, 2]
    """
    if not isinstance(item, dict | list):
        return 0 if OPERATION.match(key) else 1 if OUTCOME.match(key) else 3
    return 2 if isinstance(item, dict) and any(place_in_action(*field) < 3 for field in item.items()) else 3


def rank_keys(value: Mapping[str, Json], asked: Mapping[str, Json], is_action: bool = False) -> list[str]:
    """Order the fields of one object: the asked ones, how it stands, the odd ones, then as they come.

    Example:
        >>> rank_keys({**{f"c{i}": "some words" for i in range(9)}, "x": "SUSPENDED", "status": "ok"}, {})[:2]
        ['status', 'x']
    """
    looks = {key: _look(item) for key, item in value.items()}
    counts = Counter(looks.values())
    odd = _far_numbers(value) | _failing_texts(value)

    def weight(key: str) -> tuple[float, ...]:
        first = 0 if key in asked else 1 if FIRST_KEYS.match(key) else 2
        if is_action:
            first += 3 * place_in_action(key, value[key])
        return (first, -(key in odd), counts[looks[key]])

    return sorted(value, key=weight)


def _look(item: Json) -> str:
    return look_of(item) if isinstance(item, str) else type(item).__name__


def _far_numbers(value: Mapping[str, Json]) -> set[str]:
    numbers = {k: v for k, v in value.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    if len(numbers) < 8:
        return set()
    ordered = sorted(numbers.values())
    center = ordered[len(ordered) // 2]
    try:
        spread = sorted(abs(number - center) for number in ordered)[len(ordered) // 2] or 1
        far = {key for key, number in numbers.items() if abs(number - center) / spread > 8}
    except OverflowError:
        return set()
    # of fields in different units many are far from the middle
    return far if len(far) <= len(numbers) * MOST_FAR else set()


def _failing_texts(value: Mapping[str, Json]) -> set[str]:
    if len(value) > MAX_READ:
        return set()
    return {key for key, item in value.items() if isinstance(item, str) and has_word(item[:MAX_READ])}


def map_rows(value: Mapping[str, Json]) -> list[Json] | None:
    """Return a map of like values as records, and an object of columns as rows.

    Example:
        >>> map_rows({f"u{i}": {"n": i} for i in range(30)})[1]
        {'key': 'u1', 'n': 1}
    """
    if (rows := rows_of_columns(value)) is not None:
        return rows  # type: ignore[return-value]  # a list of objects is a list
    if len(value) < MIN_MAP or not _are_like(value):
        return None
    column = "key"
    while any(isinstance(item, dict) and column in item for item in value.values()):
        column = "_" + column
    return [
        {column: key, **item} if isinstance(item, dict) else {column: key, "value": item}
        for key, item in value.items()
    ]


def _are_like(value: Mapping[str, Json]) -> bool:
    items = list(value.values())[:: max(1, len(value) // 200)]
    kinds = Counter(
        dict if isinstance(item, dict) else list if isinstance(item, list) else str for item in items
    )
    kind, count = kinds.most_common(1)[0]
    if count < 0.9 * len(items):
        return False
    if kind is dict:
        fields = Counter(key for item in items if isinstance(item, dict) for key in item)
        shared = sum(1 for number in fields.values() if number >= 0.5 * len(items))
        return shared >= 0.5 * max(1.0, sum(fields.values()) / len(items))
    scalars = Counter(type(item) for item in items)
    # a record of many fields mixes numbers and texts; a map holds one kind
    return kind is list or scalars.most_common(1)[0][1] >= 0.9 * len(items)
