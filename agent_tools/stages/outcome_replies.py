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
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from types import MappingProxyType, SimpleNamespace
from typing import cast

from agent_tools.foreign import peek
from agent_tools.stages.outcome_keys import IDENTITY_KEYS, NEUTRAL_KEYS, NOTHING_WORDS

MAX_KEYS = 200
_LONGEST_KEY = 60
_MOST_CACHED = 60  # keys: a larger map has keys of its own, seldom seen twice
_SEPARATORS = str.maketrans(dict.fromkeys("_-. @$:#/"))


@lru_cache(maxsize=4096)
def plain(key: str) -> str:
    """Return a key without case and separators.

    Example:
        >>> plain("next_page_token") == plain("NextPageToken") == "nextpagetoken"
        True
    """
    return key.lower().translate(_SEPARATORS) if len(key) <= _LONGEST_KEY else key


def spellings(name: str) -> Iterator[str]:
    """Yield the usual spellings of a key that is given in snake_case.

    Example:
        >>> sorted(set(spellings("is_error")))
        ['IS_ERROR', 'Is Error', 'IsError', 'is-error', 'isError', 'is_error', 'iserror']
    """
    first, *rest = name.split("_")
    camel = first + "".join(map(str.capitalize, rest))
    yield from (name, name.replace("_", ""), name.upper(), name.replace("_", "-"), camel)
    yield camel[:1].upper() + camel[1:]
    yield " ".join(map(str.capitalize, (first, *rest)))


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


_UNSIZED = frozenset((str, int, float, bool, type(None)))  # a question to an ABC costs 0.3 us


def size_of(value: object) -> int | None:
    """Return the length of a container, None for anything else; never asks an object of unknown kind.

    Example:
        >>> size_of([1, 2]), size_of({}), size_of(0)
        (2, 0, None)
    """
    kind = type(value)
    if kind is list or kind is dict:
        return len(value)  # type: ignore[arg-type]  # by type, two lines above
    if kind in _UNSIZED or not issubclass(kind, _SIZED):
        return None
    try:
        return len(value)  # type: ignore[arg-type]  # a Sized by its type
    except Exception:  # noqa: BLE001  # a lazy container of a user may fail in any way: it has no known size
        return None


_NUMBERS = frozenset((int, float, bool))


def has_content(value: object) -> bool:
    """Say whether a value tells something: not None, not blank, not an empty container. 0 and False do."""
    kind = type(value)
    if kind is str:
        return value != "" and not value.isspace()  # type: ignore[attr-defined]  # a str by its type
    if kind in _NUMBERS:
        return True
    if value is None:
        return False
    text = text_of(value)
    return size_of(value) != 0 if text is None else not is_blank(text)


def text_of(value: object) -> str | None:
    """Return a text as a plain str, None for other values; a subclass's own `__str__` is not asked."""
    if type(value) is str:
        return value
    return str.__str__(cast("str", value)) if issubclass(type(value), str) else None


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


_PLAIN_KINDS = frozenset((str, int, float, bool, type(None), list, tuple, set, frozenset, bytes))


def native_fields(value: object) -> object:
    """Return a record's fields as a dict (a root model's root), None for what is no record or mapping."""
    kind = type(value)
    if kind is dict:
        return value
    if kind in _PLAIN_KINDS:
        return None
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


class Shape:
    """The keys of a mapping, read once for all mappings with the same ones.

    Attributes:
        names: The plain names, in order.
        spelt: Plain name -> the key as it is spelt.
        own: The plain names that may hold what was asked for.
        is_known: A thing of its own may have these keys: an id or a name is among them.
    """

    __slots__ = ("is_known", "names", "own", "spelt")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.spelt = {plain(key): key for key in reversed(keys)}
        self.names = tuple(plain(key) for key in keys)
        self.own = tuple(name for name in dict.fromkeys(self.names) if name not in NEUTRAL_KEYS)
        self.is_known = not IDENTITY_KEYS.isdisjoint(self.names)


@lru_cache(maxsize=1024)
def shape_of(keys: tuple[str, ...]) -> Shape:
    """Return the shape of a mapping's keys: 0.2 us where reading each key again would take 0.2 us a key."""
    return Shape(keys)


_NO_SHAPE = Shape(())


def _shape(raw: Mapping[object, object]) -> Shape:
    for key in raw:
        if type(key) is not str:
            return _NO_SHAPE
    keys = cast("tuple[str, ...]", tuple(raw))
    return shape_of(keys) if len(keys) <= _MOST_CACHED else Shape(keys)


class Reply:
    """One level of a returned value, under plain names.

    Attributes:
        raw: The mapping as it came. One with keys that are no text is data: it has no fields.
        fields: Plain name -> value. Of two spellings of one name the one that holds something stays.
        shape: What its keys mean.

    Example:
        >>> Reply({"totalCount": 3}).fields
        {'totalcount': 3}
    """

    __slots__ = ("fields", "raw", "shape")

    def __init__(self, raw: Mapping[object, object]) -> None:
        self.raw = raw
        self.shape = _shape(raw)
        self.fields: dict[str, object] = dict(zip(self.shape.names, raw.values(), strict=False))
        if len(self.fields) < len(self.shape.names):
            self._merge()

    def _merge(self) -> None:
        """Let the spelling stay that holds something, the first of several."""
        self.shape = Shape(tuple(str(key) for key in self.raw))
        self.fields = {}
        for name, (key, item) in zip(self.shape.names, self.raw.items(), strict=True):
            if self.fields.get(name) is None:
                self.fields[name] = item
                self.shape.spelt[name] = str(key)

    @property
    def names(self) -> dict[str, str]:
        """Plain name -> the key as it is spelt."""
        return self.shape.spelt

    def content(self, without: Iterable[str] = ()) -> list[str]:
        """Return the plain names that hold something of their own."""
        fields = self.fields
        return [name for name in self.shape.own if name not in without and has_content(fields[name])]

    def has_content(self) -> bool:
        """Say whether anything of its own is held."""
        return any(has_content(self.fields[name]) for name in self.shape.own)

    def sole_content(self) -> str | None:
        """Return the only plain name that holds something of its own, None when there are none or several."""
        sole = None
        for name in self.shape.own:
            if has_content(self.fields[name]):
                if sole is not None:
                    return None
                sole = name
        return sole

    def content_beside(self, neutral: frozenset[str], without: Iterable[str] = ()) -> list[str]:
        """Return the plain names that hold something and are none of `neutral`."""
        fields = self.fields
        return [
            name
            for name in fields
            if name not in neutral and name not in without and has_content(fields[name])
        ]

    def is_thing(self, neutral: frozenset[str], fields: int = 3) -> bool:
        """Say whether this is a record of its own: an id or a name, and at least so many fields."""
        return self.shape.is_known and len(self.content_beside(neutral)) >= fields


def read_reply(value: object) -> Reply | None:
    """Return the reply in a mapping or record, None for other values and for large maps."""
    fields = value if type(value) is dict else native_fields(value)
    if type(fields) is dict and len(fields) <= MAX_KEYS:
        return Reply(fields)
    return None
