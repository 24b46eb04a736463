"""What counts as empty, in the shapes in which services say that nothing matched."""

from __future__ import annotations

import array
import io
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, deque, namedtuple
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import pytest

from agent_tools.stages.outcome import make_outcome


@dataclass
class Page:
    """A page of rows."""

    items: list = field(default_factory=list)
    total: int = 0


@dataclass
class File:
    """A thing with a size."""

    name: str
    size: int
    tags: list = field(default_factory=list)


Row = namedtuple("Row", "id name")


class Colour(Enum):
    """A value that is falsy inside."""

    RED = 0


ES = {
    "took": 1,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []},
}
NATIVE = [
    None,
    "",
    "  \n",
    [],
    {},
    (),
    set(),
    frozenset(),
    deque(),
    MappingProxyType({}),
    b"",
    bytearray(),
    range(0),
]
NATIVE += [
    OrderedDict(),
    Counter(),
    UserDict(),
    UserList(),
    ChainMap(),
    {}.keys(),
    io.BytesIO(),
    io.StringIO(""),
]
TEXTS = ["[]", "{}", "null", " [] \n", '{"results": []}', '{"data": {"items": []}}']
REPLIES = [
    {"items": [], "total": 0},
    {"results": []},
    {"data": {"results": []}},
    {"data": []},
    {"data": None},
    {"result": ""},
    {"orders": []},
    {"diff_lines": ""},
    {"matching_lines": [], "pattern": "x"},
    {"query": "x", "results": [], "took_ms": 3},
    {"customer_id": "C1", "orders": [], "count": 0},
    {"user_id": "U1", "items": []},
    {"status": True, "message": "Success", "data": []},
    {"status": "ok", "totalResults": 0, "articles": []},
    {"status": "ok", "files": [], "folders": []},
    {"status": "ok", "content": ""},
    {
        "success": True,
        "errors": [],
        "messages": [],
        "result": [],
        "result_info": {"page": 1, "total_count": 0},
    },
    {"count": 0, "next": None, "previous": None, "results": []},
    {"total_count": 0, "incomplete_results": False, "items": []},
    {"object": "list", "data": [], "has_more": False, "url": "/v1/charges"},
    {"object": "list", "results": [], "next_cursor": None, "has_more": False, "type": "page", "page": {}},
    {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "12"}, "items": []},
    {"Items": [], "Count": 0, "ScannedCount": 0, "ResponseMetadata": {"HTTPStatusCode": 200}},
    {"Reservations": [], "ResponseMetadata": {"RequestId": "x", "HTTPStatusCode": 200}},
    {"type": "FeatureCollection", "name": "cities", "crs": {"type": "name"}, "features": []},
    {"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": 0, "start": 0, "docs": []}},
    {
        "hits": [],
        "nbHits": 0,
        "page": 0,
        "nbPages": 0,
        "hitsPerPage": 20,
        "query": "x",
        "processingTimeMS": 1,
    },
    {"hits": [], "query": "", "processingTimeMs": 0, "limit": 20, "offset": 0, "estimatedTotalHits": 0},
    {"total_rows": 0, "offset": 0, "rows": []},
    {"head": {"vars": ["x"]}, "results": {"bindings": []}},
    {"columns": ["a", "b"], "rows": [], "rowcount": 0},
    {"@odata.context": "https://x/$metadata", "@odata.count": 0, "value": []},
    {
        "_embedded": {"orders": []},
        "_links": {"self": {"href": "/orders"}},
        "page": {"size": 20, "totalElements": 0},
    },
    {
        "content": [],
        "pageable": {"pageNumber": 0},
        "totalElements": 0,
        "totalPages": 0,
        "last": True,
        "number": 0,
    },
    {"data": [], "links": {"self": "/x", "next": None}, "meta": {"total": 0}},
    {"data": {"users": {"edges": [], "pageInfo": {"hasNextPage": False, "endCursor": None}}}},
    {"data": {"repository": {"issues": {"nodes": [], "totalCount": 0}}}},
    {"resourceType": "Bundle", "type": "searchset", "total": 0, "link": [{"relation": "self", "url": "x"}]},
    {"status": "success", "data": {"resultType": "vector", "result": []}},
    {"status": "ZERO_RESULTS", "results": []},
    {"jsonrpc": "2.0", "id": 1, "result": []},
    {"content": [], "isError": False},
    {"entries": [], "cursor": "abc", "has_more": False},
    {
        "query": "x",
        "follow_up_questions": None,
        "answer": None,
        "images": [],
        "results": [],
        "response_time": 1.2,
    },
    {"records": [], "message": "No results found."},
    {"content": [{"type": "text", "text": ""}], "isError": False},
    {"content": [{"type": "text", "text": "[]"}]},
    {"batchcomplete": "", "query": {"searchinfo": {"totalhits": 0}, "search": []}},
    {"kind": "calendar#events", "summary": "me", "updated": "now", "defaultReminders": [], "items": []},
    {"tracks": {"href": "x", "limit": 20, "next": None, "offset": 0, "total": 0, "items": []}},
    {"matches": [], "namespace": "x", "usage": {"readUnits": 1}},
    ES,
    Page(),
    [Page()][0].__dict__,
    SimpleNamespace(items=[], total=0),
]


@pytest.mark.parametrize("value", NATIVE + TEXTS + REPLIES, ids=lambda v: str(v).partition(" at 0x")[0][:60])
def test_nothing_found_is_empty(query, value):
    """A query that finds nothing is empty and no error."""
    outcome = query(value)

    assert outcome.status == "empty"
    assert outcome.error is None


VALUES = [0, 0.0, -0.0, Decimal(0), False, float("nan"), 0j, date(2024, 1, 1), Path(), Colour.RED, object()]
VALUES += [
    [None],
    [[]],
    [0],
    [""],
    {"a": None, "b": None},
    {0: 0},
    (0,),
    b" ",
    range(1),
    {None},
    {"": ""}.keys(),
]
VALUES += [array.array("i", [0]), io.BytesIO(b"x"), Row(None, None), File("a", 0), File, len, ValueError]
VALUES += ["0", "No results found.", "None", "false", "[x]", "{not json}", "nullable", '{"a": 0}', "[0]"]
VALUES += [
    {"count": 0},
    {"rowcount": 0},
    {"total": 0},
    {"status": "ok"},
    {"status": True},
    {"count": 0, "type": "words"},
    {"id": 1, "name": "Ann", "tags": []},
    {"id": 1, "username": "ann", "tags": [], "mentions": []},
    {"booking_id": "1", "transaction_id": "2", "booking_status": True, "booking_history": {}},
    {"customer": {"id": 1}, "orders": []},
    {"valid": True, "errors": []},
    {"errors": []},
    {"warnings": [], "errors": []},
    {"stdout": "", "stderr": ""},
    {"stdout": "", "stderr": "", "exit_code": 0},
    {"query": "x", "answer": "Paris", "results": []},
    {"pressure": 35.0, "healthy": True, "info": {}},
    {"id": 1, "status": "open", "resolution": ""},
    {
        "hits": {"total": {"value": 9, "relation": "eq"}, "hits": []},
        "aggregations": {"by_day": {"buckets": [1]}},
    },
    {"order": {"id": 1, "items": []}},
    {"results": [None]},
    {"eu-west-1": {}, "eu-west-2": {}},
    {1: "a", "x": ""},
    {"success": True},
    {"deleted": True},
    {"data": {"count": 0}},
    {"result": 0},
    {"result": False},
    {"value": 0},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: str(v).partition(" at 0x")[0][:60])
def test_a_value_is_a_success(query, value):
    """Zero, False, NaN, a count of 0, a thing with an empty list and all-null rows are values."""
    assert query(value).status == "success"


@pytest.mark.parametrize("value", NATIVE + REPLIES, ids=lambda v: str(v).partition(" at 0x")[0][:60])
def test_an_action_is_never_empty(action, value):
    """An action that returns nothing has done its work."""
    outcome = action(value)

    assert outcome.status == "success"
    assert outcome.value is value


def test_a_summary_of_nothing_is_empty():
    """A summary that computed nothing found nothing to compute."""
    assert make_outcome(kind="summary", empty=None, error_as_data="detect")(None).status == "empty"


@pytest.mark.parametrize("value", [[], {}, "", None, {"items": []}], ids=repr)
def test_the_empty_value_itself_is_kept(query, value):
    """The empty list stays a list, the empty text a text."""
    assert query(value).value is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[]", []),
        ("null", None),
        ('{"rows": [1]}', {"rows": [1]}),
        ("[12345678901234567890123]", [12345678901234567890123]),
        ("[0.30000000000000004]", [0.30000000000000004]),
    ],
)
def test_json_text_is_read_as_what_it_holds(query, text, value):
    """An object, array or null in a text becomes the value, huge integers exactly."""
    assert query(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        "[NaN]",
        "[1e999]",
        "[0.1234567890123456789012345]",
        "5",
        '"x"',
        "true",
        "[1] and more",
        "[" * 100_000,
        '{"id": 1}\n{"id": 2}',
    ],
    ids=lambda text: text[:30],
)
def test_text_that_json_would_change_stays_text(query, text):
    """Duplicate keys, NaN, numbers beyond float, scalars and anything that is no JSON stay as they came."""
    outcome = query(text)

    assert outcome.status == "success"
    assert outcome.value is text


@pytest.mark.parametrize("value", [{"a": None, "b": None}, [None, None], [[], []]], ids=repr)
def test_all_null_is_said(query, value):
    """Rows of nulls are a value, and meta says what they are."""
    assert query(value).meta["warnings"]


def test_the_tools_own_predicate_wins():
    """`empty=` decides in both directions."""
    judge = make_outcome(
        kind="query", empty=lambda value: value == "No results found.", error_as_data="detect"
    )

    assert judge("No results found.").status == "empty"
    assert judge([]).status == "success"
    assert judge({"error": "boom"}).status == "error"
    assert judge({"items": [], "next_cursor": "x"}).status == "partial"


def test_a_predicate_that_raises_is_the_authors_bug():
    """The pipeline makes an error of what `empty=` raises; it is not swallowed here."""
    judge = make_outcome(kind="query", empty=lambda value: value.missing, error_as_data="detect")

    with pytest.raises(AttributeError):
        judge([])


def test_kept_errors_stay_data():
    """error_as_data="keep" turns the detection off, and nothing else."""
    judge = make_outcome(kind="query", empty=None, error_as_data="keep")

    assert judge({"error": "boom"}).status == "success"
    assert judge("Error: boom").status == "success"
    assert judge({"items": []}).status == "empty"
    assert judge({"items": [1], "next_cursor": "x"}).status == "partial"


@pytest.mark.parametrize(
    "value", [{"status": "error", "error": {"code": 7}, "data": None}, {"results": [], "error": "boom"}]
)
def test_an_error_that_is_kept_is_something_found(value):
    """With error_as_data="keep" nothing is said to have matched nothing where an error stands."""
    judge = make_outcome(kind="query", empty=None, error_as_data="keep")

    outcome = judge(value)

    assert (outcome.status, outcome.value, outcome.error) == ("success", value, None)
