"""Turn a record into the one line of JSON that stands for it, whatever the record holds.

In:   a flat mapping; expected to be plain JSON data, but nothing in it makes the line fail.
Out:  UTF-8 bytes with exactly one line break, the last byte, under every reader's idea of a line break.
Cost: about 1.5 us for 1 kB; what orjson refuses is walked and costs some 100 us more.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from agent_tools.calllog.caps import shorten
from agent_tools.calllog.plain import to_plain

# The longest line: a prompt of 16 kB, arguments and traceback of 8 kB, all of it doubled by escaping.
LINE_BYTES = 65_536
# str.splitlines and JavaScript end a line at these, JSON does not escape them. The first byte is looked for
# before the whole: 0.2 us instead of 1 us, and rare in most scripts.
_LINE_BREAKS = (
    (b"\xc2", b"\xc2\x85", b"\\u0085"),
    (b"\xe2", b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2", b"\xe2\x80\xa9", b"\\u2029"),
)


def to_line(record: Mapping[str, object]) -> bytes:
    r"""Render a record as one line.

    Example:
        >>> to_line({"tool": "find", "q": "a\u2028b"})
        b'{"tool":"find","q":"a\\u2028b"}\n'
    """
    try:
        line = orjson.dumps(record, to_plain, orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # lone surrogates, integers over 64 bits, keys that are not text, cycles
        line = orjson.dumps(to_plain(record), None, orjson.OPT_APPEND_NEWLINE)
    if not line.isascii():
        line = _without_breaks(line)
    if len(line) <= LINE_BYTES:
        return line
    # half: escaped line breaks may double what was measured
    short, _ = shorten(to_plain(record), LINE_BYTES // 2)
    assert isinstance(short, dict)
    return _without_breaks(orjson.dumps(short | {"log_capped": True}, None, orjson.OPT_APPEND_NEWLINE))


def _without_breaks(line: bytes) -> bytes:
    for lead, raw, escaped in _LINE_BREAKS:
        if lead in line:
            line = line.replace(raw, escaped)
    return line
