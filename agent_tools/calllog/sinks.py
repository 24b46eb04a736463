"""Write a record to the call log: one line, one write, and no failure ever reaches the caller.

In:   a record as `agent_tools.record` describes it, redacted and capped.
Out:  whether it was written.
Cost: see benchmarks/calllog.py, some 6 us for 1 kB; the first record imports structlog (0.1 s).

The line goes through a structlog logger of our own: every argument of `wrap_logger` is given, so that
nothing of the application's structlog configuration is used (its level filter would swallow records) or
changed.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from agent_tools import context
from agent_tools.calllog.day_files import DayFiles

if TYPE_CHECKING:
    from agent_tools.calllog.line_logger import LineLogger

# after a failed write the folder is left alone for so long: trying costs 50 us a call
_PAUSE_S = 1.0


class Sink:
    """Writes records to files, counts what could not be written, and says so once.

    Example:
        >>> import tempfile, pathlib
        >>> home = pathlib.Path(tempfile.mkdtemp())
        >>> Sink(DayFiles(lambda: home)).write({"event": "tool_call"})
        True
    """

    def __init__(self, files: DayFiles) -> None:
        self._files = files
        self._logger: LineLogger | None = None
        self._is_importing = False
        self._paused_until = 0.0
        self._has_warned = False
        self.dropped = 0

    def write(self, record: Mapping[str, object]) -> bool:
        """Append one record; never raises anything of Exception.

        Returns: False when it was dropped; `dropped` counts those, and the first one warns.
        """
        try:
            if self._paused_until:
                if time.monotonic() < self._paused_until:
                    self.dropped += 1
                    return False
                self._paused_until = 0.0
            (self._logger or self._make_logger()).append(record)
        except Exception as error:  # noqa: BLE001 - a log that fails must not fail the call
            self._drop(error)
            return False
        return True

    def forget(self) -> None:
        """Open the file anew: for a child process after a fork."""
        self._files.forget()

    def before_fork(self) -> None:
        """Wait for an import that another thread is in the middle of: the child would wait for ever."""
        if self._is_importing:
            import agent_tools.calllog.line_logger  # noqa: F401

    def _make_logger(self) -> LineLogger:
        self._is_importing = True
        try:
            from agent_tools.calllog.line_logger import make_line_logger
        finally:
            self._is_importing = False
        self._logger = make_line_logger(self._files)
        return self._logger

    def _drop(self, error: Exception) -> None:
        self.dropped += 1
        if isinstance(error, OSError):
            self._paused_until = time.monotonic() + _PAUSE_S
        if self._has_warned:
            return
        self._has_warned = True
        try:
            warnings.warn(
                f"agent_tools drops records of its call log: {type(error).__name__}: {error}. "
                "The calls themselves are not affected. "
                f"Set {context.HOME_VARIABLE} or configure(home=...) to a folder that can be written.",
                RuntimeWarning,
                stacklevel=3,
            )
        except RuntimeWarning:  # warnings are errors here; a call must not fail for its log
            return


_sink = Sink(DayFiles(context.home_folder))


# appends a record to the day's file of the home folder
write = _sink.write


def dropped() -> int:
    """Return how many records of this process could not be written.

    Example:
        >>> dropped() >= 0
        True
    """
    return _sink.dropped


# a descriptor is shared with the child harmlessly, but a file of its own carries the parent's pid in its name
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_sink.before_fork, after_in_child=_sink.forget)
