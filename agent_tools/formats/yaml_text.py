"""YAML in block style, below one line of JSON with status, meta and error. Nothing is lost.

A text stands bare only where no parser, YAML 1.1 or 1.2, would take it for something else: `no`, `1_000`,
`0o17`, `12:30:00`, `2026-10-01` and `~` are quoted. Quoted text uses JSON's escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent_tools.formats.compact_json import dumps, head_line

# starts with a letter, so it can be no number and no date; no ": ", no " #", no blank at the end
_BARE = re.compile(r"[^\W\d_](?:[\w./@()+-]| (?=[\w./@(+-]))*")
_WORDS = frozenset(
    {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"}
)
# line breaks to YAML, and what PyYAML's reader refuses
_SPECIAL = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
MAX_KEY = 900  # a longer key needs the `? key` form (YAML 1.2, 7.4.2: 1024 characters)
MAX_DEPTH = 60


def render(envelope: Mapping[str, Any]) -> str:
    """Render as a line of JSON and YAML.

    Example:
        >>> data = [{"code": "no", "size": 1e16, "tags": ["a", "1"], "to": {}}]
        >>> print(render({"status": "success", "meta": {}, "error": None, "data": data}).partition("\\n")[2])
        - code: "no"
          size: 1.0e+16
          tags:
          - a
          - "1"
          to: {}
    """
    return "\n".join([head_line(envelope), *_block(envelope["data"], 0)])


def _block(value: Any, depth: int) -> Iterator[str]:
    if type(value) is dict and value and depth < MAX_DEPTH:
        for key, item in value.items():
            yield from _pair(scalar(key), item, depth)
    elif type(value) is list and value and depth < MAX_DEPTH:
        for item in value:
            lines = _block(item, depth + 1)
            yield f"- {next(lines)}"
            yield from _indent(lines)
    else:
        yield scalar(value)


def _pair(key: str, value: Any, depth: int) -> Iterator[str]:
    colon = ":"
    if len(key) > MAX_KEY:
        yield f"? {key}"
        key = ""
    lines = _block(value, depth + 1)
    if isinstance(value, dict | list) and value and depth + 1 < MAX_DEPTH:
        yield key + colon
        yield from _indent(lines) if type(value) is dict else lines
    else:
        yield f"{key}{colon} {next(lines)}"


def _indent(lines: Iterator[str]) -> Iterator[str]:
    return ("  " + line for line in lines)


def scalar(value: Any) -> str:
    """Write one value on one line.

    Example:
        >>> scalar("Rome"), scalar("off"), scalar("2026-10-01"), scalar(None), scalar(1e-7)
        ('Rome', '"off"', '"2026-10-01"', 'null', '1.0e-07')
    """
    if type(value) is str:
        if _BARE.fullmatch(value) and value.lower() not in _WORDS and not _SPECIAL.search(value):
            return value
        return _SPECIAL.sub(lambda m: f"\\u{ord(m[0]):04x}", dumps(value))
    if type(value) is float and "e" in (text := repr(value)):
        mantissa, _, exponent = text.partition("e")
        # YAML 1.1 reads a float only with a point and a signed exponent
        return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent}"
    return dumps(value)
