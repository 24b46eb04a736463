"""Find what to hide in a long text, looking only where something may begin.

In:   a text, its rules and their screen.
Out:  spans `(start, end, mask)`, the same as the rules find in the whole text.
Cost: 20 to 50 ms per MB for the screen, and what the rules take in the regions that it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent_tools.stages.redaction_screen import Screen
from agent_tools.stages.redaction_spans import ANY, Region, Span, is_escaped, merge, unescaped
from agent_tools.stages.redaction_text import TextRules

_BESIDE = 256  # characters around a region with escapes that are unescaped, too


def spans_in_long(
    text: str, rules: TextRules, screen: Screen, *, reasons: int = ANY, weak: bool = True
) -> list[Span]:
    """Return what to hide in the text, in order, without overlaps.

    Args:
        text: Any text.
        rules: What looks into the regions.
        screen: What tells the regions.
        reasons: What to look for; anything else is left.
        weak: Also take numbers that only look like a phone or a card.
    """
    view = rules.view(text)
    regions = screen.regions(view)
    found = rules.spans_in(view, _with_reasons(regions, reasons), weak=weak)
    for start, end in _escaped(view, regions):
        part, places = unescaped(view[start:end])
        part = rules.view(part)
        hidden = rules.spans_in(part, _with_reasons(screen.regions_of_blocks(part), reasons), weak=weak)
        found += [(start + places[a], start + places[b], mask) for a, b, mask in hidden]
    return merge(found)


def _with_reasons(regions: Sequence[Region], reasons: int) -> list[Region]:
    return [(start, end, why & reasons) for start, end, why in regions if why & reasons]


def _escaped(text: str, regions: Sequence[Region]) -> Iterator[tuple[int, int]]:
    """Return the regions with escapes in them and what stands beside them, those that overlap as one."""
    first = last = 0
    for start, end, _ in regions:
        if is_escaped(text[start:end]):
            if start - _BESIDE > last:
                if last:
                    yield first, last
                first = max(start - _BESIDE, 0)
            last = end + _BESIDE
    if last:
        yield first, last
