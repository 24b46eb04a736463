"""Check that what is for the planner only can be found in no other view of a result.

A value is hidden from a view when its field is in the planner's data and not in that view's. It leaks when
the view shows it all the same: in another field, in the summary, in the statistics, in the error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agent_tools.audiences import ANSWER, PLAN
from agent_tools.context import trace
from agent_tools.errors import ToolError
from agent_tools.reading import open_stored
from agent_tools.result import ToolResult

# A shorter text or number may stand anywhere by chance.
LEAST_CHARS = 4

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leak:
    """A value that a view shows and must not.

    Attributes:
        view: The view that shows it.
        path: Where it stands in the planner's data, `$.orders[*].plan_id`.
        value: The value.
    """

    view: str
    path: str
    value: str | int | float


def assert_hidden(result: ToolResult[Any], views: Iterable[str] = (ANSWER,)) -> None:
    """Fail when a value that only the planner may see can be found in one of these views.

    Args:
        result: What a call came back with. What was cut from it is read from the store.
        views: The views to look into, `"answer"` or audiences of your own.

    Raises:
        AssertionError: It names each view and path.

    Example:
        >>> from agent_tools import tool
        >>> @tool(audience={"plan_id": "plan"}, log=False)
        ... def get_order() -> dict:
        ...     return {"plan_id": "P-77120", "note": "see P-77120"}
        >>> assert_hidden(get_order())
        Traceback (most recent call last):
        AssertionError: values for the planner only can be found in other views:
        answer shows the value of $.plan_id
    """
    leaks = [leak for view in views for leak in find_leaks(result, view)]
    if leaks:
        lines = dict.fromkeys(f"{leak.view} shows the value of {leak.path}" for leak in leaks)
        raise AssertionError(
            "\n".join(["values for the planner only can be found in other views:", *list(lines)[:20]])
        )


def find_leaks(result: ToolResult[Any], view: str = ANSWER) -> list[Leak]:
    """Return the values that a view of a result shows and must not.

    Values of fewer than four characters, `true`, `false` and null can't be told from others and are not
    looked for; neither are values that stand in a field which the view may see.
    """
    planned, seen = _leaves(_whole(result, PLAN)), _leaves(_whole(result, view))
    visible = {place for place, _ in seen}
    public = {_as_text(value) for place, value in planned if place in visible}
    text = "\n".join([result.to_prompt(view), json.dumps(result.to_dict(view), ensure_ascii=False)])
    hidden = {(place, value) for place, value in planned if place not in visible and _is_telling(value)}
    # an error text, an argument, a cursor: what the planner's view says around its data is not looked for,
    # unless it is a value of the data
    leaks = [
        Leak(view, _path(place), value)
        for place, value in hidden
        if _as_text(value) not in public and _stands_in(value, text)
    ]
    return sorted(leaks, key=lambda leak: (leak.path, str(leak.value)))


def _whole(result: ToolResult[Any], view: str) -> Any:
    """Return what an audience may see of the whole, also of what was cut."""
    shown = result.to_dict(view)["data"]
    result_id = result.to_dict(PLAN)["meta"].get("result_id")
    if result_id is None:
        return shown
    try:
        with trace("which values are hidden", audience=view):
            return open_stored(result_id).value()
    except ToolError:
        # it has expired, or belongs to another scope
        return shown


def _leaves(value: Any) -> list[tuple[Place, Any]]:
    return list(_walk(value, ()))


def _walk(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*place, key))
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item, (*place, "*"))
    else:
        yield place, value


def _is_telling(value: Any) -> bool:
    return not isinstance(value, bool) and value is not None and len(_as_text(value)) >= LEAST_CHARS


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _stands_in(value: Any, text: str) -> bool:
    shown = _as_text(value)
    if isinstance(value, str):
        return shown in text or json.dumps(value, ensure_ascii=False)[1:-1] in text
    # 1234 is not in 51234, and 0.25 not in 10.25
    return re.search(rf"(?<![\d.]){re.escape(shown)}(?![\d])", text) is not None


def _path(place: Place) -> str:
    return "$" + "".join("[*]" if step == "*" else f".{step}" for step in place)
