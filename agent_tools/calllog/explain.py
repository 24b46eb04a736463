"""Answer three questions about a task: was the tool called, what was seen, what is the answer built on?

In:   the rows of one trace.
Out:  findings, each one plain sentence with the rows that show it. No model is involved.
Cost: some 1 ms, and 5 ms for each prompt of 16 kB when there is an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from agent_tools.calllog.evidence import (
    id_of_result,
    is_whole,
    split_by_use,
    unsupported_numbers,
    unsupported_quotes,
)
from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.calllog.traces import Arranged, arrange

CALLED, SAW, RESTS = (
    "Was the tool called?",
    "What did the model see?",
    "What does the answer rest on?",
)
QUESTIONS = (CALLED, SAW, RESTS)
_STOPPED_SHORT = {"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "content_filter"}
_CONTEXT_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found.

    Attributes:
        question: Which of the three questions it belongs to.
        sentence: What was found, in one plain sentence.
        evidence: The rows or texts that show it, one line each.
        is_alarming: Whether it may be why an answer is wrong.
    """

    question: str
    sentence: str
    evidence: list[str] = field(default_factory=list)
    is_alarming: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """A trace with what all questions need."""

    rows: Sequence[Row]
    arranged: Arranged
    calls: Sequence[Row]


Question = Callable[[Case], Iterator[Finding]]


def explain(rows: Sequence[Row]) -> list[Finding]:
    """Return what the rows of a trace say to the three questions, in their order.

    Example:
        >>> row = {"event": "tool_call", "call_id": "c_1", "tool": "find", "status": "empty", "ts": ""}
        >>> [finding.sentence for finding in explain([row])][:2]
        ['1 call was made: find.', 'Nothing was found by 1 call.']
    """
    arranged = arrange(rows)
    case = Case(rows, arranged, arranged.calls)
    findings = [finding for ask in _ASKED for finding in ask(case)]
    if not any(finding.question == SAW for finding in findings):
        sentence = (
            "Nothing failed, was empty, cut, hidden or repeated." if case.calls else "No result of any call."
        )
        findings.append(Finding(SAW, sentence, is_alarming=False))
    return sorted(findings, key=lambda finding: QUESTIONS.index(finding.question))


# --- 1. was the tool called?


def _what_was_called(case: Case) -> Iterator[Finding]:
    n = len(case.calls) + len(case.arranged.unended)
    if not n:
        yield Finding(CALLED, "No tool was called.")
        return
    tools = Counter(get_text(row, "tool") for row in [*case.calls, *case.arranged.unended])
    names = ", ".join(name if k == 1 else f"{name} {k} times" for name, k in tools.most_common())
    yield Finding(CALLED, f"{_count(n, 'call was', 'calls were')} made: {names}.", is_alarming=False)


def _what_was_offered(case: Case) -> Iterator[Finding]:
    offered = dict.fromkeys(
        name for answer in case.arranged.answers for name in _texts(answer, "tools_offered")
    )
    if not offered:
        return
    called = {get_text(row, "tool") for row in [*case.calls, *case.arranged.unended]}
    if uncalled := [name for name in offered if name not in called]:
        yield Finding(CALLED, f"Offered and never called: {', '.join(uncalled)}.")
    if unknown := sorted(called - offered.keys()):
        yield Finding(
            CALLED,
            f"Called without being in the list of offered tools: {', '.join(unknown)}.",
            is_alarming=False,
        )


def _what_was_refused(case: Case) -> Iterator[Finding]:
    # a validation error of the body counts as one of the arguments, too, but the body ran
    unfit = [row for row in case.calls if row.get("error_origin") == "argument" and not row.get("attempts")]
    if unfit:
        yield Finding(
            CALLED,
            f"The arguments of {_count(len(unfit), 'call')} did not fit; the tool did not run.",
            list(map(_failure_line, unfit)),
        )
    stopped = [row for row in case.calls if row.get("error_code") == "REPEATED_FAILURE"]
    if stopped:
        yield Finding(
            CALLED,
            f"{_count(len(stopped), 'call was', 'calls were')} stopped after the same call "
            "had failed again and again.",
            list(map(_failure_line, stopped)),
        )


def _what_never_ended(case: Case) -> Iterator[Finding]:
    if unended := case.arranged.unended:
        lines = [f"{_id_line(row)} started {get_text(row, 'ts')}" for row in unended]
        yield Finding(
            CALLED, f"{_count(len(unended), 'call')} started and never ended, as far as the log goes.", lines
        )
    cancelled = [row for row in case.calls if row.get("status") == "cancelled"]
    if cancelled:
        lines = [f"{_id_line(row)} {get_text(row, 'error_class')}".rstrip() for row in cancelled]
        yield Finding(CALLED, f"{_count(len(cancelled), 'call was', 'calls were')} cancelled.", lines)
    if missing := case.arranged.missing:
        numbers = ", ".join(map(str, missing[:20])) + (", ..." if len(missing) > 20 else "")
        yield Finding(
            CALLED,
            f"{_count(len(missing), 'call')} left no row: not ended yet, dropped, or not logged.",
            [f"no. {numbers} of the trace"],
        )


def _answers_without_calls(case: Case) -> Iterator[Finding]:
    since = ""
    for answer in case.arranged.answers:
        ts = get_text(answer, "ts")
        if not any(since < get_text(row, "ts") <= ts for row in case.calls):
            before = "since the answer before it" if since else "before it"
            yield Finding(CALLED, f"An answer was given with no call {before}.", [_answer_line(answer)])
        since = ts


# --- 2. what did the model see?


def _what_failed(case: Case) -> Iterator[Finding]:
    failed = [row for row in case.calls if row.get("status") == "error"]
    if failed:
        sentence = f"{_count(len(failed), 'call')} of {len(case.calls)} failed."
        yield Finding(SAW, sentence, list(map(_failure_line, failed)))
    parts = [row for row in case.calls if row.get("status") == "partial" and row.get("error_code")]
    if parts:
        sentence = f"{_count(len(parts), 'result')} broke off: the model saw the part before the failure."
        yield Finding(SAW, sentence, list(map(_failure_line, parts)))
    late = [row for row in case.calls if row.get("status") != "error" and _texts(row, "attempt_errors")]
    if late:
        lines = [f"{_id_line(row)} after {', '.join(_texts(row, 'attempt_errors'))}" for row in late]
        yield Finding(
            SAW, f"{_count(len(late), 'call')} worked only after failed tries.", lines, is_alarming=False
        )


def _what_was_empty(case: Case) -> Iterator[Finding]:
    empty = [row for row in case.calls if row.get("status") == "empty"]
    if empty:
        lines = [f"{_id_line(row)} asked {_asked(row)}" for row in empty]
        yield Finding(SAW, f"Nothing was found by {_count(len(empty), 'call')}.", lines)


def _what_was_cut(case: Case) -> Iterator[Finding]:
    cut = [row for row in case.calls if row.get("truncated") is True]
    if not cut:
        return
    fetched = {
        str(arguments.get("result_id"))
        for row in case.calls
        if isinstance(arguments := row.get("arguments"), dict) and get_text(row, "tool") == "read_result"
    }
    lines = []
    for row in cut:
        is_fetched = get_text(row, "result_id") in fetched
        more = "more of it was read later" if is_fetched else "the rest was never read"
        lines.append(f"{_id_line(row)} {_share(row)}; {more}")
    yield Finding(SAW, f"{_count(len(cut), 'result was', 'results were')} cut to the budget.", lines)


def _share(row: Row) -> str:
    parts = []
    shown, total = get_number(row, "result_rows"), get_number(row, "result_total")
    if shown is not None and total is not None:
        parts.append(f"showed {shown:.0f} of {total:.0f} rows")
    tokens, full = get_number(row, "tokens"), get_number(row, "tokens_full")
    if tokens is not None and full:
        parts.append(f"{tokens:.0f} of about {full:.0f} tokens ({100 * tokens / max(full, tokens):.0f} %)")
    return ", ".join(parts) or "showed a part"


def _what_was_hidden(case: Case) -> Iterator[Finding]:
    rows = [row for row in case.calls if _texts(row, "redacted") or get_number(row, "redactions")]
    if not rows:
        return
    lines = []
    for row in rows:
        parts = [f"arguments {', '.join(_texts(row, 'redacted'))}"] if _texts(row, "redacted") else []
        n = get_number(row, "redactions")
        parts += [f"{_count(int(n), 'value')} of the result"] if n else []
        lines.append(f"{_id_line(row)} {' and '.join(parts)}")
    yield Finding(SAW, f"Something was hidden in {_count(len(rows), 'call')}.", lines, is_alarming=False)


def _what_was_repeated(case: Case) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in case.calls:
        key = get_text(row, "input_hash") or f"{row.get('arguments')}"
        groups.setdefault((get_text(row, "tool"), key), []).append(row)
    repeated = [rows for rows in groups.values() if len(rows) > 1]
    if not repeated:
        return
    lines = [
        f"{len(rows)} times {get_text(rows[0], 'tool')} {_asked(rows[0])}: "
        + ", ".join(f"{get_text(row, 'call_id')} {_ending(row)}" for row in rows[:10])
        for rows in repeated
    ]
    n = len(repeated)
    yield Finding(SAW, f"{_count(n, 'call was', 'calls were')} made again with the same arguments.", lines)


def _what_is_not_known(case: Case) -> Iterator[Finding]:
    seen = [row for row in case.calls if row.get("status") != "cancelled"]
    unknown = [row for row in seen if not is_whole(row)]
    if unknown:
        sentence = (
            f"The log does not hold the whole text that the model saw of {_count(len(unknown), 'call')}."
        )
        yield Finding(SAW, sentence, list(map(_id_line, unknown)), is_alarming=False)


# --- 3. what does the answer rest on?


def _answers(case: Case) -> Iterator[Finding]:
    if not case.arranged.answers:
        sentence = "No answer was recorded; agent_tools.record_answer(text) adds it."
        yield Finding(RESTS, sentence, is_alarming=False)
    for answer in case.arranged.answers:
        yield from _answer(case, answer)


def _answer(case: Case, answer: Row) -> Iterator[Finding]:
    text, ts = get_text(answer, "answer"), get_text(answer, "ts")
    before = [row for row in case.rows if get_text(row, "ts") <= ts and row.get("event") != "answer"]
    calls = [row for row in before if row.get("event") == "tool_call"]
    if get_text(answer, "finish_reason") in _STOPPED_SHORT:
        yield Finding(
            RESTS,
            f"The model was stopped before its answer was complete: {answer['finish_reason']}.",
            [_answer_line(answer)],
        )
    if not text:
        yield Finding(RESTS, "The log does not hold the text of the answer.", is_alarming=False)
    yield from _results(answer, text, calls)
    numbers = answer.get("numbers_unsupported")
    if not isinstance(numbers, list):
        numbers = unsupported_numbers(text, before) or []
    if numbers:
        n = len(numbers)
        sentence = f"{_count(n, 'number of the answer stands', 'numbers of the answer stand')} in no prompt."
        yield Finding(RESTS, sentence, [_where(str(number), text) for number in numbers])
    if quotes := unsupported_quotes(text, before):
        sentence = (
            f"{_count(len(quotes), 'quote of the answer stands', 'quotes of the answer stand')} in no prompt."
        )
        yield Finding(RESTS, sentence, [f'"{quote}"' for quote in quotes])


def _results(answer: Row, text: str, calls: Sequence[Row]) -> Iterator[Finding]:
    useful = [row for row in calls if get_text(row, "status") in ("success", "partial")]
    if calls and not useful:
        yield Finding(RESTS, "Every call before the answer failed or found nothing.", [_answer_line(answer)])
    ids = {name: set(_texts(answer, f"{name}_result_ids")) for name in ("used", "unused")}
    used = [row for row in calls if id_of_result(row) in ids["used"]]
    unused = [row for row in calls if id_of_result(row) in ids["unused"]]
    if not any(ids.values()):
        used, unused = split_by_use(text, calls)
    if used:
        sentence = f"The answer draws on {_count(len(used), 'result')}."
        yield Finding(RESTS, sentence, list(map(_result_line, used)), is_alarming=False)
    if unused:
        sentence = f"The answer holds no value of {_count(len(unused), 'result')}."
        yield Finding(RESTS, sentence, list(map(_result_line, unused)), is_alarming=not used)


_ASKED: tuple[Question, ...] = (
    _what_was_called,
    _what_was_offered,
    _what_was_refused,
    _what_never_ended,
    _answers_without_calls,
    _what_failed,
    _what_was_empty,
    _what_was_cut,
    _what_was_hidden,
    _what_was_repeated,
    _what_is_not_known,
    _answers,
)


# --- words


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"1 {one}" if n == 1 else f"{n} {many or one + 's'}"


def _id_line(row: Row) -> str:
    return f"{get_text(row, 'call_id')} {get_text(row, 'tool')}:"


def _failure_line(row: Row) -> str:
    code, origin = get_text(row, "error_code"), get_text(row, "error_origin")
    message = get_text(row, "error_message") or get_text(row, "error_class")
    retry = "may be retried" if row.get("retryable") is True else ""
    notes = ", ".join(filter(None, (origin and f"{origin} error", retry)))
    return f"{_id_line(row)} {code} {message}".rstrip() + (f" ({notes})" if notes else "")


def _result_line(row: Row) -> str:
    summary = get_text(row, "result_summary")
    return f"{_id_line(row)} {get_text(row, 'result_id')} {summary or get_text(row, 'status')}".replace(
        "  ", " "
    )


def _answer_line(answer: Row) -> str:
    text = get_text(answer, "answer")
    return f"answer at {get_text(answer, 'ts')}: {text[:100]}{'…' if len(text) > 100 else ''}"


def _ending(row: Row) -> str:
    return f"{get_text(row, 'status')} {get_text(row, 'error_code')}".rstrip()


def _asked(row: Row) -> str:
    arguments = row.get("arguments")
    if not isinstance(arguments, dict):
        return "(arguments not logged)"
    text = ", ".join(f"{name}={value!r}" for name, value in arguments.items()) or "nothing"
    return text if len(text) <= 200 else f"{text[:199]}…"


def _where(number: str, text: str) -> str:
    at = text.find(number)
    if at < 0:
        return number
    start, end = max(at - _CONTEXT_CHARACTERS, 0), at + len(number) + _CONTEXT_CHARACTERS
    around = " ".join(text[start:end].split())
    return f"{number}: {'…' if start else ''}{around}{'…' if end < len(text) else ''}"


def _texts(row: Row, column: str) -> list[str]:
    value = row.get(column)
    return [str(item) for item in value] if isinstance(value, list) else []
