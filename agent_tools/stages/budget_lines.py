"""The lines of a text, and which of them stand out. A part of `budget`.

A text of a few hundred kB is split; of a longer one only the head, the tail and the lines that stand out are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from agent_tools.result import Json
from agent_tools.stages.summaries_frames import rare_clauses, rare_frames
from agent_tools.stages.summaries_novel import new_lines, rare_labels
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

SPAN = 65_536
LONG = 400_000
MOST = 24


class Lines:
    """Lines by number, from 0; those that were not read raise KeyError.

    Attributes:
        total: How many there are.
        focus: Where in a line that stands out the clause begins for which it does.
    """

    def __init__(self, text: str, asked: Mapping[str, Json], span: int = SPAN) -> None:
        self.text = text
        self.asked = asked
        self.total = text.count("\n") + (not text.endswith("\n"))
        self.focus: dict[int, int] = {}
        self._odd: list[tuple[int, str]] | None = None
        self._known: dict[int, str] = {}
        self._whole: list[str] | None = None
        if len(text) <= max(LONG, 4 * span):
            self._whole = text.split("\n")[: self.total]
        else:
            self._know_ends(span)

    def __getitem__(self, number: int) -> str:
        return self._known[number] if self._whole is None else self._whole[number]

    def knows(self, number: int) -> bool:
        """Tell whether a line was read."""
        return number in self._known if self._whole is None else number < len(self._whole)

    def _know_ends(self, span: int) -> None:
        head = self.text[:span].split("\n")
        self._known = dict(enumerate(head[:-1] or head))
        tail = self.text[-span:].removesuffix("\n").split("\n")
        tail = tail[1:] or tail
        self._known.update(zip(range(self.total - len(tail), self.total), tail, strict=True))

    def odd(self) -> list[tuple[int, str]]:
        """Return (number, why) of the lines that stand out, the most telling first; read once."""
        if self._odd is None:
            self._odd = self._find_odd() if self._whole is None else self._find_few(self._whole)
        return self._odd

    def _find_few(self, lines: list[str]) -> list[tuple[int, str]]:
        from bisect import bisect_right

        starts = list(accumulate(map(len, lines[:-1]), _after_break, initial=0))
        loud = [bisect_right(starts, place) - 1 for place in loud_places(self.text)]
        if len(set(loud)) > max(
            len(lines) // 2, 3
        ):  # a text about errors: no line of it stands out by a word
            loud = []
        asked = asked_places(self.text, self.asked)
        found: dict[int, str] = {}
        for place, why in asked.items():
            number = bisect_right(starts, place) - 1
            found[number], self.focus[number] = why, place - starts[number]
        for number in loud[: MOST // 2]:
            found.setdefault(number, "error word")
        rare = rare_frames(self.text, self.total, MOST // 2)
        if not rare and len(lines) <= EXACT_LINES:
            rare = rare_lines(lines, MOST // 2)
        elif not rare:
            places, _ = unmarked_places(self.text, self.total, MOST * 4)
            rare = self._by_kind([bisect_right(starts, place) - 1 for place in places])
        new = [bisect_right(starts, place) - 1 for place in new_lines(self.text, MOST // 2)]
        # before rare lines: of sentences that repeat no two lines are alike
        for place in rare_clauses(self.text, MOST // 2):
            number = bisect_right(starts, place) - 1
            self.focus[number] = place - starts[number]
            found.setdefault(number, "rare words")
        for number in (*rare_labels(self.text, self.total, MOST // 2), *new, *rare[: MOST // 2]):
            found.setdefault(number, "rare line")
        return list(found.items())

    def _find_odd(self) -> list[tuple[int, str]]:
        places, leveled = unmarked_places(self.text, self.total, MOST * 8)
        if not places:
            rare = rare_labels(self.text, self.total, MOST // 2) or rare_frames(
                self.text, self.total, MOST // 2
            )
            places = self._starts(rare)
        whys = dict.fromkeys(places, "rare line")
        told = {self.text.rfind("\n", 0, place) + 1: place for place in rare_clauses(self.text, MOST // 2)}
        whys |= dict.fromkeys(told, "rare line")
        if not leveled:
            for place in loud_places(self.text)[:MOST]:
                start = self.text.rfind("\n", 0, place) + 1
                whys[start] = "error word"
        asked = asked_places(self.text, self.asked)
        for place, why in asked.items():
            start = self.text.rfind("\n", 0, place) + 1
            whys[start], told[start] = why, place
        at, number = 0, 0
        for start in sorted(whys):
            number += self.text.count("\n", at, start)
            at = start
            end = self.text.find("\n", start)
            self._known.setdefault(number, self.text[start : end if end >= 0 else len(self.text)])
            if whys[start] == "rare line" and has_word(self._known[number][:2000]):
                whys[start] = "error word"
            whys[start] = f"{number} {whys[start]}"
            if start in told:
                self.focus[number] = told[start] - start
        numbers = {int(said.partition(" ")[0]): said.partition(" ")[2] for said in whys.values()}
        ordered = self._by_kind(list(numbers))
        # then the clauses said once: they are few, and rare lines may be many
        ranks = {"error word": 1, "rare line": 2}
        ordered.sort(key=lambda number: (ranks.get(numbers[number], 0), number not in self.focus))
        return [(number, numbers[number]) for number in ordered][:MOST]

    def _starts(self, numbers: list[int]) -> list[int]:
        """Return where a few lines begin."""
        found: list[int] = []
        first = 0
        for start, end in blocks_of(self.text) if numbers else ():
            after = first + self.text.count("\n", start, end) + (end == len(self.text))
            here = [number - first for number in numbers if first <= number < after]
            if here:
                lines = self.text[start:end].split("\n")
                found += [start + sum(map(len, lines[:place])) + place for place in here]
            first = after
            if len(found) == len(numbers):
                break
        return found

    def _by_kind(self, numbers: list[int]) -> list[int]:
        """Order lines so that the rarest kinds come first, one of each before the second of any."""
        kinds: dict[str, list[int]] = {}
        for number in numbers:
            kinds.setdefault(template(self[number]), []).append(number)
        ranked = sorted(kinds.values(), key=lambda kind: (len(kind), kind[0]))
        return [kind[0] for kind in ranked] + [number for kind in ranked for number in kind[1:2]]


def _after_break(start: int, length: int) -> int:
    return start + length + 1
