"""One decorator that makes an agent's tools tell the truth about what happened.

from agent_tools import tool

@tool(max_tokens=800)
def find_orders(customer_id: str) -> list[dict]: ...

result = find_orders("C1")      # a ToolResult: status, data, meta, error
result.to_prompt()              # the text for the model, at most 800 tokens
"""

from agent_tools.answers import record_answer
from agent_tools.audiences import visible_to
from agent_tools.batch import Batch
from agent_tools.context import trace
from agent_tools.errors import (
    ErrorCode,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ToolError,
    Unavailable,
)
from agent_tools.reading import read_result
from agent_tools.result import Status, ToolResult
from agent_tools.settings import configure, override
from agent_tools.tool import Tool, tool

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "ErrorCode",
    "InvalidArgument",
    "NotFound",
    "PermissionDenied",
    "Status",
    "Tool",
    "ToolError",
    "ToolResult",
    "Unavailable",
    "configure",
    "override",
    "read_result",
    "record_answer",
    "tool",
    "trace",
    "visible_to",
]
