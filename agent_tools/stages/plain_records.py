"""Objects with named fields, recognised by what their class carries; nothing is imported.

A part of `plain_data`. A record's fields keep their order and their Python names (no aliases).
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import getattr_static
from typing import Any, get_args

from agent_tools.audiences import Marks, marks_from_annotation, marks_of
from agent_tools.secret_marks import hide_places, secret_fields, secret_places
from agent_tools.stages.plain_values import Fields

UNSET = object()


class HiddenValue:
    """Stands for a value that a type or mark says is secret; shown as a `SecretStr` is."""

    __slots__ = ()


SECRET = HiddenValue()

Names = Callable[[Any], Iterable[str]]
Read = Callable[[Any, str], object]


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """How the instances of one class are read.

    Attributes:
        names: The field names of an instance, in order.
        read: The value of one field; `UNSET` for a field that was never set.
        marks: Its `visible_to` marks by path pattern below the record.
        dump: What stands for the whole record instead of its fields, where its class says so.
    """

    names: Names
    read: Read
    marks: Mapping[tuple[str, ...], Marks]
    dump: Callable[[Any], object] | None = None


def plan_record(cls: type) -> RecordPlan | None:
    """Return how to read the records of a class; None for a class that is no record.

    Example:
        >>> import dataclasses
        >>> Point = dataclasses.make_dataclass("Point", ["x", "y"])
        >>> plan_record(Point).names(Point(1, 2))
        ['x', 'y']
        >>> plan_record(object) is None
        True
    """
    for attribute, make in RECORDS.items():
        if hasattr(cls, attribute) and (plan := make(cls)) is not None:
            return _without_secrets(plan, cls)
    return None


def _without_secrets(plan: RecordPlan, cls: type) -> RecordPlan:
    """Put `SECRET` in the place of what the class says is secret; null stays."""
    names, places = secret_fields(cls), secret_places(cls)
    if not places:
        return plan

    def read(record: Any, name: str) -> object:
        value = plan.read(record, name)
        if name in names:
            return value if value is None or value is UNSET else SECRET
        # what a serializer of the field's own has dumped has lost the types below
        return hide_places({name: value}, places, SECRET, [])[name]

    def dump(record: Any) -> object:
        value = plan.dump(record) if plan.dump is not None else None
        if isinstance(value, Fields):
            shown = (SECRET if name in names and item is not None else item for name, item in value)
            return Fields(zip((name for name, _ in value), shown, strict=True))
        return hide_places(value, places, SECRET, [])

    return RecordPlan(plan.names, read, plan.marks, None if plan.dump is None else dump)


def _own_marks(cls: type) -> Mapping[tuple[str, ...], Marks]:
    marks = marks_of(cls)
    return {(): marks} if marks else {}


def _fixed(cls: type, names: Iterable[str]) -> RecordPlan:
    fixed = list(names)
    return RecordPlan(lambda record: fixed, _read_attribute, _own_marks(cls))


def _dumped(dump: Callable[[Any], object], marks: Mapping[tuple[str, ...], Marks]) -> RecordPlan:
    return RecordPlan(lambda record: (), _read_attribute, marks, dump)


def _read_attribute(record: Any, name: str) -> object:
    try:
        return getattr(record, name)
    except AttributeError:
        # a slot or a field without default that nobody has filled; a property that fails is another thing
        where = getattr_static(record, name, None)
        if where is None or isinstance(where, types.MemberDescriptorType):
            return UNSET
        raise


# --- what a class may carry


def _mapped(cls: Any) -> RecordPlan:
    mapper = cls.__mapper__
    columns = [(str(attribute.key), attribute.deferred) for attribute in mapper.column_attrs]
    relations = {str(relation.key): _way_back(relation) for relation in mapper.relationships}

    def names(record: Any) -> list[str]:
        # only what is loaded: reading anything else may run a query per row
        loaded = record.__dict__
        shown = [name for name, is_deferred in columns if not is_deferred or name in loaded]
        return shown + [name for name, back in relations.items() if _leads_on(loaded, name, back)]

    return RecordPlan(names, _read_attribute, _own_marks(cls))


def _way_back(relation: Any) -> str | None:
    """Return the relationship of the other class that leads back to this one."""
    return next((str(other.key) for other in relation._reverse_property), None)


def _leads_on(loaded: Mapping[str, Any], name: str, back: str | None) -> bool:
    """Say whether a relationship is loaded and does not lead from a child back to its parent."""
    other = loaded.get(name)
    fields = getattr(other, "__dict__", None)
    return name in loaded and (back is None or fields is None or back not in fields)


def _dataclass(cls: Any) -> RecordPlan:
    infos = getattr(cls, "__pydantic_fields__", {})
    shown = (f.name for f in dataclasses.fields(cls) if not getattr(infos.get(f.name), "exclude", None))
    return _fixed(cls, shown)


def _attrs(cls: Any) -> RecordPlan:
    return _fixed(cls, (attribute.name for attribute in cls.__attrs_attrs__))


def _struct(cls: Any) -> RecordPlan:
    return _fixed(cls, cls.__struct_fields__)


def _named_tuple(cls: Any) -> RecordPlan | None:
    if not issubclass(cls, tuple):
        return None
    # by position: a database row may have a column named `count`, and two of the same name
    return _dumped(lambda row: Fields(zip(row._fields, tuple(row), strict=True)), _own_marks(cls))


def _pydantic_v1(cls: Any) -> RecordPlan | None:
    if not hasattr(cls, "__config__"):
        return None
    return _fixed(cls, (n for n, f in cls.__fields__.items() if not f.field_info.exclude))


def _pydantic(cls: Any) -> RecordPlan:
    # fields as they are, so that their types and marks are seen; by `model_dump` where that is customised
    if getattr(cls, "__pydantic_root_model__", False):
        return _dumped(lambda model: model.root, {})
    if cls.__pydantic_decorators__.model_serializers:
        return _dumped(lambda model: model.model_dump(by_alias=False, warnings=False), _annotated_marks(cls))
    infos = dict(cls.model_fields)
    computed = list(cls.__pydantic_decorators__.computed_fields)
    dumped = _customised(cls, infos)
    hidden = {name for name, info in infos.items() if info.exclude}

    def names(model: Any) -> list[str]:
        values = model.__dict__
        extra = model.__pydantic_extra__ or ()
        return [*(n for n in infos if n in values and n not in hidden), *extra, *computed]

    def read(model: Any, name: str) -> object:
        if name in dumped:
            return model.model_dump(include={name}, by_alias=False, warnings=False).get(name, UNSET)
        if name in infos:
            return model.__dict__[name]  # getattr would warn about a deprecated field
        extra = model.__pydantic_extra__
        return extra[name] if extra and name in extra else getattr(model, name)

    return RecordPlan(names, read, _annotated_marks(cls) if dumped else _own_marks(cls))


def _customised(cls: Any, infos: Mapping[str, Any]) -> set[str]:
    decorated = {
        name for item in cls.__pydantic_decorators__.field_serializers.values() for name in item.info.fields
    }
    annotated = {
        name
        for name, info in infos.items()
        if _has_serializer(info.metadata)
        or _has_serializer(get_args(info.annotation))
        or getattr(info, "exclude_if", None)
    }
    return set(infos) if "*" in decorated else decorated | annotated


def _has_serializer(parts: Iterable[Any]) -> bool:
    return any(
        type(part).__name__ in ("PlainSerializer", "WrapSerializer") or _has_serializer(get_args(part))
        for part in parts
    )


def _annotated_marks(cls: type) -> Mapping[tuple[str, ...], Marks]:
    # what model_dump returns has lost the types below: their marks are read from the annotations
    return {
        pattern: {name: frozenset(readers) for name, readers in fields.items()}
        for pattern, fields in marks_from_annotation(cls).items()
    }


RECORDS: dict[str, Callable[[Any], RecordPlan | None]] = {
    "__mapper__": _mapped,
    "__dataclass_fields__": _dataclass,
    "__attrs_attrs__": _attrs,
    "__pydantic_decorators__": _pydantic,
    "__struct_fields__": _struct,
    "_fields": _named_tuple,
    "__fields__": _pydantic_v1,
}
