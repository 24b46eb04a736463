"""Render a traceback for the log: bounded, redacted, the user's own frames first to stay.

In:   an exception with its chain of causes.
Out:  text of at most MAX_BYTES bytes. No locals; messages as `error_messages` writes them.
Cost: reads a source line per shown frame, so it is called where a record is written, not before.
"""

from __future__ import annotations

import functools
import linecache
import os
from collections.abc import Iterator
from types import TracebackType

from agent_tools.foreign import read_text
from agent_tools.stages.error_messages import tell, type_name
from agent_tools.stages.error_texts import Redact, clean, hide_in_urls, shorten

MAX_BYTES = 8192
MAX_CHAIN = 6
MAX_FRAMES = 12  # of one exception: the user's outermost and innermost, then library ones
MAX_WALKED = 5000
MAX_LEAVES = 4
MAX_NOTE = 600
MAX_SOURCE = 300
MAX_GROUPS = 3  # groups in groups; deeper ones are told by their message alone
_CAUSE = "\n\nThe above exception was the direct cause of the following exception:\n"
_CONTEXT = "\n\nDuring handling of the above exception, another exception occurred:\n"
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = os.path.dirname(os.__file__) + os.sep  # sysconfig would cost a millisecond to import


def format_traceback(exc: BaseException, redact_text: Redact) -> str:
    """Return the traceback of an exception and of what it was raised from.

    Example:
        >>> format_traceback(ValueError("no"), str)
        'ValueError: no'
    """
    chain = list(_chain(exc))
    share = MAX_BYTES // len(chain)
    try:
        text = redact_text(
            "\n".join(_fit(_one(link, redact_text), share, redact_text) + joint for link, joint in chain)
        )
    except Exception:  # noqa: BLE001 - nothing unredacted is written
        return f"{type_name(exc)}: the traceback is withheld, the redactor failed"
    return _clip_bytes(hide_in_urls(text.rstrip()), MAX_BYTES)


def _fit(text: str, size: int, redact: Redact) -> str:
    # redacted before it is cut; what fits is redacted with the whole
    is_short = len(text.encode("utf-8", "replace")) <= size
    return text if is_short else _clip_bytes(hide_in_urls(redact(text)), size)


def _chain(exc: BaseException) -> Iterator[tuple[BaseException, str]]:
    # outermost cause first, as Python prints it; each with the sentence that leads to the next
    links: list[tuple[BaseException, str]] = []
    current: BaseException | None = exc
    joint = ""
    while current is not None and len(links) < MAX_CHAIN and all(current is not link for link, _ in links):
        links.append((current, joint))
        if current.__cause__ is not None:
            current, joint = current.__cause__, _CAUSE
        else:
            current, joint = (None if current.__suppress_context__ else current.__context__), _CONTEXT
    return reversed(links)


def _one(exc: BaseException, redact: Redact, depth: int = 0) -> str:
    places = _places(exc.__traceback__)
    lines = ["Traceback (most recent call last):", *_frames(places, redact)] if places else []
    root = type(exc).__module__
    message = tell(exc, redact, 600)
    lines.append(
        message if root in ("builtins", "__main__") else f"{root}.{type(exc).__qualname__}: {message}"
    )
    notes = getattr(exc, "__notes__", None)
    if isinstance(notes, list):
        lines += [shorten(read_text(note) or "", redact, MAX_NOTE) for note in notes[:4]]
    if isinstance(exc, BaseExceptionGroup) and depth < MAX_GROUPS:
        for leaf in exc.exceptions[:MAX_LEAVES]:
            lines += [f"  +- {line}" for line in _one(leaf, redact, depth + 1).splitlines()]
    return "\n".join(lines)


def _places(tb: TracebackType | None) -> list[TracebackType]:
    places: list[TracebackType] = []
    while tb is not None and len(places) < MAX_WALKED:
        places.append(tb)
        tb = tb.tb_next
    # how this library came to call the tool says nothing of the failure
    begin = next((at for at, place in enumerate(places) if not _filename(place).startswith(_OWN)), 0)
    return places[begin:]


def _filename(place: TracebackType) -> str:
    return place.tb_frame.f_code.co_filename


@functools.lru_cache(maxsize=1024)
def _is_users(filename: str) -> bool:
    if filename.startswith(("<frozen", _OWN)) or "site-packages" in filename or "dist-packages" in filename:
        return False
    return not filename.startswith(_STDLIB)


def _frames(places: list[TracebackType], redact: Redact) -> Iterator[str]:
    users = [at for at, place in enumerate(places) if _is_users(_filename(place))]
    half = MAX_FRAMES // 2
    kept = set(users[:half] + users[-half:])
    # the place where it was raised, then callers from the inside out, while there is room
    for at in range(len(places) - 1, -1, -1):
        if len(kept) >= MAX_FRAMES:
            break
        kept.add(at)
    previous = -1
    for at in sorted(kept):
        if at > previous + 1:
            yield f"  ... {at - previous - 1} more frames"
        previous = at
        code, line = places[at].tb_frame.f_code, places[at].tb_lineno
        yield f'  File "{code.co_filename}", line {line}, in {code.co_name}'
        source = linecache.getline(code.co_filename, line).strip()
        if source := shorten(source, redact, MAX_SOURCE) if len(source) > MAX_SOURCE else clean(source):
            yield f"    {source}"


def _clip_bytes(text: str, limit: int) -> str:
    # the end is kept: it says what failed
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return raw.decode()
    head, tail = limit // 3, limit - limit // 3 - 8
    return raw[:head].decode(errors="ignore") + "\n...\n" + raw[-tail:].decode(errors="ignore")
