"""An object of columns, as weather services, charts and frames give it, is shown as the rows that it is."""

import datetime
import json

import pytest

from agent_tools import read_result, tool
from agent_tools.columns import rows_of_columns
from agent_tools.tokens import count

DAYS = [str(datetime.date(2026, 1, 1) + datetime.timedelta(n)) for n in range(300)]
NUMBERS = [20.5 + n % 7 for n in range(299)]


def _with_peak(at):
    return [*NUMBERS[:at], 94.5, *NUMBERS[at:]]


def _shown(result):
    return json.loads(result.to_prompt())["data"]


@pytest.mark.parametrize("at", [0, 150, 299])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda columns: columns,
        lambda columns: {"city": "Rome", "unit": "C", "daily": columns},
        lambda columns: {"chart": {"error": None, "result": {"symbol": "X", "series": columns}}},
    ],
    ids=["itself", "in a field", "deep"],
)
def test_a_value_is_shown_beside_its_day(wrap, at):
    """The odd value of one column stands in a row with those of the others, wherever it is."""
    value = wrap({"time": DAYS, "celsius": _with_peak(at)})

    result = tool(lambda: value, name="get_weather", max_tokens=400)()

    assert count(result.to_prompt()) <= 400
    text = result.to_prompt()
    assert f'["{DAYS[at]}",94.5]' in text
    assert result.meta["total"] == 300
    assert "celsius: 20.5 to 94.5" in result.meta["summary"]


def test_the_rest_of_each_column_is_read_by_the_numbers_of_the_rows():
    """What to call next gives the first column from where the rows end; the others are read alike."""
    result = tool(
        lambda: {"daily": {"time": DAYS, "celsius": _with_peak(7)}}, name="get_weather", max_tokens=400
    )()
    arguments = result.meta["next"]["arguments"]

    assert arguments["path"] == "daily.time"
    assert read_result(**arguments).data[0] == DAYS[arguments["offset"]]
    beside = read_result(arguments["result_id"], path="daily.celsius", offset=arguments["offset"])
    assert beside.data[0] == _with_peak(7)[arguments["offset"]]


def test_what_is_read_back_is_what_was_returned():
    """The rows are a way to show it; what is stored, and what code gets, has its own shape."""
    value = {"time": DAYS, "celsius": _with_peak(7)}
    result = tool(lambda: value, name="get_weather", max_tokens=400)()

    assert result.value is value
    assert read_result(result.meta["result_id"], path="time", limit=3).data == DAYS[:3]


@pytest.mark.parametrize(
    "value",
    [
        {"users": ["ann", "bo"] * 25, "groups": ["a", "b"] * 25},
        {"added": [3, 1] * 25, "removed": [2, 9] * 25},
        {"time": DAYS, "celsius": NUMBERS},
        {"time": DAYS[:10], "celsius": NUMBERS[:10]},
        {"time": DAYS, "spans": [[n] for n in range(300)]},
        {"time": DAYS},
        {},
    ],
    ids=["two pages of names", "two pages of ids", "other lengths", "short", "nested", "one", "none"],
)
def test_lists_that_only_stand_together_are_no_columns(value):
    """By chance two lists may be of one length, or they are no columns of plain values."""
    assert rows_of_columns(value) is None


def test_a_frame_by_columns_needs_no_axis():
    """Three lists of one length, one of numbers, are no chance."""
    frame = {"name": [f"n{n * 7 % 50}" for n in range(50)], "score": [n * 13 % 50 for n in range(50)]}

    assert rows_of_columns(frame) is None
    assert rows_of_columns({**frame, "grade": ["A", None] * 25})[1] == {
        "name": "n7",
        "score": 13,
        "grade": None,
    }


def test_a_value_that_does_not_compare_is_no_axis():
    """A gap or two kinds in a column."""
    assert rows_of_columns({"day": [*range(29), None], "celsius": [1, 2] * 15}) is None
    assert rows_of_columns({"day": [*range(29), "x"], "celsius": [1, 2] * 15}) is None
