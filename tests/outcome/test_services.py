"""Answers of services, programs and frameworks, each with the status that its reader would give.

For each way in which a failure is told, the list has look-alikes that are data.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ANSWERS = [
    json.loads(line) for line in Path(__file__).with_name("services.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: str(answer["returned"])[:60])
def test_an_answer_gets_the_status_of_its_kind(query, answer):
    """A failure that is told, nothing found, a part, and data that only speaks of failures are told apart."""
    assert query(answer["returned"]).status == answer["expect"]


def test_most_kinds_of_failure_have_a_look_alike():
    """Precision is measured as much as recall: there are as many look-alikes as failures."""
    expected = [answer["expect"] for answer in ANSWERS]

    assert expected.count("success") + expected.count("empty") >= expected.count("error")
