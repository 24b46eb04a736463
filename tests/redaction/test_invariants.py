"""What holds for every value."""

import copy
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent_tools.errors import ErrorCode, ToolError
from agent_tools.stages.plain_data import plain_data
from agent_tools.stages.plain_look import texts_of_record
from agent_tools.stages.redaction import make_redactor
from agent_tools.stages.redaction_strip import strip

ALL = make_redactor("all")
KEYS = st.sampled_from(
    ["password", "mobile", "token", "name", "value", "columns", "rows", "note", "auth", "card", "手机号"]
)
TEXTS = st.text(max_size=40) | st.sampled_from(
    [
        "password=hunter2",
        "13800138000",
        "Bearer abcdef123456",
        '{"token": "a1b2c3d4"}',
        "\x1b[31mred",
        "a\u200bb",
        "\ud800x",
        "***",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**19), 10**19) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXTS, inner, max_size=4),
    max_leaves=24,
)


@settings(max_examples=300, deadline=None)
@given(value=VALUES)
@example(value=[["", "Passw=00C"], [None, 100]])
def test_nothing_is_mutated_and_twice_changes_nothing_more(value):
    """The input stays as it was; redacting the result again returns that very object."""
    before = copy.deepcopy(value)

    once = ALL(value)

    assert value == before
    assert ALL(once) == once


RECORDS = st.dictionaries(
    KEYS | TEXTS | st.integers(), TEXTS | st.integers(-(10**19), 10**19) | st.floats() | st.none(), max_size=5
)


@settings(max_examples=300, deadline=None)
@given(record=RECORDS | st.just({"id": 7, "city": "Rome"}))
def test_the_quick_look_and_the_walk_agree(record):
    """What a look at a flat object lets pass is plain, and the walk leaves it alone."""
    texts = texts_of_record(record)
    if texts is not None:
        plain = plain_data(record)
        assert plain == (record, None)
        walked = ALL(record)
        assert not ALL.passes(record, texts) or walked is record


def test_the_quick_look_knows_keys_once_they_were_walked():
    """It is quick for what it was told of, and says no to all else."""
    redactor, record = make_redactor(), {"id": 7, "city": "Rome"}

    assert not redactor.passes(record, ["Rome"])
    redactor(record)
    assert redactor.passes(record, ["Rome"])
    assert not redactor.passes(record | {"city": "password: hunter2"}, ["password: hunter2"])


@settings(max_examples=150, deadline=None)
@given(value=VALUES)
def test_the_report_names_what_changed(value):
    """There are paths when a value was hidden, and the value is the one that a call returns."""
    redacted, paths = ALL.report(value)

    assert redacted == ALL(value)
    assert all(path.startswith("$") for path in paths)
    assert not paths or redacted != value


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60))
def test_no_control_character_is_left(text):
    """Neither terminal escapes nor bidirectional nor zero-width characters reach a reader."""
    shown = make_redactor(False).text(text)

    assert strip(shown) == shown
    assert not any(c in shown for c in "\x00\x07\x08\x1b\x7f\x9b\u200b\u202e\u2066\ufeff")


ODD_CHARS = "\x1b\x9b\x9d\x90\x98[]P^_\\;31m@ \n\x00\x07\x08\x9c\xad\u200b\u200c\u200d\ufeff"
ODD_CHARS += "\U000e0041\U000e0101\ud800é码a-"
USUAL = "the pump runs as planned\n" * 900


@settings(max_examples=400, deadline=None)
@given(text=st.text(st.sampled_from(ODD_CHARS), max_size=14))
@example(text="a\u200c\u200db \U000e0041 \x9b31mred\x1b[0m \x1b]0;title\x1b\\ \x1bPx\x9cy")
def test_a_long_text_is_stripped_as_a_short_one_is(text):
    """Characters that are looked for one by one go where those of a short text go."""
    assert strip(USUAL + text) == USUAL + strip(text)
    assert strip(f"{text}\n{USUAL}") == f"{strip(text)}\n{USUAL}"
    assert make_redactor(False)([USUAL + text, "ok"]) == [USUAL + strip(text), "ok"]


def test_a_sequence_that_begins_ends_the_one_before():
    """What stands behind the second of two 8-bit sequences is text, as it is behind two of ESC."""
    assert strip("\x9d0;title\x9b31mred") == strip("\x1b]0;title\x1b[31mred") == "red"


def test_clean_parts_are_shared():
    """Copy on write: only the way to what changed is copied."""
    value = {"dirty": {"password": "x1"}, "clean": {"a": [1, {"b": "c"}]}}

    shown = make_redactor()(value)

    assert shown["clean"] is value["clean"]
    assert value["dirty"]["password"] == "x1"


def test_escapes_go_and_layout_stays():
    """Colours and links go; newlines, tabs, emoji and joiners of other scripts stay."""
    text = "\x1b[1;31mError\x1b[0m:\t\x1b]8;;http://x\x07link\x1b]8;;\x07\r\n👩\u200d💻 می\u200cخواهم"

    assert make_redactor(False).text(text) == "Error:\tlink\r\n👩\u200d💻 می\u200cخواهم"


def test_keys_are_cleaned_and_kept_apart(redact):
    """A key that is itself a number or holds controls is shown clean; two that look alike both stay."""
    shown = redact({"13800138000": 1, "13811138000": 2, "a\x1b[0mb": 3})

    assert shown == {"138****000": 1, "138****000 (2)": 2, "ab": 3}


@pytest.mark.parametrize("depth", [300, 3_000])
def test_deep_nesting_is_redacted_to_the_bottom(depth, redact):
    """Depth neither overflows nor hides a secret from the redactor."""
    value: object = {"password": "hunter2"}
    for _ in range(depth):
        value = [value]

    shown = redact(value)

    for _ in range(depth):
        shown = shown[0]
    assert shown == {"password": "***"}


def test_paths_lead_to_what_was_hidden(redact):
    """A path reads like `$.rows[1].mobile`."""
    _, paths = redact.report({"rows": [{"n": 1}, {"mobile": "13800138000"}], "note": "password=x1y2"})

    assert paths == ["$.rows[1].mobile", "$.note"]


def test_a_failing_redactor_shows_nothing():
    """A fault is REDACTION_FAILED, without any content and without a chain that holds it."""

    def broken(_value):
        raise RuntimeError("hunter2")

    with pytest.raises(ToolError) as caught:
        make_redactor(broken)({"password": "hunter2"})

    assert caught.value.code == ErrorCode.REDACTION_FAILED
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_function_of_the_users_own_does_the_work():
    """A callable replaces the rules; control characters are gone before it sees the value."""
    redact = make_redactor(lambda value: {**value, "seen": True})

    assert redact({"a": "x\x1b[0m"}) == {"a": "x", "seen": True}


@pytest.mark.parametrize(
    "unit",
    ["password=", "key is ", '\\"', "138 ", "a@b.", "://a:", "eyJ.", "密码：", "{", "AA00 ", "1-", "sk-a1"],
)
def test_a_repeated_fragment_does_not_stall(unit, redact_all):
    """Long hostile texts come back, still parseable as text, with no secret grown."""
    text = redact_all.text(unit * 2_000)

    assert isinstance(text, str)
    assert "\x00" not in json.dumps(text)
