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
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

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


Marks = Mapping[str, frozenset[str]]


@functools.lru_cache(maxsize=4096)
def marks_of(cls: type) -> Marks:
    """Return the marked fields of a record type with their audiences; empty when there is none.

    Hints that cannot be resolved at run time are skipped field by field, so that one missing import
    does not uncover the other fields.
    """
    return {
        name: audiences
        for name, hint in _hints(cls).items()
        if (audiences := _audiences_in(hint)) is not None
    }


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - any code may stand in a string annotation
        return _hints_one_by_one(cls)


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
