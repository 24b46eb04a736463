"""`configure()` and `override()` are obeyed at the next call, and undone when they should be."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from agent_tools import configure, override, settings, tool
from agent_tools.settings import ProcessSettings


@pytest.fixture(autouse=True)
def unchanged_defaults(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the process its defaults back."""
    before = dict(settings._defaults)
    process = settings.process()
    yield
    settings._defaults.clear()
    settings._defaults.update(before)
    configure(store_ttl_s=process.store_ttl_s, store_url=process.store_url)


@tool
def find_notes() -> list[dict[str, Any]]:
    return [{"i": i, "note": "some words " * 10} for i in range(200)]


def test_configure_is_obeyed_at_the_next_call() -> None:
    """A tool that was called before compiles its plan again."""
    wide = find_notes()

    configure(max_tokens=200, format="csv")
    narrow = find_notes()

    assert len(narrow.to_prompt()) < len(wide.to_prompt())
    assert "\n" in narrow.to_prompt()


def test_configure_sets_a_default_only() -> None:
    """What a tool was given at decoration still wins."""
    own = tool(lambda: {"size": 1}, name="get", format="json")

    configure(format="yaml")

    assert json.loads(own().to_prompt())["data"] == {"size": 1}


def test_override_wins_over_what_a_tool_was_given() -> None:
    """It is made for tests: nothing in the code under test may undo it."""
    own = tool(lambda: {"size": 1}, name="get", format="json")

    with override(format="yaml"):
        forced = own().to_prompt()

    assert "\nsize: 1" in forced
    assert json.loads(own().to_prompt())["data"] == {"size": 1}


def test_overrides_nest() -> None:
    """The inner one wins and hands back to the outer one."""
    seen = []
    with override(max_tokens=500):
        with override(max_tokens=100):
            seen.append(settings.current({}).max_tokens)
        seen.append(settings.current({}).max_tokens)

    assert [*seen, settings.current({}).max_tokens] == [100, 500, 1500]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit], ids=lambda e: e.__name__)
def test_an_override_ends_with_an_exception(error: type[BaseException]) -> None:
    """Whatever ends the block."""
    with pytest.raises(error), override(max_tokens=64, store_ttl_s=5):
        raise error

    assert settings.current({}).max_tokens == 1500
    assert settings.process().store_ttl_s == ProcessSettings().store_ttl_s


def test_overrides_of_threads_end_in_any_order() -> None:
    """A block that began first may end last; afterwards nothing of either is left."""
    entered, leave = threading.Event(), threading.Event()

    def first() -> None:
        with override(max_tokens=100, store_ttl_s=10):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(10)
    with override(max_tokens=200, store_ttl_s=20):
        leave.set()
        thread.join()
        inside = (settings.current({}).max_tokens, settings.process().store_ttl_s)

    assert inside == (200, 20)
    assert settings.current({}).max_tokens == 1500
    assert settings.process().store_ttl_s == ProcessSettings().store_ttl_s


def test_configure_within_an_override_stays() -> None:
    """What is configured inside a block is there after it, also for a name that the block forced."""
    with override(store_ttl_s=5, max_tokens=64):
        configure(store_ttl_s=77, max_tokens=300)
        forced = (settings.process().store_ttl_s, settings.current({}).max_tokens)

    assert forced == (5, 64)
    assert (settings.process().store_ttl_s, settings.current({}).max_tokens) == (77, 300)


def test_a_plan_is_compiled_once_per_generation() -> None:
    """Between two changes of the settings every call uses the same plan."""
    machine = find_notes._self_machine  # type: ignore[attr-defined]
    plan = machine.plan()

    assert machine.plan() is plan
    configure(max_tokens=1500)
    assert machine.plan() is not plan
    assert machine.plan().generation == settings.generation


def test_a_call_under_way_keeps_its_settings() -> None:
    """A change in the middle of a call holds from the next one on."""
    started, go_on = threading.Event(), threading.Event()
    results = []

    @tool
    def get_slowly() -> dict[str, int]:
        started.set()
        go_on.wait(10)
        return {"size": 1}

    thread = threading.Thread(target=lambda: results.append(get_slowly().to_prompt()))
    thread.start()
    started.wait(10)
    configure(format="yaml")
    go_on.set()
    thread.join()

    assert json.loads(results[0])["data"] == {"size": 1}
    assert "\nsize: 1" in get_slowly().to_prompt()


def test_settings_hold_in_all_threads_and_tasks() -> None:
    """An override is of the process, not of a context: workers of the code under test see it, too."""
    seen: list[str] = []
    with override(format="yaml"):
        thread = threading.Thread(target=lambda: seen.append(find_notes().to_prompt()))
        thread.start()
        thread.join()
        seen.append(asyncio.run(find_notes.ainvoke()).to_prompt())

    assert all(not text.endswith("}") for text in seen)


def test_threads_that_override_and_call_agree() -> None:
    """Many threads that change the settings and call at once: every call gets a budget that was in force."""
    budgets = {100, 200, 300, 1500}

    def work(max_tokens: int) -> None:
        for _ in range(5):
            with override(max_tokens=max_tokens):
                assert settings.current({}).max_tokens in budgets
                assert find_notes().status == "partial"

    threads = [threading.Thread(target=work, args=(n,)) for n in (100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert settings.current({}).max_tokens == 1500
    assert settings.process().store_ttl_s == ProcessSettings().store_ttl_s
