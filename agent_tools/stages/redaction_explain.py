"""Say what a redactor hides in a value, and by which rule.

In:   a redactor and a value.
Out:  findings: path, rule, why, and the masked form; never the value itself.
Cost: each changed text is searched once more, rule by rule; made for people, not for calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_tools.result import Json
from agent_tools.stages.redaction import Redactor
from agent_tools.stages.redaction_issued import name_of_token
from agent_tools.stages.redaction_keys import RULE_OF_KIND
from agent_tools.stages.redaction_spans import Span, apply, is_escaped, merge, unescaped
from agent_tools.stages.redaction_strip import strip
from agent_tools.stages.redaction_structures import Hidden, read_json
from agent_tools.stages.redaction_text import TextRules

# what of the masked text is shown around a mask
AROUND = 24


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that would be hidden.

    Attributes:
        path: Where: `$.rows[3].mobile`.
        rule: The name of the rule.
        why: What gave it away: a key, a word, its look.
        shown: What is shown instead, with some of the masked text around it.
        line: The line of a text of several lines; None for others.
    """

    path: str
    rule: str
    why: str
    shown: str
    line: int | None = None


def explain(redactor: Redactor, value: Json) -> list[Finding]:
    """Return what a redactor hides in a value.

    Example:
        >>> from agent_tools.stages.redaction import make_redactor
        >>> for finding in explain(make_redactor(), {"password": "hunter2", "note": "call 13800138000"}):
        ...     print(finding.path, finding.rule, "|", finding.why, "|", finding.shown)
        $.password secret | its key says so (password) | ***
        $.note phone | it looks like mobile_cn | call 138****000
    """
    return list(_findings(redactor, value, ""))


def _findings(redactor: Redactor, value: Json, above: str) -> Iterator[Finding]:
    for hidden in redactor.trace(value):
        path = (above + hidden.path[1:]) if above else hidden.path
        if hidden.kind is not None and hidden.kind != "plain":
            rule = RULE_OF_KIND[hidden.kind]
            yield Finding(path, rule, f"its key says so ({hidden.kind})", _clip(hidden.shown))
        elif isinstance(hidden.old, str):
            yield from _in_text(redactor, path, hidden)


def _in_text(redactor: Redactor, path: str, hidden: Hidden) -> Iterator[Finding]:
    text = strip(str(hidden.old))
    try:
        parsed = read_json(text) if text.lstrip()[:1] in ("{", "[", '"') else None
    except ValueError:
        parsed = None
    found = list(_findings(redactor, parsed, path)) if parsed is not None else []
    if found:
        yield from found
        return
    named = list(_named_spans(redactor, text))
    spans = merge([span for span, _, _ in named])
    if not spans:
        yield Finding(
            path, "secrets", "a text of `secrets`, or a column or pair beside it", _clip(hidden.shown)
        )
    for at, (start, end, mask) in enumerate(spans):
        rule, why = next((rule, why) for span, rule, why in named if start <= span[0] and span[1] <= end)
        before = apply(text[:start], spans[:at])[-AROUND:]
        after = _masked_after(text, end, spans[at + 1 :])
        line = text.count("\n", 0, start) + 1 if "\n" in text else None
        yield Finding(path, rule, why, _clip(f"{before}{mask}{after}".replace("\n", " ")), line)


def _masked_after(text: str, end: int, later: list[Span]) -> str:
    """Return what follows a mask, masked itself; nothing of a later span that is cut may show."""
    shown = apply(text[end:], [(start - end, stop - end, mask) for start, stop, mask in later])
    return shown[:AROUND]


def _named_spans(redactor: Redactor, text: str) -> Iterator[tuple[Span, str, str]]:
    yield from _spans_in(redactor, text)
    if is_escaped(text):
        view, places = unescaped(text)
        for (start, end, mask), rule, why in _spans_in(redactor, view):
            yield (places[start], places[end], mask), rule, why


def _spans_in(redactor: Redactor, text: str) -> Iterator[tuple[Span, str, str]]:
    """Search with each finder; of the keys that were asked for the nearest before a value gave it away."""
    asked: list[tuple[str, str]] = []

    def kind_of(key: str) -> str | None:
        kind = redactor.kind_of(key)
        if kind is not None and kind != "plain":
            asked.append((key, kind))
        return kind

    rules = redactor.text_rules(kind_of)
    for name, finder in rules.named_finders():
        asked.clear()
        for span in finder(rules.view(text), 0, len(text)):
            yield span, *_reason(rules, name, text, span, asked)


def _reason(
    rules: TextRules, name: str, text: str, span: Span, asked: list[tuple[str, str]]
) -> tuple[str, str]:
    view = rules.view(text)
    hit = view[span[0] : span[1]]
    if name == "own":
        return _own_name(rules, view, span), "a rule of your own"
    if name == "numbers" and (row := rules.numbers.row_of(view, span)) is not None:
        return row.rule, f"it looks like {row.name}"
    if name in KEYED and asked:
        # the latest of those that stand equally near, which is how they were asked for
        key, kind = max(reversed(asked), key=lambda named: view.rfind(named[0], 0, span[0]))
        return RULE_OF_KIND[kind], f"{KEYED[name]} {key[-40:]!r}"
    if name == "tokens":
        return "secret", f"a token that looks like {name_of_token(hit)}"
    return LOOKS.get(name, ("secret", name))


def _own_name(rules: TextRules, text: str, span: Span) -> str:
    return next((rule.name for rule in rules.own.rules if span in rule.found_in(text)), "own")


KEYED = {
    "words": "the word before it is",
    "cells": "the column is named like",
    "columns": "the column is named like",
    "markup": "the element or attribute is named like",
    "layout": "the key above it is",
    "led_numbers": "the words before it are",
}
LOOKS = {
    "literals": ("secrets", "a text of `secrets`"),
    "schemes": ("secret", "it follows Bearer or Basic"),
    "private_keys": ("secret", "a private key"),
    "urls": ("secret", "credentials in a URL"),
    "commands": ("secret", "a command or sentence that passes a secret"),
    "emails": ("email", "an e-mail address"),
}


def _clip(text: Any) -> str:
    shown = text if isinstance(text, str) else str(text)
    return shown if len(shown) <= 120 else shown[:119] + "…"
