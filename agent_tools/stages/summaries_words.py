"""Read a column of texts or flags: its categories, or the texts unlike the others. A part of `budget`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

from agent_tools.stages.summaries_numbers import read_numbers
from agent_tools.stages.summaries_odd import FAR, MAX_VALUE, SAMPLE, Column, Odd, center_of, label, show
from agent_tools.stages.summaries_text import announces, find_words, words_for

MAX_CATEGORIES = 60
MAX_DISTINCT = 20_000
MAX_PATTERNS = 3000  # texts of a column whose patterns are compared, 2 us each
TOP_VALUES = 4
MIN_CODES = 8
MAX_CODES = 24  # in a sample
FEW_NUMBERS = 4
_CODE = re.compile(
    r"(?:^|[^a-zA-Z])(?i:status|state|code|level|priority|severity|type|kind|mode|class|rc)$"
    r"|[a-z](?:Status|State|Code|Level|Priority|Severity|Type|Kind|Mode|Class)$"
)
FAR_OFF = 50  # score of an outlier that is one
# one number and a unit before or after it; an id has figures and letters without a blank
_AMOUNT = re.compile(r"(?:[^\W\d]{1,3}\s|[$€£¥])?([+-]?\d[\d,]{0,20}(?:\.\d{1,9})?)(?:\s?[^\W\d]{1,8}|\s?%)?")
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}.*)?)?")


def read_flags(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    _read_categories(column, Counter(cells), cells, at)


def read_integers(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    """Read whole numbers: codes and the few values of a number are counted, not averaged."""
    sample = cells[:: max(1, len(cells) // SAMPLE)]
    distinct = set(sample)
    if len(cells) < MIN_CODES or len(distinct) > MAX_CODES or float in set(map(type, cells)):
        read_numbers(column, cells, at)
        return
    counts = Counter(cells)
    if _CODE.search(column.name) and len(counts) <= MAX_CATEGORIES:
        _read_categories(column, counts, cells, at)
        return
    read_numbers(column, cells, at)
    if 1 < len(counts) <= FEW_NUMBERS:
        column.said = _say_counts(sorted(counts.items()), [])


def read_texts(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    step = max(1, len(cells) // SAMPLE)
    sample = cells[::step]
    distinct = len(set(sample))
    dated = all(len(text) < 40 and _DATE.fullmatch(text) for text in sample[:: max(1, len(sample) // 40)])
    # a few long texts of which none comes twice are no categories
    is_repeated = distinct < len(sample) or max(map(len, sample)) <= MAX_VALUE
    if not dated and is_repeated and distinct <= min(MAX_CATEGORIES, max(4, len(sample) // 4)):
        counts = Counter(cells)
        if len(counts) <= max(4 * MAX_CATEGORIES, len(cells) // 20):
            _read_categories(column, counts, cells, at)
            return
    _say_texts(column, cells, at, dated)
    _read_free_texts(column, cells, at, dated)


def _say_texts(column: Column, cells: list[Any], at: Sequence[int], dated: bool) -> None:
    if dated:
        earliest, latest = min(cells), max(cells)
        column.said = f"{earliest[:MAX_VALUE]} to {latest[:MAX_VALUE]}"
        _read_far_dates(column, cells, at, {"earliest": earliest, "latest": latest})
        return
    number = len(set(cells[:MAX_DISTINCT]))
    more = "at least " if len(cells) > MAX_DISTINCT else ""
    column.said = f"{more}{number} different texts" if number > 1 else f"always {show(cells[0])}"


def _read_far_dates(column: Column, cells: list[Any], at: Sequence[int], ends: dict[str, str]) -> None:
    """Find a first or last date far from all others: 1970-01-01 in a table of this year."""
    sample = [_day(text) for text in cells[:: max(1, len(cells) // SAMPLE)] if _DATE.fullmatch(text)]
    center, spread = center_of(sample)
    for word, extreme in ends.items():
        if _DATE.fullmatch(extreme) and abs(_day(extreme) - center) / max(spread, 1.0) > FAR:
            column.odd.append(Odd(64, at[cells.index(extreme)], f"{word} {label(column.name)}"))


def _day(text: str) -> int:
    """Return a number of days that grows with the date; near enough to measure distances."""
    day = text[8:10]
    return int(text[:4]) * 372 + int(text[5:7]) * 31 + (int(day) if day.isdigit() else 1)


def _read_categories(column: Column, counts: Counter[Any], cells: list[Any], at: Sequence[int]) -> None:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    if len(ordered) == 1:
        column.said = f"always {show(ordered[0][0])}" if len(cells) > 1 else show(ordered[0][0])
        return
    limit = max(1, len(cells) // 50)
    rare = [(value, count) for value, count in ordered if count <= limit]
    column.said = _say_counts(ordered, rare)
    name = label(column.name)
    number = sum(count for _, count in rare)
    if len(cells) >= 8 and number <= len(cells) // 5:
        for value, count in rare[::-1][:4]:
            why = f"only {name} of its kind" if count == 1 else f"rare {name}"
            # the more rows are rare, the less each of them is
            column.odd.append(Odd(60 + 15 / number + 10 / count, at[cells.index(value)], why))
    common = [value for value, count in ordered if count > limit][:6]
    firsts = {value: cells.index(value) for value in common}
    for value in common[1:]:
        column.odd.append(Odd(22, at[firsts[value]], f"first with another {name}"))
    backwards = cells[::-1]
    lasts = {value: len(cells) - 1 - backwards.index(value) for value in common}
    for value in sorted(common, key=lambda value: firsts[value])[1:4]:
        # nothing that comes before it comes again
        if max(lasts[other] for other in common if firsts[other] < firsts[value]) < firsts[value]:
            column.odd.append(Odd(59, at[firsts[value]], f"{name} changes here"))


def _say_counts(ordered: list[tuple[Any, int]], rare: list[tuple[Any, int]]) -> str:
    usual = ordered[:TOP_VALUES] if len(ordered) > TOP_VALUES + 1 else ordered
    named = usual + [item for item in rare[-2:] if item not in usual]
    others = len(ordered) - len(named)
    said = ", ".join(f"{show(value)} {count}" for value, count in named)
    return said + (f" and {others} other values" if others > 0 else "")


def _read_free_texts(column: Column, cells: list[Any], at: Sequence[int], dated: bool) -> None:
    name = label(column.name)
    lengths = list(map(len, cells))
    center, spread = center_of(lengths[:: max(1, len(lengths) // SAMPLE)])
    sizes = set(lengths)
    longest, shortest = max(sizes), min(sizes)
    if (longest - center) / max(spread, 2.0) > 2 * FAR:
        column.odd.append(Odd(58, at[lengths.index(longest)], f"longest {name}"))
    if (center - shortest) / max(spread, 1.0) > FAR:
        column.odd.append(Odd(50, at[lengths.index(shortest)], f"shortest {name}"))
    if not dated:
        _read_amounts(column, cells, at)
        joined = "\0" + "\0".join(cells) + "\0"
        _read_looks(column, cells, at, joined)
        _read_frame(column, cells, at, joined)
        _read_error_words(column, cells, at, joined)


def _read_amounts(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    """Find what is far off among numbers with a unit, 310.00 EUR or 12 ms."""
    sample = cells[:: max(1, len(cells) // 40)]
    if len(cells) > MAX_DISTINCT or sum(map(bool, map(_AMOUNT.fullmatch, sample))) < 0.95 * len(sample):
        return
    found = [(place, match[1]) for place, match in enumerate(map(_AMOUNT.fullmatch, cells)) if match]
    amounts = Column(column.name)
    numbers = [float(amount.replace(",", "")) for _, amount in found]
    read_numbers(amounts, numbers, [at[place] for place, _ in found])
    column.odd += [odd for odd in amounts.odd if odd.score >= FAR_OFF]


def _unlike(column: Column, score: float, row: int) -> None:
    column.odd.append(Odd(score, row, f"{label(column.name)} unlike the others"))


def _read_looks(column: Column, cells: list[Any], at: Sequence[int], joined: str) -> None:
    """Find the few texts that look unlike the others at a C-level glance."""
    total, limit = len(cells), max(1, len(cells) // 200)
    if total < 8:
        return
    # one look at all of them at once tells whether any can be unlike the others
    looks = [str.isupper, str.islower] if _has_both_cases(joined) else []
    looks += [str.isdigit] if joined.isascii() else [str.isdigit, str.isascii]
    for look in looks:
        flags = list(map(look, cells))
        count = sum(flags)
        rarer = count <= total - count
        number = count if rarer else total - count
        if 0 < number <= limit:
            _unlike(column, 52 + 20 / number, at[flags.index(rarer)])
    if total <= MAX_PATTERNS:
        _read_patterns(column, cells, at, limit)


def _has_both_cases(text: str) -> bool:
    # changing the case takes a quarter of the time of asking for it
    if text.isascii():
        return text.lower() != text and text.upper() != text
    return not (text.isupper() or text.islower())


def _read_patterns(column: Column, cells: list[Any], at: Sequence[int], limit: int) -> None:
    # the pattern, and how many words; where either differs from text to text none is odd by it
    patterns: tuple[tuple[Callable[[str], object], float], ...] = ((look_of, 0.6), (_count_blanks, 0.99))
    for pattern, usual in patterns:
        keys = list(map(pattern, cells))
        counts = Counter(keys)
        if counts.most_common(1)[0][1] < min(usual * len(cells), len(cells) - 1):
            continue
        for key, number in counts.items():
            if number <= limit:
                _unlike(column, 50 + 20 / number, at[keys.index(key)])


def _count_blanks(text: str) -> int:
    return text.count(" ")


def _read_frame(column: Column, cells: list[Any], at: Sequence[int], joined: str) -> None:
    """Find the texts without the beginning or the end that all texts of a sample have."""
    if len(cells) < 50:
        return
    sample = [text for text in cells[:: max(1, len(cells) // SAMPLE)] if text]
    some = len(sample) // 50
    head = _common(sorted(sample)[some : -some or None])
    tail = _common(sorted(text[::-1] for text in sample)[some : -some or None])[::-1]
    for shared, has, framed in ((head, str.startswith, "\0" + head), (tail, str.endswith, tail + "\0")):
        number = len(cells) - joined.count(framed) if shared else 0
        if 0 < number <= max(1, len(cells) // 200):
            row = next(place for place, text in enumerate(cells) if not has(text, shared))
            _unlike(column, 54 + 20 / number, at[row])


def _common(ordered: list[str]) -> str:
    """Return the beginning that the first and the last of sorted texts share, so all share it."""
    first, last = ordered[0], ordered[-1]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(pair[0] for pair in same)


_LOWER, _UPPER, _FIGURES = re.compile(r"[a-z]+"), re.compile(r"[A-Z]+"), re.compile(r"\d+")
_OTHERS = re.compile(r"[^\W\da-zA-Z_]+")  # letters of other scripts, which have no capitals to tell by
_REPEATED = re.compile(r"(a )(?:a )+")


def look_of(text: str) -> str:
    """Return the pattern of a text: runs of small letters, capitals and digits squashed.

    Example:
        >>> look_of("user12@example.com"), look_of("INV-2026"), look_of("the cat sat on it")
        ('a0@a.a', 'A-0', 'a')
    """
    squashed = _FIGURES.sub("0", _UPPER.sub("A", _LOWER.sub("a", text[:120])))
    if not squashed.isascii():
        squashed = _OTHERS.sub("a", squashed)
    return _REPEATED.sub(r"\1", squashed + " ").strip() if " " in squashed else squashed


def _read_error_words(column: Column, cells: list[Any], at: Sequence[int], joined: str) -> None:
    if len(joined) < 12 * len(cells):  # names and ids hold no messages
        return
    seen: dict[tuple[bool, str], list[int]] = {}
    for place, word in find_words(joined, words_for(joined), 60):
        seen.setdefault((announces(joined, place, word), word), []).append(place)
    for (is_loud, _), places in sorted(seen.items(), key=lambda item: len(item[1])):
        row = min(joined.count("\0", 0, places[0]) - 1, len(cells) - 1)
        # a path or binary content is no message, and what is said in passing proves nothing
        if len(places) <= max(2, len(cells) // 20) and (is_loud or " " in cells[row]):
            score = (66 if is_loud else 40) + 20 / len(places)
            column.odd.append(Odd(score, at[row], f"error word in {label(column.name)}", (cells[row],)))
