from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.stages.clean import Cleaned, make_clean
from agent_tools.stages.plain_data import plain_data


class MaskingRedactor:
    """Masks every text that begins with `secret-`, in values and in other texts; copies on write."""

    def is_harmless(self, record: object) -> bool:
        return False

    def passes(self, record: Any, texts: list[str]) -> bool:
        return False

    def report(self, value: Any) -> tuple[Any, list[str]]:
        hidden: list[str] = []
        return self._masked(value, "$", hidden), hidden

    def text(self, text: str) -> str:
        return re.sub(r"secret-\w+", "[hidden]", text)

    def _masked(self, value: Any, path: str, hidden: list[str]) -> Any:
        if isinstance(value, dict):
            pairs = {self.text(k): self._masked(v, f"{path}.{k}", hidden) for k, v in value.items()}
            return (
                pairs if list(pairs) != list(value) or any(pairs[k] is not value[k] for k in value) else value
            )
        if isinstance(value, list):
            rows = [self._masked(row, f"{path}[{i}]", hidden) for i, row in enumerate(value)]
            return rows if any(new is not old for new, old in zip(rows, value, strict=True)) else value
        if isinstance(value, str) and value.startswith("secret-"):
            hidden.append(path)
            return "***"
        return value


@pytest.fixture
def masking() -> MaskingRedactor:
    """A small redactor of the same shape as the real one."""
    return MaskingRedactor()


@pytest.fixture
def clean(masking: MaskingRedactor) -> Callable[[object], Cleaned]:
    """The stage with the small redactor."""
    return make_clean(masking)


@pytest.fixture
def plain() -> Callable[..., Any]:
    """The plain data of a value, without the notes."""
    return lambda value, **settings: plain_data(value, **settings)[0]


@pytest.fixture
def notes() -> Callable[..., Any]:
    """The notes taken while a value became plain data."""
    return lambda value, **settings: plain_data(value, **settings)[1]
