"""Where a call happens: the trace it belongs to, its ids, its scope and the home folder.

Context travels in context variables of our own, so that threads started with a copied context and
asyncio tasks see the trace that they were started in.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import sys
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any

from agent_tools import settings
from agent_tools.errors import InvalidSetting

HOME_VARIABLE = "AGENT_TOOLS_HOME"
HOME_NAME = ".agent_tools"
# a long process must not grow: identical calls are counted for the latest so many inputs
MAX_INPUTS = 10_000
MAX_CONVERSATIONS = 1_000
# looked up, never imported: it is there when the application uses OpenTelemetry
OPENTELEMETRY = "opentelemetry.trace"


def make_scope(tenant: str | None, conversation: str | None) -> str:
    """Return the text that stored results are bound to; empty without tenant and conversation."""
    if tenant is None and conversation is None:
        return ""
    # JSON keeps ("a", "b/c") and ("a/b", "c") apart
    return json.dumps([tenant, conversation], ensure_ascii=False)


class Failures:
    """How often calls with the same input failed alike in a row; safe to use from many threads."""

    __slots__ = ("_counts", "_lock")

    def __init__(self) -> None:
        self._counts: OrderedDict[str, tuple[str, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, input_hash: str) -> tuple[str, int]:
        """Return the code of the last failure and how many times in a row it came."""
        return self._counts.get(input_hash, ("", 0))

    def count(self, input_hash: str, code: str | None) -> int:
        """Remember that the call with this input failed with `code`, or that it worked (None).

        Returns: how many times in a row it failed alike.
        """
        with self._lock:
            before, n = self._counts.pop(input_hash, ("", 0))
            if code is None:
                return 0
            n = n + 1 if before == code else 1
            self._counts[input_hash] = (code, n)
            if len(self._counts) > MAX_INPUTS:
                self._counts.popitem(last=False)
        return n


_conversations: OrderedDict[str, Failures] = OrderedDict()
_conversations_lock = threading.Lock()


def _failures_of(scope: str) -> Failures:
    """Return the failures of a conversation: the next turn is a new trace, and the model the same."""
    with _conversations_lock:
        known = _conversations.pop(scope, None) or Failures()
        _conversations[scope] = known
        if len(_conversations) > MAX_CONVERSATIONS:
            _conversations.popitem(last=False)
    return known


class Trace:
    """One task of an agent: the calls that were made for it, counted.

    Made by `trace()`; use it in a `with` or `async with` block.

    Attributes:
        name: What the task is, in words; None for the trace of the process.
        trace_id: 32 hex digits.
        started_at: When it was made, Unix seconds: no row of its calls is older.
        conversation, tenant: The scope that stored results are bound to.
        audience: Who reads in this scope; `read_result` shows what that audience may see.
        next_seq: Counts a call; the first is 1.
    """

    __slots__ = (
        "_inputs",
        "_lock",
        "_trace_id",
        "agent",
        "audience",
        "conversation",
        "failures",
        "is_explicit",
        "model",
        "name",
        "next_seq",
        "scope",
        "started_at",
        "tenant",
        "turn",
    )

    def __init__(
        self,
        name: str | None = None,
        *,
        conversation: str | None = None,
        tenant: str | None = None,
        audience: str | None = None,
        agent: str | None = None,
        model: str | None = None,
        turn: int | None = None,
        is_explicit: bool = True,
    ) -> None:
        self.name = name
        # random, not uuid4: 0.2 us instead of 2.6
        self._trace_id = None if is_explicit else f"{random.getrandbits(128):032x}"
        self.started_at = time.time()
        self.conversation = conversation
        self.tenant = tenant
        self.audience = audience
        self.agent = agent
        self.model = model
        self.turn = turn
        self.is_explicit = is_explicit
        self.scope = make_scope(tenant, conversation)
        self.failures = Failures() if conversation is None else _failures_of(self.scope)
        self._inputs: OrderedDict[str, Iterator[int]] = OrderedDict()
        self.next_seq: Callable[[], int] = itertools.count(1).__next__
        self._lock = threading.Lock()

    @property
    def trace_id(self) -> str:
        """Return the id, chosen the first time it is asked for."""
        if self._trace_id is None:
            with self._lock:
                if self._trace_id is None:
                    self._trace_id = active_trace_id() or f"{random.getrandbits(128):032x}"
        return self._trace_id

    def count_input(self, input_hash: str) -> int:
        """Count a call with this input and return how many there were, this one included."""
        count = self._inputs.get(input_hash) or self._add_input(input_hash)
        return next(count)

    def _add_input(self, input_hash: str) -> Iterator[int]:
        inputs = self._inputs
        with self._lock:
            count = inputs.setdefault(input_hash, itertools.count(1))
            if len(inputs) > MAX_INPUTS:
                inputs.popitem(last=False)
        return count

    def __enter__(self) -> Trace:
        _open_traces.set((*_open_traces.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        # not by a token: one trace may be open in many threads and tasks, and closed in another context
        opened = _open_traces.get()
        if self in opened:
            at = len(opened) - 1 - opened[::-1].index(self)
            _open_traces.set(opened[:at] + opened[at + 1 :])

    async def __aenter__(self) -> Trace:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, tb)

    def __repr__(self) -> str:
        return f"<trace {self.name!r} {self.trace_id}>"


# those that are open in this context, the innermost last
_open_traces: ContextVar[tuple[Trace, ...]] = ContextVar("agent_tools_trace", default=())
current_span: ContextVar[str | None] = ContextVar("agent_tools_span", default=None)
_process_trace = Trace(is_explicit=False)


def trace(
    name: str | None = None,
    *,
    conversation: str | None = None,
    tenant: str | None = None,
    audience: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    turn: int | None = None,
) -> Trace:
    """Group the calls of one task; without it, the process is one trace.

    Args:
        name: What the task is, in words, for whoever reads the log.
        conversation: Id of the conversation. Stored results are bound to it.
        tenant: Whose data this is. Stored results are bound to it.
        audience: Who reads in this scope (`"plan"` when None).
        agent, model: Who calls, for the log.
        turn: Number of the turn in the conversation, for the log.

    What is None is taken from the enclosing trace.

    Raises:
        InvalidSetting: an argument that is not text, an audience that is no name, a turn that is no number.

    Example:
        >>> with trace("refund of order 7", conversation="c1") as task:
        ...     len(task.trace_id)
        32
    """
    given: dict[str, str | None] = {
        "name": name,
        "conversation": conversation,
        "tenant": tenant,
        "audience": audience,
        "agent": agent,
        "model": model,
    }
    for key, value in given.items():
        if value is not None and not isinstance(value, str):
            raise InvalidSetting(f"bad trace {key}={value!r}: expected text or None")
    if audience is not None and not re.fullmatch(settings.AUDIENCE, audience):
        raise InvalidSetting(f"bad trace audience={audience!r}: expected a name such as 'plan' or 'answer'")
    if turn is not None and type(turn) is not int:
        raise InvalidSetting(f"bad trace turn={turn!r}: expected a whole number or None")
    opened = _open_traces.get()
    if opened:
        outer = opened[-1]
        inherited = ("conversation", "tenant", "audience", "agent", "model")
        given |= {key: getattr(outer, key) for key in inherited if given[key] is None}
        turn = outer.turn if turn is None else turn
    return Trace(given.pop("name"), turn=turn, is_explicit=True, **given)


def current_trace() -> Trace:
    """Return the innermost trace of this context, else that of the process."""
    opened = _open_traces.get()
    return opened[-1] if opened else _process_trace


def active_trace_id() -> str | None:
    """Return the trace id of the active OpenTelemetry span; None without one or with `otel=False`.

    Cost: one dict look-up where OpenTelemetry is not in use.
    """
    api = sys.modules.get(OPENTELEMETRY)
    # a module that another thread is importing lacks its functions still
    get_current_span = getattr(api, "get_current_span", None)
    if get_current_span is None or settings.process().otel is False:
        return None
    span = get_current_span().get_span_context()
    return f"{span.trace_id:032x}" if span.is_valid else None


def current_trace_id() -> str:
    """Return the id that the rows of this context carry in the log: its trace's or the active span's."""
    trace = current_trace()
    return trace.trace_id if trace.is_explicit else active_trace_id() or trace.trace_id


def new_call_id() -> str:
    """Return an id that sorts by time, so that a reader of the log can bisect."""
    # 14 digits of the microsecond and 8 of chance; bytes become digits in half the time of a number
    return "c_" + (time.time_ns() // 1000 << 32 | random.getrandbits(32)).to_bytes(11, "big").hex()


def new_span_id() -> str:
    """Return 16 hex digits, not all zero."""
    return f"{random.getrandbits(64) or 1:016x}"


# --- the home folder

_home: tuple[tuple[Path | None, bool, str | None], Path] | None = None
# what the folder was found for: which settings and what variable; paths compare slowly
_asked_generation = -1
_asked_variable: object = None
# os.environ's own dict, where it has one: a look-up through its methods takes 1 us, and every row makes one
_variables: Mapping[Any, object] = getattr(os.environ, "_data", os.environ)
_variable_key: Any = HOME_VARIABLE if _variables is os.environ else os.environ.encodekey(HOME_VARIABLE)


def home_folder() -> Path:
    """Return the folder of the call log and the store, made when it is missing.

    The first of: `override(home=...)`, the environment's AGENT_TOOLS_HOME, `configure(home=...)`, the nearest
    `.agent_tools` of this folder or a parent, `./.agent_tools`. Made absolute once, mode 0700, with a
    `.gitignore` of its own inside. Where it can't be written, the user's state folder is taken and one
    warning says so.

    Raises:
        OSError: neither folder can be written.
    """
    global _home, _asked_generation, _asked_variable
    generation, variable = settings.generation, _variables.get(_variable_key)
    if generation == _asked_generation and variable == _asked_variable and _home is not None:
        return _home[1]
    wanted = _wanted_home()
    if _home is None or _home[0] != wanted:
        folder = _choose_home(*wanted)
        made = _make_home(folder)
        # kept before the warning, which may be an error in tests: it must come once
        _home = (wanted, made)
        if made != folder:
            _asked_generation, _asked_variable = generation, variable
            _warn_of_fallback(folder, made)
    _asked_generation, _asked_variable = generation, variable
    return _home[1]


def find_home() -> Path:
    """Return the folder that `home_folder()` would return, without making or changing anything.

    For whoever only reads.

    Example:
        >>> find_home().is_absolute()
        True
    """
    wanted = _wanted_home()
    if _home is not None and _home[0] == wanted:
        return _home[1]
    folder = _choose_home(*wanted)
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return folder if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK) else _state_folder()


def _wanted_home() -> tuple[Path | None, bool, str | None]:
    process = settings.process()
    return process.home, process.home_forced, os.environ.get(HOME_VARIABLE) or None


def _choose_home(configured: Path | None, forced: bool, variable: str | None) -> Path:
    if forced and configured is not None:
        return configured
    if variable:
        return Path(variable).expanduser().absolute()
    if configured is not None:
        return configured
    here = Path.cwd()
    near = (folder / HOME_NAME for folder in (here, *here.parents))
    return next((folder for folder in near if folder.is_dir()), here / HOME_NAME)


def _make_home(folder: Path) -> Path:
    try:
        _prepare(folder)
    except OSError:
        folder = _state_folder()
        _prepare(folder)
    return folder


def _warn_of_fallback(folder: Path, fallback: Path) -> None:
    warnings.warn(
        f"agent_tools cannot write its home folder {str(folder)!r}; it uses {str(fallback)!r}. "
        f"Set {HOME_VARIABLE} or configure(home=...) to a folder that can be written.",
        RuntimeWarning,
        stacklevel=3,
    )


def _prepare(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied", str(folder))


def _state_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("agent_tools", appauthor=False))


def _after_fork() -> None:
    """Give a child process a trace of its own: two processes must not count as one task."""
    global _process_trace
    _process_trace = Trace(is_explicit=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
