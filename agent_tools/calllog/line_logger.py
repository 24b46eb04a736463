"""The structlog logger that the call log writes through; imported at the first record."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from agent_tools.calllog.day_files import DayFiles
from agent_tools.calllog.json_lines import to_line


class LineLogger(structlog.BoundLoggerBase):
    """A structlog logger with one method: no levels, no bound values, nothing to filter."""

    def append(self, record: Mapping[str, object]) -> None:
        """Render a record and append it.

        Raises:
            OSError: it could not be written.
        """
        # one argument: spread out, the keys would be copied twice and could clash with `event`
        (line,), _ = self._process_event("append", record, {})  # type: ignore[arg-type]  # for to_line alone
        self._logger.append(line)


def make_line_logger(files: DayFiles) -> LineLogger:
    """Build a logger over `files` that neither reads nor changes the application's configuration."""
    logger = structlog.wrap_logger(
        files,
        processors=(lambda logger, method, event_dict: to_line(event_dict["event"]),),
        wrapper_class=LineLogger,
        context_class=dict,
        cache_logger_on_first_use=True,
        logger_factory_args=(),
    ).bind()
    assert isinstance(logger, LineLogger)
    return logger
