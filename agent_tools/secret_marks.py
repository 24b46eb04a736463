"""What a type says is secret (`SecretStr`, `Annotated[..., Secret]`, `Field(repr=False)`), and where it is.

A place is a path pattern: `("orders", "*", "key")` is the field `key` of each of `orders`, `()` the value
itself. `*` stands for any index and any key; a place that begins with `**` is a field at any depth.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, get_args, get_origin

from agent_tools.audiences import (
    MAX_MARKED_PLACES,
    MAX_MARKED_STEPS,
    Secret,
    hints_of,
    parts_of,
    record_type,
    types_in,
)

Place = tuple[str, ...]
Places = frozenset[Place]
Value = TypeVar("Value")

ANYWHERE = "**"
SECRET_TYPES = frozenset({"SecretStr", "SecretBytes", "Secret"})


def is_secret(hint: Any) -> bool:
    """Say whether an annotation says that the value itself is to be hidden.

    Example:
        >>> from pydantic import SecretStr
        >>> is_secret(SecretStr | None), is_secret(Annotated[str, Secret]), is_secret(str)
        (True, True, False)
    """
    if get_origin(hint) is Annotated:
        inner, *extras = get_args(hint)
        return any(_is_mark(extra) for extra in extras) or is_secret(inner)
    named = get_origin(hint) or hint
    if getattr(named, "__name__", "") in SECRET_TYPES and str(named.__module__).startswith("pydantic"):
        return True
    below = list(parts_of(hint)) if record_type(hint) is None else []
    return any(not steps and is_secret(part) for steps, part in below)


def _is_mark(extra: Any) -> bool:
    # `Field(repr=False)` in Annotated is a mark, too
    return extra is Secret or isinstance(extra, Secret) or getattr(extra, "repr", None) is False


@functools.lru_cache(maxsize=4096)
def secret_fields(cls: type) -> frozenset[str]:
    """Return the fields of a record type that are secret, by their names and by their aliases.

    Example:
        >>> from dataclasses import dataclass, field
        >>> @dataclass
        ... class Login:
        ...     user: str
        ...     answer: str = field(repr=False)
        >>> secret_fields(Login)
        frozenset({'answer'})
    """
    names = {name for name, hint in hints_of(cls).items() if is_secret(hint)}
    for attribute, read in _FIELDS.items():
        names.update(name for name, info in read(getattr(cls, attribute, None)) if _is_hidden(info))
    infos = getattr(cls, "__pydantic_fields__", {})
    aliases = {alias for name in names for alias in _aliases(infos.get(name))}
    return frozenset(names | aliases)


_FIELDS: dict[str, Callable[[Any], Iterator[tuple[str, Any]]]] = {
    "__dataclass_fields__": lambda fields: iter((fields or {}).items()),
    "__attrs_attrs__": lambda fields: ((info.name, info) for info in fields or ()),
    "__pydantic_fields__": lambda fields: iter((fields or {}).items()),
    "model_fields": lambda fields: iter(fields.items() if isinstance(fields, dict) else ()),
    "__pydantic_decorators__": lambda found: (
        (name, item.info) for name, item in (found.computed_fields if found else {}).items()
    ),
}


def _is_hidden(info: Any) -> bool:
    """Whether a field is left out of its record's repr, or is told to be a password."""
    if info.repr is False or any(map(_is_mark, getattr(info, "metadata", None) or ())):
        return True
    extra = getattr(info, "json_schema_extra", None)
    return isinstance(extra, Mapping) and (
        extra.get("format") == "password" or extra.get("writeOnly") is True
    )


def _aliases(info: Any) -> Iterator[str]:
    for name in ("alias", "validation_alias", "serialization_alias"):
        alias = getattr(info, name, None)
        choices = getattr(alias, "choices", [alias])
        yield from (choice for choice in choices if isinstance(choice, str))


@functools.lru_cache(maxsize=1024)
def _places_of(hint: Any) -> Places:
    records = types_in(hint)
    if not any(map(secret_fields, records)) and not _mentions_secret(hint):
        return frozenset()
    found: set[Place] = set()
    waiting: deque[tuple[Place, Any]] = deque([((), hint)])
    n = 0
    while waiting:
        path, part = waiting.popleft()
        n += 1
        if n > MAX_MARKED_PLACES or len(path) > MAX_MARKED_STEPS:
            # a type that is in itself has endless many places
            found |= {(ANYWHERE, name) for record in records for name in secret_fields(record)}
            break
        if is_secret(part):
            found.add(path)
            continue
        record = record_type(part)
        if record is not None:
            found |= {(*path, name) for name in secret_fields(record)}
        waiting.extend((path + steps, below) for steps, below in parts_of(part))
    return frozenset(found)


def _mentions_secret(hint: Any) -> bool:
    return is_secret(hint) or any(_mentions_secret(part) for part in get_args(hint))


def secret_places(hint: Any) -> Places:
    """Return where in a value of this annotation something secret stands.

    Example:
        >>> from typing import TypedDict
        >>> class Key(TypedDict):
        ...     name: str
        ...     material: Annotated[str, Secret]
        >>> sorted(secret_places(dict[str, list[Key]]))
        [('*', '*', 'material')]
    """
    try:
        return _places_of(hint)
    except TypeError:  # an annotation that can't be hashed
        return _places_of.__wrapped__(hint)


@dataclass(slots=True)
class _Node:
    below: dict[str, _Node] = field(default_factory=dict)
    is_secret: bool = False


@functools.lru_cache(maxsize=1024)
def _tree(places: Places) -> tuple[_Node, frozenset[str]]:
    top = _Node()
    for place in places:
        node = top
        if place[:1] == (ANYWHERE,):
            continue
        for step in place:
            node = node.below.setdefault(step, _Node())
        node.is_secret = True
    return top, frozenset(place[1] for place in places if place[:1] == (ANYWHERE,))


def hide_places(value: Value, places: Places, mask: object, hidden: list[tuple[str | int, ...]]) -> Value:
    """Put a mask in each of these places; null stays. The same object comes back when there was none.

    Args:
        value: Dicts, lists and tuples; other objects are not looked into.
        places: From `secret_places`.
        mask: What is put there.
        hidden: Takes the paths of what was hidden.

    Example:
        >>> hide_places({"pin": "1234", "n": 1}, frozenset({("pin",)}), "***", hidden := []), hidden
        ({'pin': '***', 'n': 1}, [('pin',)])
    """
    if not places:
        return value
    top, anywhere = _tree(places)
    walk = _Hiding(mask, anywhere, hidden)
    shown: Value = walk.node(value, (top,), ())
    return shown


class _Hiding:
    __slots__ = ("_anywhere", "_hidden", "_mask")

    def __init__(self, mask: object, anywhere: frozenset[str], hidden: list[tuple[str | int, ...]]) -> None:
        self._mask, self._anywhere, self._hidden = mask, anywhere, hidden

    def node(self, value: Any, nodes: tuple[_Node, ...], path: tuple[str | int, ...]) -> Any:
        if value is not None and any(node.is_secret for node in nodes):
            self._hidden.append(path)
            return self._mask
        if not nodes and not self._anywhere:
            return value
        if isinstance(value, dict):
            return self._dict(value, nodes, path)
        if isinstance(value, (list, tuple)):
            items = [
                self.node(item, self._below(nodes, "*", None), (*path, n)) for n, item in enumerate(value)
            ]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return value

    def _dict(self, value: dict[Any, Any], nodes: tuple[_Node, ...], path: tuple[str | int, ...]) -> Any:
        shown = {}
        for key, item in value.items():
            if key in self._anywhere and item is not None:
                self._hidden.append((*path, key))
                shown[key] = self._mask
            else:
                shown[key] = self.node(item, self._below(nodes, "*", key), (*path, str(key)))
        return shown if any(shown[key] is not value[key] for key in value) else value

    @staticmethod
    def _below(nodes: tuple[_Node, ...], *steps: Any) -> tuple[_Node, ...]:
        return tuple(node.below[step] for node in nodes for step in steps if step in node.below)
