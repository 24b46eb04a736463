"""Read a text as the JSON that it holds: a part of `outcome`.

In:   a text.
Out:  the object, array or null in it; HELD_NOTHING when it is no JSON, holds a scalar, or would lose
      something (duplicate keys, NaN, a number beyond float).
Cost: nothing for a text that does not begin like JSON; else one pass of the standard parser.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Final

HELD_NOTHING: Final = object()
_FLOAT_DIGITS = 17  # a float of up to so many characters reads back as the same number


class _LossyError(ValueError):
    """The text would not survive being read."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise _LossyError("duplicate key")
    return read


def _float(digits: str) -> float:
    number = float(digits)
    if len(digits) > _FLOAT_DIGITS and not _is_exact(digits, number):
        raise _LossyError("a number beyond float")
    if number in (float("inf"), float("-inf")):
        raise _LossyError("a number beyond float")
    return number


def _is_exact(digits: str, number: float) -> bool:
    try:
        written, kept = Decimal(digits), Decimal(repr(number))
    except InvalidOperation:
        return False
    # 17 significant digits tell any two floats apart: what differs after them no float can say
    return written == kept or len(written.normalize().as_tuple().digits) <= _FLOAT_DIGITS


def _constant(name: str) -> object:
    raise _LossyError(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)


def read_json_text(text: str) -> object:
    """Return the object, array or null that a text holds, else HELD_NOTHING.

    Example:
        >>> read_json_text('{"rows": []}')
        {'rows': []}
        >>> read_json_text("[link](https://example.com)") is HELD_NOTHING
        True
    """
    start = text[:100].lstrip()[:1] or text.lstrip()[:1]
    if start not in ("{", "[", "n") or (start == "n" and text.strip() != "null"):
        return HELD_NOTHING
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return HELD_NOTHING
