"""Failures that services hand back as data, and the codes that they carry."""

from __future__ import annotations

import pytest

from agent_tools import tool
from agent_tools.stages.outcome import make_outcome

# what a service answers, the code that it carries, a part of its text
GOOGLE = {
    "error": {
        "code": 404,
        "message": "Requested entity was not found.",
        "errors": [{"message": "Requested entity was not found.", "domain": "global", "reason": "notFound"}],
        "status": "NOT_FOUND",
    }
}
GOOGLE_QUOTA = {
    "error": {
        "code": 429,
        "message": "Quota exceeded",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3.5s"}],
    }
}
STRIPE = {
    "error": {
        "code": "card_declined",
        "decline_code": "insufficient_funds",
        "message": "Your card has insufficient funds.",
        "param": "number",
        "type": "card_error",
    }
}
ELASTIC = {
    "error": {
        "root_cause": [{"type": "index_not_found_exception", "reason": "no such index [foo]"}],
        "type": "index_not_found_exception",
        "reason": "no such index [foo]",
    },
    "status": 404,
}
PROBLEM = {
    "type": "https://example.com/probs/out-of-credit",
    "title": "You do not have enough credit.",
    "detail": "Your current balance is 30, but that costs 50.",
    "instance": "/account/12345/msgs/abc",
    "balance": 30,
    "status": 403,
}
ASPNET = {
    "type": "https://tools.ietf.org/html/rfc9110#section-15.5.1",
    "title": "One or more validation errors occurred.",
    "status": 400,
    "errors": {"Name": ["The Name field is required."]},
    "traceId": "00-84c1fd4063c38d9f3900d06e56542d48-85d1d4-00",
}
SPRING = {"timestamp": "2024-01-01T00:00:00Z", "status": 404, "error": "Not Found", "path": "/orders/9"}
NEST = {
    "statusCode": 400,
    "message": ["name must be a string", "age must be a number"],
    "error": "Bad Request",
}
AWS_JSON = {
    "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
    "message": "no such table",
}
BOTO = {
    "Error": {"Code": "NoSuchKey", "Message": "The specified key does not exist."},
    "ResponseMetadata": {"HTTPStatusCode": 404},
}
LAMBDA = {"errorMessage": "division by zero", "errorType": "ZeroDivisionError", "stackTrace": ["  File ..."]}
FHIR = {
    "resourceType": "OperationOutcome",
    "issue": [{"severity": "error", "code": "not-found", "diagnostics": "Patient/9 is not known"}],
}
CLOUDFLARE = {
    "success": False,
    "errors": [{"code": 7003, "message": "Could not route to /zones/x"}],
    "messages": [],
    "result": None,
}
MCP = {"content": [{"type": "text", "text": "Unknown tool: x"}], "isError": True}
ANTHROPIC = {
    "type": "error",
    "error": {"type": "overloaded_error", "message": "Overloaded"},
    "request_id": "req_1",
}
OPENAI = {
    "error": {
        "message": "Incorrect API key provided",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }
}
OPENAI_QUOTA = {
    "error": {
        "message": "You exceeded your quota",
        "type": "insufficient_quota",
        "code": "insufficient_quota",
    }
}
NOTION = {"object": "error", "status": 404, "code": "object_not_found", "message": "Could not find page."}
GRAPHQL = {
    "data": None,
    "errors": [{"message": "Not authorised", "path": ["me"], "extensions": {"code": "UNAUTHENTICATED"}}],
}
GITHUB_GRAPHQL = {
    "data": {"repository": None},
    "errors": [{"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve to a Repository"}],
}
SHOPIFY = {
    "data": {
        "productCreate": {
            "product": None,
            "userErrors": [{"field": ["title"], "message": "Title can't be blank"}],
        }
    }
}
JSON_API = {"errors": [{"status": "422", "title": "Invalid Attribute", "detail": "First name is too short."}]}
GITHUB = {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}
GITHUB_FIELDS = {
    "message": "Validation Failed",
    "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}],
    "documentation_url": "https://docs.github.com/rest",
}
TWILIO = {
    "code": 20404,
    "message": "Not found",
    "more_info": "https://www.twilio.com/docs/errors/20404",
    "status": 404,
}
DISCORD = {"message": "You are being rate limited.", "retry_after": 64.57, "global": False}
TELEGRAM = {
    "ok": False,
    "error_code": 429,
    "description": "Too Many Requests: retry after 35",
    "parameters": {"retry_after": 35},
}
MEILI = {
    "message": "Index `x` not found.",
    "code": "index_not_found",
    "type": "invalid_request",
    "link": "https://docs.meilisearch.com/errors#index_not_found",
}
FASTAPI = {
    "detail": [
        {"loc": ["query", "limit"], "msg": "value is not a valid integer", "type": "type_error.integer"}
    ]
}
MONGO = {"ok": 0.0, "errmsg": "ns not found", "code": 26, "codeName": "NamespaceNotFound"}
AZURE = {
    "error": {
        "code": "ResourceNotFound",
        "message": "The Resource was not found.",
        "innererror": {"code": "x"},
    }
}

TOOL = "TOOL_REPORTED_ERROR"
REPORTED = [
    ({"error": "boom"}, TOOL, "boom"),
    ({"error": "boom", "results": []}, TOOL, "boom"),
    ({"error": {"message": "boom"}}, TOOL, "boom"),
    ({"error": True, "message": "boom"}, TOOL, "boom"),
    ({"error": "Timeout error...", "response": ""}, TOOL, "Timeout error"),
    ({"Error": "Movie not found!", "Response": "False"}, TOOL, "Movie not found!"),
    ({"Error Message": "Invalid API call."}, TOOL, "Invalid API call."),
    ({"error": "DB_TIMEOUT", "message": "no answer"}, "DB_TIMEOUT", "no answer"),
    ({"error": "invalid_grant", "error_description": "Token expired"}, "INVALID_GRANT", "Token expired"),
    ({"error": "not_found", "reason": "missing"}, "NOT_FOUND", "missing"),
    ({"error": "RecordNotFound", "description": "Not found"}, "RECORD_NOT_FOUND", "Not found"),
    ({"ok": False, "error": "channel_not_found"}, "CHANNEL_NOT_FOUND", "channel_not_found"),
    ({"success": False}, TOOL, ""),
    ({"success": False, "message": "no"}, TOOL, "The tool reported a failure."),
    ({"success": "false", "message": "sold out"}, TOOL, "sold out"),
    ({"ok": False, "reason": "sold out"}, TOOL, "sold out"),
    (
        {"status": False, "message": [{"checkin": "must be in the future"}]},
        TOOL,
        "in the future",
    ),
    ({"login_status": False, "message": "User ID not found."}, TOOL, "User ID not found."),
    ({"deleted": False, "message": "no such record"}, TOOL, "no such record"),
    ({"status": "error"}, TOOL, ""),
    ({"status": "error", "message": "down"}, TOOL, "down"),
    ({"status": "error", "error": {"code": 7}, "data": None}, TOOL, "7"),
    (
        {"status": "fail", "data": {"title": "A title is required"}},
        TOOL,
        "A title is required",
    ),
    ({"status": "failed", "reason": "card declined"}, TOOL, "card declined"),
    ({"status": "error", "code": "apiKeyMissing", "message": "No key"}, "API_KEY_MISSING", "No key"),
    (
        {"status": "error", "errorType": "bad_data", "error": "parse error"},
        TOOL,
        "parse error",
    ),
    ({"result": "error", "error-type": "unsupported-code"}, TOOL, ""),
    ({"status": "REQUEST_DENIED", "error_message": "bad key", "results": []}, "REQUEST_DENIED", "bad key"),
    ({"status": {"error": "no such collection"}, "time": 0.1}, TOOL, "no such collection"),
    (
        {"chart": {"result": None, "error": {"code": "Not Found", "description": "delisted"}}},
        TOOL,
        "delisted",
    ),
    ({"error": True}, TOOL, "The tool reported a failure."),
    ({"error": {"email": ["is invalid"]}}, TOOL, "email: is invalid"),
    ({"result": {"error": "boom"}}, TOOL, "boom"),
    ({"result": "Error: user not found"}, TOOL, "user not found"),
    ({"data": {"success": False, "message": "quota"}}, TOOL, "quota"),
    ({"cod": "404", "message": "city not found"}, "NOT_FOUND", "city not found"),
    ({"code": 40001, "msg": "bad token", "data": None}, TOOL, "bad token"),
    ({"code": 500, "message": "broken", "data": None}, "INTERNAL", "broken"),
    ({"errcode": 40013, "errmsg": "invalid appid"}, TOOL, "invalid appid"),
    ({"code": 5, "message": "no such row", "details": []}, "NOT_FOUND", "no such row"),
    ({"code": "ENOENT", "message": "no such file"}, "NOT_FOUND", "no such file"),
    ({"message": "Forbidden"}, "PERMISSION_DENIED", "Forbidden"),
    ({"detail": "Not found."}, "NOT_FOUND", "Not found."),
    ({"errors": "Not Found"}, TOOL, "Not Found"),
    ({"errors": {"name": ["can't be blank"]}}, TOOL, "can't be blank"),
    (
        {"errorMessages": ["Issue does not exist"], "errors": {}},
        TOOL,
        "Issue does not exist",
    ),
    ({"statusCode": 502, "body": "upstream gone"}, "UNAVAILABLE", "upstream gone"),
    (
        {"error": {"code": 1006, "message": "No matching location found."}},
        TOOL,
        "No matching",
    ),
    (
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
        "UNIMPLEMENTED",
        "Method",
    ),
    (
        {"stdout": "", "stderr": "ls: no such file\n", "exit_code": 2},
        "EXECUTION_ERROR",
        "exit code 2: ls: no such",
    ),
    (
        [{"message": "row is locked", "errorCode": "UNABLE_TO_LOCK_ROW"}],
        "UNABLE_TO_LOCK_ROW",
        "row is locked",
    ),
    (ValueError("boom"), TOOL, "ValueError: boom"),
    (GOOGLE, "NOT_FOUND", "Requested entity"),
    (GOOGLE_QUOTA, "RESOURCE_EXHAUSTED", "Quota exceeded"),
    (STRIPE, "CARD_DECLINED", "insufficient funds"),
    (ELASTIC, "NOT_FOUND", "no such index [foo]"),
    (PROBLEM, "PERMISSION_DENIED", "You do not have enough credit."),
    (ASPNET, "INVALID_ARGUMENT", "validation errors"),
    (SPRING, "NOT_FOUND", "Not Found"),
    (NEST, "INVALID_ARGUMENT", "name must be a string"),
    (AWS_JSON, "NOT_FOUND", "no such table"),
    (BOTO, "NOT_FOUND", "does not exist"),
    (LAMBDA, TOOL, "division by zero"),
    (FHIR, "NOT_FOUND", "Patient/9"),
    (CLOUDFLARE, TOOL, "Could not route"),
    (MCP, TOOL, "Unknown tool"),
    (ANTHROPIC, "UNAVAILABLE", "Overloaded"),
    (OPENAI, "INVALID_ARGUMENT", "Incorrect API key"),
    (OPENAI_QUOTA, "INSUFFICIENT_QUOTA", "quota"),
    (NOTION, "OBJECT_NOT_FOUND", "Could not find page."),
    (GRAPHQL, "UNAUTHENTICATED", "Not authorised"),
    (GITHUB_GRAPHQL, "NOT_FOUND", "Could not resolve"),
    (SHOPIFY, TOOL, "blank"),
    (JSON_API, "INVALID_ARGUMENT", "First name is too short."),
    (GITHUB, "NOT_FOUND", "Not Found"),
    (GITHUB_FIELDS, TOOL, "Validation Failed"),
    (TWILIO, "NOT_FOUND", "Not found"),
    (DISCORD, "RESOURCE_EXHAUSTED", "rate limited"),
    (TELEGRAM, "RESOURCE_EXHAUSTED", "Too Many Requests"),
    (MEILI, "INDEX_NOT_FOUND", "Index `x` not found."),
    (FASTAPI, "INVALID_ARGUMENT", "query.limit: value is not"),
    (MONGO, "NAMESPACE_NOT_FOUND", "ns not found"),
    (AZURE, "NOT_FOUND", "The Resource was not found."),
]


@pytest.mark.parametrize(("value", "code", "text"), REPORTED, ids=lambda v: str(v)[:50])
def test_a_failure_in_data_is_an_error(query, value, code, text):
    """The status is error, with the code that the data carries and its own words."""
    outcome = query(value)

    assert outcome.status == "error"
    assert outcome.error.code == code
    assert text in outcome.error.message


DATA = [
    {"error": None, "rows": [1]},
    {"error": "", "response": "fine"},
    {"error": "none", "value": 3},
    {"errors": [], "value": 3},
    {"error": False, "value": 3},
    {"error": 0, "value": 3},
    {"error": 0.03, "mean": 3.2},
    {"error": {"plus": 0.1, "minus": 0.2}, "mean": 3.2},
    {"error": {"code": "ok", "message": ""}, "data": {"videos": [1]}},
    {"errcode": 0, "errmsg": "ok", "access": 1},
    {"errno": 0, "errmsg": "request done", "rows": [1]},
    {"code": 0, "msg": "success", "data": {"a": 1}},
    {"code": 200, "message": "OK", "data": [1]},
    {"code": 482913, "message": "Your verification code"},
    {"code": "SAVE10", "message": "10% off"},
    {"error_count": 3, "errors": 3},
    {"errors": 0, "failed": 0, "passed": 12},
    {"valid": False, "errors": ["name is missing"]},
    {"valid": False, "message": "name is missing"},
    {"file": "a.py", "errors": [{"line": 3, "message": "E501 line too long"}]},
    {"errors": [{"line": 3, "column": 1, "message": "E501 line too long"}], "warnings": []},
    {"passed": 10, "failed": 2, "errors": ["test_x raised ValueError"]},
    {"logged_in": False},
    {"authentication_status": False},
    {"status": False},
    {"canDrive": False},
    {"available": False, "message": "out of stock"},
    {"id": 7, "deleted": False, "message": "hello"},
    {"sent": False, "to": "bob", "message": "Hi Bob"},
    {"status": "failed"},
    {"id": "job_1", "name": "nightly", "status": "failed", "started_at": "2024-01-01"},
    {"id": 17, "name": "nightly", "started_at": "2024-01-01", "duration": 3, "error": "disk full"},
    {"id": 4, "name": "CRS-7", "success": False, "rocket": "F9", "details": "Engine failure"},
    {"id": "s1", "name": "sensor 1", "status": "error", "last_seen": "now", "room": 4},
    {"timestamp": "2024-01-01", "level": "error", "error": "disk full", "host": "a"},
    {"url": "https://example.com/x", "status": 404},
    {"url": "https://example.com/x", "status_code": 404, "checked_at": "now"},
    {"ts": "now", "method": "GET", "path": "/a", "status": 500, "message": "GET /a", "host": "b"},
    {"title": "Fix the 404 error", "body": "Error: user not found", "state": "open", "number": 4},
    {"title": "Error handling", "text": "An exception is an error.", "url": "https://example.com"},
    {"matching_lines": ["app.log: Error: disk full", "Traceback (most recent call last):"]},
    {"last_lines": "This is a log. Error: something went wrong. Done."},
    {"file_content": "Error: this is what the file says"},
    {"content": "Error: this is what the file says"},
    {"diff": "- raise ValueError\n+ return {'error': 'boom'}"},
    {"results": [{"url": "https://example.com", "error": None}], "failed": 0, "status": "error_free"},
    {"results": [{"id": 1, "error": "boom"}, {"id": 2, "error": None}]},
    {"done": ["a", "b"], "failures": [{"id": "c", "error": "HTTP 404: Not Found"}]},
    {"error_rate": 0.2, "requests": 100},
    {"success": True, "message": "Error log cleared"},
    {"status": "ok", "message": "0 errors"},
    {"ok": 0, "failed": 3},
    {"stdout": "", "stderr": "warning: old", "exit_code": 0},
    {"stdout": "", "exit_code": 0, "stderr": ""},
    {"name": "errors", "description": "how to handle them"},
    {"level": "warning", "message": "disk is nearly full", "timestamp": "now"},
    {"data": {"success": True}},
    {"jsonrpc": "2.0", "id": 1, "result": {"ok": True}},
    {"content": [{"type": "text", "text": "Found 2 errors in the log"}], "isError": False},
    {"resourceType": "OperationOutcome", "issue": [{"severity": "information", "diagnostics": "All OK"}]},
    [{"error": "boom"}, {"error": None}],
    [{"message": "commit: fix error", "sha": "abc"}],
    {"type": "error", "message": "disk full", "service": "db", "count": 3},
    {"message": "hello"},
    {"error": {"type": "string", "description": "what went wrong"}, "rows": {"type": "array"}},
    {"error": {"shape": "ErrorDetail", "documentation": "What went wrong."}},
    {"payment": {"id": "p_1", "status": "failed", "error": "card declined"}},
    {"exception": True, "type": "structure", "documentation": "An internal error."},
    {"conditions": [1], "name": "rule", "id": 4, "error": "FIPS is not supported"},
    {"detail": "A long description of the room."},
    {"status": "Ticket 7423 has been resolved successfully."},
]


@pytest.mark.parametrize("value", DATA, ids=lambda v: str(v)[:60])
def test_data_that_mentions_errors_is_a_success(query, value):
    """A log, a document, a record, a report or a value that says False is data; the value is untouched."""
    outcome = query(value)

    assert outcome.status == "success"
    assert outcome.error is None
    assert outcome.value is value


@pytest.mark.parametrize("code", [[], {}, [400], None, 7.5], ids=repr)
def test_a_code_of_any_type_does_not_break_the_look_at_it(code):
    """A list under `code` is no code, and no reason to fail."""
    outcome = make_outcome(kind="query", empty=None, error_as_data="detect")({"CODE": code, "ERRMSG": "no"})

    assert outcome.status in ("success", "error")


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ({"message": "Not Found", "error": 404}, "NOT_FOUND", "Not Found"),
        ({"error": 503}, "UNAVAILABLE", "503"),
        (
            {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no cluster c1"},
            "RESOURCE_DOES_NOT_EXIST",
            "no cluster c1",
        ),
        (
            {"results": [], "error": {"name": "NameError", "value": "no df", "traceback": "..."}},
            "TOOL_REPORTED_ERROR",
            "NameError: no df",
        ),
        (
            {"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": ["..."]},
            "TOOL_REPORTED_ERROR",
            "KeyError: 'a'",
        ),
        (
            {"fault": {"faultstring": "Quota violated", "detail": {"errorcode": "policies.quota"}}},
            "TOOL_REPORTED_ERROR",
            "Quota violated",
        ),
        (
            {"odata.error": {"code": "Gone", "message": {"lang": "en", "value": "No such entity"}}},
            "GONE",
            "No such entity",
        ),
    ],
    ids=str,
)
def test_the_plainest_words_and_code_of_a_failure_are_told(query, value, code, message):
    """An exception by its type and text, a text without its language, a status under `error`."""
    error = query(value).error

    assert (error.code, error.message) == (code, message)


@pytest.mark.parametrize(
    ("status", "retryable", "recovery", "outcome"),
    [
        (429, True, "retry", "not_applied"),
        (402, False, "ask_user", "not_applied"),
        (409, False, "report", "not_applied"),
        (507, False, "ask_user", "unknown"),
        (400, False, "fix_arguments", "not_applied"),
        (504, False, "check_first", "unknown"),
        (500, False, "check_first", "unknown"),
    ],
)
def test_a_status_in_data_means_for_an_action_what_it_means_when_it_is_raised(
    status, retryable, recovery, outcome
):
    """What was refused at the door may be sent again; what was lost on the way is looked at first."""
    told = tool(lambda: {"error": {"code": status, "message": "no"}}, name="send_mail")().error

    assert (told.retryable, told.recovery, told.outcome) == (retryable, recovery, outcome)
    assert (told.hint is not None and "check before" in told.hint) == (recovery == "check_first")
