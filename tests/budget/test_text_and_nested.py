"""Texts and nested values over their budget."""

from __future__ import annotations

import base64
import gc
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.stages.budget_recognise import read_blob, read_data

WORDS = ("request", "handled", "cache", "hit", "miss", "worker", "queue", "flush")


def log(number: int, odd: str, place: float = 0.6) -> str:
    rng = random.Random(2)
    lines = [
        f"2026-10-20T10:00:{i % 60:02d}Z INFO  svc-{i % 9} {' '.join(rng.sample(WORDS, 5))} took={i}ms"
        for i in range(number)
    ]
    lines[int(number * place)] = odd
    return "\n".join(lines)


@pytest.mark.parametrize("number", [2000, 40_000])
@pytest.mark.parametrize(
    "odd",
    [
        "2026-10-20T11:00:00Z ERROR svc-3 DiskQuotaExceeded on vol-77",
        "2026-10-20T11:00:00Z FATAL svc-3 out of memory",
        "2026-10-20T11:00:00Z AUDIT root granted admin to mallory",
        'java.lang.IllegalStateException: pool "main" is closed',
    ],
)
def test_odd_line_of_a_log_is_shown(fit, number, odd):
    """A line with an error word, and one that is only unlike the others."""
    fitted = fit(log(number, odd), 500)

    assert odd in [segment["text"] for segment in fitted.envelope["data"]]
    assert fitted.envelope["meta"]["total"] == number
    assert {item["row"] for item in fitted.envelope["meta"]["kept"]} == {int(number * 0.6) + 1}


def test_segments_say_which_lines_they_are(fit):
    """Every segment holds exactly the lines that it names."""
    text = log(3000, "ERROR here")
    lines = text.split("\n")

    segments = [s for s in fit(text, 800).envelope["data"] if "lines" in s]

    assert segments[0]["lines"].startswith("1-")
    for segment in segments:
        first, _, last = segment["lines"].partition("-")
        assert segment["text"] == "\n".join(lines[int(first) - 1 : int(last or first)])


@pytest.mark.parametrize(
    "text", ["word " * 80_000, "你好世界" * 50_000, "\u2192\U0001f469\u200d\U0001f4bb" * 40_000]
)
def test_one_line_goes_by_characters(fit, text):
    """A text without line breaks is shown from its start and its end, in whole characters."""
    fitted = fit(text, 300)

    for segment in fitted.envelope["data"]:
        first, last = map(int, segment["chars"].split("-"))
        assert segment["text"] == text[first - 1 : last]
    assert fitted.envelope["meta"]["summary"].startswith(f"There are {len(text)} characters in all")


@pytest.mark.parametrize("separator", ["\n", ""])
def test_chinese_failure_is_shown(fit, separator):
    """Error words of Chinese, and sentences where there are no lines."""
    sentences = ["系统运行正常，数据同步完成，任务队列为空。"] * 9000
    sentences[7000] = "数据库主节点宕机，订单写入失败。"

    assert "主节点宕机" in fit(separator.join(sentences), 500).text


def test_novel_chinese_line_without_an_error_word_is_shown(fit):
    """A line unlike the others, in a script without blanks."""
    lines = [f"订单处理完成，用户满意，编号{i:06d}。" for i in range(20_000)]
    lines[12_000] = "支付渠道被冻结，请联系银行。"

    assert lines[12_000] in fit("\n".join(lines), 400).text


@pytest.mark.parametrize(
    "text",
    [
        "id,city,amount\n"
        + "\n".join(f"{i},Rome,{i % 50}" if i != 3000 else "3000,Oslo,99999" for i in range(6000)),
        "id\tcity\tamount\n"
        + "\n".join(f"{i}\tRome\t5" if i != 3000 else "3000\tOslo\t99999" for i in range(6000)),
        "\n".join(
            json.dumps({"id": i, "city": "Rome" if i != 3000 else "Oslo", "amount": 5}) for i in range(6000)
        ),
        json.dumps([{"id": i, "city": "Rome" if i != 3000 else "Oslo", "amount": 5} for i in range(6000)]),
    ],
    ids=["csv", "tsv", "json lines", "json"],
)
def test_records_in_text_are_read_as_records(fit, text):
    """Text that holds data is treated as the data that it holds."""
    fitted = fit(text, 400)

    assert 3000 in [row["id"] for row in fitted.envelope["data"]]
    assert fitted.envelope["meta"]["total"] == 6000


@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_few_long_lines_are_shown_in_part(fit, number, ending):
    """A text just over its budget whose lines nearly all fit."""
    text = "\n".join(["alpha beta " * 60] * number) + ending

    assert fit(text, 60 * number + 64).envelope["meta"]["truncated"]


@pytest.mark.parametrize(
    "word", ["detailed", "mailed", "datales", "fatales", "exceptionally", "Hispanic", "mirrored"]
)
def test_a_word_that_has_an_error_word_in_it_is_none(fit, word):
    """A line with such a word is no line with an error."""
    rng = random.Random(5)
    words = ["north", "dock", "pallet", "order", "moved", word]
    lines = [" ".join(rng.choices(words, k=rng.randint(7, 12))) for _ in range(900)]
    lines[500] += " failed"

    fitted = fit("\n".join(lines), 300)

    assert [item["row"] for item in fitted.envelope["meta"]["kept"] if item["why"] == "error word"] == [501]


@pytest.mark.parametrize("size", [400, 40_000])
def test_an_argument_that_is_a_part_of_other_words_is_found_where_it_stands_alone(fit, size):
    """job-7 is asked for; there are job-70 to job-79 as well."""
    lines = [f"{n} a worker is done with job-7{n % 10}" for n in range(size)]
    lines[size // 2] = f"{size // 2} a worker is done with job-7"

    fitted = fit("\n".join(lines), 300, asked={"job": "job-7"})

    assert {"row": size // 2 + 1, "why": "matches job"} in fitted.envelope["meta"]["kept"]


def test_a_log_with_a_comma_in_its_times_is_no_table(fit):
    """As Python's logging writes them: the first line is no header of two names."""
    lines = [
        f"2026-05-02 10:{n // 60 % 60:02}:{n % 60:02},{n % 997:03} - app - INFO - took {n % 90} ms"
        for n in range(3000)
    ]
    lines[2000] = "2026-05-02 11:00:00,000 - app - SECURITY - root granted to mallory"

    assert lines[2000] in [segment["text"] for segment in fit("\n".join(lines), 300).envelope["data"]]


def test_prose_with_commas_is_no_table(fit):
    """Lines that happen to hold commas stay lines."""
    text = "\n".join(f"On day {i}, we met, talked, and left" + ", again" * (i % 3) for i in range(3000))

    assert "lines" in fit(text, 300).envelope["data"][0]


def test_binary_content_becomes_its_type_size_and_digest(fit):
    """Nothing of an image is shown, least of all half of it; a digest is no image."""
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(60_000)).decode()
    data = {"title": "Home", "image": "data:image/png;base64," + png, "raw": png, "sha": "a3f5" * 16}

    shown = fit(data, 800).envelope["data"]

    assert (shown["title"], shown["sha"]) == ("Home", "a3f5" * 16)
    assert shown["image"] == shown["raw"]
    assert shown["raw"]["type"] == "image/png"
    assert (shown["raw"]["size"], len(shown["raw"]["sha256"])) == (60_008, 64)


@pytest.mark.parametrize("size", [300, 301, 302])
@pytest.mark.parametrize("write", [base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes])
@pytest.mark.parametrize("is_padded", [True, False])
def test_binary_content_is_measured_in_every_way_of_writing_it(
    size: int, write: Callable[[bytes], bytes], is_padded: bool
) -> None:
    """Both alphabets, lines, padded or not."""
    content = random.Random(size).randbytes(size)
    text = write(content).decode()

    read = read_blob(text if is_padded else text.replace("=", ""))

    assert read == {"type": "binary", "size": size, "sha256": hashlib.sha256(content).hexdigest()}


def test_binary_content_that_was_cut_is_measured_as_far_as_it_goes() -> None:
    """The last character may hold bits of a byte that is not there."""
    text = base64.b64encode(random.Random(3).randbytes(600)).decode()

    sizes = [(read_blob(text[:end]) or {}).get("size") for end in (400, 401, 402, 403)]

    assert sizes == [300, None, 301, 302]


def test_text_with_padding_inside_is_no_binary_content() -> None:
    """Two contents one after the other have no size."""
    text = base64.b64encode(random.Random(4).randbytes(301)).decode()

    assert read_blob(text + text) is None


BINARY = base64.b64encode(random.Random(2).randbytes(30_000)).decode()


@pytest.mark.parametrize(
    "data",
    [
        {"file": "a.bin", "content": BINARY, "state": "signed"},
        [{"page": i, "scan": BINARY} for i in range(3)],
        {"mail": {"parts": ["hello", {"pdf": BINARY}]}},
        BINARY,
    ],
    ids=["field", "rows", "nested", "alone"],
)
def test_what_lacks_only_binary_content_is_a_success(fit, data):
    """All that can be read is shown; the rest is described, told and kept."""
    fitted = fit(data, 800)

    meta = fitted.envelope["meta"]
    assert (fitted.envelope["status"], fitted.cut) == ("success", True)
    assert "Binary content is described, not shown" in meta["summary"]
    assert [item["shown"] for item in meta["cut"]] == [0] * len(meta["cut"]) != []
    assert BINARY[:40] not in fitted.text
    assert '"result_id"' in fitted.text


@pytest.mark.parametrize("budget", [64, 100, 150, 200, 300, 500])
def test_no_room_is_so_small_that_binary_content_is_shown(fit, budget):
    """A row that fits with its description does not fit with its content."""
    rows = [{"n": n, "text": "word " * 40, "scan": BINARY[n * 40 :][:400]} for n in range(30)]

    assert BINARY[400:440] not in fit(rows, budget).text


@pytest.mark.parametrize("budget", [100, 200, 800])
@pytest.mark.parametrize(
    ("reply", "first"),
    [
        (
            {"log": ["a line"] * 4000, "note": "x" * 3000, "jobId": "j-5", "result": "accepted"},
            ["jobId", "result"],
        ),
        (
            {"steps": [{"n": 1, "text": "m" * 40}] * 500, "state": "DONE", "request_id": 9},
            ["request_id", "state"],
        ),
        ({"rows": [{"n": 1}] * 4000, "data": {"task_id": "t-1", "status": "queued"}}, ["data"]),
    ],
    ids=["job", "request", "nested"],
)
def test_an_action_shows_its_operation_and_outcome_first(prompt, reply, first, budget):
    """Wherever they stand and however they are called, before what else it says."""
    shown = prompt(reply, budget, kind="action")["data"]

    assert list(shown)[: len(first)] == first
    assert shown[first[0]] == reply[first[0]]


@pytest.mark.parametrize("size", [500, 40_000])
@pytest.mark.parametrize("join", ["\n", " "], ids=["lines", "one line"])
def test_what_the_call_asked_for_is_shown_of_a_text(fit, size, join):
    """The line or place that holds an argument, with its reason."""
    text = join.join(f"{n} a worker is done with job-{n * 7}" for n in range(size))

    wanted = f"with job-{size // 2 * 7}"

    fitted = fit(text, 300, asked={"job": wanted, "limit": 5})

    assert wanted in str(fitted.envelope["data"])
    assert any(item["why"] == "matches job" for item in fitted.envelope["meta"]["kept"])


def test_shortened_field_is_listed_and_not_marked(fit):
    """What a model might copy back holds only what was there."""
    data = {"path": "a.py", "content": "print('hello')\n" * 5_000, "mode": "0644"}

    fitted = fit(data, 300)

    assert (fitted.envelope["data"]["path"], fitted.envelope["data"]["mode"]) == ("a.py", "0644")
    assert any(item["path"] == "$.content" for item in fitted.envelope["meta"]["cut"])
    assert "..." not in fitted.text
    assert "…" not in fitted.text


def test_totals_cursors_and_errors_of_a_nested_value_stay(prompt):
    """A long branch takes the room of no short one."""

    def node(depth: int) -> dict[str, Any]:
        return {"id": f"n{depth}", "children": [node(depth - 1) for _ in range(4)] if depth else []}

    page = {
        "totalCount": 341,
        "pageInfo": {"hasNextPage": True, "endCursor": "Y3Vyc29yOjEw"},
        "root": node(6),
    }
    data = {"data": {"repositories": page}, "errors": [{"type": "FORBIDDEN", "path": ["billing"]}]}

    shown = prompt(data, 500)["data"]

    assert shown["errors"] == data["errors"]
    assert shown["data"]["repositories"]["totalCount"] == 341
    assert shown["data"]["repositories"]["pageInfo"] == page["pageInfo"]


def test_odd_leaf_deep_inside_is_mentioned(prompt):
    """A leaf unlike the others of its name is said with its path."""

    def node(depth: int) -> dict[str, Any]:
        return {"state": "ok", "size": 3, "children": [node(depth - 1) for _ in range(4)] if depth else []}

    data = {"root": node(5)}
    data["root"]["children"][2]["children"][1]["children"][3]["state"] = "CORRUPTED"

    summary = prompt(data, 600)["meta"]["summary"]

    assert "state CORRUPTED at $.root.children[2].children[1].children[3].state" in summary


def test_keys_after_a_long_list_stay(prompt):
    """What stands behind a list of four hundred is not lost."""
    columns = [{"name": f"col_{i}", "type": "varchar(255)", "doc": 'd"{}[]' * 10} for i in range(400)]

    shown = prompt({"table": "customers", "columns": columns, "pk": ["id"]}, 300)

    assert (shown["data"]["table"], shown["data"]["pk"]) == ("customers", ["id"])
    assert shown["meta"]["summary"].startswith("There are 400 columns in all")


def test_both_blocks_of_a_message_are_shown(fit):
    """A long block leaves room for the short one."""
    blocks = [{"type": "text", "text": "t" * 50_000}, {"type": "text", "text": "u"}]

    assert [block["type"] for block in fit(blocks, 200).envelope["data"]] == ["text", "text"]


def test_error_line_in_a_field_is_shown(prompt):
    """Output of a process inside an object is read like any text."""
    data = {"stdout": log(9000, "ERROR cannot bind port 8080"), "exit_code": 3}

    shown = prompt(data, 800)

    assert shown["data"]["exit_code"] == 3
    assert "cannot bind port 8080" in json.dumps(shown["data"]["stdout"])


@pytest.mark.parametrize("budget", [300, 3000])
def test_the_beginning_of_a_first_line_without_end_is_shown(fit, budget):
    """A long text is not split as a whole; its first line may be longer than all that is looked at."""
    text = "the first words " + "x, " * 40_000 + "\n" + "a short line\n" * 40_000

    fitted = fit(text, budget)

    assert fitted.envelope["data"][0]["text"].startswith("the first words x, x, ")
    assert fitted.envelope["data"][0]["chars"].startswith("1-")
    assert fitted.envelope["meta"]["total"] == 40_001


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("text", ['[{"id": 1}, {"id": 2}]', '{"id": 1'], ids=["JSON", "no JSON"])
def test_the_collector_is_left_as_it_was(text, is_on):
    """It rests while JSON is parsed, whatever comes of that."""
    before = gc.isenabled()
    (gc.enable if is_on else gc.disable)()
    try:
        read_data(text)
        found = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()

    assert found is is_on


@pytest.mark.parametrize("max_tokens", [500, 800, 1500])
def test_a_long_line_leaves_room_for_others(fit: Any, max_tokens: int) -> None:
    """Lines of 9 kB stand between short ones, which say what happened."""
    names = ", ".join(f"lib{n}:all (1.{n}, automatic)" for n in range(300))
    entries = [
        f"Start: day {n}\nCommand: install set-{n}\nInstall: {names}\nEnd: day {n}\n" for n in range(30)
    ]

    shown = fit("\n".join(entries), max_tokens).envelope

    texts = "\n".join(segment["text"] for segment in shown["data"])
    assert all(said in texts for said in ("install set-0", "install set-29", "End: day 29"))
    # a reader goes on, by characters, at the first line that is not whole
    rest = "\n".join(entries)[shown["meta"]["next"]["arguments"]["offset"] :]
    assert rest.startswith("Install: lib0:all")
