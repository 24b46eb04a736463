"""`agent-tools logs serve`: the log in a browser on this machine."""

from __future__ import annotations

import contextlib
import webbrowser

import click

from agent_tools.calllog.page.server import LOOPBACK, LogServer
from agent_tools.cli.logs import USAGE, Source, source_options


class NotServed(click.ClickException):
    """The port can't be had."""

    exit_code = USAGE


@click.command("serve")
@source_options
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of 127.0.0.1; 0 takes a free one."
)
@click.option("--open", "is_opened", is_flag=True, help="Show it in the browser.")
def serve(source: Source, port: int, is_opened: bool) -> None:
    """Show the log in a browser until Ctrl-C: latest traces, each trace, statistics.

    Only this machine is answered, and only under the address that is printed: it holds a random token.
    """
    source.files()
    try:
        server = LogServer(source.place, port)
    except OSError as error:
        raise NotServed(f"cannot listen on {LOOPBACK}:{port}: {error.strerror}") from error
    with server, contextlib.suppress(KeyboardInterrupt):
        click.echo(server.url)
        source.output.note("Ctrl-C ends it")
        if is_opened:
            webbrowser.open(server.url)
        server.serve_forever()
