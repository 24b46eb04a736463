"""Find the lines of a text of free words that say what no other line says. A part of `budget`.

They have words that come nowhere else in a text which uses the same ones again and again.

Cost: about 0.1 us per character; meant for texts of a few hundred kB.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

MAX_NEW = 300  # words of a text that come once: in one of more the words are free
MIN_NEW = 2
NEW = 0.5  # of the words of a line, so that it says something new
_BLANKLESS = (
    r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without blanks between words: a character each
)
_WORDS = re.compile(rf"[{_BLANKLESS}]|[^\W\d_{_BLANKLESS}]{{2,}}")


def new_lines(text: str, most: int) -> list[int]:
    """Return where the lines begin that are made of words which no other line has, the longest first.

    Example:
        >>> usual = "the pump runs as planned\\nthe valve runs\\nas planned the valve runs\\n" * 20
        >>> new_lines(usual + "the gate caught two riders\\n" + usual, 12) == [len(usual)]
        True
    """
    counts = Counter(_WORDS.findall(text))
    new = [word for word, count in counts.items() if count <= 2]
    if len(new) > min(MAX_NEW, counts.total() // 20):
        return []
    found: dict[int, set[str]] = {}
    for word in new:
        starts = {text.rfind("\n", 0, place) + 1 for place in _places(text, word)}
        if len(starts) == 1:
            found.setdefault(starts.pop(), set()).add(word)
    scores = {}
    for start, words in found.items():
        end = text.find("\n", start)
        said = set(_WORDS.findall(text[start : end if end >= 0 else len(text)]))
        if len(words) >= MIN_NEW and len(words) >= NEW * len(said):
            scores[start] = len(words)
    return sorted(scores, key=lambda start: (-scores[start], start)) if len(scores) <= most else []


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands as a whole."""
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if len(word) == 1 or not (text[place - 1 : place].isalpha() or text[end : end + 1].isalpha()):
            yield place
        place = text.find(word, end)
