"""Reading a stored result as an agent does: page by page, by what each page says to call next."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools import ToolResult, read_result
from agent_tools.tokens import count

Pages = list[ToolResult[Any]]


@pytest.fixture
def read_all() -> Callable[..., Pages]:
    """Follow `meta.next` from a first page to the last; every page is within the budget and strict JSON."""

    def read(result: ToolResult[Any], budget: int, **asked: Any) -> Pages:
        arguments: dict[str, Any] | None = {"result_id": result.meta["result_id"], **asked}
        pages: Pages = []
        while arguments is not None:
            page = read_result.invoke(json.dumps(arguments))
            assert page.error is None, page.error
            assert count(page.to_prompt()) <= budget
            json.loads(page.to_prompt(), parse_constant=lambda name: 1 / 0)
            assert "result_id" not in page.meta
            pages.append(page)
            following = page.meta.get("next")
            assert following is None or following["arguments"]["offset"] > arguments.get("offset", 0)
            arguments = following and following["arguments"]
        return pages

    return read


@pytest.fixture
def rows_of() -> Callable[[Pages], list[Any]]:
    """Put the rows of pages together."""
    return lambda pages: [row for page in pages for row in page.data]


@pytest.fixture
def text_of() -> Callable[[Pages], str]:
    """Put the text of pages together."""
    return lambda pages: "".join(part["text"] for page in pages for part in page.data)
