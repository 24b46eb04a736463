"""The lines of a text, and which of them stand out. A part of `budget`.

A text of a few hundred kB is split; of a longer one only the head, the tail and the lines that stand out are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, zip_longest

from agent_tools.result import Json
from agent_tools.stages.summaries_clauses import rare_clauses
from agent_tools.stages.summaries_frames import frames_of, rare_frames
from agent_tools.stages.summaries_labels import rare_cells, rare_labels
from agent_tools.stages.summaries_novel import new_lines
from agent_tools.stages.summaries_text import (
    EXACT_LINES,
    asked_places,
    blocks_of,
    has_word,
    loud_places,
    rare_lines,
    template,
    unmarked_places,
)

LEAST = 16_384  # characters of head and tail of a long text that are split
LONG = 400_000
MOST = 24
MOST_OF_KIND = 3
HEAD = 2000  # characters of a line in which error words are looked for
# the order in which lines are shown: an error word that is everywhere says little
ASKED, LOUD, SELDOM, COMMON = range(4)
ERROR, RARE = "error word", "rare line"
WHYS = {LOUD: ERROR, SELDOM: RARE, COMMON: ERROR}


class Lines:
    """Lines by number, from 0; those that were not read raise KeyError.

    Attributes:
        total: How many there are.
        focus: Where in a line that stands out the clause begins for which it does.
    """

    def __init__(self, text: str, asked: Mapping[str, Json]) -> None:
        self.text = text
        self.asked = asked
        self.focus: dict[int, int] = {}
        self._odd: list[tuple[int, str]] | None = None
        self._known: dict[int, str] = {}
        self._is_long = len(text) > LONG
        self._frames = frames_of(text) if self._is_long else None
        # start, end and line breaks of each block, counted only as far as they are asked for
        self._blocks: Iterable[tuple[int, int, int]] = (
            (start, end, text.count("\n", start, end)) for start, end in blocks_of(text, LEAST)
        )
        if self._frames:
            self.total = self._frames.runs.number
        else:
            self._blocks = list(self._blocks)
            self.total = sum(breaks for _, _, breaks in self._blocks) + (not text.endswith("\n"))
        self._head = [] if self._is_long else text.split("\n")[: self.total]
        self._tail: list[str] = []
        self._reached = 0

    def __getitem__(self, number: int) -> str:
        if number in self._known:
            return self._known[number]
        if number < len(self._head):
            return self._head[number]
        if number < self.total - len(self._tail):
            raise KeyError(number)
        return self._tail[number - self.total]

    def knows(self, number: int) -> bool:
        """Tell whether a line was read."""
        return number < len(self._head) or number >= self.total - len(self._tail) or number in self._known

    def between(self, first: int, end: int) -> str:
        """Return the lines from `first` up to `end`, all of them read."""
        if end < len(self._head):
            return "\n".join(self._head[first:end])
        return "\n".join(self[number] for number in range(first, end))

    def reach(self, room: int) -> None:
        """Read as much of the head and the tail as a text of `room` characters can show."""
        span = max(room, LEAST)
        if not self._is_long or span <= self._reached:
            return
        self._reached = span = 2 * span
        # the last one is only a part where it ends too far away to be shown whole
        self._head = self.text[:span].split("\n")
        self._tail = self.text[-span:].removesuffix("\n").split("\n")[1:]

    def odd(self) -> list[tuple[int, str]]:
        """Return (number, why) of the lines that stand out, the most telling first; read once."""
        if self._odd is None:
            self._odd = self._find_odd() if self._is_long else self._find_few(self._head)
        return self._odd

    def _find_few(self, lines: list[str]) -> list[tuple[int, str]]:
        starts = list(accumulate(map(len, lines[:-1]), _after_break, initial=0))

        def line_at(place: int) -> int:
            return bisect_right(starts, place) - 1

        loud = {line_at(place): is_common for place, is_common in loud_places(self.text).items()}
        if len(loud) > max(len(lines) // 2, 3):  # a text about errors: no line of it stands out by a word
            loud = {}
        asked, clauses = asked_places(self.text, self.asked), rare_clauses(self.text, MOST // 2)
        for place in (*asked, *clauses):
            self.focus[line_at(place)] = place - starts[line_at(place)]
        found = {line_at(place): why for place, why in asked.items()}
        telling = [number for number, is_common in loud.items() if not is_common]
        new = new_lines(self.text, MOST // 2)
        for why, numbers in (
            (ERROR, telling[: MOST // 2]),
            # before rare lines: of sentences that repeat no two lines are alike
            ("rare words", map(line_at, clauses)),
            (RARE, rare_labels(self.text, self.total, MOST // 2)),
            (RARE, map(line_at, new)),
            (RARE, self._rare_of_few(lines, line_at)),
            (ERROR, [*loud][: MOST // 2]),
        ):
            for number in numbers:
                found.setdefault(number, ERROR if number in loud else why)
        return list(found.items())

    def _rare_of_few(self, lines: list[str], line_at: Callable[[int], int]) -> list[int]:
        rare = rare_frames(frames_of(self.text), MOST // 2)
        if rare is not None and rare.numbers:
            return rare.numbers
        if len(lines) <= EXACT_LINES:
            return rare_lines(lines, MOST // 2)
        places, _ = unmarked_places(self.text, self.total, MOST * 4)
        return self._by_kind(list(map(line_at, places)))[: MOST // 2]

    def _find_odd(self) -> list[tuple[int, str]]:
        starts, numbers, leveled = self._find_rare()
        loud = {} if leveled else dict([*loud_places(self.text).items()][:MOST])
        clauses = rare_clauses(self.text, MOST // 2)
        asked = asked_places(self.text, self.asked)
        at = self._read([*starts, *loud, *clauses, *asked], numbers)
        for place in (*clauses, *asked):
            self.focus[at[place]] = place - self.text.rfind("\n", 0, place) - 1
        rare = {*numbers, *(at[place] for place in (*starts, *clauses))}
        ranks = {number: LOUD if has_word(self[number][:HEAD]) else SELDOM for number in rare}
        for place, is_common in loud.items():
            ranks[at[place]] = min(ranks.get(at[place], COMMON), COMMON if is_common else LOUD)
        whys = {number: WHYS[rank] for number, rank in ranks.items()}
        for place, why in asked.items():
            ranks[at[place]], whys[at[place]] = ASKED, why
        # of the rare ones first the clauses said once: they are few
        ordered = sorted(
            self._by_kind([*ranks]), key=lambda number: (ranks[number], number not in self.focus)
        )
        return [(number, whys[number]) for number in ordered[:MOST]]

    def _find_rare(self) -> tuple[list[int], list[int], bool]:
        """Return where rare lines begin, the numbers of others, and whether these have all other levels."""
        rare = rare_frames(self._frames, MOST // 2)
        if rare is not None and rare.by_words:
            return [], rare.numbers, False  # what all lines have is a part of their frames
        starts, leveled = unmarked_places(self.text, self.total, MOST * 8, small=rare is not None)
        odd = rare_cells(self.text, self.total, MOST // 2)
        if not odd and not starts:
            odd = rare_labels(self.text, self.total, MOST // 2)
        return starts, [*odd, *(rare.numbers if rare else [])], leveled

    def _read(self, places: list[int], numbers: list[int]) -> dict[int, int]:
        """Return the number of the line at each place; read these lines and those of the numbers given."""
        found: dict[int, int] = {}
        first, last, farthest = 0, max(numbers, default=-1), max(places, default=-1)
        for start, end, breaks in self._blocks:
            if start > farthest and first > last:
                break
            after = first + breaks
            here = {place: self.text.count("\n", start, place) for place in places if start <= place < end}
            wanted = {
                *here.values(),
                *(n - first for n in numbers if first <= n < after + (end == len(self.text))),
            }
            if wanted:
                lines = self.text[start:end].split("\n")
                self._known |= {first + number: lines[number] for number in wanted}
            found |= {place: first + number for place, number in here.items()}
            first = after
        return found

    def _by_kind(self, numbers: list[int]) -> list[int]:
        """Order lines so that the rarest kinds come first, one of each before the second of any."""
        kinds: dict[str, list[int]] = {}
        for number in numbers:
            kinds.setdefault(template(self[number]), []).append(number)
        ranked = sorted(kinds.values(), key=lambda kind: (len(kind), kind[0]))
        rounds = zip_longest(*(kind[:MOST_OF_KIND] for kind in ranked))
        return [number for numbers in rounds for number in numbers if number is not None]


def _after_break(start: int, length: int) -> int:
    return start + length + 1
