"""Take out of a text what a terminal or a reader would act on without seeing it.

In:   a text.
Out:  the same text without terminal escapes, C0 and C1 controls (newline, tab and carriage return stay),
      bidirectional controls and zero-width characters (joiners stay: emoji and several scripts need them).
Cost: 0.3 ms per MB to know that there is none, 2 to 4 ms more where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agent_tools.stages.redaction_guards import LONG, encodable, rust_test

# ECMA-48: behind ESC, CSI, OSC/DCS/SOS/PM/APC strings up to BEL or ST, or an escape of two characters
_BEHIND_ESC = re.compile(
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b\x9c\n]{0,4096}[\x07\x9c]?|[ -/]{0,4}[0-~]?"
)
_8_BIT = {
    "\x9b": "\x1b[",
    "\x9d": "\x1b]",
    "\x90": "\x1bP",
    "\x98": "\x1bX",
    "\x9e": "\x1b^",
    "\x9f": "\x1b_",
}
_STARTS_8_BIT = "\x9b\x9d\x90"
_STARTS = "\x1b" + _STARTS_8_BIT
_NO_ESCAPE = re.compile("\n")
HIDDEN_CHARS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_HIDDEN = re.compile(f"[{HIDDEN_CHARS}]")
# A joiner inside ASCII joins nothing: it only hides a word from a search.
JOINERS = "\u200c\u200d"
_ASCII_JOINERS = re.compile(f"(?<=[\x21-\x7e])[{JOINERS}]+(?=[\x21-\x7e])")
_NO_JOINT = re.compile(f"[^\x21-\x7e{JOINERS}]")
# What the Rust engine looks for 16 bytes at a time: one of ten characters, or of a few hundred of more bytes
# each. For one of a larger class it looks at byte after byte, which takes ten times as long.
_FEW = 10
_MANY = 200
_PART = 16_384  # characters
_LAST_OF_LENGTH = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)  # in UTF-8


def strip(text: str) -> str:
    """Remove terminal escapes, control, bidirectional and zero-width characters.

    Example:
        >>> strip("\\x1b[31mred\\x1b[0m a\\u200bb\\tc")
        'red ab\\tc'
    """
    if len(text) <= LONG:
        return _without_joiners(_HIDDEN.sub("", _without_escapes(text)))
    odd = _found(encodable(text), HIDDEN_CHARS + JOINERS)
    return "".join(
        _strip_part(part, odd) if any(char in part for char in odd) else part for part in _parts(text, odd)
    )


def _parts(text: str, odd: list[str]) -> Iterator[str]:
    """Cut a text where neither an escape nor a run of joiners goes on."""
    cut = _NO_ESCAPE if any(start in odd for start in _STARTS) else _NO_JOINT
    start = 0
    while start < len(text):
        hit = cut.search(text, start + _PART)
        end = hit.end() if hit else len(text)
        yield text[start:end]
        start = end


def _strip_part(text: str, odd: list[str]) -> str:
    text = _without_escapes(text)
    for char in odd:
        if char not in JOINERS:
            text = text.replace(char, "")
    return _without_joiners(text)


def _without_escapes(text: str) -> str:
    if any(start in text for start in _STARTS_8_BIT):
        for char, escape in _8_BIT.items():
            text = text.replace(char, escape)
    if "\x1b" in text:
        first, *others = text.split("\x1b")
        text = first + "".join([_BEHIND_ESC.sub("", part, 1) for part in others])
    return text


def _without_joiners(text: str) -> str:
    return _ASCII_JOINERS.sub("", text) if any(joiner in text for joiner in JOINERS) else text


def odd_texts(texts: list[str]) -> list[str]:
    """Return those of many texts that have anything to strip, or a joiner.

    Example:
        >>> odd_texts(["a\\tb", "a\\u200bb", "c"]) == ["a\\u200bb"]
        True
    """
    if not _is_odd("\n".join(texts)):
        return []
    return texts if len(texts) == 1 else list(filter(_is_odd, texts))


def _is_odd(text: str) -> bool:
    text = encodable(text)
    if len(text) <= LONG:
        return rust_test(f"[{HIDDEN_CHARS}{JOINERS}]")(text)
    return any(_has_one(text, chars) for chars in _by_length(HIDDEN_CHARS + JOINERS))


@cache
def _by_length(chars: str) -> list[str]:
    """Return the characters of a class by their length in UTF-8, in groups that can be looked for at once."""
    found: list[str] = []
    first = 0
    for last in _LAST_OF_LENGTH:
        these = "".join(re.findall(f"[{chars}]", "".join(map(chr, range(first, last + 1)))))
        most = _MANY if first else _FEW
        found += [these[at : at + most] for at in range(0, len(these), most)]
        first = last + 1
    return found


def _has_one(text: str, chars: str) -> bool:
    return rust_test("|".join(f"([{chars[at : at + _FEW]}])" for at in range(0, len(chars), _FEW)))(text)


def _found(text: str, chars: str) -> list[str]:
    """Return which characters of a class a text has."""
    found: list[str] = []
    groups = _by_length(chars)[::-1]
    while groups:
        group = groups.pop()
        if not _has_one(text, group):
            continue
        if len(group) == 1:
            found.append(group)
        else:
            size = -(-len(group) // _FEW)
            groups += [group[at : at + size] for at in range(0, len(group), size)]
    return found
