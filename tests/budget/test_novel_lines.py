"""A line or clause that is unlike all others is shown, without an error word and in any script."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

Line = Callable[[random.Random, int], str]

KINDS: dict[str, tuple[Line, str]] = {
    "access log": (
        lambda r, n: (
            f'10.0.{n % 9}.{r.randint(1, 254)} - "GET /{r.choice("abc")} HTTP/1.1" 200 {r.randint(1, 9999)}'
        ),
        '10.0.3.7 - "DELETE /admin/users/44 HTTP/1.1" 204 0',
    ),
    "kinds of messages": (
        lambda r, n: f"[{n}] " + r.choice(["user %d logged in", "queue depth %d", "served in %d ms"]) % n,
        "[7] schema migrated to revision 0xBEEF77",
    ),
    "free words": (
        lambda r, n: (
            f"10:{n} INFO worker-{n % 9} {' '.join(r.choices(['hit', 'miss', 'ack', 'batch'], k=5))} id={n}"
        ),
        "10:59 INFO controller: leader is node-z, node-a resigned",
    ),
    "Chinese log": (
        lambda r, n: (
            f"10:{n} 信息 服务{r.randint(1, 9)} {r.choice(['请求', '缓存', '任务'])}处理完成 耗时{n}毫秒"
        ),
        "10:59 信息 控制器 主节点切换到 备机丙",
    ),
    "Chinese words": (
        lambda r, n: (
            f"10:{n} INFO worker-{n % 9} {r.choice('甲乙丙丁戊己')}{r.choice('子丑寅卯辰巳')} done in {n} ms"
        ),
        "10:59 INFO controller leader changed from node-a to node-b",
    ),
    "Chinese report": (
        lambda r, n: "，".join(r.choices(["系统运行正常", "数据同步完成", "任务队列为空"], k=8)) + "。",
        "数据同步完成，主机房断电，备用电源只剩二十分钟，系统运行正常。",
    ),
}


@pytest.mark.parametrize("budget", [250, 800])
@pytest.mark.parametrize("size", [200, 4000, 20_000])
@pytest.mark.parametrize("kind", KINDS)
def test_the_line_unlike_all_others_is_shown(prompt: Any, kind: str, size: int, budget: int) -> None:
    """In a short text and in one too long to look at every line of."""
    line, odd = KINDS[kind]
    rng = random.Random(size)
    lines = [line(rng, n) for n in range(size)]
    lines[size * 2 // 3] = odd

    shown = prompt("\n".join(lines), budget)

    assert odd[-8:] in str(shown["data"]) or odd[8:16] in str(shown["data"])


@pytest.mark.parametrize("budget", [250, 800])
def test_the_clause_unlike_all_others_is_shown(prompt: Any, budget: int) -> None:
    """In a text without lines that repeats a few clauses."""
    rng = random.Random(budget)
    clauses = rng.choices(["系统运行正常", "数据同步完成", "服务延迟较低"], k=20_000)
    clauses[12_345] = "主机房断电"

    shown = prompt("，".join(clauses) + "。", budget)

    assert "主机房断电" in str(shown["data"])


@pytest.mark.parametrize("budget", [200, 220, 240, 260, 300])
def test_a_small_budget_is_used(share: Any, budget: int) -> None:
    """Lines that are too long for it are shown in part."""
    rng = random.Random(budget)
    line, _ = KINDS["Chinese report"]

    assert share("\n".join(line(rng, n) for n in range(3000)), budget) >= 0.9
