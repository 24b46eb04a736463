"""Annotations of parameters as a validator can use them: a model may send more than what a type says.

- An enum is taken by value and by name, a literal number also as text: models send `"RED"` and `"2"`.
- A `typing.TypedDict` is rebuilt with `typing_extensions`: before Python 3.12 pydantic refuses it.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin


def widen(hint: Any, seen: tuple[Any, ...] = ()) -> Any:
    """Return the annotation with the enums, literals and typed dicts in it made readable.

    Types of one's own (models, dataclasses) stay as they are.

    Example:
        >>> widen(list[int])
        list[int]
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _before(hint, functools.partial(_read_literal, args))
    if isinstance(hint, type) and origin is None:
        if issubclass(hint, enum.Enum):
            return _before(hint, functools.partial(_read_member, hint))
        return _rebuild(hint, seen) if _is_old_typed_dict(hint) else hint
    if not args or origin is type:
        return hint
    if origin is Annotated:
        return Annotated[(widen(args[0], seen), *args[1:])]
    wider = tuple(widen(part, seen) if not isinstance(part, list) else part for part in args)
    if all(new is old for new, old in zip(wider, args, strict=True)):
        return hint
    return _with_args(hint, origin, wider)


def _with_args(hint: Any, origin: Any, args: tuple[Any, ...]) -> Any:
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, args)
    try:
        return hint.copy_with(args) if hasattr(hint, "copy_with") else origin[args]
    except (AttributeError, TypeError):
        return hint


def _before(hint: Any, read: Callable[[Any], Any]) -> Any:
    from pydantic import BeforeValidator

    return Annotated[hint, BeforeValidator(read)]


def _read_member(kind: type[enum.Enum], value: Any) -> Any:
    """Find a member by its name, or by the text of its value; what is neither is left to the validator."""
    if not isinstance(value, str) or value in [member.value for member in kind]:
        return value
    named = kind.__members__.get(value)
    if named is not None:
        return named
    alike = [member for name, member in kind.__members__.items() if name.casefold() == value.casefold()]
    alike = alike or [member for member in kind if _is_written(member.value, value)]
    return alike[0] if len(set(alike)) == 1 else value


def _read_literal(choices: tuple[Any, ...], value: Any) -> Any:
    if not isinstance(value, str) or value in choices:
        return value
    return next((choice for choice in choices if _is_written(choice, value)), value)


def _is_written(value: Any, text: str) -> bool:
    return isinstance(value, (int, float)) and str(value).casefold() == text.strip().casefold()


def _is_old_typed_dict(kind: type) -> bool:
    return sys.version_info < (3, 12) and typing.is_typeddict(kind)


def _rebuild(kind: Any, seen: tuple[Any, ...]) -> Any:
    """Make a typed dict of `typing` one of `typing_extensions`; one that holds itself stays a dict there."""
    if kind in seen:
        return dict[str, Any]
    try:
        import typing_extensions

        hints = typing_extensions.get_type_hints(kind, include_extras=True)
    except Exception:  # noqa: BLE001 - any code may stand in a string annotation
        return dict[str, Any]
    fields = {}
    for name, hint in hints.items():
        origin: Any = get_origin(hint)
        if origin in (typing.Required, typing.NotRequired):
            (hint,) = get_args(hint)
        mark = typing_extensions.Required if name in kind.__required_keys__ else typing_extensions.NotRequired
        fields[name] = mark[widen(hint, (*seen, kind))]
    return typing_extensions.TypedDict(kind.__name__, fields)  # type: ignore[operator]  # made at run time
