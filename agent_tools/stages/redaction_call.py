"""Hide for the length of a call what its arguments say is secret: a tool may repeat them without any sign.

In:   the values of hidden arguments; later, whatever the call shows.
Out:  the same value where none of them stands in it; else a copy.
Cost: nothing for a call without such arguments; else a substring search per text and form.
"""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any

from agent_tools.stages.redaction_masks import HIDDEN, is_masked
from agent_tools.stages.redaction_values import is_placeholder

LEAST_MARKED = 4
LEAST_NAMED = 6

SECRETS_OF_CALL: ContextVar[tuple[str, ...]] = ContextVar("agent_tools.secrets_of_call", default=())
"""The forms of this call's secrets, the longest first."""


def forms_of(secret: str) -> Iterator[str]:
    """Yield the ways a secret is written: raw, escaped once and twice, percent-encoded, in base64."""
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    yield secret
    yield escaped
    yield json.dumps(secret)[1:-1]
    yield json.dumps(escaped, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    yield urllib.parse.quote(secret, safe="")
    yield urllib.parse.quote(secret)
    yield urllib.parse.quote_plus(secret)
    yield urllib.parse.quote(secret, safe="").lower()
    if len(secret) >= 6:
        yield base64.b64encode(secret.encode("utf-8", "replace")).decode().rstrip("=")
        yield base64.urlsafe_b64encode(secret.encode("utf-8", "replace")).decode().rstrip("=")


def all_forms(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return the forms of several secrets, the longest first.

    Example:
        >>> all_forms(["a b1"])
        ('a%20b1', 'a b1', 'a+b1')
    """
    return tuple(
        sorted({form for secret in secrets for form in forms_of(secret)}, key=lambda f: (-len(f), f))
    )


def is_telling(secret: str, *, marked: bool) -> bool:
    """Whether a text is secret by itself: hiding a common word would hide half of a result.

    Args:
        secret: The value of an argument.
        marked: Its type says so, not only its name.

    Example:
        >>> is_telling("admin", marked=False), is_telling("hunter2hunter2", marked=False)
        (False, True)
    """
    if is_masked(secret) or is_placeholder(secret):
        return False
    if marked:
        return len(secret.strip()) >= LEAST_MARKED
    return len(secret.strip()) >= LEAST_NAMED and not (
        secret.isalpha() and secret.islower() and len(secret) < 12
    )


def hide_literals(
    value: Any,
    literals: tuple[str, ...],
    paths: list[str] | None,
    path: str = "$",
    *,
    keep_whole: bool = False,
) -> Any:
    """Replace texts wherever they stand in a value, also in keys; copy on write.

    Args:
        value: Plain data.
        literals: The texts.
        paths: Takes where one stood.
        path: Where the value itself stands.
        keep_whole: Leave a text alone that is nothing but one of them.
    """
    if isinstance(value, str):
        if keep_whole and value in literals:
            return value
        shown = _without(value, literals)
        if shown is not value and paths is not None:
            paths.append(path)
        return shown
    if isinstance(value, dict):
        pairs = {
            _without(key, literals) if isinstance(key, str) else key: hide_literals(
                item, literals, paths, f"{path}.{key}", keep_whole=keep_whole
            )
            for key, item in value.items()
        }
        same = all(pairs.get(key, pairs) is item for key, item in value.items())
        return value if same and len(pairs) == len(value) else pairs
    if isinstance(value, list):
        items = [
            hide_literals(item, literals, paths, f"{path}[{n}]", keep_whole=keep_whole)
            for n, item in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _without(text: str, literals: tuple[str, ...]) -> str:
    for literal in literals:
        if literal in text:
            text = text.replace(literal, HIDDEN)
    return text
