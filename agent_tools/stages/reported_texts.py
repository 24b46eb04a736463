"""The text and the code of a failure in data, and what is left of the data: a part of `outcome`.

In:   a reply that reports a failure.
Out:  the text as the data says it, the `Reported` with its code, the rest of the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent_tools.stages.outcome_keys import FALSE_FLAGS, NEUTRAL_KEYS, TEXT_KEYS, word_set
from agent_tools.stages.outcome_replies import Reply, has_content, is_failure_text, read_reply, text_of
from agent_tools.stages.reported_codes import Reported, find_code, find_wait, is_code_like

MAX_FAILED = 20
LONGEST_DUMP = 500
LONGEST_JOIN = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure found in data.

    Attributes:
        reported: Code and text.
        rest: The data without what told of the failure; None when nothing of it is left.
        partial: Something came all the same.
        failed: The single failures of a partial, at most MAX_FAILED.
    """

    reported: Reported
    rest: object = None
    partial: bool = False
    failed: list[dict[str, object]] = field(default_factory=list)


# beside a failure these say more of the failure, and nothing of what was asked for
ENVELOPE_KEYS = NEUTRAL_KEYS | word_set(
    "title detail details instance path stack stacktrace traceback trace documentationurl moreinfo help "
    "helpurl docs reason description info innererror category severity errortype errorlist "
    "errormessages method origin faultcode faultstring retryafter retryafterms global target messages "
    "validationerrors fielderrors errorsubcode fbtraceid retryable body extensions exception fault "
    "failure codename suggestion requiredfields file line context args input succeeded successful "
    "errcodedes submsg subcode errordetail retmsg returnmsg statusmessage returncode resultcode retcode "
    "statustext ecode errornumber failed haserror haserrors rc hostid logid recommend debugid stat state "
    "toolcallid tooluseid errorsummary errorlink errorid errorcauses cause action contextinfo serviceversion "
    "xmlns xmlnssoap xmlnssoapenv"
)
# the keys that hold the failure itself are no data
TOLD_KEYS = frozenset(FALSE_FLAGS) | word_set(
    "error err exception fault errormessage errormsg errmsg errcode errorcode errno message msg status "
    "iserror statuscode cod code httpstatus errordescription statusmessage faultstring faultcode "
    "errortype documentationurl moreinfo retryafter retryafterms jsonrpc"
)
# these only if the message has their text
TELLING_KEYS = word_set("detail details title reason description info diagnostics type text instance")
# beside a short `error` these say more of it
MORE_KEYS = tuple(name for name in TEXT_KEYS if name not in ("title", "text", "error", "errors", "info"))
MAX_NESTED = 4


def failure_text(value: object, depth: int = 0) -> str | None:
    """Return what a failure says: its text, or the texts of an object or list joined."""
    text = text_of(value)
    if text is not None:
        return text.strip() if is_failure_text(text) else None
    if depth > MAX_NESTED:
        return None
    if type(value) is list or type(value) is tuple:
        texts = [failure_text(item, depth + 1) for item in value[:LONGEST_JOIN]]
        return "; ".join(dict.fromkeys(text for text in texts if text)) or None
    if is_exception(value):
        return _exception_text(value)
    reply = read_reply(value)
    return None if reply is None else object_text(reply, depth)


def is_exception(value: object) -> bool:
    """Say whether a value is an exception, by its real type."""
    return issubclass(type(value), BaseException)


def _exception_text(error: object) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # an exception's __str__ may fail in any way; its type still tells
        text = ""
    return f"{type(error).__name__}: {text}" if text.strip() else type(error).__name__


def object_text(reply: Reply, depth: int = 0) -> str | None:
    """Return the plainest text of an error object; a validation error's place stands before it."""
    if (raised := _raised_text(reply)) is not None:
        return raised
    for name in (*TEXT_KEYS, "content"):
        text = failure_text(reply.fields.get(name), depth + 1) if name in reply.fields else None
        if text is not None:
            return f"{place}: {text}" if (place := _place(reply.fields.get("loc"))) else text
    items = list(reply.raw.items())[:LONGEST_JOIN]
    texts = [f"{name}: {text}" for name, item in items if (text := failure_text(item, depth + 1)) is not None]
    return "; ".join(texts) or None


def _raised_text(reply: Reply) -> str | None:
    """Return what a sandbox says of an exception: `{"name": "KeyError", "value": "'a'", "traceback": ""}`."""
    fields = reply.fields
    name, value = fields.get("ename", fields.get("name")), fields.get("evalue", fields.get("value"))
    if type(value) is not str or type(name) is not str or not ("traceback" in fields or "ename" in fields):
        # OData: a text and its language
        return value.strip() if type(value) is str and "lang" in fields and is_failure_text(value) else None
    return f"{name}: {value}" if value.strip() else name


def _place(loc: object) -> str:
    if type(loc) is not list and type(loc) is not tuple:
        return ""
    return ".".join(str(part) for part in loc if type(part) is str or type(part) is int)


def dump(value: object) -> str:
    """Return a value as text when it has no text of its own, at most LONGEST_DUMP characters."""
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda item: type(item).__name__)[:LONGEST_DUMP]
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def sibling_text(reply: Reply, names: Iterable[str] = TEXT_KEYS) -> str | None:
    """Return the text that says why: `message` and its like, else a key such as `login_failure`."""
    for name in names:
        if (text := failure_text(reply.fields.get(name))) is not None:
            return text
    for name, item in reply.fields.items():
        if name not in TEXT_KEYS and name.endswith(_FAILURE_ENDS) and is_failure_text(item):
            return failure_text(item)
    return None


_FAILURE_ENDS = ("error", "failure", "failurereason", "errormessage")


def said(main: object, reply: Reply, name: str) -> str:
    """Return the text under an error key with what stands beside it: `Bad Request: name must be text`."""
    text = failure_text(main)
    if text is None:
        return sibling_text(reply) or dump(main)
    beside = sibling_text(reply, [key for key in MORE_KEYS if key != name])
    if text_of(main) is None or beside is None or beside in text:
        return text
    return beside if text in beside or is_code_like(text) else f"{text}: {beside}"


def report(reply: Reply, message: str | None, *inner: Reply, phrase: str | None = None) -> Reported:
    """Build the report; the code of the innermost object wins over the reply's own."""
    code, sub_code, transient = find_code((*inner, reply), phrase=phrase)
    wait = find_wait((*inner, reply))
    return Reported(code, message or "The tool reported a failure.", sub_code, transient, wait)


def rest_of(reply: Reply, message: str, told: Iterable[str] = ()) -> object:
    """Return the data without what told of the failure, None when the rest says nothing.

    Args:
        reply: The reply.
        message: The text that the report has.
        told: More plain names that told of it.
    """
    drop = TOLD_KEYS.union(told)
    for name in TELLING_KEYS & reply.fields.keys():
        if (text := failure_text(reply.fields[name])) is None or text in message:
            drop |= {name}
    names = [name for name in reply.fields if name not in drop]
    kept: dict[object, object] = {reply.names[name]: reply.fields[name] for name in names}
    says = any(has_content(reply.fields[name]) and reply.fields[name] is not False for name in names)
    if extra := _extra(reply.fields.get("error")):
        kept[reply.names["error"]] = extra
    return kept if says or extra else None


_OF_REPORT = TELLING_KEYS - {"details"} | {"errors", "rootcause"}


def _extra(error: object) -> dict[object, object]:
    """Return what an error object holds beyond code and text (`details`, `param`)."""
    inner = read_reply(error) if type(error) is dict else None
    if inner is None:
        return {}
    return {
        inner.names[name]: item
        for name, item in inner.fields.items()
        if name not in TOLD_KEYS and name not in _OF_REPORT and has_content(item)
    }
