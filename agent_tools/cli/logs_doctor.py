"""`agent-tools logs doctor`: is the log where it should be, whole, and nobody else's to read?"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from agent_tools.calllog.day_files import FOLDER, KEEP_BYTES, KEEP_DAYS, LogFile, is_append_atomic
from agent_tools.calllog.reader import Skipped, find_files, get_number, get_text, read_records, size_of
from agent_tools.cli.logs import Source, source_options
from agent_tools.context import HOME_VARIABLE

_STYLES = {"ok": "green", "look": "yellow", "bad": "red"}
_LEAST_FREE = 1_000_000_000
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        check: What.
        state: `ok`, `look` (may be right) or `bad`.
        found: What was found, and what to do about it.
    """

    check: str
    state: str
    found: str


@dataclass(slots=True)
class Patient:
    """The log and what one pass over it tells."""

    place: Path
    files: list[LogFile]
    skipped: Skipped
    rows: int = 0
    events: Counter[str] = field(default_factory=Counter)
    libraries: Counter[str] = field(default_factory=Counter)
    starts: set[str] = field(default_factory=set)
    highest: dict[str, int] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def folder(self) -> Path:
        """The folder of the log files."""
        return self.files[-1].path.parent if self.files else self.place / FOLDER


@click.command("doctor")
@source_options
def doctor(source: Source) -> None:
    """Check the home folder: permissions, broken lines, records that were dropped, disk, versions."""
    try:
        files = find_files(source.place)
    except FileNotFoundError:
        files = []
    patient = Patient(source.place, files, source.skipped)
    _read(patient, source)
    checks = [check for look in _LOOKS for check in look(patient)]
    if source.output.is_json:
        source.output.json_lines(map(asdict, checks))
    else:
        for one in checks:
            source.output.wrapped(f"{one.state:<5} {one.check:<12} {one.found}", _STYLES[one.state])
    source.finish(matched=True)


def _read(patient: Patient, source: Source) -> None:
    progress = source.progress(patient.files)
    for row in read_records(patient.files, skipped=patient.skipped, progress=progress):
        event = row["event"]
        patient.rows += 1
        patient.events[event] += 1
        key = get_text(row, "span_id") or get_text(row, "call_id")
        if event == "tool_start":
            patient.starts.add(key)
        elif event == "tool_call":
            patient.starts.discard(key)
            patient.libraries[get_text(row, "lib")] += 1
            seq, trace_id = get_number(row, "seq"), get_text(row, "trace_id")
            if seq is not None and trace_id:
                patient.highest[trace_id] = max(patient.highest.get(trace_id, 0), int(seq))
                patient.seen[trace_id] += 1


def _library() -> str:
    try:
        return f"agent_tools/{version('agent-tools')}"
    except PackageNotFoundError:
        return "agent_tools"


def _versions(patient: Patient) -> Iterator[Check]:
    yield Check("version", "ok", f"{_library()}, Python {platform.python_version()} on {sys.platform}")
    others = sorted(name for name in patient.libraries if name and name != _library())
    if others:
        yield Check("writers", "look", f"rows were written by {', '.join(others)}, too")


def _home(patient: Patient) -> Iterator[Check]:
    place = patient.place
    if not place.exists():
        text = f"{place.absolute()} does not exist yet: nothing was logged there, or set {HOME_VARIABLE}"
        yield Check("home", "look", text)
        return
    is_writable = os.access(place, os.W_OK)
    text = str(place.absolute()) if is_writable else f"{place.absolute()} can't be written by this user"
    yield Check("home", "ok" if is_writable else "bad", text)


def _permissions(patient: Patient) -> Iterator[Check]:
    if sys.platform == "win32" or not patient.files:
        return
    paths = [patient.folder, *(file.path for file in patient.files)]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths if path.exists()}
    open_ = [path for path, mode in modes.items() if mode & 0o077]
    if open_:
        names = ", ".join(f"{path.name} {modes[path]:04o}" for path in open_[:3])
        more = f" and {len(open_) - 3} more" if len(open_) > 3 else ""
        text = f"others may read {names}{more}; prompts stand there: chmod -R go= {patient.folder}"
        yield Check("permissions", "look", text)
    else:
        yield Check("permissions", "ok", "the folder and its files are this user's alone")


def _size(patient: Patient) -> Iterator[Check]:
    size = size_of(patient.files)
    if not patient.files:
        return
    days = sorted({file.day for file in patient.files if file.day})
    span = f" from {days[0]} to {days[-1]}" if days else ""
    text = f"{patient.rows} rows, {size / _MEGABYTE:.1f} MB in {len(patient.files)} files{span}"
    kept = f"kept for {KEEP_DAYS} days, up to {KEEP_BYTES / 1e9:.0f} GB"
    yield Check("size", "ok" if size < KEEP_BYTES else "look", f"{text}; {kept}")
    events = ", ".join(f"{event} {n}" for event, n in patient.events.most_common())
    yield Check("rows", "ok", events or "none")


def _lines(patient: Patient) -> Iterator[Check]:
    if patient.skipped:
        yield Check("lines", "look", patient.skipped.describe())
    elif patient.files:
        yield Check("lines", "ok", "every line is a record")


def _lost(patient: Patient) -> Iterator[Check]:
    missing = sum(max(highest - patient.seen[trace], 0) for trace, highest in patient.highest.items())
    if missing:
        text = (
            f"{missing} calls left no row: they run still, their process was killed, the tool's log is off, "
            "or the row was dropped (agent_tools.calllog.sinks.dropped() counts those of a process)"
        )
        yield Check("missing", "look", text)
    elif patient.highest:
        yield Check("missing", "ok", "no call is missing between the first and the last of each trace")
    if patient.starts:
        yield Check("unended", "look", f"{len(patient.starts)} calls started and never ended")


def _disk(patient: Patient) -> Iterator[Check]:
    nearest = next(
        (place for place in (patient.folder, *patient.folder.parents) if place.exists()), Path("/")
    )
    free = shutil.disk_usage(nearest).free
    state = "ok" if free > _LEAST_FREE else "bad"
    yield Check("disk", state, f"{free / 1e9:.1f} GB free")
    if patient.folder.exists() and not is_append_atomic(patient.folder):
        text = "a network or shared file system: each process writes a file of its own"
        yield Check("appending", "look", text)


_LOOKS: tuple[Callable[[Patient], Iterator[Check]], ...] = (
    _versions,
    _home,
    _permissions,
    _size,
    _lines,
    _lost,
    _disk,
)
