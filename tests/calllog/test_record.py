"""The table of columns, the type and the published schema say the same."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import get_type_hints

import jsonschema
import pytest

from agent_tools.record import COLUMNS, REQUIRED, CallRecord, make_schema

PUBLISHED = json.loads((files("agent_tools") / "schemas/call_record.schema.json").read_text("utf-8"))


def test_the_published_schema_is_that_of_the_table():
    """Whoever changes a column publishes the schema anew."""
    assert make_schema() == PUBLISHED


def test_the_type_has_the_columns_of_the_table():
    """In the same order."""
    assert list(get_type_hints(CallRecord)) == list(COLUMNS)


def test_a_record_passes_the_schema(record):
    """With keys that a later version may add."""
    jsonschema.validate(record(new_key=1, error_code=None), PUBLISHED)


@pytest.mark.parametrize("event", REQUIRED)
def test_each_event_needs_its_keys(event, record):
    """A row without them is refused."""
    row = {key: value for key, value in record(event=event).items() if key != REQUIRED[event][-1]}

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(row, PUBLISHED)


@pytest.mark.parametrize("bad", [{"status": "fine"}, {"tokens": "many"}, {"trace_id": "XYZ"}, {"tool": 5}])
def test_a_wrong_value_is_refused(bad, record):
    """Types, closed sets and patterns are checked."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record(**bad), PUBLISHED)
