"""The structlog logger that the call log writes through; imported at the first record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
        # not `_process_event`: it would copy the keys twice, and they could clash with `event`
        line: Any = record
        for processor in self._processors:
            line = processor(self._logger, "append", line)
        self._logger.append(line)


def make_line_logger(files: DayFiles) -> LineLogger:
    """Build a logger over `files` that neither reads nor changes the application's configuration."""
    logger = structlog.wrap_logger(
        files,
        processors=(lambda logger, method, record: to_line(record),),
        wrapper_class=LineLogger,
        context_class=dict,
        cache_logger_on_first_use=True,
        logger_factory_args=(),
    ).bind()
    assert isinstance(logger, LineLogger)
    return logger
