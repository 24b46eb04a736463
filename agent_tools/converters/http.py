"""HTTP responses of httpx, requests, aiohttp, urllib and urllib3 as the data in their body.

In:   a response, its body read or not; one of an async client that was not read is awaited.
Out:  parsed JSON, text, or type and size of what is binary; `url` and `http_status` in meta. No body: None.
Raises: ToolError for a status of 300 or more, with the code that `raise_for_status` would get, the server's
      own words as message and the body as data; for a body that can't be read or is broken JSON.
Cost: a body that was not read yet is read up to MAX_BODY_BYTES.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Iterable
from email.message import Message
from http import HTTPStatus
from http.client import IncompleteRead
from typing import Any, NamedTuple

from agent_tools.converters import Converted
from agent_tools.converters.http_messages import boil_html, find_message, find_xml_message, looks_like_html
from agent_tools.converters.text_encodings import decode, is_binary
from agent_tools.errors import Effect, ErrorCode, ToolError
from agent_tools.foreign import peek, read_header, read_text

MAX_BODY_BYTES = 16_000_000
# of the body of a failure; error pages can be long
MAX_FAILURE_CHARS = 20_000
# what is longer is cut in a message, and kept as data
MAX_SHORT_CHARS = 250
SNIFFED_BYTES = 8_192
NO_BODY = frozenset({204, 205, 304})
JSON_LINES = frozenset({"application/x-ndjson", "application/jsonl", "application/x-jsonlines"})


class Answer(NamedTuple):
    """What all libraries know of a response.

    Attributes:
        status: The HTTP status.
        headers: As the library has them; read with `read_header`.
        url: Where it came from, after redirects.
        body: What was read of it.
        first_url: Where the request went first, when it was redirected.
        is_cut: There is more of the body.
    """

    status: int
    headers: Any
    url: str
    body: bytes
    first_url: str | None = None
    is_cut: bool = False


class HttpStatusError(Exception):
    """The status of a failed response, as an exception of a library would carry it."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"HTTP {answer.status}")
        self.status_code = answer.status
        self.headers = answer.headers


# --- one reader per library


def read_httpx(response: Any) -> Converted | Awaitable[Converted]:
    """Read a response of httpx; one of an AsyncClient that was not read has to be awaited."""
    if hasattr(response, "_content"):
        return convert(_httpx_answer(response, response.content))
    _refuse_consumed(response.is_stream_consumed or response.is_closed)
    if hasattr(response.stream, "__aiter__"):
        return _read_httpx_later(response)
    try:
        body, is_cut = _collect(response.iter_bytes())
    finally:
        response.close()
    return convert(_httpx_answer(response, body, is_cut))


async def _read_httpx_later(response: Any) -> Converted:
    try:
        body, is_cut = await _collect_async(response.aiter_bytes())
    finally:
        await response.aclose()
    return convert(_httpx_answer(response, body, is_cut))


def _httpx_answer(response: Any, body: bytes, is_cut: bool = False) -> Answer:
    first = response.history[0].url if response.history else None
    url = _text_of(peek(response, "url")) or ""  # raises for one that was made by hand, without a request
    return Answer(response.status_code, response.headers, url, body, _text_of(first), is_cut)


def read_requests(response: Any) -> Converted:
    """Read a response of requests, with `stream=True` or without."""
    is_cut = False
    if response._content is False:
        _refuse_consumed(response._content_consumed)
        try:
            body, is_cut = _collect(response.iter_content(65_536))
        finally:
            response.close()
    else:
        body = response.content or b""
    first = response.history[0].url if response.history else None
    return convert(Answer(response.status_code, response.headers, response.url or "", body, first, is_cut))


async def read_aiohttp(response: Any) -> Converted:
    """Read a response of aiohttp; it is released afterwards."""
    body, is_cut = response._body, False
    if body is None:
        _refuse_consumed(response.closed and response.content.is_eof() is False)
        try:
            body, is_cut = await _collect_async(response.content.iter_chunked(65_536))
        except Exception as error:
            if type(error).__name__ == "ClientConnectionError":
                raise _consumed() from error
            raise
        finally:
            response.close() if is_cut else response.release()
        if not body and response.content.total_bytes:
            raise _consumed()
    first = _text_of(response.history[0].url) if response.history else None
    return convert(Answer(response.status, response.headers, str(response.url), body, first, is_cut))


def read_urllib(response: Any) -> Converted:
    """Read a response of urllib.request, http.client or urllib3."""
    try:
        if getattr(response, "closed", False) and not hasattr(response, "data"):
            raise _consumed()
        try:
            body = response.read(MAX_BODY_BYTES + 1)
        except ValueError as error:
            raise _consumed() from error
    finally:
        response.close()
    known = getattr(response, "_body", None)  # what urllib3 has read already
    body = known if not body and isinstance(known, bytes) else body
    url = str(getattr(response, "url", None) or "")
    if not hasattr(response, "data"):
        if not len(body) > MAX_BODY_BYTES and (left := getattr(response, "length", None)):
            raise IncompleteRead(body, left)  # what http.client reads without a size raises it by itself
        body = _unpack(body, response.headers)
    is_cut = len(body) > MAX_BODY_BYTES
    return convert(Answer(response.status, response.headers, url, body[:MAX_BODY_BYTES], None, is_cut))


def _unpack(body: bytes, headers: Any) -> bytes:
    """Unpack what urllib and http.client leave packed; some servers pack without being asked."""
    if (read_header(headers, "content-encoding") or "").strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return body
    try:
        # 32: gzip or zlib, whichever its first bytes say
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error:
        return body


def _collect(chunks: Iterable[bytes]) -> tuple[bytes, bool]:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return bytes(body[:MAX_BODY_BYTES]), True
    return bytes(body), False


async def _collect_async(chunks: AsyncIterator[bytes]) -> tuple[bytes, bool]:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return bytes(body[:MAX_BODY_BYTES]), True
    return bytes(body), False


def _text_of(url: object) -> str | None:
    return None if url is None else read_text(url)


def _refuse_consumed(is_consumed: bool) -> None:
    if is_consumed:
        raise _consumed()


def _consumed() -> ToolError:
    return ToolError(
        "the body of the response could not be read: it was consumed or closed before; the tool has to read "
        "it (`.json()`, `.text`) inside its `with` block and return that",
        code=ErrorCode.INTERNAL,
        retryable=False,
    )


# --- from a response to data


def convert(answer: Answer) -> Converted:
    """Return the data of a response.

    Raises:
        ToolError: its status is 300 or more (but 304), or its body is broken.
    """
    meta = meta_of(answer)
    if answer.status >= 300 and answer.status != 304:
        raise _failure(answer, meta)
    if answer.status in NO_BODY or not answer.body:
        return Converted(None, meta)
    value, warnings = _data_of(answer, meta)
    if answer.is_cut:
        meta["truncated"] = True
        warnings.append(f"Reading the body stopped after {MAX_BODY_BYTES} bytes; there is more.")
    if warnings:
        meta["warnings"] = warnings
    return Converted(value, meta)


def meta_of(answer: Answer) -> dict[str, Any]:
    """Return what is told of a response besides its body."""
    meta: dict[str, Any] = {"url": answer.url, "http_status": answer.status}
    if answer.first_url is not None:
        meta["redirected_from"] = answer.first_url
    return {name: value for name, value in meta.items() if value != ""}


def _data_of(answer: Answer, meta: dict[str, Any]) -> tuple[Any, list[str]]:
    kind, charset = _content_type(answer.headers)
    is_json = kind == "application/json" or kind.endswith("+json") or kind in JSON_LINES
    if is_binary(answer.body[:SNIFFED_BYTES]):
        packing = read_header(answer.headers, "content-encoding")
        if is_json or (packing and kind.startswith("text/")):
            why = f"that is no text{f', still packed as {packing}' if packing else ''}"
            raise _broken(answer, f"{kind} {why}", meta)
        size = None if answer.is_cut else len(answer.body)
        return {"type": kind or "application/octet-stream", "size_bytes": size}, []
    text, warning = decode(answer.body, charset)
    warnings = [warning] if warning else []
    if answer.is_cut:
        return text, warnings
    # a server that calls its JSON text is as common as one that calls its text JSON
    starts_like_json = text.lstrip()[:1] in ("{", "[")
    if is_json or (starts_like_json and not kind.startswith(("text/html", "text/csv"))):
        try:
            return (_json_lines(text) if kind in JSON_LINES else json.loads(text)), warnings
        except RecursionError as error:
            raise _broken(answer, "JSON that is nested too deeply to be read", meta, text) from error
        except ValueError as error:
            if is_json and (starts_like_json or not text.strip()):
                raise _broken(answer, "JSON that is broken or cut off", meta, text) from error
            if is_json:
                warnings.append(f"The server calls the body {kind}, but it is no JSON.")
    return text, warnings


def _json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _content_type(headers: object) -> tuple[str, str | None]:
    said = read_header(headers, "content-type") or ""
    kind, more, _ = said.partition(";")
    named = None
    if more:
        message = Message()
        message["content-type"] = said
        named = message.get_param("charset")
    return kind.strip().lower(), named if isinstance(named, str) else None


def _broken(answer: Answer, what: str, meta: dict[str, Any], text: str | None = None) -> ToolError:
    return ToolError(
        f"the server answered HTTP {answer.status} with {what}",
        code=ErrorCode.DATA_LOSS,
        retryable=False,
        sub_code="MALFORMED_RESPONSE",
        data=None if text is None else {"text": text[:MAX_FAILURE_CHARS]},
        meta=meta,
    )


# --- failures


def _failure(answer: Answer, meta: dict[str, Any]) -> ToolError:
    """Return the failure that a status means; its code is looked up by the cause, as for a raised one."""
    message, data = explain(answer)
    # a form that was posted is often answered by a redirect: what was asked for may have happened
    outcome: Effect | None = "unknown" if answer.status < 400 else None
    # no other status has a code to look up
    code = None if answer.status < 600 else ErrorCode.UNKNOWN
    error = ToolError(f"HTTP {answer.status}: {message}", code=code, data=data, meta=meta, outcome=outcome)
    error.__cause__ = HttpStatusError(answer)
    return error


def explain(answer: Answer) -> tuple[str, Any]:
    """Return the server's own words on a failure, and the body as data; an HTML page only as its words."""
    if answer.status < 400:
        target = read_header(answer.headers, "location")
        return f"redirected to {target}, which was not followed" if target else "a redirect to nowhere", None
    if not answer.body:
        return _reason(answer.status), None
    if answer.body.startswith((b"{", b"[")):  # what an API says, without a look at what it may be instead
        try:
            data = json.loads(answer.body[: 4 * MAX_FAILURE_CHARS].decode())
        except (ValueError, RecursionError):
            pass
        else:
            return find_message(data) or _reason(answer.status), data
    if is_binary(answer.body[:SNIFFED_BYTES]):
        return _reason(answer.status), None
    kind, charset = _content_type(answer.headers)
    text, _ = decode(answer.body[: 4 * MAX_FAILURE_CHARS], charset)
    if looks_like_html(text) or (kind == "text/html" and text.lstrip().startswith("<")):
        return boil_html(text) or _reason(answer.status), None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        said = text.strip()[:MAX_FAILURE_CHARS]
        if (words := find_xml_message(said)) is not None:
            return words, said
        return said or _reason(answer.status), said if len(said) > MAX_SHORT_CHARS else None
    return find_message(data) or _reason(answer.status), data


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "the server gave no reason"


def describe_failure(error: Any) -> Converted:
    """Return what an exception with a response in it says besides its message: URL, status, body."""
    answer = answer_of(error)
    if answer is None:
        return Converted(None)
    return Converted(explain(answer)[1] if answer.body else None, meta_of(answer))


def answer_of(error: Any) -> Answer | None:
    """Return the response in an exception, as far as it was read; None without one.

    What can't be read of a foreign exception or response is left out.
    """
    if is_made_up(error):
        return None
    response = peek(error, "response")  # httpx, requests; aiohttp and urllib tell it themselves
    status = peek(error, "status") if response is None else peek(response, "status_code")
    if not isinstance(status, int) or not status:
        return None
    if response is None:
        url, body = peek(peek(error, "request_info"), "real_url"), _unread_body(error)
        url = peek(error, "url") if url is None else url
    else:
        url, body = peek(response, "url"), peek(response, "_content")
    headers = peek(error if response is None else response, "headers")
    return Answer(int(status), headers, _text_of(url) or "", body if isinstance(body, bytes) else b"")


def is_made_up(error: Any) -> bool:
    """Say whether an exception has a status that no server sent: aiohttp has 400 for what it can't parse."""
    cause = peek(error, "__cause__")
    return cause is not None and any(base.__name__ == "HttpProcessingError" for base in type(cause).__mro__)


def _unread_body(error: Any) -> bytes:
    """Return the body of urllib's HTTPError, which is a response that nobody has read yet; kept for later."""
    if peek(error, "fp") is None:
        return b""
    if not hasattr(error, "_agent_tools_body"):
        error._agent_tools_body = b""
        # a body that breaks off must not hide the failure, and leaves its connection open
        with contextlib.suppress(Exception), error:
            error._agent_tools_body = _unpack(error.read(MAX_FAILURE_CHARS), error.headers)
    return error._agent_tools_body  # type: ignore[no-any-return]  # set just now
