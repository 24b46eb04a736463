"""A tool over a web API returns the response as it is; its status becomes the result's status.

Run it: `python examples/http_api.py`. It starts a small server of its own; needs httpx.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from agent_tools import tool

PAGES = {
    "/weather/rome": (200, "application/json", b'{"city": "Rome", "degrees": 21}'),
    "/weather/oslo": (429, "application/json", b'{"error": {"message": "slow down"}}'),
    "/weather/bonn": (502, "text/html", b"<html><h1>Bad Gateway</h1><p>The station is down.</p></html>"),
}


class Station(BaseHTTPRequestHandler):
    """A weather station with a good and two bad days."""

    def do_GET(self) -> None:
        """Answer with a page."""
        status, kind, body = PAGES.get(self.path, (404, "application/json", b'{"detail": "no such city"}'))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status == 429:
            self.send_header("Retry-After", "30")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serve() -> Iterator[str]:
    """Run the station and tell its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Station)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@tool
def get_weather(city: str, base: str) -> httpx.Response:
    """Get the weather of a city."""
    return httpx.get(f"{base}/weather/{city}")


if __name__ == "__main__":
    with serve() as base:
        for city in ("rome", "oslo", "bonn", "atlantis"):
            print(get_weather(city, base).to_prompt())
