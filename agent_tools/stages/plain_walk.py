"""Walk a value to its plain data: places, cycles, depth, names, rows drawn from iterators.

A part of `plain_data`. What each type becomes is not decided here but by the handlers that a walk is given.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from operator import is_
from typing import Any

from agent_tools.columns import BLOCK, MANY
from agent_tools.errors import ErrorCode, ToolError
from agent_tools.result import Json
from agent_tools.stages.plain_columns import Row, plain_rows
from agent_tools.stages.plain_look import MAX_DEPTH, is_encodable, is_plain
from agent_tools.stages.plain_notes import ANY_INDEX, Notes, path_text
from agent_tools.stages.plain_records import UNSET, RecordPlan

# values that may come from showing the same object again; ten lists of each other make 2 ** 10 of one
MAX_REPEATED = 4_000_000
# a value opened into another value opened into another ... is no data
MAX_HOPS = 8

MAX_COMMON_INT = 1 << 62

MAX_TRIES = 3  # of blocks that turn out to be no rows of one shape, in one list

# what to do about objects of an ORM that can't load their fields any more
_IN_SESSION = "return it while its session is open, or make the session with expire_on_commit=False"
ADVICE = {"DetachedInstanceError": _IN_SESSION, "MissingGreenlet": _IN_SESSION}

Handler = Callable[["Walk", Any], Json]


_ONE_STEP = (ANY_INDEX,)


def _same(row: object) -> object:
    return row


class Refused(ToolError):
    """A part of a value has no form in JSON."""

    code = ErrorCode.UNSERIALIZABLE_RESULT


class Walk:
    """One value on its way to plain data: where it is, what it has met, what it has noted."""

    __slots__ = (
        "active",
        "handlers",
        "height",
        "hops",
        "known",
        "left",
        "max_rows",
        "notes",
        "repeated",
        "size",
        "trail",
    )

    def __init__(self, handlers: Mapping[type, Handler], max_rows: int) -> None:
        self.handlers = handlers
        self.notes = Notes()
        self.trail: list[int | str] = []
        self.active: set[int] = set()
        self.max_rows = max_rows
        # of all iterators together: an iterator of iterators of iterators must end, too
        self.left = 10 * max_rows
        self.hops = 0
        # of the container just left: how many levels and how many values it has
        self.height = 0
        self.size = 0
        self.repeated = 0
        # containers of containers by id: (itself, its plain data or UNSET, height, size)
        self.known: dict[int, tuple[object, Any, int, int]] = {}

    def plain(self, value: object) -> Json:
        """Return plain data for one value at the current place."""
        try:
            return self.handlers[type(value)](self, value)
        except (Refused, MemoryError):
            raise
        except RecursionError as exc:
            if self.trail:
                raise  # the container around it is left out
            raise self.refusal(value, " (it is nested too deeply)") from exc
        except Exception as exc:  # the code of any type may run here
            raise self._unreadable(value, exc) from exc

    def refusal(self, value: object, why: str = "") -> Refused:
        """Make the error for a value at the current place."""
        return Refused(
            f"The result has a part that JSON cannot hold: {path_text(self.trail)}: {type_name(value)}{why}."
            " Return text, numbers, lists, dicts, dataclasses or models instead."
        )

    def _unreadable(self, value: object, exc: Exception) -> Refused:
        name = type_name(exc)
        advice = ADVICE.get(name)
        return self.refusal(value, f" (reading it raised {name}{'; ' + advice if advice else ''})")

    def inside(self, value: object, build: Callable[[Any], Json], *, steps: int = 1) -> Json:
        """Build a container; null for a cycle and below the deepest level.

        Args:
            value: The container.
            build: Makes its plain data.
            steps: 1 when its members are one level further down, 0 for a value that is turned into another.
        """
        key = id(value)
        depth = len(self.trail)
        why = "cycle" if key in self.active else "depth" if depth + steps > MAX_DEPTH else None
        if why is not None:
            self.leave_out(why)
            return None
        known = self.known.get(key)
        if known is None:
            return self._build(value, key, build, steps)
        _, data, height, size = known
        self.repeated += size
        # the rows of an iterator have been drawn at the first place
        if self.repeated > MAX_REPEATED or (data is UNSET and hasattr(type(value), "__next__")):
            self.leave_out("repeated")
            return None
        if data is UNSET or depth + height > MAX_DEPTH:
            return self._build(value, key, build, steps)
        self.height, self.size = max(self.height, height), self.size + size
        return data  # type: ignore[no-any-return]

    def _build(self, value: object, key: int, build: Callable[[Any], Json], steps: int) -> Json:
        outer = self.height, self.size, self.hops
        noted = self.notes.total
        self.height = self.size = 0
        self.hops = 0 if steps else self.hops
        self.active.add(key)
        self.trail += _ONE_STEP[:steps]
        try:
            data = build(value)
        except (Refused, MemoryError):
            raise
        except RecursionError:
            # the caller's own stack is nearly used up: what does not fit on it is left out
            self.notes.leave_out(self.trail[: len(self.trail) - steps], "depth")
            data = None
        except Exception as exc:  # as above; here the place is still known
            raise self._unreadable(value, exc) from exc
        finally:
            del self.trail[len(self.trail) - steps :]
            self.active.discard(key)
        height = self.height + steps
        size = self.size + 1 + (len(data) if isinstance(data, (dict, list)) else 0)
        if height > 1 or hasattr(type(value), "__next__"):
            # not for flat ones: a million rows need no million entries to stay linear
            self.known[key] = (value, data if noted == self.notes.total else UNSET, height, size)
        self.height, self.size, self.hops = max(outer[0], height), outer[1] + size, outer[2]
        return data

    def leave_out(self, why: str, shown: int = 0, total: int | None = None) -> None:
        """Note that the current place was left out."""
        self.notes.leave_out(self.trail, why, shown, total)

    def opened(self, value: object) -> Json:
        """Go on with what a value was turned into, at the same place."""
        self.hops += 1
        if self.hops > MAX_HOPS:
            raise self.refusal(value)
        if type(value) is list and is_plain(value, MAX_DEPTH - len(self.trail)):
            self.height = MAX_DEPTH  # not known, so no place deeper down reuses it
            data: Json = value
        else:
            data = self.plain(value)
        self.hops -= 1
        return data

    # --- containers

    def list_of(self, items: list[Any]) -> Json:
        """Return a list whose members are plain, the same list when they all were."""
        if len(items) < MANY or len(self.trail) >= MAX_DEPTH:
            return self._members(items, 0)
        result: list[Json] = []
        tries = MAX_TRIES
        for at in range(0, len(items), BLOCK):
            block = items[at : at + BLOCK]
            rows = self._rows(block, at) if tries else None
            if rows is None:
                tries = max(0, tries - 1)
                rows = self._members(block, at)
            result += rows
        return items if all(map(is_, items, result)) else result

    def _rows(self, block: list[Any], at: int) -> list[Json] | None:
        """Return members that are rows of one shape, a column at a time; None for others."""
        try:
            rows = plain_rows(block, self.handlers)
        except Exception:  # noqa: BLE001 - the code of any type may run here; walking tells where
            return None
        if rows is None:
            return None
        handler = self.handlers[type(block[0])]
        if isinstance(handler, Row):
            self.trail[-1] = at
            handler.note(self)
        if isinstance(rows[0], (dict, list)):
            self.height = max(self.height, 1)
            self.size += len(rows) * (1 + len(rows[0]))
        return rows

    def _members(self, items: list[Any], start: int) -> list[Json]:
        result: list[Json] | None = None
        trail = self.trail
        for index, item in enumerate(items):
            if _is_settled(item):
                new = item
            else:
                trail[-1] = start + index
                new = self.plain(item)
            if result is None:
                if new is item:
                    continue
                result = items[:index]
            result.append(new)
        return items if result is None else result

    def dict_of(self, node: dict[Any, Any]) -> Json:
        """Return a dict with text keys and plain members, the same dict when it was so."""
        items = list(node.items())
        if not all(map(_is_name, node)):
            return self.object_of(items)
        result: dict[str, Json] | None = None
        trail = self.trail
        for key, item in items:
            if _is_settled(item):
                continue
            trail[-1] = key
            new = self.plain(item)
            if new is not item:
                if result is None:
                    result = dict(items)
                result[key] = new
        return node if result is None else result

    def object_of(self, pairs: Collection[tuple[Any, object]]) -> Json:
        """Return a dict of any names and values; names become text, equal ones are kept apart."""
        names = _Names(pairs)
        return self.dict_of(
            {
                names.free(key, own=True)
                if _is_name(key)
                else names.free(self.key_text(key), own=False): item
                for key, item in pairs
            }
        )

    def key_text(self, key: object) -> str:
        """Return the text of a key; a key that is a record or tuple is walked on its own."""
        if isinstance(key, (bytes, bytearray)):
            with contextlib.suppress(UnicodeDecodeError):
                return bytes(key).decode("utf-8")
        if key is None or type(key) in (bool, int, float):
            return json.dumps(key)
        walk = Walk(self.handlers, self.max_rows)
        try:
            text = _joined(walk.plain(key))
        except Refused as exc:
            raise self.refusal(key, " as a key") from exc
        if walk.notes.marks:
            # a mark on a field cannot follow its value into a key
            raise self.refusal(key, " with visible_to marks as a key")
        if walk.notes.total:
            self.notes.lose([*self.trail[:-1], text])
        return text

    def set_of(self, items: Iterable[object]) -> Json:
        """Return the members in a fixed order: numbers by size, then text, then the rest by their JSON."""
        self.trail[-1] = ANY_INDEX
        pairs = [(item, self.plain(item)) for item in items]
        return [data for _, data in sorted(pairs, key=_set_order)]

    def drawn_from(
        self, rows: Iterable[object], total: int | None = None, turn: Callable[[Any], object] = _same
    ) -> Json:
        """Draw at most `max_rows` rows, turn each into something simpler, close what they came from."""
        limit = max(0, min(self.max_rows, self.left))
        result: list[Json] = []
        iterator = iter(rows)
        try:
            for row in self._next_rows(iterator, limit):
                result.append(self.plain(turn(row)))
            if len(result) == limit and next(iterator, UNSET) is not UNSET:
                self.notes.leave_out(self.trail[:-1], "max_rows", limit, total)
        finally:
            close_rows(iterator)
            if turn is not _same:
                close_rows(rows)  # a cursor need not be its own iterator
        return result

    def _next_rows(self, iterator: Iterator[object], limit: int) -> Iterator[object]:
        self.trail[-1] = 0
        for index, row in enumerate(islice(iterator, limit)):
            self.left -= 1
            self.trail[-1] = index
            yield row
            self.trail[-1] = index + 1  # where a failing iterator fails

    def record_of(self, record: object, plan: RecordPlan) -> Json:
        """Return an object of a record's fields."""
        for pattern, marks in plan.marks.items():
            self.notes.mark([*self.trail[:-1], *pattern], marks)
        fields = {}
        for name in plan.names(record):
            self.trail[-1] = name
            value = plan.read(record, name)
            if value is not UNSET:
                fields[name] = value
        return self.dict_of(fields)


def _is_settled(item: Any) -> bool:
    """Say whether a member is a plain leaf of the common kinds, which needs no handler."""
    kind = type(item)
    if kind is str:
        return bool(item.isascii())
    if kind is int:
        return bool(-MAX_COMMON_INT < item < MAX_COMMON_INT)
    if kind is float:
        return bool(item - item == 0.0)
    return item is None or kind is bool


def _is_name(key: Any) -> bool:
    return type(key) is str and (key.isascii() or is_encodable(key))


class _Names:
    """The names of one object: real text keeps its name, others get a number when it is taken."""

    __slots__ = ("counts", "reserved", "used")

    def __init__(self, pairs: Collection[tuple[object, object]]) -> None:
        self.reserved = {key for key, _ in pairs if type(key) is str}
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}

    def free(self, name: str, *, own: bool) -> str:
        free = name
        while free in self.used or (free in self.reserved and not (own and free is name)):
            self.counts[name] = self.counts.get(name, 1) + 1
            free = f"{name}#{self.counts[name]}"
        self.used.add(free)
        return free


def _joined(key: Json) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, list):
        return "|".join(map(_joined, key))
    return json.dumps(key, ensure_ascii=False)


def _set_order(pair: tuple[object, Json]) -> tuple[int, float, int, str]:
    item, data = pair
    text = data if isinstance(data, str) else json.dumps(data, sort_keys=True)
    if hasattr(type(item), "__float__") and data is not None and not isinstance(item, str):
        try:
            return 0, float(item), len(text), text  # type: ignore[arg-type]
        except (OverflowError, TypeError, ValueError):
            return 0, float("-inf" if text.startswith("-") else "inf"), len(text), text
    return (1 if isinstance(data, str) else 2), 0.0, 0, text


def close_rows(rows: object) -> None:
    close = getattr(rows, "close", None)
    if callable(close):
        # the rows are read; a driver that fails to close must not lose them
        with contextlib.suppress(Exception):
            close()


def type_name(value: object) -> str:
    return type(value).__name__[:80]
