"""Compare an answer with what the model had been given.

In:   the answer, and the rows of its trace.
Out:  which results it draws on, which quotes and numerals stand in none of them.
Cost: some 5 ms for each prompt of 16 kB.

Texts are compared as words: case, punctuation, escapes and line breaks make no difference. What also stands
in a call's own arguments says nothing about its result.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agent_tools.calllog.entries import hash_text
from agent_tools.calllog.numerals import Reading, find_unsupported, is_among, iter_numerals, iter_values
from agent_tools.calllog.reader import Row, get_number, get_text

_ESCAPES = re.compile(r'\\(?:[nrtbf"\\/]|u[0-9a-fA-F]{4})')
_NO_WORD = re.compile(r"[\W_]+")
_QUOTES = re.compile(
    r'"([^"\n]{4,400})"|“([^”]{4,400})”|„([^“”]{4,400})[“”]|«([^»]{4,400})»|`([^`\n]{4,200})`'
)
# their digits are nobody's numbers
_RANDOM_IDS = re.compile(r"\b(?:r_[\w-]{16}|c_[0-9a-f]{22})(?![\w-])")
_SHINGLE_WORDS = 4
_LEAF_CHARACTERS = (4, 200)
_MAX_LEAVES = 20_000


def is_whole(row: Row) -> bool:
    """Say whether the log holds all of the text that the model saw."""
    prompt = row.get("prompt")
    return isinstance(prompt, str) and row.get("prompt_sha256") in (None, hash_text(prompt))


def texts_of(rows: Iterable[Row]) -> list[str]:
    """Return what the model was given in a trace: prompts of calls and views, arguments, the task."""
    texts = []
    for row in rows:
        if row.get("event") in ("tool_call", "tool_view"):
            texts += [get_text(row, "prompt"), _dumps(row.get("arguments"))]
        texts.append(get_text(row, "trace_name"))
    return list(filter(None, dict.fromkeys(texts)))


def unsupported_numbers(answer: str, rows: Sequence[Row]) -> list[str] | None:
    """Return the numerals of an answer that stand in no prompt; None when not all prompts are known whole."""
    counts = [get_number(row, name) for row in rows for name in ("result_rows", "result_total")]
    counts += [0.0 for row in rows if row.get("status") == "empty"]
    texts = [_RANDOM_IDS.sub(" ", text) for text in texts_of(rows)]
    missing = find_unsupported(answer, texts, [count for count in counts if count is not None])
    # of a call that was cancelled the model saw nothing
    calls = [row for row in rows if row["event"] == "tool_call" and row.get("status") != "cancelled"]
    return missing if not missing or all(map(is_whole, calls)) else None


def unsupported_quotes(answer: str, rows: Iterable[Row]) -> list[str]:
    """Return the quoted texts of an answer that stand in nothing that the model was given.

    Example:
        >>> row = {"event": "tool_call", "prompt": '{"data":"The gate\\\\nis closed."}'}
        >>> unsupported_quotes('It says "the gate is closed" and "all flights left".', [row])
        ['all flights left']
    """
    quotes = ["".join(filter(None, groups)) for groups in _QUOTES.findall(answer)]
    if not quotes:
        return []
    known = " ".join(map(to_words, texts_of(rows)))
    return list(dict.fromkeys(quote for quote in quotes if not _is_quoted(quote, known)))


def _is_quoted(quote: str, known: str) -> bool:
    pieces = [to_words(piece) for piece in re.split(r"…|\.\.\.|\[\.\.\.\]", quote)]
    # a single word in quotes is a name or an irony
    return all(f" {piece} " in f" {known} " for piece in pieces if " " in piece)


def split_by_use(answer: str, calls: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return the calls whose results an answer draws on, and those with data that it does not draw on.

    A result is drawn on when the answer holds one of its values: a text, a number of two digits or more,
    or four words in a row. Calls that failed or gave no data are in neither.
    """
    words = f" {to_words(answer)} "
    numbers = [reading for _, readings in iter_numerals(answer) for reading in readings]
    used: list[Row] = []
    unused: list[Row] = []
    for row in calls:
        if get_text(row, "status") not in ("success", "partial") or not isinstance(row.get("prompt"), str):
            continue
        if next(_leaves(get_text(row, "prompt")), None) is None:
            continue
        is_used = _draws_on(words, numbers, row) or id_of_result(row) in answer
        (used if is_used else unused).append(row)
    return used, unused


def id_of_result(row: Row) -> str:
    """Return the id of a call's result; the call's own where nothing was stored."""
    return get_text(row, "result_id") or get_text(row, "call_id")


def _draws_on(answer_words: str, numbers: list[Reading], row: Row) -> bool:
    asked = _dumps(row.get("arguments"))
    asked_words = f" {to_words(asked)} "
    values = set()
    for leaf in _leaves(get_text(row, "prompt")):
        if not isinstance(leaf, str):
            # small whole numbers are everywhere
            if abs(leaf) >= 10 or leaf != int(leaf):
                values.add(abs(leaf))
        elif f" {(words := to_words(leaf))} " not in asked_words and _holds(answer_words, words):
            return True
    supply = sorted(values.difference(iter_values(asked)))
    return any(is_among(reading, supply) for reading in numbers)


def _holds(answer_words: str, words: str) -> bool:
    least, most = _LEAF_CHARACTERS
    if len(words) <= most:
        is_telling = len(words) >= least or (len(words) > 1 and any(map(str.isdigit, words)))
        return is_telling and not words.isdigit() and f" {words} " in answer_words
    spoken = answer_words.split()
    shingles = (spoken[n : n + _SHINGLE_WORDS] for n in range(len(spoken) - _SHINGLE_WORDS + 1))
    text = f" {words} "
    return any(f" {' '.join(shingle)} " in text for shingle in shingles)


def _leaves(prompt: str) -> Iterator[str | float]:
    """Yield the values of a result as the model saw it; of a text, its cells."""
    try:
        envelope = json.loads(prompt)
        data = envelope.get("data") if isinstance(envelope, dict) else envelope
    except ValueError:
        # formats other than JSON: a first line about the call, then the body
        body = prompt.partition("\n")[2] or prompt
        yield body
        data = re.split(r"[,|\t\n]| {2,}|: ", body)
    n = 0
    waiting = [data]
    while waiting and n < _MAX_LEAVES:
        value = waiting.pop()
        n += 1
        if isinstance(value, dict):
            columns = value.get("columns")
            waiting.extend([value.get("rows")] if columns and "rows" in value else value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str):
            yield value
            yield from iter_values(value) if len(value) <= _LEAF_CHARACTERS[1] else ()
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            with contextlib.suppress(OverflowError):
                yield float(value)


def to_words(text: str) -> str:
    r"""Return the words of a text, lower case, one blank between them.

    Example:
        >>> to_words('The "gate"\\nis CLOSED.')
        'the gate is closed'
    """
    return _NO_WORD.sub(" ", _ESCAPES.sub(" ", text)).strip().casefold()


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""
