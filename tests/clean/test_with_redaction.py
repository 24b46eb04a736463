"""The stage with the library's own redactor."""

from __future__ import annotations

import copy
import dataclasses
import json
import types

import pydantic
import pytest

from agent_tools.errors import ToolError
from agent_tools.stages.clean import make_clean
from agent_tools.stages.redaction import make_redactor

PASSWORD = "hunter2" + "hunter2"
CONFIG = {"db": {"password": PASSWORD, "host": "h"}, "list": [{"api_key": "abcd-" * 4}], "none": {}}


class Login(pydantic.BaseModel):
    user: str
    password: str


@dataclasses.dataclass
class Session:
    login: Login
    max_tokens: pydantic.SecretStr


@pytest.fixture
def safe():
    """The stage as the pipeline makes it."""
    return make_clean(make_redactor(True))


def test_a_configuration_is_masked_in_a_copy(safe):
    """The live object keeps its password; an empty part gains no key."""
    before = copy.deepcopy(CONFIG)

    cleaned = safe(CONFIG)

    assert before == CONFIG
    assert PASSWORD not in json.dumps(cleaned.data)
    assert cleaned.data["none"] == {}
    assert "$.db.password" in cleaned.redacted


@pytest.mark.parametrize(
    "value",
    [
        types.MappingProxyType({"password": PASSWORD, "a": 1}),
        [Login(user="ann", password=PASSWORD)],
        ValueError(f"bad password={PASSWORD}"),
        iter([{"password": PASSWORD}]),
    ],
    ids=lambda v: type(v).__name__,
)
def test_secrets_inside_any_object_are_hidden(safe, value):
    """Whatever held the password, it is not shown."""
    cleaned = safe(value)

    assert PASSWORD not in json.dumps(cleaned.data)
    assert "***" in json.dumps(cleaned.data)


def test_a_secret_type_stays_masked_under_a_harmless_name(safe):
    """The mark of the type wins over the name of the field, also with redaction off."""
    session = Session(Login(user="ann", password=PASSWORD), pydantic.SecretStr("hush"))

    assert safe(session).data == {"login": {"user": "ann", "password": "***"}, "max_tokens": "***"}
    assert make_clean(make_redactor(False))(session).data["max_tokens"] == "***"


def test_clean_data_stays_the_same_object(safe):
    """Two stages, no copy."""
    data = {"rows": [{"id": 1, "city": "Rome"}]}

    assert safe(data).data is data


def test_a_failing_rule_of_the_user_shows_nothing():
    """What the rule's exception says stays inside."""

    def rule(value):
        raise ValueError(f"cannot read {value}")

    with pytest.raises(ToolError) as caught:
        make_clean(make_redactor(rule))({"password": PASSWORD})

    assert caught.value.code == "REDACTION_FAILED"
    assert PASSWORD not in str(caught.value)
