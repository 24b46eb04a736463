"""Survey a nested value: its outline, and statistics over the leaves of the same name. A part of `budget`."""

from __future__ import annotations

from typing import Any

from agent_tools.result import Json
from agent_tools.stages.summaries_columns import read_column
from agent_tools.stages.summaries_odd import show

MAX_LEAVES = 20_000  # about 1 us each
MIN_LIKE = 12
ODD_FROM = 50
MAX_ODD = 3
MAX_OUTLINE = 160
OUTLINE_DEPTH = 4

Path = tuple[
    Any, ...
]  # (the path above, key or index): shared between siblings, so that a step costs nothing


def leaf_clauses(data: Json) -> list[str]:
    """Say what a nested value looks like, and which of its leaves are unlike the others of their name.

    Example:
        >>> nodes = [{"name": f"n{i}", "state": "ok"} for i in range(30)]
        >>> nodes[7]["state"] = "LOST"
        >>> leaf_clauses({"left": nodes[:15], "right": {"nodes": nodes[15:]}})[:2]
        ['shape: left[15], right{nodes[15]}', 'state LOST at $.left[7].state']
    """
    outlined = outline(data)
    clauses = [f"shape: {outlined}"] if outlined else []
    odd: list[tuple[float, str]] = []
    said: list[str] = []
    for name, (values, paths) in _by_name(data).items():
        if len(values) < MIN_LIKE:
            continue
        for column in read_column(name, values):
            said += [f"{name}: {column.said}"] if column.said else []
            for item in column.odd:
                if item.score >= ODD_FROM:
                    odd.append((item.score, f"{name} {show(values[item.row])} at {written(paths[item.row])}"))
    odd.sort(key=lambda item: -item[0])
    return [*clauses, *dict.fromkeys(text for _, text in odd[:MAX_ODD]), *said]


def _by_name(data: Json) -> dict[str, tuple[list[Any], list[Path]]]:
    named: dict[str, tuple[list[Any], list[Path]]] = {}
    stack: list[tuple[Any, str, Path]] = [(data, "", ())]
    left = MAX_LEAVES
    while stack and left:
        value, name, path = stack.pop()
        if isinstance(value, dict):
            stack.extend((item, key, (path, key)) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((value[place], name, (path, place)) for place in reversed(range(len(value))))
        else:
            left -= 1
            if name not in named:
                named[name] = ([], [])
            named[name][0].append(value)
            named[name][1].append(path)
    return named


def written(path: Path) -> str:
    """Write a path as `$.rows[3].city`.

    Example:
        >>> written((((), "rows"), 3))
        '$.rows[3]'
    """
    steps = []
    while path:
        path, step = path
        steps.append(f"[{step}]" if isinstance(step, int) else f".{step[:40]}")
    return "$" + "".join(reversed(steps))


def outline(data: Json, depth: int = 0) -> str:
    """Return keys and lengths down to four levels.

    Example:
        >>> outline({"total": 3, "page": {"next": None}, "items": [{"id": 1}] * 3})
        'total, page{next}, items[3]'
    """
    if not isinstance(data, dict):
        return ""
    parts = []
    for key, item in list(data.items())[:12]:
        inner = outline(item, depth + 1) if depth < OUTLINE_DEPTH else ""
        parts.append(
            f"{key[:40]}[{len(item)}]"
            if isinstance(item, list)
            else f"{key[:40]}{{{inner}}}"
            if inner
            else key[:40]
        )
    text = ", ".join(parts)
    return text if depth or len(text) <= MAX_OUTLINE else text[:MAX_OUTLINE].rpartition(",")[0]
