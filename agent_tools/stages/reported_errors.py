"""Tell a failure that was handed back as data from data that mentions one: a part of `outcome`.

In:   a `Reply`: one level of a returned mapping or record.
Out:  a `Failure` (what failed, what is left as data, whether something came all the same), or None.

Each way in which APIs report a failure is one detector, a row of DETECTORS. The plainest marker comes first.
What counts is the shape: a key that is there for failures, a false success flag, a failing HTTP status. Words
inside a message never decide, nor does an `error` key deeper down or in the items of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from agent_tools.errors import ErrorCode
from agent_tools.stages.outcome_json import read_json_text
from agent_tools.stages.outcome_keys import (
    COLLECTION_KEYS,
    FALSE_FLAGS,
    LEVEL_KEYS,
    TIME_KEYS,
    word_set,
    words,
)
from agent_tools.stages.outcome_replies import (
    Reply,
    Shape,
    has_content,
    is_failure_text,
    read_reply,
    size_of,
    spellings,
    text_of,
)
from agent_tools.stages.reported_codes import Reported, find_code, http_status, is_code_like
from agent_tools.stages.reported_lines import find_error_text
from agent_tools.stages.reported_shapes import HTTP_KEYS, SHAPES
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

ERROR_KEYS = ("error", "err", "exception", "fault", "errormessage", "errormsg", "errmsg", "faultstring")
ERRORS_KEYS = ("errors", "errormessages", "errorlist")
USER_ERRORS_KEYS = ("usererrors", "validationerrors", "fielderrors")
WORD_KEYS = ("status", "result", "object", "type", "responsestatus", "outcome")
# a verdict on what was checked: its errors are what was asked for
VERDICT_KEYS = word_set(
    "valid isvalid passed failed failures warnings score grade checked tests testsrun skipped file "
    "filename filepath line lint violations infos notices compliant issuecount errorcount warningcount"
)
LINT_KEYS = word_set("line lineno linenumber row column col startline ruleid rule linter")
# an action's outcome as a participle: a failure only where the reply has nothing but it and a message
DONE_FLAGS = word_set(
    "created updated deleted removed added inserted saved stored sent delivered submitted booked "
    "cancelled canceled registered uploaded downloaded loggedin loggedout authenticated authorized "
    "completed executed processed accepted scheduled assigned moved copied renamed published subscribed "
    "unsubscribed purchased refunded transferred posted liked followed unfollowed resolved closed "
    "opened started stopped"
)
FAILED_WORDS = frozenset(("failed", "fail", "failure", "unsuccessful", "errored", "exception"))


# --- what speaks against a failure


def _flag(value: object) -> bool | None:
    """Return a success flag given as a bool or as text, None for anything else."""
    if type(value) is bool:
        return value
    if type(value) is str and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return None


def _success_flag(reply: Reply) -> bool | None:
    return next((flag for name in FALSE_FLAGS if (flag := _flag(reply.fields.get(name))) is not None), None)


def _says_failed(reply: Reply) -> bool:
    status = reply.fields.get("status")
    return (
        _success_flag(reply) is False
        or status is False
        or (type(status) is str and status.lower() in (*FAILED_WORDS, "error"))
        or any(http_status(reply.fields.get(name)) for name in HTTP_KEYS)
    )


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


# --- the detectors


def _mcp_result(reply: Reply) -> Failure | None:
    """MCP's and Anthropic's tool results: `isError` with the text in `content`."""
    if reply.fields.get("iserror") is not True:
        return None
    message = failure_text(reply.fields.get("content")) or sibling_text(reply)
    inner = read_reply(read_json_text(message)) if message is not None else None
    found = find_failure(inner, MAX_DEPTH) if inner is not None else None
    if found is not None:
        return Failure(found.reported, found.rest)
    rest = reply.fields.get("structuredcontent")
    return Failure(report(reply, message), rest if has_content(rest) else None)


def _error_key(reply: Reply) -> Failure | None:
    """`{"error": "..."}`, `{"error": {...}}`, and the like under other names."""
    name = next((name for name in ERROR_KEYS if name in reply.fields and _tells_failure(reply, name)), None)
    if name is None:
        return None
    value = reply.fields[name]
    message = (sibling_text(reply) or "") if value is True else said(value, reply, name)
    phrase = (text_of(value) or "").strip()
    reported = report(reply, message, *_error_objects(value), phrase=phrase if is_code_like(phrase) else None)
    if not _has_rows(reply) or _says_failed(reply):
        return Failure(reported, rest_of(reply, message, ("stack", "stacktrace")))
    kept = {key: item for key, item in reply.raw.items() if key != reply.names[name]}
    return Failure(reported, kept, partial=True, failed=[_failed_item(value)])


def _error_objects(value: object) -> list[Reply]:
    """Return an error object and the one in it, the innermost last asked: codes stand in the outer one."""
    first = read_reply(value[0] if type(value) is list and value else value)
    inner = read_reply(first.fields.get("error")) if first is not None else None
    return [part for part in (first, inner) if part is not None]


def _tells_failure(reply: Reply, name: str) -> bool:
    """Say whether what stands under an error key is a failure of the call."""
    value = reply.fields[name]
    if not _is_failure_value(reply, value) or (value is True and name != "error"):
        return False
    if _says_failed(reply):
        return True
    if name in ("error", "fault"):
        # a thing with an error field of its own: a run, a job, a message
        return not reply.is_thing(ENVELOPE_KEYS)
    told = [reply.fields.get(key) for key in ("errcode", "errorcode", "errno", "code")]
    return not any(code in _ZEROS for code in told if type(code) in _PLAIN_KINDS) and not _says_more(reply)


_ZEROS = (0, "0", "ok", "OK", "success")
_PLAIN_KINDS = (int, str)


def _says_more(reply: Reply, without: Iterable[str] = ()) -> bool:
    """Say whether there is anything beside the failure."""
    return bool(reply.content_beside(ENVELOPE_KEYS, without))


def _is_failure_value(reply: Reply, value: object) -> bool:
    """Say whether a value means failure: a text, an object or list with texts, True, a number and a text."""
    if _success_flag(reply) is True and not has_content(reply.fields.get("errorcode")):
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


def _errors_key(reply: Reply) -> Failure | None:
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
    if _has_rows(reply) and _success_flag(reply) is not False:
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
    if _says_failed(reply):
        return False
    rows = [row for row in errors[:LONGEST_JOIN] if type(row) is dict] if type(errors) is list else []
    if any(not LINT_KEYS.isdisjoint(row) for row in rows) or not VERDICT_KEYS.isdisjoint(reply.fields):
        return True
    return _says_more(reply, COLLECTION_KEYS)


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


def _user_errors(reply: Reply) -> Failure | None:
    """Shopify's and Relay's mutations: `userErrors` beside a null result, below `data`."""
    for name in USER_ERRORS_KEYS:
        errors = reply.fields.get(name)
        if type(errors) is list and errors and not _says_more(reply, (name,)):
            return Failure(report(read_reply(errors[0]) or Reply({}), failure_text(errors)), reply.raw)
    return None


def _false_flag(reply: Reply) -> Failure | None:
    """`{"success": false}`, `{"ok": false, ...}`, `{"login_status": false, "message": "..."}`."""
    flag = _success_flag(reply)
    # MongoDB's `ok: 0`; a counter stands without the text of a failure
    numbers = [reply.fields.get(name) for name in ("ok", "success")]
    is_zero = any(type(number) in _NUMBERS and number == 0 for number in numbers)
    if flag is False or is_zero:
        plainly = any(is_failure_text(reply.fields.get(name)) for name in PLAIN_TEXTS)
        if plainly or (flag is False and not reply.is_thing(ENVELOPE_KEYS)):
            return _flagged(reply, sibling_text(reply))
    names = [name for name, item in reply.fields.items() if item is False and _is_flag(reply, name)]
    text = sibling_text(reply) if names else None
    return None if text is None else _flagged(reply, text, names[0])


_NUMBERS = (int, float)
PLAIN_TEXTS = ("message", "msg", "error", "errmsg", "errormessage", "reason")


def _flagged(reply: Reply, text: str | None, *told: str) -> Failure:
    return Failure(report(reply, text), rest_of(reply, text or "", told))


def _is_flag(reply: Reply, name: str) -> bool:
    """Say whether False under this name is a failed call and not an answer, given a text that says why."""
    if "id" in reply.fields:
        return False
    if name.endswith(("status", "success", "successful", "succeeded")):
        return True
    return name in DONE_FLAGS and not _says_more(reply, (name,))


def _status_object(reply: Reply) -> Failure | None:
    """Qdrant: `{"status": {"error": "..."}}`."""
    inner = read_reply(reply.fields.get("status"))
    if inner is None or inner.names.keys() != {"error"} or not is_failure_text(inner.fields["error"]):
        return None
    return _flagged(reply, failure_text(inner.fields["error"]))


def _status_word(reply: Reply) -> Failure | None:
    """`{"status": "error", ...}`, JSend's `fail`, `{"type": "error"}`, `{"result": "error"}`."""
    for name in WORD_KEYS:
        word = reply.fields.get(name)
        word = word.strip().lower() if type(word) is str else None
        if word is not None and (word == "error" or word in FAILED_WORDS):
            text = sibling_text(reply) or _text_below(reply)
            if _is_failed(reply, name, word, text):
                return _flagged(reply, text, name)
    return None


def _text_below(reply: Reply) -> str | None:
    """Return the text of LangChain's ToolMessage (`content`) or of JSend's `data`."""
    return failure_text(reply.fields.get("content")) or failure_text(reply.fields.get("data"))


def _is_failed(reply: Reply, name: str, word: str, text: str | None) -> bool:
    if name != "status":
        told = text is not None or any(key.startswith("error") for key in reply.fields)
        return told and not _says_more(reply, (name,))
    if word == "error":
        return not reply.is_thing(ENVELOPE_KEYS)
    # a job, an order or a payment may have failed, which is what was asked
    return text is not None and not reply.is_thing(ENVELOPE_KEYS, 2)


Detector = Callable[[Reply], Failure | None]
# the keys without which a detector has nothing to find, the only keys that it bears (None: any), the detector
DETECTORS: tuple[tuple[frozenset[str], frozenset[str] | None, Detector], ...] = (
    (frozenset(("iserror",)), None, _mcp_result),
    *SHAPES[:2],
    (frozenset(ERROR_KEYS), None, _error_key),
    (frozenset(ERRORS_KEYS), None, _errors_key),
    (frozenset(USER_ERRORS_KEYS), None, _user_errors),
    (frozenset(FALSE_FLAGS), None, _false_flag),
    (frozenset(WORD_KEYS), None, _status_word),
    (frozenset(("status",)), None, _status_object),
    *SHAPES[2:],
)
MAX_DEPTH = 3
_TEXT_WRAPPERS = ("result", "response", "reply")


@lru_cache(maxsize=1024)
def _detectors_of(shape: Shape) -> tuple[Detector, ...] | None:
    """Return the detectors that may find something in replies with these keys; None for a line of a log."""
    names = frozenset(shape.names)
    if not LEVEL_KEYS.isdisjoint(names) and not TIME_KEYS.isdisjoint(names):
        return None
    return tuple(
        detect
        for needs, only, detect in DETECTORS
        if not needs.isdisjoint(names) and (only is None or names <= only)
    )


def find_failure(reply: Reply, depth: int = 0) -> Failure | None:
    """Return the failure that a reply reports, at its own level or in the one object that it wraps.

    Example:
        >>> find_failure(Reply({"ok": False, "error": "channel_not_found"})).reported.code
        'CHANNEL_NOT_FOUND'
        >>> find_failure(Reply({"error": None, "rows": [1]}))
    """
    detectors = _detectors_of(reply.shape)
    if detectors is None:
        return None
    for detect in detectors:
        if (found := detect(reply)) is not None:
            return found
    for item in reply.fields.values():
        if item is False:
            if (found := _false_flag(reply)) is not None:
                return found
            break
    return _wrapped(reply, depth) if depth < MAX_DEPTH else None


def _wrapped(reply: Reply, depth: int) -> Failure | None:
    """Look into the only thing that a reply holds: `{"result": {"error": ...}}`, a mutation's payload."""
    name = reply.sole_content()
    if name is None:
        return None
    value = reply.fields[name]
    text = text_of(value) if name in _TEXT_WRAPPERS else _only_text(value) if name == "content" else None
    if text is not None:
        held = read_reply(read_json_text(text)) if name == "content" else None
        reported = find_error_text(text)
        if reported is not None:
            return Failure(reported)
        return find_failure(held, MAX_DEPTH) if held is not None else None
    inner = read_reply(value)
    found = find_failure(inner, depth + 1) if inner is not None else None
    # under a name of its own stands a thing, which may have an error, unless it has nothing else
    known = name in COLLECTION_KEYS or depth
    return found if known or inner is None or not inner.has_content() else None


def _only_text(content: object) -> str | None:
    """Return the text of an MCP content list that has one text part and nothing else."""
    part = read_reply(content[0]) if type(content) is list and len(content) == 1 else None
    return (
        text_of(part.fields.get("text")) if part is not None and part.fields.get("type") == "text" else None
    )


# keys of two words among those of DETECTORS
_TWO_WORDS = words(
    "error_message error_msg error_code error_messages status_code http_status http_code http_status_code "
    "response_code response_status exit_code return_code exit_status resource_type is_success is_successful "
    "fault_string err_code err_msg ret_code"
)
# keys, as they are spelt, that make a flat dict of texts and numbers worth a look
SPELT_TRIGGERS = frozenset(
    spelt
    for name in (*_TWO_WORDS, *_TEXT_WRAPPERS, *(name for needs, _, _ in DETECTORS for name in needs))
    for spelt in spellings(name)
)
# of those, the ones that every second record has; with a word of its own they trigger nothing
_QUIET_KEYS = frozenset(
    key for name in ("status", "type", "object", "outcome", "title") for key in spellings(name)
)
_LOUD_WORDS = FAILED_WORDS | {"error"}


def is_quiet(key: object, text: str) -> bool:
    """Say whether a text under a key of SPELT_TRIGGERS reports no failure, whatever stands beside it.

    Example:
        >>> is_quiet("status", "open"), is_quiet("status", "error"), is_quiet("status", "404")
        (True, False, False)
    """
    if key not in _QUIET_KEYS or text.isdigit() or ":" in text:
        return False
    return text.strip().lower() not in _LOUD_WORDS
