"""Find what to hide inside one text.

In:   a text, already free of control characters, and the rules that are on.
Out:  spans `(start, end, mask)`, not overlapping, in order.
Cost: linear: every pattern is anchored at a literal that is there and bounded in length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from agent_tools.stages.redaction_cells import cell_spans
from agent_tools.stages.redaction_emails import email_spans
from agent_tools.stages.redaction_guards import LONG, encodable, rust_test
from agent_tools.stages.redaction_issued import command_spans, pem_spans, token_spans, url_spans
from agent_tools.stages.redaction_layout import layout_spans
from agent_tools.stages.redaction_markup import markup_spans
from agent_tools.stages.redaction_numbers import Numbers
from agent_tools.stages.redaction_own import OwnRules
from agent_tools.stages.redaction_spans import (
    ANY,
    EMAIL,
    FULL_WIDTH,
    LITERAL,
    NUMBER,
    OWN,
    TOKEN,
    WORD,
    Span,
    is_escaped,
    literal_spans,
    merge,
    unescaped,
)
from agent_tools.stages.redaction_sql import sql_spans
from agent_tools.stages.redaction_vocabulary import HAN_STEMS, OPTIONAL_STEMS, STEMS
from agent_tools.stages.redaction_words import Words

Finder = Callable[[str], Iterable[Span]]


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
            ("literals", LITERAL, bool(literals), partial(literal_spans, literals=literals)),
            ("own", OWN, bool(own), own.spans),
            ("tokens", TOKEN, secret, token_spans),
            ("private_keys", TOKEN, secret, pem_spans),
            ("urls", TOKEN, secret, url_spans),
            ("commands", TOKEN | WORD, secret, command_spans),
            ("words", WORD, bool(self.stems or self.han_stems), words.spans),
            ("numbers", NUMBER, bool(self.numbers), self.numbers.spans),
            ("emails", EMAIL, "email" in rules, email_spans),
            ("cells", NUMBER | WORD | EMAIL, bool(rules), partial(cell_spans, kind_of=kind_of)),
            ("columns", NUMBER | WORD | EMAIL, bool(rules), partial(sql_spans, kind_of=kind_of)),
            ("markup", WORD, bool(rules), partial(markup_spans, kind_of=kind_of)),
            ("layout", WORD, bool(rules), partial(layout_spans, kind_of=kind_of)),
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
        return text if len(text) > LONG and not _has_full_width(text) else text.translate(FULL_WIDTH)

    def spans(self, text: str, reasons: int = ANY, *, weak: bool = True) -> list[Span]:
        """Return what to hide in the text, in order, without overlaps.

        Args:
            text: Any text.
            reasons: What the text was noticed for; other finders are not asked.
            weak: Also take numbers that only look like a phone or a card.
        """
        found = self._found(text, reasons, weak=weak)
        if is_escaped(text):
            view, places = unescaped(text)
            found += [(places[a], places[b], mask) for a, b, mask in self._found(view, ANY, weak=weak)]
        return merge(found)

    def _found(self, text: str, reasons: int, *, weak: bool) -> list[Span]:
        view = self.view(text)
        found: list[Span] = []
        for reason, finder in self._finders:
            if reason & reasons:
                found.extend(finder(view))
        if weak or not found:
            return found
        weak_spans = set(self.numbers.weak_spans(view))
        return [span for span in found if span not in weak_spans]


def _has_full_width(text: str) -> bool:
    return rust_test(f"[{''.join(map(chr, FULL_WIDTH))}]")(text)


def _stems(
    rules: frozenset[str], extra: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the beginnings of announcing words, in ASCII and in other scripts."""
    stems = [*STEMS, *HAN_STEMS] if "secret" in rules else []
    stems += [stem for rule, more in OPTIONAL_STEMS.items() if rule in rules for stem in more]
    stems += [words[-1] for words in extra]
    ascii_stems = tuple(dict.fromkeys(stem for stem in stems if stem.isascii()))
    return ascii_stems, tuple(dict.fromkeys(stem for stem in stems if not stem.isascii()))
