"""The stage: plain data, then redaction, then what is to be said about both."""

from __future__ import annotations

import copy
import dataclasses
import types
from typing import Annotated

import pydantic
import pytest

from agent_tools.audiences import visible_to
from agent_tools.columns import TABLES_OF_CALL
from agent_tools.errors import ToolError
from agent_tools.stages.clean import Cleaned, make_clean

CONFIG = {"db": {"password": "secret-abc", "host": "h"}, "list": [{"token": "secret-def"}], "none": {}}


@dataclasses.dataclass
class Order:
    plan_id: Annotated[str, visible_to("plan")]
    status: str
    lines: list[object] = dataclasses.field(default_factory=list)


class Line(pydantic.BaseModel):
    sku: Annotated[str, visible_to("plan")]
    name: Annotated[str, visible_to("plan", "answer")]


@dataclasses.dataclass
class PublicOrder:
    plan_id: Annotated[str, visible_to("plan", "answer")]


class Breaking:
    """A redactor whose own rule fails with the content in its message."""

    def is_harmless(self, record: object) -> bool:
        return False

    def passes(self, record: object, texts: list[str]) -> bool:
        return not texts

    def report(self, value: object) -> tuple[object, list[str]]:
        raise ValueError(f"cannot read {value}")

    def text(self, text: str) -> str:
        return text


def test_clean_data_is_not_copied(clean):
    """Nothing to hide and nothing to convert: the same object."""
    data = {"rows": [{"id": 1}]}

    cleaned = clean(data)

    assert cleaned == Cleaned(data, [], [], [], {})
    assert cleaned.data is data


def test_secrets_are_hidden_in_a_copy(clean):
    """The tool's own object keeps its password, and gains no key."""
    before = copy.deepcopy(CONFIG)

    cleaned = clean(CONFIG)

    assert cleaned.data == {"db": {"password": "***", "host": "h"}, "list": [{"token": "***"}], "none": {}}
    assert cleaned.redacted == ["$.db.password", "$.list[0].token"]
    assert before == CONFIG


def test_secrets_inside_objects_are_found(clean):
    """Redaction sees what any object has become."""
    frozen = types.MappingProxyType({"password": "secret-abc", "error": ValueError("secret-in-text")})

    assert clean((frozen,)).data == [{"password": "***", "error": {"type": "ValueError", "message": "***"}}]
    assert frozen["password"] == "secret-abc"


def test_losses_and_cuts_are_told_by_path(clean):
    """What changed on the way is said beside the data."""
    row: dict[str, object] = {"rate": float("nan")}
    row["self"] = row

    cleaned = clean([row])

    assert cleaned.lossy == ["$[0].rate"]
    assert cleaned.cut == [{"path": "$[0].self", "shown": 0, "total": None, "why": "cycle"}]


def test_a_secret_key_does_not_appear_in_a_path(clean):
    """Paths are redacted, and of bounded length."""
    cleaned = clean({"secret-abc": float("nan"), "k" * 1000: float("nan")})

    assert cleaned.lossy[0] == '$["[hidden]"]'
    assert len(cleaned.lossy[1]) <= 200


def test_a_refusal_does_not_show_a_secret_key(clean):
    """The error names the place with what is secret left out."""
    with pytest.raises(ToolError, match=r'\$\["\[hidden\]"\]: object') as caught:
        clean({"secret-abc": object()})

    assert caught.value.code == "UNSERIALIZABLE_RESULT"


def test_a_secret_type_counts_as_redacted(clean):
    """It is listed with what the redactor hid."""
    cleaned = clean({"max_tokens": pydantic.SecretStr("hush"), "key": "secret-abc"})

    assert cleaned.data == {"max_tokens": "***", "key": "***"}
    assert sorted(cleaned.redacted) == ["$.key", "$.max_tokens"]


def test_what_passes_the_quick_look_is_not_walked(masking):
    """Only a flat object of plain values is looked at; with a marked place in it the walk finds that."""
    looked = []
    masking.passes = lambda record, texts: looked.append(texts) is None
    clean = make_clean(masking)
    record = {"id": 7, "key": "secret-abc"}

    assert clean(record).data is record
    assert clean({"keys": ["secret-abc"]}).data == {"keys": ["***"]}
    assert clean({"rate": float("inf"), "key": "secret-abc"}).data == {"rate": None, "key": "***"}
    assert looked == [["secret-abc"]]


@pytest.mark.parametrize("error", [ValueError("hush"), ToolError("hush", code="X"), RecursionError("hush")])
def test_a_failing_redactor_shows_nothing(masking, error):
    """Neither the value nor what the rule said, not even through the cause."""

    def fail(value: object) -> tuple[object, list[str]]:
        raise error

    masking.report = fail
    with pytest.raises(ToolError) as caught:
        make_clean(masking)({"password": "hush"})

    assert caught.value.code == "REDACTION_FAILED"
    assert "hush" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_rule_that_returns_other_objects_cannot_break_the_result(masking):
    """What a redactor returns is made plain, too."""
    masking.report = lambda value: ({"a": (1, float("nan"))}, ["$.a"])

    assert make_clean(masking)({"a": 1}).data == {"a": [1, None]}


def test_a_rule_that_returns_nonsense_is_a_failed_redaction(masking):
    """It is not the tool's value that has no form."""
    masking.report = lambda value: (object(), [])

    with pytest.raises(ToolError) as caught:
        make_clean(masking)({"a": 1})

    assert caught.value.code == "REDACTION_FAILED"


def test_marks_are_collected_by_path(clean):
    """Each record type tells who may see its fields, wherever its records stand."""
    orders = {"orders": [Order("P1", "paid", [Line(sku="s", name="n")])], "last": Order("P2", "open")}

    assert clean(orders).marks == {
        ("orders", "*"): {"plan_id": ["plan"]},
        ("orders", "*", "lines", "*"): {"name": ["answer", "plan"], "sku": ["plan"]},
        ("last",): {"plan_id": ["plan"]},
    }


def test_marks_follow_a_record_to_every_place(clean):
    """The same record at two places is marked at both."""
    shared = [[Order("P1", "paid")]]

    assert list(clean({"a": shared, "b": shared}).marks) == [("a", "*", "*"), ("b", "*", "*")]


def test_the_stricter_mark_wins_where_types_meet(clean):
    """Rows of two types at one path are seen by those whom both types allow."""
    mixed = [PublicOrder("P1"), Order("P2", "open")]

    assert clean(mixed).marks == {("*",): {"plan_id": ["plan"]}}
    assert clean(mixed[::-1]).marks == {("*",): {"plan_id": ["plan"]}}


def test_marks_follow_a_key_that_was_redacted(clean):
    """A record under a hidden key is as marked as before."""
    cleaned = clean({"secret-abc": Order("secret-def", "paid")})

    assert cleaned.marks[("[hidden]",)] == {"plan_id": ["plan"]}


def test_rows_of_an_iterator_are_bounded(masking):
    """max_rows is handed on."""
    cleaned = make_clean(masking, max_rows=2)({"rows": iter([1, 2, 3])})

    assert cleaned.data == {"rows": [1, 2]}
    assert cleaned.cut == [{"path": "$.rows", "shown": 2, "total": None, "why": "max_rows"}]


def test_a_rule_that_changes_the_rows_it_is_given_is_seen():
    """What was read of the rows before is not taken for what they are now."""

    class Rewrites:
        def is_harmless(self, record):
            return False

        def report(self, value):
            value["rows"][5]["id"] = (5,)
            return dict(value), []

        def text(self, text):
            return text

    token = TABLES_OF_CALL.set({})
    try:
        shown = make_clean(Rewrites())({"rows": [{"id": n} for n in range(100)]}).data
    finally:
        TABLES_OF_CALL.reset(token)

    assert shown["rows"][5] == {"id": [5]}
