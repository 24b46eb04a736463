"""Show a text in few characters: its head, its tail and the lines that stand out. A part of `budget`.

A shown text is a list of segments, `{"lines": "1-20", "text": ...}`, each of whole lines; a segment of part
of a line says which characters, `{"line": 7, "chars": "1-300", "text": ...}`. A text of one line, or of a
few huge ones, goes by sentences or characters: `{"chars": "1-800", "text": ...}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_tools.result import Json
from agent_tools.stages.budget_fields import fair_shares
from agent_tools.stages.budget_lines import Lines
from agent_tools.stages.summaries_clauses import rare_clauses
from agent_tools.stages.summaries_text import asked_places, find_words, loud_places, words_for

OVERHEAD = 30  # characters of the frame of a segment
HUGE_LINE = 2000
MIN_PART = 8
MIN_CLIP = 16
MIN_LINE = 120  # characters of a line, so that what it is about can be read
MARKED = OVERHEAD + 24  # characters of a segment with its entry of `kept`
MAX_STANDING_OUT = 24
MOST_NEEDED = 3  # lines for which no room is held back


@dataclass(slots=True)
class Segments:
    """A text as shown.

    Attributes:
        data: The segments.
        shown: Lines (or characters) shown.
        kept: (line number or characters, why) of those that are neither head nor tail.
        head: Whole lines shown from the start, where a reader goes on.
    """

    data: list[Json]
    shown: int
    kept: list[tuple[Json, str]] = field(default_factory=list)
    head: int = 0


class TextSample:
    """A text, read once, that can be shown in any number of characters."""

    def __init__(self, text: str, asked: Mapping[str, Json]) -> None:
        self.text = text
        self.asked = asked
        lines = Lines(text, asked)
        self.by_chars = len(text) > HUGE_LINE * lines.total
        self.lines = lines
        self.total = len(text) if self.by_chars else lines.total
        self.unit = "characters" if self.by_chars else "lines"
        self._places: dict[int, str] | None = None

    def show(self, room: int) -> Segments:
        """Return segments of about `room` characters of JSON, never fewer than one character."""
        return self._show_chars(room) if self.by_chars else self._show_lines(room)

    def line_at(self, head: int) -> int:
        """Return the first line that is not whole in `head` lines or characters, counted from 0."""
        return self.text.count("\n", 0, head) if self.by_chars else head

    def character_at(self, head: int) -> int:
        """Return where the part after `head` whole lines or characters begins."""
        return head if self.by_chars else sum(len(self.lines[number]) + 1 for number in range(head))

    # --- lines

    def _show_lines(self, room: int) -> Segments:
        self.lines.reach(room)
        clips: dict[int, int] = {}
        whys: dict[int, str] = {}
        left = room
        for number, why in self.lines.odd():
            # the first one may take half of all; those after a few leave room for head and tail
            most = left - MARKED if len(clips) < MOST_NEEDED else int(left - room * 0.4) - MARKED
            clip = min(len(self.lines[number]), max(60, room // 4 if clips else min(most, room // 2)))
            if MIN_CLIP <= clip <= most or clip == len(self.lines[number]) <= most:
                clips[number], whys[number] = clip, why
                left -= clip + MARKED
        head, tail, left = self._ends(clips, left - 2 * OVERHEAD, max(MIN_LINE, room // 4))
        inner = [number for number in sorted(clips) if head <= number < self.total - tail]
        data = self._segments(head, tail, clips)
        if head < self.total - tail and head not in clips:
            data += self._part_of(head, left)
            data.sort(key=_first_line)
        kept: list[tuple[Json, str]] = [(number + 1, whys[number]) for number in inner]
        cut = [number for number, clip in clips.items() if number < head and clip < len(self.lines[number])]
        return Segments(data, head + len(inner) + tail, kept, min([head, *cut]))

    def _ends(self, clips: dict[int, int], left: int, longest: int) -> tuple[int, int, int]:
        """Grow head and tail, two lines of head for one of tail; list where lines are cut in `clips`.

        Of a line longer than `longest` the beginning has to do, so that no line takes the room of all others.
        """
        lines, head, tail = self.lines, 0, 0
        long: dict[int, int] = {}
        stuck_head = stuck_tail = False
        while head + tail < self.total and not (stuck_head and stuck_tail):
            at_head = stuck_tail or (not stuck_head and head <= 2 * tail)
            number = head if at_head else self.total - 1 - tail
            cost = left + 1
            if lines.knows(number):
                length = len(lines[number])
                is_long = length > longest + MARKED and number not in clips
                cost = 0 if number in clips else longest + MARKED if is_long else length + 2
                if is_long and cost <= left:
                    long[number] = length
            if cost > left:
                stuck_head, stuck_tail = stuck_head or at_head, stuck_tail or not at_head
                continue
            left -= cost
            head, tail = head + at_head, tail + (not at_head)
        if long:
            clips |= fair_shares(long, len(long) * longest + left)
            left = 0
        return head, tail, left

    def _part_of(self, head: int, left: int) -> list[Json]:
        """Fill what is left with the beginning of the next line."""
        left -= OVERHEAD + 16
        if left < MIN_PART or not self.lines.knows(head):
            return []
        text = self.lines[head][:left]
        return [{"line": head + 1, "chars": f"1-{len(text)}", "text": text}]

    def _segments(self, head: int, tail: int, clips: dict[int, int]) -> list[Json]:
        short = sorted(number for number, clip in clips.items() if clip < len(self.lines[number]))
        spans = [(0, head), *((number, number + 1) for number in clips), (self.total - tail, self.total)]
        made: list[Json] = []
        for first, end, _ in _merge([(*span, "") for span in spans], self.total):
            for number in short:
                if first <= number < end:
                    made += self._run(first, number)
                    made.append(self._clipped(number, clips[number]))
                    first = number + 1
            made += self._run(first, end)
        return made

    def _run(self, first: int, end: int) -> list[Json]:
        if first >= end:
            return []
        span = f"{first + 1}-{end}" if end > first + 1 else f"{end}"
        return [{"lines": span, "text": self.lines.between(first, end)}]

    def _clipped(self, number: int, clip: int) -> Json:
        line = self.lines[number]
        word = self.lines.focus.get(number)
        if word is None:
            word = next(iter(find_words(line, words_for(line), 1)), (0, ""))[0]
        start = max(0, min(word - clip // 3, len(line) - clip))
        text = line[start : start + clip]
        return {"line": number + 1, "chars": f"{start + 1}-{start + len(text)}", "text": text}

    # --- characters

    def _show_chars(self, room: int) -> Segments:
        text = self.text
        spans: list[tuple[int, int, str]] = []
        left = max(1, room - 2 * OVERHEAD)
        for start, end, why in self._odd_spans():
            most = int(left - room * 0.4) - OVERHEAD if spans else left - MARKED
            if end - start > most and not spans and most >= MIN_CLIP:
                end = start + most
            if end - start <= most:
                spans.append((start, end, why))
                left -= end - start + OVERHEAD
        head = max(1, left * 2 // 3)
        tail = left - head if left > 80 else 0
        ends = [(0, head, ""), (len(text) - tail, len(text), "")] if tail else [(0, left, "")]
        merged = _merge([*ends, *spans], len(text))
        data: list[Json] = [
            {"chars": f"{start + 1}-{end}", "text": text[start:end]} for start, end, _ in merged
        ]
        kept: list[tuple[Json, str]] = [(f"{start + 1}-{end}", why) for start, end, why in merged if why]
        return Segments(data, sum(end - start for start, end, _ in merged), kept, merged[0][1])

    def _odd_spans(self) -> list[tuple[int, int, str]]:
        if self._places is None:
            loud = dict.fromkeys([*loud_places(self.text)][:MAX_STANDING_OUT], "error word")
            novel = dict.fromkeys(rare_clauses(self.text, MAX_STANDING_OUT), "new phrase")
            self._places = {**asked_places(self.text, self.asked), **novel, **loud}
        return [(*self._sentence(place), why) for place, why in self._places.items()]

    def _sentence(self, place: int) -> tuple[int, int]:
        low, high = max(0, place - 100), min(len(self.text), place + 200)
        start = max(self.text.rfind(stop, low, place) for stop in ("。", "\n", ". ", "！", "；"))
        ends = [self.text.find(stop, place, high) for stop in ("。", "\n", ". ", "！", "；")]
        end = min((end for end in ends if end >= 0), default=high - 1)
        return (start + 1 if start >= 0 else low), end + 1


def _first_line(segment: Json) -> int:
    assert isinstance(segment, dict)
    return int(str(segment.get("lines") or segment.get("line")).partition("-")[0])


def _merge(spans: list[tuple[int, int, str]], total: int) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for start, end, why in sorted(spans):
        start, end = max(0, start), min(end, total)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        elif end > start:
            merged.append((start, end, why))
    return merged
