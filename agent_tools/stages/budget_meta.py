"""Order the meta of an envelope, choose what a prompt shows of it, and shed it when little room is left.

A part of `budget`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent_tools.stages.budget_size import measure

FORMAT_VERSION = "v1"
FIRST = (
    "summary",
    "asked",
    "hint",
    "total",
    "returned",
    "truncated",
    "cut",
    "kept",
    "result_id",
    "next",
    "failed",
)
LAST = ("succeeded", "source", "warnings", "redactions", "attempts", "lossy", "call_id", "elapsed_ms")
RESERVED = frozenset({*FIRST, *LAST, "format_version"})
RANK = {name: place for place, name in enumerate((*FIRST, *LAST))}
# measured: a small model that sees the shown number beside the total answers with it
HIDDEN = frozenset({"returned", "call_id", "elapsed_ms", "format_version"})
OWN = len(RANK)  # a tool's own keys stand behind the reserved ones


def ordered(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return all of `meta` in the order of the envelope, the version last.

    Example:
        >>> list(ordered({"sql": "select 1", "total": 2, "summary": "All.", "elapsed_ms": 3.0}))
        ['summary', 'total', 'elapsed_ms', 'sql', 'format_version']
    """
    if len(meta) > 1:
        meta = {name: meta[name] for name in sorted(meta, key=_rank)}
    return {**meta, "format_version": FORMAT_VERSION}


def _rank(name: str) -> int:
    return RANK.get(name, OWN)


def for_prompt(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the model sees of an ordered meta.

    Example:
        >>> for_prompt({"total": 2, "returned": 1, "attempts": 1, "call_id": "c", "format_version": "v1"})
        {'total': 2, 'format_version': 'v1'}
    """
    shown = {name: value for name, value in meta.items() if name not in HIDDEN}
    if shown.get("attempts") == 1:
        del shown["attempts"]
    if "succeeded" in shown and not shown.get("failed"):
        del shown["succeeded"]
    shown["format_version"] = FORMAT_VERSION
    return shown


@dataclass(slots=True)
class Frame:
    """Everything of an envelope but its data, as far as there is room for it.

    Attributes:
        meta: What the stages before and the tool gave, without a summary.
        error: The error as it can be shown.
        brevity: 0 says all that the summary has to say, 3 only the total, 4 nothing.
        most_kept: Entries of `kept` and of `cut` to show at most.
        next: Show how to get the rest.
        details: Show `truncated` and the version.
    """

    meta: dict[str, Any]
    error: dict[str, Any] | None
    brevity: int = 0
    most_kept: int = 20
    most_cut: int = 8
    next: bool = True
    details: bool = True
    shed: list[str] = field(default_factory=list)

    def copy(self) -> Frame:
        """Return a frame of its own that says the same."""
        return replace(self, meta=dict(self.meta))


def _drop(*names: str) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        for name in names:
            frame.meta.pop(name, None)

    return step


def _drop_own(frame: Frame) -> None:
    frame.meta = {name: value for name, value in frame.meta.items() if name in RESERVED}


def _clip_lists(most: int, characters: int) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        for name in (
            "warnings",
            "failed",
            "lossy",
            "redactions",
            "succeeded",
            "source",
            "cut",
            "asked",
        ):
            if name in frame.meta:
                frame.meta[name] = _clipped(frame.meta[name], most, characters)

    return step


def _clipped(value: Any, most: int, characters: int) -> Any:
    if isinstance(value, str):
        return value[:characters]
    if isinstance(value, list):
        return [_clipped(item, most, characters) for item in value[:most]]
    if isinstance(value, dict):
        return {key[:characters]: _clipped(item, most, characters) for key, item in list(value.items())[:6]}
    return value if measure(value, characters) <= characters else None


def _count_failed(frame: Frame) -> None:
    for name in ("failed", "succeeded"):
        if isinstance(frame.meta.get(name), list | dict):
            frame.meta[name] = len(frame.meta[name])


def _limit(kept: int, cut: int) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        frame.most_kept, frame.most_cut = min(frame.most_kept, kept), min(frame.most_cut, cut)

    return step


def _brief(level: int) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        frame.brevity = max(frame.brevity, level)

    return step


def _drop_next(frame: Frame) -> None:
    frame.next = False
    frame.meta.pop("next", None)


def _drop_details(frame: Frame) -> None:
    frame.details = False


def _error_keys(*names: str) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        if frame.error is not None:
            frame.error = {name: frame.error[name] for name in names if name in frame.error}

    return step


def _clip_message(characters: int) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        if frame.error is not None:
            frame.error = {
                name: value[:characters] if isinstance(value, str) and name != "recovery" else value
                for name, value in frame.error.items()
            }

    return step


def _clip_summary(characters: int) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        summary = frame.meta.get("summary")
        if isinstance(summary, str) and len(summary) > characters:
            frame.meta["summary"] = summary[:characters].rpartition(" ")[0] + "…"

    return step


# While the frame takes more than its share, in this order; the data gets what is saved.
COMFORT: tuple[Callable[[Frame], None], ...] = (
    _clip_lists(20, 300),
    _clip_message(600),
    _clip_lists(4, 160),
    _limit(8, 4),
    _drop_own,
    _drop("source", "lossy", "redactions", "attempts"),
    _limit(4, 2),
    _clip_lists(2, 80),
    _brief(1),
    _drop("warnings"),
    _limit(2, 1),
    _clip_message(200),
)
# Before data that fits is cut for the sake of the tool's own line about it.
SHORTER_SUMMARY: tuple[Callable[[Frame], None], ...] = (
    _clip_summary(160),
    _clip_summary(80),
    _drop("summary"),
)
# While not one row fits whole: statistics are given up before the first of these.
TIGHT: tuple[Callable[[Frame], None], ...] = (_brief(1), _drop_next, _brief(2))
# While the envelope does not fit at all. Status, error code, total and result_id stay to the last.
NEED: tuple[Callable[[Frame], None], ...] = (
    _brief(2),
    _drop("cut", "asked", "hint", "succeeded"),
    # what failed is worth more than rows that worked; its number stays to the last
    _count_failed,
    _limit(0, 0),
    _drop_next,
    _error_keys("code", "message", "retryable", "recovery", "retry_after_s"),
    _clip_message(100),
    _brief(3),
    _drop_details,
    _clip_message(40),
    _error_keys("code", "message", "retryable"),
    _drop("failed"),
    _brief(4),
    _error_keys("code", "message"),
    _clip_message(16),
    _error_keys("code"),
    _drop("result_id"),
    _drop("total"),
)
