"""Find what to hide inside one text.

In:   a text, already free of control characters, and the regions of it to look in.
Out:  spans `(start, end, mask)`, not overlapping, in order.
Cost: linear in the regions: every pattern is anchored at a literal that is there and bounded in length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from agent_tools.stages.redaction_cells import cell_spans
from agent_tools.stages.redaction_emails import email_spans
from agent_tools.stages.redaction_guards import encodable, rust_test
from agent_tools.stages.redaction_issued import command_spans, pem_spans, scheme_spans, token_spans, url_spans
from agent_tools.stages.redaction_layout import layout_spans
from agent_tools.stages.redaction_markup import markup_spans
from agent_tools.stages.redaction_numbers import Numbers
from agent_tools.stages.redaction_own import OwnRules
from agent_tools.stages.redaction_spans import (
    ANY,
    BELOW,
    CELL,
    COLUMN,
    COMMAND,
    CREDENTIAL,
    EMAIL,
    FULL_WIDTH,
    LED,
    LITERAL,
    NUMBER,
    OWN,
    TOKEN,
    WORD,
    Region,
    Span,
    is_escaped,
    literal_spans,
    merge,
    unescaped,
)
from agent_tools.stages.redaction_sql import sql_spans
from agent_tools.stages.redaction_vocabulary import HAN_STEMS, OPTIONAL_STEMS, STEMS
from agent_tools.stages.redaction_words import Words

Finder = Callable[[str, int, int], Iterable[Span]]
"""Finds what begins between two places of a text. What has to be seen from its start, such as a table, is
looked for in the whole text, whatever the places."""

_NEAR = 400  # characters between two regions that are searched in less time than it takes to begin anew
_FULL_WIDTH = re.compile(f"[{''.join(map(chr, FULL_WIDTH))}]+")


class TextRules:
    """The rules that are on, compiled; `spans(text)` finds what they hide.

    Args:
        rules: Names of rules that are on.
        extra: Words of further keys that hold secrets.
        literals: Exact texts to hide wherever they stand.
        kind_of: Key to kind, None when its rule is off.
        own: Rules of the project's own.

    Attributes:
        extra: Words of further keys.
        stems: Beginnings of words that announce a value.
        han_stems: The same in other scripts.
        numbers: The number rules that are on; false when there are none.
    """

    __slots__ = ("_finders", "_rows", "extra", "han_stems", "literals", "numbers", "own", "rules", "stems")

    def __init__(
        self,
        rules: frozenset[str],
        extra: tuple[tuple[str, ...], ...],
        literals: tuple[str, ...],
        kind_of: Callable[[str], str | None],
        own: OwnRules,
    ) -> None:
        self.own = own
        self.rules = rules
        self.extra = extra
        self.literals = literals
        self.numbers = Numbers(rules, kind_of)
        self.stems, self.han_stems = _stems(rules, extra)
        secret = "secret" in rules
        words = Words(self.stems, self.han_stems, kind_of)
        rows: list[tuple[str, int, bool, Finder]] = [
            ("literals", LITERAL, bool(literals), lambda text, *_: literal_spans(text, literals)),
            ("own", OWN, bool(own), own.spans),
            ("tokens", TOKEN, secret, token_spans),
            ("schemes", CREDENTIAL, secret, scheme_spans),
            ("private_keys", CREDENTIAL, secret, pem_spans),
            ("urls", CREDENTIAL, secret, url_spans),
            ("commands", COMMAND, secret, command_spans),
            ("words", WORD, bool(self.stems or self.han_stems), words.spans),
            ("numbers", NUMBER, bool(self.numbers), self.numbers.spans),
            ("led_numbers", LED, bool(self.numbers), self.numbers.led_spans),
            ("emails", EMAIL, "email" in rules, email_spans),
            ("cells", CELL, bool(rules), partial(cell_spans, kind_of=kind_of)),
            ("columns", COLUMN, bool(rules), partial(sql_spans, kind_of=kind_of)),
            ("markup", BELOW, bool(rules), partial(markup_spans, kind_of=kind_of)),
            ("layout", BELOW, bool(rules), partial(layout_spans, kind_of=kind_of)),
        ]
        self._rows = [(name, finder) for name, _, is_on, finder in rows if is_on]
        self._finders = [(reason, finder) for _, reason, is_on, finder in rows if is_on]

    def named_finders(self) -> list[tuple[str, Finder]]:
        """Return what searches, by name: for telling why something is hidden."""
        return self._rows

    @staticmethod
    def view(text: str) -> str:
        """Return the text as the finders read it: full-width letters and digits as ASCII, the same length."""
        if text.isascii():
            return text
        text = encodable(text)
        # the test takes a twentieth of the time
        has_some = rust_test(_FULL_WIDTH.pattern)(text)
        return _FULL_WIDTH.sub(lambda run: run[0].translate(FULL_WIDTH), text) if has_some else text

    def spans(self, text: str, reasons: int = ANY, *, weak: bool = True) -> list[Span]:
        """Return what to hide in the text, in order, without overlaps.

        Args:
            text: Any text.
            reasons: What the text was noticed for; other finders are not asked.
            weak: Also take numbers that only look like a phone or a card.
        """
        found = self.spans_in(self.view(text), [(0, len(text), reasons)], weak=weak)
        if is_escaped(text):
            whole, places = unescaped(text)
            hidden = self.spans_in(self.view(whole), [(0, len(whole), ANY)], weak=weak)
            found += [(places[a], places[b], mask) for a, b, mask in hidden]
        return merge(found)

    def spans_in(self, view: str, regions: Sequence[Region], *, weak: bool = True) -> list[Span]:
        """Return what to hide that begins in some regions of a text, in any order, escapes left as they are.

        Args:
            view: A text, as `view` returns it.
            regions: In order; neighbours are taken together.
            weak: As for `spans`.
        """
        found: list[Span] = []
        for reason, finder in self._finders:
            for start, end in _together(regions, reason):
                found.extend(finder(view, start, end))
        if weak or not found:
            return found
        weak_spans = {
            span for start, end in _together(regions, NUMBER)
            for span in self.numbers.weak_spans(view, start, end)
        }  # fmt: skip
        return [span for span in found if span not in weak_spans]


def _together(regions: Sequence[Region], reason: int) -> Iterator[tuple[int, int]]:
    """Return the regions that have a reason, neighbours as one."""
    first = last = -1
    for start, end, reasons in regions:
        if reasons & reason:
            if last < 0:
                first = start
            elif start > last + _NEAR:
                yield first, last
                first = start
            last = max(last, end)
    if last >= 0:
        yield first, last


def _stems(
    rules: frozenset[str], extra: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the beginnings of announcing words, in ASCII and in other scripts."""
    stems = [*STEMS, *HAN_STEMS] if "secret" in rules else []
    stems += [stem for rule, more in OPTIONAL_STEMS.items() if rule in rules for stem in more]
    stems += [words[-1] for words in extra]
    ascii_stems = tuple(dict.fromkeys(stem for stem in stems if stem.isascii()))
    return ascii_stems, tuple(dict.fromkeys(stem for stem in stems if not stem.isascii()))
