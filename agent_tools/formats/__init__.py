"""Formats: an envelope in, the text for the model out.

One file per format, one function each. `json`, `table` and `auto` give one strict JSON text. The other
four give a first line of compact JSON `{"status","meta","error"}` and then the data as the body.
A further format is one row here, or an entry point in the group `agent_tools.formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

from agent_tools.errors import InvalidSetting

Renderer = Callable[[Mapping[str, Any]], str]

RENDERERS = {
    "auto": "agent_tools.formats.table:render_auto",
    "csv": "agent_tools.formats.csv_text:render",
    "json": "agent_tools.formats.compact_json:render",
    "markdown": "agent_tools.formats.markdown:render",
    "table": "agent_tools.formats.table:render",
    "text": "agent_tools.formats.text:render",
    "yaml": "agent_tools.formats.yaml_text:render",
}


@cache
def get_renderer(name: str) -> Renderer:
    """Return the function that renders an envelope, imported at first use.

    Raises:
        InvalidSetting: no format of that name is known.

    Example:
        >>> render = get_renderer("json")
        >>> render({"status": "empty", "meta": {}, "error": None, "data": []})
        '{"status":"empty","meta":{},"error":null,"data":[]}'
    """
    if name in RENDERERS:
        module, attribute = RENDERERS[name].split(":")
        return cast(Renderer, getattr(import_module(module), attribute))
    return _third_party(name)


def _third_party(name: str) -> Renderer:
    from importlib.metadata import entry_points

    for point in entry_points(group="agent_tools.formats", name=name):
        return cast(Renderer, point.load())
    raise InvalidSetting(f"unknown format {name!r}; known: {', '.join(sorted(RENDERERS))}")
