"""Open files: a handle is no result."""

from __future__ import annotations

from typing import Any, NoReturn

from agent_tools.errors import ErrorCode, ToolError


def refuse_handle(handle: Any) -> NoReturn:
    """Close a file that a function returned open.

    Raises:
        ToolError: always, and it says what to return instead.
    """
    handle.close()
    raise ToolError(
        "the function returned an open file; return its text, its lines or its path instead",
        code=ErrorCode.UNSERIALIZABLE_RESULT,
    )
