"""Apply the rules and functions of a project's own.

In:   a text, or a whole value for functions.
Out:  spans `(start, end, mask)`; the value that the functions return, and where it differs.
Raises: what a rule or function raises; the redactor turns it into REDACTION_FAILED.
Cost: one search per rule and text; a copy of the value for functions, since they may change what they get.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agent_tools.redaction import TIMEOUT_S, Rule, compile_pattern
from agent_tools.stages.redaction_spans import FULL_WIDTH, Span, is_escaped

Function = Callable[[Any], Any]


class OwnRules:
    """Rules in the order they were given."""

    __slots__ = ("_patterns", "rules")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._patterns = [compile_pattern(rule) for rule in rules]

    def __bool__(self) -> bool:
        return bool(self.rules)

    def may_hold(self, text: str) -> bool:
        """Whether a text has to be looked at; escapes and full-width forms may spell anything."""
        if not text.isascii():
            text = text.translate(FULL_WIDTH)
        return is_escaped(text) or any(
            pattern.search(text, timeout=TIMEOUT_S) is not None for pattern in self._patterns
        )

    def spans(self, text: str, _start: int, _end: int) -> Iterator[Span]:
        """Find what the rules hide, anywhere in the text."""
        for rule in self.rules:
            yield from rule.found_in(text)


def apply_functions(value: Any, functions: Sequence[Function], paths: list[str] | None) -> Any:
    """Run functions `value -> value` on a copy; the same object comes back when they change nothing.

    Args:
        value: Plain data.
        functions: Run one after the other.
        paths: Takes where the outcome differs.
    """
    shown = copy.deepcopy(value)
    for function in functions:
        shown = function(shown)
    changed = list(_differences(value, shown, "$"))
    if paths is not None:
        paths.extend(changed)
    return shown if changed else value


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if type(old) is not type(new):
        yield path
    elif isinstance(old, dict):
        for key in {**old, **new}:
            if key in old and key in new:
                yield from _differences(old[key], new[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"
    elif isinstance(old, list) and len(old) == len(new):
        for n, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, f"{path}[{n}]")
    elif old != new:
        yield path
