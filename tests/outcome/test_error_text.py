"""Texts that are a failure, whole, and texts that mention one."""

from __future__ import annotations

import traceback

import pytest

FAILURES = [
    "Error: user not found",
    "Error: user not found\n",
    "error: pathspec 'x' did not match any file(s) known to git",
    'ERROR: relation "users" does not exist',
    "**Error:** user not found",
    "❌ Error: user not found",
    "Error executing tool get_user: 'NoneType' object is not subscriptable",
    "Error executing query",
    "Error while fetching page: timed out",
    "Error fetching https://example.com: 404",
    "Error (404): no such page",
    "Error code: 404 - {'error': {'message': 'no such model'}}",
    "ERROR 1064 (42000): You have an error in your SQL syntax",
    "fatal: not a git repository (or any of the parent directories): .git",
    "Failed to delete file: permission denied",
    "An error occurred while reading the page",
    "An unexpected error occurred.",
    "ValueError: invalid literal for int() with base 10: 'x'",
    "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: https://example.com",
    "404 Client Error: Not Found for url: https://example.com",
    "HTTP 404: Not Found",
    "HTTP 503 Service Unavailable",
    "500 Internal Server Error",
    "Exception: boom",
    "<error>user not found</error>",
    "<tool_use_error>File has not been read yet.</tool_use_error>",
    "Tool error: no such tool",
    "Error: 404",
    "Error connecting to the model: connection refused",
    "Error ingesting customer data: no such table",
    "Error during execution: boom",
    "Error in check_installation: boom",
    "The following error occurred: no such column: address",
    "An error occurred while running the tool. Please try again. Error: boom",
    "Failed to execute. Error: NameError('x')",
]


@pytest.mark.parametrize("text", FAILURES)
def test_a_text_that_is_a_failure_is_an_error(query, text):
    """One line that begins as a failure does."""
    outcome = query(text)

    assert outcome.status == "error"
    assert outcome.error.message in text
    assert outcome.value is None


@pytest.mark.parametrize(
    ("text", "code", "transient"),
    [
        ("HTTP 404: Not Found", "NOT_FOUND", False),
        ("HTTP 503 Service Unavailable", "UNAVAILABLE", True),
        ("Error code: 429 - too many", "RESOURCE_EXHAUSTED", True),
        ("Error: user not found", "TOOL_REPORTED_ERROR", False),
    ],
)
def test_an_http_status_in_a_failure_gives_its_code(query, text, code, transient):
    """The number gives the code; the words never do."""
    error = query(text).error

    assert (error.code, error.transient) == (code, transient)


def _raise(depth: int) -> None:
    if depth:
        _raise(depth - 1)
    try:
        raise KeyError("a")
    except KeyError as error:
        raise ValueError("bad\nsecond line") from error


def _traceback(group: bool = False) -> str:
    try:
        if group:
            raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
        _raise(2)
    except Exception:
        return traceback.format_exc()
    return ""


@pytest.mark.parametrize(
    "text",
    [_traceback(), _traceback(group=True), "Error: it broke\n" + _traceback()],
    ids=["plain", "group", "after a line"],
)
def test_a_traceback_is_an_error(query, text):
    """A whole traceback, alone or after the line that says so, is a failure; its last line is the message."""
    outcome = query(text)

    assert outcome.status == "error"
    assert "\n" not in outcome.error.message
    assert outcome.error.message.startswith(("ValueError", "ExceptionGroup"))


@pytest.mark.parametrize(
    "text",
    [
        "Error invoking tool 'x' with kwargs {} with error:\n boom\n Please fix the error and try again.",
        "Error: ValueError('x')\n Please fix your mistakes.",
        'Execution failed. Traceback:\n  File "<python-input>", line 1, in <module>\nException: 401:\n{}',
    ],
    ids=["langgraph", "langgraph, older", "sandbox"],
)
def test_a_frameworks_own_error_text_is_an_error(query, text):
    """The templates in which agent frameworks and sandboxes wrap an exception."""
    assert query(text).status == "error"


MENTIONS = [
    "Error: disk failed at 10:02\nTimeoutError 404 Not Found\nTraceback (most recent call last):",
    "Errors: 0\nFailed: 0",
    "Errors: 0",
    "Error: 0",
    "Error: none",
    "Error: 0.03",
    "Error: 5 %",
    "Error rate: 5 %",
    "Error handling in Python is done by exceptions.",
    "Error handling in Python: a guide",
    "Error handling: a guide",
    "Error in judgement: a novel",
    "Errors and exceptions: chapter 8",
    "No errors found.",
    "No results found.",
    "The page says: Error: user not found",
    "2024-01-01 10:00:00 ERROR disk failed",
    "[ERROR] disk failed",
    "INFO ok\nERROR disk failed\nINFO ok",
    "HTTP 404 is the status for a page that does not exist.",
    "404 hotels found",
    "500 Startups is an investor.",
    "Failed to login on iOS is the most common ticket.",
    "Failed",
    "TypeError is raised when a type is wrong.",
    "ValueError",
    "Error: " + "long text " * 60,
    "# Errors\n\nError: this section lists them.",
    "diff --git a/x b/x\n-Error: old\n+Error: new",
    "<html><title>Error: 404</title></html>",
    "<errors>0</errors>",
    "Fatal accidents: 3",
    "fatal: ",
    "An error occurred\nin the past\nand was fixed",
    "Traceback (most recent call last):",
    "Traceback (most recent call last):\n  File 'x', line 1\nValueError: bad\n2024-01-01 INFO again\n",
    "In the log:\nTraceback (most recent call last):\n  File 'x', line 1\nValueError: bad",
    "How to read this: Traceback (most recent call last): is the first line.",
    "Success: error log cleared",
    "Exception handling",
]


@pytest.mark.parametrize("text", MENTIONS, ids=lambda text: text[:40])
def test_a_text_that_mentions_a_failure_is_a_success(query, text):
    """A log, a document, a report, a measurement and a diff are data."""
    outcome = query(text)

    assert outcome.status == "success"
    assert outcome.value is text


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            "<Error><Code>NoSuchKey</Code><Message>The key &quot;a&quot; is gone.</Message></Error>",
            "NOT_FOUND",
            'The key "a" is gone.',
        ),
        (
            "<s:Envelope><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>Bad no.</faultstring>"
            "</s:Fault></s:Body></s:Envelope>",
            "TOOL_REPORTED_ERROR",
            "Bad no.",
        ),
        ("Error: boom\n    at run (/a.js:1:7)\n    at /a.js:9:1", "TOOL_REPORTED_ERROR", "Error: boom"),
        (
            "panic: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:6 +0x1d",
            "TOOL_REPORTED_ERROR",
            "panic: index out of range",
        ),
    ],
)
def test_a_document_or_a_trace_that_is_a_failure_is_told_by_its_words(query, text, code, message):
    """Not by its markup, nor by its frames."""
    error = query(text).error

    assert (error.code, error.message) == (code, message)


def test_a_long_log_with_a_trace_in_it_is_data(query):
    """The whole text has to be the trace."""
    frames = "    at run (/a.js:1:7)\n" * 400

    assert query(f"Error: boom\n{frames}").status == "error"
    assert query(f"Error: boom\n{frames}restarted after 3 s\n").status == "success"
    assert query(f"started\nError: boom\n{frames}").status == "success"
