"""Find the lines of a text that a reader must not miss. A part of `budget`.

Two kinds: lines with an error word, and lines unlike the others (a rare template, or without what nearly
all lines have). One regular expression over 5 MB costs 40 to 240 ms, one `str.find` 2; the Rust engine that
comes with pydantic tells in 0.5 whether any of the words is there at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

# the strongest first, as they stand in real logs; parts of words stand for both of their cases
LOUD = ("ERROR", "FATAL", "rror", "xception", "FAIL", "CRITICAL", "panic", "ailed", "atal")
QUIET = (
    *(
        "raceback",
        "denied",
        "refused",
        "exceeded",
        "corrupt",
        "SEVERE",
        "EMERG",
        "ailure",
        "WARN",
        "timed out",
    ),
    # alarm, alarma; alert, alerte; then German, French, Spanish and Portuguese, Italian, Polish
    *("larm", "LARM", "lert", "LERT", "mergency"),
    *("ehler", "EHLER", "Ausfall", "rreur", "RREUR", "fallo ", "Fallo", "falha", "Falha", "uasto", "waria"),
)
# by language, the most telling first; a long text is searched for the first few of Chinese alone
OTHER_SCRIPTS = {
    "Chinese": "错误 失败 异常 宕机 致命 严重 崩溃 警报 告警 警告 报警 故障 事故 报错 超时 中断 丢失 损坏"
    " 拒绝 紧急 危险 錯誤 失敗 異常 警報 損壞 拒絕 緊急 危險",
    "Japanese": "障害 エラー アラーム 例外 タイムアウト",
    "Korean": "오류 에러 실패 장애 고장 경고 경보 비상",
    "Russian": "шибк ШИБК сбой Сбой авари Авари АВАРИ ревог РЕВОГ редупрежд отказ",
    "Ukrainian": "омилк збій",
    "Latin": "cheç échec Échec ÉCHEC échou vería VERÍA störung Störung STÖRUNG błąd Błąd BŁĄD lỗi cảnh",
    "Greek": "φάλμα υναγερμ",
    "Arabic": "خطأ فشل عطل إنذار تحذير",
    "Hebrew": "שגיאה אזעקה",
    "Hindi": "त्रुटि चेतावनी",
    "Thai": "ข้อผิดพลาด เตือน",
}
OTHERS = tuple(word for words in OTHER_SCRIPTS.values() for word in words.split())
# a word inside another one says something else: terror, mirror, catalog, detailed, liberror; so it does
# inside a name: error-handler, exception.pm, failed_count
_MISREAD = re.compile(
    r"terror|[mM]irror|[tT]err|fatales|xceptional|ispanic|(?<![fF])(?:ailed|ailure|atal)|[a-z]error|rror(?!ed|s)[a-z0-9]|[b-z]larm"
    r"|(?:rrors?|xceptions?|atal|panic)[-._/]\w|(?:ailed|ailures?)_\w"
)
# how a message begins: `error: disk full`, `error[E0308]: ...`, `[error] ...`, and not `an error is thrown`
_ANNOUNCES = re.compile(r"[a-z]*(?:\[\w+\])?[ \t]?[:\]][ \t]?[^\s:]")
# what may stand before it: a time, a level, a name
_BEFORE = re.compile(r".*(?:[:\]|>-][ \t]|[\n\0])", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_LEVELED = re.compile(r"(?i)(?:level|lvl|severity)\W{1,4}\w?$")
_LEVEL = re.compile(r"\b(INFO|DEBUG|TRACE|NOTICE|info|debug|I|level=info)\b")

MAX_HITS = 200
MAX_LOOKS = 10_000  # at words that may be parts of others
MAX_LEVEL = 16  # characters of a level with its sign
MAX_BEGIN = 60  # characters before a message that are looked at
MOST_IN_PASSING = (
    12  # kinds of lines that say a word in passing: a text with more of them is about such words
)
EXAMPLES = 3  # of these kinds
MIN_TERM = 3
MAX_TERMS = 4
MAX_MATCHES = 8  # what comes more often singles out no line
SHORT = 20_000  # characters up to which looking for each word is cheapest
LONG = 400_000  # characters from which only the strongest words are looked for
EXACT_LINES = 3000
FEW_CHARS = 1000
PART = 16_384  # characters of the lines in which words are looked for together
BLOCK = 4000  # characters of the lines that are looked at together
SAMPLE = 64
_DIGITS = str.maketrans("123456789", "000000000")
_IDS = re.compile(r"\b(?=\w*\d)[0-9a-zA-Z]{6,}\b|0[0.:,-]*0|0")
# small letters, and those of scripts without capitals
_FREE = re.compile(r"(?:[^\W1-9A-Z_]|[ ])+(?:[-_.][^\W1-9A-Z_]+)*")
_NUMBER = re.compile(r"\d+")
_FIXED = re.compile(r"[^\d\n]{4,}")
_WORD = re.compile(r"[^\W\d_]{3,}")


def template(line: str) -> str:
    """Squash what varies from line to line: numbers, times, hexadecimal ids.

    Example:
        >>> template("10:31 user 815 id=9f86d081884c") == template("11:00 user 7 id=2c26b46b68ff")
        True
    """
    line = _zeroed(line[:400])
    return _IDS.sub("0", line) if "0" in line else line


def shape(line: str) -> str:
    """Return what a line looks like when its words are free: its frame of signs and capitals.

    Example:
        >>> shape("Z INFO hit miss ack took=9ms") == shape("Z INFO batch took=312ms")
        True
    """
    return _FREE.sub("a", _zeroed(line[:200]))


def _zeroed(line: str) -> str:
    # translate is 20 times slower on text that is not ASCII
    return line.translate(_DIGITS) if line.isascii() else _NUMBER.sub("0", line)


def words_for(text: str) -> tuple[str, ...]:
    """Return the error words worth looking for: few in a long text, none of a script it is not in."""
    if len(text) > LONG:
        # 0.1 ms per MB and word where there is any: a text with few line breaks gets the strongest alone
        few = len(LOUD) if text.count("\n", 0, 20_000) > 40 else 3
        return LOUD[:few] if text.isascii() else LOUD[:few] + OTHERS[:few]
    return LOUD + QUIET if text.isascii() else LOUD + QUIET + OTHERS


def find_words(text: str, words: tuple[str, ...], most: int = MAX_HITS) -> Iterator[tuple[int, str]]:
    """Yield place and word of each error word, word by word, at most `most` of each."""
    parts = [(0, text)]
    if len(text) > SHORT:
        has_any = _finder(words)
        parts = [(start, text[start:end]) for start, end in blocks_of(text, PART)] if has_any(text) else []
        parts = [(start, part) for start, part in parts if has_any(part)]
    for word in words:
        yield from islice(_find_word(text, parts, word), most)


def _find_word(text: str, parts: list[tuple[int, str]], word: str) -> Iterator[tuple[int, str]]:
    for place in islice(_places(parts, word), MAX_LOOKS):
        if not _MISREAD.search(text, max(0, place - 4), place + len(word) + 3):
            yield place, word


def _places(parts: list[tuple[int, str]], word: str) -> Iterator[int]:
    """Yield where a word stands; in a part without it the Rust engine finds none in a tenth of the time."""
    for start, part in parts:
        place = part.find(word) if len(part) < FEW_CHARS or _finder((word,))(part) else -1
        while place >= 0:
            yield start + place
            place = part.find(word, place + len(word))


def announces(text: str, place: int, word: str) -> bool:
    """Tell whether an error word begins a message, and is not said in passing or part of a name.

    Example:
        >>> announces("Error: disk full", 1, "rror"), announces("an error is thrown", 4, "rror")
        (True, False)
    """
    end = place + len(word)
    if not word.isascii():
        return True
    if word.isupper():
        return "_" not in text[max(0, place - 1) : place] + text[end : end + 1]
    if _ANNOUNCES.match(text, end):
        return True
    # a message begins with a capital: only figures and signs stand between it and what is before it
    before = text[max(0, place - MAX_BEGIN) : place]
    said_before = _BEFORE.match(before)
    own = before[said_before.end() :] if said_before else before
    return (own[-1:].isupper() and not _LETTERS.search(own)) or _LEVELED.search(
        before[-MAX_LEVEL:]
    ) is not None


@lru_cache(maxsize=256)
def _finder(words: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what tells whether a text has one of some words: 0.1 ms per MB."""
    from pydantic_core import SchemaValidator, core_schema  # a small result needs none

    pattern = "|".join(map(re.escape, words))
    return SchemaValidator(
        core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")
    ).isinstance_python


def has_word(line: str) -> bool:
    """Tell whether a line has an error word.

    Example:
        >>> has_word("disk error"), has_word("mirror on the wall")
        (True, False)
    """
    return next(find_words(line, words_for(line)), None) is not None


def asked_places(text: str, asked: Mapping[str, Any]) -> dict[int, str]:
    """Return where the texts among a call's arguments stand, and why that matters; not of those everywhere.

    Example:
        >>> asked_places("job-1 done\\njob-2 done", {"job": "job-2", "limit": 5, "word": "done"})
        {11: 'matches job', 6: 'matches word', 17: 'matches word'}
    """
    found: dict[int, str] = {}
    terms = [(name, term) for name, term in asked.items() if isinstance(term, str) and len(term) >= MIN_TERM]
    for name, term in terms[:MAX_TERMS]:
        places = list(islice(find_term(text, term), MAX_MATCHES + 1))
        if len(places) <= MAX_MATCHES:
            found |= dict.fromkeys(places, f"matches {name}")
    return found


def find_term(text: str, term: str) -> Iterator[int]:
    """Yield where a text has a term that is no part of a longer word or number.

    Example:
        >>> list(find_term("job-12 job-1 Job-1", "job-1"))
        [7]
    """
    if not (_finder((term,))(text) if len(text) > SHORT else term in text):
        return
    ends = re.escape(term) + ("(?![a-zA-Z0-9])" if _goes_on(term[-1:] * 2) else "")
    for match in islice(re.finditer(ends, text), MAX_LOOKS):
        start = match.start()
        if not _goes_on(text[max(0, start - 1) : start + 1]):
            yield start


def _goes_on(pair: str) -> bool:
    # scripts without blanks between words have no end of a word to look for
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


def loud_places(text: str) -> dict[int, bool]:
    """Return where error words stand, the most telling first: one for each kind of line.

    Lines in which a word begins a message come before those that say it in passing; of a text that says such
    words again and again, as a manual or a program does, the latter are a few examples.

    Returns: for each place whether its words are everywhere in the text, so that they single out nothing.
    """
    seen: dict[str, list[int]] = {}
    said: dict[str, set[str]] = {}
    loud: set[str] = set()
    hits: Counter[str] = Counter()
    words = words_for(text)
    order = {word: place for place, word in enumerate(words)}
    for place, word in find_words(text, words):
        start = text.rfind("\n", max(0, place - 300), place) + 1 or max(0, place - 60)
        end = text.find("\n", place, place + 200)
        key = template(text[start : end if end >= 0 else place + 200])
        seen.setdefault(key, []).append(place)
        said.setdefault(key, set()).add(word)
        hits[word] += 1
        if key not in loud and announces(text, place, word):
            loud.add(key)
    passing = seen.keys() - loud
    are_many = len(passing) > MOST_IN_PASSING
    common = {
        key: (are_many and key in passing) or all(hits[word] >= MAX_HITS for word in said[key])
        for key in seen
    }
    rank = {key: min(order[word] for word in said[key]) for key in seen}
    # then the stronger word, then the rarer kind
    keys = sorted(
        seen, key=lambda key: (common[key], key in passing, rank[key] > 5, len(seen[key]), rank[key])
    )
    if are_many:
        keys = keys[: len(loud) + EXAMPLES]
    return {seen[key][0]: common[key] for key in keys} | {
        seen[key][-1]: common[key] for key in keys if len(seen[key]) > 1
    }


def rare_lines(lines: list[str], most: int) -> list[int]:
    """Return the lines whose template is rare among many alike, the rarest first.

    Cost: 2 us per line; meant for a few thousand lines.
    """
    if len(lines) < 8:
        return []
    keys = [template(line) for line in lines]
    if len(set(keys)) > 0.5 * len(keys):
        keys = [shape(line) for line in lines]
    counts = Counter(keys)
    limit = max(1, len(keys) // 500)
    if sum(count for count in counts.values() if count > limit) < 0.6 * len(keys):
        return []
    wanted = {key: count for key, count in counts.items() if count <= limit}
    places: dict[str, int] = {}
    for place, key in enumerate(keys):
        if key in wanted:
            places.setdefault(key, place)
    return [places[key] for key in sorted(places, key=lambda key: (wanted[key], places[key]))][:most]


def marker_of(text: str, small: bool = False) -> str | None:
    """Return a text that nearly every line has once, None without such.

    Args:
        text: A long text.
        small: Whether its small letters are all that counts; else a level is worth most.
    """
    lines = sample_lines(text)
    if len(lines) < SAMPLE // 2:
        return None
    candidates = {
        part for line in lines[::16] for part in (*_FIXED.findall(line[:500]), *_WORD.findall(line[:500]))
    }
    best, weight = None, 0
    for part in sorted(candidates):
        if sum(line.count(part) == 1 for line in lines) >= 0.95 * len(lines):
            telling = sum(map(str.islower, part)) if small else bool(_LEVEL.search(part))
            mine = len(part) + 50 * telling
            if mine > weight:
                best, weight = part, mine
    return best


def sample_lines(text: str, most: int = SAMPLE) -> list[str]:
    """Return whole lines from evenly spread places of a text."""
    lines = []
    for place in range(len(text) // (2 * most), len(text), max(1, len(text) // most)):
        start = text.find("\n", place, place + 4000) + 1
        end = text.find("\n", start, start + 4000) if start else -1
        if end > start:
            lines.append(text[start:end])
    return lines


def unmarked_places(text: str, total: int, most: int, small: bool = False) -> tuple[list[int], bool]:
    """Find the lines that lack what nearly all lines have.

    Args:
        text: A long text.
        total: Its lines.
        most: How many at most.
        small: Whether lines are known by their capitals and signs already, see `marker_of`.

    Returns: where these lines start, and whether this finds error lines too (the marker has the level).
    """
    marker = marker_of(text, small)
    if marker is None:
        return [], False
    # the first and the last line are shown anyway
    ends = text[: text.find("\n")], text[text.rfind("\n", 0, len(text) - 1) + 1 :]
    blocks = [(start, end, text.count(marker, start, end)) for start, end in blocks_of(text)]
    missing = total - sum(marks for _, _, marks in blocks) - sum(marker not in line for line in ends)
    if missing < 0 or missing > max(20, total // 20):
        return [], False
    leveled = bool(_LEVEL.search(marker))
    if not missing:
        return [], leveled
    places: list[int] = []
    for start, end, marks in blocks:
        # where it stands once for each line, no line is looked at: splitting all takes ten times as long
        lines = text.count("\n", start, end) + (end == len(text) and not text.endswith("\n"))
        if lines != marks:
            places += _lines_without(marker, text[start:end], start)
    inner = range(1, len(text) - len(ends[1]) - 1)
    return _spread([place for place in places if place in inner], most), leveled


def blocks_of(text: str, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Yield start and end of blocks of whole lines, of at least `size` characters."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + size) + 1 or len(text)
        yield start, end
        start = end


def _lines_without(marker: str, block: str, at: int) -> Iterator[int]:
    for line in block.split("\n"):
        if line and marker not in line:
            yield at
        at += len(line) + 1


def _spread(places: list[int], most: int) -> list[int]:
    return places if len(places) <= most else places[:: -(-len(places) // most)]
