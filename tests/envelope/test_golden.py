"""Golden envelopes of format v1: these files never change, and every release reads and writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent_tools import NotFound, ToolResult, tool
from agent_tools.result import envelope_schema

GOLDEN = Path(__file__).parent.parent / "golden"
FILES = sorted(GOLDEN.glob("v1_*.json"))


def _refuse() -> None:
    raise NotFound("There is no order 'A1'. Order numbers begin with B.")


CASES: dict[str, Any] = {
    "v1_success": (lambda: {"id": 7, "name": "Åsa", "open": True, "total": 12.5}, {"kind": "query"}, {}),
    "v1_success_list": (lambda: [{"id": 1, "city": "Rome"}, {"id": 2, "city": None}], {"kind": "query"}, {}),
    "v1_table": (lambda: [{"id": i, "city": "Rome"} for i in range(3)], {"kind": "query"}, {}),
    "v1_empty": (lambda city: [], {"kind": "query"}, {"city": "Rome"}),
    "v1_more_pages": (lambda: {"items": [1, 2], "next_cursor": "abc", "total": 9}, {"kind": "query"}, {}),
    "v1_action_without_value": (lambda: None, {"kind": "action"}, {}),
    "v1_error": (_refuse, {"kind": "query"}, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_the_golden_one(name: str) -> None:
    """The same call gives the very text of the first release of this version."""
    function, settings, arguments = CASES[name]

    text = tool(function, name="find_orders", **settings)(**arguments).to_prompt()

    assert text == (GOLDEN / f"{name}.json").read_text(encoding="utf-8").rstrip("\n")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_golden_envelope_is_read(file: Path) -> None:
    """A golden file obeys the schema and reads back to the same status and error."""
    envelope = json.loads(file.read_text(encoding="utf-8"))

    result = ToolResult.from_dict(envelope)

    assert result.status == envelope["status"]
    assert (result.error.to_dict() if result.error else None) == envelope["error"]
    if envelope["status"] != "partial":  # a prompt does not show `returned`
        jsonschema.validate(envelope, envelope_schema())
