"""Responses of httpx, requests, aiohttp and urllib from a real server, returned as they are or raised."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from agent_tools import tool

LIBRARIES = ["httpx", "httpx-async", "requests", "aiohttp", "urllib"]


@pytest.fixture(params=LIBRARIES)
def fetch(request, web):
    """Get a page with one of the libraries as a tool: `await fetch("/orders", raises=False)`."""
    library = pytest.importorskip(request.param.removesuffix("-async"))

    def get(url, raises, follow):
        if request.param == "httpx":
            with library.Client(follow_redirects=follow) as client:
                return client.get(url).raise_for_status() if raises else client.get(url)
        response = library.get(url, allow_redirects=follow)
        if raises:
            response.raise_for_status()
        return response

    async def get_async(url, raises, follow):
        if request.param == "aiohttp":
            async with (
                library.ClientSession() as session,
                session.get(url, allow_redirects=follow) as response,
            ):
                await response.read()
                if raises:
                    response.raise_for_status()
                return response
        async with library.AsyncClient(follow_redirects=follow) as client:
            response = await client.get(url)
            return response.raise_for_status() if raises else response

    def open_url(url, raises, follow):
        return urllib.request.urlopen(url)

    function = {"httpx": get, "requests": get, "urllib": open_url}.get(request.param, get_async)
    made = tool(function, name="fetch_page", kind="query", store=False, run_in_thread=False)

    async def call(path, raises=False, follow=True):
        return await made.ainvoke({"url": web + path, "raises": raises, "follow": follow})

    call.library = request.param
    return call


@pytest.mark.parametrize(
    ("path", "status", "data"),
    [
        ("/orders", "success", [{"id": 1, "city": "Rome"}]),
        ("/text", "success", "café"),
        ("/called-text", "success", {"id": 1}),
        ("/called-json", "success", "all fine"),
        ("/json-lines", "success", [{"id": 1}, {"id": 2}]),
        ("/picture", "success", {"type": "image/png", "size_bytes": 11}),
        ("/nothing", "empty", None),
        ("/blank", "empty", None),
        ("/no-rows", "empty", []),
        ("/moved", "success", [{"id": 1, "city": "Rome"}]),
        ("/packed", "success", {"id": 1}),
    ],
)
async def test_a_response_becomes_its_body(fetch, path, status, data):
    """JSON parsed whatever its label, text decoded, no body empty, redirects followed."""
    result = await fetch(path)

    assert (result.status, result.data) == (status, data)
    assert result.meta["http_status"] in (200, 204)
    assert result.meta["url"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("path", "why"), [("/packed-otherwise", "no text"), ("/deep", "nested too deeply")], ids=str
)
async def test_json_that_can_not_be_read_is_data_loss(fetch, path, why):
    """Bytes in a packing that the library does not know, and brackets without end."""
    if fetch.library == "aiohttp" and path == "/packed-otherwise":
        pytest.skip("aiohttp refuses it by itself")
    result = await fetch(path)

    assert (result.error.code, result.error.sub_code) == ("DATA_LOSS", "MALFORMED_RESPONSE")
    assert why in result.error.message


@pytest.mark.parametrize("path", ["/cut-text", "/no-http", "/bad-chunk"])
async def test_an_answer_that_breaks_off_or_is_none_may_be_asked_for_again(fetch, path):
    """The same for all libraries: no half text as success, and no made-up status 400."""
    result = await fetch(path)

    assert (result.error.code, result.error.retryable) == ("UNAVAILABLE", True)
    assert "http_status" not in result.meta


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nginx", "HTTP 502: 502 Bad Gateway. nginx/1.22.1"),
        ("/django", "HTTP 500: DoesNotExist at /orders/5. No order matches"),
        ("/tomcat", "HTTP 500: HTTP Status 500. Type Exception Report Message Cannot load order 5"),
        ("/iis", "HTTP 403: 403 - Forbidden. Server Error. You may not view this folder"),
        ("/fragment", "HTTP 500: Oops"),
        ("/bucket", "HTTP 404: No such key."),
        ("/soap", "HTTP 500: Bad sum"),
        ("/packed-problem", "HTTP 422: amount < 0"),
    ],
)
async def test_error_pages_of_servers_say_it_once(fetch, path, said):
    """Title, headings and text without what was said before; the message of an error in XML."""
    result = await fetch(path)

    assert result.error.message.partition(" for url")[0].removeprefix("HTTPError: ") == said


@pytest.mark.parametrize("raises", [False, True], ids=["returned", "raised"])
async def test_a_status_of_no_class_has_no_code(fetch, raises):
    """LinkedIn answers 999; requests and urllib's own errors differ in whether they raise for it."""
    assert (await fetch("/odd-status", raises)).error.code == "UNKNOWN"


async def test_json_that_is_cut_off_is_data_loss(fetch):
    """Half a list is no list; what came is kept."""
    result = await fetch("/cut-json")

    assert (result.error.code, result.error.sub_code) == ("DATA_LOSS", "MALFORMED_RESPONSE")
    assert result.data["text"].startswith('[{"id": 1}')


@pytest.mark.parametrize("raises", [False, True], ids=["returned", "raised"])
async def test_an_error_page_is_boiled_down(fetch, raises):
    """80 kB of HTML become a sentence; aiohttp's exception has no body to read it from."""
    result = await fetch("/page-502", raises)

    assert (result.error.code, result.error.sub_code) == ("UNAVAILABLE", "502")
    assert "<" not in result.error.message
    if fetch.library != "aiohttp" or not raises:
        assert "The shop is closed" in result.error.message
        assert "Come back at eight" in result.error.message
    assert result.meta["http_status"] == 502


@pytest.mark.parametrize("path", ["/problem", "/fields"])
@pytest.mark.parametrize("raises", [False, True], ids=["returned", "raised"])
async def test_the_servers_own_words_are_the_message(fetch, path, raises):
    """Problem details and FastAPI's list of fields; the body is kept as data."""
    result = await fetch(path, raises)

    assert result.error.code == "INVALID_ARGUMENT"
    if fetch.library != "aiohttp" or not raises:
        assert {"/problem": "amount < 0", "/fields": "body.id: field required"}[path] in result.error.message
        assert "detail" in result.data


async def test_a_rate_limit_says_how_long_to_wait(fetch):
    """Retry-After, whether the response was returned or raised."""
    for raises in (False, True):
        error = (await fetch("/status/429", raises)).error

        assert (error.code, error.retryable, error.retry_after_s) == ("RESOURCE_EXHAUSTED", True, 7)


async def test_a_redirect_that_was_not_followed_is_no_empty_result(fetch):
    """httpx does not follow by default, and a redirect has no body."""
    if fetch.library == "urllib":
        pytest.skip("urllib always follows")
    result = await fetch("/moved", follow=False)

    assert result.error.code == "FAILED_PRECONDITION"
    assert "redirected to /orders" in result.error.message


def test_an_error_page_that_breaks_off_does_not_hide_the_failure(call, web):
    """urllib reads the body of a failure when it is asked for, and the server may be gone by then."""
    result = call(lambda: urllib.request.urlopen(f"{web}/breaks-off"))

    assert (result.error.code, result.meta["http_status"]) == ("INTERNAL", 500)
    assert "HTTP 500: Internal Server Error" in result.error.message
    with pytest.raises(urllib.error.HTTPError) as raised:
        _ = result.value
    assert raised.value.fp.closed


class _Hostile:
    """A response that can't be read: what is named raises."""

    def __init__(self, *broken):
        self.broken = broken

    def __getattribute__(self, name):
        if name in object.__getattribute__(self, "broken"):
            raise LookupError(name)
        known = {"status_code": 404, "headers": {}, "url": "http://shop/1", "_content": b"no order 1"}
        return known[name] if name in known else object.__getattribute__(self, name)


@pytest.mark.parametrize("broken", ["url", "headers", "_content"])
def test_what_a_response_hides_is_left_out_of_its_failure(call, broken):
    """One part that can't be read takes neither the words nor the status with it."""
    failure = type("HTTPStatusError", (Exception,), {"__module__": "httpx"})("404")
    failure.response = _Hostile(broken)

    def fail():
        raise failure

    result = call(fail)

    assert result.error.code == "NOT_FOUND"
    assert ("no order 1" in result.error.message) is (broken != "_content")
    assert result.meta["http_status"] == 404
    assert ("url" in result.meta) is ("http://shop/1" in result.error.message) is (broken != "url")


@pytest.mark.parametrize("status", [402, 419, 429, 506, 509, 530, 598])
def test_a_status_means_the_same_in_a_response_and_in_data(call, web, status):
    """An answer that was parsed before it was returned is mapped by the same table."""
    httpx = pytest.importorskip("httpx")

    returned = call(lambda: httpx.get(f"{web}/status/{status}")).error
    reported = call(lambda: {"error": {"code": status, "message": "no"}}).error

    assert (reported.code, reported.sub_code) == (returned.code, returned.sub_code)


def _told(error):
    return (error.code, error.retryable, error.recovery, error.sub_code, error.retry_after_s)


@pytest.mark.parametrize("library", ["httpx", "requests"])
def test_every_status_means_the_same_returned_and_raised(call, web, library):
    """All of 400 to 599: code, retry, recovery and detail are alike."""
    module = pytest.importorskip(library)
    client = module.Client() if library == "httpx" else module.Session()

    for status in range(400, 600):
        url = f"{web}/status/{status}"
        returned = call(lambda u=url: client.get(u)).error
        raised = call(lambda u=url: client.get(u).raise_for_status()).error

        assert _told(returned) == _told(raised)
        assert returned.code != "INTERNAL" or status >= 500
        assert f"no {status} today" in returned.message
        assert f"no {status} today" in raised.message
    client.close()


def test_a_url_is_redacted(call, web):
    """Credentials and keys in the address stay out of meta and message."""
    httpx = pytest.importorskip("httpx")
    secret = "hush" + "hush123"
    url = web.replace("//", f"//me:{secret}@") + f"/orders?api_key={secret}&page=2"

    for path in (url, url.replace("/orders", "/status/403")):
        assert secret not in call(lambda p=path: httpx.get(p)).to_prompt()


@pytest.mark.parametrize("library", ["httpx", "requests", "urllib"])
def test_a_huge_stream_is_read_up_to_a_limit(call, web, library):
    """A gigabyte is not held in memory; the result says that there is more."""
    module = pytest.importorskip(library)

    def stream():
        if library == "httpx":
            client = module.Client()
            return client.send(client.build_request("GET", f"{web}/huge"), stream=True)
        return (
            module.get(f"{web}/huge", stream=True)
            if library == "requests"
            else urllib.request.urlopen(f"{web}/huge")
        )

    result = call(stream)

    assert result.status == "partial"
    assert any("there is more" in warning for warning in result.meta["warnings"])


async def test_an_unread_async_stream_is_awaited(acall, web):
    """The client is still open, the body is not read yet."""
    httpx, aiohttp = pytest.importorskip("httpx"), pytest.importorskip("aiohttp")
    async with httpx.AsyncClient() as client, aiohttp.ClientSession() as session:
        of_httpx = await acall(lambda: client.send(client.build_request("GET", f"{web}/orders"), stream=True))
        of_aiohttp = await acall(lambda: session.get(f"{web}/orders"), run_in_thread=False)

    assert of_httpx.data == of_aiohttp.data == [{"id": 1, "city": "Rome"}]


async def test_a_body_that_was_closed_says_what_to_return(acall, web):
    """Returned out of its `with` block, unread."""
    httpx, aiohttp = pytest.importorskip("httpx"), pytest.importorskip("aiohttp")

    def closed_stream():
        with httpx.stream("GET", f"{web}/orders") as response:
            return response

    async def released():
        async with aiohttp.ClientSession() as session, session.get(f"{web}/huge") as response:
            return response

    for function in (closed_stream, released):
        error = (await acall(function)).error

        assert (error.code, error.retryable) == ("INTERNAL", False)
        assert "`with` block" in error.message


def test_a_consumed_stream_says_what_to_return(call, web):
    """Read chunk by chunk before, so nothing is left."""
    requests = pytest.importorskip("requests")

    def consumed():
        response = requests.get(f"{web}/orders", stream=True)
        list(response.iter_content(10))
        return response

    assert "consumed" in call(consumed).error.message


def test_an_async_response_in_sync_code_says_how_to_call(call, web):
    """There is no event loop to read it with."""
    httpx = pytest.importorskip("httpx")

    class Body(httpx.AsyncByteStream):
        """A body that only async code can read."""

        async def __aiter__(self):
            yield b"x"

    assert "ainvoke" in call(lambda: httpx.Response(200, stream=Body())).error.message


def test_a_failed_response_is_retried(web, call):
    """A 503 that was returned counts as much as one that was raised."""
    httpx = pytest.importorskip("httpx")
    pages = iter(["/status/503", "/orders"])

    def flaky():
        return httpx.get(web + next(pages))

    result = call(flaky, retries=1)

    assert (result.status, result.meta["attempts"]) == ("success", 2)


def test_responses_inside_data_are_read_one_by_one(call, web):
    """Of several that were fetched, one that failed is data with its status."""
    httpx = pytest.importorskip("httpx")

    good, bad = call(lambda: [httpx.get(web + path) for path in ("/orders", "/status/404")]).data

    assert good == [{"id": 1, "city": "Rome"}]
    assert (bad["http_status"], bad["error"]["message"]) == (404, "HTTP 404: no 404 today")


def test_a_redirect_of_an_action_may_have_worked(call, web):
    """A form that was posted is often answered by one."""
    httpx = pytest.importorskip("httpx")

    error = call(lambda: httpx.get(f"{web}/moved"), kind="action").error

    assert (error.retryable, error.outcome) == (False, "unknown")
