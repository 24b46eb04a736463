"""What the finders of a text share: spans, the reasons a text was noticed, how its characters are read.

In:   spans `(start, end, mask)` of one text.
Out:  the text with each span replaced.
Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter

from agent_tools.stages.redaction_masks import HIDDEN

Span = tuple[int, int, str]

NUMBER, LED, WORD, BELOW, TOKEN, CREDENTIAL, COMMAND, EMAIL, COLUMN, CELL, LITERAL, OWN = (
    1 << place for place in range(12)
)
ANY = (1 << 12) - 1
"""Why a text was noticed: a number by its look or by the words before it, an announcing word, a key whose
value stands below it or in a tag, an issued token, a URL or scheme with a credential, a command line, an at
sign, a statement that names its columns, the heading of a table, a text of `secrets`, a rule of the project's
own."""

ODD, ESCAPE = 1 << 12, 1 << 13
"""Two more reasons: hidden characters, or full-width ones that the patterns read as ASCII; and escapes that
may spell something."""

Region = tuple[int, int, int]
"""Start and end of a part of a text in which something may begin, and the reasons to look there."""

REACH = 512
"""How many characters behind a region most patterns have to see."""

KEY_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
"""What a key in a text consists of."""

LATIN = "\u00c0-\u024f\u1e00-\u1eff"
"""Latin letters beyond ASCII, for a character class."""

HAN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Chinese, Japanese and Korean, for a character class."""

# Full-width forms are read as ASCII; the text keeps its length, so spans fit both.
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()} | {0xFF0B: 0x2B}
_LONGEST_HEAD = 20
_AHEAD = 80  # characters that a pattern may look ahead behind its hit
_CLASSES = bytes(
    48 if 48 <= c < 58 else 65 if 65 <= c < 91 else 97 if 97 <= c < 123 else 99 if c > 127 else c
    for c in range(256)
)


_ESCAPE = re.compile(
    r"\\u([0-9a-fA-F]{4})|%([2-7][0-9A-Fa-f])|"
    r"(%[CDcd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|"
    r"%[Ff][0-7](?:%[89ABab][0-9A-Fa-f]){3})"
)
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|%[2-7CcDdEeFf][0-9A-Fa-f]")


def shape_of(text: str) -> str:
    """Return the text with each digit as `0`, upper case as `A`, lower case as `a`, others' bytes as `c`."""
    return text.encode("utf-8", "surrogatepass").translate(_CLASSES).decode("ascii")


def merge(found: list[Span]) -> list[Span]:
    """Sort spans and join those that overlap; the longer one's mask stays."""
    if len(found) < 2:
        return found
    # one sort by what it is compared by, then by the other: half of what a pair as the key takes
    found.sort(key=itemgetter(1), reverse=True)
    found.sort(key=itemgetter(0))
    merged = [found[0]]
    for start, end, mask in found[1:]:
        last_start, last_end, last_mask = merged[-1]
        if start >= last_end:
            merged.append((start, end, mask))
        elif end > last_end:
            merged[-1] = (last_start, end, last_mask)
    return merged


def apply(text: str, spans: list[Span]) -> str:
    """Replace each span by its mask."""
    parts: list[str] = []
    at = 0
    for start, end, mask in spans:
        parts += text[at:start], mask
        at = end
    parts.append(text[at:])
    return "".join(parts)


def is_escaped(text: str) -> bool:
    """Whether `\\uXXXX` or `%XX` is in a text.

    Example:
        >>> is_escaped("100%"), is_escaped("api%5Fkey"), is_escaped("%E5%AF%86")
        (False, True, True)
    """
    return ("%" in text or "\\u" in text) and _ESCAPED.search(text) is not None


def unescaped(text: str) -> tuple[str, list[int]]:
    """Undo `\\uXXXX` and `%XX`; return where each character came from, too.

    Example:
        >>> unescaped("a%5Fb%C3%A9")
        ('a_bé', [0, 1, 4, 5, 11])
    """
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for hit in _ESCAPE.finditer(text):
        shown = chr(int(hit[1] or hit[2], 16)) if hit[3] is None else _decoded(hit[3])
        parts += text[at : hit.start()], shown
        places += range(at, hit.start())
        # a character of several bytes starts where they start
        places += [hit.start()] * len(shown)
        at = hit.end()
    parts.append(text[at:])
    places += range(at, len(text) + 1)
    return "".join(parts), places


def _decoded(escapes: str) -> str:
    """Decode the bytes of one character beyond ASCII."""
    raw = bytes.fromhex(escapes.replace("%", ""))
    return raw.decode("utf-8", "replace")


def literal_spans(text: str, literals: Iterable[str]) -> Iterator[Span]:
    """Find exact texts."""
    for literal in literals:
        at = text.find(literal)
        while at >= 0:
            yield at, at + len(literal), HIDDEN
            at = text.find(literal, at + len(literal))


def hits_in(
    pattern: re.Pattern[str], text: str, start: int, end: int, reach: int = REACH
) -> Iterator[re.Match[str]]:
    """Find as `pattern.finditer` does what begins in a region of a text, wherever it ends.

    Args:
        pattern: What to find.
        text: The whole text: a pattern sees what stands around the region.
        start: Where the region starts.
        end: Where it ends.
        reach: How far behind the region a pattern must see to hit at all.
    """
    stop = min(end + reach, len(text))
    for found in pattern.finditer(text, start, stop):
        if found.start() >= end:
            return
        # a hit that ends near the border may go on behind it, or be none
        hit = (
            found if found.end() + _AHEAD < stop or stop == len(text) else pattern.match(text, found.start())
        )
        if hit is not None:
            yield hit


def hits_at(
    head: re.Pattern[str], pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[re.Match[str]]:
    """Find as `hits_in` does what may be long: each hit begins with a short head, which is looked for."""
    done = start
    for begin in head.finditer(text, start, end + _LONGEST_HEAD):
        at = begin.start()
        if at >= end:
            return
        if at >= done and (hit := pattern.match(text, at)) is not None:
            done = hit.end()
            yield hit


def line_start(text: str, at: int) -> int:
    """Return where the line that holds this place starts."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return where the line that holds this place ends."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end
