"""A line or clause that is unlike all others is shown, without an error word and in any script."""

from __future__ import annotations

import json
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
    "one message of free words": (
        lambda r, n: (
            f"10:{n % 60:02} - {r.choice('abcde') * 3} - INFO - {r.choice('fghijk') * 5} "
            f"{r.choice('lmnopq') * 4} took {n} ms for {r.choice('rstuvw') * 5}"
        ),
        "10:59 - xxx - INFO - new leader yyyyyyyy elected for zzzz",
    ),
    "Chinese report": (
        lambda r, n: "，".join(r.choices(["系统运行正常", "数据同步完成", "任务队列为空"], k=8)) + "。",
        "数据同步完成，主机房断电，备用电源只剩二十分钟，系统运行正常。",
    ),
}

FREE = {
    "Chinese": "列车按图运行客流平稳各站秩序良好设备巡检完毕票务正常",
    "Korean": "오늘열차는정시에운행했고각역의상황은안정적입니다",
    "German": ["heute", "fuhren", "alle", "Züge", "nach", "Plan", "an", "den", "war", "es", "ruhig"],
    "English": ["the", "pump", "and", "the", "valve", "run", "as", "planned", "we", "left", "at", "noon"],
}


def free_line(rng: random.Random, language: str) -> str:
    """A line of free words of one language."""
    words = FREE[language]
    return ("" if isinstance(words, str) else " ").join(rng.choices(words, k=rng.randint(8, 20)))


@pytest.mark.parametrize(
    ("language", "labels", "odd"),
    [
        ("Chinese", ("【通知】", "【记录】"), "【广播】票务良好"),
        ("Korean", ("[알림]", "[기록]"), "[방송] 역의상황"),
        ("German", ("Notiz:", "Lage:"), "Funk: alle fuhren heute"),
        ("English", ("12:01 <note>", "12:44 <log>"), "12:31 <page> the valve"),
    ],
)
@pytest.mark.parametrize("size", [200, 4000, 15_000])
def test_the_line_with_another_label_is_shown(
    prompt: Any, language: str, labels: tuple[str, ...], odd: str, size: int
) -> None:
    """Where the words are free the label tells, whatever it means."""
    rng = random.Random(size)
    lines = [f"{rng.choice(labels)} {free_line(rng, language)}" for _ in range(size)]
    lines[size // 3] = odd

    assert odd in str(prompt("\n".join(lines), 250)["data"])


def test_the_row_of_a_table_with_another_state_is_shown(prompt: Any) -> None:
    """The state is the last of many words of a line, and two lines of the head have none."""
    names = ["Ana", "Bo", "Cy", "Dee", "Eli"]
    lines = [f"| {n} | {names[n % 5]} | {n * 7 % 90} | done |" for n in range(60)]
    lines[40] = "| 40 | Bo | 10 | abandoned |"

    shown = prompt("| no | who | n | state |\n|---|---|---|---|\n" + "\n".join(lines), 250)

    assert "abandoned" in str(shown["data"])


@pytest.mark.parametrize(
    ("language", "odd"),
    [
        ("Chinese", "四号闸机夹住两名旅客"),
        ("Korean", "개찰구가 닫혔다"),
        ("German", "Sperre klemmt seit elf"),
        ("English", "gate caught two riders"),
    ],
)
@pytest.mark.parametrize("size", [200, 4000])
def test_the_line_of_other_words_is_shown(prompt: Any, language: str, odd: str, size: int) -> None:
    """Of words that come nowhere else, none of them an error word."""
    rng = random.Random(size)
    lines = [free_line(rng, language) for _ in range(size)]
    lines[size // 2] = odd

    assert odd in str(prompt("\n".join(lines), 250)["data"])


@pytest.mark.parametrize(
    "odd",
    [
        *("【警报】", "警告", "警報", "エラー", "アラーム", "경보", "오류", "त्रुटि"),
        *("Störung", "Fehler", "échec", "erreur", "Alerte", "avería", "fallo", "Alarma"),
        *("falha", "guasto", "awaria", "błąd", "ошибка", "Сбой", "тревога", "помилка"),
        *("σφάλμα", "خطأ", "إنذار", "שגיאה", "Alert", "emergency"),
    ],
)
def test_a_word_for_an_alarm_is_known_in_many_languages(prompt: Any, odd: str) -> None:
    """In lines of which each is like no other."""
    rng = random.Random(7)
    lines = ["".join(rng.choices("abcdeghiknostuwyz  ", k=rng.randint(20, 50))) for _ in range(600)]
    lines[350] = f"{lines[350][:9]} {odd} {lines[350][9:]}"

    assert odd in str(prompt("\n".join(lines), 250)["data"])


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


@pytest.mark.parametrize("size", [3000, 20_000])
def test_each_of_a_few_lines_of_a_rare_kind_is_shown(fit: Any, size: int) -> None:
    """They differ from the others in a sign, and not among each other."""
    rng = random.Random(size)
    lines = [
        f"10:{n % 60:02} node-{n % 9} {' '.join(rng.choices(['up', 'idle', 'busy'], k=9))}"
        for n in range(size)
    ]
    places = [size // 5, size // 2, size * 3 // 4]
    for place in places:
        lines[place] = f"10:07 node-4 disk = {place}"

    shown = [segment["text"] for segment in fit("\n".join(lines), 500).envelope["data"]]

    assert [place for place in places if lines[place] not in shown] == []


FORMS: dict[str, Callable[[dict[str, Any]], str]] = {
    "commas": lambda row: ",".join(map(str, row.values())),
    "tabs": lambda row: "\t".join(map(str, row.values())),
    "semicolons": lambda row: ";".join(map(str, row.values())),
    "JSON lines": json.dumps,
    "SQL": lambda row: f"INSERT INTO `orders` VALUES {tuple(row.values())};",
}


@pytest.mark.parametrize("change", [{"state": "frozen"}, {"pieces": "none"}], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_the_odd_cell_of_a_table_too_long_to_be_read_is_shown(fit: Any, form: str, change: Any) -> None:
    """Its lines are all of one kind, and a note of free words stands in each."""
    rng = random.Random(3)
    words = ["".join(rng.choices("aeioubdgkmnprst", k=7)) for _ in range(300)]
    rows = [
        {
            "id": n,
            "state": rng.choice(["open", "paid", "sent"]),
            "pieces": rng.randint(1, 40),
            "note": " ".join(rng.choices(words, k=9)),
        }
        for n in range(40_000)
    ]
    rows[23_456] |= change
    lines = [FORMS[form](row) for row in rows]
    lines[31_000] = "Killed"

    fitted = fit("\n".join(lines), 300)

    shown = [segment["text"] for segment in fitted.envelope["data"]]
    assert lines[23_456] in shown
    assert "Killed" in shown


@pytest.mark.parametrize("size", [2000, 40_000])
def test_another_error_is_shown_of_a_text_full_of_errors(fit: Any, size: int) -> None:
    """A word that stands in every fifth line singles out none of them."""
    rng = random.Random(size)
    lines = [
        (
            f"10:{n % 60} ERROR request failed",
            "Traceback (most recent call last):",
            f'  File "/app/views.py", line {rng.choice([12, 30])}, in {rng.choice(["get", "post"])}',
            f"    {rng.choice(['load', 'save', 'check'])}(order)",
            f"ValueError: order {n} is {rng.choice(['late', 'lost', 'paid', 'shut'])}",
        )[n % 5]
        for n in range(size)
    ]
    lines[size // 2 + 4] = "KeyError: 'tariff'"

    shown = fit("\n".join(lines), 300).envelope["data"]

    assert lines[size // 2 + 4] in [segment["text"] for segment in shown]


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
