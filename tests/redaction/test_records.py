"""Records of many kinds: keys, commands, configuration, addresses, logs and prose, with and without secrets.

A line of `records.jsonl` is a record whose `{word}`, `{secret}`, `{mobile}`, ... is made up here (what stands
between ⟦ and ⟧ is taken as it is) and has to be hidden, or one that has to stay as it is.
"""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest

LINES = [
    json.loads(line) for line in Path(__file__).with_name("records.jsonl").read_text("utf-8").splitlines()
]
_PLACE = re.compile(r"\{(otp|pin|cvv|mobile|id|card|word|secret|password)\}|⟦(.*?)⟧")


def _made_up(maker, kind):
    digits = {"otp": 6, "pin": 4, "cvv": 3}
    if kind in digits:
        return "".join(maker.random.choices("123456789", k=digits[kind]))
    if kind == "word":
        return "x" + "".join(maker.random.choices(string.ascii_letters, k=5)) + "472Kq"
    if kind == "id":
        return maker.resident_id()
    return getattr(maker, kind)().replace(" ", "")


@pytest.mark.parametrize(
    "record", [line["hide"] for line in LINES if "hide" in line], ids=lambda record: str(record)[:60]
)
def test_a_secret_is_hidden_wherever_it_stands(record, redact_all, maker, shown):
    """Whatever carries it: the value is in no part of what is shown."""
    hidden = []

    def fill(hit):
        hidden.append(_made_up(maker(len(record)), hit[1]) if hit[1] else hit[2])
        return hidden[-1]

    filled = json.loads(_PLACE.sub(fill, json.dumps(record, ensure_ascii=False)))

    text = shown(redact_all(filled))

    assert hidden
    assert not [value for value in hidden if value in text]


@pytest.mark.parametrize(
    "record", [line["keep"] for line in LINES if "keep" in line], ids=lambda record: str(record)[:60]
)
def test_what_only_speaks_of_secrets_stays(record, redact_all):
    """Settings, labels, code, templates, ids and prose: the same object comes back."""
    assert redact_all(record) is record
