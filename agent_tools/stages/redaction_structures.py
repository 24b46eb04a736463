"""Rebuild a value with its sensitive parts hidden, copy on write.

In:   plain data, the texts that change, and the kind of each key.
Out:  the same object where nothing changed, new dicts and lists around what did; paths of what was hidden.
Cost: about 0.15 us a value; only run when something is to hide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from agent_tools.stages.redaction_strip import strip
from agent_tools.stages.redaction_values import HIDERS, hide_number
from agent_tools.stages.redaction_vocabulary import DESCRIPTIVE, TYPE_NAMES

_DEEPEST = 120  # levels walked by recursion; deeper parts wait on a list, so no depth overflows

NAME_FIELDS = (
    "name", "key", "field", "header", "param", "parameter", "variable", "var", "attribute", "property",
    "label", "k", "title", "column", "option", "env", "Name", "Key", "Field", "Header", "名称", "字段", "键",
    "参数",
    "項目", "field_name",
    "fieldName", "key_name", "keyName", "param_name", "type", "id", "n", "ParameterKey", "ParameterName",
)  # fmt: skip
"""Fields of a pair object that say what its value is."""
VALUE_FIELDS = (
    "value", "val", "v", "data", "content", "text", "values", "Value", "值", "内容", "default", "current",
    "valueString",
    "string_value", "stringValue", "answer", "field_value", "fieldValue", "newValue", "oldValue", "new_value",
    "old_value", "before", "after", "fromString", "toString", "ParameterValue",
)  # fmt: skip
"""Fields of a pair object that hold the value."""
COLUMN_FIELDS = (
    "columns", "header", "headers", "fields", "cols", "column_names", "columnNames", "names", "schema",
    "列", "表头", "head",
)  # fmt: skip
"""Fields of a table object that name its columns."""
ROW_FIELDS = (
    "rows", "data", "values", "records", "body", "items", "cells", "results", "result", "行", "数据",
    "tuples",
)  # fmt: skip
"""Fields of a table object that hold its rows."""

MANIFEST_FIELDS = ("data", "stringData")
"""Fields of a Kubernetes Secret that hold nothing but secrets."""

_NAMES, _VALUES = frozenset(NAME_FIELDS), frozenset(VALUE_FIELDS)
_COLUMNS, _ROWS = frozenset(COLUMN_FIELDS), frozenset(ROW_FIELDS)

_PAIR_NAME = re.compile(r"-{0,2}[^\W\d][\w.\-]{1,63}")
_STRONG = frozenset({"password", "secret", "token", "cookie", "header"})
_NUMERIC = frozenset(["phone", "contact", "id", "card", "plate"])
_ID_LIKE = re.compile(r"[A-Za-z]{0,8}[_\-]?[0-9][0-9A-Za-z_\-./:]{0,48}")


def is_descriptive(key: str) -> bool:
    """Whether a key under a sensitive one describes the value instead of holding it."""
    return re.sub(r"[^a-z0-9]", "", key.lower()) in DESCRIPTIVE


@dataclass(frozen=True, slots=True)
class Hidden:
    """What was hidden: where, what the key says, what stood there and what stands there now."""

    path: str
    kind: str | None
    old: Any
    shown: Any


class Columns(tuple["str | None", ...]):
    """The kinds of a table's columns: what each row's cells are hidden as."""

    __slots__ = ()


Kind: TypeAlias = "str | Columns | None"


class Rebuild:
    """One pass over one value.

    Args:
        kind_of: Key to kind, None when its rule is off.
        clean_key: Key to the key as shown.
        texts: Text to text for those that change.
        rescan: Text to text without what only looks like a phone or card, for values of counters and ids.
        lines: Lines of a text, one of which changes, to the lines as shown.
    """

    __slots__ = (
        "_clean_key",
        "_kind_of",
        "_lines",
        "_pending",
        "_rescan",
        "_texts",
        "hidden",
        "only_strips",
        "trace",
        "trail",
    )

    def __init__(
        self,
        kind_of: Callable[[str], str | None],
        clean_key: Callable[[str], str],
        texts: Mapping[str, str],
        rescan: Callable[[str], str],
        lines: Callable[[list[str]], list[str]],
    ) -> None:
        self._lines = lines
        self._kind_of = kind_of
        self._clean_key = clean_key
        self._texts = texts
        self._rescan = rescan
        self._pending: list[tuple[Any, Any, Any, Kind, list[str | int]]] = []
        self.trail: list[str | int] = []
        self.hidden: list[str] = []
        self.trace: list[Hidden] | None = None
        self.only_strips = False

    def run(self, value: Any) -> Any:
        """Return the value with everything hidden."""
        rebuilt = self._any(value, None, None)
        while self._pending:
            holder, place, node, kind, self.trail = self._pending.pop()
            holder[place] = self._container(node, kind)
        return rebuilt

    def _note(
        self, place: str | int | None, kind: Kind = None, old: Any = None, shown: Any = "(removed)"
    ) -> None:
        steps = self.trail if place is None else [*self.trail, place]
        path = "$" + "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps)
        self.hidden.append(path)
        if self.trace is not None:
            self.trace.append(Hidden(path, kind if isinstance(kind, str) else None, old, shown))

    def _any(self, node: Any, kind: Kind, place: str | int | None) -> Any:
        if isinstance(node, str):
            return self._leaf(node, kind, place)
        if node.__class__ is int:
            return self._number(node, kind, place)
        if not isinstance(node, (dict, list, tuple)):
            return node
        if place is None:
            return self._container(node, kind)
        self.trail.append(place)
        rebuilt = self._container(node, kind)
        self.trail.pop()
        return rebuilt

    def _container(self, node: Any, kind: Kind) -> Any:
        return self._dict(node, kind) if isinstance(node, dict) else self._list(node, kind)

    def _put_off(self, holder: Any, place: Any, node: Any, kind: Kind, shown: str | int) -> None:
        """Leave a very deep part for later, so that no depth overflows the stack."""
        self._pending.append(
            (holder, place, node, kind, [*self.trail[: _DEEPEST - 20], "..", shown][-_DEEPEST + 19 :])
        )

    # -- leaves ---------------------------------------------------------------------------------------

    def _leaf(self, text: str, kind: Kind, place: str | int | None) -> str:
        if kind is None or kind.__class__ is Columns:
            shown = self._texts.get(text, text)
        elif kind == "plain":
            shown = self._texts.get(text, text)
            if shown != text and _ID_LIKE.fullmatch(text):
                shown = self._rescan(text)
        else:
            shown = HIDERS[kind](self._texts.get(text, text))  # type: ignore[index]  # Columns are out
        if shown == text or self.only_strips:
            return shown
        # what only lost its control characters has nothing hidden
        if shown != strip(text):
            self._note(place, kind, text, shown)
        return shown

    def _number(self, node: int, kind: Kind, place: str | int | None) -> int | str:
        if kind is None or kind == "plain" or kind.__class__ is Columns:
            return node
        hidden = hide_number(kind, node)  # type: ignore[arg-type]  # Columns are out
        if hidden is not node:
            self._note(place, kind, node, hidden)
        return hidden

    # -- dicts ----------------------------------------------------------------------------------------

    def _dict(self, node: dict[Any, Any], outer: Kind) -> dict[Any, Any]:
        special = self._special_kinds(node)
        deep = len(self.trail) >= _DEEPEST
        new: dict[Any, Any] | None = None
        for index, (key, value) in enumerate(node.items()):
            shown = self._clean_key(key) if isinstance(key, str) else key
            name = key if shown is key or self._kind_of(shown) is None else shown
            kind = special[key] if key in special else self._field_kind(name, outer)
            if kind == "internal" and isinstance(value, (str, int)) and value.__class__ is not bool:
                self._note(shown, kind)
                new = dict(islice(node.items(), index)) if new is None else new
                continue
            if deep and isinstance(value, (dict, list, tuple)):
                new = dict(islice(node.items(), index)) if new is None else new
                shown = _free_key(new, shown, key)
                new[shown] = None
                self._put_off(new, shown, value, kind, shown)
                continue
            rebuilt = self._any(value, kind, shown)
            if new is None and (rebuilt is not value or shown is not key):
                new = dict(islice(node.items(), index))
            if new is not None:
                new[_free_key(new, shown, key)] = rebuilt
        return node if new is None else new

    def _field_kind(self, key: Any, outer: Kind) -> Kind:
        """Return the kind of a field; a field without one is what the key above says."""
        kind = self._kind_of(key) if isinstance(key, str) else None
        if kind == "maybe" and outer in _STRONG:
            return outer
        if (
            outer is None
            or outer.__class__ is Columns
            or outer in ("plain", "pass")
            or (kind is not None and kind != "plain")
        ):
            return kind
        if isinstance(key, str) and (is_descriptive(key) or (kind == "plain" and outer in _NUMERIC)):
            return kind
        return "maybe" if outer == "holder" else outer

    def _special_kinds(self, node: dict[Any, Any]) -> dict[Any, Kind]:
        """Return kinds that follow from other fields: name-value pairs and tables."""
        kinds: dict[Any, Kind] = {}
        for name, value in pairs_in(node):
            kind = self._kind_as_shown(node[name])
            if kind is not None and kind != "plain":
                kinds[value] = "secret" if kind == "internal" else kind
        if is_secret_manifest(node):
            kinds |= {field: "secret" for field in MANIFEST_FIELDS if isinstance(node.get(field), dict)}
        for rows, columns in tables_in(node):
            kinds[rows] = self._columns(columns)
        return kinds

    def _kind_as_shown(self, name: str) -> str | None:
        # a name that has something hidden in it: redacting twice must change nothing more
        return self._kind_of(self._texts.get(name, name))

    def _columns(self, names: list[str]) -> Columns:
        kinds = map(self._kind_as_shown, names)
        return Columns("secret" if kind == "internal" else kind for kind in kinds)

    # -- lists ----------------------------------------------------------------------------------------

    def _list(self, node: Any, outer: Kind) -> Any:
        if outer is None and self._is_lines(node):
            node = self._without_keys_over_lines(node)
        kinds = self._item_kinds(node, outer)
        deep = len(self.trail) >= _DEEPEST
        new: list[Any] | None = None
        for index, value in enumerate(node):
            kind = outer if kinds is None else kinds[index]
            if deep and isinstance(value, (dict, list, tuple)):
                new = list(node[:index]) if new is None else new
                new.append(None)
                self._put_off(new, index, value, kind, index)
                continue
            rebuilt = self._any(value, kind, index)
            if new is None and rebuilt is not value:
                new = list(node[:index])
            if new is not None:
                new.append(rebuilt)
        if new is None:
            return node
        if isinstance(node, tuple) and not self._pending:
            return type(node)(*new) if hasattr(node, "_fields") else tuple(new)
        return new

    def _is_lines(self, node: Any) -> bool:
        """Whether a list holds the lines of a text, one of which is to change."""
        return (
            len(node) > 1
            and all(item.__class__ is str for item in node)
            and any(item in self._texts for item in node)
        )

    def _without_keys_over_lines(self, node: Any) -> Any:
        shown = self._lines(list(node))
        for index, (new, old) in enumerate(zip(shown, node, strict=True)):
            # what a line holds on its own is found in its turn
            if new != old and old not in self._texts:
                self._note(index, None, old, new)
        lines = [old if old in self._texts and new else new for new, old in zip(shown, node, strict=True)]
        return node if lines == list(node) else lines

    def _item_kinds(self, node: Any, outer: Kind) -> Sequence[Kind] | None:
        """Return the kind of each item of a pair, a login, a table or an argument list."""
        if isinstance(outer, Columns):
            if node and isinstance(node[0], (str, int, float, type(None))) and len(node) == len(outer):
                return outer
            return None
        if outer == "holder" and len(node) == 2 and all(isinstance(v, str) for v in node):
            return [None, "password"]
        if outer == "token" and all(isinstance(v, str) for v in node):
            return ["maybe"] * len(node)
        head = header_of(node, self._kind_as_shown)
        if head is not None:
            columns = self._columns(head)
            return [None, *([columns] * (len(node) - 1))]
        kinds: list[Kind] = [outer] * len(node)
        pairs = list(pair_items(node, self._kind_of))
        for index, kind in pairs:
            kinds[index] = kind
        return kinds if pairs else None


def _free_key(new: dict[Any, Any], shown: Any, key: Any) -> Any:
    """Return a key that is not taken yet: two hidden keys may look alike."""
    if shown is key or shown not in new:
        return shown
    count = 2
    while f"{shown} ({count})" in new:
        count += 1
    return f"{shown} ({count})"


def is_secret_manifest(node: dict[Any, Any]) -> bool:
    """Whether an object is a Kubernetes Secret."""
    return node.get("kind") == "Secret"


def tables_in(node: dict[Any, Any]) -> Iterator[tuple[str, list[str]]]:
    """Find the rows field and the column names of a table object."""
    if len(node) > 24 or _COLUMNS.isdisjoint(node) or _ROWS.isdisjoint(node):
        return
    for field in COLUMN_FIELDS:
        names = _column_names(node.get(field))
        if names:
            for rows in ROW_FIELDS:
                if rows != field and isinstance(node.get(rows), (list, tuple)):
                    yield rows, names


def _column_names(value: Any) -> list[str] | None:
    if isinstance(value, dict):
        value = value.get("fields") or value.get("columns")
    if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= 512:
        return None
    names = [v if isinstance(v, str) else _name_of(v) for v in value]
    return [name if name is not None else "" for name in names] if any(names) else None


def _name_of(column: Any) -> str | None:
    if isinstance(column, dict):
        return next((column[f] for f in NAME_FIELDS if isinstance(column.get(f), str)), None)
    if isinstance(column, (list, tuple)) and column and isinstance(column[0], str):
        return column[0]
    return None


def header_of(node: Any, kind_of: Callable[[str], str | None]) -> list[str] | None:
    """Return the first row of a list of rows when it names columns, one of them sensitive."""
    if len(node) < 2 or not isinstance(node[0], (list, tuple)) or not isinstance(node[1], (list, tuple)):
        return None
    first = node[0]
    if (
        len(first) < 2
        or len(first) != len(node[1])
        or not all(isinstance(v, str) and len(v) <= 48 for v in first)
    ):
        return None
    if len(first) == 2 and not all(_is_name(v, kind_of) for v in first):
        return None
    return list(first) if any(kind_of(v) not in (None, "plain") for v in first) else None


def pairs_in(node: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    """Find the name and value fields of a pair object such as `{"name": "password", "value": "x"}`."""
    if len(node) > 12 or _VALUES.isdisjoint(node) or _NAMES.isdisjoint(node):
        return
    for value in VALUE_FIELDS:
        if value in node:
            for name in NAME_FIELDS:
                if name in node and name != value and isinstance(node[name], str) and len(node[name]) <= 80:
                    yield name, value


def pair_items(node: Any, kind_of: Callable[[str], str | None]) -> Iterator[tuple[int, str]]:
    """Find items of a list that another item makes sensitive.

    `["Authorization", "Bearer x"]`, `["mysql", "--password", "x"]`, `["Host", "a", "Cookie", "b"]`.
    """
    size = len(node)
    if size < 2 or size > 512:
        return
    for index in range(size - 1):
        name = node[index]
        if not isinstance(name, str) or not _PAIR_NAME.fullmatch(name):
            continue
        flag = name[0] == "-"
        if not flag and (size & 1 or index & 1):
            continue
        if not flag and (size > 2 and not _is_header_list(node)):
            continue
        kind = kind_of(name.lstrip("-"))
        follower = node[index + 1]
        if kind is None or kind == "plain" or isinstance(follower, bool):
            continue
        if (flag and not isinstance(follower, str)) or (flag and follower.startswith("-")):
            continue
        if not flag and isinstance(follower, str) and _is_name(follower, kind_of):
            continue
        yield index + 1, "secret" if kind == "internal" else kind


def _is_header_list(node: Any) -> bool:
    """Whether a flat list alternates header names and values."""
    names = node[0::2]
    return all(isinstance(n, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9\-]{1,40}", n) for n in names) and any(
        "-" in n or n.lower() in ("host", "accept", "cookie", "authorization", "connection") for n in names
    )


def _is_name(text: str, kind_of: Callable[[str], str | None]) -> bool:
    """Whether a text is a field name, so that a list of two is a list of names, not a pair."""
    return kind_of(text) is not None or text.lower() in TYPE_NAMES


def read_json(text: str) -> Any:
    """Parse a text that may be JSON; raises ValueError when it is not."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


_STYLES: tuple[dict[str, Any], ...] = tuple(
    {"ensure_ascii": ascii_only, "separators": separators, "indent": indent}
    for indent in (None, 2, 4, "\t")
    for separators in (((",", ":"), (", ", ": "), (",", ": ")) if indent is None else ((",", ": "),))
    for ascii_only in (False, True)
)


def write_json(value: Any, like: str, original: Any) -> str:
    """Write JSON in the style of the text it came from.

    Args:
        value: What to write.
        like: The text whose blanks and escapes to keep.
        original: What that text parses to.
    """
    for style in _STYLES:
        if json.dumps(original, **style) == like.strip():
            return json.dumps(value, **style)
    return json.dumps(
        value, ensure_ascii=like.isascii(), separators=(",", ":") if '":"' in like or '","' in like else None
    )
