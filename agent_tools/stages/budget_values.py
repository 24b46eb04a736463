"""Show a value in a given number of characters: the same shape with less in it. A part of `budget`.

Everything is a pure function of the value and the room, so that a search over the room finds what
fits. What is left out is listed in the report, never marked inside the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agent_tools.result import Json
from agent_tools.stages.budget_fields import SHORT_CELL, Report, map_rows, rank_keys, share_out
from agent_tools.stages.budget_recognise import MIN_BLOB, read_blob
from agent_tools.stages.budget_rows import Pick
from agent_tools.stages.budget_size import measure
from agent_tools.stages.budget_text import TextSample
from agent_tools.stages.summaries_rows import Survey, survey
from agent_tools.stages.summaries_stream import StreamedRows, total_of
from agent_tools.stages.summaries_text import find_words, words_for

MAX_DEPTH = 12
MIN_LEAF = 12
LONG_TEXT = 4000
SOME = 64  # entries that tell how long all of them are
BLOB_SIZE = 130  # characters of a description


class Cutter:
    """Shows parts of one value; what it has read of a list or text is kept for the next try."""

    def __init__(
        self,
        asked: Mapping[str, Json],
        important: str | Callable[[Any], Any] | None = None,
        is_action: bool = False,
    ) -> None:
        self.asked = asked
        self.important = important
        self.is_action = is_action
        self._surveys: dict[int, Survey] = {}
        self._wanted: set[int] = set()  # entries of inner lists, and texts, that were odd among their kind
        self._texts: dict[int, TextSample] = {}
        self._maps: dict[int, list[Json] | None] = {}
        self._blobs: dict[int, dict[str, Json] | None] = {}
        self._alive: list[Any] = []  # keeps the ids above valid

    # --- what was read once

    def survey(self, rows: list[Json]) -> Survey:
        """Return the statistics of a list."""
        if isinstance(rows, StreamedRows):
            return rows.survey
        if id(rows) not in self._surveys:
            found = self._surveys[id(rows)] = survey(rows, self.asked, self.important)
            self._alive.append(rows)
            self._wanted.update(id(entry) for entry in found.inside if isinstance(entry, dict | list | str))
        return self._surveys[id(rows)]

    def text(self, text: str) -> TextSample:
        """Return the reading of a text."""
        if id(text) not in self._texts:
            self._texts[id(text)] = TextSample(text, self.asked)
            self._alive.append(text)
        return self._texts[id(text)]

    def blob(self, text: str) -> dict[str, Json] | None:
        """Return type, size and digest of binary content."""
        if id(text) not in self._blobs:
            self._blobs[id(text)] = read_blob(text)
            self._alive.append(text)
        return self._blobs[id(text)]

    def as_rows(self, value: dict[str, Json]) -> list[Json] | None:
        """Return a map of like values as records with the key as a column, None for another object."""
        if id(value) not in self._maps:
            self._maps[id(value)] = map_rows(value)
            self._alive.append(value)
        return self._maps[id(value)]

    def described(self, value: Json, room: int, report: Report, path: str = "$") -> Json:
        """Return `value` with the type, size and digest of binary content in place of it.

        Nothing is described where all else takes more than `room` characters: it has to be cut anyway.
        """
        shown, left = self._described(value, room, report, path)
        if left < 0:
            report.cut.clear()
            return value
        return shown

    def _described(self, value: Json, left: int, report: Report, path: str) -> tuple[Json, int]:
        if isinstance(value, str):
            blob = self.blob(value) if len(value) >= MIN_BLOB else None
            if blob is None:
                return value, left - len(value)
            report.note(path, 0, len(value))
            return dict(blob), left - BLOB_SIZE
        if not isinstance(value, dict | list):
            return value, left - 1
        if 2 * len(value) > left:  # each entry takes a character and what divides it from the next
            return value, -1
        made: list[Json] = []
        before = left
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            inner = f"{path}[{step}]" if isinstance(value, list) else f"{path}.{step}"
            shown, left = self._described(item, left - 1, report, inner)
            made.append(shown)
            # the others are as long as these
            if left < 0 or (len(made) == SOME and (before - left) * len(value) > SOME * before):
                return value, -1
        return (made if isinstance(value, list) else dict(zip(value, made, strict=False))), left

    def size(self, value: Json, cap: int, depth: int = 0) -> int:
        """Return the characters of `value` as `measure` does, binary content as its description."""
        if isinstance(value, str):
            is_blob = len(value) >= MIN_BLOB and self.blob(value) is not None
            return BLOB_SIZE if is_blob else len(value) + 2
        if not isinstance(value, dict | list) or not value or depth > MAX_DEPTH or 2 * len(value) > cap:
            return measure(value, cap, depth)
        size = 2
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            size += (len(key) + 4 if isinstance(key, str) else 1) + self.size(item, cap - size, depth + 1)
            if size > cap:
                break
        return size

    # --- showing

    def show(
        self, value: Json, path: str, room: int, report: Report, depth: int = 0, is_record: bool = False
    ) -> Json:
        """Return `value` in about `room` characters of JSON; a record is never read as a map."""
        if isinstance(value, str):
            return self._leaf(value, path, room, report)
        if not isinstance(value, dict | list) or not value:
            return value
        if self.size(value, room, depth) <= room and not self._holds_blob(value):
            return value
        if depth >= MAX_DEPTH:
            report.note(path, 0, len(value))
            return {} if isinstance(value, dict) else []
        if isinstance(value, list):
            return self.rows(value, path, room, report, depth)
        rows = None if is_record else self.as_rows(value)
        if rows is not None:
            return self.rows(rows, path, room, report, depth)
        return self._object(value, path, room, report, depth)

    def _holds_blob(self, value: Json) -> bool:
        if isinstance(value, str):
            return len(value) >= MIN_BLOB and self.blob(value) is not None
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return any(map(self._holds_blob, items))

    def _leaf(self, text: str, path: str, room: int, report: Report) -> Json:
        blob = self.blob(text) if len(text) >= MIN_BLOB else None
        if blob is not None:
            report.note(path, 0, len(text))
            # in little room the digest is half of all that is shown
            return dict(blob) if room >= BLOB_SIZE else {name: blob[name] for name in ("type", "size")}
        if len(text) + 2 <= room:
            return text
        if len(text) >= LONG_TEXT and room >= 400 and "[" not in path:  # a cell stays a text
            sample = self.text(text)
            shown = sample.show(room)
            report.note(path, shown.shown, sample.total)
            return shown.data
        length = max(MIN_LEAF, room - 2)
        start = self._focus(text, length) if id(text) in self._wanted else 0
        shown_text = text[start : start + length]
        if len(shown_text) < len(text):
            report.note(path, len(shown_text), len(text))
        if start:
            report.cut[-1]["chars"] = f"{start + 1}-{start + len(shown_text)}"
        return shown_text

    def _focus(self, text: str, length: int) -> int:
        """Return where to begin, so that the word is seen for which the text stands out."""
        word = next((place for place, _ in find_words(text, words_for(text), 1)), 0)
        return 0 if word < length * 2 // 3 else max(0, min(word - length // 3, len(text) - length))

    def _object(self, value: dict[str, Json], path: str, room: int, report: Report, depth: int) -> Json:
        sizes = {key: self.size(item, room, depth + 1) for key, item in value.items()}
        least = {key: min(size, SHORT_CELL) + len(key) + 4 for key, size in sizes.items()}
        keys = list(value)
        if sum(least.values()) > room:
            keys = self._choose_keys(value, least, room)
            report.note(path, len(keys), len(value))
        shown: dict[str, Json] = {}

        def show(key: str, share: int) -> int:
            shown[key] = self.show(value[key], f"{path}.{key}", share, report, depth + 1)
            return measure(shown[key], 2 * room, depth + 1)

        share_out({key: sizes[key] for key in keys}, room - sum(len(key) + 4 for key in keys) - 2, show)
        return {key: shown[key] for key in value if key in shown}

    def _choose_keys(self, value: dict[str, Json], least: dict[str, int], room: int) -> list[str]:
        chosen: list[str] = []
        left = room - 2
        ranked = rank_keys(value, self.asked, self.is_action)
        for key in ranked:
            if least[key] <= left or not chosen:
                chosen.append(key)
                left -= least[key]
            elif left < 20:
                break
        return chosen

    def rows(self, rows: list[Json], path: str, room: int, report: Report, depth: int = 0) -> list[Json]:
        """Return the rows of a list that matter most, as many as the room holds."""
        read = self.survey(rows)
        # only a list inside a row has entries that are wanted for another list
        wanted = [n for n, row in enumerate(rows) if id(row) in self._wanted] if "[" in path else []
        pick = Pick(self, rows, read, path, room, depth, wanted)
        shown = pick.run(report)
        if len(shown) < total_of(rows):
            report.note(path, len(shown), total_of(rows))
        return shown
