"""The decorator: a plain function becomes a tool.

`Tool` is a `wrapt.FunctionWrapper`: the function's name, docstring and parameters survive, methods bind as
methods do. What wrapt leaves out is added here: pickling by name, copying, attributes that stay on the
tool, a name for partials and callable objects, the envelope as return annotation.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pickle
import sys
import types
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    overload,
)

import wrapt

from agent_tools import settings as process_settings
from agent_tools.errors import ErrorCode, InvalidSetting, ToolError
from agent_tools.pipeline import acall, call
from agent_tools.plan import Plan, compile_plan
from agent_tools.redaction import Rule
from agent_tools.result import ToolResult
from agent_tools.settings import Format, Kind, check_settings
from agent_tools.signatures import Signature, documented, inner_function, make_argument_model, read_signature
from agent_tools.tokens import check_encoding

ASYNC_FLOWS = ("async", "async_generator")
# what inspect reads of a function's kind: a tool over a generator returns a result, not a generator
FLOW_FLAGS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE


class ToolMachine:
    """What a tool and its bound forms share: the settings, the signature and the compiled plan."""

    __slots__ = ("current", "docstring", "given", "is_async", "signature")

    def __init__(self, function: Any, given: Mapping[str, Any]) -> None:
        self.given = check_settings(given)
        self.signature: Signature = read_signature(function)
        check_encoding(process_settings.current(self.given).encoding)
        self.is_async = self.signature.flow in ASYNC_FLOWS
        self.docstring: str | None = documented(function).__doc__
        # the stages of the latest call; `plan()` makes them again when the settings have changed
        self.current: Plan | None = None

    def plan(self) -> Plan:
        """Return the stages, made again when the settings have changed."""
        plan = self.current
        if plan is None or plan.generation != process_settings.generation:
            plan = self.current = compile_plan(self.signature, self.given)
        return plan


class _Callable:
    """What a tool and its bound form share: how a call starts, and what a model is told."""

    __slots__ = ()

    if TYPE_CHECKING:
        _self_machine: ToolMachine
        __wrapped__: Any

    # whether what is called has its instance or class already
    _self_is_bound = False

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        machine = self._self_machine
        plan = machine.current
        if plan is None or plan.generation != process_settings.generation:
            plan = machine.plan()
        bind = plan.bind_bound if self._self_is_bound else plan.bind
        if machine.is_async:
            return acall(plan, self.__wrapped__, bind, args, kwargs)
        return call(plan, self.__wrapped__, bind, args, kwargs)

    def invoke(self, arguments: Any = None, /, *, call_id: str | None = None) -> Any:
        machine = self._self_machine
        plan = machine.plan()
        function = _must_be_awaited(plan.name) if machine.is_async else self.__wrapped__
        return call(plan, function, plan.bind, (), {}, sent=(arguments,), call_id=call_id)

    async def ainvoke(self, arguments: Any = None, /, *, call_id: str | None = None) -> Any:
        plan = self._self_machine.plan()
        return await acall(plan, self.__wrapped__, plan.bind, (), {}, sent=(arguments,), call_id=call_id)

    @property
    def name(self) -> str:
        """What the model calls the tool."""
        return self._self_machine.given.get("name") or self._self_machine.signature.name

    @property
    def description(self) -> str:
        """What the model is told the tool does."""
        return self._self_machine.given.get("description") or self._self_machine.signature.description

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, for a model's API."""
        return make_argument_model(self._self_machine.signature).schema()

    def __repr__(self) -> str:
        return f"<Tool {self.name!r} of {self.__wrapped__!r}>"

    __str__ = __repr__

    @property
    def __signature__(self) -> inspect.Signature:
        wrapped = self.__wrapped__
        # a classmethod itself can't be called, what it holds can
        plain = wrapped.__func__ if isinstance(wrapped, classmethod) else wrapped
        return inspect.signature(plain).replace(return_annotation=ToolResult)

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        hints = getattr(inner_function(self.__wrapped__), "__annotations__", {})
        return {**hints, "return": ToolResult}

    @property
    def __code__(self) -> types.CodeType:
        code: types.CodeType = inner_function(self.__wrapped__).__code__
        flags = inspect.CO_COROUTINE if self._self_machine.is_async else 0
        return code.replace(co_flags=code.co_flags & ~FLOW_FLAGS | flags)


def _must_be_awaited(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> None:
        raise ToolError(
            f"{name} is async; call it with `await {name}.ainvoke(...)`",
            code=ErrorCode.FAILED_PRECONDITION,
            outcome="not_applied",
        )

    return refuse


class _Documented:
    """A docstring that is the class's own on the class and the function's on an instance."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __get__(self, instance: Any, owner: type) -> str | None:
        return self.text if instance is None else instance._self_machine.docstring


class _BoundTool(_Callable, wrapt.BoundFunctionWrapper):  # type: ignore[type-arg]  # not generic at run time
    __doc__ = _Documented(  # pyright: ignore[reportAssignmentType]
        "A tool that was got from an instance or a class."
    )

    @property
    def _self_is_bound(self) -> bool:  # type: ignore[override]
        # got from the class, a method's instance comes as its first argument
        is_from_class = self._self_instance is None and self._self_binding == "function"
        return self._self_machine.signature.receives_self and not is_from_class

    @property
    def _self_machine(self) -> ToolMachine:  # type: ignore[override]
        machine: ToolMachine = self._self_parent._self_machine
        return machine

    @property
    def __func__(self) -> Any:
        """What `inspect` reads of a bound method: a tool, too, that takes the instance or class first."""
        if not inspect.ismethod(self.__wrapped__):
            raise AttributeError("__func__")
        parent = self._self_parent
        if isinstance(parent.__wrapped__, classmethod):
            return _make(self.__wrapped__.__func__, dict(parent._self_machine.given))
        return parent

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._self_instance is not None:
            return getattr, (self._self_instance, self.__name__)
        return _find_bound, (self.__module__, self.__qualname__)


class _Tool(_Callable, wrapt.FunctionWrapper):  # type: ignore[type-arg]
    __doc__ = _Documented(  # pyright: ignore[reportAssignmentType]
        """A function under `@tool`: call it, or `invoke` it with what a model sent.

        Attributes:
            name, description, input_schema: What a model is told.

        Example:
            >>> @tool(max_tokens=800)
            ... def find_orders(customer_id: str) -> list[dict]:
            ...     "Find a customer's orders."
            ...     return []
            >>> find_orders.name, find_orders("C1").status
            ('find_orders', <Status.EMPTY: 'empty'>)
        """
    )
    __bound_function_wrapper__ = _BoundTool

    def __init__(self, function: Any, given: Mapping[str, Any]) -> None:
        machine = ToolMachine(function, given)
        super().__init__(function, _never)
        self._self_machine = machine
        self._self_own: dict[str, Any] = {}

    # attributes set on the tool stay on the tool

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_self_") or name == "__wrapped__":
            super().__setattr__(name, value)
        elif isinstance(getattr(type(self), name, None), property):
            raise AttributeError(f"{name!r} can't be set; decorate the function again with another one")
        else:
            self._self_own[name] = value

    def __getattr__(self, name: str) -> Any:
        # asked for only what neither the class nor the function has
        own = self._self_own
        if name in own:
            return own[name]
        if name in ("__name__", "__qualname__"):
            return self._self_machine.signature.name
        return getattr(self.__wrapped__, name)

    def __delattr__(self, name: str) -> None:
        if name not in self._self_own:
            raise AttributeError(f"the tool has no attribute {name!r} of its own")
        del self._self_own[name]

    # copies and pickles are of the name, as they are for functions

    def __copy__(self) -> _Tool:
        return self

    def __deepcopy__(self, memo: Any) -> _Tool:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        module = self._self_machine.signature.module or "__main__"
        for qualname in _names_of(self, module):
            if _is_at(self, module, qualname):
                return _find, (module, qualname)
        if _is_at(self.__wrapped__, module, self.__qualname__):
            return _make, (self.__wrapped__, dict(self._self_machine.given))
        raise pickle.PicklingError(
            f"can't pickle the tool {self.name!r}: it is no attribute of the module {module!r}; "
            "assign it to a name there"
        )


def _never(*_: Any) -> None:
    raise AssertionError("a tool calls its pipeline, not wrapt's wrapper")  # pragma: no cover


def _names_of(tool_: _Tool, module: str) -> list[str]:
    """Return where a tool may be found in its module: under its function's name or one of its own."""
    names = vars(sys.modules[module]) if module in sys.modules else {}
    return [tool_.__qualname__, *(name for name, value in names.items() if value is tool_)]


def _is_at(value: Any, module: str, qualname: str) -> bool:
    try:
        return _find(module, qualname) is value
    except (AttributeError, KeyError, ImportError):
        return False


def _find(module: str, qualname: str) -> Any:
    """Find a tool by module and qualified name, as it stands there."""
    found: Any = importlib.import_module(module)
    for name in qualname.split("."):
        # a class hands out bound forms; the tool itself stands in its dict
        found = vars(found)[name] if inspect.isclass(found) else getattr(found, name)
    return found


def _find_bound(module: str, qualname: str) -> Any:
    """Find a tool as its class hands it out."""
    owner, _, name = qualname.rpartition(".")
    return getattr(_find(module, owner), name)


def _make(function: Any, given: dict[str, Any]) -> _Tool:
    return _Tool(function, given)


def _tool(function: Any = None, /, **given: Any) -> Any:
    """Make a function a tool: every call comes back as a `ToolResult`.

    Works bare (`@tool`) and called (`@tool(max_tokens=800)`), on functions, `async def`, generators, methods,
    class and static methods, partials and callable objects. A function that other code calls, too, is
    wrapped beside it: `find_orders_tool = tool(find_orders)`.

    Args:
        function: What to decorate; left out when settings are given.
        **given: Settings, see the table in the README: `max_tokens`, `kind`, `audience`, `redact` ...

    Raises:
        InvalidSetting: an unknown setting (with the nearest known one), a bad value, or nothing to call.

    Example:
        >>> @tool
        ... def find_orders(customer_id: str) -> list[dict]:
        ...     "Find a customer's orders."
        ...     return []
        >>> find_orders("C1").meta["summary"]
        "The call worked. Nothing matched customer_id = 'C1'."
    """
    if function is None:
        check_settings(given)
        return functools.partial(_tool, **given)
    if isinstance(function, _Tool):
        # one level, whatever is stacked: a result is never wrapped into a result
        return _Tool(function.__wrapped__, {**function._self_machine.given, **given}) if given else function
    if inspect.isclass(function) or not (
        callable(function) or isinstance(function, (classmethod, staticmethod))
    ):
        raise InvalidSetting(
            f"@tool takes a function, method or callable object, got {function!r}; settings are keywords: "
            "@tool(max_tokens=800)"
        )
    return _Tool(function, given)


if TYPE_CHECKING:
    P = ParamSpec("P")
    Q = ParamSpec("Q")
    T = TypeVar("T")
    Owner = TypeVar("Owner")
    Returned = TypeVar("Returned", covariant=True)

    class BoundTool(Generic[P, Returned]):
        """A tool that was got from an instance or a class."""

        name: str
        description: str
        input_schema: dict[str, Any]
        __name__: str
        __wrapped__: Callable[..., Any]

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Returned: ...
        def invoke(
            self, arguments: Mapping[str, Any] | str | None = None, /, *, call_id: str | None = None
        ) -> ToolResult[Any]: ...
        async def ainvoke(
            self, arguments: Mapping[str, Any] | str | None = None, /, *, call_id: str | None = None
        ) -> ToolResult[Any]: ...

    class Tool(BoundTool[P, Returned]):
        """A function under `@tool`; what type checkers see of it."""

        @overload
        def __get__(self, instance: None, owner: Any = None) -> Self: ...
        @overload
        def __get__(
            self: Tool[Concatenate[Owner, Q], T], instance: Owner, owner: Any = None
        ) -> BoundTool[Q, T]: ...
        def __get__(self, instance: Any, owner: Any = None) -> Any: ...

    # a coroutine function is a callable, too: the first overload that fits is the right one
    class _Decorator(Protocol):
        @overload
        def __call__(  # type: ignore[overload-overlap]  # pyright: ignore[reportOverlappingOverload]
            self, function: Callable[P, Coroutine[Any, Any, T]], /
        ) -> Tool[P, Coroutine[Any, Any, ToolResult[T]]]: ...
        @overload
        def __call__(self, function: Callable[P, T], /) -> Tool[P, ToolResult[T]]: ...

    @overload
    def tool(  # pyright: ignore[reportOverlappingOverload]
        function: Callable[P, Coroutine[Any, Any, T]], /, **settings: Any
    ) -> Tool[P, Coroutine[Any, Any, ToolResult[T]]]: ...
    @overload
    def tool(function: Callable[P, T], /, **settings: Any) -> Tool[P, ToolResult[T]]: ...
    @overload
    def tool(
        *,
        name: str | None = ...,
        description: str | None = ...,
        version: str | None = ...,
        kind: Kind = ...,
        idempotent: bool | None = ...,
        effects: Literal["one", "many"] = ...,
        max_tokens: int | None = ...,
        encoding: str | Callable[[str], int] = ...,
        token_margin: float = ...,
        format: Format = ...,
        fields: Sequence[str] | None = ...,
        errors: Mapping[type[BaseException], str | tuple[str, bool] | Callable[[Any], ToolError]] = ...,
        error_as_data: Literal["detect", "keep"] = ...,
        empty: Callable[[Any], bool] | None = ...,
        audience: Mapping[str, str | Sequence[str]] = ...,
        labels: Mapping[str, Mapping[Any, str]] = ...,
        summary: Callable[[Any], str] | None = ...,
        important: str | Callable[[Any], Any] | None = ...,
        redact: bool | Sequence[str | Rule | Callable[[Any], Any]] | Callable[[Any], Any] = ...,
        secrets: Sequence[str] = ...,
        retries: int = ...,
        timeout_s: float | None = ...,
        run_in_thread: bool = ...,
        breaker: bool = ...,
        max_rows: int = ...,
        store: bool | str = ...,
        log: Literal["none", "preview", "full", False] = ...,
        log_arguments: Literal["redacted", "shape", "none"] = ...,
    ) -> _Decorator: ...
    def tool(function: Any = None, /, **given: Any) -> Any: ...
else:
    Tool, BoundTool, tool = _Tool, _BoundTool, _tool
    for _public, _name in ((Tool, "Tool"), (BoundTool, "BoundTool"), (tool, "tool")):
        _public.__name__ = _public.__qualname__ = _name
