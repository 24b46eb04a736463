"""Read a returned mapping or record by what its keys mean, in every spelling: a part of `outcome`.

APIs say the same thing as `next_page_token`, `nextPageToken`, `NextPageToken` or `@odata.nextLink`. A
`Reply` is a view of one level of such a value under plain names (lower case, no separators), built
without calling anything of an object that could raise, consume or block.
Types are tested by `issubclass(type(value), ...)`: `isinstance` would run a `__class__` property.

In:   a mapping, dataclass, pydantic, attrs, msgspec or named-tuple value.
Out:  a `Reply`, or None for anything else. The value itself is never changed.
Cost: about 0.15 us a key; mappings of more than MAX_KEYS keys are data, not replies, and are not read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from types import MappingProxyType, SimpleNamespace

from agent_tools.stages.outcome_keys import IDENTITY_KEYS, NEUTRAL_KEYS, NOTHING_WORDS

MAX_KEYS = 200
_LONGEST_KEY = 60
_SEPARATORS = str.maketrans(dict.fromkeys("_-. @$:#/"))


@lru_cache(maxsize=4096)
def plain(key: str) -> str:
    """Return a key without case and separators.

    Example:
        >>> plain("next_page_token") == plain("NextPageToken") == "nextpagetoken"
        True
    """
    return key.lower().translate(_SEPARATORS) if len(key) <= _LONGEST_KEY else key


def is_blank(text: str) -> bool:
    """Say whether a text has no visible character; looks at a long text's ends only as far as needed."""
    return not text or text.isspace()


_SIZED = (
    list,
    tuple,
    dict,
    set,
    frozenset,
    deque,
    MappingProxyType,
    bytes,
    bytearray,
    range,
    memoryview,
    Mapping,
    Sequence,
    Set,
)


def size_of(value: object) -> int | None:
    """Return the length of a container, None for anything else; never asks an object of unknown kind.

    Example:
        >>> size_of([1, 2]), size_of({}), size_of(0)
        (2, 0, None)
    """
    kind = type(value)
    if kind is list or kind is dict:
        return len(value)  # type: ignore[arg-type]  # by type, two lines above
    if kind is str or not issubclass(kind, _SIZED):
        return None
    try:
        return len(value)  # type: ignore[arg-type]  # a Sized by its type
    except Exception:  # noqa: BLE001  # a lazy container of a user may fail in any way: it has no known size
        return None


def has_content(value: object) -> bool:
    """Say whether a value tells something: not None, not blank, not an empty container. 0 and False do."""
    if value is None:
        return False
    text = text_of(value)
    return size_of(value) != 0 if text is None else not is_blank(text)


def peek(value: object, name: str) -> object:
    """Read an attribute; None when there is none or when reading it raises."""
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001  # a property of a user's object may fail in any way
        return None


def text_of(value: object) -> str | None:
    """Return a text as a plain str, None for other values; a subclass's own `__str__` is not asked."""
    if type(value) is str:
        return value
    return str.__str__(value) if issubclass(type(value), str) else None


def is_failure_text(value: object) -> bool:
    """Say whether a value under an error key is a text that tells of one (and is no measured number)."""
    text = text_of(value)
    if text is None or text[:40].strip().lower() in NOTHING_WORDS:
        return False
    return any(character.isalpha() for character in text[:500])


# --- records as mappings


def _of_dataclass(value: object, kind: type) -> dict[str, object]:
    return {name: peek(value, name) for name in kind.__dataclass_fields__}  # type: ignore[attr-defined]  # probed


def _of_pydantic(value: object, kind: type) -> object:
    fields = peek(value, "__dict__")
    fields = dict(fields) if type(fields) is dict else {}
    if peek(kind, "__pydantic_root_model__") is True:
        return fields.get("root")
    extra = peek(value, "__pydantic_extra__")
    return fields | extra if type(extra) is dict else fields


def _of_attrs(value: object, kind: type) -> dict[str, object]:
    return {field.name: peek(value, field.name) for field in kind.__attrs_attrs__}  # type: ignore[attr-defined]  # probed


def _of_named_tuple(value: object, kind: type) -> object:
    return dict(zip(kind._fields, value, strict=False)) if issubclass(kind, tuple) else None  # type: ignore[attr-defined, call-overload]  # probed


def _of_struct(value: object, kind: type) -> dict[str, object]:
    return {name: peek(value, name) for name in kind.__struct_fields__}  # type: ignore[attr-defined]  # probed


# an attribute of the type -> how its values are read; nothing is imported for the purpose
RECORD_READERS = {
    "__dataclass_fields__": _of_dataclass,
    "__pydantic_validator__": _of_pydantic,
    "__attrs_attrs__": _of_attrs,
    "_fields": _of_named_tuple,
    "__struct_fields__": _of_struct,  # msgspec
}


def native_fields(value: object) -> object:
    """Return a record's fields as a dict (a root model's root), None for what is no record or mapping."""
    kind = type(value)
    if kind is dict:
        return value
    if issubclass(kind, Mapping):
        return _as_dict(value)
    if kind is SimpleNamespace:
        return dict(vars(value))
    if issubclass(kind, type):
        return None
    for name, read in RECORD_READERS.items():
        if peek(kind, name) is not None:
            return read(value, kind)
    return None


def _as_dict(value: object) -> object:
    size = size_of(value)
    if size is None or size > MAX_KEYS:
        return None
    try:
        return dict(value)  # type: ignore[call-overload]  # a Mapping by its type
    except Exception:  # noqa: BLE001  # a lazy mapping of a user may fail in any way: it stays as it is
        return None


class Reply:
    """One level of a returned value, under plain names.

    Attributes:
        raw: The mapping as it came.
        fields: Plain name -> value. Of two spellings of one name the one that holds something stays.
        names: Plain name -> the key as it is spelt.

    Example:
        >>> Reply({"totalCount": 3}).fields
        {'totalcount': 3}
    """

    __slots__ = ("fields", "names", "raw")

    def __init__(self, raw: Mapping[object, object]) -> None:
        self.raw = raw
        self.fields: dict[str, object] = {}
        self.names: dict[str, str] = {}
        for key, item in raw.items():
            text = text_of(key)
            if text is not None:
                name = plain(text)
                if self.fields.get(name) is None:
                    self.fields[name] = item
                    self.names[name] = text

    def content(self, without: Iterable[str] = (), neutral: frozenset[str] = NEUTRAL_KEYS) -> list[str]:
        """Return the plain names that hold something of their own."""
        return [
            name
            for name, item in self.fields.items()
            if name not in neutral and name not in without and has_content(item)
        ]

    def is_thing(self, fields: int = 3, neutral: frozenset[str] = NEUTRAL_KEYS) -> bool:
        """Say whether this is a record of its own (an id or a name, and at least so many fields)."""
        known = not IDENTITY_KEYS.isdisjoint(self.fields)
        return known and len(self.content(neutral=neutral)) >= fields


def read_reply(value: object) -> Reply | None:
    """Return the reply in a mapping or record, None for other values and for large maps."""
    fields = native_fields(value)
    if type(fields) is dict and len(fields) <= MAX_KEYS:
        return Reply(fields)
    return None
