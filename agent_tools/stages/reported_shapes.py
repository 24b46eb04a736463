"""The shapes in which particular kinds of services report a failure: a part of `outcome`.

In:   a `Reply`.
Out:  a `Failure`, or None. Each shape is a row of SHAPES with the keys that it cannot do without.

A shape is told by its keys and by the kinds of its values; where a key such as `code` or `message` is
anyone's, the reply must hold nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agent_tools.errors import ErrorCode
from agent_tools.stages.outcome_json import read_json_text
from agent_tools.stages.outcome_keys import TEXT_KEYS, word_set
from agent_tools.stages.outcome_replies import Reply, has_content, is_failure_text, read_reply, text_of
from agent_tools.stages.reported_codes import (
    CODE_WORDS,
    NAMED_CODES,
    RPC_CODES,
    Reported,
    http_status,
    is_code_like,
    upper_snake,
)
from agent_tools.stages.reported_lines import PHRASE_OF, status_of_phrase
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

EXIT_KEYS = ("exitcode", "returncode", "exitstatus", "rc")
OUTPUT_KEYS = frozenset(("stdout", "stderr", "output"))
# names of nothing but an HTTP status; `status` and `code` are many other things, too
FETCH_KEYS = ("statuscode", "httpstatus", "httpstatuscode", "httpcode", "responsecode")
HTTP_KEYS = (*FETCH_KEYS, "status", "code", "cod")
BODY_KEYS = ("body", "content", "text", "data", "headers")
NUMBER_KEYS = ("errcode", "errorcode", "errno", "retcode", "infocode", "code", "ret", "rc")


_CODED_KEYS = word_set("errorcode errcode")  # only failures have them: what stands beside is more of it


def _process_exit(reply: Reply) -> Failure | None:
    """A process or code run: a non-zero exit beside its output."""
    status = next((reply.fields[name] for name in EXIT_KEYS if name in reply.fields), None)
    if type(status) is not int or status == 0 or OUTPUT_KEYS.isdisjoint(reply.fields):
        return None
    told = failure_text(reply.fields.get("stderr")) or failure_text(reply.fields.get("output"))
    lines = (told or "").splitlines()
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


def _cell_output(reply: Reply) -> Failure | None:
    """Jupyter's output of a cell that raised, https://nbformat.readthedocs.io."""
    told = "evalue" in reply.fields and is_failure_text(reply.fields["ename"])
    text = object_text(reply) if told else None
    return Failure(report(reply, text), reply.raw) if text is not None else None


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
    own = set(reply.content_beside(ENVELOPE_KEYS - {"url", "method"} | {"name"}, FETCH_KEYS))
    if text is None or (own and (not _is_coded(fields) or not own.isdisjoint(("url", "method")))):
        return None
    return Failure(report(reply, text), rest_of(reply, text))


def _is_coded(fields: dict[str, object]) -> bool:
    code = fields.get("code")
    return not _CODED_KEYS.isdisjoint(fields) or (type(code) is str and code.lower() in CODE_WORDS)


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
    "code errorcode errornumber type message msg details detail hint link documentationurl moreinfo help "
    "helpurl requestid traceid hostid recommend debugid timestamp path status errors data param fields name "
    "id meta stack elements messages info modelstate"
)
_LINK_KEYS = word_set(
    "link documentationurl moreinfo help helpurl requestid traceid hostid recommend debugid"
)
_POSTGREST_KEYS = {"code", "details", "hint", "message"}


def _named_code(fields: dict[str, object]) -> Reply | None:
    """AWS, Azure, Meilisearch, node: a message and a code that only failures have, or a link to it."""
    code = next(
        (fields[name] for name in ("code", "errorcode", "type", "name", "id") if name in fields), None
    )
    if type(code) is not str or not fields.keys() <= _BARE_KEYS:
        return None
    if not is_failure_text(fields.get("message", fields.get("msg"))):
        return None
    ends = ("Exception", "Error", "_error", "_ERROR")
    named = code in NAMED_CODES or code in CODE_WORDS or code.endswith(ends) or code.startswith("ERR_")
    # no thing has an `error_code` and a message alone
    named = named or ("errorcode" in fields and is_code_like(code))
    dotted = "." in code and upper_snake(code) is not None
    linked = (dotted or is_code_like(code)) and not _LINK_KEYS.isdisjoint(fields)
    return Reply({"code": code}) if named or linked or fields.keys() == _POSTGREST_KEYS else None


def _wordpress(fields: dict[str, object]) -> Reply | None:
    """WordPress: a code, a message, and the HTTP status in `data`."""
    data = fields.get("data")
    status = http_status(data.get("status")) if type(data) is dict else None
    return Reply({"code": fields.get("code", status)}) if status is not None else None


def _field_messages(fields: dict[str, object]) -> Reply | None:
    """GitLab: `message` holds the texts of each field."""
    message = fields.get("message")
    if fields.keys() != {"message"} or type(message) is not dict:
        return None
    texts = all(type(value) is list and failure_text(value) for value in message.values())
    return Reply({"code": 400}) if texts else None


def _validation_detail(fields: dict[str, object]) -> Reply | None:
    """FastAPI's 422, and what others hand to its HTTPException: a message and a code."""
    detail = fields.get("detail")
    if fields.keys() == {"detail"} and type(detail) is dict:
        coded = any(type(detail.get(name)) is str for name in ("code", "status", "type"))
        return Reply(detail) if coded and is_failure_text(detail.get("message")) else None
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
    # ASP.NET
    "An error has occurred.": 500,
    "The request is invalid.": 400,
    "Authorization has been denied for this request.": 401,
}
# how the texts of RapidAPI's gateway begin
_GATEWAY_TEXTS = {
    "You are not subscribed to this API": 403,
    "This endpoint is disabled for your subscription": 403,
    "Invalid API key. Go to https://": 401,
    "API doesn't exist": 404,
    "Endpoint '": 404,
    "You have exceeded the rate limit per ": 429,
    "You have exceeded the DAILY quota": 429,
    "You have exceeded the MONTHLY quota": 429,
    "The request to the API has timed out": 504,
    "The API is unreachable": 502,
}


_FIXED_KEYS = word_set("message messages info detail documentationurl requestid modelstate")


def _fixed_text(fields: dict[str, object]) -> Reply | None:
    """A `message` or `detail` alone whose whole text is an HTTP reason phrase or one of _FIXED_TEXTS."""
    text = text_of(next((fields[name] for name in ("message", "detail", "messages") if name in fields), None))
    if text is None or not fields.keys() <= _FIXED_KEYS:
        return None
    status = status_of_phrase(text) or _FIXED_TEXTS.get(text) or _numbered_phrase(text)
    status = status or next((code for start, code in _GATEWAY_TEXTS.items() if text.startswith(start)), None)
    if status is None:
        # GitHub: nothing but failures comes with an address of the documentation alone
        return Reply({}) if fields.keys() == {"message", "documentationurl"} else None
    return Reply({"code": status})


def _numbered_phrase(text: str) -> int | None:
    """Return the status of GitLab's `404 Project Not Found`."""
    number, _, phrase = text.partition(" ")
    status = http_status(number)
    return status if status is not None and phrase.lower().endswith(PHRASE_OF.get(status, "?")) else None


def _wait_first(fields: dict[str, object]) -> Reply | None:
    """Discord's rate limit: a message and the seconds to wait."""
    told = "retryafter" in fields and fields.keys() <= {"message", "retryafter", "global", "code"}
    return Reply({"code": 429}) if told else None


BARE_TESTS: tuple[BareTest, ...] = (
    _rpc_status,
    _named_code,
    _wordpress,
    _field_messages,
    _validation_detail,
    _fixed_text,
    _wait_first,
)


def _bare_reply(reply: Reply) -> Failure | None:
    """A reply that is nothing but a failure."""
    code = next((code for test in BARE_TESTS if (code := test(reply.fields)) is not None), None)
    text = sibling_text(reply, (*TEXT_KEYS, "messages")) if code is not None else None
    if code is None or text is None:
        return None
    return Failure(report(reply, text, code), rest_of(reply, text))


def _code_number(reply: Reply) -> Failure | None:
    """`{"code": 40001, "msg": "...", "data": null}`: a number beside a message, and nothing else."""
    name = next((name for name in NUMBER_KEYS if name in reply.fields and _is_bad(reply.fields[name])), None)
    text = sibling_text(reply)
    if name is None or text is None or _DONE.search(text):
        return None
    if not _is_reply(reply, name) or reply.content_beside(ENVELOPE_KEYS, NUMBER_KEYS):
        return None
    return Failure(report(reply, text), rest_of(reply, text, NUMBER_KEYS))


# in use for success, as are 2xx
_GOOD_NUMBERS = frozenset((0, 1, 10_000, 20_000))
_LETTERED = re.compile(r"[A-Z]\d{4,8}\Z|[A-Z]+\.\d{4}\Z")  # Alibaba's A0201, Huawei's APIGW.0301
_DONE = re.compile(r"(?:成功|\bsuccess(?:ful|fully)?)\W*\Z", re.IGNORECASE)


def _is_bad(code: object) -> bool:
    """Say whether a code is a number that stands for a failure."""
    if type(code) is str and code.isascii() and code.removeprefix("-").isdigit() and len(code) < 19:
        code = int(code)
    if type(code) is int:
        return code not in _GOOD_NUMBERS and not 200 <= code < 300
    return type(code) is str and _LETTERED.match(code) is not None


def _is_reply(reply: Reply, name: str) -> bool:
    """Say whether a code and a text are a service's reply: a code of its own kind, a text, or no data."""
    code, fields = reply.fields[name], reply.fields
    if name not in ("code", "ret", "rc") or any(key in fields for key in ("msg", "submsg", "errormsg")):
        return True
    if any(key in fields and not has_content(fields[key]) for key in ("data", "result")):
        return True
    # five digits or eight: one to be typed in has four or six
    is_long = type(code) is int and len(str(code)) in (5, 8) and "message" in fields
    return is_long or (type(code) is int and code < 0)


# the keys without which a shape cannot be, the only keys that it bears, its detector; the first two are
# plainer than an `error` key
SHAPES: tuple[tuple[frozenset[str], frozenset[str] | None, Callable[[Reply], Failure | None]], ...] = (
    (frozenset(EXIT_KEYS), None, _process_exit),
    (frozenset(("resourcetype",)), None, _operation_outcome),
    (frozenset(("ename",)), None, _cell_output),
    (frozenset(HTTP_KEYS), None, _http_number),
    (frozenset(("title",)), None, _problem),
    (frozenset(("message", "detail", "msg", "messages")), _BARE_KEYS | {"retryafter", "global"}, _bare_reply),
    (frozenset(NUMBER_KEYS), None, _code_number),
)
