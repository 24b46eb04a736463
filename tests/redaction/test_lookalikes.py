"""What looks like a secret and is none."""

import random
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tools.stages.redaction import make_redactor

SENTENCES = (
    "Forgot your password? Click the reset link.",
    "密码长度不能少于8位",
    "The secret to good code is testing.",
    "Used 1495 tokens in this session",
    "usage: token_count=2692, max_tokens=2706",
    "auth_type=basic token_count=5120, plan=basic user_name=anna",
    "key points: token ring, keyboard, monkey",
    "SELECT password_hash, token_version FROM users WHERE id = ?",
    "The passenger list went to the secretary.",
    "if (password === confirmPassword) { return validate(password, options.token) }",
    "def f(password: str = None): pass",
    "password = getpass.getpass()",
    "api_key=os.environ['API_KEY']",
    "token: string",
    "secret: ${SECRET}",
    "password is required",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:app",
    "see https://docs.example.org/a-b/927236#section-16",
    "commit 04d8a926661af9523ed14af037ca3193f9576d9d merged",
    "version 10.3.91-rc.5+build.74387699",
    "客服热线10086为您服务",
    "at 2026-02-17 13:45:10.791819 the job finished",
    "坐标(34.46606478, 106.57790589)",
    "ISBN 978-7-271-32119-1",
    "订单2026010143332255110已发货",
    "ref 81916883719 ok",
    "epoch 1683025540 drift",
    "range 0372-5034-1442",
    "金额339,220.97元",
    "progress 8827/41069 (73.73%)",
    "rgb(75, 72, 247) #c3446726",
    "@app.route('/users')",
    "use @types/node@20.1.3",
    "git@github.com:org/repo.git",
    "registry.example.com/app@sha256:" + "0a1b" * 16,
    "sense@2x.png",
    "GPIO pin 18",
    "sk-learn-random-forest-classifier",
    "claude-sonnet-4-20250514",
    "The key is to press any key 12 times",
    "gh release, hf models and npm_config_cache=/tmp/x",
    "2025-01-01T00:00:00.645538+08:00",
    "MU7347-738611",
    "basic information about bearer bonds",
    "Authentication-Results: pass",
    "the token expired at noon",
)


@pytest.mark.parametrize("text", SENTENCES)
def test_a_harmless_text_is_untouched(text, redact_all):
    """Prose, code, ids, digests, versions, prices and times are no secrets."""
    assert redact_all.text(text) == text


def _plain_values(seed: int) -> dict[str, object]:
    rng = random.Random(seed)
    digits = "".join(rng.choices("0123456789", k=20))
    return {
        "id": digits[:18],
        "order_no": digits[:15],
        "seq": "1" + digits[:10],
        "trace_id": str(uuid.UUID(int=rng.getrandbits(128))),
        "sha256": f"{rng.getrandbits(256):064x}",
        "etag": f"{rng.getrandbits(128):032x}",
        "bytes": int(digits[:11]),
        "msg_id": int("7" + digits[:18]),
        "created_at": 1_700_000_000 + rng.randint(0, 10**7),
        "lat": rng.uniform(-90, 90),
        "total_tokens": int(digits[:5]),
        "next_page_token": f"{rng.getrandbits(190):x}",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + digits,
        "url": f"https://www.example.com/item/{digits[:12]}/some-words?utm_source=mail&page={digits[0]}",
        "path": f"/var/data/{digits[:8]}/part-{digits[8:13]}.parquet",
        "app_version": f"{digits[0]}.{digits[1]}.{digits[2:7]}.{digits[7:11]}",
        "price": f"{digits[:6]}.{digits[6:8]}",
        "sku": f"ABC-{digits[:5]}",
    }


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_ids_counters_and_digests_come_back_as_the_same_object(seed):
    """Integers are hidden only through their key, and a record id is no phone."""
    record = {"items": [_plain_values(seed)]}

    assert make_redactor("all")(record) is record
