"""Where in a nested value something stands: the places that have a text, and those where rows are.

In:   plain JSON data.
Out:  paths that `read_path` follows, with what stands there.
Cost: a search reads all of the value once per level that is too large to be shown whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agent_tools.result import Json

MAX_DEPTH = 4  # of objects inside objects in which rows are looked for
LOOKED_AT = 20  # entries that tell whether a list or a map is one of records


def find_places(
    node: Json, matches: Callable[[Json], bool], is_small: Callable[[Json], bool], path: str = ""
) -> Iterator[tuple[str, Json]]:
    """Return the path and the value of all that match: records and short lists whole, of others the entries.

    Args:
        node: An object or a list.
        matches: Tells whether a value has what is looked for, anywhere inside or in a name.
        is_small: Tells whether a value may be shown whole.
        path: Where the node stands.

    Example:
        >>> value = {"page": 1, "orders": [{"id": 7, "city": "Rome"}, {"id": 8, "city": "Oslo"}]}
        >>> list(find_places(value, lambda one: "Oslo" in str(one), lambda one: len(str(one)) < 40))
        [('orders[1]', {'id': 8, 'city': 'Oslo'})]
    """
    for name, place, value in _entries(node, path):
        if name is not None and matches(name):
            yield place, value
        elif matches(value):
            if isinstance(value, dict | list) and not is_small(value):
                yield from find_places(value, matches, is_small, place)
            else:
                yield place, value


def _entries(node: Json, path: str) -> Iterator[tuple[str | None, str, Json]]:
    """Return the name, the path and the value of each entry; those of a list have no name."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield name, f"{path}.{name}" if path else name, value
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield None, f"{path}[{number}]", value


def row_places(node: Json, path: str = "", depth: int = MAX_DEPTH) -> Iterator[tuple[str, list[Json]]]:
    """Return the path of each list or map of records inside an object, and the records.

    Example:
        >>> [path for path, _ in row_places({"data": {"items": [{"id": 1}], "tags": ["a"]}})]
        ['data.items']
    """
    values = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    first = [isinstance(row, dict) for row in values[:LOOKED_AT]]
    is_map = len(first) == LOOKED_AT and all(first)
    if path and (any(first) if isinstance(node, list) else is_map):
        yield path, values
    elif isinstance(node, dict) and depth:
        for _, place, value in _entries(node, path):
            yield from row_places(value, place, depth - 1)
