"""Find sensitive values in XML and HTML: attributes, elements, cells beside their label, property lists.

In:   a text, and what kind each key is.
Out:  spans `(start, end, mask)` of the values.
Cost: linear: every look starts at a tag and is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator

from agent_tools.stages.redaction_announced import hide_as, is_odd_word
from agent_tools.stages.redaction_spans import Span, hits_at

KindOf = Callable[[str], "str | None"]

_OPENING = re.compile(r"<(?=[^\W\d])")
_TAG = re.compile(r"<(?:[A-Za-z][\w\-]{0,30}:)?([^\W\d][\w.\-]{0,60})((?:\s[^<>]{0,800})?)(/?)>")
_ATTRIBUTE = re.compile(r"""([A-Za-z_:][\w.:\-]{0,60})\s{0,4}=\s{0,4}(\\{0,3}["'])([^"'<>\\]{0,4096})\2""")
_LABEL_OPENING = re.compile(r"<(?:key|name|t[dh]|d[tl]|b|strong|label|span|code|em|n)\b")
_LONGEST_TAG, _LONGEST_LABEL = 900, 220
_NAMING = frozenset({"name", "key", "id", "property", "itemprop", "parameter", "field", "label", "for"})
_ONE_WORD = frozenset({"password", "pass", "secret", "token", "maybe", "holder", "pin", "otp", "cvv"})
_HOLDING = ("value", "content", "val", "data-value")
# `<key>K</key><string>V</string>`, `<td>K</td><td>V</td>`, `<b>K:</b> V`, `<name>K</name><value>V</value>`
_LABEL = re.compile(
    r"<(key|name|td|th|dt|b|strong|label|span|code|em|n)(?:\s[^<>]{0,200})?>\s{0,8}([^<>\n]{1,60}?)\s{0,4}([:：]?)\s{0,4}"
    r"</\1>\s{0,40}([:：]?)\s{0,40}(<(?:string|value|td|dd|span|code|em|data|v|strong|p)(?:\s[^<>]{0,200})?>\s{0,8})?"
    r"([^<>\s][^<>\n]{0,4096}?)\s{0,8}(?=<|\n|$)"
)
_INNER = re.compile(
    r"\s{0,40}(?:<(?:value|string|val)>\s{0,40})?(?:<!\[CDATA\[(.{1,4096}?)\]\]>|([^<>\s][^<>]{0,4096}))",
    re.DOTALL,
)


def markup_spans(text: str, start: int, end: int, kind_of: KindOf) -> Iterator[Span]:
    """Find values of attributes and elements whose name, or the name beside them, is sensitive."""
    # a value may stand in a later line of its tag
    for tag in hits_at(_OPENING, _TAG, text, max(start - _LONGEST_TAG, 0), end):
        kind = _sensitive(kind_of, tag[1])
        if tag[2]:
            named = yield from _attributes(text, tag, kind_of)
            kind = named or kind
        if kind is not None and not tag[3]:
            yield from _inside(text, tag.end(), kind)
    for pair in hits_at(_LABEL_OPENING, _LABEL, text, max(start - _LONGEST_LABEL, 0), end):
        kind = _sensitive(kind_of, pair[2])
        if kind is not None:
            value = pair[6] if pair[5] else _bare_value(pair[6], kind, has_colon=bool(pair[3] or pair[4]))
            yield from _hidden(text, pair.start(6), pair.start(6) + len(value), kind)


def _bare_value(text: str, kind: str, *, has_colon: bool) -> str:
    """Return what of a text behind a label is its value: a sentence that goes on is none."""
    word, _, more = text.partition(" ")
    if not more or kind not in _ONE_WORD:
        return text if has_colon or (not more and is_odd_word(text)) else ""
    return word if has_colon and is_odd_word(word) else ""


def _attributes(text: str, tag: re.Match[str], kind_of: KindOf) -> Generator[Span, None, str | None]:
    """Hide attributes; return the kind of what the tag is named after (`<entry key="password">`)."""
    found = list(_ATTRIBUTE.finditer(text, tag.start(2), tag.end(2)))
    named = None
    for attribute in found:
        name = attribute[1].rpartition(":")[2]
        if name.lower() in _NAMING:
            named = _sensitive(kind_of, attribute[3]) or named
        elif name.lower() == "type" and attribute[3].lower() == "password":
            named = named or _sensitive(kind_of, "password")
    for attribute in found:
        name = attribute[1].rpartition(":")[2].lower()
        kind = named if name in _HOLDING else None if name in _NAMING else _sensitive(kind_of, name)
        if kind is not None:
            yield from _hidden(text, attribute.start(3), attribute.end(3), kind)
    return named if tag[1].lower() not in ("input", "meta", "label", "a", "form", "img", "link") else None


def _inside(text: str, at: int, kind: str) -> Iterator[Span]:
    inner = _INNER.match(text, at)
    if inner is not None and text.startswith("</" if inner[2] else "", inner.end()):
        group = 1 if inner[1] is not None else 2
        yield from _hidden(text, inner.start(group), inner.end(group), kind)


def _hidden(text: str, start: int, end: int, kind: str) -> Iterator[Span]:
    value = text[start:end].rstrip()
    hidden = hide_as(kind, value) if value.strip() else None
    if hidden is not None:
        yield start, start + len(value), hidden


def _sensitive(kind_of: KindOf, name: str) -> str | None:
    kind = kind_of(name.strip(" :：*\"'`"))
    return None if kind in (None, "plain") else "secret" if kind == "internal" else kind
