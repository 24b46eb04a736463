"""Find phone, card and national numbers in a text.

In:   a text, and the rules that are on.
Out:  spans `(start, end, mask)`.
Cost: linear; a rule's pattern runs only when a fragment of its shape (`000-00-0000`) is in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from agent_tools.stages.redaction_guards import loosened_number
from agent_tools.stages.redaction_keys import may_end_key
from agent_tools.stages.redaction_masks import MASKS, hide_card, hide_id, hide_phone, is_masked
from agent_tools.stages.redaction_rules import NUMBERS, Number
from agent_tools.stages.redaction_spans import HAN, Span, hits_in, shape_of
from agent_tools.stages.redaction_values import compact, count_digits

_RUN = re.compile(r"[+(]{0,2}[A-Z]{0,5}[0-9][0-9A-Z()]*(?:[ \-./][0-9A-Z()]{1,12}){0,8}")
_FIVE_DIGITS = re.compile(r"(?:[^0-9]*[0-9]){5}")
# Both read backwards from a number: what separates it from the words before it, and those words.
_SEPARATORS_BACK = re.compile(
    r"(?:[\s:：=\"'\\(\[#>|*`.]|si(?=\s)|是|为|為|は|は、|는|은|가|が){1,16}", re.IGNORECASE
)
_WORDS_BACK = re.compile(rf"(?:[A-Za-z0-9_.\-]{{1,41}} ?){{1,4}}|[{HAN}]{{1,16}}[A-Za-z]{{0,12}}")
# neither a date nor a span of years
_LED_PHONE = re.compile(
    r"(?!(?:19|20)\d\d-(?:[01]\d-[0-3]\d|(?:19|20)\d\d)(?!\d))"
    r"\+?\(?\d(?:\d{6,14}|(?:[ \-.()]{0,2}\d){6,14})(?![0-9A-Za-z])"
)
# How a number goes on after words that say what it is.
_LED: dict[str | None, re.Pattern[str]] = {
    "phone": _LED_PHONE,
    "contact": _LED_PHONE,
    "id": re.compile(r"[A-Z]{0,5}\d(?:[0-9A-Z]{4,19}|(?:[ \-./]?[0-9A-Z()]){4,22})(?![0-9A-Za-z])"),
    "plate": re.compile(r"[A-Z0-9](?:[A-Z0-9\- ]{3,9})[A-Z0-9](?![0-9A-Za-z])"),
    "card": re.compile(r"[A-Z]{0,2}\d(?:\d{6,22}|(?:[ \-]?[0-9A-Z]){6,33})(?![0-9A-Za-z])"),
}
LED_KINDS = frozenset(kind for kind in _LED if kind is not None)
"""What words before a number may say that it is."""
_LONGEST = 200  # characters of a number with its separators
_LONGEST_LEAD = 50  # characters before a number that are read for what it is
_GAP = r"(?:[\s&&[^\r\n]]|[:：=\"'\\(\[#>|*`.是为為は、는은가が]|\r?\n|\s(?i-u:is)|%[2-7][0-9A-Fa-f])"
_DIGITS = r"[+(A-Z]*[0-9](?:[ \-./]?[0-9A-Z()]){4}"
LATIN_LED, OTHER_LED = f"{_GAP}+{_DIGITS}", f"{_GAP}*{_DIGITS}"
"""How a text goes on behind such words in Latin letters and in others, as patterns of the Rust engine."""
_LED_MASKS: dict[str | None, Callable[[str], str]] = {
    "phone": hide_phone,
    "contact": hide_phone,
    "id": hide_id,
    "plate": hide_id,
    "card": hide_card,
}


class Numbers:
    """The rows of `NUMBERS` that are on, compiled.

    Args:
        rules: Names of rules that are on.
        kind_of: Key to kind, None when its rule is off.
    """

    __slots__ = ("_finders", "_kind_of")

    def __init__(self, rules: frozenset[str], kind_of: Callable[[str], str | None]) -> None:
        self._finders = [_Finder(number) for number in NUMBERS if number.rule in rules]
        self._kind_of = kind_of

    def __bool__(self) -> bool:
        return bool(self._finders)

    def spans(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find numbers by their look."""
        for finder in self._finders_for(text, start, end):
            for span in finder.spans(text, start, end):
                if not finder.weak or self._lead_kind(text, span[0]) != "plain":
                    yield span

    def _finders_for(self, text: str, start: int, end: int) -> Iterator[_Finder]:
        shape = shape_of(text[start : end + _LONGEST])
        return (finder for finder in self._finders if any(part in shape for part in finder.shapes))

    def weak_spans(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find what only looks like a phone or a card."""
        for finder in self._finders_for(text, start, end):
            if finder.weak:
                yield from finder.spans(text, start, end)

    def row_of(self, text: str, span: Span) -> Number | None:
        """Return the row that finds a span by its look; None when only words before it do."""
        for finder in self._finders:
            if span in set(finder.spans(text, 0, len(text))):
                return finder.number
        return None

    def _lead_kind(self, text: str, at: int) -> str | None:
        """Return the kind of the words right before a number."""
        before = text[max(at - _LONGEST_LEAD + 1, 0) : at][::-1]
        gap = _SEPARATORS_BACK.match(before)
        words = _WORDS_BACK.match(before, gap.end() if gap else 0)
        if words is None or (gap is None and before[:1].isascii()):
            return None
        key = words[0][::-1].lstrip("0123456789_.- ").rstrip()
        # before the whole is looked at: `for user7 from` is another text in each line of a log
        last = key.rpartition(" ")[2]
        if key.isascii() and not may_end_key(last):
            return None
        if last.lower() == "rfc" and text[at].isdecimal():
            return None  # a standard of the Internet; the tax number of Mexico begins with letters
        return self._kind_of(key)

    def led_spans(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find numbers that only the words before them make sensitive."""
        for run in hits_in(_RUN, text, start, end, _LONGEST):
            # most runs of a text of hexadecimal ids are shorter
            if len(run[0]) < 5 or _FIVE_DIGITS.match(run[0]) is None:
                continue
            kind = self._lead_kind(text, run.start())
            if kind in _LED:
                hit = _LED[kind].match(text, run.start())
                if hit and not is_masked(hit[0]) and (kind != "contact" or count_digits(hit[0]) >= 10):
                    yield hit.start(), hit.end(), _LED_MASKS[kind](hit[0])


@lru_cache(maxsize=8)
def number_look(rules: frozenset[str]) -> str:
    """Return a pattern of the Rust engine that hits wherever a number stands that some rules find."""
    return "|".join(loosened_number(number.pattern) for number in NUMBERS if number.rule in rules)


class _Finder:
    """One row of `NUMBERS`, compiled."""

    __slots__ = ("_check", "_mask", "_pattern", "name", "number", "shapes", "weak")

    def __init__(self, number: Number) -> None:
        self.number = number
        self.name = number.name
        self.shapes = tuple(number.shapes)
        self.weak = number.weak
        self._pattern = re.compile(number.pattern)
        self._check = number.check
        self._mask = MASKS[number.mask]

    def spans(self, text: str, begin: int, end: int) -> Iterator[Span]:
        for hit in hits_in(self._pattern, text, begin, end, _LONGEST):
            start = hit.start()
            if self._check is not None and not self._check(compact(hit[0])):
                continue
            if self.weak and text[start - 1 : start] == "/" and _in_path(text, start):
                continue
            if start and (
                (text[start - 1] == "(" and ")" in hit[0])
                or (text[start - 1] == "+" and self.name == "mobile_cn_prefixed")
            ):
                start -= 1
            yield start, hit.end(), self._mask(text[start : hit.end()])


def _in_path(text: str, at: int) -> bool:
    """Whether a number is a segment of a path or URL."""
    if at == 0 or text[at - 1] != "/":
        return False
    segment = re.split(r"[\s\"'<>，。]", text[max(0, at - 200) : at])[-1]
    return "://" in segment or segment.startswith(("/", ".", "www"))
