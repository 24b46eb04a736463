"""CSV: one line per record for every reader, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.formats.csv_text import cell, csv_lines

TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=20)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_line_breaks_commas_and_quotes_stay_inside_their_record(body):
    """Each record is one record to a CSV reader, with the same number of cells."""
    data = [
        {"name": "A, Inc", "note": "line1\nline2", "q": 'say "hi"', "v": None},
        {"name": "B", "extra": 7, "note": "", "v": 0},
        {"name": "=1+1", "note": "\r\ntrailing ", "v": False},
    ]

    rows = read(body("csv", data))

    assert rows == [
        ["name", "note", "q", "v", "extra"],
        ["A, Inc", "line1\nline2", 'say "hi"', "", ""],
        ["B", "", "", "0", "7"],
        ["'=1+1", "\r\ntrailing ", "", "False", ""],
    ]


def test_null_is_an_empty_cell_and_an_empty_text_is_quoted(body):
    """The documented rule by which null and the empty text stay apart."""
    assert body("csv", [{"a": None, "b": ""}]) == 'a,b\r\n,""'


def test_a_lone_null_is_no_blank_line(body):
    """A reader skips a blank line, so a record that is only null is written out."""
    assert read(body("csv", [{"a": None}, {"a": 1}])) == [["a"], ["null"], ["1"]]


@pytest.mark.parametrize("formula", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1"])
def test_formula_is_disarmed(formula):
    """A text that a spreadsheet would run starts with an apostrophe."""
    assert read(cell(formula))[0][0] == "'" + formula


@pytest.mark.parametrize("harmless", ["-5", "+3.5", "-1e6", "a=b", "Rome"])
def test_plain_text_is_not_disarmed(harmless):
    """Numbers and words stay as they are."""
    assert cell(harmless) == harmless


def test_nested_cell_is_json(body):
    """A list or object in a cell reads as JSON, not as Python."""
    rows = read(body("csv", [{"id": 1, "to": {"city": "北京", "ok": True}}]))

    assert json.loads(rows[1][1]) == {"city": "北京", "ok": True}


@given(st.lists(st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=4), min_size=1, max_size=6))
def test_every_text_comes_back(rows):
    """What a CSV reader reads is what was written, but for the apostrophe before a formula."""
    columns = list(dict.fromkeys(key for row in rows for key in row))

    header, *read_rows = read("\r\n".join(csv_lines(rows)))

    assert [name.removeprefix("'") for name in header] == [name.removeprefix("'") for name in columns]
    for row, cells in zip(rows, read_rows, strict=True):
        wanted = [row.get(column) or "" for column in columns]
        if any(column in row for column in columns) and cells != ["null"]:
            assert [c.removeprefix("'") for c in cells] == [w.removeprefix("'") for w in wanted]
