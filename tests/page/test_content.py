"""What the pages are made of."""

from __future__ import annotations

import html
import json
import re

import pytest

from agent_tools.calllog.page import policy, render
from agent_tools.calllog.page.index_data import make_index_payload
from agent_tools.calllog.page.stats_data import Statistics
from agent_tools.calllog.page.trace_data import make_trace_payload

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>{{script}}{{data}}\u2028"


def _data_of(page):
    [text] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_a_page_gives_back_what_was_put_in(make_row):
    """The page's data are the rows, whatever they hold."""
    payload = make_trace_payload([make_row(tool=HOSTILE, prompt=HOSTILE, trace_name=HOSTILE)])

    assert _data_of(render(payload)) == json.loads(json.dumps(payload))


def test_hostile_text_makes_no_markup(make_row):
    """A page has as many elements as one without any text of the log."""
    hostile = render(make_trace_payload([make_row(tool=HOSTILE, trace_name=HOSTILE, prompt=HOSTILE)]))
    harmless = render(make_trace_payload([make_row()]))

    assert hostile.count("<script") == harmless.count("<script") == 2
    assert hostile.count("<!--") == harmless.count("<!--") == 0
    assert html.escape(HOSTILE[:-1]) in hostile.partition("</title>")[0]


def test_the_policy_allows_one_script_and_nothing_from_elsewhere():
    """Nothing is loaded, and no inline script but the page's own runs."""
    rules = dict(rule.strip().split(" ", 1) for rule in policy().split(";"))

    assert rules["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/=]{44}'", rules["script-src"])
    assert "unsafe" not in policy()
    assert rules["require-trusted-types-for"] == "'script'"


def test_a_page_loads_nothing(make_row):
    """No address in the page is fetched, and uPlot's licence is in it."""
    page = render(make_trace_payload([make_row()]))

    assert not re.findall(r'<(?:link|img|iframe|script)[^>]*(?:src|href)="(?!data:)', page)
    assert "Permission is hereby granted" in page


def test_a_page_of_a_trace_holds_its_calls_views_and_answers(make_row):
    """Rows of every kind find their place."""
    rows = [
        make_row(1),
        make_row(2, parent_span_id=f"{1:016x}"),
        make_row(2, event="tool_view", prompt_view="answer", prompt="for the card"),
        make_row(3, event="tool_start", status=None),
        make_row(4, event="answer", answer="42", numbers_unsupported=["42"]),
    ]

    payload = make_trace_payload(rows)

    calls = payload["calls"]
    assert [(c["row"]["seq"], c["depth"], c["ended"]) for c in calls] == [
        (1, 0, True),
        (2, 1, True),
        (3, 0, False),
    ]
    assert [view["prompt"] for view in calls[1]["views"]] == ["for the card"]
    assert payload["answers"][0]["numbers_unsupported"] == ["42"]
    assert payload["stats"]["whole"]["calls"] == 2


def test_a_trace_that_is_too_long_shows_its_latest_calls(make_row):
    """What is left out is counted, not passed over in silence."""
    payload = make_trace_payload([make_row(n) for n in range(1, 31)], max_calls=10)

    assert [call["row"]["seq"] for call in payload["calls"]] == list(range(21, 31))
    assert payload["trace"]["left_out"] == 20


@pytest.mark.parametrize("length_s", [0, 1, 90, 7_000, 2_000_000])
def test_every_call_is_in_one_bucket_of_time(make_row, length_s):
    """The chart over time has few bars and loses no call."""
    from datetime import UTC, datetime, timedelta

    statistics = Statistics()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for n in range(101):
        statuses = ("success", "error", "of a later version")
        moment = start + timedelta(seconds=length_s * n / 100)
        statistics.add(make_row(ts=moment.isoformat(), status=statuses[n % 3]))

    time = statistics.to_payload("")["time"]
    assert sum(sum(time[name]) for name in ("success", "empty", "partial", "error", "cancelled")) == 101
    assert sum(time["tokens"]) == 101 * 20
    assert 1 <= len(time["t"]) <= 97


def test_rows_with_odd_values_make_a_page(make_row):
    """What a foreign writer left in a column costs no page."""
    odd = [make_row(n, ts=ts, elapsed_ms=ms, tokens="many", seq="x") for n, (ts, ms) in enumerate(ODD)]

    payload = make_trace_payload(odd)

    assert len(_data_of(render(payload))["calls"]) == len(ODD)


ODD = [("", None), ("soon", "slow"), ("9999-12-31T23:59:59Z", -5), (None, 1e300), ("2026-01-31T12:00:00", 0)]


def test_the_list_of_traces_says_what_to_look_at(make_row):
    """Failures, empties, cuts and unsupported numbers are counted by trace, the latest first."""
    rows = [
        make_row(1, status="error"),
        make_row(2, status="empty"),
        make_row(3, truncated=True, trace_name="the task"),
        make_row(4, event="answer", numbers_unsupported=["7", "8"]),
        make_row(5, trace_id="cd" * 16),
    ]

    first, second = make_index_payload(reversed(rows), "log")["traces"]
    assert first["id"] == "cd" * 16
    assert (second["name"], second["calls"], second["errors"], second["empty"]) == ("the task", 3, 1, 1)
    assert (second["cut"], second["unsupported"]) == (1, 2)
