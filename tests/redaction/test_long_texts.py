"""A long text, whose patterns are tested by another engine first, hides what a short one hides."""

from __future__ import annotations

import pytest

from agent_tools.redaction import Rule
from agent_tools.stages.redaction import make_redactor

SECRET = "hunT" + "er2x9q"
USUAL = "the pump runs as planned and the valve is open\n" * 600
HIDDEN = {
    "key": f"password={SECRET}",
    "sentence": f"the password for ann is {SECRET}",
    "option": f"deploy --password {SECRET} now",
    "option in capitals": f"deploy --DB_PASSWORD {SECRET}",
    "Chinese": f"密码：{SECRET}",
    "Russian": f"пароль: {SECRET}",
    "insert": f"INSERT INTO users (name, password) VALUES ('ann', '{SECRET}')",
    "copy": f"COPY users (name, password) FROM stdin;\nann\t{SECRET}\n\\.",
    "block": f"db:\n  password: |\n    {SECRET}\n",
    "item": f"passwords:\n  - {SECRET}\n",
    "label": f"Password\n{SECRET}\n",
    "name and value": f'name: "DB_PASSWORD", value: "{SECRET}"',
    "curl": f"curl -u ann:{SECRET} https://shop.example/",
    "mysql": f"mysql -h db -p{SECRET} shop",
    "wifi": f"WIFI:S:home;T:WPA;P:{SECRET};;",
    "oracle": f"sqlplus app/{SECRET}@db",
    "program": f"sshpass -p {SECRET} ssh db",
    "call": f'requests.get(url, auth=("ann", "{SECRET}"))',
    "terraform": f'variable "db_password" {{\n  default = "{SECRET}"\n}}',
    "identified": f"CREATE USER ann IDENTIFIED BY '{SECRET}'",
    "netrc": f"machine db login ann password {SECRET}",
    "code before": "824193 is your login code",
    "code after": "Use code 824193 to go on",
    "form": f'Content-Disposition: form-data; name="password"\n\n{SECRET}\n',
    "element": f"<password>{SECRET}</password>",
    "URL": f"postgres://app:{SECRET}@db/shop",
    "mobile": "+86 138 0013 8000",
    "full width": "１３８００１３８０００",
    "led": "phone number: 824193115",
    "led from above": "phone number:\n 824193115",
    "issued": "gh" + f"p_A1b2C3d4E5{SECRET}A1b2C3",
    "scheme": f"Bearer AbCdef{SECRET}",
    "code in a URL": f"https://shop.example/back?code=A1b2C3d4{SECRET}&state=1",
    "random": f"session=A1b2C3d4{SECRET}",
    "bare number": '"api_key": 824193115824193115',
    "id": "SSN: 536-22-8145",
    "card": "4111 1111 1111 1111",
}


@pytest.mark.parametrize("beside", ["", "ü", "\ud800"], ids=["ASCII", "Latin", "no Unicode"])
@pytest.mark.parametrize("kind", HIDDEN)
def test_what_is_hidden_in_a_short_text_is_hidden_in_a_long_one(kind, beside):
    """Whatever else is in the text."""
    redact, text = make_redactor(), HIDDEN[kind]
    before, after = f"{USUAL}{beside}\n\n", f"\n\n{USUAL}"

    shown = redact(before + text + after)

    assert redact(f"\n\n{text}\n\n") != f"\n\n{text}\n\n"
    assert text not in shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    ("rules", "secrets", "value"),
    [(True, [], "gh" + "p_" + "A1b2C3d4E5" * 3), (True, [], "13800138000"), (True, [SECRET], SECRET),
     ([Rule("order", r"ORD\d{6}", "ORD654321")], [], "ORD123456")],
    ids=["token", "number", "literal", "own rule"],
)  # fmt: skip
def test_what_stands_in_a_long_run_is_hidden(rules, secrets, value):
    """A text without blanks and signs is looked at for less; nothing that may stand in it is left out."""
    run = "aB3+" * 8_000

    shown = make_redactor(rules, secrets=secrets)([f"{run}/{value}/{run}", run])

    assert value not in shown[0]
    assert shown[1] == run


def test_each_cell_of_a_long_table_is_hidden(redact):
    """With and without quotes and blanks; a line of another number of cells is no row."""
    rows = [f'"ann, b","{SECRET}{n}",Rome\neve, {SECRET}{n} ,Oslo\n' for n in range(900)]

    shown = redact("name,password,city\n" + "".join(rows) + "the, end")

    assert shown == "name,password,city\n" + '"ann, b","***",Rome\neve, *** ,Oslo\n' * 900 + "the, end"
