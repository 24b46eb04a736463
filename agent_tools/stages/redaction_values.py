"""Hide a value by the kind of its key.

In:   the kind of a key (see `redaction_keys`) and the value that stands under it.
Out:  the mask, or the value itself when it can't be what the key says (`"phone": "iPhone 15"`).
Cost: below 3 us.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from agent_tools.patterns import lazy_pattern
from agent_tools.stages import redaction_checks as checks
from agent_tools.stages.redaction_masks import (
    HIDDEN,
    HIDDEN_PASSWORD,
    hide_card,
    hide_email,
    hide_id,
    hide_phone,
    is_masked,
)

_PLACEHOLDER = lazy_pattern(
    r"\$\{[^}]*\}|\$\(?[A-Za-z_]\w*\)?|\{\{.*\}\}|<[\w \-]{1,40}>|%\(?\w*\)?s|\{[\w.]*\}|%[A-Za-z_]\w*%|"
    r"[?*xX.•·\-_]+|"
    r"\(?(?:redacted|hidden|masked|omitted|removed|filtered|secret|none|null|nil|undefined|n/a)\)?|"
    r"\(?(?:unset|empty|not set)\)?|your[-_ ][\w\- ]{2,40}|(?:replace|change)[-_ ]?(?:me|this)|"
    r"(?:insert|enter|put|add)[-_ ][\w\- ]{0,40}here|"
    r"(?:必填|选填|可选|已设置|未设置|已修改|已重置|已发送|已过期|无|暂无|空|未填|隐藏|正确|错误|请输入.{0,12})|"
    r"\[(?:redacted|filtered|hidden|masked|omitted)\]|<redacted>",
    re.IGNORECASE,
)
_TOKENISH = lazy_pattern(r"[A-Za-z0-9_\-+/=.~%:|!@#$^*]+")
_RUNS = lazy_pattern(r"[A-Z]+|[a-z]+|[0-9]+")
_PARTS = lazy_pattern(r"[A-Za-z0-9]+")
_HEX = lazy_pattern(r"[0-9a-fA-F]{16,}")
_UUID = lazy_pattern(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_DATE = lazy_pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*")
SCHEME = lazy_pattern(
    r"(?i:bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|oauth|jwt|hmac|signature|key|mac|aws|bot)"
    r"[ \t]+\S.*|"
    r"[A-Z][A-Z0-9\-]{2,24}[ \t]+\S{8,}.*",
    re.DOTALL,
)
_PHONE = lazy_pattern(
    r"[+＋]?[(（]?\d(?:[\d \-.()（）/]{4,24})\d(?:\s?(?:-|转|ext\.?|x|#)\s?\d{1,6})?", re.IGNORECASE
)
_STATUS = lazy_pattern(
    r"(?i)(?:pass|fail|skip|warn)(?:ed|ing)?|yes|no|ok|true|false|on|off|n/?a|none|success|error|all|\W*"
)
_NUMBER = lazy_pattern(r"[A-Za-z0-9\u4e00-\u9fff][A-Za-z0-9\u4e00-\u9fff \-./()·•]{3,46}")


def looks_random(text: str, least: int = 16) -> bool:
    """Whether a text looks generated: long enough, without blanks, its kinds of characters mixed.

    Example:
        >>> looks_random("T5YuBnoreLda7TTcOf2O"), looks_random("gpt-4o-2024-08-06")
        (True, False)
    """
    if len(text) < least:
        return False
    if _HEX.fullmatch(text):
        return not text.isalpha()
    if not _TOKENISH.fullmatch(text) or _DATE.match(text):
        return False
    if _UUID.fullmatch(text):
        return any(map(str.isdigit, text))
    parts = _PARTS.findall(text)
    size = sum(map(len, parts))
    digits = sum(map(str.isdigit, text))
    if not digits or digits == size or size * 4 < len(text) * 3:
        return False
    # changes of case or to digits inside a part: .6 a character in generated texts, .1 in names and versions
    changes = sum(len(_RUNS.findall(part)) - 1 for part in parts)
    return changes * 5 >= size


def count_digits(text: str) -> int:
    """Count decimal digits of any script."""
    return sum(map(str.isdecimal, text))


def is_placeholder(text: str) -> bool:
    """Whether a text only stands for a secret (`${DB_PASSWORD}`, `<password>`, `***`)."""
    return _PLACEHOLDER.fullmatch(text) is not None or is_masked(text)


def _password(text: str) -> str:
    return text if not text.strip() or is_placeholder(text) else HIDDEN_PASSWORD


def _secret(text: str) -> str:
    return text if not text.strip() or is_placeholder(text) else HIDDEN


def _pass(text: str) -> str:
    return text if _STATUS.fullmatch(text) else _password(text)


def _code(text: str) -> str:
    wanted = 3 <= len(text.strip()) <= 12 and count_digits(text) >= 3 and " " not in text.strip()
    return HIDDEN_PASSWORD if wanted and not is_masked(text) else _maybe(text)


def _maybe(text: str) -> str:
    return (
        HIDDEN
        if looks_random(text.strip()) or (SCHEME.fullmatch(text) and looks_random(text.split()[-1], 8))
        else text
    )


def _holder(text: str) -> str:
    trimmed = text.strip()
    wanted = (
        looks_random(trimmed, 8) or SCHEME.fullmatch(trimmed) or re.fullmatch(r"[^\s:/]+:[^\s/]{4,}", trimmed)
    )
    return HIDDEN if wanted and not is_masked(text) else text


def _phone(text: str) -> str:
    if count_digits(text) < 7 or is_masked(text):
        return text
    return _PHONE.sub(lambda m: hide_phone(m[0]) if 7 <= count_digits(m[0]) <= 16 else m[0], text)


def _contact(text: str) -> str:
    return _phone(text) if _PHONE.fullmatch(text.strip()) and count_digits(text) >= 8 else text


def _id(text: str) -> str:
    wanted = _NUMBER.fullmatch(text.strip()) and count_digits(text) >= 4 and not is_masked(text)
    return hide_id(text) if wanted else text


def _plate(text: str) -> str:
    return (
        hide_id(text)
        if 5 <= len(text.strip()) <= 12 and count_digits(text) >= 2 and not is_masked(text)
        else text
    )


def _card(text: str) -> str:
    wanted = _NUMBER.fullmatch(text.strip()) and count_digits(text) >= 7 and not is_masked(text)
    return hide_card(text) if wanted else text


def _email(text: str) -> str:
    if "@" not in text or is_masked(text):
        return text
    return hide_email(text.strip()) if " " not in text.strip() and text.count("@") == 1 else text


def _ip(text: str) -> str:
    return (
        HIDDEN
        if re.search(r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,}", text)
        else text
    )


def _birth(text: str) -> str:
    return HIDDEN if count_digits(text) >= 4 and len(text) <= 40 else text


def _words(text: str) -> str:
    return text if len(text.strip()) < 2 or is_placeholder(text) or "://" in text else HIDDEN


HIDERS: dict[str, Callable[[str], str]] = {
    "password": _password,
    "pass": _pass,
    "phrase": _password,
    "pin": _code,
    "otp": _code,
    "cvv": _code,
    "secret": _secret,
    "token": _secret,
    "extra": _secret,
    "cookie": _secret,
    "header": _secret,
    "internal": _secret,
    "maybe": _maybe,
    "holder": _holder,
    "phone": _phone,
    "contact": _contact,
    "id": _id,
    "plate": _plate,
    "card": _card,
    "email": _email,
    "ip": _ip,
    "birth": _birth,
    "address": _words,
    "name": _words,
}
"""How a text is hidden under a key of each kind."""

# Under these kinds a number is a value to hide; `least` digits keep counters and GPIO pins visible.
_NUMERIC_LEAST = {
    "password": 3,
    "pin": 4,
    "otp": 4,
    "cvv": 3,
    "phone": 7,
    "contact": 10,
    "id": 8,
    "card": 8,
    "extra": 1,
    "birth": 8,
}


def hide_number(kind: str, number: int) -> int | str:
    """Hide an integer under a key of this kind; a number under a token or secret key is not a secret.

    Example:
        >>> hide_number("password", 382927), hide_number("phone", 13800138000), hide_number("token", 382927)
        ('***', '138****000', 382927)
    """
    least = _NUMERIC_LEAST.get(kind)
    text = str(abs(number))
    if least is None or len(text) < least:
        return number
    return HIDERS[kind](text)


def compact(text: str) -> str:
    """Drop the separators of a number, upper case.

    Example:
        >>> compact("lh 50-78 63.d")
        'LH507863D'
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).upper()


def is_card_like(text: str) -> bool:
    """Whether the digits of a text are a card number."""
    digits = compact(text)
    return digits.isdecimal() and 13 <= len(digits) <= 19 and checks.is_card(digits)
