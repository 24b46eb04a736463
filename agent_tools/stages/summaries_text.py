"""Find the lines of a text that a reader must not miss. A part of `budget`.

Two kinds: lines with an error word, and lines whose template (digits squashed) is rare. All of it is
built from `str.find`, `str.translate` and `Counter`: a regular expression over 5 MB costs 40 to 240 ms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

# the strongest first; case as it stands in real logs. Each costs about 0.5 ms per MB.
LOUD = (
    "ERROR",
    "FATAL",
    "CRITICAL",
    "Traceback",
    "FAILED",
    "PANIC",
    "panic:",
    "Exception",
    "EMERG",
    "SEVERE",
)
QUIET = ("Error", "error", "fatal", "failed", "failure", "denied", "refused", "exceeded", "corrupt", "WARN")
CJK = (
    "错误",
    "失败",
    "异常",
    "宕机",
    "致命",
    "严重",
    "崩溃",
    "错誤",
    "失敗",
    "異常",
    "エラー",
    "오류",
    "실패",
)
MAX_HITS = 400
_DIGITS = str.maketrans("123456789", "000000000")
_IDS = re.compile(r"\b(?=\w*\d)[0-9a-zA-Z]{6,}\b|0[0.:,-]*0|0")


def template(line: str) -> str:
    """Squash what varies from line to line: numbers, times, hexadecimal ids.

    Example:
        >>> template("10:31 user 815 id=9f86d081884c") == template("11:00 user 7 id=2c26b46b68ff")
        True
    """
    return _IDS.sub("0", line[:400].translate(_DIGITS))


def words_for(text: str) -> tuple[str, ...]:
    """Return the error words worth looking for: none of another script where there is none."""
    return LOUD + QUIET if text.isascii() else LOUD + QUIET + CJK


def find_words(text: str, words: tuple[str, ...], most: int = MAX_HITS) -> Iterator[tuple[int, str]]:
    """Yield place and word of each error word, word by word, at most `most` of each."""
    for word in words:
        place = text.find(word)
        found = 0
        while place >= 0 and found < most:
            yield place, word
            found += 1
            place = text.find(word, place + len(word))


def standing_out(lines: list[str], text: str, starts: list[int], most: int) -> list[tuple[int, str]]:
    """Return (line, why) of the lines that a reader must not miss, the most telling first.

    Args:
        lines: The text, split.
        text: The whole text that the words are looked for in.
        starts: Offset of each line in `text`, ascending.
        most: How many at most.
    """
    chosen: dict[int, str] = {}
    for line, why in _loud_lines(lines, text, starts):
        chosen.setdefault(line, why)
        if len(chosen) >= most:
            break
    room = max(most - len(chosen), most // 3)
    for line, why in rare_lines(lines, room):
        chosen.setdefault(line, why)
    return list(chosen.items())[: most + room]


def _loud_lines(lines: list[str], text: str, starts: list[int]) -> list[tuple[int, str]]:
    seen: dict[str, list[int]] = {}
    ranked: dict[str, int] = {}
    for rank, (place, _) in enumerate(find_words(text, words_for(text))):
        line = bisect_right(starts, place) - 1
        key = template(lines[line])
        seen.setdefault(key, []).append(line)
        ranked.setdefault(key, rank)
    # a word that stands in a good part of the lines says nothing about one of them
    common = max(MAX_HITS // 2, 1)
    keys = sorted(
        seen, key=lambda key: (len(set(seen[key])) >= common, ranked[key] // MAX_HITS, len(seen[key]))
    )
    firsts = [(min(seen[key]), "error word") for key in keys if len(set(seen[key])) < max(len(lines) // 2, 2)]
    lasts = [(max(seen[key]), "error word") for key in keys if len(set(seen[key])) < max(len(lines) // 2, 2)]
    return firsts + lasts


def rare_lines(lines: list[str], most: int) -> list[tuple[int, str]]:
    """Return the first line of each template that is rare among many alike lines."""
    if len(lines) < 8 or not most:
        return []
    keys = _keys(lines)
    counts = Counter(keys)
    usual = sum(count for count in counts.values() if count > 1)
    if usual < 0.6 * len(keys):
        return []
    limit = max(1, len(keys) // 500)
    rare = sorted((count, key) for key, count in counts.items() if count <= limit)[: 4 * most]
    places: dict[str, int] = {}
    wanted = {key for _, key in rare}
    for place, key in enumerate(keys):
        if key in wanted:
            places.setdefault(key, place)
    return sorted((places[key], "rare line") for _, key in rare)[:most]


def _keys(lines: list[str]) -> list[str]:
    # exact templates up to a few thousand lines; past that the cheap half of a template
    if len(lines) <= 3000:
        keys = [template(line) for line in lines]
        if len(set(keys)) < 0.5 * len(keys):
            return keys
    return [shape(line) for line in lines] if len(lines) <= 3000 else [line[-2:] for line in lines]


def shape(line: str) -> str:
    """Return what a line looks like when its words are free: its frame of signs and capitals."""
    return _FREE.sub("a", line[:200].translate(_DIGITS))


_FREE = re.compile(r"[a-z0 ]+(?:[-_.][a-z0]+)*")
