"""Find the words in a text that announce a sensitive value: `password:`, `API key is`, `--token`, `验证码`.

In:   a text, the beginnings of the words to look for, and what kind each key is.
Out:  spans `(start, end, mask)` of the values.
Cost: one substring search for each beginning; what is found is looked at with anchored patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from agent_tools.stages.redaction_announced import (
    after_blank,
    after_sign,
    after_verb,
    in_element,
    is_odd_argument,
)
from agent_tools.stages.redaction_guards import LONG, has_any, rust_test
from agent_tools.stages.redaction_spans import KEY_CHARS, LATIN, Span
from agent_tools.stages.redaction_values import looks_random
from agent_tools.stages.redaction_vocabulary import PREPOSITIONS, VERBS

_VERBS = "|".join(sorted(VERBS, key=len, reverse=True))
_PREPOSITIONS = "|".join(PREPOSITIONS)
_HAN_VERBS = "(?:已?被?(?:重置|修改|更改|设置|变更|更新|改|设))?(?:成|为|為)|是|は|는|은|が"
_AFTER_KEY = (
    r"""(?P<close>(?:\\{0,7}["'`”]|%22|&quot;|[\])}」】）]|\*{1,3}){0,2})[ \t]{0,40}"""
    # a type may stand before the sign: `apiKey: String = "..."`
    r"""(?:(?P<sep>:[ \t]?[A-Za-z][\w<>\[\]?.|]{0,30}[ \t]{0,2}=(?=[ \t]{0,4}["'`])|"""
    r"""=>|->|→|⇒|:=|::(?=[ \t])|[=:：]|%3[DAda](?:%20)?|\|(?!\|))(?!=)(?:\*{1,2}(?=[ \t]))?|"""
    r"""(?P<xml>>)|"""
    r"""(?P<pair>[,(])[ \t]{0,4}(?=\\{0,7}["'])|"""
    rf"""(?P<prose>(?:\b(?:{_VERBS}|sarà|é|è|är|это)\b|[—–（「【]|{_HAN_VERBS})(?:[ \t:：]{{0,3}})|"""
    rf"""(?:\([^()\n]{{1,32}}\)|(?:(?i:{_PREPOSITIONS})|用于)[ \t][^\n:：=]{{1,40}})"""
    r"""(?:[ \t]{0,4}[:：=]|(?<=[ \t])(?:is|was)(?=[ \t])))|"""
    r"""(?P<gap>))"""
    r"""[ \t]{0,8}"""
)
_TAIL = re.compile(rf"[A-Za-z0-9_.\-{LATIN}]{{0,32}}" + _AFTER_KEY)
_HAN_TAIL = re.compile(r"(?:号码|号|码|值)?" + _AFTER_KEY)
_FOLLOWS = re.compile(
    # possessive: on a long run each way back would look 40 characters ahead
    rf"""[a-z0-9_.\-{LATIN}]{{0,32}}+"""
    r"""(?:\\{0,7}["'`”]|%22|&quot;|[\])}」】）]|\*{1,3}){0,2}[ \t]{0,40}"""
    r"""(?:[=:：>|,;\t\n(]|->|%3[da]|"""
    rf"""(?:{_VERBS}|{_PREPOSITIONS}|set|now|will)[ \t:]|"""
    r"""[^\x00-\x7f]|["'`“]|"""
    r"""(?=[^\s]{0,40}[0-9])|(?:bearer|basic)[ \t])"""
)
_SPACED = frozenset(
    [
        "key",
        "code",
        "id",
        "number",
        "no",
        "phrase",
        "word",
        "token",
        "secret",
        "header",
        "pin",
        "passe",
        "verification",
        "verificación",
        "verificacion",
        "verificação",
        "verificacao",
        "verifica",
    ]
)
_NAME_WORD = re.compile(rf"[0-9A-Za-z{LATIN}][A-Za-z{LATIN}\-]*")
_OPTION = re.compile(r"--?[A-Za-z][A-Za-z\-_.]*")
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

    def spans(self, text: str) -> Iterator[Span]:
        """Find values after announcing words."""
        lower = text.lower() if text.isascii() else _lower_ascii(text)
        stems = self._stems if text.isascii() else (*self._stems, *self._han_stems)
        found = _find_announcing(lower, stems) if len(text) > LONG else _find_all(lower, stems)
        done = -1
        for at, stem in sorted(found):
            if at < done or (stem.isascii() and not _may_announce(lower, at, len(stem))):
                continue
            tail = (_TAIL if stem.isascii() else _HAN_TAIL).match(text, at + len(stem))
            if tail is None:
                continue
            for span in self._announced(text, at, stem, tail):
                done = max(done, tail.end(), span[1])
                yield span

    def _announced(self, text: str, at: int, stem: str, tail: re.Match[str]) -> Iterator[Span]:
        start = at
        if stem.isascii():
            before = text[max(0, at - 40) : at]
            start = at - (len(before) - len(before.rstrip(KEY_CHARS if text.isascii() else LATIN_KEY_CHARS)))
        key_end = tail.start("close")
        key = text[start:key_end].rstrip(".-")
        kind = self._spaced_kind(text, start, key)
        if kind is None or kind == "plain":
            return
        is_flag = _OPTION.fullmatch(key) is not None
        yield from self._value_spans(text, tail, kind, is_flag=is_flag)

    def _spaced_kind(self, text: str, start: int, key: str) -> str | None:
        """Classify a key that may be several words (`API key`, `next page token`)."""
        kind = self._kind_of(key)
        before = text[max(0, start - 32) : start]
        if not before.endswith(" ") or key.startswith("-"):
            return kind
        last = key.lower()
        if last.rstrip("s") in _SPACED or last in _SPACED:
            words = _NAME_WORD.findall(before)[-2:]
            for count in range(len(words), 0, -1):
                joined = self._kind_of("_".join([*words[-count:], key]))
                if joined not in (None, "plain", "maybe"):
                    return joined
            if words and self._kind_of(f"x_{words[-1]}_{key}") is None and kind == "token":
                return None
        return kind

    def _value_spans(self, text: str, tail: re.Match[str], kind: str, *, is_flag: bool) -> Iterator[Span]:
        at = tail.end()
        if tail["xml"]:
            # behind a quote it ends a tag that is named after something else (`<label for="password">`)
            if not tail["close"]:
                yield from in_element(text, tail, kind)
        elif tail["sep"] or tail["pair"]:
            if tail["sep"] == ":" and (text.startswith("//", at) or self._is_path(text, tail)):
                return
            if tail["pair"] != "(" or is_odd_argument(text, at):
                yield from after_sign(text, at, kind, strict=tail["pair"] is not None)
        elif tail["prose"]:
            yield from after_verb(text, at, kind, tail["prose"])
        elif at > tail.end("close") or not tail["close"] or "】" in tail["close"]:
            yield from after_blank(text, at, kind, is_flag=is_flag, han=not text[tail.start() - 1].isascii())

    def _is_path(self, text: str, tail: re.Match[str]) -> bool:
        """Whether a colon only joins the parts of a name (`arn:aws:...:secret:app`)."""
        before = text[max(0, tail.start() - 40) : tail.start()]
        word = before.rstrip(KEY_CHARS)
        if not word.endswith(":") or tail.end() > tail.end("sep"):
            return False
        value = re.split(r"[^!-~]", text[tail.end() : tail.end() + 24], maxsplit=1)[0]
        return not looks_random(value)


def _lower_ascii(text: str) -> str:
    """Lower-case ASCII only: `str.lower` may change the length of other scripts."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _may_announce(lower: str, at: int, size: int) -> bool:
    """Whether a sign, a verb or a word with a digit follows, or the word is an option (`--password`)."""
    if _FOLLOWS.match(lower, at + size):
        return True
    before = lower[max(0, at - 40) : at]
    return before[len(before.rstrip(KEY_CHARS)) :].startswith("-")


def _find_announcing(lower: str, stems: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Find stems in a long text, as a rule only those that may announce something."""
    for stem in stems:
        if not has_any((stem,), lower):
            continue
        if not stem.isascii() or rust_test(rf"-[a-z0-9_.\-]*{re.escape(stem)}")(lower):
            yield from _find_all(lower, [stem])
        else:
            yield from ((hit.start(), stem) for hit in _announcing(stem).finditer(lower))


@lru_cache(maxsize=256)
def _announcing(stem: str) -> re.Pattern[str]:
    return re.compile(f"{re.escape(stem)}(?={_FOLLOWS.pattern})")


def _find_all(text: str, stems: Iterable[str]) -> Iterator[tuple[int, str]]:
    for stem in stems:
        at = text.find(stem)
        while at >= 0:
            yield at, stem
            at = text.find(stem, at + len(stem))
