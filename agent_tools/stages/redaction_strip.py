"""Take out of a text what a terminal or a reader would act on without seeing it.

In:   a text.
Out:  the same text without terminal escapes, C0 and C1 controls (newline, tab and carriage return stay),
      bidirectional controls and zero-width characters (joiners stay: emoji and several scripts need them).
Cost: nothing measurable when there is none.
"""

from __future__ import annotations

import re

# ECMA-48: CSI, OSC/DCS/SOS/PM/APC strings up to BEL or ST, two-character escapes; 8-bit forms too
_ESCAPES = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]|"
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?|"
    r"\x1b[ -/]{0,4}[0-~]?"
)
HIDDEN_CHARS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_HIDDEN = re.compile(f"[{HIDDEN_CHARS}]")
# A joiner inside ASCII joins nothing: it only hides a word from a search.
_ASCII_JOINERS = re.compile(r"(?<=[\x21-\x7e])[\u200c\u200d]+(?=[\x21-\x7e])")


def strip(text: str) -> str:
    """Remove terminal escapes, control, bidirectional and zero-width characters.

    Example:
        >>> strip("\\x1b[31mred\\x1b[0m a\\u200bb\\tc")
        'red ab\\tc'
    """
    if "\x1b" in text or "\x9b" in text or "\x9d" in text or "\x90" in text:
        text = _ESCAPES.sub("", text)
    text = _HIDDEN.sub("", text)
    return text if text.isascii() else _ASCII_JOINERS.sub("", text)
