"""What a tool is told, validated once, and the process-wide defaults that may change later.

Every setting of `@tool` has a process-wide default that `configure()` changes; `override()` wins over
both for the length of a block. Either raises the generation number, and a tool whose plan was
compiled for an older generation compiles it again at its next call.
"""

from __future__ import annotations

import difflib
import itertools
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from agent_tools.errors import InvalidSetting

Kind = Literal["auto", "query", "action", "summary"]
Format = Literal["auto", "json", "table", "csv", "text", "markdown", "yaml"]

MIN_TOKENS = 64
NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one tool, as the table in the README lists them.

    Example:
        >>> Settings(max_tokens=800).max_tokens
        800
    """

    name: str | None = None
    description: str | None = None
    version: str | None = None
    kind: Kind = "auto"
    idempotent: bool | None = None
    effects: Literal["one", "many"] = "one"
    max_tokens: int | None = 1500
    encoding: str | Callable[[str], int] = "o200k_base"
    token_margin: float = 1.0
    format: Format = "auto"
    fields: tuple[str, ...] | None = None
    errors: Mapping[type[BaseException], Any] = field(default_factory=lambda: NOTHING)
    error_as_data: Literal["detect", "keep"] = "detect"
    empty: Callable[[Any], bool] | None = None
    audience: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=lambda: NOTHING)
    summary: Callable[[Any], str] | None = None
    important: str | Callable[[Any], Any] | None = None
    redact: Any = True
    secrets: tuple[str, ...] = ()
    retries: int = 0
    timeout_s: float | None = None
    run_in_thread: bool = True
    breaker: bool = True
    max_rows: int = 100_000
    store: bool | str = True
    log: Literal["none", "preview", "full", False] = "full"
    log_arguments: Literal["redacted", "shape", "none"] = "redacted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSettings:
    """What holds for the whole process: where things are kept and for how long.

    Attributes:
        home: Folder of the call log and the store. None looks for it, see `agent_tools.context`.
        home_forced: `home` comes from `override()`, so it wins over the environment, too.
        store_url: `sqlite`, `sqlite:///path/file.db`, `memory` or `redis://host:port/db`.
        store_ttl_s: Seconds a stored result can be read.
        store_quota_bytes: Size at which the oldest stored results go.
        otel: OpenTelemetry spans and metrics of the calls. None makes them once the application has imported
            `opentelemetry.trace`, True imports it, False does without.
        otel_content: Spans carry arguments, results and error messages as far as the log may hold them.
    """

    home: Path | None = None
    home_forced: bool = False
    store_url: str = "sqlite"
    store_ttl_s: float = 86_400.0
    store_quota_bytes: int = 1_000_000_000
    otel: bool | None = None
    otel_content: bool = False


# --- one check per setting: value -> value as kept, or ValueError with what is wanted


def _one_of(*known: Any) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        # `True == 1`: a bool must not pass for a number or the other way round
        if not any(value is k or (type(value) is type(k) and value == k) for k in known):
            raise ValueError(f"known: {', '.join(map(repr, known))}")
        return value

    return check


def _number(kind: type, low: float, unit: str, *, none: bool = False) -> Callable[[Any], Any]:
    accepted = (int,) if kind is int else (int, float)

    def check(value: Any) -> Any:
        if value is None and none:
            return None
        if isinstance(value, bool) or not isinstance(value, accepted) or not low <= value < float("inf"):
            end = " or None" if none else ""
            raise ValueError(f"expected {kind.__name__} of at least {low:g} {unit}{end}")
        return kind(value)

    return check


def _text(value: Any) -> Any:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise ValueError("expected text that is not blank, or None")
    return value


def _name(value: Any) -> Any:
    if value is not None and not (isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.\-]{1,64}", value)):
        raise ValueError("expected 1 to 64 letters, digits, '_', '-' or '.', or None")
    return value


def _callable_or_none(value: Any) -> Any:
    if value is not None and not callable(value):
        raise ValueError("expected a callable or None")
    return value


def _names(value: Any) -> Any:
    return None if value is None else _texts(value, "expected a list of names or None")


def _literals(value: Any) -> Any:
    wanted = f"expected a list of texts of at least {MIN_SECRET} characters: a shorter one is everywhere"
    texts = _texts(value, wanted)
    if any(len(text) < MIN_SECRET for text in texts):
        raise ValueError(wanted)
    return texts


MIN_SECRET = 4


def _texts(value: Any, wanted: str) -> tuple[str, ...]:
    """Read a list of texts that are not blank; a generator is read once."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ValueError(wanted)
    texts = tuple(value)
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError(wanted)
    return texts


def _mapping(value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError("expected a dict")
    return MappingProxyType(dict(value))


def _errors(value: Any) -> Any:
    for key, target in _mapping(value).items():
        if not (isinstance(key, type) and issubclass(key, BaseException)):
            raise ValueError(f"expected exception types as keys, got {key!r}")
        is_pair = isinstance(target, tuple) and len(target) == 2 and isinstance(target[1], bool)
        code = target[0] if is_pair else target
        if not callable(target) and not (isinstance(code, str) and re.fullmatch(r"[A-Z][A-Z0-9_]*", code)):
            raise ValueError(
                f"expected 'CODE', ('CODE', retryable) or a callable for {key.__name__}, got {target!r}"
            )
    return _mapping(value)


def _audience(value: Any) -> Any:
    read = {}
    for path, readers in _mapping(value).items():
        wanted = f"expected {{'field.path': 'plan'}} or a list of readers, got {path!r}: {readers!r}"
        # an empty list is a field for nobody: it is in the log's store, in no view
        names = (readers,) if isinstance(readers, str) else _texts(readers, wanted)
        if not (isinstance(path, str) and all(path.split("."))):
            raise ValueError(wanted)
        if not all(re.fullmatch(AUDIENCE, name) for name in names):
            raise ValueError(wanted)
        read[path] = names
    return MappingProxyType(read)


# as `visible_to` takes them
AUDIENCE = "[a-z][a-z0-9_]*"


def _labels(value: Any) -> Any:
    for path, names in _mapping(value).items():
        if not isinstance(path, str) or not isinstance(names, Mapping):
            raise ValueError(f"expected {{'field': {{code: 'label'}}}}, got {path!r}: {names!r}")
    return _mapping(value)


def _redact(value: Any) -> Any:
    if isinstance(value, bool) or value == "all" or callable(value):
        return value
    wanted = "expected a list of rules, rule names, key names and functions, 'all', True, False or a function"
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ValueError(wanted)
    items = tuple(value)
    if any(isinstance(item, str) and not item.strip() for item in items):
        raise ValueError(wanted)
    return items


def _important(value: Any) -> Any:
    if value is None or callable(value) or (isinstance(value, str) and value):
        return value
    raise ValueError("expected a column name, a predicate or None")


def _encoding(value: Any) -> Any:
    if callable(value) or (isinstance(value, str) and value):
        return value
    raise ValueError("expected the name of a tiktoken encoding or a callable(text) -> int")


def _store(value: Any) -> Any:
    if isinstance(value, bool) or (isinstance(value, str) and value):
        return value
    raise ValueError("expected True, False, 'sqlite', 'memory' or 'redis://host:port/db'")


def _url(value: Any) -> Any:
    if not isinstance(value, str) or not value:
        raise ValueError("expected 'sqlite', 'sqlite:///file.db', 'memory' or 'redis://host:port/db'")
    return value


def _home(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, (str, Path)) or not str(value).strip():
        raise ValueError("expected a folder")
    return Path(value).expanduser().absolute()


CHECKS: dict[str, Callable[[Any], Any]] = {
    "name": _name,
    "description": _text,
    "version": _text,
    "kind": _one_of("auto", "query", "action", "summary"),
    "idempotent": _one_of(True, False, None),
    "effects": _one_of("one", "many"),
    "max_tokens": _number(int, MIN_TOKENS, "tokens", none=True),
    "encoding": _encoding,
    "token_margin": _number(float, 1.0, "(a factor)"),
    "format": _one_of("auto", "json", "table", "csv", "text", "markdown", "yaml"),
    "fields": _names,
    "errors": _errors,
    "error_as_data": _one_of("detect", "keep"),
    "empty": _callable_or_none,
    "audience": _audience,
    "labels": _labels,
    "summary": _callable_or_none,
    "important": _important,
    "redact": _redact,
    "secrets": _literals,
    "retries": _number(int, 0, "retries"),
    "timeout_s": _number(float, 0.001, "seconds", none=True),
    "run_in_thread": _one_of(True, False),
    "breaker": _one_of(True, False),
    "max_rows": _number(int, 1, "rows"),
    "store": _store,
    "log": _one_of("none", "preview", "full", False),
    "log_arguments": _one_of("redacted", "shape", "none"),
}
PROCESS_CHECKS: dict[str, Callable[[Any], Any]] = {
    "home": _home,
    "store_url": _url,
    "store_ttl_s": _number(float, 0.001, "seconds"),
    "store_quota_bytes": _number(int, 10_000, "bytes"),
    "otel": _one_of(True, False, None),
    "otel_content": _one_of(True, False),
}
# Checks that need what lies above this module; it joins them by `add_check`.
_MORE_CHECKS: dict[str, Callable[[Any], object]] = {}
# of one tool by nature, so a process-wide default makes no sense
OF_ONE_TOOL = frozenset({"name", "description", "version"})


def check_settings(
    given: Mapping[str, Any], checks: Mapping[str, Callable[[Any], Any]] = CHECKS
) -> dict[str, Any]:
    """Validate settings by name.

    Returns: the values as they are kept (lists as tuples, dicts read-only).

    Raises:
        InvalidSetting: an unknown name (with the nearest known one) or a bad value.
    """
    checked = {}
    for name, value in given.items():
        if name not in checks:
            near = difflib.get_close_matches(name, checks, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise InvalidSetting(f"unknown setting {name!r}; {hint}known: {', '.join(sorted(checks))}")
        try:
            checked[name] = checks[name](value)
            if name in _MORE_CHECKS:
                _MORE_CHECKS[name](checked[name])
        except ValueError as error:
            raise InvalidSetting(f"bad setting {name}={_shown(name, value)}: {error}") from error
    return checked


def add_check(name: str, check: Callable[[Any], object]) -> None:
    """Refuse values of a setting for which `check` raises ValueError."""
    _MORE_CHECKS[name] = check


def _shown(name: str, value: Any) -> str:
    # neither the texts to hide nor the password of a store's URL belong into a traceback
    return "(hidden)" if name == "secrets" or "@" in str(value) else repr(value)


# --- process-wide state: defaults, overrides and their generation number

Layer = tuple[Mapping[str, Any], Mapping[str, Any]]

_lock = threading.Lock()
_generations = itertools.count(1)
_defaults: dict[str, Any] = {}
_configured = ProcessSettings()
# of tools and of the process, the innermost last
_overrides: list[Layer] = []
_process = _configured
generation = 0


def _changed() -> None:
    global generation, _process
    of_process: dict[str, Any] = {}
    for _, forced in _overrides:
        of_process |= forced
    _process = replace(_configured, **of_process)
    generation = next(_generations)


def _split(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    for name in OF_ONE_TOOL & given.keys():
        raise InvalidSetting(f"setting {name!r} belongs to one tool; give it to @tool({name}=...)")
    known = {name: CHECKS[name] for name in CHECKS if name not in OF_ONE_TOOL}
    checked = check_settings(given, known | PROCESS_CHECKS)
    of_process = {name: checked.pop(name) for name in PROCESS_CHECKS if name in checked}
    return checked, of_process


def configure(**given: Any) -> None:
    """Change process-wide defaults; what a tool was given at decoration still wins.

    Takes every setting of `@tool` except name, description and version, and
    home, store_url, store_ttl_s, store_quota_bytes, otel, otel_content. Tools obey at their next call.

    Raises:
        InvalidSetting: an unknown setting or a bad value; nothing is changed then.

    Example:
        >>> configure(max_tokens=1500)
    """
    global _configured
    defaults, of_process = _split(given)
    with _lock:
        _defaults.update(defaults)
        _configured = replace(_configured, **of_process)
        _changed()


@contextmanager
def override(**given: Any) -> Iterator[None]:
    """Force settings on every tool of the process for the length of a block: made for tests.

    Wins over `configure()` and over what a tool was given; takes the same names as `configure()`.

    Raises:
        InvalidSetting: an unknown setting or a bad value.

    Example:
        >>> with override(max_tokens=64):
        ...     pass
    """
    forced, of_process = _split(given)
    if "home" in of_process:
        of_process["home_forced"] = of_process["home"] is not None
    layer = (forced, of_process)
    with _lock:
        _overrides.append(layer)
        _changed()
    try:
        yield
    finally:
        with _lock:
            # by identity: blocks of several threads may end in another order than they began
            _overrides[:] = [other for other in _overrides if other is not layer]
            _changed()


def current(given: Mapping[str, Any]) -> Settings:
    """Build the settings in force for a tool that was given `given` (already checked)."""
    with _lock:
        merged = {**_defaults, **given}
        for forced, _ in _overrides:
            merged |= forced
    return Settings(**merged)


def process() -> ProcessSettings:
    """Return the settings of the process in force."""
    return _process


assert CHECKS.keys() == {f.name for f in fields(Settings)}, "every setting needs its check"
