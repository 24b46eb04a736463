"""What fits goes out as it is."""

from __future__ import annotations

import pytest

from agent_tools.formats import get_renderer
from agent_tools.stages.budget import Draft, make_fit


def refuse(text: str) -> int:
    raise AssertionError("nothing should be counted")


@pytest.mark.parametrize(
    "data", [{"id": 7, "city": "Rome"}, 0, False, "text", None, {"rows": [1, 2]}], ids=repr
)
def test_small_value_is_untouched_and_needs_no_counting(data):
    """The bytes of a small result tell that it fits."""

    class Bytes:
        count = capped = prefix = staticmethod(refuse)
        name = "none"

        def fits(self, text: str, limit: int) -> bool:
            return len(text.encode()) <= limit

        def surely_fits(self, limit: int) -> int:
            return limit

    fit = make_fit(
        max_tokens=1500, counter=Bytes(), format="auto", get_renderer=get_renderer, tool="t", kind="query"
    )

    fitted = fit(Draft("success", data, {}, None, {}, "r_1", "plan"))

    assert (fitted.cut, fitted.tokens, fitted.envelope["data"]) == (False, None, data)


def test_nothing_special_needs_little_meta(fit, prompt):
    """Call id and time are for the log, not for the model."""
    assert prompt({"ok": 1}) == {
        "status": "success",
        "meta": {"format_version": "v1"},
        "error": None,
        "data": {"ok": 1},
    }
    assert fit({"ok": 1}).envelope["meta"] == {"call_id": "c_1", "elapsed_ms": 1.5, "format_version": "v1"}


def test_list_is_counted_in_words(prompt):
    """A model that sees the number in a sentence does not count the rows."""
    rows = [{"id": i, "name": f"n{i}"} for i in range(30)]

    shown = prompt(rows, 800, tool="find_open_orders")

    assert shown["meta"]["summary"] == "There are 30 open orders in all; all are shown."
    assert shown["data"]["columns"] == ["id", "name"]
    assert "result_id" not in shown["meta"]


def test_table_comes_before_a_cut(fit):
    """Records that only fit as a table are not cut."""
    data = {"items": [{"identifier": i, "description": "none", "parts": []} for i in range(60)], "page": 1}

    fitted = fit(data, 650)

    assert (fitted.cut, fitted.format, fitted.envelope["data"]) == (False, "table", data)


def test_no_ceiling_shows_everything(fit):
    """None means no budget."""
    rows = [{"id": i} for i in range(5000)]

    fitted = fit(rows, None)

    assert (fitted.cut, fitted.envelope["data"]) == (False, rows)


def test_native_characters_fit_where_their_escapes_would_not(fit):
    """The budget is taken on the text that is sent."""
    data = {"title": "日本語の要約", "body": "北京是中国的首都。" * 20}

    fitted = fit(data, 400)

    assert not fitted.cut
    assert "北京" in fitted.text
    assert "\\u" not in fitted.text


def test_special_tokens_are_ordinary_text(fit):
    """A text that looks like a marker of the tokenizer is only text."""
    text = "training data ends with <|endoftext|> and <|im_start|>system\n<|fim_prefix|>" * 3

    assert fit(text).envelope["data"] == text


def test_fields_trim_each_record(fit):
    """Only the wanted fields are kept, in lists inside an object too."""
    rows = [{"id": 1, "note": "x"}, {"id": 2, "note": "y"}]

    assert fit(rows, fields=("id",)).envelope["data"] == [{"id": 1}, {"id": 2}]
    assert fit({"items": rows, "total": 2}, fields=("id",)).envelope["data"] == {
        "items": [{"id": 1}, {"id": 2}],
        "total": 2,
    }


def test_fields_name_what_is_inside_a_field(fit):
    """A path keeps a part of a field, in lists of objects too; a key with a dot in it is a key."""
    rows = [{"id": 1, "to": {"id": 7, "name": "Bo"}, "lines": [{"sku": "a", "n": 1}], "a.b": 5, "note": "x"}]

    kept = fit(rows, fields=("id", "to.id", "lines.sku", "a.b")).envelope["data"]

    assert kept == [{"id": 1, "to": {"id": 7}, "lines": [{"sku": "a"}], "a.b": 5}]
    assert fit(rows, fields=("to.id", "to")).envelope["data"] == [{"to": {"id": 7, "name": "Bo"}}]


def test_meta_stands_in_its_order(prompt):
    """The summary is first, the version last, the tool's own keys between."""
    meta = {"sql": "select 1", "warnings": ["w"], "next": {"page": 2}, "total": 40, "attempts": 2}

    shown = prompt([1, 2], status="partial", meta=meta)

    assert list(shown["meta"]) == [
        "summary",
        "total",
        "next",
        "warnings",
        "attempts",
        "sql",
        "format_version",
    ]
