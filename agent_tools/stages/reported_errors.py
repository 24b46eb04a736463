"""Tell a failure that was handed back as data from data that mentions one: a part of `outcome`.

In:   a `Reply`: one level of a returned mapping or record.
Out:  a `Failure` (what failed, what is left as data, whether something came all the same), or None.

Each way in which APIs report a failure is one detector, a row of DETECTORS. The plainest marker comes first.
What counts is the shape: a key that is there for failures, a false success flag, a failing HTTP status. Words
inside a message never decide, nor does an `error` key deeper down or in the items of a list.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from agent_tools.stages.outcome_json import read_json_text
from agent_tools.stages.outcome_keys import COLLECTION_KEYS, FALSE_FLAGS, LEVEL_KEYS, TIME_KEYS, words
from agent_tools.stages.outcome_replies import Reply, Shape, has_content, read_reply, spellings, text_of
from agent_tools.stages.reported_codes import CODE_WORDS
from agent_tools.stages.reported_flags import (
    FAILED_WORDS,
    META_KEYS,
    TRUE_FLAGS,
    WORD_KEYS,
    false_flag,
    meta_object,
    status_object,
    status_word,
    true_flag,
)
from agent_tools.stages.reported_keys import (
    ERROR_KEYS,
    ERRORS_KEYS,
    USER_ERRORS_KEYS,
    error_key,
    errors_key,
    user_errors,
)
from agent_tools.stages.reported_lines import find_error_text
from agent_tools.stages.reported_shapes import SHAPES
from agent_tools.stages.reported_texts import Failure, failure_text, report, sibling_text


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


Detector = Callable[[Reply], Failure | None]
# the keys without which a detector has nothing to find, the only keys that it bears (None: any), the detector
DETECTORS: tuple[tuple[frozenset[str], frozenset[str] | None, Detector], ...] = (
    (frozenset(("iserror",)), None, _mcp_result),
    *SHAPES[:2],
    (frozenset(ERROR_KEYS), None, error_key),
    (frozenset(ERRORS_KEYS), None, errors_key),
    (frozenset(USER_ERRORS_KEYS), None, user_errors),
    (frozenset(FALSE_FLAGS), None, false_flag),
    (frozenset(TRUE_FLAGS), None, true_flag),
    (frozenset(WORD_KEYS), None, status_word),
    (frozenset(("status",)), None, status_object),
    (frozenset(META_KEYS), None, meta_object),
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
    if detectors is None or reply.fields.get("iserror") is False:
        return None
    for detect in detectors:
        if (found := detect(reply)) is not None:
            return found
    for item in reply.fields.values():
        if item is False:
            if (found := false_flag(reply)) is not None:
                return found
            break
    return _wrapped(reply, depth) if depth < MAX_DEPTH else None


def _wrapped(reply: Reply, depth: int) -> Failure | None:
    """Look into the only thing that a reply holds: `{"result": {"error": ...}}`, a mutation's payload."""
    name = reply.sole_content()
    if name is None:
        return None
    value = reply.fields[name]
    text = text_of(value) if name in _TEXT_WRAPPERS else only_text(value) if name == "content" else None
    if text is not None:
        held = read_reply(read_json_text(text)) if name == "content" else None
        reported = find_error_text(text)
        if reported is not None:
            return Failure(reported)
        return find_failure(held, MAX_DEPTH) if held is not None else None
    inner = read_reply(value)
    found = find_failure(inner, depth + 1) if inner is not None else None
    # under a name of its own stands a thing, which may have an error, unless it has nothing else
    known = name in COLLECTION_KEYS or depth or name.endswith("envelope")  # SOAP
    return found if known or inner is None or not inner.has_content() else None


def only_text(content: object) -> str | None:
    """Return the text of an MCP content list that has one text part and nothing else."""
    part = read_reply(content[0]) if type(content) is list and len(content) == 1 else None
    return (
        text_of(part.fields.get("text")) if part is not None and part.fields.get("type") == "text" else None
    )


# keys of two words among those of DETECTORS
_TWO_WORDS = words(
    "error_message error_msg error_code error_messages status_code http_status http_code http_status_code "
    "response_code response_status exit_code return_code exit_status resource_type is_success is_successful "
    "fault_string err_code err_msg ret_code result_code non_field_errors"
)
# keys, as they are spelt, that make a flat dict of texts and numbers worth a look
SPELT_TRIGGERS = frozenset(
    spelt
    for name in (*_TWO_WORDS, *_TEXT_WRAPPERS, *(name for needs, _, _ in DETECTORS for name in needs))
    for spelt in spellings(name)
)
# of those, the ones that every second record has; with a word of its own they trigger nothing
_QUIET_KEYS = frozenset(
    key for name in ("status", "state", "type", "object", "outcome", "title") for key in spellings(name)
)
_LOUD_WORDS = FAILED_WORDS | CODE_WORDS | {"error"}


def is_quiet(key: object, text: str) -> bool:
    """Say whether a text under a key of SPELT_TRIGGERS reports no failure, whatever stands beside it.

    Example:
        >>> is_quiet("status", "open"), is_quiet("status", "error"), is_quiet("status", "404")
        (True, False, False)
    """
    if key not in _QUIET_KEYS or text.isdigit() or ":" in text:
        return False
    return text.strip().lower() not in _LOUD_WORDS
