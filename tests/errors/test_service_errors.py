"""Exceptions of clouds, remote calls, model providers and agent frameworks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.stages.error_codes import Failure

Coder = Callable[..., Failure]

THROTTLED = (
    "Throttling ThrottlingException ThrottledException RequestThrottledException TooManyRequestsException "
    "ProvisionedThroughputExceededException RequestLimitExceeded BandwidthLimitExceeded "
    "LimitExceededException RequestThrottled SlowDown PriorRequestNotComplete EC2ThrottledException"
)
STRANGERS = "ExpiredToken ExpiredTokenException InvalidClientTokenId SignatureDoesNotMatch"
NOWHERE = "NoSuchKey NoSuchBucket ResourceNotFoundException InvalidGroup.NotFound 404"


@pytest.mark.parametrize(
    ("codes", "code", "query", "action"),
    [
        (THROTTLED, "RESOURCE_EXHAUSTED", True, True),
        ("RequestTimeout RequestTimeoutException", "DEADLINE_EXCEEDED", True, False),
        ("AccessDenied AccessDeniedException UnauthorizedOperation", "PERMISSION_DENIED", False, False),
        (STRANGERS, "UNAUTHENTICATED", False, False),
        (NOWHERE, "NOT_FOUND", False, False),
        ("ConditionalCheckFailedException", "FAILED_PRECONDITION", False, False),
        ("TransactionInProgressException TransactionConflictException", "ABORTED", True, True),
        ("ValidationException ValidationError", "INVALID_ARGUMENT", False, False),
        ("EntityAlreadyExists BucketAlreadyExists", "ALREADY_EXISTS", False, False),
    ],
)  # fmt: skip
def test_an_aws_error_goes_by_its_code(
    code_of: Coder, codes: str, code: str, query: bool, action: bool
) -> None:
    """The code is looked up with and without the suffix Exception."""
    exceptions = pytest.importorskip("botocore.exceptions")
    for aws in codes.split():
        error = exceptions.ClientError({"Error": {"Code": aws, "Message": "m"}}, "GetObject")

        asked, done = code_of(error), code_of(error, kind="action")

        assert (asked.error.code, asked.error.retryable, asked.error.sub_code) == (code, query, aws)
        assert done.error.retryable == action


@pytest.mark.parametrize(("status", "code"), [(500, "INTERNAL"), (503, "UNAVAILABLE"), (404, "NOT_FOUND")])
def test_an_unknown_aws_code_goes_by_its_status(code_of: Coder, status: int, code: str) -> None:
    """A code nobody has listed still comes with an HTTP status and its headers."""
    exceptions = pytest.importorskip("botocore.exceptions")
    meta = {"HTTPStatusCode": status, "HTTPHeaders": {"Retry-After": "3"}}
    error = exceptions.ClientError({"Error": {"Code": "Odd"}, "ResponseMetadata": meta}, "Op")

    failure = code_of(error)

    assert (failure.error.code, failure.error.sub_code, failure.error.retry_after_s) == (code, "Odd", 3.0)


@pytest.mark.parametrize(
    ("name", "fields", "code", "query", "action"),
    [
        ("EndpointConnectionError", {"endpoint_url": "u", "error": "x"}, "UNAVAILABLE", True, True),
        ("ConnectTimeoutError", {"endpoint_url": "u"}, "DEADLINE_EXCEEDED", True, True),
        ("ReadTimeoutError", {"endpoint_url": "u"}, "DEADLINE_EXCEEDED", True, False),
        ("ConnectionClosedError", {"endpoint_url": "u"}, "UNAVAILABLE", True, False),
        ("SSLError", {"endpoint_url": "u", "error": "x"}, "FAILED_PRECONDITION", False, False),
        ("NoCredentialsError", {}, "UNAUTHENTICATED", False, False),
        ("ParamValidationError", {"report": "x"}, "INVALID_ARGUMENT", False, False),
    ],
)
def test_botocores_own_errors_have_a_code(
    code_of: Coder, name: str, fields: dict[str, Any], code: str, query: bool, action: bool
) -> None:
    """What fails before an answer goes by its class."""
    error = getattr(pytest.importorskip("botocore.exceptions"), name)(**fields)

    assert (code_of(error).error.code, code_of(error).error.retryable) == (code, query)
    assert code_of(error, kind="action").error.retryable == action


def _rpc_error(grpc: Any, name: str, trailers: tuple[Any, ...] = ()) -> Exception:
    aio = pytest.importorskip("grpc.aio")
    return aio.AioRpcError(
        getattr(grpc.StatusCode, name), aio.Metadata(), aio.Metadata(*trailers), details="down"
    )


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("UNAVAILABLE", True),
        ("DEADLINE_EXCEEDED", True),
        ("ABORTED", True),
        ("RESOURCE_EXHAUSTED", False),
        ("NOT_FOUND", False),
        ("INVALID_ARGUMENT", False),
        ("UNAUTHENTICATED", False),
        ("PERMISSION_DENIED", False),
        ("INTERNAL", False),
        ("DATA_LOSS", False),
    ],
)
def test_a_grpc_error_keeps_its_code(code_of: Coder, name: str, query: bool) -> None:
    """gRPC's codes are ours; an action never repeats one blindly."""
    error = _rpc_error(pytest.importorskip("grpc"), name)

    failure = code_of(error)

    assert (failure.error.code, failure.error.retryable) == (name, query)
    assert failure.error.message == "AioRpcError: down"
    assert not code_of(error, kind="action").error.retryable


def test_a_grpc_quota_with_a_wait_is_transient(code_of: Coder) -> None:
    """RESOURCE_EXHAUSTED passes only where the server sends RetryInfo."""
    grpc = pytest.importorskip("grpc")
    info = b"\x12\x28type.googleapis.com/google.rpc.RetryInfo"
    error = _rpc_error(grpc, "RESOURCE_EXHAUSTED", (("grpc-status-details-bin", info),))

    assert code_of(error).error.retryable


def test_a_real_channel_that_is_refused_is_unavailable(code_of: Coder) -> None:
    """A blocking call to a closed port, through the real library."""
    grpc = pytest.importorskip("grpc")
    with grpc.insecure_channel("127.0.0.1:1") as channel, pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/a/b")(b"x", timeout=5)

    assert code_of(caught.value).error.code == "UNAVAILABLE"


def _answer(status: int, headers: dict[str, str] | None = None) -> Any:
    httpx = pytest.importorskip("httpx2")
    request = httpx.Request("POST", "https://api.example.com/v1/messages")
    return httpx.Response(status, headers=headers or {}, request=request)


MODEL_STATUSES = [
    ("BadRequestError", 400, "INVALID_ARGUMENT", False),
    ("AuthenticationError", 401, "UNAUTHENTICATED", False),
    ("PermissionDeniedError", 403, "PERMISSION_DENIED", False),
    ("NotFoundError", 404, "NOT_FOUND", False),
    ("UnprocessableEntityError", 422, "INVALID_ARGUMENT", False),
    ("RateLimitError", 429, "RESOURCE_EXHAUSTED", True),
    ("InternalServerError", 500, "INTERNAL", True),
    ("InternalServerError", 503, "UNAVAILABLE", True),
    ("InternalServerError", 529, "UNAVAILABLE", True),
]


@pytest.mark.parametrize("library", ["openai", "anthropic"])
@pytest.mark.parametrize(("name", "status", "code", "transient"), MODEL_STATUSES)
def test_a_model_error_goes_by_its_status(
    code_of: Coder, library: str, name: str, status: int, code: str, transient: bool
) -> None:
    """Asking a model changes nothing, so an action may repeat what a query may."""
    error = getattr(pytest.importorskip(library), name)("m", response=_answer(status), body=None)

    asked, done = code_of(error), code_of(error, kind="action")

    assert (asked.error.code, asked.error.sub_code) == (code, str(status))
    assert (asked.error.retryable, done.error.retryable) == (transient, transient)


@pytest.mark.parametrize("library", ["openai", "anthropic"])
def test_a_model_that_cannot_be_reached_may_be_asked_again(code_of: Coder, library: str) -> None:
    """No connection and no answer in time."""
    module = pytest.importorskip(library)
    request = _answer(200).request
    errors = [module.APIConnectionError(request=request), module.APITimeoutError(request=request)]

    failures = [code_of(error, kind="action").error for error in errors]

    assert [failure.code for failure in failures] == ["UNAVAILABLE", "DEADLINE_EXCEEDED"]
    assert all(failure.retryable for failure in failures)


def test_a_spent_quota_does_not_pass(code_of: Coder) -> None:
    """A 429 about money is no rate limit: openai says so in its code, anthropic in its classes."""
    openai, anthropic = pytest.importorskip("openai"), pytest.importorskip("anthropic")
    body = {"message": "You exceeded your quota", "code": "insufficient_quota"}
    errors = [openai.RateLimitError("m", response=_answer(429), body=body)]
    for name in (
        "ContractSpendLimitReachedError",
        "EnforcedSpendLimitReachedError",
        "RampLimitExceededError",
    ):
        errors.append(getattr(anthropic, name)("m", response=_answer(429), body=None))

    failures = [code_of(error).error for error in errors]

    assert {failure.code for failure in failures} == {"RESOURCE_EXHAUSTED"}
    assert not any(failure.retryable for failure in failures)
    assert {failure.recovery for failure in failures} == {"ask_user"}


@pytest.mark.parametrize(("status", "asked"), [(500, "false"), (409, "true")])
def test_a_provider_may_say_whether_to_retry(code_of: Coder, status: int, asked: str) -> None:
    """`x-should-retry` wins over the status, as in the SDKs."""
    anthropic = pytest.importorskip("anthropic")
    error = anthropic.APIStatusError("m", response=_answer(status, {"X-Should-Retry": asked}), body=None)

    assert code_of(error).error.retryable == (asked == "true")


def test_an_mcp_error_goes_by_its_json_rpc_code(code_of: Coder) -> None:
    """-32602 is a wrong argument, -32601 a method that does not exist."""

    class McpError(Exception):
        __module__ = "mcp.shared.exceptions"

        def __init__(self, code: int) -> None:
            self.error = type("ErrorData", (), {"code": code})()

    codes = [code_of(McpError(number)).error.code for number in (-32602, -32601, -32000)]

    assert codes == ["INVALID_ARGUMENT", "UNIMPLEMENTED", "UNAVAILABLE"]
