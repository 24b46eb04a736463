"""Exceptions of libraries that no row names: by what such classes are called everywhere."""

from __future__ import annotations

import base64
import imaplib
import io
import mailbox
import shutil
import socket
from collections.abc import Callable

import pytest

from agent_tools.stages.error_codes import Failure

Coder = Callable[..., Failure]
Raised = Callable[[Callable[[], object]], Exception]


def _exception(name: str, *bases: type, module: str = "acme_sdk.errors") -> Exception:
    cls = type(name, bases or (Exception,), {"__module__": module})
    error = cls("m")
    assert isinstance(error, Exception)
    return error


@pytest.mark.parametrize(
    ("names", "code", "query"),
    [
        (
            "NotFoundError NotFound DoesNotExist UserNotFoundException AcmeSdkNotFoundError",
            "NOT_FOUND",
            False,
        ),
        ("OrderAlreadyExistsError DuplicateKeyException", "ALREADY_EXISTS", False),
        ("PermissionDeniedError ForbiddenException AuthorizationError", "PERMISSION_DENIED", False),
        ("AuthenticationError UnauthorizedException InvalidApiKeyError AuthError", "UNAUTHENTICATED", False),
        ("RateLimitError AcmeSDKRateLimitError ThrottlingException", "RESOURCE_EXHAUSTED", True),
        ("QuotaExceededError InsufficientQuotaException", "RESOURCE_EXHAUSTED", False),
        ("TimeoutException RequestTimeout ReadTimeoutError", "DEADLINE_EXCEEDED", True),
        ("ConnectionError APIConnectionError ServiceUnavailableException", "UNAVAILABLE", True),
        ("InternalServerError ServerException", "INTERNAL", True),
        ("ConflictError", "ABORTED", False),
        ("ValidationError BadRequestException InvalidArgumentError", "INVALID_ARGUMENT", False),
        ("PaymentRequiredError", "FAILED_PRECONDITION", False),
        ("NotSupportedException", "UNIMPLEMENTED", False),
    ],
)
def test_a_class_with_a_common_name_is_what_it_is_called(
    code_of: Coder, names: str, code: str, query: bool
) -> None:
    """Every SDK has these; an action that may have been cut short is never repeated for its name alone."""
    for name in names.split():
        asked, done = code_of(_exception(name)), code_of(_exception(name), kind="action")

        assert (asked.error.code, asked.error.retryable) == (code, query), name
        assert not done.error.retryable
        assert (done.error.recovery == "check_first") == query, name


@pytest.mark.parametrize(
    "name",
    "TimeoutPolicyError NotFoundryError ConnectionStringError ServerlessError AuthorNotSet RateLimiterBug",
)
def test_a_name_that_only_begins_like_one_is_a_bug(code_of: Coder, name: str) -> None:
    """The whole name counts, as no word in a message does."""
    assert code_of(_exception(name)).error.code == "INTERNAL"


def test_a_status_says_more_than_a_name(code_of: Coder) -> None:
    """As does a row of the library itself, and the class closest to the instance."""
    error = _exception("NotFoundError")
    error.status_code = 503  # type: ignore[attr-defined]
    narrow = _exception("NotFoundError", type(_exception("TimeoutError")))

    assert code_of(error).error.code == "UNAVAILABLE"
    assert code_of(narrow).error.code == "NOT_FOUND"


def _read_image() -> object:
    return pytest.importorskip("PIL.Image").open(io.BytesIO(b"no image"))


def _read_parquet() -> object:
    return pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(b"no parquet"))


def _unpack() -> object:
    return pytest.importorskip("zstandard").ZstdDecompressor().decompress(b"no frame")


def _parse_message() -> object:
    return pytest.importorskip("google.protobuf.struct_pb2").Struct().ParseFromString(b"\xff\xff")


def _ask_duckdb(sql: str) -> Callable[[], object]:
    return lambda: pytest.importorskip("duckdb").connect().execute(sql).fetchall()


def _ask_polars() -> object:
    polars = pytest.importorskip("polars")
    return polars.SQLContext(t=polars.DataFrame({"a": [1]})).execute("selec").collect()


def _lose_mailbox() -> object:
    raise imaplib.IMAP4.error("command SELECT illegal in state NONAUTH")


def _render() -> object:
    jinja2 = pytest.importorskip("jinja2")
    return jinja2.Environment(loader=jinja2.DictLoader({})).get_template("a.html")


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (_read_image, "DATA_LOSS"),
        (_read_parquet, "DATA_LOSS"),
        (_unpack, "DATA_LOSS"),
        (_parse_message, "DATA_LOSS"),
        (_lose_mailbox, "FAILED_PRECONDITION"),
        (lambda: shutil.unpack_archive(__file__, "/no/such", "zip"), "DATA_LOSS"),
        (lambda: mailbox.mbox("/no/such/box", create=False), "NOT_FOUND"),
        (lambda: pytest.importorskip("regex").compile("("), "INVALID_ARGUMENT"),
        (lambda: io.BytesIO().fileno(), "UNIMPLEMENTED"),
        (lambda: base64.b64decode("a", validate=True), "DATA_LOSS"),
        (_ask_duckdb("selec 1"), "INVALID_ARGUMENT"),
        (_ask_duckdb("select * from read_csv('/no/such.csv')"), "FAILED_PRECONDITION"),
        (_ask_polars, "INVALID_ARGUMENT"),
        (lambda: pytest.importorskip("jmespath").search("a[", {}), "INVALID_ARGUMENT"),
        (_render, "NOT_FOUND"),
    ],
)
def test_what_a_library_could_not_read_is_told_from_a_bug(
    code_of: Coder, raised: Raised, run: Callable[[], object], code: str
) -> None:
    """Neither is worth another try."""
    error = code_of(raised(run)).error

    assert (error.code, error.retryable) == (code, False)


def test_a_request_that_never_left_may_be_sent_again(code_of: Coder, raised: Raised) -> None:
    """Requests wraps a refused connection as it wraps one that broke; only the former reached nobody."""
    requests = pytest.importorskip("requests")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        refused = raised(lambda: requests.post(f"http://127.0.0.1:{taken.getsockname()[1]}/"))
    broken = requests.ConnectionError("Connection aborted.")

    assert code_of(refused, kind="action").error.retryable
    assert not code_of(broken, kind="action").error.retryable
