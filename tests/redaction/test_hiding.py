"""What is hidden, and what a mask still shows."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tools.stages.redaction import make_redactor

KEYS = {
    "password": ("password", "db_password", "userPwd", "登录密码"),
    "secret": ("api_key", "clientSecret", "X-API-Key", "access_token", "signing_key", "密钥"),
    "mobile": ("mobile", "contact_phone", "phoneNumber", "手机号"),
    "card": ("card_no", "bankCard", "银行卡号"),
    "resident_id": ("id_card", "idNumber", "身份证号"),
}
CASES = [(kind, key) for kind, keys in KEYS.items() for key in keys]


@pytest.mark.parametrize(("kind", "key"), CASES)
def test_a_sensitive_value_is_hidden_in_every_carrier(kind, key, maker, carriers, redact, shown):
    """Dicts, pairs, tables, JSON in text, logs, forms, CSV, XML: the value is gone, the key stays."""
    value = getattr(maker(len(key)), kind)()

    for name, carry in carriers.items():
        if name == "xml" and not key.isidentifier():
            continue
        result = redact(carry(key, value))
        assert value not in shown(result), name
        assert key in shown(result), name


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), kind=st.sampled_from(("token", "mobile", "card", "resident_id", "iban")))
def test_a_value_known_by_its_look_needs_no_key(seed, kind, maker_cls):
    """In free text, without any word before it, it is found all the same."""
    value = getattr(maker_cls(seed), kind)()
    redact = make_redactor()

    assert value not in redact.text(f"see {value} there")
    assert value not in redact.text(f"他说{value}。")


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"password": "hunter2"}, {"password": "***"}),
        ({"password": 382927}, {"password": "***"}),
        ({"internal_token": "svc-abc", "n": 1}, {"n": 1}),
        ({"mobile": 13800138000}, {"mobile": "138****000"}),
        ({"phone": "+44 7895 583135"}, {"phone": "+44 789****135"}),
        ({"phone": "010-88886666"}, {"phone": "010****666"}),
        ({"card_no": "6212 5420 9482 1663 187"}, {"card_no": "****3187"}),
        ({"id_number": "11010519491231002X"}, {"id_number": "110****02X"}),
        ({"plate_no": "粤AH0862"}, {"plate_no": "粤A****62"}),
        ({"api_key": "abcdef1234567890"}, {"api_key": "[REDACTED]"}),
        ({"phones": ["13800138000", "13900139000"]}, {"phones": ["138****000", "139****000"]}),
        (
            {"password": {"value": "x1y2z3", "min_length": 12}},
            {"password": {"value": "***", "min_length": 12}},
        ),
        (
            {"credentials": {"user": "svc", "password": "p1", "ttl": 60}},
            {"credentials": {"user": "svc", "password": "***", "ttl": 60}},
        ),
        ({"auth": ("ann", "hunter2hunter2")}, {"auth": ("ann", "***")}),
        ({"argv": ["mysql", "--password", "s3cr3t", "db"]}, {"argv": ["mysql", "--password", "***", "db"]}),
    ],
    ids=lambda v: next(iter(v)) if isinstance(v, dict) else str(v),
)
def test_each_kind_has_its_mask(record, expected, redact):
    """Passwords show nothing, phones and ids their edges, cards the last four; internal tokens go."""
    assert redact(record) == expected


@pytest.mark.parametrize(
    "record",
    [
        {"token": 4096, "max_tokens": 20, "api_key": 3},
        {"password": None, "has_password": True, "password_required": "yes"},
        {"secret": True, "token": ""},
        {"phone": "iPhone 15 Pro", "mobile": "n/a", "card": "visa", "id_card": "招商银行"},
        {"password": "${DB_PASSWORD}", "token": "<token>", "api_key": "***"},
        {"pin": 3, "pass": 12, "fail": 3},
        {"tokens": ["Hello", "world"], "session": "morning"},
    ],
    ids=str,
)
def test_what_can_not_be_a_secret_stays(record, redact_all):
    """Counters, flags, placeholders and words under a sensitive key are left alone."""
    assert redact_all(record) is record


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://app:s3cr3t@10.1.2.3:5432/orders", "postgresql://app:***@10.1.2.3:5432/orders"),
        ("postgres://u:p@ss/w0rd@h/db", "postgres://u:***@h/db"),
        ("redis://:s3cr3tpw@h:6379/0", "redis://:***@h:6379/0"),
        ("Authorization: Bearer abc.def-ghi_jkl~mno failed", "Authorization: Bearer [REDACTED] failed"),
        ("curl -u admin:hunter2x https://h", "curl -u admin:*** https://h"),
        ("mysql -uroot -pS3cr3tPw db", "mysql -uroot -p*** db"),
        ("docker login -u ci --password aEweuiUPJI https://x", "docker login -u ci --password *** https://x"),
        ("grant_type=password&password=aB3&scope=all", "grant_type=password&password=***&scope=all"),
        (
            "Server=db;User Id=sa;Password=Pa$$w0rd;Encrypt=yes",
            "Server=db;User Id=sa;Password=***;Encrypt=yes",
        ),
        ("Set-Cookie: sid=0123456789abcdef; Path=/", "Set-Cookie: [REDACTED]"),
        ("the password is YEwvIP7XpB please change it", "the password is *** please change it"),
        ("密码：HEdmlwn9jZ，请修改", "密码：***，请修改"),
        ("您的验证码为 123456，5分钟内有效", "您的验证码为 ***，5分钟内有效"),
        ("839201 is your verification code", "*** is your verification code"),
        ("4821 is your PIN", "*** is your PIN"),
        ('token: bearer "hunter2x" ok', 'token: bearer "[REDACTED]" ok'),
        ("token: bearer  <none>", "token: bearer  <none>"),
        ("passphrase: correct horse battery staple", "passphrase: ***"),
        ("passport no: E12345678 ok", "passport no: E1****78 ok"),
        ("手机１３８００１３８０００", "手机138****000"),
        ("手机138\u200b0013\u200b8000", "手机138****000"),
        ("hunter\u200b2 pass\u200bword=hunter\u200b2", "hunter2 password=***"),
    ],
)
def test_text_around_a_value_stays_readable(text, expected, redact):
    """Only the value goes: host, path, flags and the rest of the sentence stay."""
    assert redact.text(text) == expected


def test_a_key_in_a_query_is_hidden_and_the_rest_of_the_url_stays(redact):
    """An API key in the URL of an error message does not leak; other parameters do not suffer."""
    key = "AI" + "zaSy0123456789abcdefghijklmnopqrstuvw"
    url = f"https://api.example.com/v1/m:gen?key={key}&alt=json&page=2"

    assert (
        redact.text(f"400 for url: {url}")
        == "400 for url: https://api.example.com/v1/m:gen?key=[REDACTED]&alt=json&page=2"
    )


@pytest.mark.parametrize("escaped", [False, True])
def test_a_private_key_goes_and_the_text_after_it_stays(escaped, redact):
    """Also with escaped newlines, and also when its end line is missing."""
    begin, end = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"
    body = "\n".join(["MIIB" * 16] * 3)
    pem, orphan = f"{begin}\n{body}\n{end}", f"{begin}\n{body}"
    text = f"k: {pem}\nName Server: NS1\n{orphan}\nand so on for 100%"
    text = text.replace("\n", "\\n") if escaped else text

    shown = redact.text(text)

    assert "MIIB" not in shown
    assert "Name Server: NS1" in shown
    assert shown.endswith("and so on for 100%")


def test_json_in_a_text_stays_json_in_its_own_style(redact):
    """Blanks, order and escapes of embedded JSON survive; so does JSON in JSON."""
    compact = '{"b":1,"password":"p1","城市":"罗马","a":[1.5,null]}'
    twice = json.dumps(json.dumps({"api_key": "abcdef1234567890"}))

    shown = redact({"inner": compact, "twice": twice})

    assert shown["inner"] == '{"b":1,"password":"***","城市":"罗马","a":[1.5,null]}'
    assert json.loads(json.loads(shown["twice"])) == {"api_key": "[REDACTED]"}


def test_secrets_of_the_caller_are_hidden_in_every_form():
    """A literal is hidden raw, JSON-escaped, doubly escaped, URL-encoded and in keys."""
    secret = 'p"ss\\w0rd-9921 é'
    redact = make_redactor(False, secrets=[secret, "ab"])
    value = {
        "raw": f"x {secret} y",
        "json": json.dumps({"k": secret}),
        "twice": json.dumps(json.dumps([secret])),
        "url": "a=p%22ss%5Cw0rd-9921%20%C3%A9&b=1",
        secret: 1,
        "short": "ab",
        "word": "cab",
    }

    shown = redact(value)

    assert "w0rd-9921" not in json.dumps(shown)
    assert shown["short"] == "[REDACTED]"
    assert shown["word"] == "cab"
    assert shown["url"].endswith("&b=1")
