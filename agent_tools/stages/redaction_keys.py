"""Say what kind of value a key holds, by the words of the key.

In:   a key (`"dbPassword"`, `"X-API-Key"`, `"联系电话"`).
Out:  a kind (`"password"`, `"phone"`, ...) or None. A kind belongs to one rule: see `RULE_OF_KIND`.
Cost: about 5 us for a key seen the first time; callers keep the answers.

A key is split into words and read from its end, as an English or Chinese compound is: the last words say
what the value is, so `password_policy`, `phone_model`, `max_tokens` and `证件类型` are not sensitive.
Nothing is ever matched as a substring.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from agent_tools.stages import redaction_vocabulary as vocabulary
from agent_tools.stages.redaction_spans import HAN

RULE_OF_KIND = {
    "password": "secret",
    "pass": "secret",
    "phrase": "secret",
    "pin": "secret",
    "otp": "secret",
    "cvv": "secret",
    "secret": "secret",
    "token": "secret",
    "maybe": "secret",
    "cookie": "secret",
    "header": "secret",
    "holder": "secret",
    "internal": "secret",
    "extra": "extra",
    "phone": "phone",
    "contact": "phone",
    "id": "national_id",
    "plate": "national_id",
    "card": "card",
    "email": "email",
    "address": "address",
    "name": "name",
    "birth": "birth_date",
    "ip": "ip",
    "plain": "plain",
}
"""The rule that each kind of key belongs to. `plain` marks keys of counters and record ids."""

_INTERNALS = frozenset({"token", "auth", "secret", "key", "credential", "authorization"})
ALIASES = {word: tuple(aliases.split()) for word, aliases in vocabulary.SYNONYMS.items()}
_CANONICAL = {alias: word for word, aliases in ALIASES.items() for alias in aliases}
HEADS = {
    " ".join(phrase.split()): kind
    for kind, phrases in vocabulary.HEADS.items()
    for phrase in phrases.split("|")
}
_SIZES: dict[str, list[int]] = {word: [] for word in _INTERNALS}
"""Last word of a phrase to the numbers of words that phrases with it have, the largest first."""
for _phrase in sorted(HEADS, key=lambda phrase: -phrase.count(" ")):
    _SIZES.setdefault(_phrase.rpartition(" ")[2], []).append(_phrase.count(" ") + 1)
_UNLESS = {head: frozenset(words.split()) for head, words in vocabulary.UNLESS.items()}
HAN_HEADS = {phrase: kind for kind, phrases in vocabulary.HAN_HEADS.items() for phrase in phrases.split()}
_LONGEST_HAN = max(map(len, HAN_HEADS))
_HAN = re.compile(f"[{HAN}]")
_WORDS = re.compile(rf"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[{HAN}]+|[^\W\d_A-Za-z]+")
_UNDECOMPOSED = {"ß": "s", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "a", "þ": "t", "ð": "d", "œ": "o"}
# Latin letters without their accents: `contraseña` and `contrasena` are one word. Hangul would fall apart.
ACCENTS = {
    code: unicodedata.normalize("NFD", chr(code))[0]
    for span in ((0xC0, 0x250), (0x1E00, 0x1F00))
    for code in range(*span)
} | {ord(letter): plain for letter, plain in _UNDECOMPOSED.items()}
# no name, whatever it ends in: `66CC2`, `0xffae46cc`
_HEX = re.compile(r"(?:0[xX])?(?:[0-9][0-9A-Fa-f]+|(?=[A-Fa-f]+[0-9])[0-9A-Fa-f]{4,})")
_HAN_TRAILERS = re.compile(
    r"(?:号码|號碼|号|號|码|碼|值|信息|明文|原文|番号|번호|[一二三1-9]|[（(][^）)]{0,8}[）)]|[:：])+$"
)
_STEM = re.compile(
    r"pass|pwd|pin|otp|secret|token|key|auth|cred|sess|sid|card|phone|mobile|tel|cell|name|addr|birth|csrf|code|id"
)
_GLUED = vocabulary.GLUED
_LONGEST_GLUED = max(map(len, _GLUED))
_MAX_KEY = 120


def _unglue(word: str) -> list[str]:
    """Split `userpassword` into known words, in as few as possible; else keep it."""
    if len(word) < 5 or not _STEM.search(word):
        return [word]
    fewest: list[list[str] | None] = [[], *[None] * len(word)]
    for end in range(1, len(word) + 1):
        heads = ((start, fewest[start]) for start in range(max(0, end - _LONGEST_GLUED), end))
        known = ((head, word[start:end]) for start, head in heads if head is not None)
        splits = [[*head, piece] for head, piece in known if piece in _GLUED]
        fewest[end] = min(splits, key=len) if splits else None
    return fewest[-1] or [word]


def _canonical(word: str) -> str:
    if word in _CANONICAL:
        return _CANONICAL[word]
    if word.endswith("s") and len(word) > 3 and not word.endswith("ss"):
        single = word[:-1]
        return _CANONICAL.get(single, single)
    return word


def split_words(key: str) -> list[str]:
    """Split a key into canonical lower-case words.

    Example:
        >>> split_words("userPasswd2"), split_words("X-API-Key"), split_words("idcardno")
        (['user', 'password', '2'], ['x', 'api', 'key'], ['id', 'card', 'number'])
    """
    key = key[-_MAX_KEY:]
    if not key.isascii():
        key = unicodedata.normalize("NFKC", key).translate(ACCENTS)
    return list(chain.from_iterable(map(_words_of, _WORDS.findall(key))))


@lru_cache(maxsize=4096)
def _words_of(piece: str) -> tuple[str, ...]:
    word = piece.lower()
    if word in _CANONICAL or word in HEADS:
        return (_CANONICAL.get(word, word),)
    return tuple(map(_canonical, _unglue(word)))


def _han_kind(text: str) -> str | None:
    """Classify the end of a Chinese, Japanese or Korean key."""
    for candidate in (text, text.rstrip("一二三123456789"), _HAN_TRAILERS.sub("", text)):
        for size in range(min(_LONGEST_HAN, len(candidate)), 0, -1):
            kind = HAN_HEADS.get(candidate[-size:])
            if kind is not None:
                return kind or None
    return None


def _unless(words: list[str], phrase: list[str]) -> bool:
    before = words[: len(words) - len(phrase)]
    if not before:
        return False
    if before[0] in vocabulary.ASKERS:
        return True
    unless = _UNLESS.get(phrase[-1] if phrase[-1] != "number" else phrase[0])
    return unless is not None and before[-1] in unless


def _key_kind(words: list[str]) -> str | None:
    """Classify a key that ends in `key` and is in no table: a secret only if the value is random."""
    return None if len(words) < 2 or words[-2] in vocabulary.SAFE_KEYS else "maybe"


def _word_kind(words: list[str]) -> str | None:
    if "internal" in words and words[-1] in _INTERNALS:
        return "internal"
    for size in dict.fromkeys(_SIZES.get(words[-1], ())):
        phrase = words[-size:]
        kind = HEADS.get(" ".join(phrase))
        if kind is None or _unless(words, phrase):
            continue
        if phrase == ["key"]:
            return _key_kind(words)
        return kind
    return None


def _trim(words: list[str]) -> list[str]:
    end = len(words)
    while end > 1 and (words[end - 1] in vocabulary.TRAILERS or words[end - 1].isdecimal()):
        end -= 2 if words[end - 2 : end] == ["base", "64"] else 1
    return words[: max(end, 1)]


@lru_cache(maxsize=4096)
def may_end_key(word: str) -> bool:
    """Say whether a key of several words that ends in this one, in ASCII, may be of any kind.

    Example:
        >>> may_end_key("no2"), may_end_key("userPhone"), may_end_key("from")
        (True, True, False)
    """
    words = split_words(word)
    trimmed = _trim(words)
    if not trimmed or trimmed[-1] in vocabulary.TRAILERS or trimmed[-1].isdecimal():
        return True  # the words before it decide
    return words[-1] in _SIZES or trimmed[-1] in _SIZES


def classify(key: str, extra: Iterable[tuple[str, ...]] = ()) -> str | None:
    """Say what kind of value a key holds.

    Args:
        key: The key as written.
        extra: Words of further keys to treat as secrets.

    Example:
        >>> [classify(k) for k in ("db_password", "mobileNo", "身份证号", "max_tokens", "author")]
        ['password', 'phone', 'id', None, None]
    """
    text = key[-_MAX_KEY:].strip()
    if not text.isascii() and (kind := vocabulary.OTHER_SCRIPTS.get(text.lower())) is not None:
        return kind
    words = split_words(text)
    if not words or _HEX.fullmatch(text.rpartition(" ")[2]):
        return None
    for names in extra:
        if tuple(words[-len(names) :]) == names:
            return "extra"
    if not text.isascii() and _HAN.search(text) and not text.startswith("是否"):
        return _han_kind(re.sub(r"[\s_\-]+", "", text.lower()))
    kind = _word_kind(words)
    if kind is None or kind == "plain":
        trimmed = _trim(words)
        if len(trimmed) < len(words):
            kind = _word_kind(trimmed) or kind
    # A list of tokens holds secrets or words of a text: the values decide.
    if kind == "token" and re.search(r"(?i)tokens$", text):
        return "maybe"
    return kind
