"""A function read once: its name, its text, its parameters, what it does by its first verb.

From it come the binder of direct calls, the validator of a model's arguments (pydantic, built at the
first `invoke`) and the JSON Schema that a model is shown.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import sys
import typing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from agent_tools.audiences import Secret, mentions_secret
from agent_tools.hints import widen
from agent_tools.secret_marks import Places, secret_places

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.json_schema import GenerateJsonSchema

Flow = Literal["sync", "async", "generator", "async_generator"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READING_VERBS = _words("""
    are browse calc calculate check compare compute count describe detect diff display download
    estimate exists explain fetch filter find get glob grep has head inspect is load locate look
    lookup match measure open peek preview query quote read resolve retrieve scan search select show
    sort stat tail validate verify view
""")
CHANGING_VERBS = _words("""
    accept activate add adjust append apply approve archive arrange assign buy cancel cd checkout
    clear close commit complete configure confirm connect convert copy cp create deactivate decline
    delete deploy deposit disable disconnect dispatch drop edit enable enqueue exec execute fill
    grant insert install invite invoke join kill launch leave login logout make merge mkdir modify
    move mv notify pause pay publish purchase push put reboot refund register reject release remove
    rename reopen replace reply reschedule resend reset restart restore resume retweet revoke rm
    rmdir rollback rotate run save schedule sell send ship sign start stop submit subscribe swap
    sync terminate touch transfer trigger unfollow uninstall unlock unsubscribe update upgrade
    upload upsert void withdraw write
""")
CONCLUDING_VERBS = _words("aggregate summarise summarize")
# verbs that are as often nouns (`order_lookup`, `log_search`): they count when no clear verb is in the name
UNCLEAR_VERBS = dict.fromkeys(_words("list test"), "query") | dict.fromkeys(
    _words(
        "book change charge contact do fund import issue lock log mark order patch place post press set "
        "share store"
    ),
    "action",
)
VERBS_BY_KIND = {"query": READING_VERBS, "action": CHANGING_VERBS, "summary": CONCLUDING_VERBS}
# what is safe to repeat by its name; a changing verb or an unknown one is not
IDEMPOTENT_KINDS = frozenset({"query", "summary"})


def words_of(name: str) -> list[str]:
    """Split a snake, kebab or camel name into lower-case words; other scripts stay whole.

    Example:
        >>> words_of("getHTTPStatus_code")
        ['get', 'http', 'status', 'code']
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-.\s]+", " ", name)
    return spaced.lower().split()


def _changes_too(words: list[str]) -> bool:
    """Say whether a changing verb follows: `search_and_replace`; a noun (`time_and_place`) is none."""
    return any(
        second in CHANGING_VERBS or (place == 0 and UNCLEAR_VERBS.get(second) == "action")
        for place, (first, second) in enumerate(itertools.pairwise(words))
        if first in ("and", "or", "then")
    )


def guess_kind(name: str) -> tuple[str, bool]:
    """Guess from the first verb what a tool does: its kind, and whether it may be repeated.

    A known reading verb is a query, a known changing verb an action; an unknown one is a query that is
    not idempotent. What reads and then changes is an action.

    Example:
        >>> guess_kind("find_orders"), guess_kind("sendMail"), guess_kind("frobnicate")
        (('query', True), ('action', False), ('query', False))
        >>> guess_kind("get_or_create_user")
        ('action', False)
    """
    words = words_of(name.rpartition(".")[2])
    for place, word in enumerate(words):
        for kind, verbs in VERBS_BY_KIND.items():
            if word in verbs:
                kind = "action" if _changes_too(words[place + 1 :]) else kind
                return kind, kind in IDEMPOTENT_KINDS
    unclear = UNCLEAR_VERBS.get(words[0]) if words else None
    return unclear or "query", unclear == "query"


@dataclass(frozen=True, slots=True)
class Signature:
    """What is known of a function without calling it.

    Attributes:
        name: A valid tool name.
        description: The docstring's text before its sections, "" without one.
        module: Where the function itself was written.
        flow: How its result comes.
        parameters: In order; without those that a partial has bound.
        receives_self: The first parameter is the instance or the class, which callers do not pass by name.
        hints: Resolved annotations by name; a name whose annotation can't be resolved is absent.
        docs: One line per parameter, from the docstring.
        injected: What a partial has bound by name: code may say otherwise, a model may not.
    """

    name: str
    description: str
    module: str | None
    flow: Flow
    parameters: tuple[inspect.Parameter, ...]
    receives_self: bool
    hints: Mapping[str, Any]
    docs: Mapping[str, str]
    injected: frozenset[str] = frozenset()

    def without_self(self) -> tuple[inspect.Parameter, ...]:
        """Return the parameters that a caller fills."""
        return self.parameters[1:] if self.receives_self else self.parameters

    def for_model(self) -> tuple[inspect.Parameter, ...]:
        """Return the parameters that a model fills."""
        return tuple(p for p in self.without_self() if p.name not in self.injected)

    def secret_places(self) -> Places:
        """Return where in the arguments stands what a type or mark says is secret: `("login", "pin")`."""
        return frozenset(
            (name, *place)
            for name, hint in self.hints.items()
            if name != "return"
            for place in secret_places(hint)
        )


def inner_function(function: Any) -> Any:
    """Return the function that was written by hand, below partials, methods and callable objects."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, (staticmethod, classmethod)) or inspect.ismethod(function):
            function = function.__func__
        elif not inspect.isroutine(function) and not inspect.isclass(function):
            call = type(function).__call__ if callable(function) else None
            return call if inspect.isfunction(call) else function
        else:
            return function


def read_signature(function: Any) -> Signature:
    """Read a function, method, partial or callable object.

    Cost: tens of microseconds; made once per tool.
    """
    plain = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
    inner = inner_function(function)
    text = inspect.getdoc(documented(function)) or ""
    parameters = _parameters(plain)
    return Signature(
        name=_name(function, inner),
        description=re.split(r"\n\s*\n?(?=(?:Args|Arguments|Parameters|Returns|Raises|Example)s?:?\n)", text)[
            0
        ].strip(),
        module=getattr(inner, "__module__", None),
        flow=_flow(plain, inner),
        parameters=parameters,
        receives_self=_receives_self(function, inner, parameters),
        hints=_resolve_hints(inner),
        docs=_parameter_docs(text),
        injected=frozenset(function.keywords if isinstance(function, functools.partial) else ()),
    )


def documented(function: Any) -> Any:
    """Return what carries the docstring: the class of a callable object, the function below a partial."""
    while isinstance(function, functools.partial):
        function = function.func
    is_object = not (inspect.isroutine(function) or isinstance(function, (staticmethod, classmethod)))
    return type(function) if is_object and type(function).__doc__ else inner_function(function)


def _name(function: Any, inner: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    name = getattr(function, "__name__", None) or type(function).__name__
    if name == "<lambda>":
        # two lambdas of one module stay apart, and a second run gives the same name
        return f"lambda_{inner.__code__.co_firstlineno}"
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", name)[:64]


def _parameters(function: Any) -> tuple[inspect.Parameter, ...]:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # builtins without a text signature take anything
        kinds = inspect.Parameter
        return (kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD))


def _flow(function: Any, inner: Any) -> Flow:
    for candidate in (function, inner if not inspect.isroutine(function) else function):
        if inspect.iscoroutinefunction(candidate):
            return "async"
        if inspect.isasyncgenfunction(candidate):
            return "async_generator"
        if inspect.isgeneratorfunction(candidate):
            return "generator"
    return "sync"


def _receives_self(function: Any, inner: Any, parameters: tuple[inspect.Parameter, ...]) -> bool:
    """Say whether a plain function was written in a class body, so that its first parameter is bound."""
    if not parameters or parameters[0].kind not in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ):
        return False
    if isinstance(function, classmethod):
        return True
    owner = getattr(function, "__qualname__", "").rpartition(".")[0]
    is_function = inspect.isfunction(function) and not isinstance(function, staticmethod)
    in_class = bool(owner) and not owner.endswith("<locals>")
    return is_function and in_class and parameters[0].name in ("self", "cls", "mcs")


def _resolve_hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001 - any code may stand in a string annotation
        return _resolve_one_by_one(function)


def _resolve_one_by_one(function: Any) -> dict[str, Any]:
    """Resolve what can be resolved: one missing name must not cost the other parameters their types."""
    space = getattr(function, "__globals__", None) or vars(sys.modules.get(function.__module__, typing))
    found: dict[str, Any] = {}
    for name, hint in getattr(function, "__annotations__", {}).items():
        try:
            probe = type("Probe", (), {"__annotations__": {name: hint}})
            found |= typing.get_type_hints(probe, globalns=space, include_extras=True)
        except Exception:  # noqa: BLE001
            if mentions_secret(str(hint)):
                found[name] = typing.Annotated[Any, Secret]
    return found


def _parameter_docs(text: str) -> dict[str, str]:
    """Read the `Args:` section of a Google docstring; continuation lines are joined."""
    section = re.search(r"^(?:Args|Arguments|Parameters):\n((?:[ \t]+.*\n?|\n)+)", text, re.MULTILINE)
    if not section:
        return {}
    lines = section[1].rstrip().splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    docs: dict[str, str] = {}
    last: list[str] = []
    for line in lines:
        entry = re.match(rf"[ \t]{{{indent}}}(\*{{0,2}}\w+(?:,\s*\w+)*)\s*(?:\([^)]*\))?:\s*(.*)", line)
        if entry:
            last = [name.strip(" *") for name in entry[1].split(",")]
            docs |= dict.fromkeys(last, entry[2].strip())
        elif line.strip():
            docs |= {name: f"{docs[name]} {line.strip()}" for name in last}
    return docs


# --- what a model may send


@dataclass(frozen=True, slots=True)
class ArgumentModel:
    """A pydantic model of a function's parameters.

    Its fields are called p0, p1, ... with the parameters' names as aliases, so that no parameter's name
    (`schema`, `copy`, `_private`) meets an attribute of pydantic's own.
    """

    model: type[BaseModel]
    fields: Mapping[str, str]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameters, without pydantic's generated titles."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # defaults that JSON can't hold are left out
            schema = self.model.model_json_schema(by_alias=True, schema_generator=_schema_generator())
        schema.pop("title", None)
        for parameter in schema.get("properties", {}).values():
            parameter.pop("title", None)
        return schema


@functools.cache
def _schema_generator() -> type[GenerateJsonSchema]:
    from pydantic.json_schema import GenerateJsonSchema

    class ArgumentSchema(GenerateJsonSchema):
        """Leaves open what JSON Schema can't say: a parameter of a class of the tool's own takes anything."""

        def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
            return {}

    return ArgumentSchema


def make_argument_model(signature: Signature) -> ArgumentModel:
    """Build the validator of a model's arguments. An unresolved annotation accepts anything."""
    import pydantic

    parameters = [p for p in signature.for_model() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    extra = signature.parameters and signature.parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
    fields: dict[str, str] = {}
    definitions: dict[str, Any] = {}
    for index, parameter in enumerate(parameters):
        field = f"p{index}"
        fields[field] = parameter.name
        definitions[field] = _field(parameter, signature, pydantic)
    config = pydantic.ConfigDict(
        extra="allow" if extra else "forbid", arbitrary_types_allowed=True, hide_input_in_errors=True
    )
    base = _base_model(signature, config, pydantic) if extra else None
    create: Callable[..., Any] = pydantic.create_model
    kind = {"__base__": base} if base is not None else {"__config__": config}
    return ArgumentModel(create("Arguments", **kind, **definitions), fields)


def _base_model(signature: Signature, config: Any, pydantic: Any) -> type[BaseModel]:
    """Make the model that checks the further names of `**filters: int` by their annotation."""
    hint = widen(signature.hints.get(signature.parameters[-1].name, Any))
    further = {"__pydantic_extra__": dict[str, hint]} if _is_supported(hint, pydantic) else {}  # type: ignore[valid-type]
    base: type[BaseModel] = type(
        "Further", (pydantic.BaseModel,), {"__annotations__": further, "model_config": config}
    )
    return base


def _field(parameter: inspect.Parameter, signature: Signature, pydantic: Any) -> tuple[Any, Any]:
    hint: Any = signature.hints.get(parameter.name, Any)
    default = parameter.default
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        hint, default = list.__class_getitem__(hint), []
    wide = widen(hint)
    hint = next((kind for kind in (wide, hint) if _is_supported(kind, pydantic)), Any)
    missing = {} if default is inspect.Parameter.empty else {"default": default}
    text = signature.docs.get(parameter.name)
    return hint, pydantic.Field(alias=parameter.name, description=text, **missing)


def _is_supported(hint: Any, pydantic: Any) -> bool:
    try:
        pydantic.TypeAdapter(hint, config=pydantic.ConfigDict(arbitrary_types_allowed=True))
    except pydantic.errors.PydanticUserError:
        # a model or TypedDict brings its own config, and TypeAdapter refuses a second one
        try:
            pydantic.TypeAdapter(hint)
        except Exception:  # noqa: BLE001 - third-party types raise what they like while a schema is built
            return False
    except Exception:  # noqa: BLE001
        return False
    return True
