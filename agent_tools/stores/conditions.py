"""Read the conditions of a question on rows: `{"city": "Rome", "amount": [">", 100]}`.

A model writes them in many ways, `{"amount": {"$gt": 100}}` and `{"amount": ">100"}` among them. What is not
understood is refused: that nothing matched would be a wrong answer.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from agent_tools.errors import InvalidArgument
from agent_tools.result import Json

Test = Callable[[Any], bool]


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return str(wanted).casefold() in value.casefold()
    return isinstance(value, (list, dict)) and _is_inside(value, wanted)


def _is_inside(value: list[Any] | dict[str, Any], wanted: Any) -> bool:
    """Tell whether it is an entry, or one of an entry: `items` of {"sku": "a"} contain "a"."""
    if isinstance(value, dict) and wanted in value:
        return True
    entries = value.values() if isinstance(value, dict) else value
    return any(
        _is_equal(one, wanted) or (isinstance(one, (list, dict)) and _is_inside(one, wanted))
        for one in entries
    )


def _starts_with(value: Any, wanted: Any) -> bool:
    return isinstance(value, str) and value.casefold().startswith(str(wanted).casefold())


def _ends_with(value: Any, wanted: Any) -> bool:
    return isinstance(value, str) and value.casefold().endswith(str(wanted).casefold())


def _like(value: Any, wanted: Any) -> bool:
    """Compare with a text that may have a `%` at its beginning and its end."""
    text = str(wanted)
    test = _LIKE[text[:1] == "%", text[1:][-1:] == "%"]
    return isinstance(value, str) and test(value, text.removeprefix("%").removesuffix("%"))


_LIKE: dict[tuple[bool, bool], Callable[[str, str], bool]] = {
    (True, True): _contains,
    (False, True): _starts_with,
    (True, False): _ends_with,
    (False, False): lambda value, wanted: value.casefold() == wanted.casefold(),
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "in": lambda value, wanted: any(_is_equal(value, one) for one in wanted),
    "not in": lambda value, wanted: not any(_is_equal(value, one) for one in wanted),
    "contains": _contains,
    "starts with": _starts_with,
    "ends with": _ends_with,
    "like": _like,
    "between": lambda value, wanted: (
        operator.ge(*_by_day(value, wanted[0])) and operator.le(*_by_day(value, wanted[1]))
    ),
}
_ORDERING = (">", ">=", "<", "<=")
# other names of these, without blanks and signs between words
_OTHER_NAMES = {
    "=": "== eq equals",
    "!=": "<> ne neq notequals",
    ">": "gt after greaterthan",
    ">=": "gte ge since",
    "<": "lt before lessthan",
    "<=": "lte le until",
    "not in": "notin nin",
    "contains": "icontains",
    "starts with": "startswith",
    "ends with": "endswith",
    "like": "ilike",
}
_ALIASES = {other: known for known, others in _OTHER_NAMES.items() for other in others.split()}
# such words are operators elsewhere: a choice of values hardly begins with one
_UNKNOWN = re.compile(
    r"[<>=!~]{1,3}|\$\w+|i?regexp?|match(?:es)?|exists|isnull|isnotnull|notnull|not(?: ?like)?"
)
_SIGNED = re.compile(r"([<>]=?|!=|==?|<>)\s*(\S.*)", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,30})(?:\.\d{1,20})?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WORDS = {"true": True, "false": False, "null": None}
# values in whose place a text may stand
_NOT_TEXT = (int, float, bool, type(None))


def make_tests(name: str, wanted: Any) -> list[Test]:
    """Return the tests that the values of a field must pass.

    A list that does not begin with an operator is a choice of values.

    Raises:
        InvalidArgument: an operator that is unknown or has no value.

    Example:
        >>> [[test(7) for test in make_tests("n", wanted)] for wanted in ([">", 5], {"gte": 8}, "7", [6, 7])]
        [[True], [False], [True], [True]]
    """
    if isinstance(wanted, Mapping) and wanted and any(_operator_of(name, key) for key in wanted):
        return [_make_test(name, key, value) for key, value in wanted.items()]
    if isinstance(wanted, str) and (signed := _SIGNED.fullmatch(wanted)):
        compared = _make_test(name, signed[1], signed[2])
        return [lambda value: value == wanted or compared(value)]
    if not isinstance(wanted, (list, tuple)):
        return [_make_test(name, "=", wanted)]
    if wanted and all(
        isinstance(one, (list, tuple)) and one and _operator_of(name, one[0]) for one in wanted
    ):
        return [test for one in wanted for test in make_tests(name, one)]
    if wanted and _operator_of(name, wanted[0]):
        value = list(wanted[1:]) if len(wanted) == 3 and wanted[0] == "between" else None
        if value is None and len(wanted) != 2:
            raise InvalidArgument(f"where {name!r}: expected [operator, value], got {list(wanted)!r}")
        return [_make_test(name, wanted[0], value or wanted[1])]
    return [_make_test(name, "in", list(wanted))]


def _operator_of(name: str, word: Any) -> str:
    """Return the operator that a word stands for, nothing for a value."""
    if not isinstance(word, str):
        return ""
    known = word.casefold().strip()
    if known in OPERATORS:
        return known
    known = re.sub(r"(?<=\w)[ _-](?=\w)", "", known)
    known = _ALIASES.get(known.removeprefix("$"), known)
    if known.removeprefix("$") in OPERATORS:
        return known.removeprefix("$")
    if _UNKNOWN.fullmatch(known):
        raise InvalidArgument(f"where {name!r}: unknown operator {word!r}; known: {', '.join(OPERATORS)}")
    return ""


def _make_test(name: str, word: str, wanted: Any) -> Test:
    sign = _operator_of(name, word)
    if not sign:
        raise InvalidArgument(f"where {name!r}: unknown operator {word!r}; known: {', '.join(OPERATORS)}")
    if sign in ("in", "not in", "between") and not isinstance(wanted, (list, tuple)):
        raise InvalidArgument(f"where {name!r}: expected a list behind {word!r}, got {wanted!r}")
    if sign == "between" and len(wanted) != 2:
        raise InvalidArgument(f"where {name!r}: expected two values behind 'between', got {list(wanted)!r}")
    if sign in ("=", "!="):
        return lambda value: _is_equal(value, wanted) == (sign == "=")
    test, read = OPERATORS[sign], _by_day if sign in _ORDERING else _alike

    def holds(value: Any) -> bool:
        try:
            return bool(test(*read(value, wanted)))
        except TypeError:
            return False

    return holds


def _is_equal(value: Any, wanted: Any) -> bool:
    # True == 1 in Python; in data they are two things
    value, wanted = _by_day(value, wanted)
    return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)


def _by_day(value: Any, wanted: Any) -> tuple[Any, Any]:
    """Read a time as its day where a day is wanted: 2026-07-20T08:00:00 is on 2026-07-20, not after it."""
    if isinstance(value, str) and isinstance(wanted, str) and value[10:11] in ("T", " "):
        return (value[:10] if _DAY.fullmatch(wanted) and _DAY.match(value) else value), wanted
    return _alike(value, wanted)


def _alike(value: Any, wanted: Any) -> tuple[Any, Any]:
    """Read a text as the number or word that stands on the other side: "7" beside 7, 7 beside "7"."""
    if isinstance(wanted, str) and isinstance(value, _NOT_TEXT):
        return value, _read(wanted)
    if isinstance(value, str) and isinstance(wanted, (int, float)):
        return _read(value), wanted
    if isinstance(wanted, (list, tuple)) and isinstance(value, _NOT_TEXT):
        return value, [_read(one) if isinstance(one, str) else one for one in wanted]
    return value, wanted


def _read(text: str) -> Json:
    # "007" is no number: it is written otherwise than the number that it reads as
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return _WORDS.get(text.casefold(), text)
