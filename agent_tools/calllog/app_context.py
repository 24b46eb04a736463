"""Read what the application bound to structlog's context, so that a record can carry its request id.

Read only: nothing is ever bound, unbound or cleared there.
"""

from __future__ import annotations

import sys
from typing import Any


def read_app_context() -> dict[str, Any]:
    """Return a copy of structlog's context variables, not redacted yet; empty when structlog is not in use.

    Cost: one dict look-up until something imports structlog, then about 1 us.

    Example:
        >>> import structlog
        >>> with structlog.contextvars.bound_contextvars(request_id="r1"):
        ...     read_app_context()["request_id"]
        'r1'
    """
    module = sys.modules.get("structlog.contextvars")
    # structlog's own list of what was ever bound: empty where nothing is, and 2 us quicker
    if module is None or not getattr(module, "_CONTEXT_VARS", True):
        return {}
    context: dict[str, Any] = module.get_contextvars()
    return context
