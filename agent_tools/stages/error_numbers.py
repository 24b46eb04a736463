"""Which code a number stands for: HTTP status, errno, SQLSTATE, the codes of databases and clouds.

Data, no logic. Sources: RFC 9110, 6585, 7725, 8470, 4918 and the statuses of nginx and Cloudflare;
errno(3); appendix A and section 13.5 of the PostgreSQL manual; SQLite result codes; MySQL's error
reference ("InnoDB Error Handling" for what is rolled back); the retry lists of pymongo
(`helpers_shared.py`) and botocore (`retries/standard.py`); google.rpc.Code.
"""

from __future__ import annotations

from agent_tools.errors import ErrorCode
from agent_tools.stages.error_rows import (
    BAD_INPUT,
    BUG,
    BUSY,
    CANCELLED,
    CONFLICT,
    CONTENDED,
    CORRUPT,
    CUT_OFF,
    EXISTS,
    FORBIDDEN,
    FULL,
    MISSING,
    NO_QUOTA,
    NOT_APPLIED,
    NOT_REACHED,
    NOT_YET,
    OUT_OF_RANGE,
    TIMED_OUT,
    TIMED_OUT_EARLY,
    UNCLEAR,
    UNKNOWN_CALLER,
    UNSUPPORTED,
    Row,
)


def _by_name(*rows: tuple[Row, str]) -> dict[str, Row]:
    return {name: row for row, names in rows for name in names.split()}


def _told_by_name(*rows: tuple[Row, str]) -> dict[str, Row]:
    # made here and not per call: `_replace` costs a microsecond
    return {name: row._replace(sub_code=name) for name, row in _by_name(*rows).items()}


def _by_number(*rows: tuple[Row, str]) -> dict[int, Row]:
    return {int(number): row for number, row in _told_by_name(*rows).items()}


_PAY = NOT_YET._replace(recovery="ask_user")
# a statement that was rolled back or refused, but for a connection lost while a COMMIT was under way
LOST = NOT_REACHED._replace(reader="commit")

HTTP = _by_number(
    (BAD_INPUT, "400 406 411 413 414 415 417 422 431"),
    (MISSING, "404 410"),
    (UNSUPPORTED, "405 501 505 510"),
    (OUT_OF_RANGE, "416"),
    (UNKNOWN_CALLER, "401 407 419 440 511"),
    (_PAY, "402"),
    (FORBIDDEN, "403 451"),
    (TIMED_OUT_EARLY, "408"),
    (CONFLICT, "409"),
    (NOT_YET, "412 424 426 428 494 495 496 497 525 526"),
    (CONTENDED, "423"),
    (NOT_REACHED, "421 425"),
    (BUSY, "420 429"),
    (CANCELLED, "499"),
    (Row(ErrorCode.INTERNAL, True), "500"),
    (BUG, "506 508"),
    (CUT_OFF, "502 503 520 521 523 527 529 530"),
    (TIMED_OUT, "504 522 524 598 599"),
    (FULL, "507 509"),
)
# RFC 9110, section 15: an unknown status counts as the x00 of its class
HTTP_CLASSES: dict[int, Row] = {3: NOT_YET, 4: HTTP[400], 5: HTTP[500]}

ERRNOS = _told_by_name(
    (MISSING, "ENOENT ESRCH ENXIO ENODEV"),
    (EXISTS, "EEXIST"),
    (FORBIDDEN, "EACCES EPERM EROFS"),
    (BAD_INPUT, "ENOTDIR EISDIR ENAMETOOLONG EINVAL ELOOP E2BIG EDOM EILSEQ EDESTADDRREQ EMSGSIZE"),
    (OUT_OF_RANGE, "ERANGE ESPIPE EOVERFLOW"),
    (NOT_YET, "ENOTEMPTY EXDEV ENOEXEC EADDRINUSE EADDRNOTAVAIL ENOTBLK EISCONN EMLINK"),
    (FULL, "ENOSPC EDQUOT EFBIG"),
    (Row(ErrorCode.RESOURCE_EXHAUSTED, True), "EMFILE ENFILE ENOMEM ENOBUFS ENOLCK EUSERS"),
    (CUT_OFF, "EAGAIN EWOULDBLOCK EINTR EBUSY ESTALE ETXTBSY EINPROGRESS EALREADY"),
    (CUT_OFF, "ECONNRESET ECONNABORTED EPIPE ENETRESET ENOTCONN ESHUTDOWN EREMOTEIO"),
    (NOT_REACHED, "ECONNREFUSED ENETUNREACH EHOSTUNREACH ENETDOWN EHOSTDOWN"),
    (TIMED_OUT, "ETIMEDOUT ETIME"),
    (CONTENDED, "EDEADLK EDEADLOCK"),
    (CANCELLED, "ECANCELED"),
    (UNSUPPORTED, "ENOSYS EOPNOTSUPP ENOTSUP EPROTONOSUPPORT EAFNOSUPPORT ENOPROTOOPT ENOTTY"),
    (CORRUPT, "EUCLEAN EBADMSG"),
)

RESOLVER = _told_by_name(
    (NOT_REACHED, "EAI_AGAIN EAI_SYSTEM"),
    (MISSING, "EAI_NONAME EAI_FAIL EAI_NODATA EAI_ADDRFAMILY"),
    (BAD_INPUT, "EAI_SERVICE EAI_FAMILY EAI_SOCKTYPE EAI_BADFLAGS EAI_BADHINTS"),
    (BUSY, "EAI_MEMORY"),
)

# looked up whole, then by the two characters of the class
SQLSTATES = _by_name(
    (CONTENDED, "40 40001 40P01 55P03 25P03 72"),
    (UNCLEAR, "40003 08007"),
    (NOT_YET, "40002 08004 23 25 2B 27 09 24 55 3B 44 57P04 53400 P0001 P0003 F0 IM"),
    (LOST, "08 57 57P01 57P02 57P03 57P05 HV00N"),
    (BUG, "08P01 01 03 0B 0F 0Z 2D 2F 26 34 38 39 58 HV P0"),
    (BUSY, "53 53000 53200 53300"),
    (NO_QUOTA, "53100"),
    (TIMED_OUT_EARLY, "57014 25P04 HYT00 HYT01"),
    (EXISTS, "23505"),
    (BAD_INPUT, "10 20 21 22 42 54"),
    (FORBIDDEN, "42501 0L 0P"),
    (UNKNOWN_CALLER, "28"),
    (MISSING, "02 3D 3F P0002"),
    (CORRUPT, "XX"),
    (UNSUPPORTED, "0A"),
)

# the primary result code: sqlite_errorcode & 0xFF
SQLITE = _by_number(
    (BAD_INPUT, "1 18 20 25"),
    (BUG, "2 10 21 22"),
    (FORBIDDEN, "3 23"),
    (CONTENDED, "4 17"),
    (NOT_REACHED, "5 6 15"),
    (BUSY, "7"),
    (NOT_YET, "8 19"),
    (CANCELLED._replace(outcome=NOT_APPLIED), "9"),
    (CORRUPT, "11 26"),
    (MISSING, "12 14"),
    (NO_QUOTA, "13"),
)

MYSQL = _by_number(
    (CONTENDED, "1205 1213 3572"),
    (NOT_REACHED, "1053 1927 2002 2003 2006 4031"),
    (CUT_OFF, "2013 2055"),
    (BUSY, "1037 1038 1040 1041 1203 1226"),
    (NO_QUOTA, "1021 1114"),
    (TIMED_OUT_EARLY, "1969 3024"),
    (CANCELLED._replace(outcome=NOT_APPLIED), "1317"),
    (UNKNOWN_CALLER, "1045 1251 1698 1862 2059"),
    (FORBIDDEN, "1044 1142 1143 1227 1370"),
    (EXISTS, "1007 1050 1062 1586"),
    (MISSING, "1049 2005"),
    (BAD_INPUT, "1051 1052 1054 1055 1064 1065 1109 1111 1136 1146 1149 1222 1241 1242 1305"),
    (BAD_INPUT, "1264 1265 1292 1366 1367 1406 1690 3140"),
    (NOT_YET, "1048 1216 1217 1290 1364 1451 1452 1792 1836 3819 4025"),
    (UNSUPPORTED, "1235 1286"),
)

MONGO_LABELS: dict[str, Row] = {
    "TransientTransactionError": CONTENDED,
    "RetryableWriteError": CONTENDED,
    "UnknownTransactionCommitResult": UNCLEAR,
}
MONGO = _by_number(
    (CUT_OFF, "6 7 89 91 133 134 189 262 9001 10058 10107 11600 11602 13435 13436"),
    (CONTENDED, "24 43 112 251"),
    (UNKNOWN_CALLER, "18 391 8000"),
    (FORBIDDEN, "13"),
    (TIMED_OUT, "50 202"),
    (EXISTS, "48 11000 11001 12582"),
    (MISSING, "26 27 47"),
    (BAD_INPUT, "2 4 9 14 16 17 28 40 52 56 66 67 72 73 10334 17287 40324 40415"),
    (NOT_YET, "20 121 263"),
    (UNSUPPORTED, "59 115 238"),
    (NO_QUOTA, "292 14031"),
    (CANCELLED, "237 11601"),
)

# codes without the suffix Exception or Fault
AWS = _by_name(
    (BUSY, "Throttling Throttled RequestThrottledException RequestThrottled TooManyRequests SlowDown"),
    (BUSY, "ProvisionedThroughputExceeded RequestLimitExceeded BandwidthLimitExceeded LimitExceeded"),
    (BUSY, "EC2Throttled PriorRequestNotComplete"),
    (NO_QUOTA, "ServiceQuotaExceeded InsufficientInstanceCapacity"),
    (TIMED_OUT, "RequestTimeout"),
    (CUT_OFF, "ServiceUnavailable Unavailable InternalServiceUnavailable"),
    (Row(ErrorCode.INTERNAL, True), "InternalError InternalFailure InternalServer InternalServerError"),
    (
        FORBIDDEN,
        "AccessDenied UnauthorizedOperation NotAuthorized OptInRequired KMSAccessDenied AllAccessDisabled",
    ),
    (
        UNKNOWN_CALLER,
        "ExpiredToken InvalidClientTokenId SignatureDoesNotMatch UnrecognizedClient AuthFailure",
    ),
    (UNKNOWN_CALLER, "InvalidAccessKeyId MissingAuthenticationToken InvalidSignature IncompleteSignature"),
    (UNKNOWN_CALLER, "RequestExpired InvalidToken RequestTimeTooSkewed Unauthorized"),
    (MISSING, "NotFound ResourceNotFound AWS.SimpleQueueService.NonExistentQueue QueueDoesNotExist"),
    (EXISTS, "BucketAlreadyOwnedByYou AlreadyExists"),
    (NOT_YET, "ConditionalCheckFailed PreconditionFailed ResourceInUse InvalidState BucketNotEmpty"),
    (CONTENDED, "TransactionInProgress TransactionConflict OperationAborted OptimisticLock"),
    (CONFLICT, "Conflict ResourceConflict ConcurrentModification TransactionCanceled"),
    (BAD_INPUT, "Validation ValidationError InvalidParameterValue InvalidParameter InvalidRequest"),
    (BAD_INPUT, "InvalidParameterCombination MissingParameter MalformedQueryString SerializationException"),
)
# (how a code may start, what it means), then how it may end
AWS_STARTS: tuple[tuple[str, Row], ...] = (
    ("AccessDenied", FORBIDDEN),
    ("ExpiredToken", UNKNOWN_CALLER),
    ("NoSuch", MISSING),
)
AWS_ENDS: tuple[tuple[str, Row], ...] = (
    ("NotFound", MISSING),
    ("AlreadyExists", EXISTS),
    ("Throttled", BUSY),
    ("Throttling", BUSY),
)

GRPC = _by_name(
    (CUT_OFF, "UNAVAILABLE"),
    (TIMED_OUT, "DEADLINE_EXCEEDED"),
    (Row(ErrorCode.ABORTED, True), "ABORTED"),
    (FULL, "RESOURCE_EXHAUSTED"),
    (BAD_INPUT, "INVALID_ARGUMENT"),
    (MISSING, "NOT_FOUND"),
    (EXISTS, "ALREADY_EXISTS"),
    (FORBIDDEN, "PERMISSION_DENIED"),
    (UNKNOWN_CALLER, "UNAUTHENTICATED"),
    (NOT_YET, "FAILED_PRECONDITION"),
    (OUT_OF_RANGE, "OUT_OF_RANGE"),
    (UNSUPPORTED, "UNIMPLEMENTED"),
    (CANCELLED, "CANCELLED"),
    (BUG, "INTERNAL"),
    (Row(ErrorCode.DATA_LOSS), "DATA_LOSS"),
    (UNCLEAR, "UNKNOWN"),
)

# https://www.jsonrpc.org/specification#error_object and what the MCP SDK adds
JSON_RPC = _by_number(
    (BAD_INPUT, "-32602 -32600"),
    (UNSUPPORTED, "-32601"),
    (Row(ErrorCode.DATA_LOSS), "-32700"),
    (MISSING, "-32002"),
    (CUT_OFF, "-32000"),
    (TIMED_OUT, "-32001 408"),
    (BUG, "-32603"),
)

# codes of a 429 that waiting does not cure
QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"})
QUOTA_CLASSES = ("SpendLimit", "RampLimit", "QuotaExceeded")
# what a commit is called in the drivers, seen from a traceback
COMMITS = frozenset(
    {"commit", "do_commit", "_commit_impl", "_commit_gen", "__commit", "_Transaction__commit"}
)
