"""Who may see a field: the mark `visible_to` and the marks of a type, read once.

An audience is named by who consumes a view: `"plan"` (the planner, the default view), `"answer"` (the
answer writer) or a name of the project's own. The rules, per type:

- a marked field is seen by the audiences of its mark and by nobody else;
- without any mark all audiences see all fields;
- an unmarked field is always seen by `plan`; by another audience unless a field of the same type is
  marked for that audience or for `answer`.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections import deque
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from agent_tools.errors import InvalidSetting

PLAN = "plan"
ANSWER = "answer"


class visible_to:  # noqa: N801 - it is used as a mark, like a function
    """Mark a field for the audiences that may see it.

    Put it into `Annotated` on a field of a dataclass, pydantic model, attrs class, TypedDict or NamedTuple.

    Args:
        *audiences: Names of readers: `"plan"`, `"answer"` or your own.

    Raises:
        InvalidSetting: no audience, or one that is not an identifier.

    Example:
        >>> from typing import Annotated, TypedDict
        >>> class Order(TypedDict):
        ...     plan_id: Annotated[str, visible_to("plan")]
        ...     status: str
        >>> marks_of(Order)
        {'plan_id': frozenset({'plan'})}
    """

    __slots__ = ("audiences",)

    def __init__(self, *audiences: str) -> None:
        if not audiences or not all(
            isinstance(a, str) and re.fullmatch(r"[a-z][a-z0-9_]*", a) for a in audiences
        ):
            raise InvalidSetting(f"bad audience {audiences!r}: expected names such as 'plan' or 'answer'")
        self.audiences = frozenset(audiences)

    def __repr__(self) -> str:
        return f"visible_to({', '.join(map(repr, sorted(self.audiences)))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, visible_to) and self.audiences == other.audiences

    def __hash__(self) -> int:
        return hash(self.audiences)


class Secret:
    """Mark a value that nobody but the function and its caller may see: it is shown as `***` everywhere else.

    Put it into `Annotated` on a parameter, on a field of a dataclass, pydantic model, attrs class, TypedDict
    or NamedTuple, or on a return annotation. It needs no instance, and wins over what the name says.

    Example:
        >>> from typing import Annotated, NamedTuple
        >>> from agent_tools import tool
        >>> class Account(NamedTuple):
        ...     user: str
        ...     recovery_hint: Annotated[str, Secret]
        >>> tool(lambda: Account("ann", "blue"), name="get_account", log=False)().data
        {'user': 'ann', 'recovery_hint': '***'}
    """

    __slots__ = ()


Marks = Mapping[str, frozenset[str]]


@functools.lru_cache(maxsize=4096)
def marks_of(cls: type) -> Marks:
    """Return the marked fields of a record type with their audiences; empty when there is none.

    Hints that cannot be resolved at run time are skipped field by field, so that one missing import
    does not uncover the other fields.
    """
    return {
        name: audiences
        for name, hint in hints_of(cls).items()
        if (audiences := _audiences_in(hint)) is not None
    }


def hints_of(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - any code may stand in a string annotation
        return _hints_one_by_one(cls)


def mentions_secret(annotation: str) -> bool:
    """Say whether an annotation that can't be resolved has a mark of secrets in its text.

    Example:
        >>> mentions_secret("Annotated[Missing, Secret]"), mentions_secret("Secretary")
        (True, False)
    """
    return re.search(r"\b(?:Secret|SecretStr|SecretBytes)\b", annotation) is not None


def _hints_one_by_one(cls: type) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name, hint in inspect.get_annotations(base).items():
            probe = type("Probe", (), {"__annotations__": {name: hint}, "__module__": base.__module__})
            try:
                hints |= get_type_hints(probe, include_extras=True)
            except Exception:  # noqa: BLE001
                # a mark that can be read in the text still counts; nobody else sees the field
                found = re.search(r"visible_to\(([^)]*)\)", str(hint))
                if found:
                    hints[name] = Annotated[Any, visible_to(*re.findall(r"\w+", found[1]))]
                elif mentions_secret(str(hint)):
                    hints[name] = Annotated[Any, Secret]
    return hints


def _audiences_in(hint: Any) -> frozenset[str] | None:
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, visible_to):
                return extra.audiences
        return _audiences_in(get_args(hint)[0])
    # NotRequired[Annotated[...]], Optional[Annotated[...]] and the like
    for inner in get_args(hint) if not isinstance(hint, type) else ():
        if (found := _audiences_in(inner)) is not None:
            return found
    return None


# A recursive type has endless many places; nearer ones come first, and data seldom nests as deep.
MAX_MARKED_PLACES = 1_000
MAX_MARKED_STEPS = 60
# `("**", "60")` stands for all places with more than 60 steps
DEEPER = "**"


def marks_from_annotation(hint: Any) -> dict[tuple[str, ...], dict[str, list[str]]]:
    """Return the marks of all record types that an annotation names, by where their records stand.

    It is for what a value cannot tell: an instance of a TypedDict is a plain dict. A path has `*` for any
    index of a list or tuple and any key of a mapping. Where several types meet at a path, the stricter
    mark of a field wins. A recursive type is followed through its first places; deeper down, what any of the
    types marks is marked for all.

    Args:
        hint: A return annotation, resolved (no strings at the top).

    Example:
        >>> from typing import Annotated, TypedDict
        >>> class Order(TypedDict):
        ...     plan_id: Annotated[str, visible_to("plan")]
        >>> marks_from_annotation(dict[str, list[Order]] | None)
        {('*', '*'): {'plan_id': ['plan']}}
    """
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    if not any(marks_of(cls) for cls in types_in(hint)):
        return found
    waiting: deque[tuple[tuple[str, ...], Any]] = deque([((), hint)])
    n = 0
    while waiting:
        path, part = waiting.popleft()
        n += 1
        if n > MAX_MARKED_PLACES or len(path) > MAX_MARKED_STEPS:
            # nearer places come first, so nothing nearer is left
            for cls in types_in(hint):
                add_marks(found, (DEEPER, str(len(path) - 1)), marks_of(cls))
            break
        record = record_type(part)
        if record is not None and (marks := marks_of(record)):
            add_marks(found, path, marks)
        waiting.extend((path + steps, below) for steps, below in parts_of(part))
    return found


def add_marks(
    known: dict[tuple[str, ...], dict[str, list[str]]], path: tuple[str, ...], marks: Marks
) -> None:
    """Add the marks of one record type at a path; a field keeps the audiences that all types there allow.

    Example:
        >>> known = {("orders", "*"): {"id": ["answer", "plan"]}}
        >>> add_marks(known, ("orders", "*"), {"id": frozenset({"plan"})})
        >>> known
        {('orders', '*'): {'id': ['plan']}}
    """
    fields = known.setdefault(path, {})
    for name, audiences in marks.items():
        fields[name] = sorted(audiences & set(fields[name]) if name in fields else audiences)


# What the class of a record has: TypedDict, dataclass, attrs, pydantic, msgspec, SQLAlchemy, NamedTuple.
RECORD_ATTRIBUTES = (
    "__total__",
    "__dataclass_fields__",
    "__attrs_attrs__",
    "__pydantic_decorators__",
    "__struct_fields__",
    "__mapper__",
    "_fields",
)


def types_in(hint: Any) -> set[type]:
    """Return all record types that can be reached from an annotation."""
    types: set[type] = set()
    seen: list[Any] = []
    waiting = [hint]
    while waiting and len(seen) < MAX_MARKED_PLACES:
        part = waiting.pop()
        record = record_type(part)
        if record is not None:
            if record in types and part is record:
                continue
            types.add(record)
        seen.append(part)
        waiting.extend(below for _, below in parts_of(part))
    return types


def record_type(hint: Any) -> type | None:
    cls = get_origin(hint) if isinstance(get_origin(hint), type) else hint
    if not isinstance(cls, type):
        return None
    return cls if any(hasattr(cls, name) for name in RECORD_ATTRIBUTES) else None


def parts_of(hint: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the annotations directly below one, each with the steps that lead there."""
    if isinstance(hint, TypeVar):
        yield from (((), bound) for bound in (hint.__bound__, *hint.__constraints__) if bound is not None)
    elif hasattr(hint, "__value__"):  # type Orders = list[Order]
        yield (), hint.__value__
    elif (record := record_type(hint)) is not None:
        given = dict(zip(getattr(record, "__parameters__", ()), get_args(hint), strict=False))
        yield from (((name,), given.get(part, part)) for name, part in field_hints(record).items())
    else:
        yield from _arguments(hint)


def _arguments(hint: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield (), args[0]
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        yield ("*",), args[-1]
    elif isinstance(origin, type) and issubclass(origin, Awaitable):
        yield (), args[-1]
    else:
        # a union or a wrapper (NotRequired) stands where its parts stand; every container has rows
        has_rows = isinstance(origin, type) and (hasattr(origin, "__iter__") or hasattr(origin, "__aiter__"))
        step = ("*",) if has_rows else ()
        yield from ((step, part) for part in args if not isinstance(part, (str, list)))


# a recursive type is met thousands of times
@functools.lru_cache(maxsize=4096)
def field_hints(cls: type) -> dict[str, Any]:
    # a parametrised pydantic model knows its own types; its annotations still have the variables
    infos = getattr(cls, "__pydantic_fields__", None)
    hints = hints_of(cls)
    return hints | {name: info.annotation for name, info in infos.items()} if infos else hints


def is_visible(name: str, marks: Marks, audience: str) -> bool:
    """Say whether `audience` sees the field `name` of a type with these marks.

    Example:
        >>> is_visible("total", {"id": frozenset({"plan"})}, "answer")
        True
    """
    mine = marks.get(name)
    if mine is not None:
        return audience in mine
    return audience == PLAN or not _marked_for(marks, audience)


def _marked_for(marks: Marks, audience: str) -> bool:
    return any(audience in audiences or ANSWER in audiences for audiences in marks.values())


def as_audiences(readers: str | Iterable[str]) -> frozenset[str]:
    """Return the audiences of a setting's value, one name or several."""
    return frozenset((readers,) if isinstance(readers, str) else readers)
