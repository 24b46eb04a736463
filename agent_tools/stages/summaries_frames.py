"""Find the lines of a text that are unlike all others by their frames. A part of `budget`.

What is left of a line without its figures, or without its small letters too, tells its kind. Deleting bytes
and counting lines run at C speed: 4 to 15 ms for 5 MB, where a regular expression takes 200.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from agent_tools.stages.summaries_text import sample_lines

MIN_LINES = 30
LONG = 1_000_000  # characters from which one look has to do
MAX_LINES = 400_000
SAMPLE = 400  # lines that tell whether lines are of few kinds
FREE = 0.95  # share of the lines of a sample that are kinds of their own
# Share of those whose kind comes once in a sample: as many of all lines are of kinds that are not in it
# (Good-Turing), too many to be rare. Programs and prose have 10 to 99 %, logs and tables 0 to 2.
FREE_OF_LONG = 0.07
MAX_RUNS = 500  # of lines that are alike: so many cost 1 ms
FEW_RUNS = 30  # that tell whether there will be more
MANY = 4000  # lines of which what comes again in a sample is usual
MOST_OF_KIND = 3  # lines of a rare kind
OFTEN = 2  # times in a sample: what comes once in the text does not
MAX_CHARS = 20_000_000
_FIGURES = b"0123456789"
_WORDS = bytes(range(ord("a"), ord("z") + 1)) + bytes(range(128, 256))
_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))
_BLANKS = b" \t"
# from fine to coarse: without figures, small letters (and those of other scripts), capitals and blanks
_DELETED = (_FIGURES, _FIGURES + _WORDS, _FIGURES + _WORDS + _CAPITALS + _BLANKS)
# whole sentences go at once: less than half the time of deleting word by word
_DELETED_OF_LONG = (_FIGURES, _FIGURES + _WORDS + _BLANKS, _FIGURES + _WORDS + _CAPITALS + _BLANKS)


@dataclass(frozen=True, slots=True)
class Runs:
    """Lines in their order, equal ones in a row taken together.

    Attributes:
        kinds: One line of each run.
        times: How often it comes; None where each line is a run of its own.
    """

    kinds: list[bytes]
    times: list[int] | None

    @property
    def number(self) -> int:
        """How many lines there are."""
        return len(self.kinds) if self.times is None else sum(self.times)

    def places(self, kind: bytes) -> Iterator[int]:
        """Yield the numbers of the lines of a kind, one of each run."""
        place = -1
        for _ in range(self.kinds.count(kind)):
            place = self.kinds.index(kind, place + 1)
            yield place if self.times is None else sum(self.times[:place])

    def tally(self, usual: frozenset[bytes]) -> Counter[bytes]:
        """Return how often each kind comes; of single lines only those that are not usual."""
        if self.times is None:
            # a set takes half the time of counting, and mostly nothing is left
            left = set(self.kinds) - usual if usual else set()
            if usual and not left:
                return Counter()
            return Counter(filter(left.__contains__, self.kinds) if left else self.kinds)
        counts: Counter[bytes] = Counter()
        for kind, count in zip(self.kinds, self.times, strict=True):
            counts[kind] += count
        return counts


class Frames(NamedTuple):
    """What is left of the lines of a text.

    Attributes:
        lines: The frame of each line, a line break behind each.
        runs: The same in runs.
        usual: Frames that come again and again in a sample of many lines.
        coarser: What more may be deleted, first the least.
        has_words: Only figures are gone.
        is_long: One look at them has to do.
    """

    lines: bytes
    runs: Runs
    usual: frozenset[bytes]
    coarser: tuple[bytes, ...]
    has_words: bool
    is_long: bool


class RareLines(NamedTuple):
    """The numbers of the few lines of a rare kind, the rarest first.

    Attributes:
        numbers: From 0.
        by_words: They are rare by their words and not only by their signs.
    """

    numbers: list[int]
    by_words: bool


def frames_of(text: str) -> Frames | None:
    """Return what is left of the lines of a text; None where nearly each is a kind of its own."""
    sample = "\n".join(sample_lines(text, SAMPLE)).encode("utf-8", "surrogatepass")
    lines = (sample.count(b"\n") + 1) * len(text) / max(len(sample), 1)
    if sample.count(b"\n") < MIN_LINES or lines > MAX_LINES or len(text) > MAX_CHARS:
        return None
    is_long = len(text) > LONG
    levels = [
        deleted
        for deleted in (_DELETED_OF_LONG if is_long else _DELETED)
        if not (_come_once if is_long else _are_free)(sample.translate(None, deleted).split(b"\n"))
    ]
    if not levels:
        return None
    left = text.encode("utf-8", "surrogatepass").translate(None, levels[0])
    left += b"" if text.endswith("\n") else b"\n"
    usual = _usual(sample.translate(None, levels[0])) if lines > MANY else frozenset()
    return Frames(left, _runs(left), usual, tuple(levels[1:]), levels[0] == _FIGURES, is_long)


def _usual(sample: bytes) -> frozenset[bytes]:
    return frozenset(kind for kind, count in Counter(sample.split(b"\n")).items() if count >= OFTEN)


def rare_frames(frames: Frames | None, most: int) -> RareLines | None:
    """Return the few lines of a rare kind; None in a text of free form.

    Args:
        frames: Of the text.
        most: Kinds of lines at most that count as rare; where there are more, none is.

    Example:
        >>> lines = [f"{n} took {n * 7 % 90} ms" for n in range(99)]
        >>> lines[40] = "40 moved to node-a"
        >>> rare_frames(frames_of("\\n".join(lines)), 12).numbers
        [40]
    """
    if frames is None:
        return None
    lines, runs, usual = frames.lines, frames.runs, frames.usual
    found: list[list[int]] = []
    by_words = False
    for deleted in (b"", *frames.coarser):
        if deleted:
            lines = lines.translate(None, deleted)
            runs, usual = _runs(lines), frozenset()
        rare = _rare_kinds(runs, usual, most)
        if rare is None:
            continue
        found.append(rare)
        by_words = by_words or (frames.has_words and not deleted)
        # what is not rare by its finer frame is not by a coarser one
        if not rare or frames.is_long:
            break
    if not found:
        return None
    # the coarser the frame by which a line is rare, the odder it is
    numbers = dict.fromkeys(number for rare in reversed(found) for number in rare)
    return RareLines(list(numbers)[:most], by_words)


def _are_free(kinds: list[bytes]) -> bool:
    """Say whether nearly all lines of a sample are kinds of their own, so that none is odd.

    Were there no more than the thousand kinds that can each have a thousandth of the lines, every
    ninth of the sample would be like another line of it.
    """
    return len(kinds) > SAMPLE // 2 and len(set(kinds)) > FREE * len(kinds)


def _come_once(kinds: list[bytes]) -> bool:
    """Say whether a sample has too many lines of kinds that come once, so that more than a few are rare."""
    once = sum(count == 1 for count in Counter(kinds).values())
    return len(kinds) > SAMPLE // 2 and once > FREE_OF_LONG * len(kinds)


def _rare_kinds(runs: Runs, usual: frozenset[bytes], most: int) -> list[int] | None:
    """Return the lines of a rare kind; None where most kinds are, so that none is odd."""
    number, counts = runs.number, runs.tally(usual)
    if number < MIN_LINES or len(counts) > max(number // 4, most):
        return None
    rare = _rare(counts, number // 200)
    if len(rare) > most:
        rare = _rare(counts, number // 1000)
    if len(rare) > most or sum(rare.values()) > number // 20:
        return None
    places = {kind: list(islice(runs.places(kind), MOST_OF_KIND)) for kind in rare}
    ranked = sorted(places, key=lambda kind: (rare[kind], places[kind]))
    # one of each kind before the second of any; the first line and the last one are shown anyway
    ordered = chain.from_iterable(zip_longest(*(places[kind] for kind in ranked)))
    return [place for place in ordered if place is not None and 0 < place < number - 1]


def _rare(counts: Counter[bytes], limit: int) -> dict[bytes, int]:
    most = max(1, limit)
    return {kind: count for kind, count in counts.items() if count <= most}


def _runs(frames: bytes) -> Runs:
    """Return the runs of equal lines; where there are many of them, each line alone.

    The lines of a table or of one program are alike once their words are gone: comparing takes a tenth of
    splitting and counting.
    """
    kinds: list[bytes] = []
    times: list[int] = []
    at = 0
    while at < len(frames):
        if len(kinds) > FEW_RUNS and at * MAX_RUNS < len(kinds) * len(frames):
            return Runs(frames[:-1].split(b"\n"), None)
        line = frames[at : frames.index(b"\n", at) + 1]
        count, step = 1, 1
        while step:
            # twice as many each time, then half as many
            if frames.startswith(line * step, at + count * len(line)):
                count, step = count + step, step * 2
            else:
                step //= 2
        kinds.append(line[:-1])
        times.append(count)
        at += count * len(line)
    return Runs(kinds, times)
