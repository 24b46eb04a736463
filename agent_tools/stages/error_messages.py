"""Say in words what failed, without what an exception's own text gives away.

In:   an exception.
Out:  `TypeName: text`, at most 300 characters, redacted; a ToolError's own sentence as it is.
Cost: one redaction, and one more of at most 1 kB (seldom 4) for what is cut. The text of an exception whose
      message holds values (parameters, argv, the rejected input, the failing key) is never read: it is
      composed from its fields.
"""

from __future__ import annotations

import functools
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import NamedTuple

from agent_tools.errors import ToolError
from agent_tools.foreign import peek, read_text
from agent_tools.patterns import lazy_pattern
from agent_tools.stages.error_kinds import names_of
from agent_tools.stages.error_schemas import tell_jsonschema, tell_pydantic
from agent_tools.stages.error_statuses import status_of
from agent_tools.stages.error_texts import (
    EDGE,
    MAX_MESSAGE,
    MAX_RAW,
    TOKEN_CHARACTERS,
    Redact,
    clean,
    clip,
    fit,
    hide_in_urls,
    is_blank,
    join_lines,
    part_of,
)

MAX_LEAVES = 200

_Compose = Callable[[BaseException, Redact], "str | None"]


def make_message(exc: BaseException, redact_text: Redact, limit: int = MAX_MESSAGE) -> str:
    """Return what failed, never blank, at most `limit` characters.

    Example:
        >>> make_message(ZeroDivisionError("division by zero"), str)
        'ZeroDivisionError: division by zero'
        >>> make_message(TimeoutError(), str)
        'TimeoutError: no message given'
    """
    name = type_name(exc)
    try:
        redacted = hide_in_urls(redact_text(tell(exc, redact_text, limit)))
    except Exception:  # noqa: BLE001 - a redactor that fails hides the text, not the failure
        redacted = f"{name}: the text is withheld, the redactor failed"
    if is_blank(redacted):
        redacted = f"{name}: the text is hidden"
    if "Traceback" in redacted:
        redacted = redacted.replace("Traceback (most recent call last)", "Traceback")
    return clip(redacted, limit)


def tell(exc: BaseException, redact: Redact, limit: int) -> str:
    """Return what failed, still to be redacted but for what was cut."""
    start = "" if isinstance(exc, ToolError) else f"{type_name(exc)}: "
    return start + _compose(exc, redact, limit - len(start))


def type_name(exc: BaseException) -> str:
    """Return the class's own name, on one line and short."""
    return _voice_of(type(exc)).name


class _Voice(NamedTuple):
    # how exceptions of one class are told: their name and what composes their text
    name: str
    composers: tuple[_Compose, ...]


# weak, so that classes made at run time can go
_VOICES: weakref.WeakKeyDictionary[type, _Voice] = weakref.WeakKeyDictionary()


def _voice_of(cls: type) -> _Voice:
    try:
        return _VOICES[cls]
    except KeyError:
        composers = tuple(COMPOSERS[name] for name in names_of(cls) if name in COMPOSERS)
        name = clip(clean(cls.__name__), 80) or "Exception"
        voice = _VOICES[cls] = _Voice(name, composers)
        return voice


def _compose(exc: BaseException, redact: Redact, limit: int = MAX_MESSAGE) -> str:
    for compose in _voice_of(type(exc)).composers:
        try:
            composed = compose(exc, redact)
        except Exception:  # noqa: BLE001 - a field of a foreign exception may raise anything
            return "no text available"
        if composed is not None:
            return composed
    raw = read_text(exc)
    if raw is None:
        return "no text available (its __str__ raised)"
    text = part_of(raw, redact, limit)
    if is_blank(text):
        text = "no message given" if not isinstance(exc, ToolError) else _blank_report(exc)
    return text


def _blank_report(exc: ToolError) -> str:
    code = peek(exc, "code")
    return f"The tool reported {code} and gave no message." if code else "The tool reported a failure."


def leaves_of(
    group: BaseExceptionGroup[BaseException], limit: int | None = MAX_LEAVES
) -> Iterator[BaseException]:
    """Yield what a group holds, through groups in groups, at most `limit` of them (None: all)."""
    pending: list[BaseException] = [group]
    found, opened = 0, set[int]()
    while pending and (limit is None or found < limit):
        exc = pending.pop()
        if isinstance(exc, BaseExceptionGroup):
            if id(exc) not in opened:  # one that stands in a group twice is looked into once
                opened.add(id(exc))
                pending.extend(reversed(exc.exceptions[:limit]))
        else:
            found += 1
            yield exc


def _group(exc: BaseException, redact: Redact) -> str | None:
    if not isinstance(exc, BaseExceptionGroup):
        return None
    leaves = list(leaves_of(exc))
    told = dict.fromkeys([f"{type_name(leaf)}: {fit(_compose(leaf, redact), redact)}" for leaf in leaves])
    count = f"{len(leaves)}" if len(leaves) < MAX_LEAVES else f"at least {MAX_LEAVES}"
    return f"{count} failed: " + join_lines(told, len(told), "; ")


_NAME = lazy_pattern(r"[A-Za-z]{1,24}(?:[_.\- ][A-Za-z]{1,24}){0,4}")


def _key(exc: BaseException, redact: Redact) -> str | None:
    # a key may be a value (a token, a person): only what is shaped like a name is shown
    key = exc.args[0] if len(exc.args) == 1 else None
    if isinstance(key, str):
        if _NAME.fullmatch(key[:128]):
            return f"no key {key!r}"
        if key.count(" ") >= 2:
            return part_of(key, redact, MAX_MESSAGE)
    return f"no such key ({type(key).__name__})" if key is not None else None


# what int() and its like say before they repeat the value
_LITERALS = (
    "invalid literal for int() with base",
    "could not convert string to float",
    "could not convert string to complex",
    "Invalid literal for Fraction",
)


def _value(exc: BaseException, redact: Redact) -> str | None:
    text = read_text(exc) or ""
    if not text.startswith(_LITERALS):
        return None
    head, _, value = text.partition(": ")
    harmless = re.fullmatch(r"'[0-9.,+\-eE% ]{0,10}'", value[:16])
    return f"{head}: {value if harmless else f'a text of {max(len(value) - 2, 0)} characters'}"


def _os(exc: BaseException, redact: Redact) -> str | None:
    reason = peek(exc, "strerror")
    if not isinstance(reason, str):
        return None
    paths = [
        part_of(path, redact, 150)
        for name in ("filename", "filename2")
        if (path := peek(exc, name)) is not None
    ]
    return ": ".join([part_of(reason, redact, 200), *(f"'{path}'" for path in paths)])


def _process(exc: BaseException, redact: Redact) -> str:
    code = peek(exc, "returncode")
    what = (
        f"was ended by signal {-code}" if isinstance(code, int) and code < 0 else f"exited with status {code}"
    )
    said = _last_line(peek(exc, "stderr"), redact) or _last_line(peek(exc, "output"), redact)
    return f"the command {what}" + (f": {said}" if said else "")


MAX_SAID = 180  # characters of what a server says, so that the address still stands beside it


@functools.cache
def _http_reader() -> ModuleType:
    from agent_tools.converters import http  # http.client and email, for tools that use them

    return http


def _http(exc: BaseException, redact: Redact) -> str | None:
    # what the server says in the body that was read; without one the library's own sentence stands
    http = _http_reader()
    answer = http.answer_of(exc)
    if answer is None or answer.status < 400:
        return None
    said = f"HTTP {answer.status}: {http.explain(answer)[0]}"
    said = fit(said, redact, MAX_SAID)
    return part_of(f"{said} for url {answer.url}" if answer.url else said, redact, MAX_MESSAGE)


def _last_line(output: object, redact: Redact) -> str:
    # of text or bytes of any size
    tail = output[-MAX_RAW:] if isinstance(output, str | bytes) else ""
    text = tail.decode(errors="replace") if isinstance(tail, bytes) else tail
    lines = [line for line in text.splitlines() if not is_blank(line)]
    if len(lines) == 1 and len(tail) == MAX_RAW:  # it may begin with half a secret
        lines = [text[EDGE:].lstrip(TOKEN_CHARACTERS)]
    return part_of(lines[-1], redact, 200) if lines else ""


def _process_timeout(exc: BaseException, redact: Redact) -> str:
    # what subprocess.run leaves of the limit is 0.19998 for 0.2
    return f"the command did not finish within {float(peek(exc, 'timeout')):.3g} seconds"


def _sql(exc: BaseException, redact: Redact) -> str | None:
    # the driver's sentence; PostgreSQL's DETAIL, SQLAlchemy's parameters and statement hold values
    orig = peek(exc, "orig")
    if isinstance(orig, BaseException) and orig is not exc:
        return _compose(orig, redact)
    text = exc.args[1] if len(exc.args) > 1 and isinstance(exc.args[0], int) else exc
    lines = (read_text(text) or "").lstrip()[: 2 * MAX_RAW].splitlines()
    first = lines[0] if lines else ""
    first = re.sub(r"Duplicate entry '.*' for key", "Duplicate entry for key", first)
    return None if is_blank(first) else part_of(first, redact, MAX_MESSAGE)


def _mongo(exc: BaseException, redact: Redact) -> str | None:
    text = (read_text(exc) or "")[: 2 * MAX_RAW]
    for mark in (", full error:", " dup key:", ", Timeout: "):
        text = text.partition(mark)[0]
    return None if is_blank(text) else part_of(text, redact, MAX_MESSAGE)


def _params(exc: BaseException, redact: Redact) -> str | None:
    text = (read_text(exc) or "")[: 2 * MAX_RAW]
    return part_of(re.sub(r", value: [^\n]*?, (type|valid)", r", \1", text), redact, MAX_MESSAGE) or None


def _grpc(exc: BaseException, redact: Redact) -> str | None:
    details = peek(exc, "details")
    text = details() if callable(details) else None
    return part_of(text, redact, MAX_MESSAGE) or None if isinstance(text, str) else None


def _model(exc: BaseException, redact: Redact) -> str | None:
    body = peek(exc, "body")
    for key in ("error", "message"):
        body = body.get(key, body) if isinstance(body, Mapping) else body
    status = status_of(exc)
    return f"{status}: {part_of(body, redact, 220)}" if isinstance(body, str) and status else None


COMPOSERS: dict[str, _Compose] = {
    "builtins.BaseExceptionGroup": _group,
    "builtins.KeyError": _key,
    "builtins.ValueError": _value,
    "builtins.OSError": _os,
    "subprocess.CalledProcessError": _process,
    "subprocess.TimeoutExpired": _process_timeout,
    "httpx.HTTPStatusError": _http,
    "httpx2.HTTPStatusError": _http,
    "requests.HTTPError": _http,
    "urllib.HTTPError": _http,
    "sqlalchemy.SQLAlchemyError": _sql,
    "sqlalchemy.EmulatedDBAPIException": _sql,
    "psycopg.Error": _sql,
    "psycopg2.Error": _sql,
    "asyncpg.PostgresError": _sql,
    "pymysql.MySQLError": _sql,
    "MySQLdb.MySQLError": _sql,
    "mysql.Error": _sql,
    "pyodbc.Error": _sql,
    "pymongo.PyMongoError": _mongo,
    "botocore.ParamValidationError": _params,
    "grpc.RpcError": _grpc,
    "openai.APIStatusError": _model,
    "anthropic.APIStatusError": _model,
    "pydantic_core.ValidationError": tell_pydantic,
    "pydantic.ValidationError": tell_pydantic,
    "jsonschema._Error": tell_jsonschema,
}
