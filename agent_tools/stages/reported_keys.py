"""Errors under keys that are there for them, `error` and `errors`: a part of `outcome`.

In:   a `Reply`.
Out:  a `Failure`, or None; a partial one where rows came all the same.

A key alone decides nothing: null, blank, zero and `none` are no failure; measured errors, schemas, the
findings of a linter and the error field of a record are data.
"""

from __future__ import annotations

from agent_tools.errors import ErrorCode
from agent_tools.stages.outcome_keys import COLLECTION_KEYS, word_set
from agent_tools.stages.outcome_replies import (
    Reply,
    has_content,
    is_failure_text,
    read_reply,
    size_of,
    text_of,
)
from agent_tools.stages.reported_codes import Reported, find_code, http_status, is_code_like
from agent_tools.stages.reported_flags import says_failed, says_more, success_flag
from agent_tools.stages.reported_texts import (
    ENVELOPE_KEYS,
    LONGEST_JOIN,
    MAX_FAILED,
    MORE_KEYS,
    Failure,
    dump,
    failure_text,
    is_exception,
    object_text,
    report,
    rest_of,
    said,
    sibling_text,
)

ERROR_KEYS = (
    *("error", "err", "exception", "fault", "errormessage", "errormsg", "errmsg", "faultstring"),
    *("odataerror", "soapfault", "soapenvfault", "failure", "错误", "错误信息"),
)
ERRORS_KEYS = ("errors", "errormessages", "errorlist", "nonfielderrors")
USER_ERRORS_KEYS = ("usererrors", "validationerrors", "fielderrors")
# a verdict on what was checked: its errors are what was asked for
VERDICT_KEYS = word_set(
    "valid isvalid passed failed failures warnings score grade checked tests testsrun skipped file "
    "filename filepath line lint violations infos notices compliant issuecount errorcount warningcount"
)
LINT_KEYS = word_set("line lineno linenumber row column col startline ruleid rule linter")


def _has_rows(reply: Reply) -> bool:
    """Say whether a known collection or wrapper holds something: then a failure is not the whole story."""
    return any(
        name in COLLECTION_KEYS and name not in ("content", "body") and _is_answer(item)
        for name, item in reply.fields.items()
    )


def _is_answer(value: object, depth: int = 0) -> bool:
    if type(value) is dict:
        return depth < 3 and any(_is_answer(item, depth + 1) or _is_scalar(item) for item in value.values())
    return bool(size_of(value))


def _is_scalar(value: object) -> bool:
    return has_content(value) and size_of(value) is None


def error_key(reply: Reply) -> Failure | None:
    """`{"error": "..."}`, `{"error": {...}}`, and the like under other names."""
    name = next((name for name in ERROR_KEYS if name in reply.fields and _tells_failure(reply, name)), None)
    if name is None:
        return None
    value = reply.fields[name]
    message = (sibling_text(reply) or "") if value is True else said(value, reply, name)
    phrase = (text_of(value) or "").strip()
    reported = report(reply, message, *_error_objects(value), phrase=phrase if is_code_like(phrase) else None)
    if not _has_rows(reply) or says_failed(reply):
        return Failure(reported, rest_of(reply, message, ("stack", "stacktrace")))
    kept = {key: item for key, item in reply.raw.items() if key != reply.names[name]}
    return Failure(reported, kept, partial=True, failed=[_failed_item(value)])


def _error_objects(value: object) -> list[Reply]:
    """Return an error object and the one in it, the innermost last asked: codes stand in the outer one."""
    if http_status(value) is not None:
        return [Reply({"code": value})]
    first = read_reply(value[0] if type(value) is list and value else value)
    inner = read_reply(first.fields.get("error")) if first is not None else None
    return [part for part in (first, inner) if part is not None]


def _tells_failure(reply: Reply, name: str) -> bool:
    """Say whether what stands under an error key is a failure of the call."""
    value = reply.fields[name]
    if not _is_failure_value(reply, value) or (value is True and name != "error"):
        return False
    if says_failed(reply):
        # a failed run or job is a thing, with an error of its own
        return success_flag(reply) is False or not reply.is_thing(ENVELOPE_KEYS)
    if reply.fields.get("valid", reply.fields.get("isvalid")) is False or _is_table(reply):
        return False
    if name == "error":
        # a thing with an error field of its own: a run, a job, a message
        return not reply.is_thing(ENVELOPE_KEYS)
    told = [reply.fields.get(key) for key in ("errcode", "errorcode", "errno", "code")]
    return not any(code in _ZEROS for code in told if type(code) in _PLAIN_KINDS) and not says_more(
        reply, (name,)
    )


def _is_table(reply: Reply) -> bool:
    """Say whether `ok` or `success` stands beside `error` as one more entry: a theme, texts by their name."""
    beside = [reply.fields[name] for name in ("ok", "success") if name in reply.fields]
    return any(
        type(item) is dict or (type(item) is str and item.lower() not in _FLAG_WORDS) for item in beside
    )


_FLAG_WORDS = frozenset(("", "true", "false", "yes", "no", "y", "n", "0", "1"))
_ZEROS = (0, "0", "ok", "OK", "success")
_PLAIN_KINDS = (int, str)


def _is_failure_value(reply: Reply, value: object) -> bool:
    """Say whether a value means failure: a text, an object or list with texts, True, a number and a text."""
    if success_flag(reply) is True and not has_content(reply.fields.get("errorcode")):
        return False
    kind = type(value)
    if kind is bool:
        return value is True
    if kind is int:
        return value != 0 and (sibling_text(reply) is not None or http_status(value) is not None)
    if kind is list or kind is tuple:
        return failure_text(value) is not None
    if is_exception(value):
        return True
    inner = read_reply(value)
    return is_failure_text(value) if inner is None else _is_error_object(inner)


def _is_error_object(inner: Reply) -> bool:
    code = inner.fields.get("code")
    if type(code) in _PLAIN_KINDS and code in _ZEROS:
        return False
    if not _SCHEMA_KEYS.isdisjoint(inner.fields) or inner.fields.get("type") in _JSON_TYPES:
        return False
    # numbers alone are error bars or counts
    numbered = type(code) is int or http_status(inner.fields.get("status")) is not None
    return numbered or object_text(inner) is not None


# a JSON Schema of an error is none
_SCHEMA_KEYS = word_set(
    "ref anyof oneof allof properties pattern maxlength minlength enum shape members documentation"
)
_JSON_TYPES = ("string", "object", "array", "number", "integer", "boolean")


def errors_key(reply: Reply) -> Failure | None:
    """GraphQL, JSON:API, Rails: `errors` as a list, an object or a text; `true` in bulk replies."""
    name = next((name for name in ERRORS_KEYS if has_content(reply.fields.get(name))), "")
    errors = reply.fields.get(name)
    if errors is True:
        return _bulk_errors(reply)
    text = failure_text(errors)
    if type(errors) not in (list, dict, str) or text is None or _is_report(reply, errors):
        return None
    items = errors if type(errors) is list else [errors]
    first = read_reply(items[0]) if type(errors) is list else None
    first = None if first is None or sibling_text(first) is None else first  # a bare code is of a field
    extensions = read_reply(first.fields.get("extensions")) if first is not None else None
    head = sibling_text(reply, (*MORE_KEYS, "title"))
    message = text if head is None or head in text else f"{head}: {text}"
    reported = report(reply, message, *(part for part in (extensions, first) if part is not None))
    if _has_rows(reply) and success_flag(reply) is not False:
        return _partial_errors(reply, reported, name, items)
    # one error is in the message, fields with several are data that helps
    told = () if type(errors) is dict or len(items) > 1 else (name,)
    return Failure(reported, rest_of(reply, message, told))


def _partial_errors(reply: Reply, reported: Reported, name: str, items: list[object]) -> Failure:
    failed = [_failed_item(item) for item in items[:MAX_FAILED]]
    told = reply.names[name] if len(items) <= MAX_FAILED else None
    kept = {key: item for key, item in reply.raw.items() if key != told}
    return Failure(reported, kept, partial=True, failed=failed)


def _is_report(reply: Reply, errors: object) -> bool:
    """Say whether errors are what was asked for: a linter's, a validator's, a test run's."""
    if says_failed(reply):
        return False
    rows = [row for row in errors[:LONGEST_JOIN] if type(row) is dict] if type(errors) is list else []
    if any(not LINT_KEYS.isdisjoint(row) for row in rows) or not VERDICT_KEYS.isdisjoint(reply.fields):
        return True
    return says_more(reply, (*COLLECTION_KEYS, *ERRORS_KEYS))


def _bulk_errors(reply: Reply) -> Failure | None:
    """Elasticsearch's bulk reply: `errors: true` and each item's own status."""
    items = reply.fields.get("items")
    errors = [_item_error(item) for item in items] if type(items) is list else []
    bad = [error for error in errors if error is not None]
    if not bad:
        return None
    first = read_reply(bad[0])
    reported = report(first or Reply({}), failure_text(bad[0]))
    failed = [_failed_item(error) for error in bad[:MAX_FAILED]]
    return Failure(reported, reply.raw, partial=len(bad) < len(errors), failed=failed)


def _item_error(item: object) -> object:
    inner = next(iter(item.values())) if type(item) is dict and len(item) == 1 else item
    return inner.get("error") if type(inner) is dict else None


def _failed_item(item: object) -> dict[str, object]:
    """Return one failure of a partial: its message, and path and code where it has them."""
    reply = read_reply(item)
    failed: dict[str, object] = {"message": failure_text(item) or dump(item)}
    if reply is None:
        return failed
    extensions = read_reply(reply.fields.get("extensions"))
    code, _, _ = find_code([part for part in (extensions, reply) if part is not None])
    if code != ErrorCode.TOOL_REPORTED_ERROR:
        failed["code"] = code
    path = reply.fields.get("path")
    if type(path) in (list, str) and has_content(path):
        failed["path"] = path
    return failed


def user_errors(reply: Reply) -> Failure | None:
    """Shopify's and Relay's mutations: `userErrors` beside a null result, below `data`."""
    for name in USER_ERRORS_KEYS:
        errors = reply.fields.get(name)
        if type(errors) is list and errors and not says_more(reply, (name,)):
            return Failure(report(read_reply(errors[0]) or Reply({}), failure_text(errors)), reply.raw)
    return None
