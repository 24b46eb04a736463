"""Find the lines of a text that are odd by one word in its place. A part of `budget`.

No list of words is needed: a line is odd by its label (`[page]` among `[note]` and `[log]`, 【警报】 among
【通知】), a row of a table by a cell with another word in a column that has a few.

Cost: 1.5 us per line for labels, 1 us for the cells of a row; nothing where a sample has no such place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, repeat, zip_longest
from typing import TypeVar

from agent_tools.stages.summaries_text import sample_lines

SAMPLE = 200  # lines that tell whether any label can be
MIN_LINES = 30
MAX_LINES = 20_000
HEADS = 8  # words at the beginning of a line among which its label is
HEAD_CHARS = 120
MAX_LABELS = 12
MAX_ROWS = 100_000
MIN_SIGNS = 2  # in a line of a table
REGULAR = 0.9  # share of the lines of a table with the same number of signs
_SIGNS = (b"\t", b', "', b',"', b";", b"|", b",")
MANY = 10 * SAMPLE  # lines of which what comes again in a sample is usual
OFTEN = 3  # times in a sample
Word = TypeVar("Word", str | None, bytes)
_DIGITS = str.maketrans("123456789", "000000000")
_FIGURES = re.compile(r"\d+")
_CLOSING = "】」］]）：，、"


def rare_labels(text: str, total: int, most: int) -> list[int]:
    """Return the lines, of `total`, with another word where nearly all have one of a few, the rarest first.

    Example:
        >>> lines = [f"12:0{n % 10} [{'in' if n % 3 else 'out'}] {chr(97 + n % 26) * 5}" for n in range(99)]
        >>> lines[40] = "12:01 [seal] abcde"
        >>> rare_labels("\\n".join(lines), 99, 12)
        [40]
    """
    if not MIN_LINES <= total <= MAX_LINES:
        return []
    sample = [Counter(words) for words in _columns(sample_lines(text, SAMPLE))]
    # of words that differ more in a sample, still more are in the whole
    if not any(len(words) <= MAX_LABELS + most for words in sample):
        return []
    return _rare_among(_columns(_lines_of(text)), sample, total, most)


def rare_cells(text: str, total: int, most: int) -> list[int]:
    """Return the lines of a long table, of `total`, with another word in a column that has a few.

    A table is what has the same signs in nearly each line: of tabs, commas, or between the fields of JSON.

    Example:
        >>> lines = [f"{n};{'in' if n % 3 else 'out'};{chr(97 + n % 26) * 5}" for n in range(99)]
        >>> lines[40] = "7;seal;abcde"
        >>> rare_cells("\\n".join(lines), 99, 12)
        [40]
    """
    sample = _without_figures("\n".join(sample_lines(text, SAMPLE))).split(b"\n")
    sign, signs = next(((sign, found) for sign in _SIGNS if (found := _regular(sign, sample))), (b"", 0))
    if not signs or not MIN_LINES <= total <= MAX_ROWS:
        return []
    rows = [row for row in sample if row.count(sign) == signs]
    words = [Counter(cells) for cells in zip(*[row.split(sign) for row in rows], strict=True)]
    usual = {place: counts for place, counts in enumerate(words) if len(counts) <= MAX_LABELS + most}
    if not usual:
        return []
    lines = _without_figures(text.removesuffix("\n")).split(b"\n")
    numbers = [number for number, found in enumerate(map(bytes.count, lines, repeat(sign))) if found == signs]
    # one list of all cells: a list for each line keeps the garbage collector busy for as long again
    cells = sign.join([lines[number] for number in numbers]).split(sign)
    columns = (tuple(cells[place :: signs + 1]) for place in usual)
    return [numbers[place] for place in _rare_among(columns, [*usual.values()], len(numbers), most)]


def _without_figures(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(None, b"0123456789")


def _regular(sign: bytes, lines: list[bytes]) -> int:
    """Return how many of a sign nearly each line has, 0 where that differs or they are few."""
    signs, times = Counter(line.count(sign) for line in lines).most_common(1)[0]
    return signs if signs >= MIN_SIGNS and times >= REGULAR * len(lines) else 0


def _rare_among(
    columns: Iterable[tuple[Word, ...]], sample: list[Counter[Word]], total: int, most: int
) -> list[int]:
    """Return the rows with another word where nearly all have one of a few, the rarest first."""
    limit = max(1, total // 1000)
    found: dict[int, int] = {}
    for usual, words in zip(sample, columns, strict=False):
        if len(usual) > MAX_LABELS + most or (total > MANY and _are_usual(usual, words)):
            continue
        counts = Counter(words)
        labels = {word for word, count in counts.items() if count > limit}
        if len(labels) > MAX_LABELS or not 0 < len(counts) - len(labels) <= most:
            continue
        rare = [number for number, word in enumerate(words) if word not in labels]
        if len(rare) <= max(1, total // 50):
            found |= {number: counts[words[number]] for number in rare}
    return sorted(found, key=lambda number: (found[number], number))[:most]


def _are_usual(usual: Counter[Word], words: tuple[Word, ...]) -> bool:
    """Say whether each word comes again and again in a sample: a set takes half the time of counting."""
    return all(usual[word] >= OFTEN for word in set(words))


def _columns(lines: Iterable[str]) -> Iterator[tuple[str | None, ...]]:
    """Yield the first words of all lines, the second ones and so on, None for those of shorter lines."""
    text = "\n".join([line[:HEAD_CHARS] for line in lines])
    for sign in _CLOSING:
        if sign in text:
            text = text.replace(sign, sign + " ")
    columns = zip_longest(*[line.split(None, HEADS) for line in _zeroed(text).split("\n")])
    return islice(columns, HEADS)


def _lines_of(text: str) -> Iterator[str]:
    # of long lines little is left; splitting the text would copy all of it
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : min(end, start + HEAD_CHARS)]
        start = end + 1
    if start < len(text):
        yield text[start : start + HEAD_CHARS]


def _zeroed(text: str) -> str:
    # translate is 20 times slower on text that is not ASCII
    return text.translate(_DIGITS) if text.isascii() else _FIGURES.sub("0", text)
