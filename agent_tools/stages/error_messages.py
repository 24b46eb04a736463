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
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from agent_tools.errors import ToolError
from agent_tools.foreign import peek, read_text
from agent_tools.patterns import lazy_pattern
from agent_tools.stages.error_kinds import names_of
from agent_tools.stages.error_statuses import status_of
from agent_tools.stages.error_texts import (
    EDGE,
    MAX_MESSAGE,
    MAX_RAW,
    TOKEN_CHARACTERS,
    Redact,
    clean,
    clip,
    hide_in_urls,
    is_blank,
    shorten,
)

MAX_LINES = 6  # of a validation error or a group; the rest is counted
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
    text = _part(raw, redact, limit)
    if is_blank(text):
        text = "no message given" if not isinstance(exc, ToolError) else _blank_report(exc)
    return text


def _blank_report(exc: ToolError) -> str:
    code = peek(exc, "code")
    return f"The tool reported {code} and gave no message." if code else "The tool reported a failure."


def _part(text: object, redact: Redact, limit: int = 100) -> str:
    raw = read_text(text) or ""
    return clean(raw) if len(raw) <= limit else shorten(raw, redact, limit)


def _fit(text: str, redact: Redact, limit: int = 100) -> str:
    # redacted before it is cut; what need not be cut is redacted with the whole message
    return text if len(text) <= limit else shorten(text, redact, limit)


def _lines(lines: Iterable[str], total: int, joint: str = "\n") -> str:
    shown = [line for line, _ in zip(lines, range(MAX_LINES), strict=False)]
    if total > len(shown):
        shown.append(f"and {total - len(shown)} more")
    return joint.join(shown)


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
    told = dict.fromkeys([f"{type_name(leaf)}: {_fit(_compose(leaf, redact), redact)}" for leaf in leaves])
    count = f"{len(leaves)}" if len(leaves) < MAX_LEAVES else f"at least {MAX_LEAVES}"
    return f"{count} failed: " + _lines(told, len(told), "; ")


_NAME = lazy_pattern(r"[A-Za-z]{1,24}(?:[_.\- ][A-Za-z]{1,24}){0,4}")


def _key(exc: BaseException, redact: Redact) -> str | None:
    # a key may be a value (a token, a person): only what is shaped like a name is shown
    key = exc.args[0] if len(exc.args) == 1 else None
    if isinstance(key, str):
        if _NAME.fullmatch(key[:128]):
            return f"no key {key!r}"
        if key.count(" ") >= 2:
            return _part(key, redact, MAX_MESSAGE)
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
        _part(path, redact, 150)
        for name in ("filename", "filename2")
        if (path := peek(exc, name)) is not None
    ]
    return ": ".join([_part(reason, redact, 200), *(f"'{path}'" for path in paths)])


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
    said = _fit(said, redact, MAX_SAID)
    return _part(f"{said} for url {answer.url}" if answer.url else said, redact, MAX_MESSAGE)


def _last_line(output: object, redact: Redact) -> str:
    # of text or bytes of any size
    tail = output[-MAX_RAW:] if isinstance(output, str | bytes) else ""
    text = tail.decode(errors="replace") if isinstance(tail, bytes) else tail
    lines = [line for line in text.splitlines() if not is_blank(line)]
    if len(lines) == 1 and len(tail) == MAX_RAW:  # it may begin with half a secret
        lines = [text[EDGE:].lstrip(TOKEN_CHARACTERS)]
    return _part(lines[-1], redact, 200) if lines else ""


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
    return None if is_blank(first) else _part(first, redact, MAX_MESSAGE)


def _mongo(exc: BaseException, redact: Redact) -> str | None:
    text = (read_text(exc) or "")[: 2 * MAX_RAW]
    for mark in (", full error:", " dup key:", ", Timeout: "):
        text = text.partition(mark)[0]
    return None if is_blank(text) else _part(text, redact, MAX_MESSAGE)


def _params(exc: BaseException, redact: Redact) -> str | None:
    text = (read_text(exc) or "")[: 2 * MAX_RAW]
    return _part(re.sub(r", value: [^\n]*?, (type|valid)", r", \1", text), redact, MAX_MESSAGE) or None


def _grpc(exc: BaseException, redact: Redact) -> str | None:
    details = peek(exc, "details")
    text = details() if callable(details) else None
    return _part(text, redact, MAX_MESSAGE) or None if isinstance(text, str) else None


def _model(exc: BaseException, redact: Redact) -> str | None:
    body = peek(exc, "body")
    for key in ("error", "message"):
        body = body.get(key, body) if isinstance(body, Mapping) else body
    status = status_of(exc)
    return f"{status}: {_part(body, redact, 220)}" if isinstance(body, str) and status else None


_PYDANTIC_SAYS = {
    "missing": "field required",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a string",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "extra_forbidden": "is not a known field",
}  # fmt: skip


def _path_text(parts: Iterable[object], redact: Redact) -> str:
    text = "$"
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not any(mark in str(part) for mark in "[(<"):  # pydantic's own words for unions and validators
            text += f".{_part(part, redact, 60)}"
    return text


def _pydantic(exc: BaseException, redact: Redact) -> str | None:
    read = peek(exc, "errors")
    if not callable(read):
        return None
    errors: Any = read(include_url=False, include_context=False, include_input=False)
    lines = (f"{_path_text(error['loc'], redact)}: {_rule_text(error, redact)}" for error in errors)
    return _lines(lines, len(errors))


def _rule_text(error: Mapping[str, object], redact: Redact) -> str:
    said = _PYDANTIC_SAYS.get(str(error["type"]))
    text = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return said or _part(re.sub(r"^[A-Z]\w+ should ", "must ", text), redact, 120)


def _jsonschema(exc: BaseException, redact: Redact) -> str | None:
    rule, path = peek(exc, "validator"), peek(exc, "absolute_path")
    if rule is None:
        return None
    return f"{_path_text(path or (), redact)}: {_schema_text(exc, str(rule), redact)}"


_JSON_SAYS = {
    "type": "must be of type {}",
    "enum": "must be one of {}",
    "const": "must be {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} fields",
    "maxProperties": "must have at most {} fields",
    "pattern": "must match {}",
    "format": "must be a valid {}",
}


def _schema_text(exc: BaseException, rule: str, redact: Redact) -> str:
    wanted, instance = peek(exc, "validator_value"), peek(exc, "instance")
    if rule == "required" and isinstance(wanted, list) and isinstance(instance, Mapping):
        missing = [str(name) for name in wanted if name not in instance]
        return "field required: " + _part(", ".join(missing[:8]), redact, 120)
    if rule == "additionalProperties":
        return "has a field that is not known"
    shown = ", ".join(repr(item) for item in wanted[:8]) if isinstance(wanted, list) else wanted
    says = _JSON_SAYS.get(rule)
    return (
        says.format(_part(shown, redact, 120))
        if says
        else f"does not fit the rule {_part(rule, redact, 40)!r}"
    )


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
    "pydantic_core.ValidationError": _pydantic,
    "pydantic.ValidationError": _pydantic,
    "jsonschema._Error": _jsonschema,
}
