"""What is left of eight large results at 800 tokens, beside other libraries that cut, in one run.

    python benchmarks/peers_budget.py [--each]

Asked of each text that the model would read: is it within the budget (o200k_base), is it JSON (or plain text,
where the result is plain text), does it state how much there is in all, does it show the one thing that the
reader needs, can the whole be had back, and what did it take (json.dumps, cut and store; CPU time, best of
three). Every library counts with the same encoding files and runs offline. FastMCP's limit is in bytes: four
a token. headroom-ai has no budget: it is told that the model's window is that small.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import logging
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_tools import configure, tool
from agent_tools.encodings.loading import find_encoding
from agent_tools.reading import open_stored
from agent_tools.tokens import count

MAX_TOKENS = 800
TRIES = 3
WORDS = ["belt", "crane", "dock", "gate", "hold", "lift", "pallet", "rail", "scan", "seal", "shelf", "truck"]
CHINESE = [
    "仓库温度正常",
    "货物按时到达",
    "扫描设备在线",
    "车辆调度平稳",
    "库存盘点完成",
    "出库单据齐全",
    "夜班交接顺利",
]
# what goes wrong in the log, and how far into it
LOG_ERRORS = {"ScannerOffline": 0.21, "WeightMismatch": 0.48, "LabelJam": 0.83}


@dataclass(frozen=True, slots=True)
class Sample:
    """A large result; one of `totals` and `shows` (all of them with `shows_all`) must be in the text."""

    name: str
    value: Any
    totals: tuple[str, ...]
    shows: tuple[str, ...]
    shows_all: bool = False


def parcels(rng: random.Random, number: int = 10_000) -> list[dict[str, Any]]:
    """Flat rows of eight fields, nothing odd in them."""
    return [
        {
            "parcel": i,
            "sender": f"shop{rng.randint(1, 2500)}",
            "depot": rng.choice(("north", "south", "east", "harbour")),
            "weight_kg": round(rng.gauss(12, 2), 2),
            "pieces": rng.randint(1, 6),
            "state": "DELIVERED",
            "at": f"2031-03-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}:00Z",
            "route_min": round(abs(rng.gauss(55, 9)), 1),
        }
        for i in range(number)
    ]


def log_text(rng: random.Random, size: int = 5_000_000) -> str:
    """Lines of a quiet log, with three errors far apart."""
    lines, length = [], 0
    while length < size:
        words = " ".join(rng.choices(WORDS, k=8))
        at = f"2031-03-04T{len(lines) // 3600 % 24:02d}:{len(lines) // 60 % 60:02d}:{len(lines) % 60:02d}Z"
        lines.append(f"{at} INFO  bay-{rng.randint(1, 9)} {words} took={rng.randint(1, 90)}ms")
        length += len(lines[-1]) + 1
    for message, share in LOG_ERRORS.items():
        lines[int(len(lines) * share)] = f"2031-03-04T09:00:00Z ERROR bay-4 {message} at gate 7"
    return "\n".join(lines)


def tree(rng: random.Random, depth: int) -> dict[str, Any]:
    """A nested answer of an API, four children a level."""
    if depth == 0:
        return {"load": rng.randint(0, 99), "tags": rng.choices(WORDS, k=3), "note": "as planned, no remarks"}
    return {
        "node": f"n{depth}-{rng.randint(0, 9999)}",
        "info": {"etag": f"{rng.getrandbits(32):08x}", "page": {"next": None, "size": 50}},
        "parts": [tree(rng, depth - 1) for _ in range(4)],
    }


def mixed_rows(number: int = 3000) -> list[Any]:
    """Rows of four shapes in turn."""
    shapes: tuple[Callable[[int], Any], ...] = (
        lambda i: {"type": "truck", "id": i, "driver": f"d{i}"},
        lambda i: {"type": "load", "id": i, "kg": i * 7 % 500, "items": [{"sku": f"s{i % 99}", "n": 1}]},
        lambda i: {"type": "scan", "at": "2031-03-04", "payload": {"gate": WORDS[i % 12]}},
        lambda i: f"free text {i}",
    )
    return [shapes[i % 4](i) for i in range(number)]


def chinese_text(rng: random.Random, size_bytes: int = 1_000_000) -> str:
    """A report in Chinese with one alarm."""
    parts, length = [], 0
    while length < size_bytes:
        parts.append("，".join(rng.choices(CHINESE, k=6)) + "。" + ("\n" if rng.random() < 0.2 else ""))
        length += len(parts[-1].encode())
    parts[len(parts) * 3 // 5] = "【警报】冷库断电，疫苗批次受损。\n"
    return "".join(parts)


def _written(*numbers: int) -> tuple[str, ...]:
    """How totals may be written; the model is never made to count."""
    return tuple(text for n in numbers for text in (str(n), f"{n:,}"))


def make_samples() -> list[Sample]:
    """Make the eight results; the same each time."""
    rng = random.Random(31)
    rows = parcels(rng)
    failed = [dict(row) for row in rows]
    failed[7042].update(state="LOST_IN_TRANSIT", weight_kg=86421.5, route_min=7300.4)
    heavy = [dict(row) for row in rows]
    heavy[7042].update(weight_kg=86421.5)
    log = log_text(rng)
    nested = {
        "data": {
            "company": {
                "name": "acme",
                "depots": {"totalCount": 412, "cursor": "c29ydDo5", "root": tree(rng, 6)},
            }
        },
        "errors": [
            {"path": ["company", "payroll"], "type": "FORBIDDEN", "message": "scope read:payroll is missing"}
        ],
    }
    wide = {
        f"col_{i:03d}": round(rng.random() * 900, 3) if i % 3 == 0 else " ".join(rng.choices(WORDS, k=7))
        for i in range(200)
    }
    wide["col_131"] = "LICENCE_REVOKED since 2031-02-01"
    raw = rng.randbytes(1_500_000)
    scan = {
        "file": "waybill.pdf",
        "mime": "application/pdf",
        "content": base64.b64encode(raw).decode(),
        "state": "countersigned",
        "pages": 9,
    }
    mixed = mixed_rows()
    mixed[1777] = {"type": "claim", "id": 1777, "kg": -92000, "reason": "THEFT"}
    report = chinese_text(rng)
    lines = report.count("\n")
    return [
        Sample("rows, one failed", failed, _written(10_000), ("LOST_IN_TRANSIT", "86421.5", "7042")),
        Sample("rows, one number off", heavy, _written(10_000), ("86421.5", "7042")),
        Sample("log, three errors", log, _written(log.count("\n") + 1), tuple(LOG_ERRORS), True),
        Sample("nested answer", nested, _written(412), ("FORBIDDEN",)),
        Sample("one row, 200 columns", [wide], _written(200), ("LICENCE_REVOKED", "col_131")),
        Sample("base64 of 1.5 MB", scan, _written(len(raw), len(scan["content"])), ("countersigned",)),
        Sample("rows of many shapes", mixed, _written(3000), ("THEFT", "claim", "-92000")),
        Sample("Chinese report", report, _written(len(report), lines, lines + 1), ("冷库断电", "疫苗")),
    ]


# --- the libraries: value -> (text for the model, how to get the whole back)

Cut = Callable[[Any], tuple[str, Callable[[], Any]]]


def as_text(value: Any) -> str:
    """Write a result as most frameworks hand it to a model."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def make_ours(folder: Path) -> Cut:
    """The whole call: clean, redact, cut, store, log."""
    configure(home=folder, otel=False)
    held: list[Any] = []
    fetch = tool(lambda: held[0], name="fetch_report", max_tokens=MAX_TOKENS)

    def cut(value: Any) -> tuple[str, Callable[[], Any]]:
        held[:] = [value]
        result = fetch()
        result_id = result.meta.get("result_id")
        return result.to_prompt(), lambda: open_stored(result_id).value() if result_id else None

    return cut


def make_tooltrim(folder: Path) -> Cut:
    """ToolCompressor with its store in memory."""
    from tooltrim import ToolCompressor

    compressor = ToolCompressor(max_tokens=MAX_TOKENS)

    def cut(value: Any) -> tuple[str, Callable[[], Any]]:
        result = compressor.compress(as_text(value))
        return str(result), lambda: result.ref and compressor.expand(result.ref)

    return cut


def make_headroom(folder: Path) -> Cut:
    """`compress()` on a conversation whose last message is the result; it has a target, not a budget."""
    os.environ.update(
        HEADROOM_OFFLINE="1", HEADROOM_WORKSPACE_DIR=str(folder), HEADROOM_CONFIG_DIR=str(folder)
    )
    from headroom import compress
    from headroom.cache.compression_store import get_compression_store

    call = {"id": "c1", "type": "function", "function": {"name": "fetch_report", "arguments": "{}"}}

    def cut(value: Any) -> tuple[str, Callable[[], Any]]:
        messages = [
            {"role": "user", "content": "What is wrong here?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": as_text(value)},
        ]
        text = compress(messages, model="gpt-4o", model_limit=MAX_TOKENS).messages[-1]["content"]

        def whole() -> Any:
            entries = (
                get_compression_store().retrieve(key) for key in re.findall(r"\b[0-9a-f]{12,64}\b", text)
            )
            return next(
                (e.original_content for e in entries if e and len(e.original_content) > len(text)), None
            )

        return text, whole

    return cut


def make_deepagents(folder: Path) -> Cut:
    """The file system middleware around a tool call, with files on disk."""
    from deepagents.backends import FilesystemBackend
    from deepagents.middleware.filesystem import FilesystemMiddleware
    from langchain.tools.tool_node import ToolCallRequest
    from langchain_core.messages import ToolMessage

    backend = FilesystemBackend(root_dir=folder, virtual_mode=True)
    middleware = FilesystemMiddleware(backend=backend, tool_token_limit_before_evict=MAX_TOKENS)
    calls = iter(range(10**6))

    def cut(value: Any) -> tuple[str, Callable[[], Any]]:
        call_id = f"call_{next(calls)}"
        call = {"name": "fetch_report", "args": {}, "id": call_id, "type": "tool_call"}
        request = ToolCallRequest(tool_call=call, tool=None, state={}, runtime=None)
        message = middleware.wrap_tool_call(
            request, lambda _: ToolMessage(as_text(value), tool_call_id=call_id)
        )
        path = re.search(r"at this path: (\S+)", message.content)
        return message.content, lambda: path and backend.download_files([path[1]])[0].content.decode()

    return cut


def make_fastmcp(folder: Path) -> Cut:
    """A server's tool call under ResponseLimitingMiddleware, without transport."""
    from fastmcp import FastMCP
    from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware

    logging.getLogger("fastmcp").setLevel(logging.ERROR)
    held: list[Any] = []
    server = FastMCP("bench")
    server.add_middleware(ResponseLimitingMiddleware(max_size=MAX_TOKENS * 4))
    server.tool(lambda: held[0], name="fetch_report")

    def cut(value: Any) -> tuple[str, Callable[[], Any]]:
        held[:] = [value]
        result = asyncio.run(server.call_tool("fetch_report", {}))
        return "".join(block.text for block in result.content), lambda: None

    return cut


LIBRARIES: dict[str, Callable[[Path], Cut]] = {
    "agent_tools": make_ours,
    "tooltrim": make_tooltrim,
    "headroom-ai": make_headroom,
    "deepagents": make_deepagents,
    "fastmcp": make_fastmcp,
}

# --- the questions


@dataclass(frozen=True, slots=True)
class Answers:
    """What became of one result in one library."""

    tokens: int
    within: bool
    json: bool
    total: bool
    needle: bool
    back: bool
    ms: float


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _states(text: str, number: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", text) is not None


def _is_whole(back: Any, value: Any) -> bool:
    if not isinstance(value, str) and isinstance(back, str):
        back = json.loads(back) if _is_json(back) else None
    return bool(back == value)


def ask(cut: Cut, sample: Sample) -> Answers:
    """Cut a result a few times and look at the last text."""
    times = []
    for _ in range(TRIES):
        begun = time.process_time()
        text, whole = cut(sample.value)
        times.append((time.process_time() - begun) * 1000)
    tokens = count(text)
    return Answers(
        tokens,
        tokens <= MAX_TOKENS,
        _is_json(text) or isinstance(sample.value, str),
        any(_states(text, number) for number in sample.totals),
        (all if sample.shows_all else any)(word in text for word in sample.shows),
        _is_whole(whole(), sample.value),
        min(times),
    )


def share_encodings() -> None:
    """Give every library exact counts: tiktoken would download what is bundled here."""
    from tiktoken import registry

    for name in ("o200k_base", "cl100k_base"):
        registry.ENCODINGS[name] = find_encoding(name).encoding


def main() -> None:
    """Measure and print a table; with --each also one of every result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", action="store_true", help="a row for each result and library, too")
    is_long = parser.parse_args().each
    share_encodings()
    samples = make_samples()
    print("| library | within 800 | JSON | total stated | needle shown | whole back | median CPU ms | most |")
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in LIBRARIES.items():
            home = Path(folder, name)
            home.mkdir()
            try:
                cut = make(home)
            except ImportError:
                print(f"| {name} | not installed |||||||")
                continue
            answers = [ask(cut, sample) for sample in samples]
            rows += [(sample.name, name, answer) for sample, answer in zip(samples, answers, strict=True)]
            sums = (
                sum(getattr(a, key) for a in answers) for key in ("within", "json", "total", "needle", "back")
            )
            counts = " | ".join(f"{n}/{len(samples)}" for n in sums)
            times = [a.ms for a in answers]
            print(f"| {name} | {counts} | {statistics.median(times):.0f} | {max(times):.0f} |", flush=True)
    if is_long:
        print_each(rows)


def print_each(rows: list[tuple[str, str, Answers]]) -> None:
    """Print a row for each result and library, the libraries side by side."""
    print("\n| result | library | tokens | JSON | total | needle | back | CPU ms |")
    print("|---|---|---|---|---|---|---|---|")
    order = list(dict.fromkeys(name for name, _, _ in rows))
    for sample, library, a in sorted(rows, key=lambda row: order.index(row[0])):
        marks = " | ".join("yes" if flag else "no" for flag in (a.json, a.total, a.needle, a.back))
        print(f"| {sample} | {library} | {a.tokens:,} | {marks} | {a.ms:.0f} |")


if __name__ == "__main__":
    main()
