"""What the tests of outcome share: judges of a query, an action and a tool that keeps errors as data."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent_tools.stages.outcome import Outcome, make_outcome

Judge = Callable[[object], Outcome]


@pytest.fixture
def query() -> Judge:
    """The judge of a query without settings."""
    return make_outcome(kind="query", empty=None, error_as_data="detect")


@pytest.fixture
def action() -> Judge:
    """The judge of an action without settings."""
    return make_outcome(kind="action", empty=None, error_as_data="detect")
