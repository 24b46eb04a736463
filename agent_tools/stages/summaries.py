"""Say in one plain sentence how a call went. A part of `budget`.

The state comes first and the total before what is shown: a small model that reads a bare `[]` takes it for a
failure, and one that reads a total beside a shown number answers with the shown number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from agent_tools.result import Json

MAX_SUMMARY = 400
MAX_ASKED = 60
MAX_LISTED = 6

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
# what follows one of these narrows the noun: find_orders_by_customer
_JOINTS = frozenset(
    (
        "by",
        "for",
        "from",
        "in",
        "of",
        "on",
        "at",
        "with",
        "near",
        "to",
        "since",
        "between",
        "within",
        "per",
        "as",
    )
)
_NOT_PLURAL = ("ss", "us", "is", "news", "as", "os")

RECOVERY_SENTENCES = {
    "retry": "Calling it again may help.",
    "fix_arguments": "Calling it again with other arguments may help.",
    "check_first": "It may have taken effect all the same; check before calling it again.",
    "ask_user": "Calling it again will not help; the user has to be asked.",
    "report": "Calling it again will not help; the user has to be told.",
}
# the failure itself is the answer: what was asked for does not exist
DEFINITE_CODES = frozenset({"NOT_FOUND", "ALREADY_EXISTS"})


def noun_of(tool: str) -> str | None:
    """Read from a tool's name what it returns, None when the name does not say.

    Example:
        >>> noun_of("find_orders"), noun_of("listOpenOrders"), noun_of("get_orders_by_city")
        ('orders', 'open orders', 'orders')
        >>> noun_of("get_status") is None
        True
    """
    words = [word.lower() for word in _WORDS.findall(tool.rpartition(".")[2])]
    words = words[1:] if len(words) > 1 else words
    for place, word in enumerate(words):
        if word in _JOINTS:
            words = words[:place]
            break
    if not words or not is_plural(words[-1]):
        return None
    return " ".join(words)


def is_plural(word: str) -> bool:
    """Tell whether an English word looks like a plural.

    Example:
        >>> is_plural("orders"), is_plural("status"), is_plural("people")
        (True, False, True)
    """
    return word in ("people", "children") or (
        len(word) > 3 and word.endswith("s") and not word.endswith(_NOT_PLURAL)
    )


def one_of(noun: str) -> str:
    """Return the singular.

    Example:
        >>> one_of("open orders"), one_of("entries"), one_of("boxes"), one_of("people")
        ('open order', 'entry', 'box', 'person')
    """
    for ending, single in (
        ("people", "person"),
        ("children", "child"),
        ("ies", "y"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("sses", "ss"),
        ("s", ""),
    ):
        if noun.endswith(ending):
            return noun[: len(noun) - len(ending)] + single
    return noun


def count_of(number: int, noun: str) -> str:
    """Return "There are 12 orders in all" with the right number.

    Example:
        >>> count_of(12, "orders"), count_of(1, "orders")
        ('There are 12 orders in all', 'There is 1 order in all')
    """
    return f"There is 1 {one_of(noun)} in all" if number == 1 else f"There are {number} {noun} in all"


def say_whole(number: int, noun: str) -> str:
    """Say that a list is complete.

    Example:
        >>> say_whole(3, "orders"), say_whole(0, "orders")
        ('There are 3 orders in all; all are shown.', 'There are 0 orders in all.')
    """
    if not number:
        return f"{count_of(number, noun)}."
    return f"{count_of(number, noun)}; {'it is' if number == 1 else 'all are'} shown."


def say_empty(asked: Mapping[str, Json]) -> str:
    """Say that the call worked and what it did not find.

    Example:
        >>> say_empty({"city": "Rome", "limit": 5})
        "The call worked. Nothing matched city = 'Rome' and limit = 5."
        >>> say_empty({})
        'The call worked. Nothing matched.'
    """
    named = {name: value for name, value in asked.items() if value is not None}
    if not named:
        return "The call worked. Nothing matched."
    terms = [f"{name} = {_quoted(value)}" for name, value in list(named.items())[:MAX_LISTED]]
    if len(named) > MAX_LISTED:
        terms.append("the other arguments")
    joined = ", ".join(terms[:-1]) + " and " + terms[-1] if len(terms) > 1 else terms[0]
    return f"The call worked. Nothing matched {joined}."


def hint_for(asked: Mapping[str, Json]) -> str:
    """Say how to broaden a search that found nothing.

    Example:
        >>> hint_for({"city": "Rome"}), hint_for({"city": "Rome", "limit": 5})
        ('Try a broader city.', 'Try fewer or broader arguments.')
    """
    named = [name for name, value in asked.items() if value is not None]
    if len(named) == 1:
        return f"Try a broader {named[0]}."
    return "Try fewer or broader arguments." if named else "Try a broader question or another source."


def _quoted(value: Json) -> str:
    text = repr(value) if isinstance(value, str | int | float | bool) else _brief(value)
    return text if len(text) <= MAX_ASKED else f"a text of {len(text)} characters"


def _brief(value: Json) -> str:
    if isinstance(value, list):
        return repr(value) if len(value) <= 3 and len(repr(value)) <= MAX_ASKED else f"{len(value)} values"
    return f"{len(value)} fields" if isinstance(value, dict) else repr(value)


def say_error(error: Mapping[str, Any], kind: str) -> str:
    """Say that the call failed and what to do next.

    Example:
        >>> say_error({"code": "UNAVAILABLE", "retryable": True, "recovery": "retry"}, "action")
        'The call failed. Calling it again may help.'
    """
    recovery = "retry" if error.get("retryable") else str(error.get("recovery") or "report")
    sentences = ["The call failed.", RECOVERY_SENTENCES.get(recovery, RECOVERY_SENTENCES["report"])]
    if kind == "query" and error.get("code") not in DEFINITE_CODES:
        sentences.append("Whether matching data exists is unknown.")
    return " ".join(sentences)


def say_partial(
    meta: Mapping[str, Any], error: Mapping[str, Any] | None, returned: int | None, noun: str, kind: str
) -> str:
    """Say what a result that was partial before any cut holds.

    Example:
        >>> say_partial({"total": 341, "next": {"page": 2}}, None, 20, "orders", "query")
        'There are 341 orders in all; the 20 here are one page of them, and more can be asked for.'
        >>> say_partial({"total": None}, {"code": "UNAVAILABLE", "retryable": True}, 5, "rows", "query")
        'The call broke off after 5 rows; how many there are in all is unknown. Calling it again may help.'
    """
    total, failed = _number(meta.get("total")), meta.get("failed")
    if error is not None and failed:
        # nothing broke off: errors were reported beside the data
        number = len(failed) if isinstance(failed, list) else _number(failed)
        said = "an error was" if number == 1 else f"{number or 'some'} errors were"
        return f"The call worked in part; {said} reported beside the data."
    if error is not None:
        recovery = "retry" if error.get("retryable") else str(error.get("recovery") or "report")
        whole = f"there are {total} in all" if total is not None else "how many there are in all is unknown"
        after = (
            f"after {returned} {noun if returned != 1 else one_of(noun)}"
            if returned is not None
            else "midway"
        )
        return f"The call broke off {after}; {whole}. {RECOVERY_SENTENCES.get(recovery, '')}".strip()
    if failed:
        return _say_failed(failed, meta.get("succeeded"), total)
    if total is None:
        more = (
            f"There are more {noun} than the {returned} here"
            if returned is not None
            else "There is more than this"
        )
        return f"{more}; how many there are in all is unknown."
    if total == 0 == returned:
        return f"{count_of(total, noun)}."
    return f"{count_of(total, noun)}; {_say_page(returned, total, meta)}."


def say_shortfall(meta: Mapping[str, Any], error: Mapping[str, Any] | None, stored: int | None) -> str:
    """Say why what is stored of a result that was partial before any cut is not all that there is.

    Example:
        >>> say_shortfall({"total": 341, "next": {"page": 2}}, None, 20)
        'What is stored is not all: 20 of 341, the others are at the source.'
        >>> say_shortfall({"total": None}, {"code": "UNAVAILABLE"}, 5)
        'What is stored is not all: the call that read it broke off after 5.'
    """
    total, failed = _number(meta.get("total")), meta.get("failed")
    if failed:
        why = _say_failed(failed, meta.get("succeeded"), total).rstrip(".")
        return f"What is stored is not all. {why}."
    if error is not None:
        why = "the call that read it broke off" + ("" if stored is None else f" after {stored}")
    elif total is not None and stored is not None and stored < total:
        why = f"{stored} of {total}, the others are at the source"
    else:
        why = "there is more at the source, and how much is unknown"
    return f"What is stored is not all: {why}."


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _say_page(returned: int | None, total: int, meta: Mapping[str, Any]) -> str:
    if returned is None:
        return "not all of them are here"
    if not returned:
        return "none of them is on this page"
    here = "the one here is" if returned == 1 else f"the {returned} here are"
    if meta.get("next"):
        return f"{here} one page of them, and more can be asked for"
    if returned < total:
        return f"{here} not all"
    return f"{here} {'not all that there is' if meta.get('truncated') else 'not whole'}"


def _say_failed(failed: Any, succeeded: Any, total: int | None) -> str:
    bad = len(failed) if isinstance(failed, list) else _number(failed)
    good = len(succeeded) if isinstance(succeeded, list) else _number(succeeded)
    if bad is None:
        return "The call worked in part; some of it failed."
    if total is None and good is not None:
        total = good + bad
    if total is not None and total >= bad:
        return f"There were {total} items in all; {total - bad} worked and {bad} failed."
    return f"The call worked in part; {bad} items failed."


def own_summary(make: Callable[[Any], Any], data: Json) -> tuple[str | None, str | None]:
    """Ask the tool for its line. Returns: the line, or a warning why there is none."""
    try:
        line = make(data)
    except Exception as error:  # noqa: BLE001 - a summary must not fail the call that it sums up
        return None, f"The tool's own summary failed ({type(error).__name__}); a built one stands in."
    if not isinstance(line, str) or not line.strip():
        return None, "The tool's own summary gave no text; a built one stands in."
    line = " ".join(line.split())
    return (line if len(line) <= MAX_SUMMARY else line[:MAX_SUMMARY].rpartition(" ")[0]), None
