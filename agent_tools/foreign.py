"""Read objects that are not ours: a property or `__str__` of theirs may raise anything."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

_PLAIN = (dict, MappingProxyType)


def peek(holder: object, name: str) -> Any:
    """Return an attribute, None where it is missing or raises.

    Example:
        >>> peek(3 + 4j, "imag"), peek(3, "url")
        (4.0, None)
    """
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - a property of a foreign object may raise anything
        return None


def read_text(value: object) -> str | None:
    """Return str(value) as an exact str, None where `__str__` raises.

    Example:
        >>> read_text(ValueError("no"))
        'no'
    """
    try:
        return str.__str__(str(value))
    except Exception:  # noqa: BLE001 - __str__ of a foreign object may raise anything
        return None


def read_header(headers: Any, name: str) -> str | None:
    """Return a header of a response by its name in lower case, None where it is missing.

    Example:
        >>> read_header({"Retry-After": 7}, "retry-after")
        '7'
    """
    try:
        found = headers.get(name)
        # the libraries' own mappings ignore case
        if found is None and isinstance(headers, _PLAIN):
            found = next((value for key, value in headers.items() if str(key).lower() == name), None)
        return None if found is None else str(found)
    except Exception:  # noqa: BLE001 - a foreign mapping may raise anything
        return None
