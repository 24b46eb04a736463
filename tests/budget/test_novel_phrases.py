"""What is new in a text that says the same few things over and over is shown, alarming or not."""

from __future__ import annotations

import json
import random

import pytest

from agent_tools import tool

CHINESE = ["系统运行正常", "数据同步完成", "用户请求已处理", "缓存命中率稳定", "服务延迟较低", "任务队列为空"]
ENGLISH = [
    "all systems run",
    "the nightly copy is done",
    "no request waits",
    "the cache is warm",
    "the queue is empty",
]


def _report(phrases: list[str], comma: str, stop: str, breaks: float, needle: str, characters: int) -> str:
    chance = random.Random(5)
    sentences: list[str] = []
    size = 0
    while size < characters:
        end = stop + ("\n" if chance.random() < breaks else "")
        sentences.append(comma.join(chance.choices(phrases, k=6)) + end)
        size += len(sentences[-1])
    sentences[len(sentences) * 3 // 5] = needle + stop + "\n"
    return "".join(sentences)


@pytest.mark.parametrize("breaks", [0.0, 0.2, 1.0], ids=["one line", "few lines", "many lines"])
@pytest.mark.parametrize("characters", [30_000, 300_000, 600_000])
@pytest.mark.parametrize(
    ("phrases", "comma", "stop", "needle"),
    [
        (CHINESE, "，", "。", "仓库三号门被强行打开"),
        (CHINESE, "，", "。", "温度传感器读数 98.7 度"),
        (ENGLISH, ", ", ". ", "gate three of the depot was forced open"),
    ],
    ids=["Chinese", "Chinese with a number", "English"],
)
def test_a_new_phrase_is_shown(
    phrases: list[str], comma: str, stop: str, needle: str, breaks: float, characters: int
) -> None:
    """Deep inside, in one line or many, at 800 tokens."""
    text = _report(phrases, comma, stop, breaks, needle, characters)

    shown = tool(lambda: text, name="read_report", max_tokens=800)().to_prompt()

    assert needle in json.dumps(json.loads(shown), ensure_ascii=False)


def test_prose_has_no_news_by_this() -> None:
    """Where most phrases are new, head and tail are shown and nothing is called new."""
    chance = random.Random(6)
    words = [f"{a}{b}" for a in ("ka", "lo", "mi", "ne", "su") for b in ("rin", "tal", "vos", "dem")]
    text = "\n".join(
        f"{' '.join(chance.choices(words, k=7))}, {' '.join(chance.choices(words, k=5))}."
        for _ in range(2000)
    )

    result = tool(lambda: text, name="read_book", max_tokens=800)()

    assert "kept" not in result.meta
