"""Redaction rules of a project's own: one row each, for all tools or for one.

    add_rule(Rule("staff_no", r"EMP-\\d{6}", example="EMP-123456"))       # every tool of the process

    @tool(redact=[Rule(...), "-phone", "customer_ref", hide_more])       # one tool

A list given as `redact` holds rules, names of rules to add or drop, names of keys whose values are hidden,
and functions `value -> value` that run last. A package offers rules to all who install it by an entry point
in the group `agent_tools.redaction_rules` whose object is a `Rule` or a list of them.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from agent_tools import settings
from agent_tools.errors import InvalidSetting

ENTRY_POINTS = "agent_tools.redaction_rules"
HIDDEN = "[REDACTED]"
# a pattern that takes longer on one text is a fault: nothing of the result is shown then
TIMEOUT_S = 1.0
# both engines number these alike, and this one not
SHARED_FLAGS = int(re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE)
REGEX_ASCII = 0x80


@dataclass(frozen=True, slots=True)
class Rule:
    """Something to hide by its look.

    Attributes:
        name: What it is; `redact=["-name"]` drops it. Lower-case letters, digits and `_`.
        pattern: A regular expression for texts; of a hit its group `secret` is hidden, or all of it.
        example: A made-up text that it hides.
        check: Takes a hit and says whether it is one (a check digit); None takes every hit.
        mask: What is shown instead, or a function of the hit.

    Raises:
        InvalidSetting: A bad name or pattern, one that hits nothing, or an example that is not found.

    Example:
        >>> from agent_tools.stages.redaction import make_redactor
        >>> staff = Rule("staff_no", r"EMP-(?P<secret>\\d{6})", "EMP-123456", mask="******")
        >>> make_redactor([staff])("ask EMP-204711")
        'ask EMP-******'
    """

    name: str
    pattern: str | re.Pattern[str]
    example: str
    check: Callable[[str], bool] | None = None
    mask: str | Callable[[str], str] = HIDDEN

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", str(self.name)):
            raise InvalidSetting(f"bad rule name {self.name!r}: expected lower-case letters, digits and '_'")
        if not (isinstance(self.mask, str) or callable(self.mask)):
            raise InvalidSetting(f"rule {self.name!r}: the mask must be a text or a function of the hit")
        if compile_pattern(self).search("") is not None:
            raise InvalidSetting(f"rule {self.name!r}: the pattern fits the empty text, so it is everywhere")
        if not self.found_in(self.example):
            raise InvalidSetting(
                f"rule {self.name!r} does not find its own example; look at its pattern and its check"
            )

    def found_in(self, text: str) -> list[tuple[int, int, str]]:
        """Return start, end and mask of each hit in a text.

        Raises:
            TimeoutError: The pattern takes longer than a second.
        """
        found = []
        for hit in compile_pattern(self).finditer(text, timeout=TIMEOUT_S):
            group = "secret" if "secret" in hit.re.groupindex else 0
            start, end = hit.span(group)
            if end > start and (self.check is None or self.check(text[start:end])):
                mask = self.mask if isinstance(self.mask, str) else self.mask(text[start:end])
                if not isinstance(mask, str):
                    raise TypeError(f"the mask of rule {self.name!r} is no text")
                found.append((start, end, mask))
        return found


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str, flags: int) -> Any:
    import regex  # type: ignore[import-untyped]  # no types. It knows timeouts; 10 ms, so only where there are rules of one's own

    return regex.compile(pattern, flags)


def compile_pattern(rule: Rule) -> Any:
    """Return the compiled pattern of a rule."""
    given = rule.pattern
    text, flags = (given, 0) if isinstance(given, str) else (given.pattern, given.flags)
    try:
        return _compiled(text, (flags & SHARED_FLAGS) | (REGEX_ASCII if flags & re.ASCII else 0))
    except Exception as error:  # regex's own error class is not known before it is imported
        raise InvalidSetting(f"rule {rule.name!r}: bad pattern: {error}") from error


_lock = threading.Lock()
_added: dict[str, Rule] = {}


def add_rule(*rules: Rule) -> None:
    """Add rules for every tool of the process, from its next call on; one of the same name is replaced.

    `redact=False` and `redact=["-name"]` do without it.

    Example:
        >>> add_rule(Rule("ticket_of_ours", r"TCK-\\d{8}", "TCK-12345678"))
        >>> remove_rule("ticket_of_ours")
    """
    if not all(isinstance(rule, Rule) for rule in rules):
        raise InvalidSetting("add_rule() takes rules: Rule(name, pattern, example)")
    with _lock:
        _added.update({rule.name: rule for rule in rules})
    settings.configure()  # nothing changes but the generation: tools compile their plans again


def remove_rule(name: str) -> None:
    """Remove a rule that was added; one that is not there is no fault."""
    with _lock:
        _added.pop(name, None)
    settings.configure()


def added_rules() -> dict[str, Rule]:
    """Return the rules for every tool by name: those of entry points, then those that were added.

    Raises:
        InvalidSetting: An entry point that can't be loaded; its rules would silently not hold.
    """
    return {**_offered_rules(), **_added}


@functools.cache
def _offered_rules() -> dict[str, Rule]:
    from importlib.metadata import entry_points

    found: dict[str, Rule] = {}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            offered = point.load()
            rules = [offered] if isinstance(offered, Rule) else list(offered)
        except Exception as error:  # any code may run there
            raise InvalidSetting(f"the redaction rules {point.value!r} can't be loaded: {error!r}") from error
        found |= {rule.name: rule for rule in _checked(rules, point.value)}
    return found


def _checked(rules: Iterable[object], source: str) -> list[Rule]:
    kept = [rule for rule in rules if isinstance(rule, Rule)]
    if not kept:
        raise InvalidSetting(f"{source!r} in the group {ENTRY_POINTS!r} is neither a Rule nor a list of them")
    return kept
