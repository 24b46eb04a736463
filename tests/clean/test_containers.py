"""Lists, sets, iterators and other containers; cycles, depth and things met twice."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import io
import json
import sqlite3
import sys
import threading
import types
from unittest import mock

import orjson
import pytest

from agent_tools.errors import ToolError


class Opaque:
    __slots__ = ("handle",)

    def __init__(self) -> None:
        self.handle = object()


class NoBool:
    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __len__(self) -> int:
        raise TypeError("unsized")


async def nobody_awaits() -> None:
    """Never runs."""


@dataclasses.dataclass
class Node:
    name: str
    next: object = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, (2,)), [1, [2]]),
        (collections.deque([1]), [1]),
        (range(3), [0, 1, 2]),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.defaultdict(list, a=[1]), {"a": [1]}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.ChainMap({"a": 1}, {"b": 2}), {"b": 2, "a": 1}),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
        (collections.UserDict(a=1), {"a": 1}),
        (collections.UserList([1]), [1]),
        ({"b": 1, "a": 2}.keys(), ["b", "a"]),
        ({"b": 1}.items(), [["b", 1]]),
        (io.BytesIO(b"hi"), "aGk="),
        (io.StringIO("hi"), "hi"),
        (sys.version_info[:2], list(sys.version_info[:2])),
    ],
    ids=lambda v: type(v).__name__,
)
def test_a_container_becomes_a_list_or_an_object(plain, value, expected):
    """Each kind by what it is; the order is the container's own."""
    assert plain(value) == expected
    assert plain({"v": value}) == {"v": expected}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({10, 9, 1}, [1, 9, 10]),
        ({"b", "a"}, ["a", "b"]),
        ({2, "b", None, 1.5, (1, "x")}, [1.5, 2, "b", [1, "x"], None]),
        (frozenset({frozenset({2, 1}), frozenset({3})}), [[1, 2], [3]]),
    ],
    ids=["numbers", "text", "mixed", "sets"],
)
def test_a_set_is_a_list_in_a_fixed_order(plain, members, expected):
    """Numbers by size, then text, then the rest: the same for every run and hash seed."""
    assert plain(members) == expected


def test_an_iterator_inside_data_is_drained_and_closed(plain):
    """Its rows are there, none is lost, and its cleanup has run."""
    closed = []

    def rows():
        try:
            yield from (1, (2,), 3)
        finally:
            closed.append(True)

    assert plain({"rows": rows(), "n": map(str, [1])}) == {"rows": [1, [2], 3], "n": ["1"]}
    assert closed == [True]


def test_an_endless_iterator_is_cut_and_closed(plain, notes):
    """At most max_rows are drawn, and the cut is said."""
    closed = []

    def endless():
        with contextlib.ExitStack() as stack:
            stack.callback(closed.append, True)
            while True:
                yield 1

    assert plain({"rows": endless()}, max_rows=5) == {"rows": [1] * 5}
    assert notes({"rows": endless()}, max_rows=5).cut_entries() == [
        {"path": "$.rows", "shown": 5, "total": None, "why": "max_rows"}
    ]
    assert closed == [True, True]


def test_an_iterator_of_exactly_max_rows_is_not_cut(notes):
    """Nothing is said where nothing is missing."""
    assert notes(iter([1, 2, 3]), max_rows=3).cut_entries() == []


def test_iterators_of_iterators_end(plain):
    """All iterators together are bounded, so that a tree without end has one."""

    def tree():
        while True:
            yield tree()

    assert json.dumps(plain(tree(), max_rows=3))


def test_a_huge_range_is_cut_with_its_true_length(plain, notes):
    """The length is known without counting."""
    assert plain(range(0, 10**30, 3), max_rows=2) == [0, 3]
    assert notes(range(10**30), max_rows=2).cut_entries()[0]["total"] == 10**30


def test_an_iterator_at_two_places_is_shown_at_both(plain):
    """It is drained once, and the second place has the same rows."""
    rows = iter([1, 2])

    assert plain({"a": rows, "b": rows}) == {"a": [1, 2], "b": [1, 2]}


def test_a_cursor_gives_named_rows_and_is_closed(plain):
    """Columns have names; the cursor is not left open."""
    connection = sqlite3.connect(":memory:")
    cursor = connection.execute("select 1 as a, 'x' as b union select 2, 'y'")

    assert plain({"rows": cursor}) == {"rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}
    with pytest.raises(sqlite3.ProgrammingError):
        cursor.fetchone()
    connection.close()


def test_a_dead_cursor_is_an_error_of_its_place(plain):
    """Rows that can no longer be read are refused here, not later in a log."""
    connection = sqlite3.connect(":memory:")
    cursor = connection.execute("select 1")
    connection.close()

    with pytest.raises(ToolError, match=r"\$\.rows.*Cursor \(reading it raised ProgrammingError\)"):
        plain({"rows": cursor})


def test_a_cycle_is_cut_and_said(plain, notes):
    """An object inside itself is null there."""
    row: dict[str, object] = {"id": 1}
    row["self"] = row
    node = Node("n")
    node.next = [node]

    assert plain({"row": row}) == {"row": {"id": 1, "self": None}}
    assert plain(node) == {"name": "n", "next": [None]}
    assert notes(row).cut_entries() == [{"path": "$.self", "shown": 0, "total": None, "why": "cycle"}]


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: {"a": v}, lambda v: (v,), lambda v: Node("n", v)])
@pytest.mark.parametrize("levels", [99, 100, 101, 5_000])
def test_deep_data_is_cut_at_a_hundred_levels(plain, notes, wrap, levels):
    """What remains can be written by every serialiser; never a RecursionError."""
    value: object = wrap(1)
    for _ in range(levels - 1):
        value = wrap(value)

    orjson.dumps(plain(value))

    taken = notes(value)
    assert bool(taken and taken.cut_entries()) is (levels > 100)


def test_a_nearly_full_stack_cuts_deep_data(plain):
    """A tool may be called far down a stack: what does not fit is left out, nothing is raised."""
    value: object = (1,)
    for _ in range(90):
        value = (value,)

    def at_depth(n: int) -> object:
        return plain({"ok": 1, "deep": value}) if n == 0 else at_depth(n - 1)

    frame, used = sys._getframe(), 0
    while frame := frame.f_back:
        used += 1
    data = at_depth(sys.getrecursionlimit() - used - 150)

    assert data["ok"] == 1


def test_an_object_at_two_places_is_shown_at_both(plain, notes):
    """Sharing is no cycle."""
    shared = {"at": (1,)}

    assert plain([shared, shared]) == [{"at": [1]}, {"at": [1]}]
    assert notes([shared, shared]).cut_entries() == []


@pytest.mark.parametrize("wrap", [lambda v: [v, v], lambda v: types.SimpleNamespace(a=v, b=v)])
def test_sharing_does_not_multiply_without_end(notes, wrap):
    """Thirty levels of twice the same would be a billion values; it is cut, and quickly."""
    value: object = [1]
    for _ in range(30):
        value = wrap(value)

    assert {entry["why"] for entry in notes(value).cut_entries()} == {"repeated"}


def test_a_cycle_through_many_ways_ends(plain):
    """Lists that hold each other several times are no endless work."""
    first: list[object] = []
    second = [first, first, first]
    first += [second, second, second]

    assert plain(first) == [[None, None, None]] * 3


@pytest.mark.parametrize(
    "value",
    [Opaque(), NoBool(), print, threading.Lock(), Opaque, ..., mock.MagicMock(), sqlite3.connect],
    ids=lambda v: type(v).__name__,
)
def test_what_has_no_form_is_refused_with_path_and_type(plain, value):
    """The message says where and what type, never a repr or an address."""
    with pytest.raises(ToolError) as caught:
        plain({"conn": [1, value], "id": 5})

    assert caught.value.code == "UNSERIALIZABLE_RESULT"
    assert f"$.conn[1]: {type(value).__name__}" in str(caught.value)
    assert "0x" not in str(caught.value)


def test_an_open_file_is_refused_and_not_read(plain, tmp_path):
    """A handle inside of data is neither slurped nor moved."""
    path = tmp_path / "log.txt"
    path.write_text("line\n" * 3)
    with path.open() as file:
        with pytest.raises(ToolError, match=r"\$\.file: TextIOWrapper"):
            plain({"file": file})
        assert file.read() == "line\n" * 3


def test_a_coroutine_is_refused(plain):
    """A call that nobody awaited has no value."""
    pending = nobody_awaits()

    with pytest.raises(ToolError, match=r"\$\.reply: coroutine"):
        plain({"reply": pending})

    pending.close()


def test_a_memory_error_passes(plain):
    """Running out of memory is not a property of the value."""

    class Huge(collections.UserDict):
        def items(self):
            raise MemoryError

    with pytest.raises(MemoryError):
        plain([Huge()])


def test_a_stop_signal_passes(plain):
    """Ctrl-C while an iterator is drained stops the program."""

    def rows():
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plain({"rows": rows()})
