"""Native results of other libraries as plain data, a file per family.

A converter is found by the name of a class along the value's MRO, so nothing is imported to look for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Converted:
    """A native result as data, and what is known about it."""

    value: Any
    meta: Mapping[str, Any] = field(default_factory=dict)


Converter = Callable[[Any], Converted]

CONVERTERS: dict[str, str] = {
    "sqlite3.Cursor": "agent_tools.converters.database:read_cursor",
    "_io._IOBase": "agent_tools.converters.files:refuse_handle",
    "subprocess.CompletedProcess": "agent_tools.converters.process:read_completed",
}


@lru_cache(maxsize=1024)
def find_converter(kind: type) -> Converter | None:
    """Return the converter of a class or of the nearest base that has one; None for other values."""
    for base in kind.__mro__:
        target = CONVERTERS.get(f"{base.__module__}.{base.__qualname__}")
        if target is not None:
            module, _, name = target.partition(":")
            converter: Converter = getattr(importlib.import_module(module), name)
            return converter
    return None
