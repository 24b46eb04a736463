"""The shapes in which particular kinds of services report a failure: a part of `outcome`.

In:   a `Reply`.
Out:  a `Failure`, or None. Each shape is a row of SHAPES with the keys that it cannot do without.

A shape is told by its keys and by the kinds of its values; where a key such as `code` or `message` is
anyone's, the reply must hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from agent_tools.errors import ErrorCode
from agent_tools.stages.outcome_json import read_json_text
from agent_tools.stages.outcome_keys import word_set
from agent_tools.stages.outcome_replies import Reply, has_content, is_failure_text, read_reply, text_of
from agent_tools.stages.reported_codes import NAMED_CODES, RPC_CODES, Reported, http_status, is_code_like
from agent_tools.stages.reported_lines import status_of_phrase
from agent_tools.stages.reported_texts import (
    ENVELOPE_KEYS,
    LONGEST_DUMP,
    LONGEST_JOIN,
    Failure,
    failure_text,
    object_text,
    report,
    rest_of,
    said,
    sibling_text,
)

EXIT_KEYS = ("exitcode", "returncode", "exitstatus")
OUTPUT_KEYS = frozenset(("stdout", "stderr"))
# names of nothing but an HTTP status; `status` and `code` are many other things, too
FETCH_KEYS = ("statuscode", "httpstatus", "httpstatuscode", "httpcode", "responsecode")
HTTP_KEYS = (*FETCH_KEYS, "status", "code", "cod")
BODY_KEYS = ("body", "content", "text", "data", "headers")
NUMBER_KEYS = ("code", "errcode", "errno", "ret", "retcode")


def _process_exit(reply: Reply) -> Failure | None:
    """A process or code run: a non-zero exit beside its output."""
    status = next((reply.fields[name] for name in EXIT_KEYS if name in reply.fields), None)
    if type(status) is not int or status == 0 or OUTPUT_KEYS.isdisjoint(reply.fields):
        return None
    lines = (failure_text(reply.fields.get("stderr")) or "").splitlines()
    message = f"exit code {status}: {lines[-1].strip()}" if lines else f"exit code {status}"
    return Failure(Reported(ErrorCode.EXECUTION_ERROR, message, f"exit {status}"), reply.raw)


def _operation_outcome(reply: Reply) -> Failure | None:
    """FHIR's OperationOutcome, https://hl7.org/fhir/operationoutcome.html; warnings alone are no failure."""
    issues = reply.fields.get("issue")
    if reply.fields.get("resourcetype") != "OperationOutcome" or type(issues) is not list:
        return None
    replies = [read_reply(issue) for issue in issues[:LONGEST_JOIN]]
    bad = [i for i in replies if i is not None and i.fields.get("severity") in ("error", "fatal")]
    texts = [text for issue in bad if (text := object_text(issue)) is not None]
    return Failure(report(bad[0], "; ".join(texts)), reply.raw) if bad else None


def _http_number(reply: Reply) -> Failure | None:
    """A failing HTTP status with a text that says why (RFC 9457 among them), or with the body of a reply."""
    fields = reply.fields
    names = [name for name in HTTP_KEYS if name in fields and http_status(fields[name]) is not None]
    if not names:
        return None
    name = names[0]
    if (name in FETCH_KEYS or "headers" in reply.fields) and not set(BODY_KEYS).isdisjoint(reply.fields):
        body = next((reply.fields[key] for key in BODY_KEYS if key in reply.fields), None)
        return Failure(report(reply, _body_text(body) or f"HTTP {reply.fields[name]}"), reply.raw)
    text = sibling_text(reply)
    # what was checked (an address with its status, a line of an access log) has keys of its own
    if text is None or reply.content_beside(ENVELOPE_KEYS - {"url", "method"} | {"name"}):
        return None
    return Failure(report(reply, text), rest_of(reply, text))


def _body_text(body: object) -> str | None:
    text = text_of(body)
    inner = read_reply(body if text is None else read_json_text(text))
    told = object_text(inner) if inner is not None else failure_text(body)
    return told if told is None else told[: 2 * LONGEST_DUMP]


def _problem(reply: Reply) -> Failure | None:
    """RFC 9457: a `type` that is an address, with title and detail."""
    kind = reply.fields.get("type")
    if type(kind) is not str or not ("://" in kind or kind == "about:blank"):
        return None
    # with a failing status there may be members of its own (section 3.2)
    if http_status(reply.fields.get("status")) is None and reply.content_beside(ENVELOPE_KEYS):
        return None
    message = said(reply.fields["title"], Reply({"detail": reply.fields.get("detail")}), "")
    return Failure(report(reply, message), rest_of(reply, message))


# --- replies that are nothing but a failure

BareTest = Callable[[dict[str, object]], "Reply | None"]


def _rpc_status(fields: dict[str, object]) -> Reply | None:
    """google.rpc.Status: a code by number, a message and a list of details."""
    number = fields.get("code")
    if fields.keys() != {"code", "message", "details"} or type(fields["details"]) is not list:
        return None
    return Reply({"code": RPC_CODES[number]}) if type(number) is int and 0 < number < len(RPC_CODES) else None


_BARE_KEYS = word_set(
    "code errorcode type message msg details detail link documentationurl moreinfo help helpurl "
    "requestid traceid timestamp path status errors data param fields name"
)
_LINK_KEYS = word_set("link documentationurl moreinfo help helpurl requestid traceid")


def _named_code(fields: dict[str, object]) -> Reply | None:
    """AWS, Azure, Meilisearch, node: a message and a code that only failures have, or a link to it."""
    code = fields.get("code", fields.get("errorcode", fields.get("type")))
    if type(code) is not str or not fields.keys() <= _BARE_KEYS:
        return None
    if not is_failure_text(fields.get("message", fields.get("msg"))):
        return None
    named = code in NAMED_CODES or code.endswith(("Exception", "Error", "_error"))
    linked = is_code_like(code) and not _LINK_KEYS.isdisjoint(fields)
    return Reply({"code": code}) if named or linked else None


def _validation_detail(fields: dict[str, object]) -> Reply | None:
    """FastAPI's 422."""
    detail = fields.get("detail")
    rows = detail if type(detail) is list else []
    told = any(type(row) is dict and {"loc", "msg"} <= row.keys() for row in rows)
    return Reply({"code": 422}) if fields.keys() == {"detail"} and told else None


# the fixed texts of Django REST framework, API Gateway and GitHub, and the status that they come with
_FIXED_TEXTS = {
    "Not authenticated": 401,
    "Invalid token.": 401,
    "Bad credentials": 401,
    "Requires authentication": 401,
    "Authentication credentials were not provided.": 401,
    "Missing Authentication Token": 403,
    "You do not have permission to perform this action.": 403,
    "Internal server error": 500,
}


def _fixed_text(fields: dict[str, object]) -> Reply | None:
    """A `message` or `detail` alone whose whole text is an HTTP reason phrase or one of _FIXED_TEXTS."""
    text = text_of(fields.get("message", fields.get("detail")))
    if text is None or not fields.keys() <= {"message", "detail", "documentationurl", "requestid"}:
        return None
    status = status_of_phrase(text) or _FIXED_TEXTS.get(text)
    if status is None:
        # GitHub: nothing but failures comes with an address of the documentation alone
        return Reply({}) if fields.keys() == {"message", "documentationurl"} else None
    return Reply({"code": status})


def _wait_first(fields: dict[str, object]) -> Reply | None:
    """Discord's rate limit: a message and the seconds to wait."""
    told = "retryafter" in fields and fields.keys() <= {"message", "retryafter", "global", "code"}
    return Reply({"code": 429}) if told else None


BARE_TESTS: tuple[BareTest, ...] = (_rpc_status, _named_code, _validation_detail, _fixed_text, _wait_first)


def _bare_reply(reply: Reply) -> Failure | None:
    """A reply that is nothing but a failure."""
    code = next((code for test in BARE_TESTS if (code := test(reply.fields)) is not None), None)
    text = sibling_text(reply) if code is not None else None
    if code is None or text is None:
        return None
    return Failure(report(reply, text, code), rest_of(reply, text))


def _code_number(reply: Reply) -> Failure | None:
    """`{"code": 40001, "msg": "...", "data": null}`: a number beside a message, and data that is null."""
    name = next((name for name in NUMBER_KEYS if name in reply.fields), "")
    number = reply.fields[name]
    # 0, 1 and 2xx are in use for success
    if type(number) is not int or number in (0, 1) or 200 <= number < 300:
        return None
    text = sibling_text(reply)
    null = any(key in reply.fields and not has_content(reply.fields[key]) for key in ("data", "result"))
    if text is None or not (null or number < 0 or name in ("errcode", "errno", "retcode")):
        return None
    if reply.content_beside(ENVELOPE_KEYS, NUMBER_KEYS):
        return None
    return Failure(report(reply, text), rest_of(reply, text, NUMBER_KEYS))


# the keys without which a shape cannot be, the only keys that it bears, its detector; the first two are
# plainer than an `error` key
SHAPES: tuple[tuple[frozenset[str], frozenset[str] | None, Callable[[Reply], Failure | None]], ...] = (
    (frozenset(EXIT_KEYS), None, _process_exit),
    (frozenset(("resourcetype",)), None, _operation_outcome),
    (frozenset(HTTP_KEYS), None, _http_number),
    (frozenset(("title",)), None, _problem),
    (frozenset(("message", "detail", "msg")), _BARE_KEYS | {"retryafter", "global"}, _bare_reply),
    (frozenset(NUMBER_KEYS), None, _code_number),
)
