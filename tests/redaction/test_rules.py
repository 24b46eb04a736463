"""The tables of rules hold what they promise."""

import re

import pytest

from agent_tools.stages.redaction import make_redactor
from agent_tools.stages.redaction_rules import DEFAULT_RULES, NUMBERS, RULES, TOKENS


@pytest.mark.parametrize("token", TOKENS, ids=lambda t: t.name)
@pytest.mark.parametrize(
    "frame", ["{}", "using {} now", "key={}", "「{}」", 'x "{}", y', "a\n{}\nb", "调用{}失败"]
)
def test_each_issued_token_is_found(token, frame, redact):
    """The example of a row is hidden wherever it stands, wholly."""
    secret = "".join(token.example)

    text = redact.text(frame.format(secret))

    assert secret[4:] not in text
    assert text == redact.text(text)


def test_the_shortest_token_is_found(redact):
    """Only runs of 15 characters without a blank are tried; no row has anything else."""
    assert redact.text("got " + "xox" + "b-A1b2C3d4E5") == "got [REDACTED]"
    assert not [token.name for token in TOKENS if " " in token.pattern or r"\s" in token.pattern]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: n.name)
@pytest.mark.parametrize("frame", ["{}", "call {} today", "号码{}，谢谢", "x: {}"])
def test_each_number_is_found(number, frame, redact_all):
    """The example of a row is masked beside ASCII and Chinese, and its middle is gone."""
    text = redact_all.text(frame.format(number.example))

    assert number.example not in text
    assert "****" in text or "[REDACTED]" in text


@pytest.mark.parametrize("number", [n for n in NUMBERS if n.name != "plate_cn"], ids=lambda n: n.name)
@pytest.mark.parametrize("frame", ["9{}", "{}7", "a{}", "{}b"])
def test_a_number_inside_a_longer_one_is_left_alone(number, frame, redact_all):
    """A run of letters and digits that only contains a number is something else."""
    text = frame.format(re.sub(r"[^0-9A-Za-z]", "", number.example))

    longer = re.fullmatch(r"[0-9]{13,19}|[A-Z0-9]*", text) is not None
    assert longer or redact_all.text(text) == text


def test_default_rules_are_secrets_phones_ids_and_cards():
    """E-mail, address, IP, names and birth dates stay: tools need them to act."""
    assert {"secret", "phone", "national_id", "card"} == DEFAULT_RULES
    assert set(RULES) > DEFAULT_RULES


@pytest.mark.parametrize(
    ("rules", "hidden"),
    [
        (True, {"password", "mobile"}),
        (False, set()),
        ("all", {"password", "mobile", "email", "client_ip"}),
        (["email"], {"password", "mobile", "email"}),
        (["-phone"], {"password"}),
        (["-phones", "e-mail"], {"password", "email"}),
        (["order_ref"], {"password", "mobile", "orderRef"}),
        (["-all", "ip"], {"client_ip"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_rules_are_added_dropped_and_extended(rules, hidden):
    """A list adds rules, drops them with a minus and names further keys."""
    record = {
        "password": "hunter2",
        "mobile": "13800138000",
        "email": "ann@example.org",
        "client_ip": "10.1.2.3",
        "orderRef": "AB-17",
    }

    shown = make_redactor(rules)(record)

    assert {key for key in record if shown[key] != record[key]} == hidden


@pytest.mark.parametrize("rules", [["-nonsense"], [3], 7, [""]], ids=str)
def test_a_bad_rule_says_what_is_known(rules):
    """Misuse raises when the redactor is made and lists the rules."""
    with pytest.raises((TypeError, ValueError), match=r"national_id|not iterable"):
        make_redactor(rules)
