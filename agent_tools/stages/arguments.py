"""Bind the arguments of a call to the function's parameters, and validate what a model sent.

In:   positional and keyword arguments of a direct call, or the dict or JSON text that a model sent.
Out:  the arguments by parameter name; for a model's call the positional and keyword arguments, coerced.
Raises: InvalidArgument with one line per problem.
Cost: a direct call is bound by a function compiled once for the signature, about 0.3 us.
"""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent_tools.errors import InvalidArgument
from agent_tools.patterns import lazy_pattern
from agent_tools.signatures import Signature, make_argument_model

Parameter = inspect.Parameter
Bind = Callable[..., dict[str, Any]]
Parse = Callable[["Mapping[str, Any] | str | bytes | None"], tuple[tuple[Any, ...], dict[str, Any]]]

IsHidden = Callable[[Sequence[Any], Any], bool]

MAX_VALUE_CHARS = 40
EXPECTED = {
    "int": "int",
    "float": "number",
    "bool": "bool",
    "string": "text",
    "list": "list",
    "tuple": "list",
    "set": "list",
    "frozen": "list",
    "dict": "object",
    "mapping": "object",
    "model": "object",
    "dataclass": "object",
    "date": "date (YYYY-MM-DD)",
    "datetime": "date and time (ISO 8601)",
    "time": "time (HH:MM:SS)",
    "timedelta": "duration (ISO 8601)",
    "uuid": "UUID",
    "decimal": "decimal number",
    "bytes": "text",
    "url": "URL",
    "none": "null",
}


def make_bind(parameters: Sequence[Parameter], *, receives_self: bool = False) -> Bind:
    """Compile a function with these parameters that returns its arguments by name.

    A call that does not fit raises TypeError, as a call of the function itself would; `explain` says why.
    With `receives_self` the first parameter is bound, too, and left out of what is returned.
    """
    space: dict[str, Any] = {}
    heads: list[str] = []
    previous: Any = None
    for index, parameter in enumerate(parameters):
        if previous is Parameter.POSITIONAL_ONLY and parameter.kind is not previous:
            heads.append("/")
        if parameter.kind is Parameter.KEYWORD_ONLY and previous not in (
            Parameter.KEYWORD_ONLY,
            Parameter.VAR_POSITIONAL,
        ):
            heads.append("*")
        default = ""
        if parameter.default is not Parameter.empty:
            # not an identifier that a parameter could have
            space[f"__default_{index}"] = parameter.default
            default = f"=__default_{index}"
        heads.append(f"{_stars(parameter)}{parameter.name}{default}")
        previous = parameter.kind
    if previous is Parameter.POSITIONAL_ONLY:
        heads.append("/")
    shown = parameters[1:] if receives_self else parameters
    items = ", ".join(f"{p.name!r}: {p.name}" for p in shown)
    # the interpreter's own binding is ten times faster than inspect.Signature.bind, and as exact
    exec(f"def bind({', '.join(heads)}):\n    return {{{items}}}", space)
    bind: Bind = space["bind"]
    return bind


def explain(parameters: Sequence[Parameter], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Say in one line per problem why these arguments do not fit."""
    named = [p for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)]
    positional = [
        p for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    kinds = {p.kind for p in parameters}
    filled = {p.name for p in positional[: len(args)]}
    problems = []
    if len(args) > len(positional) and Parameter.VAR_POSITIONAL not in kinds:
        problems.append(f"takes at most {len(positional)} positional arguments, got {len(args)}")
    names = {p.name for p in named}
    for name in kwargs:
        if name in names:
            if name in filled:
                problems.append(f"got two values for {name!r}")
            filled.add(name)
        elif Parameter.VAR_KEYWORD not in kinds:
            problems.append(_unknown([name], [p.name for p in named]))
    required = (p for p in [*positional, *named] if p.default is Parameter.empty and p.name not in filled)
    problems += [f"missing argument {name!r} @ $.{name}" for name in dict.fromkeys(p.name for p in required)]
    accepted = ", ".join(_shape(p) for p in parameters) or "none"
    first, *others = problems or ["the arguments do not fit"]
    # behind the first line, so that it is not what is clipped of a long message
    return "\n".join([f"{first}; accepted: {accepted}", *others])


def _unknown(steps: Sequence[Any], known: Sequence[str]) -> str:
    name = str(steps[-1])
    by_plain = {_plain(other): other for other in known}
    near = difflib.get_close_matches(_plain(name), by_plain, n=1)
    meant = f", did you mean {by_plain[near[0]]!r}?" if near else ""
    return f"unknown argument {name!r}{meant} @ $.{'.'.join(map(str, steps))}"


def _plain(name: str) -> str:
    # `customerId`, `customer-id` and `CUSTOMER_ID` are one name in three spellings
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _shape(parameter: Parameter) -> str:
    optional = "" if parameter.default is Parameter.empty else " (optional)"
    return f"{_stars(parameter)}{parameter.name}{optional}"


def _stars(parameter: Parameter) -> str:
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return "*"
    return "**" if parameter.kind is Parameter.VAR_KEYWORD else ""


def make_parse(signature: Signature, is_hidden: IsHidden) -> Parse:
    """Make the validator of a model's arguments; pydantic is loaded and the model built at its first call.

    Args:
        signature: Of the function.
        is_hidden: Says of a value at a place, `("login", "pin")`, whether a message may not quote it.
    """
    model = None

    def parse(arguments: Mapping[str, Any] | str | bytes | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        nonlocal model
        if model is None:
            model = make_argument_model(signature)
        given = read_arguments(arguments)
        for name in signature.injected & given.keys():
            known = list(model.fields.values())
            raise InvalidArgument(f"{_unknown([name], known)}{_accepted(known)}")
        return _place(signature, _validate(model, given, is_hidden), model.fields)

    return parse


def read_arguments(arguments: Mapping[str, Any] | str | bytes | None) -> dict[str, Any]:
    """Return a model's arguments as a dict; JSON text is read, None and blank text are no arguments.

    Raises:
        InvalidArgument: broken JSON with its position, or something that is no object.
    """
    if isinstance(arguments, (str, bytes, bytearray)):
        arguments = _read_json(arguments)
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise InvalidArgument(f"expected one JSON object of arguments, got {_type_name(arguments)}")
    return {str(name): value for name, value in arguments.items()}


def _read_json(text: str | bytes | bytearray) -> Any:
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidArgument(
            f"the arguments are no valid JSON: {error.msg.removesuffix(' at')} at line {error.lineno} "
            f"column {error.colno}; send one complete JSON object"
        ) from error
    except RecursionError as error:
        raise InvalidArgument("the arguments are no valid JSON: they are nested too deeply") from error
    except ValueError as error:
        # bytes that are no UTF-8, or a number with more digits than Python reads
        raise InvalidArgument("the arguments are no valid JSON: send one JSON object in UTF-8") from error


def _validate(model: Any, given: dict[str, Any], is_hidden: IsHidden) -> dict[str, Any]:
    from pydantic import ValidationError

    try:
        checked = model.model.model_validate(given)
    except ValidationError as error:
        unpacked = _unpack_json(given, error)
        if unpacked is None:
            raise InvalidArgument(_explain_model(model, given, error, is_hidden)) from None
        return _validate(model, unpacked, is_hidden)
    values = {field: getattr(checked, field) for field in model.fields if field in checked.model_fields_set}
    return values | (checked.__pydantic_extra__ or {})


# pydantic's sentences as the end of "expected ..."
PLAIN_WORDS = tuple(
    (lazy_pattern(said), plain)
    for said, plain in (
        (r"^Input should be |^Value error, |^Assertion failed, ", ""),
        (r"^String should match pattern ", "text that matches "),
        (r"^(?:String|Bytes) should have ", "text of "),
        (r"^(?:List|Tuple|Set|Frozenset) should have ", "a list of "),
        (r"^Dictionary should have ", "an object of "),
        (r" after validation, not [\w ]+$", ""),
    )
)
OWN_WORDS = frozenset({"value_error", "assertion_error"})
STRUCTURES = frozenset(
    {"list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type", "dict_type", "mapping_type"}
    | {"model_type", "model_attributes_type", "dataclass_type", "typed_dict_type"}
)


def _unpack_json(given: dict[str, Any], error: Any) -> dict[str, Any] | None:
    """Read JSON text that a model sent where a list or an object is wanted; None when there is none."""
    unpacked = given
    for problem in error.errors(include_url=False, include_context=False):
        text = problem["input"]
        if problem["type"] in STRUCTURES and isinstance(text, str) and text.lstrip()[:1] in ("[", "{"):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                continue
            unpacked = _with_value(unpacked, _steps_in(given, problem["loc"], names_absent=False), value)
    return None if unpacked is given else unpacked


def _with_value(node: Any, steps: Sequence[Any], value: Any) -> Any:
    """Return a copy of nested arguments with another value at a place; what the model sent stays."""
    if not steps:
        return value
    copy = dict(node) if isinstance(node, Mapping) else list(node)
    copy[steps[0]] = _with_value(copy[steps[0]], steps[1:], value)
    return copy


def _explain_model(model: Any, given: dict[str, Any], error: Any, is_hidden: IsHidden) -> str:
    """Return one line per place; what the branches of a union expect there is joined by "or"."""
    lines: dict[str, str] = {}
    unsaid = True
    for problem in error.errors(include_url=False):
        kind: str = problem["type"]
        # a union puts its branch's name into the path; what the model sent has no such step
        steps = _steps_in(given, problem["loc"], names_absent=kind in ("missing", "extra_forbidden"))
        path = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        known = list(model.fields.values()) if len(steps) == 1 else []
        # said once: with many names it would be most of the message
        accepted, unsaid = (_accepted(known), False) if known and unsaid else ("", unsaid)
        if kind == "missing":
            lines[path] = f"missing argument {steps[-1]!r} @ {path}{accepted}"
        elif kind == "extra_forbidden":
            lines[path] = f"{_unknown(steps, known)}{accepted}"
        elif path in lines:
            lines[path] = lines[path].replace(", got ", f" or {_expectation(problem)}, got ", 1)
        else:
            secret = is_hidden(steps, problem["input"])
            got = "a hidden value" if secret else _quote(problem["input"])
            # a validator of the tool's own may have put the value into its message
            wanted = "another value" if secret and kind in OWN_WORDS else _expectation(problem)
            lines[path] = f"expected {wanted}, got {got} @ {path}"
    return "\n".join(lines.values())


def _accepted(known: Sequence[str]) -> str:
    return f"; accepted: {', '.join(known)}" if known else ""


def _steps_in(given: Any, loc: Sequence[Any], *, names_absent: bool) -> list[Any]:
    steps: list[Any] = []
    node = given
    for index, step in enumerate(loc):
        is_here = step in node if isinstance(node, Mapping) else isinstance(node, (list, tuple))
        is_here = is_here and (isinstance(node, Mapping) or isinstance(step, int))
        if is_here or (names_absent and index == len(loc) - 1):
            steps.append(step)
            node = _child(node, step)
    return steps or list(loc[:1])


def _child(node: Any, step: Any) -> Any:
    try:
        return node[step]
    except (KeyError, IndexError, TypeError):
        return None


def _expectation(problem: Any) -> str:
    kind: str = problem["type"]
    if kind in ("literal_error", "enum"):
        return str(problem["ctx"]["expected"])
    stem = kind.partition("_")[0]
    if kind.endswith(("_type", "_parsing", "_from_float")) and stem in EXPECTED:
        return EXPECTED[stem]
    if kind == "is_instance_of":
        return str(problem["ctx"]["class"])
    text: str = problem["msg"]
    for said, plain in PLAIN_WORDS:
        text = said.sub(plain, text)
    return text


def _quote(value: Any) -> str:
    """Quote a bad value unless it is big."""
    if not isinstance(value, (str, int, float, bool, type(None))):
        return _type_name(value)
    # as it stands in JSON
    text = repr(value) if isinstance(value, str | float) else json.dumps(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{_type_name(value)} of {len(str(value))} characters"


def _type_name(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", type(None): "null", tuple: "a list"}
    return names.get(type(value), type(value).__name__)


def _place(
    signature: Signature, values: dict[str, Any], fields: Mapping[str, str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Put validated values where the function takes them: by position what has no name, the rest by name."""
    by_name = {fields.get(field, field): value for field, value in values.items()}
    args: list[Any] = []
    parameters = signature.without_self()
    rest = next((p.name for p in parameters if p.kind is Parameter.VAR_POSITIONAL), None)
    terms = by_name.pop(rest, []) if rest else []
    for parameter in parameters:
        by_position = parameter.kind is Parameter.POSITIONAL_ONLY or (
            terms and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        )
        if not by_position:
            continue
        if parameter.name not in by_name:
            # what comes before a given positional argument needs its value, too
            if parameter.default is Parameter.empty:
                break
            args.append(parameter.default)
        else:
            args.append(by_name.pop(parameter.name))
    return (*args, *terms), by_name
