"""Rows of a stream that are too many to hold: cleaned, surveyed and kept in the store as they come.

In:   rows, a block at a time, in the thread where the function runs.
Out:  `StreamedRows`: a few of them with what there is to say of all; the whole is in the store.
Raises: ToolError, when a row has no form in JSON or can't be redacted. A store that fails costs the rest of
      the rows, not the result.
Cost: a block in memory, about 6 us a row of five columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent_tools import settings as process_settings
from agent_tools.context import current_trace
from agent_tools.result import Json
from agent_tools.stages.clean import Cleaned
from agent_tools.stages.summaries_stream import StreamedRows, StreamSurvey
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id
from agent_tools.stores.writing import Writer

if TYPE_CHECKING:
    from agent_tools.stages.redaction import Redactor

MAX_PATHS = 20


@dataclass(frozen=True, slots=True)
class SpillPlan:
    """What a tool's spills are made with.

    Attributes:
        from_rows: A stream of more rows than this is over any budget, so it is spilled.
        first_rows: How many of the first rows are kept to show.
        redactor: Hides what is split over rows.
    """

    from_rows: int
    first_rows: int
    store_url: str
    clean: Callable[[object], Cleaned]
    label: Callable[[Any], Any]
    important: str | Callable[[Any], Any] | None
    redactor: Redactor

    def open(self) -> Spill:
        """Begin a spill in this context's scope; nothing is opened yet."""
        return Spill(self)


@dataclass(slots=True)
class Notes:
    """What cleaning took note of, over all blocks."""

    lossy: list[str] = field(default_factory=list)
    cut: list[dict[str, object]] = field(default_factory=list)
    redactions: int = 0
    marks: dict[tuple[str, ...], dict[str, list[str]]] = field(default_factory=dict)


class Spill:
    """One stream on its way into the store."""

    __slots__ = ("_pieces", "_plan", "_scope", "_survey", "_writer", "has_failed", "notes", "result_id")

    def __init__(self, plan: SpillPlan) -> None:
        self._plan = plan
        self._scope = current_trace().scope
        self._pieces = plan.redactor.stream()
        self._survey = StreamSurvey({}, plan.important, plan.first_rows)
        self._writer: Writer | None = None
        self.has_failed = False
        self.notes = Notes()
        self.result_id = new_result_id()

    def add(self, rows: list[Any]) -> None:
        """Take a block of rows; it may be forgotten afterwards."""
        # a part of a frame has no pieces of a text
        self._take(self._pieces.take(rows, is_last=False) if type(rows) is list else rows)

    def end(self) -> None:
        """Take the rows that waited for what comes behind them."""
        self._take(self._pieces.take([], is_last=True))
        self.notes.redactions += self._pieces.hidden

    def _take(self, rows: list[Any]) -> None:
        if type(rows) is list and not rows:
            return
        cleaned = self._plan.clean(rows)
        data: list[Json] = self._plan.label(cleaned.data)
        self._note(cleaned)
        self._survey.add(data)
        if not self.has_failed:
            self._keep(data)

    def rows(self) -> StreamedRows:
        """Return the rows to show, with what there is to say of all."""
        return self._survey.finish()

    def finish(self, header: Mapping[str, Any], *, is_complete: bool) -> bool:
        """Make the whole readable under `result_id`; say whether it is."""
        if self._writer is None or self.has_failed:
            return False
        updates = dict(header) if is_complete else {**header, "complete": False, "total": None}
        try:
            self._writer.finish(**updates)
        except Exception:  # noqa: BLE001 - a store that fails must not cost the result
            self.has_failed = True
        return not self.has_failed

    def abort(self) -> None:
        """Drop what was kept: the call was ended from outside."""
        if self._writer is not None and not self.has_failed:
            self._writer.abort()

    def _keep(self, rows: list[Json]) -> None:
        try:
            if self._writer is None:
                process = process_settings.process()
                store = open_store(
                    self._plan.store_url, ttl_s=process.store_ttl_s, quota_bytes=process.store_quota_bytes
                )
                self._writer = store.open_writer(self.result_id, self._scope, {})
            self._writer.add(rows)
        except Exception:  # noqa: BLE001 - as above
            self.has_failed = True

    def _note(self, cleaned: Cleaned) -> None:
        notes = self.notes
        notes.lossy = [*notes.lossy, *cleaned.lossy][:MAX_PATHS]
        notes.cut = [*notes.cut, *cleaned.cut][:MAX_PATHS]
        notes.redactions += len(cleaned.redacted)
        for path, marks in cleaned.marks.items():
            notes.marks.setdefault(path, {}).update(marks)
