"""The envelope that every call comes back as, format v1.

Always four keys, in this order: `{"status": ..., "meta": {...}, "error": ..., "data": ...}`. Its JSON
Schema is `agent_tools/schemas/envelope_v1.schema.json`, see `envelope_schema()`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from agent_tools.errors import ErrorCode, InvalidArgument, ToolError, recovery_of

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
T = TypeVar("T", covariant=True)

FORMAT_VERSION = "v1"
PUBLISHED_VERSIONS = frozenset({FORMAT_VERSION})


class Status(StrEnum):
    """How a call ended.

    Example:
        >>> Status.EMPTY == "empty"
        True
    """

    SUCCESS = "success"
    EMPTY = "empty"
    PARTIAL = "partial"
    ERROR = "error"


# a look-up in place of the call of an enum, which takes 0.5 us
_STATUSES = {str(status): status for status in Status}


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """The `error` of an envelope.

    Attributes:
        code: An `ErrorCode` or a tool's own UPPER_SNAKE code.
        message: What failed and what to do next, never blank, at most 300 characters.
        retryable: The same call again may help.
        recovery: `retry`, `fix_arguments`, `check_first`, `ask_user` or `report`.
        retry_after_s: Seconds to wait before the next try. None when unknown.
        outcome: `not_applied` or `unknown`: whether an effect may have happened.
        sub_code: Detail: SQLSTATE, errno name, HTTP status, exit code.
        hint: One more sentence on what to do.
    """

    code: str
    message: str
    retryable: bool
    recovery: str
    retry_after_s: float | None = None
    outcome: str | None = None
    sub_code: str | None = None
    hint: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the four fixed keys and those of the others that are known."""
        shown: dict[str, Any] = {
            "code": str(self.code),
            "message": self.message,
            "retryable": self.retryable,
            "recovery": self.recovery,
        }
        for name in ("retry_after_s", "outcome", "sub_code", "hint"):
            if (value := getattr(self, name)) is not None:
                shown[name] = value
        return shown

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ErrorInfo:
        """Read an envelope's error back; keys that this version does not know are left out.

        Raises:
            InvalidArgument: one of the four fixed keys is missing.
        """
        known = {f.name for f in fields(cls)}
        try:
            return cls(**{name: value for name, value in data.items() if name in known})
        except TypeError as error:
            raise InvalidArgument(
                f"an error needs code, message, retryable and recovery; got {sorted(data)}"
            ) from error


class View(Protocol):
    """What one audience gets: the envelope as data, and the text for the model."""

    @property
    def envelope(self) -> dict[str, Any]: ...
    @property
    def text(self) -> str: ...


class _ReadBack(NamedTuple):
    envelope: dict[str, Any]
    text: str


# Draws a hand-made result; `agent_tools.pipeline` sets it, since it lies above this module.
_draw: Callable[[ToolResult[Any]], Callable[[str], View]] | None = None


def set_drawer(draw: Callable[[ToolResult[Any]], Callable[[str], View]]) -> None:
    """Tell how a hand-made result (`ToolResult.ok(...)`) is rendered."""
    global _draw
    _draw = draw


class ToolResult(Generic[T]):
    """What a call came back as: one envelope, several views of it.

    A tool returns it; a function under `@tool` may build one itself with `ok`, `empty`, `fail` or
    `partial`, and it goes through the same stages as any other value.

    Attributes:
        status: `success`, `empty`, `partial` or `error`.
        data: The plan view as shown (cut if cut), as records.
        meta: `summary` first, then totals, ids and warnings; the reserved keys stand in the schema.
        error: An `ErrorInfo`, or None.
        value: The function's own return value, whole. It never leaves the process.

    Example:
        >>> result = ToolResult.ok({"id": 7})
        >>> result.status, result.data
        (<Status.SUCCESS: 'success'>, {'id': 7})
    """

    __slots__ = (
        "__weakref__",
        "_budget",
        "_data",
        "_draw_view",
        "_error",
        "_failure",
        "_is_clean",
        "_meta",
        "_noun",
        "_only_view",
        "_read_for",
        "_status",
        "_value",
        "_views",
    )

    def __init__(
        self,
        status: str,
        *,
        data: Any = None,
        meta: Mapping[str, Any] | None = None,
        error: ErrorInfo | None = None,
    ) -> None:
        self._status = Status(status)
        self._data = data
        self._meta = dict(meta or {})
        self._error = error
        self._value = data
        self._failure: BaseException | None = None
        self._views: dict[str, View] = {}
        self._draw_view: Callable[[str], View] | None = None
        self._only_view: str | None = None
        self._budget: tuple[int | None, str | None] | None = None
        # plain and redacted already, as what is read back from a store is
        self._is_clean = False
        self._noun: str | None = None
        # reads the same again as another audience may see it
        self._read_for: Callable[[str], ToolResult[Any]] | None = None

    # --- making one

    @classmethod
    def ok(cls, data: Any = None, /, **meta: Any) -> ToolResult[Any]:
        """Return a success with this data; keywords become `meta`.

        Example:
            >>> ToolResult.ok([1, 2], source="cache").meta["source"]
            'cache'
        """
        return cls(Status.SUCCESS, data=data, meta=meta)

    @classmethod
    def empty(cls, data: Any = None, /, **meta: Any) -> ToolResult[Any]:
        """Return "worked, nothing matched"; `data` is the empty value itself.

        Example:
            >>> ToolResult.empty([]).data
            []
        """
        return cls(Status.EMPTY, data=data, meta=meta)

    @classmethod
    def fail(
        cls,
        code: str,
        message: str,
        *,
        retryable: bool = False,
        recovery: str | None = None,
        retry_after_s: float | None = None,
        outcome: str | None = None,
        sub_code: str | None = None,
        hint: str | None = None,
        data: Any = None,
        **meta: Any,
    ) -> ToolResult[Any]:
        """Return a failure; `data` is context that helps (stdout, the rows so far).

        Raises:
            InvalidArgument: a blank code or message.

        Example:
            >>> ToolResult.fail("NOT_FOUND", "no order 'A1'").error.code
            'NOT_FOUND'
        """
        if not (isinstance(code, str) and code.strip() and isinstance(message, str) and message.strip()):
            raise InvalidArgument(f"fail() takes a code and a message, got {code!r} and {message!r}")
        known = recovery or ("retry" if retryable else recovery_of(code))
        error = ErrorInfo(str(code), message, retryable, known, retry_after_s, outcome, sub_code, hint)
        return cls(Status.ERROR, data=data, meta=meta, error=error)

    @classmethod
    def partial(
        cls,
        data: Any,
        /,
        *,
        total: int | None = None,
        failed: list[Any] | None = None,
        next: Any = None,  # noqa: A002 - the envelope's word
        error: ErrorInfo | None = None,
        **meta: Any,
    ) -> ToolResult[Any]:
        """Return a part of what there is: more pages, failed items, an interruption.

        Args:
            data: What there is.
            total: How many there are in all. None when unknown.
            failed: Items that failed, `{index, key, code, message, retryable}` each.
            next: How to get the rest.
            error: What interrupted.

        Example:
            >>> ToolResult.partial([1, 2], total=9).meta["total"]
            9
        """
        known: dict[str, Any] = {"total": total}
        known |= {key: value for key, value in (("next", next), ("failed", failed)) if value is not None}
        return cls(Status.PARTIAL, data=data, meta=known | meta, error=error)

    @classmethod
    def drawn(
        cls,
        view: View,
        draw_view: Callable[[str], View],
        error: ErrorInfo | None,
        value: Any = None,
        failure: BaseException | None = None,
    ) -> ToolResult[Any]:
        """Return a result whose plan view is drawn; the other views are drawn when asked for."""
        self = cls.__new__(cls)
        envelope = view.envelope
        self._status = _STATUSES[envelope["status"]]
        self._data = envelope["data"]
        self._meta = envelope["meta"]
        self._error = error
        self._value = value
        self._failure = failure
        self._views = {"plan": view}
        self._draw_view = draw_view
        self._only_view = None
        self._budget = None
        self._is_clean = False
        self._noun = None
        self._read_for = None
        return self

    def within(self, max_tokens: int | None, encoding: str | None = None) -> ToolResult[T]:
        """Set a budget of its own for a result that a function makes by hand; the result itself is returned.

        The tool's own budget holds, too. None leaves it alone.
        """
        self._budget = (max_tokens, encoding)
        return self

    # --- reading it

    @property
    def status(self) -> Status:
        """How the call ended."""
        return self._status

    @property
    def data(self) -> Any:
        """The plan view as shown, as records; null for an error without context."""
        return self._data

    @property
    def meta(self) -> dict[str, Any]:
        """What there is to know about the data, `summary` first."""
        return self._meta

    @property
    def error(self) -> ErrorInfo | None:
        """What failed, or None."""
        return self._error

    @property
    def value(self) -> T:
        """The function's own return value, whole, for code.

        Raises:
            Exception: the original exception, when there is no return value.
        """
        if self._failure is not None:
            raise self._failure
        return cast("T", self._value)

    # --- showing it

    def to_prompt(self, view: str | None = None) -> str:
        """Return the text for the model, within the tool's budget.

        Args:
            view: `"plan"` (the default), `"answer"` or an audience of your own.

        Raises:
            InvalidArgument: the result came from `from_dict` and holds another view.

        Example:
            >>> ToolResult.ok({"id": 7}).to_prompt()
            '{"status":"success","meta":{"format_version":"v1"},"error":null,"data":{"id":7}}'
        """
        return self._view(view).text

    def to_dict(self, view: str | None = None) -> dict[str, Any]:
        """Return the envelope of one view as plain JSON data.

        Raises:
            InvalidArgument: the result came from `from_dict` and holds another view.

        Example:
            >>> list(ToolResult.ok({"id": 7}).to_dict())
            ['status', 'meta', 'error', 'data']
        """
        envelope = self._view(view).envelope
        meta = dict(envelope["meta"])
        name = view or self._only_view or "plan"
        if name != "plan":
            # an envelope says which view it is unless it is the usual one, so that it can be read back
            meta["view"] = name
        return {**envelope, "meta": meta}

    def to_views(self) -> dict[str, Any]:
        """Return both readers' views in one JSON object.

        `{"ok": bool, "preview": text, "payload": {"planData": ..., "answerData": ...}}`; preview is the
        plan view's summary.

        Example:
            >>> ToolResult.ok({"id": 7}).to_views()["payload"]["answerData"]
            {'id': 7}
        """
        plan, answer = self._view("plan").envelope, self._view("answer").envelope
        return {
            "ok": self._status != Status.ERROR,
            "preview": plan["meta"].get("summary", ""),
            "payload": {"planData": plan["data"], "answerData": answer["data"]},
        }

    def _view(self, name: str | None) -> View:
        wanted = name or self._only_view or "plan"
        view = self._views.get(wanted)
        if view is None:
            if self._only_view is not None:
                raise InvalidArgument(
                    f"this result was read back and holds the view {self._only_view!r} only, not {wanted!r}; "
                    "ask the result of the call itself for other views"
                )
            if self._draw_view is None:
                assert _draw is not None, "importing agent_tools sets the drawer"
                self._draw_view = _draw(self)
            view = self._views[wanted] = self._draw_view(wanted)
        return view

    # --- reading it back

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolResult[Any]:
        """Read an envelope that `to_dict()` made, in any published version.

        The result renders the view that the envelope came from and has no `value`.

        Raises:
            InvalidArgument: keys are missing, or the status or version is unknown.

        Example:
            >>> made = ToolResult.ok({"id": 7}).to_dict()
            >>> ToolResult.from_dict(made).data
            {'id': 7}
        """
        status, meta, error, content = _read_envelope(data)
        self = cls(status, data=content, meta=meta, error=error)
        self._only_view = str(meta.pop("view", "plan"))
        self._meta = meta
        code, message = (error.code, error.message) if error else (None, "")
        self._failure = ToolError(
            message or "a result that was read back has no value; the value stays in the process of the call",
            code=code or ErrorCode.FAILED_PRECONDITION,
        )
        envelope = {
            "status": str(self._status),
            "meta": meta,
            "error": error.to_dict() if error else None,
            "data": content,
        }
        self._views = {self._only_view: _ReadBack(envelope, render_compact(shown_in_prompt(envelope)))}
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # the views travel as they are shown; the value, the exception and the unshown data stay here
        views = (
            {name: self._view(name) for name in ("plan", "answer")}
            if self._only_view is None
            else self._views
        )
        return (
            _restore,
            ({name: (view.envelope, view.text) for name, view in views.items()}, self._only_view),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolResult):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # equal by content, and the content is a dict

    def __repr__(self) -> str:
        text = self.to_prompt()
        return f"<ToolResult {text if len(text) <= 500 else text[:500] + '...'}>"


def _restore(views: dict[str, tuple[dict[str, Any], str]], only_view: str | None) -> ToolResult[Any]:
    first = only_view or "plan"
    self = ToolResult.from_dict(views[first][0])
    self._only_view = first if only_view or len(views) == 1 else None
    self._views = {name: _ReadBack(envelope, text) for name, (envelope, text) in views.items()}
    self._draw_view = _refuse
    return self


def _refuse(view: str) -> View:
    raise InvalidArgument(f"a result that was pickled holds the views 'plan' and 'answer', not {view!r}")


def _read_envelope(data: Mapping[str, Any]) -> tuple[str, dict[str, Any], ErrorInfo | None, Any]:
    if not isinstance(data, Mapping) or not {"status", "meta", "error", "data"} <= data.keys():
        raise InvalidArgument("an envelope has the keys status, meta, error and data")
    meta, error = data["meta"], data["error"]
    if not isinstance(meta, Mapping) or not (error is None or isinstance(error, Mapping)):
        raise InvalidArgument("an envelope's meta is an object, its error an object or null")
    version = meta.get("format_version", FORMAT_VERSION)
    if version not in PUBLISHED_VERSIONS:
        raise InvalidArgument(
            f"unknown envelope version {version!r}; readable: {', '.join(sorted(PUBLISHED_VERSIONS))}"
        )
    if data["status"] not in list(Status):
        raise InvalidArgument(f"unknown status {data['status']!r}; known: {', '.join(Status)}")
    return data["status"], dict(meta), None if error is None else ErrorInfo.from_dict(error), data["data"]


# Kept in the dict and the log, not in the prompt: a small model answered `returned` to "how many are there?"
# in 10 of 10 questions, and ids and times would make the same call look different each time.
NOT_IN_PROMPT = frozenset({"returned", "call_id", "elapsed_ms", "attempts", "view"})


def shown_in_prompt(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the envelope without the meta keys that the model is not shown."""
    meta = {key: value for key, value in envelope["meta"].items() if key not in NOT_IN_PROMPT}
    return {**envelope, "meta": meta}


def render_compact(envelope: Mapping[str, Any]) -> str:
    """Render plain data as compact, strict JSON with other scripts as they are."""
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def envelope_schema(version: str = FORMAT_VERSION) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the envelope.

    Raises:
        InvalidArgument: an unknown version.

    Example:
        >>> envelope_schema()["required"]
        ['status', 'meta', 'error', 'data']
    """
    from importlib import resources

    if version not in PUBLISHED_VERSIONS:
        raise InvalidArgument(f"unknown version {version!r}; known: {', '.join(sorted(PUBLISHED_VERSIONS))}")
    file = resources.files("agent_tools") / "schemas" / f"envelope_{version}.schema.json"
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema
