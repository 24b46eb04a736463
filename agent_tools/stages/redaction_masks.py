"""What a hidden value is replaced by.

In:   a sensitive value.
Out:  its mask: constant for secrets, a few edge characters for numbers. Never its length or hash.
Cost: below 2 us.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from agent_tools.patterns import lazy_pattern

HIDDEN_PASSWORD = "***"
HIDDEN = "[REDACTED]"

# What our own masks look like: they are left alone, so that redacting twice changes nothing.
_MASKED = lazy_pattern(
    r"\*{3,}|\[REDACTED\]|(?:\+\d{1,3} )?\d{0,3}\*{4}\d{1,3}|\w{0,3}\*{4}\w{0,3}|\*{4}\w{4}|\*{3}@[\w.\-]+|"
    r"(?:\w+ )?\[REDACTED\]"
)
# https://en.wikipedia.org/wiki/List_of_country_calling_codes: two digits but for these
_ONE_DIGIT_CODES = "17"
_THREE_DIGIT_CODES = re.compile(r"2[1-689]|3[578]|42|5[09]|6[789]|8[058]|9[679]")
_NOT_WORD = lazy_pattern(r"[^0-9A-Za-z\u0080-\uffff]")


def is_masked(text: str) -> bool:
    """Whether the whole text is a mask of ours.

    Example:
        >>> is_masked("***"), is_masked("138****678"), is_masked("***hunter2")
        (True, True, False)
    """
    return ("*" in text or "[" in text) and _MASKED.fullmatch(text) is not None


def hide_password(_: str) -> str:
    """Show nothing of a password."""
    return HIDDEN_PASSWORD


def hide_secret(_: str) -> str:
    """Show nothing of a secret."""
    return HIDDEN


def hide_phone(text: str) -> str:
    """Show the country code, the first three and the last three digits.

    Example:
        >>> hide_phone("13800138000"), hide_phone("+44 7895 583135"), hide_phone("555-0142")
        ('138****000', '+44 789****135', '5****2')
    """
    digits = "".join(filter(str.isdecimal, unicodedata.normalize("NFKC", text)))
    code = ""
    if text.lstrip(" (").startswith(("+", "＋", "00")):
        digits = digits.removeprefix("00")
        size = 1 if digits[:1] in _ONE_DIGIT_CODES else 3 if _THREE_DIGIT_CODES.match(digits) else 2
        code, digits = f"+{digits[:size]} ", digits[size:]
    edge = 3 if len(digits) >= 9 else 2 if len(digits) == 8 else 1
    return f"{code}{digits[:edge]}****{digits[-edge:]}"


def hide_id(text: str) -> str:
    """Show the edges of a national number.

    Example:
        >>> hide_id("440103195808213500"), hide_id("V226316(5)"), hide_id("AB12")
        ('440****500', 'V2****65', '****')
    """
    kept = _NOT_WORD.sub("", unicodedata.normalize("NFKC", text))
    edge = 3 if len(kept) >= 14 else 2 if len(kept) >= 7 else 0
    return f"{kept[:edge]}****{kept[len(kept) - edge :]}"


def hide_card(text: str) -> str:
    """Show the last four of a card or an account.

    Example:
        >>> hide_card("6212 5420 9482 1663 187")
        '****3187'
    """
    kept = _NOT_WORD.sub("", unicodedata.normalize("NFKC", text))
    return f"****{kept[-4:]}" if len(kept) >= 8 else "****"


def hide_email(text: str) -> str:
    """Show the domain of an e-mail address."""
    domain = text.rpartition("@")[2]
    return f"***@{domain}" if re.fullmatch(r"[A-Za-z0-9.\-]+", domain) and "@" in text else HIDDEN


MASKS: dict[str, Callable[[str], str]] = {
    "password": hide_password,
    "secret": hide_secret,
    "phone": hide_phone,
    "id": hide_id,
    "card": hide_card,
    "email": hide_email,
}
