"""Single values as text, by the qualified name of their type: dates, amounts, ids, addresses, secrets.

A part of `plain_data`. A row's key is `module.Class` or `package.Class` (libraries move classes between
their modules); it holds for subclasses, too. Nothing is imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import methodcaller
from typing import Any

SHORT_BYTES = 256

MAGIC = (
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)


class Fields(tuple[tuple[object, object], ...]):
    """Names and values of one object, in order; a name may come twice.

    Example:
        >>> Fields([("id", 1)])
        (('id', 1),)
    """

    __slots__ = ()


def iso_duration(nanoseconds: int) -> str:
    """Return an ISO 8601 duration in days, hours, minutes and seconds.

    Example:
        >>> iso_duration(90_061_500_000_000), iso_duration(-60_000_000_000), iso_duration(0)
        ('P1DT1H1M1.5S', '-PT1M', 'PT0S')
    """
    if not nanoseconds:
        return "PT0S"
    seconds, nanos = divmod(abs(nanoseconds), 1_000_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    second_text = f"{seconds}{fraction}S" if seconds or nanos else ""
    time = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n) + second_text
    sign = "-" if nanoseconds < 0 else ""
    return f"{sign}P{f'{days}D' if days else ''}{f'T{time}' if time else ''}"


def from_timedelta(value: Any) -> str:
    """Return an ISO 8601 duration."""
    return iso_duration(((value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds) * 1000)


def from_decimal(value: Any) -> str | float:
    """Return the digits as they stand, `"1.10"`; NaN and infinity as floats, which become null."""
    return str(value) if value.is_finite() else math.nan


def from_enum(member: Any) -> str:
    """Return a member's value when that is text, else its name; combined flags as `"READ|WRITE"`."""
    value = member._value_
    if isinstance(value, str):
        return value
    return member._name_ if member._name_ is not None else str(value)


def from_bytes(value: bytes) -> str | dict[str, object]:
    """Return base64 when short, else what it is.

    Example:
        >>> from_bytes(b"hello")
        'aGVsbG8='
        >>> from_bytes(b"GIF89a" + bytes(1000))["type"]
        'image/gif'
    """
    import base64

    if len(value) <= SHORT_BYTES:
        return base64.b64encode(value).decode("ascii")
    import hashlib

    return {"type": _media_type(value), "size": len(value), "sha256": hashlib.sha256(value).hexdigest()}


def _media_type(value: bytes) -> str:
    known = next((name for start, name in MAGIC if value.startswith(start)), None)
    if known:
        return known
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "application/octet-stream" if "\x00" in text else "text/plain"


def _hidden_password(url: Any) -> str:
    return str(url.render_as_string(hide_password=True))


VALUES: dict[str, Callable[[Any], object]] = {
    "builtins.bytearray": bytes,
    "builtins.memoryview": bytes,
    "builtins.complex": lambda value: str(complex(value)).strip("()"),
    "collections.UserString": lambda value: value.data,
    "datetime.date": methodcaller("isoformat"),
    "datetime.time": methodcaller("isoformat"),
    "datetime.timedelta": from_timedelta,
    "datetime.timezone": str,
    "zoneinfo.ZoneInfo": lambda zone: zone.key,
    "decimal.Decimal": from_decimal,
    "fractions.Fraction": str,
    "ipaddress._IPAddressBase": str,
    "pathlib.PurePath": str,
    "re.Pattern": lambda pattern: pattern.pattern,
    "uuid.UUID": str,
    "uuid_utils.UUID": str,
    "bson.ObjectId": str,
    "bson.Decimal128": lambda value: value.to_decimal(),
    "httpx.URL": str,
    "yarl.URL": str,
    "pydantic._BaseUrl": str,
    "pydantic._BaseMultiHostUrl": str,
    "pydantic_core.Url": str,
    "pydantic_core.MultiHostUrl": str,
    "sqlalchemy.URL": _hidden_password,
}

# Shown as *** under any key: the type says what the name may not.
SECRETS = frozenset(
    {
        "pydantic.SecretStr",
        "pydantic.SecretBytes",
        "pydantic.Secret",
        "pydantic._SecretBase",
        "starlette.Secret",
    }
)
SECRET_TEXT = "***"

# Recognised only to be refused: a handle would be read to its end, a mock has every method.
REFUSED = frozenset({"_io._IOBase", "unittest.NonCallableMock"})
