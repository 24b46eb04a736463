"""The main job on real data: five kinds of tools, what the model sees of each call, then the call log.

28,000 airports in a real SQLite file, a text file, an HTTP server on loopback and a subprocess; everything
lives in a temporary folder. Run it with `make demo`.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import airportsdata
from rich.console import Console

from agent_tools import NotFound, configure, read_result, tool, trace
from agent_tools.cli.main import main as agent_tools_command
from agent_tools.tokens import count

console = Console(highlight=False, soft_wrap=True)
folder = Path(tempfile.mkdtemp(prefix="agent_tools_demo_"))
database = folder / "airports.db"


# --- the tools: plain functions under @tool


@tool(max_tokens=800)
def find_airports(country: str, min_elevation_ft: int = -2000) -> list[dict[str, Any]]:
    """Find the airports of a country, above an elevation."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        sql = "select * from airports where country = ? and elevation >= ? order by icao"
        return connection.execute(sql, (country, min_elevation_ft)).fetchall()


@tool
def get_airport(icao: str) -> dict[str, Any]:
    """Get one airport by its ICAO code."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        row = connection.execute("select * from airports where icao = ?", (icao,)).fetchone()
    if row is None:
        raise NotFound(f"There is no airport {icao!r}. ICAO codes have four letters, like LIRF.")
    return dict(row)


@tool
def run_sql(sql: str) -> list[dict[str, Any]]:
    """Run a query of the model's own."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        return connection.execute(sql).fetchall()


@tool(kind="action")
def rename_airport(icao: str, name: str) -> None:
    """Rename an airport."""
    with contextlib.closing(sqlite3.connect(database, timeout=0.05)) as connection, connection:
        connection.execute("update airports set name = ? where icao = ?", (name, icao))


@tool(max_tokens=300)
def read_notes(path: str) -> str:
    """Read a text file."""
    return Path(path).read_text(encoding="utf-8")


@tool
def fetch_weather(url: str) -> dict[str, Any]:
    """Fetch the weather from a service."""
    with urllib.request.urlopen(url, timeout=5) as response:
        body: dict[str, Any] = json.load(response)
        return body


@tool
def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )


# --- the real things behind them


def load_airports() -> int:
    """Put the airports into a real SQLite file."""
    airports = list(airportsdata.load("ICAO").values())
    columns = ", ".join(airports[0])
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(f"create table airports ({columns})")
        marks = ", ".join("?" * len(airports[0]))
        connection.executemany(
            f"insert into airports values ({marks})", [tuple(a.values()) for a in airports]
        )
    return len(airports)


def write_notes() -> Path:
    """Write a log of 2,000 lines with one that matters."""
    lines = [f"2026-10-20 10:{n // 60 % 60:02d}:{n % 60:02d} INFO runway check {n} done" for n in range(2000)]
    lines[1234] = "2026-10-20 10:20:34 ERROR runway 16R closed: debris reported by crew"
    path = folder / "runways.log"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


class Weather(http.server.BaseHTTPRequestHandler):
    """Answers 200, 404, 429 and 503 by path."""

    answers: ClassVar[dict[str, tuple[int, dict[str, str], dict[str, Any]]]] = {
        "/LIRF": (200, {}, {"station": "LIRF", "wind_kt": 12, "api_key": "k-" + "9f8e7d6c5b4a3210"}),
        "/busy": (429, {"Retry-After": "7"}, {"detail": "slow down"}),
        "/down": (503, {}, {"detail": "maintenance"}),
    }

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        status, headers, body = self.answers.get(path, (404, {}, {"detail": "no such station"}))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep the server's access log off the screen."""


@contextlib.contextmanager
def weather_service() -> Iterator[str]:
    """Run the server on a free port of loopback."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Weather)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


# --- the run


def show(title: str, result: Any) -> Any:
    """Print what the model would see of a call."""
    text = result.to_prompt()
    console.print(f"\n[bold]{title}[/bold]  [dim]{result.status}, {count(text)} tokens[/dim]")
    console.print(text, markup=False)
    return result


def main() -> None:
    """Make the calls and show the log."""
    configure(home=folder / ".agent_tools")
    console.print(f"{load_airports()} airports in {database.name}", markup=False)
    with trace("demo"), weather_service() as weather:
        show("a hit", get_airport("LIRF"))
        show("a mistaken code", get_airport("XXXX"))
        show("nothing found", find_airports("IT", min_elevation_ft=20000))
        huge = show("a huge result, cut to 800 tokens", find_airports("US"))
        show("a page of the rest", read_result(huge.meta["result_id"], offset=5000, limit=5))
        show(
            "rows by condition",
            read_result(
                huge.meta["result_id"], where={"elevation": [">", 9000]}, fields=["icao", "name", "elevation"]
            ),
        )
        show(
            "a call from a model, badly typed",
            find_airports.invoke('{"country": "IT", "min_elevation_ft": "high"}'),
        )
        show("bad SQL", run_sql("select nme from airports"))
        with contextlib.closing(sqlite3.connect(database)) as other:
            other.execute("begin exclusive")
            show("a locked database", rename_airport("LIRF", "Fiumicino"))
        show("an action that worked", rename_airport("LIRF", "Fiumicino"))
        show("a text file over its budget", read_notes(str(write_notes())))
        show("a missing file", read_notes(str(folder / "nowhere.txt")))
        show("HTTP 200, with a key in the body", fetch_weather(f"{weather}/LIRF"))
        show("HTTP 404", fetch_weather(f"{weather}/XXXX?api_key=" + "k-0123456789abcdef"))
        show("HTTP 429 with Retry-After", fetch_weather(f"{weather}/busy"))
        show("HTTP 503", fetch_weather(f"{weather}/down"))
        show("code that works", run_python("print(6 * 7)"))
        show("code that fails", run_python("rows = [1, 2]\nprint(rows[5])"))
    console.print("\n[bold]agent-tools logs list[/bold]")
    sys.stdout.flush()
    agent_tools_command(
        ["logs", "list", "--table", "--home", str(folder / ".agent_tools")], standalone_mode=False
    )


if __name__ == "__main__":
    main()
