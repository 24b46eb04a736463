"""Read the code out of a failure that came as data: a part of `outcome`.

In:   the places where APIs put a code: `error.code`, `error.status`, `code`, `errorCode`, an HTTP status,
      a JSON-RPC number, a google.rpc number, a provider's type name.
Out:  a code in UPPER_SNAKE, the detail beside it, and whether it is transient. No words in a message decide.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agent_tools.errors import TRANSIENT_CODES, ErrorCode
from agent_tools.stages.error_numbers import HTTP
from agent_tools.stages.error_statuses import row_of_status
from agent_tools.stages.outcome_keys import CODE_KEYS, word_set, words
from agent_tools.stages.outcome_replies import Reply


@dataclass(frozen=True, slots=True)
class Reported:
    """A failure that a tool handed back as data.

    Attributes:
        code: The code in the data in UPPER_SNAKE, else `TOOL_REPORTED_ERROR`.
        message: The text of the failure, raw: neither redacted nor clipped.
        sub_code: HTTP status, provider's own number or type. None when the data has none.
        transient: A later call may not meet it again, by its code.
        retry_after_s: Seconds to wait as the data says. None when it does not.
    """

    code: str
    message: str
    sub_code: str | None = None
    transient: bool = False
    retry_after_s: float | None = None


# https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto, by number
RPC_CODES = words(
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE "
    "DATA_LOSS UNAUTHENTICATED"
)
# https://www.jsonrpc.org/specification#error_object
JSONRPC_CODES = {
    -32700: ErrorCode.INVALID_ARGUMENT,
    -32600: ErrorCode.INVALID_ARGUMENT,
    -32601: ErrorCode.UNIMPLEMENTED,
    -32602: ErrorCode.INVALID_ARGUMENT,
    -32603: ErrorCode.INTERNAL,
}
# CamelCase names of AWS and Azure, errno names, and type names of the model APIs, in UPPER_SNAKE. A name that
# came in UPPER_SNAKE or lower_snake under `code` is its author's own and stays.
ALIASES = {
    name: code
    for code, names in {
        ErrorCode.NOT_FOUND: "NO_SUCH_KEY NO_SUCH_BUCKET RESOURCE_NOT_FOUND_EXCEPTION RESOURCE_NOT_FOUND "
        "NOT_FOUND_EXCEPTION NOT_FOUND_ERROR ENTITY_NOT_FOUND_EXCEPTION INDEX_NOT_FOUND_EXCEPTION ENOENT",
        ErrorCode.PERMISSION_DENIED: "ACCESS_DENIED ACCESS_DENIED_EXCEPTION UNAUTHORIZED_OPERATION "
        "AUTHORIZATION_FAILED PERMISSION_ERROR EACCES EPERM",
        ErrorCode.UNAUTHENTICATED: "AUTHENTICATION_ERROR EXPIRED_TOKEN EXPIRED_TOKEN_EXCEPTION "
        "INVALID_CLIENT_TOKEN_ID SIGNATURE_DOES_NOT_MATCH UNRECOGNIZED_CLIENT_EXCEPTION",
        ErrorCode.RESOURCE_EXHAUSTED: "THROTTLING THROTTLING_EXCEPTION THROTTLED_EXCEPTION SLOW_DOWN "
        "TOO_MANY_REQUESTS_EXCEPTION REQUEST_LIMIT_EXCEEDED PROVISIONED_THROUGHPUT_EXCEEDED_EXCEPTION "
        "RATE_LIMIT_ERROR TOO_MANY_REQUESTS",
        ErrorCode.INVALID_ARGUMENT: "VALIDATION_EXCEPTION INVALID_PARAMETER_VALUE "
        "INVALID_PARAMETER_EXCEPTION MISSING_PARAMETER VALIDATION_ERROR INVALID_REQUEST_ERROR EINVAL",
        ErrorCode.ALREADY_EXISTS: "RESOURCE_IN_USE_EXCEPTION ENTITY_ALREADY_EXISTS BUCKET_ALREADY_EXISTS "
        "EEXIST",
        ErrorCode.FAILED_PRECONDITION: "CONDITIONAL_CHECK_FAILED_EXCEPTION",
        ErrorCode.UNAVAILABLE: "SERVICE_UNAVAILABLE SERVICE_UNAVAILABLE_EXCEPTION OVERLOADED_ERROR "
        "ECONNREFUSED ECONNRESET",
        ErrorCode.DEADLINE_EXCEEDED: "REQUEST_TIMEOUT REQUEST_TIMEOUT_EXCEPTION ETIMEDOUT TIMEOUT_ERROR",
        ErrorCode.INTERNAL: "INTERNAL_SERVER_ERROR INTERNAL_FAILURE INTERNAL_ERROR API_ERROR",
    }.items()
    for name in names.split()
}
# type names of the model APIs stand under `type`, in lower_snake
TYPE_ALIASES = word_set(
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error "
    "api_error overloaded_error timeout_error"
)
# names for a passing state that are a code of their own and stay it
TRANSIENT_NAMES = TRANSIENT_CODES | word_set(
    "RATE_LIMITED RATELIMITED RATE_LIMIT RATE_LIMIT_EXCEEDED TOO_MANY_REQUESTS THROTTLED TIMEOUT "
    "REQUEST_TIMEOUT GATEWAY_TIMEOUT SERVICE_UNAVAILABLE TEMPORARILY_UNAVAILABLE OVERLOADED "
    "SERVER_OVERLOADED OVER_QUERY_LIMIT"
)
# a 429 that waiting does not cure
PERMANENT_NAMES = word_set("INSUFFICIENT_QUOTA BILLING_HARD_LIMIT_REACHED QUOTA_EXCEEDED OVER_DAILY_LIMIT")
# words that name what went wrong and no state that a thing may have, as `cancelled` or `locked`
CODE_WORDS = word_set(
    "not_found notfound permission_denied unauthenticated unauthorized forbidden invalid_argument "
    "invalid_request bad_request rate_limited too_many_requests resource_exhausted failed_precondition "
    "deadline_exceeded already_exists unprocessable_entity internal_error internal_server_error unavailable "
    "service_unavailable unimplemented not_authorized access_denied invalid_token invalid_api_key "
    "rate_limit_exceeded quota_exceeded authentication_failed authentication_error validation_error"
)
FAMILY_WORDS = frozenset(("error", "fail", "failed", "failure", "exception", "true", "false", "none", "null"))
NAMED_CODES = frozenset(ErrorCode) | ALIASES.keys() | frozenset(errno.errorcode.values())

_CODE_SHAPE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._/:-][A-Za-z0-9]+)*\Z")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+\Z|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_CAMEL = re.compile(r"[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\Z")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:s|sec|secs|seconds?)?\s*\Z")


def upper_snake(text: str) -> str | None:
    """Return a code-like text in UPPER_SNAKE, None for one that is no code.

    Example:
        >>> upper_snake("apiKeyMissing"), upper_snake("auth/user-not-found"), upper_snake("not a code")
        ('API_KEY_MISSING', 'AUTH_USER_NOT_FOUND', None)
    """
    text = text.strip().rpartition("#")[2]  # AWS: "com.amazonaws.dynamodb#ThrottlingException"
    if len(text) > 64 or not _CODE_SHAPE.match(text) or text.lower() in FAMILY_WORDS:
        return None
    return re.sub(r"[._/:-]", "_", _HUMPS.sub("_", text)).upper()


def is_code_like(text: str) -> bool:
    """Say whether a text under `error` is a code and no sentence: `channel_not_found`, `RecordNotFound`."""
    return len(text) <= 64 and bool(
        _SNAKE.match(text)
        or _CAMEL.match(text)
        or text in NAMED_CODES
        or text.upper() in ErrorCode.__members__
    )


def http_status(value: object) -> int | None:
    """Return a failing HTTP status, given as a number or as digits."""
    if type(value) is str and len(value) == 3 and value.isdigit():
        value = int(value)
    return value if type(value) is int and value in HTTP else None


@dataclass(slots=True)
class _Found:
    code: str | None = None
    status: int | None = None
    detail: str | None = None


def _take_text(found: _Found, name: str, text: str) -> None:
    if name in ("type", "errortype"):
        if text in TYPE_ALIASES:
            found.code = found.code or ALIASES[text.upper()]
        elif text in ErrorCode.__members__:  # GitHub's GraphQL
            found.code = found.code or text
        # a URL (RFC 9457) or "error" is no detail
        elif upper_snake(text) is not None:
            found.detail = found.detail or text
        return
    code = upper_snake(text)
    if code is None:
        if text.strip().lower() not in FAMILY_WORDS and len(text) <= 64:
            found.detail = found.detail or (text.strip() or None)
    elif name != "status" or code in ErrorCode.__members__ or _SNAKE.match(text):
        own = text.replace("_", "").isupper() or _SNAKE.match(text)
        found.code = found.code or (
            code if own and code not in errno.errorcode.values() else ALIASES.get(code, code)
        )
        if found.code != code:
            found.detail = found.detail or text


def _take_number(found: _Found, name: str, number: int, is_rpc: bool) -> None:
    if is_rpc and number in JSONRPC_CODES:
        found.code = found.code or JSONRPC_CODES[number]
        found.detail = found.detail or str(number)
    elif number in HTTP:
        found.status = found.status or number
    elif number:
        found.detail = found.detail or str(number)


def _look(reply: Reply, found: _Found, *, is_rpc: bool) -> None:
    for name in CODE_KEYS:
        value = reply.fields.get(name)
        if type(value) is str and value.strip():
            if http_status(value) is not None:
                _take_number(found, name, int(value), is_rpc)
            elif not value.strip().lstrip("-").isdigit():
                _take_text(found, name, value)
            else:
                found.detail = found.detail or value.strip()
        elif type(value) is int:
            _take_number(found, name, value, is_rpc)


def find_code(replies: Iterable[Reply], *, phrase: str | None = None) -> tuple[str, str | None, bool]:
    """Return code, sub-code and transience of a failure.

    Args:
        replies: Where to look, the innermost error object first.
        phrase: The text under `error` when it is code-like: the last resort.

    Example:
        >>> find_code([Reply({"code": 404, "status": "NOT_FOUND"})])
        ('NOT_FOUND', '404', False)
    """
    found = _Found()
    for reply in replies:
        code = reply.fields.get("code")
        _look(reply, found, is_rpc=isinstance(code, int | str) and code in JSONRPC_CODES)
    if phrase is not None and found.code is None:
        _take_text(found, "code", phrase)
    detail = str(found.status) if found.status is not None else found.detail
    if found.status is None:
        code = str(found.code or ErrorCode.TOOL_REPORTED_ERROR)
        return code, detail, code in TRANSIENT_NAMES
    row = row_of_status(found.status)
    code = str(found.code or row.code)
    names = {code, (found.detail or "").upper()}
    transient = row.transient or found.code in TRANSIENT_NAMES
    return code, detail, transient and PERMANENT_NAMES.isdisjoint(names)


RETRY_KEYS = {"retryafter": 1.0, "retryafterseconds": 1.0, "retryaftersec": 1.0, "retryafters": 1.0}
RETRY_KEYS |= {"retryafterms": 0.001, "retrydelay": 1.0, "retryin": 1.0}


def find_wait(replies: Iterable[Reply]) -> float | None:
    """Return the seconds to wait before the next try, from `retry_after` or google.rpc.RetryInfo."""
    for reply in replies:
        for name, unit in RETRY_KEYS.items():
            if (seconds := _seconds(reply.fields.get(name), unit)) is not None:
                return seconds
        for part in _nested(reply):
            for name, unit in RETRY_KEYS.items():
                if (seconds := _seconds(part.fields.get(name), unit)) is not None:
                    return seconds
    return None


def _nested(reply: Reply) -> Iterator[Reply]:
    """Yield google.rpc's `details` and Telegram's `parameters`."""
    details = reply.fields.get("details")
    for part in (*(details[:10] if type(details) is list else ()), reply.fields.get("parameters")):
        if type(part) is dict:
            yield Reply(part)


def _seconds(value: object, unit: float) -> float | None:
    if type(value) is str and (match := _DURATION.match(value)):
        value = float(match[1])
    if type(value) in (int, float) and 0 <= value < 1e9:  # type: ignore[operator]  # a number by its type
        return float(value) * unit  # type: ignore[arg-type]  # same
    return None
