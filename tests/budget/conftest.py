"""What the tests of the budget share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.formats import get_renderer
from agent_tools.stages.budget import Draft, Fitted, make_fit
from agent_tools.tokens import make_counter

RESULT_ID = "r_" + "0123456789abcdef"
JSON_FORMATS = ("auto", "json", "table")


def strict(text: str) -> Any:
    """Parse JSON, no NaN allowed."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    text.encode()
    return json.loads(text, parse_constant=refuse)


def fit(
    data: Any = None,
    max_tokens: int | None = 800,
    *,
    status: str = "success",
    meta: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
    asked: dict[str, Any] | None = None,
    result_id: str | None = RESULT_ID,
    encoding: Any = "o200k_base",
    margin: float = 1.0,
    **settings: Any,
) -> Fitted:
    """Fit one draft and check what must hold for every one."""
    counter = make_counter(encoding, margin)
    settings = {"format": "auto", "tool": "load", "kind": "query", **settings}
    fit_draft = make_fit(max_tokens=max_tokens, counter=counter, get_renderer=get_renderer, **settings)
    draft = Draft(
        status=status,
        data=data,
        meta={"call_id": "c_1", "elapsed_ms": 1.5, **(meta or {})},
        error=error,
        asked=asked or {},
        result_id=result_id,
        view="plan",
    )
    fitted = fit_draft(draft)
    if max_tokens is not None:
        assert counter.count(fitted.text) <= max_tokens
    head = strict(fitted.text if settings["format"] in JSON_FORMATS else fitted.text.split("\n")[0])
    assert head["status"] == fitted.envelope["status"]
    return fitted


@pytest.fixture(name="fit")
def _fit() -> Callable[..., Fitted]:
    return fit


@pytest.fixture
def prompt() -> Callable[..., Any]:
    """Fit one draft and return what the model reads, parsed."""
    return lambda *args, **settings: strict(fit(*args, **settings).text)


@pytest.fixture
def share() -> Callable[..., float]:
    """Fit one draft and return how much of the budget its text uses."""

    def used(data: Any, max_tokens: int, **settings: Any) -> float:
        fitted = fit(data, max_tokens, **settings)
        assert fitted.cut
        return make_counter("o200k_base").count(fitted.text) / max_tokens

    return used
