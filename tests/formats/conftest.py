"""What the tests of the formats share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.formats import get_renderer


@pytest.fixture
def render() -> Callable[..., str]:
    """Render data in a format, inside a plain envelope."""

    def rendered(name: str, data: Any) -> str:
        return get_renderer(name)(
            {"status": "success", "meta": {"format_version": "v1"}, "error": None, "data": data}
        )

    return rendered


@pytest.fixture
def body(render: Callable[..., str]) -> Callable[..., str]:
    """Render data in a format that is not JSON and return what is below the first line."""

    def rendered(name: str, data: Any) -> str:
        head, _, rest = render(name, data).partition("\n")
        assert json.loads(head) == {"status": "success", "meta": {"format_version": "v1"}, "error": None}
        return rest

    return rendered
