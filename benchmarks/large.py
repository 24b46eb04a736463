"""What large results cost end to end: through `@tool`, stored and logged.

    python benchmarks/large.py [rows] [text] [texts] [real] [blob] [stream [N]]

Without a word, all of it, the stream with 100,000 rows; `stream 10000000` is the largest. Times are CPU times
of this process, the best of a few, beside one json.dumps of the same value: other work on the machine moves
both. The stream runs in a process of its own, for its peak memory.
"""

from __future__ import annotations

import base64
import json
import random
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agent_tools import configure, read_result, tool
from agent_tools.reading import open_stored

ROWS = 100_000
TRIES = 5
STREAMED = 100_000
WORDS = ["late", "gift", "fragile", "priority", "return", "express", "signed", "pallet"]


def make_rows(rng: random.Random, number: int = ROWS) -> list[dict[str, Any]]:
    """Flat rows of about 160 bytes, nothing in them to hide."""
    return [
        {
            "order_id": f"ORD-{i:06d}",
            "customer": f"customer {rng.randrange(5000)}",
            "city": rng.choice(["Rome", "Oslo", "Paris", "Berlin"]),
            "amount": round(rng.gauss(100, 15), 2),
            "quantity": rng.randrange(9),
            "paid": True,
            "note": " ".join(rng.choices(WORDS, k=3)),
            "created": f"2031-0{rng.randrange(1, 9)}-1{rng.randrange(9)}T10:00:00",
        }
        for i in range(number)
    ]


def make_log(rng: random.Random, size: int = 5_000_000) -> str:
    """A log of `size` characters."""
    lines, length = [], 0
    while length < size:
        words = " ".join(rng.choices(WORDS, k=8))
        lines.append(f"2031-03-04T10:{len(lines) % 60:02d}:01Z INFO svc-{rng.randint(1, 9)} {words}")
        length += len(lines[-1]) + 1
    return "\n".join(lines)


KINDS = {
    "access log": """\
10.0.{byte}.1 - user=u{small} [04/Mar/2031:10:00:01 +0000] "GET /v1/orders/{large}?page=2&key=id" 200 {large}
""",
    "auth log, a session a line": """\
Mar  4 10:00:01 web sshd[{small}]: Accepted password for user{byte} from 10.0.{byte}.1 session={id} signed in
""",
    "logfmt": """\
ts=2031-03-04 level=info msg="request done" code=200 id={large} token_count={small} session_id={id} took=9ms
""",
    "JSON lines, a session a line": """\
{{"ts": "2031-03-04", "token_count": {small}, "session_id": "{id}", "user": {{"id": {large}, "name": "Ann"}}}}
""",
    "code": """\
def load_password_{small}(self, key: str, default=None) -> str:
    password = os.environ.get("DB_PASSWORD_{small}", default)
    if not password:
        raise KeyError(f"no password for key {{key!r}}")
    self.token = token or self.settings.token
    primary_key = Column(Integer, primary_key=True)
    max_tokens = {small}
    return cache.get(key, password)
""",
    "mail": """\
From: Ann Lee <ann{byte}@example.org>
Subject: Re: order {large}

Hi Bob,
the pallet was signed today. Please verify your code and call me on +44 7895 {large}.
> The pass for gate {byte} is with the key at the desk,
> late gift return express
""",
    "HTTP trace": """\
GET /v1/orders/{large} HTTP/1.1
Host: api.example.org
Authorization: Bearer {id}
Cookie: session={id}; theme=dark

HTTP/1.1 200 OK
Content-Type: application/json
Set-Cookie: csrf={id}; Path=/; Secure

{{"status":"paid","code":{byte}}}
""",
    "SQL dump": """\
INSERT INTO users (id, password_hash, phone, session_key) VALUES ({large}, '{id}', '+44 7895 {large}', NULL);
""",
    "config": """\
app.s{small}.password=s3-{id}
app.s{small}.key=late
app.s{small}.timeout={byte}
app.s{small}.auth.code=A{small}
db.s{small}.url=postgres://app:{id}@db/orders
# the key of section {small}
""",
    "log, four words and a session a line": """\
2031-03-04 10:00:01 INFO user=u{small} token=refresh code={byte} key=orders:{small} session={id} done
""",
}

REAL = [".py", ".pyi", ".json", ".txt", ".md", ".rst", ".csv", ".html", ".js", ".css", ".h", ".c", ".yaml"]
REAL += ["METADATA", "RECORD"]


def make_lines(rng: random.Random, pattern: str, size: int = 5_000_000) -> str:
    """A text of `size` characters whose lines look alike."""
    pieces, length = [], 0
    while length < size:
        byte, small, large = rng.randrange(256), rng.randrange(9999), f"{rng.randrange(10**6):06d}"
        pieces.append(pattern.format(byte=byte, small=small, large=large, id=f"{rng.getrandbits(128):032x}"))
        length += len(pieces[-1])
    return "".join(pieces)


def best_ms(run: Callable[[], object], tries: int = TRIES) -> float:
    """Return the CPU milliseconds of the cheapest of some tries."""
    times = []
    for _ in range(tries):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times) * 1000


def measure_value(name: str, value: Any) -> None:
    """Print what a value costs as a tool's result, with and without redaction and store."""
    settings: dict[str, dict[str, Any]] = {
        "redaction off": {"redact": False},
        "redaction on": {},
        "redaction off, nothing stored": {"redact": False, "store": False},
    }
    dumps_ms = best_ms(lambda: json.dumps(value))
    print(f"{name}: {len(json.dumps(value)) / 1e6:.1f} MB, json.dumps {dumps_ms:.0f} ms")
    for label, given in settings.items():
        fetch = tool(lambda: value, name="fetch_orders", **given)
        assert fetch().meta["cut"]
        ms = best_ms(fetch)
        print(f"  {label:30} {ms:8.0f} ms {ms / dumps_ms:6.2f}x json.dumps", flush=True)


def measure_rows() -> None:
    """A list of 1e5 records."""
    measure_value("1e5 rows", make_rows(random.Random(1)))


def measure_text() -> None:
    """A text of 5 MB."""
    measure_value("5 MB text", make_log(random.Random(1)))


def text_ms(text: str, *, redact: bool) -> float:
    """Return what a text costs as a tool's result."""
    return best_ms(tool(lambda: text, name="fetch_text", redact=redact))


def measure_texts() -> None:
    """Texts of 5 MB in which each line announces something."""
    print(f"{'5 MB texts':40} redaction off     on")
    for name, pattern in KINDS.items():
        text = make_lines(random.Random(1), pattern)
        off, on = (text_ms(text, redact=redact) for redact in (False, True))
        print(f"  {name:40} {off:8.0f} ms {on:6.0f} ms", flush=True)


def real_text(ending: str, size: int = 5_000_000, most: int = 100_000) -> str:
    """Files of the standard library and the installed packages, joined in an order by chance.

    Args:
        ending: How their names end.
        size: Characters of the text, where there are as many.
        most: Characters of one file.
    """
    folders = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
    paths = {path for folder in folders for path in Path(folder).rglob("*" + ending) if path.is_file()}
    ordered = sorted(paths)
    random.Random(1).shuffle(ordered)
    pieces, length = [], 0
    for path in ordered:
        pieces.append(path.read_text("utf-8", "replace")[:most])
        length += len(pieces[-1])
        if length >= size:
            break
    return "".join(pieces)[:size]


def measure_real() -> None:
    """Texts as they are found on a disk; a kind with less than 1 MB is left out."""
    print(f"{'real texts, ms for 5 MB':40} redaction off     on")
    for ending in REAL:
        text = real_text(ending)
        if len(text) >= 1_000_000:
            off, on = (text_ms(text, redact=redact) * 5e6 / len(text) for redact in (False, True))
            print(f"  {ending + f', {len(text) / 1e6:.1f} MB':40} {off:8.0f} ms {on:6.0f} ms", flush=True)


def measure_blob() -> None:
    """A field with 1.5 MB of base64."""
    blob = base64.b64encode(random.Random(1).randbytes(1_500_000)).decode()
    measure_value("base64 of 1.5 MB", {"file": "scan.pdf", "content": blob})


# --- a stream, in a process of its own


def peak_mb() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def held_mb() -> float:
    """Return the memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def stream_rows(number: int) -> Iterator[dict[str, Any]]:
    """Rows that are made as they are read."""
    for i in range(number):
        yield {"id": i, "city": ("Rome", "Oslo", "Paris")[i % 3], "amount": i * 7 % 1000 / 10}


def run_stream(number: int) -> None:
    """Run a generator tool, then read its result: the last page, and each row."""
    configure(store_quota_bytes=20_000_000_000)
    list_orders = tool(stream_rows, kind="query")
    list_orders(2_000)  # imports and the encoding are no part of the stream
    held, begun = held_mb(), time.process_time()
    result = list_orders(number)
    took = time.process_time() - begun
    peak = peak_mb()
    assert result.status == "partial"
    assert result.meta["total"] == number
    result_id = result.meta["result_id"]
    last = read_result(result_id, offset=number - 3, limit=3)
    assert [row["id"] for row in last.data] == list(range(number - 3, number)), last
    begun = time.process_time()
    places = (row["id"] for row in open_stored(result_id).rows(0))
    assert all(place == row_id for place, row_id in enumerate(places))
    read = time.process_time() - begun
    print(f"stream of {number:,} rows")
    print(f"  taken, cut and stored          {took:8.1f} s  {took / number * 1e6:6.1f} us a row")
    print(f"  memory before, most            {held:8.0f} MB{peak:6.0f} MB")
    print(f"  read back whole                {read:8.1f} s  {read / number * 1e6:6.1f} us a row", flush=True)


def measure_stream(number: int) -> None:
    """Run the stream in a fresh process."""
    subprocess.run([sys.executable, __file__, "--stream", str(number)], check=True)


SIMPLE: dict[str, Callable[[], None]] = {
    "rows": measure_rows,
    "text": measure_text,
    "texts": measure_texts,
    "real": measure_real,
    "blob": measure_blob,
}


def main() -> None:
    """Measure what is asked for."""
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        configure(home=Path(folder))
        if words[:1] == ["--stream"]:
            run_stream(int(words[1]))
            return
        numbers = [int(word) for word in words if word.isdigit()]
        wanted = [word for word in words if not word.isdigit()] or [*SIMPLE, "stream"]
        for word in wanted:
            if word in SIMPLE:
                SIMPLE[word]()
            elif word == "stream":
                measure_stream(numbers[0] if numbers else STREAMED)
            else:
                sys.exit(f"unknown word {word!r}; known: {', '.join(SIMPLE)}, stream [N]")


if __name__ == "__main__":
    main()
