"""Flags and status words that say that a call failed: a part of `outcome`.

In:   a `Reply`.
Out:  a `Failure`, or None.

`success` and `ok` are flags even alone; another false value (`login_status`, `deleted`) is one only beside
a text that says why, and a word such as `failed` only where it does not describe a thing.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_tools.stages.outcome_keys import FALSE_FLAGS, word_set
from agent_tools.stages.outcome_replies import Reply, has_content, is_failure_text, read_reply
from agent_tools.stages.reported_codes import CODE_WORDS, http_status
from agent_tools.stages.reported_shapes import HTTP_KEYS
from agent_tools.stages.reported_texts import (
    ENVELOPE_KEYS,
    Failure,
    failure_text,
    report,
    rest_of,
    sibling_text,
)

WORD_KEYS = (
    "status",
    "result",
    "object",
    "type",
    "responsestatus",
    "outcome",
    "stat",
    "state",
    "returncode",
    "resultcode",
    "code",
)
TRUE_FLAGS = ("failed", "haserror", "haserrors")
# an action's outcome as a participle: a failure only where the reply has nothing but it and a message
DONE_FLAGS = word_set(
    "created updated deleted removed added inserted saved stored sent delivered submitted booked "
    "cancelled canceled registered uploaded downloaded loggedin loggedout authenticated authorized "
    "completed executed processed accepted scheduled assigned moved copied renamed published subscribed "
    "unsubscribed purchased refunded transferred posted liked followed unfollowed resolved closed "
    "opened started stopped"
)
# a test run's: its `success` is what was asked for
TALLY_KEYS = word_set(
    "tests testsrun passed failed failures skipped numfailedtests numpassedtests numtotaltests"
)
FAILED_WORDS = frozenset(("failed", "fail", "failure", "unsuccessful", "errored", "exception"))


def _flag(value: object) -> bool | None:
    """Return a success flag given as a bool or as text, None for anything else."""
    if type(value) is bool:
        return value
    if type(value) is str and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return None


def success_flag(reply: Reply) -> bool | None:
    return next((flag for name in FALSE_FLAGS if (flag := _flag(reply.fields.get(name))) is not None), None)


def says_failed(reply: Reply) -> bool:
    status = reply.fields.get("status")
    return (
        success_flag(reply) is False
        or status is False
        or (type(status) is str and status.lower() in (*FAILED_WORDS, "error"))
        or any(http_status(reply.fields.get(name)) for name in HTTP_KEYS)
    )


def says_more(reply: Reply, without: Iterable[str] = ()) -> bool:
    """Say whether there is anything beside the failure."""
    return bool(reply.content_beside(ENVELOPE_KEYS, without))


def false_flag(reply: Reply) -> Failure | None:
    """`{"success": false}`, `{"ok": false, ...}`, `{"login_status": false, "message": "..."}`."""
    flag = success_flag(reply)
    # MongoDB's `ok: 0`; a counter stands without the text of a failure
    numbers = [reply.fields.get(name) for name in ("ok", "success")]
    is_zero = any(type(number) in _NUMBERS and number == 0 for number in numbers)
    if _is_tally(reply):
        return None
    if flag is False or is_zero:
        plainly = any(is_failure_text(reply.fields.get(name)) for name in PLAIN_TEXTS)
        if plainly or (flag is False and not reply.is_thing(ENVELOPE_KEYS)):
            return _flagged(reply, sibling_text(reply))
    names = [name for name, item in reply.fields.items() if item is False and _is_flag(reply, name)]
    text = sibling_text(reply) if names else None
    return None if text is None else _flagged(reply, text, names[0])


def true_flag(reply: Reply) -> Failure | None:
    """Ansible: `{"failed": true, "msg": "..."}`, and `{"hasError": true, "errorMessage": "..."}`."""
    if not any(reply.fields.get(name) is True for name in TRUE_FLAGS) or reply.is_thing(ENVELOPE_KEYS):
        return None
    text = sibling_text(reply) or failure_text(reply.fields.get("stderr"))
    return None if text is None else _flagged(reply, text, *TRUE_FLAGS)


def _is_tally(reply: Reply) -> bool:
    return sum(type(reply.fields[name]) is int for name in TALLY_KEYS & reply.fields.keys()) > 1


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
    return name in DONE_FLAGS and not says_more(reply, (name,))


def status_object(reply: Reply) -> Failure | None:
    """Qdrant: `{"status": {"error": "..."}}`."""
    inner = read_reply(reply.fields.get("status"))
    if inner is None or inner.names.keys() != {"error"} or not is_failure_text(inner.fields["error"]):
        return None
    return _flagged(reply, failure_text(inner.fields["error"]))


META_KEYS = ("meta", "responsestatus", "responsemetadata")


def meta_object(reply: Reply) -> Failure | None:
    """Foursquare: `{"meta": {"code": 400, "errorDetail": "..."}, "response": {}}`, Volcengine."""
    outer = next(
        (found for name in META_KEYS if (found := read_reply(reply.fields.get(name))) is not None), None
    )
    inner = outer and (read_reply(outer.fields.get("error")) or outer)
    text = sibling_text(inner) if inner is not None else None
    if inner is None or text is None or says_more(reply, META_KEYS):
        return None
    failing = any(http_status(inner.fields.get(name)) is not None for name in HTTP_KEYS)
    told = inner is not outer or has_content(inner.fields.get("errorcode"))
    return Failure(report(inner, text)) if failing or told else None


def status_word(reply: Reply) -> Failure | None:
    """`{"status": "error", ...}`, JSend's `fail`, `{"type": "error"}`, `{"result": "error"}`."""
    for name in WORD_KEYS:
        word = reply.fields.get(name)
        word = word.strip().lower() if type(word) is str else None
        if word is not None and (word == "error" or word in FAILED_WORDS or word in CODE_WORDS):
            text = sibling_text(reply) or _text_below(reply)
            if _is_failed(reply, name, word, text):
                return _flagged(reply, text, name)
    return None


def _text_below(reply: Reply) -> str | None:
    """Return the text of LangChain's ToolMessage (`content`) or of JSend's `data`."""
    return failure_text(reply.fields.get("content")) or failure_text(reply.fields.get("data"))


def _is_failed(reply: Reply, name: str, word: str, text: str | None) -> bool:
    if name != "status" or word in CODE_WORDS:
        told = text is not None or any(key.startswith("error") for key in reply.fields)
        return told and not says_more(reply, (name,))
    if word == "error":
        is_record = text is None and len(reply.content_beside(ENVELOPE_KEYS)) > 2
        return not is_record and not reply.is_thing(ENVELOPE_KEYS)
    # a job, an order or a payment may have failed, which is what was asked
    return text is not None and not reply.is_thing(ENVELOPE_KEYS, 1)
