"""Tell a text that is one stack trace of another language from one that quotes it: a part of `outcome`.

In:   a text of several lines.
Out:  its first line, which says what was raised, or None.
Cost: one pattern on the first line; the others are read only behind a line that begins a trace.

The whole text has to be the trace: a log or a ticket with a trace in it is data. Python's own is in
`reported_lines`.
"""

from __future__ import annotations

from agent_tools.patterns import lazy_pattern

LONGEST_TRACE = 50_000
LONGEST_LINE = 500

# (the line that begins the trace, what each of the others looks like, the second one among them)
_TRACES = (
    (  # JavaScript, Java and its kin, .NET
        lazy_pattern(
            r"(?:Uncaught |Unhandled (?:exception|rejection)[.:]? ?|Exception in thread \"[^\"]*\" )?"
            r"(?:[A-Za-z_$][\w$]*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Throwable)(?: \[\w+\])?(?:: .*)?\Z"
        ),
        lazy_pattern(
            r"\s+at \S.*[)\d>]\Z|Caused by: .*|\s*\.\.\. \d+ (?:more|common frames omitted)\Z"
            r"|\s+--- End of .*|Node\.js v[\d.]+\Z|\s*\Z"
        ),
        lazy_pattern(r"\s+at \S"),
    ),
    (  # Go
        lazy_pattern(r"(?:panic|fatal error): \S.*\Z"),
        lazy_pattern(
            r"\s*\Z|\[signal .*|goroutine \d+ .*|[\w./*()\[\]-]+\(.*\)\Z|\s+\S+\.(?:go|s):\d+.*"
            r"|created by .*|exit status \d+\Z|\tpanic: .*|main\..*"
        ),
        lazy_pattern(r"\s*\Z|\[signal |goroutine "),
    ),
    (  # Rust: the second line is the message
        lazy_pattern(r"thread '[^']*'(?: \(\d+\))? panicked at .+:\d+:\d+:\Z"),
        lazy_pattern(r".*\Z"),
        lazy_pattern(r"\S"),
    ),
    (  # PHP
        lazy_pattern(r"(?:PHP )?Fatal error: +Uncaught .*\Z"),
        lazy_pattern(r"Stack trace:\Z|#\d+ .*|\s+thrown in .*|\s*\Z"),
        lazy_pattern(r"Stack trace:\Z"),
    ),
    (  # Ruby
        lazy_pattern(r"\S+:\d+:in [`'].*: .* \([A-Z]\w*(?:::\w+)*\)\Z"),
        lazy_pattern(r"\s+from \S+:\d+:in .*"),
        lazy_pattern(r"\s+from "),
    ),
)
_WORDS = ("rror", "xception", "Throwable", "panic", ":in ")  # one of them is in each first line
MOST_LINES = {2: 12}  # of Rust's, whose lines may be any


def find_trace(text: str) -> str | None:
    """Return the line that says what was raised of a text that is a stack trace, None for another.

    Example:
        >>> find_trace("TypeError: x is no function\\n    at run (/app/a.js:1:7)")
        'TypeError: x is no function'
    """
    first, newline, _ = text[: LONGEST_LINE + 1].lstrip().partition("\n")
    if not newline or len(text) > LONGEST_TRACE or not any(word in first for word in _WORDS):
        return None
    first = first.rstrip()
    for place, (head, other, second) in enumerate(_TRACES):
        if head.match(first):
            lines = text.strip().splitlines()[1:]
            is_trace = bool(lines) and second.match(lines[0]) and all(map(other.match, lines))
            return first if is_trace and len(lines) <= MOST_LINES.get(place, len(lines)) else None
    return None
