"""Tell which numerals of an answer stand in no text that the model was given.

In:   the answer; the texts that the model saw.
Out:  the numerals as the answer writes them.
Cost: some 4 ms for each 16 kB of texts.

A numeral may be written in another way than where it stands: `1,234.5`, `1.234,5`, `1 234.5` and `1234.5`
are one number, so are `12.50` and `12.5`, `45 %` and `0.45`, `1.2 million` and `1234567`.
A rounded number counts as the one that it was rounded from. Not looked at: list numbers (`1.`), small ranks
(`2nd`), years, digits that are part of a name (`C1`, `GPT-4`) or of a masked value.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_SPACES = " \u00a0\u2009\u202f"
_RUN = rf"\d+(?:[.,'’٬٫_]\d+|[{_SPACES}]\d{{3}}(?!\d))*(?:[eE][+-]?\d+(?!\w))?"
_DIGITS = re.compile(
    # a run of digits with what may stand between digits of one number
    rf"(?<![\w*.])(?<![^\W\d_][-/.]){_RUN}(?![*\d])"
)
_IN_DATA = re.compile(_RUN)
_GROUPED = re.compile(rf"\d{{1,3}}(?P<by>[.,'’٬_{_SPACES}])\d{{2,3}}(?:(?P=by)\d{{2,3}})*(?<=\d{{3}})")
_LIST_NUMBER = re.compile(r"^[\s>*_#|(\[-]*$")
_STEP = re.compile(r"(?:^|\n)[\s>*_#-]*(?:step|option|question|part|section|point|phase|schritt)\s+$", re.I)
_HEDGE = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|some|circa|ca\.?|[~≈≃]|more than|"
    r"less than|under|at least|etwa|rund|fast|knapp|environ|unos|约|大约)\s*[$€£¥]?\s*$",
    re.I,
)
_SCALE = re.compile(
    rf"[{_SPACES}]?(?:(?P<k>k\b|thousand\b|tsd\b)|(?P<m>m\b|mn\b|mio\b|million(?:s|en)?\b)|"
    r"(?P<b>b\b|bn\b|billion(?:s)?\b|mrd\b|milliarden?\b))",
    re.I,
)
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9}
_PERCENT = re.compile(rf"[{_SPACES}]?(?:[%％]|percent\b|per cent\b|prozent\b|pct\b)", re.I)
_RANK = re.compile(r"(?:st|nd|rd|th)\b", re.I)
_YEARS = range(1900, 2101)
_MONEY = "$€£¥"


@dataclass(frozen=True, slots=True)
class Reading:
    """A number that a numeral may stand for, and the size of its last digit."""

    value: float
    unit: float


def find_unsupported(answer: str, known: Iterable[str], numbers: Iterable[float] = ()) -> list[str]:
    """Return the numerals of an answer that stand in none of the texts, each once, in their order.

    Args:
        answer: What the model said.
        known: What it had been given.
        numbers: Further numbers that it could know, such as how many rows there were.

    Example:
        >>> find_unsupported("1. Rome: 1,234.50 EUR, 45% of 99", ['{"sum": 1234.5, "share": 0.45}'])
        ['99']
    """
    wanted = list(iter_numerals(answer))
    if not wanted:
        return []
    supply = sorted({*numbers, *(value for text in known for value in iter_values(text))})
    missing = (
        text for text, readings in wanted if not any(is_among(reading, supply) for reading in readings)
    )
    return list(dict.fromkeys(missing))


def is_among(reading: Reading, supply: list[float]) -> bool:
    """Say whether a number, or one that is rounded to it, is in a sorted list.

    Example:
        >>> is_among(Reading(12.3, 0.1), [5.0, 12.2978]), is_among(Reading(12.3, 0.1), [12.4])
        (True, False)
    """
    # half of the last digit either way: 12.3 may be 12.2978 rounded
    slack = reading.unit / 2 + abs(reading.value) * 1e-12
    at = bisect_left(supply, reading.value - slack)
    return at < len(supply) and supply[at] <= reading.value + slack


def iter_numerals(text: str) -> Iterator[tuple[str, list[Reading]]]:
    """Yield the numerals of a prose text that claim something, each with what it may mean.

    Example:
        >>> [numeral for numeral, _ in iter_numerals("In 2024, room C7 cost $1.5k (2nd floor)")]
        ['1.5']
    """
    for match in _DIGITS.finditer(text):
        numeral = match[0]
        before, after = text[max(match.start() - 24, 0) : match.start()], text[match.end() : match.end() + 12]
        if _is_numbering(text, match.start(), after) or _is_rank_or_year(numeral, before, after):
            continue
        readings = list(_claims(numeral, before, after))
        if readings:
            yield numeral, readings
            continue
        # no number as a whole: a list "1, 2", a version, a date with points
        for part in re.findall(r"\d+", numeral):
            if int(part) not in _YEARS:
                yield part, [Reading(float(part), 0.0)]


def _is_numbering(text: str, start: int, after: str) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    is_first = bool(_LIST_NUMBER.match(line)) and bool(re.match(r"[.):\]]+[*_]*[\s|]+\S", after))
    return is_first or bool(_STEP.search(text[max(start - 40, 0) : start]))


def _is_rank_or_year(numeral: str, before: str, after: str) -> bool:
    if not numeral.isdigit():
        return False
    n = int(numeral)
    if _RANK.match(after) and n <= 31:
        return True
    is_bare = not _PERCENT.match(after) and not _SCALE.match(after) and before.rstrip()[-1:] not in _MONEY
    return len(numeral) == 4 and n in _YEARS and is_bare


def _claims(numeral: str, before: str, after: str) -> Iterator[Reading]:
    for reading in read_numeral(numeral):
        scale = _SCALE.match(after)
        if scale is not None and scale.lastgroup is not None:
            factor = _SCALES[scale.lastgroup.lower()]
            yield Reading(reading.value * factor, reading.unit * factor)
        # "12 m" may be metres
        if scale is None or len(scale[0].strip()) == 1:
            yield reading
        if _PERCENT.match(after):
            yield Reading(reading.value / 100, reading.unit / 100)
        if reading.unit == 1.0 and _HEDGE.search(before):
            digits = str(int(reading.value))
            yield Reading(reading.value, 10.0 ** (len(digits) - len(digits.rstrip("0"))))


def read_numeral(numeral: str) -> Iterator[Reading]:
    """Yield the numbers that a numeral may stand for, by the customs of different countries.

    Example:
        >>> [reading.value for reading in read_numeral("1,234")]
        [1234.0, 1.234]
        >>> list(read_numeral("1.2.3"))
        []
    """
    mantissa, mark, exponent = numeral.replace("E", "e").partition("e")
    factor = 10.0 ** max(min(int(exponent), 300), -300) if mark else 1.0
    for whole, decimals in _split(mantissa):
        digits = re.sub(r"\D", "", whole)
        unit = 10.0 ** -len(decimals) * factor
        # past 300 digits there is no float for it
        if len(digits) <= 300:
            yield Reading(float(f"{digits}.{decimals or 0}") * factor, unit)


def _split(mantissa: str) -> Iterator[tuple[str, str]]:
    if mantissa.isdigit():
        yield mantissa, ""
        return
    if _GROUPED.fullmatch(mantissa):
        yield mantissa, ""
    for point in ".,٫":
        whole, found, decimals = mantissa.rpartition(point)
        is_whole = whole.isdigit() or (_GROUPED.fullmatch(whole) and point not in whole)
        if found and decimals.isdigit() and is_whole:
            yield whole, decimals


def iter_values(text: str) -> Iterator[float]:
    """Yield every number that a text of data may hold, in all the ways to read it.

    Example:
        >>> sorted(set(iter_values('{"n":[1,250],"at":"2024-01-31","share":"45%"}')))
        [0.45, 1.0, 1.25, 31.0, 45.0, 250.0, 1250.0, 2024.0]
    """
    for match in _IN_DATA.finditer(text):
        token = match[0]
        percent = _PERCENT.match(text, match.end()) is not None
        for part in {token, *_parts(token)}:
            for reading in read_numeral(part):
                yield reading.value
                if percent:
                    yield reading.value / 100
    yield from (value for value, _ in _scaled(text))


def _parts(token: str) -> Iterator[str]:
    """Yield what stands between the commas, the spaces, and all marks: a list is written like a number."""
    if token.isdigit():
        return
    yield from re.split(rf"[,{_SPACES}]", token)
    yield from re.findall(r"\d+", token) if token.count(".") != 1 or "," in token else ()


def _scaled(text: str) -> Iterator[tuple[float, str]]:
    for match in re.finditer(r"(\d+(?:[.,]\d+)?)", text):
        scale = _SCALE.match(text, match.end())
        if scale is not None and scale.lastgroup is not None:
            for reading in read_numeral(match[0]):
                yield reading.value * _SCALES[scale.lastgroup.lower()], scale[0]
