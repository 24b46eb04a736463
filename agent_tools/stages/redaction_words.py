"""Find the words in a text that announce a sensitive value: `password:`, `API key is`, `--token`, `验证码`.

In:   a text, the beginnings of the words to look for, and what kind each key is.
Out:  spans `(start, end, mask)` of the values.
Cost: one substring search for each beginning; what is found is looked at with anchored patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from agent_tools.stages.redaction_announced import (
    NOTHING,
    Spans,
    after_blank,
    after_sign,
    after_verb,
    is_cell,
    is_odd_argument,
    is_second,
)
from agent_tools.stages.redaction_guards import rust_test
from agent_tools.stages.redaction_spans import KEY_CHARS, LATIN, Span
from agent_tools.stages.redaction_values import looks_random
from agent_tools.stages.redaction_vocabulary import PREPOSITIONS, SPACED, VERBS

_VERBS = "|".join(sorted(VERBS, key=len, reverse=True))
_PREPOSITIONS = "|".join(PREPOSITIONS)
_HAN_VERBS = "(?:已?被?(?:重置|修改|更改|设置|变更|更新|改|设))?(?:成|为|為)|是|は|는|은|が"
_AFTER_KEY = (
    r"""(?P<close>(?:\\{0,7}["'`”]|%22|&quot;|[\])}」】）]|\*{1,3}){0,2})[ \t]{0,40}"""
    # a type may stand before the sign: `apiKey: String = "..."`
    r"""(?:(?P<sep>:[ \t]?[A-Za-z][\w<>\[\]?.|]{0,30}[ \t]{0,2}=(?=[ \t]{0,4}["'`])|"""
    r"""=>|->|→|⇒|:=|::(?=[ \t])|[=:：]|%3[DAda](?:%20)?|\|(?!\|))(?!=)(?:\*{1,2}(?=[ \t]))?|"""
    r"""(?P<pair>[,(])[ \t]{0,4}(?=\\{0,7}["'])|"""
    rf"""(?P<prose>(?:\b(?:{_VERBS}|sarà|é|è|är|это)\b|[—–（「【]|{_HAN_VERBS})(?:[ \t:：]{{0,3}})|"""
    rf"""(?:\([^()\n]{{1,32}}\)|(?:(?i:{_PREPOSITIONS})|用于)[ \t][^\n:：=<\[#]{{1,40}})"""
    r"""(?:[ \t]{0,4}[:：=]|(?<=[ \t])(?:is|was)(?=[ \t])))|"""
    r"""(?P<gap>))"""
    r"""[ \t]{0,8}"""
)
# the rest of a key; possessive: on a long run each way back would look 40 characters ahead
_REST = re.compile(rf"[A-Za-z0-9_.\-{LATIN}]{{0,32}}+")
_HAN_REST = re.compile(r"(?:号码|号|码|值)?+")
_TAIL = re.compile(_REST.pattern + _AFTER_KEY)
_HAN_TAIL = re.compile(_HAN_REST.pattern + _AFTER_KEY)
# how `_AFTER_KEY` goes on where a value may stand; what needs a blank before it looks back for it
_SIGN = (
    r"""(?=(?:\\{0,7}["'`”]|%22|&quot;|[\])}」】）]|\*{1,3}){0,2}[ \t]{0,40}"""
    r"""(?:[=:：|]|->|%3[da]|[,(][ \t]{0,4}\\{0,7}["']|\([^()\n]{1,32}\)[ \t]{0,4}(?:[:：=]|is|was)|"""
    rf"""(?:{_VERBS}|set|now|will)[ \t:]|"""
    rf"""(?:{_PREPOSITIONS})[ \t][^\n:：=<\[#]{{1,40}}(?:[:：=]|(?:is|was)[ \t])|"""
    r"""[^\x00-\x7f]|(?<=[ \t])["'`“]|"""
    r"""(?<=[ \t])(?:(?=[^\s]{0,40}[0-9])(?:[^\s]{10}|[\\%&])|[a-z0-9\-]{0,8}[0-9]|(?:bearer|basic)[ \t])))"""
)
_NAME_WORD = re.compile(rf"[0-9A-Za-z{LATIN}][A-Za-z{LATIN}\-]*")
# a key that begins with a dash, in lower case
_OPTION_RUN = re.compile(r"(?<![a-z0-9_.\-])-[a-z0-9_.\-]{3,80}")
_OPTION = re.compile(r"--?[A-Za-z][A-Za-z\-_.]*")
_LONG_PART = 2_000  # characters from which another engine searches faster than `in`
_LONGEST_SIGN = 200  # characters that are read behind such a word to see whether a value may follow
_LONGEST_KEY = 40  # characters that are read of a key before its announcing word
LATIN_KEY_CHARS = KEY_CHARS + "".join(map(chr, range(0xC0, 0x250)))


class Words:
    """Finds announced values.

    Args:
        stems: Lower-case beginnings of ASCII words.
        han_stems: Words of other scripts.
        kind_of: Key to kind, None when its rule is off.
    """

    __slots__ = ("_han_stems", "_kind_of", "_stems")

    def __init__(
        self, stems: tuple[str, ...], han_stems: tuple[str, ...], kind_of: Callable[[str], str | None]
    ) -> None:
        self._stems = stems
        self._han_stems = han_stems
        self._kind_of = kind_of

    def spans(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find values after announcing words."""
        done = -1
        for at, stem_end, is_latin, key, kind in sorted(self._announcers(text, start, end)):
            tail = (_TAIL if is_latin else _HAN_TAIL).match(text, stem_end) if at >= done else None
            if tail is None:
                continue
            is_flag = key.startswith("-") and _OPTION.fullmatch(key.rstrip(".-")) is not None
            for span in self._value_spans(text, tail, kind, is_flag=is_flag):
                done = max(done, tail.end(), span[1])
                yield span

    def _announcers(self, text: str, begin: int, stop: int) -> Iterator[tuple[int, int, bool, str, str]]:
        """Find the words whose key is of a kind: place, end of its beginning, whether Latin, key, kind."""
        first = max(begin - _LONGEST_KEY, 0)
        part = text[first : stop + _LONGEST_SIGN]
        is_ascii = part.isascii()
        lower = part.lower() if is_ascii else _lower_ascii(part)
        key_chars = KEY_CHARS if is_ascii else LATIN_KEY_CHARS
        known: dict[str, tuple[str | None, bool]] = {}
        stems = [stem for stem in self._stems if _is_in(stem, lower)]
        for place, stem_end, key_end in _announcing(lower, stems, begin - first, stop - first):
            start = at = first + place
            if text[at - 1 : at] in key_chars:
                before = text[max(0, at - _LONGEST_KEY) : at]
                start -= len(before) - len(before.rstrip(key_chars))
            key = text[start : first + key_end]
            if key not in known:
                known[key] = self._key_kind(key)
            kind, is_last = known[key]
            if is_last and text[start - 1 : start] == " ":
                kind = self._spaced_kind(text, start, key, kind)
            if kind is not None:
                yield at, first + stem_end, True, key, kind
        for stem in () if is_ascii else self._han_stems:
            place = lower.find(stem, begin - first, stop - first)
            while place >= 0:
                at, end = first + place, first + place + len(stem)
                key = text[at : _end_of(_HAN_REST, text, end)]
                kind, _ = self._key_kind(key)
                if kind is not None:
                    yield at, end, False, key, kind
                place = lower.find(stem, place + len(stem), stop - first)

    def _key_kind(self, key: str) -> tuple[str | None, bool]:
        """Return the kind of a key, and whether words before it may say more (`API key`)."""
        key = key.rstrip(".-")
        kind, last = self._kind_of(key), key.lower()
        return None if kind == "plain" else kind, last in SPACED or last.rstrip("s") in SPACED

    def _spaced_kind(self, text: str, start: int, key: str, kind: str | None) -> str | None:
        """Classify a key of several words (`API key`, `next page token`)."""
        key = key.rstrip(".-")
        words = _NAME_WORD.findall(text, max(0, start - 32), start)[-2:]
        for count in range(len(words), 0, -1):
            joined = self._kind_of("_".join([*words[-count:], key]))
            if joined not in (None, "plain", "maybe"):
                return joined
        if words and kind == "token" and self._kind_of(f"x_{words[-1]}_{key}") is None:
            return None
        return kind

    def _value_spans(self, text: str, tail: re.Match[str], kind: str, *, is_flag: bool) -> Spans:
        at, what = tail.end(), tail.lastgroup
        if what == "sep":
            sep = tail["sep"]
            if sep == ":" and (text.startswith("//", at) or self._is_path(text, tail)):
                return NOTHING
            if sep in ("->", "=>") and (")" in tail["close"] or text[at - 2 : at] == "->"):
                return NOTHING  # what a function returns, a method
            return NOTHING if sep == "|" and not is_cell(text, at) else after_sign(text, at, kind)
        if what == "pair":
            takes = (
                is_odd_argument(text, at) if tail["pair"] == "(" else tail["close"] and is_second(text, at)
            )
            return after_sign(text, at, kind, strict=True) if takes else NOTHING
        if what == "prose":
            return NOTHING if text.startswith("//", at) else after_verb(text, at, kind, tail["prose"])
        if at > tail.end("close") or not tail["close"] or "】" in tail["close"]:
            return after_blank(text, at, kind, is_flag=is_flag, han=not text[tail.start() - 1].isascii())
        return NOTHING

    def _is_path(self, text: str, tail: re.Match[str]) -> bool:
        """Whether a colon only joins the parts of a name (`arn:aws:...:secret:app`)."""
        if tail.end() > tail.end("sep"):
            return False
        before = text[max(0, tail.start() - 40) : tail.start()]
        if not before.rstrip(KEY_CHARS).endswith(":"):
            return False
        value = re.split(r"[^!-~]", text[tail.end() : tail.end() + 24], maxsplit=1)[0]
        return not looks_random(value)


def _lower_ascii(text: str) -> str:
    """Lower-case ASCII only: `str.lower` may change the length of other scripts."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _announcing(lower: str, stems: list[str], start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Find stems that may announce something: start and end, and the end of the key that goes on with it.

    A sign, a verb or a word with a digit follows, or the word is an option (`--password`).
    """
    for stem in stems:
        for hit in _announcing_pattern(stem).finditer(lower, start):
            if hit.start() >= stop:
                break
            yield hit.start(), hit.end(), hit.end(1)
    for option in _OPTION_RUN.finditer(lower, 0, stop) if "-" in lower and stems else ():
        for stem in stems:
            at = lower.find(stem, max(option.start(), start), option.end())
            while at >= 0:
                end = at + len(stem)
                yield at, end, _end_of(_REST, lower, end)
                at = lower.find(stem, end, option.end())


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    hit = pattern.match(text, at)
    return hit.end() if hit else at


def _is_in(stem: str, lower: str) -> bool:
    return stem in lower if len(lower) < _LONG_PART else rust_test(re.escape(stem))(lower)


@lru_cache(maxsize=256)
def _announcing_pattern(stem: str) -> re.Pattern[str]:
    return re.compile(f"{re.escape(stem)}(?=({_REST.pattern}){_SIGN})")
