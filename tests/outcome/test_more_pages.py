"""Pages: more of them, the total, a page past the end."""

from __future__ import annotations

import pytest

from agent_tools.stages.outcome import make_outcome

MORE = [
    ({"items": [], "next_cursor": "abc"}, {"next_cursor": "abc"}),
    ({"items": [1], "nextCursor": "abc"}, {"nextCursor": "abc"}),
    ({"orders": [1], "next_page_token": "x"}, {"next_page_token": "x"}),
    ({"files": [1], "nextPageToken": "x", "kind": "drive#fileList"}, {"nextPageToken": "x"}),
    ({"customer": {"id": 1}, "orders": [1], "next_cursor": "x"}, {"next_cursor": "x"}),
    ({"users": [1], "groups": [2], "next_cursor": "x"}, {"next_cursor": "x"}),
    ({"items": [1], "next_page": 2}, {"next_page": 2}),
    ({"items": [1], "nextLink": "https://x/2"}, {"nextLink": "https://x/2"}),
    ({"value": [1], "@odata.nextLink": "https://x/2"}, {"@odata.nextLink": "https://x/2"}),
    (
        {"count": 57, "next": "https://x/?page=2", "previous": None, "results": [1]},
        {"next": "https://x/?page=2"},
    ),
    ({"items": [1], "cursor": "abc"}, {"cursor": "abc"}),
    ({"records": [1], "offset": "itrAbc/recDef"}, {"offset": "itrAbc/recDef"}),
    ({"items": [1], "has_more": True}, {"has_more": True}),
    (
        {"object": "list", "data": [{"id": "ch_1"}], "has_more": True, "url": "/v1/charges"},
        {"has_more": True, "starting_after": "ch_1"},
    ),
    (
        {"ok": True, "messages": [1], "has_more": True, "response_metadata": {"next_cursor": "bmV4"}},
        {"next_cursor": "bmV4"},
    ),
    ({"Contents": [1], "IsTruncated": True, "NextContinuationToken": "t"}, {"NextContinuationToken": "t"}),
    ({"Items": [1], "Count": 1, "LastEvaluatedKey": {"pk": "1"}}, {"LastEvaluatedKey": {"pk": "1"}}),
    ({"logStreams": [1], "nextToken": "t"}, {"nextToken": "t"}),
    ({"metadata": {"continue": "tok"}, "kind": "PodList", "items": [1]}, {"continue": "tok"}),
    ({"data": [1], "meta": {"next_token": "t", "result_count": 1}}, {"next_token": "t"}),
    ({"data": [1], "links": {"next": "https://x/2"}}, {"next": "https://x/2"}),
    (
        {"_embedded": {"orders": [1]}, "_links": {"next": {"href": "/orders?page=2"}}},
        {"next": "/orders?page=2"},
    ),
    (
        {"resourceType": "Bundle", "total": 9, "link": [{"relation": "next", "url": "u"}], "entry": [1]},
        {"next": "u"},
    ),
    ({"type": "FeatureCollection", "features": [1], "links": [{"rel": "next", "href": "h"}]}, {"next": "h"}),
    ({"results": [1], "paging": {"next": {"after": "10", "link": "https://x"}}}, {"next": "https://x"}),
    (
        {"data": {"users": {"edges": [1], "pageInfo": {"hasNextPage": True, "endCursor": "c"}}}},
        {"endCursor": "c"},
    ),
    (
        {
            "data": {
                "repository": {"issues": {"nodes": [1], "pageInfo": {"hasNextPage": True, "endCursor": "c"}}}
            }
        },
        {"endCursor": "c"},
    ),
    ({"page": 1, "results": [1], "total_pages": 500, "total_results": 10_000}, {"page": 2}),
    ({"hits": [1], "nbHits": 40, "page": 0, "nbPages": 2, "hitsPerPage": 20}, {"page": 1}),
    (
        {"content": [1], "pageable": {"pageNumber": 0}, "totalPages": 3, "number": 0, "last": False},
        {"number": 1},
    ),
    ({"issues": [1] * 50, "startAt": 0, "maxResults": 50, "total": 120}, {"startAt": 50}),
    ({"items": [1], "pagination": {"page": 2, "per_page": 1, "total": 5}}, {"page": 3}),
    ({"totalSize": 9, "done": False, "nextRecordsUrl": "/q/2", "records": [1]}, {"nextRecordsUrl": "/q/2"}),
    (
        {"batchcomplete": "", "continue": {"sroffset": 10}, "query": {"search": [1]}},
        {"continue": {"sroffset": 10}},
    ),
    ({"content": "first lines", "has_more": True, "next_offset": 2000}, {"next_offset": 2000}),
    ({"tree": [1], "truncated": True}, {"truncated": True}),
]


@pytest.mark.parametrize(("value", "following"), MORE, ids=lambda v: str(v)[:60])
def test_more_pages_upstream_are_partial(query, value, following):
    """What asks for the next page is in `next`, as the reply spells it; the value is untouched."""
    outcome = query(value)

    assert outcome.status == "partial"
    assert outcome.meta["next"] == following
    assert outcome.error is None
    assert outcome.value is value


LAST = [
    {"items": [1], "next_cursor": None},
    {"items": [1], "next_cursor": ""},
    {"ok": True, "messages": [1], "has_more": False, "response_metadata": {"next_cursor": ""}},
    {"entries": [1], "cursor": "abc", "has_more": False},
    {"data": {"users": {"edges": [1], "pageInfo": {"hasNextPage": False, "endCursor": "c"}}}},
    {"count": 1, "next": None, "previous": "https://x", "results": [1]},
    {"paging": {"cursors": {"after": "x", "before": "y"}}, "data": [1]},
    {"page": 5, "total_pages": 5, "results": [1]},
    {"hits": [1], "page": 1, "nbPages": 2},
    {"issues": [1] * 20, "startAt": 100, "maxResults": 50, "total": 120},
    {"items": [1], "offset": 0, "limit": 10, "total": 1},
    {"totalResults": 3, "startIndex": 1, "itemsPerPage": 10, "Resources": [1, 2, 3]},
    {"cursor": 0, "keys": ["a"]},
    {"id": 1, "name": "a", "children": [1], "next": "b"},
    {"value": [1], "next": {"value": [2], "next": None}},
    {"title": "Book", "pages": 300, "page": 12, "authors": ["Ann"]},
    {"links": {"self": "/x"}, "data": [1]},
    {"truncated": False, "items": [1]},
]


@pytest.mark.parametrize("value", LAST, ids=lambda v: str(v)[:60])
def test_the_last_page_is_a_success(query, value):
    """A null cursor, a flag that says no more, and a `next` that is a field are no more pages."""
    assert query(value).status == "success"


TOTALS = [
    ({"items": [1, 2], "total": 57}, 57),
    ({"results": [1], "total_count": 3}, 3),
    ({"total_count": 3, "incomplete_results": False, "items": [1]}, 3),
    ({"items": [1], "totalItems": "57"}, 57),
    ({"hits": {"total": {"value": 9, "relation": "eq"}, "hits": [1]}, "took": 1}, 9),
    ({"hits": {"total": 9, "hits": [1]}, "took": 1}, 9),
    ({"response": {"numFound": 9, "docs": [1]}}, 9),
    ({"value": [1], "@odata.count": 9}, 9),
    ({"data": [1], "meta": {"total": 9}}, 9),
    ({"data": [1], "meta": {"pagination": {"total": 9, "page": 9, "pageCount": 9}}}, 9),
    ({"items": [1, 2, 3], "total": 2}, None),
    ({"items": [1], "total": 9.5}, None),
    ({"items": [1], "total": True}, None),
    ({"items": [1], "total": 57, "currency": "EUR"}, None),
    ({"id": 1, "name": "order", "items": [1], "total": 57}, None),
    ({"hits": {"total": {"value": 10_000, "relation": "gte"}, "hits": [1]}}, None),
]


@pytest.mark.parametrize(("value", "total"), TOTALS, ids=lambda v: str(v)[:60])
def test_a_total_beside_a_collection_goes_to_meta(query, value, total):
    """The number of all rows, and neither a sum of money nor a lower bound."""
    outcome = query(value)

    assert outcome.status == "success"
    assert outcome.meta.get("total") == total


@pytest.mark.parametrize(
    ("value", "following"),
    [
        ({"items": [], "total": 57}, None),
        ({"results": [], "count": 57}, None),
        ({"items": [], "total": 57, "offset": 60, "limit": 20}, {"offset": 0}),
        ({"items": [], "total": 57, "page": 9, "per_page": 20}, {"page": 1}),
        ({"hits": {"total": {"value": 57, "relation": "eq"}, "hits": []}, "took": 1}, None),
    ],
    ids=str,
)
def test_a_page_past_the_end_is_partial(query, value, following):
    """Nothing on this page, 57 in all, and a hint to go back."""
    outcome = query(value)

    assert outcome.status == "partial"
    assert (outcome.meta["total"], outcome.meta["returned"]) == (57, 0)
    assert outcome.meta["next"] == following if following else "earlier" in outcome.meta["next"]["hint"]


def test_more_pages_do_not_make_an_action_partial(action):
    """An action has done its work; that its reply has more pages is only mentioned."""
    outcome = action({"items": [1], "next_cursor": "abc"})

    assert outcome.status == "success"
    assert outcome.meta["next"] == {"next_cursor": "abc"}


GRAPHQL_ERRORS = [
    {"message": f"no field {n}", "path": ["user", n], "extensions": {"code": "NOT_FOUND"}} for n in range(30)
]
PARTIAL = [
    {"data": {"user": {"name": "Ann"}, "repo": None}, "errors": GRAPHQL_ERRORS[:2]},
    {"data": [{"id": 1}], "errors": [{"title": "Not Found Error", "value": "2"}]},
    {"results": [1], "error": "the second page failed"},
    {
        "took": 3,
        "errors": True,
        "items": [{"index": {"status": 201}}, {"index": {"error": {"reason": "bad"}}}],
    },
]


@pytest.mark.parametrize("value", PARTIAL, ids=lambda v: str(v)[:60])
def test_data_beside_errors_is_partial(query, value):
    """What came is kept, and what failed is listed."""
    outcome = query(value)

    assert outcome.status == "partial"
    assert outcome.error.message
    assert outcome.meta["failed"]


def test_the_failures_of_a_partial_are_bounded_and_none_is_lost(query):
    """A few are listed with message, path and code; when there are more, all stay in the data."""
    outcome = query({"data": {"user": {"name": "Ann"}}, "errors": GRAPHQL_ERRORS})

    assert outcome.error.code == "NOT_FOUND"
    assert outcome.meta["failed"][0] == {"message": "no field 0", "code": "NOT_FOUND", "path": ["user", 0]}
    assert len(outcome.meta["failed"]) == 20
    assert len(outcome.value["errors"]) == 30


def test_kept_errors_leave_data_whole():
    """With error_as_data="keep" a GraphQL answer with errors is data."""
    judge = make_outcome(kind="query", empty=None, error_as_data="keep")

    assert judge(PARTIAL[0]).status == "success"
