"""What single values of Python and of other libraries become."""

from __future__ import annotations

import array
import base64
import datetime as dt
import decimal
import enum
import fractions
import hashlib
import ipaddress
import pathlib
import re
import types
import uuid
import zoneinfo
from collections import UserString

import httpx
import pydantic
import pytest

WEST = dt.timezone(dt.timedelta(hours=-3))


class Color(enum.Enum):
    RED = "red"
    HIGH = 3


class Rank(enum.IntEnum):
    FIRST = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Text(str):
    def __str__(self) -> str:
        return "not this"


class Count(int):
    pass


class Rate(float):
    pass


CASES = [
    (dt.date(2031, 5, 1), "2031-05-01"),
    (dt.datetime(2031, 5, 1, 9, 30), "2031-05-01T09:30:00"),  # noqa: DTZ001
    (dt.datetime(2031, 5, 1, 9, 30, tzinfo=WEST), "2031-05-01T09:30:00-03:00"),
    (dt.time(9, 30), "09:30:00"),
    (dt.timedelta(days=1, seconds=5, microseconds=500_000), "P1DT5.5S"),
    (dt.timedelta(seconds=-60), "-PT1M"),
    (dt.timedelta(0), "PT0S"),
    (WEST, "UTC-03:00"),
    (zoneinfo.ZoneInfo("Europe/Rome"), "Europe/Rome"),
    (decimal.Decimal("1.10"), "1.10"),
    (fractions.Fraction(1, 3), "1/3"),
    (1 + 2j, "1+2j"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8"),
    (re.compile(r"a+"), "a+"),
    (UserString("text"), "text"),
    (Color.RED, "red"),
    (Color.HIGH, "HIGH"),
    (Rank.FIRST, "FIRST"),
    (Access.READ | Access.WRITE, "READ|WRITE"),
    (Access(0), "0"),
    (Text("own"), "own"),
    (Count(3), 3),
    (Rate(0.5), 0.5),
    (b"hi\x00", base64.b64encode(b"hi\x00").decode()),
    (bytearray(b"hi"), "aGk="),
    (memoryview(b"hi"), "aGk="),
    (array.array("i", [1, 2]), [1, 2]),
    (types.SimpleNamespace(a=1), {"a": 1}),
    (httpx.URL("http://a/b"), "http://a/b"),
    (pydantic.AnyUrl("http://a/b"), "http://a/b"),
]

# of libraries that need not be there
OTHERS = [
    ("bson", lambda bson: bson.ObjectId("0123456789abcdef01234567"), "0123456789abcdef01234567"),
    ("bson", lambda bson: bson.Decimal128("1.10"), "1.10"),
    ("yarl", lambda yarl: yarl.URL("http://a/b"), "http://a/b"),
    ("uuid_utils", lambda uuid_utils: uuid_utils.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ("sqlalchemy", lambda sa: sa.make_url("postgresql://u:" + "pw@h/d"), "postgresql://u:***@h/d"),
    ("starlette.datastructures", lambda starlette: starlette.Secret("hush"), "***"),
]


@pytest.mark.parametrize(("value", "expected"), CASES, ids=lambda v: type(v).__name__)
def test_a_value_becomes_the_text_or_number_that_means_it(plain, value, expected):
    """Each kind has one documented form, at the top and inside of data."""
    assert plain(value) == expected
    assert plain({"v": [value]}) == {"v": [expected]}
    assert type(plain(value)) is type(expected)


@pytest.mark.parametrize(
    ("module", "make", "expected"), OTHERS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_value_of_another_library_is_known_by_name(plain, module, make, expected):
    """Nothing is imported for it: the name of its type is enough."""
    library = pytest.importorskip(module)

    assert plain([make(library)]) == [expected]


@pytest.mark.parametrize(
    "secret",
    [pydantic.SecretStr("hush"), pydantic.SecretBytes(b"hush"), pydantic.Secret(5)],
    ids=lambda v: type(v).__name__,
)
def test_a_secret_type_is_masked_under_any_name(plain, notes, secret):
    """The type says that it is secret, whatever the field is called."""
    assert plain({"max_tokens": secret}) == {"max_tokens": "***"}
    assert notes({"max_tokens": secret}).hidden.texts() == ["$.max_tokens"]


@pytest.mark.parametrize(
    ("start", "media_type"),
    [(b"\x89PNG\r\n\x1a\n", "image/png"), (b"%PDF-1.7", "application/pdf"), (b"words ", "text/plain")],
)
def test_long_bytes_become_what_they_are(plain, notes, start, media_type):
    """Long bytes are described, and the cut is said."""
    raw = start + b"x" * 5000

    described = plain({"file": raw})["file"]

    assert described == {"type": media_type, "size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    assert notes({"file": raw}).cut_entries() == [
        {"path": "$.file", "shown": 0, "total": len(raw), "why": "bytes"}
    ]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), decimal.Decimal("NaN")], ids=repr
)
def test_a_number_that_json_lacks_is_null_and_said(plain, notes, value):
    """NaN and infinity are null, never 0 and never gone, and their paths are kept."""
    data = {"rows": [{"v": 1.0}, {"v": value}]}

    assert plain(data) == {"rows": [{"v": 1.0}, {"v": None}]}
    assert notes(data).lossy.texts() == ["$.rows[1].v"]


def test_many_losses_in_one_column_are_one_entry(notes):
    """The list of lossy places stays short: places are counted by column."""
    data = {"rows": [{"v": float("nan"), "w": float("inf")} for _ in range(500)]}

    assert notes(data).lossy.texts() == ["$.rows[*].v (500 values)", "$.rows[*].w (500 values)"]


def test_losses_in_many_columns_stay_twenty_entries(notes):
    """What does not fit into the list is still counted."""
    data = {f"c{i}": float("nan") for i in range(1000)}

    texts = notes(data).lossy.texts()

    assert len(texts) == 20
    assert texts[-1] == "$..* (981 values)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("bold \ud835 text", "bold \ufffd text"), ("\udc97", "\ufffd"), ("\ud83d\ude00", "\U0001f600")],
    ids=["high half", "low half", "both halves"],
)
def test_half_a_surrogate_pair_is_replaced(plain, notes, text, expected):
    """Scraped text with half a pair stays readable and can be encoded; a whole pair is joined."""
    assert plain({"title": text, "ok": "fine"}) == {"title": expected, "ok": "fine"}
    assert plain("x" * 30_000 + text) == "x" * 30_000 + expected
    assert notes([text]).lossy.texts() == ["$[0]"]


def test_a_huge_integer_is_kept_and_a_gigantic_one_is_hexadecimal(plain, notes):
    """JSON has no limit; Python refuses to write more than 4300 digits."""
    assert plain({"n": 10**4000})["n"] == 10**4000
    assert plain({"n": 10**5000})["n"] == hex(10**5000)
    assert notes({"n": -(10**5000)}).lossy.texts() == ["$.n"]


def test_an_exception_becomes_type_and_message(plain):
    """An error object inside data is told without traceback or repr."""
    group = ExceptionGroup("both", [ValueError("a"), KeyError("b")])

    assert plain(ValueError("bad")) == {"type": "ValueError", "message": "bad"}
    assert [inner["type"] for inner in plain(group)["exceptions"]] == ["ValueError", "KeyError"]


def test_an_exception_without_readable_text_still_has_its_type(plain):
    """A __str__ that fails does not hide what kind of error it was."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert plain([Mute()]) == [{"type": "Mute", "message": ""}]
