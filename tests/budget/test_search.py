"""The search for the largest room takes few tries: each renders and counts a text."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from agent_tools.stages.budget_search import largest

FLOOR = 110  # tokens of the frame alone


@dataclass
class Text:
    tokens: int
    whole: bool = False


@pytest.mark.parametrize("density", [1 / 128, 0.02, 0.1, 0.3, 0.8])
@pytest.mark.parametrize("budget", [300, 800, 1500, 8000])
def test_an_even_text_takes_few_tries(density: float, budget: int) -> None:
    """Also one of blanks, of which 128 are a token."""
    rooms: list[int] = []

    def build(room: int) -> Text:
        rooms.append(room)
        return Text(FLOOR + int(room * density))

    found = largest(build, budget, 3 * (budget - FLOOR), FLOOR)

    assert found is not None
    assert 0.98 * budget <= found.tokens <= budget
    assert len(rooms) <= 6


@pytest.mark.parametrize("blanks", [1000, 20_000])
def test_a_text_that_gets_dense_is_found(blanks: int) -> None:
    """Many blanks, then words: the first tries say that far more would fit."""

    def build(room: int) -> Text:
        return Text(FLOOR + min(room, blanks) // 128 + max(0, room - blanks) // 3)

    found = largest(build, 1500, 900, FLOOR)

    assert found is not None
    assert 0.95 * 1500 <= found.tokens <= 1500
