"""What a real call leaves in the log: its level, sizes, causes, tries and hashes."""

from __future__ import annotations

import asyncio
import hashlib
import json

import jsonschema
import pytest

from agent_tools import Batch, Unavailable, tool
from agent_tools.record import make_schema
from agent_tools.tokens import count


@tool
def search(pattern: str) -> list[str]:
    try:
        raise FileNotFoundError(2, "No such file or directory", "/data/index")
    except OSError as error:
        raise LookupError("index unavailable") from error


@tool(max_tokens=200)
def list_rows() -> list[dict[str, int]]:
    return [{"id": n, "square": n * n} for n in range(1000)]


@tool
def get_batch() -> Batch[int]:
    return Batch.of(["1", "x"], int)


@tool
def cancel() -> None:
    raise asyncio.CancelledError


CALLS = {
    "success": (tool(lambda: {"id": 7}, name="get"), "info"),
    "empty": (tool(lambda: None, name="get"), "info"),
    "partial, cut": (list_rows, "info"),
    "partial, failed": (get_batch, "warning"),
    "error": (tool(lambda: 1 / 0, name="get"), "error"),
}


@pytest.mark.parametrize(("call", "level"), CALLS.values(), ids=CALLS)
def test_the_level_tells_failures_from_cuts(read_log, call, level):
    """A result that is only cut is what was asked for; every row passes the schema."""
    call()
    row = read_log()[-1]

    assert row["level"] == level
    jsonschema.validate(row, make_schema())


def test_a_cancelled_call_is_a_warning(read_log):
    """Nobody's fault, and nothing came back."""
    with pytest.raises(asyncio.CancelledError):
        cancel()

    row = read_log()[-1]
    assert (row["level"], row["error_class"]) == ("warning", "asyncio.exceptions.CancelledError")


def test_the_causes_of_a_failure_are_named(read_log):
    """The exception that was raised, and those behind it."""
    search("x")

    row = read_log()[-1]
    assert (row["error_class"], row["error_causes"]) == ("LookupError", ["FileNotFoundError"])


def test_the_codes_of_failed_tries_are_kept(read_log):
    """A call that worked at last tells what went wrong before."""
    left = [Unavailable("restarting", retry_after_s=0.001), ConnectionResetError("gone")]

    @tool(retries=3)
    def get_flaky() -> int:
        if left:
            raise left.pop(0)
        return 7

    get_flaky()

    assert read_log()[-1]["attempt_errors"] == ["UNAVAILABLE", "UNAVAILABLE"]


def test_a_cut_result_tells_its_whole_size(read_log):
    """Estimated from a sample, within a fifth of the count of the whole."""
    result = list_rows()
    row = read_log()[-1]

    whole = [{"id": n, "square": n * n} for n in range(1000)]

    counted = count(json.dumps(whole, separators=(",", ":")))
    assert result.status == "partial"
    assert 0.4 * counted < row["tokens_full"] < 1.6 * counted


def test_a_whole_result_tells_its_bytes(read_log):
    """Of the data alone, as compact JSON."""
    tool(lambda: {"city": "Zürich"}, name="get")()

    assert read_log()[-1]["result_bytes"] == len('{"city":"Zürich"}'.encode())


@pytest.mark.parametrize("log", ["preview", "none"])
def test_the_hash_is_of_the_whole_prompt(read_log, log):
    """So that a reader knows that the log does not hold all of it, and can compare."""
    result = tool(lambda: "word " * 900, name="get", log=log)()
    row = read_log()[-1]

    assert row["prompt_sha256"] == hashlib.sha256(result.to_prompt().encode()).hexdigest()
    assert row["encoding"] == "o200k_base"


def test_a_prompt_that_stands_there_whole_needs_no_hash(read_log):
    """A reader can take it, and a small call is quicker."""
    result = tool(lambda: "word " * 900, name="get")()
    row = read_log()[-1]

    assert row["prompt"] == result.to_prompt()
    assert "prompt_sha256" not in row


def test_hidden_values_of_a_result_are_counted(read_log):
    """The paths of hidden arguments, the number of hidden values of the result."""

    @tool
    def sign_in(password: str) -> dict[str, str]:
        return {"password": password, "pin": "ok"}

    sign_in("correct horse battery")
    row = read_log()[-1]

    assert (row["redacted"], row["redactions"]) == (["$.password"], 1)


def test_shapes_have_no_size(read_log):
    """What stands there is not the arguments, and nothing must take it for them."""
    tool(lambda city: 1, name="get", log_arguments="shape")("Rome")

    row = read_log()[-1]
    assert row["arguments"] == {"city": "str(4)"}
    assert "arguments_bytes" not in row


def test_no_content_means_no_summary_of_it_either(read_log):
    """The built summary has values of the data in it: the smallest, the largest, the most frequent."""

    @tool(max_tokens=200, log="none")
    def find_orders():
        return [{"id": n, "city": "Rome", "total": n * 7} for n in range(200)]

    find_orders()

    (row,) = read_log()
    assert (row["result_total"], row["truncated"]) == (200, True)
    assert "result_summary" not in row
    assert "Rome" not in str(row)
