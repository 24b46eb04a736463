"""Find values that do not stand beside their key but below it: YAML blocks and lists, name and value lines.

In:   a text, and what kind each key is.
Out:  spans `(start, end, mask)` of the values.
Cost: linear: every look starts at the end of a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agent_tools.stages.redaction_announced import hide_as, is_odd_word
from agent_tools.stages.redaction_guards import rust_test
from agent_tools.stages.redaction_masks import HIDDEN
from agent_tools.stages.redaction_spans import HAN, REACH, Span, hits_at, hits_in, line_end, line_start
from agent_tools.stages.redaction_values import is_placeholder, looks_random

KindOf = Callable[[str], "str | None"]

# `password:`, `- "api_keys": |2-`, `+  token: >` (a diff), at the end of a line
_OPEN_KEY = re.compile(
    r"^([+\-]?[ \t]{0,200}(?:-[ \t]{1,8})?)[\"']?([^\W\d][\w.\-/]{0,80})[\"']?[ \t]{0,4}:"
    r"[ \t]{0,4}([|>][+\-0-9]{0,3})?[ \t]{0,8}\r?$",
    re.MULTILINE,
)
_INDENT = re.compile(r"[+\-]?[ \t]*")
_ITEM = re.compile(r"[+\-]?[ \t]*-[ \t]+[\"']?([^\s\"'#][^\n\"']{0,4000}?)[\"']?[ \t]*\r?(?=\n|$)")
_PLAIN = re.compile(r"[+\-]?[ \t]*[\"']?([^\s\"'#:\-][^\n\"']{0,4000}?)[\"']?[ \t]*\r?(?=\n|$)")
_IS_FIELD = re.compile(r"[\"']?[\w.\-/ ]{1,80}[\"']?:(?:\s|$)")
# `apiKey:`, and `value: ...` below it
_VALUE_FIELD = re.compile(r"(?:value|val|default|raw)[\"']?:[ \t]{1,8}[\"']?")
# A name, then its value behind a comma or on the next line: Kubernetes, Terraform, CloudFormation.
_NAMED = re.compile(
    r"(?:name|key|Name|Key|variable|header)[\"']?[ \t]{0,8}[:=][ \t]{0,8}"
    r"(\\{0,3}[\"']?)([^\W\d][\w.\-]{1,80})\1[ \t]{0,4}(?:,[ \t]*)?(?:\r?\n[+\-]?[ \t]*)?[\"'\\]{0,4}"
    r"(?:[A-Z]?[a-z]{0,12}[vV]alue)[\"'\\]{0,4}[ \t]{0,8}[:=][ \t]{0,8}"
    r"(?:(\\{0,3}[\"'])((?:[^\"'\\\n]|\\(?![\"']))[^\"'\n]{0,4096}?)\3|([^\s\"',{}\[\]]{1,4096}))"
)
_NAMING = re.compile("[nN]ame|[kK]ey|variable|header")
_COLON = re.compile(r":[ \t]{0,4}(?:[|>][+\-0-9]{0,3})?[ \t]{0,8}\r?(?=\n)")
LONE_KEY = (
    r"(?m:^)\r?[+\-]?[ \t]*(?:-[ \t]+)?[\"']?[^\s:\"']+[\"']?[ \t]*:[ \t]*(?:[|>][+\-0-9]*)?[ \t]*\r?\n"
)
LONE_LABEL = (
    r"(?m:^)\r?[ \t>*#]*(?:[A-Za-z][A-Za-z \-_]+|[^\x00-\x7f]+)[ \t]*[:：]?[ \t*]*\r?\n"
    r"[ \t]*[!-~]*[0-9A-Z!@#$%^&*_+=~]"
)
"""What has a key alone on its line, and a label with one word below it, as patterns of the Rust engine."""

# A label alone on its line, one odd word alone on the next.
_LABEL = re.compile(
    rf"^[ \t>*#]{{0,8}}([A-Za-z][A-Za-z \-_]{{1,40}}|[{HAN}]{{2,12}})[ \t]{{0,4}}[:：]?[ \t*]{{0,4}}\r?\n"
    r"[ \t]{0,8}(?=(\S{6,200})[ \t]*\r?(?:\n|$))",
    re.MULTILINE,
)

_LABELS = frozenset({"password", "pass", "secret", "token", "otp"})


def layout_spans(text: str, start: int, end: int, kind_of: KindOf) -> Iterator[Span]:
    """Find values below sensitive keys."""
    for colon in _COLON.finditer(text, start, end):
        key = _OPEN_KEY.match(text, line_start(text, colon.start()))
        kind = kind_of(key[2]) if key else None
        if key and kind not in (None, "plain"):
            yield from _block(text, key, "secret" if kind == "internal" else str(kind))
    if rust_test(LONE_LABEL)(text[start : end + REACH]):
        for label in hits_in(_LABEL, text, start, end):
            kind = kind_of(label[1].strip())
            value = label[2]
            if kind in _LABELS and _is_alone(value):
                yield from _hidden(label.start(2), value, str(kind))
    for pair in hits_at(_NAMING, _NAMED, text, start, end):
        kind = kind_of(pair[2])
        if kind not in (None, "plain"):
            group = 4 if pair[4] is not None else 5
            yield from _hidden(pair.start(group), pair[group], "secret" if kind == "internal" else str(kind))


def _is_alone(value: str) -> bool:
    return value.isascii() and value[-1] not in ":,;" and (looks_random(value, 8) or is_odd_word(value))


def _hidden(start: int, value: str, kind: str) -> Iterator[Span]:
    hidden = None if is_placeholder(value) else hide_as(kind, value)
    if hidden is not None:
        yield start, start + len(value), hidden


def _block(text: str, key: re.Match[str], kind: str) -> Iterator[Span]:
    """Hide what is indented below a key: a block as a whole, a list item by item, one plain line."""
    depth = len(key[1].lstrip("+-")) if key[1][:1] in "+-" and key[1][:2] != "- " else len(key[1])
    at = line_end(text, key.end()) + 1
    first, last = -1, -1
    while at < len(text):
        end = line_end(text, at)
        indent = _INDENT.match(text, at, end)
        width = (indent.end() - at - (text[at] in "+-")) if indent else 0
        is_item = _ITEM.match(text, at, end)
        if text[at:end].strip() and not (width > depth or (is_item and width >= depth and not key[3])):
            break
        if key[3]:
            if text[at:end].strip():
                first, last = (indent.end() if first < 0 and indent else first), end
        elif is_item is not None:
            if not _IS_FIELD.match(is_item[1]):
                yield from _hidden(is_item.start(1), is_item[1], "maybe" if kind == "token" else kind)
        else:
            plain = _PLAIN.match(text, at, end)
            field = _VALUE_FIELD.match(plain[1]) if plain is not None else None
            if plain is not None and (field is not None or not _IS_FIELD.match(plain[1])):
                start = field.end() if field is not None else 0
                yield from _hidden(plain.start(1) + start, plain[1][start:], kind)
            return
        at = end + 1
    if first >= 0 and (kind not in ("maybe", "holder") or looks_random(text[first:last].split()[0], 8)):
        shown = text[first:last].rstrip()
        if not is_placeholder(shown) and hide_as(kind, shown) is not None:
            yield first, first + len(shown), hide_as(kind, shown) or HIDDEN
